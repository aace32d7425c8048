"""The jkz dialect: one version of a comment in, its verdict, report and proposals out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from difflib import get_close_matches

from phasegate.catalogue import problem, problem_of
from phasegate.dialects.jkz_evidence import refutations
from phasegate.dialects.jkz_verdict import read_verdict
from phasegate.model.digest import text_digest
from phasegate.model.problem import Fault, Position, Problem, Where
from phasegate.model.signal import Does, Kind, Role, RoleClaim, Signal, Source
from phasegate.reading.markdown import Carrier, Outline, locate, outline

DIALECT = "jkz"
PREFIX = "jkz:"
VERDICT = "jkz:verdict-json"
PROPOSAL = "jkz:propose-issue"
MARKERS = (VERDICT, PROPOSAL, "jkz:compact-plan", "jkz:adr-json", "jkz:spec-map", "jkz:diagnosis-json")
HEADING = re.compile(r"jkz:([a-z0-9-]{1,32})(?:\s.*)?", re.ASCII | re.IGNORECASE | re.DOTALL)
HEADING_LEVEL = 2
WORDLESS = (Does.CREATES, Does.REPAIRS)


def read_comment(text: str, source: Source, where: Where, roles: tuple[Role, ...]) -> tuple[Signal, ...]:
    """The signals in one version of a comment."""
    if PREFIX not in text.lower():
        return ()
    shape = outline(text, PREFIX)
    headings = tuple(_headings(shape))
    spoken = _spoken(text, source, where, headings, roles)
    proposals = tuple(_proposals(shape, text, source, where, headings))
    strays = tuple(_strays(shape, where))
    if spoken is None and strays:
        spoken = Signal(
            dialect=DIALECT, kind=Kind.REPORT, claims=headings, digest=text_digest(text), source=source, where=where
        )
    if spoken is None:
        return proposals
    if spoken.false_positives:
        spoken = replace(spoken, refutations=refutations(shape, spoken.false_positives))
    return (_with(spoken, strays), *proposals)


def _with(signal: Signal, problems: tuple[Problem, ...]) -> Signal:
    return replace(signal, problems=(*signal.problems, *problems))


def _headings(shape: Outline) -> Iterator[RoleClaim]:
    for heading in shape.headings:
        match = HEADING.fullmatch(heading.text.strip())
        if match and heading.level == HEADING_LEVEL:
            yield RoleClaim(by="the heading", role=match[1].lower())


def _spoken(
    text: str, source: Source, where: Where, headings: tuple[RoleClaim, ...], roles: tuple[Role, ...]
) -> Signal | None:
    """The comment's verdict, the word of a role that gives none, or nothing."""
    found = locate(text, VERDICT, prefix=PREFIX)
    if isinstance(found, Carrier):
        return read_verdict(found, text, source, where, headings, roles)
    base = Signal(
        dialect=DIALECT, kind=Kind.VERDICT, claims=headings, digest=text_digest(text), source=source, where=where
    )
    if isinstance(found, Fault):
        return _with(base, (problem_of(found, where),))
    if not headings:
        return None
    does = {role.does for role in roles if role.name in {claim.role for claim in headings}}
    if does and does.issubset(WORDLESS):
        return Signal(
            dialect=DIALECT, kind=Kind.REPORT, claims=headings, digest=text_digest(text), source=source, where=where
        )
    return _with(base, (problem("PG102", f"headed jkz:{headings[0].role}, but there is no {VERDICT} block", where),))


def _proposals(
    shape: Outline, text: str, source: Source, where: Where, claims: tuple[RoleClaim, ...]
) -> Iterator[Signal]:
    for carrier in shape.carriers:
        if carrier.marker == PROPOSAL:
            title = carrier.payload.strip().lstrip(":").partition("|")[0].strip()
            yield Signal(
                dialect=DIALECT,
                kind=Kind.PROPOSAL,
                claims=claims,
                title=title,
                digest=text_digest(text),
                source=source,
                where=where.at(carrier.position),
            )


def _strays(shape: Outline, where: Where) -> Iterator[Problem]:
    for carrier in shape.carriers:
        if carrier.marker not in MARKERS:
            close = get_close_matches(carrier.marker, MARKERS, n=1)
            meant = f' (did you mean "{close[0]}"?)' if close else ""
            spot = where.at(Position(line=carrier.first_line, column=1))
            yield problem("PG124", f'unknown marker "{carrier.marker}"{meant}', spot)
