"""replay: the same decision again, byte for byte, or what is different."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.cli.shell import BROKEN, COMMAND, FAILED, GREEN, HOSTILE, WAITING, Shell, left_by, written


@pytest.mark.parametrize("snapshot", [GREEN, FAILED, WAITING, BROKEN])
def test_replay__the_same_bytes_whatever_the_decision(shell: Shell, snapshot: Path) -> None:
    done = shell("replay", snapshot, left_by(snapshot))
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Same bytes: sha256:")


def test_replay__markdown_is_the_summary(shell: Shell) -> None:
    done = shell("replay", "--markdown", FAILED, left_by(FAILED))
    assert (done.code, done.out.splitlines()[0]) == (0, "## ❌ Build failed: 1 finding to fix")


def test_replay__json_says_whether_and_what(shell: Shell) -> None:
    done = shell("replay", "--json", FAILED, left_by(FAILED))
    assert (done.data["same"], done.data["state"]) == (True, "failure")
    other = shell("replay", "--json", FAILED, left_by(GREEN))
    assert (other.code, other.data["same"]) == (1, False)


@pytest.mark.parametrize("change", ["\n", " "])
def test_replay__one_byte_more_is_different(shell: Shell, tmp_path: Path, change: str) -> None:
    left = written(tmp_path / "report.json", left_by(GREEN).read_text(encoding="utf-8") + change)
    assert shell("replay", GREEN, left).code == 1


def test_replay__a_changed_report_is_shown_line_by_line(shell: Shell, tmp_path: Path) -> None:
    text = left_by(FAILED).read_text(encoding="utf-8").replace('"state": "failure"', '"state": "success"')
    done = shell("replay", FAILED, written(tmp_path / "report.json", text))
    assert done.code == 1
    assert '- "state": "success"' in done.out
    assert '+ "state": "failure"' in done.out


def test_replay__what_is_decided_from_is_compared_and_not_its_spacing(shell: Shell, tmp_path: Path) -> None:
    snapshot = json.loads(GREEN.read_text(encoding="utf-8"))
    spaced = written(tmp_path / "spaced.json", json.dumps(snapshot, sort_keys=True))
    snapshot["people"][0]["permission"] = "read"
    changed = written(tmp_path / "changed.json", json.dumps(snapshot))
    policy = written(tmp_path / "policy.yml", "version: 1\nagents: {only: true}\n")
    codes = [shell("replay", *words).code for words in ((FAILED,), (spaced, left_by(GREEN)), (changed, left_by(GREEN)))]
    assert codes == [0, 0, 1]
    assert shell("replay", GREEN, left_by(GREEN), "--policy", policy).code == 1


def test_replay__a_hostile_report_gives_the_runner_no_command(shell: Shell, tmp_path: Path) -> None:
    done = shell("replay", GREEN, written(tmp_path / "report.json", HOSTILE * 20))
    assert done.code == 1
    assert not COMMAND.search(done.out)
    assert "\x1b" not in done.out


def test_replay__a_report_that_is_not_there_is_a_mistake_of_the_user(shell: Shell, tmp_path: Path) -> None:
    assert shell("replay", GREEN, tmp_path / "nowhere.json").is_a_mistake_of_the_user("REPORT")
    assert shell("replay", tmp_path / "nowhere.json").is_a_mistake_of_the_user("nowhere.json")
