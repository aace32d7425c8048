"""The workflows: least permissions, bounded time, pinned actions, and a gate job that forgets none of the others."""

from __future__ import annotations

import re
import subprocess
import sys
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


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflow__has_least_permissions_bounded_jobs_pinned_actions_and_plain_scripts(path: Path) -> None:
    text, workflow = path.read_text(encoding="utf-8"), load(path)
    steps = [step for job in workflow["jobs"].values() for step in job.get("steps", [])]
    assert workflow["permissions"] == {}
    granted = re.findall(r"(?m)^\s+[a-z-]+: (?:read|write)\b.*", text)
    assert [line for line in granted if not re.search(r" # \S", line)] == []
    assert [name for name, job in workflow["jobs"].items() if "timeout-minutes" not in job] == []
    used = re.findall(r"(?m)^ +(?:- )?uses: (.*)", text)
    assert used
    assert [action for action in used if not action.startswith("./") and not PINNED.fullmatch(action)] == []
    checkouts = [step for step in steps if step.get("uses", "").startswith("actions/checkout@")]
    assert [step for step in checkouts if step.get("with", {}).get("persist-credentials") is not False] == []
    assert [step["run"] for step in steps if "${{" in step.get("run", "")] == []


@pytest.mark.parametrize("name", ["ci.yml", "selftest.yml"])
def test_gate_job__waits_for_every_other_job(name: str) -> None:
    assert FOLDER / name in WORKFLOWS
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
