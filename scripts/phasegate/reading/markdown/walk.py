"""One walk over the blocks of a page, with the HTML elements that are open: carriers, headings, lines and parts out."""

from __future__ import annotations

import dataclasses
from bisect import bisect_right
from collections.abc import Iterator
from enum import Enum
from itertools import accumulate

from phasegate.model.frozen import dataclass, late
from phasegate.reading.document import excerpt
from phasegate.reading.markdown.blocks import Block, Blocks, Container, Doubt, Leaf, Nest
from phasegate.reading.markdown.carriers import Sheet, Site
from phasegate.reading.markdown.inline import Elements, Inline, Opened, has_markup, read_inline
from phasegate.reading.markdown.lines import Sort, Token, cells, is_plain_comment, raw_tokens

_SHOWN = 24


class PartKind(str, Enum):
    """What a top-level part of a comment is."""

    PARAGRAPH = "paragraph"
    HEADING = "heading"
    FENCE = "code fence"
    CODE = "indented code"
    HTML = "HTML"
    TABLE = "table"
    RULE = "rule"
    QUOTE = "quote"
    ALERT = "alert"
    ITEM = "list item"
    FOOTNOTE = "footnote"


@dataclass(frozen=True, kw_only=True, slots=True)
class Heading:
    """A top-level heading."""

    level: int
    text: str
    line: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One line of a top-level paragraph, all of whose text a reader of the page sees as such."""

    text: str
    line: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """A top-level block as it is written, each list item for itself.

    ``fenced`` if there is a code fence in it; ``within`` is the HTML element around it, if any.
    """

    kind: PartKind
    text: str
    line: int
    last_line: int
    fenced: bool
    within: str = ""


@dataclasses.dataclass(slots=True)
class _Draft:
    """A part that may still grow."""

    kind: PartKind
    owner: Container | None
    line: int
    last: int
    fenced: bool
    within: str


class Walk:
    """What the walk over a page has found so far."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.elements = Elements()
        self.sites: list[Site] = []
        self.headings: list[Heading] = []
        self.heading_lines: list[Line] = []
        self.lines: list[Line] = []
        self._drafts: list[_Draft] = []

    def over(self, blocks: Blocks) -> Walk:
        """Walk over the blocks of the page."""
        for leaf in blocks.leaves:
            self.elements.enter(leaf.home)
            inside = self.elements.innermost()
            self._draft(leaf, inside)
            if leaf.block is Block.HTML:
                self._html(leaf)
            elif leaf.block is Block.TABLE:
                self._table(leaf)
            elif leaf.block in {Block.PARAGRAPH, Block.HEADING}:
                self._words(leaf, inside)
            elif leaf.block is Block.FENCE and leaf.home is None:
                self.sites.append(Site(leaf=leaf, inside=inside))
        return self

    def parts(self) -> tuple[Part, ...]:
        """The top-level parts."""
        return tuple(
            Part(
                kind=draft.kind,
                text=self.sheet.span(draft.line, draft.last),
                line=draft.line,
                last_line=draft.last,
                fenced=draft.fenced,
                within=draft.within,
            )
            for draft in self._drafts
        )

    def _draft(self, leaf: Leaf, inside: Opened | Doubt | None) -> None:
        owner = outermost(leaf)
        fenced = leaf.block is Block.FENCE
        if owner and self._drafts and self._drafts[-1].owner is owner:
            self._drafts[-1].last = leaf.last
            self._drafts[-1].fenced |= fenced
            return
        own = is_alert(self.sheet, owner)
        kind = PartKind.ALERT if own else PartKind[owner.nest.name if owner else leaf.block.name]
        within = inside.name if isinstance(inside, Opened) else ""
        self._drafts.append(_Draft(kind, owner, owner.line if owner else leaf.line, leaf.last, fenced, within))

    def _html(self, leaf: Leaf) -> None:
        top_level = leaf.home is None
        text = self.sheet.span(leaf.line, leaf.last) if top_level else leaf.text()
        shift = self.sheet.begin(leaf.line) if top_level else 0
        lines = _Counter(text, leaf.line)
        line_before = 0
        for token in raw_tokens(text):
            line = lines.at(token.start)
            if token.sort is Sort.COMMENT:
                if top_level and line != line_before and _begins_line(text, token.start):
                    moved = Token(sort=token.sort, start=token.start + shift, end=token.end + shift)
                    self.sites.append(Site(leaf=leaf, inside=self.elements.innermost(), comment=moved))
                if not is_plain_comment(text[token.start : token.end]):
                    self._doubt(text, token, line)
            else:
                self._take(text, token, line, leaf.home, None)
            line_before = lines.at(token.end)

    def _table(self, leaf: Leaf) -> None:
        for index, row in enumerate(leaf.lines):
            if "<" in row:
                # the row under the header is not among the lines
                line = leaf.line + index + (index > 0)
                for cell in cells(row):
                    text = cell.replace("\\|", "|").strip(" ")
                    home = Container(Nest.CELL, leaf.home, line)
                    for token in read_inline(text).tokens:
                        self._take(text, token, line, home, leaf)
                    self.elements.enter(leaf.home)

    def _words(self, leaf: Leaf, inside: Opened | Doubt | None) -> None:
        text = leaf.text()
        hidden: list[tuple[int, int]] = []
        if leaf.may_define_links():
            hidden.append((0, len(text)))
            if has_markup(text):
                self.elements.distrust(leaf.line, "a link definition with markup")
        elif "<" in text or (len(leaf.lines) > 1 and ("`" in text or "[" in text)):
            inline = read_inline(text)
            hidden.extend(inline.stretches)
            hidden.extend(self._inline(leaf, text, inline))
        if leaf.home is None and inside is None:
            hidden.extend(_struck_out(text))
            self._show(leaf, text, hidden)

    def _inline(self, leaf: Leaf, text: str, inline: Inline) -> Iterator[tuple[int, int]]:
        """Take the tags of a text; the stretches of it that stand inside an element."""
        lines = _Counter(text, leaf.line)
        since = 0
        for token in inline.tokens:
            was_open = self.elements.innermost() is not None
            self._take(text, token, lines.at(token.start), leaf.home, leaf)
            if was_open and self.elements.innermost() is None:
                yield since, token.end
            elif not was_open:
                since = token.start
        if self.elements.innermost() is not None:
            yield since, len(text)

    def _show(self, leaf: Leaf, text: str, hidden: list[tuple[int, int]]) -> None:
        """Keep a top-level heading, or the lines of a paragraph that no stretch over several lines touches."""
        if leaf.block is Block.HEADING:
            self.headings.append(Heading(level=leaf.level, text=" ".join(leaf.lines).strip(), line=leaf.line))
            numbered = enumerate(leaf.lines, leaf.line)
            self.heading_lines.extend(Line(text=line.strip(" "), line=number) for number, line in numbered)
            return
        if not hidden:
            self.lines.extend(
                Line(text=line.strip(" "), line=number) for number, line in enumerate(leaf.lines, leaf.line)
            )
            return
        starts = list(accumulate((len(line) + 1 for line in leaf.lines), initial=0))
        changes = [0] * (len(leaf.lines) + 1)
        for start, end in hidden:
            first, last = bisect_right(starts, start) - 1, bisect_right(starts, max(start, end - 1)) - 1
            if last > first or (start, end) == (0, len(text)):
                changes[first] += 1
                changes[min(last, len(leaf.lines) - 1) + 1] -= 1
        for index, depth in enumerate(accumulate(changes[:-1])):
            if not depth:
                self.lines.append(Line(text=leaf.lines[index].strip(" "), line=leaf.line + index))

    def _take(self, text: str, token: Token, line: int, home: Container | None, leaf: Leaf | None) -> None:
        if token.sort is Sort.ODD:
            self._doubt(text, token, line)
        else:
            self.elements.take(token, line, home, leaf)

    def _doubt(self, text: str, token: Token, line: int) -> None:
        shown = excerpt(text[token.start : token.start + _SHOWN].partition("\n")[0])
        self.elements.distrust(line, f"{shown} can be read in more than one way")


