"""Human acts: which commands count, and for which content."""

from __future__ import annotations

import pytest

from phasegate.model.signal import Act
from tests.casebook.world import PEOPLE, World, block, commit, verdict
from tests.unit.rules.parties import codes, human_need, ledger, states


def act(world: World) -> Act:
    """The one act of a world."""
    (found,) = ledger(world).acts
    return found


def ready_for_approval() -> World:
    """A world in which only the approval of QA is missing."""
    world = World()
    world.planned()
    world.built()
    world.judges("sentinel")
    world.judges("lens")
    return world


def refused(world: World) -> set[str]:
    """The codes of a world that is not approved."""
    assert states(world)[2:] == ("pending", "pending")
    assert human_need(world, "qa").state.value == "waiting"
    return codes(world)


def test_acts__an_approval_counts_for_the_content_of_its_time() -> None:
    world = World()
    world.say("mona", "/gate approve qa")
    world.push("b")
    found = act(world)
    assert (found.counts, found.content) == (True, ledger(world).timeline.content(commit("a")))


def test_acts__an_approval_of_a_plan_counts_for_the_plans_text() -> None:
    world = World()
    said = world.say("ana", "## jkz:architect\n\nThe plan.\n", on=12)
    world.say("mona", "/gate approve plan", on=12)
    plan = act(world).content
    assert plan == ledger(world).plans.current(12)
    world.edit(said, "## jkz:architect\n\nAnother plan.\n", "ana")
    assert act(world).content == plan != ledger(world).plans.current(12)


def test_acts__where_the_log_does_not_tell_the_head_an_approval_names_its_commit() -> None:
    world = ready_for_approval()
    world.unlogged()
    world.gated()
    world.say("mona", "/gate approve qa")
    assert refused(world) == {"PG305"}
    world.say("mona", f"/gate approve qa {commit('a')[:7]}")
    assert ledger(world).acts[-1].counts


@pytest.mark.parametrize(("named", "code"), [("0000000", "PG301"), (commit("b")[:9], "PG301")])
def test_acts__a_named_commit_was_the_head_by_then(named: str, code: str) -> None:
    world = ready_for_approval()
    world.say("mona", f"/gate approve qa {named}")
    world.push("b")
    assert refused(world) == {code}


def test_acts__an_approval_is_for_the_commit_that_it_names() -> None:
    world = ready_for_approval()
    world.push("b")
    world.say("mona", f"/gate approve qa {commit('a')}")
    given = ledger(world).acts[-1]
    assert given.counts
    assert given.content != ledger(world).timeline.current


def test_acts__what_its_author_withdraws_is_taken_back() -> None:
    world = ready_for_approval()
    world.say("mona", "/gate approve qa")
    world.say("ben", "/gate withdraw qa")
    assert states(world)[-1] == "success"
    world.say("mona", "/gate withdraw qa")
    assert states(world)[-1] == "pending"
    world.say("mona", "/gate approve qa")
    assert states(world)[-1] == "success"


def test_acts__several_lines_are_several_commands() -> None:
    world = World()
    world.say("mona", "/gate approve qa\n/gate approve build\n")
    assert [item.command.phase for item in ledger(world).acts] == ["qa", "build"]


@pytest.mark.parametrize("who", ["eve", "helper[bot]", "octo-dev", "ana"])
def test_acts__not_by_a_stranger_a_bot_the_author_or_an_agent(who: str) -> None:
    world = ready_for_approval()
    world.permissions["helper[bot]"] = "admin"
    world.say(who, "/gate approve qa")
    assert refused(world) & {"PG210", "PG211", "PG212"}


def test_acts__not_by_an_agent_that_spoke_only_on_the_issue() -> None:
    world = World()
    world.say("mona", "## jkz:architect\n\nThe plan.\n", on=12)
    world.say("mona", "/gate approve qa")
    assert (act(world).counts, codes(world) >= {"PG212"}) == (False, True)


@pytest.mark.parametrize(("words", "recorded"), [("Looks good.", "invalid"), ("This must FAIL.", "FAIL")])
def test_acts__a_badly_formed_word_makes_nobody_an_agent(words: str, recorded: str) -> None:
    world = World()
    said = world.say("mona", f"## jkz:judge\n\n{words}\n")
    world.on_record(said, outcome=recorded, who="mona")
    world.say("mona", "/gate approve qa")
    assert act(world).counts


def test_acts__a_fail_that_was_edited_into_a_badly_formed_one_was_said() -> None:
    world = World()
    world.edit(world.judges("judge", "FAIL", who="mona"), "## jkz:judge\n\nFAIL\n", "mona")
    world.say("mona", "/gate approve qa")
    assert not act(world).counts


@pytest.mark.parametrize("history", [True, False])
def test_acts__not_by_an_account_whose_fail_on_record_cannot_be_read(history: bool) -> None:  # noqa: FBT001
    world = World()
    said = world.say("mona", "## jkz:judge\n\nFAIL\n")
    world.on_record(said, who="mona")
    world.say("mona", "/gate approve qa")
    if history:
        world.delete(said, "mona")
    else:
        said |= {"edited_at": world.tick(), "editor": PEOPLE["mona"]}
    assert not act(world).counts


