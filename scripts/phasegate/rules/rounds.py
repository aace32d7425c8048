"""The rounds of a phase and what became of each vote, for display. Nothing is decided here."""

from __future__ import annotations

from phasegate.model.report import Disposition, PhaseReport, Round, RoundFinding, RoundVote, SignalReport, Why
from phasegate.model.signal import INVALID, Finding, Kind, Outcome, Place, Validity, Vote
from phasegate.rules.assess import STANDING
from phasegate.rules.binding import short
from phasegate.rules.desk import Desk
from phasegate.rules.ledger import Ledger


def rounds_of(desk: Desk) -> tuple[Round, ...]:
    """The rounds of a phase at one place, oldest first. The present content is always among them."""
    judged = {vote.role for vote in desk.votes if vote.signal.kind is Kind.VERDICT}
    names = {*desk.names, *judged.intersection(desk.phase.optional_seats)}
    heard = [vote for vote in desk.votes if vote.role in names and vote.heard]
    ledger = desk.ledger
    gone = {(each.role, ledger.content_of(each)) for each in ledger.gone if each.outcome == Outcome.FAIL.value}
    made: list[Round] = []
    known: dict[str, str] = {}  # the round that first raised a finding
    failing: tuple[RoundFinding, ...] = ()  # of the last round that had any
    for content, label in _contents(desk).items():
        votes = [vote for vote in heard if vote.content == content]
        if not votes and content != desk.content:
            continue
        found: dict[RoundFinding, None] = {}
        for role, each in [(vote.role, each) for vote in votes if vote.failed for each in vote.signal.findings]:
            first_in = next((known[key] for key in _keys(each) if key in known), label)
            told = {"id": each.id, "summary": each.summary, "location": each.location}
            found[RoundFinding(role=role or "", first_in=first_in, **told)] = None
            known = dict.fromkeys(_keys(each), first_in) | known
        findings = tuple(found)
        raised = {key for each in findings for key in _keys(each)}
        by_role: dict[str, list[Vote]] = {}
        for vote in votes:
            by_role.setdefault(vote.role or "", []).append(vote)
        made.append(
            Round(
                content=content,
                label=label,
                current=content == desk.content,
                votes=tuple(_summed_up(role, said, failed=(role, content) in gone) for role, said in by_role.items()),
                findings=findings,
                fixed=tuple(each for each in failing if votes and raised.isdisjoint(_keys(each))),
            )
        )
        failing = findings or failing
    return tuple(made)


def _summed_up(role: str, votes: list[Vote], *, failed: bool) -> RoundVote:
    """A role's last vote on a content. An earlier FAIL stays visible, even a removed one."""
    last = votes[-1]
    said = INVALID if last.validity is Validity.INVALID or last.outcome is None else last.outcome.value
    failed_before = (failed or any(vote.failed for vote in votes[:-1])) and not last.failed
    return RoundVote(role=role, outcome=f"FAIL, then {said}" if failed_before else said, signal=last.id)


def _keys(finding: Finding | RoundFinding) -> tuple[str, str]:
    """Two findings are the same if they share a location or a summary."""
    return f"at {finding.location.strip().lower()}", f"says {finding.summary.strip().lower()}"


def _contents(desk: Desk) -> dict[str, str]:
    if desk.phase.where is Place.ISSUE:
        plans = [plan for plan in desk.ledger.plans.votes if plan.source.issue == desk.issue]
        texts = dict.fromkeys(plan.signal.digest for plan in plans)
        return {text: f"#{desk.issue} plan {number}" for number, text in enumerate(texts, start=1)}
    labels: dict[str, str] = {}
    for commit in desk.timeline.heads:
        labels.setdefault(desk.timeline.content(commit), short(commit))
    return labels


def dispositions(ledger: Ledger, phases: tuple[PhaseReport, ...]) -> tuple[SignalReport, ...]:
    """One line per vote, oldest first."""
    needs = {need.signal: need for phase in phases for need in reversed(phase.needs) if need.signal}
    standing = (vote for vote in ledger.votes if vote.validity in STANDING)
    last = {(vote.role, vote.signal.kind, vote.source.issue): vote.id for vote in standing}

    found = []
    for vote in ledger.votes:
        phase, need = ledger.homes.get(vote.role or ""), needs.get(vote.id)
        latest, later = last.get((vote.role, vote.signal.kind, vote.source.issue)), None
        if not vote.heard:
            became = Disposition.IGNORED
        elif vote.validity is Validity.EDITED_AWAY or latest != vote.id:
            became, later = Disposition.SUPERSEDED, None if latest == vote.id else latest
        elif vote.validity is Validity.INVALID:
            became = Disposition.INVALID
        elif need is None or need.why is Why.OVERRULED:
            became = Disposition.SHOWN if need is None else Disposition.OVERRULED
        else:
            stale = vote.signal.kind is Kind.VERDICT and not vote.fresh
            became = Disposition.STALE if stale else Disposition.COUNTED
        name = None if phase is None else phase.name
        found.append(SignalReport(id=vote.id, vote=vote, phase=name, disposition=became, superseded_by=later))
    return tuple(found)
