"""Stories about comments that were deleted: what the record covers, and what a human or its account must clear."""

from __future__ import annotations

from tests.casebook.story import GREEN, story
from tests.casebook.world import World


def forgotten(world: World, who: str = "octo-dev") -> None:
    """A word of the Judge was deleted, and no record tells what it said."""
    world.watched = False
    world.planned().built().delete(world.judges("judge", "FAIL"), who)


@story(phases=GREEN)
def forgotten_and_resumed(world: World) -> None:
    """The record of a deleted comment has expired; a human found out what it said."""
    world.then(forgotten).says("mona", "/gate resume build: it was for another branch")
    world.says("mona", "/gate resume qa: the same").tested()


@story(phases=GREEN)
def forgotten_and_judged_again(world: World) -> None:
    """Its own account took it back and has spoken in each of its seats since."""
    world.then(forgotten, "ana").built().tested()


@story(phases=GREEN)
def remark_of_a_stranger_deleted_unseen(world: World) -> None:
    """Nobody knows what the deleted comment said, but its author may not speak for any seat."""
    world.watched = False
    world.planned().built().delete(world.say("eve", "Buy my tokens."), "mona").tested()


@story(phases=GREEN)
def remark_deleted_while_the_gate_looked(world: World) -> None:
    """An agent's remark was deleted, and the record has no gap: it was none of its words."""
    world.planned().built().delete(world.say("ana", "Working on it: 1 of 3."), "octo-dev").tested()


@story(phases=GREEN)
def remark_deleted_from_the_issue_while_the_gate_looked(world: World) -> None:
    """The Judge's remark on the issue was deleted, and the record has no gap."""
    world.under("version: 1\nagents: {accounts: [{login: ben, id: 22, roles: [judge]}]}\n").planned()
    world.delete(world.say("ben", "I will look at it tomorrow.", on=12)).built().tested()
