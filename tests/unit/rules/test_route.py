"""What the linked issues ask for: type, QA, the quick route; and labels that come too late."""

from __future__ import annotations

import pytest

from phasegate.model.report import Route
from tests.casebook.issues import set_type
from tests.casebook.world import REPOSITORY, World, block, finding, verdict
from tests.unit.rules.parties import codes, edits, ledger, state

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
    ((), "feature", True), (("bug",), "bug", False), (("BUG",), "bug", False), (("refactor",), "refactor", False),
    (("chore",), "chore", False), (("chore", "bug"), "bug", False),
    (("chore", "refactor"), "refactor", False),
    (("documentation",), "feature", True), (("bugs",), "feature", True), (("not a bug",), "feature", True),
    (("b\u016bg",), "feature", True), (("bug ",), "feature", True),
], ids=str)  # fmt: skip
def test_route__type_by_label(labels: tuple[str, ...], kind: str, *, required: bool) -> None:
    found = route(labelled(*labels))
    assert (found.type, found.qa_required, found.quick) == (kind, required, False)


def typed(name: str, world: World) -> World:
    """The issue has one of GitHub's own types, and nobody knows since when."""
    world.issues[0]["type"] = name
    return world


def set_late(name: str) -> World:
    """GitHub's own type, set by somebody who may."""
    world = World()
    set_type(world, name)
    return world


def with_issue(world: World, *labels: str) -> World:
    """One more linked issue, with these labels."""
    world.issue(13, *labels)
    return world


QA_REQUIRED: dict[str, tuple[World, bool]] = {
    "type Bug": (set_late("Bug"), False),
    "type Feature": (set_late("Feature"), True),
    "type Task": (set_late("Task"), True),
    "no type": (World(), True),
    "of label and type the strictest": (typed("Feature", labelled("bug")), True),
    "a type set after a FAIL": (typed("Bug", World().failed_by("sentinel")), True),
    "a stranger's FAIL changes nothing": (World().failed_by("sentinel", "eve").label("bug"), False),
    "no issue, and none required": (World(policy="version: 1\nissue: {required: false}\n").without_issues(), True),
}  # fmt: skip


@pytest.mark.parametrize(("world", "required"), QA_REQUIRED.values(), ids=QA_REQUIRED)
def test_route__qa(world: World, required: bool) -> None:  # noqa: FBT001
    assert route(world).qa_required is required


def label_in_the_second_of_the_fail(world: World) -> None:
    """The label arrives in the second of the last comment."""
    world.label(QUICK)
    world.issues[0]["label_events"][-1]["at"] = world.comments[-1]["created_at"]


def label_without_an_event(world: World) -> None:
    """The label is there, and nobody recorded when it came."""
    world.issues[0]["labels"] = [QUICK]


def an_older_event_is_told_later(world: World) -> None:
    """The events of labels are not in order."""
    world.issues[0]["label_events"].insert(0, {"name": QUICK, "action": "added", "at": world.tick()})


def not_all_events(world: World) -> None:
    """Not all events of labels are known."""
    world.issues[0]["events_complete"] = False


def again(world: World) -> None:
    """The label is taken off and put on, by nobody who is known."""
    events = world.issues[0]["label_events"]
    events += [{"name": QUICK, "action": action, "at": world.tick()} for action in ("removed", "added")]


IS_QUICK: dict[str, tuple[World, bool]] = {
    "by label": (labelled(QUICK), True),
    "in any case": (labelled("Complexity:Quick"), True),
    **{f"not {label!r}": (labelled(label), False)
       for label in ("quick", "complexity: quick", "complexity:quick-ish", "complexity:qui\u212ac")},
    "only if every issue is": (with_issue(labelled(QUICK)), False),
    "late": (World().failed_by("sentinel").label(QUICK), False),
    "in the second of a FAIL": (World().failed_by("sentinel").then(label_in_the_second_of_the_fail), False),
    "taken off and put on again": (labelled(QUICK).failed_by("sentinel").then(again), False),
    "nobody recorded its arrival": (World().failed_by("sentinel").then(label_without_an_event), False),
    "the latest arrival, whatever the order":
     (labelled(QUICK).failed_by("sentinel").then(an_older_event_is_told_later), False),
    "not all events are known": (labelled(QUICK).then(not_all_events).failed_by("sentinel"), False),
    "a FAIL edited to a PASS": (World().failed_by("sentinel").label(QUICK).then(edits, verdict("sentinel")), False),
    "a FAIL that another edited":
     (World().failed_by("sentinel").then(edits, "Never mind.", "octo-dev").label(QUICK), False),
}  # fmt: skip


@pytest.mark.parametrize(("world", "quick"), IS_QUICK.values(), ids=IS_QUICK)
def test_route__quick(world: World, quick: bool) -> None:  # noqa: FBT001
    assert route(world).quick is quick


def test_route__of_several_issues_the_strictest_counts() -> None:
    found = route(with_issue(labelled("bug")))
    assert (found.qa_required, found.type) == (True, "feature")


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
    found = route(World().without_issues())
    assert (found.type, found.qa_required, found.quick) == ("feature", True, False)
    assert [problem.code for problem in found.problems] == ["PG401"]


def test_late_label__lowers_nothing_and_says_so() -> None:
    world = World().failed_by("sentinel").label("bug").label(QUICK)
    assert (route(world).qa_required, route(world).quick) == (True, False)
    assert "PG403" in codes(world)
    assert "PG403" not in codes(labelled("bug").failed_by("sentinel"))


@pytest.mark.parametrize("role", ["inspector", "sentinel", "lens"])
def test_route__a_fail_of_a_role_that_the_quick_route_leaves_out_ends_it(role: str) -> None:
    assert state(labelled(QUICK).passed_by("judge").failed_by(role), "all") == "failure"


def test_late_label__a_malformed_fail_was_still_no_pass() -> None:
    world = World().planned().built().says("ana", QA_FAILED)
    assert state(world, "all") == "failure"
    assert state(world.label(QUICK), "all") != "success"


def test_lowering__a_label_that_names_no_type_may_be_taken_off_by_anybody() -> None:
    world = labelled("feature", "bug").unlabel("feature", by="octo-dev")
    assert (route(world).qa_required, codes(world)) == (False, set())


def test_lowering__says_why() -> None:
    (told,) = route(World().label("bug", by="eve")).problems
    assert told.message == (
        '"bug" of #12 was set by eve, who has read permission, but triage is needed, so it does not count'
    )
