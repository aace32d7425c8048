"""The client: one session, bounded in time and size, that asks again where GitHub's rules allow it.

Redirects are not followed, nothing is taken from ``.netrc``, and the token goes to one host only.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter

from phasegate import VERSION
from phasegate.github.answers import (
    Answer,
    Data,
    GitHubError,
    Missing,
    Retry,
    Understood,
    failed_connection,
    understand,
    understand_graphql,
)

API_VERSION = "2022-11-28"
CONNECT_SECONDS, READ_SECONDS = 10.0, 20.0
LARGEST_ANSWER = 32 * 1024 * 1024
CHUNK = 65536
SIDE_BY_SIDE = 8
MOST_PAGES = 100
K = TypeVar("K")
T = TypeVar("T")
Understand = Callable[[Answer, str, int, float], Understood]


@dataclass(frozen=True, kw_only=True, slots=True)
class Clock:
    """Time as the client needs it: since some moment, since the epoch, and a wait."""

    monotonic: Callable[[], float]
    epoch: Callable[[], float]
    sleep: Callable[[float], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Server:
    """Where GitHub is and how to reach it."""

    rest: str
    graphql: str
    token: str = field(repr=False)
    proxies: Mapping[str, str] = field(default_factory=dict)
    certificates: str | None = None


class Client:
    """Reads and writes GitHub until its deadline."""

    def __init__(self, server: Server, clock: Clock, seconds: float) -> None:
        self._server = server
        self._clock = clock
        self._deadline = clock.monotonic() + seconds
        self._session = _session(server)

    def get(self, path: str, **parameters: str | int) -> Any:  # noqa: ANN401  (JSON)
        """The value at a path; its absence is a failure."""
        found = self.find(path, **parameters)
        if isinstance(found, Missing):
            raise GitHubError(f"GET {path}: not found. Does the token see the repository, and is the number right?")
        return found.value

    def find(self, path: str, **parameters: str | int) -> Data | Missing:
        """The value at a path, if there is one."""
        return self._ask("GET", self._server.rest + path, f"GET {path}", understand, parameters=parameters)

    def post(self, path: str, body: Mapping[str, Any]) -> Any:  # noqa: ANN401  (JSON)
        """Write, and read what was written."""
        answer = self._ask("POST", self._server.rest + path, f"POST {path}", understand, body=body)
        if isinstance(answer, Missing):
            raise GitHubError(f"POST {path}: not found. May the token write there?")
        return answer.value

    def graphql(self, name: str, query: str, variables: Mapping[str, Any]) -> Any:  # noqa: ANN401  (JSON)
        """The data of a query, whole."""
        body = {"query": query, "variables": variables}
        answer = self._ask("POST", self._server.graphql, f"query {name}", understand_graphql, body=body)
        if isinstance(answer, Missing):
            raise GitHubError(f"query {name}: not found. Does the token see the repository, and is the number right?")
        return answer.value

    def pages(self, path: str, **parameters: str | int) -> list[Any]:
        """Every item of a list that can only be read page after page."""
        items: list[Any] = []
        url: str | None = self._server.rest + path
        for _ in range(MOST_PAGES):
            if url is None:
                return items
            page = self._ask("GET", url, f"GET {path}", understand, parameters=parameters)
            if isinstance(page, Missing) or not isinstance(page.value, list):
                raise GitHubError(f"GET {path}: a page of the list is missing")
            items.extend(page.value)
            url, parameters = self._same_host(page.next_url), {}
        raise GitHubError(f"GET {path}: more than {MOST_PAGES} pages")

    def together(self, tasks: Mapping[K, Callable[[], T]]) -> dict[K, T]:
        """The results of independent reads, made side by side; the first failure fails all."""
        with ThreadPoolExecutor(max_workers=SIDE_BY_SIDE) as pool:
            running = {key: pool.submit(task) for key, task in tasks.items()}
            return {key: task.result() for key, task in running.items()}

    def _same_host(self, url: str | None) -> str | None:
        if url is not None and urlsplit(url)[:2] != urlsplit(self._server.rest)[:2]:
            raise GitHubError("the next page is said to be on another host")
        return url

    def _ask(  # noqa: PLR0913  (the parts of a request)
        self,
        method: str,
        url: str,
        what: str,
        meaning: Understand,
        *,
        parameters: Mapping[str, str | int] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> Data | Missing:
        attempt = 0
        while True:
            attempt += 1
            understood = self._try(method, url, what, meaning, attempt, parameters, body)
            if not isinstance(understood, Retry):
                return understood
            self._wait(understood)

    def _try(  # noqa: PLR0913, PLR0917  (the parts of a request)
        self,
        method: str,
        url: str,
        what: str,
        meaning: Understand,
        attempt: int,
        parameters: Mapping[str, str | int] | None,
        body: Mapping[str, Any] | None,
    ) -> Understood:
        try:
            with self._session.request(
                method,
                url,
                params=dict(parameters or {}),
                data=None if body is None else json.dumps(body).encode(),
                timeout=(CONNECT_SECONDS, min(READ_SECONDS, self._left(what))),
                allow_redirects=False,
                stream=True,
            ) as response:
                answer = Answer(
                    status=response.status_code, headers=dict(response.headers), body=self._body(response, what)
                )
        except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
            return failed_connection(what, attempt, type(error).__name__)
        return meaning(answer, what, attempt, self._clock.epoch())

    def _body(self, response: requests.Response, what: str) -> bytes:
        """The body, within bounds of size and time even if it arrives byte by byte."""
        body = bytearray()
        # read1 returns what is there; the other ways of reading wait until a whole chunk is
        while chunk := response.raw.read1(CHUNK, decode_content=True):
            body += chunk
            if len(body) > LARGEST_ANSWER:
                raise GitHubError(f"{what}: the answer is larger than {LARGEST_ANSWER} bytes")
            self._left(what)
        return bytes(body)

    def _left(self, what: str) -> float:
        left = self._deadline - self._clock.monotonic()
        if left <= 0:
            raise GitHubError(f"{what}: out of time. GitHub is slow or limits this token; the next event tries again")
        return left

    def _wait(self, retry: Retry) -> None:
        if retry.seconds >= self._left(retry.why):
            raise GitHubError(f"{retry.why}: GitHub asks to wait {retry.seconds:.0f} s, longer than this run may last")
        self._clock.sleep(retry.seconds)


def _session(server: Server) -> requests.Session:
    session = requests.Session()
    session.trust_env = False
    session.proxies = dict(server.proxies)
    if server.certificates:
        session.verify = server.certificates
    session.headers.update(
        {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {server.token}",
            "User-Agent": f"phase-gate/{VERSION}",
            "X-GitHub-Api-Version": API_VERSION,
        }
    )
    adapter = HTTPAdapter(pool_connections=2, pool_maxsize=SIDE_BY_SIDE, max_retries=0)
    session.mount("https://", adapter)
    session.mount("http://", adapter)
    return session
