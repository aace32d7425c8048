"""What a phase needs at one place: plan, workers, seats, checks, approval, no history for a human to clear.

In: a desk. Out: its needs (6.1), each with its state and reason, in the order in which people read them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from phasegate.catalogue import problem
from phasegate.model.frozen import replace
from phasegate.model.ledger import About
from phasegate.model.problem import Problem, Severity, Where
from phasegate.model.report import RECORD, RESULTS, Need, NeedKind, NeedState, Why
from phasegate.model.signal import APPROVE, RESUME, Act, Asks, Kind, Medium, Outcome, Validity, Vote
from phasegate.model.snapshot import CheckRun, CommitStatus
from phasegate.model.texts import is_own
from phasegate.policy.model import Group, NamedCheck
from phasegate.rules import removals
from phasegate.rules.accounts import is_author
from phasegate.rules.acts import written
from phasegate.rules.binding import short
from phasegate.rules.desk import Desk
from phasegate.rules.explain import REFUSALS, github_approval, untold_plan
from phasegate.rules.ladder import Seat, need_of, optional_need

MET, WAITING, FAILED = NeedState.MET, NeedState.WAITING, NeedState.FAILED
GUARDED = ("build", "qa")  # their judges may take orders from files that the pull request changes
COMPLETED, SUCCESS, SKIPPED = "completed", "success", "skipped"
SET_BY_ANOTHER = "Let another app or writer set the status, or name the app_id of the check in the policy."
RED = ("failure", "error", "timed_out", "action_required", "startup_failure")
UNDER_WAY = ("queued", "in_progress", "waiting", "requested", "pending")
# A check's standing by its state or conclusion. Anything unknown counts as not done.
STANDS = {SUCCESS: Why.PASSED, **dict.fromkeys(RED, Why.FAILED), **dict.fromkeys(UNDER_WAY, Why.RUNNING)}
STATES = {Why.PASSED: MET, Why.FAILED: FAILED}
AGREEING = (Why.PASSED, Why.RUNNING)  # running does not disagree yet
WORST_FIRST = (Why.FAILED, Why.NOT_DONE, Why.RUNNING, Why.PASSED)


def plan_need(desk: Desk) -> Iterator[Need]:
    """The plan itself, for a phase on issues."""
    creator, spent_by = desk.phase.creator or "", desk.route and desk.route.spent_by
    if not desk.on_issue or (creator in desk.names and spent_by is None):
        return
    told: dict[str, object] = {"name": f"#{desk.issue}", "actor": creator, "other": spent_by or ""}
    plan = desk.ledger.plans.latest(desk.issue)
    state, why = (FAILED, Why.INVALID) if plan and plan.validity is Validity.INVALID else (MET, Why.PASSED)
    if spent_by is not None:
        plan, state, why = None, WAITING, Why.SPENT
    elif plan is None:
        plan = (Seat(desk, desk.policy.role(creator)).refused or untold_plan(desk, creator)) if creator else None
        state, why = WAITING, Why.REFUSED if plan else Why.MISSING
    if plan is not None:
        wrong, others = plan.why, plan.problems if why is Why.REFUSED else ()
        also = tuple(each for each in others if each != wrong and wrong and each.code in (wrong.code, *REFUSALS))
        told |= {"signal": plan.id, "by": plan.source.login, "problem": wrong, "also": also}
    yield desk.need(NeedKind.PLAN, state, why, **told)


def worker_need(desk: Desk) -> Iterator[Need]:
    """A need if a worker is blocked: unfinished work is not judged yet.

    Any later valid word of a worker takes a BLOCKED back; another account's edit does not.
    """
    if desk.phase.creator is None or desk.on_issue:
        return
    heard = (vote for vote in desk.votes if vote.role in desk.phase.workers and vote.heard)
    votes = [vote for vote in heard if vote.signal.kind is Kind.VERDICT]
    good = [vote for vote in votes if vote.validity is Validity.VALID and vote.outcome is not Outcome.BLOCKED]
    for blocked in [vote for vote in votes if vote.signal.outcome is Outcome.BLOCKED][-1:]:
        told = {"name": blocked.role, "actor": blocked.role, "signal": blocked.id, "question": blocked.signal.question}
        if not any(_is_surely_later(vote, blocked) for vote in good):
            yield desk.need(NeedKind.WORKER, WAITING, Why.BLOCKED, **told)


def _is_surely_later(vote: Vote, other: Vote) -> bool:
    """True if in a later second, or a later version of the same text."""
    one, two = vote.source, other.source
    return one.at > two.at or (one.id == two.id and one.version > two.version)


def seat_needs(desk: Desk) -> Iterator[Need]:
    """A need for each required seat, and for each other seat that objects."""
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
    """Enough members of a group must pass and none may object. Members that did not run do not hold the phase.

    A member did not run if nobody spoke for it, or only to say so, and nothing else is against it.
    """
    needs = [(seat, need_of(seat)) for seat in desk.required if seat.name in group.members]
    passed, others, idle = [need for _, need in needs if need.state is MET], list[Need](), dict[str, str]()
    for seat, need in needs:
        if need.state is not MET and all(word.vote.signal.idle for word in seat.objections):
            vote, idle[seat.name] = seat.last_vote, ""  # what it says instead, if it says anything at all
            if vote is not None and vote.signal.idle:
                idle[seat.name] = f"{vote.signal.said} {vote.signal.notes}".strip()
            elif vote is not None and vote.commit is not None and vote.outcome is not None:
                idle[seat.name] = f"{vote.outcome.value} for {short(vote.commit)} only"
        elif need.state is not MET:
            others.append(need)
    yield from (*others, *passed)
    if idle or len(passed) < group.need:
        first = next(iter(idle), group.members[0])
        told = {"findings": group.members, "count": len(passed), "limit": group.need, "idle": tuple(idle.items())}
        state = WAITING if len(passed) < group.need else MET
        yield desk.need(NeedKind.SEAT, state, Why.GROUP, name=first, actor=first, **told)


# ---- L10, L13: history that only a human can clear


def removal_needs(desk: Desk) -> Iterator[Need]:
    """A need for each removed word that nothing has made up for (L10)."""
    for gone in desk.removals:
        told = {"other": gone.seat, "by": gone.by, "said": gone.said, "signal": gone.signal}
        if not any(ends(desk, gone) for _, ends in removals.ENDS):
            yield desk.need(NeedKind.HISTORY, FAILED if gone.failed or gone.malformed else WAITING, gone.how, **told)


def unread_results(desk: Desk) -> Iterator[Need]:
    """A need if results of older commits could not be read and no human has resumed since."""
    unseen = desk.ledger.snapshot.branch_files_unseen
    read = any(Medium.FILE in role.media for role in desk.judging)
    if read and unseen is not None and not desk.resumed_since(unseen):
        yield desk.need(NeedKind.HISTORY, FAILED, Why.UNSEEN, at=unseen, said=RESULTS)


def unread_record(desk: Desk) -> Iterator[Need]:
    """A need if the rest of the record, which may hold a FAIL, could not be read and no human has resumed since."""
    record, timeline = desk.ledger.snapshot.record, desk.timeline
    unseen = record.unseen or timeline.arrived(timeline.head)
    written = any(role.name in desk.phase.seats and role.media != {Medium.FILE} for role in desk.judging)
    if written and not record.complete and not desk.resumed_since(unseen):
        yield desk.need(NeedKind.HISTORY, FAILED, Why.UNSEEN, at=unseen, said=RECORD)


def full_record(desk: Desk) -> Iterator[Need]:
    """A need if the head's record is full: a resume cannot stand in for what was never recorded."""
    if desk.ledger.snapshot.record.full and desk.judging:
        yield desk.need(NeedKind.HISTORY, FAILED, Why.RECORD_FULL, commit=desk.timeline.head)


