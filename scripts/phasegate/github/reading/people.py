"""People: what each account that spoke may do in the repository now."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from urllib.parse import quote

from phasegate.github.client.answers import MissingError, RefusedError
from phasegate.github.client.client import Client
from phasegate.model.actors import Actor, Person, Team

TEAM = re.compile(r"@([A-Za-z0-9-]{1,39}/[A-Za-z0-9_.-]{1,100})", re.ASCII)
MOST_TEAMS = 20
NAMED_ROLES = ("admin", "maintain", "write", "triage", "read", "none")
Lookup = Callable[[], "Person | None"]


def lookups(client: Client, repository: str, accounts: Iterable[Actor | None]) -> dict[int, Lookup]:
    """One look-up for each account of type User, by account id."""
    return {
        account.id: partial(_lookup, client, repository, account)
        for account in accounts
        if account is not None and account.type == "User" and account.id is not None
    }


def team_lookups(client: Client, policy_text: str | None) -> dict[str, Callable[[], Team]]:
    """One look-up for each team that the policy names, by its slug."""
    slugs = dict.fromkeys(match.lower() for match in TEAM.findall(policy_text or ""))
    return {slug: partial(_team, client, slug) for slug in list(slugs)[:MOST_TEAMS]}


def _team(client: Client, slug: str) -> Team:
    """A team; one that this token may not read has no members that count."""
    organisation, _, name = slug.partition("/")
    try:
        members = client.pages(
            f"/orgs/{quote(organisation, safe='')}/teams/{quote(name, safe='')}/members", per_page=100
        )
    except (MissingError, RefusedError):
        return Team(slug=slug, readable=False)
    return Team(slug=slug, readable=True, members=tuple(sorted(member["id"] for member in members)))


def _lookup(client: Client, repository: str, account: Actor) -> Person | None:
    """The person; none where the login belongs to nobody, or by now to somebody else."""
    answer = client.find(f"/repos/{repository}/collaborators/{quote(account.login, safe='')}/permission")
    if answer is None:
        return None
    user, role = answer.get("user") or {}, answer.get("role_name")
    if user.get("id") != account.id:
        return None
    return Person(
        login=account.login,
        id=user["id"],
        type=user["type"],
        permission=role if role in NAMED_ROLES else answer["permission"],
        role_name=role,
    )
