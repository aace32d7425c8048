"""The log of ref movements: when the head branch went from where to where, by the server's own record."""

from __future__ import annotations

from bisect import bisect_left
from calendar import timegm
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import pairwise
from time import strptime
from typing import Any

from phasegate.github.client.answers import MissingError, MovedError, RefusedError
from phasegate.github.client.client import Client
from phasegate.github.reading.nodes import rest_actor
from phasegate.model.frozen import dataclass
from phasegate.model.snapshot import PullRequest, RefLog, RefMove
from phasegate.model.texts import FileVersion, Push

JSON = dict[str, Any]
SHORTEST = 7
MOST_OLDER_HEADS = 60
NOWHERE = "0" * 40
TIME = "%Y-%m-%dT%H:%M:%SZ"
# The log may not know of a push at once, and may note that a branch was made after it was.
LAG = (1.0, 2.0)
LATE_SECONDS = 5
OPEN = "open"
UNREADABLE = RefLog(source="none", complete=False)


def ref_log(client: Client, pull_request: PullRequest) -> RefLog:
    """The movements of the head branch; where GitHub does not tell them to this token, nothing is made up."""
    repository = pull_request.head.repository
    if repository is None:
        return UNREADABLE
    try:
        moves = _moves(client, f"/repos/{repository}/activity", pull_request)
        for seconds in LAG:
            if pull_request.state != OPEN or (moves and moves[-1].after == pull_request.head.sha):
                break
            client.pause(seconds, "waiting for the log of the branch")
            moves = _moves(client, f"/repos/{repository}/activity", pull_request)
    except (MissingError, RefusedError):
        return UNREADABLE
    return RefLog(source="activity", complete=_unbroken(moves, pull_request), moves=moves)


def _moves(client: Client, path: str, pull_request: PullRequest) -> tuple[RefMove, ...]:
    """The movements as far as the log tells them."""
    entries = client.pages(path, ref=f"refs/heads/{pull_request.head.ref}", per_page=100, direction="asc")
    if len({entry["id"] for entry in entries}) != len(entries):
        raise MovedError(f"{path}: some movements are told twice")
    moves = tuple(sorted((_move(entry) for entry in entries if _arrives(entry)), key=lambda move: move.at))
    return _of_this_branch(moves, pull_request)


def _of_this_branch(moves: tuple[RefMove, ...], pull_request: PullRequest) -> tuple[RefMove, ...]:
    """The movements since the branch was last created before the pull request was: the name may have served before."""
    created = [index for index, move in enumerate(moves) if move.before is None and _begins(move, pull_request)]
    return moves[created[-1] :] if created else moves


def _begins(move: RefMove, pull_request: PullRequest) -> bool:
    """Whether a movement was before the pull request was opened; that a branch was made may be noted a little later."""
    if move.at <= pull_request.created_at:
        return True
    if move.before is not None:
        return False
    noted, opened = (timegm(strptime(at, TIME)) for at in (move.at, pull_request.created_at))
    return noted - opened <= LATE_SECONDS


def _arrives(entry: JSON) -> bool:
    return bool(entry["after"] != NOWHERE)


def _move(entry: JSON) -> RefMove:
    before = entry["before"]
    return RefMove(
        at=entry["timestamp"],
        before=None if before == NOWHERE else before,
        after=entry["after"],
        kind=entry["activity_type"],
        actor=rest_actor(entry["actor"]),
    )


def _unbroken(moves: tuple[RefMove, ...], pull_request: PullRequest) -> bool:
    """Whether the log goes back to the opening, has no gap since, and ends at the head, or reaches it while closed."""
    ends = {move.after for move in (moves[-1:] if pull_request.state == OPEN else moves)}
    if pull_request.head.sha not in ends or not _begins(moves[0], pull_request):
        return False
    since = (pair for pair in pairwise(moves) if pair[1].at > pull_request.created_at)
    return all(later.before in (None, earlier.after) for earlier, later in since)


def older_heads(log: RefLog, head: str) -> tuple[str, ...]:
    """The commits that were the head before, as far as they are looked back to."""
    return tuple(dict.fromkeys(move.after for move in log.moves if move.after != head))[-MOST_OLDER_HEADS:]


def judged_heads(moves: Sequence[RefMove], head: str, words: Iterable[tuple[str, list[str]]]) -> tuple[str, ...]:
    """The older heads that somebody's words may be about: the head when they were written, or one that they name."""
    older = dict.fromkeys(move.after for move in moves if move.after != head)
    times = [move.at for move in moves]
    found: dict[str, None] = {}
    for text, written in words:
        for at in written:
            before = bisect_left(times, at)
            if before:
                found[moves[before - 1].after] = None
        lowered = text.lower()
        found |= dict.fromkeys(commit for commit in older if commit[:SHORTEST] in lowered)
    return tuple(commit for commit in found if commit in older)[-MOST_OLDER_HEADS:]


def pushed_heads(log: RefLog, head: str, accounts: frozenset[int]) -> tuple[str, ...]:
    """The older heads before and after the pushes of these accounts, which may have changed the product."""
    pushes = (move for move in log.moves if move.actor is not None and move.actor.id in accounts)
    ends = dict.fromkeys(commit for move in pushes for commit in (move.before, move.after) if commit is not None)
    return tuple(commit for commit in ends if commit != head)[-MOST_OLDER_HEADS:]


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
