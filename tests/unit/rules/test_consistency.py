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


NAMELESS = block({"verdict": "PASS", "issues": []})

TOLD: dict[str, tuple[str, tuple[str, ...], tuple[str, ...], list[str]]] = {
    "the heading": (verdict("judge"), (), ("judge",), []),
    "the role key": (block({"verdict": "PASS", "role": "judge", "issues": []}), (), ("judge",), []),
    "the ids": (block({"verdict": "FAIL", "issues": [finding("J1")], "must_fix": ["J1"]}), (), ("judge",), []),
    "the policy's map": (NAMELESS, ("judge",), ("judge",), []),
    "the map names several": (NAMELESS, ("judge", "lens"), (), ["PG125"]),
    "one of the several": (verdict("judge"), ("inspector", "judge"), ("judge",), []),
    "an unknown role": (f"## jkz:jugde\n\n{NAMELESS}", (), (), ["PG120"]),
}  # fmt: skip


@pytest.mark.parametrize(("text", "mapped", "roles", "codes"), TOLD.values(), ids=TOLD)
def test_told_roles(text: str, mapped: tuple[str, ...], roles: tuple[str, ...], codes: list[str]) -> None:
    told = spoken_roles(policy(), read(text), mapped)
    assert (told.roles, [item.code for item in told.problems]) == (roles, codes)


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


def passing(severity: str, **keys: object) -> JSON:
    """A PASS with a finding."""
    return {"verdict": "PASS", "issues": [finding("J1", severity=severity)], **keys}


FAILING = {"verdict": "FAIL", "issues": [finding("J1")], "must_fix": ["J1"]}
EMPTY: JSON = {"verdict": "FAIL", "issues": [], "must_fix": []}
STRICT = "verdicts: {contradictory_fail: invalid}\n"
REFUTES: JSON = {"verdict": "PASS", "issues": [], "false_positives": ["J1"]}

CONSISTENT: dict[str, tuple[JSON, str, str, tuple[Outcome | None, list[str], bool]]] = {
    "a PASS": ({"verdict": "PASS", "issues": []}, "", "judge", (Outcome.PASS, [], False)),
    "a FAIL": (FAILING, "", "judge", (Outcome.FAIL, [], False)),
    "a FAIL that asks for nothing": (EMPTY, "", "judge", (Outcome.PASS, ["PG114"], False)),
    "where the policy calls it invalid": (EMPTY, STRICT, "judge", (None, ["PG114"], True)),
    "taken as a PASS it is held to the rules of one":
     ({**FAILING, "must_fix": []}, "", "judge", (Outcome.PASS, ["PG114", "PG115"], True)),
    "a FAIL without the list": ({"verdict": "FAIL", "issues": []}, "", "judge", (Outcome.FAIL, [], False)),
    "a PASS with a CRITICAL finding": (passing("CRITICAL"), "", "judge", (Outcome.PASS, ["PG115"], True)),
    "a PASS with a HIGH finding": (passing("HIGH"), "", "judge", (Outcome.PASS, ["PG115"], True)),
    "a PASS with a MEDIUM finding": (passing("MEDIUM"), "", "judge", (Outcome.PASS, [], False)),
    "a PASS with a LOW finding": (passing("LOW"), "", "judge", (Outcome.PASS, [], False)),
    "a PASS with something to fix":
     (passing("LOW", must_fix=["J1"]), "", "judge", (Outcome.PASS, ["PG115"], True)),
    "only who confirms refutes": (REFUTES, "", "judge", (Outcome.PASS, ["PG117"], False)),
    "not who challenges": (REFUTES, "", "sentinel", (Outcome.PASS, ["PG117"], False)),
    "who confirms": (REFUTES, "", "inspector", (Outcome.PASS, [], False)),
}  # fmt: skip


@pytest.mark.parametrize(("data", "text", "role", "expected"), CONSISTENT.values(), ids=CONSISTENT)
def test_consistent(data: JSON, text: str, role: str, expected: tuple[Outcome | None, list[str], bool]) -> None:
    assert contradictions(data, text, role) == expected


def test_adjusted__changes_and_removes_by_code() -> None:
    found = [problem("PG104", "long", HERE), problem("PG105", "low", HERE), problem("PG205", "touched", HERE)]
    changed = adjusted(policy("rules: {PG104: error, PG105: off}\n"), found)
    assert [(item.code, item.severity.value) for item in changed] == [("PG104", "error"), ("PG205", "error")]
