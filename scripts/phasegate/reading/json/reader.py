"""Strict JSON: a text comes in, a ``Document`` with positions or one ``Fault`` goes out.

One pass, led by regular expressions that each take a whole member or element; it nests as deep as the limits allow.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, NamedTuple

from phasegate.model.problem import Fault, Position
from phasegate.reading.document import Document, Inside, Json, Limits, Lines, Mark, Refused, excerpt
from phasegate.reading.json import diagnosis
from phasegate.reading.json.diagnosis import NUMBER, SPACE, STRING

JSON_LIMITS = Limits(characters=1_048_576, depth=32)

_DIGITS = 15  # every such integer is exact as a floating-point number too, for readers that know no other
_FLOAT_LENGTH = 128

_SCALAR = rf"{STRING}|{NUMBER}|true|false|null"
_ROOT = re.compile(rf"{SPACE}(?:({_SCALAR})|([\[{{]))")
_WORDS: dict[str, Json] = {"true": True, "false": False, "null": None}


class _Container(NamedTuple):
    """One member or element up to the comma, the end of an empty container, and what follows a container inside."""

    item: re.Pattern[str]
    empty: re.Pattern[str]
    after: re.Pattern[str]


def _container(key: str, closer: str) -> _Container:
    item = rf"{SPACE}{key}(?:({_SCALAR}){SPACE}([,{closer}])|([\[{{]))"
    patterns = (item, rf"{SPACE}[{closer}]", rf"{SPACE}([,{closer}])")
    return _Container(*map(re.compile, patterns))


_CONTAINERS = {"{": _container(rf"({STRING}){SPACE}:{SPACE}", "}"), "[": _container("()", r"\]")}


def read_json(text: str, *, first: Position | None = None, limits: Limits = JSON_LIMITS) -> Document | Fault:
    """Reads one JSON value that is the whole text; ``first`` is where the text begins in its own document."""
    lines = Lines.of(text, first)
    if len(text) > limits.characters:
        message = f"the text has {len(text)} characters; at most {limits.characters} are read"
        return Fault(code="PG004", message=message, position=lines.first)
    reading = _Reading(text, limits.depth)
    try:
        value, mark = reading.run()
    except Refused as refused:
        return refused.inside(reading.path).fault(lines)
    return Document(value, mark, lines)


class _Reading:
    """One pass over one text; ``path`` leads to the innermost container that is open."""

    def __init__(self, text: str, depth: int) -> None:
        self.text = text
        self.depth = depth
        self.path: list[str | int] = []

    def run(self) -> tuple[Json, Mark]:
        """The value of the whole text, and its mark."""
        diagnosis.check_characters(self.text)
        match = _ROOT.match(self.text)
        if match is None:
            diagnosis.wrong_start(self.text)
        begin, end = match.span(match.lastindex or 0)
        inside: Inside = None
        if match[2]:
            value, inside, end = self._read(begin)
        else:
            value = _scalar(match[1], begin)
        diagnosis.check_end(self.text, begin, end)
        return value, (begin, begin, inside)

    def _read(self, opened: int) -> tuple[Json, Inside, int]:
        """The array or object that begins here, the marks of what is in it, and where it ends."""
        text, (item, empty, after) = self.text, _CONTAINERS[self.text[opened]]
        values: dict[Any, Json] = {}  # of an array, by index
        marks: dict[Any, Mark] = {}
        step: Any
        is_empty = empty.match(text, opened + 1)
        offset, separator = (is_empty.end(), "") if is_empty else (opened + 1, ",")
        while separator == ",":
            match = item.match(text, offset)
            if match is None:
                diagnosis.wrong_item(text, offset, opened)
            quoted, scalar, separator, opener = match.groups()
            offset, key_offset = match.end(), match.start(1)
            begin = offset - 1 if opener else match.start(2)
            if quoted:
                step = _unescaped(quoted, key_offset) if "\\" in quoted else quoted[1:-1]
                if step in values:
                    raise _duplicate(step, key_offset, marks[step])
            else:
                step, key_offset = len(values), begin
            if opener:
                if len(self.path) + 1 >= self.depth:
                    raise Refused("PG004", f"more than {self.depth} arrays and objects inside each other", begin)
                self.path.append(step)
                values[step], inside, offset = self._read(begin)
                self.path.pop()
                marks[step] = (begin, key_offset, inside)
                follows = after.match(text, offset)
                if follows is None:
                    diagnosis.wrong_separator(text, offset, opened)
                separator, offset = follows[1], follows.end()
            else:
                values[step], marks[step] = _scalar(scalar, begin), (begin, key_offset, None)
        if text[opened] == "{":
            return values, marks, offset
        return list(values.values()), list(marks.values()), offset


def _scalar(token: str, offset: int) -> Json:
    head = token[0]
    if head == '"':
        return _unescaped(token, offset) if "\\" in token else token[1:-1]
    return _WORDS[token] if head in "tfn" else _number(token, offset)


def _unescaped(token: str, offset: int) -> str:
    text = json.loads(token)
    if not text.isascii() and diagnosis.SURROGATE.search(text):
        diagnosis.lone_surrogate(token, offset)
    return str(text)


def _number(token: str, offset: int) -> int | float:
    digits = token.lstrip("-")
    if digits.isdigit():
        if len(digits) <= _DIGITS:
            return int(token)
        message = f"an integer of {len(digits)} digits; at most {_DIGITS} are read"
    elif len(token) > _FLOAT_LENGTH:
        message = f"a number of {len(token)} characters; at most {_FLOAT_LENGTH} are read"
    elif math.isfinite(number := float(token)):
        return number
    else:
        message = f"{excerpt(token)[1:-1]} is too large for a number"
    raise Refused("PG003", message, offset)


def _duplicate(key: str, offset: int, earlier: Mark) -> Refused:
    message = f"the key {excerpt(key)} occurs twice in this object, first at"
    return Refused("PG002", message, offset, related=earlier[1], step=key)
