"""Forgotten: a word that may have been an objection was deleted, and no record covers that time."""

from __future__ import annotations

from functools import partial

from tests.casebook.attacks.attack import attack, green
from tests.casebook.forgotten import deletes_from_issue
from tests.casebook.history import deletes
from tests.casebook.story import BUILD_WAITS
from tests.casebook.world import World, verdict

lost = partial(attack, "edited", defence="covered-deletions", state="pending")
DELETED = "deleted a comment by ana"


def unrecorded(world: World, who: str = "ana") -> None:
    """A FAIL after a PASS was deleted, and no record tells of it."""
    world.watched = False
    green(world)
    deletes(world, world.judges("judge", "FAIL", who))


@lost("deleted-and-forgotten", "The record of a deleted FAIL has expired.", phases=BUILD_WAITS, because=DELETED)
def _(world: World) -> None:
    unrecorded(world)


@lost("deleted-before-the-first-run", "The gate first ran after that.", phases=BUILD_WAITS, because=DELETED)
def _(world: World) -> None:
    unrecorded(world)
    world.gated()
    world.changes["record"] = {"since": world.changes["statuses"][0]["at"]}


@lost(
    "deleted-only-word-forgotten",
    "It was the only word of an account that nobody names: that it may speak is enough.",
    phases=BUILD_WAITS,
    because="deleted a comment by ben",
)
def _(world: World) -> None:
    unrecorded(world, "ben")


@lost(
    "deleted-and-its-author-gone",
    "Nobody can tell whose comment it was.",
    phases=BUILD_WAITS,
    because="deleted a comment by an unknown account",
)
def _(world: World) -> None:
    unrecorded(world)
    world.changes["deleted_comments"][0]["author"] = None


@lost("deleted-own-and-forgotten", "Its own account deleted it and says no more.", phases=BUILD_WAITS, because="ana")
def _(world: World) -> None:
    world.watched = False
    green(world)
    deletes(world, world.judges("judge", "FAIL"), "ana")


@lost(
    "deleted-from-the-issue-and-forgotten",
    "A FAIL of the plan was deleted from the issue; others judge the plan again.",
    phases="pending pending pending",
    codes="PG307",
    because="deleted a comment by ben",
)
def _(world: World) -> None:
    world.watched = False
    green(world)
    deletes_from_issue(world, world.judges("auditor", "FAIL", "ben"))
    for role in ("auditor", "curator"):
        world.judges(role)
    world.say("mona", "/gate approve plan", on=12)


@lost(
    "resumed-before-it-was-deleted",
    "A human resumed for another reason before the FAIL was deleted.",
    phases=BUILD_WAITS,
    because=DELETED,
)
def _(world: World) -> None:
    world.watched = False
    green(world)
    said = world.judges("judge", "FAIL")
    world.say("mona", "/gate resume build: that was something else")
    deletes(world, said)


@lost(
    "deleted-from-the-wrong-place-and-forgotten",
    "An account that is named for the Judge alone failed the work on the issue, and that was deleted.",
    phases=BUILD_WAITS,
    because="deleted a comment by ben",
)
def _(world: World) -> None:
    world.watched = False
    world.policy = "version: 1\nagents: {accounts: [{login: ben, id: 22, roles: [judge]}]}\n"
    green(world)
    deletes_from_issue(world, world.say("ben", verdict("judge", "FAIL"), on=12))
