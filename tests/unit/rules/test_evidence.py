"""Files of the branch as evidence: who pushed them, and which content they speak for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from phasegate.model.conversation import Actor
from phasegate.model.snapshot import ArtifactFile, Push, Snapshot
from phasegate.policy.load import default_policy
from phasegate.rules.evidence import Evidence, weigh_file
from phasegate.rules.freshness import Timeline
from phasegate.rules.plans import Plans
from phasegate.rules.weighing import Scales
from tests.casebook.world import PEOPLE, World, commit
from tests.unit.rules.court import taken


def pushed(by: str = "ana", at: str = "2026-03-02T10:00:00Z", head: str = "a") -> ArtifactFile:
    """A result that somebody pushed."""
    push = Push(at=at, commit=commit(head), actor=Actor(**PEOPLE[by]))
    return ArtifactFile(path=".pipeline/12/review-result.json", text="{}", pushed=push)


def weighed(file: ArtifactFile, world: World | None = None, snapshot: Snapshot | None = None) -> Evidence:
    """What the file is worth as the Judge's word."""
    seen = snapshot or taken(world or World())
    scales = Scales(policy=default_policy(), snapshot=seen, timeline=Timeline.of(seen), plans=Plans())
    return weigh_file(scales, file, "judge")


def codes(evidence: Evidence) -> list[str]:
    return [item.code for item in evidence.problems]


def test_weigh_file__by_somebody_who_may_speak_counts() -> None:
    assert weighed(pushed()) == Evidence(counts=True, fresh=True, content=weighed(pushed()).content)


@pytest.mark.parametrize(("by", "code"), [("eve", "PG201"), ("octo-dev", "PG202"), ("helper[bot]", "PG203")])
def test_weigh_file__speaks_for_whoever_pushed_it(by: str, code: str) -> None:
    evidence = weighed(pushed(by))
    assert (evidence.counts, codes(evidence)) == (False, [code])


def test_weigh_file__is_stale_once_the_product_has_changed() -> None:
    world = World()
    world.push("b")
    evidence = weighed(pushed(head="a"), world)
    assert (evidence.counts, evidence.fresh, codes(evidence)) == (True, False, ["PG303"])


def test_weigh_file__a_commit_of_evidence_kills_nothing() -> None:
    world = World()
    world.push("a1", "same")
    world.push("a2", "same")
    assert weighed(pushed(head="a1"), world).fresh


def test_weigh_file__of_a_fork_is_no_evidence() -> None:
    seen = taken(World())
    head = replace(seen.pull_request.head, repository="eve/shop")
    fork = replace(seen, pull_request=replace(seen.pull_request, head=head))
    assert codes(weighed(pushed(), snapshot=fork)) == ["PG231"]


def test_weigh_file__without_a_push_on_the_log_is_nobodys() -> None:
    assert codes(weighed(replace(pushed(), pushed=None))) == ["PG232"]


def test_weigh_file__that_was_refused_says_why() -> None:
    evidence = weighed(replace(pushed(), text=None, refused="a symbolic link"))
    assert codes(evidence) == ["PG230"]
    assert "a symbolic link" in evidence.problems[0].message
