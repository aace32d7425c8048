"""The values of a text and conditions on them. In: located texts, addresses, conditions. Out: values and answers."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from operator import ge, gt, le, lt

from phasegate.dialects.described.forms import (
    COMPARISONS,
    EACH,
    EVERY,
    KEY,
    Address,
    Codec,
    Condition,
    Over,
    Part,
    Scalar,
    Test,
)
from phasegate.dialects.described.places import START, Piece, unlike
from phasegate.model.frozen import dataclass
from phasegate.model.problem import Fault, Position
from phasegate.reading.document import Document, Json, JsonPath, Lines, excerpt, excerpt_of, in_snake_case, json_path
from phasegate.reading.json import read_json
from phasegate.reading.keys import folded, slip_of, taken_for
from phasegate.reading.markdown.page import Passage
from phasegate.reading.yaml import read_yaml

BOOLEAN, NUMBER, TEXT = "true or false without quotes", "a number", "a text"
BOOLEANS = {"true": True, "false": False}
_DIGITS = re.compile(r"-?[0-9]{1,12}", re.ASCII)
_DECIMAL = re.compile(r"-?[0-9]{1,12}\.[0-9]{1,12}", re.ASCII)


MOST_OWN = 200  # unknown keys of one document
MOST_LINES, MOST_INSIDE, MOST_STEPS = 2_000, 20_000, 250_000
_ITEM = re.compile(  # a pair, or a bare word
    r"(?:(?P<key>[A-Za-z_][A-Za-z0-9_.-]{0,63})=(?:\"(?P<quoted>[^\"\n]{0,500})\"|(?P<plain>[^\s\"]{0,500}))"
    r"|(?P<bare>[^\s=\"]{1,200}))(?=\s|\Z)"
)
_ROOM = re.compile(r"\s*")


def decode(part: Part, found: Passage) -> Piece | tuple[Fault, ...]:
    """The value of a located part, or its faults."""
    text, start = found.text, found.position
    if part.codec is Codec.TEXT:
        return Piece(value=text.strip(), start=start)
    if part.codec is Codec.KEY_VALUE:
        return _pairs(part, found)
    if part.codec is Codec.JSON_LINES:
        return _json_lines(found)
    if part.codec is Codec.PATTERN:
        match = None if part.pattern is None else part.pattern.match(text.strip())
        if match is None:
            return (unlike(part, f"{part.name} is not written as the format has it: {excerpt(text.strip())}", start),)
        groups: dict[str, Json] = {name: told for name, told in match.groupdict().items() if told is not None}
        marks = {name: Position(line=start.line, column=start.column + match.start(name)) for name in groups}
        return Piece(value=groups, start=start, marks=marks)
    return _document(part, found)


def _document(part: Part, found: Passage) -> Piece | tuple[Fault, ...]:
    read = read_json if part.codec is Codec.JSON else read_yaml
    document = read(html.unescape(found.text) if part.escaped else found.text, first=found.position)
    if isinstance(document, Fault):
        return (document,)
    if sum(1 for _ in _inside(document.value)) > MOST_INSIDE:
        message = f"{part.name} holds more than {MOST_INSIDE:,} values; so many are not read"
        return (Fault(code="PG922", message=message, position=found.position),)
    if part.spelling:
        spelled = in_snake_case(document, part.own_spelling)
        if isinstance(spelled, Fault):
            return (spelled,)
        document = spelled
    document = part.reshaped(document)
    inside = next(iter(document.value), "") if isinstance(document.value, dict) and len(document.value) == 1 else ""
    if inside in part.wrappers:
        document = document.part((inside,))
    return Piece(value=document.value, start=found.position, documents=(document,))


def _inside(value: Json) -> Iterator[tuple[JsonPath, Json]]:
    """Every value inside a document, with its path."""
    waiting: list[tuple[JsonPath, Json]] = [((), value)]
    while waiting:
        path, one = waiting.pop()
        yield path, one
        if isinstance(one, dict):
            waiting.extend(((*path, key), inner) for key, inner in one.items())
        elif isinstance(one, list):
            waiting.extend(((*path, index), inner) for index, inner in enumerate(one))


def near_keys(piece: Piece, keys: frozenset[str]) -> Iterator[Fault]:
    """Keys that a reader, but not a machine, takes for one of the form's; for a list, also of its items."""
    for path, one in _inside(piece.value):
        for key, value in one.items() if isinstance(one, dict) else ():
            lists = keys if isinstance(value, list) and value else frozenset[str]()
            if (meant := taken_for(key, keys, lists)) is not None:
                message = f'unknown key {excerpt(key)} (did you mean "{meant}"?)'
                way = (*path, key)
                yield Fault(code="PG025", message=message, position=piece.position(way), json_path=json_path(way))


