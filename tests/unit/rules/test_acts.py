"""Human acts: which commands count, and for which content."""

from __future__ import annotations

import pytest

from phasegate.model.signal import Act
from tests.casebook.world import PEOPLE, World, block, commit, verdict
from tests.unit.rules.parties import codes, edits, human_need, ledger, state, states

APPROVED = "/gate approve qa"
QUOTE = "Is this right?\n\n> " + block('{"verdict": "PASS", "issues": []}').replace("\n", "\n> ")


def act(world: World) -> Act:
    """The one act of a world."""
    (found,) = ledger(world).acts
    return found


def ready() -> World:
    """A world in which only the approval of QA is missing."""
    return World().unapproved()


def refused(world: World) -> set[str]:
    """The codes of a world that is not approved."""
    assert states(world)[2:] == ("pending", "pending")
    assert human_need(world, "qa").state.value == "waiting"
    return codes(world)


def test_acts__an_approval_counts_for_the_content_of_its_time() -> None:
    world = World().says("mona", APPROVED).push("b")
    found = act(world)
    assert (found.counts, found.content) == (True, ledger(world).timeline.content(commit("a")))


def test_acts__an_approval_of_a_plan_counts_for_the_plans_text() -> None:
    world = World()
    said = world.say("ana", "## jkz:architect\n\nThe plan.\n", on=12)
    plan = act(world.says("mona", "/gate approve plan", on=12)).content
    assert plan == ledger(world).plans.current(12)
    world.edit(said, "## jkz:architect\n\nAnother plan.\n", "ana")
    assert act(world).content == plan != ledger(world).plans.current(12)


def test_acts__where_the_log_does_not_tell_the_head_an_approval_names_its_commit() -> None:
    world = ready().unlogged().gated().says("mona", APPROVED)
    assert refused(world) == {"PG305"}
    assert ledger(world.says("mona", f"/gate approve qa {commit('a')[:7]}")).acts[-1].counts


def test_acts__an_approval_is_for_the_commit_that_it_names() -> None:
    world = ready().push("b").says("mona", f"/gate approve qa {commit('a')}")
    given = ledger(world).acts[-1]
    assert given.counts
    assert given.content != ledger(world).timeline.current


def test_acts__what_its_author_withdraws_is_taken_back() -> None:
    world = ready().says("mona", APPROVED)
    for who, command, expected in (
        *(("ben", "withdraw", "success"), ("mona", "withdraw", "pending")),
        ("mona", "approve", "success"),
    ):
        assert state(world.says(who, f"/gate {command} qa"), "all") == expected


REFUSED: dict[str, tuple[World, set[str]]] = {
    "names no commit": (ready().says("mona", "/gate approve qa 0000000").push("b"), {"PG301"}),
    "names a commit that was not the head yet":
     (ready().says("mona", f"{APPROVED} {commit('b')[:9]}").push("b"), {"PG301"}),
    "written in by somebody else":
     (ready().says("mona", "I shall look at it tomorrow.").then(edits, APPROVED, "octo-dev"), {"PG205"}),
    "by a stranger": (ready().says("eve", APPROVED), {"PG210"}),
    "by a bot": (ready().permits("helper[bot]", "admin").says("helper[bot]", APPROVED), {"PG210"}),
    "by the author": (ready().says("octo-dev", APPROVED), {"PG211"}),
    "by an agent": (ready().says("ana", APPROVED), {"PG212"}),
}  # fmt: skip


@pytest.mark.parametrize(("world", "expected"), REFUSED.values(), ids=REFUSED)
def test_acts__are_refused(world: World, expected: set[str]) -> None:
    assert refused(world) == expected


@pytest.mark.parametrize(("text", "on", "code"), [
    ("/gate approve test", {}, "PG213"),
    ("/gate approve plan", {}, "PG209"),
    ("/gate approve qa", {"on": 12}, "PG209"),
    ("/gate approve", {}, "PG214"), ("/gate aprove qa", {}, "PG214"), ("/gate resume qa", {}, "PG215"),
    ("/gate override qa:", {}, None),
])  # fmt: skip
def test_acts__what_does_not_fit_says_why(text: str, on: dict[str, int], code: str | None) -> None:
    world = ready().says("mona", text, **on)
    assert not ledger(world).acts[-1].counts
    assert {code} - {None} <= refused(world)


