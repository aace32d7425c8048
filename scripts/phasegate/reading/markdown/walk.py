"""One walk over a page's blocks with the open HTML elements. Out: carriers, headings, lines and parts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from enum import Enum
from itertools import groupby, pairwise

from phasegate.model.frozen import dataclass, late
from phasegate.reading.document import Lines, excerpt
from phasegate.reading.markdown.blocks import Block, Blocks, Container, Doubt, Leaf, Nest, scan
from phasegate.reading.markdown.carriers import Site, comment_site, fence_site
from phasegate.reading.markdown.inline import Elements, Inline, Opened, has_markup, names
from phasegate.reading.markdown.lines import COMMENT_START, Sort, Token, cells, is_plain_comment, raw_tokens

_SHOWN = 24


class PartKind(str, Enum):
    """The kind of a top-level part."""

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
    """One line of a top-level paragraph that a reader sees entirely as text."""

    text: str
    line: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """A top-level block as written; each list item is one.

    ``fenced`` if it holds a code fence. ``within`` is the HTML element around it, if any. ``leaves`` are its blocks
    outside HTML elements; ``quotes`` if one of them is in a quote.
    """

    kind: PartKind
    text: str
    line: int
    last_line: int
    fenced: bool
    within: str = ""
    leaves: tuple[Leaf, ...] = ()
    quotes: bool = False

    @property
    def seen(self) -> str:
        """The words that a reader surely sees: no markup, comment, address or title, nothing struck out."""
        return "\n".join(map(seen_of, self.leaves))

    @property
    def has_output(self) -> bool:
        """True if it holds visible code, which GitHub does not draw as a picture."""
        code = (leaf for leaf in self.leaves if leaf.block in {Block.FENCE, Block.CODE})
        return any(has_signs(leaf.text()) for leaf in code if leaf.fence is None or not _DRAWN.match(leaf.fence.info))


class Walk:
    """The results of the walk so far."""

    def __init__(self, sheet: Lines) -> None:
        self.sheet = sheet
        self.elements = Elements()
        self.sites: list[Site] = []
        self.headings: list[Heading] = []
        self.heading_lines: list[Line] = []
        self.lines: list[Line] = []
        self._met: list[tuple[Leaf, Opened | Doubt | None]] = []

    def over(self, blocks: Blocks) -> Walk:
        """Walks over the blocks of the page."""
        for leaf in blocks.leaves:
            self.elements.enter(leaf.home)
            inside = self.elements.innermost()
            self._met.append((leaf, inside))
            if leaf.block is Block.HTML:
                self._html(leaf)
            elif leaf.block is Block.TABLE:
                self._table(leaf)
            elif leaf.block in {Block.PARAGRAPH, Block.HEADING}:
                self._words(leaf, inside)
            elif leaf.block is Block.FENCE and leaf.home is None:
                self.sites.append(fence_site(self.sheet, leaf, inside))
        return self

    def parts(self) -> Iterator[Part]:
        """The top-level parts."""
        for owner, group in groupby(self._met, key=lambda met: outermost(met[0]) or met[0]):
            met = list(group)
            (first, inside), last = met[0], met[-1][0].last
            nest = owner.nest if isinstance(owner, Container) else None
            yield Part(
                kind=PartKind.ALERT
                if is_alert(self.sheet, owner)
                else PartKind[nest.name if nest else first.block.name],
                text=self.sheet.span(owner.line, last),
                line=owner.line,
                last_line=last,
                fenced=any(leaf.block is Block.FENCE for leaf, _ in met),
                within=inside.name if isinstance(inside, Opened) else "",
                leaves=tuple(leaf for leaf, around in met if around is None),
                quotes=any(_in_quote(leaf, owner) for leaf, _ in met),
            )

    def _html(self, leaf: Leaf) -> None:
        top_level = leaf.home is None
        text = self.sheet.span(leaf.line, leaf.last) if top_level else leaf.text()
        shift = self.sheet.begin(leaf.line) if top_level else 0
        lines = Lines.of(text)
        line_before = 0
        for token in raw_tokens(text):
            line = leaf.line - 1 + lines.line(token.start)
            if token.sort is not Sort.COMMENT:
                self._take(text, token, line, leaf.home, None)
            else:
                begins_line = not text[text.rfind("\n", 0, token.start) + 1 : token.start].strip(" \t")
                if top_level and line != line_before and begins_line:
                    inside, start, end = self.elements.innermost(), token.start + shift, token.end + shift
                    self.sites.append(comment_site(self.sheet, leaf, inside, start, end))
                if not is_plain_comment(text[token.start : token.end]):
                    self._doubt(text, token, line)
            line_before = leaf.line - 1 + lines.line(token.end)

    def _table(self, leaf: Leaf) -> None:
        for line, text in table_cells(leaf):
            if "<" in text:
                home = Container(Nest.CELL, leaf.home, line)
                for token in Inline(text.strip(" ")).tokens:
                    self._take(text.strip(" "), token, line, home, leaf)
                self.elements.enter(leaf.home)

    def _words(self, leaf: Leaf, inside: Opened | Doubt | None) -> None:
        text = leaf.text()
        hidden: list[tuple[int, int]] = []
        if leaf.may_define_links():
            hidden.append((0, len(text)))
            if has_markup(text):
                self.elements.distrust(leaf.line, "a link definition with markup")
        elif "<" in text or (len(leaf.lines) > 1 and ("`" in text or "[" in text)):
            inline = Inline(text)
            hidden += inline.stretches
            hidden += self._inside_elements(leaf, Lines.of(text), inline.tokens)
        if leaf.home is None and inside is None:
            shown = [Line(text=line.strip(" "), line=number) for number, line in enumerate(leaf.lines, leaf.line)]
            if leaf.block is Block.HEADING:
                self.headings.append(Heading(level=leaf.level, text=" ".join(leaf.lines).strip(), line=leaf.line))
                self.heading_lines += shown
            else:
                hidden += _struck_out(text)
                gone = _touched(text, hidden) if hidden else ()
                self.lines += (line for index, line in enumerate(shown) if index not in gone)

    def _inside_elements(self, leaf: Leaf, lines: Lines, tokens: list[Token]) -> Iterator[tuple[int, int]]:
        """Takes the tags of a text, and returns the stretches inside an element."""
        since = 0
        for token in tokens:
            was_open = self.elements.innermost() is not None
            self._take(lines.text, token, leaf.line - 1 + lines.line(token.start), leaf.home, leaf)
            if was_open and self.elements.innermost() is None:
                yield since, token.end
            elif not was_open:
                since = token.start
        if self.elements.innermost() is not None:
            yield since, len(lines.text)

    def _take(self, text: str, token: Token, line: int, home: Container | None, leaf: Leaf | None) -> None:
        if token.sort is Sort.ODD:
            self._doubt(text, token, line)
        else:
            self.elements.take(token, line, home, leaf)

    def _doubt(self, text: str, token: Token, line: int) -> None:
        shown = excerpt(text[token.start : token.start + _SHOWN].partition("\n")[0])
        self.elements.distrust(line, f"{shown} can be read in more than one way")


def _touched(text: str, hidden: list[tuple[int, int]]) -> set[int]:
    """The lines (from 0) touched by a stretch over several lines or over the whole text."""
    lines = Lines.of(text)
    touched: set[int] = set()
    done = 0
    for start, end in sorted(hidden):
        first, last = lines.line(start), lines.line(max(start, end - 1))
        if last > first or (start, end) == (0, len(text)):
            touched.update(range(max(first, done) - 1, last))
            done = last + 1
    return touched


_STRIKE_BEGINS = late(r"(?<!~)~~?(?![~\s])")
_STRIKE_ENDS = late(r"(?<![~\s])(?:(?<![!-/:-@\[-`{-}])~~?(?!~)|~~?(?![~A-Za-z0-9]))")
_ESCAPED = late(r"\\[!-/:-@\[-`{-~]")


def _struck_out(text: str) -> Iterator[tuple[int, int]]:
    """The stretch that may be struck out: from the first possible opening to the last possible end."""
    for written in (text, _ESCAPED.sub("xx", text)) if "~" in text else ():  # in code a backslash escapes nothing
        begins = _STRIKE_BEGINS.search(written)
        ends = [] if begins is None else [match.end() for match in _STRIKE_ENDS.finditer(written, begins.end())]
        if begins is not None and ends:
            yield begins.start(), ends[-1]


def shown_text(text: str) -> str:
    """All that GitHub may show as words, up to a doubt, without what every reader hides."""
    folded = text.replace("\r\n", "\n")
    blocks = scan(folded)
    shown = [shown_of(leaf) for leaf in blocks.leaves if leaf.block not in {Block.FENCE, Block.CODE}]
    if blocks.doubt is not None:
        shown += folded.split("\n")[max((leaf.last for leaf in blocks.leaves), default=0) :]
    return "\n".join(shown)


def shown_of(leaf: Leaf) -> str:
    """The words of a block without comments and code."""
    text = leaf.text()
    if leaf.block is Block.HTML:
        comments = ((token.start, token.end) for token in raw_tokens(text) if token.sort is Sort.COMMENT)
        hidden = [(start, end) for start, end in comments if is_plain_comment(text[start:end])]
    else:
        # comments and code spans, to their last sign
        hidden = [
            (start, end)
            for start, end in Inline(text).stretches
            if (text.startswith(COMMENT_START, start) and is_plain_comment(text[start:end]))
            or _CODE_SPAN.fullmatch(text, start, end)
        ]
    return _without(text, hidden)


def _without(text: str, stretches: Iterable[tuple[int, int]]) -> str:
    """A text with a space in place of each stretch; stretches may overlap."""
    kept, at = [], 0
    for start, end in sorted(stretches):
        kept += [text[at:start], " "]
        at = max(at, end)
    return "".join((*kept, text[at:]))


# What leaves words as they are to see; GitHub strikes out or folds what stands in others.
_PLAIN_ELEMENTS = names("a b br code em i ins kbd mark q samp span strong sub sup tt u wbr")
_NO_DEFINITION = late(r"\[[^\[\]\\\n]+\]: *[^\s<\"'(]\S* +[^\s\"'(].*")


def sights(text: str) -> Iterator[str]:
    """The visible lines of a text. A block-level tag inside a line begins a new one.

    After an unusual tag anything may end it, and begin a line.
    """
    tags = [token for token in raw_tokens(text) if token.sort is not Sort.COMMENT]
    odd = next((token.start for token in tags if token.sort is Sort.ODD), len(text))
    breaks = [token.start for token in tags if token.name == "br" or token.name not in _PLAIN_ELEMENTS]
    breaks += [place for place in range(odd + 1, len(text)) if text[place - 1] == ">"]
    for start, end in pairwise([0, *breaks, len(text)]):
        yield from text[start:end].splitlines()


def table_cells(leaf: Leaf, most: int | None = None) -> Iterator[tuple[int, str]]:
    """The cells of a table with their line numbers. GitHub shows up to ``most``, as many as the header has."""
    for index, row in enumerate(leaf.lines):
        # the row under the header is not among the lines
        yield from ((leaf.line + index + (index > 0), cell.replace("\\|", "|")) for cell in cells(row)[:most])


def own_lines(leaves: Iterable[Leaf]) -> Iterator[Line]:
    """Every visible line of some blocks, tables cell by cell; no code."""
    for leaf in leaves:
        if leaf.block not in {Block.FENCE, Block.CODE}:
            is_table = leaf.block is Block.TABLE
            for text in (text for _, text in table_cells(leaf)) if is_table else [shown_of(leaf)]:
                yield from (Line(text=line.strip(), line=leaf.line) for line in sights(text))


def seen_of(leaf: Leaf) -> str:
    """The words of a block that every reader sees."""
    if leaf.block is Block.TABLE:
        shown = (text for _, text in table_cells(leaf, most=leaf.columns))
        return "\n".join(_without(text, unseen(text)) for text in shown)
    if leaf.block not in {Block.PARAGRAPH, Block.HEADING}:
        return ""
    if leaf.may_define_links() and not _NO_DEFINITION.fullmatch(leaf.lines[0]):
        return ""
    return _without(leaf.text(), unseen(leaf.text()))


def unseen(text: str) -> Iterator[tuple[int, int]]:
    """The stretches of an inline text that a reader may not see as plain words."""
    inline = Inline(text)
    yield from inline.unseen
    yield from _struck_out(text)
    yield from (match.span() for match in _FORMULA.finditer(text))
    odd = next((token.start for token in inline.tokens if token.name not in _PLAIN_ELEMENTS), None)
    if odd is not None:
        yield odd, len(text)


def has_signs(text: str) -> bool:
    """True if a text has anything visible besides spaces, fillers, marks or controls."""
    return any(unicodedata.category(sign)[0] in "LNPS" and sign not in _BLANK for sign in text)


_BLANK = "\u115f\u1160\u2800\u3164\uffa0\ufffc"  # letters and symbols without a shape
_FORMULA = late(
    r"\$[^\s$](?:[^$]*[^\s$])?\$(?![0-9])|\$\$[^$]*\$\$", re.ASCII
)  # GitHub draws it, and a formula can hide what it holds
_DRAWN = late(r"\s*(?:math|mermaid|geojson|topojson|stl)\b", re.IGNORECASE)


def _in_quote(leaf: Leaf, owner: Container | Leaf) -> bool:
    """True if a block stands in a quote or footnote inside its top-level container."""
    home = leaf.home
    while home is not owner and home is not None:
        if home.nest in {Nest.QUOTE, Nest.FOOTNOTE}:
            return True
        home = home.parent
    return False


_CODE_SPAN = late(r"(`+)(?!`)(?:(?!(?<!`)\1(?!`)).)*(?<!`)\1", re.DOTALL)


def outermost(leaf: Leaf) -> Container | None:
    """The top-level quote, list item or footnote around a block."""
    container = leaf.home
    while container and container.parent:
        container = container.parent
    return container


_ALERT = late(r"(?:[ ]{0,3}>[ \t]*\n)*[ ]{0,3}>[ \t]{0,4}\[![A-Za-z]{1,20}\]")


def is_alert(sheet: Lines, owner: Container | Leaf) -> bool:
    """True if a quote is an alert: a note or a warning is the author's own words."""
    quote = isinstance(owner, Container) and owner.nest is Nest.QUOTE
    return quote and _ALERT.match(sheet.text, sheet.begin(owner.line)) is not None
