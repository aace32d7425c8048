"""Waves: each part is read as soon as its needs are there, and the questions of one wave are asked as one.

A part names its needs. Each wave sends the requests of all ready parts in parallel. Its GraphQL requests become one
question, since each costs at least a point; too large a question is split.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Protocol, TypeAlias, TypeVar

from phasegate.github.client.answers import GitHubError, Task, TooLargeError
from phasegate.github.client.client import Client
from phasegate.github.reading.queries import PAGES, fragments_of
from phasegate.model.frozen import dataclass

JSON = dict[str, Any]
T = TypeVar("T")
R = TypeVar("R")
S = TypeVar("S")
# About so many items one question asks at most: GitHub takes ten seconds for an answer, and a commit's file its while.
MOST_ASKED = 400
LOT = "lot"
# Its title, its text, and its variables.
Asked = tuple[str, str, Mapping[str, Any]]


class Ask(Protocol):
    """A function that sends a query."""

    def __call__(self, name: str, query: str, variables: Mapping[str, Any]) -> JSON:
        """Its data."""


def in_pieces(client: Client, items: Sequence[T], ask: Callable[[Ask, Sequence[T]], R]) -> list[R]:
    """The answers to a question about some items, split in halves if it is too much."""
    if len(items) == 1:
        return [ask(client.graphql, items)]
    try:
        return [ask(client.divisible, items)]
    except TooLargeError:
        middle = len(items) // 2
    return [*in_pieces(client, items[:middle], ask), *in_pieces(client, items[middle:], ask)]


def connections(
    ask: Ask, named: tuple[str, str], variables: Mapping[str, Any], at: Callable[[JSON], Mapping[str, Any]], most: int
) -> Iterator[JSON]:
    """The pages of a list, one after the other to its end."""
    after, (name, query) = None, named
    for _ in range(most):
        answer = ask(name, query, {**variables, "after": after})
        yield answer
        page = at(answer)["pageInfo"]
        if not page["hasNextPage"]:
            return
        after = page["endCursor"]
    raise GitHubError(f"query {name}: more than {most} pages")


def in_pages(client: Client, ask: Callable[[Ask, int], R]) -> R:
    """The answer to a paged question, with the largest page that GitHub and we can handle."""
    *larger, smallest = PAGES
    for page in larger:
        with suppress(TooLargeError):
            return ask(client.divisible, page)
    return ask(client.graphql, smallest)


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A GraphQL question about some items: how to ask it, and how to read its answer, by name."""

    items: Sequence[Any]
    asks: Callable[[Sequence[Any]], Asked]
    tells: Callable[[JSON, Sequence[Any]], dict[Any, Any]]

    def alone(self, client: Client) -> dict[Any, Any]:
        """The answer to this question alone, in as many pieces as needed."""
        found = in_pieces(client, self.items, lambda ask, some: self.tells(ask(*self.asks(some)), some))
        return {name: told for piece in found for name, told in piece.items()}


Reads = Mapping[Hashable, Task | Question]
# What is read: its name, what it needs, and its requests, which are told what else this wave asks for.
Part: TypeAlias = "tuple[str, tuple[str, ...], Callable[[S, Reads], Reads]]"


def read_parts(client: Client, parts: Sequence[Part[S]], state: S, results: dict[Hashable, Any]) -> None:
    """Reads parts in waves and adds the answers to ``results`` by key. A part is listed after those that it needs.

    A part with nothing to read is done at once, so that parts which need it join the same wave. The last parts listed
    are asked first.
    """
    done: set[str] = set()
    while len(done) < len(parts):
        asked: dict[Hashable, Task | Question] = {}
        taken: set[str] = set()
        for name, needs, reads in parts:
            if name not in done and done.issuperset(needs):
                found = reads(state, asked)
                asked = {**found, **asked}
                (taken if found else done).add(name)
        results |= wave(client, asked)
        done |= taken


def wave(client: Client, reads: Mapping[Hashable, Task | Question]) -> dict[Hashable, Any]:
    """The results of independent reads in parallel. GraphQL questions are merged into as few as possible."""
    asked = {key: each for key, each in reads.items() if isinstance(each, Question)}
    tasks: dict[Hashable, Task] = {key: each for key, each in reads.items() if not isinstance(each, Question)}
    lots: list[dict[Hashable, Question]] = []
    for key, each in asked.items():
        if not lots or sum(len(other.items) for other in lots[-1].values()) + len(each.items) > MOST_ASKED:
            lots.append({})
        lots[-1][key] = each
    found = client.together({**tasks, **{(LOT, n): partial(_as_one, client, lot) for n, lot in enumerate(lots)}})
    answers = {key: told for n in range(len(lots)) for key, told in found[LOT, n].items()}
    return {key: answers[key] if key in answers else found[key] for key in reads}


def _as_one(client: Client, asked: Mapping[Hashable, Question]) -> dict[Hashable, dict[Any, Any]]:
    """The answers to several questions, asked as one, or separately if that is too much."""
    if len(asked) == 1:
        return {key: each.alone(client) for key, each in asked.items()}
    made = [each.asks(each.items) for each in asked.values()]
    variables = {f"q{n}_{name}": value for n, (_, _, told) in enumerate(made) for name, value in told.items()}
    try:
        answer = client.divisible(
            "".join(title for title, _, _ in made), joined([text for _, text, _ in made]), variables
        )
    except TooLargeError:
        return client.together({key: partial(each.alone, client) for key, each in asked.items()})
    told: list[JSON] = [{} for _ in made]
    for key, value in answer.items():
        number, _, name = key.partition("_")
        told[int(number[1:])][name] = value
    return {key: each.tells(told[n], each.items) for n, (key, each) in enumerate(asked.items())}


_BEGIN = re.compile(r"query (\w+)\(([^)]*)\)\s*\{", re.ASCII)
_FIELD = re.compile(r"(?:(\w+)\s*:\s*)?(\w+)", re.ASCII)


def joined(queries: Sequence[str]) -> str:
    """One query for several, with prefixes ``q0_…``, ``q1_…`` for their names and variables."""
    names, variables, bodies, fragments = "", [], "", dict[str, str]()
    for place, query in enumerate(queries):
        begin = _BEGIN.search(query)
        assert begin is not None, query  # noqa: S101  (our own queries; a test joins them)
        asked, rest = _prefixed(query[begin.end() :], f"q{place}_")
        names += begin[1]
        variables.append(begin[2].replace("$", f"$q{place}_"))
        bodies += asked.replace("$", f"$q{place}_")
        fragments |= fragments_of(rest)
    return f"query {names}({', '.join(variables)}) {{{bodies}}}\n" + "\n".join(fragments.values())


def _prefixed(text: str, prefix: str) -> tuple[str, str]:
    """A query's selection with prefixed names, and the text after it."""
    made, place, depth = "", 0, 0
    while depth or text[place] != "}":
        field = _FIELD.match(text, place) if depth == 0 else None
        if field is None:
            depth += (text[place] in "({") - (text[place] in ")}")
        piece = text[place] if field is None else f"{prefix}{field[1] or field[2]}: {field[2]}"
        made, place = made + piece, place + 1 if field is None else field.end()
    return made, text[place + 1 :]
