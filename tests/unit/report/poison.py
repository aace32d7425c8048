"""A value with the same foreign text in each of its strings."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any

from phasegate.model.report import Report


def poisoned(given: Report, text: str, *, spare: tuple[str, ...] = ()) -> Report:
    """The report with the text in every string of every part, but for the spared fields of the report itself."""
    changes = {
        item.name: _poisoned(getattr(given, item.name), text) for item in fields(given) if item.name not in spare
    }
    return replace(given, **changes)


def _poisoned(value: Any, text: str) -> Any:  # noqa: ANN401  (any field of any part)
    if isinstance(value, Enum):
        return value
    if isinstance(value, str):
        return text
    if isinstance(value, dict):
        return {key: _poisoned(item, text) for key, item in value.items()}
    if isinstance(value, tuple):
        return tuple(_poisoned(item, text) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{item.name: _poisoned(getattr(value, item.name), text) for item in fields(value)})
    return value
