"""route: what each message asks for next."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from phasegate.cli.main import main
from phasegate.dialects.envelope.declaration import TYPES

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "envelope"
NEXT = {
    "worker_submission": [("reviewer", "review_verdict"), ("auditor", "audit_verdict")],
    "blocked": [("orchestrator", "task_assignment")],
    "escalate": [("user", None)],
    "review_verdict": [("worker", "approval")],
    "with-notes": [("worker", "approval")],
    "failing-without-findings": [("worker", "revision_request")],
    "audit_verdict": [("worker", "approval")],
    "triage_result": [("architect", "architecture_request")],
    "research-needed": [("researcher", "research_request")],
    "plan_result": [("worker", "task_assignment")],
    "research_result": [("architect", "architecture_request")],
    "task_assignment": [("worker", "worker_submission")],
    "revision_request": [("worker", "worker_submission")],
    "approval": [("worker", None)],
    "triage_request": [("architect", "triage_result")],
    "architecture_request": [("architect", "plan_result")],
    "research_request": [("researcher", "research_result")],
}


@pytest.mark.parametrize("name", NEXT)
def test_route__says_who_is_next(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["route", "--json", str(EXAMPLES / "valid" / f"{name}.md")], {}) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [(step["to"], step["answer"]) for step in answer["steps"]] == NEXT[name]
    assert all(step["says"] for step in answer["steps"])


def test_route__knows_every_type() -> None:
    assert set(TYPES) <= set(NEXT)


@pytest.mark.parametrize("path", sorted((EXAMPLES / "valid").iterdir()), ids=lambda path: path.name)
def test_route__every_valid_message_leads_somewhere(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["route", str(path)], {}) == 0
    assert ":" in capsys.readouterr().out


def test_route__a_plan_with_blockers_goes_to_the_user(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = (EXAMPLES / "valid" / "plan_result.md").read_text(encoding="utf-8")
    path = tmp_path / "plan.md"
    path.write_text(plan.replace("has_blockers: false", "has_blockers: true"), encoding="utf-8")
    assert main(["route", str(path)], {}) == 0
    assert "user: " in capsys.readouterr().out


def test_route__a_broken_message_is_routed_nowhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "verdict.md"
    verdict = (EXAMPLES / "valid" / "review_verdict.md").read_text(encoding="utf-8")
    path.write_text(verdict.replace("signal: pass", "signal: PASS"), encoding="utf-8")
    assert main(["route", str(path)], {}) == 1
    shown = capsys.readouterr().out
    assert "PG022" in shown
    assert "routed nowhere" in shown


def test_route__a_text_without_message_is_a_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "text.md"
    path.write_text("Looks good.\n", encoding="utf-8")
    assert main(["route", str(path)], {}) == 2
    assert "no envelope" in capsys.readouterr().err
