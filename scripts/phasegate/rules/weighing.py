"""Weighing: what was read of a pull request goes in, votes, acts and the route come out, ready for the phases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from phasegate.catalogue import problem
from phasegate.model.frozen import dataclass, replace
from phasegate.model.report import Disposition, Need, PhaseReport, SignalReport, Why
from phasegate.model.signal import (
    APPROVE,
    Cause,
    Command,
    Does,
    IssueFolder,
    Kind,
    Place,
    Signal,
    Unread,
    Validity,
    Vote,
)
from phasegate.model.snapshot import Snapshot
from phasegate.policy.model import Phase, Policy
from phasegate.rules.accounts import Accounts, Row, first, heard_as_agents, silenced_agents
from phasegate.rules.acts import assess_acts
from phasegate.rules.assess import Facts
from phasegate.rules.binding import LostPlan, Plans, Timeline, adjusted, short
from phasegate.rules.desk import Evaluation
from phasegate.rules.exemption import exemption
from phasegate.rules.findings import Findings
from phasegate.rules.ledger import PASSING, Ledger, at_home
from phasegate.rules.route import find_route, spent_at

STANDING = (Validity.VALID, Validity.INVALID)


@dataclass(frozen=True, kw_only=True, slots=True)
class Ground:
    """A pull request once its texts were read: signals, commands and folders, and the texts that no dialect reads.

    ``foreseen`` is what the next pass of a role will ask for.
    """

    policy: Policy
    snapshot: Snapshot
    signals: tuple[Signal, ...]
    commands: tuple[Command, ...]
    folders: tuple[IssueFolder, ...] = ()
    unread: tuple[Unread, ...] = ()
    foreseen: tuple[tuple[str, Cause], ...] = ()


def weigh(ground: Ground) -> Evaluation:
    """Everything weighed; once more where a human approved a plan again that was of earlier work on its issue."""
    found = _weighed(ground, frozenset())
    renewed = frozenset(_renewed(found))
    return _weighed(ground, renewed) if renewed else found


def _renewed(evaluation: Evaluation) -> Iterator[int]:
    """The issues without a plan of their own work whose older one a human approved after they had been closed."""
    for issue in evaluation.facts.snapshot.own_issues:
        planned = evaluation.facts.plans.current(issue.number) is not None
        spent = "" if planned else spent_at(evaluation.facts.snapshot, issue)
        own = (act for act in evaluation.acts if act.counts and act.command.verb == APPROVE)
        if spent and any(each.source.issue == issue.number and each.source.at > spent for each in own):
            yield issue.number


def _weighed(ground: Ground, renewed: frozenset[int]) -> Evaluation:
    """Turns signals into votes: plans first, because verdicts bind to a plan's text; unreadable texts last."""
    policy, snapshot = ground.policy, ground.snapshot
    accounts, timeline = Accounts(policy, snapshot), Timeline(snapshot)
    creators = frozenset(phase.creator for phase in policy.phases if phase.where is Place.ISSUE and phase.creator)
    lost = tuple(  # deleted comments that may have been plans: of whoever may write one, or of nobody knows whom
        LostPlan(issue=issue.number, trace=each)
        for issue in snapshot.own_issues
        for each in issue.deleted_comments
        if any(map(accounts.account(each.author).may_have_spoken, creators))
    )
    facts = Facts(
        policy=policy, snapshot=snapshot, timeline=timeline, plans=Plans(), accounts=accounts, homes=_homes(policy)
    )
    facts = replace(facts, renewed=renewed)
    on_issues = _assessed(facts, (signal for signal in ground.signals if signal.source.issue is not None))
    facts = replace(facts, plans=Plans.of(on_issues, creators, lost))
    told = _assessed(facts, filter(_is_told, ground.signals))
    facts = replace(facts, voices=_voices(told))
    untold = _assessed(facts, (signal for signal in ground.signals if not _is_told(signal)))
    known = tuple(sorted((*told, *untold), key=lambda vote: vote.order))
    votes = at_home(facts, with_references(policy, settled(facts, known)))
    facts = replace(facts, agents=heard_as_agents(votes) | {*silenced_agents(snapshot, votes)})
    refused = (vote for vote in votes if not vote.heard and vote.source.latest)
    acts = assess_acts(facts, ground.commands)
    return Evaluation(
        facts=facts,
        ledger=Ledger(facts, votes, ground.unread, Findings(facts, votes, acts)),
        votes=votes,
        refusals=tuple(vote for vote in refused if vote.signal.kind is not Kind.PROPOSAL),
        acts=acts,
        route=find_route(facts, votes, acts),
        folders=ground.folders,
        unread=ground.unread,
        exempt=exemption(policy, snapshot, timeline),
    )


