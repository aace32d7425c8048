"""The first screen as data: what happened, what blocks, where each phase is; a report in, an overview out.

The summary, the comment on the pull request and the terminal show the same overview, each in its own way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

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
    Round,
    SignalReport,
    State,
    Why,
    Withheld,
)
from phasegate.model.signal import Finding, Outcome, role_title
from phasegate.report.status import IN_VAIN, overruled
from phasegate.report.wording import (
    NEED_MARK,
    STATE_MARK,
    UNCOVERED,
    as_clause,
    counted,
    listing,
    need_text,
    note_text,
    phase_title,
    short,
    was_judged,
    whose,
)

IDLE, CAREFUL = "⚪", "⚠️"
# What keeps a word from counting; each is told with its reason, above the phases.
TOLD = (Why.REFUSED, Why.DRIFTED, Why.INVALID, Why.UNUSABLE)
WITHHELD = {
    Withheld.NOTHING_JUDGED: "Nothing was judged",
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
    """One thing that stands in the way: a finding, a refused word, a problem; ``struck`` says why it no longer does.

    ``url`` is where it was said, ``location`` the place in a file that it is about.
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
    """What a phase has or waits for, in two or three words; the name links to where it was said."""

    mark: str = ""
    name: str
    url: str | None = None
    after: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A phase on one line; ``after`` is the phase that comes first, if it is not done."""

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
    """What a person sees first."""
    said = {item.id: item for item in report.signals}
    blockers = tuple(_blockers(report, said))
    mark, headline = _headline(report, blockers)
    return Overview(
        mark=mark,
        headline=headline,
        remarks=tuple(_remarks(report)),
        blockers=blockers,
        rows=tuple(_row(phase, report, said) for phase in report.phases),
        round=_round(report),
    )


def current(phase: PhaseReport) -> bool:
    """Whether it is the phase's turn: no earlier one stands in its way."""
    return not any(need.kind is NeedKind.EARLIER_PHASE and need.state is not NeedState.MET for need in phase.needs)


def open_needs(phase: PhaseReport) -> list[Need]:
    """What a phase lacks, what failed first."""
    needs = [need for need in phase.needs if need.state is not NeedState.MET]
    return sorted(needs, key=lambda need: need.state is not NeedState.FAILED)


def findings_of(item: SignalReport) -> list[Finding]:
    """The findings of a verdict, what must be fixed first."""
    return sorted(item.vote.signal.findings, key=lambda finding: not required(finding, item))


def required(finding: Finding, item: SignalReport) -> bool:
    """Whether a verdict demands that a finding be fixed."""
    demanded = item.vote.signal.must_fix
    return finding.blocking if demanded is None else finding.id in demanded


# The headline


def _headline(report: Report, blockers: tuple[Blocker, ...]) -> tuple[str, str]:
    mark = STATE_MARK[report.state]
    if report.state is State.SUCCESS:
        return _green(report)
    if report.withheld is not None:
        return mark, WITHHELD[report.withheld]
    if report.state is State.ERROR:
        return mark, WITHHELD[Withheld.POLICY]
    deciding = [phase for phase in report.phases if phase.state is report.state]
    if report.state is State.FAILURE and deciding:
        return mark, _failure(deciding, blockers)
    turn = next((phase for phase in deciding if current(phase)), None)
    if turn is None:
        return mark, "Nothing was decided"
    vain = next((note for note in turn.notes if note.kind in IN_VAIN), None)
    return mark, _waiting(turn) if vain is None else f"{phase_title(turn.name)}: {note_text(vain, report)}"


def _green(report: Report) -> tuple[str, str]:
    """Ready, and what that rests on beyond the agents' own words."""
    bent = [
        f"{phase_title(phase.name)} overridden by {note.by}"
        for phase in report.phases
        for note in phase.notes
        if note.kind is NoteKind.OVERRIDDEN
    ]
    bent += overruled(report)
    exempt = [note.reason for phase in report.phases for note in phase.notes if note.kind is NoteKind.EXEMPT]
    bent += [f"exempt ({exempt[0]})"] if exempt else []
    idle = [phase_title(phase.name) for phase in report.phases if not was_judged(phase) and not exempt]
    told = [*bent, *([f"{listing(idle)} not run"] if idle else [])]
    mark = CAREFUL if bent else STATE_MARK[State.SUCCESS]
    return mark, f"Ready to merge: {', '.join(told)}" if told else "Ready to merge"


