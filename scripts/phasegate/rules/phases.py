"""The phases in their order: which are judged, what each needs, and the state that follows (6.1, 6.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from phasegate.catalogue import problem
from phasegate.model.frozen import replace
from phasegate.model.problem import Severity
from phasegate.model.report import RECORD, RESULTS, Need, NeedKind, NeedState, Note, NoteKind, PhaseReport, State, Why
from phasegate.model.signal import OVERALL, Act, Does, Kind, Medium, Outcome, Place, Validity, Vote
from phasegate.policy.model import Group, Phase
from phasegate.rules import removals
from phasegate.rules.accounts import is_one
from phasegate.rules.approvals import approval_need
from phasegate.rules.checks import check_needs
from phasegate.rules.desk import OVERRIDE, RESUME, Desk, Evaluation, desks_of, every_desk, is_refused, said
from phasegate.rules.exemption import missed_exemption
from phasegate.rules.explain import REFUSALS, untold_plan
from phasegate.rules.ladder import Seat, need_of, optional_need
from phasegate.rules.rounds import rounds
from phasegate.rules.route import is_labelled_quick

FOREIGN_ISSUE = "PG402"
NOT_LOWERED = ("PG403", "PG407", "PG408")  # why a label or a link does not ask for less
WORST_FIRST = (State.ERROR, State.FAILURE, State.PENDING, State.SUCCESS)
MET, WAITING, FAILED = NeedState.MET, NeedState.WAITING, NeedState.FAILED


def decide_phases(evaluation: Evaluation) -> tuple[PhaseReport, ...]:
    """Every phase, each knowing those before it, with its rounds."""
    reports = []
    for phase, report in zip(evaluation.facts.policy.phases, decide(evaluation), strict=True):
        shown = () if _skipped(evaluation, phase) is not None else desks_of(evaluation, phase)
        reports.append(replace(report, rounds=tuple(item for desk in shown for item in rounds(desk))))
    return tuple(reports)


def decide(evaluation: Evaluation) -> tuple[PhaseReport, ...]:
    """Every phase in order, each knowing those before it, without the history of rounds."""
    decided: list[PhaseReport] = []
    for phase in evaluation.facts.policy.phases:
        decided.append(_decide(evaluation, phase, tuple(decided)))
    return tuple(decided)


def by_one_account(evaluation: Evaluation) -> Iterator[str]:
    """The phases whose work one account made, challenged and confirmed, as the policy allows."""
    for phase in evaluation.facts.policy.phases:
        for desk in desks_of(evaluation, phase):
            words = [(seat.role.does, seat.last.source.author) for seat in desk.required if seat.judges and seat.last]
            accounts = [account for _, account in (*desk.makers(), *words)]
            triad = phase.creator is not None and {Does.CHALLENGES, Does.CONFIRMS} <= {does for does, _ in words}
            if triad and all(is_one(account, accounts[0]) for account in accounts):
                yield phase.name
                break


def worst(states: Iterable[State]) -> State:
    """The worst of several states; an error if there are none, since nothing was decided."""
    return min(states, key=WORST_FIRST.index, default=State.ERROR)


def _decide(evaluation: Evaluation, phase: Phase, earlier: tuple[PhaseReport, ...]) -> PhaseReport:
    desks, skipped = tuple(desks_of(evaluation, phase)), _skipped(evaluation, phase)
    everywhere = override_on_pull_request(evaluation, phase)
    overridden = {desk.issue: act for desk in desks if (act := desk.override) is not None}
    acts = overridden.values() if everywhere is None else (everywhere,)
    notes = tuple(
        Note(
            kind=NoteKind.OVERRIDDEN, by=source.login or "?", issues=tuple(filter(None, (source.issue,))), reason=reason
        )
        for source, reason in ((act.source, act.command.reason) for act in acts)
    )
    if skipped is not None and skipped.kind is NoteKind.NO_PATHS and notes:
        return _report(phase, State.SUCCESS, notes=notes)  # where nothing else is judged, somebody has looked at it
    if skipped is not None:
        return _unless(() if skipped.kind is NoteKind.TURNED_OFF else _objections(evaluation, phase), phase, skipped)
    wait = Need(kind=NeedKind.EARLIER_PHASE, name="", state=WAITING, why=Why.EARLIER_PHASE)
    before = tuple(replace(wait, name=each.name) for each in earlier if each.state is not State.SUCCESS)
    idle = _optional_and_idle(evaluation, phase, desks)
    if idle is not None:
        return _unless(before, phase, idle)
    asked = tuple(_asked(evaluation, phase, desks))
    if evaluation.exempt:
        failed = (need for need in asked if need.state is FAILED)
        held = (*failed, *(need for need in _objections(evaluation, phase) if need.state is WAITING))
        return _unless(held, phase, Note(kind=NoteKind.EXEMPT, reason=evaluation.exempt))
    if everywhere is not None or (overridden and len(overridden) == len(desks)):
        return _report(phase, State.SUCCESS, notes=notes, needs=(*before, *asked))
    rest = tuple(desk for desk in desks if desk.issue not in overridden)
    found = (*before, *(_asked(evaluation, phase, rest) if overridden else asked))
    report = _report(phase, needs=found, notes=notes)
    if report.state is State.SUCCESS:
        return report
    vain = (*_override_in_vain(evaluation, phase, desks), *_resumed_in_vain(desks))
    return replace(report, notes=(*notes, *vain, *_asked_for_less(evaluation, phase, found)))


def _report(
    phase: Phase, state: State | None = None, *, notes: tuple[Note, ...] = (), needs: tuple[Need, ...] = ()
) -> PhaseReport:
    """A phase with its state, or the one that follows from its needs; without any need it is pending."""
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
    """A phase that need not run, unless something holds it."""
    needs = tuple(held)
    return _report(phase, needs=needs) if needs else _report(phase, State.SUCCESS, notes=(note,))


# ---- what a phase needs at one place


def plan_need(desk: Desk) -> Iterator[Need]:
    """The plan itself, of a phase that is judged on issues."""
    creator = desk.phase.creator or ""
    if desk.phase.where is not Place.ISSUE or (creator in desk.names and desk.spent_by is None):
        return
    told: dict[str, object] = {"name": f"#{desk.issue}", "actor": creator, "other": desk.spent_by or ""}
    plan = desk.facts.plans.latest(desk.issue)
    state, why = (FAILED, Why.INVALID) if plan and plan.validity is Validity.INVALID else (MET, Why.PASSED)
    if desk.spent_by is not None:
        plan, state, why = None, WAITING, Why.SPENT
    elif plan is None:
        if creator:
            plan = desk.refused(Seat(desk, desk.policy.role(creator))) or untold_plan(desk, creator)
        state, why = WAITING, Why.REFUSED if plan else Why.MISSING
    if plan is not None:
        wrong, others = plan.why, plan.problems if why is Why.REFUSED else ()
        also = tuple(each for each in others if each != wrong and wrong and each.code in (wrong.code, *REFUSALS))
        told |= {"signal": plan.id, "by": plan.source.login, "problem": wrong, "also": also}
    yield desk.need(NeedKind.PLAN, state, why, **told)


def worker_need(desk: Desk) -> Iterator[Need]:
    """That nobody who makes or fixes the work is blocked: what is not made yet need not be judged yet.

    A BLOCKED is taken back by any later valid word of a worker, and not by another account's edit.
    """
    if desk.phase.creator is None or desk.phase.where is Place.ISSUE:
        return
    heard = (vote for vote in desk.votes if vote.role in desk.phase.workers and vote.heard)
    votes = [vote for vote in heard if vote.signal.kind is Kind.VERDICT]
    good = [vote for vote in votes if vote.validity is Validity.VALID and vote.outcome is not Outcome.BLOCKED]
    for blocked in [vote for vote in votes if vote.signal.outcome is Outcome.BLOCKED][-1:]:
        told = {"name": blocked.role, "actor": blocked.role, "signal": blocked.id, "question": blocked.signal.question}
        if not any(_is_surely_later(vote, blocked) for vote in good):
            yield desk.need(NeedKind.WORKER, WAITING, Why.BLOCKED, **told)


def _is_surely_later(vote: Vote, other: Vote) -> bool:
    """True in a later second, or as a later version of the same text."""
    one, two = vote.source, other.source
    return one.at > two.at or (one.id == two.id and one.version > two.version)


def seat_needs(desk: Desk) -> Iterator[Need]:
    """One need for each seat that must be filled, and for each other one that is filled and wrong."""
    wanted = [seat.folder for seat in desk.required]
    unusable = [folder for folder in desk.folders if folder.wrong is not None and folder in wanted]
    groups = () if desk.evaluation.route.quick else desk.phase.groups
    members = {name for group in groups for name in group.members}
    single = [seat for seat in desk.seats if seat.folder not in unusable and seat.name not in members]
    needs = (need_of(seat) if seat.required else optional_need(seat) for seat in single)
    yield from (need for need in needs if need is not None)
    for group in groups:
        yield from _group_needs(desk, group)
    for folder in unusable:
        told = {"name": folder.path, "folder": folder.path, "issue": None, "problem": folder.wrong}
        state = FAILED if folder.wrong is not None and folder.wrong.severity is Severity.ERROR else WAITING
        yield desk.need(NeedKind.FOLDER, state, Why.UNUSABLE, **told)


def _group_needs(desk: Desk, group: Group) -> Iterator[Need]:
    """Passes of enough members of a group, and no objection of any: only who did not run does not hold the phase.

    Did not run: nobody has spoken there, or only said so, and nothing else is against it.
    """
    needs = [(seat, need_of(seat)) for seat in desk.required if seat.name in group.members]
    passed = [need for _, need in needs if need.state is MET]
    others, idle = [need for _, need in needs if need.state is not MET], dict[str, str]()
    for seat, need in needs:
        if need.state is not MET and all(word.vote is not None and word.vote.signal.idle for word in seat.objections):
            others.remove(need)
            said = None if seat.last_vote is None else seat.last_vote.signal
            idle[seat.name] = f"{said.said} {said.notes}".strip() if said is not None and said.idle else ""
    yield from (*others, *passed)
    if idle or len(passed) < group.need:
        first = next(iter(idle), group.members[0])
        told = {"findings": group.members, "count": len(passed), "limit": group.need, "idle": tuple(idle.items())}
        state = WAITING if len(passed) < group.need else MET
        yield desk.need(NeedKind.SEAT, state, Why.GROUP, name=first, actor=first, **told)


def removal_needs(desk: Desk) -> Iterator[Need]:
    """One need for each word that was taken away and is still missed (L10)."""
    for gone in desk.removals:
        told = {"other": gone.seat, "by": gone.by, "said": gone.said, "signal": gone.signal}
        if not any(ends(desk, gone) for _, ends in removals.ENDS):
            yield desk.need(NeedKind.HISTORY, FAILED if gone.failed or gone.malformed else WAITING, gone.how, **told)


def _unseen(desk: Desk, what: str, at: str | None) -> Iterator[Need]:
    """That nothing from before a moment is out of sight, as far as a human has not looked at it."""
    if at is not None and not desk.resumed_since(at):
        yield desk.need(NeedKind.HISTORY, FAILED, Why.UNSEEN, at=at, said=what)


def unread_results(desk: Desk) -> Iterator[Need]:
    """That every result of an older commit could be read."""
    read = any(Medium.FILE in role.media for role in desk.judging)
    return _unseen(desk, RESULTS, desk.facts.snapshot.branch_files_unseen if read else None)


def unread_record(desk: Desk) -> Iterator[Need]:
    """That the record was read to its end, where a FAIL may stand on the rest of it."""
    record, timeline = desk.facts.snapshot.record, desk.timeline
    written = any(role.name in desk.phase.seats and role.media != {Medium.FILE} for role in desk.judging)
    unread = written and not record.complete
    return _unseen(desk, RECORD, (record.unseen or timeline.arrived(timeline.head)) if unread else None)


def full_record(desk: Desk) -> Iterator[Need]:
    """That the head's record has room for more: a resume cannot replace what was never recorded."""
    if desk.facts.snapshot.record.full and desk.judging:
        yield desk.need(NeedKind.HISTORY, FAILED, Why.RECORD_FULL, commit=desk.timeline.head)


