"""Descriptions to formats: data that has passed the schema comes in, a ``Format`` or all that is wrong goes out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from phasegate.dialects.described.checks import addresses, form_faults, misordered
from phasegate.dialects.described.forms import (
    COMPARISONS,
    EACH,
    EVERY,
    GOOD,
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
    Threads,
    Veto,
    rank_of,
)
from phasegate.model.frozen import dataclass, replace
from phasegate.model.plan import Evidence
from phasegate.model.problem import Fault
from phasegate.model.signal import Asks, Does, Kind, Medium, Outcome
from phasegate.reading.document import Document, Json, JsonPath
from phasegate.reading.globs import read_path
from phasegate.reading.json.reader import read_json
from phasegate.reading.keys import NOT_PASSED, folded, with_own
from phasegate.reading.markdown.page import Stands
from phasegate.reading.patterns import Pattern, Refusal, read_pattern
from phasegate.reading.schema.own import OwnSchema, read_schema

ONLY_FORM = "form"
NUMBERS = {"no": 0}
OUTCOMES = {
    "pass": Outcome.PASS,
    "fail": Outcome.FAIL,
    "blocked": Outcome.BLOCKED,
    "complete": Outcome.COMPLETE,
}
DEFAULT_CODECS = {At.FRONT_MATTER: Codec.YAML, At.LABEL: Codec.TEXT, At.SAYS: Codec.TEXT, At.VALUE: Codec.TEXT}
NOT_OF_FORMS = ("forms", "roles", "about", "ordered", "threads", "approves", "handles", "request")

Data = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Wrong:
    """What is wrong with a description, and where in it."""

    code: str
    message: str
    path: JsonPath


def build_format(name: str, data: Data, files: Mapping[str, str]) -> Format | tuple[Wrong, ...]:
    """The format that a description tells; ``files`` are the texts of schemas on the default branch, by path."""
    told: Mapping[str, Data] = data.get("forms", {ONLY_FORM: {}})
    builders = [_Builder(form, data, own, files, only="forms" not in data) for form, own in told.items()]
    forms = [builder.form() for builder in builders]
    wrong = tuple(item for builder in builders for item in builder.wrong)
    built = tuple(form for form in forms if form is not None)
    if not wrong and "ordered" in data:
        wrong = tuple(Wrong(code="PG907", message=told, path=("forms", form)) for form, told in misordered(built))
    threads = _threads(data)
    if wrong or isinstance(threads, Wrong):
        return tuple(dict.fromkeys((*wrong, *((threads,) if isinstance(threads, Wrong) else ()))))
    return Format(
        name=name,
        forms=built,
        roles={role: Does(item["does"]) for role, item in data.get("roles", {}).items()},
        editable=data.get("edits", "author") == "author",
        ordered="ordered" in data,
        threads=threads,
        approves="approves" in data,
        request=data.get("request", {}).get("comment", ""),
        reviewer=data.get("request", {}).get("review_from", ""),
        handles=tuple(each.lower() for each in data.get("handles", ())),
    )


def _threads(data: Data) -> Threads | Wrong | None:
    """How the review threads of a format's account are read, if they are."""
    if "threads" not in data:
        return None
    told = data["threads"]
    found = [read_pattern(text) for text in (() if told is True else told)]
    for index, each in enumerate(found):
        if isinstance(each, Refusal):
            message = f"the pattern is refused at character {each.offset + 1}: {each.reason}"
            return Wrong(code="PG901", message=message, path=("threads", index))
    patterns = tuple(each for each in found if isinstance(each, Pattern))
    return Threads(patterns=patterns, floor=data.get("floor", ""))


