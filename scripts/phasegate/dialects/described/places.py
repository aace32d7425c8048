"""Finds a part on a page. In: a part and a page. Out: its text, or why nothing counts.

For rows of a table, and for sections with items, the result is a list or map with the place of each member. A part's
sign must occur exactly once in the raw text, or nothing counts.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import lru_cache

from phasegate.dialects.described.forms import LINES, At, Part
from phasegate.model.frozen import dataclass, replace
from phasegate.model.plan import alike, begins_like, holds_as_seen
from phasegate.model.problem import Fault, Position
from phasegate.reading.document import Document, Json, JsonPath, excerpt
from phasegate.reading.markdown.page import FOOTERS, Hidden, Page, PartKind, Passage
from phasegate.reading.markdown.walk import sights

START = Position(line=1, column=1)
# Marks before the words of a line: quotes, lists, headings, tables, bold type, code.
_LEAD = re.compile(r"[ \t>*_#`+~|-]*(?:[0-9]{1,3}[.)][ \t]+)?[ \t>*_#`]*", re.ASCII)
_EMPHASIS = re.compile(r"(\*\*|__|\*|_)((?:(?!\1).)+)\1")
_TICKS = re.compile(r"(`+)[ ]?([^`]+?)[ ]?\1")
_TAGS = re.compile(r"^(?:[ \t]*</?[A-Za-z][A-Za-z0-9-]{0,20}(?:[ \t][^<>]{0,200})?>)+")
_ANY_TAG = re.compile(r"<[!/]?[A-Za-z-][^<>]{0,400}>")
_HEADING_TAG = re.compile(r"<h[1-6]\b", re.IGNORECASE)
_MARKS = re.compile(r"[*`~\\]")
# Non-letters, names of emoji, boxes of tasks, names of footnotes and numbers of items.
_BEFORE = re.compile(r"(?::[a-z0-9_+-]{1,40}:|\[x\]|\[\^[^\]\s]{1,60}\]:|[0-9]{1,3}[.)](?=\s)|[\W_])*")
_IMAGE = re.compile(r"\[?!\[[^\[\]]{0,200}\]\([^()\s]{0,400}\)(?:\]\([^()\s]{0,400}\))?")
_ROOM, _COLON = re.compile(r"\s+"), re.compile(r"[_ ]*: ?")
_BREAKS = re.compile(r"\r|<br\s{0,3}/?>", re.IGNORECASE)
LONGEST_TITLE = 1_000
DASHES = "---"
_ITEM = re.compile(r"(?:[-*+]|[0-9]{1,9}[.)])[ \t]+")
_CODE_TAG = re.compile(r"<(?:pre|code|xmp|textarea|script|style|template)\b", re.IGNORECASE | re.ASCII)
# Hides the text after it, whatever stands between.
_HIDING = re.compile(
    r"<(?:template|script|style|textarea|select|noscript|noembed|noframes|iframe|object|svg|math|title|xmp|plaintext)\b"
    r"|<[a-z][^<>]{0,400}\b(?:hidden|style)\b",
    re.IGNORECASE | re.ASCII,
)
_PAIRS = (("[", "]"), ("(", ")"), ("<", ">"))
OPEN_TO_ALL = ("", "details")  # elements that a part may stand in
_WITH_TAGS = (PartKind.HTML, PartKind.PARAGRAPH)
_SHOWN_KINDS = (
    *(PartKind.PARAGRAPH, PartKind.HEADING, PartKind.HTML, PartKind.TABLE),
    *(PartKind.ITEM, PartKind.FOOTNOTE, PartKind.ALERT),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """The value of a part, with the place of each inner value."""

    value: Json
    start: Position
    documents: tuple[Document, ...] = ()
    lines: bool = False
    marks: Mapping[str, Position] = field(default_factory=dict)

    def position(self, path: JsonPath) -> Position:
        """Where the value at a path stands."""
        if not self.documents:
            return self.marks.get(str(path[0]), self.start) if path else self.start
        if not self.lines:
            return self.documents[0].position(path)
        known = path and isinstance(path[0], int) and path[0] < len(self.documents)
        return self.documents[int(path[0])].position(path[1:]) if known else self.start

    def key_position(self, path: JsonPath) -> Position:
        """Where the key of the value at a path stands."""
        return self.documents[0].key_position(path) if self.documents and not self.lines else self.position(path)


def locate(part: Part, page: Page) -> Passage | Hidden | None:
    """The part on the page, or None if it is absent."""
    if part.at is At.WHOLE:
        return Passage(text=page.text, position=START)
    readers = {At.LABEL: _label, At.SAYS: _said, **dict.fromkeys(LINES, _line)}
    return readers.get(part.at, _block)(part, page)


def line_at(line: int) -> Position:
    """The beginning of a line."""
    return Position(line=line, column=1)


def misplaced(page: Page, message: str, line: int) -> Hidden:
    """A part in a place where it does not count."""
    return Hidden(fault=Fault(code="PG912", message=message, position=line_at(line)), quoted=page.is_quoted(line))


def _repeated(message: str, line: int) -> Hidden:
    return Hidden(fault=Fault(code="PG030", message=message, position=line_at(line)))


def _said(part: Part, page: Page) -> Passage | None:
    """The visible first line with a phrase, wherever it stands; only for forms that never pass.

    Letters, spaces, marks and line ends may differ from the description.
    """
    there = [(phrase, shown) for phrase, shown in part.says if holds_as_seen(page.text, phrase)]
    lines = enumerate(page.text.split("\n") if there else (), start=1)
    found = ((number, shown) for number, line in lines for phrase, shown in there if holds_as_seen(line, phrase))
    number, shown = next(found, (START.line, there[0][1] if there else ""))
    return Passage(text=shown, position=line_at(number)) if there else None


def _block(part: Part, page: Page) -> Passage | Hidden | None:
    if not part.words:
        front = page.front_matter
        return Hidden(fault=front) if isinstance(front, Fault) else front
    # other letters; of a marker, also other signs
    there, like = page.text.count(part.words), part.at is At.MARKER and begins_like(part.words, page.text)
    if (like and not there) or page.text.lower().count(part.words.lower()) > there:
        return Hidden(fault=_in_other_letters(excerpt(part.words), START))
    if part.at is At.MARKER:
        found = page.begun_with(part.words, part.stands, part.followed_by)
    elif part.at is At.FENCE or (part.info and page.front_matter is None):
        found = page.fence_holding(part.info, part.words, part.stands)
    else:
        return page.front_matter_holding(part.words)
    if isinstance(found, Hidden):
        late = None if found.quoted or part.at is not At.FRONT_MATTER else _late(part.words, page)
        return found if late is None else replace(found, fault=late)
    return None if found is None else Passage(text=found.payload, position=found.position)


def _late(words: str, page: Page) -> Fault | None:
    """The fault of front matter after the first line, or with more than dashes on its first line."""
    lines = page.text.split("\n")
    dashes = [number for number, line in enumerate(lines, start=1) if line.rstrip() == DASHES]
    first, second = (*dashes, 0, 0)[:2]
    spaced = first == 1 and lines[0] != DASHES
    if not (spaced or first > 1) or not any(words in line for line in lines[first : second - 1]):
        return None
    before = "text" if "".join(lines[: first - 1]).strip() else "an empty line"
    message = f"there is {before} before the front matter; it must begin the text"
    message = "the line --- has a space behind it; front matter begins with the dashes alone" if spaced else message
    hint = "Begin the text with the line ---, and write the rest behind the second one."
    if page.is_fenced:
        message, hint = "the whole text is inside a code fence", "Post it without the lines of the fence around it."
    return Fault(code="PG031", message=message, position=line_at(first), hint=hint)


def _in_other_letters(shown: str, position: Position) -> Fault:
    return Fault(code="PG911", message=f"{shown} is not written with exactly these letters", position=position)


def _line(part: Part, page: Page) -> Passage | Hidden | None:
    numbers, lines = list(lines_begun(page.text, part.signs)), page.text.split("\n")
    if numbers and part.at is At.HEADING:  # or what looks like one, wherever it stands
        headings, raw = {each.line for each in page.headings}, {number: lines[number - 1] for number in numbers}
        alike = {
            n for n, line in raw.items() if "#" in line[: len(line) - len(core_of(line))] or _HEADING_TAG.search(line)
        }
        numbers = [number for number in numbers if number in headings | alike]
    if not numbers:
        return None
    shown, number = " or ".join(excerpt(sign) for sign in part.signs[:3]), numbers[0]
    if len(numbers) > 1:
        return _repeated(f"{len(numbers)} lines begin with {shown}; only one may", numbers[1])
    seen = _seen(part, page, number)
    if seen is None:
        return misplaced(page, f"{shown} {_missed(part, page, number)}", number)
    bold = _EMPHASIS.fullmatch(seen.text)  # around all of the line, unless that is part of what is meant
    plain = bold[2] if bold and not seen.text.startswith(part.signs) else seen.text
    if not plain.startswith(part.signs):
        return Hidden(fault=_in_other_letters(shown, seen.position), near=True)
    if part.pattern is None or part.pattern.match(plain) is None:
        message = f"{excerpt(plain)} is not written as the format has it"
        return Hidden(fault=unlike(part, message, seen.position), near=True)
    return Passage(text=plain, position=seen.position)


def unlike(part: Part, message: str, position: Position) -> Fault:
    """The fault of a text that its part's pattern does not match."""
    hint = "" if part.pattern is None else f"Write it so that it matches {part.pattern.text}"
    return Fault(code="PG912", message=message, position=position, hint=hint)


