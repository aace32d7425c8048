"""Descriptions to formats: data that has passed the schema comes in, a ``Format`` or all that is wrong goes out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from phasegate.dialects.described.checks import addresses, form_faults, misordered
from phasegate.dialects.described.declaration import (
    EVERY,
    LINES,
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
    Request,
    Rule,
    Says,
    Speaks,
    Test,
    Veto,
)
from phasegate.model.frozen import dataclass, replace
from phasegate.model.plan import Evidence
from phasegate.model.problem import Fault
from phasegate.model.signal import Asks, Does, Kind, Medium, Outcome
from phasegate.reading.document import Document, Json, JsonPath
from phasegate.reading.globs import read_path
from phasegate.reading.json.reader import read_json
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
NOT_OF_FORMS = ("forms", "roles", "about", "ordered")

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
    if wrong:
        return tuple(dict.fromkeys(wrong))
    return Format(
        name=name,
        forms=built,
        roles={role: Does(item["does"]) for role, item in data.get("roles", {}).items()},
        editable=data.get("edits", "author") == "author",
        ordered="ordered" in data,
    )


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
        form = replace(form, keys=_keys(form))
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
            findings=_finding_keys(data["findings"]) if "findings" in data else None,
            run=self._address("run"),
            notes=self._address("notes"),
            asks=tuple(
                Request(asks=Asks(item["for"]), when=conditions(item.get("when", ()))) for item in data.get("asks", ())
            ),
            vetoes=tuple(_veto(item) for item in data.get("vetoes", ())),
            agree=tuple(tuple(Address.of(text) for text in group) for group in data.get("agree", ())),
            done=conditions(data.get("done", ())),
            expires=self._address("expires"),
            lasting="lasting" in data,
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
        codec = Codec.PATTERN if "pattern" in told else Codec(told["as"]) if "as" in told else DEFAULT_CODECS.get(at)
        if codec is None and at not in LINES:
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
            phrases=tuple(told.get("says", {}).items()),
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
        return self._read_schema(document.value, here, lambda _: here)

    def _read_schema(self, contents: Json, path: JsonPath, place: Callable[[JsonPath], JsonPath]) -> OwnSchema | None:
        found = read_schema(contents)
        if isinstance(found, OwnSchema):
            return found
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
    other = Address.of(wanted["of"]) if isinstance(wanted, Mapping) else None
    values = () if other is not None else tuple(wanted) if isinstance(wanted, list) else (wanted,)
    return Condition(over=over, address=Address.of(told.get(over.value, "-")), test=test, wanted=values, other=other)


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


def _finding_keys(told: Data) -> FindingKeys:
    keys = {key: told[key] for key in ("id", "severity", "summary", "location", "line", "fix_hint") if key in told}
    return FindingKeys(address=Address.of(told["of"]), blocking=tuple(told.get("blocking", ())), **keys)


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
    keys = form.findings
    told = () if keys is None else (keys.id, keys.severity, keys.summary, keys.location, keys.line, keys.fix_hint)
    ruled = (key for part in form.parts if part.schema is not None for key in part.schema.compared)
    return frozenset(found | {key for key in told if key} | {*ruled})