class _Builder:
    """One form being built from its own data over that of its format."""

    def __init__(self, name: str, shared: Data, own: Data, files: Mapping[str, str], *, only: bool) -> None:
        self.name = name
        self.data = {**{key: value for key, value in shared.items() if key not in NOT_OF_FORMS}, **own}
        self.files = files
        self.wrong: list[Wrong] = []
        self._own = own
        self._prefix: JsonPath = () if only else ("forms", name)

    def form(self) -> Form | None:
        """The form, if nothing is wrong with it."""
        for key in ("in", "read", "role"):
            if key not in self.data:
                self._say("PG907", f"{self._told}{key} is missing", ())
        if self.wrong:
            return None
        form = self._built()
        form = replace(
            form, keys=_keys(form), ways=frozenset(_ways(form)), deciding=with_own(NOT_PASSED, _deciding(form))
        )
        for code, message, path in form_faults(form, self.data):
            self._say(code, f"{self._told}{message}", path)
        return None if self.wrong else form

    @property
    def _told(self) -> str:
        return f"form {self.name}: " if self._prefix else ""

    def _say(self, code: str, message: str, path: JsonPath) -> None:
        """Note a fault at a place of the form, which may stand in the form itself or in its format."""
        prefix = self._prefix if not path or path[0] in self._own else ()
        self.wrong.append(Wrong(code=code, message=message, path=(*prefix, *path)))

    def _built(self) -> Form:
        data = self.data
        check = data.get("check")
        return Form(
            name=self.name,
            media=frozenset(Medium(medium) for medium in data["in"]),
            path=self._path(),
            template=data.get("path", ""),
            check=None if check is None else Check(app_id=check["app_id"], name=check.get("name")),
            kind=Kind(data.get("kind", "verdict")),
            parts=tuple(self._part(name, part) for name, part in data["read"].items()),
            each=self._address("each"),
            when=conditions(data.get("when", ())),
            role=_speaks(data["role"]),
            outcome=_says(data["outcome"]) if "outcome" in data else None,
            commit=None if data.get("commit") == "carrier" else self._address("commit"),
            findings=tuple(map(_finding_keys, _listed(data.get("findings", ())))),
            floor=data.get("floor", ""),
            run=self._address("run"),
            notes=self._address("notes"),
            asks=tuple(
                Request(asks=Asks(item["for"]), when=conditions(item.get("when", ()))) for item in data.get("asks", ())
            ),
            questions=tuple(
                Question(texts=tuple(map(Address.of, item["texts"])), when=conditions(item.get("when", ())))
                for item in data.get("questions", ())
            ),
            vetoes=tuple(_veto(item) for item in data.get("vetoes", ())),
            agree=tuple(tuple(Address.of(text) for text in group) for group in data.get("agree", ())),
            done=conditions(data.get("done", ())),
            expires=self._address("expires"),
            lasting="lasting" in data,
            history=tuple(data.get("history", ())),
            across=data.get("lasting") == "across",
            whole=conditions(() if data["whole"] is True else data["whole"]) if "whole" in data else None,
            numbers={**NUMBERS, **data.get("numbers", {})},
        )

    def _address(self, key: str) -> Address | None:
        return Address.of(self.data[key]) if key in self.data else None

    def _path(self) -> Evidence | None:
        if "path" not in self.data:
            return None
        found = read_path(self.data["path"], evidence="evidence" in self.data)
        if isinstance(found, str):
            self._say("PG904", f"{self._told}{found}", ("path",))
            return None
        return found

    def _part(self, name: str, told: Data) -> Part:
        places = [at for at in At if at.value in told]
        here: JsonPath = ("read", name)
        if len(places) != 1:
            names = ", ".join(at.value for at in At)
            self._say("PG907", f"{self._told}part {name} stands in exactly one place: {names}", here)
        at = places[0] if places else At.WHOLE
        literal = told[at.value] if at in (At.MARKER, At.LABEL) else told.get("holds", "")
        titles, items = told.get("section", True), told.get("items", ())
        items = (items,) if isinstance(items, str) else items
        row = told.get("row", {})
        codec = Codec.PATTERN if "pattern" in told else Codec(told["as"]) if "as" in told else DEFAULT_CODECS.get(at)
        if codec is None and at not in (*LINES, *LISTS):
            self._say("PG907", f"{self._told}part {name} does not say how it is written (as, or pattern)", here)
        return Part(
            name=name,
            at=at,
            words=literal,
            info=told.get("fence", told.get("or_fence", "")),
            then=told.get("followed_by"),
            level=told.get("level"),
            stands=Stands(told.get("stands", "edge")),
            html="html" in told,
            source=Address.of(told["value"]) if "value" in told else None,
            field=Field(told.get("field", "text")),
            codec=codec or Codec.TEXT,
            pattern=self._pattern(told["pattern"], (*here, "pattern")) if "pattern" in told else None,
            leading=tuple(told.get("words", ())),
            either_way="spelling" in told,
            own_spelling=tuple(told.get("own_spelling", ())),
            schema=self._schema(told, here),
            schema_file=told.get("schema_file"),
            optional="optional" in told,
            escaped="escaped" in told,
            own_keys="own_keys" in told,
            wrappers=tuple(told.get("wrappers", ())),
            first="first" in told,
            folded="folded" in told,
            phrases=tuple(told.get("says", {}).items()),
            header=tuple(row.get("header", ())),
            where=tuple(row.get("where", {}).items()),
            titles=() if titles is True else tuple(titles),
            until=tuple(told.get("until", ())),
            patterns=tuple(filter(None, (self._pattern(each, (*here, "items")) for each in items))),
        )

    def _pattern(self, text: str, path: JsonPath) -> Pattern | None:
        found = read_pattern(text)
        if isinstance(found, Refusal):
            message = f"the pattern is refused at character {found.offset + 1}: {found.reason}"
            self._say("PG901", f"{self._told}{message}", path)
            return None
        return found

    def _schema(self, told: Data, path: JsonPath) -> OwnSchema | None:
        if "schema" in told and "schema_file" in told:
            self._say("PG907", f"{self._told}schema and schema_file: only one of them", path)
        if "schema" in told:
            return self._read_schema(told["schema"], (*path, "schema"), lambda inner: (*path, "schema", *inner))
        if "schema_file" not in told:
            return None
        here = (*path, "schema_file")
        text = self.files.get(told["schema_file"])
        document = None if text is None else read_json(text)
        if not isinstance(document, Document):
            reason = document.message if isinstance(document, Fault) else "it was not read from the default branch"
            self._say("PG902", f"{self._told}{told['schema_file']}: {reason}", here)
            return None
        return self._read_schema(document.value, here, lambda _: here, own_keys="own_keys" in told)

    def _read_schema(
        self, contents: Json, path: JsonPath, place: Callable[[JsonPath], JsonPath], *, own_keys: bool = False
    ) -> OwnSchema | None:
        found = read_schema(contents)
        if isinstance(found, OwnSchema):
            return found.open if own_keys else found
        for item in found:
            told = "/".join(map(str, item.path))
            self._say("PG902", f"{self._told}the schema is refused at /{told}: {item.reason}", place(item.path) or path)
        return None


