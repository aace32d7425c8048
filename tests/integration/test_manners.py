"""GitHub's own manners: lists that lag, questions that are too much, servers that are old, repositories it hides."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from phasegate.cli.live import decide, decide_and_publish
from phasegate.github.client.answers import GitHubError
from phasegate.github.client.client import make_client
from phasegate.settings import Api
from tests.casebook.every import STORIES
from tests.casebook.trust import TEAM
from tests.casebook.world import World, commit, verdict
from tests.fakehub import FakeHub
from tests.fakehub.ledger import Request
from tests.integration.runs import (
    OVERALL,
    TARGET,
    Sleepless,
    chat,
    client_of,
    edited,
    passing,
    read,
    run,
    state_of,
    states,
)

JSON = dict[str, Any]


def asks_for(request: Request, more_than: int) -> bool:
    """Whether a query asks for more than so much at once."""
    body = request.body if isinstance(request.body, dict) else {}
    variables = body.get("variables") or {}
    ids = [each for told in variables.values() if isinstance(told, list) for each in told]
    much = variables.get("page", 0) if "query PullRequest" in request.text else len(ids)
    return "query Look" not in request.text and much > more_than


TOO_MUCH: dict[str, JSON] = {
    "resource limits": {"kind": "graphql_errors", "type": "RESOURCE_LIMITS_EXCEEDED", "null_at": "repository"},
    "502": {"kind": "status", "status": 502},
    "504": {"kind": "status", "status": 504},
    "timeout": {"kind": "graphql_timeout"},
    "over the cap": {"kind": "huge", "size": 40_000_000},
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("fault", TOO_MUCH)
@pytest.mark.parametrize("most", [50, 10])
def test_too_much__for_one_question_is_asked_in_smaller_pieces(fault: str, most: int) -> None:
    world = passing(150)
    early, late = world.comments[3], world.comments[120]
    for said in (early, late):
        world.edit(said, "later thoughts", "eve")
    for number in range(60):
        world.review("eve", f"Remark {number}")
    told = {key: value for key, value in TOO_MUCH[fault].items() if key != "null_at"}
    with FakeHub(world.snapshot()) as hub:
        hub.fail(lambda request: asks_for(request, most), times=None, **told)
        sleepless = Sleepless()
        decision = decide_and_publish(client_of(hub, sleepless, 1000.0), TARGET, None)
        assert decision.report.state.value == states(hub)[OVERALL] == "success"
        assert len(decision.snapshot.comments) == 155
        assert len(decision.snapshot.reviews) == 60
        assert [len(said.history) for said in decision.snapshot.comments if said.history] == [2, 2]


def test_too_much__however_little_is_asked_for_is_an_error() -> None:
    with FakeHub(passing().snapshot()) as hub:
        run(hub)
        hub.fail(lambda request: asks_for(request, 0), times=None, kind="status", status=504)
        with pytest.raises(GitHubError, match="504, 5 times in a row"):
            decide_and_publish(client_of(hub, seconds=1000.0), TARGET, None)
        assert states(hub)[OVERALL] == "error"


def typed(world: World) -> World:
    world.issues[0]["type"] = "Bug"
    return world


def test_old_server__is_asked_without_what_it_does_not_know() -> None:
    with FakeHub(typed(passing()).snapshot(), server="oldest") as hub:
        decision = run(hub)
        assert decision.report.state.value == states(hub)[OVERALL] == "success"
        assert decision.snapshot.issues[0].type == "Bug"
        assert decision.unknown
        refused = [request for request in hub.requests if "IssueTypeAddedEvent" in request.text]
        assert len(refused) == 1  # once is enough to know it
    with FakeHub(typed(passing()).snapshot()) as hub:
        assert run(hub).unknown == ()


@pytest.mark.parametrize(
    ("native", "labels", "state"), [("Bug", [], "pending"), ("Feature", ["bug"], "pending"), (None, ["bug"], "success")]
)
def test_old_server__does_not_tell_who_set_a_type(native: str | None, labels: list[str], state: str) -> None:
    """One that asks for less does not count, and one that asks for more does."""
    world = World()
    for label in labels:
        world.label(label)
    world.planned().built().issues[0]["type"] = native
    with FakeHub(world.snapshot(), server="oldest") as hub:
        report = read(hub).report
    assert report.state.value == state
    assert (native == "Bug") == ("PG407" in {each.code for each in report.problems})


def test_old_server__that_lacks_more_is_an_error_that_says_so() -> None:
    said: JSON = {"message": "Field 'reviews' doesn't exist", "extensions": {"code": "undefinedField"}}
    with FakeHub(passing().snapshot()) as hub:
        hub.fail("POST /graphql", times=None, kind="wrong_type", data={"errors": [said]})
        with pytest.raises(GitHubError, match="On GitHub Enterprise Server: update it"):
            run(hub)


def test_forbidden__an_issue_of_others_does_not_spoil_the_rest() -> None:
    world = passing()
    world.issue(5, repository="else/where")
    with FakeHub(world.snapshot(), forbidden=["else/where"]) as hub:
        decision = run(hub)
        assert decision.report.state.value == "success"
        assert [issue.number for issue in decision.snapshot.issues] == [12]


def test_forbidden__a_fork_that_may_not_be_seen_has_no_log() -> None:
    made = passing().snapshot()
    made["pull_request"]["head"]["repository"] = "eve/shop"
    with FakeHub(made, forbidden=["eve/shop"]) as hub:
        decision = run(hub)
        assert decision.snapshot.ref_log.source == "none"
        assert decision.report.state.value == states(hub)[OVERALL] == "pending"


def test_forbidden__own_issues_are_an_error_that_names_the_permission() -> None:
    with FakeHub(passing().snapshot(), lacking=["issues: read"]) as hub:
        with pytest.raises(GitHubError, match="issues: read"):
            run(hub)
        assert states(hub)[OVERALL] == "error"


@pytest.mark.parametrize("counted", [0, 7])
def test_changed_files__that_are_counted_late_are_compared_instead(counted: int) -> None:
    with FakeHub(passing().snapshot()) as hub:
        hub.state.miscounted = counted
        assert run(hub).report.state.value == "success"


def test_changed_files__that_are_counted_late_and_listed_short_are_refused() -> None:
    with FakeHub(passing().snapshot()) as hub:
        hub.state.miscounted = 0
        hub.fail("GET */pulls/7/files*", kind="empty_page", times=None)
        with pytest.raises(GitHubError, match="changed 3 times"):
            run(hub)


@pytest.mark.parametrize("asked", [1, 2])
def test_log__that_lags_behind_is_waited_for(asked: int) -> None:
    world = passing()
    world.push("again", "a")
    with FakeHub(world.snapshot()) as hub:
        moves = hub.snapshot["ref_log"]["moves"]
        last, seen = moves.pop(), list[Request]()

        def catches_up(request: Request) -> bool:
            if "/activity" in request.path:
                seen.append(request)
                if len(seen) == asked + 1:
                    moves.append(last)
            return False

        hub.fail(catches_up, times=None)
        sleepless = Sleepless()
        decision = decide(client_of(hub, sleepless), TARGET)
        assert decision.snapshot.ref_log.complete
        assert sleepless.waited == [1.0, 2.0][:asked]


def test_log__that_never_catches_up_makes_nothing_up() -> None:
    world = passing()
    world.push("again", "a")
    with FakeHub(world.snapshot()) as hub:
        hub.snapshot["ref_log"]["moves"].pop()
        decision = read(hub)
        assert not decision.snapshot.ref_log.complete
        assert decision.report.state.value == "pending"


@pytest.mark.parametrize(("late", "complete"), [(1, True), (5, True), (6, False)])
def test_log__may_note_the_first_push_a_little_late(late: int, *, complete: bool) -> None:
    made = passing().snapshot()
    opened = made["pull_request"]["created_at"]
    first = made["ref_log"]["moves"][0]
    assert first.get("before") is None
    first["at"] = f"{opened[:-3]}{int(opened[-3:-1]) + late:02}Z"
    with FakeHub(made) as hub:
        assert read(hub).snapshot.ref_log.complete is complete


def test_dispatches__beyond_the_first_hundred_are_read() -> None:
    made = STORIES["approved-by-run"].world().snapshot()
    (told,) = made["dispatch_approvals"]
    other = {**told, "commit": commit("else"), "at": made["taken_at"], "number": 8}
    later = [{**other, "run": 5000 + n, "url": f"{told['url']}{n}"} for n in range(250)]
    with FakeHub(made) as hub:
        hub.state.other_runs = later
        decision = read(hub)
        assert decision.report.state.value == "success"


@pytest.mark.parametrize("kind", ["", "no_next_page", "empty_page"])
def test_team__is_read_to_its_end_or_is_none(kind: str) -> None:
    world, members = passing().under(TEAM), tuple(range(1000, 1230))
    made = world.snapshot()
    made["teams"] = [{"slug": "octo/agents", "readable": True, "members": list(members)}]
    with FakeHub(made) as hub:
        if not kind:
            assert read(hub).snapshot.teams[0].members == members
            return
        hub.fail("GET */members*page=2*", kind=kind, times=None)
        with pytest.raises(GitHubError, match="changed 3 times"):
            read(hub)


def test_edits__of_one_second_keep_their_order() -> None:
    world = World().planned()
    said = world.judges("judge", "FAIL", who="ben")
    texts = [said["text"], "first", verdict("judge"), "last"]
    edited(said, *texts[1:], at=world.tick())
    with FakeHub(world.snapshot()) as hub:
        found = next(each for each in read(hub).snapshot.comments if each.history)
    assert [edit.text for edit in found.history] == texts


def test_reviews__beyond_the_first_hundred_count() -> None:
    world = passing()
    for number in range(120):
        world.review("eve", f"Remark {number}")
    world.review("ben", verdict("judge", "FAIL"))
    assert state_of(world) == "failure"


def test_hidden__words_of_an_account_that_only_one_interface_shows_keep_nobody_from_deciding() -> None:
    """GitHub may hide comments of accounts that it takes for spam in one of its two interfaces."""
    world = passing()
    chat(world, 2)
    with FakeHub(world.snapshot()) as hub:
        hub.state.hidden = {said["id"] for said in hub.snapshot["comments"][-2:]}
        assert run(hub).report.state.value == "success"


def test_hidden__a_word_that_only_one_interface_shows_is_an_error() -> None:
    world = passing()
    world.say("eve", verdict("judge", "FAIL"))
    with FakeHub(world.snapshot()) as hub:
        hub.state.hidden = {hub.snapshot["comments"][-1]["id"]}
        with pytest.raises(GitHubError, match="the two lists differ"):
            run(hub)


@pytest.mark.parametrize(("place", "state"), [("lot0.0", "success"), ("lot0.12", "error")])
def test_hidden__what_graphql_hides_of_a_later_page_is_left_out_if_it_carries_nothing(place: str, state: str) -> None:
    with FakeHub(passing(110).snapshot()) as hub:
        hub.fail(
            "POST /graphql", containing="Details", kind="graphql_errors", type="NOT_FOUND", null_at=place, times=None
        )
        with contextlib.suppress(GitHubError):
            run(hub)
        assert states(hub)[OVERALL] == state


def test_clock__of_github_need_not_be_ours() -> None:
    with FakeHub(passing().snapshot()) as hub:
        client = make_client(Api(token=hub.token, rest=hub.url, graphql=hub.graphql_url))
        decide_and_publish(client, TARGET, None)
        assert len([each for each in hub.requests if "query PullRequest" in each.text]) == 1
