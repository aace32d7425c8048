"""Rounds: every content that was judged, with what was said about it, for people to look at."""

from __future__ import annotations

from phasegate.model.report import Round, RoundFinding, RoundVote
from phasegate.model.signal import INVALID, Finding, Kind, Place, Validity, Vote
from phasegate.rules.binding import short
from phasegate.rules.desk import Desk


def rounds(desk: Desk) -> tuple[Round, ...]:
    """The rounds of a phase at one place, the oldest first; the present content is always among them."""
    judged = {vote.role for vote in desk.votes if vote.signal.kind is Kind.VERDICT}
    names = {*desk.names, *judged.intersection(desk.phase.optional_seats)}
    heard = [vote for vote in desk.votes if vote.role in names and vote.heard]
    made: list[Round] = []
    known: dict[str, RoundFinding] = {}
    failing: tuple[RoundFinding, ...] = ()  # of the last round that had any
    for content, label in _contents(desk).items():
        votes = [vote for vote in heard if vote.content == content]
        if not votes and content != desk.content:
            continue
        failed = ((vote, each) for vote in votes if vote.failed for each in vote.signal.findings)
        findings = tuple(dict.fromkeys(_finding(vote, each, label, known) for vote, each in failed))
        raised = {key for each in findings for key in _keys(each)}
        by_role: dict[str, list[Vote]] = {}
        for vote in votes:
            by_role.setdefault(vote.role or "", []).append(vote)
        made.append(
            Round(
                content=content,
                label=label,
                current=content == desk.content,
                votes=tuple(_summed_up(role, spoken) for role, spoken in by_role.items()),
                findings=findings,
                fixed=tuple(each for each in failing if votes and raised.isdisjoint(_keys(each))),
            )
        )
        failing = findings or failing
    return tuple(made)


def _summed_up(role: str, votes: list[Vote]) -> RoundVote:
    """A role's last vote on a content; a FAIL before it stays visible."""
    last = votes[-1]
    said = INVALID if last.validity is Validity.INVALID or last.outcome is None else last.outcome.value
    failed_before = any(vote.failed for vote in votes[:-1]) and not last.failed
    return RoundVote(role=role, outcome=f"FAIL, then {said}" if failed_before else said, signal=last.id)


def _keys(finding: Finding | RoundFinding) -> tuple[str, str]:
    """The same place or the same words are the same finding."""
    return f"at {finding.location.strip().lower()}", f"says {finding.summary.strip().lower()}"


def _finding(vote: Vote, finding: Finding, label: str, known: dict[str, RoundFinding]) -> RoundFinding:
    """A finding with the round that raised it first."""
    keys = _keys(finding)
    first_in = next((known[key].first_in for key in keys if key in known), label)
    told = {"id": finding.id, "summary": finding.summary, "location": finding.location}
    made = RoundFinding(role=vote.role or "", first_in=first_in, **told)
    for key in keys:
        known.setdefault(key, made)
    return made


def _contents(desk: Desk) -> dict[str, str]:
    if desk.phase.where is Place.ISSUE:
        plans = [plan for plan in desk.facts.plans.votes if plan.source.issue == desk.issue]
        texts = dict.fromkeys(plan.signal.digest for plan in plans)
        return {text: f"#{desk.issue} plan {number}" for number, text in enumerate(texts, start=1)}
    labels: dict[str, str] = {}
    for commit in desk.timeline.heads:
        labels.setdefault(desk.timeline.content(commit), short(commit))
    return labels
