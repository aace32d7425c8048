"""Tasks side by side: all results in their order, the first failure at once, and no waiting beyond the time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

import pytest

from phasegate.github.client.answers import SIDE_BY_SIDE, Pending, is_beside

K = TypeVar("K")
T = TypeVar("T")


def run_side_by_side(tasks: Mapping[K, Callable[[], T]], left: Callable[[], float]) -> dict[K, T]:
    return Pending(tasks, left).results()


def left() -> float:
    """More time than any test takes."""
    return 30.0


def test_run__gives_the_results_in_the_order_of_the_tasks() -> None:
    def task(number: int) -> int:
        time.sleep(0.01 * (5 - number))
        return number * 10

    found = run_side_by_side({number: partial(task, number) for number in range(5)}, left)
    assert list(found.items()) == [(0, 0), (1, 10), (2, 20), (3, 30), (4, 40)]


def test_run__all_run_at_once_and_more_than_fit_get_their_turn() -> None:
    barrier = threading.Barrier(SIDE_BY_SIDE, timeout=10)
    found = run_side_by_side(dict.fromkeys(range(SIDE_BY_SIDE), barrier.wait), left)
    assert sorted(found.values()) == list(range(SIDE_BY_SIDE))
    more = run_side_by_side({number: partial(abs, -number) for number in range(5 * SIDE_BY_SIDE)}, left)
    assert list(more.values()) == list(range(5 * SIDE_BY_SIDE))
    assert run_side_by_side({}, left) == {}


@pytest.mark.parametrize("failure", [ZeroDivisionError, KeyboardInterrupt])
def test_run__the_first_failure_ends_it_while_others_still_hang(failure: type[BaseException]) -> None:
    hanging, started = threading.Event(), threading.Event()

    def hang() -> None:
        started.set()
        hanging.wait(20)

    def fail() -> None:
        assert started.wait(10)
        raise failure

    began = time.monotonic()
    with pytest.raises(failure):
        run_side_by_side({"hangs": hang, "fails": fail}, left)
    assert time.monotonic() - began < 10
    hanging.set()


def test_run__what_has_not_begun_does_not_begin_after_a_failure() -> None:
    begun, failed = [], threading.Event()

    def fail() -> None:
        raise ZeroDivisionError

    def late(number: int) -> None:
        failed.wait(10)
        begun.append(number)

    tasks: dict[int, Callable[[], object]] = {
        0: fail,
        **{number: partial(late, number) for number in range(1, 10 * SIDE_BY_SIDE)},
    }
    with pytest.raises(ZeroDivisionError):
        run_side_by_side(tasks, left)
    failed.set()
    assert len(begun) <= SIDE_BY_SIDE


def test_run__ends_when_the_time_is_over_whatever_hangs() -> None:
    hanging = threading.Event()
    ends = time.monotonic() + 0.1

    def runs_out() -> float:
        remaining = ends - time.monotonic()
        if remaining <= 0:
            raise TimeoutError
        return remaining

    with pytest.raises(TimeoutError):
        run_side_by_side({0: partial(hanging.wait, 20)}, runs_out)
    hanging.set()


def test_run__leaves_no_thread_that_keeps_the_program_from_ending() -> None:
    found = run_side_by_side({0: lambda: (threading.current_thread().daemon, is_beside())}, left)
    assert found == {0: (True, True)}
    assert not is_beside()
