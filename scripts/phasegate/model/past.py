"""The past. In: a snapshot and a time. Out: the snapshot that a run would have read at that time.

GitHub does not tell past permissions, policies, changed files of earlier heads and the like (``AS_NOW``): these keep
their present values, and whoever shows a past must say so. ``doubts`` tells what else was lost since.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

from phasegate.model.frozen import replace
from phasegate.model.snapshot import CLOSED, RETARGETED, PullRequest, Record, Snapshot
from phasegate.model.texts import BranchFile, Comment, Edit, Issue, NameEvent

OPEN, DISMISSED = "open", "DISMISSED"
ADDED, REMOVED = "added", "removed"
AS_NOW = (
    "permissions and teams, the policy, the description, the list of changed files, threads that were resolved since, "
    "and who else had the same head"
)


class Dated(Protocol):
    """Anything that happened at a time."""

    @property
    def at(self) -> str:
        """When it happened."""


D = TypeVar("D", bound=Dated)


def until(at: str, events: Iterable[D]) -> tuple[D, ...]:
    """The events up to that time."""
    return tuple(event for event in events if event.at <= at)


def as_of(snapshot: Snapshot, at: str) -> Snapshot:
    """The snapshot as it would have been read then, with everything that happened in that second."""
    request = _request(snapshot, at)
    same_head = request.head.sha == snapshot.pull_request.head.sha
    linked, former = _issues(snapshot, at)
    checks = (each for each in snapshot.checks if (each.completed_at or each.started_at or at) <= at)
    signals = tuple(each for each in snapshot.record.signals if (each.first or each.at) <= at)
    return replace(
        snapshot,
        taken_at=at,
        pull_request=request,
        comments=_said(snapshot.comments, at),
        reviews=_said(snapshot.reviews, at),
        threads=tuple(
            replace(each, replies=until(at, each.replies)) for each in snapshot.threads if each.created_at <= at
        ),
        deleted_comments=until(at, snapshot.deleted_comments),
        issues=linked,
        former_issues=former,
        ref_log=replace(snapshot.ref_log, moves=until(at, snapshot.ref_log.moves)),
        branch_files=tuple(found for file in snapshot.branch_files if (found := _file(file, at)) is not None),
        checks=tuple(each for each in checks if same_head or each.commit == request.head.sha),
        statuses=until(at, snapshot.statuses),
        record=replace(snapshot.record, signals=signals) if snapshot.record != Record() else snapshot.record,
        dispatch_approvals=until(at, snapshot.dispatch_approvals),
        siblings=snapshot.siblings if same_head else (),
        merge_group=None,
        unreported=None,
    )


def doubts(snapshot: Snapshot, at: str) -> tuple[str, ...]:
    """Why the state may have differed from what the cut snapshot shows."""
    then = as_of(snapshot, at)
    held = [*then.comments, *then.reviews, *(said for issue in then.issues for said in issue.comments)]
    issues = (*snapshot.issues, *snapshot.former_issues)
    deleted = (*snapshot.deleted_comments, *(event for issue in issues for event in issue.deleted_comments))
    gone = any(event.at > at for event in deleted)
    lost = any(file.text is None and file.blob is not None and file.refused is None for file in then.branch_files)
    moved = then.pull_request.head.sha != snapshot.pull_request.head.sha
    told = (
        ("a comment was deleted since", gone),
        ("the text of a comment of that time is gone", any(each.versions[-1].text is None for each in held)),
        ("the text of a file of that time was not read", lost),
        (
            "a thread of that time was resolved or edited since",
            any(each.resolved or each.edited_at for each in then.threads),
        ),
        ("the checks of an earlier head were not read", moved and bool(snapshot.checks)),
        ("what was pushed while it was closed was not its head", then.pull_request.state == CLOSED),
    )
    return tuple(doubt for doubt, holds in told if holds)


def _request(snapshot: Snapshot, at: str) -> PullRequest:
    """The pull request with its head, base and state at that time."""
    request = snapshot.pull_request
    moves = until(at, request.head_moves(snapshot.ref_log.moves))
    head = replace(request.head, sha=moves[-1].after) if moves else request.head
    left = [change.before for change in request.base_changes if change.at > at and change.kind == RETARGETED]
    closed = [change.state == CLOSED for change in until(at, request.state_changes)]
    same = head.sha == request.head.sha
    links = until(at, request.links)
    relinked = request.relinked_at if (request.relinked_at or "") <= at else links[-1].at if links else None
    return replace(
        request,
        head=head,
        base=replace(request.base, ref=left[0]) if left else request.base,
        state=CLOSED if closed and closed[-1] else OPEN,
        base_changes=until(at, request.base_changes),
        state_changes=until(at, request.state_changes),
        head_forced=until(at, request.head_forced),
        links=links,
        relinked_at=relinked,
        head_title=request.head_title if same else "",
        test_merge=request.test_merge if same else None,
    )


def _said(comments: Iterable[Comment], at: str) -> tuple[Comment, ...]:
    return tuple(_comment(each, at) for each in comments if each.created_at <= at)


def _comment(said: Comment, at: str) -> Comment:
    """A comment with its text at that time, without later versions or a later dismissal."""
    if said.state == DISMISSED and said.dismissed_from is not None and (said.dismissed_at or "") > at:
        said = replace(said, state=said.dismissed_from, dismissed_at=None, dismissed_by=None, dismissed_from=None)
    if (said.edited_at or "") <= at:
        return said
    history = tuple(
        replace(each, deleted_at=None, deleted_by=None) if (each.deleted_at or "") > at else each
        for each in until(at, said.history)
    )
    history = history or (Edit(at=said.created_at, editor=said.author),)  # the text of which nobody knows now
    last, edited = history[-1], history[-1].at > said.created_at
    return replace(
        said,
        text=last.text or "",
        history=history if edited or last.text is None else (),
        history_complete=said.history_complete and last.text is not None,
        edited_at=last.at if edited else None,
        editor=last.editor if edited else None,
    )


def _issues(snapshot: Snapshot, at: str) -> tuple[tuple[Issue, ...], tuple[Issue, ...]]:
    """The issues linked at that time, and those linked earlier."""
    linked, former = [], []
    for issue in (*snapshot.issues, *snapshot.former_issues):
        name = f"{issue.repository}#{issue.number}".lower()
        events = [event for event in snapshot.pull_request.links if event.name.lower() == name]
        past = until(at, events)
        from_the_start = events[0].action == REMOVED if events else issue in snapshot.issues
        if past[-1].action == ADDED if past else from_the_start:
            linked.append(_issue(issue, at))
        elif past or issue not in snapshot.issues:
            former.append(_issue(issue, at))
    return tuple(linked), tuple(former)


def _issue(issue: Issue, at: str) -> Issue:
    """An issue with its labels, type and comments at that time."""
    closers = tuple(each for each in issue.closed_by if each.merged_at <= at)
    types = _undone(() if issue.type is None else (issue.type,), issue.type_events, at)
    return replace(
        issue,
        labels=_undone(issue.labels, issue.label_events, at),
        label_events=until(at, issue.label_events),
        type=types[-1] if types else None,
        type_events=until(at, issue.type_events),
        comments=_said(issue.comments, at),
        deleted_comments=until(at, issue.deleted_comments),
        closed_by=closers,
        state=OPEN if len(closers) < len(issue.closed_by) else issue.state,
    )


def _undone(names: tuple[str, ...], events: tuple[NameEvent, ...], at: str) -> tuple[str, ...]:
    """The names set at that time: later additions and removals are undone, latest first."""
    found = list(names)
    for event in reversed([event for event in events if event.at > at]):
        if event.action == REMOVED:
            found.append(event.name)
        elif event.name in found:
            found.remove(event.name)
    return tuple(found)


def _file(file: BranchFile, at: str) -> BranchFile | None:
    """A file of the branch at that time, or None if it was not there yet."""
    earlier = tuple(each for each in file.earlier if each.pushed.at <= at)
    if file.pushed is None or file.pushed.at <= at:
        return replace(file, earlier=earlier) if file.pushed or earlier or not file.earlier else None
    if not earlier:
        return None
    last, size = earlier[-1], len(earlier[-1].text or "")
    then = replace(file, blob=last.blob, text=last.text, pushed=last.pushed, size=size, refused=None)
    return replace(then, earlier=earlier[:-1])
