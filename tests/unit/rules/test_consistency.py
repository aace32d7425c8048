"""What a signal says of itself: one role, one outcome, no contradiction."""

from __future__ import annotations

import pytest

from phasegate.catalogue import problem
from phasegate.dialects.dialect import Text
from phasegate.dialects.jkz.reader import read_text
from phasegate.model.problem import Severity, Where
from phasegate.model.signal import Outcome, Signal
from phasegate.rules.binding import adjusted, consistent, spoken_roles
from tests.casebook.world import JSON, block, finding, verdict
from tests.unit.rules.parties import policy, source

HERE = Where(url="https://github.com/octo/shop/pull/7#issuecomment-1")


def read(text: str) -> Signal:
    """The one signal in a text."""
    (signal,) = read_text(Text(source=source(None), where=HERE, body=text), tuple(policy().roles.values()))
    return signal


def says(data: JSON, role: str = "judge") -> Signal:
    """A role's signal with this block."""
    return read(f"## jkz:{role}\n\nWords.\n\n{block(data)}\n")


def contradictions(data: JSON, text: str = "", role: str = "judge") -> tuple[Outcome | None, list[str], bool]:
    """The outcome that counts, the codes, and whether one of them is an error."""
    outcome, problems = consistent(policy(text), says(data, role), role)
    return outcome, [item.code for item in problems], any(item.severity is Severity.ERROR for item in problems)


def test_told_roles__the_heading_alone_tells() -> None:
    told = spoken_roles(policy(), read(verdict("judge")), ())
    assert (told.roles, told.problems) == (("judge",), ())


@pytest.mark.parametrize("text", [
    block({"verdict": "PASS", "role": "judge", "issues": []}),
    block({"verdict": "FAIL", "issues": [finding("J1")], "must_fix": ["J1"]}),
], ids=["role key", "id prefix"])  # fmt: skip
def test_told_roles__so_do_the_role_key_and_the_ids(text: str) -> None:
    assert spoken_roles(policy(), read(text), ()).roles == ("judge",)


def test_told_roles__so_does_the_policys_map_if_it_names_one() -> None:
    text = block({"verdict": "PASS", "issues": []})
    assert spoken_roles(policy(), read(text), ("judge",)).roles == ("judge",)
    ambiguous = spoken_roles(policy(), read(text), ("judge", "lens"))
    assert (ambiguous.roles, ambiguous.problems[0].code) == ((), "PG125")


@pytest.mark.parametrize(("text", "mapped"), [
    (f"## jkz:judge\n\n{block({'verdict': 'PASS', 'role': 'lens', 'issues': []})}", ()),
    (verdict("judge", issues=[finding("L1", severity="LOW")]), ()),
    (block({"verdict": "PASS", "role": "judge", "issues": [finding("S1", severity="LOW")]}), ()),
    (verdict("judge"), ("lens",)),
    (verdict("judge"), ("lens", "sentinel")),
    ("## jkz:lens\n\n" + verdict("judge"), ()),
], ids=["role key", "ids", "role key and ids", "map", "map of several", "two headings"])  # fmt: skip
def test_told_roles__disagreeing_sources_make_it_invalid(text: str, mapped: tuple[str, ...]) -> None:
    told = spoken_roles(policy(), read(text), mapped)
    assert "judge" in told.roles
    assert [item.code for item in told.problems] == ["PG119"]


def test_told_roles__a_role_among_several_mapped_ones_agrees() -> None:
    told = spoken_roles(policy(), read(verdict("judge")), ("inspector", "judge"))
    assert (told.roles, told.problems) == (("judge",), ())


def test_told_roles__an_unknown_role_is_nobody() -> None:
    told = spoken_roles(policy(), read(f"## jkz:jugde\n\n{block({'verdict': 'PASS', 'issues': []})}"), ())
    assert (told.roles, told.problems[0].code) == ((), "PG120")


def test_consistent__plain_words_stand_as_they_are() -> None:
    assert contradictions({"verdict": "PASS", "issues": []}) == (Outcome.PASS, [], False)
    failing = {"verdict": "FAIL", "issues": [finding("J1")], "must_fix": ["J1"]}
    assert contradictions(failing) == (Outcome.FAIL, [], False)


def test_consistent__a_fail_that_asks_for_nothing_is_a_pass_with_a_warning() -> None:
    empty = {"verdict": "FAIL", "issues": [], "must_fix": []}
    assert contradictions(empty) == (Outcome.PASS, ["PG114"], False)


def test_consistent__or_invalid_where_the_policy_says_so() -> None:
    empty = {"verdict": "FAIL", "issues": [], "must_fix": []}
    strict = "verdicts: {contradictory_fail: invalid}\n"
    assert contradictions(empty, strict) == (None, ["PG114"], True)


def test_consistent__taken_as_a_pass_it_is_held_to_the_rules_of_a_pass() -> None:
    grave = {"verdict": "FAIL", "issues": [finding("J1")], "must_fix": []}
    assert contradictions(grave) == (Outcome.PASS, ["PG114", "PG115"], True)


def test_consistent__a_fail_without_the_list_is_not_that_contradiction() -> None:
    signal = says({"verdict": "FAIL", "issues": []})
    assert consistent(policy(), signal, "judge")[0] is Outcome.FAIL
    assert [item.code for item in signal.problems] == ["PG111"]


@pytest.mark.parametrize("severity", ["CRITICAL", "HIGH"])
def test_consistent__a_pass_with_a_grave_finding_is_an_error(severity: str) -> None:
    data = {"verdict": "PASS", "issues": [finding("J1", severity=severity)]}
    assert contradictions(data) == (Outcome.PASS, ["PG115"], True)


@pytest.mark.parametrize("severity", ["MEDIUM", "LOW"])
def test_consistent__a_pass_with_a_lesser_finding_is_none(severity: str) -> None:
    assert contradictions({"verdict": "PASS", "issues": [finding("J1", severity=severity)]})[1:] == ([], False)


def test_consistent__a_pass_with_something_to_fix_is_an_error() -> None:
    data = {"verdict": "PASS", "issues": [finding("J1", severity="LOW")], "must_fix": ["J1"]}
    assert contradictions(data) == (Outcome.PASS, ["PG115"], True)


@pytest.mark.parametrize(("role", "expected"), [("judge", ["PG117"]), ("sentinel", ["PG117"]), ("inspector", [])])
def test_consistent__only_who_confirms_refutes(role: str, expected: list[str]) -> None:
    data = {"verdict": "PASS", "issues": [], "false_positives": ["J1"]}
    assert contradictions(data, role=role) == (Outcome.PASS, expected, False)


def test_adjusted__changes_and_removes_by_code() -> None:
    found = [problem("PG104", "long", HERE), problem("PG105", "low", HERE), problem("PG205", "touched", HERE)]
    changed = adjusted(policy("rules: {PG104: error, PG105: off}\n"), found)
    assert [(item.code, item.severity.value) for item in changed] == [("PG104", "error"), ("PG205", "error")]
