"""Patterns of paths: ``*`` and ``?`` in a folder, ``**`` across folders; a folder stands for all that is in it.

A pattern without a slash matches at any depth. Matching takes no more steps than pattern and path are long, multiplied.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
ACROSS = "**"


def matches_any(path: str, patterns: tuple[str, ...]) -> bool:
    """Whether a path is matched by one of the patterns."""
    return any(matches(path, pattern) for pattern in patterns)


def matches(path: str, pattern: str) -> bool:
    """Whether a path, or a folder that it is in, is matched by a pattern."""
    plain = pattern.removeprefix("./").strip("/")
    parts = plain.split("/")
    rooted = parts if "/" in pattern.rstrip("/") else [ACROSS, *parts]
    folders = path.split("/")
    return any(_match(folders[:depth], rooted, ACROSS, _segment) for depth in range(len(folders), 0, -1))


def _segment(name: str, pattern: str) -> bool:
    return _match(name, pattern, "*", _letter)


def _letter(letter: str, pattern: str) -> bool:
    return pattern in ("?", letter)


def _match(items: Sequence[T], pattern: Sequence[T], many: T, one: Callable[[T, T], bool]) -> bool:
    """Whether a pattern fits items; ``many`` stands for any number of them, and on a misfit the last one takes more."""
    item = place = 0
    star, resume = -1, 0
    while item < len(items):
        if place < len(pattern) and pattern[place] == many:
            star, resume = place, item
            place += 1
        elif place < len(pattern) and one(items[item], pattern[place]):
            item += 1
            place += 1
        elif star >= 0:
            resume += 1
            item, place = resume, star + 1
        else:
            return False
    return all(rest == many for rest in pattern[place:])
