"""What the linked issues ask for: type, QA, the quick route; and labels that come too late."""

from __future__ import annotations

import pytest

from phasegate.model.report import Route
from tests.casebook.issues import set_type
from tests.casebook.world import REPOSITORY, World, block, finding, verdict
from tests.unit.rules.parties import codes, ledger, states

QUICK = "complexity:quick"
QA_FAILED = f"## jkz:sentinel\n\nBroken.\n\n{block({'verdict': 'FAIL', 'issues': [finding('S1')]})}\n"


def route(world: World) -> Route:
    """The route that a world's issues ask for."""
    return ledger(world).route


def labelled(*labels: str) -> World:
    """A world whose issue has these labels from the beginning."""
    world = World()
    for label in labels:
        world.label(label)
    return world


@pytest.mark.parametrize(("labels", "kind", "required"), [
    ((), "feature", True),
    (("bug",), "bug", False),
    (("BUG",), "bug", False),
    (("refactor",), "refactor", False),
    (("chore",), "chore", False),
    (("chore", "bug"), "bug", False),
    (("chore", "refactor"), "refactor", False),
    (("documentation",), "feature", True),
    (("bugs",), "feature", True),
    (("not a bug",), "feature", True),
    (("b\u016bg",), "feature", True),
    (("bug ",), "feature", True),
], ids=str)  # fmt: skip
def test_route__type_by_label(labels: tuple[str, ...], kind: str, *, required: bool) -> None:
    found = route(labelled(*labels))
    assert (found.type, found.qa_required, found.quick) == (kind, required, False)


@pytest.mark.parametrize(("native", "required"), [("Bug", False), ("Feature", True), ("Task", True), (None, True)])
def test_route__type_by_githubs_own_issue_type(native: str | None, *, required: bool) -> None:
    world = World()
    if native is not None:
        set_type(world, native)
    assert route(world).qa_required is required


def test_route__of_label_and_native_type_the_strictest_counts() -> None:
    world = labelled("bug")
    world.issues[0]["type"] = "Feature"
    assert route(world).qa_required


def test_route__of_several_issues_the_strictest_counts() -> None:
    world = labelled("bug")
    world.issue(13)
    assert (route(world).qa_required, route(world).type) == (True, "feature")


def test_route__a_foreign_issue_decides_nothing() -> None:
    world = labelled("bug")
    world.issue(3, QUICK, repository="eve/elsewhere")
    found = route(world)
    assert (found.quick, found.qa_required, [issue.number for issue in found.issues]) == (False, False, [12])
    assert codes(world) == {"PG402"}


def test_route__the_repository_is_the_same_in_any_case() -> None:
    world = World()
    world.issues[0]["repository"] = REPOSITORY.upper()
    assert [issue.number for issue in route(world).issues] == [12]


def test_route__without_an_issue_it_is_the_default_type_and_a_problem() -> None:
    world = World()
    world.issues.clear()
    found = route(world)
    assert (found.type, found.qa_required, found.quick) == ("feature", True, False)
    assert [problem.code for problem in found.problems] == ["PG401"]


def test_route__without_an_issue_and_none_required_it_is_no_problem_but_as_strict() -> None:
    world = World(policy="version: 1\nissue: {required: false}\n")
    world.issues.clear()
    assert (route(world).qa_required, route(world).problems) == (True, ())


@pytest.mark.parametrize("label", [QUICK, "Complexity:Quick"])
def test_route__quick_by_label_in_any_case(label: str) -> None:
    assert route(labelled(label)).quick


@pytest.mark.parametrize("label", ["quick", "complexity: quick", "complexity:quick-ish", "complexity:qui\u212ac"])
def test_route__not_quick_by_a_label_like_it(label: str) -> None:
    assert not route(labelled(label)).quick


def test_route__quick_only_if_every_issue_is() -> None:
    world = labelled(QUICK)
    assert route(world).quick
    world.issue(13)
    assert not route(world).quick


