"""Where a part stands on a page: a part and a page come in, the text that is meant or why none counts goes out.

What gives a part away is counted in the raw text first: it is there once, or nothing counts.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from functools import lru_cache

from phasegate.dialects.described.declaration import LINES, At, Codec, Part
from phasegate.model.frozen import dataclass
from phasegate.model.plan import alike, begins_like, holds_as_seen
from phasegate.model.problem import Fault, Position
from phasegate.reading.document import (
    Document,
    Json,
    JsonPath,
    Lines,
    excerpt,
    in_snake_case,
    json_path,
    mixed_spelling,
    taken_for,
)
from phasegate.reading.json.reader import read_json
from phasegate.reading.markdown.page import Hidden, Page, PartKind
from phasegate.reading.yaml import read_yaml

START = Position(line=1, column=1)
# What may stand before the words of a line: quotes, lists, headings, tables, bold type, code.
_LEAD = re.compile(r"[ \t>*_#`+~|-]*(?:[0-9]{1,3}[.)][ \t]+)?[ \t>*_#`]*", re.ASCII)
_EMPHASIS = re.compile(r"(\*\*|__|\*|_)((?:(?!\1).)+)\1")
_TICKS = re.compile(r"(`+)[ ]?([^`]+?)[ ]?\1")
_TAGS = re.compile(r"(?:[ \t]*</?[A-Za-z][A-Za-z0-9-]{0,20}(?:[ \t][^<>]{0,200})?>)+")
_ANY_TAG = re.compile(r"<[!/]?[A-Za-z-][^<>]{0,400}>")
_HEADING_TAG = re.compile(r"<h[1-6]\b", re.IGNORECASE)
_MARKS = re.compile(r"[*`~\\]")
# What is no letter, the box of a task, the name of a footnote and the number of an item.
_BEFORE = re.compile(r"(?:\[x\]|\[\^[^\]\s]{1,60}\]:|[0-9]{1,3}[.)](?=\s)|[\W_])*")
_ROOM, _COLON = re.compile(r"\s+"), re.compile(r" ?: ?")
_BREAKS = re.compile(r"\r|<br\s{0,3}/?>", re.IGNORECASE)
LONGEST_TITLE = 1_000
DASHES = "---"
_CODE_TAG = re.compile(r"<(?:pre|code|xmp|textarea|script|style|template)\b", re.IGNORECASE | re.ASCII)
# What keeps the text behind it from being seen, whatever stands between.
_HIDING = re.compile(
    r"<(?:template|script|style|textarea|select|noscript|noembed|noframes|iframe|object|svg|math|title|xmp|plaintext)\b"
    r"|<[a-z][^<>]{0,400}\b(?:hidden|style)\b",
    re.IGNORECASE | re.ASCII,
)
_PAIRS = (("[", "]"), ("(", ")"), ("<", ">"))
_WITH_TAGS = (PartKind.HTML, PartKind.PARAGRAPH)
_SHOWN_KINDS = (
    *(PartKind.PARAGRAPH, PartKind.HEADING, PartKind.HTML, PartKind.TABLE),
    *(PartKind.ITEM, PartKind.FOOTNOTE, PartKind.ALERT),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Located:
    """The text of a part, and where it begins."""

    text: str
    position: Position


@dataclass(frozen=True, kw_only=True, slots=True)
class Astray:
    """A part that is there and does not count, and why.

    ``quoted`` if it is somebody else's for everybody to see; ``inline`` if it is named in passing, as code; ``near`` if
    it stands where it should and only reads otherwise, so that another form may be meant.
    """

    fault: Fault
    quoted: bool = False
    inline: bool = False
    near: bool = False


def locate(part: Part, page: Page) -> Located | Astray | None:
    """The part on the page; nothing if it is not there at all."""
    if part.at is At.WHOLE:
        return Located(text=page.text, position=START)
    if part.at in LINES:
        return _line(part, page)
    if part.at is At.LABEL:
        return _label(part, page)
    if part.at is At.SAYS:
        return _said(part, page)
    return _block(part, page)


def _said(part: Part, page: Page) -> Located | None:
    """What is shown of the first line that holds a phrase, wherever it stands: only what never passes is told by it.

    Letters, spaces and marks may be others than those of the description; so may be where the lines end.
    """
    there = [(phrase, shown) for phrase, shown in part.phrases if holds_as_seen(page.text, phrase)]
    lines = enumerate(page.text.split("\n") if there else (), start=1)
    found = ((number, shown) for number, line in lines for phrase, shown in there if holds_as_seen(line, phrase))
    number, shown = next(found, (START.line, there[0][1] if there else ""))
    return Located(text=shown, position=_at(number)) if there else None


def _block(part: Part, page: Page) -> Located | Astray | None:
    """A marker, a fence or front matter."""
    if not part.words:
        front = page.front_matter
        if isinstance(front, Fault):
            return Astray(fault=front)
        return None if front is None else Located(text=front.text, position=front.position)
    other = _other_letters(part, page.text)
    if other is not None:
        return Astray(fault=other)
    if part.at is At.MARKER:
        found = page.begun_with(part.words, part.stands, part.then)
    elif part.at is At.FENCE or (part.info and page.front_matter is None):
        found = page.fence_holding(part.info, part.words, part.stands)
    else:
        held = page.front_matter_holding(part.words)
        if held is None or isinstance(held, Hidden):
            return None if held is None else Astray(fault=held.fault, quoted=held.quoted, inline=held.inline)
        return Located(text=held.text, position=held.position)
    if found is None:
        return None
    if isinstance(found, Hidden):
        late = None if found.quoted or part.at is not At.FRONT_MATTER else _late(part.words, page.text)
        return Astray(fault=late or found.fault, quoted=found.quoted, inline=found.inline)
    return Located(text=found.payload, position=found.position)


def _late(words: str, text: str) -> Fault | None:
    """The fault of front matter that does not begin its text, or whose first line is not just the dashes."""
    lines = text.split("\n")
    dashes = [number for number, line in enumerate(lines, start=1) if line.rstrip() == DASHES]
    first, second = (*dashes, 0, 0)[:2]
    spaced = first == 1 and lines[0] != DASHES
    if not (spaced or first > 1) or not any(words in line for line in lines[first : second - 1]):
        return None
    before = "text" if "".join(lines[: first - 1]).strip() else "an empty line"
    message = f"there is {before} before the front matter; it must begin the text"
    message = "the line --- has a space behind it; front matter begins with the dashes alone" if spaced else message
    hint = "Begin the text with the line ---, and write the rest behind the second one."
    return Fault(code="PG031", message=message, position=Position(line=first, column=1), hint=hint)


def _other_letters(part: Part, text: str) -> Fault | None:
    """The fault of words that are there in other letters than they should be; of a marker, with other signs too."""
    there, like = text.count(part.words), part.at is At.MARKER and begins_like(part.words, text)
    if (there or not like) and text.lower().count(part.words.lower()) <= there:
        return None
    return Fault(
        code="PG911", message=f"{excerpt(part.words)} is not written with exactly these letters", position=START
    )


def _line(part: Part, page: Page) -> Located | Astray | None:
    numbers = list(lines_begun(page.text, part.signs))
    if part.at is At.HEADING:
        numbers = [number for number in numbers if _like_a_heading(page, number)]
    if not numbers:
        return None
    if len(numbers) > 1:
        message = f"{len(numbers)} lines begin with {_shown(part)}; only one may"
        return Astray(fault=Fault(code="PG030", message=message, position=Position(line=numbers[1], column=1)))
    number = numbers[0]
    seen = _seen(part, page, number)
    if seen is None:
        fault = Fault(code="PG912", message=_misplaced(part, page, number), position=Position(line=number, column=1))
        return Astray(fault=fault, quoted=page.is_quoted(number))
    plain = _plain(part, seen.text)
    if not any(plain.startswith(sign) for sign in part.signs):
        message = f"{_shown(part)} is not written with exactly these letters"
        return Astray(fault=Fault(code="PG911", message=message, position=seen.position), near=True)
    if part.pattern is None or part.pattern.match(plain) is None:
        message = f"{excerpt(plain)} is not written as the format has it"
        return Astray(fault=_unlike(part, message, seen.position), near=True)
    return Located(text=plain, position=seen.position)


def _unlike(part: Part, message: str, position: Position) -> Fault:
    """A text that a part's pattern does not match."""
    hint = "" if part.pattern is None else f"Write it so that it matches {part.pattern.text}"
    return Fault(code="PG912", message=message, position=position, hint=hint)


