"""Work side by side: tasks in threads that are left behind when the time is over, whatever they hang on."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

K = TypeVar("K")
T = TypeVar("T")
# GitHub allows a hundred at once to all who share a token.
SIDE_BY_SIDE = 32
Task = Callable[[], Any]


class _Worker(threading.Thread):
    """A thread that is left behind when the program ends, whatever connection it hangs on."""

    def __init__(self, work: Callable[[], None]) -> None:
        super().__init__(target=work, daemon=True)


def is_beside() -> bool:
    """Whether the caller is one of the tasks."""
    return isinstance(threading.current_thread(), _Worker)


class Pending(Generic[K, T]):
    """Tasks that are under way; ``left`` tells the seconds left for them, or raises."""

    def __init__(self, tasks: Mapping[K, Callable[[], T]], left: Callable[[], float]) -> None:
        self._keys = tuple(tasks)
        self._left = left
        self._waiting = deque(tasks.items())
        self._done: SimpleQueue[tuple[K, T] | BaseException] = SimpleQueue()
        self.so_far: dict[K, T] = {}
        for _ in range(min(SIDE_BY_SIDE, len(tasks))):
            _Worker(partial(_work, self._waiting, self._done)).start()

    def results(self) -> dict[K, T]:
        """The results in the order of the tasks, or the first failure as soon as there is one."""
        found = self.so_far
        try:
            while len(found) < len(self._keys):
                key, value = self._next()
                found[key] = value
        finally:
            self._waiting.clear()
        return {key: found[key] for key in self._keys}

    def _next(self) -> tuple[K, T]:
        while True:
            try:
                result = self._done.get(timeout=self._left())
            except Empty:
                continue
            if isinstance(result, BaseException):
                raise result
            return result


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
