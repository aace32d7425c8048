"""The timeline: every event is a mark, the state after each is decided, and the page is small and does nothing."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import cycle
from pathlib import Path

import pytest

from phasegate.cli import replay
from phasegate.cli.terminal import Terminal
from phasegate.dialects.dialect import Known
from phasegate.gate import judge, judge_state
from phasegate.model.past import as_of
from phasegate.model.report import State
from phasegate.model.snapshot import Snapshot
from phasegate.report.html import timeline_page
from phasegate.report.status import describe
from phasegate.report.timeline import BAD, GOOD, IDLE, Said, Timeline, timeline
from tests.casebook.attacks.every import ATTACKS
from tests.casebook.decided import report_of, snapshot_of
from tests.casebook.every import STORIES
from tests.casebook.story import Story
from tests.casebook.world import World, verdict
from tests.unit.cli.shell import FAILED, GREEN, Shell
from tests.unit.report.oracle import NASTY
from tests.unit.report.pages import assert_page_inert
from tests.unit.report.poison import poison

EVERY = sorted([*STORIES.values(), *ATTACKS.values()], key=lambda story: story.name)


def line_of(world: World, most: int = 10_000) -> Timeline:
    """The timeline of a world, with that many states."""
    snapshot = snapshot_of(world)
    return timeline(snapshot, judge(snapshot), lambda times: afresh(snapshot, times[:most]))


def afresh(snapshot: Snapshot, times: Sequence[str]) -> dict[str, Said]:
    """What is said at each time by a run that knows of no other."""
    reports = {at: judge_state(as_of(snapshot, at)) for at in times}
    return {at: (report.state, describe(report)) for at, report in reports.items()}


def busy() -> World:
    """One event of each kind."""
    world = World().planned()
    fail = world.judges("judge", "FAIL")
    world.edit(fail, "Never mind.", "ana")
    fail["history"][0] |= {"deleted_at": world.tick(), "deleted_by": fail["author"]}
    review = world.push("b").label("bug").review("ben", "No.", state="CHANGES_REQUESTED")
    world.dismiss(review, "mona").link(13).unlink(13).close().reopen().passed_by("judge")
    world.changes["deleted_comments"] = [{"at": world.tick(), "actor": None, "author": None}]
    return world.says("mona", "/gate approve everything")


def test_timeline__has_a_mark_for_every_event() -> None:
    line = line_of(busy())
    told = [f"{mark.sign} {mark.lane} {mark.who}: {mark.what}" for moment in line.moments for mark in moment.marks]
    for part in (
        "○ pull request octo-dev: opened #7",
        "✓ plan ana: Auditor: PASS",
        "★ plan mona: /gate approve plan",
        "✗ build ana: Judge: FAIL on 86f7e43",
        "✎ build ana: removed a version from the history",
        "↑ pull request octo-dev: pushed e9d71f5",
        "# pull request mona: set label bug on #12",
        "⊘ pull request mona: dismissed the review of ben",
        "↔ pull request octo-dev: unlinked issue octo/shop#13",
        "○ pull request octo-dev: closed the pull request",
        "⌫ pull request somebody: deleted a comment of somebody",
        "★ pull request mona: /gate approve everything",
    ):
        assert part in told, told
    tones = {mark.what: mark.tone for moment in line.moments for mark in moment.marks}
    assert (tones["Auditor: PASS"], tones["Judge: FAIL on 86f7e43"]) == (GOOD, IDLE)
    assert BAD in {mark.tone for moment in line_of(STORIES["judge-failed"].world()).moments for mark in moment.marks}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("story", EVERY[::25], ids=lambda story: story.name)
def test_timeline__every_word_and_act_has_a_mark_and_the_last_state_is_the_present(story: Story) -> None:
    report, snapshot = report_of(story), snapshot_of(story.world())
    line = timeline(snapshot, report, partial(afresh, snapshot))
    marks = [mark for moment in line.moments for mark in moment.marks]
    sources = [item.vote.signal.source for item in report.signals] + [act.command.source for act in report.acts]
    assert {(source.at, source.url) for source in sources} <= {(mark.at, mark.url) for mark in marks}
    assert {mark.lane for mark in marks} <= set(line.lanes)
    assert line.moments[-1].state is report.state
    known: Known = {}
    for moment in line.moments[-2:-20:-1]:
        cut = as_of(snapshot, moment.at)
        assert judge_state(cut, known) == judge_state(cut), moment.at
    assert_page_inert(timeline_page(line, report))


def test_timeline__a_thread_is_a_mark_and_holds_nothing_before_it_was_there() -> None:
    world = STORIES["two-of-three-with-a-finding"].world()
    before, now = line_of(world).moments[-2:]
    (mark,) = now.marks
    assert (before.state, now.state) == (State.SUCCESS, State.FAILURE)
    assert (mark.lane, mark.tone, mark.what) == ("build", BAD, "Copilot: finding in src/auth.py")
    assert (mark.why, mark.text) == ("stands: its thread is open", world.changes["threads"][0]["text"])
    resolved = line_of(ATTACKS["fixed-and-reverted"].world())
    raised = next(moment for moment in resolved.moments if "finding" in moment.marks[0].what)
    assert "a thread of that time was resolved or edited since" in raised.doubts


def test_timeline__there_is_no_state_before_there_is_a_pull_request() -> None:
    first, opened, *_ = line_of(busy()).moments
    assert (first.state, first.said) == (None, "there was no pull request yet")
    assert opened.state is State.PENDING
    assert "was not worked out" not in " ".join(line_of(busy()).notes)


def test_timeline__of_too_much_says_what_was_not_worked_out() -> None:
    line = line_of(busy(), most=5)
    states = [moment.state is None for moment in line.moments]
    assert states == sorted(states, reverse=True)
    assert any(f"after the first {sum(states) - 1} events was not worked out" in note for note in line.notes)


@pytest.mark.parametrize("text", NASTY)
def test_timeline__hostile_text_in_every_field_is_text(text: str) -> None:
    snapshot = snapshot_of(busy())
    report = judge(snapshot)
    line = timeline(snapshot, report, lambda times: dict.fromkeys(times, (report.state, describe(report))))
    moments = tuple(poison(moment, text, spare=("lane", "sign", "tone")) for moment in line.moments)
    bad = poison(report, text, spare=("repository", "url", "head", "name"))
    assert_page_inert(timeline_page(replace(line, moments=moments, notes=(text,)), bad))


@pytest.mark.parametrize("text", ["<&\"'" * 900, "語" * 4000])
def test_page__of_a_thousand_events_is_small(text: str) -> None:
    world = World()
    world.planned()
    for number in range(250):
        world.push(f"c{number}")
        for role in ("judge", "inspector", "sentinel"):
            world.say("ana", verdict(role) + text)
    said = cycle((state, text[:140]) for state in State)
    snapshot = snapshot_of(world)
    report = judge(snapshot)
    line = timeline(snapshot, report, lambda times: dict(zip(times, said, strict=False)))
    assert sum(len(moment.marks) for moment in line.moments) >= 1000
    assert all(moment.state for moment in line.moments[2:])
    assert len(timeline_page(line, report).encode()) < 1_000_000


@pytest.mark.parametrize("command", [("check", "--snapshot", GREEN), ("replay", FAILED)])
def test_command__writes_the_page(shell: Shell, tmp_path: Path, command: tuple[str | Path, ...]) -> None:
    path = tmp_path / "timeline.html"
    done = shell(*command, "--html", path)
    assert done.err == ""
    assert_page_inert(path.read_text(encoding="utf-8"))
    assert shell(*command, "--html", tmp_path).is_a_mistake_of_the_user("--html")


def test_states__are_the_same_from_several_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = snapshot_of(busy())
    times = [said.created_at for said in snapshot.comments][::-1]
    terminal = Terminal(stdin=io.StringIO(), stdout=io.StringIO(), stderr=io.StringIO(), environ={})
    monkeypatch.setattr(replay, "FEW", 0)
    monkeypatch.setattr(replay, "JOBS", 2)
    assert replay.states(snapshot, terminal, 100, times) == afresh(snapshot, times)
    monkeypatch.setattr(replay, "JOBS", 1)
    assert replay.states(snapshot, terminal, 100, times) == afresh(snapshot, times)
    assert list(replay.states(snapshot, terminal, 0, times)) == times[:1]
