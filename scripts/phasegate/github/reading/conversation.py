"""Comments and reviews, complete: GraphQL tells who edited what, REST which app wrote it; together they must agree.

The first hundred come with the pull request itself. The rest is read by page numbers, side by side, and then looked up
by id, so that a thousand comments take no more trips one after the other than two hundred.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from phasegate.github.client.answers import MovedError
from phasegate.github.client.client import Client, TooLargeError
from phasegate.github.client.side_by_side import Task
from phasegate.github.reading.nodes import comment, edits, number
from phasegate.github.reading.queries import DETAILS, HISTORY, PAGE
from phasegate.model.frozen import dataclass
from phasegate.model.texts import Comment

JSON = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Thread:
    """One list of comments or reviews: where REST has it, and what GraphQL said of it first.

    ``with_apps``: REST tells more of each item than GraphQL, so every page is read, not only those beyond the first.
    """

    path: str
    total: int
    first: list[JSON]
    with_apps: bool

    def pages(self, client: Client, first: int = 1) -> list[Task]:
        """A task for each page that REST must be asked for, from some page on."""
        numbers = range(first if self.with_apps else max(2, first), -(-self.total // PAGE) + 1)
        return [partial(client.page, self.path, per_page=PAGE, page=page) for page in numbers]

    def listed(self, pages: Iterable[list[JSON]]) -> Listed:
        """The pages put together: every item once, and as many as GraphQL counted."""
        items = [item for page in pages for item in page]
        expected = self.total if self.with_apps else max(0, self.total - PAGE)
        if len({item["id"] for item in items}) != len(items) or len(items) != expected:
            raise MovedError(f"{self.path}: {len(items)} read, {expected} expected")
        return Listed(thread=self, items=items)


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """A thread with all that REST lists of it."""

    thread: Thread
    items: list[JSON]

    def beyond(self) -> list[JSON]:
        """What stands beyond the first page."""
        return self.items[PAGE:] if self.thread.with_apps else self.items

    def late(self) -> list[JSON]:
        """What GraphQL has not told of yet."""
        known = {node["id"] for node in self.thread.first}
        return [item for item in self.items if item["node_id"] not in known]

    def assembled(self, told: dict[str, JSON], versions: dict[str, JSON]) -> tuple[Comment, ...]:
        """The thread as the snapshot holds it, the oldest first."""
        nodes = [*self.thread.first, *(told[item["node_id"]] for item in self.late())]
        apps = {item["id"]: app_of(item) for item in self.items}
        ids = {number(node["fullDatabaseId"]) for node in nodes}
        if len(ids) != self.thread.total or (self.thread.with_apps and ids != set(apps)):
            raise MovedError(f"{self.thread.path}: the two lists differ")
        said = (comment(node, apps.get(number(node["fullDatabaseId"]))) for node in nodes)
        whole = (_with_history(item, versions.get(node["id"])) for item, node in zip(said, nodes, strict=True))
        return tuple(sorted(whole, key=lambda item: (item.created_at, item.id)))


def app_of(item: JSON) -> int | None:
    """The app that a comment was written with, as REST tells it."""
    app = item.get("performed_via_github_app")
    return None if app is None else app["id"]


def _with_history(said: Comment, node: JSON | None) -> Comment:
    if node is None:
        return said
    connection = node["userContentEdits"]
    history = edits(connection)
    complete = bool(node["includesCreatedEdit"]) and len(history) == connection["totalCount"]
    return replace(said, history=history, history_complete=complete)


def detail_tasks(client: Client, ids: list[str]) -> list[Task]:
    """What GraphQL tells of comments beyond the first hundred."""
    return [partial(client.graphql, "Details", DETAILS, {"ids": batch}) for batch in _batches(ids)]


def history_tasks(client: Client, nodes: Iterable[JSON]) -> list[Task]:
    """The versions of those comments that were edited."""
    edited = [node["id"] for node in nodes if node["lastEditedAt"] is not None]
    return [partial(_history, client, batch) for batch in _batches(edited)]


def _history(client: Client, ids: list[str]) -> JSON:
    """The versions of some comments; where they are too long for one answer, in several."""
    try:
        return client.graphql("History", HISTORY, {"ids": ids})
    except TooLargeError:
        if len(ids) == 1:
            raise
    halves = (ids[: len(ids) // 2], ids[len(ids) // 2 :])
    return {"nodes": [node for half in halves for node in _history(client, half)["nodes"]]}


def _batches(ids: list[str]) -> list[list[str]]:
    return [ids[start : start + PAGE] for start in range(0, len(ids), PAGE)]


def by_id(answers: Iterable[JSON]) -> dict[str, JSON]:
    """The nodes of several answers, by node id."""
    nodes = [node for answer in answers for node in answer["nodes"]]
    if any(node is None for node in nodes):
        raise MovedError("a comment was deleted meanwhile")
    return {node["id"]: node for node in nodes}
