"""The example folders: each valid one passes the linter, each invalid one draws the code that its name begins with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from phasegate.catalogue import entries, entry
from phasegate.cli.main import main
from phasegate.model.problem import Severity

EXAMPLES = Path(__file__).parent / "examples"
VALID = sorted(path for path in EXAMPLES.glob("*/valid/*") if path.is_file())
INVALID = sorted(path for path in EXAMPLES.glob("*/invalid/*") if path.is_file())
# Codes of the areas that the linter looks at, but which take more than one text to arise.
NEEDS_HISTORY = {"PG126", "PG514", "PG515"}  # a history, or a repository around the file


def name_of(path: Path) -> str:
    """An example as tests show it."""
    return path.relative_to(EXAMPLES).as_posix()


def linted(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    """The linter's exit code and answer."""
    code = main(["lint", "--json", str(path)], {})
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return code, answer


def code_of(path: Path) -> str:
    """The code that an invalid example is named after."""
    return path.name.partition("-")[0]


@pytest.mark.parametrize("path", VALID, ids=name_of)
def test_valid_example__has_no_problem_at_all(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, answer = linted(path, capsys)
    assert (code, answer["ok"], answer["problems"]) == (0, True, [])


@pytest.mark.parametrize("path", INVALID, ids=name_of)
def test_invalid_example__draws_the_code_of_its_name(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, answer = linted(path, capsys)
    found = {problem["code"]: problem for problem in answer["problems"]}
    assert code_of(path) in found
    serious = entry(code_of(path)).severity is Severity.ERROR
    if serious:
        assert (code, answer["ok"]) == (1, False)
    assert found[code_of(path)]["severity"] == entry(code_of(path)).severity.value


@pytest.mark.parametrize("path", INVALID, ids=name_of)
def test_invalid_example__says_where_and_how_to_mend(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, answer = linted(path, capsys)
    for problem in answer["problems"]:
        assert problem["where"]["path"] == str(path)
        assert problem["message"]
        assert problem["hint"]


def test_invalid_examples__lesser_codes_alone_do_not_fail_the_check(capsys: pytest.CaptureFixture[str]) -> None:
    lesser = [path for path in INVALID if entry(code_of(path)).severity is not Severity.ERROR]
    for path in lesser:
        code, answer = linted(path, capsys)
        errors = [problem for problem in answer["problems"] if problem["severity"] == "error"]
        assert (code == 0) is (not errors), name_of(path)


def test_invalid_examples__there_is_one_for_every_code_that_lint_can_find() -> None:
    shown = {code_of(path) for path in INVALID}
    areas = ("PG0", "PG1", "PG5")
    wanted = {item.code for item in entries() if item.code.startswith(areas)} - NEEDS_HISTORY
    assert wanted - shown == set()


def test_examples__folders_are_lintable_as_a_whole(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", str(EXAMPLES / "jkz" / "valid")], {}) == 0
    assert "no problems" in capsys.readouterr().out
    assert main(["lint", str(EXAMPLES / "jkz")], {}) == 1
