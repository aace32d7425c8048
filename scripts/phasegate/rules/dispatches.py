"""Approvals by a run in a protected environment, for teams whose humans and agents share an account.

The policy names the workflow and the environment. No comment can imitate what the API says of the run and of who let it
pass.
"""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.catalogue import problem
from phasegate.model.problem import Where
from phasegate.model.signal import Command, Place, Source
from phasegate.model.snapshot import DispatchApproval
from phasegate.model.vote import Act
from phasegate.policy.model import Phase
from phasegate.rules.accounts import Refusal, approves_own_work, not_a_person, too_little_permission
from phasegate.rules.assess import Facts


def dispatched_acts(facts: Facts) -> Iterator[Act]:
    """The acts that such runs are; of a phase on issues, one for each issue."""
    for approval in facts.snapshot.dispatch_approvals:
        phase = next((phase for phase in facts.policy.phases if phase.name == approval.phase), None)
        for issue in _issues(facts, phase):
            yield _act(facts, approval, phase, issue)


def _issues(facts: Facts, phase: Phase | None) -> tuple[int | None, ...]:
    if phase is None or phase.where is Place.PULL_REQUEST:
        return (None,)
    return tuple(issue.number for issue in facts.snapshot.issues)


def _act(facts: Facts, approval: DispatchApproval, phase: Phase | None, issue: int | None) -> Act:
    source = Source(
        id=f"run-{approval.run}",
        number=approval.run,
        url=approval.url,
        place=Place.PULL_REQUEST if phase is None else phase.where,
        issue=issue,
        author=approval.approved_by,
        at=approval.at,
        commit=approval.commit,
    )
    command = Command(verb="approve", phase=approval.phase, source=source, where=Where(url=approval.url))
    refusal = foreign_run(facts, approval) or _unfit_person(facts, source, approval)
    if refusal is not None or phase is None:
        reason = refusal.reason if refusal is not None else f'there is no phase "{approval.phase}"'
        code = refusal.code if refusal is not None else "PG213"
        wrong = problem(code, f"the approval by run {approval.run} does not count: {reason}", command.where)
        return Act(command=command, counts=False, reason=reason, problems=(wrong,))
    return Act(command=command, counts=True, content=_content(facts, source))


def foreign_run(facts: Facts, approval: DispatchApproval) -> Refusal | None:
    """A run that is not of the workflow, the branch, the event and the environment that the policy names."""
    wanted = facts.policy.humans.dispatch
    if wanted is None:
        return Refusal(code="PG221", reason="the policy names no workflow for approvals")
    found = (approval.workflow, approval.environment, approval.event, approval.ref)
    default = facts.snapshot.repository.default_branch
    if found != (wanted.workflow, wanted.environment, "workflow_dispatch", default):
        return Refusal(code="PG221", reason="it is not a run of the workflow and environment that the policy names")
    return None


def _unfit_person(facts: Facts, source: Source, approval: DispatchApproval) -> Refusal | None:
    person = approval.approved_by
    return (
        not_a_person(source, person)
        or too_little_permission(facts.policy, facts.snapshot, person)
        or approves_own_work(facts.policy, facts.snapshot, person)
    )


def _content(facts: Facts, source: Source) -> str | None:
    heads = facts.timeline.named(source.commit) if source.commit else ()
    if len(heads) != 1:
        return None
    if source.place is Place.ISSUE:
        return facts.plans.at(source.issue, source.at)
    return facts.timeline.content_at(heads[0], source.at)
