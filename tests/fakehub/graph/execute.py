"""One GraphQL request: parsed, checked against GitHub's published schema and limits, and executed over the state."""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Callable, Mapping
from typing import Any

import graphql
from graphql.execution.values import get_variable_values

from tests.fakehub.answer import JSON, Answer, NotModelledError, RefusedError, error
from tests.fakehub.git import Git
from tests.fakehub.graph.connections import World
from tests.fakehub.graph.limits import Use, cost, node_count, refusals, uses_of
from tests.fakehub.graph.objects import commit
from tests.fakehub.graph.people import actor
from tests.fakehub.graph.places import comment, issue, not_found, pull, repository, review
from tests.fakehub.nodes import node_key
from tests.fakehub.shapes import PUBLISHED
from tests.fakehub.state import ACTIONS_BOT, State

THINGS: dict[str, Callable[..., JSON]] = {
    "comment": comment, "commit": commit, "issue": issue, "pull": pull, "repository": repository, "review": review,
}  # fmt: skip


@functools.cache
def schema(server: str = "newest") -> graphql.GraphQLSchema:
    """GitHub's published schema, as far as the fake uses it, and that of the oldest server, as far as the code does."""
    name = "schema.graphql" if server == "newest" else "ghes-3.17.graphql"
    return graphql.build_ast_schema(graphql.parse((PUBLISHED / name).read_text(encoding="utf-8")))


@functools.lru_cache(maxsize=200)
def prepared(text: str, server: str = "newest") -> tuple[graphql.DocumentNode | None, tuple[graphql.GraphQLError, ...]]:
    try:
        document = graphql.parse(text)
    except graphql.GraphQLError as fault:
        return None, (fault,)
    return document, tuple(_named(fault) for fault in graphql.validate(schema(server), document))


def _named(fault: graphql.GraphQLError) -> graphql.GraphQLError:
    """A fault of a query as GitHub tells it: with a code beside it."""
    return graphql.GraphQLError(fault.message, nodes=fault.nodes, extensions={"extensions": {"code": "undefinedField"}})


def answer(state: State, body: object, page_cap: int, spent: int) -> Answer:
    """The answer to a GraphQL request; refusals come with status 200 and errors, as GitHub's do."""
    if not isinstance(body, dict) or not isinstance(body.get("query"), str):
        raise RefusedError(error(400, "A query attribute must be specified and must be a string."))
    document, faults = prepared(body["query"], state.extras.server)
    if document is None or faults:
        return Answer(data={"errors": [_shown(fault) for fault in faults]})
    variables, wrong = _variables(document, body)
    if wrong:
        return Answer(data={"errors": wrong})
    uses = uses_of(schema(), document, variables)
    if refused := refusals(uses):
        return Answer(data={"data": None, "errors": refused})
    world = World(state=state, git=Git(state), page_cap=page_cap, things=THINGS)
    result = graphql.execute_sync(
        schema(), document, root_value=_root(world, uses, spent), variable_values=body.get("variables") or {},
        operation_name=body.get("operationName"), field_resolver=_resolve,
    )  # fmt: skip
    for fault in result.errors or ():
        if fault.original_error and not isinstance(fault.original_error, graphql.GraphQLError):
            raise fault.original_error
    data: JSON = {"data": result.data}
    return Answer(data=data | ({"errors": [_shown(fault) for fault in result.errors]} if result.errors else {}))


def _variables(document: graphql.DocumentNode, body: JSON) -> tuple[Mapping[str, object], list[JSON]]:
    definitions = [each for node in document.definitions for each in getattr(node, "variable_definitions", None) or ()]
    given = body.get("variables") or {}
    if not isinstance(given, dict):
        raise RefusedError(error(400, "Variables must be an object."))
    made = get_variable_values(schema(), tuple(definitions), given)
    if isinstance(made, list):
        return {}, [_shown(fault) for fault in made]
    return dict(made.coerced), []


def _resolve(source: Any, info: graphql.GraphQLResolveInfo[Any], **arguments: Any) -> object:  # noqa: ANN401 - as GraphQL hands them
    """The value of a field; one that GitHub has and the fake does not know is the fake's fault."""
    if info.field_name not in source:
        message = f"{info.parent_type.name}.{info.field_name}"
        raise NotModelledError(message)
    value = source[info.field_name]
    return value(**arguments) if callable(value) else value


def _shown(fault: graphql.GraphQLError) -> JSON:
    """An error as GitHub writes it: its type stands beside the message."""
    made: JSON = {**fault.formatted}
    return {**made.pop("extensions", {}), **made}


def _root(world: World, uses: list[Use], spent: int) -> JSON:
    def find_repository(owner: str, name: str, **_: object) -> JSON:
        return repository(world, f"{owner}/{name}")

    def rate_limit(**_: object) -> JSON:
        later = dt.datetime.now(dt.timezone.utc) + dt.timedelta(hours=1)
        used = spent + cost(uses)
        left = {"limit": 1000, "used": used, "remaining": 1000 - used}
        return {**left, "cost": cost(uses), "nodeCount": node_count(uses), "resetAt": later.isoformat("T", "seconds")}

    return {
        "repository": find_repository,
        "node": lambda id: _node(world, id),  # noqa: A006 - GraphQL's name
        "nodes": lambda ids: [_node_or_error(world, each) for each in ids],
        "rateLimit": rate_limit,
        # GitHub calls whoever asks a user, an app too, and writes its login as REST does
        "viewer": {**(actor(ACTIONS_BOT) or {}), "__typename": "User", "login": ACTIONS_BOT["login"]},
    }


def _node_or_error(world: World, text: str) -> JSON | graphql.GraphQLError:
    try:
        return _node(world, text)
    except graphql.GraphQLError as fault:
        return fault


def _node(world: World, text: str) -> JSON:
    kind, key = node_key(text) or ("", [])
    found: JSON | None = None
    if kind == "Repository":
        found = repository(world, str(key[0]))
    elif kind == "Commit" and key[1] in world.git.commits:
        found = commit(world, str(key[0]), str(key[1]))
    elif kind == "PullRequest":
        told = world.state.pull(str(key[0]), int(str(key[1])))
        found = pull(world, told) if told else None
    elif kind == "Issue":
        told = world.state.issue(str(key[0]), int(str(key[1])))
        found = issue(world, told) if told else None
    elif kind in ("IssueComment", "PullRequestReview"):
        found = _said(world, kind, key[0])
    if found is None:
        raise not_found("a node", f"the global id of '{text}'")
    return found


def _said(world: World, kind: str, number: object) -> JSON | None:
    lists, make = ("reviews", review) if kind == "PullRequestReview" else ("comments", comment)
    for place in [*world.git.pulls, *world.state.issues()]:
        for said in place.get(lists, []):
            if said["id"] == number:
                return make(world, said, place)
    return None