def conditions(told: Any) -> tuple[Condition, ...]:  # noqa: ANN401  (data that the schema has accepted)
    """Conditions, as they are told."""
    return tuple(_condition(item) for item in told)


def _condition(told: Data) -> Condition:
    over = next((each for each in Over if each.value in told), Over.ONE)
    test = next((each for each in Test if each.value in told), Test.PRESENT)
    wanted = told.get(test.value, True)
    plus = Address.of(told["plus"]) if "plus" in told else None
    other = Address.of(wanted["of"]) if isinstance(wanted, Mapping) else None
    values = () if other is not None else tuple(wanted) if isinstance(wanted, list) else (wanted,)
    if test in COMPARISONS:  # YAML leaves decimals as text
        values = tuple(float(each) if isinstance(each, str) else each for each in values)
    address = Address.of(told.get(over.value, "-"))
    return Condition(over=over, address=address, test=test, wanted=values, other=other, plus=plus)


def _speaks(told: Any) -> Speaks:  # noqa: ANN401  (data that the schema has accepted)
    if isinstance(told, str):
        return Speaks(always=told)
    return Speaks(address=Address.of(told["of"]), values=told.get("map"))


def _says(told: Any) -> Says:  # noqa: ANN401  (data that the schema has accepted)
    if isinstance(told, str):
        return Says(always=OUTCOMES[told])
    rules = [
        Rule(when=conditions(item["when"]), outcome=OUTCOMES[item["is"]], shown=item.get("shown", ""))
        for item in told.get("first", ())
    ]
    if "otherwise" in told:
        rules.append(Rule(when=(), outcome=OUTCOMES[told["otherwise"]]))
    return Says(
        address=Address.of(told["of"]) if "of" in told else None,
        values={key: OUTCOMES[value] for key, value in told["map"].items()} if "map" in told else None,
        true_is=OUTCOMES[told["true_is"]] if "true_is" in told else None,
        false_is=OUTCOMES[told["false_is"]] if "false_is" in told else None,
        rules=tuple(rules),
    )


