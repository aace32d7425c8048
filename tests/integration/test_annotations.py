"""Annotations in a check run, by the action as it runs: read back from GitHub, they say what the report says."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from phasegate.cli import live
from phasegate.cli.main import main
from phasegate.cli.terminal import GITHUB, NOT_PASSED, PASSED, USAGE
from phasegate.github.client.client import ANNOTATING_SECONDS
from phasegate.github.client.client import Client as GitHub
from phasegate.model.plan import CHECK_NAME
from phasegate.model.problem import Problem, Severity, Where
from phasegate.model.report import Report, State
from phasegate.model.snapshot import Snapshot
from tests.casebook.every import STORIES
from tests.casebook.world import REPOSITORY, World
from tests.fakehub import FakeHub
from tests.fakehub.client import Client
from tests.integration.runs import CONTEXTS, passing, run_program, states
from tests.unit.cli.test_action import Step
from tests.unit.report.oracle import rendering

PLAN, STATE = ".pipeline/12/plan.json", ".pipeline/12/state.json"
POISON = "::error::x ##[error]y @mona [z](https://evil.example)\u202e\r\n::set-output name=state::success"
LEVELS = {"error": "failure", "warning": "warning", "notice": "notice"}
JSON = dict[str, Any]
judged = live._judged

PROBLEMS = (
    Problem(
        code="PG022", severity=Severity.WARNING, message='tier is "T9", and one of T1, T2, T3 is expected',
        where=Where(path=PLAN, line=4, column=11, json_path="$.tier"), hint="Use one of those.",
    ),
    Problem(
        code="PG020", severity=Severity.ERROR, message="steps is missing",
        where=Where(path=STATE, line=1, column=1, json_path="$"), hint="Add steps.",
    ),
    Problem(code="PG303", severity=Severity.ERROR, message=POISON, where=Where(path=PLAN), hint=POISON),
    Problem(code="PG501", severity=Severity.ERROR, message="wrong", where=Where(path="elsewhere.yml"), hint="Mend it."),
)  # fmt: skip


def with_files(world: World) -> JSON:
    world.changes["files"] = {"complete": True, "entries": [{"path": "src/auth.py"}, {"path": PLAN}, {"path": STATE}]}
    return world.snapshot()


@pytest.fixture(autouse=True)
def _problems(monkeypatch: pytest.MonkeyPatch) -> None:
    def faulty(client: GitHub, snapshot: Snapshot) -> Report:
        return replace(judged(client, snapshot), problems=PROBLEMS)

    monkeypatch.setattr(live, "_judged", faulty)


def checks(hub: FakeHub) -> list[JSON]:
    client = Client(hub)
    with client.session:
        path = f"commits/{hub.head}/check-runs"
        found: list[JSON] = client.data(f"{path}?filter=all&check_name={CHECK_NAME}")["check_runs"]
    return found


def notes(hub: FakeHub) -> list[JSON]:
    (check,) = checks(hub)
    client = Client(hub)
    with client.session:
        return [note for page in client.pages(f"check-runs/{check['id']}/annotations") for note in page]


def stepped(folder: Path, hub: FakeHub, code: int = PASSED, **changes: str) -> Step:
    """A step with annotations in a check run, to its end."""
    step = Step(folder, hub, **{"PHASE_GATE_ANNOTATIONS": "check-run", **changes})
    assert step.run() == code
    return step


def test_check_run__says_what_the_report_says(tmp_path: Path) -> None:
    with FakeHub(with_files(passing())) as hub:
        step = stepped(tmp_path, hub, GITHUB_EVENT_NAME="workflow_dispatch", PHASE_GATE_PULL_REQUEST="7")
        found, (check,) = notes(hub), checks(hub)
        assert set(states(hub).values()) == {"success"}
    told = json.loads(Path(step.outputs["report"]).read_text(encoding="utf-8"))["problems"]
    expected = {item["code"]: item for item in told if item["where"]["path"] in (PLAN, STATE)}
    assert [note["title"].split()[0] for note in found] == ["PG303", "PG020", "PG022"]
    for note in found:
        item = expected[note["title"].split()[0]]
        where = item["where"]
        place = (where["path"], where["line"] or 1, where["line"] or 1, where["column"], where["column"])
        assert tuple(note[name] for name in ("path", "start_line", "end_line", "start_column", "end_column")) == place
        assert note["annotation_level"] == LEVELS[item["severity"]]
        if item["message"] != POISON:
            assert note["message"] == f"{item['message']}\nFix: {item['hint']}"
            assert note["raw_details"].endswith(f"JSON path: {where['json_path']}")
    assert (check["conclusion"], check["details_url"]) == ("success", "https://github.com/octo/shop/actions/runs/42")
    assert check["output"]["title"] == "3 problems in 2 files"
    assert "1 problem elsewhere" in check["output"]["summary"]
    assert "  annotations: 3 problems in 2 files: check run written" in step.out.getvalue()


def test_check_run__is_inert_and_shows_nothing_twice(tmp_path: Path) -> None:
    with FakeHub(with_files(passing())) as hub:
        step = stepped(tmp_path, hub)
        found, (check,) = notes(hub), checks(hub)
    # GitHub shows annotations as they are, and the summary as Markdown
    assert not re.search(r"##\[|::(error|set)|\u202e", json.dumps([found, check["output"]], ensure_ascii=False))
    rendered = rendering(check["output"]["summary"])
    assert all(link.startswith("https://github.com/octo/shop/blob/") for link in rendered.links)
    assert "@" not in rendered.loose
    assert not re.search(r"^\s*::|##\[", step.out.getvalue() + step.err.getvalue(), re.MULTILINE)


def test_check_run__a_second_run_writes_nothing(tmp_path: Path) -> None:
    with FakeHub(with_files(passing())) as hub:
        stepped(tmp_path, hub)
        before = len(hub.written)
        step = stepped(tmp_path, hub)
        assert len(hub.written) == before
        assert [check["name"] for check in checks(hub)] == [CHECK_NAME]
    assert "check run is there already" in step.out.getvalue()


@pytest.mark.parametrize(("name", "state", "conclusion"), [
    ("feature-green", "success", "success"),
    ("judge-failed", "failure", "failure"),
    ("stale", "pending", "action_required"),
    ("policy-not-yaml", "error", "failure"),
])  # fmt: skip
def test_check_run__concludes_as_the_gate_does(tmp_path: Path, name: str, state: str, conclusion: str) -> None:
    with FakeHub(with_files(STORIES[name].world())) as hub:
        stepped(tmp_path, hub)
        assert states(hub)["phase-gate"] == state
        assert [check["conclusion"] for check in checks(hub)] == [conclusion]


def test_check_run__comes_after_the_statuses(tmp_path: Path) -> None:
    with FakeHub(with_files(passing())) as hub:
        stepped(tmp_path, hub)
        written = ["check-runs" in each["path"] for each in hub.written]
    assert written == sorted(written)


def test_check_run__of_another_app_does_not_fail_the_step(tmp_path: Path) -> None:
    snapshot = with_files(passing())
    snapshot["checks"] = [{"name": CHECK_NAME, "status": "in_progress", "app_id": 4711}]
    with FakeHub(snapshot) as hub:
        stepped(tmp_path, hub)
        assert [check["conclusion"] for check in checks(hub)] == [None, "success"]
        assert [check["app"]["id"] for check in checks(hub)] == [4711, 15368]


@pytest.mark.parametrize("way", ["action", "command line"])
def test_check_run__has_one_time_of_its_own(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []

    def noted(client: GitHub, seconds: float) -> GitHub:
        given.append(seconds)
        return client

    monkeypatch.setattr(GitHub, "with_time", noted)
    with FakeHub(with_files(passing())) as hub:
        if way == "action":
            stepped(tmp_path, hub)
        else:
            environ = hub.environ
            publish = ["check", "--repo", REPOSITORY, "--pr", "7", "--publish", "--annotations", "check-run"]
            assert main(publish, environ) == PASSED
        assert len(checks(hub)) == 1
    assert given == [ANNOTATING_SECONDS]


@pytest.mark.parametrize("status", [403, 422])
def test_check_run__that_is_refused_fails_the_step_and_leaves_the_statuses(tmp_path: Path, status: int) -> None:
    with FakeHub(with_files(passing())) as hub:
        hub.fail("POST */check-runs", times=None, kind="status", status=status)
        step = stepped(tmp_path, hub, GITHUB)
        assert states(hub) == dict.fromkeys(CONTEXTS, State.SUCCESS.value)
        assert all(each["status"] == 201 for each in hub.written)
    assert step.states == ["success"] * 4
    told = "octo/shop#7: the statuses are written, but the annotations are not: POST /repos/octo/shop/check-runs"
    assert f"phase-gate: {told}" in step.err.getvalue()
    assert "the statuses are written, but the annotations are not" in step.summary
    assert ("need checks: write among the permissions" in step.err.getvalue()) == (status == 403)


@pytest.mark.parametrize(("way", "lines"), [("log", 3), ("none", 0)])
def test_annotations__elsewhere_need_no_check_run(tmp_path: Path, way: str, lines: int) -> None:
    with FakeHub(with_files(passing()), lacking=["checks: write"]) as hub:
        step = stepped(tmp_path, hub, PHASE_GATE_ANNOTATIONS=way)
        assert checks(hub) == []
    assert len(re.findall(r"^::(error|warning|notice) ", step.out.getvalue(), re.MULTILINE)) == lines


def test_dry_run__writes_no_check_run(tmp_path: Path) -> None:
    with FakeHub(with_files(passing())) as hub:
        stepped(tmp_path, hub, PHASE_GATE_DRY_RUN="true")
        assert hub.written == []


def test_program__writes_the_check_run_it_is_told_to() -> None:
    with FakeHub(with_files(STORIES["judge-failed"].world())) as hub:
        ended = run_program(hub, "--publish", "--annotations", "check-run")
        (check,) = checks(hub)
    assert (ended.returncode, ended.stderr) == (NOT_PASSED, "")
    assert (check["status"], check["conclusion"], check["output"]["annotations_count"]) == ("completed", "failure", 1)


def test_program__without_the_permission() -> None:
    with FakeHub(with_files(passing()), lacking=["checks: write"]) as hub:
        ended = run_program(hub, "--publish", "--annotations", "check-run")
        assert set(states(hub).values()) == {"success"}
    assert (ended.returncode, ended.stdout) == (GITHUB, "")
    assert "need checks: write among the permissions" in ended.stderr


@pytest.mark.parametrize("arguments", [["--annotations", "check-run"], ["--publish", "--annotations", "log"]])
def test_program__annotations_without_a_place_are_a_mistake(arguments: list[str]) -> None:
    with FakeHub(with_files(passing())) as hub:
        ended = run_program(hub, *arguments)
        assert hub.requests == []
    assert ended.returncode == USAGE
    assert "--annotations" in ended.stderr