def _like_a_heading(page: Page, number: int) -> bool:
    """Whether a raw line looks like a heading, wherever it stands."""
    line = page.text.split("\n")[number - 1]
    marked = "#" in line[: len(line) - len(core_of(line))] or _HEADING_TAG.search(line) is not None
    return marked or any(each.line == number for each in page.headings)


def _shown(part: Part) -> str:
    return " or ".join(excerpt(sign) for sign in part.signs[:3])


def _misplaced(part: Part, page: Page, number: int) -> str:
    levels = [each.level for each in page.headings if each.line == number] if part.at is At.HEADING else []
    if levels and levels[0] != part.level:
        return f"{_shown(part)} is a heading of level {levels[0]}; level {part.level} is meant"
    places = {
        At.FIRST_LINE: "is not the first line of the text",
        At.LAST_LINE: "is not the last line of the text",
        At.LINE: "is not a line of a paragraph at top level",
        At.HEADING: "is not a heading of its own at top level",
    }
    return f"{_shown(part)} {places[part.at]}"


def _plain(part: Part, text: str) -> str:
    """The line without the bold type around all of it, unless that is part of what is meant."""
    match = _EMPHASIS.fullmatch(text)
    meant = any(text.startswith(sign) for sign in part.signs)
    return match[2] if match and not meant else text


