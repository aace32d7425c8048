"""Stands in for rpds-py in a release, which carries nothing compiled: as much of it as referencing and jsonschema use.

A map, a set and a list that are not changed: whoever adds to one gets another. They are small where they are used here,
so each is a copy. Only a release puts this file where it is found as ``rpds``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn, TypeVar

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")
FIX = "Add it to scripts/stand_in/rpds.py with a test against the real one, and make the release anew"


def __getattr__(name: str) -> NoReturn:
    """Say what is missing; questions that Python itself asks of every module get Python's answer."""
    if name.startswith("__"):
        raise AttributeError(name)
    raise ImportError(f"rpds.{name} is asked for, and the stand-in for rpds-py does not have it. {FIX}")


class HashTrieMap(dict[K, V]):
    """A map; equal maps have equal hashes, as far as their values have any."""

    @classmethod
    def convert(cls, value: Any) -> HashTrieMap[K, V]:  # noqa: ANN401  (whatever can be made into one)
        """The same if it is one already."""
        return value if isinstance(value, cls) else cls(value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HashTrieMap) and dict.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __repr__(self) -> str:
        return f"HashTrieMap({dict(self)!r})"

    def insert(self, key: K, value: V) -> HashTrieMap[K, V]:
        """Another map, with this value under this key."""
        return HashTrieMap({**self, key: value})

    def remove(self, key: K) -> HashTrieMap[K, V]:
        """Another map without a key, which must be there."""
        held = HashTrieMap(self)
        del held[key]
        return held

    def update(self, other: Any) -> HashTrieMap[K, V]:  # type: ignore[override]  # noqa: ANN401  (a map or pairs)
        """Another map, with what is in the other too; of two values for a key that of the other counts."""
        return HashTrieMap({**self, **dict(other)})


class HashTrieSet(frozenset[T]):
    """A set."""

    def insert(self, item: T) -> HashTrieSet[T]:
        """Another set, with this item."""
        return HashTrieSet(self | {item})

    def discard(self, item: T) -> HashTrieSet[T]:
        """Another set without an item."""
        return HashTrieSet(self - {item})

    def update(self, other: Iterable[T]) -> HashTrieSet[T]:
        """Another set, with what is in the other too."""
        return HashTrieSet(self.union(other))


class List(tuple[T, ...]):
    """A list that grows at its front."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"List({list(self)!r})"

    def push_front(self, item: T) -> List[T]:
        """Another list, with this item before the others."""
        return List((item, *self))