def _homes(policy: Policy) -> dict[str, Phase]:
    """The phase that each role speaks in: one that asks for it, or lets it work, before one that only looks at it."""
    found: dict[str, Phase] = {}
    for parts in (("optional_seats",), ("workers",), ("seats", "quick_seats")):
        for phase in reversed(policy.phases):
            found |= dict.fromkeys((name for part in parts for name in getattr(phase, part)), phase)
    return found


def _is_told(signal: Signal) -> bool:
    """True if a signal tells by itself for whom it speaks."""
    return bool(signal.claims or (signal.known and not signal.may_be)) and not signal.shown


def _voices(votes: tuple[Vote, ...]) -> dict[int, tuple[str, ...]]:
    """The roles that each account has spoken for here."""
    spoken: dict[int, dict[str, None]] = {}
    for vote in (each for each in votes if each.heard and each.role is not None and each.source.author is not None):
        spoken.setdefault(vote.source.account or 0, {})[vote.role or ""] = None
    return {account: tuple(roles) for account, roles in spoken.items()}


def _assessed(facts: Facts, signals: Iterable[Signal]) -> tuple[Vote, ...]:
    return tuple(sorted((vote for each in signals for vote in facts.assess(each)), key=lambda vote: vote.order))


class Stage:
    """A vote that stands, and the first file or word since of a seat below it; only a pass grows old by a word.

    Two things of one second may have come either way.
    """

    def __init__(self, facts: Facts, vote: Vote, files: Sequence[Vote], said: Sequence[Vote]) -> None:
        self.vote, self.judged, self.head = vote, short(vote.commit or "?"), short(facts.timeline.head)
        below = facts.policy.role(vote.role).after if vote.role is not None else ()
        good = vote.validity is Validity.VALID and vote.outcome in PASSING

        def newer(votes: Sequence[Vote]) -> Vote | None:
            own = (each for each in votes if each.role in below and each.source.issue == vote.source.issue)
            return next((each for each in own if not vote.source.is_after(each.source)), None)

        self.newer_file, self.newer_word = newer(files), newer(said) if good else None
        theirs = None if self.newer_file is None else self.newer_file.source
        self.at_once = theirs is not None and theirs.at == vote.source.at
        self.changed_with = short((theirs and theirs.commit) or "?")


# Why a vote is stale though it may be for the present content: the first row that holds.
STALE: tuple[Row[Stage], ...] = (
    ("file at once", "PG306", lambda stage: stage.at_once,
     "it was pushed in the same second as {0.newer_file.role}, so nobody can tell which came first"),
    ("newer file", "PG306", lambda stage: stage.newer_file is not None,
     "it is older than {0.newer_file.role}, which was changed with {0.changed_with}"),
    ("content", "PG303", lambda stage: stage.vote.source.pushed and stage.vote.signal.kind is Kind.VERDICT and
     not stage.vote.fresh, "it was for {0.judged}, and {0.head} has other content"),
    ("newer word", "PG308", lambda stage: stage.newer_word is not None,
     "it is older than the latest {0.newer_word.role}, of {0.newer_word.source.at}"),
)  # fmt: skip


