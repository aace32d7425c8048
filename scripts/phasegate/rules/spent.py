"""Spent issues: closed by another merged pull request, an issue stands for that one's work, not for this."""

from __future__ import annotations

from phasegate.model.conversation import ClosingPullRequest, Issue
from phasegate.model.snapshot import Snapshot


def spent_at(snapshot: Snapshot, issue: Issue) -> str:
    """When another pull request last closed the issue; what is older than that was for that one."""
    return max((item.merged_at for item in _others(snapshot, issue)), default="")


def spent_by(snapshot: Snapshot, issue: Issue) -> str | None:
    """The pull request that an issue stands for, unless it was opened again."""
    others = _others(snapshot, issue)
    return f"#{others[-1].number}" if others and issue.state == "closed" else None


def _others(snapshot: Snapshot, issue: Issue) -> tuple[ClosingPullRequest, ...]:
    own = (snapshot.repository.name.lower(), snapshot.pull_request.number)
    return tuple(item for item in issue.closed_by if (item.repository.lower(), item.number) != own)
