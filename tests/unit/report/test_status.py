"""Status lines: what a person reads beside the merge button."""

from __future__ import annotations

import itertools

import pytest

from phasegate.model.problem import Where
from phasegate.model.report import Need, NeedKind, NeedState, Note, NoteKind, PhaseReport, Report, State, Why, Withheld
from phasegate.model.signal import Place
from phasegate.report.status import describe, describe_phase, status_lines
from tests.unit.report.builders import (
    BASE,
    FAILED,
    MET,
    OLD,
    WAITING,
    awaited,
    earlier,
    failed,
    failing_report,
    need,
    overridden,
    passed,
    phase,
    plan_phase,
    planned,
    problem,
    report,
    route,
)
from tests.unit.report.oracle import NASTY, commands

APPROVAL = need("approve", WAITING, Why.MISSING, NeedKind.HUMAN, other="qa")
EARLIER = [earlier("plan"), earlier("build")]


def stale(role: str, outcome: str = "PASS") -> Need:
    """A role that has judged an older content."""
    return need(role, WAITING, Why.OLDER, judged=OLD, said=outcome)


JUDGE_FAILED = failed("judge", "J1", "J2")
PLANS = [planned(7), planned(8)]


@pytest.mark.parametrize(("given", "expected"), [
    (phase("build", State.SUCCESS, passed("judge"), passed("inspector")), "Judge and Inspector passed 3f2a91c"),
    (phase("qa", State.PENDING, passed("sentinel"), awaited("lens")), "Waiting for Lens on 3f2a91c; Sentinel passed"),
    (phase("build", State.FAILURE, JUDGE_FAILED), "Judge failed 3f2a91c: J1, J2"),
    (phase("build", State.FAILURE, passed("inspector"), awaited("lens"), JUDGE_FAILED),
     "Judge failed 3f2a91c: J1, J2; waiting for Lens on 3f2a91c; Inspector passed"),
    (phase("qa", State.PENDING, awaited("sentinel"), awaited("lens"), APPROVAL),
     "Waiting for Sentinel and Lens on 3f2a91c; waiting for a human's /gate approve qa"),
    (phase("qa", State.PENDING, *EARLIER, awaited("lens")),
     "Waiting for Plan and Build; waiting for Lens on 3f2a91c"),
    (phase("plan", State.PENDING, awaited("auditor", issue=7), awaited("auditor", issue=8)),
     "Waiting for Auditor on the plan of #7; waiting for Auditor on the plan of #8"),
    (phase("build", State.PENDING, stale("judge"), stale("inspector")),
     "Judge's and Inspector's PASS were for a1b2c3d, not for 3f2a91c"),
    (phase("build", State.PENDING, stale("judge"), stale("inspector", "FAIL")),
     "Judge's PASS was for a1b2c3d, not for 3f2a91c; Inspector's FAIL was for a1b2c3d, not for 3f2a91c"),
    (phase("plan", State.PENDING, PLANS[0], awaited("auditor", issue=7), where=Place.ISSUE),
     "Waiting for Auditor on the plan of #7"),
    (plan_phase(), "Auditor and Curator passed the plan of #7; approved by mona"),
    (phase("plan", State.SUCCESS, PLANS[0], passed("auditor", issue=7), PLANS[1], passed("auditor", issue=8),
           where=Place.ISSUE), "Auditor passed the plans of #7 and #8"),
    (phase("plan", State.SUCCESS, PLANS[0], where=Place.ISSUE), "Plan on #7"),
    (phase("qa", notes=(Note(kind=NoteKind.OPTIONAL),)), 'Optional (bug by label "bug" of #7) and not run'),
    (phase("build", State.SUCCESS, JUDGE_FAILED, notes=(overridden(),)), "Overridden by mona: hotfix"),
    (phase("plan", State.FAILURE, failed("auditor", "A1", issue=8), notes=(overridden(issues=(7,)),)),
     "Overridden by mona on #7: hotfix; Auditor failed the plan of #8: A1"),
    (phase("build", State.PENDING), "Nothing was decided"),
])  # fmt: skip
def test_describe_phase__says_what_failed_then_what_is_awaited_then_who_passed(
    given: PhaseReport, expected: str
) -> None:
    assert describe_phase(given, report(given.state, given, way=route())) == expected


GREEN = [phase(name, State.SUCCESS, passed("judge")) for name in ("plan", "build", "qa")]
IDLE = [phase(name, notes=(Note(kind=NoteKind.QUICK_ROUTE, issues=(7,)),)) for name in ("plan", "build", "qa")]


@pytest.mark.parametrize(("given", "expected"), [
    (report(State.SUCCESS, *GREEN), "Plan, Build and QA passed on 3f2a91c"),
    (report(State.SUCCESS, *GREEN[:2], IDLE[2]), "Plan and Build passed on 3f2a91c; QA not run"),
    (report(State.SUCCESS, IDLE[0], GREEN[1], IDLE[2]), "Build passed on 3f2a91c; Plan and QA not run"),
    (report(State.SUCCESS, *IDLE), "Plan, Build and QA not run on 3f2a91c"),
    (report(State.SUCCESS, GREEN[0], phase("build", State.SUCCESS, JUDGE_FAILED, notes=(overridden(),))),
     "Plan passed on 3f2a91c; Build: Overridden by mona: hotfix"),
    (failing_report(), "Build: Judge failed 3f2a91c: J1, J2; waiting for Inspector on 3f2a91c"),
    (report(State.PENDING, *GREEN, withheld=Withheld.SHARED_HEAD, siblings=(13,)),
     "Withheld: #13 has the same head commit"),
    (report(State.ERROR), "Nothing was decided"),
])  # fmt: skip
def test_describe__claims_only_what_ran(given: Report, expected: str) -> None:
    assert describe(given) == expected


STATE_OF = {FAILED: State.FAILURE, WAITING: State.PENDING, MET: State.SUCCESS}


def nasty(text: str, state: NeedState, why: Why) -> Need:
    """A need with the same text in each of its values."""
    wrong = problem("PG101", text, Where(url=f"{BASE}/pull/12"), hint=text)
    told = dict.fromkeys(("commit", "judged", "said", "by", "other", "actor", "at", "permission"), text)
    return need(text, state, why, **told, findings=(text, text), problem=wrong)


def assert_inert(description: str) -> None:
    """That it is one line, short enough for a status, in which nothing does anything."""
    assert len(description) <= 140
    assert description.isprintable() or "\u200b" in description
    assert commands(description) == []


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
        needs = (nasty(text, standing, Why.INVALID), failed("judge", text))
        for notes in ((), (overridden(text, text),)):
            given = phase("build", state, *needs, notes=notes)
            for line in status_lines(report(state, given, given)):
                assert_inert(line.description)


@pytest.mark.parametrize("why", Why)
def test_status_lines__are_inert_whatever_a_reason_holds(why: Why) -> None:
    for text, (standing, state) in itertools.product(NASTY, STATE_OF.items()):
        given = phase("build", state, nasty(text, standing, why), nasty(f"{text}.", standing, why))
        assert_inert(describe_phase(given, report(state, given)))


def test_status_lines__are_cut_between_words() -> None:
    given = phase("build", State.FAILURE, failed("judge", *["J1"] * 60))
    description = describe_phase(given, report(State.FAILURE, given))
    assert description.endswith("J1…")
    assert 130 < len(description) <= 140
