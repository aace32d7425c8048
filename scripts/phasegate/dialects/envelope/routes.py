"""Routing: a message comes in, and out comes what it asks for next, by the table in ``routes.yml``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

from phasegate.dialects.described.build import conditions
from phasegate.dialects.described.model import Condition
from phasegate.dialects.described.places import START, Piece
from phasegate.dialects.described.words import Values, all_hold
from phasegate.dialects.dialect import Text
from phasegate.dialects.envelope.reader import carried
from phasegate.model.frozen import dataclass
from phasegate.reading.document import Document
from phasegate.reading.yaml.reader import read_yaml

ROUTES = Path(__file__).parent / "routes.yml"


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """Who does what next, and which message goes to them or is expected of them."""

    to: str
    says: str
    answer: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Routed:
    """A message, and the steps that it asks for."""

    type: str
    signal: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Route:
    type: str
    when: tuple[Condition, ...]
    steps: tuple[Step, ...]


def routed(text: Text) -> Routed | None:
    """What a message that breaks no rule asks for; none if there is no message."""
    document = carried(text)
    value = None if document is None else document.value
    if document is None or not isinstance(value, dict):
        return None
    values = Values(pieces={"envelope": Piece(value=value, start=START, documents=(document,))})
    kind = str(value.get("type"))
    routes = (route for route in _table() if route.type == kind and all_hold(route.when, values).holds)
    found = next(routes, None)
    return None if found is None else Routed(type=kind, signal=str(value.get("signal")), steps=found.steps)


@cache
def _table() -> Sequence[_Route]:
    document = read_yaml(ROUTES.read_text(encoding="utf-8"))
    assert isinstance(document, Document), document  # noqa: S101  (our own file; a test reads it)
    told = cast("list[dict[str, Any]]", document.value)
    return tuple(
        _Route(
            type=item["type"],
            when=conditions(item["when"]),
            steps=tuple(Step(to=step["to"], says=step["says"], answer=step.get("answer")) for step in item["steps"]),
        )
        for item in told
    )
