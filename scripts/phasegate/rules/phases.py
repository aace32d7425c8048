"""The phases in their order: which are judged, what each needs, and the state that follows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from phasegate.catalogue import problem
from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Where
from phasegate.model.report import (
    IssueRoute,
    Need,
    NeedKind,
    NeedState,
    Note,
    NoteKind,
    PhaseReport,
    Round,
    RoundFinding,
    RoundVote,
    Route,
    State,
    Why,
)
from phasegate.model.signal import OVERALL, Act, Finding, IssueFolder, Kind, Place, Validity, Vote
from phasegate.policy.model import Phase
from phasegate.rules.accounts import leads
from phasegate.rules.acts import NO_SUCH_PHASE
from phasegate.rules.assess import Facts
from phasegate.rules.binding import short
from phasegate.rules.history import attempts_need, history_needs, idle_resume, spoken_since, words_told
from phasegate.rules.needs import missed_exemption, needs
from phasegate.rules.route import is_labelled_quick
from phasegate.rules.seats import failing_seats
from phasegate.rules.view import PhaseView, Seat, Spoken

OVERRIDE = "override"
FOREIGN_ISSUE = "PG402"
NOT_LOWERED = ("PG403", "PG407", "PG408")  # why a label or a link does not ask for less
TAKEN_BACK = "PG224"  # why an act does not count that its author withdrew
WORST_FIRST = (State.ERROR, State.FAILURE, State.PENDING, State.SUCCESS)


@dataclass(frozen=True, kw_only=True, slots=True)
class Evaluation:
    """All that the phases are decided from; votes and acts in order of time. ``exempt`` says why none need be.

    ``spoken`` are the votes by where they stand, ``refusals`` those that do not count, ``kept`` the votes of signals
    that tell for whom they speak, by the identity of the signal.
    """

    facts: Facts
    votes: tuple[Vote, ...]
    spoken: Mapping[tuple[Place, int | None], Spoken]
    refusals: tuple[Vote, ...]
    acts: tuple[Act, ...]
    route: Route
    folders: tuple[IssueFolder, ...] = ()
    exempt: str = ""
    kept: dict[int, tuple[Vote, ...]] = field(default_factory=dict)


def decide_phases(evaluation: Evaluation) -> tuple[PhaseReport, ...]:
    """Every phase, each knowing those before it, with its rounds."""
    decided = think_through(evaluation)
    policy = evaluation.facts.policy
    return tuple(
        report if _skipped(evaluation, phase) is not None else replace(report, rounds=_all_rounds(evaluation, phase))
        for phase, report in zip(policy.phases, decided, strict=True)
    )


def think_through(evaluation: Evaluation) -> tuple[PhaseReport, ...]:
    """Every phase, each knowing those before it; how it came to that is left out."""
    decided: list[PhaseReport] = []
    for phase in evaluation.facts.policy.phases:
        decided.append(_decide(evaluation, phase, tuple(decided)))
    return tuple(decided)


def worst(states: Iterator[State]) -> State:
    """The worst of several states; an error if there are none, since nothing was decided."""
    found = set(states)
    return next((state for state in WORST_FIRST if state in found), State.ERROR)


def _decide(evaluation: Evaluation, phase: Phase, earlier: tuple[PhaseReport, ...]) -> PhaseReport:
    skipped = _skipped(evaluation, phase)
    waits_here = any(each.where is phase.where and each.state is not State.SUCCESS for each in earlier)
    views = tuple(_without_roleless(view) if waits_here else view for view in _views(evaluation, phase))
    if skipped is not None:
        left = tuple(need for view in views for need in left_over(view)) if skipped.kind is NoteKind.NO_PATHS else ()
        return _report(phase, _state(left), needs=left) if left else _unjudged(phase, skipped)
    before = tuple(_earlier(earlier))
    idle = _optional_and_idle(evaluation, phase, views)
    if idle is not None and not before:
        return _report(phase, State.SUCCESS, notes=(idle,))
    if idle is not None:
        return _report(phase, _state(before), needs=before)
    asked = tuple(_asked(evaluation, phase, views))
    if evaluation.exempt:
        return _exempted(evaluation, phase, asked)
    on_pull_request = override_on_pull_request(evaluation, phase)
    if on_pull_request is not None:
        return _report(phase, State.SUCCESS, notes=(_overridden(on_pull_request),), needs=(*before, *asked))
    overridden = {view.issue: act for view in views if (act := override(view)) is not None}
    notes = tuple(_overridden(act) for act in overridden.values())
    if overridden and len(overridden) == len(views):
        return _report(phase, State.SUCCESS, notes=notes, needs=(*before, *asked))
    open_views = tuple(view for view in views if view.issue not in overridden)
    found = (*before, *(_asked(evaluation, phase, open_views) if overridden else asked))
    if _state(found) is State.SUCCESS:
        return _report(phase, State.SUCCESS, notes=notes, needs=found)
    vain = (*_override_in_vain(evaluation, phase, views), *_resumed_in_vain(views))
    told = (*notes, *vain, *_asked_for_less(evaluation, phase, found))
    return _report(phase, _state(found), notes=told, needs=found)


def _asked_for_less(evaluation: Evaluation, phase: Phase, found: tuple[Need, ...]) -> Iterator[Note]:
    """Why the phase is judged though somebody may have thought that it is not; what was said in it goes first."""
    begun = any(need.kind is NeedKind.SEAT and need.state is NeedState.MET for need in found)
    if begun or any(need.state is NeedState.FAILED or need.problem is not None for need in found):
        return
    facts, first = evaluation.facts, not any(need.kind is NeedKind.EARLIER_PHASE for need in found)
    missed = missed_exemption(facts.policy, facts.snapshot, facts.timeline) if first else None
    if missed is not None:
        yield Note(kind=NoteKind.NOT_EXEMPT, problem=missed)
    quick = first and any(is_labelled_quick(facts.policy, issue.labels) for issue in facts.snapshot.own_issues)
    if phase.by_issue_type or quick:
        refused = (item for item in evaluation.route.problems if item.code in NOT_LOWERED)
        yield from (Note(kind=NoteKind.NOT_LOWERED, problem=item) for item in tuple(refused)[:1])


def _override_in_vain(evaluation: Evaluation, phase: Phase, views: tuple[PhaseView, ...]) -> Iterator[Note]:
    """That somebody overrode the phase last and it does not count, or was for other content; not once it went on."""
    commands = (act for act in reversed(evaluation.acts) if act.command.verb == OVERRIDE)
    act = next((act for act in commands if act.command.phase == phase.name or _is_refused_act(act, phase)), None)
    source = None if act is None else act.command.source
    if act is None or source is None or any(override(view) or spoken_since(view, source.at) for view in views):
        return
    by = source.author.login if source.author else "?"
    if act.counts:
        yield Note(kind=NoteKind.OVERRIDE_OLDER, by=by)
    elif (
        _is_refused_act(act, phase)
        and act.why is not None
        and leads(evaluation.facts.policy, evaluation.facts.snapshot, source)
    ):
        yield Note(kind=NoteKind.OVERRIDE_REFUSED, by=by, problem=act.why)


def _resumed_in_vain(views: tuple[PhaseView, ...]) -> Iterator[Note]:
    """That somebody resumed the phase last, and there was nothing to resume."""
    for act in filter(None, map(idle_resume, views)):
        source = act.command.source
        idle = problem("PG238", "the phase is neither escalated nor blocked by its history", act.command.where)
        yield Note(kind=NoteKind.RESUME_IDLE, by=source.author.login if source.author else "?", problem=idle)


def _without_roleless(view: PhaseView) -> PhaseView:
    """The view without votes whose role is unclear: the phase where they came first asks about them."""
    return replace(view, refusals=tuple(vote for vote in view.refusals if vote.role is not None))


def _exempted(evaluation: Evaluation, phase: Phase, asked: tuple[Need, ...]) -> PhaseReport:
    """A phase that need not run: what failed in it all the same still fails it."""
    failed = tuple(need for need in asked if need.state is NeedState.FAILED)
    if failed:
        return _report(phase, State.FAILURE, needs=failed)
    return _report(phase, State.SUCCESS, notes=(Note(kind=NoteKind.EXEMPT, reason=evaluation.exempt),))


def override_on_pull_request(evaluation: Evaluation, phase: Phase) -> Act | None:
    """A human's override of a phase on issues that was given on the pull request, for its present content."""
    if phase.where is Place.PULL_REQUEST:
        return None
    current = evaluation.facts.timeline.current
    given = (act for act in reversed(evaluation.acts) if act.counts and act.command.verb == OVERRIDE)
    here = (act for act in given if act.command.phase == phase.name and act.command.source.place is Place.PULL_REQUEST)
    return next((act for act in here if act.content == current), None)


