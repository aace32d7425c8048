"""Printing for people: columns, colours where they are wanted, and nothing foreign in its raw form."""

from __future__ import annotations

import io
import time
from collections.abc import Mapping

import pytest

from phasegate.catalogue import problem
from phasegate.cli.terminal import Colour, Terminal
from phasegate.model.problem import Where
from phasegate.model.report import State, StatusLine
from tests.unit.cli.shell import COMMAND, HOSTILE


class Screen(io.StringIO):
    """An output that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def terminal(out: io.StringIO, err: io.StringIO | None = None, environ: Mapping[str, str] | None = None) -> Terminal:
    return Terminal(stdin=io.StringIO(), stdout=out, stderr=err or io.StringIO(), environ=environ or {})


@pytest.mark.parametrize(
    ("out", "environ", "coloured"),
    [(Screen(), {}, True), (Screen(), {"NO_COLOR": "1"}, False), (Screen(), {"NO_COLOR": ""}, False),
     (Screen(), {"TERM": "dumb"}, False), (io.StringIO(), {}, False)],
    ids=["terminal", "unwanted", "unwanted even if empty", "dumb", "pipe"],
)  # fmt: skip
def test_coloured__only_where_that_is_wanted(out: io.StringIO, environ: dict[str, str], *, coloured: bool) -> None:
    assert ("\x1b" in terminal(out, environ=environ).coloured("text", Colour.GREEN)) is coloured


def test_statuses__stand_in_columns() -> None:
    out = io.StringIO()
    lines = [
        StatusLine(context="phase-gate/plan", state=State.SUCCESS, description="fine"),
        StatusLine(context="phase-gate", state=State.PENDING, description="waits"),
    ]
    terminal(out).statuses(lines)
    first, second = out.getvalue().splitlines()
    assert first.index("fine") == second.index("waits")
    assert first.index("phase-gate") == second.index("phase-gate")


@pytest.mark.parametrize(("told", "width"), [("60", 60), ("1", 40), ("999", 120), ("", 80), ("x", 80), ("0", 80)])
def test_width__is_the_terminals_within_reason(told: str, width: int) -> None:
    assert terminal(Screen(), environ={"COLUMNS": told}).width == width
    assert terminal(io.StringIO(), environ={"COLUMNS": told}).width is None


def test_paragraph__stays_to_the_right_of_its_lead() -> None:
    out = Screen()
    terminal(out, environ={"COLUMNS": "40", "NO_COLOR": ""}).paragraph("word " * 12, "  J1  ", Colour.GREEN)
    lines = out.getvalue().splitlines()
    assert lines[0].startswith("  J1  word")
    assert all(line.startswith("      word") for line in lines[1:])
    assert max(map(len, lines)) <= 40


def test_progress__tells_whoever_waits_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("phasegate.cli.terminal.PATIENCE", 0.01)
    err, pipe = Screen(), io.StringIO()
    with terminal(io.StringIO(), err).progress("Reading …"):
        time.sleep(0.2)
    with terminal(io.StringIO(), pipe).progress("Reading …"):
        time.sleep(0.05)
    assert "\r\x1b[KReading … 2 s" in err.getvalue()
    assert err.getvalue().endswith("\r\x1b[K")
    assert pipe.getvalue() == ""


def test_problems__are_wrapped_at_the_width_of_a_terminal() -> None:
    out = Screen()
    found = problem("PG112", "word " * 20, Where(path="a.md", line=3, column=4), hint="do " * 30)
    terminal(out, environ={"COLUMNS": "50"}).problems([found])
    lines = out.getvalue().splitlines()
    assert lines[0].startswith("a.md:3:4: \x1b[31merror\x1b[0m PG112 word")
    assert all(line.startswith("    ") for line in lines[1:])
    assert max(len(line.replace("\x1b[31m", "").replace("\x1b[0m", "")) for line in lines) <= 50


def test_problems__are_harmless_whatever_they_quote() -> None:
    out, err = io.StringIO(), io.StringIO()
    terminal(out, err).complain(HOSTILE)
    assert out.getvalue() == ""
    assert err.getvalue().startswith("phase-gate: ")
    terminal(out).problems([problem("PG112", HOSTILE, Where(path=HOSTILE), hint=HOSTILE)])
    assert not COMMAND.search(out.getvalue() + err.getvalue())
    assert not {"\x1b", "\u202e", "\r"} & set(out.getvalue())
    assert [len(each.getvalue().splitlines()) for each in (out, err)] == [2, 1]


def test_pipe__gets_whole_lines() -> None:
    out = io.StringIO()
    terminal(out).problems([problem("PG112", "message", Where(path="a.md", line=3, column=4), hint="do this")])
    terminal(out).say()
    assert out.getvalue() == "a.md:3:4: error PG112 message\n    fix: do this\n\n"
    terminal(out).paragraph("word " * 100)
    assert len(out.getvalue().splitlines()) == 4
