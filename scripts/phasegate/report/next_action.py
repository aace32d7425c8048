"""The next action: one line that says what to do now and whose turn it is, the first of the tasks."""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.model.problem import Severity
from phasegate.model.report import Need, NeedState, Report, State
from phasegate.report.inert import plain
from phasegate.report.status import is_exempt
from phasegate.report.tasks import task_text
from phasegate.report.wording import need_text, need_todo, phase_note, was_judged, withheld_text

LIMIT = 500
SHARED_HEAD, DEPENDENT = "PG406", "PG223"


def next_action(report: Report) -> str:
    """What to do now."""
    return plain(_action(report), LIMIT)


def _action(report: Report) -> str:
    if report.state is State.SUCCESS:
        exempt = next((phase_note(phase, report) for phase in report.phases if is_exempt(phase)), "")
        if exempt:
            return f"Ready to merge: {exempt[0].lower()}{exempt[1:]}"
        had_to = "" if all(was_judged(phase) for phase in report.phases) else " that had to run"
        alone = any(item.code == DEPENDENT for item in report.problems)
        return f"Ready to merge: all phases{had_to} are green" + (" (independence is not checked)" if alone else "")
    if report.state is State.ERROR:
        return _mend(report)
    if report.tasks and report.withheld is None:
        return task_text(report.tasks[0], report)
    open_needs = sorted(_open_needs(report), key=lambda need: need.state is not NeedState.FAILED)
    if open_needs:
        return need_todo(open_needs[0], report) or need_text(open_needs[0])
    return _withheld(report)


def _mend(report: Report) -> str:
    """What keeps the gate from deciding; without a route it never got past the policy."""
    broken = next((item for item in report.problems if item.severity is Severity.ERROR), None)
    if report.route is None and broken is not None:
        return _sentences(f"Fix the policy at {broken.where}: {broken.message}", broken.hint)
    notes = (phase_note(phase, report) for phase in report.phases if phase.state is State.ERROR)
    return withheld_text(report) or next(filter(None, notes), "Run the gate again: nothing was decided")


def _open_needs(report: Report) -> Iterator[Need]:
    """What is missing, phase by phase; waiting for an earlier phase is nobody's turn unless nothing else is."""
    needs = [need for phase in report.phases for need in phase.needs if need.state is not NeedState.MET]
    yield from (need for need in needs if need_todo(need, report))
    yield from (need for need in needs if not need_todo(need, report))


def _withheld(report: Report) -> str:
    """All phases are green, or silent, and still it is not a success."""
    hint = next((item.hint for item in report.problems if item.code == SHARED_HEAD), "")
    notes = (phase_note(phase, report) for phase in report.phases if phase.state is report.state)
    note = withheld_text(report) or next(filter(None, notes), "Nothing was decided")
    return _sentences(note, hint)


def _sentences(first: str, second: str) -> str:
    """Both, one after the other, each ended and begun as a sentence."""
    if not second:
        return first
    stop = "" if first.endswith((".", "?", "!")) else "."
    return f"{first}{stop} {second[0].upper()}{second[1:]}"
