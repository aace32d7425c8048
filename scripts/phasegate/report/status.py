"""Status lines: one for each phase and the overall one last, each described in at most 140 characters."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from phasegate.model.frozen import replace
from phasegate.model.report import (
    Grant,
    Need,
    NeedKind,
    NeedState,
    NoteKind,
    PhaseReport,
    Report,
    State,
    StatusLine,
    Why,
    Withheld,
)
from phasegate.model.signal import Place, role_title
from phasegate.report.inert import plain
from phasegate.report.wording import decapitalised, listing, need_text, phase_note, phase_title, short, was_judged

LIMIT = 140
# Notes that go before a phase's needs: somebody lowered the requirements or acted, without effect.
WITHOUT_EFFECT = {
    *(NoteKind.NOT_EXEMPT, NoteKind.NOT_LOWERED, NoteKind.OVERRIDE_REFUSED, NoteKind.OVERRIDE_OLDER),
    NoteKind.RESUME_IDLE,
}
SENTENCE_STARTS = ("Waiting ", "The ", "No ", "Approved ")  # first words of a sentence that are not names
LONGEST_BASE = 50
LONGEST_LOGIN = 60  # GitHub's are shorter
# These sentences begin with the name, so that several needs with the same text can be named together.
TOGETHER = (Why.MISSING, Why.EARLIER_PHASE, Why.OLDER, Why.OTHER_BASE, Why.COMMIT_UNKNOWN)


def status_lines(report: Report) -> tuple[StatusLine, ...]:
    """The phases in order, then the overall state."""
    return (
        *(
            StatusLine(context=phase.context, state=phase.state, description=describe_phase(phase, report))
            for phase in report.phases
        ),
        StatusLine(context=report.context, state=report.state, description=describe(report)),
    )


def published_lines(report: Report, base: str) -> tuple[StatusLine, ...]:
    """The lines to write. A success names the base it was given for.

    On a merge queue's commit nothing is pending, because nobody decides it again.
    """
    lines = status_lines(report)
    if report.queued is not None:
        lines = tuple(replace(each, state=State.FAILURE) if each.state is State.PENDING else each for each in lines)
    *parts, overall = lines
    if overall.state is State.SUCCESS:
        into = f", into {plain(base, LONGEST_BASE)}"
        overall = replace(overall, description=plain(overall.description, LIMIT - len(into)) + into)
    return (*parts, overall)


def other_line(report: Report, context: str) -> StatusLine:
    """The line that replaces a success for another base, or in the form no longer used."""
    return _withdrawn(context, f"what counts for #{report.pull_request} now is {report.context}")


def left_line(report: Report, context: str) -> StatusLine:
    """The line that replaces a success on a former head, so that a push back does not show it again."""
    left = f"this is not the head of #{report.pull_request} any more. Once it is again, it is decided again"
    return _withdrawn(context, left)


def _withdrawn(context: str, why: str) -> StatusLine:
    return StatusLine(context=context, state=State.PENDING, description=plain(f"Withdrawn: {why}", LIMIT))


def describe(report: Report) -> str:
    """The overall state as a sentence."""
    if report.state is State.SUCCESS:
        return plain(_sentence(_successes(report)), LIMIT)
    withheld = withheld_text(report)
    if withheld:
        return plain(withheld, LIMIT)
    held = [phase for phase in report.phases if phase.state is not State.SUCCESS]
    deciding = next((phase for phase in held if phase.state is report.state), next(iter(held), None))
    if deciding is None:
        return "Nothing was decided"
    return plain(f"{phase_title(deciding.name)}: {_phase_sentence(deciding, report)}", LIMIT)


WITHHELD = {
    Withheld.NOTHING_JUDGED: "No phase had to judge this pull request, so nobody has looked at it",
    Withheld.SHARED_HEAD: "Withheld: {siblings} has the same head commit",
    Withheld.CLOSED: "Withdrawn: this pull request was closed without merging. Reopen it to have it decided again",
    Withheld.MERGED: "Withdrawn: this pull request was merged into {aside}, and its commit may come back elsewhere",
    Withheld.OTHER_QUEUE: "{group} is not of #{number} into its base branch",
    Withheld.QUEUED_UNKNOWN: "{group}: GitHub does not list all of its changes",
    Withheld.QUEUED_OTHERWISE: "{group}: {differs} not what was judged",
}


def withheld_text(report: Report) -> str:
    """Why the overall status is not green although every phase is; "" if the phases explain it."""
    queued = report.queued
    if report.withheld is Withheld.POLICY:
        return phase_note(report.phases[0], report)
    if report.withheld is None:
        return ""
    differs = queued.differs if queued else ()
    return WITHHELD[report.withheld].format(
        siblings=", ".join(f"#{number}" for number in report.siblings),
        aside=report.aside,
        number=report.pull_request,
        group=f"Merge group {short(queued.commit)}" if queued else "Merge group",
        differs=f"{few(differs)} {'is' if len(differs) == 1 else 'are'}" if differs else "",
    )


def few(paths: tuple[str, ...]) -> str:
    """The first paths, and the number of others."""
    return listing([*paths[:2], *([f"{len(paths) - 2} more"] if paths[2:] else [])])


def is_exempt(phase: PhaseReport) -> bool:
    """True if the policy exempts such a pull request."""
    return any(note.kind is NoteKind.EXEMPT for note in phase.notes)


def overridden(report: Report) -> Iterator[str]:
    """The phases that are green because of an override."""
    phases: dict[str, list[str]] = {}
    for phase in report.phases:
        for note in phase.notes:
            if note.kind is NoteKind.OVERRIDDEN:
                phases.setdefault(note.by, []).append(phase_title(phase.name))
    yield from (f"{listing(titles)} overridden by {by}" for by, titles in phases.items())


def stanza(grant: Grant) -> str:
    """The policy lines to add: a whole section, or one entry if the policy already names accounts."""
    if grant.alone:
        return "solo: true"
    if grant.approvers:
        switches = ", ".join(f"{name}: true" for name in grant.approvers)
        return switches if grant.beside else f"humans: {{{switches}}}"
    login = plain(grant.login, LONGEST_LOGIN) if grant.login else "<account>"
    told = [f"login: {json.dumps(login, ensure_ascii=False)}"]
    told += [f"id: {grant.id}"] if grant.id is not None else []
    told += [f"app_id: {grant.app_id}"] if grant.app_id is not None else []
    told += [f"roles: [{', '.join(grant.roles)}]"]
    entry = f"{{{', '.join(told)}}}"
    return f"- {entry}" if grant.beside else f"agents: {{accounts: [{entry}]}}"


def overruled(report: Report) -> tuple[str, ...]:
    """Every FAIL that was refuted and no longer blocks, with who refuted it."""
    needs = (need for phase in report.phases for need in phase.needs if need.why is Why.OVERRULED)
    return tuple(
        dict.fromkeys(f"{role_title(need.name)}'s FAIL overruled by {role_title(need.other)}" for need in needs)
    )


def describe_phase(phase: PhaseReport, report: Report) -> str:
    """A phase's state as a sentence: failures first, then what is awaited, then who passed."""
    return plain(_phase_sentence(phase, report), LIMIT)


