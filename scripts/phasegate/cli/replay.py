"""Decides a saved snapshot again and compares the report with the saved one, byte for byte.

It also decides the state at any time with several processes: each gets questions and gives answers as lines of JSON.
"""

from __future__ import annotations

import argparse
import difflib
import itertools
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

from phasegate import VERSION
from phasegate.cli.files import read_snapshot, read_text, snapshot_text, write_text
from phasegate.cli.terminal import (
    HTML,
    MARKDOWN,
    NOT_PASSED,
    PASSED,
    SCRIPTS,
    USAGE,
    Answer,
    Arguments,
    Colour,
    Terminal,
    sarif,
)
from phasegate.dialects.dialect import Known
from phasegate.gate import judge, judge_state
from phasegate.model.codec import text_digest
from phasegate.model.frozen import replace
from phasegate.model.past import as_of
from phasegate.model.report import Disposition, Report, State
from phasegate.model.snapshot import PolicyFile, Snapshot
from phasegate.report.annotations import standing_findings
from phasegate.report.data import report_data, report_text
from phasegate.report.html import timeline_page
from phasegate.report.inert import plain, safe_json
from phasegate.report.status import describe
from phasegate.report.summary.overview import CAREFUL, IDLE, Blocker, Row, overview, rounds_held
from phasegate.report.summary.page import summary
from phasegate.report.tasks import turn
from phasegate.report.timeline import Said, timeline
from phasegate.report.wording import counted, short

SHOWN = 40
CHANGES = {"-": Colour.RED, "+": Colour.GREEN}
FIRST = 5
FEW = 60  # moments that are decided without another process
JOBS = os.cpu_count() or 1
PATIENCE = 120  # seconds that a user may wait for a page
# One column each, where the marks of the summary have two.
MARKS = {
    "✅": ("✓", Colour.GREEN),
    "❌": ("✗", Colour.RED),
    "⏳": ("…", Colour.YELLOW),
    "🛑": ("!", Colour.RED),
    CAREFUL: ("!", Colour.YELLOW),
    IDLE: ("·", Colour.PLAIN),
}


ARGUMENTS: Arguments = {
    "snapshot SNAPSHOT": "a saved snapshot",
    "report REPORT": ("the report that was saved with it", {"nargs": "?"}),
    "--policy FILE": "judge by this policy, not by the snapshot's own",
    **MARKDOWN,
    **HTML,
    "--worker": argparse.SUPPRESS,
}


def run(options: argparse.Namespace, terminal: Terminal) -> Answer | int:
    """Decides again. Without a report to compare, decides twice."""
    if options.worker:
        return serve(terminal, partial(said_at, read_snapshot(options.snapshot, "SNAPSHOT"), {}))
    with terminal.progress(f"Deciding {options.snapshot} …"):
        snapshot, report = decide_saved(options.snapshot, options.policy, "SNAPSHOT")
        again = report_text(report)
        left = report_text(judge(snapshot)) if options.report is None else read_text(options.report, "REPORT")
    if options.html is not None:
        write_timeline(snapshot, report, options.html, terminal)
    same, digest = again == left, text_digest(again)

    def text(terminal: Terminal) -> str | None:
        if options.markdown:
            return summary(report)
        if same:
            return f"{terminal.coloured('Same bytes', Colour.GREEN)}: {digest} ({report.state.value})"
        told = terminal.coloured("Different", Colour.RED)
        terminal.say(f"{told}: the decision made now differs from the saved one.")
        lines = difflib.unified_diff(left.splitlines(), again.splitlines(), "left", "now", lineterm="", n=1)
        for line in itertools.islice(lines, SHOWN):
            terminal.say(terminal.coloured(plain(line, 400), CHANGES.get(line[:1], Colour.PLAIN)))
        return None

    data = {"same": same, "state": report.state.value, "digest": digest}
    return Answer(PASSED if same else NOT_PASSED, lambda: data, text)


