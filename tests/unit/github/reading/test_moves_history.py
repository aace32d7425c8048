"""Who brought a file: only a push before which is known what was there, and everything that the file was before."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from phasegate.github.reading.moves import UNSEEN, History, history_of
from phasegate.model.snapshot import RefLog, RefMove
from phasegate.model.texts import Actor, Push
from tests.casebook.world import commit

X, Y, Z = "1" * 40, "2" * 40, "3" * 40
BOT = Actor(login="jkz-runner[bot]", id=987, type="Bot")
EVE = Actor(login="eve", id=66, type="User")


def at(minute: int) -> str:
    """A time."""
    return f"2026-03-02T09:{minute:02}:00Z"


def log_of(names: str, *, eve: str = "", begins: str | None = None, complete: bool = True) -> RefLog:
    """The log of a branch that went from commit to commit, each a letter; ``eve`` pushed those in capitals there."""
    befores = [begins, *names[:-1]]
    moves = tuple(
        RefMove(
            at=at(number),
            before=None if before is None else commit(before),
            after=commit(name),
            kind="push",
            actor=EVE if name in eve else BOT,
        )
        for number, (before, name) in enumerate(zip(befores, names, strict=True))
    )
    return RefLog(source="activity", complete=complete, moves=moves)


def told(history: History) -> tuple[str | None, str | None, list[tuple[str, str, str | None]]]:
    """Who pushed when, and each earlier version: its blob, when it was pushed, by whom."""
    pushed = history.pushed
    earlier = [(each.blob, each.pushed.at, _login(each.pushed)) for each in history.earlier]
    return (None if pushed is None else pushed.at, None if pushed is None else _login(pushed), earlier)


def _login(pushed: Push) -> str | None:
    return None if pushed.actor is None else pushed.actor.login


def test_history__is_the_push_that_made_the_last_change() -> None:
    log = log_of("abcd")
    assert told(history_of(log, [None, X, X, X], {})) == (at(1), BOT.login, [])
    assert told(history_of(log, [X, X, Y, Y], {})) == (at(2), BOT.login, [(X, at(0), BOT.login)])
    found = history_of(log, [X, X, Y, Y], {}).pushed
    assert found is not None
    assert found.commit == commit("c")


def test_history__keeps_every_earlier_text_in_order() -> None:
    found = history_of(log_of("abcde"), [X, Y, None, X, Z], {X: "first", Z: "last"})
    assert [(each.blob, each.text, each.pushed.at) for each in found.earlier] == [
        (X, "first", at(0)),
        (Y, None, at(1)),
        (X, "first", at(3)),
    ]


def test_history__of_a_file_that_is_there_since_the_branch_was_created() -> None:
    assert told(history_of(log_of("ab"), [X, X], {})) == (at(0), BOT.login, [])


def test_history__nobody_is_named_where_the_branch_is_older_than_its_log() -> None:
    log = log_of("ab", begins="older")
    assert told(history_of(log, [X, X], {})) == (None, None, [])
    assert told(history_of(log, [X, Y], {})) == (at(1), BOT.login, [(X, at(0), None)])


@pytest.mark.parametrize("log", [log_of("ab", complete=False), RefLog(source="none", complete=False)])
def test_history__nobody_is_named_without_a_complete_log(log: RefLog) -> None:
    assert history_of(log, [None, X][: len(log.moves)], {X: "text"}) == History()


def test_history__a_strangers_file_does_not_become_that_of_the_next_pusher() -> None:
    log = log_of("aEb", eve="E")
    assert told(history_of(log, [None, X, X], {})) == (at(1), EVE.login, [])


@pytest.mark.parametrize("kind", ["pr_merge", "merge_queue_merge"])
def test_history__who_merges_into_the_branch_did_not_write_what_that_brings(kind: str) -> None:
    log = log_of("abc")
    merged = replace(log, moves=(*log.moves[:1], replace(log.moves[1], kind=kind), log.moves[2]))
    assert history_of(merged, [None, X, X], {}).pushed is None
    assert history_of(merged, [None, X, Y], {}).pushed is not None


def test_history__nobody_is_named_for_what_an_unseen_head_may_have_held() -> None:
    log = log_of("aEb", eve="E")
    assert told(history_of(log, [None, UNSEEN, X], {})) == (None, None, [])
    # the same before and after: what was pushed meanwhile is not known either
    assert told(history_of(log, [X, UNSEEN, X], {})) == (None, None, [(X, at(0), BOT.login)])


def test_history__an_unseen_head_before_the_last_change_does_no_harm_to_it() -> None:
    found = history_of(log_of("abcd"), [UNSEEN, X, X, Y], {})
    assert told(found) == (at(3), BOT.login, [(X, at(1), None)])


def test_history__two_unseen_heads_are_not_the_same() -> None:
    assert told(history_of(log_of("abc"), [UNSEEN, UNSEEN, X], {})) == (None, None, [])


def test_history__who_forces_an_old_file_back_has_pushed_it() -> None:
    log = log_of("abE", eve="E")
    assert told(history_of(log, [X, Y, X], {})) == (
        at(2),
        EVE.login,
        [(X, at(0), BOT.login), (Y, at(1), BOT.login)],
    )


def test_history__a_commit_may_be_the_head_again() -> None:
    log = log_of("abab")
    found = history_of(log, [X, Y, X, Y], {})
    assert told(found) == (at(3), BOT.login, [(X, at(0), BOT.login), (Y, at(1), BOT.login), (X, at(2), BOT.login)])
    assert found.pushed is not None
    assert found.pushed.commit == commit("b")


def test_history__who_adds_a_file_again_has_pushed_it() -> None:
    log = log_of("abE", eve="E")
    assert told(history_of(log, [X, None, X], {})) == (at(2), EVE.login, [(X, at(0), BOT.login)])


def test_history__who_changes_its_mode_has_pushed_it() -> None:
    found = history_of(log_of("abc", eve="b"), [X, f"{X} 100755", f"{X} 100755"], {X: "first"})
    assert told(found) == (at(1), EVE.login, [(X, at(0), BOT.login)])
    assert found.earlier[0].text == "first"


def test_history__of_a_file_that_is_gone_ends_with_who_removed_it() -> None:
    log = log_of("aEb", eve="E")
    assert told(history_of(log, [X, None, None], {})) == (at(1), EVE.login, [(X, at(0), BOT.login)])
    assert told(history_of(log, [X, UNSEEN, None], {})) == (None, None, [(X, at(0), BOT.login)])


def test_history__nobody_is_named_after_a_gap_before_the_pull_request_was_opened() -> None:
    first, _, last = log_of("abc").moves
    log = RefLog(source="activity", complete=True, moves=(first, last))
    assert told(history_of(log, [None, X], {})) == (None, None, [])
    assert told(history_of(log, [X, X], {})) == (at(0), BOT.login, [])


def test_history__a_branch_that_was_made_anew_goes_on() -> None:
    first, last = log_of("ab").moves
    again = RefMove(at=last.at, after=last.after, before=None, kind="branch_creation", actor=EVE)
    log = RefLog(source="activity", complete=True, moves=(first, again))
    assert told(history_of(log, [X, X], {})) == (at(0), BOT.login, [])
    assert told(history_of(log, [X, Y], {})) == (at(1), EVE.login, [(X, at(0), BOT.login)])


def test_log_of__has_no_gaps() -> None:
    assert all(later.before == earlier.after for earlier, later in pairwise(log_of("abab").moves))
