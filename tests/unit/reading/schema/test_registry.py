"""Schemas: names and texts, faults with their place and words, and that nothing is fetched."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from referencing.exceptions import Unresolvable

from phasegate.reading.document import Document, Json
from phasegate.reading.schema import registry as schemas
from phasegate.reading.schema.registry import Schemas, schema_names, schema_text, validate
from phasegate.reading.yaml import read_yaml
from tests.unit.reading.growth import grows_linearly, seconds
from tests.unit.reading.schema.shelf import check, document, line, shelf

DRAFT = "https://json-schema.org/draft/2020-12/schema"
FINDING: Json = {
    "$schema": DRAFT, "$id": "urn:test:jkz/finding", "type": "object", "additionalProperties": False,
    "required": ["id", "severity"],
    "properties": {"id": {"type": "string", "pattern": "[A-Z][0-9]{1,3}"}, "severity": {"enum": ["CRITICAL", "HIGH"]},
                   "line": {"type": "integer", "minimum": 1},
                   "summary": {"type": "string", "minLength": 1, "maxLength": 20},
                   "score": {"type": "number", "exclusiveMaximum": 1}},
}  # fmt: skip
VERDICT: Json = {
    "$schema": DRAFT, "$id": "urn:test:verdict", "type": "object", "required": ["verdict"],
    "properties": {"verdict": {"enum": ["PASS", "FAIL"]}, "version": {"const": 1},
                   "issues": {"type": "array", "maxItems": 3, "items": {"$ref": "urn:test:jkz/finding"}},
                   "must_fix": {"type": "array", "uniqueItems": True, "items": {"type": ["string", "null"]}},
                   "approved": {"type": "boolean"}, "gone": False},
    "patternProperties": {"^x-[a-z]+$": {"type": "string"}},
    "additionalProperties": False,
    "dependentRequired": {"must_fix": ["issues"]},
}  # fmt: skip


@pytest.fixture
def verdicts(tmp_path: Path) -> Schemas:
    """A schema that refers to another one."""
    return shelf(tmp_path, verdict=VERDICT, jkz__finding=FINDING)


def test_names_and_texts__are_those_of_the_files(verdicts: Schemas) -> None:
    assert verdicts.names() == ("jkz/finding", "verdict")
    assert json.loads(verdicts.text("verdict")) == VERDICT


@pytest.mark.parametrize("name", ["", "missing", "../verdict", "jkz/../verdict", "/etc/passwd", "verdict.schema.json"])
def test_text__of_no_schema(verdicts: Schemas, name: str) -> None:
    with pytest.raises(KeyError):
        verdicts.text(name)


@pytest.mark.parametrize("text", [
    '{"verdict": "PASS"}',
    '{"verdict": "FAIL", "issues": [{"id": "J1", "severity": "HIGH", "line": 3, "score": 0.5}]}',
    '{"verdict": "FAIL", "issues": [], "must_fix": ["J1", null]}',
    '{"verdict": "PASS", "version": 1, "approved": true, "x-note": "free"}',
])  # fmt: skip
def test_validate__accepts(verdicts: Schemas, text: str) -> None:
    assert verdicts.validate("verdict", document(text)) == ()


@pytest.mark.parametrize(("text", "expected"), [
    ("[]", "PG021 1:1 $ the document is an empty array; expected an object"),
    ("{}", 'PG020 1:1 $ the document has no "verdict"'),
    ('{"verdict": "pass"}', 'PG022 1:13 $.verdict verdict is the string "pass"; expected "PASS" or "FAIL"'),
    ('{"verdict": null}', 'PG022 1:13 $.verdict verdict is null; expected "PASS" or "FAIL"'),
    ('{"verdict": "PASS", "version": true}', "PG022 1:32 $.version version is true; expected 1"),
    ('{"verdict": "PASS",\n "verdit": 1}',
     'PG023 2:2 $.verdit the document has the unknown key "verdit"; did you mean "verdict"?'),
    ('{"verdict": "PASS", "zzz": 1}', 'PG023 1:21 $.zzz the document has the unknown key "zzz"'),
    ('{"verdict": "PASS", "issues": "J1"}', 'PG021 1:31 $.issues issues is the string "J1"; expected an array'),
    ('{"verdict": "PASS", "issues": [{}, 1]}', "PG021 1:36 $.issues[1] issues[1] is 1; expected an object"),
    ('{"verdict": "PASS", "approved": "true"}', "expected true or false"),
    ('{"verdict": "PASS", "approved": 1}', "PG021 1:33 $.approved approved is 1; expected true or false"),
    ('{"verdict": "PASS", "x-note": 1}', 'PG021 1:31 $["x-note"] ["x-note"] is 1; expected a string'),
    ('{"verdict": "PASS", "x-note\\n": "a"}',
     'PG023 1:21 $["x-note\\n"] the document has the unknown key "x-note\\n"'),
    ('{"verdict": "PASS", "gone": 1}',
     'PG024 1:21 $.gone the document has the key "gone", which is not allowed here'),
    ('{"verdict": "PASS", "must_fix": []}', 'PG020 1:1 $ the document has no "issues", which "must_fix" needs'),
    ('{"verdict": "PASS", "issues": [], "must_fix": ["J1", "J2", "J1"]}',
     'PG024 1:60 $.must_fix[2] must_fix[2] repeats must_fix[0], which is the string "J1" too; expected each '),
    ('{"verdict": "PASS", "issues": [], "must_fix": [1]}',
     "PG021 1:48 $.must_fix[0] must_fix[0] is 1; expected a string or null"),
    ('{"verdict": "PASS", "issues": [{}, {}, {}, {}]}', "PG024 1:31 $.issues issues has 4 items; expected at most 3"),
])  # fmt: skip
def test_validate__says_what_and_where(verdicts: Schemas, text: str, expected: str) -> None:
    assert any(expected in line(fault) for fault in verdicts.validate("verdict", document(text)))


@pytest.mark.parametrize(("member", "expected"), [
    ('"line": 1.0', "PG021 $.line line is 1.0; expected a whole number"),
    ('"line": true', "PG021 $.line line is true; expected a whole number"),
    ('"line": "3"', 'PG021 $.line line is the string "3"; expected a whole number'),
    ('"line": 0', "PG024 $.line line is 0; expected at least 1"),
    ('"score": true', "PG021 $.score score is true; expected a number"),
    ('"score": 1', "PG024 $.score score is 1; expected less than 1"),
    ('"summary": ""', "PG024 $.summary summary has no characters; expected at least 1"),
    ('"summary": "aaaaaaaaaaaaaaaaaaaaa"', "PG024 $.summary summary has 21 characters; expected at most 20"),
    ('"id": "j1"', 'PG024 $.id id is the string "j1"; expected the form [A-Z][0-9]{1,3}'),
    ('"id": "J1\\n"', 'PG024 $.id id is the string "J1\\n"; expected the form [A-Z][0-9]{1,3}'),
    ('"id": "xJ1x"', 'PG024 $.id id is the string "xJ1x"; expected the form [A-Z][0-9]{1,3}'),
    ('"id": "J\u0661"', 'PG024 $.id id is the string "J\u0661"; expected the form [A-Z][0-9]{1,3}'),
])  # fmt: skip
def test_validate__bounds_types_and_patterns_are_strict(verdicts: Schemas, member: str, expected: str) -> None:
    given = {"id": '"id": "J1"', "severity": '"severity": "HIGH"'}
    given[member.split('"')[1]] = member
    (fault,) = verdicts.validate("jkz/finding", document("{" + ", ".join(given.values()) + "}"))
    assert f"{fault.code} {fault.json_path} {fault.message}" == expected


def test_validate__is_as_strict_behind_a_reference(verdicts: Schemas) -> None:
    text = '{"verdict": "PASS", "issues": [{"id": "J1\\n", "severity": "HIGH", "line": 1.0, "idd": 1}]}'
    assert [fault.code for fault in verdicts.validate("verdict", document(text))] == ["PG024", "PG021", "PG023"]


def test_validate__orders_faults_by_position(verdicts: Schemas) -> None:
    text = '{\n "must_fix": 1,\n "verdict": 2,\n "issues": [{"severity": 3, "id": 4}, {}],\n "other": 5\n}'
    faults = verdicts.validate("verdict", document(text))
    places = [(fault.position.line, fault.position.column) for fault in faults]
    assert places == [(2, 14), (3, 13), (4, 26), (4, 35), (4, 39), (4, 39), (5, 2)]
    assert [fault.message for fault in faults][4:6] == ['issues[1] has no "id"', 'issues[1] has no "severity"']


@pytest.mark.parametrize(("text", "hint"), [
    ("{}", 'add "verdict" to the document: "PASS" or "FAIL"'),
    ('{"verdict": "pass"}', 'write "PASS"'),
    ('{"verdict": "PASS", "isues": []}', 'write "issues"'),
    ('{"verdict": "PASS", "approved": "yes"}', "write true or false"),
])  # fmt: skip
def test_validate__hints_can_be_followed(verdicts: Schemas, text: str, hint: str) -> None:
    assert verdicts.validate("verdict", document(text))[0].hint == hint


def test_validate__never_echoes_much_of_a_value(verdicts: Schemas) -> None:
    text = json.dumps({"verdict": "\x1b[31m::error::\u202e" + "x" * 60_000, "y" * 60_000: 1})
    for fault in verdicts.validate("verdict", document(text)):
        assert len(fault.message) < 250
        assert len(fault.hint) < 250
        assert fault.message.isprintable()
        assert (fault.json_path or "").isprintable()


@pytest.mark.parametrize(
    "address", ["https://example.org/x", "http://127.0.0.1/x", "file:///etc/passwd", "urn:test:no"]
)
def test_validate__fetches_nothing(tmp_path: Path, address: str) -> None:
    with pytest.raises(Unresolvable):
        check(tmp_path, {"$ref": address}, "{}")


def test_validate__unique_items_in_linear_time(tmp_path: Path) -> None:
    only = shelf(tmp_path, only={"uniqueItems": True})

    def run(text: str) -> object:
        return only.validate("only", document(text))

    def make(size: int) -> str:
        return json.dumps([{"id": number, "x": [number]} for number in range(size)])

    assert run(make(100)) == ()
    assert grows_linearly(run, make, 1_000)
    (fault,) = only.validate("only", document('[{"a": 1, "b": 2}, {"b": 2, "a": 1}, 1, true, "1"]'))
    assert fault.json_path == "$[1]"


def test_validate__costs_little_more_than_jsonschema_alone(tmp_path: Path) -> None:
    many: dict[str, Json] = {"type": "array", "items": FINDING}
    issues = [{"id": f"J{number % 999}", "severity": "HIGH", "summary": "x" * 20, "line": 7} for number in range(1_300)]
    text = json.dumps(issues, indent=1)
    only, theirs = shelf(tmp_path, only=many), Draft202012Validator(many)

    def ours_run(body: str) -> object:
        return only.validate("only", document(body))

    def theirs_run(body: str) -> None:
        theirs.validate(json.loads(body))

    assert len(text) > 100_000
    assert ours_run(text) == ()
    assert seconds(ours_run, text) <= 3 * seconds(theirs_run, text)


def test_import__does_not_start_jsonschema() -> None:
    load = "import sys, phasegate.reading.schema.registry"
    code = f"{load}; print('jsonschema' in sys.modules, 'referencing' in sys.modules)"
    folder = Path(schemas.__file__).resolve().parents[3]
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == "False False\n"


@pytest.mark.parametrize("name", [name for name in schema_names() if not name.endswith("/common")])
def test_schema_names__each_is_a_valid_schema_that_can_be_used(name: str) -> None:
    schema = json.loads(schema_text(name))
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == DRAFT
    assert schema["$id"].endswith(name)
    assert validate(name, document('"neither an object nor an array"'))


def test_validate__works_on_yaml_too() -> None:
    found = read_yaml("version: 1\nprofil: jkz\n")
    assert isinstance(found, Document)
    (fault,) = validate("policy", found)
    assert line(fault) == 'PG023 2:1 $.profil the document has the unknown key "profil"; did you mean "profile"?'
