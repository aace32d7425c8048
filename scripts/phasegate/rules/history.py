"""History: failing rounds and the escalation that only a human ends, and a FAIL that was tampered with or deleted.

A failing round is one content that a required seat failed. Deleting, editing, closing or reopening resets nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.model.frozen import dataclass
from phasegate.model.report import Need, NeedKind, NeedState, Why
from phasegate.model.signal import Medium, Outcome
from phasegate.model.snapshot import INVALID, RecordedVote
from phasegate.model.texts import DeletedComment
from phasegate.model.vote import Validity, Vote
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
    """Walk through the history: the failing round beyond the last attempt escalates, a resume begins anew.

    A resume of the same second as a failure is not after it.
    """
    failed: dict[str, None] = {}
    escalated = False
    for event in sorted(_events(view), key=lambda event: (event.at, event.content is not None)):
        if event.content is None:
            if escalated:
                failed, escalated = {}, False
        else:
            failed[event.content] = None
            escalated = escalated or len(failed) > view.phase.max_attempts
    return Attempts(failed=tuple(failed), escalated=escalated)


def _events(view: PhaseView) -> Iterator[_Event]:
    for vote in view.votes:
        if vote.role in counted_seats(view) and vote.failed:
            yield _Event(at=vote.signal.source.at, content=_failed_content(view, vote))
    for seen in deleted_failures(view):
        content = recorded_content(view, seen)
        told = None if content is None else view.facts.timeline.for_base(content, seen.at)
        yield _Event(at=seen.at, content=told or f"unknown:{seen.source}")
    for act in view.resumes():
        yield _Event(at=act.command.source.at, content=None)


def counted_seats(view: PhaseView) -> tuple[str, ...]:
    """The seats whose failures are rounds: those that need not be filled count where they are."""
    return (*view.phase.seats, *view.phase.optional_seats)


def _failed_content(view: PhaseView, vote: Vote) -> str:
    """The content that a vote failed; for another base it was another one."""
    if vote.commit is not None:
        timeline = view.facts.timeline
        return timeline.for_base(timeline.content(vote.commit), vote.signal.source.at)
    return vote.content or f"unknown:{vote.signal.source.id}"


def recorded_content(view: PhaseView, seen: RecordedVote) -> str | None:
    """The content that a vote on record was about; none where that cannot be told."""
    timeline = view.facts.timeline
    heads = timeline.named(seen.commit or "-")
    return timeline.content(heads[0]) if len(heads) == 1 else None


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
    """One need for each word that is no PASS, was taken away or changed by another, and not resumed since."""
    for vote in (*tampered_failures(view), *dismissed_words(view)):
        source = vote.signal.source
        why = Why.DISMISSED if source.tampered_by is None else Why.EDITED
        who, said = source.tampered_by or source.dismissed_by or "", Outcome.FAIL.value if vote.failed else INVALID
        if not view.resumed_since(touched_at(view, vote)):
            yield _blocked(view, why, seat=vote.role or "", by=who, signal=vote.id, said=said)
    for seen in (*deleted_failures(view), *deleted_words(view)):
        event = _deletion(view, seen)
        who = event.actor.login if event is not None and event.actor is not None else ""
        if not taken_back(view, seen) and not view.resumed_since(event.at if event is not None else seen.at):
            yield _blocked(view, Why.DELETED, seat=seen.role, by=who, said=seen.outcome)
    yield from (need for need in (unseen_need(view), unread_need(view)) if need is not None)


def unseen_need(view: PhaseView) -> Need | None:
    """That no result of an older commit is out of sight, as far as a human has not looked at it."""
    unseen = view.facts.snapshot.branch_files_unseen
    roles = [view.facts.policy.role(name) for name in counted_seats(view)]
    judged = any(Medium.FILE in role.media and role.does in JUDGING for role in roles)
    if unseen is None or not judged or view.resumed_since(unseen):
        return None
    return _blocked(view, Why.UNSEEN, at=unseen)


def unread_need(view: PhaseView) -> Need | None:
    """That no FAIL may stand on a part of the record that was not read, as far as a human has not looked at it."""
    record = view.facts.snapshot.record
    roles = [view.facts.policy.role(name) for name in view.phase.seats]
    written = any(role.media != {Medium.FILE} and role.does in JUDGING for role in roles)
    at = record.unseen or view.facts.timeline.arrived(view.facts.timeline.head)
    if record.complete or not written or view.resumed_since(at):
        return None
    return _blocked(view, Why.RECORD_UNREAD, at=at)


def _blocked(  # noqa: PLR0913  (what was found, and where)
    view: PhaseView, why: Why, *, seat: str = "", by: str = "", at: str = "", signal: str | None = None, said: str = ""
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
        said=said,
    )


def tampered_failures(view: PhaseView) -> Iterator[Vote]:
    """The failing votes of required seats that somebody else edited or dismissed since."""
    for vote in view.votes:
        touched = _tampered(vote) or vote.signal.source.state == DISMISSED
        if vote.role in view.phase.seats and vote.failed and touched:
            yield vote


def touched_at(view: PhaseView, vote: Vote) -> str:
    """When a vote was last edited or dismissed; what GitHub does not tell the time of happened just now."""
    source, times = vote.signal.source, []
    if source.tampered_by is not None:
        times.append(view.last_change(source.id))
    if source.state == DISMISSED:
        times.append(source.dismissed_at or view.facts.snapshot.taken_at)
    return max(times)


def dismissed_words(view: PhaseView) -> Iterator[Vote]:
    """The dismissed words of required seats that are neither FAIL nor PASS, as far as nobody has answered them."""
    for vote in view.votes:
        source = vote.signal.source
        kept = vote.validity is Validity.EDITED_AWAY and source.latest and source.state == DISMISSED
        if vote.role not in view.phase.seats or vote.failed or not kept:
            continue
        if not any(answer.signal.source.is_after(source) for answer in _valid(view, vote.role)):
            yield vote


def deleted_failures(view: PhaseView) -> Iterator[RecordedVote]:
    """The failing votes on the gate's own record that can no longer be found, neither as text nor as history."""
    yield from (seen for seen in _gone(view) if seen.outcome == Outcome.FAIL.value and seen.role in view.phase.seats)


