"""Files of the evidence folder as a snapshot tells them: what they say, what they said, and who pushed that."""

from __future__ import annotations

from phasegate.model.conversation import Actor
from phasegate.model.frozen import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Push:
    """The push that brought the last change of a file: by whom, when, and the commit it made the head."""

    at: str
    commit: str
    actor: Actor | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ArtifactVersion:
    """What a file of the evidence folder said before, and the push that brought it."""

    pushed: Push
    blob: str
    text: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ArtifactFile:
    """A file of an evidence folder at the head; ``refused`` says why its text was not read.

    A folder that cannot be read as one is such a file itself. ``pushed`` is none where it cannot be told who brought
    the last change. ``earlier`` are the texts before, the oldest first; of a file that is gone nothing else is known.
    """

    path: str
    mode: str = "100644"
    size: int = 0
    blob: str | None = None
    text: str | None = None
    refused: str | None = None
    pushed: Push | None = None
    earlier: tuple[ArtifactVersion, ...] = ()

    @property
    def gone(self) -> bool:
        """Whether it was there only before."""
        return self.blob is None and self.text is None and self.refused is None


@dataclass(frozen=True, kw_only=True, slots=True)
class IgnoreRule:
    """The line of the root's .gitignore that keeps the evidence folder out of every commit.

    No other ignore file is looked at: neither those of folders below nor those that only somebody's clone has.
    """

    path: str
    line: int
    pattern: str
