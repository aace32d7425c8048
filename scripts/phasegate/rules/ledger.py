"""The ledger of a pull request: votes, unread texts, removals and the record become one list of events.

In: weighed votes and the texts that no dialect could read. Out: words by place and seat, what was taken away, and
which contents failed. Every fact that a rule asks about a word is worked out here, once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from phasegate.model.frozen import dataclass, replace
from phasegate.model.ledger import About, AnsweredBy, Word
from phasegate.model.problem import Severity
from phasegate.model.signal import (
    ASKS,
    GOOD,
    INVALID,
    Kind,
    Medium,
    Outcome,
    Place,
    Role,
    Source,
    Subject,
    Unread,
    Validity,
    Vote,
)
from phasegate.model.snapshot import RecordedVote
from phasegate.model.texts import Actor, Comment, ReviewThread
from phasegate.rules.accounts import DISMISSED, is_one
from phasegate.rules.assess import Facts

if TYPE_CHECKING:
    from phasegate.rules.findings import Findings

APPROVED, REQUESTED, PENDING = "APPROVED", "CHANGES_REQUESTED", "PENDING"
SPOKEN = (Kind.VERDICT, Kind.REPORT)
PASSING = (Outcome.PASS, Outcome.COMPLETE)
UNTOLD, STRAYED = ("PG120", "PG125"), "PG209"  # why a word is nobody's, or stands in the wrong place


# ---- L3: whose a word is


def at_home(facts: Facts, votes: tuple[Vote, ...]) -> tuple[Vote, ...]:
    """The votes, in order; an objection in the wrong place or without a clear role is a word of its seats at home."""
    found = (each for vote in votes for each in tuple(_brought_home(facts, vote)) or (vote,))
    return tuple(sorted(found, key=lambda vote: vote.order))


def _is_astray(facts: Facts, vote: Vote) -> bool:
    """True if nothing but its place, or that it tells no role, keeps a word against this pull request from counting."""
    signal, named, source = vote.signal, vote.signal.commit, vote.source
    if vote.why is None or vote.heard or signal.kind not in SPOKEN or signal.shown:
        return False
    astray = vote.why.code == STRAYED or (vote.role is None and vote.why.code in UNTOLD)
    against = signal.objects or signal.outcome in (Outcome.FAIL, Outcome.BLOCKED)
    if not (astray and against) or facts.refused_as(signal, vote.role):
        return False
    older = source.place is Place.ISSUE and source.at < facts.snapshot.pull_request.created_at
    return not older and (named is None or bool(facts.timeline.named(named)))


def _brought_home(facts: Facts, vote: Vote) -> Iterator[Vote]:
    signal, source = vote.signal, vote.source
    if vote.why is None or not _is_astray(facts, vote):
        return
    known = vote.role is None and any(item.severity is Severity.ERROR for item in signal.problems)
    wrong = () if known else (replace(vote.why, severity=Severity.ERROR),)
    for role in map(facts.policy.role, held_seats(facts, source) if vote.role is None else (vote.role,)):
        home = facts.phase_of(role.name)
        if home is None or role.dialect != signal.dialect:
            continue
        everywhere = _home(facts, role)
        for issue in [source.issue] if source.issue in everywhere else everywhere:
            moved = replace(signal, source=replace(source, place=home.where, issue=issue))
            own = facts.vote_at_home(moved, role.name, *wrong)
            if own.heard:
                yield own


def held_seats(facts: Facts, source: Source) -> tuple[str, ...]:
    """The seats that an account holds by policy, or else has filled here; of those, the ones judged at this place.

    Seats that are required go first. An account that the policy names without roles, and that has filled none, holds
    every judging seat of the place.
    """
    policy, who = facts.policy, facts.accounts.speaker(source)
    own = who.mapped or facts.heard(source)
    if not own and who.entries:
        here = (phase for phase in policy.phases if phase.enabled and phase.where is source.place)
        own = tuple(name for phase in here for name in phase.seats if policy.role(name).judges)
    seats = {name: home for name in own if name in policy.roles and (home := facts.phase_of(name)) is not None}
    required = {name: home for name, home in seats.items() if name in (*home.seats, *home.quick_seats)} or seats
    return tuple(name for name, home in required.items() if home.where is source.place) or tuple(required)


# ---- L2, L4: votes and unread texts as words


def word_of(vote: Vote, role: Role) -> Word:
    """A vote as an event of the ledger."""
    signal, source = vote.signal, vote.source
    unbound = role.about is Subject.NOTHING
    stands = vote.validity in (Validity.VALID, Validity.INVALID)
    valid = vote.validity is Validity.VALID or (vote.validity is Validity.EDITED_AWAY and vote.why is None)
    done = vote.outcome in PASSING or (vote.outcome is None and (unbound or signal.kind is Kind.REPORT))
    good = valid and done
    touched = stands and source.tampered_by is not None and not valid
    lost = not good and vote.content is None and vote.stale is None and signal.kind is Kind.VERDICT
    is_now = vote.fresh or (unbound and vote.stale is None)
    return Word(
        seat=role.name,
        source=source,
        about=About.NOW if is_now else About.UNKNOWN if lost or touched else About.OTHER,
        good=good,
        valid=valid,
        failed=vote.failed,
        stands=stands,
        commit=vote.commit,
        content=vote.content,
        answered_by=answered_by(source, role, lasts=signal.lasting),
        touched=touched,
        lasting=signal.lasting,
        vote=vote,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Answering:
    """One row of ANSWERED BY: what alone answers an objection of this kind."""

    name: str
    by: AnsweredBy
    holds: Callable[[Source, Role, bool], bool]


# L7 to L9: the first row that holds for a source, its role and whether its form lasts; else any later word answers.
ANSWERED_BY: tuple[Answering, ...] = (
    Answering(
        name="facts speak as long as they are there",
        by=AnsweredBy.ITSELF,
        holds=lambda source, _role, _lasts: source.latest and (source.pushed or source.medium is Medium.CHECK_RUN),
    ),
    Answering(
        name="what lasts is answered by what lasts", by=AnsweredBy.OWN_KIND, holds=lambda _source, _role, lasts: lasts
    ),
    Answering(
        name="a reviewer's review is answered by a review",
        by=AnsweredBy.OWN_MEDIUM,
        holds=lambda source, role, _lasts: source.medium is Medium.REVIEW in role.media and role.only_named,
    ),
)


def answered_by(source: Source, role: Role, *, lasts: bool = False) -> AnsweredBy:
    """What answers a word if it objects."""
    return next((row.by for row in ANSWERED_BY if row.holds(source, role, lasts)), AnsweredBy.ANY_WORD)


def unread_words(facts: Facts, unread: Iterable[Unread], heard: frozenset[str]) -> Iterator[Word]:
    """Texts of seat holders that no dialect reads and that are words all the same (L2).

    A review that requests changes, and a reviewer's formal review or check run; everything else is talk.
    """
    for text in unread:
        source = text.source
        if source.id in heard or source.state == PENDING:
            continue
        asked = REQUESTED in (source.state, source.dismissed_from)
        asked = asked or (source.state == DISMISSED and source.dismissed_from is None and text.blank)
        for role in (facts.policy.role(name) for name in held_seats(facts, source)):
            if not (asked or is_formal(facts, text, role)):
                continue
            if facts.accounts.speaker(source, role.name).refusals:
                continue
            for issue in _home(facts, role):
                commit, content, about = _unread_about(facts, source, issue)
                yield Word(
                    seat=role.name,
                    source=source if issue is None else replace(source, place=Place.ISSUE, issue=issue),
                    about=about,
                    commit=commit,
                    content=content,
                    good=False,
                    valid=False,
                    failed=asked,
                    stands=source.latest and source.state != DISMISSED,
                    answered_by=answered_by(source, role),
                    unread=text,
                )


def _home(facts: Facts, role: Role) -> Sequence[int | None]:
    """Where the words of a role are judged: the pull request (none), or each linked issue."""
    home = facts.phase_of(role.name)
    on_issues = home is not None and home.where is Place.ISSUE
    return [issue.number for issue in facts.snapshot.own_issues] if on_issues else [None]


def _unread_about(facts: Facts, source: Source, issue: int | None) -> tuple[str | None, str | None, About]:
    """The commit and the content that a text is about (L4)."""
    commit, timeline = None, facts.timeline
    if issue is not None:
        content, current = facts.plans.at(issue, source.at), facts.plans.current(issue)
    else:
        commit, current = source.commit or timeline.head_at(source.at), timeline.current
        if commit is None:
            return None, None, About.UNKNOWN
        content = timeline.content_at(commit, source.at)
    return commit, content, About.NOW if content == current else About.OTHER


def source_of(said: ReviewThread | Comment, name: str) -> Source:
    """Where a thread or a review stands; GitHub tells the app of neither."""
    return Source(
        id=name,
        number=said.id,
        url=said.url,
        place=Place.PULL_REQUEST,
        medium=Medium.REVIEW,
        author=said.author,
        at=said.created_at,
        commit=said.commit,
    )


def approving(facts: Facts, author: Actor | None, after: str) -> Iterator[Comment]:
    """The later reviews of an account that approve the present content."""
    for review in facts.snapshot.reviews:
        given = (review.state or "").upper() == APPROVED and review.created_at > after and is_one(review.author, author)
        if given and review.commit and facts.timeline.is_current(review.commit, review.created_at):
            yield review


def is_formal(facts: Facts, text: Unread, role: Role) -> bool:
    """Whether a text was to be a word, and is no talk: a reviewer's review, or a check run that its format names."""
    if text.source.medium is Medium.CHECK_RUN:
        dialect = next(each for each in facts.policy.dialects if each.name == role.dialect)
        return text.name in dialect.footprint.check_names
    return text.source.medium is Medium.REVIEW and Medium.REVIEW in role.media and role.only_named and not text.blank


