"""The parts of a Markdown page that its blocks are made of, as the block scanner hands them on."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto

from phasegate.reading.markdown.lines import Fence


class Nest(Enum):
    """What can hold other blocks."""

    QUOTE = "a quote"
    ITEM = "a list item"
    FOOTNOTE = "a footnote"
    CELL = "a table cell"


class Block(Enum):
    """What a block without blocks inside is."""

    PARAGRAPH = auto()
    HEADING = auto()
    FENCE = auto()
    CODE = auto()
    HTML = auto()
    TABLE = auto()
    RULE = auto()


@dataclass(slots=True, eq=False)
class Container:
    """A quote, list item or footnote: where it begins, and what it needs of a line to go on.

    ``hollow`` as long as all it holds may turn out to be link definitions, which GitHub takes away.
    """

    nest: Nest
    parent: Container | None
    line: int
    width: int = 0
    empty: bool = True
    hollow: bool = True
    uncertain: bool = False


@dataclass(slots=True, eq=False)
class Leaf:
    """A paragraph, heading, code, HTML block or table: its lines without what the containers around it take."""

    block: Block
    home: Container | None
    line: int
    last: int
    lines: list[str] = field(default_factory=list)
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
        """Whether a part of this may be a link definition, which is not shown."""
        return self.block is Block.PARAGRAPH and self.lines[0].startswith("[") and "]:" in self.text()


@dataclass(frozen=True, kw_only=True, slots=True)
class Doubt:
    """From this line on the text cannot be read as GitHub reads it, and why."""

    line: int
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Blocks:
    """The leaf blocks of a text in order, up to the doubt if there is one."""

    leaves: tuple[Leaf, ...]
    doubt: Doubt | None
