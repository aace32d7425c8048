"""Check comment bodies (.md), policy files (.yml), artifacts (by name) and snapshots (.json)."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from phasegate import VERSION
from phasegate.catalogue import problem
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
from phasegate.dialects.commands import read_commands
from phasegate.dialects.dialect import Added, Checked, Dialect, Text
from phasegate.dialects.registry import every_dialect
from phasegate.model.frozen import dataclass, late, replace
from phasegate.model.problem import Problem, Severity, Where
from phasegate.model.signal import Kind, Medium, Outcome, Place, Signal, Source
from phasegate.policy.load import load_policy
from phasegate.policy.model import Policy
from phasegate.reading.markdown.carriers import straightened
from phasegate.reading.schema.registry import schema_text
from phasegate.report.inert import safe_json
from phasegate.rules.binding import adjusted, consistent, spoken_roles

STDIN = "<standard input>"
COMMENT = ".md"
FOUND = late(r".*\.md|phase-gate\.ya?ml|snapshot.*\.json")  # what is looked at in a folder


@dataclass(frozen=True, kw_only=True, slots=True)
class Linted:
    """What was found in one text."""

    path: str
    problems: tuple[Problem, ...] = ()
    signals: tuple[Signal, ...] = ()
    outcome: Outcome | None = None
    empty: bool = False
    meant: tuple[Signal, ...] = ()  # the first signal once the rest is corrected
    cured: int = 0  # how many of the problems are gone once the block stands where it should


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
    if options.fix and STDIN in texts:
        terminal.say(texts[STDIN])
        return _code(found)
    problems = in_order(item for linted in found for item in linted.problems)
    how = "json" if options.json else options.format
    if how == "json":
        terminal.say(safe_json(_data(found, problems, policy)))
    elif how == "sarif":
        terminal.say(safe_json(sarif(problems, VERSION)))
    elif how == "github":
        for line in commands(problems):
            terminal.say(line)
    else:
        for severity, text in excerpts(problems, _texts(problems, texts)):
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


MOST_PASSES = 20  # a text may have many faults that hide one another


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
    wrong = [item for item in _lint_once(text, path, policy).problems if item.severity is Severity.ERROR]
    straight = _straightened_copy(text, wrong, path, policy)
    return (text, 0) if straight is None else (straight[0], len(straight[1]))


def corrected(text: str, problems: Iterable[Problem]) -> tuple[str, int]:
    """A text with the fixes of its problems, and how many there were; from the end, so that places stay right."""
    lines, count, last = text.split("\n"), 0, (len(text) + 1, 0)
    for item in reversed(in_order(problems)):
        line, column, fix = item.where.line or 0, item.where.column or 0, item.fix
        if fix is None or not 0 < line <= len(lines) or (line, column) == last:
            continue
        whole = lines[line - 1]
        begin = column - 1 + whole[column - 1 :].startswith(('"', "'")) * (not whole.startswith(fix.old, column - 1))
        if whole.startswith(fix.old, begin):
            lines[line - 1] = whole[:begin] + fix.new + whole[begin + len(fix.old) :]
            count, last = count + 1, (line, column)
    return "\n".join(lines), count


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


def known_dialects(policy: Policy) -> tuple[Dialect, ...]:
    """The dialects that texts are looked at in: those of the policy as it sets them, then all other built-in ones."""
    known = every_dialect()
    own = tuple(dialect for dialect in policy.dialects if dialect not in known)
    return (*own, *(dialect for dialect in known if dialect.name not in {each.name for each in own}))


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


def lint_comment(text: str, path: str, policy: Policy) -> Linted:
    """All that is wrong in the body of a comment: what hides other faults is corrected first, on a copy."""
    first = linted = _lint_once(text, path, policy)
    told: list[Problem] = []
    back: list[Callable[[Where], Where]] = []
    cured = 0
    for _ in range(MOST_PASSES):
        wrong = [item for item in linted.problems if item.severity is Severity.ERROR]
        better = _corrected_copy(text, linted.problems) or _straightened_copy(text, wrong, path, policy)
        if better is None:
            break
        text, gone, undo = better
        told += [_moved_back(item, back) for item in gone]
        cured += sum(item.fix is None for item in gone)
        back.append(undo)
        linted = _lint_once(text, path, policy)
    rest = (_moved_back(item, back) for item in linted.problems)
    problems = tuple(dict.fromkeys((*told, *rest))) if back else first.problems
    return replace(first, problems=problems, meant=linted.signals[:1], cured=cured)


Copy = tuple[str, list[Problem], Callable[[Where], Where]]


def _corrected_copy(text: str, problems: Sequence[Problem]) -> Copy | None:
    """The text with the fixes of its problems, these problems, and how a place in it is found in the text."""
    found = [item for item in problems if item.fix]
    better, count = corrected(text, found)
    return (better, found, partial(_before_corrections, in_order(found))) if count else None


def _before_corrections(corrections: Sequence[Problem], where: Where) -> Where:
    column, shift = where.column or 0, 0
    for each in corrections:
        if each.fix and each.where.line == where.line and column > (each.where.column or 0) + shift:
            shift += len(each.fix.new) - len(each.fix.old)
    return replace(where, column=max(1, column - shift)) if shift else where


def _straightened_copy(text: str, problems: Sequence[Problem], path: str, policy: Policy) -> Copy | None:
    """The text with its block where it counts, and what of its problems that cures."""
    for marker, key in _blocks(policy):
        better = straightened(text, marker, key)
        if better is None:
            continue
        after = _lint_once(better.text, path, policy)
        left = {item.code for item in after.problems}
        gone = [item for item in problems if item.code not in left]
        if gone and not after.empty:
            return better.text, gone, partial(_before_straightening, better.lines)
    return None


def _before_straightening(lines: Sequence[int], where: Where) -> Where:
    line = where.line or 0
    known = [number for number in lines[:line] if number] if 0 < line <= len(lines) else []
    return replace(where, line=known[-1]) if known else where


def _blocks(policy: Policy) -> tuple[tuple[str, str], ...]:
    """The markers of blocks, each with the first key that what they hold must have."""
    told: dict[tuple[str, str], None] = {}
    for dialect in known_dialects(policy):
        for how in map(dialect.how_to, dialect.roles):
            if how.marker and how.schema:
                told.update(((how.marker, key), None) for key in json.loads(schema_text(how.schema))["required"][:1])
    return tuple(told)


def _moved_back(item: Problem, back: Sequence[Callable[[Where], Where]]) -> Problem:
    """A problem of a corrected copy, at its place in the text as it was."""
    where = item.where
    for undo in reversed(back):
        where = undo(where)
    return replace(item, where=where)


def _lint_once(text: str, path: str, policy: Policy) -> Linted:
    """What is wrong in the body of a comment, in whatever dialect."""
    source = Source(id="lint", number=0, url=path, place=Place.PULL_REQUEST, at="")
    roles = tuple(policy.roles.values())
    readers = [dialect for dialect in known_dialects(policy) if dialect.media & {Medium.COMMENT, Medium.REVIEW}]
    markers = tuple(trigger for dialect in readers for trigger in dialect.footprint.triggers)
    added = Added(footers=policy.verdicts.footers, markers=markers)
    body = Text(source=source, where=Where(path=path), body=text, added=added)
    signals = tuple(signal for dialect in readers for signal in dialect.read(body, roles).signals)
    given = tuple(read_commands(body, tuple(phase.name for phase in policy.phases)))
    problems = (
        *(item for signal in signals for item in _signal_problems(policy, signal)),
        *(_never_counts(item) for command in given for item in command.problems),
    )
    empty = not signals and not given
    if empty:
        problems = (_nothing(path, policy, text),)
    return Linted(path=path, problems=problems, signals=signals, empty=empty)


def _nothing(path: str, policy: Policy, text: str) -> Problem:
    """That there is no signal, and what there is in its place."""
    for marker, key in _blocks(policy):
        if straightened(text, marker, key) is not None:
            message = f"this looks like what a block {marker} holds, but there is no such block"
            return problem("PG601", message, Where(path=path), hint=f"Write ```{marker} before it and ``` after it.")
    return problem("PG601", "no signal to check was found", Where(path=path))


def _never_counts(item: Problem) -> Problem:
    """Errors for what the gate only notes and skips: the author thinks that it counts."""
    return replace(item, severity=Severity.ERROR)


def _signal_problems(policy: Policy, signal: Signal) -> tuple[Problem, ...]:
    told = spoken_roles(policy, signal, ())
    contradictions = (item for role in told.roles[:1] for item in consistent(policy, signal, role)[1])
    known = told.problems if signal.kind is Kind.VERDICT else ()
    mapped = any(account.roles for account in policy.agents.accounts)
    found = adjusted(policy, (*signal.problems, *known, *contradictions))
    if told.roles or mapped:
        return found
    return tuple(_never_counts(item) if item in known else item for item in found)


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
    if '"snapshot"' in text or not any(straightened(text, marker, key) for marker, key in _blocks(policy)):
        return lint_snapshot(text, path, policy)
    return lint_comment(text, path, policy)


LINTERS = {COMMENT: lint_comment, ".yml": lint_policy, ".yaml": lint_policy, ".json": lint_json}


def _signal_data(policy: Policy, signal: Signal) -> dict[str, object]:
    problems = _signal_problems(policy, signal)
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
