"""Shared by commands: arguments as rows, the answer, and printing for people.

People get columns at the terminal's width, colours only on a terminal, and foreign text made harmless.
"""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import sys
import textwrap
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TextIO
from urllib.parse import quote

from phasegate.catalogue import entries
from phasegate.model.frozen import dataclass, late
from phasegate.model.problem import Problem, Severity, near
from phasegate.report.inert import plain, safe_json

if TYPE_CHECKING:
    from phasegate.model.report import StatusLine


class Colour(str, Enum):
    """A text style on a terminal."""

    GREEN, RED, YELLOW, BOLD, DIM, PLAIN = "32", "31", "33", "1", "2", ""


STATE_COLOURS = {"success": Colour.GREEN, "failure": Colour.RED, "pending": Colour.YELLOW, "error": Colour.RED}
SEVERITY_COLOURS = {"error": Colour.RED, "warning": Colour.YELLOW, "notice": Colour.PLAIN}
NARROWEST, USUAL, WIDEST = 40, 80, 120
NUMBER = late("[1-9][0-9]{0,4}")
PATIENCE = 1.0  # seconds before progress is shown
CLEAR = "\r\x1b[K"
BAR = 24  # columns of a progress bar
SCRIPTS = Path(__file__).resolve().parents[2]  # or the folder that it is installed in
INTERRUPTED = threading.Event()  # Python loses an interrupt that comes while it cleans up, and tells no other thread


def hear_interrupts() -> None:
    """From now on interrupts are remembered, so that whatever runs then leaves no success behind."""

    def interrupted(*_: object) -> None:
        INTERRUPTED.set()
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupted)


@dataclass(frozen=True, kw_only=True, slots=True)
class Terminal:
    """The streams and environment of a command."""

    stdin: TextIO
    stdout: TextIO
    stderr: TextIO
    environ: Mapping[str, str]

    def say(self, text: str = "") -> None:
        """Prints one of our lines to standard output."""
        print(text, file=self.stdout)

    def complain(self, text: str) -> None:
        """Prints a line to standard error, made harmless."""
        print(f"phase-gate: {plain(text, 2000)}", file=self.stderr)

    @property
    def width(self) -> int | None:
        """The columns to wrap at, or None for a file or pipe, whose readers wrap as they like."""
        if not self.stdout.isatty():
            return None
        try:
            columns = os.get_terminal_size(self.stdout.fileno()).columns or USUAL
        except (OSError, ValueError):
            columns = USUAL
        return self.asked_width or max(NARROWEST, min(columns, WIDEST))

    @property
    def asked_width(self) -> int | None:
        """The columns in ``COLUMNS``, or None."""
        told = self.environ.get("COLUMNS", "")
        return max(NARROWEST, min(int(told), WIDEST)) if NUMBER.fullmatch(told) else None

    def paragraph(self, text: str, lead: str = "", colour: Colour = Colour.PLAIN) -> None:
        """Prints a text behind a coloured lead, wrapped so that it stays to the lead's right."""
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
        """Shows what is going on, and for how long, if it takes longer than a moment; cleared at the end."""
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

    def bar(self, done: int, total: int, text: str) -> None:
        """Shows the progress of long work; cleared at the end."""
        if self.stderr.isatty():
            filled = BAR * done // max(total, 1)
            shown = f"[{'#' * filled}{'-' * (BAR - filled)}] {done}/{total} {plain(text, 60)}"
            print(CLEAR if done >= total else f"{CLEAR}{shown}", end="", file=self.stderr, flush=True)

    def coloured(self, text: str, colour: Colour) -> str:
        """The text in a colour, if colours are wanted."""
        unwanted = "NO_COLOR" in self.environ or self.environ.get("TERM") == "dumb"
        if not colour or unwanted or not self.stdout.isatty():
            return text
        return f"\x1b[{colour.value}m{text}\x1b[0m"

    def statuses(self, lines: Iterable[StatusLine]) -> None:
        """Prints one line per status, in columns."""
        for line in lines:
            state = self.coloured(f"{line.state.value:<8}", STATE_COLOURS[line.state.value])
            self.say(f"  {state} {line.context:<17} {line.description}")

    def problems(self, found: Iterable[Problem]) -> None:
        """Prints one paragraph per problem: place, severity, code, message and fix."""
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


