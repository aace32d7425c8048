"""Who brought a file: only a push before which is known what was there, and everything that the file was before."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from phasegate.github.reading.moves import UNSEEN, History, Unseen, history_of
from phasegate.model.snapshot import RefLog, RefMove
from phasegate.model.texts import Actor, Push
from tests.casebook.world import commit

X, Y, Z = "1" * 40, "2" * 40, "3" * 40
BOT = Actor(login="jkz-runner[bot]", id=987, type="Bot")
EVE = Actor(login="eve", id=66, type="User")


def at(minute: int) -> str:
    return f"2026-03-02T09:{minute:02}:00Z"


def log_of(names: str, *, eve: str = "", begins: str | None = None, complete: bool = True) -> RefLog:
    """The log of a branch that went from commit to commit, each a letter; ``eve`` pushed those in capitals there."""
    befores = [begins, *names[:-1]]
    moves = tuple(
        RefMove(
            at=at(number), before=None if before is None else commit(before), after=commit(name), kind="push",
            actor=EVE if name in eve else BOT,
        )
        for number, (before, name) in enumerate(zip(befores, names, strict=True))
    )  # fmt: skip
    return RefLog(source="activity", complete=complete, moves=moves)


def told(history: History) -> tuple[str | None, str | None, list[tuple[str, str, str | None]]]:
    """Who pushed when, and each earlier version: its blob, when it was pushed, by whom."""
    pushed = history.pushed
    earlier = [(each.blob, each.pushed.at, _login(each.pushed)) for each in history.earlier]
    return (None if pushed is None else pushed.at, None if pushed is None else _login(pushed), earlier)


def _login(pushed: Push) -> str | None:
    return None if pushed.actor is None else pushed.actor.login


B, E = BOT.login, EVE.login
MERGED = log_of("abc").moves
MADE_ANEW = RefLog(
    source="activity",
    complete=True,
    moves=(MERGED[0], RefMove(at=at(1), after=commit("b"), before=None, kind="branch_creation", actor=EVE)),
)
GAP = RefLog(source="activity", complete=True, moves=(MERGED[0], MERGED[2]))
Held = list[str | Unseen | None]
Told = tuple[int | None, str | None, list[tuple[str, int, str | None]]]
# The log, what the file was after each movement, and what is told: minute and account of the push, earlier versions.
HISTORIES: dict[str, tuple[RefLog, Held, Told]] = {
    "added": (log_of("abcd"), [None, X, X, X], (1, B, [])),
    "changed": (log_of("abcd"), [X, X, Y, Y], (2, B, [(X, 0, B)])),
    "there since the branch was created": (log_of("ab"), [X, X], (0, B, [])),
    "the branch is older than its log": (log_of("ab", begins="older"), [X, X], (None, None, [])),
    "changed since its log begins": (log_of("ab", begins="older"), [X, Y], (1, B, [(X, 0, None)])),
    "no complete log": (log_of("ab", complete=False), [None, X], (None, None, [])),
    "no log": (RefLog(source="none", complete=False), [], (None, None, [])),
    "a stranger's file is not the next pusher's": (log_of("aEb", eve="E"), [None, X, X], (1, E, [])),
    "what an unseen head may have held": (log_of("aEb", eve="E"), [None, UNSEEN, X], (None, None, [])),
    "the same before and after an unseen head": (log_of("aEb"), [X, UNSEEN, X], (None, None, [(X, 0, B)])),
    "an unseen head before the last change": (log_of("abcd"), [UNSEEN, X, X, Y], (3, B, [(X, 1, None)])),
    "two unseen heads are not the same": (log_of("abc"), [UNSEEN, UNSEEN, X], (None, None, [])),
    "forced back": (log_of("abE", eve="E"), [X, Y, X], (2, E, [(X, 0, B), (Y, 1, B)])),
    "the head again": (log_of("abab"), [X, Y, X, Y], (3, B, [(X, 0, B), (Y, 1, B), (X, 2, B)])),
    "added again": (log_of("abE", eve="E"), [X, None, X], (2, E, [(X, 0, B)])),
    "another mode": (log_of("abc", eve="b"), [X, f"{X} 100755", f"{X} 100755"], (1, E, [(X, 0, B)])),
    "removed": (log_of("aEb", eve="E"), [X, None, None], (1, E, [(X, 0, B)])),
    "removed at an unseen head": (log_of("aEb", eve="E"), [X, UNSEEN, None], (None, None, [(X, 0, B)])),
    "after a gap before the opening": (GAP, [None, X], (None, None, [])),
    "before a gap before the opening": (GAP, [X, X], (0, B, [])),
    "as it was when the branch was made anew": (MADE_ANEW, [X, X], (0, B, [])),
    "changed when the branch was made anew": (MADE_ANEW, [X, Y], (1, E, [(X, 0, B)])),
}


@pytest.mark.parametrize("name", HISTORIES)
def test_history__names_a_push_only_where_it_surely_brought_the_file(name: str) -> None:
    log, held, (minute, who, earlier) = HISTORIES[name]
    found = history_of(log, held, {X: "first"})
    pushed = None if minute is None else at(minute)
    assert told(found) == (pushed, who, [(blob, at(minute), login) for blob, minute, login in earlier])
    assert all((each.text == "first") == (each.blob == X) for each in found.earlier)
    assert found.pushed is None or found.pushed.commit in {move.after for move in log.moves if move.at == pushed}


def test_history__keeps_every_earlier_text_in_order() -> None:
    found = history_of(log_of("abcde"), [X, Y, None, X, Z], {X: "first", Z: "last"})
    assert [(each.blob, each.text, each.pushed.at) for each in found.earlier] == [
        (X, "first", at(0)), (Y, None, at(1)), (X, "first", at(3)),
    ]  # fmt: skip


@pytest.mark.parametrize("kind", ["pr_merge", "merge_queue_merge"])
def test_history__who_merges_into_the_branch_did_not_write_what_that_brings(kind: str) -> None:
    log = log_of("abc")
    merged = replace(log, moves=(*log.moves[:1], replace(log.moves[1], kind=kind), log.moves[2]))
    assert history_of(merged, [None, X, X], {}).pushed is None
    assert history_of(merged, [None, X, Y], {}).pushed is not None


def test_log_of__has_no_gaps() -> None:
    assert all(later.before == earlier.after for earlier, later in pairwise(log_of("abab").moves))
