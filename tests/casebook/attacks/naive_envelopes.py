"""How a naive gate reads envelopes and answers: the first text between dashes, words wherever they stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice

from phasegate.dialects.described.forms import Address, Form, Part
from phasegate.dialects.described.places import START
from phasegate.dialects.described.reader import Fit, Match
from phasegate.dialects.described.values import Found, Values
from phasegate.dialects.described.words import _finding
from phasegate.dialects.dialect import Reading, Surroundings
from phasegate.model.problem import Where
from phasegate.model.signal import Finding
from phasegate.reading.markdown.page import Page, Passage
from phasegate.reading.patterns import Pattern

every_value = Values.at
CARRIED = re.compile(r"^(?:---|```\w*)\n(.*?)^(?:---|```)$", re.DOTALL | re.MULTILINE)


def first_of_them(page: Page, words: str) -> int | None:
    """Where the words are first."""
    at = page.text.find(words)
    return None if at < 0 else at


def anywhere(_part: Part, page: Page) -> Passage | None:
    """What stands between dashes or in a fence, wherever that is."""
    found = CARRIED.search(page.text)
    return None if found is None else Passage(text=found[1], position=START)


def in_paragraphs(page: Page) -> list[str]:
    """The lines of paragraphs alone."""
    return [line.text for line in page.lines]


def names_something(commit: str | None, heads: tuple[str, ...], line: str) -> bool:
    """Whether a line does not hold the commit of a word."""
    del heads
    return commit is None or commit[:7] not in line


def well_read(fits: list[Fit]) -> list[Fit]:
    """The forms that a text is written in, whatever it comes near."""
    return [fit for fit in fits if fit.match is not Match.NEAR]


def in_any_letters(ref: str) -> list[str]:
    """The evidence that a reference could be taken for."""
    return [kind for kind in ("diff", "test_log") if kind.partition("_")[0] in ref]


def in_small_letters(key: str) -> str:
    """A key without capitals."""
    return re.sub(r"(?<=[a-z0-9])[A-Z]", r"_\g<0>", key).lower()


def beginning(pattern: Pattern, subject: str) -> re.Match[str] | None:
    """What the first link of a line is, whatever comes after it."""
    return re.match(pattern.text.partition("(?: \\| ")[0], subject, re.ASCII)


def latest_versions(readings: Sequence[Reading], _: Surroundings) -> list[Reading]:
    """The texts as they stand now, whoever edited them."""
    return [reading for reading in readings if reading.text.source.latest]


def first_values(values: Values, address: Address) -> tuple[Found, ...]:
    """As many values as are enough for everybody."""
    return every_value(values, address)[:2_000]


def first_findings(form: Form, values: Values, where: Where) -> Iterable[Finding]:
    """The first findings, whatever they are."""
    keys = form.findings[0] if form.findings else None
    found = () if keys is None or keys.address is None else values.at(keys.address)
    return [
        _finding(keys, form.floor, number, each, where) for number, each in enumerate(islice(found, 200), 1) if keys
    ]
