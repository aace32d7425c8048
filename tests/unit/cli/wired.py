"""What the tests of doctor share about what starts the gate: a repository as it asks GitHub, and what init writes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

from phasegate.cli.setup import PEOPLE, Wanted, reviewer_media, workflows
from phasegate.model.snapshot import POLICY
from phasegate.policy.load import load_policy
from phasegate.policy.model import Policy
from tests.fakehub import FakeHub
from tests.unit.cli.shell import Done, Shell
from tests.unit.cli.test_doctor import PINNED, healthy

NOW = dt.datetime(2026, 11, 18, tzinfo=dt.timezone.utc).timestamp()


def doctor(shell: Shell, prepare: Callable[[FakeHub], object] = lambda _: None, **changed: object) -> Done:
    """What doctor says of a repository that is healthy but for the changes."""
    snapshot, more = healthy()
    with FakeHub(snapshot, **{**more, **changed}) as hub:
        hub.date = NOW
        prepare(hub)
        done = shell("doctor", "--repo", "octo/shop", "--json", environ=hub.environ)
        assert hub.written == []
        assert {request.path for request in hub.requests if not request.authorized} == set()
    return done


def found(done: Done, check: str = "event-policy") -> list[tuple[str, str, str]]:
    every = done.data["findings"]
    return [(each["level"], each["message"], each["fix"]) for each in every if each["check"] == check]


def written(*, target: bool = True, policy: str = "version: 1\n") -> dict[str, str]:
    found = load_policy(policy, POLICY)
    assert isinstance(found, Policy)
    name, _, commit = PINNED.partition("@")
    asked = Wanted(
        repository=None, profile="jkz", posting=PEOPLE, agents=(), action=name, commit=commit, watch=False,
        target=target, media=reviewer_media(found),
    )  # fmt: skip
    return workflows(asked)