def _failure(phases: list[PhaseReport], blockers: tuple[Blocker, ...]) -> str:
    needs = [need for phase in phases for need in phase.needs if need.state is NeedState.FAILED]
    count = sum(blocker.finding and blocker.required for blocker in blockers)
    told = [counted(count, "finding") + " to fix"] if count else []
    if not count:
        told += [f"{role_title(need.name)} says so" for need in needs if _is_verdict(need)]
    told += [_in_short(need) for need in needs if not _is_verdict(need)]
    titles = listing([phase_title(phase.name) for phase in phases])
    return f"{titles} failed: {', '.join(dict.fromkeys(told))}" if told else f"{titles} failed"


def _is_verdict(need: Need) -> bool:
    """Whether somebody failed the work, and no check did."""
    return need.why is Why.FAILED and need.kind is NeedKind.SEAT


def _waiting(phase: PhaseReport) -> str:
    title, needs = phase_title(phase.name), open_needs(phase)
    spent = next((need for need in needs if need.why is Why.SPENT), None)
    if spent is not None:
        return f"{title}: {need_text(spent)}"
    named = [need for need in needs if need.why in TOLD]
    if named:
        return f"{title} waits: {', '.join(dict.fromkeys(_in_short(need) for need in named))}"
    first = needs[0] if needs else None
    asked = (NeedKind.SEAT, NeedKind.PLAN, NeedKind.HUMAN)
    if first is None or first.why is not Why.MISSING or first.kind not in asked:
        return f"{title}: {need_text(first)}" if first else f"{title} waits"
    human = first.kind is NeedKind.HUMAN
    same = (need for need in needs if need.why is Why.MISSING and (need.kind is NeedKind.HUMAN) is human)
    missing = [_awaited(need) for need in same if need.kind in asked]
    return f"{title} waits for {listing(missing)}"


def _awaited(need: Need) -> str:
    if need.kind is NeedKind.HUMAN:
        return "a human's approval"
    return f"{role_title(need.actor)}'s plan" if need.kind is NeedKind.PLAN else role_title(need.name)


def _in_short(need: Need) -> str:
    """Why a need is open, in short: the details follow below."""
    title = need.place or role_title(need.name)
    if need.why is Why.REFUSED and need.kind is NeedKind.HUMAN:
        return f"{need.by or 'somebody'}'s {need.said} does not count"
    if need.why is Why.REFUSED and need.kind is not NeedKind.PLAN:
        return f"{whose(need)} does not count"
    if need.why is Why.DRIFTED:
        return f"{title} wrote, but not in its format"
    if need.why in (Why.INVALID, Why.REFUSED) and need.kind is NeedKind.PLAN:
        return f"the plan of #{need.issue} does not count"
    if need.problem is not None and _is_elsewhere(need):
        return f"{need.problem.message}: {as_clause(need.problem.hint)}"
    if need.why is Why.INVALID:
        return f"{whose(replace(need, said=''))} is invalid"
    if need.why is Why.UNUSABLE:
        return "its files cannot be used"
    if need.why is Why.ESCALATED:
        return f"escalated after {counted(need.count, 'failing round')}"
    return need_text(need)


def _is_elsewhere(need: Need) -> bool:
    """Whether another file has to change; the headline says what and how, so nothing below repeats it."""
    found = None if need.problem is None else by_code().get(need.problem.code)
    return need.why is Why.INVALID and found is not None and bool(found.mended_in)


# What blocks


def _blockers(report: Report, said: dict[str, SignalReport]) -> Iterator[Blocker]:
    if report.state is State.SUCCESS:
        yield from _struck(report, said)
    if report.state is State.ERROR:  # the next action tells the first
        yield from (_problem(item) for item in [item for item in report.problems if _grave(item)][1:])
    seen: set[tuple[str, str]] = set()
    found: list[Blocker] = []
    for phase in report.phases:
        if phase.state in (State.FAILURE, State.PENDING) and current(phase):
            found += [each for need in open_needs(phase) for each in _open(need, report, said)]
    for blocker in sorted(found, key=lambda blocker: not blocker.required):
        key = (blocker.label, blocker.text)
        if key not in seen:
            seen.add(key)
            yield blocker


def _open(need: Need, report: Report, said: dict[str, SignalReport]) -> Iterator[Blocker]:
    """What one open need holds against the pull request."""
    item = said.get(need.signal or "")
    if need.why is Why.FAILED and item is not None:
        yield from _findings(item, report)
    if need.why not in TOLD:
        return
    url = item.vote.signal.source.url if item else None
    invalid = [each for phase in report.phases for each in phase.needs if each.why is Why.INVALID]
    several = [need.place or role_title(need.name)] if len(invalid) > 1 else []
    short_text = need.problem.message if need.problem and need.why is Why.INVALID else ""  # the headline says whose
    told = Blocker(
        label=" · ".join([need.problem.code, *several]) if need.problem else "",
        text=short_text or need_text(need),
        location=_place(need.problem),
        commit=report.head,
        url=url or (need.problem.where.url if need.problem else None),
        hint=need.problem.hint if need.problem else "",
        problem=need.problem,
    )
    yield from () if _is_elsewhere(need) else (told,)
    if need.why is Why.INVALID and item is not None:
        others = [each for each in item.vote.problems if _grave(each) and each != need.problem]
        yield from (replace(_problem(each), commit=report.head) for each in others)


