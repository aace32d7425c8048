"""Strict YAML: a text comes in, a ``Document`` with positions or one ``Fault`` goes out.

Built from the events of PyYAML's pure parser, so that no tag, alias or merge key is ever acted upon: they are refused
where the scanner meets them. The parser over libyaml reads files of our own alone, if it is there: deep nesting crashes
the whole process in it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

import yaml
from yaml.error import MarkedYAMLError
from yaml.events import (
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    ScalarEvent,
)
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner

from phasegate.model.frozen import late
from phasegate.model.problem import Fault, Position
from phasegate.reading.document import (
    Document,
    FaultAt,
    Inside,
    Json,
    JsonPath,
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
    """Reads the one YAML document that is the whole text; ``first`` is where the text begins in its own document."""
    lines = Lines.of(text, first)
    if len(text) > limits.characters:
        message = f"the text has {len(text)} characters; at most {limits.characters} are read"
        return Fault(code="PG013", message=message, position=lines.first)
    built = _built(text, limits)
    if isinstance(built, _Building):
        return Document(built.value, built.mark, lines)
    finding, path = built
    return finding.fault(lines, path)


def read_own_yaml(text: str) -> Json:
    """What a file of ours says, which a test reads strictly too; quickly, since it is read at every start."""
    building = _Building(POLICY_LIMITS)
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        building.take(event)
    return building.value


@lru_cache(maxsize=8)  # several rules read one text in turn
def _built(text: str, limits: Limits) -> _Building | tuple[FaultAt, JsonPath]:
    building = _Building(limits)
    plain = plain_lines(text) if limits is YAML_LIMITS and len(text) <= _SHORT else None
    if plain is not None:
        building.value, building.mark = plain
        return building
    try:
        check_characters(text)
        building.run(text)
    except Refused as refused:
        return refused.finding, building.path()
    return building


# Lines of keys, plain values and items, as most front matter has them; whatever else there is takes the parser.
_SHORT = 4096
_KEY, _VALUE = r"[A-Za-z_][A-Za-z0-9_]{0,60}", r"[A-Za-z0-9_./][A-Za-z0-9_./+-]*(?: [A-Za-z0-9_./+-]+)*"
_LINE = late(rf"(?P<indent> *)(?:(?P<key>{_KEY}):(?: (?P<told>{_VALUE}))?|- (?P<item>{_VALUE}))", re.ASCII)


def plain_lines(text: str) -> tuple[Json, Mark] | None:
    """What the parser would make of lines in which nothing can be read in two ways; none of any other text."""
    top = _Frame({}, {})
    inner: _Frame | None = None
    shape: tuple[bool, int] | None = None  # of the open block: whether it is a list, and its indent
    at = 0
    for line in text.removesuffix("\n").split("\n"):
        match = _LINE.fullmatch(line)
        if match is None:
            return None
        indent, key, told, item = match.group("indent", "key", "told", "item")
        begin, value_at = at + len(indent), at + match.start("told" if item is None else "item")
        if indent or item is not None:
            found = (item is not None, len(indent))
            if top.key is None or shape not in (None, found) or (item is None and told is None):
                return None
            inner = inner or _opened(top, begin, found[0])
            shape = found
            if not _put(inner, key, begin, item or told, value_at):
                return None
        elif (top.key is not None and inner is None) or not _put(top, key, begin, told, value_at):
            return None
        else:
            inner, shape = None, None
        at += len(line) + 1
    whole = top.value and (top.key is None or inner is not None)
    return (top.value, (0, 0, top.marks)) if whole else None


def _opened(top: _Frame, offset: int, listed: bool) -> _Frame:  # noqa: FBT001  (which of two shapes)
    """The block below the open key."""
    inner = _Frame([], []) if listed else _Frame({}, {})
    if isinstance(top.value, dict) and isinstance(top.marks, dict) and top.key is not None:
        top.value[top.key] = inner.value
        top.marks[top.key] = (offset, top.key_offset, inner.marks)
    return inner


def _put(frame: _Frame, key: str | None, key_at: int, told: str | None, at: int) -> bool:
    """Put a value where it belongs; a key without one stays open. Not if the key is there already."""
    if isinstance(frame.value, list) and isinstance(frame.marks, list) and told is not None:
        frame.value.append(_typed(told))
        frame.marks.append((at, at, None))
        return True
    if not isinstance(frame.value, dict) or not isinstance(frame.marks, dict) or key is None or key in frame.value:
        return False
    frame.key, frame.key_offset = (key, key_at) if told is None else (None, 0)
    if told is not None:
        frame.value[key] = _typed(told)
        frame.marks[key] = (at, key_at, None)
    return True


class _Events(Reader, Scanner, Parser):
    """PyYAML's own parser, ended by the first token that the strict core does not have."""

    def __init__(self, text: str, depth: int) -> None:
        self.depth = depth
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)

    def need_more_tokens(self) -> bool:
        """As PyYAML has it; asked several times per event, so that nothing is looked for where there is nothing."""
        if self.done or not self.tokens:
            return not self.done
        if not self.possible_simple_keys:
            return False
        self.stale_possible_simple_keys()
        return self._next_key() == self.tokens_taken

    def _next_key(self) -> int | None:
        found: int | None = self.next_possible_simple_key()  # type: ignore[no-untyped-call] # the stubs leave it without types
        return found

    def fetch_anchor(self) -> None:
        """Refuses ``&name``."""
        self._refuse("an anchor (&)", "write the value where it is needed")

    def fetch_alias(self) -> None:
        """Refuses ``*name``."""
        self._refuse("an alias (*)", 'write the value itself, or put text that begins with "*" in quotes')

    def fetch_tag(self) -> None:
        """Refuses ``!tag``."""
        self._refuse("a tag (!)", 'remove the tag, or put text that begins with "!" in quotes')

    def fetch_key(self) -> None:
        """Refuses ``{?key: value}``, of which some readers make the key ``key`` and others ``?key``."""
        if self.peek(1) not in _AFTER_KEY:
            self._refuse("a key after a bare ?", 'write the key alone, or put text that begins with "?" in quotes')
        super().fetch_key()

    def fetch_directive(self) -> None:
        """Refuses ``%YAML`` and its like."""
        self._refuse("a directive (%)", "remove the line")

    def fetch_flow_sequence_start(self) -> None:
        """Refuses the bracket that is too deep before the scanner looks behind it for its end."""
        self._check_depth()
        super().fetch_flow_sequence_start()

    def fetch_flow_mapping_start(self) -> None:
        """Refuses the brace that is too deep before the scanner looks behind it for its end."""
        self._check_depth()
        super().fetch_flow_mapping_start()

    def _check_depth(self) -> None:
        if self.flow_level >= self.depth:
            raise _too_deep(self.depth, self.index)

    def _refuse(self, feature: str, hint: str) -> None:
        message = f"{feature} is not read; expected plain keys and values"
        raise Refused(FaultAt(code="PG011", message=message, offset=self.index, hint=hint))