def decide_saved(path: Path, policy: Path | None, option: str = "--snapshot") -> tuple[Snapshot, Report]:
    """A saved snapshot, with another policy if one is named, and its report."""
    read = read_snapshot(path, option)
    snapshot = read if policy is None else with_policy(read, policy)
    return snapshot, judge(snapshot)


def write_timeline(snapshot: Snapshot, report: Report, path: Path, terminal: Terminal) -> None:
    """Writes the timeline page."""
    write_text(path, timeline_text(snapshot, report, terminal), "--html")


def with_policy(snapshot: Snapshot, path: Path) -> Snapshot:
    """The snapshot as if the repository had this policy."""
    text = read_text(path, "--policy")
    shared = snapshot.policy.shared
    return replace(snapshot, policy=PolicyFile(path=str(path), text=text, digest=text_digest(text), shared=shared))


def answer(report: Report, options: argparse.Namespace) -> Answer:
    """The answer about a pull request. The report is also written to a file if wanted."""
    if options.report is not None:
        write_text(options.report, report_text(report), "--report")
    code = {State.SUCCESS: PASSED, State.ERROR: USAGE}.get(report.state, NOT_PASSED)
    text = partial(_summary, report) if options.markdown else partial(show, report)
    return Answer(code, partial(report_data, report), text)


def _summary(report: Report, _terminal: Terminal) -> str:
    return summary(report)


def write_findings(report: Report, path: Path) -> None:
    """Writes the findings that stand against the present content, with their lines, as SARIF."""
    write_text(path, safe_json(sarif(tuple(standing_findings(report)), VERSION)) + "\n", "--sarif")


def show(report: Report, terminal: Terminal) -> None:
    """Prints the first screen of the summary and what else there is."""
    seen = overview(report)
    sign, colour = MARKS[seen.mark]
    terminal.paragraph(seen.headline, f"{sign} ", colour or Colour.BOLD)
    now = turn(report, [blocker.problem for blocker in seen.blockers], seen.headline)
    if now.text:
        terminal.paragraph(now.text, "Next: ", Colour.BOLD)
    if now.line:
        terminal.say(f"      {now.line}")
    for remark in seen.remarks:
        terminal.paragraph(remark)
    if seen.blockers:
        terminal.say()
    for blocker in seen.blockers[:FIRST]:
        _blocker(blocker, now.told, terminal)
    if len(seen.blockers) > FIRST:
        terminal.say(f"  and {len(seen.blockers) - FIRST} more")
    terminal.say()
    column = max((len(plain(row.title, 30)) for row in seen.rows), default=0)
    for row in seen.rows:
        sign, colour = MARKS[row.mark]
        terminal.paragraph(_row(row), f"  {sign} {plain(row.title, 30):<{column}}  ", colour)
    terminal.say()
    where = f"{report.repository}#{report.pull_request} at {short(report.head)}"
    terminal.paragraph(" · ".join(filter(None, (where, seen.round))))
    more = " · ".join(_more(report))
    if more:
        terminal.paragraph(f"{more} (--markdown shows them)")


def _blocker(blocker: Blocker, told_already: str, terminal: Terminal) -> None:
    lead = f"  {plain(blocker.label, 40)}  " if blocker.label else "  "
    place = f", {blocker.location}" if blocker.location else ""
    struck = f" ({blocker.struck})" if blocker.struck else ""
    colour = Colour.DIM if blocker.struck else Colour.BOLD
    terminal.paragraph(f"{blocker.text}{place}{struck}", lead, colour)
    if blocker.hint and not blocker.struck and plain(blocker.hint) not in told_already:
        terminal.paragraph(f"hint: {blocker.hint}" if blocker.finding else f"fix: {blocker.hint}", " " * len(lead))


def _row(row: Row) -> str:
    after = f"after {', '.join(row.after)}" if row.after else ""
    signs = ((MARKS[piece.mark][0] if piece.mark else "", piece.name, piece.after) for piece in row.pieces)
    pieces = " · ".join(" ".join(filter(None, piece)) for piece in signs)
    return ": ".join(filter(None, [after, pieces]))


