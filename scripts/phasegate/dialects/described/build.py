"""Builds formats. In: data that has passed the schema. Out: a ``Format``, or everything wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from functools import partial
from typing import Any, TypeAlias, TypeVar, cast

from phasegate.dialects.described.checks import Told, Wrong, form_faults, misordered
from phasegate.dialects.described.forms import (
    COMPARISONS,
    EACH,
    EVERY,
    LINES,
    LISTS,
    Address,
    At,
    Check,
    Codec,
    Condition,
    Field,
    FindingKeys,
    Form,
    Format,
    Over,
    Part,
    Question,
    Request,
    Rule,
    Says,
    Scalar,
    Speaks,
    Test,
    Veto,
    reaches,
)
from phasegate.model.frozen import replace
from phasegate.model.problem import Fault
from phasegate.model.signal import GOOD, Asks, Does, Kind, Medium, Outcome
from phasegate.reading.document import Document, Json, JsonPath
from phasegate.reading.globs import read_path
from phasegate.reading.json import read_json
from phasegate.reading.keys import NOT_PASSED, folded, is_some, with_own
from phasegate.reading.markdown.page import Stands
from phasegate.reading.patterns import Pattern, Refusal, read_pattern
from phasegate.reading.schema.own import OwnSchema, read_schema

NUMBERS = {"no": 0}
DEFAULT_CODECS = {At.FRONT_MATTER: Codec.YAML, At.LABEL: Codec.TEXT, At.SAYS: Codec.TEXT, At.VALUE: Codec.TEXT}
NOT_OF_FORMS = ("forms", "roles", "about", "ordered", "threads", "approves", "handles", "request")

Data = Mapping[str, Any]
T = TypeVar("T")


def build_format(name: str, data: Data, files: Mapping[str, str]) -> Format | tuple[Wrong, ...]:
    """The format of a description. ``files`` are schema texts on the default branch, by path."""
    told: Mapping[str, Data] = data.get("forms", {"form": {}})
    builders = [_Builder(form, data, own, files, only="forms" not in data) for form, own in told.items()]
    forms = tuple(form for builder in builders if (form := builder.form()) is not None)
    wrong = [item for builder in builders for item in builder.wrong]
    if not wrong and "ordered" in data:
        wrong = [Wrong("PG907", told, ("forms", form)) for form, told in misordered(forms)]
    lines = data.get("threads", ())
    patterns = [read_pattern(text) for text in (() if lines is True else lines)]
    refused = [(index, each) for index, each in enumerate(patterns) if isinstance(each, Refusal)]
    wrong += [Wrong("PG901", str(each), ("threads", index)) for index, each in refused[:1]]
    if wrong:
        return tuple(dict.fromkeys(wrong))
    read = tuple(each for each in patterns if isinstance(each, Pattern))
    return Format(
        name=name,
        forms=forms,
        roles={role: Does(item["does"]) for role, item in data.get("roles", {}).items()},
        editable=data.get("edits", "author") == "author",
        ordered="ordered" in data,
        threads=read if "threads" in data else None,
        floor=data.get("floor", ""),
        approves="approves" in data,
        request=data.get("request", {}).get("comment", ""),
        whole=data.get("request", {}).get("whole", ""),
        reviewer=data.get("request", {}).get("review_from", ""),
        handles=tuple(each.lower() for each in data.get("handles", ())),
    )


class _Builder:
    """Builds one form from its own data over that of its format, noting every address and its place."""

    def __init__(self, name: str, shared: Data, own: Data, files: Mapping[str, str], *, only: bool) -> None:
        self.name = name
        self.data = {**{key: value for key, value in shared.items() if key not in NOT_OF_FORMS}, **own}
        self.files = files
        self.wrong: list[Wrong] = []
        self.addresses: list[Told] = []
        self._own = own
        self._prefix: JsonPath = () if only else ("forms", name)

    def form(self) -> Form | None:
        """The form, or None if something is wrong with it."""
        for key in ("in", "read", "role"):
            if key not in self.data:
                self._say("PG907", f"{key} is missing", ())
        if self.wrong:
            return None
        form, led = self._built(), [address for address, _ in self.addresses]
        found = {step for address in led for step in address.steps if step != EVERY and not step.isdecimal()}
        ruled = {key for part in form.parts if part.schema is not None for key in part.schema.compared}
        keys = frozenset(found | ruled | {key for each in form.findings for key in each.keys})
        holders = [(each.address, each.keys) for each in form.findings if each.address is not None]
        led += [replace(holder, steps=(*holder.steps, key)) for holder, read in holders for key in read]
        member = () if form.each is None else (form.each.part, *form.each.steps, EVERY)
        ways = frozenset((*member, *each.steps) if each.part == EACH else (each.part, *each.steps) for each in led)
        form = replace(form, keys=keys, ways=ways, deciding=with_own(NOT_PASSED, _deciding(form)))
        for fault in form_faults(form, self.data, self.addresses):
            self._say(*fault)
        return None if self.wrong else form

    def _say(self, code: str, message: str, path: JsonPath) -> None:
        """Notes a fault at a place, which may be in the form or in its format."""
        prefix = self._prefix if not path or path[0] in self._own else ()
        told = f"form {self.name}: {message}" if self._prefix else message
        self.wrong.append(Wrong(code, told, (*prefix, *path)))

    def _built(self) -> Form:
        data = self.data
        path = read_path(data["path"], evidence="evidence" in data) if "path" in data else None
        if isinstance(path, str):
            self._say("PG904", path, ("path",))
        return self.made(
            Form,
            {key: value for key, value in data.items() if (key, value) != ("commit", "carrier")},
            (),
            name=self.name,
            path=None if isinstance(path, str) else path,
            template=data.get("path", ""),
            parts=tuple(self._part(name, part) for name, part in data["read"].items()),
            across=data.get("lasting") == "across",
            numbers={**NUMBERS, **data.get("numbers", {})},
        )

    def made(self, kind: Callable[..., T], told: Data, here: JsonPath, /, **given: object) -> T:
        """An instance of ``kind`` from data with the same keys; each field's annotation tells how to read its value."""
        known = {field.name: field.type for field in fields(cast("Any", kind))}
        for key, value in told.items():
            name = FIELDS.get(key, key)
            if name in known and name not in given:
                read = _READ.get(known[name])
                given[name] = value if read is None else read(self, value, (*here, key))
        return kind(**given)

    def address(self, told: str, path: JsonPath) -> Address:
        """An address. Its place is kept for the check that it leads somewhere."""
        found = Address.of(told)
        self.addresses.append((found, path))
        return found

    def condition(self, told: Data, path: JsonPath) -> Condition:
        """One condition. Numbers may be decimals, which YAML leaves as text."""
        overs, tests = [each for each in Over if each.value in told], [each for each in Test if each.value in told]
        if (len(overs), len(tests)) != (1, 1):
            self._say("PG907", "a condition is about one address (of, any_of or all_of) and has one test", path)
        over, test = (*overs, Over.ONE)[0], (*tests, Test.PRESENT)[0]
        wanted = told.get(test.value, True)
        compared = isinstance(wanted, Mapping)
        values = () if compared else tuple(wanted) if isinstance(wanted, list) else (wanted,)
        if test in COMPARISONS:
            values = tuple(float(each) if isinstance(each, str) else each for each in values)
        return Condition(
            over=over,
            address=self.address(told.get(over.value, ""), (*path, over.value)),
            test=test,
            wanted=values,
            other=self.address(wanted["of"], (*path, test.value, "of")) if compared else None,
            plus=self.address(told["plus"], (*path, "plus")) if "plus" in told else None,
        )

    def says(self, told: Any, path: JsonPath) -> Says:  # noqa: ANN401  (data that the schema has accepted)
        """How the outcome is found: a constant, a value, or rules. The last rule may have no condition."""
        if isinstance(told, str):
            return Says(always=_outcome(told))
        last = [{"is": told["otherwise"]}] if "otherwise" in told else []
        rules = enumerate((*told.get("first", ()), *last))
        made = tuple(self.made(Rule, rule, (*path, "first", index)) for index, rule in rules)
        return self.made(Says, told, path, rules=made)

    def _part(self, name: str, told: Data) -> Part:
        places = [at for at in At if at.value in told]
        here: JsonPath = ("read", name)
        if len(places) != 1:
            names = ", ".join(at.value for at in At)
            self._say("PG907", f"part {name} stands in exactly one place: {names}", here)
        at = places[0] if places else At.WHOLE
        codec = Codec.PATTERN if "pattern" in told else Codec(told["as"]) if "as" in told else DEFAULT_CODECS.get(at)
        if codec is None and at not in (*LINES, *LISTS):
            self._say("PG907", f"part {name} does not say how it is written (as, or pattern)", here)
        titles, row = told.get("section", True), told.get("row", {})
        items = [self._pattern(each, (*here, "items")) for each in _listed(told.get("items", ()))]
        return self.made(
            Part,
            told,
            here,
            name=name,
            at=at,
            words=told[at.value] if at in (At.MARKER, At.LABEL) else told.get("holds", ""),
            info=told.get("fence", told.get("or_fence", "")),
            codec=codec or Codec.TEXT,
            pattern=self._pattern(told["pattern"], (*here, "pattern")) if "pattern" in told else None,
            schema=self._schema(told, here),
            header=tuple(row.get("header", ())),
            where=tuple(row.get("where", {}).items()),
            leading=tuple(told.get("words", ())),
            titles=() if titles is True else tuple(titles),
            patterns=tuple(filter(None, items)),
        )

    def _pattern(self, text: str, path: JsonPath) -> Pattern | None:
        found = read_pattern(text)
        if isinstance(found, Refusal):
            self._say("PG901", str(found), path)
            return None
        return found

    def _schema(self, told: Data, path: JsonPath) -> OwnSchema | None:
        if "schema" in told and "schema_file" in told:
            self._say("PG907", "schema and schema_file: only one of them", path)
        if "schema" in told:
            found, here = read_schema(told["schema"]), (*path, "schema")
        elif "schema_file" in told:
            here, text = (*path, "schema_file"), self.files.get(told["schema_file"])
            document = None if text is None else read_json(text)
            if not isinstance(document, Document):
                reason = document.message if isinstance(document, Fault) else "it was not read from the default branch"
                self._say("PG901", f"{told['schema_file']}: {reason}", here)
                return None
            found = read_schema(document.value)
        else:
            return None
        if isinstance(found, OwnSchema):
            return found.open if "own_keys" in told and "schema" not in told else found
        for item in found:
            place = (*here, *item.path) if "schema" in told else here
            self._say("PG901", f"the schema is refused at /{'/'.join(map(str, item.path))}: {item.reason}", place)
        return None


