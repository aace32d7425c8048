"""The rules between the files of a folder, and against what is known of the pull request or the working tree."""

from __future__ import annotations

from typing import Any

import pytest

from phasegate.dialects.pipeline.artifact import Complexity
from phasegate.dialects.pipeline.rules import artifact_problems
from tests.unit.dialects.pipeline.issue_folder import CART, STATE, TESTS, codes, folder, problems, sound

COMMIT = "3f2a91c" + "0" * 33
FAILED = {"verdict": "FAIL", "phase_1": {"test": {"result": "FAIL"}}}
FINDING = {"verdict": "FAIL", "blockers": [{"file": CART, "line": 3}]}


@pytest.mark.parametrize(("reported", "changed", "expected"), [
    ([CART, TESTS], None, []),
    ([CART, TESTS], (CART, TESTS), []),
    ([CART, TESTS], (CART, TESTS, ".pipeline/42/plan.json"), []),
    ([CART, TESTS, ".pipeline/42/plan.json"], None, []),
    ([CART, TESTS, ".pipeline/42/plan.json"], (CART, TESTS), []),
    ([CART, TESTS, "x.py"], None, ["PG720"]),
    ([CART, TESTS], (CART, TESTS, "x.py"), ["PG720", "PG722"]),
    ([CART, TESTS, "x.py"], (CART, TESTS, "x.py"), ["PG720"]),
    ([CART], None, ["PG721"]),
    ([CART], (CART, TESTS), ["PG722"]),
    ([CART, TESTS], (CART,), ["PG721", "PG722"]),
    ([CART, TESTS], (), ["PG721", "PG721", "PG722", "PG722"]),
    ([CART, TESTS], (CART, TESTS, ".pipelines/x"), ["PG720", "PG722"]),
])  # fmt: skip
def test_scope__planned_reported_and_real(
    reported: list[str], changed: tuple[str, ...] | None, expected: list[str]
) -> None:
    files = sound("worker-result.json", worker={"files_changed": reported})
    assert codes(files, changed_files=changed) == expected


def test_scope__problems_stand_at_the_very_file() -> None:
    files = sound("worker-result.json", worker={"files_changed": [CART, "x.py"]})
    found = {problem.code: problem.where for problem in problems(files)}
    assert found["PG720"].json_path == "$.files_changed[1]"
    assert found["PG721"].json_path == "$.affected_files[1]"
    assert found["PG720"].path == ".pipeline/42/worker-result.json"


@pytest.mark.parametrize(("facts", "expected"), [
    ({"commits": (COMMIT,), "branch": "fix/42-negative-quantity", "number": 7}, []),
    ({"commits": ("1" * 40, COMMIT.upper())}, []),
    ({"commits": ("1" * 40,)}, ["PG760"]),
    ({"commits": ()}, ["PG760"]),
    ({"commits": (COMMIT, "3f2a91c" + "1" * 33)}, ["PG760"]),
    ({"branch": "main"}, ["PG760"]),
    ({"number": 8}, ["PG760"]),
    ({"url": "https://github.com/Octo/Shop/pull/7"}, []),
    ({"url": "https://github.com/octo/shop/pull/8"}, ["PG760"]),
    ({"url": "https://github.com/octo/shop2/pull/7"}, ["PG760"]),
])  # fmt: skip
def test_git__speaks_of_this_pull_request(facts: dict[str, Any], expected: list[str]) -> None:
    assert codes(sound(), **facts) == expected


@pytest.mark.parametrize(("complexity", "tiers", "expected"), [
    ("complex", {"worker": "fast"}, ["PG771"]),
    ("complex", {"test": "fast", "review": "fast"}, ["PG771", "PG771"]),
    ("complex", {"plan": "fast"}, ["PG771"]),
    ("complex", {"worker": "standard", "git": "fast"}, []),
    ("complex", {}, []), ("standard", {"worker": "fast"}, []), (None, {"worker": "fast"}, []),
])  # fmt: skip
def test_tier__complex_work_is_never_fast(complexity: str | None, tiers: dict[str, str], expected: list[str]) -> None:
    changes: dict[str, dict[str, Any]] = {name: {"tier_used": tier} for name, tier in tiers.items()}
    changes["plan"] = {**changes.get("plan", {}), "complexity": complexity}
    assert codes(sound(**changes)) == expected


@pytest.mark.parametrize(("missing", "expected"), [
    (["plan.json"], [("PG790", "worker-result.json is there, but plan.json is missing")]),
    (["worker-result.json", "test-result.json"],
     [("PG790", "review-result.json is there, but worker-result.json and test-result.json are missing")]),
    (["plan.json", "test-result.json"],
     [("PG790", "worker-result.json is there, but plan.json is missing"),
      ("PG790", "review-result.json is there, but test-result.json is missing")]),
    (["git-result.json"], []),
])  # fmt: skip
def test_order__each_missing_artifact_is_told_once(missing: list[str], expected: list[tuple[str, str]]) -> None:
    files = {name: content for name, content in sound().items() if name not in missing}
    assert [(problem.code, problem.message) for problem in problems(files)] == expected


