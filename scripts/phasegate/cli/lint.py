"""Checks comment bodies (.md), policy files (.yml), artifacts (by name) and snapshots (.json)."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
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
    load_file,
    load_folder,
    local_policy,
    owner_of,
    parse_snapshot,
    read_policy,
    read_text,
    write_text,
)
from phasegate.cli.terminal import (
    NOT_PASSED,
    PASSED,
    SEVERITY_COLOURS,
    Answer,
    Arguments,
    Terminal,
    UsageError,
    commands,
    excerpt,
    in_order,
    sarif,
)
from phasegate.dialects.dialect import Checked
from phasegate.dialects.registry import every_dialect
from phasegate.model.frozen import late, replace
from phasegate.model.problem import Problem, Severity, Where
from phasegate.model.signal import Kind, Signal
from phasegate.policy.model import Policy
from phasegate.report.inert import safe_json
from phasegate.rules.binding import adjusted, consistent, spoken_roles

STDIN = "<standard input>"
COMMENT = ".md"
WORKFLOWS = "workflows"  # a folder whose phase-gate.yml is no policy
FOUND = late(r".*\.md|phase-gate\.ya?ml|snapshot.*\.json")  # what is looked at in a folder


ARGUMENTS: Arguments = {
    "paths PATH": ("files, folders, or - for a comment on standard input", {"nargs": "+"}),
    "--policy FILE": "the policy whose roles and severities apply",
    "--fix": "correct what has one right answer, in the files themselves",
    "--format": (
        "text for people (the default), json, github for workflow commands, sarif",
        {"choices": ("text", "json", "github", "sarif"), "default": "text"},
    ),
    "--whole-folder": "check artifacts together with the others of their folder, even if only one is named",
}


def run(options: argparse.Namespace, terminal: Terminal) -> Answer:
    """Lints everything named."""
    options.json = options.json or options.format == "json"
    read = read_policy(options.policy)
    # with the roles of every dialect, also of those that none of its phases uses
    policy = replace(read, roles={**{role.name: role for each in every_dialect() for role in each.roles}, **read.roles})
    named = options.paths
    if options.whole_folder:  # in place of each document of a dialect, once
        owned = ((name, owner_of(Path(name), known_dialects(policy))) for name in named)
        named = list(dict.fromkeys(str(Path(name).parent) if owner else name for name, owner in owned))
    texts = {STDIN: terminal.stdin.read()} if "-" in named else {}

    def lint() -> list[Linted]:
        return [item for path in named for item in _lint_named(path, policy, texts)]

    fixed = _fix_all(lint, texts, policy) if options.fix else 0
    found = lint()
    problems = in_order(item for linted in found for item in linted.problems)
    better = {"text": texts[STDIN]} if options.fix and STDIN in texts else {}
    code = NOT_PASSED if _is_wrong(problems) else PASSED

    def text(terminal: Terminal) -> str | None:
        if options.format == "sarif":
            return safe_json(sarif(problems, VERSION))
        if options.format == "github":
            for line in commands(problems):
                terminal.say(line)
            return None
        if better:
            terminal.stdout.write(texts[STDIN])
            terminal = replace(terminal, stdout=terminal.stderr)  # a pipe takes the text, a person reads the reasons
        held = _texts(problems, texts)
        for item in problems:
            first, *rest = excerpt(item, held.get(item.where.path or ""), terminal.asked_width or terminal.width)
            terminal.say("\n".join((terminal.coloured(first, SEVERITY_COLOURS[item.severity.value]), *rest)))
        terminal.say(_closing(found, problems, fixed, policy))
        return None

    return Answer(code, lambda: {**_data(found, problems, policy), **better}, text)


def _is_wrong(problems: Iterable[Problem]) -> bool:
    return any(item.severity is Severity.ERROR for item in problems)


def _data(found: Sequence[Linted], problems: Sequence[Problem], policy: Policy) -> dict[str, object]:
    from phasegate.report.data import problem_data  # noqa: PLC0415  (knows whole reports, which is much to load)

    files = [
        {
            "path": linted.path,
            "ok": not _is_wrong(linted.problems),
            "outcome": linted.outcome.value if linted.outcome else None,
            "problems": [item.code for item in linted.problems],
        }
        for linted in found
    ]
    return {
        "ok": not _is_wrong(problems),
        "files": files,
        "problems": [problem_data(item) for item in problems],
        "signals": [_signal_data(policy, signal) for linted in found for signal in linted.signals],
    }


def _texts(problems: Iterable[Problem], known: Mapping[str, str]) -> dict[str, str]:
    found = dict(known)
    for path in dict.fromkeys(item.where.path for item in problems if item.where.path):
        file = Path(path)
        if path not in found and file.is_file() and not file.is_symlink():
            with suppress(UsageError):
                found[path] = read_text(file, "PATH")
    return found


def _fix_all(lint: Callable[[], list[Linted]], texts: dict[str, str], policy: Policy) -> int:
    """Applies unambiguous fixes until none is left, and returns their number."""
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
    """A text with the fixes of its problems or, without any, with its block moved where it counts."""
    better, count = corrected(text, problems)
    if count or (path != STDIN and Path(path).suffix != COMMENT):
        return better, count
    wrapped = unwrapped_copy(text, path, policy)
    if wrapped is not None:
        return wrapped[0], 1
    straight = straightened_copy(text, [item for item in problems if item.severity is Severity.ERROR], path, policy)
    return (text, 0) if straight is None else (straight[0], len(straight[1]))


def _lint_named(name: str, policy: Policy, texts: Mapping[str, str]) -> Iterator[Linted]:
    """A named file must hold something to check. In a folder everything else is skipped."""
    if name == "-":
        yield _never_empty(lint_comment(texts[STDIN], STDIN, policy), STDIN)
        return
    path = Path(name)
    owner = owner_of(path, known_dialects(policy))
    if path.is_dir():
        yield from _lint_folder(path, policy) or [_never_empty(Linted(path=name, empty=True), name)]
    elif owner is not None:
        if not path.is_symlink() and not path.exists():
            raise UsageError(f"PATH {path}: No such file or directory")
        yield _linted(owner.check_file(load_file(path)), policy)
    else:
        yield _never_empty(lint_text(read_text(path, "PATH"), path, policy), name)


def _lint_folder(folder: Path, policy: Policy) -> list[Linted]:
    """Files in a folder that are known by name, then folders with documents of a dialect."""
    dialects, below = known_dialects(policy), sorted(folder.rglob("*"))
    owners = {file.parent: owner for file in below if (owner := owner_of(file, dialects)) is not None}
    found = []
    for file in below:
        named = FOUND.fullmatch(file.name) and file.parent.name != WORKFLOWS
        listed = named and not file.is_symlink() and file.is_file()
        if listed and (file.parent not in owners or file.suffix == COMMENT):
            try:
                linted = lint_text(read_text(file, "PATH"), file, policy)
            except UsageError as error:  # which hides no other file
                linted = Linted(path=str(file), problems=(problem("PG005", str(error), Where(path=str(file))),))
            found += [] if linted.empty else [linted]
    for path, owner in sorted(owners.items(), key=lambda each: each[0]):
        found += [_linted(checked, policy) for checked in owner.check_folder(str(path), load_folder(path))]
    return found


def _linted(checked: Checked, policy: Policy) -> Linted:
    return Linted(path=checked.path, problems=adjusted(policy, checked.problems), outcome=checked.outcome)


def _never_empty(linted: Linted, name: str) -> Linted:
    if linted.problems or not linted.empty:
        return linted
    return Linted(path=name, problems=(problem("PG601", "no signal to check was found", Where(path=name)),))


def lint_text(text: str, path: Path, policy: Policy) -> Linted:
    """What is wrong in a file, by its kind."""
    lint = LINTERS.get(path.suffix)
    if lint is None:
        known = ", ".join(LINTERS)
        raise UsageError(f"PATH {path}: cannot tell what kind of file this is (known endings: {known})")
    return lint(text, str(path), policy)


def lint_policy(text: str, path: str, _policy: Policy) -> Linted:
    """What is wrong in a policy file."""
    if Path(path).parent.name == WORKFLOWS:
        raise UsageError(f"PATH {path}: this is a workflow and no policy; doctor checks workflows")
    loaded = local_policy(text, path)
    return Linted(path=path, problems=loaded.problems if isinstance(loaded, Policy) else loaded)


def lint_snapshot(text: str, path: str, _policy: Policy) -> Linted:
    """What is wrong in a saved snapshot."""
    parsed = parse_snapshot(text, path)
    return Linted(path=path, problems=parsed if isinstance(parsed, tuple) else ())


def lint_json(text: str, path: str, policy: Policy) -> Linted:
    """A saved snapshot, unless it looks like the content of a comment's block."""
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
        "valid": not _is_wrong(problems),
        "where": {"path": signal.where.path, "line": signal.where.line},
        "problems": [item.code for item in problems],
    }


