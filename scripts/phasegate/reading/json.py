"""Strict JSON. In: a text. Out: a ``Document`` with positions, or one ``Fault``.

One pass of regular expressions that each match a whole member or element, as deep as the limits allow. If none
matches, the second half of this module tells why.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, NamedTuple, NoReturn

from phasegate.model.frozen import late
from phasegate.model.problem import Fault, Fix, Position
from phasegate.reading.document import Document, Inside, Json, Limits, Lines, Mark, Refused, character_name, excerpt

JSON_LIMITS = Limits(characters=1_048_576, depth=32)

_DIGITS = 15  # every such integer is exact as a floating-point number too, for readers that know no other
_FLOAT_LENGTH = 128

SPACE = r"[ \t\n\r]*"
_UNFINISHED = r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*'
STRING = rf'{_UNFINISHED}"'
NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_SCALAR = rf"{STRING}|{NUMBER}|true|false|null"
_ROOT = re.compile(rf"{SPACE}(?:({_SCALAR})|([\[{{]))")
_WORDS: dict[str, Json] = {"true": True, "false": False, "null": None}


class _Container(NamedTuple):
    """One member or element up to its comma, the end of an empty container, and what follows an inner container."""

    item: re.Pattern[str]
    empty: re.Pattern[str]
    after: re.Pattern[str]


def _container(key: str, closer: str) -> _Container:
    item = rf"{SPACE}{key}(?:({_SCALAR}){SPACE}([,{closer}])|([\[{{]))"
    patterns = (item, rf"{SPACE}[{closer}]", rf"{SPACE}([,{closer}])")
    return _Container(*map(re.compile, patterns))


_CONTAINERS = {"{": _container(rf"({STRING}){SPACE}:{SPACE}", "}"), "[": _container("()", r"\]")}


def read_json(text: str, *, first: Position | None = None, limits: Limits = JSON_LIMITS) -> Document | Fault:
    """Reads a text that is one JSON value. ``first`` is where it begins in its document."""
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
    """One pass over one text. ``path`` is that of the innermost open container."""

    def __init__(self, text: str, depth: int) -> None:
        self.text = text
        self.depth = depth
        self.path: list[str | int] = []

    def run(self) -> tuple[Json, Mark]:
        """The value of the whole text, and its mark."""
        text = self.text
        if text.startswith("\ufeff"):
            raise Refused("PG005", "the text begins with a byte-order mark (U+FEFF)", 0)
        if not text.isascii() and (lone := _SURROGATE.search(text)):
            message = f"half of a surrogate pair ({character_name(lone.group())}), which is no character"
            raise Refused("PG005", message, lone.start())
        match = _ROOT.match(text)
        if match is None:
            begin = _skip(text, 0)
            _check_value(text, begin)
            raise _syntax(f"expected a value, found {_named(text, begin)}", begin)
        begin, end = match.span(match.lastindex or 0)
        inside: Inside = None
        if match[2]:
            value, inside, end = self._read(begin)
        else:
            value = _scalar(match[1], begin)
        rest = _skip(text, end)
        if rest == len(text):
            return value, (begin, begin, inside)
        if text[begin] not in '"[{':
            _check_value(text, begin)
        message = f"text after the value: {_named(text, rest)} where the text should end"
        hint = "" if text[rest:].strip("- \t\r\n") else "end an HTML comment with -->, two dashes and no more"
        raise Refused("PG006", message, rest, hint)

    def _read(self, opened: int) -> tuple[Json, Inside, int]:
        """The array or object that begins here, the marks inside it, and its end."""
        text, (item, empty, after) = self.text, _CONTAINERS[self.text[opened]]
        values: dict[Any, Json] = {}  # of an array, by index
        marks: dict[Any, Mark] = {}
        step: Any
        is_empty = empty.match(text, opened + 1)
        offset, separator = (is_empty.end(), "") if is_empty else (opened + 1, ",")
        while separator == ",":
            match = item.match(text, offset)
            if match is None:
                _wrong_item(text, offset, opened)
            quoted, scalar, separator, opener = match.groups()
            offset, key_offset = match.end(), match.start(1)
            begin = offset - 1 if opener else match.start(2)
            if quoted:
                step = _unescaped(quoted, key_offset) if "\\" in quoted else quoted[1:-1]
                if step in values:
                    message = f"the key {excerpt(step)} occurs twice in this object, first at"
                    raise Refused("PG002", message, key_offset, related=marks[step][1], step=step)
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
                    _wrong_separator(text, offset, opened)
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
    text = str(json.loads(token))
    if not text.isascii() and _SURROGATE.search(text):
        lone = next(escape for escape in _ESCAPE.finditer(token) if escape.group(1))
        message = f"{lone.group()} is half of a surrogate pair, which is no character"
        raise Refused("PG005", message, offset + lone.start())
    return text


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


# From here on: what is wrong if nothing matches. Every `wrong` raises; a `check` raises if it finds a fault.
_SPACE, _STRING, _BEGUN_STRING, _NUMBER = late(SPACE), late(STRING), late(_UNFINISHED), late(NUMBER)
_RUN = late(r"[0-9A-Za-z_+.\-]+")
_WORD = late(r"[A-Za-z_$][A-Za-z0-9_$\-]*")
_SURROGATE = late("[\ud800-\udfff]")
_ESCAPE = late(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\(?:(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
_LOW = "\u201e"  # which only begins a quotation
_TYPOGRAPHIC = "\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb\u0060\u00b4"
_QUOTED = late(
    rf"[{_TYPOGRAPHIC}'\"]([^{_TYPOGRAPHIC}'\"\\\n]{{0,500}})"
    rf"[{_TYPOGRAPHIC.replace(_LOW, '')}'\"](?=[ \t]*[,:}}\]\n])"
)
_KINDS = {"{": ("object", "}"), "[": ("array", "]")}
_NO_NUMBERS = ("nan", "infinity", "inf")
_OTHER_WORDS = {"none": "null", "nil": "null", "undefined": "null", "yes": "true", "no": "false"}
# What other notations have here and JSON has not: how it begins, the code, what is said, and the hint. A string in
# other quotation marks is written with the right ones, if there is no doubt about where it ends.
_REQUOTE, _RESPACE = "write it in double quotes", "write a plain space"
_COMMENT = (late(r"#|//|/\*"), "PG001", "a comment; JSON has none", "remove the comment")
_FOREIGN = (
    (late("```"), "PG001", "a code fence in the JSON text", "remove the lines that begin with ```"),
    (late("'"), "PG001", "single quotes; JSON strings and keys take double quotes", _REQUOTE),
    (
        late(f"[{_TYPOGRAPHIC}]"),
        "PG001",
        "the quotation mark {name}; JSON strings and keys take plain double quotes",
        _REQUOTE,
    ),
    (late("\ufeff"), "PG005", "a byte-order mark (U+FEFF)", ""),
    (
        late(r"(?=\s)[^\x00-\x20]"),
        "PG001",
        "the space {name}; JSON has only plain ones between values",
        "write a plain space",
    ),
    (late(r"[\x00-\x1f]"), "PG005", "a control character ({name})", ""),
    _COMMENT,
)


def _syntax(
    message: str, offset: int, hint: str = "", *, related: int | None = None, fix: Fix | None = None
) -> Refused:
    return Refused("PG001", message, offset, hint, related=related, fix=fix)


def _wrong_item(text: str, offset: int, opened: int) -> NoReturn:
    """Raises why no valid member or element of this container begins here."""
    begin = _skip(text, offset)
    if begin < len(text):
        if text[opened] == "{":
            begin = _member_value(text, begin, opened)
        else:
            _check_comma(text, begin)
        _check_value(text, begin)
        run = _RUN.match(text, begin)
        begin = _string_end(text, begin) if text[begin] == '"' else run.end() if run else begin
    _wrong_separator(text, begin, opened)


def _wrong_separator(text: str, end: int, opened: int) -> NoReturn:
    """Raises why neither a comma nor the container's end follows this value."""
    begin, (kind, closer) = _skip(text, end), _KINDS[text[opened]]
    if begin == len(text):
        message = f"the text ends inside the {kind} opened at"
        raise _syntax(message, begin, f'close it with "{closer}"', related=opened)
    _check_foreign(text, begin, (_COMMENT,))
    found, expected = text[begin], f'"," or "{closer}"'
    if found in "]}":
        raise _syntax(f'"{found}" where "{closer}" closes the {kind} opened at', begin, related=opened)
    if found in '"{[-' or found.isalnum():
        message = f"no comma before {_named(text, begin)}; expected {expected}"
        raise _syntax(message, begin, 'put "," between the two', fix=Fix(old="", new=", "))
    raise _syntax(f"expected {expected}, found {_named(text, begin)}", begin)


