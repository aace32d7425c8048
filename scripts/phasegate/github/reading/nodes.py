"""GitHub's nodes to the snapshot's types. Logins of apps are written as in REST."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeAlias, TypeVar
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
    ChangedFiles,
    CheckRun,
    CommitStatus,
    Content,
    RefMove,
    StateChange,
)
from phasegate.model.texts import Actor, ClosingPullRequest, Comment, DeletedComment, Edit, NameEvent

JSON = dict[str, Any]
T = TypeVar("T")
HEAD_FORCED = "HeadRefForcePushedEvent"


def actor(node: JSON | None) -> Actor | None:
    """An account from either interface, or None if it is gone."""
    if node is None:
        return None
    rest = "type" in node
    kind, identity = (node["type"], node.get("id")) if rest else (node["__typename"], node.get("databaseId"))
    login = node["login"]
    if not isinstance(login, str) or (rest and (type(identity), type(kind)) != (int, str)):
        raise TypeError("an account without a login, an id or a type")
    is_app = not rest and kind == "Bot" and not login.endswith("[bot]")
    return Actor(login=f"{login}[bot]" if is_app else login, id=identity, type=kind)


def viewer(node: JSON | None) -> Actor | None:
    """The account of the token. GitHub calls it a user even if it is an app's."""
    return None if node is None else Actor(login=node["login"], id=node.get("databaseId"), type="User")


def number(value: object) -> int:
    """A number that GraphQL writes as text."""
    if not isinstance(value, (str, int)):
        raise GitHubError("GitHub left out the id of a comment, without which nothing can be told about it")
    return int(value)


# How to read a field, by its annotation; all other values are taken unchanged.
READERS: Mapping[str, Callable[[Any], object]] = {
    "Actor | None": actor,
    "Actor": actor,
    "int": number,
    "int | None": lambda value: None if value is None else number(value),
}


class Form(Generic[T]):
    """How to read a frozen class from GitHub's data: the path of each field, read by its annotation.

    A path with a question mark may be null: then the field is None, or "" for a text.
    """

    def __init__(self, kind: type[T], same: str, **paths: str) -> None:
        told = {**{name: name for name in same.split()}, **paths}
        self.kind = kind
        self.fields = [
            (name, [(step.rstrip("?"), step[-1] == "?") for step in path.split(".")], kind.__annotations__[name])
            for name, path in told.items()
        ]

    def __call__(self, node: JSON, **known: object) -> T:
        """The value in a node, with other known fields. A missing part is an error."""
        for name, path, annotation in self.fields:
            value: Any = node
            for step, optional in path:
                value = value[step]
                if optional and value is None:
                    value = "" if annotation == "str" else None
                    break
            reader = READERS.get(annotation)
            known[name] = value if reader is None else reader(value)
        return self.kind(**known)


COMMENT = Form(
    Comment,
    "url author editor",
    id="fullDatabaseId",
    text="body",
    via_email="createdViaEmail",
    edited_at="lastEditedAt",
)


def comment(node: JSON, app_id: int | None = None) -> Comment:
    """A comment or review without its history. A review that is not submitted has only been created."""
    return COMMENT(
        node,
        app_id=app_id,
        state=node.get("state"),
        commit=(node.get("commit") or {}).get("oid"),
        created_at=node.get("submittedAt") or node["createdAt"],
        minimized=(node["minimizedReason"] or "hidden") if node["isMinimized"] else None,
    )


EDIT = Form(Edit, "editor", at="editedAt", text="diff", deleted_at="deletedAt", deleted_by="deletedBy")


def edits(connection: JSON) -> tuple[Edit, ...]:
    """The versions of a text, oldest first. GitHub lists the newest first, also within a second."""
    return tuple(sorted(map(EDIT, reversed(connection["nodes"])), key=lambda edit: edit.at))


def _event(kind: type[T], always: Mapping[str, str] | None = None, **paths: str) -> Callable[[JSON], T]:
    """A reader of a timeline event: when, by whom, and further fields."""
    form = Form(kind, "actor", at="createdAt", **paths)
    return lambda event: form(event, **(always or {}))


