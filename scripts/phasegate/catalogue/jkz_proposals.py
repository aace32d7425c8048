"""PG130 to PG137: what can be wrong in a jkz issue proposal; such a proposal is shown and not filed."""

from __future__ import annotations

from phasegate.catalogue.entry import Entry
from phasegate.model.problem import Severity

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

ENTRIES: tuple[Entry, ...] = (
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
        title="A proposal that stands beside no FAIL",
        severity=WARNING,
        adjustable=True,
        why="A proposal keeps work that does not belong to this pull request out of the fix of a FAIL. A PASS has no "
        "fix, and an invalid verdict is nothing to stand on.",
        fix="Make proposals only in a comment whose verdict is a valid FAIL.",
        bad=f"{_PASS}<!-- jkz:propose-issue: Check the old API too -->\n",
        good=_GOOD,
    ),
    Entry(
        code="PG132",
        title="The title of a proposal does not begin with a verb",
        severity=WARNING,
        adjustable=True,
        why="The title says what to do, so that whoever picks the issue up need not guess. The list of verbs is "
        "English; a team that writes in another language turns this code off.",
        fix="Begin the title with what to do, such as Add, Check, Remove or Replace.",
        bad=f"{_FAIL}<!-- jkz:propose-issue: The old API has the same gap -->\n",
        good=_GOOD,
    ),
    Entry(
        code="PG133",
        title="A second | in a proposal",
        severity=WARNING,
        adjustable=True,
        why="The first | separates the title from the description. With another one it cannot be told where the title "
        "was meant to end.",
        fix="Write one | only, between title and description.",
        bad=f"{_FAIL}<!-- jkz:propose-issue: Accept a | b in the old API | See src/api -->\n",
        good=_GOOD,
    ),
    Entry(
        code="PG134",
        title="A proposal that restates a finding of its verdict",
        severity=WARNING,
        adjustable=True,
        why="What must be fixed here is fixed here. A proposal is for follow-up work beyond this pull request.",
        fix="Leave the proposal out, or say what is to be done beyond the finding.",
        bad=f"{_FAIL}<!-- jkz:propose-issue: Refuse expired tokens that are accepted -->\n",
        good=_GOOD,
    ),
    Entry(
        code="PG135",
        title="The title or the description of a proposal is too short or too long",
        severity=WARNING,
        adjustable=True,
        why="A title is read in lists: a verb and its object at least, 100 characters at most. A description has at "
        "most 2000.",
        fix="Write a short title that says what to do to what, and put the rest into the description.",
        bad=f"{_FAIL}<!-- jkz:propose-issue: Refactor -->\n",
        good=_GOOD,
    ),
    Entry(
        code="PG136",
        title="A proposal holds a character that does not show",
        severity=WARNING,
        adjustable=True,
        why="Line ends in a title, controls and marks that turn or hide text make it look like something it is not.",
        fix="Remove the character; a title is one line.",
        bad=f"{_FAIL}<!-- jkz:propose-issue: Check the old\nAPI too -->\n",
        good=_GOOD,
    ),
    Entry(
        code="PG137",
        title="A proposal is not one whole block",
        severity=WARNING,
        adjustable=True,
        why="A marker that is not closed or that leaks out of its comment leaves open what belongs to it.",
        fix="Write <!-- jkz:propose-issue: title | description --> on a line of its own.",
        bad=f"{_FAIL}<!-- jkz:propose-issue: Check the old API too --> and more\n",
        good=_GOOD,
    ),
)
