"""GitHub's nodes to the snapshot's types; logins of apps are written as REST writes them."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable, Iterable
from typing import Any

from phasegate.github.client.answers import GitHubError
from phasegate.model.actors import Actor
from phasegate.model.digest import text_digest
from phasegate.model.snapshot import (
    REMOVED,
    BaseChange,
    ChangedFile,
    CheckRun,
    CommitStatus,
    Content,
)
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


LeavesOut = Callable[[str], bool]
MOST_COMPARED = 300


def changed_file(entry: JSON) -> ChangedFile:
    """A changed file as REST tells it."""
    status = entry["status"]
    return ChangedFile(
        path=entry["filename"],
        status=status,
        previous_path=entry.get("previous_filename") if status == "renamed" else None,
        blob=None if status == REMOVED else entry["sha"],
    )


def content_digest(files: Iterable[ChangedFile], leaves_out: LeavesOut) -> str | None:
    """The digest of changed files, without evidence; none where a blob is not known.

    A rename is a path that is gone and one that is there, so it does not matter how GitHub tells the two.
    """
    present: dict[str, str | None] = {}
    for file in files:
        if file.status != REMOVED and file.blob is None:
            return None
        if file.previous_path is not None:
            present.setdefault(file.previous_path, None)
        present[file.path] = file.blob
    product = sorted((path, blob) for path, blob in present.items() if not leaves_out(path))
    return text_digest(json.dumps(product, ensure_ascii=True, separators=(",", ":")))


def line_count(entry: object) -> int | None:
    """How many lines a file has, as REST tells its content; none of what is not a text file of ordinary size."""
    if not isinstance(entry, dict) or entry.get("type") != "file" or entry.get("encoding") != "base64":
        return None
    try:
        content = b64decode(entry.get("content") or "")
    except ValueError:
        return None
    return content.count(b"\n") + (not content.endswith(b"\n") and bool(content))


def compared_content(commit: str, comparison: JSON | None, leaves_out: LeavesOut) -> Content:
    """What a comparison says of a commit; nothing where GitHub may have left files out."""
    files = None if comparison is None else comparison.get("files")
    if not isinstance(files, list) or len(files) >= MOST_COMPARED:
        return Content(commit=commit)
    changed = [changed_file(entry) for entry in files]
    evidence = tuple(file.path for file in changed if leaves_out(file.path))
    return Content(commit=commit, digest=content_digest(changed, leaves_out), excluded=evidence)
