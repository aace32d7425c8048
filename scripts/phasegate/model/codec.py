"""Frozen dataclasses to plain JSON data and back, driven by their annotations alone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from types import UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")


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
    made = {name: _value(annotation, data[name]) for name, annotation in _annotations(kind).items() if name in data}
    return kind(**made)


def compact(value: object) -> Any:  # noqa: ANN401  (JSON data has no narrower type)
    """As `to_data`, without the members that hold their default."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is tuple:
        return [compact(item) for item in cast("tuple[object, ...]", value)]
    if kind not in _members:
        if not is_dataclass(kind) or issubclass(kind, Enum):
            return to_data(value)
        _members[kind] = [(item.name, item.default) for item in fields(kind)]
    held = ((name, getattr(value, name), default) for name, default in _members[kind])
    return {name: compact(item) for name, item, default in held if default is MISSING or item != default}


_PLAIN = {str, int, bool, type(None)}
_members: dict[type[Any], list[tuple[str, Any]]] = {}
_known: dict[type[Any], dict[str, Any]] = {}


def _annotations(kind: type[Any]) -> dict[str, Any]:
    if kind not in _known:
        _known[kind] = get_type_hints(kind)
    return _known[kind]


def _value(annotation: Any, data: Any) -> Any:  # noqa: ANN401  (driven by annotations)
    if data is None:
        return None
    origin = get_origin(annotation)
    if origin in (Union, UnionType):
        inner = next(item for item in get_args(annotation) if item is not type(None))
        return _value(inner, data)
    if origin is tuple:
        inner = get_args(annotation)[0]
        return tuple(_value(inner, item) for item in data)
    if is_dataclass(annotation):
        return from_data(annotation, data)  # type: ignore[arg-type]
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return annotation(data)
    return data


LONG = 16_384


def text_digest(text: str) -> str:
    """The digest of a text."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def value_digest(value: object) -> str:
    """The digest of a frozen value, whatever the spacing and order of the JSON it was read from.

    A long text stands in it as an object with its own digest, which is quicker than writing it as JSON once more.
    """
    data = _with_short_texts(compact(value))
    return text_digest(json.dumps(data, sort_keys=True, ensure_ascii=True, separators=(",", ":")))


def _with_short_texts(data: object) -> object:
    if isinstance(data, str):
        return {"digest": text_digest(data)} if len(data) > LONG else data
    if isinstance(data, dict):
        return {key: _with_short_texts(value) for key, value in data.items()}
    return [_with_short_texts(value) for value in data] if isinstance(data, list) else data


NO_CONTENT = text_digest("[]")  # of a commit that changes nothing of the product
