"""Accounts in GraphQL: a bot's login has no ``[bot]``, an account that is gone is null."""

from __future__ import annotations

from tests.fakehub.answer import JSON
from tests.fakehub.nodes import node_id
from tests.fakehub.state import ACTIONS_APP, number_of

KINDS = ("User", "Bot", "Mannequin", "Organization", "EnterpriseUserAccount")


def actor(told: JSON | None) -> JSON | None:
    if told is None:
        return None
    kind = told.get("type", "User")
    login = told["login"].removesuffix("[bot]") if kind == "Bot" else told["login"]
    number = told.get("id") or number_of(told["login"])
    path = f"/apps/{login}" if kind == "Bot" else f"/{login}"
    return {
        "__typename": kind if kind in KINDS else "User",
        "id": node_id(kind, number),
        "databaseId": number,
        "login": login,
        "name": None,
        "url": f"https://github.com{path}",
        "resourcePath": path,
        "avatarUrl": lambda **_: f"https://avatars.githubusercontent.com/u/{number}?v=4",
    }


def owner(repository: str) -> JSON:
    login = repository.partition("/")[0]
    made = actor({"login": login, "id": number_of(login), "type": "Organization"})
    return made or {}


def app(number: int | None) -> JSON | None:
    if number is None:
        return None
    slug = "github-actions" if number == ACTIONS_APP else f"app-{number}"
    return {"id": node_id("App", number), "databaseId": number, "slug": slug, "name": slug}
