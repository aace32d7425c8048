"""GitHub's nodes to the snapshot's types; logins of apps are written as REST writes them."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

from phasegate.github.client.answers import GitHubError
from phasegate.model.codec import text_digest
from phasegate.model.frozen import dataclass, replace
from phasegate.model.plan import REGULAR_MODES, ReadingPlan
from phasegate.model.snapshot import (
    CLOSED,
    DELETED,
    FORCED,
    REMOVED,
    REOPENED,
    RETARGETED,
    BaseChange,
    ChangedFile,
    CheckRun,
    CommitStatus,
    Content,
    RefMove,
    StateChange,
)
from phasegate.model.texts import Actor, ClosingPullRequest, Comment, DeletedComment, Edit, NameEvent

JSON = dict[str, Any]
HEAD_FORCED = "HeadRefForcePushedEvent"


def actor(node: JSON | None) -> Actor | None:
    """An account; none where it is gone."""
    if node is None:
        return None
    kind, name = node["__typename"], node["login"]
    if not isinstance(name, str):
        raise TypeError("an account without a login")
    login = f"{name}[bot]" if kind == "Bot" and not name.endswith("[bot]") else name
    return Actor(login=login, id=node.get("databaseId"), type=kind)


def viewer(node: JSON | None) -> Actor | None:
    """The account that the token speaks for; GitHub calls it a user even where it is an app's."""
    return None if node is None else Actor(login=node["login"], id=node.get("databaseId"), type="User")


