"""Keys: slips of a known one, and deciding keys whose values contradict a pass."""

from __future__ import annotations

import pytest

from phasegate.reading.document import Json
from phasegate.reading.keys import FAILED, NOT_PASSED, contradictions, slip_of

KNOWN = {"verdict": False, "status": False, "phase_1": True, "phase_2": True, "blockers": True, "text": False}


@pytest.mark.parametrize(("key", "value", "meant"), [
    ("Verdict", "FAIL", "verdict"), ("verdict ", "FAIL", "verdict"), ("v\u0435rdict", "FAIL", "verdict"),
    ("b1ockers", [], "blockers"), ("phase2", {}, "phase_2"), ("verdct", "FAIL", "verdict"),
    ("verdcit", "FAIL", "verdict"), ("verdikt", "FAIL", "verdict"), ("verdicts", "FAIL", "verdict"),
    ("blocker", ["x"], "blockers"), ("blokers", ["x"], "blockers"),
])  # fmt: skip
def test_slip_of__is_the_key_that_was_meant(key: str, value: Json, meant: str) -> None:
    assert slip_of(key, value, KNOWN) == meant


@pytest.mark.parametrize(("key", "value"), [
    ("verdict", "FAIL"),  # one of its own
    ("stats", {"passed": 3}),  # an object where status holds a word
    ("verdicts", ["PASS"]),
    ("phase_3", {}),  # a number is no slip
    ("phase", {}),
    ("test", "x"),  # too short to tell
    ("verd", "x"),
    ("final_verdict", "x"),
])  # fmt: skip
def test_slip_of__is_no_other_word(key: str, value: Json) -> None:
    assert slip_of(key, value, {**KNOWN, "phase_1": False, "phase_2": False} if key == "phase" else KNOWN) is None


@pytest.mark.parametrize(("document", "path"), [
    ({"tests_failed": 3}, ("tests_failed",)),
    ({"testsFailed": "3"}, ("testsFailed",)),
    ({"exit_code": "1"}, ("exit_code",)),
    ({"returncode": {"unit": 0, "lint": 2}}, ("returncode",)),
    ({"ran": False}, ("ran",)), ({"tests_run": 0}, ("tests_run",)), ({"passed": 0}, ("passed",)),
    ({"skipped": True}, ("skipped",)),
    ({"actual_verdict": "FAIL"}, ("actual_verdict",)),
    ({"decision": "REQUEST_CHANGES"}, ("decision",)),
    ({"must_fix": ["J1"]}, ("must_fix",)),
    ({"errors": {"lint": 0, "types": 2}}, ("errors",)),
    ({"details": [{"result": "PASS"}, {"status": "failed"}]}, ("details", 1, "status")),
    ({"runs": [{"status": "failed"}]}, ("runs", 0, "status")),
    ({"resolved": {"verdict": "FAIL"}}, ("resolved", "verdict")),
    ({"summary": {"verdict": ["PASS", "FAIL"]}}, ("summary", "verdict")),
])  # fmt: skip
def test_contradictions__are_found_at_any_depth(document: Json, path: tuple[str | int, ...]) -> None:
    assert [way for way, _ in contradictions(document, NOT_PASSED)] == [path]


@pytest.mark.parametrize("document", [
    {"tests_failed": 0, "failed_tests": "none", "errors": {"lint": 0}, "failed": "0 of 41", "exit_code": "0"},
    {"previous": {"result": "FAIL"}, "details": {"previous": [{"result": "FAIL"}]}},
    {"previous_result": "FAIL", "known_failures": 2, "skipped": 3, "passed": 41, "timeout": 300},
])  # fmt: skip
def test_contradictions__are_not_what_was_before_or_is_nothing(document: Json) -> None:
    assert list(contradictions(document, NOT_PASSED, ("previous",))) == []


def test_contradictions__what_was_not_run_did_not_fail() -> None:
    assert list(contradictions({"ran": False, "skipped": True, "passed": 0}, FAILED)) == []
