"""Status lines: what a person reads beside the merge button."""

from __future__ import annotations

import itertools

import pytest

from phasegate.model.report import Need, NeedKind, PhaseReport, Report, State
from phasegate.model.signal import Place
from phasegate.report.status import describe, describe_phase, status_lines
from tests.unit.report.builders import (
    FAILED,
    HEAD,
    MET,
    SUBJECT,
    WAITING,
    awaited,
    failing_report,
    need,
    passed,
    phase,
    plan_phase,
    report,
)
from tests.unit.report.oracle import NASTY, commands

APPROVAL = need("approve", WAITING, "Waiting for a human's /gate approve qa", NeedKind.HUMAN)
EARLIER = [need(name, WAITING, f"Waiting for {title}", NeedKind.EARLIER_PHASE) for name, title in
           (("plan", "Plan"), ("build", "Build"))]  # fmt: skip


def stale(role: str, outcome: str = "PASS") -> Need:
    """A role that has judged an older content."""
    return need(role, WAITING, f"{role.capitalize()}'s {outcome} is for a1b2c3d, stale on {SUBJECT}")


JUDGE_FAILED = need("judge", FAILED, f"Judge failed {SUBJECT}: J1, J2")
PLANS = [need(name, MET, f"Plan on {name}", NeedKind.PLAN) for name in ("#7", "#8")]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (phase("build", State.SUCCESS, passed("judge"), passed("inspector")), "Judge and Inspector passed 3f2a91c"),
        (
            phase("qa", State.PENDING, passed("sentinel"), awaited("lens")),
            "Waiting for Lens on 3f2a91c; Sentinel passed",
        ),
        (phase("build", State.FAILURE, JUDGE_FAILED), "Judge failed 3f2a91c: J1, J2"),
        (
            phase("build", State.FAILURE, passed("inspector"), awaited("lens"), JUDGE_FAILED),
            "Judge failed 3f2a91c: J1, J2; waiting for Lens on 3f2a91c; Inspector passed",
        ),
        (
            phase("qa", State.PENDING, awaited("sentinel"), awaited("lens"), APPROVAL),
            "Waiting for Sentinel and Lens on 3f2a91c; waiting for a human's /gate approve qa",
        ),
        (
            phase("qa", State.PENDING, *EARLIER, awaited("lens")),
            "Waiting for Plan and Build; waiting for Lens on 3f2a91c",
        ),
        (
            phase("plan", State.PENDING, awaited("auditor", "the plan of #7"), awaited("auditor", "the plan of #8")),
            "Waiting for Auditor on the plan of #7; waiting for Auditor on the plan of #8",
        ),
        (
            phase("build", State.PENDING, stale("judge"), stale("inspector")),
            "Judge's and Inspector's PASS are for a1b2c3d, stale on 3f2a91c",
        ),
        (
            phase("build", State.PENDING, stale("judge"), stale("inspector", "FAIL")),
            "Judge's PASS is for a1b2c3d, stale on 3f2a91c; Inspector's FAIL is for a1b2c3d, stale on 3f2a91c",
        ),
        (
            phase("plan", State.PENDING, PLANS[0], awaited("auditor", "the plan of #7"), where=Place.ISSUE),
            "Waiting for Auditor on the plan of #7",
        ),
        (plan_phase(), "Auditor and Curator passed the plan of #7; approved by mona"),
        (
            phase("plan", State.SUCCESS, PLANS[0], passed("auditor"), PLANS[1], passed("auditor"), where=Place.ISSUE),
            "Auditor passed the plans of #7 and #8",
        ),
        (phase("plan", State.SUCCESS, PLANS[0], where=Place.ISSUE), "Plan on #7"),
        (
            phase("qa", note='Optional (bug by label "bug" of #12) and not run'),
            'Optional (bug by label "bug" of #12) and not run',
        ),
        (phase("build", State.SUCCESS, JUDGE_FAILED, note="Overridden by mona: hotfix"), "Overridden by mona: hotfix"),
        (
            phase("build", State.FAILURE, JUDGE_FAILED, note="Escalated after 4 rounds"),
            "Escalated after 4 rounds; Judge failed 3f2a91c: J1, J2",
        ),
        (phase("build", State.PENDING), "Nothing was decided"),
    ],
)
def test_describe_phase__says_what_failed_then_what_is_awaited_then_who_passed(
    given: PhaseReport, expected: str
) -> None:
    assert describe_phase(given, HEAD) == expected


GREEN = [phase(name, State.SUCCESS, passed("judge")) for name in ("plan", "build", "qa")]
IDLE = [phase(name, note="Skipped on the quick route of #7") for name in ("plan", "build", "qa")]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (report(State.SUCCESS, *GREEN), "Plan, Build and QA passed on 3f2a91c"),
        (report(State.SUCCESS, *GREEN[:2], IDLE[2]), "Plan and Build passed on 3f2a91c; QA not run"),
        (report(State.SUCCESS, IDLE[0], GREEN[1], IDLE[2]), "Build passed on 3f2a91c; Plan and QA not run"),
        (report(State.SUCCESS, *IDLE), "Plan, Build and QA not run on 3f2a91c"),
        (
            report(
                State.SUCCESS, GREEN[0], phase("build", State.SUCCESS, JUDGE_FAILED, note="Overridden by mona: hotfix")
            ),
            "Plan passed on 3f2a91c; Build: Overridden by mona: hotfix",
        ),
        (failing_report(), "Build: Judge failed 3f2a91c: J1, J2; waiting for Inspector on 3f2a91c"),
        (
            report(State.PENDING, *GREEN, note="Withheld: #13 has the same head commit"),
            "Withheld: #13 has the same head commit",
        ),
        (report(State.ERROR), "Nothing was decided"),
    ],
)
def test_describe__claims_only_what_ran(given: Report, expected: str) -> None:
    assert describe(given) == expected


def test_status_lines__are_the_phases_and_then_the_whole() -> None:
    lines = status_lines(failing_report())
    assert [(line.context, line.state.value) for line in lines] == [
        ("phase-gate/plan", "success"),
        ("phase-gate/build", "failure"),
        ("phase-gate/qa", "pending"),
        ("phase-gate", "failure"),
    ]


def test_status_lines__stay_within_140_characters_on_one_line() -> None:
    kinds = itertools.product(NASTY, (FAILED, WAITING, MET), State)
    for text, standing, state in kinds:
        given = phase("build", state, need(text, standing, text), need("judge", standing, f"Judge {text}"), note=text)
        for line in status_lines(report(state, given, given, note=text)):
            assert len(line.description) <= 140
            assert line.description.isprintable() or "\u200b" in line.description
            assert commands(line.description) == []


def test_status_lines__are_cut_between_words() -> None:
    given = phase("build", State.FAILURE, need("judge", FAILED, f"Judge failed {SUBJECT}: " + ", ".join(["J1"] * 60)))
    description = describe_phase(given, HEAD)
    assert description.endswith("J1…")
    assert 130 < len(description) <= 140
