"""Build or check what an agent is given to read: a context pack, or a list of files."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

from phasegate.catalogue import problem, problem_of
from phasegate.cli.context_input import STDIN, Decided, decided, existence, read_bytes, read_lines
from phasegate.cli.exits import NOT_PASSED, PASSED
from phasegate.cli.files import UsageError, write_text
from phasegate.cli.terminal import Terminal
from phasegate.context.check import Checked, check
from phasegate.context.files_to_read import ROOT, unusable, write_list
from phasegate.context.material import feedback_of, plan_of
from phasegate.context.pack import KB, Contents, Pack, build_pack
from phasegate.model.paths import POLICY
from phasegate.model.problem import Fault, Position, Problem, Where
from phasegate.model.snapshot import REMOVED
from phasegate.report.data import problem_data
from phasegate.report.inert import plain, safe_json

LARGEST_TOTAL = 10_000
PACK_OPTIONS = ("diff", "plan", "codebase", "feedback")
LIST_OPTIONS = ("required", "optional", "root")
Data = dict[str, object]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this command."""
    steps = parser.add_subparsers(title="steps", metavar="step", required=True)
    building = steps.add_parser("build", help="make a context pack, or with --files a list of files")
    _add_build(building)
    building.set_defaults(step=build)
    checking = steps.add_parser("check", help="check a context pack or a list of files")
    checking.add_argument("file", metavar="FILE", help="the text to check, or - for standard input")
    checking.set_defaults(step=check_file)
    for step in (building, checking):
        step.add_argument("--root", type=Path, metavar="DIR", help="where required files must exist (default: here)")
        step.add_argument("--repo", metavar="OWNER/NAME", help="a live pull request of this repository (with --pr)")
        step.add_argument("--pr", metavar="N", help="the number of the live pull request")
        step.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print the answer as JSON")


