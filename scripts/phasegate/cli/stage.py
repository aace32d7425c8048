"""The pipeline's stage gate: whether a stage of an issue is done, by the artifacts in the issue's folder."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from phasegate.catalogue import problem
from phasegate.cli.files import load_folder, read_policy
from phasegate.cli.lint import counted
from phasegate.cli.terminal import NOT_PASSED, PASSED, Answer, Arguments, Terminal, UsageError
from phasegate.dialects.pipeline.artifact import STAGES, Complexity, Stage
from phasegate.dialects.pipeline.declaration import FOLDER
from phasegate.dialects.pipeline.rules import ISSUE_ID, Context, Folder, read_folder, stage_outcome, stage_problems
from phasegate.model.problem import Problem, Severity, Where
from phasegate.model.report import State
from phasegate.report.data import problem_data
from phasegate.report.inert import plain, prose
from phasegate.report.summary.sections import problem_line
from phasegate.report.wording import STATE_MARK
from phasegate.rules.binding import adjusted

SECONDS = 60
BASE = re.compile(r"[A-Za-z0-9_@][A-Za-z0-9_@./~^{}+-]{0,199}", re.ASCII)
# What a repository's own configuration could start, and what would change how paths are written.
QUIET = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "core.quotePath=false", "diff.relative=false")
KEPT = ("PATH", "HOME", "SYSTEMROOT", "TMPDIR", "TEMP")
WORKING_TREE = "HEAD"
STAGE_NAMES = [stage.value for stage in STAGES]
ARGUMENTS: Arguments = {
    "--issue ID": ("the issue, by the name of its folder", {"required": True}),
    "--stage STAGE": (f"one of {', '.join(STAGE_NAMES)}", {"required": True, "choices": STAGE_NAMES}),
    "--dir --pipeline-dir FOLDER": (f"default: {FOLDER}", {"default": Path(FOLDER)}),
    "--git BASE": (
        "compare with the files that the working tree has changed, since BASE if given",
        {"nargs": "?", "const": WORKING_TREE},
    ),
    "--complexity": (
        "the complexity of the issue; a trivial one needs no plan",
        {"choices": [complexity.value for complexity in Complexity]},
    ),
    "--policy FILE": "the policy whose severities apply",
    "--markdown": "print the answer as Markdown",
}


def run(options: argparse.Namespace, terminal: Terminal) -> Answer:
    """Judges one stage."""
    policy, stage, path = read_policy(options.policy), Stage(options.stage), options.dir / options.issue
    if not ISSUE_ID.fullmatch(options.issue):
        raise UsageError(f'--issue: "{options.issue}" is not an id (letters, digits, ".", "_" and "-")')
    if not path.is_dir():
        raise UsageError(f"--issue {options.issue}: there is no folder {path}")
    if path.is_symlink():
        folder = Folder(id=options.issue, where=Where(path=str(path)))
        found: tuple[Problem, ...] = (problem("PG704", "this folder is a symbolic link", folder.where),)
    else:
        context = _context(options, path, terminal.environ)
        folder = read_folder(path.resolve().name, load_folder(path), Where(path=str(path)), context)
        found = stage_problems(folder, stage)
    problems = adjusted(policy, found)
    ok = not any(item.severity is Severity.ERROR for item in problems)
    outcome = stage_outcome(folder, stage)
    said = outcome.value if outcome else None
    closing = f"{plain(folder.id)} {stage.value}: {said or 'no result'}; {counted(problems)}"

    def text(terminal: Terminal) -> str:
        if options.markdown:
            mark = STATE_MARK[State.SUCCESS if ok else State.FAILURE]
            return f"## {mark} {prose(closing)}\n\n{''.join(map(problem_line, problems))}"
        terminal.problems(problems)
        return closing

    told = {"ok": ok, "issue": folder.id, "stage": stage.value, "outcome": said}
    data = {**told, "problems": [problem_data(item) for item in problems]}
    return Answer(PASSED if ok else NOT_PASSED, lambda: data, text)


def _context(options: argparse.Namespace, path: Path, environ: Mapping[str, str]) -> Context:
    complexity = Complexity(options.complexity) if options.complexity else None
    if options.git is None:
        return Context(complexity=complexity)
    root, files = changes_since(options.git, path, environ)
    evidence = path.resolve().parent.relative_to(root.resolve()).as_posix()
    return Context(complexity=complexity, changed_files=files, evidence=tuple({f"{FOLDER}/", f"{evidence}/"} - {"./"}))


def changes_since(base: str, folder: Path, environ: Mapping[str, str]) -> tuple[Path, tuple[str, ...]]:
    """The root of the working tree around a folder, and files changed since ``base``, new ones included."""
    if not BASE.fullmatch(base):
        raise UsageError(f'--git: "{base}" is not the name of a commit')
    kept = {name: environ[name] for name in KEPT if name in environ}
    quiet = {**kept, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    ask = partial(_git, quiet, folder)
    root = Path(ask("rev-parse", "--show-toplevel", wrong=f"{folder} is in no git working tree").rstrip("\n"))
    commit = ask(
        *("rev-parse", "--verify", "--quiet", "--end-of-options", f"{base}^{{commit}}"),
        wrong=f'there is no commit "{base}" here (a shallow clone lacks most)',
    ).strip()
    fork = ask("merge-base", commit, "HEAD", wrong=f'"{base}" and HEAD have no commit in common').strip()
    options = ("--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv")
    changed = _git(quiet, root, "diff", *options, fork, "--", wrong="git diff failed")
    untracked = _git(quiet, root, "ls-files", "--others", "--exclude-standard", "-z", wrong="git ls-files failed")
    return root, tuple(sorted(set(filter(None, (changed + untracked).split("\0")))))


def _git(environ: Mapping[str, str], folder: Path, *arguments: str, wrong: str) -> str:
    """The output of git in a folder. ``wrong`` is the message for the user if it fails."""
    settings = [part for setting in QUIET for part in ("-c", setting)]
    command = ["git", "-C", str(folder), "--no-pager", *settings, *arguments]
    try:
        done = subprocess.run(  # noqa: S603  (a list of our own making; the one name from outside is checked)
            command, capture_output=True, check=False, env=environ, stdin=subprocess.DEVNULL, timeout=SECONDS
        )
    except FileNotFoundError:
        raise UsageError("--git: there is no program git here") from None
    except subprocess.TimeoutExpired:
        raise UsageError(f"--git: git {arguments[0]} took longer than {SECONDS} seconds") from None
    if done.returncode:
        reason = os.fsdecode(done.stderr).strip().partition("\n")[0]
        raise UsageError(f"--git: {wrong}{f' (git: {reason})' if reason else ''}")
    return os.fsdecode(done.stdout)
