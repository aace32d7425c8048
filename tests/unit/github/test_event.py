"""Which pull requests an event is about."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from phasegate.github.client.answers import GitHubError
from phasegate.github.client.client import Client, make_client
from phasegate.github.event import PULL_REQUEST_EVENTS, NoPullRequestError, concerned, event_head, queued
from phasegate.settings import Api
from tests.casebook.world import URL, World, commit
from tests.fakehub import TOKEN, FakeHub

JSON = dict[str, Any]
REPOSITORY = "octo/shop"


def client_of(hub: FakeHub | None) -> Client:
    rest = hub.url if hub else "http://127.0.0.1:9"
    return make_client(Api(token=TOKEN, rest=rest, graphql=f"{rest}/graphql"), 5.0)


def heads(hub: FakeHub | None, event: str, payload: JSON) -> dict[int, str | None]:
    """What the event is about, with the heads that were told; without a hub, whoever asks GitHub fails."""
    return dict(concerned(client_of(hub), REPOSITORY, event, payload))


def ask(hub: FakeHub | None, event: str, payload: JSON) -> tuple[int, ...]:
    return tuple(heads(hub, event, payload))


def hub_of(*more: JSON) -> FakeHub:
    """The pull request #7 for the issue #12, and more."""
    return FakeHub(World().snapshot(), more=more)


def numbered(number: int, **changes: object) -> JSON:
    """A pull request of another number, with a head of its own, for the same issue."""
    made: JSON = copy.deepcopy(World().snapshot())
    made["pull_request"] |= {"number": number, "url": f"{URL}/pull/{number}", **changes}
    made["pull_request"]["head"] |= {"sha": commit(f"head of {number}"), "ref": f"branch-{number}"}
    return made


@pytest.mark.parametrize("event", PULL_REQUEST_EVENTS)
def test_concerned__pull_request_events_name_theirs(event: str) -> None:
    assert ask(None, event, {"pull_request": {"number": 7}}) == (7,)


def test_concerned__comment_on_a_pull_request_names_it() -> None:
    assert ask(None, "issue_comment", {"issue": {"number": 7, "pull_request": {"url": "…"}}}) == (7,)


TOUCHED = numbered(8) | {"taken_at": "2030-01-01T00:00:00Z"}
CLOSE_IT: dict[str, tuple[list[JSON], tuple[int, ...], int]] = {
    "every open one": (
        [numbered(9), numbered(8), numbered(10, state="closed"), numbered(11, state="merged")], (9, 8, 7), 1,
    ),
    "the most recently touched first": ([numbered(9), TOUCHED], (8, 9, 7), 1),
    "more than a page": ([numbered(number) for number in range(100, 201)], (*range(200, 99, -1), 7), 2),
}  # fmt: skip


@pytest.mark.parametrize("event", ["issues", "issue_comment"])
@pytest.mark.parametrize("name", CLOSE_IT)
def test_concerned__issue_means_the_pull_requests_that_close_it(name: str, event: str) -> None:
    more, numbers, requests = CLOSE_IT[name]
    with hub_of(*more) as hub:
        assert ask(hub, event, {"issue": {"number": 12}}) == numbers
        assert len(hub.requests) == requests


def test_concerned__issue_that_does_not_exist_is_an_error() -> None:
    with hub_of() as hub, pytest.raises(GitHubError, match="query ClosingPullRequests"):
        ask(hub, "issues", {"issue": {"number": 99}})


def test_concerned__a_list_that_is_too_short_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with hub_of(numbered(8)) as hub:
        client = client_of(hub)
        asked = client.graphql

        def shortened(name: str, query: str, variables: JSON) -> JSON:
            found = asked(name, query, variables)
            found["repository"]["issue"]["closedByPullRequestsReferences"]["nodes"].pop()
            return found

        monkeypatch.setattr(client, "graphql", shortened)
        waited: list[float] = []
        monkeypatch.setattr(client, "pause", lambda seconds, _: waited.append(seconds))
        with pytest.raises(GitHubError, match="1 of 2 pull requests that close #12"):
            concerned(client, REPOSITORY, "issues", {"issue": {"number": 12}})
        assert waited == [1.0, 2.0]


