"""JSON Schemas from a policy, checked so that no document can make them fetch, loop or explode.

In: a schema as plain data (``read_schema``). Out: an ``OwnSchema``, or each refused place in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, cast

from phasegate.model.frozen import dataclass
from phasegate.model.problem import Fault
from phasegate.reading.document import Document, Json, JsonPath, excerpt
from phasegate.reading.keys import Known, holds_more
from phasegate.reading.patterns import Refusal, read_pattern

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

MOST_PARTS = 2_000  # with every reference followed
MOST_NESTED = 24
MOST_REFUSED = 20
_ERRORS_READ = 200
_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_DEFINITIONS = "#/$defs/"
_TOO_MUCH = f"with its references followed it has more than {MOST_PARTS} parts, or no end"

TYPES = frozenset({"object", "array", "string", "integer", "number", "boolean", "null"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Refused:
    """A refused place in a schema, and why."""

    path: JsonPath
    reason: str


class OwnSchema:
    """A schema that is safe to use."""

    def __init__(self, contents: Mapping[str, Json], size: int) -> None:
        self.contents = contents
        self.size = size  # how many parts it has, with every reference followed

    def faults(self, document: Document) -> tuple[Fault, ...]:
        """The document's violations, in its order."""
        from phasegate.reading.schema.validator import faults_of  # noqa: PLC0415 - imports jsonschema

        return faults_of(self._validator, document, _ERRORS_READ)

    @cached_property
    def open(self) -> OwnSchema:
        """The same schema with unknown keys allowed; ``unknown`` lists them."""
        return OwnSchema(cast("dict[str, Json]", _opened(dict(self.contents))), self.size)

    def unknown(self, value: Json) -> Iterator[tuple[JsonPath, Known]]:
        """The path of every unknown key in a document, with the known ones."""
        return _unknown([dict(self.contents)], value, ())

    @property
    def compared(self) -> frozenset[str]:
        """The keys of a whole document that it describes, or on which one of its rules turns."""
        return _named(self.contents) | self.ruled

    @cached_property
    def ruled(self) -> frozenset[str]:
        """The keys of a whole document on which one of its rules turns (``if``)."""
        told = self.contents.get("allOf")
        rules = [self.contents, *(told if isinstance(told, list) else ())]
        return frozenset().union(*(_named(rule.get("if")) for rule in rules if isinstance(rule, dict)))

    @cached_property
    def _validator(self) -> Draft202012Validator:
        from referencing import Registry  # noqa: PLC0415 - slow to start, needed only here

        from phasegate.reading.schema.validator import StrictValidator  # noqa: PLC0415 - imports jsonschema

        plain = {key: value for key, value in self.contents.items() if key != "$schema"}
        return StrictValidator(plain, registry=Registry())


def _named(schema: object) -> frozenset[str]:
    named = schema.get("properties") if isinstance(schema, dict) else None
    return frozenset(named if isinstance(named, dict) else ())


