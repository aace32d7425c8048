"""Builds or checks an agent's input: a context pack, or a list of files."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from functools import cache, partial, reduce
from pathlib import Path

from phasegate.catalogue import problem, problem_of
from phasegate.cli.check import target_of
from phasegate.cli.files import MAX_BYTES, read_snapshot, refusing, write_text
from phasegate.cli.live import decide
from phasegate.cli.terminal import NOT_PASSED, PASSED, Answer, Arguments, Steps, Terminal, UsageError
from phasegate.context.protocol import (
    KB,
    ROOT,
    SECTIONS,
    Checked,
    Exists,
    build_pack,
    check,
    feedback_of,
    plan_of,
    unusable,
    write_list,
)
from phasegate.dialects.registry import every_dialect
from phasegate.gate import judge
from phasegate.github.client.answers import GitHubError, as_documented
from phasegate.github.client.client import SECONDS, Client, Clock, Server, make_client
from phasegate.github.diff import DiffReader, read_diff
from phasegate.github.reading.opening import Target
from phasegate.model.problem import Fault, Position, Problem, Where
from phasegate.model.report import Report
from phasegate.model.snapshot import POLICY, REMOVED, Snapshot
from phasegate.report.data import problem_data
from phasegate.report.inert import plain
from phasegate.settings import Api, api_from_environ, number, repository

LARGEST_TOTAL = 10_000
PACK_OPTIONS = tuple(section.content for section in SECTIONS)
LIST_OPTIONS = ("required", "optional", "root")
STDIN = "-"
FILE_MODES = ("100644", "100755")
MANY, TEXT = {"nargs": "+", "default": [], "type": str}, {"type": str}
Data = dict[str, object]

PLACE: Arguments = {
    "--root DIR": "where required files must exist (default: here)",
    "--repo OWNER/NAME": "a live pull request of this repository (with --pr)",
    "--pr N": "the number of the live pull request",
}
ARGUMENTS: Arguments = {
    "step": Steps(
        "steps",
        "step",
        {
            "build": (
                "make a context pack, or with --files a list of files",
                {
                    "a context pack": {
                        "--diff FILE": ("the diff (- for standard input; default: the live one)", TEXT),
                        "--plan FILE": ("the plan (default: the one that counts)", TEXT),
                        "--codebase FILE": ("files that the agent should see", MANY),
                        "--feedback FILE": ("verdicts of the round before", MANY),
                        "--snapshot FILE": "a saved snapshot to take plan and feedback from",
                        "--policy-path PATH": ("the policy on the default branch", {"default": POLICY}),
                        "--total KB": "the most that the whole pack may have",
                    },
                    "a list of files": {
                        "--files": "make a list of paths instead of a pack",
                        "--required PATH": ("files that the agent must read", MANY),
                        "--optional PATH": ("files that it reads if they exist", MANY),
                    },
                    "--output FILE": "write the text here (default: standard output)",
                    **PLACE,
                },
            ),
            "check": (
                "check a context pack or a list of files",
                {"file FILE": ("the text to check, or - for standard input", TEXT), **PLACE},
            ),
        },
    )
}


def run(options: argparse.Namespace, terminal: Terminal) -> Answer:
    """Makes a pack or a list, or checks one."""
    if options.does == "check":
        return _check(options, terminal)
    logged = terminal.environ.get("GITHUB_ACTIONS") == "true"
    if logged and options.output is None and not options.json:
        raise UsageError("--output is missing: the runner would run the commands that a stranger's diff can hold")
    return _build_list(options, terminal) if options.files else _build_pack(options, terminal)


def _refuse(options: argparse.Namespace, names: tuple[str, ...], why: str) -> None:
    for name in names:
        if getattr(options, name):
            raise UsageError(f"--{name} {why}")


def _build_pack(options: argparse.Namespace, terminal: Terminal) -> Answer:
    _refuse(options, LIST_OPTIONS, "goes with --files")
    total = options.total
    if total is not None and not (total.isascii() and total.isdigit() and 1 <= int(total[:9]) <= LARGEST_TOTAL):
        raise UsageError(f'--total is a number of KB from 1 to {LARGEST_TOTAL}, not "{total[:40]}"')
    source = _decided(options, terminal)
    if source is None and not any(getattr(options, name) for name in PACK_OPTIONS):
        raise UsageError("--diff, --plan, --codebase, --feedback, --snapshot or --repo: name what to make the pack of")
    pack = build_pack(_contents(options, source, terminal), None if total is None else int(total) * KB)
    sections = [
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
    return _left(options, pack.text, {"form": "context pack", "sections": sections})


def _contents(options: argparse.Namespace, source: Decided | None, terminal: Terminal) -> dict[str, str]:
    """The user's files, and for other sections the content from the pull request."""
    told = {} if source is None else _told(source)
    for name in PACK_OPTIONS:
        if given := getattr(options, name):
            told[name] = ""
            files = [given] if isinstance(given, str) else given
            for file in files:  # bytes that are no UTF-8, as diffs have them, are marked
                text = _bytes(file, f"--{name}", terminal).decode("utf-8", "replace")
                head = f"[file {file}]\n" if name == "codebase" else ""
                told[name] += f"{head}{text}" + "\n" * (bool(text) and not text.endswith("\n"))
    return told


