"""The dialects by name. Adding one is one line here, one module, one schema folder, one example folder, one page."""

from __future__ import annotations

from typing import Protocol

from phasegate.dialects import jkz
from phasegate.dialects.jkz_evidence import named_lines
from phasegate.model.problem import Where
from phasegate.model.signal import Role, Signal, Source


class ReadComment(Protocol):
    """What a dialect makes of one version of a comment."""

    def __call__(self, text: str, source: Source, where: Where, roles: tuple[Role, ...]) -> tuple[Signal, ...]:
        """The signals in the text."""


def _silent(text: str, source: Source, where: Where, roles: tuple[Role, ...]) -> tuple[Signal, ...]:
    """A dialect that speaks in files has no words in comments."""
    del text, source, where, roles
    return ()


COMMENT_READERS: dict[str, ReadComment] = {"jkz": jkz.read_comment, "pipeline": _silent}
TRIGGERS = ("jkz:", "/gate")


def evidence_paths(text: str) -> tuple[str, ...]:
    """The files that a text calls as evidence against another role's findings."""
    return tuple(dict.fromkeys(path for path, _ in named_lines(text))) if "false_positives" in text else ()


def may_carry(text: str) -> bool:
    """Whether a text may hold a signal or a command; a quick look that never says no to one that does."""
    lowered = text.lower()
    return any(trigger in lowered for trigger in TRIGGERS)