def _seen(part: Part, page: Page, number: int) -> Located | None:
    """The line of this number, if a reader sees it where the part should stand."""
    if part.at in (At.FIRST_LINE, At.LAST_LINE):
        edge = page.first_line if part.at is At.FIRST_LINE else page.last_line
        found = edge is not None and edge.position.line == number
        return Located(text=edge.text, position=edge.position) if found and edge is not None else None
    if part.at is At.HEADING:
        headings = (each for each in page.headings if each.line == number and part.level in (None, each.level))
        return next((Located(text=each.text.strip(), position=_at(number)) for each in headings), None)
    if part.html:
        return _html_line(page, number)
    lines = (line for line in page.lines if line.line == number)
    return next((Located(text=line.text.strip(" \t"), position=_at(number)) for line in lines), None)


def _at(line: int) -> Position:
    return Position(line=line, column=1)


def _html_line(page: Page, number: int) -> Located | None:
    """A line with tags that stands neither in a comment nor in code."""
    for part in page.parts:
        if part.kind in _WITH_TAGS and part.line <= number <= part.last_line:
            lines = part.text.split("\n")
            before = "\n".join(lines[: number - part.line])
            if part.within or _CODE_TAG.search(part.text) or _may_go_on(before):
                return None
            if _HIDING.search("\n".join(page.text.split("\n")[:number])):
                return None
            return Located(text=lines[number - part.line].strip(" \t"), position=_at(number))
    return None


def _may_go_on(text: str) -> bool:
    """Whether something that began in a text may reach into what follows: code, a link, a tag or a comment."""
    opened = any(text.count(begin) > text.count(end) for begin, end in _PAIRS)
    odd = any(text.count(sign) % 2 for sign in '`"')
    return opened or odd or text.count("<!--") != text.count("-->")


def lines_begun(text: str, signs: tuple[str, ...]) -> Iterator[int]:
    """The numbers of all lines that begin with one of these, in whatever letters and behind whatever marks.

    What only a reader sees there counts too: behind tags or an emoji, with entities or look-alike letters.
    """
    cores = tuple(core_of(sign).lower() for sign in signs)
    words = tuple(filter(None, map(as_seen, signs)))
    for number, (line, shown) in enumerate(zip(text.split("\n"), _shown_lines(text), strict=True), start=1):
        if core_of(line).lower().startswith(cores) or (words and any(each.startswith(words) for each in shown)):
            yield number


@lru_cache(maxsize=4)
def _shown_lines(text: str) -> tuple[tuple[str, ...], ...]:
    """The lines that a reader sees of each line."""
    return tuple(tuple(map(as_seen, _BREAKS.split(line))) for line in text.split("\n"))


def as_seen(line: str) -> str:
    """The words that a line begins with for a reader: no tags, marks, invisible signs, capitals or look-alikes."""
    plain = html.unescape(_ANY_TAG.sub("", line)) if "<" in line or "&" in line else line
    plain = alike(plain)
    return _COLON.sub(":", _ROOM.sub(" ", _BEFORE.sub("", _MARKS.sub("", plain), count=1)))


def core_of(line: str) -> str:
    """A line without the marks that may stand before its words."""
    match = _LEAD.match(line)
    return line[match.end() :] if match else line


def _label(part: Part, page: Page) -> Located | Astray | None:
    numbers = _lines_labelled(part.words, page.text)
    if not numbers:
        return None
    label = excerpt(f"{part.words}:")
    if len(numbers) > 1:
        message = f"{len(numbers)} lines begin with {label}; only one may"
        return Astray(fault=Fault(code="PG030", message=message, position=_at(numbers[1])))
    values = page.labelled(part.words)
    if len(values) != 1:
        message = f"{label} is not a line of a paragraph at top level, in these letters"
        fault = Fault(code="PG912", message=message, position=_at(numbers[0]))
        return Astray(fault=fault, quoted=page.is_quoted(numbers[0]))
    code = _TICKS.fullmatch(values[0].text)
    text = code[2] if code else values[0].text
    if part.pattern is not None and part.pattern.match(text) is None:
        message = f"{label} is not written as the format has it: {excerpt(text)}"
        return Astray(fault=_unlike(part, message, values[0].position), near=True)
    return Located(text=text, position=values[0].position)


