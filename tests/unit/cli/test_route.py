"""route: what each message asks for next."""

from __future__ import annotations

from pathlib import Path

import pytest

from phasegate.dialects.envelope.declaration import TYPES
from tests.unit.cli.shell import Shell, written

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
def test_route__says_who_is_next(shell: Shell, name: str) -> None:
    done = shell("route", "--json", EXAMPLES / "valid" / f"{name}.md")
    assert done.code == 0
    answer = done.data
    assert [(step["to"], step["answer"]) for step in answer["steps"]] == NEXT[name]
    assert all(step["says"] for step in answer["steps"])


def test_route__knows_every_type() -> None:
    assert set(TYPES) <= set(NEXT)


@pytest.mark.parametrize("path", sorted((EXAMPLES / "valid").iterdir()), ids=lambda path: path.name)
def test_route__every_valid_message_leads_somewhere(shell: Shell, path: Path) -> None:
    done = shell("route", path)
    assert (done.code, ":" in done.out) == (0, True)


@pytest.mark.parametrize(("name", "old", "new", "code", "said"), [
    ("plan_result", "has_blockers: false", "has_blockers: true", 0, ["user: "]),
    ("review_verdict", "signal: pass", "signal: PASS", 1, ["PG022", "routed nowhere"]),
])  # fmt: skip
def test_route__what_it_holds_is_looked_at(  # noqa: PLR0913, PLR0917  (what is changed, and what is said)
    shell: Shell, tmp_path: Path, name: str, old: str, new: str, code: int, said: list[str]
) -> None:
    text = (EXAMPLES / "valid" / f"{name}.md").read_text(encoding="utf-8").replace(old, new)
    done = shell("route", written(tmp_path / "message.md", text))
    assert done.code == code
    assert [part for part in said if part not in done.out + done.err] == []


def test_route__a_text_without_message_is_a_mistake(shell: Shell, tmp_path: Path) -> None:
    done = shell("route", written(tmp_path / "text.md", "Looks good.\n"))
    assert (done.code, "no envelope" in done.err) == (2, True)
