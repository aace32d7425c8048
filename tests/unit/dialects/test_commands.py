"""Human commands: exact, each the only text on a line that GitHub shows as a line of the comment."""

from __future__ import annotations

import time

import pytest

from phasegate.dialects.commands import read_commands
from phasegate.dialects.dialect import Text
from phasegate.model.signal import Command
from tests.unit.dialects.jkz.readers import HERE, SOURCE

PHASES = ("plan", "build", "qa")


def commands(text: str) -> list[Command]:
    """The commands in a text."""
    return list(read_commands(Text(source=SOURCE, where=HERE, body=text), PHASES))


def sound(text: str) -> list[tuple[str, str, str]]:
    """The commands in a text that nothing is wrong with."""
    return [(item.verb, item.phase, item.reason) for item in commands(text) if not item.problems]


@pytest.mark.parametrize(("text", "expected"), [
    ("/gate approve plan", ("approve", "plan", "")),
    ("  /gate approve plan  ", ("approve", "plan", "")),
    ("/gate\tapprove  plan", ("approve", "plan", "")),
    ("I have read it.\n/gate approve plan\nThanks!", ("approve", "plan", "")),
    ("/gate approve plan\r\nThanks!", ("approve", "plan", "")),
    ("/gate resume build: the test was flaky", ("resume", "build", "the test was flaky")),
    ("/gate override qa:no staging today", ("override", "qa", "no staging today")),
    ("/gate approve plan.", ("approve", "plan", "")),
    ("/Gate Approve PLAN!", ("approve", "plan", "")),
    ("/gate approve plan, thanks!", ("approve", "plan", "")),
    ("/gate approve plan Thanks", ("approve", "plan", "")),
    ("/gate approve plan: well done", ("approve", "plan", "well done")),
    ("/gate withdraw qa", ("withdraw", "qa", "")),
    ("/Gate Approve Plan", ("approve", "plan", "")),
    ("/gate approve qa: looked at it twice", ("approve", "qa", "looked at it twice")),
    ("/gate approve qa 3f2a91c", ("approve", "qa", "")),
])  # fmt: skip
def test_read_commands__reads(text: str, expected: tuple[str, str, str]) -> None:
    assert sound(text) == [expected]


@pytest.mark.parametrize("text", [
    "Please /gate approve plan", "`/gate approve plan`", "> /gate approve plan", ">/gate approve plan",
    "> He wrote\n/gate approve plan", "- /gate approve plan", "1. /gate approve plan", "    /gate approve plan",
    "```\n/gate approve plan\n```", "~~~\n/gate approve plan", "<!--\n/gate approve plan\n-->",
    "<!-- hidden\n\n/gate approve plan\n\n-->", "<details>\n\n/gate approve plan\n\n</details>",
    "<details>\n/gate approve plan\n</details>", "<pre>\n/gate approve plan\n</pre>",
    "a `b\n/gate approve plan\nc` d", 'see <a title="\n/gate approve plan\n">this</a>',
    "[x]: /url '\n/gate approve plan\n'", "[x](/url '\n/gate approve plan\n')", "a | b\n--|--\n/gate approve plan",
    "x[^1]\n\n[^1]: he wrote\n/gate approve plan", "**/gate approve plan**", "~~/gate approve plan~~",
    "~~I said:\n/gate approve plan\nand was wrong\\~~~", "\\~~~I said:\n/gate approve plan\nand was wrong~~",
    "/gateapprove plan", "//gate approve plan", "\uff0fgate approve plan",
])  # fmt: skip
def test_read_commands__what_is_quoted_shown_or_hidden_is_no_command(text: str) -> None:
    assert sound(text) == []


@pytest.mark.parametrize("text", [
    "/gate", "/gate approve", "/gate plan approve", "/gate aprove plan", "/gate approve plan now",
    "/gate approve plan 3f2a91", "/gate approve plan thanksgiving", "/gate approve plan? no",
    "/gate approve plan, not yet", "/gate approve plan, thanks but no", "/gate approve plan build",
    "/gate approve pl\u0430n", "/gate\u00a0approve plan", "/gate approve <plan>",
])  # fmt: skip
def test_read_commands__what_begins_like_one_and_is_none_says_so(text: str) -> None:
    assert [[problem.code for problem in item.problems] for item in commands(text)] == [["PG214"]]


@pytest.mark.parametrize(("text", "code", "line", "message"), [
    ("/gate resume build", "PG215", 1, ""), ("/gate override qa", "PG215", 1, ""),
    ("/gate resume build: \n", "PG215", 1, ""), ("Words.\n\n/gate approve\n", "PG214", 3, ""),
    ("/approve", "PG214", 1, "it names no phase"), ("/lgtm", "PG214", 1, "it names no phase"),
    ("Thanks!\n\n/LGTM\n", "PG214", 3, "it names no phase"),
])  # fmt: skip
def test_read_commands__what_is_missing_is_said_at_its_line(text: str, code: str, line: int, message: str) -> None:
    (command,) = commands(text)
    wrong = command.problems[0]
    assert (wrong.code, wrong.where.line, wrong.where.url) == (code, line, str(HERE))
    assert message in wrong.message


