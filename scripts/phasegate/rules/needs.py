"""What one phase needs at one place: the plan, its seats, workers that are not blocked, a human, a clean history.

And why a pull request needs none of it: the policy exempts its kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from phasegate.catalogue import problem
from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Problem, Where
from phasegate.model.report import Need, NeedKind, NeedState, Why
from phasegate.model.signal import Act, Asks, Kind, Outcome, Place, Subject, Validity, Vote
from phasegate.model.snapshot import BaseChange, CheckRun, Snapshot
from phasegate.policy.model import Exempt, NamedCheck, Policy
from phasegate.rules.binding import Timeline, short
from phasegate.rules.history import attempts_need, deleted_failures, history_needs, recorded_content
from phasegate.rules.seats import REFUSALS, overruled_by, seat_needs
from phasegate.rules.view import RESUME, PhaseView, Seat

APPROVE = "approve"
GUARDED = ("build", "qa")  # whose judges may take orders from what the pull request changes


def needs(view: PhaseView) -> Iterator[Need]:
    """Everything that the phase needs at this place."""
    if view.phase.where is Place.ISSUE and (view.phase.creator not in view.names or view.spent_by is not None):
        yield plan_need(view)
    worker = worker_need(view)
    if worker is not None:
        yield worker  # what is not made yet need not be judged yet
    yield from seat_needs(view)
    yield from check_needs(view)
    if view.phase.human_approval or view.asks(Asks.HUMAN):
        yield human_need(view)
    elif (guarded := instructions_need(view)) is not None:
        yield guarded
    escalated = attempts_need(view)
    for need in (*history_needs(view), *(() if escalated is None else (escalated,))):
        yield _with_refused_resume(view, need)


def _with_refused_resume(view: PhaseView, need: Need) -> Need:
    """What only a human can clear, with the resume that is there and does not count."""
    act = view.refused_act(RESUME)
    if act is None or act.why is None:
        return need
    said = act.command.written or f"/gate {act.command.verb} {act.command.phase}"
    told = replace(act.why, message=f"{_by(act)}'s {said} does not count: {act.why.message}")
    return replace(need, also=(told,), signal=need.signal or act.id)


def plan_need(view: PhaseView) -> Need:
    """The plan itself."""
    plan = view.facts.plans.latest(view.issue)
    if view.spent_by is not None:
        return _plan(view, NeedState.WAITING, Why.SPENT, None, other=view.spent_by)
    if plan is None:
        seat = None if view.phase.creator is None else _creating(view)
        refused = None if seat is None else view.refused(seat) or view.untold_plan(seat)
        why = Why.MISSING if refused is None else Why.REFUSED
        return _plan(view, NeedState.WAITING, why, refused)
    if plan.validity is Validity.INVALID:
        return _plan(view, NeedState.FAILED, Why.INVALID, plan)
    return _plan(view, NeedState.MET, Why.PLANNED, plan)


def _creating(view: PhaseView) -> Seat:
    return Seat(role=view.facts.policy.role(view.phase.creator or ""))


def _plan(view: PhaseView, state: NeedState, why: Why, plan: Vote | None, other: str = "") -> Need:
    return Need(
        kind=NeedKind.PLAN,
        name=f"#{view.issue}",
        state=state,
        why=why,
        signal=None if plan is None else plan.id,
        issue=view.issue,
        other=other,
        actor=view.phase.creator or "",
        by=_author(plan),
        problem=None if plan is None else plan.why,
        also=tuple(_also_refused(plan)) if why is Why.REFUSED else (),
    )


def _also_refused(plan: Vote | None) -> Iterator[Problem]:
    """What else keeps a plan from counting, apart from what decided."""
    for item in () if plan is None else plan.problems:
        if plan is not None and plan.why is not None and item != plan.why:
            yield from (item,) if item.code in (plan.why.code, *REFUSALS) else ()


def _author(vote: Vote | None) -> str:
    author = None if vote is None else vote.signal.source.author
    return "" if author is None else author.login


def worker_need(view: PhaseView) -> Need | None:
    """The need that no creator or fixer is blocked, if the phase has a creator."""
    if view.phase.creator is None or view.phase.where is Place.ISSUE:
        return None
    workers = view.phase.workers
    said = [vote for vote in view.votes if vote.role in workers and vote.signal.kind is Kind.VERDICT]
    heard = [vote for vote in said if vote.validity is not Validity.IGNORED]
    found = (blocking_vote(heard), *(blocking_vote([*heard, vote]) for vote in _strayed(view, workers)))
    blocked = next((vote for vote in found if vote is not None), None)
    if blocked is None:
        return None
    return Need(
        kind=NeedKind.WORKER,
        name=blocked.role or "",
        state=NeedState.WAITING,
        why=Why.BLOCKED,
        signal=blocked.id,
        commit=view.commit,
        actor=blocked.role or "",
    )


def _strayed(view: PhaseView, workers: tuple[str, ...]) -> Iterator[Vote]:
    """What workers said in the wrong place, with its outcome."""
    for vote in (view.strayed(Seat(role=view.facts.policy.role(name))) for name in workers):
        if vote is not None:
            yield replace(vote, outcome=vote.signal.outcome)


def blocking_vote(votes: list[Vote]) -> Vote | None:
    """A BLOCKED that no later valid vote replaced; another account's edit does not take it back."""
    blocked = next((vote for vote in reversed(votes) if vote.outcome is Outcome.BLOCKED), None)
    good = (vote for vote in votes if vote.validity is Validity.VALID and vote.outcome is not Outcome.BLOCKED)
    if blocked is None or any(surely_later(vote, blocked) for vote in good):
        return None
    return blocked


