"""What was done with every signal: none that was read is lost, and each has its reason."""

from __future__ import annotations

import pytest

from phasegate.model.report import SignalReport
from phasegate.report.wording import disposition_text
from tests.casebook.world import World, block, commit, finding, verdict
from tests.unit.rules.parties import decided, edits, signals, votes

PROPOSAL = "\n<!-- jkz:propose-issue: Check the old API too -->\n"


def done(world: World, role: str | None) -> str:
    """What was done with each vote of a role."""
    return " ".join(item.disposition.value for item in signals(world, role))


def reason(world: World, item: SignalReport) -> str:
    """Why that was done with it."""
    return disposition_text(item, decided(world))


def two_issues() -> World:
    """Two issues, and both are planned."""
    world = World()
    world.issue(13)
    return world.planned(12).planned(13)


DONE: dict[str, tuple[World, str | None, str]] = {
    "the latest word of a needed role": (World().failed_by("judge"), "judge", "counted"),
    "what the role said before": (World().failed_by("judge").passed_by("judge"), "judge", "superseded counted"),
    "a stranger's word supersedes nobody": (World().passed_by("judge").failed_by("judge", "eve"), "judge", "counted"),
    "a stranger's word": (World().passed_by("judge").failed_by("judge", "eve"), None, "ignored"),
    "what no phase needs":
     (World().says("ana", f"## jkz:builder\n\nDone.\n\n{block({'verdict': 'COMPLETE'})}\n"), "builder", "shown"),
    "the judge on the quick route": (World().label("complexity:quick").built(), "judge", "counted"),
    "the inspector on the quick route": (World().label("complexity:quick").built(), "inspector", "shown"),
    "verdicts on two issues": (two_issues(), "auditor", "counted counted"),
}  # fmt: skip


@pytest.mark.parametrize(("world", "role", "expected"), DONE.values(), ids=DONE)
def test_disposition(world: World, role: str | None, expected: str) -> None:
    assert done(world, role) == expected


def test_disposition__superseded_is_an_older_version_too() -> None:
    world = World().failed_by("judge").then(edits, verdict("judge"))
    old, new = signals(world, "judge")
    assert (old.disposition.value, new.disposition.value) == ("superseded", "counted")
    assert old.id != new.id
    assert "history" in reason(world, old)


def test_disposition__stale_names_both_commits() -> None:
    world = World().passed_by("judge").push("b")
    (item,) = signals(world, "judge")
    assert item.disposition.value == "stale"
    assert all(commit(name)[:7] in reason(world, item) for name in "ab")


def test_disposition__invalid_says_why() -> None:
    world = World().says("ana", "## jkz:judge\n\nLooks good to me.\n")
    (item,) = signals(world, "judge")
    assert (item.disposition.value, reason(world, item)) == ("invalid", item.vote.problems[0].message)
    assert item.vote.why == item.vote.problems[0]


def test_disposition__ignored_says_why() -> None:
    world = World().passed_by("judge", who="eve")
    (item,) = signals(world, None)
    assert "eve has read permission" in reason(world, item)


def test_disposition__every_version_of_every_signal_is_in_the_report() -> None:
    world = World().planned().failed_by("judge").then(edits, "Never mind.").passed_by("judge", who="eve")
    world.says("ana", block('{"verdict": "PASS", "issues": []}')).reviewed("ana", verdict("lens"), "DISMISSED")
    assert len(decided(world).signals) == 3 + 2 + 1 + 1 + 1


def test_disposition__a_proposal_beside_a_verdict_is_shown() -> None:
    world = World().says("ana", verdict("judge", "FAIL") + PROPOSAL)
    kinds = {item.vote.signal.kind.value: item.disposition.value for item in signals(world, "judge")}
    assert kinds == {"verdict": "counted", "proposal": "shown"}


FAILED_AND_EDITED = World().failed_by("judge", issues=[finding("J7")], must_fix=["J7"]).then(edits, verdict("judge"))

REFUTED: dict[str, tuple[World, list[str], list[str]]] = {
    "an id that the challenger raised": (World().failed_by("judge"), ["J1"], []),
    "an id of another phase's challenger": (World().failed_by("sentinel"), ["S1"], ["S1"]),
    "an id that only a stranger raised": (World().failed_by("judge", "eve"), ["J1"], ["J1"]),
    "an id of an earlier round": (FAILED_AND_EDITED, ["J7"], []),
    "an id that nobody raised": (World().failed_by("judge"), ["J1", "J9"], ["J9", "has J1"]),
}  # fmt: skip


@pytest.mark.parametrize(("world", "names", "told"), REFUTED.values(), ids=REFUTED)
def test_references__of_refuted_ids_must_be_of_the_phases_challenger(
    world: World, names: list[str], told: list[str]
) -> None:
    vote = votes(world.passed_by("inspector", false_positives=names), "inspector")[-1]
    messages = [item.message for item in vote.problems if item.code == "PG117"]
    assert vote.passes
    assert len(messages) == bool(told)
    assert all(part in messages[0] for part in told)


def test_references__from_who_does_not_confirm_there_is_only_the_other_warning() -> None:
    vote = votes(World().passed_by("judge", false_positives=["I9"]), "judge")[-1]
    assert [item.code for item in vote.problems] == ["PG117"]