def test_acts__not_by_an_agent_that_spoke_after_the_approval() -> None:
    world = ready_for_approval()
    world.say("mona", "/gate approve qa")
    world.judges("judge", who="mona")
    assert not ledger(world).acts[-1].counts


def test_acts__by_a_person_who_only_quoted_an_agent() -> None:
    world = ready_for_approval()
    world.say("mona", "Is this right?\n\n> " + block('{"verdict": "PASS", "issues": []}').replace("\n", "\n> "))
    world.say("mona", "/gate approve qa")
    assert states(world)[-1] == "success"


def test_acts__not_where_somebody_else_wrote_the_command_in() -> None:
    world = ready_for_approval()
    said = world.say("mona", "I shall look at it tomorrow.")
    world.edit(said, "/gate approve qa", "octo-dev")
    assert refused(world) == {"PG205"}


def test_acts__an_approval_taken_back_by_an_edit_is_none() -> None:
    world = ready_for_approval()
    said = world.say("mona", "/gate approve qa")
    assert states(world)[-1] == "success"
    world.edit(said, "I have changed my mind.", "mona")
    assert states(world)[-1] == "pending"


def test_acts__an_approval_written_in_by_its_author_counts_from_the_edit() -> None:
    world = World()
    said = world.say("mona", "Looking.")
    world.planned()
    world.built()
    world.judges("sentinel")
    world.judges("lens")
    world.edit(said, "/gate approve qa", "mona")
    assert states(world)[-1] == "success"


@pytest.mark.parametrize(("text", "on", "code"), [
    ("/gate approve test", {}, "PG213"),
    ("/gate approve plan", {}, "PG209"),
    ("/gate approve qa", {"on": 12}, "PG209"),
    ("/gate approve", {}, "PG214"),
    ("/gate aprove qa", {}, "PG214"),
    ("/gate resume qa", {}, "PG215"),
    ("/gate override qa:", {}, None),
])  # fmt: skip
def test_acts__what_does_not_fit_says_why(text: str, on: dict[str, int], code: str | None) -> None:
    world = ready_for_approval()
    world.say("mona", text, **on)
    assert not ledger(world).acts[-1].counts
    assert {code} - {None} <= refused(world)


def test_acts__on_a_foreign_issue_are_not_even_read() -> None:
    world = World()
    world.issue(3, repository="eve/elsewhere")
    world.say("mona", "/gate approve plan", on=3)
    assert ledger(world).acts == ()


def test_acts__are_in_order_of_time() -> None:
    world = World()
    first = world.say("mona", "/gate approve qa")
    second = world.say("ben", "/gate approve build")
    first["created_at"], second["created_at"] = second["created_at"], first["created_at"]
    assert [item.command.phase for item in ledger(world).acts] == ["build", "qa"]


def test_acts__no_override_where_the_policy_forbids_it() -> None:
    world = World(policy="version: 1\noverrides: false\n")
    world.say("mona", "/gate override build: the cluster is down")
    assert (act(world).counts, states(world)[1]) == (False, "pending")


def test_acts__no_override_by_the_author_or_an_agent() -> None:
    world = World()
    world.judges("judge", "FAIL")
    for who in ("octo-dev", "ana", "eve"):
        world.say(who, "/gate override build: trust me")
    assert states(world)[1] == "failure"


def test_acts__a_review_carries_commands_too() -> None:
    world = ready_for_approval()
    world.review("mona", "/gate approve qa", state="APPROVED")
    assert states(world)[-1] == "success"


@pytest.mark.parametrize("state", ["PENDING", "DISMISSED"])
def test_acts__a_review_not_given_or_taken_back_approves_nothing(state: str) -> None:
    world = ready_for_approval()
    world.review("mona", "/gate approve qa", state=state)
    assert states(world)[-1] == "pending"


def test_acts__a_review_of_an_older_commit_approves_that_one() -> None:
    world = World()
    world.push("b")
    world.planned()
    world.built()
    world.judges("sentinel")
    world.judges("lens")
    world.review("mona", "/gate approve qa", at="a")
    assert states(world)[-1] == "pending"


def test_acts__not_in_an_edited_comment_whose_past_is_not_known() -> None:
    world = ready_for_approval()
    said = world.say("mona", "Hm.")
    world.edit(said, "Hm!", "mona")
    world.edit(said, "/gate approve qa", "mona")
    said["history"] = [said["history"][0], said["history"][-1]]
    said["history_complete"] = False
    assert states(world)[-1] == "pending"


def test_acts__a_verdict_and_a_command_in_one_comment_make_an_agent() -> None:
    world = World()
    world.say("mona", "/gate approve qa\n\n" + verdict("judge"))
    assert not act(world).counts
