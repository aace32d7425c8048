"""What a phase needs beside its seats: workers that are not blocked, a human."""

from __future__ import annotations

import pytest

from phasegate.model.report import NeedState, Why
from phasegate.report.wording import need_text
from tests.casebook.world import World, block, verdict
from tests.unit.rules.parties import build_alone, codes, edits, human_need, need, phase, state, states


def worker(role: str, outcome: str) -> str:
    """What a worker reports."""
    return f"## jkz:{role}\n\nWords.\n\n{block({'verdict': outcome})}\n"


BLOCKED, COMPLETE = worker("builder", "BLOCKED"), worker("builder", "COMPLETE")


@pytest.mark.parametrize("role", ["builder", "doctor"])
def test_worker__a_blocked_one_keeps_the_build_waiting(role: str) -> None:
    world = build_alone().built().says("ana", worker(role, "BLOCKED"))
    assert (need(world, "build", role).state.value, states(world)[-1]) == ("waiting", "pending")


WORKERS: dict[str, tuple[World, bool]] = {
    "its next word unblocks": (build_alone().built().says("ana", BLOCKED).says("ana", COMPLETE), True),
    "an invalid word does not":
     (build_alone().built().says("ana", BLOCKED).says("ana", worker("builder", "PASS")), False),
    "a stranger's does not block": (build_alone().built().says("eve", BLOCKED), True),
    "nor unblock": (build_alone().built().says("ana", BLOCKED).says("eve", COMPLETE), False),
    "edited by the author": (build_alone().built().says("ana", BLOCKED).then(edits, COMPLETE, "octo-dev"), False),
    "edited away": (build_alone().built().says("ana", BLOCKED).then(edits, "Never mind."), False),
}  # fmt: skip


@pytest.mark.parametrize(("world", "free"), WORKERS.values(), ids=WORKERS)
def test_worker(world: World, free: bool) -> None:  # noqa: FBT001
    assert (state(world, "all") == "success") is free


def test_human__approves_this_content_after_the_last_verdict() -> None:
    world = World().planned().built().says("mona", "/gate approve qa").passed_by("sentinel", "lens")
    early = human_need(world, "qa")
    assert (early.why, early.said) == (Why.UNCOVERED, "verdict")
    assert need_text(early) == "The approval by mona came before the last verdict"
    world.says("mona", "/gate approve qa")
    assert (need_text(human_need(world, "qa")), states(world)[-1]) == ("Approved by mona", "success")
    assert states(world.failed_by("lens").passed_by("lens"))[-1] == "pending"


def test_human__a_repeated_pass_asks_for_no_new_approval() -> None:
    assert state(World().green().passed_by("lens"), "all") == "success"


def test_human__an_approval_of_one_issues_plan_is_none_of_anothers() -> None:
    world = World()
    world.issue(13)
    world.planned(12).says("ana", "## jkz:architect\n\nThe plan.\n", on=13)
    world.says("ana", verdict("auditor"), on=13).says("ana", verdict("curator"), on=13)
    waiting = [item for item in phase(world, "plan").needs if item.state is NeedState.WAITING]
    assert [(item.why, item.issue) for item in waiting] == [(Why.MISSING, 13)]
    assert need_text(waiting[0]) == "Waiting for a human's /gate approve plan on #13"
    assert codes(world) == set()