# ---- the list


class Ledger:
    """What was said at each place, in order of time, and what is on record and gone."""

    def __init__(self, facts: Facts, votes: Sequence[Vote], unread: Sequence[Unread], findings: Findings) -> None:
        self.facts = facts
        self.findings = findings
        self.every_vote = votes
        self.votes: dict[tuple[Place, int | None], list[Vote]] = {}
        self.words: dict[tuple[Place, int | None], dict[str, list[Word]]] = {}
        self.changed: dict[str, str] = {}  # when each text was last changed
        for source in (*(vote.source for vote in votes), *(each.source for each in unread)):
            self.changed[source.id] = max(self.changed.get(source.id, ""), source.at)
        for vote in votes:
            self._enter(vote)
        heard = frozenset(vote.source.id for vote in votes if vote.heard)
        for word in (*unread_words(facts, unread, heard), *findings.words()):
            self.words.setdefault((word.source.place, word.source.issue), {}).setdefault(word.seat, []).append(word)

    def _enter(self, vote: Vote) -> None:
        """Put a vote where it was given; a file stands on the pull request and for its issue. A proposal is no word."""
        source = vote.source
        if vote.signal.kind is Kind.PROPOSAL:
            return
        role = self.facts.policy.roles.get(vote.role or "")
        word = None if role is None or not vote.heard else word_of(vote, role)
        if word is not None and self.findings.settles(vote):
            word = replace(word, stands=False)  # told by its threads alone, or dismissed (4.12)
        pushed = ((Place.PULL_REQUEST, None), (Place.ISSUE, source.issue)) if source.pushed else ()
        for place in pushed or ((source.place, source.issue),):
            self.votes.setdefault(place, []).append(vote)
            if word is not None:
                self.words.setdefault(place, {}).setdefault(word.seat, []).append(word)

    @cached_property
    def gone(self) -> tuple[RecordedVote, ...]:
        """What is on record and can no longer be found, neither as text nor as history, as it was first recorded."""
        first: dict[tuple[str, str, str], RecordedVote] = {}
        for seen in self.facts.snapshot.record.signals:
            if not seen.outcome.startswith(ASKS):
                first.setdefault((seen.source, seen.role, seen.outcome), seen)
        told = words_told(self.every_vote) if first else frozenset()
        return tuple(seen for key, seen in first.items() if key not in told)

    def content_of(self, seen: RecordedVote) -> str | None:
        """The content that a recorded vote judged, or none if unknown."""
        timeline = self.facts.timeline
        heads = timeline.named(seen.commit or "-")
        return timeline.content(heads[0]) if len(heads) == 1 else None

    def failures(self, place: tuple[Place, int | None], seats: Sequence[str]) -> Iterator[tuple[str, str, str]]:
        """When each FAIL of some seats at a place was given, by which, and its round, whatever became of it (L13).

        A round is a content, towards one base; of a FAIL whose content nobody can tell, the FAIL itself.
        """
        timeline, words = self.facts.timeline, self.words.get(place, {})
        for word in (each for seat in seats for each in words.get(seat, ()) if each.failed and each.finding is None):
            at, content = word.source.at, word.content or f"unknown:{word.source.id}"
            known = content if word.commit is None else timeline.for_base(word.commit, at)
            yield at, word.seat, known
        for seen in self.gone:
            if seen.outcome == Outcome.FAIL.value and seen.role in seats:
                heads = timeline.named(seen.commit or "-")
                known = timeline.for_base(heads[0], seen.at) if len(heads) == 1 else f"unknown:{seen.source}"
                yield seen.at, seen.role, known


def words_told(votes: Sequence[Vote]) -> frozenset[tuple[str, str | None, str]]:
    """Each word that can still be found, as text or as history, by its source, role and outcome on record.

    A FAIL is found where a version says it: one whose version was removed from the history is not.
    """
    others = (INVALID, *(outcome.value for outcome in Outcome if outcome not in (*GOOD, Outcome.FAIL)))
    told: set[tuple[str, str | None, str]] = set()
    for vote in votes:
        if vote.failed:
            told.add((vote.place, vote.role, Outcome.FAIL.value))
        if vote.heard:
            told.update((vote.place, vote.role, outcome) for outcome in others)
    return frozenset(told)


def refuted(facts: Facts, vote: Vote | None) -> set[str]:
    """The findings that a vote calls noise, with output beside the id or a line of a file that exists at the head."""
    head, said = facts.timeline.head, () if vote is None else vote.signal.refutations
    lines = {file.path: file.lines or 0 for file in facts.snapshot.cited_files if file.commit == head}
    proven = (item.id for item in said if item.output or any(0 < at <= lines.get(path, 0) for path, at in item.lines))
    return set() if vote is None else set(vote.signal.false_positives).intersection(proven)
