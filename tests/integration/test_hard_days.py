"""Hard days: budgets that end in the middle, lists that lack one, things that are gone, events that carry nonsense."""

from __future__ import annotations

import contextlib
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from phasegate.cli import sweep as sweeping
from phasegate.cli.live import Decision, decide_and_publish
from phasegate.cli.setup import EVENTS
from phasegate.cli.terminal import GITHUB, PASSED, USAGE
from phasegate.github.client.answers import GitHubError
from phasegate.github.client.client import Client
from phasegate.github.reading.opening import Target
from phasegate.github.reading.sweep import Due
from tests.casebook.world import PEOPLE, World, commit, verdict
from tests.fakehub import FakeHub
from tests.fakehub.ledger import Request
from tests.fakehub.state import completed
from tests.integration.runs import OVERALL, Moving, edited, passing, run, states
from tests.integration.test_sweep import Swept, alone, later, pull, swept, three, touch
from tests.unit.cli.test_action import Step

JSON = dict[str, Any]
TOO_MUCH: list[JSON] = [
    {"kind": "graphql_errors", "type": "RESOURCE_LIMITS_EXCEEDED"},
    {"kind": "status", "status": 504},
]


def asks(request: Request, name: str) -> bool:
    return f"query {name}(" in request.text


@pytest.mark.parametrize("over", [False, True], ids=["open", "merged since"])
def test_sweep__a_new_pull_request_with_the_head_of_a_green_one_is_decided(tmp_path: Path, *, over: bool) -> None:
    with three() as hub:
        swept(tmp_path, hub)
        if over:
            hub.state.snapshots[1]["pull_request"]["state"] = "merged"
        opened = pull(10, created_at=later(hub))
        opened["pull_request"]["head"]["sha"] = commit("head of 8")
        hub.state.snapshots.append(completed(opened))
        step = swept(tmp_path, hub)
        assert step.decided == [10] if over else {8, 10} <= set(step.decided)
        assert over or hub.latest_statuses(commit("head of 8"))[OVERALL]["state"] != "success"
    assert Due.CHANGED.value in step.summary


def test_sweep__a_pull_request_that_was_opened_with_a_green_commit_is_decided(tmp_path: Path) -> None:
    with three() as hub:
        swept(tmp_path, hub)
        hub.state.snapshots[1]["pull_request"]["state"] = "merged"
        opened = pull(10, created_at=later(hub))
        opened["pull_request"]["head"]["sha"] = commit("head of 8")
        hub.state.snapshots.append(completed(opened))
        step = swept(tmp_path, hub)
        assert step.decided == [10]
    assert Due.CHANGED.value in step.summary


def test_sweep__an_old_review_among_many_that_was_edited_is_a_change(tmp_path: Path) -> None:
    world = passing()
    for number in range(120):
        world.review("ana", f"Remark {number}")
    with alone(world) as hub:
        swept(tmp_path, hub)
        edited(hub.snapshot["reviews"][0], verdict("judge", "FAIL"), at=later(hub))
        hub.snapshot["pull_request"]["updated_at"] = later(hub)
        assert swept(tmp_path, hub).decided == [7]
        assert states(hub)[OVERALL] == "failure"


def test_sweep__a_status_that_the_policy_reads_as_a_check_is_a_change(tmp_path: Path) -> None:
    with alone(passing().under("version: 1\nphases: {build: {checks: [ci]}}\n")) as hub:
        hub.add_status("ci", "success", PEOPLE["mona"], at=hub.snapshot["taken_at"])
        swept(tmp_path, hub)
        assert states(hub)[OVERALL] == "success"
        assert swept(tmp_path, hub).decided == []
        hub.add_status("ci", "failure", PEOPLE["mona"], at=later(hub))
        step = swept(tmp_path, hub)
        assert step.decided == [7]
        assert states(hub)[OVERALL] != "success"
    assert Due.CHANGED.value in step.summary


def test_sweep__one_that_is_gone_keeps_no_other_waiting(tmp_path: Path) -> None:
    with three() as hub:
        swept(tmp_path, hub)
        touch(hub, 8)
        touch(hub, 9)
        fault = {"kind": "graphql_errors", "type": "NOT_FOUND", "null_at": "repository.pull0"}
        hub.fail(partial(asks, name="Swept"), times=None, **fault)
        assert {8, 9} <= set(swept(tmp_path, hub).decided)


