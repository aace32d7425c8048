"""Rounds: each content that was judged, with what every role said about it."""

from __future__ import annotations

import pytest

from tests.casebook.world import World, commit, verdict
from tests.unit.rules.parties import edits, phase

A, B, C = (commit(name)[:7] for name in "abc")
Grid = list[tuple[str, bool, dict[str, str]]]


def grid(world: World, name: str = "build") -> Grid:
    """The rounds of a phase: label, whether it is the present one, and what was said."""
    rounds = phase(world, name).rounds
    return [(item.label, item.current, {vote.role: vote.outcome for vote in item.votes}) for item in rounds]


ROUNDS: dict[str, tuple[World, Grid]] = {
    "one for each content, the present one last": (
        World().failed_by("judge").push("b").passed_by("judge"),
        [(A, False, {"judge": "FAIL"}), (B, True, {"judge": "PASS"})]),
    "the present content is there even if nobody spoke": (World(), [(A, True, {})]),
    "a content that nobody judged is left out": (
        World().push("b").passed_by("judge").push("c"), [(B, False, {"judge": "PASS"}), (C, True, {})]),
    "commits with the same content are one": (
        World().push("a1", "same").failed_by("judge").push("a2", "same").passed_by("inspector"),
        [(commit("a1")[:7], True, {"judge": "FAIL", "inspector": "PASS"})]),
    "a fail edited to a pass in the next round stays in its own": (
        World().failed_by("judge").push("b").then(edits, verdict("judge")),
        [(A, False, {"judge": "FAIL"}), (B, True, {"judge": "PASS"})]),
    "an invalid word is shown as invalid": (
        World().says("ana", "## jkz:judge\n\nLooks good to me.\n"), [(A, True, {"judge": "invalid"})]),
    "a stranger's word is not shown": (World().passed_by("judge", who="eve"), [(A, True, {})]),
}  # fmt: skip


@pytest.mark.parametrize(("world", "expected"), ROUNDS.values(), ids=ROUNDS)
def test_rounds(world: World, expected: Grid) -> None:
    assert grid(world) == expected


def test_rounds__show_the_latest_word_of_a_role() -> None:
    ((label, current, said),) = grid(World().failed_by("judge").passed_by("judge"))
    assert (label, current, said["judge"].endswith("PASS")) == (A, True, True)


def test_rounds__of_a_plan_are_its_texts() -> None:
    world = World()
    said = world.say("ana", "## jkz:architect\n\nThe plan.\n", on=12)
    world.failed_by("auditor").edit(said, "## jkz:architect\n\nA better plan.\n", "ana").passed_by("auditor")
    first, second = ("#12 plan 1", False, {"auditor": "FAIL"}), ("#12 plan 2", True, {"auditor": "PASS"})
    assert grid(world, "plan") == [first, second]


def test_rounds__every_issue_has_its_own() -> None:
    world = World()
    world.issue(13)
    assert [label for label, _, _ in grid(world.planned(12).planned(13), "plan")] == ["#12 plan 1", "#13 plan 1"]
