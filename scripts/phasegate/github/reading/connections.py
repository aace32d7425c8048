"""Connections that did not fit on one page, read on to their end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from phasegate.github.client.answers import GitHubError, MovedError
from phasegate.github.client.client import Client
from phasegate.github.reading import nodes
from phasegate.github.reading.queries import MORE_CONTEXTS, MORE_ISSUE_EVENTS, MORE_PULL_EVENTS, statuses_query
from phasegate.model.snapshot import CommitStatus

JSON = dict[str, Any]
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
