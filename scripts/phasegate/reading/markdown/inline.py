"""The raw HTML inside a paragraph, heading or table cell: its text in, tags and hidden stretches out.

Only what binds as tightly as raw HTML is read: escapes, code spans, autolinks, tags and, because they can swallow a
tag, the ends of links. Where a link is not of the plain kind, markup after it is odd rather than guessed at. One pass;
nothing is searched for twice.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from phasegate.model.frozen import dataclass
from phasegate.model.late import late
from phasegate.reading.markdown.elements import OPENING
from phasegate.reading.markdown.html import (
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
    (re.compile(COMMENT_START), COMMENT_END),
    (re.compile(r"<\?"), "?>"),
    (re.compile(r"<!\[CDATA\["), "]]>"),
    (re.compile(r"<![A-Za-z]"), ">"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Inline:
    """The tags of a text, and the stretches (from, to) that are code, markup, or inside a link's brackets."""

    tokens: tuple[Token, ...]
    stretches: tuple[tuple[int, int], ...]


def read_inline(text: str) -> Inline:
    """What the inline text of one block holds."""
    reader = _Reader(text)
    reader.read()
    return Inline(tokens=tuple(reader.tokens), stretches=tuple(reader.stretches))


def has_markup(text: str, at: int = 0) -> bool:
    """Whether anything from here on may open or close an element, or hide what follows."""
    return any(match[1] is None or match[1].lower() in OPENING for match in _MARKUP.finditer(text, at))


class _Reader:
    """The state of one reading: what was found, the brackets that are open, and which ends there are no more of."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[Token] = []
        self.stretches: list[tuple[int, int]] = []
        self.brackets: list[int] = []
        self.missing: set[str] = set()
        self.ticks: dict[int, list[int]] = {}
        for run in _TICKS.finditer(text):
            self.ticks.setdefault(run.end() - run.start(), []).append(run.start())

    def read(self) -> None:
        """Go through the text once."""
        at = 0
        while at < len(self.text):
            stop = _STOP.search(self.text, at)
            if not stop:
                return
            at = self._step(stop[0], stop.start())

    def _step(self, sign: str, at: int) -> int:
        """Read the construct that may begin here; the place to go on from."""
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
            return self._bracket(sign, at)
        return self._bare_link(at)

    def _code(self, length: int, at: int) -> int:
        if length > _LONGEST_TICKS:
            return self._unsure(at)
        after = at + length
        runs = self.ticks.get(length, [])
        index = bisect_right(runs, at)
        # an escape may have cut the run short, so its own place may not be among the runs of this length
        if index == len(runs):
            return after
        return self._stretch(at, runs[index] + length)

    def _bracket(self, sign: str, at: int) -> int:
        if sign != "[" and not _PLAIN_LABEL.match(self.text, at + sign.index("[")):
            return self._unsure(at)
        self.brackets.append(at)
        return at + len(sign)

    def _bracket_end(self, sign: str, at: int) -> int:
        opened = self.brackets.pop() if self.brackets else at
        end = at + 1
        if sign == "](":
            link = _PLAIN_LINK_END.match(self.text, at)
            if not link:
                return self._unsure(at)
            end = link.end()
        elif sign == "][" and not _PLAIN_LABEL.match(self.text, at + 1):
            return self._unsure(at)
        return self._stretch(opened, end)

    def _bare_link(self, at: int) -> int:
        """An address in the text is a link without more ado, and swallows what would be markup elsewhere."""
        pattern = _BARE_LINK_IN_BRACKETS if self.brackets else _BARE_LINK
        match = pattern.match(self.text, at)
        address = match[0] if match else ""
        return self._unsure(at) if set(address) & set("`\\[]") else at + len(address)

    def _markup(self, at: int) -> int:
        link = _AUTOLINK.match(self.text, at)
        if link:
            return link.end()
        token = tag_at(self.text, at)
        if token:
            return self._tag(token)
        if self.text.startswith(("<!-->", "<!--->"), at):
            return self._odd(at)
        return self._declaration(at)

    def _tag(self, token: Token) -> int:
        if FILTERED_TAG.match(self.text, token.start):
            # only the first sign is taken away, so that a tag in an attribute comes to life
            if "<" in self.text[token.start + 1 : token.end]:
                return self._odd(token.start)
        else:
            self.tokens.append(token)
        return self._stretch(token.start, token.end)

    def _declaration(self, at: int) -> int:
        for start, ending in _DECLARATIONS:
            match = start.match(self.text, at)
            end = self._find(ending, match.end()) if match else -1
            if end >= 0:
                whole = self.text[at : end + len(ending)]
                plain = _is_plain_comment(whole) or PLAIN_DECLARATION.fullmatch(whole)
                return self._stretch(at, at + len(whole)) if plain else self._odd(at)
        return at + 1

    def _find(self, ending: str, at: int) -> int:
        if ending in self.missing:
            return -1
        end = self.text.find(ending, at)
        if end < 0:
            self.missing.add(ending)
        return end

    def _unsure(self, at: int) -> int:
        """Engines may differ from here on: any markup that follows is odd."""
        return self._odd(at) if has_markup(self.text, at) else self._stretch(at, len(self.text))

    def _odd(self, at: int) -> int:
        self.tokens.append(Token(sort=Sort.ODD, start=at, end=at + 1))
        return self._stretch(at, len(self.text))

    def _stretch(self, start: int, end: int) -> int:
        self.stretches.append((start, end))
        return end


def _is_plain_comment(comment: str) -> bool:
    """Whether old and new versions of CommonMark agree that this is a comment."""
    body = comment[len(COMMENT_START) : -len(COMMENT_END)]
    return comment.startswith(COMMENT_START) and "--" not in body and not body.endswith("-")