def _member_value(text: str, begin: int, opened: int) -> int:
    """The offset of the value of the member that begins here."""
    if text[begin] != '"':
        _check_comma(text, begin)
        _check_foreign(text, begin)
        word = _WORD.match(text, begin)
        if word is None:
            raise _syntax(f"expected a key in double quotes, found {_named(text, begin)}", begin)
        name, fix = excerpt(word.group()), Fix(old=word.group(), new=f'"{word.group()}"')
        raise _syntax(f"the key {name[1:-1]} is not in double quotes", begin, f"write {name}", fix=fix)
    end = _string_end(text, begin)
    colon = _skip(text, end)
    value = _skip(text, colon + 1)
    if value >= len(text) and text[colon : colon + 1] in (":", ""):
        _wrong_separator(text, len(text), opened)
    if text[colon] != ":":
        message = f'expected ":" after the key {excerpt(text[begin + 1 : end - 1])}, found {_named(text, colon)}'
        raise _syntax(message, colon)
    return value


def _check_value(text: str, begin: int) -> None:
    """Raises if the value that begins here is itself wrong."""
    if begin == len(text):
        raise _syntax("the text is empty; expected a value", begin, "write the value")
    head = text[begin]
    if head == '"':
        _string_end(text, begin)
    elif head in "+-.0123456789":
        _check_number(text, begin)
    elif word := _WORD.match(text, begin):
        _check_word(word.group(), begin)
    else:
        _check_foreign(text, begin)
        if head not in "{[":
            raise _syntax(f"expected a value, found {_named(text, begin)}", begin)


