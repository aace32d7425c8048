"""Strict YAML: the small core that is read, and what is refused and where."""

from __future__ import annotations

import pytest
from yaml.reader import Reader

from phasegate.model.problem import Fault, Position
from phasegate.reading.document import Document, Json, JsonPath, Limits
from phasegate.reading.yaml import _FORBIDDEN, read_yaml
from tests.unit.reading.growth import seconds


def refuse(text: str) -> Fault:
    """The fault, which these tests know to be there."""
    fault = read_yaml(text)
    assert isinstance(fault, Fault)
    return fault


def read(text: str) -> Json:
    """The value, of a text that these tests know to be right."""
    document = read_yaml(text)
    assert isinstance(document, Document)
    return document.value


@pytest.mark.parametrize(("plain", "value"), [
    ("true", True), ("false", False), ("null", None), ("", None), ("0", 0), ("-0", 0), ("7", 7), ("-7", -7),
    ("123456789012345", 123456789012345),
    ("1234567890123456", "1234567890123456"),
    ("0123456", "0123456"), ("0o17", "0o17"), ("0x1F", "0x1F"), ("0b1", "0b1"), ("1_000", "1_000"), ("+1", "+1"),
    ("1.5", "1.5"), ("1e3", "1e3"), (".inf", ".inf"), (".nan", ".nan"), ("\u0661", "\u0661"), ("~", "~"), ("no", "no"),
    ("on", "on"), ("yes", "yes"), ("y", "y"), ("True", "True"), ("FALSE", "FALSE"), ("Null", "Null"),
    ("12:30", "12:30"), ("1:1:1", "1:1:1"), ("2026-10-01", "2026-10-01"), ("2026-99-99", "2026-99-99"),
    ("2026-10-01T99:00:00Z", "2026-10-01T99:00:00Z"),
    ("=", "="), ("<<", "<<"), ('"true"', "true"), ("'1'", "1"), ('""', ""), ('"\\u00e9\\x41\\n"', "éA\n"),
    ("'it''s'", "it's"),
    ("|\n  two\n  lines\n", "two\nlines\n"),
    (">-\n  two\n  lines\n", "two lines"), ("|-\n  true\n", "true"), ("[a, 1, [], {}]", ["a", 1, [], {}]),
    ("{b: , c: null}", {"b": None, "c": None}),
])  # fmt: skip
def test_read_yaml__types_only_plain_words_and_integers(plain: str, value: Json) -> None:
    found = read(f"a: {plain}")
    assert found == {"a": value}
    assert repr(found) == repr({"a": value})


def test_read_yaml__keeps_keys_as_text() -> None:
    keys = ("1", "true", "null", "~", "", "<<", "2026-10-01")
    found = read('1: a\ntrue: b\nnull: c\n~: d\n"": e\n"<<": f\n2026-10-01: g\n')
    assert found == dict(zip(keys, "abcdefg", strict=True))


@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n", "---\n", "--- # nothing\n...\n"])
def test_read_yaml__of_nothing_is_null(text: str) -> None:
    assert read(text) is None


def test_read_yaml__accepts_the_marks_around_one_document() -> None:
    assert read("---\r\na: 1\r\n...\r\n") == {"a": 1}


def test_read_yaml__marks_values_and_keys() -> None:
    document = read_yaml("a:\n  - b: 1\n    c: [x, y]\n  - z\nd:\n", first=Position(line=5, column=1))
    assert isinstance(document, Document)
    places: dict[JsonPath, tuple[int, int]] = {(): (5, 1), ("a",): (6, 3), ("a", 0): (6, 5), ("a", 0, "b"): (6, 8)}
    places |= {("a", 0, "c"): (7, 8), ("a", 0, "c", 1): (7, 12), ("a", 1): (8, 5), ("d",): (9, 3)}
    found = {path: document.position(path) for path in places}
    assert {path: (position.line, position.column) for path, position in found.items()} == places
    assert document.key_position(("a", 0, "c")) == Position(line=7, column=5)


