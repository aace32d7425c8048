"""Races: whatever changes while a run is under way, and whenever a run dies, no success is left that does not hold.

A change after the run's last look is the business of the next run, which every change starts.
"""

from __future__ import annotations

import contextlib
import random
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any

import pytest

from phasegate.cli.terminal import INTERRUPTED
from phasegate.github.client.answers import GitHubError
from phasegate.github.record import CONTEXT, SPARE
from tests.casebook.world import PEOPLE, World, commit, verdict
from tests.fakehub import FakeHub
from tests.fakehub.ledger import Request
from tests.fakehub.state import completed, completed_issue
from tests.integration.runs import OVERALL, edited, moved, passing, program, read, run, states, word

JSON = dict[str, Any]
Change = Callable[[FakeHub], object]
EDITED = "2026-03-02T14:00:00Z"
MOST_REQUESTS = 300
LOTS = 4
OFTEN = 3


def fails_it(hub: FakeHub) -> None:
    hub.add_comment(PEOPLE["ben"], verdict("judge", "FAIL"))


def edits_to_fail(hub: FakeHub) -> None:
    edited(word(hub, "jkz:judge"), verdict("judge", "FAIL"), at=EDITED)


def deletes_a_verdict(hub: FakeHub) -> None:
    hub.delete_comment(word(hub, "jkz:inspector"), PEOPLE["mona"])


def loses_its_label(hub: FakeHub) -> None:
    issue = hub.snapshot["issues"][0]
    issue["labels"].remove("bug")
    issue["label_events"].append({"name": "bug", "action": "removed", "at": EDITED, "actor": PEOPLE["mona"]})


def loses_the_plans_approval(hub: FakeHub) -> None:
    """The approval on the issue is deleted; nothing happens to the pull request itself."""
    issue = hub.snapshot["issues"][0]
    said = issue["comments"].pop()
    issue["deleted_comments"].append({"at": EDITED, "actor": PEOPLE["mona"], "author": said["author"]})


def gets_another_issue(hub: FakeHub) -> None:
    issue = completed_issue({**hub.snapshot["issues"][0], "number": 13, "comments": []})
    hub.snapshot["issues"].append({**issue, "url": issue["url"].replace("12", "13")})


def gets_another_base(hub: FakeHub) -> None:
    hub.snapshot["pull_request"]["base"]["ref"] = "next"
    change = {"at": hub.state.now(), "before": "main", "after": "next", "actor": PEOPLE["octo-dev"]}
    hub.snapshot["pull_request"]["base_changes"].append(change)


def is_tampered_with(hub: FakeHub) -> None:
    """Somebody edits the Judge's PASS, and restores it."""
    said = word(hub, "jkz:judge")
    edited(said, verdict("judge", "FAIL"), said["text"], at=hub.state.now(), by=PEOPLE["octo-dev"])


def is_swapped(hub: FakeHub) -> None:
    """A PASS is deleted and a remark added, so that there are as many comments as before."""
    deletes_a_verdict(hub)
    hub.add_comment(PEOPLE["eve"], "Nice.")


SIBLING = {"number": 8, "url": "https://github.com/octo/shop/pull/8", "base": "main"}
STRICTER = {
    "path": ".github/phase-gate.yml", "text": "version: 1\nphases: {build: {human_approval: true}}\n", "digest": None,
}  # fmt: skip
CHANGES: dict[str, tuple[Change, str]] = {
    "head moves": (lambda hub: hub.move_head(commit("later")), "pending"),
    "FAIL added": (fails_it, "failure"),
    "PASS edited to FAIL": (edits_to_fail, "failure"),
    "verdict deleted": (deletes_a_verdict, "pending"),
    "label changed": (loses_its_label, "pending"),
    "sibling opened": (lambda hub: hub.snapshot["siblings"].append({**SIBLING}), "pending"),
    "policy changed": (lambda hub: hub.snapshot.update(policy={**STRICTER}), "pending"),
    "closed": (lambda hub: hub.snapshot["pull_request"].update(state="closed"), "pending"),
    "approval on the issue deleted": (loses_the_plans_approval, "pending"),
    "another issue": (gets_another_issue, "pending"),
    "another base": (gets_another_base, "pending"),
    "tampered with": (is_tampered_with, "failure"),
    "deleted and added": (is_swapped, "pending"),
}


def bug() -> JSON:
    world = passing().label("bug")
    made = world.snapshot()
    made["comments"] = [each for each in made["comments"] if "judge" in each["text"] or "inspector" in each["text"]]
    return made


