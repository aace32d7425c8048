"""History: failing rounds and the escalation that only a human ends, and a FAIL that was tampered with or deleted.

A failing round is one content that a required seat failed. Deleting, editing, closing or reopening resets nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.model.frozen import dataclass
from phasegate.model.report import Need, NeedKind, NeedState, Why
from phasegate.model.signal import Medium, Outcome
from phasegate.model.snapshot import RecordedVote
from phasegate.model.texts import DeletedComment
from phasegate.model.vote import Vote
from phasegate.rules.assess import DISMISSED
from phasegate.rules.view import JUDGING, PhaseView


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempts:
    """How often a phase has failed since it began or was resumed, and whether that was once too often."""

    failed: tuple[str, ...]
    escalated: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class _Event:
    """A failure of a content, or (without content) a resume."""

    at: str
    content: str | None


def count_attempts(view: PhaseView) -> Attempts:
    """Walk through the history: the failing round beyond the last attempt escalates, a resume begins anew."""
    failed: dict[str, None] = {}
    escalated = False
    for event in sorted(_events(view), key=lambda event: (event.at, event.content is None)):
        if event.content is None:
            if escalated:
                failed, escalated = {}, False
        else:
            failed[event.content] = None
            escalated = escalated or len(failed) > view.phase.max_attempts
    return Attempts(failed=tuple(failed), escalated=escalated)


def _events(view: PhaseView) -> Iterator[_Event]:
    for vote in view.votes:
        if vote.role in view.phase.seats and vote.failed:
            yield _Event(at=vote.signal.source.at, content=_failed_content(view, vote))
    for seen in deleted_failures(view):
        yield _Event(at=seen.at, content=_recorded_content(view, seen))
    for act in view.resumes():
        yield _Event(at=act.command.source.at, content=None)


def _failed_content(view: PhaseView, vote: Vote) -> str:
    """The content that a vote failed, whatever base it was for."""
    if vote.commit is not None:
        return view.facts.timeline.content(vote.commit)
    return vote.content or f"unknown:{vote.signal.source.id}"


def _recorded_content(view: PhaseView, seen: RecordedVote) -> str:
    timeline = view.facts.timeline
    heads = timeline.named(seen.commit or "-")
    return timeline.content(heads[0]) if len(heads) == 1 else f"unknown:{seen.source}"


def attempts_need(view: PhaseView) -> Need | None:
    """That the phase is not escalated."""
    attempts = count_attempts(view)
    if not attempts.escalated:
        return None
    return Need(
        kind=NeedKind.ATTEMPTS,
        name=view.phase.name,
        state=NeedState.FAILED,
        why=Why.ESCALATED,
        commit=view.commit,
        issue=view.issue,
        count=len(attempts.failed),
        limit=view.phase.max_attempts,
    )


def history_needs(view: PhaseView) -> Iterator[Need]:
    """One need for each FAIL that was tampered with and not resumed since."""
    for vote in tampered_failures(view):
        source = vote.signal.source
        why = Why.DISMISSED if source.tampered_by is None else Why.EDITED
        if not view.resumed_since(view.last_change(source.id)):
            yield _blocked(view, why, seat=vote.role or "", by=source.tampered_by or "", signal=vote.id)
    for seen in deleted_failures(view):
        event = _deletion(view, seen)
        who = event.actor.login if event is not None and event.actor is not None else ""
        if not view.resumed_since(event.at if event is not None else seen.at):
            yield _blocked(view, Why.DELETED, seat=seen.role, by=who)
    unseen = unseen_need(view)
    if unseen is not None:
        yield unseen


def unseen_need(view: PhaseView) -> Need | None:
    """That no result of an older commit is out of sight, as far as a human has not looked at it."""
    unseen = view.facts.snapshot.branch_files_unseen
    roles = [view.facts.policy.role(name) for name in view.phase.seats]
    judged = any(Medium.FILE in role.media and role.does in JUDGING for role in roles)
    if unseen is None or not judged or view.resumed_since(unseen):
        return None
    return _blocked(view, Why.UNSEEN, at=unseen)


def _blocked(  # noqa: PLR0913  (what was found, and where)
    view: PhaseView, why: Why, *, seat: str = "", by: str = "", at: str = "", signal: str | None = None
) -> Need:
    return Need(
        kind=NeedKind.HISTORY,
        name=view.phase.name,
        state=NeedState.FAILED,
        why=why,
        signal=signal,
        commit=view.commit,
        issue=view.issue,
        other=seat,
        by=by,
        at=at,
    )


def tampered_failures(view: PhaseView) -> Iterator[Vote]:
    """The failing votes of required seats that somebody else edited or dismissed since."""
    for vote in view.votes:
        touched = _tampered(vote) or vote.signal.source.state == DISMISSED
        if vote.role in view.phase.seats and vote.failed and touched:
            yield vote


def deleted_failures(view: PhaseView) -> Iterator[RecordedVote]:
    """The failing votes on the gate's own record that can no longer be found, neither as text nor as history."""
    earliest = {(seen.source, seen.role): seen for seen in reversed(view.facts.snapshot.record.signals)}
    for seen in earliest.values():
        known = (seen.source, seen.role) in view.told
        if seen.role in view.phase.seats and seen.outcome == Outcome.FAIL.value and not known:
            yield seen


def failures_told(votes: tuple[Vote, ...]) -> frozenset[tuple[str, str | None]]:
    """Each FAIL that is still to be found, as text or as history; one that was tampered with is told as such."""
    return frozenset((vote.signal.source.id, vote.role) for vote in votes if vote.failed or _tampered(vote))


def _tampered(vote: Vote) -> bool:
    return vote.signal.source.tampered_by is not None


def _deletion(view: PhaseView, seen: RecordedVote) -> DeletedComment | None:
    """The trace of a deletion after a vote was written; the last one where there are several."""
    return max((event for event in view.deletions() if event.at >= seen.at), key=lambda event: event.at, default=None)
