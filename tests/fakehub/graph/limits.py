"""What GitHub refuses before it looks anything up: lists without a size, pages too large, too many possible nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    InlineFragmentNode,
    IntValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    VariableNode,
    get_named_type,
)

from tests.fakehub.answer import JSON

LARGEST_PAGE = 100
MOST_NODES = 500_000


@dataclass(frozen=True, kw_only=True)
class Use:
    """One use of a list in a query: how many it asks for, and how often the query may come by."""

    name: str
    path: tuple[str, ...]
    first: int | None
    last: int | None
    times: int

    @property
    def size(self) -> int:
        return self.first or self.last or 0


def uses_of(schema: GraphQLSchema, document: DocumentNode, variables: Mapping[str, object]) -> list[Use]:
    fragments = {node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)}
    reader = _Reader(schema=schema, fragments=fragments, variables=variables)
    found: list[Use] = []
    for node in document.definitions:
        if isinstance(node, OperationDefinitionNode) and schema.query_type:
            found += reader.read(node.selection_set, schema.query_type, (), 1)
    return found


def refusals(uses: list[Use]) -> list[JSON]:
    found = [refusal for use in uses for refusal in _refusals_of(use)]
    nodes = node_count(uses)
    if not found and nodes > MOST_NODES:
        words = f"This query requests up to {nodes:,} possible nodes which exceeds the maximum limit of {MOST_NODES:,}."
        found.append({"type": "MAX_NODE_LIMIT_EXCEEDED", "message": words})
    return found


def node_count(uses: list[Use]) -> int:
    return sum(use.times * use.size for use in uses)


def cost(uses: list[Use]) -> int:
    return max(round(sum(use.times for use in uses) / 100), 1)


def _refusals_of(use: Use) -> Iterator[JSON]:
    given = {name: value for name, value in (("first", use.first), ("last", use.last)) if value is not None}
    if not given:
        words = f"You must provide a `first` or `last` value to properly paginate the `{use.name}` connection."
        yield {"type": "MISSING_PAGINATION_BOUNDARIES", "path": list(use.path), "message": words}
    elif len(given) > 1:
        words = f"Passing both `first` and `last` values to paginate the `{use.name}` connection is not supported."
        yield {"type": "INVALID_PAGINATION_BOUNDARIES", "path": list(use.path), "message": words}
    for name, value in given.items():
        if value > LARGEST_PAGE:
            words = (
                f"Requesting {value} records on the `{use.name}` connection exceeds the `{name}` limit of 100 records."
            )
            yield {"type": "EXCESSIVE_PAGINATION", "path": list(use.path), "message": words}
        elif value < 1:
            words = f"`{name}` on the `{use.name}` connection cannot be less than 1."
            yield {"type": "INVALID_PAGINATION_BOUNDARIES", "path": list(use.path), "message": words}


@dataclass(frozen=True, kw_only=True)
class _Reader:
    """Walks a document with the schema in hand."""

    schema: GraphQLSchema
    fragments: Mapping[str, FragmentDefinitionNode]
    variables: Mapping[str, object]

    def read(
        self, selections: SelectionSetNode | None, parent: GraphQLNamedType, path: tuple[str, ...], times: int
    ) -> Iterator[Use]:
        for node in selections.selections if selections else ():
            if isinstance(node, FieldNode):
                yield from self._read_field(node, parent, path, times)
            elif isinstance(node, InlineFragmentNode):
                name = node.type_condition.name.value if node.type_condition else parent.name
                yield from self.read(node.selection_set, self.schema.type_map[name], path, times)
            elif isinstance(node, FragmentSpreadNode):
                fragment = self.fragments[node.name.value]
                inner = self.schema.type_map[fragment.type_condition.name.value]
                yield from self.read(fragment.selection_set, inner, path, times)

    def _read_field(
        self, node: FieldNode, parent: GraphQLNamedType, path: tuple[str, ...], times: int
    ) -> Iterator[Use]:
        name = node.name.value
        if not isinstance(parent, GraphQLObjectType | GraphQLInterfaceType) or name not in parent.fields:
            return
        kind = get_named_type(parent.fields[name].type)
        here = (*path, node.alias.value if node.alias else name)
        if kind.name.endswith("Connection"):
            first, last = self._number(node, "first"), self._number(node, "last")
            use = Use(name=name, path=here, first=first, last=last, times=times)
            yield use
            times *= use.size or 1
        yield from self.read(node.selection_set, kind, here, times)

    def _number(self, node: FieldNode, name: str) -> int | None:
        for argument in node.arguments or ():
            if argument.name.value == name:
                if isinstance(argument.value, IntValueNode):
                    return int(argument.value.value)
                if isinstance(argument.value, VariableNode):
                    value = self.variables.get(argument.value.name.value)
                    return value if isinstance(value, int) else None
        return None
