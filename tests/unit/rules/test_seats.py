"""The ladder of a seat: awaited, stale, failed, invalid, too early, from one account, or filled."""

from __future__ import annotations

import pytest

from phasegate.model.report import Need, Why
from phasegate.report.wording import need_text
from tests.casebook.world import World, block, commit, finding, verdict
from tests.unit.rules.parties import BUILD_ALONE, need, states, todo

PROPOSAL = "\n<!-- jkz:propose-issue: Check the expiry in the old API too -->\n"


def build_alone(text: str = "") -> World:
    """A world that gates the build and nothing else."""
    return World(policy=BUILD_ALONE + text)


def judge(world: World) -> Need:
    """How the Judge's seat stands."""
    return need(world, "build", "judge")


def test_seat__is_awaited_until_it_speaks() -> None:
    found = judge(build_alone())
    assert (found.state.value, found.why) == ("waiting", Why.MISSING)
    assert need_text(found) == f"Waiting for Judge on {commit('a')[:7]}"


def test_seat__passes_fails_and_changes_its_mind() -> None:
    world = build_alone()
    for outcome, state in (("PASS", "met"), ("FAIL", "failed"), ("PASS", "met")):
        world.judges("judge", outcome)
        assert judge(world).state.value == state


def test_seat__a_fail_says_what_to_fix_and_who_does() -> None:
    world = build_alone()
    world.judges("judge", "FAIL", issues=[finding("J1"), finding("J2")], must_fix=["J1", "J2"])
    assert need_text(judge(world)) == f"Judge failed {commit('a')[:7]}: J1, J2"
    assert todo(world, "build", "judge") == "Doctor: fix J1, J2, push, then ask Judge again"


def test_seat__an_invalid_word_says_how_to_mend_it() -> None:
    world = build_alone()
    world.say("ana", "## jkz:judge\n\nLooks good to me.\n")
    assert (judge(world).state.value, judge(world).why) == ("failed", Why.INVALID)
    assert "info string jkz:verdict-json" in todo(world, "build", "judge")


def test_seat__a_fail_is_a_fail_whatever_its_form() -> None:
    world = build_alone()
    world.judges("judge", "FAIL", must_fix=["J1", "J7"])
    assert (judge(world).state.value, judge(world).why) == ("failed", Why.FAILED)
    assert judge(world).problem is not None


@pytest.mark.parametrize(
    ("who", "why", "code"),
    [("octo-dev", Why.REFUSED, "PG202"), ("helper[bot]", Why.REFUSED, "PG203"), ("eve", Why.MISSING, None)],
)
def test_seat__a_refused_vote_is_answered_where_its_author_could_lead(who: str, why: Why, code: str | None) -> None:
    world = build_alone()
    world.judges("judge", who=who)
    found = judge(world)
    assert (found.state.value, found.why, found.problem and found.problem.code) == ("waiting", why, code)
    if code is not None:
        assert need_text(found).startswith(f"Judge's PASS by {who} is ignored: ")


def test_seat__a_vote_that_counts_is_not_hidden_by_a_refused_one() -> None:
    world = build_alone()
    world.judges("judge")
    world.judges("judge", "FAIL", who="eve")
    assert judge(world).why is Why.PASSED


def test_seat__never_falls_back_to_an_older_pass() -> None:
    world = build_alone()
    world.judges("judge")
    for text in ("## jkz:judge\n\nHm.\n", verdict("judge") + "\nOne more thing.\n", verdict("judge", commit="0000000")):
        world.say("ana", text)
        assert judge(world).state.value == "failed"


def test_seat__a_stale_word_names_both_commits() -> None:
    world = build_alone()
    world.judges("judge")
    world.push("b")
    found = judge(world)
    assert (found.state.value, found.why) == ("waiting", Why.OLDER)
    assert need_text(found) == f"Judge's PASS was for {commit('a')[:7]}, not for {commit('b')[:7]}"


def test_seat__a_stale_fail_fails_nothing_and_a_stale_pass_hides_no_newer_fail() -> None:
    world = build_alone()
    world.judges("judge", "FAIL")
    world.push("b")
    assert judge(world).state.value == "waiting"
    world.judges("judge", "FAIL")
    world.judges("judge", commit=commit("a"))
    assert judge(world).state.value != "met"


