"""Reviewers in a box: any two or three of them, and a format of one's own, stand in one policy."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pytest

from phasegate.dialects.described.boxes import box, box_names
from phasegate.policy.load import load_policy
from phasegate.policy.model import Policy

DOCS = Path(__file__).resolve().parents[2] / "docs"
OWN = next(
    each
    for each in re.findall(r"```yaml\n(.*?)```", (DOCS / "formats.md").read_text("utf-8"), re.DOTALL)
    if "our:review" in each
)


def _policy(profile: str, names: tuple[str, ...]) -> str:
    """A policy that names these reviewers, and the format of the docs."""
    lines = [f"    - {{format: {name}{'' if box(name).known else ', login: ana'}}}" for name in names]
    own = re.search(r"^formats:\n(?:[ #].*\n)+", OWN, re.MULTILINE)
    assert own is not None
    accounts = "\n".join([*lines, "    - {format: our-review, login: ben}"])
    return f"version: 1\nprofile: {profile}\nagents:\n  accounts:\n{accounts}\n{own[0]}"


@pytest.mark.parametrize("profile", ["review", "jkz"])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_any_reviewers_stand_in_one_policy(profile: str, number: int) -> None:
    for names in combinations(box_names(), number):
        policy = load_policy(_policy(profile, names), "phase-gate.yml")
        assert isinstance(policy, Policy), (names, policy)
        build = next(phase for phase in policy.phases if phase.name == "build")
        assert {*names, "our-reviewer"} <= {*build.seats}


def test_the_review_profile_needs_a_reviewer() -> None:
    policy = load_policy("version: 1\nprofile: review\n", "phase-gate.yml")
    assert not isinstance(policy, Policy)
    assert [(item.code, item.message) for item in policy] == [
        ("PG509", "phase build needs nothing, so it would always pass")
    ]
