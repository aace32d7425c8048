"""The plan of an issue: which text it is now, and which it was when somebody judged or approved it."""

from __future__ import annotations

import pytest

from phasegate.model.codec import text_digest
from phasegate.rules.binding import Plans
from tests.casebook.world import World, verdict
from tests.unit.rules.parties import edits, ledger, need, state

FIRST, SECOND = "## jkz:architect\n\nThe first plan.\n", "## jkz:architect\n\nThe second plan.\n"


def plans(world: World) -> Plans:
    """The plans of a world."""
    return ledger(world).plans


def planned(*texts: str, who: str = "ana") -> World:
    """A world in which this was said on the issue."""
    world = World()
    for text in texts:
        world.say(who, text, on=12)
    return world


def edited_plan(text: str, who: str) -> World:
    """A plan that passed and was edited afterwards."""
    world = World().planned()
    return world.edit(world.issues[0]["comments"][0], text, who)


CURRENT: dict[str, tuple[World, str | None]] = {
    "the latest": (planned(FIRST, SECOND), SECOND),
    "by the author of the pull request: planning is not judging": (planned(FIRST, who="octo-dev"), FIRST),
    "by a stranger": (planned(FIRST, who="eve"), None),
    "by a bot": (planned(FIRST, who="helper[bot]"), None),
    "without a heading": (planned("A plan without a heading."), None),
    "with another heading": (planned("## Plan\n\nStep 1.\n"), None),
    "a quotation": (planned("> ## jkz:architect\n>\n> Step 1."), None),
}  # fmt: skip


@pytest.mark.parametrize(("world", "text"), CURRENT.values(), ids=CURRENT)
def test_current(world: World, text: str | None) -> None:
    assert plans(world).current(12) == (text and text_digest(text))


def test_current__an_edited_plan_is_a_new_text() -> None:
    world = planned(FIRST)
    between = world.tick()
    edits(world, SECOND)
    assert plans(world).current(12) == text_digest(SECOND)
    assert plans(world).at(12, between) == text_digest(FIRST)
    assert plans(world).at(12, world.tick()) == text_digest(SECOND)


def test_current__an_old_plan_edited_after_a_newer_one_is_the_latest() -> None:
    world, changed = planned(FIRST, SECOND), FIRST + "\nAnd a back door.\n"
    world.edit(world.issues[0]["comments"][0], changed, "ana")
    assert plans(world).current(12) == text_digest(changed)


def test_at__a_plan_of_the_same_second_counts_as_the_later() -> None:
    world = planned(FIRST)
    assert plans(world).at(12, world.issues[0]["comments"][0]["created_at"]) is None


def test_plans__each_issue_has_its_own() -> None:
    world = planned(FIRST)
    world.issue(13)
    found = plans(world.says("ana", SECOND, on=13))
    assert [found.current(number) for number in (12, 13, 14)] == [text_digest(FIRST), text_digest(SECOND), None]


def test_plans__on_the_pull_request_are_none() -> None:
    assert plans(World().says("ana", FIRST)).votes == ()


def verdicts_before_the_plan() -> World:
    """Everything is there for the plan, and the plan comes last but one."""
    world = planned(verdict("auditor"), verdict("curator"), FIRST)
    return world.says("mona", "/gate approve plan", on=12)


def posted_again() -> World:
    """The plan that passed is posted a second time."""
    world = World().planned()
    return world.says("ana", world.issues[0]["comments"][0]["text"], on=12)


STATES: dict[str, tuple[World, str]] = {
    "a stranger's plan does not make verdicts stale": (World().planned().says("eve", SECOND, on=12), "success"),
    "edited out of its comment it is invalid, not gone": (edited_plan("Never mind.", "ana"), "failure"),
    "tampered with": (edited_plan(SECOND, "octo-dev"), "failure"),
    "a new plan takes the place of a tampered one": (edited_plan(SECOND, "octo-dev").planned(), "success"),
    "the same text posted again keeps its verdicts": (posted_again(), "success"),
    "a verdict before the plan judged nothing": (verdicts_before_the_plan(), "pending"),
}  # fmt: skip


@pytest.mark.parametrize(("world", "expected"), STATES.values(), ids=STATES)
def test_state(world: World, expected: str) -> None:
    assert state(world, "plan") == expected


@pytest.mark.parametrize("world", [edited_plan("Never mind.", "ana"), planned("## jkz:architect\n")])
def test_need__what_is_no_plan_fails(world: World) -> None:
    assert need(world, "plan", "#12").state.value == "failed"
