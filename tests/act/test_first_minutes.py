"""The first ten minutes of five users: from an empty folder, by what the pages print, to a gated pull request.

The workflow that stands in their folder is run by act as it is written, whenever something happens.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from phasegate.cli.setup import SIGNAL, WORKFLOW
from phasegate.model.snapshot import POLICY
from tests.act import payloads
from tests.act.bench import JSON, ROOT, PhaseView
from tests.casebook import reviewers
from tests.casebook.world import World
from tests.fakehub import FakeHub
from tests.integration.runs import states

GREEN = dict.fromkeys(("phase-gate/plan", "phase-gate/build", "phase-gate/qa", "phase-gate"), "success")
WAITS = {**GREEN, "phase-gate/build": "pending", "phase-gate": "pending"}
ACME = """\
version: 1
profile: review
agents: {accounts: [{login: "helper[bot]", id: 555, format: acme}]}
formats:
  acme:
    roles: {acme: {does: challenges}}
    in: [comment]
    read: {word: {marker: "acme:review", as: key=value}}
    role: acme
    outcome: {of: word/verdict, map: {APPROVE: pass, REJECT: fail}}
"""
SHARED = "version: 1\nprofile: review\nagents: {accounts: [{format: coderabbit}]}\n"


class Desk:
    """A new clone of a repository on GitHub, and nothing else."""

    def __init__(self, bench: PhaseView, folder: Path) -> None:
        self.bench = bench
        self.folder = folder / "shop"
        self.folder.mkdir()
        self.home = folder / "home"
        self.home.mkdir()
        programs = folder / "bin"
        programs.mkdir()
        program = programs / "phase-gate"
        called = f'exec {shlex.quote(sys.executable)} {shlex.quote(str(ROOT / "scripts"))} "$@"'
        program.write_text(f"#!/bin/sh\n{called}\n", encoding="utf-8")
        program.chmod(0o755)
        self.path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        self.shell("git init --quiet && git remote add origin https://github.com/octo/shop.git")

    def shell(self, line: str, given: str = "", **environ: str) -> subprocess.CompletedProcess[str]:
        """A line as a person types it, where phase-gate is the installed command."""
        cache = os.environ.get("PHASE_GATE_CACHE", str(Path.home() / ".cache" / "phase-gate"))
        return subprocess.run(
            ["sh", "-c", line],  # noqa: S607
            cwd=self.folder,
            env={"PATH": self.path, "HOME": str(self.home), "PHASE_GATE_CACHE": cache, **environ},
            input=given,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    def fine(self, line: str, **environ: str) -> str:
        """What a line prints that works."""
        done = self.shell(line, **environ)
        assert done.returncode == 0, done
        return done.stdout

    def gated(self, world: World, event: str = "issue_comment", **extras: str) -> dict[str, str]:
        """The statuses after an event, set by the workflows that stand here under the policy that stands here."""
        policy = self.folder / POLICY
        world.policy = policy.read_text(encoding="utf-8") if policy.exists() else None
        snapshot = world.snapshot()
        payload = payloads.pull_request_target(snapshot)
        if event == "issue_comment":
            payload = payloads.issue_comment(7, world.comments[-1])
        with FakeHub(snapshot, **extras) as hub:  # type: ignore[arg-type]
            if event == "pull_request_review":  # reaches the gate by the signal
                assert self.run(hub, SIGNAL, event, payload | {"action": "submitted"}) == 0
                event, payload = "workflow_run", payloads.workflow_run(snapshot, of=event)
            assert self.run(hub, WORKFLOW, event, payload) == 0
            return states(hub)

    def run(self, hub: FakeHub, path: str, event: str, payload: JSON) -> int:
        """How one of the workflows here ends."""
        name = f"first-minutes-{Path(path).name}"
        (self.bench.repository / ".github" / "workflows" / name).write_bytes((self.folder / path).read_bytes())
        return self.bench.run(hub, event, payload, workflow=name).exit


@pytest.fixture
def desk(bench: PhaseView, tmp_path: Path) -> Desk:
    """An empty folder."""
    return Desk(bench, tmp_path)


def test_one_person_with_coderabbit(desk: Desk) -> None:
    out = desk.fine("phase-gate init --reviewer coderabbit --one-human")
    assert "coderabbit reviews" in out
    assert "that closes an issue" not in out
    assert "no problems" in desk.fine(f"phase-gate lint {POLICY}")
    assert "there is none" not in desk.shell("phase-gate doctor").stdout
    world = World()
    assert desk.gated(world, "pull_request_target") == WAITS
    reviewers.says(world, "coderabbit", reviewers.walkthrough())
    assert desk.gated(world) == GREEN
    reviewers.reviews(world, "coderabbit", reviewers.actionable(2))
    assert desk.gated(world, "pull_request_review")["phase-gate"] == "failure"
    world.say("octo-dev", "/gate override build: both findings are about generated code")
    assert desk.gated(world) == GREEN


def test_a_maintainer_with_agents_under_one_bot(desk: Desk) -> None:
    desk.fine("phase-gate init --agent 'helper[bot]=auditor,curator,judge,inspector,sentinel,lens'")
    world = World()
    world.planned()
    assert desk.gated(world, "pull_request_target")["phase-gate"] == "pending"
    for role in ("judge", "inspector", "sentinel", "lens"):
        world.judges(role, who="helper[bot]")
    world.say("mona", "/gate approve qa")
    assert desk.gated(world) == GREEN


def test_an_author_of_an_agent(desk: Desk) -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    comment = page.partition("````markdown\n")[2].partition("````")[0]
    mine = desk.folder / "comment.md"
    mine.write_text(comment, encoding="utf-8")
    assert desk.shell("phase-gate lint --json comment.md").returncode == 1
    desk.fine("phase-gate lint --fix comment.md")
    assert '"ok": true' in desk.fine("phase-gate lint --json comment.md")
    piped = desk.shell("phase-gate lint --fix - | phase-gate lint -", comment)
    assert (piped.returncode, "this is a verdict of Judge, FAIL" in piped.stdout) == (0, True)
    desk.fine("phase-gate init --agent 'helper[bot]=judge'")
    world = World()
    world.planned()
    world.say("helper[bot]", mine.read_text(encoding="utf-8"))
    assert desk.gated(world)["phase-gate/build"] == "failure"


def test_a_team_with_its_own_format(desk: Desk) -> None:
    (desk.folder / POLICY).parent.mkdir()
    (desk.folder / POLICY).write_text(ACME, encoding="utf-8")
    said = "Looks good.\n\n<!-- acme:review\nverdict=APPROVE\n-->\n"
    (desk.folder / "said.md").write_text(said, encoding="utf-8")
    assert "no twin would count as a pass" in desk.fine(f"phase-gate formats try said.md --policy {POLICY}")
    kept = desk.shell("phase-gate init")
    assert (kept.returncode, f"kept  {POLICY}" in kept.stdout) == (1, True)
    world = World()
    assert desk.gated(world, "pull_request_target")["phase-gate"] == "pending"
    world.say("helper[bot]", said)
    assert desk.gated(world) == GREEN


def test_an_organisation_with_many_repositories(desk: Desk) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (desk.folder / WORKFLOW).parent.mkdir(parents=True)
    (desk.folder / WORKFLOW).write_text(readme.partition("```yaml\n")[2].partition("```")[0], encoding="utf-8")
    world = World()
    assert desk.gated(world, "pull_request_target", shared_policy=SHARED) == WAITS
    reviewers.says(world, "coderabbit", reviewers.walkthrough())
    assert desk.gated(world, shared_policy=SHARED) == GREEN
    assert f"wrote {POLICY}" in desk.shell("phase-gate init --organisation").stdout
    assert desk.gated(world, shared_policy=SHARED) == GREEN
    with (desk.folder / POLICY).open("a", encoding="utf-8") as file:
        file.write("phases: {build: {human_approval: true}}\n")
    assert desk.gated(world, shared_policy=SHARED)["phase-gate"] == "pending"
    world.say("mona", "/gate approve build")
    assert desk.gated(world, shared_policy=SHARED) == GREEN
