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


NOBODY = {**told("read", "read"), "user": None}
WRONG: list[tuple[object, type[Exception], str]] = [
    (told("admin", "admin", identity=99), MovedError, "another account by the name ana"),
    ({**told("admin", "admin"), "user": None}, MovedError, "another account by the name ana"),
    (told("owner", "owner"), GitHubError, "permission of ana in a way that it does not document"),
    (GitHubError("502"), GitHubError, "502"),
]


@pytest.mark.parametrize(("answer", "error", "said"), WRONG)
def test_lookup__a_login_that_is_somebody_else_now_is_read_anew(
    answer: object, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        person({PATH: answer})


@pytest.mark.parametrize("answers", [{}, {PATH: NOBODY}], ids=["gone", "not told, and may not write"])
def test_lookup__of_whom_nothing_is_told_is_nobody(answers: dict[str, object]) -> None:
    assert person(answers) is None


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
    assert len(team_lookups(client, [f"octo/t{number}" for number in range(100)])) == MOST_TEAMS


@pytest.mark.parametrize("failure", [MissingError("404"), RefusedError("403"), GitHubError("502")])
def test_teams__that_the_token_may_not_read_have_no_members(failure: GitHubError) -> None:
    (task,) = team_lookups(Canned({MEMBERS: failure}), ["octo/judges"]).values()
    if type(failure) is GitHubError:  # which may be over in a moment
        with pytest.raises(GitHubError):
            task()
    else:
        assert task() == Team(slug="octo/judges", readable=False)
