"""Assessing: each signal becomes a vote that may count, is invalid, or is ignored, always with the reason.

In: signals in normal form. Out: votes, one for each role that a signal speaks for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, NamedTuple, TypeVar

from phasegate.catalogue import problem
from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Problem, Severity
from phasegate.model.signal import GOOD, Kind, Outcome, Place, Signal, Source, Validity, Vote
from phasegate.model.snapshot import Snapshot
from phasegate.policy.model import Edited, Phase, Policy
from phasegate.rules.accounts import DISMISSED, Refusal, Row, first, is_author, judges_own_work, mapped_roles, refusals
from phasegate.rules.binding import Plans, SpokenRoles, Timeline, adjusted, consistent, short, spoken_roles
from phasegate.rules.route import spent_at

T = TypeVar("T")
UNHEARD_REVIEWS = ("PENDING", DISMISSED)


class Said(NamedTuple):
    """A signal, and what it is assessed against."""

    facts: Facts
    signal: Signal
    source: Source


# Why nothing that a signal says counts, whoever wrote it: the first row that holds. A verdict that was dismissed may
# stay in the history (4.5); files come from this pull request and its own repository (4.7).
UNHEARD: tuple[Row[Said], ...] = (
    ("review", "PG207", lambda s: s.source.state == UNHEARD_REVIEWS[0] or
     (s.source.state == DISMISSED and s.signal.kind is not Kind.VERDICT),
     "a review that is {0.source.state} does not count"),
    ("version", "PG205", lambda s: not s.source.latest and not s.source.by_author,
     "this version was written by somebody other than its author"),
    ("spent", "PG404", lambda s: s.source.place is Place.ISSUE and s.facts.is_spent(s.source),
     "it is older than the merge that closed this issue, and belongs to it"),
)  # fmt: skip
FILES: tuple[Row[Said], ...] = (
    ("fork", "PG231", lambda s: s.facts.snapshot.of_a_fork,
     "the branch belongs to a fork, and files from forks do not count"),
    ("merged before", "PG234", lambda s: s.source.latest and
     not any(entry.path == s.signal.where.path for entry in s.facts.snapshot.files.entries),
     "this pull request does not change it, so it belongs to what was merged before"),
    ("pusher", "PG232", lambda s: s.source.latest and s.source.author is None,
     "it is not known who pushed its last change"),
)  # fmt: skip
# Why the text as it stands is no valid word: the first row that holds.
TOUCHED: tuple[Row[Said], ...] = (
    ("another hand", "PG205", lambda s: s.source.tampered_by is not None,
     "edited by {0.source.tampered_by}, who is not its author"),
    ("edited", "PG208", lambda s: s.source.edited and s.facts.policy.verdicts.edited is Edited.NEVER,
     "it was edited, and the policy does not count edited comments"),
    ("history", "PG216", lambda s: not s.source.history_complete,
     "it was edited, and not all of its earlier versions can be read"),
)  # fmt: skip
# What counts though its author opened or pushed the work: whatever objects to it.
# Nobody can push in order to be rid of an invalid word; of who opened the work only what names a failure is one.
HOLDS_BACK: tuple[tuple[str, Callable[[Vote, bool], bool]], ...] = (
    ("invalid", lambda vote, opened: vote.why is not None and (not opened or vote.signal.objects)),
    ("objection", lambda vote, _opened: vote.outcome in (Outcome.FAIL, Outcome.BLOCKED)),
)


def _told(signal: Signal, *refusals: Refusal | None) -> tuple[Problem, ...]:
    """Refusals as problems of a signal."""
    return tuple(problem(each.code, each.reason, signal.where) for each in refusals if each is not None)


def who(source: Source) -> tuple[object, ...]:
    """All of a source that whether its author may speak depends on."""
    author = source.author
    account = None if author is None else (author.id, author.login, author.type)
    return (account, source.app_id, source.via_email, source.medium)


class Accounts:
    """What policy and snapshot say of the accounts that speak; each is looked at once, however much it wrote."""

    def __init__(self, policy: Policy, snapshot: Snapshot) -> None:
        self.policy, self.snapshot = policy, snapshot
        self._known: dict[object, Any] = {}

    def of(self, policy: Policy, snapshot: Snapshot) -> Accounts:
        """The same where policy and snapshot say the same of them, else what another pair says."""
        told = ("people", "teams", "pull_request", "ref_log", "contents")  # who they are here, and what they pushed
        same = all(getattr(self.snapshot, name) is getattr(snapshot, name) for name in told)
        return self if self.policy is policy and same else Accounts(policy, snapshot)

    def _once(self, asked: Callable[[Policy, Snapshot, Source, str | None], T], source: Source, role: str | None) -> T:
        key = (asked, who(source), role)
        if key not in self._known:
            self._known[key] = asked(self.policy, self.snapshot, source, role)
        found: T = self._known[key]
        return found

    def mapped(self, source: Source) -> tuple[str, ...]:
        """The roles that the policy maps an author to."""
        return self._once(mapped_roles, source, None)

    def refusals(self, source: Source, role: str | None) -> tuple[Refusal, ...]:
        """Every reason why an author's words do not count for a role."""
        return self._once(refusals, source, role)

    def own_work(self, source: Source, role: str | None) -> Refusal | None:
        """Why an author's good words for a role do not count because it is their own work."""
        return self._once(judges_own_work, source, role)


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """What a signal is assessed against; ``voices`` are the roles that each account was heard in here."""

    policy: Policy
    snapshot: Snapshot
    timeline: Timeline
    plans: Plans
    voices: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    accounts: Accounts
    homes: dict[str, Phase | None] = field(default_factory=dict)

    def phase_of(self, role: str) -> Phase | None:
        """The phase that a role speaks in."""
        if role not in self.homes:
            phases = self.policy.phases
            required = (phase for phase in phases if role in (*phase.seats, *phase.quick_seats))
            working = (phase for phase in phases if role in phase.workers)
            looked_at = (phase for phase in phases if role in phase.optional_seats)
            self.homes[role] = next(iter((*required, *working, *looked_at)), None)
        return self.homes[role]

    def is_spent(self, source: Source) -> bool:
        """Whether something on an issue is older than a merge that closed it."""
        issue = next((issue for issue in self.snapshot.own_issues if issue.number == source.issue), None)
        return issue is not None and source.at <= spent_at(self.snapshot, issue)

    def never_head(self, named: str) -> str:
        """Describe a commit that was never the head; GitHub's test merge commit is recognised and named."""
        tried = self.snapshot.pull_request.test_merge
        if tried is not None and tried.startswith(named.lower()):
            return f"is GitHub's test merge of this pull request; name the head, {short(self.timeline.head)}"
        return "was never the head of this pull request"

    def assess(self, signal: Signal) -> tuple[Vote, ...]:
        """The votes that a signal is, one for each role it speaks for."""
        told = self._spoken(signal)
        if not told.roles:
            return (self._ignored(signal, None, *(self.refused_as(signal, None) or told.problems[:1])),)
        seated = tuple(role for role in told.roles if self.phase_of(role) is not None)
        roles = seated or told.roles if signal.may_be else told.roles
        strayed = {role: self._misplaced(signal, role) for role in roles}
        at_home = self._meant(signal, tuple(role for role in roles if strayed[role] is None))
        astray = () if at_home else tuple(filter(None, (strayed[roles[0]],)))
        refused = {role: (*self.refused_as(signal, role), *astray) for role in at_home or roles}
        return tuple(
            self._ignored(signal, role, *why) if why else self.vote_at_home(signal, role, *told.problems)
            for role, why in refused.items()
        )

    def _spoken(self, signal: Signal) -> SpokenRoles:
        """The roles that a signal speaks for.

        An example is a word only of those that its author is named for, or was heard in here, and so is a text of
        several possible roles, if there are any (L3).
        """
        told = spoken_roles(self.policy, signal, self._mapped(signal))
        author = signal.source.author
        heard = self.voices.get((author and author.id) or 0, ())
        if signal.shown:
            own = (*self.accounts.mapped(signal.source), *heard)
            kept = tuple(role for role in told.roles if role in own)
            message = "it quotes or shows a block, and its author speaks for no such role"
            example = problem("PG125", message, signal.where)
            told = replace(told, roles=kept, problems=told.problems if kept else (example,))
        if signal.may_be and not signal.claims:
            told = replace(told, roles=tuple(role for role in told.roles if role in heard) or told.roles)
        return told

    def _meant(self, signal: Signal, roles: tuple[str, ...]) -> tuple[str, ...]:
        """The roles that a word is of: one that nothing sure tells gives way to those that have a seat here, if any."""
        sure = {claim.role for claim in signal.claims if not claim.gives_way}
        unsure = {claim.role for claim in signal.claims} - sure - set(self._mapped(signal))
        if not unsure:
            return roles
        return tuple(role for role in roles if role not in unsure and self.phase_of(role) is not None) or roles

    def _mapped(self, signal: Signal) -> tuple[str, ...]:
        """The roles that the author speaks for; an unreadable text may belong to any of them."""
        author, mapped = signal.source.author, self.accounts.mapped(signal.source)
        if mapped or signal.known or signal.claims or author is None:
            return mapped
        return self.voices.get(author.id or 0, ())

    def _misplaced(self, signal: Signal, role: str) -> Problem | None:
        """A role that speaks where its phase is not judged."""
        phase = self.phase_of(role)
        if phase is None or phase.where is signal.source.place or signal.source.pushed:
            return None
        place = "the linked issue" if phase.where is Place.ISSUE else "the pull request"
        return problem("PG209", f"{role} speaks on {place}, not here", signal.where)

    def refused_as(self, signal: Signal, role: str | None) -> tuple[Problem, ...]:
        """Every reason why nothing that a signal says for a role counts."""
        source = signal.source
        said = Said(self, signal, source)
        unheard = first(UNHEARD, said) or (first(FILES, said) if source.pushed else None)
        if unheard is not None:
            return _told(signal, unheard)
        if source.pushed and source.author is None:
            return ()  # of what is not there any more nobody need be named to count against the work
        found = self.accounts.refusals(source, role)
        own = self.accounts.own_work(source, role) if found else None
        return _told(signal, *found, own)

    def _ignored(self, signal: Signal, role: str | None, why: Problem, *also: Problem) -> Vote:
        lesser = (replace(item, severity=Severity.NOTICE) for item in signal.problems)
        problems = adjusted(self.policy, (why, *also, *lesser))
        return Vote(signal=signal, role=role, validity=Validity.IGNORED, why=why, problems=problems)

    def vote_at_home(self, signal: Signal, role: str, *claims: Problem) -> Vote:
        """A signal as a vote of a role that its author may speak for; ``claims`` is what is wrong with whose it is."""
        source = signal.source
        outcome, contradictions = consistent(self.policy, signal, role)
        touched = first(TOUCHED, Said(self, signal, source)) if source.latest else None
        commit, code, message = self._commit(signal)
        unbound = Refusal(code=code, reason=message) if code else None
        content = None if commit is None else self.timeline.content_at(commit, source.at)
        if source.place is Place.ISSUE:
            content = self.plans.at(source.issue, source.at)
        lost = None  # words on an issue may be about a plan that was deleted since; a plan is about itself
        if source.place is Place.ISSUE and signal.kind is Kind.VERDICT:
            lost = self.plans.lost_since(source.issue, source.at)
        stale = None if lost is None else lost.problem(signal.where.url)
        about = (*_told(signal, unbound), *(() if stale is None else (stale,)))
        found = (*claims, *signal.problems, *_told(signal, touched), *contradictions, *about)
        problems = adjusted(self.policy, found)
        errors = [item for item in problems if item.severity is Severity.ERROR]
        standing = Validity.INVALID if errors else Validity.VALID
        if source.state == DISMISSED and standing is Validity.VALID and outcome in GOOD:
            dismissed = problem("PG207", f"a review that is {source.state} does not count", signal.where)
            return self._ignored(signal, role, dismissed)
        own = _told(signal, self.accounts.own_work(source, role))
        if not source.latest or source.state == DISMISSED:
            standing = Validity.EDITED_AWAY
        here = self.plans.current(source.issue) if source.place is Place.ISSUE else self.timeline.current
        on_it = not source.pushed or (
            source.commit is not None and self.timeline.content_at(source.commit, source.at) == self.timeline.current
        )
        vote = Vote(
            signal=signal,
            role=role,
            validity=standing,
            why=errors[0] if errors else None,
            outcome=outcome,
            commit=commit,
            content=content,
            fresh=content is not None and content == here and on_it,
            stale=stale,
            problems=(*problems, *own) if errors else problems,
        )
        opened = source.author is not None and is_author(self.snapshot, source.author)
        barred = own and not any(holds(vote, opened) for _, holds in HOLDS_BACK)
        return self._ignored(signal, role, *own) if barred else vote

    def _commit(self, signal: Signal) -> tuple[str | None, str, str]:
        """The commit that a verdict speaks of: named, or that of its review or push, or the head when it was written.

        With the code and a sentence, if something is wrong with it.
        """
        source, timeline = signal.source, self.timeline
        if source.place is Place.ISSUE or signal.kind is not Kind.VERDICT:
            return None, "", ""
        written_at = source.commit if source.pushed else timeline.head_at(source.at)
        named = signal.commit or (None if source.pushed else source.commit)
        if named is None:
            if self.policy.verdicts.require_commit:
                return written_at, "PG304", "it names no commit, but the policy requires one"
            untold = written_at is None and not source.pushed
            return written_at, "PG305" if untold else "", "it names no commit, and the log of pushes does not show one"
        if source.pushed:
            before = {after for at, after in timeline.moves if at <= source.at and after.startswith(named.lower())}
            if len(before) == 1:
                return before.pop(), "", ""
            return written_at, "PG301", f"commit {short(named)} was not the head of this branch before"
        heads = timeline.named(named)
        if len(heads) > 1:
            return written_at, "PG302", f"commit {short(named)} matches {len(heads)} commits"
        own_review = signal.commit is None and not timeline.complete  # GitHub itself tells what it is a review of
        if heads and (own_review or timeline.was_head(heads[0], source.at)):
            return heads[0], "", ""
        if not timeline.complete:
            return None, "PG305", f"it is not known whether commit {short(named)} was the head when this was written"
        never = "was not yet the head when this was written" if heads else self.never_head(named)
        return written_at, "PG301", f"commit {short(named)} {never}"
