"""Keys that a format does not have: one slip away from a known key, or deciding and against a pass all the same.

A document's plain data comes in; the key that was meant, or the way to each contradiction, goes out.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache, lru_cache, partial
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from phasegate.model.frozen import late
from phasegate.model.plan import LOOK_ALIKE
from phasegate.reading.document import Json, JsonPath

_GAPS, _UNSEEN = late(r"[\s-]+"), late(r"[^a-z0-9_]")
_AS_LETTERS = str.maketrans("10", "lo")
Known: TypeAlias = Mapping[str, bool | None]  # whether a key holds a list or an object; None where it may
_SHORTEST = 5  # of a key that one letter may be wrong in: "text" is no misspelt "test"


def folded(word: str) -> str:
    """A key or a value as people read it: without case, width, spaces, what cannot be seen and look-alike letters."""
    plain = unicodedata.normalize("NFKC", word).strip().casefold().translate(LOOK_ALIKE)
    return _UNSEEN.sub("", _GAPS.sub("_", plain))


def _bare(word: str) -> str:
    return folded(word).replace("_", "").translate(_AS_LETTERS)


@cache
def _by_bare_name(words: frozenset[str], lists: frozenset[str]) -> dict[str, str]:
    one_of_them = {_bare(word).removesuffix("s"): word for word in sorted(lists)}
    return one_of_them | {_bare(word): word for word in sorted(words)}


def taken_for(key: str, words: frozenset[str], lists: frozenset[str] = frozenset()) -> str | None:
    """The known word that a person takes a key for: in other letters, or ``mustFix`` for ``must_fix``.

    Of ``lists`` also the name of one item.
    """
    return None if key in words else _by_bare_name(words, lists).get(_bare(key))


def slip_of(key: str, value: Json, known: Known) -> str | None:
    """The known key that an unknown one is a slip away from: other letters or separators, or one wrong letter.

    With one wrong letter the value must be of the same sort too: ``stats`` with an object is no misspelt ``status``.
    """
    if key in known:
        return None
    bare, words = _bare(key), _by_bare_name(frozenset(known), frozenset())
    if bare in words or len(bare) < _SHORTEST:
        return words.get(bare)
    sorts = (None, isinstance(value, (list, dict)))
    return next((word for name, word in words.items() if known[word] in sorts and _one_edit(bare, name)), None)


def holds_more(schemas: Iterable[Mapping[str, Json]]) -> bool | None:
    """Whether a value is a list or an object by its schemas; None where it may be."""
    told = [schema["type"] for schema in schemas if "type" in schema]
    types = {each for one in told for each in (one if isinstance(one, list) else [one])} - {"null"}
    more = types & {"array", "object"}
    return None if more and types - more else bool(more)


def _one_edit(one: str, other: str) -> bool:
    """True if one letter is missing, added, wrong or swapped with the next; a digit is never a slip."""
    if abs(len(one) - len(other)) > 1 or len(other) < _SHORTEST:
        return False
    start = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    one, other = one[start:], other[start:]
    if any(map(str.isdigit, one[:1] + other[:1])):
        return False
    swapped = one[:2] == other[1::-1] and one[2:] == other[2:]
    return swapped or one[1:] == other or one == other[1:] or one[1:] == other[1:]


_NOTHING = frozenset({"", "0", "no", "none", "nil", "null", "na", "nothing", "false"})
_FAILING = frozenset(
    {
        *("fail", "failed", "failing", "failure", "reject", "rejected", "changesrequested", "requestchanges"),
        *("blocked", "error", "errored", "cancelled", "canceled", "timedout", "timeout", "aborted", "crashed"),
        "notrun",
    }
)


def means_failure(value: Json) -> bool:
    """True if a value is a word for "has not passed", in whatever letters."""
    return isinstance(value, str) and _bare(value) in _FAILING


def is_some(value: Json) -> bool:
    """True if the value is non-empty: a count above zero, or a list, map or text that is not "none" or "0 of 41"."""
    if isinstance(value, str):
        first, _, rest = folded(value).partition("_")
        return first not in _NOTHING or bool(rest and first != "0")
    if isinstance(value, (list, dict)):
        return any(map(is_some, value.values() if isinstance(value, dict) else value))
    return bool(value)


def _ended_badly(value: Json) -> bool:
    """True if an exit code is another number than 0, also as text or as one of several."""
    if not isinstance(value, str):
        return is_some(value)
    digits = value.strip().lstrip("+-")
    return digits.isdecimal() and bool(digits.strip("0"))


DecidingKeys: TypeAlias = Mapping[str, Callable[[Json], bool]]


def deciding(*rows: tuple[Callable[[Json], bool], str]) -> DecidingKeys:
    """The keys of some rows, each with the test that its value fails the work."""
    return {_bare(key): test for test, keys in rows for key in keys.split()}


# The keys by which the formats that we know tell how work went, wherever they stand, and which values fail it.
FAILED = deciding(
    (means_failure, "verdict final_verdict actual_verdict result status outcome conclusion decision state"),
    (is_some, "failed failures failed_tests tests_failed errors blockers blocked_by must_fix critical_count"),
    (_ended_badly, "exit_code exit_status return_code returncode"),
    (lambda value: value is False, "passed success approved"),
)
# Those by which they tell that nothing was done: no pass, and no failure either.
UNDONE = deciding(
    (lambda value: value is True, "skipped incomplete"), (lambda value: value == 0, "ran executed passed tests_run")
)
NOT_PASSED: DecidingKeys = {**FAILED, **UNDONE}


def with_own(keys: DecidingKeys, own: Iterable[tuple[str, Callable[[Json], bool]]]) -> DecidingKeys:
    """Some deciding keys with others of a format's own; of a key in both either test fails the work."""
    found = dict(keys)
    for name, test in ((_bare(key), test) for key, test in own):
        found[name] = partial(_any_of, (found[name], test)) if name in found else test
    return found


