"""What a comment is made of at top level as GitHub renders it, and the one block of it that counts.

A text in; headings, lines, parts and carriers out (``outline``), or the carrier of one marker, or why there is none
that counts (``locate``).
"""

from __future__ import annotations

from itertools import chain

from phasegate.model.frozen import dataclass
from phasegate.model.problem import Fault, Position
from phasegate.reading.excerpt import excerpt
from phasegate.reading.markdown.blocks import scan
from phasegate.reading.markdown.carriers import Carrier, CarrierKind, Page, Spot, control_faults
from phasegate.reading.markdown.elements import Opened
from phasegate.reading.markdown.inline import read_inline
from phasegate.reading.markdown.lines import STRUCTURAL_CONTROL
from phasegate.reading.markdown.tree import Block, Blocks, Doubt, Leaf, Nest
from phasegate.reading.markdown.walk import Heading, Line, Part, PartKind, Walk, outermost

__all__ = [
    "Carrier",
    "CarrierKind",
    "Doubt",
    "Heading",
    "Hidden",
    "Line",
    "Outline",
    "Part",
    "PartKind",
    "locate",
    "outline",
]

_SPACE = " \t\n"


@dataclass(frozen=True, kw_only=True, slots=True)
class Outline:
    """The top level of a comment; no heading, line or carrier that follows a doubt is in it."""

    headings: tuple[Heading, ...]
    lines: tuple[Line, ...]
    carriers: tuple[Carrier, ...]
    parts: tuple[Part, ...]
    doubt: Doubt | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Hidden:
    """A marker that begins no block that counts: what is wrong, and whether it stands in a quote for everybody to see.

    Only a quote that the page really has makes a block somebody else's; of every other place nobody can tell.
    """

    fault: Fault
    quoted: bool = False


def outline(text: str, prefix: str = "") -> Outline:
    """The top level of a comment, with the carriers whose marker begins with the prefix."""
    page = Page.of(_folded(text))
    blocks = scan(page.text)
    walk = Walk(page, prefix).over(blocks)
    return Outline(
        headings=tuple(walk.headings),
        lines=tuple(walk.lines),
        carriers=tuple(spot.carrier for spot in walk.spots if spot.inside is None),
        parts=walk.parts(),
        doubt=min(filter(None, (blocks.doubt, walk.elements.doubt)), key=lambda doubt: doubt.line, default=None),
    )


def locate(text: str, marker: str, *, prefix: str) -> Carrier | Hidden | None:
    """The one block of this marker that counts, or why none does; nothing if the marker is not in the text at all.

    Blocks of other markers with the same prefix may stand beside it.
    """
    if marker not in text:
        return None
    page = Page.of(_folded(text))
    at = page.text.index(marker)
    again = page.text.find(marker, at + 1)
    if again >= 0:
        message = f"{marker} occurs {page.text.count(marker)} times in the comment; exactly one block may carry it"
        return Hidden(fault=Fault(code="PG030", message=message, position=page.position(again)))
    control = next(control_faults(page, 0, at, STRUCTURAL_CONTROL), None)
    if control:
        return Hidden(fault=control)
    blocks = scan(page.text)
    walk = Walk(page, prefix).over(blocks)
    spot = next((spot for spot in walk.spots if spot.marker_at == at and spot.carrier.marker == marker), None)
    if spot is None:
        return _misplaced(page, blocks, walk, at, marker)
    fault = _enclosed(page, spot) or spot.carrier.fault or _standing(page, spot, walk.spots)
    return Hidden(fault=fault) if fault else spot.carrier


def _folded(text: str) -> str:
    """The text with the line ends that GitHub's web form writes made plain."""
    return text.replace("\r\n", "\n")


def _enclosed(page: Page, spot: Spot) -> Fault | None:
    """The fault of a block that an HTML element holds."""
    position = page.position(spot.start)
    inside = spot.inside
    if inside is None:
        return None
    if isinstance(inside, Opened) and inside.closed:
        return _not_top_level(f"inside <{inside.name}>, which line {inside.line} opens", position)
    if isinstance(inside, Opened):
        message = f"<{inside.name}>, which line {inside.line} opens, is not closed before the block"
        return Fault(code="PG036", message=message, position=position)
    message = f"line {inside.line} leaves open which HTML elements are closed before the block: {inside.reason}"
    return Fault(code="PG036", message=message, position=position)