def _grave(item: Problem) -> bool:
    return item.severity is Severity.ERROR


def _problem(item: Problem) -> Blocker:
    return Blocker(
        label=item.code, text=item.message, location=_place(item), url=item.where.url, hint=item.hint, problem=item
    )


def _place(item: Problem | None) -> str:
    """The line of a file that a problem is in; empty where it is in no file."""
    if item is None or not item.where.path:
        return ""
    return f"{item.where.path}:{item.where.line}" if item.where.line else item.where.path


def _findings(item: SignalReport, report: Report) -> Iterator[Blocker]:
    roles = {other.vote.role for other in report.signals if _fails(other)}
    for finding in findings_of(item):
        by = [role_title(item.vote.role or "?")] if len(roles) > 1 else []
        yield Blocker(
            label=" · ".join([finding.id, finding.severity, *by]),
            text=finding.summary,
            location=finding.location,
            commit=item.vote.commit,
            url=item.vote.signal.source.url,
            hint=finding.fix_hint or "",
            finding=True,
            required=required(finding, item),
        )


def _fails(item: SignalReport) -> bool:
    return item.disposition is Disposition.COUNTED and item.vote.outcome is Outcome.FAIL


def _struck(report: Report, said: dict[str, SignalReport]) -> Iterator[Blocker]:
    """What was found and no longer counts, with the reason."""
    for phase in report.phases:
        overridden = any(note.kind is NoteKind.OVERRIDDEN for note in phase.notes)
        for need in phase.needs:
            item = said.get(need.signal or "")
            if need.why is Why.OVERRULED and item is not None:
                struck = f"refuted with evidence by {role_title(need.other)}"
                yield from (replace(each, struck=struck) for each in _findings(item, report) if each.required)
            elif overridden and need.state is not NeedState.MET:
                open_then = list(_open(need, report, said)) or [Blocker(text=_unanswered(need))]
                yield from (replace(each, hint="", struck="overridden") for each in open_then)


def _unanswered(need: Need) -> str:
    if need.kind is NeedKind.HUMAN and need.why is Why.MISSING:
        return "no human approved"
    silent = need.kind in (NeedKind.SEAT, NeedKind.PLAN) and need.why is Why.MISSING
    return f"{role_title(need.name)} did not answer" if silent else need_text(need)


def _remarks(report: Report) -> Iterator[str]:
    """Who overrode what, when and why."""
    for phase in report.phases:
        for note in phase.notes:
            if note.kind is NoteKind.OVERRIDDEN:
                yield _overridden(note, phase, report)


def _overridden(note: Note, phase: PhaseReport, report: Report) -> str:
    dates = [
        act.command.source.at[:10]
        for act in report.acts
        if act.counts and (act.command.verb, act.command.phase) == ("override", phase.name)
    ]
    when = f" on {dates[-1]}" if dates else ""
    return f'{note.by} overrode {phase_title(phase.name)}{when}: "{note.reason}"'


# The phases


def _row(phase: PhaseReport, report: Report, said: dict[str, SignalReport]) -> Row:
    waits = [need for need in phase.needs if need.kind is NeedKind.EARLIER_PHASE and need.state is not NeedState.MET]
    needs = [need for need in phase.needs if need.kind is not NeedKind.EARLIER_PHASE]
    quiet = NeedState.MET if phase.state is State.SUCCESS else NeedState.WAITING if waits else None
    notes = [Piece(name=_noted(note, report)) for note in phase.notes]
    overridden = any(note.kind is NoteKind.OVERRIDDEN for note in phase.notes)
    idle = (waits and phase.state is State.PENDING) or (phase.state is State.SUCCESS and not was_judged(phase))
    return Row(
        mark=IDLE if idle else (CAREFUL if overridden else STATE_MARK[phase.state]),
        title=phase_title(phase.name),
        state=phase.state,
        after=tuple(phase_title(need.name) for need in waits[-1:]),
        pieces=(*notes, *(() if overridden else _pieces(needs, _urls(report, said), quiet))),
    )


def _noted(note: Note, report: Report) -> str:
    """A note in short where the headline or the next action tells the rest."""
    if note.kind is NoteKind.OVERRIDDEN:
        return f"overridden by {note.by}"
    return "not decided" if note.kind is NoteKind.POLICY else note_text(note, report)