def _listed(told: Any) -> tuple[Data, ...]:  # noqa: ANN401  (data that the schema has accepted)
    return (told,) if isinstance(told, Mapping) else tuple(told)


_PLAIN_KEYS = ("id", "severity", "summary", "location", "line", "fix_hint", "level", "about", "floor")


def _finding_keys(told: Data) -> FindingKeys:
    return FindingKeys(
        address=Address.of(told["of"]) if "of" in told else None,
        count=Address.of(told["count"]) if "count" in told else None,
        advice=tuple(told.get("advice", ())),
        threaded="threads" in told,
        quiet="quiet" in told,
        **{key: told[key] for key in _PLAIN_KEYS if key in told},
    )


def _veto(told: Data) -> Veto:
    return Veto(
        line=told.get("line"),
        marker=told.get("marker"),
        fold=told.get("fold"),
        when=conditions(told.get("when", ())),
        names_commit="names_commit" in told,
        outcome=OUTCOMES[told.get("is", "blocked")],
        shown=told.get("shown", ""),
    )


def _keys(form: Form) -> frozenset[str]:
    """Every key that a form looks for."""
    found = {step for address, _ in addresses(form) for step in address.steps if step != EVERY and not step.isdecimal()}
    ruled = {key for part in form.parts if part.schema is not None for key in part.schema.compared}
    return frozenset(found | ruled | {key for keys in form.findings for key in keys.keys})


def _ways(form: Form) -> Iterator[tuple[str, ...]]:
    """The ways to all that a form reads, each beginning with the name of a part."""
    each = () if form.each is None else (form.each.part, *form.each.steps, EVERY)
    found = [address for address, _ in addresses(form)]
    holders = ((keys.address, keys.keys) for keys in form.findings if keys.address is not None)
    found += [replace(holder, steps=(*holder.steps, key)) for holder, read in holders for key in read]
    for address in found:
        yield (*each, *address.steps) if address.part == EACH else (address.part, *address.steps)


def _deciding(form: Form) -> Iterator[tuple[str, Callable[[Json], bool]]]:
    """The keys by which a form tells that the work failed, each with the test of its values."""
    says = form.outcome or Says()
    told: list[tuple[Scalar, Outcome | None]] = [(True, says.true_is), (False, says.false_is)]
    told += (says.values or {}).items()
    if says.address is not None:
        bad = tuple(value for value, outcome in told if outcome not in (None, *GOOD))
        yield _last(says.address), partial(_is_any_of, bad)
    for keys in form.findings:
        if keys.severity and form.floor:
            yield keys.severity, partial(_is_severe, form.floor)
    rules = [rule.when for rule in says.rules if rule.outcome not in GOOD]
    for when in (*rules, *(veto.when for veto in form.vetoes)):
        if len(when) == 1 and when[0].test in (Test.EQUALS, Test.IN):
            yield _last(when[0].address), partial(_is_any_of, when[0].wanted)


def _is_severe(floor: str, value: Json) -> bool:
    """Whether a value is a severity that blocks."""
    rank, least = rank_of(value) if isinstance(value, str) else None, rank_of(floor)
    return rank is not None and (least is None or rank <= least)


def _last(address: Address) -> str:
    """The key that an address ends with."""
    return next((step for step in reversed(address.steps) if step != EVERY), "")


def _is_any_of(wanted: tuple[Scalar, ...], value: Json) -> bool:
    """Whether a value is one of these, in whatever letters."""
    plain = folded(value) if isinstance(value, str) else value
    alike = (folded(each) if isinstance(each, str) else each for each in wanted)
    return any(type(each) is type(plain) and each == plain for each in alike)