def schema_faults(part: Part, piece: Piece) -> tuple[Fault, ...]:
    """A piece's violations of its part's schema; each line is checked on its own."""
    if part.schema is None:
        return ()
    # pairs are a document whose values all stand where the pairs begin
    documents = piece.documents or (Document(piece.value, (0, 0, None), Lines.of("", piece.start)),)
    steps = part.schema.size * sum(1 for document in documents for _ in _inside(document.value))
    if steps > MOST_STEPS:
        message = f"{part.name} holds more than can be held against its schema in bounded time"
        return (Fault(code="PG922", message=message, position=piece.start),)
    found = [fault for document in documents for fault in part.schema.faults(document)]
    own = list(islice(part.schema.unknown(piece.value), MOST_OWN + 1)) if part.own_keys else []
    if len(own) > MOST_OWN:
        found.append(Fault(code="PG922", message=f"it has more than {MOST_OWN} unknown keys", position=piece.start))
        own = []
    for way, known in own:  # which a document may have, unless they are slips of known ones, or fixed to another place
        key = str(way[-1])
        meant = slip_of(key, value_at(piece.value, way), known)
        placed = ("PG924", " here") if key in part.own_spelling else ("PG701", "")
        code, more = placed if meant is None else ("PG025", f' (did you mean "{meant}"?)')
        message, place = f"unknown key {excerpt(key)}{more}", piece.key_position(way)
        found.append(Fault(code=code, message=message, position=place, json_path=json_path(way)))
    return tuple(replace(fault, code="PG924") if fault.code == "PG023" else fault for fault in found)


def value_at(value: Json, way: JsonPath) -> Json:
    """The value at a path, or None."""
    for step in way:
        if isinstance(value, dict):
            value = value.get(str(step))
        else:
            value = value[step] if isinstance(value, list) and isinstance(step, int) and step < len(value) else None
    return value


def _pairs(part: Part, found: Passage) -> Piece | tuple[Fault, ...]:
    text, lines = found.text, Lines.of(found.text, found.position)
    values: dict[str, Json] = {}
    marks: dict[str, Position] = {}
    bare = list(part.leading)
    at = len(text) - len(text.lstrip())
    while at < len(text):
        item = _ITEM.match(text, at)
        early = bare and len(values) == len(part.leading) - len(bare)  # bare words stand before the first pair
        if item is None or not (item["key"] or early):
            return (_unpaired(f"this is no key=value: {excerpt(text[at : at + 40])}", lines.position(at)),)
        key = item["key"] or bare.pop(0)
        if key in values:
            return (_unpaired(f"{excerpt(key)} is given twice", lines.position(at)),)
        values[key] = next(text for text in item.group("quoted", "plain", "bare") if text is not None)
        marks[key] = lines.position(at)
        room = _ROOM.match(text, item.end())
        at = room.end() if room else item.end()
    return Piece(value=values, start=found.position, marks=marks)


def _unpaired(message: str, position: Position) -> Fault:
    return Fault(code="PG912", message=message, position=position)


