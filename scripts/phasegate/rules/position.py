"""A pull request as it would be after one more event: the event is added to the input, and all is decided again.

In: a position and an event (a word, a push, a line of policy). Out: the next position, and who could cause it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Where
from phasegate.model.report import PhaseReport
from phasegate.model.signal import OVERALL, Kind, Medium, Outcome, Place, Role, RoleClaim, Signal, Source, Validity
from phasegate.model.snapshot import CommitStatus, Content, RefMove, Snapshot
from phasegate.model.texts import DEFAULT_TOKEN, Actor, Person
from phasegate.policy.model import AgentAccount, Phase
from phasegate.rules.accounts import RANK, Accounts, heard_as_agents, is_one, same_name
from phasegate.rules.ledger import Ground, Ledger, weigh
from phasegate.rules.phases import decide

END_OF_TIME = "9999-12-31T23:59:59Z"
FIRST_NUMBER = 10**15  # larger than any id GitHub has given out
USUAL = sorted(Medium, key=lambda medium: medium is Medium.FILE)  # the medium a role prefers; files last


class Who(NamedTuple):
    """An account that acts, and the app that writes for it."""

    account: Actor
    app_id: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Position:
    """A pull request as it is or would be. ``evaluation`` and ``phases`` are from the last decision.

    ``voices`` are the accounts that have spoken since.
    """

    ground: Ground
    evaluation: Ledger
    phases: tuple[PhaseReport, ...]
    step: int = 0
    voices: frozenset[int] = frozenset()

    @property
    def now(self) -> str:
        """A time later than every event so far, different at each step."""
        return f"9999-12-31T23:{self.step // 60:02}:{self.step % 60:02}Z"

    @property
    def snapshot(self) -> Snapshot:
        """The snapshot with every event so far."""
        return self.ground.snapshot

    @property
    def head(self) -> str:
        """The head commit."""
        return self.snapshot.pull_request.head.sha

    @property
    def somebody(self) -> Who:
        """An account that is unknown here, different at each step."""
        return Who(Actor(login=f"somebody {self.step}", type="User", id=-10 - self.step))

    def after(self, ground: Ground, who: Who | None = None) -> Position:
        """The next position, not decided yet. ``who`` has spoken."""
        voices = self.voices if who is None else self.voices | {who.account.id or 0}
        return replace(self, ground=ground, step=self.step + 1, voices=voices)

    def decided(self) -> Position:
        """The same position, decided by the rules."""
        evaluation = weigh(self.ground)
        return replace(self, evaluation=evaluation, phases=decide(evaluation), voices=frozenset())

    def source(self, who: Who, medium: Medium, issue: int | None) -> Source:
        """The source of a text written now."""
        return Source(
            id=f"next-{self.step}",
            number=FIRST_NUMBER + self.step,
            url="",
            place=Place.PULL_REQUEST if issue is None else Place.ISSUE,
            medium=medium,
            issue=issue,
            author=who.account,
            app_id=who.app_id,
            at=self.now,
            commit=self.head if medium in (Medium.REVIEW, Medium.CHECK_RUN) else None,
        )

    def word(self, role: Role, who: Who, issue: int | None, medium: Medium | None = None) -> Signal:
        """The best word that a role can give, in a medium that it may use."""
        judges, medium = role.judges, medium or min(role.media, key=USUAL.index)
        outcome = Outcome.PASS if judges else Outcome.COMPLETE
        causes = tuple(cause for name, cause in self.ground.foreseen if name == role.name)
        return Signal(
            dialect=role.dialect,
            kind=Kind.VERDICT,
            claims=(RoleClaim(by="the role", role=role.name),),
            outcome=outcome,
            said=outcome.value,
            commit=self.head if issue is None and judges else None,
            asks=tuple(dict.fromkeys(cause.asks for cause in causes if cause.asks is not None)),
            causes=causes,
            digest=f"next-{self.step}",
            source=self.source(who, medium, issue),
            lasting=medium is Medium.REVIEW,  # it answers what only reviews answer
            where=Where(),
        )

    def spoken(self, words: tuple[Signal, ...], who: Who) -> Position:
        """The position after some words: parts of one document together; a check run replaces older ones of its app."""
        ground, said, unread = self.ground, self.ground.signals, self.ground.unread
        if any(each.source.medium is Medium.CHECK_RUN for each in words):
            old = (Medium.CHECK_RUN, who.app_id)
            said = tuple(each for each in said if (each.source.medium, each.source.app_id) != old)
            unread = tuple(each for each in unread if (each.source.medium, each.source.app_id) != old)
        snapshot = self.known_as(who, "write")
        return self.after(replace(ground, snapshot=snapshot, signals=(*said, *words), unread=unread), who)

    def known_as(self, who: Who, permission: str) -> Snapshot:
        """The snapshot, with this permission for an account that was unknown."""
        snapshot, account = self.snapshot, who.account
        if account.id is None or account.id >= 0 or any(person.id == account.id for person in snapshot.people):
            return snapshot
        person = Person(login=account.login, id=account.id, type="User", permission=permission)
        return replace(snapshot, people=(*snapshot.people, person))

    def pushed(self, snapshot: Snapshot, digest: str | None, who: Actor | None) -> Snapshot:
        """A snapshot after a push of this content."""
        pull_request, commit = snapshot.pull_request, f"{self.step + 1:040x}"
        move = RefMove(at=self.now, before=self.head, after=commit, actor=who)
        return replace(
            snapshot,
            pull_request=replace(pull_request, head=replace(pull_request.head, sha=commit)),
            ref_log=replace(snapshot.ref_log, moves=(*snapshot.ref_log.moves, move)),
            contents=(*snapshot.contents, Content(commit=commit, digest=digest)),
            statuses=(*snapshot.statuses, _own_status(snapshot, self.now)),
        )

    def fixed(self) -> Position:
        """The position after the author pushed new content, which nobody has judged yet."""
        snapshot = self.pushed(self.snapshot, f"next-{self.step}", self.snapshot.pull_request.author)
        return self.after(replace(self.ground, snapshot=snapshot))

    def granted(self, line: AgentAccount) -> Position:
        """The position after a line was added to the policy, replacing one with the same login and another id."""
        policy = self.ground.policy
        kept = (each for each in policy.agents.accounts if each.id == line.id or not same_name(each.login, line.login))
        agents = replace(policy.agents, accounts=(*kept, line))
        return self.after(replace(self.ground, policy=replace(policy, agents=agents)))


def begin(ground: Ground, evaluation: Ledger, phases: tuple[PhaseReport, ...]) -> Position:
    """The pull request as it is, right after a run of the gate that left its status on the head."""
    at = Position(ground=ground, evaluation=evaluation, phases=phases)
    left = () if evaluation.timeline.complete else (_own_status(at.snapshot, at.now),)
    snapshot = replace(at.snapshot, statuses=(*at.snapshot.statuses, *left))
    return at.after(replace(ground, snapshot=snapshot)) if left else at


def _own_status(snapshot: Snapshot, at: str) -> CommitStatus:
    """The status that a run leaves on the head. Later runs learn from it what the head was."""
    own = snapshot.own_account or Actor(login=DEFAULT_TOKEN, type="Bot")
    return CommitStatus(context=OVERALL, state="pending", at=at, creator=own)


def speakers(at: Position, role: Role, phase: Phase, issue: int | None) -> tuple[Who, ...]:
    """The accounts that may speak for a role, in the order of asking."""
    policy, evaluation, taken = at.ground.policy, at.evaluation, list[Actor | None]()
    accounts, barred = Accounts(policy, at.snapshot), frozenset[int]()
    if not policy.humans.agents_may_approve:  # as agents they would undo their own approvals
        taken += [act.command.source.author for act in evaluation.acts if act.counts]
    if policy.verdicts.distinct_accounts:
        seats, barred = {*phase.every_seat, *phase.workers} - {role.name}, at.voices
        taken += [vote.signal.source.author for vote in evaluation.votes if vote.role in seats]
        taken += [at.snapshot.pull_request.author] if phase.creator is not None else []
    found: dict[int | None, Who] = {}
    for each in _known(at, role):
        who = accounts.speaker(at.source(each, min(role.media, key=USUAL.index), issue), role.name)
        refused = who.refusals or who.own_work or role.file not in (who.mapped or (role.file,))
        if not refused and each.account.id not in barred and not any(is_one(each.account, other) for other in taken):
            found.setdefault(each.account.id, each)
    return tuple(found.values())


def _known(at: Position, role: Role) -> Iterator[Who]:
    """The accounts that could speak for a role: named for it, then the last ones to speak for it, then all others."""
    people, votes = at.snapshot.people, at.evaluation.votes
    entries = [entry for entry in at.ground.policy.agents.accounts if entry.team is None]
    yield from (who for entry in entries if role.file in entry.roles for who in _named(entry, people))
    for vote in reversed(votes):
        source = vote.signal.source
        if vote.role == role.name and vote.validity is not Validity.IGNORED and source.author is not None:
            yield Who(source.author, source.app_id)
    yield from (who for entry in entries if not entry.roles for who in _named(entry, people))
    agents = heard_as_agents(votes)
    for person in sorted(people, key=lambda person: person.id not in agents):
        if RANK.get(person.permission, 0) >= RANK["write"] and person.id >= 0:
            yield Who(Actor(login=person.login, type=person.type, id=person.id))


def _named(entry: AgentAccount, people: tuple[Person, ...]) -> Iterator[Who]:
    """The account that a policy entry names, if its id is known."""
    ids = (person.id for person in people if same_name(person.login, entry.login))
    known = next(ids, None) if entry.id is None else entry.id
    if known is not None:
        kind = "Bot" if entry.login.endswith("[bot]") else "User"
        yield Who(Actor(login=entry.login, type=kind, id=known), entry.app_id)


def actors(at: Position) -> tuple[Who, ...]:
    """The accounts whose commands count."""
    agents = at.evaluation.accounts.agents | at.voices
    accounts = Accounts(at.ground.policy, at.snapshot, agents)
    people = [Actor(login=each.login, type=each.type, id=each.id) for each in at.snapshot.people if each.id >= 0]
    return tuple(Who(each) for each in people if not accounts.account(each).act_refusals)
