"""``state.yaml`` against the files beside it."""

from __future__ import annotations

from typing import Any

import pytest

from phasegate.model.problem import Severity
from tests.unit.dialects.pipeline.issue_folder import STATE, codes, problems, sound

FAILED = {"verdict": "FAIL", "phase_1": {"test": {"result": "FAIL"}}}
MAPPED = "tests/test_cart.py::test_negative_quantity"


def stated(text: str, last: str = "git-result.json", name: str = "42", **facts: Any) -> list[str]:  # noqa: ANN401
    """The codes of a folder with this state."""
    return codes({**sound(last), "state.yaml": text}, name, **facts)


@pytest.mark.parametrize(("name", "state", "expected"), [
    ("42", "issue: '42'", []),
    ("42", "issue: 42", []),
    ("42", "issue: SPEC-1\nissue_number: 42", []),
    ("SPEC-1", "issue: SPEC-1\nissue_number: 42", []),
    ("issue-42", "issue_number: 42", []),
    ("ISSUE-0042", "issue_number: 42", []),
    ("42", "issue_number: 41", ["PG780"]),
    ("42", "issue: SPEC-1", ["PG780"]),
    ("SPEC-2", "issue: SPEC-1", ["PG780"]),
    ("142", "issue_number: 42", ["PG780"]),
    ("spec", "issue_number: 42", ["PG780"]),
    ("42", "{}", []),
    ("42", "issue: null\nissue_number: null", []),
])  # fmt: skip
def test_issue__is_the_one_of_the_folder(name: str, state: str, expected: list[str]) -> None:
    assert stated(state, name=name) == expected


def test_issue__is_linked_to_the_pull_request() -> None:
    assert stated("issue_number: 42", issues=(41, 42)) == []
    assert stated("issue_number: 42", issues=(41,)) == ["PG780"]


@pytest.mark.parametrize(("path", "expected"), [
    (".pipeline/42/plan.json", []), ("./.pipeline/42/plan.json", []), ("42/plan.json", []),
    (".pipeline/41/plan.json", ["PG782"]),
    (".pipeline/142/plan.json", ["PG782"]),
    (".pipeline/42/worker-result.json", ["PG782"]),
    ("plan.json", ["PG782"]),
    ("", ["PG782"]),
    (".pipeline/42/../41/plan.json", ["PG782"]),
])  # fmt: skip
def test_artifact_path__leads_to_the_stages_own_file(path: str, expected: list[str]) -> None:
    assert stated(f"stages: {{plan: {{artifact_path: '{path}'}}}}") == expected


@pytest.mark.parametrize(("stage", "result", "changes", "expected"), [
    ("plan", "PASS", {}, []), ("plan", "FAIL", {}, ["PG782"]), ("implement", "PASS", {}, []),
    ("implement", "PASS", {"worker": {"status": "blocked", "blockers": ["x"]}}, ["PG782"]),
    ("implement", "FAIL", {"worker": {"status": "escalate"}}, []),
    ("test", "FAIL", {}, ["PG782"]),
    ("test", "PASS", {"test": {"verdict": "SKIP", "phase_1": {}}}, ["PG782"]),
    ("test", "SKIP", {"test": {"verdict": "SKIP", "phase_1": {}}}, []),
    ("review", "PASS", {}, []), ("git", "PASS", {}, []), ("triage", "FAIL", {}, []),
])  # fmt: skip
def test_result__is_what_the_artifact_says(
    stage: str, result: str, changes: dict[str, Any], expected: list[str]
) -> None:
    found = codes({**sound(**changes), "state.yaml": f"stages: {{{stage}: {{result: {result}}}}}"})
    assert [code for code in found if code != "PG791"] == expected


@pytest.mark.parametrize(("current", "last", "expected"), [
    ("triage", "git-result.json", []), ("plan", "plan.json", []), ("implement", "plan.json", []),
    ("test", "worker-result.json", []), ("git", "review-result.json", []), ("test", "plan.json", ["PG782"]),
    ("git", "plan.json", ["PG782", "PG782", "PG782"]),
])  # fmt: skip
def test_current_stage__is_not_ahead_of_the_artifacts(current: str, last: str, expected: list[str]) -> None:
    assert stated(f"current_stage: {current}", last) == expected


def test_current_stage__may_go_back_after_a_failure() -> None:
    files = {**sound("test-result.json", test=FAILED), "debug-diagnosis.json": "{", "state.yaml": "current_stage: plan"}
    assert codes(files) == ["PG001"]


def test_current_stage__not_past_a_failure() -> None:
    files = {**sound("test-result.json", test=FAILED), "state.yaml": "current_stage: review"}
    (_, problem) = problems(files)
    assert (problem.code, problem.message) == ("PG782", "current_stage is review, but test-result.json has not passed")


@pytest.mark.parametrize("status", ["failed", "paused"])
def test_status__stopped_beside_green_artifacts_is_told(status: str) -> None:
    assert stated(f"status: {status}") == ["PG782"]
    assert stated(f"status: {status}", "test-result.json") == []


def test_state__what_is_wrong_in_it_is_a_warning() -> None:
    for text in ("'", "status: done", "statsu: paused", "current_stage: git", "issue: 1: 2"):
        found = problems({**sound("plan.json"), "state.yaml": text})
        assert {problem.severity for problem in found} == {Severity.WARNING}, text


def test_status__completed_needs_every_artifact() -> None:
    assert stated("status: completed") == []
    assert stated("status: completed", "review-result.json") == ["PG782"]
    assert stated("status: paused", "plan.json") == []


@pytest.mark.parametrize(("criterion", "expected"), [
    (f"id: AC-1, test_mapped: '{MAPPED}'", []),
    ("id: AC-1", []),
    ("id: AC-1, test_mapped: ''", []),
    (f"id: AC-1, test_mapped: ['{MAPPED}']", []),
    ("id: AC-1, test_mapped: tests/x.py", ["PG782"]),
    ("id: AC-2", ["PG782", "PG782"]), ("id: ac-1", ["PG782", "PG782"]), ("id: AC-1, status: verified", []),
    ("id: AC-1, description: x, status: implemented", []),
])  # fmt: skip
def test_criteria__are_those_of_the_plan(criterion: str, expected: list[str]) -> None:
    assert stated(f"acceptance_criteria: [{{{criterion}}}]") == expected


@pytest.mark.parametrize(("status", "last", "expected"), [
    ("pending", "plan.json", []),
    ("implemented", "plan.json", ["PG782"]),
    ("implemented", "worker-result.json", []),
    ("verified", "worker-result.json", ["PG782"]),
    ("verified", "test-result.json", []),
])  # fmt: skip
def test_criteria__are_no_further_than_the_artifacts(status: str, last: str, expected: list[str]) -> None:
    assert stated(f"acceptance_criteria: [{{id: AC-1, status: {status}}}]", last) == expected


def test_state__positions_are_those_of_the_yaml_file() -> None:
    text = STATE.replace('current_stage: "git"', 'current_stage: "triage"').replace("42/git-result", "41/git-result")
    (problem,) = problems({**sound(), "state.yaml": text})
    line = next(number for number, line in enumerate(text.splitlines(), start=1) if "41/git-result" in line)
    assert (problem.where.line, problem.where.column) == (line, len("    artifact_path: ") + 1)