def judged_by_mona(text: str, outcome: str) -> World:
    """Mona's comment for the Judge, as a run recorded it."""
    world = World()
    return world.on_record(world.say("mona", f"## jkz:judge\n\n{text}\n"), outcome=outcome, who="mona")


def unreadable_fail(*, deleted: bool) -> World:
    """A FAIL of mona's on record, deleted or edited without a history."""
    world = judged_by_mona("FAIL", "FAIL").says("mona", APPROVED)
    said = world.comments[0]
    if deleted:
        return world.delete(said, "mona")
    said |= {"edited_at": world.tick(), "editor": PEOPLE["mona"]}
    return world


COUNTS: dict[str, tuple[World, bool]] = {
    "an agent that spoke only on the issue":
     (World().says("mona", "## jkz:architect\n\nThe plan.\n", on=12).says("mona", APPROVED), False),
    "a badly formed word makes nobody an agent":
     (judged_by_mona("Looks good.", "invalid").says("mona", APPROVED), True),
    "nor does one that failed": (judged_by_mona("This must FAIL.", "FAIL").says("mona", APPROVED), True),
    "a fail that was edited into a badly formed one was said":
     (World().failed_by("judge", "mona").then(edits, "## jkz:judge\n\nFAIL\n", "mona").says("mona", APPROVED), False),
    "a fail on record was deleted": (unreadable_fail(deleted=True), False),
    "a fail on record cannot be read": (unreadable_fail(deleted=False), False),
    "an agent that spoke after the approval": (ready().says("mona", APPROVED).passed_by("judge", who="mona"), False),
    "a verdict and a command in one comment": (World().says("mona", f"{APPROVED}\n\n" + verdict("judge")), False),
}  # fmt: skip


@pytest.mark.parametrize(("world", "counts"), COUNTS.values(), ids=COUNTS)
def test_acts__count_unless_an_agent_gave_them(world: World, counts: bool) -> None:  # noqa: FBT001
    given = ledger(world).acts[-1]
    assert given.counts is counts
    assert counts or "PG212" in codes(world)


def hidden_past(world: World) -> None:
    """An approval edited in, with a revision that is not there."""
    world.say("mona", "Hm.")
    edits(world, "Hm!", "mona")
    edits(world, APPROVED, "mona")
    said = world.comments[-1]
    said |= {"history": [said["history"][0], said["history"][-1]], "history_complete": False}


APPROVALS: dict[str, tuple[World, str]] = {
    "by a person who only quoted an agent": (ready().says("mona", QUOTE).says("mona", APPROVED), "success"),
    "taken back by an edit":
     (ready().says("mona", APPROVED).then(edits, "I have changed my mind.", "mona"), "pending"),
    "written in by its author, from the edit on":
     (ready().says("mona", "Looking.").then(edits, APPROVED, "mona"), "success"),
    "edited, its past not known": (ready().then(hidden_past), "pending"),
    "a review": (ready().reviewed("mona", APPROVED, state="APPROVED"), "success"),
    "a review that was not given": (ready().reviewed("mona", APPROVED, state="PENDING"), "pending"),
}  # fmt: skip


@pytest.mark.parametrize(("world", "expected"), APPROVALS.values(), ids=APPROVALS)
def test_approval(world: World, expected: str) -> None:
    assert state(world, "all") == expected


def test_acts__several_lines_are_several_commands() -> None:
    acts = ledger(World().says("mona", "/gate approve qa\n/gate approve build\n")).acts
    assert [item.command.phase for item in acts] == ["qa", "build"]


def test_acts__on_a_foreign_issue_are_not_even_read() -> None:
    world = World()
    world.issue(3, repository="eve/elsewhere")
    assert ledger(world.says("mona", "/gate approve plan", on=3)).acts == ()


def test_acts__are_in_order_of_time() -> None:
    world = World()
    first = world.say("mona", APPROVED)
    second = world.say("ben", "/gate approve build")
    first["created_at"], second["created_at"] = second["created_at"], first["created_at"]
    assert [item.command.phase for item in ledger(world).acts] == ["build", "qa"]


def test_acts__no_override_where_the_policy_forbids_it() -> None:
    world = World(policy="version: 1\noverrides: false\n").says("mona", "/gate override build: the cluster is down")
    assert (act(world).counts, state(world, "build")) == (False, "pending")


def test_acts__no_override_by_the_author_or_an_agent() -> None:
    world = World().failed_by("judge")
    for who in ("octo-dev", "ana", "eve"):
        world.say(who, "/gate override build: trust me")
    assert state(world, "build") == "failure"
