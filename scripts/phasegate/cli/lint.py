"""Check comment bodies (.md), policy files (.yml), artifacts and snapshots before anybody else does."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from phasegate.catalogue import problem
from phasegate.cli.exits import NOT_PASSED, PASSED
from phasegate.cli.files import UsageError, parse_snapshot, read_policy, read_text
from phasegate.cli.terminal import Terminal
from phasegate.dialects.commands import read_commands
from phasegate.dialects.registry import COMMENT_READERS
from phasegate.model.problem import Problem, Severity, Where
from phasegate.model.signal import Kind, Place, Signal, Source
from phasegate.model.snapshot import Snapshot
from phasegate.policy import Policy
from phasegate.policy.load import load_policy
from phasegate.report.data import problem_data
from phasegate.report.inert import safe_json
from phasegate.rules.consistency import adjusted, consistent, told_roles

STDIN = "<standard input>"


@dataclass(frozen=True, kw_only=True, slots=True)
class Linted:
    """What was found in one text."""

    problems: tuple[Problem, ...] = ()
    signals: tuple[Signal, ...] = ()
    empty: bool = False


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this command."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files, folders, or - for a comment on standard input")
    parser.add_argument("--policy", type=Path, metavar="FILE", help="the policy whose roles and severities apply")


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Lint everything that was named."""
    policy = read_policy(options.policy)
    found = [item for path in options.paths for item in _lint_named(path, policy, terminal)]
    problems = [item for linted in found for item in linted.problems]
    signals = [item for linted in found for item in linted.signals]
    ok = not any(item.severity is Severity.ERROR for item in problems)
    if options.json:
        data = {
            "ok": ok,
            "problems": [problem_data(item) for item in problems],
            "signals": [_signal_data(policy, item) for item in signals],
        }
        terminal.say(safe_json(data))
    else:
        terminal.problems(problems)
        terminal.say(_closing(len(found), len(signals), problems))
    return PASSED if ok else NOT_PASSED


def _lint_named(name: str, policy: Policy, terminal: Terminal) -> Iterator[Linted]:
    """A file that was named must hold something to check; in a folder only what can be checked is looked at."""
    if name == "-":
        yield _never_empty(lint_comment(terminal.stdin.read(), STDIN, policy), STDIN)
        return
    path = Path(name)
    if not path.is_dir():
        yield _never_empty(lint_text(read_text(path, "PATH"), path, policy), name)
        return
    inside = [lint_text(read_text(file, "PATH"), file, policy) for file in _files(path)]
    told = [item for item in inside if not item.empty]
    yield from told or [_never_empty(Linted(empty=True), name)]


def _files(folder: Path) -> Iterable[Path]:
    files = (file for file in folder.rglob("*") if file.suffix in LINTERS and not file.is_symlink())
    return sorted(file for file in files if file.is_file())


def _never_empty(linted: Linted, name: str) -> Linted:
    if not linted.empty:
        return linted
    return Linted(problems=(problem("PG601", "no signal to check was found", Where(path=name)),))


def lint_text(text: str, path: Path, policy: Policy) -> Linted:
    """What is wrong in a file, by the kind that its name tells."""
    lint = LINTERS.get(path.suffix)
    if lint is None:
        known = ", ".join(LINTERS)
        raise UsageError(f"PATH {path}: cannot tell what kind of file this is (known endings: {known})")
    return lint(text, str(path), policy)


def lint_comment(text: str, path: str, policy: Policy) -> Linted:
    """What is wrong in the body of a comment."""
    source = Source(id="lint", number=0, url=path, place=Place.PULL_REQUEST, at="")
    where = Where(path=path)
    signals = tuple(item for read in COMMENT_READERS.values() for item in read(text, source, where, policy.roles))
    commands = tuple(read_commands(text, source, where))
    problems = (
        *(item for signal in signals for item in _signal_problems(policy, signal)),
        *(item for command in commands for item in command.problems),
    )
    return Linted(problems=problems, signals=signals, empty=not signals and not commands)


def _signal_problems(policy: Policy, signal: Signal) -> tuple[Problem, ...]:
    told = told_roles(policy, signal, ())
    contradictions = (item for role in told.roles[:1] for item in consistent(policy, signal, role)[1])
    known = told.problems if signal.kind is Kind.VERDICT else ()
    return adjusted(policy, (*signal.problems, *known, *contradictions))


def lint_policy(text: str, path: str, _policy: Policy) -> Linted:
    """What is wrong in a policy file."""
    loaded = load_policy(text, path)
    return Linted(problems=loaded.problems if isinstance(loaded, Policy) else loaded)


def lint_snapshot(text: str, path: str, _policy: Policy) -> Linted:
    """What is wrong in a saved snapshot."""
    parsed = parse_snapshot(text, path)
    return Linted(problems=() if isinstance(parsed, Snapshot) else parsed)


LINTERS = {".md": lint_comment, ".yml": lint_policy, ".yaml": lint_policy, ".json": lint_snapshot}


def _signal_data(policy: Policy, signal: Signal) -> dict[str, object]:
    problems = _signal_problems(policy, signal)
    told = told_roles(policy, signal, ())
    outcome = consistent(policy, signal, told.roles[0])[0] if told.roles else signal.outcome
    return {
        "dialect": signal.dialect,
        "kind": signal.kind.value,
        "role": told.roles[0] if len(told.roles) == 1 else None,
        "outcome": outcome.value if outcome else None,
        "valid": not any(item.severity is Severity.ERROR for item in problems),
        "where": {"path": signal.where.path, "line": signal.where.line},
        "problems": [item.code for item in problems],
    }


def _closing(files: int, signals: int, problems: list[Problem]) -> str:
    counts = {severity: sum(item.severity is severity for item in problems) for severity in Severity}
    told = ", ".join(f"{count} {severity.value}{'s' * (count != 1)}" for severity, count in counts.items() if count)
    return f"{files} checked, {signals} signal{'s' * (signals != 1)}: {told or 'no problems'}"
