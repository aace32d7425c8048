"""The phases in order: which are judged, what each needs, and its state (6.1, 6.2); merge queues."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from phasegate.catalogue import problem
from phasegate.model.frozen import replace
from phasegate.model.problem import Problem, Where
from phasegate.model.report import Need, NeedKind, Note, NoteKind, PhaseReport, Queued, State, Why, Withheld
from phasegate.model.signal import OVERALL, OVERRIDE, RESUME, Act, Does, Place
from phasegate.model.snapshot import MergeGroup, Snapshot
from phasegate.policy.model import Phase, Policy
from phasegate.rules.accounts import is_one
from phasegate.rules.desk import Desk, desks_of, every_desk, is_refused
from phasegate.rules.ladder import need_of
from phasegate.rules.ledger import Ledger
from phasegate.rules.needs import FAILED, MET, WAITING, history_needs, needs_of
from phasegate.rules.rounds import rounds_of
from phasegate.rules.route import is_labelled_quick, missed_exemption

FOREIGN_ISSUE = "PG402"
NOT_LOWERED = ("PG403", "PG407", "PG408")  # a label or link that does not lower the requirements
WORST_FIRST = (State.ERROR, State.FAILURE, State.PENDING, State.SUCCESS)


def decide(ledger: Ledger) -> tuple[PhaseReport, ...]:
    """Decides every phase in order; each sees the ones before it."""
    decided: tuple[PhaseReport, ...] = ()
    for phase in ledger.policy.phases:
        decided += (_decide(ledger, phase, decided),)
    return decided


def with_rounds(ledger: Ledger, decided: tuple[PhaseReport, ...]) -> Iterator[PhaseReport]:
    """The phases with the history of their rounds, for display."""
    for phase, report in zip(ledger.policy.phases, decided, strict=True):
        shown = () if _skipped(ledger, phase) is not None else desks_of(ledger, phase)
        yield replace(report, rounds=tuple(item for desk in shown for item in rounds_of(desk)))


def by_one_account(ledger: Ledger) -> Iterator[str]:
    """The phases in which one account made, challenged and confirmed the work, as the policy allows."""
    for phase in ledger.policy.phases:
        for desk in desks_of(ledger, phase):
            seats = [seat for seat in desk.required if seat.role.judges]
            words = [(seat.role.does, seat.last.source.author) for seat in seats if seat.last]
            accounts = [account for _, account in (*desk.makers(), *words)]
            triad = phase.creator is not None and {Does.CHALLENGES, Does.CONFIRMS} <= {does for does, _ in words}
            if triad and all(is_one(account, accounts[0]) for account in accounts):
                yield phase.name
                break


def worst(states: Iterable[State]) -> State:
    """The worst of several states. ERROR if there are none, because nothing was decided."""
    return min(states, key=WORST_FIRST.index, default=State.ERROR)


def _decide(ledger: Ledger, phase: Phase, earlier: tuple[PhaseReport, ...]) -> PhaseReport:
    desks, skipped = tuple(desks_of(ledger, phase)), _skipped(ledger, phase)
    everywhere = override_on_pull_request(ledger, phase)
    overridden = {desk.issue: act for desk in desks if (act := desk.override) is not None}
    acts = overridden.values() if everywhere is None else (everywhere,)
    notes = tuple(
        Note(kind=NoteKind.OVERRIDDEN, by=at.login or "?", issues=tuple(filter(None, (at.issue,))), reason=reason)
        for at, reason in ((act.source, act.command.reason) for act in acts)
    )
    if skipped is not None and skipped.kind is NoteKind.NO_PATHS and notes:
        return _report(phase, State.SUCCESS, notes=notes)  # where nothing else is judged, somebody has looked at it
    if skipped is not None:
        return _unless(() if skipped.kind is NoteKind.TURNED_OFF else _objections(ledger, phase), phase, skipped)
    wait = Need(kind=NeedKind.EARLIER_PHASE, name="", state=WAITING, why=Why.EARLIER_PHASE)
    before = tuple(replace(wait, name=each.name) for each in earlier if each.state is not State.SUCCESS)
    idle = _optional_and_idle(ledger, phase, desks)
    if idle is not None:
        return _unless(before, phase, idle)
    if everywhere is not None or (overridden and len(overridden) == len(desks)):
        return _report(phase, State.SUCCESS, notes=notes, needs=(*before, *_asked(ledger, phase, desks)))
    asked = tuple(_asked(ledger, phase, tuple(desk for desk in desks if desk.issue not in overridden)))
    if ledger.exempt:
        failed = (need for need in asked if need.state is FAILED)
        held = (*failed, *(need for need in _objections(ledger, phase) if need.state is WAITING))
        return _unless(held, phase, Note(kind=NoteKind.EXEMPT, reason=ledger.exempt))
    found = (*before, *asked)
    report = _report(phase, needs=found, notes=notes)
    if report.state is State.SUCCESS:
        return report
    vain = (*_failed_override(ledger, phase, desks), *_idle_resume(desks))
    return replace(report, notes=(*notes, *vain, *_asked_for_less(ledger, phase, found)))


def _report(
    phase: Phase, state: State | None = None, *, notes: tuple[Note, ...] = (), needs: tuple[Need, ...] = ()
) -> PhaseReport:
    """A phase with its state, or the state that follows from its needs: pending if there are none."""
    states = {need.state for need in needs}
    open_state = State.PENDING if WAITING in states or not states else State.SUCCESS
    return PhaseReport(
        name=phase.name,
        context=f"{OVERALL}/{phase.name}",
        state=state or (State.FAILURE if FAILED in states else open_state),
        where=phase.where,
        notes=notes,
        needs=needs,
        most_rounds=0 if phase.max_attempts is None else phase.max_attempts + 1,
    )


def _unless(held: Iterable[Need], phase: Phase, note: Note) -> PhaseReport:
    """A phase that need not run. It runs if anything holds it."""
    needs = tuple(held)
    return _report(phase, needs=needs) if needs else _report(phase, State.SUCCESS, notes=(note,))


# ---- phases that are not judged


def _skipped(ledger: Ledger, phase: Phase) -> Note | None:
    """Why a phase is not judged at all, or None if it is."""
    snapshot, files = ledger.snapshot, ledger.snapshot.files
    if not phase.enabled:
        return Note(kind=NoteKind.TURNED_OFF)
    if ledger.route.quick and not phase.quick_seats:
        return Note(kind=NoteKind.QUICK_ROUTE, issues=tuple(issue.number for issue in ledger.route.issues))
    unlinked = not snapshot.issues and snapshot.pull_request.relinked_at is None  # and none ever was
    if phase.where is Place.ISSUE and unlinked and not ledger.policy.issue.required:
        return Note(kind=NoteKind.NO_ISSUE)
    return Note(kind=NoteKind.NO_PATHS) if files.complete and not phase.concerns(files.paths) else None


def _objections(ledger: Ledger, phase: Phase) -> Iterator[Need]:
    """What still blocks a phase that need not run (L6): objections to this content, and the history.

    A path filter, a quick route or an exemption does not answer an objection; an override does.
    """
    everywhere = override_on_pull_request(ledger, phase) is not None
    for desk in (each for each in every_desk(ledger, phase) if not everywhere and each.override is None):
        yield from (need_of(seat) for seat in desk.looked_at if seat.objections)
        yield from history_needs(desk)


def _optional_and_idle(ledger: Ledger, phase: Phase, desks: tuple[Desk, ...]) -> Note | None:
    """A note that an optional phase did not run on the present content, or None if it must run."""
    if not phase.by_issue_type or ledger.route.qa_required:
        return None
    begun = False
    for desk in desks:
        words = [word for seat in desk.required for word in seat.standing]
        begun = begun or bool(words)
        run = any(word.vote.fresh or word.source.tampered_by for word in words)
        held = (need for need in history_needs(desk) if need.kind is NeedKind.HISTORY)
        if run or any(seat.objections for seat in desk.looked_at) or any(True for _ in held):
            return None
    return Note(kind=NoteKind.OPTIONAL, begun=begun)


def _asked(ledger: Ledger, phase: Phase, desks: tuple[Desk, ...]) -> Iterator[Need]:
    in_files = any(ledger.policy.role(name).per_issue for name in phase.seats)
    if not ledger.route.issues and (phase.where is Place.ISSUE or (in_files and not ledger.folders)):
        snapshot, base = ledger.snapshot, ledger.snapshot.pull_request.base.ref
        yield Need(
            kind=NeedKind.LINKED_ISSUE,
            name="issue",
            state=WAITING,
            why=Why.MISSING,
            other=phase.name if phase.where is Place.ISSUE else "",
            place="" if base == snapshot.repository.default_branch else base,  # keywords link nothing there
            also=tuple(item for item in ledger.route.problems if item.code == FOREIGN_ISSUE),
        )
    for desk in desks:
        yield from needs_of(desk)


# ---- overrides, and acts without effect


def override_on_pull_request(ledger: Ledger, phase: Phase) -> Act | None:
    """A human's override of a phase on issues, given on the pull request for its present content."""
    for act in reversed(ledger.acts) if phase.where is Place.ISSUE else ():
        own = act.counts and (act.command.verb, act.command.phase) == (OVERRIDE, phase.name)
        if own and act.source.place is Place.PULL_REQUEST and act.content == ledger.timeline.current:
            return act
    return None