def _unjudged(phase: Phase, why: Note) -> PhaseReport:
    return _report(phase, State.SUCCESS, notes=(why,))


def left_over(view: PhaseView) -> Iterator[Need]:
    """What still blocks a phase whose paths are not changed: its history, and a FAIL of this content."""
    if override(view) is None:
        yield from failing_seats(view)
        yield from history_needs(view)
        yield from (need for need in (attempts_need(view),) if need is not None)


def override(view: PhaseView) -> Act | None:
    """A human's override of this phase for the present content."""
    return next((act for act in reversed(view.given(OVERRIDE)) if act.content == view.content), None)


def _overridden(act: Act) -> Note:
    source = act.command.source
    return Note(
        kind=NoteKind.OVERRIDDEN,
        by=source.author.login if source.author else "?",
        issues=() if source.issue is None else (source.issue,),
        reason=act.command.reason,
    )


def _asked(evaluation: Evaluation, phase: Phase, views: tuple[PhaseView, ...]) -> Iterator[Need]:
    if not evaluation.route.issues and _needs_issue(evaluation, phase):
        yield Need(
            kind=NeedKind.LINKED_ISSUE,
            name="issue",
            state=NeedState.WAITING,
            why=Why.NO_ISSUE,
            other=phase.name if phase.where is Place.ISSUE else "",
            place=_other_base(evaluation.facts),
            also=tuple(item for item in evaluation.route.problems if item.code == FOREIGN_ISSUE),
        )
    for view in views:
        yield from needs(view)


