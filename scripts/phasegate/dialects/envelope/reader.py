"""Reads envelopes by the descriptions in ``messages.py``, plus what they cannot express.

That is: an envelope of no form, what its body lacks, and the rules between the messages of one issue.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from phasegate.catalogue import problem
from phasegate.dialects.described.build import build_format
from phasegate.dialects.described.forms import Format
from phasegate.dialects.described.reader import read_words
from phasegate.dialects.described.words import LONGEST_TEXT
from phasegate.dialects.dialect import Gathered, Reading, Surroundings, Text
from phasegate.dialects.envelope.declaration import NAME, PLAN, SIGNAL, TRIAGE, TYPES, WORK
from phasegate.dialects.envelope.messages import ROWS, STOPS, body_remarks, description, risky, route
from phasegate.dialects.raw import objects
from phasegate.model.codec import text_digest
from phasegate.model.frozen import replace
from phasegate.model.problem import Fault, Position, Problem, Severity, near
from phasegate.model.signal import STOPPED, Asks, Cause, Kind, Outcome, Place, Role, RoleClaim, Signal
from phasegate.model.snapshot import Snapshot
from phasegate.reading.document import Document, excerpt, json_path
from phasegate.reading.schema.registry import schema_text

RESEARCH, APPROVAL = "research-result", "approval"
CONVENTIONAL = re.compile(r"[a-z]{2,20}(?:\([^()\n]{1,60}\))?!?: \S", re.ASCII)
BY_GIT = ("Merge ", "Revert ")
MOST_FILES = 5  # named per submission
_NAMES = "|".join(name.replace("_", "[_-]") for name in TYPES)
# A line with a message's type, in any case and quotes.
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


@cache
def _format(kind: str) -> Format:
    """The format of one message type, built when first needed."""
    name = f"{NAME}/{kind}"
    plain = {key: value for key, value in json.loads(schema_text(name)).items() if key != "$id"}
    built = build_format(NAME, description(kind), {name: json.dumps(plain)})
    assert isinstance(built, Format), built  # noqa: S101  (our own data; a test reads it)
    rows = tuple(row for row in ROWS if kind in row.kinds)
    return replace(built, forms=tuple(replace(form, rows=rows) for form in built.forms))


def read_envelope(text: Text, roles: Sequence[Role]) -> Reading:
    """The message in one text; an invalid word if it looks like one but fits no form."""
    body = text.body or ""
    meant = text.body is None or is_meant(text)
    if not meant and not any(kind in body.lower() for kind in TYPES if "_" in kind):
        return Reading(text=text)
    formats = [_format(kind) for kind in TYPES if kind in body] or [_format(kind) for kind in TYPES]
    described = replace(formats[0], forms=tuple(form for each in formats for form in each.forms))
    signals, document = read_words(described, text, roles)
    signals = signals or tuple(_unrouted(text))
    if not meant:  # it only speaks of a message: nobody's word, unless its author has judged here, or it objects
        signals = tuple(replace(signal, shown=not signal.objects) for signal in signals)
    sound = not any(item.severity is Severity.ERROR for signal in signals for item in signal.problems)
    if len(signals) != 1 or document is None or not sound:
        return Reading(text=text, signals=signals)
    return Reading(text=text, signals=(_completed(text, signals[0], document),), content=document)


def _completed(text: Text, signal: Signal, document: Document) -> Signal:
    """A sound message, with what its body lacks, its requests, and what follows from it."""
    data, (_, _, after) = _data(document), (text.page.text + "\n").partition("\n---\n")
    body = after or text.page.text
    found = [
        problem(code, told, signal.where.at(document.key_position(path), json_path(path)))
        for code, told, path in body_remarks(data, text.page, body)
    ]
    if _others(text.page.text):
        found.append(problem("PG030", "there is a second envelope in this text; only one may be there", signal.where))
    if data["signal"] in STOPS:  # the first paragraph of an agent that stopped for somebody else to decide
        paragraphs = (part.strip() for part in body.split("\n\n"))
        asked = next((part for part in paragraphs if part and not part.startswith("#")), STOPPED)
        signal = replace(signal, question=" ".join(asked.split())[:LONGEST_TEXT])
    like = risky(data.get("risk_tags")) if Asks.QA not in signal.asks and PLAN in signal.roles else None
    if like is not None:
        place, tag = like
        path = ("risk_tags", place)
        where = signal.where.at(document.position(path), json_path(path))
        found.append(problem("PG819", f"the risk tag {tag} is read as one that asks for an audit", where))
        cause = Cause(key=json_path(path)[2:], says=tag, asks=Asks.QA, where=where)
        signal = replace(signal, asks=(*signal.asks, Asks.QA), causes=(*signal.causes, cause))
    return replace(signal, problems=(*signal.problems, *found), route=route(data))


def _others(text: str) -> bool:
    """True if the text gives several types. A second signal has already been reported."""
    return len(_TYPED.findall(text)) > 1 and text.count(SIGNAL) == 1


def _data(document: object) -> dict[str, Any]:
    """The values of a message if it is sound, or else nothing."""
    value = document.value if isinstance(document, Document) else None
    return value if isinstance(value, dict) else {}


def is_meant(text: Text) -> bool:
    """True if a text may be a message. A phrase like "the signal: it works" in a sentence is none."""
    if _MEANT.search(text.page.text) is not None:
        return True
    return any(fence.marker.strip().lower().startswith(NAME) for fence in text.page.fences)


def _unrouted(text: Text) -> Iterator[Signal]:
    """An invalid word for a text that looks like an envelope but fits no form."""
    if text.body is None:
        return
    page = text.page
    typed = list(_TYPED.finditer(page.text))
    # a signal may stand where envelopes do, of whatever type
    front, carried = page.front_matter, [fence.payload for fence in page.fences if fence.marker.lower() == NAME]
    carried += [] if front is None or isinstance(front, Fault) else [front.text]
    if not typed and not any(SIGNAL in each.lower() for each in carried):
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
    """Says that the type is unknown, with its value and a guess."""
    found = _ANY_TYPE.search(text)
    if found is None:
        return f"it has no type; types are {', '.join(TYPES)}"
    close = near(found[1], TYPES)
    return f"its type is not known: {excerpt(found[1])}; {f'did you mean {close[0]}?' if close else ', '.join(TYPES)}"


def together(readings: Sequence[Reading], around: Surroundings) -> Gathered:
    """All messages; a plan with what is missing of its research."""
    # what a stranger posts warns of nothing
    sources = ((reading, reading.text.source) for reading in readings)
    spoken = [reading for reading, source in sources if source.latest and not around.unheard(source)]
    judged = (_judged(signal, spoken) for reading in readings for signal in reading.signals)
    told = (*_title_problems(spoken, around.snapshot), *_misreported(spoken, around.snapshot))
    return Gathered(signals=tuple(judged), problems=told)


def _misreported(readings: Sequence[Reading], snapshot: Snapshot) -> Iterator[Problem]:
    """Differences between the files in submissions and those that changed, reported on the last submission."""
    works = [reading for reading in readings if _is_of(reading, WORK)]
    works = [reading for reading in works if reading.text.source.place is Place.PULL_REQUEST]
    if not works or not snapshot.files.complete:
        return
    last = max(works, key=lambda reading: reading.text.source.moment)
    entries = snapshot.files.entries
    really = {path for entry in entries for path in (entry.path, entry.previous_path) if path}
    named = {file for reading in works for file in _data(reading.content)["files_changed"]}
    where, own = last.signals[0].where, _data(last.content)["files_changed"]
    for file in [file for file in own if file not in really][:MOST_FILES]:
        yield problem("PG818", f"files_changed names {excerpt(file)}, which the pull request does not change", where)
    for entry in [entry for entry in entries if not named & {entry.path, entry.previous_path}][:MOST_FILES]:
        told = f"the pull request changes {excerpt(entry.path)}, and no submission names it in files_changed"
        yield problem("PG818", told, where)


def _title_problems(readings: Sequence[Reading], snapshot: Snapshot) -> Iterator[Problem]:
    """A head committed after the approval whose title does not name its kind."""
    title = snapshot.pull_request.head_title
    approvals = [reading.signals[0] for reading in readings if _data(reading.content).get("type") == APPROVAL]
    if not approvals or not title or CONVENTIONAL.match(title) or title.startswith(BY_GIT):
        return
    head = snapshot.pull_request.head.sha
    pushed = max((move.at for move in snapshot.ref_log.moves if move.after == head), default="")
    last = max(approvals, key=lambda signal: signal.source.moment)
    if pushed > last.source.at:
        yield problem("PG829", f"the commit after this approval is called {excerpt(title)}", last.where)


def _judged(signal: Signal, readings: Sequence[Reading]) -> Signal:
    source = signal.source
    if PLAN not in signal.roles or signal.outcome is not Outcome.COMPLETE:
        return signal
    here = [reading for reading in readings if reading.text.source.issue == source.issue]
    before = [reading for reading in here if reading.text.source.moment < source.moment]
    # why a human is asked about a plan: a researcher's last word was that it cannot go on
    told = ((reading.text.source.author, each) for reading in here for each in reading.signals)
    last = {author: each for author, each in told if RESEARCH in each.roles and each.outcome is not None}
    stopped = tuple(
        Cause(
            key="research_result.signal",
            says=f"{each.said}: {excerpt(each.question)}",
            asks=Asks.HUMAN,
            where=each.where,
        )
        for each in last.values()
        if each.outcome is Outcome.BLOCKED
    )
    return replace(
        signal,
        problems=(*signal.problems, *_research_problems(signal, before)),
        asks=tuple(dict.fromkeys((*signal.asks, Asks.HUMAN))) if stopped else signal.asks,
        causes=(*signal.causes, *stopped),
    )


def _research_problems(plan: Signal, before: Sequence[Reading]) -> Iterator[Problem]:
    """What is missing of the research that the last triage before a plan asked for."""
    triages = [reading for reading in before if _is_of(reading, TRIAGE)]
    found = [reading for reading in before if _is_of(reading, RESEARCH)]
    asked = _data(triages[-1].content).get("research_count", 0) if triages else 0
    if len(found) < asked:
        message = f"the triage asks for {asked} research results, and {len(found)} came before this plan"
        yield problem("PG821", message, plan.where)
    for reading in found:
        if _data(reading.content).get("verified") is False:
            topic = reading.signals[0].notes
            yield problem("PG821", f"the research about {topic} is not verified", reading.signals[0].where)


def _is_of(reading: Reading, role: str) -> bool:
    return any(role in signal.roles and signal.outcome is Outcome.COMPLETE for signal in reading.signals)
