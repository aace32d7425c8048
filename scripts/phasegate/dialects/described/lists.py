"""Parts with members: rows of a table, and sections with a count in their title and items below it.

A part and a page come in; a list or map with the place of each member goes out, or why nothing counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from phasegate.dialects.described.forms import At, Part
from phasegate.dialects.described.places import START, Astray, as_seen
from phasegate.dialects.described.values import Piece
from phasegate.model.frozen import dataclass
from phasegate.model.problem import Fault, Position
from phasegate.reading.document import Json, excerpt
from phasegate.reading.markdown.page import Page, PartKind

MOST_ITEMS = 200
_CELL = re.compile(r"(?<!\\)\|")
_QUOTED = re.compile(r"[ \t>]*")
_FENCE = re.compile(r"(?:```|~~~)")
_COUNT = re.compile(r" ?(?P<n>[0-9]{1,4})(?![0-9])|[^()]{0,80}\((?P<told>[0-9]{1,4})\)")
OPEN_TO_ALL = ("", "details")


def listed(part: Part, page: Page) -> Piece | Astray | None:
    """The members of a part that has some; nothing if it is not there at all."""
    return _rows(part, page) if part.at is At.ROW else _section(part, page)


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.strip().replace("\\|", "|") for cell in _CELL.split(inner)]


def _rows(part: Part, page: Page) -> Piece | Astray | None:
    """All rows of the one table with these columns, or the one of them in which some cells say what they should."""
    columns = [as_seen(name) for name in part.header]
    begun = [n for n, line in enumerate(page.text.split("\n"), 1) if _heads(line, columns)]
    if not begun:
        return None
    told = " | ".join(part.header)
    tables = [each for each in page.parts if each.kind is PartKind.TABLE and each.within in OPEN_TO_ALL]
    table = next((each for each in tables if each.line == begun[0]), None)
    if len(begun) > 1:
        return _astray("PG030", f"{len(begun)} lines have the columns {told}; only one may", begun[1])
    if table is None:
        return _astray(
            "PG912", f"the columns {told} are not those of a table", begun[0], quoted=page.is_quoted(begun[0])
        )
    head, _, *body = table.text.split("\n")
    names = [next((name for name in part.header if as_seen(name) == as_seen(cell)), cell) for cell in _cells(head)]
    rows = [(table.line + n, dict(zip(names, _cells(line), strict=False))) for n, line in enumerate(body, start=2)]
    if not part.where:
        return _piece([row for _, row in rows], [line for line, _ in rows], begun[0])
    meant = [(line, row) for line, row in rows if _fits(row, part.where)]
    if len(meant) > 1:
        wanted = ", ".join(f"{name} {excerpt(value)}" for name, value in part.where)
        return _astray("PG030", f"{len(meant)} rows have {wanted}; only one may", meant[1][0])
    return Piece(value=dict(meant[0][1]), start=Position(line=meant[0][0], column=1)) if meant else None


def _heads(line: str, columns: Sequence[str]) -> bool:
    if "|" not in line:
        return False
    seen = [as_seen(cell) for cell in _cells(_QUOTED.sub("", line, count=1))]
    return all(column in seen for column in columns)


def _fits(row: dict[str, str], where: Sequence[tuple[str, str]]) -> bool:
    return all(as_seen(row.get(name, "")) == as_seen(value) for name, value in where)


def _piece(values: Sequence[dict[str, str]], lines: Sequence[int], first: int) -> Piece:
    members: list[Json] = [dict(each) for each in values]
    marks = {str(n): Position(line=line, column=1) for n, line in enumerate(lines)}
    return Piece(value=members, start=Position(line=first, column=1), marks=marks)


def _astray(code: str, message: str, line: int, *, quoted: bool = False) -> Astray:
    return Astray(fault=Fault(code=code, message=message, position=Position(line=line, column=1)), quoted=quoted)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Title:
    """A line that begins a section, and how many it says are in it."""

    line: int
    count: int | None


def _section(part: Part, page: Page) -> Piece | None:
    """What a section says, wherever it stands: how many there are, and the items; of several sections all together.

    Only what is held against the work is read so, since the words may stand in a quote.
    """
    lines = page.text.split("\n")
    words = tuple(map(as_seen, part.titles))
    titles = [title for n, line in enumerate(lines, start=1) if (title := _title(line, n, words)) is not None]
    if not titles and words:
        return None
    ends = tuple(map(as_seen, part.until))
    counts = [title.count for title in titles if title.count is not None]
    begun = [each.line for each in titles] or [0]
    items = [item for at in begun for item in _items(part, lines, at, (*words, *ends), code=not counts)]
    value: dict[str, Json] = {"items": [dict(item) for item in items]}
    value["n"] = sum(counts) if counts else len(items) if items and not words else None
    if value["n"] is None and not words:
        return None
    value["rest"] = sum(counts) - len(items) if counts else None
    start = Position(line=titles[0].line, column=1) if titles else START
    return Piece(value=value, start=start)


def _title(line: str, number: int, words: Sequence[str]) -> _Title | None:
    seen = as_seen(line)
    before = re.match(r"(?P<n>[0-9]{1,4}) ", seen)
    for start in (0, before.end() if before else 0):
        word = next((word for word in words if seen.startswith(word, start)), None)
        if word is not None and not (word[-1].isalnum() and seen[start + len(word) :][:1].isalnum()):
            after = _COUNT.match(seen, start + len(word))
            count = (before and before["n"] if start else None) or (after and (after["n"] or after["told"]))
            return _Title(line=number, count=int(count) if count else None)
    return None


def _items(
    part: Part, lines: Sequence[str], since: int, ends: Sequence[str], *, code: bool
) -> Iterator[dict[str, str]]:
    """The items below a title: an item goes on until something that it has told already is told again.

    Where a title counts them, what stands in code is none of them; else it may be.
    """
    item: dict[str, str] = {}
    fenced, made = False, 0
    for line in lines[since:]:
        plain = _QUOTED.sub("", line, count=1).rstrip()
        fenced ^= _FENCE.match(plain) is not None
        if (fenced and not code) or not plain:
            continue
        if since and _title(line, 0, ends) is not None:
            break
        match = next((match for each in part.patterns if (match := each.match(plain))), None)
        told = {} if match is None else {key: text for key, text in match.groupdict().items() if text is not None}
        if item and any(key in item for key in told):
            yield item
            item, made = {}, made + 1
        item.update(told)
        if made >= MOST_ITEMS:
            return
    if item:
        yield item