def _more(report: Report) -> Iterator[str]:
    """What the first screen leaves out, as counts."""
    rounds = rounds_held(report)
    unheard = sum(item.disposition in (Disposition.IGNORED, Disposition.STALE) for item in report.signals)
    for count, thing in ((rounds, "round"), (len(report.acts), "approval"), (len(report.problems), "problem")):
        if count:
            yield counted(count, thing)
    if unheard + report.left_out:
        yield f"{unheard + report.left_out} did not count"


# What the gate would have said at any time, and work that is shared by processes of this very program.


def side_by_side(words: Sequence[str], questions: Sequence[str], jobs: int) -> Iterator[tuple[str, Any]]:
    """Each question with its answer, as they come, from a command of this program; None if its process ended."""
    todo: queue.SimpleQueue[str] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
    for question in questions:
        todo.put(question)
    program = ["-I", "-S", str(SCRIPTS / "__main__.py")] if SCRIPTS.name == "scripts" else ["-m", "phasegate"]
    for _ in range(min(jobs, len(questions))):
        command = [sys.executable, *program, *words]
        threading.Thread(target=_feed, args=(command, todo, done), daemon=True).start()
    try:
        for _ in questions:
            yield done.get()
    finally:
        with suppress(queue.Empty):
            while True:
                todo.get_nowait()


def _feed(command: Sequence[str], todo: queue.SimpleQueue[str], done: queue.SimpleQueue[tuple[str, Any]]) -> None:
    """Keeps one process busy. If it ends it is restarted, and its question has no answer."""
    while True:
        with subprocess.Popen(  # noqa: S603  (this program itself)
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as each:
            while each.stdin is not None and each.stdout is not None:
                try:
                    question = todo.get_nowait()
                except queue.Empty:
                    return
                try:
                    each.stdin.write(f"{json.dumps(question)}\n".encode())
                    each.stdin.flush()
                    done.put((question, json.loads(each.stdout.readline())))
                except (OSError, ValueError):
                    done.put((question, None))
                    break


def serve(terminal: Terminal, answer: Callable[[str], object]) -> int:
    """Answers one question after the other until there are no more."""
    for line in terminal.stdin:
        terminal.say(json.dumps(answer(json.loads(line))))
        terminal.stdout.flush()
    return PASSED


def said_at(snapshot: Snapshot, known: Known, at: str) -> tuple[str, str]:
    """What the gate would have said at a time: state and reason."""
    report = judge_state(as_of(snapshot, at), known)
    return report.state.value, describe(report)


def states(snapshot: Snapshot, terminal: Terminal, seconds: float, times: Sequence[str]) -> dict[str, Said]:
    """What the gate would have said at these times, as many as the time allows, first ones first."""
    ends, told = time.monotonic() + seconds, dict[str, Said]()
    with closing(_said(snapshot, times)) as made:
        for done, (at, said) in enumerate(made, 1):
            if said is not None:  # else its process has ended
                told[at] = (State(said[0]), said[1])
            terminal.bar(done, len(times), at)
            if time.monotonic() > ends:
                break
    return told


def _said(snapshot: Snapshot, times: Sequence[str]) -> Generator[tuple[str, Any], None, None]:
    """The answers as they come. A few are computed fastest in this process."""
    if len(times) <= FEW or JOBS == 1:
        known: Known = {}
        yield from ((at, said_at(snapshot, known, at)) for at in times)
        return
    with tempfile.TemporaryDirectory(prefix="phase-gate-") as folder:
        path = Path(folder) / "snapshot.json"
        write_text(path, snapshot_text(snapshot), "snapshot")
        yield from side_by_side(["replay", "--worker", str(path)], times, JOBS)


def timeline_text(snapshot: Snapshot, report: Report, terminal: Terminal, seconds: float = PATIENCE) -> str:
    """The timeline page, with what the gate would have said after each event."""
    return timeline_page(timeline(snapshot, report, partial(states, snapshot, terminal, seconds)), report)
