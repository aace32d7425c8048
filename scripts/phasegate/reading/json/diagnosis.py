"""What is wrong with a JSON text: the offset where ``strict_json`` stopped comes in, a cause to fix goes out."""

from __future__ import annotations

import re
from enum import Enum

from phasegate.model.frozen import late
from phasegate.model.problem import Fix
from phasegate.reading.document import FaultAt, Refused, character_name, excerpt

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
        raise Refused(FaultAt(code="PG005", message=message, offset=0))
    if not text.isascii() and (lone := SURROGATE.search(text)):
        message = f"half of a surrogate pair ({character_name(lone.group())}), which is no character"
        raise Refused(FaultAt(code="PG005", message=message, offset=lone.start()))


def check_end(text: str, end: int, scalar: int) -> None:
    """Refuses what follows the value that ends at ``end``; ``scalar`` is where it began, or -1 for a container."""
    rest = skip(text, end)
    if rest == len(text):
        return
    if scalar >= 0 and text[scalar] != '"' and (wrong := _wrong_value(text, scalar)):
        raise Refused(wrong)
    message = f"text after the value: {named(text, rest)} where the text should end"
    hint = "" if text[rest:].strip("- \t\r\n") else "end an HTML comment with -->, two dashes and no more"
    raise Refused(FaultAt(code="PG006", message=message, offset=rest, hint=hint))


def stopped(text: str, offset: int, expected: Expected, opened: int = -1) -> Refused:
    """Why the reader that waited for this could not read on; ``opened`` is where the container around it begins."""
    begin = skip(text, offset)
    finding: FaultAt | None
    if expected is Expected.MEMBER:
        finding = _wrong_member(text, begin, opened)
    elif expected is Expected.ELEMENT:
        finding = _wrong_element(text, begin, opened)
    elif expected is Expected.VALUE:
        finding = _wrong_value(text, begin)
    else:
        finding = _wrong_separator(text, begin, expected, opened)
    return Refused(finding or syntax(f"expected {expected.value}, found {named(text, begin)}", begin))


def _wrong_member(text: str, begin: int, opened: int) -> FaultAt:
    if text[begin : begin + 1] not in ('"', ""):
        return _wrong_key(text, begin)
    end = string_end(text, begin) if begin < len(text) else begin
    if isinstance(end, FaultAt):
        return end
    colon = skip(text, end)
    value = skip(text, colon + 1)
    if value >= len(text) and text[colon : colon + 1] in (":", ""):
        return _unfinished(text, opened)
    if text[colon] != ":":
        message = f'expected ":" after the key {excerpt(text[begin + 1 : end - 1])}, found {named(text, colon)}'
        return syntax(message, colon)
    return _wrong_value(text, value) or _wrong_separator(text, _value_end(text, value), Expected.OBJECT_END, opened)


def _wrong_key(text: str, begin: int) -> FaultAt:
    foreign = _trailing_comma(text, begin) or _foreign(text, begin)
    if foreign:
        return foreign
    word = WORD.match(text, begin)
    if word:
        name = excerpt(word.group())
        message = f"the key {name[1:-1]} is not in double quotes"
        return syntax(message, begin, hint=f"write {name}", fix=Fix(old=word.group(), new=f'"{word.group()}"'))
    return syntax(f"expected a key in double quotes, found {named(text, begin)}", begin)


def _wrong_element(text: str, begin: int, opened: int) -> FaultAt | None:
    if begin == len(text):
        return _unfinished(text, opened)
    wrong = _trailing_comma(text, begin) or _wrong_value(text, begin)
    return wrong or _wrong_separator(text, _value_end(text, begin), Expected.ARRAY_END, opened)


def _wrong_separator(text: str, end: int, expected: Expected, opened: int) -> FaultAt:
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
        return syntax(message, begin, hint='put "," between the two', fix=Fix(old="", new=", "))
    return syntax(f"expected {expected.value}, found {named(text, begin)}", begin)


def _wrong_value(text: str, begin: int) -> FaultAt | None:
    """What is wrong with the value that should begin here, if it is the value itself that is wrong."""
    if begin == len(text):
        return syntax("the text is empty; expected a value", begin, hint="write the value")
    head = text[begin]
    if head == '"':
        end = string_end(text, begin)
        return end if isinstance(end, FaultAt) else None
    if head in "+-.0123456789":
        return wrong_number(text, begin)
    word = WORD.match(text, begin)
    if word:
        return wrong_word(word.group(), begin)
    foreign = _foreign(text, begin)
    return foreign or (None if head in "{[" else syntax(f"expected a value, found {named(text, begin)}", begin))


def _trailing_comma(text: str, begin: int) -> FaultAt | None:
    if text[begin] not in "]}":
        return None
    before = len(text[:begin].rstrip(" \t\r\n")) - 1
    if before < 0 or text[before] != ",":
        return None
    return syntax(
        f'a comma before the closing "{text[begin]}"', before, hint="remove the comma", fix=Fix(old=",", new="")
    )


def _foreign(text: str, begin: int) -> FaultAt | None:
    """What other notations allow here and JSON does not."""
    head = text[begin]
    if text.startswith("```", begin):
        return syntax("a code fence in the JSON text", begin, hint="remove the lines that begin with ```")
    if head == "'":
        message = "single quotes; JSON strings and keys stand in double quotes"
        return _otherwise_quoted(text, begin, message)
    if head in _TYPOGRAPHIC:
        message = f"the quotation mark {character_name(head)}; JSON strings and keys stand in plain double quotes"
        return _otherwise_quoted(text, begin, message)
    if head == "\ufeff":
        return FaultAt(code="PG005", message="a byte-order mark (U+FEFF)", offset=begin)
    if head.isspace() and head > " ":
        message = f"the space {character_name(head)}; JSON has only plain ones between values"
        return syntax(message, begin, hint="write a plain space", fix=Fix(old=head, new=" "))
    if head < " ":
        return FaultAt(code="PG005", message=f"a control character ({character_name(head)})", offset=begin)
    return _comment(text, begin)


