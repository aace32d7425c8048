"""Checks: what CI says of the head, where a phase asks that it agrees with who passed (10.4)."""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.catalogue import problem
from phasegate.model.problem import Problem, Where
from phasegate.model.report import Need, NeedKind, NeedState, Why
from phasegate.model.snapshot import CheckRun, CommitStatus, Snapshot
from phasegate.model.texts import is_own
from phasegate.policy.model import NamedCheck
from phasegate.rules.accounts import pushed_product, same_account
from phasegate.rules.desk import Desk

COMPLETED, SUCCESS = "completed", "success"
SET_BY_ANOTHER = "Let another app or writer set the status, or name the app_id of the check in the policy."
FAILED = ("failure", "error", "timed_out", "action_required", "startup_failure")
UNDER_WAY = ("queued", "in_progress", "waiting", "requested", "pending")
# How a check run or commit status stands, by what it says; whatever is not known to be good is not done.
STANDS = {
    SUCCESS: Why.PASSED,
    **dict.fromkeys(FAILED, Why.FAILED),
    **dict.fromkeys(UNDER_WAY, Why.RUNNING),
}
STATES = {Why.PASSED: NeedState.MET, Why.FAILED: NeedState.FAILED}
AGREEING = (Why.PASSED, Why.RUNNING)  # or not yet at odds
SKIPPED = "skipped"
WORST_FIRST = (Why.FAILED, Why.NOT_DONE, Why.RUNNING, Why.PASSED)


def check_needs(desk: Desk) -> Iterator[Need]:
    """How each check stands that the phase names: all checks of that name must have succeeded."""
    for check in desk.phase.checks:
        stands = STANDS | ({SKIPPED: Why.PASSED} if _may_be_skipped(desk.facts.snapshot, check) else {})
        found = [(stands.get(said, Why.NOT_DONE), said, url) for said, url in results(desk, check)]
        missing = (Why.MISSING, "", "")
        why, said, url = next((each for worst in WORST_FIRST for each in found if each[0] is worst), missing)
        odd = None if why in AGREEING else _disagreement(desk, check, f"is {said}" if found else "is not there")
        told = {"name": check.name, "issue": None, "said": said, "place": url, "other": desk.phase.name, "problem": odd}
        yield desk.need(NeedKind.CHECK, STATES.get(why, NeedState.WAITING), why, **told)


def _disagreement(desk: Desk, check: NamedCheck, told: str) -> Problem | None:
    """A pass over a check that is not good."""
    votes = ((seat.name, seat.last_vote) for seat in desk.required)
    passed = [name for name, vote in votes if vote is not None and vote.passes and vote.fresh]
    if not passed:
        return None
    message = f"{' and '.join(passed)} passed, but the check {check.name} {told} on the head"
    hint = SET_BY_ANOTHER if SUCCESS in told else ""
    return problem("PG240", message, Where(url=desk.facts.snapshot.pull_request.url), hint=hint)


def results(desk: Desk, check: NamedCheck) -> Iterator[tuple[str, str]]:
    """What the newest run of each app with this name says, and the commit status; with an app id only that app's.

    What failed or is under way in another suite, of another workflow or event, is not hidden by a newer run.
    """
    snapshot = desk.facts.snapshot
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
    creator, snapshot = status.creator, desk.facts.snapshot
    if status.state != SUCCESS:
        return
    if creator is None:
        yield "an account that is gone"
    elif is_own(creator, None):
        yield f"{creator.login}, as which every workflow writes"
    elif not desk.policy.agents.author_may_judge:
        author = snapshot.pull_request.author
        if (author is not None and same_account(author, creator)) or pushed_product(snapshot, creator):
            yield f"{creator.login}, who did the work"


def _may_be_skipped(snapshot: Snapshot, check: NamedCheck) -> bool:
    """Whether the policy allows that it is skipped; not where any of its runs on the head was red."""
    head = snapshot.pull_request.head.sha
    own = (run for run in snapshot.checks if run.name == check.name and run.commit in (None, head))
    return bool(check.skipped) and not any(_said(run) in FAILED for run in own)


def still_counts(run: CheckRun) -> bool:
    """Whether a run that others came after still says something; one that was cancelled made way for them."""
    return _said(run) in (*UNDER_WAY, *FAILED)


def _said(run: CheckRun) -> str:
    return (run.conclusion or "without a conclusion") if run.status == COMPLETED else run.status
