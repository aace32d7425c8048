"""The example folders: each valid one passes the linter, each invalid one draws the code that its name begins with."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from phasegate.catalogue import entries, entry
from phasegate.cli.main import main
from phasegate.model.problem import Severity
from phasegate.reading.document import Document, Limits
from phasegate.reading.yaml import read_yaml

EXAMPLES = Path(__file__).parent / "examples"
COLLECTION = ".cases.yml"
NEVER_COUNTS = ("PG120", "PG125", "PG214", "PG215")  # the gate only remarks on it, whoever lints it must know
LONG = "And so on. " * 200  # for @LONG@ in a collection


@dataclass(frozen=True, kw_only=True)
class Example:
    """An example: a file, or one of a collection, which is written to a file when it is looked at."""

    name: str
    title: str
    path: Path | None = None
    file: str = ""
    text: str = ""

    @property
    def code(self) -> str:
        """The code that an invalid example is named after."""
        return self.title.partition("-")[0]

    def at(self, folder: Path) -> Path:
        """The file."""
        path = self.path or folder / self.file
        if self.path is None:
            path.write_text(self.text, encoding="utf-8")
        return path


def examples(kind: str) -> list[Example]:
    """All examples of a kind, by their names."""
    found: list[Example] = []
    for path in sorted(path for path in EXAMPLES.glob(f"*/{kind}/*") if path.is_file()):
        name = path.relative_to(EXAMPLES).as_posix()
        if path.name.endswith(COLLECTION):
            found += [collected(f"{name}#{title}", title, case) for title, case in collection(path).items()]
        else:
            found.append(Example(name=name, title=path.name, path=path))
    return found


def collection(path: Path) -> dict[str, Any]:
    """The cases of a collection, each by its name."""
    document = read_yaml(path.read_text(encoding="utf-8").replace("@LONG@", LONG), limits=LIMITS)
    assert isinstance(document, Document), document
    return cast("dict[str, Any]", document.value)


def collected(name: str, title: str, case: dict[str, Any]) -> Example:
    """A case: the text of a file, an answer (by its data, or whole) or a record in a comment, or variables."""
    if "variables" in case:
        return Example(
            name=name, title=title, file=f"{title}.thehood.json", text=json.dumps(case["variables"], indent=1)
        )
    answer = {"status": "ok", "summary": "Done.", "data": case["answer"]} if "answer" in case else case.get("whole")
    marker = "thehood:agent-response" if answer else "thehood:runtime"
    text = f"```{marker}\n{json.dumps(answer or case.get('record'), indent=1)}\n```\n"
    file = title if "." in title else f"{title}.md"
    return Example(name=name, title=title, file=file, text=case.get("text", text))


LIMITS = Limits(characters=200_000, depth=32, events=200_000)
VALID = examples("valid")
INVALID = examples("invalid")
# Codes of the areas that the linter looks at, but which take more than one text to arise.
NEEDS_HISTORY = {"PG126", "PG514", "PG515", "PG530"}  # a history, a repository around the file, or its organisation


def name_of(example: Example) -> str:
    """An example as tests show it."""
    return example.name


def linted(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    """The linter's exit code and answer."""
    code = main(["lint", "--json", str(path)], {})
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return code, answer


@pytest.mark.parametrize("example", VALID, ids=name_of)
def test_valid_example__has_no_problem_at_all(
    example: Example, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = example.at(tmp_path)
    code, answer = linted(path, capsys)
    assert (code, answer["ok"], answer["problems"]) == (0, True, [])


@pytest.mark.parametrize("example", INVALID, ids=name_of)
def test_invalid_example__draws_the_code_of_its_name_and_says_where_and_how_to_mend(
    example: Example, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = example.at(tmp_path)
    code, answer = linted(path, capsys)
    for problem in answer["problems"]:
        assert problem["where"]["path"] == str(path)
        assert problem["message"]
        assert problem["hint"]
    found = {problem["code"]: problem for problem in answer["problems"]}
    assert example.code in found
    serious = entry(example.code).severity is Severity.ERROR
    if serious:
        assert (code, answer["ok"]) == (1, False)
    wanted = "error" if example.code in NEVER_COUNTS else entry(example.code).severity.value
    assert found[example.code]["severity"] == wanted


def test_invalid_examples__lesser_codes_alone_do_not_fail_the_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lesser = [example for example in INVALID if entry(example.code).severity is not Severity.ERROR]
    for example in lesser:
        code, answer = linted(example.at(tmp_path), capsys)
        errors = [problem for problem in answer["problems"] if problem["severity"] == "error"]
        assert (code == 0) is (not errors), example.name


def test_invalid_examples__there_is_one_for_every_code_that_lint_can_find() -> None:
    shown = {example.code for example in INVALID}
    areas = ("PG0", "PG1", "PG5")
    wanted = {item.code for item in entries() if item.code.startswith(areas)} - NEEDS_HISTORY
    assert wanted - shown == set()


def test_examples__folders_are_lintable_as_a_whole(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", str(EXAMPLES / "jkz" / "valid")], {}) == 0
    assert "no problems" in capsys.readouterr().out
    assert main(["lint", str(EXAMPLES / "jkz")], {}) == 1
