"""A head that no run reported on: said by the next run of another event, and never where it may be otherwise."""

from __future__ import annotations

import datetime as dt
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from phasegate.cli.terminal import PASSED
from tests.act import payloads
from tests.casebook.world import PEOPLE, commit
from tests.fakehub import FakeHub
from tests.integration.runs import OVERALL, passing, states
from tests.integration.test_sweep import Swept
from tests.unit.cli.test_action import Step

JSON = dict[str, Any]
FILE = ".github/workflows/phase-gate.yml"
WORKFLOW = {"GITHUB_WORKFLOW_REF": f"octo/shop/{FILE}@refs/heads/main", "GITHUB_RETENTION_DAYS": "90"}
OTHER = "octo/shop/.github/workflows/other.yml@refs/heads/main"
MINUTE, DAY = 60.0, 86400.0
# What the default branch was before the workflow came to it.
WITHOUT = {commit("before the gate"): {"files": [{"path": FILE, "status": "removed"}]}}


def seconds(at: str) -> float:
    return dt.datetime.fromisoformat(at.replace("Z", "+00:00")).timestamp()


def silent(age: float = 20 * MINUTE, **extras: Any) -> FakeHub:  # noqa: ANN401  (as the hub has them)
    """A pull request that was opened some time ago, in a repository whose workflow has long been there."""
    hub = FakeHub(passing().snapshot(), **{"tree": {FILE: "on: push\n"}, **extras})
    hub.date = seconds(hub.snapshot["pull_request"]["created_at"]) + age
    return hub


def run(folder: Path, hub: FakeHub, event: str = "issue_comment", **changes: str) -> Step:
    own = Path(tempfile.mkdtemp(dir=folder))
    payload = {
        "issue_comment": {"issue": {"number": 7, "pull_request": {"url": "u"}}},
        "issues": {"issue": {"number": 12}},
        "workflow_run": payloads.workflow_run(hub.snapshot),
        "workflow_dispatch": {},
        "pull_request_target": payloads.pull_request_target(hub.snapshot),
    }[event]
    step = Step(own, hub, payload, GITHUB_EVENT_NAME=event, **{**WORKFLOW, **changes})
    assert step.run() == PASSED, step.err.getvalue()
    return step


def says(step: Step) -> bool:
    """Whether it is said: everywhere or nowhere."""
    report = json.loads(Path(step.outputs["report"]).read_text(encoding="utf-8"))
    found = {
        "PG416" in step.out.getvalue(),
        "PG416" in step.summary,
        "PG416" in [each["code"] for each in report["problems"]],
    }
    assert len(found) == 1, found
    return found.pop()


@pytest.mark.parametrize("event", ["issue_comment", "issues", "workflow_run", "workflow_dispatch"])
def test_head__without_a_status_is_said_and_decides_nothing(tmp_path: Path, event: str) -> None:
    number = {"PHASE_GATE_PULL_REQUEST": "7"} if event == "workflow_dispatch" else {}
    with silent() as hub:
        step = run(tmp_path, hub, event, **number)
        assert says(step)
        assert states(hub)[OVERALL] == "success", "it is no reason for red, nor for green"
        assert "is pull_request_target allowed?" in step.out.getvalue()
        assert "Settings, Actions, Policies" in step.out.getvalue()
        assert not says(run(tmp_path, hub, event, **number)), "this run has reported"


def test_head__without_a_status_is_said_by_the_sweep(tmp_path: Path) -> None:
    with silent() as hub:
        step = Swept(tmp_path, hub, **WORKFLOW)
        assert step.run() == PASSED
        assert says(step)
        again = Swept(tmp_path, hub, **WORKFLOW)
        assert again.run() == PASSED
        assert "PG416" not in again.out.getvalue() + again.summary


def test_head__in_the_mode_without_the_event_asks_for_the_signal(tmp_path: Path) -> None:
    with silent() as hub:
        step = run(tmp_path, hub, PHASE_GATE_BASE_IN_CONTEXT="true")
        assert "did the signal workflow run?" in step.out.getvalue()


def test_head__whose_report_began_late_in_that_mode_is_not_said_by_the_report_itself(tmp_path: Path) -> None:
    with silent() as hub:
        assert not says(run(tmp_path, hub, "workflow_run", PHASE_GATE_BASE_IN_CONTEXT="true"))


def test_head__with_a_status_of_somebody_else_is_said(tmp_path: Path) -> None:
    with silent() as hub:
        reported(hub)
        (status,) = hub.state.statuses[hub.head]
        status["creator"] = PEOPLE["octo-dev"]
        assert says(run(tmp_path, hub))


