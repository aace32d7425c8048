"""The verdict block: every rule of the signal format, each with what keeps it and what breaks it."""

from __future__ import annotations

import json

import pytest

from phasegate.model.problem import Severity
from phasegate.model.signal import Outcome
from tests.casebook.world import JSON, block, finding
from tests.unit.dialects.jkz.readers import codes, read_one, says


def failing(*findings: JSON, **keys: object) -> JSON:
    """A FAIL with these findings, all of which must be fixed."""
    return {"verdict": "FAIL", "issues": list(findings), "must_fix": [item["id"] for item in findings], **keys}


def test_verdict__everything_in_it_reaches_the_signal() -> None:
    signal = says(failing(finding("J1"), finding("J2", severity="CRITICAL"), commit="3f2a91c"))
    assert (signal.outcome, signal.commit, signal.must_fix) == (Outcome.FAIL, "3f2a91c", ("J1", "J2"))
    first = signal.findings[0]
    assert (first.id, first.severity, first.summary) == ("J1", "HIGH", "Expired tokens are accepted")
    assert (first.location, first.root_cause) == ("src/auth.py:42", "missing_validation")
    assert (first.fix_hint, first.blocking) == ("Compare the expiry with the clock", True)
    assert codes(signal) == []
    assert says({"verdict": "PASS", "issues": []}).must_fix is None
    assert says({"verdict": "PASS", "issues": [], "must_fix": []}).must_fix == ()


@pytest.mark.parametrize(("role", "allowed"), [
    ("judge", {"PASS", "FAIL"}), ("inspector", {"PASS", "FAIL"}), ("builder", {"COMPLETE", "BLOCKED"}),
    ("architect", {"COMPLETE", "BLOCKED"}),
    ("doctor", {"FIXED", "PARTIAL", "BLOCKED"}),
])  # fmt: skip
@pytest.mark.parametrize("outcome", ["PASS", "FAIL", "COMPLETE", "BLOCKED", "FIXED", "PARTIAL"])
def test_verdict__each_kind_of_role_has_its_own_words(role: str, allowed: set[str], outcome: str) -> None:
    data: JSON = {"verdict": outcome, "issues": [], "must_fix": []}
    assert ("PG101" in codes(says(data, role))) is (outcome not in allowed)


@pytest.mark.parametrize(
    "word",
    ["pass", "Pass", "PASS ", " PASS", "PASSED", "OK", "", "\uff30\uff21\uff33\uff33", "PASS\u200b", "PASS|FAIL"],
)
def test_verdict__only_the_exact_word_is_a_verdict(word: str) -> None:
    signal = says({"verdict": word, "issues": []})
    assert (signal.outcome, codes(signal)) == (None, ["PG022"])


@pytest.mark.parametrize("word", [True, 1, None, ["PASS"], {"PASS": 1}])
def test_verdict__what_is_no_text_is_none(word: object) -> None:
    signal = says({"verdict": word, "issues": []})
    assert signal.outcome is None
    assert any(item.severity is Severity.ERROR for item in signal.problems)


@pytest.mark.parametrize(("text", "code"), [
    ("", "PG034"), ("PASS", "PG001"), ('["PASS"]', "PG021"), ("null", "PG021"), ('"PASS"', "PG021"),
    ("{'verdict': 'PASS'}", "PG001"),
    ('{"verdict": "PASS", "issues": []} {"verdict": "FAIL"}', "PG006"),
    ('{"verdict": "FAIL", "issues": [], "verdict": "PASS"}', "PG002"),
    ('{"verdict": "PASS", "issues": [], "x": 1e400}', "PG003"),
    ('{"verdict": "PASS", "issues": [], "x": "\\ud800"}', "PG005"),
    ('{"verdict": "PASS", "issues": ' + "[" * 40 + "]" * 40 + "}", "PG004"),
    ('{"verdict": "PASS"}', "PG020"),
    ('{"issues": []}', "PG020"),
    ('{"verdict": "PASS", "issues": {}}', "PG021"),
    ('{"verdict": "PASS", "issues": null}', "PG021"),
    ('{"verdict": "PASS", "issues": ["J1"]}', "PG021"),
])  # fmt: skip
def test_verdict__what_is_not_a_sound_object_has_no_outcome(text: str, code: str) -> None:
    signal = says(text)
    assert (signal.outcome, codes(signal)) == (None, [code])