class Trap:
    """Lets something change right before one of the hub's answers; knows whether anybody looked since.

    A look is a request for the pull request itself, or whether it still is so.
    """

    def __init__(self, hub: FakeHub, act: Change, springs: Callable[[int, int], bool]) -> None:
        """``springs`` tells by the numbers of the request and of the look whether it is time."""
        self.act = act
        self.springs = springs
        self.looks = 0
        self.sprung = False
        self.seen = False
        for number in range(1, MOST_REQUESTS):
            hub.at_request(number, partial(self._arrives, number))

    def _arrives(self, number: int, hub: FakeHub) -> None:
        text = hub.requests[number - 1].text
        look = "query PullRequest" in text or "query Look" in text
        self.looks += look
        if not self.sprung and self.springs(number, self.looks if look else 0):
            self.sprung = True
            self.act(hub)
        self.seen = self.seen or (self.sprung and look)


@lru_cache(maxsize=1)
def requests_of_a_run() -> int:
    with FakeHub(bug()) as hub:
        assert run(hub).report.state.value == "success"
        return len(hub.requests)


@pytest.mark.sampled(3)  # of each change some lots, and not the same ones
@pytest.mark.parametrize(("change", "lot"), [(change, lot) for change in CHANGES for lot in range(LOTS)])
def test_change__at_every_request_leaves_no_success_that_does_not_hold(change: str, lot: int) -> None:
    act, expected = CHANGES[change]
    requests = requests_of_a_run()
    for at in range(1 + lot, requests + 1, LOTS):
        with FakeHub(bug()) as hub:
            trap = Trap(hub, act, lambda number, _, at=at: number == at)  # type: ignore[misc]
            run(hub)
            assert trap.sprung
            if not trap.seen:
                run(hub)  # that the change started
            assert states(hub)[OVERALL] == expected, f"changed at request {at} of {requests}"


@pytest.mark.parametrize("change", ["PASS edited to FAIL", "label changed", "sibling opened"])
def test_change__while_it_is_read_is_noticed(change: str) -> None:
    act, expected = CHANGES[change]
    with FakeHub(bug()) as hub:
        read(hub)
        requests = len(hub.requests)
    for at in range(1, requests + 1):
        with FakeHub(bug()) as hub:
            trap = Trap(hub, act, lambda number, _, at=at: number == at)  # type: ignore[misc]
            told = read(hub).report.state.value
            assert told == expected or (told == "success" and not trap.seen)


@pytest.mark.parametrize("change", ["FAIL added", "PASS edited to FAIL", "head moves"])
def test_change__together_with_a_failure_is_an_error_or_right(change: str) -> None:
    act, expected = CHANGES[change]
    for look in range(1, 5):
        with FakeHub(bug()) as hub:
            Trap(hub, act, lambda _, number, look=look: number == look)  # type: ignore[misc]
            hub.fail("POST /graphql", kind="reset", when="in_body", times=2)
            hub.fail("GET *", kind="status", status=502, times=3)
            try:
                run(hub)
            except GitHubError:
                assert states(hub)[OVERALL] == "error"
            else:
                assert states(hub)[OVERALL] == expected, f"changed at look {look}"


@contextlib.contextmanager
def started(hub: FakeHub, come_to: Callable[[], bool]) -> Iterator[subprocess.Popen[bytes]]:
    """The real program, once it has come so far."""
    command, environ = program(hub, "--publish")
    with subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        ends = time.monotonic() + 30
        while not come_to() and process.poll() is None and time.monotonic() < ends:
            time.sleep(0.005)
        yield process


def killed_at_write(hub: FakeHub, count: int) -> None:
    """The real program, killed as soon as so many statuses were written."""
    hub.fail(lambda _: len(hub.written) >= count, kind="silence", seconds=30, times=None)
    with started(hub, lambda: len(hub.written) >= count) as process:
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=10)
    assert process.returncode == -signal.SIGKILL
    hub._faults.clear()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("change", ["FAIL added", "head moves", None])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4])
def test_kill__after_every_write_the_next_run_makes_it_right(count: int, change: str | None) -> None:
    with FakeHub(bug()) as hub:
        killed_at_write(hub, count)
        old_head = hub.head
        expected = "success"
        if change is not None:
            act, expected = CHANGES[change]
            act(hub)
        run(hub)
        assert states(hub)[OVERALL] == expected
        assert len(states(hub)) == 4
        hub.written.clear()
        assert run(hub).written == 0
        if count < 4 and change == "head moves":
            assert OVERALL not in states(hub, old_head)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal")
def test_kill__leaves_no_success_behind_before_the_last_write() -> None:
    with FakeHub(bug()) as hub:
        killed_at_write(hub, 3)
        assert OVERALL not in states(hub)


