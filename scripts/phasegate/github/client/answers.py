"""The client's core without I/O: the meaning of GitHub's answers, and whether and when to ask again.

In: status, headers and body as bytes. Out: the data, a wait, or an error that says what to do.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

from phasegate.model.frozen import dataclass

SECONDARY_WAIT = 60.0
BACKOFF = (1.0, 2.0, 4.0, 8.0)
ATTEMPTS = len(BACKOFF) + 1
TRANSIENT = (408, 500, 502, 503, 504)
MOVED = "the repository was renamed or moved. Use its new name: redirects are not followed with a token"
REFUSALS = {
    401: "the token is not valid. Set another GITHUB_TOKEN; in a workflow pass the input token, or leave the default",
    403: "the token may not do this. Add to permissions in the workflow: {needed}",
    **dict.fromkeys((301, 302, 303, 307, 308), MOVED),
}
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
# Aliases for several things in one question, each by its id or number.
NUMBERED = re.compile(r"(?:q[0-9]{1,3}_)?(?:lot|pull|issue)[0-9]{1,3}", re.ASCII)
# Values that may be in other people's repositories.
SHARED = "shared"  # the organisation's repository .github, which few have
ELSEWHERE = {SHARED, "closingIssuesReferences", "closedByPullRequestsReferences", "headRepository"}
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
# After so many failures a question counts as too much at once; every time-out costs points.
PATIENCE = 2
FORMS: dict[type, str] = {dict: "an object", list: "a list"}
LATER = "The next event tries again"
JSON = dict[str, Any]


class GitHubError(Exception):
    """GitHub could not be read or written: what failed, what it usually means, how to fix it."""


class RefusedError(GitHubError):
    """The token lacks permission. Asking again does not help."""


class InvalidError(GitHubError):
    """GitHub rejects the content."""


class MissingError(GitHubError):
    """A required thing is missing, or invisible to this token."""


class TooLargeError(GitHubError):
    """Too much for one answer; ask for less."""


class CutShortError(GitHubError):
    """A list that ends too early."""


class UnknownError(GitHubError):
    """The server does not know some part of a query."""


class SpentError(GitHubError):
    """The rest of the budget is reserved for withdrawing what could not be confirmed."""


class MovedError(Exception):
    """The pull request changed while it was read: start over."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """A raw answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def header(self, name: str) -> str | None:
        """A header, ignoring the case of its name."""
        return next((value for key, value in self.headers.items() if key.lower() == name), None)


@dataclass(frozen=True, kw_only=True, slots=True)
class Retry:
    """Ask again after some seconds. ``limited``: because of too many requests, not of this one."""

    seconds: float
    why: str
    limited: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Data:
    """The parsed answer. The value is None if there is no such thing, or this token may not see it."""

    value: Any
    next_url: str | None = None
    pages: int = 0


ABSENT = Data(value=None)
Understood = Data | Retry


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempt:
    """One attempt at a request: its description for messages, and its number.

    ``absent_after``: how often "not found" must be answered to be believed. Some of GitHub's machines lag behind, so
    once is not enough for something that ought to be there.
    """

    what: str
    attempt: int
    now: float
    absent_after: int = 2


def understand(answer: Answer, asked: Attempt, form: type = dict) -> Understood:
    """The meaning of a REST answer of this form. A permanent failure raises."""
    if answer.status in (200, 201):
        return _decoded(answer, asked, form)
    if answer.status in TRANSIENT:
        return ask_again(asked, f"GitHub answered {answer.status}")
    if answer.status in (403, 429) and _limited(answer):
        return _slow_down(answer, asked)
    if answer.status == 404:  # noqa: PLR2004  (HTTP)
        return _absent(asked)
    kind = {403: RefusedError, 410: MissingError, 422: InvalidError}.get(answer.status, GitHubError)
    raise kind(f"{asked.what}: GitHub answered {answer.status}: {_refusal(answer)}")


def understand_graphql(answer: Answer, asked: Attempt) -> Understood:
    """The meaning of a GraphQL answer. Data with errors beside it is never taken as complete."""
    understood = understand(answer, asked)
    if isinstance(understood, Retry) or understood is ABSENT:
        return understood
    body: JSON = understood.value
    told = body.get("errors") or []
    errors = [error if isinstance(error, dict) else {} for error in (told if isinstance(told, list) else [told])]
    if not all(map(_of_elsewhere, errors)):
        return _with_errors(answer, asked, errors)
    if not isinstance(body.get("data"), dict):
        return ask_again(asked, "the answer is no GraphQL result")
    if (name := misfit(body["data"])) is not None:
        return ask_again(asked, f"GitHub's answer is not as it documents ({name})")
    return Data(value=body["data"])


