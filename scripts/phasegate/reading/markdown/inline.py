"""The raw HTML inside a paragraph, heading or table cell: its text in, tags and hidden stretches out.

Only what binds as tightly as raw HTML is read: escapes, code spans, autolinks, tags and, because they can swallow a
tag, the ends of links. Where a link is not of the plain kind, markup after it is odd rather than guessed at. One pass;
nothing is searched for twice.
"""

from __future__ import annotations

import dataclasses
import re
from bisect import bisect_left, bisect_right

from phasegate.model.frozen import late
from phasegate.reading.markdown.blocks import Container, Doubt, Leaf
from phasegate.reading.markdown.lines import (
    COMMENT_END,
    COMMENT_START,
    FILTERED_TAG,
    PLAIN_DECLARATION,
    Sort,
    Token,
    tag_at,
)

_STOP = late(r"\\|`+|<|!\[|\[\^?|\][(\[]?|(?:https?|ftp)://|www\.", re.IGNORECASE | re.ASCII)
_ESCAPE = late(r"\\[!-/:-@\[-`{-~]")
_TICKS = late(r"`+")
_SIGN = late(r"[<`\\\[\]]")
_AUTOLINK = late(r"<(?:[A-Za-z][A-Za-z0-9.+-]{1,31}:[^\x00-\x20<>]*|[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+)>")
# GitHub reads no code span from a longer run.
_LONGEST_TICKS = 80
_WORD = r"""[^\s<>()"'`\\\[\]]*"""
_PLAIN_LINK_END = late(rf"""\]\({_WORD}(?:\({_WORD}\){_WORD})*(?:[ \n]+(?:"[^"<>`\\\[\]]*"|'[^'<>`\\\[\]]*'))?\)""")
_PLAIN_LABEL = late(r"\[[^\[\]<>`\\]*\]")
_BARE_LINK = late(r"[^ \n<]*")
_BARE_LINK_IN_BRACKETS = late(r"[^ \n<\[\]]*")
_MARKUP = late(r"<(?:[!?]|/?([A-Za-z][A-Za-z0-9-]*))")
_DECLARATIONS = (
    (late(COMMENT_START), COMMENT_END),
    (late(r"<\?"), "?>"),
    (late(r"<!\[CDATA\["), "]]>"),
    (late(r"<![A-Za-z]"), ">"),
)


def has_markup(text: str, at: int = 0) -> bool:
    """True if anything from here on may open or close an element, or hide the text after it."""
    return any(match[1] is None or match[1].lower() in OPENING for match in _MARKUP.finditer(text, at))


