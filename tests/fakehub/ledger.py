"""What was asked of the hub, in order, with times: for counting requests and round trips."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl


@dataclass(kw_only=True)
class Request:
    """One request; ``headers`` are in lower case and hold no token, ``ended`` is when its answer began to leave.

    ``authorized`` tells whether it came with the hub's token.
    """

    number: int
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    authorized: bool
    started: float
    body: object = None
    ended: float | None = None
    status: int | None = None

    @property
    def target(self) -> str:
        """Method, path and query as faults match them."""
        query = "&".join(f"{name}={value}" for name, value in self.query.items())
        return f"{self.method} {self.path}" + (f"?{query}" if query else "")

    @property
    def text(self) -> str:
        return str(self.body.get("query", "")) if isinstance(self.body, dict) and self.path == "/graphql" else ""


@dataclass
class Ledger:
    """Every request so far."""

    requests: list[Request] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def open(self, method: str, target: str, headers: Mapping[str, str], token: str) -> Request:
        kept = {name.lower(): value for name, value in headers.items()}
        authorized = kept.pop("authorization", "") == f"Bearer {token}"
        path, _, query = target.partition("?")
        with self._lock:
            request = Request(
                number=len(self.requests) + 1, method=method, path=path,
                query=dict(parse_qsl(query, keep_blank_values=True)), headers=kept, authorized=authorized,
                started=time.monotonic(),
            )  # fmt: skip
            self.requests.append(request)
        return request


def sequential_depth(requests: Iterable[Request]) -> int:
    """The longest chain of requests of which each began after the one before had its answer.

    Requests that are meant to run side by side overlap for certain only if the hub has some latency.
    """
    depth = 0
    free_at = float("-inf")
    for request in sorted(requests, key=_end):
        if request.started >= free_at:
            depth += 1
            free_at = _end(request)
    return depth


def _end(request: Request) -> float:
    """When a request ended; never, if it has not yet."""
    return float("inf") if request.ended is None else request.ended