_STRIKE_BEGINS = late(r"(?<!~)~~?(?![~\s])")
_STRIKE_ENDS = late(r"(?<![~\s])~~?(?!~)")


def _struck_out(text: str) -> Iterator[tuple[int, int]]:
    """The stretch that may be struck out: from the first sign that can begin it to the last that can end it."""
    if "~" in text:
        begins = _STRIKE_BEGINS.search(text)
        ends = [] if begins is None else [match.end() for match in _STRIKE_ENDS.finditer(text, begins.end())]
        if begins is not None and ends:
            yield begins.start(), ends[-1]


class _Counter:
    """Counts lines for offsets that only grow."""

    def __init__(self, text: str, first: int) -> None:
        self.text = text
        self.line = first
        self.offset = 0

    def at(self, offset: int) -> int:
        """The line of an offset."""
        self.line += self.text.count("\n", self.offset, offset)
        self.offset = offset
        return self.line


def outermost(leaf: Leaf) -> Container | None:
    """The top-level quote, list item or footnote that a block stands in."""
    container = leaf.home
    while container and container.parent:
        container = container.parent
    return container


_ALERT = late(r"(?:[ ]{0,3}>[ \t]*\n)*[ ]{0,3}>[ \t]{0,4}\[![A-Za-z]{1,20}\]")


def is_alert(sheet: Sheet, owner: Container | None) -> bool:
    """Whether what is written as a quote is an alert: a note, a warning and the like are the writer's own words."""
    quote = owner is not None and owner.nest is Nest.QUOTE
    return quote and owner is not None and _ALERT.match(sheet.text, sheet.begin(owner.line)) is not None


def _begins_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip(" \t")
