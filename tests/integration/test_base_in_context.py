"""Contexts that name the base: a success for one base serves no other, whoever keeps the gate from hearing of it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest

from phasegate.cli import live, results
from phasegate.cli.terminal import GITHUB, PASSED, USAGE
from phasegate.model.contexts import context_name
from phasegate.model.snapshot import BranchRules, RequiredContext
from tests.act import payloads
from tests.casebook.every import STORIES
from tests.casebook.world import PEOPLE, commit, verdict
from tests.fakehub import FakeHub
from tests.integration.runs import moved, passing
from tests.integration.test_signal import woken
from tests.integration.test_sweep import Swept, an_hour_later, later
from tests.unit.cli.test_action import Step

JSON = dict[str, Any]
PARTS = ("/plan", "/build", "/qa", "")
NAMED = {"PHASE_GATE_BASE_IN_CONTEXT": "true"}


def names(base: str) -> set[str]:
    return {f"phase-gate{part}: {base}" for part in PARTS}


def heard(folder: Path, hub: FakeHub, **inputs: str) -> Step:
    """A run that a signal started."""
    own = Path(tempfile.mkdtemp(dir=folder))
    return woken(own, hub, "workflow_run", payloads.workflow_run(hub.snapshot), **{**NAMED, **inputs})


def retarget(hub: FakeHub, base: str) -> None:
    pull = hub.snapshot["pull_request"]
    change = {"before": pull["base"]["ref"], "after": base, "actor": PEOPLE["octo-dev"]}
    pull["base_changes"].append({"at": later(hub), **change})
    pull["base"]["ref"] = base


def states(hub: FakeHub, sha: str | None = None) -> dict[str, str]:
    """The state of every context of the gate on a commit, but for its record."""
    told = {context: status["state"] for context, status in hub.latest_statuses(sha).items()}
    return {context: state for context, state in told.items() if not context.startswith("phase-gate/record")}


def test_contexts__name_the_base_in_statuses_report_and_log(tmp_path: Path) -> None:
    with FakeHub(passing().snapshot()) as hub:
        step = heard(tmp_path, hub, PHASE_GATE_SAVE_SNAPSHOT="true")
        assert states(hub) == dict.fromkeys(names("main"), "success")
        assert '"context": "phase-gate: main"' in Path(step.outputs["report"]).read_text(encoding="utf-8")
        assert '"base_in_context": true' in Path(step.outputs["snapshot"]).read_text(encoding="utf-8")
        assert "whether the branch requires phase-gate: main was not read" in step.out.getvalue()
        before = len(hub.written)
        heard(tmp_path, hub)
        assert len(hub.written) == before, "what stands is recognised, and not written again"


def test_retarget__that_nobody_tells_leaves_the_new_base_without_a_status(tmp_path: Path) -> None:
    """The author deletes the signal workflow, and retargets: what the new base requires is not there."""
    with FakeHub(passing().snapshot()) as hub:
        heard(tmp_path, hub)
        retarget(hub, "release")
        assert context_name(base="release") not in states(hub)


def test_retarget__that_nobody_tells_wins_without_the_base_in_the_context(tmp_path: Path) -> None:
    """The same attack with the defence switched off: the success for the old base serves the new one."""
    with FakeHub(passing().snapshot()) as hub:
        heard(tmp_path, hub, PHASE_GATE_BASE_IN_CONTEXT="false")
        retarget(hub, "release")
        assert states(hub)["phase-gate"] == "success"


def test_retarget__that_is_heard_withdraws_what_stood_for_the_old_base(tmp_path: Path) -> None:
    """Else a FAIL that is given while the base is another one would not stand against the way back."""
    world = passing()
    with FakeHub(world.snapshot()) as hub:
        heard(tmp_path, hub)
        retarget(hub, "release")
        hub.add_comment(PEOPLE["mona"], verdict("judge", "FAIL"), created_at=later(hub))
        heard(tmp_path, hub)
        found = states(hub)
        assert {found[name] for name in names("main")} == {"pending"}
        assert found["phase-gate: release"] != "success"
        told = hub.latest_statuses()["phase-gate: main"]["description"]
        assert told == "Withdrawn: what counts for #7 now is phase-gate: release"
        retarget(hub, "main")
        assert "success" not in states(hub).values(), "nor is there any on the way back, before a run has looked"


def test_retarget__and_back_wins_if_the_old_base_keeps_its_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same with the defence switched off: the FAIL is nowhere to be seen on the way back."""
    monkeypatch.setattr(live, "is_of", lambda *_: True)
    with FakeHub(passing().snapshot()) as hub:
        heard(tmp_path, hub)
        retarget(hub, "release")
        hub.add_comment(PEOPLE["mona"], verdict("judge", "FAIL"), created_at=later(hub))
        heard(tmp_path, hub)
        retarget(hub, "main")
        assert states(hub)["phase-gate: main"] == "success"