def misfit(data: JSON) -> str | None:
    """The name of a value in a GraphQL answer with an undocumented type, or None."""
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


def understand_divisible(answer: Answer, asked: Attempt) -> Understood:
    """The meaning of an answer whose question can be split: a repeated failure means that it was too much."""
    understood = understand_graphql(answer, asked)
    if isinstance(understood, Retry) and not understood.limited and asked.attempt >= PATIENCE:
        raise TooLargeError(understood.why)
    return understood


def _with_errors(answer: Answer, asked: Attempt, errors: list[JSON]) -> Understood:
    kinds = {str(error.get("type") or "") for error in errors}
    said = str(errors[0].get("message", "no message"))[:200]
    if kinds & LIMIT_ERRORS or any(words in said.lower() for words in LIMIT_WORDS):
        return _slow_down(answer, asked)
    if kinds & TOO_MUCH_ERRORS:
        raise TooLargeError(f"{asked.what}: too much for one question ({said})")
    if kinds == {"NOT_FOUND"}:
        return _absent(asked)
    extensions = [error.get("extensions") for error in errors if not error.get("type")]
    if any(isinstance(each, dict) and "code" in each for each in extensions):  # an old server does not know a field
        message = f"{asked.what}: GitHub does not know all of the query ({said})"
        raise UnknownError(f"{message}. On GitHub Enterprise Server: update it, this one is too old")
    if kinds & TRANSIENT_ERRORS:
        return ask_again(asked, f"GitHub answered only in part ({said})")
    if kinds & FORBIDDEN_ERRORS:
        message = f"{asked.what}: the token may not read all of it ({said}). Add to permissions in the workflow: "
        raise RefusedError(message + "contents: read, issues: read, pull-requests: read")
    raise GitHubError(f"{asked.what}: GitHub refused the query ({said})")


def _of_elsewhere(error: JSON) -> bool:
    """True if the token may not see something of another owner; the rest of the answer still holds.

    Whether it may see its own repository's issues is asked separately. Things requested by id or number that are
    missing are null; the caller knows which ones must be there.
    """
    path, kind = error.get("path"), str(error.get("type"))
    steps = [str(step) for step in path] if isinstance(path, list) else []
    if kind == "NOT_FOUND":
        return SHARED in steps or any(NUMBERED.fullmatch(step) for step in steps[:2])
    return kind in FORBIDDEN_ERRORS and not ELSEWHERE.isdisjoint(steps)


def ask_again(asked: Attempt, why: str) -> Retry:
    """A growing wait, until there were enough attempts."""
    if asked.attempt >= ATTEMPTS:
        message = f"{asked.what}: {why}, {asked.attempt} times in a row. Is GitHub or the network having an incident?"
        raise GitHubError(f"{message} {LATER}")
    return Retry(seconds=BACKOFF[asked.attempt - 1], why=f"{asked.what}: {why}")


def _absent(asked: Attempt) -> Understood:
    if asked.attempt >= asked.absent_after:
        return ABSENT
    return Retry(seconds=BACKOFF[0], why=f"{asked.what}: not found")


def _decoded(answer: Answer, asked: Attempt, form: type) -> Understood:
    try:
        value = json.loads(answer.body.decode("utf-8"))
    except (UnicodeDecodeError, ValueError, RecursionError):
        return ask_again(asked, "the answer is not JSON")
    if not isinstance(value, form):
        return ask_again(asked, f"the answer is not {FORMS[form]}")
    links = {relation: url for url, relation in LINK.findall(answer.header("link") or "")}
    last = LAST_PAGE.search(links.get("last", ""))
    return Data(value=value, next_url=links.get("next"), pages=int(last[1]) if last else 0)


def _limited(answer: Answer) -> bool:
    told = answer.status == 429 or answer.header("retry-after") is not None  # noqa: PLR2004  (HTTP)
    spent = answer.header("x-ratelimit-remaining") == "0"
    return told or spent or any(words.encode() in answer.body.lower() for words in LIMIT_WORDS)


def _slow_down(answer: Answer, asked: Attempt) -> Retry:
    """The wait in GitHub's headers, or a growing minute."""
    if asked.attempt >= ATTEMPTS:
        raise GitHubError(f"{asked.what}: GitHub's rate limit is used up, after {asked.attempt} tries. {LATER}")
    why = f"{asked.what}: GitHub's rate limit"
    wait = _seconds(answer.header("retry-after"), asked.now)
    if wait is None and answer.header("x-ratelimit-remaining") == "0":
        reset = _seconds(answer.header("x-ratelimit-reset"), asked.now)
        if reset is not None:
            wait, why = reset - asked.now, f"{why} is used up until {clock_time(reset)}"
    seconds = SECONDARY_WAIT * 2 ** (asked.attempt - 1) if wait is None else max(1.0, wait)
    return Retry(seconds=seconds, why=why, limited=True)


