"""stage: the pipeline's stage gate, in place of the original checker; and its comparison with git."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from phasegate.cli.stage import changes_since
from phasegate.cli.terminal import UsageError
from tests.unit.cli.shell import COMMAND, HOSTILE, Done, Shell, start
from tests.unit.dialects.pipeline.issue_folder import laid_out

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "pipeline"
COMPLETE = EXAMPLES / "valid" / "complete"
CART, TESTS = "src/shop/cart.py", "tests/test_cart.py"
QUIET = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": "octo" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    done = subprocess.run(command, env={**os.environ, **QUIET}, check=True, capture_output=True)
    return done.stdout.decode().strip()


def written(folder: Path, *names: str) -> None:
    for name in names:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{name} {len(list(folder.rglob('*')))}\n", encoding="utf-8")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A repository with a commit, the pipeline's folder and the planned changes, not committed."""
    if shutil.which("git") is None:
        pytest.skip("there is no git here")
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    written(tmp_path, CART, "README.md")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message=first")
    shutil.copytree(COMPLETE, tmp_path / ".pipeline")
    written(tmp_path, CART, TESTS)
    return tmp_path


def environ() -> dict[str, str]:
    return {"PATH": os.environ["PATH"]}


def staged(shell: Shell, folder: Path, stage: str, *more: str | Path) -> Done:
    """What the gate of a stage of issue 42 says."""
    return shell("stage", "--dir", folder, "--issue", "42", "--stage", stage, *more, environ=environ())


@pytest.mark.parametrize("stage", ["plan", "implement", "test", "review", "git"])
def test_stage__a_done_one_is_exit_code_zero(shell: Shell, stage: str) -> None:
    done = staged(shell, COMPLETE, stage)
    assert (done.code, done.err) == (0, "")
    assert done.out in {f"42 {stage}: COMPLETE; no problems\n", f"42 {stage}: PASS; no problems\n"}


def test_stage__warnings_are_exit_code_zero(shell: Shell, tmp_path: Path) -> None:
    folder = laid_out(EXAMPLES / "invalid" / "PG742-pass-with-concern")
    done = staged(shell, folder, "review")
    assert (done.code, "warning PG742" in done.out) == (0, True)
    assert done.out.endswith("42 review: PASS; 1 warning\n")
    policy = tmp_path / "policy.yml"
    for severity, code in (("error", 1), ("'off'", 0)):
        policy.write_text(f"version: 1\nrules: {{PG742: {severity}}}\n", encoding="utf-8")
        done = staged(shell, folder, "review", "--policy", policy)
        assert (done.code, done.out == "42 review: PASS; no problems\n") == (code, code == 0)


def test_stage__errors_are_exit_code_one(shell: Shell) -> None:
    folder = laid_out(EXAMPLES / "invalid" / "PG730-pass-with-failed-check")
    done = staged(shell, folder, "test")
    assert done.code == 1
    assert f"{folder / '42' / 'test-result.json'}:9:17: error PG730" in done.out


def test_stage__an_honest_fail_is_exit_code_zero_for_its_own_stage_alone(shell: Shell) -> None:
    arguments = ("stage", "--dir", EXAMPLES / "valid" / "test-failed", "--issue", "42", "--stage")
    assert shell(*arguments, "test").out == "42 test: FAIL; no problems\n"
    assert shell(*arguments, "review").code == 1


def test_stage__the_original_checkers_option_is_known(shell: Shell) -> None:
    assert shell("stage", "--pipeline-dir", COMPLETE, "--issue", "42", "--stage", "git").code == 0


def test_stage__json_has_outcome_and_problems(shell: Shell) -> None:
    folder = laid_out(EXAMPLES / "invalid" / "PG791-review-of-failed-test")
    done = shell("stage", "--json", "--dir", folder, "--issue", "42", "--stage", "review")
    assert done.code == 1
    assert (done.data["ok"], done.data["issue"], done.data["stage"]) == (False, "42", "review")
    assert done.data["outcome"] == "PASS"
    (problem,) = done.data["problems"]
    assert (problem["code"], problem["where"]["line"], problem["where"]["json_path"]) == ("PG791", 2, "$.verdict")


def test_stage__trivial_work_needs_no_plan(shell: Shell, tmp_path: Path) -> None:
    shutil.copytree(COMPLETE / "42", tmp_path / "42")
    for name in ("plan.json", "state.yaml"):
        (tmp_path / "42" / name).unlink()
    arguments = ("stage", "--dir", tmp_path, "--issue", "42", "--stage", "git")
    done = shell(*arguments)
    assert (done.code, "PG792" in done.out, "--complexity trivial" in done.out) == (1, True, True)
    assert shell(*arguments, "--complexity", "trivial").code == 0


@pytest.mark.parametrize("arguments", [
    ["--issue", "42"],
    ["--stage", "plan"],
    ["--issue", "42", "--stage", "triage"],
    ["--issue", "42", "--stage", "debug"],
    ["--issue", "42", "--stage", "plan", "--complexity", "hard"],
])  # fmt: skip
def test_stage__wrong_use_is_exit_code_two(shell: Shell, arguments: list[str]) -> None:
    assert shell("stage", *arguments).code == 2


def test_stage__a_missing_folder_is_exit_code_two(shell: Shell, tmp_path: Path) -> None:
    done = shell("stage", "--dir", tmp_path, "--issue", "7", "--stage", "plan")
    assert done.is_a_mistake_of_the_user("--issue 7", "there is no folder")


