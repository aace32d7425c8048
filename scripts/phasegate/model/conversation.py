"""Who speaks and what was said: accounts, comments with their versions, issues."""

from __future__ import annotations

from phasegate.model.frozen import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Actor:
    """An account as GitHub names it; the login of an app ends in ``[bot]``."""

    login: str
    type: str
    id: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Person:
    """What an account may do in the repository at the time of the snapshot."""

    login: str
    id: int
    type: str = "User"
    permission: str
    role_name: str | None = None
    teams: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Edit:
    """One version of a text: who wrote it and when; no text where GitHub has dropped the revision."""

    at: str
    editor: Actor | None = None
    text: str | None = None
    deleted_at: str | None = None
    deleted_by: Actor | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Comment:
    """A comment or a review (which also has ``state`` and ``commit``), with its versions, the oldest first."""

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


@dataclass(frozen=True, kw_only=True, slots=True)
class DeletedComment:
    """The trace that a deleted comment leaves."""

    at: str
    actor: Actor | None = None
    author: Actor | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class NameEvent:
    """A label or a native issue type that was ``added`` or ``removed``."""

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
class Team:
    """A team that the policy names; members by account id where the token may read them."""

    slug: str
    readable: bool
    members: tuple[int, ...] = ()
