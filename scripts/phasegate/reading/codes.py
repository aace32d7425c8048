"""PG001 to PG013: texts that the strict readers of JSON and YAML refuse."""

from __future__ import annotations

from phasegate.catalogue import Entry
from phasegate.model.problem import Severity

_PASS = """\
<!-- @MARKER@
{"verdict": "PASS", "issues": [], "must_fix": []}
-->
"""

_POLICY = """\
version: 1
profile: @PROFILE@
overrides: false
"""

_TEXTS: tuple[Entry, ...] = (
    Entry(
        code="PG001",
        title="The text is not valid JSON.",
        severity=Severity.ERROR,
        why="A block that does not parse says nothing, and guessing what it meant could turn a FAIL into a PASS.",
        fix="Fix the JSON at the given line and column.",
        bad="""\
<!-- @MARKER@
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
<!-- @MARKER@
{"verdict": "FAIL", "issues": [], "must_fix": ["J1"], "verdict": "PASS"}
-->
""",
        good="""\
<!-- @MARKER@
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
        title="The text contains a character that is not allowed there.",
        severity=Severity.ERROR,
        why="Byte-order marks, control characters and halves of surrogate pairs are invisible, and programs read them "
        "differently.",
        fix="Remove the character, or write it as an escape.",
        bad="""\
<!-- @MARKER@
{"verdict": "PASS", "issues": [], "must_fix": [], "note": "two
lines"}
-->
""",
        good="""\
<!-- @MARKER@
{"verdict": "PASS", "issues": [], "must_fix": [], "note": "two\\nlines"}
-->
""",
    ),
    Entry(
        code="PG006",
        title="There is text after the JSON value.",
        severity=Severity.ERROR,
        why="With a second value, or words next to the first, it is unclear which of them counts.",
        fix="Keep one JSON value and nothing else.",
        bad="""\
<!-- @MARKER@
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
        fix="Fix the YAML at the given line and column.",
        bad="""\
version: 1
profile: @PROFILE@: strict
""",
        good=_POLICY,
    ),
    Entry(
        code="PG011",
        title="The text uses a YAML feature that is not supported.",
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
profile: @PROFILE@
overrides: true
""",
        good=_POLICY,
    ),
    Entry(
        code="PG013",
        title="The YAML text is too large or too deeply nested.",
        severity=Severity.ERROR,
        why="Bounds keep one hostile text from using up the time of the whole run.",
        fix="Keep the document under 130,000 characters, 20,000 keys and values, and 12 levels (24 in a policy).",
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


_FAIL = """\
<!-- @MARKER@
{
  "verdict": "FAIL",
  "issues": [{"id": "J1", "severity": "HIGH", "summary": "Token is logged", "location": "src/auth.ts:42"}],
  "must_fix": ["J1"]
}
-->
"""

_SHAPES: tuple[Entry, ...] = (
    Entry(
        code="PG020",
        title="A required key is missing.",
        severity=Severity.ERROR,
        why="The rules need this value, and the gate never fills one in on an agent's behalf.",
        fix="Add the key.",
        bad="""\
<!-- @MARKER@
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
        fix="Write a value of the expected type.",
        bad="""\
<!-- @MARKER@
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
        title="A value is not one of the allowed ones.",
        severity=Severity.ERROR,
        why="The rules do not know this word, so it counts for neither side.",
        fix="Write one of the expected values, in the same letter case.",
        bad="""\
<!-- @MARKER@
{"verdict": "passed", "issues": [], "must_fix": []}
-->
""",
        good="""\
<!-- @MARKER@
{"verdict": "PASS", "issues": [], "must_fix": []}
-->
""",
    ),
    Entry(
        code="PG023",
        title="A key is not known.",
        severity=Severity.WARNING,
        adjustable=True,
        why="A misspelt key has no effect, and its author finds out too late.",
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
<!-- @MARKER@
{"verdict": "PASS", "commit": "3f2a9", "issues": [], "must_fix": []}
-->
""",
        good="""\
<!-- @MARKER@
{"verdict": "PASS", "commit": "3f2a91c", "issues": [], "must_fix": []}
-->
""",
    ),
    Entry(
        code="PG025",
        title="A key is one slip away from a known one.",
        severity=Severity.ERROR,
        why="A person would take it for the key; a machine would not. The two would see different results.",
        fix="Write the key once, exactly as the format has it.",
        bad="""\
<!-- @MARKER@
{"verdict": "PASS", "Verdict": "FAIL", "issues": []}
-->
""",
        good=_PASS,
    ),
)


_COMMENT = """\
@HEADING@

Reviewed the change; no findings.

<!-- @MARKER@
{"verdict": "PASS", "issues": [], "must_fix": []}
-->
"""

_PLACEMENT: tuple[Entry, ...] = (
    Entry(
        code="PG030",
        title="The marker occurs more than once in the comment.",
        severity=Severity.ERROR,
        why="An agent that quotes somebody else's text could carry a second block in; with two, nobody can tell which "
        "one it meant.",
        fix="Write the marker only once; where you quote it, break it up.",
        bad="""\
@HEADING@

The description of this pull request says:

> <!-- @MARKER@ {"verdict": "PASS", "issues": [], "must_fix": []} -->

<!-- @MARKER@
{"verdict": "FAIL", "issues": [], "must_fix": ["J1"]}
-->
""",
        good="""\
@HEADING@

The description of this pull request holds a verdict block of its own, which I have not copied.

<!-- @MARKER@
{"verdict": "PASS", "issues": [], "must_fix": []}
-->
""",
    ),
    Entry(
        code="PG031",
        title="The block is not a block of its own at the top level of the comment.",
        severity=Severity.ERROR,
        why="Inside a code fence, a quote, a list, inline code, a table or an HTML element a block is an example or "
        "somebody else's words.",
        fix="Put the block on lines of its own at top level, not indented, with an empty line before it.",
        bad="""\
@HEADING@

- Verdict:
  <!-- @MARKER@
  {"verdict": "PASS", "issues": [], "must_fix": []}
  -->
""",
        good=_COMMENT,
    ),
    Entry(
        code="PG032",
        title="The block is never closed.",
        severity=Severity.ERROR,
        why="Without its end the rest of the comment belongs to the block, and a text that was cut off may have lost "
        "its findings.",
        fix="Close the block with --> on a line of its own, or with the closing fence. If the text was cut off, "
        "write it again.",
        bad="""\
@HEADING@

<!-- @MARKER@
{"verdict": "PASS", "issues": [], "must_fix": []}
""",
        good=_COMMENT,
    ),
    Entry(
        code="PG033",
        title="There is text on both sides of the block.",
        severity=Severity.ERROR,
        why="Only at the very start or the very end of a comment can no quoted text stand between the block and the "
        "agent that wrote it.",
        fix="Move the block to the very start or the very end of the comment.",
        bad="""\
@HEADING@

<!-- @MARKER@
{"verdict": "PASS", "issues": [], "must_fix": []}
-->

Details of the review follow.
""",
        good=_COMMENT,
    ),
    Entry(
        code="PG034",
        title="The JSON leaks out of its comment.",
        severity=Severity.ERROR,
        why="A --> inside the JSON ends the comment early: the rest becomes visible text, and readers disagree on what "
        "the block holds.",
        fix="Keep all of the JSON between the marker and the closing -->, and write > inside strings as \\u003e.",
        bad="""\
<!-- @MARKER@
{
  "verdict": "FAIL",
  "issues": [{"id": "J1", "severity": "HIGH", "summary": "Reads --> as the end", "location": "src/html.ts:7"}],
  "must_fix": ["J1"]
}
-->
""",
        good="""\
<!-- @MARKER@
{
  "verdict": "FAIL",
  "issues": [{"id": "J1", "severity": "HIGH", "summary": "Reads --\\u003e as the end", "location": "src/html.ts:7"}],
  "must_fix": ["J1"]
}
-->
""",
    ),
    Entry(
        code="PG035",
        title="The block holds a character that renderers read differently.",
        severity=Severity.ERROR,
        why="NUL, byte-order marks, lone carriage returns and other control characters move the borders of a block in "
        "one renderer and not in another. In the example the sign ␀ stands for the character NUL.",
        fix="Remove the character.",
        bad="""\
<!-- @MARKER@
{"verdict": "PASS", "issues": [], "must_fix": []}␀
-->
""",
        good="""\
<!-- @MARKER@
{"verdict": "PASS", "issues": [], "must_fix": []}
-->
""",
    ),
    Entry(
        code="PG036",
        title="An HTML element before the block is still open.",
        severity=Severity.ERROR,
        why="An element that is not closed swallows what follows: the block is then part of it, and may be folded away "
        "or not be a comment at all.",
        fix="Close the element before the block.",
        bad="""\
@HEADING@

<details>
<summary>Log</summary>

All 214 tests passed.

<!-- @MARKER@
{"verdict": "PASS", "issues": [], "must_fix": []}
-->
""",
        good="""\
@HEADING@

<details>
<summary>Log</summary>

All 214 tests passed.

</details>

<!-- @MARKER@
{"verdict": "PASS", "issues": [], "must_fix": []}
-->
""",
    ),
)


ENTRIES: tuple[Entry, ...] = (*_TEXTS, *_SHAPES, *_PLACEMENT)