def _add_build(parser: argparse.ArgumentParser) -> None:
    pack = parser.add_argument_group("a context pack")
    pack.add_argument("--diff", metavar="FILE", help="the diff (- for standard input; default: the live one)")
    pack.add_argument("--plan", metavar="FILE", help="the plan (default: the one that counts)")
    pack.add_argument("--codebase", nargs="+", default=[], metavar="FILE", help="files that the agent should see")
    pack.add_argument("--feedback", nargs="+", default=[], metavar="FILE", help="verdicts of the round before")
    pack.add_argument("--snapshot", type=Path, metavar="FILE", help="a saved snapshot to take plan and feedback from")
    pack.add_argument("--policy-path", default=POLICY, metavar="PATH", help="the policy on the default branch")
    pack.add_argument("--total", metavar="KB", help="the most that the whole pack may have")
    files = parser.add_argument_group("a list of files")
    files.add_argument("--files", action="store_true", help="make a list of paths instead of a pack")
    files.add_argument("--required", nargs="+", default=[], metavar="PATH", help="files that the agent must read")
    files.add_argument("--optional", nargs="+", default=[], metavar="PATH", help="files that it reads if they exist")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write the text here (default: standard output)")


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Do the step that was named."""
    return int(options.step(options, terminal))


def build(options: argparse.Namespace, terminal: Terminal) -> int:
    """Make a pack or a list."""
    logged = terminal.environ.get("GITHUB_ACTIONS") == "true"
    if logged and options.output is None and not options.json:
        raise UsageError("--output is missing: the runner would run the commands that a stranger's diff can hold")
    return _build_list(options, terminal) if options.files else _build_pack(options, terminal)


def _refuse(options: argparse.Namespace, names: tuple[str, ...], why: str) -> None:
    for name in names:
        if getattr(options, name):
            raise UsageError(f"--{name} {why}")


def _build_pack(options: argparse.Namespace, terminal: Terminal) -> int:
    _refuse(options, LIST_OPTIONS, "goes with --files")
    total = _total(options.total)
    source = decided(options, terminal)
    if source is None and not any(getattr(options, name) for name in PACK_OPTIONS):
        raise UsageError("--diff, --plan, --codebase, --feedback, --snapshot or --repo: name what to make the pack of")
    pack = build_pack(_contents(options, source, terminal), total)
    _leave(options, terminal, pack.text, {"form": "context pack", "sections": _sections(pack)})
    return PASSED


def _contents(options: argparse.Namespace, source: Decided | None, terminal: Terminal) -> Contents:
    """What the user named, and for the rest what the pull request tells."""
    named = {
        name: "".join(_each(getattr(options, name), name, terminal)) if getattr(options, name) else None
        for name in PACK_OPTIONS
    }
    told = {
        "diff": "" if source is None else source.diff,
        "plan": "" if source is None else plan_of(source.report, source.snapshot),
        "feedback": "" if source is None else feedback_of(source.report),
    }
    return Contents(**{name: told.get(name, "") if text is None else text for name, text in named.items()})


def _each(files: str | list[str], name: str, terminal: Terminal) -> Iterator[str]:
    for file in [files] if isinstance(files, str) else files:
        text = read_lines(file, f"--{name}", terminal)
        yield f"[file {file}]\n{text}" if name == "codebase" else text


def _total(value: str | None) -> int | None:
    if value is None:
        return None
    if not (value.isascii() and value.isdigit() and 1 <= int(value[:9]) <= LARGEST_TOTAL):
        raise UsageError(f'--total is a number of KB from 1 to {LARGEST_TOTAL}, not "{value[:40]}"')
    return int(value) * KB


def _sections(pack: Pack) -> list[Data]:
    return [
        {
            "name": part.section.name,
            "budget": part.section.limit,
            "bytes": part.size,
            "whole": part.whole,
            "cut": part.cut,
            "rewritten": part.rewritten,
        }
        for part in pack.parts
    ]


def _build_list(options: argparse.Namespace, terminal: Terminal) -> int:
    _refuse(options, (*PACK_OPTIONS, "total"), "does not go with --files")
    exists = existence(options, terminal)
    required = list(dict.fromkeys(options.required)) or _changed(decided(options, terminal))
    optional = [path for path in dict.fromkeys(options.optional) if path not in required]
    wrong = [*_wrong(required, "--required", exists), *_wrong(optional, "--optional", None)]
    if not wrong:
        told: Data = {"form": ROOT, "required": required, "optional": optional}
        _leave(options, terminal, write_list(required, optional), told)
        return PASSED
    if options.json:
        terminal.say(safe_json({"ok": False, "form": ROOT, "problems": [problem_data(item) for item in wrong]}))
    else:
        terminal.problems(wrong)
    return NOT_PASSED


def _changed(source: Decided | None) -> list[str]:
    """The files that the pull request changes and that are still there."""
    if source is None:
        raise UsageError("--required is missing: name the files, or a pull request whose changed files are meant")
    found = [file.path for file in source.snapshot.files.entries if file.status != REMOVED]
    if not found:
        raise UsageError("--required is missing, and the pull request changes no file that is still there")
    return found


def _wrong(paths: list[str], option: str, exists: Callable[[str], bool] | None) -> Iterator[Problem]:
    """What is wrong with the paths of a list; those of whom it is asked must exist."""
    for path in paths:
        reason = unusable(path)
        if reason:
            yield problem("PG813", f'"{path[:200]}" names no file of the repository: {reason}', Where(path=option))
        elif exists is not None and not exists(path):
            yield problem("PG814", f'the required file "{path[:200]}" does not exist', Where(path=option))


def _leave(options: argparse.Namespace, terminal: Terminal, text: str, told: Data) -> None:
    """Give the text to the user: in the file that was named, or printed, or inside the JSON answer."""
    if options.output is not None:
        write_text(options.output, text, "--output")
    if options.json:
        place: Data = {"text": text} if options.output is None else {"output": str(options.output)}
        terminal.say(safe_json({"ok": True, **told, "bytes": len(text.encode()), **place}))
    elif options.output is None:
        terminal.stdout.write(text)
    else:
        terminal.say(f"{plain(str(options.output), 500)}: {len(text.encode())} bytes")


def check_file(options: argparse.Namespace, terminal: Terminal) -> int:
    """Check a pack or a list."""
    exists = existence(options, terminal)
    checked = _checked(read_bytes(options.file, "FILE", terminal), exists)
    name = "<standard input>" if options.file == STDIN else options.file
    problems = [problem_of(fault, Where(path=name)) for fault in checked.faults]
    if options.json:
        terminal.say(safe_json(_answer(checked, problems)))
    else:
        terminal.problems(problems)
        terminal.say(f"{checked.form}: {len(problems) or 'no'} problem{'s' * (len(problems) != 1)}")
    return NOT_PASSED if problems else PASSED


def _checked(raw: bytes, exists: Callable[[str], bool]) -> Checked:
    try:
        return check(raw.decode("utf-8"), exists)
    except UnicodeDecodeError as error:
        before = raw[: error.start].split(b"\n")
        position = Position(line=len(before), column=len(before[-1].decode("utf-8", "replace")) + 1)
        fault = Fault(code="PG806", message=f"byte {error.start} is not UTF-8", position=position)
        return Checked(form="unknown text", faults=(fault,))


def _answer(checked: Checked, problems: list[Problem]) -> Data:
    return {
        "ok": not problems,
        "form": checked.form,
        "sections": [
            {"name": item.section.name, "line": item.line, "bytes": item.size, "budget": item.section.limit}
            for item in checked.sections
        ],
        "files": [{"path": item.path, "required": item.required} for item in checked.files],
        "problems": [problem_data(item) for item in problems],
    }