def test_late_label__lowers_nothing_and_says_so() -> None:
    world = World()
    world.judges("sentinel", "FAIL")
    world.label("bug")
    world.label(QUICK)
    assert (route(world).qa_required, route(world).quick) == (True, False)
    assert "PG403" in codes(world)


def test_late_label__nor_does_one_of_the_same_second() -> None:
    world = World()
    said = world.judges("sentinel", "FAIL")
    world.label(QUICK)
    world.issues[0]["label_events"][-1]["at"] = said["created_at"]
    assert not route(world).quick


def test_late_label__nor_one_taken_off_and_put_on_again() -> None:
    world = labelled(QUICK)
    world.judges("sentinel", "FAIL")
    world.issues[0]["label_events"].append({"name": QUICK, "action": "removed", "at": world.tick()})
    world.issues[0]["label_events"].append({"name": QUICK, "action": "added", "at": world.tick()})
    assert not route(world).quick


def test_late_label__nor_one_whose_arrival_nobody_recorded() -> None:
    world = World()
    world.judges("sentinel", "FAIL")
    world.issues[0]["labels"] = [QUICK]
    assert not route(world).quick


def test_late_label__nor_a_native_type_set_afterwards() -> None:
    world = World()
    world.judges("sentinel", "FAIL")
    world.issues[0]["type"] = "Bug"
    assert route(world).qa_required


def test_late_label__one_that_was_there_before_is_not_late() -> None:
    world = labelled("bug")
    world.judges("sentinel", "FAIL")
    assert "PG403" not in codes(world)


@pytest.mark.parametrize("role", ["inspector", "sentinel", "lens"])
def test_route__a_fail_of_a_role_that_the_quick_route_leaves_out_ends_it(role: str) -> None:
    world = labelled(QUICK)
    world.judges("judge")
    assert states(world)[-1] == "success"
    world.judges(role, "FAIL")
    assert states(world)[-1] == "failure"


def test_late_label__a_strangers_failing_verdict_changes_nothing() -> None:
    world = World()
    world.judges("sentinel", "FAIL", who="eve")
    world.label("bug")
    assert not route(world).qa_required


def test_late_label__a_fail_edited_to_a_pass_was_still_a_fail() -> None:
    world = World()
    said = world.judges("sentinel", "FAIL")
    world.label(QUICK)
    world.edit(said, verdict("sentinel"), "ana")
    assert not route(world).quick


def test_late_label__a_fail_that_another_edited_was_still_a_fail() -> None:
    world = World()
    said = world.judges("sentinel", "FAIL")
    world.edit(said, "Never mind.", "octo-dev")
    world.label(QUICK)
    assert not route(world).quick


def test_late_label__a_malformed_fail_was_still_no_pass() -> None:
    world = World()
    world.planned()
    world.built()
    world.say("ana", QA_FAILED)
    assert states(world)[-1] == "failure"
    world.label(QUICK)
    assert states(world)[-1] != "success"


def test_late_label__goes_by_the_latest_arrival_whatever_the_order_of_events() -> None:
    world = labelled(QUICK)
    world.judges("sentinel", "FAIL")
    world.issues[0]["label_events"].insert(0, {"name": QUICK, "action": "added", "at": world.tick()})
    assert not route(world).quick


def test_late_label__where_not_all_events_are_known_no_label_was_in_time() -> None:
    world = labelled(QUICK)
    world.issues[0]["events_complete"] = False
    world.judges("sentinel", "FAIL")
    assert not route(world).quick


def test_lowering__a_label_that_names_no_type_may_be_taken_off_by_anybody() -> None:
    world = labelled("feature", "bug")
    world.unlabel("feature", by="octo-dev")
    assert not route(world).qa_required
    assert codes(world) == set()


def test_lowering__says_why() -> None:
    world = World()
    world.label("bug", by="eve")
    (told,) = route(world).problems
    assert told.message == (
        '"bug" of #12 was set by eve, who has read permission, but triage is needed, so it does not count'
    )
