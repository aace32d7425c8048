"""What is wrong with a YAML text: PyYAML's complaint or a character comes in, a finding in plain words goes out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from phasegate.model.late import late
from phasegate.reading.document import Finding, Refused
from phasegate.reading.excerpt import character_name, visible

if TYPE_CHECKING:
    from yaml.error import MarkedYAMLError

# All that PyYAML's reader refuses; and the line breaks and marks that nobody sees and parsers read differently.
_FORBIDDEN = late("[^\t\n\r -~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]|\r(?!\n)")
_FORBIDDEN_IN_ASCII = late("[^\t\n\r -~]|\r(?!\n)")
_SURROGATE = late("[\ud800-\udfff]")
_BREAKS = "\r\u0085\u2028\u2029"


class _Complaint(NamedTuple):
    """How PyYAML's problem begins, what to say instead, and the fix.

    Its context is where the part began that is wrong: ``at_context`` puts the fault there, ``names_context`` ends the
    message with it.
    """

    problem: str
    message: str
    hint: str = ""
    at_context: bool = False
    names_context: bool = False


_BEHIND_BLOCK_SIGN = 'text right behind "|" or ">"; expected a line break, then the text'
_QUOTE_BLOCK_SIGN = 'put text that begins with "|" or ">" in quotes'

_COMPLAINTS = (
    _Complaint(r"found character '\t'", "a tab where a value begins; YAML is indented with spaces", "use spaces"),
    _Complaint("found character", "{character} cannot begin a value", "put the value in quotes"),
    _Complaint(
        "mapping values are not allowed here",
        'a ":" that makes a key where none can be',
        'put text that holds ": " in quotes, and check the indentation',
    ),
    _Complaint(
        "could not find expected ':'",
        'a line that is neither "key: value" nor part of the text above it',
        'add the ":" or indent the line',
        at_context=True,
    ),
    _Complaint(
        "sequence entries are not allowed here", 'a "-" where no list can begin', "begin the list on its own line"
    ),
    _Complaint("found unexpected end of stream", "a quote that is never closed", "close the quote", at_context=True),
    _Complaint(
        "found unexpected document separator", "a quote that is not closed before the line of ---", "close the quote"
    ),
    _Complaint("found unknown escape character", "a backslash before a character that makes no escape", "write \\\\"),
    _Complaint("expected escape sequence", "an escape with too few hexadecimal digits", "write \\\\ for a backslash"),
    _Complaint(
        "expected ',' or ']'",
        'expected "," or "]" to go on with or close the list opened at',
        "close the list or separate its values",
        names_context=True,
    ),
    _Complaint(
        "expected ',' or '}'",
        'expected "," or "}" to go on with or close the mapping opened at',
        "close the mapping or separate its members",
        names_context=True,
    ),
    _Complaint(
        "expected <block end>, but found ':'", 'a ":" with no key before it', "write the key, or quote the text"
    ),
    _Complaint(
        "expected <block end>",
        "the indentation does not fit what stands above",
        "indent members of one mapping or list by the same number of spaces",
    ),
    _Complaint(
        "expected the node content, but found '<stream end>'", "the text ends before a value", "write the value"
    ),
    _Complaint("expected the node content", "expected a value here", "write the value, or quote it"),
    _Complaint("mapping keys are not allowed here", 'a "?" where no key can begin', "put the value in quotes"),
    _Complaint("expected chomping or", _BEHIND_BLOCK_SIGN, _QUOTE_BLOCK_SIGN),
    _Complaint("expected indentation indicator", _BEHIND_BLOCK_SIGN, _QUOTE_BLOCK_SIGN),
    _Complaint("expected a comment or a line break", _BEHIND_BLOCK_SIGN, _QUOTE_BLOCK_SIGN),
    _Complaint("expected '<document start>'", "text after the end of the value", "keep one mapping and nothing else"),
)


def check_characters(text: str) -> None:
    """Refuses characters that do not print, byte-order marks, and line breaks other than LF and CRLF."""
    found = (_FORBIDDEN_IN_ASCII if text.isascii() else _FORBIDDEN).search(text)
    if found is None:
        return
    character = found.group()
    if character == "\ufeff":
        message = "a byte-order mark (U+FEFF)"
    elif character in _BREAKS:
        message = f"a line break ({character_name(character)}) that only some programs see; expected LF or CRLF"
    elif _SURROGATE.match(character):
        message = f"half of a surrogate pair ({character_name(character)}), which is no character"
    else:
        message = f"a control character ({character_name(character)})"
    raise Refused(Finding(code="PG005", message=message, offset=found.start()))


def check_scalar(value: str, offset: int) -> None:
    """Refuses a scalar one of whose escapes wrote half of a surrogate pair."""
    lone = None if value.isascii() else _SURROGATE.search(value)
    if lone:
        message = f"an escape in this text writes half of a surrogate pair ({character_name(lone.group())})"
        hint = "write the character itself, or \\U and eight digits"
        raise Refused(Finding(code="PG005", message=message, offset=offset, hint=hint))


def refused(error: MarkedYAMLError) -> Refused:
    """PyYAML's error in plain words, where the mistake is."""
    problem = error.problem or error.context or "not readable"
    complaint = next((known for known in _COMPLAINTS if problem.startswith(known.problem)), None)
    if complaint is None:
        return Refused(Finding(code="PG010", message=visible(problem)[:120], offset=_offset(error, at_context=False)))
    message = complaint.message.replace("{character}", _quoted_in(problem))
    offset = _offset(error, at_context=complaint.at_context)
    context = _offset(error, at_context=True) if complaint.names_context else None
    return Refused(Finding(code="PG010", message=message, offset=offset, hint=complaint.hint, related=context))


def unreadable(text: str, offset: int) -> Refused:
    """What made the parser itself fail: as far as is known, only an escape of a character that does not exist."""
    begin = text.rfind("\\", 0, offset)
    if begin < 0:
        return Refused(Finding(code="PG010", message="the text cannot be read from here on", offset=offset))
    message = "an escape that writes no character; the last one is \\U0010ffff"
    return Refused(Finding(code="PG010", message=message, offset=begin, hint="write the character itself"))


def _offset(error: MarkedYAMLError, *, at_context: bool) -> int:
    marks = (error.context_mark, error.problem_mark)
    mark = next((mark for mark in (marks if at_context else marks[::-1]) if mark is not None), None)
    return mark.index if mark else 0


def _quoted_in(problem: str) -> str:
    """The character that the problem shows with ``%r``."""
    shown = problem.removeprefix("found character ").split(" that ")[0]
    return f'"{visible(shown[1:-1])}"'
