"""The client's core without I/O: what an answer of GitHub means, and whether and when to ask again.

In: status, headers and body as bytes. Out: the data, a wait, or a failure that says what to do.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

from phasegate.model.frozen import dataclass

SECONDARY_WAIT = 60.0
BACKOFF = (1.0, 2.0, 4.0, 8.0)
ATTEMPTS = len(BACKOFF) + 1
TRANSIENT = (408, 500, 502, 503, 504)
REDIRECTS = (301, 302, 303, 307, 308)
LINK = re.compile(r'<([^<>]{1,2000})>\s{0,4};\s{0,4}rel="([a-z]{1,20})"', re.ASCII)
WHOLE = re.compile(r"[0-9]{1,18}", re.ASCII)
LAST_SECOND = 253_402_300_799.0
LAST_PAGE = re.compile(r"[?&]page=([0-9]{1,6})(?:&|$)", re.ASCII)
SECONDS = re.compile(r"[0-9]{1,18}(\.[0-9]{1,9})?", re.ASCII)
LIMIT_WORDS = ("secondary rate limit", "abuse detection")
LIMIT_ERRORS = {"RATE_LIMITED", "RATE_LIMIT"}
TRANSIENT_ERRORS = {"", "SERVICE_UNAVAILABLE", "INTERNAL", "TIMEOUT"}
FORBIDDEN_ERRORS = {"FORBIDDEN", "INSUFFICIENT_SCOPES"}
TOO_MUCH_ERRORS = {"RESOURCE_LIMITS_EXCEEDED", "MAX_NODE_LIMIT_EXCEEDED"}
# The names under which several things are asked for in one question, each by its id or number.
NUMBERED = re.compile(r"(?:lot|pull|issue)[0-9]{1,3}", re.ASCII)
# What may lie in repositories of others.
ELSEWHERE = {"closingIssuesReferences", "closedByPullRequestsReferences", "headRepository"}
# What GraphQL tells under each name that the queries ask for; a test compares it with the schema.
TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z", re.ASCII)
TIMES: tuple[type, ...] = (str, str)  # told apart from other texts
_NAMED: dict[str, tuple[type, ...]] = {
    "createdAt deletedAt editedAt lastEditedAt mergedAt submittedAt updatedAt": TIMES,
    "createdViaEmail hasNextPage hasPreviousPage includesCreatedEdit isBinary isDraft isMinimized": (bool,),
    "isOutdated isResolved isTruncated viewerDidAuthor": (bool,),
    "byteSize changedFiles databaseId filteredCount mode number originalLine pageCount totalCount": (int,),
    "fullDatabaseId": (int, str),
    "__typename baseRefName baseRefOid body clientMutationId context currentRefName description diff": (str,),
    "path": (str,),
    "endCursor headRefName headRefOid id login messageHeadline minimizedReason name nameWithOwner": (str,),
    "newBase oid oldBase previousRefName previousReviewState startCursor state targetUrl text title type url": (str,),
}
KINDS = {name: kind for names, kind in _NAMED.items() for name in names.split()}
# How often a question fails before it is taken for too much at once; every time-out costs points.
PATIENCE = 2
FORMS: dict[type, str] = {dict: "an object", list: "a list"}
LATER = "The next event tries again"
JSON = dict[str, Any]


class GitHubError(Exception):
    """GitHub could not be read or written: what failed, what it usually means, how to fix it."""


class RefusedError(GitHubError):
    """This token may not do it; asking again does not help."""


class InvalidError(GitHubError):
    """GitHub does not take what was sent."""


class MissingError(GitHubError):
    """Something that must be there is not, or this token does not see it."""


class GoneError(MissingError):
    """Something was there and was deleted."""


class TooLargeError(GitHubError):
    """More than GitHub answers, or than we take, at once: ask for less."""


class CutShortError(GitHubError):
    """A list that ends before its end."""


class UnknownError(GitHubError):
    """The server does not know all of a query."""


class SpentError(GitHubError):
    """What is left of the budget is kept for withdrawing what could not be confirmed."""


class MovedError(Exception):
    """The pull request changed while it was read: start over."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def header(self, name: str) -> str | None:
        """A header, whatever the case of its name."""
        return next((value for key, value in self.headers.items() if key.lower() == name), None)


