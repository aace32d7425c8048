"""``dataclass`` in the form that nearly all of the project uses, made quickly: most of a run is loading itself.

The standard decorator compiles half a dozen functions for each class, a millisecond in all; here all classes share
theirs, and only one of which very many instances are made gets an ``__init__`` of its own. Fields, slots and
inheritance are those of the standard library, and type checkers see nothing else.

Not supported, and refused when the class is made: ``__post_init__``, and fields with an ``init``, ``compare`` or
``hash`` of their own. Not supported either: ``copy`` and ``pickle``, ``InitVar``, and patterns that match by place.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from itertools import count
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn, cast

__all__ = ["dataclass", "late", "replace"]

_ABSENT = object()
OFTEN = 256  # instances; to compile an ``__init__`` takes as long as it saves when it makes so many

if TYPE_CHECKING:
    from dataclasses import dataclass, replace
else:

    def dataclass(*, frozen: bool, kw_only: bool, slots: bool) -> Callable[[type], type]:
        """As ``dataclasses.dataclass``, for frozen classes with slots whose fields are given by name."""
        if not (frozen and kw_only and slots):
            raise TypeError("only frozen data classes with slots and named fields are made here")
        return _made

    def replace(value: object, **changes: object) -> object:
        """As ``dataclasses.replace``, for the classes that are made here."""
        kind: Any = type(value)
        made = object.__new__(kind)
        for put, kept in zip(kind.__puts__.values(), kind.__values__(value), strict=True):
            put(made, kept)
        for name, changed in changes.items():
            if name not in kind.__puts__:
                made._complain({**dict.fromkeys(kind.__puts__), **changes})
            kind.__puts__[name](made, changed)
        return made


_bare = dataclasses.dataclass(init=False, repr=False, eq=False, match_args=False, kw_only=True, slots=True)


def _made(cls: type) -> type:
    """The class with fields and slots by the standard library, and the methods that all share."""
    made: Any = _bare(cls)
    fields = dataclasses.fields(made)
    _must_be_plain(made, fields)
    made.__names__ = {field.name: field for field in fields}
    made.__puts__ = {field.name: getattr(made, field.name).__set__ for field in fields}
    made.__values__ = _values_of(*made.__names__)
    made.__slots_of__ = tuple((field.name, made.__puts__[field.name], _default(field)) for field in fields)
    made.__count__ = count(1)
    made.__makers__ = {
        field.name: field.default_factory for field in fields if field.default_factory is not dataclasses.MISSING
    }
    for name, method in _METHODS.items():
        if name not in cls.__dict__:
            setattr(made, name, method)
    return made  # type: ignore[no-any-return]


def _values_of(*names: str) -> Callable[[object], tuple[object, ...]]:
    """What tells all values of an instance at once."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple(getattr(value, name) for name in names)


def _own_init(made: type[Any]) -> Callable[..., None]:
    """The same as the ``__init__`` that all share, written out for the fields of one class."""
    known = {f"put_{name}": put for name, put in made.__puts__.items()}
    known |= {f"default_{name}": default for name, _, default in made.__slots_of__}
    needed = {name for name, _, default in made.__slots_of__ if default is _ABSENT}
    given = (name if name in needed else f"{name}=default_{name}" for name in made.__names__)
    lines = (f" put_{name}(self, {name})" for name in made.__names__)
    exec("\n".join((f"def init(self, *, {', '.join(given)}):", *lines)), known)  # noqa: S102  (names of fields alone)
    return cast("Callable[..., None]", known["init"])


def _default(field: dataclasses.Field[object]) -> object:
    return _ABSENT if field.default is dataclasses.MISSING else field.default


def _must_be_plain(made: type, fields: tuple[dataclasses.Field[object], ...]) -> None:
    """Refuse what the shared methods would pass over."""
    if hasattr(made, "__post_init__"):
        raise TypeError(f"{made.__qualname__}: __post_init__ would not run; use the standard decorator")
    for field in fields:
        if (field.init, field.compare, field.hash) != (True, True, None):
            told = f"{made.__qualname__}.{field.name}: init, compare and hash of a field"
            raise TypeError(f"{told} would be ignored; use the standard decorator")


class _Methods:
    """The methods, as they are written; each class has them as its own."""

    __names__: dict[str, dataclasses.Field[object]]
    __slots_of__: tuple[tuple[str, Callable[[object, object], None], object], ...]
    __makers__: dict[str, Callable[[], object]]
    __count__: count[int]

    def __init__(self, **given: object) -> None:
        if self.__makers__:
            given = {**{name: make() for name, make in self.__makers__.items() if name not in given}, **given}
        elif self.__names__ and next(self.__count__) == OFTEN:
            type.__setattr__(type(self), "__init__", _own_init(type(self)))
        taken = 0
        for name, put, default in self.__slots_of__:
            if name in given:
                put(self, given[name])
                taken += 1
            elif default is _ABSENT:
                self._complain(given)
            else:
                put(self, default)
        if taken != len(given):
            self._complain(given)

    def _complain(self, given: dict[str, object]) -> NoReturn:
        needed = {name for name, _, default in self.__slots_of__ if default is _ABSENT}
        missing = [name for name in self.__names__ if name in needed and name not in given]
        unknown = [name for name in given if name not in self.__names__]
        named = (("missing", missing), ("unknown", unknown))
        wrong = "; ".join(f"{word} {', '.join(names)}" for word, names in named if names)
        raise TypeError(f"{type(self).__qualname__}: {wrong}")

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__names__)

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, name) for name in self.__names__))

    def __repr__(self) -> str:
        shown = (name for name, field in self.__names__.items() if field.repr)
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


_METHODS = {
    name: getattr(_Methods, name)
    for name in ("__init__", "_complain", "__eq__", "__hash__", "__repr__", "__setattr__", "__delattr__")
}


METHODS = ("fullmatch", "match", "search", "findall", "finditer", "split", "sub", "subn", "pattern", "flags")


class _Late:
    """Stands for a pattern until somebody asks something of it; from then on it costs no more than the pattern."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._told = (pattern, flags)

    def __getattr__(self, name: str) -> object:
        compiled = re.compile(*self._told)
        for method in METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def late(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """As ``re.compile``, but a wrong pattern is found out only when it is used."""
    return cast("re.Pattern[str]", _Late(pattern, flags))
