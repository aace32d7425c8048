"""The ledger of a pull request: everything that was said, done and taken away, in one place for all tables.

In: the ground, which is what was read. Out: votes, acts and words by place and seat, what is gone, and which contents
failed. Every fact that a rule asks about a word is worked out here, once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from phasegate.model.frozen import dataclass, replace
from phasegate.model.ledger import About, AnsweredBy, Word, made_up
from phasegate.model.report import Route
from phasegate.model.signal import (
    APPROVE,
    ASKS,
    GOOD,
    INVALID,
    Act,
    Cause,
    Command,
    IssueFolder,
    Kind,
    Medium,
    Outcome,
    Place,
    Role,
    Signal,
    Source,
    Subject,
    Unread,
    Validity,
    Vote,
)
from phasegate.model.snapshot import RecordedVote, Snapshot
from phasegate.model.texts import Actor, Comment, DeletedComment
from phasegate.policy.model import Phase, Policy
from phasegate.rules.accounts import DISMISSED, Accounts, heard_as_agents, is_one, silenced_agents
from phasegate.rules.acts import assess_acts
from phasegate.rules.assess import (
    PASSING,
    STANDING,
    UNHEARD_REVIEWS,
    assess,
    at_home,
    held_seats,
    mark_stale,
    places_of,
    with_references,
)
from phasegate.rules.binding import Plans, Timeline
from phasegate.rules.findings import APPROVED, REQUESTED, Findings
from phasegate.rules.route import exemption, find_route, spent_at

At = tuple[Place, int | None]  # the pull request, or an issue by its number


@dataclass(frozen=True, kw_only=True, slots=True)
class Ground:
    """A pull request with its texts read: signals, commands, folders, and the texts that no dialect reads.

    ``foreseen`` lists what the next pass of a role will ask for.
    """

    policy: Policy
    snapshot: Snapshot
    signals: tuple[Signal, ...]
    commands: tuple[Command, ...]
    folders: tuple[IssueFolder, ...] = ()
    unread: tuple[Unread, ...] = ()
    foreseen: tuple[tuple[str, Cause], ...] = ()


def weigh(ground: Ground) -> Ledger:
    """The ledger. It is built again where a human renewed a plan that an earlier pull request had used up."""
    found, renewed = Ledger(ground), set[int]()
    for issue in ground.snapshot.own_issues:
        spent = "" if found.plans.current(issue.number) is not None else spent_at(ground.snapshot, issue)
        given = (act.source for act in found.acts if act.counts and act.command.verb == APPROVE)
        if spent and any(each.issue == issue.number and each.at > spent for each in given):
            renewed.add(issue.number)
    return Ledger(ground, frozenset(renewed)) if renewed else found


class Ledger:
    """What was said at each place, oldest first, by whom and about which content. Built top to bottom."""

    policy: Policy
    snapshot: Snapshot
    folders: tuple[IssueFolder, ...]
    unread: tuple[Unread, ...]  # texts that no dialect reads
    timeline: Timeline
    plans: Plans
    deletions: tuple[tuple[At, DeletedComment], ...]  # the traces of deleted comments, each with its place
    accounts: Accounts
    homes: Mapping[str, Phase]  # each role's phase
    voices: Mapping[int, tuple[str, ...]]  # the roles each account was heard in here
    renewed: frozenset[int]  # issues closed by an earlier pull request, whose plan a human approved again
    votes: tuple[Vote, ...]
    refusals: tuple[Vote, ...]  # present but not counted
    acts: tuple[Act, ...]
    findings: Findings
    route: Route
    exempt: str  # why no phase has to be judged, or ""
    gone: tuple[RecordedVote, ...]  # on record, but no longer found as text or in an edit history
    said: dict[At, list[Vote]]
    words: dict[At, dict[str, list[Word]]]
    changed: dict[str, str]  # when each text was last changed

    def __init__(self, ground: Ground, renewed: frozenset[int] = frozenset()) -> None:
        policy, snapshot, signals = ground.policy, ground.snapshot, ground.signals
        self.policy, self.snapshot, self.folders, self.unread = policy, snapshot, ground.folders, ground.unread
        self.accounts, self.timeline, self.renewed = Accounts(policy, snapshot), Timeline(snapshot), renewed
        self.homes, self.voices, self.plans = _homes(policy), {}, Plans()
        # plans first, because verdicts bind to a plan's text; signals without a role last, by roles heard before
        creators = frozenset(phase.creator for phase in policy.phases if phase.where is Place.ISSUE and phase.creator)
        there = [(Place.ISSUE, issue.number, issue.deleted_comments) for issue in snapshot.own_issues]
        traces = ((Place.PULL_REQUEST, None, snapshot.deleted_comments), *there)
        self.deletions = tuple(((place, issue), trace) for place, issue, deleted in traces for trace in deleted)
        lost = (  # deleted comments that may have been plans: their author is unknown or may write plans
            (issue, trace)
            for (_, issue), trace in self.deletions
            if issue is not None and any(map(self.accounts.account(trace.author).may_have_spoken, creators))
        )
        on_issues = assess(self, (each for each in signals if each.source.issue is not None))
        self.plans = Plans.of(on_issues, creators, tuple(lost))
        told = assess(self, filter(_tells_role, signals))
        voices: dict[int, dict[str, None]] = {}
        for vote in (each for each in told if each.heard and each.role is not None and each.source.author is not None):
            voices.setdefault(vote.source.account or 0, {})[vote.role or ""] = None
        self.voices = {account: tuple(roles) for account, roles in voices.items()}
        untold = assess(self, (each for each in signals if not _tells_role(each)))
        known = tuple(sorted((*told, *untold), key=lambda vote: vote.order))
        self.votes = votes = at_home(self, with_references(policy, mark_stale(self, known)))
        refused = (vote for vote in votes if not vote.heard and vote.source.latest)
        self.refusals = tuple(vote for vote in refused if vote.signal.kind is not Kind.PROPOSAL)
        self.accounts.agents = heard_as_agents(votes) | {*silenced_agents(snapshot, votes)}
        self.acts = assess_acts(self, ground.commands)
        self.findings = Findings(self)
        self.route = find_route(self)
        self.exempt = exemption(self)
        self.gone = _gone(snapshot, votes)
        self.said, self.words, self.changed = {}, {}, {}
        for source in (*(vote.source for vote in votes), *(each.source for each in self.unread)):
            self.changed[source.id] = max(self.changed.get(source.id, ""), source.at)
        for vote in votes:
            self._enter(vote)
        for word in (*unread_words(self), *self.findings.words()):
            self.words.setdefault((word.source.place, word.source.issue), {}).setdefault(word.seat, []).append(word)

    def _enter(self, vote: Vote) -> None:
        """Files a vote under its place. A file counts on the pull request and its issue; a proposal is not a word."""
        source, role = vote.source, self.policy.roles.get(vote.role or "")
        if vote.signal.kind is Kind.PROPOSAL:
            return
        word = None if role is None or not vote.heard else word_of(vote, role, ended=self.findings.settles(vote))
        pushed: tuple[At, ...] = ((Place.PULL_REQUEST, None), (Place.ISSUE, source.issue)) if source.pushed else ()
        for place in pushed or ((source.place, source.issue),):
            self.said.setdefault(place, []).append(vote)
            if word is not None:
                self.words.setdefault(place, {}).setdefault(word.seat, []).append(word)

    def heard(self, source: Source) -> tuple[str, ...]:
        """The roles that the author of a text was heard in on this pull request."""
        return self.voices.get(source.account or 0, ())

    def is_spent(self, source: Source) -> bool:
        """True if a text on an issue is older than a merge that closed the issue."""
        issue = next((issue for issue in self.snapshot.own_issues if issue.number == source.issue), None)
        return issue is not None and source.at <= spent_at(self.snapshot, issue)

    def head_of(self, seen: RecordedVote) -> str | None:
        """The head that a recorded vote judged, or None if unknown."""
        heads = self.timeline.named(seen.commit or "-")
        return heads[0] if len(heads) == 1 else None

    def content_of(self, seen: RecordedVote) -> str | None:
        """The content of the head that a recorded vote judged, or None if unknown."""
        head = self.head_of(seen)
        return None if head is None else self.timeline.content(head)

    def failures(self, place: At, seats: Sequence[str]) -> Iterator[tuple[str, str, str]]:
        """Time, seat and round of each FAIL of some seats at a place, whatever became of it (L13).

        A round is one content towards one base. A FAIL of unknown content is a round of its own.
        """
        timeline, words = self.timeline, self.words.get(place, {})
        for word in (each for seat in seats for each in words.get(seat, ()) if each.failed and each.finding is None):
            at, content = word.source.at, word.vote.content or f"unknown:{word.source.id}"
            known = content if word.vote.commit is None else timeline.for_base(word.vote.commit, at)
            yield at, word.seat, known
        for seen in self.gone:
            if seen.outcome == Outcome.FAIL.value and seen.role in seats:
                head = self.head_of(seen)
                known = f"unknown:{seen.source}" if head is None else timeline.for_base(head, seen.at)
                yield seen.at, seen.role, known

    def approving(self, author: Actor | None, after: str) -> Iterator[Comment]:
        """Later reviews of an account that approve the present content."""
        for review in self.snapshot.reviews:
            given = (review.state or "").upper() == APPROVED and review.created_at > after
            commit = review.commit if given and is_one(review.author, author) else None
            if commit and self.timeline.is_current(commit, review.created_at):
                yield review


def _homes(policy: Policy) -> dict[str, Phase]:
    """The phase that each role speaks in. One that requires it, or lets it work, goes before one that only looks."""
    found: dict[str, Phase] = {}
    for parts in (("optional_seats",), ("workers",), ("seats", "quick_seats")):
        for phase in reversed(policy.phases):
            found |= dict.fromkeys((name for part in parts for name in getattr(phase, part)), phase)
    return found


def _tells_role(signal: Signal) -> bool:
    """True if a signal itself says which role it speaks for."""
    return bool(signal.claims or (signal.known and not signal.may_be)) and not signal.shown


# ---- L2, L4: votes and unread texts as words


def word_of(vote: Vote, role: Role, *, ended: bool) -> Word:
    """A vote as a word of the ledger. ``ended`` means that it was dismissed or that only its threads count (4.12)."""
    signal, source = vote.signal, vote.source
    unbound = role.about is Subject.NOTHING
    stands = vote.validity in STANDING
    valid = vote.validity is Validity.VALID or (vote.validity is Validity.EDITED_AWAY and vote.why is None)
    done = vote.outcome in PASSING or (vote.outcome is None and (unbound or signal.kind is Kind.REPORT))
    good = valid and done
    touched = stands and source.tampered_by is not None and not valid
    lost = not good and vote.content is None and vote.stale is None and signal.kind is Kind.VERDICT
    is_now = vote.fresh or (unbound and vote.stale is None)
    return Word(
        seat=role.name,
        vote=vote,
        about=About.NOW if is_now else About.UNKNOWN if lost or touched else About.OTHER,
        good=good,
        valid=valid,
        failed=vote.failed,
        fails=vote.outcome is Outcome.FAIL or not valid,
        stands=stands and not ended,
        answered_by=answered_by(source, role, lasts=signal.lasting),
        touched=touched,
    )


# L7 to L9: what answers an objection, by its source, its role and whether its form lasts. The first row that holds
# decides; without one, any later word answers.
ANSWERED_BY: tuple[tuple[str, AnsweredBy, Callable[[Source, Role, bool], bool]], ...] = (
    ("facts speak as long as they are there", AnsweredBy.ITSELF, lambda source, _role, _lasts:
     source.latest and (source.pushed or source.medium is Medium.CHECK_RUN)),
    ("what lasts is answered by what lasts", AnsweredBy.OWN_KIND, lambda _source, _role, lasts: lasts),
    ("a reviewer's review is answered by a review", AnsweredBy.OWN_MEDIUM, lambda source, role, _lasts:
     source.medium is Medium.REVIEW in role.media and role.only_named),
)  # fmt: skip


def answered_by(source: Source, role: Role, *, lasts: bool = False) -> AnsweredBy:
    """What answers a word if it objects."""
    return next((by for _, by, holds in ANSWERED_BY if holds(source, role, lasts)), AnsweredBy.ANY_WORD)


def unread_words(ledger: Ledger) -> Iterator[Word]:
    """Texts of seat holders that no dialect reads but that count as words (L2).

    These are reviews that request changes, and a reviewer's formal reviews and check runs. Everything else is talk.
    """
    heard = {vote.source.id for vote in ledger.votes if vote.heard}
    names = {dialect.name: dialect.footprint.check_names for dialect in ledger.policy.dialects}
    for text in ledger.unread:
        source = text.source
        if source.id in heard or source.state == UNHEARD_REVIEWS[0]:
            continue
        asked = REQUESTED in (source.state, source.dismissed_from)
        asked = asked or (source.state == DISMISSED and source.dismissed_from is None and text.blank)
        for role in map(ledger.policy.role, held_seats(ledger, source)):
            reviews = source.medium is Medium.REVIEW in role.media and role.only_named and not text.blank
            formal = text.name in names[role.dialect] if source.medium is Medium.CHECK_RUN else reviews
            if not (asked or formal) or ledger.accounts.speaker(source, role.name).refusals:
                continue
            for issue in places_of(ledger, role):
                at = source if issue is None else replace(source, place=Place.ISSUE, issue=issue)
                commit, content, about = _unread_about(ledger, source, issue)
                yield Word(
                    seat=role.name,
                    vote=made_up(at, role, commit, content),
                    about=about,
                    good=False,
                    valid=False,
                    failed=asked,
                    fails=asked,
                    stands=source.latest and source.state != DISMISSED,
                    answered_by=answered_by(source, role),
                    unread=text,
                )


def _unread_about(ledger: Ledger, source: Source, issue: int | None) -> tuple[str | None, str | None, About]:
    """The commit and the content that an unread text is about (L4)."""
    plans, timeline = ledger.plans, ledger.timeline
    commit = None if issue is not None else source.commit or timeline.head_at(source.at)
    if issue is None and commit is None:
        return None, None, About.UNKNOWN
    content = plans.at(issue, source.at) if commit is None else timeline.content_at(commit, source.at)
    current = plans.current(issue) if commit is None else timeline.current
    return commit, content, About.NOW if content == current else About.OTHER


# ---- L10: recorded words that are gone


def _gone(snapshot: Snapshot, votes: Sequence[Vote]) -> tuple[RecordedVote, ...]:
    """Recorded words that can no longer be found, as they were first recorded."""
    first: dict[tuple[str, str, str], RecordedVote] = {}
    for seen in snapshot.record.signals:
        if not seen.outcome.startswith(ASKS):
            first.setdefault((seen.source, seen.role, seen.outcome), seen)
    told = words_found(votes) if first else frozenset()
    return tuple(seen for key, seen in first.items() if key not in told)


def words_found(votes: Sequence[Vote]) -> frozenset[tuple[str, str | None, str]]:
    """Source, role and recorded outcome of each word that can still be found, as text or in an edit history.

    A FAIL is found only where a version says it; a version removed from the history does not.
    """
    others = (INVALID, *(outcome.value for outcome in Outcome if outcome not in (*GOOD, Outcome.FAIL)))
    told: set[tuple[str, str | None, str]] = set()
    for vote in votes:
        if vote.failed:
            told.add((vote.place, vote.role, Outcome.FAIL.value))
        if vote.heard:
            told.update((vote.place, vote.role, outcome) for outcome in others)
    return frozenset(told)