def test_cancel__right_after_the_success_takes_it_back() -> None:
    """A runner tells the program first, and kills it seconds later."""
    with FakeHub(bug()) as hub:
        hub.fail(
            lambda each: states(hub).get(OVERALL) == "success" and "query Look" in each.text, kind="silence", seconds=30
        )
        with started(hub, lambda: states(hub).get(OVERALL) == "success") as process:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=60)
        assert hub.latest_statuses()[OVERALL]["description"] == "Could not decide: the run was cancelled"


def test_cancel__that_python_lost_takes_the_success_back_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(INTERRUPTED, "is_set", lambda: True)
    with FakeHub(bug()) as hub:
        with pytest.raises(KeyboardInterrupt):
            run(hub)
        assert hub.latest_statuses()[OVERALL]["description"] == "Could not decide: the run was cancelled"


def at_once(hub: FakeHub, delays: list[float]) -> list[int]:
    command, environ = program(hub, "--publish")
    processes = []
    for delay in delays:
        time.sleep(delay)
        processes.append(subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    return [process.wait(timeout=60) for process in processes]


@pytest.mark.seeds(4)
def test_two_at_once__leave_no_success_that_does_not_hold(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  (delays, no secrets)
    with FakeHub(bug(), latency=0.02) as hub:
        chosen = chance.randrange(1, 9)
        trap = Trap(hub, fails_it, lambda _, look: look == chosen)
        at_once(hub, [0.0, chance.uniform(0.0, 0.4)])
        assert states(hub)[OVERALL] in (("failure", "error") if trap.sprung else ("success",))


def two_beside_each_other(hub: FakeHub, chance: random.Random) -> None:
    """Two runs in threads of one process; that one of them gives up is allowed."""

    def one(delay: float) -> None:
        time.sleep(delay)
        with contextlib.suppress(GitHubError):
            run(hub)

    threads = [threading.Thread(target=one, args=(chance.uniform(0, 0.05),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive()


@pytest.mark.seeds(15)
def test_two_beside_each_other__leave_no_success_that_does_not_hold(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  (delays, no secrets)
    act, expected = CHANGES[chance.choice(["FAIL added", "PASS edited to FAIL", "label changed"])]
    with FakeHub(bug(), latency=chance.choice([0.0, 0.002, 0.01])) as hub:
        chosen = chance.randrange(1, 9)
        trap = Trap(hub, act, lambda _, look: look == chosen)
        two_beside_each_other(hub, chance)
        assert states(hub)[OVERALL] in ((expected, "error") if trap.sprung else ("success",))


def test_parts__that_another_run_wrote_meanwhile_are_read_anew_and_end_in_success() -> None:
    """The groups of concurrency of a pull request and of its issue differ, so that two runs at once are ordinary."""
    with FakeHub(bug()) as hub:
        told: list[str] = []

        def overwritten(request: Request) -> bool:
            if not told and hub.written and "query Look" in request.text:
                told.append(request.path)
                hub.add_status("phase-gate/build", "pending", description="an older run")
            return False

        hub.fail(overwritten, times=None)
        assert run(hub).report.state.value == "success"
        assert set(states(hub).values()) == {"success"}


def test_success__that_fails_and_stands_all_the_same_is_taken_back() -> None:
    with FakeHub(bug()) as hub:

        def landed(request: Request) -> bool:
            body = request.body if isinstance(request.body, dict) else {}
            if (body.get("context"), body.get("state")) != (OVERALL, "success"):
                return False
            fails_it(hub)
            return True

        hub.fail(landed, kind="reset", when="in_body")
        assert run(hub).report.state.value == "failure"
        assert states(hub)[OVERALL] == "failure"


def test_success__does_not_come_back_with_an_older_head() -> None:
    """Words change while another commit is the head: nobody would decide the one that was green before."""
    with FakeHub(bug()) as hub:
        old = run(hub).report.head
        hub.move_head(commit("later"))
        assert run(hub).report.state.value == "pending"
        assert hub.latest_statuses(old)[OVERALL]["state"] == "pending"
        assert "not the head of #7 any more" in hub.latest_statuses(old)[OVERALL]["description"]
        hub.written.clear()
        assert run(hub).written == 0
        assert hub.written == []
        hub.move_head(old, kind="force_push")
        assert run(hub).report.state.value == states(hub)[OVERALL] == "success"


def test_success__would_come_back_with_an_older_head_if_nobody_took_it_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("phasegate.github.reading.moves.left_green", lambda *_: ())
    with FakeHub(bug()) as hub:
        old = run(hub).report.head
        hub.move_head(commit("later"))
        run(hub)
        assert hub.latest_statuses(old)[OVERALL]["state"] == "success"


@pytest.mark.parametrize("why", ["another pull request stands there", "that was merged meanwhile"])
def test_success__on_an_older_head_stays_where(why: str) -> None:
    with FakeHub(bug()) as hub:
        old = run(hub).report.head
        other = completed({**hub.snapshot, "pull_request": {**hub.snapshot["pull_request"], "number": 8}})
        hub.move_head(commit("later"))
        if "merged" in why:
            hub.snapshot["pull_request"]["base"]["sha"] = old
        else:
            hub.state.snapshots.append(other)
        run(hub)
        assert hub.latest_statuses(old)[OVERALL]["state"] == "success"


@pytest.mark.parametrize("state", ["success", "pending"])
def test_status__of_somebody_else_with_our_words_is_not_ours(state: str) -> None:
    """Where the rules ask for ours alone, nothing else would ever satisfy them."""
    with FakeHub(bug() if state == "success" else World().snapshot()) as hub:
        run(hub)
        ours = hub.latest_statuses()
        hub.state.statuses[hub.head] = [{**each, "creator": PEOPLE["octo-dev"]} for each in ours.values()]
        assert run(hub).report.state.value == state
        assert {each["creator"]["login"] for each in hub.latest_statuses().values()} == {"github-actions[bot]"}


def test_list__that_lags_behind_a_push_is_waited_for() -> None:
    with FakeHub(bug()) as hub:
        hub.state.lagging = hub.head
        hub.move_head(commit("later"))
        asked: list[str] = []

        def catches_up(request: Request) -> bool:
            if "/pulls/7/files" in request.path:
                asked.append(request.path)
                hub.state.lagging = None if len(asked) > 1 else hub.state.lagging
            return False

        hub.fail(catches_up, times=None)
        assert run(hub).report.state.value == "pending"
        assert states(hub)[OVERALL] == "pending"


def seen_and_deleted(hub: FakeHub) -> None:
    """All that the record may stand in is full; a run sees a FAIL and cannot put it on record; it is deleted."""
    for context in (CONTEXT, *SPARE) * OFTEN:
        hub.add_status(context, "success", PEOPLE["octo-dev"], description="x")
    said = hub.add_comment(PEOPLE["ana"], verdict("judge", "FAIL"))
    with pytest.raises(GitHubError, match="422"):
        run(hub)
    hub.delete_comment(said, PEOPLE["octo-dev"])


def test_record__that_is_full_lets_nothing_pass_until_another_head_is_resumed(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("phasegate.github.record.MOST_STATUSES", "tests.fakehub.rest.statuses.MOST_OF_ONE_CONTEXT"):
        monkeypatch.setattr(limit, OFTEN)
    world = passing()
    with FakeHub(world.snapshot()) as hub:
        seen_and_deleted(hub)
        assert read(hub).report.phases[1].needs[-1].why.value == "record_full"
        world.push("b", "a")
        moved(hub, world)
        left = read(hub).report
        assert (left.state.value, left.phases[1].needs[-1].why.value) == ("failure", "unseen")


def all_pass(hub: FakeHub) -> None:
    for role in ("judge", "inspector", "sentinel", "lens"):
        hub.add_comment(PEOPLE["ana"], verdict(role))
    hub.add_comment(PEOPLE["mona"], "/gate approve qa")
    assert run(hub).report.state.value == "success"


def pushed_again(hub: FakeHub, times: int) -> None:
    for number in range(times):
        hub.move_head(commit(f"again {number}"))
        run(hub)


@pytest.mark.parametrize("pushes", [0, 5])
def test_record__what_a_human_resumed_stays_resumed_however_often_it_is_carried_on(pushes: int) -> None:
    with FakeHub(passing().snapshot()) as hub:
        said = hub.add_comment(PEOPLE["ana"], verdict("judge", "FAIL"))
        run(hub)
        hub.delete_comment(said, PEOPLE["octo-dev"])
        hub.add_comment(PEOPLE["mona"], "/gate resume build: it was for another pull request")
        pushed_again(hub, pushes)
        all_pass(hub)


@pytest.mark.parametrize("way", ["deleted", "edited"])
def test_record__a_round_that_was_resumed_does_not_escalate_again(way: str) -> None:
    with FakeHub(passing().snapshot()) as hub:
        for number in range(4):
            hub.move_head(commit(f"attempt {number}"))
            said = hub.add_comment(PEOPLE["ana"], verdict("judge", "FAIL"))
            run(hub)
            if way == "deleted":
                hub.delete_comment(said, PEOPLE["ana"])
        hub.add_comment(PEOPLE["mona"], "/gate resume build: the requirement was unclear")
        pushed_again(hub, 5)
        all_pass(hub)
