"""The example folders of the pipeline: each valid one passes, each invalid one draws the code of its name alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from phasegate.catalogue import entry
from phasegate.cli.main import main
from phasegate.model.problem import Severity
from tests.unit.dialects.pipeline.issue_folder import EXAMPLES, laid_out

VALID = sorted(path for path in (EXAMPLES / "valid").iterdir() if path.is_dir())
INVALID = [laid_out(path) for path in sorted((EXAMPLES / "invalid").iterdir())]


def linted(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    """The linter's exit code and answer."""
    code = main(["lint", "--json", str(path)], {})
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return code, answer


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.name)
def test_valid_folder__has_no_problem_at_all(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, answer = linted(path, capsys)
    assert (code, answer["ok"], answer["problems"]) == (0, True, [])


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.name)
def test_invalid_folder__draws_the_code_of_its_name_and_no_other(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, answer = linted(path, capsys)
    wanted = path.name.partition("-")[0]
    assert {item["code"] for item in answer["problems"]} == {wanted}
    assert code == (1 if entry(wanted).severity is Severity.ERROR else 0)
    for problem in answer["problems"]:
        assert Path(problem["where"]["path"]).is_relative_to(path)
        assert problem["message"]
        assert problem["hint"]
        assert problem["where"]["line"] or problem["code"] == "PG703"
