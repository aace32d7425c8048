"""Whole pull requests: each story's snapshot goes in, and the report that was written down must come out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from phasegate.cli.demo import CASES as SNAPSHOTS
from phasegate.cli.files import parse_snapshot
from phasegate.gate import judge
from phasegate.model.snapshot import Snapshot
from phasegate.report.data import report_text
from phasegate.report.status import status_lines
from phasegate.report.summary.page import summary
from tests.casebook.every import DEMOS, STORIES
from tests.casebook.story import Story

CASES = Path(__file__).parent / "cases"


def written(story: Story) -> dict[str, str]:
    """The files of a case, but for its report."""
    world = story.world()
    files = {
        "story.md": f"# {story.name}\n\n{story.says}\n",
        "snapshot.json": json.dumps(world.snapshot(), indent=1, ensure_ascii=False) + "\n",
    }
    return files if world.policy is None else files | {"policy.yml": world.policy}


def snapshot_of(text: str) -> Snapshot:
    """A snapshot that its schema accepts."""
    snapshot = parse_snapshot(text, "snapshot.json")
    assert isinstance(snapshot, Snapshot), snapshot
    return snapshot


def write_case(path: Path, files: dict[str, str]) -> None:
    """Write the files of a case anew, and the report that its snapshot gives."""
    report = report_text(judge(snapshot_of(files["snapshot.json"])))
    path.mkdir(parents=True, exist_ok=True)
    for name, text in (files | {"expected.json": report}).items():
        (path / name).write_text(text, encoding="utf-8")


def answer_in(folder: Path) -> dict[str, Any]:
    """The state, phases and codes of a report that was written down."""
    expected: dict[str, Any] = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    return {
        "state": expected["state"],
        "phases": {name: phase["state"] for name, phase in expected["phases"].items()},
        "codes": {problem["code"] for problem in expected["problems"]},
        "description": expected["description"],
    }


@pytest.fixture
def folder(request: pytest.FixtureRequest) -> Path:
    """The folder of the case under test; with ``--update-cases`` it is written anew."""
    story: Story = request.getfixturevalue("story")
    path = CASES / story.name
    if request.config.getoption("--update-cases"):
        write_case(path, written(story))
    return path


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_case__is_the_story(story: Story, folder: Path) -> None:
    files = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir() if path.name != "expected.json"}
    assert files == written(story), "run `python3 tests pytest --update-cases` and read the difference"


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_case__gives_the_expected_report(story: Story, folder: Path) -> None:
    del story
    report = report_text(judge(snapshot_of((folder / "snapshot.json").read_text(encoding="utf-8"))))
    assert report == (folder / "expected.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_case__can_be_read_by_a_person(story: Story) -> None:
    report = judge(snapshot_of(written(story)["snapshot.json"]))
    page = summary(report)
    assert all(phase.state.value in page for phase in report.phases)
    assert "**Now:** " in page
    assert all(0 < len(line.description) <= 140 for line in status_lines(report))


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_case__is_answered_as_the_story_says(story: Story, folder: Path) -> None:
    answer = answer_in(folder)
    assert story.because in answer.pop("description")
    assert answer == {"state": story.state, "phases": story.phases, "codes": set(story.codes)}


@pytest.mark.parametrize(("demo", "name"), DEMOS.items(), ids=DEMOS)
def test_demo__is_a_case(demo: str, name: str, pytestconfig: pytest.Config) -> None:
    path = SNAPSHOTS / f"{demo}.json"
    text = written(STORIES[name])["snapshot.json"]
    if pytestconfig.getoption("--update-cases"):
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


def test_demos__are_all_told() -> None:
    assert {path.stem for path in SNAPSHOTS.iterdir()} == set(DEMOS)


def test_cases__have_a_story_each() -> None:
    assert {path.name for path in CASES.iterdir()} - {"attacks"} == set(STORIES)
