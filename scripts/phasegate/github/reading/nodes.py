"""GitHub's nodes to the snapshot's types; logins of apps are written as REST writes them."""

from __future__ import annotations

from typing import Any

from phasegate.github.client.answers import GitHubError
from phasegate.model.actors import Actor
from phasegate.model.snapshot import BaseChange, CheckRun, CommitStatus
from phasegate.model.texts import ClosingPullRequest, Comment, DeletedComment, Edit, NameEvent

JSON = dict[str, Any]


def actor(node: JSON | None) -> Actor | None:
    """An account; none where it is gone."""
    if node is None:
        return None
    kind = node["__typename"]
    login = f"{node['login']}[bot]" if kind == "Bot" and not node["login"].endswith("[bot]") else node["login"]
    return Actor(login=login, id=node.get("databaseId"), type=kind)


def rest_actor(user: JSON | None) -> Actor | None:
    """An account as REST tells it."""
    if user is None:
        return None
    return Actor(login=user["login"], id=user["id"], type=user["type"])


def comment(node: JSON, app_id: int | None = None) -> Comment:
    """A comment or a review, without its history; a review that is not submitted has only been created."""
    commit = node.get("commit")
    return Comment(
        id=number(node["fullDatabaseId"]),
        url=node["url"],
        author=actor(node["author"]),
        created_at=node.get("submittedAt") or node["createdAt"],
        text=node["body"],
        app_id=app_id,
        via_email=node["createdViaEmail"],
        minimized=(node["minimizedReason"] or "hidden") if node["isMinimized"] else None,
        edited_at=node["lastEditedAt"],
        editor=actor(node["editor"]),
        state=node.get("state"),
        commit=None if commit is None else commit["oid"],
    )


def number(value: object) -> int:
    """A number that GraphQL writes as text."""
    if not isinstance(value, (str, int)):
        raise GitHubError("GitHub left out the id of a comment, without which nothing can be told about it")
    return int(value)


def edits(connection: JSON) -> tuple[Edit, ...]:
    """The versions of a text, the oldest first."""
    found = [
        Edit(
            at=node["editedAt"],
            editor=actor(node["editor"]),
            text=node["diff"],
            deleted_at=node["deletedAt"],
            deleted_by=actor(node["deletedBy"]),
        )
        for node in connection["nodes"]
    ]
    return tuple(sorted(found, key=lambda edit: edit.at))


def deleted_comments(events: list[JSON]) -> tuple[DeletedComment, ...]:
    """The traces of deleted comments among timeline events."""
    return tuple(
        DeletedComment(
            at=event["createdAt"], actor=actor(event["actor"]), author=actor(event.get("deletedCommentAuthor"))
        )
        for event in events
        if event["__typename"] == "CommentDeletedEvent"
    )


def base_changes(events: list[JSON]) -> tuple[BaseChange, ...]:
    """The changes of base among timeline events: by somebody, or by GitHub when the former base was deleted."""
    ends = {
        "BaseRefChangedEvent": ("previousRefName", "currentRefName"),
        "AutomaticBaseChangeSucceededEvent": ("oldBase", "newBase"),
    }
    changes = ((event, *ends[event["__typename"]]) for event in events if event["__typename"] in ends)
    return tuple(
        BaseChange(at=event["createdAt"], actor=actor(event["actor"]), before=event[before], after=event[after])
        for event, before, after in changes
    )


def label_events(events: list[JSON]) -> tuple[NameEvent, ...]:
    """When labels came and went."""
    actions = {"LabeledEvent": "added", "UnlabeledEvent": "removed"}
    return tuple(
        NameEvent(
            name=event["label"]["name"],
            action=actions[event["__typename"]],
            at=event["createdAt"],
            actor=actor(event["actor"]),
        )
        for event in events
        if event["__typename"] in actions
    )


def type_events(events: list[JSON]) -> tuple[NameEvent, ...]:
    """When native issue types came and went; a change is both."""
    found: list[NameEvent] = []
    for event in events:
        kind, who, at = event["__typename"], actor(event.get("actor")), event.get("createdAt", "")
        if kind in ("IssueTypeRemovedEvent", "IssueTypeChangedEvent"):
            gone = event["prevIssueType"] if kind == "IssueTypeChangedEvent" else event["issueType"]
            found.append(NameEvent(name=_name(gone), action="removed", at=at, actor=who))
        if kind in ("IssueTypeAddedEvent", "IssueTypeChangedEvent"):
            found.append(NameEvent(name=_name(event["issueType"]), action="added", at=at, actor=who))
    return tuple(found)


def _name(node: JSON | None) -> str:
    return "" if node is None else str(node["name"])


def closed_by(events: list[JSON]) -> tuple[ClosingPullRequest, ...]:
    """The merged pull requests that closed an issue."""
    closers = (event["closer"] for event in events if event["__typename"] == "ClosedEvent" and event["closer"])
    return tuple(
        ClosingPullRequest(
            number=closer["number"],
            merged_at=closer["mergedAt"],
            repository=closer["repository"]["nameWithOwner"],
        )
        for closer in closers
        if closer["__typename"] == "PullRequest" and closer["mergedAt"]
    )


def check_runs(contexts: list[JSON]) -> tuple[CheckRun, ...]:
    """The check runs among the contexts of a commit, whoever wrote them."""
    return tuple(
        CheckRun(
            name=node["name"],
            status=node["status"].lower(),
            conclusion=None if node["conclusion"] is None else node["conclusion"].lower(),
            app_id=_app(node),
            url=node["detailsUrl"],
            completed_at=node["completedAt"],
        )
        for node in contexts
        if node["__typename"] == "CheckRun"
    )


def _app(node: JSON) -> int | None:
    app = (node["checkSuite"] or {}).get("app")
    return None if app is None else app["databaseId"]


def statuses(contexts: list[JSON]) -> tuple[CommitStatus, ...]:
    """The statuses among the contexts of a commit."""
    return tuple(
        CommitStatus(
            context=node["context"],
            state={"expected": "pending"}.get(node["state"].lower(), node["state"].lower()),
            at=node["createdAt"],
            description=node["description"] or "",
            creator=actor(node["creator"]),
            url=node["targetUrl"],
        )
        for node in contexts
        if node["__typename"] == "StatusContext"
    )