_AFTER_KEY = "\0 \t\r\n\x85\u2028\u2029"


class _Frame:
    """A mapping or a sequence that is being built; ``key`` is that of the member whose value comes next."""

    __slots__ = ("key", "key_offset", "marks", "value")

    def __init__(self, value: dict[str, Json] | list[Json], marks: dict[str, Mark] | list[Mark]) -> None:
        self.value = value
        self.marks = marks
        self.key: str | None = None
        self.key_offset = 0


class _Building:
    """One pass over the events of one text."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.value: Json = None
        self.mark: Mark = (0, 0, None)
        self.open: list[_Frame] = []
        self.documents = 0

    def run(self, text: str) -> None:
        """Reads all events; only ``Refused`` comes out."""
        events = _Events(text, self.limits.depth)
        try:
            self._take_all(events)
        except Refused:
            raise
        except MarkedYAMLError as error:
            raise refused(error) from None
        except Exception:  # noqa: BLE001 - whatever else the parser stumbles over is a fault of the text
            raise unreadable(text, events.index) from None

    def _take_all(self, events: _Events) -> None:
        for _ in range(self.limits.events):
            if not events.check_event():
                return
            self.take(events.get_event())  # type: ignore[no-untyped-call] # the stubs leave it without types
        message = f"more than {self.limits.events} keys, values and brackets"
        raise Refused(FaultAt(code="PG013", message=message, offset=events.index))

    def path(self) -> JsonPath:
        """The way to the innermost collection that is open."""
        return tuple(_last(frame) for frame in self.open[:-1])

    def take(self, event: Event) -> None:
        """The next event."""
        offset = event.start_mark.index if event.start_mark else 0
        if isinstance(event, ScalarEvent):
            self._scalar(event, offset)
        elif isinstance(event, CollectionStartEvent):
            self._begin(event, offset)
        elif isinstance(event, CollectionEndEvent):
            self.open.pop()
        elif isinstance(event, DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                message = "a second document begins here; expected one"
                raise Refused(FaultAt(code="PG011", message=message, offset=offset))

    def _begin(self, event: CollectionStartEvent, offset: int) -> None:
        frame = _Frame({}, {}) if isinstance(event, MappingStartEvent) else _Frame([], [])
        if len(self.open) >= self.limits.depth:
            raise _too_deep(self.limits.depth, offset)
        if self._awaits_key():
            message = "a mapping or a sequence as a key; expected text"
            raise Refused(FaultAt(code="PG011", message=message, offset=offset))
        self._place(frame.value, offset, frame.marks)
        self.open.append(frame)

    def _scalar(self, event: ScalarEvent, offset: int) -> None:
        if not event.value.isascii():
            check_scalar(event.value, offset)
        if self._awaits_key():
            self._key(event, offset)
        else:
            self._place(_typed(event.value) if not event.style else event.value, offset, None)

    def _awaits_key(self) -> bool:
        return bool(self.open) and isinstance(self.open[-1].value, dict) and self.open[-1].key is None

    def _key(self, event: ScalarEvent, offset: int) -> None:
        frame, key = self.open[-1], event.value
        if not event.style and key in ("", "<<"):
            message = "a merge key (<<) is not read; expected plain keys" if key else "an empty key; expected text"
            raise Refused(FaultAt(code="PG011", message=message, offset=offset))
        if isinstance(frame.marks, dict) and key in frame.marks:
            message = f"the key {excerpt(key)} occurs twice in this mapping, first at"
            earlier = frame.marks[key][1]
            raise Refused(FaultAt(code="PG012", message=message, offset=offset, related=earlier, step=key))
        frame.key, frame.key_offset = key, offset

    def _place(self, value: Json, offset: int, marks: Inside) -> None:
        if not self.open:
            self.value, self.mark = value, (offset, offset, marks)
            return
        frame = self.open[-1]
        if isinstance(frame.value, list) and isinstance(frame.marks, list):
            frame.value.append(value)
            frame.marks.append((offset, offset, marks))
        elif isinstance(frame.value, dict) and isinstance(frame.marks, dict) and frame.key is not None:
            frame.value[frame.key] = value
            frame.marks[frame.key] = (offset, frame.key_offset, marks)
            frame.key = None


def _typed(plain: str) -> Json:
    if plain in _WORDS:
        return _WORDS[plain]
    return int(plain) if _INTEGER.fullmatch(plain) else plain


def _last(frame: _Frame) -> str | int:
    return next(reversed(frame.value)) if isinstance(frame.value, dict) else len(frame.value) - 1


def _too_deep(depth: int, offset: int) -> Refused:
    message = f"more than {depth} mappings and sequences inside each other"
    return Refused(FaultAt(code="PG013", message=message, offset=offset))


# All that PyYAML's reader refuses; and the line breaks and marks that nobody sees and parsers read differently.
_FORBIDDEN = late("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]|\r(?!\n)")
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
    raise Refused(FaultAt(code="PG005", message=message, offset=found.start()))


def check_scalar(value: str, offset: int) -> None:
    """Refuses a scalar one of whose escapes wrote half of a surrogate pair."""
    lone = None if value.isascii() else _SURROGATE.search(value)
    if lone:
        message = f"an escape in this text writes half of a surrogate pair ({character_name(lone.group())})"
        hint = "write the character itself, or \\U and eight digits"
        raise Refused(FaultAt(code="PG005", message=message, offset=offset, hint=hint))


def refused(error: MarkedYAMLError) -> Refused:
    """PyYAML's error in plain words, where the mistake is."""
    problem = error.problem or error.context or "not readable"
    complaint = next((known for known in _COMPLAINTS if problem.startswith(known.problem)), None)
    if complaint is None:
        return Refused(FaultAt(code="PG010", message=visible(problem)[:120], offset=_offset(error, at_context=False)))
    message = complaint.message.replace("{character}", _quoted_in(problem))
    offset = _offset(error, at_context=complaint.at_context)
    context = _offset(error, at_context=True) if complaint.names_context else None
    return Refused(FaultAt(code="PG010", message=message, offset=offset, hint=complaint.hint, related=context))


def unreadable(text: str, offset: int) -> Refused:
    """What made the parser itself fail: as far as is known, only an escape of a character that does not exist."""
    begin = text.rfind("\\", 0, offset)
    if begin < 0:
        return Refused(FaultAt(code="PG010", message="the text cannot be read from here on", offset=offset))
    message = "an escape that writes no character; the last one is \\U0010ffff"
    return Refused(FaultAt(code="PG010", message=message, offset=begin, hint="write the character itself"))


def _offset(error: MarkedYAMLError, *, at_context: bool) -> int:
    marks = (error.context_mark, error.problem_mark)
    mark = next((mark for mark in (marks if at_context else marks[::-1]) if mark is not None), None)
    return mark.index if mark else 0


def _quoted_in(problem: str) -> str:
    """The character that the problem shows with ``%r``."""
    shown = problem.removeprefix("found character ").split(" that ")[0]
    return f'"{visible(shown[1:-1])}"'