ADDED, GONE = {"action": "added"}, {"action": "removed"}
# What is told by which timeline events; one that changes something may tell two things.
Told: TypeAlias = "tuple[tuple[str, Callable[[JSON], T]], ...]"
DELETED_COMMENTS = (("CommentDeletedEvent", _event(DeletedComment, author="deletedCommentAuthor")),)
# A base changes by somebody, or by GitHub when the former base was deleted; a commit that is gone is told as nothing.
_FORCED = {"before": "beforeCommit?.oid", "after": "afterCommit?.oid"}
_RETARGETED, _DELETED = {"kind": RETARGETED}, {"kind": DELETED, "after": ""}
BASE_CHANGES = (
    ("BaseRefChangedEvent", _event(BaseChange, _RETARGETED, before="previousRefName", after="currentRefName")),
    ("AutomaticBaseChangeSucceededEvent", _event(BaseChange, _RETARGETED, before="oldBase", after="newBase")),
    ("BaseRefForcePushedEvent", _event(BaseChange, {"kind": FORCED}, **_FORCED)),
    ("BaseRefDeletedEvent", _event(BaseChange, _DELETED, before="baseRefName?")),
)
STATE_CHANGES = (
    ("ClosedEvent", _event(StateChange, {"state": CLOSED})),
    ("ReopenedEvent", _event(StateChange, {"state": REOPENED})),
)
HEAD_FORCES = ((HEAD_FORCED, _event(RefMove, {"kind": "force_push"}, **_FORCED)),)
LABELS = (
    ("LabeledEvent", _event(NameEvent, ADDED, name="label.name")),
    ("UnlabeledEvent", _event(NameEvent, GONE, name="label.name")),
)
TYPES = (
    ("IssueTypeRemovedEvent", _event(NameEvent, GONE, name="issueType?.name")),
    ("IssueTypeChangedEvent", _event(NameEvent, GONE, name="prevIssueType?.name")),
    ("IssueTypeChangedEvent", _event(NameEvent, ADDED, name="issueType?.name")),
    ("IssueTypeAddedEvent", _event(NameEvent, ADDED, name="issueType?.name")),
)


def happened(events: Iterable[JSON], told: Told[T]) -> tuple[T, ...]:
    """The values of timeline events, in order."""
    return tuple(form(event) for event in events for name, form in told if event["__typename"] == name)


def head_forced(events: list[JSON]) -> tuple[RefMove, ...]:
    """The forced pushes of the head branch, as far as their commits still exist."""
    return tuple(move for move in happened(events, HEAD_FORCES) if move.after)


def with_dismissals(reviews: Iterable[Comment], events: list[JSON]) -> tuple[Comment, ...]:
    """The reviews, dismissed ones with time, account and former state from the last such event."""
    dismissed = {
        number(event["review"]["fullDatabaseId"]): {
            "dismissed_at": event["createdAt"],
            "dismissed_by": actor(event["actor"]),
            "dismissed_from": event["previousReviewState"],
        }
        for event in sorted(events, key=lambda event: str(event.get("createdAt")))
        if event["__typename"] == "ReviewDismissedEvent" and event["review"] is not None
    }
    return tuple(replace(review, **dismissed.get(review.id, {})) for review in reviews)


CLOSER = Form(ClosingPullRequest, "number", merged_at="mergedAt", repository="repository.nameWithOwner")


def closed_by(events: list[JSON]) -> tuple[ClosingPullRequest, ...]:
    """The merged pull requests that closed an issue."""
    closers = (event["closer"] for event in events if event["__typename"] == "ClosedEvent" and event["closer"])
    return tuple(CLOSER(each) for each in closers if each["__typename"] == "PullRequest" and each["mergedAt"])


# A check run with all its app's texts, from REST.
CHECK_RUN = Form(
    CheckRun,
    "name status conclusion completed_at id started_at",
    app_id="app?.id",
    app="app?.slug",
    commit="head_sha",
    title="output.title",
    summary="output.summary",
    text="output.text",
    suite="check_suite?.id",
)
STATUS = Form(CommitStatus, "context creator", at="createdAt", description="description?", url="targetUrl")
REST_STATUS = Form(CommitStatus, "context state creator", at="created_at", description="description?", url="target_url")


def told_check_run(run: JSON) -> CheckRun:
    """A check run as REST tells it."""
    return CHECK_RUN(run, url=run["html_url"] or run["details_url"])