def unrecorded_needs(desk: Desk) -> Iterator[Need]:
    """That the gate knows what a deleted comment said, as far as it may have been a word of the phase."""
    event = removals.forgotten(desk)
    if event is not None:
        by = "somebody" if event.actor is None else event.actor.login
        whose = "an unknown account" if event.author is None else event.author.login
        yield desk.need(NeedKind.HISTORY, WAITING, Why.UNRECORDED, by=by, at=event.at, said=whose)


def round_needs(desk: Desk) -> Iterator[Need]:
    """That the phase is not escalated: the failing round beyond the last attempt does it, a resume begins anew."""
    failed, escalated = attempts(desk)
    if escalated:
        told = {"count": len(failed), "limit": desk.phase.max_attempts}
        yield desk.need(NeedKind.ATTEMPTS, FAILED, Why.ESCALATED, **told)


def attempts(desk: Desk) -> tuple[set[str], bool]:
    """The contents that failed since the phase began or was resumed, and whether that was once too often.

    A resume of the same second as a failure is not after it. Named reviewers make failing rounds only where the policy
    itself limits the attempts (L13).
    """
    failed, most, escalated = set[str](), desk.phase.max_attempts, False
    resumes = ((act.source.at, False, "") for act in desk.given(RESUME))
    free = {name for name in desk.counted if desk.policy.role(name).only_named and not desk.phase.limits_reviewers}
    told = desk.ledger.failures(desk.place, desk.counted)
    failures = ((at, True, content) for at, seat, content in told if seat not in free)
    for _, is_failure, content in sorted([*resumes, *failures]):
        if is_failure:
            failed.add(content)
            escalated = escalated or (most is not None and len(failed) > most)
        elif escalated:
            failed, escalated = set(), False
    return failed, escalated


