"""Work shared by processes of this very program, and what it is needed for: the states that a pull request was in.

A question goes to a process as a line of JSON, and so does its answer come back; the processes begin as they are asked.
"""

from __future__ import annotations

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

from phasegate.cli.files import snapshot_text, write_text
from phasegate.cli.terminal import PASSED, SCRIPTS, Terminal
from phasegate.dialects.dialect import Known
from phasegate.gate import judge_state
from phasegate.model.past import as_of
from phasegate.model.report import Report, State
from phasegate.model.snapshot import Snapshot
from phasegate.report.html import timeline_page
from phasegate.report.status import describe
from phasegate.report.timeline import Said, timeline

FEW = 60  # moments for which no process is started
JOBS = os.cpu_count() or 1
PATIENCE = 120  # seconds that whoever asks for a page may wait for it


def side_by_side(words: Sequence[str], questions: Sequence[str], jobs: int) -> Iterator[tuple[str, Any]]:
    """Each question with its answer, as they come, by a command of this program; none from a process that has ended."""
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
    """Keep one process busy; one that ends is started anew, and what it was asked has no answer."""
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
    """Answer one question after the other, until there are no more."""
    for line in terminal.stdin:
        terminal.say(json.dumps(answer(json.loads(line))))
        terminal.stdout.flush()
    return PASSED


def said_at(snapshot: Snapshot, known: Known, at: str) -> tuple[str, str]:
    """What the gate would have said at a time: the state, and why."""
    report = judge_state(as_of(snapshot, at), known)
    return report.state.value, describe(report)


def states(snapshot: Snapshot, terminal: Terminal, seconds: float, times: Sequence[str]) -> dict[str, Said]:
    """What the gate would have said at these times, as many of the first as there is time for."""
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
    """The answers as they come; few of them are had soonest from this very process."""
    if len(times) <= FEW or JOBS == 1:
        known: Known = {}
        yield from ((at, said_at(snapshot, known, at)) for at in times)
        return
    with tempfile.TemporaryDirectory(prefix="phase-gate-") as folder:
        path = Path(folder) / "snapshot.json"
        write_text(path, snapshot_text(snapshot), "snapshot")
        yield from side_by_side(["replay", "--worker", str(path)], times, JOBS)


def timeline_text(snapshot: Snapshot, report: Report, terminal: Terminal, seconds: float = PATIENCE) -> str:
    """The page of all that happened, with what the gate would have said after each event."""
    return timeline_page(timeline(snapshot, report, partial(states, snapshot, terminal, seconds)), report)
