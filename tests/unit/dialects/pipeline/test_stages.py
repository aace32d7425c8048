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


@pytest.mark.parametrize("stage", STAGES[1:])
def test_stage__trivial_work_needs_no_plan(stage: str) -> None:
    files = sound(ORDER[STAGES.index(stage)])
    del files["plan.json"]
    assert at_stage(stage, files) == ["PG792"]
    assert at_stage(stage, files, complexity=Complexity.TRIVIAL) == []


def without(name: str) -> dict[str, Any]:
    """All artifacts but one."""
    return {other: content for other, content in sound().items() if other != name}


BLOCKED = {"status": "blocked", "blockers": ["x"]}
CONCERNED = {"verdict": "FAIL", "concerns": ["x"]}
STRAY = {"files_changed": [CART, "x"]}
CHANGED = {"changed_files": (CART, TESTS, "x.py", ".pipeline/42/plan.json")}

CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any], list[str]]] = {
    **{f"without {name}": ("git", without(name), {}, ["PG792"]) for name in ORDER[:4]},
    "nothing at all": ("git", {}, {}, ["PG792"] * 5),
    "its own word that it is blocked": ("implement", sound("worker-result.json", worker=BLOCKED), {}, []),
    "its own failing tests": ("test", sound("test-result.json", test=FAILED), {}, []),
    "its own failing review": ("review", sound("review-result.json", review=CONCERNED), {}, []),
    "a review after a failure": ("review", sound("review-result.json", test=FAILED), {}, ["PG791"]),
    "a delivery after a failure": ("git", sound(test=FAILED), {}, ["PG791"]),
    "each earlier failure": ("git", sound(test=FAILED, review=CONCERNED), {}, ["PG791", "PG791"]),
    "later artifacts of an earlier round": ("test", sound(test=FAILED), {}, []),
    "broken ones too": ("plan", {**sound(), "review-result.json": "{"}, {}, []),
    "or of a low tier": ("implement", sound(review={"tier_used": "fast"}, plan={"complexity": "complex"}), {}, []),
    "a broken artifact": ("review", {**sound("review-result.json"), "test-result.json": "{"}, {}, ["PG001"]),
    "the rules of a file":
     ("test", sound("test-result.json", test={"phase_1": FAILED["phase_1"]}), {}, ["PG730"]),
    "the rules between files": ("implement", sound("worker-result.json", worker=STRAY), {}, ["PG721", "PG720"]),
    "a sound state": ("git", {**sound(), "state.yaml": STATE}, {}, []),
    "a state of another issue": ("plan", {**sound("plan.json"), "state.yaml": "issue: 41"}, {}, ["PG780"]),
    "a broken state": ("plan", {**sound("plan.json"), "state.yaml": "'"}, {}, ["PG010"]),
    "real changes, before the work": ("plan", sound("plan.json"), CHANGED, []),
    "real changes": ("implement", sound("worker-result.json"), CHANGED, ["PG720", "PG722"]),
    "real changes at the end": ("git", sound(), CHANGED, ["PG720", "PG722"]),
}  # fmt: skip


@pytest.mark.parametrize(("stage", "files", "facts", "expected"), CASES.values(), ids=CASES)
def test_stage(stage: str, files: dict[str, Any], facts: dict[str, Any], expected: list[str]) -> None:
    assert at_stage(stage, files, **facts) == expected
