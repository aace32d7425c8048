"""Makes rest.json and schema.graphql from GitHub's published descriptions: ``prune.py OPENAPI_FOLDER GRAPHQL_FOLDER``.

In: the unpacked npm packages ``@octokit/openapi`` and ``@octokit/graphql-schema``. Out: beside this file, what the fake
uses of them. Nothing is fetched.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graphql import (
    DocumentNode,
    EnumTypeDefinitionNode,
    FieldDefinitionNode,
    InputObjectTypeDefinitionNode,
    InterfaceTypeDefinitionNode,
    ListTypeNode,
    NamedTypeNode,
    NonNullTypeNode,
    ObjectTypeDefinitionNode,
    ScalarTypeDefinitionNode,
    TypeDefinitionNode,
    TypeNode,
    UnionTypeDefinitionNode,
    assert_valid_schema,
    build_schema,
    extend_schema,
    parse,
    print_ast,
    print_schema,
)

HERE = Path(__file__).resolve().parent
REFERENCE = "#/components/schemas/"
JSON = dict[str, Any]

# What says nothing about whether an answer is right.
PROSE = {"title", "description", "example", "examples", "externalDocs", "deprecated", "default", "readOnly"}

CREATE_STATUS = "POST /repos/{owner}/{repo}/statuses/{sha}"


def pruned_rest(description: JSON, operations: list[str]) -> JSON:
    """The answers and request bodies of the operations as JSON Schema, with every definition they refer to."""
    kept: JSON = {}
    for operation in operations:
        method, path = operation.split(" ")
        kept[operation] = dict(_parts_of(description, description["paths"][path][method.lower()]))
    schemas = description["components"]["schemas"]
    used = {name: _schema(schemas[name]) for name in sorted(_reachable(kept, schemas))}
    for name in set(_references_in_all_of(used)):
        used[name].pop("additionalProperties", None)
    _deviate(kept, used)
    return {"operations": kept, "$defs": used}


def _deviate(kept: JSON, used: JSON) -> None:
    """Change the description where live answers are known to differ from it; README.md says why for each."""
    if CREATE_STATUS in kept:
        required = [name for name in used["status"]["required"] if name != "creator"]
        kept[CREATE_STATUS]["201"] = used["status"] | {"required": required}
    if "api-overview" in used:
        used["api-overview"]["properties"]["installed_version"] = {"type": "string"}
    for name in {"pull-request", "pull-request-simple"} & set(used):
        head = used[name]["properties"]["head"]["properties"]
        head["repo"] = {"anyOf": [head["repo"], {"type": "null"}]}


def _parts_of(description: JSON, operation: JSON) -> Iterator[tuple[str, JSON]]:
    """The schemas of one operation: by status, ``STATUS MEDIA`` for other media than JSON, and ``request``."""
    for status, answer in operation["responses"].items():
        found = answer
        if "$ref" in answer:
            found = description["components"]["responses"][answer["$ref"].rpartition("/")[2]]
        for media, content in found.get("content", {}).items():
            if media == "application/json":
                yield status, _schema(content["schema"])
            elif status.startswith("2") and "schema" in content:
                yield f"{status} {media}", _schema(content["schema"])
    if "requestBody" in operation:
        yield "request", _schema(operation["requestBody"]["content"]["application/json"]["schema"])


def _schema(source: JSON) -> JSON:
    """An OpenAPI 3.0 schema as JSON Schema; objects are closed, so that the fake cannot invent a key."""
    made: JSON = {key: _keyword(key, value) for key, value in source.items() if key not in PROSE and key[:2] != "x-"}
    if "$ref" in made:
        made = {"$ref": made["$ref"].replace(REFERENCE, "#/$defs/")}
    nullable = made.pop("nullable", False)
    if made.get("properties") and not {"allOf", "anyOf", "oneOf", "additionalProperties"} & set(made):
        made["additionalProperties"] = False
    if not nullable:
        return made
    if "enum" in made:
        made["enum"] = list(dict.fromkeys([*made["enum"], None]))
    if "type" in made:
        made["type"] = [made["type"], "null"]
    if "type" in made and not {"allOf", "anyOf", "oneOf"} & set(made):
        return made
    return {"anyOf": [made, {"type": "null"}]}


def _keyword(key: str, value: object) -> object:
    if key == "properties" and isinstance(value, dict):
        return {name: _schema(item) for name, item in value.items()}
    if key in ("items", "additionalProperties", "not") and isinstance(value, dict):
        return _schema(value)
    if key in ("allOf", "anyOf", "oneOf") and isinstance(value, list):
        return [_schema(item) for item in value]
    return value


def _references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(name := value.get("$ref"), str):
            yield name.rpartition("/")[2]
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _references(item)


def _references_in_all_of(value: object) -> Iterator[str]:
    """The definitions that are one of several parts of an object, and so cannot be closed."""
    if isinstance(value, dict):
        yield from _references([part for part in value.get("allOf", []) if "$ref" in part])
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _references_in_all_of(item)


def _reachable(value: object, schemas: JSON) -> set[str]:
    found: set[str] = set()
    waiting = list(_references(value))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _references(_schema(schemas[name]))
    return found


def pruned_sdl(sdl: str, types: set[str], queries: set[str]) -> str:
    """The schema with the named types, and of each the fields that stay within them; of the roots, the named fields."""
    every = {node.name.value: node for node in parse(sdl).definitions if isinstance(node, TypeDefinitionNode)}
    missing = types - set(every)
    if missing:
        message = f"not in the published schema: {', '.join(sorted(missing))}"
        raise ValueError(message)
    kept = {"Query", *types}
    leaves = (ScalarTypeDefinitionNode, EnumTypeDefinitionNode, InputObjectTypeDefinitionNode)
    known = kept | {"String", "Int", "Float", "Boolean", "ID"} | {n for n, d in every.items() if isinstance(d, leaves)}
    made = {name: _cut(every[name], known, queries) for name in kept}
    waiting = [name for definition in made.values() for name in _named(definition)]
    while waiting:
        name = waiting.pop()
        if name in every and name not in made:
            made[name] = _cut(every[name], known, queries)
            waiting += _named(made[name])
    text = print_ast(DocumentNode(definitions=tuple(made[name] for name in sorted(made))))
    assert_valid_schema(build_schema(text))
    return f"{text}\n"


def _cut(node: TypeDefinitionNode, known: set[str], queries: set[str]) -> TypeDefinitionNode:
    """A definition without prose and without what leads out of the known types."""
    if isinstance(node, ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode):
        fields = [field for field in node.fields or () if _type_name(field.type) in known]
        interfaces = tuple(item for item in node.interfaces or () if item.name.value in known)
        if node.name.value in ("Query", "Mutation"):
            fields = [field for field in fields if field.name.value in queries]
            interfaces = ()
        return type(node)(name=node.name, interfaces=interfaces, fields=tuple(_bare_field(field) for field in fields))
    if isinstance(node, UnionTypeDefinitionNode):
        members = tuple(item for item in node.types or () if item.name.value in known)
        return UnionTypeDefinitionNode(name=node.name, types=members)
    if isinstance(node, EnumTypeDefinitionNode):
        values = tuple(type(value)(name=value.name, directives=()) for value in node.values or ())
        return EnumTypeDefinitionNode(name=node.name, values=values)
    if isinstance(node, InputObjectTypeDefinitionNode):
        inputs = tuple(type(item)(name=item.name, type=item.type) for item in node.fields or ())
        return InputObjectTypeDefinitionNode(name=node.name, fields=inputs)
    return ScalarTypeDefinitionNode(name=node.name)


def _bare_field(field: FieldDefinitionNode) -> FieldDefinitionNode:
    arguments = tuple(
        type(item)(name=item.name, type=item.type, default_value=item.default_value) for item in field.arguments or ()
    )
    return FieldDefinitionNode(name=field.name, arguments=arguments, type=field.type)


def _type_name(node: TypeNode) -> str:
    """The name within lists and exclamation marks."""
    while isinstance(node, ListTypeNode | NonNullTypeNode):
        node = node.type
    return node.name.value if isinstance(node, NamedTypeNode) else ""


def _named(node: TypeDefinitionNode) -> Iterator[str]:
    for field in getattr(node, "fields", None) or ():
        yield _type_name(field.type)
        yield from (_type_name(item.type) for item in getattr(field, "arguments", None) or ())


def main(openapi: Path, graphql: Path) -> None:
    wanted: JSON = json.loads((HERE / "wanted.json").read_text(encoding="utf-8"))
    description = json.loads((openapi / "generated" / "api.github.com.json").read_text(encoding="utf-8"))
    younger = json.loads((HERE / "supplement.json").read_text(encoding="utf-8"))
    description["paths"] |= younger["paths"]
    description["components"]["schemas"] |= younger["components"]["schemas"]
    rest = pruned_rest(description, wanted["operations"])
    lines = []
    for part, entries in rest.items():
        texts = (f"{json.dumps(name)}:{json.dumps(entry, separators=(',', ':'))}" for name, entry in entries.items())
        lines.append(f'"{part}":{{\n' + ",\n".join(texts) + "\n}")
    (HERE / "rest.json").write_text("{" + ",\n".join(lines) + "}\n", encoding="utf-8")
    sdl = (graphql / "schema.graphql").read_text(encoding="utf-8")
    newer = parse((HERE / "supplement.graphql").read_text(encoding="utf-8"))
    # as published it defines a field or two twice, which its readers are meant to forgive
    whole = print_schema(extend_schema(build_schema(sdl, assume_valid_sdl=True), newer))
    text = pruned_sdl(whole, set(wanted["types"]), set(wanted["queries"]))
    (HERE / "schema.graphql").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
