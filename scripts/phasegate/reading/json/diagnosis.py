"""What is wrong with a JSON text: the offset where ``strict_json`` stopped comes in, a cause to mend goes out."""

from __future__ import annotations

from enum import Enum

from phasegate.reading.excerpt import character_name, excerpt
from phasegate.reading.faults import Finding, Refused
from phasegate.reading.json.scalars import (
    NUMBER_RUN,
    SURROGATE,
    WORD,
    named,
    skip,
    string_end,
    syntax,
    wrong_number,
    wrong_word,
)

_TYPOGRAPHIC = "\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb\u0060\u00b4"


class Expected(Enum):
    """What the reader was waiting for when it stopped."""

    VALUE = "a value"
    MEMBER = "a key"
    ELEMENT = "an element"
    OBJECT_END = '"," or "}"'
    ARRAY_END = '"," or "]"'


def check_characters(text: str) -> None:
    """Refuses a byte-order mark in front and half of a surrogate pair anywhere."""
    if text.startswith("\ufeff"):
        message = "the text begins with a byte-order mark (U+FEFF)"
        raise Refused(Finding(code="PG005", message=message, offset=0))
    if not text.isascii() and (lone := SURROGATE.search(text)):
        message = f"half of a surrogate pair ({character_name(lone.group())}), which is no character"
        raise Refused(Finding(code="PG005", message=message, offset=lone.start()))


def check_end(text: str, end: int, scalar: int) -> None:
    """Refuses what follows the value that ends at ``end``; ``scalar`` is where it began, or -1 for a container."""
    rest = skip(text, end)
    if rest == len(text):
        return
    if scalar >= 0 and text[scalar] != '"' and (wrong := _wrong_value(text, scalar)):
        raise Refused(wrong)
    message = f"text after the value: {named(text, rest)} where the text should end"
    raise Refused(Finding(code="PG006", message=message, offset=rest))


def stopped(text: str, offset: int, expected: Expected, opened: int = -1) -> Refused:
    """Why the reader that waited for this could not read on; ``opened`` is where the container around it begins."""
    begin = skip(text, offset)
    finding: Finding | None
    if expected is Expected.MEMBER:
        finding = _wrong_member(text, begin, opened)
    elif expected is Expected.ELEMENT:
        finding = _wrong_element(text, begin, opened)
    elif expected is Expected.VALUE:
        finding = _wrong_value(text, begin)
    else:
        finding = _wrong_separator(text, begin, expected, opened)
    return Refused(finding or syntax(f"expected {expected.value}, found {named(text, begin)}", begin))


def _wrong_member(text: str, begin: int, opened: int) -> Finding:
    if text[begin : begin + 1] not in ('"', ""):
        return _wrong_key(text, begin)
    end = string_end(text, begin) if begin < len(text) else begin
    if isinstance(end, Finding):
        return end
    colon = skip(text, end)
    value = skip(text, colon + 1)
    if value >= len(text) and text[colon : colon + 1] in (":", ""):
        return _unfinished(text, opened)
    if text[colon] != ":":
        message = f'expected ":" after the key {excerpt(text[begin + 1 : end - 1])}, found {named(text, colon)}'
        return syntax(message, colon)
    return _wrong_value(text, value) or _wrong_separator(text, _value_end(text, value), Expected.OBJECT_END, opened)


def _wrong_key(text: str, begin: int) -> Finding:
    foreign = _trailing_comma(text, begin) or _foreign(text, begin)
    if foreign:
        return foreign
    word = WORD.match(text, begin)
    if word:
        name = excerpt(word.group())
        message = f"the key {name[1:-1]} is not in double quotes"
        return syntax(message, begin, hint=f"write {name}")
    return syntax(f"expected a key in double quotes, found {named(text, begin)}", begin)


def _wrong_element(text: str, begin: int, opened: int) -> Finding | None:
    if begin == len(text):
        return _unfinished(text, opened)
    wrong = _trailing_comma(text, begin) or _wrong_value(text, begin)
    return wrong or _wrong_separator(text, _value_end(text, begin), Expected.ARRAY_END, opened)


def _wrong_separator(text: str, end: int, expected: Expected, opened: int) -> Finding:
    begin = skip(text, end)
    if begin == len(text):
        return _unfinished(text, opened)
    foreign = _comment(text, begin)
    if foreign:
        return foreign
    found = text[begin]
    if found in "]}":
        kind, closer = ("object", "}") if expected is Expected.OBJECT_END else ("array", "]")
        message = f'"{found}" where "{closer}" closes the {kind} opened at'
        return syntax(message, begin, related=opened)
    if found in '"{[-' or found.isalnum():
        message = f"no comma before {named(text, begin)}; expected {expected.value}"
        return syntax(message, begin, hint='put "," between the two')
    return syntax(f"expected {expected.value}, found {named(text, begin)}", begin)


def _wrong_value(text: str, begin: int) -> Finding | None:
    """What is wrong with the value that should begin here, if it is the value itself that is wrong."""
    if begin == len(text):
        return syntax("the text is empty; expected a value", begin)
    head = text[begin]
    if head == '"':
        end = string_end(text, begin)
        return end if isinstance(end, Finding) else None
    if head in "+-.0123456789":
        return wrong_number(text, begin)
    word = WORD.match(text, begin)
    if word:
        return wrong_word(word.group(), begin)
    foreign = _foreign(text, begin)
    return foreign or (None if head in "{[" else syntax(f"expected a value, found {named(text, begin)}", begin))


def _trailing_comma(text: str, begin: int) -> Finding | None:
    if text[begin] not in "]}":
        return None
    before = len(text[:begin].rstrip(" \t\r\n")) - 1
    if before < 0 or text[before] != ",":
        return None
    return syntax(f'a comma before the closing "{text[begin]}"', before, hint="remove the comma")


def _foreign(text: str, begin: int) -> Finding | None:
    """What other notations allow here and JSON does not."""
    head = text[begin]
    if head == "'":
        return syntax("single quotes; JSON strings and keys stand in double quotes", begin)
    if head in _TYPOGRAPHIC:
        message = f"the quotation mark {character_name(head)}; JSON strings and keys stand in plain double quotes"
        return syntax(message, begin)
    if head == "\ufeff":
        return Finding(code="PG005", message="a byte-order mark (U+FEFF)", offset=begin)
    if head < " ":
        return Finding(code="PG005", message=f"a control character ({character_name(head)})", offset=begin)
    return _comment(text, begin)


def _comment(text: str, begin: int) -> Finding | None:
    if text[begin] == "#" or text.startswith(("//", "/*"), begin):
        return syntax("a comment; JSON has none", begin, hint="remove the comment")
    return None


def _unfinished(text: str, opened: int) -> Finding:
    kind = "object" if text[opened] == "{" else "array"
    message = f"the text ends inside the {kind} opened at"
    return syntax(message, len(text), related=opened)


def _value_end(text: str, begin: int) -> int:
    """The offset behind a value that is right by itself."""
    if text[begin] == '"':
        end = string_end(text, begin)
        return begin if isinstance(end, Finding) else end
    run = NUMBER_RUN.match(text, begin)
    return run.end() if run else begin
