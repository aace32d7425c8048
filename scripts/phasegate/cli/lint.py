"""Check comment bodies (.md), policy files (.yml), artifacts (by name) and snapshots (.json)."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from phasegate import VERSION
from phasegate.catalogue import problem
from phasegate.cli.comment import (
    MOST_PASSES,
    Linted,
    corrected,
    holds_block,
    known_dialects,
    lint_comment,
    signal_problems,
    straightened_copy,
    unwrapped_copy,
)
from phasegate.cli.files import (
    UsageError,
    load_file,
    load_folder,
    owner_of,
    parse_snapshot,
    read_policy,
    read_text,
    write_text,
)
from phasegate.cli.terminal import NOT_PASSED, PASSED, SEVERITY_COLOURS, Terminal, commands, excerpts, in_order, sarif
from phasegate.dialects.dialect import Checked, Dialect
from phasegate.dialects.registry import every_dialect
from phasegate.model.frozen import late, replace
from phasegate.model.problem import Problem, Severity, Where
from phasegate.model.signal import Kind, Signal
from phasegate.policy.load import load_policy
from phasegate.policy.model import Policy
from phasegate.report.inert import safe_json
from phasegate.rules.binding import adjusted, consistent, spoken_roles

STDIN = "<standard input>"
COMMENT = ".md"
FOUND = late(r".*\.md|phase-gate\.ya?ml|snapshot.*\.json")  # what is looked at in a folder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this command."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files, folders, or - for a comment on standard input")
    parser.add_argument("--policy", type=Path, metavar="FILE", help="the policy whose roles and severities apply")
    parser.add_argument("--fix", action="store_true", help="correct what has one right answer, in the files themselves")
    formats = "text for people (the default), json, github for workflow commands, sarif"
    parser.add_argument("--format", choices=("text", "json", "github", "sarif"), default="text", help=formats)
    together = "check artifacts together with the others of their folder, even if only one is named"
    parser.add_argument("--whole-folder", action="store_true", help=together)


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Lint everything that was named."""
    policy = _with_every_role(read_policy(options.policy))
    dialects = known_dialects(policy)
    named = _whole_folders(options.paths, dialects) if options.whole_folder else options.paths
    texts = {STDIN: terminal.stdin.read()} if "-" in named else {}
    lint = partial(_lint_all, named, policy, texts)
    found = lint()
    fixed = _fix_all(lint, texts, policy) if options.fix else 0
    found = lint() if fixed else found
    problems = in_order(item for linted in found for item in linted.problems)
    better = {"text": texts[STDIN]} if options.fix and STDIN in texts else {}
    how = "json" if options.json else options.format
    if how == "json":
        terminal.say(safe_json({**_data(found, problems, policy), **better}))
    elif how == "sarif":
        terminal.say(safe_json(sarif(problems, VERSION)))
    elif how == "github":
        for line in commands(problems):
            terminal.say(line)
    else:
        if better:
            terminal.stdout.write(texts[STDIN])
            terminal = replace(terminal, stdout=terminal.stderr)  # a pipe takes the text, a person reads the reasons
        for severity, text in excerpts(problems, _texts(problems, texts), terminal.asked_width or terminal.width):
            first, _, rest = text.partition("\n")
            terminal.say(f"{terminal.coloured(first, SEVERITY_COLOURS[severity.value])}\n{rest}")
        terminal.say(_closing(found, problems, fixed, policy))
    return _code(found)


def _code(found: Iterable[Linted]) -> int:
    wrong = any(item.severity is Severity.ERROR for linted in found for item in linted.problems)
    return NOT_PASSED if wrong else PASSED


def _lint_all(named: Sequence[str], policy: Policy, texts: Mapping[str, str]) -> list[Linted]:
    return [item for path in named for item in _lint_named(path, policy, texts)]


def _data(found: Sequence[Linted], problems: Sequence[Problem], policy: Policy) -> dict[str, object]:
    from phasegate.report.data import problem_data  # noqa: PLC0415  (knows whole reports, which is much to load)

    signals = [item for linted in found for item in linted.signals]
    return {
        "ok": _code(found) == PASSED,
        "files": [_file_data(item) for item in found],
        "problems": [problem_data(item) for item in problems],
        "signals": [_signal_data(policy, item) for item in signals],
    }


def _texts(problems: Iterable[Problem], known: Mapping[str, str]) -> dict[str, str]:
    """The texts that problems are in, as far as they can be read."""
    found = dict(known)
    for path in dict.fromkeys(item.where.path for item in problems if item.where.path):
        file = Path(path)
        if path not in found and file.is_file() and not file.is_symlink():
            with suppress(UsageError):
                found[path] = read_text(file, "PATH")
    return found


