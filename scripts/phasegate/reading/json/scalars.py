"""The words of JSON: the patterns they are read by, and what is wrong with one that does not fit its pattern."""

from __future__ import annotations

import re

from phasegate.reading.excerpt import character_name, excerpt
from phasegate.reading.faults import Finding, Refused

SPACE = r"[ \t\n\r]*"
_UNFINISHED = r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*'
STRING = rf'{_UNFINISHED}"'
NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
SURROGATE = re.compile("[\ud800-\udfff]")
NUMBER_RUN = re.compile(r"[0-9A-Za-z_+.\-]+")
WORD = re.compile(r"[A-Za-z_$][A-Za-z0-9_$\-]*")

_SPACE = re.compile(SPACE)
_STRING = re.compile(STRING)
_BEGUN_STRING = re.compile(_UNFINISHED)
_NUMBER = re.compile(NUMBER)
_HEX = "[0-9a-fA-F]"
_ESCAPE = re.compile(
    rf"\\u[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}|\\(?:(u[dD][89a-fA-F]{_HEX}{{2}})|.)", re.DOTALL
)
_WORDS = ("true", "false", "null")
_NO_NUMBERS = ("nan", "infinity", "inf")
_OTHER_WORDS = {"none": "null", "nil": "null", "undefined": "null", "yes": "true", "no": "false"}


def syntax(message: str, offset: int, *, hint: str = "", related: int | None = None) -> Finding:
    """A finding about the grammar."""
    return Finding(code="PG001", message=message, offset=offset, hint=hint, related=related)


def lone_surrogate(token: str, offset: int) -> Refused:
    """The first escape in a string that writes half of a surrogate pair."""
    lone = next((escape for escape in _ESCAPE.finditer(token) if escape.group(1)), None)
    begin, written = (lone.start(), lone.group()) if lone else (0, "this string")
    message = f"{written} is half of a surrogate pair, which is no character"
    return Refused(Finding(code="PG005", message=message, offset=offset + begin))


def wrong_word(word: str, begin: int) -> Finding | None:
    """What is wrong with a word that stands without quotes as a value."""
    if word in _WORDS:
        return None
    name = excerpt(word)
    if word.lower() in _NO_NUMBERS:
        return Finding(code="PG003", message=f"{name[1:-1]} is not a JSON number", offset=begin)
    known = _OTHER_WORDS.get(word.lower(), word.lower())
    hint = f"write {known}" if known in _WORDS else f"write {name}, in double quotes"
    return syntax(f"the word {name[1:-1]} is not a JSON value", begin, hint=hint)


def wrong_number(text: str, begin: int) -> Finding | None:
    """What is wrong with the number that begins here."""
    run = NUMBER_RUN.match(text, begin)
    written = run.group() if run else text[begin]
    if _NUMBER.fullmatch(written):
        return None
    name = excerpt(written)[1:-1]
    if written.lstrip("+-").lower() in _NO_NUMBERS:
        return Finding(code="PG003", message=f"{name} is not a JSON number", offset=begin)
    return syntax(f"{name} is not a JSON number{_number_reason(written)}", begin)


def _number_reason(written: str) -> str:
    digits = written.lstrip("+-")
    if written[0] == "+":
        return ": it begins with a plus sign"
    if digits[:1] == ".":
        return ": it needs a digit before the point"
    if digits[:1] == "0" and digits[1:].isdigit():
        return ": it begins with a zero"
    if digits[-1:] == ".":
        return ": it needs a digit behind the point"
    return "; text needs double quotes"


def string_end(text: str, begin: int) -> int | Finding:
    """The offset behind the string that begins here, or what is wrong with it."""
    body = _BEGUN_STRING.match(text, begin)
    end = body.end() if body else begin + 1
    if end == len(text):
        return syntax("the string that begins here is not closed", begin)
    found = text[end]
    if found == '"':
        return end + 1
    if found == "\\":
        return _wrong_escape(text, end)
    if found in "\r\n":
        message = "a line break inside a string; expected a closing quote before it"
        return Finding(code="PG005", message=message, offset=end, hint="close the string, or write the break as \\n")
    message = f"a control character ({character_name(found)}) inside a string"
    written = "\\t" if found == "\t" else f"\\u{ord(found):04x}"
    return Finding(code="PG005", message=message, offset=end, hint=f"write it as {written}")


def _wrong_escape(text: str, begin: int) -> Finding:
    letter = text[begin + 1 : begin + 2]
    if letter == "u":
        message = f"{excerpt(text[begin : begin + 6])} is cut short; expected \\u and four hexadecimal digits"
        return syntax(message, begin)
    message = f"a backslash before {named(text, begin + 1)}, which is no JSON escape"
    return syntax(message, begin, hint="write a backslash as \\\\")


def named(text: str, offset: int) -> str:
    """What stands at an offset, for a message."""
    if offset >= len(text):
        return "the end of the text"
    found = WORD.match(text, offset) or _STRING.match(text, offset)
    return excerpt(found.group().strip('"')) if found else character_name(text[offset])


def skip(text: str, offset: int) -> int:
    """The offset of the next character that is not white space."""
    space = _SPACE.match(text, offset)
    return space.end() if space else offset