def surely_later(vote: Vote, other: Vote) -> bool:
    """Whether a vote surely came after another: in a later second, or as a later version of the same text."""
    one, two = vote.signal.source, other.signal.source
    return one.at > two.at or (one.id == two.id and one.version > two.version)


def human_need(view: PhaseView) -> Need:
    """A human's approval of this very content, given after everybody had passed it.

    One that covers it is not undone by a later one for something else.
    """
    given, too_early = view.given(APPROVE)[::-1], coverage(view)
    covering = next((act for act in given if too_early(act) is None), None)
    if covering is not None:
        return _human(view, NeedState.MET, Why.APPROVED, by=_by(covering))
    refused = view.refused_act(APPROVE)
    if refused is not None:
        return refused_act(_human(view, NeedState.WAITING, Why.REFUSED), refused)
    if given:
        why = too_early(given[0]) or Why.NOT_APPROVED
        return replace(_human(view, NeedState.WAITING, why, by=_by(given[0])), signal=given[0].id)
    explained = view.approved_on_github()
    need = _human(view, NeedState.WAITING, Why.NOT_APPROVED)
    return need if explained is None else replace(need, also=(explained,))


def _by(act: Act) -> str:
    author = act.command.source.author
    return "?" if author is None else author.login


def refused_act(need: Need, act: Act) -> Need:
    """A need for a human, where one acted and that does not count."""
    command, author = act.command, act.command.source.author
    said = command.written or f"/gate {command.verb} {command.phase}"
    return replace(need, signal=act.id, by="" if author is None else author.login, said=said, problem=act.why)


def instructions_need(view: PhaseView) -> Need | None:
    """A human's approval of this very content where it changes what agents take orders from.

    In any order with what passes it; one from before a FAIL, or before that was overruled, does not cover it.
    """
    files, instructions = view.facts.snapshot.files, view.facts.policy.instructions
    if view.phase.name not in GUARDED or not instructions.guard:
        return None
    paths = (path for entry in files.entries for path in (entry.path, entry.previous_path) if path)
    found = instructions.among(dict.fromkeys(paths))
    elsewhere = judged_at_another_head(view)
    if not found and files.complete and elsewhere is None:
        return None
    beside = _approved_beside(view)
    if beside is not None:
        return beside if beside.state is NeedState.MET else replace(beside, findings=found)
    need = replace(_human(view, NeedState.WAITING, Why.INSTRUCTIONS), findings=found, judged=elsewhere)
    refused = view.refused_act(APPROVE)
    return need if refused is None else refused_act(replace(need, why=Why.REFUSED), refused)


def _approved_beside(view: PhaseView) -> Need | None:
    """An approval of this very content, or else the last one that came too early to cover a FAIL of it."""
    failures, need = tuple(failures_to_cover(view)), None
    for act in view.given(APPROVE):
        if act.content is None or act.content != view.content:
            continue
        early = next((why for at, why in failures if act.command.source.at <= at), None)
        state = NeedState.MET if early is None else NeedState.WAITING
        need = replace(_human(view, state, early or Why.APPROVED, by=_by(act)), signal=act.id)
        if early is None:
            break
    return need


