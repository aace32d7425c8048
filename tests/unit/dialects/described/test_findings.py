"""Findings of described formats: which of them block, which stand in threads, and which a later pass ends."""

from __future__ import annotations

import pytest

from phasegate.model.problem import Where
from phasegate.model.signal import Outcome
from tests.unit.dialects.described.shelf import codes, codes_of, of, said

LISTED = """\
in: [comment]
read: {word: {marker: "our:word", as: json}}
role: judge
roles: {judge: {does: challenges}}
outcome: {of: word/verdict, map: {ok: pass, no: fail}}
commit: word/sha
lasting: across
whole: [{of: word/of, equals: all}]
floor: major
findings:
  - {of: "word/issues/*", count: word/total, severity: severity, summary: what, location: file, advice: [Warning]}
  - {count: word/threads, threads: true, level: P2, about: comment}
threads:
  - '_[^_]{1,60}_ \\| _(?P<severity>[^_]{1,40})_'
  - '\\*\\*(?P<summary>[^*]{1,200})\\*\\*'
approves: true
"""


def word(**told: object) -> str:
    """A comment in that format."""
    import json  # noqa: PLC0415

    return f"<!-- our:word {json.dumps({'verdict': 'no', 'sha': 'd593624b43', 'issues': [], **told})} -->"


@pytest.mark.parametrize(("severity", "blocks"), [
    *(("Critical", True), ("🟠 Major", True), ("P1", True), ("HIGH", True), ("blocker", True)),
    *(("Minor", False), ("P2", False), ("Trivial", False), ("Pre-existing", False), ("⚠️ Warning", False)),
    *(("", True), ("unheard of", True), ("Minor, I think", True)),
])  # fmt: skip
def test_floor__what_is_below_does_not_block_and_what_tells_none_does(severity: str, *, blocks: bool) -> None:
    signal = said(of(LISTED), word(issues=[{"severity": severity, "what": "race", "file": "a.py"}]))
    (finding,) = signal.findings
    assert (finding.blocking, finding.threaded, finding.location) == (blocks, False, "a.py")
    passing = said(of(LISTED), word(verdict="ok", issues=[{"severity": severity}]))
    assert ("PG913" in codes(passing)) is (severity in ("", "unheard of", "Minor, I think"))


def test_count__those_that_are_not_told_one_by_one_block() -> None:
    signal = said(of(LISTED), word(total=3, issues=[{"severity": "Minor"}]))
    assert [(each.severity, each.blocking, each.count) for each in signal.findings] == [
        ("", True, 2),
        ("Minor", False, 1),
    ]
    assert said(of(LISTED), word(total=1, issues=[{"severity": "Minor"}])).findings[0].blocking is False
    unclear = said(of(LISTED), word(total="many", issues=[]))
    assert [(each.severity, each.blocking) for each in unclear.findings] == [("", True)]


def test_threads__a_count_of_them_is_told_by_the_threads() -> None:
    (finding,) = said(of(LISTED), word(threads=4)).findings
    assert (finding.threaded, finding.count, finding.summary, finding.blocking) == (True, 4, "4 comments", False)
    assert said(of(LISTED), word()).findings == ()


def test_across__until_a_pass_about_the_whole_change() -> None:
    objection, newest, whole = (said(of(LISTED), word(**each)) for each in ({}, OK, {**OK, "of": "all"}))
    assert (objection.across, objection.lasting, objection.whole) == (True, True, False)
    assert (newest.outcome, newest.whole, whole.whole) == (Outcome.PASS, False, True)
    broken = said(of(LISTED), word(verdict="hm", of="all"))
    assert (broken.outcome, broken.across, broken.whole) == (None, True, False)


OK = {"verdict": "ok", "of": "the push"}


@pytest.mark.parametrize(("body", "severity", "blocks"), [
    ("_🎯 Correctness_ | _🟠 Major_\n\n**Lost update**\n", "🟠 Major", True),
    ("_🧹 Style_ | _🔵 Trivial_\n\n**Lost update**\n", "🔵 Trivial", False),
    ("**Lost update**\n\n" + "text\n" * 20 + "_🧹 Style_ | _🔵 Trivial_\n", "", True),
    ("**Lost update**\n", "", True),
    ("", "", True),
])  # fmt: skip
def test_thread__tells_its_severity_at_its_beginning_or_blocks(body: str, severity: str, *, blocks: bool) -> None:
    thread = of(LISTED).footprint.thread
    assert thread is not None
    finding = thread(body, Where(path="a.py"))
    assert (finding.severity, finding.blocking, finding.threaded) == (severity, blocks, True)
    assert finding.summary == ("Lost update" if body else "")


def test_description__says_from_where_on_findings_block() -> None:
    assert (of(LISTED).footprint.approves, codes_of(LISTED)) == (True, [])
    assert codes_of(LISTED.replace("floor: major", "floor: grave")) == ["PG907"]
    assert codes_of(LISTED.replace("floor: major\n", "")) == ["PG907"]
    assert codes_of(LISTED.replace("{1,60}_ ", "{1,}_ ")) == ["PG901"]
