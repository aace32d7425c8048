"""Strict JSON against whatever comes: agreement with Python's own reader, a mark on every value, and time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasegate.model.problem import Fault
from phasegate.reading.document import Document, Json, Mark
from phasegate.reading.json import read_json
from tests.chance import examples
from tests.unit.reading.growth import grows_linearly, seconds

BOUNDED = examples(400)
STRICTER_THAN_PYTHON = {"PG002", "PG003", "PG004", "PG005"}

JSON_VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**15) + 1, 10**15 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)
SPACED = st.sampled_from([None, 0, 1, 4])
SIGNS = [*"{}[]:,\"\\/ \n\t\r01-+.eé'", "\x00", "\ufeff", "\ud800"]
WORDS = ["true", "false", "null", "NaN", "Infinity", '"a"', '"a":', "{}", "[]", "//", "/*"]
WORDS += ["\\u", "\\ud83d", "\\ude00", "9" * 17]
SCRAPS = st.lists(st.sampled_from(SIGNS + WORDS), max_size=14).map("".join)


@BOUNDED
@given(JSON_VALUES, SPACED, st.booleans())
def test_read_json__reads_what_python_writes(value: Json, indent: int | None, ascii_only: bool) -> None:  # noqa: FBT001 - drawn by hypothesis
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    document = read_json(text)
    assert isinstance(document, Document)
    assert repr(document.value) == repr(json.loads(text))


@BOUNDED
@given(JSON_VALUES, SPACED)
def test_read_json__marks_every_value_and_key(value: Json, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    document = read_json(text)
    assert isinstance(document, Document)
    decode = json.JSONDecoder().raw_decode
    for key, inner, mark in walk(None, document.value, document.mark):
        assert repr(decode(text, mark[0])[0]) == repr(inner)
        assert mark[1] == mark[0] if key is None else decode(text, mark[1])[0] == key


def walk(key: str | None, value: Json, mark: Mark) -> Iterator[tuple[str | None, Json, Mark]]:
    """Every value with its key and mark."""
    yield key, value, mark
    if isinstance(value, dict):
        assert isinstance(mark[2], dict)
        assert list(mark[2]) == list(value)
        for name, inner in value.items():
            yield from walk(name, inner, mark[2][name])
    elif isinstance(value, list):
        assert isinstance(mark[2], list)
        assert len(mark[2]) == len(value)
        for inner, inner_mark in zip(value, mark[2], strict=True):
            yield from walk(None, inner, inner_mark)


def agree(text: str) -> None:
    """Where Python's reader accepts, so do we or we are stricter on purpose; where it refuses, so do we."""
    ours = read_json(text)
    try:
        theirs = json.loads(text)
    except (ValueError, RecursionError):
        assert isinstance(ours, Fault)
    else:
        if isinstance(ours, Fault):
            assert ours.code in STRICTER_THAN_PYTHON
        else:
            assert repr(ours.value) == repr(theirs)
    if isinstance(ours, Fault):
        assert 1 <= ours.position.line <= text.count("\n") + 1
        assert 1 <= ours.position.column <= len(text) + 1
        assert ours.message.isprintable()
        assert ours.hint.isprintable()


@BOUNDED
@given(SCRAPS | st.text(max_size=20))
def test_read_json__agrees_with_python_on_scraps(text: str) -> None:
    agree(text)


@BOUNDED
@given(JSON_VALUES, SPACED, st.integers(0, 300), st.sampled_from(["", *'{}[]:,"\\0a- \n\x00\ud800']))
def test_read_json__agrees_with_python_on_broken_documents(
    value: Json, indent: int | None, place: int, scrap: str
) -> None:
    text = json.dumps(value, indent=indent)
    place = place % (len(text) + 1)
    agree(text[:place] + scrap + text[place + 1 :])
    agree(text[:place] + scrap + text[place:])
    agree(text[:place])


HOSTILE: dict[str, Callable[[int], str]] = {
    "brackets": lambda size: "[" * size,
    "braces": lambda size: '{"a":' * (size // 5),
    "spaces": lambda size: " " * size,
    "spaces inside": lambda size: '{"a" ' + " " * size + ": 1",
    "spaces before the end": lambda size: '{"a": 1' + " " * size,
    "open string": lambda size: '["' + "a" * size,
    "open string of escapes": lambda size: '["' + "\\n" * (size // 2),
    "open string of surrogates": lambda size: '["' + "\\ud83d" * (size // 6) + '"]',
    "string of escapes": lambda size: '["' + "\\n" * (size // 2) + '"]',
    "backslashes": lambda size: "\\" * size,
    "quotes": lambda size: '"' * size,
    "digits": lambda size: "[" + "1" * size,
    "zeros and signs": lambda size: "[" + "-0" * (size // 2),
    "word": lambda size: "[" + "a" * size,
    "elements": lambda size: "[" + "1," * (size // 2),
    "empty arrays": lambda size: "[" + "[]," * (size // 3) + "1",
    "members": lambda size: "{" + ",".join(f'"{number:06}":0' for number in range(size // 11)),
    "same key": lambda size: "{" + '"a":0,' * (size // 6),
    "commas": lambda size: "[" + "," * size,
    "lines": lambda size: "[" + "1,\n" * (size // 3) + "x",
    "long key": lambda size: '{"' + "k" * size + '": }',
    "two long keys": lambda size: '{"' + "k" * (size // 2) + '":1,"' + "k" * (size // 2) + '":2}',
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_read_json__is_quick_on_any_comment(name: str) -> None:
    assert seconds(read_json, HOSTILE[name](65_536)) < 0.25


@pytest.mark.parametrize("name", ["elements", "members", "lines", "empty arrays", "string of escapes", "spaces inside"])
def test_read_json__takes_linear_time(name: str) -> None:
    assert grows_linearly(read_json, HOSTILE[name], 65_536)
