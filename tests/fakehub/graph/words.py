"""Comments and reviews in GraphQL, with the history of their edits.

What the schema calls the ``diff`` of an edit is the whole text after it; the newest edit comes first, and the oldest
holds the first text. What was never edited has no edits.
"""

from __future__ import annotations

from tests.fakehub.answer import JSON
from tests.fakehub.graph.connections import World, connection
from tests.fakehub.graph.people import actor
from tests.fakehub.nodes import node_id

# GitHub keeps the first text and the last 99.
MOST_EDITS = 100


def comment(world: World, said: JSON, place: JSON) -> JSON:
    """A comment of an issue or a pull request; ``place`` holds the fields that lead back there."""
    return {
        "__typename": "IssueComment", "id": node_id("IssueComment", said["id"]),
        "isMinimized": bool(said.get("minimized")), "minimizedReason": said.get("minimized"), **words(world, said),
        **place,
    }  # fmt: skip


def review(world: World, said: JSON, place: JSON) -> JSON:
    """A review; one that is pending has not been submitted."""
    commit, name = said.get("commit"), place["repository"]()["nameWithOwner"]
    pending = said.get("state") == "PENDING"
    return {
        "__typename": "PullRequestReview",
        "id": node_id("PullRequestReview", said["id"]),
        "state": said.get("state") or "COMMENTED",
        "submittedAt": None if pending else said["created_at"],
        "isMinimized": bool(said.get("minimized")),
        "minimizedReason": said.get("minimized"),
        **words(world, said),
        "createdAt": min([said["created_at"], *(edit["at"] for edit in said.get("history", []))]),
        **place,
        "commit": lambda: world.make("commit", name, commit) if commit else None,
    }


def thread(world: World, told: JSON, place: JSON) -> JSON:
    """A review thread; GitHub calls whoever resolved it a user, and writes the login of an app as REST does."""
    first = {key: told.get(key) for key in ("id", "url", "author", "created_at", "text", "edited_at", "editor")}
    rest = [
        {"id": told["id"] * 100 + number, "url": told["url"], "created_at": each["at"], **each}
        for number, each in enumerate(told.get("replies", ()), start=1)
    ]
    by = told.get("resolved_by")

    def comments(**page: object) -> JSON:
        return connection(world, [first, *rest], lambda said: _review_comment(world, said, told, place), page)

    return {
        "__typename": "PullRequestReviewThread",
        "id": node_id("PullRequestReviewThread", told["id"]),
        "isResolved": bool(told.get("resolved")),
        "isOutdated": bool(told.get("outdated")),
        "path": told["path"],
        "resolvedBy": None if by is None else {**(actor(by) or {}), "__typename": "User", "login": by["login"]},
        "comments": comments,
    }


def _review_comment(world: World, said: JSON, told: JSON, place: JSON) -> JSON:
    commit, review_id, name = told.get("commit"), told.get("review"), place["repository"]["name"]
    reviews = {each["id"]: each for each in place["reviews"]}
    back = {"repository": lambda: {"nameWithOwner": name}, "pullRequest": None}
    return {
        "__typename": "PullRequestReviewComment",
        "id": node_id("PullRequestReviewComment", said["id"]),
        "fullDatabaseId": str(said["id"]),
        "url": said["url"],
        "author": actor(said["author"]),
        "body": said["text"],
        "createdAt": said["created_at"],
        "lastEditedAt": said.get("edited_at"),
        "editor": actor(said.get("editor")),
        "originalLine": told.get("line"),
        "originalCommit": lambda **_: world.make("commit", name, commit) if commit else None,
        "pullRequestReview": lambda **_: review(world, reviews[review_id], back) if review_id in reviews else None,
    }


def words(world: World, said: JSON) -> JSON:
    edits = _edits(said)

    def user_content_edits(**page: object) -> JSON:
        return connection(world, edits, lambda edit: _edit(said, edit), page)

    return {
        "databaseId": said["id"],
        "fullDatabaseId": str(said["id"]),
        "url": said["url"],
        "author": actor(said["author"]),
        "body": said["text"],
        "createdAt": said["created_at"],
        "updatedAt": said.get("edited_at") or said["created_at"],
        "lastEditedAt": said.get("edited_at"),
        "editor": actor(said.get("editor")),
        "includesCreatedEdit": bool(edits) and said.get("history_complete", True),
        "createdViaEmail": bool(said.get("via_email")),
        "viewerDidAuthor": False,
        "userContentEdits": user_content_edits,
    }


def _edits(said: JSON) -> list[JSON]:
    """The versions that GitHub still has, the newest first."""
    history = said.get("history", [])
    kept = history if len(history) <= MOST_EDITS else [history[0], *history[-MOST_EDITS + 1 :]]
    return list(reversed(kept))


def _edit(said: JSON, edit: JSON) -> JSON:
    """One version; no text where it was deleted."""
    deleted = edit.get("deleted_at")
    return {
        "__typename": "UserContentEdit", "id": node_id("UserContentEdit", said["id"], edit["at"]),
        "createdAt": edit["at"], "updatedAt": deleted or edit["at"], "editedAt": edit["at"],
        "editor": actor(edit.get("editor")), "diff": None if deleted else edit.get("text"), "deletedAt": deleted,
        "deletedBy": actor(edit.get("deleted_by")),
    }  # fmt: skip
