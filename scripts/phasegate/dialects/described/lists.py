"""Parts with members: rows of a table, and sections with a count in their title and items below it.

A part and a page come in; a list or map with the place of each member goes out, or why nothing counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from phasegate.dialects.described.forms import At, Part
from phasegate.dialects.described.places import START, Astray, as_seen, line_at, misplaced
from phasegate.dialects.described.values import Piece
from phasegate.model.problem import Fault
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
        message = f"{len(begun)} lines have the columns {told}; only one may"
        return Astray(fault=Fault(code="PG030", message=message, position=line_at(begun[1])))
    if table is None:
        return misplaced(page, f"the columns {told} are not those of a table", begun[0])
    head, _, *body = table.text.split("\n")
    names = [next((name for name in part.header if as_seen(name) == as_seen(cell)), cell) for cell in _cells(head)]
    rows = [(table.line + n, dict(zip(names, _cells(line), strict=False))) for n, line in enumerate(body, start=2)]
    if not part.where:
        marks = {str(n): line_at(line) for n, (line, _) in enumerate(rows)}
        return Piece(value=[dict(row) for _, row in rows], start=line_at(begun[0]), marks=marks)
    meant = [(line, row) for line, row in rows if all(_same(row.get(name), value) for name, value in part.where)]
    if len(meant) > 1:
        wanted = ", ".join(f"{name} {excerpt(value)}" for name, value in part.where)
        message = f"{len(meant)} rows have {wanted}; only one may"
        return Astray(fault=Fault(code="PG030", message=message, position=line_at(meant[1][0])))
    return Piece(value=dict(meant[0][1]), start=line_at(meant[0][0])) if meant else None


def _same(cell: str | None, value: str) -> bool:
    return as_seen(cell or "") == as_seen(value)


def _heads(line: str, columns: Sequence[str]) -> bool:
    if "|" not in line:
        return False
    seen = [as_seen(cell) for cell in _cells(_QUOTED.sub("", line, count=1))]
    return all(column in seen for column in columns)


def _section(part: Part, page: Page) -> Piece | None:
    """What a section says, wherever it stands: how many there are, and the items; of several sections all together.

    Only what is held against the work is read so, since the words may stand in a quote.
    """
    lines = page.text.split("\n")
    words = tuple(map(as_seen, part.titles))
    titles = [(n, *found) for n, line in enumerate(lines, start=1) if (found := _title(line, words)) is not None]
    if not titles and words:
        return None
    ends = tuple(map(as_seen, part.until))
    counts = [count for _, count in titles if count is not None]
    begun = [line for line, _ in titles] or [0]
    items = [item for at in begun for item in _items(part, lines, at, (*words, *ends), code=not counts)]
    value: dict[str, Json] = {"items": [dict(item) for item in items]}
    value["n"] = sum(counts) if counts else len(items) if items and not words else None
    if value["n"] is None and not words:
        return None
    value["rest"] = sum(counts) - len(items) if counts else None
    return Piece(value=value, start=line_at(titles[0][0]) if titles else START)


def _title(line: str, words: Sequence[str]) -> tuple[int | None] | None:
    """How many a line that begins a section says are in it; nothing of another line."""
    seen = as_seen(line)
    before = re.match(r"(?P<n>[0-9]{1,4}) ", seen)
    for start in (0, before.end() if before else 0):
        word = next((word for word in words if seen.startswith(word, start)), None)
        if word is not None and not (word[-1].isalnum() and seen[start + len(word) :][:1].isalnum()):
            after = _COUNT.match(seen, start + len(word))
            count = (before and before["n"] if start else None) or (after and (after["n"] or after["told"]))
            return (int(count) if count else None,)
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
        if since and _title(line, ends) is not None:
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
