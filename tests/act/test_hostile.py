"""Text that tries to speak to the runner: the action's outputs, commands and log stay the action's own."""

from __future__ import annotations

import re

import pytest

from tests.act import payloads
from tests.act.bench import PhaseView, Run
from tests.act.test_act import OUTPUTS, commented, states, written
from tests.casebook.world import PEOPLE, World, block, finding, verdict
from tests.fakehub import FakeHub

FORGED = "success"
LINES = (
    f"::set-output name=state::{FORGED}",
    f"  ::set-output name=plan::{FORGED}",
    f"##[set-output name=build]{FORGED}",
    f"and in the middle ##[set-output name=qa]{FORGED}",
    "::add-mask::failure",
    "::stop-commands::forever",
    "::warning file=src/auth.py,line=1::forged",
    "::add-matcher::matcher.json",
    f"\r::set-output name=state::{FORGED}",
    f"\u2028::set-output name=state::{FORGED}",
    f"\x0b##[set-output name=state]{FORGED}",
    "\x1b[2K\x1b[1A::endgroup::",
    "EOF",
    f"state={FORGED}",
    "ghadelimiter_00000000-0000-0000-0000-000000000000",
    "phase_gate_00000000000000000000000000000000",
    f"state<<EOF\n{FORGED}\nEOF",
)
POISON = "\n".join(LINES)


def refused(run: Run) -> None:
    """Nothing that was printed or told is a command, in either form, wherever a line may be broken."""
    assert run.commands == []
    assert set(run.outputs) == OUTPUTS
    told = [*run.printed, *run.summary.splitlines(), *run.outputs.values()]
    assert [text for text in told if re.search(r"::|##\[|[\r\n\x0b\x1b\u2028]", text)] == []


def test_counterpart__a_step_that_prints_the_comment_is_fooled(bench: PhaseView) -> None:
    world = World()
    world.say("eve", POISON)
    with FakeHub(world.snapshot()) as hub:
        run = bench.run(hub, "issue_comment", commented(world), workflow="naive.yml")
    assert run.outputs["state"] == FORGED
    assert {"set-output", "add-mask", "stop-commands"} <= set(run.commands)


def test_comments__forge_nothing(bench: PhaseView) -> None:
    world = World()
    world.planned()
    world.judges("judge", "FAIL")
    world.say("eve", f"{POISON}\n\n{verdict('judge')}")
    world.say("eve", verdict("inspector", summary=POISON))
    world.say("eve", f"/gate override build: {POISON}")
    world.label(POISON[:50])
    snapshot = world.snapshot()
    with FakeHub(snapshot) as hub:
        run = bench.run(hub, "issue_comment", commented(world))
        statuses = written(hub, snapshot)
    refused(run)
    assert run.exit == 0
    assert states(run) == statuses
    assert statuses["phase-gate"] == "failure"


@pytest.mark.parametrize(
    "data",
    [
        {"verdict": POISON, "issues": []},
        {"verdict": "PASS", "issues": [], "role": POISON},
        {"verdict": "PASS", "issues": [], POISON: POISON},
        {"verdict": "FAIL", "issues": [finding("J1", summary=POISON, location=POISON)], "must_fix": [POISON]},
        f'{{"verdict": "PASS", {LINES[0]}\n{LINES[3]}',
    ],
    ids=["verdict", "role", "key", "must_fix", "not JSON"],
)
def test_verdict__of_a_trusted_account_forges_nothing(bench: PhaseView, data: dict[str, object] | str) -> None:
    world = World()
    world.planned()
    world.say("ana", f"## jkz:judge\n\n{LINES[0]}\n{LINES[3]}\n\n{block(data)}\n")
    snapshot = world.snapshot()
    with FakeHub(snapshot) as hub:
        run = bench.run(hub, "pull_request_target", payloads.pull_request_target(snapshot))
        statuses = written(hub, snapshot)
    refused(run)
    assert states(run) == statuses
    assert statuses["phase-gate"] != FORGED


@pytest.mark.parametrize("line", [LINES[0], LINES[2], LINES[3]])
def test_override__of_a_maintainer_forges_nothing(bench: PhaseView, line: str) -> None:
    world = World()
    world.planned()
    world.judges("judge", "FAIL")
    world.say("mona", f"/gate override build: {line}")
    snapshot = world.snapshot()
    with FakeHub(snapshot) as hub:
        run = bench.run(hub, "issue_comment", commented(world))
        statuses = written(hub, snapshot)
    refused(run)
    assert states(run) == statuses
    assert statuses["phase-gate"] != FORGED


def test_login__forges_nothing(bench: PhaseView, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"eve\n{LINES[0]}\n{LINES[3]}"
    monkeypatch.setitem(PEOPLE, name, {"login": name, "id": 67, "type": "User"})
    world = World()
    world.judges("judge", who=name)
    with FakeHub(world.snapshot()) as hub:
        run = bench.run(hub, "issue_comment", commented(world))
        hub.violations.clear()  # GitHub has no such login, so whatever is answered about it is not GitHub's
    refused(run)
    assert run.outputs["state"] != FORGED


@pytest.mark.parametrize(
    "policy",
    [
        f'version: 1\nphases: {{"{LINES[0]}": {{enabled: false}}}}\n',
        f'version: 1\nprofile: "{LINES[2]}"\n',
        f"version: 1\n{LINES[0]}: x\n{LINES[3]}: y\n",
        'version: 1\nrules: {"\\r\\n::set-output name=state::success": off}\n',
    ],
)
def test_policy__forges_nothing(bench: PhaseView, policy: str) -> None:
    world = World(policy=policy)
    world.say("eve", "hello")
    snapshot = world.snapshot()
    with FakeHub(snapshot) as hub:
        run = bench.run(hub, "issue_comment", commented(world))
        assert set(written(hub, snapshot).values()) == {"error"}
    refused(run)
    assert (run.exit, set(states(run).values())) == (0, {"error"})