@pytest.mark.parametrize("key", ["id", "severity", "summary", "location"])
def test_finding__has_an_id_a_severity_a_summary_and_a_location(key: str) -> None:
    data = {name: value for name, value in finding("J1").items() if name != key}
    signal = says({"verdict": "FAIL", "issues": [data], "must_fix": []})
    assert (codes(signal), signal.outcome) == (["PG020"], Outcome.FAIL)


FINE = ("J1", "J42", "J9999")
NO_IDS = ("J", "J0", "j1", "1", "JJ1", "J1a", "J 1", "J-1", "J10000", "J\u0661", "J1\n", "X1")
PLACES = (
    *("src/auth.py:42", "src/auth.py:42-50", "src/auth.py:42:7", "src/auth.py", "Rollout", "Section 3: Rollout"),
    "src/auth.py:" + "9" * 300,
)
NO_PLACES = (
    *("src/auth.py:0", "/etc/passwd:1", "~/src/auth.py:1", "../other/auth.py:1", "src/../../auth.py:1"),
    *("\\\\server\\share:1", "src/auth.py:1\n::error::x"),
)


@pytest.mark.parametrize(("key", "value", "expected"), [
    *(("id", name, []) for name in FINE),
    *(("id", name, ["PG108"]) for name in NO_IDS),
    *(("severity", word, ["PG022"]) for word in ("BLOCKER", "high", "CRITICAL|HIGH", "")),
    *(("location", place, []) for place in PLACES),
    *(("location", place, ["PG107"]) for place in NO_PLACES),
    *(("root_cause", cause, ["PG106"]) for cause in ("sloppy", "", "Implementation_Bug")),
    ("root_cause", None, []), ("fix_hint", None, ["PG123"]),
])  # fmt: skip
def test_finding__is_held_to_its_format(key: str, value: str | None, expected: list[str]) -> None:
    data = {name: told for name, told in {**finding("J1"), key: value}.items() if told is not None}
    assert codes(says(failing(data))) == expected


@pytest.mark.parametrize("severity", ["MEDIUM", "LOW"])
def test_finding__a_lesser_one_is_a_warning_and_blocks_nothing(severity: str) -> None:
    signal = says({"verdict": "PASS", "issues": [finding("J1", severity=severity)]})
    assert (codes(signal), signal.findings[0].blocking) == (["PG105"], False)


TWO = [finding("J1"), finding("J2")]

WHOLE: dict[str, tuple[str, JSON, list[str], str]] = {
    "two findings of one id": ("judge", failing(finding("J1"), finding("J1")), ["PG108"], ""),
    "a FAIL without a list": ("judge", {"verdict": "FAIL", "issues": [finding("J1")]}, ["PG111"], ""),
    "must_fix names what is not there":
     ("judge", {"verdict": "FAIL", "issues": TWO, "must_fix": ["J3"]},
      ["PG112"], '"J3", which is not in issues[] (has J1, J2)'),
    "false positives name an own finding":
     ("inspector", failing(finding("I1"), false_positives=["I1"]), ["PG117"], ""),
    "far beyond a summary": ("judge", failing(*(finding(f"J{number}") for number in range(1, 25))), ["PG104"], ""),
    "one bad finding does not hide another":
     ("judge", failing(finding("x"), finding("J2", root_cause="sloppy")), ["PG106", "PG108"], ""),
}  # fmt: skip


@pytest.mark.parametrize(("role", "data", "expected", "told"), WHOLE.values(), ids=WHOLE)
def test_verdict__is_held_to_its_rules(role: str, data: JSON, expected: list[str], told: str) -> None:
    signal = says(data, role)
    assert sorted(codes(signal)) == expected
    assert told in signal.problems[0].message


