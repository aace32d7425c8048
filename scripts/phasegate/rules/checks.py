"""Three-way agreement: the checks that a phase names, by their real conclusions on the head.

A view of a phase comes in, one need for each check goes out; what passed over a red or absent check is named in it.
"""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.catalogue import problem
from phasegate.model.frozen import dataclass
from phasegate.model.problem import Problem, Where
from phasegate.model.report import Need, NeedKind, NeedState, Why
from phasegate.model.snapshot import CheckRun, Snapshot
from phasegate.policy.model import NamedCheck
from phasegate.rules.view import PhaseView

SUCCESS, COMPLETED, PENDING = "success", "completed", "pending"
RED = ("failure", "error", "cancelled", "timed_out", "action_required", "startup_failure")


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
    """How one check stands: all that bear its name must be good, since nobody can tell which is meant."""
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
    """The newest run of each app with this name on the head, and the commit status; with an app id only that app's."""
    head, newest = snapshot.pull_request.head.sha, dict[int | None, CheckRun]()
    for run in sorted(snapshot.checks, key=lambda run: (run.started_at or run.completed_at or "", run.id)):
        if run.name == check.name and run.commit in (None, head) and check.app_id in (None, run.app_id):
            newest[run.app_id] = run
    runs = tuple(Result(said=_said(run), url=run.url or "") for run in newest.values())
    if check.app_id is not None:
        return runs
    statuses = (status for status in snapshot.statuses if status.context.lower() == check.name.lower())
    return (*runs, *(Result(said=status.state, url=status.url or "") for status in statuses))


def _said(run: CheckRun) -> str:
    return (run.conclusion or "without a conclusion") if run.status == COMPLETED else run.status
