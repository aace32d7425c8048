"""The table of statements in docs/envelope.md: codes, cases and examples are as it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from phasegate.catalogue import entries
from tests.casebook.every import STORIES

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "tests" / "examples" / "envelope"
PAGE = (ROOT / "docs" / "envelope.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if re.match(r"\| [EG]\d", line)]
CASES = [(row.split("|")[1].strip(), *found) for row in ROWS for found in re.findall(r"case ([a-z0-9-]+) → (\w+)", row)]
SHOWN = [(row, found) for row in ROWS for found in re.findall(r"example ((?:in)?valid/[\w.-]+\.md)", row)]


@pytest.mark.parametrize(("statement", "case", "state"), CASES)
def test_statement__case_ends_as_said(statement: str, case: str, state: str) -> None:
    assert STORIES[case].state == state, statement


@pytest.mark.parametrize(("row", "example"), SHOWN)
def test_statement__example_is_there_and_of_its_code(row: str, example: str) -> None:
    assert (EXAMPLES / example).is_file()
    named = set(re.findall(r"PG\d{3}", example))
    assert named <= set(re.findall(r"PG\d{3}", row.replace(example, "")))


def test_statements__codes_exist() -> None:
    known = {entry.code for entry in entries()}
    assert {code for row in ROWS for code in re.findall(r"PG\d{3}", row)} <= known


def test_statements__are_numbered() -> None:
    numbers = [row.split("|")[1].strip() for row in ROWS]
    assert len(numbers) == len(set(numbers)) >= 45
