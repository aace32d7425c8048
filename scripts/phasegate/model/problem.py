"""Problems: a fault in somebody's input, with its code, place and fix."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from phasegate.model.frozen import dataclass


class Severity(str, Enum):
    """The weight of a problem. An ``error`` makes the signal that has it invalid."""

    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"


class Position(NamedTuple):
    """A place in a text: line and column, both counted from 1."""

    line: int
    column: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Where:
    """Where a problem is: a comment's URL or a file's path, and the place inside."""

    url: str | None = None
    path: str | None = None
    line: int | None = None
    column: int | None = None
    json_path: str | None = None

    def at(self, position: Position, json_path: str | None = None) -> Where:
        """The same document at this position."""
        return Where(url=self.url, path=self.path, line=position.line, column=position.column, json_path=json_path)

    def __str__(self) -> str:
        """``path:line:column`` or ``url line:column``, as in compilers' output."""
        document = self.path or self.url or "input"
        if self.line is None:
            return document
        return f"{document}:{self.line}:{self.column}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Fix:
    """The only right answer to a problem: at its place, quoted or not, ``old`` becomes ``new``."""

    old: str
    new: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """One fault: a stable code, its severity, what is wrong, where, and how to fix it."""

    code: str
    severity: Severity
    message: str
    where: Where
    hint: str
    fix: Fix | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    """A fault in a text whose document is not known yet.

    An empty ``hint`` means the catalogue's hint.
    """

    code: str
    message: str
    position: Position
    hint: str = ""
    json_path: str | None = None
    fix: Fix | None = None


def near(word: str, known: Iterable[str], alike: float = 0.6) -> list[str]:
    """The known word closest to this one, for "did you mean"; empty if none is close."""
    from difflib import get_close_matches  # noqa: PLC0415  (only somebody who slipped waits for it)

    return get_close_matches(word, list(known), n=1, cutoff=alike)
