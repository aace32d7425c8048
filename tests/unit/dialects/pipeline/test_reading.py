"""Reading artifacts: the seed's samples as they stand, the shapes that agents write, and texts that cannot be read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from phasegate.dialects.pipeline.artifact import checks as checks_of
from phasegate.dialects.pipeline.artifact import outcome, read_artifact, second_phase, unknown_name
from phasegate.dialects.pipeline.rules import own_problems
from phasegate.model.problem import Where
from phasegate.model.signal import Outcome
from phasegate.reading.schema.registry import schema_text
from tests.unit.dialects.pipeline.issue_folder import EXAMPLES, SOUND, read, refused

SAMPLES = sorted(path for path in (EXAMPLES / "valid").iterdir() if path.is_file())
REQUIRED = {
    "plan": ["affected_files", "steps", "acceptance_mapping"],
    "worker-result": ["status", "files_changed", "blockers", "summary"],
    "test-result": ["verdict", "phase_1"],
    "review-result": ["verdict", "blockers", "concerns", "nits"],
    "debug-diagnosis": [*("failure_source", "failure_description", "root_cause"),
                        *("root_cause_file", "root_cause_line", "classification")],
    "git-result": ["branch", "commit_sha", "commit_message"],
    "state": [],
}  # fmt: skip
TEST = SOUND["test-result.json"]


def checks(phase: Any) -> list[tuple[str, str]]:  # noqa: ANN401  (any shape)
    """The checks that are read from a phase."""
    test = read("test-result.json", {**TEST, "verdict": "FAIL", "phase_1": phase})
    return [(check.name, check.result) for check in checks_of(test.data, "phase_1")]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_sample__of_the_format_is_valid_as_it_stands(path: Any) -> None:  # noqa: ANN401  (a parameter)
    assert own_problems(read(path.name, path.read_text(encoding="utf-8"))) == ()


def test_samples__there_is_one_of_each_artifact() -> None:
    assert [path.stem for path in SAMPLES] == sorted(REQUIRED)


@pytest.mark.parametrize(("name", "keys"), REQUIRED.items())
def test_schema__requires_exactly_the_keys_of_the_format(name: str, keys: list[str]) -> None:
    assert json.loads(schema_text(f"pipeline/{name}")).get("required", []) == keys


@pytest.mark.parametrize(("name", "key"), [(f"{name}.json", key) for name, keys in REQUIRED.items() for key in keys])
def test_artifact__each_required_key_is_missed(name: str, key: str) -> None:
    sample = json.loads((EXAMPLES / "valid" / name).read_text(encoding="utf-8"))
    (problem,) = refused(name, {other: value for other, value in sample.items() if other != key})
    assert (problem.code, f'"{key}"' in problem.message) == ("PG020", True)


def test_artifact__is_read_by_key() -> None:
    plan = read("plan.json", SOUND["plan.json"])
    assert plan.get("steps")[1]["depends_on"] == [1]
    assert plan.get("self_assessment", "confidence", "of what") is None


@pytest.mark.parametrize(("phase", "expected"), [
    ({"lint": {"result": "PASS", "output": None}}, [("lint", "PASS")]),
    ({"lint": {"status": "FAIL"}}, [("lint", "FAIL")]),
    ({"lint": "SKIP", "test": "FAIL"}, [("lint", "SKIP"), ("test", "FAIL")]),
    ({"lint": {"tool": "ruff", "exit_code": 1, "summary": "2 errors"}}, [("lint", "FAIL")]),
    ({"tool": "pytest", "exit_code": 0, "summary": "12 passed"}, [("pytest", "PASS")]),
    ({"tool": None, "exit_code": -9}, [("tool", "FAIL")]),
    ({}, []),
])  # fmt: skip
def test_phase__shapes_of_practice_are_read_alike(phase: Any, expected: list[tuple[str, str]]) -> None:  # noqa: ANN401
    assert checks(phase) == expected


@pytest.mark.parametrize(("phase", "code", "place"), [
    (None, "PG021", "$.phase_1"), ([], "PG021", "$.phase_1"), ("PASS", "PG021", "$.phase_1"),
    ({"lint": None}, "PG021", "$.phase_1.lint"),
    ({"lint": True}, "PG021", "$.phase_1.lint"),
    ({"lint": "passed"}, "PG022", "$.phase_1.lint"),
    ({"lint": {"result": "OK"}}, "PG022", "$.phase_1.lint.result"),
    ({"lint": {"status": "pass"}}, "PG022", "$.phase_1.lint.status"),
    ({"lint": {"output": "fine"}}, "PG020", "$.phase_1.lint"),
    ({"lint": {"exit_code": "0"}}, "PG021", "$.phase_1.lint.exit_code"),
    ({"tool": "pytest", "exit_code": "0"}, "PG021", "$.phase_1.exit_code"),
    ({"tool": "pytest"}, "PG022", "$.phase_1.tool"),
])  # fmt: skip
def test_phase__other_shapes_are_refused_with_their_place(phase: Any, code: str, place: str) -> None:  # noqa: ANN401
    (problem,) = refused("test-result.json", {**TEST, "phase_1": phase})
    assert (problem.code, problem.where.json_path) == (code, place)


def test_phase__a_failure_told_twice_is_a_failure() -> None:
    assert checks({"test": {"result": "PASS", "status": "PASS", "exit_code": 3}}) == [("test", "FAIL")]


@pytest.mark.parametrize(("name", "keys", "expected"), [
    ("worker-result.json", {"status": "completed"}, Outcome.COMPLETE),
    ("worker-result.json", {"status": "blocked"}, Outcome.BLOCKED),
    ("worker-result.json", {"status": "escalate"}, Outcome.BLOCKED),
    ("test-result.json", {"verdict": "PASS"}, Outcome.PASS),
    ("test-result.json", {"verdict": "FAIL"}, Outcome.FAIL),
    ("test-result.json", {"verdict": "SKIP"}, None),
    ("review-result.json", {"verdict": "PASS"}, Outcome.PASS),
    ("review-result.json", {"verdict": "FAIL"}, Outcome.FAIL),
    ("review-result.json", {"verdict": "SKIP"}, None),
    ("plan.json", {}, Outcome.COMPLETE),
    ("git-result.json", {}, Outcome.COMPLETE),
])  # fmt: skip
def test_outcome__is_what_the_phases_need(name: str, keys: dict[str, str], expected: Outcome | None) -> None:
    assert outcome(read(name, {**SOUND[name], **keys})) is expected


def test_outcome__neither_a_diagnosis_nor_a_state_has_one() -> None:
    for name in ("debug-diagnosis.json", "state.yaml"):
        assert outcome(read(name, (EXAMPLES / "valid" / name).read_text(encoding="utf-8"))) is None


@pytest.mark.parametrize(("phase", "expected"), [
    (None, None),
    ({}, None),
    ({"ui": "SKIP", "api": {"result": "SKIP"}}, None),
    ({"ui": "SKIP", "api": "PASS"}, Outcome.PASS),
    ({"ui": "PASS", "api": {"exit_code": 1}}, Outcome.FAIL),
])  # fmt: skip
def test_second_phase__empty_or_skipped_is_no_pass(phase: Any, expected: Outcome | None) -> None:  # noqa: ANN401
    test = read("test-result.json", {**TEST, "phase_2": phase})
    assert second_phase(test) is expected


@pytest.mark.parametrize(("name", "keys", "codes"), [
    ("plan.json", {"own_key": 1}, ["PG701"]),
    ("plan.json", {"self_assessment": {"confidence": 0.5, "mood": "good"}}, ["PG701"]),
    ("plan.json", {"tier_used": None, "cost_estimate": None, "self_assessment": None}, []),
    ("plan.json", {"escalation_history": None}, ["PG771"]),
    ("review-result.json", {"escalation_history": []}, ["PG771"]),
    ("worker-result.json", {"escalation_history": None}, []),
    ("worker-result.json", {"escalation_history": []}, []),
    ("review-result.json", {"nits": ["a", {"any": "thing"}], "concerns": []}, []),
    ("plan.json", {"risk_notes": ["a"], "produced_by": "subplanner"}, []),
])  # fmt: skip
def test_artifact__keys_of_ones_own_are_a_notice(name: str, keys: dict[str, Any], codes: list[str]) -> None:
    assert [problem.code for problem in own_problems(read(name, {**SOUND[name], **keys}))] == codes


@pytest.mark.parametrize("line", [1, 4_200, "42", "42-47", "unknown"])
def test_debug__a_line_is_as_it_is_known(line: int | str) -> None:
    sample = json.loads((EXAMPLES / "valid" / "debug-diagnosis.json").read_text(encoding="utf-8"))
    assert own_problems(read("debug-diagnosis.json", {**sample, "root_cause_line": line})) == ()


@pytest.mark.parametrize("line", [0, -1, "", True])
def test_debug__anything_else_is_no_line(line: int | str) -> None:
    sample = json.loads((EXAMPLES / "valid" / "debug-diagnosis.json").read_text(encoding="utf-8"))
    (problem,) = refused("debug-diagnosis.json", {**sample, "root_cause_line": line})
    assert problem.where.json_path == "$.root_cause_line"


def test_artifact__a_name_that_nobody_knows_is_told_so() -> None:
    problem = unknown_name("worker_result.json", Where(path="worker_result.json"))
    assert (problem.code, "worker-result.json" in problem.hint) == ("PG703", True)


@pytest.mark.parametrize(("text", "code", "place"), [
    ("", "PG001", "1:1"),
    ('{\n  "verdict": "PA', "PG001", "2:14"),
    ('{\r\n  "verdict": "PASS",\r\n}', "PG001", "2:20"),
    ('\ufeff{"verdict": "PASS"}', "PG005", "1:1"),
    ('{"verdict": "FAIL",\n "verdict": "PASS"}', "PG002", "2:2"),
    ('{"phase_1": ' + "[" * 10_000 + "]" * 10_000 + "}", "PG004", "1:44"),
    ('{"a": "' + "x" * 1_100_000 + '"}', "PG004", "1:1"),
    ('{"a": "\\ud800"}', "PG005", "1:8"), ("[]", "PG021", "1:1"), ('"PASS"', "PG021", "1:1"), ("null", "PG021", "1:1"),
    ("{} {}", "PG006", "1:4"),
])  # fmt: skip
def test_json__bad_texts_are_answered_with_their_place(text: str, code: str, place: str) -> None:
    problem = refused("test-result.json", text)[0]
    assert (problem.code, str(problem.where)) == (code, f"test-result.json:{place}")
    assert problem.hint


@pytest.mark.parametrize(("text", "code"), [
    ("issue: 'x", "PG010"), ("issue: 1\nissue: 2", "PG012"), ("issue: &a b", "PG011"),
    ("stages: !!python/object:os.system {}", "PG011"),
    ("issue: 1\n---\nissue: 2", "PG011"), ("[" * 10_000, "PG013"), ("a: " + "x" * 200_000, "PG013"),
    ("- issue", "PG021"), ("", "PG021"), ("current_stage: on", "PG022"), ("issue_number: '42'", "PG021"),
    ("stages: {test: {result: passed}}", "PG022"),
    ("acceptance_criteria: [{text: x}]", "PG020"),
])  # fmt: skip
def test_state__bad_texts_are_answered(text: str, code: str) -> None:
    assert refused("state.yaml", text)[0].code == code


def test_json__windows_line_ends_are_read() -> None:
    text = json.dumps(TEST, indent=2).replace("\n", "\r\n")
    assert own_problems(read("test-result.json", text)) == ()


def test_artifact__very_many_faults_are_bounded() -> None:
    plan = {**SOUND["plan.json"], "steps": [{"order": "1"}] * 5_000}
    assert len(refused("plan.json", plan)) <= 101


def test_artifact__every_fault_is_found_not_only_the_first() -> None:
    found = refused("git-result.json", {"branch": "", "commit_sha": "xyz", "pr_number": "7"})
    assert [problem.code for problem in found] == ["PG020", "PG024", "PG024", "PG021"]


def test_read_artifact__answers_with_the_document_it_was_given() -> None:
    (problem,) = read_artifact("plan.json", "", Where(url="https://example.org/x")).problems
    assert str(problem.where) == "https://example.org/x:1:1"


def test_shapes__of_very_many_checks_errors_go_first() -> None:
    phase = {f"c{number}": "PASS" for number in range(300)} | {"last": {"result": "PASS", "exit_code": 1}}
    found = read("test-result.json", {**TEST, "phase_1": phase}).problems
    assert len(found) == 100
    assert [item.code for item in found[:2]] == ["PG730", "PG705"]


@pytest.mark.parametrize(
    ("key", "codes"), [("previous", {"PG701"}), ("runs", {"PG701", "PG730"}), ("resolved", {"PG701", "PG730"})]
)
def test_contrary__only_the_key_of_what_was_before_tells_of_earlier_times(key: str, codes: set[str]) -> None:
    phase = {"unit": {"result": "PASS", key: [{"status": "failed"}]}}
    assert {item.code for item in read("test-result.json", {**TEST, "phase_1": phase}).problems} == codes
