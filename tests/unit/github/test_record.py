"""The gate's own record: what goes on it, and that nobody else adds to it or hides anything of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from phasegate.github.record import (
    CONTEXT,
    FORGETTING,
    MOST_RENEWED,
    MOST_STATUSES,
    SPARE,
    Life,
    first_seen,
    is_crowded,
    is_full,
    kept_since,
    read_record,
    record_lines,
    sealed_at,
)
from phasegate.model.frozen import replace
from phasegate.model.snapshot import CommitStatus, Record
from phasegate.model.texts import Actor, is_own
from tests.casebook.world import World, block, commit, verdict
from tests.unit.rules.parties import decided

HEAD = commit("a")
GATE = Actor(login="github-actions[bot]", id=41898282, type="Bot")
OWN = Actor(login="gate-app[bot]", id=77, type="User")
EVE = Actor(login="eve", id=66, type="User")
LIFE = Life(number=7, opened="2026-03-02T09:00:00Z", now="2026-03-02T11:00:00Z", retention_days=90)
FAILED = "On record: judge comment-9@86f7e43 FAIL by 21"


def written(description: str, creator: Actor | None = GATE, second: int = 1) -> tuple[str, CommitStatus]:
    at = f"2026-03-02T10:00:{second:02}Z"
    status = CommitStatus(context="phase-gate/record", state="success", at=at, description=description, creator=creator)
    return HEAD, status


def entries(record: Record) -> list[tuple[str, str, str, int | None]]:
    return [(seen.role, seen.source, seen.outcome, seen.account) for seen in record.signals]


def test_record__is_the_union_of_all_that_the_gate_wrote() -> None:
    later = "On record: inspector review-7@86f7e43 invalid by 22"
    record = read_record([written(later, second=2), written(FAILED), written("", second=3)], GATE)
    assert entries(record) == [("judge", "comment-9", "FAIL", 21), ("inspector", "review-7", "invalid", 22)]


@pytest.mark.parametrize("creator", [EVE, None, Actor(login="github-actions", id=1, type="User"), OWN])
def test_record__nobody_else_adds_or_hides_anything(creator: Actor | None) -> None:
    forged = written("On record: lens comment-1@86f7e43 FAIL by 21", creator, second=2)
    assert entries(read_record([written(FAILED), forged, written("", creator, second=3)], GATE)) == [
        ("judge", "comment-9", "FAIL", 21)
    ]


def test_record__older_entries_are_fails_of_accounts_that_nobody_wrote_down() -> None:
    record = read_record([written("FAIL on record: judge comment-9@86f7e43, lens review-3")], None)
    assert entries(record) == [("judge", "comment-9", "FAIL", None), ("lens", "review-3", "FAIL", None)]


def test_record__of_a_gate_with_an_account_of_its_own_is_nobody_elses() -> None:
    own = Actor(login="gate-app[bot]", id=77, type="Bot")
    found = read_record([written(FAILED, own), written("On record: lens comment-1@86f7e43 FAIL by 21", GATE)], OWN)
    assert entries(found) == [("judge", "comment-9", "FAIL", 21)]


def test_own__is_this_token_and_unless_told_the_default_one() -> None:
    assert is_own(GATE, None)
    assert is_own(GATE, GATE)
    assert not is_own(GATE, OWN)
    assert not is_own(Actor(login="other[bot]", id=5, type="Bot"), None)
    assert is_own(Actor(login="gate-app[bot]", id=77, type="Bot"), OWN)
    assert is_own(Actor(login="Gate-App[bot]", id=None, type="Bot"), OWN)
    assert not is_own(Actor(login="gate-app[bot]", id=78, type="Bot"), OWN)


def test_lines__name_every_word_that_is_no_pass_and_are_read_again() -> None:
    world = World()
    said = [
        world.judges("judge", "FAIL"), world.say("ben", f"## jkz:inspector\n\n{block('{verdict: NO}')}\n"),
        world.say("ana", verdict("sentinel")), world.say("eve", verdict("lens", "FAIL")),
    ]  # fmt: skip
    votes = [item.vote for item in decided(world).signals]
    lines = record_lines(votes, Record(), HEAD, LIFE)[HEAD]
    record = read_record([written(line.description) for line in lines], None)
    assert entries(record) == [
        ("judge", f"comment-{said[0]['id']}", "FAIL", 21),
        ("inspector", f"comment-{said[1]['id']}", "invalid", 22),
    ]
    assert record_lines(votes, replace(record, sealed=LIFE.now), HEAD, LIFE) == {}
    assert set(record_lines((), record, commit("b"), LIFE)) == {commit("b")}


def test_lines__name_only_what_is_not_there_yet() -> None:
    world = World()
    world.judges("judge", "FAIL")
    world.judges("inspector", "FAIL")
    votes = [item.vote for item in decided(world).signals]
    (whole,) = record_lines(votes, Record(), HEAD, LIFE)[HEAD]
    known = replace(read_record([written(whole.description.rpartition(", ")[0])], None), sealed=LIFE.now)
    (line,) = record_lines(votes, known, HEAD, LIFE)[HEAD]
    assert (whole.description.count(" FAIL "), line.description.count(" FAIL ")) == (2, 1)
    both = record_lines(votes, known, commit("b"), LIFE)[commit("b")]
    assert sum(each.description.count(" FAIL ") for each in both) == 2


def test_lines__the_one_that_tells_that_all_stand_there_is_of_one_pull_request() -> None:
    (line,) = record_lines((), read_record([written(FAILED)], None), commit("b"), LIFE)[commit("b")]
    ours = written(line.description, second=2)
    assert sealed_at([written(FAILED), ours], GATE, 7) == ours[1].at
    assert sealed_at([ours], GATE, 70) == sealed_at([ours], OWN, 7) == sealed_at([written(FAILED)], GATE, 7) == ""
    numbered = replace(ours[1], context=f"{CONTEXT}-2")
    assert not sealed_at([(HEAD, numbered), written(line.description, EVE, second=3)], GATE, 7)


@pytest.mark.parametrize(("contexts", "full"), [((CONTEXT,), False), (SPARE[1:], False), ((CONTEXT, *SPARE), True)])
def test_full__only_where_every_context_is(contexts: tuple[str, ...], *, full: bool) -> None:
    _, status = written("x", EVE)
    told = [(HEAD, replace(status, context=context)) for context in contexts for _ in range(MOST_STATUSES)]
    assert is_full(told) is full


OPENED, TENTH, MONTHS = "2026-03-02T09:00:00Z", "2026-03-12T09:00:00Z", "2026-06-10T09:00:00Z"
SEALED = "On record of #7 (1) since 1772442180, head 1772442240: judge comment-9@86f7e43 FAIL by 21"


def sealed(description: str, at: str = TENTH, creator: Actor | None = GATE) -> tuple[str, CommitStatus]:
    return HEAD, replace(written(description, creator)[1], at=at)


def ordinary(at: str, creator: Actor | None = GATE, context: str = "phase-gate/build") -> tuple[str, CommitStatus]:
    return HEAD, replace(written("Build passed", creator)[1], context=context, at=at)


@pytest.mark.parametrize(
    ("statuses", "now", "since"),
    [
        ([], TENTH, None),
        ([ordinary("2026-03-02T09:05:00Z"), ordinary("2026-03-02T09:03:00Z")], TENTH, "2026-03-02T09:03:00Z"),
        ([ordinary("2026-03-02T09:03:00Z", context="phase-gate: main")], TENTH, "2026-03-02T09:03:00Z"),
        ([ordinary("2026-03-02T09:03:00Z", context="phase-gateway/build")], TENTH, None),
        ([ordinary("2026-03-02T09:03:00Z", EVE)], TENTH, None),
        ([ordinary("2026-03-01T09:03:00Z")], TENTH, None),  # of another pull request with the same commit
        ([ordinary("2026-04-02T09:03:00Z")], TENTH, None),  # yet to come
        ([ordinary("2026-03-02T09:03:00Z")], MONTHS, None),  # others may have been deleted since
        ([sealed(SEALED), ordinary("2026-03-02T09:01:00Z")], "2026-04-12T09:00:00Z", "2026-03-02T09:03:00Z"),
        ([sealed(SEALED)], MONTHS, "2026-03-02T09:03:00Z"),
        ([sealed(SEALED)], "2026-06-11T09:00:00Z", None),  # what came later may have been deleted since
        ([sealed(SEALED)], "2026-03-11T09:00:00Z", None),  # a clock that is behind
        ([sealed(SEALED, creator=EVE)], MONTHS, None),
        ([sealed(SEALED.replace("#7", "#70"))], MONTHS, None),
        ([sealed(SEALED.replace("since 1772442180", "since 9999999999"))], MONTHS, TENTH),
        ([sealed(SEALED.replace("since 1772442180", "since 1000000000"))], MONTHS, None),
        ([sealed(FAILED.replace("record", "record of #7"))], MONTHS, TENTH),  # as it was written before
    ],
)
def test_since__is_told_by_the_gate_alone_and_only_where_nothing_can_be_gone(
    statuses: list[tuple[str, CommitStatus]], now: str, since: str | None
) -> None:
    life = replace(LIFE, now=now)
    assert kept_since(statuses, GATE, life) == since


def test_sighting__is_the_first_of_the_gate_on_the_commit() -> None:
    later, forged = ordinary("2026-03-05T09:00:00Z"), ordinary("2026-03-01T09:00:00Z", EVE)
    assert first_seen([later, forged, (commit("b"), ordinary(OPENED)[1])], GATE, HEAD, LIFE) == later[1].at
    assert first_seen([later, sealed(SEALED)], GATE, HEAD, LIFE) == "2026-03-02T09:04:00Z"
    assert first_seen([forged], GATE, HEAD, LIFE) is None
    assert first_seen([ordinary("2026-03-01T09:00:00Z")], GATE, HEAD, LIFE) is None


@pytest.mark.parametrize(("days", "age", "lines"), [(90, 22, 0), (90, 23, 1), (90, 40, 1), (30, 8, 1), (1, 1, 1)])
def test_lines__are_written_anew_from_a_quarter_of_the_retention_on(days: int, age: int, lines: int) -> None:
    now = f"2026-0{3 + (11 + age) // 31}-{(11 + age) % 31 + 1:02}T09:00:00Z"
    record = replace(read_record([sealed(SEALED)], GATE), sealed=TENTH, since=OPENED, sighted=OPENED)
    found = record_lines((), record, HEAD, replace(LIFE, now=now, retention_days=days)).get(HEAD, ())
    assert len(found) == lines
    for line in found:
        assert line.description == (
            f"On record of #7 (1, {days}d) since 1772442000, head 1772442000: judge comment-9@86f7e43 FAIL by 21"
            " at 1773306000+0"
        )


def test_lines__of_a_record_that_lost_words_count_them_until_that_is_accepted() -> None:
    record = replace(read_record([sealed(SEALED)], GATE), sealed=OPENED, lost=2)
    life = replace(LIFE, now=MONTHS)
    (kept,), (accepted,) = (record_lines((), record, HEAD, life, accepted=each)[HEAD] for each in (False, True))
    assert (kept.description[:19], accepted.description[:19]) == ("On record of #7 (3,", "On record of #7 (1,")


def test_lines__of_an_old_pull_request_tell_that_nothing_is_on_record() -> None:
    (line,) = record_lines((), Record(since=OPENED, sighted=MONTHS), HEAD, replace(LIFE, now=MONTHS))[HEAD]
    assert line.description == "On record of #7 (0, 90d) since 1772442000: nothing"
    assert read_record([sealed(line.description)], GATE).signals == ()


def test_crowded__from_nine_hundred_on_nothing_is_only_renewed() -> None:
    statuses = [sealed(SEALED, creator=EVE)] * MOST_RENEWED
    assert (is_crowded(statuses), is_crowded(statuses[1:])) == (True, False)
    record = replace(read_record([sealed(SEALED)], GATE), sealed=TENTH, crowded=True)
    assert record_lines((), record, HEAD, replace(LIFE, now=MONTHS)) == {}


def test_entry__written_anew_keeps_its_first_dates() -> None:
    first = sealed("On record of #7 (1): judge comment-9@86f7e43 FAIL by 21 at 1772442240", "2026-03-02T09:05:00Z")
    again = sealed("On record of #7 (1): judge comment-9@86f7e43 FAIL by 21 at 1772442240+60", MONTHS)
    for statuses in ([first, again], [again, first], [again]):
        (seen,) = read_record(statuses, GATE).signals
        assert (seen.at, seen.first, seen.written) == ("2026-03-02T09:04:00Z", "2026-03-02T09:05:00Z", MONTHS)
    future = sealed(again[1].description.replace("1772442", "9772442"), TENTH)
    (seen,) = read_record([future], GATE).signals
    assert (seen.at, seen.first) == (TENTH, TENTH)


def test_forgetting__the_decision_shows_the_table() -> None:
    page = Path(__file__).parents[3] / "docs" / "decisions" / "0002-record-of-failures.md"
    text = page.read_text(encoding="utf-8")
    assert [row for row in FORGETTING if f"| {' | '.join(row)} |" not in text] == []