def statuses(contexts: list[JSON]) -> tuple[CommitStatus, ...]:
    """The statuses of a commit."""
    states = (each["state"].lower() for each in contexts)
    return tuple(
        STATUS(each, state="pending" if state == "expected" else state)
        for each, state in zip(contexts, states, strict=True)
    )


LeavesOut = Callable[[str, str | None], bool]
# Mode and object id by commit and path; None if nothing is there.
Modes = Mapping[tuple[str, str], tuple[str, str] | None]
GONE_MODE = "100644"
MOST_COMPARED = 300


def changed_file(entry: JSON) -> ChangedFile:
    """A changed file as REST tells it."""
    status, path = entry["status"], entry["filename"]
    if not isinstance(path, str):
        raise TypeError("a changed file without a name")
    before = entry.get("previous_filename") if status == "renamed" else None
    return ChangedFile(path=path, status=status, previous_path=before, blob=None if status == REMOVED else entry["sha"])


def unpinned(pages: list[list[JSON]], head: str) -> bool:
    """True if a page of changed files may be about another head. A page of deleted files names none."""
    there = [[entry for entry in page if entry["status"] != REMOVED] for page in pages]
    told = (parse_qs(urlsplit(entry.get("contents_url") or "").query) for page in there for entry in page)
    only_gone = any(page and not present for page, present in zip(pages, there, strict=True))
    return only_gone or any(each.get("ref") != [head] for each in told)


def content_digest(files: Iterable[ChangedFile], leaves_out: LeavesOut) -> str | None:
    """The digest of changed files with their modes, without evidence, or None if a blob is unknown.

    A rename counts as a removed path and a new one, so it does not matter how GitHub reports it.
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
    """The files with the modes found at a commit, or None if other files stand there."""
    found: list[ChangedFile] = []
    for file in files:
        asked = file.status != REMOVED and (commit, file.path) in modes
        mode, blob = modes[commit, file.path] or (None, None) if asked else (None, file.blob)
        if blob != file.blob:
            return None
        found.append(replace(file, mode=mode))
    return tuple(found)


def line_count(entry: object) -> int | None:
    """The number of lines in a file, or None unless it is a text file of ordinary size."""
    if not isinstance(entry, dict) or entry.get("type") != "file" or entry.get("encoding") != "base64":
        return None
    try:
        content = b64decode(entry.get("content") or "")
    except ValueError:
        return None
    return content.count(b"\n") + (not content.endswith(b"\n") and bool(content))


def compared_files(comparison: JSON | None) -> tuple[ChangedFile, ...] | None:
    """The files of a comparison, or None if GitHub may have left some out."""
    files = None if comparison is None else comparison.get("files")
    if not isinstance(files, list) or len(files) >= MOST_COMPARED:
        return None
    return tuple(changed_file(entry) for entry in files)


def compared_content(commit: str, files: tuple[ChangedFile, ...] | None, modes: Modes, plan: ReadingPlan) -> Content:
    """The content of a commit, by the files of its comparison."""
    changed = None if files is None else with_modes(commit, files, modes)
    if changed is None:
        return Content(commit=commit)
    evidence = tuple(file.path for file in changed if file.mode in REGULAR_MODES and plan.reads(file.path))
    paths = ChangedFiles(entries=changed).paths if plan.threads else None
    return Content(commit=commit, digest=content_digest(changed, plan.leaves_out), excluded=evidence, paths=paths)


@dataclass(frozen=True, kw_only=True, slots=True)
class Compared:
    """An older head's files against the base, and the requested modes of other paths."""

    head: str
    files: tuple[ChangedFile, ...] | None
    modes: Modes


# The used fields of a comment or review; the rest is mostly addresses, half of a run's memory.
KEPT = ("id", "node_id", "body", "state", "commit_id", "created_at", "submitted_at", "updated_at")

APP = "performed_via_github_app"


def bare(page: list[JSON]) -> list[JSON]:
    """A page of comments or reviews with only the fields that are used."""
    return [
        {
            **{key: item[key] for key in KEPT if key in item},
            "user": item["user"] and {key: item["user"][key] for key in ("login", "id", "type")},
            APP: item.get(APP) and {"id": item[APP]["id"]},
        }
        for item in page
    ]
