"""Two runs and a change, in every order that makes a difference.

The steps of a run are: it reads, writes the parts, looks, writes the whole, looks. Steps of two runs that do not touch
the same thing may change places, so that of all orders one of each kind is tried. A run that starts over goes on from
there: at its next turn, or when the order is through.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import combinations
from typing import Any

import pytest

from phasegate.cli.live import decide_and_publish
from phasegate.github.client.answers import Attempt, GitHubError, Understood
from phasegate.github.client.client import Client, Server, _Request
from tests.casebook.world import PEOPLE, verdict
from tests.fakehub import FakeHub
from tests.integration.runs import OVERALL, SECONDS, TARGET, Sleepless, run, states
from tests.integration.test_races import bug, fails_it

JSON = dict[str, Any]
Step = tuple[str, str, int]
Order = tuple[Step, ...]
Change = Callable[[FakeHub], object]
READ, LOOK, PARTS, WHOLE = "read", "look", "parts", "whole"
STEPS = (READ, PARTS, LOOK, WHOLE, LOOK)
FIRST, SECOND, CHANGE = "first", "second", "change"
SWAPPED = {FIRST: SECOND, SECOND: FIRST, CHANGE: CHANGE}
READS = (READ, LOOK)
LOTS = 18
PATIENCE = 20.0


def depend(one: Step, other: Step) -> bool:
    """Whether it makes a difference which of two steps comes first."""
    if one[0] == other[0]:
        return True
    kinds = {one[1], other[1]}
    if CHANGE in kinds:
        return not kinds.isdisjoint(READS)
    reads = [each in READS for each in (one[1], other[1])]
    return any(reads) != all(reads) or (not any(reads) and len(kinds) == 1)


def normal(order: list[Step]) -> Order:
    """The first of all orders that differ from this one in nothing that makes a difference."""
    found: list[Step] = []
    while order:
        free = [step for n, step in enumerate(order) if not any(depend(step, before) for before in order[:n])]
        found.append(min(free))
        order.remove(found[-1])
    return tuple(found)


@lru_cache(maxsize=1)
def orders() -> list[Order]:
    """One of each kind; the runs are alike, so that it does not matter which of them is the first."""
    found: dict[Order, None] = {}
    places = range(2 * len(STEPS) + 1)
    for own in combinations(places, len(STEPS)):
        rest = [place for place in places if place not in own]
        for change in rest:
            others = iter([place for place in rest if place != change])
            told = {place: (FIRST, STEPS[n], n) for n, place in enumerate(own)} | {change: (CHANGE, CHANGE, 0)}
            told |= {place: (SECOND, STEPS[n], n) for n, place in enumerate(others)}
            order = [told[place] for place in places]
            swapped = [(SWAPPED[who], kind, n) for who, kind, n in order]
            found.setdefault(min(normal(order), normal(swapped)))
    return list(found)


class Gate:
    """Lets a run go on by one step at a time, until it is opened."""

    def __init__(self) -> None:
        self.moved = threading.Condition()
        self.waiting: list[str] = []
        self.under_way = 0
        self.allowed: str | None = None
        self.open = self.done = self.wrote = False

    @contextlib.contextmanager
    def passing(self, kind: str | None) -> Iterator[None]:
        """Wait for leave to do something; what is no step needs none, and all parts are one step.

        A look before anything is written belongs to reading.
        """
        with self.moved:
            if kind is not None and (kind != LOOK or self.wrote):
                self.waiting.append(kind)
                self.moved.notify_all()
                assert self.moved.wait_for(lambda: self.open or self.allowed == kind, 10 * PATIENCE)
                self.waiting.remove(kind)
                self.allowed = self.allowed if kind == PARTS else None
                self.wrote = kind != READ
            self.under_way += 1
            self.moved.notify_all()
        try:
            yield
        finally:
            with self.moved:
                self.under_way -= 1
                self.moved.notify_all()

    def step(self) -> None:
        """Let the run make its next step, and wait until it wants to make another one."""
        with self.moved:
            self._settle()
            if not self.done:
                self.allowed = min(self.waiting, key=(READ, PARTS, WHOLE, LOOK).index)
                self.moved.notify_all()
                assert self.moved.wait_for(lambda: self.allowed not in self.waiting or self.done, PATIENCE)
                self._settle()
                self.allowed = None

    def _settle(self) -> None:
        assert self.moved.wait_for(self._still, PATIENCE)

    def _still(self) -> bool:
        others = [kind for kind in self.waiting if kind != self.allowed]
        return self.done or (self.under_way == 0 and bool(others))

    def let_go(self, *, done: bool = False) -> None:
        """No more steps: it goes on to its end, or is there."""
        with self.moved:
            self.open, self.done = True, self.done or done
            self.moved.notify_all()


class Stepping(Client):
    """A client that asks a gate before it asks GitHub; what takes a success back at the end does not."""

    gate: Gate

    def _try(self, request: _Request, asked: Attempt) -> Understood:
        with self.gate.passing(kind_of(request)):
            return super()._try(request, asked)


def kind_of(request: _Request) -> str | None:
    body = request.body or {}
    if "/statuses/" in request.url and request.method == "POST":
        return WHOLE if body["context"] == OVERALL else PARTS
    query = str(body.get("query", ""))
    return READ if "query PullRequest" in query else LOOK if "query Look" in query else None


def begin(hub: FakeHub) -> tuple[Gate, threading.Thread]:
    """A run that stands before its first step; that it gives up is allowed."""
    gate = Gate()
    client = Stepping(Server(rest=hub.url, graphql=hub.graphql_url, token=hub.token), Sleepless().clock, SECONDS)
    client.gate = gate

    def one() -> None:
        try:
            with contextlib.suppress(GitHubError):
                decide_and_publish(client, TARGET, None)
        finally:
            gate.let_go(done=True)

    thread = threading.Thread(target=one, daemon=True)
    thread.start()
    return gate, thread


def follow(hub: FakeHub, order: Order, change: Change) -> bool:
    """Two runs in an order; whether one of them looked at the pull request after the change."""
    runs = {FIRST: begin(hub), SECOND: begin(hub)}
    changed = seen = False
    for who, kind, _ in order:
        if who == CHANGE:
            change(hub)
            changed = True
        else:
            seen = seen or (changed and kind in READS and not runs[who][0].done)
            runs[who][0].step()
    seen = seen or (changed and any(not gate.done for gate, _ in runs.values()))
    for gate, thread in runs.values():
        gate.let_go()
        thread.join(timeout=60)
        assert not thread.is_alive()
    return seen


@pytest.fixture(autouse=True)
def _turns_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two runs are two programs: neither waits for the other's turn to write."""
    monkeypatch.setattr("phasegate.github.writing.publish._turns", threading.BoundedSemaphore(20))


