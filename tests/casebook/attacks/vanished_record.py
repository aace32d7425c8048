"""Forgotten: a word that may have been an objection was deleted, and no record covers that time."""

from __future__ import annotations

from functools import partial

from tests.casebook.attacks.attack import attack
from tests.casebook.story import BUILD_WAITS
from tests.casebook.world import World, verdict

lost = partial(attack, "edited", defence="covered-deletions")
DELETED = "deleted a comment by ana"


def unrecorded(world: World, who: str = "ana") -> None:
    """A FAIL after a PASS was deleted, and no record tells of it."""
    world.watched = False
    world.green().delete(world.judges("judge", "FAIL", who))


@lost(phases=BUILD_WAITS, because=DELETED)
def deleted_and_forgotten(world: World) -> None:
    """The record of a deleted FAIL has expired."""
    unrecorded(world)


@lost(phases=BUILD_WAITS, because=DELETED)
def deleted_before_the_first_run(world: World) -> None:
    """The gate first ran after that."""
    world.then(unrecorded).gated()
    world.changes["record"] = {"since": world.changes["statuses"][0]["at"]}


@lost(phases=BUILD_WAITS, because="deleted a comment by ben")
def deleted_only_word_forgotten(world: World) -> None:
    """It was the only word of an account that nobody names: that it may speak is enough."""
    unrecorded(world, "ben")


@lost(phases=BUILD_WAITS, because="deleted a comment by an unknown account")
def deleted_and_its_author_gone(world: World) -> None:
    """Nobody can tell whose comment it was."""
    unrecorded(world)
    world.changes["deleted_comments"][0]["author"] = None


@lost(phases=BUILD_WAITS, because="ana")
def deleted_own_and_forgotten(world: World) -> None:
    """Its own account deleted it and says no more."""
    world.watched = False
    world.green().delete(world.judges("judge", "FAIL"), "ana")


@lost(phases="pending pending pending", codes="PG307", because="deleted a comment by ben")
def deleted_from_the_issue_and_forgotten(world: World) -> None:
    """A FAIL of the plan was deleted from the issue; others judge the plan again."""
    world.watched = False
    world.green().delete(world.judges("auditor", "FAIL", "ben")).passed_by("auditor", "curator")
    world.says("mona", "/gate approve plan", on=12)


@lost(phases=BUILD_WAITS, because=DELETED)
def resumed_before_it_was_deleted(world: World) -> None:
    """A human resumed for another reason before the FAIL was deleted."""
    world.watched = False
    world.green()
    said = world.judges("judge", "FAIL")
    world.says("mona", "/gate resume build: that was something else").delete(said)


@lost(phases=BUILD_WAITS, because="deleted a comment by ben")
def deleted_from_the_wrong_place_and_forgotten(world: World) -> None:
    """An account that is named for the Judge alone failed the work on the issue, and that was deleted."""
    world.watched = False
    world.under("version: 1\nagents: {accounts: [{login: ben, id: 22, roles: [judge]}]}\n").green()
    world.delete(world.say("ben", verdict("judge", "FAIL"), on=12))
