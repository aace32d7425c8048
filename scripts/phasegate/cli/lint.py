"""Check comment bodies (.md), policy files (.yml), artifacts (by name) and snapshots (.json)."""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from phasegate.catalogue import problem
from phasegate.cli.files import UsageError, load_file, load_folder, owner_of, parse_snapshot, read_policy, read_text
from phasegate.cli.terminal import NOT_PASSED, PASSED, Terminal
from phasegate.dialects.commands import read_commands
from phasegate.dialects.dialect import Added, Checked, Dialect, Text
from phasegate.dialects.registry import every_dialect
from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Problem, Severity, Where
from phasegate.model.signal import Kind, Medium, Outcome, Place, Signal, Source
from phasegate.model.snapshot import Snapshot
from phasegate.policy.load import load_policy
from phasegate.policy.model import Policy
from phasegate.report.data import problem_data
from phasegate.report.inert import safe_json
from phasegate.rules.binding import adjusted, consistent, told_roles

STDIN = "<standard input>"
FOUND = re.compile(r".*\.md|phase-gate\.ya?ml|snapshot.*\.json")  # what is looked at in a folder


@dataclass(frozen=True, kw_only=True, slots=True)
class Linted:
    """What was found in one text."""

    path: str
    problems: tuple[Problem, ...] = ()
    signals: tuple[Signal, ...] = ()
    outcome: Outcome | None = None
    empty: bool = False


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this command."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files, folders, or - for a comment on standard input")
    parser.add_argument("--policy", type=Path, metavar="FILE", help="the policy whose roles and severities apply")
    together = "check artifacts together with the others of their folder, even if only one is named"
    parser.add_argument("--whole-folder", action="store_true", help=together)


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Lint everything that was named."""
    policy = _with_every_role(read_policy(options.policy))
    dialects = known_dialects(policy)
    named = _whole_folders(options.paths, dialects) if options.whole_folder else options.paths
    found = [item for path in named for item in _lint_named(path, policy, terminal)]
    problems = [item for linted in found for item in linted.problems]
    signals = [item for linted in found for item in linted.signals]
    ok = not any(item.severity is Severity.ERROR for item in problems)
    if options.json:
        data = {
            "ok": ok,
            "files": [_file_data(item) for item in found],
            "problems": [problem_data(item) for item in problems],
            "signals": [_signal_data(policy, item) for item in signals],
        }
        terminal.say(safe_json(data))
    else:
        terminal.problems(problems)
        terminal.say(_closing(found, problems))
    return PASSED if ok else NOT_PASSED


def _with_every_role(policy: Policy) -> Policy:
    """The policy with the roles of every dialect, also of those that none of its phases uses."""
    brought = {role.name: role for dialect in every_dialect() for role in dialect.roles}
    return replace(policy, roles={**brought, **policy.roles})


def _lint_named(name: str, policy: Policy, terminal: Terminal) -> Iterator[Linted]:
    """A file that was named must hold something to check; in a folder only what can be checked is looked at."""
    if name == "-":
        yield _never_empty(lint_comment(terminal.stdin.read(), STDIN, policy), STDIN)
        return
    path = Path(name)
    owner = owner_of(path, known_dialects(policy))
    if path.is_dir():
        inside = [*_lint_files(path, policy), *_lint_folders(path, policy)]
        yield from inside or [_never_empty(Linted(path=name, empty=True), name)]
    elif owner is not None:
        yield lint_document(path, owner, policy)
    else:
        yield _never_empty(lint_text(read_text(path, "PATH"), path, policy), name)


def known_dialects(policy: Policy) -> tuple[Dialect, ...]:
    """The dialects that texts are looked at in: the formats of the policy, then all that are built in."""
    known = every_dialect()
    return (*(dialect for dialect in policy.dialects if dialect not in known), *known)


def _whole_folders(names: list[str], dialects: tuple[Dialect, ...]) -> list[str]:
    """The same, with the folder in place of each document of a dialect, once."""
    return list(dict.fromkeys(str(Path(name).parent) if owner_of(Path(name), dialects) else name for name in names))


def _lint_files(folder: Path, policy: Policy) -> Iterator[Linted]:
    issues = _folders(folder, policy)
    for file in _files(folder):
        if file.parent not in issues or file.suffix == ".md":
            linted = _lint_found(file, policy)
            if not linted.empty:
                yield linted


def _files(folder: Path) -> Iterable[Path]:
    files = (file for file in folder.rglob("*") if FOUND.fullmatch(file.name) and not file.is_symlink())
    return sorted(file for file in files if file.is_file())


def _lint_found(file: Path, policy: Policy) -> Linted:
    """What is wrong in a file of a folder; one that cannot be read hides no other."""
    try:
        return lint_text(read_text(file, "PATH"), file, policy)
    except UsageError as error:
        return Linted(path=str(file), problems=(problem("PG005", str(error), Where(path=str(file))),))


def _folders(folder: Path, policy: Policy) -> dict[Path, Dialect]:
    """The folders that hold documents of a dialect."""
    dialects = known_dialects(policy)
    found = ((file.parent, owner_of(file, dialects)) for file in sorted(folder.rglob("*")))
    return {parent: owner for parent, owner in found if owner is not None}


def _lint_folders(folder: Path, policy: Policy) -> Iterator[Linted]:
    for path, owner in sorted(_folders(folder, policy).items()):
        for checked in owner.check_folder(str(path), load_folder(path)):
            yield _linted(checked, policy)


def _linted(checked: Checked, policy: Policy) -> Linted:
    return Linted(path=checked.path, problems=adjusted(policy, checked.problems), outcome=checked.outcome)


def _never_empty(linted: Linted, name: str) -> Linted:
    if not linted.empty:
        return linted
    return Linted(path=name, problems=(problem("PG601", "no signal to check was found", Where(path=name)),))


def lint_document(path: Path, owner: Dialect, policy: Policy) -> Linted:
    """What is wrong in one document of a dialect, whatever stands beside it."""
    if not path.is_symlink() and not path.exists():
        raise UsageError(f"PATH {path}: No such file or directory")
    return _linted(owner.check_file(load_file(path)), policy)


def lint_text(text: str, path: Path, policy: Policy) -> Linted:
    """What is wrong in a file, by the kind that its name tells."""
    lint = LINTERS.get(path.suffix)
    if lint is None:
        known = ", ".join(LINTERS)
        raise UsageError(f"PATH {path}: cannot tell what kind of file this is (known endings: {known})")
    return lint(text, str(path), policy)


def lint_comment(text: str, path: str, policy: Policy) -> Linted:
    """What is wrong in the body of a comment, in whatever dialect."""
    source = Source(id="lint", number=0, url=path, place=Place.PULL_REQUEST, at="")
    roles = tuple(policy.roles.values())
    readers = [dialect for dialect in known_dialects(policy) if dialect.media & {Medium.COMMENT, Medium.REVIEW}]
    markers = tuple(trigger for dialect in readers for trigger in dialect.footprint.triggers)
    added = Added(footers=policy.verdicts.footers, markers=markers)
    body = Text(source=source, where=Where(path=path), body=text, added=added)
    signals = tuple(signal for dialect in readers for signal in dialect.read(body, roles).signals)
    commands = tuple(read_commands(body))
    problems = (
        *(item for signal in signals for item in _signal_problems(policy, signal)),
        *(item for command in commands for item in command.problems),
    )
    return Linted(path=path, problems=problems, signals=signals, empty=not signals and not commands)


def _signal_problems(policy: Policy, signal: Signal) -> tuple[Problem, ...]:
    told = told_roles(policy, signal, ())
    contradictions = (item for role in told.roles[:1] for item in consistent(policy, signal, role)[1])
    known = told.problems if signal.kind is Kind.VERDICT else ()
    return adjusted(policy, (*signal.problems, *known, *contradictions))


def lint_policy(text: str, path: str, _policy: Policy) -> Linted:
    """What is wrong in a policy file."""
    loaded = load_policy(text, path)
    return Linted(path=path, problems=loaded.problems if isinstance(loaded, Policy) else loaded)


def lint_snapshot(text: str, path: str, _policy: Policy) -> Linted:
    """What is wrong in a saved snapshot."""
    parsed = parse_snapshot(text, path)
    return Linted(path=path, problems=() if isinstance(parsed, Snapshot) else parsed)


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


def _file_data(linted: Linted) -> dict[str, object]:
    return {
        "path": linted.path,
        "ok": not any(item.severity is Severity.ERROR for item in linted.problems),
        "outcome": linted.outcome.value if linted.outcome else None,
        "problems": [item.code for item in linted.problems],
    }


def _closing(found: list[Linted], problems: list[Problem]) -> str:
    signals = sum(len(linted.signals) + (linted.outcome is not None) for linted in found)
    return f"{len(found)} checked, {signals} signal{'s' * (signals != 1)}: {counted(problems)}"


def counted(problems: Iterable[Problem]) -> str:
    """How many problems there are of each severity, in words."""
    counts = Counter(item.severity for item in problems)
    told = (
        f"{counts[severity]} {severity.value}{'s' * (counts[severity] != 1)}"
        for severity in Severity
        if counts[severity]
    )
    return ", ".join(told) or "no problems"
