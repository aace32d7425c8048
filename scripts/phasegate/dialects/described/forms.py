"""Formats as typed data: the forms in which an agent reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from enum import Enum
from typing import TypeAlias

from phasegate.model.frozen import dataclass
from phasegate.model.plan import Evidence
from phasegate.model.signal import GOOD, Asks, Does, Kind, Medium, Outcome
from phasegate.reading.document import Document, JsonPath
from phasegate.reading.keys import NOT_PASSED, DecidingKeys, Row, folded
from phasegate.reading.markdown.page import Stands
from phasegate.reading.patterns import Pattern
from phasegate.reading.schema.own import OwnSchema

EACH, KEY, PATH, REVIEW, CHECK, FINDINGS = "each", "key", "path", "review", "check", "findings"
# Parts that are known without reading the text, with their fields.
GIVEN = {
    PATH: ("folder", "name"),
    REVIEW: ("state",),
    CHECK: ("name", "title", "conclusion"),
    FINDINGS: ("blocking", "all"),
    KEY: (),
}
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
    ITEM = "item"
    ROW = "row"
    SECTION = "section"
    WHOLE = "whole"
    VALUE = "value"


class Codec(str, Enum):
    """How a part is encoded."""

    JSON = "json"
    JSON_LINES = "json-lines"
    YAML = "yaml"
    KEY_VALUE = "key=value"
    TEXT = "text"
    PATTERN = "pattern"


class Field(str, Enum):
    """The text of a check run that holds a part."""

    TEXT = "text"
    SUMMARY = "summary"
    TITLE = "title"


@dataclass(frozen=True, kw_only=True, slots=True)
class Address:
    """The path to a value: the name of a part, then keys and indexes. ``*`` is each member of a list or map."""

    text: str
    part: str
    steps: tuple[str, ...] = ()

    @staticmethod
    def of(text: str) -> Address:
        """The address in a text like ``word/issues/*/id``."""
        part, *steps = (step.replace("~1", "/").replace("~0", "~") for step in text.split("/"))
        return Address(text=text, part=part, steps=tuple(steps))


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """One part of a text that a form reads.

    ``words`` are its fixed sign: a marker, a label, the content of a fence or front matter. ``info`` is a fence's info
    string (for front matter: that of the fence in which it may stand instead), ``level`` that of a heading.
    ``leading`` names the bare words before the first key=value. With ``spelling`` either, keys may be written in
    camelCase; the keys of ``own_spelling`` and everything inside them stay as they are. An ``escaped`` part may use
    entities. With ``own_keys`` unknown keys are only noted. A map whose only key is one of the ``wrappers`` stands for
    its value; then the value is ``reshaped``. A heading is the ``first`` of its level, and a line may be ``folded``. A
    notice ``says`` one of some phrases, each with the text to show. A row belongs to the table with this ``header``
    and has these cells (``where``). A section has one of the ``titles`` and goes ``until`` another; ``patterns``
    recognise its items.
    """

    name: str
    at: At
    words: str = ""
    info: str = ""
    followed_by: str | None = None
    level: int | None = None
    stands: Stands = Stands.EDGE
    html: bool = False
    value: Address | None = None
    field: Field = Field.TEXT
    codec: Codec = Codec.TEXT
    pattern: Pattern | None = None
    leading: tuple[str, ...] = ()
    spelling: bool = False
    own_spelling: tuple[str, ...] = ()
    schema: OwnSchema | None = None
    schema_file: str | None = None
    optional: bool = False
    escaped: bool = False
    own_keys: bool = False
    wrappers: tuple[str, ...] = ()
    reshaped: Callable[[Document], Document] = lambda document: document
    first: bool = False
    folded: bool = False
    says: tuple[tuple[str, str], ...] = ()
    header: tuple[str, ...] = ()
    where: tuple[tuple[str, str], ...] = ()
    titles: tuple[str, ...] = ()
    until: tuple[str, ...] = ()
    patterns: tuple[Pattern, ...] = ()

    @property
    def signs(self) -> tuple[str, ...]:
        """Literal texts of which one is present if the part is; empty if nothing fixed is."""
        if self.at in LINES:
            return () if self.pattern is None else self.pattern.beginnings
        return tuple(phrase for phrase, _ in self.says) or ((self.words,) if self.words else ())


LINES = (At.FIRST_LINE, At.LAST_LINE, At.LINE, At.HEADING, At.ITEM)
LISTS = (At.ROW, At.SECTION)


class Over(str, Enum):
    """How many of the values at an address must meet a condition. Without values, none does."""

    ONE = "of"
    ANY = "any_of"
    ALL = "all_of"


class Test(str, Enum):
    """What a value is compared with."""

    EQUALS = "equals"
    IN = "in"
    ABOVE = "above"
    BELOW = "below"
    AT_LEAST = "at_least"
    AT_MOST = "at_most"
    EMPTY = "empty"
    PRESENT = "present"


# The comparisons, each with the words for its opposite.
COMPARISONS = {Test.ABOVE: "at most", Test.BELOW: "at least", Test.AT_LEAST: "below", Test.AT_MOST: "above"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Condition:
    """A test of a value, or of its sum with another (``plus``), possibly negated."""

    over: Over
    address: Address
    test: Test
    wanted: tuple[Scalar, ...] = ()
    other: Address | None = None
    plus: Address | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """An outcome and its conditions. The last rule of a list may have none. ``shown`` is its text for people."""

    when: tuple[Condition, ...] = ()
    outcome: Outcome
    shown: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Says:
    """A word's outcome: constant, by a value, or by the first rule that holds."""

    always: Outcome | None = None
    address: Address | None = None
    values: Mapping[str, Outcome] | None = None
    true_is: Outcome | None = None
    false_is: Outcome | None = None
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Speaks:
    """The speaking role: constant, or by a value, with an optional map."""

    always: str | None = None
    address: Address | None = None
    values: Mapping[str, str] | None = None


# Words for severities, worst first; words of one rank are equal.
SEVERITIES = (
    ("blocker", "critical", "p0"),
    ("error", "high", "major", "important", "p1"),
    ("warning", "medium", "moderate", "minor", "p2"),
    ("low", "trivial", "nit", "p3"),
    ("info", "note", "minimal", "pre-existing"),
)
_RANKS = {folded(word): rank for rank, words in enumerate(SEVERITIES) for word in words}


def rank_of(severity: str) -> int | None:
    """The rank of a severity, 0 for the worst, ignoring signs around the word; None if unknown."""
    return _RANKS.get(folded(severity).strip("_"))


def reaches(floor: str, severity: object) -> bool:
    """True for a known severity at or above the floor."""
    rank, least = rank_of(severity) if isinstance(severity, str) else None, rank_of(floor)
    return rank is not None and (least is None or rank <= least)


@dataclass(frozen=True, kw_only=True, slots=True)
class FindingKeys:
    """Where findings are, and the keys of their fields.

    ``count`` is their number; findings that are only counted have no fields but the common ``level``. ``advice`` are
    severities that never block. With ``threads`` they also stand in review threads. With ``quiet`` a finding that does
    not block is left out.
    """

    address: Address | None = None
    count: Address | None = None
    id: str | None = None
    severity: str | None = None
    summary: str | None = None
    location: str | None = None
    line: str | None = None
    fix_hint: str | None = None
    level: str = ""
    floor: str = ""
    about: str = ""
    advice: tuple[str, ...] = ()
    threads: bool = False
    quiet: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that are read from a finding."""
        told = (self.id, self.severity, self.summary, self.location, self.line, self.fix_hint)
        return tuple(key for key in told if key)


@dataclass(frozen=True, kw_only=True, slots=True)
class Veto:
    """What takes a pass back: a line's beginning, words of the text or of a fold's title, or values."""

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
    when: tuple[Condition, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """When an agent stops for a human. The first text found tells why, or what it asks."""

    texts: tuple[Address, ...]
    when: tuple[Condition, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """The check run that holds a form."""

    app_id: int
    name: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Form:
    """One shape of a report. The first part shows whether the form is present.

    ``expires`` is the time until which a pass counts. A ``lasting`` word is not taken back by another form. Findings
    that go ``across`` contents stand until a pass for which ``whole`` holds. A finding blocks at the ``floor`` or
    above; without a floor none does. ``ways`` are the paths of everything the form reads. A failing ``deciding`` key
    anywhere else contradicts a pass, except below a ``history`` key. ``rows`` are contradictions in the first part,
    below ``payload``.
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
    commit: tuple[Address, ...] = ()
    findings: tuple[FindingKeys, ...] = ()
    floor: str = ""
    run: Address | None = None
    notes: Address | None = None
    asks: tuple[Request, ...] = ()
    questions: tuple[Question, ...] = ()
    vetoes: tuple[Veto, ...] = ()
    agree: tuple[tuple[Address, ...], ...] = ()
    done: tuple[Condition, ...] = ()
    expires: Address | None = None
    lasting: bool = False
    across: bool = False
    whole: tuple[Condition, ...] | None = None
    numbers: Mapping[str, int]
    keys: frozenset[str] = frozenset()
    rows: tuple[Row, ...] = ()
    payload: tuple[str, ...] = ()
    ways: frozenset[tuple[str, ...]] = frozenset()
    deciding: DecidingKeys = field(default_factory=lambda: NOT_PASSED)
    history: tuple[str, ...] = ()

    def reads(self, way: JsonPath) -> bool:
        """True if the form reads the value at this path, which begins with a part's name."""
        steps = tuple(map(str, way))
        alike = (known for known in self.ways if len(known) == len(steps))
        return any(all(a in (EVERY, b) for a, b in zip(known, steps, strict=True)) for known in alike)

    @property
    def lead(self) -> Part:
        """The part that shows whether the form is present."""
        return self.parts[0]

    @property
    def failing(self) -> tuple[str, ...]:
        """The words by which the form fails the work."""
        values = self.outcome.values if self.outcome is not None else None
        return tuple(word for word, outcome in (values or {}).items() if outcome is Outcome.FAIL)


@dataclass(frozen=True, kw_only=True, slots=True)
class Format:
    """What an agent writes: one form, or alternatives of which exactly one may be present; and its roles.

    If the forms are ``ordered``, the first one present counts. ``threads`` are patterns for the first comment of
    review threads: open ones of its account object, and block at the ``floor`` or above. If it ``approves``, its
    approving review covers the whole change. It reviews when somebody comments ``request`` or asks ``reviewer`` for a
    review, and the whole change when somebody comments ``whole``.
    """

    name: str
    forms: tuple[Form, ...]
    roles: Mapping[str, Does]
    editable: bool = True
    ordered: bool = False
    threads: tuple[Pattern, ...] | None = None
    floor: str = ""
    approves: bool = False
    request: str = ""
    whole: str = ""
    reviewer: str = ""
    handles: tuple[str, ...] = ()

    @property
    def media(self) -> frozenset[Medium]:
        """All media of its forms."""
        return frozenset(medium for form in self.forms for medium in form.media)

    @property
    def only_objects(self) -> frozenset[Medium]:
        """The media in which none of its forms can pass."""
        return self.media.difference(medium for form in self.forms if may_pass(form) for medium in form.media)


def outcomes(form: Form) -> frozenset[Outcome | None]:
    """All outcomes of a form."""
    says = form.outcome or Says()
    told = (says.always, says.true_is, says.false_is, *(says.values or {}).values())
    return frozenset((*told, *(rule.outcome for rule in says.rules)))


def may_pass(form: Form) -> bool:
    """True if a form can pass."""
    return not outcomes(form).isdisjoint(GOOD)
