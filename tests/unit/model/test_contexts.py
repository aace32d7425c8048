"""Names of the gate's statuses: made and recognised in one place, in both forms, whatever the branch is called."""

from __future__ import annotations

import pytest

from phasegate.model.contexts import Context, context_in, context_name, is_of


@pytest.mark.parametrize(("phase", "base", "name"), [
    ("", None, "phase-gate"), ("build", None, "phase-gate/build"), ("", "main", "phase-gate: main"),
    ("build", "release/1.0", "phase-gate/build: release/1.0"),
    ("", "phase-gate/build", "phase-gate: phase-gate/build"),
])  # fmt: skip
def test_context__is_named_and_recognised(phase: str, base: str | None, name: str) -> None:
    assert context_name(phase, base) == name
    assert context_in(name) == context_in(name.upper()) == Context(phase=phase, base=base)
    assert is_of(name, base)
    assert not is_of(name, "another")
    assert is_of(name, None) is (base is None)


@pytest.mark.parametrize(
    "name", ["", "ci", "phase-gate-2", "phase-gates/build", "phase-gate/", "x phase-gate", "phase-gate:main", "main"]
)
def test_context__of_others_is_none_of_ours(name: str) -> None:
    assert context_in(name) is None
    assert not is_of(name, None)


@pytest.mark.parametrize(("one", "other"), [
    ("main", "Main"), ("main", "MAIN"), ("Main", "mAin"), ("stra\u00dfe", "strasse"), ("caf\u00e9", "cafe\u0301"),
    ("\U0001f600", "\U0001f601"), ("x\u202ey", "x?y"),
    ("\u212aelvin", "kelvin"),  # what lower case makes one letter of
    ("\udcff", "\udcfe"),
])  # fmt: skip
def test_context__two_branches_never_share_one(one: str, other: str) -> None:
    """GitHub compares contexts without case: a branch that differs in case must not lend its success."""
    names = [context_name(base=base) for base in (one, other)]
    assert names[0].lower() != names[1].lower()
    assert not is_of(names[0], other)
    assert is_of(names[0], one)
    assert all(name.isascii() and name.isprintable() for name in names)


def test_context__a_digest_cannot_be_called_for() -> None:
    """The digest stands after a space, which no branch can have in its name."""
    assert " #" in context_name(base="Main")
    assert context_name(base="Main").startswith("phase-gate: Main #")
    assert " #" not in context_name(base="main#1")