@pytest.mark.parametrize("query", ["Swept", "Sweep"])
@pytest.mark.parametrize("fault", TOO_MUCH, ids=lambda fault: str(fault["kind"]))
def test_sweep__what_is_too_much_at_once_is_asked_in_smaller_pieces(tmp_path: Path, query: str, fault: JSON) -> None:
    def too_much(request: Request) -> bool:
        if query == "Swept":
            return asks(request, query) and "pull1:" in request.text
        body = request.body if isinstance(request.body, dict) else {}
        return asks(request, query) and body["variables"]["page"] > 25

    with three() as hub:
        swept(tmp_path, hub)
        touch(hub, 8)
        touch(hub, 9)
        hub.fail(too_much, times=None, **fault)
        assert swept(tmp_path, hub).decided == [9, 8]


def test_sweep__a_bug_with_one_keeps_no_other_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(client: Client, target: Target, run_url: str | None, *, renewed: bool) -> Decision:
        if target.number == 8:
            raise RuntimeError("a bug")
        return decide_and_publish(client, target, run_url, renewed=renewed)

    monkeypatch.setattr(sweeping, "decide_and_publish", broken)
    with three() as hub:
        step = Swept(tmp_path, hub)
        with pytest.raises(RuntimeError, match="a bug"):
            step.run()
        assert sorted(step.decided) == [7, 8, 9]
        assert hub.latest_statuses(commit("head of 9"))[OVERALL]["state"] == "success"
    assert step.outputs["state"] == "error"
    assert "1 could not be decided" in step.summary


@pytest.mark.parametrize("kind", ["item_missing", "no_next_page", "empty_page"])
def test_sweep__a_list_that_lacks_some_is_no_list(tmp_path: Path, kind: str) -> None:
    with FakeHub(passing().snapshot(), more=[pull(100 + each) for each in range(150)]) as hub:
        hub.budgets["core"] = 10  # nothing is decided
        hub.fail(partial(asks, name="Sweep"), times=2, kind=kind, connection="pullRequests")
        assert "left to the next sweep" in swept(tmp_path, hub).summary
        hub.fail(partial(asks, name="Sweep"), times=None, kind=kind, connection="pullRequests")
        assert swept(tmp_path, hub, GITHUB).states == ["error"] * 4


def test_sweep__that_wrote_too_much_waits_and_decides_again(tmp_path: Path, moving: Moving) -> None:
    with three() as hub:
        hub.fail(f"POST */statuses/{commit('head of 8')}", times=4, kind="secondary_limit", retry_after=100)
        step = swept(tmp_path, hub)
        assert sorted(step.decided) == [7, 8, 9]
        assert hub.latest_statuses(commit("head of 8"))[OVERALL]["state"] == "success"
    assert max(moving.waited) > 90.0


def test_sweep__writes_as_slowly_as_github_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moving: Moving
) -> None:
    monkeypatch.setattr(sweeping, "WRITES_AT_FIRST", 2)
    with three() as hub:
        swept(tmp_path, hub)
        assert sum(moving.waited) >= len(hub.written) - 2 - 7
    monkeypatch.setattr(sweeping, "MOST_WRITES", 1)
    with three() as hub:
        step = swept(tmp_path, hub)
        assert (len(step.decided), "2 left to the next sweep" in step.summary) == (1, True)


@pytest.mark.parametrize("resource", ["core", "graphql"])
@pytest.mark.parametrize("number", range(1, 19, 3))
def test_budget__that_ends_at_any_request_leaves_no_green(resource: str, number: int) -> None:
    with FakeHub(passing(120).snapshot()) as hub:
        run(hub)
        assert states(hub)[OVERALL] == "success"
        hub.add_comment(PEOPLE["ben"], verdict("judge", "FAIL"))
        hub.at_request(len(hub.requests) + number, lambda hub: hub.budgets.update({resource: 20}))
        with contextlib.suppress(GitHubError):
            run(hub)
        assert states(hub)[OVERALL] in ("failure", "error")


def test_reserve__is_not_used_up_by_what_is_asked_side_by_side() -> None:
    world = passing()
    for number in range(40):
        said = world.say("eve", "## jkz:judge")
        said["author"] = {"login": f"eve{number}", "id": 7000 + number, "type": "User"}
    with FakeHub(world.snapshot(), latency=0.1) as hub:
        run(hub)
        assert states(hub)[OVERALL] == "success"
        hub.add_comment(PEOPLE["ben"], verdict("judge", "FAIL"))
        hub.budgets["core"] = 28
        with pytest.raises(GitHubError, match="are kept: look again then"):
            run(hub)
        assert states(hub)[OVERALL] == "error"
        assert "UTC" in hub.latest_statuses()[OVERALL]["description"]


NONSENSE: list[object] = [7, True, "7", [7], {"number": "7"}, {"number": True}, {"number": -7}, {"number": {}}]
PARTS = ("pull_request", "issue", "workflow_run", "merge_group", "comment", "changes")


