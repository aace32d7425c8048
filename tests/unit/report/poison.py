"""A value with the same foreign text in each of its strings."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any

from phasegate.model.report import Report


def poisoned(given: Report, text: str, *, spare: tuple[str, ...] = ()) -> Report:
    """The report with the text in every string of every part, but for the spared fields of the report itself."""
    changes = {item.name: poison(getattr(given, item.name), text) for item in fields(given) if item.name not in spare}
    return replace(given, **changes)


def poison(value: Any, text: str, spare: tuple[str, ...] = ()) -> Any:  # noqa: ANN401  (any field of any part)
    """Any value with the text in every string of every part, but for the fields of these names."""
    if isinstance(value, Enum):
        return value
    if isinstance(value, str):
        return text
    if isinstance(value, dict):
        return {key: poison(item, text, spare) for key, item in value.items()}
    if isinstance(value, tuple):
        return tuple(poison(item, text, spare) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(
            value,
            **{
                item.name: poison(getattr(value, item.name), text, spare)
                for item in fields(value)
                if item.name not in spare
            },
        )
    return value