def clock_time(epoch: float) -> str:
    """A time for people."""
    return time.strftime("%H:%M UTC", time.gmtime(min(max(epoch, 0.0), LAST_SECOND)))


@dataclass(frozen=True, kw_only=True, slots=True)
class Budget:
    """The rest of one of GitHub's two budgets, and when it is refilled."""

    left: int
    reset: float

    @staticmethod
    def of(answer: Answer) -> Budget | None:
        """The budget in an answer's headers."""
        left, reset = (answer.header(f"x-ratelimit-{name}") or "" for name in ("remaining", "reset"))
        told = WHOLE.fullmatch(left) and WHOLE.fullmatch(reset)
        return Budget(left=int(left), reset=float(reset)) if told else None


def _seconds(header: str | None, now: float) -> float | None:
    text = (header or "").strip()
    if SECONDS.fullmatch(text):
        return float(text)
    at = told_time(text)
    return None if at is None else at - now


def told_time(header: str | None) -> float | None:
    """A date in a header."""
    from email.utils import parsedate_to_datetime  # noqa: PLC0415  (slow to load)

    try:
        return parsedate_to_datetime(header or "").timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _refusal(answer: Answer) -> str:
    """Why GitHub refuses, in our words or in its own. A validation error hides the detail one level deeper."""
    if answer.status in REFUSALS:
        needed = answer.header("x-accepted-github-permissions") or "see the README"
        return REFUSALS[answer.status].format(needed=needed)
    try:
        body = json.loads(answer.body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        body = None
    told: JSON = body if isinstance(body, dict) else {}
    errors = told.get("errors")
    details = [error.get("message") for error in errors if isinstance(error, dict)] if isinstance(errors, list) else []
    return ": ".join(str(part)[:200] for part in (told.get("message"), *details) if part) or "no reason given"


@contextmanager
def as_documented(what: str) -> Iterator[None]:
    """Turns an answer without documented parts into GitHub's error rather than a bug of ours."""
    try:
        yield
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        lacking = f"{type(error).__name__}: {str(error)[:100]}"
        raise GitHubError(f"{what}: GitHub's answer is not as it documents ({lacking}). {LATER}") from error


K = TypeVar("K")
T = TypeVar("T")
Task = Callable[[], Any]
# GitHub allows a hundred at once to all who share a token.
SIDE_BY_SIDE = 32


class _Worker(threading.Thread):
    """A thread that is abandoned when the program ends, even on a hanging connection."""

    def __init__(self, pending: Pending[Any, Any]) -> None:
        super().__init__(target=pending.work, daemon=True)
        self.pending = pending


def _own() -> Pending[Any, Any] | None:
    own = threading.current_thread()
    return own.pending if isinstance(own, _Worker) else None


def is_beside() -> bool:
    """True if the caller is one of some parallel tasks."""
    return _own() is not None


def is_given_up() -> bool:
    """True if the caller is a parallel task that nobody waits for any more."""
    own = _own()
    return own is not None and own.is_given_up()


class Pending(Generic[K, T]):
    """Running tasks. ``left`` gives the seconds left for them, or raises."""

    def __init__(self, tasks: Mapping[K, Callable[[], T]], left: Callable[[], float]) -> None:
        self._keys = tuple(tasks)
        self._left = left
        self._waiting = deque(tasks.items())
        self._done: SimpleQueue[tuple[K, T] | BaseException] = SimpleQueue()
        self._given_up = False
        self._within = _own()
        self.so_far: dict[K, T] = {}
        for _ in range(min(SIDE_BY_SIDE, len(tasks))):
            _Worker(self).start()

    def is_given_up(self) -> bool:
        """True if nobody waits for the results any more, nor for those of the enclosing task."""
        return self._given_up or (self._within is not None and self._within.is_given_up())

    def results(self) -> dict[K, T]:
        """The results in the order of tasks, or the first failure at once."""
        found = self.so_far
        try:
            while len(found) < len(self._keys):
                try:
                    result = self._done.get(timeout=self._left())
                except Empty:
                    continue
                if isinstance(result, BaseException):
                    raise result
                key, value = result
                found[key] = value
        finally:
            self._given_up = len(found) < len(self._keys)
            self._waiting.clear()
        return {key: found[key] for key in self._keys}

    def work(self) -> None:
        """Does one task after the other until none is waiting."""
        while True:
            try:
                key, task = self._waiting.popleft()
            except IndexError:
                return
            try:
                self._done.put((key, task()))
            except BaseException as failure:  # noqa: BLE001  (raised again where the result is awaited)
                self._done.put(failure)
