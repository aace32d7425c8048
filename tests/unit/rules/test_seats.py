"""The ladder of a seat: awaited, stale, failed, invalid, too early, from one account, or filled."""

from __future__ import annotations

import pytest

from phasegate.model.report import Need, Why
from phasegate.report.wording import need_text
from tests.casebook.world import World, block, commit, finding, verdict
from tests.unit.rules.parties import build_alone, edits, need, state, todo

PROPOSAL = "\n<!-- jkz:propose-issue: Check the expiry in the old API too -->\n"
DISTINCT = "verdicts: {distinct_accounts: true}\n"


def judge(world: World) -> Need:
    """How the Judge's seat stands."""
    return need(world, "build", "judge")


def test_seat__is_awaited_until_it_speaks() -> None:
    found = judge(build_alone())
    assert (found.state.value, found.why) == ("waiting", Why.MISSING)
    assert need_text(found) == f"Waiting for Judge on {commit('a')[:7]}"


def test_seat__passes_fails_and_changes_its_mind() -> None:
    world = build_alone()
    for outcome, expected in (("PASS", "met"), ("FAIL", "failed"), ("PASS", "met")):
        world.judges("judge", outcome)
        assert judge(world).state.value == expected


def test_seat__a_fail_says_what_to_fix_and_who_does() -> None:
    world = build_alone().failed_by("judge", issues=[finding("J1"), finding("J2")], must_fix=["J1", "J2"])
    assert need_text(judge(world)) == f"Judge failed {commit('a')[:7]}: J1, J2"
    assert todo(world, "build", "judge") == "Doctor: fix J1, J2, push, then ask Judge again"


def test_seat__an_invalid_word_says_how_to_mend_it() -> None:
    world = build_alone().says("ana", "## jkz:judge\n\nLooks good to me.\n")
    assert (judge(world).state.value, judge(world).why) == ("failed", Why.INVALID)
    assert "info string jkz:verdict-json" in todo(world, "build", "judge")


def test_seat__a_fail_is_a_fail_whatever_its_form() -> None:
    found = judge(build_alone().failed_by("judge", must_fix=["J1", "J7"]))
    assert (found.state.value, found.why) == ("failed", Why.FAILED)
    assert found.problem is not None


@pytest.mark.parametrize(("who", "why", "code"), [
    ("octo-dev", Why.REFUSED, "PG202"), ("helper[bot]", Why.REFUSED, "PG203"), ("eve", Why.MISSING, None),
])  # fmt: skip
def test_seat__a_refused_vote_is_answered_where_its_author_could_lead(who: str, why: Why, code: str | None) -> None:
    found = judge(build_alone().passed_by("judge", who=who))
    assert (found.state.value, found.why, found.problem and found.problem.code) == ("waiting", why, code)
    assert code is None or need_text(found).startswith(f"Judge's PASS by {who} is ignored: ")


def test_seat__never_falls_back_to_an_older_pass() -> None:
    world = build_alone().passed_by("judge")
    for text in ("## jkz:judge\n\nHm.\n", verdict("judge") + "\nOne more thing.\n", verdict("judge", commit="0000000")):
        assert judge(world.says("ana", text)).state.value == "failed"


def test_seat__a_stale_word_names_both_commits() -> None:
    found = judge(build_alone().passed_by("judge").push("b"))
    assert (found.state.value, found.why) == ("waiting", Why.OLDER)
    assert need_text(found) == f"Judge's PASS was for {commit('a')[:7]}, not for {commit('b')[:7]}"


def one_second(world: World, *roles_and_outcomes: tuple[str, str]) -> World:
    """These verdicts come in one second."""
    for said in [world.judges(role, outcome) for role, outcome in roles_and_outcomes]:
        said["created_at"] = world.comments[0]["created_at"]
    return world


