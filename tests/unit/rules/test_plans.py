"""The plan of an issue: which text it is now, and which it was when somebody judged or approved it."""

from __future__ import annotations

import pytest

from phasegate.model.codec import text_digest
from phasegate.rules.binding import Plans
from tests.casebook.world import World, verdict
from tests.unit.rules.parties import ledger, need, states

FIRST, SECOND = "## jkz:architect\n\nThe first plan.\n", "## jkz:architect\n\nThe second plan.\n"


def plans(world: World) -> Plans:
    """The plans of a world."""
    return ledger(world).plans


def test_current__is_the_text_of_the_latest_plan() -> None:
    world = World()
    world.say("ana", FIRST, on=12)
    world.say("ana", SECOND, on=12)
    assert plans(world).current(12) == text_digest(SECOND)


def test_current__an_edited_plan_is_a_new_text() -> None:
    world = World()
    said = world.say("ana", FIRST, on=12)
    between = world.tick()
    world.edit(said, SECOND, "ana")
    assert plans(world).current(12) == text_digest(SECOND)
    assert plans(world).at(12, between) == text_digest(FIRST)
    assert plans(world).at(12, world.tick()) == text_digest(SECOND)


def test_current__an_old_plan_edited_after_a_newer_one_is_the_latest() -> None:
    world = World()
    old = world.say("ana", FIRST, on=12)
    world.say("ana", SECOND, on=12)
    world.edit(old, FIRST + "\nAnd a back door.\n", "ana")
    assert plans(world).current(12) == text_digest(FIRST + "\nAnd a back door.\n")


def test_at__a_plan_of_the_same_second_counts_as_the_later() -> None:
    world = World()
    said = world.say("ana", FIRST, on=12)
    assert plans(world).at(12, said["created_at"]) is None


def test_plans__each_issue_has_its_own() -> None:
    world = World()
    world.issue(13)
    world.say("ana", FIRST, on=12)
    world.say("ana", SECOND, on=13)
    found = plans(world)
    assert (found.current(12), found.current(13), found.current(14)) == (text_digest(FIRST), text_digest(SECOND), None)


@pytest.mark.parametrize(("who", "there"), [("eve", False), ("helper[bot]", False), ("octo-dev", True)])
def test_plans__come_from_whoever_may_speak(who: str, *, there: bool) -> None:
    """The author of the pull request may plan it: planning is not judging."""
    world = World()
    world.say(who, FIRST, on=12)
    assert (plans(world).current(12) is not None) is there


def test_plans__a_strangers_plan_does_not_make_verdicts_stale() -> None:
    world = World()
    world.planned()
    world.say("eve", SECOND, on=12)
    assert states(world)[0] == "success"


@pytest.mark.parametrize(
    "text", ["A plan without a heading.", "## Plan\n\nStep 1.\n", "> ## jkz:architect\n>\n> Step 1."]
)
def test_plans__what_is_not_headed_as_one_is_none(text: str) -> None:
    world = World()
    world.say("ana", text, on=12)
    assert plans(world).current(12) is None


def test_plans__on_the_pull_request_are_none() -> None:
    world = World()
    world.say("ana", FIRST)
    assert plans(world).votes == ()


def test_plans__one_edited_out_of_its_comment_is_invalid_not_gone() -> None:
    world = World()
    world.planned()
    world.edit(world.issues[0]["comments"][0], "Never mind.", "ana")
    assert (need(world, "plan", "#12").state.value, states(world)[0]) == ("failed", "failure")


def test_plans__a_new_plan_takes_the_place_of_a_tampered_one() -> None:
    world = World()
    world.planned()
    world.edit(world.issues[0]["comments"][0], SECOND, "octo-dev")
    assert states(world)[0] == "failure"
    world.planned()
    assert states(world)[0] == "success"


def test_plans__the_same_text_posted_again_keeps_its_verdicts() -> None:
    world = World()
    world.planned()
    world.say("ana", world.issues[0]["comments"][0]["text"], on=12)
    assert states(world)[0] == "success"


def test_plans__a_verdict_before_the_plan_judged_nothing() -> None:
    world = World()
    world.say("ana", verdict("auditor"), on=12)
    world.say("ana", verdict("curator"), on=12)
    world.say("ana", FIRST, on=12)
    world.say("mona", "/gate approve plan", on=12)
    assert states(world)[0] == "pending"


def test_plans__a_heading_alone_is_no_plan() -> None:
    world = World()
    world.say("ana", "## jkz:architect\n", on=12)
    assert need(world, "plan", "#12").state.value != "met"
