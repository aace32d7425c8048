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
