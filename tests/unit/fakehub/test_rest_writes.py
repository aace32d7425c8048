"""REST writes: statuses, check runs and issues, and what the API refuses."""

from __future__ import annotations

import pytest

from tests.casebook.world import PEOPLE, World, commit
from tests.fakehub.answer import JSON
from tests.fakehub.client import Client, serving

HEAD = commit("a")


def write_status(client: Client, **body: object) -> int:
    return client.post(f"statuses/{HEAD}", {"state": "success", "context": "phase-gate", **body}).status_code


@pytest.mark.parametrize(("body", "status"), [
    ({}, 201), ({"description": "x" * 140}, 201), ({"description": "x" * 141}, 422), ({"context": "x" * 255}, 201),
    ({"context": "x" * 256}, 422), ({"state": "neutral"}, 422), ({"state": "SUCCESS"}, 422), ({"state": None}, 422),
    ({"target_url": 7}, 422),
])  # fmt: skip
def test_status__is_refused_when_it_breaks_a_rule(body: JSON, status: int) -> None:
    with serving(World().snapshot()) as client:
        assert write_status(client, **body) == status
        assert client.hub.written[0]["status"] == status
        assert len(client.hub.latest_statuses()) == (1 if status == 201 else 0)


def test_status__is_refused_for_an_unknown_commit_and_a_body_that_is_none() -> None:
    with serving(World().snapshot()) as client:
        assert client.post(f"statuses/{'0' * 40}", {"state": "success"}).status_code == 422
        assert client.ask("POST", f"statuses/{HEAD}", data="{").status_code == 400


def test_status__can_be_set_a_thousand_times() -> None:
    with serving(World().snapshot()) as client:
        known = [
            {"id": index, "context": "Phase-Gate", "state": "pending", "at": "2026-03-02T10:00:00Z"}
            for index in range(999)
        ]
        client.hub.state.statuses[HEAD] = known
        assert write_status(client) == 201
        assert write_status(client) == 422
        assert write_status(client, context="another") == 201


def test_status__is_read_back_without_case_the_newest_first() -> None:
    old = {"context": "Gate", "state": "pending", "at": "2026-03-02T10:00:00Z", "creator": PEOPLE["ana"]}
    with serving(World().snapshot() | {"statuses": [old]}) as client:
        answer = client.post(f"statuses/{HEAD}", {"state": "success", "context": "gate", "description": "Passed"})
        assert "creator" not in answer.json()
        newest, oldest = client.data(f"commits/{HEAD}/statuses")
        assert (newest["state"], newest["creator"]["login"]) == ("success", "github-actions[bot]")
        assert (oldest["state"], oldest["creator"]["login"]) == ("pending", "ana")
        combined = client.data(f"commits/{HEAD}/status")
        assert (combined["state"], combined["total_count"]) == ("success", 1)
        assert client.hub.latest_statuses()["gate"]["description"] == "Passed"


def test_check_run__of_another_app_cannot_be_changed() -> None:
    check = {"name": "ci", "status": "completed", "conclusion": "failure", "app_id": 4711}
    with serving(World().snapshot() | {"checks": [check]}) as client:
        (run,) = client.data(f"commits/{HEAD}/check-runs")["check_runs"]
        refused = client.ask("PATCH", f"check-runs/{run['id']}", json={"conclusion": "success"})
        assert refused.status_code == 403
        assert "can only be modified by the GitHub App that created it" in refused.json()["message"]
        assert client.data(f"check-runs/{run['id']}")["conclusion"] == "failure"


@pytest.mark.parametrize("body", [
    {"name": "gate"},
    {"name": "gate", "head_sha": HEAD, "output": {"title": "No summary"}},
    {"name": "gate", "head_sha": HEAD, "output": {"title": "t", "summary": "x" * 65536}},
    {"name": "gate", "head_sha": HEAD, "status": "completed"},
    {"name": "gate", "head_sha": HEAD, "conclusion": "stale"},
    {"name": "gate", "head_sha": HEAD, "conclusion": "passed"},
    {"name": "gate", "head_sha": "0" * 40},
    {
        "name": "gate",
        "head_sha": HEAD,
        "output": {
            "title": "t",
            "summary": "s",
            "annotations": [{"path": "a", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m"}]
            * 51,
        },
    },
])  # fmt: skip
def test_check_run__is_refused_when_it_breaks_a_rule(body: JSON) -> None:
    with serving(World().snapshot()) as client:
        assert client.post("check-runs", body).status_code == 422
        assert client.data(f"commits/{HEAD}/check-runs")["total_count"] == 0


@pytest.mark.parametrize(("changes", "status"), [
    ({}, 201),
    ({"start_column": 3, "end_column": 9, "title": "x" * 255, "raw_details": "x" * 65536}, 201),
    ({"end_line": 2}, 201),
    ({"end_line": 2, "start_column": 3, "end_column": 9}, 422),
    ({"start_column": 9, "end_column": 3}, 422),
    ({"start_column": 0, "end_column": 3}, 422),
    ({"start_line": 0, "end_line": 0}, 422),
    ({"start_line": 2}, 422),
    ({"annotation_level": "error"}, 422),
    ({"title": "x" * 256}, 422),
    ({"message": ""}, 422),
    ({"message": "x" * 65537}, 422),
])  # fmt: skip
def test_annotation__is_refused_when_it_breaks_a_rule(changes: JSON, status: int) -> None:
    note = {"path": "a", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "Here"} | changes
    output = {"title": "t", "summary": "s", "annotations": [note]}
    with serving(World().snapshot()) as client:
        assert client.post("check-runs", {"name": "gate", "head_sha": HEAD, "output": output}).status_code == status
