"""Schema errors as faults: jsonschema's errors come in, faults at their very place, in document order, go out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from phasegate.model.problem import Fault
from phasegate.reading.branches import breaches_of
from phasegate.reading.document import json_path
from phasegate.reading.schema_messages import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jsonschema.exceptions import ValidationError

    from phasegate.model.problem import Position
    from phasegate.reading.breach import Breach
    from phasegate.reading.document import Document

_KEPT = 100


def faults_of(errors: Iterable[ValidationError], document: Document) -> tuple[Fault, ...]:
    """One fault for each mistake, sorted by position; of very many, the first hundred."""
    found = [breach for error in errors for breach in breaches_of(error)]
    mistyped = {breach.path for breach in found if breach.keyword == "type"}
    relevant = [breach for breach in found if breach.keyword == "type" or breach.path not in mistyped]
    placed = sorted(((_position(breach, document), breach) for breach in relevant), key=_order)
    faults = tuple(dict.fromkeys(_fault(position, breach) for position, breach in placed[:_KEPT]))
    if len(placed) <= _KEPT:
        return faults
    last = replace(faults[-1], message=f"{faults[-1].message} (and {len(placed) - _KEPT} more faults behind it)")
    return (*faults[:-1], last)


def _fault(position: Position, breach: Breach) -> Fault:
    words = words_of(breach)
    way = json_path(breach.path)
    return Fault(code=words.code, message=words.message, position=position, hint=words.hint, json_path=way)


def _position(breach: Breach, document: Document) -> Position:
    return document.key_position(breach.path) if breach.about_key else document.position(breach.path)


def _order(placed: tuple[Position, Breach]) -> tuple[int, int]:
    return placed[0].line, placed[0].column
