"""The check run of a report: which problems it marks, where, in which votes, and how many of them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from phasegate.model.plan import CheckDraft, Conclusion, Level
from phasegate.model.problem import Problem, Severity, Where
from phasegate.model.report import State
from phasegate.model.signal import Outcome
from phasegate.report.annotations import MOST_ANNOTATIONS, check_draft
from tests.unit.report.builders import BASE, HEAD, comment, finding, report, signal_report
from tests.unit.report.oracle import NASTY, commands, rendering
from tests.unit.report.test_annotations import PLAN, fault, snapshot

POLICY = ".github/phase-gate.yml"
STATE = ".pipeline/7/state.json"
LONGEST_TITLE, LARGEST_TEXT, LONGEST_SUMMARY = 255, 64 * 1024, 65535


def draft(*problems: Problem, state: State = State.FAILURE) -> CheckDraft:
    """The check run of a report with these problems; the pull request changes plan and policy, and has a state."""
    return check_draft(report(state, problems=problems), snapshot(PLAN, POLICY, artifacts=(STATE,)))


def test_draft__marks_line_and_column_and_says_what_was_found_and_how_to_mend_it() -> None:
    where = Where(path=PLAN, line=3, column=5, json_path="$.steps[0]")
    (note,) = draft(fault(where, message='steps[0] is "x", and one of a, b is expected', hint="Use a.")).annotations
    assert (note.path, note.line, note.column, note.level) == (PLAN, 3, 5, Level.FAILURE)
    assert note.title == "PG001 The text is not valid JSON"
    assert note.message == 'steps[0] is "x", and one of a, b is expected\nFix: Use a.'
    assert note.details == f"error PG001 at {PLAN}:3:5\nJSON path: $.steps[0]"


def test_draft__a_problem_of_the_whole_file_is_on_its_first_line() -> None:
    made = draft(fault(Where(path=PLAN, column=7), hint=""))
    (note,) = made.annotations
    assert made.title == "1 problem in 1 file"
    assert (note.line, note.column, note.message) == (1, None, "is wrong")
    assert note.details == f"error PG001 at {PLAN}"


def test_draft__marks_only_files_that_are_at_the_head_as_they_were_judged() -> None:
    places = [Where(path=path) for path in (PLAN, STATE, "other.json", "gone.json")]
    places += [Where(path=POLICY, line=3), Where(url=comment(1)), Where()]
    made = draft(*(fault(where) for where in places))
    assert [note.path for note in made.annotations] == [PLAN, STATE]
    assert made.title == "2 problems in 2 files"
    assert made.summary.startswith(
        "2 problems in 2 files. The statuses `phase-gate` and `phase-gate/…` decide, not this check. "
        "5 problems elsewhere, such as in comments: see the summary of the run.\n\n\n**"
    )


def test_draft__the_gravest_come_first_then_file_by_file_from_the_top() -> None:
    made = draft(
        fault(Where(path=PLAN, line=1), severity=Severity.NOTICE),
        fault(Where(path=STATE, line=1)),
        fault(Where(path=PLAN, line=10, column=1)),
        fault(Where(path=PLAN, line=2, column=9), severity=Severity.WARNING),
        fault(Where(path=PLAN, line=9, column=2)),
        fault(Where(path=PLAN, line=9, column=1)),
    )
    assert [(note.level.value, note.path, note.line, note.column) for note in made.annotations] == [
        ("failure", PLAN, 9, 1),
        ("failure", PLAN, 9, 2),
        ("failure", PLAN, 10, 1),
        ("failure", STATE, 1, None),
        ("warning", PLAN, 2, 9),
        ("notice", PLAN, 1, None),
    ]


@pytest.mark.parametrize(("state", "conclusion"), [
    (State.SUCCESS, Conclusion.SUCCESS), (State.FAILURE, Conclusion.FAILURE), (State.ERROR, Conclusion.FAILURE),
    (State.PENDING, Conclusion.ACTION_REQUIRED),
])  # fmt: skip
def test_draft__concludes_as_the_gate_does(state: State, conclusion: Conclusion) -> None:
    assert draft(state=state).conclusion is conclusion
    assert {item.value for item in Conclusion} == {"success", "failure", "action_required"}


def test_draft__without_problems_says_so() -> None:
    made = draft()
    assert (made.annotations, made.title) == ((), "No problems in the files of this pull request")
    assert made.summary == f"{made.title}. The statuses `phase-gate` and `phase-gate/…` decide, not this check."


def test_draft__counts_what_it_does_not_mark() -> None:
    light = [fault(Where(path=PLAN, line=line), severity=Severity.NOTICE) for line in range(1, 200)]
    made = draft(*light, *(fault(Where(path=PLAN, line=line)) for line in range(1, 402)))
    assert len(made.annotations) == MOST_ANNOTATIONS
    assert [note.level for note in made.annotations[400:402]] == [Level.FAILURE, Level.NOTICE]
    assert made.title == "600 problems in 1 file"
    assert "The gravest 500 are marked on their lines, the other 100 are not." in made.summary


def test_draft__stays_within_the_limits() -> None:
    long = "\N{PILE OF POO}" * 20_000
    one = fault(Where(path=PLAN, line=1, column=1, json_path=long), message=long, hint=long)
    made = draft(*[one] * 600)
    for note in made.annotations:
        assert len(note.title) <= LONGEST_TITLE
        assert max(len(note.message.encode()), len(note.details.encode())) <= LARGEST_TEXT
    assert len(made.summary) <= LONGEST_SUMMARY
    assert re.search(r"Left out to stay within the size limit: \d+ of 600 problems", made.summary)


@pytest.mark.parametrize("text", NASTY)
def test_draft__is_inert_whatever_a_problem_says(text: str) -> None:
    where = Where(path=PLAN, line=1, column=1, json_path=text)
    made = draft(Problem(code=text, severity=Severity.ERROR, message=text, where=where, hint=text))
    (note,) = made.annotations
    shown = f"{note.title}\n{note.message}\n{note.details}"
    assert commands(shown) == []
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", shown)
    assert len(note.message.splitlines()) == (2 if text else 1)
    links = rendering(made.summary).links
    assert all(link.startswith(f"{BASE}/blob/{HEAD}/") for link in links)


@pytest.mark.parametrize(
    ("location", "fresh", "marked"),
    [
        (f"{PLAN}:7", True, True),
        (f"{PLAN}:7-9", True, True),
        (f"{PLAN}:7", False, False),
        ("src/other.py:7", True, False),
        (PLAN, True, False),
        ("../../etc/passwd:1", True, False),
    ],
    ids=["changed file", "lines", "of older content", "unchanged file", "no line", "elsewhere"],
)
def test_draft__marks_a_finding_on_its_line_of_a_changed_file(location: str, *, fresh: bool, marked: bool) -> None:
    item = signal_report(1, "judge", Outcome.FAIL, findings=(finding(location=location),))
    given = report(State.FAILURE, signals=(replace(item, vote=replace(item.vote, fresh=fresh)),))
    notes = check_draft(given, snapshot(PLAN, POLICY)).annotations
    told = [(note.path, note.line, note.level, note.title, note.message) for note in notes]
    message = "Expired tokens are accepted\nFix: Compare exp with now"
    assert told == ([(PLAN, 7, Level.FAILURE, "J1 HIGH", message)] if marked else [])