@pytest.mark.parametrize(
    "event", ["pull_request_target", "issue_comment", "issues", "workflow_run", "merge_group", "schedule", ""]
)
@pytest.mark.parametrize("part", NONSENSE, ids=repr)
def test_event__with_nonsense_says_so(tmp_path: Path, event: str, part: object) -> None:
    payload = {**dict.fromkeys(PARTS, part), "action": "created"}
    with FakeHub(passing().snapshot()) as hub:
        step = Step(tmp_path, hub, payload, GITHUB_EVENT_NAME=event, PHASE_GATE_SKIP_CHATTER="true")
        assert step.run() in (USAGE, GITHUB)
        assert (step.states, hub.written) == (["error"] * 4, [])


@pytest.mark.parametrize("head", [None, 7, "x", [], {}, {"sha": 7}, {"sha": "zz"}], ids=repr)
def test_event__a_head_that_is_none_is_looked_up(tmp_path: Path, head: object) -> None:
    with FakeHub(passing().snapshot()) as hub:
        assert Step(tmp_path, hub, {"pull_request": {"number": 7, "head": head}}).run() == PASSED


def test_event__another_pull_request_that_closes_the_issue_takes_the_success_back(tmp_path: Path) -> None:
    """Its plan is spent then, and nothing else happens to this pull request."""
    payload = {"action": "closed", "issue": {"number": 12}}
    with FakeHub(passing().snapshot()) as hub:
        assert run(hub).report.state.value == "success"
        merged = {"number": 5, "merged_at": hub.state.now(), "repository": "octo/shop"}
        hub.snapshot["issues"][0] |= {"state": "closed", "closed_by": [merged]}
        step = Step(tmp_path, hub, payload, GITHUB_EVENT_NAME="issues")
        assert step.run() == PASSED, step.err.getvalue()
        assert states(hub)[OVERALL] == "pending"
    assert payload["action"] in EVENTS["issues"]  # which doctor asks for


@pytest.mark.parametrize("path", ["GET */issues/12/comments*", "GET */collaborators/*/permission", "GET */compare/*"])
def test_gone__while_it_is_read_means_that_all_is_read_again(path: str) -> None:
    world = passing()
    world.push("again", "a")
    with FakeHub(world.snapshot()) as hub:
        hub.fail(path, times=1, kind="status", status=410)
        assert run(hub).report.state.value == "success"
        assert len([each for each in hub.requests if asks(each, "PullRequest")]) == 2


def taken_back() -> World:
    """A FAIL of an older head that was edited away, and two pushes since; nothing else is about that head."""
    world = World()
    world.planned()
    said = world.judges("judge", "FAIL", who="ben")
    world.push("second", "b")
    world.edit(said, "never mind", "ben")
    world.push("third", "c")
    world.built()
    world.tested()
    return world


@pytest.mark.parametrize("fault", [None, *TOO_MUCH], ids=["whole", "too much", "504"])
def test_joint__questions_are_asked_as_one_and_apart_where_that_is_too_much(fault: JSON | None) -> None:
    with FakeHub(taken_back().snapshot()) as hub:
        if fault is not None:
            hub.fail(partial(asks, name="LookStatusesHistory"), times=None, **fault)
        decision = run(hub)
        found = [name for each in hub.requests for name in re.findall(r"^query (\w+)", each.text, re.MULTILINE)]
    assert ("History" in found, found.count("Modes")) == (
        fault is not None,
        1,
    )  # of the head that the old text is about
    assert "LookStatusesHistory" in found
    assert commit("a") in [content.commit for content in decision.snapshot.contents]
    build = next(phase for phase in decision.report.phases if phase.name == "build")
    assert (decision.report.state.value, len(build.rounds)) == ("success", 3)