def _lines_labelled(label: str, text: str) -> list[int]:
    """The numbers of all lines that begin with a label and a colon, as they are written or as a reader sees them."""
    form = re.compile(re.escape(label) + r"(?:\*\*|__|\*|_)?[ \t]*:", re.IGNORECASE)
    shown = re.compile(re.escape(as_seen(label)) + r"[_ ]*:") if as_seen(label) else form
    lines = enumerate(zip(text.split("\n"), _shown_lines(text), strict=True), start=1)
    return [number for number, (line, seen) in lines if form.match(core_of(line)) or any(map(shown.match, seen))]


def veto_lines(page: Page, words: str) -> tuple[str, ...]:
    """The lines that begin with these words, as a reader sees them; in a page that nobody can read, any that hold them.

    Tags, an emoji, bold type and list marks before the words are no part of the line.
    """
    if page.doubt is not None:
        return tuple(line for line in page.text.split("\n") if words.lower() in line.lower())
    return tuple(line for line in _shown_anywhere(page) if _begins(line, words))


def _shown_anywhere(page: Page) -> Iterator[str]:
    """The lines of all that is shown and is nobody else's."""
    for part in page.parts:
        if part.kind in _SHOWN_KINDS:
            yield from part.text.split("\n")


def _begins(line: str, words: str) -> bool:
    seen = as_seen(words)
    return _words_of(line).lower().startswith(words.lower()) or bool(seen and as_seen(line).startswith(seen))


def folds_titled(page: Page, words: str) -> tuple[str, ...]:
    """The titles of folds that hold these words, in whatever letters, wherever they stand."""
    _, *begun = page.text.lower().split("<summary")
    titles = (text[:LONGEST_TITLE].partition("</summary")[0] for text in begun)
    return tuple(title for title in titles if holds_as_seen(title, words))


def _words_of(line: str) -> str:
    tags = _TAGS.match(line)
    return core_of(line[tags.end() :] if tags else line)


MOST_LINES, MOST_INSIDE, MOST_STEPS = 2_000, 20_000, 250_000
_KEY = r"(?P<key>[A-Za-z_][A-Za-z0-9_.-]{0,63})"
_PAIR = re.compile(_KEY + r"=(?:\"(?P<quoted>[^\"\n]{0,500})\"|(?P<plain>[^\s\"]{0,500}))")
_BARE = re.compile(r"[^\s=\"]{1,200}")
_SPACE = re.compile(r"\s*")


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """What a part says, and where each value of it stands."""

    value: Json
    start: Position
    documents: tuple[Document, ...] = ()
    lines: bool = False
    marks: Mapping[str, Position] = field(default_factory=dict)

    def position(self, path: JsonPath) -> Position:
        """Where the value at a path stands."""
        if self.lines:
            index = path[0] if path else 0
            fits = isinstance(index, int) and index < len(self.documents)
            return self.documents[int(index)].position(path[1:]) if fits else self.start
        if self.documents:
            return self.documents[0].position(path)
        return self.marks.get(str(path[0]), self.start) if path else self.start


def decode(part: Part, found: Located) -> Piece | tuple[Fault, ...]:
    """The value of a located part, or what keeps it from being read."""
    if part.codec is Codec.TEXT:
        return Piece(value=found.text.strip(), start=found.position)
    if part.codec is Codec.PATTERN:
        return _groups(part, found)
    if part.codec is Codec.KEY_VALUE:
        return _pairs(part, found)
    if part.codec is Codec.JSON_LINES:
        return _json_lines(found)
    read = read_json if part.codec is Codec.JSON else read_yaml
    text = found.text.replace("&quot;", '"') if part.escaped else found.text
    document = read(text, first=found.position)
    if isinstance(document, Fault):
        return (document,)
    if sum(1 for _ in _inside(document.value)) > MOST_INSIDE:
        message = f"{part.name} holds more than {MOST_INSIDE:,} values; so many are not read"
        return (Fault(code="PG922", message=message, position=found.position),)
    if part.either_way:
        mixed = mixed_spelling(document, part.own_spelling)
        if mixed is not None:
            return (mixed,)
        document = in_snake_case(document, part.own_spelling)
    return Piece(value=document.value, start=found.position, documents=(document,))


