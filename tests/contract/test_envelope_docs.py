"""The tables of statements in docs/conformance, envelope.md and thehood.md: codes, cases, examples."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from phasegate.catalogue import entries
from tests.casebook.every import STORIES
from tests.test_examples import INVALID, VALID

ROOT = Path(__file__).resolve().parents[2]
LEAST = {"envelope": 45, "thehood": 60}
ROWS = [
    (page, line)
    for page in LEAST
    for line in (ROOT / "docs" / "conformance" / f"{page}.md").read_text(encoding="utf-8").splitlines()
    if re.match(r"\| [EGT]\d", line)
]
CASES = [
    (f"{page} {row.split('|')[1].strip()}", *found)
    for page, row in ROWS
    for found in re.findall(r"case ([a-z0-9-]+) → (\w+)", row)
]
SHOWN = [(page, row, found) for page, row in ROWS for found in re.findall(r"example ((?:in)?valid/[\w.-]*[\w-])", row)]
# Files by their names, members of a collection by its folder and their names.
EXAMPLES = {re.sub(r"[a-z]+\.cases\.yml#", "", example.name) for example in (*VALID, *INVALID)}


@pytest.mark.parametrize(("statement", "case", "state"), CASES)
def test_statement__case_ends_as_said(statement: str, case: str, state: str) -> None:
    assert STORIES[case].state == state, statement


@pytest.mark.parametrize(("page", "row", "example"), SHOWN)
def test_statement__example_is_there_and_of_its_code(page: str, row: str, example: str) -> None:
    assert f"{page}/{example}" in EXAMPLES
    named = set(re.findall(r"PG\d{3}", example))
    assert named <= set(re.findall(r"PG\d{3}", row.replace(example, "")))


def test_statements__codes_exist() -> None:
    known = {entry.code for entry in entries()}
    assert {code for _, row in ROWS for code in re.findall(r"PG\d{3}", row)} <= known


@pytest.mark.parametrize("page", LEAST)
def test_statements__are_numbered(page: str) -> None:
    numbers = [row.split("|")[1].strip() for of, row in ROWS if of == page]
    assert len(numbers) == len(set(numbers)) >= LEAST[page]
