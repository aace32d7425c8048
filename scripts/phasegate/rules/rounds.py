"""Rounds: every content that was judged, with what was said about it, for people to look at."""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.model.report import Round, RoundFinding, RoundVote
from phasegate.model.signal import Finding, Kind, Place, Validity, Vote
from phasegate.rules.binding import short
from phasegate.rules.desk import Desk


def rounds(desk: Desk) -> tuple[Round, ...]:
    """The rounds of a phase at one place, the oldest first; the present content is always among them."""
    labels = _contents(desk)
    names = (*desk.names, *_optional(desk))
    said: dict[str, list[Vote]] = {content: [] for content in labels}
    for vote in desk.votes:
        if vote.role in names and vote.content in said and vote.validity is not Validity.IGNORED:
            said[vote.content].append(vote)
    made: list[Round] = []
    known: dict[str, RoundFinding] = {}
    for content, label in labels.items():
        if said[content] or content == desk.content:
            made.append(_round(desk, content, label, said[content], known, made))
    return tuple(made)


def _optional(desk: Desk) -> Iterator[str]:
    """The other roles of the phase that have judged something."""
    for name in desk.phase.optional_seats:
        if any(vote.role == name and vote.signal.kind is Kind.VERDICT for vote in desk.votes):
            yield name


def _round(  # noqa: PLR0913, PLR0917  (a round and what came before it)
    desk: Desk, content: str, label: str, votes: list[Vote], known: dict[str, RoundFinding], before: list[Round]
) -> Round:
    by_role: dict[str, list[Vote]] = {}
    for vote in votes:
        by_role.setdefault(vote.role or "", []).append(vote)
    findings = tuple(
        _finding(vote, finding, label, known) for vote in votes if vote.failed for finding in vote.signal.findings
    )
    return Round(
        content=content,
        label=label,
        current=content == desk.content,
        votes=tuple(_summed_up(role, spoken) for role, spoken in by_role.items()),
        findings=tuple(dict.fromkeys(findings)),
        fixed=_fixed(findings, votes, before),
    )


def _summed_up(role: str, votes: list[Vote]) -> RoundVote:
    """A role's last vote on a content; a FAIL before it stays visible."""
    last = _outcome(votes[-1])
    failed_before = any(vote.failed for vote in votes[:-1]) and not votes[-1].failed
    return RoundVote(role=role, outcome=f"FAIL, then {last}" if failed_before else last, signal=votes[-1].id)


def _finding(vote: Vote, finding: Finding, label: str, known: dict[str, RoundFinding]) -> RoundFinding:
    """A finding with the round that raised it first: the same place or the same votes are the same finding."""
    keys = [f"at {finding.location.strip().lower()}", f"says {finding.summary.strip().lower()}"]
    earlier = next((known[key] for key in keys if key in known), None)
    made = RoundFinding(
        id=finding.id,
        role=vote.role or "",
        summary=finding.summary,
        location=finding.location,
        first_in=label if earlier is None else earlier.first_in,
    )
    for key in keys:
        known.setdefault(key, made)
    return made


def _fixed(findings: tuple[RoundFinding, ...], votes: list[Vote], before: list[Round]) -> tuple[RoundFinding, ...]:
    """What the last failing round held that this one, once judged, no longer does."""
    previous = next((item for item in reversed(before) if item.findings), None)
    if previous is None or not votes:
        return ()
    places = {item.location.lower() for item in findings}
    texts = {item.summary.lower() for item in findings}
    return tuple(
        item for item in previous.findings if item.location.lower() not in places and item.summary.lower() not in texts
    )


def _contents(desk: Desk) -> dict[str, str]:
    if desk.phase.where is Place.ISSUE:
        plans = [plan for plan in desk.facts.plans.votes if plan.signal.source.issue == desk.issue]
        texts = dict.fromkeys(plan.signal.digest for plan in plans)
        return {text: f"#{desk.issue} plan {number}" for number, text in enumerate(texts, start=1)}
    timeline = desk.timeline
    labels: dict[str, str] = {}
    for commit in timeline.heads:
        labels.setdefault(timeline.content(commit), short(commit))
    return labels


def _outcome(vote: Vote) -> str:
    if vote.validity is Validity.INVALID or vote.outcome is None:
        return "invalid"
    return vote.outcome.value