def _inside(value: Json) -> Iterator[tuple[JsonPath, Json]]:
    """Every value inside a document, with the way to it."""
    waiting: list[tuple[JsonPath, Json]] = [((), value)]
    while waiting:
        path, one = waiting.pop()
        yield path, one
        if isinstance(one, dict):
            waiting.extend(((*path, key), inner) for key, inner in one.items())
        elif isinstance(one, list):
            waiting.extend(((*path, index), inner) for index, inner in enumerate(one))


def near_keys(piece: Piece, keys: frozenset[str]) -> Iterator[Fault]:
    """Keys that a reader takes for one of the form's and a machine does not; of a list, also for one of its items."""
    for path, one in _inside(piece.value):
        for key, value in one.items() if isinstance(one, dict) else ():
            lists = keys if isinstance(value, list) and value else frozenset[str]()
            if (meant := taken_for(key, keys, lists)) is not None:
                message = f'the key {excerpt(key)} is easily mistaken for "{meant}"'
                way = (*path, key)
                yield Fault(code="PG929", message=message, position=piece.position(way), json_path=json_path(way))


def schema_faults(part: Part, piece: Piece) -> tuple[Fault, ...]:
    """What in a piece breaks the schema of its part; of lines each is held against it."""
    if part.schema is None:
        return ()
    documents = piece.documents or (_as_document(piece),)
    steps = part.schema.size * sum(1 for document in documents for _ in _inside(document.value))
    if steps > MOST_STEPS:
        message = f"{part.name} holds more than can be held against its schema in bounded time"
        return (Fault(code="PG922", message=message, position=piece.start),)
    found = (fault for document in documents for fault in part.schema.faults(document))
    return tuple(replace(fault, code="PG924") if fault.code == "PG023" else fault for fault in found)


def _as_document(piece: Piece) -> Document:
    """Pairs as a document whose values all stand where the pairs begin."""
    return Document(piece.value, (0, 0, None), Lines.of("", piece.start))


def _groups(part: Part, found: Located) -> Piece | tuple[Fault, ...]:
    match = None if part.pattern is None else part.pattern.match(found.text.strip())
    if match is None:
        message = f"{part.name} is not written as the format has it: {excerpt(found.text.strip())}"
        return (_unlike(part, message, found.position),)
    value: dict[str, Json] = {name: text for name, text in match.groupdict().items() if text is not None}
    column = found.position.column
    marks = {name: Position(line=found.position.line, column=column + match.start(name)) for name in value}
    return Piece(value=value, start=found.position, marks=marks)


def _pairs(part: Part, found: Located) -> Piece | tuple[Fault, ...]:
    text, lines = found.text, Lines.of(found.text, found.position)
    values: dict[str, Json] = {}
    marks: dict[str, Position] = {}
    bare = list(part.leading)
    at = _skip(text, 0)
    while at < len(text):
        pair = _PAIR.match(text, at)
        word = None if pair or not bare or len(values) > len(part.leading) - len(bare) else _BARE.match(text, at)
        here = pair or word
        ends = here is not None and (here.end() == len(text) or text[here.end()].isspace())
        if here is None or not ends:
            message = f"this is no key=value: {excerpt(text[at : at + 40])}"
            return (Fault(code="PG923", message=message, position=lines.position(at)),)
        key = pair["key"] if pair else bare.pop(0)
        if key in values:
            message = f"{excerpt(key)} is told twice"
            return (Fault(code="PG923", message=message, position=lines.position(at)),)
        values[key] = (pair["quoted"] if pair["quoted"] is not None else pair["plain"]) if pair else here[0]
        marks[key] = lines.position(at)
        at = _skip(text, here.end())
    return Piece(value=values, start=found.position, marks=marks)


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _json_lines(found: Located) -> Piece | tuple[Fault, ...]:
    documents: list[Document] = []
    faults: list[Fault] = []
    for number, line in enumerate(found.text.split("\n")):
        if not line.strip():
            continue
        if len(documents) + len(faults) >= MOST_LINES:
            message = f"there are more than {MOST_LINES} lines"
            return (Fault(code="PG923", message=message, position=found.position),)
        first = Position(line=found.position.line + number, column=1 if number else found.position.column)
        document = read_json(line, first=first)
        if isinstance(document, Fault):
            faults.append(document)
        else:
            documents.append(document)
    if faults:
        return tuple(faults)
    values: list[Json] = [document.value for document in documents]
    return Piece(value=values, start=found.position, documents=tuple(documents), lines=True)
