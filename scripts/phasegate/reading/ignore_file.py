"""Ignore files: which line of one keeps git from adding a file, by git's own rules. The last line that fits decides."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache, partial

from phasegate.model.artifacts import IgnoreRule
from phasegate.model.frozen import dataclass
from phasegate.model.paths import IGNORE_FILE
from phasegate.reading.wildcards import Pattern, compiled

BYTE_ORDER_MARK = "\ufeff"
MOST_LINES = 2000
LONGEST_LINE = 200
_KEPT = re.compile(r"\\.|[^ ]", re.DOTALL)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Line:
    """One pattern of an ignore file: with a slash in it it is about a whole path, else about any name."""

    number: int
    pattern: str
    negated: bool
    only_folders: bool
    anchored: bool
    wildcards: Pattern


def ignored_by(text: str, paths: Iterable[str]) -> IgnoreRule | None:
    """The line of the root's ignore file that keeps these files out, if it lets none of them in."""
    last = cache(partial(_last, _lines(text)))
    found = [_deciding(last, path) for path in paths]
    if not found or found[0] is None or None in found:
        return None
    return IgnoreRule(path=IGNORE_FILE, line=found[0].number, pattern=found[0].pattern)


def _lines(text: str) -> list[_Line]:
    """The patterns, the last first. Lines that nobody writes by hand are passed over, to stay quick."""
    every = enumerate(text.removeprefix(BYTE_ORDER_MARK).split("\n")[:MOST_LINES], start=1)
    told = ((number, _trimmed(line)) for number, line in every if line[:1] != "#" and len(line) <= LONGEST_LINE)
    return [_line(number, pattern) for number, pattern in told if pattern][::-1]


def _trimmed(line: str) -> str:
    """A line without its end, and without spaces there unless they are escaped."""
    line = line.removesuffix("\r")
    return line[: max((match.end() for match in _KEPT.finditer(line)), default=0)]


def _line(number: int, pattern: str) -> _Line:
    bare = pattern.removeprefix("!").removesuffix("/")
    return _Line(
        number=number,
        pattern=pattern,
        negated=pattern.startswith("!"),
        only_folders=pattern.endswith("/"),
        anchored="/" in bare,
        wildcards=compiled(bare.removeprefix("/")),
    )


def _deciding(last: Callable[[str], _Line | None], path: str) -> _Line | None:
    """The line that ignores a file, or a folder above it: what is in an ignored folder cannot be taken back."""
    folders = [path[: slash.end()] for slash in re.finditer("/", path)]
    found = (last(each) for each in (*folders, path))
    return next((line for line in found if line is not None and not line.negated), None)


def _last(lines: list[_Line], path: str) -> _Line | None:
    """The last line that fits a path; that of a folder ends with a slash."""
    whole = path.removesuffix("/")
    name = whole.rpartition("/")[2]
    about = (line for line in lines if whole != path or not line.only_folders)
    return next((line for line in about if line.wildcards.fits(whole if line.anchored else name)), None)