def _told(source: Decided) -> dict[str, str]:
    snapshot, report, diff = source

    def short_form(text: str) -> str:
        return reduce(lambda told, dialect: dialect.short_form(told), every_dialect(), text)

    return {"diff": diff, "plan": plan_of(report, snapshot, short_form), "feedback": feedback_of(report)}


def pack_text(api: Api, target: Target) -> str:
    """The pack of a live pull request."""
    return build_pack(_told(_live(target, api))).text


def _build_list(options: argparse.Namespace, terminal: Terminal) -> Answer:
    _refuse(options, (*PACK_OPTIONS, "total"), "does not go with --files")
    exists = _existence(options, terminal)
    required = list(dict.fromkeys(options.required)) or _changed(_decided(options, terminal))
    optional = [path for path in dict.fromkeys(options.optional) if path not in required]
    wrong = [*_wrong(required, "--required", exists), *_wrong(optional, "--optional", lambda _: True)]
    if wrong:
        told = {"ok": False, "form": ROOT, "problems": [problem_data(item) for item in wrong]}
        return Answer(NOT_PASSED, lambda: told, lambda terminal: terminal.problems(wrong))
    return _left(options, write_list(required, optional), {"form": ROOT, "required": required, "optional": optional})


def _changed(source: Decided | None) -> list[str]:
    """Files that the pull request changes and that still exist."""
    if source is None:
        raise UsageError("--required is missing: name the files, or a pull request whose changed files are meant")
    found = [file.path for file in source[0].files.entries if file.status != REMOVED]
    if not found:
        raise UsageError("--required is missing, and the pull request changes no file that is still there")
    return found


def _wrong(paths: list[str], option: str, exists: Exists) -> Iterator[Problem]:
    for path in paths:
        reason = unusable(path)
        if reason:
            yield problem("PG813", f'"{path[:200]}" names no file of the repository: {reason}', Where(path=option))
        elif not exists(path):
            yield problem("PG814", f'the required file "{path[:200]}" does not exist', Where(path=option))


def _left(options: argparse.Namespace, text: str, told: Data) -> Answer:
    """The text for the user: in the named file, printed, or inside the JSON answer."""
    size = len(text.encode())
    if options.output is not None:
        write_text(options.output, text, "--output")

    def printed(terminal: Terminal) -> str | None:
        if options.output is not None:
            return f"{plain(str(options.output), 500)}: {size} bytes"
        terminal.stdout.write(text)
        return None

    place: Data = {"text": text} if options.output is None else {"output": str(options.output)}
    return Answer(PASSED, lambda: {"ok": True, **told, "bytes": size, **place}, printed)


def _check(options: argparse.Namespace, terminal: Terminal) -> Answer:
    exists, raw = _existence(options, terminal), _bytes(options.file, "FILE", terminal)
    try:
        checked = check(raw.decode("utf-8"), exists)
    except UnicodeDecodeError as error:
        before = raw[: error.start].split(b"\n")
        position = Position(line=len(before), column=len(before[-1].decode("utf-8", "replace")) + 1)
        fault = Fault(code="PG806", message=f"byte {error.start} is not UTF-8", position=position)
        checked = Checked(form="unknown text", faults=(fault,))
    name = "<standard input>" if options.file == STDIN else options.file
    problems = [problem_of(fault, Where(path=name)) for fault in checked.faults]
    data = {
        "ok": not problems,
        "form": checked.form,
        "sections": [
            {"name": item.section.name, "line": item.line, "bytes": item.size, "budget": item.section.limit}
            for item in checked.sections
        ],
        "files": [{"path": item.path, "required": item.required} for item in checked.files],
        "problems": [problem_data(item) for item in problems],
    }

    def text(terminal: Terminal) -> str:
        terminal.problems(problems)
        return f"{checked.form}: {len(problems) or 'no'} problem{'s' * (len(problems) != 1)}"

    return Answer(NOT_PASSED if problems else PASSED, lambda: data, text)


