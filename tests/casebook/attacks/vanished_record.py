"""Forgotten: what the record knew is gone, since GitHub deletes statuses, or was never there."""

from __future__ import annotations

from functools import partial

from phasegate.github.record import CONTEXT
from tests.casebook.attacks.attack import attack, green
from tests.casebook.attacks.live import Happens, in_a_fork, live, seen_then_deleted
from tests.casebook.history import deletes
from tests.casebook.story import BUILD_WAITS
from tests.casebook.world import PEOPLE, World, commit
from tests.fakehub import FakeHub
from tests.integration.runs import run

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
    issue, said = world.issues[0], world.judges("auditor", "FAIL", "ben")
    issue["comments"].remove(said)
    issue["deleted_comments"] = [{"at": world.tick(), "actor": PEOPLE["octo-dev"], "author": PEOPLE["ben"]}]
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


def failed(world: World) -> None:
    """A FAIL comes after everything passed."""
    green(world)
    world.judges("judge", "FAIL")


def expired(hub: FakeHub) -> None:
    """A run sees the FAIL, which is deleted; then nobody looks for so long that GitHub has deleted every status."""
    seen_then_deleted(hub)
    run(hub)
    hub.written.clear()
    hub.state.statuses.clear()


def then(happens: Happens, *, creator: str) -> Happens:
    """The author of the pull request writes a seal, as of the opening."""

    def forge(hub: FakeHub) -> None:
        happens(hub)
        pull = hub.snapshot["pull_request"]
        told = {"context": CONTEXT, "state": "success", "at": hub.state.now(), "creator": PEOPLE[creator]}
        since = "On record of #7 (0) since 1772442180, head 1772442180: nothing"
        hub.state.statuses[pull["head"]["sha"]] = [{"id": hub.state.next_id(), **told, "description": since}]

    return forge


live(
    "record-expired",
    "Nobody looks at a pull request for so long that its record is deleted by GitHub.",
    defence="covered-deletions",
    happens=expired,
    because=DELETED,
)(failed)
live(
    "record-made-continuous",
    "After that somebody else writes that the record has no gap.",
    defence="own-seals",
    happens=then(expired, creator="octo-dev"),
    because=DELETED,
)(failed)


def half_expired(hub: FakeHub) -> None:
    """Words fill two lines of the record; the older line expires, and the texts are gone without a trace."""
    run(hub)
    hub.written.clear()
    head = hub.snapshot["pull_request"]["head"]["sha"]
    kept = [each for each in hub.state.statuses[head] if each["context"] != f"{CONTEXT}-2"]
    seal = next(each for each in kept if each["context"] == CONTEXT)
    seal["description"] = seal["description"].partition(": ")[0] + ": nothing"
    hub.state.statuses[head] = kept
    del hub.snapshot["comments"][-4:]


@live(
    "record-half-expired",
    "One of two lines of the record expires before the other.",
    defence="counted-words",
    happens=half_expired,
    because="cannot be read from the record",
)
def _(world: World) -> None:
    green(world)
    for role in ("judge", "inspector", "judge", "inspector"):
        world.judges(role, "FAIL")


def sighted_by_another(hub: FakeHub) -> None:
    """Before anybody pushed it, the author put a status on the commit that is the head now."""
    head, opened = commit("b"), hub.snapshot["pull_request"]["created_at"]
    told = {"context": "phase-gate/plan", "state": "pending", "at": opened, "creator": PEOPLE["octo-dev"]}
    hub.state.statuses.setdefault(head, []).insert(0, {"id": hub.state.next_id(), **told})


@live(
    "sighting-forged",
    "Words name a commit before it was the head, and a status of somebody else says that it was.",
    defence="own-seals",
    happens=sighted_by_another,
    because="not known whether commit",
)
def _(world: World) -> None:
    in_a_fork(world)
    world.gated()
