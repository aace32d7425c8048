"""What the jkz dialect declares: its roles, and how to recognise its words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice

from phasegate.dialects.dialect import Deciding, Dialect, Footprint, Reading, Text
from phasegate.model.signal import Does, HowTo, Medium, Role, Subject

NAME = "jkz"
PREFIX = "jkz:"
VERDICT = "jkz:verdict-json"
REFUTING = "false_positives"
EXAMPLE = """\
{heading}

What you found, in a sentence.

<!-- jkz:verdict-json
{{"verdict": "FAIL",{commit} "issues": [{{"id": "{letter}1", "severity": "HIGH",
  "summary": "Expired tokens are accepted", "location": "src/auth.py:42",
  "root_cause": "missing_validation", "fix_hint": "Compare the expiry with the clock"}}], "must_fix": ["{letter}1"]}}
-->

If nothing has to be fixed, the block holds: {{"verdict": "PASS",{commit} "issues": []}}"""
DONE = '{heading}\n\nWhat you did, in a sentence.\n\n<!-- jkz:verdict-json\n{{"verdict": "{said}", "issues": []}}\n-->'
MEDIA = frozenset({Medium.COMMENT, Medium.REVIEW})

_role = partial(Role, dialect=NAME, media=MEDIA)
ROLES = (
    _role(name="architect", does=Does.CREATES, about=Subject.PLAN),
    _role(name="auditor", does=Does.CHALLENGES, letter="A", about=Subject.PLAN),
    _role(name="curator", does=Does.CONFIRMS, letter="C", about=Subject.PLAN),
    _role(name="builder", does=Does.CREATES),
    _role(name="judge", does=Does.CHALLENGES, letter="J"),
    _role(name="inspector", does=Does.CONFIRMS, letter="I"),
    _role(name="sentinel", does=Does.CHALLENGES, letter="S"),
    _role(name="lens", does=Does.CONFIRMS, letter="L"),
    _role(name="doctor", does=Does.REPAIRS),
)


def _cites(text: str) -> Iterable[str]:
    """The files cited as evidence against another role's findings."""
    if REFUTING not in text:
        return ()
    from phasegate.dialects.jkz.verdict import MOST_LINES, named_lines  # noqa: PLC0415  (seldom needed)

    return dict.fromkeys(path for path, _ in islice(named_lines(text), MOST_LINES))


class Jkz(Dialect):
    """The dialect: verdict blocks and other signals in comments and reviews."""

    name = NAME
    reader = "phasegate.dialects.jkz.reader"
    roles = ROLES
    media = MEDIA
    footprint = Footprint(
        triggers=(PREFIX,),
        cites=_cites,
        deciding=(Deciding(key="verdict", values=("FAIL", "BLOCKED")), Deciding(key="must_fix")),
    )

    def read(self, text: Text, roles: Sequence[Role]) -> Reading:
        """The signals of one text."""
        from phasegate.dialects.jkz.reader import read_text  # noqa: PLC0415  (loaded when it is asked for)

        return Reading(text=text, signals=read_text(text, tuple(roles)))

    def short_form(self, text: str) -> str:
        """The compact plan in a comment, or else the comment."""
        from phasegate.dialects.jkz.reader import compact_plan  # noqa: PLC0415  (seldom needed)

        return compact_plan(text)

    def how_to(self, role: Role) -> HowTo:
        """A heading and a block below it. A plan is written freely."""
        heading = f"## {PREFIX}{role.name}"
        if role.does is Does.CREATES and role.about is Subject.PLAN:
            return HowTo(medium=Medium.COMMENT, heading=heading)
        told = {"heading": heading, "letter": role.letter, "said": "FIXED" if role.does is Does.REPAIRS else "COMPLETE"}
        commit = "" if role.about is Subject.PLAN else ' "commit": "{commit}",'
        example = (EXAMPLE if role.letter else DONE).format(**told, commit=commit)
        return HowTo(medium=Medium.COMMENT, heading=heading, marker=VERDICT, schema="jkz/verdict", example=example)


DIALECT = Jkz()
