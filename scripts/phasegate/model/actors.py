"""Accounts: who speaks, and what they may do."""

from __future__ import annotations

from phasegate.model.frozen import dataclass

ACTIONS_APP = 15368  # GitHub Actions itself, which writes for every workflow, also for one of the branch


@dataclass(frozen=True, kw_only=True, slots=True)
class Actor:
    """An account as GitHub names it; the login of an app ends in ``[bot]``."""

    login: str
    type: str
    id: int | None = None


DEFAULT_TOKEN = "github-actions[bot]"


def is_own(creator: Actor | None, own: Actor | None) -> bool:
    """Whether the gate itself wrote something: with its own account, which unless told is that of every workflow."""
    if creator is None:
        return False
    if own is None or own.login.lower() == DEFAULT_TOKEN:
        return creator.type == "Bot" and creator.login.lower() == DEFAULT_TOKEN
    if own.id is None or creator.id is None:
        return own.login.lower() == creator.login.lower()
    return own.id == creator.id


@dataclass(frozen=True, kw_only=True, slots=True)
class Person:
    """What an account may do in the repository at the time of the snapshot."""

    login: str
    id: int
    type: str = "User"
    permission: str
    role_name: str | None = None
    teams: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Team:
    """A team that the policy names; members by account id where the token may read them."""

    slug: str
    readable: bool
    members: tuple[int, ...] = ()
