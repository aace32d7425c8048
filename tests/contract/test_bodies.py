"""What built-in reviewers post: every known layout is read as a careful reader would, and the docs show the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from phasegate.dialects.described.boxes import box, box_names, newer_box
from phasegate.dialects.described.build import build_format
from phasegate.dialects.described.declaration import Described, schema_paths
from phasegate.dialects.described.forms import Format
from phasegate.dialects.described.reader import read_words
from phasegate.dialects.dialect import Text, as_carried
from phasegate.model.problem import Severity, Where
from phasegate.model.signal import GOOD, Finding, Kind, Medium, Outcome, Signal
from phasegate.model.texts import Actor
from phasegate.policy.load import load_policy
from phasegate.reading.yaml import read_own_yaml
from tests.unit.rules.parties import source

ROOT = Path(__file__).resolve().parents[2]
BODIES = ROOT / "tests" / "examples" / "reviewers"
PAGE = ROOT / "docs" / "conformance" / "reviewers.md"
ABOVE = """\
# What reviewers post, layout by layout

How the [built-in reviewers](../reviewers.md) are read. Made from `tests/examples/reviewers/` by `python3 tests pytest
--update-cases tests/contract/test_bodies.py`; do not edit it. *Shown*: it neither passes nor fails. *No verdict*: the
text is none. *Waits*: the reviewer did not judge, or nobody can tell of what.