def unrecorded_needs(desk: Desk) -> Iterator[Need]:
    """A need if a deleted comment may have been a word of the phase, and nobody knows what it said."""
    event = removals.forgotten(desk)
    if event is not None:
        by = "somebody" if event.actor is None else event.actor.login
        whose = "an unknown account" if event.author is None else event.author.login
        yield desk.need(NeedKind.HISTORY, WAITING, Why.UNRECORDED, by=by, at=event.at, said=whose)


def round_needs(desk: Desk) -> Iterator[Need]:
    """A need if the phase is escalated: it failed once more than the attempts allowed, since the last resume."""
    failed, escalated = attempts(desk)
    if escalated:
        told = {"count": len(failed), "limit": desk.phase.max_attempts}
        yield desk.need(NeedKind.ATTEMPTS, FAILED, Why.ESCALATED, **told)


def attempts(desk: Desk) -> tuple[set[str], bool]:
    """The contents that failed since the phase began or was resumed, and whether they exceeded the limit.

    A resume in the same second as a failure does not come after it. Named reviewers make failing rounds only where the
    policy itself limits the attempts (L13).
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


# ---- 10.4: CI on the head, where a phase requires that it agrees with the judges


def check_needs(desk: Desk) -> Iterator[Need]:
    """A need for each check that the phase names: all checks of that name must succeed."""
    snapshot, head = desk.ledger.snapshot, desk.timeline.head
    runs = (run for run in snapshot.checks if run.commit in (None, head))
    red = {run.name for run in runs if _said(run) in RED}  # skipped now does not count after a failure
    for check in desk.phase.checks:
        stands = STANDS | ({SKIPPED: Why.PASSED} if check.skipped and check.name not in red else {})
        found = [(stands.get(said, Why.NOT_DONE), said, url) for said, url in results(desk, check)]
        missing = (Why.MISSING, "", "")
        why, said, url = next((each for worst in WORST_FIRST for each in found if each[0] is worst), missing)
        odd = None if why in AGREEING else _disagreement(desk, check, f"is {said}" if found else "is not there")
        told = {"name": check.name, "issue": None, "said": said, "place": url, "other": desk.phase.name, "problem": odd}
        yield desk.need(NeedKind.CHECK, STATES.get(why, WAITING), why, **told)


def _disagreement(desk: Desk, check: NamedCheck, told: str) -> Problem | None:
    """A problem if judges passed although the check is not green."""
    last = ((seat.name, seat.last_vote) for seat in desk.required)
    passed = [name for name, vote in last if vote is not None and vote.passes and vote.fresh]
    if not passed:
        return None
    message = f"{' and '.join(passed)} passed, but the check {check.name} {told} on the head"
    hint = SET_BY_ANOTHER if SUCCESS in told else ""
    return problem("PG240", message, Where(url=desk.ledger.snapshot.pull_request.url), hint=hint)


def results(desk: Desk, check: NamedCheck) -> Iterator[tuple[str, str]]:
    """State and URL of each app's newest run of this name, and of the commit status; an app id admits only its app.

    A newer run does not hide a failed or running one of another suite, workflow or event.
    """
    snapshot, newest, suites = desk.ledger.snapshot, dict[object, CheckRun](), dict[object, CheckRun]()
    for run in sorted(snapshot.checks, key=lambda run: run.begun):
        if run.name == check.name and run.commit in (None, desk.timeline.head) and check.app_id in (None, run.app_id):
            newest[run.app_id] = suites[run.app_id, run.suite] = run
    beside = (run for run in suites.values() if run is not newest[run.app_id] and still_counts(run))
    yield from ((_said(run), run.url or "") for run in (*newest.values(), *beside))
    for status in snapshot.statuses if check.app_id is None else ():
        if status.context.lower() == check.name.lower():
            unproven = next((f"{status.state} by {who}" for who in _unproven(desk, status)), None)
            yield unproven or status.state, status.url or ""


def _unproven(desk: Desk, status: CommitStatus) -> Iterator[str]:
    """Who set a green status that proves nothing: the author of the work, or anybody who can run a workflow."""
    creator, snapshot = status.creator, desk.ledger.snapshot
    if status.state != SUCCESS:
        return
    if creator is None:
        yield "an account that is gone"
    elif is_own(creator, None):
        yield f"{creator.login}, as which every workflow writes"
    elif desk.policy.agents.author_may_judge:
        return
    elif is_author(snapshot, creator) or desk.ledger.accounts.pushed_product(creator):
        yield f"{creator.login}, who did the work"


def still_counts(run: CheckRun) -> bool:
    """True if an older run still counts beside a newer one; a cancelled run does not."""
    return _said(run) in (*UNDER_WAY, *RED)


def _said(run: CheckRun) -> str:
    return (run.conclusion or "without a conclusion") if run.status == COMPLETED else run.status


# ---- L12, 4.10: what a human's approval of a phase covers, and what uncovers it


def approval_need(desk: Desk) -> Iterator[Need]:
    """A human's approval, where the phase, a role, a renewed plan or changed instructions of the judges ask for it.

    The human who renewed a plan may prove to be an agent once the words on that plan count again.
    """
    if desk.phase.human_approval or desk.asks(Asks.HUMAN) or desk.issue in desk.ledger.renewed:
        need = _approval(desk, UNCOVERED, Why.MISSING)
        yield replace(need, causes=desk.causes(Asks.HUMAN)) if need.why is Why.MISSING else need
        return
    steered = _instructions(desk)
    if steered is not None:
        need, (files, head) = _approval(desk, BESIDE, Why.INSTRUCTIONS), steered
        yield need if need.state is MET else replace(need, findings=files, judged=head)


def _approval(desk: Desk, rows: tuple[Row, ...], missing: Why) -> Need:
    """The approval that covers the present content, or else why the existing one does not."""
    least, state, why = desk.policy.humans.minimum_permission, WAITING, missing
    told: dict[str, object] = {"name": APPROVE, "other": desk.phase.name, "permission": least}
    given = desk.given(APPROVE)[::-1]
    uncovered = [(act, next((name for name, holds in rows if holds(desk, act)), "")) for act in given]
    covering = next((act for act, event in uncovered if not event), None)
    older = [(act, event) for act, event in uncovered if missing is Why.MISSING or _is_for_now(desk, act)]
    refused = desk.refused_act(APPROVE)
    if covering is not None:
        state, why, told["by"] = MET, Why.PASSED, covering.source.login or "?"
    elif refused is not None:
        why, line = Why.REFUSED, written(refused.command)
        told |= {"by": refused.source.login, "signal": refused.id, "said": line, "problem": refused.why}
    elif older:
        act, event = older[0]
        why = Why.UNCOVERED
        told |= {"by": act.source.login or "?", "signal": act.id, "said": event}
    elif missing is Why.MISSING:
        told["also"] = tuple(filter(None, (github_approval(desk),)))
    return desk.need(NeedKind.HUMAN, state, why, **told)


def is_unbound(desk: Desk) -> bool:
    """True if the approval is bound to no content; an approval of a plan is always bound to its text."""
    return not desk.on_issue and bool(desk.required) and all(seat.unbound for seat in desk.required)


def _is_for_now(desk: Desk, act: Act) -> bool:
    return act.content is not None and act.content == desk.content


def _evidence(desk: Desk) -> Iterator[str]:
    """When evidence for a seat was pushed, counted or not, or its folder changed."""
    pushed = [(vote.role, each) for vote in desk.votes if (each := vote.source).pushed and each.latest]
    for seat in desk.seats:
        yield from (each.at for role, each in pushed if role == seat.name and seat.is_own(each))
        yield from () if seat.folder is None else (seat.folder.since,)


def _objections(desk: Desk) -> Iterator[str]:
    """When the present content was objected to, in words that no longer block or in a FAIL that is gone."""
    for seat in desk.seats:
        yield from (word.source.at for word in seat.ever_against if word not in seat.objections)
    for seen in desk.ledger.gone:
        failed = seen.outcome == Outcome.FAIL.value and seen.role in desk.counted
        if failed and desk.ledger.content_of(seen) in (None, desk.content):
            yield seen.at


Row = tuple[str, Callable[[Desk, Act], bool]]  # a kind of event that uncovers an approval given before it


def _not_before(times: Callable[[Desk], Iterable[str]]) -> Callable[[Desk, Act], bool]:
    """True if one of these events came after the act, or in the same second."""
    return lambda desk, act: any(act.source.at <= at for at in times(desk))


OBJECTED: tuple[Row, ...] = (
    ("objection", _not_before(_objections)),
    ("overruling", _not_before(lambda desk:
     [by.source.at for seat in desk.seats for word in seat.against if (by := seat.overruling(word))])),
)  # fmt: skip
UNCOVERED: tuple[Row, ...] = (
    ("deletion", lambda desk, act: desk.on_issue and not _is_for_now(desk, act) and
     desk.ledger.plans.lost_since(desk.issue, act.source.at) is not None),
    ("content", lambda desk, act: not is_unbound(desk) and not _is_for_now(desk, act)),
    ("files", _not_before(_evidence)),
    # a link changed which issues' folders the seats are read from
    ("link", lambda desk, act: any(seat.folder is not None and seat.unbound for seat in desk.seats) and
     act.source.at <= (desk.ledger.snapshot.pull_request.relinked_at or "")),
    ("verdict", lambda desk, act:
     any(word and not act.source.is_after(word.source) for word in (each.first_pass for each in desk.seats))),
    *OBJECTED,
)  # fmt: skip
# Where the judges' instructions changed, in any order with the words that pass.
BESIDE: tuple[Row, ...] = (("content", lambda desk, act: not _is_for_now(desk, act)), *OBJECTED)


def _instructions(desk: Desk) -> tuple[tuple[str, ...], str | None] | None:
    """What may have steered this phase's judges: changed instructions, or another head while they spoke."""
    snapshot, instructions = desk.ledger.snapshot, desk.policy.instructions
    if desk.phase.name not in GUARDED or not instructions.guard:
        return None
    found = instructions.among(snapshot.files.paths, snapshot.steering)
    known = snapshot.files.complete and snapshot.instruction_links_complete
    head = next(filter(None, map(judged_at_another_head, desk.required)), None)
    return (found, head) if found or not known or head is not None else None


