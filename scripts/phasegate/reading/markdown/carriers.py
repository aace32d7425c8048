"""Carriers of signals: HTML comments and code fences that begin with a marker, and their faults."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import NamedTuple

from phasegate.model.frozen import dataclass, late
from phasegate.model.problem import Fault, Position, near
from phasegate.reading.document import Lines, character_name
from phasegate.reading.markdown.blocks import Block, Doubt, Leaf, scan
from phasegate.reading.markdown.inline import Opened
from phasegate.reading.markdown.lines import COMMENT_END, COMMENT_START, HTML_COMMENT

_SPACES = late(r"[ \t\n]*")
_REST_OF_LINE = late(r"[ \t]*([^ \t\n]?)")
_NAME = late(r"[A-Za-z0-9]*(?:[._-]+[A-Za-z0-9]+)*(?=[ \t\n:{\[|]|\Z)")
_WORD = late(r"[^ \t\n]*")
_WORD_GOES_ON = late(r"(?<=[A-Za-z0-9_-])[A-Za-z0-9_-]")
_CONTROL = late(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff]")
# Whole lines that known runtimes of agents add below what an agent wrote. docs/jkz.md shows them.
FOOTERS = (
    "---",
    "Co-Authored-By: Claude <noreply@anthropic.com>",
    "\U0001f916 Generated with [Claude Code](https://claude.ai/code)",
    "\U0001f916 Generated with [Claude Code](https://claude.com/claude-code)",
    "Generated with [Claude Code](https://claude.ai/code)",
    "Generated with [Claude Code](https://claude.com/claude-code)",
)
SECOND_MARK = late(r"<!--|--!>")
_ESCAPED_MARK = r"inside the JSON write \u003c for < and \u003e for >"
_ESCAPED_END = r"--> ends the comment wherever it stands: inside the JSON write --\u003e"


class CarrierKind(str, Enum):
    """The kind of a carrier."""

    HTML_COMMENT = "HTML comment"
    FENCE = "code fence"


@dataclass(frozen=True, kw_only=True, slots=True)
class Carrier:
    """A block that begins with a marker: the marker, the text after it and its position.

    It goes from ``start`` to ``end``, with its marker at ``marker_at``. ``inside`` is the element around it. ``fault``
    tells why the block is malformed, for example not closed. For a closed fence the marker is the whole info string.
    """

    marker: str
    kind: CarrierKind
    payload: str
    position: Position
    first_line: int
    last_line: int
    fault: Fault | None = None
    start: int = 0
    end: int = 0
    marker_at: int = 0
    inside: Opened | Doubt | None = None


class Site(NamedTuple):
    """Where a carrier may stand: a code fence or an HTML comment, and the element around it.

    It goes from ``start`` to ``end``. Its content ends at ``inner_end``, and a marker would be at ``marker_at``.
    """

    leaf: Leaf
    inside: Opened | Doubt | None
    kind: CarrierKind
    start: int
    marker_at: int
    inner_end: int
    end: int
    closed: bool

    @property
    def info(self) -> str:
        """A fence's info string, if it is a single word."""
        return self.leaf.fence.info if self.leaf.fence and " " not in self.leaf.fence.info else ""


def fence_site(sheet: Lines, leaf: Leaf, inside: Opened | Doubt | None) -> Site:
    """The site of a code fence."""
    start, end = _skip_spaces(sheet.text, sheet.begin(leaf.line)), sheet.finish(leaf.last)
    inner_end = max(sheet.finish(leaf.line), sheet.begin(leaf.last) if leaf.closed else end)
    site = Site(leaf, inside, CarrierKind.FENCE, start, start, inner_end, end, leaf.closed)
    return site._replace(marker_at=sheet.text.index(site.info, start))


def comment_site(sheet: Lines, leaf: Leaf, inside: Opened | Doubt | None, start: int, end: int) -> Site:
    """The site of an HTML comment between two offsets."""
    inner = start + len(COMMENT_START)
    closed = sheet.text.endswith(COMMENT_END, inner, end)
    inner_end, marker_at = end - len(COMMENT_END) * closed, _skip_spaces(sheet.text, inner)
    return Site(leaf, inside, CarrierKind.HTML_COMMENT, start, marker_at, inner_end, end, closed)


def carriers(sheet: Lines, sites: Iterable[Site], prefix: str) -> Iterator[Carrier]:
    """The carriers whose marker begins with the prefix, in order."""
    for site in sites:
        marker, at, end = site.info, site.marker_at, site.inner_end
        if site.kind is CarrierKind.HTML_COMMENT:
            # a word that only begins like a marker is taken whole, so as not to pass for it
            name = _NAME.match(sheet.text, at + len(prefix), end) or _WORD.match(sheet.text, at + len(prefix), end)
            marker = prefix + name[0] if name else ""
        if marker and sheet.text.startswith(prefix, at, end):
            yield _carrier(sheet, site, marker, _comment_faults(sheet, site, at + len(marker)))