# 6.1: what a phase needs, in the order in which people read it.
PHASE: tuple[tuple[str, Callable[[Desk], Iterator[Need]]], ...] = (
    ("plan", plan_need),
    ("worker not blocked", worker_need),
    ("seats", seat_needs),
    ("checks", check_needs),
    ("approval", approval_need),
)
HISTORY: tuple[tuple[str, Callable[[Desk], Iterator[Need]]], ...] = (
    ("taken away", removal_needs),
    ("results out of sight", unread_results),
    ("record unread", unread_record),
    ("record full", full_record),
    ("deletion without a record", unrecorded_needs),
    ("rounds", round_needs),
)


def history_needs(desk: Desk) -> Iterator[Need]:
    """What only a human can clear, with the resume that is there and does not count."""
    found, act = (need for _, row in HISTORY for need in row(desk)), desk.refused_act(RESUME)
    if act is None or act.why is None:
        yield from found
        return
    by = act.source.login or "?"
    told = replace(act.why, message=f"{by}'s {said(act.command)} does not count: {act.why.message}")
    yield from (replace(need, also=(told,), signal=need.signal or act.id) for need in found)


# ---- phases that are not judged


def _skipped(evaluation: Evaluation, phase: Phase) -> Note | None:
    """Why a phase is not judged at all; none if it is."""
    snapshot, files = evaluation.facts.snapshot, evaluation.facts.snapshot.files
    if not phase.enabled:
        return Note(kind=NoteKind.TURNED_OFF)
    if evaluation.route.quick and not phase.quick_seats:
        return Note(kind=NoteKind.QUICK_ROUTE, issues=tuple(issue.number for issue in evaluation.route.issues))
    unlinked = not snapshot.issues and snapshot.pull_request.relinked_at is None  # nor was any ever linked
    if phase.where is Place.ISSUE and unlinked and not evaluation.facts.policy.issue.required:
        return Note(kind=NoteKind.NO_ISSUE)
    return Note(kind=NoteKind.NO_PATHS) if files.complete and not phase.concerns(files.paths) else None