_MISSED = {
    At.FIRST_LINE: "is not the first line of the text",
    At.LAST_LINE: "is not the last line of the text",
    At.LINE: "is not a line of a paragraph at top level",
    At.ITEM: "is not an item of a list",
}


def _missed(part: Part, page: Page, number: int) -> str:
    levels = [each.level for each in page.headings if each.line == number] if part.at is At.HEADING else []
    if levels and levels[0] != part.level:
        return f"is a heading of level {levels[0]}; level {part.level} is meant"
    heading = f"is not {'the first heading' if part.first else 'a heading of its own'} at top level"
    return _MISSED.get(part.at, heading)


def _seen(part: Part, page: Page, number: int) -> Passage | None:
    """The line of this number, if a reader sees it in the part's place."""
    text: str | None = None
    if part.at in (At.FIRST_LINE, At.LAST_LINE):
        edge = page.first_line if part.at is At.FIRST_LINE else _without_footers(page).last_line
        return edge if edge is not None and edge.position.line == number else None
    if part.at is At.HEADING:
        alike = [each for each in page.headings if part.level in (None, each.level)]
        meant = alike[:1] if part.first else alike
        text = next((each.text.strip() for each in meant if each.line == number), None)
    elif part.html:
        text = _html_line(page, number)
    elif part.at is At.ITEM or part.folded:
        text = _folded_line(part, page, number)
    else:
        text = next((line.text.strip(" \t") for line in page.lines if line.line == number), None)
    return None if text is None else Passage(text=text, position=line_at(number))


