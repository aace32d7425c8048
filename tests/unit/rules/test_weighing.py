"""Signals on the scales: valid, invalid or ignored, for which role, about which commit and content."""

from __future__ import annotations

import pytest

from phasegate.model.decision import Standing, Word
from phasegate.model.signal import Outcome
from tests.casebook.world import World, block, commit, verdict
from tests.unit.rules.court import hearing, need, policy, states, words

PASS = '{"verdict": "PASS", "issues": []}'


def only(world: World, role: str | None) -> Word:
    """The one word of a role."""
    (word,) = words(world, role)
    return word


def found(word: Word) -> list[str]:
    """The codes of a word's problems."""
    return [item.code for item in word.problems]


def test_weigh__a_sound_word_is_valid_and_bound_to_the_head() -> None:
    world = World()
    world.judges("judge")
    word = only(world, "judge")
    assert (word.standing, word.outcome, word.commit, word.fresh) == (
        Standing.VALID,
        Outcome.PASS,
        commit("a"),
        True,
    )


def test_weigh__a_strangers_word_is_ignored_and_its_faults_weigh_little() -> None:
    world = World()
    world.say("eve", "## jkz:judge\n\nFine.\n\n" + block('{"verdict": "PASS",}'))
    word = only(world, "judge")
    assert (word.standing, word.outcome, word.fresh) == (Standing.IGNORED, None, False)
    assert {item.severity.value for item in word.problems} == {"notice"}
    assert found(word) == ["PG201", "PG001"]


def test_weigh__a_strangers_forgery_keeps_nobody_from_passing() -> None:
    world = World()
    world.planned()
    world.built()
    world.tested()
    world.say("eve", "## jkz:judge\n\n" + block(PASS) + "\n\n" + block(PASS))
    assert states(world)[-1] == "success"


def test_weigh__a_word_of_nobody_is_ignored() -> None:
    world = World()
    world.say("ana", block(PASS))
    assert (only(world, None).standing, found(only(world, None))) == (Standing.IGNORED, ["PG125"])


def test_weigh__a_word_for_two_roles_is_invalid_for_both() -> None:
    world = World()
    world.say("ana", f"## jkz:judge\n\n## jkz:inspector\n\n{block(PASS)}")
    assert [only(world, role).standing for role in ("judge", "inspector")] == [Standing.INVALID] * 2


def test_weigh__a_word_for_a_known_and_an_unknown_role_is_invalid() -> None:
    world = World()
    world.say("ana", f"## jkz:judge\n\n{block({'verdict': 'PASS', 'role': 'warden', 'issues': []})}")
    assert (only(world, "judge").standing, found(only(world, "judge"))) == (Standing.INVALID, ["PG119"])


@pytest.mark.parametrize("state", ["PENDING", "DISMISSED"])
def test_weigh__a_review_not_given_or_taken_back_is_ignored(state: str) -> None:
    world = World()
    world.review("ana", verdict("judge"), state=state)
    assert (only(world, "judge").standing, found(only(world, "judge"))) == (Standing.IGNORED, ["PG207"])


@pytest.mark.parametrize("state", ["COMMENTED", "APPROVED", "CHANGES_REQUESTED"])
def test_weigh__a_given_review_speaks_of_its_own_commit(state: str) -> None:
    world = World()
    world.push("b")
    world.review("ana", verdict("judge"), state=state, at="a")
    word = only(world, "judge")
    assert (word.standing, word.commit, word.fresh) == (Standing.VALID, commit("a"), False)


def test_weigh__the_block_names_the_commit_before_the_review_does() -> None:
    world = World()
    world.push("b")
    world.review("ana", verdict("judge", commit=commit("b")[:9]), at="a")
    assert (only(world, "judge").commit, only(world, "judge").fresh) == (commit("b"), True)


@pytest.mark.parametrize(("role", "on"), [("judge", {"on": 12}), ("auditor", {}), ("architect", {})])
def test_weigh__words_at_the_wrong_place_are_ignored(role: str, on: dict[str, int]) -> None:
    world = World()
    text = "## jkz:architect\n\nThe plan.\n" if role == "architect" else verdict(role)
    world.say("ana", text, **on)
    assert (only(world, role).standing, found(only(world, role))) == (Standing.IGNORED, ["PG209"])


def test_weigh__a_comment_of_another_repositorys_issue_is_not_even_read() -> None:
    world = World()
    world.issue(3, repository="eve/elsewhere")
    world.say("ana", "## jkz:architect\n\nThe plan.\n", on=3)
    assert hearing(world).words == ()


def test_weigh__tampering_makes_every_version_somebody_elses() -> None:
    world = World()
    said = world.judges("judge", "FAIL")
    world.edit(said, verdict("judge"), "octo-dev")
    old, new = words(world, "judge")
    assert (old.standing, new.standing) == (Standing.EDITED_AWAY, Standing.INVALID)
    assert found(new) == ["PG205"]


def test_weigh__tampering_and_putting_it_back_is_tampering_all_the_same() -> None:
    world = World()
    said = world.judges("judge")
    world.edit(said, verdict("judge", "FAIL"), "octo-dev")
    world.edit(said, verdict("judge"), "ana")
    assert words(world, "judge")[-1].standing is Standing.INVALID


