"""A parsed text with the position of every value and key, and the limits for readers."""

from __future__ import annotations

import dataclasses
import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TypeAlias, Union

from phasegate.model.frozen import dataclass, late
from phasegate.model.problem import Fault, Fix, Position

Json: TypeAlias = Union[bool, int, float, str, "list[Json]", "dict[str, Json]", None]
JsonPath: TypeAlias = "tuple[str | int, ...]"

# The offset of a value, the offset of its key (or of the value if it has none), and the marks inside it. A plain
# tuple, because one is made for every value of every text.
Inside: TypeAlias = "dict[str, Mark] | list[Mark] | None"
Mark: TypeAlias = "tuple[int, int, Inside]"

_CAMEL, _CAMEL_KEY = late(r"(?<=[a-z0-9])[A-Z]"), late(r"[a-z][a-z0-9]*(?:[A-Z][a-z0-9]+)+")
_NAME = late(r"[A-Za-z_][A-Za-z0-9_]{0,59}")


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """Limits for a text: characters, nesting, and parser events for YAML."""

    characters: int
    depth: int
    events: int = 20_000


_START = Position(line=1, column=1)


@dataclasses.dataclass(frozen=True)  # no slots, so that the line starts can be cached
class Lines:
    """The lines of a text. Positions count from where it begins in its document."""

    text: str
    first: Position

    @staticmethod
    def of(text: str, first: Position | None = None) -> Lines:
        """The lines of a text whose first character is at ``first``."""
        return Lines(text, first or _START)

    @cached_property
    def starts(self) -> list[int]:
        """The offset of each line, and of one after the last."""
        return [0, *(match.end() for match in re.finditer("\n", self.text)), len(self.text) + 1]

    def line(self, offset: int) -> int:
        """The number of the line with an offset, counted from 1."""
        return bisect_right(self.starts, offset, 0, len(self.starts) - 1)

    def position(self, offset: int) -> Position:
        """The position of an offset."""
        line = self.line(offset)
        column = offset - self.begin(line) + (self.first.column if line == 1 else 1)
        return Position(line=self.first.line + line - 1, column=column)

    def begin(self, line: int) -> int:
        """The offset of a line's first character."""
        return self.starts[line - 1]

    def finish(self, line: int) -> int:
        """The offset of a line's end."""
        return self.starts[line] - 1

    def span(self, first: int, last: int) -> str:
        """The lines from the first to the last."""
        return self.text[self.begin(first) : self.finish(last)]


@dataclasses.dataclass(frozen=True, slots=True)
class Document:
    """A value as plain data, with the place of each part."""

    value: Json
    mark: Mark
    lines: Lines

    def position(self, path: JsonPath = ()) -> Position:
        """Where the value at ``path`` begins, or the nearest value around a missing one."""
        mark, _ = self._nearest(path)
        return self.lines.position(mark[0])

    def part(self, path: JsonPath) -> Document:
        """The value at an existing path, as a document of its own with paths from there."""
        value: Json = self.value
        for step in path:
            value = value[step]  # type: ignore[index]
        return dataclasses.replace(self, value=value, mark=self._nearest(path)[0])

    def key_position(self, path: JsonPath) -> Position:
        """Where the key of ``path`` begins; the value's own position if it has no key or is missing."""
        mark, found = self._nearest(path)
        return self.lines.position(mark[1] if found else mark[0])

    def _nearest(self, path: JsonPath) -> tuple[Mark, bool]:
        mark = self.mark
        for step in path:
            inner = _inside(mark, step)
            if inner is None:
                return mark, False
            mark = inner
        return mark, True


def json_path(path: JsonPath) -> str:
    """The path as ``$.issues[0].id``; an unusual key as ``$["two words"]``."""
    written = ""
    for step in path:
        plain = isinstance(step, str) and _NAME.fullmatch(step)
        written += f".{step}" if plain else f"[{step if isinstance(step, int) else excerpt(step)}]"
    return f"${written}"


def _inside(mark: Mark, step: str | int) -> Mark | None:
    inside: Inside = mark[2]
    found: Mark | None = None
    if isinstance(inside, dict) and isinstance(step, str):
        found = inside.get(step)
    elif isinstance(inside, list) and isinstance(step, int) and 0 <= step < len(inside):
        found = inside[step]
    return found


class Refused(Exception):  # noqa: N818 - it carries a fault to the edge of a reader and never leaves it
    """Ends reading at an offset. ``related`` is another offset for the message, ``step`` the key concerned."""

    def __init__(  # noqa: PLR0913 - a fault has so many parts
        self,
        code: str,
        message: str,
        offset: int,
        hint: str = "",
        *,
        related: int | None = None,
        step: str | None = None,
        fix: Fix | None = None,
    ) -> None:
        """Takes the fields of the fault."""
        super().__init__(message)
        self.code, self.message, self.offset, self.hint = code, message, offset, hint
        self.related, self.step, self.fix = related, step, fix
        self.path: JsonPath = ()

    def inside(self, path: Iterable[str | int]) -> Refused:
        """The same error, found in the container at this path."""
        self.path = tuple(path)
        return self.with_traceback(None)

    def fault(self, lines: Lines) -> Fault:
        """The fault, with lines and columns."""
        message = self.message
        if self.related is not None:
            place = lines.position(self.related)
            message = f"{message} {place.line}:{place.column}"
        way = json_path(self.path if self.step is None else (*self.path, self.step))
        place = lines.position(self.offset)
        return Fault(code=self.code, message=message, position=place, hint=self.hint, json_path=way, fix=self.fix)


