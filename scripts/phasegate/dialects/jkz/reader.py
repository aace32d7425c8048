"""The jkz dialect: one version of a comment in, its verdict, report and proposals out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from phasegate.catalogue import problem, problem_of
from phasegate.dialects.dialect import Text
from phasegate.dialects.jkz.declaration import NAME, PREFIX, VERDICT
from phasegate.dialects.jkz.proposal import MARKER as PROPOSAL
from phasegate.dialects.jkz.proposal import is_proposal, read_proposals
from phasegate.dialects.jkz.verdict import read_verdict, refutations, unread, with_objection
from phasegate.model.codec import text_digest
from phasegate.model.frozen import replace
from phasegate.model.problem import Fault, Position, Problem, Where
from phasegate.model.signal import Does, Kind, Role, RoleClaim, Signal
from phasegate.reading.document import Document
from phasegate.reading.json.reader import read_json
from phasegate.reading.markdown.page import FOOTERS, Aside, Carrier, Hidden, Page
from phasegate.reading.schema.registry import validate
from phasegate.reading.yaml import read_yaml

COMPACT_PLAN = "jkz:compact-plan"
DECISION = "jkz:adr-json"
DIAGNOSIS = "jkz:diagnosis-json"
SPEC_MAP = "jkz:spec-map"
SCHEMAS = {
    COMPACT_PLAN: "jkz/compact-plan",
    DECISION: "jkz/adr",
    DIAGNOSIS: "jkz/diagnosis",
    SPEC_MAP: "jkz/spec-map",
}
BLOCKS = tuple(SCHEMAS)
# A plan may record several decisions; of the others there is one in a comment.
SINGLE = (COMPACT_PLAN, DIAGNOSIS, SPEC_MAP)
JSON_BEGINS = ("{", "[")
MARKERS = (VERDICT, PROPOSAL, *BLOCKS)
HEADING = re.compile(r"jkz:([a-z0-9-]{1,32})(?:\s.*)?", re.ASCII | re.IGNORECASE | re.DOTALL)
HEADING_LEVEL = 2
RAW_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+jkz:([a-z0-9-]{1,32})", re.ASCII | re.IGNORECASE | re.MULTILINE)
WORDLESS = (Does.CREATES, Does.REPAIRS)


def read_text(text: Text, roles: tuple[Role, ...]) -> tuple[Signal, ...]:
    """The signals in one version of a comment or review."""
    if PREFIX not in (text.body or "").lower():
        return ()
    page, where = text.page, text.where
    base = Signal(
        dialect=NAME,
        kind=Kind.REPORT,
        claims=tuple(_headings(page)),
        digest=text_digest(text.body or ""),
        source=text.source,
        where=where,
    )
    spoken = _spoken(text, base, roles)
    proposer = base if spoken is None else replace(base, claims=spoken.claims)
    proposals = tuple(read_proposals(page, proposer, spoken))
    strays, blocks = tuple(_strays(page, where)), blocks_of(page)
    if spoken is None and (strays or blocks):
        spoken = base
    if spoken is None:
        return proposals
    if spoken.false_positives:
        spoken = replace(spoken, refutations=refutations(page, spoken.false_positives))
    if blocks:
        spoken = with_blocks(spoken, blocks, where)
    return (_with(spoken, strays), *proposals)


def _with(signal: Signal, problems: tuple[Problem, ...]) -> Signal:
    return replace(signal, problems=(*signal.problems, *problems))


def _headings(page: Page) -> Iterator[RoleClaim]:
    for heading in page.headings:
        match = HEADING.fullmatch(heading.text.strip())
        if match and heading.level == HEADING_LEVEL:
            yield RoleClaim(by="the heading", role=match[1].lower())


def _spoken(written: Text, base: Signal, roles: tuple[Role, ...]) -> Signal | None:
    """The comment's verdict, the word of a role that gives none, or nothing; ``base`` claims what the headings tell."""
    page = written.page
    text, headings = page.text, base.claims
    if text.lower().count(VERDICT) > text.count(VERDICT):
        wrong = problem("PG103", f"the marker is {VERDICT}, in lower case", base.where)
        return _of_all_named(base, text, roles, wrong)
    markers, footers = (PREFIX, *written.added.markers, *others_marks(text)), (*FOOTERS, *written.added.footers)
    found = page.locate(VERDICT, prefix=PREFIX, aside=Aside(sound=_is_sound, markers=markers, footers=footers))
    if isinstance(found, Carrier):
        return read_verdict(found, base, roles)
    unsaid = replace(base, kind=Kind.VERDICT)
    if isinstance(found, Hidden) and not found.quoted:
        hidden = _of_all_named(base, text, roles, problem_of(found.fault, base.where))
        return replace(hidden, shown=found.shown and not headings and not hidden.objects)
    if isinstance(found, Hidden):
        claims = tuple(dict.fromkeys(headings))
        return _with(with_objection(replace(unsaid, claims=claims), text), (problem_of(found.fault, base.where),))
    if not headings:
        return None
    does = {role.does for role in roles if role.name in {claim.role for claim in headings}}
    if does and does.issubset(WORDLESS):
        said = len(text.split("\n", 1)[-1].split()) > 0 if text.startswith("#") else True
        empty = problem("PG102", f"headed jkz:{headings[0].role}, but there is nothing below", base.where)
        return base if said else _with(base, (empty,))
    missing = f"headed jkz:{headings[0].role}, but there is no {VERDICT} block"
    hint = f"Write ```{VERDICT} in place of ```json." if _in_json_fence(page) else ""
    return _with(with_objection(unsaid, text), (problem("PG102", missing, base.where, hint=hint),))


