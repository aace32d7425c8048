"""Accounts in GraphQL: a bot's login has no ``[bot]``, an account that is gone is null."""

from __future__ import annotations

from tests.fakehub.answer import JSON
from tests.fakehub.nodes import node_id
from tests.fakehub.state import number_of

KINDS = ("User", "Bot", "Mannequin", "Organization", "EnterpriseUserAccount")


def actor(told: JSON | None) -> JSON | None:
    if told is None:
        return None
    kind = told.get("type", "User")
    login = told["login"].removesuffix("[bot]") if kind == "Bot" else told["login"]
    number = told.get("id") or number_of(told["login"])
    path = f"/apps/{login}" if kind == "Bot" else f"/{login}"
    return {
        "__typename": kind if kind in KINDS else "User", "id": node_id(kind, number), "databaseId": number,
        "login": login, "name": None, "url": f"https://github.com{path}",
    }  # fmt: skip


def owner(repository: str) -> JSON:
    login = repository.partition("/")[0]
    made = actor({"login": login, "id": number_of(login), "type": "Organization"})
    return made or {}