# Keys of a description with another name in the classes of a form.
FIELDS = {"in": "media", "as": "codec", "is": "outcome", "for": "asks", "of": "address", "map": "values"}
Read: TypeAlias = "Callable[[_Builder, Any, JsonPath], object]"


def _listed(told: Any) -> Any:  # noqa: ANN401  (data that the schema has accepted)
    """A list; a single value may be written without one."""
    return (told,) if isinstance(told, (str, Mapping)) else told


def _outcome(told: str) -> Outcome:
    return Outcome(told.upper())


def _plain(make: Callable[[Any], object]) -> Read:
    return lambda _builder, told, _path: make(told)


def _as(kind: Callable[..., object]) -> Read:
    return lambda builder, told, path: builder.made(kind, told, path)


def _each(read: Read) -> Read:
    """A reader of several values, or of one without a list. ``true`` means none."""

    def several(builder: _Builder, told: Any, path: JsonPath) -> tuple[object, ...]:  # noqa: ANN401  (see above)
        if isinstance(told, (str, Mapping)):
            return (read(builder, told, path),)
        return tuple(read(builder, one, (*path, index)) for index, one in enumerate(() if told is True else told))

    return several


# How to read a field's value, by its annotation.
_PLAIN: dict[str, Callable[[Any], object]] = {
    "bool": bool,
    "Asks": Asks,
    "Kind": Kind,
    "Field": Field,
    "Stands": Stands,
    "Outcome": _outcome,
    "Outcome | None": _outcome,
    "Mapping[str, Outcome] | None": lambda told: {word: _outcome(each) for word, each in told.items()},
    "frozenset[Medium]": lambda told: frozenset(map(Medium, told)),
    "tuple[str, ...]": tuple,
    "tuple[tuple[str, str], ...]": lambda told: tuple(told.items()),
}
_READ: dict[object, Read] = {
    **{name: _plain(make) for name, make in _PLAIN.items()},
    "Check | None": _as(Check),
    "Speaks": lambda builder, told, path: (
        Speaks(always=told) if isinstance(told, str) else builder.made(Speaks, told, path)
    ),
    "Says | None": _Builder.says,
    "Address | None": _Builder.address,
    "tuple[Address, ...]": _each(_Builder.address),
    "tuple[tuple[Address, ...], ...]": _each(_each(_Builder.address)),
    "tuple[Condition, ...]": _each(_Builder.condition),
    "tuple[Condition, ...] | None": _each(_Builder.condition),
    **{f"tuple[{kind.__name__}, ...]": _each(_as(kind)) for kind in (FindingKeys, Question, Request, Veto)},
}


