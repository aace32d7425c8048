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


def with_permission(who: str, permission: str | None) -> World:
    """A world in which an account has this permission, or none that was looked up."""
    world = World()
    world.permissions = {} if permission is None else {**world.permissions, who: permission}
    return world


def author_without_id() -> World:
    """A world that does not tell the id of the author."""
    world = World()
    author = {"login": "octo-dev", "id": None, "type": "User"}
    world.changes["pull_request"] = {**world.snapshot()["pull_request"], "author": author}
    return world


ONLY = "agents: {only: true, accounts: [{login: ben, id: 22}]}\n"
KIM = "agents: {accounts: [{login: kim}]}\n"
OLD = "agents: {accounts: [{login: old-agent, id: 5}]}\n"

SPEAKS: dict[str, tuple[Source, str, str | None]] = {
    "renamed": (source(Actor(login="renamed", id=21, type="User")), "", None),
    "somebody of that name": (source(Actor(login="ana", id=4711, type="User")), "", "PG201"),
    "no id": (source(Actor(login="ana", type="User")), "", "PG201"),
    "a ghost": (source(None), "", "PG201"),
    "a bot that is not named": (source(actor("ana", type="Bot")), "", "PG203"),
    "an organization": (source(actor("ana", type="Organization")), "", "PG203"),
    "a mannequin": (source(actor("ana", type="Mannequin")), "", "PG203"),
    "an enterprise account": (source(actor("ana", type="EnterpriseUserAccount")), "", "PG203"),
    "a named bot with its id and app": (source(actor(BOT), app_id=12345), NAMED_BOT, None),
    "a named bot, other app": (source(actor(BOT), app_id=666), NAMED_BOT, "PG204"),
    "a named bot, no app": (source(actor(BOT), app_id=None), NAMED_BOT, "PG204"),
    "a named bot, other id": (source(actor(BOT, id=988), app_id=12345), NAMED_BOT, "PG204"),
    "a named bot, no id": (source(actor(BOT, id=None), app_id=12345), NAMED_BOT, "PG204"),
    "who took a named login over": (source(Actor(login="old-agent", id=6, type="User")), OLD, "PG204"),
    "a look-alike of a named login": (source(Actor(login="\u212aim", id=6, type="User")), KIM, "PG204"),
    "a named login in capitals": (source(Actor(login="KIM", id=6, type="User")), KIM, None),
    "only: a person": (source(actor("ana")), ONLY, "PG201"),
    "only: a maintainer": (source(actor("mona")), ONLY, "PG201"),
    "only: who is named": (source(actor("ben")), ONLY, None),
    "by e-mail": (source(actor("ana"), via_email=True), "", "PG206"),
    "a named bot by e-mail": (source(actor(BOT), app_id=12345, via_email=True), NAMED_BOT, "PG206"),
    "the author where named for the role":
     (source(actor("octo-dev")), "agents: {accounts: [{login: octo-dev, id: 11, roles: [judge]}]}", None),
    "a renamed author": (source(Actor(login="fresh-name", id=11, type="User")), "", "PG202"),
}  # fmt: skip


@pytest.mark.parametrize(("written", "text", "code"), SPEAKS.values(), ids=SPEAKS)
def test_may_speak(written: Source, text: str, code: str | None) -> None:
    assert spoken(written, text) == code


@pytest.mark.parametrize(("permission", "code"), [
    *(("write", None), ("maintain", None), ("admin", None)),
    *(("none", "PG201"), ("read", "PG201"), ("triage", "PG201"), (None, "PG201")),
])  # fmt: skip
def test_may_speak__with_write_permission(permission: str | None, code: str | None) -> None:
    assert spoken(source(actor("ana")), world=with_permission("ana", permission)) == code


@pytest.mark.parametrize("role", ["judge", "inspector", "auditor", "curator", "sentinel", "lens", None])
def test_may_speak__the_author_judges_nothing(role: str | None) -> None:
    assert spoken(source(actor("octo-dev")), role=role) == "PG202"


@pytest.mark.parametrize("role", ["architect", "builder", "doctor"])
def test_may_speak__the_author_makes_and_mends(role: str) -> None:
    assert spoken(source(actor("octo-dev")), role=role) is None


def test_author__is_known_even_where_no_id_is_told() -> None:
    assert spoken(source(actor("octo-dev")), world=author_without_id()) == "PG202"
    assert acted(source(actor("octo-dev")), world=author_without_id()) == "PG211"


def test_may_speak__a_bot_by_its_login_is_no_person() -> None:
    bot = source(Actor(login="helper[bot]", id=555, type="User"))
    assert spoken(bot, world=with_permission("helper[bot]", "write")) == "PG203"


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


AGENT_TOO = "agents: {accounts: [{login: mona, id: 31, app_id: 777, roles: [judge]}]}\n"
MONA = frozenset({31})

ACTS: dict[str, tuple[Source, str, frozenset[int], str | None]] = {
    "a maintainer": (source(actor("mona")), "", NOBODY, None),
    "a person with write permission": (source(actor("ben")), "", NOBODY, None),
    "a ghost": (source(None), "", NOBODY, "PG210"),
    "no id": (source(Actor(login="mona", type="User")), "", NOBODY, "PG210"),
    "a reader": (source(actor("eve")), "", NOBODY, "PG210"),
    "a bot": (source(actor("mona", type="Bot")), "", NOBODY, "PG210"),
    "a mannequin": (source(actor("mona", type="Mannequin")), "", NOBODY, "PG210"),
    "through an app": (source(actor("mona"), app_id=777), "", NOBODY, "PG210"),
    "by e-mail": (source(actor("mona"), via_email=True), "", NOBODY, "PG206"),
    "somebody of that name": (source(Actor(login="mona", id=4711, type="User")), "", NOBODY, "PG210"),
    "less than the policy's minimum": (source(actor("mona")), "humans: {minimum_permission: admin}\n", NOBODY, "PG210"),
    "the author": (source(actor("octo-dev")), "", NOBODY, "PG211"),
    "the author where allowed": (source(actor("octo-dev")), "humans: {author_may_approve: true}\n", NOBODY, None),
    "who spoke as an agent": (source(actor("mona")), "", MONA, "PG212"),
    "an agent where allowed": (source(actor("mona")), "humans: {agents_may_approve: true}\n", MONA, None),
    "the author where agents are":
     (source(actor("octo-dev")), "humans: {agents_may_approve: true}\n", frozenset({11}), "PG211"),
    "an agent by its login": (source(actor("mona")), "agents: {accounts: [{login: mona}]}\n", NOBODY, "PG212"),
    "an agent by its id": (source(actor("mona")), "agents: {accounts: [{login: other, id: 31}]}\n", NOBODY, "PG212"),
    "an agent named with its app": (source(actor("mona")), AGENT_TOO, NOBODY, "PG212"),
}  # fmt: skip


@pytest.mark.parametrize(("written", "text", "speakers", "code"), ACTS.values(), ids=ACTS)
def test_may_act(written: Source, text: str, speakers: frozenset[int], code: str | None) -> None:
    assert acted(written, text, speakers) == code
