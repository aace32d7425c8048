"""Near words: a text that misses every form, and holds a block in which a deciding key of a dialect fails.

One version of a text goes in, an objection for each such dialect comes out, without a role: whose it is, the rules
tell. Only objections are found here, so that reading too much never passes anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from phasegate.catalogue import problem
from phasegate.dialects.dialect import Deciding, Dialect, Reading, Text
from phasegate.dialects.raw import plain
from phasegate.model.codec import text_digest
from phasegate.model.frozen import late
from phasegate.model.signal import Kind, Signal

# HTML comments and front matter, closed or not: what cuts a block off does not take it back.
BLOCK = late(r"<!--(.*?)(?:-->|\Z)|\A---[ \t]*\n(.*?)(?:^---[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_QUOTES = "[\"'`*\u201c-\u201f\u2018-\u201b\u00ab\u00bb]{0,3}"


def near_words(
    versions: Sequence[Text], found: Mapping[str, Sequence[Reading]], dialects: Sequence[Dialect]
) -> Iterator[Signal]:
    """The objections in those versions of a text that no dialect reads as a word; ``found`` is what they read."""
    signals = (signal for each in found.values() for reading in each for signal in reading.signals)
    read = {signal.source.version for signal in signals if signal.kind is Kind.VERDICT or signal.claims}
    for version in (each for each in versions if each.source.version not in read and not each.is_blank):
        yield from _objections(version, dialects)


def _objections(text: Text, dialects: Sequence[Dialect]) -> Iterator[Signal]:
    body = text.body or ""
    for dialect in dialects:
        fails = _pattern(dialect.footprint.deciding)
        if fails is None or fails.search(plain(body)) is None:
            continue
        blocks = (match[1] or match[2] or "" for match in BLOCK.finditer(text.page.unquoted))
        held = (each for block in (*blocks, *text.page.code) for each in (block, plain(block)))
        found = next((match[0] for match in map(fails.search, held) if match is not None), None)
        if found is None:
            continue
        said = " ".join(re.sub(rf"[>|][+-]?(?=\s)|{_QUOTES}", "", found).split()).lstrip(":= ")
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
def _pattern(deciding: tuple[Deciding, ...]) -> re.Pattern[str] | None:
    """What finds a deciding key that fails: with one of its values, or as a list with something in it."""
    if not deciding:
        return None
    return re.compile("|".join(map(_told, deciding)), re.IGNORECASE)


def _told(each: Deciding) -> str:
    written = "[ _-]?".join(map(re.escape, each.key.split("_")))
    name = rf"(?<![\w-]){written}{_QUOTES}[ \t]{{0,8}}" if each.key else ""
    # the value may stand below its key, in YAML also as a block
    key = rf"{name}[:=](?:[ \t]{{0,8}}[>|][+-]?)?\s{{0,40}}" if each.key else r"[:=][ \t]{0,8}"
    if not each.values:
        return rf"{key}(?:\[\s{{0,40}}(?:\w|{_QUOTES}\w)|-\s|[\"'](?!none|null|false)\w)"
    values = "|".join(map(re.escape, sorted(each.values)))
    return rf"{key}{_QUOTES}(?:{values})(?![\w-])"
