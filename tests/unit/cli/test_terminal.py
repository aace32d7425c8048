"""Printing for people: columns, colours where they are wanted, and nothing foreign in its raw form."""

from __future__ import annotations

import io
from collections.abc import Mapping

import pytest

from phasegate.catalogue import problem
from phasegate.cli.terminal import GREEN, Terminal
from phasegate.model.problem import Where
from phasegate.model.report import State, StatusLine
from tests.unit.cli.shell import COMMAND, HOSTILE


class Screen(io.StringIO):
    """An output that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def terminal(out: io.StringIO, err: io.StringIO | None = None, environ: Mapping[str, str] | None = None) -> Terminal:
    """A terminal with this output."""
    return Terminal(stdin=io.StringIO(), stdout=out, stderr=err or io.StringIO(), environ=environ or {})


@pytest.mark.parametrize(
    ("out", "environ", "coloured"),
    [
        (Screen(), {}, True),
        (Screen(), {"NO_COLOR": "1"}, False),
        (Screen(), {"NO_COLOR": ""}, False),
        (io.StringIO(), {}, False),
    ],
    ids=["terminal", "unwanted", "unwanted even if empty", "pipe"],
)
def test_coloured__only_on_a_terminal_that_wants_it(
    out: io.StringIO, environ: dict[str, str], *, coloured: bool
) -> None:
    assert ("\x1b" in terminal(out, environ=environ).coloured("text", GREEN)) is coloured


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


def test_problems__show_place_severity_code_message_and_fix() -> None:
    out = io.StringIO()
    terminal(out).problems([problem("PG112", "message", Where(path="a.md", line=3, column=4), hint="do this")])
    assert out.getvalue() == "a.md:3:4: error PG112 message\n    fix: do this\n"


def test_problems__are_harmless_whatever_they_quote() -> None:
    out = io.StringIO()
    terminal(out).problems([problem("PG112", HOSTILE, Where(path=HOSTILE), hint=HOSTILE)])
    assert not COMMAND.search(out.getvalue())
    assert not {"\x1b", "\u202e", "\r"} & set(out.getvalue())
    assert len(out.getvalue().splitlines()) == 2


def test_complain__is_one_harmless_line_on_standard_error() -> None:
    out, err = io.StringIO(), io.StringIO()
    terminal(out, err).complain(HOSTILE)
    assert out.getvalue() == ""
    assert err.getvalue().startswith("phase-gate: ")
    assert len(err.getvalue().splitlines()) == 1
    assert not COMMAND.search(err.getvalue())


def test_say__without_a_text_is_an_empty_line() -> None:
    out = io.StringIO()
    terminal(out).say()
    assert out.getvalue() == "\n"
