"""Who may speak for a role, and whose human acts count."""

from __future__ import annotations

import pytest

from phasegate.model.signal import Source
from phasegate.model.texts import Actor
from phasegate.rules.accounts import Accounts, live_permission, same_name
from tests.casebook.world import World, block
from tests.unit.rules.parties import actor, ledger, policy, source, taken

BOT = "jkz-runner[bot]"
NAMED_BOT = f'agents: {{accounts: [{{login: "{BOT}", id: 987, app_id: 12345, roles: [judge, inspector]}}]}}\n'
NOBODY: frozenset[int] = frozenset()


def spoken(written: Source, text: str = "", role: str | None = "judge", world: World | None = None) -> str | None:
    """The code by which somebody's PASS is refused."""
    speaker = Accounts(policy(text), taken(world or World())).speaker(written, role)
    return next((each.code for each in (*speaker.refusals, speaker.own_work) if each is not None), None)


def acted(written: Source, text: str = "", speakers: frozenset[int] = NOBODY, world: World | None = None) -> str | None:
    """The code by which somebody's act is refused."""
    speaker = Accounts(policy(text), taken(world or World()), speakers).speaker(written)
    return next((each.code for each in speaker.act_refusals), None)


@pytest.mark.parametrize(("one", "other", "same"), [
    ("Octo-Dev", "octo-dev", True),
    ("bug", "BUG", True),
    ("kim", "\u212aim", False),  # the Kelvin sign folds to k in Unicode
    ("security", "\u017fecurity", False),  # the long s folds to s
    ("i", "\u0130", False),
    ("mona", "m\u043ena", False),  # a Cyrillic o
    ("mona", "mona\u200b", False),
    ("mona", "mona ", False),
])  # fmt: skip
def test_same_name__folds_ascii_letters_only(one: str, other: str, *, same: bool) -> None:
    assert same_name(one, other) is same


@pytest.mark.parametrize("permission", ["write", "maintain", "admin"])
def test_may_speak__a_person_with_write_permission_or_more(permission: str) -> None:
    world = World()
    world.permissions["ana"] = permission
    assert spoken(source(actor("ana")), world=world) is None


@pytest.mark.parametrize("permission", ["none", "read", "triage"])
def test_may_speak__not_with_less(permission: str) -> None:
    world = World()
    world.permissions["ana"] = permission
    assert spoken(source(actor("ana")), world=world) == "PG201"


def test_may_speak__not_without_a_looked_up_permission() -> None:
    world = World()
    world.permissions.clear()
    assert spoken(source(actor("ana")), world=world) == "PG201"


def test_may_speak__permission_goes_by_id_not_by_login() -> None:
    assert spoken(source(Actor(login="ana", id=4711, type="User"))) == "PG201"
    assert spoken(source(Actor(login="renamed", id=21, type="User"))) is None


def test_may_speak__an_account_without_id_is_nobody() -> None:
    assert spoken(source(Actor(login="ana", type="User"))) == "PG201"
    assert spoken(source(None)) == "PG201"


@pytest.mark.parametrize("kind", ["Bot", "Organization", "Mannequin", "EnterpriseUserAccount"])
def test_may_speak__no_unnamed_account_that_is_no_person(kind: str) -> None:
    assert spoken(source(actor("ana", type=kind))) == "PG203"


def test_may_speak__a_named_bot_with_its_id_and_app() -> None:
    assert spoken(source(actor(BOT), app_id=12345), NAMED_BOT) is None


@pytest.mark.parametrize("written", [
    source(actor(BOT), app_id=666),
    source(actor(BOT), app_id=None),
    source(actor(BOT, id=988), app_id=12345),
    source(actor(BOT, id=None), app_id=12345),
], ids=["other app", "no app", "other id", "no id"])  # fmt: skip
def test_may_speak__a_bot_of_that_name_and_another_id_does_not(written: Source) -> None:
    assert spoken(written, NAMED_BOT) == "PG204"


def test_may_speak__a_stranger_who_took_a_named_login_over_does_not() -> None:
    named = "agents: {accounts: [{login: old-agent, id: 5}]}\n"
    assert spoken(source(Actor(login="old-agent", id=6, type="User")), named) in {"PG201", "PG204"}


def test_may_speak__a_look_alike_of_a_named_login_does_not() -> None:
    named = "agents: {accounts: [{login: kim}]}\n"
    assert spoken(source(Actor(login="\u212aim", id=6, type="User")), named) in {"PG201", "PG204"}
    assert spoken(source(Actor(login="KIM", id=6, type="User")), named) is None


def test_may_speak__with_only_nobody_who_is_not_named() -> None:
    only = "agents: {only: true, accounts: [{login: ben, id: 22}]}\n"
    assert spoken(source(actor("ana")), only) == "PG201"
    assert spoken(source(actor("mona")), only) == "PG201"
    assert spoken(source(actor("ben")), only) is None


def test_may_speak__nobody_by_email() -> None:
    assert spoken(source(actor("ana"), via_email=True)) == "PG206"
    assert spoken(source(actor(BOT), app_id=12345, via_email=True), NAMED_BOT) == "PG206"


@pytest.mark.parametrize("role", ["judge", "inspector", "auditor", "curator", "sentinel", "lens", None])
def test_may_speak__the_author_judges_nothing(role: str | None) -> None:
    assert spoken(source(actor("octo-dev")), role=role) == "PG202"