def _in_json_fence(page: Page) -> bool:
    """Whether a fence holds what would be a verdict block, had it the right name."""
    fences = (fence for fence in page.fences if fence.info.strip().lower() == "json")
    return any(fence.payload.lstrip().startswith("{") and '"verdict"' in fence.payload for fence in fences)


def others_marks(text: str) -> tuple[str, ...]:
    """The marks of all dialects, which no comment beside the block may hold; loaded where there is such a comment."""
    if text.count("<!--") <= 1:
        return ()
    from phasegate.dialects.registry import every_dialect  # noqa: PLC0415  (loaded when it is asked for)

    return tuple(trigger for dialect in every_dialect() for trigger in dialect.footprint.triggers)


def _of_all_named(base: Signal, text: str, roles: tuple[Role, ...], wrong: Problem) -> Signal:
    """A word of every role that a text names around a block that cannot be read: nobody can tell what it hides."""
    headings = (RoleClaim(by="the text around it", role=role.lower()) for role in RAW_HEADING.findall(text))
    verdict = unread(replace(base, kind=Kind.VERDICT), text, roles, (wrong,))
    told = {claim.role for claim in verdict.claims}
    return replace(
        verdict, claims=(*verdict.claims, *dict.fromkeys(each for each in headings if each.role not in told))
    )


def _strays(page: Page, where: Where) -> Iterator[Problem]:
    for carrier in page.carriers_with(PREFIX):
        if carrier.marker not in MARKERS:
            from difflib import get_close_matches  # noqa: PLC0415  (seldom needed)

            close = get_close_matches(carrier.marker, MARKERS, n=1)
            meant = f' (did you mean "{close[0]}"?)' if close else ""
            spot = where.at(Position(line=carrier.first_line, column=1))
            yield problem("PG124", f'unknown marker "{carrier.marker}"{meant}', spot)


def blocks_of(page: Page) -> tuple[Carrier, ...]:
    """The blocks of a comment that belong here."""
    return tuple(carrier for carrier in page.carriers_with(PREFIX) if carrier.marker in BLOCKS)


def with_blocks(signal: Signal, blocks: tuple[Carrier, ...], where: Where) -> Signal:
    """The comment's signal, with the names of the blocks beside it and what is wrong in them."""
    names = dict.fromkeys(block.marker.removeprefix(PREFIX) for block in blocks)
    problems = (item for block in blocks for item in _problems(block, where))
    found = (*signal.problems, *_repeated(blocks, where), *problems)
    return replace(signal, title=", ".join(names), problems=found)


def _repeated(blocks: tuple[Carrier, ...], where: Where) -> Iterator[Problem]:
    counts = Counter(block.marker for block in blocks)
    for marker in SINGLE:
        if counts[marker] > 1:
            last = [block for block in blocks if block.marker == marker][-1]
            message = f"{marker} stands {counts[marker]} times in the comment, and nobody can tell which one counts"
            yield problem("PG129", message, where.at(last.position), hint="Keep one of them.")


def _problems(block: Carrier, where: Where) -> Iterator[Problem]:
    if block.fault is not None:
        yield _problem("PG129", block, block.fault, where)
        return
    document = _document(block)
    if isinstance(document, Fault):
        yield _problem("PG127", block, document, where)
        return
    for fault in validate(SCHEMAS[block.marker], document):
        yield _problem("PG128", block, fault, where)


def _document(block: Carrier) -> Document | Fault:
    """What a block holds; a spec map may also be written as lines of the form ``name: STATE``."""
    if block.marker == SPEC_MAP and not block.payload.startswith(JSON_BEGINS):
        return read_yaml(block.payload, first=block.position)
    return read_json(block.payload, first=block.position)


def _is_sound(block: Carrier) -> bool:
    """Whether a block beside a verdict is one that is known and has a valid payload; any other is text.

    The payload of a proposal is words of any discipline.
    """
    if block.marker == PROPOSAL:
        return is_proposal(block)
    return block.marker in BLOCKS and not any(True for _ in _problems(block, Where()))


def _problem(code: str, block: Carrier, fault: Fault, where: Where) -> Problem:
    message = f"{block.marker}: {fault.message}"
    return problem(code, message, where.at(fault.position, fault.json_path), hint=fault.hint)


def compact_plan(text: str) -> str:
    """The one compact plan that a comment carries, or else the comment."""
    carriers = [carrier for carrier in Page.of(text).carriers_with(PREFIX) if carrier.marker == COMPACT_PLAN]
    if len(carriers) == 1 and carriers[0].fault is None:
        return carriers[0].payload
    return text
