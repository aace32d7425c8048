"""The workflows: least permissions, bounded time, pinned actions, and a gate job that forgets none of the others."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.casebook.every import STORIES

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".github" / "workflows"
WORKFLOWS = sorted(FOLDER.glob("*.y*ml"))
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+){0,2}")


def load(path: Path) -> dict[str, Any]:
    """A workflow as data."""
    return dict(yaml.safe_load(path.read_text(encoding="utf-8")))


def steps(path: Path) -> Iterator[dict[str, Any]]:
    """All steps of all jobs."""
    for job in load(path)["jobs"].values():
        yield from job.get("steps", [])


def test_workflows__exist() -> None:
    assert FOLDER / "ci.yml" in WORKFLOWS


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflow__starts_without_permissions(path: Path) -> None:
    assert load(path)["permissions"] == {}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflow__explains_each_permission(path: Path) -> None:
    for line in path.read_text(encoding="utf-8").splitlines():
        if re.match(r"\s+[a-z-]+: (read|write)\b", line):
            assert re.search(r" # \S", line), line


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflow__bounds_every_job_in_time(path: Path) -> None:
    assert [name for name, job in load(path)["jobs"].items() if "timeout-minutes" not in job] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflow__pins_every_action_by_commit_with_its_version(path: Path) -> None:
    used = re.findall(r"^ +(?:- )?uses: (.*)", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert used
    assert [action for action in used if not action.startswith("./") and not PINNED.fullmatch(action)] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflow__checks_out_without_keeping_the_token(path: Path) -> None:
    checkouts = [step for step in steps(path) if step.get("uses", "").startswith("actions/checkout@")]
    assert [step for step in checkouts if step.get("with", {}).get("persist-credentials") is not False] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflow__puts_no_expression_into_a_script(path: Path) -> None:
    assert [step["run"] for step in steps(path) if "${{" in step.get("run", "")] == []


@pytest.mark.parametrize("name", ["ci.yml", "selftest.yml"])
def test_gate_job__waits_for_every_other_job(name: str) -> None:
    jobs = load(FOLDER / name)["jobs"]
    assert set(jobs["gate"]["needs"]) == set(jobs) - {"gate"}
    assert jobs["gate"]["if"] == "always()"


def test_selftest__expects_of_each_case_what_its_story_says() -> None:
    cases = load(FOLDER / "selftest.yml")["jobs"]["decides"]["strategy"]["matrix"]["include"]
    for case in cases:
        story = STORIES[case["case"]]
        assert (story.state, story.phases["build"], story.phases["qa"]) == (case["state"], case["build"], case["qa"])


def test_selftest__gets_a_snapshot_without_any_package() -> None:
    program = [sys.executable, "-S", "-m", "tests.casebook"]
    done = subprocess.run([*program, "feature-green"], cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == STORIES["feature-green"].snapshot_text()
    wrong = subprocess.run([*program, "nobody"], cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert (wrong.returncode, wrong.stdout) == (2, "")


def test_release__is_compiled_for_every_python_that_is_tested() -> None:
    tested = load(FOLDER / "ci.yml")["jobs"]["tests"]["strategy"]["matrix"]["python"]
    steps_of_build = load(FOLDER / "release.yml")["jobs"]["build"]["steps"]
    (installed,) = (step["with"]["python-version"] for step in steps_of_build if "setup-python" in step.get("uses", ""))
    assert installed.split() == tested
    assert [step for step in steps_of_build if f'pythons="{" ".join(tested)}"' in step.get("run", "")]


def test_release__only_jobs_that_run_nothing_of_ours_can_write() -> None:
    jobs = load(FOLDER / "release.yml")["jobs"]
    writing = [name for name, job in jobs.items() if "write" in job["permissions"].values()]
    assert writing == ["publish", "package"]
    steps = [step for name in writing for step in jobs[name]["steps"]]
    assert not [step for step in steps if "python" in step.get("run", "").replace("by python3", "")]
    assert jobs["package"]["environment"] == "package-index"


@pytest.mark.parametrize("path", [FOLDER / "release.yml", ROOT / ".github" / "CONTRIBUTING.md", ROOT / "README.md"])
def test_release__says_how_its_tag_is_verified(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "gh release verify " in text
    assert path.name == "README.md" or ("gh release verify-asset " in text and "immutability" in text)
