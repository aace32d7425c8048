"""Strict YAML: a text comes in, a ``Document`` with positions or one ``Fault`` goes out.

Built from the events of PyYAML's pure parser, so that no tag, alias or merge key is ever acted upon: they are refused
where the scanner meets them. The parser over libyaml is not used, since deep nesting crashes the whole process there.
"""

from __future__ import annotations

import re

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

from phasegate.model.problem import Fault, Position
from phasegate.reading.document import Document, Finding, Inside, Json, JsonPath, Limits, Lines, Mark, Refused
from phasegate.reading.excerpt import excerpt
from phasegate.reading.yaml import diagnosis as yaml_diagnosis

YAML_LIMITS = Limits(characters=131_072, depth=12)

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})")
_WORDS: dict[str, Json] = {"": None, "null": None, "true": True, "false": False}


def read_yaml(text: str, *, first: Position | None = None, limits: Limits = YAML_LIMITS) -> Document | Fault:
    """Reads the one YAML document that is the whole text; ``first`` is where the text begins in its own document."""
    lines = Lines.of(text, first)
    if len(text) > limits.characters:
        message = f"the text has {len(text)} characters; at most {limits.characters} are read"
        return Fault(code="PG013", message=message, position=lines.first)
    building = _Building(limits)
    try:
        yaml_diagnosis.check_characters(text)
        building.run(text)
    except Refused as refused:
        return refused.finding.fault(lines, building.path())
    return Document(building.value, building.mark, lines)


class _Events(Reader, Scanner, Parser):
    """PyYAML's own parser, ended by the first token that the strict core does not have."""

    def __init__(self, text: str, depth: int) -> None:
        self.depth = depth
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)

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
        raise Refused(Finding(code="PG011", message=message, offset=self.index, hint=hint))


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
            raise yaml_diagnosis.refused(error) from None
        except Exception:  # noqa: BLE001 - whatever else the parser stumbles over is a fault of the text
            raise yaml_diagnosis.unreadable(text, events.index) from None

    def _take_all(self, events: _Events) -> None:
        for _ in range(self.limits.events):
            if not events.check_event():
                return
            self._take(events.get_event())  # type: ignore[no-untyped-call] # the stubs leave it without types
        message = f"more than {self.limits.events} keys, values and brackets"
        raise Refused(Finding(code="PG013", message=message, offset=events.index))

    def path(self) -> JsonPath:
        """The way to the innermost collection that is open."""
        return tuple(_last(frame) for frame in self.open[:-1])

    def _take(self, event: Event) -> None:
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
                raise Refused(Finding(code="PG011", message=message, offset=offset))

    def _begin(self, event: CollectionStartEvent, offset: int) -> None:
        frame = _Frame({}, {}) if isinstance(event, MappingStartEvent) else _Frame([], [])
        if len(self.open) >= self.limits.depth:
            raise _too_deep(self.limits.depth, offset)
        if self._awaits_key():
            message = "a mapping or a sequence as a key; expected text"
            raise Refused(Finding(code="PG011", message=message, offset=offset))
        self._place(frame.value, offset, frame.marks)
        self.open.append(frame)

    def _scalar(self, event: ScalarEvent, offset: int) -> None:
        if not event.value.isascii():
            yaml_diagnosis.check_scalar(event.value, offset)
        if self._awaits_key():
            self._key(event, offset)
        else:
            self._place(_typed(event.value) if event.style is None else event.value, offset, None)

    def _awaits_key(self) -> bool:
        return bool(self.open) and isinstance(self.open[-1].value, dict) and self.open[-1].key is None

    def _key(self, event: ScalarEvent, offset: int) -> None:
        frame, key = self.open[-1], event.value
        if event.style is None and key in ("", "<<"):
            message = "a merge key (<<) is not read; expected plain keys" if key else "an empty key; expected text"
            raise Refused(Finding(code="PG011", message=message, offset=offset))
        if isinstance(frame.marks, dict) and key in frame.marks:
            message = f"the key {excerpt(key)} occurs twice in this mapping, first at"
            earlier = frame.marks[key][1]
            raise Refused(Finding(code="PG012", message=message, offset=offset, related=earlier, step=key))
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
    return Refused(Finding(code="PG013", message=message, offset=offset))
