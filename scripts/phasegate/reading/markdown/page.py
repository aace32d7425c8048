"""A comment as GitHub renders it, parsed once: its top level, and the one block of a marker that counts.

In: a text (``Page.of``). Out, on demand: headings, lines, parts, carriers, and the places of described formats.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from functools import cached_property

from phasegate.model.frozen import dataclass, late, replace
from phasegate.model.problem import Fault, Position
from phasegate.reading.document import Lines, excerpt
from phasegate.reading.markdown.blocks import Block, Blocks, Doubt, Leaf, Nest, scan
from phasegate.reading.markdown.carriers import (
    FOOTERS,
    SECOND_MARK,
    Carrier,
    CarrierKind,
    carriers,
    carriers_begun,
    closed_fences,
    control_faults,
)
from phasegate.reading.markdown.inline import Inline, Opened
from phasegate.reading.markdown.lines import COMMENT_END, COMMENT_START, STRUCTURAL_CONTROL
from phasegate.reading.markdown.walk import Heading, Line, Part, PartKind, Walk, outermost, own_lines, sights

__all__ = ["FOOTERS", "Carrier", "CarrierKind", "Line", "Page", "Part", "PartKind"]  # with what is handed on

_SPACE = " \t\n"
_NO_LINE_END = late(r"[^\n]")
_DASHES = "---"
_FRONT = f"{_DASHES}\n"
_END_OF_FRONT = late(r"^---$", re.MULTILINE)
_LEAD = late(r" {0,3}#{1,6}[ \t]+|[ \t]*")
_LABELLED = r"(\*\*|__|){label}(?::[ \t]*\1|\1[ \t]*:)[ \t]*(.*)|(\*\*|__){label}:[ \t]*((?:(?!\3).)*)\3"
_CODE_IN_HTML = late(r"<(?:[!?]|(?:code|pre|script|style|template|textarea|xmp)\b)|```|~~~", re.IGNORECASE)
_STRONG = late(r"(\*\*|__)((?:(?!\1).)+)\1")


class Stands(str, Enum):
    """Where a block may stand: at the very start or end, anywhere at top level, or also in a fold."""

    EDGE = "edge"
    ANYWHERE = "anywhere"
    FOLDED = "folded"


@dataclass(frozen=True, kw_only=True, slots=True)
class Hidden:
    """A marker whose block does not count: what is wrong, and whether it visibly stands in a quote.

    Only a real quote makes a block somebody else's; for any other place nobody can tell. It is ``shown`` as an example
    in a closed fence or inline code, and only mentioned if ``inline``. It is ``near`` if its place is right but its
    words differ, so that something else may be meant.
    """

    fault: Fault
    quoted: bool = False
    shown: bool = False
    inline: bool = False
    near: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Aside:
    """What does not count as text beside a block: other ``sound`` blocks, and what runtimes append.

    The latter are HTML comments without any of the ``markers`` (without known markers every comment is text), and
    whole lines that are one of the ``footers``.
    """

    sound: Callable[[Carrier], bool] = lambda _: False
    markers: tuple[str, ...] = ()
    footers: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage:
    """A piece of a page and where it begins."""

    text: str
    position: Position


@dataclasses.dataclass(frozen=True, kw_only=True)  # no slots, so that results can be cached
class Page:
    """A comment with normalised line ends. Headings, lines and carriers after a doubt are left out.

    Parsed on demand and cached: a page can be handed on and asked again.
    """

    text: str
    _by_prefix: dict[str, tuple[Carrier, ...]] = dataclasses.field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @staticmethod
    def of(text: str) -> Page:
        """The page of a text. The line ends of GitHub's web form are normalised."""
        return Page(text=text.replace("\r\n", "\n"))

    @cached_property
    def headings(self) -> tuple[Heading, ...]:
        """The top-level headings."""
        return tuple(self._walk.headings)

    def are_items(self, lines: Iterable[int]) -> bool:
        """True if each of these lines surely begins the text of a list item."""
        begun = {
            leaf.line
            for leaf in self._blocks.leaves
            if leaf.block is Block.PARAGRAPH and leaf.home is not None and leaf.home.nest is Nest.ITEM
        }
        return self._blocks.doubt is None and all(line in begun for line in lines)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The lines of top-level paragraphs."""
        return tuple(self._walk.lines)

    @cached_property
    def own_lines(self) -> tuple[Line, ...]:
        """Every line that may be visible as the author's own text, also in tables, items and HTML; no code."""
        quoted = {number for part in self._quotes for number in range(part.line, part.last_line + 1)}
        last = max((leaf.last for leaf in self._blocks.leaves), default=0)
        since = len(self.text) + 2 if self.doubt is None else min(self.doubt.line, last + 1)
        unclear = enumerate(self.text.split("\n")[since - 1 :], since)
        unread = (Line(text=each.strip(), line=number) for number, line in unclear for each in sights(line))
        return (*own_lines(leaf for leaf in self._blocks.leaves if leaf.line not in quoted), *unread)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The top-level blocks as written."""
        return tuple(self._walk.parts())

    @cached_property
    def doubt(self) -> Doubt | None:
        """Where the page stops being readable as GitHub reads it, or None."""
        doubts = filter(None, (self._blocks.doubt, self._walk.elements.doubt))
        return min(doubts, key=lambda doubt: doubt.line, default=None)

    def carriers_with(self, prefix: str) -> tuple[Carrier, ...]:
        """The top-level blocks whose marker begins with the prefix."""
        return tuple(found for found in self._carriers(prefix) if found.inside is None)

    def locate(self, marker: str, *, prefix: str, aside: Aside = Aside()) -> Carrier | Hidden | None:  # noqa: B008
        """The one block of this marker that counts, or why none does; None if the marker is not in the text.

        ``aside`` content does not count as text.
        """
        at = self._once(marker, marker, "comment")
        if not isinstance(at, int):
            return at
        found = self._carriers(prefix)
        carrier = next((carrier for carrier in found if carrier.marker_at == at and carrier.marker == marker), None)
        if carrier is None:
            return self._misplaced(found, at, marker)
        beside = [each for each in found if each.fault is None and each.inside is None]
        blocks = [(each.start, each.end) for each in beside if aside.sound(each)]
        shown = _blanked(self.text, (*blocks, *self._plain_comments(aside.markers, carrier.end)))
        fault = _enclosed(self._sheet, carrier) or carrier.fault
        fault = fault or _standing(self._sheet, carrier, shown, aside.footers)
        return Hidden(fault=fault) if fault else carrier

    def begun_with(self, words: str, stands: Stands, then: str | None = None) -> Carrier | Hidden | None:
        """The one block that begins with these exact words, or why none counts; None if they are not in the text.

        With ``then`` the words stand alone in an HTML comment, and the result is the following fence with that info
        string. Other well-formed HTML comments may stand beside it.
        """
        found = self._counted(words)
        if not isinstance(found, int):
            return found
        begun = tuple(carriers_begun(self._sheet, self._walk.sites, words))
        carrier = next((carrier for carrier in begun if carrier.marker_at == found), None)
        if carrier is None:
            return self._misplaced(self._carriers(""), found, words)
        fence = None if then is None else self._following(carrier, then)
        if then is not None and fence is None:
            message = f"a code fence of {then} must follow {excerpt(words)} at once"
            return _hidden("PG031", message, self._sheet.position(carrier.start))
        end = carrier.end if fence is None else self._sheet.finish(fence.last_line)
        inside = carrier.inside if stands is Stands.FOLDED else None
        folded = isinstance(inside, Opened) and inside.folds
        fault = carrier.fault if folded else _enclosed(self._sheet, carrier) or carrier.fault
        fault = fault or (None if fence is None else fence.fault)
        fault = fault or self._within_text(words, carrier.start, end, stands)
        return Hidden(fault=fault) if fault else fence or carrier

    def fence_holding(self, info: str, words: str, stands: Stands) -> Carrier | Hidden | None:
        """The fence of this info string with these words, which must occur once; or why none counts."""
        found = self._counted(words)
        if not isinstance(found, int):
            return found
        line = self._sheet.position(found).line
        fence = next((each for each in self.fences if each.first_line < line < each.last_line), None)
        if fence is None or fence.marker != info:
            hidden = self._misplaced((), found, words)
            hint = f"Put it into a code fence of its own with the info string {info}."
            return replace(hidden, fault=replace(hidden.fault, hint=hidden.fault.hint or hint))
        start, end = self._sheet.begin(fence.first_line), self._sheet.finish(fence.last_line)
        fault = fence.fault or self._within_text(words, start, end, stands)
        return Hidden(fault=fault) if fault else fence

    def front_matter_holding(self, words: str) -> Passage | Hidden | None:
        """The front matter, if these words occur only there; or why it does not count."""
        found = self._counted(words)
        if not isinstance(found, int):
            return found
        front = self.front_matter
        if isinstance(front, Fault):
            return Hidden(fault=front)
        if front is None or found >= len(_FRONT) + len(front.text):
            return self._misplaced((), found, words)
        return front

    def is_quoted(self, line: int) -> bool:
        """True if a line visibly stands in a quote."""
        return any(part.line <= line <= part.last_line for part in self._quotes)

    @cached_property
    def _quotes(self) -> list[Part]:
        """The quotes that no HTML disturbs."""
        torn, doubt = self._walk.elements.torn, self._walk.elements.doubt
        end = 0 if torn else len(self.text) + 2 if doubt is None else doubt.line
        quotes = (part for part in self.parts if part.kind is PartKind.QUOTE and part.last_line < end)
        return [part for part in quotes if part.within in ("", "details")]

    @property
    def code(self) -> Iterator[str]:
        """The text in code, in fences or in HTML, outside quotes; after a doubt the whole rest."""
        kinds = {Block.FENCE, Block.CODE, Block.HTML}
        for leaf in (each for each in self._blocks.leaves if each.block in kinds and not self.is_quoted(each.line)):
            if leaf.block is not Block.HTML or _CODE_IN_HTML.search(leaf.text()):
                yield leaf.text()
        if self._blocks.doubt is not None:
            last = max((leaf.last for leaf in self._blocks.leaves), default=0)
            yield self.unquoted[self._sheet.begin(min(self._blocks.doubt.line, last + 1)) :]

    @property
    def unquoted(self) -> str:
        """The text with visible quotes blanked."""
        begin, finish = self._sheet.begin, self._sheet.finish
        return _blanked(self.text, ((begin(each.line), finish(each.last_line)) for each in self._quotes))

    def _misplaced(self, found: Sequence[Carrier], at: int, marker: str) -> Hidden:
        """The fault of a marker that begins no top-level block."""
        position = self._sheet.position(at)
        carrier = next((carrier for carrier in found if carrier.start <= at < carrier.end), None)
        if carrier:
            whole = excerpt(carrier.marker)
            begun = carrier.marker_at == at
            place = f"only the beginning of {whole}" if begun else f"inside the {carrier.kind.value} {whole}"
            return Hidden(fault=_not_top_level(place, position))
        leaf = next((leaf for leaf in self._blocks.leaves if leaf.line <= position.line <= leaf.last), None)
        if leaf is None:
            doubt = self._blocks.doubt
            if doubt is None:
                return Hidden(fault=_not_top_level("where no block begins", position))
            control = next(control_faults(self._sheet, 0, len(self.text), STRUCTURAL_CONTROL), None)
            if control and control.position.line == doubt.line:
                return Hidden(fault=control)
            message = f"line {doubt.line} keeps this comment from being read as GitHub reads it: {doubt.reason}"
            return _hidden("PG031", message, position)
        place = _place(leaf, marker)
        return Hidden(
            fault=_not_top_level(place, position),
            quoted=self.is_quoted(position.line),
            shown=place == INLINE or (place == _PLACES[Block.FENCE] and leaf.closed),
            inline=place == INLINE,
        )

    def _counted(self, words: str) -> int | Hidden | None:
        """The offset of these words if they occur exactly once."""
        return self._once(words, excerpt(words), "text")

    def _once(self, words: str, told: str, where: str) -> int | Hidden | None:
        at = self.text.find(words)
        if at < 0:
            return None
        again = self.text.find(words, at + 1)
        if again >= 0:
            message = f"{told} occurs {self.text.count(words)} times in the {where}; it may occur only once"
            return _hidden("PG030", message, self._sheet.position(again))
        control = next(control_faults(self._sheet, 0, at, STRUCTURAL_CONTROL), None)
        return Hidden(fault=control) if control else at

    def _following(self, carrier: Carrier, info: str) -> Carrier | None:
        after = next((each for each in self.fences if each.first_line > carrier.last_line), None)
        if carrier.payload or after is None or after.marker != info:
            return None
        gap = self.text[carrier.end : self._sheet.begin(after.first_line)]
        return None if gap.strip(_SPACE) else after

    def _within_text(self, words: str, start: int, end: int, stands: Stands) -> Fault | None:
        """The fault of a block with text around it that must stand at an edge."""
        if stands is not Stands.EDGE:
            return None
        comments = [carrier for carrier in self._carriers("") if carrier.kind is CarrierKind.HTML_COMMENT]
        beside = [carrier for carrier in comments if carrier.fault is None and carrier.inside is None]
        shown = _blanked(
            self.text, ((carrier.start, carrier.end) for carrier in beside if not start <= carrier.start < end)
        )
        if not shown[:start].strip(_SPACE) or not shown[end:].strip(_SPACE):
            return None
        message = f"{excerpt(words)} is in the middle: there is text before it and after it"
        return Fault(code="PG033", message=message, position=self._sheet.position(start))

    def _plain_comments(self, markers: Sequence[str], since: int) -> Iterator[tuple[int, int]]:
        """Top-level HTML comments from here on that every reader ends at the same place and that hold no marker."""
        for site in self._walk.sites if markers else ():
            if site.kind is not CarrierKind.HTML_COMMENT or site.start < since or site.inside is not None:
                continue
            inner = self.text[site.start + len(COMMENT_START) : site.end].lower()
            whole = inner.endswith(COMMENT_END) and not inner.startswith((">", "->"))
            if whole and not SECOND_MARK.search(inner) and not any(marker.lower() in inner for marker in markers):
                yield site.start, site.end

    @cached_property
    def fences(self) -> tuple[Carrier, ...]:
        """The closed code fences at top level, with any info string."""
        return tuple(closed_fences(self._sheet, self._walk.sites))

    @property
    def is_fenced(self) -> bool:
        """True if the whole text is one code fence."""
        edges = [(self._sheet.begin(each.first_line), self._sheet.finish(each.last_line)) for each in self.fences]
        return any(not (self.text[:start] + self.text[end:]).strip(_SPACE) for start, end in edges)

    @cached_property
    def front_matter(self) -> Passage | Fault | None:
        """The text between a ``---`` line at the very start and the next one; a fault if there is no second one.

        This uses the raw text, because GitHub shows no front matter in comments.
        """
        if not f"{self.text}\n".startswith(_FRONT):
            return None
        end = _END_OF_FRONT.search(self.text, len(_FRONT))
        if end is None:
            spaced = any(line.rstrip() == _DASHES for line in self.text.split("\n")[1:])
            what = "has a space behind it" if spaced else "is missing"
            message = f"the front matter is not closed: a second line --- {what}"
            hint = "End the front matter with a line of three dashes."
            return Fault(code="PG032", message=message, position=Position(line=1, column=1), hint=hint)
        text = self.text[len(_FRONT) : end.start()].removesuffix("\n")
        return Passage(text=text, position=Position(line=2, column=1))

    @property
    def first_line(self) -> Passage | None:
        """The first non-blank line, if it belongs to a top-level paragraph or heading."""
        return self._seen_at(len(self.text) - len(self.text.lstrip(_SPACE)))

    @property
    def last_line(self) -> Passage | None:
        """The last non-blank line, if it belongs to a top-level paragraph or heading."""
        return self._seen_at(len(self.text.rstrip(_SPACE)) - 1)

    def labelled(self, label: str) -> tuple[Passage, ...]:
        """The values of all top-level lines that begin with this label and a colon.

        ``Verdict: clean``, ``**Verdict:** clean``, ``__Verdict__: clean`` and ``**Verdict: clean**`` are equal.
        """
        pattern = re.compile(_LABELLED.replace("{label}", re.escape(label)))
        values = []
        for line in self.lines:
            written = self._sheet.span(line.line, line.line)
            match = pattern.fullmatch(written.strip(" \t"))
            if match:
                group = 2 if match[2] is not None else 4
                value = match[group].rstrip(" \t")
                strong = _STRONG.fullmatch(value)
                indent = len(written) - len(written.lstrip(" \t"))
                column = indent + match.start(group) + (strong.start(2) if strong else 0) + 1
                position = Position(line=line.line, column=column)
                values.append(Passage(text=strong[2] if strong else value, position=position))
        return tuple(values)

    def _seen_at(self, offset: int) -> Passage | None:
        """The line at this offset, if a reader sees it as text."""
        number = self._sheet.position(max(offset, 0)).line
        lines = (*self._walk.lines, *self._walk.heading_lines)
        text = next((line.text for line in lines if line.line == number), "")
        lead = _LEAD.match(self.text, self._sheet.begin(number))
        return Passage(text=text, position=self._sheet.position(lead.end())) if text and lead else None

    @cached_property
    def _sheet(self) -> Lines:
        return Lines.of(self.text)

    @cached_property
    def _blocks(self) -> Blocks:
        return scan(self.text)

    @cached_property
    def _walk(self) -> Walk:
        return Walk(self._sheet).over(self._blocks)

    def _carriers(self, prefix: str) -> tuple[Carrier, ...]:
        if prefix not in self._by_prefix:
            self._by_prefix[prefix] = tuple(carriers(self._sheet, self._walk.sites, prefix))
        return self._by_prefix[prefix]


def _hidden(code: str, message: str, position: Position) -> Hidden:
    return Hidden(fault=Fault(code=code, message=message, position=position))


def _enclosed(sheet: Lines, carrier: Carrier) -> Fault | None:
    position, inside = sheet.position(carrier.start), carrier.inside
    if inside is None:
        return None
    if isinstance(inside, Doubt):
        message = f"line {inside.line} leaves open which HTML elements are closed before the block: {inside.reason}"
    elif inside.closed:
        return _not_top_level(f"inside <{inside.name}>, which line {inside.line} opens", position)
    else:
        message = f"<{inside.name}>, which line {inside.line} opens, is not closed before the block"
    return Fault(code="PG036", message=message, position=position)


def _standing(sheet: Lines, carrier: Carrier, shown: str, footers: Sequence[str]) -> Fault | None:
    """The fault of a block with text both before and after it. ``shown`` is the text without asides."""
    behind = zip(sheet.text[carrier.end :].split("\n"), shown[carrier.end :].split("\n"), strict=True)
    texts = (written for written, left in behind if left.strip(_SPACE))
    line = next((text.strip() for text in texts if text.strip(_SPACE) not in footers), None)
    if line is None or not shown[: carrier.start].strip(_SPACE):
        return None
    message = f"{carrier.marker} is in the middle: there is text before it, and {excerpt(line)} follows"
    return Fault(code="PG033", message=message, position=sheet.position(carrier.start))


def _blanked(text: str, stretches: Iterable[tuple[int, int]]) -> str:
    kept, at = [], 0
    for start, end in sorted(stretches):
        kept += [text[at:start], _NO_LINE_END.sub(" ", text[start:end])]
        at = end
    return "".join((*kept, text[at:]))


def _not_top_level(place: str, position: Position) -> Fault:
    hint = "Let the marker be the only word behind the opening of the fence." if place == NOT_ALONE else ""
    message = f"the marker is {place}, not a block of its own at top level"
    return Fault(code="PG031", message=message, position=position, hint=hint)


INLINE = "inside inline code"
NOT_ALONE = "not the only word on the first line of a code fence"
_PLACES = {
    Block.FENCE: "inside a code fence",
    Block.CODE: "inside an indented code block",
    Block.HTML: "inside a piece of HTML or behind other text on its line",
    Block.HEADING: "in a heading",
    Block.TABLE: "inside a table",
    Block.PARAGRAPH: "in a paragraph",
}


def _place(leaf: Leaf, marker: str) -> str:
    container = outermost(leaf)
    if container:
        return f"inside {container.nest.value}"
    if leaf.fence and marker in leaf.fence.info:
        return NOT_ALONE
    if leaf.block in {Block.PARAGRAPH, Block.HEADING, Block.TABLE}:
        text = leaf.text()
        at = text.find(marker)
        if any(start <= at < end and text[start] == "`" for start, end in Inline(text).stretches):
            return INLINE
    return _PLACES[leaf.block]
