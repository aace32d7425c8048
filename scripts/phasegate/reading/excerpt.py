"""A stranger's text made fit for a message: quoted, short, and with every invisible character written out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from phasegate.reading.document import Json

_LONGEST = 60
_SHORT_ESCAPE = 4


def excerpt(text: str) -> str:
    """The beginning of a text in double quotes, on one line."""
    quoted = json.dumps(text[:_LONGEST], ensure_ascii=False)[1:-1]
    shown = visible(quoted)
    cut = shown[:_LONGEST]
    return f'"{cut}{"…" if len(text) > _LONGEST or len(shown) > len(cut) else ""}"'


_MOST_LINES, _LONGEST_LINE, _LIKE = 300, 200, 0.5


def nearest_miss(text: str, signs: Sequence[str]) -> str:
    """Which of some literal texts are not in a text, and the line that is most like one of them."""
    from difflib import SequenceMatcher  # noqa: PLC0415  (seldom needed)

    lines = [(number, line.strip()[:_LONGEST_LINE]) for number, line in enumerate(text.split("\n")[:_MOST_LINES], 1)]
    told = " or ".join(excerpt(sign) for sign in signs)
    ranked = [
        (SequenceMatcher(None, sign.lower(), line[: len(sign) + len(sign) // 2].lower()).ratio(), -number, line)
        for sign in signs
        for number, line in lines
        if line
    ]
    best, number, line = max(ranked, default=(0.0, 0, ""))
    if best < _LIKE:
        return f"{told} is not in it"
    return f"line {-number}, {excerpt(line)}, is nearest to {told}"


def excerpt_of(value: Json) -> str:
    """A value as JSON writes it, or its beginning; what an array or an object holds is not shown."""
    if isinstance(value, str):
        return excerpt(value)
    if isinstance(value, list):
        return "an array" if value else "an empty array"
    if isinstance(value, dict):
        return "an object" if value else "an empty object"
    return json.dumps(value)


def literal(value: Json) -> str:
    """A value of a schema as JSON writes it."""
    return excerpt(value) if isinstance(value, str) else visible(json.dumps(value))


def visible(text: str) -> str:
    """The text with each character that does not print written as its number."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _number(character) for character in text)


def character_name(character: str) -> str:
    """One character for a message: itself in double quotes, or only its number where it does not print."""
    number = f"U+{ord(character):04X}"
    if not character.isprintable() or character == " ":
        return number
    return f'"{character}"' if character.isascii() else f'"{character}" ({number})'


def _number(character: str) -> str:
    code = f"{ord(character):04x}"
    return f"\\u{code}" if len(code) == _SHORT_ESCAPE else f"\\U{code:0>8}"
