"""The fake against GitHub's published descriptions: a wrong answer is caught, and nothing is answered unchecked."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.casebook.world import World
from tests.fakehub.answer import JSON, Answer, error
from tests.fakehub.client import serving
from tests.fakehub.rest.accounts import user
from tests.fakehub.rest.routes import ROUTES, operation_of
from tests.fakehub.shapes import Fidelity, published, request_faults, shape

COMMENTS = "GET /repos/{owner}/{repo}/issues/{issue_number}/comments"
STATUSES = "POST /repos/{owner}/{repo}/statuses/{sha}"


def test_operations__are_all_published() -> None:
    assert set(ROUTES) == set(published()["operations"])


def test_definitions__are_all_there_and_used() -> None:
    text = json.dumps(published())
    assert [name for name in published()["$defs"] if f'"#/$defs/{name}"' not in text] == []


def comment(**changes: object) -> JSON:
    return {**shape("issue-comment", id=1, user=user(None)), **changes}


def test_fidelity__accepts_what_is_right() -> None:
    assert Fidelity().faults(COMMENTS, Answer(data=[comment(), comment(body="text")])) == []
    assert Fidelity().faults(COMMENTS, error(404, "Not Found")) == []


@pytest.mark.parametrize(("changes", "words"), [
    ({"id": "1"}, "'1' is not of type 'integer'"),
    ({"created_at": "yesterday"}, "'yesterday' is not a 'date-time'"),
    ({"html_url": "nowhere"}, "'nowhere' is not a 'uri'"),
    ({"author_association": "FRIEND"}, "'FRIEND' is not one of"),
    ({"udpated_at": "2020-01-01T00:00:00Z"}, "'udpated_at' was unexpected"),
    ({"user": {"login": "ana"}}, "is a required property"),
])  # fmt: skip
def test_fidelity__catches_a_wrong_answer(changes: dict[str, Any], words: str) -> None:
    faults = Fidelity().faults(COMMENTS, Answer(data=[comment(), comment(**changes)]))
    assert words in faults[0]


def test_fidelity__catches_what_is_missing_or_no_list() -> None:
    lacking = comment()
    del lacking["html_url"]
    assert "'html_url' is a required property" in Fidelity().faults(COMMENTS, Answer(data=[lacking]))[0]
    assert "is not of type 'array'" in Fidelity().faults(COMMENTS, Answer(data={}))[0]
    assert "is not of type 'string'" in Fidelity().faults(COMMENTS, Answer(status=404, data={"message": 7}))[0]


def test_fidelity__is_held_against_every_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ROUTES, COMMENTS, lambda _: Answer(data=[comment(id=None)]))
    with serving(World().snapshot()) as client:
        answer = client.get("issues/7/comments")
        assert answer.status_code == 500
        assert client.hub.violations == [f"{COMMENTS} 200 item: $.id: None is not of type 'integer'"]
        client.hub.violations.clear()


def test_fidelity__forgives_the_known_deviations() -> None:
    created = shape("status", context="gate", state="success", url="https://example.com/", avatar_url=None)
    del created["creator"]
    assert Fidelity().faults(STATUSES, Answer(status=201, data=created)) == []
    listed = Answer(data=[created])
    assert "'creator' is a required" in Fidelity().faults("GET /repos/{owner}/{repo}/commits/{ref}/statuses", listed)[0]


def test_request_faults__are_those_of_the_description() -> None:
    assert request_faults(STATUSES, {"state": "success", "description": None}) == []
    assert "'green' is not one of" in request_faults(STATUSES, {"state": "green"})[0]
    assert "'state' is a required property" in request_faults(STATUSES, {})[0]


@pytest.mark.parametrize(("path", "operation", "params"), [
    ("/repos/o/r/commits/feature/x/status", "commits/{ref}/status", {"ref": "feature/x"}),
    ("/repos/o/r/commits/feature/x", "commits/{ref}", {"ref": "feature/x"}),
    ("/repos/o/r/compare/main...o:a/b", "compare/{basehead}", {"basehead": "main...o:a/b"}),
    ("/repos/o/r/contents/.pipeline/a%20b", "contents/{path}", {"path": ".pipeline/a b"}),
    ("/repos/o/r/contents", "contents/{path}", {"path": ""}),
    ("/repos/o/r/collaborators/x%5Bbot%5D/permission", "collaborators/{username}/permission", {"username": "x[bot]"}),
])  # fmt: skip
def test_path__is_taken_apart(path: str, operation: str, params: dict[str, str]) -> None:
    found = operation_of("GET", path)
    assert found == (f"GET /repos/{{owner}}/{{repo}}/{operation}", {"owner": "o", "repo": "r", **params})


def test_path__may_be_unknown() -> None:
    assert operation_of("GET", "/repos/o/r/nothing") is None
    assert operation_of("DELETE", "/repos/o/r") is None
