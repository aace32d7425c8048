"""The pipeline's stage gate: whether a stage of an issue is done, by the artifacts in the issue's folder."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from phasegate.catalogue import problem
from phasegate.cli.files import UsageError, load_folder, read_policy
from phasegate.cli.lint import counted
from phasegate.cli.terminal import NOT_PASSED, PASSED, Terminal
from phasegate.dialects.pipeline.rules import (
    FOLDER,
    ISSUE_ID,
    STAGES,
    Complexity,
    Context,
    Folder,
    Stage,
    read_folder,
    stage_outcome,
    stage_problems,
)
from phasegate.model.frozen import dataclass
from phasegate.model.problem import Problem, Severity, Where
from phasegate.model.report import State
from phasegate.report.data import problem_data
from phasegate.report.inert import plain, prose, safe_json
from phasegate.report.summary.sections import problem_line
from phasegate.report.wording import STATE_MARK
from phasegate.rules.binding import adjusted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this command."""
    parser.add_argument("--issue", required=True, metavar="ID", help="the issue, by the name of its folder")
    stages = [stage.value for stage in STAGES]
    parser.add_argument("--stage", required=True, choices=stages, help=f"one of {', '.join(stages)}", metavar="STAGE")
    parser.add_argument(
        "--dir", "--pipeline-dir", type=Path, default=Path(FOLDER), metavar="FOLDER", help=f"default: {FOLDER}"
    )
    against = "compare with the files that the working tree has changed, since BASE if given"
    parser.add_argument("--git", nargs="?", const=WORKING_TREE, metavar="BASE", help=against)
    known = [complexity.value for complexity in Complexity]
    parser.add_argument("--complexity", choices=known, help="the complexity of the issue; a trivial one needs no plan")
    parser.add_argument("--policy", type=Path, metavar="FILE", help="the policy whose severities apply")
    parser.add_argument("--markdown", action="store_true", help="print the answer as Markdown")


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Judge one stage."""
    policy, stage, path = read_policy(options.policy), Stage(options.stage), _folder_path(options)
    if path.is_symlink():
        folder = Folder(id=options.issue, where=Where(path=str(path)))
        problems = adjusted(policy, (problem("PG704", "this folder is a symbolic link", folder.where),))
    else:
        context = _context(options, path, terminal.environ)
        folder = read_folder(path.resolve().name, load_folder(path), Where(path=str(path)), context)
        problems = adjusted(policy, stage_problems(folder, stage))
    ok = not any(item.severity is Severity.ERROR for item in problems)
    if options.json:
        terminal.say(safe_json(_data(folder, stage, problems)))
    elif options.markdown:
        terminal.say(_page(folder, stage, problems))
    else:
        terminal.problems(problems)
        terminal.say(_closing(folder, stage, problems))
    return PASSED if ok else NOT_PASSED


def _folder_path(options: argparse.Namespace) -> Path:
    if not ISSUE_ID.fullmatch(options.issue):
        raise UsageError(f'--issue: "{options.issue}" is not an id (letters, digits, ".", "_" and "-")')
    path: Path = options.dir / options.issue
    if not path.is_dir():
        raise UsageError(f"--issue {options.issue}: there is no folder {path}")
    return path


def _context(options: argparse.Namespace, path: Path, environ: Mapping[str, str]) -> Context:
    complexity = Complexity(options.complexity) if options.complexity else None
    if options.git is None:
        return Context(complexity=complexity)
    changes = changes_since(options.git, path, environ)
    evidence = path.resolve().parent.relative_to(changes.root.resolve()).as_posix()
    return Context(
        complexity=complexity, changed_files=changes.files, evidence=tuple({f"{FOLDER}/", f"{evidence}/"} - {"./"})
    )


def _said(folder: Folder, stage: Stage) -> str | None:
    outcome = stage_outcome(folder, stage)
    return outcome.value if outcome else None


def _data(folder: Folder, stage: Stage, problems: tuple[Problem, ...]) -> dict[str, object]:
    return {
        "ok": not any(item.severity is Severity.ERROR for item in problems),
        "issue": folder.id,
        "stage": stage.value,
        "outcome": _said(folder, stage),
        "problems": [problem_data(item) for item in problems],
    }


def _page(folder: Folder, stage: Stage, problems: tuple[Problem, ...]) -> str:
    ok = not any(item.severity is Severity.ERROR for item in problems)
    mark = STATE_MARK[State.SUCCESS if ok else State.FAILURE]
    return f"## {mark} {prose(_closing(folder, stage, problems))}\n\n{''.join(map(problem_line, problems))}"


def _closing(folder: Folder, stage: Stage, problems: tuple[Problem, ...]) -> str:
    return f"{plain(folder.id)} {stage.value}: {_said(folder, stage) or 'no result'}; {counted(problems)}"


WORKING_TREE = "HEAD"
SECONDS = 60
BASE = re.compile(r"[A-Za-z0-9_@][A-Za-z0-9_@./~^{}+-]{0,199}", re.ASCII)
# What a repository's own configuration could start, and what would change how paths are written.
QUIET = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "core.quotePath=false", "diff.relative=false")
KEPT = ("PATH", "HOME", "SYSTEMROOT", "TMPDIR", "TEMP")


@dataclass(frozen=True, kw_only=True, slots=True)
class Changes:
    """The root of a working tree, and the files in it that were changed since a commit."""

    root: Path
    files: tuple[str, ...]


def changes_since(base: str, folder: Path, environ: Mapping[str, str]) -> Changes:
    """What the working tree around a folder has changed since it left ``base``, new files included."""
    if not BASE.fullmatch(base):
        raise UsageError(f'--git: "{base}" is not the name of a commit')
    git = _Git(folder, environ)
    root = Path(git.text("rev-parse", "--show-toplevel", wrong=f"{folder} is in no git working tree").rstrip("\n"))
    commit = git.text(
        *("rev-parse", "--verify", "--quiet", "--end-of-options", f"{base}^{{commit}}"),
        wrong=f'there is no commit "{base}" here (a shallow clone lacks most)',
    ).strip()
    fork = git.text("merge-base", commit, "HEAD", wrong=f'"{base}" and HEAD have no commit in common').strip()
    top = _Git(root, environ)
    changed = top.names("diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", fork, "--")
    untracked = top.names("ls-files", "--others", "--exclude-standard", "-z")
    return Changes(root=root, files=tuple(sorted({*changed, *untracked})))


class _Git:
    """The program git in one folder."""

    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        self._options = ["-C", str(folder), "--no-pager", *(part for setting in QUIET for part in ("-c", setting))]
        kept = {name: environ[name] for name in KEPT if name in environ}
        self._environ = {**kept, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}

    def text(self, *arguments: str, wrong: str) -> str:
        """What git prints."""
        done = self._run(arguments)
        if done.returncode:
            reason = os.fsdecode(done.stderr).strip().partition("\n")[0]
            raise UsageError(f"--git: {wrong}{f' (git: {reason})' if reason else ''}")
        return os.fsdecode(done.stdout)

    def names(self, *arguments: str) -> list[str]:
        """The paths that git lists."""
        listed = self.text(*arguments, wrong=f"git {arguments[0]} failed")
        return [name for name in listed.split("\0") if name]

    def _run(self, arguments: tuple[str, ...]) -> subprocess.CompletedProcess[bytes]:
        command = ["git", *self._options, *arguments]
        try:
            return subprocess.run(  # noqa: S603  (a list of our own making; the one name from outside is checked)
                command, capture_output=True, check=False, env=self._environ, stdin=subprocess.DEVNULL, timeout=SECONDS
            )
        except FileNotFoundError:
            raise UsageError("--git: there is no program git here") from None
        except subprocess.TimeoutExpired:
            raise UsageError(f"--git: git {arguments[0]} took longer than {SECONDS} seconds") from None