def _objections(evaluation: Evaluation, phase: Phase) -> Iterator[Need]:
    """What still blocks a phase that need not run (L6): what was said against this content, and its history.

    Neither a path filter, nor a quick route, nor an exemption answers an objection; an override does.
    """
    everywhere = override_on_pull_request(evaluation, phase) is not None
    for desk in (each for each in every_desk(evaluation, phase) if not everywhere and each.override is None):
        yield from (need_of(seat) for seat in desk.looked_at if seat.objections)
        yield from history_needs(desk)


def _optional_and_idle(evaluation: Evaluation, phase: Phase, desks: tuple[Desk, ...]) -> Note | None:
    """The note that an optional phase was not run on the present content; none if it must run."""
    if not phase.by_issue_type or evaluation.route.qa_required:
        return None
    begun = False
    for desk in desks:
        words = [word for seat in desk.required for word in seat.standing]
        begun = begun or bool(words)
        run = any(word.vote is not None and (word.vote.fresh or word.source.tampered_by) for word in words)
        held = (need for need in history_needs(desk) if need.kind is NeedKind.HISTORY)
        if run or any(seat.objections for seat in desk.looked_at) or any(True for _ in held):
            return None
    return Note(kind=NoteKind.OPTIONAL, begun=begun)


def _asked(evaluation: Evaluation, phase: Phase, desks: tuple[Desk, ...]) -> Iterator[Need]:
    in_files = any(evaluation.facts.policy.role(name).per_issue for name in phase.seats)
    if not evaluation.route.issues and (phase.where is Place.ISSUE or (in_files and not evaluation.folders)):
        snapshot, base = evaluation.facts.snapshot, evaluation.facts.snapshot.pull_request.base.ref
        yield Need(
            kind=NeedKind.LINKED_ISSUE,
            name="issue",
            state=WAITING,
            why=Why.MISSING,
            other=phase.name if phase.where is Place.ISSUE else "",
            place="" if base == snapshot.repository.default_branch else base,  # keywords link nothing there
            also=tuple(item for item in evaluation.route.problems if item.code == FOREIGN_ISSUE),
        )
    for desk in desks:
        for _, row in PHASE:
            yield from row(desk)
        yield from history_needs(desk)