JUDGE: dict[str, tuple[World, str]] = {
    "a vote that counts is not hidden by a refused one":
     (build_alone().passed_by("judge").failed_by("judge", "eve"), "met"),
    "a stale FAIL fails nothing": (build_alone().failed_by("judge").push("b"), "waiting"),
    "a stale PASS hides no newer FAIL":
     (build_alone().failed_by("judge").push("b").failed_by("judge").passed_by("judge", commit=commit("a")), "failed"),
    "comes back to life with its content": (build_alone().passed_by("judge").push("b").push("a"), "met"),
    "a tampered word fails even when stale":
     (build_alone().failed_by("judge").then(edits, verdict("judge"), "octo-dev").push("b"), "failed"),
    "a tampered word is answered by the next": (build_alone().failed_by("judge")
     .then(edits, verdict("judge"), "octo-dev").push("b").passed_by("judge"), "met"),
    "of one second's words the one that is no pass is the later":
     (one_second(build_alone(), ("judge", "PASS"), ("judge", "FAIL")), "failed"),
    "whatever their order": (one_second(build_alone(), ("judge", "FAIL"), ("judge", "PASS")), "failed"),
    "a proposal beside a PASS": (build_alone().says("ana", verdict("judge") + PROPOSAL), "met"),
    "a proposal beside a FAIL": (build_alone().says("ana", verdict("judge", "FAIL") + PROPOSAL), "failed"),
}  # fmt: skip


@pytest.mark.parametrize(("world", "expected"), JUDGE.values(), ids=JUDGE)
def test_seat(world: World, expected: str) -> None:
    assert judge(world).state.value == expected


INSPECTOR: dict[str, tuple[World, str]] = {
    "who confirms spoke before who challenges": (build_alone().passed_by("inspector", "judge"), "waiting"),
    "and speaks again": (build_alone().passed_by("inspector", "judge", "inspector"), "met"),
    "in one second the server's numbers tell":
     (one_second(build_alone(), ("inspector", "PASS"), ("judge", "PASS")), "waiting"),
    "a confirmation of another content is none": (build_alone().built().push("b").passed_by("judge"), "waiting"),
    "parallel roles speak in any order":
     (World(policy="version: 1\nphases: {plan: {enabled: false}, qa: {enabled: false}, build: {parallel: true}}\n")
      .passed_by("inspector", "judge"), "met"),
}  # fmt: skip


@pytest.mark.parametrize(("world", "expected"), INSPECTOR.values(), ids=INSPECTOR)
def test_order(world: World, expected: str) -> None:
    assert need(world, "build", "inspector").state.value == expected
    assert state(world, "all") == ("success" if expected == "met" else "pending")


def test_order__a_judge_that_edits_its_pass_is_confirmed_again() -> None:
    world = build_alone()
    said = world.judges("judge")
    world.passed_by("inspector").edit(said, verdict("judge", "FAIL"), "ana").edit(said, verdict("judge"), "ana")
    assert need(world, "build", "inspector").state.value == "waiting"


def test_distinct__one_account_for_two_roles_is_not_enough() -> None:
    world = build_alone(DISTINCT).built()
    found = need(world, "build", "inspector")
    assert (found.why, found.other, found.by) == (Why.ONE_ACCOUNT, "judge", "ana")
    assert need_text(found) == "Inspector and Judge come from one account, ana"
    assert state(world.passed_by("inspector", who="ben"), "all") == "success"


def without_ids(world: World) -> None:
    """Both judges pass it from an account whose id is not told."""
    for role in ("judge", "inspector"):
        world.judges(role)["author"] = {"login": "ana", "type": "User"}


ONE_ACCOUNT = {
    "the builder's own": build_alone(DISTINCT)
     .says("ana", f"## jkz:builder\n\nWords.\n\n{block({'verdict': 'COMPLETE'})}\n")
     .passed_by("judge").passed_by("inspector", who="ben"),
    "the author's, without a builder's word":
     build_alone(DISTINCT + "agents: {accounts: [{login: octo-dev, id: 11, roles: [judge]}]}\n")
     .passed_by("judge", who="octo-dev").passed_by("inspector", who="ben"),
    "one login, without an id": build_alone(DISTINCT + "agents: {accounts: [{login: ana}]}\n").then(without_ids),
}  # fmt: skip


@pytest.mark.parametrize("world", ONE_ACCOUNT.values(), ids=ONE_ACCOUNT)
def test_distinct__nor_is_this(world: World) -> None:
    assert state(world, "all") == "pending"
