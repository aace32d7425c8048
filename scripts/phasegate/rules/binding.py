"""Which commit a vote judges, and whether its content is the content that would merge.

In: the snapshot's log of ref movements and content digests. Out: commits and contents; no clock, no commit dates.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from phasegate.catalogue import problem
from phasegate.model.contexts import context_in
from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Problem, Severity, Where, near
from phasegate.model.signal import Does, Kind, Outcome, Signal, Vote
from phasegate.model.texts import DeletedComment, is_own
from phasegate.policy.model import ContradictoryFail, Policy

if TYPE_CHECKING:  # lint asks for the role of a text without any pull request
    from phasegate.model.snapshot import BaseChange, Snapshot

SHORT = 7
PENDING = "PENDING"


def short(commit: str) -> str:
    """A commit as people write it."""
    return commit[:SHORT]


def _sightings(snapshot: Snapshot) -> dict[str, str]:
    """When each commit was first seen as the head: in a review, a forced push, or a status that the gate wrote."""
    forced, head = snapshot.pull_request.head_forced, snapshot.pull_request.head.sha
    gates = (each for each in snapshot.statuses if context_in(each.context) is not None)
    found = [
        *((review.commit, review.created_at) for review in snapshot.reviews if review.state != PENDING),
        *((commit, move.at) for move in forced for commit in (move.after, move.before)),
        *((head, each.at) for each in gates if is_own(each.creator, snapshot.own_account)),
        (head, snapshot.record.sighted),
    ]
    known = [(at, commit) for commit, at in found if commit is not None and at is not None]
    return {commit: at for at, commit in sorted(known, reverse=True)}


class Timeline:
    """The commits that were head of this pull request, and the content that each would merge."""

    def __init__(self, snapshot: Snapshot) -> None:
        pull_request = snapshot.pull_request
        self.head = pull_request.head.sha
        self.moves = tuple((move.at, move.after) for move in pull_request.head_moves(snapshot.ref_log.moves))
        self.complete = snapshot.ref_log.complete and bool(self.moves) and self.moves[-1][1] == self.head
        self.arrivals = {after: at for at, after in reversed(self.moves)}
        self.seen = {} if self.complete else _sightings(snapshot)
        before_opening = [after for at, after in self.moves if at <= pull_request.created_at][-1:]
        since = [after for at, after in self.moves if at > pull_request.created_at]
        self.heads = tuple(dict.fromkeys([*before_opening, *since, *self.seen, self.head]))
        told = {(item.commit, item.digest) for item in snapshot.contents}
        several = Counter(commit for commit, _ in told)
        self.contents = {commit: digest for commit, digest in told if digest and several[commit] == 1}
        self.base_changes = tuple(sorted(pull_request.base_changes, key=lambda change: change.at))
        self.test_merge = pull_request.test_merge

    def head_at(self, at: str) -> str | None:
        """The head at a time, or None if the log does not tell.

        A push in the same second counts as later, so a vote is bound to the older commit.
        """
        before = bisect_left(self.moves, (at,)) if self.complete else 0
        return self.moves[before - 1][1] if before else None

    def named(self, commit: str) -> tuple[str, ...]:
        """The heads that a full or shortened commit may mean."""
        return tuple(head for head in self.heads if head.startswith(commit.lower()))

    def never_head(self, named: str) -> str:
        """Says what a commit is that was never the head; GitHub's test merge commit is recognised."""
        if self.test_merge is not None and self.test_merge.startswith(named.lower()):
            return f"is GitHub's test merge of this pull request; name the head, {short(self.head)}"
        return "was never the head of this pull request"

    def arrived(self, commit: str) -> str:
        """When a commit first was the head by the log; "" (before everything) if the log does not hold it."""
        return self.arrivals.get(commit, "")

    def was_head(self, commit: str, at: str) -> bool:
        """True if a commit was the head, or was seen as it, before this second."""
        if self.complete:
            return self.arrived(commit) < at
        return any(seen < at for seen in (self.seen.get(commit), self.arrivals.get(commit)) if seen is not None)

    def content(self, commit: str) -> str:
        """The content that a commit would merge. If its files are not all known, it equals no other commit's."""
        return self.contents.get(commit, f"commit:{commit}")

    def content_at(self, commit: str, at: str) -> str:
        """The content of a commit at a time; another one if the base has changed since."""
        return f"other base:{commit}" if self.rebased(commit, at) is not None else self.content(commit)

    def rebased(self, commit: str, at: str = "") -> BaseChange | None:
        """The last change of the base since a time (that second included) that changes a commit's content."""
        changes = (each for each in reversed(self.base_changes) if each.at >= at and commit not in each.keeps)
        return next(changes, None)

    def is_current(self, commit: str, at: str) -> bool:
        """True if a commit's content at that time is the content that would merge now."""
        return self.content_at(commit, at) == self.current

    def for_base(self, commit: str, at: str) -> str:
        """A commit's content, numbered by the base at that time. A change in the same second counts as later."""
        before = sum(each.at < at and commit not in each.keeps for each in self.base_changes)
        return f"{self.content(commit)} for base {before}"

    @property
    def current(self) -> str:
        """The content that would merge."""
        return self.content(self.head)