@pytest.mark.parametrize("role", ["architect", "builder", "doctor"])
def test_may_speak__the_author_makes_and_mends(role: str) -> None:
    assert spoken(source(actor("octo-dev")), role=role) is None


def test_may_speak__the_author_judges_where_named_for_the_role() -> None:
    assert spoken(source(actor("octo-dev")), "agents: {accounts: [{login: octo-dev, id: 11, roles: [judge]}]}") is None


def test_may_speak__a_renamed_author_is_still_the_author() -> None:
    assert spoken(source(Actor(login="fresh-name", id=11, type="User"))) == "PG202"


def test_may_speak__the_author_judges_nothing_even_where_no_id_is_told() -> None:
    world = World()
    world.changes["pull_request"] = {
        **world.snapshot()["pull_request"],
        "author": {"login": "octo-dev", "id": None, "type": "User"},
    }
    assert spoken(source(actor("octo-dev")), world=world) == "PG202"


def test_may_speak__a_bot_by_its_login_is_no_person() -> None:
    world = World()
    world.permissions["helper[bot]"] = "write"
    assert spoken(source(Actor(login="helper[bot]", id=555, type="User")), world=world) == "PG203"


def mapped(accounts: str, who: str = "ben") -> str | None:
    """The role that the policy tells of somebody's verdict, where the text tells none."""
    world = World(policy=f"version: 1\nagents: {{accounts: [{accounts}]}}\n")
    world.say(who, block({"verdict": "PASS", "issues": []}))
    (vote,) = ledger(world).votes
    return vote.role


@pytest.mark.parametrize(("accounts", "role"), [
    ("{login: ben, id: 22, roles: [lens]}", "lens"),
    ("{login: BEN, roles: [lens]}", "lens"),
    ("{login: another-name, id: 22, roles: [lens]}", "lens"),
    ("{login: ben, id: 23, roles: [lens]}", None),
    ("{login: ben, id: 22, app_id: 5, roles: [lens]}", None),
    ("{login: ben, id: 22, roles: [lens, sentinel]}", None),
    ("{login: ben, id: 22, roles: [lens]}, {login: ben, roles: [sentinel]}", None),
    ("{login: ben, id: 22, roles: [lens]}, {login: ben}", None),
    ("{login: ben, id: 22}", None),
    ("{login: ana, id: 21, roles: [lens]}", None),
])  # fmt: skip
def test_mapped_role__is_told_where_the_policy_names_the_account_for_one(accounts: str, role: str | None) -> None:
    assert mapped(accounts) == role


def test_live_permission__of_an_unknown_word_is_none() -> None:
    assert live_permission(taken(World()), Actor(login="ana", id=None, type="User")) == "none"
    assert live_permission(taken(World()), actor("mona")) == "maintain"


def test_may_act__a_person_with_write_permission() -> None:
    assert acted(source(actor("mona"))) is None
    assert acted(source(actor("ben"))) is None


@pytest.mark.parametrize(
    "written",
    [
        source(None),
        source(Actor(login="mona", type="User")),
        source(actor("eve")),
        source(actor("mona", type="Bot")),
        source(actor("mona", type="Mannequin")),
        source(actor("mona"), app_id=777),
        source(actor("mona"), via_email=True),
        source(Actor(login="mona", id=4711, type="User")),
    ],
    ids=["ghost", "no id", "reader", "bot", "mannequin", "through an app", "by e-mail", "somebody of that name"],
)
def test_may_act__nobody_else(written: Source) -> None:
    assert acted(written) in {"PG206", "PG210"}


def test_may_act__the_minimum_is_the_policys() -> None:
    least = "humans: {minimum_permission: admin}\n"
    assert acted(source(actor("mona")), least) == "PG210"


def test_may_act__not_the_author_unless_the_policy_says_so() -> None:
    assert acted(source(actor("octo-dev"))) == "PG211"
    assert acted(source(actor("octo-dev")), "humans: {author_may_approve: true}\n") is None


def test_may_act__not_who_spoke_as_an_agent() -> None:
    assert acted(source(actor("mona")), speakers=frozenset({31})) == "PG212"
    assert acted(source(actor("mona")), "humans: {agents_may_approve: true}\n", frozenset({31})) is None


def test_may_act__not_whom_the_policy_names_as_an_agent() -> None:
    assert acted(source(actor("mona")), "agents: {accounts: [{login: mona}]}\n") == "PG212"
    assert acted(source(actor("mona")), "agents: {accounts: [{login: other, id: 31}]}\n") == "PG212"


def test_may_act__agents_may_approve_does_not_let_the_author_approve() -> None:
    assert acted(source(actor("octo-dev")), "humans: {agents_may_approve: true}\n", frozenset({11})) == "PG211"


def test_may_act__not_an_agent_that_the_policy_names_with_its_app() -> None:
    named = "agents: {accounts: [{login: mona, id: 31, app_id: 777, roles: [judge]}]}\n"
    assert acted(source(actor("mona")), named) == "PG212"


def test_may_act__not_the_author_even_where_no_id_is_told() -> None:
    world = World()
    world.changes["pull_request"] = {
        **world.snapshot()["pull_request"],
        "author": {"login": "octo-dev", "id": None, "type": "User"},
    }
    assert acted(source(actor("octo-dev")), world=world) == "PG211"
