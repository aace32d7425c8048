"""The one comment of ours on a pull request: written once, then updated in place where its text has changed.

It is ours if this very token wrote it and its first line is our marker; anybody can copy the marker, and nobody else's
comment is ever touched. Runs that write at the same moment leave two: the next one keeps the first of them.
"""

from __future__ import annotations

from typing import Any

from phasegate.github.client.answers import GitHubError, as_documented
from phasegate.github.client.client import Client
from phasegate.model.drafts import COMMENT_MARKER

MOST_PAGES = 100
JSON = dict[str, Any]

COMMENTS = """
query OwnComments($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      comments(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { id databaseId body viewerDidAuthor }
      }
    }
  }
}
"""
DELETE = """
mutation DeleteComment($id: ID!) {
  deleteIssueComment(input: {id: $id}) { clientMutationId }
}
"""


def keep_comment(client: Client, repository: str, number: int, body: str) -> str:
    """See that our comment says this; what had to be done, in a word."""
    ours = _ours(client, repository, number)
    if not ours:
        client.post(f"/repos/{repository}/issues/{number}/comments", {"body": body})
        return "written"
    first, *twins = ours
    for twin in twins:
        client.graphql("DeleteComment", DELETE, {"id": twin["id"]})
    if _lines(first["body"]) == _lines(body):
        return "is there already"
    client.patch(f"/repos/{repository}/issues/comments/{first['databaseId']}", {"body": body})
    return "updated"


def _ours(client: Client, repository: str, number: int) -> list[JSON]:
    """Our comments on the pull request, the oldest first."""
    owner, _, name = repository.partition("/")
    variables: JSON = {"owner": owner, "name": name, "number": number}
    found: list[JSON] = []
    for _ in range(MOST_PAGES):
        data = client.graphql("OwnComments", COMMENTS, variables)
        with as_documented("query OwnComments"):
            comments = data["repository"]["pullRequest"]["comments"]
            found += [node for node in comments["nodes"] if _is_ours(node)]
            if not comments["pageInfo"]["hasNextPage"]:
                return found
            variables["after"] = comments["pageInfo"]["endCursor"]
    raise GitHubError(f"query OwnComments: more than {MOST_PAGES} pages of comments on #{number}")


def _is_ours(node: JSON) -> bool:
    return bool(node["viewerDidAuthor"]) and _lines(node["body"])[:1] == [COMMENT_MARKER]


def _lines(body: str | None) -> list[str]:
    """A text as GitHub may give it back, line by line."""
    return (body or "").strip().splitlines()
