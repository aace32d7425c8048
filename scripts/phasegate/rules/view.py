"""One phase at one place (the pull request, or one issue): its seats, what was said there, and what is judged there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from phasegate.catalogue import problem
from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Problem, Where, near
from phasegate.model.signal import (
    Act,
    Asks,
    Does,
    Drift,
    IssueFolder,
    Kind,
    Outcome,
    Place,
    Role,
    Source,
    Subject,
    Validity,
    Vote,
)
from phasegate.model.texts import DeletedComment
from phasegate.policy.model import Phase
from phasegate.rules.accounts import RANK, leads, live_permission
from phasegate.rules.assess import Facts
from phasegate.rules.route import asked_and_gone, asking

APPROVED, RESUME = "APPROVED", "resume"
STRAYED = "PG209"  # why a word does not count that stands where its phase is not judged
JUDGING = (Does.CHALLENGES, Does.CONFIRMS)
GOOD = (Outcome.PASS, Outcome.COMPLETE)
STANDING = (Validity.VALID, Validity.INVALID)


@dataclass(frozen=True, kw_only=True, slots=True)
class Seat:
    """A role that a phase looks at; the files of a role have a seat for each issue's folder."""

    role: Role
    folder: IssueFolder | None = None
    required: bool = True

    @property
    def name(self) -> str:
        """The name of the role."""
        return self.role.name

    @property
    def judges(self) -> bool:
        """Whether who sits there judges the work, and does not make it."""
        return self.role.does in JUDGING

    def is_filled_by(self, vote: Vote) -> bool:
        """Whether a vote is of this seat."""
        own = self.folder is None or vote.signal.source.issue == self.folder.issue
        return vote.role == self.name and own


def standing_file(votes: Sequence[Vote]) -> Vote | None:
    """The last file on the present content that does not pass, although a later file of the same seat may pass.

    Each file stands for itself: it is taken back by changing it, not by pushing another one.
    """
    if not votes or not votes[-1].signal.source.pushed:
        return None
    files = (vote for vote in reversed(votes) if vote.signal.source.pushed and vote.signal.source.latest)
    return next((vote for vote in files if vote.fresh and not vote.passes), None)


def taken_out(seat: Seat, heard: Sequence[Vote], latest: Vote | None) -> Vote | None:
    """The last report of a file that is gone and was not good, where a good one from before it would count again.

    A seat of an issue's folder has one file, and what that says now is later than what it said. What judges or failed
    the work is a matter of the history.
    """
    if latest is None or seat.folder is not None or not (latest.passes or latest.outcome is Outcome.COMPLETE):
        return None
    unbound = seat.role.about is Subject.NOTHING
    reports = (each for each in heard if each.signal.kind is Kind.REPORT and not each.failed)
    gone = [each for each in reports if each.signal.source.pushed and each.validity is Validity.EDITED_AWAY]
    against = (each for each in reversed(gone) if each.outcome not in GOOD and (each.fresh or unbound))
    found = next((each for each in against if not latest.signal.source.is_after(each.signal.source)), None)
    if found is None or found.outcome is Outcome.FAIL:
        return found
    return replace(found, validity=Validity.VALID if found.outcome is not None else Validity.INVALID)


def lasting_word(votes: Sequence[Vote]) -> Vote | None:
    """What was said against the present content in a form that only the same form takes back."""
    last = next((vote for vote in reversed(votes) if vote.signal.lasting), None)
    return last if last is not None and last.fresh and not last.passes else None


def is_strayed_objection(vote: Vote) -> bool:
    """Whether a word speaks against the work, and nothing but its place keeps it from counting."""
    signal = vote.signal
    against = signal.objects or signal.outcome in (Outcome.FAIL, Outcome.BLOCKED)
    return vote.why is not None and vote.why.code == STRAYED and signal.kind is Kind.VERDICT and against


@dataclass(frozen=True, kw_only=True, slots=True)
class Spoken:
    """The words of roles at one place in order of time, those that failed, and those of each role that count or did."""

    votes: tuple[Vote, ...] = ()
    failed: tuple[Vote, ...] = ()
    heard: Mapping[str | None, tuple[Vote, ...]] = field(default_factory=dict)

    @staticmethod
    def of(votes: Sequence[Vote]) -> Spoken:
        """What was said at a place."""
        heard: dict[str | None, list[Vote]] = {}
        for vote in votes:
            if vote.validity is not Validity.IGNORED:
                heard.setdefault(vote.role, []).append(vote)
        failed = tuple(vote for vote in votes if vote.failed)
        return Spoken(votes=tuple(votes), failed=failed, heard={role: tuple(own) for role, own in heard.items()})


def spoken_at(votes: Sequence[Vote]) -> dict[tuple[Place, int | None], Spoken]:
    """What was said, by where it stands; a proposal is made beside a word and is none.

    The files of all issues are on the pull request, each for its own issue too.
    """
    found: dict[tuple[Place, int | None], list[Vote]] = {}
    for vote in votes:
        source = vote.signal.source
        if vote.signal.kind is Kind.PROPOSAL:
            continue
        pushed = ((Place.PULL_REQUEST, None), (Place.ISSUE, source.issue)) if source.pushed else ()
        for place in pushed or ((source.place, source.issue),):
            found.setdefault(place, []).append(vote)
    return {place: Spoken.of(here) for place, here in found.items()}


