"""Hostile text in every field of a report: wherever it is shown, it is text and nothing else."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from phasegate.cli.replay import show
from phasegate.cli.terminal import Terminal
from phasegate.model.plan import COMMENT_MARKER
from phasegate.model.report import Report, Task
from phasegate.report.annotations import annotation_lines, check_draft
from phasegate.report.data import report_text
from phasegate.report.html import timeline_page
from phasegate.report.status import status_lines
from phasegate.report.summary.page import comment_text, issue_drafts, summary
from phasegate.report.tasks import next_action
from phasegate.report.timeline import timeline
from tests.casebook.decided import snapshot_of
from tests.casebook.every import STORIES
from tests.chance import examples
from tests.pictures import KINDS, report_of_kind
from tests.unit.report.builders import BASE, failing_report
from tests.unit.report.oracle import NASTY, PAGE, alive, commands, rendering
from tests.unit.report.pages import assert_page_inert
from tests.unit.report.poison import poisoned

KEPT = ("repository", "url", "head")
SHOWN = [kind for kind in KINDS if kind != "huge"]
# What makes something of a text on GitHub, in a terminal or in a runner's log, to be put together in any order.
PARTS = (
    *("`", "``", "|", "\\", "<", ">", "&", "#", "@", ":", "::", "##[", "[x]", "(y)", "![", "](", "*", "_", "~~", "$",
      "/"),
    *("\n", "\r", "\t", " ", "\x1b[31m", "\x9b", "\u202e", "\u200b", "\u2028", "\ud800", "\U000e0041", "\x00"),
    *("octocat", "https://evil.example", "www.evil.example", "GH-1", "deadbeef", "1.", "- ", "<b>", "<!--", "-->"),
    *("</details>", "</summary>", "error", ":tada:", "/gate approve qa", "a", "é", "漢"),
)  # fmt: skip
hostile = st.lists(st.sampled_from(PARTS), min_size=1, max_size=12).map("".join)
ESCAPES = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def assert_inert(report: Report) -> None:
    """Nothing that came from a text does anything anywhere."""
    texts = [summary(report), comment_text(report, ("error", "octocat"))]
    for text in texts:
        shown = rendering(text.removeprefix(COMMENT_MARKER))
        assert shown.tags <= PAGE
        assert all(link.startswith(f"{BASE}/") for link in shown.links)
        assert {*alive(shown)} <= {f"#{report.pull_request}", "#12", "#7"}
        assert all(len(set(table)) == 1 for table in shown.tables)
    lines = [line.description for line in status_lines(report)]
    snapshot = snapshot_of(STORIES["feature-green"].world())
    check = check_draft(report, snapshot)
    marks = [part for each in check.annotations for part in (each.title, each.message, each.details)]
    printed = [*texts, *lines, next_action(report), check.title, check.summary, *marks]
    printed += [draft.body for draft in issue_drafts(report)] + [report_text(report), on_screen(report)]
    for text in printed:
        assert commands(text) == []
        assert not ESCAPES.search(text)
    assert all(line.count("::") == 2 for line in annotation_lines(report, snapshot))


def on_screen(report: Report) -> str:
    """What a terminal shows, without the colours that are ours."""
    out = Screen()
    show(report, Terminal(stdin=io.StringIO(), stdout=out, stderr=io.StringIO(), environ={"COLUMNS": "80"}))
    return re.sub("\x1b\\[[0-9;]+m", "", out.getvalue())


class Screen(io.StringIO):
    """An output that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.sampled(4)  # of each text some kinds, and not the same ones
@pytest.mark.parametrize(("text", "kind"), [(text, kind) for text in NASTY for kind in SHOWN])
def test_hostile__every_kind_of_report_is_inert(text: str, kind: str) -> None:
    assert_inert(poisoned(report_of_kind(kind), text, spare=KEPT))


@pytest.mark.parametrize("text", NASTY)
def test_hostile__so_is_one_that_is_hostile_throughout(text: str) -> None:
    assert_inert(replace(poisoned(failing_report(), text), pull_request=12))
    report = poisoned(failing_report(), text, spare=KEPT)
    snapshot = snapshot_of(STORIES["feature-green"].world())
    assert_page_inert(
        timeline_page(timeline(snapshot, report, lambda times: dict.fromkeys(times, (report.state, text))), report)
    )


@given(text=hostile)
@examples(60)
def test_hostile__any_mixture_is_inert(text: str) -> None:
    for given_report in (failing_report(), report_of_kind("overridden"), report_of_kind("refused")):
        assert_inert(poisoned(given_report, text, spare=KEPT))


def granting(task: Task, login: str) -> Task:
    """The same task with a line of policy for another account."""
    return task if task.grant is None else replace(task, grant=replace(task.grant, login=login))


@pytest.mark.parametrize("login", [login for login in NASTY if login])
def test_hostile__a_bot_has_no_say_in_the_line_for_the_policy(login: str) -> None:
    report = report_of_kind("refused")
    text = summary(replace(report, tasks=tuple(granting(task, login) for task in report.tasks)))
    block = re.search(r"^(`{3,})text\n(.*?)\n\1$", text, re.DOTALL | re.MULTILINE)
    assert block
    assert len(block[2].splitlines()) == 1
    (entry,) = yaml.safe_load(block[2])["agents"]["accounts"]
    assert (entry["id"], entry["app_id"], entry["roles"]) == (555, 777, ["judge"])
    assert rendering(text).tags <= PAGE