def _other_base(facts: Facts) -> str:
    """The base, where it is not the default branch: closing keywords link nothing there."""
    base, default = facts.snapshot.pull_request.base.ref, facts.snapshot.repository.default_branch
    return "" if base == default else base


def _needs_issue(evaluation: Evaluation, phase: Phase) -> bool:
    """Whether nothing can be judged without a linked issue: the plan stands on it, files are found by it."""
    in_files = any(evaluation.facts.policy.role(name).per_issue for name in phase.seats)
    return phase.where is Place.ISSUE or (in_files and not evaluation.folders)


def _state(found: tuple[Need, ...]) -> State:
    states = {need.state for need in found}
    if NeedState.FAILED in states:
        return State.FAILURE
    if NeedState.WAITING in states or not states:
        return State.PENDING
    return State.SUCCESS


def _report(
    phase: Phase,
    state: State,
    *,
    notes: tuple[Note, ...] = (),
    needs: tuple[Need, ...] = (),
) -> PhaseReport:
    return PhaseReport(
        name=phase.name,
        context=f"{OVERALL}/{phase.name}",
        state=state,
        where=phase.where,
        notes=notes,
        needs=needs,
        most_rounds=phase.max_attempts + 1,
    )


def _all_rounds(evaluation: Evaluation, phase: Phase) -> tuple[Round, ...]:
    return tuple(item for view in _views(evaluation, phase) for item in rounds(view))


def _skipped(evaluation: Evaluation, phase: Phase) -> Note | None:
    """Why a phase is not judged at all; none if it is."""
    if not phase.enabled:
        return Note(kind=NoteKind.TURNED_OFF)
    if evaluation.route.quick and not phase.quick_seats:
        return Note(kind=NoteKind.QUICK_ROUTE, issues=tuple(issue.number for issue in evaluation.route.issues))
    if phase.where is Place.ISSUE and _has_no_issue(evaluation):
        return Note(kind=NoteKind.NO_ISSUE)
    files = evaluation.facts.snapshot.files
    changed = (path for entry in files.entries for path in (entry.path, entry.previous_path) if path)
    if files.complete and not phase.concerns(changed):
        return Note(kind=NoteKind.NO_PATHS)
    return None