@dataclass(frozen=True, kw_only=True, slots=True)
class Retry:
    """Ask again after some seconds; ``limited``: because there were too many requests, not because of this one."""

    seconds: float
    why: str
    limited: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Data:
    """The answer, understood."""

    value: Any
    next_url: str | None = None
    pages: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Missing:
    """GitHub says that there is no such thing, or that this token may not see it."""


Understood = Data | Retry | Missing


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """What was asked, in words for messages, for which time, and how often "not found" must be said to be believed.

    Some of GitHub's machines lag behind, so that once is not enough where something ought to be there.
    """

    what: str
    attempt: int
    now: float
    absent_after: int = 2


def understand(answer: Answer, asked: Question, form: type = dict) -> Understood:
    """What a REST answer means, which must be of a form; a failure that no repetition fixes is raised."""
    if answer.status in (200, 201):
        return _decoded(answer, asked, form)
    if answer.status in TRANSIENT:
        return ask_again(asked, f"GitHub answered {answer.status}")
    if answer.status in (403, 429) and _limited(answer):
        return _slow_down(answer, asked)
    if answer.status == 404:  # noqa: PLR2004  (HTTP)
        return _absent(asked)
    kind = {403: RefusedError, 410: GoneError, 422: InvalidError}.get(answer.status, GitHubError)
    raise kind(_refusal(answer, asked.what))


def understand_graphql(answer: Answer, asked: Question) -> Understood:
    """What a GraphQL answer means; data with errors beside it is never taken for the whole."""
    understood = understand(answer, asked)
    if not isinstance(understood, Data):
        return understood
    body: JSON = understood.value
    if body.get("errors") and not all(_of_elsewhere(error) for error in _list(body)):
        return _with_errors(answer, asked, [error if isinstance(error, dict) else {} for error in _list(body)])
    if not isinstance(body.get("data"), dict):
        return ask_again(asked, "the answer is no GraphQL result")
    if (name := misfit(body["data"])) is not None:
        return ask_again(asked, f"GitHub's answer is not as it documents ({name})")
    return Data(value=body["data"])


def misfit(data: JSON) -> str | None:
    """The name of something in a GraphQL answer that is of another kind than GitHub documents, if there is any."""
    waiting: list[Any] = [data]
    while waiting:
        each = waiting.pop()
        if type(each) is list:
            waiting += each
        for name, value in each.items() if type(each) is dict else ():
            kind, told = KINDS.get(name), type(value)
            if kind is None:
                if told is dict or told is list:
                    waiting.append(value)
            elif value is not None and (told not in kind or (kind is TIMES and not TIME.fullmatch(value))):
                return str(name)
    return None


def understand_divisible(answer: Answer, asked: Question) -> Understood:
    """What an answer means whose question can be asked in smaller pieces: what fails again was too much."""
    understood = understand_graphql(answer, asked)
    limited = isinstance(understood, Retry) and understood.limited
    if isinstance(understood, Retry) and not limited and asked.attempt >= PATIENCE:
        raise TooLargeError(understood.why)
    return understood


def _list(body: JSON) -> list[Any]:
    errors = body["errors"]
    return errors if isinstance(errors, list) else [errors]


def _with_errors(answer: Answer, asked: Question, errors: list[JSON]) -> Understood:
    kinds = {str(error.get("type") or "") for error in errors}
    said = str(errors[0].get("message", "no message"))[:200]
    if kinds & LIMIT_ERRORS or any(words in said.lower() for words in LIMIT_WORDS):
        return _slow_down(answer, asked)
    if kinds & TOO_MUCH_ERRORS:
        raise TooLargeError(f"{asked.what}: too much for one question ({said})")
    if kinds == {"NOT_FOUND"}:
        return _absent(asked)
    if any(_unknown_to_schema(error) for error in errors):
        message = f"{asked.what}: GitHub does not know all of the query ({said})"
        raise UnknownError(f"{message}. On GitHub Enterprise Server: update it, this one is too old")
    if kinds & TRANSIENT_ERRORS:
        return ask_again(asked, f"GitHub answered only in part ({said})")
    if kinds & FORBIDDEN_ERRORS:
        message = f"{asked.what}: the token may not read all of it ({said}). Add to permissions in the workflow: "
        raise RefusedError(message + "contents: read, issues: read, pull-requests: read")
    raise GitHubError(f"{asked.what}: GitHub refused the query ({said})")


