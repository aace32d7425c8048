"""Makes ghes-3.17.graphql: what the queries in the code use, as far as the schema of the oldest server has it.

``python3 -m tests.fakehub.published.oldest SCHEMA``, from the root of the repository with the packages of the tests
installed. SCHEMA is ``src/graphql/data/ghes-3.17/schema.docs-enterprise.graphql`` of the repository github/docs.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import graphql

HERE = Path(__file__).resolve().parent
FILE = HERE / "ghes-3.17.graphql"
ROOTS = ("Query", "Mutation")
Used = dict[str, dict[str, set[str]]]


class _Reader(graphql.Visitor):
    """Notes every type, field, argument and enum value that a document names."""

    def __init__(self, info: graphql.TypeInfo, used: Used) -> None:
        super().__init__()
        self.info, self.used = info, used

    def enter_field(self, node: graphql.FieldNode, *_: Any) -> None:  # noqa: ANN401 - as GraphQL calls it
        parent, field = self.info.get_parent_type(), self.info.get_field_def()
        if parent is not None and field is not None and not node.name.value.startswith("__"):
            names = self.used.setdefault(parent.name, {}).setdefault(node.name.value, set())
            names |= {argument.name.value for argument in node.arguments or ()}
            self.used.setdefault(graphql.get_named_type(field.type).name, {})

    def enter_named_type(self, node: graphql.NamedTypeNode, *_: Any) -> None:  # noqa: ANN401 - as GraphQL calls it
        self.used.setdefault(node.name.value, {})

    def enter_enum_value(self, node: graphql.EnumValueNode, *_: Any) -> None:  # noqa: ANN401 - as GraphQL calls it
        kind = graphql.get_named_type(self.info.get_input_type())
        if kind is not None:
            self.used.setdefault(kind.name, {}).setdefault(node.value, set())

    def enter_object_field(self, node: graphql.ObjectFieldNode, *_: Any) -> None:  # noqa: ANN401 - as GraphQL calls it
        kind = graphql.get_named_type(self.info.get_parent_input_type())
        if kind is not None:
            self.used.setdefault(kind.name, {}).setdefault(node.name.value, set())


def used_by(queries: list[str], newest: graphql.GraphQLSchema) -> Used:
    """What queries use: by type the fields with their arguments, the inputs and the enum values."""
    used: Used = {}
    for query in queries:
        info = graphql.TypeInfo(newest)
        graphql.visit(graphql.parse(query), graphql.TypeInfoVisitor(info, _Reader(info, used)))
    return used


def cut(schema: graphql.GraphQLSchema, used: Used) -> str:
    """A schema with nothing but what is used."""
    found = {name: schema.type_map[name] for name in sorted(used) if name in schema.type_map}
    for kind in found.values():
        if isinstance(kind, graphql.GraphQLObjectType | graphql.GraphQLInterfaceType) and not used[kind.name]:
            used[kind.name]["id" if "id" in kind.fields else next(iter(kind.fields))] = set()
    for kind in found.values():  # whatever is used of an interface its types must have
        for above in getattr(kind, "interfaces", ()) if kind.name not in ROOTS else ():
            used[kind.name] |= {name: set() for name in used.get(above.name, ()) if name not in used[kind.name]}
    return "\n".join(filter(None, (_definition(kind, used, found) for kind in found.values())))


def _definition(kind: object, used: Used, found: dict[str, Any]) -> str:
    if isinstance(kind, graphql.GraphQLObjectType | graphql.GraphQLInterfaceType):
        word = "interface" if isinstance(kind, graphql.GraphQLInterfaceType) else "type"
        lines = [_field(name, kind.fields[name], used[kind.name][name]) for name in _names(kind.fields, kind, used)]
        above = [each.name for each in kind.interfaces if each.name in found and kind.name not in ROOTS]
        named = f" implements {' & '.join(above)}" if above else ""
        return _block(f"{word} {kind.name}{named}", lines)
    if isinstance(kind, graphql.GraphQLUnionType):
        members = [each.name for each in kind.types if each.name in found]
        return f"union {kind.name} = {' | '.join(members)}\n"
    if isinstance(kind, graphql.GraphQLEnumType):
        wanted = _names(kind.values, kind, used) or list(kind.values)
        return _block(f"enum {kind.name}", [f"  {name}" for name in wanted])
    if isinstance(kind, graphql.GraphQLInputObjectType):
        lines = [_input(name, kind.fields[name]) for name in _names(kind.fields, kind, used)]
        return _block(f"input {kind.name}", lines)
    name = getattr(kind, "name", "")
    return "" if name in ("String", "Int", "Float", "Boolean", "ID") else f"scalar {name}\n"


def _names(there: dict[str, Any], kind: Any, used: Used) -> list[str]:  # noqa: ANN401 - any kind of type
    return [name for name in sorted(used[kind.name]) if name in there]


def _block(head: str, lines: list[str]) -> str:
    return "\n".join([f"{head} {{", *lines, "}", ""])


def _field(name: str, field: graphql.GraphQLField, arguments: set[str]) -> str:
    given = ", ".join(f"{each}: {field.args[each].type}" for each in sorted(arguments) if each in field.args)
    return f"  {name}({given}): {field.type}" if given else f"  {name}: {field.type}"


def _input(name: str, field: graphql.GraphQLInputField) -> str:
    return f"  {name}: {field.type}"


def main(path: str) -> None:
    """Write what is used, under the words that the file begins with."""
    from tests.contract.test_queries import QUERIES  # noqa: PLC0415 - it imports the fake
    from tests.fakehub.graph.execute import schema  # noqa: PLC0415 - the same

    published = graphql.build_schema(Path(path).read_text(encoding="utf-8"), assume_valid_sdl=True)
    before = FILE.read_text(encoding="utf-8").splitlines() if FILE.exists() else []
    words = [line for line in before if line.startswith("#")]
    FILE.write_text("\n".join([*words, "", cut(published, used_by(list(QUERIES.values()), schema()))]), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
