"""Annotations: workflow commands of our own, in which no foreign text is more than text."""

from __future__ import annotations

import re

from phasegate.model.frozen import replace
from phasegate.model.problem import Problem, Severity, Where
from phasegate.model.snapshot import Snapshot
from phasegate.model.texts import BranchFile
from phasegate.report.annotations import MOST_COMMANDS, annotation_lines
from tests.casebook.world import World
from tests.unit.report.builders import BASE, report
from tests.unit.rules.parties import taken

PLAN = ".pipeline/7/plan.json"
COMMAND = re.compile(r"::(error|warning|notice) [^:\r\n]*::[^\r\n]*")


def snapshot(*paths: str, removed: str = "gone.json", artifacts: tuple[str, ...] = ()) -> Snapshot:
    """A pull request that changes these files."""
    world = World().touches(*paths, {"path": removed, "status": "removed"})
    return replace(taken(world), branch_files=tuple(BranchFile(path=path) for path in artifacts))


def fault(
    where: Where, *, severity: Severity = Severity.ERROR, message: str = "is wrong", hint: str = "Mend it"
) -> Problem:
    """A problem."""
    return Problem(code="PG001", severity=severity, message=message, where=where, hint=hint)


def lines(*problems: Problem, changed: tuple[str, ...] = (PLAN,)) -> list[str]:
    """The annotations of a report with these problems."""
    return list(annotation_lines(report(problems=problems), snapshot(*changed)))


def test_annotation__marks_the_very_line() -> None:
    assert lines(fault(Where(path=PLAN, line=3, column=5))) == [
        f"::error file={PLAN},line=3,col=5,title=PG001::is wrong. Mend it"
    ]
    assert lines(fault(Where(path=PLAN))) == [f"::error file={PLAN},title=PG001::is wrong. Mend it"]


def test_annotations__only_of_files_that_the_pull_request_changes() -> None:
    assert lines(fault(Where(path="other.json", line=1)), fault(Where(url=f"{BASE}/pull/7#issuecomment-1"))) == []
    assert lines(fault(Where(path="gone.json", line=1))) == []


def test_annotations__errors_first_and_no_more_than_are_shown() -> None:
    place = Where(path=PLAN, line=1)
    found = lines(
        *[fault(place, severity=Severity.NOTICE)] * (MOST_COMMANDS + 1),
        *[fault(place, severity=Severity.WARNING)] * (MOST_COMMANDS + 1),
        *[fault(place)] * (MOST_COMMANDS + 1),
    )
    kinds = [line[2 : line.index(" ")] for line in found]
    assert kinds == [kind for kind in ("error", "warning", "notice") for _ in range(MOST_COMMANDS)]


def test_annotation__foreign_text_stays_text() -> None:
    poison = "100%0A\r\n::set-output name=state::success\u2028##[error]x\x0b::stop-commands::y,line=9"
    (line,) = lines(fault(Where(path=PLAN, line=1), message=poison, hint=poison))
    assert COMMAND.fullmatch(line)
    assert line.count("::") == 2
    assert "##[" not in line
    assert "100%250A" in line


def test_annotation__a_path_adds_no_property() -> None:
    path = ".pipeline/7/a,line=99::warning::x%0A.json"
    (line,) = lines(fault(Where(path=path, line=1)), changed=(path,))
    properties = line.removeprefix("::error ").partition("::")[0]
    assert [part.partition("=")[0] for part in properties.split(",")] == ["file", "line", "title"]
    assert COMMAND.fullmatch(line)
