"""Tasks side by side, in threads that keep nobody from ending."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from queue import Empty, SimpleQueue
from typing import TypeVar

# GitHub allows a hundred at once to all who share a token.
SIDE_BY_SIDE = 32
K = TypeVar("K")
T = TypeVar("T")


class _Worker(threading.Thread):
    """A thread that is left behind when the program ends, whatever connection it hangs on."""

    def __init__(self, work: Callable[[], None]) -> None:
        super().__init__(target=work, daemon=True)


def is_beside() -> bool:
    """Whether the caller is one of the tasks."""
    return isinstance(threading.current_thread(), _Worker)


def run_side_by_side(tasks: Mapping[K, Callable[[], T]], left: Callable[[], float]) -> dict[K, T]:
    """The results, or the first failure as soon as there is one; ``left`` tells the seconds left, or raises."""
    waiting = deque(tasks.items())
    done: SimpleQueue[tuple[K, T] | BaseException] = SimpleQueue()
    for _ in range(min(SIDE_BY_SIDE, len(tasks))):
        _Worker(partial(_work, waiting, done)).start()
    try:
        found = _gathered(len(tasks), done, left)
    finally:
        waiting.clear()
    return {key: found[key] for key in tasks}


def _gathered(count: int, done: SimpleQueue[tuple[K, T] | BaseException], left: Callable[[], float]) -> dict[K, T]:
    found: dict[K, T] = {}
    while len(found) < count:
        try:
            result = done.get(timeout=left())
        except Empty:
            continue
        if isinstance(result, BaseException):
            raise result
        found[result[0]] = result[1]
    return found


def _work(waiting: deque[tuple[K, Callable[[], T]]], done: SimpleQueue[tuple[K, T] | BaseException]) -> None:
    while True:
        try:
            key, task = waiting.popleft()
        except IndexError:
            return
        try:
            done.put((key, task()))
        except BaseException as failure:  # noqa: BLE001  (raised again where the result is awaited)
            done.put(failure)
