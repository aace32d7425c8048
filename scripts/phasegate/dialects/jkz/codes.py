"""PG1xx: what can be wrong in a jkz signal."""

from __future__ import annotations

from phasegate.catalogue import Entry
from phasegate.model.problem import Severity

ERROR, WARNING, NOTICE = Severity.ERROR, Severity.WARNING, Severity.NOTICE

_JKZ: tuple[Entry, ...] = (
    Entry(
        code="PG101",
        title="The verdict is not one that this role gives",
        severity=ERROR,
        why="Roles that challenge or confirm say PASS or FAIL, the Builder COMPLETE or BLOCKED, the Doctor FIXED, "
        "PARTIAL or BLOCKED. A word from another list is ambiguous, so it does not count.",
        fix="Use a verdict from the role's own list.",
        bad='## jkz:judge … {"verdict": "COMPLETE", "issues": []}',
        good='## jkz:judge … {"verdict": "PASS", "issues": []}',
    ),
    Entry(
        code="PG102",
        title="A comment under a role's heading has no verdict block",
        severity=ERROR,
        why="The heading says that a role speaks, and the gate must not guess what it meant. Some agent runtimes "
        "strip HTML comments from what agents write.",
        fix="End the comment with a verdict block; if your runtime strips HTML comments, use a fence with the info "
        "string jkz:verdict-json.",
        bad="## jkz:judge\n\nLooks good to me.",
        good='## jkz:judge\n\nLooks good to me.\n\n```jkz:verdict-json\n{"verdict": "PASS", "issues": []}\n```',
    ),
    Entry(
        code="PG103",
        title="The marker is misspelt",
        severity=ERROR,
        why="A person would take it for a verdict; a machine would skip it and count an older one.",
        fix="Write the marker in lower case: jkz:verdict-json.",
        bad="<!-- JKZ:Verdict-JSON\n{…}\n-->",
        good="<!-- jkz:verdict-json\n{…}\n-->",
    ),
    Entry(
        code="PG104",
        title="A summary or fix_hint has more than 15 words",
        severity=WARNING,
        adjustable=True,
        why="The block is carried into the next round as a short summary; long texts belong in the prose above it.",
        fix="Shorten it to 15 words and put the rest above the block.",
        bad='"summary": "The handler does not check whether the token that the client sent is expired or not yet"',
        good='"summary": "Expired tokens are accepted"',
    ),
    Entry(
        code="PG105",
        title="A MEDIUM or LOW finding is listed in the block",
        severity=WARNING,
        adjustable=True,
        why="Only CRITICAL and HIGH findings belong in issues[]. A lesser one blocks nothing.",
        fix="Leave it out of the block and describe it in the prose.",
        bad='"issues": [{"id": "J2", "severity": "LOW", …}]',
        good='"issues": []',
    ),
    Entry(
        code="PG106",
        title="The root_cause is not in the vocabulary",
        severity=WARNING,
        adjustable=True,
        why="Causes are compared across rounds, which only works with known words.",
        fix="Use a word of the vocabulary, or leave root_cause out when unsure.",
        bad='"root_cause": "sloppy"',
        good='"root_cause": "implementation_bug"',
    ),
    Entry(
        code="PG107",
        title="The location is neither path:line nor the name of a section",
        severity=WARNING,
        adjustable=True,
        why="The summary links a finding to its line; an absolute path, a climb out of the repository or line 0 "
        "cannot be linked.",
        fix="Write path/in/the/repository:line, or the name of a section.",
        bad='"location": "/home/agent/src/auth.py:0"',
        good='"location": "src/auth.py:42"',
    ),
    Entry(
        code="PG108",
        title="The id of a finding is not a letter and a number",
        severity=ERROR,
        why="The letter tells who raised the finding, the number which one it is.",
        fix="Write the role's letter and a number, such as J1.",
        bad='"id": "issue-1"',
        good='"id": "J1"',
    ),
    Entry(
        code="PG109",
        title="Two findings have the same id",
        severity=ERROR,
        why="must_fix and false_positives point to findings by id, so an id must mean one finding.",
        fix="Give each finding its own number.",
        bad='"issues": [{"id": "J1", …}, {"id": "J1", …}]',
        good='"issues": [{"id": "J1", …}, {"id": "J2", …}]',
    ),
    Entry(
        code="PG111",
        title="A FAIL has no must_fix",
        severity=ERROR,
        why="A FAIL says what must be fixed; without the list nobody knows when it would pass.",
        fix="Add must_fix with the ids that must be fixed.",
        bad='{"verdict": "FAIL", "issues": [{"id": "J1", …}]}',
        good='{"verdict": "FAIL", "issues": [{"id": "J1", …}], "must_fix": ["J1"]}',
    ),
    Entry(
        code="PG112",
        title="must_fix names an id that is not in issues[]",
        severity=ERROR,
        why="Nobody can fix a finding that was not described.",
        fix="Remove the id or add the finding.",
        bad='"issues": [{"id": "J1", …}], "must_fix": ["J3"]',
        good='"issues": [{"id": "J1", …}], "must_fix": ["J1"]',
    ),
    Entry(
        code="PG113",
        title="must_fix names a MEDIUM or LOW finding",
        severity=ERROR,
        why="Only CRITICAL and HIGH findings block. What must be fixed is at least HIGH.",
        fix="Raise the finding's severity, or take it out of must_fix.",
        bad='{"id": "J1", "severity": "LOW", …}, "must_fix": ["J1"]',
        good='{"id": "J1", "severity": "HIGH", …}, "must_fix": ["J1"]',
    ),
    Entry(
        code="PG114",
        title="A FAIL with an empty must_fix contradicts itself",
        severity=WARNING,
        why="It fails and asks for nothing. The jkz documents treat it as a PASS; with "
        "verdicts.contradictory_fail: invalid in the policy it is invalid instead.",
        fix="Name what must be fixed, or say PASS.",
        bad='{"verdict": "FAIL", "issues": [], "must_fix": []}',
        good='{"verdict": "PASS", "issues": []}',
    ),
    Entry(
        code="PG115",
        title="A PASS with a must_fix, or a key that says otherwise, contradicts itself",
        severity=ERROR,
        why="What must be fixed has not passed; nor has what says so under another key, such as result or blockers.",
        fix="Say FAIL, or empty must_fix and leave the key out.",
        bad='{"verdict": "PASS", "issues": [{"id": "J1", …}], "must_fix": ["J1"]}',
        good='{"verdict": "FAIL", "issues": [{"id": "J1", …}], "must_fix": ["J1"]}',
    ),
    Entry(
        code="PG116",
        title="A PASS with a CRITICAL or HIGH finding of its own contradicts itself",
        severity=ERROR,
        why="A finding of that severity fails the work.",
        fix="Say FAIL and name the finding in must_fix, or remove the finding.",
        bad='{"verdict": "PASS", "issues": [{"id": "J1", "severity": "CRITICAL", …}]}',
        good='{"verdict": "FAIL", "issues": [{"id": "J1", "severity": "CRITICAL", …}], "must_fix": ["J1"]}',
    ),
    Entry(
        code="PG117",
        title="false_positives from a role that does not confirm",
        severity=WARNING,
        why="Only a confirming role may refute another role's findings; from other roles the list is ignored.",
        fix="Leave false_positives out.",
        bad='## jkz:judge … "false_positives": ["I1"]',
        good='## jkz:inspector … "false_positives": ["J1"]',
    ),
    Entry(
        code="PG118",
        title="false_positives names an id that the challenger did not raise",
        severity=WARNING,
        why="Only a finding that was raised in the same phase can be refuted; the others refute nothing.",
        fix="Name ids of the phase's challenging role, as they stand in its verdict.",
        bad='"false_positives": ["J9"] where the Judge raised J1',
        good='"false_positives": ["J1"]',
    ),
    Entry(
        code="PG119",
        title="The sources of the role disagree",
        severity=ERROR,
        why="The heading, the role key, the ids and the policy's map of accounts must name the same role; otherwise "
        "one role could speak for another.",
        fix="Use one role in the heading, the role key and the ids, and post from an account of that role.",
        bad='## jkz:judge … "id": "L1"',
        good='## jkz:judge … "id": "J1"',
    ),
    Entry(
        code="PG120",
        title="The policy does not know the role",
        severity=WARNING,
        why="A verdict of an unknown role fills no seat in any phase.",
        fix="Correct the heading or the role key, or add the role to the policy.",
        bad="## jkz:jugde",
        good="## jkz:judge",
    ),
    Entry(
        code="PG121",
        title="The block is far larger than it should be",
        severity=WARNING,
        adjustable=True,
        why="The block is meant to be a summary of about 200 tokens that is carried from round to round.",
        fix="Keep the findings short and put the explanation above the block.",
        bad="a block of several thousand characters",
        good="a block of a few hundred characters",
    ),
    Entry(
        code="PG123",
        title="A finding has no fix_hint",
        severity=NOTICE,
        adjustable=True,
        why="The next role fixes faster with a hint.",
        fix="Add a fix_hint of at most 15 words.",
        bad='{"id": "J1", "severity": "HIGH", "summary": "…", "location": "src/a.py:3"}',
        good='{"id": "J1", …, "fix_hint": "Compare with hmac.compare_digest"}',
    ),
    Entry(
        code="PG124",
        title="An unknown jkz marker",
        severity=WARNING,
        adjustable=True,
        why="A misspelt marker is a signal that nobody reads.",
        fix="Correct the marker or remove the comment.",
        bad="<!-- jkz:verdict\n{…}\n-->",
        good="<!-- jkz:verdict-json\n{…}\n-->",
    ),
    Entry(
        code="PG125",
        title="The role is unclear",
        severity=NOTICE,
        why="Somebody who quotes a verdict does not speak for its role. Without a heading, a role key, ids or an "
        "entry in the policy the text counts for no role.",
        fix="If this is meant to count, begin the comment with the heading ## jkz:<role>.",
        bad='{"verdict": "PASS", "issues": []} without a heading',
        good='## jkz:judge … {"verdict": "PASS", "issues": []}',
    ),
    Entry(
        code="PG126",
        title="A signal was edited out of its comment",
        severity=ERROR,
        why="Removing a verdict does not take it back; otherwise an older PASS would count again.",
        fix="Post a new comment with the verdict that counts now.",
        bad="a comment with a FAIL, edited to hold no block",
        good="a new comment with the new verdict",
    ),
)