def judged_at_another_head(view: PhaseView) -> str | None:
    """The head when a pass was written that names an earlier one: what steered it may be gone."""
    timeline = view.facts.timeline
    for vote in (view.latest(seat) for seat in view.required):
        source = None if vote is None or not (vote.passes and vote.fresh) else vote.signal.source
        if vote is None or source is None or source.pushed or timeline.arrivals.get(vote.commit or "", "") > source.at:
            continue
        head = timeline.head_at(source.at)
        if head is not None and timeline.content_at(head, source.at) != view.content:
            return head
    return None


def coverage(view: PhaseView) -> Callable[[Act], Why | None]:
    """What tells why an approval does not cover what is there now; none if it does."""
    files = [vote.signal.source.at for seat in view.required if (vote := _file_there(view, seat))]
    passed = [vote.signal.source for seat in view.required if (vote := view.standing_pass(seat))]
    failures = tuple(failures_to_cover(view))

    def too_early(approval: Act) -> Why | None:
        given = approval.command.source
        if not unbound(view) and (approval.content is None or approval.content != view.content):
            on_issue = view.phase.where is Place.ISSUE
            lost = view.facts.plans.lost_since(view.issue, given.at) if on_issue else None
            return Why.APPROVED_OLDER if lost is None else Why.APPROVED_BEFORE_DELETION
        if any(at >= given.at for at in files):
            return Why.APPROVED_BEFORE_FILES
        if plans_relinked(view, approval):
            return Why.APPROVED_BEFORE_LINK
        if any(not given.is_after(source) for source in passed):
            return Why.APPROVED_BEFORE_VERDICT
        return next((why for at, why in failures if given.at <= at), None)

    return too_early


def failures_to_cover(view: PhaseView) -> Iterator[tuple[str, Why]]:
    """When required seats failed the present content, if that no longer blocks, and when such a FAIL was overruled."""
    for seat in view.required:
        latest = view.latest(seat)
        confirming = None if latest is None else overruled_by(view, latest)
        for vote in view.heard(seat):
            blocks = vote is latest and confirming is None
            if vote.failed and vote.content in (None, view.content) and not blocks:
                yield vote.signal.source.at, Why.APPROVED_BEFORE_FAIL
        if latest is not None and latest.outcome is Outcome.FAIL and confirming is not None:
            yield confirming.signal.source.at, Why.APPROVED_BEFORE_OVERRULING
    for seen in deleted_failures(view):
        if seen.role in view.names and recorded_content(view, seen) in (None, view.content):
            yield seen.at, Why.APPROVED_BEFORE_FAIL


def plans_relinked(view: PhaseView, approval: Act) -> bool:
    """Whether a plan kept as a file may have been that of another issue when it was approved.

    Its path and its text are those of its last push; which issue it was for is known since the links last changed.
    """
    planned = any(seat.folder is not None and seat.role.about is Subject.NOTHING for seat in view.required)
    relinked = view.facts.snapshot.pull_request.relinked_at
    return planned and relinked is not None and approval.command.source.at <= relinked


def unbound(view: PhaseView) -> bool:
    """Whether what is approved is bound to no content; a plan on an issue always is, to its text."""
    if view.phase.where is Place.ISSUE or not view.required:
        return False
    return all(seat.role.about is Subject.NOTHING for seat in view.required)


def _file_there(view: PhaseView, seat: Seat) -> Vote | None:
    """The file of a seat as it stands at the head, whether it counts or not."""
    found = (vote for vote in view.votes if seat.is_filled_by(vote) and vote.signal.source.pushed)
    return next((vote for vote in found if vote.signal.source.latest), None)


def _human(view: PhaseView, state: NeedState, why: Why, by: str = "") -> Need:
    return Need(
        kind=NeedKind.HUMAN,
        name=APPROVE,
        state=state,
        why=why,
        commit=view.commit,
        issue=view.issue,
        by=by,
        other=view.phase.name,
        permission=view.facts.policy.humans.minimum_permission,
    )


