"""The client over a real socket: bounded in time and size, to one host only, asking again where that helps."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from phasegate import VERSION
from phasegate.github.client import client as module
from phasegate.github.client.answers import (
    Attempt,
    Data,
    GitHubError,
    MissingError,
    MovedError,
    RefusedError,
    Retry,
    TooLargeError,
)
from phasegate.github.client.client import Client, Clock, Server, _broken_off
from tests.fakehub import FakeHub
from tests.integration.runs import Sleepless, client_of, passing

ROOT = "/repos/octo/shop"
PULL = f"{ROOT}/pulls/7"
COMMENTS = f"{ROOT}/issues/7/comments"
REAL = Clock(monotonic=time.monotonic, epoch=time.time, sleep=time.sleep)


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    with FakeHub(passing().snapshot()) as started:
        yield started


def server_of(hub: FakeHub) -> Server:
    return Server(rest=hub.url, graphql=hub.graphql_url, token=hub.token)


def test_client__says_who_asks_and_in_which_version(hub: FakeHub) -> None:
    client = client_of(hub)
    for _ in range(5):
        client.get(PULL)
    request, *_ = hub.requests
    assert request.authorized
    assert request.headers["user-agent"] == f"phase-gate/{VERSION}"
    assert request.headers["x-github-api-version"] == "2022-11-28"
    assert request.headers["accept"] == "application/vnd.github+json"
    assert hub.connections == 1
    assert hub.token not in repr(server_of(hub))


def test_client__what_must_be_there_and_is_not_is_a_failure(hub: FakeHub) -> None:
    client = client_of(hub)
    with pytest.raises(MissingError, match=r"GET /repos/octo/shop/pulls/8: not found\. Does the token see"):
        client.get(f"{ROOT}/pulls/8")
    with pytest.raises(MissingError, match="not found"):
        client.page(f"{ROOT}/issues/8/comments")
    with pytest.raises(MissingError, match="query Q: not found"):
        client.graphql("Q", 'query Q { repository(owner: "octo", name: "gone") { id } }', {})
    assert client.find(f"{ROOT}/pulls/8") is client.find_any(f"{ROOT}/contents/nowhere.py") is None


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_client__follows_no_redirect_and_shows_its_token_to_nobody_else(hub: FakeHub, status: int) -> None:
    with FakeHub(passing().snapshot()) as other:
        hub.fail("*", kind="redirect", status=status, to=f"{other.url}{PULL}", times=None)
        with pytest.raises(GitHubError, match="redirects are not followed"):
            client_of(hub).get(PULL)
        with pytest.raises(GitHubError, match="redirects are not followed"):
            client_of(hub).post(f"{ROOT}/statuses/{'a' * 40}", {"state": "success"})
        assert other.requests == []


def test_client__takes_nothing_from_around_it(hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".netrc").write_text("machine 127.0.0.1\nlogin eve\npassword stolen\n", encoding="utf-8")
    (tmp_path / ".netrc").chmod(0o600)
    for name in ("HOME", "NETRC"):
        monkeypatch.setenv(name, str(tmp_path / ".netrc" if name == "NETRC" else tmp_path))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    client_of(hub).get(PULL)
    assert [request.authorized for request in hub.requests] == [True]


def test_pages__are_read_to_their_end() -> None:
    with FakeHub(passing(comments=20).snapshot(), page_cap=4) as hub:
        found = client_of(hub).pages(COMMENTS, per_page=100)
        assert len({item["id"] for item in found}) == 25
        assert len(hub.requests) == 7
        hub.fail(f"GET {COMMENTS}*", kind="wrong_type")
        assert len(client_of(hub).page(COMMENTS, per_page=100)) == 4


@pytest.mark.parametrize(("match", "fault", "error", "said"), [
    ("*", {"kind": "link_loop"}, GitHubError, "lead in a circle"),
    ("*page=2*", {"kind": "status", "status": 404}, MissingError, "not found"),
])  # fmt: skip
def test_pages__that_lead_in_a_circle_or_nowhere_are_an_error(
    match: str, fault: dict[str, Any], error: type[GitHubError], said: str
) -> None:
    with FakeHub(passing(comments=20).snapshot(), page_cap=4) as hub:
        hub.fail(f"GET {COMMENTS}{match}", times=None, **fault)
        with pytest.raises(error, match=said):
            client_of(hub).pages(COMMENTS, per_page=100)


def test_pages__without_end_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_PAGES", 3)
    with FakeHub(passing(comments=20).snapshot(), page_cap=4) as hub:
        with pytest.raises(GitHubError, match="more than 3 pages"):
            client_of(hub).pages(COMMENTS, per_page=100)
        assert len(hub.requests) == 3


def test_pages__on_another_host_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client(Server(rest="http://127.0.0.1:1", graphql="", token="t"), Sleepless().clock, 30)  # noqa: S106
    for url in ("http://127.0.0.2:1/x", "https://127.0.0.1:1/x", "//evil/x", "http://127.0.0.1:1@evil/x"):
        monkeypatch.setattr(client, "_ask", lambda _, url=url: Data(value=[1], next_url=url))
        with pytest.raises(GitHubError, match="on another host"):
            client.pages("/x")


@pytest.mark.parametrize(("fault", "waits"), [
    ({"kind": "status", "status": 502, "times": 4}, [1.0, 2.0, 4.0, 8.0]),
    ({"kind": "status", "status": 429, "retry_after": "7"}, [7.0]),
    ({"kind": "secondary_limit"}, [60.0]),
    ({"kind": "secondary_limit", "retry_after": "3"}, [3.0]),
    ({"kind": "reset", "when": "before_headers"}, [1.0]),
    ({"kind": "reset", "when": "after_headers"}, [1.0]),
    ({"kind": "reset", "when": "in_body"}, [1.0]),
    ({"kind": "truncated", "framing": "length"}, [1.0]),
    ({"kind": "truncated", "framing": "chunked"}, [1.0]),
    ({"kind": "truncated", "framing": "close"}, [1.0]),
    ({"kind": "html"}, [1.0]),
    ({"kind": "empty"}, [1.0]),
    ({"kind": "wrong_type"}, [1.0]),
    ({"kind": "status", "status": 404}, [1.0]),
])  # fmt: skip
def test_client__waits_as_github_asks_and_retries(hub: FakeHub, fault: dict[str, Any], waits: list[float]) -> None:
    sleepless = Sleepless()
    hub.fail("GET *", **fault)
    assert client_of(hub, sleepless).get(PULL)["number"] == 7
    assert sleepless.waited == waits


def test_client__does_not_wait_longer_than_it_may(hub: FakeHub) -> None:
    sleepless = Sleepless()
    hub.fail("GET *", kind="status", status=429, retry_after="3600")
    with pytest.raises(GitHubError, match="a wait of 3600 s is longer than this run may last"):
        client_of(hub, sleepless).get(PULL)
    assert sleepless.waited == []


def test_client__limits_without_end_are_an_error(hub: FakeHub) -> None:
    hub.fail("POST /graphql", kind="rate_limit", times=None, reset_in=-10)
    sleepless = Sleepless()
    with pytest.raises(GitHubError, match="rate limit is used up, after 5 tries"):
        client_of(hub, sleepless).graphql("Q", "query Q { rateLimit { cost } }", {})
    assert sleepless.waited == [1.0] * 4


@pytest.mark.parametrize("fault", [
    {"kind": "slow", "piece": 1, "pause": 0.02},
    {"kind": "slow", "piece": 400, "pause": 0.3},
    {"kind": "silence", "seconds": 20},
])  # fmt: skip
def test_client__ends_in_time_whatever_drips(hub: FakeHub, fault: dict[str, Any]) -> None:
    hub.fail("GET *", times=None, **fault)
    began = time.monotonic()
    with pytest.raises(GitHubError, match=r"out of time|longer than this run may last"):
        Client(server_of(hub), REAL, 0.6).get(PULL)
    assert time.monotonic() - began < 2


def test_client__an_answer_that_drips_too_long_is_asked_again(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ANSWER_SECONDS", 1.0)
    hub.fail("GET *", kind="slow", piece=400, pause=0.5)
    client = Client(server_of(hub), Clock(monotonic=time.monotonic, epoch=time.time, sleep=lambda _: None), 30)
    assert client.get(PULL)["number"] == 7
    assert len(hub.requests) == 2


@pytest.mark.parametrize(("fault", "error", "said"), [
    ({"kind": "gzip_bomb", "size": 5_000_000}, TooLargeError, "larger than 1000000 bytes"),
    ({"kind": "huge", "size": 5_000_000}, TooLargeError, "larger than 1000000 bytes"),
    ({"kind": "status", "status": 403}, RefusedError, "Add to permissions"),
])  # fmt: skip
def test_client__what_is_refused_or_beyond_its_bound_is_not_asked_again(
    hub: FakeHub, fault: dict[str, Any], error: type[GitHubError], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LARGEST_ANSWER", 1_000_000)
    hub.fail("GET *", times=None, **fault)
    with pytest.raises(error, match=said):
        client_of(hub).get(PULL)
    assert len(hub.requests) == 1


def test_client__has_a_last_word_when_its_time_is_over(hub: FakeHub) -> None:
    sleepless = Sleepless()
    client = client_of(hub, sleepless)
    sleepless.sleep(1000)
    with pytest.raises(GitHubError, match="out of time"):
        client.get(PULL)
    assert client.with_time(10).get(PULL)["number"] == 7


def test_client__fails_at_once_where_no_repetition_helps() -> None:
    asked = Attempt(what="GET /it", attempt=1, now=0.0)
    for error, votes in (
        (requests.exceptions.SSLError("[SSL: CERTIFICATE_VERIFY_FAILED] self-signed"), "Set REQUESTS_CA_BUNDLE"),
        (requests.exceptions.InvalidHeader("Bearer secret"), "cannot be made (InvalidHeader)"),
        (requests.exceptions.InvalidProxyURL("http://user:secret@proxy"), "cannot be made (InvalidProxyURL)"),
        (OSError("Could not find a suitable TLS CA certificate bundle"), "REQUESTS_CA_BUNDLE"),
    ):
        with pytest.raises(GitHubError) as caught:
            _broken_off(error, asked)
        assert votes in str(caught.value)
        assert "secret" not in str(caught.value)
    assert _broken_off(requests.ConnectionError("http://user:secret@proxy"), asked) == Retry(
        seconds=1.0, why="GET /it: the connection failed (ConnectionError)"
    )


def test_client__reads_side_by_side(hub: FakeHub) -> None:
    def moved() -> None:
        raise MovedError("it moved")

    client = client_of(hub)
    found = client.together({number: lambda: client.get(PULL)["number"] for number in range(3)})
    assert found == {0: 7, 1: 7, 2: 7}
    with pytest.raises(MovedError):
        client.together({"a": moved})
