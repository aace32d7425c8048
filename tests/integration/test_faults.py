"""The fault matrix: what goes wrong once is mended, what stays wrong is an honest error, nothing is a false success.

Pages hold ten items here, so that a small pull request has later pages.
"""

from __future__ import annotations

import re
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from phasegate.cli import live
from phasegate.cli.live import decide_and_publish
from phasegate.github.client import client
from phasegate.github.client.answers import GitHubError
from phasegate.github.client.client import Client, Clock, Server
from phasegate.github.reading import conversation, fingerprint, opening, parts
from phasegate.github.record import CONTEXT
from phasegate.github.writing import publish
from tests.casebook.world import PEOPLE, World, verdict
from tests.fakehub import FakeHub
from tests.integration.runs import OVERALL, TARGET, Sleepless, chat, client_of, passing, run, run_program, states

JSON = dict[str, Any]
Matches = Callable[[Any], bool]
PAGE = 10
AGES = 100_000.0  # seconds on a clock that nobody waits for


@pytest.fixture(autouse=True)
def short_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a page be short, for the client as for the hub, and no answer be very large."""
    for module in (conversation, parts, fingerprint, opening, publish):
        monkeypatch.setattr(module, "PAGE", PAGE)
    monkeypatch.setattr(client, "LARGEST_ANSWER", 1_000_000)


def rich() -> World:
    """A pull request that passes, of which every kind of request must be made: edits, older heads, later pages."""
    world = World()
    world.planned()
    world.judges("judge", "FAIL", who="ben")
    world.push("fixed")
    early = world.say("eve", "first thoughts")
    world.edit(early, "second thoughts", "eve")
    chat(world, 14)
    late = world.say("eve", "late thoughts")
    world.edit(late, "later thoughts", "eve")
    world.built()
    world.tested()
    world.changes["files"] = {"complete": True, "entries": [{"path": "src/auth.py"}, {"path": "src/session.py"}]}
    return world


def failing() -> JSON:
    """The same, until somebody failed it in the last comment: whoever misses one thing takes it for a success."""
    world = rich()
    world.judges("judge", "FAIL", who="ben")
    return world.snapshot()


def hub_of(snapshot: JSON) -> FakeHub:
    return FakeHub(snapshot, page_cap=PAGE)


@pytest.fixture
def passing_hub() -> Iterator[FakeHub]:
    with hub_of(rich().snapshot()) as hub:
        yield hub


@pytest.fixture
def failing_hub() -> Iterator[FakeHub]:
    with hub_of(failing()) as hub:
        yield hub


def query(name: str) -> Matches:
    """Requests for a query, be it together with others."""
    return lambda request: re.search(rf"^query \w*{name}", request.text, re.MULTILINE) is not None


def get(part: str) -> Matches:
    return lambda request: request.method == "GET" and part in request.target


def write(*, overall: bool) -> Matches:
    return lambda request: "/statuses/" in request.path and (request.body["context"] == OVERALL) is overall


GRAPHQL: dict[str, Matches] = {
    "pull request": query("PullRequest"), "details": query("Details"), "history": query("History"),
    "statuses of older heads": query("Statuses"),
}  # fmt: skip
LISTS: dict[str, Matches] = {
    "first comments": get("/issues/7/comments?per_page=10&page=1"),
    "later comments": get("/issues/7/comments?per_page=10&page=2"),
    "last comments": get("/issues/7/comments?per_page=10&page=3"), "comments of the issue": get("/issues/12/comments"),
    "files": get("/pulls/7/files"), "movements": get("/activity"),
}  # fmt: skip
OBJECTS: dict[str, Matches] = {"permission": get("/collaborators/ben/permission"), "comparison": get("/compare/")}
WRITES: dict[str, Matches] = {
    "write of a part": write(overall=False), "reading back": query("Look"), "write of the whole": write(overall=True),
}  # fmt: skip
READS = GRAPHQL | LISTS | OBJECTS
CALLS = READS | WRITES


def moments_from_now() -> str:
    return (datetime.now(timezone.utc) + timedelta(seconds=30)).strftime("%a, %d %b %Y %H:%M:%S GMT")


TRANSIENT: dict[str, JSON] = {
    **{str(status): {"kind": "status", "status": status} for status in (404, 408, 500, 502, 503, 504)},
    "429 in 7 seconds": {"kind": "status", "status": 429, "retry_after": "7"},
    "429 at a time": {"kind": "status", "status": 429, "retry_after": moments_from_now()},
    "429 in 0.5 seconds": {"kind": "status", "status": 429, "retry_after": "0.5"},
    "429 in abc": {"kind": "status", "status": 429, "retry_after": "abc"},
    "429": {"kind": "status", "status": 429},
    "primary limit": {"kind": "rate_limit", "reset_in": 20},
    "secondary limit": {"kind": "secondary_limit"},
    "secondary limit with a time": {"kind": "secondary_limit", "retry_after": "3"},
    "reset before headers": {"kind": "reset", "when": "before_headers"},
    "reset after headers": {"kind": "reset", "when": "after_headers"},
    "reset in the body": {"kind": "reset", "when": "in_body"},
    "cut short by length": {"kind": "truncated", "framing": "length"},
    "cut short in a chunk": {"kind": "truncated", "framing": "chunked"},
    "cut short at the end": {"kind": "truncated", "framing": "close"},
    "HTML": {"kind": "html"},
    "nothing": {"kind": "empty"},
    "another type": {"kind": "wrong_type"},
}


def seen(hub: FakeHub, calls: dict[str, Matches]) -> set[str]:
    return {name for name, matches in calls.items() if any(matches(request) for request in hub.requests)}


def test_matrix__every_kind_of_request_is_made(passing_hub: FakeHub) -> None:
    assert run(passing_hub).report.state.value == "success"
    assert seen(passing_hub, CALLS) == set(CALLS)


@pytest.mark.parametrize("fault", TRANSIENT.values(), ids=TRANSIENT)
def test_transient__what_goes_wrong_once_at_every_kind_of_request_is_mended(passing_hub: FakeHub, fault: JSON) -> None:
    for matches in CALLS.values():
        passing_hub.fail(matches, **fault)
    sleepless = Sleepless()
    decision = decide_and_publish(client_of(passing_hub, sleepless, AGES), TARGET, None)
    assert decision.report.state.value == states(passing_hub)[OVERALL] == "success"
    # two of them are asked as one question, which is divided instead of waited for when it fails again
    assert len(sleepless.waited) >= len(CALLS) - 1


@pytest.mark.parametrize("fault", [
    {"kind": "graphql_timeout"},
    {"kind": "graphql_timeout", "status": 502},
    {"kind": "graphql_errors"},
    {"kind": "graphql_errors", "type": "SERVICE_UNAVAILABLE"},
    {"kind": "rate_limit", "reset_in": 5},
])  # fmt: skip
def test_transient__graphql_that_fails_once_is_mended(failing_hub: FakeHub, fault: JSON) -> None:
    for matches in GRAPHQL.values():
        failing_hub.fail(matches, **fault)
    assert decide_and_publish(client_of(failing_hub, seconds=AGES), TARGET, None).report.state.value == "failure"


PARTS = (
    "repository.policy", "repository.pullRequest", "repository.pullRequest.comments",
    "repository.pullRequest.comments.nodes.0", "repository.pullRequest.reviews",
    "repository.pullRequest.closingIssuesReferences", "repository.pullRequest.closingIssuesReferences.nodes.0.comments",
    "repository.pullRequest.closingIssuesReferences.nodes.0.labels", "repository.pullRequest.timelineItems",
    "repository.pullRequest.commits",
)  # fmt: skip


@pytest.mark.parametrize("null_at", PARTS)
def test_partial__data_with_errors_beside_it_is_mended_or_an_error(failing_hub: FakeHub, null_at: str) -> None:
    failing_hub.fail(GRAPHQL["pull request"], kind="graphql_errors", null_at=null_at)
    assert run(failing_hub).report.state.value == "failure"
    failing_hub.fail(GRAPHQL["pull request"], kind="graphql_errors", null_at=null_at, times=None)
    refused(failing_hub)


@pytest.mark.parametrize("null_at", ["nodes", "nodes.0"])
@pytest.mark.parametrize("name", ["details", "history"])
def test_partial__comments_in_part_are_mended_or_an_error(failing_hub: FakeHub, name: str, null_at: str) -> None:
    failing_hub.fail(GRAPHQL[name], kind="graphql_errors", null_at=null_at)
    assert run(failing_hub).report.state.value == "failure"
    failing_hub.fail(GRAPHQL[name], kind="graphql_errors", type="NOT_FOUND", null_at=null_at, times=None)
    refused(failing_hub)


def refused(hub: FakeHub) -> str:
    """What a run says that cannot be done; it writes no success and does not tell the token."""
    before = len(hub.written)
    with pytest.raises(GitHubError) as caught:
        run(hub)
    told = "".join(traceback.format_exception(caught.value))
    assert hub.token not in told + repr(caught.value)
    assert not [each for each in hub.written[before:] if (each["status"], each["body"]["state"]) == (201, "success")]
    return str(caught.value)


PERMANENT: dict[str, JSON] = {
    **{str(status): {"kind": "status", "status": status} for status in (401, 403, 404, 422, 500)},
    "429 for an hour": {"kind": "status", "status": 429, "retry_after": "3600"},
    "primary limit": {"kind": "rate_limit", "reset_in": 3600},
    "renamed": {"kind": "redirect", "status": 301},
    "reset": {"kind": "reset", "when": "in_body"},
    "HTML": {"kind": "html"},
    "another type": {"kind": "wrong_type"},
    "too large": {"kind": "huge", "size": 2_000_000},
}
RARE: dict[str, JSON] = {
    **{str(status): {"kind": "status", "status": status} for status in (304, 400, 410, 451, 503)},
    "429 for ever": {"kind": "status", "status": 429, "retry_after": "99999999999999"},
    "secondary limit": {"kind": "secondary_limit"},
    "elsewhere": {"kind": "redirect", "status": 307},
    "cut short": {"kind": "truncated", "framing": "close"},
    "nothing": {"kind": "empty"},
}
# What GitHub may say for good without being wrong: whom it does not know may not speak, and of commits that it does not
# tell nothing is made up.
ABSENT = {
    ("permission", "404"): "success", ("movements", "404"): "pending", ("movements", "403"): "pending",
    ("comparison", "404"): "failure",
}  # fmt: skip
MATRIX = [(call, fault) for call in READS for fault in PERMANENT if (call, fault) not in ABSENT]


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("call", "fault"), MATRIX)
def test_permanent__what_stays_wrong_is_an_error_never_a_success(failing_hub: FakeHub, call: str, fault: str) -> None:
    failing_hub.fail(READS[call], times=None, **PERMANENT[fault])
    assert refused(failing_hub)
    assert states(failing_hub).get(OVERALL) in (None, "error")


@pytest.mark.parametrize("fault", RARE.values(), ids=RARE)
def test_permanent__so_is_what_is_rare(failing_hub: FakeHub, fault: JSON) -> None:
    failing_hub.fail(LISTS["later comments"], times=None, **fault)
    assert refused(failing_hub)


@pytest.mark.parametrize(("call", "fault"), ABSENT)
def test_permanent__what_github_does_not_tell_counts_for_nothing(failing_hub: FakeHub, call: str, fault: str) -> None:
    failing_hub.fail(READS[call], times=None, **PERMANENT[fault])
    assert run(failing_hub).report.state.value == ABSENT[call, fault]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("call", WRITES)
@pytest.mark.parametrize("fault", PERMANENT)
def test_permanent__what_cannot_be_published_is_never_a_success(passing_hub: FakeHub, call: str, fault: str) -> None:
    passing_hub.fail(WRITES[call], times=None, **PERMANENT[fault])
    with pytest.raises(GitHubError):
        run(passing_hub)
    assert states(passing_hub).get(OVERALL) != "success"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", ["empty_page", "duplicate_ids", "item_inserted", "item_missing"])
@pytest.mark.parametrize(
    "call", ["first comments", "later comments", "last comments", "comments of the issue", "files"]
)
def test_pages__that_do_not_fit_together_are_read_anew_or_an_error(failing_hub: FakeHub, call: str, kind: str) -> None:
    failing_hub.fail(LISTS[call], kind=kind)
    assert run(failing_hub).report.state.value == "failure"
    failing_hub.fail(LISTS[call], kind=kind, times=None)
    if (call, kind) == ("first comments", "item_inserted"):  # all that this hides is a remark
        assert run(failing_hub).report.state.value == "failure"
    else:
        assert "changed 3 times" in refused(failing_hub)


@pytest.mark.parametrize("kind", ["empty_page", "duplicate_ids", "item_missing"])
@pytest.mark.parametrize("name", ["labels", "closingIssuesReferences"])
def test_lists__that_lack_something_or_tell_it_twice_are_an_error(name: str, kind: str) -> None:
    world = passing()
    for number in (13, 14):
        world.issue(number, "area", "docs")
        world.planned(number)
    with FakeHub(world.snapshot()) as hub:
        hub.fail("POST /graphql", kind=kind, connection=name, times=None)
        with pytest.raises(GitHubError, match=r"not all were listed|at most 20 are read|linked issue twice"):
            run(hub)


@pytest.mark.parametrize("kind", ["link_loop", "duplicate_ids"])
def test_pages__of_movements_that_go_wrong_are_an_error(failing_hub: FakeHub, kind: str) -> None:
    failing_hub.fail(LISTS["movements"], kind=kind, times=None)
    refused(failing_hub)


def test_pages__of_movements_that_are_missing_make_nothing_up(passing_hub: FakeHub) -> None:
    passing_hub.fail(LISTS["movements"], kind="empty_page", times=None)
    decision = run(passing_hub)
    assert not decision.snapshot.ref_log.complete
    assert decision.report.state.value == "pending"


SLOW = {"drip": {"kind": "slow", "piece": 1, "pause": 0.02}, "silence": {"kind": "silence", "seconds": 20}}


@pytest.mark.parametrize("fault", SLOW.values(), ids=SLOW)
@pytest.mark.parametrize("call", ["pull request", "later comments", "write of a part", "reading back"])
def test_time__a_run_ends(passing_hub: FakeHub, call: str, fault: JSON, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "LAST_WORD_SECONDS", 0.3)
    passing_hub.fail(CALLS[call], times=None, **fault)
    server = Server(rest=passing_hub.url, graphql=passing_hub.graphql_url, token=passing_hub.token)
    clock = Clock(monotonic=time.monotonic, epoch=time.time, sleep=time.sleep)
    began = time.monotonic()
    with pytest.raises(GitHubError, match=r"out of time|longer than this run may last"):
        decide_and_publish(Client(server, clock, 0.8), TARGET, None)
    assert time.monotonic() - began < 5
    assert states(passing_hub).get(OVERALL) != "success"


def test_elsewhere__nobody_is_shown_the_token(passing_hub: FakeHub) -> None:
    with hub_of(rich().snapshot()) as other:
        passing_hub.fail("*", kind="redirect", status=307, to=f"{other.url}/graphql", times=None)
        assert "redirects are not followed" in refused(passing_hub)
        assert other.requests == []


PROGRAM: dict[str, tuple[JSON, str]] = {
    "401": ({"match": "*", "kind": "status", "status": 401}, "the token is not valid"),
    "403": ({"match": "POST */statuses/*", "kind": "status", "status": 403}, "Add to permissions in the workflow"),
    "301": ({"match": "GET */comments*", "kind": "redirect", "status": 301}, "redirects are not followed"),
    "429": ({"match": "POST /graphql", "kind": "status", "status": 429, "retry_after": "86400"}, "rate limit"),
    "bomb": ({"match": "GET */files*", "kind": "gzip_bomb", "size": 100_000_000}, "larger than 33554432 bytes"),
}


@pytest.mark.parametrize("name", PROGRAM)
def test_program__ends_with_4_and_says_why_without_the_token(name: str) -> None:
    fault, words = PROGRAM[name]
    world = World()
    world.planned()
    world.built()
    world.tested()
    with FakeHub(world.snapshot()) as hub:
        hub.fail(times=None, **fault)
        done = run_program(hub, "--publish")
        assert (done.returncode, done.stdout) == (4, "")
        assert words in done.stderr
        assert done.stderr.startswith("phase-gate: ")
        assert hub.token not in done.stderr
        assert "Traceback" not in done.stderr
        assert states(hub).get(OVERALL) != "success"


def test_program__that_passes_says_no_token() -> None:
    world = rich()
    with FakeHub(world.snapshot()) as hub:
        done = run_program(hub, "--publish", "--json")
        assert (done.returncode, done.stderr) == (0, "")
        assert hub.token not in done.stdout
        assert PEOPLE["ben"]["login"] in done.stdout


def test_write__that_was_given_up_does_not_come_after_those_of_a_later_try() -> None:
    """A sweep that GitHub asked to wait decides a pull request again, in the same process."""
    go_on = threading.Event()

    def sleep(_: float) -> None:
        go_on.wait(20)

    def writes(context: str) -> Matches:
        return lambda request: isinstance(request.body, dict) and request.body.get("context") == context

    with FakeHub(passing().snapshot()) as hub:
        said = hub.add_comment(PEOPLE["ben"], verdict("judge", "FAIL"))
        hub.fail(writes(OVERALL), kind="status", status=502)
        hub.fail(writes(CONTEXT), kind="status", status=403, times=None)
        server = Server(rest=hub.url, graphql=hub.graphql_url, token=hub.token)
        clock = Clock(monotonic=time.monotonic, epoch=time.time, sleep=sleep)
        with pytest.raises(GitHubError, match="403"):
            decide_and_publish(Client(server, clock, 80.0), TARGET, None)
        hub.snapshot["comments"].remove(said)
        assert run(hub).report.state.value == "success"
        go_on.set()
        time.sleep(0.3)
        assert states(hub)[OVERALL] == "success"
