"""The ladder: the state of a seat, by the first step that holds (L5 to L9, L11, L14).

In: a seat with its words. Out: one need. Only these steps decide; ``explain`` tells people why one holds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from phasegate.model.frozen import dataclass, replace
from phasegate.model.ledger import About, AnsweredBy, Word
from phasegate.model.report import Need, NeedState, Why
from phasegate.model.signal import Does, IssueFolder, Medium, Outcome, Role, Source, Subject, Vote
from phasegate.model.texts import Actor
from phasegate.rules import explain
from phasegate.rules.accounts import is_one
from phasegate.rules.assess import TOUCHED
from phasegate.rules.findings import REQUESTED

if TYPE_CHECKING:
    from phasegate.rules.desk import Desk

OTHER_ROLE = "PG119"  # the policy names the author for other roles
MET, WAITING, FAILED = NeedState.MET, NeedState.WAITING, NeedState.FAILED
NOW, OTHER = About.NOW, About.OTHER


class Seat:
    """A role that a phase looks at, with everything said for it; the ladder only asks.

    A role that writes in issue folders has a seat for each folder.
    """

    def __init__(self, desk: Desk, role: Role, folder: IssueFolder | None = None, *, required: bool = True) -> None:
        self.desk, self.role, self.folder, self.required = desk, role, folder, required
        self.name, self.unbound = role.name, role.about is Subject.NOTHING

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """All words of the seat, with edit history and unread texts; of check runs the newest per app and name."""
        own = self.desk.words.get(self.name, ())
        here = [word for word in own if not word.source.pushed or self.is_own(word.source)]
        if not any(word.source.medium is Medium.CHECK_RUN for word in here):
            return tuple(here)
        runs = {f"check_run-{run.id}": run for run in self.desk.ledger.snapshot.checks}
        said = sorted({runs[word.source.id] for word in here if word.source.id in runs}, key=lambda run: run.begun)
        newest = {(run.app_id, run.name): run for run in said}.values()
        return tuple(word for word in here if word.source.id not in runs or runs[word.source.id] in newest)

    def is_own(self, source: Source) -> bool:
        """True if a file of the role belongs to this seat."""
        return self.folder is None or source.issue == self.folder.issue

    @cached_property
    def standing(self) -> tuple[Word, ...]:
        """The votes that stand now, oldest first."""
        return tuple(word for word in self.words if word.stands and word.is_vote)

    @cached_property
    def passes(self) -> tuple[Word, ...]:
        """The standing votes that pass the present content."""
        return tuple(word for word in self.standing if word.good and word.about is NOW)

    @cached_property
    def last(self) -> Word | None:
        """The seat's last word.

        A late word that names an older head does not take back a pass of the same account for the present content
        (L7).
        """
        arrived = self.desk.timeline.arrived
        for word in reversed(self.standing):
            vote, source = word.vote, word.source
            named = vote.commit is not None and (vote.signal.commit is not None or source.medium is Medium.REVIEW)
            own = (each.vote.commit or "" for each in self.passes if each.source.account == source.account is not None)
            late = word.about is OTHER and named and any(arrived(vote.commit or "") < arrived(each) for each in own)
            if not late:
                return word
        return None

    @property
    def last_vote(self) -> Vote | None:
        """The vote behind the seat's last word."""
        return None if self.last is None else self.last.vote

    def is_answered(self, objection: Word) -> bool:
        """True if a later valid word of the seat about the present content answers an objection (L7 to L9)."""
        by, source = objection.answered_by, objection.source
        if by is AnsweredBy.ITSELF:
            return False
        for word in self.standing:
            own = word.valid and word.about is NOW and word is not objection and word.source.is_after(source)
            kind = by is not AnsweredBy.OWN_KIND or word.vote.signal.lasting
            if own and kind and (by is not AnsweredBy.OWN_MEDIUM or word.source.medium is source.medium):
                return True
        return source.state == REQUESTED and any(True for _ in self.desk.ledger.approving(source.author, source.at))

    @cached_property
    def said_against(self) -> tuple[Word, ...]:
        """Every word that is not a pass and is about the present content, or about unknown content."""
        return tuple(word for word in self.words if not word.good and word.about is not OTHER)

    @cached_property
    def against(self) -> tuple[Word, ...]:
        """The objections that stand (L6).

        Removed words are judged in the table of removals. An unreadable text counts as said even if it was emptied.
        """
        there = (each for each in self.said_against if each.stands or not (each.is_vote or each.source.latest))
        return tuple(word for word in there if not self.is_answered(word))

    @cached_property
    def objections(self) -> tuple[Word, ...]:
        """The objections that nobody lifted (L11)."""
        return tuple(word for word in self.against if self.overruling(word) is None)

    def overruling(self, objection: Word) -> Word | None:
        """The confirming word that lifts a challenger's valid FAIL (L11), or None if the FAIL still blocks."""
        failure = objection.vote
        if failure.outcome is not Outcome.FAIL or not objection.valid or not failure.signal.must_fix:
            return None
        there = ((other, word) for other in self.desk.seats for word in other.standing)
        said = (Refutation(seat=self, failure=failure, other=other, word=word) for other, word in there)
        return next((each.word for each in said if all(holds(each) for _, holds in REFUTES)), None)

    @cached_property
    def ever_against(self) -> tuple[Word, ...]:
        """Every objection to the present content, whatever became of it. Slips do not count for order and approvals."""
        return tuple(word for word in self.said_against if not self.is_slip(word))

    def is_slip(self, word: Word) -> bool:
        """True if a word is malformed, shows no sign of FAIL, and its account passed the same content later (L5)."""
        vote, source = word.vote, word.source
        if not word.is_vote or vote.why is None or word.failed or word.touched or not source.by_author:
            return False
        unclear = vote.outcome in (Outcome.PASS, None) and vote.signal.known and not vote.signal.objects
        if not unclear or source.state == REQUESTED or any(vote.why.code == row[1] for row in TOUCHED):
            return False
        own = (each for each in self.passes if each.source.account == source.account is not None)
        return any(each.vote.content == vote.content and each.source.is_after(source) for each in own)

    @cached_property
    def first_pass(self) -> Word | None:
        """The first pass of the present content after all objections to it, or a slip that says PASS."""
        passes = set(map(id, self.passes))
        for word in self.words:
            told = word.vote.outcome is Outcome.PASS or word.vote.signal.says_pass
            good = id(word) in passes or (told and not word.good and self.is_slip(word))
            if good and all(word.source.is_after(each.source) for each in self.ever_against):
                return word
        return None

    @property
    def challenger(self) -> str | None:
        """The challenger, of any dialect, that passed this content only after the confirming role did (L5)."""
        if self.desk.phase.parallel or self.role.does is not Does.CONFIRMS or self.last is None:
            return None
        for other in self.desk.seats:
            artifact = other.role.per_issue or self.role.per_issue  # required besides the words of another dialect
            beside = other.role.dialect == self.role.dialect or not artifact
            same = None in (other.folder, self.folder) or other.folder == self.folder
            first = other.first_pass
            if other.role.does is not Does.CHALLENGES or not (beside and same) or other.role.file == self.role.file:
                continue
            if first is not None and not self.last.source.is_after(first.source):
                return other.name
        return None

    @property
    def shares_account_with(self) -> str | None:
        """With ``distinct_accounts``: the other role that speaks from this judge's account."""
        own = None if self.last is None else self.last.source.author
        if not self.desk.policy.verdicts.distinct_accounts or not self.role.judges or own is None:
            return None
        others: list[tuple[str, Actor | None]] = [*self.desk.makers()]
        for other in (each for each in self.desk.seats if each.role.file != self.role.file):
            vote = other.last_vote or other.refused
            others += [] if vote is None else [(other.name, vote.source.author)]
        return next((name for name, account in others if is_one(account, own)), None)

    @property
    def refused(self) -> Vote | None:
        """The seat's newest vote that is there, does not count and deserves a reply."""
        own = (vote for vote in reversed(self.desk.ledger.refusals) if vote.role == self.name)
        return next((vote for vote in own if self.is_own(vote.source) and self.desk.deserves_reply(vote.source)), None)


