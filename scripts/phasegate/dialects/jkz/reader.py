"""The jkz dialect: one version of a comment in, its verdict, report and proposals out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from difflib import get_close_matches

from phasegate.catalogue import problem, problem_of
from phasegate.dialects.jkz.blocks import BLOCKS, blocks_of, with_blocks
from phasegate.dialects.jkz.proposal import MARKER as PROPOSAL
from phasegate.dialects.jkz.proposal import read_proposals
from phasegate.dialects.jkz.refutations import refutations
from phasegate.dialects.jkz.verdict import claims_by_ids, read_verdict
from phasegate.model.digest import text_digest
from phasegate.model.problem import Position, Problem, Where
from phasegate.model.signal import Does, Kind, Role, RoleClaim, Signal, Source
from phasegate.reading.markdown.page import Carrier, Hidden, Outline, locate, outline

DIALECT = "jkz"
PREFIX = "jkz:"
VERDICT = "jkz:verdict-json"
MARKERS = (VERDICT, PROPOSAL, *BLOCKS)
HEADING = re.compile(r"jkz:([a-z0-9-]{1,32})(?:\s.*)?", re.ASCII | re.IGNORECASE | re.DOTALL)
HEADING_LEVEL = 2
ROLE_KEY = re.compile(r'"role"\s{0,8}:\s{0,8}"([a-z][a-z0-9-]{0,31})"', re.ASCII | re.IGNORECASE)
RAW_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+jkz:([a-z0-9-]{1,32})", re.ASCII | re.IGNORECASE | re.MULTILINE)
WORDLESS = (Does.CREATES, Does.REPAIRS)


def read_comment(text: str, source: Source, where: Where, roles: tuple[Role, ...]) -> tuple[Signal, ...]:
    """The signals in one version of a comment."""
    if PREFIX not in text.lower():
        return ()
    shape = outline(text, PREFIX)
    headings = tuple(_headings(shape))
    base = Signal(
        dialect=DIALECT, kind=Kind.REPORT, claims=headings, digest=text_digest(text), source=source, where=where
    )
    spoken = _spoken(text, base, headings, roles)
    proposer = base if spoken is None else replace(base, claims=spoken.claims)
    proposals = tuple(read_proposals(shape, text, proposer, spoken))
    strays, blocks = tuple(_strays(shape, where)), blocks_of(shape)
    if spoken is None and (strays or blocks):
        spoken = base
    if spoken is None:
        return proposals
    if spoken.false_positives:
        spoken = replace(spoken, refutations=refutations(shape, spoken.false_positives))
    if blocks:
        spoken = with_blocks(spoken, blocks, where)
    return (_with(spoken, strays), *proposals)


def _with(signal: Signal, problems: tuple[Problem, ...]) -> Signal:
    return replace(signal, problems=(*signal.problems, *problems))


def _headings(shape: Outline) -> Iterator[RoleClaim]:
    for heading in shape.headings:
        match = HEADING.fullmatch(heading.text.strip())
        if match and heading.level == HEADING_LEVEL:
            yield RoleClaim(by="the heading", role=match[1].lower())


def _spoken(text: str, base: Signal, headings: tuple[RoleClaim, ...], roles: tuple[Role, ...]) -> Signal | None:
    """The comment's verdict, the word of a role that gives none, or nothing."""
    if text.lower().count(VERDICT) > text.count(VERDICT):
        claims = (*headings, *_told_in_raw_text(text, roles))
        wrong = problem("PG103", f"the marker is {VERDICT}, in lower case", base.where)
        return _with(replace(base, kind=Kind.VERDICT, claims=claims), (wrong,))
    found = locate(text, VERDICT, prefix=PREFIX)
    if isinstance(found, Carrier):
        return read_verdict(found, text, base.source, base.where, headings, roles)
    unsaid = replace(base, kind=Kind.VERDICT)
    if isinstance(found, Hidden):
        claims = headings if found.quoted else (*headings, *_told_in_raw_text(text, roles))
        return _with(replace(unsaid, claims=tuple(dict.fromkeys(claims))), (problem_of(found.fault, base.where),))
    if not headings:
        return None
    does = {role.does for role in roles if role.name in {claim.role for claim in headings}}
    if does and does.issubset(WORDLESS):
        said = len(text.split("\n", 1)[-1].split()) > 0 if text.startswith("#") else True
        empty = problem("PG102", f"headed jkz:{headings[0].role}, but there is nothing below", base.where)
        return base if said else _with(base, (empty,))
    missing = f"headed jkz:{headings[0].role}, but there is no {VERDICT} block"
    return _with(unsaid, (problem("PG102", missing, base.where),))


def _told_in_raw_text(text: str, roles: tuple[Role, ...]) -> Iterator[RoleClaim]:
    """The roles that a text names around a block that cannot be read: nobody can tell what it hides."""
    yield from claims_by_ids(text, roles)
    for role in dict.fromkeys((*ROLE_KEY.findall(text), *RAW_HEADING.findall(text))):
        yield RoleClaim(by="the text around it", role=role.lower())


def _strays(shape: Outline, where: Where) -> Iterator[Problem]:
    for carrier in shape.carriers:
        if carrier.marker not in MARKERS:
            close = get_close_matches(carrier.marker, MARKERS, n=1)
            meant = f' (did you mean "{close[0]}"?)' if close else ""
            spot = where.at(Position(line=carrier.first_line, column=1))
            yield problem("PG124", f'unknown marker "{carrier.marker}"{meant}', spot)
