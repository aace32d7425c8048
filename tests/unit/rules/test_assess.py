"""Signals on the facts: valid, invalid or ignored, for which role, about which commit and content."""

from __future__ import annotations

import pytest

from phasegate.model.report import Why
from phasegate.model.signal import Kind, Outcome, Validity, Vote
from phasegate.report.wording import need_text
from tests.casebook.world import World, block, commit, verdict
from tests.unit.rules.parties import ledger, need, policy, states, votes

PASS = '{"verdict": "PASS", "issues": []}'


def only(world: World, role: str | None) -> Vote:
    """The one vote of a role."""
    (vote,) = votes(world, role)
    return vote


def found(vote: Vote) -> list[str]:
    """The codes of a vote's problems."""
    return [item.code for item in vote.problems]


def test_assess__a_sound_word_is_valid_and_bound_to_the_head() -> None:
    world = World()
    world.judges("judge")
    vote = only(world, "judge")
    assert (vote.validity, vote.outcome, vote.commit, vote.fresh) == (Validity.VALID, Outcome.PASS, commit("a"), True)


def test_assess__a_strangers_word_is_ignored_and_not_taken_apart() -> None:
    world = World()
    world.say("eve", "## jkz:judge\n\nFine.\n\n" + block('{"verdict": "PASS",}'))
    vote = only(world, None)
    assert (vote.validity, vote.outcome, vote.fresh) == (Validity.IGNORED, None, False)
    assert {item.severity.value for item in vote.problems} == {"notice"}
    assert found(vote) == ["PG201"]
    assert vote.signal.kind is Kind.UNREAD


def test_assess__a_strangers_forgery_keeps_nobody_from_passing() -> None:
    world = World()
    world.planned()
    world.built()
    world.tested()
    world.say("eve", "## jkz:judge\n\n" + block(PASS) + "\n\n" + block(PASS))
    assert states(world)[-1] == "success"


def test_assess__a_word_of_nobody_is_ignored() -> None:
    world = World()
    world.say("ana", block(PASS))
    assert (only(world, None).validity, found(only(world, None))) == (Validity.IGNORED, ["PG125"])


def test_assess__a_word_for_two_roles_is_invalid_for_both() -> None:
    world = World()
    world.say("ana", f"## jkz:judge\n\n## jkz:inspector\n\n{block(PASS)}")
    assert [only(world, role).validity for role in ("judge", "inspector")] == [Validity.INVALID] * 2


def test_assess__a_word_for_a_known_and_an_unknown_role_is_invalid() -> None:
    world = World()
    world.say("ana", f"## jkz:judge\n\n{block({'verdict': 'PASS', 'role': 'warden', 'issues': []})}")
    assert (only(world, "judge").validity, found(only(world, "judge"))) == (Validity.INVALID, ["PG119"])


@pytest.mark.parametrize("state", ["PENDING", "DISMISSED"])
def test_assess__a_review_not_given_or_taken_back_is_ignored(state: str) -> None:
    world = World()
    world.review("ana", verdict("judge"), state=state)
    assert (only(world, "judge").validity, found(only(world, "judge"))) == (Validity.IGNORED, ["PG207"])


@pytest.mark.parametrize(
    ("state", "says"), [("COMMENTED", "PASS"), ("APPROVED", "PASS"), ("CHANGES_REQUESTED", "FAIL")]
)
def test_assess__a_given_review_speaks_of_its_own_commit(state: str, says: str) -> None:
    world = World()
    world.push("b")
    world.review("ana", verdict("judge", says), state=state, at="a")
    vote = only(world, "judge")
    assert (vote.validity, vote.commit, vote.fresh) == (Validity.VALID, commit("a"), False)


def test_assess__the_block_names_the_commit_before_the_review_does() -> None:
    world = World()
    world.push("b")
    world.review("ana", verdict("judge", commit=commit("b")[:9]), at="a")
    assert (only(world, "judge").commit, only(world, "judge").fresh) == (commit("b"), True)


@pytest.mark.parametrize(("role", "on"), [("judge", {"on": 12}), ("auditor", {}), ("architect", {})])
def test_assess__words_at_the_wrong_place_are_ignored(role: str, on: dict[str, int]) -> None:
    world = World()
    text = "## jkz:architect\n\nThe plan.\n" if role == "architect" else verdict(role)
    world.say("ana", text, **on)
    assert (only(world, role).validity, found(only(world, role))) == (Validity.IGNORED, ["PG209"])


def test_assess__a_comment_of_another_repositorys_issue_is_not_even_read() -> None:
    world = World()
    world.issue(3, repository="eve/elsewhere")
    world.say("ana", "## jkz:architect\n\nThe plan.\n", on=3)
    assert ledger(world).votes == ()


def test_assess__tampering_makes_every_version_somebody_elses() -> None:
    world = World()
    said = world.judges("judge", "FAIL")
    world.edit(said, verdict("judge"), "octo-dev")
    old, new = votes(world, "judge")
    assert (old.validity, new.validity) == (Validity.EDITED_AWAY, Validity.INVALID)
    assert found(new) == ["PG205"]


def test_assess__tampering_and_putting_it_back_is_tampering_all_the_same() -> None:
    world = World()
    said = world.judges("judge")
    world.edit(said, verdict("judge", "FAIL"), "octo-dev")
    world.edit(said, verdict("judge"), "ana")
    assert votes(world, "judge")[-1].validity is Validity.INVALID


