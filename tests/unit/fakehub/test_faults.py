"""Every fault that can be asked for: what a plain client sees of it."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import zlib
from collections.abc import Iterator
from typing import Any

import pytest
import requests

from tests.casebook.world import World
from tests.fakehub.client import Client, serving
from tests.fakehub.faults import KINDS
from tests.fakehub.paging_faults import LIST_FAULTS

PULL = '{ repository(owner: "octo", name: "shop") { pullRequest(number: 7) { %s } } }'
COMMENTS = PULL % "comments(first: 3) { totalCount pageInfo { hasNextPage endCursor } nodes { body } }"


@pytest.fixture
def client() -> Iterator[Client]:
    world = World()
    for number in range(7):
        world.say("ana", f"Comment {number}")
    with serving(world.snapshot()) as made:
        yield made


def bodies(client: Client, page: int = 1) -> list[str]:
    return [said["body"] for said in client.data(f"issues/7/comments?per_page=3&page={page}")]


def test_fault__takes_only_its_own_requests(client: Client) -> None:
    client.hub.fail("GET */comments?*page=2*", None, "status", status=500)
    client.hub.fail("POST /graphql", None, "status", status=502, containing="reviews")
    client.hub.fail(lambda request: request.number == 5, None, "status", status=503)
    assert [client.get(f"issues/7/comments?per_page=3&page={page}").status_code for page in (1, 2, 2, 3)] == [
        200, 500, 500, 200,
    ]  # fmt: skip
    assert client.get("pulls/7").status_code == 503
    assert "errors" not in client.graphql(COMMENTS)
    query = PULL % "reviews(first: 1) { totalCount }"
    assert client.ask("POST", "/graphql", json={"query": query}).status_code == 502


def test_fail__knows_its_kinds(client: Client) -> None:
    with pytest.raises(ValueError, match="no fault is called 'gossip'"):
        client.hub.fail("*", 1, "gossip")
    assert not set(KINDS) & LIST_FAULTS


def test_graphql_errors__leave_no_data_or_some(client: Client) -> None:
    client.hub.fail("POST /graphql", 1, "graphql_errors", type="NOT_FOUND")
    client.hub.fail("POST /graphql", 1, "graphql_errors", null_at="repository.pullRequest.comments.nodes.1")
    nothing, some = client.graphql(COMMENTS), client.graphql(COMMENTS)
    assert nothing == {"data": None, "errors": [{"type": "NOT_FOUND", "message": "Something went wrong."}]}
    nodes = some["data"]["repository"]["pullRequest"]["comments"]["nodes"]
    assert nodes == [{"body": "Comment 0"}, None, {"body": "Comment 2"}]
    assert some["errors"][0]["path"] == ["repository", "pullRequest", "comments", "nodes", 1]


def raw_answer(client: Client) -> bytes:
    host, _, port = client.hub.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        lines = (f"Authorization: Bearer {client.hub.token}", "User-Agent: test", f"Host: {host}")
        connection.sendall("\r\n".join(("GET /repos/octo/shop/pulls/7 HTTP/1.1", *lines, "", "")).encode())
        return b"".join(iter(lambda: connection.recv(65536), b""))


@pytest.mark.parametrize(
    ("framing", "header"), [("length", b"Content-Length"), ("chunked", b"chunked"), ("close", b"Connection: close")]
)
def test_truncated__ends_early_in_each_framing(client: Client, framing: str, header: bytes) -> None:
    client.hub.fail("GET */pulls/7", 2, "truncated", framing=framing)
    head, _, body = raw_answer(client).partition(b"\r\n\r\n")
    assert header in head
    assert not body.rstrip().endswith(b"}")
    if framing == "close":
        with pytest.raises(json.JSONDecodeError):
            client.get("pulls/7", headers={"Accept-Encoding": "identity"}).json()
    else:
        with pytest.raises((requests.exceptions.ChunkedEncodingError, requests.ConnectionError)):
            client.get("pulls/7")


def test_bomb__is_small_on_the_wire(client: Client) -> None:
    client.hub.fail("GET *", 1, "gzip_bomb", size=10_000_000)
    client.hub.fail("GET *", 1, "huge", size=1_000_000)
    answer = client.get("pulls/7", stream=True)
    packed = answer.raw.read(decode_content=False)
    assert len(packed) < 100_000
    assert len(zlib.decompress(packed, wbits=31)) == 10_000_004
    assert len(client.get("pulls/7").content) == 1_000_004


@pytest.mark.parametrize(("kind", "page", "seen"), [
    ("empty_page", 2, []), ("duplicate_ids", 2, [3, 3, 4]), ("item_inserted", 2, [2, 3, 4]),
    ("item_missing", 2, [4, 5]), ("no_next_page", 1, [0, 1, 2]), ("link_loop", 1, [0, 1, 2]),
])  # fmt: skip
def test_list_fault__breaks_a_page(client: Client, kind: str, page: int, seen: list[int]) -> None:
    client.hub.fail(f"GET */comments?*page={page}*", 1, kind)
    answer = client.get(f"issues/7/comments?per_page=3&page={page}")
    assert [said["body"] for said in answer.json()] == [f"Comment {number}" for number in seen]
    following = answer.links.get("next", {}).get("url", "")
    asked = client.hub.url + client.hub.requests[-1].target.removeprefix("GET ")
    assert {"no_next_page": following == "", "link_loop": following == asked}.get(kind, following.endswith("page=3"))
    assert bodies(client, page) == [f"Comment {number}" for number in range(page * 3 - 3, page * 3)]


@pytest.mark.parametrize(
    ("kind", "count", "more"),
    [("empty_page", 0, True), ("no_next_page", 3, False), ("link_loop", 3, True), ("item_missing", 2, True)],
)
def test_list_fault__breaks_a_connection(client: Client, kind: str, count: int, *, more: bool) -> None:
    client.hub.fail("POST /graphql", 1, kind, connection="comments")
    page: dict[str, Any] = client.graphql(COMMENTS)["data"]["repository"]["pullRequest"]["comments"]
    assert (page["totalCount"], len(page["nodes"]), page["pageInfo"]["hasNextPage"]) == (7, count, more)
    if kind == "link_loop":
        after = page["pageInfo"]["endCursor"]
        again = client.pull(f'comments(first: 3, after: "{after}") {{ nodes {{ body }} }}')["comments"]
        assert again["nodes"] == page["nodes"]


def test_client_that_leaves__is_nobody_s_error(client: Client) -> None:
    connection = http.client.HTTPConnection(client.hub.url.removeprefix("http://"), timeout=10)
    connection.putrequest("GET", "/repos/octo/shop/pulls/7")
    connection.putheader("Content-Length", "10")
    with contextlib.suppress(OSError):
        connection.endheaders()
    connection.close()
    assert client.get("pulls/7").status_code == 200
