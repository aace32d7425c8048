"""Printing for people: statuses and problems in columns, colours only on a terminal, foreign text made harmless."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, TextIO

from phasegate.model.frozen import dataclass
from phasegate.report.inert import plain

if TYPE_CHECKING:
    from phasegate.model.problem import Problem
    from phasegate.model.report import StatusLine

GREEN, RED, YELLOW, PLAIN = "32", "31", "33", ""
STATE_COLOURS = {"success": GREEN, "failure": RED, "pending": YELLOW, "error": RED}
SEVERITY_COLOURS = {"error": RED, "warning": YELLOW, "notice": PLAIN}


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

    def coloured(self, text: str, colour: str) -> str:
        """The text in a colour where colours are wanted."""
        if not colour or "NO_COLOR" in self.environ or not self.stdout.isatty():
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
            severity = self.coloured(item.severity.value, SEVERITY_COLOURS[item.severity.value])
            self.say(f"{plain(str(item.where), 500)}: {severity} {item.code} {plain(item.message, 1000)}")
            self.say(f"    fix: {plain(item.hint, 1000)}")


PASSED: Final = 0
NOT_PASSED: Final = 1
USAGE: Final = 2
INTERNAL: Final = 3
GITHUB: Final = 4


class UsageError(Exception):
    """A mistake of the user: which input, and what is wrong with it."""
