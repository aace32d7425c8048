"""The block structure of a Markdown text by the algorithm of GitHub's engine: a text in, its leaf blocks out.

One pass, and at most ``DEEPEST`` steps per line besides its length. Where the engines or the versions of CommonMark are
known to disagree, the scan stops and says where and why: nobody may rely on what comes after.
"""

from __future__ import annotations

import dataclasses
from enum import Enum, auto

from phasegate.model.frozen import dataclass
from phasegate.reading.markdown import lines as shape
from phasegate.reading.markdown.lines import Fence

DEEPEST = 12
_MOST_CELLS = 100_000


def scan(text: str) -> Blocks:
    """The blocks of a text whose lines end with a line feed."""
    scanner = _Scanner()
    control = shape.STRUCTURAL_CONTROL.search(text)
    lines = (text.expandtabs(4) if "\t" in text else text).removesuffix("\n").split("\n")
    readable = text.count("\n", 0, control.start()) if control else len(lines)
    while scanner.number < readable and not scanner.doubt:
        scanner.feed(lines, readable)
    if scanner.number < len(lines) and not scanner.doubt:
        scanner.number += 1
        scanner.stop("a control character on which readers differ")
    if scanner.doubt is None:
        return Blocks(leaves=tuple(scanner.leaves), doubt=None)
    last = scanner.number
    certain = (leaf for leaf in scanner.leaves if leaf.line < last and leaf is not scanner.doubtful)
    return Blocks(leaves=tuple(certain), doubt=scanner.doubt)