def program(folder: Path | None = None) -> str:
    """The shell command for this program in a folder: the installed command as it can be called, or its own folder."""
    if SCRIPTS.name != "scripts":
        name, called = "phase-gate", Path(sys.argv[0]).absolute()
        found = next((each for each in (Path(place, name) for place in os.get_exec_path()) if each.exists()), None)
        known = called == found and "UV" not in os.environ  # uvx sets the PATH for its own run only
        return name if known or called.name != name else shlex.quote(str(called))
    try:
        return f"python3 {shlex.quote(os.path.relpath(SCRIPTS, folder))}"
    except ValueError:  # another drive
        return f"python3 {shlex.quote(str(SCRIPTS))}"


PASSED: Final = 0
NOT_PASSED: Final = 1
USAGE: Final = 2
GITHUB: Final = 4


class UsageError(Exception):
    """A user's mistake: which input, and what is wrong with it."""


def unknown(word: str, known: Iterable[str]) -> str:
    """A message that a word is unknown, with a suggestion."""
    meant = near(word, known)
    return f'"{word}" is not known' + (f'; did you mean "{meant[0]}"?' if meant else "")


class Answer(NamedTuple):
    """A command's answer: the exit code, ``data`` for ``--json``, and ``text`` or a function that prints it."""

    code: int
    data: Callable[[], object]
    text: Callable[[Terminal], object]

    def give(self, terminal: Terminal, *, as_json: bool) -> int:
        """Prints the answer in the wanted form and returns the exit code."""
        text = safe_json(self.data()) if as_json else self.text(terminal)
        if isinstance(text, str):
            terminal.say(text)
        return self.code


class Steps(NamedTuple):
    """A command's subcommands: title and names for the help, each with its meaning and arguments.

    The chosen name is ``options.does``.
    """

    title: str
    names: str
    steps: Mapping[str, tuple[str, Arguments]]


# Arguments as rows. The key has the flags or the name, and the name of the value: a flag without one is a switch, and
# a file is a path. The other side has the meaning, and what argparse is told besides. A row of rows is a group.
Arguments = Mapping[str, "str | tuple[str, Mapping[str, Any]] | Steps | Arguments"]
PATHS = ("FILE", "DIR", "FOLDER", "SNAPSHOT", "REPORT")
EITHER = "one of"  # the group of which exactly one is needed
JSON: Arguments = {"--json": "print the answer as JSON"}
MARKDOWN: Arguments = {"--markdown": "print the summary that reviewers see, as Markdown"}
HTML: Arguments = {"--html FILE": "write a timeline of all that happened, as a page"}


def add_arguments(parser: argparse._ActionsContainer, rows: Arguments) -> None:
    """Adds rows of arguments to a parser or an argument group."""
    for row, told in rows.items():
        if isinstance(told, Steps) and isinstance(parser, argparse.ArgumentParser):
            below = parser.add_subparsers(title=told.title, metavar=told.names, dest="does", required=True)
            for name, (meaning, inner) in told.steps.items():
                step = below.add_parser(name, help=meaning)
                add_arguments(step, inner)
                step.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help=str(JSON["--json"]))
        elif isinstance(told, Mapping):
            either = row == EITHER
            group = parser.add_mutually_exclusive_group(required=True) if either else parser.add_argument_group(row)
            add_arguments(group, told)
        elif not isinstance(told, Steps):
            meaning, more = (told, {}) if isinstance(told, str) else told
            names, value = (row.split()[:-1], row.split()[-1]) if " " in row else ([row], None)
            kind: dict[str, Any] = (
                {"metavar": value} if value else {} if "choices" in more else {"action": "store_true"}
            )
            kind |= {"type": Path} if value in PATHS else {}
            parser.add_argument(*names, **{"help": meaning, **kind, **more})


LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTICE: "note"}
COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTICE: "notice"}
LONGEST_LINE = 100
SHORT_HINT = 60
# The text at a place: a string, a word, or else one character.
_TOKEN = late(r'"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|[A-Za-z0-9_.+-]+(?::[A-Za-z0-9_.+-]+)*|\S')


def in_order(problems: Iterable[Problem]) -> list[Problem]:
    """Problems in reading order: by document, from top to bottom."""
    told = list(problems)
    documents = list(dict.fromkeys(item.where.path for item in told))
    return sorted(
        told, key=lambda item: (documents.index(item.where.path), item.where.line or 0, item.where.column or 0)
    )


