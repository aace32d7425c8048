"""Rounds: each content that was judged, with what every role said about it."""

from __future__ import annotations

from tests.casebook.world import World, commit, verdict
from tests.unit.rules.parties import phase


def grid(world: World, name: str = "build") -> list[tuple[str, bool, dict[str, str]]]:
    """The rounds of a phase: label, whether it is the present one, and what was said."""
    return [
        (item.label, item.current, {vote.role: vote.outcome for vote in item.votes})
        for item in phase(world, name).rounds
    ]


def short(name: str) -> str:
    """A commit as the grid shows it."""
    return commit(name)[:7]


def test_rounds__one_for_each_content_the_present_one_last() -> None:
    world = World()
    world.judges("judge", "FAIL")
    world.push("b")
    world.judges("judge")
    assert grid(world) == [(short("a"), False, {"judge": "FAIL"}), (short("b"), True, {"judge": "PASS"})]


def test_rounds__the_present_content_is_there_even_if_nobody_spoke() -> None:
    assert grid(World()) == [(short("a"), True, {})]


def test_rounds__a_content_that_nobody_judged_is_left_out() -> None:
    world = World()
    world.push("b")
    world.judges("judge")
    world.push("c")
    assert [label for label, _, _ in grid(world)] == [short("b"), short("c")]


def test_rounds__commits_with_the_same_content_are_one() -> None:
    world = World()
    world.push("a1", "same")
    world.judges("judge", "FAIL")
    world.push("a2", "same")
    world.judges("inspector")
    assert grid(world) == [(short("a1"), True, {"judge": "FAIL", "inspector": "PASS"})]


def test_rounds__show_the_latest_word_of_a_role() -> None:
    world = World()
    world.judges("judge", "FAIL")
    world.judges("judge")
    ((label, current, said),) = grid(world)
    assert (label, current, said["judge"].endswith("PASS")) == (short("a"), True, True)


def test_rounds__a_fail_edited_to_a_pass_in_the_next_round_stays_in_its_own() -> None:
    world = World()
    said = world.judges("judge", "FAIL")
    world.push("b")
    world.edit(said, verdict("judge"), "ana")
    assert grid(world) == [(short("a"), False, {"judge": "FAIL"}), (short("b"), True, {"judge": "PASS"})]


def test_rounds__an_invalid_word_is_shown_as_invalid() -> None:
    world = World()
    world.say("ana", "## jkz:judge\n\nLooks good to me.\n")
    assert grid(world) == [(short("a"), True, {"judge": "invalid"})]


def test_rounds__a_strangers_word_is_not_shown() -> None:
    world = World()
    world.judges("judge", who="eve")
    assert grid(world) == [(short("a"), True, {})]


def test_rounds__of_a_plan_are_its_texts() -> None:
    world = World()
    said = world.say("ana", "## jkz:architect\n\nThe plan.\n", on=12)
    world.judges("auditor", "FAIL")
    world.edit(said, "## jkz:architect\n\nA better plan.\n", "ana")
    world.judges("auditor")
    assert grid(world, "plan") == [
        ("#12 plan 1", False, {"auditor": "FAIL"}),
        ("#12 plan 2", True, {"auditor": "PASS"}),
    ]


def test_rounds__every_issue_has_its_own() -> None:
    world = World()
    world.issue(13)
    world.planned(12)
    world.planned(13)
    assert [label for label, _, _ in grid(world, "plan")] == ["#12 plan 1", "#13 plan 1"]