@pytest.mark.parametrize(("text", "line", "column", "word"), [
    ("a: &x 1", 1, 4, "anchor"), ("a: 1\nb: *x", 2, 4, "alias"), ("&a [*a]", 1, 1, "anchor"),
    ("a: !!int 1", 1, 4, "tag"), ("a: ! 1", 1, 4, "tag"), ("!", 1, 1, "tag"), ('!!int ""', 1, 1, "tag"),
    ("!!bool x", 1, 1, "tag"), ("!!timestamp x", 1, 1, "tag"),
    ("!!python/object:os.system x", 1, 1, "tag"),
    ("a: !undefined!x y", 1, 4, "tag"), ("!<tag:x,%ff> a", 1, 1, "tag"), ("<<: {a: 1}", 1, 1, "merge key"),
    ("a: {<<: b}", 1, 5, "merge key"),
    ("%YAML 1.2\n---\na: 1", 1, 1, "directive"),
    ("%TAG ! x\n---\na: 1", 1, 1, "directive"),
    (f"%YAML {'9' * 5000}.1\n---\n", 1, 1, "directive"),
    ("a: 1\n---\nb: 2", 2, 1, "second document"),
    ("--- a\n--- b", 2, 1, "second document"),
    ("---\n---\n", 2, 1, "second document"),
    ("? [a]\n: b", 1, 3, "as a key"), ("{{a: b}: c}", 1, 2, "as a key"), ("? - a\n: b", 1, 3, "as a key"),
    ("?", 1, 2, "empty key"),
])  # fmt: skip
def test_read_yaml__refuses_the_rest_of_yaml(text: str, line: int, column: int, word: str) -> None:
    fault = refuse(text)
    assert (fault.code, fault.position.line, fault.position.column) == ("PG011", line, column)
    assert word in fault.message


@pytest.mark.parametrize(("text", "line", "column", "path"), [
    ("a: 1\na: 2", 2, 1, "$.a"),
    ('a: 1\n"\\x61": 2', 2, 1, "$.a"),
    ("x:\n  - b: 1\n    b: 1", 3, 5, "$.x[0].b"),
    ("{a: 1, a: 1}", 1, 8, "$.a"),
    ("1: a\n'1': b", 2, 1, '$["1"]'),
])  # fmt: skip
def test_read_yaml__refuses_duplicate_keys(text: str, line: int, column: int, path: str) -> None:
    fault = refuse(text)
    assert (fault.code, fault.position.line, fault.position.column) == ("PG012", line, column)
    assert fault.json_path == path


@pytest.mark.parametrize(("text", "line", "column", "words"), [
    ("\ta: 1", 1, 1, "a tab"), ("a:\n\t- b", 2, 1, "a tab"), ("a: b: c", 1, 5, 'a ":"'),
    ("a: 1\n  b: 2", 2, 4, 'a ":"'), ("a: b\nc", 2, 1, "neither"),
    ("a:\n  b: 1\n c: 2", 3, 2, "indentation"),
    ("- a\nb: 1", 2, 1, "indentation"), (": x", 1, 1, "no key before it"), ("a: -", 1, 4, 'a "-"'),
    ('a: "b', 1, 4, "never closed"), ("a: 'b\nc: d", 1, 4, "never closed"), ('a: "x\n---\n"', 2, 1, "not closed"),
    ("a: [1, 2", 1, 9, "list opened at 1:4"),
    ("a: [1, 2\nb: 1", 2, 2, 'expected "," or "]"'),
    ("a: {b: 1", 1, 9, "mapping opened at 1:4"),
    ("a: [", 1, 5, "the text ends"), ("a: ]", 1, 4, "expected a value"), ("{: a}", 1, 2, "expected a value"),
    ("a: @x", 1, 4, '"@" cannot begin a value'),
    ("a: `x", 1, 4, '"`" cannot begin a value'),
    ("a: %x", 1, 4, '"%" cannot begin a value'),
    ('a: "\\q"', 1, 6, "backslash"),
    ('a: "\\x1"', 1, 7, "hexadecimal"),
    ('a: "\\U00110000"', 1, 5, "no character"),
    ('a: "\\UFFFFFFFF"', 1, 5, "no character"),
    ("a\n...\nb", 3, 1, "after the end"),
    ("a: | text\nb: 1", 1, 6, 'right behind "|" or ">"'),
    ("a: >=1.0", 1, 5, 'right behind "|" or ">"'),
])  # fmt: skip
def test_read_yaml__syntax(text: str, line: int, column: int, words: str) -> None:
    fault = refuse(text)
    assert (fault.code, fault.position.line, fault.position.column) == ("PG010", line, column)
    assert words in fault.message