def _standing(page: Page, spot: Spot, spots: list[Spot]) -> Fault | None:
    """The fault of a block with text both before and after it; well-formed blocks beside it are no text."""
    beside = [other for other in spots if other.carrier.fault is None and other.inside is None]
    before = [other for other in beside if other.end <= spot.start]
    after = [other for other in beside if other.start >= spot.end]
    if not _has_text(page.text, 0, spot.start, before) or not _has_text(page.text, spot.end, len(page.text), after):
        return None
    message = f"{spot.carrier.marker} stands in the middle: there is text before it and after it"
    return Fault(code="PG033", message=message, position=page.position(spot.start))


def _has_text(text: str, start: int, end: int, beside: list[Spot]) -> bool:
    edges = [start, *chain.from_iterable((spot.start, spot.end) for spot in beside), end]
    return any(text[gap:following].strip(_SPACE) for gap, following in zip(edges[::2], edges[1::2], strict=True))


def _misplaced(page: Page, blocks: Blocks, walk: Walk, at: int, marker: str) -> Hidden:
    """A marker that begins no top-level block."""
    position = page.position(at)
    spot = next((spot for spot in walk.spots if spot.start <= at < spot.end), None)
    if spot and spot.marker_at == at:
        return Hidden(fault=_not_top_level(f"only the beginning of {excerpt(spot.carrier.marker)}", position))
    if spot:
        place = f"inside the {spot.carrier.kind.value} {excerpt(spot.carrier.marker)}"
        return Hidden(fault=_not_top_level(place, position))
    leaf = next((leaf for leaf in blocks.leaves if leaf.line <= position.line <= leaf.last), None)
    if leaf:
        owner = outermost(leaf)
        return Hidden(
            fault=_not_top_level(_place(leaf, marker), position), quoted=owner is not None and owner.nest is Nest.QUOTE
        )
    return Hidden(fault=_in_doubt(page, blocks.doubt, position) or _not_top_level("where no block begins", position))


def _in_doubt(page: Page, doubt: Doubt | None, position: Position) -> Fault | None:
    """The fault of a marker that nobody can tell the place of."""
    if doubt is None:
        return None
    control = next(control_faults(page, 0, len(page.text), STRUCTURAL_CONTROL), None)
    if control and control.position.line == doubt.line:
        return control
    message = f"line {doubt.line} keeps this comment from being read as GitHub reads it: {doubt.reason}"
    return Fault(code="PG031", message=message, position=position)


def _not_top_level(place: str, position: Position) -> Fault:
    return Fault(code="PG031", message=f"the marker is {place}, not a block of its own at top level", position=position)


def _place(leaf: Leaf, marker: str) -> str:
    """Where in a block that is no carrier the marker stands."""
    container = outermost(leaf)
    if container:
        return f"inside {container.nest.value}"
    if leaf.fence and marker in leaf.fence.info:
        return "not the only word on the first line of a code fence"
    if leaf.block in {Block.PARAGRAPH, Block.HEADING, Block.TABLE}:
        return _place_in_words(leaf, marker)
    return _PLACES[leaf.block]


_PLACES = {
    Block.FENCE: "inside a code fence",
    Block.CODE: "inside an indented code block",
    Block.HTML: "inside a piece of HTML or behind other text on its line",
    Block.HEADING: "in a heading",
    Block.TABLE: "inside a table",
    Block.PARAGRAPH: "in a paragraph",
}


def _place_in_words(leaf: Leaf, marker: str) -> str:
    text = leaf.text()
    at = text.find(marker)
    around = [start for start, end in read_inline(text).stretches if start <= at < end]
    if any(text[start] == "`" for start in around):
        return "inside inline code"
    return _PLACES[leaf.block]