class _Scanner:
    """The open containers and the open leaf. The current line is unread from ``at`` on."""

    def __init__(self) -> None:
        self.leaves: list[Leaf] = []
        self.doubt: Doubt | None = None
        self.doubtful: Leaf | None = None
        self.open: list[Container] = []
        self.leaf: Leaf | None = None
        self.line = ""
        self.number = 0
        self.start = self.at = 0
        self.matched = 0

    def feed(self, lines: list[str], readable: int) -> None:
        """Takes the next line, or all lines of an HTML block at top level, which only its own end closes."""
        leaf = self.leaf
        if leaf and not self.open and 0 < leaf.html < shape.HTML_UNTIL_BLANK:
            first = self.number
            ends = (number + 1 for number in range(first, readable) if shape.html_ends(lines[number], leaf.html))
            self.number = next(ends, readable)
            leaf.lines.extend(lines[first : self.number])
            leaf.last = self.number
            if shape.html_ends(leaf.lines[-1], leaf.html):
                self.leaf = None
            return
        self.line = lines[self.number]
        self.number += 1
        self._move(0)
        match = self._match if self.line else self._match_nothing
        unmatched = (index for index, container in enumerate(self.open) if not match(container))
        self.matched = next(unmatched, len(self.open))
        if self.matched == len(self.open) and self.leaf and self._continue_leaf(self.leaf):
            return
        self._open_blocks()

    def stop(self, reason: str) -> None:
        """Trusts nothing from this line on, nor the leaf that it may belong to."""
        if self.doubt is None:
            self.doubt = Doubt(line=self.number, reason=reason)
            self.doubtful = self.leaf

    @property
    def indent(self) -> int:
        return self.at - self.start

    @property
    def blank(self) -> bool:
        return self.at == len(self.line)

    def _move(self, start: int) -> None:
        self.start = start
        self.at = shape.skip_spaces(self.line, start)

    def _match_nothing(self, container: Container) -> bool:
        """The same for an empty line, of which a text may have very many."""
        if container.nest is not Nest.ITEM:
            return container.nest is Nest.FOOTNOTE
        container.uncertain |= container.hollow and self.leaf is None
        return not container.empty

    def _match(self, container: Container) -> bool:
        if container.nest is Nest.QUOTE:
            if self.blank or self.indent >= shape.INDENTED or self.line[self.at] != ">":
                return False
            self._move(self._after_quote_sign())
        elif self.indent >= container.width:
            if container.uncertain and not self.blank:
                self.stop("a link definition and blank lines in a list item")
            self._move(self.start + container.width)
        elif container.nest is Nest.FOOTNOTE:
            return not self.line
        elif not self.blank or container.empty:
            return False
        else:
            container.uncertain |= container.hollow and self.leaf is None
            self._move(self.at)
        return True

    def _after_quote_sign(self) -> int:
        return self.at + (2 if self.line.startswith(" ", self.at + 1) else 1)

    def _continue_leaf(self, leaf: Leaf) -> bool:
        """True if the open leaf takes this line."""
        if leaf.fence:
            if self.indent < shape.INDENTED and not self.blank and shape.closes_fence(self.line, self.at, leaf.fence):
                leaf.closed, leaf.last = True, self.number
                self._close_leaf()
            else:
                self._add(self.line[self.start :])
            return True
        if leaf.block is Block.HTML:
            ends = self.blank and leaf.html >= shape.HTML_UNTIL_BLANK
            if not ends:
                self._add(self.line[self.start :])
            if ends or shape.html_ends(self.line[self.start :], leaf.html):
                self._close_leaf()
            return True
        if leaf.block is Block.CODE and self.indent >= shape.INDENTED and not self.blank:
            self._add(self.line[self.start :])
            return True
        if self.blank:
            if leaf.block is not Block.CODE:
                self._close_leaf()
            return True
        if leaf.block is Block.CODE or (leaf.block is Block.TABLE and not shape.cells(self.line[self.at :])):
            self._close_leaf()
        return False

    def _open_blocks(self) -> None:
        paragraph = self.leaf if self.leaf and self.leaf.block is Block.PARAGRAPH else None
        here = paragraph if self.matched == len(self.open) else None
        while not self.blank and not self.doubt:
            if self.indent >= shape.INDENTED:
                if paragraph:
                    break
                self._begin(Block.CODE, self.line[self.start :])
                return
            if self._open_container(in_paragraph=here is not None):
                paragraph = here = None
            elif self._open_leaf(here):
                return
            else:
                break
        self._add_text(paragraph, here)

    def _add_text(self, paragraph: Leaf | None, here: Leaf | None) -> None:
        table = self.leaf and self.leaf.block is Block.TABLE and self.matched == len(self.open)
        if (here or table) and not self.blank:
            self._add(self.line[self.at :])
        elif paragraph and not self.blank:
            # GitHub's engine keeps the spaces of a line that goes on lazily
            self._add(self.line[self.start :])
        else:
            self._settle()
            if not self.blank:
                self._begin(Block.PARAGRAPH, self.line[self.at :])

    def _open_container(self, *, in_paragraph: bool) -> bool:
        sign = self.line[self.at]
        if sign == ">":
            self._enter(Nest.QUOTE, self._after_quote_sign(), 0)
            return True
        if sign == "[":
            footnote = shape.FOOTNOTE.match(self.line, self.at)
            if footnote:
                self._enter(Nest.FOOTNOTE, footnote.end(), shape.INDENTED)
            return footnote is not None
        # what looks like a list marker may be a rule or an underline
        if sign not in "*+-0123456789" or shape.is_rule(self.line, self.at):
            return False
        if in_paragraph and shape.underline_level(self.line, self.at):
            return False
        marker = shape.list_marker(self.line, self.at, indent=self.indent, in_paragraph=in_paragraph)
        if marker:
            self._enter(Nest.ITEM, *marker)
        return bool(marker)

    def _enter(self, nest: Nest, start: int, width: int) -> None:
        self._settle()
        if len(self.open) == DEEPEST:
            self.stop(f"more than {DEEPEST} quotes and lists inside each other")
        parent = self._fill()
        if parent:
            parent.hollow = False
        self.open.append(Container(nest, parent, self.number, width))
        self.matched = len(self.open)
        self._move(start)

    def _open_leaf(self, paragraph: Leaf | None) -> bool:
        line, at = self.line, self.at
        sign = line[at]
        if sign == "<" and shape.HTML_DOUBTFUL.match(line, at):
            self.stop("an HTML tag whose reading changed between the versions of CommonMark")
        if sign == "#" and (heading := shape.heading(line, at))[0]:
            self._begin(Block.HEADING, heading[1]).level = heading[0]
            self._close_leaf()
        elif sign in "`~" and (fence := shape.open_fence(line, at)):
            self._begin(Block.FENCE).fence = fence
        elif sign == "<" and (kind := shape.html_start(line, at, in_paragraph=paragraph is not None)):
            self._begin(Block.HTML, line[self.start :]).html = kind
            if shape.html_ends(line[at:], kind):
                self._close_leaf()
        elif paragraph and (level := shape.underline_level(line, at)):
            if paragraph.may_define_links():
                self.stop("a link definition directly above a heading's underline")
            paragraph.block, paragraph.level, paragraph.last = Block.HEADING, level, self.number
            self._close_leaf()
        elif sign in "*-_" and shape.is_rule(line, at):
            self._begin(Block.RULE)
            self._close_leaf()
        else:
            return paragraph is not None and self._open_table(paragraph)
        return True

    def _open_table(self, paragraph: Leaf) -> bool:
        columns = 0 if paragraph.no_table else shape.delimiter_columns(self.line[self.at :])
        if not columns:
            return False
        if paragraph.home and shape.TASK.match(paragraph.lines[-1]):
            self.stop("a table in a task list item")
        if len(shape.cells(paragraph.lines[-1])) != columns:
            # GitHub's engine tries once per paragraph
            paragraph.no_table = True
            return False
        header = paragraph.lines.pop()
        if paragraph.lines:
            paragraph.last -= 1
            self._close_leaf()
        else:
            self.leaves.pop()
        self.leaf = Leaf(Block.TABLE, paragraph.home, self.number - 1, self.number, [header], columns=columns)
        self.leaves.append(self.leaf)
        if columns > shape.WIDEST_TABLE:
            self.stop(f"a table of more than {shape.WIDEST_TABLE} columns")
        return True

    def _begin(self, block: Block, *lines: str) -> Leaf:
        self._settle()
        self.leaf = Leaf(block, self._fill(), self.number, self.number, list(lines))
        self.leaves.append(self.leaf)
        if block is Block.PARAGRAPH and self.leaf.home and shape.TASK.fullmatch(lines[0]):
            # GitHub's engine sees an item without anything in it, others a paragraph
            self.stop("a task list item without text")
        return self.leaf

    def _add(self, line: str) -> None:
        leaf = self.leaf
        if leaf:
            leaf.lines.append(line)
            leaf.last = self.number
            if len(leaf.lines) * leaf.columns > _MOST_CELLS:
                self.stop(f"a table of more than {_MOST_CELLS} cells")

    def _fill(self) -> Container | None:
        """The innermost container, marked as non-empty."""
        if not self.open:
            return None
        self.open[-1].empty = False
        return self.open[-1]

    def _settle(self) -> None:
        """Closes what this line does not continue."""
        self._close_leaf()
        del self.open[self.matched :]

    def _close_leaf(self) -> None:
        leaf, self.leaf = self.leaf, None
        if leaf and leaf.home and not leaf.may_define_links():
            leaf.home.hollow = False


