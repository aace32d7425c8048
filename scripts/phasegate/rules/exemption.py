"""Exemptions: why a pull request needs no phase, or just misses that (6)."""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.catalogue import problem
from phasegate.model.problem import Problem, Where
from phasegate.model.snapshot import Snapshot
from phasegate.policy.model import Exempt, Policy
from phasegate.rules.binding import Timeline, short

ANEW = ("force_push", "branch_creation")  # pushes that need not hold what was there before
OUTSIDE = ((False, "not among its paths"), (True, "never exempt"))
UNLISTED = "GitHub does not list every changed file"
MOST_NAMED = 2  # how many files are named that are in the way; the others are counted


def exemption(policy: Policy, snapshot: Snapshot, timeline: Timeline) -> str:
    """Why the pull request needs no phase; empty if it does."""
    for item in policy.exempt:
        pushed = not item.authors or pushed_alone(item, snapshot, timeline)
        if pushed and (not item.paths or changes_only(item, policy, snapshot)):
            return item.reason
    return ""


def pushed_alone(item: Exempt, snapshot: Snapshot, timeline: Timeline) -> bool:
    """Whether one of the accounts opened the pull request and pushed its content, by a log that tells every push.

    Towards another base the same pushes bring in something else: who changed that had a part in it too.
    """
    return _is_by(item, snapshot) and timeline.complete and not any(True for _ in _others(snapshot, timeline))


def changes_only(item: Exempt, policy: Policy, snapshot: Snapshot) -> bool:
    """Whether every changed file is among the paths, by a list that is complete."""
    return snapshot.files.complete and item.covers(snapshot.files.paths, policy.instructions)


def missed_exemption(policy: Policy, snapshot: Snapshot, timeline: Timeline) -> Problem | None:
    """Why a pull request just misses an exemption; none if nobody would expect it to be exempt.

    People may expect one if at least half of the changed files are among the paths, even if some are never exempt.
    """
    changed, complete = snapshot.files.paths, snapshot.files.complete
    for item in policy.exempt:
        mostly = bool(changed) and 2 * sum(map(item.names, changed)) >= len(changed)
        if not (_is_by(item, snapshot) if item.authors else mostly):
            continue
        why: list[str] = []
        if item.authors and not pushed_alone(item, snapshot, timeline):
            unknown = ["the log of pushes does not show who pushed"]
            why += [*_others(snapshot, timeline)][:1] if timeline.complete else unknown
        outside = [path for path in changed if not item.covers((path,), policy.instructions)]
        if item.paths and not changes_only(item, policy, snapshot):
            found = {told: [path for path in outside if item.names(path) is never] for never, told in OUTSIDE}
            why += [_listed(paths, told) for told, paths in found.items() if paths and complete]
            why += [] if complete and changed else ["it changes no file" if complete else UNLISTED]
        back = item.covers([path for path in changed if path not in outside], policy.instructions)
        it = "it" if len(outside) == 1 else "them"
        hint = f"Take {it} out to be exempt again, or let the phases judge it." if complete and outside and back else ""
        message = f"not exempt ({item.reason}): {' and '.join(why)}"
        return problem("PG413", message, Where(url=snapshot.pull_request.url), hint=hint)
    return None


def _listed(paths: list[str], told: str) -> str:
    more = f" and {len(paths) - MOST_NAMED} more" if paths[MOST_NAMED:] else ""
    return f"{', '.join(paths[:MOST_NAMED])}{more} {'is' if len(paths) == 1 else 'are'} {told}"


def _is_by(item: Exempt, snapshot: Snapshot) -> bool:
    author = snapshot.pull_request.author
    return author is not None and author.id in {each.id for each in item.authors}


def _others(snapshot: Snapshot, timeline: Timeline) -> Iterator[str]:
    """What others did to the base, and what they pushed if it is still there.

    Content that the author pushed stays the author's, whoever merges the base into it. Upon what others pushed the
    author's pushes are theirs too, unless they replace it (``@dependabot recreate``).
    """
    pull = snapshot.pull_request
    author = None if pull.author is None else pull.author.id
    own, theirs = set[str](), list[str]()
    for move in snapshot.ref_log.moves:
        content, by = timeline.content(move.after), move.actor
        mine = by is not None and by.id == author is not None
        if mine and (not theirs or move.kind in ANEW):
            own.add(content)
        if content in own:
            theirs.clear()
        else:
            theirs.append(f"{'somebody' if by is None else by.login} pushed {short(move.after)}")
    yield from theirs[:1]
    for by in (change.actor for change in pull.base_changes):
        if by is None or by.id != author:
            yield f"{'somebody' if by is None else by.login} changed its base"
