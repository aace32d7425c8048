"""Strict JSON: a text comes in, a ``Document`` with positions or one ``Fault`` goes out.

One pass without recursion, led by three regular expressions that each take a whole member or element at a time.
"""

from __future__ import annotations

import json
import math
import re
from typing import TypeAlias

from phasegate.model.problem import Fault, Position
from phasegate.reading.document import Document, FaultAt, Json, JsonPath, Limits, Lines, Mark, Refused, excerpt
from phasegate.reading.json import diagnosis as json_diagnosis
from phasegate.reading.json.diagnosis import NUMBER, SPACE, STRING, Expected

JSON_LIMITS = Limits(characters=1_048_576, depth=32)

_DIGITS = 15  # every such integer is exact as a floating-point number too, for readers that know no other
_FLOAT_LENGTH = 128

_SCALAR = rf"{STRING}|{NUMBER}|true|false|null"
_MEMBER = re.compile(rf"{SPACE}({STRING}){SPACE}:{SPACE}(?:({_SCALAR}){SPACE}([,}}])|([\[{{]))")
_ELEMENT = re.compile(rf"{SPACE}(?:({_SCALAR}){SPACE}([,\]])|([\[{{]))")
_ROOT = re.compile(rf"{SPACE}(?:({_SCALAR})|([\[{{]))")
_NO_MEMBER = re.compile(rf"{SPACE}\}}")
_NO_ELEMENT = re.compile(rf"{SPACE}\]")
_WORDS: dict[str, Json] = {"true": True, "false": False, "null": None}


def read_json(text: str, *, first: Position | None = None, limits: Limits = JSON_LIMITS) -> Document | Fault:
    """Reads one JSON value that is the whole text; ``first`` is where the text begins in its own document."""
    lines = Lines.of(text, first)
    if len(text) > limits.characters:
        message = f"the text has {len(text)} characters; at most {limits.characters} are read"
        return Fault(code="PG004", message=message, position=lines.first)
    reading = _Reading(text, limits.depth)
    try:
        json_diagnosis.check_characters(text)
        value, mark = reading.run()
    except Refused as refused:
        return refused.finding.fault(lines, reading.path())
    return Document(value, mark, lines)


class _Object:
    """An object that is being read."""

    __slots__ = ("marks", "offset", "value")
    closing = Expected.OBJECT_END
    after = re.compile(rf"{SPACE}([,}}])")

    def __init__(self, offset: int) -> None:
        self.offset = offset
        self.value: dict[str, Json] = {}
        self.marks: dict[str, Mark] = {}

    def begin(self, text: str, offset: int) -> tuple[int, _Frame | None]:
        """Reads on from the opening brace."""
        empty = _NO_MEMBER.match(text, offset)
        return (empty.end(), None) if empty else self.read(text, offset)

    def read(self, text: str, offset: int) -> tuple[int, _Frame | None]:
        """Reads members up to the closing brace, or up to the next container, which is returned."""
        match_member, value, marks = _MEMBER.match, self.value, self.marks
        while True:
            match = match_member(text, offset)
            if match is None:
                raise json_diagnosis.stopped(text, offset, Expected.MEMBER, self.offset)
            quoted, scalar, separator, opener = match.groups()
            key_offset, offset = match.start(1), match.end()
            key = _unescaped(quoted, key_offset) if "\\" in quoted else quoted[1:-1]
            if key in value:
                raise _duplicate(key, key_offset, marks[key])
            if opener:
                child = _open(opener, offset - 1)
                value[key], marks[key] = child.value, (offset - 1, key_offset, child.marks)
                return offset, child
            begin = match.start(2)
            value[key], marks[key] = _scalar(scalar, begin), (begin, key_offset, None)
            if separator != ",":
                return offset, None

    def last(self) -> str:
        """The key of the member that was begun last."""
        return next(reversed(self.value))