SUCCESS, COMPLETED, PENDING = "success", "completed", "pending"
FAILED = ("failure", "error", "timed_out", "action_required", "startup_failure")
RED = (*FAILED, "cancelled")


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    """What one check run, or one commit status, says of the head."""

    said: str
    url: str

    @property
    def why(self) -> Why:
        """How it stands; whatever is not known to be good is not."""
        if self.said == SUCCESS:
            return Why.CHECK_PASSED
        if self.said in RED:
            return Why.CHECK_FAILED
        return Why.CHECK_RUNNING if self.said in UNDER_WAY else Why.CHECK_INCONCLUSIVE


UNDER_WAY = ("queued", "in_progress", "waiting", "requested", PENDING)
AGREEING = (Why.CHECK_PASSED, Why.CHECK_RUNNING)  # or not yet at odds
WORST_FIRST = (Why.CHECK_FAILED, Why.CHECK_INCONCLUSIVE, Why.CHECK_RUNNING, Why.CHECK_PASSED)


def check_needs(view: PhaseView) -> Iterator[Need]:
    """How each check stands that the phase names."""
    for check in view.phase.checks:
        yield check_need(view, check)


def check_need(view: PhaseView, check: NamedCheck) -> Need:
    """The need of one check: all checks of that name must have succeeded."""
    found = results(view.facts.snapshot, check)
    worst = next((each for why in WORST_FIRST for each in found if each.why is why), None)
    why = Why.CHECK_ABSENT if worst is None else worst.why
    states = {Why.CHECK_PASSED: NeedState.MET, Why.CHECK_FAILED: NeedState.FAILED}
    return Need(
        kind=NeedKind.CHECK,
        name=check.name,
        state=states.get(why, NeedState.WAITING),
        why=why,
        commit=view.commit,
        said="" if worst is None else worst.said,
        place="" if worst is None else worst.url,
        other=view.phase.name,
        problem=_disagreement(view, check, worst) if why not in AGREEING else None,
    )


def _disagreement(view: PhaseView, check: NamedCheck, worst: Result | None) -> Problem | None:
    """A pass over a check that is not good."""
    votes = ((seat.name, view.latest(seat)) for seat in view.required)
    passed = [name for name, vote in votes if vote is not None and vote.passes and vote.fresh]
    if not passed:
        return None
    told = "is not there" if worst is None else f"is {worst.said}"
    message = f"{' and '.join(passed)} passed, but the check {check.name} {told} on the head"
    return problem("PG240", message, Where(url=view.facts.snapshot.pull_request.url))


def results(snapshot: Snapshot, check: NamedCheck) -> tuple[Result, ...]:
    """The newest run of each app with this name on the head, and the commit status; with an app id only that app's.

    What failed or is under way in another suite, of another workflow or event, is not hidden by a newer run.
    """
    head, newest = snapshot.pull_request.head.sha, dict[int | None, CheckRun]()
    suites = dict[tuple[int | None, int | None], CheckRun]()
    for run in sorted(snapshot.checks, key=lambda run: (run.started_at or run.completed_at or "", run.id)):
        if run.name == check.name and run.commit in (None, head) and check.app_id in (None, run.app_id):
            newest[run.app_id] = suites[run.app_id, run.suite] = run
    beside = (run for run in suites.values() if run is not newest[run.app_id] and still_counts(run))
    runs = tuple(Result(said=_said(run), url=run.url or "") for run in (*newest.values(), *beside))
    if check.app_id is not None:
        return runs
    statuses = (status for status in snapshot.statuses if status.context.lower() == check.name.lower())
    return (*runs, *(Result(said=status.state, url=status.url or "") for status in statuses))


def still_counts(run: CheckRun) -> bool:
    """Whether a run that others came after still says something; one that was cancelled made way for them."""
    return _said(run) in UNDER_WAY or _said(run) in FAILED


def _said(run: CheckRun) -> str:
    return (run.conclusion or "without a conclusion") if run.status == COMPLETED else run.status


MOST_NAMED = 2  # how many files are named that are in the way; the others are counted


def exemption(policy: Policy, snapshot: Snapshot, timeline: Timeline) -> str:
    """Why the pull request needs no phase; empty if it does."""
    for item in policy.exempt:
        pushed = not item.authors or pushed_alone(item, snapshot, timeline)
        if pushed and (not item.paths or changes_only(item, policy, snapshot)):
            return item.reason
    return ""


