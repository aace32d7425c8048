"""JSON Schema as this project reads it: draft 2020-12 with stricter types and patterns, and an error for each culprit.

Imported only when something is validated, since ``jsonschema`` is slow to import.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from phasegate.reading.document import Json

    Errors: TypeAlias = Iterator[ValidationError]
    Schema: TypeAlias = Mapping[str, Any]


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


def _pattern(_: Draft202012Validator, pattern: str, instance: Json, __: Schema) -> Errors:
    if isinstance(instance, str) and not _compiled(pattern).fullmatch(instance):
        yield ValidationError("pattern")


def _properties(validator: Draft202012Validator, members: Mapping[str, Json], instance: Json, _: Schema) -> Errors:
    """As jsonschema does, but a member that may not be there at all is an error with its path."""
    if isinstance(instance, dict):
        for key, schema in members.items():
            if key in instance and schema is False:
                yield ValidationError("properties", path=(key,), instance=instance[key])
            elif key in instance and isinstance(schema, dict) and not _is_plain_text(instance[key], schema):
                yield from validator.descend(instance[key], schema, path=key, schema_path=key)


def _is_plain_text(value: Json, schema: Schema) -> bool:
    """Whether a text fits a schema that says nothing but what texts it takes.

    That is most of what is checked, and jsonschema makes a validator of its own for each. Whatever else a schema says,
    and what is wrong with a text, is left to it.
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
    """In one pass over the items as canonical JSON; jsonschema itself compares each with each."""
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
