"""What a phase needs beside its seats: workers that are not blocked, a human."""

from __future__ import annotations

import pytest

from phasegate.model.report import NeedState, Why
from phasegate.report.wording import need_text
from tests.casebook.world import World, block, verdict
from tests.unit.rules.parties import BUILD_ALONE, codes, human_need, need, phase, states


def worker(role: str, outcome: str) -> str:
    """What a worker reports."""
    return f"## jkz:{role}\n\nWords.\n\n{block({'verdict': outcome})}\n"


def build_alone(text: str = "") -> World:
    """A world that gates the build and nothing else."""
    return World(policy=BUILD_ALONE + text)


@pytest.mark.parametrize(("role", "outcome"), [("builder", "BLOCKED"), ("doctor", "BLOCKED")])
def test_worker__a_blocked_one_keeps_the_build_waiting(role: str, outcome: str) -> None:
    world = build_alone()
    world.built()
    world.say("ana", worker(role, outcome))
    assert (need(world, "build", role).state.value, states(world)[-1]) == ("waiting", "pending")


@pytest.mark.parametrize("outcome", ["COMPLETE"])
def test_worker__its_next_word_unblocks(outcome: str) -> None:
    world = build_alone()
    world.built()
    world.say("ana", worker("builder", "BLOCKED"))
    world.say("ana", worker("builder", outcome))
    assert states(world)[-1] == "success"


def test_worker__an_invalid_word_does_not_unblock() -> None:
    world = build_alone()
    world.built()
    world.say("ana", worker("builder", "BLOCKED"))
    world.say("ana", worker("builder", "PASS"))
    assert states(world)[-1] != "success"


def test_worker__a_strangers_word_neither_blocks_nor_unblocks() -> None:
    world = build_alone()
    world.built()
    world.say("eve", worker("builder", "BLOCKED"))
    assert states(world)[-1] == "success"
    world.say("ana", worker("builder", "BLOCKED"))
    world.say("eve", worker("builder", "COMPLETE"))
    assert states(world)[-1] == "pending"


@pytest.mark.parametrize(("text", "who"), [(worker("builder", "COMPLETE"), "octo-dev"), ("Never mind.", "ana")])
def test_worker__a_blocked_word_cannot_be_edited_away(text: str, who: str) -> None:
    world = build_alone()
    world.built()
    said = world.say("ana", worker("builder", "BLOCKED"))
    world.edit(said, text, who)
    assert states(world)[-1] != "success"


def test_human__approves_this_content_after_the_last_verdict() -> None:
    world = World()
    world.planned()
    world.built()
    world.say("mona", "/gate approve qa")
    world.judges("sentinel")
    world.judges("lens")
    early = human_need(world, "qa")
    assert (early.why, early.said) == (Why.UNCOVERED, "verdict")
    assert need_text(early) == "The approval by mona came before the last verdict"
    world.say("mona", "/gate approve qa")
    assert (need_text(human_need(world, "qa")), states(world)[-1]) == ("Approved by mona", "success")
    world.judges("lens", "FAIL")
    world.judges("lens")
    assert states(world)[-1] == "pending"


def test_human__a_repeated_pass_asks_for_no_new_approval() -> None:
    world = World()
    world.planned()
    world.built()
    world.tested()
    world.judges("lens")
    assert states(world)[-1] == "success"


def test_human__an_approval_of_one_issues_plan_is_none_of_anothers() -> None:
    world = World()
    world.issue(13)
    world.planned(12)
    world.say("ana", "## jkz:architect\n\nThe plan.\n", on=13)
    for role in ("auditor", "curator"):
        world.say("ana", verdict(role), on=13)
    waiting = [item for item in phase(world, "plan").needs if item.state is NeedState.WAITING]
    assert [(item.why, item.issue) for item in waiting] == [(Why.MISSING, 13)]
    assert need_text(waiting[0]) == "Waiting for a human's /gate approve plan on #13"
    assert codes(world) == set()
