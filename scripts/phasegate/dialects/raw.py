"""What a raw text holds against the work, and what it names, where nothing can be taken apart.

A text comes in as it was written; escapes, entities and comments hide nothing. Answers go out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator

from phasegate.model.frozen import late

OBJECTION = "fail"
# Parts of every objection, and what one may be hidden with.
_OBJECTING = (OBJECTION, "must", "high", "critical", "\\", "&", "/")
SEVERE = late(r"(?<![A-Za-z])(?:CRITICAL|HIGH)(?![A-Za-z])", re.ASCII)
_SEVERITY = late(r"severity[^a-z0-9\n]{1,8}(?:critical|high)(?![a-z])", re.ASCII)
_DEMANDS = late(r"must[_ -]?fix[^\[\]{}]{0,16}\[([^\]]{0,2000})", re.ASCII)
# As a value, as the first item of a list or member of an object, as a text of its own, as an element or in a table.
_DEMAND = late(
    r"must[_ -]?fix[\"'` ]{0,4}(?:[:=]>?|>|\|)(?:\s{0,40}[-*+{(]\s{0,8}| ?[|>][+-]?\s{1,40}| ?<[a-z_-]{1,20}>)?"
    r"[\"'` ]{0,4}(?!null|none|false)[a-z0-9]",
    re.ASCII,
)
_LISTED = late(r"[a-z0-9]", re.ASCII)
_ESCAPE = late(r"\\(?:u00|x|u\{0{0,4})([2-7][0-9a-f])\}?", re.ASCII | re.IGNORECASE)
_ESCAPED_QUOTE = late(r"\\{1,8}(?=[\"'])")
_UNSEEN = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"))
_SPACES = late(r"\s{2,}")
_LINE_COMMENT = late(r"//[^\n]*")
# Between a key and its value stands a colon, an equals sign, an arrow or the end of a tag, in whatever quotes.
_BETWEEN = late(r"[^a-z0-9]+", re.ASCII)
_NEXT_KEY = late(r"[,;\s][^a-z0-9]{0,8}[a-z_][a-z0-9_-]{0,30}[^a-z0-9]{0,4}[:=]", re.ASCII)
_NAME = late(r"[a-z][a-z0-9-]{0,31}", re.ASCII)
_WINDOW = 120


def plain(raw: str) -> str:
    """A raw text with escapes, entities, wide letters and gaps written as everybody would."""
    text = raw
    if "\\" in text:
        text = _ESCAPED_QUOTE.sub("", _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text))
    if "&" in text:
        import html  # noqa: PLC0415  (its table of names is long)

        text = html.unescape(text)
    text = text if text.isascii() else unicodedata.normalize("NFKC", text).translate(_UNSEEN)
    return _SPACES.sub(lambda match: "\n" if "\n" in match[0] else " ", text)


def plain_readings(raw: str) -> tuple[str, ...]:
    """A raw text made plain, and once more without what may be comments: either may be the real text."""
    text = plain(raw)
    bare = plain(_LINE_COMMENT.sub("", _without_comments(text))) if "/*" in text or "//" in text else text
    return (text,) if bare == text else (text, bare)


def _without_comments(text: str) -> str:
    kept, at = [], 0
    while (begin := text.find("/*", at)) >= 0 and (end := text.find("*/", begin + 2)) >= 0:
        kept.append(text[at:begin])
        at = end + 2
    return "".join((*kept, text[at:]))


def objects(raw: str, failing: Iterable[str] = ()) -> bool:
    """Whether a word may hold something against the work, and is no mere placeholder.

    It does if it names a FAIL in any case, in the words of its format or not, a demand, or a severe finding.
    """
    lower = raw.lower()
    if not failing and raw.isascii() and not any(sign in lower for sign in _OBJECTING):
        return False
    return is_objection(raw, failing) or any(is_objection(text, failing) for text in plain_readings(raw))


def is_objection(text: str, failing: Iterable[str]) -> bool:
    """The same of a text that is plain."""
    lower = text.lower()
    if OBJECTION in lower or SEVERE.search(text) or _SEVERITY.search(lower) or _DEMAND.search(lower):
        return True
    demands = any(_LISTED.search(listed) for listed in _DEMANDS.findall(lower))
    return demands or any(holds_word(lower, word) for word in failing)


def holds_word(text: str, word: str) -> bool:
    """Whether a text in lower case holds a word, not only as a part of another, and however its parts are joined."""
    parts = (re.escape(part) for part in re.split(r"[ _-]", word.lower()))
    return re.search(rf"(?<![a-z0-9-]){'[ _-]?'.join(parts)}(?![a-z0-9-])", text) is not None


def named_by_key(key: str, text: str, names: Collection[str]) -> Iterator[str]:
    """Those of some names that stand under a key, however key and value are quoted, nested or cut off."""
    lower = text.lower()
    for match in re.finditer(rf"{re.escape(key)}s?", lower):
        between = _BETWEEN.match(lower, match.end())
        if between is None or not set(between[0]) & {":", "=", ">"}:
            continue
        window = lower[between.end() : between.end() + _WINDOW]
        following = _NEXT_KEY.search(window)
        value = window[: following.start() if following else len(window)]
        yield from _named(value, names)
        if len(window) < _WINDOW and _NAME.fullmatch(value):  # the text ends in the middle of it
            yield from (name for name in names if name.startswith(value))


def _named(value: str, names: Collection[str]) -> Iterator[str]:
    for token in _NAME.findall(value):
        for name in (token, *(token.split("-") if token not in names else ())):
            if name in names:
                yield name
