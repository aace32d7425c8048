"""The client's core without I/O: what an answer of GitHub means, and whether and when to ask again.

In: status, headers and body as bytes. Out: the data, a wait, or a failure that says what to do.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SECONDARY_WAIT = 60.0
BACKOFF = (1.0, 2.0, 4.0, 8.0)
ATTEMPTS = len(BACKOFF) + 1
TRANSIENT = (408, 500, 502, 503, 504)
REDIRECTS = (301, 302, 303, 307, 308)
LINK = re.compile(r'<([^<>]{1,2000})>\s{0,4};\s{0,4}rel="([a-z]{1,20})"', re.ASCII)
TRANSIENT_ERRORS = ("SERVICE_UNAVAILABLE", "INTERNAL", "TIMEOUT")


class GitHubError(Exception):
    """GitHub could not be read or written: what failed, what it usually means, how to mend it."""


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
    """Ask again after some seconds."""

    seconds: float
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Data:
    """The answer, understood."""

    value: Any
    next_url: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Missing:
    """GitHub says that there is no such thing, or that this token may not see it."""


Understood = Data | Retry | Missing


def understand(answer: Answer, what: str, attempt: int, now: float) -> Understood:
    """What a REST answer means; a failure that no repetition mends is raised."""
    if answer.status in (200, 201):
        return _decoded(answer, what, attempt)
    if answer.status in TRANSIENT:
        return _again(attempt, f"{what}: GitHub answered {answer.status}")
    limited = _limited(answer, attempt, now)
    if limited is not None:
        return limited
    if answer.status == 404:  # noqa: PLR2004  (HTTP)
        return Missing()
    raise GitHubError(_refusal(answer, what))


def understand_graphql(answer: Answer, what: str, attempt: int, now: float) -> Understood:
    """What a GraphQL answer means; data with errors beside it is never taken for the whole."""
    understood = understand(answer, what, attempt, now)
    if not isinstance(understood, Data):
        return understood
    body = understood.value
    if not isinstance(body, dict) or ("data" not in body and "errors" not in body):
        return _again(attempt, f"{what}: the answer is no GraphQL result")
    errors = body.get("errors")
    if not errors:
        return Data(value=body["data"])
    kinds = {error.get("type", "") for error in errors if isinstance(error, dict)}
    if "RATE_LIMITED" in kinds:
        return Retry(seconds=_until_reset(answer, now) or SECONDARY_WAIT, why=f"{what}: GraphQL rate limit")
    if "NOT_FOUND" in kinds and not body.get("data"):
        return Missing()
    untyped = not kinds - {""}
    if untyped or kinds & set(TRANSIENT_ERRORS):
        return _again(attempt, f"{what}: GitHub answered only in part ({_first_message(errors)})")
    raise GitHubError(f"{what}: GitHub refused the query ({_first_message(errors)})")


def _first_message(errors: Any) -> str:  # noqa: ANN401  (whatever GitHub sent)
    first = errors[0] if isinstance(errors, list) and errors else {}
    message = first.get("message", "no message") if isinstance(first, dict) else "no message"
    return str(message)[:200]


def failed_connection(what: str, attempt: int, why: str) -> Retry:
    """A connection that broke off before the answer was whole."""
    return _again(attempt, f"{what}: {why}")


def _again(attempt: int, why: str) -> Retry:
    if attempt >= ATTEMPTS:
        raise GitHubError(f"{why}, {attempt} times in a row. Is GitHub having an incident? The next event tries again")
    return Retry(seconds=BACKOFF[attempt - 1], why=why)


def _decoded(answer: Answer, what: str, attempt: int) -> Understood:
    try:
        value = json.loads(answer.body.decode("utf-8"))
    except (UnicodeDecodeError, ValueError, RecursionError):
        return _again(attempt, f"{what}: the answer is not JSON")
    return Data(value=value, next_url=next_link(answer.header("link")))


def next_link(header: str | None) -> str | None:
    """The address of the next page."""
    return next((url for url, relation in LINK.findall(header or "") if relation == "next"), None)


def _limited(answer: Answer, attempt: int, now: float) -> Retry | None:
    """A wait where GitHub asks for one: by its own headers, or by a minute that grows."""
    if answer.status not in (403, 429):
        return None
    asked = _seconds(answer.header("retry-after"))
    spent = _until_reset(answer, now)
    secondary = b"secondary rate limit" in answer.body.lower() or answer.status == 429  # noqa: PLR2004  (HTTP)
    if asked is None and spent is None and not secondary and answer.header("retry-after") is None:
        return None
    if attempt >= ATTEMPTS:
        raise GitHubError(f"GitHub's rate limit is used up, after {attempt} tries. The next event tries again")
    wait = asked if asked is not None else spent
    return Retry(seconds=SECONDARY_WAIT * 2 ** (attempt - 1) if wait is None else wait, why="GitHub's rate limit")


def _seconds(header: str | None) -> float | None:
    if header is None or not re.fullmatch(r"[0-9]{1,9}", header.strip(), re.ASCII):
        return None
    return float(header)


def _until_reset(answer: Answer, now: float) -> float | None:
    if answer.header("x-ratelimit-remaining") != "0":
        return None
    reset = _seconds(answer.header("x-ratelimit-reset"))
    return None if reset is None else max(1.0, reset - now)


def _refusal(answer: Answer, what: str) -> str:
    said = f"{what}: GitHub answered {answer.status}"
    if answer.status == 401:  # noqa: PLR2004  (HTTP)
        return f"{said}: the token is not valid. Pass one in the input token, or leave the default"
    if answer.status == 403:  # noqa: PLR2004  (HTTP)
        needed = answer.header("x-accepted-github-permissions")
        return f"{said}: the token may not do this. Add to permissions in the workflow: {needed or 'see the README'}"
    if answer.status in REDIRECTS:
        return f"{said}: the repository was renamed or moved. Redirects are not followed with a token"
    return f"{said}: {_message(answer)}"


def _message(answer: Answer) -> str:
    try:
        body = json.loads(answer.body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return "no reason given"
    return str(body.get("message", "no reason given"))[:300] if isinstance(body, dict) else "no reason given"
