"""The phases in their order, and the state that follows from what they need."""

from __future__ import annotations

import pytest

from phasegate.model.report import NoteKind, State, Why
from phasegate.report.status import withheld_text
from phasegate.report.wording import need_text, phase_note
from phasegate.rules.phases import worst
from tests.casebook.world import World, commit, verdict
from tests.unit.rules.parties import codes, decided, phase, states, todo

QUICK = "complexity:quick"


def note(world: World, name: str) -> str:
    """What a phase says of itself."""
    return phase_note(phase(world, name), decided(world))


def green() -> World:
    """A world that passes."""
    world = World()
    world.planned()
    world.built()
    world.tested()
    return world


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


def test_phases__all_green() -> None:
    assert states(green()) == ("success", "success", "success", "success")


def test_phases__are_sequential() -> None:
    world = World()
    world.built()
    world.tested()
    assert states(world) == ("pending", "pending", "pending", "pending")
    (found,) = [need for need in phase(world, "build").needs if need.why is Why.EARLIER_PHASE]
    assert need_text(found) == "Waiting for Plan"


def test_phases__a_failing_later_phase_fails_though_an_earlier_one_waits() -> None:
    world = World()
    world.judges("judge", "FAIL")
    assert states(world)[:2] == ("pending", "failure")


def test_phases__contexts_are_named_as_branch_protection_knows_them() -> None:
    report = decided(World())
    assert [item.context for item in report.phases] == ["phase-gate/plan", "phase-gate/build", "phase-gate/qa"]
    assert report.context == "phase-gate"


def test_phases__nothing_at_all_was_said() -> None:
    assert states(World()) == ("pending", "pending", "pending", "pending")


def test_quick__needs_the_judge_alone() -> None:
    world = World()
    world.label(QUICK)
    assert states(world) == ("success", "pending", "success", "pending")
    world.judges("judge")
    assert states(world)[-1] == "success"
    assert note(world, "plan") == "Skipped on the quick route of #12"


@pytest.mark.parametrize("who", ["eve", "octo-dev", "helper[bot]"])
def test_quick__still_needs_a_judge_who_may_speak(who: str) -> None:
    world = World()
    world.label(QUICK)
    world.judges("judge", who=who)
    assert states(world)[-1] == "pending"


def test_quick__a_stale_judge_is_not_enough() -> None:
    world = World()
    world.label(QUICK)
    world.judges("judge")
    world.push("b")
    assert states(world)[-1] == "pending"


def test_optional__not_run_is_success_that_says_so_once_build_is_green() -> None:
    world = World()
    world.label("bug")
    world.planned()
    assert states(world)[2] == "pending"
    world.built()
    assert states(world)[2] == "success"
    assert note(world, "qa").startswith("Optional (")
    assert note(world, "qa").endswith("not run")


@pytest.mark.parametrize("outcome", ["PASS", "FAIL"])
def test_optional__once_run_it_must_be_finished(outcome: str) -> None:
    world = World()
    world.label("bug")
    world.planned()
    world.built()
    world.judges("sentinel", outcome)
    assert states(world)[2] == ("failure" if outcome == "FAIL" else "pending")


def test_optional__an_invalid_word_of_it_fails() -> None:
    world = World()
    world.label("bug")
    world.planned()
    world.built()
    world.say("ana", "## jkz:lens\n\nLooks good.\n")
    assert states(world)[2] == "failure"


def test_optional__a_tampered_word_of_it_fails_even_when_stale() -> None:
    world = World()
    world.label("bug")
    world.planned()
    said = world.judges("sentinel")
    world.edit(said, "Never mind.", "octo-dev")
    world.push("b")
    world.built()
    assert states(world)[2] == "failure"


def test_optional__a_strangers_word_does_not_start_it() -> None:
    world = World()
    world.label("bug")
    world.planned()
    world.built()
    world.judges("sentinel", "FAIL", who="eve")
    assert states(world)[-1] == "success"


def test_optional__a_fail_that_cannot_be_bound_is_not_the_same_as_not_run() -> None:
    world = World()
    world.label("bug")
    world.planned()
    for role in ("judge", "inspector"):
        world.judges(role, commit=commit("a"))
    world.judges("sentinel", "FAIL")
    world.changes["ref_log"] = {"source": "none", "complete": False}
    assert states(world)[-1] != "success"


def test_issues__each_needs_its_plan_but_the_quick_ones() -> None:
    world = World()
    world.issue(13)
    world.issue(14, QUICK)
    world.planned(12)
    waiting = [need.name for need in phase(world, "plan").needs if need.state.value == "waiting"]
    assert waiting[0] == "#13"
    assert "#14" not in waiting


