"""The next action: one line, and somebody's turn."""

from __future__ import annotations

import pytest

from phasegate.model.problem import Severity, Where
from phasegate.model.report import Note, NoteKind, Report, State, Why, Withheld
from phasegate.report.tasks import next_action
from tests.unit.report.builders import (
    FAILED,
    awaited,
    earlier,
    failed,
    failing_report,
    need,
    passed,
    phase,
    problem,
    report,
    route,
)
from tests.unit.report.oracle import NASTY, commands

GREEN = phase("build", State.SUCCESS, passed("judge"))
EARLIER = earlier("build")
SHARED = problem("PG406", "#13 has the same head commit", Where(), severity=Severity.WARNING, hint="Close one.")
BROKEN = problem(
    "PG501", 'unknown key "phase"', Where(path=".github/phase-gate.yml", line=3, column=1), hint="Did you mean phases?"
)
UNREAD = phase("build", State.ERROR, notes=(Note(kind=NoteKind.POLICY, problem=BROKEN),))
FIXING = failed("lens", "L1")


@pytest.mark.parametrize(("given", "expected"), [
    (report(State.SUCCESS, GREEN), "Ready to merge: all phases are green"),
    (report(State.SUCCESS, GREEN, phase("qa", notes=(Note(kind=NoteKind.TURNED_OFF),))),
     "Ready to merge: all phases that had to run are green"),
    (failing_report(), "Doctor: fix J1, J2, push, then ask Judge again"),
    (report(State.PENDING, phase("plan", State.PENDING, passed("auditor"), awaited("curator"))),
     "Ask Curator for a verdict on 3f2a91c"),
    (report(State.PENDING, phase("qa", State.PENDING, EARLIER, awaited("lens"))),
     "Ask Lens for a verdict on 3f2a91c"),
    (report(State.FAILURE, phase("plan", State.PENDING, awaited("auditor")),
            phase("qa", State.FAILURE, awaited("sentinel"), FIXING)), "Doctor: fix L1, push, then ask Lens again"),
    (report(State.PENDING, phase("qa", State.PENDING, EARLIER)), "Waiting for Build"),
    (report(State.PENDING, GREEN, withheld=Withheld.SHARED_HEAD, siblings=(13,), problems=(SHARED,)),
     "Withheld: #13 has the same head commit. Close one."),
    (report(State.ERROR, UNREAD, withheld=Withheld.POLICY, problems=(SHARED, BROKEN)),
     'Fix the policy at .github/phase-gate.yml:3:1: unknown key "phase". Did you mean phases?'),
    (report(State.ERROR, problems=(problem("PG501", "is it?", Where(path="p.yml"), hint="write it"),)),
     "Fix the policy at p.yml: is it? Write it"),
    (report(State.ERROR, problems=(problem("PG501", "broken", Where(path="p.yml"), hint=""),)),
     "Fix the policy at p.yml: broken"),
    (report(State.ERROR, withheld=Withheld.NOTHING_JUDGED, way=route()),
     "No phase had to judge this pull request, so nobody has looked at it"),
    (report(State.ERROR, UNREAD), f"Policy {BROKEN.where}: {BROKEN.message}"),
    (report(State.PENDING), "Nothing was decided"),
])  # fmt: skip
def test_next_action__names_what_to_do_first(given: Report, expected: str) -> None:
    assert next_action(given) == expected


def test_next_action__is_one_inert_line() -> None:
    for text in NASTY:
        broken = problem("PG101", text, Where(), hint=text)
        needs = (need(text, FAILED, Why.INVALID, problem=broken), failed(text, text, fixer=text))
        given = report(State.FAILURE, phase("build", State.FAILURE, *needs))
        assert commands(next_action(given)) == []
        assert "\n" not in next_action(given)
        assert len(next_action(given)) <= 500