WARNING = Severity.WARNING

_PLAN = """\
## jkz:architect

1. Check the expiry of every session.

<!-- jkz:compact-plan
{"steps": ["Check the expiry"], "acceptance_criteria": ["An expired session is refused"]}
-->
"""

_JKZ_BLOCKS: tuple[Entry, ...] = (
    Entry(
        code="PG128",
        title="A compact plan, decision record, diagnosis or spec map is malformed",
        severity=WARNING,
        adjustable=True,
        why="Later agents work from the block instead of the prose. One that does not parse, lacks its shape, is not "
        "closed or stands there twice leaves open what it says.",
        fix="Write one block of each kind, closed with --> on a line of its own, with one JSON object as `schema "
        "jkz/compact-plan`, `schema jkz/adr` or `schema jkz/diagnosis` describes.",
        bad="""\
## jkz:architect

1. Check the expiry of every session.

<!-- jkz:compact-plan
{"steps": "Check the expiry"}
-->
""",
        good=_PLAN,
    ),
)


WARNING = Severity.WARNING

_FAIL = """\
## jkz:judge

Expired sessions are still accepted.

<!-- jkz:verdict-json
{
  "verdict": "FAIL",
  "issues": [{"id": "J1", "severity": "HIGH", "summary": "Expired tokens are accepted", "location": "src/auth.py:42",
              "fix_hint": "Compare the expiry with the clock"}],
  "must_fix": ["J1"]
}
-->

"""
_PASS = """\
## jkz:judge

<!-- jkz:verdict-json
{"verdict": "PASS", "issues": []}
-->

"""
_GOOD = f"{_FAIL}<!-- jkz:propose-issue: Check the expiry in the old API too | See src/api/v1/auth.py -->\n"

