"""Texts with their versions: comments, reviews, issues, branch files; see schemas/snapshot.schema.json."""

from __future__ import annotations

from phasegate.model.frozen import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Edit:
    """One version of a text: who wrote it and when. The text is None if GitHub dropped the revision."""

    at: str
    editor: Actor | None = None
    text: str | None = None
    deleted_at: str | None = None
    deleted_by: Actor | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Comment:
    """A comment or a review (which has ``state`` and ``commit``), with its versions, oldest first."""

    id: int
    url: str
    author: Actor | None
    created_at: str
    text: str
    app_id: int | None = None
    via_email: bool = False
    minimized: str | None = None
    edited_at: str | None = None
    editor: Actor | None = None
    history: tuple[Edit, ...] = ()
    history_complete: bool = True
    state: str | None = None
    commit: str | None = None
    dismissed_at: str | None = None
    dismissed_by: Actor | None = None
    dismissed_from: str | None = None

    @property
    def versions(self) -> tuple[Edit, ...]:
        """All known versions, at least the present text."""
        if self.history:
            return self.history
        if self.edited_at is None:
            return (Edit(at=self.created_at, editor=self.author, text=self.text),)
        return (Edit(at=self.edited_at, editor=self.editor, text=self.text),)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """A comment in a review thread after the first."""

    at: str
    author: Actor | None
    text: str
    edited_at: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewThread:
    """A review thread: its first comment on a file, its replies, and who resolved it."""

    id: int
    url: str
    path: str
    author: Actor | None
    created_at: str
    text: str
    edited_at: str | None = None
    editor: Actor | None = None
    commit: str | None = None
    line: int | None = None
    review: int | None = None
    replies: tuple[Reply, ...] = ()
    complete: bool = True
    resolved: bool = False
    resolved_by: Actor | None = None
    outdated: bool = False
    blob: str | None = None
    since: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class DeletedComment:
    """The trace that a deleted comment leaves."""

    at: str
    actor: Actor | None = None
    author: Actor | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class NameEvent:
    """A label, native issue type or linked issue was ``added`` or ``removed``."""

    name: str
    action: str
    at: str
    actor: Actor | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ClosingPullRequest:
    """A merged pull request that closed an issue."""

    number: int
    merged_at: str
    repository: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Issue:
    """An issue that the pull request closes, by GitHub's own closing references."""

    repository: str
    number: int
    url: str
    title: str = ""
    state: str = "open"
    author: Actor | None = None
    labels: tuple[str, ...] = ()
    label_events: tuple[NameEvent, ...] = ()
    type: str | None = None
    type_events: tuple[NameEvent, ...] = ()
    events_complete: bool = True
    comments: tuple[Comment, ...] = ()
    deleted_comments: tuple[DeletedComment, ...] = ()
    closed_by: tuple[ClosingPullRequest, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Push:
    """The push that brought the last change of a file: by whom, when, and the commit it made the head."""

    at: str
    commit: str
    actor: Actor | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class FileVersion:
    """An earlier version of an evidence file, and the push that brought it."""

    pushed: Push
    blob: str
    text: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class BranchFile:
    """A file of an evidence folder at the head. ``refused`` tells why its text was not read."""

    path: str
    mode: str = "100644"
    size: int = 0
    blob: str | None = None
    text: str | None = None
    refused: str | None = None
    pushed: Push | None = None
    earlier: tuple[FileVersion, ...] = ()

    @property
    def gone(self) -> bool:
        """True if it was there only earlier."""
        return self.blob is None and self.text is None and self.refused is None


@dataclass(frozen=True, kw_only=True, slots=True)
class IgnoreRule:
    """The line of the root's .gitignore that keeps the evidence folder out of every commit."""

    path: str
    line: int
    pattern: str


ACTIONS_APP = 15368  # GitHub Actions, as which every workflow writes, even one from the branch


@dataclass(frozen=True, kw_only=True, slots=True)
class Actor:
    """An account as GitHub names it. An app's login ends in ``[bot]``."""

    login: str
    type: str
    id: int | None = None


DEFAULT_TOKEN = "github-actions[bot]"


def is_own(creator: Actor | None, own: Actor | None) -> bool:
    """True if the gate itself wrote something. Without an account of its own it writes as every workflow does."""
    if creator is None:
        return False
    if own is None or own.login.lower() == DEFAULT_TOKEN:
        return creator.type == "Bot" and creator.login.lower() == DEFAULT_TOKEN
    if own.id is None or creator.id is None:
        return own.login.lower() == creator.login.lower()
    return own.id == creator.id


@dataclass(frozen=True, kw_only=True, slots=True)
class Person:
    """An account's permission in the repository at the time of the snapshot."""

    login: str
    id: int
    type: str = "User"
    permission: str
    role_name: str | None = None
    teams: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Team:
    """A team that the policy names; members by account id, if the token may read them."""

    slug: str
    readable: bool
    members: tuple[int, ...] = ()


def same_id(one: Actor | None, other: Actor | None) -> bool:
    """True if two accounts surely are the same."""
    return one is not None and other is not None and one.id is not None and one.id == other.id