def test_issues__none_is_pending_and_says_what_to_do() -> None:
    world = World()
    world.issues.clear()
    world.built()
    world.tested()
    assert states(world)[-1] == "pending"
    assert phase(world, "plan").needs[0].why is Why.MISSING
    assert "Closes #N" in todo(world, "plan", "issue")


def test_off__a_phase_turned_off_is_green_and_says_why() -> None:
    world = World(policy="version: 1\nphases: {plan: {enabled: false}}\n")
    assert (phase(world, "plan").state.value, note(world, "plan")) == ("success", "Turned off by the policy")


def test_paths__a_renamed_file_counts_at_both_its_names() -> None:
    world = World(policy='version: 1\nphases: {qa: {paths: ["web/**"]}}\n')
    world.planned()
    world.built()
    world.changes["files"] = {"entries": [{"path": "src/a.css", "previous_path": "web/a.css", "status": "renamed"}]}
    assert states(world)[2] == "pending"


def test_paths__a_deleted_file_counts() -> None:
    world = World(policy='version: 1\nphases: {qa: {paths: ["web/**"]}}\n')
    world.planned()
    world.built()
    world.changes["files"] = {"entries": [{"path": "web/a.css", "status": "removed"}]}
    assert states(world)[2] == "pending"


def test_paths__a_phase_whose_paths_did_not_change_says_so() -> None:
    world = World(policy='version: 1\nphases: {qa: {paths: ["web/**"]}}\n')
    assert [item.kind for item in phase(world, "qa").notes] == [NoteKind.NO_PATHS]
    assert note(world, "qa") == "No changed file is among the paths of this phase"


@pytest.mark.parametrize("text", ["build: {enabled: false}", "build: {quick_roles: []}"])
def test_phases__a_route_on_which_nothing_is_judged_is_no_success(text: str) -> None:
    world = World(policy=f"version: 1\nphases: {{{text}}}\n")
    world.label(QUICK)
    assert states(world)[-1] != "success"


def test_siblings__withhold_the_success_and_are_named() -> None:
    world = green()
    sibling = {"number": 8, "url": "https://github.com/octo/shop/pull/8", "base": "release"}
    world.changes["siblings"] = [sibling]
    report = decided(world)
    assert (report.state.value, codes(world)) == ("pending", {"PG406"})
    assert report.siblings == (8,)
    assert "#8" in withheld_text(report)
    world.changes["siblings"] = [{**sibling, "number": 7}]
    assert states(world)[-1] == "success"


def test_phases__a_deleted_fail_does_not_bring_an_older_pass_back() -> None:
    world = green()
    ana = world.comments[0]["author"]
    world.changes["deleted_comments"] = [{"at": world.tick(), "actor": ana, "author": ana}]
    seen = {"source": "comment-999", "role": "judge", "outcome": "FAIL", "at": world.tick(), "phase": "build"}
    world.changes["record"] = {"signals": [{**seen, "commit": commit("a"), "account": ana["id"]}]}
    assert states(world)[-1] != "success"


def test_phases__a_fail_on_record_of_one_issue_is_not_deleted_on_another() -> None:
    world = World()
    world.issue(13)
    world.say("ana", "## jkz:architect\n\nThe first plan.\n", on=12)
    failed = world.say("ana", verdict("auditor", "FAIL"), on=12)
    world.planned(12)
    world.planned(13)
    seen = {"source": f"comment-{failed['id']}", "role": "auditor", "outcome": "FAIL", "at": failed["created_at"]}
    world.changes["record"] = {"signals": [{**seen, "phase": "plan"}]}
    assert states(world)[0] == "success"


@pytest.mark.parametrize("who", ["ana", "octo-dev"])
def test_phases__a_fail_edited_away_with_its_revision_deleted_blocks(who: str) -> None:
    world = World()
    world.planned()
    world.built()
    said = world.judges("judge", "FAIL")
    world.edit(said, "Never mind.", who)
    editor = said["editor"]
    said["history"][0] |= {"text": None, "deleted_at": world.tick(), "deleted_by": editor}
    world.tested()
    assert states(world)[-1] != "success"


def test_phases__two_verdicts_in_two_comments_of_one_second_are_both_heard() -> None:
    world = green()
    world.say("ana", verdict("judge", "FAIL"))["created_at"] = world.comments[0]["created_at"]
    assert states(world)[-1] == "failure"