def _bytes(name: str, option: str, terminal: Terminal) -> bytes:
    if name == STDIN:
        stream = getattr(terminal.stdin, "buffer", None)
        return terminal.stdin.read().encode() if stream is None else bytes(stream.read(MAX_BYTES))
    path = Path(name)
    with refusing(option, path):
        if path.stat().st_size > MAX_BYTES:
            raise UsageError(f"{option} {name}: larger than {MAX_BYTES} bytes")
        return path.read_bytes()


# A pull request, saved or live, with what was decided, and the diff of a live one.
Decided = tuple[Snapshot, Report, str]


def _decided(options: argparse.Namespace, terminal: Terminal) -> Decided | None:
    """The pull request named by the user, if any."""
    if options.snapshot is not None and options.repo is not None:
        raise UsageError("--snapshot and --repo: name one of them")
    if options.snapshot is not None:
        snapshot = read_snapshot(options.snapshot)
        return snapshot, judge(snapshot), ""
    if not _is_live(options):
        return None
    needless = options.files or options.diff is not None
    return _live(target_of(options), api_from_environ(terminal.environ), needless=needless)


def _live(target: Target, api: Api, *, needless: bool = False) -> Decided:
    """A live pull request, with its diff unless ``needless``."""
    decision = decide(make_client(api), target)
    diff = "" if needless else _diff(api, target.repository, target.number, decision.report.head)
    return decision.snapshot, decision.report, diff


def _is_live(options: argparse.Namespace) -> bool:
    if options.pr is not None and options.repo is None:
        raise UsageError("--pr goes with --repo")
    return options.repo is not None


def _diff(api: Api, name: str, pull: int, head: str) -> str:
    """The diff of a pull request at exactly this head."""
    server = Server(
        rest=api.rest, graphql=api.graphql, token=api.token, proxies=api.proxies, certificates=api.certificates
    )
    clock = Clock(monotonic=time.monotonic, epoch=time.time, sleep=time.sleep)
    client = make_client(api)
    diff = read_diff(DiffReader(server, clock, SECONDS), client, name, pull, SECTIONS[0].limit)
    if _head(client, name, pull) != head:
        raise GitHubError(f"{name}#{pull} got another commit while it was read. Run this again")
    return diff


def _head(client: Client, name: str, pull: int) -> str:
    path = f"/repos/{name}/pulls/{pull}"
    with as_documented(f"GET {path}"):
        return str(client.get(path)["head"]["sha"])


def _existence(options: argparse.Namespace, terminal: Terminal) -> Exists:
    """Tells whether a file exists: below the root, or at a live pull request's head, which is read on demand."""
    if not _is_live(options):
        return _below(options.root or Path())
    if options.root is not None:
        raise UsageError("--root and --repo: name one of them")
    name, pull = repository(options.repo, "--repo"), number(options.pr or "", "--pr")
    listed = cache(partial(_files_at_head, api_from_environ(terminal.environ), name, pull))
    return lambda path: path in listed()


def _below(root: Path) -> Exists:
    """Files below a folder. A link that leaves it does not count."""
    if not root.is_dir():
        raise UsageError(f"--root {root}: no such folder")
    home = root.resolve()

    def exists(path: str) -> bool:
        try:
            found = (home / path).resolve()
            return found.is_file() and found.is_relative_to(home)
        except (OSError, ValueError, RuntimeError):
            return False

    return exists


def _files_at_head(api: Api, name: str, pull: int) -> frozenset[str]:
    """The files of the head commit, without links and submodules."""
    client = make_client(api)
    path = f"/repos/{name}/git/trees/{_head(client, name, pull)}"
    tree = client.get(path, recursive="1")
    with as_documented(f"GET {path}"):
        if tree["truncated"]:
            raise GitHubError(f"GET {path}: too many files to list. Check against a clone with --root")
        return frozenset(entry["path"] for entry in tree["tree"] if entry["mode"] in FILE_MODES)