@dataclass(frozen=True, kw_only=True, slots=True)
class SpokenRoles:
    """The policy's roles that a signal speaks for: normally one, and empty if that is unclear."""

    roles: tuple[str, ...]
    problems: tuple[Problem, ...]


def spoken_roles(policy: Policy, signal: Signal, mapped: tuple[str, ...]) -> SpokenRoles:
    """The roles that a signal speaks for, by its own claims and by the roles that the policy gives its author."""
    speaking = _speaking(policy, signal)
    own = tuple(role for role in mapped if role in speaking)
    claimed = signal.roles or (own if len(own) == 1 or not signal.known else ())
    known = tuple(name for name in claimed if name in speaking)
    if not claimed and signal.may_be:
        return _of_any(signal, own or speaking)
    if not known and not (claimed and own):
        nobody = problem("PG125", "it does not say which role it speaks for", signal.where)
        for said in signal.roles[:1]:
            meant = "".join(f'; did you mean "{name}"?' for name in near(said, speaking))
            known_as = meant or f" (roles: {', '.join(speaking)})"
            nobody = problem("PG120", f'"{said}" is not a role of this policy{known_as}', signal.where)
        return SpokenRoles(roles=(), problems=(nobody,))
    return SpokenRoles(roles=known or own, problems=tuple(_disagreement(policy, signal, claimed, mapped)))


def _speaking(policy: Policy, signal: Signal) -> tuple[str, ...]:
    """The roles that such a signal can fill: of the same dialect, and allowed in its medium."""
    alike = (role for role in policy.roles.values() if role.dialect == signal.dialect)
    return tuple(role.name for role in alike if signal.source.medium in role.media)


def _of_any(signal: Signal, speaking: tuple[str, ...]) -> SpokenRoles:
    """An unclear signal as an invalid word of every role that it may belong to; unclear is not silent."""
    roles = tuple(name for name in signal.may_be if name in speaking)
    if any(item.severity is Severity.ERROR for item in signal.problems):
        return SpokenRoles(roles=roles, problems=())
    message = f"the role is unclear: it may be {' or '.join(roles)}"
    return SpokenRoles(roles=roles, problems=(problem("PG913", message, signal.where),))


def _disagreement(
    policy: Policy, signal: Signal, claimed: tuple[str, ...], mapped: tuple[str, ...]
) -> Iterator[Problem]:
    told = [f"{claim.by} says {claim.role}" for claim in signal.claims]
    documents = [policy.roles[name].file if name in policy.roles else name for name in claimed]
    others = [name for name in documents if mapped and name not in mapped]
    if len(claimed) == 1 and not others:
        return
    hint = ""
    if others:
        login = "its author" if signal.source.author is None else signal.source.author.login
        told.append(f"the policy names {login} for {', '.join(mapped)}")
        names = ", ".join(others)
        hint = f"Let the account of {names} speak, or name {login} for {names} too in the policy."
    message = f"its sources name different roles: {'; '.join(told)}"
    yield problem("PG119", message, signal.where, hint=hint if len(claimed) == 1 else "")


