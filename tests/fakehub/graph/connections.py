"""Lists in GraphQL: cut into pages by opaque cursors, with their count."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from graphql import GraphQLError

from tests.fakehub.answer import JSON
from tests.fakehub.git import Git
from tests.fakehub.state import State

Item = TypeVar("Item")
# the arguments of a field, as GraphQL hands them over
Arguments = Mapping[str, object]


@dataclass(frozen=True, kw_only=True)
class World:
    """What resolvers look at, and how they make the things that lead to one another: ``things`` by kind."""

    state: State
    git: Git
    page_cap: int
    things: Mapping[str, Callable[..., JSON]]

    def make(self, kind: str, *told: object) -> JSON:
        return self.things[kind](self, *told)


def connection(world: World, items: Sequence[Item], make: Callable[[Item], JSON], page: Arguments) -> JSON:
    """A page of a list; of the arguments first, last, after and before are looked at."""
    start, end = _bounds(items, page)
    first, last = page.get("first"), page.get("last")
    if isinstance(first, int):
        end = min(end, start + min(first, world.page_cap))
    elif isinstance(last, int):
        start = max(start, end - min(last, world.page_cap))
    made = [make(item) for item in items[start:end]]
    cursors = [_cursor(position) for position in range(start, end)]
    return {
        "totalCount": len(items),
        "filteredCount": len(items),
        "pageCount": len(made),
        "nodes": made,
        "edges": [{"cursor": cursor, "node": node} for cursor, node in zip(cursors, made, strict=True)],
        "pageInfo": {
            "hasNextPage": end < len(items), "hasPreviousPage": start > 0,
            "startCursor": cursors[0] if cursors else None, "endCursor": cursors[-1] if cursors else None,
        },
    }  # fmt: skip


def names_in(page: Arguments, name: str) -> list[str] | None:
    value = page.get(name)
    return [str(item) for item in value] if isinstance(value, list) else None


def _bounds(items: Sequence[object], page: Arguments) -> tuple[int, int]:
    after, before = page.get("after"), page.get("before")
    start = _position(after) + 1 if isinstance(after, str) else 0
    end = _position(before) if isinstance(before, str) else len(items)
    return min(start, len(items)), min(end, len(items))


def _cursor(position: int) -> str:
    return base64.b64encode(f"cursor:v2:{position:06}".encode()).decode()


def _position(cursor: str) -> int:
    try:
        text = base64.b64decode(cursor, validate=True).decode()
        return int(text.removeprefix("cursor:v2:"))
    except (binascii.Error, ValueError):
        message = f"`{cursor}` does not appear to be a valid cursor."
        raise GraphQLError(message, extensions={"type": "INVALID_CURSOR_ARGUMENTS"}) from None
