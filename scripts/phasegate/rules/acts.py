"""Human acts: which of the commands people wrote count, and for which content."""

from __future__ import annotations

from phasegate.catalogue import problem
from phasegate.model.signal import Command, Place
from phasegate.model.vote import Act, Validity, Vote
from phasegate.rules.accounts import Refusal, may_act
from phasegate.rules.assess import UNHEARD_REVIEWS, Facts
from phasegate.rules.dispatches import dispatched_acts


def assess_acts(facts: Facts, commands: tuple[Command, ...], votes: tuple[Vote, ...]) -> tuple[Act, ...]:
    """Each command with whether it counts and what it was given for."""
    speakers = frozenset(
        author.id
        for vote in votes
        if vote.validity is not Validity.IGNORED
        and (author := vote.signal.source.author) is not None
        and author.id is not None
    )
    return (*(_assess(facts, command, speakers) for command in commands), *dispatched_acts(facts))


def _assess(facts: Facts, command: Command, speakers: frozenset[int]) -> Act:
    if command.problems:
        return Act(command=command, counts=False, reason=command.problems[0].message, problems=command.problems)
    refusal = (
        _forbidden(facts, command)
        or _misplaced(facts, command)
        or may_act(facts.policy, facts.snapshot, command.source, speakers)
        or _touched(command)
        or _unheard(command)
    )
    if refusal is not None:
        message = f"/gate {command.verb} {command.phase} does not count: {refusal.reason}"
        return Act(
            command=command,
            counts=False,
            reason=refusal.reason,
            problems=(problem(refusal.code, message, command.where),),
        )
    return Act(command=command, counts=True, content=_content(facts, command))


def _touched(command: Command) -> Refusal | None:
    source = command.source
    if source.tampered_by is not None:
        return Refusal(code="PG205", reason=f"edited by {source.tampered_by}, who is not its author")
    if not source.history_complete:
        return Refusal(code="PG216", reason="edited, and its earlier texts cannot all be read")
    return None


def _unheard(command: Command) -> Refusal | None:
    if command.source.state in UNHEARD_REVIEWS:
        return Refusal(code="PG207", reason=f"it stands in a review that is {command.source.state}")
    return None


def _forbidden(facts: Facts, command: Command) -> Refusal | None:
    if command.verb == "override" and not facts.policy.overrides:
        return Refusal(code="PG219", reason="the policy lets nobody override a phase")
    return None


def _misplaced(facts: Facts, command: Command) -> Refusal | None:
    phase = next((phase for phase in facts.policy.phases if phase.name == command.phase), None)
    if phase is None:
        names = ", ".join(phase.name for phase in facts.policy.phases)
        return Refusal(code="PG213", reason=f'there is no phase "{command.phase}" (phases: {names})')
    if phase.where is not command.source.place:
        place = "the issue that holds the plan" if phase.where is Place.ISSUE else "the pull request"
        return Refusal(code="PG209", reason=f"it belongs on {place}")
    return None


def _content(facts: Facts, command: Command) -> str | None:
    source = command.source
    if source.place is Place.ISSUE:
        return facts.plans.at(source.issue, source.at)
    commit = source.commit or facts.timeline.head_at(source.at)
    return None if commit is None else facts.timeline.content_at(commit, source.at)
