"""The phases in their order, and the state that follows from what they need."""

from __future__ import annotations

import pytest

from phasegate.model.report import NoteKind, State, Why
from phasegate.report.status import withheld_text
from phasegate.report.wording import need_text, phase_note
from phasegate.rules.phases import worst
from tests.casebook.world import World, commit, verdict
from tests.unit.rules.parties import codes, decided, edits, phase, state, states, todo

QUICK = "complexity:quick"
WEB = 'version: 1\nphases: {qa: {paths: ["web/**"]}}\n'


def note(world: World, name: str) -> str:
    """What a phase says of itself."""
    return phase_note(phase(world, name), decided(world))


def quick() -> World:
    """A world on the quick route."""
    return World().label(QUICK)


def bug() -> World:
    """A bug with a plan: QA is optional."""
    return World().label("bug").planned()


@pytest.mark.parametrize(("found", "expected"), [
    ([State.SUCCESS, State.SUCCESS], State.SUCCESS),
    ([State.SUCCESS, State.PENDING], State.PENDING),
    ([State.PENDING, State.FAILURE], State.FAILURE),
    ([State.FAILURE, State.ERROR], State.ERROR),
    ([], State.ERROR),
])  # fmt: skip
def test_worst__error_before_failure_before_pending_before_success(found: list[State], expected: State) -> None:
    assert worst(iter(found)) is expected
    assert worst(iter(found[::-1])) is expected


def deletes_a_fail(world: World) -> None:
    """Ana deletes a comment that failed the Judge's seat."""
    ana = world.comments[0]["author"]
    world.changes["deleted_comments"] = [{"at": world.tick(), "actor": ana, "author": ana}]
    seen = {"source": "comment-999", "role": "judge", "outcome": "FAIL", "at": world.tick(), "phase": "build"}
    world.changes["record"] = {"signals": [{**seen, "commit": commit("a"), "account": ana["id"]}]}


def fails_in_the_second_of_the_plan(world: World) -> None:
    """The Judge fails it in the second of the first comment."""
    world.say("ana", verdict("judge", "FAIL"))["created_at"] = world.comments[0]["created_at"]


def failed_one_of_two_plans(world: World) -> None:
    """The first plan of one of two issues failed, which is on record."""
    world.issue(13)
    world.say("ana", "## jkz:architect\n\nThe first plan.\n", on=12)
    failed = world.say("ana", verdict("auditor", "FAIL"), on=12)
    world.planned(12).planned(13)
    seen = {"source": f"comment-{failed['id']}", "role": "auditor", "outcome": "FAIL", "at": failed["created_at"]}
    world.changes["record"] = {"signals": [{**seen, "phase": "plan"}]}


STATES: dict[str, tuple[World, str, str]] = {
    "nothing was said": (World(), "all", "pending"),
    "a later phase fails though an earlier one waits": (World().failed_by("judge"), "build", "failure"),
    "quick: still needs a judge": (quick().passed_by("judge", who="eve"), "all", "pending"),
    "quick: not the author": (quick().passed_by("judge", who="octo-dev"), "all", "pending"),
    "quick: not a bot": (quick().passed_by("judge", who="helper[bot]"), "all", "pending"),
    "quick: a stale judge is not enough": (quick().passed_by("judge").push("b"), "all", "pending"),
    "optional QA: once run it must be finished": (bug().built().passed_by("sentinel"), "qa", "pending"),
    "optional QA: an invalid word of it fails":
     (bug().built().says("ana", "## jkz:lens\n\nLooks good.\n"), "qa", "failure"),
    "optional QA: a tampered word of it fails even when stale":
     (bug().passed_by("sentinel").then(edits, "Never mind.", "octo-dev").push("b").built(), "qa", "failure"),
    "optional QA: a stranger's word does not start it": (bug().built().failed_by("sentinel", "eve"), "all", "success"),
    "paths: a renamed file counts at both its names":
     (World(policy=WEB).planned().built()
      .touches({"path": "src/a.css", "previous_path": "web/a.css", "status": "renamed"}), "qa", "pending"),
    "paths: a deleted file counts":
     (World(policy=WEB).planned().built().touches({"path": "web/a.css", "status": "removed"}), "qa", "pending"),
    "a fail on record of one issue is not deleted on another":
     (World().then(failed_one_of_two_plans), "plan", "success"),
    "two verdicts of one second are both heard":
     (World().green().then(fails_in_the_second_of_the_plan), "all", "failure"),
}  # fmt: skip