def _any_of(tests: Iterable[Callable[[Json], bool]], value: Json) -> bool:
    return any(test(value) for test in tests)


def _told_one_by_one(value: Json, history: Collection[str]) -> list[Json]:
    """The members of a list, and the words of a map: how each of several ended."""
    words = value.items() if isinstance(value, dict) else ()
    told: list[Json] = [each for key, each in words if isinstance(each, str) and key not in history]
    return value if isinstance(value, list) else told


@lru_cache(maxsize=4096)
def _nearest(bare: str, names: frozenset[str]) -> str:
    """The one of some keys that a key is: in other letters, for one or for several, or with one later letter wrong.

    What stands before a word makes another one of it: ``xfailed`` is no misspelt ``failed``.
    """
    if bare in names or len(bare) < _SHORTEST:
        return bare
    like = sorted(names)
    several = (name for name in like if name in (f"{bare}s", bare.removesuffix("s")))
    return next(chain(several, (name for name in like if name[:1] == bare[0] and _one_edit(bare, name))), bare)


def contradictions(
    value: Json, keys: DecidingKeys, history: Collection[str] = (), path: JsonPath = ()
) -> Iterator[tuple[JsonPath, Json]]:
    """The way to every deciding key of a document whose value fails the work, at any depth, and that value.

    ``history`` are the keys below which a format keeps what was before.
    """
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in members:
        if step in history:
            continue
        way = (*path, step)
        test = keys.get(_nearest(_bare(step), frozenset(keys))) if isinstance(step, str) else None
        if test is not None and (test(inner) or any(map(test, _told_one_by_one(inner, history)))):
            yield way, inner
        else:
            yield from contradictions(inner, keys, history, way)


Data: TypeAlias = "dict[str, Any]"
Hit: TypeAlias = "tuple[Any, ...]"  # the way to a contradiction, and the words that its sentence takes


class Row(NamedTuple):
    """What a document says against itself: in which kinds, under which code, where, and how it is said."""

    kinds: tuple[str, ...]
    code: str
    hits: Callable[[Data], Iterable[Hit]]
    says: str


def at(*path: str | int) -> Callable[[Callable[[Data], object]], Callable[[Data], Iterable[Hit]]]:
    """A contradiction of the whole document that is told at one of its keys."""
    return lambda wrong: lambda data: [(path,)] if wrong(data) else []
