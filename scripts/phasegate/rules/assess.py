"""Assessing: each signal becomes a vote that may count, is invalid, or is ignored, always with the reason.

In: signals in normal form. Out: votes, one for each role that a signal speaks for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

from phasegate.catalogue import problem
from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Problem, Severity
from phasegate.model.signal import (
    GOOD,
    Kind,
    Outcome,
    Place,
    Signal,
    Source,
    Validity,
    Vote,
)
from phasegate.model.snapshot import Snapshot
from phasegate.policy.model import Edited, Phase, Policy
from phasegate.rules.accounts import (
    DISMISSED,
    Refusal,
    judges_own_push,
    mapped_roles,
    refusals,
    refused_file,
)
from phasegate.rules.binding import Plans, SpokenRoles, Timeline, adjusted, consistent, short, spoken_roles
from phasegate.rules.route import spent_at

UNHEARD_REVIEWS = ("PENDING", DISMISSED)


def unheard_review(signal: Signal) -> Problem | None:
    """A review that was not given, or was taken back; a verdict that was dismissed may stay in the history."""
    state = signal.source.state
    if state not in UNHEARD_REVIEWS or (state == DISMISSED and signal.kind is Kind.VERDICT):
        return None
    return _unheard(signal)


def _unheard(signal: Signal) -> Problem:
    return problem("PG207", f"a review that is {signal.source.state} does not count", signal.where)


def is_spent(snapshot: Snapshot, source: Source) -> bool:
    """Whether something on an issue is older than a merge that closed it."""
    issue = next((issue for issue in snapshot.own_issues if issue.number == source.issue), None)
    return issue is not None and source.at <= spent_at(snapshot, issue)


def who(source: Source) -> tuple[object, ...]:
    """All of a source that whether its author may speak depends on."""
    author = source.author
    account = None if author is None else (author.id, author.login, author.type)
    return (account, source.app_id, source.via_email, source.medium)


class Accounts:
    """What policy and snapshot say of the accounts that speak; each is looked at once, however much it wrote."""

    def __init__(self, policy: Policy, snapshot: Snapshot) -> None:
        self.policy = policy
        self.snapshot = snapshot
        self._mapped: dict[object, tuple[str, ...]] = {}
        self._refused: dict[object, tuple[Refusal, ...]] = {}
        self._own: dict[object, Refusal | None] = {}

    def of(self, policy: Policy, snapshot: Snapshot) -> Accounts:
        """The same where policy and snapshot say the same of them, else what another pair says."""
        same = self.policy is policy and (self.snapshot is snapshot or _of_accounts(self.snapshot, snapshot))
        return self if same else Accounts(policy, snapshot)

    def mapped(self, source: Source) -> tuple[str, ...]:
        """The roles that the policy maps an author to."""
        key = who(source)
        if key not in self._mapped:
            self._mapped[key] = mapped_roles(self.policy, self.snapshot, source)
        return self._mapped[key]

    def refusals(self, source: Source, role: str | None) -> tuple[Refusal, ...]:
        """Every reason why an author's words do not count for a role."""
        key = (who(source), role)
        if key not in self._refused:
            self._refused[key] = tuple(refusals(self.policy, self.snapshot, source, role))
        return self._refused[key]

    def own_push(self, source: Source, role: str | None) -> Refusal | None:
        """Why an author's good words for a role do not count because of what they pushed."""
        key = (who(source), role)
        if key not in self._own:
            self._own[key] = judges_own_push(self.policy, self.snapshot, source, role)
        return self._own[key]


def _of_accounts(one: Snapshot, other: Snapshot) -> bool:
    """Whether two snapshots share all that tells what an account may do: who it is here, and what it pushed."""
    return (
        one.people is other.people
        and one.teams is other.teams
        and one.pull_request is other.pull_request
        and one.ref_log is other.ref_log
        and one.contents is other.contents
    )


def _answers(later: Source, source: Source) -> bool:
    """Whether one account wrote something after something else."""
    one, other = later.author, source.author
    return one is not None and other is not None and one.id == other.id is not None and later.is_after(source)


