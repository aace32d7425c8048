"""Described formats over the API: files of any shape, check runs and schemas are read as they are, or it is said."""

from __future__ import annotations

import json
from typing import Any

import pytest

from phasegate.cli.files import parse_snapshot, snapshot_text
from phasegate.gate import judge
from phasegate.github.client.answers import GitHubError, MovedError
from phasegate.github.reading import conversation, files, opening
from phasegate.model.report import NeedState, Report, State, Why
from phasegate.report.data import report_text
from tests.casebook.world import World, commit
from tests.fakehub import FakeHub
from tests.integration.runs import read, run
from tests.unit.dialects.described import test_gate as gate
from tests.unit.dialects.described.shelf import EXAMPLES, description
from tests.unit.github.canned import Canned

JSON = dict[str, Any]
GATES = "docs/qa/gates"
WITH_SCHEMA = gate.POLICY.replace("as: json}", "as: json, schema_file: .github/story.json}")
FILES = """\
version: 1
phases:
  plan: {enabled: false}
  qa: {enabled: false}
  build: {dialect: gates, creator: null, fixer: null, roles: [bmad]}
formats:
  gates:
"""
SHAPES = {
    "nested root": ("docs/qa/gates/{name}.yml", "docs/qa/gates/1.2-login.yml"),
    "folder and name": (".qa/{folder}/{name}.yml", ".qa/12/gate.yml"),
    "folder": (".qa/gates/{folder}/gate.yml", ".qa/gates/12/gate.yml"),
    "literal": ("docs/gate.yml", "docs/gate.yml"),
    "at the top": ("gate.yml", "gate.yml"),
}
PASS, FAIL = ((EXAMPLES / "bmad" / f"{name}.yml").read_text(encoding="utf-8") for name in ("pass", "fail"))


def policy(template: str) -> str:
    return f"{FILES}    {description('bmad').replace('docs/qa/gates/{name}.yml', template)}\n"


def pushed(world: World, name: str, content: str | None = "a", **evidence: str | None) -> None:
    """A push of evidence that leaves the product as it is, unless it says so."""
    world.push(name, by="ana", evidence=evidence)
    if content is not None:
        world.contents[commit(name)] = world.contents[commit(content)]


def decided(world: World, **extras: Any) -> Report:  # noqa: ANN401 - as the hub takes them
    """What is read from a hub with this pull request, and decided like the same saved."""
    with FakeHub(world.snapshot(), **extras) as hub:
        decision = read(hub)
    saved = parse_snapshot(snapshot_text(decision.snapshot), "saved.json")
    assert report_text(judge(saved)) == report_text(decision.report)  # type: ignore[arg-type]
    return decision.report


def seat(report: Report, name: str = "bmad") -> tuple[NeedState, Why]:
    found = next(need for phase in report.phases for need in phase.needs if need.name == name)
    return found.state, found.why


def gates(*pushes: dict[str, str | None]) -> World:
    """A pull request to which gates were pushed, in the order given."""
    world = World(policy=policy(SHAPES["nested root"][0]))
    for name, evidence in zip("bcd", pushes, strict=False):
        pushed(world, name, **{f"{GATES}/{path}.yml": text for path, text in evidence.items()})
    return world


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_file__of_any_shape_is_read_where_the_pull_request_changes_it(shape: tuple[str, str]) -> None:
    template, path = shape
    world = World(policy=policy(template))
    pushed(world, "b", **{path: PASS})
    assert seat(decided(world)) == (NeedState.MET, Why.PASSED)
    pushed(world, "c", **{path: FAIL})
    assert seat(decided(world)) == (NeedState.FAILED, Why.FAILED)


def test_file__versions_are_rounds_also_where_names_vary() -> None:
    alone = "agents: {author_may_judge: true}\n"  # one account works and judges
    world = World(policy=policy(SHAPES["nested root"][0]) + alone)
    for number in range(4):
        pushed(world, f"bad {number}", content=None, **{f"{GATES}/1.yml": f"{FAIL}# {number}\n"})
    pushed(world, "good", content=None, **{f"{GATES}/1.yml": PASS})
    report = decided(world)
    assert seat(report)[1] is Why.PASSED
    assert [need.why for need in report.phases[1].needs if need.name == "build"] == [Why.ESCALATED]


def test_file__that_failed_and_was_deleted_is_still_a_failing_round() -> None:
    world = gates({"1": FAIL}, {"1": None})
    with FakeHub(world.snapshot()) as hub:
        found = read(hub).snapshot.branch_files
    assert [(file.path, file.gone, len(file.earlier)) for file in found] == [(f"{GATES}/1.yml", True, 1)]
    assert found[0].earlier[0].text == FAIL


def test_file__of_another_pull_request_that_came_with_the_base_is_not_read() -> None:
    snapshot = gates({"other": PASS}).snapshot()
    snapshot["files"]["entries"] = [
        each for each in snapshot["files"]["entries"] if not each["path"].startswith("docs")
    ]
    with FakeHub(snapshot) as hub:
        assert seat(read(hub).report) == (NeedState.WAITING, Why.MISSING)


