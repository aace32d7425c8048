"""People: what each account that spoke may do in the repository now."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from urllib.parse import quote

from phasegate.github.answers import Missing
from phasegate.github.client import Client
from phasegate.model.conversation import Actor, Person

NAMED_ROLES = ("admin", "maintain", "write", "triage", "read", "none")
Lookup = Callable[[], "Person | None"]


def lookups(client: Client, repository: str, accounts: Iterable[Actor | None]) -> dict[int, Lookup]:
    """One look-up for each account of type User, by account id."""
    return {
        account.id: partial(_lookup, client, repository, account)
        for account in accounts
        if account is not None and account.type == "User" and account.id is not None
    }


def _lookup(client: Client, repository: str, account: Actor) -> Person | None:
    """The person; none where the login belongs to nobody, or by now to somebody else."""
    answer = client.find(f"/repos/{repository}/collaborators/{quote(account.login, safe='')}/permission")
    if isinstance(answer, Missing):
        return None
    user, role = answer.value.get("user") or {}, answer.value.get("role_name")
    if user.get("id") != account.id:
        return None
    return Person(
        login=account.login,
        id=user["id"],
        type=user["type"],
        permission=role if role in NAMED_ROLES else answer.value["permission"],
        role_name=role,
    )