"""
SHA = "d593624b438419b951f0916c96b0e34c5ff905f2"
Row = dict[str, Any]


def rows() -> list[tuple[str, Row]]:
    """All bodies, with the name of the reviewer."""
    found: list[tuple[str, Row]] = []
    for name in box_names():
        data: Any = read_own_yaml((BODIES / f"{name}.yml").read_text("utf-8"))
        found.extend((name, row) for row in data)
    return found


ROWS = rows()
IDS = [f"{name}: {row['name']}" for name, row in ROWS]


def dialect_of(name: str, **settings: object) -> Described:
    """The dialect of a reviewer, as a policy may set it."""
    built = build_format(name, box(name).described(settings), {})
    assert isinstance(built, Format), built
    return Described(built)


def text_of(name: str, row: Row, body: str | None = None) -> Text:
    """A body as GitHub would carry it."""
    medium, body = Medium(row.get("medium", "comment")), row["body"] if body is None else body
    fields: dict[str, str] = {}
    if medium is Medium.CHECK_RUN:
        run = {"bugbot": "Cursor Bugbot", "claude-review": "Claude Code Review"}[name]
        fields = {"name": run, "status": "completed", "conclusion": row["conclusion"], "title": row["title"]}
        fields, body = (fields, body) if row["field"] == "text" else ({**fields, row["field"]: body}, "")
    known: Row = {"medium": medium, "app_id": box(name).known.get("app_id"), "state": row.get("state")}
    written, path = source(Actor(login=name, type="Bot", id=21), **known), row.get("path")
    return Text(source=written, where=Where(path=path) if path else Where(url=written.url), body=body, fields=fields)


def read(name: str, row: Row, body: str | None = None, **settings: object) -> tuple[Signal, ...]:
    """What is read of a body."""
    dialect, text = dialect_of(name, **settings), text_of(name, row, body)
    if dialect.read(text, dialect.roles).signals or not text.talk:
        return as_carried(dialect.read(text, dialect.roles)).signals
    return read_words(dialect.format, text, dialect.roles)[0]


def reading(signals: tuple[Signal, ...]) -> str:
    """The reading in the words of the table."""
    if not signals:
        return "nothing"
    (signal,) = signals
    if signal.kind is Kind.REPORT:
        return "below"
    if any(item.severity is Severity.ERROR for item in signal.problems) and signal.outcome is None:
        return "invalid"
    return {Outcome.PASS: "pass", Outcome.FAIL: "fail"}.get(signal.outcome or Outcome.PARTIAL, "wait")


def told(finding: Finding) -> str:
    """A finding in a few words."""
    where = " in threads" if finding.threaded else f" at {finding.location}" if finding.location else ""
    known = "".join(sign for sign in finding.severity if sign.isascii()).strip()
    what = str(finding.count) if finding.threaded else known or f"{finding.count} of no known severity"
    return f"{what}{where}{'' if finding.blocking else ' does not block'}"


@pytest.mark.parametrize(("name", "row"), ROWS, ids=IDS)
def test_body__is_read_as_a_careful_reader_would(name: str, row: Row) -> None:
    signals = read(name, row)
    assert reading(signals) == row["reads"], signals
    for signal in signals:
        assert signal.whole is row.get("whole", False)
        assert signal.notes == row.get("notes", signal.notes)
        if row["reads"] == "pass":
            assert (signal.commit, signal.problems) == (row.get("commit"), ())
        advice = ("Minimal", "Warning", "Inconclusive")
        findings = [told(each) for each in signal.findings if not any(word in each.severity for word in advice)]
        assert "findings" not in row or "; ".join(findings) == row["findings"]


def _quoted(body: str) -> str:
    return "".join(f"> {line}\n" for line in body.splitlines())


TWINS: dict[str, Callable[[str], str]] = {
    "quoted": _quoted,
    "fenced": lambda body: f"For example:\n\n~~~~text\n{body}\n~~~~\n",
    "twice": lambda body: f"{body}\n\n{body}",
    "listed": lambda body: "- said:\n\n" + "".join(f"  {line}\n" for line in body.splitlines()),
    "folded": lambda body: f"<details>\n\n{body}\n</details>\n",
    "upper case": str.upper,
}
PASSING = [(name, row) for name, row in ROWS if row["reads"] == "pass" and row.get("medium") != "file"]


@pytest.mark.parametrize("twin", TWINS)
def test_what_others_quote__is_no_pass(twin: str) -> None:
    for name, row in PASSING:
        if row.get("medium") != "check_run":
            signals = read(name, row, TWINS[twin](row["body"]))
            assert not any(each.outcome in GOOD for each in signals), (name, row["name"], signals)


def test_two_layouts_in_one__are_no_pass() -> None:
    """A clean body below or above one of the same medium that is not."""
    for name, row in PASSING:
        for other_name, other in ROWS:
            beside = other_name == name and other.get("medium") == row.get("medium") and other["body"]
            if beside and other["reads"] in ("fail", "invalid") and other.get("title") == row.get("title"):
                for body in (f"{row['body']}\n\n{other['body']}", f"{other['body']}\n\n{row['body']}"):
                    signals = read(name, row, body)
                    assert not any(each.outcome in GOOD for each in signals), (name, row["name"], other["name"])


def test_body_cut_in_the_middle__passes_no_other_commit() -> None:
    """What is left of a body passes only if all that it passes by is there, or if a whole section is missing."""
    for name, row in PASSING:
        lines = row["body"].splitlines()
        for end in range(len(lines)):
            good = [each for each in read(name, row, "\n".join(lines[:end])) if each.outcome in GOOD]
            assert all(each.commit == row.get("commit") for each in good), (row["name"], end)
    begun = next(row["body"] for _, row in ROWS if row["name"] == "a check in error").partition(
        "<details>\n<summary>🚥"
    )
    assert [each.said for each in read("coderabbit", {}, begun[0])] == ["its end is missing"]


@pytest.mark.parametrize(("name", "body", "settings", "reads"), [
    ("coderabbit", "outside of the diff, in a callout", {"floor": "major"}, "pass"),
    ("coderabbit", "outside of the diff, no count at all", {"floor": "major"}, "fail"),
    ("coderabbit", "outside of the diff, no count at all", {"floor": "critical"}, "below"),
    ("coderabbit", "an earlier finding stands", {"floor": "critical"}, "fail"),
    ("coderabbit", "merge risk Moderate", {"risk": "high"}, "pass"),
    ("coderabbit", "merge risk of an unknown level", {"risk": "critical"}, "fail"),
    ("coderabbit", "a check in error", {"floor": "critical"}, "fail"),
    ("codex", "a badge without a line", {"floor": "p0"}, "below"),
    ("codex", "[P2] in a comment", {"floor": "p2"}, "fail"),
    ("copilot", "legacy, one suppressed", {"suppressed": 1}, "pass"),
    ("copilot", "legacy, a file not read", {"unread": ["uv.lock"]}, "pass"),
    ("copilot", "legacy, a file not read", {"unread": ["poetry.lock"]}, "wait"),
    ("copilot", "August, not all files", {"unread": ["uv.lock"]}, "wait"),
    ("copilot", "v2, a closer look", {"floor": "critical"}, "fail"),
    ("greptile", "comment of findings outside of the diff", {"floor": "p0"}, "below"),
    ("greptile", "4 of 5", {"score": 4}, "pass"),
    ("claude-review", "nits only", {"floor": "nit"}, "fail"),
])  # fmt: skip
def test_settings__say_what_blocks(name: str, body: str, settings: dict[str, Any], reads: str) -> None:
    row = next(row for other, row in ROWS if (other, row["name"]) == (name, body))
    assert reading(read(name, row, **settings)) == reads


def table() -> Iterator[str]:
    """The table of the docs."""
    yield "| reviewer | layout | read as | why |"
    yield "|---|---|---|---|"
    for name, row in ROWS:
        medium = {"comment": "", "review": " (review)", "check_run": "", "file": ""}[row.get("medium", "comment")]
        state = (
            f" ({row['state'].lower().replace('_', ' ')})" if row.get("state", "COMMENTED") != "COMMENTED" else medium
        )
        reads = {"below": "shown", "nothing": "no verdict", "wait": "waits"}.get(row["reads"], row["reads"])
        yield f"| {name} | {row['name']}{state} | {reads} | {row['why']} |"


def test_docs__show_the_table(request: pytest.FixtureRequest) -> None:
    told = ABOVE + "\n".join(table()) + "\n"
    if request.config.getoption("--update-cases"):
        PAGE.write_text(told, encoding="utf-8", newline="\n")
    assert PAGE.read_text(encoding="utf-8") == told


BOX = (ROOT / "scripts/phasegate/dialects/described/boxed/coderabbit.yml").read_text("utf-8")
NEWER = "formats: {coderabbit: {from: .github/coderabbit.yml}}"


@pytest.mark.parametrize(("settings", "formats", "text", "told"), [
    ("floor: major", "", None, ""),
    ("floor: grave", "", None, 'floor is a severity, not "grave"'),
    ("floor: majr", "", None, "did you mean major?"),
    ("floor: 3", "", None, "floor is a severity, not 3"),
    ("unread: [uv.lock]", "", None, "has no setting unread"),
    ("floor: major", NEWER, BOX, ""),
    ("floor: major", NEWER, None, "it was not read from the default branch"),
    ("floor: major", NEWER, "a: 1", "has the keys format, instructions, known"),
    ("floor: major", NEWER, BOX.replace("outcome: blocked", "outcome: blockd"), '"blockd"; expected "pass"'),
    ("floor: major", NEWER, BOX.replace("{coderabbit: {does", "{other: {does"),
     "its roles are other, not coderabbit"),
    ("floor: major", NEWER.replace("{coderabbit", "{ours"), BOX, 'from goes with a built-in reviewer, and "ours"'),
])  # fmt: skip
def test_policy__sets_a_floor_and_takes_a_newer_description(
    settings: str, formats: str, text: str | None, told: str
) -> None:
    policy = f"version: 1\nprofile: review\nagents: {{accounts: [{{format: coderabbit, settings: {{{settings}}}}}]}}\n"
    files = () if text is None else ((".github/coderabbit.yml", text),)
    loaded = load_policy(policy + formats, "phase-gate.yml", files)
    wrong = " ".join(item.message for item in loaded) if isinstance(loaded, tuple) else ""
    assert (told in wrong, bool(wrong)) == (True, bool(told)), wrong
    assert schema_paths(policy + formats) == ((".github/coderabbit.yml",) if formats else ())


def test_newer_description__keeps_account_and_instructions() -> None:
    text = BOX.replace("136622811", "7").replace('".coderabbit.yaml", ', "")
    assert text != BOX
    newer = newer_box("coderabbit", text)
    assert not isinstance(newer, str)
    assert (newer.known, newer.instructions) == (box("coderabbit").known, box("coderabbit").instructions)