def _has_no_issue(evaluation: Evaluation) -> bool:
    """Whether no issue need be linked, and none ever was: neither by an event nor by an earlier description."""
    snapshot = evaluation.facts.snapshot
    unlinked = not snapshot.issues and snapshot.pull_request.relinked_at is None
    return unlinked and not evaluation.facts.policy.issue.required


def _earlier(decided: tuple[PhaseReport, ...]) -> Iterator[Need]:
    for phase in decided:
        if phase.state is not State.SUCCESS:
            yield Need(kind=NeedKind.EARLIER_PHASE, name=phase.name, state=NeedState.WAITING, why=Why.EARLIER_PHASE)


def _views(evaluation: Evaluation, phase: Phase) -> Iterator[PhaseView]:
    if phase.where is Place.PULL_REQUEST:
        yield _view(evaluation, phase, None)
        return
    for issue in evaluation.route.issues:
        if not issue.quick:
            yield _view(evaluation, phase, issue)


def _view(evaluation: Evaluation, phase: Phase, route: IssueRoute | None) -> PhaseView:
    issue = None if route is None else route.number
    here = (phase.where, issue)
    folders = tuple(_folders(evaluation, issue))
    return PhaseView(
        facts=evaluation.facts,
        phase=phase,
        seats=tuple(_seats(evaluation, phase, folders)),
        issue=issue,
        spent_by=None if route is None else route.spent_by,
        told=words_told(evaluation.votes) if evaluation.facts.snapshot.record.signals else frozenset(),
        folders=folders,
        spoken=evaluation.spoken.get(here, Spoken()),
        refusals=evaluation.refusals,
        refused_acts=tuple(act for act in evaluation.acts if _is_refused_act(act, phase)),
        acts=tuple(
            act
            for act in evaluation.acts
            if act.command.phase == phase.name and (act.command.source.place, act.command.source.issue) == here
        ),
    )


def _seats(evaluation: Evaluation, phase: Phase, folders: tuple[IssueFolder, ...]) -> Iterator[Seat]:
    """The seats of a phase: those of an issue's folder once for each of them, as its route asks for them."""
    roles = evaluation.facts.policy.roles
    names = phase.quick_seats if evaluation.route.quick else phase.seats
    yield from (Seat(role=roles[name]) for name in names if not roles[name].per_issue)
    quick = {route.number for route in evaluation.route.issues if route.quick}
    for folder in folders:
        asked = phase.quick_seats if folder.issue in quick else phase.seats
        for name in phase.every_seat:
            required = name in asked
            if roles[name].per_issue and (required or name in phase.optional_seats):
                yield Seat(role=roles[name], folder=folder, required=required)


def is_refused(vote: Vote) -> bool:
    """Whether a word stands there and does not count."""
    said = vote.signal.kind is not Kind.PROPOSAL
    return vote.validity is Validity.IGNORED and vote.signal.source.latest and said


def _is_refused_act(act: Act, phase: Phase) -> bool:
    """Whether an act of a phase stands there and does not count, for another reason than that it was taken back."""
    code = "" if act.why is None else act.why.code
    own = act.command.phase in (phase.name, "") or code == NO_SUCH_PHASE
    return not act.counts and own and code != TAKEN_BACK


def _folders(evaluation: Evaluation, issue: int | None) -> Iterator[IssueFolder]:
    """The folders of the issues that are judged at a place."""
    routes = {route.number: route for route in evaluation.route.issues}
    for folder in evaluation.folders:
        route = routes.get(folder.issue or 0)
        if issue in (None, folder.issue):
            yield folder if route is None else _unspent(folder, route)


def _unspent(folder: IssueFolder, route: IssueRoute) -> IssueFolder:
    """The folder of an issue that is still open for this work."""
    if route.spent_by is None:
        return folder
    message = f"#{route.number} was closed by {route.spent_by}, so its evidence is spent"
    return replace(folder, wrong=problem("PG404", message, Where(url=route.url)))


def _optional_and_idle(evaluation: Evaluation, phase: Phase, views: tuple[PhaseView, ...]) -> Note | None:
    """The note that an optional phase was not run on the present content; none if it must run."""
    if not phase.by_issue_type or evaluation.route.qa_required:
        return None
    heard = [
        vote
        for view in views
        for vote in view.votes
        if vote.role in view.names and vote.validity not in (Validity.EDITED_AWAY, Validity.IGNORED)
    ]
    tampered = any(True for view in views for _ in history_needs(view))
    strayed = any(view.strayed(seat) is not None for view in views for seat in view.required)
    if tampered or strayed or any(vote.fresh or vote.signal.source.tampered_by is not None for vote in heard):
        return None
    return Note(kind=NoteKind.OPTIONAL, begun=bool(heard))


