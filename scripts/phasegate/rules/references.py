"""References between verdicts: a refuted id must be one that the phase's challenger raised."""

from __future__ import annotations

from dataclasses import replace

from phasegate.catalogue import problem
from phasegate.model.decision import Standing, Word
from phasegate.model.signal import Does
from phasegate.policy import Policy


def with_references(policy: Policy, words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The words, with a warning on each refuted id that nobody raised."""
    raised: dict[str, set[str]] = {}
    for word in words:
        if word.role is not None and word.standing is not Standing.IGNORED:
            raised.setdefault(word.role, set()).update(finding.id for finding in word.signal.findings)
    return tuple(_checked(policy, word, raised) if word.signal.false_positives else word for word in words)


def _checked(policy: Policy, word: Word, by_role: dict[str, set[str]]) -> Word:
    if word.standing is Standing.IGNORED or word.role is None or policy.role(word.role).does is not Does.CONFIRMS:
        return word
    challengers = [role for role in by_role if _challenges(policy, role, word.role)]
    raised = {name for role in challengers for name in by_role[role]}
    unknown = [item for item in word.signal.false_positives if item not in raised]
    if not unknown:
        return word
    has = f"has {', '.join(sorted(raised))}" if raised else "it raised none"
    message = f"false_positives names {', '.join(unknown)}, which the challenger did not raise ({has})"
    return replace(word, problems=(*word.problems, problem("PG118", message, word.signal.where)))


def _challenges(policy: Policy, other: str, role: str) -> bool:
    if policy.role(other).does is not Does.CHALLENGES:
        return False
    return any(role in phase.roles and other in phase.roles for phase in policy.phases)
