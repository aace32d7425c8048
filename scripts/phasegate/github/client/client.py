"""The client: one session, bounded in time and size, that repeats requests where GitHub's rules allow it.

Redirects are not followed, ``.netrc`` is ignored, and the token goes to one host only.
"""

from __future__ import annotations

import dataclasses
import json
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter
from requests.utils import DEFAULT_CA_BUNDLE_PATH
from urllib3.util.ssl_ import create_urllib3_context

from phasegate import VERSION
from phasegate.github.client.answers import (
    LATER,
    SIDE_BY_SIDE,
    Answer,
    Attempt,
    Budget,
    CutShortError,
    Data,
    GitHubError,
    MissingError,
    Pending,
    Retry,
    SpentError,
    TooLargeError,
    Understood,
    UnknownError,
    ask_again,
    clock_time,
    is_beside,
    is_given_up,
    told_time,
    understand,
    understand_divisible,
    understand_graphql,
)
from phasegate.model.frozen import dataclass, replace
from phasegate.settings import Api

CONNECT_SECONDS, READ_SECONDS, ANSWER_SECONDS = 10.0, 20.0, 30.0
LARGEST_ANSWER = 32 * 1024 * 1024
CHUNK = 65536
GLANCE_SECONDS = 5.0
MOST_PAGES = 100
# Reading leaves this much of each budget: enough to withdraw what it could not confirm.
RESERVE = 25
GRAPHQL, REST = "graphql", "core"
# Why something may be missing.
NUMBER = "Does the token see the repository, and is the number right?"
WHICH = "Does the token see the repository, and is it the right one?"
WRITES = "Does the token see the repository, and may it write there?"
# The end of a query line that an old server may not know.
IF_KNOWN = "# if known"
JSON = dict[str, Any]
Parameters = Mapping[str, str | int]
Understand = Callable[[Answer, Attempt], Understood]
K = TypeVar("K")
T = TypeVar("T")


class AgainError(GitHubError):
    """A write tried once that may or may not have worked: check before repeating it."""

    def __init__(self, why: str, seconds: float) -> None:
        super().__init__(why)
        self.seconds = seconds