def rest_actor(user: JSON | None) -> Actor | None:
    """An account as REST tells it."""
    if user is None:
        return None
    told = user["login"], user["id"], user["type"]
    if tuple(map(type, told)) != (str, int, str):
        raise TypeError("an account without a login, an id or a type")
    return Actor(login=told[0], id=told[1], type=told[2])


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
    """The versions of a text, the oldest first. GitHub lists the newest first, also those of one second."""
    found = [
        Edit(
            at=node["editedAt"],
            editor=actor(node["editor"]),
            text=node["diff"],
            deleted_at=node["deletedAt"],
            deleted_by=actor(node["deletedBy"]),
        )
        for node in reversed(connection["nodes"])
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


def with_dismissals(reviews: Iterable[Comment], events: list[JSON]) -> tuple[Comment, ...]:
    """The reviews, those that were dismissed with when, by whom and from which state, by the last such event."""
    dismissed = {
        number(event["review"]["fullDatabaseId"]): {
            "dismissed_at": event["createdAt"],
            "dismissed_by": actor(event["actor"]),
            "dismissed_from": event["previousReviewState"],
        }
        for event in sorted(events, key=lambda event: str(event.get("createdAt")))
        if event["__typename"] == "ReviewDismissedEvent" and event["review"] is not None
    }
    return tuple(replace(review, **dismissed[review.id]) if review.id in dismissed else review for review in reviews)


def base_changes(events: list[JSON]) -> tuple[BaseChange, ...]:
    """The changes of base among timeline events: by somebody, or by GitHub when the former base was deleted."""
    return tuple(
        BaseChange(at=event["createdAt"], actor=actor(event["actor"]), before=before, after=after, kind=kind)
        for event in events
        for kind, before, after in _base_change(event)
    )


def _base_change(event: JSON) -> Iterator[tuple[str, str, str]]:
    """How a base changed, from what and to what; a commit that is gone is told as nothing."""
    if event["__typename"] == "BaseRefChangedEvent":
        yield RETARGETED, event["previousRefName"], event["currentRefName"]
    elif event["__typename"] == "AutomaticBaseChangeSucceededEvent":
        yield RETARGETED, event["oldBase"], event["newBase"]
    elif event["__typename"] == "BaseRefForcePushedEvent":
        before, after = ((event[key] or {}).get("oid", "") for key in ("beforeCommit", "afterCommit"))
        yield FORCED, before, after
    elif event["__typename"] == "BaseRefDeletedEvent":
        yield DELETED, event["baseRefName"] or "", ""


def state_changes(events: list[JSON]) -> tuple[StateChange, ...]:
    """When a pull request was closed and reopened."""
    states = {"ClosedEvent": CLOSED, "ReopenedEvent": REOPENED}
    return tuple(
        StateChange(at=event["createdAt"], actor=actor(event["actor"]), state=states[event["__typename"]])
        for event in events
        if event["__typename"] in states
    )


def head_forced(events: list[JSON]) -> tuple[RefMove, ...]:
    """When the head branch was forced, from where and to where, as far as those commits are still there."""
    forced = (event for event in events if event["__typename"] == HEAD_FORCED and event["afterCommit"])
    return tuple(
        RefMove(
            at=event["createdAt"],
            before=(event["beforeCommit"] or {}).get("oid"),
            after=event["afterCommit"]["oid"],
            kind="force_push",
            actor=actor(event["actor"]),
        )
        for event in forced
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


def told_check_run(run: JSON) -> CheckRun:
    """A check run with all that its app wrote, as REST tells it."""
    app, output = run["app"] or {}, run["output"]
    return CheckRun(
        name=run["name"],
        status=run["status"],
        conclusion=run["conclusion"],
        app_id=app.get("id"),
        url=run["html_url"] or run["details_url"],
        completed_at=run["completed_at"],
        id=run["id"],
        app=app.get("slug"),
        commit=run["head_sha"],
        started_at=run["started_at"],
        title=output["title"],
        summary=output["summary"],
        text=output["text"],
        suite=(run["check_suite"] or {}).get("id"),
    )


def statuses(contexts: list[JSON]) -> tuple[CommitStatus, ...]:
    """The statuses of a commit."""
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
    )


def rest_status(item: JSON) -> CommitStatus:
    """A status as REST tells it."""
    return CommitStatus(
        context=item["context"],
        state=item["state"],
        at=item["created_at"],
        description=item["description"] or "",
        creator=rest_actor(item["creator"]),
        url=item["target_url"],
    )


LeavesOut = Callable[[str, str | None], bool]
# By commit and path: mode and object id of what is there; nothing where nothing is.
Modes = Mapping[tuple[str, str], tuple[str, str] | None]
GONE_MODE = "100644"
MOST_COMPARED = 300


def changed_file(entry: JSON) -> ChangedFile:
    """A changed file as REST tells it."""
    status, path = entry["status"], entry["filename"]
    if not isinstance(path, str):
        raise TypeError("a changed file without a name")
    return ChangedFile(
        path=path,
        status=status,
        previous_path=entry.get("previous_filename") if status == "renamed" else None,
        blob=None if status == REMOVED else entry["sha"],
    )


def names_commit(entry: JSON, commit: str) -> bool:
    """Whether a changed file, as REST tells it, is said to be that of a commit; one that is gone is of another."""
    asked = parse_qs(urlsplit(entry.get("contents_url") or "").query)
    return entry["status"] != REMOVED and asked.get("ref") == [commit]


def unpinned(pages: list[list[JSON]], head: str) -> bool:
    """Whether there is a page of changed files that may be about another head."""
    named = [[names_commit(entry, head) or entry["status"] == REMOVED for entry in page] for page in pages]
    gone = any(page and all(entry["status"] == REMOVED for entry in page) for page in pages)
    return gone or not all(all(page) for page in named)


def content_digest(files: Iterable[ChangedFile], leaves_out: LeavesOut) -> str | None:
    """The digest of changed files with their modes, without evidence; none where a blob is not known.

    A rename is a path that is gone and one that is there, so it does not matter how GitHub tells the two.
    """
    present: dict[str, tuple[str | None, str | None]] = {}
    for file in files:
        if file.status != REMOVED and file.blob is None:
            return None
        if file.previous_path is not None:
            present.setdefault(file.previous_path, (None, GONE_MODE))
        present[file.path] = (file.blob, GONE_MODE if file.status == REMOVED else file.mode)
    product = [[path, *present[path]] for path in sorted(present) if not leaves_out(path, present[path][1])]
    return text_digest(json.dumps(product, ensure_ascii=True, separators=(",", ":")))


def with_modes(commit: str, files: Iterable[ChangedFile], modes: Modes) -> tuple[ChangedFile, ...] | None:
    """The files with the modes that were asked for at a commit; none where what stands there is not what was listed."""
    found: list[ChangedFile] = []
    for file in files:
        asked = file.status != REMOVED and (commit, file.path) in modes
        mode, blob = modes[commit, file.path] or (None, None) if asked else (None, file.blob)
        if blob != file.blob:
            return None
        found.append(replace(file, mode=mode))
    return tuple(found)


def line_count(entry: object) -> int | None:
    """How many lines a file has, as REST tells its content; none of what is not a text file of ordinary size."""
    if not isinstance(entry, dict) or entry.get("type") != "file" or entry.get("encoding") != "base64":
        return None
    try:
        content = b64decode(entry.get("content") or "")
    except ValueError:
        return None
    return content.count(b"\n") + (not content.endswith(b"\n") and bool(content))


def compared_files(comparison: JSON | None) -> tuple[ChangedFile, ...] | None:
    """The files that a comparison lists; none where GitHub may have left some out."""
    files = None if comparison is None else comparison.get("files")
    if not isinstance(files, list) or len(files) >= MOST_COMPARED:
        return None
    return tuple(changed_file(entry) for entry in files)


def compared_content(commit: str, files: tuple[ChangedFile, ...] | None, modes: Modes, plan: ReadingPlan) -> Content:
    """What a commit would bring in, by the files of its comparison."""
    changed = None if files is None else with_modes(commit, files, modes)
    if changed is None:
        return Content(commit=commit)
    evidence = tuple(file.path for file in changed if file.mode in REGULAR_MODES and plan.reads(file.path))
    return Content(commit=commit, digest=content_digest(changed, plan.leaves_out), excluded=evidence)


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """The files of an older head against the base, and the modes that were asked for beside the head's own paths."""

    head: str
    files: tuple[ChangedFile, ...] | None
    modes: Modes


# What is read of a comment or a review; the rest is mostly addresses, and would be half of all that a run holds.
KEPT = ("id", "node_id", "body", "state", "commit_id", "created_at", "submitted_at", "updated_at")


def bare(page: list[JSON]) -> list[JSON]:
    """A page of comments or reviews, of each only what is read of it."""
    return [_bare(item) for item in page]


def _bare(item: JSON) -> JSON:
    user, app = item["user"], item.get("performed_via_github_app")
    return {
        **{key: item[key] for key in KEPT if key in item},
        "user": None if user is None else {key: user[key] for key in ("login", "id", "type")},
        "performed_via_github_app": None if app is None else {"id": app["id"]},
    }