class Inline:
    """The tags of one block's text, and the stretches (from, to) of code, markup and link brackets.

    ``unseen`` are stretches that a reader may not see: markup, images, link targets.
    """

    def __init__(self, text: str) -> None:
        """Goes through the text once."""
        self.text = text
        self.tokens: list[Token] = []
        self.stretches: list[tuple[int, int]] = []
        self.unseen: list[tuple[int, int]] = []
        self._brackets: list[int] = []
        self._missing: set[str] = set()  # endings of which there are no more
        self._runs = [(run.start(), run.end() - run.start()) for run in _TICKS.finditer(text)]
        self._ticks: dict[int, list[int]] = {}
        for start, length in self._runs:
            self._ticks.setdefault(length, []).append(start)
        self._searched = False
        self._passed: dict[int, int] = {}
        at = 0
        while stop := _STOP.search(text, at):
            at = self._step(stop[0], stop.start())

    def _step(self, sign: str, at: int) -> int:
        """Reads the construct that may begin here and returns the offset to go on from."""
        first = sign[0]
        if first == "\\":
            return at + (2 if _ESCAPE.match(self.text, at) else 1)
        if first == "`":
            return self._code(len(sign), at)
        if first == "<":
            return self._markup(at)
        if first == "]":
            return self._bracket_end(sign, at)
        if first in "![":
            if sign != "[" and not _PLAIN_LABEL.match(self.text, at + sign.index("[")):
                return self._unsure(at)
            self._brackets.append(at)
            return at + len(sign)
        # an address in the text is a link without more ado, and swallows what would be markup elsewhere
        match = (_BARE_LINK_IN_BRACKETS if self._brackets else _BARE_LINK).match(self.text, at)
        address = match[0] if match else ""
        return self._unsure(at) if set(address) & set("`\\[]") else at + len(address)

    def _code(self, length: int, at: int) -> int:
        if length > _LONGEST_TICKS:
            return self._unsure(at)
        after = at + length
        runs = self._ticks.get(length, [])
        index = bisect_right(runs, at)
        # an escape may have cut the run short, so its own place may not be among the runs of this length
        if index == len(runs):
            if not self._searched:
                self._pass(after, len(self.text))
            self._searched = True
            return after
        if self.finds_end(length, after):
            self._pass(after, runs[index] + length)
        elif _SIGN.search(self.text, after, runs[index]):
            return self._unsure(at)
        return self._stretch(at, runs[index] + length)

    def finds_end(self, length: int, after: int) -> bool:
        """True if GitHub's engine also finds the end of a code span.

        After one search to the end of the text without success, it finds one only if the last run of that length that
        it passed is still ahead.
        """
        return not self._searched or self._passed.get(length, 0) > after

    def _pass(self, start: int, end: int) -> None:
        """Notes the last run of each length that GitHub's engine passes while it searches for a code span's end."""
        first, last = bisect_left(self._runs, (start,)), bisect_left(self._runs, (end,))
        self._passed.update((length, at) for at, length in self._runs[first:last])

    def _bracket_end(self, sign: str, at: int) -> int:
        opened = self._brackets.pop() if self._brackets else at
        end = at + 1
        if sign == "](":
            link = _PLAIN_LINK_END.match(self.text, at)
            if not link:
                return self._unsure(at, opened)
            end = link.end()
        elif sign == "][" and not _PLAIN_LABEL.match(self.text, at + 1):
            return self._unsure(at, opened)
        elif sign == "][":
            end = self.text.index("]", at + 1) + 1
        self.unseen.append((opened if self.text[opened] == "!" else at, end))
        return self._stretch(opened, at + 1 if sign == "][" else end)

    def _markup(self, at: int) -> int:
        link = _AUTOLINK.match(self.text, at)
        if link:
            return link.end()
        token = tag_at(self.text, at)
        if token and FILTERED_TAG.match(self.text, at):
            # only the first sign is taken away, so that a tag in an attribute comes to life
            return self._odd(at) if "<" in self.text[at + 1 : token.end] else self._hide(at, token.end)
        if token:
            self.tokens.append(token)
            return self._hide(at, token.end)
        if self.text.startswith(("<!-->", "<!--->"), at):
            return self._odd(at)
        for start, ending in _DECLARATIONS:
            match = None if ending in self._missing else start.match(self.text, at)
            end = self.text.find(ending, match.end()) if match else -1
            if end >= 0:
                whole = self.text[at : end + len(ending)]
                plain = _is_plain_comment(whole) or PLAIN_DECLARATION.fullmatch(whole)
                return self._hide(at, at + len(whole)) if plain else self._odd(at)
            if match:
                self._missing.add(ending)
        return at + 1

    def _unsure(self, at: int, since: int | None = None) -> int:
        """From here on engines may differ: any later markup is odd, including the text ``since`` an offset."""
        if has_markup(self.text, at):
            self._odd(at)
        self.unseen.append((at, len(self.text)))
        return self._stretch(at if since is None else since, len(self.text))

    def _odd(self, at: int) -> int:
        self.tokens.append(Token(sort=Sort.ODD, start=at, end=at + 1))
        return self._hide(at, len(self.text))

    def _hide(self, start: int, end: int) -> int:
        self.unseen.append((start, end))
        return self._stretch(start, end)

    def _stretch(self, start: int, end: int) -> int:
        self.stretches.append((start, end))
        return end


def _is_plain_comment(comment: str) -> bool:
    """True if old and new versions of CommonMark agree that this is a comment."""
    body = comment[len(COMMENT_START) : -len(COMMENT_END)]
    return comment.startswith(COMMENT_START) and "--" not in body and not body.endswith("-")


def names(text: str) -> frozenset[str]:
    """A set of element names."""
    return frozenset(text.split())


