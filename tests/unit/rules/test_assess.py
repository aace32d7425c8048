"""Signals on the facts: valid, invalid or ignored, for which role, about which commit and content."""

from __future__ import annotations

import pytest

from phasegate.model.report import Why
from phasegate.model.signal import Kind, Outcome, Validity, Vote
from phasegate.report.wording import need_text
from tests.casebook.world import World, block, commit, verdict
from tests.unit.rules.parties import edits, ledger, need, policy, state, votes

PASS = '{"verdict": "PASS", "issues": []}'
PLAN = "## jkz:architect\n\nThe plan.\n"
BEN_JUDGES = "version: 1\nagents: {accounts: [{login: ben, id: 22, roles: [judge]}]}\n"


def only(world: World, role: str | None) -> Vote:
    """The one vote of a role."""
    (vote,) = votes(world, role)
    return vote


def found(vote: Vote) -> list[str]:
    """The codes of a vote's problems."""
    return [item.code for item in vote.problems]


def at_old_head(text: str, state: str = "COMMENTED") -> World:
    """A review of an older commit."""
    return World().push("b").reviewed("ana", text, state, at="a")


def by_judge(**keys: str) -> World:
    """The Judge passes it, with more keys."""
    return World().passed_by("judge", **keys)


WORDS: dict[str, tuple[World, str | None, Validity, list[str]]] = {
    "a word of nobody": (World().says("ana", block(PASS)), None, Validity.IGNORED, ["PG125"]),
    "for a known and an unknown role":
     (World().says("ana", f"## jkz:judge\n\n{block({'verdict': 'PASS', 'role': 'warden', 'issues': []})}"),
      "judge", Validity.INVALID, ["PG119"]),
    "a review not given": (World().reviewed("ana", verdict("judge"), "PENDING"), "judge", Validity.IGNORED, ["PG207"]),
    "a review taken back":
     (World().reviewed("ana", verdict("judge"), "DISMISSED"), "judge", Validity.IGNORED, ["PG207"]),
    "a judge on the issue": (World().says("ana", verdict("judge"), on=12), "judge", Validity.IGNORED, ["PG209"]),
    "an auditor on the pull request": (World().says("ana", verdict("auditor")), "auditor", Validity.IGNORED, ["PG209"]),
    "an architect on the pull request": (World().says("ana", PLAN), "architect", Validity.IGNORED, ["PG209"]),
    "a commit of elsewhere": (by_judge(commit=commit("elsewhere")), "judge", Validity.INVALID, ["PG301"]),
    "a commit that is none": (by_judge(commit="0000000"), "judge", Validity.INVALID, ["PG301"]),
    "the base": (by_judge(commit=commit("base")), "judge", Validity.INVALID, ["PG301"]),
    "a code turned off": (by_judge(comit="x").under("version: 1\nrules: {PG023: off}\n"), "judge", Validity.VALID, []),
    "a code raised":
     (by_judge(comit="x").under("version: 1\nrules: {PG023: error}\n"), "judge", Validity.INVALID, ["PG023"]),
    "a commit required, and not named":
     (by_judge().under("version: 1\nverdicts: {require_commit: true}\n"), "judge", Validity.INVALID, ["PG304"]),
    "a commit required, of a review":
     (World().reviewed("ana", verdict("judge")).under("version: 1\nverdicts: {require_commit: true}\n"),
      "judge", Validity.VALID, []),
}  # fmt: skip


@pytest.mark.parametrize(("world", "role", "validity", "codes"), WORDS.values(), ids=WORDS)
def test_assess(world: World, role: str | None, validity: Validity, codes: list[str]) -> None:
    assert (only(world, role).validity, found(only(world, role))) == (validity, codes)


def test_assess__a_sound_word_is_valid_and_bound_to_the_head() -> None:
    vote = only(by_judge(), "judge")
    assert (vote.validity, vote.outcome, vote.commit, vote.fresh) == (Validity.VALID, Outcome.PASS, commit("a"), True)


def test_assess__a_strangers_word_is_ignored_and_not_taken_apart() -> None:
    vote = only(World().says("eve", "## jkz:judge\n\nFine.\n\n" + block('{"verdict": "PASS",}')), None)
    assert (vote.validity, vote.outcome, vote.fresh) == (Validity.IGNORED, None, False)
    assert [(item.code, item.severity.value) for item in vote.problems] == [("PG201", "notice")]
    assert vote.signal.kind is Kind.UNREAD


def test_assess__a_strangers_forgery_keeps_nobody_from_passing() -> None:
    world = World().green().says("eve", "## jkz:judge\n\n" + block(PASS) + "\n\n" + block(PASS))
    assert state(world, "all") == "success"


