"""The formats of real pipelines, described as data: each sample says what it should, and its twins never pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from phasegate.dialects.described.words import as_time
from phasegate.model.signal import Asks, Medium, Outcome, Signal
from tests.unit.dialects.described.shelf import NAMES, SHA, codes, codes_of, described, of, read, said, sample, text_of

REVIEW, FILE, CHECK = Medium.REVIEW, Medium.FILE, Medium.CHECK_RUN
PASS, FAIL, BLOCKED = Outcome.PASS, Outcome.FAIL, Outcome.BLOCKED

CLEAN = {"status": "completed", "conclusion": "neutral"}
CLAUDE: dict[str, Any] = {"medium": CHECK, "app_id": 1236702, "commit": SHA}
CLAUDE_RUN = {**CLEAN, "name": "Claude Code Review", "title": "Code review found no issues"}
BUGBOT: dict[str, Any] = {"medium": CHECK, "app_id": 1210556, "commit": SHA}
GSD: dict[str, Any] = {"medium": FILE, "path": ".planning/phases/07-billing/07-VERIFICATION.md"}
BMAD: dict[str, Any] = {"medium": FILE, "path": "docs/qa/gates/2.1-refunds.yml"}
RALPH: dict[str, Any] = {"medium": FILE, "path": ".ralph/prd.json"}
RESULT: dict[str, Any] = {"medium": FILE, "path": ".results/42/review-result.json"}
AI_SDLC: dict[str, Any] = {"medium": FILE, "path": f".ai-sdlc/transcript-leaves/{SHA}.jsonl"}
CODE_RABBIT: dict[str, Any] = {"medium": REVIEW, "commit": SHA, "state": "COMMENTED"}

# format, sample, how it comes, and what each role says: its outcome, commit and number of findings
SAMPLES: list[tuple[str, str, dict[str, Any], dict[str, tuple[Outcome | None, str | None, int]]]] = [
    ("prflow", "pass.md", {}, {"reviewer": (PASS, SHA, 0)}),
    ("prflow", "fail.md", {"medium": REVIEW}, {"reviewer": (FAIL, SHA, 0)}),
    ("phoenix", "pass.md", {}, {"code-review": (PASS, SHA[:8], 0)}),
    ("phoenix", "fail.md", {}, {"doc-review": (FAIL, SHA[:8], 0)}),
    ("dev-loops", "pass.md", {"medium": REVIEW}, {"final-gate": (PASS, SHA, 0)}),
    ("dev-loops", "fail.md", {"medium": REVIEW}, {"draft-gate": (FAIL, SHA, 0)}),
    ("al-runner", "pass.md", {}, {"merge-judge": (PASS, SHA, 0)}),
    ("al-runner", "fail.md", {}, {"merge-judge": (FAIL, SHA, 0)}),
    ("al-runner", "blocked.md", {}, {"merge-judge": (BLOCKED, SHA, 0)}),
    ("apm2", "both.md", {}, {"security": (PASS, SHA, 0), "code-quality": (FAIL, SHA, 0)}),
    ("ai-sdlc", "both.jsonl", AI_SDLC, {"code-reviewer": (PASS, SHA, 0), "security-reviewer": (FAIL, SHA, 1)}),
    ("ralph", "pass.json", RALPH, {"ralph": (PASS, None, 0)}),
    ("ralph", "fail.json", RALPH, {"ralph": (FAIL, None, 0)}),
    ("ralph", "empty.json", RALPH, {"ralph": (None, None, 0)}),
    ("marked-json", "pass.md", {}, {"second-referee": (PASS, None, 0)}),
    ("marked-json", "fail.md", {}, {"referee": (FAIL, None, 1)}),
    ("message-schema", "pass.md", {}, {"message-reviewer": (PASS, None, 0)}),
    ("message-schema", "fail.md", {}, {"message-reviewer": (FAIL, None, 0)}),
    ("message-schema", "escalate.md", {}, {"message-reviewer": (BLOCKED, None, 0)}),
    ("review-result", "pass.json", RESULT, {"review-result": (PASS, None, 0)}),
    ("review-result", "fail.json", RESULT, {"review-result": (FAIL, None, 1)}),
    ("agent-response", "pass.md", {}, {"verifier": (PASS, None, 0)}),
    ("agent-response", "fail.md", {}, {"verifier": (FAIL, None, 1)}),
    ("plain-fence", "pass.md", {}, {"fenced": (PASS, SHA, 0)}),
    ("plain-fence", "fail.md", {}, {"fenced": (FAIL, SHA, 0)}),
    ("marker-words", "pass.md", {}, {"stamper": (PASS, SHA, 0)}),
    ("marker-words", "fail.md", {}, {"second-stamper": (FAIL, SHA[:12], 0)}),
    ("marker-words", "vetoed.md", {}, {"stamper": (FAIL, SHA, 0)}),
    ("marker-words", "other-veto.md", {}, {"stamper": (FAIL, SHA, 0)}),
    ("devin", "pass.md", {"medium": REVIEW}, {"devin": (PASS, None, 0)}),
    ("devin", "flags.md", {"medium": REVIEW}, {"devin": (PASS, None, 0)}),
    ("sourcery", "pass.md", {"medium": REVIEW}, {"sourcery": (PASS, None, 0)}),
    ("sourcery", "fail.md", {"medium": REVIEW}, {"sourcery": (FAIL, None, 0)}),
    ("qodo", "pass.md", {}, {"qodo": (PASS, SHA, 0)}),
    ("qodo", "fail.md", {}, {"qodo": (FAIL, SHA, 0)}),
    ("coderabbit", "pass.md", {}, {"coderabbit": (PASS, SHA, 0)}),
    ("coderabbit", "fail.md", {}, {"coderabbit": (FAIL, SHA, 1)}),
    ("coderabbit", "limited.md", {}, {"coderabbit": (BLOCKED, None, 0)}),
    ("coderabbit", "review.md", CODE_RABBIT, {"coderabbit": (FAIL, None, 1)}),
    ("codex", "pass.md", {}, {"codex": (PASS, SHA[:10], 0)}),
    ("codex", "older.md", {}, {"codex": (BLOCKED, None, 0)}),
    ("codex", "fail.md", {"medium": REVIEW}, {"codex": (FAIL, None, 1)}),
    ("copilot", "pass.md", {"medium": REVIEW}, {"copilot": (PASS, None, 0)}),
    ("copilot", "fail.md", {"medium": REVIEW}, {"copilot": (FAIL, None, 1)}),
    ("copilot", "partly.md", {"medium": REVIEW}, {"copilot": (BLOCKED, None, 0)}),
    ("copilot", "suppressed.md", {"medium": REVIEW}, {"copilot": (BLOCKED, None, 0)}),
    ("copilot", "nothing.md", {"medium": REVIEW}, {"copilot": (None, None, 0)}),
    ("claude-review", "pass.md", {**CLAUDE, "fields": CLAUDE_RUN}, {"claude-review": (PASS, None, 0)}),
    ("claude-review", "fail.md", {**CLAUDE, "fields": CLAUDE_RUN}, {"claude-review": (FAIL, None, 2)}),
    ("greptile", "pass.md", {}, {"greptile": (PASS, SHA, 0)}),
    ("greptile", "fail.md", {}, {"greptile": (FAIL, SHA, 0)}),
    ("gsd", "pass.md", GSD, {"gsd": (PASS, None, 0)}),
    ("gsd", "fail.md", GSD, {"gsd": (FAIL, None, 1)}),
    ("gsd", "contradiction.md", GSD, {"gsd": (FAIL, None, 0)}),
    ("bmad", "pass.yml", BMAD, {"bmad": (PASS, None, 1)}),
    ("bmad", "fail.yml", BMAD, {"bmad": (FAIL, None, 0)}),
    ("bmad", "waived.yml", BMAD, {"bmad": (PASS, None, 0)}),
]


def told(signals: tuple[Signal, ...]) -> dict[str, tuple[Outcome | None, str | None, int]]:
    """What each role says."""
    return {each.roles[0]: (each.outcome, each.commit, len(each.findings)) for each in signals}


@pytest.mark.parametrize(("name", "file", "comes", "expected"), SAMPLES, ids=lambda value: str(value)[:24])
def test_sample__says_what_it_should(name: str, file: str, comes: dict[str, Any], expected: dict[str, Any]) -> None:
    signals = read(described(name), text_of(sample(f"{name}/{file}"), **comes))
    assert told(signals) == expected
    sound = [each for each in signals if each.outcome in (PASS, FAIL)]
    assert [codes(each) for each in sound if each.outcome is PASS] == [[] for each in sound if each.outcome is PASS]


def test_examples__are_all_read() -> None:
    in_check_runs = {"bugbot"}
    assert {name for name, *_ in SAMPLES} | in_check_runs == set(NAMES)


PASSES = [
    (name, file, comes) for name, file, comes, expected in SAMPLES if any(o is PASS for o, *_ in expected.values())
]
ON_PAGES = [item for item in PASSES if item[2].get("medium") not in (FILE, CHECK)]


def quoted(body: str) -> str:
    return "".join(f"> {line}\n" for line in body.splitlines())


TWINS: dict[str, Callable[[str], str]] = {
    "quoted": quoted,
    "in a fence": lambda body: f"For example:\n\n~~~~text\n{body}~~~~\n",
    "twice": lambda body: f"{body}\n{body}",
    "echoed before": lambda body: f"{quoted(body)}\n{body}",
    "echoed after": lambda body: f"{body}\n{quoted(body)}",
    "upper": str.upper,
    "in a list": lambda body: "- said:\n\n" + "".join(f"  {line}\n" for line in body.splitlines()),
    "in details": lambda body: f"<details>\n\n{body}\n</details>\n",
}
LOUD = ("in a fence", "twice", "upper")  # an invalid word, and not silence


@pytest.mark.parametrize("twin", TWINS)
@pytest.mark.parametrize(("name", "file", "comes"), ON_PAGES, ids=lambda value: str(value)[:24])
def test_twin__never_passes(name: str, file: str, comes: dict[str, Any], twin: str) -> None:
    body = TWINS[twin](sample(f"{name}/{file}").replace("\r\n", "\n"))
    signals = read(described(name), text_of(body, **comes))
    assert [each.outcome for each in signals if each.outcome is PASS] == []
    assert all(each.problems for each in signals)
    assert signals or twin not in LOUD


OUTSIDE = [
    ("prflow", "pass.md", "APPROVE", {}),
    ("phoenix", "pass.md", "PASS", {}),
    ("dev-loops", "pass.md", "clean", {}),
    ("al-runner", "pass.md", "MERGE", {}),
    ("marked-json", "pass.md", "PASS", {}),
    ("message-schema", "pass.md", "pass_with_notes", {}),
    ("plain-fence", "pass.md", '"ok"', {}),
    ("marker-words", "pass.md", ":ok:", {}),
    ("coderabbit", "pass.md", '"reviewed"', {}),
    ("gsd", "pass.md", "passed", GSD),
    ("bmad", "pass.yml", "CONCERNS", BMAD),
    ("ralph", "pass.json", "true", RALPH),
    ("review-result", "pass.json", "PASS", RESULT),
]


@pytest.mark.parametrize("other", ["maybe", "PASS-FAIL", "Approve", "1"])
@pytest.mark.parametrize(("name", "file", "word", "comes"), OUTSIDE, ids=lambda value: str(value)[:24])
def test_value_outside_of_the_map__is_an_invalid_word(
    name: str, file: str, word: str, comes: dict[str, Any], other: str
) -> None:
    kept = f'"{other}"' if name == "ralph" else word.replace(word.strip('":'), other)
    signals = read(described(name), text_of(sample(f"{name}/{file}").replace(word, kept, 1), **comes))
    (signal,) = signals
    assert signal.outcome is None
    assert {"PG912", "PG914", "PG022"} & set(codes(signal))
    assert signal.roles


@pytest.mark.parametrize("body", ["", " ", "\n", "{}", "[]", "null"])
@pytest.mark.parametrize("name", ["ralph", "ai-sdlc", "review-result", "bmad"])
def test_empty_file__is_no_pass(name: str, body: str) -> None:
    comes = {"ralph": RALPH, "ai-sdlc": AI_SDLC, "review-result": RESULT, "bmad": BMAD}[name]
    signals = read(described(name), text_of(body, **comes))
    assert signals
    assert all(each.outcome is None and each.problems for each in signals)


@pytest.mark.parametrize(("name", "file", "comes"), ON_PAGES, ids=lambda value: str(value)[:24])
def test_line_ends_of_the_web_form__change_nothing(name: str, file: str, comes: dict[str, Any]) -> None:
    body = sample(f"{name}/{file}")
    plain, other = (read(described(name), text_of(text, **comes)) for text in (body, body.replace("\n", "\r\n")))
    assert told(other) == told(plain)


@pytest.mark.parametrize(("name", "file", "comes", "asks", "notes", "run"), [
    ("message-schema", "escalate.md", {}, (Asks.HUMAN,), None, None),
    ("message-schema", "pass.md", {}, (), None, None),
    ("bmad", "waived.yml", BMAD, (Asks.HUMAN,), "Known", None),
    ("plain-fence", "pass.md", {}, (), None, "nightly-7"),
])  # fmt: skip
def test_word__asks_for_a_human_and_keeps_notes_and_run(  # noqa: PLR0913, PLR0917  (a row)
    name: str, file: str, comes: dict[str, Any], asks: tuple[Asks, ...], notes: str | None, run: str | None
) -> None:
    signal = said(described(name), sample(f"{name}/{file}"), **comes)
    assert signal.asks == asks
    assert notes in (None, signal.notes)
    assert run in (None, signal.run)


def test_name_in_path_and_document__must_agree() -> None:
    signal = said(described("gsd"), sample("gsd/pass.md"), FILE, path=".planning/phases/08-x/07-VERIFICATION.md")
    assert (signal.outcome, codes(signal)) == (None, ["PG915"])


def test_two_forms_at_once__are_invalid() -> None:
    signal = said(of(TWO_FORMS), "Result: clean\n\nNotice: limited\n")
    assert (signal.outcome, signal.roles) == (None, ("reviewer",))
    assert "PG916" in codes(signal)


def test_two_ordered_forms_at_once__the_first_counts() -> None:
    signal = said(of(f"{TWO_FORMS}ordered: true\n"), "Result: clean\n\nNotice: limited\n")
    assert (signal.outcome, signal.said) == (BLOCKED, "limited")
    body = sample("coderabbit/pass.md") + "\n" + sample("coderabbit/limited.md")
    assert said(described("coderabbit"), body).outcome is BLOCKED


def test_ordered_forms__never_hide_what_never_passes() -> None:
    first, second = TWO_FORMS.split("  clean:")
    head, notice = first.split("  notice:")
    assert codes_of(f"{head}  clean:{second}  notice:{notice}ordered: true\n") == ["PG907"]


def test_phrases_anywhere__tell_no_form_that_may_pass() -> None:
    assert codes_of(TWO_FORMS.replace("outcome: blocked", "outcome: pass")) == ["PG905"]


@pytest.mark.parametrize(("written", "meant"), [
    ("2026-10-16T00:00:00Z", "2026-10-16T00:00:00Z"),
    ("2026-10-16", "2026-10-16T00:00:00Z"),
    ("2026-10-16T02:00:00.5+02:00", "2026-10-16T00:00:00Z"),
    ("2026-10-16 00:00", "2026-10-16T00:00:00Z"),
    ("2026-13-16", None), ("0001-01-01T00:00:00+09:00", None), ("tomorrow", None), ("٢٠٢٦-10-16", None),
])  # fmt: skip
def test_time__is_read_as_utc_or_not_at_all(written: str, meant: str | None) -> None:
    assert as_time(written) == meant


TWO_FORMS = """\
roles: {reviewer: {does: challenges}}
role: reviewer
in: [comment]
forms:
  notice:
    read: {words: {says: {"Notice: limited": limited}}}
    outcome: blocked
  clean:
    read: {word: {first_line: true, pattern: 'Result: (?P<word>[a-z]{1,9})'}}
    outcome: {of: word/word, map: {clean: pass}}
