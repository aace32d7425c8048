"""The report as JSON: the keys that others rely on, and the same bytes each time."""

from __future__ import annotations

import json

from phasegate.model.report import State
from phasegate.report.data import report_data, report_text
from tests.unit.report.builders import HEAD, comment, failing_report, overridden, phase, report
from tests.unit.report.oracle import commands


def test_report_data__begins_with_what_matters() -> None:
    data = report_data(failing_report())
    assert {key: value for key, value in data.items() if not isinstance(value, (dict, list))} == {
        "report": 1,
        "repository": "octo/shop",
        "pull_request": 12,
        "url": "https://github.com/octo/shop/pull/12",
        "head": HEAD,
        "context": "phase-gate",
        "state": "failure",
        "description": "Build: Judge failed 3f2a91c: J1, J2; waiting for Inspector on 3f2a91c",
        "next_action": "Doctor: fix J1, J2, push, then ask Judge again",
        "note": "",
    }
    assert list(data)[-6:] == ["route", "phases", "signals", "acts", "problems", "provenance"]


def test_report_data__phases_are_keyed_by_name() -> None:
    phases = json.loads(report_text(failing_report()))["phases"]
    assert list(phases) == ["plan", "build", "qa"]
    build = phases["build"]
    assert (build["state"], build["context"], build["where"]) == ("failure", "phase-gate/build", "pull_request")
    assert build["needs"][0] == {
        "kind": "seat",
        "name": "judge",
        "state": "failed",
        "why": "failed",
        "text": "Judge failed 3f2a91c: J1, J2",
        "todo": "Doctor: fix J1, J2, push, then ask Judge again",
        "signal": "comment-3/verdict",
        "commit": HEAD,
        "said": "FAIL",
        "actor": "doctor",
        "findings": ["J1", "J2"],
        "code": None,
    }
    assert build["rounds"][2] == {
        "content": "sha256:3f2a91c",
        "label": "3f2a91c",
        "current": True,
        "findings": [],
        "fixed": [],
        "votes": [{"role": "judge", "outcome": "FAIL", "signal": "-"}],
    }


def test_report_data__signals_keep_what_was_said_and_what_became_of_it() -> None:
    _, ignored, counted = json.loads(report_text(failing_report()))["signals"]
    assert (ignored["said"], ignored["outcome"], ignored["disposition"]) == ("PASS", None, "ignored")
    assert ignored["author"] == {"login": "eve", "id": 2}
    findings = counted.pop("findings")
    assert counted == {
        "id": "comment-3/verdict",
        "dialect": "jkz",
        "kind": "verdict",
        "role": "judge",
        "phase": "build",
        "said": "FAIL",
        "outcome": "FAIL",
        "author": {"login": "jkz-runner[bot]", "id": 3},
        "at": "2026-01-31T09:00:00Z",
        "url": comment(3),
        "issue": None,
        "commit": HEAD,
        "fresh": False,
        "disposition": "counted",
        "reason": "latest vote of its role",
        "title": "",
        "must_fix": ["J1", "J2"],
        "false_positives": [],
        "problems": [],
    }
    assert findings[0] == {
        "id": "J1",
        "severity": "HIGH",
        "summary": "Expired tokens are accepted",
        "location": "src/auth.py:42",
        "root_cause": "missing_validation",
        "fix_hint": "Compare exp with now",
        "blocking": True,
    }


def test_report_data__problems_say_where() -> None:
    problem = json.loads(report_text(failing_report()))["problems"][1]
    assert problem == {
        "code": "PG112",
        "severity": "error",
        "message": 'must_fix names "J3", which is not in issues[] (has J1, J2)',
        "where": {"url": comment(3), "path": None, "line": 4, "column": 7, "json_path": "$.must_fix[2]"},
        "hint": "Remove it or add the finding.",
    }


def test_report_data__acts_keep_both_reasons() -> None:
    act = json.loads(report_text(failing_report()))["acts"][1]
    assert (act["verb"], act["phase"], act["counts"]) == ("override", "build", False)
    assert (act["reason"], act["refusal"]) == ("ship it", "mona opened this pull request")


def test_report_data__route_names_its_source() -> None:
    data = json.loads(report_text(failing_report()))["route"]
    assert (data["type"], data["source"], data["quick"], data["qa_required"]) == (
        "bug",
        'label "bug" of #7',
        False,
        False,
    )
    assert data["issues"][0]["number"] == 7
    assert report_data(report(State.ERROR))["route"] is None


def test_report_text__is_the_same_each_time_and_fit_for_a_log() -> None:
    assert report_text(failing_report()) == report_text(failing_report())
    assert report_text(failing_report()).endswith("}\n")
    assert commands(report_text(report(State.ERROR, phase("qa", notes=(overridden("::error::x\n##[error]y"),))))) == []
