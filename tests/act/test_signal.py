"""The documented workflows for the mode without pull_request_target, run by act: the signal, then the gate."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.act import payloads
from tests.act.bench import PhaseView
from tests.casebook.every import STORIES
from tests.fakehub import FakeHub

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples" / "workflows"
SIGNAL = (EXAMPLES / "phase-gate-signal.yml").read_text(encoding="utf-8")
GATE = (EXAMPLES / "phase-gate-without-target.yml").read_text(encoding="utf-8")


def test_gate__listens_to_the_signal_and_to_nothing_that_the_author_owns() -> None:
    signal, gate = (yaml.safe_load(text) for text in (SIGNAL, GATE))
    assert gate[True]["workflow_run"] == {"workflows": [signal["name"]], "types": ["requested"]}
    assert not [event for event in gate[True] if event.startswith("pull_request")]
    assert set(signal[True]) == {"pull_request", "pull_request_review"}
    assert signal["permissions"] == gate["permissions"] == {}
    assert [list(step) for job in signal["jobs"].values() for step in job["steps"]] == [["run"]]


@pytest.mark.parametrize("event", ["pull_request", "pull_request_review"])
def test_signal__wakes_the_gate_for_a_fork(bench: PhaseView, event: str) -> None:
    """No runner here sends workflow_run by itself: what the signal's run would send is its payload."""
    folder = bench.repository / ".github" / "workflows"
    (folder / "signal.yml").write_text(SIGNAL, encoding="utf-8")
    (folder / "without-target.yml").write_text(GATE, encoding="utf-8")
    snapshot = STORIES["judge-failed"].world().snapshot()
    head = snapshot["pull_request"]["head"]
    head["repository"] = "stranger/shop"
    with FakeHub(snapshot) as hub:
        told = payloads.pull_request_target(snapshot) | {"action": "submitted" if "review" in event else "synchronize"}
        assert bench.run(hub, event, told, workflow="signal.yml").exit == 0
        assert hub.requests == []
        payload = payloads.workflow_run(snapshot, of=event)
        assert bench.run(hub, "workflow_run", payload, workflow="without-target.yml").exit == 0
        found = hub.latest_statuses(head["sha"])
        assert found["phase-gate: main"]["state"] == "failure"
        assert "phase-gate" not in found
