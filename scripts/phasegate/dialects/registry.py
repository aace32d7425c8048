"""The readers of the dialects. A new one takes a line in ``model.dialects``, a module, schemas, examples and a page.

They are loaded when they are asked for: whoever only wants to know what may be worth reading is not to wait.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from phasegate.model.dialects import SPEAKS_IN_COMMENTS

if TYPE_CHECKING:
    from phasegate.model.problem import Where
    from phasegate.model.signal import Role, Signal, Source

COMMENT_READERS = tuple(dialect for dialect, speaks in SPEAKS_IN_COMMENTS.items() if speaks)
TRIGGERS = ("jkz:", "/gate")
REFUTING = "false_positives"


class ReadComment(Protocol):
    """What a dialect makes of one version of a comment."""

    def __call__(self, text: str, source: Source, where: Where, roles: tuple[Role, ...]) -> tuple[Signal, ...]:
        """The signals in the text."""


@cache
def comment_reader(dialect: str) -> ReadComment | None:
    """What reads the comments of a dialect, where it has any."""
    if not SPEAKS_IN_COMMENTS[dialect]:
        return None
    return cast("ReadComment", import_module(f"phasegate.dialects.{dialect}.reader").read_comment)


def evidence_paths(text: str) -> tuple[str, ...]:
    """The files that a text calls as evidence against another role's findings."""
    if REFUTING not in text:
        return ()
    from phasegate.dialects.jkz.refutations import named_lines  # noqa: PLC0415  (seldom needed)

    return tuple(dict.fromkeys(path for path, _ in named_lines(text)))


def may_carry(text: str) -> bool:
    """Whether a text may hold a signal or a command; a quick look that never says no to one that does."""
    lowered = text.lower()
    return any(trigger in lowered for trigger in TRIGGERS)