# Elements that change how the rest of the page is read.
REFUSED = names("html head body form frame frameset noscript template")
# The end tag of these closes what a browser opened inside them, whichever paragraph it stands in.
_TABLE_PARTS = names("caption tbody td tfoot th thead tr")
_BLOCKS = names(
    "address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer "
    "h1 h2 h3 h4 h5 h6 header hgroup li listing main menu nav ol pre search section summary table ul"
)
# The end tag of these may be left out; the end of the element around them closes them.
_IMPLIED = names("dd dt li optgroup option p rb rp rt rtc")
# The end tag of these counts only at the level of its start tag.
_INLINES = names(
    "a abbr acronym applet audio b bdi bdo big blink button canvas cite code colgroup data datalist del dfn em font h7 "
    "h8 i ins isindex kbd label legend map mark marquee math menuitem meter multicol nextid nobr object optgroup "
    "option output picture progress q rb rp rt rtc ruby s samp select slot small spacer span strike strong sub sup svg "
    "time tt u var video"
)
# The end of a quote, list item or table cell closes these for every reader of HTML. Not among them is what the end tag
# of the container would close in its place, what is in its way, and what browsers open again behind it.
_ENDED = names(
    "abbr address article aside bdi bdo center cite data dd del details dfn dialog div dl dt fieldset figcaption "
    "figure footer h1 h2 h3 h4 h5 h6 header hgroup ins kbd label main mark nav p q samp search section span "
    "sub summary sup time var"
)
_MARKDOWNS = _TABLE_PARTS | names("blockquote dl li ol section table ul")
_DEEPEST = 100
OPENING = _BLOCKS | _TABLE_PARTS | _INLINES | REFUSED | {"p"}


@dataclasses.dataclass(slots=True, eq=False)
class Opened:
    """An element opened by a tag: its place, its Markdown container and block, and whether it was closed."""

    name: str
    line: int
    home: Container | None
    leaf: Leaf | None
    within: Opened | None = None
    closed: bool = False

    @property
    def folds(self) -> bool:
        """True if it is only a closed fold, or one inside another."""
        return self.name == "details" and self.closed and (self.within is None or self.within.folds)


@dataclasses.dataclass(slots=True)
class Elements:
    """The HTML elements open at one point of the page."""

    stack: list[Opened] = dataclasses.field(default_factory=list)
    doubt: Doubt | None = None
    torn: bool = False  # an end tag may have closed a quote, list or table of Markdown's before its time

    def innermost(self) -> Opened | Doubt | None:
        """The element or doubt that holds the next block."""
        return self.doubt or (self.stack[-1] if self.stack else None)

    def enter(self, home: Container | None) -> None:
        """Enters a block. Elements left open by an earlier container stay open, unless every reader closes them."""
        while self.stack and not _holds(self.stack[-1].home, home):
            top = self.stack[-1]
            if top.name not in _ENDED or self.torn or self.doubt:
                reason = f"<{top.name}> is not closed in the list item, quote or table cell that opens it"
                self.distrust(top.line, reason)
                return
            self.stack.pop().closed = True

    def distrust(self, line: int, reason: str) -> None:
        """Trusts nothing from this line on. The first reason stays."""
        if self.doubt is None:
            self.doubt = Doubt(line=line, reason=reason)

    def take(self, token: Token, line: int, home: Container | None, leaf: Leaf | None) -> None:
        """Opens or closes an element. GitHub drops unknown elements, so they do neither."""
        if self.doubt:
            return
        if token.name in REFUSED:
            self.distrust(line, f"<{token.name}> has no place in a comment")
        elif token.sort is Sort.OPEN and token.name in _TABLE_PARTS and not self._is_open("table"):
            self.distrust(line, f"<{token.name}> stands outside of a <table>")
        elif token.sort is Sort.OPEN and token.name in OPENING:
            self.stack.append(Opened(token.name, line, home, leaf, self.stack[-1] if self.stack else None))
        elif token.sort is Sort.CLOSE and self._is_open(token.name):
            self._close(token.name, line, home, leaf)
        elif token.sort is Sort.CLOSE and token.name in _MARKDOWNS:
            self.torn = True
        if len(self.stack) > _DEEPEST:
            self.distrust(line, f"more than {_DEEPEST} elements are open")

    def _is_open(self, name: str) -> bool:
        return any(opened.name == name for opened in self.stack)

    def _close(self, name: str, line: int, home: Container | None, leaf: Leaf | None) -> None:
        implied = _IMPLIED if name in _BLOCKS or name in _TABLE_PARTS else frozenset()
        if name in _TABLE_PARTS or name == "table":
            implied |= _TABLE_PARTS | {"colgroup"}
        while self.stack and self.stack[-1].name != name and self.stack[-1].name in implied:
            self.stack.pop().closed = True
        top = self.stack[-1] if self.stack else None
        # the paragraphs that GitHub adds are in the way of some end tags
        reaches = (
            top and top.home is home and (top.leaf is leaf or name in _BLOCKS or name in _TABLE_PARTS or name == "p")
        )
        if top is None or top.name != name or not reaches:
            self.distrust(line, f"</{name}> does not close the element that was opened last")
        else:
            self.stack.pop().closed = True


def _holds(outer: Container | None, inner: Container | None) -> bool:
    while inner is not None and inner is not outer:
        inner = inner.parent
    return inner is outer
