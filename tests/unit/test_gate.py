"""The gate as a whole: a pure function that decides by the policy it is given and says what it decided from."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from phasegate import VERSION
from phasegate.gate import evaluate, judge, policy_in, reading_plan
from phasegate.model.codec import text_digest, value_digest
from phasegate.model.plan import ApprovalPlace, ReadingPlan
from phasegate.model.report import State
from phasegate.model.snapshot import POLICY, PolicyFile
from phasegate.policy.load import default_policy
from phasegate.policy.model import Policy
from phasegate.report.data import report_text
from phasegate.report.status import withheld_text
from tests.casebook.world import World, commit, verdict
from tests.unit.rules.parties import decided, policy, states, taken


@pytest.mark.parametrize("login", ["coderabbitai[bot]", "runner[bot]"])
def test_judge__a_reviewer_named_for_another_seat_is_told_its_format(login: str) -> None:
    world = World(policy=f'version: 1\nagents: {{accounts: [{{login: "{login}", id: 777, roles: [judge]}}]}}\n')
    world.planned()
    world.say("eve", "I found nothing to object to.", author={"login": login, "id": 777, "type": "Bot"})
    hints = [item.hint for item in decided(world).problems if item.code == "PG222"]
    assert [("{format: coderabbit}" in hint) for hint in hints] == [login == "coderabbitai[bot]"]


def test_judge__leaves_the_evidence_of_its_decision() -> None:
    snapshot = taken(World(policy="version: 1\noverrides: false\n"))
    evidence = judge(snapshot).provenance
    assert evidence.snapshot_digest == value_digest(snapshot)
    assert evidence.policy_digest == text_digest("version: 1\noverrides: false\n")
    assert (evidence.policy_source, evidence.version) == (POLICY, VERSION)
    report = decided(World())
    assert report.provenance.policy_source == "built-in profile jkz"
    assert (report.repository, report.pull_request, report.head) == ("octo/shop", 7, commit("a"))


def test_evaluate__decides_by_the_policy_it_is_given() -> None:
    snapshot = taken(World().green())
    assert evaluate(default_policy(), snapshot).state is State.SUCCESS
    assert evaluate(policy("agents: {only: true}\n"), snapshot).state is State.PENDING


def test_evaluate__the_order_of_comments_in_the_snapshot_decides_nothing() -> None:
    snapshot = taken(World().green())
    issue = snapshot.issues[0]
    shuffled = replace(
        snapshot,
        comments=snapshot.comments[::-1],
        people=snapshot.people[::-1],
        issues=(replace(issue, comments=issue.comments[::-1]),),
        contents=snapshot.contents[::-1],
    )
    one, again, other = (json.loads(report_text(judge(item))) for item in (snapshot, snapshot, shuffled))
    assert one == again
    assert {**one, "provenance": {}} == {**other, "provenance": {}}


@pytest.mark.parametrize("text", ["", "# nothing\n", "version: 1\nagent: {}\n", "version: 2\n", "{", "\x00"])
def test_judge__a_broken_policy_is_an_error_everywhere_and_says_file_and_line(text: str) -> None:
    world = World(policy=text).green()
    report = decided(world)
    assert states(world) == ("error",) * 4
    assert withheld_text(report).startswith(f"Policy {POLICY}:")
    assert report.problems


OTHER = text_digest("version: 1\nagents: {only: true}\n")


@pytest.mark.parametrize(("text", "told"), [("version: 1\n", None), ("version: 1\n", OTHER), (None, OTHER)])
def test_policy_in__a_text_that_is_not_the_saved_one_is_an_error(text: str | None, told: str | None) -> None:
    found = policy_in(PolicyFile(path=POLICY, text=text, digest=told))
    assert not isinstance(found, Policy)
    assert [item.code for item in found] == ["PG602"]


def test_policy_in__is_the_file_at_its_path_or_the_default_profile() -> None:
    text = "version: 1\noverrides: false\n"
    found = policy_in(PolicyFile(path=".github/gate.yml", text=text, digest=text_digest(text)))
    assert isinstance(found, Policy)
    assert not found.overrides
    none = policy_in(PolicyFile(path=POLICY))
    assert isinstance(none, Policy)
    assert none.phases == default_policy().phases


def plan_for(text: str) -> ReadingPlan:
    """What is worth fetching under a policy."""
    return reading_plan(PolicyFile(path=POLICY, text=text, digest=text_digest(text)))


def test_reading_plan__asks_for_teams_and_approvals_that_the_policy_names() -> None:
    accounts = 'accounts: [{login: "@octo/judges"}, {login: "@Octo/Judges"}, {login: ana}]'
    assert plan_for(f"version: 1\nagents: {{{accounts}}} # not @octo/others\n").teams == ("octo/judges",)
    dispatch = "dispatch: {workflow: .github/workflows/approve.yml, environment: release}"
    plan = plan_for(f"version: 1\nhumans: {{{dispatch}}}\n")
    assert plan.approvals == ApprovalPlace(workflow=".github/workflows/approve.yml", environment="release")
    assert (plan_for("version: 1\n").teams, plan_for("version: 1\n").approvals) == ((), None)
    broken = plan_for("version: 2\n")
    assert (broken.triggers, broken.evidence, broken.teams, broken.approvals) == ((), (), (), None)


@pytest.mark.parametrize(("text", "carried"), [
    ("<!-- JKZ:verdict-json", True), ("/gate approve qa", True), ("/ga\u200bte hold qa", True),
    ("&#47;gate hold qa", True), ("R&amp;D\u200b aggregates, or so", False),
])  # fmt: skip
def test_reading_plan__knows_the_words_of_the_dialects_in_use(text: str, *, carried: bool) -> None:
    assert plan_for("version: 1\n").carries(text) is carried


@pytest.mark.parametrize(("path", "mode", "left_out"), [
    (".pipeline/12/plan.json", "100644", True), (".pipeline/12/plan.json", "120000", False),
    (".pipeline/12/install.sh", "100644", False), (".pipeline/99/plan.json", "100644", False),
    (".pipeline/..evil/plan.json", "100644", False), (".pipeline/sessions/plan.json", "100755", True),
    (".pipeline/lessons.yaml", "100644", True),
])  # fmt: skip
def test_reading_plan__leaves_out_the_evidence_of_the_dialects_in_use(path: str, mode: str, *, left_out: bool) -> None:
    assert replace(plan_for("version: 1\nprofile: pipeline\n"), issues=(12,)).leaves_out(path, mode) is left_out
    assert not plan_for("version: 1\n").leaves_out(path, mode)


def test_judge__problems_are_listed_once_each() -> None:
    world = World().says("ana", f"## jkz:judge\n\n## jkz:lens\n\n{verdict('inspector').partition('Words')[2]}")
    found = decided(world).problems
    assert len(found) == len(set(found))


@pytest.mark.parametrize("change", [
    {"comments": [], "reviews": [], "issues": [], "people": []},
    {"contents": []},
    {"ref_log": {"source": "none", "complete": True}},
    {"ref_log": {"source": "none", "complete": False}},
    {"files": {"complete": False}},
])  # fmt: skip
def test_judge__whatever_is_missing_it_decides_and_never_by_accident_for_success(change: dict[str, object]) -> None:
    world = World()
    world.changes |= change
    assert states(world)[-1] == "pending"


@pytest.mark.parametrize(
    "author", [None, {"login": "ghost", "type": "User"}, {"login": "x[bot]", "id": 5, "type": "Bot"}]
)
def test_judge__odd_authors_of_the_pull_request_are_no_crash(author: dict[str, object] | None) -> None:
    world = World().green()
    world.changes["pull_request"] = {**world.snapshot()["pull_request"], "author": author}
    assert states(world)[-1] == "success"


def test_judge__hostile_names_reach_the_report_as_data_only() -> None:
    world = World().green()
    world.issue(13, '::error::"\n##[group]')
    world.issues[-1]["title"] = "\u202e<script>"
    text = report_text(decided(world))
    assert "##[" not in text
    assert "::" not in text
    json.loads(text)
