"""Findings of reviewers that outlive a push, with how each ended or why it still stands."""

from __future__ import annotations

from enum import Enum

from phasegate.model.frozen import dataclass


class Settled(str, Enum):
    """How a reviewer's finding ended, or why it still stands."""

    # it stands
    OPEN = "open"
    UNANSWERED = "unanswered"
    REQUESTED = "requested"
    ASKED = "asked"
    RETURNED = "returned"
    COMMANDED = "commanded"
    NOT_ALLOWED = "not_allowed"
    # it ended
    FIXED = "fixed"
    WITHDRAWN = "withdrawn"
    RESOLVED = "resolved"
    WHOLE = "whole"
    APPROVED = "approved"
    LEFT = "left"
    DISMISSED = "dismissed"
    ADVICE = "advice"


STANDS = (
    *(Settled.OPEN, Settled.UNANSWERED, Settled.REQUESTED, Settled.ASKED),
    *(Settled.RETURNED, Settled.COMMANDED, Settled.NOT_ALLOWED),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewFinding:
    """A reviewer's finding that outlives a push: who raised it, where, since which commit, and how it ended.

    ``by`` is the reviewer's account. ``ended_by`` resolved or dismissed it, or asked the reviewer to resolve it.
    ``reason`` says why a resolution does not count, or why a human dismissed it.
    """

    id: str
    role: str
    by: str
    url: str
    at: str
    summary: str
    severity: str = ""
    path: str = ""
    commit: str | None = None
    threaded: bool = False
    count: int = 1
    settled: Settled
    ended_by: str = ""
    reason: str = ""

    @property
    def stands(self) -> bool:
        """True if it still counts against the work."""
        return self.settled in STANDS
