"""A format as typed data: where it stands, how it is written, and what of it is role, outcome, commit and findings."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TypeAlias

from phasegate.model.frozen import dataclass
from phasegate.model.plan import Evidence
from phasegate.model.signal import Asks, Does, Kind, Medium, Outcome
from phasegate.reading.markdown.page import Stands
from phasegate.reading.patterns import Pattern
from phasegate.reading.schema.own import OwnSchema

EACH, KEY, PATH, REVIEW, CHECK = "each", "key", "path", "review", "check"
# What is there without being read out of the text, and what of it can be asked for.
GIVEN = {PATH: ("folder", "name"), REVIEW: ("state",), CHECK: ("name", "title", "conclusion"), KEY: ()}
EVERY = "*"

Scalar: TypeAlias = "str | int | float | bool"


class At(str, Enum):
    """Where a part stands."""

    MARKER = "marker"
    FENCE = "fence"
    FRONT_MATTER = "front_matter"
    FIRST_LINE = "first_line"
    LAST_LINE = "last_line"
    LINE = "line"
    LABEL = "label"
    SAYS = "says"
    HEADING = "heading"
    WHOLE = "whole"
    VALUE = "value"


class Codec(str, Enum):
    """How a part is written."""

    JSON = "json"
    JSON_LINES = "json-lines"
    YAML = "yaml"
    KEY_VALUE = "key=value"
    TEXT = "text"
    PATTERN = "pattern"


class Field(str, Enum):
    """Which text of a check run a part stands in."""

    TEXT = "text"
    SUMMARY = "summary"
    TITLE = "title"


@dataclass(frozen=True, kw_only=True, slots=True)
class Address:
    """The way to a value: the name of a part, then keys and indexes; ``*`` is each member of a list or map."""

    text: str
    part: str
    steps: tuple[str, ...] = ()

    @staticmethod
    def of(text: str) -> Address:
        """The address that a text such as ``word/issues/*/id`` is."""
        part, *steps = (step.replace("~1", "/").replace("~0", "~") for step in text.split("/"))
        return Address(text=text, part=part, steps=tuple(steps))


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """One part of a text that a form reads.

    ``words`` are the literal that gives it away: a marker, a label, what a fence or front matter holds. ``info`` is the
    info string of a fence (of front matter, that of the fence in which it may stand instead), ``level`` of a heading.
    ``leading`` names the bare words before the first key=value. Where keys may be spelled ``either_way``, they are read
    in snake_case, also where all of them are written in camelCase; those of ``own_spelling`` and all inside them stay.
    What is ``escaped`` may be written with entities.
    ``phrases`` are those one of which a notice says, each with what is shown of it.
    """

    name: str
    at: At
    words: str = ""
    info: str = ""
    then: str | None = None
    level: int | None = None
    stands: Stands = Stands.EDGE
    html: bool = False
    source: Address | None = None
    field: Field = Field.TEXT
    codec: Codec = Codec.TEXT
    pattern: Pattern | None = None
    leading: tuple[str, ...] = ()
    either_way: bool = False
    own_spelling: tuple[str, ...] = ()
    schema: OwnSchema | None = None
    schema_file: str | None = None
    optional: bool = False
    escaped: bool = False
    phrases: tuple[tuple[str, str], ...] = ()

    @property
    def signs(self) -> tuple[str, ...]:
        """The literal texts one of which is there where the part is; none where nothing gives it away."""
        if self.at in LINES:
            return () if self.pattern is None else self.pattern.beginnings
        return tuple(phrase for phrase, _ in self.phrases) or ((self.words,) if self.words else ())


LINES = (At.FIRST_LINE, At.LAST_LINE, At.LINE, At.HEADING)


class Over(str, Enum):
    """How many of the values at an address must hold; of none at all, nothing holds."""

    ONE = "of"
    ANY = "any_of"
    ALL = "all_of"


class Test(str, Enum):
    """What a value is held against."""

    EQUALS = "equals"
    IN = "in"
    ABOVE = "above"
    BELOW = "below"
    AT_LEAST = "at_least"
    AT_MOST = "at_most"
    EMPTY = "empty"
    PRESENT = "present"


COMPARISONS = (Test.ABOVE, Test.BELOW, Test.AT_LEAST, Test.AT_MOST)


@dataclass(frozen=True, kw_only=True, slots=True)
class Condition:
    """Something that holds of a value, or does not."""

    over: Over
    address: Address
    test: Test
    wanted: tuple[Scalar, ...] = ()
    other: Address | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """An outcome, and what must hold for it; the last of a list may ask for nothing. ``shown`` is what people read."""

    when: tuple[Condition, ...]
    outcome: Outcome
    shown: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Says:
    """Which outcome a word has: always the same, by a value, or by the first rule that holds."""

    always: Outcome | None = None
    address: Address | None = None
    values: Mapping[str, Outcome] | None = None
    true_is: Outcome | None = None
    false_is: Outcome | None = None
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Speaks:
    """Which role speaks: always the same, or by a value, translated where there is a map."""

    always: str | None = None
    address: Address | None = None
    values: Mapping[str, str] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class FindingKeys:
    """Where findings are, and which of their keys are what; ``blocking`` are the severities no pass can go with."""

    address: Address
    id: str | None = None
    severity: str | None = None
    summary: str | None = None
    location: str | None = None
    line: str | None = None
    fix_hint: str | None = None
    blocking: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Veto:
    """What takes a pass back: a line that begins so, words of the text or of a fold's title, or values."""

    line: str | None = None
    marker: str | None = None
    fold: str | None = None
    when: tuple[Condition, ...] = ()
    names_commit: bool = False
    outcome: Outcome = Outcome.BLOCKED
    shown: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """What a word asks for besides its outcome, and when."""

    asks: Asks
    when: tuple[Condition, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """The check run that a form stands in."""

    app_id: int
    name: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Form:
    """One shape in which an agent speaks. The first part is the one that tells whether the form is there.

    What ``expires`` is the time up to which a pass counts. What is ``lasting`` is not taken back by another form.
    """

    name: str
    media: frozenset[Medium]
    path: Evidence | None = None
    template: str = ""
    check: Check | None = None
    kind: Kind = Kind.VERDICT
    parts: tuple[Part, ...]
    each: Address | None = None
    when: tuple[Condition, ...] = ()
    role: Speaks
    outcome: Says | None = None
    commit: Address | None = None
    findings: FindingKeys | None = None
    run: Address | None = None
    notes: Address | None = None
    asks: tuple[Request, ...] = ()
    vetoes: tuple[Veto, ...] = ()
    agree: tuple[tuple[Address, ...], ...] = ()
    done: tuple[Condition, ...] = ()
    expires: Address | None = None
    lasting: bool = False
    numbers: Mapping[str, int]
    keys: frozenset[str] = frozenset()

    @property
    def lead(self) -> Part:
        """The part that tells whether the form is there."""
        return self.parts[0]


@dataclass(frozen=True, kw_only=True, slots=True)
class Format:
    """What an agent writes: one form, or alternatives of which exactly one may be there; and the roles it brings.

    Where they are ``ordered``, the first that is there counts.
    """

    name: str
    forms: tuple[Form, ...]
    roles: Mapping[str, Does]
    editable: bool = True
    ordered: bool = False

    @property
    def media(self) -> frozenset[Medium]:
        """All media that it speaks in."""
        return frozenset(medium for form in self.forms for medium in form.media)
