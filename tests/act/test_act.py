"""The action itself, run by nektos/act from events as GitHub sends them: statuses, outputs, summary and exit."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from phasegate.cli.main import main
from phasegate.cli.setup import WORKFLOW
from phasegate.model.plan import CHECK_NAME
from phasegate.model.report import State
from phasegate.model.snapshot import POLICY
from phasegate.report.wording import STATE_MARK
from tests.act import payloads
from tests.act.bench import JSON, PUBLISHED, PhaseView, Run, set_up
from tests.casebook.every import STORIES
from tests.casebook.world import PEOPLE, URL, World, commit
from tests.fakehub import TOKEN, FakeHub
from tests.fakehub.client import Client
from tests.integration.releases import NO_PIP, pythons

CONTEXTS = ("phase-gate/plan", "phase-gate/build", "phase-gate/qa", "phase-gate")
OUTPUTS = {"state", "plan", "build", "qa", "next-action", "next", "report", "snapshot", "timeline", "context"}


def written(hub: FakeHub, snapshot: JSON) -> dict[str, str]:
    """The statuses that were written on the head of a pull request, in their order."""
    path = f"/repos/octo/shop/statuses/{snapshot['pull_request']['head']['sha']}"
    bodies = [each["body"] for each in hub.written if each["path"] == path and each["status"] == 201]
    return {body["context"]: body["state"] for body in bodies if body["context"] in CONTEXTS}


def states(run: Run) -> dict[str, str]:
    """The states that the outputs tell, by context."""
    return dict(zip(CONTEXTS, (run.outputs[name] for name in ("plan", "build", "qa", "state")), strict=True))


def commented(world: World, number: int = 7) -> JSON:
    """The event of the latest comment on the pull request."""
    return payloads.issue_comment(number, world.comments[-1])


@pytest.mark.parametrize(
    ("name", "event"),
    [
        ("feature-green", "issue_comment"),
        ("bug-without-qa", "pull_request_target"),
        ("judge-failed", "issue_comment"),
        ("stranger", "issue_comment"),
        ("stale", "pull_request_target"),
        ("json-broken", "issue_comment"),
        ("pipeline-green", "pull_request_target"),
        ("pipeline-tests-failed", "pull_request_target"),
    ],
)
def test_action__says_what_the_story_says(bench: PhaseView, name: str, event: str) -> None:
    story = STORIES[name]
    world = story.world()
    snapshot = world.snapshot()
    payload = commented(world) if event == "issue_comment" else payloads.pull_request_target(snapshot)
    with FakeHub(snapshot) as hub:
        run = bench.run(hub, event, payload)
        statuses = written(hub, snapshot)
    expected = {f"phase-gate/{phase}": state for phase, state in story.phases.items()} | {"phase-gate": story.state}
    assert statuses == expected
    assert states(run) == expected
    assert set(run.outputs) == OUTPUTS
    assert (run.exit, run.outcome, run.commands) == (0, "success", [])
    assert run.report
    assert run.report["state"] == story.state
    assert f"## {STATE_MARK[State(story.state)]} " in run.summary
    assert f"  next: {run.outputs['next-action']}" in run.printed
    assert TOKEN not in "".join(run.printed) + run.summary


@pytest.mark.parametrize("version", sorted({min(pythons()), max(pythons())}), ids=str)
def test_release__decides_with_no_pip_no_network_and_an_empty_cache(
    act: str, release_tree: Path, tmp_path: Path, version: tuple[int, int]
) -> None:
    bench = set_up(act, tmp_path / "bench", release_tree, NO_PIP.format(pythons()[version]))
    for name in ("feature-green", "judge-failed", "pipeline-green"):
        story = STORIES[name]
        snapshot = story.world().snapshot()
        with FakeHub(snapshot) as hub:
            # PHASE_GATE_CACHE: as where nobody sets it
            event = payloads.pull_request_target(snapshot)
            run = bench.run(hub, "pull_request_target", event, environ={"PHASE_GATE_CACHE": ""})
            statuses = written(hub, snapshot)
        assert run.exit == 0, run.printed
        assert statuses["phase-gate"] == run.outputs["state"] == story.state
        assert (run.exit, run.outcome) == (0, "success")
        assert not [line for line in run.printed if "nstall" in line or "pip" in line.split()]
    assert not list(tmp_path.rglob("phase-gate-cache"))


def test_action__writes_the_overall_success_last(bench: PhaseView) -> None:
    world = STORIES["feature-green"].world()
    snapshot = world.snapshot()
    with FakeHub(snapshot) as hub:
        bench.run(hub, "issue_comment", commented(world))
        assert list(written(hub, snapshot))[-1] == "phase-gate"
        assert all(request.authorized for request in hub.requests)


@pytest.mark.parametrize(
    ("name", "fail_on", "ended"),
    [("judge-failed", "failure", "failure"), ("stale", "failure", "success"), ("stale", "pending", "failure")],
)
def test_fail_on__fails_the_step_and_still_writes(bench: PhaseView, name: str, fail_on: str, ended: str) -> None:
    world = STORIES[name].world()
    snapshot = world.snapshot()
    with FakeHub(snapshot) as hub:
        run = bench.run(hub, "pull_request_target", payloads.pull_request_target(snapshot), FAIL_ON=fail_on)
        assert set(written(hub, snapshot)) == set(CONTEXTS)
    assert run.outcome == ended
    assert (run.exit == 0) == (ended == "success")
    assert run.outputs["state"] == STORIES[name].state


def test_dry_run__writes_nothing_and_tells_everything(bench: PhaseView) -> None:
    world = STORIES["feature-green"].world()
    with FakeHub(world.snapshot()) as hub:
        run = bench.run(hub, "issue_comment", commented(world), DRY_RUN="true", SAVE_SNAPSHOT="true")
        assert hub.written == []
    assert (run.exit, run.outputs["state"]) == (0, "success")
    assert "  nothing was written (dry-run)" in run.printed
    assert run.snapshot
    assert run.snapshot["pull_request"]["number"] == 7


@pytest.mark.parametrize("event", ["workflow_run", "check_run"])
def test_action__is_woken_by_a_signal_or_a_check_run_of_a_fork(bench: PhaseView, event: str) -> None:
    snapshot = STORIES["judge-failed"].world().snapshot()
    head = snapshot["pull_request"]["head"]
    head["repository"] = "stranger/shop"
    signal = payloads.workflow_run(snapshot, of="pull_request_review")
    payload = signal if event == "workflow_run" else payloads.check_run(head["sha"], "Bugbot")
    with FakeHub(snapshot) as hub:
        run = bench.run(hub, event, payload)
        assert written(hub, snapshot)["phase-gate"] == "failure"
    assert (run.exit, run.outputs["state"]) == (0, "failure")


def test_dispatch__without_a_number_fails_plainly_and_writes_every_output(bench: PhaseView) -> None:
    with FakeHub(World().snapshot()) as hub:
        run = bench.run(hub, "workflow_dispatch", payloads.workflow_dispatch())
        assert (hub.requests, hub.written) == ([], [])
    assert (run.exit != 0, run.outcome) == (True, "failure")
    message = "the event workflow_dispatch carries no pull request. Pass its number in the input pull-request"
    assert any(line.startswith(f"phase-gate: {message}") for line in run.printed)
    assert set(run.outputs) == OUTPUTS
    assert set(states(run).values()) == {"error"}
    assert run.outputs["next-action"].startswith(message)
    assert "carries no pull request" in run.summary.replace("`", "")


def test_dispatch__with_a_number_decides_it(bench: PhaseView) -> None:
    snapshot = STORIES["judge-failed"].world().snapshot()
    with FakeHub(snapshot) as hub:
        run = bench.run(hub, "workflow_dispatch", payloads.workflow_dispatch(), PULL_REQUEST="7")
        assert written(hub, snapshot)["phase-gate"] == "failure"
    assert (run.exit, run.outputs["state"]) == (0, "failure")


def test_api_url__is_asked_instead_of_the_surrounding_one(bench: PhaseView) -> None:
    world = STORIES["bug-without-qa"].world()
    with FakeHub(world.snapshot()) as hub:
        elsewhere = {"GITHUB_API_URL": "http://127.0.0.1:9", "GITHUB_GRAPHQL_URL": "http://127.0.0.1:9/graphql"}
        run = bench.run(hub, "issue_comment", commented(world), environ=elsewhere, API_URL=hub.url)
    assert (run.exit, run.outputs["state"]) == (0, "success")


def test_issues__decides_every_pull_request_and_tells_the_worst(bench: PhaseView) -> None:
    green, failing = STORIES["feature-green"].world().snapshot(), another(STORIES["judge-failed"].world().snapshot())
    with FakeHub(green, more=[failing]) as hub:
        run = bench.run(hub, "issues", payloads.issues(12, "enhancement"))
        assert written(hub, green)["phase-gate"] == "success"
        assert written(hub, failing)["phase-gate"] == "failure"
    assert (run.exit, run.outputs["state"], run.outputs["build"]) == (0, "failure", "failure")
    assert run.report
    assert run.report["pull_request"] == 8
    assert "# octo/shop#7\n\n## ✅ Ready to merge\n" in run.summary
    assert "# octo/shop#8\n\n## ❌ Build failed: " in run.summary


def test_issues__one_that_cannot_be_read_keeps_no_other_from_being_decided(bench: PhaseView) -> None:
    first, second = STORIES["feature-green"].world().snapshot(), another(STORIES["judge-failed"].world().snapshot())
    with FakeHub(first, more=[second]) as hub:
        hub.fail("GET */issues/7/comments*", times=None, kind="status", status=403)
        run = bench.run(hub, "issues", payloads.issues(12, "enhancement"))
        assert written(hub, first) == {"phase-gate": "error"}
        assert written(hub, second)["phase-gate"] == "failure"
    assert (run.exit != 0, run.outputs["state"]) == (True, "error")
    reason = "octo/shop#7 could not be decided: GET /repos/octo/shop/issues/7/comments"
    assert any(reason in line for line in run.printed)


def test_start__that_fails_leaves_errors_and_no_gaps(bench: PhaseView) -> None:
    world = STORIES["feature-green"].world()
    with FakeHub(world.snapshot()) as hub:
        run = bench.run(hub, "issue_comment", commented(world), environ={"PHASE_GATE_CACHE": "relative"})
        assert hub.requests == []
    assert (run.outcome, set(run.outputs)) == ("failure", OUTPUTS)
    assert set(states(run).values()) == {"error"}


def test_annotations__stand_in_a_check_run_that_can_be_read_back(bench: PhaseView) -> None:
    snapshot = STORIES["pipeline-beyond-the-plan"].world().snapshot()
    payload = payloads.pull_request_target(snapshot)
    with FakeHub(snapshot) as hub:
        run = bench.run(hub, "pull_request_target", payload, ANNOTATIONS="check-run")
        client = Client(hub)
        with client.session:
            path = f"commits/{snapshot['pull_request']['head']['sha']}/check-runs"
            (check,) = client.data(f"{path}?check_name={CHECK_NAME}")["check_runs"]
            notes = client.data(f"check-runs/{check['id']}/annotations")
        assert written(hub, snapshot)["phase-gate"] == "failure"
    places = [(note["path"], note["start_line"], note["start_column"], note["title"][:5]) for note in notes]
    assert places == [(".pipeline/12/worker-result.json", 3, 20, code) for code in ("PG720", "PG722")]
    assert all("src/secrets.py" in note["message"] and "Fix: " in note["message"] for note in notes)
    assert (check["status"], check["conclusion"]) == ("completed", "failure")
    assert (run.exit, run.commands) == (0, [])
    told = f"  annotations: {check['output']['title']}: check run written"
    assert told in run.printed


@pytest.mark.parametrize("event", ["issue_comment", "pull_request_target", "issues", "workflow_dispatch"])
def test_example__the_workflow_of_the_readme_sets_the_statuses(bench: PhaseView, event: str) -> None:
    world = STORIES["bug-without-qa"].world()
    snapshot = world.snapshot()
    payload = {
        "issue_comment": commented(world),
        "pull_request_target": payloads.pull_request_target(snapshot),
        "issues": payloads.issues(12, "bug"),
        "workflow_dispatch": payloads.workflow_dispatch() | {"inputs": {"number": "7"}},
    }[event]
    with FakeHub(snapshot) as hub:
        run = bench.run(hub, event, payload, workflow="phase-gate.yml")
        assert written(hub, snapshot) == dict.fromkeys(CONTEXTS, "success")
    assert run.exit == 0


def test_init__what_it_writes_sets_the_first_status(bench: PhaseView, tmp_path: Path) -> None:
    assert main(["init", "--dir", str(tmp_path), "--repo", "octo/shop", "--action", PUBLISHED, "--json"], {}) == 0
    workflow = bench.repository / ".github" / "workflows" / "init.yml"
    workflow.write_bytes((tmp_path / WORKFLOW).read_bytes())
    world = World()
    world.policy = (tmp_path / POLICY).read_text(encoding="utf-8")
    snapshot = world.snapshot()
    with FakeHub(snapshot) as hub:
        run = bench.run(hub, "pull_request_target", payloads.pull_request_target(snapshot), workflow="init.yml")
        assert written(hub, snapshot) == dict.fromkeys(CONTEXTS, "pending")
    assert run.exit == 0


def test_example__the_sweep_of_the_readme_decides_what_has_no_status(bench: PhaseView) -> None:
    first, second = STORIES["feature-green"].world().snapshot(), another(STORIES["judge-failed"].world().snapshot())
    with FakeHub(first, more=[second]) as hub:
        run = bench.run(hub, "schedule", {"schedule": "17 * * * *"}, workflow="phase-gate-sweep.yml")
        assert written(hub, first)["phase-gate"] == "success"
        assert written(hub, second)["phase-gate"] == "failure"
    assert run.exit == 0


@pytest.mark.parametrize("name", ["queued", "queued-with-another"])
def test_example__the_workflow_of_the_readme_serves_a_merge_queue(bench: PhaseView, name: str) -> None:
    snapshot = STORIES[name].world().snapshot()
    with FakeHub(snapshot) as hub:
        run = bench.run(hub, "merge_group", payloads.merge_group(snapshot), workflow="phase-gate.yml")
        queued = hub.latest_statuses(snapshot["merge_group"]["head"])
        assert written(hub, snapshot) == dict.fromkeys(CONTEXTS, "success")
    assert run.exit == 0
    assert {context: queued[context]["state"] for context in CONTEXTS} == {
        **dict.fromkeys(CONTEXTS, "success"),
        "phase-gate": STORIES[name].state,
    }


def another(snapshot: JSON) -> JSON:
    """The same pull request under another number, with a head of its own, for the same issue."""
    made = copy.deepcopy(snapshot)
    made["pull_request"] |= {"number": 8, "url": f"{URL}/pull/8"}
    head, other = made["pull_request"]["head"]["sha"], commit("another")
    made["pull_request"]["head"] |= {"sha": other, "ref": "sessions-again"}
    for said in made["comments"]:
        said |= {"id": said["id"] + 1000, "url": f"{URL}/pull/8#issuecomment-{said['id'] + 1000}"}
    for move in made["ref_log"]["moves"]:
        move |= {"after": other if move["after"] == head else move["after"]}
    for content in made["contents"]:
        content |= {"commit": other if content["commit"] == head else content["commit"]}
    made["issues"] = copy.deepcopy(made["issues"])
    made["pull_request"]["author"] = PEOPLE["octo-dev"]
    return made