class _Array:
    """An array that is being read."""

    __slots__ = ("marks", "offset", "value")
    closing = Expected.ARRAY_END
    after = re.compile(rf"{SPACE}([,\]])")

    def __init__(self, offset: int) -> None:
        self.offset = offset
        self.value: list[Json] = []
        self.marks: list[Mark] = []

    def begin(self, text: str, offset: int) -> tuple[int, _Frame | None]:
        """Reads on from the opening bracket."""
        empty = _NO_ELEMENT.match(text, offset)
        return (empty.end(), None) if empty else self.read(text, offset)

    def read(self, text: str, offset: int) -> tuple[int, _Frame | None]:
        """Reads elements up to the closing bracket, or up to the next container, which is returned."""
        match_element, value, marks = _ELEMENT.match, self.value, self.marks
        while True:
            match = match_element(text, offset)
            if match is None:
                raise json_diagnosis.stopped(text, offset, Expected.ELEMENT, self.offset)
            scalar, separator, opener = match.groups()
            offset = match.end()
            if opener:
                child = _open(opener, offset - 1)
                value.append(child.value)
                marks.append((offset - 1, offset - 1, child.marks))
                return offset, child
            begin = match.start(1)
            value.append(_scalar(scalar, begin))
            marks.append((begin, begin, None))
            if separator != ",":
                return offset, None

    def last(self) -> int:
        """The index of the element that was begun last."""
        return len(self.value) - 1


_Frame: TypeAlias = _Object | _Array


class _Reading:
    """One pass over one text: the containers that are open, outermost first."""

    def __init__(self, text: str, depth: int) -> None:
        self.text = text
        self.depth = depth
        self.open: list[_Frame] = []

    def run(self) -> tuple[Json, Mark]:
        """The value of the whole text, and its mark."""
        match = _ROOT.match(self.text)
        if match is None:
            raise json_diagnosis.stopped(self.text, 0, Expected.VALUE)
        scalar, opener = match.groups()
        value: Json
        mark: Mark
        if opener:
            root = _open(opener, match.end() - 1)
            value, mark, end = root.value, (root.offset, root.offset, root.marks), self._container(root)
        else:
            begin, end = match.span(1)
            value, mark = _scalar(scalar, begin), (begin, begin, None)
        json_diagnosis.check_end(self.text, end, match.start(1))
        return value, mark

    def path(self) -> JsonPath:
        """The way to the innermost container that is open."""
        return tuple(frame.last() for frame in self.open[:-1])

    def _container(self, root: _Frame) -> int:
        """Reads the outermost container; the offset behind it."""
        offset = root.offset + 1
        opened: _Frame | None = root
        while True:
            if opened is not None:
                self._push(opened)
                offset, opened = opened.begin(self.text, offset)
            else:
                offset = self._close(offset)
                if not self.open:
                    return offset
                offset, opened = self.open[-1].read(self.text, offset)

    def _push(self, frame: _Frame) -> None:
        if len(self.open) >= self.depth:
            message = f"more than {self.depth} arrays and objects inside each other"
            raise Refused(FaultAt(code="PG004", message=message, offset=frame.offset))
        self.open.append(frame)

    def _close(self, offset: int) -> int:
        """Leaves the innermost container and those that end right behind it, up to the next comma."""
        while True:
            self.open.pop()
            if not self.open:
                return offset
            frame = self.open[-1]
            match = frame.after.match(self.text, offset)
            if match is None:
                raise json_diagnosis.stopped(self.text, offset, frame.closing, frame.offset)
            offset = match.end()
            if match.group(1) == ",":
                return offset


def _open(opener: str, offset: int) -> _Frame:
    return _Object(offset) if opener == "{" else _Array(offset)


def _scalar(token: str, offset: int) -> Json:
    head = token[0]
    if head == '"':
        return _unescaped(token, offset) if "\\" in token else token[1:-1]
    return _WORDS[token] if head in "tfn" else _number(token, offset)


def _unescaped(token: str, offset: int) -> str:
    text = json.loads(token)
    if not text.isascii() and json_diagnosis.SURROGATE.search(text):
        raise json_diagnosis.lone_surrogate(token, offset)
    return str(text)


def _number(token: str, offset: int) -> int | float:
    if token.lstrip("-").isdigit():
        if len(token) <= _DIGITS or len(token.lstrip("-")) <= _DIGITS:
            return int(token)
        message = f"an integer of {len(token.lstrip('-'))} digits; at most {_DIGITS} are read"
    elif len(token) > _FLOAT_LENGTH:
        message = f"a number of {len(token)} characters; at most {_FLOAT_LENGTH} are read"
    elif math.isfinite(number := float(token)):
        return number
    else:
        message = f"{excerpt(token)[1:-1]} is too large for a number"
    raise Refused(FaultAt(code="PG003", message=message, offset=offset))


def _duplicate(key: str, offset: int, earlier: Mark) -> Refused:
    message = f"the key {excerpt(key)} occurs twice in this object, first at"
    return Refused(FaultAt(code="PG002", message=message, offset=offset, related=earlier[1], step=key))
