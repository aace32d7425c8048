"""Problems: a fault in somebody's input as a value, with its code, its place and its fix."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from phasegate.model.frozen import dataclass


class Severity(str, Enum):
    """How much a problem weighs; an ``error`` makes the signal that carries it invalid."""

    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"


class Position(NamedTuple):
    """A place in a text: line and column, both counted from 1."""

    line: int
    column: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Where:
    """Where a problem is: the URL of a comment or the path of a file, and the place inside it."""

    url: str | None = None
    path: str | None = None
    line: int | None = None
    column: int | None = None
    json_path: str | None = None

    def at(self, position: Position, json_path: str | None = None) -> Where:
        """The same document, at this position."""
        return Where(url=self.url, path=self.path, line=position.line, column=position.column, json_path=json_path)

    def __str__(self) -> str:
        """``path:line:column`` or ``url line:column``, as compilers write it."""
        document = self.path or self.url or "input"
        if self.line is None:
            return document
        return f"{document}:{self.line}:{self.column}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Fix:
    """The one right answer to a problem: at its place, in quotes or not, ``old`` becomes ``new``."""

    old: str
    new: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """One fault: a stable code, how much it weighs, what is wrong, where, and how to fix it."""

    code: str
    severity: Severity
    message: str
    where: Where
    hint: str
    fix: Fix | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Fault:
    """What a reader found wrong in a text, before it is known which document the text belongs to.

    An empty ``hint`` means the catalogue's own.
    """

    code: str
    message: str
    position: Position
    hint: str = ""
    json_path: str | None = None
    fix: Fix | None = None


def near(word: str, known: Iterable[str], alike: float = 0.6) -> list[str]:
    """The known word that a word is most like, for who asks "did you mean"; none where it is like none of them."""
    from difflib import get_close_matches  # noqa: PLC0415  (only somebody who slipped waits for it)

    return get_close_matches(word, list(known), n=1, cutoff=alike)
