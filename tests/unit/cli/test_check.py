"""check: decide a saved snapshot; for people, for machines, and by another policy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.casebook.update import SUMMARIES
from tests.casebook.world import World, block, finding
from tests.unit.cli.shell import BROKEN, COMMAND, FAILED, GREEN, HOSTILE, SAVED, WAITING, Shell, left_by, written

SCREEN = """\
✗ Build failed: 1 finding to fix
Next: Doctor: fix J1, push, then ask Judge again

  J1 · HIGH  Expired tokens are accepted, src/auth.py:42
             hint: Compare the expiry with the clock

  ✓ Plan   plan · Auditor · Curator · approved by mona
  ✗ Build  ✗ Judge failed · … Inspector
  · QA     after Build: Sentinel · Lens · human approval

octo/shop#7 at 86f7e43 · Build round 1 of 4
2 rounds · 1 approval (--markdown shows them)
"""


def test_check__shows_the_first_screen_to_a_person(shell: Shell) -> None:
    done = shell("check", "--snapshot", FAILED)
    assert (done.code, done.out, done.err) == (1, SCREEN, "")


def test_check__markdown_is_the_summary(shell: Shell) -> None:
    done = shell("check", "--markdown", "--snapshot", FAILED)
    assert (done.code, done.err) == (1, "")
    assert done.out == (SUMMARIES / "failing.md").read_text(encoding="utf-8") + "\n"


@pytest.mark.parametrize(
    ("snapshot", "state", "code"),
    [(GREEN, "success", 0), (FAILED, "failure", 1), (WAITING, "pending", 1), (BROKEN, "error", 2)],
)
def test_check__json_is_the_whole_report(shell: Shell, snapshot: Path, state: str, code: int) -> None:
    done = shell("check", "--json", "--snapshot", snapshot)
    assert (done.code, done.data["state"]) == (code, state)
    assert done.out == left_by(snapshot).read_text(encoding="utf-8")
    assert all({"state", "description"} <= set(phase) for phase in done.data["phases"].values())
    assert all({"code", "severity", "message", "where", "hint"} <= set(item) for item in done.data["problems"])
    assert all({"disposition", "reason"} <= set(item) for item in done.data["signals"])


def test_check__leaves_the_report_where_it_is_told_to(shell: Shell, tmp_path: Path) -> None:
    left = tmp_path / "report.json"
    assert shell("check", "--snapshot", GREEN, "--report", left).code == 0
    assert left.read_bytes() == left_by(GREEN).read_bytes()


@pytest.mark.parametrize("name", ["", "missing/report.json"])
def test_check__a_report_that_cannot_be_written_is_a_mistake(shell: Shell, tmp_path: Path, name: str) -> None:
    done = shell("check", "--json", "--snapshot", GREEN, "--report", tmp_path / name)
    assert done.is_a_mistake_of_the_user("--report", str(tmp_path))


@pytest.mark.parametrize(("text", "code"), [("agents: {only: true}", 1), ("agent: {}", 2)])
def test_check__by_another_policy(shell: Shell, tmp_path: Path, text: str, code: int) -> None:
    policy = written(tmp_path / "policy.yml", f"version: 1\n{text}\n")
    done = shell("check", "--json", "--snapshot", GREEN, "--policy", policy)
    assert (done.code, done.data["state"] == "error") == (code, code == 2)
    if code == 1:
        assert done.data["provenance"]["policy_source"] == str(policy)
    else:
        where = {"url": None, "path": str(policy), "line": 2, "column": 1, "json_path": "$.agent"}
        assert done.data["problems"][0]["where"] == where


@pytest.mark.parametrize(("content", "said"), [
    (b"", "empty"),
    (b"{", "PG001"),
    (b"[]", "PG021"),
    (b"{}", "PG020"),
    (b'{"snapshot": 2}', "snapshot"),
    (b'{"snapshot": 1, "snapshot": 1}', "PG002"),
    (b"\xef\xbb\xbf{}", "PG005"),
    (b"\xff\xfe{\x00", "not UTF-8"),
    (b"[" * 5000, "PG004"),
    (b"NaN", "PG003"),
])  # fmt: skip
def test_check__a_file_that_is_no_snapshot_is_a_mistake(
    shell: Shell, tmp_path: Path, content: bytes, said: str
) -> None:
    file = tmp_path / "snapshot.json"
    file.write_bytes(content)
    assert shell("check", "--snapshot", file).is_a_mistake_of_the_user("--snapshot", "snapshot.json", said)


def test_check__a_snapshot_with_a_key_of_its_own_is_refused(shell: Shell, tmp_path: Path) -> None:
    snapshot = written(tmp_path / "s.json", json.dumps({**World().snapshot(), "verdict": "success"}))
    assert shell("check", "--snapshot", snapshot).is_a_mistake_of_the_user("verdict")


@pytest.mark.parametrize("path", [SAVED, SAVED / "nowhere.json", "with\nline break.json", "nul\x00.json"])
def test_check__a_path_that_is_no_file_is_a_mistake_of_the_user(shell: Shell, path: Path | str) -> None:
    assert shell("check", "--snapshot", path).is_a_mistake_of_the_user("--snapshot")


def test_check__hostile_text_reaches_neither_runner_nor_terminal(shell: Shell, tmp_path: Path) -> None:
    world = World().planned()
    hostile = finding("J1", summary=HOSTILE[:300], location=HOSTILE[:100], root_cause=HOSTILE[:60], fix_hint="::x::")
    data = {"verdict": "FAIL", "issues": [hostile], "must_fix": ["J1"]}
    world.say("ana", f"## jkz:judge\n\n{HOSTILE}\n\n{block(data)}")
    world.say("eve", f"## jkz:judge\n\n{HOSTILE}\n")
    world.issue(13, HOSTILE)
    world.say("mona", f"/gate override build: {HOSTILE}")
    file = written(tmp_path / "snapshot.json", json.dumps(world.snapshot()))
    shell.harmless(1, "check", "--snapshot", file)
    assert not COMMAND.search(shell("check", "--markdown", "--snapshot", file).out)


def test_check__writes_the_findings_that_count_as_sarif(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "findings.sarif"
    assert shell("check", "--snapshot", FAILED, "--sarif", file).code == 1
    (told,) = json.loads(file.read_text(encoding="utf-8"))["runs"]
    (result,) = told["results"]
    assert (result["ruleId"], result["level"]) == ("J1 HIGH", "error")
    assert result["message"]["text"] == "Expired tokens are accepted. Fix: Compare the expiry with the clock"
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]) == ("src/auth.py", {"startLine": 42})
    assert [rule["id"] for rule in told["tool"]["driver"]["rules"]] == ["J1 HIGH"]
    shell("check", "--snapshot", GREEN, "--sarif", file)
    assert json.loads(file.read_text(encoding="utf-8"))["runs"][0]["results"] == []
