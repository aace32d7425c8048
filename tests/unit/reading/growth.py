"""How the time of a function grows with its input, measured so that a busy machine does not change the answer."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

RUNS = 3
TRIES = 6
LINEAR = 2.5


def grows_linearly(function: Callable[[str], object], make: Callable[[int], str], size: int) -> bool:
    """Whether twice the size takes about twice as long, in one of several tries."""
    small, large = make(size), make(2 * size)
    gc.disable()
    try:
        return any(seconds(function, large) <= LINEAR * seconds(function, small) for _ in range(TRIES))
    finally:
        gc.enable()


def seconds(function: Callable[[str], object], text: str) -> float:
    """The processor time of the fastest of several runs."""
    return min(_once(function, text) for _ in range(RUNS))


def _once(function: Callable[[str], object], text: str) -> float:
    begin = time.process_time()
    function(text)
    return time.process_time() - begin
