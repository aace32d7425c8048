"""The words and marks that all renderings share."""

from __future__ import annotations

from collections.abc import Iterable

from phasegate.model.problem import Severity
from phasegate.model.report import NeedState, PhaseReport, State

STATE_MARK = {State.SUCCESS: "✅", State.FAILURE: "❌", State.PENDING: "⏳", State.ERROR: "🛑"}
NEED_MARK = {NeedState.MET: "✅", NeedState.FAILED: "❌", NeedState.WAITING: "⏳"}
SEVERITY_MARK = {Severity.ERROR: "❌", Severity.WARNING: "⚠️", Severity.NOTICE: "\N{INFORMATION SOURCE}\ufe0f"}
OUTCOME_MARK = {"PASS": "✅", "FAIL": "❌", "invalid": "⚠️"}

SHORT = 7


def short(commit: str) -> str:
    """A commit as people write it."""
    return commit[:SHORT]


def phase_title(name: str) -> str:
    """A phase as people write it."""
    return "QA" if name == "qa" else name.replace("-", " ").capitalize()


def role_title(name: str) -> str:
    """A role as people write it."""
    return name if "." in name else name.replace("-", " ").capitalize()


def listing(names: Iterable[str]) -> str:
    """``A``, ``A and B``, ``A, B and C``; each name once."""
    *most, last = dict.fromkeys(names)
    return f"{', '.join(most)} and {last}" if most else last


def was_judged(phase: PhaseReport) -> bool:
    """Whether the phase was judged at all; one that was not says why in its note."""
    return bool(phase.needs) or not phase.note
