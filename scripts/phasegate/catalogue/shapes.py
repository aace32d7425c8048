"""PG020 to PG024: documents that can be read and do not have the shape their schema asks for."""

from __future__ import annotations

from phasegate.catalogue.entry import Entry
from phasegate.model.problem import Severity

_FAIL = """\
<!-- jkz:verdict-json
{
  "verdict": "FAIL",
  "issues": [{"id": "J1", "severity": "HIGH", "summary": "Token is logged", "location": "src/auth.ts:42"}],
  "must_fix": ["J1"]
}
-->
"""

ENTRIES: tuple[Entry, ...] = (
    Entry(
        code="PG020",
        title="A required key is missing.",
        severity=Severity.ERROR,
        why="What the rules decide by has to be there; nothing is filled in on an agent's behalf.",
        fix="Add the key.",
        bad="""\
<!-- jkz:verdict-json
{
  "verdict": "FAIL",
  "issues": [{"id": "J1", "severity": "HIGH", "summary": "Token is logged"}],
  "must_fix": ["J1"]
}
-->
""",
        good=_FAIL,
    ),
    Entry(
        code="PG021",
        title="A value has the wrong type.",
        severity=Severity.ERROR,
        why="A text where a list belongs would be read letter by letter, and the word false in quotes would count as "
        "true.",
        fix="Write a value of the type that was expected.",
        bad="""\
<!-- jkz:verdict-json
{
  "verdict": "FAIL",
  "issues": [{"id": "J1", "severity": "HIGH", "summary": "Token is logged", "location": "src/auth.ts:42"}],
  "must_fix": "J1"
}
-->
""",
        good=_FAIL,
    ),
    Entry(
        code="PG022",
        title="A value is not one of those that are allowed.",
        severity=Severity.ERROR,
        why="A word that the rules do not know cannot be counted for either side.",
        fix="Write one of the values that were expected, in the same letter case.",
        bad="""\
<!-- jkz:verdict-json
{"verdict": "passed", "issues": [], "must_fix": []}
-->
""",
        good="""\
<!-- jkz:verdict-json
{"verdict": "PASS", "issues": [], "must_fix": []}
-->
""",
    ),
    Entry(
        code="PG023",
        title="A key is not known.",
        severity=Severity.WARNING,
        adjustable=True,
        why="A misspelt key is silently without effect, which its author finds out too late.",
        fix="Correct the spelling of the key, or remove it.",
        bad="""\
version: 1
profil: pipeline
""",
        good="""\
version: 1
profile: pipeline
""",
    ),
    Entry(
        code="PG024",
        title="A value breaks a bound: length, form, range, number of items, or an item that is repeated.",
        severity=Severity.ERROR,
        why="Ids, commits and names are matched in full; a value outside its form can only be a mistake or an attempt "
        "to be read as something else.",
        fix="Write a value within the bound that the message names.",
        bad="""\
<!-- jkz:verdict-json
{"verdict": "PASS", "commit": "3f2a9", "issues": [], "must_fix": []}
-->
""",
        good="""\
<!-- jkz:verdict-json
{"verdict": "PASS", "commit": "3f2a91c", "issues": [], "must_fix": []}
-->
""",
    ),
)