def test_read_commands__a_reason_ends_with_its_line() -> None:
    text = "/gate override qa: down until Monday\n/gate approve build"
    assert sound(text) == [("override", "qa", "down until Monday"), ("approve", "build", "")]


def test_read_commands__a_commit_may_follow_the_phase() -> None:
    found = commands("/gate approve qa 3F2A91C: as promised")
    assert [(item.commit, item.reason) for item in found] == [("3F2A91C", "as promised")]


@pytest.mark.parametrize(("text", "hint"), [
    ("/gate aprove plan", "Write /gate approve plan, alone on its line."),
    ("/gate approve plan now", "Write /gate approve plan, alone on its line, or /gate approve plan: <reason>."),
    ("/gate override qa late", "Write /gate override qa: <reason>."),
    ("`/gate approve plan`", "Write /gate approve plan, alone on its line."),
    ("- **/gate approve plan**", "Write /gate approve plan, alone on its line."),
    ("/gate overide qa: late", "Write /gate override qa: <reason>, alone on its line."),
    ("/gate resume build", "Write /gate resume build: <reason>, alone on its line."),
])  # fmt: skip
def test_read_commands__a_slip_is_answered_with_the_exact_line(text: str, hint: str) -> None:
    assert [item.problems[0].hint for item in commands(text)] == [hint]


@pytest.mark.parametrize(("text", "line"), [
    ("/approve qa", "/gate approve qa"),
    ("gate approve qa.", "/gate approve qa"),
    ("/gate-approve qa 3f2a91c", "/gate approve qa"),
    ("/gate_approve qa", "/gate approve qa"),
    ("\\/gate approve qa", "/gate approve qa"),
    ("@phase-gate approve qa, please", "/gate approve qa"),
    ("@helper[bot] /gate approve qa", "/gate approve qa"),
    ("/gate: approve qa", "/gate approve qa"),
    ("/gate approve: qa", "/gate approve qa"),
    ("/gate qa approve", "/gate approve qa"),
    ("/gate approve 3f2a91c qa", "/gate approve qa"),
    ("/gate lgtm qa", "/gate approve qa"),
    ("/gate reject qa", "/gate withdraw qa"),
    ("/gate retry build", "/gate resume build: <reason>"),
    ("/resume build: the test was flaky", "/gate resume build: <reason>"),
    ("# /gate approve qa", "/gate approve qa"),
    ("/gate approve qa\N{ZERO WIDTH SPACE}", "/gate approve qa"),
    ("/gate\N{NO-BREAK SPACE}approve qa", "/gate approve qa"),
    ("/gate approve the qa", "/gate approve qa"),
    ("/gate approve phase qa", "/gate approve qa"),
    ("/gate withdraw my approval of qa", "/gate withdraw qa"),
    ("/gate don't approve qa", "/gate withdraw qa"),
    ("1. /gate approve qa", "/gate approve qa"),
    ("```\n/gate approve qa\n```", "/gate approve qa"),
    ("    /gate approve qa", "/gate approve qa"),
    ("/gate approve qa\n---", "/gate approve qa"),
    ("Looks good to me, /gate approve qa", "/gate approve qa"),
])  # fmt: skip
def test_read_commands__a_try_is_answered_with_the_line(text: str, line: str) -> None:
    (command,) = commands(text)
    (wrong,) = command.problems
    assert (wrong.code, wrong.hint) == ("PG214", f"Write {line}, alone on its line.")


@pytest.mark.parametrize("text", [
    "/approve this", "/approve no-issue", "approve qa", "@mona please approve qa", "Let us investigate approve qa",
    "/gate-keeper of qa", "gate approve qa is what you have to write once you have looked at it", "> /approve qa",
    "```\n/approve qa\n```", "Navigate approve qa", "Once you have looked at it, write /gate approve qa",
    "Whoever can write /gate approve qa decides",
])  # fmt: skip
def test_read_commands__what_may_be_something_else_is_not_answered(text: str) -> None:
    assert commands(text) == []


def test_read_commands__several_phases_have_a_line_each() -> None:
    (command,) = commands("/gate approve plan, build and qa")
    assert (command.verb, command.phase) == ("approve", "")
    assert "/gate approve plan or /gate approve build or /gate approve qa" in command.problems[0].hint


@pytest.mark.parametrize("fill", [" ", "\t", "!", ". ", "thanks "])
def test_read_commands__take_linear_time(fill: str) -> None:
    began = time.process_time()
    assert len(commands(f"/gate approve qa{fill * (60_000 // len(fill))}x")) == 1
    assert time.process_time() - began < 1
