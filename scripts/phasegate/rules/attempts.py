"""Attempts: failing rounds counted from the whole history, and the escalation that only a human ends.

A failing round is one content that a required role failed. Deleting, editing, closing or reopening resets nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.model.decision import Need, NeedKind, NeedState, Word
from phasegate.model.frozen import dataclass
from phasegate.model.snapshot import SeenSignal
from phasegate.rules.bench import Bench
from phasegate.rules.history import deleted_failures


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


def count_attempts(bench: Bench) -> Attempts:
    """Walk through the history: the failing round beyond the last attempt escalates, a resume begins anew."""
    failed: dict[str, None] = {}
    escalated = False
    for event in sorted(_events(bench), key=lambda event: (event.at, event.content is None)):
        if event.content is None:
            if escalated:
                failed, escalated = {}, False
        else:
            failed[event.content] = None
            escalated = escalated or len(failed) > bench.phase.max_attempts
    return Attempts(failed=tuple(failed), escalated=escalated)


def _events(bench: Bench) -> Iterator[_Event]:
    for word in bench.words:
        if word.role in bench.phase.judges and word.failed:
            yield _Event(at=word.signal.source.at, content=_failed_content(bench, word))
    for seen in deleted_failures(bench):
        yield _Event(at=seen.at, content=_recorded_content(bench, seen))
    for act in bench.resumes():
        yield _Event(at=act.command.source.at, content=None)


def _failed_content(bench: Bench, word: Word) -> str:
    """The content that a word failed, whatever base it was for."""
    if word.commit is not None:
        return bench.scales.timeline.content(word.commit)
    return word.content or f"unknown:{word.signal.source.id}"


def _recorded_content(bench: Bench, seen: SeenSignal) -> str:
    timeline = bench.scales.timeline
    heads = timeline.named(seen.commit or "-")
    return timeline.content(heads[0]) if len(heads) == 1 else f"unknown:{seen.source}"


def attempts_need(bench: Bench) -> Need | None:
    """That the phase is not escalated."""
    attempts = count_attempts(bench)
    if not attempts.escalated:
        return None
    count, allowed = len(attempts.failed), bench.phase.max_attempts
    text = f"Escalated: {count} failing rounds, {allowed} attempts to fix are allowed"
    return Need(
        kind=NeedKind.ATTEMPTS,
        name=bench.phase.name,
        state=NeedState.FAILED,
        text=text,
        todo=f"A human: look at the rounds, then comment {bench.resume_command} on {bench.place}",
    )
