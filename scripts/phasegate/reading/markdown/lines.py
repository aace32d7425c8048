"""Lines and raw HTML as CommonMark and browsers both read them: what a line begins, and its tags and comments.

If a browser, GitHub's engine and other CommonMark versions may differ on a construct, its token is ``ODD``, and
nothing after it may be trusted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

from phasegate.model.frozen import dataclass, late


class Sort(Enum):
    """The kind of a token."""

    OPEN = auto()
    CLOSE = auto()
    COMMENT = auto()
    ODD = auto()


_ATTRIBUTE = r"""[ \t\n]+[A-Za-z_:][A-Za-z0-9_.:-]*(?:[ \t\n]*=[ \t\n]*(?:[^ \t\n"'=<>`]+|'[^']*'|"[^"]*"))?"""
OPEN_TAG = late(rf"<([A-Za-z][A-Za-z0-9-]*)(?:{_ATTRIBUTE})*[ \t\n]*/?>")
CLOSE_TAG = late(r"</([A-Za-z][A-Za-z0-9-]*)[ \t\n]*>")

# Constructs that end nowhere else than at their only ">", whoever reads them.
_DECLARED = r"<![A-Za-z][^<>`\[\]\\]*>|<!\[CDATA\[[^<>`\[\]\\]*\]\]>|<\?[^<>`\[\]\\]*\?>"
PLAIN_DECLARATION = late(_DECLARED)

# GFM shows these as text, whatever stands around them: the tagfilter extension.
_FILTERED = r"</?(?:title|textarea|style|xmp|iframe|noembed|noframes|script|plaintext)(?=[ \t\n>]|/>)"
FILTERED_TAG = late(_FILTERED, re.IGNORECASE | re.ASCII)
_NO_TAG = late(rf"<(?![!?/A-Za-z])|{_DECLARED}|{_FILTERED}", re.IGNORECASE | re.ASCII)

_TAGS = ((Sort.OPEN, OPEN_TAG), (Sort.CLOSE, CLOSE_TAG))
COMMENT_START = "<!--"
COMMENT_END = "-->"


@dataclass(frozen=True, kw_only=True, slots=True)
class Token:
    """One piece of markup: its element's name in lower case, and its start and end.

    An unclosed comment ends with the text.
    """

    sort: Sort
    name: str = ""
    start: int
    end: int


def raw_tokens(text: str) -> Iterator[Token]:
    """The markup that GitHub passes on unchanged, up to the first odd token."""
    at = text.find("<")
    while at >= 0:
        token = None
        if text.startswith(COMMENT_START, at):
            end = text.find(COMMENT_END, at + len(COMMENT_START))
            token = Token(sort=Sort.COMMENT, start=at, end=len(text) if end < 0 else end + len(COMMENT_END))
        elif not _NO_TAG.match(text, at):
            token = tag_at(text, at) or Token(sort=Sort.ODD, start=at, end=at + 1)
        if token:
            yield token
            if token.sort is Sort.ODD:
                return
        at = text.find("<", token.end if token else at + 1)


def tag_at(text: str, at: int) -> Token | None:
    """The complete tag that begins here, or None."""
    for sort, pattern in _TAGS:
        match = pattern.match(text, at)
        if match:
            return Token(sort=sort, name=match[1].lower(), start=at, end=match.end())
    return None


def is_plain_comment(comment: str) -> bool:
    """True if every HTML reader ends this comment where CommonMark does."""
    body = comment[len(COMMENT_START) : -len(COMMENT_END)]
    ends = comment.endswith(COMMENT_END) and len(comment) >= len(COMMENT_START) + len(COMMENT_END)
    return ends and not body.startswith((">", "->")) and "--!>" not in body


# Engines differ on what these do to the lines around them; line ends are folded before.
STRUCTURAL_CONTROL = late(r"[\x00\x0b\x0c\r]|\A\ufeff")
_NO_SPACE = late(r"[^ ]")
INDENTED = 4
WIDEST_TABLE = 128

_OPEN_FENCE = late(r"(`{3,})([^`]*)\Z|(~{3,})([^\n]*)\Z")
_CLOSE_FENCE = late(r"(`{3,}|~{3,}) *\Z")
_HEADING = late(r"(#{1,6})(?: |\Z)")
_UNDERLINE = late(r"(=+|-+) *\Z")
_ITEM = late(r"(?:[*+-]|([0-9]{1,9})[.)])(?= |\Z)")
TASK = late(r"\[[ xX]\] +")
FOOTNOTE = late(r"\[\^[^\] ]+\]: *")
_DELIMITER_CELL = late(r" *:?-+:? *")
_CELL_END = late(r"(?<!\\)\|")

_BLOCK_NAMES = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|"
    "fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|"
    "menuitem|nav|noframes|ol|optgroup|option|p|param|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul"
)
_HTML_STARTS = (
    late(r"<(?:script|pre|style|textarea)(?=[ >]|\Z)", re.IGNORECASE | re.ASCII),
    late(r"<!--"),
    late(r"<\?"),
    late(r"<![A-Z]"),
    late(r"<!\[CDATA\["),
    late(rf"</?(?:{_BLOCK_NAMES})(?= |/?>|\Z)", re.IGNORECASE | re.ASCII),
)
_HTML_ENDS = (
    late(r"</(?:script|pre|style|textarea)>", re.IGNORECASE | re.ASCII),
    late(r"-->"),
    late(r"\?>"),
    late(r">"),
    late(r"\]\]>"),
)
# These begin a block in some versions of CommonMark and none in others.
HTML_DOUBTFUL = late(r"(?i:</?(?:search|source)(?= |/?>|\Z))|<![a-z]", re.ASCII)

HTML_COMMENT = 2
HTML_UNTIL_BLANK = 6
HTML_LONE_TAG = 7


class Fence(NamedTuple):
    """The opening line of a code fence: its character, its length, and its info string."""

    character: str
    length: int
    info: str


def skip_spaces(line: str, start: int) -> int:
    """The offset of the first non-space, or the length of the line."""
    match = _NO_SPACE.search(line, start)
    return match.start() if match else len(line)


def open_fence(line: str, at: int) -> Fence | None:
    """The fence that this line opens, or None."""
    match = _OPEN_FENCE.match(line, at)
    if not match:
        return None
    run, info = (match[1], match[2]) if match[1] else (match[3], match[4])
    return Fence(run[0], len(run), info.strip(" "))


def closes_fence(line: str, at: int, fence: Fence) -> bool:
    """True if this line closes the fence."""
    match = _CLOSE_FENCE.match(line, at)
    return bool(match) and line[at] == fence.character and len(line[at:].rstrip(" ")) >= fence.length


def heading(line: str, at: int) -> tuple[int, str]:
    """The level of this heading line and its text without the signs around it; level 0 if it is none."""
    match = _HEADING.match(line, at)
    text = line[at:].lstrip("#").strip(" ")
    bare = text.rstrip("#")
    return len(match[1]) if match else 0, bare.rstrip(" ") if not bare or bare.endswith(" ") else text


def underline_level(line: str, at: int) -> int:
    """The heading level that this line gives the paragraph above it, or 0."""
    match = _UNDERLINE.match(line, at)
    return (1 if line[at] == "=" else 2) if match else 0


def is_rule(line: str, at: int) -> bool:
    """True if this line is a thematic break."""
    signs = line[at:].replace(" ", "")
    return len(signs) >= 3 and signs[0] in "*-_" and not signs.strip(signs[0])  # noqa: PLR2004  (three of them)


def list_marker(line: str, at: int, *, indent: int, in_paragraph: bool) -> tuple[int, int] | None:
    """Where the text of this line's list item begins, and the indent required of later lines; None without one.

    Only some items may interrupt a paragraph.
    """
    match = _ITEM.match(line, at)
    if not match:
        return None
    end = match.end()
    text = skip_spaces(line, end)
    empty = text == len(line)
    if in_paragraph and (empty or (match[1] and int(match[1]) != 1)):
        return None
    gap = 1 if empty or text - end > INDENTED else text - end
    return min(end + gap, len(line)), indent + end - at + gap


def html_start(line: str, at: int, *, in_paragraph: bool) -> int:
    """The number of CommonMark's seven kinds of HTML block that this line begins, or 0."""
    for kind, start in enumerate(_HTML_STARTS, 1):
        if start.match(line, at):
            return kind
    if not in_paragraph:
        tag = tag_at(line, at)
        if tag and not line[tag.end :].strip(" "):
            return HTML_LONE_TAG
    return 0


def html_ends(line: str, kind: int) -> bool:
    """True if this line ends an HTML block of this kind. The sixth and seventh end only at a blank line."""
    return kind < HTML_UNTIL_BLANK and bool(_HTML_ENDS[kind - 1].search(line))


def cells(line: str) -> list[str]:
    """The cells of a table row. As in GitHub's engine, spaces before its first sign are a cell of their own."""
    found = _CELL_END.split(line.rstrip(" ").removeprefix("|"))
    return found if found[-1].strip(" ") else found[:-1]


def delimiter_columns(line: str) -> int:
    """The number of columns set by the row under a table's header, or 0 if this is not such a row."""
    row = line.strip(" ")
    if not row or row[0] not in "|:-":
        return 0
    found = row.removeprefix("|").removesuffix("|").split("|")
    return len(found) if all(_DELIMITER_CELL.fullmatch(cell) for cell in found) else 0
