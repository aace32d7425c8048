"""Weighing: what was read of a pull request goes in, votes, acts and the route come out, ready for the phases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from phasegate.catalogue import problem
from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Problem, Where
from phasegate.model.report import Disposition, Need, PhaseReport, Queued, SignalReport, State, Why, Withheld
from phasegate.model.signal import (
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
from phasegate.model.snapshot import MergeGroup, Snapshot
from phasegate.model.texts import DeletedComment, Issue
from phasegate.policy.model import Policy
from phasegate.rules.accounts import may_have_spoken
from phasegate.rules.acts import assess_acts
from phasegate.rules.assess import Accounts, Facts
from phasegate.rules.binding import LostPlan, Plans, Timeline, settled
from phasegate.rules.desk import Evaluation, is_refused_vote
from phasegate.rules.exemption import exemption
from phasegate.rules.ledger import Ledger, at_home
from phasegate.rules.route import find_route


@dataclass(frozen=True, kw_only=True, slots=True)
class Ground:
    """A pull request once its texts were read: signals, commands and folders, and the texts that no dialect reads."""

    policy: Policy
    snapshot: Snapshot
    signals: tuple[Signal, ...]
    commands: tuple[Command, ...]
    folders: tuple[IssueFolder, ...] = ()
    unread: tuple[Unread, ...] = ()


def weigh(ground: Ground, before: Evaluation | None = None) -> Evaluation:
    """Plans are assessed first, since verdicts on a plan are bound to its text; what nobody can read comes last.

    Where nothing has changed since ``before`` that a signal is assessed against, its votes are still the same.
    """
    policy, snapshot = ground.policy, ground.snapshot
    accounts = Accounts(policy, snapshot) if before is None else before.facts.accounts.of(policy, snapshot)
    same = before is not None and before.facts.snapshot is snapshot
    timeline = before.facts.timeline if before is not None and same else Timeline.of(snapshot)
    bare = Facts(policy=policy, snapshot=snapshot, timeline=timeline, plans=Plans(), accounts=accounts)
    creators = frozenset(phase.creator for phase in policy.phases if phase.where is Place.ISSUE and phase.creator)
    on_issues = tuple(signal for signal in ground.signals if signal.source.issue is not None)
    planned = replace(
        bare, plans=Plans.of(_assessed(bare, on_issues), creators, lost_plans(policy, snapshot, creators))
    )
    kept = before.kept if before is not None and _still_holds(before.facts, planned) else {}
    told = {id(signal): kept.get(id(signal)) or planned.assess(signal) for signal in ground.signals if _is_told(signal)}
    known = _in_order(vote for votes in told.values() for vote in votes)
    words = tuple(vote for vote in known if vote.validity is Validity.VALID)
    facts = replace(planned, voices=_voices(known), words=words)
    unknown = _assessed(facts, tuple(signal for signal in ground.signals if not _is_told(signal)))
    heard = settled(policy, facts.timeline, _in_order((*known, *unknown)))
    votes = at_home(facts, with_references(policy, heard))
    acts = assess_acts(facts, ground.commands, votes)
    return Evaluation(
        facts=facts,
        ledger=Ledger(facts, votes, ground.unread),
        votes=votes,
        refusals=tuple(vote for vote in votes if is_refused_vote(vote)),
        acts=acts,
        route=find_route(policy, snapshot, votes),
        folders=ground.folders,
        unread=ground.unread,
        exempt=exemption(policy, snapshot, facts.timeline),
        kept=told,
    )


def _still_holds(old: Facts, new: Facts) -> bool:
    """Whether signals that tell for whom they speak are assessed as before: at most somebody is known in addition."""
    people = old.snapshot.people
    if new.snapshot is not old.snapshot and (
        new.snapshot.people[: len(people)] != people or replace(new.snapshot, people=people) != old.snapshot
    ):
        return False
    return (old.policy, old.timeline, old.plans) == (new.policy, new.timeline, new.plans)


def lost_plans(policy: Policy, snapshot: Snapshot, creators: frozenset[str]) -> tuple[LostPlan, ...]:
    """The deleted comments that may have been plans: of whoever may write one, or of nobody knows whom."""

    def may_be_lost(trace: DeletedComment) -> bool:
        return any(may_have_spoken(policy, snapshot, trace.author, role) for role in creators)

    def lost_from(issue: Issue) -> list[LostPlan]:
        return [LostPlan(issue=issue.number, trace=each) for each in issue.deleted_comments if may_be_lost(each)]

    return tuple(lost for issue in snapshot.own_issues for lost in lost_from(issue))


def _is_told(signal: Signal) -> bool:
    """Whether a signal tells by itself for whom it speaks."""
    return bool(signal.claims or (signal.known and not signal.may_be)) and not signal.shown


def _voices(votes: tuple[Vote, ...]) -> dict[int, tuple[str, ...]]:
    """The roles that each account has spoken for here."""
    spoken: dict[int, dict[str, None]] = {}
    for vote in votes:
        author = vote.signal.source.author
        if vote.role is not None and vote.validity is not Validity.IGNORED and author is not None:
            spoken.setdefault(author.id or 0, {})[vote.role] = None
    return {account: tuple(roles) for account, roles in spoken.items()}


def _assessed(facts: Facts, signals: tuple[Signal, ...]) -> tuple[Vote, ...]:
    return _in_order(vote for signal in signals for vote in facts.assess(signal))


def _in_order(votes: Iterable[Vote]) -> tuple[Vote, ...]:
    return tuple(sorted(votes, key=lambda vote: vote.order))


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


CODES = {
    Withheld.OTHER_QUEUE: "PG410",
    Withheld.QUEUED_UNKNOWN: "PG411",
    Withheld.QUEUED_OTHERWISE: "PG412",
}


def queued_of(snapshot: Snapshot) -> Queued | None:
    """The commit of the queue that is decided, if one is."""
    group = snapshot.merge_group
    if group is None:
        return None
    return Queued(commit=group.head, base=group.base, branch=group.branch, differs=group.differs or ())


def decide_queued(
    policy: Policy, snapshot: Snapshot, state: State, withheld: Withheld | None
) -> tuple[State, Withheld | None]:
    """The state of the commit of the queue, by that of its pull request.

    What is awaited is a failure here: nobody decides the commit again, and the queue would wait until its time is up.
    """
    group = snapshot.merge_group
    if group is None or state is State.ERROR:
        return state, withheld
    if not is_green(state):
        return State.FAILURE, withheld
    why = _refused(policy, snapshot, group)
    return (State.SUCCESS, None) if why is None else (State.FAILURE, why)


def is_green(state: State) -> bool:
    """Whether the pull request passes by what its words say now."""
    return state is State.SUCCESS


def _refused(policy: Policy, snapshot: Snapshot, group: MergeGroup) -> Withheld | None:
    """Why the commit does not pass though its pull request does."""
    if not names_it(snapshot, group):
        return Withheld.OTHER_QUEUE
    if not told_whole(group):
        return Withheld.QUEUED_UNKNOWN
    return Withheld.QUEUED_OTHERWISE if unjudged(policy, snapshot, group) else None


def names_it(snapshot: Snapshot, group: MergeGroup) -> bool:
    """Whether the ref names this pull request, in the queue of its own base branch."""
    pull = snapshot.pull_request
    return (group.number, group.branch) == (pull.number, pull.base.ref)


def told_whole(group: MergeGroup) -> bool:
    """Whether all that the commit brings in is known."""
    return group.differs is not None


def unjudged(policy: Policy, snapshot: Snapshot, group: MergeGroup) -> tuple[str, ...]:
    """The paths at which it brings in what nobody judged; files that others changed too may be let pass."""
    differs = group.differs or ()
    if not policy.merge_overlap:
        return differs
    entries = snapshot.files.entries
    own = {path for entry in entries for path in (entry.path, entry.previous_path)}
    return tuple(path for path in differs if path not in own or path not in group.beside)


def queue_problems(snapshot: Snapshot, withheld: Withheld | None) -> tuple[Problem, ...]:
    """What is wrong with the commit of the queue, with a fix."""
    group = snapshot.merge_group
    if group is None or withheld not in CODES:
        return ()
    where = Where(url=f"{snapshot.repository.url}/commit/{group.head}")
    pull = snapshot.pull_request
    if withheld is Withheld.OTHER_QUEUE:
        message = f"{group.ref} does not name #{pull.number} in the queue of {pull.base.ref}"
    elif withheld is Withheld.QUEUED_UNKNOWN:
        message = f"GitHub does not tell all that {group.head[:7]} brings in on {group.base[:7]}"
    else:
        paths = ", ".join((group.differs or ())[:5])
        message = f"{paths} in {group.head[:7]} is not what was judged on {pull.head.sha[:7]}"
    return (problem(CODES[withheld], message, where),)
