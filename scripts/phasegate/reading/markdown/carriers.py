"""Carriers of signals: an HTML comment or a code fence that begins with a marker, and what is wrong with it as such."""

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
from phasegate.reading.markdown.lines import COMMENT_END, COMMENT_START, HTML_COMMENT, Token

_SPACES = late(r"[ \t\n]*")
_REST_OF_LINE = late(r"[ \t]*([^ \t\n]?)")
_NAME = late(r"[A-Za-z0-9]*(?:[._-]+[A-Za-z0-9]+)*(?=[ \t\n:{\[|]|\Z)")
_WORD = late(r"[^ \t\n]*")
_IN_WORD = late(r"[A-Za-z0-9_-]", re.ASCII)
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
    """What a signal is written in."""

    HTML_COMMENT = "HTML comment"
    FENCE = "code fence"


@dataclass(frozen=True, kw_only=True, slots=True)
class Carrier:
    """A top-level block that begins with a marker: the marker, the text after it and where that begins.

    ``fault`` says why the block itself is not well formed; one that is not closed has a fault too.
    """

    marker: str
    kind: CarrierKind
    payload: str
    position: Position
    first_line: int
    last_line: int
    closed: bool
    fault: Fault | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ClosedFence:
    """A closed code fence at top level: the words behind its first signs, the lines inside it and where they begin.

    ``fault`` names a character in it that readers treat differently.
    """

    info: str
    payload: str
    position: Position
    first_line: int
    last_line: int
    fault: Fault | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Spot:
    """A carrier in its text: from where to where it stands, where its marker is, and what is open around it."""

    carrier: Carrier
    start: int
    end: int
    marker_at: int
    inside: Opened | Doubt | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Site:
    """Where a carrier may stand: a code fence, or an HTML comment in a piece of HTML; offsets are those of the text."""

    leaf: Leaf
    inside: Opened | Doubt | None
    comment: Token | None = None


class _Extent(NamedTuple):
    """Where a carrier begins and its marker, where what it holds ends and itself, and whether it is closed."""

    start: int
    marker_at: int
    inner_end: int
    end: int
    closed: bool


def _extent(sheet: Lines, site: Site) -> _Extent:
    text, leaf, comment = sheet.text, site.leaf, site.comment
    if comment:
        inner = comment.start + len(COMMENT_START)
        closed = text.endswith(COMMENT_END, inner, comment.end)
        inner_end = comment.end - len(COMMENT_END) if closed else comment.end
        return _Extent(comment.start, _skip_spaces(text, inner), inner_end, comment.end, closed)
    start, end = _skip_spaces(text, sheet.begin(leaf.line)), sheet.finish(leaf.last)
    inner_end = max(sheet.finish(leaf.line), sheet.begin(leaf.last) if leaf.closed else end)
    return _Extent(start, text.index(_info(leaf), start), inner_end, end, leaf.closed)


def _info(leaf: Leaf) -> str:
    """The info string of a fence, if it is a single word."""
    return leaf.fence.info if leaf.fence and " " not in leaf.fence.info else ""


def spots(sheet: Lines, sites: Iterable[Site], prefix: str) -> Iterator[Spot]:
    """The carriers whose marker begins with the prefix, in the order of the text."""
    for site in sites:
        extent = _extent(sheet, site)
        marker = _info(site.leaf) if _info(site.leaf).startswith(prefix) else ""
        if site.comment:
            marker = _marker(sheet.text, extent.marker_at, extent.inner_end, prefix)
        if marker:
            yield _spot(
                sheet, site, extent, marker, _comment_faults(sheet, site, extent, extent.marker_at + len(marker))
            )


def spots_begun(sheet: Lines, sites: Iterable[Site], words: str) -> Iterator[Spot]:
    """The carriers that begin with these very words, whatever follows them; of a fence they are all it is called."""
    for site in sites:
        extent = _extent(sheet, site)
        at, end = extent.marker_at, extent.inner_end
        begins = _info(site.leaf) == words
        if site.comment:
            begins = sheet.text.startswith(words, at, end) and not _goes_on(sheet.text, at + len(words), end)
        if begins:
            yield _spot(sheet, site, extent, words, _comment_faults(sheet, site, extent))


def _goes_on(text: str, at: int, end: int) -> bool:
    """Whether the word that ends here goes on, so that it is another word."""
    return at < end and bool(_IN_WORD.fullmatch(text[at - 1])) and bool(_IN_WORD.fullmatch(text[at]))


def closed_fences(sheet: Lines, sites: Iterable[Site]) -> Iterator[ClosedFence]:
    """The fences among the sites that no element holds and that are closed."""
    for site in sites:
        leaf = site.leaf
        if site.inside is None and leaf.closed and leaf.fence:
            start, end = sheet.begin(leaf.line + 1), sheet.begin(leaf.last)
            yield ClosedFence(
                info=leaf.fence.info,
                payload=sheet.text[start:end].removesuffix("\n"),
                position=Position(line=leaf.line + 1, column=1),
                first_line=leaf.line,
                last_line=leaf.last,
                fault=next(control_faults(sheet, sheet.begin(leaf.line), sheet.finish(leaf.last)), None),
            )