def pushed_alone(item: Exempt, snapshot: Snapshot, timeline: Timeline) -> bool:
    """Whether one of the accounts opened the pull request and made every push to it, by a log that tells them all.

    Towards another base the same pushes bring in something else: who changed that had a part in it too.
    """
    author, moves = snapshot.pull_request.author, snapshot.ref_log.moves
    if author is None or not _is_by(item, snapshot) or not timeline.complete:
        return False
    actors = (*(move.actor for move in moves), *(change.actor for change in aimed(snapshot)))
    return all(actor is not None and actor.id == author.id for actor in actors)


def aimed(snapshot: Snapshot) -> tuple[BaseChange, ...]:
    """What changed the base that a pull request is for."""
    return snapshot.pull_request.base_changes


def changes_only(item: Exempt, policy: Policy, snapshot: Snapshot) -> bool:
    """Whether every changed file is among the paths, by a list that is complete."""
    return snapshot.files.complete and item.covers(_changed(snapshot), policy.instructions)


def missed_exemption(policy: Policy, snapshot: Snapshot, timeline: Timeline) -> Problem | None:
    """Why a pull request just misses an exemption; none if nobody would expect it to be exempt."""
    for item in policy.exempt:
        if not (_is_by(item, snapshot) if item.authors else _is_mostly(item, snapshot)):
            continue
        by_whom = () if pushed_alone(item, snapshot, timeline) or not item.authors else _pushes(snapshot, timeline)
        what = () if not item.paths or changes_only(item, policy, snapshot) else _files(item, policy, snapshot)
        message = f"not exempt ({item.reason}): {' and '.join((*by_whom, *what))}"
        hint = "" if any(by_whom) or not snapshot.files.complete else _way_back(item, policy, snapshot)
        return problem("PG413", message, Where(url=snapshot.pull_request.url), hint=hint)
    return None


def _changed(snapshot: Snapshot) -> tuple[str, ...]:
    entries = snapshot.files.entries
    return tuple(dict.fromkeys(path for entry in entries for path in (entry.path, entry.previous_path) if path))


def _is_by(item: Exempt, snapshot: Snapshot) -> bool:
    author = snapshot.pull_request.author
    return author is not None and author.id in {each.id for each in item.authors}


def _outside(item: Exempt, policy: Policy, snapshot: Snapshot) -> tuple[str, ...]:
    return tuple(path for path in _changed(snapshot) if not item.covers((path,), policy.instructions))


def _is_mostly(item: Exempt, snapshot: Snapshot) -> bool:
    """Whether at least half of the changed files are among the paths, so that people may expect an exemption.

    One that is among them and never exempt counts as such.
    """
    changed = _changed(snapshot)
    return bool(changed) and 2 * sum(item.names(path) for path in changed) >= len(changed)


def _pushes(snapshot: Snapshot, timeline: Timeline) -> Iterator[str]:
    if not timeline.complete:
        yield "the log of pushes does not show who pushed"
        return
    author = snapshot.pull_request.author
    for move in snapshot.ref_log.moves:
        if author is not None and (move.actor is None or move.actor.id != author.id):
            yield f"{'somebody' if move.actor is None else move.actor.login} pushed {short(move.after)}"
            return
    for change in aimed(snapshot):
        if author is not None and (change.actor is None or change.actor.id != author.id):
            yield f"{'somebody' if change.actor is None else change.actor.login} changed its base"
            return


def _files(item: Exempt, policy: Policy, snapshot: Snapshot) -> Iterator[str]:
    outside = _outside(item, policy, snapshot)
    if not snapshot.files.complete:
        yield "GitHub does not list every changed file"
    elif not _changed(snapshot):
        yield "it changes no file"
    for never in (False, True):
        found = [path for path in outside if item.names(path) is never]
        more = f" and {len(found) - MOST_NAMED} more" if found[MOST_NAMED:] else ""
        are = "is" if len(found) == 1 else "are"
        if found and snapshot.files.complete:
            yield f"{', '.join(found[:MOST_NAMED])}{more} {are} {'never exempt' if never else 'not among its paths'}"


def _way_back(item: Exempt, policy: Policy, snapshot: Snapshot) -> str:
    """What would make it exempt again; empty where nothing is known that would."""
    outside = _outside(item, policy, snapshot)
    rest = tuple(path for path in _changed(snapshot) if path not in outside)
    if not outside or not item.covers(rest, policy.instructions):
        return ""
    return f"Take {'it' if len(outside) == 1 else 'them'} out to be exempt again, or let the phases judge it."
