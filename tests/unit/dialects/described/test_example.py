"""The smallest block of a described form: whoever posts it is heard in the seat that it is for, and passes nothing."""

from __future__ import annotations

import pytest

from phasegate.dialects.described.boxes import box_names
from phasegate.dialects.described.declaration import Described
from phasegate.model.problem import Severity
from phasegate.model.signal import Medium, Outcome, Role
from tests.unit.dialects.described.shelf import NAMES, SHA, described, of, text_of

# What is not told by the descriptions: an objection, and the table around a row with tags.
UNTOLD = ("devin", "qodo")
ASKED = ("bugbot", "claude-review", "coderabbit", "codex", "copilot", "greptile")  # by a literal request


def read(dialect: Described, role: Role, example: str) -> tuple[tuple[str, ...], Outcome | None, list[str]]:
    """Who is heard, what is said, and which errors there are."""
    body = example.partition("\n\nIf nothing has to be fixed")[0].replace("{commit}", SHA).replace("{folder}", "17")
    how, form = dialect.how_to(role), dialect.forms[0]
    path = how.path.replace("{folder}", "17").replace("{name}", SHA) or None
    text = text_of(body, how.medium, **({"path": path} if path else {}))
    if how.medium is Medium.CHECK_RUN and form.check is not None:
        told = {"name": form.check.name or "", "status": "completed", "conclusion": "neutral"}
        told |= dict(line.split(": ", 1) for line in body.split("\n\n"))
        text = text_of("", how.medium, fields=told, app_id=form.check.app_id)
    (signal,) = dialect.read(text, (role,)).signals
    return signal.roles, signal.outcome, [item.code for item in signal.problems if item.severity is Severity.ERROR]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in (*UNTOLD, *ASKED)])
def test_example__is_heard_in_its_seat_and_passes_nothing(name: str) -> None:
    dialect = described(name)
    for role in dialect.roles:
        example = dialect.how_to(role).example
        assert read(dialect, role, example) == ((role.name,), Outcome.FAIL, [])
        assert "\n\nIf nothing has to be fixed: " in example


@pytest.mark.parametrize("name", UNTOLD)
def test_example__there_is_none_that_would_not_be_read(name: str) -> None:
    dialect = described(name)
    assert [dialect.how_to(role).example for role in dialect.roles] == [""]


@pytest.mark.parametrize("name", ASKED)
def test_example__a_reviewer_that_is_asked_by_a_request_needs_none(name: str) -> None:
    dialect = described(name)
    (how,) = [dialect.how_to(role) for role in dialect.roles]
    assert how.request or how.reviewer
    assert not how.example


def test_example__every_box_is_shown_or_asked() -> None:
    assert set(box_names()) == {*ASKED, "gsd", "bmad"}


# Parts and conditions that no example format has.
OWN = {
    "title of a check run": """
in: [check_run]
check: {app_id: 4242, name: AI Gate}
read: {word: {whole: true, field: title, pattern: '(?P<n>[0-9]{1,3}) blocking \\((?P<files>[0-9]{1,4}) files\\)'}}
outcome: {first: [{when: [{of: word/n, above: 0}], is: fail}, {when: [{of: word/files, above: 0}], is: pass}]}
""",
    "row of a table": """
in: [comment]
read:
  mark: {marker: our-table, as: text}
  row: {row: {header: [Review, Status], where: {Review: Code Review}}}
outcome: {of: row/Status, map: {done: pass, open: fail}}
""",
    "labels": """
in: [comment]
read: {status: {label: Status}, score: {label: Score, pattern: '(?P<n>[0-9]{1,3})/100'}}
outcome: {of: status, map: {ready: pass, needs work: fail}}
""",
    "item and section": """
in: [comment]
read: {word: {item: true, pattern: 'Result: (?P<what>[a-z]{1,9})'}}
outcome: {of: word/what, map: {good: pass, bad: fail}}
""",
    "only blocked": """
in: [comment]
read: {word: {first_line: true, pattern: 'Gate: (?P<what>[a-z]{1,9})'}}
outcome: {of: word/what, map: {good: pass, stuck: blocked}}
""",
}


@pytest.mark.parametrize("text", OWN.values(), ids=OWN)
def test_example__whatever_the_place(text: str) -> None:
    dialect = of(f"about: Ours.\nroles: {{ours-only: {{does: challenges}}}}\nrole: ours-only{text}")
    (role,) = dialect.roles
    heard, outcome, wrong = read(dialect, role, dialect.how_to(role).example)
    assert (heard, outcome in (Outcome.FAIL, Outcome.BLOCKED), wrong) == (("ours-only",), True, [])