def _spot(sheet: Lines, site: Site, extent: _Extent, marker: str, faults: Iterator[Fault]) -> Spot:
    after = extent.marker_at + len(marker)
    if site.comment and sheet.text.startswith(":", after, extent.inner_end):
        after += 1
    first = min(_skip_spaces(sheet.text, after), extent.inner_end)
    carrier = Carrier(
        marker=marker,
        kind=CarrierKind.HTML_COMMENT if site.comment else CarrierKind.FENCE,
        payload=sheet.text[first : extent.inner_end].rstrip(" \t\n"),
        position=sheet.position(first),
        first_line=sheet.line(extent.start),
        last_line=sheet.line(extent.end),
        closed=extent.closed,
        fault=next(faults if site.comment else _fence_faults(sheet, extent), None),
    )
    return Spot(carrier=carrier, start=extent.start, end=extent.end, marker_at=extent.marker_at, inside=site.inside)


def _comment_faults(sheet: Lines, site: Site, extent: _Extent, marker_end: int | None = None) -> Iterator[Fault]:
    """What is wrong with an HTML comment; something must stand behind the end of a marker."""
    text, start = sheet.text, sheet.position(extent.start)
    if not extent.closed and site.leaf.html == HTML_COMMENT:
        yield Fault(
            code="PG032", message="the text ends before the HTML comment is closed: --> is missing", position=start
        )
    elif not extent.closed:
        message = f"the block is part of the HTML that begins in line {site.leaf.line} and ends at the next blank line"
        yield Fault(code="PG031", message=message, position=start, hint="put a blank line before the block")
    second = SECOND_MARK.search(text, extent.start + len(COMMENT_START), extent.inner_end)
    if second:
        message = f"{second[0]} inside the HTML comment: not every reader goes on there"
        yield Fault(code="PG034", message=message, position=sheet.position(second.start()), hint=_ESCAPED_MARK)
    rest = _REST_OF_LINE.match(text, extent.end)
    if extent.closed and rest and rest[1]:
        message = "text follows --> on its line: the comment ends there, and the rest is shown on the page"
        yield Fault(code="PG034", message=message, position=sheet.position(rest.start(1)), hint=_ESCAPED_END)
    if marker_end is not None and not text[marker_end : extent.inner_end].strip(" \t\n:"):
        message = "the HTML comment ends right after the marker: what belongs to it must stand before -->"
        yield Fault(code="PG034", message=message, position=sheet.position(extent.inner_end))
    yield from control_faults(sheet, extent.start, extent.end)


def _fence_faults(sheet: Lines, extent: _Extent) -> Iterator[Fault]:
    if not extent.closed:
        message = "the text ends before the code fence is closed"
        yield Fault(code="PG032", message=message, position=sheet.position(extent.start))
    yield from control_faults(sheet, extent.start, extent.end)


def control_faults(sheet: Lines, start: int, end: int, pattern: re.Pattern[str] = _CONTROL) -> Iterator[Fault]:
    """The first character in a stretch that readers treat differently, as a fault."""
    found = pattern.search(sheet.text, start, end)
    if found:
        message = f"the character {character_name(found[0])} is invisible, and readers of Markdown differ on it"
        yield Fault(code="PG035", message=message, position=sheet.position(found.start()))


def _marker(text: str, at: int, end: int, prefix: str) -> str:
    """The marker that begins here; a word that only begins like one is taken whole, so as not to pass for it."""
    if not text.startswith(prefix, at, end):
        return ""
    name = _NAME.match(text, at + len(prefix), end) or _WORD.match(text, at + len(prefix), end)
    return prefix + name[0] if name else ""


def _skip_spaces(text: str, at: int) -> int:
    match = _SPACES.match(text, at)
    return match.end() if match else at


@dataclass(frozen=True, kw_only=True, slots=True)
class Straight:
    """A text whose block stands where it counts, and for each of its lines the number that it had; 0 if it is new."""

    text: str
    lines: tuple[int, ...]


_Rows = list[tuple[str, int]]
_PLAIN_INFO = ("", "json", "jsonc", "json5")
_WRAPPING_INFO = ("", "markdown", "md", "text", "txt")
_OPENING = late(r"(?P<lead> {0,3}<!--[ \t]*)(?P<marker>[^ \t\n{>]{3,64})(?P<rest>.*)", re.DOTALL)
_ALIKE = 0.9


