"""Who could do something: the accounts known here that may speak for a role or act as a human, and who might be."""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.model.actors import Actor, Person
from phasegate.model.signal import Medium, Place, Role, Source
from phasegate.model.task import Grant
from phasegate.model.vote import Validity, Vote
from phasegate.policy.model import Phase
from phasegate.rules.accounts import (
    RANK,
    ever_agents,
    heard_as_agents,
    is_bot,
    judges_own_push,
    leads,
    look_alike,
    mapped_roles,
    may_act,
    may_speak,
    same_account,
    same_name,
)
from phasegate.rules.edits import Position, Speaker
from phasegate.rules.weighing import Ground

GRANTABLE = frozenset({"PG201", "PG202", "PG203", "PG204"})  # the refusals that a line of policy can lift


def speakers(position: Position, role: Role, phase: Phase, issue: int | None) -> tuple[Speaker, ...]:
    """The accounts that may speak for a role: who has spoken for it here, who is named, then who may write."""
    found: dict[int, Speaker] = {}
    for each in _candidates(position, role):
        if each.account.id not in found and _may_speak(position, role, each, issue):
            found[each.account.id or 0] = each
    if not position.ground.policy.verdicts.distinct_accounts:
        return tuple(found.values())
    others = tuple(_taken(position, role, phase))
    free = (each for each in found.values() if each.account.id not in position.voices)
    return tuple(each for each in free if not any(same_account(each.account, other) for other in others))


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


def _source(position: Position, who: Speaker, medium: Medium, issue: int | None) -> Source:
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
    policy, snapshot = position.ground.policy, position.snapshot
    medium = next(each for each in (Medium.COMMENT, Medium.REVIEW, Medium.CHECK_RUN, Medium.FILE) if each in role.media)
    source = _source(position, who, medium, issue)
    mapped = mapped_roles(policy, snapshot, source)
    refused = may_speak(policy, snapshot, source, role.name) or judges_own_push(policy, snapshot, source, role.name)
    return refused is None and (not mapped or role.file in mapped)


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
        if may_act(policy, snapshot, _source(position, each, Medium.COMMENT, None), agents) is None
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


def grantable(position: Position, vote: Vote, role: Role) -> Grant | None:
    """The line of policy that would let the author of a refused word speak; none where none should be proposed."""
    source, ground = vote.signal.source, position.ground
    author = source.author
    if author is None or author.id is None or vote.why is None or vote.why.code not in GRANTABLE:
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