def _otherwise_quoted(text: str, begin: int, message: str) -> FaultAt:
    """A string in other quotation marks; with the right ones, if there is no doubt about where it ends."""
    match = _OTHERWISE_QUOTED.match(text, begin)
    if match is None:
        return syntax(message, begin)
    return syntax(message, begin, hint=f"write {excerpt(match[1])}", fix=Fix(old=match[0], new=f'"{match[1]}"'))


def _comment(text: str, begin: int) -> FaultAt | None:
    if text[begin] == "#" or text.startswith(("//", "/*"), begin):
        return syntax("a comment; JSON has none", begin, hint="remove the comment")
    return None


def _unfinished(text: str, opened: int) -> FaultAt:
    kind, closer = ("object", "}") if text[opened] == "{" else ("array", "]")
    message = f"the text ends inside the {kind} opened at"
    return syntax(message, len(text), hint=f'close it with "{closer}"', related=opened)


def _value_end(text: str, begin: int) -> int:
    """The offset behind a value that is right by itself."""
    if text[begin] == '"':
        end = string_end(text, begin)
        return begin if isinstance(end, FaultAt) else end
    run = NUMBER_RUN.match(text, begin)
    return run.end() if run else begin


SPACE = r"[ \t\n\r]*"
_UNFINISHED = r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*'
STRING = rf'{_UNFINISHED}"'
NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
SURROGATE = late("[\ud800-\udfff]")
NUMBER_RUN = late(r"[0-9A-Za-z_+.\-]+")
WORD = late(r"[A-Za-z_$][A-Za-z0-9_$\-]*")

_SPACE = late(SPACE)
_STRING = late(STRING)
_BEGUN_STRING = late(_UNFINISHED)
_NUMBER = late(NUMBER)
_HEX = "[0-9a-fA-F]"
_ESCAPE = late(rf"\\u[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}|\\(?:(u[dD][89a-fA-F]{_HEX}{{2}})|.)", re.DOTALL)
_OTHERWISE_QUOTED = late(
    r"[\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb'`\u00b4\"]([^\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb'`\u00b4\"\\\n]{0,500})"
    r"[\u2018\u2019\u201c\u201d\u00ab\u00bb'`\u00b4\"](?=[ \t]*[,:}\]\n])"
)
_WORDS = ("true", "false", "null")
_NO_NUMBERS = ("nan", "infinity", "inf")
_OTHER_WORDS = {"none": "null", "nil": "null", "undefined": "null", "yes": "true", "no": "false"}


def syntax(message: str, offset: int, *, hint: str = "", related: int | None = None, fix: Fix | None = None) -> FaultAt:
    """A finding about the grammar."""
    return FaultAt(code="PG001", message=message, offset=offset, hint=hint, related=related, fix=fix)


def lone_surrogate(token: str, offset: int) -> Refused:
    """The first escape in a string that writes half of a surrogate pair."""
    lone = next((escape for escape in _ESCAPE.finditer(token) if escape.group(1)), None)
    begin, written = (lone.start(), lone.group()) if lone else (0, "this string")
    message = f"{written} is half of a surrogate pair, which is no character"
    return Refused(FaultAt(code="PG005", message=message, offset=offset + begin))


def wrong_word(word: str, begin: int) -> FaultAt | None:
    """What is wrong with a word that stands without quotes as a value."""
    if word in _WORDS:
        return None
    name = excerpt(word)
    if word.lower() in _NO_NUMBERS:
        return FaultAt(code="PG003", message=f"{name[1:-1]} is not a JSON number", offset=begin)
    known = _OTHER_WORDS.get(word.lower(), word.lower())
    hint = f"write {known}" if known in _WORDS else f"write {name}, in double quotes"
    fix = Fix(old=word, new=known if known in _WORDS else f'"{word}"')
    return syntax(f"the word {name[1:-1]} is not a JSON value", begin, hint=hint, fix=fix)


def wrong_number(text: str, begin: int) -> FaultAt | None:
    """What is wrong with the number that begins here."""
    run = NUMBER_RUN.match(text, begin)
    written = run.group() if run else text[begin]
    if _NUMBER.fullmatch(written):
        return None
    name = excerpt(written)[1:-1]
    if written.lstrip("+-").lower() in _NO_NUMBERS:
        return FaultAt(code="PG003", message=f"{name} is not a JSON number", offset=begin)
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


def string_end(text: str, begin: int) -> int | FaultAt:
    """The offset behind the string that begins here, or what is wrong with it."""
    body = _BEGUN_STRING.match(text, begin)
    end = body.end() if body else begin + 1
    if end == len(text):
        return syntax("the string that begins here is not closed", begin, hint="close it with a double quote")
    found = text[end]
    if found == '"':
        return end + 1
    if found == "\\":
        return _wrong_escape(text, end)
    if found in "\r\n":
        message = "a line break inside a string; expected a closing quote before it"
        return FaultAt(code="PG005", message=message, offset=end, hint="close the string, or write the break as \\n")
    message = f"a control character ({character_name(found)}) inside a string"
    written = "\\t" if found == "\t" else f"\\u{ord(found):04x}"
    return FaultAt(code="PG005", message=message, offset=end, hint=f"write it as {written}")


def _wrong_escape(text: str, begin: int) -> FaultAt:
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
