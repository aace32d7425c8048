"""Raw texts: what a word that cannot be read, or that breaks a rule, tells all the same.

A text comes in as somebody wrote it; whether it holds something against the work, and which roles it names, goes out.
What is decided here is the same for every dialect. All of it takes linear time.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator

from phasegate.model.late import late

OBJECTION = "fail"
SEVERE = late(r"(?<![A-Za-z])(?:CRITICAL|HIGH)(?![A-Za-z])", re.ASCII)
_SEVERITY = late(r"severity[^a-z0-9\n]{1,8}(?:critical|high)(?![a-z])", re.ASCII)
_DEMANDS = late(r"must[_ -]?fix[^\[\]{}]{0,16}\[([^\]]{0,2000})", re.ASCII)
_DEMAND = late(r"must[_ -]?fix[\"'` ]{0,4}[:=]>?[\"'` ]{0,4}(?!null|none|false)[a-z0-9]", re.ASCII)
_LISTED = late(r"[a-z0-9]", re.ASCII)
_ESCAPE = late(r"\\u00([2-7][0-9a-f])", re.ASCII | re.IGNORECASE)
_ESCAPED_QUOTE = late(r"\\{1,8}(?=[\"'])")
_UNSEEN = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"))
_COMMENT = late(r"/\*[^*]{0,80}\*/")
# Between a key and its value stands a colon, an equals sign, an arrow or the end of a tag, in whatever quotes.
_BETWEEN = late(r"[^a-z0-9]{1,24}", re.ASCII)
_NEXT_KEY = late(r"[,;\s][^a-z0-9]{0,8}[a-z_][a-z0-9_-]{0,30}[^a-z0-9]{0,4}[:=]", re.ASCII)
_NAME = late(r"[a-z][a-z0-9-]{0,31}", re.ASCII)
_WINDOW = 120


def plain(raw: str) -> str:
    """A raw text with escapes, entities and wide letters written as everybody would."""
    text = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), raw)
    text = _ESCAPED_QUOTE.sub("", text) if "\\" in text else text
    text = _COMMENT.sub("", text) if "/*" in text else text
    if "&" in text:
        import html  # noqa: PLC0415  (its table of names is long)

        text = html.unescape(text)
    return unicodedata.normalize("NFKC", text).translate(_UNSEEN)


def objects(raw: str, failing: Iterable[str] = ()) -> bool:
    """Whether a word may hold something against the work, and is no mere placeholder.

    It does if it names a FAIL in any case, in the words of its format or not, a demand, or a severe finding.
    """
    return is_objection(plain(raw), failing)


def is_objection(text: str, failing: Iterable[str]) -> bool:
    """The same of a text that is plain."""
    lower = text.lower()
    demands = any(_LISTED.search(listed) for listed in _DEMANDS.findall(lower)) or _DEMAND.search(lower)
    severe = SEVERE.search(text) or _SEVERITY.search(lower)
    return bool(demands or severe or OBJECTION in lower) or any(holds_word(lower, word) for word in failing)


def holds_word(text: str, word: str) -> bool:
    """Whether a text in lower case holds a word, not only as a part of another, and however its parts are joined."""
    parts = (re.escape(part) for part in re.split(r"[ _-]", word.lower()))
    return re.search(rf"(?<![a-z0-9-]){'[ _-]?'.join(parts)}(?![a-z0-9-])", text) is not None


def named_by_key(key: str, text: str, names: Collection[str]) -> Iterator[str]:
    """Those of some names that stand under a key, however key and value are quoted, nested or cut off."""
    lower = text.lower()
    for match in re.finditer(rf"{re.escape(key)}s?", lower):
        window = lower[match.end() : match.end() + _WINDOW]
        between = _BETWEEN.match(window)
        if between is None or not set(between[0]) & {":", "=", ">"}:
            continue
        following = _NEXT_KEY.search(window, between.end())
        value = window[between.end() : following.start() if following else len(window)]
        yield from _named(value, names)
        if len(window) < _WINDOW and _NAME.fullmatch(value):  # the text ends in the middle of it
            yield from (name for name in names if name.startswith(value))


def _named(value: str, names: Collection[str]) -> Iterator[str]:
    for token in _NAME.findall(value):
        for name in (token, *(token.split("-") if token not in names else ())):
            if name in names:
                yield name
