"""Assessing: each signal becomes a vote that may count, is invalid, or is ignored, always with the reason.

In: signals in normal form. Out: votes, one for each role that a signal speaks for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import NamedTuple

from phasegate.catalogue import problem
from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Problem, Severity
from phasegate.model.signal import GOOD, Kind, Outcome, Place, Signal, Source, Validity, Vote
from phasegate.model.snapshot import Snapshot
from phasegate.policy.model import Edited, Phase, Policy
from phasegate.rules.accounts import DISMISSED, Accounts, Refusal, Row, first
from phasegate.rules.binding import Plans, SpokenRoles, Timeline, adjusted, consistent, short, spoken_roles
from phasegate.rules.route import spent_at

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
    ("spent", "PG404", lambda s: s.source.place is Place.ISSUE and s.source.issue not in s.facts.renewed and
     s.facts.is_spent(s.source),
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """What a signal is assessed against; ``voices`` are the roles that each account was heard in here.

    ``agents`` are the accounts that have spoken as agents here, ``homes`` the phase that each role speaks in,
    ``renewed`` the issues whose plan a human approved again after another pull request had closed them.
    """

    policy: Policy
    snapshot: Snapshot
    timeline: Timeline
    plans: Plans
    accounts: Accounts
    homes: Mapping[str, Phase]
    voices: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    agents: frozenset[int] = frozenset()
    renewed: frozenset[int] = frozenset()

    def phase_of(self, role: str) -> Phase | None:
        """The phase that a role speaks in."""
        return self.homes.get(role)

    def may_act(self, source: Source) -> bool:
        """True if a human act of its author counts."""
        return not self.accounts.speaker(source, None, self.agents).act_refusals

    def heard(self, source: Source) -> tuple[str, ...]:
        """The roles that the author of something was heard in here."""
        return self.voices.get(source.account or 0, ())

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
            self._counted_once(signal, role, why) or self._ignored(signal, role, *why)
            if why
            else self.vote_at_home(signal, role, *told.problems)
            for role, why in refused.items()
        )

    def _counted_once(self, signal: Signal, role: str, why: tuple[Problem, ...]) -> Vote | None:
        """The objection that a word is on record as: it keeps counting though its author lost the permission (L2)."""
        record, source = [seen for seen in self.snapshot.record.signals if seen.role == role], signal.source
        if not record or self._unheard(signal) or self._misplaced(signal, role):
            return None
        vote = self.vote_at_home(signal, role, *(replace(item, severity=Severity.NOTICE) for item in why))
        told = (vote.place, vote.objection, source.account)
        return vote if told in [(seen.source, seen.outcome, seen.account) for seen in record] else None

    def _unheard(self, signal: Signal) -> Refusal | None:
        said = Said(self, signal, signal.source)
        return first(UNHEARD, said) or (first(FILES, said) if signal.source.pushed else None)

    def _spoken(self, signal: Signal) -> SpokenRoles:
        """The roles that a signal speaks for.

        An example is a word only of those that its author is named for, or was heard in here, and so is a text of
        several possible roles, if there are any (L3).
        """
        told = spoken_roles(self.policy, signal, self._mapped(signal))
        heard = self.heard(signal.source)
        if signal.shown:
            own = (*self.accounts.speaker(signal.source).mapped, *heard)
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
        mapped = self.accounts.speaker(signal.source).mapped
        return mapped if mapped or signal.known or signal.claims else self.heard(signal.source)

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
        unheard = self._unheard(signal)
        if unheard is not None:
            return _told(signal, unheard)
        if source.pushed and source.author is None:
            return ()  # of what is not there any more nobody need be named to count against the work
        who = self.accounts.speaker(source, role)
        return _told(signal, *who.refusals, who.own_work if who.refusals else None)

    def _ignored(self, signal: Signal, role: str | None, why: Problem, *also: Problem) -> Vote:
        lesser = (replace(item, severity=Severity.NOTICE) for item in signal.problems)
        problems = adjusted(self.policy, (why, *also, *lesser))
        return Vote(signal=signal, role=role, validity=Validity.IGNORED, why=why, problems=problems)

    def vote_at_home(self, signal: Signal, role: str, *claims: Problem) -> Vote:
        """A signal as a vote of a role that its author may speak for; ``claims`` is what is wrong with whose it is."""
        source, timeline, on_issue = signal.source, self.timeline, signal.source.place is Place.ISSUE
        outcome, contradictions = consistent(self.policy, signal, role)
        touched = first(TOUCHED, Said(self, signal, source)) if source.latest else None
        commit, unbound = self._commit(signal)
        content = None if commit is None else timeline.content_at(commit, source.at)
        here = self.plans.current(source.issue) if on_issue else timeline.current
        on_it = True
        lost = None  # words on an issue may be about a plan that was deleted since; a plan is about itself
        if on_issue:
            content = self.plans.at(source.issue, source.at)
            lost = self.plans.lost_since(source.issue, source.at) if signal.kind is Kind.VERDICT else None
        if source.pushed:
            on_it = source.commit is not None and timeline.is_current(source.commit, source.at)
        stale = () if lost is None else (lost.problem(signal.where.url),)
        found = (*claims, *signal.problems, *_told(signal, touched), *contradictions, *_told(signal, unbound), *stale)
        problems = adjusted(self.policy, found)
        errors = [item for item in problems if item.severity is Severity.ERROR]
        standing = Validity.INVALID if errors else Validity.VALID
        if source.state == DISMISSED and standing is Validity.VALID and outcome in GOOD:
            dismissed = problem("PG207", f"a review that is {source.state} does not count", signal.where)
            return self._ignored(signal, role, dismissed)
        who = self.accounts.speaker(source, role)
        own = _told(signal, who.own_work)
        if not source.latest or source.state == DISMISSED:
            standing = Validity.EDITED_AWAY
        vote = Vote(
            signal=signal,
            role=role,
            validity=standing,
            why=errors[0] if errors else None,
            outcome=outcome,
            commit=commit,
            content=content,
            fresh=content is not None and content == here and on_it,
            stale=stale[0] if stale else None,
            problems=(*problems, *own) if errors else problems,
        )
        barred = own and not any(holds(vote, who.opened) for _, holds in HOLDS_BACK)
        return self._ignored(signal, role, *own) if barred else vote

    def _commit(self, signal: Signal) -> tuple[str | None, Refusal | None]:
        """The commit that a verdict speaks of, and what is wrong with it.

        It is named, or that of its review or push, or the head when it was written.
        """
        source, timeline = signal.source, self.timeline
        if source.place is Place.ISSUE or signal.kind is not Kind.VERDICT:
            return None, None
        written_at = source.commit if source.pushed else timeline.head_at(source.at)
        named = signal.commit or (None if source.pushed else source.commit)
        if named is None:
            if self.policy.verdicts.require_commit:
                return written_at, Refusal(code="PG304", reason="it names no commit, but the policy requires one")
            untold = "it names no commit, and the log of pushes does not show one"
            known = written_at is not None or source.pushed
            return written_at, None if known else Refusal(code="PG305", reason=untold)
        told = f"commit {short(named)}"
        if source.pushed:
            before = {after for at, after in timeline.moves if at <= source.at and after.startswith(named.lower())}
            if len(before) == 1:
                return before.pop(), None
            return written_at, Refusal(code="PG301", reason=f"{told} was not the head of this branch before")
        heads = timeline.named(named)
        if len(heads) > 1:
            return written_at, Refusal(code="PG302", reason=f"{told} matches {len(heads)} commits")
        own_review = signal.commit is None and not timeline.complete  # GitHub itself tells what it is a review of
        if heads and (own_review or timeline.was_head(heads[0], source.at)):
            return heads[0], None
        if not timeline.complete:
            unknown = f"it is not known whether {told} was the head when this was written"
            return None, Refusal(code="PG305", reason=unknown)
        never = "was not yet the head when this was written" if heads else self.never_head(named)
        return written_at, Refusal(code="PG301", reason=f"{told} {never}")
