"""Runs that a signal workflow or a check run starts: they decide what a pull request's own event would have told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from phasegate.cli.terminal import PASSED
from tests.act import payloads
from tests.casebook.world import World, verdict
from tests.fakehub import FakeHub
from tests.integration.runs import OVERALL, passing, states
from tests.unit.cli.test_action import Step

JSON = dict[str, Any]
FORK = "stranger/shop"


def woken(folder: Path, hub: FakeHub, event: str, payload: JSON, **inputs: str) -> Step:
    step = Step(folder, hub, payload, GITHUB_EVENT_NAME=event, **inputs)
    assert step.run() == PASSED, step.err.getvalue()
    return step


def green(fork: str | None = None, world: World | None = None) -> JSON:
    made = (world or passing()).snapshot()
    if fork:
        made["pull_request"]["head"]["repository"] = fork
    return made


@pytest.mark.parametrize("action", ["requested", "completed"])
@pytest.mark.parametrize("fork", [None, FORK])
def test_signal__decides_the_head_that_was_pushed(tmp_path: Path, action: str, fork: str | None) -> None:
    with FakeHub(green(fork)) as hub:
        step = woken(tmp_path, hub, "workflow_run", payloads.workflow_run(hub.snapshot, action))
        assert states(hub)[OVERALL] == "success"
        assert step.outputs["state"] == "success"


@pytest.mark.parametrize("gone", [False, True], ids=["fork", "fork that is gone"])
def test_signal__withdraws_the_success_of_one_that_was_closed(tmp_path: Path, *, gone: bool) -> None:
    with FakeHub(green(FORK)) as hub:
        woken(tmp_path, hub, "workflow_run", payloads.workflow_run(hub.snapshot))
        assert states(hub)[OVERALL] == "success"
        hub.snapshot["pull_request"] |= {"state": "closed"}
        hub.snapshot["pull_request"]["head"] |= {"repository": None if gone else FORK}
        woken(tmp_path, hub, "workflow_run", payloads.workflow_run(hub.snapshot))
        assert states(hub)[OVERALL] == "pending"


def test_signal__a_review_wakes_the_gate(tmp_path: Path) -> None:
    """A reviewer who only posts reviews is heard when the review is posted, not at the next comment."""
    world = passing()
    with FakeHub(green(FORK, world)) as hub:
        woken(tmp_path, hub, "workflow_run", payloads.workflow_run(hub.snapshot))
        assert states(hub)[OVERALL] == "success"
        world.review("mona", verdict("judge", "FAIL"), state="COMMENTED")
        hub.snapshot["reviews"] = world.snapshot()["reviews"]
        woken(tmp_path, hub, "workflow_run", payloads.workflow_run(hub.snapshot, of="pull_request_review"))
        assert states(hub)[OVERALL] == "failure"


@pytest.mark.parametrize("fork", [None, FORK])
def test_check_run__decides_the_pull_request_of_its_commit(tmp_path: Path, fork: str | None) -> None:
    with FakeHub(green(fork)) as hub:
        head = hub.head
        woken(tmp_path, hub, "check_run", payloads.check_run(head, "Bugbot"))
        assert states(hub)[OVERALL] == "success"


def test_signal__of_a_branch_without_a_pull_request_decides_nothing(tmp_path: Path) -> None:
    with FakeHub(green()) as hub:
        payload = payloads.workflow_run(hub.snapshot)
        payload["workflow_run"] |= {"head_branch": "another", "head_sha": "f" * 40}
        step = woken(tmp_path, hub, "workflow_run", payload)
        assert "No pull request is concerned" in step.out.getvalue()
        assert (hub.written, step.outputs["state"]) == ([], "")


def test_signal__what_the_payload_claims_decides_nothing(tmp_path: Path) -> None:
    """The run's name, conclusion and list of pull requests are the author's; only where to look is taken of them."""
    world = World()  # nobody has judged it
    with FakeHub(world.snapshot()) as hub:
        payload = payloads.workflow_run(hub.snapshot, "completed")
        payload["workflow_run"] |= {"conclusion": "success", "name": "phase-gate", "pull_requests": [{"number": 99}]}
        woken(tmp_path, hub, "workflow_run", payload)
        assert states(hub)[OVERALL] == "pending"
