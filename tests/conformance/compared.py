"""What ``lint``, ``context check`` or a whole pull request answers to an example, beside what others say of it.

``samples`` of a dialect are those of its documents: ``sample`` is what the document shows, ``gate`` the answer to an
example of the same shape, and ``why`` the reason where that is not ``passes``.

``beside`` are inputs of which the answer of the original program is known: ``input``, ``original``, which begins with
one of the words of SAME, ``gate``, and ``why`` where the two differ.

``gate`` is ``passes``, ``remarks`` or ``refuses`` for a text, and the state of the pull request for a story; ``code``
is one that the example draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.casebook.attacks.every import ATTACKS
from tests.casebook.decided import report_of
from tests.casebook.every import STORIES
from tests.conformance import statements as told
from tests.conformance.statements import STORY, Example

PAGES = told.FOLDER.parents[1] / "docs" / "conformance"
# The answers of the gate that agree with an answer of the original program, by its first word.
SAME = {
    "accepts": {"passes", "success"},
    "warns": {"remarks"},
    "refuses": {"refuses", "failure"},
    "crashes": set[str](),
    "completes": {"success"},
    "waits": {"pending"},
    "fails": {"failure"},
}
GATES = {"passes": "passes", "remarks": "passes with a remark", "refuses": "refuses"}

NEWLINE = "\n"
SAMPLES = """\
## The samples of the documents

{count} samples, each as an example of ours in the same shape: {passing} pass. Why another does not is beside it.

| no. | sample | the gate | why | example |
|---|---|---|---|---|
"""
BESIDE = """\
## Beside the original program

{count} inputs with the answer of the original program, read in its source or recorded from a run of it. {apart} are
answered differently here, and it is said why. The gate's answer is that of `lint`, or the state of a whole pull
request. Where an example is in the spelling of the document, the original got the same in its own.

| no. | input | the original | the gate | why they differ | example |
|---|---|---|---|---|---|
"""


@dataclass(frozen=True, kw_only=True)
class Compared:
    """One input with its answers; ``original`` is empty for a sample of a document."""

    number: str
    input: str
    original: str
    gate: str
    code: str
    why: str
    example: Example

    @property
    def agrees(self) -> bool:
        """True if there is nothing to explain."""
        word = self.original.partition(" ")[0].rstrip(":,")
        return self.gate in SAME[word] if word else self.gate == "passes"

    def shown(self) -> str:
        """A row of its table."""
        gate = f"{GATES.get(self.gate, self.gate)}{f', `{self.code}`' if self.code else ''}"
        cells = [self.number, self.input, *([self.original] if self.original else []), gate, self.why]
        return f"| {' | '.join([*cells, self.example.shown()])} |"


def samples(dialect: str) -> tuple[Compared, ...]:
    """The samples of the documents."""
    return _rows(dialect, "samples", "sample")


def beside(dialect: str) -> tuple[Compared, ...]:
    """The inputs that the original program answered."""
    return _rows(dialect, "beside", "input")


def _rows(dialect: str, key: str, name: str) -> tuple[Compared, ...]:
    return tuple(_row(number, row, name) for number, row in told.data(dialect).get(key, {}).items())


def _row(number: str, row: dict[str, Any], name: str) -> Compared:
    known = {name, "gate", "code", "why", "example", *(["original"] if name == "input" else [])}
    assert row.keys() <= known, f"{number}: {row.keys() - known}"
    example = told.example_of(row["example"])
    texts = {key: row.get(key, "") for key in ("original", "code", "why")}
    return Compared(number=number, input=row[name], gate=row["gate"], example=example, **texts)


def answers(dialect: str, rows: tuple[Compared, ...], room: Path) -> list[tuple[str, set[str]]]:
    """The gate's answer to each example, with the codes that it drew."""
    found = told.codes_of(dialect, [row.example for row in rows], room)
    return [(_answer(row.example, codes), set(codes)) for row, codes in zip(rows, found, strict=True)]


def _answer(example: Example, codes: dict[str, str]) -> str:
    if example.name.startswith(STORY):
        return report_of((STORIES | ATTACKS)[example.name.removeprefix(STORY)]).state.value
    if not codes:
        return "passes"
    return "refuses" if {"error", "fault"} & set(codes.values()) else "remarks"


def tables(dialect: str) -> str:
    """The part of a dialect's page with both tables."""
    rows, others = samples(dialect), beside(dialect)
    passing, apart = sum(1 for row in rows if row.agrees), sum(1 for row in others if not row.agrees)
    return "".join(
        f"\n{head}{''.join(f'{row.shown()}{NEWLINE}' for row in kind)}"
        for head, kind in (
            (SAMPLES.format(count=len(rows), passing=passing), rows),
            (BESIDE.format(count=len(others), apart=apart), others),
        )
        if kind
    )


def page_files() -> dict[Path, str]:
    """The pages with the text that they should have."""
    return {PAGES / f"{dialect}.md": told.page(dialect) + tables(dialect) for dialect in told.DIALECTS}
