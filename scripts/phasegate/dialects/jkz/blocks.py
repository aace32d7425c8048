"""The other blocks of jkz: compact plan, decision record, diagnosis and spec map, each read as far as it is public.

They decide nothing: what is wrong in one is a warning on the comment that carries it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from phasegate.catalogue import problem
from phasegate.model.problem import Fault, Problem, Where
from phasegate.model.signal import Signal
from phasegate.reading.json.reader import read_json
from phasegate.reading.markdown.page import Carrier, Outline
from phasegate.reading.schema.registry import validate

PREFIX = "jkz:"
COMPACT_PLAN = "jkz:compact-plan"
DECISION = "jkz:adr-json"
DIAGNOSIS = "jkz:diagnosis-json"
SPEC_MAP = "jkz:spec-map"
SCHEMAS = {COMPACT_PLAN: "jkz/compact-plan", DECISION: "jkz/adr", DIAGNOSIS: "jkz/diagnosis"}
BLOCKS = (*SCHEMAS, SPEC_MAP)
# A plan may record several decisions; of the others there is one in a comment.
SINGLE = (COMPACT_PLAN, DIAGNOSIS, SPEC_MAP)
JSON_BEGINS = ("{", "[")


def blocks_of(shape: Outline) -> tuple[Carrier, ...]:
    """The blocks of a comment that belong here."""
    return tuple(carrier for carrier in shape.carriers if carrier.marker in BLOCKS)


def with_blocks(signal: Signal, blocks: tuple[Carrier, ...], where: Where) -> Signal:
    """The comment's signal, with the names of the blocks beside it and what is wrong in them."""
    names = dict.fromkeys(block.marker.removeprefix(PREFIX) for block in blocks)
    problems = (item for block in blocks for item in _problems(block, where))
    found = (*signal.problems, *_repeated(blocks, where), *problems)
    return replace(signal, title=", ".join(names), problems=found)


def _repeated(blocks: tuple[Carrier, ...], where: Where) -> Iterator[Problem]:
    counts = Counter(block.marker for block in blocks)
    for marker in SINGLE:
        if counts[marker] > 1:
            last = [block for block in blocks if block.marker == marker][-1]
            message = f"{marker} stands {counts[marker]} times in the comment, and nobody can tell which one counts"
            yield problem("PG129", message, where.at(last.position), hint="Keep one of them.")


def _problems(block: Carrier, where: Where) -> Iterator[Problem]:
    if block.fault is not None:
        yield _problem("PG129", block, block.fault, where)
        return
    if block.marker == SPEC_MAP and not block.payload.startswith(JSON_BEGINS):
        return
    document = read_json(block.payload, first=block.position)
    if isinstance(document, Fault):
        yield _problem("PG127", block, document, where)
    elif block.marker in SCHEMAS:
        for fault in validate(SCHEMAS[block.marker], document):
            yield _problem("PG128", block, fault, where)


def _problem(code: str, block: Carrier, fault: Fault, where: Where) -> Problem:
    message = f"{block.marker}: {fault.message}"
    return problem(code, message, where.at(fault.position, fault.json_path), hint=fault.hint)
