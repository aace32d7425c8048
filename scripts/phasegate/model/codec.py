"""Frozen dataclasses to plain JSON data and back, using only their annotations."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")
Make = Callable[[Any], Any]
PLAIN = {str, int, bool, type(None)}
LONG = 16_384  # characters; a longer text is replaced by its digest


def to_data(value: object) -> Any:  # noqa: ANN401  (JSON data has no narrower type)
    """The value as JSON data, with every member."""
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value):
        return {item.name: to_data(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, (tuple, list)):
        return [to_data(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): to_data(item) for key, item in value.items()}
    return value


def from_data(kind: type[T], data: Mapping[str, Any]) -> T:
    """A dataclass from data that its JSON Schema has already accepted."""
    maker: Make = _make_of(cast("Any", kind))
    return cast("T", maker(data))


@cache
def _make_of(kind: Any) -> Make:  # noqa: ANN401  (driven by annotations)
    hints = get_type_hints(kind)
    inner = tuple((name, maker) for name, annotation in hints.items() if (maker := _maker(annotation)) is not None)

    def make(data: Mapping[str, Any]) -> object:
        made = dict(data)
        for name, maker in inner:
            if (value := made.get(name)) is not None:
                made[name] = maker(value)
        try:
            return kind(**made)
        except TypeError:  # a member that is none of ours, or one that is missing
            return kind(**{name: value for name, value in made.items() if name in hints})

    return make


def _maker(annotation: Any) -> Make | None:  # noqa: ANN401  (driven by annotations)
    """A maker of a value from plain data, or None if plain data is the value."""
    origin = get_origin(annotation)
    if origin in (Union, UnionType):
        return _maker(next(item for item in get_args(annotation) if item is not type(None)))
    if origin is tuple:
        make = _maker(get_args(annotation)[0])
        return tuple if make is None else lambda data: tuple([None if item is None else make(item) for item in data])
    if is_dataclass(annotation):
        return _make_of(cast("Any", annotation))
    return annotation if isinstance(annotation, type) and issubclass(annotation, Enum) else None


@cache
def _members(kind: Any) -> tuple[tuple[str, Any], ...]:  # noqa: ANN401  (any frozen class)
    """The names of a class's members with their defaults."""
    return tuple((item.name, item.default) for item in fields(kind))


def _told(value: object) -> dict[str, Any]:
    """The members of a frozen value that differ from their defaults."""
    kind: Any = type(value)
    held = ((name, getattr(value, name), default) for name, default in _members(kind))
    return {name: item for name, item, default in held if item is not default and item != default}


def compact(value: object) -> Any:  # noqa: ANN401  (JSON data has no narrower type)
    """As `to_data`, without members that equal their defaults."""
    if type(value) in PLAIN:
        return value
    if type(value) is tuple:
        return [compact(item) for item in value]
    return {name: compact(item) for name, item in _told(value).items()} if is_dataclass(value) else to_data(value)


def text_digest(text: str) -> str:
    """The digest of a text."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def value_digest(value: object) -> str:
    """The digest of a frozen value, independent of spacing and order in its JSON.

    A long text is replaced by an object with its own digest. That is quicker than encoding it as JSON again.
    """
    text = json.dumps(value, default=_in_short, sort_keys=True, separators=(",", ":"), check_circular=False)
    return text_digest(text)


def _in_short(value: object) -> dict[str, Any]:
    """The members of a frozen value, with digests in place of long texts."""
    told = _told(value)
    for name, item in told.items():
        if type(item) is str and len(item) > LONG:
            told[name] = {"digest": text_digest(item)}
    return told


NO_CONTENT = text_digest("[]")  # the content of a commit that does not change the product
