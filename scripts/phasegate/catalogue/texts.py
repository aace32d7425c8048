"""PG001 to PG013: texts that the strict readers of JSON and YAML refuse."""

from __future__ import annotations

from phasegate.catalogue.entry import Entry
from phasegate.model.problem import Severity

_PASS = """\
<!-- jkz:verdict-json
{"verdict": "PASS", "issues": [], "must_fix": []}
-->
"""

_POLICY = """\
version: 1
profile: jkz
overrides: false
"""

ENTRIES: tuple[Entry, ...] = (
    Entry(
        code="PG001",
        title="The text is not valid JSON.",
        severity=Severity.ERROR,
        why="A block that does not parse says nothing, and guessing what it meant could turn a FAIL into a PASS.",
        fix="Mend the JSON at the given line and column.",
        bad="""\
<!-- jkz:verdict-json
{"verdict": "PASS", "issues": [], "must_fix": [],}
-->
""",
        good=_PASS,
    ),
    Entry(
        code="PG002",
        title="A key occurs twice in one JSON object.",
        severity=Severity.ERROR,
        why="Readers differ on which of the two counts, so one of them could see a PASS where another sees a FAIL.",
        fix="Keep one of the two keys.",
        bad="""\
<!-- jkz:verdict-json
{"verdict": "FAIL", "issues": [], "must_fix": ["J1"], "verdict": "PASS"}
-->
""",
        good="""\
<!-- jkz:verdict-json
{
  "verdict": "FAIL",
  "issues": [{"id": "J1", "severity": "HIGH", "summary": "Token is logged", "location": "src/auth.ts:42"}],
  "must_fix": ["J1"]
}
-->
""",
    ),
    Entry(
        code="PG003",
        title="A number is one that JSON does not have or that readers cannot keep exact.",
        severity=Severity.ERROR,
        why="NaN and infinity pass every comparison by accident, and long numbers change their value from reader to "
        "reader.",
        fix="Write a finite number of at most 15 digits, or put the value in double quotes.",
        bad="""\
{"status": "completed", "duration_seconds": NaN}
""",
        good="""\
{"status": "completed", "duration_seconds": 12.5}
""",
    ),
    Entry(
        code="PG004",
        title="The JSON text is too large or too deeply nested.",
        severity=Severity.ERROR,
        why="Bounds keep one hostile text from using up the time of the whole run.",
        fix="Report less in this document: at most a million characters and 32 levels.",
        bad="""\
{"issues": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}
""",
        good="""\
{"issues": [{"id": "J1", "severity": "HIGH", "summary": "Token is logged", "location": "src/auth.ts:42"}]}
""",
    ),
    Entry(
        code="PG005",
        title="The text holds a character that may not stand there.",
        severity=Severity.ERROR,
        why="Byte-order marks, control characters and halves of surrogate pairs are invisible, and programs read them "
        "differently.",
        fix="Remove the character, or write it as an escape.",
        bad="""\
<!-- jkz:verdict-json
{"verdict": "PASS", "issues": [], "must_fix": [], "note": "two
lines"}
-->
""",
        good="""\
<!-- jkz:verdict-json
{"verdict": "PASS", "issues": [], "must_fix": [], "note": "two\\nlines"}
-->
""",
    ),
    Entry(
        code="PG006",
        title="There is text after the JSON value.",
        severity=Severity.ERROR,
        why="A second value, or words beside the first, leaves open which of them was meant.",
        fix="Keep one JSON value and nothing else.",
        bad="""\
<!-- jkz:verdict-json
{"verdict": "FAIL", "issues": [], "must_fix": ["J1"]}
{"verdict": "PASS", "issues": [], "must_fix": []}
-->
""",
        good=_PASS,
    ),
    Entry(
        code="PG010",
        title="The text is not valid YAML.",
        severity=Severity.ERROR,
        why="A file or an envelope that does not parse says nothing, and a policy that does not parse must not fall "
        "back to defaults.",
        fix="Mend the YAML at the given line and column.",
        bad="""\
version: 1
profile: jkz: strict
""",
        good=_POLICY,
    ),
    Entry(
        code="PG011",
        title="The text uses a feature of YAML that is not read.",
        severity=Severity.ERROR,
        why="Anchors, aliases, tags, merge keys, directives, keys that are no text, and second documents can hide or "
        "multiply content; the formats read here need none of them.",
        fix="Write every value out as a plain mapping, list or text in one document.",
        bad="""\
version: 1
phases:
  plan: &phase {human_approval: true, max_attempts: 3}
  qa: *phase
""",
        good="""\
version: 1
phases:
  plan: {human_approval: true, max_attempts: 3}
  qa: {human_approval: true, max_attempts: 3}
""",
    ),
    Entry(
        code="PG012",
        title="A key occurs twice in one YAML mapping.",
        severity=Severity.ERROR,
        why="Most readers silently take the last one, so a line added at the end could undo one that was reviewed.",
        fix="Keep one of the two keys.",
        bad="""\
version: 1
overrides: false
profile: jkz
overrides: true
""",
        good=_POLICY,
    ),
    Entry(
        code="PG013",
        title="The YAML text is too large or too deeply nested.",
        severity=Severity.ERROR,
        why="Bounds keep one hostile text from using up the time of the whole run.",
        fix="Keep the document under 130,000 characters, 20,000 keys and values, and 12 levels.",
        bad="""\
version: 1
agents: {accounts: [[[[[[[[[[[{login: octocat}]]]]]]]]]]]}
""",
        good="""\
version: 1
agents: {accounts: [{login: octocat}]}
""",
    ),
)
