"""Who brought a file: what it was after each movement of the branch, told as the pushes that changed it.

A push counts as the one that brought a file only if it is known what was there before: else a stranger's file would
become that of whoever pushes next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum

from phasegate.model.frozen import dataclass
from phasegate.model.snapshot import RefLog, RefMove
from phasegate.model.texts import FileVersion, Push


class Unseen(Enum):
    """What a head held that could not be read."""

    UNSEEN = "unseen"


UNSEEN = Unseen.UNSEEN
# Whoever merges a pull request into the branch is not who wrote what it brings.
MERGES = ("pr_merge", "merge_queue_merge")
Held = str | None | Unseen


@dataclass(frozen=True, kw_only=True, slots=True)
class History:
    """The push that brought a file as it is, none where that cannot be told, and what it was before."""

    pushed: Push | None = None
    earlier: tuple[FileVersion, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class _Run:
    """A while in which a file stayed the same: the movement it began with, and whether that is where it came from."""

    begin: RefMove
    held: Held
    certain: bool


def history_of(log: RefLog, held: Sequence[Held], texts: Mapping[str, str]) -> History:
    """The history of one file that was such a blob, absent or unseen after each movement, the last being the head's.

    ``texts``: by blob, as far as they were read. An earlier version that nobody can be named for has no actor.
    """
    if not log.complete or not log.moves:
        return History()
    *before, last = _runs(log.moves, held)
    return History(
        pushed=_push(last) if last.certain else None,
        earlier=tuple(
            FileVersion(pushed=_push(run), blob=run.held, text=texts.get(run.held))
            for run in before
            if isinstance(run.held, str)
        ),
    )


def _runs(moves: Sequence[RefMove], held: Sequence[Held]) -> Iterator[_Run]:
    """What was held, without repetition, the oldest first."""
    for index, (move, now) in enumerate(zip(moves, held, strict=True)):
        if index == 0:
            # a branch that was there before its log begins may have had the file already
            yield _Run(begin=move, held=now, certain=move.before is None)
        elif now is UNSEEN or now != held[index - 1]:
            follows = move.before in (None, moves[index - 1].after) and move.kind not in MERGES
            yield _Run(begin=move, held=now, certain=follows and held[index - 1] is not UNSEEN)


def _push(run: _Run) -> Push:
    return Push(at=run.begin.at, commit=run.begin.after, actor=run.begin.actor if run.certain else None)