@dataclass(frozen=True, kw_only=True, slots=True)
class Refutation:
    """A seat's FAIL, and a word of another seat that may lift it."""

    seat: Seat
    failure: Vote
    other: Seat
    word: Word


# L11: a word lifts a FAIL if every row holds.
REFUTES: tuple[tuple[str, Callable[[Refutation], bool]], ...] = (
    ("a challenger failed", lambda said: said.seat.role.does is Does.CHALLENGES),
    ("a confirmer lifts it", lambda said: said.other.role.does is Does.CONFIRMS),
    ("by passing the present content", lambda said: said.word.good and said.word.about is NOW),
    ("and has not objected since", lambda said:
     all(said.word.source.is_after(each.source) for each in said.other.ever_against)),
    ("later", lambda said: said.word.source.is_after(said.failure.source)),
    ("and refuting every demand, with evidence", lambda said:
     set(said.failure.signal.must_fix or ()) <= said.seat.desk.refuted(said.word.vote)),
)  # fmt: skip


class Step(NamedTuple):
    """One step of the ladder: when it holds, the seat's state, and the need that explains it."""

    name: str
    state: NeedState
    holds: Callable[[Seat], bool]
    tell: Callable[[Seat], Need]


# L14: the first step that holds decides the state of a seat.
LADDER: tuple[Step, ...] = (
    Step("no word", WAITING, lambda seat: not any(word.stands for word in seat.words) or
         (seat.desk.content is None and not seat.unbound), explain.empty),
    Step("objection", FAILED, lambda seat: any(word.is_red for word in seat.objections), explain.objection),
    Step("other content", WAITING, lambda seat: seat.last is None or seat.last.about is not NOW, explain.stale),
    Step("held", WAITING, lambda seat: bool(seat.objections), explain.held),
    Step("too early", WAITING, lambda seat: seat.challenger is not None,
         lambda seat: explain.tell(seat, Why.TOO_EARLY, seat.last_vote, other=seat.challenger or "")),
    Step("one account", WAITING, lambda seat: seat.shares_account_with is not None,
         lambda seat: explain.tell(seat, Why.ONE_ACCOUNT, seat.last_vote, other=seat.shares_account_with or "")),
    Step("passed", MET, lambda _: True, explain.passed),
)  # fmt: skip


def need_of(seat: Seat) -> Need:
    """The need of a seat, by the first step of the ladder that holds."""
    step = next(step for step in LADDER if step.holds(seat))
    return replace(step.tell(seat), state=step.state)


def optional_need(seat: Seat) -> Need | None:
    """The need of an optional seat: its objections, or an invalid word of any age.

    A report is ignored if it names no result, objects to nothing, and its account is named only for other roles.
    """
    last = seat.last
    if last is None:
        return need_of(seat) if seat.objections else None
    if not last.valid:
        vote, signal = last.vote, last.vote.signal
        said = vote.outcome is not None or signal.outcome is not None or signal.objects
        other = not said and vote.why is not None and vote.why.code == OTHER_ROLE
        return None if other else replace(explain.invalid(seat, last), state=FAILED)
    need = need_of(seat)
    return need if need.state is FAILED or seat.objections else None