def test_assess__an_edit_by_the_author_counts_from_the_edit() -> None:
    world = World()
    said = world.judges("judge")
    world.push("b")
    world.edit(said, verdict("judge", "FAIL"), "ana")
    old, new = votes(world, "judge")
    assert (old.validity, old.commit) == (Validity.EDITED_AWAY, commit("a"))
    assert (new.validity, new.outcome, new.commit) == (Validity.VALID, Outcome.FAIL, commit("b"))


def test_assess__no_edited_word_counts_where_the_policy_says_never() -> None:
    world = World(policy="version: 1\nverdicts: {edited: never}\n")
    said = world.judges("judge", "FAIL")
    world.edit(said, verdict("judge"), "ana")
    assert votes(world, "judge")[-1].validity is Validity.INVALID


@pytest.mark.parametrize(
    "change",
    [{"history": [], "history_complete": True}, {"history_complete": False}, {"history": [], "editor": None}],
    ids=["no history", "cut short", "no editor"],
)
def test_assess__an_edit_whose_past_is_not_known_is_no_valid_word(change: dict[str, object]) -> None:
    world = World()
    said = world.judges("judge", "FAIL")
    world.edit(said, verdict("judge"), "ana")
    said |= change
    vote = votes(world, "judge")[-1]
    assert vote.validity is Validity.INVALID
    assert {"PG205", "PG216"} & set(found(vote))


@pytest.mark.parametrize(
    ("named", "code"), [(commit("elsewhere"), "PG301"), ("0000000", "PG301"), (commit("base"), "PG301")]
)
def test_assess__a_commit_that_never_was_the_head_is_invalid(named: str, code: str) -> None:
    world = World()
    world.judges("judge", commit=named)
    assert (only(world, "judge").validity, found(only(world, "judge"))) == (Validity.INVALID, [code])


def test_assess__a_word_that_cannot_be_bound_is_invalid_and_never_fresh() -> None:
    world = World()
    world.judges("judge")
    world.changes["ref_log"] = {"source": "none", "complete": False}
    vote = only(world, "judge")
    assert (vote.validity, vote.content, vote.fresh, found(vote)) == (Validity.INVALID, None, False, ["PG305"])


def test_assess__required_commits_are_required_of_reviews_only_in_their_own_way() -> None:
    world = World(policy="version: 1\nverdicts: {require_commit: true}\n")
    world.judges("judge")
    world.review("ana", verdict("inspector"))
    assert found(only(world, "judge")) == ["PG304"]
    assert found(only(world, "inspector")) == []


def test_assess__a_turned_off_code_is_not_reported_and_a_raised_one_makes_invalid() -> None:
    off, raised = World(policy="version: 1\nrules: {PG023: off}\n"), World(policy="version: 1\nrules: {PG023: error}\n")
    for world in (off, raised):
        world.judges("judge", comit="x")
    assert (only(off, "judge").validity, found(only(off, "judge"))) == (Validity.VALID, [])
    assert only(raised, "judge").validity is Validity.INVALID


def test_homes__a_role_is_where_its_verdict_is_required() -> None:
    homes = ledger(World()).homes
    assert {role: homes[role].name for role in ("judge", "doctor", "architect", "lens")} == {
        "judge": "build",
        "doctor": "build",
        "architect": "plan",
        "lens": "qa",
    }
    assert policy().role("judge").name == "judge"


def test_assess__a_review_that_asks_for_changes_with_a_pass_is_shown_with_its_word() -> None:
    """What GitHub's own buttons say is not a verdict; the block is."""
    world = World()
    world.review("ana", verdict("judge", "FAIL"), state="APPROVED")
    assert only(world, "judge").outcome is Outcome.FAIL


def test_assess__a_role_that_only_an_earlier_version_told_makes_no_valid_word() -> None:
    world = World()
    said = world.judges("judge", "FAIL")
    world.edit(said, block(PASS), "ana")
    assert votes(world, "judge")[-1].validity is Validity.INVALID


def test_assess__a_misspelt_heading_of_the_judges_own_account_is_its_latest_word() -> None:
    world = World(policy="version: 1\nagents: {accounts: [{login: ben, id: 22, roles: [judge]}]}\n")
    world.judges("judge", who="ben")
    world.say("ben", "## jkz:jugde\n\nOn second thoughts this is broken.\n")
    assert votes(world, "judge")[-1].validity is Validity.INVALID


def test_assess__a_verdict_from_before_a_change_of_base_is_stale() -> None:
    world = World()
    world.judges("judge")
    change = {"at": world.tick(), "before": "develop", "after": "main"}
    world.changes["pull_request"] = {**world.snapshot()["pull_request"], "base_changes": [change]}
    assert not only(world, "judge").fresh


def test_assess__a_dismissed_fail_does_not_bring_an_older_pass_back() -> None:
    world = World()
    world.planned()
    world.judges("judge")
    world.review("ana", verdict("judge", "FAIL"), state="DISMISSED")
    world.judges("inspector")
    found = need(world, "build", "build")
    assert (found.why, need_text(found)) == (Why.DISMISSED, "Judge's FAIL was dismissed")
