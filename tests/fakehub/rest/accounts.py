"""Accounts, apps and what they may do: users, permissions, teams."""

from __future__ import annotations

from tests.fakehub.answer import JSON, Answer, RefusedError, error, not_found
from tests.fakehub.nodes import node_id
from tests.fakehub.rest.call import Call, paged
from tests.fakehub.shapes import shape
from tests.fakehub.state import ACTIONS_APP, ACTIONS_BOT, GHOST, number_of

# What the older of the two fields makes of a role.
COARSE = {"maintain": "write", "triage": "read"}


def user(actor: JSON | None, name: str = "simple-user", /, **more: object) -> JSON:
    """An account; where it is gone, the ghost that GitHub shows in its place."""
    known = actor or GHOST
    login, kind = known["login"], known.get("type", "User")
    number = known.get("id") or number_of(login)
    page = f"apps/{login.removesuffix('[bot]')}" if kind == "Bot" else login
    return shape(
        name, login=login, id=number, node_id=node_id(kind, number), type=kind,
        url=f"https://api.github.com/users/{login}", html_url=f"https://github.com/{page}", **more,
    )  # fmt: skip


def app(number: int | None, actor: JSON | None = None) -> JSON | None:
    if number is None:
        return None
    slug = "github-actions" if number == ACTIONS_APP else (actor or ACTIONS_BOT)["login"].removesuffix("[bot]")
    owner = user({"login": "octo-org", "id": 5, "type": "Organization"})
    events: list[str] = []
    return shape(
        "integration", id=number, slug=slug, node_id=node_id("App", number), name=slug, owner=owner, events=events
    )


def get_user(call: Call) -> Answer:
    """An account by its login; an app's ends in ``[bot]``."""
    known = _account(call, call.params["username"])
    if known is None:
        raise not_found()
    return Answer(data=user(known, "public-user", user_view_type="public"))


def get_app(call: Call) -> Answer:
    slug = call.params["app_slug"]
    number = call.state.extras.apps.get(slug)
    if number is None:
        raise not_found()
    return Answer(data=app(number, {"login": f"{slug}[bot]"}))


def _account(call: Call, login: str) -> JSON | None:
    bots = {f"{slug}[bot]" for slug in call.state.extras.apps}
    known = call.state.account(login)
    return known or ({"login": login, "id": number_of(login), "type": "Bot"} if login in bots else None)


def permission(call: Call) -> Answer:
    call.repository()
    known = call.state.account(call.params["username"])
    if known is None or known.get("type", "User") != "User":
        raise not_found()
    anyone = "read" if call.state.extras.visibility == "public" else "none"
    role = known.get("permission", anyone)
    coarse = COARSE.get(role, role)
    named = known.get("role_name") or role
    ranks = {"none": 0, "read": 1, "triage": 2, "write": 3, "maintain": 4, "admin": 5}
    allows = {"pull": 1, "triage": 2, "push": 3, "maintain": 4, "admin": 5}
    permissions = {name: ranks.get(role, 0) >= rank for name, rank in allows.items()}
    shown = user(known, "nullable-collaborator", permissions=permissions, role_name=named)
    return Answer(data={"permission": coarse, "role_name": named, "user": shown})


def team_members(call: Call) -> Answer:
    """The members of a team, if the token may read them."""
    slug = f"{call.params['org']}/{call.params['team_slug']}".lower()
    team = next((each for each in call.state.main["teams"] if each["slug"].lower() == slug), None)
    if team is None:
        raise not_found()
    if not team["readable"]:
        raise RefusedError(error(403, "Resource not accessible by integration"))
    members = (
        call.state.account_by_id(number) or {"login": f"user-{number}", "id": number}
        for number in team.get("members", [])
    )
    return paged(call, [user(member, "team-member") for member in members])
