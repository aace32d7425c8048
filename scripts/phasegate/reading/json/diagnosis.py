"""What is wrong with a JSON text: the place where the reader stopped comes in, ``Refused`` with the cause goes out.

Every ``wrong_…`` raises; a ``check_…`` does so if there is something to say.
"""

from __future__ import annotations

import re
from typing import NoReturn

from phasegate.model.frozen import late
from phasegate.model.problem import Fix
from phasegate.reading.document import Refused, character_name, excerpt

SPACE = r"[ \t\n\r]*"
_UNFINISHED = r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*'
STRING = rf'{_UNFINISHED}"'
NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
SURROGATE = late("[\ud800-\udfff]")

_SPACE, _STRING, _BEGUN_STRING, _NUMBER = late(SPACE), late(STRING), late(_UNFINISHED), late(NUMBER)
_NUMBER_RUN = late(r"[0-9A-Za-z_+.\-]+")
_WORD = late(r"[A-Za-z_$][A-Za-z0-9_$\-]*")
_HEX = "[0-9a-fA-F]"
_ESCAPE = late(rf"\\u[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}|\\(?:(u[dD][89a-fA-F]{_HEX}{{2}})|.)", re.DOTALL)
_LOW = "\u201e"  # which only begins a quotation
_TYPOGRAPHIC = "\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb\u0060\u00b4"
_OTHERWISE_QUOTED = late(
    rf"[{_TYPOGRAPHIC}'\"]([^{_TYPOGRAPHIC}'\"\\\n]{{0,500}})"
    rf"[{_TYPOGRAPHIC.replace(_LOW, '')}'\"](?=[ \t]*[,:}}\]\n])"
)
_KINDS = {"{": ("object", "}"), "[": ("array", "]")}
_WORDS = ("true", "false", "null")
_NO_NUMBERS = ("nan", "infinity", "inf")
_OTHER_WORDS = {"none": "null", "nil": "null", "undefined": "null", "yes": "true", "no": "false"}


def _syntax(
    message: str, offset: int, hint: str = "", *, related: int | None = None, fix: Fix | None = None
) -> Refused:
    return Refused("PG001", message, offset, hint, related=related, fix=fix)


def check_characters(text: str) -> None:
    """Refuses a byte-order mark in front and half of a surrogate pair anywhere."""
    if text.startswith("\ufeff"):
        raise Refused("PG005", "the text begins with a byte-order mark (U+FEFF)", 0)
    if not text.isascii() and (lone := SURROGATE.search(text)):
        message = f"half of a surrogate pair ({character_name(lone.group())}), which is no character"
        raise Refused("PG005", message, lone.start())


def check_end(text: str, begin: int, end: int) -> None:
    """Refuses what follows the value that stands between these offsets."""
    rest = _skip(text, end)
    if rest == len(text):
        return
    if text[begin] not in '"[{':
        _check_value(text, begin)
    message = f"text after the value: {_named(text, rest)} where the text should end"
    hint = "" if text[rest:].strip("- \t\r\n") else "end an HTML comment with -->, two dashes and no more"
    raise Refused("PG006", message, rest, hint)


def wrong_start(text: str) -> NoReturn:
    """Why no value begins the text."""
    begin = _skip(text, 0)
    _check_value(text, begin)
    raise _syntax(f"expected a value, found {_named(text, begin)}", begin)


def wrong_item(text: str, offset: int, opened: int) -> NoReturn:
    """Why no member or element of the container opened there begins here, or none ends well."""
    begin = _skip(text, offset)
    if begin == len(text):
        raise _unfinished(text, opened)
    if text[opened] == "{":
        begin = _member_value(text, begin, opened)
    else:
        _check_comma(text, begin)
    _check_value(text, begin)
    run = _NUMBER_RUN.match(text, begin)
    wrong_separator(text, _string_end(text, begin) if text[begin] == '"' else run.end() if run else begin, opened)


def wrong_separator(text: str, end: int, opened: int) -> NoReturn:
    """Why the value that ends here is followed by neither a comma nor the end of the container opened there."""
    begin = _skip(text, end)
    if begin == len(text):
        raise _unfinished(text, opened)
    _check_comment(text, begin)
    found, (kind, closer) = text[begin], _KINDS[text[opened]]
    if found in "]}":
        raise _syntax(f'"{found}" where "{closer}" closes the {kind} opened at', begin, related=opened)
    expected = f'"," or "{closer}"'
    if found in '"{[-' or found.isalnum():
        message = f"no comma before {_named(text, begin)}; expected {expected}"
        raise _syntax(message, begin, 'put "," between the two', fix=Fix(old="", new=", "))
    raise _syntax(f"expected {expected}, found {_named(text, begin)}", begin)


def lone_surrogate(token: str, offset: int) -> NoReturn:
    """Refuses a string for its first escape that writes half of a surrogate pair."""
    lone = next((escape for escape in _ESCAPE.finditer(token) if escape.group(1)), None)
    begin, written = (lone.start(), lone.group()) if lone else (0, "this string")
    raise Refused("PG005", f"{written} is half of a surrogate pair, which is no character", offset + begin)