# 6.5: what contradicts a PASS, or a FAIL that counts as one, with the names for the message.
AGAINST_PASS: tuple[tuple[str, str, Callable[[Signal], list[str]], str], ...] = (
    ("must_fix", "PG115", lambda signal: [*(signal.must_fix or ())],
     "PASS with a must_fix that names {} contradicts itself"),
    ("severe", "PG115", lambda signal: [each.id for each in signal.findings if each.blocking],
     "PASS with its own CRITICAL or HIGH findings ({}) contradicts itself"),
)  # fmt: skip
EMPTY_FAIL = "FAIL with an empty must_fix counts as PASS, which its own CRITICAL or HIGH findings ({}) contradict"


def consistent(policy: Policy, signal: Signal, role: str) -> tuple[Outcome | None, tuple[Problem, ...]]:
    """The outcome that counts, and the problems where the signal contradicts itself."""
    outcome, problems = signal.outcome, []
    if outcome is Outcome.FAIL and signal.must_fix == ():
        wrong = problem("PG114", "FAIL with an empty must_fix contradicts itself", signal.where)
        passes = policy.verdicts.contradictory_fail is ContradictoryFail.PASS
        outcome = Outcome.PASS if passes else None
        problems.append(wrong if passes else replace(wrong, severity=Severity.ERROR))
    for _, code, against, says in AGAINST_PASS if outcome is Outcome.PASS else ():
        if names := against(signal):
            message = says if signal.outcome is Outcome.PASS else EMPTY_FAIL
            problems.append(problem(code, message.format(", ".join(names)), signal.where))
    if signal.false_positives and policy.role(role).does is not Does.CONFIRMS:
        message = f"false_positives count only from a role that confirms, not from {role}"
        problems.append(problem("PG117", message, signal.where))
    return outcome, tuple(problems)


def adjusted(policy: Policy, problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems with the policy's severities, without the codes that it turns off."""
    severities = ((item, policy.severities.get(item.code, item.severity)) for item in problems)
    return tuple(replace(item, severity=severity) for item, severity in severities if severity is not None)


@dataclass(frozen=True, kw_only=True, slots=True)
class Plans:
    """Every version of every plan, oldest first. ``lost`` are deleted comments that may have been plans, by issue."""

    votes: tuple[Vote, ...] = ()
    lost: tuple[tuple[int, DeletedComment], ...] = ()

    @staticmethod
    def of(votes: tuple[Vote, ...], creators: frozenset[str], lost: tuple[tuple[int, DeletedComment], ...]) -> Plans:
        """The plans among the votes: texts and files of a phase's creators for the issue."""
        made = (vote for vote in votes if vote.role in creators and vote.heard)
        plans = [vote for vote in made if vote.source.issue is not None and vote.signal.kind is not Kind.PROPOSAL]
        return Plans(votes=tuple(sorted(plans, key=lambda vote: vote.source.moment)), lost=lost)

    def latest(self, issue: int | None, before: str = "~") -> Vote | None:
        """The plan that counts now, or the one that stood before a time."""
        here = (vote for vote in reversed(self.votes) if vote.source.issue == issue)
        return next((vote for vote in here if vote.source.at < before), None)

    def current(self, issue: int | None) -> str | None:
        """The content of the plan that counts now."""
        vote = self.latest(issue)
        return None if vote is None else vote.signal.digest

    def at(self, issue: int | None, at: str) -> str | None:
        """The content of the plan at a time; an edit in the same second counts as later.

        If a comment deleted since may have been the plan, older words are about a plan that is gone.
        """
        latest, lost = self.latest(issue, at), self.lost_since(issue, at)
        if latest is None:
            return None
        return latest.signal.digest if lost is None else f"lost plan:{lost.at}:{latest.signal.digest}"

    def lost_since(self, issue: int | None, at: str) -> DeletedComment | None:
        """The last deletion since a time (that second included) that may have removed the plan."""
        since = (trace for lost, trace in self.lost if lost == issue and trace.at >= at)
        return max(since, key=lambda trace: trace.at, default=None)

    def loss(self, issue: int | None, at: str, where: Where) -> Problem | None:
        """Why words from before such a deletion are about a plan that is gone."""
        trace = self.lost_since(issue, at)
        if trace is None:
            return None
        deleted_by = "somebody" if trace.actor is None else trace.actor.login
        written_by = "an unknown account" if trace.author is None else trace.author.login
        deleted = f"{deleted_by} deleted a comment by {written_by} on #{issue} at {trace.at}"
        return problem("PG307", f"{deleted}; it may have been the plan", Where(url=where.url))
