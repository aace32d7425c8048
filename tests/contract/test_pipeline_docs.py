"""The table of statements in docs/conformance/pipeline.md: codes exist, examples do what it says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from phasegate.catalogue import entries
from phasegate.cli.main import main
from tests.unit.dialects.pipeline.issue_folder import laid_out

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "conformance" / "pipeline.md").read_text(encoding="utf-8")
GUIDE = (ROOT / "docs" / "pipeline.md").read_text(encoding="utf-8")
EXAMPLES = ROOT / "tests" / "examples" / "pipeline"
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if re.match(r"\| A\d", line)
]
NAMED = sorted({name for row in ROWS for name in re.findall(r"`((?:in)?valid/[\w.-]+)`", row[2])})
ALL = sorted(
    path.relative_to(EXAMPLES).as_posix() for kind in ("valid", "invalid") for path in (EXAMPLES / kind).iterdir()
)
CODES = {item.code for item in entries()}
REASON = re.compile(r"no machine can|nothing is decided by them")


def linted(name: str, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """What the linter finds in an example."""
    main(["lint", "--json", str(laid_out(EXAMPLES / name))], {})
    problems: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["problems"]
    return problems


@pytest.mark.parametrize("name", NAMED)
def test_example__does_what_the_table_says(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert name in ALL
    kind, _, example = name.partition("/")
    found = {problem["code"] for problem in linted(name, capsys)}
    assert found == set() if kind == "valid" else example.partition("-")[0] in found


def test_examples__each_invalid_one_covers_a_statement() -> None:
    assert {name for name in ALL if name.startswith("invalid/")} <= set(NAMED)


def test_statements__are_numbered_in_order_and_covered() -> None:
    numbers = [tuple(int(part) for part in row[0].removeprefix("A").split(".")) for row in ROWS]
    assert numbers == sorted(set(numbers))
    assert [section for section, _ in dict.fromkeys((section, None) for section, _ in numbers)] == list(range(1, 11))
    for number, statement, covered in ROWS:
        assert statement.endswith("."), number
        assert "`" in covered or REASON.search(covered), number


def test_codes__all_of_the_pipeline_are_in_the_table_and_no_unknown_one_is() -> None:
    named = {code for row in ROWS for code in re.findall(r"PG\d{3}", row[2])}
    assert named <= CODES
    assert {code for code in CODES if code.startswith("PG7")} <= named


def test_codes__without_an_example_are_shown_by_a_test() -> None:
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "unit").rglob("test_*.py"))
    shown = {name.partition("/")[2].partition("-")[0] for name in NAMED}
    for code in {code for row in ROWS for code in re.findall(r"`(PG\d{3})`", row[2])} - shown:
        assert f'"{code}"' in tests


def test_bad_input__codes_exist() -> None:
    assert set(re.findall(r"PG\d{3}", GUIDE)) <= CODES


def test_speed__the_folder_is_within_its_bound() -> None:
    rows = re.findall(r"^\| ([^|]+) \| \d+ KB \| [\d.]+ ms \| [\d.]+ ms \| ([\d.]+) \|$", PAGE, re.MULTILINE)
    assert len(rows) == 9
    assert all(float(ratio) <= 3 for _, ratio in rows)