def _member_value(text: str, begin: int, opened: int) -> int:
    """Where the value of the member that begins here should begin."""
    if text[begin] != '"':
        raise _wrong_key(text, begin)
    end = _string_end(text, begin)
    colon = _skip(text, end)
    value = _skip(text, colon + 1)
    if value >= len(text) and text[colon : colon + 1] in (":", ""):
        raise _unfinished(text, opened)
    if text[colon] != ":":
        message = f'expected ":" after the key {excerpt(text[begin + 1 : end - 1])}, found {_named(text, colon)}'
        raise _syntax(message, colon)
    return value


def _wrong_key(text: str, begin: int) -> Refused:
    _check_comma(text, begin)
    _check_foreign(text, begin)
    word = _WORD.match(text, begin)
    if word is None:
        return _syntax(f"expected a key in double quotes, found {_named(text, begin)}", begin)
    name = excerpt(word.group())
    fix = Fix(old=word.group(), new=f'"{word.group()}"')
    return _syntax(f"the key {name[1:-1]} is not in double quotes", begin, f"write {name}", fix=fix)


def _check_value(text: str, begin: int) -> None:
    """Refuses the value that should begin here if it is the value itself that is wrong."""
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
    if text[begin] in "]}":
        before = text[:begin].rstrip(" \t\r\n")
        if before.endswith(","):
            message = f'a comma before the closing "{text[begin]}"'
            raise _syntax(message, len(before) - 1, "remove the comma", fix=Fix(old=",", new=""))


def _check_foreign(text: str, begin: int) -> None:
    """Refuses what other notations allow here and JSON does not."""
    head = text[begin]
    if text.startswith("```", begin):
        raise _syntax("a code fence in the JSON text", begin, "remove the lines that begin with ```")
    if head == "'":
        raise _otherwise_quoted(text, begin, "single quotes; JSON strings and keys stand in double quotes")
    if head in _TYPOGRAPHIC:
        message = f"the quotation mark {character_name(head)}; JSON strings and keys stand in plain double quotes"
        raise _otherwise_quoted(text, begin, message)
    if head == "\ufeff":
        raise Refused("PG005", "a byte-order mark (U+FEFF)", begin)
    if head.isspace() and head > " ":
        message = f"the space {character_name(head)}; JSON has only plain ones between values"
        raise _syntax(message, begin, "write a plain space", fix=Fix(old=head, new=" "))
    if head < " ":
        raise Refused("PG005", f"a control character ({character_name(head)})", begin)
    _check_comment(text, begin)


def _otherwise_quoted(text: str, begin: int, message: str) -> Refused:
    """A string in other quotation marks; with the right ones, if there is no doubt about where it ends."""
    match = _OTHERWISE_QUOTED.match(text, begin)
    if match is None:
        return _syntax(message, begin)
    return _syntax(message, begin, f"write {excerpt(match[1])}", fix=Fix(old=match[0], new=f'"{match[1]}"'))


def _check_comment(text: str, begin: int) -> None:
    if text.startswith(("#", "//", "/*"), begin):
        raise _syntax("a comment; JSON has none", begin, "remove the comment")


def _unfinished(text: str, opened: int) -> Refused:
    kind, closer = _KINDS[text[opened]]
    return _syntax(f"the text ends inside the {kind} opened at", len(text), f'close it with "{closer}"', related=opened)


def _check_word(word: str, begin: int) -> None:
    """Refuses a word that stands without quotes as a value."""
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
    run = _NUMBER_RUN.match(text, begin)
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
    """The offset behind the string that begins here."""
    body = _BEGUN_STRING.match(text, begin)
    end = body.end() if body else begin + 1
    if end == len(text):
        raise _syntax("the string that begins here is not closed", begin, "close it with a double quote")
    found = text[end]
    if found == '"':
        return end + 1
    if found == "\\":
        raise _wrong_escape(text, end)
    if found in "\r\n":
        message = "a line break inside a string; expected a closing quote before it"
        raise Refused("PG005", message, end, "close the string, or write the break as \\n")
    written = "\\t" if found == "\t" else f"\\u{ord(found):04x}"
    message = f"a control character ({character_name(found)}) inside a string"
    raise Refused("PG005", message, end, f"write it as {written}")


def _wrong_escape(text: str, begin: int) -> Refused:
    if text.startswith("u", begin + 1):
        message = f"{excerpt(text[begin : begin + 6])} is cut short; expected \\u and four hexadecimal digits"
        return _syntax(message, begin)
    message = f"a backslash before {_named(text, begin + 1)}, which is no JSON escape"
    return _syntax(message, begin, "write a backslash as \\\\")


def _named(text: str, offset: int) -> str:
    """What stands at an offset, for a message."""
    if offset >= len(text):
        return "the end of the text"
    found = _WORD.match(text, offset) or _STRING.match(text, offset)
    return excerpt(found.group().strip('"')) if found else character_name(text[offset])


def _skip(text: str, offset: int) -> int:
    """The offset of the next character that is not white space."""
    space = _SPACE.match(text, offset)
    return space.end() if space else offset
