"""Envelopes: the description in ``formats.yml`` reads them; here is only what it cannot say.

That is: an envelope that no form takes, and the rules between the messages of one issue.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

from phasegate.catalogue import problem
from phasegate.dialects.described.build import build_format, conditions
from phasegate.dialects.described.declaration import Condition, Format
from phasegate.dialects.described.places import START
from phasegate.dialects.described.reader import read_format
from phasegate.dialects.described.values import Piece, Values, all_hold
from phasegate.dialects.dialect import Gathered, Reading, Surroundings, Text, objects
from phasegate.dialects.envelope.declaration import NAME, PLAN, SIGNAL, TRIAGE, TYPES
from phasegate.model.codec import text_digest
from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Fault, Position, Problem, near
from phasegate.model.signal import Asks, Kind, Outcome, Role, RoleClaim, Signal, Step
from phasegate.model.snapshot import Snapshot
from phasegate.reading.document import Document, Json, excerpt
from phasegate.reading.keys import slip_of
from phasegate.reading.schema.registry import schema_text
from phasegate.reading.yaml import read_own_yaml, read_yaml

FORMATS = Path(__file__).parent / "formats.yml"
AUDIT, REVIEW, RESEARCH, ORDERS = "audit_verdict", "review_verdict", "research-result", "orchestrator-message"
# The sections that the body of a message has, under headings of the second level; the line that may stand in place of
# them; and what other bodies tell under a heading or behind a label, as the schema has no headings for it.
SECTIONS = {"worker_submission": ("Result", "Self-Assessment"), "architecture_request": ("Research Context",)}
TOLD = {
    "review_verdict": ("AC Coverage",),
    "audit_verdict": ("Runtime",),
    "triage_result": ("Triage",),
    "research_result": ("Answer", "Verified Facts", "Version Constraints", "Gotchas", "Unverified"),
    "task_assignment": ("Task", "Acceptance Criteria", "Context", "Files"),
    "revision_request": ("Issues",),
}
QUESTIONS = "Research Questions"
INSTEAD = {"architecture_request": "No research needed — proceed."}
COUNTS = {"CRITICAL": "critical_count", "MODERATE": "moderate_count", "MINOR": "minor_count"}
# A heading, an item of a list or a line of a finding, with the severity that it begins with.
LISTED = re.compile(
    r"[ ]{0,3}(?:(?P<title>#{1,6})[ ]{1,4}|(?P<item>(?:[-*+]|[0-9]{1,4}[.)])[ ]{1,4}))?"
    r"(?:\*\*|\[|`)?(?P<name>CRITICAL|MODERATE|MINOR|HIGH|MEDIUM|LOW)?\b",
    re.ASCII,
)
BEFORE_NAMES = " \t#*_+-0123456789.)"  # headings, lists and bold type
LATER_REQUIRED = {REVIEW: ("moderate_count", "minor_count"), "plan_result": ("has_blockers",)}
STOPPED = ("blocked", "escalate")
# What the tags that ask for an audit are about, as people write them too.
RISKS = dict.fromkeys(
    ("security", "auth", "authentication", "authorization", "mutation", "concurrent", "concurrency"), False
)
ROUTE_LINE = re.compile(r"^[ ]{0,3}(?:\*\*)?Route:", re.MULTILINE)
CONVENTIONAL = re.compile(r"[a-z]{2,20}(?:\([^()\n]{1,60}\))?!?: \S", re.ASCII)
BY_GIT = ("Merge ", "Revert ")
SPEAKING = ("write", "maintain", "admin")
_NAMES = "|".join(name.replace("_", "[_-]") for name in TYPES)
# A line that tells the type of a message, in whatever letters and quotes.
_TYPED = re.compile(
    rf"^[ \t{{]{{0,8}}[\"']?type[\"']?[ \t]{{0,8}}:[ \t]{{0,8}}[\"']?({_NAMES})\b", re.IGNORECASE | re.MULTILINE
)


# What only who means a message writes: dashes first, a line that begins with a key of its route, behind whatever marks,
# its type told anywhere, or a signal that stops the work or objects to it.
_MEANT = re.compile(
    r"\A\s{0,9}---|^[^A-Za-z0-9\n]{0,30}(?:signal|type)[^A-Za-z0-9\n:]{0,9}[:\uff1a]"
    rf"|\btype[^A-Za-z0-9\n]{{1,9}}(?:{_NAMES})"
    r"|signal[^A-Za-z0-9\n]{1,9}"
    r"(?:fail|block|escal|reject|revis|not[ _-]?pass|changes[ _-]?req|request[ _-]?ch|needs[ _-])",
    re.IGNORECASE | re.MULTILINE,
)
_ANY_TYPE = re.compile(r"^[ \t]{0,8}type[ \t]{0,8}:[ \t]{0,8}([^\n]{1,60}?)[ \t]{0,8}$", re.MULTILINE)
_FORM = re.compile(r"^  (?=[a-z_]+:$)", re.MULTILINE)
_ROUTE = re.compile(r"^(?=- type: )", re.MULTILINE)


class Envelopes:
    """The format of all messages; the form of each is built when one of its type is first read."""

    def __init__(self) -> None:
        shared, _, forms = FORMATS.read_text(encoding="utf-8").partition("forms:\n")
        self._shared = cast("dict[str, Any]", read_own_yaml(shared))
        self._forms = {form.partition(":")[0]: form for form in _FORM.split(forms)[1:]}
        self._built: dict[str, Format] = {}

    def format_of(self, kinds: Iterable[str]) -> Format:
        """The format of some messages."""
        built = [self._one(kind) for kind in kinds]
        return replace(built[0], forms=tuple(form for each in built for form in each.forms))

    def _one(self, kind: str) -> Format:
        if kind not in self._built:
            own = {**self._shared, "forms": read_own_yaml(self._forms[kind])}
            name = f"{NAME}/{kind}"
            built = build_format(NAME, own, {name: _plain(schema_text(name))})
            assert isinstance(built, Format), built  # noqa: S101  (our own file; a test reads it)
            self._built[kind] = built
        return self._built[kind]

    def read(self, text: Text, roles: Sequence[Role]) -> Reading:
        """The message of one text; where no form takes what looks like one, an invalid word."""
        body = text.body or ""
        meant = text.body is None or is_meant(text)
        if not meant and not any(kind in body.lower() for kind in TYPES if "_" in kind):
            return Reading(text=text)
        named = [kind for kind in TYPES if kind in body]
        described = self.format_of(named or TYPES)
        signals = read_format(NAME, described, text, roles) or tuple(_unrouted(text))
        if not meant:  # it only speaks of a message: nobody's word, unless its author has judged here, or it objects
            signals = tuple(replace(signal, shown=not signal.objects) for signal in signals)
        if signals and not signals[0].problems:
            found = routed(text)
            steps = () if found is None else found.steps
            told = _warned(text, signals[0])
            signals = (replace(told, problems=(*told.problems, *_remarks(text, told)), route=steps), *signals[1:])
        return Reading(text=text, signals=signals, content=_numbers(text, signals))


def is_meant(text: Text) -> bool:
    """Whether a text may be a message; one that has a word such as "the signal: it works" in a sentence is none."""
    if _MEANT.search(text.page.text) is not None:
        return True
    return any(fence.info.strip().lower().startswith(NAME) for fence in text.page.fences)


def _plain(text: str) -> str:
    """A shipped schema without its own name, as the schemas of formats are."""
    return json.dumps({key: value for key, value in json.loads(text).items() if key != "$id"})


def _warned(text: Text, signal: Signal) -> Signal:
    """A plan that asks for an audit also by a tag that is only like one of those that do."""
    document = carried(text)
    tags = document.value.get("risk_tags") if document is not None and isinstance(document.value, dict) else None
    if PLAN not in signal.roles or not isinstance(tags, list) or Asks.QA in signal.asks:
        return signal
    tag = next((tag for tag in tags if isinstance(tag, str) and is_risky(tag)), None)
    if tag is None:
        return signal
    wrong = problem("PG819", f"the risk tag {excerpt(tag)} is read as one that asks for an audit", signal.where)
    return replace(signal, asks=(*signal.asks, Asks.QA), problems=(*signal.problems, wrong))


def is_risky(tag: str) -> bool:
    """True if a word of a tag is one that stands for a risk, or one slip away from it."""
    return any(word in RISKS or slip_of(word, word, RISKS) for word in tag.split("-"))


def _remarks(text: Text, signal: Signal) -> Iterator[Problem]:
    """What is worth saying about a sound message, and decides nothing unless the policy says so."""
    document = carried(text)
    value = None if document is None else document.value
    if not isinstance(value, dict):
        return
    kind = str(value.get("type"))
    for section in _missing_sections(text, kind, value):
        yield problem("PG823", f"the body has no section {section}", signal.where)
    if kind == AUDIT and signal.outcome is Outcome.PASS:
        for key, told in _left_open(value):
            yield problem("PG824", f"{signal.said}, and {key} is {told}", signal.where)
    for key, told, found in _miscounted(text, value):
        yield problem("PG825", f"{key} is {told}, and the body lists {found}", signal.where)
    for key in (key for key in LATER_REQUIRED.get(kind, ()) if key not in value):
        yield problem("PG826", f"{key} is left out", signal.where)
    if value.get("signal") in STOPPED and not ROUTE_LINE.search(text.page.text):
        yield problem("PG826", f"{value['signal']}, and there is no line Route: that names who acts next", signal.where)
    if kind == REVIEW and _covers_nothing(value):
        yield problem("PG828", "ac_coverage is missing or empty: how each criterion was met", signal.where)
    if _others(text.page.text):
        yield problem("PG030", "there is a second envelope in this text; only one may be there", signal.where)


def _covers_nothing(review: Mapping[str, Json]) -> bool:
    return not review.get("ac_coverage")


def _others(text: str) -> bool:
    """Whether more than one type is told; where the signal is told twice, that was said already."""
    return len(_TYPED.findall(text)) > 1 and text.count(SIGNAL) == 1


def _miscounted(text: Text, value: Mapping[str, Json]) -> Iterator[tuple[str, int, int]]:
    """Counts of findings that are not those of the body, if it lists findings at all."""
    security = value.get("security_findings")
    if isinstance(security, dict):
        told = {name.upper(): (f"security_findings.{name}", count) for name, count in security.items()}
    else:
        told = {name: (key, value.get(key)) for name, key in COUNTS.items()}
    found = dict.fromkeys(told, 0)
    section = ""
    for line in text.page.text.splitlines():
        match = LISTED.match(line)
        if match is None:
            continue
        item, title, name = match.group("item", "title", "name")
        section = (name or "") if title else section
        counted = "" if title else name or (section if item else "")
        if counted in found:
            found[counted] += 1
    if any(found.values()):
        counts = ((key, count, found[name]) for name, (key, count) in told.items() if isinstance(count, int))
        yield from (each for each in counts if each[1] != each[2])


def _missing_sections(text: Text, kind: str, value: Mapping[str, Json]) -> Iterator[str]:
    """The sections that a body lacks: its headings, and what it tells neither under one nor at the start of a line."""
    page, instead = text.page, INSTEAD.get(kind)
    if instead is not None and instead in page.text and instead in {line.text.strip() for line in page.lines}:
        return
    there = [section for section in SECTIONS.get(kind, ()) if section in page.text]
    headings = {heading.text.strip() for heading in page.headings} if there else set()
    yield from (f"## {section}" for section in SECTIONS.get(kind, ()) if section not in headings)
    asked = (QUESTIONS,) if value.get("research_needed") is True else ()
    lines = [line.lstrip(BEFORE_NAMES) for line in text.page.text.splitlines()]
    yield from (name for name in (*TOLD.get(kind, ()), *asked) if not any(line.startswith(name) for line in lines))


def _left_open(audit: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    """What of an audit does not go with a pass in every version of the message schema."""
    counts = audit.get("security_findings")
    high = counts.get("high") if isinstance(counts, dict) else None
    if high:
        yield "security_findings.high", high
    skipped = ("skipped",) if audit.get("signal") == "pass" else ()
    for key in ("build_status", "test_status", "typecheck_status"):
        if audit.get(key) in ("fail", "partial", *skipped):
            yield key, audit.get(key)


def _unrouted(text: Text) -> Iterator[Signal]:
    """An invalid word for a text that looks like an envelope but matches no form."""
    if text.body is None:
        return
    page = text.page
    typed = list(_TYPED.finditer(page.text))
    if not typed and not _is_carried(text):
        return
    names = dict.fromkeys(match[1].lower().replace("-", "_") for match in typed)
    told = ", ".join(names)
    reason = f"the type {told} is there, but no {SIGNAL} that can be read" if told else _unknown_type(page.text)
    line = page.text.count("\n", 0, typed[0].start()) + 1 if typed else 1
    where = text.where.at(Position(line=line, column=1))
    yield Signal(
        dialect=NAME,
        kind=Kind.VERDICT,
        claims=tuple(RoleClaim(by="the type", role=role) for role in dict.fromkeys(TYPES[name] for name in names)),
        may_be=tuple(dict.fromkeys(TYPES.values())),
        digest=text_digest(page.text),
        source=text.source,
        where=where,
        objects=objects(page.text),
        problems=(problem("PG820", f"this envelope cannot be routed: {reason}", where),),
    )


def _unknown_type(text: str) -> str:
    """That the type is not known, with what stands in its place and what may be meant."""
    found = _ANY_TYPE.search(text)
    if found is None:
        return f"it has no type; types are {', '.join(TYPES)}"
    close = near(found[1], TYPES)
    return f"its type is not known: {excerpt(found[1])}; {f'did you mean {close[0]}?' if close else ', '.join(TYPES)}"


def _is_carried(text: Text) -> bool:
    """Whether a signal stands where envelopes do, of whatever type."""
    front = text.page.front_matter
    found = [fence.payload for fence in text.page.fences if fence.info.lower() == NAME]
    found += [] if front is None or isinstance(front, Fault) else [front.text]
    return any(SIGNAL in each.lower() for each in found)


def _numbers(text: Text, signals: Sequence[Signal]) -> dict[str, int | bool]:
    """What the rules between messages compare: how much research was asked for, and whether it was verified."""
    sound = signals and signals[0].outcome is Outcome.COMPLETE
    if not sound or not set(signals[0].roles) & {TRIAGE, RESEARCH, ORDERS}:
        return {}
    document = carried(text)
    value = document.value if document is not None and isinstance(document.value, dict) else {}
    if value.get("type") == "approval":
        return {"approved": True}
    return {key: told for key in ("research_count", "verified") if isinstance(told := value.get(key), (int, bool))}


def carried(text: Text) -> Document | None:
    """The envelope of a text in which one was found."""
    front = text.page.front_matter
    found = front.text if front is not None and not isinstance(front, Fault) else ""
    found = found or next((fence.payload for fence in text.page.fences if fence.info == NAME), "")
    document = read_yaml(found)
    return document if isinstance(document, Document) else None


def together(readings: Sequence[Reading], around: Surroundings) -> Gathered:
    """All messages; a plan with what is missing of the research that it stands on."""
    spoken = [reading for reading in readings if _may_matter(reading, around.snapshot)]
    judged = (_judged(signal, spoken) for reading in readings for signal in reading.signals)
    return Gathered(signals=tuple(judged), problems=tuple(_title_problems(spoken, around.snapshot)))


def _title_problems(readings: Sequence[Reading], snapshot: Snapshot) -> Iterator[Problem]:
    """A head that was committed after the approval, and whose first line does not tell its kind."""
    title = snapshot.pull_request.head_title
    approvals = [reading.signals[0] for reading in readings if _told(reading).get("approved")]
    if not approvals or not title or CONVENTIONAL.match(title) or title.startswith(BY_GIT):
        return
    head = snapshot.pull_request.head.sha
    pushed = max((move.at for move in snapshot.ref_log.moves if move.after == head), default="")
    last = max(approvals, key=lambda signal: signal.source.moment)
    if pushed > last.source.at:
        yield problem("PG829", f"the commit after this approval is called {excerpt(title)}", last.where)


def _may_matter(reading: Reading, snapshot: Snapshot) -> bool:
    """Whether the author may speak, as far as it can be told here: what a stranger posts warns of nothing."""
    author = reading.text.source.author
    if author is None or not reading.text.source.latest:
        return False
    writers = {person.id for person in snapshot.people if person.permission in SPEAKING}
    return author.type == "Bot" or author.id in writers


def _judged(signal: Signal, readings: Sequence[Reading]) -> Signal:
    source = signal.source
    if PLAN not in signal.roles or signal.outcome is not Outcome.COMPLETE:
        return signal
    before = [
        reading
        for reading in readings
        if reading.text.source.issue == source.issue and reading.text.source.moment < source.moment
    ]
    return replace(signal, problems=(*signal.problems, *_research_problems(signal, before)))


def _research_problems(plan: Signal, before: Sequence[Reading]) -> Iterator[Problem]:
    """What is missing of the research that the last triage before a plan asked for."""
    triages = [reading for reading in before if _is_of(reading, TRIAGE)]
    found = [reading for reading in before if _is_of(reading, RESEARCH)]
    asked = _told(triages[-1]).get("research_count", 0) if triages else 0
    if len(found) < asked:
        message = f"the triage asks for {asked} research results, and {len(found)} came before this plan"
        yield problem("PG821", message, plan.where)
    for reading in found:
        if _told(reading).get("verified") is False:
            topic = reading.signals[0].notes
            yield problem("PG821", f"the research about {topic} is not verified", reading.signals[0].where)


def _is_of(reading: Reading, role: str) -> bool:
    return any(role in signal.roles and signal.outcome is Outcome.COMPLETE for signal in reading.signals)


def _told(reading: Reading) -> dict[str, int | bool]:
    return reading.content if isinstance(reading.content, dict) else {}


ROUTES = Path(__file__).parent / "routes.yml"


@dataclass(frozen=True, kw_only=True, slots=True)
class Routed:
    """A message, and the steps that it asks for."""

    type: str
    signal: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Route:
    when: tuple[Condition, ...]
    steps: tuple[Step, ...]


def routed(text: Text) -> Routed | None:
    """What a message that breaks no rule asks for; none if there is no message."""
    document = carried(text)
    value = None if document is None else document.value
    if document is None or not isinstance(value, dict):
        return None
    values = Values(pieces={"envelope": Piece(value=value, start=START, documents=(document,))})
    kind = str(value.get("type"))
    routes = (route for route in _routes(kind) if all_hold(route.when, values).holds)
    found = next(routes, None)
    return None if found is None else Routed(type=kind, signal=str(value.get("signal")), steps=found.steps)


@cache
def _routes(kind: str) -> Sequence[_Route]:
    """The routes of one type, in the order of the table."""
    rows = [row for row in _ROUTE.split(ROUTES.read_text(encoding="utf-8")) if row.startswith(f"- type: {kind}\n")]
    told = cast("list[dict[str, Any]]", read_own_yaml("".join(rows)) if rows else [])
    return tuple(
        _Route(
            when=conditions(item["when"]),
            steps=tuple(Step(to=step["to"], says=step["says"], answer=step.get("answer")) for step in item["steps"]),
        )
        for item in told
    )
