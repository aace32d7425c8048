"""What was done with every signal in the end, and why: nothing that was read is lost."""

from __future__ import annotations

from phasegate.model.report import Disposition, PhaseReport, SignalReport
from phasegate.model.signal import Kind, Place
from phasegate.model.vote import Validity, Vote
from phasegate.rules.binding import short
from phasegate.rules.phases import Evaluation


def dispositions(evaluation: Evaluation, phases: tuple[PhaseReport, ...]) -> tuple[SignalReport, ...]:
    """One line for each vote, in order of time."""
    judged = {need.signal for phase in phases for need in phase.needs if need.signal}
    standing = (vote for vote in evaluation.votes if vote.validity in (Validity.VALID, Validity.INVALID))
    last = {_seat(vote): vote.id for vote in standing}
    return tuple(_report(evaluation, vote, judged, last) for vote in evaluation.votes)


def _seat(vote: Vote) -> tuple[str | None, Kind, int | None]:
    return (vote.role, vote.signal.kind, vote.signal.source.issue)


def _report(
    evaluation: Evaluation, vote: Vote, judged: set[str], last: dict[tuple[str | None, Kind, int | None], str]
) -> SignalReport:
    phase = evaluation.facts.phase_of(vote.role) if vote.role else None
    disposition, reason = _disposition(evaluation, vote, judged, last)
    return SignalReport(
        id=vote.id,
        vote=vote,
        phase=phase.name if phase else None,
        disposition=disposition,
        reason=reason,
    )


def _disposition(
    evaluation: Evaluation, vote: Vote, judged: set[str], last: dict[tuple[str | None, Kind, int | None], str]
) -> tuple[Disposition, str]:
    identity = vote.id
    if vote.validity is Validity.IGNORED:
        return Disposition.IGNORED, vote.reason
    if vote.validity is Validity.EDITED_AWAY:
        return Disposition.SUPERSEDED, "edited since; it stays in the history"
    if last[_seat(vote)] != identity:
        return Disposition.SUPERSEDED, f"{vote.role} has spoken again since"
    if vote.validity is Validity.INVALID:
        return Disposition.INVALID, vote.reason
    if identity not in judged:
        return Disposition.SHOWN, "no phase needs it now"
    if vote.signal.kind is Kind.VERDICT and not vote.fresh:
        return Disposition.STALE, _stale(evaluation, vote)
    return Disposition.COUNTED, "latest vote of its role"


def _stale(evaluation: Evaluation, vote: Vote) -> str:
    if vote.stale:
        return vote.stale
    if vote.signal.source.place is Place.ISSUE:
        return "the plan has changed since"
    judged = short(vote.commit) if vote.commit else "an unknown commit"
    return f"it judged {judged}; the head is {short(evaluation.facts.timeline.head)} with other content"
