"""The log of ref movements: complete or not, never made up; and which older heads somebody may have judged."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from phasegate.github.client.answers import GitHubError, MissingError, MovedError, RefusedError
from phasegate.github.reading.moves import MOST_OLDER_HEADS, contains, former_base, judged_heads, older_heads, ref_log
from phasegate.model.snapshot import DELETED, FORCED, RETARGETED, BaseChange, Branch, PullRequest, RefLog, RefMove
from tests.casebook.world import commit
from tests.unit.github.canned import Canned

JSON = dict[str, Any]
A, B, C, NOWHERE = "a" * 40, "b" * 40, "c" * 40, "0" * 40
PATH = "/repos/octo/shop/activity"
PULL = PullRequest(
    number=7, url="https://github.com/octo/shop/pull/7", title="", author=None, created_at="2026-03-02T09:30:00Z",
    base=Branch(ref="main", sha="0" * 40, repository="octo/shop"),
    head=Branch(ref="sessions", sha=B, repository="octo/shop"),
)  # fmt: skip


def at(minute: int) -> str:
    return f"2026-03-02T09:{minute:02}:00Z"


def move(identity: int, minute: int, before: str, after: str, kind: str = "push") -> JSON:
    actor = {"login": "octo-dev", "id": 11, "type": "User"}
    told = {"id": identity, "timestamp": at(minute), "before": before, "after": after, "activity_type": kind}
    return {**told, "ref": "refs/heads/sessions", "actor": actor}


CREATED, PUSHED = move(1, 10, NOWHERE, A, "branch_creation"), move(2, 40, A, B)


def log_of(*entries: JSON, pull: PullRequest = PULL) -> RefLog:
    return ref_log(Canned({PATH: list(entries)}), pull)


def test_ref_log__is_the_servers_own_record() -> None:
    client = Canned({PATH: [CREATED, PUSHED]})
    log = ref_log(client, PULL)
    assert (log.source, log.complete) == ("activity", True)
    assert [(step.at, step.before, step.after, step.kind) for step in log.moves] == [
        (at(10), None, A, "branch_creation"),
        (at(40), A, B, "push"),
    ]
    assert client.asked == [(PATH, {"ref": "refs/heads/sessions", "per_page": 100, "direction": "asc"})]


def test_ref_log__of_a_fork_is_read_there() -> None:
    fork = replace(PULL, head=replace(PULL.head, repository="eve/shop"))
    client = Canned({"/repos/eve/shop/activity": [CREATED, PUSHED]})
    assert ref_log(client, fork).complete


@pytest.mark.parametrize(
    ("entries", "complete"),
    [
        ([], False),
        ([CREATED], False),  # the latest push has not arrived there yet
        ([CREATED, move(2, 40, C, B)], False),  # something is missing between
        ([move(1, 10, C, A), PUSHED], True),  # what was before the opening does not matter
        ([move(1, 5, NOWHERE, C), move(3, 8, A, A), PUSHED], True),
        ([CREATED, move(2, 35, A, NOWHERE, "branch_deletion"), move(3, 36, NOWHERE, B, "branch_creation")], True),
        ([PUSHED, CREATED], True),  # whatever the order
    ],
)
def test_ref_log__is_complete_if_each_movement_follows_the_one_before(entries: list[JSON], *, complete: bool) -> None:
    assert log_of(*entries).complete is complete


def test_ref_log__without_the_fork_there_is_none() -> None:
    client = Canned({})
    log = ref_log(client, replace(PULL, head=replace(PULL.head, repository=None)))
    assert (log, client.asked) == (RefLog(source="none", complete=False), [])


@pytest.mark.parametrize("failure", [MissingError("404"), RefusedError("403")])
def test_ref_log__that_the_token_may_not_read_is_none(failure: Exception) -> None:
    assert ref_log(Canned({PATH: failure}), PULL) == RefLog(source="none", complete=False)


def test_ref_log__that_cannot_be_read_now_is_an_error() -> None:
    with pytest.raises(GitHubError, match="502"):
        ref_log(Canned({PATH: GitHubError("502")}), PULL)


def test_ref_log__that_tells_a_movement_twice_is_read_anew() -> None:
    with pytest.raises(MovedError, match="twice"):
        log_of(CREATED, CREATED, PUSHED)


LOG = RefLog(
    source="activity", moves=tuple(RefMove(at=at(10 * n), after=after) for n, after in enumerate((A, B, C), 1))
)


@pytest.mark.parametrize(
    ("text", "times", "heads"),
    [
        ("fine", [], ()),
        ("fine", [at(5)], ()),  # before there was a branch
        ("fine", [at(10)], ()),  # in the same second as the push: it was not yet there
        ("fine", [at(11)], (A,)),
        ("fine", [at(20)], (A,)),
        ("fine", [at(21)], (B,)),
        ("fine", [at(31)], ()),  # about the head itself
        ("fine", [at(11), at(21)], (A, B)),
        (f"about {A}", [at(31)], (A,)),
        ("about BBBBBBB", [at(31)], (B,)),
        ("about bbbbbb", [at(31)], ()),
        (f"about {C}", [at(31)], ()),
    ],
)
def test_judged_heads__are_those_of_the_time_and_named(text: str, times: list[str], heads: tuple[str, ...]) -> None:
    assert judged_heads(LOG.moves, C, [(text, times)]) == heads


def test_judged_heads__of_very_many_the_latest_are_looked_at() -> None:
    commits = [commit(str(number)) for number in range(200)]
    moves = tuple(RefMove(at=f"{number:04}", after=after) for number, after in enumerate(commits))
    log = RefLog(source="activity", moves=moves)
    votes: list[tuple[str, list[str]]] = [(f"about {named}", []) for named in commits]
    assert judged_heads(log.moves, C, votes) == tuple(commits[-MOST_OLDER_HEADS:])
    assert older_heads(log, commits[-1]) == tuple(commits[-MOST_OLDER_HEADS - 1 : -1])


DELETION = move(3, 50, B, NOWHERE, "branch_deletion")
FORCED_BACK = move(3, 45, B, A, "force_push")
REMADE = move(4, 51, NOWHERE, A, "branch_creation")


@pytest.mark.parametrize(
    ("minute", "moves", "tip"),
    [
        (55, [PUSHED, CREATED], B),
        (39, [PUSHED, CREATED], A),  # what came later was not judged for it
        (51, [DELETION, PUSHED, CREATED], B),  # it was deleted, and its pull requests were pointed at another one
        (50, [DELETION, PUSHED, CREATED], B),
        (55, [FORCED_BACK, PUSHED, CREATED], None),
        (55, [REMADE, DELETION, PUSHED, CREATED], None),
        (55, [move(5, 42, C, A), PUSHED, CREATED], None),  # something is left out
        (40, [PUSHED, CREATED], None),  # pushed to in the same second: nobody knows what was first
        (55, [PUSHED], None),
        (9, [PUSHED, CREATED], None),
        (55, [], None),
        (55, None, None),
    ],
)
def test_former_base__is_told_of_a_branch_that_only_grew(
    minute: int, moves: list[JSON] | None, tip: str | None
) -> None:
    client = Canned({} if moves is None else {PATH: moves})
    for kind in (RETARGETED, DELETED):
        change = BaseChange(at=at(minute), before="below", after="main", kind=kind)
        assert former_base(client, "octo/shop", change, at(30)) == tip


def test_former_base__of_a_forced_one_is_told() -> None:
    for before, tip in ((A, A), ("", None)):
        change = BaseChange(at=at(50), before=before, after=B, kind=FORCED)
        assert former_base(Canned({}), "octo/shop", change, at(30)) == tip


@pytest.mark.parametrize(("ahead", "holds"), [(0, "yes"), (1, ""), (None, "")])
def test_contains__is_so_only_where_nothing_is_ahead(ahead: int | None, holds: str) -> None:
    told = {} if ahead is None else {f"/repos/octo/shop/compare/{B}...{A}": {"ahead_by": ahead}}
    assert contains(Canned(told), "/repos/octo/shop", B, A) is bool(holds)
