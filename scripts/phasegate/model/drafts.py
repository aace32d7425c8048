"""Annotations on their way to GitHub: marks on lines of files, and the check run that carries them."""

from __future__ import annotations

from enum import Enum

from phasegate.model.frozen import dataclass

# Where a check run and a status have one name GitHub asks for both, so this must be no context of ours.
CHECK_NAME = "Phase Gate annotations"
# The first line of the comment that we keep on a pull request; with its author it tells which one is ours.
COMMENT_MARKER = "<!-- phase-gate-summary -->"


class Level(str, Enum):
    """How much an annotation weighs, in GitHub's words."""

    FAILURE = "failure"
    WARNING = "warning"
    NOTICE = "notice"


class Conclusion(str, Enum):
    """How our check run ends; ``neutral`` and ``skipped`` would pass where it is required, so they are not here."""

    SUCCESS = "success"
    FAILURE = "failure"
    ACTION_REQUIRED = "action_required"


@dataclass(frozen=True, kw_only=True, slots=True)
class Annotation:
    """A mark on one line of a file; GitHub takes columns only where the line is known."""

    path: str
    line: int
    column: int | None
    level: Level
    title: str
    message: str
    details: str


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckDraft:
    """A check run as it is to stand on the head commit."""

    conclusion: Conclusion
    title: str
    summary: str
    annotations: tuple[Annotation, ...]
    name: str = CHECK_NAME


@dataclass(frozen=True, kw_only=True, slots=True)
class IssueDraft:
    """An issue to file; ``marker`` is the first line of its body, by which it is found.

    ``place`` is the pull request or issue on which it was proposed, ``at`` when.
    """

    marker: str
    title: str
    body: str
    place: int
    at: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Filed:
    """A proposal that is in the tracker; ``new`` if this run put it there."""

    draft: IssueDraft
    number: int
    url: str
    new: bool
