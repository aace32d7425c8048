"""What was done with every signal in the end, and why: nothing that was read is lost."""

from __future__ import annotations

from phasegate.model.decision import Disposition, PhaseReport, SignalReport, Standing, Word
from phasegate.model.signal import Kind, Place
from phasegate.rules.freshness import short
from phasegate.rules.phases import Hearing


def dispositions(hearing: Hearing, phases: tuple[PhaseReport, ...]) -> tuple[SignalReport, ...]:
    """One line for each word, in order of time."""
    judged = {need.signal for phase in phases for need in phase.needs if need.signal}
    standing = (word for word in hearing.words if word.standing in (Standing.VALID, Standing.INVALID))
    last = {_seat(word): word.id for word in standing}
    return tuple(_report(hearing, word, judged, last) for word in hearing.words)


def _seat(word: Word) -> tuple[str | None, Kind, int | None]:
    return (word.role, word.signal.kind, word.signal.source.issue)


def _report(
    hearing: Hearing, word: Word, judged: set[str], last: dict[tuple[str | None, Kind, int | None], str]
) -> SignalReport:
    phase = hearing.scales.phase_of(word.role) if word.role else None
    disposition, reason = _disposition(hearing, word, judged, last)
    return SignalReport(
        id=word.id,
        word=word,
        phase=phase.name if phase else None,
        disposition=disposition,
        reason=reason,
    )


def _disposition(
    hearing: Hearing, word: Word, judged: set[str], last: dict[tuple[str | None, Kind, int | None], str]
) -> tuple[Disposition, str]:
    identity = word.id
    if word.standing is Standing.IGNORED:
        return Disposition.IGNORED, word.reason
    if word.standing is Standing.EDITED_AWAY:
        return Disposition.SUPERSEDED, "edited since; it stays in the history"
    if last[_seat(word)] != identity:
        return Disposition.SUPERSEDED, f"{word.role} has spoken again since"
    if word.standing is Standing.INVALID:
        return Disposition.INVALID, word.reason
    if identity not in judged:
        return Disposition.SHOWN, "no phase needs it now"
    if word.signal.kind is Kind.VERDICT and not word.fresh:
        return Disposition.STALE, _stale(hearing, word)
    return Disposition.COUNTED, "latest word of its role"


def _stale(hearing: Hearing, word: Word) -> str:
    if word.stale:
        return word.stale
    if word.signal.source.place is Place.ISSUE:
        return "the plan has changed since"
    judged = short(word.commit) if word.commit else "an unknown commit"
    return f"it judged {judged}; the head is {short(hearing.scales.timeline.head)} with other content"