@pytest.mark.parametrize("issue", ["..", "../42", "/etc", "", "a/b", "-x", "42\n", "a" * 101, "\uff14\uff12", HOSTILE])
def test_stage__an_id_is_no_way_out_of_the_folder(shell: Shell, tmp_path: Path, issue: str) -> None:
    done = shell("stage", f"--issue={issue}", "--stage=plan", f"--dir={tmp_path}")
    assert done.is_a_mistake_of_the_user("--issue")


def test_stage__a_folder_that_is_a_link_is_refused(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "43").symlink_to(COMPLETE / "42")
    done = shell("stage", "--dir", tmp_path, "--issue", "43", "--stage", "plan")
    assert (done.code, "PG704" in done.out) == (1, True)


def test_stage__by_the_real_entry() -> None:
    done = start("stage", "--json", "--dir", COMPLETE, "--issue", "42", "--stage", "git")
    assert (done.code, done.err, done.data["ok"]) == (0, "", True)


def test_git__the_planned_changes_pass(shell: Shell, work: Path) -> None:
    done = staged(shell, work / ".pipeline", "implement", "--git")
    assert (done.code, done.out) == (0, "42 implement: COMPLETE; no problems\n")


def test_git__what_nobody_planned_is_an_error(shell: Shell, work: Path) -> None:
    written(work, "README.md", "new file.txt")
    done = staged(shell, work / ".pipeline", "implement", "--git")
    assert done.code == 1
    assert '"README.md" is outside of the plan' in done.out
    assert '"new file.txt" is outside of the plan' in done.out


def test_git__what_was_planned_and_not_changed_is_a_warning(shell: Shell, work: Path) -> None:
    (work / TESTS).unlink()
    done = staged(shell, work / ".pipeline", "implement", "--git")
    assert f'warning PG721 "{TESTS}" is planned' in done.out
    assert "error PG722" in done.out


def test_git__a_commit_hides_nothing_from_a_base(shell: Shell, work: Path) -> None:
    git(work, "switch", "--quiet", "--create=topic")
    written(work, "stray.py")
    git(work, "add", CART, TESTS, "stray.py")
    git(work, "commit", "--quiet", "--message=work")
    assert "PG721" in staged(shell, work / ".pipeline", "implement", "--git").out
    assert '"stray.py" is outside of the plan' in staged(shell, work / ".pipeline", "implement", "--git", "main").out


def test_git__what_the_base_has_changed_since_is_not_ours(work: Path) -> None:
    git(work, "switch", "--quiet", "--create=topic")
    git(work, "add", CART, TESTS)
    git(work, "commit", "--quiet", "--message=work")
    git(work, "switch", "--quiet", "main")
    written(work, "elsewhere.py")
    git(work, "add", "elsewhere.py")
    git(work, "commit", "--quiet", "--message=other")
    git(work, "switch", "--quiet", "topic")
    _, files = changes_since("main", work / ".pipeline", environ())
    assert [name for name in files if not name.startswith(".pipeline/")] == [CART, TESTS]


def test_git__names_are_told_as_they_are(work: Path) -> None:
    written(work, "späß/a b.py", "x\ny.py")
    git(work, "mv", "README.md", "LIESMICH.md")
    _, files = changes_since("HEAD", work / ".pipeline", environ())
    assert {"späß/a b.py", "x\ny.py", "README.md", "LIESMICH.md"} <= set(files)


def test_git__another_folder_than_usual_is_exempt_too(shell: Shell, work: Path) -> None:
    (work / ".pipeline").rename(work / "agents")
    done = staged(shell, work / "agents", "test", "--git")
    assert done.code == 0


@pytest.mark.parametrize("base", ["--output=x", "-x", "no-such", "HEAD:README.md", "a b", "", "$(touch x)", "HEAD\n"])
def test_git__a_base_that_is_no_commit_is_a_mistake_of_the_user(shell: Shell, work: Path, base: str) -> None:
    assert staged(shell, work / ".pipeline", "implement", f"--git={base}").is_a_mistake_of_the_user("--git")
    assert not (work / "x").exists()


def test_git__outside_a_repository_is_a_mistake_of_the_user(shell: Shell, tmp_path: Path) -> None:
    shutil.copytree(COMPLETE / "42", tmp_path / "42")
    done = shell("stage", "--dir", tmp_path, "--issue", "42", "--stage", "test", "--git", environ=environ())
    assert done.is_a_mistake_of_the_user("--git", "no git working tree")


def test_git__a_repository_without_a_commit_is_a_mistake_of_the_user(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    with pytest.raises(UsageError, match="there is no commit"):
        changes_since("HEAD", tmp_path, environ())


def test_git__without_the_program_is_a_mistake_of_the_user(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no program git"):
        changes_since("HEAD", tmp_path, {"PATH": str(tmp_path)})


def test_git__nothing_in_the_repository_is_run(work: Path) -> None:
    trap = work / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {work}/sprung\ncat\n", encoding="utf-8")
    trap.chmod(0o755)
    written(work, ".gitattributes")
    (work / ".gitattributes").write_text("* diff=trap\n", encoding="utf-8")
    for setting in ("core.fsmonitor", "diff.external", "diff.trap.command", "diff.trap.textconv", "core.pager"):
        git(work, "config", setting, str(trap))
    changes_since("HEAD", work / ".pipeline", {**environ(), "GIT_EXTERNAL_DIFF": str(trap), "GIT_DIR": "/nowhere"})
    assert not (work / "sprung").exists()


def test_git__a_hostile_name_reaches_neither_runner_nor_terminal(shell: Shell, work: Path) -> None:
    written(work, "::error::x ##[error]y \x1b[31m.py")
    for more in ((), ("--json",)):
        done = staged(shell, work / ".pipeline", "implement", "--git", *more)
        assert done.code == 1
        assert not COMMAND.search(done.out)
        assert "\x1b" not in done.out
