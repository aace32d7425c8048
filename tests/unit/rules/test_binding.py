"""Which commit was the head when, what a name of a commit means, and which contents are the same."""

from __future__ import annotations

import pytest

from phasegate.rules.binding import Timeline, short
from tests.casebook.world import World, commit, digest
from tests.unit.rules.parties import taken


def timeline(world: World) -> Timeline:
    """The timeline of a world."""
    return Timeline(taken(world))


def test_short__is_seven_digits() -> None:
    assert short(commit("a")) == commit("a")[:7]


def test_head_at__is_the_last_movement_before() -> None:
    world = World()
    before = world.tick()
    world.push("b")
    between = world.tick()
    world.push("c")
    after = world.tick()
    found = [timeline(world).head_at(at) for at in (before, between, after)]
    assert found == [commit("a"), commit("b"), commit("c")]


def test_head_at__a_word_in_the_second_of_a_push_is_about_the_older_commit() -> None:
    world = World()
    world.push("b")
    assert timeline(world).head_at(world.moves[-1]["at"]) == commit("a")


def test_head_at__two_movements_in_one_second_leave_the_last() -> None:
    world = World()
    world.push("b")
    world.push("c")
    world.moves[-1]["at"] = world.moves[-2]["at"]
    assert timeline(world).head_at(world.tick()) == commit("c")


def test_head_at__a_branch_that_went_back_and_forth() -> None:
    world = World()
    world.push("b")
    world.push("a")
    assert timeline(world).head_at(world.tick()) == commit("a")


@pytest.mark.parametrize("log", [{"complete": False}, {"complete": True, "moves": []}], ids=["incomplete", "empty"])
def test_head_at__is_not_told_by_a_log_that_does_not_know(log: dict[str, object]) -> None:
    world = World()
    world.changes["ref_log"] = {"source": "none", **log}
    assert timeline(world).head_at(world.tick()) is None


def test_head_at__is_not_told_by_an_incomplete_log_that_has_movements() -> None:
    world = World()
    world.changes["ref_log"] = {"source": "activity", "complete": False, "moves": world.moves}
    assert timeline(world).head_at(world.tick()) is None


def test_head_at__nothing_was_the_head_before_the_first_movement() -> None:
    assert timeline(World()).head_at("2026-03-02T00:00:00Z") is None


def test_head_at__goes_by_time_whatever_the_order_of_the_log() -> None:
    world = World()
    between = world.tick()
    world.push("b")
    world.moves.reverse()
    assert timeline(world).head_at(world.tick()) == commit("b")
    assert timeline(world).head_at(between) == commit("a")


def test_heads__are_the_opening_head_and_all_since() -> None:
    world = World()
    world.moves.insert(0, {"at": "2026-03-02T08:00:00Z", "after": commit("old"), "kind": "push"})
    world.push("b")
    assert timeline(world).heads == (commit("a"), commit("b"))


def test_heads__hold_the_head_even_if_the_log_lags() -> None:
    world = World()
    world.head = "unseen"
    assert timeline(world).heads == (commit("a"), commit("unseen"))


def test_heads__a_duplicate_movement_changes_nothing() -> None:
    world = World()
    world.moves.append(dict(world.moves[0]))
    assert timeline(world).heads == (commit("a"),)


def test_named__by_prefix_in_either_case() -> None:
    found = timeline(World())
    assert found.named(commit("a")[:7].upper()) == (commit("a"),)
    assert found.named(commit("a")) == (commit("a"),)


def test_named__an_ambiguous_prefix_means_several() -> None:
    world = World()
    for tail in "12":
        world.push("abcdef0" + tail * 33)
    assert len(timeline(world).named("abcdef0")) == 2
    assert timeline(world).named("abcdef01") == ("abcdef0" + "1" * 33,)


def test_named__never_a_commit_of_elsewhere_nor_the_base() -> None:
    found = timeline(World())
    assert found.named(commit("elsewhere")) == ()
    assert found.named(commit("base")) == ()


def test_content__is_the_same_after_a_rebase() -> None:
    world = World()
    world.push("a1", "same")
    world.push("a2", "same")
    found = timeline(world)
    assert found.content(commit("a1")) == found.content(commit("a2")) == found.current == digest("same")


def test_content__where_files_are_not_all_known_is_the_commit_itself() -> None:
    world = World()
    world.push("a1", None)
    world.push("a2", None)
    found = timeline(world)
    assert found.content(commit("a1")) != found.content(commit("a2"))
    assert found.content(commit("a2")) == found.current


def test_content__unknown_contents_are_never_equal_to_known_ones() -> None:
    world = World()
    world.push("b", None)
    found = timeline(world)
    assert found.current not in {found.content(commit("a")), digest("a")}


def test_content__two_contents_for_one_commit_are_none() -> None:
    world = World()
    world.push("b")
    contents = world.snapshot()["contents"]
    world.changes["contents"] = [*contents, {"commit": commit("b"), "digest": digest("a")}]
    assert timeline(world).current != digest("a")
