"""One REST request with its path taken apart, what it may look at, and how lists are cut into pages."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from tests.fakehub.answer import JSON, Answer, RefusedError, error, invalid, not_found
from tests.fakehub.git import Git
from tests.fakehub.state import State

DEFAULT_PAGE = 30
LARGEST_PAGE = 100


@dataclass(frozen=True, kw_only=True)
class Call:
    """A request: ``params`` are the parts of its path, ``api`` is the root of all addresses."""

    state: State
    git: Git
    api: str
    path: str
    params: dict[str, str]
    query: dict[str, str]
    body: object
    accept: str
    page_cap: int

    @property
    def name(self) -> str:
        return f"{self.params['owner']}/{self.params['repo']}"

    def repository(self) -> JSON:
        found = self.state.repositories().get(self.name.lower())
        if found is None:
            raise not_found()
        if found["name"] in self.state.extras.forbidden:
            raise RefusedError(error(403, "Resource protected by organization SAML enforcement."))
        return found

    def pull(self) -> JSON:
        found = self.state.pull(self.repository()["name"], self.number("pull_number"))
        if found is None:
            raise not_found()
        return found

    def commit(self, part: str) -> str:
        found = self.git.resolve(self.params[part], self.repository()["name"])
        if found is None:
            raise RefusedError(error(422, f"No commit found for SHA: {self.params[part]}"))
        return found

    def number(self, part: str) -> int:
        text = self.params[part]
        if not text.isascii() or not text.isdigit():
            raise not_found()
        return int(text)

    def must_be_allowed(self, permission: str, level: str) -> None:
        if f"{permission}: {level}" in self.state.extras.lacking:
            accepted = {"X-Accepted-GitHub-Permissions": f"{permission}={level}"}
            raise RefusedError(error(403, "Resource not accessible by integration", **accepted))

    def document(self) -> JSON:
        if not isinstance(self.body, dict):
            raise RefusedError(error(400, "Problems parsing JSON"))
        return self.body

    def address(self, *parts: object) -> str:
        return "/".join((f"{self.api}/repos/{self.name}", *(quote(str(part), safe="/") for part in parts)))


def page_of(call: Call, items: Sequence[object]) -> tuple[list[object], dict[str, str]]:
    """The page that a request asks for, by number, and the header that links to the others."""
    size, page = page_size(call), max(_integer(call.query.get("page"), 1), 1)
    last = max(-(-len(items) // size), 1)
    links: dict[str, int] = {}
    if page > 1:
        links |= {"prev": min(page - 1, last), "first": 1}
    if page < last:
        links |= {"next": page + 1, "last": last}
    header = ", ".join(f'<{_link(call, page=number)}>; rel="{name}"' for name, number in links.items())
    return list(items[(page - 1) * size : page * size]), {"Link": header} if header else {}


def paged(call: Call, items: Sequence[object]) -> Answer:
    data, headers = page_of(call, items)
    return Answer(data=data, headers=headers)


def paged_by_cursor(call: Call, items: Sequence[object]) -> Answer:
    """A list, cut into pages by an opaque cursor."""
    size, start = page_size(call), _position(call.query["after"]) if "after" in call.query else 0
    if not 0 <= start <= len(items):
        raise invalid("The cursor is not valid.")
    end = start + size
    links = []
    if end < len(items):
        links.append(f'<{_link(call, after=_cursor(end))}>; rel="next"')
    if start > 0:
        links.append(f'<{_link(call, after=_cursor(max(start - size, 0)))}>; rel="prev"')
    return Answer(data=list(items[start:end]), headers={"Link": ", ".join(links)} if links else {})


def page_size(call: Call) -> int:
    """How many items a page has; GitHub quietly gives fewer to those who ask for too many."""
    asked = _integer(call.query.get("per_page"), DEFAULT_PAGE)
    return min(asked if asked > 0 else DEFAULT_PAGE, LARGEST_PAGE, call.page_cap)


def _link(call: Call, **changes: object) -> str:
    return f"{call.api}{quote(call.path)}?{urlencode({**call.query, **changes})}"


def _cursor(position: int) -> str:
    return base64.urlsafe_b64encode(f"activity:{position}".encode()).decode()


def _position(cursor: str) -> int:
    """Where a cursor points; nowhere, if it is none of ours."""
    try:
        return _integer(base64.urlsafe_b64decode(cursor).decode().removeprefix("activity:"), -1)
    except (binascii.Error, UnicodeDecodeError):
        return -1


def _integer(text: str | None, default: int) -> int:
    """A number of the query, or the default for what is none."""
    return int(text) if text and text.isascii() and text.isdigit() else default