def rounds(view: PhaseView) -> tuple[Round, ...]:
    """The rounds of a phase at one place, the oldest first; the present content is always among them."""
    labels = _contents(view)
    names = (*view.names, *_optional(view))
    said: dict[str, list[Vote]] = {content: [] for content in labels}
    for vote in view.votes:
        if vote.role in names and vote.content in said and vote.validity is not Validity.IGNORED:
            said[vote.content].append(vote)
    made: list[Round] = []
    known: dict[str, RoundFinding] = {}
    for content, label in labels.items():
        if said[content] or content == view.content:
            made.append(_round(view, content, label, said[content], known, made))
    return tuple(made)


def _optional(view: PhaseView) -> Iterator[str]:
    """The other roles of the phase that have judged something."""
    for name in view.phase.optional_seats:
        if any(vote.role == name and vote.signal.kind is Kind.VERDICT for vote in view.votes):
            yield name


def _round(  # noqa: PLR0913, PLR0917  (a round and what came before it)
    view: PhaseView, content: str, label: str, votes: list[Vote], known: dict[str, RoundFinding], before: list[Round]
) -> Round:
    by_role: dict[str, list[Vote]] = {}
    for vote in votes:
        by_role.setdefault(vote.role or "", []).append(vote)
    findings = tuple(
        _finding(vote, finding, label, known) for vote in votes if vote.failed for finding in vote.signal.findings
    )
    return Round(
        content=content,
        label=label,
        current=content == view.content,
        votes=tuple(_summed_up(role, spoken) for role, spoken in by_role.items()),
        findings=tuple(dict.fromkeys(findings)),
        fixed=_fixed(findings, votes, before),
    )


def _summed_up(role: str, votes: list[Vote]) -> RoundVote:
    """A role's last vote on a content; a FAIL before it stays visible."""
    last = _outcome(votes[-1])
    failed_before = any(vote.failed for vote in votes[:-1]) and not votes[-1].failed
    return RoundVote(role=role, outcome=f"FAIL, then {last}" if failed_before else last, signal=votes[-1].id)


def _finding(vote: Vote, finding: Finding, label: str, known: dict[str, RoundFinding]) -> RoundFinding:
    """A finding with the round that raised it first: the same place or the same votes are the same finding."""
    keys = [f"at {finding.location.strip().lower()}", f"says {finding.summary.strip().lower()}"]
    earlier = next((known[key] for key in keys if key in known), None)
    made = RoundFinding(
        id=finding.id,
        role=vote.role or "",
        summary=finding.summary,
        location=finding.location,
        first_in=label if earlier is None else earlier.first_in,
    )
    for key in keys:
        known.setdefault(key, made)
    return made


def _fixed(findings: tuple[RoundFinding, ...], votes: list[Vote], before: list[Round]) -> tuple[RoundFinding, ...]:
    """What the last failing round held that this one, once judged, no longer does."""
    previous = next((item for item in reversed(before) if item.findings), None)
    if previous is None or not votes:
        return ()
    places = {item.location.lower() for item in findings}
    texts = {item.summary.lower() for item in findings}
    return tuple(
        item for item in previous.findings if item.location.lower() not in places and item.summary.lower() not in texts
    )


def _contents(view: PhaseView) -> dict[str, str]:
    if view.phase.where is Place.ISSUE:
        plans = [plan for plan in view.facts.plans.votes if plan.signal.source.issue == view.issue]
        texts = dict.fromkeys(plan.signal.digest for plan in plans)
        return {text: f"#{view.issue} plan {number}" for number, text in enumerate(texts, start=1)}
    timeline = view.facts.timeline
    labels: dict[str, str] = {}
    for commit in timeline.heads:
        labels.setdefault(timeline.content(commit), short(commit))
    return labels


def _outcome(vote: Vote) -> str:
    if vote.validity is Validity.INVALID or vote.outcome is None:
        return "invalid"
    return vote.outcome.value
