"""Comments and reviews, complete: GraphQL tells who edited what, REST which app wrote it; together they must agree.

The first hundred come with the pull request itself. The rest is read by page numbers, side by side, and then looked up
by id, so that a thousand comments take no more trips one after the other than two hundred.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from phasegate.github.client.answers import GitHubError, MovedError
from phasegate.github.client.client import Client, Task, TooLargeError
from phasegate.github.reading import nodes
from phasegate.github.reading.nodes import comment, edits, number
from phasegate.github.reading.queries import (
    DETAILS,
    HISTORY,
    MORE_CONTEXTS,
    MORE_ISSUE_EVENTS,
    MORE_PULL_EVENTS,
    PAGE,
    statuses_query,
)
from phasegate.model.frozen import dataclass, replace
from phasegate.model.snapshot import CommitStatus
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


MOST_PAGES = 20


def issue_events(client: Client, issue: JSON) -> list[JSON]:
    """Every event of an issue's timeline that was asked for."""
    return _all(client, "MoreIssueEvents", MORE_ISSUE_EVENTS, issue["id"], issue["timelineItems"], _more)


def pull_events(client: Client, pull: JSON) -> list[JSON]:
    """Every event of a pull request's timeline that was asked for."""
    return _all(client, "MorePullEvents", MORE_PULL_EVENTS, pull["id"], pull["timelineItems"], _more)


def contexts(client: Client, commit: JSON) -> list[JSON]:
    """Every status and check of a commit."""
    rollup = commit.get("statusCheckRollup")
    if rollup is None:
        return []
    return _all(client, "MoreContexts", MORE_CONTEXTS, commit["id"], rollup["contexts"], _more_contexts)


def reported(client: Client, repository: str, heads: list[str]) -> list[tuple[str, CommitStatus]]:
    """The statuses of some commits, each with its commit; of one that is gone there are none."""
    owner, _, name = repository.partition("/")
    answer = client.graphql("Statuses", statuses_query(heads), {"owner": owner, "name": name})
    commits = [found for found in answer["repository"].values() if found]
    return [(commit["oid"], status) for commit in commits for status in nodes.statuses(contexts(client, commit))]


def _more(node: JSON) -> JSON:
    found: JSON = node["more"]
    return found


def _more_contexts(node: JSON) -> JSON:
    found: JSON = node["statusCheckRollup"]["more"]
    return found


def _all(  # noqa: PLR0913, PLR0917  (a query and where it goes on)
    client: Client, name: str, query: str, identity: str, first: JSON, more: Callable[[JSON], JSON]
) -> list[JSON]:
    connection, found = first, list(first["nodes"])
    for _ in range(MOST_PAGES):
        if not connection["pageInfo"]["hasNextPage"]:
            return [node for node in found if node is not None]
        variables = {"id": identity, "after": connection["pageInfo"]["endCursor"]}
        node = client.graphql(name, query, variables)["node"]
        if node is None:
            raise MovedError(f"query {name}: it is gone")
        connection = more(node)
        found.extend(connection["nodes"])
    raise GitHubError(f"query {name}: more than {MOST_PAGES} pages")
