"""The next action: one line, and somebody's turn."""

from __future__ import annotations

import pytest

from phasegate.model.problem import Severity, Where
from phasegate.model.report import NeedKind, Report, State
from phasegate.report.next_action import next_action
from tests.unit.report.builders import (
    FAILED,
    SUBJECT,
    WAITING,
    awaited,
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
EARLIER = need("build", WAITING, "Waiting for Build", NeedKind.EARLIER_PHASE)
SHARED = problem("PG406", "#13 has the same head commit", Where(), severity=Severity.WARNING, hint="Close one.")
BROKEN = problem(
    "PG501", 'unknown key "phase"', Where(path=".github/phase-gate.yml", line=3, column=1), hint="Did you mean phases?"
)
MENDING = need("lens", FAILED, f"Lens failed {SUBJECT}: L1", todo="Doctor: fix L1; then ask Lens again")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (report(State.SUCCESS, GREEN), "Merge is yours: all phases are green"),
        (
            report(State.SUCCESS, GREEN, phase("qa", note="Turned off by the policy")),
            "Merge is yours: all phases that had to run are green",
        ),
        (failing_report(), "Doctor: fix J1, J2; then ask Judge again"),
        (
            report(State.PENDING, phase("plan", State.PENDING, passed("auditor"), awaited("curator"))),
            "Ask Curator for a verdict on 3f2a91c",
        ),
        (
            report(State.PENDING, phase("qa", State.PENDING, EARLIER, awaited("lens"))),
            "Ask Lens for a verdict on 3f2a91c",
        ),
        (
            report(
                State.FAILURE,
                phase("plan", State.PENDING, awaited("auditor")),
                phase("qa", State.FAILURE, awaited("sentinel"), MENDING),
            ),
            "Doctor: fix L1; then ask Lens again",
        ),
        (report(State.PENDING, phase("qa", State.PENDING, EARLIER)), "Waiting for Build"),
        (
            report(State.PENDING, GREEN, note="Withheld: #13 has the same head commit", problems=(SHARED,)),
            "Withheld: #13 has the same head commit. Close one.",
        ),
        (
            report(State.ERROR, note="Policy: broken", problems=(SHARED, BROKEN)),
            'Fix the policy at .github/phase-gate.yml:3:1: unknown key "phase". Did you mean phases?',
        ),
        (
            report(State.ERROR, problems=(problem("PG501", "is it?", Where(path="p.yml"), hint="write it"),)),
            "Fix the policy at p.yml: is it? Write it",
        ),
        (
            report(State.ERROR, problems=(problem("PG501", "broken", Where(path="p.yml"), hint=""),)),
            "Fix the policy at p.yml: broken",
        ),
        (report(State.ERROR, note="GitHub did not answer", way=route()), "GitHub did not answer"),
        (report(State.ERROR, phase("build", State.ERROR, note="No timeline")), "No timeline"),
        (report(State.ERROR), "Run the gate again: nothing was decided"),
        (report(State.PENDING), "Nothing was decided"),
    ],
)
def test_next_action__names_what_to_do_first(given: Report, expected: str) -> None:
    assert next_action(given) == expected


def test_next_action__is_one_inert_line() -> None:
    for text in NASTY:
        given = report(State.FAILURE, phase("build", State.FAILURE, need("judge", FAILED, text, todo=text)))
        assert commands(next_action(given)) == []
        assert "\n" not in next_action(given)
        assert len(next_action(given)) <= 300
