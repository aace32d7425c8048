"""Strict YAML: a text comes in, a ``Document`` with positions or one ``Fault`` goes out.

Built from the events of PyYAML's pure parser, so that no tag, alias or merge key is ever acted upon: they are refused
where the scanner meets them. The parser over libyaml reads files of our own alone, if it is there: deep nesting crashes
the whole process in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import yaml
from yaml.error import MarkedYAMLError
from yaml.events import CollectionEndEvent, DocumentStartEvent, Event, MappingStartEvent, NodeEvent, ScalarEvent
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner
from yaml.tokens import Token

from phasegate.model.frozen import late
from phasegate.model.problem import Fault, Position
from phasegate.reading.document import (
    Document,
    Inside,
    Json,
    Limits,
    Lines,
    Mark,
    Refused,
    character_name,
    excerpt,
    visible,
)

YAML_LIMITS = Limits(characters=131_072, depth=12)
POLICY_LIMITS = Limits(characters=131_072, depth=24)  # a format of a policy may hold a whole JSON Schema

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})")
_WORDS: dict[str, Json] = {"": None, "null": None, "true": True, "false": False}


def read_yaml(text: str, *, first: Position | None = None, limits: Limits = YAML_LIMITS) -> Document | Fault:
    """Reads a text that is one YAML document. ``first`` is where it begins in its document."""
    lines = Lines.of(text, first)
    if len(text) > limits.characters:
        message = f"the text has {len(text)} characters; at most {limits.characters} are read"
        return Fault(code="PG013", message=message, position=lines.first)
    found = _found(text, limits)
    return found.fault(lines) if isinstance(found, Refused) else Document(*found, lines)


def read_own_yaml(text: str) -> Json:
    """Reads one of our own files quickly, at every start. A test reads it strictly, too."""
    events = yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return _Building(events, POLICY_LIMITS.depth).run()[0]


@lru_cache(maxsize=8)  # several rules read one text in turn
def _found(text: str, limits: Limits) -> tuple[Json, Mark] | Refused:
    plain = plain_lines(text) if limits is YAML_LIMITS and len(text) <= _SHORT else None
    if plain is not None:
        return plain
    if forbidden := _forbidden(text):
        return forbidden
    parser = _Events(text, limits.depth)
    building = _Building(parser.taken(limits.events), limits.depth)
    try:
        return building.run()
    except Refused as refused:
        stopped = refused
    except MarkedYAMLError as error:
        stopped = _in_plain_words(error)
    except Exception:  # noqa: BLE001 - whatever else the parser stumbles over is a fault of the text
        # as far as is known, only an escape of a character that does not exist
        escape = text.rfind("\\", 0, parser.index)
        stopped = Refused("PG010", "the text cannot be read from here on", parser.index)
        if escape >= 0:
            message = "an escape that writes no character; the last one is \\U0010ffff"
            stopped = Refused("PG010", message, escape, "write the character itself")
    return stopped.inside(building.path)


# Lines of keys, plain values and items, as most front matter has them, take a twentieth of the time that the parser
# takes; of whatever can be read in two ways nothing is matched.
_SHORT = 4096
_KEY, _VALUE = r"[A-Za-z_][A-Za-z0-9_]{0,60}", r"[A-Za-z0-9_./][A-Za-z0-9_./+-]*(?: [A-Za-z0-9_./+-]+)*"
_ROW = late(rf"(?:(?P<key>{_KEY}): |- )(?P<value>{_VALUE})", re.ASCII)
_ENTRY = late(
    rf"(?P<key>{_KEY}):(?: (?P<value>{_VALUE})|\n(?P<indent> *)(?P<items>- {_VALUE}(?:\n(?P=indent)- {_VALUE})*)"
    rf"|\n(?P<deeper> +)(?P<members>{_KEY}: {_VALUE}(?:\n(?P=deeper){_KEY}: {_VALUE})*))(?:\n|\Z)",
    re.ASCII,
)


def plain_lines(text: str) -> tuple[Json, Mark] | None:
    """The parser's result for lines that can be read in only one way; None for any other text."""
    values: dict[str, Json] = {}
    marks: dict[str, Mark] = {}
    at = 0
    while at < len(text):
        entry = _ENTRY.match(text, at)
        if entry is None or entry["key"] in values:
            return None
        at, begin, key = entry.end(), entry.start(entry.lastgroup or ""), entry["key"]
        inside: Inside = None
        if entry["value"] is not None:
            values[key] = _typed(entry["value"])
        else:
            rows = list(_ROW.finditer(text, begin, at))
            told = [_typed(row["value"]) for row in rows]
            if entry["items"]:
                values[key], inside = told, [(row.start("value"), row.start("value"), None) for row in rows]
            else:
                inside = {row["key"]: (row.start("value"), row.start("key"), None) for row in rows}
                values[key] = dict(zip(inside, told, strict=False))
                if len(inside) < len(rows):
                    return None
        marks[key] = (begin, entry.start("key"), inside)
    return (values, (0, 0, marks)) if values else None


