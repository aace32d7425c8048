"""Each result against its own content, and what it says of its writer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from phasegate.dialects.pipeline.rules import own_problems
from phasegate.model.problem import Problem
from tests.unit.dialects.pipeline.issue_folder import CART, EXAMPLES, SOUND, read

DEBUG = json.loads((EXAMPLES / "valid" / "debug-diagnosis.json").read_text(encoding="utf-8"))
FAILED = {"test": {"result": "FAIL"}}
PASSED = {"test": {"result": "PASS"}}
SKIPPED = {"test": {"result": "SKIP"}}


def found(name: str, **keys: Any) -> list[Problem]:  # noqa: ANN401  (keys of an artifact)
    """What is wrong in an artifact with these keys."""
    sound = DEBUG if name == "debug-diagnosis.json" else SOUND[name]
    return list(own_problems(read(name, {**sound, **keys})))


def found_codes(name: str, **keys: Any) -> list[str]:  # noqa: ANN401  (keys of an artifact)
    """The codes of that."""
    return [problem.code for problem in found(name, **keys)]


@pytest.mark.parametrize(("status", "blockers", "codes"), [
    ("completed", [], []),
    ("completed", ["x"], ["PG730"]),
    ("completed", [{"description": "x"}], ["PG730"]),
    ("blocked", ["x"], []), ("blocked", [], ["PG750"]), ("escalate", [], []), ("escalate", ["x"], []),
])  # fmt: skip
def test_worker__status_and_blockers(status: str, blockers: list[Any], codes: list[str]) -> None:
    assert found_codes("worker-result.json", status=status, blockers=blockers) == codes


def test_worker__paths_are_those_of_the_repository() -> None:
    assert found_codes("worker-result.json", files_changed=[CART, "/etc/passwd", "../x"]) == ["PG717", "PG717"]


@pytest.mark.parametrize(("verdict", "phase_1", "phase_2", "codes"), [
    ("PASS", PASSED, None, []),
    ("PASS", PASSED, PASSED, []),
    ("PASS", {**PASSED, "lint": "SKIP"}, None, ["PG705"]),
    ("PASS", FAILED, None, ["PG730"]), ("PASS", PASSED, FAILED, ["PG730"]), ("PASS", {}, None, ["PG730"]),
    ("PASS", SKIPPED, None, ["PG730"]), ("PASS", PASSED, {}, []), ("PASS", PASSED, SKIPPED, []),
    ("FAIL", FAILED, None, []), ("FAIL", PASSED, FAILED, []), ("FAIL", PASSED, None, ["PG730"]),
    ("FAIL", {}, None, ["PG730"]), ("FAIL", FAILED, PASSED, ["PG730"]), ("FAIL", FAILED, {}, ["PG730"]),
    ("FAIL", FAILED, FAILED, ["PG730"]), ("SKIP", {}, None, []), ("SKIP", SKIPPED, None, []),
    ("SKIP", FAILED, None, ["PG730"]),
    ("PASS", FAILED, PASSED, ["PG730", "PG730"]),
])  # fmt: skip
def test_test__verdict_and_checks(verdict: str, phase_1: Any, phase_2: Any, codes: list[str]) -> None:  # noqa: ANN401
    assert found_codes("test-result.json", verdict=verdict, phase_1=phase_1, phase_2=phase_2) == codes


@pytest.mark.parametrize("phase_1", [{"test": "FAIL"}, {"test": {"status": "FAIL"}}, {"tool": "t", "exit_code": 1}])
def test_test__no_shape_hides_a_failure(phase_1: Any) -> None:  # noqa: ANN401  (any shape)
    assert found_codes("test-result.json", phase_1=phase_1) == ["PG705", "PG730"]


@pytest.mark.parametrize(("keys", "message"), [
    ({"verdict": "PASS", "phase_1": PASSED}, "the verdict FAIL"),
    ({"classification": None}, "fix_target"),
    ({"classification": "plan_defect"}, "fix_target"),
    ({"classification": "fix_target"}, "a fix_instruction"),
    ({"classification": "fix_target", "fix_instruction": " "}, "a fix_instruction"),
])  # fmt: skip
def test_test__inline_triage_needs_all_of_it(keys: dict[str, Any], message: str) -> None:
    failed = {"verdict": "FAIL", "phase_1": FAILED, "inline_triage": True, **keys}
    (problem,) = found("test-result.json", **failed)
    assert (problem.code, problem.where.json_path) == ("PG750", "$.inline_triage")
    assert message in problem.message


PLACE = {"file": CART, "line": 3}


@pytest.mark.parametrize(("verdict", "blockers", "concerns", "codes"), [
    ("PASS", [], [], []),
    ("PASS", [PLACE], [], ["PG730"]),
    ("PASS", ["x"], ["y"], ["PG730", "PG742"]),
    ("PASS", [], [PLACE], ["PG742"]), ("FAIL", [PLACE], [], []), ("FAIL", [], ["x"], []), ("FAIL", [], [], ["PG730"]),
    ("SKIP", [], [], []), ("SKIP", ["x"], [], ["PG730"]), ("SKIP", [], ["x"], []),
])  # fmt: skip
def test_review__verdict_and_findings(verdict: str, blockers: Any, concerns: Any, codes: list[str]) -> None:  # noqa: ANN401
    assert found_codes("review-result.json", verdict=verdict, blockers=blockers, concerns=concerns) == codes


@pytest.mark.parametrize(("keys", "codes"), [
    ({}, []),
    ({"fix_instructions": None}, ["PG750"]),
    ({"fix_instructions": ""}, ["PG750"]),
    ({"root_cause_file": None, "root_cause_line": None}, ["PG750", "PG750"]),
    ({"classification": "plan_defect"}, ["PG750"]),
    ({"classification": "plan_defect", "plan_fix_instructions": "x", "root_cause_line": None}, []),
    ({"classification": "escalate"}, ["PG750"]),
    ({"classification": "escalate", "escalation_sub": "technical_complexity"}, []),
])  # fmt: skip
def test_debug__classification_and_what_it_needs(keys: dict[str, Any], codes: list[str]) -> None:
    assert found_codes("debug-diagnosis.json", **keys) == codes


@pytest.mark.parametrize(("number", "url", "codes"), [
    (7, "https://github.com/o/r/pull/7", []),
    (7, "https://github.com/o/r/pull/7/", []),
    (7, "https://github.example.org/o/r/pull/7", []),
    (None, "https://github.com/o/r/pull/7", []),
    (7, None, []),
    (7, "https://github.com/o/r/pull/8", ["PG760"]),
    (7, "https://github.com/o/r/pull/77", ["PG760"]),
    (7, "https://github.com/o/r/issues/7", ["PG760"]),
    (7, "pull/7", ["PG760"]),
    (7, "https://github.com/o/r/pull/7?x=/pull/7 ", ["PG760"]),
])  # fmt: skip
def test_git__address_and_number(number: int | None, url: str | None, codes: list[str]) -> None:
    assert found_codes("git-result.json", pr_number=number, pr_url=url) == codes


@pytest.mark.parametrize(("pairs", "used", "codes"), [
    ([], "high", []),
    ([("fast", "standard")], "standard", []),
    ([("fast", "high")], "high", []),
    ([("fast", "standard"), ("standard", "high")], None, []),
    ([("fast", "standard"), ("standard", "high")], "high", []),
    ([("fast", "fast")], "fast", ["PG771"]),
    ([("high", "fast")], "fast", ["PG771"]),
    ([("standard", "fast"), ("high", "standard")], "fast", ["PG771", "PG771"]),
])  # fmt: skip
def test_escalation__goes_up(pairs: list[tuple[str, str]], used: str | None, codes: list[str]) -> None:
    history = [{"from_tier": one, "to_tier": other, "reason": "x"} for one, other in pairs]
    assert found_codes("test-result.json", tier_used=used, escalation_history=history) == codes