def carriers_begun(sheet: Lines, sites: Iterable[Site], words: str) -> Iterator[Carrier]:
    """The carriers that begin with these exact words; a fence's info string must equal them."""
    for site in sites:
        begins = site.info == words
        if site.kind is CarrierKind.HTML_COMMENT:
            next_word = _WORD_GOES_ON.match(sheet.text, site.marker_at + len(words), site.inner_end)
            begins = sheet.text.startswith(words, site.marker_at, site.inner_end) and not next_word
        if begins:
            yield _carrier(sheet, site, words, _comment_faults(sheet, site))


def closed_fences(sheet: Lines, sites: Iterable[Site]) -> Iterator[Carrier]:
    """The closed fences outside HTML elements, with their lines unchanged."""
    for site in sites:
        leaf = site.leaf
        if site.inside is None and leaf.closed and leaf.fence:
            yield Carrier(
                marker=leaf.fence.info,
                kind=site.kind,
                payload=sheet.text[sheet.begin(leaf.line + 1) : sheet.begin(leaf.last)].removesuffix("\n"),
                position=Position(line=leaf.line + 1, column=1),
                first_line=leaf.line,
                last_line=leaf.last,
                fault=next(control_faults(sheet, sheet.begin(leaf.line), site.end), None),
                start=site.start,
                end=site.end,
            )


def _carrier(sheet: Lines, site: Site, marker: str, comment_faults: Iterator[Fault]) -> Carrier:
    after, is_comment = site.marker_at + len(marker), site.kind is CarrierKind.HTML_COMMENT
    if is_comment and sheet.text.startswith(":", after, site.inner_end):
        after += 1
    first = min(_skip_spaces(sheet.text, after), site.inner_end)
    return Carrier(
        marker=marker,
        kind=site.kind,
        payload=sheet.text[first : site.inner_end].rstrip(" \t\n"),
        position=sheet.position(first),
        first_line=sheet.line(site.start),
        last_line=sheet.line(site.end),
        fault=next(comment_faults if is_comment else _fence_faults(sheet, site), None),
        start=site.start,
        end=site.end,
        marker_at=site.marker_at,
        inside=site.inside,
    )


def _comment_faults(sheet: Lines, site: Site, marker_end: int | None = None) -> Iterator[Fault]:
    """What is wrong with an HTML comment. Something must follow a marker."""
    text, start = sheet.text, sheet.position(site.start)
    if not site.closed and site.leaf.html == HTML_COMMENT:
        message = "the text ends before the HTML comment is closed: --> is missing"
        yield Fault(code="PG032", message=message, position=start)
    elif not site.closed:
        message = f"the block is part of the HTML that begins in line {site.leaf.line} and ends at the next blank line"
        yield Fault(code="PG031", message=message, position=start, hint="put a blank line before the block")
    second = SECOND_MARK.search(text, site.start + len(COMMENT_START), site.inner_end)
    if second:
        message = f"{second[0]} inside the HTML comment: not every reader goes on there"
        yield Fault(code="PG034", message=message, position=sheet.position(second.start()), hint=_ESCAPED_MARK)
    rest = _REST_OF_LINE.match(text, site.end)
    if site.closed and rest and rest[1]:
        message = "text follows --> on its line: the comment ends there, and the rest is shown on the page"
        yield Fault(code="PG034", message=message, position=sheet.position(rest.start(1)), hint=_ESCAPED_END)
    if marker_end is not None and not text[marker_end : site.inner_end].strip(" \t\n:"):
        message = "the HTML comment ends right after the marker: what belongs to it must come before -->"
        yield Fault(code="PG034", message=message, position=sheet.position(site.inner_end))
    yield from control_faults(sheet, site.start, site.end)


def _fence_faults(sheet: Lines, site: Site) -> Iterator[Fault]:
    if not site.closed:
        message = "the text ends before the code fence is closed"
        yield Fault(code="PG032", message=message, position=sheet.position(site.start))
    yield from control_faults(sheet, site.start, site.end)


def control_faults(sheet: Lines, start: int, end: int, pattern: re.Pattern[str] = _CONTROL) -> Iterator[Fault]:
    """The first character in a stretch that readers treat differently, as a fault."""
    found = pattern.search(sheet.text, start, end)
    if found:
        message = f"the character {character_name(found[0])} is invisible, and readers of Markdown differ on it"
        yield Fault(code="PG035", message=message, position=sheet.position(found.start()))


def _skip_spaces(text: str, at: int) -> int:
    match = _SPACES.match(text, at)
    return match.end() if match else at


@dataclass(frozen=True, kw_only=True, slots=True)
class Straight:
    """A text whose block now counts, with each line's former number; 0 for a new line."""

    text: str
    lines: tuple[int, ...]


