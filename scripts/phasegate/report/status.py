"""Status lines: one for each phase, the overall one last, each described for a person in at most 140 characters."""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.model.report import Need, NeedKind, NeedState, PhaseReport, Report, State, StatusLine
from phasegate.model.signal import Place
from phasegate.report.inert import plain
from phasegate.report.wording import listing, phase_title, role_title, short, was_judged

LIMIT = 140
AWAITED = "Waiting for "
STALE = " is for "
SENTENCE_WORDS = (AWAITED, "The ", "No ", "Approved ")


def status_lines(report: Report) -> tuple[StatusLine, ...]:
    """The phases in their order, then the overall state."""
    return (
        *(
            StatusLine(context=phase.context, state=phase.state, description=describe_phase(phase, report.head))
            for phase in report.phases
        ),
        StatusLine(context=report.context, state=report.state, description=describe(report)),
    )


def describe(report: Report) -> str:
    """The overall state in a sentence."""
    if report.state is State.SUCCESS:
        return plain(_sentence([*_successes(report), report.note]), LIMIT)
    if report.note:
        return plain(report.note, LIMIT)
    deciding = next((phase for phase in report.phases if phase.state is report.state), None)
    if deciding is None:
        return "Nothing was decided"
    return plain(f"{phase_title(deciding.name)}: {_phase_sentence(deciding, report.head)}", LIMIT)


def describe_phase(phase: PhaseReport, head: str) -> str:
    """A phase's state in a sentence: what failed, then what is awaited, then who passed."""
    return plain(_phase_sentence(phase, head), LIMIT)


def _successes(report: Report) -> Iterator[str]:
    """What passed, and apart from it what passed only in a manner of speaking."""
    judged = [phase for phase in report.phases if was_judged(phase)]
    idle = [phase_title(phase.name) for phase in report.phases if not was_judged(phase)]
    passed = [phase_title(phase.name) for phase in judged if not phase.note]
    if passed:
        yield f"{listing(passed)} passed on {short(report.head)}"
    yield from (f"{phase_title(phase.name)}: {phase.note}" for phase in judged if phase.note)
    if idle:
        yield f"{listing(idle)} not run" + ("" if passed else f" on {short(report.head)}")


def _phase_sentence(phase: PhaseReport, head: str) -> str:
    if phase.note and phase.state in (State.SUCCESS, State.ERROR):
        return phase.note
    parts = [
        phase.note,
        *(need.text for need in phase.needs if need.state is NeedState.FAILED),
        *_awaited([need for need in phase.needs if need.state is NeedState.WAITING]),
        *_met(phase, head),
    ]
    return _sentence(parts) or "Nothing was decided"


def _sentence(parts: list[str]) -> str:
    first, *rest = [part for part in parts if part] or [""]
    return "; ".join([first, *(_continued(part) for part in rest)])


def _continued(part: str) -> str:
    return part[0].lower() + part[1:] if part.startswith(SENTENCE_WORDS) else part


def _awaited(needs: list[Need]) -> Iterator[str]:
    """What is awaited; roles and phases of which the same is said are named together."""
    groups: dict[tuple[str, str], list[str]] = {}
    for need in needs:
        before, title, after = _around_title(need)
        groups.setdefault((before, after), []).append(title)
    for (before, after), titles in groups.items():
        yield before + _several(titles, after) if any(titles) else before


def _around_title(need: Need) -> tuple[str, str, str]:
    """The text before and after the name that it speaks of; no name where it is of another form."""
    title = phase_title(need.name) if need.kind is NeedKind.EARLIER_PHASE else role_title(need.name)
    opening = f"{AWAITED}{title}"
    if need.text == opening or need.text.startswith(f"{opening} on "):
        return AWAITED, title, need.text[len(opening) :]
    if need.text.startswith(f"{title}'s ") and STALE in need.text:
        return "", f"{title}'s", need.text[len(f"{title}'s") :]
    return need.text, "", ""


def _several(titles: list[str], after: str) -> str:
    if len(set(titles)) == 1:
        return titles[0] + after
    return listing(titles) + after.replace(STALE, " are for ", 1)


def _met(phase: PhaseReport, head: str) -> Iterator[str]:
    """Who passed, and what else is there; a plan is worth its votes only where nobody judges it."""
    met = [need for need in phase.needs if need.state is NeedState.MET]
    roles = [role_title(need.name) for need in met if need.text == _passed(need)]
    if roles:
        subject = f" {_subject(phase, head)}" if phase.state is State.SUCCESS else ""
        yield f"{listing(roles)} passed{subject}".rstrip()
    elif phase.state is State.SUCCESS:
        yield from dict.fromkeys(need.text for need in met if need.kind is NeedKind.PLAN)
    others = [need.text for need in met if need.kind is not NeedKind.PLAN and need.text != _passed(need)]
    yield from dict.fromkeys(others)


def _passed(need: Need) -> str:
    return f"{role_title(need.name)} passed"


def _subject(phase: PhaseReport, head: str) -> str:
    """What was judged."""
    if phase.where is Place.PULL_REQUEST:
        return short(head)
    plans = [need.name for need in phase.needs if need.kind is NeedKind.PLAN]
    if not plans:
        return ""
    return f"the {'plan' if len(plans) == 1 else 'plans'} of {listing(plans)}"