def test_sibling__into_another_base_keeps_its_phases_and_not_its_success(tmp_path: Path) -> None:
    with FakeHub(passing().snapshot()) as hub:
        hub.snapshot["pull_request"]["base"]["ref"] = "release"
        heard(tmp_path, hub)
        url = hub.snapshot["pull_request"]["url"]
        hub.snapshot["siblings"] = [{"number": 8, "url": f"{url}/8", "base": "release"}]
        hub.snapshot["pull_request"]["base"]["ref"] = "main"
        step = Step(tmp_path, hub, **NAMED)
        assert step.run() == PASSED
        found = states(hub)
        assert (found["phase-gate: release"], found["phase-gate/build: release"]) == ("pending", "success")
        assert found["phase-gate: main"] == "pending"


@pytest.mark.parametrize("name", ["queued", "queued-with-another"])
def test_queue__gets_the_name_with_the_base(tmp_path: Path, name: str) -> None:
    snapshot = STORIES[name].world().snapshot()
    with FakeHub(snapshot) as hub:
        woken(tmp_path, hub, "merge_group", payloads.merge_group(snapshot), **NAMED)
        group = states(hub, snapshot["merge_group"]["head"])
        assert group["phase-gate: main"] == STORIES[name].state
        assert set(group) == names("main")


def test_queue__that_names_no_pull_request_gets_an_error_under_the_name_that_is_required(tmp_path: Path) -> None:
    snapshot = STORIES["queued"].world().snapshot()
    payload = payloads.merge_group(snapshot)
    payload["merge_group"]["head_ref"] = "refs/heads/main"
    with FakeHub(snapshot) as hub:
        assert Step(tmp_path, hub, payload, GITHUB_EVENT_NAME="merge_group", **NAMED).run() == USAGE
        assert states(hub, snapshot["merge_group"]["head"]) == {"phase-gate: main": "error"}


@pytest.mark.parametrize("of_all", ["true", "false"])
def test_form__that_is_used_no_more_is_withdrawn(tmp_path: Path, of_all: str) -> None:
    """Whoever requires one form and runs the other is blocked, and told what to require."""
    other = "false" if of_all == "true" else "true"
    with FakeHub(passing().snapshot()) as hub:
        heard(tmp_path, hub, PHASE_GATE_BASE_IN_CONTEXT=other)
        heard(tmp_path, hub, PHASE_GATE_BASE_IN_CONTEXT=of_all)
        new, old = ("phase-gate: main", "phase-gate") if of_all == "true" else ("phase-gate", "phase-gate: main")
        assert (states(hub)[new], states(hub)[old]) == ("success", "pending")
        assert hub.latest_statuses()[old]["description"].endswith(f"now is {new}")


def test_former_head__loses_the_success_that_it_has_for_any_base(tmp_path: Path) -> None:
    world = passing()
    with FakeHub(world.snapshot()) as hub:
        heard(tmp_path, hub)
        old = hub.snapshot["pull_request"]["head"]["sha"]
        world.push("b")
        moved(hub, world)
        heard(tmp_path, hub)
        assert states(hub, old)["phase-gate: main"] == "pending"
        assert states(hub)["phase-gate: main"] == "pending"
        assert hub.snapshot["pull_request"]["head"]["sha"] == commit("b")


