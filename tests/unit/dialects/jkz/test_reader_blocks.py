"""The other blocks of jkz: recognised, read strictly, and never more than a warning."""

from __future__ import annotations

import pytest

from phasegate.model.problem import Severity
from phasegate.model.signal import Kind, Outcome
from tests.casebook.world import block, verdict
from tests.unit.dialects.jkz.readers import codes, read, read_one

PLAN = "## jkz:architect\n\n1. Check the expiry.\n\n"


COMPACT, TITLE = '<!-- jkz:compact-plan {"steps": []} -->\n', '<!-- jkz:adr-json {"title": "A"} -->\n'
DIAGNOSIS = '<!-- jkz:diagnosis-json {"root_cause": "No check"} -->\n'
FIXED = f"## jkz:doctor\n\n{block({'verdict': 'FIXED'})}\n"

NAMED: dict[str, tuple[str, Kind, Outcome | None, str, tuple[str, ...]]] = {
    "in the signal of their comment":
     (PLAN + COMPACT + TITLE, Kind.REPORT, None, "compact-plan, adr-json", ("architect",)),
    "beside a verdict": (FIXED + DIAGNOSIS, Kind.VERDICT, Outcome.FIXED, "diagnosis-json", ("doctor",)),
    "that nobody signs": (DIAGNOSIS, Kind.REPORT, None, "diagnosis-json", ()),
    "several decisions are one": (PLAN + TITLE * 2, Kind.REPORT, None, "adr-json", ("architect",)),
    "in a fence":
     (PLAN + '```jkz:compact-plan\n{"steps": []}\n```\n', Kind.REPORT, None, "compact-plan", ("architect",)),
}  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "outcome", "title", "roles"), NAMED.values(), ids=NAMED)
def test_blocks__are_named(text: str, kind: Kind, outcome: Outcome | None, title: str, roles: tuple[str, ...]) -> None:
    signal = read_one(text)
    told = (signal.kind, signal.outcome, signal.title, signal.roles, codes(signal))
    assert told == (kind, outcome, title, roles, [])


def test_blocks__under_a_judging_heading_are_no_verdict() -> None:
    assert codes(read_one('## jkz:judge\n\n<!-- jkz:compact-plan {"steps": []} -->\n')) == ["PG102"]


@pytest.mark.parametrize("marker", ["compact-plan", "adr-json", "diagnosis-json"])
@pytest.mark.parametrize(("payload", "code"), [
    ('{"a": 1,}', "PG128"), ('{"a": 1, "a": 2}', "PG128"), ('{"a": NaN}', "PG128"), ('{"a": 1} {}', "PG128"),
    ("steps: []", "PG128"), ("[]", "PG128"), ('"text"', "PG128"), ("{}", "PG128"),
])  # fmt: skip
def test_block__is_one_json_object_with_something_in_it(marker: str, payload: str, code: str) -> None:
    (problem,) = read_one(f"{PLAN}<!-- jkz:{marker}\n{payload}\n-->\n").problems
    assert (problem.code, problem.severity, problem.where.line) == (code, Severity.WARNING, 6)
    assert problem.message.startswith(f"jkz:{marker}: ")
    assert problem.hint


@pytest.mark.parametrize(("marker", "payload"), [
    ("compact-plan", '{"steps": "Check"}'),
    ("compact-plan", '{"acceptance_criteria": {}}'),
    ("diagnosis-json", '{"root_cause": 7}'),
    ("adr-json", '{"title": ["A"]}'),
])  # fmt: skip
def test_block__known_members_have_their_type_and_others_are_free(marker: str, payload: str) -> None:
    signal = read_one(f"{PLAN}<!-- jkz:{marker} {payload} -->\n")
    assert codes(signal) == ["PG128"]
    assert codes(read_one(f'{PLAN}<!-- jkz:{marker} {{"of our own": {{"deep": [1]}}}} -->\n')) == []


@pytest.mark.parametrize(("payload", "expected"), [
    ("scope: DEFINED\nlimits: ABSENT", []), ('{"scope": "DEFINED"}', []), ("[1]", ["PG128"]),
    ('{"scope": 7}', ["PG128"]), ("Just words.", ["PG128"]), ("{", ["PG128"]), ("scope: [", ["PG128"]),
])  # fmt: skip
def test_spec_map__is_an_object_in_json_or_in_lines(payload: str, expected: list[str]) -> None:
    assert codes(read_one(f"{PLAN}<!-- jkz:spec-map\n{payload}\n-->\n")) == expected


def test_block__is_closed_and_stands_there_once() -> None:
    assert codes(read_one(f"{PLAN}<!-- jkz:compact-plan {{}}\n")) == ["PG128"]
    assert codes(read_one(PLAN + '<!-- jkz:compact-plan {"a": 1} --> tail\n')) == ["PG128"]
    twice = PLAN + '<!-- jkz:compact-plan {"a": 1} -->\n<!-- jkz:compact-plan {"b": 1} -->\n'
    (problem,) = read_one(twice).problems
    assert (problem.code, problem.where.line) == ("PG128", 6)


def test_blocks__between_verdict_and_end_are_no_text() -> None:
    spoken, proposal = read(
        verdict("judge", "FAIL")
        + '<!-- jkz:diagnosis-json {"root_cause": "No check"} -->\n'
        + "<!-- jkz:propose-issue: Check the old API too -->\n"
    )
    assert (spoken.outcome, codes(spoken), codes(proposal)) == (Outcome.FAIL, [], [])
