"""The catalogue of reading: the codes it has, and that its examples are what it says they are."""

from __future__ import annotations

import pytest

from phasegate.catalogue import Entry, entries
from phasegate.model.problem import Fault, Severity
from phasegate.reading.document import Document
from phasegate.reading.json import read_json
from phasegate.reading.schema.registry import validate
from phasegate.reading.yaml import read_yaml

OPENING, CLOSING = "<!-- jkz:verdict-json\n", "\n-->\n"
READING = [entry for entry in entries() if entry.code.startswith("PG0")]
BY_CODE = {entry.code: entry for entry in READING}


def found_in(example: str) -> set[str]:
    """The codes of an example, by the reader and the schema that its form asks for."""
    block = example.startswith(OPENING)
    text = example.removeprefix(OPENING).removesuffix(CLOSING)
    document = read_json(text) if block or text.startswith("{") else read_yaml(text)
    if isinstance(document, Fault):
        return {document.code}
    assert isinstance(document, Document)
    name = "jkz/verdict" if block else "policy" if example.startswith("version:") else None
    return {fault.code for fault in validate(name, document)} if name else set()


def test_entries__are_these() -> None:
    expected = [1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 20, 21, 22, 23, 24, 25, 30, 31, 32, 33, 34, 35, 36]
    assert [entry.code for entry in READING] == [f"PG{number:03}" for number in expected]


def test_entries__only_an_unknown_key_is_less_than_an_error() -> None:
    lesser = [entry.code for entry in READING if entry.severity is not Severity.ERROR or entry.adjustable]
    assert lesser == ["PG023"]


@pytest.mark.parametrize("entry", READING, ids=lambda entry: entry.code)
def test_entries__speak_in_sentences(entry: Entry) -> None:
    for sentence in (entry.title, entry.why, entry.fix):
        assert sentence[0].isupper()
        assert sentence.endswith(".")
    assert entry.bad != entry.good
    assert entry.bad.endswith("\n")
    assert entry.good.endswith("\n")


@pytest.mark.parametrize("code", [code for code in BY_CODE if code < "PG025"])
def test_entries__examples_are_bad_and_good(code: str) -> None:
    assert code in found_in(BY_CODE[code].bad)
    assert not found_in(BY_CODE[code].good)


@pytest.mark.parametrize("code", [code for code in BY_CODE if code >= "PG030"])
def test_entries__good_comments_hold_one_verdict_that_can_be_read(code: str) -> None:
    good = BY_CODE[code].good
    assert good.count("jkz:verdict-json") == 1
    assert not found_in(good[good.index(OPENING) :])
