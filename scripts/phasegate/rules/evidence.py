"""Files of the branch as evidence: each speaks for the account that pushed its last change, and for that content.

Git's author names prove nothing, and a fork's contributor cannot write evidence. What stands on an earlier stage is
stale when that was changed after it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from phasegate.catalogue import problem
from phasegate.model.evidence import STAGE_OF, STAGES
from phasegate.model.problem import Problem
from phasegate.model.signal import Kind, Signal
from phasegate.model.snapshot import Snapshot
from phasegate.model.vote import Validity, Vote
from phasegate.policy.model import Policy
from phasegate.rules.accounts import same_name
from phasegate.rules.binding import Timeline, short
from phasegate.rules.consistency import adjusted

STANDING = (Validity.VALID, Validity.INVALID)


def refused_file(snapshot: Snapshot, signal: Signal) -> Problem | None:
    """Why a file of the branch is nobody's vote in this pull request."""
    if not signal.source.pushed:
        return None
    return _of_a_fork(snapshot, signal) or _merged_before(snapshot, signal) or _by_nobody(signal)


def _of_a_fork(snapshot: Snapshot, signal: Signal) -> Problem | None:
    """Whoever owns a fork can push anything under any name."""
    head = snapshot.pull_request.head.repository
    if head is not None and same_name(head, snapshot.repository.name):
        return None
    return problem("PG231", "the branch is of a fork, whose contributors cannot write evidence", signal.where)


def _merged_before(snapshot: Snapshot, signal: Signal) -> Problem | None:
    """What the base has too came by another pull request, and the log of this branch does not tell who pushed it."""
    if not signal.source.latest or any(entry.path == signal.where.path for entry in snapshot.files.entries):
        return None
    message = "this pull request does not change it, so it belongs to what was merged before"
    return problem("PG234", message, signal.where)


def _by_nobody(signal: Signal) -> Problem | None:
    if signal.source.author is not None or not signal.source.latest:
        return None
    return problem("PG232", "it cannot be told who pushed its last change", signal.where)


def settled(policy: Policy, timeline: Timeline, votes: tuple[Vote, ...]) -> tuple[Vote, ...]:
    """The votes, those in files stale where the product or an earlier stage has changed since their push."""
    files = [
        vote for vote in votes if vote.signal.source.pushed and vote.validity in (Validity.VALID, Validity.INVALID)
    ]
    return tuple(_settled(policy, timeline, vote, files) if vote in files else vote for vote in votes)


def _settled(policy: Policy, timeline: Timeline, vote: Vote, files: Iterable[Vote]) -> Vote:
    newer = _newer_ground(vote, files)
    if newer is not None:
        theirs = newer.signal.source
        message = f"it is older than {newer.role}, which was changed with {short(theirs.commit or '?')}"
        if theirs.at == vote.signal.source.at:
            message = f"it was pushed in the same second as {newer.role}, so nobody can tell which came first"
        return _stale(policy, vote, problem("PG306", message, vote.signal.where))
    if vote.signal.kind is not Kind.VERDICT or vote.fresh:
        return vote
    judged, head = short(vote.commit or "?"), short(timeline.head)
    message = f"it speaks of {judged}, and the product of {head} is another"
    return _stale(policy, vote, problem("PG303", message, vote.signal.where))


def _stale(policy: Policy, vote: Vote, why: Problem) -> Vote:
    return replace(vote, fresh=False, stale=why.message, problems=(*vote.problems, *adjusted(policy, [why])))


def _newer_ground(vote: Vote, files: Iterable[Vote]) -> Vote | None:
    """The artifact of an earlier stage that was changed after this one was pushed."""
    stage = STAGE_OF.get(vote.role or "", 0)
    below = [name for names in STAGES[:stage] for name in names]
    own = vote.signal.source
    for other in files:
        theirs = other.signal.source
        if other.role in below and theirs.issue == own.issue and _after(theirs.at, theirs.commit, own.at, own.commit):
            return other
    return None


def _after(at: str, commit: str | None, own_at: str, own_commit: str | None) -> bool:
    """Whether a push came after another; two pushes of one second may have come either way."""
    return at > own_at or (at == own_at and commit != own_commit)
