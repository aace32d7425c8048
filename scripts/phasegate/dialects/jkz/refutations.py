"""Evidence beside a refuted finding: what stands in the part of the comment that names its id.

A part begins where ids are named and goes on until others are named or a heading without ids begins. What is quoted
there is somebody else's and proves nothing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice, pairwise

from phasegate.dialects.jkz.declaration import PREFIX
from phasegate.model.late import late
from phasegate.model.signal import Refutation
from phasegate.reading.markdown.page import Page, Part, PartKind

FINDING = late(r"(?<![A-Za-z0-9_])[A-Z][1-9][0-9]{0,3}(?![A-Za-z0-9_])", re.ASCII)
LINE = late(r"(?<![A-Za-z0-9._/-])((?:[A-Za-z0-9._-]{1,80}/){0,16}[A-Za-z0-9._-]{1,80}):([1-9][0-9]{0,6})", re.ASCII)
TICKS = ("```", "~~~")
MOST_LINES = 200
OUTPUT = (PartKind.FENCE, PartKind.CODE)
FOREIGN = (PartKind.QUOTE, PartKind.HTML)


def refutations(page: Page, ids: tuple[str, ...]) -> tuple[Refutation, ...]:
    """The evidence for each of the refuted ids; the dialect's own carriers are none."""
    outputs: set[str] = set()
    lines: dict[str, dict[tuple[str, int], None]] = defaultdict(dict)
    own = {carrier.first_line for carrier in page.carriers_with(PREFIX)}
    named: set[str] = set()
    for part in page.parts:
        if part.kind in FOREIGN or part.within or part.line in own or _quotes(part):
            continue
        named = _named(part, named)
        if part.kind in OUTPUT or part.fenced:
            outputs |= named if _has_output(part) else set()
        else:
            places = dict.fromkeys(islice(named_lines(part.text), MOST_LINES))
            for name in named.intersection(ids):
                lines[name] |= places if len(lines[name]) < MOST_LINES else {}
    return tuple(Refutation(id=name, output=name in outputs, lines=tuple(lines[name])) for name in ids)


def _named(part: Part, before: set[str]) -> set[str]:
    if part.kind in OUTPUT:
        return before
    found = set(FINDING.findall(part.text))
    return found if found or part.kind is PartKind.HEADING else before


def _has_output(part: Part) -> bool:
    """Whether there is anything inside the fence."""
    if part.kind is PartKind.CODE:
        return bool(part.text.strip())
    lines = part.text.splitlines()
    fences = [index for index, line in enumerate(lines) if line.strip(" -*+>")[:3] in TICKS]
    return any("".join(lines[start + 1 : end]).strip() for start, end in pairwise([*fences, len(lines)]))


def _quotes(part: Part) -> bool:
    """Whether a list item holds a quote, which may be where its evidence comes from."""
    return part.kind is PartKind.ITEM and any(line.lstrip(" -*+").startswith(">") for line in part.text.splitlines())


def named_lines(text: str) -> Iterator[tuple[str, int]]:
    """The path:line places that a text names."""
    for path, line in (match.groups() for match in LINE.finditer(text)):
        if ".." not in path.split("/"):
            yield path, int(line)
