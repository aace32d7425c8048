"""Formats as typed data, and the dialect that some of them make, as it declares itself; what reads is loaded later."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from importlib import import_module
from typing import TypeAlias

from phasegate.catalogue import problem
from phasegate.dialects.dialect import Checked, Deciding, Footprint, Gathered, LocalFile, Reading, Surroundings, Text
from phasegate.model.frozen import dataclass, replace
from phasegate.model.plan import Evidence, glance
from phasegate.model.problem import Problem, Severity, Where
from phasegate.model.signal import Asks, Does, HowTo, Kind, Medium, Outcome, Place, Role, Signal, Source
from phasegate.reading.globs import ends_like
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

    @property
    def only_objects(self) -> frozenset[Medium]:
        """The media in which no form of it can pass anything."""
        return self.media.difference(medium for form in self.forms if may_pass(form) for medium in form.media)


GOOD = (Outcome.PASS, Outcome.COMPLETE)


def may_pass(form: Form) -> bool:
    """Whether a form can say something good at all."""
    says = form.outcome
    if says is None:
        return False
    told = [says.always, says.true_is, says.false_is, *(says.values or {}).values()]
    return any(outcome in GOOD for outcome in (*told, *(rule.outcome for rule in says.rules)))


# The order in which a medium is shown to somebody who asks how to speak.
SHOWN = (Medium.COMMENT, Medium.REVIEW, Medium.FILE, Medium.CHECK_RUN)
# Signs of bold type and headings, which may be written in more than one way.
MARKS = "*_#> `"


class Described:
    """The dialect that some formats make."""

    def __init__(self, name: str, formats: Mapping[str, Format]) -> None:
        self.name = name
        self.formats = formats
        self.media = frozenset(medium for each in formats.values() for medium in each.media)
        self.roles = tuple(self._roles())
        self.footprint = Footprint(
            triggers=(triggers := tuple(self._triggers())),
            phrases=tuple(filter(None, (glance(trigger) for trigger in triggers if not trigger.isalnum()))),
            evidence=self._evidence,
            check_apps=tuple(dict.fromkeys(form.check.app_id for form in self.forms if form.check is not None)),
            check_names=tuple(form.check.name for form in self.forms if form.check is not None and form.check.name),
            failing=tuple(dict.fromkeys(self._failing())),
            deciding=(Deciding(key="", values=told),) if (told := tuple(dict.fromkeys(self._deciding()))) else (),
        )

    def _roles(self) -> Iterator[Role]:
        for each in self.formats.values():
            yield from (
                Role(name=name, does=does, dialect=self.name, media=each.media, only_objects=each.only_objects)
                for name, does in each.roles.items()
            )

    @property
    def forms(self) -> tuple[Form, ...]:
        """All forms of all formats."""
        return tuple(form for each in self.formats.values() for form in each.forms)

    @property
    def named_roles(self) -> frozenset[str]:
        """The roles that its forms name by constants or maps."""
        constants = (form.role.always for form in self.forms if form.role.always is not None)
        mapped = (role for form in self.forms for role in (form.role.values or {}).values())
        return frozenset((*constants, *mapped))

    def _triggers(self) -> Iterator[str]:
        """A form is there only if one of the signs of its first part is; files and check runs are told by others."""
        spoken = (form for form in self.forms if form.media & {Medium.COMMENT, Medium.REVIEW})
        yield from dict.fromkeys(sign.lstrip(MARKS).lower() for form in spoken for sign in form.lead.signs)

    def _failing(self) -> Iterator[str]:
        """The words by which its forms fail the work; of one that always does, those that it begins with."""
        for form in self.forms:
            says = form.outcome or Says()
            yield from (word for word, outcome in (says.values or {}).items() if outcome is Outcome.FAIL)
            yield from form.lead.signs if says.always is Outcome.FAIL else ()

    def _deciding(self) -> Iterator[str]:
        """The values by which a key of its forms fails the work."""
        for says in (form.outcome or Says() for form in self.forms):
            yield from (word for word, outcome in (says.values or {}).items() if outcome is Outcome.FAIL)
            for rule in (rule for rule in says.rules if rule.outcome is Outcome.FAIL):
                yield from (value for each in rule.when for value in each.wanted if isinstance(value, str) and value)

    def _evidence(self, folder: str | None) -> tuple[Evidence, ...]:
        del folder
        return tuple(dict.fromkeys(form.path for form in self.forms if form.path is not None))

    def read(self, text: Text, roles: Sequence[Role]) -> Reading:
        """The words of one text; of one without any trigger nothing is taken apart."""
        if not self._worth_reading(text):
            return Reading(text=text)
        from phasegate.dialects.described.reader import read_format  # noqa: PLC0415  (loaded when it is asked for)

        found = (read_format(self.name, each, text, roles) for each in self.formats.values())
        return Reading(text=text, signals=tuple(signal for signals in found for signal in signals))

    def _worth_reading(self, text: Text) -> bool:
        source = text.source
        if source.medium is Medium.FILE:
            path = text.where.path or ""
            return any(form.path is not None and form.path.holds(path) for form in self.forms)
        if source.medium is Medium.CHECK_RUN:
            return any(form.check is not None and form.check.app_id == source.app_id for form in self.forms)
        return self.footprint.is_in(text.body or "") or self._told_by_state(source)

    def _told_by_state(self, source: Source) -> bool:
        """Whether its state alone may make a review a word: of a bot, since what people say so is their own."""
        bot = source.author is not None and source.author.type == "Bot"
        return bot and source.state is not None and any(form.lead.at is At.WHOLE for form in self.forms)

    def together(self, readings: Sequence[Reading], around: Surroundings) -> Gathered:
        """Each text speaks for itself, and a pass until it expires."""
        signals = (signal for reading in readings for signal in reading.signals)
        return Gathered(signals=tuple(unexpired(signal, around.snapshot.taken_at) for signal in signals))

    def short_form(self, text: str) -> str:
        """There is none."""
        return text

    def owns(self, path: str) -> bool:
        """Whether a local file is one of its documents, by the end of its path."""
        return any(ends_like(form.path, path) for form in self.forms if form.path is not None)

    def check_file(self, file: LocalFile) -> Checked:
        """One local file, by the end of its path; of one that stands elsewhere nothing is said."""
        path = (file.where.path or file.name).replace("\\", "/")
        shape = next((form.path for form in self.forms if form.path is not None and ends_like(form.path, path)), None)
        if shape is None:
            return Checked(path=str(file.where))
        length = shape.root.count("/") + bool(shape.root) + shape.folders + 1
        tail = "/".join(path.split("/")[-length:])
        missing = file.text if isinstance(file.text, Problem) else None
        source = Source(id="lint", number=0, url=tail, place=Place.PULL_REQUEST, medium=Medium.FILE, at="")
        text = Text(
            source=source,
            where=Where(path=tail),
            body=file.text if isinstance(file.text, str) else None,
            missing=missing,
        )
        return checked(str(file.where), self.read(text, self.roles).signals, file)

    def check_folder(self, folder: str, files: Sequence[LocalFile]) -> tuple[Checked, ...]:
        """Each of the files for itself."""
        del folder
        return tuple(self.check_file(file) for file in files if self.owns(file.where.path or file.name))

    def get_ready(self) -> None:
        """Load what reads."""
        import_module("phasegate.dialects.described.reader")

    def nearest(self, text: Text, role: Role) -> str:
        """How near a text comes to one of the forms in which a role may speak."""
        from phasegate.dialects.described.reader import nearest  # noqa: PLC0415  (loaded when it is asked for)

        return nearest(self._spoken_by(role), text)

    def _spoken_by(self, role: Role) -> list[Form]:
        return [form for form in self.forms if form.role.always in (None, role.name)] or list(self.forms)

    def how_to(self, role: Role) -> HowTo:
        """The first form in which a role may speak."""
        form = self._spoken_by(role)[0]
        medium = next(medium for medium in SHOWN if medium in form.media)
        lead = form.lead
        return HowTo(
            medium=medium,
            marker=lead.words if medium is not Medium.FILE else "",
            heading=lead.signs[0] if lead.signs and not lead.words else "",
            path=form.template if medium is Medium.FILE else "",
            schema=lead.schema_file or "",
        )


def unexpired(signal: Signal, now: str) -> Signal:
    """The signal, or where its time is over no pass any more; ``now`` is the moment that the snapshot tells of."""
    good = signal.outcome in (Outcome.PASS, Outcome.COMPLETE)
    if not good or not signal.expires or now < signal.expires:
        return signal
    over = problem("PG926", f"its {signal.said or 'pass'} expired at {signal.expires}", signal.where)
    return replace(signal, outcome=Outcome.BLOCKED, said="expired", problems=(*signal.problems, over))


def checked(path: str, signals: tuple[Signal, ...], file: LocalFile) -> Checked:
    """What a local file says: the first outcome, unless one that is worse follows."""
    outcomes = [signal.outcome for signal in signals if signal.outcome is not None]
    problems = tuple(item for signal in signals for item in _placed(signal, file))
    errors = any(item.severity is Severity.ERROR for item in problems)
    worst = next((outcome for outcome in outcomes if outcome in (Outcome.FAIL, Outcome.BLOCKED)), None)
    return Checked(path=path, outcome=worst or (outcomes[0] if outcomes and not errors else None), problems=problems)


def _placed(signal: Signal, file: LocalFile) -> Iterator[Problem]:
    """The problems of a signal, at the path that the file was named by."""
    for item in signal.problems:
        where = Where(
            path=file.where.path, line=item.where.line, column=item.where.column, json_path=item.where.json_path
        )
        yield Problem(code=item.code, severity=item.severity, message=item.message, where=where, hint=item.hint)
