"""Rows of tables, items of lists and sections: read where they stand once, in comments and in files."""

from __future__ import annotations

import pytest

from phasegate.model.signal import Medium, Outcome
from tests.unit.dialects.described.shelf import codes, codes_of, of, said

TABLE = """\
in: [comment]
role: judge
roles: {judge: {does: challenges}}
read:
  mark: {marker: "our:table", as: text}
  row: {row: {header: [Review, Status], where: {Review: Code Review}}}
  seen: {item: true, pattern: '\\*\\*Files:\\*\\* (?P<n>[0-9]{1,4})/(?P<all>[0-9]{1,4})'}
  left: {section: [Left out], items: '\\* (?P<path>[a-z./]{1,60})', until: [Found], optional: true}
outcome:
  first:
    - {when: [{of: seen/n, plus: left/n, below: {of: seen/all}}], is: blocked}
    - {when: [{of: row/Status, equals: Done}, {of: seen/n, above: 0}], is: pass}
"""
BODY = """\
<!-- our:table -->

| Review | Status | Commit |
| --- | :-: | --- |
| **Code Review** | Done | a \\| b |
| Security | Failed | c |

<details>

- **Files:** 3/3
</details>
"""


def test_row_and_item__are_read_where_they_stand_once() -> None:
    assert said(of(TABLE), BODY).outcome is Outcome.PASS
    assert said(of(TABLE), BODY.replace("Done", "Failed", 1)).outcome is None


@pytest.mark.parametrize(("old", "new", "code"), [
    ("| Security | Failed", "| Code Review | Failed", "PG030"),
    ("| Review | Status | Commit |", "Review, Status", "PG912"),
    ("| Review | Status | Commit |\n", "| Review | Status | Commit |\n\n", "PG912"),
    ("**Code Review**", "Code", "PG912"),
    ("<details>", "> | Review | Status |\n> | --- | --- |\n> | Code Review | Done |\n\n<details>", "PG030"),
    ("- **Files:** 3/3", "**Files:** 3/3", "PG912"),
    ("- **Files:** 3/3", "- **Files:** 3/3\n- **Files:** 3/3", "PG030"),
    ("- **Files:** 3/3", "> - **Files:** 3/3", "PG912"),
    ("- **Files:** 3/3", "- all read\n  **Files:** 3/3", "PG912"),
])  # fmt: skip
def test_row_and_item__elsewhere_or_twice_are_no_pass(old: str, new: str, code: str) -> None:
    signal = said(of(TABLE), BODY.replace(old, new))
    assert signal.outcome is not Outcome.PASS
    assert code in codes(signal)


def test_row__of_a_file() -> None:
    told = TABLE.replace("in: [comment]", "in: [file]\npath: .notes/{name}.txt")
    told = told.replace('{marker: "our:table", as: text}', "{whole: true, as: text}")
    assert said(of(told), BODY, Medium.FILE, path=".notes/a.txt").outcome is Outcome.PASS


def test_rows__are_findings_one_by_one() -> None:
    told = TABLE.replace(", where: {Review: Code Review}", "").replace("{of: row/Status, equals: Done}, ", "")
    told += "floor: high\nfindings: {of: 'row/*', severity: Status, summary: Review, advice: [Done]}\n"
    found = said(of(told), BODY.replace("Failed", "High")).findings
    assert [(each.summary, each.blocking) for each in found] == [("Security", True), ("**Code Review**", False)]


@pytest.mark.parametrize(("below", "outcome"), [
    ("", Outcome.BLOCKED),
    ("Left out (1)\n\n* a.lock\n", Outcome.PASS),
    ("> **Left out (1)**\n> * a.lock\n", Outcome.PASS),
    ("<summary>1 Left out</summary>\n", Outcome.PASS),
    ("Left outside (1)\n", Outcome.BLOCKED),
])  # fmt: skip
def test_section__has_the_number_of_its_title(below: str, outcome: Outcome) -> None:
    assert said(of(TABLE), BODY.replace("3/3", "2/3") + "\n" + below).outcome is outcome


SECTION = """\
in: [comment]
role: judge
roles: {judge: {does: challenges}}
read:
  mark: {marker: "our:section", as: text}
  found:
    section: [Found]
    until: [Nits]
    items: ['`(?P<at>[a-z.:0-9]{1,40})`', '_(?P<level>[A-Za-z]{1,20})_']
    optional: true
outcome: {first: [{when: [{of: findings/blocking, above: 0}], is: fail}, {when: [{of: mark, empty: false}], is: pass}]}
floor: major
findings: {of: "found/items/*", count: found/n, severity: level, location: at}
"""


@pytest.mark.parametrize(("below", "told"), [
    ("Found (1)\n`a.py:3`\n_Minor_\n", [("a.py:3", "Minor", False)]),
    ("Found (1)\n`a.py:3`\n_Major_\n", [("a.py:3", "Major", True)]),
    ("Found (2)\n`a.py:3`\n_Minor_\n", [("", "", True), ("a.py:3", "Minor", False)]),
    ("Found (1)\n```\n_Minor_\n```\n", [("", "", True)]),
    ("Found (1)\nNits (1)\n_Minor_\n", [("", "", True)]),
    ("Found\n", [("", "", True)]),
    ("Found\n```\n_Major_\n", [("", "Major", True), ("", "", True)]),
    ("Found (1)\n_Minor_\nFound (1)\n_Major_\n", [("", "Major", True), ("", "Minor", False)]),
    ("Nits (1)\n_Major_\n", []),
])  # fmt: skip
def test_section__what_cannot_be_read_in_it_blocks(below: str, told: list[tuple[str, str, bool]]) -> None:
    signal = said(of(SECTION), f"<!-- our:section told -->\n{below}")
    assert [(each.location, each.severity, each.blocking) for each in signal.findings] == told
    assert signal.outcome is (Outcome.FAIL if any(blocks for *_, blocks in told) else Outcome.PASS)


@pytest.mark.parametrize(("old", "new"), [
    ('  mark: {marker: "our:table", as: text}\n', ""),
    ("{of: row/Status, equals: Done}", "{of: row/Status, equals: Done, above: 0}"),
    ("row: {row: {header", "row: {first: true, row: {header"),
])  # fmt: skip
def test_description__keeps_to_its_places(old: str, new: str) -> None:
    assert "PG907" in codes_of(TABLE.replace(old, new))
