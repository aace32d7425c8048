"""Joining: several questions asked as one, since each takes a point at least."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from phasegate.github.client.answers import GitHubError, Task, TooLargeError
from phasegate.github.client.client import Client
from phasegate.github.reading import conversation

JSON = dict[str, Any]
Question = tuple[str, str, Mapping[str, Any]]
_BEGIN = re.compile(r"query (\w+)\(([^)]*)\)\s*\{", re.ASCII)
_FIELD = re.compile(r"(?:(\w+)\s*:\s*)?(\w+)", re.ASCII)
_FRAGMENT = re.compile(r"^(?=fragment (\w+) on )", re.ASCII | re.MULTILINE)


def joined(queries: Sequence[str]) -> str:
    """One query for several: what each asks for and its variables are called ``q0_…``, ``q1_…``."""
    names, variables, bodies, fragments = "", [], "", dict[str, str]()
    for number, query in enumerate(queries):
        begin = _BEGIN.search(query)
        assert begin is not None, query  # noqa: S101  (our own queries; a test joins them)
        asked, rest = _prefixed(query[begin.end() :], f"q{number}_")
        names += begin[1]
        variables.append(_renamed(begin[2], f"q{number}_"))
        bodies += _renamed(asked, f"q{number}_")
        _, *parts = _FRAGMENT.split(rest)
        fragments |= dict(zip(parts[::2], parts[1::2], strict=True))
    return f"query {names}({', '.join(variables)}) {{{bodies}}}\n" + "\n".join(fragments.values())


def _renamed(text: str, prefix: str) -> str:
    return text.replace("$", f"${prefix}")


def _prefixed(text: str, prefix: str) -> tuple[str, str]:
    """What a query asks for, up to the brace that ends it, under other names; and what follows."""
    made, place, depth = "", 0, 0
    while depth or text[place] != "}":
        field = _FIELD.match(text, place) if depth == 0 else None
        if field is None:
            depth += (text[place] in "({") - (text[place] in ")}")
        piece = text[place] if field is None else f"{prefix}{field[1] or field[2]}: {field[2]}"
        made, place = made + piece, place + 1 if field is None else field.end()
    return made, text[place + 1 :]


class _NotedError(Exception):
    """A task has told its question."""


class Joint:
    """Several questions asked as one, since each takes a point at least; what was not foreseen is asked alone.

    Where they are too much for one question, each is asked alone too.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._foreseen: list[Question] = []
        self._noting = False
        self._lock = threading.Lock()
        self._answers: list[JSON] | GitHubError | None = None

    def foresee(self, tasks: Iterable[Task]) -> None:
        """Begin tasks for the question that each begins with; none of them does anything before it."""
        self._noting = True
        for task in tasks:
            with suppress(_NotedError):
                task()
        self._noting = False

    def graphql(self, name: str, query: str, variables: Mapping[str, Any]) -> JSON:
        """The data of a query, whole."""
        return self._asked((name, query, variables), self._client.graphql)

    def divisible(self, name: str, query: str, variables: Mapping[str, Any]) -> JSON:
        """The data of a query that can be asked in smaller pieces."""
        return self._asked((name, query, variables), self._client.divisible)

    def _asked(self, question: Question, alone: conversation.Ask) -> JSON:
        if self._noting:
            self._foreseen.append(question)
            raise _NotedError
        if question not in self._foreseen or len(self._foreseen) == 1:
            return alone(*question)
        with self._lock:
            if self._answers is None:
                self._answers = self._all()
        if isinstance(self._answers, TooLargeError):
            return alone(*question)
        if isinstance(self._answers, GitHubError):
            raise self._answers
        return self._answers[self._foreseen.index(question)]

    def _all(self) -> list[JSON] | GitHubError:
        variables = {f"q{n}_{key}": each for n, (_, _, told) in enumerate(self._foreseen) for key, each in told.items()}
        query = joined([query for _, query, _ in self._foreseen])
        try:
            answer = self._client.divisible("".join(name for name, _, _ in self._foreseen), query, variables)
        except GitHubError as error:
            return error
        parts = [(key.partition("_"), value) for key, value in answer.items()]
        return [
            {name: value for (part, _, name), value in parts if part == f"q{number}"}
            for number in range(len(self._foreseen))
        ]
