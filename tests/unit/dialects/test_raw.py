"""What raw texts tell all the same: objections in any writing, and the roles that a key names."""

from __future__ import annotations

import time

import pytest

from phasegate.dialects.raw import named_by_key, objects

ROLES = ("judge", "inspector", "our-reviewer")


@pytest.mark.parametrize("text", [
    "verdict: Failed", "\uff26\uff21\uff29\uff2c", "FA\u200bIL", "&#70;AIL", '"severity": "high"', "CRITICAL",
    'must_fix: ["the clock"]', 'must-fix = "J1"', "our word: reject!",
])  # fmt: skip
def test_objects__in_any_writing(text: str) -> None:
    assert objects(text, ["reject"])


@pytest.mark.parametrize(
    "text",
    ["", "pending", "must_fix: []", '"must_fix": null', "highly likely", "rejecting nothing", '{"severity": "LOW"}'],
)
def test_objects__not_to_a_placeholder(text: str) -> None:
    assert not objects(text, ["reject"])


@pytest.mark.parametrize(("text", "named"), [
    ('"role": "judge", "summary": "ask the inspector"', ["judge"]),
    ("role: [judge, inspector]", ["judge", "inspector"]),
    ('"role": {"name": "our-reviewer"}, "verdict": "FAIL"', ["our-reviewer"]),
    ("role=jkz-judge verdict=FAIL by=inspector", ["judge"]),
    ('"agent_role" : "JUDGE"', ["judge"]),
    ('{"role": "insp', ["inspector"]),
    ('"roles": ["nobody", "judge"]', ["judge"]),
    ("<role>judge</role>", ["judge"]), (f"role:{' ' * 200}judge", ["judge"]), (f"role{'.' * 60}: judge", ["judge"]),
    ("the role of the judge", []), ('{"role": "nobody"}', []),
])  # fmt: skip
def test_named_by_key__in_any_writing(text: str, named: list[str]) -> None:
    assert list(dict.fromkeys(named_by_key("role", text, ROLES))) == named


@pytest.mark.parametrize(
    "piece",
    ["role: ", "must_fix[", "/*", "//", "/**/", "   ", "role:   ", "jJ1 ", "\\\\", "severity ", "role:a,b,", "&amp;"],
)
def test_raw__takes_linear_time(piece: str) -> None:
    text = piece * (65_536 // len(piece))
    begin = time.process_time()
    objects(text, ["reject"])
    list(named_by_key("role", text, ROLES))
    assert time.process_time() - begin < 2
