"""Documents: positions by path, and paths as text."""

from __future__ import annotations

import pytest

from phasegate.model.problem import Position
from phasegate.reading.document import (
    Document,
    Json,
    JsonPath,
    Lines,
    character_name,
    excerpt,
    excerpt_of,
    json_path,
    visible,
)
from phasegate.reading.json import read_json

TEXT = '{\n  "issues": [\n    {"id": "J1"},\n    7\n  ],\n  "must_fix": []\n}\n'


def read(text: str, first: Position | None = None) -> Document:
    """The document, which these tests know to be right."""
    document = read_json(text, first=first)
    assert isinstance(document, Document)
    return document


def at(position: Position) -> tuple[int, int]:
    return position.line, position.column


@pytest.mark.parametrize(("path", "value", "key"), [
    ((), (1, 1), (1, 1)), (("issues",), (2, 13), (2, 3)), (("issues", 0), (3, 5), (3, 5)),
    (("issues", 0, "id"), (3, 12), (3, 6)), (("issues", 1), (4, 5), (4, 5)), (("must_fix",), (6, 15), (6, 3)),
])  # fmt: skip
def test_position__of_each_value_and_its_key(path: JsonPath, value: tuple[int, int], key: tuple[int, int]) -> None:
    assert at(read(TEXT).position(path)) == value
    assert at(read(TEXT).key_position(path)) == key


@pytest.mark.parametrize(("path", "expected"), [
    (("missing",), (1, 1)), (("issues", 2), (2, 13)), (("issues", -1), (2, 13)), (("issues", "0"), (2, 13)),
    (("issues", 0, "id", "deeper"), (3, 12)),
    ((0,), (1, 1)),
])  # fmt: skip
def test_position__of_what_is_not_there_is_the_nearest_value(path: JsonPath, expected: tuple[int, int]) -> None:
    assert at(read(TEXT).position(path)) == expected
    assert at(read(TEXT).key_position(path)) == expected


def test_position__counts_from_where_the_text_begins_in_its_own_document() -> None:
    document = read('{"a": 1,\n "b": 2}', first=Position(line=40, column=5))
    assert at(document.position()) == (40, 5)
    assert at(document.position(("a",))) == (40, 11)
    assert at(document.key_position(("b",))) == (41, 2)


def test_lines__count_a_crlf_once_and_characters_as_columns() -> None:
    lines = Lines.of("a\r\n\U0001f600b")
    assert [at(lines.position(offset)) for offset in (0, 2, 3, 4, 5)] == [(1, 1), (1, 3), (2, 1), (2, 2), (2, 3)]


@pytest.mark.parametrize(("path", "expected"), [
    ((), "$"),
    (("issues", 0, "id"), "$.issues[0].id"),
    (("two words",), '$["two words"]'),
    (("test-result",), '$["test-result"]'),
    (("a\nb",), '$["a\\nb"]'), (("",), '$[""]'), (("0",), '$["0"]'), (("é",), '$["é"]'),
    (("x" * 100,), '$["' + "x" * 60 + '…"]'),
])  # fmt: skip
def test_json_path__writes_odd_keys_in_brackets(path: JsonPath, expected: str) -> None:
    assert json_path(path) == expected


@pytest.mark.parametrize(("text", "expected"), [
    ("plain", '"plain"'), ('a "b" \\', '"a \\"b\\" \\\\"'), ("a\nb\tc", '"a\\nb\\tc"'), ("\x1b[31m", '"\\u001b[31m"'),
    ("\u202egnp", '"\\u202egnp"'), ("\ud800", '"\\ud800"'), ("\U000e0041", '"\\U000e0041"'),
    ("x" * 61, '"' + "x" * 60 + '…"'),
    ("\x00" * 50, '"' + "\\u0000" * 10 + '…"'),
])  # fmt: skip
def test_excerpt__is_short_and_shows_what_cannot_be_seen(text: str, expected: str) -> None:
    assert excerpt(text) == expected
    assert excerpt(text).isprintable()


def test_excerpt_of__does_not_show_what_is_inside() -> None:
    told: dict[str, Json] = {"null": None, "true": True, "1.0": 1.0, "an array": [1, 2], "an empty object": {}}
    assert {name: excerpt_of(value) for name, value in told.items()} == {name: name for name in told}


@pytest.mark.parametrize(("sign", "name"), [("x", '"x"'), ("\u201c", '"\u201c" (U+201C)'), ("\x00", "U+0000")])
def test_character_name__names_what_cannot_be_seen_by_number(sign: str, name: str) -> None:
    assert character_name(sign) == name
    assert visible("a\u2028b") == "a\\u2028b"


def test_lines__tell_the_same_however_often_they_are_asked() -> None:
    text = "one\n\ntwo three\nfour"
    for offset in range(len(text) + 1):
        once = Lines.of(text, Position(line=3, column=5)).position(offset)
        lines = Lines.of(text, Position(line=3, column=5))
        assert {lines.position(offset) for _ in range(40)} == {once}