class Nest(Enum):
    """A container of other blocks."""

    QUOTE = "a quote"
    ITEM = "a list item"
    FOOTNOTE = "a footnote"
    CELL = "a table cell"


class Block(Enum):
    """A block without blocks inside."""

    PARAGRAPH = auto()
    HEADING = auto()
    FENCE = auto()
    CODE = auto()
    HTML = auto()
    TABLE = auto()
    RULE = auto()


@dataclasses.dataclass(slots=True, eq=False)
class Container:
    """A quote, list item or footnote: its start, and what a line needs to continue it.

    ``hollow`` while all its content may turn out to be link definitions, which GitHub removes.
    """

    nest: Nest
    parent: Container | None
    line: int
    width: int = 0
    empty: bool = True
    hollow: bool = True
    uncertain: bool = False


@dataclasses.dataclass(slots=True, eq=False)
class Leaf:
    """A paragraph, heading, code, HTML block or table: its lines without the containers' marks."""

    block: Block
    home: Container | None
    line: int
    last: int
    lines: list[str] = dataclasses.field(default_factory=list)
    level: int = 0
    html: int = 0
    fence: Fence | None = None
    closed: bool = False
    columns: int = 0
    no_table: bool = False

    def text(self) -> str:
        """The lines as one text."""
        return "\n".join(self.lines)

    def may_define_links(self) -> bool:
        """True if part of it may be a link definition, which is not shown."""
        return self.block is Block.PARAGRAPH and self.lines[0].startswith("[") and "]:" in self.text()


@dataclass(frozen=True, kw_only=True, slots=True)
class Doubt:
    """The line from which the text cannot be read as GitHub does, and why."""

    line: int
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Blocks:
    """The leaf blocks of a text in order, up to a doubt."""

    leaves: tuple[Leaf, ...]
    doubt: Doubt | None