_LONGEST = 60
_LAST_OF_FOUR = 0xFFFF  # hexadecimal digits


def excerpt(text: str) -> str:
    """The beginning of a text in double quotes, on one line."""
    quoted = json.dumps(text[:_LONGEST], ensure_ascii=False)[1:-1]
    shown = visible(quoted)
    cut = shown[:_LONGEST]
    return f'"{cut}{"…" if len(text) > _LONGEST or len(shown) > len(cut) else ""}"'


_MOST_LINES, _LONGEST_LINE, _LIKE, _MOST_SIGNS = 300, 200, 0.5, 3


def nearest_miss(text: str, signs: Sequence[str]) -> str:
    """The literal texts that are missing, and the line most like one of them."""
    from difflib import SequenceMatcher  # noqa: PLC0415  (seldom needed)

    lines = [(number, line.strip()[:_LONGEST_LINE]) for number, line in enumerate(text.split("\n")[:_MOST_LINES], 1)]
    ranked = [
        (SequenceMatcher(None, sign.lower(), line[: len(sign) + len(sign) // 2].lower()).ratio(), -number, line, sign)
        for sign in signs
        for number, line in lines
        if line
    ]
    best, number, line, meant = max(ranked, default=(0.0, 0, "", ""))
    if best < _LIKE:
        others = f" or any of {len(signs) - _MOST_SIGNS} others" if len(signs) > _MOST_SIGNS else ""
        return f"it does not contain {' or '.join(map(excerpt, signs[:_MOST_SIGNS]))}{others}"
    return f"line {-number}, {excerpt(line)}, is nearest to {excerpt(meant)}"


def excerpt_of(value: Json) -> str:
    """A value as JSON, shortened. Contents of arrays and objects are not shown."""
    if isinstance(value, str):
        return excerpt(value)
    if isinstance(value, list):
        return "an array" if value else "an empty array"
    if isinstance(value, dict):
        return "an object" if value else "an empty object"
    return json.dumps(value)


def literal(value: Json) -> str:
    """A schema's value as JSON."""
    return excerpt(value) if isinstance(value, str) else visible(json.dumps(value))


def visible(text: str) -> str:
    """The text with unprintable characters written as numbers."""
    return text if text.isprintable() else "".join(map(_printed, text))


def _printed(character: str) -> str:
    code = ord(character)
    return character if character.isprintable() else f"\\U{code:08x}" if code > _LAST_OF_FOUR else f"\\u{code:04x}"


def character_name(character: str) -> str:
    """One character for a message: quoted, or as a number if unprintable."""
    number = f"U+{ord(character):04X}"
    if not character.isprintable() or character == " ":
        return number
    return f'"{character}"' if character.isascii() else f'"{character}" ({number})'


def in_snake_case(document: Document, own: tuple[str, ...]) -> Document | Fault:
    """The document with snake_case keys, values unchanged; a fault if its keys mix two spellings.

    Keys in ``own`` keep their spelling, with everything inside them.
    """
    mixed = mixed_spelling(document, own)
    if mixed is not None:
        return mixed
    value, mark = _respelled(document.value, document.mark, own)
    return dataclasses.replace(document, value=value, mark=mark)


def mixed_spelling(document: Document, own: tuple[str, ...]) -> Fault | None:
    """The fault of a document that mixes snake_case and camelCase keys."""
    first: dict[bool, JsonPath] = {}
    for path in _key_paths(document.value, own, ()):
        name = str(path[-1])
        if "_" in name or _CAMEL.search(name):
            first.setdefault("_" in name, path)
    if len(first) < len((True, False)):
        return None
    other, late = sorted(first.values(), key=document.key_position)
    message = f"{excerpt(str(late[-1]))} and {excerpt(str(other[-1]))} are two spellings; use one for all keys"
    return Fault(code="PG925", message=message, position=document.key_position(late), json_path=json_path(late))


def snake_key(key: str) -> str:
    """A camelCase key in snake_case. Any other stays, or two keys could become one."""
    return _CAMEL.sub(r"_\g<0>", key).lower() if _CAMEL_KEY.fullmatch(key) else key


def _key_paths(value: Json, own: tuple[str, ...], path: JsonPath) -> Iterator[JsonPath]:
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in members:
        if key not in own:
            if isinstance(key, str):
                yield (*path, key)
            yield from _key_paths(inner, own, (*path, key))


def _respelled(value: Json, mark: Mark, own: tuple[str, ...]) -> tuple[Json, Mark]:
    inside: Inside = mark[2]
    if isinstance(value, dict) and isinstance(inside, dict):
        values: dict[str, Json] = {}
        marks: dict[str, Mark] = {}
        for key, inner in value.items():
            name = key if key in own else snake_key(key)
            told = (inner, inside[key]) if key in own else _respelled(inner, inside[key], own)
            values[name], marks[name] = told
        return values, (mark[0], mark[1], marks)
    if isinstance(value, list) and isinstance(inside, list):
        items = [_respelled(inner, each, own) for inner, each in zip(value, inside, strict=True)]
        return [inner for inner, _ in items], (mark[0], mark[1], [each for _, each in items])
    return value, mark