def settled(facts: Facts, votes: tuple[Vote, ...]) -> tuple[Vote, ...]:
    """The votes, those stale that stand on an earlier stage which spoke again, or in files on another product."""
    stacked = {role.name: role.after for role in facts.policy.roles.values() if role.after}
    grounds = {below for after in stacked.values() for below in after}
    standing = [vote for vote in votes if vote.validity in STANDING]
    files = [vote for vote in standing if vote.source.pushed]
    said = [vote for vote in standing if vote.role in grounds]
    spoken = [vote for vote in said if not vote.source.pushed]

    def settle(vote: Vote) -> Vote:
        in_files = vote.source.pushed
        if vote.validity not in STANDING or not (in_files or vote.role in stacked):
            return vote
        why = first(STALE, Stage(facts, vote, files if in_files else (), spoken if in_files else said))
        if why is None:
            return vote
        stale = problem(why.code, why.reason, vote.signal.where)
        return replace(vote, fresh=False, stale=stale, problems=(*vote.problems, *adjusted(facts.policy, [stale])))

    return tuple(map(settle, votes))


def with_references(policy: Policy, votes: tuple[Vote, ...]) -> tuple[Vote, ...]:
    """The votes, with a warning on each refuted id that no challenger of the phase raised."""

    def checked(vote: Vote) -> Vote:
        if not (vote.signal.false_positives and vote.heard and vote.role):
            return vote
        beside = {name for phase in policy.phases if vote.role in phase.seats for name in phase.seats}
        challengers = {name for name in beside if policy.role(name).does is Does.CHALLENGES}
        raised = (each.signal.findings for each in votes if each.heard and each.role in challengers)
        known = {finding.id for findings in raised for finding in findings}
        unknown = [item for item in vote.signal.false_positives if item not in known]
        if not unknown or policy.role(vote.role).does is not Does.CONFIRMS:
            return vote
        has = f"has {', '.join(sorted(known))}" if known else "it raised none"
        message = f"false_positives names {', '.join(unknown)}, which the challenger did not raise ({has})"
        return replace(vote, problems=(*vote.problems, problem("PG117", message, vote.signal.where)))

    return tuple(map(checked, votes))


def dispositions(evaluation: Evaluation, phases: tuple[PhaseReport, ...]) -> tuple[SignalReport, ...]:
    """One line for each vote, in order of time."""
    needs = {need.signal: need for phase in phases for need in reversed(phase.needs) if need.signal}
    standing = (vote for vote in evaluation.votes if vote.validity in STANDING)
    last = {(vote.role, vote.signal.kind, vote.source.issue): vote.id for vote in standing}

    def report(vote: Vote) -> SignalReport:
        phase = evaluation.facts.phase_of(vote.role or "")
        latest = last.get((vote.role, vote.signal.kind, vote.source.issue))
        became, name = _disposition(vote, needs.get(vote.id), latest), phase.name if phase else None
        later = latest if became is Disposition.SUPERSEDED and latest != vote.id else None
        return SignalReport(id=vote.id, vote=vote, phase=name, disposition=became, superseded_by=later)

    return tuple(map(report, evaluation.votes))


def _disposition(vote: Vote, need: Need | None, last: str | None) -> Disposition:
    """What became of a vote, by the need that it fills and the last vote of its seat."""
    if not vote.heard:
        return Disposition.IGNORED
    if vote.validity is Validity.EDITED_AWAY or last != vote.id:
        return Disposition.SUPERSEDED
    if vote.validity is Validity.INVALID:
        return Disposition.INVALID
    if need is None or need.why is Why.OVERRULED:
        return Disposition.SHOWN if need is None else Disposition.OVERRULED
    return Disposition.STALE if vote.signal.kind is Kind.VERDICT and not vote.fresh else Disposition.COUNTED
