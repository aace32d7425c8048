"""schema: the list, or one of them."""

from __future__ import annotations

import re

import pytest
from jsonschema import Draft202012Validator

from phasegate.reading.document import Document
from phasegate.reading.json import read_json
from phasegate.reading.schema.registry import schema_names
from phasegate.reading.yaml import read_yaml
from tests.unit.cli.shell import HOSTILE, ROOT, Shell


def test_schema__without_a_name_lists_all(shell: Shell) -> None:
    assert shell("schema").out.split() == list(schema_names())
    assert shell("schema", "--json").data == list(schema_names())
    assert 'did you mean "snapshot"?' in shell("schema", "snapshots").err


@pytest.mark.parametrize("name", schema_names())
def test_schema__prints_one_that_needs_no_other(shell: Shell, name: str) -> None:
    text = (ROOT / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8")
    for arguments in ([name], ["--json", name]):
        done = shell("schema", *arguments)
        assert done.code == 0
        Draft202012Validator.check_schema(done.data)
        references = re.findall(r'"\$ref": "([^"]*)"', done.out)
        assert [each for each in references if each.removeprefix("#/$defs/") not in done.data.get("$defs", {})] == []
        assert done.out == text or "urn:" in text.partition('"properties"')[2]


@pytest.mark.parametrize(
    ("name", "example"), [("policy", "policy/valid/every-key.yml"), ("pipeline/plan", "pipeline/valid/plan.json")]
)
def test_schema__the_one_that_needs_no_other_says_the_same(shell: Shell, name: str, example: str) -> None:
    validator = Draft202012Validator(shell("schema", name).data)
    text = (ROOT / "tests" / "examples" / example).read_text(encoding="utf-8")
    document = read_yaml(text) if example.endswith(".yml") else read_json(text)
    assert isinstance(document, Document)
    assert [error.message for error in validator.iter_errors(document.value)] == []
    assert [error.message for error in validator.iter_errors({"bogus": 1})]


@pytest.mark.parametrize(
    "name", ["polic", "", "../policy", "/etc/passwd", "policy.schema.json", "POLICY", HOSTILE, "a\x00"]
)
def test_schema__an_unknown_name_is_a_mistake_of_the_user(shell: Shell, name: str) -> None:
    assert shell("schema", name).is_a_mistake_of_the_user("NAME", "policy")
