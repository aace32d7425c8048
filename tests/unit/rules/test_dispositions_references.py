"""Refuted ids must be ids that the phase's challenger raised."""

from __future__ import annotations

from tests.casebook.world import World, finding, verdict
from tests.unit.rules.parties import votes


def warned(world: World, role: str = "inspector") -> list[str]:
    """The messages about references on a role's latest vote."""
    return [item.message for item in votes(world, role)[-1].problems if item.code == "PG117"]


def test_references__an_id_that_the_challenger_raised_is_fine() -> None:
    world = World()
    world.judges("judge", "FAIL")
    world.judges("inspector", false_positives=["J1"])
    assert warned(world) == []


def test_references__an_id_that_nobody_raised_draws_a_warning_that_names_those_there_are() -> None:
    world = World()
    world.judges("judge", "FAIL")
    world.judges("inspector", false_positives=["J1", "J9"])
    (message,) = warned(world)
    assert "J9" in message
    assert "has J1" in message


def test_references__an_id_of_another_phases_challenger_refutes_nothing() -> None:
    world = World()
    world.judges("sentinel", "FAIL")
    world.judges("inspector", false_positives=["S1"])
    assert len(warned(world)) == 1


def test_references__an_id_that_only_a_stranger_raised_refutes_nothing() -> None:
    world = World()
    world.judges("judge", "FAIL", who="eve")
    world.judges("inspector", false_positives=["J1"])
    assert len(warned(world)) == 1


def test_references__an_id_of_an_earlier_round_was_raised() -> None:
    world = World()
    said = world.judges("judge", "FAIL", issues=[finding("J7")], must_fix=["J7"])
    world.edit(said, verdict("judge"), "ana")
    world.judges("inspector", false_positives=["J7"])
    assert warned(world) == []


def test_references__a_warning_leaves_the_word_as_it_is() -> None:
    world = World()
    world.judges("inspector", false_positives=["J9"])
    assert votes(world, "inspector")[-1].passes


def test_references__from_who_does_not_confirm_there_is_only_the_other_warning() -> None:
    world = World()
    world.judges("judge", false_positives=["I9"])
    assert [item.code for item in votes(world, "judge")[-1].problems] == ["PG117"]