def _fix_all(lint: Callable[[], list[Linted]], texts: dict[str, str], policy: Policy) -> int:
    """Apply fixes that have one right answer until none is left; how many there were."""
    fixed = 0
    for _ in range(MOST_PASSES):
        problems = in_order(item for linted in lint() for item in linted.problems)
        held = _texts(problems, texts)
        here = {path: [item for item in problems if item.where.path == path] for path in held}
        changed = {path: _better(text, here[path], path, policy) for path, text in held.items()}
        done = {path: text for path, (text, count) in changed.items() if count}
        if not done:
            break
        fixed += sum(count for _, count in changed.values())
        for path, text in done.items():
            if path in texts:
                texts[path] = text
            else:
                write_text(Path(path), text, "PATH")
    return fixed


def _better(text: str, problems: Sequence[Problem], path: str, policy: Policy) -> tuple[str, int]:
    """A text with the fixes of its problems or, where there are none, with its block where it counts."""
    better, count = corrected(text, problems)
    if count or (path != STDIN and Path(path).suffix != COMMENT):
        return better, count
    wrapped = unwrapped_copy(text, path, policy)
    if wrapped is not None:
        return wrapped.text, 1
    straight = straightened_copy(text, [item for item in problems if item.severity is Severity.ERROR], path, policy)
    return (text, 0) if straight is None else (straight[0], len(straight[1]))


def _with_every_role(policy: Policy) -> Policy:
    """The policy with the roles of every dialect, also of those that none of its phases uses."""
    brought = {role.name: role for dialect in every_dialect() for role in dialect.roles}
    return replace(policy, roles={**brought, **policy.roles})


def _lint_named(name: str, policy: Policy, texts: Mapping[str, str]) -> Iterator[Linted]:
    """A file that was named must hold something to check; in a folder only what can be checked is looked at."""
    if name == "-":
        yield _never_empty(lint_comment(texts[STDIN], STDIN, policy), STDIN)
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
    if linted.problems or not linted.empty:
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


def lint_policy(text: str, path: str, _policy: Policy) -> Linted:
    """What is wrong in a policy file."""
    loaded = load_policy(text, path)
    return Linted(path=path, problems=loaded.problems if isinstance(loaded, Policy) else loaded)


def lint_snapshot(text: str, path: str, _policy: Policy) -> Linted:
    """What is wrong in a saved snapshot."""
    parsed = parse_snapshot(text, path)
    return Linted(path=path, problems=parsed if isinstance(parsed, tuple) else ())


def lint_json(text: str, path: str, policy: Policy) -> Linted:
    """A saved snapshot, unless it looks like what a block of a comment holds."""
    if '"snapshot"' in text or not holds_block(text, path, policy):
        return lint_snapshot(text, path, policy)
    return lint_comment(text, path, policy)


LINTERS = {COMMENT: lint_comment, ".yml": lint_policy, ".yaml": lint_policy, ".json": lint_json}


def _signal_data(policy: Policy, signal: Signal) -> dict[str, object]:
    problems = signal_problems(policy, signal)
    told = spoken_roles(policy, signal, ())
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


def _closing(found: list[Linted], problems: list[Problem], fixed: int, policy: Policy) -> str:
    signals = sum(len(linted.signals) + (linted.outcome is not None) for linted in found)
    told = [f"{len(found)} checked, {signals} signal{'s' * (signals != 1)}: {counted(problems)}"]
    more = sum(item.fix is not None for item in problems) + sum(linted.cured for linted in found)
    told += [f"{more} fixable with --fix"] if more else []
    told += [f"{fixed} fixed"] if fixed else []
    told += [_worth(signal, linted, policy) for linted in found if len(found) == 1 for signal in linted.meant]
    return " · ".join(filter(None, told))


def _worth(signal: Signal, linted: Linted, policy: Policy) -> str:
    """Whether a verdict would count, where there is only one to speak of."""
    if signal.kind is not Kind.VERDICT:
        return ""
    data = _signal_data(policy, signal)
    role = policy.roles.get(str(data["role"]))
    whose = f" of {role.title}" if role else ""
    outcome = f", {data['outcome']}" if data["outcome"] else ""
    wrong = any(item.severity is Severity.ERROR for item in linted.problems)
    return f"this would NOT count as a verdict{whose}" if wrong else f"this is a verdict{whose}{outcome}"


def counted(problems: Iterable[Problem]) -> str:
    """How many problems there are of each severity, in words."""
    counts = Counter(item.severity for item in problems)
    told = (
        f"{counts[severity]} {severity.value}{'s' * (counts[severity] != 1)}"
        for severity in Severity
        if counts[severity]
    )
    return ", ".join(told) or "no problems"
