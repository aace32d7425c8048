"""What if: decides saved snapshots again with another policy or version, and tells which merges it would have held.

In: snapshots, folders of them as runs leave them, or the last merged pull requests of a repository, which are read and
saved first. Each is decided in one of several processes, and none is kept in memory. Out: a table, JSON or a page.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path, PureWindowsPath
from typing import Any
from zipfile import BadZipFile, ZipFile

from phasegate import VERSION
from phasegate.cli.files import MAX_BYTES, parse_snapshot, read_policy, read_text, refusing, snapshot_text, write_text
from phasegate.cli.replay import serve, side_by_side, with_policy
from phasegate.cli.terminal import NOT_PASSED, PASSED, Answer, Arguments, Colour, Terminal, UsageError
from phasegate.gate import judge_state
from phasegate.model.codec import text_digest
from phasegate.model.frozen import replace
from phasegate.model.past import OPEN, as_of
from phasegate.model.report import NeedKind, NeedState, Report, State, Why
from phasegate.model.signal import role_title
from phasegate.model.snapshot import CLOSED, POLICY, Snapshot
from phasegate.report.html import page, shown
from phasegate.report.inert import plain
from phasegate.report.status import describe
from phasegate.report.wording import counted, phase_title
from phasegate.settings import api_from_environ, policy_path, repository

MERGED, SUCCESS = "merged", State.SUCCESS.value
STATES = {state.value for state in State}
SAVED = Path("phase-gate-audit")  # where the snapshots of live pull requests are kept
ZIP, BROKEN = ".zip", (BadZipFile, KeyError, RuntimeError, EOFError, zlib.error)
BEGINS = re.compile(rb'\s*\{\s*"snapshot":')
FEW = 4  # snapshots that are decided without another process
MOST_LISTED, PER_PAGE, PAGES, MOST_FAILURES = 1_000, 100, 50, 3
KEEPS = 500  # requests per hour left for the runs of events
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:]{8}Z)?", re.ASCII)
HELD, PASSES, SAME, UNREAD = "held", "passes", "same", "unread"
TITLES = {HELD: "would have been held", PASSES: "would have passed", SAME: "the same", UNREAD: "could not be decided"}
COLOURS = {HELD: Colour.RED, PASSES: Colour.YELLOW, SAME: Colour.GREEN, UNREAD: Colour.RED}
NAMES = {
    NeedKind.PLAN: "plan",
    NeedKind.HUMAN: "human act",
    NeedKind.LINKED_ISSUE: "issue",
    NeedKind.FOLDER: "folder",
    NeedKind.HISTORY: "word",
    NeedKind.ATTEMPTS: "rounds",
}
Row = dict[str, Any]


ARGUMENTS: Arguments = {
    "snapshots SNAPSHOT": ("saved snapshots, or folders of them", {"nargs": "*"}),
    "--policy FILE": "decide by this policy, not by each snapshot's own",
    "--since DATE": ("leave out what is older, such as 2026-09-01", {"default": ""}),
    "--html FILE": "write the answer as a page",
    "--resume FILE": "keep what was decided here, and go on from there",
    "--jobs N": ("how many processes decide", {"type": int, "default": os.cpu_count() or 1}),
    "--repo OWNER/NAME": "read the last merged pull requests of this repository",
    "--last N": ("with --repo: how many; default 100", {"type": int, "default": 100}),
    "--save DIR": (f"with --repo: where snapshots are kept, and not read again; default {SAVED}", {"default": SAVED}),
    "--policy-path PATH": ("with --repo: the policy's path there", {"default": POLICY}),
    "--worker": argparse.SUPPRESS,
}


def run(options: argparse.Namespace, terminal: Terminal) -> Answer | int:
    """Decides all, and tells what would be different."""
    if options.worker:
        return serve(terminal, lambda path: decide(Path(path), options.policy))
    if (options.repo is None) == (not options.snapshots):
        raise UsageError("name snapshots or folders of them, or a repository with --repo")
    if options.jobs < 1 or options.last < 1 or (options.since and not DAY.fullmatch(options.since)):
        raise UsageError("--jobs and --last are at least 1, and --since is a date such as 2026-09-01")
    read_policy(options.policy)  # which refuses one that is broken
    left: list[Row] = []
    if options.repo is not None:
        paths, left = _live(options, terminal)
    else:
        paths = list(_found(options.snapshots))
        if not paths:
            raise UsageError(f"SNAPSHOT {', '.join(map(str, options.snapshots))}: no snapshot is there")
    decided = _decided(paths, options, terminal)
    rows = [row for row in decided if row["ended"] == UNREAD or row["at"] >= options.since]
    answer = _answer([*_newest(rows), *left], len(rows), options)
    if options.html is not None:
        write_text(options.html, page("Audit", _body(answer)), "--html")
    held = answer["counts"][HELD] or answer["counts"][UNREAD]
    return Answer(NOT_PASSED if held else PASSED, lambda: answer, partial(_tell, answer))


def _found(named: Iterable[Path]) -> Iterator[Path]:
    """The named snapshots, and those in folders and archives."""
    for path in named:
        if path.is_dir():
            files = (file for file in sorted(path.rglob("*")) if file.is_file() and not file.is_symlink())
            yield from (each for file in files for each in _held(file))
        else:
            yield from _held(path) if path.suffix == ZIP else (path,)


def _held(file: Path) -> Iterator[Path]:
    """The file if it begins like a snapshot; for an archive its snapshots, as if it were a folder."""
    try:
        if file.suffix == ".json":
            with file.open("rb") as opened:
                yield from (file,) if BEGINS.match(opened.read(200)) else ()
        elif file.suffix == ZIP:
            with ZipFile(file) as archive:
                names = [
                    name for name in archive.namelist() if name.endswith(".json") and not PureWindowsPath(name).anchor
                ]
                for name in names:
                    with archive.open(name) as opened:
                        yield from (file / name,) if BEGINS.match(opened.read(200)) else ()
    except (OSError, *BROKEN):
        yield file  # which then says what is wrong with it


def _archive(path: Path) -> Path | None:
    return next((each for each in (path, *path.parents) if each.suffix == ZIP and each.is_file()), None)


def _text(path: Path) -> str:
    """The text of a file, possibly in an archive."""
    archive = _archive(path)
    if archive is None:
        return read_text(path, "SNAPSHOT")
    try:
        with ZipFile(archive) as opened, opened.open(path.relative_to(archive).as_posix()) as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise UsageError(f"SNAPSHOT {path}: larger than {MAX_BYTES} bytes")
        return content.decode("utf-8")
    except (OSError, ValueError, *BROKEN) as error:
        raise UsageError(f"SNAPSHOT {path}: it cannot be read out of the archive: {error}") from None


# One snapshot


def decide(path: Path, policy: Path | None) -> Row:
    """One snapshot as it was decided, and as it would be; or why it is unreadable."""
    try:
        found = parse_snapshot(_text(path), str(path))
    except UsageError as error:
        return _unread(str(path), path.name, str(error))
    if isinstance(found, tuple):
        return _unread(str(path), path.name, f"{found[0].code} {found[0].message}")
    snapshot = at_merge(found)
    merged = found.pull_request.state == MERGED
    was = _left(path)
    report = judge_state(snapshot if policy is None else with_policy(snapshot, policy))
    before = judge_state(snapshot) if policy is not None and was is None else None
    was = was if before is None else before.state.value
    through, passes = merged or was == SUCCESS, report.state is State.SUCCESS
    ended = SAME if through == passes or (was is None and not merged) else PASSES if passes else HELD
    why = reasons(before) if before is not None and ended == PASSES else reasons(report)
    return {
        "path": str(path),
        "name": f"{report.repository}#{report.pull_request}",
        "at": found.taken_at,
        "merged": merged,
        "was": was,
        "is": report.state.value,
        "ended": ended,
        "said": describe(report),
        "why": why,
    }


def _unread(path: str, name: str, said: str, *, merged: bool = False) -> Row:
    """A row for something undecided, with the reason."""
    states = {"was": None, "is": None, "ended": UNREAD}
    return {"path": path, "name": name, "at": "", "merged": merged, **states, "said": said, "why": []}


def at_merge(snapshot: Snapshot) -> Snapshot:
    """A merged pull request as it was at the merge: open, without later events."""
    request = snapshot.pull_request
    if request.state != MERGED:
        return snapshot
    closed = [change.at for change in request.state_changes if change.state == CLOSED]
    then = as_of(snapshot, max(closed)) if closed else snapshot
    changes = tuple(change for change in request.state_changes if not closed or change.at < max(closed))
    return replace(then, pull_request=replace(then.pull_request, state=OPEN, state_changes=changes))


def _left(path: Path) -> str | None:
    """The state in the report that the run left beside the snapshot."""
    beside = path.with_name(path.name.replace("snapshot", "report"))
    try:
        told = json.loads(_text(beside)) if beside != path else {}
    except (UsageError, ValueError, RecursionError):
        return None
    state = told.get("state") if isinstance(told, dict) and "report" in told else None
    return state if state in STATES else None


def reasons(report: Report) -> list[str]:
    """The rules that hold a pull request: phase, seat and reason. Waiting for another phase is none."""
    found = [
        f"{phase_title(phase.name)}: {NAMES.get(need.kind, role_title(need.name))} {need.why.value.replace('_', ' ')}"
        for phase in report.phases
        for need in phase.needs
        if need.state is not NeedState.MET and need.why is not Why.EARLIER_PHASE
    ]
    notes = [f"{phase_title(phase.name)}: {note.kind.value}" for phase in report.phases for note in phase.notes]
    withheld = [] if report.withheld is None else [report.withheld.value.replace("_", " ")]
    failing = found or withheld or [each.replace("_", " ") for each in notes]
    return [] if report.state is State.SUCCESS else list(dict.fromkeys(failing))


# All of them


def _decided(paths: Sequence[Path], options: argparse.Namespace, terminal: Terminal) -> list[Row]:
    """Every snapshot, decided once. Rows kept from an earlier run are reused."""
    policy = "" if options.policy is None else text_digest(read_text(options.policy, "--policy"))
    keys = {path: _key(path, policy) for path in paths}
    kept = _kept(options.resume)
    rows = [kept[keys[path]] for path in paths if keys[path] in kept]
    waiting = [path for path in paths if keys[path] not in kept]
    one = partial(decide, policy=options.policy)
    few = len(waiting) < FEW or options.jobs == 1
    for row in map(one, waiting) if few else _side_by_side(waiting, options):
        rows.append(row)
        terminal.bar(len(rows), len(paths), str(row["name"]))
        if options.resume is not None:
            with refusing("--resume", options.resume), options.resume.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": keys[Path(row["path"])], "row": row}) + "\n")
    return rows


def _key(path: Path, policy: str) -> str:
    """Everything a decision depends on: the file, its report, the policy and the version."""
    told = [str(path), policy, VERSION]
    for file in (_archive(path) or path, path.with_name(path.name.replace("snapshot", "report"))):
        try:
            stat = file.stat()
        except (OSError, ValueError):
            continue
        told += [str(stat.st_size), str(stat.st_mtime_ns)]
    return text_digest("\n".join(told))


def _kept(path: Path | None) -> dict[str, Row]:
    """Rows from an earlier run. A line that was cut off is decided again."""
    if path is None or not path.exists():
        return {}
    found: dict[str, Row] = {}
    for line in read_text(path, "--resume").splitlines():
        with suppress(ValueError, KeyError, TypeError):
            told = json.loads(line)
            found[told["key"]] = told["row"]
    return found


def _side_by_side(paths: Sequence[Path], options: argparse.Namespace) -> Iterator[Row]:
    """Rows as they come, from processes with one snapshot in memory each."""
    policy = [] if options.policy is None else ["--policy", str(options.policy)]
    for path, row in side_by_side(["audit", "--worker", *policy], list(map(str, paths)), options.jobs):
        yield row or _unread(path, Path(path).name, "the process that decided it has ended")


def _newest(rows: Iterable[Row]) -> list[Row]:
    newest: dict[str, Row] = {}
    for row in sorted(rows, key=lambda row: (row["at"], row["path"])):
        newest[row["path"] if row["ended"] == UNREAD else row["name"]] = row

    def place(row: Row) -> tuple[str, int, str]:
        name, _, number = row["name"].rpartition("#")
        return (name, int(number), row["path"]) if number.isdecimal() else (row["name"], 0, row["path"])

    return sorted(newest.values(), key=place)


# Live pull requests


def _live(options: argparse.Namespace, terminal: Terminal) -> tuple[list[Path], list[Row]]:
    """Snapshots of the last merged pull requests, read within the budget; and rows for unreadable ones."""
    from phasegate.cli import live  # noqa: PLC0415  (needs HTTP)
    from phasegate.github.client.answers import GitHubError  # noqa: PLC0415  (needs HTTP)
    from phasegate.github.client.client import SECONDS, make_client  # noqa: PLC0415  (needs HTTP)
    from phasegate.github.reading.opening import Target  # noqa: PLC0415  (needs HTTP)

    name, place = repository(options.repo, "--repo"), policy_path(options.policy_path)
    client = make_client(api_from_environ(terminal.environ))
    numbers = _merged(partial(client.page, f"/repos/{name}/pulls"), options.last, options.since)
    folder = options.save / name.replace("/", "-")
    with refusing("--save", folder):
        folder.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []
    left: list[Row] = []
    failures = 0
    for number in numbers:
        path, wrong = folder / f"snapshot-{number}.json", ""
        if not path.exists() and any(budget.left < KEEPS for budget in client.known.budgets.values()):
            wrong = "not read yet: the budget of this hour is spent, run it again"
        elif not path.exists() and failures == MOST_FAILURES:
            wrong = f"not read yet: GitHub could not be read {failures} times in a row, run it again"
        elif not path.exists():
            try:
                target = Target(repository=name, number=number, policy_path=place)
                text = snapshot_text(live.decide(client.with_time(SECONDS), target).snapshot)
                write_text(path.with_suffix(".part"), text, "--save")
                path.with_suffix(".part").replace(path)  # so that what is there is whole
                failures = 0
            except GitHubError as error:
                wrong, failures = str(error), failures + 1
        if wrong:
            left.append(_unread(str(path), f"{name}#{number}", wrong, merged=True))
        else:
            paths.append(path)
        terminal.bar(len(paths) + len(left), len(numbers), f"reading #{number}")
    return paths, left


def _merged(pulls: Callable[..., list[Any]], last: int, since: str) -> list[int]:
    """The numbers of the last merged pull requests, newest first.

    GitHub lists them by their last change, which is never before the merge.
    """
    found: list[tuple[str, int]] = []
    for number in range(1, PAGES + 1):
        listed = pulls(state="closed", sort="updated", direction="desc", per_page=PER_PAGE, page=number)
        found += [(each["merged_at"], each["number"]) for each in listed if (each.get("merged_at") or "") > since]
        found = sorted(found, reverse=True)[:last]
        oldest = found[-1][0] if len(found) == last else since
        if len(listed) < PER_PAGE or listed[-1]["updated_at"] < oldest:
            break
    return [number for _, number in found]


# The answer


def _answer(rows: list[Row], decided: int, options: argparse.Namespace) -> Row:
    counts = Counter(row["ended"] for row in rows)
    rules = {
        ended: dict(Counter(why for row in rows if row["ended"] == ended for why in row["why"]).most_common())
        for ended in (HELD, PASSES)
    }
    return {
        "version": VERSION,
        "policy": options.policy and str(options.policy),
        "snapshots": decided,
        "pull_requests": len(rows),
        "counts": {ended: counts[ended] for ended in TITLES},
        "rules": rules,
        "rows": rows,
    }


def _headline(answer: Row) -> str:
    by = "each one's own policy" if answer["policy"] is None else answer["policy"]
    return f"{counted(answer['pull_requests'], 'pull request')} by {by}, Phase Gate {answer['version']}"


def _tell(answer: Row, terminal: Terminal) -> None:
    terminal.paragraph(_headline(answer))
    for ended, title in TITLES.items():
        if answer["counts"][ended]:
            terminal.say(terminal.coloured(f"{answer['counts'][ended]:>6}  {title}", COLOURS[ended]))
    for ended, rules in answer["rules"].items():
        if rules:
            terminal.say(terminal.coloured(f"\n{TITLES[ended]}, by rule", Colour.BOLD))
        for why, count in rules.items():
            terminal.paragraph(why, f"{count:>6}  ")
    for ended in (HELD, PASSES, UNREAD):
        found = [row for row in answer["rows"] if row["ended"] == ended]
        if found:
            terminal.say(terminal.coloured(f"\n{TITLES[ended]}", Colour.BOLD))
        for row in found[:MOST_LISTED]:
            terminal.paragraph(row["said"], f"  {plain(row['name'], 80)}  ")
        if len(found) > MOST_LISTED:
            terminal.say(f"  and {len(found) - MOST_LISTED} more (--json lists them)")


def _body(answer: Row) -> Iterator[str]:
    yield f"<header><h1>What if</h1><p>{shown(_headline(answer))}</p></header>"
    yield from _table(("", "Pull requests"), ((title, answer["counts"][ended]) for ended, title in TITLES.items()))
    for ended, rules in answer["rules"].items():
        if rules:
            yield f"<h2>{TITLES[ended].capitalize()}, by rule</h2>"
            yield from _table(("Rule", "Pull requests"), rules.items())
    for ended in (HELD, PASSES, UNREAD, SAME):
        found = [row for row in answer["rows"] if row["ended"] == ended]
        if found:
            was = (", ".join(filter(None, (MERGED if row["merged"] else "", row["was"]))) for row in found)
            cells = (
                (row["name"], before, row["is"] or "", row["said"]) for row, before in zip(found, was, strict=True)
            )
            yield f"<h2>{TITLES[ended].capitalize()}</h2>"
            yield from _table(("Pull request", "Was", "Is", "What it says"), cells)


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    titles = "".join(f"<th>{shown(each)}</th>" for each in heads)
    yield f'<div class="scroll" tabindex="0"><table><thead><tr>{titles}</tr></thead><tbody>'
    for row in rows:
        kinds = (
            ' class="n"' if isinstance(cell, int) else f' class="{cell}"' if cell in STATES else "" for cell in row
        )
        cells = (f"<td{kind}>{shown(str(cell))}</td>" for kind, cell in zip(kinds, row, strict=True))
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table></div>"