def straightened(text: str, marker: str, key: str) -> Straight | None:
    """The text with its one block of a marker put right, whatever is wrong with its name, its place or its end.

    ``key`` is one that what the block holds must have. Nothing where no block or several could be meant, where the
    text was cut off inside of it, or where nothing is to be done.
    """
    rows: _Rows = [(line, number) for number, line in enumerate(text.split("\n"), 1)]
    found = _meant(_unwrapped(rows, marker, key), marker, key)
    if found is None:
        return None
    before, block, after = found
    shown = any(line.strip() for line, _ in before), any(line.strip() for line, _ in after)
    if all(shown):
        before, after = [*_trimmed(before), ("", 0), *_trimmed(after)], [("", 0)]
    gap: _Rows = [("", 0)] if before and before[-1][0].strip() else []
    made = [*before, *gap, *block, *after]
    straight = Straight(text="\n".join(line for line, _ in made), lines=tuple(number for _, number in made))
    return None if straight.text == text else straight


def _trimmed(rows: _Rows) -> _Rows:
    """The rows without blank ones at either end."""
    kept = [index for index, (line, _) in enumerate(rows) if line.strip()]
    return rows[kept[0] : kept[-1] + 1] if kept else []


def _unwrapped(rows: _Rows, marker: str, key: str) -> _Rows:
    """The rows without a fence around the block, whatever else is in that fence."""
    for leaf in scan("\n".join(line for line, _ in rows)).leaves:
        fence = leaf.fence
        if fence is None or leaf.home is not None or fence.info.lower() not in _WRAPPING_INFO or not leaf.closed:
            continue
        inside = rows[leaf.line : leaf.last - 1]
        if not _payload_like("\n".join(line for line, _ in inside), key) and _meant(inside, marker, key):
            return [*rows[: leaf.line - 1], *inside, *rows[leaf.last :]]
    return rows


def _meant(rows: _Rows, marker: str, key: str) -> tuple[_Rows, _Rows, _Rows] | None:
    """What stands before the one block that is meant, the block as it should be, and what stands after it."""
    leaves = [leaf for leaf in scan("\n".join(line for line, _ in rows)).leaves if leaf.home is None]
    made = [(leaf, block) for leaf in leaves if (block := _as_block(rows, leaf, marker, key)) is not None]
    if len(made) == 1:
        (leaf, block) = made[0]
        return (rows[: leaf.line - 1], block, rows[leaf.last :]) if block else None
    return None if made else _bare(rows, marker, key)


def _as_block(rows: _Rows, leaf: Leaf, marker: str, key: str) -> _Rows | None:
    """The block that a leaf is or should be; without any row if it was cut off."""
    own = rows[leaf.line - 1 : leaf.last]
    if leaf.fence:
        inside = own[1:-1] if leaf.closed else _trimmed(own[1:])
        whole = "\n".join(line for line, _ in inside)
        plain = leaf.fence.info.lower() in _PLAIN_INFO and _payload_like(whole, key)
        if not plain and not _is_alike(leaf.fence.info, marker):
            return None
        if not leaf.closed and not whole.rstrip().endswith("}"):
            return []
        signs = own[0][0].strip()[: len(own[0][0].strip()) - len(own[0][0].strip().lstrip("`~"))]
        return [(f"{signs}{marker}", own[0][1]), *inside, own[-1] if leaf.closed else (signs, 0)]
    opening = _OPENING.fullmatch(own[0][0]) if leaf.block is Block.HTML else None
    if opening is None or not _is_alike(opening["marker"], marker):
        return None
    closed = COMMENT_END in "".join(line for line, _ in own)
    kept = [(f"<!-- {marker}{opening['rest']}", own[0][1]), *(own[1:] if closed else _trimmed(own[1:]))]
    if closed:
        return kept
    return [*kept, (COMMENT_END, 0)] if kept[-1][0].rstrip().endswith("}") else []


def _bare(rows: _Rows, marker: str, key: str) -> tuple[_Rows, _Rows, _Rows] | None:
    """The same of what a block should hold and that stands there without one, to the end of the text."""
    first = next((index for index, (line, _) in enumerate(rows) if line.startswith("{")), None)
    if first is None:
        return None
    inside = _trimmed(rows[first:])
    whole = "\n".join(line for line, _ in inside)
    if not _payload_like(whole, key) or not whole.rstrip().endswith("}"):
        return None
    return rows[:first], [(f"```{marker}", 0), *inside, ("```", 0)], []


def _payload_like(text: str, key: str) -> bool:
    """Whether a text begins like a JSON object that has the key, in whatever quotes and letters."""
    return text.lstrip().startswith("{") and re.search(rf"[^a-z]{re.escape(key)}[^a-z]", text.lower()) is not None


def _is_alike(word: str, marker: str) -> bool:
    """Whether a word is the marker, or near enough that nothing else can be meant."""
    told = word.lower().rstrip(":").replace("_", "-").replace(" ", "")
    return told in (marker, marker.partition(":")[2]) or bool(near(told, [marker], _ALIKE))