# ---- overrides, and what somebody did in vain


def override_on_pull_request(evaluation: Evaluation, phase: Phase) -> Act | None:
    """A human's override of a phase on issues that was given on the pull request, for its present content."""
    for act in reversed(evaluation.acts) if phase.where is Place.ISSUE else ():
        own = act.counts and (act.command.verb, act.command.phase) == (OVERRIDE, phase.name)
        here = act.source.place is Place.PULL_REQUEST
        if own and here and act.content == evaluation.facts.timeline.current:
            return act
    return None


def _override_in_vain(evaluation: Evaluation, phase: Phase, desks: tuple[Desk, ...]) -> Iterator[Note]:
    """That somebody overrode the phase last and it does not count, or was for other content; not once it went on."""
    commands = (act for act in reversed(evaluation.acts) if act.command.verb == OVERRIDE)
    act = next((act for act in commands if act.command.phase == phase.name or is_refused(act, phase)), None)
    if act is None or any(desk.override or desk.spoken_since(act.source.at) for desk in desks):
        return
    facts, by = evaluation.facts, act.source.login or "?"
    if act.counts:
        yield Note(kind=NoteKind.OVERRIDE_OLDER, by=by)
    elif is_refused(act, phase) and act.why is not None and facts.accounts.speaker(act.source).leads:
        yield Note(kind=NoteKind.OVERRIDE_REFUSED, by=by, problem=act.why)


def _resumed_in_vain(desks: tuple[Desk, ...]) -> Iterator[Note]:
    """That somebody resumed the phase last, nobody has spoken or pushed since, and there was nothing to resume."""
    for desk in desks:
        tried = [act for act in desk.evaluation.acts if act.command.verb == RESUME and is_refused(act, desk.phase)]
        resumes = (*desk.given(RESUME), *(act for act in tried if desk.leads(act.source)))
        last = max(resumes, key=lambda act: act.source.moment, default=None)
        at = "" if last is None else last.source.at
        pushed = desk.commit is not None and desk.timeline.arrived(desk.commit) > at
        if last is None or pushed or desk.spoken_since(at):
            continue
        others = tuple(act for act in desk.evaluation.acts if act is not last)
        without = Desk(replace(desk.evaluation, acts=others), desk.phase, desk.route)
        if not any(True for _ in history_needs(without)):
            idle = problem("PG238", "the phase is neither escalated nor blocked by its history", last.command.where)
            yield Note(kind=NoteKind.RESUME_IDLE, by=last.source.login or "?", problem=idle)


def _asked_for_less(evaluation: Evaluation, phase: Phase, found: tuple[Need, ...]) -> Iterator[Note]:
    """Why the phase is judged though somebody may have thought that it is not; what was said in it goes first."""
    begun = any(need.kind is NeedKind.SEAT and need.state is MET for need in found)
    if begun or any(need.state is FAILED or need.problem is not None for need in found):
        return
    facts, first = evaluation.facts, not any(need.kind is NeedKind.EARLIER_PHASE for need in found)
    missed = missed_exemption(facts.policy, facts.snapshot, facts.timeline) if first else None
    if missed is not None:
        yield Note(kind=NoteKind.NOT_EXEMPT, problem=missed)
    quick = first and any(is_labelled_quick(facts.policy, issue.labels) for issue in facts.snapshot.own_issues)
    if phase.by_issue_type or quick:
        refused = (item for item in evaluation.route.problems if item.code in NOT_LOWERED)
        yield from (Note(kind=NoteKind.NOT_LOWERED, problem=item) for item in tuple(refused)[:1])
