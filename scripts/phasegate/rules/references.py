"""References between verdicts: a refuted id must be one that the phase's challenger raised."""

from __future__ import annotations

from dataclasses import replace

from phasegate.catalogue import problem
from phasegate.model.signal import Does
from phasegate.model.vote import Validity, Vote
from phasegate.policy.model import Policy


def with_references(policy: Policy, votes: tuple[Vote, ...]) -> tuple[Vote, ...]:
    """The votes, with a warning on each refuted id that nobody raised."""
    raised: dict[str, set[str]] = {}
    for vote in votes:
        if vote.role is not None and vote.validity is not Validity.IGNORED:
            raised.setdefault(vote.role, set()).update(finding.id for finding in vote.signal.findings)
    return tuple(_checked(policy, vote, raised) if vote.signal.false_positives else vote for vote in votes)


def _checked(policy: Policy, vote: Vote, by_role: dict[str, set[str]]) -> Vote:
    if vote.validity is Validity.IGNORED or vote.role is None or policy.role(vote.role).does is not Does.CONFIRMS:
        return vote
    challengers = [role for role in by_role if _challenges(policy, role, vote.role)]
    raised = {name for role in challengers for name in by_role[role]}
    unknown = [item for item in vote.signal.false_positives if item not in raised]
    if not unknown:
        return vote
    has = f"has {', '.join(sorted(raised))}" if raised else "it raised none"
    message = f"false_positives names {', '.join(unknown)}, which the challenger did not raise ({has})"
    return replace(vote, problems=(*vote.problems, problem("PG118", message, vote.signal.where)))


def _challenges(policy: Policy, other: str, role: str) -> bool:
    if policy.role(other).does is not Does.CHALLENGES:
        return False
    return any(role in phase.roles and other in phase.roles for phase in policy.phases)
