"""A client without a network: it gives the answers it was told, and remembers what it was asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from phasegate.github.client.answers import MissingError, TooLargeError
from phasegate.github.client.client import Client, Known

JSON = dict[str, Any]


class Canned(Client):
    """Answers by path, or by the name of a query; an exception is raised, a list of answers is given one by one.

    ``largest``: how many ids a query may name before its answer is too large.
    """

    def __init__(self, answers: Mapping[str, object], largest: int = 10_000) -> None:
        self.answers = dict(answers)
        self.asked: list[tuple[str, JSON]] = []
        self.paused: list[float] = []
        self.largest = largest
        self.known = Known()

    def _answer(self, name: str, told: Mapping[str, Any]) -> Any:  # noqa: ANN401  (JSON)
        self.asked.append((name, dict(told)))
        if name not in self.answers:
            raise MissingError(name)
        answer = self.answers[name]
        if isinstance(answer, tuple):
            answer, *rest = answer
            self.answers[name] = tuple(rest) or answer
        if isinstance(answer, Exception):
            raise answer
        return answer(told) if callable(answer) else answer

    def get(self, path: str, **parameters: str | int) -> JSON:
        found: JSON = self._answer(path, parameters)
        return found

    def find(self, path: str, **parameters: str | int) -> JSON | None:
        return self.get(path, **parameters) if path in self.answers else None

    def find_any(self, path: str, **parameters: str | int) -> object:
        return self.find(path, **parameters)

    def page(self, path: str, **parameters: str | int) -> list[Any]:
        found: list[Any] = self._answer(path, parameters)
        return found

    def pages(self, path: str, **parameters: str | int) -> list[Any]:
        return self.page(path, **parameters)

    def post(self, path: str, body: Mapping[str, Any]) -> JSON:
        found: JSON = self._answer(path, body)
        return found

    def patch(self, path: str, body: Mapping[str, Any]) -> JSON:
        return self.post(path, body)

    def graphql(self, name: str, query: str, variables: Mapping[str, Any]) -> JSON:
        del query
        ids = [each for told in variables.values() if isinstance(told, list) for each in told]
        if len(ids) > self.largest:
            self.asked.append((name, dict(variables)))
            raise TooLargeError(name)
        found: JSON = self._answer(name, variables)
        return found

    def divisible(self, name: str, query: str, variables: Mapping[str, Any]) -> JSON:
        return self.graphql(name, query, variables)

    def now(self) -> float:
        return 0.0

    def there(self, now: float) -> float | None:
        return now

    def together(self, tasks: Mapping[Any, Callable[[], Any]]) -> dict[Any, Any]:
        return {key: task() for key, task in tasks.items()}

    def pause(self, seconds: float, why: str) -> None:
        del why
        self.paused.append(seconds)