@pytest.mark.parametrize(("words", "expected"), [(15, []), (16, ["PG104"])])
@pytest.mark.parametrize("key", ["summary", "fix_hint"])
def test_finding__fifteen_words_are_the_limit(words: int, expected: list[str], key: str) -> None:
    assert codes(says(failing(finding("J1", **{key: "word " * words})))) == expected


@pytest.mark.parametrize(("named", "sound"), [
    *((name, True) for name in ("3f2a91c", "3F2A91C", "0" * 40)),
    *((name, False) for name in ("3f2a9", "3f2a91", "3f2a91g", "HEAD", "main", "3f2a91c\n", " 3f2a91c", "0" * 41)),
    ("\u0663f2a91c", False),
])  # fmt: skip
def test_commit__is_seven_to_forty_hexadecimal_digits(named: str, *, sound: bool) -> None:
    signal = says({"verdict": "PASS", "issues": [], "commit": named})
    assert (codes(signal) == []) is sound
    assert signal.commit == named if sound else (signal.outcome, codes(signal)) == (None, ["PG024"])


def test_keys__a_misspelt_one_is_pointed_out_on_its_own_line() -> None:
    signal = says('{"verdict": "PASS",\n "issues": [],\n "must_fx": []}')
    (problem,) = signal.problems
    assert (problem.code, problem.where.line, problem.where.json_path) == ("PG023", 8, "$.must_fx")
    assert 'did you mean "must_fix"' in problem.message


@pytest.mark.parametrize(("role", "outcome"), [("builder", "COMPLETE"), ("doctor", "FIXED")])
def test_keys__workers_have_keys_of_their_own(role: str, outcome: str) -> None:
    assert codes(says({"verdict": outcome, "files_changed": ["a"], "remaining": []}, role)) == []


def test_problems__point_into_the_block_with_line_column_and_path() -> None:
    text = f"## jkz:judge\n\nWords.\n\n{block(json.dumps(failing(finding('J1', root_cause='x')), indent=1))}\n"
    (problem,) = read_one(text).problems
    line = text.splitlines()[(problem.where.line or 0) - 1]
    assert line[(problem.where.column or 0) - 1 :].startswith('"x"')
    assert problem.where.json_path == "$.issues[0].root_cause"


def test_role_key__and_ids_are_claims() -> None:
    signal = says({"verdict": "PASS", "role": "lens", "issues": [finding("S1", severity="LOW")]})
    assert signal.roles == ("judge", "lens", "sentinel")
    assert "judge" in read_one(block({"verdict": "PASS", "role": "Judge", "issues": []})).roles


@pytest.mark.parametrize(("raw", "roles"), [
    ('{"role": "judge",}', ("judge",)),
    ("{'role': 'lens'}", ("lens",)),
    ("role=judge and role: inspector", ("judge", "inspector")),
    ("&quot;role&quot;: &quot;judge&quot;", ("judge",)),
    ("{role: nobody}", ()),
    ("{id: 'J1'}", ("judge",)),
    ('{"must_fix": ["I1", "S2"', ("inspector", "sentinel")),
    ('{"false_positives": ["J1"],}', ()),
    ("the parole board; video: K1", ()),
    ("the parole board; video: J1", ("judge",)),
    ("{id: 'J1', by: inspector}", ("judge",)),
    ("{by: theInspector}", ("inspector",)),
    ('{"glob": "src/*", "role": "judge", "other": "*/test"}', ("judge",)),
])  # fmt: skip
def test_unread__speaks_for_every_role_that_the_raw_text_names(raw: str, roles: tuple[str, ...]) -> None:
    assert read_one(block(f"{raw} ,")).roles == roles


@pytest.mark.parametrize(("raw", "objects"), [
    ('{"verdict": "FAIL",}', True), ("{verdict: failed}", True), ('{"verdict": "F\\u0041IL",}', True),
    ('{"must_fix": ["J1"],}', True), ('{"severity": "HIGH",}', True),
    ('{"must_fix": [], "verdict": "PASS",}', False),
    ("{}}", False),
])  # fmt: skip
def test_unread__objects_if_it_holds_more_than_a_placeholder(raw: str, objects: bool) -> None:  # noqa: FBT001
    signal = says(raw)
    assert (signal.outcome, signal.objects) == (None, objects)