def _without_footers(page: Page) -> Page:
    """The page without footers that known runtimes add, and without a rule above them."""
    lines = page.text.rstrip().split("\n")
    kept = list(lines)
    while kept and (not kept[-1].strip() or (kept[-1].strip() in FOOTERS and not "".join(kept[-2:-1]).strip())):
        kept.pop()
    return page if len(kept) == len(lines) or not kept else Page.of("\n".join(kept))


def _html_line(page: Page, number: int) -> str | None:
    """A line with tags, outside comments and code."""
    for part in page.parts:
        if part.kind in _WITH_TAGS and part.line <= number <= part.last_line:
            lines = part.text.split("\n")
            before = "\n".join(lines[: number - part.line])
            hidden = _HIDING.search("\n".join(page.text.split("\n")[:number]))
            shown = not (part.within or _CODE_TAG.search(part.text) or _may_go_on(before) or hidden)
            return lines[number - part.line].strip(" \t") if shown else None
    return None


def _folded_line(part: Part, page: Page, number: int) -> str | None:
    """A line of a paragraph, or a one-line list item, at top level or in a fold."""
    kind = PartKind.ITEM if part.at is At.ITEM else PartKind.PARAGRAPH
    for each in page.parts:
        if each.kind is kind and each.line <= number <= each.last_line and each.within in OPEN_TO_ALL:
            line = each.text.split("\n")[number - each.line].strip(" \t")
            if kind is PartKind.PARAGRAPH:
                return line
            return _ITEM.sub("", line, count=1) if each.line == number else None
    return None


