"""What an account may do now: by its id, and nothing where GitHub does not say so."""

from __future__ import annotations

from typing import Any

import pytest

from phasegate.github.client.answers import GitHubError, MissingError, MovedError, RefusedError
from phasegate.github.reading.people import MOST_TEAMS, lookups, team_lookups
from phasegate.model.texts import Actor, Person, Team
from tests.unit.github.canned import Canned

JSON = dict[str, Any]
ANA = Actor(login="ana", id=21, type="User")
PATH = "/repos/octo/shop/collaborators/ana/permission"
MEMBERS = "/orgs/octo/teams/judges/members"


def told(permission: str, role: str, identity: int = 21) -> JSON:
    return {"permission": permission, "role_name": role, "user": {"login": "ana", "id": identity, "type": "User"}}


def person(answers: dict[str, object]) -> Person | None:
    found: Person | None = lookups(Canned(answers), "octo/shop", [ANA])[21]()
    return found


@pytest.mark.parametrize(("permission", "role", "expected"), [
    ("admin", "admin", "admin"),
    ("write", "maintain", "maintain"),
    ("write", "write", "write"),
    ("read", "triage", "triage"),
    ("read", "read", "read"),
    ("none", "none", "none"),
    ("write", "release-manager", "write"),
])  # fmt: skip
def test_lookup__tells_the_role_or_what_an_own_role_amounts_to(permission: str, role: str, expected: str) -> None:
    found = person({PATH: told(permission, role)})
    assert found == Person(login="ana", id=21, type="User", permission=expected, role_name=role)


@pytest.mark.parametrize("answer", [told("admin", "admin", identity=99), {**told("admin", "admin"), "user": None}])
def test_lookup__a_login_that_is_somebody_else_now_means_that_all_is_read_anew(answer: JSON) -> None:
    with pytest.raises(MovedError, match="another account under the name of ana"):
        person({PATH: answer})


def test_lookup__who_is_not_told_and_may_not_write_is_nobody() -> None:
    assert person({PATH: {**told("read", "read"), "user": None}}) is None


def test_lookup__a_permission_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(GitHubError, match="permission of ana in a way that it does not document"):
        person({PATH: told("owner", "owner")})


def test_lookup__of_an_account_that_is_gone_is_nobody() -> None:
    assert person({}) is None


def test_lookup__that_cannot_be_made_now_is_an_error() -> None:
    with pytest.raises(GitHubError):
        person({PATH: GitHubError("502")})


def test_lookups__are_one_for_each_user() -> None:
    bot = Actor(login="helper[bot]", id=5, type="Bot")
    gone = Actor(login="gone", id=None, type="User")
    assert list(lookups(Canned({}), "octo/shop", [ANA, bot, None, ANA, gone])) == [21]


def test_lookups__a_login_cannot_lead_elsewhere() -> None:
    client = Canned({"/repos/octo/shop/collaborators/..%2F..%2Fx/permission": told("admin", "admin", 3)})
    found = lookups(client, "octo/shop", [Actor(login="../../x", id=3, type="User")])[3]()
    assert found is not None


def test_teams__have_their_members_by_id() -> None:
    client = Canned({MEMBERS: [{"id": 3}, {"id": 1}]})
    found = team_lookups(client, ["octo/judges"])
    assert [task() for task in found.values()] == [Team(slug="octo/judges", readable=True, members=(1, 3))]
    assert team_lookups(client, ()) == {}


@pytest.mark.parametrize("failure", [MissingError("404"), RefusedError("403")])
def test_teams__that_the_token_may_not_read_have_no_members(failure: Exception) -> None:
    (task,) = team_lookups(Canned({MEMBERS: failure}), ["octo/judges"]).values()
    assert task() == Team(slug="octo/judges", readable=False)


def test_teams__that_cannot_be_read_now_are_an_error() -> None:
    (task,) = team_lookups(Canned({MEMBERS: GitHubError("502")}), ["octo/judges"]).values()
    with pytest.raises(GitHubError):
        task()


def test_teams__are_bounded() -> None:
    assert len(team_lookups(Canned({}), [f"octo/t{number}" for number in range(100)])) == MOST_TEAMS
