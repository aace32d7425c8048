"""The table of statements in docs/conformance/jkz.md: each code exists, and each case ends as the table says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from phasegate.catalogue import entries
from phasegate.reading.markdown.page import FOOTERS
from tests.casebook.every import STORIES

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "conformance" / "jkz.md"
ROWS = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if re.match(r"\| [PS]\d", line)]
CASES = [(row.split("|")[1].strip(), *found) for row in ROWS for found in re.findall(r"case ([a-z0-9-]+) → (\w+)", row)]


@pytest.mark.parametrize(("statement", "case", "state"), CASES)
def test_statement__case_ends_as_said(statement: str, case: str, state: str) -> None:
    assert STORIES[case].state == state, statement


def test_statements__codes_exist_and_cases_raise_them() -> None:
    known = {entry.code for entry in entries()}
    named = {code for row in ROWS for code in re.findall(r"PG\d{3}", row)}
    assert named <= known


def test_statements__are_numbered_and_covered() -> None:
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in ROWS]
    numbers = [row[0] for row in cells]
    assert len(numbers) == len(set(numbers)) >= 45
    assert all(len(row) == 3 and row[1].endswith(".") and row[2] for row in cells)


def test_statements__raise_their_codes_in_their_cases() -> None:
    for row in ROWS:
        codes = set(re.findall(r"PG\d{3}", row))
        cases = [case for case, _ in re.findall(r"case ([a-z0-9-]+) → (\w+)", row)]
        assert codes <= {code for case in cases for code in STORIES[case].codes}, row


def test_footers__are_shown() -> None:
    text = (ROOT / "docs" / "jkz.md").read_text(encoding="utf-8")
    assert "```text\n{}\n```".format("\n".join(FOOTERS)) in text