def test_failure__to_read_withdraws_the_success_of_the_base(tmp_path: Path) -> None:
    with FakeHub(passing().snapshot()) as hub:
        heard(tmp_path, hub)
        hub.fail("GET */issues/7/comments*", times=None, kind="status", status=403)
        step = Step(tmp_path, hub, **NAMED)
        assert step.run() == GITHUB
        assert states(hub)["phase-gate: main"] == "error"
        assert "phase-gate" not in states(hub)


def test_failure__to_read_anything_is_told_where_even_the_base_is_not_known(tmp_path: Path) -> None:
    with FakeHub(passing().snapshot()) as hub:
        heard(tmp_path, hub)
        hub.fail("GET */pulls/7*", times=None, kind="status", status=403)
        hub.fail("POST /graphql", times=None, kind="status", status=403)
        step = Step(tmp_path, hub, **NAMED)
        assert step.run() == GITHUB
        assert "That could not be written on the commit either" in step.err.getvalue()


@pytest.mark.parametrize("base", ["Main", "caf\u00e9", "\U0001f600", "x`y$(z)", "::error::x", "a" * 230, "%25"])
def test_base__with_any_name_has_a_context_of_its_own(tmp_path: Path, base: str) -> None:
    with FakeHub(passing().snapshot()) as hub:
        hub.snapshot["pull_request"]["base"]["ref"] = base
        step = heard(tmp_path, hub)
        assert states(hub)[context_name(base=base)] == "success"
        assert step.outputs["state"] == "success"
        assert "\n::error::" not in step.out.getvalue()


@pytest.mark.parametrize("length", [239, 244, 1000])
def test_base__with_a_name_that_is_too_long_is_not_green_and_says_why(tmp_path: Path, length: int) -> None:
    with FakeHub(passing().snapshot()) as hub:
        hub.snapshot["pull_request"]["base"]["ref"] = "a" * length
        step = Step(tmp_path, hub, **NAMED)
        assert step.run() == GITHUB
        assert "success" not in states(hub).values()
        assert "characters long, and GitHub takes 255: use a base branch with a shorter name" in step.err.getvalue()


def test_sweep__knows_the_status_of_the_base(tmp_path: Path) -> None:
    with FakeHub(passing().snapshot()) as hub:
        an_hour_later(hub)
        assert [Swept(tmp_path, hub, **NAMED).run(), states(hub)["phase-gate: main"]] == [PASSED, "success"]
        again = Swept(tmp_path, hub, **NAMED)
        assert (again.run(), again.decided) == (PASSED, [])
        retarget(hub, "release")
        third = Swept(tmp_path, hub, **NAMED)
        assert (third.run(), third.decided) == (PASSED, [7])
        assert states(hub)["phase-gate: main"] == "pending"


def test_comment__that_changes_nothing_is_told_by_the_status_of_the_base(tmp_path: Path) -> None:
    world = passing()
    world.say("mona", verdict("judge", "FAIL"))
    with FakeHub(world.snapshot()) as hub:
        an_hour_later(hub)
        heard(tmp_path, hub)
        said = hub.add_comment(PEOPLE["eve"], "Thanks!")
        step = woken(tmp_path, hub, "issue_comment", payloads.issue_comment(7, said), **NAMED)
        assert "nothing that counts has changed" in step.out.getvalue()
        assert (step.outputs["state"], step.outputs["build"]) == ("failure", "failure")
        said = hub.add_comment(PEOPLE["eve"], "Thanks again!")
        plain = woken(tmp_path, hub, "issue_comment", payloads.issue_comment(7, said))
        assert "nothing that counts has changed" not in plain.out.getvalue(), "in the other form nothing stands yet"


def test_required__means_the_name_with_the_base() -> None:
    rules = BranchRules(readable=True, required=(RequiredContext(context="Phase-Gate: Main"),))
    assert results.required_line(rules, "o/r", "phase-gate: main") == "the branch requires phase-gate: main"
    assert "does NOT require phase-gate:" in results.required_line(rules, "o/r")
