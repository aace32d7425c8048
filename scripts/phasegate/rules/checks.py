"""Checks: what CI says of the head, where a phase asks that it agrees with who passed (10.4)."""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.catalogue import problem
from phasegate.model.frozen import dataclass
from phasegate.model.problem import Problem, Where
from phasegate.model.report import Need, NeedKind, NeedState, Why
from phasegate.model.snapshot import CheckRun, Snapshot
from phasegate.policy.model import NamedCheck
from phasegate.rules.desk import Desk

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
            return Why.PASSED
        if self.said in RED:
            return Why.FAILED
        return Why.RUNNING if self.said in UNDER_WAY else Why.NOT_DONE


UNDER_WAY = ("queued", "in_progress", "waiting", "requested", PENDING)
AGREEING = (Why.PASSED, Why.RUNNING)  # or not yet at odds
WORST_FIRST = (Why.FAILED, Why.NOT_DONE, Why.RUNNING, Why.PASSED)


def check_needs(desk: Desk) -> Iterator[Need]:
    """How each check stands that the phase names."""
    for check in desk.phase.checks:
        yield check_need(desk, check)


def check_need(desk: Desk, check: NamedCheck) -> Need:
    """The need of one check: all checks of that name must have succeeded."""
    found = results(desk.facts.snapshot, check)
    worst = next((each for why in WORST_FIRST for each in found if each.why is why), None)
    why = Why.MISSING if worst is None else worst.why
    states = {Why.PASSED: NeedState.MET, Why.FAILED: NeedState.FAILED}
    return Need(
        kind=NeedKind.CHECK,
        name=check.name,
        state=states.get(why, NeedState.WAITING),
        why=why,
        commit=desk.commit,
        said="" if worst is None else worst.said,
        place="" if worst is None else worst.url,
        other=desk.phase.name,
        problem=_disagreement(desk, check, worst) if why not in AGREEING else None,
    )


def _disagreement(desk: Desk, check: NamedCheck, worst: Result | None) -> Problem | None:
    """A pass over a check that is not good."""
    votes = ((seat.name, seat.last_vote) for seat in desk.required)
    passed = [name for name, vote in votes if vote is not None and vote.passes and vote.fresh]
    if not passed:
        return None
    told = "is not there" if worst is None else f"is {worst.said}"
    message = f"{' and '.join(passed)} passed, but the check {check.name} {told} on the head"
    return problem("PG240", message, Where(url=desk.facts.snapshot.pull_request.url))


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
