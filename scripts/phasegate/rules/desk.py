"""A phase at one place, the pull request or one issue: its seats, and everything said, done and taken away there.

In: the ledger. Out: the facts that the tables ask for, each worked out once. Nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from phasegate.catalogue import problem
from phasegate.model.frozen import replace
from phasegate.model.ledger import Removal
from phasegate.model.problem import Where
from phasegate.model.report import IssueRoute, Need, NeedKind, NeedState, Why
from phasegate.model.signal import OVERRIDE, RESUME, Act, Asks, Cause, IssueFolder, Place, Role, Source, Validity, Vote
from phasegate.model.texts import Actor
from phasegate.policy.model import Phase
from phasegate.rules.acts import NO_SUCH_PHASE
from phasegate.rules.ladder import Seat
from phasegate.rules.ledger import At, Ledger
from phasegate.rules.removals import removals
from phasegate.rules.route import asked_and_gone, asking

TAKEN_BACK = "PG224"  # the author withdrew the act


class Desk:
    """A phase at one place with everything that concerns it. ``every_act`` includes acts given elsewhere.

    A FAIL of a ``counted`` seat makes a round, even if the seat is optional. ``parts`` are all roles of the phase.
    """

    def __init__(
        self, ledger: Ledger, phase: Phase, route: IssueRoute | None = None, acts: tuple[Act, ...] | None = None
    ) -> None:
        self.ledger, self.policy, self.timeline = ledger, ledger.policy, ledger.timeline
        self.phase, self.route, self.every_act = phase, route, ledger.acts if acts is None else acts
        self.issue = None if route is None else route.number
        self.place: At = (phase.where, self.issue)
        self.votes, self.words = ledger.said.get(self.place, []), ledger.words.get(self.place, {})
        self.on_issue = phase.where is Place.ISSUE
        self.content: str | None = ledger.plans.current(self.issue) if self.on_issue else self.timeline.current
        self.commit = None if self.on_issue else self.timeline.head
        self.parts = (*phase.every_seat, *phase.workers)
        self.acts = [
            act
            for act in self.every_act
            if act.command.phase == phase.name and (act.source.place, act.source.issue) == self.place
        ]
        self.folders = tuple(self._folders())
        self.seats = tuple(self._seats(phase.quick_seats if ledger.route.quick else phase.seats))
        self.required = tuple(seat for seat in self.seats if seat.required)
        self.names: tuple[str, ...] = tuple(dict.fromkeys(seat.name for seat in self.required))

    def _folders(self) -> Iterator[IssueFolder]:
        """The folders of the issues that are judged here; the folder of an issue closed since is spent."""
        spent = {route.number: route for route in self.ledger.route.issues if route.spent_by is not None}
        for folder in (each for each in self.ledger.folders if self.issue in (None, each.issue)):
            route, wrong = spent.get(folder.issue or 0), folder.wrong
            if route is not None:
                message = f"#{route.number} was closed by {route.spent_by}, so its evidence is spent"
                wrong = problem("PG404", message, Where(url=route.url))
            yield replace(folder, wrong=wrong)

    def _seats(self, names: tuple[str, ...]) -> Iterator[Seat]:
        """The seats of some roles. A role that writes in issue folders has a seat for each folder."""
        roles, phase = self.policy.roles, self.phase
        yield from (Seat(self, roles[name]) for name in names if not roles[name].per_issue)
        quick = {each.number for each in self.ledger.route.issues if each.quick}
        for folder in self.folders:
            asked = phase.quick_seats if folder.issue in quick else phase.seats
            for name in (each for each in phase.every_seat if roles[each].per_issue):
                if name in asked or name in phase.optional_seats:
                    yield Seat(self, roles[name], folder, required=name in asked)

    @property
    def counted(self) -> tuple[str, ...]:
        """The seats whose FAILs make rounds."""
        return (*self.phase.seats, *self.phase.optional_seats)

    @property
    def judging(self) -> list[Role]:
        """The roles of the counted seats that judge the work."""
        return [role for name in self.counted if (role := self.policy.role(name)).judges]

    @property
    def looked_at(self) -> Iterator[Seat]:
        """Every seat that the phase has on any route."""
        return self._seats(self.phase.every_seat)

    def need(self, kind: NeedKind, state: NeedState, why: Why, **values: object) -> Need:
        """A need of this phase at this place."""
        told: dict[str, object] = {"name": self.phase.name, "commit": self.commit, "issue": self.issue, **values}
        return Need(kind=kind, state=state, why=why, **told)  # type: ignore[arg-type]

    def given(self, verb: str) -> list[Act]:
        """The acts of one verb that count."""
        return [act for act in self.acts if act.counts and act.command.verb == verb]

    def resumed_since(self, at: str) -> bool:
        """True if a human resumed the phase after this time."""
        return any(act.source.at > at for act in self.given(RESUME))

    @property
    def override(self) -> Act | None:
        """A human's override of this phase for the present content, or None."""
        return next((act for act in reversed(self.given(OVERRIDE)) if act.content == self.content), None)

    def refused_act(self, verb: str) -> Act | None:
        """The latest act of this verb, or without one, that does not count and deserves a reply.

        None if a later act counts.
        """
        counted = max((act.source.moment for act in self.given(verb)), default=("", 0))
        for act in reversed(self.every_act):
            source, meant = act.source, act.command.verb in (verb, "")
            if is_refused(act, self.phase) and meant and source.moment > counted and self.deserves_reply(source):
                return act
        return None

    def deserves_reply(self, source: Source) -> bool:
        """True if what does not count deserves a reply, by who said it."""
        return self.ledger.accounts.speaker(source).deserves_reply

    def valid(self, *names: str) -> list[Source]:
        """Where the valid votes of some roles were given here."""
        return [vote.source for vote in self.votes if vote.validity is Validity.VALID and vote.role in names]

    @cached_property
    def removals(self) -> tuple[Removal, ...]:
        """Words other than PASS that are no longer there as they were given."""
        return tuple(removals(self))

    def refuted(self, vote: Vote) -> set[str]:
        """The findings that a vote refutes with output beside the id, or with a line of a file of this head."""
        files = (file for file in self.ledger.snapshot.cited_files if file.commit == self.timeline.head)
        lines, told = {file.path: file.lines or 0 for file in files}, vote.signal.refutations
        proven = {each.id for each in told if each.output or any(0 < n <= lines.get(path, 0) for path, n in each.lines)}
        return proven.intersection(vote.signal.false_positives)

    def asks(self, what: Asks) -> bool:
        """True if a role with a part in the phase asks for this here."""
        asked = (vote.role for vote in asking(self.votes, what))
        gone = asked_and_gone(self.ledger.snapshot, self.votes, what)
        return any(role in self.parts for role in (*asked, *gone))

    def causes(self, what: Asks) -> tuple[Cause, ...]:
        """The keys in standing words that ask for this here. A plan's request for QA counts from anywhere."""
        heard = self.ledger.votes if what is Asks.QA else self.votes
        votes = (vote for vote in asking(heard, what) if what is Asks.QA or vote.role in self.parts)
        return tuple(dict.fromkeys(cause for vote in votes for cause in vote.signal.causes if cause.asks is what))

    def spoken_since(self, at: str) -> bool:
        """True if a seat of the phase has spoken after this time."""
        return any(word.source.at > at for name in self.counted for word in self.words.get(name, ()))

    def makers(self) -> Iterator[tuple[str, Actor | None]]:
        """The author of the plan, or everybody who reported making the work, or else who opened the pull request."""
        creator, plan = self.phase.creator, self.ledger.plans.latest(self.issue)
        said = [vote.source.author for vote in self.votes if vote.role == creator and vote.heard]
        opened = self.ledger.snapshot.pull_request.author if plan is None else plan.source.author
        told = (said[-1:] if self.on_issue else said) or [opened]
        yield from () if creator is None else ((creator, author) for author in told)


def is_refused(act: Act, phase: Phase) -> bool:
    """True if an act for this phase does not count, for another reason than that it was taken back."""
    code = "" if act.why is None else act.why.code
    own = act.command.phase in (phase.name, "") or code == NO_SUCH_PHASE
    return not act.counts and own and code != TAKEN_BACK


def desks_of(ledger: Ledger, phase: Phase) -> Iterator[Desk]:
    """The desks of a phase: one on the pull request, or one for each issue that is not quick."""
    yield from (desk for desk in every_desk(ledger, phase) if desk.route is None or not desk.route.quick)


def every_desk(ledger: Ledger, phase: Phase) -> Iterator[Desk]:
    """The same with the desks of quick issues, where words count only against the work."""
    routes = ledger.route.issues if phase.where is Place.ISSUE else (None,)
    yield from (Desk(ledger, phase, route) for route in routes)