def _deciding(form: Form) -> Iterator[tuple[str, Callable[[Json], bool]]]:
    """The keys by which a form fails the work, each with a test for failing values."""
    says = form.outcome or Says()
    told: list[tuple[Scalar, Outcome | None]] = [(True, says.true_is), (False, says.false_is)]
    told += (says.values or {}).items()
    bad = tuple(value for value, outcome in told if outcome not in (None, *GOOD))
    tests = [] if says.address is None else [(says.address, bad)]
    rules = [rule.when for rule in says.rules if rule.outcome not in GOOD]
    alone = [when[0] for when in (*rules, *(veto.when for veto in form.vetoes)) if len(when) == 1]
    tests += [(each.address, each.wanted) for each in alone if each.test in (Test.EQUALS, Test.IN)]
    for address, wanted in tests:
        key = next((step for step in reversed(address.steps) if step != EVERY), "")
        yield key, partial(_is_any_of, wanted)
    filled = (each.address for each in alone if each.test is Test.EMPTY and each.wanted == (False,))
    yield from ((address.steps[-1], is_some) for address in filled if address.steps)
    if form.floor:
        yield from ((keys.severity, partial(reaches, form.floor)) for keys in form.findings if keys.severity)


def _is_any_of(wanted: tuple[Scalar, ...], value: Json) -> bool:
    """True if a value is one of these, ignoring case."""
    plain = folded(value) if isinstance(value, str) else value
    alike = (folded(each) if isinstance(each, str) else each for each in wanted)
    return any(type(each) is type(plain) and each == plain for each in alike)
