"""Every version of every text that was written, each with who wrote it and when."""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.model.actors import Actor
from phasegate.model.frozen import dataclass
from phasegate.model.problem import Where
from phasegate.model.signal import Place, Source
from phasegate.model.snapshot import Snapshot
from phasegate.model.texts import Comment, Edit


@dataclass(frozen=True, kw_only=True, slots=True)
class Version:
    """One version of a comment; no text where GitHub has dropped that revision."""

    text: str | None
    source: Source
    where: Where


def all_versions(snapshot: Snapshot) -> Iterator[tuple[Version, ...]]:
    """The versions of each comment and review, the oldest first; the last one is what stands there now."""
    for comment in snapshot.comments:
        yield tuple(_versions(comment, f"comment-{comment.id}", Place.PULL_REQUEST, None))
    for review in snapshot.reviews:
        yield tuple(_versions(review, f"review-{review.id}", Place.PULL_REQUEST, None))
    for issue in snapshot.issues:
        if issue.repository.lower() != snapshot.repository.name.lower():
            continue
        for comment in issue.comments:
            yield tuple(_versions(comment, f"comment-{comment.id}", Place.ISSUE, issue.number))


def _versions(comment: Comment, identity: str, place: Place, issue: int | None) -> Iterator[Version]:
    edits = comment.history or _without_history(comment)
    stranger = _stranger(comment, edits)
    for number, edit in enumerate(edits, start=1):
        latest = number == len(edits)
        source = Source(
            id=identity,
            number=comment.id,
            url=comment.url,
            place=place,
            issue=issue,
            author=comment.author,
            app_id=comment.app_id,
            at=edit.at,
            version=number,
            latest=latest,
            tampered_by=stranger,
            by_author=number == 1 or _same(edit.editor, comment.author),
            via_email=comment.via_email,
            edited=len(edits) > 1 or comment.edited_at is not None,
            history_complete=_readable(comment),
            state=None if comment.state is None else comment.state.upper(),
            commit=comment.commit,
        )
        yield Version(text=comment.text if latest else edit.text, source=source, where=Where(url=comment.url))


def _readable(comment: Comment) -> bool:
    """Whether every earlier text is known, and what is told of the edits fits together."""
    if not comment.history:
        return comment.history_complete and comment.edited_at is None
    known = all(edit.text is not None for edit in comment.history[:-1])
    return comment.history_complete and known and comment.edited_at == comment.history[-1].at


def _without_history(comment: Comment) -> tuple[Edit, ...]:
    if comment.edited_at is None:
        return (Edit(at=comment.created_at, editor=comment.author, text=comment.text),)
    return (Edit(at=comment.edited_at, editor=comment.editor, text=comment.text),)


def _stranger(comment: Comment, edits: tuple[Edit, ...]) -> str | None:
    """Somebody other than the author who changed the text, or took a version of it away."""
    changed = [edit.editor for edit in edits[1:]]
    last = [comment.editor] if comment.edited_at is not None or comment.editor is not None else []
    removed = [edit.deleted_by for edit in edits if edit.deleted_at is not None]
    for editor in (*changed, *last, *removed):
        if not _same(editor, comment.author):
            return editor.login if editor is not None else "an account that no longer exists"
    return None


def _same(one: Actor | None, other: Actor | None) -> bool:
    return one is not None and other is not None and one.id is not None and one.id == other.id