_Rows = list[tuple[str, int]]
_PLAIN_INFO = ("", "json", "jsonc", "json5")
_WRAPPING_INFO = ("", "markdown", "md", "text", "txt")
_OPENING = late(r"(?P<lead> {0,3}<!--[ \t]*)(?P<marker>[^ \t\n{>]{3,64})(?P<rest>.*)", re.DOTALL)
_ALIKE = 0.9


def straightened(text: str, marker: str, key: str) -> Straight | None:
    """The text with its one block of a marker corrected in name, place and end.

    ``key`` is a required key of the block's content. None if no block or several may be meant, if the text was cut off
    inside it, or if nothing is wrong.
    """
    rows: _Rows = [(line, number) for number, line in enumerate(text.split("\n"), 1)]
    found = _meant(_unwrapped(rows, marker, key), marker, key)
    if found is None:
        return None
    before, block, after = found
    if _text_of(before).strip() and _text_of(after).strip():
        before, after = [*_trimmed(before), ("", 0), *_trimmed(after)], [("", 0)]
    gap: _Rows = [("", 0)] if before and before[-1][0].strip() else []
    made = [*before, *gap, *block, *after]
    straight = Straight(text=_text_of(made), lines=tuple(number for _, number in made))
    return None if straight.text == text else straight


def _text_of(rows: _Rows) -> str:
    return "\n".join(line for line, _ in rows)


def _trimmed(rows: _Rows) -> _Rows:
    kept = [index for index, (line, _) in enumerate(rows) if line.strip()]
    return rows[kept[0] : kept[-1] + 1] if kept else []


def _top_level(rows: _Rows) -> list[Leaf]:
    return [leaf for leaf in scan(_text_of(rows)).leaves if leaf.home is None]


def _unwrapped(rows: _Rows, marker: str, key: str) -> _Rows:
    """The rows without a fence around the block."""
    for leaf in _top_level(rows):
        if leaf.fence and leaf.closed and leaf.fence.info.lower() in _WRAPPING_INFO:
            inside = rows[leaf.line : leaf.last - 1]
            if not _payload_like(_text_of(inside), key) and _meant(inside, marker, key):
                return [*rows[: leaf.line - 1], *inside, *rows[leaf.last :]]
    return rows


def _meant(rows: _Rows, marker: str, key: str) -> tuple[_Rows, _Rows, _Rows] | None:
    """The rows before the one intended block, the block as it should be, and the rows after it."""
    made = [(leaf, block) for leaf in _top_level(rows) if (block := _as_block(rows, leaf, marker, key)) is not None]
    if len(made) == 1:
        (leaf, block) = made[0]
        return (rows[: leaf.line - 1], block, rows[leaf.last :]) if block else None
    first = next((index for index, (line, _) in enumerate(rows) if line.startswith("{")), None)
    if made or first is None:
        return None
    bare = _trimmed(rows[first:])  # what a block should hold, without one, to the end of the text
    if not _payload_like(_text_of(bare), key) or not _is_ended(bare):
        return None
    return rows[:first], [(f"```{marker}", 0), *bare, ("```", 0)], []


def _as_block(rows: _Rows, leaf: Leaf, marker: str, key: str) -> _Rows | None:
    """The block that a leaf is or should be; empty if it was cut off."""
    (opening, number), own = rows[leaf.line - 1], rows[leaf.line : leaf.last]
    if leaf.fence:
        inside = own[:-1] if leaf.closed else _trimmed(own)
        plain = leaf.fence.info.lower() in _PLAIN_INFO and _payload_like(_text_of(inside), key)
        if not plain and not _is_alike(leaf.fence.info, marker):
            return None
        signs = leaf.fence.character * leaf.fence.length
        whole = [(f"{signs}{marker}", number), *inside, own[-1] if leaf.closed else (signs, 0)]
        return whole if leaf.closed or _is_ended(inside) else []
    begun = _OPENING.fullmatch(opening) if leaf.block is Block.HTML else None
    if begun is None or not _is_alike(begun["marker"], marker):
        return None
    first = (f"<!-- {marker}{begun['rest']}", number)
    if COMMENT_END in opening + _text_of(own):
        return [first, *own]
    kept = [first, *_trimmed(own)]
    return [*kept, (COMMENT_END, 0)] if _is_ended(kept) else []


def _is_ended(rows: _Rows) -> bool:
    return _text_of(rows).rstrip().endswith("}")


def _payload_like(text: str, key: str) -> bool:
    """True if a text begins like a JSON object with the key, in any quotes and case."""
    return text.lstrip().startswith("{") and re.search(rf"[^a-z]{re.escape(key)}[^a-z]", text.lower()) is not None


def _is_alike(word: str, marker: str) -> bool:
    """True if a word is the marker, or so close that nothing else can be meant."""
    told = word.lower().rstrip(":").replace("_", "-").replace(" ", "")
    return told in (marker, marker.partition(":")[2]) or bool(near(told, [marker], _ALIKE))
