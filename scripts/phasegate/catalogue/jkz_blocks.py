"""PG127 to PG129: what can be wrong in a compact plan, a decision record, a diagnosis or a spec map."""

from __future__ import annotations

from phasegate.catalogue.entry import Entry
from phasegate.model.problem import Severity

WARNING = Severity.WARNING

_PLAN = """\
## jkz:architect

1. Check the expiry of every session.

<!-- jkz:compact-plan
{"steps": ["Check the expiry"], "acceptance_criteria": ["An expired session is refused"]}
-->
"""

ENTRIES: tuple[Entry, ...] = (
    Entry(
        code="PG127",
        title="A compact plan, decision record, diagnosis or spec map cannot be read",
        severity=WARNING,
        adjustable=True,
        why="Later agents work from the block instead of the prose; one that does not parse tells them nothing.",
        fix="Mend the JSON at the given line and column.",
        bad="""\
## jkz:architect

1. Check the expiry of every session.

<!-- jkz:compact-plan
{"steps": ["Check the expiry"],}
-->
""",
        good=_PLAN,
    ),
    Entry(
        code="PG128",
        title="A compact plan, decision record or diagnosis does not have its shape",
        severity=WARNING,
        adjustable=True,
        why="Each is a JSON object with something in it; the few members that are known are of a known type.",
        fix="Write one JSON object as `schema jkz/compact-plan`, `schema jkz/adr` or `schema jkz/diagnosis` describes.",
        bad="""\
## jkz:architect

1. Check the expiry of every session.

<!-- jkz:compact-plan
{"steps": "Check the expiry"}
-->
""",
        good=_PLAN,
    ),
    Entry(
        code="PG129",
        title="A compact plan, decision record, diagnosis or spec map is not one whole block",
        severity=WARNING,
        adjustable=True,
        why="A block that is not closed, that leaks out of its comment or that stands there twice leaves open what it "
        "says.",
        fix="Write one block of each kind, closed with --> on a line of its own.",
        bad="""\
## jkz:architect

<!-- jkz:compact-plan
{"steps": ["Check the expiry"]}
-->

<!-- jkz:compact-plan
{"steps": ["Check nothing"]}
-->
""",
        good=_PLAN,
    ),
)
