"""Edits of a pull request that is only thought of: what the phases would say if somebody had done this or that.

In: a position, that is what was read and what follows from it. Out: the position after one more act.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Where
from phasegate.model.report import Grant, PhaseReport
from phasegate.model.signal import (
    OVERALL,
    Command,
    Does,
    IssueFolder,
    Kind,
    Medium,
    Outcome,
    Place,
    Role,
    RoleClaim,
    Signal,
    Source,
    Subject,
    Validity,
    Vote,
)
from phasegate.model.snapshot import ChangedFile, CheckRun, CommitStatus, Content, RefMove, Snapshot
from phasegate.model.texts import DEFAULT_TOKEN, Actor, Issue, Person
from phasegate.policy.model import AgentAccount, NamedCheck, Phase
from phasegate.rules.accounts import (
    RANK,
    ever_agents,
    heard_as_agents,
    is_bot,
    leads,
    look_alike,
    may_act,
    same_account,
    same_name,
)
from phasegate.rules.acts import assess_acts
from phasegate.rules.assess import Accounts
from phasegate.rules.desk import Evaluation
from phasegate.rules.phases import decide
from phasegate.rules.weighing import Ground, weigh

END_OF_TIME = "9999-12-31T23:59:59Z"
NEW_ISSUE = 0  # the number of an issue that is not there yet
FIRST_NUMBER = 10**15  # after all that GitHub has given out
JUDGING = (Does.CHALLENGES, Does.CONFIRMS)


@dataclass(frozen=True, kw_only=True, slots=True)
class Position:
    """A pull request as it stands or would stand; ``evaluation`` and ``phases`` are those that were weighed last.

    ``now`` is a moment after all that has happened, ``voices`` are the accounts that would have spoken since,
    ``known`` is the ground that was weighed last.
    """

    ground: Ground
    known: Ground
    evaluation: Evaluation
    phases: tuple[PhaseReport, ...]
    now: str
    accounts: Accounts
    step: int = 0
    voices: frozenset[int] = frozenset()

    @property
    def snapshot(self) -> Snapshot:
        """What the position is made from."""
        return self.ground.snapshot

    @property
    def head(self) -> str:
        """The head commit."""
        return self.snapshot.pull_request.head.sha


@dataclass(frozen=True, kw_only=True, slots=True)
class Speaker:
    """Who does something: an account, and the app that writes for it."""

    account: Actor
    app_id: int | None = None


def somebody(position: Position) -> Speaker:
    """An account that is not known here, another one each time."""
    return Speaker(account=Actor(login=f"somebody {position.step}", type="User", id=-10 - position.step))


def begin(ground: Ground, evaluation: Evaluation, phases: tuple[PhaseReport, ...]) -> Position:
    """The position from which things would be done: the gate has run, and left a status on the head."""
    snapshot = ground.snapshot
    moments = [snapshot.taken_at, snapshot.pull_request.created_at, *(move.at for move in snapshot.ref_log.moves)]
    moments += [signal.source.at for signal in ground.signals] + [each.source.at for each in ground.commands]
    now = max(moments)
    accounts = evaluation.facts.accounts
    position = Position(
        ground=ground, known=ground, evaluation=evaluation, phases=phases, now=_later(now), accounts=accounts
    )
    if evaluation.facts.timeline.complete:
        return position
    seen = replace(snapshot, statuses=(*snapshot.statuses, _own_status(snapshot, now)))
    return replace(position, ground=replace(ground, snapshot=seen))


def _own_status(snapshot: Snapshot, at: str) -> CommitStatus:
    """The status that a run of the gate leaves on the head, which shows later what the head was."""
    own = snapshot.own_account or Actor(login=DEFAULT_TOKEN, type="Bot")
    return CommitStatus(context=OVERALL, state="pending", at=at, creator=own)


def weighed(position: Position) -> Position:
    """The same, with what the phases say to it."""
    evaluation = _acts_weighed(position) or weigh(position.ground, position.evaluation)
    phases = decide(evaluation)
    return replace(position, known=position.ground, evaluation=evaluation, phases=phases, voices=frozenset())


def _acts_weighed(position: Position) -> Evaluation | None:
    """What follows where nothing but acts is new: the votes are what they were."""
    ground, known, evaluation = position.ground, position.known, position.evaluation
    same = ground.snapshot is known.snapshot and ground.signals is known.signals and ground.policy is known.policy
    if not same or ground.folders is not known.folders:
        return None
    return replace(evaluation, acts=assess_acts(evaluation.facts, ground.commands, evaluation.votes))


def _later(moment: str) -> str:
    """A second later; of a moment that no calendar has, the end of time."""
    try:
        found = datetime.fromisoformat(moment.removesuffix("Z"))
        return f"{(found + timedelta(seconds=1)).isoformat()}Z" if len(moment) == len(END_OF_TIME) else END_OF_TIME
    except (ValueError, OverflowError):
        return END_OF_TIME


def _after(position: Position, ground: Ground, who: Speaker | None = None) -> Position:
    """The position a second later, not yet weighed."""
    voices = position.voices if who is None else position.voices | {who.account.id or 0}
    accounts = position.accounts.of(ground.policy, ground.snapshot)
    now, step = _later(position.now), position.step + 1
    return replace(position, ground=ground, accounts=accounts, now=now, step=step, voices=voices)


def known_people(snapshot: Snapshot, account: Actor, permission: str) -> Snapshot:
    """The snapshot, in which an account that is not known has the permission that is asked for."""
    if account.id is None or account.id >= 0 or any(person.id == account.id for person in snapshot.people):
        return snapshot
    person = Person(login=account.login, id=account.id, type="User", permission=permission)
    return replace(snapshot, people=(*snapshot.people, person))


def _source(position: Position, who: Speaker, medium: Medium, issue: int | None) -> Source:
    return Source(
        id=f"next-{position.step}",
        number=FIRST_NUMBER + position.step,
        url="",
        place=Place.PULL_REQUEST if issue is None else Place.ISSUE,
        medium=medium,
        issue=issue,
        author=who.account,
        app_id=who.app_id,
        at=position.now,
        commit=position.head if medium in (Medium.REVIEW, Medium.CHECK_RUN) else None,
    )


def word_of(position: Position, role: Role, who: Speaker, issue: int | None, medium: Medium | None = None) -> Signal:
    """A good word of a role, of the best that it can say, in a medium that it may use."""
    usual = next(each for each in (Medium.COMMENT, Medium.REVIEW, Medium.CHECK_RUN, Medium.FILE) if each in role.media)
    judges = role.does in JUDGING
    outcome = Outcome.PASS if judges else Outcome.COMPLETE
    return Signal(
        dialect=role.dialect,
        kind=Kind.VERDICT,
        claims=(RoleClaim(by="the role", role=role.name),),
        outcome=outcome,
        said=outcome.value,
        commit=position.head if issue is None and judges else None,
        digest=f"next-{position.step}",
        source=_source(position, who, medium or usual, issue),
        where=Where(),
    )


def spoken(position: Position, signals: tuple[Signal, ...], who: Speaker) -> Position:
    """As if a role had said this; the parts of one document are said at once."""
    ground, snapshot = position.ground, known_people(position.snapshot, who.account, "write")
    runs = any(signal.source.medium is Medium.CHECK_RUN for signal in signals)

    def makes_way(source: Source) -> bool:
        """Whether it is a check run of the same app: a new run takes its place."""
        return runs and source.medium is Medium.CHECK_RUN and source.app_id == who.app_id

    said = (*(each for each in ground.signals if not makes_way(each.source)), *signals)
    unread = tuple(each for each in ground.unread if not makes_way(each.source)) if runs else ground.unread
    return _after(position, replace(ground, snapshot=snapshot, signals=said, unread=unread), who)


def planned(position: Position, role: Role, who: Speaker, issue: int | None) -> Position:
    """As if the plan of an issue had been written."""
    plan = replace(word_of(position, role, who, issue), kind=Kind.REPORT, outcome=None)
    return spoken(position, (plan,), who)


def acted(position: Position, verb: str, phase: str, who: Speaker, issue: int | None) -> Position:
    """As if a human had written a command."""
    least = position.ground.policy.humans.minimum_permission
    snapshot = known_people(position.snapshot, who.account, least)
    source = _source(position, who, Medium.COMMENT, issue)
    commit = position.head if issue is None else None
    command = Command(verb=verb, phase=phase, reason="next", source=source, where=Where(), commit=commit)
    ground = replace(position.ground, snapshot=snapshot, commands=(*position.ground.commands, command))
    return _after(position, ground)


def pushed(position: Position, digest: str | None, who: Actor | None) -> Position:
    """As if somebody had pushed a commit with this content; nothing is weighed yet."""
    snapshot, at = position.snapshot, position.now
    pull_request, commit = snapshot.pull_request, f"{position.step + 1:040x}"
    move = RefMove(at=at, before=position.head, after=commit, actor=who)
    made = replace(
        snapshot,
        pull_request=replace(pull_request, head=replace(pull_request.head, sha=commit)),
        ref_log=replace(snapshot.ref_log, moves=(*snapshot.ref_log.moves, move)),
        contents=(*snapshot.contents, Content(commit=commit, digest=digest)),
        statuses=(*snapshot.statuses, _own_status(snapshot, at)),
    )
    return replace(position, ground=replace(position.ground, snapshot=made))


def fixed(position: Position) -> Position:
    """As if the findings had been fixed: other content, which nobody has judged yet."""
    made = pushed(position, f"next-{position.step}", position.snapshot.pull_request.author)
    return _after(position, made.ground)


def checked(position: Position, check: NamedCheck) -> Position:
    """As if a check had succeeded on the head."""
    snapshot, name = position.snapshot, check.name.lower()
    run = CheckRun(name=check.name, status="completed", conclusion="success", app_id=check.app_id, commit=position.head)
    others = tuple(each for each in snapshot.checks if each.name != check.name)
    statuses = tuple(each for each in snapshot.statuses if each.context.lower() != name)
    made = replace(snapshot, checks=(*others, run), statuses=statuses)
    return _after(position, replace(position.ground, snapshot=made))


def filed(position: Position, roles: tuple[Role, ...], who: Speaker, path: str, issue: int | None) -> Position:
    """As if a file of evidence had been pushed that says the best it can, for each of its parts."""
    contents = {item.commit: item.digest for item in position.snapshot.contents}
    seen = known_people(position.snapshot, who.account, "write")
    begun = replace(position, ground=replace(position.ground, snapshot=seen))
    made = pushed(begun, contents.get(position.head), who.account)
    snapshot = made.snapshot
    listed = any(entry.path == path for entry in snapshot.files.entries)
    entries = snapshot.files.entries if listed else (*snapshot.files.entries, ChangedFile(path=path))
    signals = tuple(_file(made, role, who, path, issue) for role in roles)
    ids = {signal.source.id for signal in signals}
    kept = (_superseded(signal) if signal.source.id in ids else signal for signal in made.ground.signals)
    snapshot = replace(snapshot, files=replace(snapshot.files, entries=entries))
    return _after(position, replace(made.ground, snapshot=snapshot, signals=(*kept, *signals)), who)


def _superseded(signal: Signal) -> Signal:
    return replace(signal, source=replace(signal.source, latest=False))


def _file(position: Position, role: Role, who: Speaker, path: str, issue: int | None) -> Signal:
    word, unbound = word_of(position, role, who, issue), role.about is Subject.NOTHING
    source = replace(
        word.source,
        id=f"{path}{role.name.removeprefix(role.file)}",
        number=0,
        place=Place.PULL_REQUEST,
        medium=Medium.FILE,
        app_id=None,
        at=position.snapshot.ref_log.moves[-1].at,
        commit=position.head,
    )
    outcome = None if unbound else word.outcome
    kind = Kind.REPORT if unbound else Kind.VERDICT
    named = position.ground.policy.verdicts.require_commit
    judged = position.snapshot.ref_log.moves[-1].before if named else None
    return replace(word, kind=kind, outcome=outcome, commit=judged, source=source, where=Where(path=path))


def without(position: Position, signal: str, codes: frozenset[str]) -> Position:
    """As if something were no longer wrong with a word, because what it was held against has changed."""
    kept = tuple(
        replace(each, problems=tuple(item for item in each.problems if item.code not in codes))
        if each.source.id == signal
        else each
        for each in position.ground.signals
    )
    return replace(position, ground=replace(position.ground, signals=kept))


def linked(position: Position, folder: str | None) -> Position:
    """As if an open issue without a word had been linked, in place of those that are spent."""
    snapshot = position.snapshot
    name = snapshot.repository.name
    spent = {route.number for route in position.evaluation.route.issues if route.spent_by is not None}
    kept = tuple(issue for issue in snapshot.issues if issue.number not in spent)
    issue = Issue(repository=name, number=NEW_ISSUE, url="")
    folders = [each for each in position.ground.folders if each.issue not in (*spent, None)]
    folders += [] if folder is None else [IssueFolder(issue=NEW_ISSUE, path=folder)]
    ground = replace(position.ground, snapshot=replace(snapshot, issues=(*kept, issue)), folders=tuple(folders))
    return _after(position, ground)


def granted(position: Position, entry: AgentAccount) -> Position:
    """As if the policy named an account; an entry of the same login with another id gives way to it."""
    policy = position.ground.policy
    kept = (item for item in policy.agents.accounts if item.id == entry.id or not same_name(item.login, entry.login))
    agents = replace(policy.agents, accounts=(*kept, entry))
    return _after(position, replace(position.ground, policy=replace(policy, agents=agents)))


def cleared(position: Position, path: str) -> Position:
    """As if what is wrong with a folder of evidence had been put right."""
    folders = tuple(replace(each, wrong=None) if each.path == path else each for each in position.ground.folders)
    return _after(position, replace(position.ground, folders=folders))


OTHER_ROLE = "PG119"  # a word says one role, and the policy names its author for another
GRANTABLE = frozenset({"PG201", "PG202", "PG203", "PG204"})  # the refusals that a line of policy can lift


def speakers(position: Position, role: Role, phase: Phase, issue: int | None) -> tuple[Speaker, ...]:
    """The accounts that may speak for a role: who has spoken for it here, who is named, then who may write."""
    found: dict[int, Speaker] = {}
    needed = _needed_as_humans(position)
    for each in _candidates(position, role):
        if each.account.id not in found and _may_speak(position, role, each, issue) and each.account.id not in needed:
            found[each.account.id or 0] = each
    if not position.ground.policy.verdicts.distinct_accounts:
        return tuple(found.values())
    others = tuple(_taken(position, role, phase))
    free = (each for each in found.values() if each.account.id not in position.voices)
    return tuple(each for each in free if not any(same_account(each.account, other) for other in others))


def _needed_as_humans(position: Position) -> frozenset[int]:
    """The accounts whose acts count here: as agents they would undo what they have approved."""
    if position.ground.policy.humans.agents_may_approve:
        return frozenset()
    authors = (act.command.source.author for act in position.evaluation.acts if act.counts)
    return frozenset(author.id for author in authors if author is not None and author.id is not None)


def _candidates(position: Position, role: Role) -> Iterator[Speaker]:
    votes = position.evaluation.votes
    for vote in reversed(votes):
        source = vote.signal.source
        if vote.role == role.name and vote.validity is Validity.VALID and source.author is not None:
            yield Speaker(account=source.author, app_id=source.app_id)
    for entry in position.ground.policy.agents.accounts:
        if entry.team is None and (not entry.roles or role.file in entry.roles):
            kind = "Bot" if entry.login.endswith("[bot]") else "User"
            known = entry.id if entry.id is not None else _id_of(position, entry.login)
            if known is not None:
                yield Speaker(account=Actor(login=entry.login, type=kind, id=known), app_id=entry.app_id)
    agents = heard_as_agents(votes)
    for person in sorted(position.snapshot.people, key=lambda person: person.id not in agents):
        if RANK.get(person.permission, 0) >= RANK["write"] and person.id >= 0:
            yield Speaker(account=_actor(person))


def _id_of(position: Position, login: str) -> int | None:
    return next((person.id for person in position.snapshot.people if same_name(person.login, login)), None)


def _actor(person: Person) -> Actor:
    return Actor(login=person.login, type=person.type, id=person.id)


def _source_of(position: Position, who: Speaker, medium: Medium, issue: int | None) -> Source:
    return Source(
        id="next",
        number=0,
        url="",
        place=Place.PULL_REQUEST if issue is None else Place.ISSUE,
        medium=medium,
        issue=issue,
        author=who.account,
        app_id=who.app_id,
        at=position.now,
    )


def _may_speak(position: Position, role: Role, who: Speaker, issue: int | None) -> bool:
    medium = next(each for each in (Medium.COMMENT, Medium.REVIEW, Medium.CHECK_RUN, Medium.FILE) if each in role.media)
    source = _source_of(position, who, medium, issue)
    accounts = position.accounts
    if accounts.refusals(source, role.name) or accounts.own_push(source, role.name) is not None:
        return False
    mapped = accounts.mapped(source)
    return not mapped or role.file in mapped


def _taken(position: Position, role: Role, phase: Phase) -> Iterator[Actor]:
    """The accounts that another seat of the phase, or who makes the work, speaks from."""
    author = position.snapshot.pull_request.author
    if author is not None and phase.creator is not None:
        yield author
    seats = (*phase.every_seat, *phase.workers)
    for vote in position.evaluation.votes:
        other = vote.signal.source.author
        if vote.role in seats and vote.role != role.name and other is not None:
            yield other


def actors(position: Position) -> tuple[Speaker, ...]:
    """The accounts whose human acts count."""
    votes = position.evaluation.votes
    agents = ever_agents(position.evaluation.facts.snapshot, votes) | position.voices
    policy, snapshot = position.ground.policy, position.snapshot
    people = (Speaker(account=_actor(person)) for person in snapshot.people if person.id >= 0)
    return tuple(
        each
        for each in people
        if may_act(policy, snapshot, _source_of(position, each, Medium.COMMENT, None), agents) is None
    )


def _roles_spoken(position: Position, author: Actor, role: Role) -> tuple[str, ...]:
    """The roles that an account speaks for here, this one first, and those that it is named for: one line for all."""
    policy = position.ground.policy
    own = (vote for vote in position.evaluation.votes if vote.role is not None)
    by_it = (
        vote for vote in own if vote.signal.source.author is not None and vote.signal.source.author.id == author.id
    )
    spoken = (policy.role(vote.role).file for vote in by_it if vote.role is not None)
    named = (name for entry in policy.agents.accounts if entry.id == author.id for name in entry.roles)
    return tuple(dict.fromkeys((role.file, *spoken, *named)))


def names_agents(ground: Ground) -> bool:
    """Whether the policy has a list of accounts, or says something of agents, that a line would be added to."""
    return bool(ground.policy.agents.accounts) or "agents:" in (ground.snapshot.policy.text or "")


def _is_grantable(vote: Vote) -> bool:
    """Whether a line of policy helps: nobody trusts the account yet, or the policy names it for other roles alone."""
    code = "" if vote.why is None else vote.why.code
    return code in GRANTABLE or (code == OTHER_ROLE and len(vote.signal.roles) == 1)


def grantable(position: Position, vote: Vote, role: Role) -> Grant | None:
    """The line of policy that would let the author of a refused word speak; none where none should be proposed."""
    source, ground = vote.signal.source, position.ground
    author = source.author
    if author is None or author.id is None or vote.why is None or not _is_grantable(vote):
        return None
    if not leads(ground.policy, ground.snapshot, source):
        return None
    twin = look_alike(ground.policy, author)
    if twin is not None and not same_name(twin, author.login):
        return None
    app_id = source.app_id if is_bot(author) else None
    beside = names_agents(ground)
    return Grant(
        login=author.login, id=author.id, app_id=app_id, roles=_roles_spoken(position, author, role), beside=beside
    )