def _closing(found: list[Linted], problems: list[Problem], fixed: int, policy: Policy) -> str:
    signals = sum(len(linted.signals) + (linted.outcome is not None) for linted in found)
    told = [f"{len(found)} checked, {signals} signal{'s' * (signals != 1)}: {counted(problems)}"]
    more = sum(item.fix is not None for item in problems) + sum(linted.cured for linted in found)
    told += [f"{more} fixable with --fix"] if more else []
    told += [f"{fixed} fixed"] if fixed else []
    verdicts = [signal for linted in found for signal in linted.meant if signal.kind is Kind.VERDICT]
    for data in (_signal_data(policy, signal) for signal in verdicts if len(found) == 1):
        role = policy.roles.get(str(data["role"]))
        counts = "would NOT count as" if _is_wrong(problems) else "is"
        said = f", {data['outcome']}" if data["outcome"] and not _is_wrong(problems) else ""
        told.append(f"this {counts} a verdict{f' of {role.title}' if role else ''}{said}")
    return " · ".join(told)


def counted(problems: Iterable[Problem]) -> str:
    """The number of problems by severity, in words."""
    counts = Counter(item.severity for item in problems)
    known = (severity for severity in Severity if counts[severity])
    told = (f"{counts[each]} {each.value}{'s' * (counts[each] != 1)}" for each in known)
    return ", ".join(told) or "no problems"
