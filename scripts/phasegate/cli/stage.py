"""The pipeline's stage gate: whether a stage of an issue is done, by the artifacts in the issue's folder."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from phasegate.catalogue import problem
from phasegate.cli.artifacts import load_folder
from phasegate.cli.changes import WORKING_TREE, changes_since
from phasegate.cli.exits import NOT_PASSED, PASSED
from phasegate.cli.files import UsageError, read_policy
from phasegate.cli.lint import counted
from phasegate.cli.terminal import Terminal
from phasegate.dialects.pipeline.rules import (
    FOLDER,
    ISSUE_ID,
    STAGES,
    Complexity,
    Context,
    Folder,
    Stage,
    stage_outcome,
    stage_problems,
)
from phasegate.model.problem import Problem, Severity, Where
from phasegate.report.data import problem_data
from phasegate.report.inert import plain, safe_json
from phasegate.rules.consistency import adjusted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this command."""
    parser.add_argument("--issue", required=True, metavar="ID", help="the issue, as its folder is called")
    stages = [stage.value for stage in STAGES]
    parser.add_argument("--stage", required=True, choices=stages, help=f"one of {', '.join(stages)}", metavar="STAGE")
    parser.add_argument(
        "--dir", "--pipeline-dir", type=Path, default=Path(FOLDER), metavar="FOLDER", help=f"default: {FOLDER}"
    )
    against = "compare with the files that the working tree has changed, since BASE if given"
    parser.add_argument("--git", nargs="?", const=WORKING_TREE, metavar="BASE", help=against)
    known = [complexity.value for complexity in Complexity]
    parser.add_argument("--complexity", choices=known, help="how hard the issue is; a trivial one needs no plan")
    parser.add_argument("--policy", type=Path, metavar="FILE", help="the policy whose severities apply")


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Judge one stage."""
    policy, stage, path = read_policy(options.policy), Stage(options.stage), _folder_path(options)
    if path.is_symlink():
        folder = Folder(id=options.issue, where=Where(path=str(path)))
        problems = adjusted(policy, (problem("PG704", "this folder is a symbolic link", folder.where),))
    else:
        folder = load_folder(path, _context(options, path, terminal.environ))
        problems = adjusted(policy, stage_problems(folder, stage))
    ok = not any(item.severity is Severity.ERROR for item in problems)
    if options.json:
        terminal.say(safe_json(_data(folder, stage, problems)))
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


def _closing(folder: Folder, stage: Stage, problems: tuple[Problem, ...]) -> str:
    return f"{plain(folder.id)} {stage.value}: {_said(folder, stage) or 'no result'}; {counted(problems)}"
