"""Whatever stands in a text: nothing crashes the reader, nothing takes long, and nothing broken passes."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasegate.model.signal import Medium, Outcome
from tests.chance import examples
from tests.unit.dialects.described.shelf import NAMES, SHA, codes, described, of, read, said, sample, text_of

DIALECTS = {name: described(name) for name in NAMES}
PATHS = {
    "gsd": ".planning/phases/07-billing/07-VERIFICATION.md",
    "bmad": "docs/qa/gates/2.1.yml",
    "ralph": ".ralph/prd.json",
    "review-result": ".results/42/review-result.json",
    "ai-sdlc": f".ai-sdlc/transcript-leaves/{SHA}.jsonl",
}
RUNS = {"bugbot": (1210556, "Cursor Bugbot"), "claude-review": (4242, "Claude Code Review")}
BODIES = [sample(f"{path}") for path in ("prflow/pass.md", "apm2/both.md", "gsd/pass.md", "coderabbit/pass.md")]
SIGNS = ("<!-- ", " -->", "```", "~~~", "---\n", "> ", "- ", "\n", "\n\n", "    ", "#", "**", "`", "\t", "\r\n", "\x00")
WORDS = (
    *("prflow:review-verdict", "apm2-review-verdict:v1", "yaml", "json", "our:verdict-json", "hood:agent-response"),
    *("verdict=APPROVE", f"head={SHA}", "review-code: PASS @ d593624b", "Verdict: MERGE — head " + SHA, "Verdict:"),
    *("### Gate review: `draft_gate`", "**Verdict:** clean", "review_verdict", "stamp:ok:stamper:" + SHA),
    *("type: review_verdict\n", "signal: pass\n", '"fencedVerdict"', '{"verdict":"PASS","issues":[]}', "{", "}"),
    *("<details>", "</details>", "<pre>", "<h3>Confidence Score: 5/5</h3>", "💡 Codex Review", "[BLOCK-MERGE]"),
    *("Copilot reviewed 7 out of 7 changed files in this pull request and generated no comments.", "\ud800", "İ"),
)
SCRAPS = st.sampled_from(SIGNS + WORDS)


def texts_of(name: str, body: str) -> list[Outcome | None]:
    """The outcomes of a body in every medium that a format knows."""
    outcomes: list[Outcome | None] = []
    for medium in DIALECTS[name].media:
        given_facts: dict[str, Any] = {}
        if medium is Medium.FILE:
            given_facts = {"path": PATHS[name]}
        elif medium is Medium.CHECK_RUN:
            app, title = RUNS[name]
            fields = {"name": title, "status": "completed", "title": body[:100], "summary": body}
            fields["conclusion"] = "success"
            given_facts = {"app_id": app, "fields": fields}
        outcomes += [each.outcome for each in read(DIALECTS[name], text_of(body, medium, **given_facts))]
    return outcomes


@examples(150)
@given(st.lists(SCRAPS, max_size=30).map("".join))
def test_scraps__never_crash_the_reader(body: str) -> None:
    for name in NAMES:
        texts_of(name, body)


@examples(60)
@given(st.text(max_size=300), st.sampled_from(BODIES), st.integers(0, 400))
def test_text_inside_of_a_word__never_crashes_the_reader(inserted: str, body: str, at: int) -> None:
    for name in NAMES:
        texts_of(name, body[:at] + inserted + body[at:])


KEYS = st.sampled_from(["userStories", "passes", "verdict", "gate", "findings", "issue"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)


@examples(100)
@given(VALUES)
def test_any_json__never_crashes_the_reader(value: object) -> None:
    for name in ("ralph", "review-result", "ai-sdlc", "bmad"):
        texts_of(name, json.dumps(value))


SIZE = 65_536
LONG = [
    "> " * (SIZE // 2),
    "review-code: PASS @ " + "a" * SIZE,
    "Verdict: " * (SIZE // 9),
    "**Verdict:** clean\n" * (SIZE // 19),
    "<!-- prflow:review-verdict " * (SIZE // 27),
    "<!-- prflow:review-verdict " + "a=b " * (SIZE // 4) + "-->",
    "<!-- apm2-review-verdict:v1 -->\n```yaml\n" + "- " * (SIZE // 2) + "\n```\n",
    "<!-- apm2-review-verdict:v1 -->\n```yaml\ndimensions: {" + "a: {decision: approve}, " * 2000 + "}\n```\n",
    "---\ntype: review_verdict\n" + "a: [" * 2000 + "\n---\n",
    "[BLOCK-MERGE] " * 4000 + f"\n\n<!-- stamp:ok:stamper:{SHA} -->",
    "<h3>Confidence Score: 5/5</h3>\n" + "<div>" * 12_000,
]


@pytest.mark.parametrize("body", LONG, ids=lambda body: body[:20])
def test_long_text__takes_bounded_time_and_never_passes(body: str) -> None:
    for name in NAMES:
        began = time.process_time()
        outcomes = texts_of(name, body)
        assert time.process_time() - began < 2.5
        assert name == "marker-words" or Outcome.PASS not in outcomes


def test_problems_of_one_text__are_capped() -> None:
    dialect = of(
        """\
roles: {judge: {does: challenges}}
in: [comment]
read: {word: {marker: "our:word", as: json, schema: {additionalProperties: {type: string}}}}
role: judge
outcome: blocked
"""
    )
    body = ", ".join(f'"k{number}": {number}' for number in range(150))
    signal = said(dialect, f"<!-- our:word {{{body}}} -->")
    assert len(signal.problems) == 50
    assert signal.problems[-1].message.endswith("(and 50 more like it)")


def test_many_members__are_refused() -> None:
    many = "\n".join(f'{{"reviewerName":"code-reviewer","verdictApproved":true,"leafIndex":{n}}}' for n in range(65))
    (signal,) = read(DIALECTS["ai-sdlc"], text_of(many, Medium.FILE, path=PATHS["ai-sdlc"]))
    assert (signal.outcome, codes(signal)) == (None, ["PG922"])
    assert signal.roles == ("code-reviewer",)