"""


def bugbot(body: str, **fields: str) -> dict[str, tuple[Outcome | None, str | None, int]]:
    """What Bugbot's check run says with this summary."""
    shown = {"name": "Cursor Bugbot", "status": "completed", "title": "Bugbot Review", "summary": body, **fields}
    return told(read(described("bugbot"), text_of("", fields=shown, **BUGBOT)))


def test_check_run__is_read_by_title_summary_and_conclusion() -> None:
    assert bugbot(sample("bugbot/pass.md"), conclusion="success") == {"bugbot": (PASS, None, 0)}
    assert bugbot(sample("bugbot/fail.md"), conclusion="neutral") == {"bugbot": (FAIL, None, 0)}
    assert bugbot(sample("bugbot/pass.md"), conclusion="skipped") == {"bugbot": (BLOCKED, None, 0)}
    assert bugbot("Bugbot run failed", title="Error", conclusion="neutral") == {"bugbot": (BLOCKED, None, 0)}
    assert bugbot("", status="in_progress") == {"bugbot": (BLOCKED, None, 0)}
    assert bugbot(sample("bugbot/pass.md"), name="Another", conclusion="success") == {}


@pytest.mark.parametrize("app", [15368, 1, None])
def test_check_run_of_another_app__says_nothing(app: int | None) -> None:
    shown = {"name": "Cursor Bugbot", "status": "completed", "title": "Bugbot Review", "conclusion": "success"}
    text = text_of("", CHECK, app_id=app, fields={**shown, "summary": sample("bugbot/pass.md")})
    assert read(described("bugbot"), text) == ()
