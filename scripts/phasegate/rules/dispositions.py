"""References between verdicts: a refuted id must be one that the phase's challenger raised."""

from __future__ import annotations

from collections.abc import Mapping

from phasegate.catalogue import problem
from phasegate.model.frozen import replace
from phasegate.model.report import Disposition, Need, PhaseReport, SignalReport, Why
from phasegate.model.signal import Does, Kind
from phasegate.model.vote import Validity, Vote
from phasegate.policy.model import Policy
from phasegate.rules.phases import Evaluation


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
    return any(role in phase.seats and other in phase.seats for phase in policy.phases)


def dispositions(evaluation: Evaluation, phases: tuple[PhaseReport, ...]) -> tuple[SignalReport, ...]:
    """One line for each vote, in order of time."""
    needs = {need.signal: need for phase in phases for need in reversed(phase.needs) if need.signal}
    standing = (vote for vote in evaluation.votes if vote.validity in (Validity.VALID, Validity.INVALID))
    last = {_seat(vote): vote.id for vote in standing}
    return tuple(_report(evaluation, vote, needs, last) for vote in evaluation.votes)


def _seat(vote: Vote) -> tuple[str | None, Kind, int | None]:
    return (vote.role, vote.signal.kind, vote.signal.source.issue)


def _report(
    evaluation: Evaluation, vote: Vote, needs: Mapping[str, Need], last: dict[tuple[str | None, Kind, int | None], str]
) -> SignalReport:
    phase = evaluation.facts.phase_of(vote.role) if vote.role else None
    disposition = _disposition(vote, needs, last)
    later = last.get(_seat(vote)) if disposition is Disposition.SUPERSEDED else None
    return SignalReport(
        id=vote.id,
        vote=vote,
        phase=phase.name if phase else None,
        disposition=disposition,
        superseded_by=None if later == vote.id else later,
    )


def _disposition(
    vote: Vote, needs: Mapping[str, Need], last: dict[tuple[str | None, Kind, int | None], str]
) -> Disposition:
    if vote.validity is Validity.IGNORED:
        return Disposition.IGNORED
    if vote.validity is Validity.EDITED_AWAY or last[_seat(vote)] != vote.id:
        return Disposition.SUPERSEDED
    if vote.validity is Validity.INVALID:
        return Disposition.INVALID
    need = needs.get(vote.id)
    if need is None:
        return Disposition.SHOWN
    if need.why is Why.OVERRULED:
        return Disposition.OVERRULED
    if vote.signal.kind is Kind.VERDICT and not vote.fresh:
        return Disposition.STALE
    return Disposition.COUNTED
