"""Problems and their places."""

from __future__ import annotations

import pytest

from phasegate.catalogue import entries, problem, problem_of
from phasegate.model.problem import Fault, Position, Severity, Where

HERE = Where(path="a.md")


@pytest.mark.parametrize(("where", "text"), [
    (Where(), "input"),
    (Where(path="a.md"), "a.md"),
    (Where(path="a.md", line=3, column=7), "a.md:3:7"),
    (Where(url="https://github.com/o/r/pull/1"), "https://github.com/o/r/pull/1"),
    (Where(url="https://github.com/o/r/pull/1", line=3, column=7), "https://github.com/o/r/pull/1:3:7"),
])  # fmt: skip
def test_where__reads_as_compilers_write_it(where: Where, text: str) -> None:
    assert str(where) == text


def test_where__at_keeps_the_document_and_forgets_the_old_place() -> None:
    where = Where(path="a.md", line=1, column=1, json_path="$.old")
    assert where.at(Position(line=2, column=3)) == Where(path="a.md", line=2, column=3)
    assert where.at(Position(line=2, column=3), "$.new").json_path == "$.new"


def test_problem__takes_severity_and_hint_from_the_catalogue() -> None:
    listed = next(item for item in entries() if item.code == "PG112")
    made = problem("PG112", "message", HERE)
    assert (made.severity, made.hint, made.where) == (Severity.ERROR, listed.fix, HERE)
    assert problem("PG112", "message", HERE, hint="another way").hint == "another way"


def test_problem__a_code_that_does_not_exist_is_a_mistake_of_ours() -> None:
    with pytest.raises(KeyError):
        problem("PG999", "message", HERE)


def test_problem_of__is_a_fault_in_its_document() -> None:
    fault = Fault(code="PG020", message="m", position=Position(line=4, column=5), json_path="$.a", hint="h")
    made = problem_of(fault, HERE)
    assert (str(made.where), made.where.json_path, made.hint) == ("a.md:4:5", "$.a", "h")
