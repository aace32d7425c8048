"""Stands in for rpds-py in a release, which carries nothing compiled: as much of it as referencing and jsonschema use.

A map, a set and a list that never change: whoever adds to one gets another. They are small where they are used here, so
maps and sets are copied; a list shares its tail. Only a release puts this file where it is found as ``rpds``.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from collections.abc import Set as AbstractSet
from typing import Any, Generic, NoReturn, TypeVar, cast

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

    def __init__(self, value: Any = None, **more: Any) -> None:  # noqa: ANN401  (a map, pairs, or nothing)
        self._held: dict[K, V] = dict(() if value is None else _pairs(value), **more)

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

    def __reduce__(self) -> tuple[type, tuple[list[tuple[K, V]]]]:
        return HashTrieMap, (list(self._held.items()),)

    def get(self, key: K, default: T | None = None) -> V | T | None:
        """The value of a key, or what is given in its place."""
        return self._held.get(key, default)

    def keys(self) -> KeysView[K]:
        """The keys."""
        return self._held.keys()

    def values(self) -> ValuesView[V]:
        """The values."""
        return self._held.values()

    def items(self) -> ItemsView[K, V]:
        """The pairs."""
        return self._held.items()

    def insert(self, key: K, value: V) -> HashTrieMap[K, V]:
        """Another map, with this value under this key."""
        return _map({**self._held, key: value})

    def remove(self, key: K) -> HashTrieMap[K, V]:
        """Another map without a key, which must be there."""
        held = dict(self._held)
        del held[key]
        return _map(held)

    def discard(self, key: K) -> HashTrieMap[K, V]:
        """Another map without a key."""
        return self.remove(key) if key in self._held else self

    def update(self, *others: Any, **more: Any) -> HashTrieMap[K, V]:  # noqa: ANN401  (maps or pairs)
        """Another map, with what is in the others too; of two values for a key the last counts."""
        held = dict(self._held)
        for other in others:
            held.update(_pairs(other))
        held.update(cast("dict[K, V]", more))
        return _map(held)


def _pairs(value: Any) -> Any:  # noqa: ANN401  (a map or pairs)
    return value._held if isinstance(value, HashTrieMap) else value  # noqa: SLF001 - of this module


def _map(held: dict[K, V]) -> HashTrieMap[K, V]:
    made: HashTrieMap[K, V] = HashTrieMap.__new__(HashTrieMap)
    made._held = held  # noqa: SLF001 - of this module
    return made


class HashTrieSet(_Frozen, Generic[T]):
    """A set."""

    __slots__ = ("_held",)

    def __init__(self, value: Iterable[T] | None = None) -> None:
        self._held: frozenset[T] = frozenset(() if value is None else value)

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

    def __reduce__(self) -> tuple[type, tuple[list[T]]]:
        return HashTrieSet, (list(self._held),)

    def insert(self, item: T) -> HashTrieSet[T]:
        """Another set, with this item."""
        return HashTrieSet(self._held | {item})

    def remove(self, item: T) -> HashTrieSet[T]:
        """Another set without an item, which must be there."""
        if item not in self._held:
            raise KeyError(item)
        return self.discard(item)

    def discard(self, item: T) -> HashTrieSet[T]:
        """Another set without an item."""
        return HashTrieSet(self._held - {item})

    def update(self, *others: Iterable[T]) -> HashTrieSet[T]:
        """Another set, with what is in the others too."""
        return HashTrieSet(self._held.union(*others))

    def union(self, other: Iterable[T]) -> HashTrieSet[T]:
        """Another set, with what is in the other too."""
        return self.update(other)


class List(_Frozen, Generic[T]):
    """A list that grows at its front."""

    __slots__ = ("_cell",)

    def __init__(self, *items: Any) -> None:  # noqa: ANN401  (the items, or one thing that holds them)
        cell: tuple[T, Any] | None = None
        for item in reversed(items[0] if len(items) == 1 else items):
            cell = (item, cell)
        self._cell = cell

    def __iter__(self) -> Iterator[T]:
        cell = self._cell
        while cell is not None:
            item, cell = cell
            yield item

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return self._cell is not None

    def __reversed__(self) -> Iterator[T]:
        return reversed(list(self))

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, List) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"List([{', '.join(map(repr, self))}])"

    def __reduce__(self) -> tuple[type, tuple[list[T]]]:
        return List, (list(self),)

    @property
    def first(self) -> T:
        """The item at the front."""
        return self._front()[0]

    @property
    def rest(self) -> List[T]:
        """All but the first; of nothing, nothing."""
        return self.drop_first() if self else self

    def drop_first(self) -> List[T]:
        """All but the first, which must be there."""
        return _list(self._front()[1])

    def push_front(self, item: T) -> List[T]:
        """Another list, with this item before the others."""
        return _list((item, self._cell))

    def _front(self) -> tuple[T, Any]:
        if self._cell is None:
            raise IndexError("empty list has no first element")
        return self._cell


def _list(cell: tuple[T, Any] | None) -> List[T]:
    made: List[T] = List.__new__(List)
    made._cell = cell  # noqa: SLF001 - of this module
    return made


Mapping.register(HashTrieMap)
AbstractSet.register(HashTrieSet)
