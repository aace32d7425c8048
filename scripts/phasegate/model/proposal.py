"""Proposals on their way to the tracker: an issue as it would be filed, and one that is there."""

from __future__ import annotations

from phasegate.model.frozen import dataclass


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
