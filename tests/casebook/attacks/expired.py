"""Expired: GitHub has deleted statuses that the gate kept its record in, in whole or in part."""

from __future__ import annotations

from phasegate.github.record import CONTEXT
from tests.casebook.attacks.live import Happens, in_a_fork, live, seen_then_deleted
from tests.casebook.attacks.moments import LIVE
from tests.casebook.attacks.vanished_record import DELETED
from tests.casebook.world import PEOPLE, World, commit
from tests.fakehub import FakeHub
from tests.integration.runs import run

__all__ = ["LIVE"]


def failed(world: World) -> None:
    """A FAIL comes after everything passed."""
    world.green().failed_by("judge")


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


# fmt: off
live("record-expired", "Nobody looks at a pull request for so long that its record is deleted by GitHub.",
     defence="covered-deletions", happens=expired, because=DELETED)(failed)
live("record-made-continuous", "After that somebody else writes that the record has no gap.", defence="own-seals",
     happens=then(expired, creator="octo-dev"), because=DELETED)(failed)
# fmt: on


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


@live(defence="counted-words", happens=half_expired, because="record of failures before")
def record_half_expired(world: World) -> None:
    """One of two lines of the record expires before the other."""
    world.green()
    for role in ("judge", "inspector", "judge", "inspector"):
        world.failed_by(role)


def sighted_by_another(hub: FakeHub) -> None:
    """Before anybody pushed it, the author put a status on the commit that is the head now."""
    head, opened = commit("b"), hub.snapshot["pull_request"]["created_at"]
    told = {"context": "phase-gate/plan", "state": "pending", "at": opened, "creator": PEOPLE["octo-dev"]}
    hub.state.statuses.setdefault(head, []).insert(0, {"id": hub.state.next_id(), **told})


@live(defence="own-seals", happens=sighted_by_another, because="not known whether commit")
def sighting_forged(world: World) -> None:
    """Words name a commit before it was the head, and a status of somebody else says that it was."""
    world.then(in_a_fork).gated()
