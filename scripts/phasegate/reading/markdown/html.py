"""Raw HTML as CommonMark and browsers both read it: a text in, its tags and comments out, in order.

Where a browser, GitHub's engine and other CommonMark versions could read a construct differently, the token says so
(``ODD``), and whoever reads it must not trust what follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto

from phasegate.model.frozen import dataclass, late

_ATTRIBUTE = r"""[ \t\n]+[A-Za-z_:][A-Za-z0-9_.:-]*(?:[ \t\n]*=[ \t\n]*(?:[^ \t\n"'=<>`]+|'[^']*'|"[^"]*"))?"""
OPEN_TAG = late(rf"<([A-Za-z][A-Za-z0-9-]*)(?:{_ATTRIBUTE})*[ \t\n]*/?>")
CLOSE_TAG = late(r"</([A-Za-z][A-Za-z0-9-]*)[ \t\n]*>")

# Constructs that end nowhere else than at their only ">", whoever reads them.
PLAIN_DECLARATION = late(r"<![A-Za-z][^<>`\[\]\\]*>|<!\[CDATA\[[^<>`\[\]\\]*\]\]>|<\?[^<>`\[\]\\]*\?>")

# GFM shows these as text, whatever stands around them: the tagfilter extension.
_FILTERED = "title|textarea|style|xmp|iframe|noembed|noframes|script|plaintext"
FILTERED_TAG = late(rf"</?(?:{_FILTERED})(?=[ \t\n>]|/>)", re.IGNORECASE | re.ASCII)

COMMENT_START = "<!--"
COMMENT_END = "-->"


class Sort(Enum):
    """What a token is."""

    OPEN = auto()
    CLOSE = auto()
    COMMENT = auto()
    ODD = auto()


@dataclass(frozen=True, kw_only=True, slots=True)
class Token:
    """One piece of markup: the name of its element in lower case, and from where to where in the text it stands.

    A comment that is not closed ends at the end of the text.
    """

    sort: Sort
    name: str = ""
    start: int
    end: int


def raw_tokens(text: str) -> Iterator[Token]:
    """The markup in a text that GitHub passes on as it is; nothing after the first odd token."""
    at = text.find("<")
    while at >= 0:
        token = _raw_token(text, at)
        if token:
            yield token
            if token.sort is Sort.ODD:
                return
        at = text.find("<", token.end if token else at + 1)


def _raw_token(text: str, at: int) -> Token | None:
    if text.startswith(COMMENT_START, at):
        end = text.find(COMMENT_END, at + len(COMMENT_START))
        return Token(sort=Sort.COMMENT, start=at, end=len(text) if end < 0 else end + len(COMMENT_END))
    following = text[at + 1 : at + 2]
    if following in {"!", "?"}:
        return None if PLAIN_DECLARATION.match(text, at) else _odd(at)
    if following != "/" and not (following.isascii() and following.isalpha()):
        return None
    if FILTERED_TAG.match(text, at):
        return None
    return tag_at(text, at) or _odd(at)


def tag_at(text: str, at: int) -> Token | None:
    """The complete tag that begins here, or nothing."""
    match = OPEN_TAG.match(text, at)
    if match:
        return Token(sort=Sort.OPEN, name=match[1].lower(), start=at, end=match.end())
    match = CLOSE_TAG.match(text, at)
    if match:
        return Token(sort=Sort.CLOSE, name=match[1].lower(), start=at, end=match.end())
    return None


def is_plain_comment(comment: str) -> bool:
    """Whether every reader of HTML lets this comment end where CommonMark does."""
    body = comment[len(COMMENT_START) : -len(COMMENT_END)]
    ends = comment.endswith(COMMENT_END) and len(comment) >= len(COMMENT_START) + len(COMMENT_END)
    return ends and not body.startswith((">", "->")) and "--!>" not in body


def _odd(at: int) -> Token:
    return Token(sort=Sort.ODD, start=at, end=at + 1)
