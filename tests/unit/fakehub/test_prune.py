"""How GitHub's descriptions are cut down: on small ones, and that the kept files are what the cutting gives."""

from __future__ import annotations

import json

import pytest
from graphql import build_schema

from tests.fakehub.answer import JSON
from tests.fakehub.published.prune import pruned_rest, pruned_sdl
from tests.fakehub.shapes import PUBLISHED, published

SDL = '''
"""Prose"""
type Query implements Node { id: ID! thing(order: Order = {by: NAME}): Thing other: Other }
interface Node { id: ID! }
"""Prose"""
type Thing implements Node & Gone { "Prose" id: ID! many(first: Int): Things other: Other any: Any old: Int }
type Things { nodes: [Thing!]! }
interface Gone { id: ID! }
type Other { id: ID! }
union Any = Thing | Other
input Order { by: By! }
enum By { NAME "Prose" TIME }
'''


def described(schema: JSON, **schemas: JSON) -> JSON:
    answer = {"200": {"content": {"application/json": {"schema": schema}}}}
    return {"paths": {"/x": {"get": {"responses": answer}}}, "components": {"schemas": schemas, "responses": {}}}


def pruned(schema: JSON, **schemas: JSON) -> JSON:
    return pruned_rest(described(schema, **schemas), ["GET /x"])


@pytest.mark.parametrize(("source", "made"), [
    ({"type": "string", "description": "Prose", "x-note": 1, "example": "a"}, {"type": "string"}),
    ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
    ({"type": "string", "enum": ["a"], "nullable": True}, {"type": ["string", "null"], "enum": ["a", None]}),
    ({"oneOf": [{"type": "string"}], "nullable": True}, {"anyOf": [{"oneOf": [{"type": "string"}]}, {"type": "null"}]}),
    ({"type": "object", "properties": {"title": {"type": "string"}}},
     {"type": "object", "properties": {"title": {"type": "string"}}, "additionalProperties": False}),
    ({"type": "object", "additionalProperties": True}, {"type": "object", "additionalProperties": True}),
])  # fmt: skip
def test_pruned_rest__makes_json_schema(source: JSON, made: JSON) -> None:
    assert pruned(source)["operations"]["GET /x"]["200"] == made


def test_pruned_rest__keeps_what_is_referred_to() -> None:
    reference = {"$ref": "#/components/schemas/a"}
    schemas: dict[str, JSON] = {
        "a": {"type": "array", "items": {"$ref": "#/components/schemas/b"}},
        "b": {"type": "object", "properties": {"again": reference}},
        "unused": {"type": "string"},
    }
    kept = pruned(reference, **schemas)
    assert kept["operations"]["GET /x"]["200"] == {"$ref": "#/$defs/a"}
    assert set(kept["$defs"]) == {"a", "b"}


def test_pruned_rest__leaves_parts_of_a_whole_open() -> None:
    part = {"type": "object", "properties": {"id": {"type": "integer"}}}
    kept = pruned(
        {"$ref": "#/components/schemas/whole"}, part=part, whole={"allOf": [{"$ref": "#/components/schemas/part"}]}
    )
    assert "additionalProperties" not in kept["$defs"]["part"]


def test_pruned_sdl__stays_within_the_wanted_types() -> None:
    text = pruned_sdl(SDL, {"Thing", "Things", "Node", "Any"}, {"thing"})
    made = build_schema(text)
    assert "Prose" not in text
    assert {name for name in made.type_map if name[0] != "_"} - {"ID", "Int", "String", "Boolean"} == {
        *("Query", "Thing", "Things", "Node", "Any", "Order", "By")
    }
    assert "other" not in text
    assert "union Any = Thing" in text


def test_pruned_sdl__does_not_invent_types() -> None:
    with pytest.raises(ValueError, match="not in the published schema: Nonsense"):
        pruned_sdl(SDL, {"Nonsense"}, set())


def test_kept_files__are_what_was_wanted_and_small() -> None:
    wanted = json.loads((PUBLISHED / "wanted.json").read_text(encoding="utf-8"))
    assert set(published()["operations"]) == set(wanted["operations"])
    schema = (PUBLISHED / "schema.graphql").read_text(encoding="utf-8")
    assert set(wanted["types"]) <= set(build_schema(schema).type_map)
    assert sum(path.stat().st_size for path in PUBLISHED.iterdir() if path.is_file()) < 300_000
