"""Reads jkz. In: one version of a comment. Out: its verdict, report and proposals."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from phasegate.catalogue import problem, problem_of
from phasegate.dialects.dialect import Text
from phasegate.dialects.jkz.declaration import NAME, PREFIX, VERDICT
from phasegate.dialects.jkz.verdict import (
    NAMING,
    named_anywhere,
    named_around,
    near_headings,
    read_verdict,
    refutations,
    told_in_raw_text,
)
from phasegate.dialects.raw import objects
from phasegate.model.codec import text_digest
from phasegate.model.frozen import dataclass, late, replace
from phasegate.model.problem import Fault, Position, Problem, Severity, Where, near
from phasegate.model.signal import Does, Finding, Kind, Outcome, Role, RoleClaim, Signal
from phasegate.reading.document import Lines, character_name, excerpt
from phasegate.reading.json import read_json
from phasegate.reading.markdown.page import FOOTERS, Aside, Carrier, Hidden, Page
from phasegate.reading.schema.registry import validate
from phasegate.reading.yaml import read_yaml

COMPACT_PLAN = "jkz:compact-plan"
DECISION = "jkz:adr-json"
DIAGNOSIS = "jkz:diagnosis-json"
SPEC_MAP = "jkz:spec-map"
SCHEMAS = {COMPACT_PLAN: "jkz/compact-plan", DECISION: "jkz/adr", DIAGNOSIS: "jkz/diagnosis", SPEC_MAP: "jkz/spec-map"}
BLOCKS = tuple(SCHEMAS)
# A plan may record several decisions; every other block may stand in a comment only once.
SINGLE = (COMPACT_PLAN, DIAGNOSIS, SPEC_MAP)
JSON_BEGINS = ("{", "[")
PROPOSAL = "jkz:propose-issue"
MARKERS = (VERDICT, PROPOSAL, *BLOCKS)
HEADING = late(r"jkz:([a-z0-9-]{1,32})(?:\s.*)?", re.ASCII | re.IGNORECASE | re.DOTALL)
HEADING_LEVEL = 2
RAW_HEADING = late(r"^ {0,3}#{1,6}[ \t]+jkz:([a-z0-9-]{1,32})", re.ASCII | re.IGNORECASE | re.MULTILINE)
RAW_HEADINGS = late(r"^ {0,3}#{1,6}[ \t][^\n]{0,200}", re.MULTILINE)
BEGINS = late(rf"(?:<!--|```|~~~)[ \t\n]{{0,8}}{VERDICT}", re.ASCII | re.IGNORECASE)
# Something like the marker: anywhere, and where a block begins.
_NEAR = rf"{PREFIX}[ \t]?verdict[a-z0-9_-]{{0,20}}"
NEAR_MARKER = late(_NEAR, re.ASCII | re.IGNORECASE)
NEAR_BEGINS = late(rf"(?:<!--|```|~~~)[ \t\n]{{0,8}}({_NEAR})", re.ASCII | re.IGNORECASE)
LONGEST_NAME = 40  # of a fence
OWN_COMMENT = late(rf"<!--[ \t\n]*{VERDICT}", re.ASCII)
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
    proposals: tuple[Signal, ...] = ()
    if PROPOSAL in page.text:
        proposer = base if spoken is None else replace(base, claims=spoken.claims)
        proposals = tuple(read_proposals(page, proposer, spoken))
    strays = tuple(_strays(page, where))
    blocks = tuple(carrier for carrier in page.carriers_with(PREFIX) if carrier.marker in BLOCKS)
    near = None if (base if spoken is None else spoken).claims else next(near_headings(page.text, roles), None)
    makers = {role.name for role in roles if role.does is Does.CREATES}
    if spoken is None and (strays or blocks or (near is not None and near[2] in makers)):
        spoken = base
    if spoken is None:
        return proposals
    if near is not None and not spoken.claims:
        number, line, name = near
        message = f"{excerpt(line.strip())} is not the heading ## jkz:{name}"
        spoken = _with(spoken, (problem("PG125", message, where.at(Position(line=number, column=1))),))
    if spoken.false_positives:
        spoken = replace(spoken, refutations=refutations(page, spoken.false_positives))
    if blocks:
        spoken = with_blocks(spoken, blocks, where)
    return (_with(spoken, strays), *proposals)


def _with(signal: Signal, problems: tuple[Problem, ...]) -> Signal:
    return replace(signal, problems=(*signal.problems, *problems)) if problems else signal


def _headings(page: Page) -> Iterator[RoleClaim]:
    for heading in page.headings:
        match = HEADING.fullmatch(heading.text.strip())
        if match and heading.level == HEADING_LEVEL:
            yield RoleClaim(by="the heading", role=match[1].lower())


def _spoken(written: Text, base: Signal, roles: tuple[Role, ...]) -> Signal | None:
    """The comment's verdict, the report of a role that gives none, or None. ``base`` has the headings' claims."""
    page = written.page
    text, headings = page.text, base.claims
    if text.lower().count(VERDICT) > text.count(VERDICT):
        wrong = problem("PG103", f"the marker is {VERDICT}, in lower case", base.where)
        return _of_all_named(base, page, roles, wrong, _begun(text))
    markers, footers = (PREFIX, *written.added.markers, *others_marks(text)), (*FOOTERS, *written.added.footers)
    found = page.locate(VERDICT, prefix=PREFIX, aside=Aside(sound=_is_sound, markers=markers, footers=footers))
    if isinstance(found, Carrier):
        return read_verdict(found, base, roles, page)
    unsaid = replace(base, kind=Kind.VERDICT)
    if isinstance(found, Hidden) and not found.quoted:
        begun = "" if found.shown else _begun(text)
        hidden = _of_all_named(base, page, roles, problem_of(found.fault, base.where), begun)
        roles_told = RAW_HEADING.findall(text) if page.is_fenced else []
        shown = found.shown and not headings and not hidden.objects
        return replace(hidden, shown=shown, fenced="".join(roles_told[:1]).lower())
    if isinstance(found, Hidden):
        quoting = replace(unsaid, claims=tuple(dict.fromkeys(headings)), shown=not headings)
        return replace(quoting, objects=objects(text), problems=(problem_of(found.fault, base.where),))
    if not headings:
        return misspelt_marker(base, page, roles)
    does = {role.does for role in roles if role.name in {claim.role for claim in headings}}
    if does and does.issubset(WORDLESS):
        said = len(text.split("\n", 1)[-1].split()) > 0 if text.startswith("#") else True
        nothing = f"headed jkz:{headings[0].role}, but there is nothing below"
        empty = problem("PG102", nothing, base.where, hint="Write it below the heading.")
        return base if said else _with(base, (empty,))
    missing = f"headed jkz:{headings[0].role}, but there is no {VERDICT} block"
    near, hint = NEAR_MARKER.search(text), ""
    if near is not None:
        hint = f"Write {VERDICT} in place of {near[0]}."
    elif fences := [each for each in page.fences if each.payload.lstrip()[:1] == "{" and '"verdict"' in each.payload]:
        name = "".join(filter(str.isprintable, fences[0].marker.strip()[:LONGEST_NAME]))
        hint = f"Write ```{VERDICT} in place of ```{name}."
    wrong = problem("PG102", missing, base.where, hint=hint)
    return replace(unsaid, objects=objects(text), problems=(wrong,))


def misspelt_marker(base: Signal, page: Page, roles: tuple[Role, ...]) -> Signal | None:
    """A block that begins with what a person takes for the marker; a quoted one is somebody else's."""
    begins = NEAR_BEGINS.search(page.unquoted)
    if begins is None:
        return None
    wrong = problem(
        "PG103", f"{excerpt(begins[1])} is not the marker", base.where, hint=f"Write {VERDICT} in place of {begins[1]}."
    )
    spoken = _of_all_named(base, page, roles, wrong, page.text[begins.end() :])
    own = any(NEAR_MARKER.fullmatch(carrier.marker) for carrier in page.carriers_with(PREFIX))
    return replace(spoken, shown=not own and not spoken.objects)