def test_concerned__a_list_that_was_too_short_once_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("phasegate.github.event.BETWEEN_TRIES", (0.0,))
    with hub_of(numbered(8)) as hub:
        hub.fail("POST /graphql", kind="item_missing", connection="closedByPullRequestsReferences")
        assert ask(hub, "issues", {"issue": {"number": 12}}) == (8, 7)


def test_concerned__a_pull_request_of_others_that_may_not_be_seen_hides_none_of_ours() -> None:
    place = "repository.issue.closedByPullRequestsReferences.nodes.0"
    with hub_of(numbered(8)) as hub:
        hub.fail("POST /graphql", kind="graphql_errors", type="FORBIDDEN", null_at=place, times=None)
        assert len(ask(hub, "issues", {"issue": {"number": 12}})) == 1


def test_concerned__each_pull_request_comes_with_its_head() -> None:
    run = {"head_branch": "sessions", "head_repository": {"owner": {"login": "octo"}}, "pull_requests": []}
    own = commit("a")
    with hub_of(numbered(8)) as hub:
        assert heads(hub, "issues", {"issue": {"number": 12}}) == {8: commit("head of 8"), 7: own}
        assert heads(hub, "workflow_run", {"workflow_run": run}) == {7: own}
        opened = {"pull_request": {"number": 7, "head": {"sha": own}}}
        assert heads(hub, "pull_request_target", opened) == {7: own}
        assert heads(hub, "issue_comment", {"issue": {"number": 7, "pull_request": {"url": "x"}}}) == {7: None}


FORK = "stranger/shop"


def of_branch(number: int, ref: str, repository: str | None = FORK, sha: str = "", **changes: object) -> JSON:
    made = numbered(number, **changes)
    made["pull_request"]["head"] |= {"ref": ref, "repository": repository} | ({"sha": sha} if sha else {})
    return made


def ran(branch: str | None = "patch-1", owner: str | None = "stranger", **changes: object) -> JSON:
    """The payload of a run; what it lists of pull requests is empty for forks."""
    head = None if owner is None else {"owner": {"login": owner}, "full_name": f"{owner}/shop"}
    run = {"head_branch": branch, "head_repository": head, "head_sha": commit("long gone"), "event": "pull_request"}
    return {"action": "requested", "workflow_run": run | {"pull_requests": [], **changes}}


def checked(head: str, branch: str | None = None) -> JSON:
    suite: JSON = {"head_branch": branch, "head_sha": head, "pull_requests": []}
    return {"action": "completed", "check_run": {"head_sha": head, "check_suite": suite, "pull_requests": []}}