def _check_comma(text: str, begin: int) -> None:
    before = text[:begin].rstrip(" \t\r\n")
    if text[begin] in "]}" and before.endswith(","):
        message = f'a comma before the closing "{text[begin]}"'
        raise _syntax(message, len(before) - 1, "remove the comma", fix=Fix(old=",", new=""))


def _check_foreign(text: str, begin: int, rows: tuple[tuple[re.Pattern[str], str, str, str], ...] = _FOREIGN) -> None:
    """Raises what the first matching row says."""
    row = next((row for row in rows if row[0].match(text, begin)), None)
    if row is None:
        return
    (_, code, message, hint), head, fix = row, text[begin], None
    if hint == _REQUOTE:
        quoted = _QUOTED.match(text, begin)
        hint = f"write {excerpt(quoted[1])}" if quoted else ""
        fix = Fix(old=quoted[0], new=f'"{quoted[1]}"') if quoted else None
    elif hint == _RESPACE:
        fix = Fix(old=head, new=" ")
    raise Refused(code, message.format(name=character_name(head)), begin, hint, fix=fix)


def _check_word(word: str, begin: int) -> None:
    """Raises for an unquoted word as a value."""
    if word in _WORDS:
        return
    name = excerpt(word)
    if word.lower() in _NO_NUMBERS:
        raise Refused("PG003", f"{name[1:-1]} is not a JSON number", begin)
    known = _OTHER_WORDS.get(word.lower(), word.lower())
    hint = f"write {known}" if known in _WORDS else f"write {name}, in double quotes"
    fix = Fix(old=word, new=known if known in _WORDS else f'"{word}"')
    raise _syntax(f"the word {name[1:-1]} is not a JSON value", begin, hint, fix=fix)


def _check_number(text: str, begin: int) -> None:
    run = _RUN.match(text, begin)
    written = run.group() if run else text[begin]
    if _NUMBER.fullmatch(written):
        return
    message, digits = f"{excerpt(written)[1:-1]} is not a JSON number", written.lstrip("+-")
    if digits.lower() in _NO_NUMBERS:
        raise Refused("PG003", message, begin)
    reasons = (
        (written[0] == "+", ": it begins with a plus sign"),
        (digits[:1] == ".", ": it needs a digit before the point"),
        (digits[:1] == "0" and digits[1:].isdigit(), ": it begins with a zero"),
        (digits[-1:] == ".", ": it needs a digit behind the point"),
        (True, "; text needs double quotes"),
    )
    raise _syntax(message + next(reason for holds, reason in reasons if holds), begin)


def _string_end(text: str, begin: int) -> int:
    body = _BEGUN_STRING.match(text, begin)
    end = body.end() if body else begin + 1
    if end == len(text):
        raise _syntax("the string that begins here is not closed", begin, "close it with a double quote")
    found = text[end]
    if found == '"':
        return end + 1
    if text.startswith("\\u", end):
        message = f"{excerpt(text[end : end + 6])} is cut short; expected \\u and four hexadecimal digits"
        raise _syntax(message, end)
    if found == "\\":
        message = f"a backslash before {_named(text, end + 1)}, which is no JSON escape"
        raise _syntax(message, end, "write a backslash as \\\\")
    if found in "\r\n":
        message = "a line break inside a string; expected a closing quote before it"
        raise Refused("PG005", message, end, "close the string, or write the break as \\n")
    written = "\\t" if found == "\t" else f"\\u{ord(found):04x}"
    message = f"a control character ({character_name(found)}) inside a string"
    raise Refused("PG005", message, end, f"write it as {written}")


def _named(text: str, offset: int) -> str:
    if offset >= len(text):
        return "the end of the text"
    found = _WORD.match(text, offset) or _STRING.match(text, offset)
    return excerpt(found.group().strip('"')) if found else character_name(text[offset])


def _skip(text: str, offset: int) -> int:
    space = _SPACE.match(text, offset)
    return space.end() if space else offset
