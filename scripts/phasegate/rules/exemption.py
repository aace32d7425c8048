"""Exemptions: why a pull request needs no phase, or just misses that (6)."""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.catalogue import problem
from phasegate.model.problem import Problem, Where
from phasegate.model.snapshot import Snapshot
from phasegate.policy.model import Exempt, Policy
from phasegate.rules.binding import Timeline, short

MOST_NAMED = 2  # how many files are named that are in the way; the others are counted


def exemption(policy: Policy, snapshot: Snapshot, timeline: Timeline) -> str:
    """Why the pull request needs no phase; empty if it does."""
    for item in policy.exempt:
        pushed = not item.authors or pushed_alone(item, snapshot, timeline)
        if pushed and (not item.paths or changes_only(item, policy, snapshot)):
            return item.reason
    return ""


def pushed_alone(item: Exempt, snapshot: Snapshot, timeline: Timeline) -> bool:
    """Whether one of the accounts opened the pull request and made every push to it, by a log that tells them all.

    Towards another base the same pushes bring in something else: who changed that had a part in it too.
    """
    author, moves = snapshot.pull_request.author, snapshot.ref_log.moves
    if author is None or not _is_by(item, snapshot) or not timeline.complete:
        return False
    actors = (*(move.actor for move in moves), *(change.actor for change in snapshot.pull_request.base_changes))
    return all(actor is not None and actor.id == author.id for actor in actors)


def changes_only(item: Exempt, policy: Policy, snapshot: Snapshot) -> bool:
    """Whether every changed file is among the paths, by a list that is complete."""
    return snapshot.files.complete and item.covers(_changed(snapshot), policy.instructions)


def missed_exemption(policy: Policy, snapshot: Snapshot, timeline: Timeline) -> Problem | None:
    """Why a pull request just misses an exemption; none if nobody would expect it to be exempt."""
    for item in policy.exempt:
        if not (_is_by(item, snapshot) if item.authors else _is_mostly(item, snapshot)):
            continue
        by_whom = () if pushed_alone(item, snapshot, timeline) or not item.authors else _pushes(snapshot, timeline)
        what = () if not item.paths or changes_only(item, policy, snapshot) else _files(item, policy, snapshot)
        message = f"not exempt ({item.reason}): {' and '.join((*by_whom, *what))}"
        hint = "" if any(by_whom) or not snapshot.files.complete else _way_back(item, policy, snapshot)
        return problem("PG413", message, Where(url=snapshot.pull_request.url), hint=hint)
    return None


def _changed(snapshot: Snapshot) -> tuple[str, ...]:
    entries = snapshot.files.entries
    return tuple(dict.fromkeys(path for entry in entries for path in (entry.path, entry.previous_path) if path))


def _is_by(item: Exempt, snapshot: Snapshot) -> bool:
    author = snapshot.pull_request.author
    return author is not None and author.id in {each.id for each in item.authors}


def _outside(item: Exempt, policy: Policy, snapshot: Snapshot) -> tuple[str, ...]:
    return tuple(path for path in _changed(snapshot) if not item.covers((path,), policy.instructions))


def _is_mostly(item: Exempt, snapshot: Snapshot) -> bool:
    """Whether at least half of the changed files are among the paths, so that people may expect an exemption.

    One that is among them and never exempt counts as such.
    """
    changed = _changed(snapshot)
    return bool(changed) and 2 * sum(item.names(path) for path in changed) >= len(changed)


def _pushes(snapshot: Snapshot, timeline: Timeline) -> Iterator[str]:
    if not timeline.complete:
        yield "the log of pushes does not show who pushed"
        return
    author = snapshot.pull_request.author
    for move in snapshot.ref_log.moves:
        if author is not None and (move.actor is None or move.actor.id != author.id):
            yield f"{'somebody' if move.actor is None else move.actor.login} pushed {short(move.after)}"
            return
    for change in snapshot.pull_request.base_changes:
        if author is not None and (change.actor is None or change.actor.id != author.id):
            yield f"{'somebody' if change.actor is None else change.actor.login} changed its base"
            return


def _files(item: Exempt, policy: Policy, snapshot: Snapshot) -> Iterator[str]:
    outside = _outside(item, policy, snapshot)
    if not snapshot.files.complete:
        yield "GitHub does not list every changed file"
    elif not _changed(snapshot):
        yield "it changes no file"
    for never in (False, True):
        found = [path for path in outside if item.names(path) is never]
        more = f" and {len(found) - MOST_NAMED} more" if found[MOST_NAMED:] else ""
        are = "is" if len(found) == 1 else "are"
        if found and snapshot.files.complete:
            yield f"{', '.join(found[:MOST_NAMED])}{more} {are} {'never exempt' if never else 'not among its paths'}"


def _way_back(item: Exempt, policy: Policy, snapshot: Snapshot) -> str:
    """What would make it exempt again; empty where nothing is known that would."""
    outside = _outside(item, policy, snapshot)
    rest = tuple(path for path in _changed(snapshot) if path not in outside)
    if not outside or not item.covers(rest, policy.instructions):
        return ""
    return f"Take {'it' if len(outside) == 1 else 'them'} out to be exempt again, or let the phases judge it."
