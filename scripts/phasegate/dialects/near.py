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
from phasegate.model.codec import text_digest
from phasegate.model.frozen import late
from phasegate.model.signal import Kind, Signal

# Fences, HTML comments and front matter, closed or not: what cuts a block off does not take it back.
BLOCK = late(
    r"^ {0,3}(?P<fence>```|~~~)[^\n]*\n(?P<fenced>.*?)(?:^ {0,3}(?P=fence)|\Z)"
    r"|<!--(?P<comment>.*?)(?:-->|\Z)|\A---[ \t]*\n(?P<front>.*?)(?:^---[ \t]*$|\Z)",
    re.DOTALL | re.MULTILINE,
)


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
        if fails is None or fails.search(body) is None:
            continue
        blocks = BLOCK.finditer(text.page.unquoted)
        held = (match["fenced"] or match["comment"] or match["front"] or "" for match in blocks)
        found = next((match[0] for match in map(fails.search, held) if match is not None), None)
        if found is None:
            continue
        said = " ".join(re.sub(r"[\"'`*]", "", found).split()).lstrip(":= ")
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
    name = rf"(?<![\w-]){re.escape(each.key)}[\"'`*]{{0,3}}[ \t]{{0,8}}" if each.key else ""
    key = rf"{name}[:=][ \t]{{0,8}}"
    if not each.values:
        return rf"{key}(?:\[\s{{0,40}}[\"'\w]|\n\s{{0,40}}-\s)"
    values = "|".join(map(re.escape, sorted(each.values)))
    return rf"{key}[\"'`*]{{0,3}}(?:{values})(?![\w-])"