def _refusing(feature: str, hint: str) -> Callable[[_Events], None]:
    """A scanner callback that refuses a token outside the strict core."""

    def refuse(events: _Events) -> None:
        raise Refused("PG011", f"{feature} is not read; expected plain keys and values", events.index, hint)

    return refuse


class _Events(Reader, Scanner, Parser):
    """PyYAML's parser, stopped by the first token outside the strict core."""

    def __init__(self, text: str, depth: int) -> None:
        self.depth = depth
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)

    def taken(self, most: int) -> Iterator[Event]:
        """All events, if there are not too many."""
        for _ in range(most):
            if not self.check_event():
                return
            yield self.get_event()  # type: ignore[no-untyped-call] # no stubs
        raise Refused("PG013", f"more than {most} keys, values and brackets", self.index)

    fetch_anchor = _refusing("an anchor (&)", "write the value where it is needed")
    fetch_alias = _refusing("an alias (*)", 'write the value itself, or put text that begins with "*" in quotes')
    fetch_tag = _refusing("a tag (!)", 'remove the tag, or put text that begins with "!" in quotes')
    fetch_directive = _refusing("a directive (%)", "remove the line")
    fetch_bare_key = _refusing(
        "a key after a bare ?", 'write the key alone, or put text that begins with "?" in quotes'
    )

    def fetch_key(self) -> None:
        """Refuses ``{?key: value}``, which some readers take for the key ``key`` and others for ``?key``."""
        if self.peek(1) not in _AFTER_KEY:
            self.fetch_bare_key()
        super().fetch_key()

    def fetch_flow_collection_start(self, token: type[Token]) -> None:
        """Refuses a bracket that is too deep before the scanner searches for its end."""
        if self.flow_level >= self.depth:
            raise _too_deep(self.depth, self.index)
        super().fetch_flow_collection_start(token)


_AFTER_KEY = "\0 \t\r\n\x85\u2028\u2029"