def _may_go_on(text: str) -> bool:
    """True if code, a link, a tag or a comment may begin in a text and end after it."""
    opened = any(text.count(begin) > text.count(end) for begin, end in _PAIRS)
    odd = any(text.count(sign) % 2 for sign in '`"')
    return opened or odd or text.count("<!--") != text.count("-->")


def lines_begun(text: str, signs: tuple[str, ...]) -> Iterator[int]:
    """The numbers of all lines that begin with one of these, ignoring case and marks before it.

    The line as a reader sees it counts too: after tags or an emoji, with entities or look-alike letters.
    """
    cores = tuple(core_of(sign).lower() for sign in signs)
    words = tuple(filter(None, map(as_seen, signs)))
    for number, (line, shown) in enumerate(zip(text.split("\n"), _shown_lines(text), strict=True), start=1):
        if core_of(line).lower().startswith(cores) or (words and any(each.startswith(words) for each in shown)):
            yield number


@lru_cache(maxsize=4)
def _shown_lines(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(map(as_seen, _BREAKS.split(line))) for line in text.split("\n"))


def as_seen(line: str) -> str:
    """The words at a line's beginning as a reader sees them: no tags, marks, invisible signs, capitals, look-alikes."""
    plain = _IMAGE.sub("", line) if "![" in line else line
    plain = html.unescape(_ANY_TAG.sub("", plain)) if "<" in plain or "&" in plain else plain
    plain = alike(plain)
    return _COLON.sub(":", _ROOM.sub(" ", _BEFORE.sub("", _MARKS.sub("", plain), count=1)))


def core_of(line: str) -> str:
    """A line without the marks before its words."""
    match = _LEAD.match(line)
    return line[match.end() :] if match else line


def _label(part: Part, page: Page) -> Passage | Hidden | None:
    numbers = list(lines_begun(page.text, (f"{part.words}:",)))
    if not numbers:
        return None
    label = excerpt(f"{part.words}:")
    if len(numbers) > 1:
        return _repeated(f"{len(numbers)} lines begin with {label}; only one may", numbers[1])
    values = page.labelled(part.words)
    if len(values) != 1:
        return misplaced(page, f"{label} is not a line of a paragraph at top level, in these letters", numbers[0])
    code = _TICKS.fullmatch(values[0].text)
    text = code[2] if code else values[0].text
    if part.pattern is not None and part.pattern.match(text) is None:
        message = f"{label} is not written as the format has it: {excerpt(text)}"
        return Hidden(fault=unlike(part, message, values[0].position), near=True)
    return Passage(text=text, position=values[0].position)


