"""Stories about comments that were deleted: what the record covers, and what a human or its account must clear."""

from __future__ import annotations

from tests.casebook.history import deletes
from tests.casebook.story import GREEN, story
from tests.casebook.world import JSON, PEOPLE, World


def deletes_from_issue(world: World, said: JSON, who: str = "octo-dev") -> None:
    """Somebody deletes a comment of the issue, now."""
    issue = world.issues[0]
    issue["comments"].remove(said)
    event = {"at": world.tick(), "actor": PEOPLE[who], "author": said["author"]}
    issue.setdefault("deleted_comments", []).append(event)


def forgotten(world: World, who: str = "octo-dev") -> None:
    """A word of the Judge was deleted, and no record tells what it said."""
    world.watched = False
    world.planned()
    world.built()
    deletes(world, world.judges("judge", "FAIL"), who)


@story(phases=GREEN)
def forgotten_and_resumed(world: World) -> None:
    """The record of a deleted comment has expired; a human found out what it said."""
    forgotten(world)
    world.say("mona", "/gate resume build: it was for another branch")
    world.say("mona", "/gate resume qa: the same")
    world.tested()


@story(phases=GREEN)
def forgotten_and_judged_again(world: World) -> None:
    """Its own account took it back and has spoken in each of its seats since."""
    forgotten(world, "ana")
    world.built()
    world.tested()


@story(phases=GREEN)
def remark_of_a_stranger_deleted_unseen(world: World) -> None:
    """Nobody knows what the deleted comment said, but its author may not speak for any seat."""
    world.watched = False
    world.planned()
    world.built()
    deletes(world, world.say("eve", "Buy my tokens."), "mona")
    world.tested()


@story(phases=GREEN)
def remark_deleted_while_the_gate_looked(world: World) -> None:
    """An agent's remark was deleted, and the record has no gap: it was none of its words."""
    world.planned()
    world.built()
    deletes(world, world.say("ana", "Working on it: 1 of 3."), "octo-dev")
    world.tested()


@story(phases=GREEN)
def remark_deleted_from_the_issue_while_the_gate_looked(world: World) -> None:
    """The Judge's remark on the issue was deleted, and the record has no gap."""
    world.policy = "version: 1\nagents: {accounts: [{login: ben, id: 22, roles: [judge]}]}\n"
    world.planned()
    deletes_from_issue(world, world.say("ben", "I will look at it tomorrow.", on=12))
    world.built()
    world.tested()