def test_weigh__an_edit_by_the_author_counts_from_the_edit() -> None:
    world = World()
    said = world.judges("judge")
    world.push("b")
    world.edit(said, verdict("judge", "FAIL"), "ana")
    old, new = words(world, "judge")
    assert (old.standing, old.commit) == (Standing.EDITED_AWAY, commit("a"))
    assert (new.standing, new.outcome, new.commit) == (Standing.VALID, Outcome.FAIL, commit("b"))


def test_weigh__no_edited_word_counts_where_the_policy_says_never() -> None:
    world = World(policy="version: 1\nverdicts: {edited: never}\n")
    said = world.judges("judge", "FAIL")
    world.edit(said, verdict("judge"), "ana")
    assert words(world, "judge")[-1].standing is Standing.INVALID


@pytest.mark.parametrize(
    "change",
    [
        {"history": [], "history_complete": True},
        {"history_complete": False},
        {"history": [], "editor": None},
    ],
    ids=["no history", "cut short", "no editor"],
)
def test_weigh__an_edit_whose_past_is_not_known_is_no_valid_word(change: dict[str, object]) -> None:
    world = World()
    said = world.judges("judge", "FAIL")
    world.edit(said, verdict("judge"), "ana")
    said |= change
    word = words(world, "judge")[-1]
    assert word.standing is Standing.INVALID
    assert {"PG205", "PG216"} & set(found(word))


@pytest.mark.parametrize(
    ("named", "code"), [(commit("elsewhere"), "PG301"), ("0000000", "PG301"), (commit("base"), "PG301")]
)
def test_weigh__a_commit_that_never_was_the_head_is_invalid(named: str, code: str) -> None:
    world = World()
    world.judges("judge", commit=named)
    assert (only(world, "judge").standing, found(only(world, "judge"))) == (Standing.INVALID, [code])


def test_weigh__a_word_that_cannot_be_bound_is_invalid_and_never_fresh() -> None:
    world = World()
    world.judges("judge")
    world.changes["ref_log"] = {"source": "none", "complete": False}
    word = only(world, "judge")
    assert (word.standing, word.content, word.fresh, found(word)) == (Standing.INVALID, None, False, ["PG305"])


def test_weigh__required_commits_are_required_of_reviews_only_in_their_own_way() -> None:
    world = World(policy="version: 1\nverdicts: {require_commit: true}\n")
    world.judges("judge")
    world.review("ana", verdict("inspector"))
    assert found(only(world, "judge")) == ["PG304"]
    assert found(only(world, "inspector")) == []


def test_weigh__a_turned_off_code_is_not_reported_and_a_raised_one_makes_invalid() -> None:
    off, raised = World(policy="version: 1\nrules: {PG023: off}\n"), World(policy="version: 1\nrules: {PG023: error}\n")
    for world in (off, raised):
        world.judges("judge", comit="x")
    assert (only(off, "judge").standing, found(only(off, "judge"))) == (Standing.VALID, [])
    assert only(raised, "judge").standing is Standing.INVALID


def test_phase_of__a_role_is_where_its_verdict_is_required() -> None:
    scales = hearing(World()).scales
    found_phases = {role: scales.phase_of(role) for role in ("judge", "doctor", "architect", "lens")}
    assert {role: phase.name for role, phase in found_phases.items() if phase} == {
        "judge": "build",
        "doctor": "build",
        "architect": "plan",
        "lens": "qa",
    }
    assert policy().role("judge").name == "judge"


def test_weigh__a_review_that_asks_for_changes_with_a_pass_is_shown_with_its_word() -> None:
    """What GitHub's own buttons say is not a verdict; the block is."""
    world = World()
    world.review("ana", verdict("judge", "FAIL"), state="APPROVED")
    assert only(world, "judge").outcome is Outcome.FAIL


def test_weigh__a_role_that_only_an_earlier_version_told_makes_no_valid_word() -> None:
    world = World()
    said = world.judges("judge", "FAIL")
    world.edit(said, block(PASS), "ana")
    assert words(world, "judge")[-1].standing is Standing.INVALID


def test_weigh__a_misspelt_heading_of_the_judges_own_account_is_its_latest_word() -> None:
    world = World(policy="version: 1\nagents: {accounts: [{login: ben, id: 22, roles: [judge]}]}\n")
    world.judges("judge", who="ben")
    world.say("ben", "## jkz:jugde\n\nOn second thoughts this is broken.\n")
    assert words(world, "judge")[-1].standing is Standing.INVALID


def test_weigh__a_verdict_from_before_a_change_of_base_is_stale() -> None:
    world = World()
    world.judges("judge")
    change = {"at": world.tick(), "before": "develop", "after": "main"}
    world.changes["pull_request"] = {**world.snapshot()["pull_request"], "base_changes": [change]}
    assert not only(world, "judge").fresh


def test_weigh__a_dismissed_fail_does_not_bring_an_older_pass_back() -> None:
    world = World()
    world.planned()
    world.judges("judge")
    world.review("ana", verdict("judge", "FAIL"), state="DISMISSED")
    world.judges("inspector")
    assert need(world, "build", "build").text == "Judge's FAIL was dismissed"