HEAD = commit("the head")
FORKS = [of_branch(8, "patch-1"), of_branch(9, "patch-1", "other/shop"), of_branch(10, "patch-10")]
# The other pull requests, the payload, and those that the run is about, with the head where that is told.
RUNS: dict[str, tuple[list[JSON], JSON, dict[int, str | None]]] = {
    "a fork whose branch moved on": (FORKS, ran(), {8: commit("head of 8")}),
    "whose owner is written otherwise": (FORKS, ran(owner="STRANGER"), {8: commit("head of 8")}),
    "several of one branch": (
        [of_branch(8, "patch-1"), of_branch(9, "patch-1")], ran(), {9: commit("head of 9"), 8: commit("head of 8")},
    ),
    "closed, by its commit alone": (
        [of_branch(8, "patch-1", sha=HEAD, state="closed"), of_branch(9, "patch-1", state="closed")],
        ran(head_sha=HEAD), {8: HEAD},
    ),
    "merged, by its commit alone": (
        [of_branch(8, "patch-1", sha=HEAD, state="merged"), of_branch(9, "patch-1", state="merged")],
        ran(head_sha=HEAD), {8: HEAD},
    ),
    "closed with very many others": (
        [of_branch(8, "patch-1", sha=HEAD, state="closed"),
         *(of_branch(number, f"patch-{number}", state="closed") for number in range(100, 210))],
        ran(head_sha=HEAD), {8: HEAD},
    ),
    # whoever closes a pull request and opens another one from the same branch: both would write the same status
    "none that is over where an open one has its commit": (
        [of_branch(8, "patch-1", sha=HEAD, state="closed"), of_branch(9, "patch-1", sha=HEAD)],
        ran(head_sha=HEAD), {9: HEAD},
    ),
    "beyond the first page": (
        [of_branch(number, f"branch-{number}") for number in range(100, 230)], ran("branch-100"),
        {100: commit("head of 100")},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_run__finds_the_pull_requests_of_its_branch_or_commit(name: str) -> None:
    more, payload, found = RUNS[name]
    with hub_of(*more) as hub:
        assert list(heads(hub, "workflow_run", payload).items()) == list(found.items())
        assert "beyond" not in name or len(hub.requests) == 2


@pytest.mark.parametrize("head_repository", [None, "patch-1's fork is gone", {"owner": None}, {}])
def test_run__of_a_fork_that_is_gone_is_found_by_its_commit(head_repository: object) -> None:
    head = commit("orphan")
    with hub_of(of_branch(8, "patch-1", None, sha=head), of_branch(9, "patch-1", None)) as hub:
        assert ask(hub, "workflow_run", ran(head_sha=head, head_repository=head_repository)) == (8,)


@pytest.mark.parametrize(
    "branch", ["nobody", "", "patch-1&state=all", "*", "patch-1\n", "PATCH-1", "refs/heads/patch-1", '"}', None]
)
def test_run__of_a_branch_that_nobody_asks_for_means_none(branch: str | None) -> None:
    with hub_of(of_branch(8, "patch-1")) as hub:
        assert ask(hub, "workflow_run", ran(branch)) == ()


@pytest.mark.parametrize("branch", ["x&head=octo:main", "a`b$(c)", "\u202eevil", "::error::x", "phase-gate: main"])
def test_run__of_a_branch_with_a_hostile_name_means_its_own(branch: str) -> None:
    with hub_of(of_branch(8, branch), of_branch(9, "patch-1")) as hub:
        assert ask(hub, "workflow_run", ran(branch)) == (8,)


def test_run__a_list_that_lacks_some_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("phasegate.github.event.BETWEEN_TRIES", (0.0,))
    with hub_of(of_branch(8, "patch-1")) as hub:
        hub.fail("POST /graphql", kind="item_missing", connection="pullRequests")
        assert ask(hub, "workflow_run", ran()) == (8,)
        hub.fail("POST /graphql", kind="item_missing", connection="pullRequests", times=None)
        with pytest.raises(GitHubError, match="1 of 2 open pull requests were listed"):
            ask(hub, "workflow_run", ran())


@pytest.mark.parametrize("event", ["workflow_run", "check_run"])
@pytest.mark.parametrize("told", [
    None,
    [],
    {},
    {"head_branch": None, "head_repository": None},
    {"head_branch": "x", "head_repository": None},
    {"head_branch": "x", "head_repository": {"owner": {"login": 7}}},
    {"head_sha": "HEAD", "head_branch": 7},
    {"head_sha": commit("a").upper()},
])  # fmt: skip
def test_concerned__event_without_commit_and_branch_says_what_to_do(event: str, told: object) -> None:
    with pytest.raises(NoPullRequestError, match="pass the number in the input pull-request"):
        ask(None, event, {event: told})


@pytest.mark.parametrize("branch", [None, "sessions", "another"])
def test_check_run__means_the_pull_requests_of_its_commit(branch: str | None) -> None:
    head = commit("checked")
    with hub_of(
        of_branch(8, "patch-1", sha=head), of_branch(9, "other", sha=head), of_branch(10, "sessions", "octo/shop")
    ) as hub:
        assert ask(hub, "check_run", checked(head, branch)) == (9, 8)
        assert ask(hub, "check_run", checked(commit("a"))) == (7,)
        assert ask(hub, "check_run", checked(commit("an older head"))) == ()
        assert [request.method for request in hub.requests] == ["POST"] * 3


@pytest.mark.parametrize("event", ["workflow_dispatch", "schedule", "push", ""])
def test_concerned__other_events_say_what_to_do(event: str) -> None:
    with pytest.raises(NoPullRequestError) as refused:
        ask(None, event, {})
    message = str(refused.value)
    assert message.startswith(f"the event {event or '(none)'} carries no pull request")
    assert "Pass its number in the input pull-request" in message


@pytest.mark.parametrize(("event", "payload"), [
    ("pull_request_target", {}),
    ("pull_request_target", {"pull_request": None}),
    ("pull_request_target", {"pull_request": {"number": "7"}}),
    ("issue_comment", {}),
    ("issues", {"issue": {}}),
])  # fmt: skip
def test_concerned__payload_without_a_number_is_told(event: str, payload: JSON) -> None:
    with pytest.raises(NoPullRequestError, match=r"the event's payload has no (pull_request|issue)\.number"):
        ask(None, event, payload)


GROUP = {
    "base_ref": "refs/heads/main",
    "base_sha": commit("queue base"),
    "head_ref": f"refs/heads/gh-readonly-queue/main/pr-7-{commit('queue base')}",
    "head_sha": commit("queued"),
}


def test_merge_group__names_its_pull_request() -> None:
    assert ask(None, "merge_group", {"merge_group": GROUP}) == (7,)
    number, group = queued({"merge_group": GROUP})
    assert (number, group.branch, group.head, group.base) == (7, "main", commit("queued"), commit("queue base"))
    assert event_head("merge_group", {"merge_group": GROUP}) == commit("queued")


def test_merge_group__a_branch_may_be_called_like_an_entry() -> None:
    branch = f"main/pr-41-{commit('x')}"
    told = GROUP | {"base_ref": f"refs/heads/{branch}"}
    told["head_ref"] = f"refs/heads/gh-readonly-queue/{branch}/pr-7-{commit('y')}"
    assert queued({"merge_group": told})[0] == 7


@pytest.mark.parametrize("ref", [
    "refs/heads/main",
    f"refs/heads/gh-readonly-queue/next/pr-7-{commit('x')}",
    f"refs/heads/gh-readonly-queue/main/pr-7-{commit('x')}/more",
    f"refs/heads/gh-readonly-queue/main/pr-0-{commit('x')}",
    f"refs/heads/gh-readonly-queue/main/pr-7-{commit('x')[:7]}",
    f"refs/heads/gh-readonly-queue/main/pr-41-{commit('x')}/pr-7-{commit('x')}",
    f"x/refs/heads/gh-readonly-queue/main/pr-7-{commit('x')}",
    f"refs/heads/gh-readonly-queue/main/pr-7-{commit('x')}\n",
    f"refs/heads/gh-readonly-queue/main/pr-\u0667-{commit('x')}",
])  # fmt: skip
def test_merge_group__ref_that_names_none_is_told(ref: str) -> None:
    with pytest.raises(NoPullRequestError, match="names no pull request of the queue of main"):
        queued({"merge_group": GROUP | {"head_ref": ref}})


@pytest.mark.parametrize("name", GROUP)
@pytest.mark.parametrize("value", [None, 7, {}])
def test_merge_group__payload_that_lacks_something_is_told(name: str, value: object) -> None:
    with pytest.raises(NoPullRequestError, match=f"no usable merge_group.{name}"):
        queued({"merge_group": GROUP | {name: value}})


@pytest.mark.parametrize("payload", [{}, {"merge_group": None}, {"merge_group": []}, {"merge_group": "main"}])
def test_merge_group__payload_without_any_is_told(payload: JSON) -> None:
    assert event_head("merge_group", payload) is None
    with pytest.raises(NoPullRequestError, match="no usable merge_group"):
        ask(None, "merge_group", payload)
