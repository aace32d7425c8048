"""Stands in for rpds-py in a release, which carries nothing compiled: as much of it as referencing and jsonschema use.

A map, a set and a list that never change: whoever adds to one gets another. They are small where they are used here, so
maps and sets are copied; a list shares its tail. Only a release puts this file where it is found as ``rpds``.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Generic, NoReturn, TypeVar

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")
FIX = "Add it to scripts/stand_in/rpds.py with a test against the real one, and make the release anew"


def __getattr__(name: str) -> NoReturn:
    """Say what is missing; questions that Python itself asks of every module get Python's answer."""
    if name.startswith("__"):
        raise AttributeError(name)
    raise ImportError(f"rpds.{name} is asked for, and the stand-in for rpds-py does not have it. {FIX}")


class _Frozen:
    """What all three say when they are asked for more than they have."""

    __slots__ = ()

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        asked = f"{type(self).__name__}.{name}"
        raise AttributeError(f"{asked} is asked for, and the stand-in for rpds-py does not have it. {FIX}")


class HashTrieMap(_Frozen, Generic[K, V]):
    """A map; equal maps have equal hashes, as far as their values have any."""

    __slots__ = ("_held",)

    def __init__(self, value: Any = ()) -> None:  # noqa: ANN401  (a map or pairs)
        self._held: dict[K, V] = dict(value)

    @classmethod
    def convert(cls, value: Any) -> HashTrieMap[K, V]:  # noqa: ANN401  (whatever can be made into one)
        """The same if it is one already."""
        return value if isinstance(value, cls) else cls(value)

    def __getitem__(self, key: K) -> V:
        return self._held[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    def __contains__(self, key: object) -> bool:
        return key in self._held

    def __eq__(self, other: object) -> bool:
        return self._held == other._held if isinstance(other, HashTrieMap) else NotImplemented

    def __hash__(self) -> int:
        return hash(frozenset(self._held.items()))

    def __repr__(self) -> str:
        return f"HashTrieMap({self._held!r})"

    def get(self, key: K, default: T | None = None) -> V | T | None:
        """The value of a key, or what is given in its place."""
        return self._held.get(key, default)

    def keys(self) -> KeysView[K]:
        """The keys."""
        return self._held.keys()

    def items(self) -> ItemsView[K, V]:
        """The pairs."""
        return self._held.items()

    def insert(self, key: K, value: V) -> HashTrieMap[K, V]:
        """Another map, with this value under this key."""
        return HashTrieMap({**self._held, key: value})

    def remove(self, key: K) -> HashTrieMap[K, V]:
        """Another map without a key, which must be there."""
        held = dict(self._held)
        del held[key]
        return HashTrieMap(held)

    def update(self, other: Any) -> HashTrieMap[K, V]:  # noqa: ANN401  (a map or pairs)
        """Another map, with what is in the other too; of two values for a key that of the other counts."""
        return HashTrieMap({**self._held, **dict(other)})


class HashTrieSet(_Frozen, Generic[T]):
    """A set."""

    __slots__ = ("_held",)

    def __init__(self, value: Iterable[T] = ()) -> None:
        self._held: frozenset[T] = frozenset(value)

    def __iter__(self) -> Iterator[T]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    def __contains__(self, item: object) -> bool:
        return item in self._held

    def __eq__(self, other: object) -> bool:
        held = other._held if isinstance(other, HashTrieSet) else other
        return self._held == held if isinstance(held, AbstractSet) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._held)

    def __repr__(self) -> str:
        return f"HashTrieSet({{{', '.join(map(repr, self._held))}}})"

    def insert(self, item: T) -> HashTrieSet[T]:
        """Another set, with this item."""
        return HashTrieSet(self._held | {item})

    def discard(self, item: T) -> HashTrieSet[T]:
        """Another set without an item."""
        return HashTrieSet(self._held - {item})

    def update(self, other: Iterable[T]) -> HashTrieSet[T]:
        """Another set, with what is in the other too."""
        return HashTrieSet(self._held.union(other))


class List(_Frozen, Generic[T]):
    """A list that grows at its front."""

    __slots__ = ("_cell",)

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._cell: tuple[T, Any] | None = None
        for item in reversed(list(items)):
            self._cell = (item, self._cell)

    def __iter__(self) -> Iterator[T]:
        cell = self._cell
        while cell is not None:
            item, cell = cell
            yield item

    def __bool__(self) -> bool:
        return self._cell is not None

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, List) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"List([{', '.join(map(repr, self))}])"

    def push_front(self, item: T) -> List[T]:
        """Another list, with this item before the others."""
        made: List[T] = List()
        made._cell = (item, self._cell)
        return made


Mapping.register(HashTrieMap)
AbstractSet.register(HashTrieSet)
