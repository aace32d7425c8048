"""lint: the pipeline's artifacts by their names, alone and by folder; bad files; and the hook of pre-commit."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.unit.cli.shell import COMMAND, HOSTILE, ROOT, Shell, written

EXAMPLES = ROOT / "tests" / "examples" / "pipeline"
COMPLETE = EXAMPLES / "valid" / "complete" / "42"


@pytest.fixture
def issue(tmp_path: Path) -> Path:
    return Path(shutil.copytree(COMPLETE, tmp_path / ".pipeline" / "42"))


def changed(file: Path, **keys: Any) -> None:  # noqa: ANN401  (keys of an artifact)
    data = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**data, **keys}, indent=2), encoding="utf-8")


def test_lint__a_folder_is_checked_as_a_whole(shell: Shell, issue: Path) -> None:
    assert shell("lint", issue).out == "6 checked, 5 signals: no problems\n"
    (issue / "test-result.json").unlink()
    assert "PG790" in shell("lint", issue).out


def test_lint__a_folder_of_folders_too(shell: Shell, issue: Path) -> None:
    other = Path(shutil.copytree(issue, issue.parent / "43"))
    for name in ("state.yaml", "plan.json"):
        (other / name).unlink()
    done = shell("lint", "--json", issue.parent)
    assert [problem["where"]["path"] for problem in done.data["problems"]] == [str(other / "worker-result.json")]
    assert len(done.data["files"]) == 10


def test_lint__a_single_artifact_is_checked_by_itself(shell: Shell, issue: Path) -> None:
    (issue / "plan.json").unlink()
    assert shell("lint", issue / "plan.json").is_a_mistake_of_the_user("PATH", "plan.json", "No such file")
    assert shell("lint", issue / "worker-result.json").out == "1 checked, 1 signal: no problems\n"
    changed(issue / "worker-result.json", blockers=["x"])
    assert "PG730" in shell("lint", issue / "worker-result.json").out


def test_lint__whole_folder_takes_each_folder_once(shell: Shell, issue: Path) -> None:
    (issue / "plan.json").unlink()
    done = shell("lint", "--whole-folder", issue / "worker-result.json", issue / "test-result.json")
    assert done.out.count("PG790") == 1
    assert done.code == 1


def test_lint__results_are_grouped_by_file(shell: Shell, issue: Path) -> None:
    changed(issue / "worker-result.json", blockers=["x"], files_changed=["x.py"])
    changed(issue / "review-result.json", concerns=["x"], own_key=1)
    done = shell("lint", "--json", issue)
    names = [Path(problem["where"]["path"]).name for problem in done.data["problems"]]
    assert names == sorted(names, key=["plan.json", "worker-result.json", "review-result.json"].index)
    files = {Path(file["path"]).name: file for file in done.data["files"]}
    assert files["review-result.json"] == {
        "path": str(issue / "review-result.json"), "ok": True, "outcome": "PASS", "problems": ["PG742", "PG701"],
    }  # fmt: skip
    assert files["worker-result.json"]["ok"] is False
    assert files["state.yaml"]["outcome"] is None


def test_lint__the_policy_changes_severities(shell: Shell, issue: Path, tmp_path: Path) -> None:
    policy = written(tmp_path / "policy.yml", "version: 1\nrules: {PG701: error}\n")
    changed(issue / "plan.json", own_key=1)
    codes = [shell("lint", *words).code for words in ([issue], ["--policy", policy, issue], [issue / "plan.json"])]
    assert codes == [0, 1, 0]
    assert shell("lint", "--policy", policy, issue / "plan.json").code == 1


def test_lint__a_stray_file_is_told_and_the_pipelines_others_are_not(shell: Shell, issue: Path) -> None:
    for file in issue.iterdir():
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))  # as Windows has them
    for name in ("pipeline-trace.json", "lessons.yaml", "notes.txt"):
        written(issue / name, "{}")
    assert shell("lint", issue).out.endswith("no problems\n")
    written(issue / "test_result.json", "{}")
    done = shell("lint", issue)
    assert (done.code, "did you mean test-result.json?" in done.out) == (0, True)
    written(issue / "comment.md", "## jkz:judge\n")
    assert "PG102" in shell("lint", issue).out


@pytest.mark.parametrize(("data", "place", "code"), [
    (b'{"affected_files": ["a', "1:21", "PG001"),
    (b"\xef\xbb\xbf{}", "1:1", "PG005"),
    (b'{\n  "a": "\xe9"\n}', "2:9", "PG704"),
    (b"\xff\xfe{\x00}\x00", "1:1", "PG704"),
    (b"\x00" * 100, "1:1", "PG005"),
    (b"[" * 10_000 + b"]" * 10_000, "1:33", "PG004"),
    (b'{"a": "' + b"x" * 10_485_760 + b'"}', None, "PG704"),
    (b'{"a": "' + b"x" * 2_000_000 + b'"}', "1:1", "PG004"),
    (b"", "1:1", "PG001"),
    (b"[]", "1:1", "PG021"),
    (b'{"steps": [], "steps": []}', "1:15", "PG002"),
    (b'{"a": 1e999}', "1:7", "PG003"),
    (b"#!/bin/sh\necho ::error::\n", "1:1", "PG001"),
])  # fmt: skip
def test_lint__bad_bytes_are_answered_with_place_and_fix(
    shell: Shell, issue: Path, data: bytes, place: str | None, code: str
) -> None:
    file = issue / "plan.json"
    file.write_bytes(data)
    for path in (file, issue):
        done = shell("lint", path)
        assert done.code == 1
        assert f"error[{code}]: " in done.out
        assert f"--> {file}{f':{place}' if place else ''}\n" in done.out
        assert "^ " in done.out or "= fix: " in done.out
        assert (done.err, COMMAND.search(done.out)) == ("", None)


def test_lint__one_bad_artifact_hides_no_other(shell: Shell, issue: Path) -> None:
    (issue / "plan.json").write_bytes(b"\xff")
    (issue / "state.yaml").write_text("a: [", encoding="utf-8")
    changed(issue / "review-result.json", blockers=["x"])
    out = shell("lint", issue).out
    assert all(code in out for code in ("PG704", "PG730", "PG010"))


def test_lint__a_link_is_refused_by_name(shell: Shell, issue: Path, tmp_path: Path) -> None:
    outside = written(tmp_path / "secret.json", '{"verdict": "secret"}')
    (issue / "test-result.json").unlink()
    (issue / "test-result.json").symlink_to(outside)
    for path in (issue, issue / "test-result.json"):
        done = shell("lint", path)
        assert (done.code, "PG704" in done.out, "secret" in done.out) == (1, True, False)


@pytest.mark.parametrize(("make", "said"), [
    (lambda path: path.symlink_to("nowhere.json"), "PG704"),
    (lambda path: path.symlink_to("/dev/zero"), "PG704"),
    (lambda path: path.symlink_to("test-result.json"), "PG704"),
    (Path.mkdir, "not a regular file"),
    (os.mkfifo, "not a regular file"),
], ids=["link to nowhere", "link to a device", "link to itself", "folder", "pipe"])  # fmt: skip
def test_lint__what_is_no_file_is_no_crash(
    shell: Shell, issue: Path, make: Callable[[Path], object], said: str
) -> None:
    (issue / "test-result.json").unlink()
    make(issue / "test-result.json")
    assert said in shell("lint", issue).out


def test_lint__the_folder_of_somebody_elses_issue_is_told(shell: Shell, issue: Path) -> None:
    other = issue.rename(issue.parent / "7")
    out = shell("lint", other).out
    assert "PG780" in out
    assert "PG782" in out


def test_lint__hostile_text_in_an_artifact_reaches_neither_runner_nor_terminal(shell: Shell, issue: Path) -> None:
    changed(issue / "plan.json", affected_files=[HOSTILE], **{HOSTILE: 1}, tier_used=HOSTILE)
    changed(issue / "worker-result.json", files_changed=[HOSTILE], produced_by=HOSTILE)
    shell.harmless(1, "lint", issue)


def hook(name: str = "phase-gate-artifacts") -> dict[str, Any]:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    (found,) = [each for each in hooks if each["id"] == name]
    return dict(found)


def test_hook__starts_the_command_that_is_installed(shell: Shell, issue: Path) -> None:
    program, *arguments = hook()["entry"].split()
    assert (hook()["language"], program) == ("python", "phase-gate")
    arguments += [str(issue / "plan.json"), str(issue / "test-result.json")]
    assert shell(*arguments).code == 0
    (issue / "worker-result.json").unlink()
    done = shell(*arguments)
    assert (done.code, "PG790" in done.out) == (1, True)


@pytest.mark.parametrize("name", [*(path.name for path in COMPLETE.iterdir()), "test-result-pass.json"])
def test_hook__looks_at_every_artifact(name: str) -> None:
    assert re.search(hook()["files"], f".pipeline/42/{name}")
    assert not re.search(hook()["files"], f"src/42/{name}")
    assert not re.search(hook()["files"], f".pipeline/42/{name}.bak")


def test_hook__looks_at_the_policy(shell: Shell, tmp_path: Path) -> None:
    policy = hook("phase-gate-policy")
    assert policy["entry"] == "phase-gate lint"
    assert re.search(policy["files"], ".github/phase-gate.yml")
    assert not re.search(policy["files"], ".github/workflows/phase-gate.yml")
    assert shell("lint", written(tmp_path / "phase-gate.yml", "version: 1\nprofil: jkz\n")).code == 1