@pytest.mark.parametrize(("world", "where", "expected"), STATES.values(), ids=STATES)
def test_state(world: World, where: str, expected: str) -> None:
    assert state(world, where) == expected


def deletes_the_revision(world: World, who: str) -> None:
    """A FAIL is edited away, and the revision that held it deleted."""
    said = world.judges("judge", "FAIL")
    world.edit(said, "Never mind.", who)
    said["history"][0] |= {"text": None, "deleted_at": world.tick(), "deleted_by": said["editor"]}


NO_SUCCESS = {
    "a fail that cannot be bound is not the same as not run":
     bug().passed_by("judge", "inspector", commit=commit("a")).failed_by("sentinel").unlogged(),
    "a deleted fail does not bring an older pass back": World().green().then(deletes_a_fail),
    "a fail edited away, its revision deleted": World().planned().built().then(deletes_the_revision, "ana").tested(),
    "the same by another": World().planned().built().then(deletes_the_revision, "octo-dev").tested(),
    "quick: nothing is judged where build is off":
     World(policy="version: 1\nphases: {build: {enabled: false}}\n").label(QUICK),
    "quick: nothing is judged by no roles":
     World(policy="version: 1\nphases: {build: {quick_roles: []}}\n").label(QUICK),
}  # fmt: skip


@pytest.mark.parametrize("world", NO_SUCCESS.values(), ids=NO_SUCCESS)
def test_state__no_success(world: World) -> None:
    assert states(world)[-1] != "success"


def test_phases__are_sequential() -> None:
    (found,) = [need for need in phase(World().built().tested(), "build").needs if need.why is Why.EARLIER_PHASE]
    assert need_text(found) == "Waiting for Plan"


def test_phases__contexts_are_named_as_branch_protection_knows_them() -> None:
    report = decided(World())
    assert [item.context for item in report.phases] == ["phase-gate/plan", "phase-gate/build", "phase-gate/qa"]
    assert report.context == "phase-gate"


def test_quick__needs_the_judge_alone() -> None:
    world = quick()
    assert states(world) == ("success", "pending", "success", "pending")
    assert states(world.passed_by("judge"))[-1] == "success"
    assert note(world, "plan") == "Skipped on the quick route of #12"


def test_optional__not_run_is_success_that_says_so_once_build_is_green() -> None:
    world = bug()
    assert state(world, "qa") == "pending"
    assert state(world.built(), "qa") == "success"
    assert note(world, "qa").startswith("Optional (")
    assert note(world, "qa").endswith("not run")


def test_issues__each_needs_its_plan_but_the_quick_ones() -> None:
    world = World()
    world.issue(13)
    world.issue(14, QUICK)
    waiting = [need.name for need in phase(world.planned(12), "plan").needs if need.state.value == "waiting"]
    assert waiting[0] == "#13"
    assert "#14" not in waiting


def test_issues__none_is_pending_and_says_what_to_do() -> None:
    world = World().without_issues().built().tested()
    assert phase(world, "plan").needs[0].why is Why.MISSING
    assert "Closes #N" in todo(world, "plan", "issue")


def test_off__a_phase_turned_off_is_green_and_says_why() -> None:
    world = World(policy="version: 1\nphases: {plan: {enabled: false}}\n")
    assert (state(world, "plan"), note(world, "plan")) == ("success", "Turned off by the policy")


def test_paths__a_phase_whose_paths_did_not_change_says_so() -> None:
    world = World(policy=WEB)
    assert [item.kind for item in phase(world, "qa").notes] == [NoteKind.NO_PATHS]
    assert note(world, "qa") == "No changed file is among the paths of this phase"


def test_siblings__withhold_the_success_and_are_named() -> None:
    world = World().green()
    sibling = {"number": 8, "url": "https://github.com/octo/shop/pull/8", "base": "release"}
    world.changes["siblings"] = [sibling]
    report = decided(world)
    assert (report.siblings, "#8" in withheld_text(report), codes(world)) == ((8,), True, {"PG406"})
    world.changes["siblings"] = [{**sibling, "number": 7}]
    assert states(world)[-1] == "success"
