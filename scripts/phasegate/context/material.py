"""Material for a pack out of a decided pull request: its plan, and what the round before said.

In: the report and the snapshot it was made from, so only votes that count. Out: texts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from phasegate.model.report import NeedKind, NeedState, PhaseReport, Report, SignalReport
from phasegate.model.signal import Finding, Place
from phasegate.model.snapshot import Snapshot
from phasegate.model.vote import Validity


def plan_of(report: Report, snapshot: Snapshot, compact: Callable[[str], str]) -> str:
    """The plan that counts, in its compact form where ``compact`` finds one in its comment; one for each issue."""
    by_id = {item.id: item for item in report.signals}
    needs = [need for phase in report.phases for need in phase.needs if need.kind is NeedKind.PLAN]
    counted = {need.name: by_id[need.signal] for need in needs if need.signal and need.state is NeedState.MET}
    texts = {name: compact(_text(item, snapshot)) for name, item in counted.items()}
    if len(texts) == 1:
        return next(iter(texts.values()))
    return "\n".join(f"[plan of {name}]\n{text}" for name, text in texts.items())


def _text(item: SignalReport, snapshot: Snapshot) -> str:
    """The comment that a signal stands in, as it is now."""
    source = item.vote.signal.source
    issues = (issue for issue in snapshot.issues if issue.number == source.issue)
    comments = (comment for issue in issues for comment in issue.comments)
    return next((comment.text for comment in comments if comment.id == source.number), "")


def feedback_of(report: Report) -> str:
    """The compact verdicts of the last round before this one, a line each; nothing in a first round."""
    by_id = {item.id: item for item in report.signals}
    said = [vote for phase in report.phases for vote in _last_words(phase)]
    counted = [by_id[name] for name in said if name in by_id]
    return "".join(f"{_compact(item)}\n" for item in counted if item.vote.validity is Validity.VALID)


def _last_words(phase: PhaseReport) -> Iterator[str]:
    """The votes of the round before the present one, in a phase that judges the code."""
    if phase.where is not Place.PULL_REQUEST:
        return
    now = next((index for index, item in enumerate(phase.rounds) if item.current), len(phase.rounds))
    earlier = [item for item in phase.rounds[:now] if item.votes]
    yield from (vote.signal for item in earlier[-1:] for vote in item.votes)


def _compact(item: SignalReport) -> str:
    """A verdict as the signal format writes it, in one line."""
    signal = item.vote.signal
    told = {
        "role": item.vote.role,
        "verdict": None if signal.outcome is None else signal.outcome.value,
        "commit": item.vote.commit,
        "issues": [_finding(finding) for finding in signal.findings],
        "must_fix": list(signal.must_fix or ()),
        "false_positives": list(signal.false_positives),
    }
    return json.dumps(
        {key: value for key, value in told.items() if value or key == "issues"},
        ensure_ascii=False,
        separators=(",", ":"),
    )


def _finding(finding: Finding) -> dict[str, str]:
    told = {
        "id": finding.id,
        "severity": finding.severity,
        "summary": finding.summary,
        "location": finding.location,
        "root_cause": finding.root_cause or "",
        "fix_hint": finding.fix_hint or "",
    }
    return {key: value for key, value in told.items() if value}