def _json_lines(found: Passage) -> Piece | tuple[Fault, ...]:
    lines = [(number, line) for number, line in enumerate(found.text.split("\n")) if line.strip()]
    if len(lines) > MOST_LINES:
        return (_unpaired(f"there are more than {MOST_LINES} lines", found.position),)
    first, column = found.position.line, found.position.column
    read = [read_json(line, first=Position(line=first + n, column=1 if n else column)) for n, line in lines]
    documents = tuple(each for each in read if isinstance(each, Document))
    faults = tuple(each for each in read if isinstance(each, Fault))
    return faults or Piece(
        value=[each.value for each in documents], start=found.position, documents=documents, lines=True
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A value and its place."""

    value: Json
    piece: Piece
    path: JsonPath = ()

    @property
    def position(self) -> Position:
        """Where it stands."""
        return self.piece.position(self.path)

    @property
    def json_path(self) -> str:
        """Its path inside its part."""
        return json_path(self.path)

    @property
    def text(self) -> str | None:
        """The value as text; numbers and booleans as in JSON. None for containers and null."""
        if isinstance(self.value, bool):
            return "true" if self.value else "false"
        return str(self.value) if isinstance(self.value, (str, int, float)) else None

    def fault(self, code: str, message: str) -> Fault:
        """A fault at this value."""
        return Fault(code=code, message=message, position=self.position, json_path=self.json_path)


@dataclass(frozen=True, kw_only=True, slots=True)
class Values:
    """All values of a text, by part name. With ``each``, one member of the list that is read one by one."""

    pieces: Mapping[str, Piece]
    lead: str
    numbers: Mapping[str, int]
    member: Found | None = None

    @property
    def start(self) -> Position:
        """Where the first part begins."""
        return self.pieces[self.lead].start if self.lead in self.pieces else START

    def absent(self, address: Address, count: int = 0) -> Fault:
        """The fault of a value that is missing or there several times, naming what comes nearest."""
        reason = f"has {count} values, but only one may be there" if count else "is missing"
        piece, way = self.pieces.get(address.part), address.steps
        place = self.start if piece is None else piece.position(way)
        path = json_path(way) if piece is not None and piece.documents and not piece.lines else None
        return Fault(code="PG913", message=f"{address.text} {reason}", position=place, json_path=path)

    def at(self, address: Address) -> tuple[Found, ...]:
        """The values at an address, possibly none."""
        found = self._start(address.part)
        for step in address.steps:
            found = [inner for outer in found for inner in _step(outer, step)]
        return tuple(found)

    def gap(self, address: Address) -> Found | None:
        """The first value where an address ends early: it has no members, or one of them lacks a key."""
        found, through = self._start(address.part), False
        for step in address.steps:
            reached = [(outer, list(_step(outer, step))) for outer in found]
            for outer, inner in reached:
                lacks = through and step != EVERY and not inner
                indexed = isinstance(outer.value, list) and (step == EVERY or step.isdecimal())
                if lacks or not (outer.value is None or indexed or isinstance(outer.value, dict)):
                    return outer
            through = through or step == EVERY
            found = [each for _, inner in reached for each in inner]
        return None

    def is_empty(self, address: Address) -> bool:
        """True if an address runs over a list or map that is present and empty."""
        if EVERY not in address.steps:
            return False
        holders = self.at(replace(address, steps=address.steps[: address.steps.index(EVERY)]))
        return len(holders) == 1 and holders[0].value in ([], {})

    def one(self, address: Address) -> Found | None:
        """The value at an address, or None unless there is exactly one."""
        found = self.at(address)
        return found[0] if len(found) == 1 else None

    def members(self, address: Address) -> tuple[Values, ...]:
        """The members of the list or map at an address, each with the values around it."""
        return tuple(replace(self, member=inner) for outer in self.at(address) for inner in _step(outer, EVERY))

    def _start(self, part: str) -> list[Found]:
        if part in (EACH, KEY):
            member = self.member
            return [] if member is None else [member if part == EACH else replace(member, value=member.path[-1])]
        piece = self.pieces.get(part)
        return [] if piece is None else [Found(value=piece.value, piece=piece)]

    def number_at(self, address: Address) -> int | float | None:
        """The number at an address, or None."""
        found = self.one(address)
        return None if found is None else self.number(found)

    def number(self, found: Found) -> int | float | None:
        """The value as a number, also from text or from a word for a number."""
        value = found.value
        if isinstance(value, bool):
            return None
        if isinstance(value, str):
            text = value.strip()
            decimal = float(text) if _DECIMAL.fullmatch(text) else None  # which YAML leaves as text
            return int(text) if _DIGITS.fullmatch(text) else self.numbers.get(text, decimal)
        return value if isinstance(value, (int, float)) else None


def _step(found: Found, step: str) -> Iterator[Found]:
    value, path = found.value, found.path
    if step == EVERY:
        members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, inner in members:
            yield replace(found, value=inner, path=(*path, key))
    elif isinstance(value, dict) and step in value:
        yield replace(found, value=value[step], path=(*path, step))
    elif isinstance(value, list) and step.isdecimal() and step.isascii() and int(step[:6]) < len(value):
        yield replace(found, value=value[int(step[:6])], path=(*path, int(step[:6])))


@dataclass(frozen=True, kw_only=True, slots=True)
class Held:
    """Whether something holds. ``missing`` is the value it lacked, ``fault`` tells why it is undecided."""

    holds: bool
    missing: Address | None = None
    fault: Fault | None = None


def all_hold(conditions: tuple[Condition, ...], values: Values) -> Held:
    """Whether all conditions hold. The first that fails or is undecided decides."""
    answers = (holds(condition, values) for condition in conditions)
    return next((held for held in answers if not held.holds), Held(holds=True))


def misspelt(conditions: tuple[Condition, ...], values: Values) -> bool:
    """True if a required value is missing but stands under a key that only a machine tells apart."""
    for address in (condition.address for condition in conditions if condition.address.steps):
        *way, last = address.steps
        holder = values.one(replace(address, steps=tuple(way)))
        keys = holder.value if holder is not None and isinstance(holder.value, dict) else {}
        if last not in keys and any(taken_for(key, frozenset({last})) for key in keys):
            return True
    return False


def holds(condition: Condition, values: Values) -> Held:
    """Whether a condition holds."""
    found = values.at(condition.address)
    if condition.test is Test.PRESENT:
        return Held(holds=bool(found) is (condition.wanted == (True,)))
    gap = values.gap(condition.address) or _unsaid(condition, found)
    if gap is not None:
        told = f"{condition.address.text} finds nothing in {excerpt_of(gap.value)}"
        return Held(holds=False, fault=gap.fault("PG913", told))
    if not found and condition.over is Over.ANY and values.is_empty(condition.address):
        return Held(holds=False)
    if condition.test not in COMPARISONS:
        found = tuple(one for one in found if one.value is not None)  # null says nothing: it is not there
    if not found:
        return Held(holds=False, missing=condition.address)
    if condition.over is Over.ONE and len(found) > 1:
        message = f"{condition.address.text} has {len(found)} values, but only one may be there"
        return Held(holds=False, fault=found[1].fault("PG913", message))
    answers = [holds_of(condition, one, values) for one in found]
    fault = next((answer for answer in answers if isinstance(answer, Fault)), None)
    if fault is not None:
        return Held(holds=False, fault=fault)
    return Held(holds=any(answers) if condition.over is Over.ANY else all(answers))


def holds_of(condition: Condition, found: Found, values: Values) -> bool | Fault:
    """True if a condition holds for one value, or the fault if it is undecided."""
    test, told = condition.test, condition.address.text
    if test is Test.EMPTY:
        if not isinstance(found.value, (list, dict, str)):
            return found.fault("PG913", f"{told} is {excerpt_of(found.value)}; expected a list, a map or a text")
        return (len(found.value) == 0) is (condition.wanted == (True,))
    if test in (Test.EQUALS, Test.IN):
        return _is_one_of(condition, found, values)
    number, limit = values.number(found), limit_of(condition, values)
    more = values.number_at(condition.plus) if condition.plus is not None and values.at(condition.plus) else 0
    if number is None or (condition.plus is not None and more is None):
        return found.fault("PG913", f"{told} is {excerpt_of(found.value)}; expected a number")
    if limit is None:
        other = condition.other.text if condition.other else "what it is compared with"
        return found.fault("PG913", f"{other} is no number")
    return bool(_COMPARED[test](number + (more or 0), limit))


_COMPARED = {Test.ABOVE: gt, Test.BELOW: lt, Test.AT_LEAST: ge, Test.AT_MOST: le}


def _unsaid(condition: Condition, found: tuple[Found, ...]) -> Found | None:
    """A member without a value where all members are asked; nobody can tell what it would be."""
    asked = EVERY in condition.address.steps and condition.test not in COMPARISONS
    return next((one for one in found if asked and one.value is None), None)


def _is_one_of(condition: Condition, found: Found, values: Values) -> bool | Fault:
    """True if a value is one of those wanted. Another type or another spelling is undecided.

    A text may stand for a number; outside JSON and YAML also for a boolean.
    """
    told, value, kinds = condition.address.text, found.value, dict.fromkeys(map(_kind, condition.wanted))
    if isinstance(value, str) and TEXT not in kinds:
        number = values.number(found) if NUMBER in kinds else None
        value = value if number is None else number
        if BOOLEAN in kinds and not found.piece.documents:
            value = BOOLEANS.get(str(found.value), value)
    if any(_kind(value) == _kind(wanted) and value == wanted for wanted in condition.wanted):
        return True  # of the same kind: 1 is not true, and "1" is not 1
    near = next((wanted for wanted in condition.wanted if _in_other_letters(value, wanted)), None)
    if near is not None:
        return found.fault("PG914", f"{told} is {excerpt_of(value)}; write {excerpt_of(near)}")
    if not _of_kind(value, kinds):
        return found.fault("PG914", f"{told} is {excerpt_of(found.value)}; expected {' or '.join(kinds)}")
    return False


def _of_kind(value: Json, kinds: Mapping[str, object]) -> bool:
    return _kind(value) in kinds


def _kind(value: Json) -> str:
    if isinstance(value, bool):
        return BOOLEAN
    if isinstance(value, (int, float)):
        return NUMBER
    return TEXT if isinstance(value, str) else ""


def limit_of(condition: Condition, values: Values) -> int | float | None:
    """The number that a condition compares with."""
    if condition.other is not None:
        return values.number_at(condition.other)
    limit = condition.wanted[0]
    return None if isinstance(limit, (bool, str)) else limit


def _in_other_letters(value: Json, wanted: Scalar) -> bool:
    """True if a text is the wanted word except for case, spaces and invisible signs."""
    return isinstance(value, str) and isinstance(wanted, str) and folded(value) == folded(wanted)
