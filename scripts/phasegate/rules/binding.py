"""Which commit a vote speaks of, and whether its content is the content that would merge.

In: the snapshot's log of ref movements and content digests. Out: commits and contents; no clock, no commit dates.
"""

from __future__ import annotations

from bisect import bisect_left

from phasegate.model.frozen import dataclass
from phasegate.model.snapshot import Snapshot

SHORT = 7


def short(commit: str) -> str:
    """A commit as people write it."""
    return commit[:SHORT]


def _contents(snapshot: Snapshot) -> dict[str, str]:
    """The content of each commit; of one that is told in two ways, none."""
    told: dict[str, set[str | None]] = {}
    for item in snapshot.contents:
        told.setdefault(item.commit, set()).add(item.digest)
    return {commit: digest for commit, digests in told.items() if len(digests) == 1 and (digest := next(iter(digests)))}


@dataclass(frozen=True, kw_only=True, slots=True)
class Timeline:
    """The commits that were this pull request's head, and what each of them would bring in."""

    head: str
    heads: tuple[str, ...]
    moves: tuple[tuple[str, str], ...]
    complete: bool
    contents: dict[str, str]
    arrivals: dict[str, str]
    retargeted_at: str = ""

    @staticmethod
    def of(snapshot: Snapshot) -> Timeline:
        """The timeline of a snapshot's pull request."""
        pull_request = snapshot.pull_request
        moves = tuple((move.at, move.after) for move in sorted(snapshot.ref_log.moves, key=lambda move: move.at))
        before_opening = [after for at, after in moves if at <= pull_request.created_at][-1:]
        since = [after for at, after in moves if at > pull_request.created_at]
        return Timeline(
            head=pull_request.head.sha,
            heads=tuple(dict.fromkeys([*before_opening, *since, pull_request.head.sha])),
            moves=moves,
            complete=snapshot.ref_log.complete,
            contents=_contents(snapshot),
            arrivals={after: at for at, after in reversed(moves)},
            retargeted_at=max((change.at for change in pull_request.base_changes), default=""),
        )

    def head_at(self, at: str) -> str | None:
        """The head when something was written; none if the log does not tell.

        A movement in the same second counts as the later, so the vote is taken for the older commit.
        """
        before = bisect_left(self.moves, (at,)) if self.complete else 0
        return self.moves[before - 1][1] if before else None

    def named(self, commit: str) -> tuple[str, ...]:
        """The heads that a full or shortened commit may mean."""
        return tuple(head for head in self.heads if head.startswith(commit.lower()))

    def arrived(self, commit: str) -> str:
        """When a commit first was the head, by the log; of one that the log does not hold, the beginning of time."""
        return self.arrivals.get(commit, "")

    def content(self, commit: str) -> str:
        """What a commit would bring in; where the files are not all known, only the commit itself is the same."""
        return self.contents.get(commit, f"commit:{commit}")

    def content_at(self, commit: str, at: str) -> str:
        """What a commit brought in when something was written; into another base it was something else."""
        return f"other base:{commit}" if at <= self.retargeted_at else self.content(commit)

    @property
    def current(self) -> str:
        """The content that would merge."""
        return self.content(self.head)