def veto_lines(page: Page, words: str) -> tuple[str, ...]:
    """The visible lines that begin with these words; on an unreadable page, all lines that hold them.

    Tags, an emoji, bold type and list marks before the words are ignored. Tags like <br> end a line.
    """
    if page.doubt is not None:
        return tuple(line for line in page.text.split("\n") if words.lower() in line.lower())
    seen, lowered = as_seen(words), words.lower()
    return tuple(
        line
        for line in _shown_anywhere(page)
        if core_of(_TAGS.sub("", line)).lower().startswith(lowered) or (seen and as_seen(line).startswith(seen))
    )


def _shown_anywhere(page: Page) -> Iterator[str]:
    """All visible lines that are not quoted, and table cells."""
    yield from (line for part in page.parts if part.kind in _SHOWN_KINDS for line in sights(part.text))
    yield from (line.text for line in page.own_lines)


def folds_titled(page: Page, words: str) -> tuple[str, ...]:
    """The titles of folds that hold these words, ignoring case."""
    _, *begun = page.text.lower().split("<summary")
    titles = (text[:LONGEST_TITLE].partition("</summary")[0] for text in begun)
    return tuple(title for title in titles if holds_as_seen(title, words))


MOST_ITEMS = 200
_CELL = re.compile(r"(?<!\\)\|")
_QUOTED = re.compile(r"[ \t>]*")
_FENCE = re.compile(r"(?:```|~~~)")
_COUNT = re.compile(r" ?(?P<n>[0-9]{1,4})(?![0-9])|[^()]{0,80}\((?P<told>[0-9]{1,4})\)")


def listed(part: Part, page: Page) -> Piece | Hidden | None:
    """The members of a part that has some, rows or items; None if it is absent."""
    return _rows(part, page) if part.at is At.ROW else _section(part, page)


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.strip().replace("\\|", "|") for cell in _CELL.split(inner)]


def _rows(part: Part, page: Page) -> Piece | Hidden | None:
    """All rows of the one table with these columns, or the one row whose cells match."""
    columns = {as_seen(name): name for name in part.header}
    lines = ((n, _QUOTED.sub("", line, count=1)) for n, line in enumerate(page.text.split("\n"), 1) if "|" in line)
    begun = [n for n, line in lines if columns.keys() <= set(map(as_seen, _cells(line)))]
    if not begun:
        return None
    told = " | ".join(part.header)
    if len(begun) > 1:
        return _repeated(f"{len(begun)} lines have the columns {told}; only one may", begun[1])
    tables = [each for each in page.parts if each.kind is PartKind.TABLE and each.within in OPEN_TO_ALL]
    table = next((each for each in tables if each.line == begun[0]), None)
    if table is None:
        return misplaced(page, f"the columns {told} are not those of a table", begun[0])
    head, _, *body = table.text.split("\n")
    names = [columns.get(as_seen(cell), cell) for cell in _cells(head)]
    rows = [(table.line + n, dict(zip(names, _cells(line), strict=False))) for n, line in enumerate(body, start=2)]
    if not part.where:
        marks = {str(n): line_at(line) for n, (line, _) in enumerate(rows)}
        return Piece(value=[dict(row) for _, row in rows], start=line_at(begun[0]), marks=marks)
    cells = [(name, as_seen(value)) for name, value in part.where]
    meant = [(line, row) for line, row in rows if all(as_seen(row.get(name, "")) == seen for name, seen in cells)]
    if len(meant) > 1:
        wanted = ", ".join(f"{name} {excerpt(value)}" for name, value in part.where)
        return _repeated(f"{len(meant)} rows have {wanted}; only one may", meant[1][0])
    return Piece(value=dict(meant[0][1]), start=line_at(meant[0][0])) if meant else None


def _section(part: Part, page: Page) -> Piece | None:
    """A section's count and items, wherever it stands; several sections are taken together.

    Only objections are read like this, because the words may be a quote.
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
    """The count in a section's title, or None if the line is not its title."""
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
    """The items below a title. An item ends where something it has already given is given again.

    If the title gives a count, code does not hold items.
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