def _failed_override(ledger: Ledger, phase: Phase, desks: tuple[Desk, ...]) -> Iterator[Note]:
    """The last override of the phase, if it does not count or is for other content and nobody spoke since."""
    given = [act for act in ledger.acts if act.command.verb == OVERRIDE]
    last = max((act.source.moment for act in given if act.counts), default=("", 0))  # the one that was meant
    tried = (act for act in given if is_refused(act, phase) and act.source.moment > last)
    own = (act for act in given if act.command.phase == phase.name)
    act = max((*tried, *own), key=lambda act: act.source.moment, default=None)
    if act is None or any(desk.override or desk.spoken_since(act.source.at) for desk in desks):
        return
    by = act.source.login or "?"
    if act.counts:
        yield Note(kind=NoteKind.OVERRIDE_OLDER, by=by)
    elif is_refused(act, phase) and ledger.accounts.speaker(act.source).deserves_reply:
        yield Note(kind=NoteKind.OVERRIDE_REFUSED, by=by, problem=act.why)


def _idle_resume(desks: tuple[Desk, ...]) -> Iterator[Note]:
    """The last resume of the phase, if there was nothing to resume and nobody has spoken or pushed since."""
    for desk in desks:
        acts = [act for act in desk.every_act if act.command.verb == RESUME]
        vain = [act for act in acts if is_refused(act, desk.phase) and desk.deserves_reply(act.source)]
        last = max((*desk.given(RESUME), *vain), key=lambda act: act.source.moment, default=None)
        pushed = last and desk.commit is not None and desk.timeline.arrived(desk.commit) > last.source.at
        if last is None or pushed or desk.spoken_since(last.source.at):
            continue
        others = tuple(act for act in desk.every_act if act is not last)
        if not any(history_needs(Desk(desk.ledger, desk.phase, desk.route, others))):
            idle = problem("PG238", "the phase is neither escalated nor blocked by its history", last.command.where)
            yield Note(kind=NoteKind.RESUME_IDLE, by=last.source.login or "?", problem=idle)