def _of_elsewhere(error: object) -> bool:
    """Whether the token may not see something of another owner, which leaves all else as it is.

    Its own repository's issues it may see or not see all alike: a question of its own tells that. Of things that were
    asked for by their ids or numbers, those that are not there are nothing: whoever asked knows which there should be.
    """
    told: JSON = error if isinstance(error, dict) else {}
    path = told.get("path")
    steps = [str(step) for step in path] if isinstance(path, list) else []
    hidden = str(told.get("type")) in FORBIDDEN_ERRORS and not ELSEWHERE.isdisjoint(steps)
    numbered = any(NUMBERED.fullmatch(step) for step in steps[:2])
    return hidden or (told.get("type") == "NOT_FOUND" and numbered)


def _unknown_to_schema(error: JSON) -> bool:
    """Whether a query failed GitHub's check, as it does where the server is too old to know a field."""
    extensions = error.get("extensions")
    return not error.get("type") and isinstance(extensions, dict) and "code" in extensions


def ask_again(asked: Question, why: str) -> Retry:
    """A wait that grows, until it is enough."""
    if asked.attempt >= ATTEMPTS:
        message = f"{asked.what}: {why}, {asked.attempt} times in a row. Is GitHub or the network having an incident?"
        raise GitHubError(f"{message} {LATER}")
    return Retry(seconds=BACKOFF[asked.attempt - 1], why=f"{asked.what}: {why}")


def _absent(asked: Question) -> Retry | Missing:
    if asked.attempt >= asked.absent_after:
        return Missing()
    return Retry(seconds=BACKOFF[0], why=f"{asked.what}: not found")


def _decoded(answer: Answer, asked: Question, form: type) -> Understood:
    try:
        value = json.loads(answer.body.decode("utf-8"))
    except (UnicodeDecodeError, ValueError, RecursionError):
        return ask_again(asked, "the answer is not JSON")
    if not isinstance(value, form):
        return ask_again(asked, f"the answer is not {FORMS[form]}")
    links = answer.header("link")
    return Data(value=value, next_url=next_link(links), pages=last_page(links))


def next_link(header: str | None) -> str | None:
    """The address of the next page."""
    return _link(header, "next")


def last_page(header: str | None) -> int:
    """How many pages there are, where that is told."""
    found = LAST_PAGE.search(_link(header, "last") or "")
    return int(found[1]) if found else 0


def _link(header: str | None, wanted: str) -> str | None:
    return next((url for url, relation in LINK.findall(header or "") if relation == wanted), None)


def _limited(answer: Answer) -> bool:
    """Whether a refusal is only for now."""
    told = answer.status == 429 or answer.header("retry-after") is not None  # noqa: PLR2004  (HTTP)
    spent = answer.header("x-ratelimit-remaining") == "0"
    return told or spent or any(words.encode() in answer.body.lower() for words in LIMIT_WORDS)


def _slow_down(answer: Answer, asked: Question) -> Retry:
    """The wait that GitHub asks for by its headers, or a minute that grows."""
    if asked.attempt >= ATTEMPTS:
        raise GitHubError(f"{asked.what}: GitHub's rate limit is used up, after {asked.attempt} tries. {LATER}")
    wait = _seconds(answer.header("retry-after"), asked.now)
    until = ""
    if wait is None and answer.header("x-ratelimit-remaining") == "0":
        reset = _seconds(answer.header("x-ratelimit-reset"), asked.now)
        wait = None if reset is None else reset - asked.now
        until = "" if reset is None else f" until {clock_time(reset)}"
    seconds = SECONDARY_WAIT * 2 ** (asked.attempt - 1) if wait is None else max(1.0, wait)
    why = f"{asked.what}: GitHub's rate limit" + (f" is used up{until}" if until else "")
    return Retry(seconds=seconds, why=why, limited=True)


def clock_time(epoch: float) -> str:
    """A time for people."""
    return time.strftime("%H:%M UTC", time.gmtime(min(max(epoch, 0.0), LAST_SECOND)))


@dataclass(frozen=True, kw_only=True, slots=True)
class Budget:
    """What is left of one of GitHub's two budgets, and when it is filled up again."""

    left: int
    reset: float

    @staticmethod
    def of(answer: Answer) -> Budget | None:
        """As an answer tells it."""
        left, reset = (answer.header(f"x-ratelimit-{name}") or "" for name in ("remaining", "reset"))
        told = WHOLE.fullmatch(left) and WHOLE.fullmatch(reset)
        return Budget(left=int(left), reset=float(reset)) if told else None


def _seconds(header: str | None, now: float) -> float | None:
    """Seconds as a header tells them: a number, or a date."""
    text = (header or "").strip()
    if SECONDS.fullmatch(text):
        return float(text)
    at = told_time(text)
    return None if at is None else at - now


