"""What a phase needs at one place: plan, workers, seats, checks, approval, and a history that a human cleared (6.1).

In: a desk. Out: its needs, each with how it stands and why, in the order in which people read them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from phasegate.catalogue import problem
from phasegate.model.frozen import replace
from phasegate.model.problem import Problem, Severity, Where
from phasegate.model.report import RECORD, RESULTS, Need, NeedKind, NeedState, Why
from phasegate.model.signal import Kind, Medium, Outcome, Place, Validity, Vote
from phasegate.model.snapshot import CheckRun, CommitStatus
from phasegate.model.texts import is_own
from phasegate.policy.model import Group, NamedCheck
from phasegate.rules import removals
from phasegate.rules.accounts import is_author, pushed_product
from phasegate.rules.acts import RESUME, written
from phasegate.rules.approvals import approval_need
from phasegate.rules.binding import short
from phasegate.rules.desk import Desk
from phasegate.rules.explain import REFUSALS, untold_plan
from phasegate.rules.ladder import Seat, need_of, optional_need

MET, WAITING, FAILED = NeedState.MET, NeedState.WAITING, NeedState.FAILED
COMPLETED, SUCCESS = "completed", "success"
SET_BY_ANOTHER = "Let another app or writer set the status, or name the app_id of the check in the policy."
RED = ("failure", "error", "timed_out", "action_required", "startup_failure")
UNDER_WAY = ("queued", "in_progress", "waiting", "requested", "pending")
# How a check run or commit status stands, by what it says; whatever is not known to be good is not done.
STANDS = {SUCCESS: Why.PASSED, **dict.fromkeys(RED, Why.FAILED), **dict.fromkeys(UNDER_WAY, Why.RUNNING)}
STATES = {Why.PASSED: MET, Why.FAILED: FAILED}
AGREEING = (Why.PASSED, Why.RUNNING)  # or not yet at odds
SKIPPED = "skipped"
WORST_FIRST = (Why.FAILED, Why.NOT_DONE, Why.RUNNING, Why.PASSED)


def plan_need(desk: Desk) -> Iterator[Need]:
    """The plan itself, of a phase that is judged on issues."""
    creator = desk.phase.creator or ""
    if desk.phase.where is not Place.ISSUE or (creator in desk.names and desk.spent_by is None):
        return
    told: dict[str, object] = {"name": f"#{desk.issue}", "actor": creator, "other": desk.spent_by or ""}
    plan = desk.ledger.plans.latest(desk.issue)
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
    groups = () if desk.ledger.route.quick else desk.phase.groups
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
            idle[seat.name] = _instead(seat.last_vote)
    yield from (*others, *passed)
    if idle or len(passed) < group.need:
        first = next(iter(idle), group.members[0])
        told = {"findings": group.members, "count": len(passed), "limit": group.need, "idle": tuple(idle.items())}
        state = WAITING if len(passed) < group.need else MET
        yield desk.need(NeedKind.SEAT, state, Why.GROUP, name=first, actor=first, **told)


def _instead(vote: Vote | None) -> str:
    """What a member of a group says that did not run on the present content; nothing if it says nothing at all."""
    if vote is None or vote.signal.idle:
        return "" if vote is None else f"{vote.signal.said} {vote.signal.notes}".strip()
    return "" if vote.commit is None or vote.outcome is None else f"{vote.outcome.value} for {short(vote.commit)} only"


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
    return _unseen(desk, RESULTS, desk.ledger.snapshot.branch_files_unseen if read else None)


def unread_record(desk: Desk) -> Iterator[Need]:
    """That the record was read to its end, where a FAIL may stand on the rest of it."""
    record, timeline = desk.ledger.snapshot.record, desk.timeline
    written = any(role.name in desk.phase.seats and role.media != {Medium.FILE} for role in desk.judging)
    unread = written and not record.complete
    return _unseen(desk, RECORD, (record.unseen or timeline.arrived(timeline.head)) if unread else None)


def full_record(desk: Desk) -> Iterator[Need]:
    """That the head's record has room for more: a resume cannot replace what was never recorded."""
    if desk.ledger.snapshot.record.full and desk.judging:
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


# ---- 10.4: what CI says of the head, where a phase asks that it agrees with who passed


