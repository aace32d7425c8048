"""Strict JSON: what is read, and what is refused and where."""

from __future__ import annotations

import json

import pytest

from phasegate.model.problem import Fault, Position
from phasegate.reading.document import Document, Json, Limits
from phasegate.reading.json import read_json
from tests.unit.reading.growth import seconds


def refuse(text: str) -> Fault:
    """The fault, which these tests know to be there."""
    fault = read_json(text)
    assert isinstance(fault, Fault)
    return fault


@pytest.mark.parametrize(("text", "value"), [
    ("null", None), (" true ", True), ("-0", 0), ("123456789012345", 123456789012345),
    ("-123456789012345", -123456789012345),
    ("1.5e-3", 0.0015), ("123e65", 123e65), ("-0." + "0" * 77 + "1", -1e-78), ('"\\u00e9\\n\\/\\"\\\\"', 'é\n/"\\'),
    ('"\\ud83d\\ude00"', "\U0001f600"), ('"\\\\ud800"', "\\ud800"), ('"\\u0000"', "\x00"),
    ('"\u2028\x7f\ufeff"', "\u2028\x7f\ufeff"),
    ("[]", []), (" [ ] ", []), ("{ }\r\n", {}),
    ('[[],{},[{}],{"":{}}]', [[], {}, [{}], {"": {}}]),
    ('{"a":[1,{"b":null}],"c":"d"}', {"a": [1, {"b": None}], "c": "d"}),
    ("[" * 32 + "]" * 32, json.loads("[" * 32 + "]" * 32)),
])  # fmt: skip
def test_read_json__accepts(text: str, value: Json) -> None:
    document = read_json(text)
    assert isinstance(document, Document)
    assert document.value == value
    assert type(document.value) is type(value)


@pytest.mark.parametrize(("text", "line", "column", "words"), [
    ("", 1, 1, "empty"),
    (" \n ", 2, 2, "empty"),
    ('{"a": 1,}', 1, 8, 'a comma before the closing "}"'),
    ("[1,\n2\n,\n]", 3, 1, 'a comma before the closing "]"'),
    ("{'a': 1}", 1, 2, "single quotes"),
    ("['a']", 1, 2, "single quotes"),
    ("[\u201ca\u201d]", 1, 2, "quotation mark"),
    ("// note\n{}", 1, 1, "a comment"),
    ('{"a": 1 /* note */}', 1, 9, "a comment"),
    ('{"a": 1,\n# note\n"b": 2}', 2, 1, "a comment"),
    ('{verdict: "PASS"}', 1, 2, "the key verdict is not in double quotes"),
    ("{1: 2}", 1, 2, "expected a key in double quotes"),
    ('{"a" 1}', 1, 6, 'expected ":" after the key "a"'),
    ('{"a"}', 1, 5, 'expected ":" after the key "a"'),
    ('{"a": }', 1, 7, 'expected a value, found "}"'),
    ('{"a": 1 "b": 2}', 1, 9, 'no comma before "b"'),
    ('{"a": {} "b": 2}', 1, 10, 'no comma before "b"'),
    ("[1 2]", 1, 4, 'no comma before "2"'),
    ("[1,,2]", 1, 4, 'expected a value, found ","'),
    ("[,]", 1, 2, 'expected a value, found ","'),
    ("[1}", 1, 3, '"}" where "]" closes the array opened at 1:1'),
    ('{"a": [1, 2}', 1, 12, '"}" where "]" closes the array opened at 1:7'),
    ('{"a": 1]', 1, 8, '"]" where "}" closes the object opened at 1:1'),
    ('{"a": 1;}', 1, 8, 'expected "," or "}", found ";"'),
    ("[True]", 1, 2, "the word True"),
    ("[None]", 1, 2, "the word None"),
    ("[undefined]", 1, 2, "the word undefined"),
    ("truefalse", 1, 1, "the word truefalse"),
    ("[01]", 1, 2, "begins with a zero"), ("-012", 1, 1, "begins with a zero"), ("[+1]", 1, 2, "plus sign"),
    ("[.5]", 1, 2, "digit before the point"),
    ("[5.]", 1, 2, "digit behind the point"),
    ("[1e]", 1, 2, "1e is not a JSON number"),
    ("[0x10]", 1, 2, "0x10 is not a JSON number"),
    ("[1_000]", 1, 2, "1_000 is not a JSON number"),
    ("[2026-10-01]", 1, 2, "2026-10-01 is not a JSON number"),
    ("[-]", 1, 2, "- is not a JSON number"),
    ("[\u0661]", 1, 2, "expected a value"),
    ("[\u00a01]", 1, 2, "the space U+00A0"),
    ("```json\n{}\n```", 1, 1, "a code fence in the JSON text"),
    ('["\\x41"]', 1, 3, "no JSON escape"),
    ('["\\u12g4"]', 1, 3, "four hexadecimal digits"),
    ('["\\u+123"]', 1, 3, "four hexadecimal digits"),
    ('["abc', 1, 2, "not closed"),
    ('{"a": "b\\', 1, 9, "a backslash before the end of the text"),
    ("}", 1, 1, 'expected a value, found "}"'),
    ("{", 1, 2, "the text ends inside the object opened at 1:1"),
    ('{"a"', 1, 5, "the text ends inside the object opened at 1:1"),
    ('{"a":', 1, 6, "the text ends inside the object opened at 1:1"),
    ('{"a": [1,\n 2', 2, 3, "the text ends inside the array opened at 1:7"),
    ('{"a": [1],', 1, 11, "the text ends inside the object opened at 1:1"),
    ('{"a": [1]', 1, 10, "the text ends inside the object opened at 1:1"),
])  # fmt: skip
def test_read_json__syntax(text: str, line: int, column: int, words: str) -> None:
    fault = refuse(text)
    assert (fault.code, fault.position.line, fault.position.column) == ("PG001", line, column)
    assert words in fault.message


