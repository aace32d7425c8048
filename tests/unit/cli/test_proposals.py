"""Filing proposals from the action: what the log says, and that a failure is told and not raised."""

from __future__ import annotations

import io

import pytest

from phasegate.cli.live import file_counted
from phasegate.cli.terminal import Terminal
from phasegate.model.report import Report
from tests.casebook.decided import report_of
from tests.casebook.every import STORIES
from tests.unit.github.writing.test_proposals import Tracker


@pytest.fixture
def terminal() -> Terminal:
    return Terminal(stdin=io.StringIO(), stdout=io.StringIO(), stderr=io.StringIO(), environ={})


def told(name: str) -> Report:
    return report_of(STORIES[name])


def said(terminal: Terminal) -> str:
    assert isinstance(terminal.stdout, io.StringIO)
    return terminal.stdout.getvalue()


def test_file__says_what_is_new_and_what_was_there(terminal: Terminal) -> None:
    tracker = Tracker()
    for _ in range(2):
        assert file_counted(tracker, told("proposal"), terminal)
    assert said(terminal).splitlines() == [
        "  proposal filed as #20: Check the expiry in the old API too",
        "  proposal is already #20: Check the expiry in the old API too",
    ]


@pytest.mark.parametrize("name", ["feature-green", "proposal-on-pass", "proposals-two", "proposal-by-stranger"])
def test_file__what_does_not_count_is_not_filed(name: str, terminal: Terminal) -> None:
    tracker = Tracker()
    assert file_counted(tracker, told(name), terminal)
    assert (tracker.asked, said(terminal)) == ([], "")


def test_file__a_failure_is_told(terminal: Terminal) -> None:
    tracker = Tracker()
    tracker.drops_labels = True
    assert not file_counted(tracker, told("proposal"), terminal)
    assert isinstance(terminal.stderr, io.StringIO)
    assert "octo/shop#7 could not be filed: #20 was filed without the label" in terminal.stderr.getvalue()


def test_file__a_hostile_title_is_no_command_to_the_runner(terminal: Terminal) -> None:
    assert file_counted(Tracker(), told("proposal-hostile"), terminal)
    assert "##[" not in said(terminal)
    assert not any(line.lstrip().startswith("::") for line in said(terminal).splitlines())
