"""Frozen dataclasses to plain JSON data and back, driven by their annotations alone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import partial
from json.encoder import encode_basestring_ascii
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
    return cast("T", _make_of(kind)(data))


def _make_of(kind: type[Any]) -> Make:
    """What makes instances of a class; small values that stand in many places, such as accounts, are made once."""
    if kind in _makers:
        return _makers[kind]
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

    if len(hints) <= FEW and all(annotation in _SIMPLE for annotation in hints.values()):
        _small.add(kind)
        _makers[kind] = partial(_shared, make, {})
    else:
        _makers[kind] = make
    return _makers[kind]


def _shared(make: Make, known: dict[object, Any], data: Mapping[str, Any]) -> object:
    key: tuple[object, ...] = (*data, *data.values())
    try:
        found = known.get(key)
    except TypeError:  # a member that is none of ours
        found, key = None, ()
    if found is None:
        found = make(data)
        if key and len(known) < MOST_SHARED:
            known[key] = found
    return found


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
Make = Callable[[Any], Any]
FEW, MOST_SHARED = 4, 4096
_SIMPLE = (str, int, str | None, int | None)
_small: set[type[Any]] = set()
_makers: dict[type[Any], Make] = {}


def _maker(annotation: Any) -> Make | None:  # noqa: ANN401  (driven by annotations)
    """What makes a value of plain data; none where it is that already."""
    origin = get_origin(annotation)
    if origin in (Union, UnionType):
        return _maker(next(item for item in get_args(annotation) if item is not type(None)))
    if origin is tuple:
        return partial(_tuple, _maker(get_args(annotation)[0]))
    if is_dataclass(annotation):
        return _make_of(cast("type[Any]", annotation))
    return annotation if isinstance(annotation, type) and issubclass(annotation, Enum) else None


def _tuple(make: Make | None, data: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(data if make is None else [None if item is None else make(item) for item in data])


LONG = 16_384


def text_digest(text: str) -> str:
    """The digest of a text."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def value_digest(value: object) -> str:
    """The digest of a frozen value, whatever the spacing and order of the JSON it was read from.

    A long text stands in it as an object with its own digest, which is quicker than writing it as JSON once more.
    """
    return text_digest(_canonical(value, {}))


def _canonical(value: object, known: dict[object, str]) -> str:
    """The value as JSON of one spelling, without the members that hold their default.

    What is ``known`` is not written again: small values by their identity, long texts.
    """
    kind = type(value)
    if kind is str:
        text = cast("str", value)
        if len(text) <= LONG:
            return encode_basestring_ascii(text)
        if text not in known:
            known[text] = f'{{"digest":"{text_digest(text)}"}}'
        return known[text]
    if kind is int:
        return str(value)
    if kind is tuple:
        return f"[{','.join([_canonical(item, known) for item in cast('tuple[object, ...]', value)])}]"
    if kind not in _sorted_members and (not is_dataclass(kind) or issubclass(kind, Enum)):
        return json.dumps(_with_short_texts(to_data(value)), sort_keys=True, separators=(",", ":"))
    if kind not in _small:
        return _object(value, known)
    if id(value) not in known:
        known[id(value)] = _object(value, known)
    return known[id(value)]


def _object(value: object, known: dict[object, str]) -> str:
    kind: type[Any] = type(value)
    if kind not in _sorted_members:
        members = sorted((item.name, item.default) for item in fields(kind))
        _sorted_members[kind] = [(name, f'"{name}":', default) for name, default in members]
    written: list[str] = []
    for name, key, default in _sorted_members[kind]:
        item = getattr(value, name)
        if item is default or (default is not MISSING and default is not None and item == default):
            continue
        if type(item) is str and len(item) <= LONG:
            written.append(key + encode_basestring_ascii(item))
        else:
            written.append(key + _canonical(item, known))
    return f"{{{','.join(written)}}}"


_sorted_members: dict[type[Any], list[tuple[str, str, Any]]] = {}


def _with_short_texts(data: object) -> object:
    if isinstance(data, str):
        return {"digest": text_digest(data)} if len(data) > LONG else data
    if isinstance(data, dict):
        return {key: _with_short_texts(value) for key, value in data.items()}
    return [_with_short_texts(value) for value in data] if isinstance(data, list) else data


NO_CONTENT = text_digest("[]")  # of a commit that changes nothing of the product