def judged_at_another_head(seat: Seat) -> str | None:
    """The head with other content while the seat's pass was written; its instructions may be gone by now.

    If the log of pushes cannot be read, the forced pushes just before and after are used.
    """
    word, timeline = seat.last, seat.desk.timeline
    if word is None or not (word.good and word.about is About.NOW) or word.source.pushed:
        return None
    at, commit = word.source.at, word.vote.commit
    if commit is None or timeline.arrivals.get(commit, "") > at:
        return None
    heads = [timeline.head_at(at), timeline.head_at(f"{at}~")]  # of one second either may have been there
    if not timeline.complete:
        forced = seat.desk.ledger.snapshot.pull_request.head_forced
        heads = [*[move.after for move in forced if move.at <= at][-1:], *[m.before for m in forced if m.at >= at][:1]]
    changed = (head for head in heads if head is not None and timeline.content_at(head, at) != seat.desk.content)
    return next(changed, None)


# ---- 6.1: what a phase needs, in the order in which people read it
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
    """The needs that only a human can clear, each with the refused resume if there is one."""
    found, act = (need for _, row in HISTORY for need in row(desk)), desk.refused_act(RESUME)
    if act is None or act.why is None:
        yield from found
        return
    by = act.source.login or "?"
    told = replace(act.why, message=f"{by}'s {written(act.command)} does not count: {act.why.message}")
    yield from (replace(need, also=(told,), signal=need.signal or act.id) for need in found)