def others_marks(text: str) -> tuple[str, ...]:
    """The marks of all dialects, which no comment beside the block may hold. Loaded only if there is one."""
    if text.count("<!--") <= len(OWN_COMMENT.findall(text)):
        return ()
    from phasegate.dialects.registry import every_dialect  # noqa: PLC0415  (loaded when it is asked for)

    return tuple(trigger for dialect in every_dialect() for trigger in dialect.footprint.triggers)


def _of_all_named(base: Signal, page: Page, roles: tuple[Role, ...], wrong: Problem, begun: str) -> Signal:
    """An invalid word of every role that the text around an unreadable block names."""
    verdict = replace(base, kind=Kind.VERDICT, problems=(*base.problems, wrong))
    claims = tuple(dict.fromkeys((*base.claims, *whose_hidden(page, roles, base.claims, begun))))
    return replace(verdict, objects=objects(page.text), claims=claims)


def _begun(text: str) -> str:
    """The text after a block's marker, or "" if the marker is only mentioned."""
    begins = BEGINS.search(text)
    return "" if begins is None else text[begins.end() :]


def whose_hidden(page: Page, roles: tuple[Role, ...], told: tuple[RoleClaim, ...], begun: str) -> Iterator[RoleClaim]:
    """Roles named around a block in a place where none counts, besides those in ``told``.

    If it ``begun`` as a block it always belongs to somebody: without a clear name, to every role it names in any way.
    """
    text = page.text
    found = tuple(told_in_raw_text(text, roles))
    sure = {claim.role for claim in (*told, *found)}
    headings = [role.lower() for role in RAW_HEADING.findall(text)]
    found += tuple(RoleClaim(by="the text around it", role=role) for role in headings if role not in sure)
    if begun and not found and not told:
        named = (name.lower() for line in RAW_HEADINGS.findall(text) for name in NAMING.findall(line))
        known = {role.name for role in roles}
        found = tuple(RoleClaim(by="a heading", role=name) for name in named if name in known)
        found = found or tuple(named_anywhere(begun, roles)) or tuple(named_around(page, roles))
    yield from found