def test_file__that_is_a_link_is_no_word_that_passes() -> None:
    snapshot = gates({"1": PASS}).snapshot()
    snapshot["branch_files"][0]["mode"] = "120000"
    with FakeHub(snapshot) as hub:
        assert seat(read(hub).report) == (NeedState.FAILED, Why.INVALID)


def test_files__beyond_the_bound_are_invalid_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_PATHS", 1)
    report = decided(gates({"1": PASS, "2": PASS}))
    assert report.state is State.FAILURE
    assert Why.UNSEEN in [need.why for need in report.phases[1].needs]


def test_file__at_a_head_that_is_gone_may_have_failed() -> None:
    world = gates({"1": FAIL}, {"1": PASS})
    report = decided(world, gone=[commit("b")])
    assert Why.UNSEEN in [need.why for need in report.phases[1].needs]


def test_three_media__of_one_policy_are_read_as_they_were_told() -> None:
    report = decided(gate.green())
    assert report.state is State.SUCCESS, report.phases
    assert {need.why for need in report.phases[1].needs} == {Why.PASSED}


@pytest.mark.parametrize(("changes", "why"), [
    ({"text": "Result: dirty"}, Why.FAILED),
    ({"text": "Result: fine"}, Why.INVALID),
    ({"text": "Outcome: clean"}, Why.DRIFTED),
    ({"app_id": 15368, "app": "github-actions"}, Why.MISSING),
    ({"app_id": 4}, Why.MISSING),
    ({"status": "in_progress", "conclusion": None, "completed_at": None, "started_at": "2026-03-02T10:00:00Z"},
     Why.NOT_DONE),
])  # fmt: skip
def test_check_run__is_read_with_all_that_its_app_wrote(changes: JSON, why: Why) -> None:
    world = gate.green()
    gate.run(world, **changes)
    assert seat(decided(world), "watcher")[1] is why


def test_check_runs__are_asked_for_only_where_a_format_reads_them() -> None:
    asked = {}
    for name, world in (("without", World(policy=policy("docs/gate.yml"))), ("with", gate.green())):
        with FakeHub(world.snapshot()) as hub:
            read(hub)
            asked[name] = [each for each in hub.requests if "/check-runs" in each.path]
    assert asked["without"] == []
    assert asked["with"]


def test_check_runs__more_than_are_read_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation, "MOST_COUNTED", 100)
    world = gate.green()
    one = world.changes["checks"][0]
    world.changes["checks"] = [{**one, "id": number} for number in range(1, 102)]
    with FakeHub(world.snapshot()) as hub, pytest.raises(GitHubError, match="101 check runs"):
        read(hub)


def test_check_run__that_changes_before_publishing_is_read_anew() -> None:
    world = gate.green()
    with FakeHub(world.snapshot()) as hub:
        read(hub)
        requests = len(hub.requests)
        hub.at_request(2 * requests, lambda _: hub.state.checks[commit("b")][0].update(text="Result: dirty"))
        assert run(hub).report.state is State.FAILURE


def test_schema_file__is_read_from_the_default_branch() -> None:
    for schema, why in (({"required": ["checked"]}, Why.PASSED), ({"required": ["author"]}, Why.INVALID)):
        snapshot = gate.green().under(WITH_SCHEMA).snapshot()
        snapshot["policy"]["schemas"] = [
            {"path": ".github/story.json", "text": json.dumps({"type": "object", **schema})}
        ]
        with FakeHub(snapshot) as hub:
            assert seat(read(hub).report, "story-check")[1] is why


def test_schema_file__that_is_not_there_is_an_error_of_the_policy() -> None:
    world = gate.green().under(WITH_SCHEMA)
    report = decided(world)
    assert (report.state, {item.code for item in report.problems}) == (State.ERROR, {"PG901"})


def test_check_runs__that_are_not_all_listed_are_read_anew() -> None:
    run_of = {"id": 1, "app": {"id": 4}}
    path = f"/repos/octo/shop/commits/{commit('a')}/check-runs"
    answers = {path: ({"total_count": 3, "check_runs": [run_of]}, {"total_count": 3, "check_runs": []})}
    with pytest.raises(MovedError, match="1 read, 3 expected"):
        conversation.check_runs(Canned(answers), commit("a"), 4, "/repos/octo/shop")


def test_check_runs__of_another_app_are_left_out_where_the_filter_is_not_known() -> None:
    path = f"/repos/octo/shop/commits/{commit('a')}/check-runs"
    runs = [{"id": 1, "app": {"id": 4}}, {"id": 2, "app": {"id": 5}}, {"id": 3, "app": None}]
    found = conversation.check_runs(
        Canned({path: {"total_count": 3, "check_runs": runs}}), commit("a"), 4, "/repos/octo/shop"
    )
    assert [each["id"] for each in found] == [1]


def test_schema_files__more_than_are_read_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "MOST_SCHEMAS", 0)
    world = gate.green().under(WITH_SCHEMA)
    with FakeHub(world.snapshot()) as hub, pytest.raises(GitHubError, match="names 1 schema files"):
        read(hub)