def told_time(header: str | None) -> float | None:
    """A date as headers write it."""
    from email.utils import parsedate_to_datetime  # noqa: PLC0415  (slow to load)

    try:
        return parsedate_to_datetime(header or "").timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _refusal(answer: Answer, what: str) -> str:
    said = f"{what}: GitHub answered {answer.status}"
    if answer.status == 401:  # noqa: PLR2004  (HTTP)
        return f"{said}: the token is not valid. Pass one in the input token, or leave the default"
    if answer.status == 403:  # noqa: PLR2004  (HTTP)
        needed = answer.header("x-accepted-github-permissions")
        return f"{said}: the token may not do this. Add to permissions in the workflow: {needed or 'see the README'}"
    if answer.status in REDIRECTS:
        return f"{said}: the repository was renamed or moved. Use its new name: redirects are not followed with a token"
    return f"{said}: {_message(answer)}"


def _message(answer: Answer) -> str:
    """What GitHub says, with the detail that a validation error hides one level deeper."""
    try:
        body = json.loads(answer.body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        return "no reason given"
    errors = body.get("errors")
    details = [error.get("message") for error in errors if isinstance(error, dict)] if isinstance(errors, list) else []
    said = [body.get("message"), *details]
    return ": ".join(str(part)[:200] for part in said if part) or "no reason given"


@contextmanager
def as_documented(what: str) -> Iterator[None]:
    """Let an answer without what GitHub documents be GitHub's failure and not a bug of ours."""
    try:
        yield
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        lacking = f"{type(error).__name__}: {str(error)[:100]}"
        raise GitHubError(f"{what}: GitHub's answer is not as it documents ({lacking}). {LATER}") from error


K = TypeVar("K")
T = TypeVar("T")
# GitHub allows a hundred at once to all who share a token.
SIDE_BY_SIDE = 32
Task = Callable[[], Any]


class _Worker(threading.Thread):
    """A thread that is left behind when the program ends, whatever connection it hangs on."""

    def __init__(self, work: Callable[[], None], pending: Pending[Any, Any]) -> None:
        super().__init__(target=work, daemon=True)
        self.pending = pending


def is_beside() -> bool:
    """Whether the caller is one of the tasks."""
    return isinstance(threading.current_thread(), _Worker)


def is_given_up() -> bool:
    """Whether the caller is one of the tasks, and nobody waits for them any more."""
    own = threading.current_thread()
    return isinstance(own, _Worker) and own.pending.is_given_up()


class Pending(Generic[K, T]):
    """Tasks that are under way; ``left`` tells the seconds left for them, or raises."""

    def __init__(self, tasks: Mapping[K, Callable[[], T]], left: Callable[[], float]) -> None:
        self._keys = tuple(tasks)
        self._left = left
        self._waiting = deque(tasks.items())
        self._done: SimpleQueue[tuple[K, T] | BaseException] = SimpleQueue()
        self._given_up = False
        own = threading.current_thread()
        self._within = own.pending if isinstance(own, _Worker) else None
        self.so_far: dict[K, T] = {}
        for _ in range(min(SIDE_BY_SIDE, len(tasks))):
            _Worker(partial(_work, self._waiting, self._done), self).start()

    def is_given_up(self) -> bool:
        """Whether nobody waits for the results any more, nor for those of the task that they are a part of."""
        return self._given_up or (self._within is not None and self._within.is_given_up())

    def results(self) -> dict[K, T]:
        """The results in the order of the tasks, or the first failure as soon as there is one."""
        found = self.so_far
        try:
            while len(found) < len(self._keys):
                key, value = self._next()
                found[key] = value
        except BaseException:
            self._given_up = True
            raise
        finally:
            self._waiting.clear()
        return {key: found[key] for key in self._keys}

    def _next(self) -> tuple[K, T]:
        while True:
            try:
                result = self._done.get(timeout=self._left())
            except Empty:
                continue
            if isinstance(result, BaseException):
                raise result
            return result


def _work(waiting: deque[tuple[K, Callable[[], T]]], done: SimpleQueue[tuple[K, T] | BaseException]) -> None:
    while True:
        try:
            key, task = waiting.popleft()
        except IndexError:
            return
        try:
            done.put((key, task()))
        except BaseException as failure:  # noqa: BLE001  (raised again where the result is awaited)
            done.put(failure)