def _strays(page: Page, where: Where) -> Iterator[Problem]:
    for carrier in page.carriers_with(PREFIX):
        if carrier.marker not in MARKERS:
            close = near(carrier.marker, MARKERS)
            meant = f' (did you mean "{close[0]}"?)' if close else ""
            spot = where.at(Position(line=carrier.first_line, column=1))
            yield problem("PG124", f'unknown marker "{carrier.marker}"{meant}', spot)


def with_blocks(signal: Signal, blocks: tuple[Carrier, ...], where: Where) -> Signal:
    """The comment's signal, with the names of other blocks and their problems."""
    problems = list(signal.problems)
    counts = Counter(block.marker for block in blocks)
    for marker in (marker for marker in SINGLE if counts[marker] > 1):
        last = [block for block in blocks if block.marker == marker][-1]
        message = f"{marker} appears {counts[marker]} times in the comment, so it is unclear which one counts"
        problems.append(problem("PG128", message, where.at(last.position), hint="Keep one of them."))
    for marker, fault in ((block.marker, fault) for block in blocks for fault in _faults(block)):
        told, place = f"{marker}: {fault.message}", where.at(fault.position, fault.json_path)
        problems.append(problem("PG128", told, place, hint=fault.hint))
    names = dict.fromkeys(block.marker.removeprefix(PREFIX) for block in blocks)
    return replace(signal, title=", ".join(names), problems=tuple(problems))


def _faults(block: Carrier) -> Iterator[Fault]:
    """What is wrong in a block. A spec map may also be lines of the form ``name: STATE``."""
    if block.fault is not None:
        yield block.fault
        return
    lines = block.marker == SPEC_MAP and not block.payload.startswith(JSON_BEGINS)
    document = (read_yaml if lines else read_json)(block.payload, first=block.position)
    yield from (document,) if isinstance(document, Fault) else validate(SCHEMAS[block.marker], document)


def _is_sound(block: Carrier) -> bool:
    """True if a block beside a verdict is known and has a valid payload; any other is plain text.

    A proposal's payload is free text.
    """
    if block.marker == PROPOSAL:
        return any(map(str.isalpha, block.payload))
    return block.marker in BLOCKS and not any(True for _ in _faults(block))


def compact_plan(text: str) -> str:
    """The one compact plan in a comment, or else the comment."""
    carriers = [carrier for carrier in Page.of(text).carriers_with(PREFIX) if carrier.marker == COMPACT_PLAN]
    if len(carriers) == 1 and carriers[0].fault is None:
        return carriers[0].payload
    return text


SEPARATOR = "|"
FEWEST_WORDS = 2
LONGEST_TITLE = 100
LONGEST_DESCRIPTION = 2000
KEPT = 3000
MOST_PROPOSALS = 10  # if there are several none is filed, so leaving out the rest loses nothing
# Controls, and what turns or hides the text around it; joiners, which letters and emoji need, are not among them.
HIDDEN = r"\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
IN_TITLE = late(rf"[\t\n{HIDDEN}\U000e0000-\U000e0fff]")
IN_DESCRIPTION = late(rf"[{HIDDEN}\U000e0000-\U000e0fff]")

TOKEN = late(r"[^\x00-/:-`{-\xa9]+")  # lower-case letters, digits, and all that is not ASCII


