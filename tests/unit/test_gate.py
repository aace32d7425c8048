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


def green() -> World:
    """A world that passes."""
    world = World()
    world.planned()
    world.built()
    world.tested()
    return world


def test_judge__says_which_pull_request_and_which_commit() -> None:
    report = decided(green())
    assert (report.repository, report.pull_request, report.head) == ("octo/shop", 7, commit("a"))


@pytest.mark.parametrize("login", ["coderabbitai[bot]", "runner[bot]"])
def test_judge__a_reviewer_named_for_another_seat_is_told_its_format(login: str) -> None:
    world = World(policy=f'version: 1\nagents: {{accounts: [{{login: "{login}", id: 777, roles: [judge]}}]}}\n')
    world.planned()
    world.say("eve", "I found nothing to object to.", author={"login": login, "id": 777, "type": "Bot"})
    hints = [item.hint for item in decided(world).problems if item.code == "PG222"]
    assert [("{format: coderabbit}" in hint) for hint in hints] == [login == "coderabbitai[bot]"]


def test_judge__leaves_the_evidence_of_its_decision() -> None:
    world = World(policy="version: 1\noverrides: false\n")
    snapshot = taken(world)
    evidence = judge(snapshot).provenance
    assert evidence.snapshot_digest == value_digest(snapshot)
    assert evidence.policy_digest == text_digest("version: 1\noverrides: false\n")
    assert (evidence.policy_source, evidence.version) == (POLICY, VERSION)


def test_judge__the_evidence_tells_no_file_from_a_file() -> None:
    assert decided(World()).provenance.policy_source == "built-in profile jkz"


def test_evaluate__is_the_same_twice() -> None:
    snapshot = taken(green())
    first, second = (report_text(evaluate(default_policy(), snapshot)) for _ in range(2))
    assert first == second


def test_evaluate__decides_by_the_policy_it_is_given() -> None:
    snapshot = taken(green())
    only = policy("agents: {only: true}\n")
    assert evaluate(default_policy(), snapshot).state is State.SUCCESS
    assert evaluate(only, snapshot).state is State.PENDING


def test_evaluate__the_order_of_comments_in_the_snapshot_decides_nothing() -> None:
    snapshot = taken(green())
    issue = snapshot.issues[0]
    shuffled = replace(
        snapshot,
        comments=snapshot.comments[::-1],
        people=snapshot.people[::-1],
        issues=(replace(issue, comments=issue.comments[::-1]),),
        contents=snapshot.contents[::-1],
    )
    one, other = (json.loads(report_text(judge(item))) for item in (snapshot, shuffled))
    for data in (one, other):
        data.pop("provenance")
    assert one == other


@pytest.mark.parametrize("text", ["", "# nothing\n", "version: 1\nagent: {}\n", "version: 2\n", "{", "\x00"])
def test_judge__a_broken_policy_is_an_error_everywhere_and_says_file_and_line(text: str) -> None:
    world = green()
    world.policy = text
    report = decided(world)
    assert states(world) == ("error",) * 4
    assert withheld_text(report).startswith(f"Policy {POLICY}:")
    assert report.problems


def test_policy_in__no_file_is_the_default_profile() -> None:
    snapshot = taken(World())
    assert snapshot.policy.text is None
    found = policy_in(snapshot.policy)
    assert isinstance(found, Policy)
    assert found.phases == default_policy().phases


def test_policy_in__a_text_that_is_not_the_saved_one_is_an_error() -> None:
    for digest in (None, text_digest("version: 1\nagents: {only: true}\n")):
        held = PolicyFile(path=POLICY, text="version: 1\n", digest=digest)
        found = policy_in(held)
        assert not isinstance(found, Policy)
        assert [item.code for item in found] == ["PG602"]


def test_policy_in__a_text_that_was_taken_out_is_not_the_same_as_no_file() -> None:
    held = PolicyFile(path=POLICY, text=None, digest=text_digest("version: 1\nagents: {only: true}\n"))
    assert not isinstance(policy_in(held), Policy)


def plan_for(text: str) -> ReadingPlan:
    """What is worth fetching under a policy."""
    return reading_plan(PolicyFile(path=POLICY, text=text, digest=text_digest(text)))


def test_reading_plan__asks_for_the_teams_that_the_policy_names() -> None:
    accounts = 'accounts: [{login: "@octo/judges"}, {login: "@Octo/Judges"}, {login: ana}]'
    assert plan_for(f"version: 1\nagents: {{{accounts}}} # not @octo/others\n").teams == ("octo/judges",)
    assert reading_plan(PolicyFile(path=POLICY)).teams == ()


def test_reading_plan__holds_the_footprint_of_the_dialects_in_use() -> None:
    words = plan_for("version: 1\n")
    files = replace(plan_for("version: 1\nprofile: pipeline\n"), issues=(12,))
    assert words.carries("<!-- JKZ:verdict-json")
    assert words.carries("/gate approve qa")
    assert words.carries("/ga\u200bte hold qa")
    assert words.carries("&#47;gate hold qa")
    assert not words.carries("R&amp;D\u200b aggregates, or so")
    assert not words.leaves_out(".pipeline/12/plan.json", "100644")
    assert files.leaves_out(".pipeline/12/plan.json", "100644")
    assert not files.leaves_out(".pipeline/12/plan.json", "120000")
    assert not files.leaves_out(".pipeline/12/install.sh", "100644")
    assert not files.leaves_out(".pipeline/99/plan.json", "100644")
    assert not files.leaves_out(".pipeline/..evil/plan.json", "100644")
    assert files.leaves_out(".pipeline/sessions/plan.json", "100755")
    assert files.leaves_out(".pipeline/lessons.yaml", "100644")


def test_reading_plan__of_a_broken_policy_asks_for_nothing() -> None:
    plan = plan_for("version: 2\n")
    assert (plan.triggers, plan.evidence, plan.teams, plan.approvals) == ((), (), (), None)


def test_reading_plan__looks_for_approvals_by_runs_where_the_policy_names_them() -> None:
    dispatch = "dispatch: {workflow: .github/workflows/approve.yml, environment: release}"
    plan = plan_for(f"version: 1\nhumans: {{{dispatch}}}\n")
    assert plan.approvals == ApprovalPlace(workflow=".github/workflows/approve.yml", environment="release")
    assert plan_for("version: 1\n").approvals is None


def test_judge__problems_are_listed_once_each() -> None:
    world = World()
    world.say("ana", f"## jkz:judge\n\n## jkz:lens\n\n{verdict('inspector').partition('Words')[2]}")
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
    world = green()
    world.changes["pull_request"] = {**world.snapshot()["pull_request"], "author": author}
    assert states(world)[-1] == "success"


def test_judge__hostile_names_reach_the_report_as_data_only() -> None:
    world = green()
    world.issue(13, '::error::"\n##[group]')
    world.issues[-1]["title"] = "\u202e<script>"
    text = report_text(decided(world))
    assert "##[" not in text
    assert "::" not in text
    json.loads(text)


def test_policy_in__a_policy_at_the_path_that_was_given_holds_whatever_stands_elsewhere() -> None:
    text = "version: 1\noverrides: false\n"
    found = policy_in(PolicyFile(path=".github/gate.yml", text=text, digest=text_digest(text)))
    assert isinstance(found, Policy)
    assert not found.overrides
    assert isinstance(policy_in(PolicyFile(path=".github/phase-gate.yml")), Policy)
