"""Attempts: failing rounds counted from the whole history, and the escalation that only a human ends.

A failing round is one content that a required role failed. Deleting, editing, closing or reopening resets nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.model.frozen import dataclass
from phasegate.model.report import Need, NeedKind, NeedState
from phasegate.model.snapshot import RecordedVote
from phasegate.model.vote import Vote
from phasegate.rules.history import deleted_failures
from phasegate.rules.view import PhaseView


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
        if vote.role in view.phase.judges and vote.failed:
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
    count, allowed = len(attempts.failed), view.phase.max_attempts
    text = f"Escalated: {count} failing rounds, {allowed} attempts to fix are allowed"
    return Need(
        kind=NeedKind.ATTEMPTS,
        name=view.phase.name,
        state=NeedState.FAILED,
        text=text,
        todo=f"A human: look at the rounds, then comment {view.resume_command} on {view.place}",
    )
