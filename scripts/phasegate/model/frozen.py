"""``dataclass`` in the form that nearly all of the project uses, made quickly: most of a run is loading itself.

The standard decorator compiles half a dozen functions for each class; here all classes share theirs, and an
``__init__`` is compiled for the first instance. Fields, slots and inheritance are those of the standard library, and
type checkers see nothing else. How much it saves is told in docs/decisions/0003.

Not supported, and refused when the class is made: ``__post_init__``, and fields with an ``init``, ``compare`` or
``hash`` of their own. Not supported either: ``copy`` and ``pickle``, ``InitVar``, and patterns that match by place.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, cast

__all__ = ["dataclass", "late", "replace"]

_ABSENT = object()

if TYPE_CHECKING:
    from dataclasses import dataclass, replace
else:

    def dataclass(*, frozen: bool, kw_only: bool, slots: bool) -> Callable[[type], type]:
        """As ``dataclasses.dataclass``, for frozen, keyword-only classes with slots."""
        if not (frozen and kw_only and slots):
            raise TypeError("only frozen data classes with slots and named fields are made here")
        return _made

    def replace(value: object, **changes: object) -> object:
        """As ``dataclasses.replace``, for classes made here."""
        return type(value)(**{**{name: getattr(value, name) for name in value.__fields__}, **changes})


_bare = dataclasses.dataclass(init=False, repr=False, eq=False, match_args=False, kw_only=True, slots=True)


def _made(cls: type) -> type:
    """The class with fields and slots by the standard library, and the shared methods."""
    made: Any = _bare(cls)
    made.__fields__ = {field.name: field for field in dataclasses.fields(made)}
    if hasattr(made, "__post_init__"):
        raise TypeError(f"{made.__qualname__}: __post_init__ would not run; use the standard decorator")
    for field in made.__fields__.values():
        if (field.init, field.compare, field.hash) != (True, True, None):
            told = f"{made.__qualname__}.{field.name}: init, compare and hash of a field"
            raise TypeError(f"{told} would be ignored; use the standard decorator")
    for name, method in vars(_Methods).items():
        if callable(method) and name not in cls.__dict__:
            setattr(made, name, method)
    return made  # type: ignore[no-any-return]


def _compiled_init(made: type[Any]) -> Callable[..., None]:
    """The ``__init__`` of one class, written out for its fields."""
    known: dict[str, Any] = {"absent": _ABSENT}
    given, lines = ["self", "*"] if made.__fields__ else ["self"], [" pass"]
    for name, field in made.__fields__.items():
        known[f"put_{name}"] = getattr(made, name).__set__
        known[f"default_{name}"] = field.default
        value = name
        if field.default_factory is not dataclasses.MISSING:
            known[f"make_{name}"], known[f"default_{name}"] = field.default_factory, _ABSENT
            value = f"make_{name}() if {name} is absent else {name}"
        needed = known[f"default_{name}"] is dataclasses.MISSING
        given.append(name if needed else f"{name}=default_{name}")
        lines.append(f" put_{name}(self, {value})")
    exec("\n".join((f"def __init__({', '.join(given)}):", *lines)), known)  # noqa: S102  (names of fields alone)
    return cast("Callable[..., None]", known["__init__"])


class _Methods:
    """The shared methods. Each class gets them as its own."""

    __fields__: dict[str, dataclasses.Field[object]]

    def __init__(self, **given: object) -> None:
        """Compiles the real ``__init__`` when the first instance of a class is made."""
        made: Any = type(self)
        made.__init__ = _compiled_init(made)
        made.__init__(self, **given)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__fields__)

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, name) for name in self.__fields__))

    def __repr__(self) -> str:
        shown = (name for name, field in self.__fields__.items() if field.repr)
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


METHODS = ("fullmatch", "match", "search", "findall", "finditer", "split", "sub", "subn", "pattern", "flags")


class _Late:
    """Stands in for a pattern until its first use, at no extra cost after that."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._told = (pattern, flags)

    def __getattr__(self, name: str) -> object:
        compiled = re.compile(*self._told)
        for method in METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def late(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """As ``re.compile``, but compiled at first use; a wrong pattern shows only then."""
    return cast("re.Pattern[str]", _Late(pattern, flags))