def _opened(schema: Json) -> Json:
    if isinstance(schema, list):
        return [_opened(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    closed = ("additionalProperties", False)
    return {key: _opened(value) for key, value in schema.items() if (key, value) != closed}


def _branches(schema: Json) -> Iterator[dict[str, Json]]:
    if isinstance(schema, dict):
        yield schema
        told = schema.get("anyOf")
        yield from (inner for each in (told if isinstance(told, list) else ()) for inner in _branches(each))


def _unknown(schemas: list[Json], value: Json, way: JsonPath) -> Iterator[tuple[JsonPath, Known]]:
    parts = [each for schema in schemas for each in _branches(schema)]
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _unknown([part["items"] for part in parts if "items" in part], item, (*way, index))
    if not isinstance(value, dict):
        return
    named: dict[str, list[Json]] = {}
    for part in parts:
        told = part.get("properties")
        for key, inner in told.items() if isinstance(told, dict) else ():
            named.setdefault(key, []).append(inner)
    for key, inner in value.items():
        if key in named:
            yield from _unknown(named[key], inner, (*way, key))
        elif named and not any("additionalProperties" in part for part in parts):  # a schema for all others
            known = {name: holds_more(chain(*map(_branches, each))) for name, each in named.items()}
            yield (*way, key), known


def read_schema(contents: Json) -> OwnSchema | tuple[Refused, ...]:
    """The schema of some data, or its refused places."""
    if not isinstance(contents, dict):
        return (Refused(path=(), reason="a schema is an object"),)
    told = contents.get("$defs")
    definitions = told if isinstance(told, dict) else {}
    found = tuple(islice(_faults(contents, (), definitions), MOST_REFUSED))
    if found:
        return found
    size = _Size(definitions)
    for name in definitions:
        if size.of_definition(name, ()) > MOST_PARTS:
            return (Refused(path=("$defs", name), reason=_TOO_MUCH),)
    whole = size.of({key: value for key, value in contents.items() if key != "$defs"}, ())
    return OwnSchema(contents, whole) if whole <= MOST_PARTS else (Refused(path=(), reason=_TOO_MUCH),)


def _faults(schema: Json, path: JsonPath, definitions: Mapping[str, Json]) -> Iterator[Refused]:
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict) or len(path) > MOST_NESTED:
        reason = f"it nests more than {MOST_NESTED} deep" if isinstance(schema, dict) else "a schema is an object"
        yield Refused(path=path, reason=reason)
        return
    for key, value in schema.items():
        reason = _reason(key, value, path, definitions)
        if reason:
            yield Refused(path=(*path, key), reason=reason)
        elif key in _SCHEMA:
            yield from _faults(value, (*path, key), definitions)
        elif key in _SCHEMAS or key in _MAPS:
            inside = enumerate(value) if isinstance(value, list) else cast("dict[str, Json]", value).items()
            for step, inner in inside:
                wrong = _pattern_reason(step) if key == "patternProperties" else ""
                if wrong:
                    yield Refused(path=(*path, key, step), reason=wrong)
                yield from _faults(inner, (*path, key, step), definitions)


def _reason(key: str, value: Json, path: JsonPath, definitions: Mapping[str, Json]) -> str:
    """Why a keyword is not allowed here or has a wrong value, or ""."""
    if key not in KEYWORDS:
        return f"the keyword {excerpt(key)} is not read here"
    if key == "$defs" and path:
        return "$defs stand at the top of a schema"
    if key == "pattern":
        return _pattern_reason(value)
    if key == "$ref":
        if not isinstance(value, str) or not value.startswith(_DEFINITIONS):
            return "a reference leads to $defs of the same schema (#/$defs/name) and nowhere else"
        name = value.removeprefix(_DEFINITIONS)
        return "" if name in definitions else f"there is no {excerpt(name)} in $defs"
    if key == "$schema":
        return "" if value == _DRAFT else f"only draft 2020-12 is read ({_DRAFT})"
    meant, fits = KEYWORDS[key]
    return "" if fits(value) else f"expected {meant}"


class _Size:
    """The number of a schema's parts with references followed: objects, and values of enumerations."""

    def __init__(self, definitions: Mapping[str, Json]) -> None:
        self.definitions = definitions
        self.known: dict[str, int] = {}

    def of(self, value: Json, around: tuple[str, ...]) -> int:
        """The number of a value's parts. ``around`` are the definitions that led to it."""
        if isinstance(value, list):
            return sum(self.of(inner, around) for inner in value)
        if not isinstance(value, dict):
            return 0
        reference, enumerated = value.get("$ref"), value.get("enum")
        own = self.of_definition(reference.removeprefix(_DEFINITIONS), around) if isinstance(reference, str) else 1
        listed = len(enumerated) if isinstance(enumerated, list) else 0
        return own + listed + sum(self.of(inner, around) for inner in value.values())

    def of_definition(self, name: str, around: tuple[str, ...]) -> int:
        """The number of a definition's parts; over the limit if it refers back to itself."""
        if name in around or len(around) > MOST_NESTED:
            return MOST_PARTS + 1
        if name not in self.known:
            self.known[name] = 1 + self.of(self.definitions.get(name), (*around, name))
        return self.known[name]


def _pattern_reason(value: object) -> str:
    if not isinstance(value, str):
        return "a pattern is a text"
    # the anchors of its two ends are of no effect: all of a value must match
    ended = value.endswith("$") and not value.endswith("\\$")
    read = read_pattern(value[value.startswith("^") : len(value) - ended])
    return f"the pattern is refused: {read.reason}" if isinstance(read, Refusal) else ""


def _are_strings(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_number(value: Json) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _are_types(value: Json) -> bool:
    named = value if isinstance(value, list) else [value]
    return bool(named) and all(isinstance(name, str) and name in TYPES for name in named)


# What holds one schema, a list of them and a map of them.
_SCHEMA = ("items", "contains", "additionalProperties", "propertyNames", "not", "if", "then", "else")
_SCHEMAS = ("allOf", "anyOf", "oneOf", "prefixItems")
_MAPS = ("properties", "patternProperties", "$defs")
_COUNTS = ("minProperties", "maxProperties", "minItems", "maxItems", "minLength", "maxLength")
_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_CHECKED = ("const", "default", "examples", "title", "description", "$comment", "pattern", "$ref", "$schema")
# Every keyword that is read, what its value is, and how to tell; of the first and the last that is told elsewhere.
KEYWORDS: dict[str, tuple[str, Callable[[Json], bool]]] = {
    **dict.fromkeys((*_SCHEMA, *_CHECKED), ("", lambda _: True)),
    **dict.fromkeys(_SCHEMAS, ("a list of schemas", lambda value: isinstance(value, list) and bool(value))),
    **dict.fromkeys(_MAPS, ("a map of schemas", lambda value: isinstance(value, dict))),
    **dict.fromkeys(_COUNTS, ("a number of 0 or more", lambda value: type(value) is int and value >= 0)),
    **dict.fromkeys(_NUMBERS, ("a number", _is_number)),
    "multipleOf": ("a number above 0", lambda value: _is_number(value) and cast("float", value) > 0),
    "type": (f"one or more of {', '.join(sorted(TYPES))}", _are_types),
    "required": ("a list of keys", _are_strings),
    "dependentRequired": (
        "a map from a key to a list of keys",
        lambda value: isinstance(value, dict) and all(map(_are_strings, value.values())),
    ),
    "enum": ("a list of values", lambda value: isinstance(value, list) and bool(value)),
    "uniqueItems": ("true or false", lambda value: isinstance(value, bool)),
}