def holds_back(standing: Validity, outcome: Outcome | None) -> bool:
    """Whether a word keeps its role from passing, so that no push of its own author may silence it."""
    return standing is Validity.INVALID or outcome in (Outcome.FAIL, Outcome.BLOCKED)


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """What a signal is assessed against."""

    policy: Policy
    snapshot: Snapshot
    timeline: Timeline
    plans: Plans
    voices: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    words: tuple[Vote, ...] = ()
    accounts: Accounts
    homes: dict[str, Phase | None] = field(default_factory=dict)

    def assess(self, signal: Signal) -> tuple[Vote, ...]:
        """The votes that a signal is, one for each role it speaks for."""
        told = spoken_roles(self.policy, signal, self._mapped(signal))
        if signal.shown:
            told = self._spoken_before(signal, told)
        if signal.may_be and not signal.claims:
            told = self._narrowed(signal, told)
        at_home = self._meant(signal, tuple(role for role in told.roles if self.misplaced(signal, role) is None))
        if not told.roles:
            return (self._ignored(signal, None, *(self.refused_as(signal, None) or told.problems[:1])),)
        roles = at_home or told.roles
        strayed = () if at_home else tuple(filter(None, (self.misplaced(signal, told.roles[0]),)))
        refused = {role: (*found, *strayed) for role, found in refused_by_role(self, signal, roles).items()}
        return tuple(
            self._ignored(signal, role, *refused[role]) if refused[role] else self._vote(signal, role, told.problems)
            for role in roles
        )

    def _meant(self, signal: Signal, roles: tuple[str, ...]) -> tuple[str, ...]:
        """The roles that a word is of: one that nothing sure tells gives way to those that have a seat here, if any."""
        sure = {claim.role for claim in signal.claims if not claim.gives_way}
        unsure = {claim.role for claim in signal.claims} - sure - set(self._mapped(signal))
        if not unsure:
            return roles
        return tuple(role for role in roles if role not in unsure and self.phase_of(role) is not None) or roles

    def _spoken_before(self, signal: Signal, told: SpokenRoles) -> SpokenRoles:
        """An example is a word only of those roles that its author is named for, or was heard in here."""
        author = signal.source.author
        own = (*self.accounts.mapped(signal.source), *self.voices.get((author and author.id) or 0, ()))
        kept = tuple(role for role in told.roles if role in own)
        example = problem("PG125", "it quotes or shows a block, and its author speaks for no such role", signal.where)
        return replace(told, roles=kept, problems=told.problems if kept else (example,))

    def _narrowed(self, signal: Signal, told: SpokenRoles) -> SpokenRoles:
        """Narrow a text of several possible roles to those its author was heard in, once it gave a valid word."""
        author = signal.source.author
        if author is None or not any(_answers(word.signal.source, signal.source) for word in self.words):
            return told
        heard = self.voices.get(author.id or 0, ())
        return replace(told, roles=tuple(role for role in told.roles if role in heard) or told.roles)

    def _mapped(self, signal: Signal) -> tuple[str, ...]:
        """The roles that the author speaks for; an unreadable text may belong to any of them."""
        author, mapped = signal.source.author, self.accounts.mapped(signal.source)
        if mapped or signal.known or signal.claims or author is None:
            return mapped
        return self.voices.get(author.id or 0, ())

    def phase_of(self, role: str) -> Phase | None:
        """The phase that a role speaks in."""
        if role not in self.homes:
            phases = self.policy.phases
            required = (phase for phase in phases if role in (*phase.seats, *phase.quick_seats))
            working = (phase for phase in phases if role in phase.workers)
            looked_at = (phase for phase in phases if role in phase.optional_seats)
            self.homes[role] = next(required, None) or next(working, None) or next(looked_at, None)
        return self.homes[role]

    def refused_as(self, signal: Signal, role: str | None) -> tuple[Problem, ...]:
        """Every reason why nothing that a signal says for a role counts."""
        unheard = (
            unheard_review(signal)
            or self._version_of_another(signal)
            or self._spent(signal)
            or refused_file(self.snapshot, signal)
        )
        if unheard is not None:
            return (unheard,)
        if signal.source.pushed and signal.source.author is None:
            return ()  # of what is not there any more nobody need be named to count against the work
        found = self.accounts.refusals(signal.source, role)
        refused = tuple(problem(each.code, each.reason, signal.where) for each in found)
        return (*refused, *self._own_push(signal, role)) if refused else ()

    def _own_push(self, signal: Signal, role: str | None) -> tuple[Problem, ...]:
        """That a word is of who pushed the work."""
        own = self.accounts.own_push(signal.source, role)
        return () if own is None else (problem(own.code, own.reason, signal.where),)

    def _version_of_another(self, signal: Signal) -> Problem | None:
        if signal.source.latest or signal.source.by_author:
            return None
        return problem("PG205", "this version was written by somebody other than its author", signal.where)

    def is_spent(self, source: Source) -> bool:
        """Whether something on an issue is older than a merge that closed it."""
        return is_spent(self.snapshot, source)

    def _spent(self, signal: Signal) -> Problem | None:
        """Words on an issue from before another merged pull request closed it were for that one."""
        source = signal.source
        if source.place is not Place.ISSUE or not self.is_spent(source):
            return None
        return problem("PG404", "it is older than the merge that closed this issue, and belongs to it", signal.where)

    def misplaced(self, signal: Signal, role: str) -> Problem | None:
        """A role that speaks where its phase is not judged."""
        phase = self.phase_of(role)
        if phase is None or phase.where is signal.source.place or signal.source.pushed:
            return None
        place = "the linked issue" if phase.where is Place.ISSUE else "the pull request"
        return problem("PG209", f"{role} speaks on {place}, not here", signal.where)

    def _ignored(self, signal: Signal, role: str | None, why: Problem, *also: Problem) -> Vote:
        lesser = (replace(item, severity=Severity.NOTICE) for item in signal.problems)
        problems = adjusted(self.policy, (why, *also, *lesser))
        return Vote(signal=signal, role=role, validity=Validity.IGNORED, why=why, problems=problems)

    def vote_at_home(self, signal: Signal, role: str, wrong: tuple[Problem, ...]) -> Vote:
        """An objection as a vote of a seat that it was given for elsewhere, or without saying so."""
        return self._vote(signal, role, wrong)

    def _vote(self, signal: Signal, role: str, claims: tuple[Problem, ...]) -> Vote:
        outcome, contradictions = consistent(self.policy, signal, role)
        commit, content, binding = self._bound(signal)
        lost = self._about_lost_plan(signal)
        about = binding if lost is None else (*binding, lost)
        found = (*claims, *signal.problems, *self._touched(signal), *contradictions, *about)
        problems = adjusted(self.policy, found)
        errors = [item for item in problems if item.severity is Severity.ERROR]
        standing = Validity.INVALID if errors else Validity.VALID
        if signal.source.state == DISMISSED and standing is Validity.VALID and outcome in GOOD:
            return self._ignored(signal, role, _unheard(signal))
        own = self._own_push(signal, role)
        if own and not holds_back(standing, outcome):
            return self._ignored(signal, role, *own)
        problems = (*problems, *own) if errors else problems
        if not signal.source.latest or signal.source.state == DISMISSED:
            standing = Validity.EDITED_AWAY
        return Vote(
            signal=signal,
            role=role,
            validity=standing,
            why=errors[0] if errors else None,
            outcome=outcome,
            commit=commit,
            content=content,
            fresh=content is not None and content == self._current(signal) and self._pushed_on_it(signal),
            stale=lost,
            problems=problems,
        )

    def _pushed(self, signal: Signal) -> tuple[str | None, tuple[Problem, ...]]:
        """The commit that a file speaks of: the one that it names, else the one that its push made the head."""
        named, pushed = signal.commit, signal.source.commit
        if named is None and self.policy.verdicts.require_commit:
            return pushed, (problem("PG304", "it names no commit, but the policy requires one", signal.where),)
        if named is None:
            return pushed, ()
        before = [after for at, after in self.timeline.moves if at <= signal.source.at]
        heads = {commit for commit in before if commit.startswith(named.lower())}
        if len(heads) == 1:
            return heads.pop(), ()
        message = f"commit {short(named)} was not the head of this branch before"
        return pushed, (problem("PG301", message, signal.where),)

    def _pushed_on_it(self, signal: Signal) -> bool:
        """Of a file: whether its push too was on the present content."""
        source = signal.source
        if not source.pushed or source.commit is None:
            return not source.pushed
        return self.timeline.content_at(source.commit, source.at) == self.timeline.current

    def _about_lost_plan(self, signal: Signal) -> Problem | None:
        """Words on an issue that may be about a plan that was deleted since; a plan is about itself."""
        source = signal.source
        if source.place is not Place.ISSUE or signal.kind is not Kind.VERDICT:
            return None
        lost = self.plans.lost_since(source.issue, source.at)
        return None if lost is None else lost.problem(signal.where.url)

    def _current(self, signal: Signal) -> str | None:
        if signal.source.place is Place.ISSUE:
            return self.plans.current(signal.source.issue)
        return self.timeline.current

    def _touched(self, signal: Signal) -> Iterator[Problem]:
        source = signal.source
        if not source.latest:
            return
        if source.tampered_by is not None:
            yield problem("PG205", f"edited by {source.tampered_by}, who is not its author", signal.where)
        elif source.edited and self.policy.verdicts.edited is Edited.NEVER:
            yield problem("PG208", "it was edited, and the policy does not count edited comments", signal.where)
        elif not source.history_complete:
            yield problem("PG216", "it was edited, and not all of its earlier versions can be read", signal.where)

    def _bound(self, signal: Signal) -> tuple[str | None, str | None, tuple[Problem, ...]]:
        """The commit and content that a signal judged, with what is wrong about the binding."""
        if signal.source.place is Place.ISSUE:
            return None, self.plans.at(signal.source.issue, signal.source.at), ()
        if signal.kind is not Kind.VERDICT:
            return None, None, ()
        commit, problems = self._commit(signal)
        return commit, None if commit is None else self.timeline.content_at(commit, signal.source.at), problems

    def _commit(self, signal: Signal) -> tuple[str | None, tuple[Problem, ...]]:
        if signal.source.pushed:
            return self._pushed(signal)
        written_at = self.timeline.head_at(signal.source.at)
        named = signal.commit or signal.source.commit
        if named is None:
            if self.policy.verdicts.require_commit:
                return written_at, (problem("PG304", "it names no commit, but the policy requires one", signal.where),)
            if written_at is None:
                return None, (
                    problem("PG305", "it names no commit, and the log of pushes does not show one", signal.where),
                )
            return written_at, ()
        heads = self.timeline.named(named)
        if len(heads) > 1:
            return written_at, (problem("PG302", f"commit {short(named)} matches {len(heads)} commits", signal.where),)
        own_review = signal.commit is None and not self.timeline.complete  # GitHub itself tells what it is a review of
        if heads and (own_review or self.timeline.was_head(heads[0], signal.source.at)):
            return heads[0], ()
        if not self.timeline.complete:
            message = f"it is not known whether commit {short(named)} was the head when this was written"
            return None, (problem("PG305", message, signal.where),)
        never = "was not yet the head when this was written" if heads else never_head(self, named)
        return written_at, (problem("PG301", f"commit {short(named)} {never}", signal.where),)


def refused_by_role(facts: Facts, signal: Signal, roles: tuple[str, ...]) -> dict[str, tuple[Problem, ...]]:
    """Why a signal does not count for each role: what may be said for one is not lost by naming another."""
    return {role: facts.refused_as(signal, role) for role in roles}


def never_head(facts: Facts, named: str) -> str:
    """Describe a commit that was never the head; GitHub's test merge commit is recognised and named."""
    tried = facts.snapshot.pull_request.test_merge
    if tried is not None and tried.startswith(named.lower()):
        return f"is GitHub's test merge of this pull request; name the head, {short(facts.timeline.head)}"
    return "was never the head of this pull request"
