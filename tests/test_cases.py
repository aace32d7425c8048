"""Whole pull requests: each story is decided, and what the gate says must be what was written down."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from difflib import unified_diff
from functools import cache
from pathlib import Path

import pytest

from phasegate.cli.demo import CASES as RECORDED
from phasegate.model.report import Disposition, NeedKind, NeedState, Report, State
from phasegate.model.signal import Validity
from phasegate.report.inert import plain
from phasegate.report.status import status_lines
from phasegate.report.summary.overview import CAREFUL, IDLE
from phasegate.report.summary.page import summary
from phasegate.report.wording import STATE_MARK, phase_title
from tests.casebook.attacks.attack import Attack
from tests.casebook.attacks.every import ATTACKS
from tests.casebook.chapters import CASES, HINT, REPORTS, chapter_text, chapters, full_text, path_of, sections_of
from tests.casebook.decided import report_of
from tests.casebook.every import DEMOS, FULL, STORIES
from tests.casebook.expectation import expectation
from tests.casebook.story import Story
from tests.casebook.update import demo_files
from tests.unit.report.oracle import PAGE, alive, rendering

CHAPTERS = chapters()
TOLD = [(chapter, story) for chapter, stories in CHAPTERS.items() for story in stories]


@cache
def written(path: Path) -> dict[str, str]:
    """What was written down of each story of a chapter."""
    return dict(sections_of(path.read_text(encoding="utf-8"))) if path.exists() else {}


def difference(expected: str, now: str) -> str:
    """Two texts line by line; nothing where they are the same."""
    before, after = (text.splitlines(keepends=True) for text in (expected, now))
    return "".join(unified_diff(before, after, "written down", "now"))


@pytest.mark.parametrize(("chapter", "story"), TOLD, ids=[f"{chapter}/{story.name}" for chapter, story in TOLD])
def test_case__is_decided_as_written_down_and_can_be_read(chapter: str, story: Story) -> None:
    report = report_of(story)
    assert_answered(story, report)
    now = expectation(story, report)
    assert "\n=== " not in f"\n{now}", "a line that begins so is the title of the next story"
    changed = difference(written(path_of(chapter)).get(story.name, ""), now)
    assert not changed, f"{HINT}\n{changed}"
    if isinstance(story, Attack):
        assert report.state is not State.SUCCESS
    else:
        assert_readable(report)


def assert_answered(story: Story, report: Report) -> None:
    """The answer is the one that a person wrote down with the story."""
    assert {phase.name: phase.state.value for phase in report.phases} == story.phases
    assert {problem.code for problem in report.problems} == story.codes
    assert report.state.value == story.state
    assert story.because in status_lines(report)[-1].description


def assert_readable(report: Report) -> None:
    """A person reads every phase, what is next and every problem on a page of plain elements."""
    page = summary(report)
    for phase in report.phases:
        marks = (STATE_MARK[phase.state], IDLE, CAREFUL)
        assert any(f"| {mark} | {phase_title(phase.name)} |" in page.replace("**", "") for mark in marks)
    assert report.state is State.SUCCESS or "**Next →** " in page
    assert rendering(page).tags <= PAGE
    issues = () if report.route is None else report.route.issues
    assert {*alive(rendering(page))} <= {f"#{report.pull_request}", *(f"#{issue.number}" for issue in issues)}
    told = re.sub(r"[\\`\u200b]", "", page)
    assert all(re.sub(r"[\\`\u200b]", "", plain(item.message))[:60] in told for item in report.problems)
    assert all(0 < len(line.description) <= 140 for line in status_lines(report))


@pytest.mark.parametrize("name", FULL)
def test_case__gives_the_whole_report_that_was_written_down(name: str) -> None:
    changed = difference(written(REPORTS).get(name, ""), full_text(name))
    assert not changed, f"{HINT}\n{changed}"


def test_cases__stand_in_their_chapters_in_order() -> None:
    files = {*map(path_of, CHAPTERS), REPORTS}
    assert {path for path in CASES.rglob("*") if path.is_file()} == files
    for chapter, stories in CHAPTERS.items():
        names = [name for name, _ in sections_of(path_of(chapter).read_text(encoding="utf-8"))]
        assert names == [story.name for story in stories], HINT
    assert len(TOLD) == len(STORIES) + len(ATTACKS)


@pytest.mark.parametrize("name", ["proposal-hostile", "tried-for-unknown-commits", "echoed-after-control"])
def test_expectation__is_short_and_hides_nothing(name: str) -> None:
    story = {**ATTACKS, **STORIES}[name]
    text = expectation(story, report_of(story))
    assert len(text.splitlines()) <= 16
    assert all(line.isprintable() for line in text.split("\n"))


def test_sections__are_found_again_whatever_a_story_says() -> None:
    story = replace(STORIES["feature-green"], says="First\n=== second")
    text = expectation(story, report_of(story))
    assert sections_of(chapter_text([story, story])) == [("feature-green", text)] * 2


def test_full_reports__have_every_shape() -> None:
    reports = [report_of(STORIES[name]) for name in FULL]
    needs = [need for report in reports for phase in report.phases for need in phase.needs]
    signals = [signal for report in reports for signal in report.signals]
    assert {need.kind for need in needs} == set(NeedKind)
    assert {need.state for need in needs} == set(NeedState)
    assert {signal.disposition for signal in signals} == set(Disposition)
    assert {signal.vote.validity for signal in signals} == set(Validity)
    assert {report.state for report in reports} == set(State)
    assert {shape for report in reports for shape in shapes(report)} == SHAPES


SHAPES = {
    *("no route", "one issue", "several issues", "quick", "qa optional"),
    *("one round", "several rounds", "findings", "fixed"),
    *("act counts", "act refused", "error", "warning", "notice"),
}


def shapes(report: Report) -> Iterator[str]:
    """What the lists and members of a report hold."""
    if report.route is None:
        yield "no route"
    else:
        yield "several issues" if len(report.route.issues) > 1 else "one issue"
        yield from ["quick"] * report.route.quick
        yield from ["qa optional"] * (not report.route.qa_required)
    for phase in report.phases:
        yield from ["several rounds" if len(phase.rounds) > 1 else "one round"] * bool(phase.rounds)
        yield from ("findings" for item in phase.rounds if item.findings)
        yield from ("fixed" for item in phase.rounds if item.fixed)
    yield from ("act counts" if act.counts else "act refused" for act in report.acts)
    yield from (problem.severity.value for problem in report.problems)


@pytest.mark.parametrize(("path", "text"), demo_files().items(), ids=DEMOS)
def test_demo__is_a_case(path: Path, text: str) -> None:
    assert path.read_text(encoding="utf-8") == text, HINT


def test_demos__are_all_told() -> None:
    assert {path.stem for path in RECORDED.iterdir()} == set(DEMOS)
