"""Build or check what an agent is given to read: a context pack, or a list of files."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from phasegate.catalogue import problem, problem_of
from phasegate.cli.files import MAX_BYTES, UsageError, read_snapshot, write_text
from phasegate.cli.live import decide
from phasegate.cli.terminal import NOT_PASSED, PASSED, Terminal
from phasegate.context.check import ROOT, Checked, check, unusable, write_list
from phasegate.context.pack import KB, SECTIONS, Contents, Pack, build_pack, feedback_of, plan_of
from phasegate.dialects.registry import every_dialect
from phasegate.gate import judge
from phasegate.github.client.answers import GitHubError, as_documented
from phasegate.github.client.client import SECONDS, Client, Clock, Server, make_client
from phasegate.github.diff import DiffReader, read_diff
from phasegate.github.reading.opening import Target
from phasegate.model.frozen import dataclass
from phasegate.model.problem import Fault, Position, Problem, Where
from phasegate.model.report import Report
from phasegate.model.snapshot import POLICY, REMOVED, Snapshot
from phasegate.report.data import problem_data
from phasegate.report.inert import plain, safe_json
from phasegate.settings import Api, SettingsError, api_from_environ, number, policy_path, repository

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


def _short_form(text: str) -> str:
    for dialect in every_dialect():
        text = dialect.short_form(text)
    return text


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
        "plan": "" if source is None else plan_of(source.report, source.snapshot, _short_form),
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


STDIN = "-"


@dataclass(frozen=True, kw_only=True, slots=True)
class Decided:
    """A pull request, saved or live: what was decided, from what, and the diff of a live one."""

    report: Report
    snapshot: Snapshot
    diff: str = ""


def read_bytes(name: str, option: str, terminal: Terminal) -> bytes:
    """A file that the user named, or standard input."""
    if name == STDIN:
        stream = getattr(terminal.stdin, "buffer", None)
        return terminal.stdin.read().encode() if stream is None else bytes(stream.read(MAX_BYTES))
    try:
        path = Path(name)
        if path.stat().st_size > MAX_BYTES:
            raise UsageError(f"{option} {name}: larger than {MAX_BYTES} bytes")
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{option} {name}: {error.strerror or error}") from None
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from None


def read_lines(name: str, option: str, terminal: Terminal) -> str:
    """The text of a file with its last line ended; bytes that are no UTF-8, as diffs have them, are marked."""
    text = read_bytes(name, option, terminal).decode("utf-8", "replace")
    return text if text.endswith("\n") or not text else f"{text}\n"


def decided(options: argparse.Namespace, terminal: Terminal) -> Decided | None:
    """The pull request that the user named, if one was."""
    if options.snapshot is not None and options.repo is not None:
        raise UsageError("--snapshot and --repo: name one of them")
    if options.snapshot is not None:
        snapshot = read_snapshot(options.snapshot)
        return Decided(report=judge(snapshot), snapshot=snapshot)
    return None if not _is_live(options) else _live(options, terminal)


def _is_live(options: argparse.Namespace) -> bool:
    if options.pr is not None and options.repo is None:
        raise UsageError("--pr goes with --repo")
    return options.repo is not None


def _live(options: argparse.Namespace, terminal: Terminal) -> Decided:
    from phasegate.cli.context import diff_of, read_live  # noqa: PLC0415  (needs HTTP)
    from phasegate.github.reading.opening import Target  # noqa: PLC0415  (needs HTTP)

    try:
        target = Target(
            repository=repository(options.repo, "--repo"),
            number=number(options.pr or "", "--pr"),
            policy_path=policy_path(options.policy_path),
        )
        api = api_from_environ(terminal.environ, terminal.environ.get("GITHUB_TOKEN", ""))
    except SettingsError as error:
        raise UsageError(str(error)) from None
    snapshot, report = read_live(api, target)
    needless = options.files or options.diff is not None
    return Decided(report=report, snapshot=snapshot, diff="" if needless else diff_of(api, target, report.head))


def existence(options: argparse.Namespace, terminal: Terminal) -> Callable[[str], bool]:
    """Whether a file exists: below the root, or at the head of a live pull request, which is read when first asked."""
    if not _is_live(options):
        return _below(options.root or Path())
    if options.root is not None:
        raise UsageError("--root and --repo: name one of them")
    return _at_head(options, terminal)


def _below(root: Path) -> Callable[[str], bool]:
    """Files below a folder; a link that leads out of it does not count."""
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


def _at_head(options: argparse.Namespace, terminal: Terminal) -> Callable[[str], bool]:
    from phasegate.cli.context import files_at_head  # noqa: PLC0415  (needs HTTP)

    try:
        name, pull = repository(options.repo, "--repo"), number(options.pr or "", "--pr")
        api = api_from_environ(terminal.environ, terminal.environ.get("GITHUB_TOKEN", ""))
    except SettingsError as error:
        raise UsageError(str(error)) from None
    known: list[frozenset[str]] = []

    def exists(path: str) -> bool:
        if not known:
            known.append(files_at_head(api, name, pull))
        return path in known[0]

    return exists


FILE_MODES = ("100644", "100755")


def read_live(api: Api, target: Target) -> tuple[Snapshot, Report]:
    """The pull request, decided."""
    decision = decide(make_client(api), target)
    return decision.snapshot, decision.report


def diff_of(api: Api, target: Target, head: str) -> str:
    """The diff of a pull request; of this very head, or none."""
    client = make_client(api)
    diff = read_diff(_diff_reader(api), client, target.repository, target.number, SECTIONS[0].limit)
    if _head(client, target.repository, target.number) != head:
        raise GitHubError(f"{target.repository}#{target.number} got another commit while it was read. Run this again")
    return diff


def _diff_reader(api: Api) -> DiffReader:
    server = Server(
        rest=api.rest, graphql=api.graphql, token=api.token, proxies=api.proxies, certificates=api.certificates
    )
    return DiffReader(server, Clock(monotonic=time.monotonic, epoch=time.time, sleep=time.sleep), SECONDS)


def _head(client: Client, repository: str, number: int) -> str:
    path = f"/repos/{repository}/pulls/{number}"
    with as_documented(f"GET {path}"):
        return str(client.get(path)["head"]["sha"])


def files_at_head(api: Api, repository: str, number: int) -> frozenset[str]:
    """The files of the head commit; links and submodules are none."""
    client = make_client(api)
    path = f"/repos/{repository}/git/trees/{_head(client, repository, number)}"
    tree = client.get(path, recursive="1")
    with as_documented(f"GET {path}"):
        if tree["truncated"]:
            raise GitHubError(f"GET {path}: too many files to list. Check against a clone with --root")
        return frozenset(entry["path"] for entry in tree["tree"] if entry["mode"] in FILE_MODES)