def test_head__that_a_replay_decides_is_said_again(tmp_path: Path) -> None:
    with silent() as hub:
        step = run(tmp_path, hub, PHASE_GATE_SAVE_SNAPSHOT="true")
    assert json.loads(Path(step.outputs["snapshot"]).read_text(encoding="utf-8"))["unreported"].endswith("Z")


def installed(hub: FakeHub, after: float) -> None:
    """The workflow came to the default branch so long after the pull request was opened."""
    at = dt.datetime.fromtimestamp(seconds(hub.snapshot["pull_request"]["created_at"]) + after, dt.timezone.utc)
    move = {"before": commit("before the gate"), "after": commit("base"), "kind": "push", "actor": PEOPLE["mona"]}
    hub.state.base_moves.append({**move, "at": at.strftime("%Y-%m-%dT%H:%M:%SZ")})


def reported(hub: FakeHub) -> None:
    hub.add_status("phase-gate/plan", "pending", at=hub.snapshot["taken_at"])


def unlogged(hub: FakeHub) -> None:
    """Nobody can tell when it was pushed."""
    hub.snapshot["ref_log"] = {"source": "none", "complete": False, "moves": []}


def closed(hub: FakeHub) -> None:
    hub.snapshot["pull_request"] |= {"state": "closed"}


QUIET: dict[str, tuple[float, Callable[[FakeHub], None] | None, dict[str, str]]] = {
    "young": (9 * MINUTE, None, {}),
    "from the future": (-5 * MINUTE, None, {}),
    "older than the retention": (91 * DAY, None, {}),
    "older than a day, retention not told": (2 * DAY, None, {"GITHUB_RETENTION_DAYS": ""}),
    "older than a day, retention is nonsense": (2 * DAY, None, {"GITHUB_RETENTION_DAYS": "forever"}),
    "first run after installation": (20 * MINUTE, lambda hub: installed(hub, MINUTE), {}),
    "has a status": (20 * MINUTE, reported, {}),
    "pushed at an unknown time": (20 * MINUTE, unlogged, {}),
    "closed": (20 * MINUTE, closed, {}),
    "workflow not told": (20 * MINUTE, None, {"GITHUB_WORKFLOW_REF": ""}),
    "workflow of another repository": (20 * MINUTE, None, {"GITHUB_WORKFLOW_REF": f"evil/shop/{FILE}@main"}),
    "workflow not on the default branch": (20 * MINUTE, None, {"GITHUB_WORKFLOW_REF": OTHER}),
}


@pytest.mark.parametrize("name", QUIET)
def test_head__of_which_it_is_not_sure_is_not_said(tmp_path: Path, name: str) -> None:
    age, happens, changes = QUIET[name]
    with silent(age, commits=WITHOUT) as hub:
        if happens is not None:
            happens(hub)
        assert not says(run(tmp_path, hub, **changes))


def test_head__in_the_run_of_its_own_event_is_not_said(tmp_path: Path) -> None:
    with silent() as hub:
        before = len(hub.requests)
        assert not says(run(tmp_path, hub, "pull_request_target"))
        assert not [each for each in hub.requests[before:] if "activity?ref=refs%2Fheads%2Fmain" in each.target]


@pytest.mark.parametrize("age", [11 * MINUTE, 89 * DAY])
def test_head__between_ten_minutes_and_the_retention_is_said(tmp_path: Path, age: float) -> None:
    with silent(age) as hub:
        assert says(run(tmp_path, hub))


def test_head__that_came_after_the_installation_is_said(tmp_path: Path) -> None:
    with silent(commits=WITHOUT) as hub:
        installed(hub, -MINUTE)
        assert says(run(tmp_path, hub))


def test_clock__of_the_runner_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The runner's clock is a year ahead: GitHub's own tells that the head is young."""
    monkeypatch.setattr("phasegate.cli.live.utc_now", lambda: "2031-01-01T00:00:00Z")
    with silent(MINUTE) as hub:
        assert not says(run(tmp_path, hub))
    with silent() as hub:
        assert says(run(tmp_path, hub))


def test_log__of_the_default_branch_that_cannot_be_read_is_no_reason_to_fail(tmp_path: Path) -> None:
    with silent() as hub:
        hub.fail("GET */activity?*main*", times=None, kind="status", status=400)
        assert not says(run(tmp_path, hub))
        assert states(hub)[OVERALL] == "success"