def deleted_words(view: PhaseView) -> Iterator[RecordedVote]:
    """The other words on record that are gone, as far as nobody has answered them."""
    for seen in _gone(view):
        if seen.outcome == Outcome.FAIL.value or seen.role not in view.phase.seats:
            continue
        if not any(_follows(answer, seen) for answer in _valid(view, seen.role)):
            yield seen


def taken_back(view: PhaseView, seen: RecordedVote) -> bool:
    """Whether an account surely deleted its own vote and gave a new one for the same role: like an edit of its own."""
    author = seen.account
    if author is None or not any(_account(vote) == author and _follows(vote, seen) for vote in _valid(view, seen.role)):
        return False
    later = [event for event in view.deletions() if event.at >= seen.at]
    own = [event for event in later if event.author is None or event.author.id == author]
    gone = {each.source for each in _gone(view) if each.account in (None, author)}
    by_itself = all(event.author and event.actor and event.actor.id == author for event in own)
    return by_itself and len(own) >= len(gone)


def _gone(view: PhaseView) -> tuple[RecordedVote, ...]:
    """What is on record and no longer to be found, as it was first recorded."""
    first: dict[tuple[str, str, str], RecordedVote] = {}
    for seen in view.facts.snapshot.record.signals:
        first.setdefault((seen.source, seen.role, seen.outcome), seen)
    return tuple(seen for key, seen in first.items() if key not in view.told)


def _valid(view: PhaseView, role: str | None) -> Iterator[Vote]:
    return (vote for vote in view.votes if vote.role == role and vote.validity is Validity.VALID)


def _account(vote: Vote) -> int | None:
    return None if vote.signal.source.author is None else vote.signal.source.author.id


def _follows(vote: Vote, seen: RecordedVote) -> bool:
    """Whether a vote was given after one on record: after it was recorded, or by the server's own numbers."""
    source = vote.signal.source
    medium, _, number = seen.source.rpartition("-")
    numbered = source.medium.value == medium and number.isdecimal() and source.number > int(number)
    return source.at > seen.at or numbered


def words_told(votes: tuple[Vote, ...]) -> frozenset[tuple[str, str | None, str]]:
    """Each word that is still to be found, as text or as history, by its source, role and outcome on record.

    A FAIL that was tampered with is told as such.
    """
    failed = [vote for vote in votes if vote.failed or _tampered(vote)]
    heard = [vote for vote in votes if vote.validity is not Validity.IGNORED]
    told = (*((vote, Outcome.FAIL.value) for vote in failed), *((vote, INVALID) for vote in (*failed, *heard)))
    return frozenset((vote.signal.source.id, vote.role, outcome) for vote, outcome in told)


def _tampered(vote: Vote) -> bool:
    return vote.signal.source.tampered_by is not None


def _deletion(view: PhaseView, seen: RecordedVote) -> DeletedComment | None:
    """The trace of a deletion after a vote was written; the last one where there are several."""
    return max((event for event in view.deletions() if event.at >= seen.at), key=lambda event: event.at, default=None)