PULL = "data.repository.pullRequest"
ANSWERS: list[tuple[str, str, list[object]]] = [
    ("POST /graphql", f"{PULL}.state", ["WEIRD", None, "CLOSED"]),
    ("POST /graphql", f"{PULL}.headRefOid", [None, "zz", "b" * 40]),
    ("POST /graphql", f"{PULL}.number", [8, None]),
    ("POST /graphql", f"{PULL}.author",
     [None, {"__typename": "Alien", "login": "x"}, {"__typename": "User", "login": None}]),
    ("POST /graphql", f"{PULL}.baseRefName", [None, "other"]),
    ("POST /graphql", f"{PULL}.headRefName", [None, "other"]),
    ("POST /graphql", f"{PULL}.createdAt", ["yesterday"]),
    ("POST /graphql", f"{PULL}.comments.totalCount", [-1, 0, 10**6, 10**30]),
    ("POST /graphql", f"{PULL}.comments.nodes", [None, [], [None]]),
    ("POST /graphql", f"{PULL}.comments.nodes.0.createdAt", ["nonsense"]),
    ("POST /graphql", f"{PULL}.closingIssuesReferences.nodes", [[], None]),
    ("POST /graphql", f"{PULL}.timelineItems.nodes", [None, [None]]),
    ("POST /graphql", "data.repository.pullRequests.nodes", [[], None]),
    ("POST /graphql", "data.repository.nameWithOwner", ["other/name", None]),
    ("POST /graphql", "data.viewer", [None]),
    ("GET */activity*", "0.after", [None, "zz", "0" * 40]),
    ("GET */activity*", "0.timestamp", ["x"]),
    ("POST /graphql", f"{PULL}.comments.nodes.5.createdViaEmail", [-1, 1, "no", {}]),
    ("POST /graphql", f"{PULL}.comments.nodes.5.lastEditedAt", ["", "x", 5, [], "2026-03-02"]),
    ("POST /graphql", f"{PULL}.comments.nodes.5.author.databaseId", ["22", 22.0, []]),
    ("POST /graphql", f"{PULL}.comments.nodes.5.author.__typename", [[None], "Alien", "Bot"]),
    ("POST /graphql", f"{PULL}.comments.nodes.5.author.login", ["x", "ana"]),
    ("POST /graphql", f"{PULL}.comments.nodes.5.author", [None]),
    ("GET */issues/7/comments*", "5.user", [None, {"login": "x", "id": 22, "type": "User"}]),
    ("POST /graphql", "data.repository.defaultBranchRef.name", [0]),
    ("GET */collaborators/ben/permission", "user", [None]),
    ("GET */collaborators/ben/permission", "user.id", [None, 10**12, "22"]),
    ("GET */collaborators/ben/permission", "user.type", [None, [["User"]], {}]),
    ("GET */collaborators/ben/permission", "role_name", [["write"], {}, 5]),
    ("GET */collaborators/ben/permission", "permission", ["owner", "", None, []]),
    ("GET */activity*", "0.actor.type", [None, [["User"]]]),
    ("GET */activity*", "0.actor.id", ["11", [[11]]]),
    ("GET */collaborators/*/permission", "user", [None]),
    ("GET */collaborators/*/permission", "permission", ["owner", None]),
    ("GET */pulls/7/files*", "0.status", ["weird"]),
    ("GET */pulls/7/files*", "0.filename", [None]),
    ("GET */issues/7/comments*", "0.node_id", [None, "x"]),
    ("POST */statuses/*", "state", ["success", None]),
    ("POST */statuses/*", "url", ["https://api.github.com/repos/octo/shop/statuses/" + "f" * 40]),
]  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("match", "at", "value"), [(m, at, v) for m, at, values in ANSWERS for v in values])
def test_nonsense__in_an_answer_leaves_no_green(match: str, at: str, value: object) -> None:
    with FakeHub(passing().snapshot()) as hub:
        run(hub)
        assert states(hub)[OVERALL] == "success"
        hub.add_comment(PEOPLE["ben"], verdict("judge", "FAIL"))
        containing = {"containing": "query PullRequest("} if match == "POST /graphql" else {}
        hub.fail(match, times=None, kind="nonsense", at=at, value=value, **containing)
        with contextlib.suppress(GitHubError):
            run(hub)
        assert states(hub)[OVERALL] != "success"


def test_look__without_the_pull_request_among_the_open_ones_claims_nothing() -> None:
    with FakeHub(passing().snapshot()) as hub:
        place = "data.repository.pullRequests.nodes"
        hub.fail(partial(asks, name="Look"), times=None, kind="nonsense", at=place, value=[])
        with pytest.raises(GitHubError, match="no longer is as it was read"):
            run(hub)
        again = [each for each in hub.requests if asks(each, "PullRequest")]
        assert states(hub)[OVERALL] == "error"
    assert len(again) > 1  # everything was read anew, with the whole list


@pytest.mark.parametrize("fault", TOO_MUCH, ids=["too much", "504"])
def test_modes__of_many_paths_are_asked_in_smaller_pieces(fault: JSON) -> None:
    world = taken_back()
    with FakeHub(world.snapshot()) as hub:
        hub.fail(lambda request: asks(request, "Modes") and "commit1:" in request.text, times=None, **fault)
        decision = run(hub)
        modes = [each for each in hub.requests if asks(each, "Modes")]
    assert (decision.report.state.value, len(modes) > 2) == ("success", True)
