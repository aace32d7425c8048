"""Which HTML elements are open: tags in the order of the page in, the innermost open element out.

Stricter than a browser on purpose. Where it says that nothing is open, nothing is open for any reader of HTML; a page
whose tags are crossed, cut off or left open is in doubt from there on.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from phasegate.reading.markdown.blocks import Container, Doubt, Leaf
from phasegate.reading.markdown.html import Sort, Token


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


VOID = _names(
    "area base basefont bgsound br col command embed hr image img input keygen link meta param source track wbr"
)
# Elements that change how the rest of the page is read.
REFUSED = _names("html head body form frame frameset noscript template")
# The end tag of these closes what a browser opened inside them, whichever paragraph it stands in.
_TABLE_PARTS = _names("caption tbody td tfoot th thead tr")
_BLOCKS = _names(
    "address article aside blockquote button center dd details dialog dir div dl dt fieldset figcaption figure footer "
    "h1 h2 h3 h4 h5 h6 header hgroup li listing main menu nav ol pre search section summary table ul"
)
# The end tag of these may be left out; the end of the element around them closes them.
_IMPLIED = _names("dd dt li optgroup option p rb rp rt rtc")
# The end tag of these counts only at the level of its start tag.
_INLINES = _names(
    "a abbr acronym applet audio b bdi bdo big blink canvas cite code colgroup data datalist del dfn em font h7 "
    "h8 i ins isindex kbd label legend map mark marquee math menuitem meter multicol nextid nobr object optgroup "
    "option output picture progress q rb rp rt rtc ruby s samp select slot small spacer span strike strong sub sup svg "
    "time tt u var video"
)
# The end of a quote, list item or table cell closes these for every reader of HTML. Not among them is what the end tag
# of the container would close in its place, what is in its way, and what browsers open again behind it.
_ENDED = _names(
    "abbr address article aside bdi bdo center cite data dd del details dfn dialog div dl dt fieldset figcaption "
    "figure footer h1 h2 h3 h4 h5 h6 header hgroup ins kbd label main mark nav p q samp search section span "
    "sub summary sup time var"
)
_MARKDOWNS = _TABLE_PARTS | _names("blockquote dl li ol section table ul")
_DEEPEST = 100
OPENING = _BLOCKS | _TABLE_PARTS | _INLINES | REFUSED | {"p"}


@dataclass(slots=True, eq=False)
class Opened:
    """An element that a tag opened: where, in which Markdown container and block, and whether it is closed again."""

    name: str
    line: int
    home: Container | None
    leaf: Leaf | None
    closed: bool = False


@dataclass(slots=True)
class Elements:
    """The elements that are open at one point of the page."""

    stack: list[Opened] = field(default_factory=list)
    doubt: Doubt | None = None
    torn: bool = False  # an end tag may have closed a quote, list or table of Markdown's before its time

    def innermost(self) -> Opened | Doubt | None:
        """What the next block would stand in."""
        return self.doubt or (self.stack[-1] if self.stack else None)

    def enter(self, home: Container | None) -> None:
        """Go on with a block in this container: some of what was opened in one that has ended stays open for good."""
        while self.stack and not _holds(self.stack[-1].home, home) and self._ends(self.stack[-1]):
            self.stack.pop().closed = True
        if self.stack and not _holds(self.stack[-1].home, home):
            left = self.stack[-1]
            self.distrust(left.line, f"<{left.name}> is not closed in the list item, quote or table cell that opens it")

    def _ends(self, opened: Opened) -> bool:
        """Whether the end of the container that an element was opened in closes it, for every reader."""
        return opened.name in _ENDED and not self.torn and self.doubt is None

    def distrust(self, line: int, reason: str) -> None:
        """Trust nothing from this line on; the first reason stays."""
        if self.doubt is None:
            self.doubt = Doubt(line=line, reason=reason)

    def take(self, token: Token, line: int, home: Container | None, leaf: Leaf | None) -> None:
        """Open or close an element; names that are no elements do neither, GitHub drops them."""
        if self.doubt:
            return
        if token.name in REFUSED:
            self.distrust(line, f"<{token.name}> has no place in a comment")
        elif token.sort is Sort.OPEN and token.name in _TABLE_PARTS and not self._is_open("table"):
            self.distrust(line, f"<{token.name}> stands outside of a <table>")
        elif token.sort is Sort.OPEN and token.name in OPENING:
            self.stack.append(Opened(token.name, line, home, leaf))
        elif token.sort is Sort.CLOSE and self._is_open(token.name):
            self._close(token.name, line, home, leaf)
        elif token.sort is Sort.CLOSE and token.name in _MARKDOWNS:
            self.torn = True
        if len(self.stack) > _DEEPEST:
            self.distrust(line, f"more than {_DEEPEST} elements are open")

    def _is_open(self, name: str) -> bool:
        return any(opened.name == name for opened in self.stack)

    def _close(self, name: str, line: int, home: Container | None, leaf: Leaf | None) -> None:
        implied = _implied_by(name)
        while self.stack and self.stack[-1].name != name and self.stack[-1].name in implied:
            self.stack.pop().closed = True
        top = self.stack[-1] if self.stack else None
        if top is None or top.name != name or not _closes(top, home, leaf):
            self.distrust(line, f"</{name}> does not close the element that was opened last")
        else:
            self.stack.pop().closed = True


def _implied_by(name: str) -> frozenset[str]:
    if name in _TABLE_PARTS or name == "table":
        return _IMPLIED | _TABLE_PARTS | {"colgroup"}
    return _IMPLIED if name in _BLOCKS else frozenset()


def _closes(opened: Opened, home: Container | None, leaf: Leaf | None) -> bool:
    """Whether an end tag here reaches the element: the paragraphs that GitHub adds are in the way of some."""
    if opened.home is not home:
        return False
    return opened.leaf is leaf or opened.name in _BLOCKS or opened.name in _TABLE_PARTS or opened.name == "p"


def _holds(outer: Container | None, inner: Container | None) -> bool:
    while inner is not None and inner is not outer:
        inner = inner.parent
    return inner is outer
