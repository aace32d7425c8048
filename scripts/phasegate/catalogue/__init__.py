"""The catalogue of problem codes: the one list that messages, ``explain`` and the docs are made from."""

from __future__ import annotations

from phasegate.catalogue.context import ENTRIES as CONTEXT
from phasegate.catalogue.entry import Entry
from phasegate.catalogue.evidence import ENTRIES as EVIDENCE
from phasegate.catalogue.jkz import ENTRIES as JKZ
from phasegate.catalogue.jkz_blocks import ENTRIES as JKZ_BLOCKS
from phasegate.catalogue.jkz_proposals import ENTRIES as JKZ_PROPOSALS
from phasegate.catalogue.phases import ENTRIES as PHASES
from phasegate.catalogue.pipeline import ENTRIES as PIPELINE
from phasegate.catalogue.policy import ENTRIES as POLICY
from phasegate.catalogue.reading import ENTRIES as READING
from phasegate.catalogue.trust import ENTRIES as TRUST
from phasegate.model.problem import Fault, Problem, Where

__all__ = ["Entry", "entries", "entry", "problem", "problem_of"]


_AREAS = (READING, JKZ, JKZ_BLOCKS, JKZ_PROPOSALS, TRUST, EVIDENCE, PHASES, POLICY, PIPELINE, CONTEXT)
_ENTRIES: dict[str, Entry] = {
    item.code: item for item in sorted((item for area in _AREAS for item in area), key=lambda item: item.code)
}


def entries() -> tuple[Entry, ...]:
    """Every entry, in the order of the codes."""
    return tuple(_ENTRIES.values())


def entry(code: str) -> Entry:
    """The entry of a code that exists."""
    return _ENTRIES[code]


def problem(code: str, message: str, where: Where, *, hint: str = "") -> Problem:
    """A problem with the severity, and unless told otherwise the hint, that the catalogue gives its code."""
    listed = entry(code)
    return Problem(code=code, severity=listed.severity, message=message, where=where, hint=hint or listed.fix)


def problem_of(fault: Fault, document: Where) -> Problem:
    """The problem that a reader's fault is, in the document it was found in."""
    return problem(fault.code, fault.message, document.at(fault.position, fault.json_path), hint=fault.hint)
