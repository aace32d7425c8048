"""Many repositories: the policy in the organisation's .github repository, alone and as a floor."""

from __future__ import annotations

import pytest

from phasegate.cli.main import main
from tests.casebook.world import World
from tests.fakehub import FakeHub
from tests.integration.runs import read

SHARED = "octo/.github/phase-gate.yml"
REVIEW = "version: 1\nprofile: review\nagents: {accounts: [{format: coderabbit}]}\n"
RAISED = "version: 1\nextends: organisation\nphases: {build: {human_approval: true}}\n"
LOWERED = "version: 1\nextends: organisation\nphases: {build: {enabled: false}}\n"


def hub_of(own: str | None, shared: str | None, **tree: str) -> FakeHub:
    return FakeHub(World(policy=own).snapshot(), shared_policy=shared, tree=tree)


@pytest.mark.parametrize(("own", "shared", "source", "floor"), [
    (None, None, "built-in profile jkz", None),
    (None, "", "built-in profile jkz", None),
    (None, "forbidden", "built-in profile jkz", None),
    (None, REVIEW, SHARED, None),
    ("version: 1\n", REVIEW, ".github/phase-gate.yml", None),
    (RAISED, REVIEW, ".github/phase-gate.yml", SHARED),
])  # fmt: skip
def test_gate__names_the_policys_source(own: str | None, shared: str | None, source: str, floor: str | None) -> None:
    with hub_of(own, shared) as hub:
        decision = read(hub)
    proof = decision.report.provenance
    assert (proof.policy_source, proof.policy_floor) == (source, floor)
    assert decision.report.state.value == "pending"
    assert (decision.snapshot.policy.shared is not None) == (SHARED in (source, floor))


@pytest.mark.parametrize(("own", "shared", "told"), [
    (RAISED, None, "phase-gate.yml of its .github repository cannot be read"),
    (RAISED, "", "phase-gate.yml of its .github repository cannot be read"),
    (RAISED, "forbidden", "phase-gate.yml of its .github repository cannot be read"),
    (LOWERED, REVIEW, f"phases.build.enabled: false asks for less than true in {SHARED}"),
    (RAISED, "version: 1\nagent: {}\n", 'the unknown key "agent"'),
    (None, "version: 1\nagent: {}\n", 'the unknown key "agent"'),
    (None, RAISED, "an organisation's policy extends no other"),
])  # fmt: skip
def test_gate__a_chain_that_cannot_be_used_is_an_error(own: str | None, shared: str | None, told: str) -> None:
    with hub_of(own, shared) as hub:
        report = read(hub).report
    assert {report.state.value, *(phase.state.value for phase in report.phases)} == {"error"}
    assert any(told in item.message for item in report.problems), report.problems
    if shared in (None, "", "forbidden"):
        assert "token that may read it" in report.problems[0].hint


@pytest.mark.parametrize(("own", "shared", "told"), [
    (None, REVIEW, f"{SHARED} applies, as there is none here (review)"),
    (RAISED, REVIEW, f".github/phase-gate.yml is sound and extends {SHARED} (review)"),
    (LOWERED, REVIEW, "asks for less than true"),
    (RAISED, None, "cannot be read"),
])  # fmt: skip
def test_doctor__names_the_chain(
    own: str | None, shared: str | None, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = {} if own is None else {".github/phase-gate.yml": own}
    with hub_of(own, shared, **tree) as hub:
        main(["doctor", "--repo", "octo/shop"], hub.environ)
    assert told in capsys.readouterr().out
