"""How many requests a run makes, how many of them one after the other, and how much memory it takes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from phasegate.cli.live import Decision, decide, decide_and_publish
from phasegate.github.client.answers import GitHubError
from phasegate.github.reading.opening import set_out
from tests.casebook.attacks.live import in_a_fork
from tests.casebook.every import STORIES
from tests.casebook.world import PEOPLE, PERMISSIONS, World, commit, verdict
from tests.fakehub import FakeHub
from tests.fakehub.ledger import Request, sequential_depth
from tests.integration.runs import OVERALL, SCRIPTS, TARGET, chat, client_of, passing, program, read, run, states

LATENCY = 0.05
MOST_REQUESTS = 30
JSON = dict[str, Any]


def trips(make: Callable[[], JSON], act: Callable[[FakeHub], object], most: int, latency: float = LATENCY) -> int:
    """How many requests something makes, of which at most so many may come one after the other.

    Tried three times at most: a busy machine may pull apart what was sent at once.
    """
    found: list[int] = []
    for factor in (1, 4, 10):  # on a busy machine what runs side by side overlaps only if it takes its time
        with FakeHub(make(), latency=factor * latency) as hub:
            act(hub)
            found.append(hub.sequential_depth())
            if found[-1] <= most:
                return len(hub.requests)
    pytest.fail(f"{found} trips one after the other, {most} are allowed")


def long_thread(comments: int) -> JSON:
    """A pull request with so many comments that passed, until somebody failed it in the last one."""
    world = World()
    world.planned()
    if comments > 5:
        world.built()
        world.tested()
        chat(world, comments - 6)
    if comments:
        world.judges("judge", "FAIL", who="ben")
    return world.snapshot()


# comments: requests to read, trips one after the other to read, latency at which those overlap for certain
READING = {
    0: (8, 2, LATENCY), 1: (10, 2, LATENCY), 30: (10, 2, LATENCY), 100: (10, 2, LATENCY), 250: (13, 4, 2 * LATENCY),
    1000: (22, 4, 8 * LATENCY),
}  # fmt: skip
# Three writes; a look; the overall success; a look.
SUCCESS_REQUESTS, SUCCESS_TRIPS = 6, 4
# What goes on record and the phases that passed, beside bad news; the rest of that beside a look.
BAD_NEWS_REQUESTS, BAD_NEWS_TRIPS = 6, {30: 2, 100: 2, 1000: 2}


@pytest.mark.parametrize("comments", READING)
def test_reading__takes_few_trips_and_sees_the_fail_on_the_last_page(comments: int) -> None:
    snapshot = long_thread(comments)
    expected, most, latency = READING[comments]
    assert len(snapshot["comments"]) == comments

    def reads(hub: FakeHub) -> None:
        report = read(hub).report
        assert report.state.value == ("failure" if comments else "pending")
        if comments:
            assert {phase.name: phase.state.value for phase in report.phases}["build"] == "failure"

    assert trips(lambda: snapshot, reads, most, latency) <= expected


@pytest.mark.parametrize("comments", [30, 100, 1000])
def test_publishing__a_success_takes_four_more_trips(comments: int) -> None:
    snapshot = passing(comments - 5).snapshot()
    reading, most, latency = READING[comments]
    assert len(snapshot["comments"]) == comments
    requests = trips(lambda: snapshot, run, most + SUCCESS_TRIPS, latency)
    assert requests <= reading + SUCCESS_REQUESTS
    assert requests <= MOST_REQUESTS


def test_publishing__a_feature_with_eight_accounts_takes_six_trips(monkeypatch: pytest.MonkeyPatch) -> None:
    seats = ("judge", "inspector", "sentinel", "lens")
    for number, name in enumerate(seats, start=701):
        monkeypatch.setitem(PEOPLE, name, {"login": name, "id": number, "type": "User"})

    def feature() -> JSON:
        world = World(permissions=dict(PERMISSIONS) | dict.fromkeys(seats, "write"))
        world.changes["pull_request"] = {**world.snapshot()["pull_request"], "body": "Closes #12"}
        world.label("feature", by="eve")
        world.planned()
        for seat in seats:
            world.judges(seat, who=seat)
        world.say("mona", "/gate approve qa")
        return world.snapshot()

    def passes(hub: FakeHub) -> None:
        decision = run(hub)
        assert decision.report.state.value == "success"
        asked = {each.path.split("/")[-2] for each in hub.requests if each.path.endswith("/permission")}
        assert asked == {"ana", "mona", "eve", *seats}

    assert trips(feature, passes, 6) <= 20


@pytest.mark.parametrize("comments", [30, 100, 1000])
def test_publishing__bad_news_takes_few_more_trips(comments: int) -> None:
    snapshot = long_thread(comments)
    reading, most, latency = READING[comments]
    assert trips(lambda: snapshot, run, most + BAD_NEWS_TRIPS[comments], latency) <= reading + BAD_NEWS_REQUESTS


def test_publishing__a_fail_after_an_earlier_run_takes_two_more_trips() -> None:
    depths: list[int] = []
    for factor in (1, 4, 10):  # as above
        with FakeHub(passing(94).snapshot(), latency=factor * LATENCY) as hub:
            run(hub)
            before = len(hub.requests)
            hub.add_comment(PEOPLE["ben"], verdict("judge", "FAIL"))
            run(hub)
            made = hub.requests[before:]
        assert states(hub)[OVERALL] == "failure"
        assert len(made) <= 15
        depths.append(sequential_depth(made))
        if depths[-1] <= 4:
            return
    pytest.fail(f"{depths} trips one after the other, 4 are allowed")


@pytest.mark.parametrize("make", [lambda: passing(245).snapshot(), lambda: long_thread(250)], ids=["good", "bad"])
def test_publishing__no_page_is_read_twice(make: Callable[[], JSON]) -> None:
    with FakeHub(make()) as hub:
        run(hub)
        reads = [request.target for request in hub.requests if request.method == "GET"]
        assert len(reads) == len(set(reads))
        assert len([each for each in hub.requests if "query PullRequest" in each.text]) == 1
        run(hub)  # nothing has changed
        again = [request.target for request in hub.requests if request.method == "GET"][len(reads) :]
        assert len(again) == len(set(again))


def test_publishing__nothing_new_takes_no_trip() -> None:
    with FakeHub(passing().snapshot(), latency=LATENCY) as hub:
        run(hub)
        first = len(hub.requests)
        read(hub)
        reading = len(hub.requests) - first
        run(hub)
        assert len(hub.requests) - first == 2 * reading


def test_reading__linked_issues_add_no_trip() -> None:
    def three_issues() -> JSON:
        world = passing()
        for number in (13, 14):
            world.issue(number)
            world.planned(number)
        made = world.snapshot()
        for issue in made["issues"]:
            at = issue["comments"][0]["created_at"]
            spare = {"author": PEOPLE["eve"], "created_at": at, "text": "I want this too."}
            first = 10_000 * issue["number"]
            issue["comments"] += [
                {"id": first + n, "url": f"{issue['url']}#issuecomment-{first + n}", **spare} for n in range(96)
            ]
            assert len(issue["comments"]) == 100
        return made

    def reads(hub: FakeHub) -> None:
        assert read(hub).report.state.value == "success"

    assert trips(three_issues, reads, READING[30][1]) <= READING[30][0] + 2


def test_reading__older_verdict_commits_add_two_trips_at_most() -> None:
    def many_rounds() -> JSON:
        world = World()
        world.planned()
        for number in range(20):
            world.judges("judge", "PASS", who="ben")
            world.push(f"round {number}")
        world.built()
        return world.snapshot()

    def reads(hub: FakeHub) -> None:
        contents = {content.commit for content in read(hub).snapshot.contents}
        assert contents == {commit(f"round {number}") for number in range(20)} | {commit("a")}

    # a comparison for each, and the record and the modes of all of them at once
    assert trips(many_rounds, reads, READING[30][1] + 2) <= READING[30][0] + 20 + 2


@pytest.mark.parametrize("comments", [0, 120])
def test_reading__heads_that_only_chatter_was_said_about_are_not_compared(comments: int) -> None:
    world = World()
    world.planned()
    chat(world, comments)
    for number in range(10):
        progress = world.say("eve", f"round {number} is at 10 %")
        if not comments:
            world.edit(progress, "and now at 90 %", "eve")
        world.push(f"round {number}")
    world.built()
    with FakeHub(world.snapshot()) as hub:
        assert {content.commit for content in read(hub).snapshot.contents} == {commit("round 9")}
        assert [each.path for each in hub.requests if "/compare/" in each.path] == []


def test_reading__older_heads_are_compared_once_however_often_it_is_read_anew() -> None:
    world = World()
    world.planned()
    world.judges("judge", "FAIL", who="ben")
    world.push("fixed")
    world.built()
    with FakeHub(world.snapshot()) as hub:
        first: list[int] = []

        def objects(request: Request) -> bool:
            if not first and "query Look" in request.text:
                first.append(request.number)
                hub.add_comment(PEOPLE["ana"], verdict("judge", "FAIL"))
            return False

        hub.fail(objects, times=None)
        assert run(hub).report.state.value == "failure"
        assert len([each for each in hub.requests if "query PullRequest" in each.text]) > 1
        assert len([each for each in hub.requests if "/compare/" in each.path]) == 1


def test_reading__the_record_is_found_whatever_the_number_of_pushes() -> None:
    def pushed_often() -> JSON:
        world = passing()
        for number in range(230):
            world.push(f"again {number}", "a")
        return world.snapshot()

    def reads(hub: FakeHub) -> None:
        assert read(hub).snapshot.record.complete

    # three pages of the log, and three questions for a hundred commits each
    trips(pushed_often, reads, READING[30][1] + 5)


def test_reading__a_record_that_every_run_carried_on_is_read_on_the_last_three_heads() -> None:
    with FakeHub(passing().snapshot()) as hub:
        hub.add_comment(PEOPLE["ana"], verdict("judge", "FAIL"))
        for number in range(8):
            run(hub)
            hub.move_head(commit(f"again {number}"))
        before = len(hub.requests)
        assert len(read(hub).snapshot.record.signals) == 3
        assert len([each for each in hub.requests[before:] if each.path.endswith("/statuses")]) == 3


@pytest.mark.parametrize("force", ["", "c"])
def test_reading__a_fork_without_a_log_and_without_a_record_is_not_blocked(force: str) -> None:
    world = World()
    in_a_fork(world, force)
    with FakeHub(world.snapshot()) as hub:
        decision = read(hub)
        assert (decision.snapshot.record.complete, decision.snapshot.record.signals) == (True, ())
        assert decision.report.state.value == "success"


@pytest.mark.parametrize("act", [decide, partial(decide_and_publish, run_url=None)], ids=["reads", "publishes"])
def test_reading__a_trip_that_is_under_way_is_not_made_again(act: Callable[..., Decision]) -> None:
    counts = []
    for early in (False, True):
        with FakeHub(passing(5).snapshot()) as hub:
            client = client_of(hub)
            act(client, TARGET, trip=set_out(client, TARGET) if early else None)
            counts.append(len(hub.requests))
    assert counts[0] == counts[1]


def test_reading__an_early_trip_that_failed_leaves_no_success_behind() -> None:
    with FakeHub(passing(5).snapshot()) as hub:
        run(hub)
        assert states(hub)[OVERALL] == "success"
        hub.fail("POST /graphql", times=None, kind="status", status=401)
        client = client_of(hub)
        with pytest.raises(GitHubError, match="401"):
            decide_and_publish(client, TARGET, None, set_out(client, TARGET))
        assert states(hub)[OVERALL] == "error"


def test_reading__approvals_by_runs_add_two_trips_at_most() -> None:
    def approved_by_run() -> JSON:
        made = STORIES["approved-by-run"].world().snapshot()
        (run,) = made["dispatch_approvals"]
        made["dispatch_approvals"] = [{**run, "run": number, "url": f"{run['url']}{number}"} for number in range(1, 8)]
        return made

    def reads(hub: FakeHub) -> None:
        decision = read(hub)
        assert decision.report.state.value == "success"
        assert len(decision.snapshot.dispatch_approvals) == 7

    trips(approved_by_run, reads, READING[30][1] + 2)


@pytest.mark.parametrize("comments", [100, 250])
def test_reading__edited_comments_add_one_trip_at_most(comments: int) -> None:
    def all_edited() -> JSON:
        world = passing(comments - 5)
        for said in (each for each in world.comments if each["author"] == PEOPLE["eve"]):
            at = said["created_at"]
            said["history"] = [
                {"at": at, "editor": said["author"], "text": verdict("judge", "FAIL")},
                {"at": "2026-03-02T13:00:00Z", "editor": said["author"], "text": said["text"]},
            ]
            said |= {"edited_at": "2026-03-02T13:00:00Z", "editor": said["author"]}
        return world.snapshot()

    def reads(hub: FakeHub) -> None:
        found = read(hub).snapshot.comments
        assert len([said for said in found if len(said.history) == 2]) == comments - 5

    trips(all_edited, reads, 4, READING[comments][2])


# VmHWM, since ru_maxrss also counts what the process that started this one held
# The entry ends its process at once, so the figure is read just before that.
MEASURED = """
import os, runpy, sys
sys.argv = sys.argv[1:]
end = os._exit
def tell(code):
    with open("/proc/self/status") as status:
        os.write(2, next(line.split()[1] for line in status if line.startswith("VmHWM")).encode())
    end(code)
os._exit = tell
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="read from /proc")
def test_memory__of_a_run_with_a_thousand_comments() -> None:
    world = passing(990)
    for said in (each for each in world.comments if each["author"] == PEOPLE["eve"]):
        said["text"] += "\n\n" + "A paragraph about what I have seen, as people write them. " * 30
    with FakeHub(world.snapshot()) as hub:
        command, environ = program(hub, "--publish")
        measured = [sys.executable, "-I", "-S", "-c", MEASURED, str(SCRIPTS / "__main__.py"), *command[2:]]
        kilobytes = []
        for _ in range(3):  # which answers are held at the same time is chance
            done = subprocess.run(measured, env=environ, capture_output=True, encoding="utf-8", check=False, timeout=60)
            assert (done.returncode, states(hub)[OVERALL]) == (0, "success"), done.stderr
            kilobytes.append(int(json.loads(done.stderr.split()[-1])))
    assert min(kilobytes) < 60_000
