"""schema: the list, or one of them."""

from __future__ import annotations

import json

import pytest

from phasegate.reading.schema.registry import schema_names
from tests.unit.cli.shell import HOSTILE, ROOT, Shell


def test_schema__without_a_name_lists_all(shell: Shell) -> None:
    assert shell("schema").out.split() == list(schema_names())
    assert shell("schema", "--json").data == list(schema_names())


@pytest.mark.parametrize("name", schema_names())
def test_schema__prints_the_file_as_it_is(shell: Shell, name: str) -> None:
    text = (ROOT / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8")
    for arguments in ([name], ["--json", name]):
        done = shell("schema", *arguments)
        assert (done.code, done.out) == (0, text)
    json.loads(text)


@pytest.mark.parametrize(
    "name", ["polic", "", "../policy", "/etc/passwd", "policy.schema.json", "POLICY", HOSTILE, "a\x00"]
)
def test_schema__an_unknown_name_is_a_mistake_of_the_user(shell: Shell, name: str) -> None:
    assert shell("schema", name).is_a_mistake_of_the_user("NAME", "policy")


def test_schema__a_misspelt_name_is_told_what_was_meant(shell: Shell) -> None:
    assert "did you mean snapshot?" in shell("schema", "snapshots").err