def test_seat__comes_back_to_life_with_its_content() -> None:
    world = build_alone()
    world.judges("judge")
    world.push("b")
    world.push("a")
    assert judge(world).state.value == "met"


def test_seat__a_tampered_word_fails_even_when_stale() -> None:
    world = build_alone()
    said = world.judges("judge", "FAIL")
    world.edit(said, verdict("judge"), "octo-dev")
    world.push("b")
    assert judge(world).state.value == "failed"
    world.judges("judge")
    assert judge(world).state.value == "met"


@pytest.mark.parametrize("first", ["PASS", "FAIL"])
def test_seat__of_two_words_in_one_second_the_one_that_is_no_pass_is_the_later(first: str) -> None:
    world = build_alone()
    one = world.judges("judge", first)
    two = world.judges("judge", "FAIL" if first == "PASS" else "PASS")
    two["created_at"] = one["created_at"]
    assert judge(world).state.value == "failed"


@pytest.mark.parametrize(("outcome", "state"), [("PASS", "met"), ("FAIL", "failed")])
def test_seat__a_proposal_beside_the_verdict_changes_nothing(outcome: str, state: str) -> None:
    world = build_alone()
    world.say("ana", verdict("judge", outcome) + PROPOSAL)
    assert judge(world).state.value == state


def test_order__who_confirms_speaks_after_who_challenges() -> None:
    world = build_alone()
    world.judges("inspector")
    world.judges("judge")
    assert need(world, "build", "inspector").state.value == "waiting"
    world.judges("inspector")
    assert states(world)[-1] == "success"


def test_order__in_one_second_the_servers_numbers_tell() -> None:
    world = build_alone()
    first = world.judges("inspector")
    second = world.judges("judge")
    first["created_at"] = second["created_at"]
    assert states(world)[-1] == "pending"


def test_order__a_confirmation_of_another_content_is_none() -> None:
    world = build_alone()
    world.judges("judge")
    world.judges("inspector")
    world.push("b")
    world.judges("judge")
    assert need(world, "build", "inspector").state.value == "waiting"


def test_order__a_judge_that_edits_its_pass_is_confirmed_again() -> None:
    world = build_alone()
    said = world.judges("judge")
    world.judges("inspector")
    world.edit(said, verdict("judge", "FAIL"), "ana")
    world.edit(said, verdict("judge"), "ana")
    assert need(world, "build", "inspector").state.value == "waiting"


def test_order__parallel_roles_speak_in_any_order() -> None:
    world = build_alone().policy or ""
    parallel = World(policy=world.replace("qa: {enabled: false}", "qa: {enabled: false}, build: {parallel: true}"))
    parallel.judges("inspector")
    parallel.judges("judge")
    assert states(parallel)[-1] == "success"


def test_distinct__one_account_for_two_roles_is_not_enough() -> None:
    world = build_alone("verdicts: {distinct_accounts: true}\n")
    world.judges("judge", who="ana")
    world.judges("inspector", who="ana")
    found = need(world, "build", "inspector")
    assert (found.why, found.other, found.by) == (Why.ONE_ACCOUNT, "judge", "ana")
    assert need_text(found) == "Inspector and Judge come from one account, ana"
    world.judges("inspector", who="ben")
    assert states(world)[-1] == "success"


def test_distinct__nor_is_the_builders_own_account() -> None:
    world = build_alone("verdicts: {distinct_accounts: true}\n")
    world.say("ana", f"## jkz:builder\n\nWords.\n\n{block({'verdict': 'COMPLETE'})}\n")
    world.judges("judge", who="ana")
    world.judges("inspector", who="ben")
    assert states(world)[-1] == "pending"


def test_distinct__without_a_builders_word_the_author_is_the_builder() -> None:
    named = "agents: {accounts: [{login: octo-dev, id: 11, roles: [judge]}]}\n"
    world = build_alone("verdicts: {distinct_accounts: true}\n" + named)
    world.judges("judge", who="octo-dev")
    world.judges("inspector", who="ben")
    assert states(world)[-1] == "pending"


def test_distinct__accounts_without_an_id_are_told_apart_by_login() -> None:
    world = build_alone("verdicts: {distinct_accounts: true}\nagents: {accounts: [{login: ana}]}\n")
    for role in ("judge", "inspector"):
        world.judges(role)["author"] = {"login": "ana", "type": "User"}
    assert states(world)[-1] == "pending"
