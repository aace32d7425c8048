"""What a signal says of itself: one role, one outcome, and nothing in it that contradicts the two.

In: a signal and the policy, no pull request; so a comment can be checked before it is posted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from phasegate.catalogue import problem
from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Problem, Severity
from phasegate.model.signal import Does, Outcome, Signal
from phasegate.policy.model import ContradictoryFail, Policy


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """The roles of the policy that a signal speaks for: one if all is well, none if nobody can tell."""

    roles: tuple[str, ...]
    problems: tuple[Problem, ...]


def told_roles(policy: Policy, signal: Signal, mapped: tuple[str, ...]) -> Told:
    """Which roles a signal speaks for, by its own claims and by the roles that the policy maps its author to."""
    speaking = _speaking(policy, signal)
    own = tuple(role for role in mapped if role in speaking)
    claimed = signal.roles or (own if len(own) == 1 or not signal.known else ())
    known = tuple(name for name in claimed if name in speaking)
    if not known and claimed and own:
        return Told(roles=own, problems=tuple(_disagreement(policy, signal, claimed, mapped)))
    if not known:
        return Told(roles=(), problems=(_nobody(policy, signal),))
    return Told(roles=known, problems=tuple(_disagreement(policy, signal, claimed, mapped)))


def _speaking(policy: Policy, signal: Signal) -> tuple[str, ...]:
    """The roles whose seats such words can fill: those of the same dialect, in the media that they may use."""
    return tuple(
        role.name
        for role in policy.roles.values()
        if role.dialect == signal.dialect and signal.source.medium in role.media
    )


def _nobody(policy: Policy, signal: Signal) -> Problem:
    if signal.roles:
        names = ", ".join(_speaking(policy, signal))
        return problem("PG120", f'"{signal.roles[0]}" is not a role of this policy (roles: {names})', signal.where)
    return problem("PG125", "it cannot be told which role speaks", signal.where)


def _disagreement(
    policy: Policy, signal: Signal, claimed: tuple[str, ...], mapped: tuple[str, ...]
) -> Iterator[Problem]:
    told = [f"{claim.by} says {claim.role}" for claim in signal.claims]
    documents = [policy.roles[name].file if name in policy.roles else name for name in claimed]
    if mapped and any(name not in mapped for name in documents):
        told.append(f"the policy maps its author to {', '.join(mapped)}")
    elif len(claimed) == 1:
        return
    yield problem("PG119", f"its sources name different roles: {'; '.join(told)}", signal.where)


def consistent(policy: Policy, signal: Signal, role: str) -> tuple[Outcome | None, tuple[Problem, ...]]:
    """The outcome that counts, and what in the signal contradicts it."""
    outcome, problems = signal.outcome, []
    if outcome is Outcome.FAIL and signal.must_fix == ():
        wrong = problem("PG114", "FAIL with an empty must_fix contradicts itself", signal.where)
        if policy.verdicts.contradictory_fail is ContradictoryFail.PASS:
            outcome = Outcome.PASS
        else:
            outcome, wrong = None, replace(wrong, severity=Severity.ERROR)
        problems.append(wrong)
    if outcome is Outcome.PASS:
        problems.extend(_against_pass(signal))
    if signal.false_positives and policy.role(role).does is not Does.CONFIRMS:
        message = f"false_positives count only from a role that confirms, not from {role}"
        problems.append(problem("PG117", message, signal.where))
    return outcome, tuple(problems)


def _against_pass(signal: Signal) -> Iterator[Problem]:
    if signal.must_fix:
        names = ", ".join(signal.must_fix)
        yield problem("PG115", f"PASS with a must_fix that names {names} contradicts itself", signal.where)
    blocking = [finding.id for finding in signal.findings if finding.blocking]
    if blocking:
        message = f"PASS with its own CRITICAL or HIGH findings ({', '.join(blocking)}) contradicts itself"
        yield problem("PG116", message, signal.where)


def adjusted(policy: Policy, problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems with the severities that the policy gives their codes, without those it turns off."""
    severities = ((item, policy.severities.get(item.code, item.severity)) for item in problems)
    return tuple(replace(item, severity=severity) for item, severity in severities if severity is not None)
