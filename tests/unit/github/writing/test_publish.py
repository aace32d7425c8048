"""Publishing: only what changed, bad news at once, success last and only when it is proven; a failed write fails."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from phasegate.cli.live import decide_and_publish, say_undecided, utc_now
from phasegate.gate import reading_plan
from phasegate.github.client.answers import GitHubError, MissingError, MovedError
from phasegate.github.client.client import Client, Clock, Server
from phasegate.github.reading.fetch import fetch
from phasegate.github.reading.fingerprint import Sight
from phasegate.github.reading.queries import PULL_REQUEST
from phasegate.github.reading.waves import wave
from phasegate.github.writing.publish import WRITES_AT_ONCE, Edition, Place, _turns, publish, statuses_on, withdraw
from phasegate.model.frozen import replace
from phasegate.model.report import State, StatusLine
from phasegate.model.snapshot import CommitStatus
from tests.casebook.world import commit, verdict
from tests.fakehub import FakeHub
from tests.fakehub.ledger import Request
from tests.integration.runs import CONTEXTS, OVERALL, TARGET, Sleepless, client_of, passing, run, states

JSON = dict[str, Any]
HEAD = commit("a")
STATUSES = f"/repos/octo/shop/statuses/{HEAD}"
PLACE = Place(repository="octo/shop", commit=HEAD)
GREEN = (State.SUCCESS,) * 4
NOTE = StatusLine(context="phase-gate/record", state=State.SUCCESS, description="On record of #7: judge comment-1")
ASKED = {"owner": "octo", "name": "shop", "number": 7, "policy": "HEAD:none", "page": 100}


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    with FakeHub(passing().snapshot()) as started:
        yield started


def lines(*shown: State, description: str = "fine") -> tuple[StatusLine, ...]:
    named = zip(CONTEXTS, shown, strict=True)
    return tuple(StatusLine(context=context, state=state, description=description) for context, state in named)


def standing(of: tuple[StatusLine, ...], *, upper: bool = False) -> tuple[CommitStatus, ...]:
    return tuple(
        CommitStatus(
            context=line.context.upper() if upper else line.context, state=line.state.value, at="2026-03-02T09:00:00Z",
            description=line.description,
        )
        for line in of
    )  # fmt: skip


def edition(
    hub: FakeHub,
    of: tuple[StatusLine, ...],
    there: tuple[CommitStatus, ...] = (),
    record: dict[str, tuple[StatusLine, ...]] | None = None,
) -> Edition:
    seen: Sight = fetch(client_of(hub), TARGET, utc_now, reading_plan).sight
    return Edition(lines=of, record=record or {}, left={}, standing=there, sight=seen, looked=True)


def objects(hub: FakeHub) -> JSON:
    return hub.add_comment({"login": "eve", "id": 66, "type": "User"}, verdict("judge", "FAIL"))


def written(hub: FakeHub) -> list[tuple[str, str]]:
    return [(each["body"]["context"], each["body"]["state"]) for each in hub.written]


def kinds(hub: FakeHub) -> list[str]:
    """What was done since the first write: W a part, S the overall state, L a look."""
    found = ""
    for request in hub.requests:
        body = request.body if isinstance(request.body, dict) else {}
        if request.method == "POST" and "/statuses/" in request.path:
            found += "S" if body["context"] == OVERALL else "W"
        elif "query Look" in request.text:
            found += "L"
    return list(found[min(found.find(each) for each in "WS" if each in found) :])


def sent(hub: FakeHub, of: tuple[StatusLine, ...], *more: Any, **told: Any) -> int:  # noqa: ANN401 - as an edition has them
    """How many lines are written where these are to be published."""
    return publish(client_of(hub), PLACE, edition(hub, of, *more, **told))


def _writes(context: str) -> Callable[[Request], bool]:
    return lambda request: isinstance(request.body, dict) and request.body.get("context") == context


def test_publish__success_comes_last_after_the_parts_were_read_back(hub: FakeHub) -> None:
    assert sent(hub, lines(*GREEN)) == 4
    assert "".join(kinds(hub)) == "WWWLSL"
    assert written(hub)[-1] == (OVERALL, "success")


def test_publish__reading_back_begins_after_the_last_part_stands_and_ends_before_success(hub: FakeHub) -> None:
    prepared = edition(hub, lines(*GREEN))
    hub.fail(_writes("phase-gate/build"), kind="slow", piece=400, pause=0.1)
    publish(client_of(hub), PLACE, prepared)
    writes = [request for request in hub.requests if request.method == "POST" and "/statuses/" in request.path]
    *_, back, _ = [request for request in hub.requests if "query Look" in request.text]
    *parts, overall = sorted(writes, key=lambda request: request.started)
    assert all(part.ended is not None and part.ended <= back.started for part in parts)
    assert back.ended is not None
    assert back.ended <= overall.started


@pytest.mark.parametrize("overall", [State.FAILURE, State.PENDING, State.ERROR])
def test_publish__bad_news_is_not_kept_waiting(hub: FakeHub, overall: State) -> None:
    of = lines(State.SUCCESS, State.PENDING, State.PENDING, overall)
    assert sent(hub, of) == 4
    done = kinds(hub)
    assert (sorted(done), "S" in done[:3]) == (["L", "S", "W", "W", "W"], True)
    assert states(hub)[OVERALL] == overall.value


@pytest.mark.parametrize("upper", [False, True])
def test_publish__nothing_new_is_not_written_whatever_the_case_of_a_context(hub: FakeHub, *, upper: bool) -> None:
    of = lines(*GREEN)
    prepared = edition(hub, of, standing(of, upper=upper))
    before = len(hub.requests)
    assert publish(client_of(hub), PLACE, prepared) == 0
    assert len(hub.requests) == before


@pytest.mark.parametrize(("before", "expected"), [
    (lines(State.SUCCESS, State.SUCCESS, State.PENDING, State.PENDING), [CONTEXTS[2], OVERALL]),
    (lines(*GREEN)[:3], [OVERALL]),
    (lines(*GREEN)[3:], list(CONTEXTS[:3])),
    (lines(*GREEN, description="other"), list(CONTEXTS)),
])  # fmt: skip
def test_publish__writes_only_what_changed(hub: FakeHub, before: tuple[StatusLine, ...], expected: list[str]) -> None:
    for line in before:
        client_of(hub).post(
            STATUSES, {"state": line.state.value, "context": line.context, "description": line.description}
        )
    hub.written.clear()
    assert sent(hub, lines(*GREEN), standing(before)) == len(expected)
    assert sorted(context for context, _ in written(hub)) == sorted(expected)


def record_of(lines: int) -> tuple[StatusLine, ...]:
    return (NOTE, *(replace(NOTE, context=f"{NOTE.context}-{number}") for number in range(2, lines + 1)))


def test_publish__the_record_is_written_first_and_the_line_that_tells_that_it_is_whole_last(hub: FakeHub) -> None:
    seal, *others = record_of(8)
    sent(hub, lines(*GREEN), record={HEAD: (seal, *others)})
    order = [context for context, _ in written(hub)]
    assert (set(order[:7]), order[7], order[-1]) == ({each.context for each in others}, seal.context, OVERALL)


@pytest.mark.parametrize("line", range(2, 5))
def test_publish__a_record_that_was_not_written_whole_is_not_told_to_be(hub: FakeHub, line: int) -> None:
    prepared = edition(hub, lines(*GREEN), record={HEAD: record_of(4)})
    hub.fail(_writes(f"phase-gate/record-{line}"), kind="status", status=403, times=None)
    with pytest.raises(GitHubError):
        publish(client_of(hub), PLACE, prepared)
    assert NOTE.context not in [context for context, _ in written(hub)]


def test_publish__bad_news_does_not_wait_for_the_record() -> None:
    of = lines(State.SUCCESS, State.FAILURE, State.PENDING, State.FAILURE)
    with FakeHub(passing().snapshot(), latency=0.2) as hub:
        prepared = edition(hub, of, standing(of[:1]), record={HEAD: (NOTE,)})
        before = len(hub.requests)
        publish(client_of(hub), PLACE, prepared)
        writes = [context for context, _ in written(hub)]
        assert sorted(writes) == sorted([NOTE.context, *(line.context for line in of[1:])])
        assert len(hub.requests) - before == len(writes) + 1, "all that, and one look"
        record, overall = (
            next(request for request in hub.requests if _writes(context)(request))
            for context in (NOTE.context, OVERALL)
        )
    assert record.ended is not None
    assert overall.started < record.ended


@pytest.mark.parametrize("first", [State.SUCCESS, State.PENDING])
def test_publish__bad_news_of_the_whole_is_among_the_first(hub: FakeHub, first: State) -> None:
    """However much goes on record, and whatever else changed."""
    prepared = edition(hub, lines(first, State.SUCCESS, State.PENDING, State.FAILURE), record={HEAD: record_of(12)})
    publish(client_of(hub), PLACE, prepared)
    assert OVERALL in [context for context, _ in written(hub)[: 2 * WRITES_AT_ONCE]]


def test_publish__what_is_written_beside_a_look_is_seen_to_its_end(hub: FakeHub) -> None:
    """A write that is still under way could come after what the next try writes."""
    prepared = edition(hub, lines(State.PENDING, State.PENDING, State.PENDING, State.PENDING))
    objects(hub)
    hub.fail(_writes("phase-gate/qa"), kind="slow", piece=400, pause=0.2)
    with pytest.raises(MovedError):
        publish(client_of(hub), PLACE, prepared)
    assert sorted(states(hub)) == sorted(CONTEXTS)


@pytest.mark.parametrize("fault", [{"kind": "status", "status": 502}, {"kind": "reset"}, {"kind": "truncated"}])
def test_publish__each_attempt_at_a_success_has_a_look_of_its_own(hub: FakeHub, fault: JSON) -> None:
    prepared = edition(hub, lines(*GREEN))
    hub.fail(_writes(OVERALL), times=2, **fault)
    assert publish(client_of(hub), PLACE, prepared) == 4
    done = "".join(each for each in kinds(hub) if each in "LS")
    assert done.endswith("LSLSLSL")
    assert states(hub)[OVERALL] == "success"


def test_publish__a_success_that_no_longer_holds_is_taken_back_at_once(hub: FakeHub) -> None:
    prepared = edition(hub, lines(*GREEN))
    hub.fail(lambda request: _writes(OVERALL)(request) and bool(objects(hub)), kind="truncated")
    with pytest.raises(MovedError):
        publish(client_of(hub), PLACE, prepared)
    assert states(hub)[OVERALL] == "pending"


def test_publish__a_success_that_is_never_taken_fails(hub: FakeHub) -> None:
    """The last attempt may fail in another way than those before it."""
    for context in (OVERALL, "phase-gate/build"):
        prepared = edition(hub, lines(*GREEN, description="f\u00fcnf"))
        hub.fail(_writes(context), kind="status", status=502, times=4)
        hub.fail(_writes(context), kind="status", status=422, times=1)
        with pytest.raises(GitHubError, match=f"{context}: GitHub did not take the status"):
            publish(client_of(hub), PLACE, prepared)
        assert OVERALL not in states(hub)


def test_publish__a_success_is_not_begun_where_no_time_is_left_to_see_it_through(hub: FakeHub) -> None:
    prepared = edition(hub, lines(*GREEN))
    with pytest.raises(GitHubError, match="not enough time left"):
        publish(client_of(hub, seconds=11.0), PLACE, prepared)
    assert [context for context, _ in written(hub) if context == OVERALL] == []


def test_publish__a_success_that_another_run_wrote_over_is_taken_back(hub: FakeHub) -> None:
    prepared = edition(hub, lines(*GREEN))

    def over(request: Request) -> bool:
        if "query Look" in request.text and OVERALL in states(hub):
            hub.add_status(OVERALL, "failure", description="I know more")
        return False

    hub.fail(over, times=None)
    with pytest.raises(MovedError, match="phase-gate was written as success"):
        publish(client_of(hub), PLACE, prepared)
    assert states(hub)[OVERALL] == "pending"


def test_withdraw__does_not_wait_for_writes_that_hang(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    run(hub)
    monkeypatch.setattr("phasegate.github.writing.publish.TURN_SECONDS", 0.01)
    turns = [_turns.acquire(timeout=5) for _ in range(WRITES_AT_ONCE)]
    try:
        withdraw(client_of(hub), PLACE, OVERALL, "too bad")
    finally:
        for _ in turns:
            _turns.release()
    assert states(hub)[OVERALL] == "error"


def test_withdraw__what_is_kept_of_the_budget_is_kept_for_writing(hub: FakeHub) -> None:
    run(hub)
    hub.budgets["core"] = 20
    client = client_of(hub).last_word(20)
    with pytest.raises(MissingError):
        client.get("/repos/octo/shop/pulls/99")  # which tells what is left
    before = len(hub.requests)
    withdraw(client, PLACE, OVERALL, "too bad")
    assert [request.method for request in hub.requests[before:]] == ["POST"]
    assert states(hub)[OVERALL] == "error"


def test_run__that_is_cancelled_leaves_no_success_behind(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    run(hub)
    monkeypatch.setattr("phasegate.cli.live.publish", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(hub)
    assert hub.latest_statuses()[OVERALL]["description"] == "Could not decide: the run was cancelled"


ELSEWHERE = f"https://api.github.com/repos/octo/shop/statuses/{commit('else')}"
REFUSED: JSON = {"kind": "status", "status": 403}
# Which write goes wrong and how, what is said, whether the record is to be written, the overall state, and what stands.
WRONG: dict[str, tuple[str, JSON, str, bool, State, str]] = {
    "every write": ("", {"kind": "status", "status": 500}, "500, 5 times in a row", False, State.SUCCESS, "nothing"),
    "a part": ("phase-gate/qa", REFUSED, "403", False, State.SUCCESS, "no success"),
    "the record of a success": (NOTE.context, REFUSED, "403", True, State.SUCCESS, "nothing"),
    "the record of bad news": (NOTE.context, REFUSED, "403", True, State.FAILURE, "no success"),
    "taken for another": (
        "", {"kind": "wrong_type", "data": {"state": "pending"}}, "GitHub did not take the status success", False,
        State.SUCCESS, "anything",
    ),
    "taken elsewhere": (
        "", {"kind": "wrong_type", "data": {"state": "success", "url": ELSEWHERE}}, "on another commit", False,
        State.SUCCESS, "anything",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_publish__a_write_that_fails_fails(hub: FakeHub, name: str) -> None:
    context, fault, said, recorded, overall, stands = WRONG[name]
    prepared = edition(hub, lines(*GREEN[:3], overall), record={HEAD: (NOTE,)} if recorded else None)
    hub.fail(_writes(context) if context else f"POST {STATUSES}", times=None, **fault)
    with pytest.raises(GitHubError, match=said):
        publish(client_of(hub), PLACE, prepared)
    assert stands != "nothing" or states(hub) == {}
    assert stands == "anything" or states(hub).get(OVERALL) != "success"


def test_publish__of_a_commit_that_github_does_not_know_is_an_error(hub: FakeHub) -> None:
    with pytest.raises(MissingError, match="may it write there"):
        publish(client_of(hub), Place(repository="octo/nowhere", commit=HEAD), edition(hub, lines(*GREEN)))


def fill(hub: FakeHub, context: str, count: int, state: str = "pending") -> None:
    for _ in range(count):
        hub.add_status(context, state, at="2026-03-02T09:00:00Z")


@pytest.mark.parametrize("count", [900, 999, 1000])
def test_publish__a_success_that_could_not_be_taken_back_is_not_written(hub: FakeHub, count: int) -> None:
    fill(hub, OVERALL, count)
    with pytest.raises(GitHubError, match=f"{count} of the 1000 statuses that a commit takes of phase-gate are used"):
        run(hub)
    assert (OVERALL, "success") not in written(hub)
    assert states(hub)[OVERALL] == ("error" if count < 1000 else "pending")


def test_publish__a_success_is_written_where_other_contexts_have_many(hub: FakeHub) -> None:
    fill(hub, "ci/unit", 1000)
    fill(hub, OVERALL, 899)
    assert run(hub).report.state is State.SUCCESS
    assert states(hub)[OVERALL] == "success"


def test_publish__bad_news_that_github_takes_no_more_fails_and_says_so(hub: FakeHub) -> None:
    fill(hub, OVERALL, 1000, "success")
    hub.add_comment({"login": "ana", "id": 21, "type": "User"}, verdict("judge", "FAIL"))
    with pytest.raises(GitHubError) as caught:
        run(hub)
    assert "422: Validation Failed: This SHA and context has reached the maximum" in str(caught.value)
    assert "takes 1000 statuses of a context: if it has, push another commit" in str(caught.value)
    assert str(caught.value).endswith("what phase-gate says there, if anything, is old")


def test_publish__a_look_that_tells_of_another_commit_proves_nothing(hub: FakeHub) -> None:
    prepared = edition(hub, lines(*GREEN))
    client = client_of(hub)
    told = wave(client, prepared.sight.look.reads(client))["look"]
    told["repository"]["judged"]["oid"] = commit("else")
    hub.fail("POST /graphql", containing="query Look", kind="wrong_type", data={"data": told}, times=None)
    with pytest.raises(MovedError, match="another commit"):
        publish(client_of(hub), PLACE, prepared)
    assert OVERALL not in states(hub)


def test_run__an_answer_about_another_pull_request_is_an_error(hub: FakeHub) -> None:
    client = client_of(hub)
    told = client.graphql("PullRequest", PULL_REQUEST, ASKED)
    told["repository"]["pullRequest"]["number"] = 8
    hub.fail("POST /graphql", containing="query PullRequest", kind="wrong_type", data={"data": told}, times=None)
    with pytest.raises(GitHubError, match="answered with #8 instead of #7"):
        run(hub)


def test_publish__parts_that_stand_otherwise_keep_the_success_back(hub: FakeHub) -> None:
    prepared = edition(hub, lines(*GREEN), standing(lines(*GREEN)[:3]))  # which is not so, or no longer
    with pytest.raises(MovedError, match="phase-gate/plan was written as success, and something else stands there"):
        publish(client_of(hub), PLACE, prepared)
    assert OVERALL not in states(hub)


def test_publish__machines_that_lag_behind_are_waited_for(hub: FakeHub) -> None:
    sleepless, prepared = Sleepless(), edition(hub, lines(*GREEN))
    hub.fail("POST /graphql", containing="query Look", kind="no_contexts")
    assert publish(client_of(hub, sleepless), PLACE, prepared) == 4
    assert sleepless.waited == [1.0]


@pytest.mark.parametrize("rest", [State.SUCCESS, State.PENDING])
def test_publish__looks_again_before_a_success_and_after_bad_news(hub: FakeHub, rest: State) -> None:
    prepared = edition(hub, lines(State.SUCCESS, rest, rest, rest))
    objects(hub)
    with pytest.raises(MovedError):
        publish(client_of(hub), PLACE, prepared)
    assert (OVERALL in states(hub)) == (rest is State.PENDING)


def test_statuses_on__more_than_a_page(hub: FakeHub) -> None:
    hub.state.statuses[HEAD] = [
        {"id": n, "context": f"ci/{n}", "state": "success", "at": "2026-03-02T09:00:00Z"} for n in range(150)
    ]
    run(hub)
    assert len(statuses_on(client_of(hub), PLACE)) == 154
    hub.written.clear()
    assert run(hub).written == 0


@pytest.mark.parametrize("failed", [False, True])
def test_run__a_second_time_writes_nothing(*, failed: bool) -> None:
    world = passing()
    if failed:
        world.judges("judge", "FAIL")
    with FakeHub(world.snapshot()) as hub:
        assert run(hub).written == 4
        hub.written.clear()
        assert run(hub).written == 0
        assert hub.written == []


def test_run__writes_again_what_somebody_else_wrote_over(hub: FakeHub) -> None:
    run(hub)
    client_of(hub).post(STATUSES, {"state": "success", "context": "Phase-Gate/QA", "description": "trust me"})
    hub.written.clear()
    assert run(hub).written == 1
    assert written(hub) == [("phase-gate/qa", "success")]


def test_run__links_to_its_own_log(hub: FakeHub) -> None:
    url = "https://github.com/octo/shop/actions/runs/1"
    decide_and_publish(client_of(hub), TARGET, url)
    assert {each["body"]["target_url"].partition("#")[0] for each in hub.written} == {url}


def test_run__what_cannot_be_decided_leaves_no_success_behind(hub: FakeHub) -> None:
    run(hub)
    hub.fail("GET /repos/octo/shop/activity*", kind="status", status=500, times=None)
    with pytest.raises(GitHubError):
        run(hub)
    assert states(hub)[OVERALL] == "error"
    hub.written.clear()
    with pytest.raises(GitHubError):
        run(hub)
    assert hub.written == []  # it says so already


def test_run__a_pull_request_that_never_rests_is_an_error(hub: FakeHub) -> None:
    for number in range(1, 200):
        hub.at_request(number, objects)
    with pytest.raises(GitHubError, match="changed 3 times"):
        run(hub)
    assert states(hub)[OVERALL] == "error"


def test_run__a_fail_that_arrives_with_the_last_write_is_heard(hub: FakeHub) -> None:
    def object_to_it(each: FakeHub) -> None:
        each.add_comment({"login": "ana", "id": 21, "type": "User"}, verdict("judge", "FAIL"))

    with FakeHub(passing().snapshot()) as rehearsal:
        run(rehearsal)
    last = next(each.number for each in reversed(rehearsal.requests) if "/statuses/" in each.path)
    hub.at_request(last, object_to_it)
    assert run(hub).report.state is State.FAILURE
    assert states(hub)[OVERALL] == "failure"


def test_withdraw__is_written_once(hub: FakeHub) -> None:
    for _ in range(2):
        withdraw(client_of(hub), PLACE, OVERALL, "Could not decide: GitHub is down")
    assert written(hub) == [(OVERALL, "error")]


def test_say_undecided__tells_whether_it_could(hub: FakeHub) -> None:
    assert say_undecided(client_of(hub), TARGET, "x" * 500, None)
    assert len(hub.written[0]["body"]["description"]) <= 140
    hub.fail("*", kind="status", status=401, times=None)
    assert not say_undecided(client_of(hub), TARGET, "why", None)


@pytest.mark.parametrize("unread", ["GET */pulls/7", "GET */status*", "GET *"])
def test_run__a_success_is_withdrawn_though_nothing_more_can_be_read(hub: FakeHub, unread: str) -> None:
    run(hub)
    hub.fail("GET */activity*", kind="status", status=401, times=None)
    hub.fail(unread, kind="status", status=401, times=None)
    with pytest.raises(GitHubError):
        run(hub)
    assert states(hub)[OVERALL] == "error"


def test_run__a_success_of_its_own_is_withdrawn_though_github_tells_of_what_stood_before_it(hub: FakeHub) -> None:
    def refused(request: Request) -> bool:
        return "query Look" in request.text and (not hub.written or written(hub)[-1] == (OVERALL, "success"))

    hub.fail(refused, kind="status", status=401, times=None)
    with pytest.raises(GitHubError):
        run(hub)
    assert states(hub) == {OVERALL: "error"}
    hub.state.unaware = True
    with pytest.raises(GitHubError):
        run(hub)
    assert written(hub)[-2:] == [(OVERALL, "success"), (OVERALL, "error")]


def test_run__a_success_is_withdrawn_where_only_the_event_tells_the_head(hub: FakeHub) -> None:
    run(hub)
    for unread in ("POST /graphql", "GET *"):
        hub.fail(unread, kind="status", status=401, times=None)
    with pytest.raises(GitHubError):
        decide_and_publish(client_of(hub), TARGET, None, head=HEAD)
    assert states(hub)[OVERALL] == "error"


@pytest.mark.parametrize(("text", "plain", "overall"), [
    ("Ready \U0001f680 to merge", "Ready ? to merge", State.SUCCESS),
    ("Zo\u00eb\u2019s PASS \u2014 n\u00e4her\u2026", "Zoe's PASS - naher.", State.SUCCESS),
    ("Zo\u00eb\u2019s PASS \u2014 n\u00e4her\u2026", "Zoe's PASS - naher.", State.PENDING),
])  # fmt: skip
def test_publish__a_refused_description_is_plain_letters(hub: FakeHub, text: str, plain: str, overall: State) -> None:
    def not_ascii(request: Request) -> bool:
        return isinstance(request.body, dict) and not str(request.body.get("description", "")).isascii()

    if "?" not in plain:  # what is beyond sixteen bits is left out before it is sent
        hub.fail(not_ascii, kind="status", status=422, times=None)
    of = lines(*GREEN[:3], overall, description=text)
    assert sent(hub, of) == 4
    assert {each["description"] for each in hub.latest_statuses().values()} == {plain}
    if "?" not in plain and overall is State.SUCCESS:  # a refused success is an attempt like any other
        assert "".join(each for each in kinds(hub) if each in "LS").endswith("LSLSL")
    assert sent(hub, of, standing(lines(*GREEN[:3], overall, description=plain))) == 0


def test_publish__writes_not_all_at_once(hub: FakeHub) -> None:
    hub.fail("POST *", times=None, kind="slow", piece=400, pause=0.05)
    sent(hub, lines(*GREEN[:3], State.PENDING))
    writes = [each for each in hub.requests if "/statuses/" in each.path]
    for write in writes:
        beside = [
            each for each in writes if each.started < (write.ended or 0.0) and (each.ended or 0.0) > write.started
        ]
        assert len(beside) <= 3  # two at a time, and one that has just ended


@pytest.mark.parametrize("author", ["dependabot[bot]", None])
def test_run__a_read_only_token_is_explained(author: str | None) -> None:
    snapshot = passing().snapshot()
    if author is not None:
        snapshot["pull_request"]["author"] = {"login": author, "id": 49699333, "type": "Bot"}
    with FakeHub(snapshot, lacking=["statuses: write"]) as hub, pytest.raises(GitHubError) as caught:
        run(hub)
    why = ". Runs that Dependabot starts may have a read-only token"
    assert "Add to permissions in the workflow: statuses=write" in str(caught.value)
    assert (f"statuses=write{why}" in str(caught.value)) == (author is not None)


@pytest.mark.parametrize("resource", ["core", "graphql"])
@pytest.mark.parametrize("left", [0, 3, 20])
def test_run__a_success_that_the_budget_cannot_confirm_is_withdrawn(hub: FakeHub, resource: str, left: int) -> None:
    run(hub)
    objects(hub)
    hub.budgets[resource] = left if resource == "graphql" else left + 6
    with pytest.raises(GitHubError):
        run(hub)
    told = hub.latest_statuses()[OVERALL]
    assert told["state"] == "error"
    assert " until " in told["description"]
    assert "UTC" in told["description"]


def test_run__a_budget_that_is_filled_up_soon_is_waited_for(hub: FakeHub) -> None:
    hub.budgets["core"] = 10
    hub.filled_up_in = 20.0
    waited: list[float] = []

    def sleep(seconds: float) -> None:
        waited.append(seconds)
        hub.budgets["core"] = 1000

    def after(now: Callable[[], float]) -> Callable[[], float]:
        return lambda: now() + max(waited, default=0.0)

    clock = Clock(monotonic=after(time.monotonic), epoch=after(time.time), sleep=sleep)
    client = Client(Server(rest=hub.url, graphql=hub.graphql_url, token=hub.token), clock, 80.0)
    assert decide_and_publish(client, TARGET, None).report.state is State.SUCCESS
    assert 10 <= max(waited) <= 20
