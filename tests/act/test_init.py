"""The workflows that init writes, run by act as they are written: the gate, the signal that wakes it, and the sweep."""

from __future__ import annotations

from pathlib import Path

import pytest

from phasegate.cli.main import main
from phasegate.cli.setup import SIGNAL, SWEEP, WORKFLOW
from phasegate.model.snapshot import POLICY
from tests.act import payloads
from tests.act.bench import JSON, PUBLISHED, PhaseView
from tests.casebook.world import World
from tests.fakehub import FakeHub

REVIEWER = "version: 1\nagents: {accounts: [{format: copilot}]}\n"
PHASES = ("phase-gate/plan", "phase-gate/build", "phase-gate/qa", "phase-gate")
BASE = ": main"


def written(bench: PhaseView, folder: Path, *words: str) -> dict[str, str]:
    """Let init write its workflows, and give the bench a copy of each; by path, what it is called there."""
    main(["init", "--dir", str(folder), "--repo", "octo/shop", "--action", PUBLISHED, *words, "--json"], {})
    made = {path: f"init-{'-'.join(words).strip('-')}-{Path(path).name}" for path in (WORKFLOW, SIGNAL, SWEEP)}
    for path, name in made.items():
        if (folder / path).exists():
            (bench.repository / ".github" / "workflows" / name).write_bytes((folder / path).read_bytes())
    return made


def signalled(snapshot: JSON, event: str) -> JSON:
    """What GitHub sends to the gate when the signal of a pull request's branch is requested."""
    told = snapshot["pull_request"]
    owner = {"login": str(told["head"]["repository"]).partition("/")[0], "id": 9, "type": "User"}
    run = {
        "id": 77,
        "name": "Phase Gate signal",
        "event": event,
        "head_branch": told["head"]["ref"],
        "head_sha": told["head"]["sha"],
        "head_repository": {"id": 2, "full_name": told["head"]["repository"], "owner": owner},
        "pull_requests": [],
    }
    return payloads.around("requested", told["author"], workflow_run=run)


def states(hub: FakeHub) -> dict[str, str]:
    """The statuses of the gate on the head."""
    found = hub.latest_statuses()
    return {context: told["state"] for context, told in found.items() if "record" not in context}


@pytest.mark.parametrize("event", ["pull_request", "pull_request_review"])
def test_without_target__the_signal_wakes_the_gate(bench: PhaseView, tmp_path: Path, event: str) -> None:
    names = written(bench, tmp_path, "--without-target")
    world = World()
    world.policy = (tmp_path / POLICY).read_text(encoding="utf-8")
    snapshot = world.snapshot()
    with FakeHub(snapshot) as hub:
        told = payloads.pull_request_target(snapshot) | {"action": "submitted" if "review" in event else "synchronize"}
        assert bench.run(hub, event, told, workflow=names[SIGNAL]).exit == 0
        assert hub.requests == []
        assert bench.run(hub, "workflow_run", signalled(snapshot, event), workflow=names[WORKFLOW]).exit == 0
        assert states(hub) == {f"{phase}{BASE}": "pending" for phase in PHASES}


def test_without_target__the_sweep_decides_what_no_signal_told(bench: PhaseView, tmp_path: Path) -> None:
    names = written(bench, tmp_path, "--without-target")
    with FakeHub(World().snapshot()) as hub:
        assert bench.run(hub, "schedule", {"schedule": "17 * * * *"}, workflow=names[SWEEP]).exit == 0
        assert states(hub) == {f"{phase}{BASE}": "pending" for phase in PHASES}


def test_reviewer__the_signal_wakes_the_gate_beside_the_event(bench: PhaseView, tmp_path: Path) -> None:
    (tmp_path / ".github").mkdir()
    (tmp_path / POLICY).write_text(REVIEWER, encoding="utf-8")
    names = written(bench, tmp_path)
    world = World()
    world.policy = REVIEWER
    snapshot = world.snapshot()
    with FakeHub(snapshot) as hub:
        told = payloads.pull_request_target(snapshot)
        assert bench.run(hub, "pull_request_target", told, workflow=names[WORKFLOW]).exit == 0
        assert states(hub) == dict.fromkeys(PHASES, "pending")
        review = told | {"action": "submitted"}
        assert bench.run(hub, "pull_request_review", review, workflow=names[SIGNAL]).exit == 0
        before = len(hub.requests)
        signal = signalled(snapshot, "pull_request_review")
        assert bench.run(hub, "workflow_run", signal, workflow=names[WORKFLOW]).exit == 0
        assert len(hub.requests) > before
