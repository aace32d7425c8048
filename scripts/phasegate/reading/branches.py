"""Schemas with alternatives: an error of ``anyOf`` or ``oneOf`` comes in, what a person can act on goes out.

That is the breaches of the branch that was meant, or one breach that names all the choices.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from phasegate.reading.breach import breach_of
from phasegate.reading.excerpt import literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jsonschema.exceptions import ValidationError

    from phasegate.reading.breach import Breach
    from phasegate.reading.document import Json

_VALUES = {"type", "const", "enum"}

# How surely an error says that its branch was not the one meant: a value of another kind, another value of the key
# that tells the branches apart. The rest are mistakes within a branch.
_ANOTHER_KIND, _ANOTHER_CONSTANT, _ANOTHER_CHOICE, _MISTAKE = 3, 2, 1, 0


def breaches_of(error: ValidationError) -> Iterator[Breach]:
    """The breaches to report for one error."""
    if error.validator not in ("anyOf", "oneOf") or not error.context:
        yield breach_of(error)
        return
    branches = _branches(error)
    least = min(_distance(branch) for branch in branches)
    meant = [branch for branch in branches if _distance(branch) == least]
    joined = _joined(meant)
    if joined is not None:
        yield joined
        return
    for inner in min(meant, key=len):
        yield from breaches_of(inner)


def _branches(error: ValidationError) -> list[list[ValidationError]]:
    branches: dict[str | int, list[ValidationError]] = {}
    for inner in error.context:
        branches.setdefault(inner.relative_schema_path[0], []).append(inner)
    return list(branches.values())


def _distance(branch: list[ValidationError]) -> int:
    return max(_weight(error) for error in branch)


def _weight(error: ValidationError) -> int:
    depth = len(error.relative_path)
    if depth == 0 and error.validator in _VALUES:
        return _ANOTHER_KIND
    if error.validator == "const" and depth == 1:
        return _ANOTHER_CONSTANT
    return _ANOTHER_CHOICE if error.validator == "enum" and depth == 1 else _MISTAKE


def _joined(branches: list[list[ValidationError]]) -> Breach | None:
    """One breach in place of several branches that all miss the same thing: a type, a value, or a key."""
    culprits = [breach_of(max(branch, key=_weight)) for branch in branches]
    keywords = {culprit.keyword for culprit in culprits}
    same_place = len({culprit.path for culprit in culprits}) == 1
    plain = _distance(branches[0]) > _MISTAKE or all(len(branch) == 1 for branch in branches)
    if len(branches) == 1 or not same_place or not plain:
        return None
    if keywords in ({"required"}, {"type"}) or keywords <= {"const", "enum"}:
        keyword = "enum" if keywords <= {"const", "enum"} else culprits[0].keyword
        return replace(culprits[0], keyword=keyword, wanted=tuple(_flat(culprits)))
    return replace(culprits[0], keyword="type", wanted=tuple(_named(culprits))) if keywords <= _VALUES else None


def _flat(culprits: list[Breach]) -> Iterator[Json]:
    for culprit in culprits:
        wanted = culprit.wanted[0]
        yield from wanted if isinstance(wanted, list) and culprit.keyword != "const" else [wanted]


def _named(culprits: list[Breach]) -> Iterator[Json]:
    """Names of types, and beside them values as they are written."""
    for culprit in culprits:
        for value in _flat([culprit]):
            yield value if culprit.keyword == "type" else literal(value)
