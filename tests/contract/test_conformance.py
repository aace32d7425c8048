"""The statements of tests/conformance: enforced and proven by two examples, or it is said why not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from phasegate.catalogue import entries
from phasegate.model.report import NoteKind, Why, Withheld
from tests.conformance.compared import answers, beside, page_files, samples
from tests.conformance.statements import DIALECTS, INDEPENDENCE, Example, codes_of, statements

CODES = (
    {entry.code for entry in entries()}
    | {INDEPENDENCE}
    | {each.value for kind in (Why, NoteKind, Withheld) for each in kind}
)
# Of a history, of who speaks, or of the stage gate; and a block that only the next role reads.
MORE_THAN_A_TEXT = {"PG120", "PG125", "PG126", "PG128", "PG792"}
each_dialect = pytest.mark.parametrize("dialect", DIALECTS)


@each_dialect
def test_statements__are_enforced_with_two_examples_or_say_why_not(dialect: str) -> None:
    for each in statements(dialect):
        proven = [each.code in CODES, each.holds is not None, each.breaks is not None]
        assert all(proven) != bool(each.unchecked), each.number
        assert any(proven) != bool(each.unchecked), each.number
        assert each.says.endswith("."), each.number
    numbers = [each.number for each in statements(dialect)]
    assert len(numbers) == len(set(numbers))


@each_dialect
def test_statements__one_example_holds_and_the_other_draws_the_code(dialect: str, tmp_path: Path) -> None:
    rows = [each for each in statements(dialect) if each.holds and each.breaks]
    shown: dict[str, Example] = {}
    for each in rows:
        shown |= {f"{example!r}": example for example in (each.holds, each.breaks) if example}
    found = dict(zip(shown, codes_of(dialect, list(shown.values()), tmp_path), strict=True))
    wrong = []
    for each in rows:
        holding, breaking = (found[f"{example!r}"] for example in (each.holds, each.breaks))
        bad = [code for code, severity in holding.items() if code == each.code or severity == "error"]
        wrong += [f"{each.number}: {each.holds} holds with {bad}"] if bad else []
        wrong += [] if each.code in breaking else [f"{each.number}: {each.breaks} breaks with {sorted(breaking)}"]
    assert wrong == []


@each_dialect
def test_compared__the_gate_answers_as_its_column_says(dialect: str, tmp_path: Path) -> None:
    rows = (*samples(dialect), *beside(dialect))
    wrong = []
    for row, (answer, codes) in zip(rows, answers(dialect, rows, tmp_path), strict=True):
        right = answer == row.gate and (row.code in codes or not row.code)
        wrong += [] if right else [f"{row.number}: {answer} with {sorted(codes)}"]
    assert wrong == []


@each_dialect
def test_compared__what_differs_is_explained_and_what_does_not_is_not(dialect: str) -> None:
    rows = (*samples(dialect), *beside(dialect))
    assert [row.number for row in rows if row.agrees == bool(row.why)] == []
    assert [row.number for row in rows if row.gate in ("remarks", "refuses") and not row.code] == []


def test_compared__documents_have_samples_and_two_systems_their_original() -> None:
    assert {dialect for dialect in DIALECTS if samples(dialect)} == {"envelope", "jkz", "pipeline", "thehood"}
    assert {dialect for dialect in DIALECTS if beside(dialect)} == {"pipeline", "thehood"}


@pytest.mark.parametrize(
    ("dialect", "area"), [("jkz", "PG1"), ("pipeline", "PG7"), ("envelope", "PG81[89]|PG82"), ("thehood", "PG83|PG84")]
)
def test_codes__each_of_a_dialect_enforces_a_statement(dialect: str, area: str) -> None:
    told = {each.code for each in statements(dialect)}
    assert {code for code in CODES if re.match(area, code)} - told <= MORE_THAN_A_TEXT


def test_pages__are_those_of_the_statements() -> None:
    for path, text in page_files().items():
        assert path.read_text(encoding="utf-8") == text, "python3 tests pytest --update-cases"


def test_pages__name_no_code_that_is_not_there() -> None:
    for path in page_files():
        assert set(re.findall(r"PG\d{3}", path.read_text(encoding="utf-8"))) <= CODES