@pytest.mark.parametrize(("text", "code", "line", "column", "path"), [
    ('{"a": 1, "a": 2}', "PG002", 1, 10, "$.a"),
    ('{"status": 1, "st\\u0061tus": 2}', "PG002", 1, 15, "$.status"),
    ('{"x": [0, {"b c": 1,\n "b c": 1}]}', "PG002", 2, 2, '$.x[1]["b c"]'),
    ('{"": 1, "": 2}', "PG002", 1, 9, '$[""]'),
    ("NaN", "PG003", 1, 1, "$"),
    ("[nan]", "PG003", 1, 2, "$"),
    ('{"a": Infinity}', "PG003", 1, 7, "$"),
    ("[-Infinity]", "PG003", 1, 2, "$"), ("[1e400]", "PG003", 1, 2, "$"), ("[-1e400]", "PG003", 1, 2, "$"),
    ("[1234567890123456]", "PG003", 1, 2, "$"),
    ("[-1234567890123456]", "PG003", 1, 2, "$"),
    (f"[{'9' * 5000}]", "PG003", 1, 2, "$"),
    (f"[0.{'1' * 5000}]", "PG003", 1, 2, "$"),
    ("[" * 33, "PG004", 1, 33, "$" + "[0]" * 31),
    ('{"a":' * 33, "PG004", 1, 161, "$" + ".a" * 31),
    ("[" * 32 + "{}" + "]" * 32, "PG004", 1, 33, "$" + "[0]" * 31),
    ("\ufeff{}", "PG005", 1, 1, "$"), ("[\ufeff1]", "PG005", 1, 2, "$"), ("[\x001]", "PG005", 1, 2, "$"),
    ('["a\tb"]', "PG005", 1, 4, "$"), ('["a\nb"]', "PG005", 1, 4, "$"), ('["a\x00b"]', "PG005", 1, 4, "$"),
    ('["\x1b"]', "PG005", 1, 3, "$"), ('{"a\x01": 1}', "PG005", 1, 4, "$"), ('["\ud800"]', "PG005", 1, 3, "$"),
    ('["\\ud800"]', "PG005", 1, 3, "$"), ('["x\\udc00"]', "PG005", 1, 4, "$"),
    ('["\\ud800\\ud800"]', "PG005", 1, 3, "$"),
    ('["\\ud83d\\ude00\\ude00"]', "PG005", 1, 15, "$"),
    ('["\\ud83d\\\\ude00"]', "PG005", 1, 3, "$"),
    ('{"\\ud800": 1}', "PG005", 1, 3, "$"),
    ("{} {}", "PG006", 1, 4, "$"),
    ('{}\n{"verdict": "PASS"}', "PG006", 2, 1, "$"),
    ("[1]]", "PG006", 1, 4, "$"), ('"a"b', "PG006", 1, 4, "$"), ("1 2", "PG006", 1, 3, "$"),
    ("null,", "PG006", 1, 5, "$"), ("{}\ufeff", "PG006", 1, 3, "$"), ("{}\x00", "PG006", 1, 3, "$"),
])  # fmt: skip
def test_read_json__strictness(text: str, code: str, line: int, column: int, path: str) -> None:
    fault = refuse(text)
    assert (fault.code, fault.position.line, fault.position.column) == (code, line, column)
    assert fault.json_path == path
    assert fault.message.isprintable()
    assert len(fault.message) < 200


def test_read_json__says_where_the_first_of_two_keys_is() -> None:
    assert refuse('{\n "a": 1,\n "a": 2}').message == 'the key "a" occurs twice in this object, first at 2:2'


def test_read_json__counts_from_where_the_text_begins() -> None:
    for text, place in (('{"a": 1,\n "b": }', (11, 7)), ('{"a": }', (10, 9))):
        fault = read_json(text, first=Position(line=10, column=3))
        assert isinstance(fault, Fault)
        assert (fault.position.line, fault.position.column) == place


def test_read_json__gives_hints_that_can_be_followed() -> None:
    assert refuse("[True]").hint == "write true"
    assert refuse("[PASS]").hint == 'write "PASS", in double quotes'
    assert refuse("{verdict: 1}").hint == 'write "verdict"'
    assert refuse("[1,]").hint == "remove the comma"


def test_read_json__limits_are_the_callers() -> None:
    limits = Limits(characters=10, depth=2)
    assert isinstance(read_json("[[1, 2]]  ", limits=limits), Document)
    too_long, too_deep = read_json("[[1, 2]]   ", limits=limits), read_json("[[[1]]]", limits=limits)
    assert isinstance(too_long, Fault)
    assert isinstance(too_deep, Fault)
    assert (too_long.code, too_deep.code) == ("PG004", "PG004")
    assert (too_deep.position.line, too_deep.position.column) == (1, 3)


def test_read_json__refuses_ten_megabytes_at_once() -> None:
    text = "[" + "1," * 5_000_000 + "1]"
    assert refuse(text).code == "PG004"
    assert seconds(read_json, text) < 0.01