_JKZ_PROPOSALS: tuple[Entry, ...] = (
    Entry(
        code="PG130",
        title="More than one proposal in a comment",
        severity=WARNING,
        adjustable=True,
        why="A response proposes one follow-up at most. With two markers one may be a stranger's, quoted by the agent, "
        "so none of them is filed.",
        fix="Keep the one that matters most, and do not write the marker anywhere else in the comment.",
        bad=f"{_FAIL}<!-- jkz:propose-issue: Check the old API too -->\n<!-- jkz:propose-issue: Rotate all keys -->\n",
        good=_GOOD,
    ),
    Entry(
        code="PG131",
        title="A proposal without a FAIL",
        severity=WARNING,
        adjustable=True,
        why="A proposal keeps work that does not belong to this pull request out of the fix of a FAIL. A PASS needs "
        "no fix, and an invalid verdict does not count.",
        fix="Make proposals only in a comment whose verdict is a valid FAIL.",
        bad=f"{_PASS}<!-- jkz:propose-issue: Check the old API too -->\n",
        good=_GOOD,
    ),
    Entry(
        code="PG134",
        title="A proposal that restates a finding of its verdict",
        severity=WARNING,
        adjustable=True,
        why="What must be fixed here is fixed here. A proposal is for follow-up work beyond this pull request.",
        fix="Leave the proposal out, or say what is to be done beyond the finding.",
        bad=f"{_FAIL}<!-- jkz:propose-issue: Refuse expired tokens are accepted -->\n",
        good=_GOOD,
    ),
    Entry(
        code="PG135",
        title="A proposal is malformed",
        severity=WARNING,
        adjustable=True,
        why="A title is read in lists: one line of two words or more, at most 100 characters, beginning with a word "
        "and without hidden characters. The one | after it begins the description, of at most 2000 characters.",
        fix="Write <!-- jkz:propose-issue: title | description --> on a line of its own, with a short title that says "
        "what to do.",
        bad=f"{_FAIL}<!-- jkz:propose-issue: Refactor -->\n",
        good=_GOOD,
    ),
)

ENTRIES: tuple[Entry, ...] = (*_JKZ, *_JKZ_BLOCKS, *_JKZ_PROPOSALS)
