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
    between = world.push("b").tick()
    after = world.push("c").tick()
    found = [timeline(world).head_at(at) for at in (before, between, after)]
    assert found == [commit("a"), commit("b"), commit("c")]
    assert timeline(world).head_at("2026-03-02T00:00:00Z") is None
    assert timeline(world).head_at(world.moves[1]["at"]) == commit("a"), "in the second of a push: the older commit"
    world.moves.reverse()
    assert [timeline(world).head_at(at) for at in (before, between, after)] == found


def test_head_at__two_movements_in_one_second_leave_the_last() -> None:
    world = World().push("b").at_once().push("c")
    assert timeline(world).head_at(world.tick()) == commit("c")


def test_head_at__a_branch_that_went_back_and_forth() -> None:
    world = World().push("b").push("a")
    assert timeline(world).head_at(world.tick()) == commit("a")


@pytest.mark.parametrize("log", [
    {"source": "none", "complete": False}, {"source": "none", "complete": True, "moves": []},
    {"source": "activity", "complete": False, "moves": World().moves},
], ids=["incomplete", "empty", "incomplete with movements"])  # fmt: skip
def test_head_at__is_not_told_by_a_log_that_does_not_know(log: dict[str, object]) -> None:
    world = World()
    world.changes["ref_log"] = log
    assert timeline(world).head_at(world.tick()) is None


def test_heads__are_the_opening_head_and_all_since() -> None:
    world = World()
    world.moves.insert(0, {"at": "2026-03-02T08:00:00Z", "after": commit("old"), "kind": "push"})
    world.moves.append(dict(world.moves[-1]))
    assert timeline(world.push("b")).heads == (commit("a"), commit("b"))


def test_heads__hold_the_head_even_if_the_log_lags() -> None:
    world = World()
    world.head = "unseen"
    assert timeline(world).heads == (commit("a"), commit("unseen"))


@pytest.mark.parametrize(("name", "expected"), [
    (commit("a")[:7].upper(), (commit("a"),)),
    (commit("a"), (commit("a"),)), (commit("elsewhere"), ()), (commit("base"), ()),
], ids=["prefix", "whole", "elsewhere", "base"])  # fmt: skip
def test_named__is_a_commit_that_was_the_head(name: str, expected: tuple[str, ...]) -> None:
    assert timeline(World()).named(name) == expected


def test_named__an_ambiguous_prefix_means_several() -> None:
    world = World().push("abcdef0" + "1" * 33).push("abcdef0" + "2" * 33)
    assert len(timeline(world).named("abcdef0")) == 2
    assert timeline(world).named("abcdef01") == ("abcdef0" + "1" * 33,)


def test_content__is_the_same_after_a_rebase() -> None:
    found = timeline(World().push("a1", "same").push("a2", "same"))
    assert found.content(commit("a1")) == found.content(commit("a2")) == found.current == digest("same")


def test_content__where_files_are_not_all_known_is_the_commit_itself() -> None:
    found = timeline(World().push("a1", None).push("a2", None))
    assert found.content(commit("a1")) != found.content(commit("a2"))
    assert found.content(commit("a2")) == found.current
    assert found.current not in {found.content(commit("a")), digest("a"), digest("a2")}


def test_content__two_contents_for_one_commit_are_none() -> None:
    world = World().push("b")
    contents = world.snapshot()["contents"]
    world.changes["contents"] = [*contents, {"commit": commit("b"), "digest": digest("a")}]
    assert timeline(world).current != digest("a")