def check_needs(desk: Desk) -> Iterator[Need]:
    """How each check stands that the phase names: all checks of that name must have succeeded."""
    head = desk.ledger.snapshot.pull_request.head.sha
    runs = (run for run in desk.ledger.snapshot.checks if run.commit in (None, head))
    red = {run.name for run in runs if _said(run) in RED}  # of these it does not count that they are skipped now
    for check in desk.phase.checks:
        stands = STANDS | ({SKIPPED: Why.PASSED} if check.skipped and check.name not in red else {})
        found = [(stands.get(said, Why.NOT_DONE), said, url) for said, url in results(desk, check)]
        missing = (Why.MISSING, "", "")
        why, said, url = next((each for worst in WORST_FIRST for each in found if each[0] is worst), missing)
        odd = None if why in AGREEING else _disagreement(desk, check, f"is {said}" if found else "is not there")
        told = {"name": check.name, "issue": None, "said": said, "place": url, "other": desk.phase.name, "problem": odd}
        yield desk.need(NeedKind.CHECK, STATES.get(why, WAITING), why, **told)


def _disagreement(desk: Desk, check: NamedCheck, told: str) -> Problem | None:
    """A pass over a check that is not good."""
    votes = ((seat.name, seat.last_vote) for seat in desk.required)
    passed = [name for name, vote in votes if vote is not None and vote.passes and vote.fresh]
    if not passed:
        return None
    message = f"{' and '.join(passed)} passed, but the check {check.name} {told} on the head"
    hint = SET_BY_ANOTHER if SUCCESS in told else ""
    return problem("PG240", message, Where(url=desk.ledger.snapshot.pull_request.url), hint=hint)


def results(desk: Desk, check: NamedCheck) -> Iterator[tuple[str, str]]:
    """What the newest run of each app with this name says, and the commit status; with an app id only that app's.

    What failed or is under way in another suite, of another workflow or event, is not hidden by a newer run.
    """
    snapshot = desk.ledger.snapshot
    head, newest = snapshot.pull_request.head.sha, dict[int | None, CheckRun]()
    suites = dict[tuple[int | None, int | None], CheckRun]()
    for run in sorted(snapshot.checks, key=lambda run: run.begun):
        if run.name == check.name and run.commit in (None, head) and check.app_id in (None, run.app_id):
            newest[run.app_id] = suites[run.app_id, run.suite] = run
    beside = (run for run in suites.values() if run is not newest[run.app_id] and still_counts(run))
    yield from ((_said(run), run.url or "") for run in (*newest.values(), *beside))
    for status in snapshot.statuses if check.app_id is None else ():
        if status.context.lower() == check.name.lower():
            unproven = next((f"{status.state} by {who}" for who in _unproven(desk, status)), None)
            yield unproven or status.state, status.url or ""


def _unproven(desk: Desk, status: CommitStatus) -> Iterator[str]:
    """Who set a status that is good, where that proves nothing: who did the work, or whoever can run a workflow."""
    creator, snapshot = status.creator, desk.ledger.snapshot
    if status.state != SUCCESS:
        return
    if creator is None:
        yield "an account that is gone"
    elif is_own(creator, None):
        yield f"{creator.login}, as which every workflow writes"
    elif not desk.policy.agents.author_may_judge and (
        is_author(snapshot, creator) or pushed_product(snapshot, creator)
    ):
        yield f"{creator.login}, who did the work"


def still_counts(run: CheckRun) -> bool:
    """Whether a run that others came after still says something; one that was cancelled made way for them."""
    return _said(run) in (*UNDER_WAY, *RED)


def _said(run: CheckRun) -> str:
    return (run.conclusion or "without a conclusion") if run.status == COMPLETED else run.status


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


def needs_of(desk: Desk) -> Iterator[Need]:
    """Everything that a phase needs at one place."""
    for _, row in PHASE:
        yield from row(desk)
    yield from history_needs(desk)


def history_needs(desk: Desk) -> Iterator[Need]:
    """What only a human can clear, with the resume that is there and does not count."""
    found, act = (need for _, row in HISTORY for need in row(desk)), desk.refused_act(RESUME)
    if act is None or act.why is None:
        yield from found
        return
    by = act.source.login or "?"
    told = replace(act.why, message=f"{by}'s {written(act.command)} does not count: {act.why.message}")
    yield from (replace(need, also=(told,), signal=need.signal or act.id) for need in found)
