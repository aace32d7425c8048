"""The hub: GitHub's API on loopback from one state, as a context manager."""

from __future__ import annotations

import datetime as dt
import email.utils
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import TracebackType
from typing import Any

from tests.fakehub import faults
from tests.fakehub.answer import JSON, Answer, NotModelledError, RefusedError, error
from tests.fakehub.faults import Fault
from tests.fakehub.git import Git
from tests.fakehub.graph import execute
from tests.fakehub.ledger import Ledger, Request, sequential_depth
from tests.fakehub.paging_faults import LIST_FAULTS
from tests.fakehub.rest.call import LARGEST_PAGE, Call
from tests.fakehub.rest.routes import ROUTES, operation_of
from tests.fakehub.server import HOST, Server
from tests.fakehub.shapes import Fidelity
from tests.fakehub.state import ACTIONS_BOT, Extras, State

TOKEN = "fakehub-token-0123456789"
API_VERSION = "2022-11-28"
BUDGET = 1000


class FakeHub:
    """GitHub, as far as a pull request can be seen through its API.

    ``snapshot`` is the state, in the form of ``schemas/snapshot.schema.json``; ``Extras`` says what else can be told.
    Leaving the context fails if the hub gave an answer that GitHub could not have given.
    """

    def __init__(
        self,
        snapshot: JSON,
        *,
        token: str = TOKEN,
        port: int = 0,
        latency: float = 0.0,
        page_cap: int = LARGEST_PAGE,
        **extras: Any,  # noqa: ANN401 - as Extras has them
    ) -> None:
        self.state = State(snapshot, Extras(**extras))
        self.token = token
        self.page_cap = page_cap
        self.violations: list[str] = []
        self.written: list[JSON] = []
        self._ledger = Ledger()
        self._fidelity = Fidelity()
        self._faults: list[Fault] = []
        self._callbacks: dict[int, list[Callable[[FakeHub], object]]] = {}
        self._spent = 0
        # what is left of the requests of an hour, which both interfaces count for themselves, and until when
        self.budgets = {"core": BUDGET, "graphql": BUDGET}
        self.filled_up_in = 3600.0
        # GitHub's own clock: long after all that the snapshot tells
        self.date = dt.datetime.fromisoformat(snapshot["taken_at"].replace("Z", "+00:00")).timestamp() + 30 * 86400
        self._server = Server(port, self._ledger, token, latency, self._answer)
        execute.schema()  # takes a moment, which the first request should not have to wait for
        self._thread = threading.Thread(target=self._server.listen, daemon=True)

    @property
    def url(self) -> str:
        """The root of the REST API, as ``GITHUB_API_URL`` has it."""
        return f"http://{HOST}:{self._server.server_port}"

    @property
    def graphql_url(self) -> str:
        """The GraphQL endpoint, as ``GITHUB_GRAPHQL_URL`` has it."""
        return f"{self.url}/graphql"

    @property
    def snapshot(self) -> JSON:
        """The hub's own copy of the snapshot, to be changed while it runs."""
        return self.state.main

    @property
    def head(self) -> str:
        """The head of the pull request."""
        return str(self.snapshot["pull_request"]["head"]["sha"])

    @property
    def environ(self) -> dict[str, str]:
        """What tells a command where the hub is, with its token."""
        return {"GITHUB_API_URL": self.url, "GITHUB_GRAPHQL_URL": self.graphql_url, "GITHUB_TOKEN": self.token}

    @property
    def requests(self) -> list[Request]:
        return list(self._ledger.requests)

    @property
    def connections(self) -> int:
        return self._server.connections

    def sequential_depth(self) -> int:
        return sequential_depth(self._ledger.requests)

    def __enter__(self) -> FakeHub:  # noqa: PYI034 - Self is younger than the oldest Python
        """Start to listen."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop, and fail if the hub itself was wrong and nothing else has failed yet."""
        self._server.stop(self._thread)
        assert kind is not None or not self.violations, "\n".join(self.violations)

    def fail(
        self,
        match: str | Callable[[Request], bool],
        times: int | None = 1,
        kind: str = "status",
        **options: Any,  # noqa: ANN401 - each kind has its own
    ) -> None:
        """Let the next ``times`` requests that match go wrong (None: all); ``faults`` lists kinds and options.

        A pattern is matched against ``METHOD /path?query``; ``*`` stands for anything.
        """
        if kind not in faults.KINDS and kind not in LIST_FAULTS:
            message = f"no fault is called {kind!r}"
            raise ValueError(message)
        self._faults.append(Fault(match=match, kind=kind, left=times, options=options))

    def at_request(self, number: int, callback: Callable[[FakeHub], object]) -> None:
        """Call back before the request with this number, counted from 1, is answered: to move the head, say."""
        self._callbacks.setdefault(number, []).append(callback)

    def move_head(self, sha: str, *, kind: str = "push", actor: JSON | None = None) -> None:
        with self.state.lock:
            head = self.snapshot["pull_request"]["head"]
            move = {"at": self.state.now(), "before": head["sha"], "after": sha, "kind": kind}
            author = self.snapshot["pull_request"]["author"]
            self.snapshot["ref_log"]["moves"].append({**move, "actor": actor or author})
            head["sha"] = sha

    def add_comment(self, author: JSON, text: str, **more: object) -> JSON:
        with self.state.lock:
            number = self.state.next_id()
            url = f"{self.snapshot['pull_request']['url']}#issuecomment-{number}"
            said = {"id": number, "url": url, "author": author, "created_at": self.state.now(), "text": text, **more}
            self.snapshot["comments"].append(said)
        return said

    def delete_comment(self, said: JSON, by: JSON) -> None:
        """Take back what was said on the pull request; its trace stays."""
        with self.state.lock:
            self.snapshot["comments"].remove(said)
            trace = {"at": self.state.now(), "actor": by, "author": said["author"]}
            self.snapshot["deleted_comments"].append(trace)

    def add_status(self, context: str, state: str, creator: JSON = ACTIONS_BOT, sha: str = "", **more: object) -> None:
        """Let somebody write a status, on the head unless another commit is named."""
        with self.state.lock:
            told = {"at": self.state.now(), "context": context, "state": state, "creator": creator, "description": ""}
            self.state.statuses.setdefault(sha or self.head, []).append({**told, "id": self.state.next_id(), **more})

    def pass_days(self, days: float, retention: int) -> None:
        """Let time pass; GitHub deletes the statuses that are older than the retention, in days."""
        taken = dt.datetime.fromisoformat(self.snapshot["taken_at"].replace("Z", "+00:00")).timestamp()
        with self.state.lock:
            self.date += days * 86400
            self.state.pass_time(int(self.date - taken))
            oldest = dt.datetime.fromtimestamp(self.date - retention * 86400, dt.timezone.utc)
            limit = oldest.strftime("%Y-%m-%dT%H:%M:%SZ")
            for sha, told in self.state.statuses.items():
                self.state.statuses[sha] = [each for each in told if each["at"] >= limit]

    def latest_statuses(self, sha: str | None = None) -> dict[str, JSON]:
        """The latest status of each context on a commit, the head unless another is named."""
        with self.state.lock:
            return {told["context"]: told for told in self.state.statuses.get(sha or self.head, [])}

    def _answer(self, request: Request) -> Answer:
        with self.state.lock:
            for callback in self._callbacks.pop(request.number, []):
                callback(self)
            fault = next((each for each in self._faults if each.takes(request)), None)
            resource = "graphql" if request.path == "/graphql" else "core"
            self.budgets[resource] -= 1
            left, reset = max(self.budgets[resource], 0), int(time.time() + self.filled_up_in)
            if fault is None and self.budgets[resource] < 0:
                limit = Fault(match="*", kind="rate_limit", left=None, options={"reset": reset})
                answer = faults.apply(limit, request, lambda **query: self._right(request, query), self.url)
            elif fault is None:
                answer = self._right(request)
            else:
                fault.left = None if fault.left is None else fault.left - 1
                answer = faults.apply(fault, request, lambda **query: self._right(request, query), self.url)
        told = {"x-ratelimit-remaining": str(left), "x-ratelimit-used": str(BUDGET - left)}
        told |= {"x-ratelimit-reset": str(reset), "x-ratelimit-resource": resource}
        return _with_headers(answer, request, self.date, told)

    def _right(self, request: Request, query: Mapping[str, str] | None = None) -> Answer:
        try:
            _must_be_welcome(request)
            if request.path == "/graphql" and request.method == "POST":
                self._spent += 1
                return execute.answer(self.state, request.body, self.page_cap, self._spent)
            return self._rest(request, {**request.query, **(query or {})})
        except RefusedError as refused:
            return refused.answer
        except NotModelledError as unknown:
            self.violations.append(f"not modelled: {unknown}")
        except Exception:  # noqa: BLE001 - whatever it is, it is the fake's fault and must be seen
            self.violations.append(traceback.format_exc())
        return error(500, f"The fake is wrong: {self.violations[-1]}")

    def _rest(self, request: Request, query: dict[str, str]) -> Answer:
        """A REST answer that keeps to the published description."""
        found = operation_of(request.method, request.path)
        if found is None:
            raise NotModelledError(request.target)
        operation, params = found
        call = Call(
            state=self.state, git=Git(self.state), api=self.url, path=request.path, params=params, query=query,
            body=request.body, accept=request.headers.get("accept", ""), page_cap=self.page_cap,
        )  # fmt: skip
        try:
            answer = ROUTES[operation](call)
        except RefusedError as refused:
            answer = refused.answer
        wrong = self._fidelity.faults(operation, answer)
        if wrong:
            self.violations += wrong
            return error(500, f"The fake is wrong: {wrong[0]}")
        if request.method != "GET":
            self.written.append(
                {"method": request.method, "path": request.path, "body": request.body, "status": answer.status}
            )
        return answer


def _must_be_welcome(request: Request) -> None:
    """Refuse whom GitHub refuses before it looks at the request."""
    if not request.headers.get("user-agent"):
        words = "Request forbidden by administrative rules. Please make sure your request has a User-Agent header."
        raise RefusedError(error(403, words))
    if not request.authorized:
        raise RefusedError(error(401, "Bad credentials"))
    version = request.headers.get("x-github-api-version", API_VERSION)
    if version != API_VERSION and request.path != "/graphql":
        raise RefusedError(error(400, f"Invalid API version: {version}"))


def _with_headers(answer: Answer, request: Request, date: float, told: Mapping[str, str]) -> Answer:
    """The answer with what GitHub says beside it."""
    headers = {
        "Server": "github.com", "Date": email.utils.formatdate(date, usegmt=True),
        "X-GitHub-Request-Id": f"FAKE:{request.number:04}", "X-GitHub-Media-Type": "github.v3; format=json",
        "X-GitHub-Api-Version-Selected": API_VERSION, "x-ratelimit-limit": str(BUDGET), **told,
    }  # fmt: skip
    return replace(answer, headers={**headers, **answer.headers})
