"""The first trip: what it asks, what it refuses because it was cut short, and whether the last commit is the head."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Iterator
from typing import Any

import pytest

from phasegate.github.client.answers import GitHubError, MissingError, MovedError
from phasegate.github.reading.opening import (
    Opening,
    open_ones,
    opening_of,
    opening_tasks,
    policy_told,
    pull_request_of,
    repository_of,
    siblings_of,
)
from phasegate.model.codec import text_digest
from tests.casebook.world import commit
from tests.fakehub import FakeHub
from tests.integration.runs import TARGET, client_of, passing
from tests.unit.github.canned import Canned

JSON = dict[str, Any]
Answers = dict[Hashable, Any]
COMMENTS, FILES = "/repos/octo/shop/issues/7/comments", "/repos/octo/shop/pulls/7/files"


def opened_at(hub: FakeHub) -> Opening:
    client = client_of(hub)
    return opening_of(TARGET, client.together(opening_tasks(client, TARGET)))


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    world = passing()
    world.policy = "version: 1\n"
    with FakeHub(world.snapshot()) as started:
        yield started


@pytest.fixture
def answers(hub: FakeHub) -> Answers:
    """The answers of the first trip, to be changed."""
    client = client_of(hub)
    tasks = opening_tasks(client, TARGET)
    repository, head = copy.deepcopy(tasks["main"]())
    return {"main": (repository, head), "comments": tasks["comments"](), "files": tasks["files"]()}


def test_opening__is_three_requests(hub: FakeHub) -> None:
    opened_at(hub)
    assert sorted(request.target.partition("?")[0] for request in hub.requests) == [
        f"GET {COMMENTS}", f"GET {FILES}", "POST /graphql",
    ]  # fmt: skip


def test_opening__tells_repository_policy_and_pull_request(hub: FakeHub) -> None:
    opening = opened_at(hub)
    assert (repository_of(opening).name, repository_of(opening).default_branch) == ("octo/shop", "main")
    policy = policy_told(opening.repository, TARGET.policy_path)
    assert (policy.text, policy.digest, policy.commit) == ("version: 1\n", text_digest("version: 1\n"), commit("base"))
    pull = pull_request_of(opening, [])
    assert (pull.number, pull.state, pull.draft, pull.head.sha) == (7, "open", False, commit("a"))
    assert [thread.total for thread in opening.threads()] == [5, 0, 4]


def opened(answers: Answers) -> Opening:
    return opening_of(TARGET, answers)


def test_opening__of_a_fork_that_is_gone_and_without_a_policy(answers: Answers) -> None:
    answers["main"][0]["pullRequest"]["headRepository"] = answers["main"][0]["policy"] = None
    assert pull_request_of(opened(answers), []).head.repository is None
    policy = policy_told(opened(answers).repository, TARGET.policy_path)
    assert (policy.text, policy.digest, policy.path) == (None, None, ".github/phase-gate.yml")


@pytest.mark.parametrize("changes", [{"__typename": "Tree"}, {"isTruncated": True}, {"isBinary": True}, {"text": None}])
def test_policy__that_cannot_be_read_is_an_error_and_never_none(answers: Answers, changes: JSON) -> None:
    answers["main"][0]["policy"] |= changes
    with pytest.raises(GitHubError, match="not a text file of ordinary size"):
        policy_told(opened(answers).repository, TARGET.policy_path)


def test_opening__that_tells_less_or_more_than_is_read_is_an_error(answers: Answers) -> None:
    linked = answers["main"][0]["pullRequest"]["closingIssuesReferences"]
    linked["nodes"][0]["labels"]["totalCount"] = 101
    with pytest.raises(GitHubError, match="more than 100 labels"):
        opened(answers)
    linked["nodes"][0]["labels"]["totalCount"], linked["totalCount"] = 0, 21
    with pytest.raises(GitHubError, match="closes 21 issues; at most 20 are read"):
        opened(answers)
    linked["nodes"][0]["labels"]["nodes"], linked["totalCount"] = [], 1
    answers["main"][0]["defaultBranchRef"] = None
    with pytest.raises(GitHubError, match="no default branch"):
        repository_of(opened(answers))


def test_opening__issues_of_another_repository_are_not_read(answers: Answers) -> None:
    references = answers["main"][0]["pullRequest"]["closingIssuesReferences"]
    foreign = {**references["nodes"][0], "id": "I_foreign", "repository": {"nameWithOwner": "else/where"}}
    references |= {"totalCount": 3, "nodes": [*references["nodes"], foreign, None]}
    opening = opened(answers)
    assert [len(opening.issues), len(opening.own_issues), len(opening.threads())] == [2, 1, 3]


def test_siblings__are_other_open_pull_requests_with_this_very_head(answers: Answers) -> None:
    opening = opened(answers)
    own = open_ones(Canned({}), opening)[0]
    assert own["headRefOid"] == commit("a")
    others = [{**own, "number": 8}, {**own, "number": 10, "headRefOid": commit("else")}]
    assert [sibling.number for sibling in siblings_of(opening, [own, *others])] == [8]


@pytest.mark.parametrize(
    ("changes", "said"),
    [({"totalCount": 3}, "1 of 3 open pull requests"), ({"nodes": [], "totalCount": 0}, "#7 is not among the open")],
)
def test_open_ones__a_list_that_lacks_some_is_refused(answers: Answers, changes: JSON, said: str) -> None:
    answers["main"][0]["pullRequests"] |= changes
    with pytest.raises(MovedError, match=said):
        open_ones(Canned({}), opened(answers))


def canned(answers: Answers, last: list[JSON], by_id: JSON | None) -> Canned:
    """A client that tells these commits as the last of the pull request, and this one if asked for the head."""
    repository, _ = answers["main"]
    repository["pullRequest"]["commits"] = {"nodes": [{"commit": node} for node in last]}
    return Canned({
        "PullRequest": {"repository": repository}, "HeadCommit": {"repository": {"object": by_id}},
        COMMENTS: answers["comments"], FILES: answers["files"],
    })  # fmt: skip


@pytest.mark.parametrize("last", [[], [{"oid": "f" * 40}]])
def test_head__is_looked_up_where_the_last_commit_is_another(answers: Answers, last: list[JSON]) -> None:
    head = answers["main"][1]
    client = canned(answers, last, head)
    opening = opening_of(TARGET, client.together(opening_tasks(client, TARGET)))
    assert opening.commit == head
    assert ("HeadCommit", {"owner": "octo", "name": "shop", "oid": commit("a")}) in client.asked
    client = canned(answers, [head], None)
    client.together(opening_tasks(client, TARGET))
    assert "HeadCommit" not in [name for name, _ in client.asked]
    client = canned(answers, last, None)
    with pytest.raises(MissingError, match="is not there"):
        client.together(opening_tasks(client, TARGET))


@pytest.mark.parametrize("repository", [None, {"pullRequest": None}])
def test_opening__what_is_no_pull_request_is_an_error(answers: Answers, repository: JSON | None) -> None:
    client = canned(answers, [], None)
    client.answers["PullRequest"] = {"repository": repository}
    with pytest.raises(MissingError, match="octo/shop#7 is not a pull request that this token can see"):
        client.together(opening_tasks(client, TARGET))