@pytest.mark.parametrize(("text", "line", "column"), [
    ("\ufeffa: 1", 1, 1), ("a: \ufeffb", 1, 4), ("a: \x00", 1, 4), ("a\x1b: 1", 1, 2), ("a: \x7f", 1, 4),
    ("a: 1\rb: 2", 1, 5), ("a: \x85b", 1, 4), ("a: \u2028b", 1, 4), ("a: \u2029b", 1, 4), ("a: \ud800", 1, 4),
    ("a: \uffff", 1, 4), ('b: 1\na: "\\ud800"', 2, 4), ('a: "\\ud83d\\ude00"', 1, 4), ('"\\udc00": 1', 1, 1),
])  # fmt: skip
def test_read_yaml__characters(text: str, line: int, column: int) -> None:
    fault = refuse(text)
    assert (fault.code, fault.position.line, fault.position.column) == ("PG005", line, column)
    assert fault.message.isprintable()


def test_read_yaml__refuses_every_character_that_the_parser_would_crash_on() -> None:
    every = "".join(map(chr, range(0x110000)))
    assert set(Reader.NON_PRINTABLE.findall(every)) <= set(_FORBIDDEN.findall(every))


@pytest.mark.parametrize(("text", "line", "column"), [
    ("[" * 13, 1, 13), ("[" * 65_536, 1, 13), ("{a: " * 16_384, 1, 49), ("[\n" * 32_768, 13, 1),
    ("- " * 32_768, 1, 25), ("- [" * 20_000, 1, 39),
    ("\n".join(" " * depth + "a:" for depth in range(20)), 13, 13),
    ("a: " + "[" * 12, 1, 15),
    ("x" * 131_073, 1, 1),
])  # fmt: skip
def test_read_yaml__bounds(text: str, line: int, column: int) -> None:
    fault = refuse(text)
    assert (fault.code, fault.position.line, fault.position.column) == ("PG013", line, column)
    assert seconds(read_yaml, text) < 0.1


def test_read_yaml__limits_are_the_callers() -> None:
    limits = Limits(characters=20, depth=2, events=14)
    assert isinstance(read_yaml("a: [1, 2, 3]", limits=limits), Document)
    for text in ("a: [[1]]", "a: [1, 2, 3, 4, 5]", "a: 0000000000000000000"):
        fault = read_yaml(text, limits=limits)
        assert isinstance(fault, Fault)
        assert fault.code == "PG013"


def test_read_yaml__refuses_bombs_where_they_begin() -> None:
    aliases = "a: &a [x, x]\n" + "".join(f"{name}: &{name} [*a, *a]\n" for name in "bcdefghi")
    assert refuse(aliases).position == Position(line=1, column=4)
    assert refuse("a: {b: 1}\nc:\n  <<: [{x: 1}, {y: 2}]\n").position == Position(line=3, column=3)


@pytest.mark.parametrize(
    "text", ["{?role: judge}", "a: {?role: judge}", "[?role]", "[a, ?role: b]", "{a: b, ?verdict: FAIL}", "{?'a': b}"]
)
def test_read_yaml__refuses_keys_of_which_readers_make_different_ones(text: str) -> None:
    found = read_yaml(text)
    assert isinstance(found, Fault)
    assert (found.code, found.message.startswith("a key after a bare ? is not read")) == ("PG011", True)


@pytest.mark.parametrize(
    "text", ["role?: judge", "a: ?b", "a: '?b'", "?role: judge", "{'?role': judge}", "a: b ? c", "? role\n: judge"]
)
def test_read_yaml__reads_other_question_marks(text: str) -> None:
    assert not isinstance(read_yaml(text), Fault)
