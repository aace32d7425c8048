"""What was done with every signal: none that was read is lost, and each has its reason."""

from __future__ import annotations

from phasegate.model.report import SignalReport
from phasegate.report.wording import disposition_text
from tests.casebook.world import World, block, commit, verdict
from tests.unit.rules.parties import decided, signals


def done(world: World, role: str | None) -> list[str]:
    """What was done with each vote of a role."""
    return [item.disposition.value for item in signals(world, role)]


def reason(world: World, item: SignalReport) -> str:
    """Why that was done with it."""
    return disposition_text(item, decided(world))


def test_disposition__counted_is_the_latest_word_of_a_needed_role() -> None:
    world = World()
    world.judges("judge", "FAIL")
    assert done(world, "judge") == ["counted"]


def test_disposition__superseded_is_what_the_role_said_before() -> None:
    world = World()
    world.judges("judge", "FAIL")
    world.judges("judge")
    assert done(world, "judge") == ["superseded", "counted"]


def test_disposition__superseded_is_an_older_version_too() -> None:
    world = World()
    said = world.judges("judge", "FAIL")
    world.edit(said, verdict("judge"), "ana")
    old, new = signals(world, "judge")
    assert (old.disposition.value, new.disposition.value) == ("superseded", "counted")
    assert old.id != new.id
    assert "history" in reason(world, old)


def test_disposition__stale_names_both_commits() -> None:
    world = World()
    world.judges("judge")
    world.push("b")
    (item,) = signals(world, "judge")
    assert item.disposition.value == "stale"
    assert commit("a")[:7] in reason(world, item)
    assert commit("b")[:7] in reason(world, item)


def test_disposition__invalid_says_why() -> None:
    world = World()
    world.say("ana", "## jkz:judge\n\nLooks good to me.\n")
    (item,) = signals(world, "judge")
    assert (item.disposition.value, reason(world, item)) == ("invalid", item.vote.problems[0].message)
    assert item.vote.why == item.vote.problems[0]


def test_disposition__ignored_says_why_and_stays_in_the_report() -> None:
    world = World()
    world.judges("judge", who="eve")
    (item,) = signals(world, None)
    assert item.disposition.value == "ignored"
    assert "eve has read permission" in reason(world, item)


def test_disposition__a_strangers_word_supersedes_nobody() -> None:
    world = World()
    world.judges("judge")
    world.judges("judge", "FAIL", who="eve")
    assert (done(world, "judge"), done(world, None)) == (["counted"], ["ignored"])


def test_disposition__shown_is_what_no_phase_needs() -> None:
    world = World()
    world.say("ana", f"## jkz:builder\n\nDone.\n\n{block({'verdict': 'COMPLETE'})}\n")
    assert done(world, "builder") == ["shown"]


def test_disposition__shown_is_the_inspector_on_the_quick_route() -> None:
    world = World()
    world.label("complexity:quick")
    world.built()
    assert (done(world, "judge"), done(world, "inspector")) == (["counted"], ["shown"])


def test_disposition__a_verdict_on_one_issue_does_not_supersede_that_on_another() -> None:
    world = World()
    world.issue(13)
    world.planned(12)
    world.planned(13)
    assert done(world, "auditor") == ["counted", "counted"]


def test_disposition__every_version_of_every_signal_is_in_the_report() -> None:
    world = World()
    world.planned()
    said = world.judges("judge", "FAIL")
    world.edit(said, "Never mind.", "ana")
    world.judges("judge", who="eve")
    world.say("ana", block('{"verdict": "PASS", "issues": []}'))
    world.review("ana", verdict("lens"), state="DISMISSED")
    assert len(decided(world).signals) == 3 + 2 + 1 + 1 + 1


def test_disposition__a_proposal_beside_a_verdict_is_shown() -> None:
    world = World()
    world.say("ana", verdict("judge", "FAIL") + "\n<!-- jkz:propose-issue: Check the old API too -->\n")
    kinds = {item.vote.signal.kind.value: item.disposition.value for item in signals(world, "judge")}
    assert kinds == {"verdict": "counted", "proposal": "shown"}
