"""The stage gate: what keeps a stage from being done, and what does not."""

from __future__ import annotations

from typing import Any

import pytest

from phasegate.dialects.pipeline.artifact import Complexity
from tests.unit.dialects.pipeline.issue_folder import CART, ORDER, STATE, TESTS, at_stage, sound

STAGES = ("plan", "implement", "test", "review", "git")
FAILED = {"verdict": "FAIL", "phase_1": {"test": {"result": "FAIL"}}}


@pytest.mark.parametrize("stage", STAGES)
def test_stage__is_done_with_its_artifact_and_those_before(stage: str) -> None:
    assert at_stage(stage, sound(ORDER[STAGES.index(stage)])) == []


@pytest.mark.parametrize("stage", STAGES)
def test_stage__needs_its_own_artifact(stage: str) -> None:
    files = sound(ORDER[STAGES.index(stage)])
    del files[ORDER[STAGES.index(stage)]]
    assert at_stage(stage, files) == ["PG792"]


@pytest.mark.parametrize("missing", ORDER[:4])
def test_stage__needs_every_artifact_before_it(missing: str) -> None:
    files = sound()
    del files[missing]
    assert at_stage("git", files) == ["PG792"]


@pytest.mark.parametrize("stage", STAGES[1:])
def test_stage__trivial_work_needs_no_plan(stage: str) -> None:
    files = sound(ORDER[STAGES.index(stage)])
    del files["plan.json"]
    assert at_stage(stage, files) == ["PG792"]
    assert at_stage(stage, files, complexity=Complexity.TRIVIAL) == []


def test_stage__nothing_at_all_needs_everything() -> None:
    assert at_stage("git", {}) == ["PG792"] * 5


@pytest.mark.parametrize(("stage", "changes"), [
    ("implement", {"worker": {"status": "blocked", "blockers": ["x"]}}),
    ("test", {"test": FAILED}),
    ("review", {"review": {"verdict": "FAIL", "concerns": ["x"]}}),
])  # fmt: skip
def test_stage__its_own_failure_is_a_word_given_as_it_should_be(stage: str, changes: dict[str, Any]) -> None:
    assert at_stage(stage, sound(ORDER[STAGES.index(stage)], **changes)) == []


@pytest.mark.parametrize("stage", ["review", "git"])
def test_stage__comes_only_after_a_pass(stage: str) -> None:
    assert at_stage(stage, sound(ORDER[STAGES.index(stage)], test=FAILED)) == ["PG791"]


def test_stage__each_earlier_failure_is_told() -> None:
    files = sound(test=FAILED, review={"verdict": "FAIL", "concerns": ["x"]})
    assert at_stage("git", files) == ["PG791", "PG791"]


def test_stage__later_artifacts_of_an_earlier_round_are_left_alone() -> None:
    assert at_stage("test", sound(test=FAILED)) == []
    assert at_stage("plan", {**sound(), "review-result.json": "{"}) == []
    assert at_stage("implement", sound(review={"tier_used": "fast"}, plan={"complexity": "complex"})) == []


def test_stage__a_broken_artifact_keeps_it_from_being_done() -> None:
    assert at_stage("review", {**sound("review-result.json"), "test-result.json": "{"}) == ["PG001"]


def test_stage__the_rules_of_its_files_apply() -> None:
    assert at_stage("test", sound("test-result.json", test={"phase_1": FAILED["phase_1"]})) == ["PG730"]
    assert at_stage("implement", sound("worker-result.json", worker={"files_changed": [CART, "x"]})) == [
        "PG721",
        "PG720",
    ]


def test_stage__the_state_is_looked_at() -> None:
    assert at_stage("git", {**sound(), "state.yaml": STATE}) == []
    assert at_stage("plan", {**sound("plan.json"), "state.yaml": "issue: 41"}) == ["PG780"]
    assert at_stage("plan", {**sound("plan.json"), "state.yaml": "'"}) == ["PG010"]


def test_stage__real_changes_are_compared_from_implement_on() -> None:
    changed = (CART, TESTS, "x.py", ".pipeline/42/plan.json")
    assert at_stage("plan", sound("plan.json"), changed_files=changed) == []
    assert at_stage("implement", sound("worker-result.json"), changed_files=changed) == ["PG720", "PG722"]
    assert at_stage("git", sound(), changed_files=changed) == ["PG720", "PG722"]