class _Building:
    """One pass over the events of one text. ``path`` is that of the innermost open collection."""

    def __init__(self, events: Iterator[Event], depth: int) -> None:
        self.events = events
        self.depth = depth
        self.path: list[str | int] = []

    def run(self) -> tuple[Json, Mark]:
        """The single value of all events, and its mark."""
        value: Json = None
        mark: Mark = (0, 0, None)
        documents = 0
        for event in self.events:
            if isinstance(event, NodeEvent):
                value, inside = self._value(event)
                mark = (_offset(event), _offset(event), inside)
            elif isinstance(event, DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise Refused("PG011", "a second document begins here; expected one", _offset(event))
        return value, mark

    def _value(self, event: Event) -> tuple[Json, Inside]:
        """The value that begins with this event, and the marks inside it."""
        if isinstance(event, ScalarEvent):
            _check_scalar(event)
            return event.value if event.style else _typed(event.value), None
        values: dict[Any, Json] = {}  # of a sequence, by index
        marks: dict[Any, Mark] = {}
        is_mapping = isinstance(event, MappingStartEvent)
        for item in self.events:
            if isinstance(item, CollectionEndEvent):
                break
            step: str | int = len(values)
            begin = key_at = _offset(item)
            if is_mapping:
                step = self._key(item, marks)
                item = next(self.events)  # noqa: PLW2901  (the key is followed by its value)
                begin = _offset(item)
            if isinstance(item, ScalarEvent):
                value, inside = self._value(item)
            else:
                if len(self.path) + 1 >= self.depth:
                    raise _too_deep(self.depth, begin)
                self.path.append(step)
                value, inside = self._value(item)
                self.path.pop()
            values[step], marks[step] = value, (begin, key_at, inside)
        if is_mapping:
            return values, marks
        return list(values.values()), list(marks.values())

    def _key(self, event: Event, marks: dict[Any, Mark]) -> str:
        offset = _offset(event)
        if not isinstance(event, ScalarEvent):
            raise Refused("PG011", "a mapping or a sequence as a key; expected text", offset)
        _check_scalar(event)
        key: str = event.value
        if not event.style and key in ("", "<<"):
            message = "a merge key (<<) is not read; expected plain keys" if key else "an empty key; expected text"
            raise Refused("PG011", message, offset)
        if key in marks:
            message = f"the key {excerpt(key)} occurs twice in this mapping, first at"
            raise Refused("PG012", message, offset, related=marks[key][1], step=key)
        return key


def _offset(event: Event) -> int:
    return event.start_mark.index if event.start_mark else 0


def _typed(plain: str) -> Json:
    if plain in _WORDS:
        return _WORDS[plain]
    return int(plain) if _INTEGER.fullmatch(plain) else plain


def _too_deep(depth: int, offset: int) -> Refused:
    return Refused("PG013", f"more than {depth} mappings and sequences inside each other", offset)


# All that PyYAML's reader refuses; and the line breaks and marks that nobody sees and parsers read differently.
_FORBIDDEN = late("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]|\r(?!\n)")
_SURROGATE = late("[\ud800-\udfff]")
_BREAKS = "\r\u0085\u2028\u2029"


_BEHIND_BLOCK_SIGN = (
    'text right behind "|" or ">"; expected a line break, then the text',
    'put text that begins with "|" or ">" in quotes',
)
# How PyYAML's problem begins; what to say instead, and the fix. "Opened at" is followed by the place of its context.
_COMPLAINTS = {
    r"found character '\t'": ("a tab where a value begins; YAML is indented with spaces", "use spaces"),
    "found character": ("{character} cannot begin a value", "put the value in quotes"),
    "mapping values are not allowed here": (
        'a ":" that makes a key where none can be',
        'put text that holds ": " in quotes, and check the indentation',
    ),
    "could not find expected ':'": (
        'a line that is neither "key: value" nor part of the text above it',
        'add the ":" or indent the line',
    ),
    "sequence entries are not allowed here": ('a "-" where no list can begin', "begin the list on its own line"),
    "found unexpected end of stream": ("a quote that is never closed", "close the quote"),
    "found unexpected document separator": ("a quote that is not closed before the line of ---", "close the quote"),
    "found unknown escape character": ("a backslash before a character that makes no escape", "write \\\\"),
    "expected escape sequence": ("an escape with too few hexadecimal digits", "write \\\\ for a backslash"),
    "expected ',' or ']'": (
        'expected "," or "]" to go on with or close the list opened at',
        "close the list or separate its values",
    ),
    "expected ',' or '}'": (
        'expected "," or "}" to go on with or close the mapping opened at',
        "close the mapping or separate its members",
    ),
    "expected <block end>, but found ':'": ('a ":" with no key before it', "write the key, or quote the text"),
    "expected <block end>": (
        "the indentation does not fit the lines above",
        "indent members of one mapping or list by the same number of spaces",
    ),
    "expected the node content, but found '<stream end>'": ("the text ends before a value", "write the value"),
    "expected the node content": ("expected a value here", "write the value, or quote it"),
    "mapping keys are not allowed here": ('a "?" where no key can begin', "put the value in quotes"),
    "expected chomping or": _BEHIND_BLOCK_SIGN,
    "expected indentation indicator": _BEHIND_BLOCK_SIGN,
    "expected a comment or a line break": _BEHIND_BLOCK_SIGN,
    "expected '<document start>'": ("text after the end of the value", "keep one mapping and nothing else"),
}
_BEGUN_BEFORE = ("could not find expected ':'", "found unexpected end of stream")  # the fault is where that began


def _forbidden(text: str) -> Refused | None:
    """Refuses unprintable characters, byte-order marks, and line breaks other than LF and CRLF."""
    found = _FORBIDDEN.search(text)
    if found is None:
        return None
    character, name = found.group(), character_name(found.group())
    message = f"a control character ({name})"
    if character == "\ufeff":
        message = "a byte-order mark (U+FEFF)"
    elif character in _BREAKS:
        message = f"a line break ({name}) that only some programs see; expected LF or CRLF"
    elif _SURROGATE.match(character):
        message = f"half of a surrogate pair ({name}), which is no character"
    return Refused("PG005", message, found.start())


def _check_scalar(event: ScalarEvent) -> None:
    """Refuses a scalar with an escape for half of a surrogate pair."""
    lone = None if event.value.isascii() else _SURROGATE.search(event.value)
    if lone:
        message = f"an escape in this text writes half of a surrogate pair ({character_name(lone.group())})"
        raise Refused("PG005", message, _offset(event), "write the character itself, or \\U and eight digits")


def _in_plain_words(error: MarkedYAMLError) -> Refused:
    """PyYAML's error in plain words, at the place of the mistake."""
    problem = error.problem or error.context or "not readable"
    place, begun = error.problem_mark or error.context_mark, error.context_mark or error.problem_mark
    offset, context = place.index if place else 0, begun.index if begun else 0
    known = next((known for known in _COMPLAINTS if problem.startswith(known)), None)
    if known is None:
        return Refused("PG010", visible(problem)[:120], offset)
    message, hint = _COMPLAINTS[known]
    shown = problem.removeprefix("found character ").split(" that ")[0]  # as ``%r`` writes it
    message = message.replace("{character}", f'"{visible(shown[1:-1])}"')
    related = context if message.endswith("opened at") else None
    return Refused("PG010", message, context if known in _BEGUN_BEFORE else offset, hint, related=related)
