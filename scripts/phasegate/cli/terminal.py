"""Printing for people: in columns, at the terminal's width, colours only on a terminal, foreign text made harmless."""

from __future__ import annotations

import os
import re
import textwrap
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TextIO

from phasegate.model.frozen import dataclass
from phasegate.report.inert import plain

if TYPE_CHECKING:
    from phasegate.model.problem import Problem
    from phasegate.model.report import StatusLine

GREEN, RED, YELLOW, BOLD, DIM, PLAIN = "32", "31", "33", "1", "2", ""
STATE_COLOURS = {"success": GREEN, "failure": RED, "pending": YELLOW, "error": RED}
SEVERITY_COLOURS = {"error": RED, "warning": YELLOW, "notice": PLAIN}
NARROWEST, USUAL, WIDEST = 40, 80, 120
NUMBER = re.compile("[1-9][0-9]{0,4}")
PATIENCE = 1.0  # seconds before a person is told what is going on
CLEAR = "\r\x1b[K"


@dataclass(frozen=True, kw_only=True, slots=True)
class Terminal:
    """Where a command reads and writes."""

    stdin: TextIO
    stdout: TextIO
    stderr: TextIO
    environ: Mapping[str, str]

    def say(self, text: str = "") -> None:
        """A line of ours on standard output."""
        print(text, file=self.stdout)

    def complain(self, text: str) -> None:
        """A line on standard error, made harmless."""
        print(f"phase-gate: {plain(text, 2000)}", file=self.stderr)

    @property
    def width(self) -> int | None:
        """The columns to wrap at; none where it goes to a file or a pipe, whose readers wrap as they like."""
        if not self.stdout.isatty():
            return None
        told = self.environ.get("COLUMNS", "")
        columns = int(told) if NUMBER.fullmatch(told) else _columns(self.stdout)
        return max(NARROWEST, min(columns, WIDEST))

    def paragraph(self, text: str, lead: str = "", colour: str = PLAIN) -> None:
        """A text of ours or foreign, behind a lead in a colour, wrapped so that it stays to the right of the lead."""
        lines = self._wrapped(plain(text, 2000), len(lead))
        self.say(f"{self.coloured(lead, colour)}{lines[0]}".rstrip())
        for line in lines[1:]:
            self.say(f"{' ' * len(lead)}{line}")

    def _wrapped(self, text: str, indent: int) -> list[str]:
        width = self.width
        if width is None:
            return [text]
        room = max(width - indent, NARROWEST // 2)
        return textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False) or [""]

    @contextmanager
    def progress(self, text: str) -> Iterator[None]:
        """Tell a person who waits longer than a moment what is going on, and for how long; gone when it is done."""
        done = threading.Event()
        ticker = threading.Thread(target=self._tick, args=(plain(text), done), daemon=True)
        if self.stderr.isatty():
            ticker.start()
        try:
            yield
        finally:
            done.set()
            if ticker.is_alive():
                ticker.join()

    def _tick(self, text: str, done: threading.Event) -> None:
        seconds = 0
        while not done.wait(PATIENCE):
            seconds += 1
            print(f"{CLEAR}{text} {seconds} s", end="", file=self.stderr, flush=True)
        if seconds:
            print(CLEAR, end="", file=self.stderr, flush=True)

    def coloured(self, text: str, colour: str) -> str:
        """The text in a colour where colours are wanted."""
        unwanted = "NO_COLOR" in self.environ or self.environ.get("TERM") == "dumb"
        if not colour or unwanted or not self.stdout.isatty():
            return text
        return f"\x1b[{colour}m{text}\x1b[0m"

    def statuses(self, lines: Iterable[StatusLine]) -> None:
        """One line for each status, in columns."""
        for line in lines:
            state = self.coloured(f"{line.state.value:<8}", STATE_COLOURS[line.state.value])
            self.say(f"  {state} {line.context:<17} {line.description}")

    def problems(self, found: Iterable[Problem]) -> None:
        """One paragraph for each problem: place, severity, code, message, and the fix."""
        for item in found:
            place, severity = plain(str(item.where), 500), item.severity.value
            first, *more = self._wrapped(f"{place}: {severity} {item.code} {plain(item.message, 1000)}", 4)
            head = f"{place}: {severity}"
            if first.startswith(head):
                first = f"{place}: {self.coloured(severity, SEVERITY_COLOURS[severity])}{first[len(head) :]}"
            self.say(first)
            for line in more:
                self.say(f"    {line}")
            self.paragraph(item.hint, "    fix: ")


def _columns(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or USUAL
    except (OSError, ValueError):
        return USUAL


PASSED: Final = 0
NOT_PASSED: Final = 1
USAGE: Final = 2
INTERNAL: Final = 3
GITHUB: Final = 4


class UsageError(Exception):
    """A mistake of the user: which input, and what is wrong with it."""