@dataclass(frozen=True, kw_only=True, slots=True)
class PhaseView:
    """A phase, its seats, and the votes and acts that concern it, in order of time.

    ``told`` names each word that is still to be found anywhere, by its comment, role and outcome. ``folders`` are those
    of the issues that it concerns. ``refusals`` and ``refused_acts`` are there and do not count, wherever they stand.
    """

    facts: Facts
    phase: Phase
    seats: tuple[Seat, ...]
    issue: int | None
    spoken: Spoken
    acts: tuple[Act, ...]
    spent_by: str | None = None
    told: frozenset[tuple[str, str | None, str]] = frozenset()
    folders: tuple[IssueFolder, ...] = ()
    refusals: tuple[Vote, ...] = ()
    refused_acts: tuple[Act, ...] = ()

    @property
    def votes(self) -> tuple[Vote, ...]:
        """All that was said here."""
        return self.spoken.votes

    @property
    def required(self) -> tuple[Seat, ...]:
        """The seats that must be filled."""
        return tuple(seat for seat in self.seats if seat.required)

    @property
    def names(self) -> tuple[str, ...]:
        """The roles of the required seats, each once."""
        return tuple(dict.fromkeys(seat.name for seat in self.required))

    @property
    def content(self) -> str | None:
        """What would have to pass now."""
        if self.phase.where is Place.ISSUE:
            return self.facts.plans.current(self.issue)
        return self.facts.timeline.current

    @property
    def commit(self) -> str | None:
        """The head that is judged; none where a plan is."""
        return None if self.phase.where is Place.ISSUE else self.facts.timeline.head

    def heard(self, seat: Seat) -> Sequence[Vote]:
        """The votes of a seat that their author may give, in order of time, history included."""
        own = self.spoken.heard.get(seat.name, ())
        return own if seat.folder is None else [vote for vote in own if seat.is_filled_by(vote)]

    def standing(self, seat: Seat) -> list[Vote]:
        """Those of them that stand there now."""
        return [vote for vote in self.heard(seat) if vote.validity is not Validity.EDITED_AWAY]

    def latest(self, seat: Seat) -> Vote | None:
        """A seat's latest vote; of files that all stand at the head, and of what lasts, one that does not pass."""
        standing = self.standing(seat)
        latest = standing_file(standing) or lasting_word(standing) or next(reversed(standing), None)
        return taken_out(seat, self.heard(seat), latest) or latest

    def refused(self, seat: Seat) -> Vote | None:
        """The latest vote of a seat that is there, does not count, and is worth an answer."""
        return next((vote for vote in reversed(self.refusals) if seat.is_filled_by(vote) and self.leads(vote)), None)

    def strayed(self, seat: Seat) -> Vote | None:
        """The latest objection of a seat that stands where its phase is not judged, unless the seat spoke since.

        It does not count, and it is not silence: nobody passes on an older word.
        """
        strayed = (vote for vote in reversed(self.refusals) if seat.is_filled_by(vote) and is_strayed_objection(vote))
        found = next(strayed, None)
        latest = next(reversed(self.standing(seat)), None)
        since = found is not None and latest is not None and latest.signal.source.is_after(found.signal.source)
        return None if since else found

    def roleless(self, seat: Seat) -> Vote | None:
        """The latest verdict on the present work that names no clear role and may be meant for this seat.

        A verdict that is only shown as an example is skipped.
        """
        here = (self.phase.where, self.issue)
        for vote in reversed(self.refusals):
            source = vote.signal.source
            verdict = vote.signal.kind is Kind.VERDICT and not vote.signal.shown
            nobody = verdict and vote.role is None and vote.signal.dialect == seat.role.dialect
            about = (source.place, source.issue) == here and self._is_about_now(source)
            if nobody and about and self.leads(vote) and self._may_be(seat, vote):
                return vote
        return None

    def untold_plan(self, seat: Seat) -> Vote | None:
        """The latest text here that was probably meant as the plan, by a heading that is none, or is misspelt."""
        for vote in reversed(self.refusals):
            source, roles = vote.signal.source, vote.signal.roles
            meant = any(seat.name in near(told, self.facts.policy.roles) for told in roles)
            made = meant or (vote.signal.kind is Kind.REPORT and not roles)
            nobody = made and vote.role is None and vote.signal.dialect == seat.role.dialect
            if nobody and (source.place, source.issue) == (self.phase.where, self.issue) and self.leads(vote):
                return vote
        return None

    def _may_be(self, seat: Seat, vote: Vote) -> bool:
        """Whether a word was meant for a seat: by a misspelt name, or because its account has said nothing since."""
        meant = [name for told in vote.signal.roles for name in near(told, self.facts.policy.roles)]
        return seat.name in meant if meant else not self._said_again(vote.signal.source)

    def _said_again(self, source: Source) -> bool:
        """Whether the account of a text has spoken for a role since, here."""
        later = (vote.signal.source for vote in self.votes if vote.role is not None and vote.validity in STANDING)
        return any(each.author == source.author and each.moment > source.moment for each in later)

    def leads(self, said: Vote | Act) -> bool:
        """Whether what does not count is worth an answer, by who said it."""
        source = said.signal.source if isinstance(said, Vote) else said.command.source
        return leads(self.facts.policy, self.facts.snapshot, source)

    def approved_on_github(self) -> Problem | None:
        """An approving review of the head by a writer: GitHub's own, and nothing that the gate counts."""
        snapshot = self.facts.snapshot
        if self.phase.where is Place.ISSUE:
            return None
        words = {vote.signal.source.url for vote in self.votes}
        for review in reversed(snapshot.reviews):
            if review.url in words:
                continue
            fresh = review.state is not None and review.state.upper() == APPROVED and review.commit == self.commit
            known = review.author is not None and RANK[live_permission(snapshot, review.author)] >= RANK["write"]
            if fresh and known and review.author is not None:
                message = f"{review.author.login}'s approving review on GitHub is no verdict and no approval of a phase"
                return problem("PG225", message, Where(url=review.url))
        return None

    def refused_act(self, verb: str) -> Act | None:
        """The latest act of one kind, or of none, that does not count and is worth an answer; none if one did since."""
        counted = max((act.command.source.moment for act in self.given(verb)), default=("", 0))
        for act in reversed(self.refused_acts):
            later = act.command.source.moment > counted
            if act.command.verb in (verb, "") and later and self.leads(act):
                return act
        return None

    def drifted(self, seat: Seat) -> Drift | None:
        """What the account of a seat wrote about the present work, after its last vote, that matches no format."""
        vote = self.latest(seat)
        for drift in reversed(self.facts.drifts):
            source = drift.source
            here = (source.place, source.issue) == (self.phase.where, self.issue)
            later = vote is None or source.at > vote.signal.source.at
            if drift.role == seat.name and here and later and self._is_about_now(source):
                return drift
        return None

    def unread(self, seat: Seat) -> Drift | None:
        """A review or check run on the present content that matches no format, unless the seat spoke there since."""
        timeline = self.facts.timeline
        own = [vote.signal.source for vote in self.standing(seat)]
        for drift in reversed(self.facts.drifts):
            source = drift.source
            commit = source.commit or timeline.head_at(source.at)
            same = commit is not None and timeline.content_at(commit, source.at) == timeline.current
            since = any(each.medium is source.medium and each.at > source.at for each in own)
            if drift.formal and drift.role == seat.name and same and not since:
                return drift
        return None

    def _is_about_now(self, source: Source) -> bool:
        """Whether a text was written about what is judged now."""
        if self.phase.where is Place.ISSUE:
            plan = self.facts.plans.latest(self.issue)
            return plan is not None and source.at > plan.signal.source.at
        timeline = self.facts.timeline
        return (source.commit or timeline.head_at(source.at)) == timeline.head

    def standing_pass(self, seat: Seat) -> Vote | None:
        """The first of the unbroken run of PASS votes about the present content that a seat's votes end in."""
        first = None
        for vote in reversed(self.heard(seat)):
            if vote.validity is Validity.EDITED_AWAY and vote.outcome is Outcome.PASS:
                continue
            if not (vote.passes and vote.fresh):
                break
            first = vote
        return first

    def asks(self, what: Asks) -> bool:
        """Whether a role that has a part in the phase asks for something here."""
        roles = (*self.phase.every_seat, *self.phase.workers)
        asked = (
            *(vote.role for vote in asking(self.votes, what)),
            *asked_and_gone(self.facts.snapshot, self.votes, what),
        )
        return any(role in roles for role in asked)

    def beside(self, seat: Seat) -> Iterator[Seat]:
        """The other seats of the same dialect and folder."""
        for other in self.seats:
            same = other.role.dialect == seat.role.dialect and other.folder == seat.folder
            if same and other.name != seat.name:
                yield other

    def given(self, verb: str) -> list[Act]:
        """The human acts of one kind that count."""
        return [act for act in self.acts if act.counts and act.command.verb == verb]

    def resumes(self) -> list[Act]:
        """The resumes of this phase."""
        return self.given(RESUME)

    def resumed_since(self, at: str) -> bool:
        """Whether a human resumed the phase after a moment."""
        return any(act.command.source.at > at for act in self.resumes())

    def last_change(self, source: str) -> str:
        """When the text of a comment was last changed."""
        return max(vote.signal.source.at for vote in self.votes if vote.signal.source.id == source)

    def deletions(self) -> tuple[DeletedComment, ...]:
        """The traces of comments deleted from this place."""
        snapshot = self.facts.snapshot
        if self.phase.where is Place.PULL_REQUEST:
            return snapshot.deleted_comments
        return next((issue.deleted_comments for issue in snapshot.own_issues if issue.number == self.issue), ())
