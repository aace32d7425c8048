"""Faults by a schema with alternatives, conditions and bounds: one that a person can act on, for each mistake."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from phasegate.reading.document import Json
from tests.unit.reading.schema.shelf import check, document, shelf

KINDS: Json = {
    "properties": {"message": {"oneOf": [{"type": "string"},
                                         {"type": "object", "required": ["kind", "count"],
                                          "properties": {"kind": {"const": "audit"}, "count": {"type": "integer"}}},
                                         {"type": "object", "required": ["kind", "level"],
                                          "properties": {"kind": {"const": "review"},
                                                         "level": {"enum": ["high", "low"]}}}]},
                   "flag": {"anyOf": [{"type": "string"}, {"const": False}, {"enum": [1, 2]}]},
                   "either": {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
                   "both": {"oneOf": [{"type": "integer"}, {"minimum": 3}]},
                   "closed": {"not": {"required": ["secret"]}}, "never": {"not": {"type": "string"}},
                   "names": {"propertyNames": {"pattern": "[a-z]+", "maxLength": 3}},
                   "short": {"propertyNames": {"enum": ["a", "b"]}}, "some": {"contains": {"const": "x"}},
                   "few": {"maxProperties": 1, "minProperties": 1},
                   "tree": {"anyOf": [{"type": "null"},
                                      {"type": "array", "items": {"anyOf": [{"type": "null"}, {"type": "array"}]}}]}},
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), [
    ('{"message": 5}', ["PG021 1:13 $.message message is 5; expected a string or an object"]),
    ('{"message": {"kind": "audit"}}', ['PG020 1:13 $.message message has no "count"']),
    ('{"message": {"kind": "review", "level": "hi"}}',
     ['PG022 1:41 $.message.level message.level is the string "hi"; expected "high" or "low"']),
    ('{"message": {"kind": "other", "count": 1}}',
     ['PG022 1:22 $.message.kind message.kind is the string "other"; expected "audit" or "review"']),
    ('{"message": {"kind": "audit", "count": "1"}}',
     ['PG021 1:40 $.message.count message.count is the string "1"; expected a whole number']),
    ('{"flag": true}', ["PG021 1:10 $.flag flag is true; expected a string, false, 1 or 2"]),
    ('{"either": {}}', ['PG020 1:12 $.either either has no "a" or "b"']),
    ('{"both": 5}', ["PG024 1:10 $.both both fits more than one of the forms it may have; expected exactly one"]),
    ('{"closed": {"secret": 1}}', ['PG024 1:12 $.closed closed has the key "secret", which is not allowed here']),
    ('{"never": "x"}', ['PG024 1:11 $.never never is the string "x", which is not allowed here']),
    ('{"names": {"A": 1}}', ['PG024 1:12 $.names.A names has the key "A"; expected the form [a-z]+']),
    ('{"names": {"abcd": 1}}', ['PG024 1:12 $.names.abcd names has the key "abcd"; expected at most 3']),
    ('{"short": {"c": 1}}', ['PG024 1:12 $.short.c short has the key "c"; expected "a" or "b"']),
    ('{"some": [1]}', ["PG024 1:10 $.some some has 1 item; expected one of the required form among them"]),
    ('{"few": {}}', ["PG024 1:9 $.few few has no keys; expected at least 1"]),
    ('{"few": {"a": 1, "b": 2}}', ["PG024 1:9 $.few few has 2 keys; expected at most 1"]),
    ('{"tree": [[], 3]}', ["PG021 1:15 $.tree[1] tree[1] is 3; expected null or an array"]),
])  # fmt: skip
def test_validate__alternatives_and_the_rest(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert check(tmp_path, KINDS, text) == expected


def test_validate__reads_conditions(tmp_path: Path) -> None:
    schema: Json = {
        "if": {"properties": {"verdict": {"const": "FAIL"}}, "required": ["verdict"]},
        "then": {"required": ["must_fix"]},
    }
    assert check(tmp_path, schema, '{"verdict": "FAIL"}') == ['PG020 1:1 $ the document has no "must_fix"']
    assert check(tmp_path, schema, '{"verdict": "PASS"}') == []


def test_validate__recursive_schemas_hold_at_the_greatest_depth(tmp_path: Path) -> None:
    tree: Json = {"allOf": [{"$ref": "#/$defs/node"}]}
    node: Json = {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/tree"}, {"type": "null"}]}}
    schema: Json = {"$id": "urn:test:only", "$ref": "#/$defs/tree", "$defs": {"tree": tree, "node": node}}
    assert check(tmp_path, schema, "[" * 32 + "]" * 32) == []
    (fault,) = check(tmp_path, schema, "[" * 32 + "1" + "]" * 32)
    assert fault.startswith("PG021 1:33")


def test_validate__one_fault_for_a_value_of_the_wrong_type(tmp_path: Path) -> None:
    schema: Json = {"properties": {"a": {"type": "string", "enum": ["x"], "minLength": 1}}}
    assert check(tmp_path, schema, '{"a": 1}') == ["PG021 1:7 $.a a is 1; expected a string"]


def test_validate__reports_a_hundred_of_very_many(tmp_path: Path) -> None:
    faults = shelf(tmp_path, only={"items": {"type": "string"}}).validate("only", document(json.dumps([1] * 500)))
    assert len(faults) == 100
    assert faults[0].message == "[0] is 1; expected a string"
    assert faults[-1].message == "[99] is 1; expected a string (and 400 more faults behind it)"
