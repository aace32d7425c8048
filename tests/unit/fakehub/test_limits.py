"""What GraphQL refuses, and how it says so: always with status 200."""

from __future__ import annotations

import pytest

from tests.casebook.world import World
from tests.fakehub.answer import JSON
from tests.fakehub.client import serving

PULL = 'repository(owner: "octo", name: "shop") { pullRequest(number: 7) { %s } }'


def refused(query: str, **variables: object) -> JSON:
    """The first error of a query that gives no data."""
    with serving(World().snapshot()) as client:
        answer = client.graphql(query, **variables)
        assert answer.get("data") is None
        first: JSON = answer["errors"][0]
        return first


@pytest.mark.parametrize(("page", "kind"), [
    ("", "MISSING_PAGINATION_BOUNDARIES"),
    ('(after: "x")', "MISSING_PAGINATION_BOUNDARIES"),
    ("(first: 101)", "EXCESSIVE_PAGINATION"),
    ("(last: 250)", "EXCESSIVE_PAGINATION"),
    ("(first: 0)", "INVALID_PAGINATION_BOUNDARIES"),
    ("(first: -1)", "INVALID_PAGINATION_BOUNDARIES"),
    ("(first: 1, last: 1)", "INVALID_PAGINATION_BOUNDARIES"),
])  # fmt: skip
def test_connection__needs_one_size_from_1_to_100(page: str, kind: str) -> None:
    fault = refused("{ %s }" % (PULL % f"comments{page} {{ totalCount }}"))
    assert (fault["type"], fault["path"]) == (kind, ["repository", "pullRequest", "comments"])


def test_connection__needs_it_in_fragments_and_variables_too() -> None:
    spread = "fragment words on PullRequest { talk: comments { totalCount } } { %s }" % (PULL % "...words")
    assert refused(spread)["path"] == ["repository", "pullRequest", "talk"]
    inline = "{ %s }" % (PULL % "... on PullRequest { comments { totalCount } }")
    assert refused(inline)["type"] == "MISSING_PAGINATION_BOUNDARIES"
    variable = "query($size: Int = 5) { %s }" % (PULL % "comments(first: $size) { totalCount }")
    assert refused(variable, size=500)["type"] == "EXCESSIVE_PAGINATION"
    with serving(World().snapshot()) as client:
        assert "errors" not in client.graphql(variable)


@pytest.mark.parametrize(("edits", "passes"), [(48, True), (49, False)])
def test_query__gives_at_most_half_a_million_nodes(edits: int, *, passes: bool) -> None:
    inner = f"comments(first: 100) {{ nodes {{ userContentEdits(first: {edits}) {{ totalCount }} }} }}"
    query = "{ %s }" % (PULL % f"closingIssuesReferences(first: 100) {{ nodes {{ {inner} }} }}")
    if passes:
        with serving(World().snapshot()) as client:
            assert "errors" not in client.graphql(query)
    else:
        fault = refused(query)
        assert fault["type"] == "MAX_NODE_LIMIT_EXCEEDED"
        assert "500,100 possible nodes" in fault["message"]


@pytest.mark.parametrize(("query", "words"), [
    ("{ repository", "Syntax Error"),
    ('{ repository(owner: "octo", name: "shop") { nonsense } }', "Cannot query field 'nonsense'"),
    ('{ repository(owner: "octo") { id } }', "name"),
    ("{ %s }" % (PULL % "author { databaseId }"), "databaseId"),
    ('query($n: Int!) { repository(owner: "octo", name: "shop") { pullRequest(number: $n) { id } } }', "$n"),
])  # fmt: skip
def test_query__is_checked_against_the_published_schema(query: str, words: str) -> None:
    assert words in refused(query)["message"]


@pytest.mark.parametrize(("query", "path", "words"), [
    ('{ repository(owner: "octo", name: "none") { id } }', ["repository"], "a Repository with the name 'octo/none'"),
    ('{ repository(owner: "octo", name: "shop") { pullRequest(number: 99) { id } } }', ["repository", "pullRequest"],
     "a PullRequest with the number of 99"),
    ('{ node(id: "IC_nonsense") { id } }', ["node"], "a node with the global id of 'IC_nonsense'"),
])  # fmt: skip
def test_query__tells_what_is_not_found_beside_the_data(query: str, path: list[str], words: str) -> None:
    with serving(World().snapshot()) as client:
        answer = client.graphql(query)
        assert answer["data"] is not None
        assert (answer["errors"][0]["type"], answer["errors"][0]["path"]) == ("NOT_FOUND", path)
        assert words in answer["errors"][0]["message"]


def test_nodes__are_found_by_id_and_each_missing_one_is_told() -> None:
    world = World()
    world.say("ana", "Hello")
    world.review("mona", "Good")
    with serving(world.snapshot()) as client:
        ids = client.pull("id comments(first: 1) { nodes { id } } reviews(first: 1) { nodes { id } }")
        asked = [ids["id"], ids["comments"]["nodes"][0]["id"], ids["reviews"]["nodes"][0]["id"], "X_unknown"]
        query = """query($ids: [ID!]!) { nodes(ids: $ids) { __typename ... on IssueComment { body }
            ... on PullRequestReview { body } ... on PullRequest { number } } }"""
        answer = client.graphql(query, ids=asked)
        assert answer["data"]["nodes"] == [
            {"__typename": "PullRequest", "number": 7},
            {"__typename": "IssueComment", "body": "Hello"},
            {"__typename": "PullRequestReview", "body": "Good"},
            None,
        ]
        assert [fault["path"] for fault in answer["errors"]] == [["nodes", 3]]


def test_cursor__must_be_one() -> None:
    with serving(World().snapshot()) as client:
        answer = client.graphql("{ %s }" % (PULL % 'comments(first: 1, after: "nonsense") { totalCount }'))
        assert answer["errors"][0]["type"] == "INVALID_CURSOR_ARGUMENTS"


def test_rate_limit__tells_the_cost() -> None:
    with serving(World().snapshot()) as client:
        inner = "comments(first: 100) { nodes { userContentEdits(first: 10) { totalCount } } }"
        answer = client.graphql("{ rateLimit { cost nodeCount limit } %s }" % (PULL % inner))
        assert answer["data"]["rateLimit"] == {"cost": 1, "nodeCount": 1100, "limit": 1000}


@pytest.mark.parametrize("body", ['{"query": 7}', "[]", "not json", "{}"])
def test_request__must_be_one(body: str) -> None:
    with serving(World().snapshot()) as client:
        assert client.ask("POST", "/graphql", data=body).status_code == 400


@pytest.mark.parametrize("fields", ["mergeable", "timelineItems(first: 1, itemTypes: [PINNED_EVENT]) { totalCount }"])
def test_field__that_the_fake_does_not_know_fails_the_test(fields: str) -> None:
    with serving(World().snapshot()) as client:
        answer = client.ask("POST", "/graphql", json={"query": "{ %s }" % (PULL % fields)})
        assert answer.status_code == 500
        assert "not modelled" in client.hub.violations.pop()
