"""JSON Schema as this project reads it. In: a document. Out: worded faults in document order.

Draft 2020-12 with stricter types and patterns, and one error for each culprit. Imported only on demand, because
``jsonschema`` is slow to import.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple, TypeAlias, cast

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from phasegate.model.frozen import replace
from phasegate.model.problem import Fault, Fix, Position, near
from phasegate.reading.document import Document, Json, JsonPath, excerpt, excerpt_of, json_path, literal, visible
from phasegate.reading.keys import folded

Errors: TypeAlias = Iterator[ValidationError]
Schema: TypeAlias = Mapping[str, Any]


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


def _pattern(_: Draft202012Validator, pattern: str, instance: Json, __: Schema) -> Errors:
    if isinstance(instance, str) and not _compiled(pattern).fullmatch(instance):
        yield ValidationError("pattern")


def _properties(validator: Draft202012Validator, members: Mapping[str, Json], instance: Json, _: Schema) -> Errors:
    """As in jsonschema, but a forbidden member is an error with its path."""
    if isinstance(instance, dict):
        for key, schema in members.items():
            if key in instance and schema is False:
                yield ValidationError("properties", path=(key,), instance=instance[key])
            elif key in instance and isinstance(schema, dict) and not _is_plain_text(instance[key], schema):
                yield from validator.descend(instance[key], schema, path=key, schema_path=key)


def _is_plain_text(value: Json, schema: Schema) -> bool:
    """True if a text fits a schema with only keywords for texts.

    Most checks are of this kind, and jsonschema builds a validator for each. Everything else is left to jsonschema.
    """
    if not isinstance(value, str):
        return False
    return all(keyword in _OF_TEXTS and _OF_TEXTS[keyword](value, told) for keyword, told in schema.items())


_OF_TEXTS: dict[str, Callable[[str, Any], bool]] = {
    "description": lambda _value, _told: True,
    "type": lambda _value, told: bool(told == "string"),
    "enum": lambda value, told: value in told,
    "minLength": lambda value, told: len(value) >= told,
    "maxLength": lambda value, told: len(value) <= told,
    "pattern": lambda value, told: _compiled(told).fullmatch(value) is not None,
}


def _pattern_properties(
    validator: Draft202012Validator, patterns: Mapping[str, Schema], instance: Json, _: Schema
) -> Errors:
    if isinstance(instance, dict):
        for pattern, schema in patterns.items():
            for key in instance:
                if _compiled(pattern).fullmatch(key):
                    yield from validator.descend(instance[key], schema, path=key, schema_path=pattern)


def _additional_properties(validator: Draft202012Validator, allowed: Json, instance: Json, schema: Schema) -> Errors:
    if not isinstance(instance, dict) or allowed is True:
        return
    named, patterns = schema.get("properties") or {}, [*map(_compiled, schema.get("patternProperties") or {})]
    for key, value in instance.items():
        if key in named or any(pattern.fullmatch(key) for pattern in patterns):
            continue
        if allowed is False:
            yield ValidationError("additionalProperties", path=(key,), instance=key)
        elif isinstance(allowed, dict):
            yield from validator.descend(value, allowed, path=key)


def _property_names(validator: Draft202012Validator, names: Schema, instance: Json, _: Schema) -> Errors:
    if isinstance(instance, dict):
        for key in instance:
            yield from validator.descend(key, names, path=key)


def _required(_: Draft202012Validator, names: list[str], instance: Json, __: Schema) -> Errors:
    if isinstance(instance, dict):
        for name in names:
            if name not in instance:
                yield ValidationError("required", validator_value=name)


def _dependent_required(
    _: Draft202012Validator, dependents: Mapping[str, list[str]], instance: Json, __: Schema
) -> Errors:
    if isinstance(instance, dict):
        for key, names in dependents.items():
            for name in names:
                if key in instance and name not in instance:
                    yield ValidationError(key, validator_value=name)


def _unique_items(_: Draft202012Validator, unique: Json, instance: Json, __: Schema) -> Errors:
    """One pass over the items as canonical JSON, because jsonschema compares each pair."""
    if not unique or not isinstance(instance, list):
        return
    seen: dict[str, int] = {}
    for index, item in enumerate(instance):
        earlier = seen.setdefault(json.dumps(item, sort_keys=True), index)
        if earlier != index:
            yield ValidationError("uniqueItems", path=(index,), validator_value=earlier, instance=item)


_KEYWORDS: dict[str, Callable[..., Errors]] = {
    "pattern": _pattern,
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "propertyNames": _property_names,
    "required": _required,
    "dependentRequired": _dependent_required,
    "uniqueItems": _unique_items,
}

StrictValidator: type[Draft202012Validator] = extend(  # type: ignore[no-untyped-call] # the stubs leave it without types
    Draft202012Validator,
    validators=_KEYWORDS,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int),
)


# From here on: words for jsonschema's errors.
_ABOUT_KEYS = ("additionalProperties", "properties")


class Breach:
    """A keyword that a value violates: one jsonschema error, or one shared by several branches."""

    def __init__(self, error: ValidationError, keyword: str = "", wanted: Sequence[Json] = ()) -> None:
        """``keyword`` and ``wanted`` default to those of the error."""
        schema = error.schema if isinstance(error.schema, dict) else {}
        known = schema.get("properties")
        self.path: JsonPath = tuple(error.absolute_path)
        self.keyword = keyword or str(error.validator)
        self.wanted = tuple(wanted) or (cast("Json", error.validator_value),)
        self.instance = cast("Json", error.instance)
        self.known: dict[str, Json] = known if isinstance(known, dict) else {}  # the members that the schema names
        self.about_key = self.keyword in _ABOUT_KEYS or "propertyNames" in list(error.absolute_schema_path)[-2:]
        self.detail = error.message  # what the keyword's own check adds
        self.described = str(schema.get("description", ""))
        self.place = json_path(self.path)[1:].removeprefix(".") or "the document"
        self.around = json_path(self.path[:-1])[1:].removeprefix(".") or "the document"

    @property
    def choices(self) -> list[Json]:
        """The single values, if a keyword takes a list of them."""
        return [value for each in self.wanted for value in _values(self.keyword, each)]

    @property
    def expected(self) -> str:
        """What the keyword expects."""
        return _expected(self.keyword, self.choices)


_VALUES = {"type", "const", "enum"}
# How surely an error says that its branch was not the one meant: a value of another kind, another value of the key
# that tells the branches apart. The rest are mistakes within a branch.
_ANOTHER_KIND, _ANOTHER_CONSTANT, _ANOTHER_CHOICE, _MISTAKE = 3, 2, 1, 0


def _breaches_of(error: ValidationError) -> Iterator[Breach]:
    """The breaches to report for one error; of alternatives, those of the branch that was meant."""
    if error.validator not in ("anyOf", "oneOf") or not error.context:
        yield Breach(error)
        return
    branches: dict[str | int, list[ValidationError]] = {}
    for inner in error.context:
        branches.setdefault(inner.relative_schema_path[0], []).append(inner)
    least = min(max(map(_weight, branch)) for branch in branches.values())
    meant = [branch for branch in branches.values() if max(map(_weight, branch)) == least]
    joined = _joined(meant, least) if len(meant) > 1 else None
    if joined is not None:
        yield joined
        return
    for inner in min(meant, key=len):
        yield from _breaches_of(inner)


def _weight(error: ValidationError) -> int:
    depth = len(error.relative_path)
    if depth == 0 and error.validator in _VALUES:
        return _ANOTHER_KIND
    if error.validator == "const" and depth == 1:
        return _ANOTHER_CONSTANT
    return _ANOTHER_CHOICE if error.validator == "enum" and depth == 1 else _MISTAKE


def _joined(branches: list[list[ValidationError]], weight: int) -> Breach | None:
    """One breach in place of several branches that all miss the same type, value or key."""
    culprits = [max(branch, key=_weight) for branch in branches]
    keywords = {str(culprit.validator) for culprit in culprits}
    same_place = len({tuple(culprit.absolute_path) for culprit in culprits}) == 1
    plain = weight > _MISTAKE or all(len(branch) == 1 for branch in branches)
    if not same_place or not plain or not (keywords == {"required"} or keywords <= _VALUES):
        return None
    told = [(each.keyword, each.choices) for each in map(Breach, culprits)]
    if keywords <= {"const", "enum"} or len(keywords) == 1:
        keyword = "enum" if keywords <= {"const", "enum"} else keywords.pop()
        return Breach(culprits[0], keyword, [value for _, values in told for value in values])
    # names of types, and beside them values as they are written
    named = [value if keyword == "type" else literal(value) for keyword, values in told for value in values]
    return Breach(culprits[0], "type", named)


_MOST_CHOICES = 12
_LONGEST_KEY = 60
_TYPES = {
    "array": "an array",
    "boolean": "true or false",
    "integer": "a whole number",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}
_BOUNDS = {
    **dict.fromkeys(("minLength", "minItems", "minProperties", "minimum"), "at least {}"),
    **dict.fromkeys(("maxLength", "maxItems", "maxProperties", "maximum"), "at most {}"),
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "pattern": "the form {}",
    "contains": "one of the required form among them",
    "minContains": "at least {} of the required form",
    "maxContains": "at most {} of that form",
}


class Words(NamedTuple):
    """The texts of a fault."""

    code: str
    message: str
    hint: str = ""
    fix: Fix | None = None


def _missing(breach: Breach) -> Words:
    keys = _either([literal(name) for name in breach.wanted])
    because = f", which {excerpt(breach.detail)} needs" if breach.keyword == "dependentRequired" else ""
    there = breach.instance if isinstance(breach.instance, dict) else {}
    meant = next((key for key in there for name in breach.wanted if folded(key) == folded(str(name))), None)
    message = f"{breach.place} has no {keys}{because}"
    if meant is not None:
        return Words("PG020", f"{message}, but {excerpt(meant)}", f"write {keys} in place of {excerpt(meant)}")
    schema = breach.known.get(str(breach.wanted[0])) if len(breach.wanted) == 1 else None
    told = schema if isinstance(schema, dict) else {}
    keyword = next((keyword for keyword in ("const", "enum", "type") if keyword in told), None)
    expected = f": {_expected(keyword, _values(keyword, told[keyword]))}" if keyword else ""
    return Words("PG020", message, f"add {keys} to {breach.place}{expected}")


def _outside(breach: Breach) -> Words:
    wanted, instance = breach.choices, breach.instance
    message = f"{breach.place} is {_shown(instance)}; expected {breach.expected}"
    if breach.keyword == "type":
        return Words("PG021", message, f"write {breach.expected}")
    choices = [word.strip() for word in instance.split("|")] if isinstance(instance, str) else []
    if len([word for word in choices if word in wanted]) > 1:  # the list of them, as a template shows it
        return Words("PG022", message, "choose one of them")
    meant = _near(instance, wanted)
    if not meant:
        return Words("PG022", message, breach.described if breach.keyword == "const" else "")
    same = folded(str(instance)) == folded(meant)
    return Words("PG022", message, f"write {excerpt(meant)}", Fix(old=str(instance), new=meant) if same else None)


def _unknown(breach: Breach) -> Words:
    key, known = str(breach.path[-1]), list(breach.known)
    message = f"{breach.around} has the unknown key {excerpt(key)}"
    meant = _near(key, known)
    if not meant:
        return Words("PG023", message, f"remove it; known are {_listed(known)}" if known else "")
    return Words(
        "PG023", f"{message}; did you mean {excerpt(meant)}?", f"write {excerpt(meant)}", Fix(old=key, new=meant)
    )


def _repeated(breach: Breach) -> Words:
    repeated = f"{breach.place} repeats {breach.around}[{breach.wanted[0]}], which is {_shown(breach.instance)} too"
    return Words("PG024", f"{repeated}; expected each item once", f"remove {breach.place}")


def _out_of_bounds(breach: Breach) -> Words:
    instance = breach.instance
    measured = f"is {_shown(instance)}"
    if isinstance(instance, (list, dict)) or (isinstance(instance, str) and breach.keyword.endswith("Length")):
        noun = "item" if isinstance(instance, list) else "key" if isinstance(instance, dict) else "character"
        measured = f"has {len(instance) or 'no'} {noun if len(instance) == 1 else f'{noun}s'}"
    hint = breach.described if breach.keyword == "pattern" else ""
    return Words("PG024", f"{breach.place} {measured}; expected {breach.expected}", hint)


def _forbidden(breach: Breach) -> Words:
    """A forbidden key, also by ``not: {required: [key]}``; for any other ``not`` the value."""
    schema = breach.wanted[0]
    place, names = breach.place, schema.get("required") if isinstance(schema, dict) else None
    if breach.keyword == "properties":
        place, names = breach.around, [breach.path[-1]]
    if not isinstance(names, list) or len(names) != 1:
        return Words("PG024", f"{place} is {_shown(breach.instance)}, which is not allowed here")
    key = literal(names[0])
    return Words("PG024", f"{place} has the key {key}, which is not allowed here", f"remove {key}")


def _ambiguous(breach: Breach) -> Words:
    return Words("PG024", f"{breach.place} fits more than one of the forms it may have; expected exactly one")


# All others are like ``not``.
_WRITERS: dict[str, Callable[[Breach], Words]] = {
    "required": _missing,
    "dependentRequired": _missing,
    "type": _outside,
    "const": _outside,
    "enum": _outside,
    "additionalProperties": _unknown,
    "uniqueItems": _repeated,
    "oneOf": _ambiguous,
    **dict.fromkeys(_BOUNDS, _out_of_bounds),
}


def _values(keyword: str, told: Json) -> list[Json]:
    return told if isinstance(told, list) and keyword != "const" else [told]


def _expected(keyword: str, choices: Sequence[Json]) -> str:
    if keyword in _BOUNDS:
        return _BOUNDS[keyword].format(visible(str(choices[0])))
    if keyword == "type":
        return _either([_TYPES.get(str(name), str(name)) for name in choices])
    return _either([literal(value) for value in choices]) if keyword in ("const", "enum") else "another one"


def _near(word: Json, known: Sequence[Json]) -> str:
    if not isinstance(word, str) or len(word) > _LONGEST_KEY:
        return ""
    names = [name for name in known if isinstance(name, str)]
    same = [name for name in names if name.casefold() == word.casefold()] or near(word, names)
    return same[0] if same else ""


def _shown(value: Json) -> str:
    return f"the string {excerpt(value)}" if isinstance(value, str) else excerpt_of(value)


def _listed(names: list[str]) -> str:
    return ", ".join(names[:_MOST_CHOICES]) + (", …" if len(names) > _MOST_CHOICES else "")


def _either(phrases: list[str]) -> str:
    unique = list(dict.fromkeys(phrases))
    if len(unique) > _MOST_CHOICES:
        return _listed(unique)
    return " or ".join(part for part in (", ".join(unique[:-1]), *unique[-1:]) if part)


_KEPT = 100


def faults_of(validator: Draft202012Validator, document: Document, most_errors: int) -> tuple[Fault, ...]:
    """A document's violations in its order: one fault per mistake, at most 100."""
    errors = islice(validator.iter_errors(document.value), most_errors)
    found = [breach for error in errors for breach in _breaches_of(error)]
    mistyped = {breach.path for breach in found if breach.keyword == "type"}
    relevant = [breach for breach in found if breach.keyword == "type" or breach.path not in mistyped]
    placed = [
        (document.key_position(each.path) if each.about_key else document.position(each.path), each)
        for each in relevant
    ]
    placed.sort(key=lambda each: each[0])
    faults = tuple(dict.fromkeys(_fault(position, breach) for position, breach in placed[:_KEPT]))
    if len(placed) <= _KEPT:
        return faults
    last = replace(faults[-1], message=f"{faults[-1].message} (and {len(placed) - _KEPT} more faults behind it)")
    return (*faults[:-1], last)


def _fault(position: Position, breach: Breach) -> Fault:
    words = _WRITERS.get(breach.keyword, _forbidden)(breach)
    if breach.about_key and breach.keyword not in _ABOUT_KEYS:
        words = Words("PG024", f"{breach.around} has the key {literal(breach.path[-1])}; expected {breach.expected}")
    return Fault(position=position, json_path=json_path(breach.path), **words._asdict())