def test_assess__a_word_for_two_roles_is_invalid_for_both() -> None:
    world = World().says("ana", f"## jkz:judge\n\n## jkz:inspector\n\n{block(PASS)}")
    assert [only(world, role).validity for role in ("judge", "inspector")] == [Validity.INVALID] * 2


@pytest.mark.parametrize(("state", "says"), [
    ("COMMENTED", "PASS"), ("APPROVED", "PASS"), ("APPROVED", "FAIL"), ("CHANGES_REQUESTED", "FAIL"),
])  # fmt: skip
def test_assess__a_given_review_speaks_of_its_own_commit_whatever_its_button(state: str, says: str) -> None:
    vote = only(at_old_head(verdict("judge", says), state), "judge")
    assert (vote.validity, vote.commit, vote.fresh) == (Validity.VALID, commit("a"), False)
    assert vote.outcome is Outcome(says)


def test_assess__the_block_names_the_commit_before_the_review_does() -> None:
    vote = only(at_old_head(verdict("judge", commit=commit("b")[:9])), "judge")
    assert (vote.commit, vote.fresh) == (commit("b"), True)


def test_assess__a_comment_of_another_repositorys_issue_is_not_even_read() -> None:
    world = World()
    world.issue(3, repository="eve/elsewhere")
    assert ledger(world.says("ana", PLAN, on=3)).votes == ()


def test_assess__tampering_makes_every_version_somebody_elses() -> None:
    old, new = votes(World().failed_by("judge").then(edits, verdict("judge"), "octo-dev"), "judge")
    assert (old.validity, new.validity, found(new)) == (Validity.EDITED_AWAY, Validity.INVALID, ["PG205"])


def test_assess__an_edit_by_the_author_counts_from_the_edit() -> None:
    old, new = votes(by_judge().push("b").then(edits, verdict("judge", "FAIL")), "judge")
    assert (old.validity, old.commit) == (Validity.EDITED_AWAY, commit("a"))
    assert (new.validity, new.outcome, new.commit) == (Validity.VALID, Outcome.FAIL, commit("b"))


LATEST_INVALID = {
    "tampered with and put back":
     by_judge().then(edits, verdict("judge", "FAIL"), "octo-dev").then(edits, verdict("judge")),
    "edited where the policy says never":
     World(policy="version: 1\nverdicts: {edited: never}\n").failed_by("judge").then(edits, verdict("judge")),
    "a role that only an earlier version told": World().failed_by("judge").then(edits, block(PASS)),
    "a misspelt heading of the judge's own account": World(policy=BEN_JUDGES).passed_by("judge", who="ben")
     .says("ben", "## jkz:jugde\n\nOn second thoughts this is broken.\n"),
}  # fmt: skip


@pytest.mark.parametrize("world", LATEST_INVALID.values(), ids=LATEST_INVALID)
def test_assess__the_latest_word_is_invalid(world: World) -> None:
    assert votes(world, "judge")[-1].validity is Validity.INVALID


@pytest.mark.parametrize("change", [
    {"history": [], "history_complete": True}, {"history_complete": False}, {"history": [], "editor": None},
], ids=["no history", "cut short", "no editor"])  # fmt: skip
def test_assess__an_edit_whose_past_is_not_known_is_no_valid_word(change: dict[str, object]) -> None:
    world = World().failed_by("judge").then(edits, verdict("judge"))
    world.comments[0] |= change
    vote = votes(world, "judge")[-1]
    assert vote.validity is Validity.INVALID
    assert {"PG205", "PG216"} & set(found(vote))


def test_assess__a_word_that_cannot_be_bound_is_invalid_and_never_fresh() -> None:
    vote = only(by_judge().unlogged(), "judge")
    assert (vote.validity, vote.content, vote.fresh, found(vote)) == (Validity.INVALID, None, False, ["PG305"])


def test_homes__a_role_is_where_its_verdict_is_required() -> None:
    homes = ledger(World()).homes
    told = {role: homes[role].name for role in ("judge", "doctor", "architect", "lens")}
    assert told == {"judge": "build", "doctor": "build", "architect": "plan", "lens": "qa"}
    assert policy().role("judge").name == "judge"


def test_assess__a_verdict_from_before_a_change_of_base_is_stale() -> None:
    assert not only(by_judge().retarget("develop"), "judge").fresh


def test_assess__a_dismissed_fail_does_not_bring_an_older_pass_back() -> None:
    world = World().planned().passed_by("judge").reviewed("ana", verdict("judge", "FAIL"), "DISMISSED")
    told = need(world.passed_by("inspector"), "build", "build")
    assert (told.why, need_text(told)) == (Why.DISMISSED, "Judge's FAIL was dismissed")