def _urls(report: Report, said: dict[str, SignalReport]) -> dict[str, str]:
    """Where words were said and acts given, by their names."""
    words = {name: item.vote.signal.source.url for name, item in said.items()}
    return words | {act.id: act.command.source.url for act in report.acts}


def _pieces(needs: Iterable[Need], urls: dict[str, str], quiet: NeedState | None) -> tuple[Piece, ...]:
    """What the phase has and lacks; what goes without saying has no mark."""
    return tuple(dict.fromkeys(_piece(need, urls, quiet) for need in needs))


def _piece(need: Need, urls: dict[str, str], quiet: NeedState | None) -> Piece:
    mark = CAREFUL if need.why in (Why.REFUSED, Why.DRIFTED, Why.OVERRULED) else NEED_MARK[need.state]
    return Piece(
        mark="" if need.state is quiet and mark != CAREFUL else mark,
        name=_name(need),
        url=urls.get(need.signal or "") or None,
        after=(_AFTER.get((need.kind, need.why)) or _AFTER.get(need.why) or (lambda _: ""))(need),
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


_AFTER: dict[Why | tuple[NeedKind, Why], Callable[[Need], str]] = {
    Why.COMPLETED: lambda need: f"({need.said})",
    Why.OVERRULED: lambda need: f"overruled by {role_title(need.other)}",
    (NeedKind.LINKED_ISSUE, Why.MISSING): lambda _: "missing",
    Why.PART_NOT_RUN: lambda _: "not run",
    Why.PART_OF_INVALID: lambda _: "in an invalid file",
    Why.REFUSED: lambda _: "ignored",
    Why.DRIFTED: lambda _: "not in its format",
    Why.OLDER: lambda need: f"was for {short(need.judged or '?')}" if need.commit else "was for an earlier plan",
    Why.OTHER_BASE: lambda need: f"was for {'the base branch of before' if need.other else 'another base branch'}",
    Why.PLAN_LOST: lambda _: "was for another plan",
    Why.OLDER_THAN_GROUND: lambda _: "stale",
    Why.COMMIT_UNKNOWN: lambda _: "names no known commit",
    Why.TOO_EARLY: lambda need: f"spoke before {role_title(need.other)}",
    Why.ONE_ACCOUNT: lambda need: f"has one account with {role_title(need.other)}",
    Why.NOT_DONE: lambda need: f"says {need.said or 'nothing'}",
    Why.BLOCKED: lambda _: "blocked",
    Why.SPENT: lambda _: "spent",
    Why.UNCOVERED: lambda need: UNCOVERED.get(need.said, UNCOVERED[""]),
    Why.FAILED: lambda _: "failed",
    Why.STANDS: lambda _: "has findings that stand",
    Why.GROUP: lambda need: f"{need.count} of {need.limit}",
    (NeedKind.CHECK, Why.MISSING): lambda _: "has not run",
    Why.RUNNING: lambda _: "is running",
    (NeedKind.CHECK, Why.NOT_DONE): lambda _: "decided nothing",
    Why.RECORD_FULL: lambda _: "cannot be kept",
    Why.INVALID: lambda _: "invalid",
    Why.UNUSABLE: lambda _: "cannot be used",
    Why.EDITED: lambda need: f"edited by {need.by}",
    Why.DISMISSED: lambda _: "dismissed",
    Why.DELETED: lambda _: "deleted",
    Why.UNSEEN: lambda _: "cannot be read",
    Why.UNRECORDED: lambda _: "has a gap",
    Why.RECORD_UNREAD: lambda _: "cannot be read",
    Why.ESCALATED: lambda _: "used up",
}


# The round


def _round(report: Report) -> str:
    """Which round of the phase whose turn it is, and of how many where only failing ones came before."""
    judged = [phase for phase in report.phases if phase.rounds and current(phase)]
    longest = max(reversed(judged), key=lambda phase: len(phase.rounds), default=None)
    phase = next((phase for phase in judged if phase.state is not State.SUCCESS), longest)
    if phase is None:
        return ""
    number, title = len(phase.rounds), phase_title(phase.name)
    counts = phase.most_rounds and number <= phase.most_rounds and all(map(_failing, phase.rounds[:-1]))
    return f"{title} round {number} of {phase.most_rounds}" if counts else f"{title} round {number}"


def rounds_held(report: Report) -> int:
    """How many rounds there were, in the phases in which somebody has spoken."""
    return sum(len(phase.rounds) for phase in report.phases if any(item.votes for item in phase.rounds))


def _failing(item: Round) -> bool:
    return any(vote.outcome == Outcome.FAIL.value for vote in item.votes)