def confirms(hub: FakeHub) -> None:
    hub.add_comment(PEOPLE["ana"], verdict("inspector"))


def unconfirmed() -> JSON:
    made = bug()
    made["comments"] = [each for each in made["comments"] if "jkz:inspector" not in each["text"]]
    return made


def test_orders__are_all_that_make_a_difference() -> None:
    assert len(orders()) == 284
    assert {len(order) for order in orders()} == {2 * len(STEPS) + 1}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("lot", range(LOTS))
def test_two_runs__in_every_order_leave_no_success_that_a_change_has_made_wrong(lot: int) -> None:
    for order in orders()[lot::LOTS]:
        with FakeHub(bug()) as hub:
            seen = follow(hub, order, fails_it)
            left = states(hub)[OVERALL]
            assert left == "failure" or not seen, order
            run(hub)  # that the change started
            assert states(hub)[OVERALL] == "failure", order


@pytest.mark.sampled(10)
@pytest.mark.parametrize("lot", range(LOTS))
def test_two_runs__in_any_order_end_in_the_success_that_a_change_has_made_right(lot: int) -> None:
    """Bad news that is late is corrected by the run that brought it."""
    for order in orders()[lot::LOTS]:
        with FakeHub(unconfirmed()) as hub:
            seen = follow(hub, order, confirms)
            assert states(hub)[OVERALL] == "success" or not seen, order


def test_two_runs__without_another_look_some_order_would_leave_a_success(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("phasegate.github.reading.fingerprint.Sight.holds", lambda *_: True)
    left = []
    for order in orders()[::20]:
        with FakeHub(bug()) as hub:
            seen = follow(hub, order, fails_it)
            left.append(seen and states(hub)[OVERALL] == "success")
    assert any(left)


def nothing(hub: FakeHub) -> None:
    """Nobody changes anything."""


@pytest.mark.sampled(18)
@pytest.mark.parametrize("lot", range(LOTS))
def test_two_runs__that_nobody_disturbs_do_not_disturb_each_other(lot: int) -> None:
    for order in orders()[lot::LOTS]:
        with FakeHub(bug()) as hub:
            follow(hub, order, nothing)
            assert set(states(hub).values()) == {"success"}, order