def _successes(report: Report) -> Iterator[str]:
    """What passed, and separately what passed only with an override or the like."""
    judged = [phase for phase in report.phases if was_judged(phase)]
    passed = [phase_title(phase.name) for phase in judged if not phase.notes]
    if passed:
        yield f"{listing(passed)} passed on {short(report.head)}" + (f" for {report.aside}" if report.aside else "")
    yield from overruled(report)
    yield from (f"{phase_title(phase.name)}: {phase_note(phase, report)}" for phase in judged if phase.notes)
    yield from dict.fromkeys(phase_note(phase, report) for phase in report.phases if is_exempt(phase))
    idle = [phase_title(phase.name) for phase in report.phases if not was_judged(phase) and not is_exempt(phase)]
    if idle:
        yield f"{listing(idle)} not run" + ("" if passed else f" on {short(report.head)}")
    if report.queued is not None and report.queued.differs:
        yield f"{few(report.queued.differs)} merged with others' changes"


def _phase_sentence(phase: PhaseReport, report: Report) -> str:
    note = phase_note(phase, report)
    if note and phase.state in (State.SUCCESS, State.ERROR):
        return note
    failed = [need for need in phase.needs if need.state is NeedState.FAILED]
    # somebody who has just tried to clear it without effect is answered first
    failed.sort(key=lambda need: need.kind not in (NeedKind.HISTORY, NeedKind.ATTEMPTS) or not need.also)
    awaited: dict[object, list[Need]] = {}
    for need in phase.needs:
        if need.state is NeedState.WAITING:
            awaited.setdefault(_same(need), []).append(need)
    told = [*map(need_text, failed), *(need_text(*needs) for needs in awaited.values())]
    return _sentence([note, *told, *_met(phase, report.head)]) or "Nothing was decided"


def _sentence(parts: Iterable[str]) -> str:
    """The parts as one sentence. Names keep their capitals."""
    first, *rest = [part for part in parts if part] or [""]
    return "; ".join([first, *(decapitalised(part) if part.startswith(SENTENCE_STARTS) else part for part in rest)])


def _same(need: Need) -> object:
    """The text of a need without its name, as a grouping key; other kinds of needs are not grouped."""
    if need.why is Why.ONE_ACCOUNT:
        return frozenset((need.name, need.other))
    named = need.kind in (NeedKind.SEAT, NeedKind.EARLIER_PHASE) and need.why in TOGETHER
    if not named or need.folder is not None:
        return need
    told = (need.commit, need.issue, need.judged, need.said, need.also, need.noun, need.other)
    return (need.why, need.kind, *told, "" if need.problem is None else need.problem.message)


def _met(phase: PhaseReport, head: str) -> Iterator[str]:
    """Who passed, and what else is met. A plan is mentioned only if nobody judges it."""
    met = [need for need in phase.needs if need.state is NeedState.MET]
    passed = [need for need in met if need.why is Why.PASSED and need.kind is NeedKind.SEAT]
    plans = [need for need in met if need.kind is NeedKind.PLAN]
    if passed:
        roles = listing(role_title(need.name) for need in passed)
        judged = _subject(phase, head) if phase.state is State.SUCCESS else ""
        yield f"{roles} passed {judged}".rstrip()
    elif phase.state is State.SUCCESS:
        yield from dict.fromkeys(map(need_text, plans))
    yield from dict.fromkeys(need_text(need) for need in met if need not in (*passed, *plans))


def _subject(phase: PhaseReport, head: str) -> str:
    if phase.where is Place.PULL_REQUEST:
        return short(head)
    plans = [need.name for need in phase.needs if need.kind is NeedKind.PLAN]
    return f"the {'plan' if len(plans) == 1 else 'plans'} of {listing(plans)}" if plans else ""
