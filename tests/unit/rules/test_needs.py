"""What a phase needs: the plan, the roles' votes in their order, workers that are not blocked, a human."""

from __future__ import annotations

import pytest

from tests.casebook.world import World, block, commit, finding, verdict
from tests.unit.rules.court import BUILD_ALONE, codes, human_need, need, phase, states

PROPOSAL = "\n<!-- jkz:propose-issue: Check the expiry in the old API too -->\n"


def worker(role: str, outcome: str) -> str:
    """What a worker reports."""
    return f"## jkz:{role}\n\nWords.\n\n{block({'verdict': outcome})}\n"


def build_alone(text: str = "") -> World:
    """A world that gates the build and nothing else."""
    return World(policy=BUILD_ALONE + text)


def judge(world: World) -> tuple[str, str]:
    """How the Judge's need stands, and what is said about it."""
    found = need(world, "build", "judge")
    return found.state.value, found.text


def test_role__is_awaited_until_it_speaks() -> None:
    assert judge(build_alone()) == ("waiting", f"Waiting for Judge on {commit('a')[:7]}")


def test_role__passes_fails_and_changes_its_mind() -> None:
    world = build_alone()
    for outcome, state in (("PASS", "met"), ("FAIL", "failed"), ("PASS", "met")):
        world.judges("judge", outcome)
        assert judge(world)[0] == state


def test_role__a_fail_says_what_to_fix_and_who_does() -> None:
    world = build_alone()
    world.judges("judge", "FAIL", issues=[finding("J1"), finding("J2")], must_fix=["J1", "J2"])
    found = need(world, "build", "judge")
    assert found.text == f"Judge failed {commit('a')[:7]}: J1, J2"
    assert found.todo == "Doctor: fix J1, J2; then ask Judge again"


def test_role__an_invalid_word_says_how_to_mend_it() -> None:
    world = build_alone()
    world.say("ana", "## jkz:judge\n\nLooks good to me.\n")
    found = need(world, "build", "judge")
    assert found.state.value == "failed"
    assert "info string jkz:verdict-json" in found.todo


def test_role__never_falls_back_to_an_older_pass() -> None:
    world = build_alone()
    world.judges("judge")
    for text in ("## jkz:judge\n\nHm.\n", verdict("judge") + "\nOne more thing.\n", verdict("judge", commit="0000000")):
        world.say("ana", text)
        assert judge(world)[0] == "failed"


def test_role__a_stale_word_names_both_commits() -> None:
    world = build_alone()
    world.judges("judge")
    world.push("b")
    state, text = judge(world)
    assert state == "waiting"
    assert commit("a")[:7] in text
    assert commit("b")[:7] in text


def test_role__a_stale_fail_fails_nothing_and_a_stale_pass_hides_no_newer_fail() -> None:
    world = build_alone()
    world.judges("judge", "FAIL")
    world.push("b")
    assert judge(world)[0] == "waiting"
    world.judges("judge", "FAIL")
    world.judges("judge", commit=commit("a"))
    assert judge(world)[0] != "met"


def test_role__comes_back_to_life_with_its_content() -> None:
    world = build_alone()
    world.judges("judge")
    world.push("b")
    world.push("a")
    assert judge(world)[0] == "met"


def test_role__a_tampered_word_fails_even_when_stale() -> None:
    world = build_alone()
    said = world.judges("judge", "FAIL")
    world.edit(said, verdict("judge"), "octo-dev")
    world.push("b")
    assert judge(world)[0] == "failed"
    world.judges("judge")
    assert judge(world)[0] == "met"


@pytest.mark.parametrize("first", ["PASS", "FAIL"])
def test_role__of_two_words_in_one_second_the_one_that_is_no_pass_is_the_later(first: str) -> None:
    world = build_alone()
    one = world.judges("judge", first)
    two = world.judges("judge", "FAIL" if first == "PASS" else "PASS")
    two["created_at"] = one["created_at"]
    assert judge(world)[0] == "failed"


@pytest.mark.parametrize(("outcome", "state"), [("PASS", "met"), ("FAIL", "failed")])
def test_role__a_proposal_beside_the_verdict_changes_nothing(outcome: str, state: str) -> None:
    world = build_alone()
    world.say("ana", verdict("judge", outcome) + PROPOSAL)
    assert judge(world)[0] == state


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
    assert "one account, ana" in need(world, "build", "inspector").text
    world.judges("inspector", who="ben")
    assert states(world)[-1] == "success"


def test_distinct__nor_is_the_builders_own_account() -> None:
    world = build_alone("verdicts: {distinct_accounts: true}\n")
    world.say("ana", worker("builder", "COMPLETE"))
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


@pytest.mark.parametrize(("role", "outcome"), [("builder", "BLOCKED"), ("doctor", "BLOCKED")])
def test_worker__a_blocked_one_keeps_the_build_waiting(role: str, outcome: str) -> None:
    world = build_alone()
    world.built()
    world.say("ana", worker(role, outcome))
    assert (need(world, "build", role).state.value, states(world)[-1]) == ("waiting", "pending")


@pytest.mark.parametrize("outcome", ["COMPLETE"])
def test_worker__its_next_word_unblocks(outcome: str) -> None:
    world = build_alone()
    world.built()
    world.say("ana", worker("builder", "BLOCKED"))
    world.say("ana", worker("builder", outcome))
    assert states(world)[-1] == "success"


def test_worker__an_invalid_word_does_not_unblock() -> None:
    world = build_alone()
    world.built()
    world.say("ana", worker("builder", "BLOCKED"))
    world.say("ana", worker("builder", "PASS"))
    assert states(world)[-1] != "success"


def test_worker__a_strangers_word_neither_blocks_nor_unblocks() -> None:
    world = build_alone()
    world.built()
    world.say("eve", worker("builder", "BLOCKED"))
    assert states(world)[-1] == "success"
    world.say("ana", worker("builder", "BLOCKED"))
    world.say("eve", worker("builder", "COMPLETE"))
    assert states(world)[-1] == "pending"


@pytest.mark.parametrize(("text", "who"), [(worker("builder", "COMPLETE"), "octo-dev"), ("Never mind.", "ana")])
def test_worker__a_blocked_word_cannot_be_edited_away(text: str, who: str) -> None:
    world = build_alone()
    world.built()
    said = world.say("ana", worker("builder", "BLOCKED"))
    world.edit(said, text, who)
    assert states(world)[-1] != "success"


def test_human__approves_this_content_after_the_last_verdict() -> None:
    world = World()
    world.planned()
    world.built()
    world.say("mona", "/gate approve qa")
    world.judges("sentinel")
    world.judges("lens")
    assert "came before the last verdict" in human_need(world, "qa").text
    world.say("mona", "/gate approve qa")
    assert (human_need(world, "qa").text, states(world)[-1]) == ("Approved by mona", "success")
    world.judges("lens", "FAIL")
    world.judges("lens")
    assert states(world)[-1] == "pending"


def test_human__a_repeated_pass_asks_for_no_new_approval() -> None:
    world = World()
    world.planned()
    world.built()
    world.tested()
    world.judges("lens")
    assert states(world)[-1] == "success"


def test_human__an_approval_of_one_issues_plan_is_none_of_anothers() -> None:
    world = World()
    world.issue(13)
    world.planned(12)
    world.say("ana", "## jkz:architect\n\nThe plan.\n", on=13)
    for role in ("auditor", "curator"):
        world.say("ana", verdict(role), on=13)
    assert [item.text for item in phase(world, "plan").needs if item.state.value == "waiting"] == [
        "Waiting for a human's /gate approve plan"
    ]
    assert codes(world) == set()