def _asked_for_less(ledger: Ledger, phase: Phase, found: tuple[Need, ...]) -> Iterator[Note]:
    """Why the phase is judged although somebody may expect otherwise: a missed exemption, a refused label or link."""
    begun = any(need.kind is NeedKind.SEAT and need.state is MET for need in found)
    if begun or any(need.state is FAILED or need.problem is not None for need in found):
        return
    first = not any(need.kind is NeedKind.EARLIER_PHASE for need in found)
    missed = missed_exemption(ledger) if first else None
    if missed is not None:
        yield Note(kind=NoteKind.NOT_EXEMPT, problem=missed)
    quick = first and any(is_labelled_quick(ledger.policy, issue.labels) for issue in ledger.snapshot.own_issues)
    if phase.by_issue_type or quick:
        refused = (item for item in ledger.route.problems if item.code in NOT_LOWERED)
        yield from (Note(kind=NoteKind.NOT_LOWERED, problem=item) for item in tuple(refused)[:1])


# ---- 13: the commit of a merge queue passes as its pull request does, if it brings in exactly what was judged


def queued_of(snapshot: Snapshot) -> Queued | None:
    """The commit of the merge queue that is decided, if any."""
    group = snapshot.merge_group
    if group is None:
        return None
    return Queued(commit=group.head, base=group.base, branch=group.branch, differs=group.differs or ())


# 13: why the queue's commit does not pass although its pull request does: the first row that holds.
QUEUE: tuple[tuple[str, Withheld, str, Callable[[Policy, Snapshot, MergeGroup], bool], str], ...] = (
    ("ref", Withheld.OTHER_QUEUE, "PG410", lambda _policy, snapshot, group:
     (group.number, group.branch) != (snapshot.pull_request.number, snapshot.pull_request.base.ref),
     "{group.ref} does not name #{pull.number} in the queue of {pull.base.ref}"),
    ("unknown", Withheld.QUEUED_UNKNOWN, "PG411", lambda _policy, _snapshot, group: group.differs is None,
     "GitHub does not tell all that {group.head:.7} brings in on {group.base:.7}"),
    # brings in content that nobody judged; the policy may tolerate files that others changed too
    ("unjudged", Withheld.QUEUED_OTHERWISE, "PG412", lambda policy, snapshot, group:
     not {path for path in group.beside if path in snapshot.files.paths and policy.may_overlap(path)}
     .issuperset(group.differs or ()),
     "{paths} in {group.head:.7} is not what was judged on {pull.head.sha:.7}"),
)  # fmt: skip


def decide_queued(
    policy: Policy, snapshot: Snapshot, state: State, withheld: Withheld | None
) -> tuple[State, Withheld | None]:
    """The state of the merge queue's commit, from the state of its pull request.

    Pending becomes a failure: nobody decides this commit again, and the queue would wait until it times out.
    """
    group = snapshot.merge_group
    if group is None or state is State.ERROR:
        return state, withheld
    if state is not State.SUCCESS:
        return State.FAILURE, withheld
    why = next((why for _, why, _, holds, _ in QUEUE if holds(policy, snapshot, group)), None)
    return State.SUCCESS if why is None else State.FAILURE, why


def queue_problems(snapshot: Snapshot, withheld: Withheld | None) -> tuple[Problem, ...]:
    """What is wrong with the merge queue's commit, with a fix."""
    group = snapshot.merge_group
    if group is None:
        return ()
    where = Where(url=f"{snapshot.repository.url}/commit/{group.head}")
    told = {"group": group, "pull": snapshot.pull_request, "paths": ", ".join((group.differs or ())[:5])}
    return tuple(problem(code, says.format(**told), where) for _, why, code, _, says in QUEUE if why is withheld)