@dataclass(frozen=True, kw_only=True, slots=True)
class Clock:
    """The clock: monotonic time, time since the epoch, and a wait."""

    monotonic: Callable[[], float]
    epoch: Callable[[], float]
    sleep: Callable[[float], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Server:
    """GitHub's addresses and how to reach them."""

    rest: str
    graphql: str
    token: str = field(repr=False)
    proxies: Mapping[str, str] = field(default_factory=dict)
    certificates: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Request:
    """One request, its description, and the function that reads its answer."""

    method: str
    url: str
    what: str
    meaning: Understand
    parameters: Parameters = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    absent_after: int = 2
    attempt: int | None = None


@dataclasses.dataclass(kw_only=True, slots=True)
class Known:
    """What is known of a server, shared by all its clients.

    The rest of its budgets, the number of writes, a wait that it asked for, its clock's lead, query lines that it does
    not know, and answers that cannot change, such as a comparison of two commits.
    """

    budgets: dict[str, Budget] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    writes: int = 0
    limited_until: float = 0.0
    ahead: float | None = None
    left_out: tuple[str, ...] = ()
    kept: dict[str, Any] = field(default_factory=dict)


class Client:
    """Reads and writes GitHub until its deadline."""

    def __init__(
        self, server: Server, clock: Clock, seconds: float, reserve: int = RESERVE, known: Known | None = None
    ) -> None:
        self._server = server
        self._clock = clock
        self._deadline = clock.monotonic() + seconds
        self._session = new_session(server.token, server.proxies, server.certificates, server.rest)
        self._reserve = reserve
        self.known = known or Known()

    def with_time(self, seconds: float) -> Client:
        """The same client with its own deadline."""
        return Client(self._server, self._clock, seconds, self._reserve, self.known)

    def last_word(self, seconds: float) -> Client:
        """The same client with its own deadline, and access to the reserved budget."""
        return Client(self._server, self._clock, seconds, 0, self.known)

    def briefly(self) -> Client:
        """The same client for a look that is not worth waiting for, nor worth the reserved budget."""
        seconds = min(GLANCE_SECONDS, self._left("a look") / 4)
        return Client(self._server, self._clock, seconds, RESERVE, self.known)

    def get(self, path: str, **parameters: str | int) -> JSON:
        """The object at a path. A missing one is an error."""
        found: JSON = _there(self.find(path, **parameters), f"GET {path}")
        return found

    def find(self, path: str, **parameters: str | int) -> JSON | None:
        """The object at a path, or None."""
        found: JSON | None = self._get(path, parameters, dict).value
        return found

    def find_any(self, path: str, **parameters: str | int) -> object:
        """Anything at a path that somebody named, or None."""
        return self._get(path, parameters, object, absent_after=1).value

    def page(self, path: str, **parameters: str | int) -> list[Any]:
        """One page of a list."""
        found: list[Any] = _there(self._get(path, parameters, list).value, f"GET {path}")
        return found

    def post(self, path: str, body: Mapping[str, Any]) -> JSON:
        """Writes, and returns the result."""
        return self._write("POST", path, body)

    def post_once(self, path: str, body: Mapping[str, Any], attempt: int) -> JSON:
        """Writes with a single request. ``attempt`` counts those of the caller."""
        return self._write("POST", path, body, attempt)

    def patch(self, path: str, body: Mapping[str, Any]) -> JSON:
        """Changes something, and returns the result."""
        return self._write("PATCH", path, body)

    def _write(self, method: str, path: str, body: Mapping[str, Any], attempt: int | None = None) -> JSON:
        url, what = self._server.rest + path, f"{method} {path}"
        request = _Request(method=method, url=url, what=what, meaning=understand, body=body, attempt=attempt)
        written: JSON = _there(self._ask(request).value, what, WRITES)
        return written

    def graphql(self, name: str, query: str, variables: Mapping[str, Any]) -> JSON:
        """The complete data of a query."""
        return self._query(name, query, variables, understand_graphql)

    def divisible(self, name: str, query: str, variables: Mapping[str, Any]) -> JSON:
        """The data of a query that can be split; too large a query fails early."""
        return self._query(name, query, variables, understand_divisible)

    def _query(self, name: str, query: str, variables: Mapping[str, Any], meaning: Understand) -> JSON:
        """The data of a query, without optional parts that the server does not know."""
        optional = tuple(line.strip() for line in query.splitlines() if line.endswith(IF_KNOWN))
        text = query
        if self.known.left_out:
            text = "\n".join(line for line in query.splitlines() if not line.endswith(IF_KNOWN))
        body, what = {"query": text, "variables": variables}, f"query {name}"
        request = _Request(method="POST", url=self._server.graphql, what=what, meaning=meaning, body=body)
        try:
            data: JSON = _there(self._ask(request).value, what)
        except UnknownError:
            if not optional or text != query:
                raise
            self.known.left_out = self.known.left_out or optional
            return self._query(name, query, variables, meaning)
        return data

    def pages(self, path: str, **parameters: str | int) -> list[Any]:
        """Every item of a list that can only be read page by page."""
        items: list[Any] = []
        url, seen, pages = self._server.rest + path, set[str](), 0
        while len(seen) < MOST_PAGES:
            page = self._get(path, {} if seen else parameters, list, url)
            found = _there(page.value, f"GET {path}", WHICH)
            items.extend(found)
            following, pages = page.next_url, max(pages, page.pages)
            if not found and (following or seen):
                raise CutShortError(f"GET {path}: page {len(seen) + 1} of the list is empty. {LATER}")
            if following is None and len(seen) + 1 < pages:
                raise CutShortError(f"GET {path}: {len(seen) + 1} of {pages} pages were listed. {LATER}")
            if following is None:
                return items
            seen.add(url)
            if urlsplit(following)[:2] != urlsplit(self._server.rest)[:2]:
                raise GitHubError(f"GET {path}: the next page is said to be on another host")
            if following in seen:
                raise GitHubError(f"GET {path}: the pages of the list lead in a circle")
            url = following
        raise GitHubError(f"GET {path}: more than {MOST_PAGES} pages")

    def together(self, tasks: Mapping[K, Callable[[], T]]) -> dict[K, T]:
        """The results of independent reads in parallel. The first failure or the deadline ends them all."""
        return self.begin(tasks).results()

    def begin(self, tasks: Mapping[K, Callable[[], T]]) -> Pending[K, T]:
        """Starts independent reads in parallel."""
        return Pending(tasks, partial(self._left, "waiting for answers"))

    def in_time(self, work: Callable[[], T], what: str) -> T:
        """The result of local work, given up at the deadline."""
        return Pending({what: work}, partial(self._left, what, "There is too much to read.")).results()[what]

    def pause(self, seconds: float, why: str) -> None:
        """Waits, if there is time for it."""
        if seconds >= self._left(why):
            raise GitHubError(f"{why}: a wait of {seconds:.0f} s is longer than this run may last. {LATER}")
        self._clock.sleep(seconds)

    def leave_time(self, seconds: float, why: str) -> None:
        """Refuses to start something that may take longer than the time left."""
        if self._left(why) < seconds:
            raise GitHubError(f"{why}: there is not enough time left to see it through. {LATER}")

    def _get(
        self, path: str, parameters: Parameters, form: type, url: str | None = None, absent_after: int = 2
    ) -> Data:
        url, what, meaning = url or self._server.rest + path, f"GET {path}", partial(understand, form=form)
        request = _Request(method="GET", url=url, what=what, meaning=meaning, parameters=parameters)
        return self._ask(replace(request, absent_after=absent_after))

    def _ask(self, request: _Request) -> Data:
        if not is_beside():  # a connection may hang in ways that no timeout of its own ends
            return self.together({"": partial(self._ask, request)})[""]
        attempt = (request.attempt or 1) - 1
        while True:
            attempt += 1
            if is_given_up():  # a write could come after what was written since
                raise GitHubError(f"{request.what}: nobody waits for it any more")
            asked = Attempt(
                what=request.what, attempt=attempt, now=self._clock.epoch(), absent_after=request.absent_after
            )
            understood = self._try(request, asked)
            if not isinstance(understood, Retry):
                return understood
            if understood.limited:
                self.known.limited_until = self._clock.epoch() + understood.seconds
            if request.attempt is not None:
                raise AgainError(understood.why, understood.seconds)
            self.pause(understood.seconds, understood.why)
            if understood.limited:
                self.known.budgets.clear()

    def _try(self, request: _Request, asked: Attempt) -> Understood:
        left = self._left(asked.what)
        resource = GRAPHQL if request.url == self._server.graphql else REST
        self._afford(resource, request)
        try:
            with self._session.request(
                request.method,
                request.url,
                params=dict(request.parameters),
                data=None if request.body is None else json.dumps(request.body).encode(),
                timeout=(min(CONNECT_SECONDS, left), min(READ_SECONDS, left)),
                allow_redirects=False,
                stream=True,
            ) as response:
                answer = Answer(
                    status=response.status_code, headers=dict(response.headers), body=self._body(response, asked.what)
                )
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            return _broken_off(error, asked)
        self._note(resource, answer)
        return request.meaning(answer, asked)

    def _note(self, resource: str, answer: Answer) -> None:
        """Notes the budget in an answer, and how far GitHub's clock is ahead of ours."""
        budget, before = Budget.of(answer), self.known.budgets.get(resource)
        # answers may overtake each other
        if budget is not None and (before is None or budget.left < before.left or budget.reset > before.reset + 60):
            self.known.budgets[resource] = budget
        told = told_time(answer.header("date")) if self.known.ahead is None else None
        if told is not None:
            self.known.ahead = told - self._clock.epoch()

    def now(self) -> float:
        """The time on our clock."""
        return self._clock.epoch()

    def there(self, now: float) -> float | None:
        """Our time as GitHub's, or a little earlier; None before the first answer."""
        return None if self.known.ahead is None else now + self.known.ahead

    def _afford(self, resource: str, request: _Request) -> None:
        """Refuse to read with what is kept for the last word, unless there is time to wait for more.

        What is asked for side by side is counted before the answers tell it: together it could use up what is kept.
        """
        writes = resource == REST and request.method != "GET"
        with self.known.lock:
            self.known.writes += writes
            budget = self.known.budgets.get(resource)
            if budget is not None and (writes or budget.left >= self._reserve):
                self.known.budgets[resource] = replace(budget, left=max(budget.left - 1, 0))
                return
        if budget is None:
            return
        wait = budget.reset - self._clock.epoch()
        if wait < self._left(request.what) / 2:
            self.known.budgets.pop(resource, None)
            self._clock.sleep(max(wait, 0.0))
            return
        raise SpentError(
            f"only {budget.left} of GitHub's requests for this repository are left until {clock_time(budget.reset)}, "
            "and are kept: look again then"
        )

    def _body(self, response: requests.Response, what: str) -> bytes:
        """The body, limited in size and time even if it arrives byte by byte."""
        body, latest = bytearray(), self._clock.monotonic() + ANSWER_SECONDS
        # read1 returns what is there; the other ways of reading wait until a whole chunk is
        while chunk := response.raw.read1(CHUNK, decode_content=True):
            body += chunk
            if len(body) > LARGEST_ANSWER:
                raise TooLargeError(f"{what}: the answer is larger than {LARGEST_ANSWER} bytes")
            if self._clock.monotonic() > latest:
                raise requests.Timeout
            self._left(what)
        return bytes(body)

    def _left(self, what: str, cause: str = "GitHub is slow or limits this token.") -> float:
        left = self._deadline - self._clock.monotonic()
        if left <= 0:
            raise GitHubError(f"{what}: out of time. {cause} {LATER}")
        return left


def _there(found: Any, what: str, hint: str = NUMBER) -> Any:  # noqa: ANN401  (JSON)
    if found is None:
        raise MissingError(f"{what}: not found. {hint}")
    return found


def _broken_off(error: Exception, asked: Attempt) -> Retry:
    """What to do about a failed connection. A permanent failure raises.

    The cause's own text is left out: it may hold addresses with passwords.
    """
    name = type(error).__name__
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        message = f"{asked.what}: GitHub's certificate is not trusted on this machine. Set REQUESTS_CA_BUNDLE to a file"
        raise GitHubError(f"{message} with the certificates of your GitHub Enterprise Server or proxy") from None
    if isinstance(error, ValueError) or not isinstance(error, requests.RequestException | urllib3.exceptions.HTTPError):
        message = f"{asked.what}: the request cannot be made ({name})"
        raise GitHubError(f"{message}. Look at the token, GITHUB_API_URL, the proxy and REQUESTS_CA_BUNDLE") from None
    return ask_again(asked, f"the connection failed ({name})")


# To read, judge and publish: with the last word, which may be said twice, a decision stays within two minutes.
SECONDS = 80.0
# What comes after the statuses are written has a time of its own on top of that; the annotations have this.
ANNOTATING_SECONDS = 40.0


def make_client(api: Api, seconds: float = SECONDS) -> Client:
    """A client on the real clock."""
    server = Server(
        rest=api.rest, graphql=api.graphql, token=api.token, proxies=api.proxies, certificates=api.certificates
    )
    return Client(server, Clock(monotonic=time.monotonic, epoch=time.time, sleep=time.sleep), seconds)


API_VERSION = "2022-11-28"


class _Adapter(HTTPAdapter):
    """Connections with one shared TLS context: loading the certificates for each would take longer than an answer."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._context = context
        super().__init__(pool_connections=2, pool_maxsize=SIDE_BY_SIDE, max_retries=0)

    def init_poolmanager(self, *sizes: Any, **options: Any) -> None:  # noqa: ANN401  (as requests calls it)
        """Passes the context to direct connections."""
        super().init_poolmanager(*sizes, ssl_context=self._context, **options)

    def proxy_manager_for(self, proxy: str, **options: Any) -> Any:  # noqa: ANN401  (as requests calls it)
        """Passes the context to connections through a proxy."""
        return super().proxy_manager_for(proxy, ssl_context=self._context, **options)

    def cert_verify(self, conn: Any, url: str, verify: Any, cert: Any) -> None:  # noqa: ANN401  (as requests calls it)
        """Nothing to do: the context has the certificates and verifies."""


def new_session(token: str, proxies: Mapping[str, str], certificates: str | None, url: str) -> requests.Session:
    """A session for one server."""
    if not (token.isascii() and token.isprintable()):
        raise GitHubError("the token holds characters that no token has: was it pasted with something beside it?")
    session = requests.Session()
    session.trust_env = False
    session.proxies = dict(proxies)
    session.headers.update(
        {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {token}",
            "User-Agent": f"phase-gate/{VERSION}",
            "X-GitHub-Api-Version": API_VERSION,
        }
    )
    session.mount("http://", HTTPAdapter(pool_connections=2, pool_maxsize=SIDE_BY_SIDE, max_retries=0))
    if url.startswith("https://"):
        session.mount("https://", _Adapter(_context(certificates)))
    return session


def _context(certificates: str | None) -> ssl.SSLContext:
    """The TLS settings of requests with the chosen certificates, or its own and the system's."""
    chosen = Path(certificates or DEFAULT_CA_BUNDLE_PATH)
    context = create_urllib3_context(cert_reqs=ssl.CERT_REQUIRED)
    try:
        if chosen.is_dir():
            context.load_verify_locations(capath=str(chosen))
        else:
            context.load_verify_locations(cafile=str(chosen))
        if certificates is None:  # a company's own authorities are known to the system alone
            context.load_default_certs()
    except (OSError, ssl.SSLError):
        message = "the certificates of REQUESTS_CA_BUNDLE or SSL_CERT_FILE cannot be read"
        raise GitHubError(f"{message}: name a file in PEM form, or none") from None
    return context
