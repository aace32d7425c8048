"""The first screen as data: what happened, what blocks, the state of each phase. In: a report. Out: an overview.

The summary, the pull request comment and the terminal show the same overview in their own ways.
"""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.catalogue import by_code
from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Problem, Severity
from phasegate.model.report import (
    Disposition,
    Need,
    NeedKind,
    NeedState,
    Note,
    NoteKind,
    PhaseReport,
    Report,
    SignalReport,
    State,
    Why,
    Withheld,
)
from phasegate.model.signal import Finding, Outcome, role_title
from phasegate.report.status import WITHOUT_EFFECT, overruled
from phasegate.report.tasks import DEPENDENT
from phasegate.report.wording import (
    NEED_MARK,
    STATE_MARK,
    counted,
    in_headline,
    in_short,
    listing,
    need_text,
    note_text,
    phase_title,
    was_judged,
)

ASKED = (NeedKind.SEAT, NeedKind.PLAN, NeedKind.HUMAN)  # needs that somebody can be asked to fill
IDLE, CAREFUL = "⚪", "⚠️"
# Reasons why a word does not count; each is shown above the phases.
TOLD = (Why.REFUSED, Why.DRIFTED, Why.INVALID, Why.UNUSABLE)
WITHHELD = {
    Withheld.NOTHING_JUDGED: "Nobody has looked at this: no phase had to judge it",
    Withheld.SHARED_HEAD: "Success is withheld",
    Withheld.CLOSED: "Closed without merging",
    Withheld.MERGED: "Merged into another branch than the default one",
    Withheld.POLICY: "Nothing was decided: the policy cannot be used",
    Withheld.OTHER_QUEUE: "Not to be merged: this is the commit of another queue",
    Withheld.QUEUED_UNKNOWN: "Not to be merged: not all that the queue brings in is known",
    Withheld.QUEUED_OTHERWISE: "Not to be merged: the queue brings in what nobody judged",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Blocker:
    """One thing in the way: a finding, a refused word, a problem. ``struck`` tells why it no longer is.

    ``url`` is where it was said, ``location`` the place in a file.
    """

    label: str = ""
    text: str
    location: str = ""
    commit: str | None = None
    url: str | None = None
    hint: str = ""
    struck: str = ""
    finding: bool = False
    required: bool = True
    problem: Problem | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """What a phase has or waits for, in two or three words, linked to its text."""

    mark: str = ""
    name: str
    url: str | None = None
    after: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A phase on one line. ``after`` is an unfinished phase that comes first."""

    mark: str
    title: str
    state: State
    after: tuple[str, ...]
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Overview:
    """Everything on the first screen except the next action."""

    mark: str
    headline: str
    remarks: tuple[str, ...]
    blockers: tuple[Blocker, ...]
    rows: tuple[Row, ...]
    round: str


def overview(report: Report) -> Overview:
    """The first things for a person to see."""
    said = {item.id: item for item in report.signals}
    urls = {name: item.vote.signal.source.url for name, item in said.items()}
    urls |= {act.id: act.command.source.url for act in report.acts}
    blockers = tuple(_blockers(report, said))
    mark, headline = _headline(report, blockers)
    return Overview(
        mark=mark,
        headline=headline,
        remarks=tuple(_remarks(report)),
        blockers=blockers,
        rows=tuple(_row(phase, report, urls) for phase in report.phases),
        round=_round(report),
    )


def current(phase: PhaseReport) -> bool:
    """True if no earlier phase holds this one back."""
    return not any(need.kind is NeedKind.EARLIER_PHASE and need.state is not NeedState.MET for need in phase.needs)


def open_needs(phase: PhaseReport) -> list[Need]:
    """What a phase lacks, failures first."""
    needs = [need for need in phase.needs if need.state is not NeedState.MET]
    return sorted(needs, key=lambda need: need.state is not NeedState.FAILED)


def findings_of(item: SignalReport) -> list[Finding]:
    """The findings of a verdict, those that must be fixed first."""
    return sorted(item.vote.signal.findings, key=lambda finding: not required(finding, item))


def required(finding: Finding, item: SignalReport) -> bool:
    """True if a verdict demands a fix of a finding. If it names none of its own, the grave ones are demanded."""
    signal = item.vote.signal
    demanded = {each.id for each in signal.findings} & set(signal.must_fix or ())
    demanded = demanded or {each.id for each in signal.findings if each.blocking}
    return finding.id in demanded or (not demanded and item.vote.failed)


# The headline


def _headline(report: Report, blockers: tuple[Blocker, ...]) -> tuple[str, str]:
    mark, deciding = STATE_MARK[report.state], [phase for phase in report.phases if phase.state is report.state]
    turn = next((phase for phase in deciding if current(phase)), None)
    if report.state is State.SUCCESS:
        return _green(report)
    if report.withheld is not None or report.state is State.ERROR:
        return mark, WITHHELD[report.withheld or Withheld.POLICY]
    if report.state is State.FAILURE and deciding:
        return mark, _failure(deciding, blockers)
    if turn is None:
        return mark, "Nothing was decided"
    vain = next((note for note in turn.notes if note.kind in WITHOUT_EFFECT), None)
    return mark, _waiting(turn) if vain is None else f"{phase_title(turn.name)}: {note_text(vain, report)}"


def _green(report: Report) -> tuple[str, str]:
    """The headline of a green pull request, and what it rests on besides agents' words."""
    bent = [f"{phase_title(phase.name)} overridden by {note.by}" for phase, note in _overrides(report)]
    exempt = [note.reason for phase in report.phases for note in phase.notes if note.kind is NoteKind.EXEMPT]
    bent += [*overruled(report), *(f"exempt ({reason})" for reason in exempt[:1])]
    idle = [phase_title(phase.name) for phase in report.phases if not was_judged(phase) and not exempt]
    told = [*bent, *([f"{listing(idle)} not run"] if idle else [])]
    mark = CAREFUL if bent else STATE_MARK[State.SUCCESS]
    return mark, f"Ready to merge: {', '.join(told)}" if told else "Ready to merge"


def _overrides(report: Report) -> Iterator[tuple[PhaseReport, Note]]:
    for phase in report.phases:
        yield from ((phase, note) for note in phase.notes if note.kind is NoteKind.OVERRIDDEN)


def _failure(phases: list[PhaseReport], blockers: tuple[Blocker, ...]) -> str:
    titles = listing(phase_title(phase.name) for phase in phases)
    needs = [need for phase in phases for need in phase.needs if need.state is NeedState.FAILED]
    count = sum(blocker.finding and blocker.required for blocker in blockers)
    judged = [need for need in needs if need.why is Why.FAILED and need.kind is NeedKind.SEAT]
    said = (f"{_name(need)} says {need.said or Outcome.FAIL.value}" for need in judged)
    told = [counted(count, "finding") + " to fix"] if count else list(said)
    told += [_in_short(need) for need in needs if need not in judged]
    return f"{titles} failed: {', '.join(dict.fromkeys(told))}" if told else f"{titles} failed"


def _waiting(phase: PhaseReport) -> str:
    title, needs = phase_title(phase.name), open_needs(phase)
    spent = next((need for need in needs if need.why is Why.SPENT), None)
    told = [need for need in needs if need.why in TOLD]
    planless = [need for need in told if need.kind is NeedKind.PLAN]  # nothing else counts without it
    named = [_in_short(need) for need in planless or told]
    if named and spent is None:
        return f"{title} waits: {', '.join(dict.fromkeys(named))}"
    first = spent or next(iter(needs), None)
    if first is None:
        return f"{title} waits"
    if first.why is not Why.MISSING or first.kind not in ASKED:
        return f"{title}: {need_text(first)}"
    if first.kind is NeedKind.HUMAN:
        return f"{title} waits for a human's approval"
    same = (need for need in needs if need.why is Why.MISSING and need.kind in (NeedKind.SEAT, NeedKind.PLAN))
    names = (
        f"{role_title(each.actor)}'s plan" if each.kind is NeedKind.PLAN else role_title(each.name) for each in same
    )
    return f"{title} waits for {listing(names)}"


def _in_short(need: Need) -> str:
    return need.problem.message if need.problem is not None and _is_elsewhere(need) else in_headline(need)


def _is_elsewhere(need: Need) -> bool:
    """Whether another file has to change; the headline says what, the next action how."""
    found = None if need.problem is None else by_code().get(need.problem.code)
    return need.why is Why.INVALID and found is not None and bool(found.fixed_in)


# What blocks


def _blockers(report: Report, said: dict[str, SignalReport]) -> Iterator[Blocker]:
    if report.state is State.SUCCESS:
        yield from _struck(report, said)
    if report.state is State.ERROR:  # the next action tells the first
        yield from (_problem(item) for item in [item for item in report.problems if _grave(item)][1:])
    held = (phase for phase in report.phases if phase.state in (State.FAILURE, State.PENDING) and current(phase))
    found = [each for phase in held for need in open_needs(phase) for each in _open(need, report, said)]
    seen: dict[tuple[str, str], Blocker] = {}
    hints = set[str]()
    for blocker in sorted(found, key=lambda blocker: not blocker.required):
        key, again = (blocker.label, blocker.text), blocker.hint in hints and not blocker.finding
        if key not in seen:
            seen[key] = replace(blocker, hint="") if again else blocker
        hints.add(blocker.hint)
    yield from seen.values()


def _open(need: Need, report: Report, said: dict[str, SignalReport]) -> Iterator[Blocker]:
    item, problem = said.get(need.signal or ""), need.problem
    if need.why is Why.FAILED and item is not None:
        url = item.vote.signal.source.url
        yield from _findings(item, report) if item.vote.signal.findings else [Blocker(text=need_text(need), url=url)]
    if need.why not in TOLD:
        return
    if not _is_elsewhere(need):
        # several invalid words are told apart by their seats; of one alone the headline says whose it is
        several = sum(each.why is Why.INVALID for phase in report.phases for each in phase.needs) > 1
        told = Blocker(text=need_text(need)) if problem is None else _problem(problem)
        yield replace(
            told,
            label=f"{told.label} · {need.place or role_title(need.name)}" if told.label and several else told.label,
            text=told.text if need.why is Why.INVALID and told.text else need_text(need),
            commit=report.head,
            url=(item.vote.signal.source.url if item else None) or told.url,
        )
    if need.why is Why.INVALID and item is not None:
        others = [each for each in item.vote.problems if _grave(each) and each != problem]
        yield from (replace(_problem(each), commit=report.head) for each in others)


def _grave(item: Problem) -> bool:
    return item.severity is Severity.ERROR


def _problem(item: Problem) -> Blocker:
    where, line = item.where, f":{item.where.line}" if item.where.line else ""
    return Blocker(
        label=item.code,
        text=item.message,
        location=f"{where.path}{line}" if where.path else "",
        url=where.url,
        hint=item.hint,
        problem=item,
    )


def _findings(item: SignalReport, report: Report) -> Iterator[Blocker]:
    standing = (each for each in report.signals if each.disposition is Disposition.COUNTED)
    several = len({each.vote.role for each in standing if each.vote.outcome is Outcome.FAIL}) > 1
    by = [role_title(item.vote.role or "?")] if several else []
    for finding in findings_of(item):
        yield Blocker(
            label=" · ".join(filter(None, ["" if finding.id.isdigit() else finding.id, finding.severity, *by])),
            text=finding.summary,
            location=finding.location,
            commit=item.vote.commit,
            url=item.vote.signal.source.url,
            hint=finding.fix_hint or "",
            finding=True,
            required=required(finding, item),
        )


def _struck(report: Report, said: dict[str, SignalReport]) -> Iterator[Blocker]:
    """Findings that no longer count, with the reason."""
    for phase in report.phases:
        overridden = any(note.kind is NoteKind.OVERRIDDEN for note in phase.notes)
        for need in phase.needs:
            item = said.get(need.signal or "")
            if need.why is Why.OVERRULED and item is not None:
                struck = f"refuted with evidence by {role_title(need.other)}"
                yield from (replace(each, struck=struck) for each in _findings(item, report) if each.required)
            elif overridden and need.state is not NeedState.MET:
                asked = need.why is Why.MISSING and need.kind in ASKED
                nobody = (
                    "no human approved" if need.kind is NeedKind.HUMAN else f"{role_title(need.name)} did not answer"
                )
                open_then = list(_open(need, report, said)) or [Blocker(text=nobody if asked else need_text(need))]
                yield from (replace(each, hint="", struck="overridden") for each in open_then)


def _remarks(report: Report) -> Iterator[str]:
    """Who overrode what, when and why, and which phases one account did alone."""
    for phase, note in _overrides(report):
        meant = ("override", phase.name)
        acts = (act.command for act in report.acts if act.counts)
        dates = [command.source.at[:10] for command in acts if (command.verb, command.phase) == meant]
        when = f" on {dates[-1]}" if dates else ""
        yield f'{note.by} overrode {phase_title(phase.name)}{when}: "{note.reason}"'
    if report.state is not State.SUCCESS:
        return
    if any(item.code == DEPENDENT for item in report.problems):
        yield "Independence is not checked: the policy lets one account make, judge and approve."
    elif report.one_account:
        titles = listing(phase_title(name) for name in report.one_account)
        yield f"Independence is not checked: one account made, challenged and confirmed {titles}."


# The phases


def _row(phase: PhaseReport, report: Report, urls: dict[str, str]) -> Row:
    waits = [need for need in phase.needs if need.kind is NeedKind.EARLIER_PHASE and need.state is not NeedState.MET]
    needs = [need for need in phase.needs if need.kind is not NeedKind.EARLIER_PHASE]
    quiet = NeedState.MET if phase.state is State.SUCCESS else NeedState.WAITING if waits else None
    overridden = any(note.kind is NoteKind.OVERRIDDEN for note in phase.notes)
    idle = (waits and phase.state is State.PENDING) or (phase.state is State.SUCCESS and not was_judged(phase))
    pieces = [Piece(name=_noted(note, report)) for note in phase.notes]
    if not overridden:
        pieces += dict.fromkeys(_piece(need, urls, quiet) for need in needs)
    return Row(
        mark=IDLE if idle else (CAREFUL if overridden else STATE_MARK[phase.state]),
        title=phase_title(phase.name),
        state=phase.state,
        after=tuple(phase_title(need.name) for need in waits[-1:]),
        pieces=tuple(pieces),
    )


def _noted(note: Note, report: Report) -> str:
    """A short note, if the headline or the next action tells the rest."""
    if note.kind is NoteKind.OVERRIDDEN:
        return f"overridden by {note.by}"
    return "not decided" if note.kind is NoteKind.POLICY else note_text(note, report)


def _piece(need: Need, urls: dict[str, str], quiet: NeedState | None) -> Piece:
    """A seat with its mark; the usual case has none."""
    mark = CAREFUL if need.why in (Why.REFUSED, Why.DRIFTED, Why.OVERRULED) else NEED_MARK[need.state]
    return Piece(
        mark="" if need.state is quiet and mark != CAREFUL else mark,
        name=_name(need),
        url=urls.get(need.signal or "") or None,
        after=in_short(need),
    )


def _name(need: Need) -> str:
    if need.kind is NeedKind.HUMAN:
        if need.why is Why.PASSED:
            return f"approved by {need.by}"
        return f"{need.by}'s approval" if need.by else "human approval"
    return _NAMES.get(need.kind, need.place or role_title(need.name))


_NAMES = {
    NeedKind.LINKED_ISSUE: "linked issue",
    NeedKind.PLAN: "plan",
    NeedKind.HISTORY: "history",
    NeedKind.ATTEMPTS: "attempts",
}


# The round


def _round(report: Report) -> str:
    """The round of the present phase, and the maximum if all earlier ones failed."""
    judged = [phase for phase in report.phases if phase.rounds and current(phase)]
    longest = max(reversed(judged), key=lambda phase: len(phase.rounds), default=None)
    phase = next((phase for phase in judged if phase.state is not State.SUCCESS), longest)
    if phase is None:
        return ""
    number, title = len(phase.rounds), phase_title(phase.name)
    failed = [any(vote.outcome == Outcome.FAIL.value for vote in each.votes) for each in phase.rounds[:-1]]
    counts = phase.most_rounds and number <= phase.most_rounds and all(failed)
    return f"{title} round {number} of {phase.most_rounds}" if counts else f"{title} round {number}"


def rounds_held(report: Report) -> int:
    """The number of rounds, in phases where somebody has spoken."""
    return sum(len(phase.rounds) for phase in report.phases if any(item.votes for item in phase.rounds))
