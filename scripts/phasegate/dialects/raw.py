"""What an unparsed text objects to, and what it names.

In: a text as written; escapes, entities and comments hide nothing. Out: answers, and an objection without a role for a
text that fits no form but has a block with a failing deciding key. The rules tell whose objection it is. Only
objections are found here, so reading too much never passes anything.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from phasegate.catalogue import problem
from phasegate.model.codec import text_digest
from phasegate.model.frozen import late
from phasegate.model.signal import Kind, Signal

if TYPE_CHECKING:
    from phasegate.dialects.dialect import Deciding, Dialect, Reading, Text

OBJECTION = "fail"
# One of these is part of every objection, or may hide one.
_OBJECTING = (OBJECTION, "must", "high", "critical", "\\", "&", "/")
SEVERE = late(r"(?<![A-Za-z])(?:CRITICAL|HIGH)(?![A-Za-z])", re.ASCII)
_SEVERITY = late(r"severity[^a-z0-9\n]{1,8}(?:critical|high)(?![a-z])", re.ASCII)
# In a list, as a value, as the first item or member of an object, as a text of its own, as an element or in a table.
_DEMAND = late(
    r"must[_ -]?fix(?:[^\[\]{}]{0,16}\[[^\]a-z0-9]{0,2000}[a-z0-9]"
    r"|[\"'` ]{0,4}(?:[:=]>?|>|\|)(?:\s{0,40}[-*+{(]\s{0,8}| ?[|>][+-]?\s{1,40}| ?<[a-z_-]{1,20}>)?"
    r"[\"'` ]{0,4}(?!null|none|false)[a-z0-9])",
    re.ASCII,
)
_ESCAPE = late(r"\\(?:u00|x|u\{0{0,4})([2-7][0-9a-f])\}?", re.ASCII | re.IGNORECASE)
_ESCAPED_QUOTE = late(r"\\{1,8}(?=[\"'])")
_UNSEEN = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"))
_SPACES = late(r"\s{2,}")
_LINE_COMMENT, _COMMENT = late(r"//[^\n]*"), late(r"/\*.*?\*/", re.DOTALL)
# Between a key and its value stands a colon, an equals sign, an arrow or the end of a tag, in whatever quotes.
_BETWEEN = late(r"[^a-z0-9]+", re.ASCII)
_NEXT_KEY = late(r"[,;\s][^a-z0-9]{0,8}[a-z_][a-z0-9_-]{0,30}[^a-z0-9]{0,4}[:=]", re.ASCII)
_NAME = late(r"[a-z][a-z0-9-]{0,31}", re.ASCII)
_WINDOW = 120


def plain(raw: str) -> str:
    """The raw text with escapes, entities, full-width letters and gaps in normal form."""
    text = raw
    if "\\" in text:
        text = _ESCAPED_QUOTE.sub("", _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text))
    if "&" in text:
        import html  # noqa: PLC0415  (its table of names is long)

        text = html.unescape(text)
    text = text if text.isascii() else unicodedata.normalize("NFKC", text).translate(_UNSEEN)
    return _SPACES.sub(lambda match: "\n" if "\n" in match[0] else " ", text)


def plain_readings(raw: str) -> tuple[str, ...]:
    """The raw text in normal form, and again without possible comments: either may be the real text."""
    text = plain(raw)
    closed, end, rest = text.rpartition("*/")  # nothing is searched after the last end, so time stays linear
    bare = plain(_LINE_COMMENT.sub("", _COMMENT.sub("", closed + end) + rest)) if "/*" in text or "//" in text else text
    return (text,) if bare == text else (text, bare)


def objects(raw: str, failing: Iterable[str] = ()) -> bool:
    """True if a text may object to the work and is not just a placeholder.

    It objects if it names a FAIL, in its format's words or not, a demand, or a severe finding.
    """
    lower = raw.lower()
    if not failing and raw.isascii() and not any(sign in lower for sign in _OBJECTING):
        return False
    return is_objection(raw, failing) or any(is_objection(text, failing) for text in plain_readings(raw))


def is_objection(text: str, failing: Iterable[str]) -> bool:
    """The same for a text in normal form."""
    lower = text.lower()
    if OBJECTION in lower or SEVERE.search(text) or _SEVERITY.search(lower) or _DEMAND.search(lower):
        return True
    return any(holds_word(lower, word) for word in failing)


def holds_word(text: str, word: str) -> bool:
    """True if a lower-case text holds a whole word, however its parts are joined."""
    parts = (re.escape(part) for part in re.split(r"[ _-]", word.lower()))
    return re.search(rf"(?<![a-z0-9-]){'[ _-]?'.join(parts)}(?![a-z0-9-])", text) is not None


def named_by_key(key: str, text: str, names: Collection[str]) -> Iterator[str]:
    """The names that stand under a key, however key and value are quoted, nested or cut off."""
    lower = text.lower()
    for match in re.finditer(rf"{re.escape(key)}s?", lower):
        between = _BETWEEN.match(lower, match.end())
        if between is None or not set(between[0]) & {":", "=", ">"}:
            continue
        window = lower[between.end() : between.end() + _WINDOW]
        following = _NEXT_KEY.search(window)
        value = window[: following.start() if following else len(window)]
        for token in _NAME.findall(value):
            yield from (name for name in ((token,) if token in names else token.split("-")) if name in names)
        if len(window) < _WINDOW and _NAME.fullmatch(value):  # the text ends in the middle of it
            yield from (name for name in names if name.startswith(value))


# HTML comments and front matter, closed or not: cutting a block off does not take it back.
BLOCK = late(r"<!--(.*?)(?:-->|\Z)|\A---[ \t]*\n(.*?)(?:^---[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_QUOTES = "[\"'`*\u201c-\u201f\u2018-\u201b\u00ab\u00bb]{0,3}"


def near_words(
    versions: Sequence[Text], found: Mapping[str, Sequence[Reading]], dialects: Sequence[Dialect]
) -> Iterator[Signal]:
    """The objections in versions that no dialect reads as a word. ``found`` are the readings."""
    signals = (signal for each in found.values() for reading in each for signal in reading.signals)
    read = {signal.source.version for signal in signals if signal.kind is Kind.VERDICT or signal.claims}
    for text in (each for each in versions if each.source.version not in read and not each.is_blank):
        body = text.body or ""
        for dialect in dialects:
            fails = _failing(dialect.footprint.deciding)
            if fails is None or fails.search(plain(body)) is None:
                continue
            blocks = (match[1] or match[2] or "" for match in BLOCK.finditer(text.page.unquoted))
            whole = body.strip()
            bare = [whole] if whole.startswith("{") and whole.endswith("}") else []  # JSON and nothing else
            held = (each for block in (*blocks, *text.page.code, *bare) for each in (block, plain(block)))
            if (fault := next(filter(None, map(fails.search, held)), None)) is None:
                continue
            said = " ".join(re.sub(rf"[>|][+-]?(?=\s)|{_QUOTES}", "", fault[0]).split()).lstrip(":= ")
            message = f"a block says {said}, but it is not written as {dialect.name} reads it"
            yield Signal(
                dialect=dialect.name,
                kind=Kind.VERDICT,
                digest=text_digest(body),
                source=text.source,
                where=text.where,
                objects=True,
                problems=(problem("PG930", message, text.where),),
            )


@lru_cache(maxsize=64)
def _failing(deciding: tuple[Deciding, ...]) -> re.Pattern[str] | None:
    """A pattern for a failing deciding key: one of its values, or a non-empty list."""
    told: list[str] = []
    for each in deciding:
        written = "[ _-]?".join(map(re.escape, each.key.split("_")))
        # the value may stand below its key, in YAML also as a block
        below = rf"{_QUOTES}[ \t]{{0,8}}[:=](?:[ \t]{{0,8}}[>|][+-]?)?\s{{0,40}}"
        key = rf"(?<![\w-]){written}{below}" if each.key else r"[:=][ \t]{0,8}"
        values = "|".join(map(re.escape, sorted(each.values)))
        listed = rf"(?:\[\s{{0,40}}(?:\w|{_QUOTES}\w)|-\s|[\"'](?!none|null|false)\w)"
        told.append(key + (rf"{_QUOTES}(?:{values})(?![\w-])" if values else listed))
    return re.compile("|".join(told), re.IGNORECASE) if told else None
