"""Sections of the summary, and how they are fitted into a size: what comes first is kept, what is cut is named."""

from __future__ import annotations

from collections.abc import Iterable

from phasegate.model.frozen import dataclass
from phasegate.report.wording import listing


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """A part of the summary: what stands before its items, and the items, each a whole piece of Markdown.

    ``things`` is what people call the items.
    """

    opening: str
    items: tuple[str, ...]
    things: str


def fitted(sections: Iterable[Section], limit: int) -> tuple[str, list[str]]:
    """As much of the sections as fits into a number of bytes, and what was left out."""
    pieces: list[str] = []
    missing: list[str] = []
    room = limit
    for section in sections:
        kept = _kept(section, room)
        if kept:
            text = section.opening + "".join(section.items[:kept]) + "\n"
            pieces.append(text)
            room -= size(text)
        left = len(section.items) - kept
        if left:
            missing.append(f"{left} of {len(section.items)} {section.things}")
    return "".join(pieces), missing


def _kept(section: Section, room: int) -> int:
    """How many items of a section fit."""
    left = room - size(section.opening) - 1
    for count, item in enumerate(section.items):
        left -= size(item)
        if left < 0:
            return count
    return len(section.items)


def left_out(missing: list[str]) -> str:
    """The sentence that says what was cut."""
    return f"✂️ Left out to stay within the size limit: {listing(missing)}. The JSON report has them.\n\n"


def size(text: str) -> int:
    """The bytes of a text in a file."""
    return len(text.encode())
