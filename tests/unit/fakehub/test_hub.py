"""The hub as a whole: whom it lets in, what it writes down, and how its state can be changed while it runs."""

from __future__ import annotations

import concurrent.futures
import http.client
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests

from tests.casebook.world import PEOPLE, World, commit
from tests.fakehub.client import REPOSITORY, serving
from tests.fakehub.hub import FakeHub
from tests.fakehub.ledger import Request, sequential_depth

PROGRAM = Path(__file__).resolve().parents[2] / "fakehub"


def requested(*times: tuple[float, float | None]) -> list[Request]:
    common = {"method": "GET", "path": "/", "query": {}, "headers": {}, "authorized": True}
    return [
        Request(number=number, started=start, ended=end, **common)  # type: ignore[arg-type]
        for number, (start, end) in enumerate(times, 1)
    ]


@pytest.mark.parametrize(("times", "depth"), [
    ([], 0),
    ([(0, 1)], 1),
    ([(0, 1), (1, 2), (2, 3)], 3),
    ([(0, 1), (0.1, 1.1), (0.2, 1.2)], 1),
    ([(0, 1), (0, 1), (1, 2), (1, 2)], 2),
    ([(0, 10), (1, 2), (3, 4), (5, 6)], 3),
    ([(5, 6), (0, 1), (3, 4)], 3),
    ([(0, 1), (2, None)], 2),
    ([(0, None), (1, None)], 1),
])  # fmt: skip
def test_sequential_depth__is_the_longest_chain(times: list[tuple[float, float | None]], depth: int) -> None:
    assert sequential_depth(requested(*times)) == depth


def test_hub__counts_round_trips() -> None:
    with serving(World().snapshot(), latency=0.15) as client:
        client.data("pulls/7")
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(client.data, ["pulls/7", "issues/7/comments", "pulls/7/reviews", "pulls/7/files"]))
        client.data("pulls/7")
        assert len(client.hub.requests) == 6
        assert client.hub.sequential_depth() == 3


@pytest.mark.parametrize("path", [f"{REPOSITORY}/pulls/7", "/graphql"])
@pytest.mark.parametrize("given", ["", "Bearer wrong", "token {}", "Basic {}"])
def test_hub__refuses_a_wrong_token(path: str, given: str) -> None:
    with FakeHub(World().snapshot()) as hub:
        headers = {"Authorization": given.format(hub.token)} if given else {}
        answer = requests.post(hub.url + path, headers=headers, json={}, timeout=10)
        assert answer.status_code == 401
        assert answer.json()["message"] == "Bad credentials"


def test_hub__refuses_a_client_without_a_name() -> None:
    with FakeHub(World().snapshot()) as hub:
        connection = http.client.HTTPConnection(hub.url.removeprefix("http://"), timeout=10)
        connection.request("GET", f"{REPOSITORY}/pulls/7", headers={"Authorization": f"Bearer {hub.token}"})
        answer = connection.getresponse()
        assert answer.status == 403
        assert b"User-Agent" in answer.read()
        connection.close()


@pytest.mark.parametrize(("version", "status"), [("2022-11-28", 200), ("2019-01-01", 400), ("2026-03-10", 400)])
def test_hub__knows_one_version(version: str, status: int) -> None:
    with serving(World().snapshot()) as client:
        assert client.get("pulls/7", headers={"X-GitHub-Api-Version": version}).status_code == status


def test_hub__writes_down_requests_without_the_token() -> None:
    with serving(World().snapshot()) as client:
        client.data("issues/7/comments?per_page=5&page=2")
        client.graphql("{ rateLimit { cost } }")
        rest, graphql = client.hub.requests
        assert rest.target == f"GET {REPOSITORY}/issues/7/comments?per_page=5&page=2"
        assert (rest.number, rest.status, rest.authorized) == (1, 200, True)
        assert rest.headers["user-agent"] == "test"
        assert graphql.text == "{ rateLimit { cost } }"
        assert client.hub.token not in repr(client.hub.requests)


def test_hub__compresses_for_those_who_can_read_it() -> None:
    with serving(World().snapshot()) as client:
        assert client.get("pulls/7").headers["Content-Encoding"] == "gzip"
        plain = client.get("pulls/7", headers={"Accept-Encoding": "identity"})
        assert "Content-Encoding" not in plain.headers
        assert plain.json()["number"] == 7


def test_hub__does_not_change_the_snapshot_it_was_made_from() -> None:
    snapshot = World().snapshot()
    before = json.dumps(snapshot)
    with serving(snapshot) as client:
        client.hub.move_head(commit("moved"))
        client.hub.add_comment(PEOPLE["eve"], "Wait!")
    assert json.dumps(snapshot) == before


def test_hub__fails_the_test_that_asks_for_what_it_does_not_know() -> None:
    with (
        pytest.raises(AssertionError, match="not modelled: GET /repos/octo/shop/milestones"),
        serving(World().snapshot()) as client,
    ):
        assert client.get("milestones").status_code == 500


def test_hub__lets_another_failure_speak_first() -> None:
    hub = FakeHub(World().snapshot())

    def failing() -> None:
        with hub:
            hub.violations.append("not modelled: something")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        failing()


def test_hub__ends_with_a_client_still_connected() -> None:
    hub = FakeHub(World().snapshot())
    began = time.monotonic()
    with hub:
        connection = http.client.HTTPConnection(hub.url.removeprefix("http://"), timeout=10)
        connection.connect()
    assert time.monotonic() - began < 3
    connection.close()


@pytest.mark.skipif(sys.platform == "win32", reason="a program cannot be asked to end there")
def test_program__serves_until_told_to_stop(tmp_path: Path) -> None:
    snapshot, report = tmp_path / "snapshot.json", tmp_path / "report.json"
    snapshot.write_text(json.dumps(World().snapshot()), encoding="utf-8")
    fault = json.dumps({"match": "GET */reviews", "kind": "status", "status": 503})
    line = [sys.executable, str(PROGRAM), str(snapshot), "--token", "t0", "--report", str(report), "--fail", fault]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout
        told = json.loads(program.stdout.readline())
        headers = {"Authorization": f"Bearer {told['token']}"}
        answers = [
            requests.get(f"{told['url']}{REPOSITORY}/pulls/7{part}", headers=headers, timeout=10)
            for part in ("", "/reviews")
        ]
        program.send_signal(signal.SIGTERM)
        assert program.wait(timeout=10) == 0
    assert [answer.status_code for answer in answers] == [200, 503]
    assert told["graphql_url"] == f"{told['url']}/graphql"
    written = json.loads(report.read_text(encoding="utf-8"))
    assert [request["path"] for request in written["requests"]] == [
        f"{REPOSITORY}/pulls/7",
        f"{REPOSITORY}/pulls/7/reviews",
    ]
    assert (written["sequential_depth"], written["violations"]) == (2, [])
