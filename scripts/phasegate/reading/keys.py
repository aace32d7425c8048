"""Keys that a format does not know: slips of known keys, and deciding keys that contradict a pass.

In: a document's plain data. Out: the key that was meant, or the path of each contradiction.
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
    """A key or value as people read it, without case, width, spaces, invisible signs and look-alike letters."""
    plain = unicodedata.normalize("NFKC", word).strip().casefold().translate(LOOK_ALIKE)
    return _UNSEEN.sub("", _GAPS.sub("_", plain))


def _bare(word: str) -> str:
    return folded(word).replace("_", "").translate(_AS_LETTERS)


@cache
def _by_bare_name(words: frozenset[str], lists: frozenset[str]) -> dict[str, str]:
    one_of_them = {_bare(word).removesuffix("s"): word for word in sorted(lists)}
    return one_of_them | {_bare(word): word for word in sorted(words)}


def taken_for(key: str, words: frozenset[str], lists: frozenset[str] = frozenset()) -> str | None:
    """The known word that a person takes a key for: another case, or ``mustFix`` for ``must_fix``.

    For ``lists`` also the singular.
    """
    return None if key in words else _by_bare_name(words, lists).get(_bare(key))


def slip_of(key: str, value: Json, known: Known) -> str | None:
    """The known key that an unknown one is a slip of: another case or separators, or one wrong letter.

    With a wrong letter the value must be of the same sort: ``stats`` with an object is not a misspelt ``status``.
    """
    if key in known:
        return None
    bare, words = _bare(key), _by_bare_name(frozenset(known), frozenset())
    if bare in words or len(bare) < _SHORTEST:
        return words.get(bare)
    sorts = (None, isinstance(value, (list, dict)))
    return next((word for name, word in words.items() if known[word] in sorts and _one_edit(bare, name)), None)


def holds_more(schemas: Iterable[Mapping[str, Json]]) -> bool | None:
    """True if the schemas require a list or an object, False if neither, None if both are possible."""
    told = [schema["type"] for schema in schemas if "type" in schema]
    types = {each for one in told for each in (one if isinstance(one, list) else [one])} - {"null"}
    more = types & {"array", "object"}
    return None if more and types - more else bool(more)


def _one_edit(one: str, other: str) -> bool:
    """True if one letter is missing, added, wrong or swapped. A digit is never a slip."""
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
    """True if a value is a word for "not passed", ignoring case."""
    return isinstance(value, str) and _bare(value) in _FAILING


def is_some(value: Json) -> bool:
    """True if the value is non-empty: a count above zero, or a list, map or text other than "none" or "0 of 41"."""
    if isinstance(value, str):
        first, _, rest = folded(value).partition("_")
        return first not in _NOTHING or bool(rest and first != "0")
    if isinstance(value, (list, dict)):
        return any(map(is_some, value.values() if isinstance(value, dict) else value))
    return bool(value)


def _ended_badly(value: Json) -> bool:
    """True if an exit code is not 0, also as text or among several."""
    if not isinstance(value, str):
        return is_some(value)
    digits = value.strip().lstrip("+-")
    return digits.isdecimal() and bool(digits.strip("0"))


DecidingKeys: TypeAlias = Mapping[str, Callable[[Json], bool]]


def deciding(*rows: tuple[Callable[[Json], bool], str]) -> DecidingKeys:
    """The keys of some rows, each with a test for failing values."""
    return {_bare(key): test for test, keys in rows for key in keys.split()}


# Keys by which known formats report a result, at any depth, and their failing values.
FAILED = deciding(
    (means_failure, "verdict final_verdict actual_verdict result status outcome conclusion decision state"),
    (means_failure, "build_status test_status"),
    (is_some, "failed failures failed_tests tests_failed errors blockers blocked_by must_fix critical_count"),
    (_ended_badly, "exit_code exit_status return_code returncode"),
    (lambda value: value is False, "passed success approved"),
)
# Keys by which they report that nothing was done: neither a pass nor a failure.
UNDONE = deciding(
    (lambda value: value is True, "skipped incomplete"), (lambda value: value == 0, "ran executed passed tests_run")
)
NOT_PASSED: DecidingKeys = {**FAILED, **UNDONE}


def with_own(keys: DecidingKeys, own: Iterable[tuple[str, Callable[[Json], bool]]]) -> DecidingKeys:
    """Deciding keys with a format's own. For a key in both, either test may fail the work."""
    found = dict(keys)
    for name, test in ((_bare(key), test) for key, test in own):
        found[name] = partial(_any_of, (found[name], test)) if name in found else test
    return found


def _any_of(tests: Iterable[Callable[[Json], bool]], value: Json) -> bool:
    return any(test(value) for test in tests)


def _told_one_by_one(value: Json, history: Collection[str]) -> list[Json]:
    """The members of a list and the words of a map, as single results."""
    words = value.items() if isinstance(value, dict) else ()
    told: list[Json] = [each for key, each in words if isinstance(each, str) and key not in history]
    return value if isinstance(value, list) else told


@lru_cache(maxsize=4096)
def _nearest(bare: str, names: frozenset[str]) -> str:
    """The key that this one stands for: same word, singular or plural, or one wrong letter late in it.

    A prefix makes another word: ``xfailed`` is not a misspelt ``failed``.
    """
    if bare in names or len(bare) < _SHORTEST:
        return bare
    like = sorted(names)
    several = (name for name in like if name in (f"{bare}s", bare.removesuffix("s")))
    return next(chain(several, (name for name in like if name[:1] == bare[0] and _one_edit(bare, name))), bare)


def contradictions(
    value: Json, keys: DecidingKeys, history: Collection[str] = (), path: JsonPath = ()
) -> Iterator[tuple[JsonPath, Json]]:
    """Path and value of every deciding key that fails the work, at any depth.

    Below the ``history`` keys a format keeps earlier values.
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
Hit: TypeAlias = "tuple[Any, ...]"  # the path of a contradiction, and the words for its message


class Row(NamedTuple):
    """A contradiction in a document: its kinds, code, place and message."""

    kinds: tuple[str, ...]
    code: str
    hits: Callable[[Data], Iterable[Hit]]
    says: str


def at(*path: str | int) -> Callable[[Callable[[Data], object]], Callable[[Data], Iterable[Hit]]]:
    """A contradiction of the whole document, reported at one of its keys."""
    return lambda wrong: lambda data: [(path,)] if wrong(data) else []
