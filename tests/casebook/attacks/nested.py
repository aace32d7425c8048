"""Nested: a pass that a deciding key of its format contradicts somewhere else in the document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml

from tests.casebook.attacks import described
from tests.casebook.attacks.attack import attack
from tests.casebook.envelope import MESSAGES, audits, enveloped, reviews, works
from tests.casebook.evidence import plan, results, review, worker
from tests.casebook.pipeline import piped, worked
from tests.casebook.reviewers import BMAD, FAILS, GSD, bmad, gsd, policy
from tests.casebook.story import BUILD_FAILED, QA_FAILED
from tests.casebook.thehood import hooded, implements, verifies
from tests.casebook.world import World, finding, verdict

JSON = dict[str, Any]
CONTRARY: dict[str, JSON] = {
    "outline": {"outline": {"verdict": "FAIL"}},
    "checks": {"checks": [{"result": "FAIL"}]},
    "detail": {"detail": {"must_fix": ["J1"]}},
    "resolved": {"resolved": [{"verdict": "FAIL"}]},
    "runs": {"runs": [{"status": "failed"}]},
    "deep": {"a": [{"b": {"c": [{"verdict": "\uff26\uff21\uff29\uff2c"}]}}]},
    "several": {"outline": {"verdicts": ["PASS", "FAIL"]}},
    "by-check": {"outline": {"result": {"lint": "PASS", "unit": "FAIL"}}},
    "misspelt": {"outline": {"verdit": "FAIL"}},
    "both": {"by_role": {"verdict": ["PASS", "FAIL"]}},
}


def in_verdict(world: World, told: JSON) -> None:
    world.judged(verdict("judge", **told)).says("mona", "/gate approve qa")


def in_finding(world: World, told: JSON) -> None:
    world.judged(verdict("judge", issues=[finding("J1", severity="LOW") | told]))
    world.says("mona", "/gate approve qa")


def in_tests(world: World, told: JSON) -> None:
    world.then(worked).leaves("t", test=results(**told)).leaves("r", review=review())


def in_work(world: World, told: JSON) -> None:
    world.then(piped).leaves("p", plan=plan()).leaves("w", worker=worker(**told)).leaves("t", test=results())
    world.leaves("r", review=review())


def in_own_format(world: World, told: JSON) -> None:
    policy = described.FINDINGS + "    history: [previous]\n"
    described.says(world, policy, described.carried("our:review", verdict="approve", **told))


def in_gate_file(world: World, told: JSON) -> None:
    world.under(policy("bmad")).commits("f", {BMAD: bmad(more=yaml.safe_dump(told, allow_unicode=True))})


def in_report(world: World, told: JSON) -> None:
    world.under(policy("gsd")).commits("f", {GSD: gsd(more=yaml.safe_dump(told, allow_unicode=True))})


Puts = Callable[[World, JSON], None]
DOCUMENTS: dict[str, tuple[Puts, str, str, str, str, str | None]] = {
    "verdict": (in_verdict, "malformed", "no-other-words", "PG115", BUILD_FAILED, "previous"),
    "finding": (in_finding, "malformed", "no-other-words", "PG115 PG105", BUILD_FAILED, "previous"),
    "tests": (in_tests, "evidence", "no-other-words-in-files", "PG730 PG701", "success failure failure", "previous"),
    "work": (in_work, "evidence", "no-other-words-in-files", "PG730 PG701", "success failure pending", "previous"),
    "own-format": (in_own_format, "described", "described-contradictions", "PG915", FAILS, "previous"),
    "gate-file": (in_gate_file, "reviewers", "described-contradictions", "PG915", FAILS, "history"),
    "report": (in_report, "reviewers", "described-contradictions", "PG915 PG527", FAILS, None),
}

for _document, (_puts, _kind, _defence, _codes, _phases, _history) in DOCUMENTS.items():
    for _name, _told in CONTRARY.items():

        @attack(
            _kind,
            f"nested-{_name}-in-{_document}",
            "A pass that a deciding key says otherwise of, elsewhere in the document.",
            defence=_defence,
            state="failure",
            phases=_phases,
            codes=_codes,
        )
        def _(world: World, puts: Puts = _puts, told: JSON = _told) -> None:
            puts(world, told)


@attack("reviewers", defence="described-contradictions", state="failure", phases=FAILS, codes="PG915")
def demand_where_the_format_reads_none(world: World) -> None:
    """What must be fixed stands at the top of a gate file, whose format reads that key only further down."""
    world.then(in_gate_file, {"must_fix": ["S1"]})


@attack("thehood", defence="described-contradictions", phases=BUILD_FAILED, codes="PG701 PG915")
def criteria_failed_further_down(world: World) -> None:
    """A verification approves, and names the criteria that failed where its format reads none."""
    world.then(hooded).then(implements).then(verifies, detail={"failed_criteria": ["AC1"]})


@attack("envelope", defence="described-contradictions", phases=QA_FAILED, codes="PG701 PG915")
def build_failed_further_down(world: World) -> None:
    """An audit passes, and says below another key that the build failed."""
    world.then(enveloped).then(works).then(reviews)
    audits(world, f"{MESSAGES['audit_verdict']}\nrerun:\n  build_status: fail")