def test_order__a_broken_artifact_is_not_a_missing_one() -> None:
    found = problems({**sound(), "test-result.json": "{"})
    assert [(problem.code, str(problem.where)) for problem in found] == [("PG001", ".pipeline/42/test-result.json:1:2")]


@pytest.mark.parametrize(("changes", "expected"), [
    ({"test": FAILED}, ["PG791"]),
    ({"test": {"verdict": "SKIP", "phase_1": {}}}, ["PG791"]),
    ({"review": FINDING}, ["PG791"]),
    ({"worker": {"status": "blocked", "blockers": ["x"]}}, ["PG791"]),
    ({"worker": {"status": "escalate"}}, ["PG791"]),
])  # fmt: skip
def test_order__nothing_stands_on_what_has_not_passed(changes: dict[str, Any], expected: list[str]) -> None:
    diagnosis = {"debug-diagnosis.json": "{"}  # there, so that its absence is not told
    assert [code for code in codes({**sound(**changes), **diagnosis}) if code != "PG001"] == expected


@pytest.mark.parametrize("file", ["debug-diagnosis.json", None])
def test_diagnosis__is_required_after_a_failure(file: str | None) -> None:
    files = sound("review-result.json", review=FINDING)
    files.update({file: "{"} if file else {})
    assert ("PG752" in codes(files)) is (file is None)


def without_plan() -> dict[str, Any]:
    """A folder of reviewed work without a plan."""
    return {name: content for name, content in sound("review-result.json").items() if name != "plan.json"}


BLOCKED = {"status": "blocked", "blockers": ["x"], "files_changed": []}
TRIAGE = {**FAILED, "inline_triage": True, "classification": "fix_target", "fix_instruction": "x"}
COPIES = {"test-result-pass.json": sound()["test-result.json"], "review-result.json": sound()["review-result.json"]}
ELSEWHERE = {"number": 8, "url": "https://x.org/a/b/pull/8"}
COMPLEX = sound("worker-result.json", plan={"complexity": "trivial"}, worker={"tier_used": "fast"})

CASES: dict[str, tuple[dict[str, Any], dict[str, Any], list[str]]] = {
    "a sound one": ({**sound(), "state.yaml": STATE}, {}, []),
    "an empty one": ({}, {}, []),
    "a blocked worker has not forgotten anything": (sound("worker-result.json", worker=BLOCKED), {}, []),
    "what the delivery leaves out": (sound(git={"pr_number": None, "pr_url": None}), ELSEWHERE, []),
    "complex, told from outside": (COMPLEX, {"complexity": Complexity.COMPLEX}, ["PG771"]),
    "no plan": (without_plan(), {}, ["PG790"]),
    "no plan of trivial work": (without_plan(), {"complexity": Complexity.TRIVIAL}, []),
    "a plan of trivial work": (sound("plan.json"), {"complexity": Complexity.TRIVIAL}, []),
    "a failed review of failed work":
     (sound("review-result.json", test=FAILED, review=FINDING), {}, ["PG752", "PG752"]),
    "a failure with inline triage": (sound("test-result.json", test=TRIAGE), {}, []),
    "a pass without a diagnosis": (sound("test-result.json"), {}, []),
    "copies never count": ({**sound("worker-result.json"), **COPIES}, {}, ["PG790"]),
}  # fmt: skip


@pytest.mark.parametrize(("files", "facts", "expected"), CASES.values(), ids=CASES)
def test_folder(files: dict[str, Any], facts: dict[str, Any], expected: list[str]) -> None:
    assert codes(files, **facts) == expected


def test_problems__are_sorted_by_stage_and_line() -> None:
    files = sound(plan={"affected_files": ["x", CART, TESTS]}, git={"pr_url": "x"}, test=FAILED)
    found = problems({**files, "state.yaml": STATE})
    places = [(problem.where.path, problem.where.line) for problem in found]
    order = ["plan.json", "worker-result.json", "test-result.json", "review-result.json", "git-result.json"]
    ranks = [([*order, "state.yaml"].index(str(path).rpartition("/")[2]), line or 0) for path, line in places]
    assert len(ranks) > 4
    assert ranks == sorted(ranks)


def test_problems__the_same_folder_gives_the_same_answer_in_any_order_of_files() -> None:
    files = {**sound(test=FAILED), "state.yaml": STATE}
    backwards = dict(reversed(files.items()))
    assert artifact_problems(folder(files)) == artifact_problems(folder(backwards))
