"""demo: the whole job on a recorded pull request, offline."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.shell import Shell, start


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_demo__shows_the_first_screen_to_a_person(shell: Shell, folder: Path) -> None:
    done = shell("demo")
    assert (done.code, done.err) == (0, "")
    assert "\n✓ Ready to merge\n" in done.out
    assert "\n  ✓ Build  Judge · Inspector\n" in done.out
    assert "Report: phase-gate-report.json" in done.out
    assert (folder / "phase-gate-report.json").is_file()


def test_demo__json_is_the_report_that_it_leaves_and_markdown_the_summary(shell: Shell, folder: Path) -> None:
    done = shell("demo", "--json", "--report", "here.json")
    assert done.out == (folder / "here.json").read_text(encoding="utf-8")
    assert done.data["state"] == "success"
    assert shell("demo", "--markdown").out.startswith("## ✅ Ready to merge\n")


def test_demo__leaves_the_report_elsewhere_where_it_cannot_write(shell: Shell) -> None:
    done = shell("demo", "--report", "missing/report.json")
    assert done.code == 0
    left = Path(done.out.splitlines()[-1].removeprefix("Report: "))
    assert left.is_file()
    assert left.name == "report.json"


def test_demo__an_unknown_case_is_a_mistake_of_the_user(shell: Shell) -> None:
    assert shell("demo", "--case", "nowhere").is_a_mistake_of_the_user("--case", "nowhere", "feature")
    assert shell("demo", "--case", "../demos/feature").is_a_mistake_of_the_user("--case")
    assert shell("demo", "--report", "").code in {0, 2}


def test_demo__runs_from_anywhere_as_a_program(folder: Path) -> None:
    done = start("demo", cwd=folder)
    assert (done.code, done.err) == (0, "")
    assert (folder / "phase-gate-report.json").is_file()
