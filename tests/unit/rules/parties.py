"""What the tests of the rules share: worlds become snapshots, votes and reports; accounts and sources by hand."""

from __future__ import annotations

import json
from operator import itemgetter

from phasegate.cli.files import parse_snapshot
from phasegate.dialects.collect import collect
from phasegate.gate import _ground, _surroundings, judge, policy_in
from phasegate.model.report import Need, NeedKind, PhaseReport, Report, SignalReport
from phasegate.model.signal import Place, Source, Vote
from phasegate.model.snapshot import Snapshot
from phasegate.model.texts import Actor
from phasegate.policy.load import default_policy, load_policy
from phasegate.policy.model import Policy
from phasegate.report.tasks import need_todo
from phasegate.rules.ledger import Ledger, weigh
from tests.casebook.world import PEOPLE, World

BUILD_ALONE = "version: 1\nphases: {plan: {enabled: false}, qa: {enabled: false}}\n"


def taken(world: World) -> Snapshot:
    """The snapshot of a world, which its schema accepts."""
    snapshot = parse_snapshot(json.dumps(world.snapshot()), "snapshot.json")
    assert isinstance(snapshot, Snapshot), snapshot
    return snapshot


def decided(world: World) -> Report:
    """The report on a world."""
    return judge(taken(world))


def states(world: World) -> tuple[str, ...]:
    """The states of the phases and, as the last, the overall one."""
    report = decided(world)
    return (*(phase.state.value for phase in report.phases), report.state.value)


def state(world: World, where: str) -> str:
    """The state of a phase, or of the whole."""
    return states(world)[("plan", "build", "qa", "all").index(where)]


def edits(world: World, text: str, who: str = "ana") -> None:
    """Somebody edits the comment that was said last."""
    said = max((*world.comments, *(said for each in world.issues for said in each["comments"])), key=itemgetter("id"))
    world.edit(said, text, who)


def phase(world: World, name: str) -> PhaseReport:
    """One phase of the report on a world."""
    return next(phase for phase in decided(world).phases if phase.name == name)


def need(world: World, where: str, name: str) -> Need:
    """What became of one need of a phase."""
    return next(item for item in phase(world, where).needs if item.name == name)


def todo(world: World, where: str, name: str) -> str:
    """What is to be done about one need of a phase."""
    return need_todo(need(world, where, name), decided(world))


def human_need(world: World, where: str) -> Need:
    """What became of the approval that a phase needs."""
    return next(item for item in phase(world, where).needs if item.kind is NeedKind.HUMAN)


def codes(world: World) -> set[str]:
    """The codes of all problems in the report on a world."""
    return {problem.code for problem in decided(world).problems}


def ledger(world: World) -> Ledger:
    """The ledger of a world."""
    snapshot = taken(world)
    policy = policy_in(snapshot.policy)
    assert isinstance(policy, Policy), policy
    collected = collect(_surroundings(policy, snapshot), policy.dialects, tuple(policy.roles.values()))
    return weigh(_ground(policy, snapshot, collected))


def votes(world: World, role: str | None) -> list[Vote]:
    """The assessed votes of a role, in order of time."""
    return [vote for vote in ledger(world).votes if vote.role == role]


def build_alone(text: str = "") -> World:
    """A world that gates the build and nothing else."""
    return World(policy=BUILD_ALONE + text)


def signals(world: World, role: str | None) -> list[SignalReport]:
    """What was done with each vote of a role."""
    return [item for item in decided(world).signals if item.vote.role == role]


def policy(text: str = "") -> Policy:
    """A policy by the keys that differ from the default."""
    loaded = load_policy(f"version: 1\n{text}", "policy.yml") if text else default_policy()
    assert isinstance(loaded, Policy), loaded
    return loaded


def actor(login: str, **changes: object) -> Actor:
    """One of the world's people, or somebody like them."""
    known = PEOPLE.get(login, {"login": login, "id": 4711, "type": "User"})
    return Actor(**{**known, **changes})


def source(author: Actor | None, **changes: object) -> Source:
    """A comment on the pull request by this account."""
    url = "https://github.com/octo/shop/pull/7#issuecomment-1"
    given: dict[str, object] = {"id": "comment-1", "number": 1, "url": url, "place": Place.PULL_REQUEST}
    given |= {"author": author, "at": "2026-03-02T10:00:00Z", **changes}
    return Source(**given)  # type: ignore[arg-type]