def excerpt(item: Problem, text: str | None, width: int | None) -> Iterator[str]:
    """A problem as a paragraph, with its line if the text is known, at the terminal's width."""
    yield f"{item.severity.value}[{item.code}]: {plain(item.message, 1000)}"
    yield f"  --> {plain(str(item.where), 500)}"
    lines = [] if text is None else text.split("\n")
    number, column = item.where.line, item.where.column
    hint = plain(item.hint, 1000)
    if number is None or column is None or not 0 < number <= len(lines):
        first, *more = (plain(line, 1000) for line in item.hint.split("\n"))
        yield f"   = fix: {first}"
        yield from (f"     {line}".rstrip() for line in more)
        return
    gutter = " " * len(str(number))
    room = LONGEST_LINE if width is None else min(width - len(gutter) - 4, LONGEST_LINE)
    shown, at, length = _windowed(lines[number - 1], column - 1, room)
    fits = width is None or len(gutter) + 5 + at + length + len(hint) <= width
    beside = hint if fits and len(hint) <= SHORT_HINT else ""
    yield f" {gutter} |"
    yield f" {number} | {shown}"
    yield f" {gutter} | {' ' * at}{'^' * length}{f' {beside}' if beside else ''}"
    if not beside:
        yield f" {gutter} = fix: {hint}"


def _windowed(line: str, column: int, room: int) -> tuple[str, int, int]:
    """The part of a line around a column, the column inside it, and the length of the text there."""
    token = _TOKEN.match(line, min(column, len(line)))
    length = len(token[0]) if token else 1
    begin = max(0, column - room * 2 // 5) if len(line) > room else 0
    end = len(line) if len(line) <= room else begin + room - 2  # for the signs that it goes on
    before, after = _flat(line[begin:column]), _flat(line[column:end])
    left, right = "…" if begin else "", "…" if end < len(line) else ""
    return f"{left}{before}{after}{right}", len(left) + len(before), max(1, min(length, max(len(after), 1)))


def _flat(text: str) -> str:
    """A piece of a line with a dot for each unprintable character, so that carets fit."""
    shown = "".join(char if char.isprintable() and char <= "\uffff" else "·" for char in text)
    return shown.replace("::", ":·").replace("##[", "#·[")


def commands(problems: Iterable[Problem]) -> Iterator[str]:
    """Each problem as a workflow command, which GitHub shows on its line."""
    for item in problems:
        places = {"file": item.where.path, "line": item.where.line, "col": item.where.column, "title": item.code}
        told = ",".join(f"{name}={_escaped(str(value), ':,')}" for name, value in places.items() if value is not None)
        yield f"::{COMMANDS[item.severity]} {told}::{_escaped(f'{item.message}. {item.hint}')}"


def _escaped(text: str, more: str = "") -> str:
    shown = plain(text, 1000).replace("%", "%25")
    for sign in more:
        shown = shown.replace(sign, f"%{ord(sign):02X}")
    return shown


def sarif(problems: Sequence[Problem], version: str) -> dict[str, Any]:
    """All problems as SARIF 2.1.0."""
    listed = {each.code: each for each in entries()}
    codes = sorted({item.code for item in problems})
    rules: list[dict[str, Any]] = []
    for code in codes:
        if code in listed:
            told = listed[code]
            texts = {"shortDescription": told.title, "fullDescription": told.why, "help": told.fix}
            level = {"defaultConfiguration": {"level": LEVELS[told.severity]}}
            rules.append({"id": code, **{name: {"text": text} for name, text in texts.items()}, **level})
        else:
            rules.append({"id": plain(code, 100), "shortDescription": {"text": "A finding of an agent"}})
    tool = {"driver": {"name": "Phase Gate", "semanticVersion": version, "rules": rules}}
    results = []
    for item in problems:
        where, told_by = item.where, (plain(item.message, 1000), plain(item.hint, 1000))
        region = {key: value for key, value in (("startLine", where.line), ("startColumn", where.column)) if value}
        place = {"artifactLocation": {"uri": quote(where.path or where.url or "input", safe="/:")}}
        result = {
            "ruleId": plain(item.code, 100),
            "ruleIndex": codes.index(item.code),
            "level": LEVELS[item.severity],
            "message": {"text": ". Fix: ".join(filter(None, told_by))},
            "locations": [{"physicalLocation": {**place, **({"region": region} if region else {})}}],
        }
        results.append(result)
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": tool, "columnKind": "unicodeCodePoints", "results": results}],
    }