@dataclass(frozen=True, kw_only=True, slots=True)
class _Proposal:
    """One marker and its parts; offsets count in its text."""

    carrier: Carrier
    where: Where
    title: str
    description: str

    @staticmethod
    def of(carrier: Carrier, where: Where) -> _Proposal:
        title, _, description = carrier.payload.partition(SEPARATOR)
        return _Proposal(carrier=carrier, where=where, title=title.strip(), description=description.strip())

    def problem(self, code: str, message: str, *, offset: int = 0, hint: str = "") -> Problem:
        position = Lines.of(self.carrier.payload, self.carrier.position).position(offset)
        return problem(code, message, self.where.at(position), hint=hint)


def read_proposals(page: Page, base: Signal, spoken: Signal | None) -> Iterator[Signal]:
    """The proposals of a comment. ``spoken`` is the comment's own word, if any."""
    several = page.text.count(PROPOSAL)
    proposals = [carrier for carrier in page.carriers_with(PREFIX) if carrier.marker == PROPOSAL]
    for carrier in proposals[:MOST_PROPOSALS]:
        found = _Proposal.of(carrier, base.where)
        yield replace(
            base,
            kind=Kind.PROPOSAL,
            title=found.title[:KEPT],
            description=found.description[:KEPT],
            where=base.where.at(carrier.position),
            problems=tuple(_proposal_problems(found, several, spoken)),
        )


def _proposal_problems(found: _Proposal, several: int, spoken: Signal | None) -> Iterator[Problem]:
    if several > 1:
        message = f"{PROPOSAL} occurs {several} times in the comment; at most one proposal is made"
        yield found.problem("PG130", message, hint="Keep one, and write the marker nowhere else in the comment.")
    reason = ""
    if spoken is None or spoken.kind is not Kind.VERDICT:
        reason = "there is no verdict in this comment"
    elif spoken.outcome is None or any(item.severity is Severity.ERROR for item in spoken.problems):
        reason = "the verdict in this comment is invalid"
    elif spoken.outcome is not Outcome.FAIL:
        reason = f"this comment says {spoken.outcome.value}"
    elif not spoken.must_fix:
        reason = "the FAIL in this comment asks for no fix, so it is not one"
    if reason:
        hint = "Make proposals only in a comment whose verdict is a valid FAIL."
        yield found.problem("PG130", f"a proposal is made only on a FAIL verdict: {reason}", hint=hint)
    fault = found.carrier.fault
    if fault is not None:
        yield problem("PG130", fault.message, found.where.at(fault.position), hint=fault.hint)
        return
    yield from _form(found)
    for finding in spoken.findings if spoken else ():
        if restates(found.title, finding):
            message = f"the title says again what {finding.id} says: {excerpt(finding.summary)}"
            yield found.problem("PG130", message, hint="Leave it out, or say what is to be done beyond the finding.")


def _form(found: _Proposal) -> Iterator[Problem]:
    title, payload = found.title, found.carrier.payload
    words = title.split()
    if len(words) < FEWEST_WORDS:
        told = f'is only "{title[:40]}"' if words else "is missing"
        yield found.problem("PG130", f'the title {told}; say what to do ("Check the old API too")')
    elif not all(part.isalpha() for part in re.split(r"[-'\u2019]", words[0].rstrip(":,"))):
        yield found.problem("PG130", f"the title begins with {excerpt(words[0])}, which is not a word")
    for part, text, most in (("title", title, LONGEST_TITLE), ("description", found.description, LONGEST_DESCRIPTION)):
        if len(text) > most:
            yield found.problem("PG130", f"the {part} has {len(text)} characters (at most {most})")
    hidden = IN_TITLE.search(title) or IN_DESCRIPTION.search(found.description)
    if hidden:
        part = "title" if hidden[0] in title else "description"
        message = f"the {part} holds the character {character_name(hidden[0])}"
        yield found.problem("PG130", message, offset=payload.index(hidden[0]))
    if SEPARATOR in found.description:
        message = "a second | follows: the first one separates the title from the description"
        yield found.problem("PG130", message, offset=payload.find(SEPARATOR, payload.find(SEPARATOR) + 1))


def restates(title: str, finding: Finding) -> bool:
    """True if a title, without its verb, only repeats words of a finding or its whole summary."""
    said, summary = set(TOKEN.findall(title.lower().partition(" ")[2])), set(TOKEN.findall(finding.summary.lower()))
    known = summary | set(TOKEN.findall((finding.fix_hint or "").lower()))
    return len(said) >= FEWEST_WORDS and (said <= known or (len(summary) >= FEWEST_WORDS and summary <= said))
