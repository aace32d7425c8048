"""Reads answers and records by the description in ``formats.yml``, plus what it cannot express for one text.

That is: schemas composed of the answer's and the payload's, texts of no form, evidence judged by names, and limits for
control fields. In: a text. Out: signals, and the content for the rules between texts.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from phasegate.catalogue import problem, problem_of
from phasegate.dialects.described.build import build_format
from phasegate.dialects.described.declaration import checked
from phasegate.dialects.described.forms import Codec, Form, Format, Part
from phasegate.dialects.described.places import Piece, locate
from phasegate.dialects.described.reader import read_words
from phasegate.dialects.described.values import decode
from phasegate.dialects.dialect import Checked, LocalFile, Reading, Text
from phasegate.dialects.raw import objects
from phasegate.dialects.thehood.contradictions import DIFF, EVIDENCE, ROWS, evidence_kinds, says_high
from phasegate.dialects.thehood.declaration import (
    MARKER,
    NAME,
    ORCHESTRATOR,
    PACKET,
    PAYLOADS,
    RECORD,
    RECORDS,
    RUNTIME,
    STEP,
    VARIABLES,
    VERIFIER,
    WITHOUT_CONTRACT,
    Directive,
    Options,
)
from phasegate.model.codec import text_digest
from phasegate.model.frozen import dataclass, replace
from phasegate.model.plan import begins_like
from phasegate.model.problem import Fault, Problem, Severity, Where, near
from phasegate.model.signal import Cause, Kind, Medium, Outcome, Place, Role, RoleClaim, Signal, Source
from phasegate.reading.document import Document, Json, JsonPath, excerpt, excerpt_of, in_snake_case, json_path
from phasegate.reading.json import read_json
from phasegate.reading.markdown.page import Passage
from phasegate.reading.schema.registry import misspelt_keys, objects_of, schema_text, validate
from phasegate.reading.yaml import read_own_yaml, read_yaml

FORMATS = Path(__file__).parent / "formats.yml"
ACK = "thehoodDirectiveAck"
LOCAL = ".thehood/{name}.json"  # a local file's path while it is checked
STEM = 5  # words of one family share so many letters: verification, verifier, verify
ANY_ANSWER = ("decision",)
STEPS = ("verify", "critique", "complete")
ADVISERS = ("critic", "qa", "verifier", "researcher")  # delegating to one of these is not a plan
OF_PACKETS = ("revis", "repair")  # beginnings of words that mark a revision packet
_KEY = re.compile(r"[\"']([A-Za-z][A-Za-z0-9_-]{0,60})[\"'][ \t]{0,8}:", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """The content of a text: its kind, its payload (a record is its own payload) and the path to it."""

    kind: str
    document: Document
    payload: Mapping[str, Json]
    path: JsonPath = ()

    @property
    def acknowledged(self) -> tuple[str | None, str | None]:
        """The run and the nonce of the directive that it answers, if given."""
        told = self.payload.get(ACK)
        run, nonce = (told.get(key) if isinstance(told, dict) else None for key in ("runId", "nonce"))
        return run if isinstance(run, str) else None, nonce if isinstance(nonce, str) else None

    def problem(self, code: str, message: str, path: JsonPath, where: Where, *, hint: str = "") -> Problem:
        """A problem at a key of the payload."""
        there = (*self.path, *path)
        return problem(code, message, where.at(self.document.key_position(there), json_path(there)), hint=hint)


class Answers:
    """The formats of all answers and records. Each form is built when first needed."""

    def __init__(self, options: Options, local: Codec | None = None) -> None:
        self._told = cast("dict[str, Any]", read_own_yaml(FORMATS.read_text(encoding="utf-8")))
        self._options = options
        self._local = local  # how a local file is written, which may hold a payload alone
        self._built: dict[tuple[str, bool], Format] = {}

    def format_of(self, kinds: Iterable[str], *, in_files: bool) -> Format:
        """The format of some answers or records, in comments or in files."""
        built = [self._one(kind, in_files=in_files) for kind in kinds]
        return replace(built[0], forms=tuple(form for each in built for form in each.forms))

    def _one(self, kind: str, *, in_files: bool) -> Format:
        key = (kind, in_files)
        if key not in self._built:
            form = self._told["forms"][kind]
            own = {**self._told, "forms": {kind: {**form, **(self._filed(form) if in_files else {})}}}
            names = [part["schema_file"] for part in form["read"].values() if "schema_file" in part]
            built = build_format(NAME, own, {name: _composed(name, kind) for name in names})
            assert isinstance(built, Format), built  # noqa: S101  (our own file; a test reads it)
            rows = tuple(row for row in ROWS if kind in row.kinds)
            payload = () if kind in RECORDS else ("data", kind)
            forms = [replace(each, rows=rows, payload=payload) for each in built.forms]
            if self._local is not None:
                forms = [
                    replace(each, parts=(replace(each.lead, codec=self._local, reshaped=_in_answer), *each.parts[1:]))
                    for each in forms
                ]
            self._built[key] = replace(built, forms=tuple(forms))
        return self._built[key]

    def _filed(self, form: Mapping[str, Any]) -> dict[str, Any]:
        """The same form for a file: the whole file stands in place of the marker."""
        parts = {name: {**part} for name, part in form["read"].items()}
        for part in parts.values():
            if part.pop("marker", None):
                part["whole"] = True
        outside = {"evidence": True} if self._options.evidence else {}
        return {"in": ["file"], "path": self._options.files or LOCAL, "read": parts, **outside}

    def read(self, text: Text, roles: Sequence[Role]) -> Reading:
        """The answer or record in one text; an invalid word if it looks like one but fits no form."""
        body, in_files = text.body or "", text.source.pushed
        named = [kind for kind in (*PAYLOADS, *RECORDS) if _names(kind, body)]
        # Of what names no payload any form tells as much as all of them.
        known = [
            *(RECORDS if marked(RECORD, body) or in_files else ()),
            *(ANY_ANSWER if marked(MARKER, body) or in_files else ()),
        ]
        described = self.format_of(named or known or ANY_ANSWER, in_files=in_files)
        signals, _ = read_words(described, text, roles)
        found = _found(described.forms, text)
        if not named:
            signals = tuple(_of_no_kind(signal, found, body) for signal in signals)
        if not signals and found is None and not in_files:  # what it names may stand under the other marker
            found = _found(self.format_of(ANY_ANSWER, in_files=False).forms, text)
        signals = signals or tuple(_unrouted(text, found))
        if found is None or len(signals) != 1:
            return Reading(text=text, signals=signals)
        return Reading(text=text, signals=(_judged(signals[0], found),), content=_content(found, text))


def _in_answer(document: Document) -> Document:
    """A bare payload, as TheHood's document shows it, put into an answer; anything else unchanged."""
    told = document.value
    if not isinstance(told, dict) or len(told) != 1 or not set(told) & set(PAYLOADS):
        return document
    whole: Json = {"status": "ok", "summary": "A payload alone.", "data": told}
    start, key, _ = document.mark
    return dataclasses.replace(document, value=whole, mark=(start, key, {"data": document.mark}))


def _names(kind: str, body: str) -> bool:
    """True if a text names a kind, in either spelling."""
    first, *others = kind.split("_")
    return (
        re.search(rf"(?<![A-Za-z_])(?:{kind}|{first}{''.join(map(str.title, others))})(?![A-Za-z_])", body) is not None
    )


def _composed(name: str, kind: str) -> str:
    """The schema of a whole answer with one payload, from the shipped schemas; a record has its own."""
    own = _plain(name)
    if kind in RECORDS:
        return json.dumps(own)
    whole = _plain(f"{NAME}/agent_response")
    if kind in WITHOUT_CONTRACT:  # of which only the acknowledgement is known
        known = {ACK: _plain(f"{NAME}/qa_result")["properties"][ACK]}
        own = {"description": own["description"], "type": "object", "properties": known, "additionalProperties": {}}
    whole["properties"]["data"] |= {"required": [kind], "additionalProperties": False, "properties": {kind: own}}
    return json.dumps(whole)


def _plain(name: str) -> dict[str, Any]:
    """A shipped schema without its own name, as formats use it."""
    return {key: value for key, value in json.loads(schema_text(name)).items() if key not in ("$id", "$schema")}


def _found(forms: Sequence[Form], text: Text) -> Found | None:
    """The answer or record in a text, as far as it can be read. If two readings are possible, the one it names."""
    if text.body is None:
        return None
    leads = {(form.lead.words, form.lead.spelling): form.lead for form in forms}
    read = [found for part in leads.values() if (found := _read_as(part, text)) is not None]
    return next((found for found in read if found.kind in (*PAYLOADS, *RECORDS)), next(iter(read), None))


def _read_as(part: Part, text: Text) -> Found | None:
    place = locate(part, text.page)
    piece = decode(part, place) if isinstance(place, Passage) else None
    if not isinstance(piece, Piece) or not isinstance(piece.value, dict):
        return None
    document, data = piece.documents[0], piece.value.get("data")
    told = data if isinstance(data, dict) else {}
    kind = next((kind for kind in PAYLOADS if kind in told), None)
    if kind is None:
        return Found(kind=str(piece.value.get("kind", "")), document=document, payload=piece.value)
    payload = told[kind]
    inner = payload if isinstance(payload, dict) else {}
    return Found(kind=kind, document=document, payload=inner, path=("data", kind))


def _unrouted(text: Text, found: Found | None) -> Iterator[Signal]:
    """An invalid word for an answer or record that fits no form. Other JSON files of a run are ignored."""
    answers = found is not None and {"status", "data"} <= set(found.payload)
    if text.body is None or (text.source.pushed and not answers):
        return
    known = RECORDS if marked(RECORD, text.body) else PAYLOADS
    where = text.where if found is None else text.where.at(found.document.position())
    yield Signal(
        dialect=NAME,
        kind=Kind.VERDICT,
        claims=_claims(found, text.body),
        may_be=_may_be(found, text.body),
        objects=objects(text.body),
        digest=text_digest(text.body),
        source=text.source,
        where=where,
        problems=(problem("PG830", _unknown(found, known), where),),
    )


def _of_no_kind(signal: Signal, found: Found | None, body: str) -> Signal:
    """The signal of a text that names no payload and was read as any: its role is unknown."""
    if _is_record(found, body):
        return replace(signal, claims=_claims(found, body), may_be=())
    if not signal.claims:
        return signal
    return replace(signal, kind=Kind.VERDICT, claims=_claims(found, body), may_be=_may_be(found, body))


def _may_be(found: Found | None, body: str) -> tuple[str, ...]:
    return () if _is_record(found, body) else tuple(dict.fromkeys(PAYLOADS.values()))


def _is_record(found: Found | None, body: str) -> bool:
    """True if it is meant as a record of the runtime, by its marker or its content."""
    told = set() if found is None or found.path else set(found.payload)
    return not marked(MARKER, body) if marked(RECORD, body) else bool(told & {"runId", "run_id"})


def marked(marker: str, body: str) -> bool:
    """True if a text holds a marker, ignoring case, or begins with something like it."""
    return marker in body.lower() or begins_like(marker, body)


def _claims(found: Found | None, body: str) -> tuple[RoleClaim, ...]:
    """The possible roles of a word of unknown kind."""
    return (RoleClaim(by="the marker", role=recorder(found, body)),) if _is_record(found, body) else like(body)


def recorder(found: Found | None, body: str) -> str:
    """The record that an unknown kind may have been: a revision packet, if its kind or else its text resembles one."""
    told = found.kind if found is not None and found.kind else body
    return PACKET if any(stem in told.lower() for stem in OF_PACKETS) else RUNTIME


def _unknown(found: Found | None, known: Mapping[str, str]) -> str:
    """The value in place of a payload or of a record's kind, and what may be meant."""
    data = None if found is None else found.payload.get("data")
    if known is PAYLOADS and found is not None and not isinstance(data, dict):
        return "status, summary and data are not at its top level"
    told = next(iter(data), "") if isinstance(data, dict) else "" if found is None else found.kind
    close = near(told, known)
    meant = f"did you mean {close[0]}?" if close else f"known: {', '.join(known)}"
    return f"{excerpt(told)} is not known here; {meant}" if told else f"it holds nothing that is known; {meant}"


def like(body: str) -> tuple[RoleClaim, ...]:
    """Roles whose payload a key in the raw text resembles: a misspelt key still speaks for its role."""
    stems = {kind.partition("_")[0][:STEM]: role for kind, role in PAYLOADS.items()}
    told = (key for key in dict.fromkeys(_KEY.findall(body)))
    return tuple(RoleClaim(by=key, role=stems[stem]) for key in told for stem in stems if stem in key.lower())


def _judged(signal: Signal, found: Found) -> Signal:
    """The signal, with the rules that the description cannot express."""
    beside = signal.said == "delegate" and found.payload.get("next_role") in ADVISERS
    if found.kind == "decision" and (signal.said in STEPS or beside):
        signal = replace(signal, claims=tuple(_step(claim) for claim in signal.claims))
        if beside:
            spot = found.document.key_position((*found.path, "next_role"))
            cause = Cause(key="next_role", says=excerpt_of(found.payload["next_role"]), where=signal.where.at(spot))
            signal = replace(signal, causes=(*signal.causes, cause))
    if VERIFIER in signal.roles and signal.outcome is Outcome.PASS:
        signal = _at_risk(signal, found)
    request = found.payload.get("approval_request")
    reason = request.get("reason") if isinstance(request, dict) else None
    if isinstance(reason, str):
        told = (replace(each, says=f"{each.says}: {excerpt(reason)}") if each.asks else each for each in signal.causes)
        signal = replace(signal, causes=tuple(told))
    if VERIFIER in signal.roles and signal.outcome is Outcome.PASS and DIFF not in evidence_kinds(found.payload):
        message = "it approves, but its evidence contains no diff"
        return with_problems(signal, (found.problem("PG917", message, ("verdict",), signal.where, hint=EVIDENCE),))
    return signal


def _at_risk(signal: Signal, found: Found) -> Signal:
    """An approval, or a FAIL if one of its risks is high. A plain text has a severity only at its beginning."""
    risks = found.payload.get("risks")
    for number, risk in enumerate(risks if isinstance(risks, list) else ()):
        path: JsonPath = ("risks", number, "severity") if isinstance(risk, dict) else ("risks", number)
        severity = risk.get("severity") if isinstance(risk, dict) else risk
        if isinstance(severity, str) and says_high(severity):
            key, says = json_path(path)[2:], excerpt(severity)
            veto = found.problem("PG918", f"its pass does not count, since {key} is {says}", path, signal.where)
            causes = (*signal.causes, Cause(key=key, says=says, where=veto.where))
            return replace(signal, outcome=Outcome.FAIL, causes=causes, problems=(*signal.problems, veto))
    return signal


def with_problems(signal: Signal, problems: tuple[Problem, ...]) -> Signal:
    """The signal with more problems. An error makes a pass invalid."""
    errors = any(item.severity is Severity.ERROR for item in problems)
    good = signal.outcome in (Outcome.PASS, Outcome.COMPLETE)
    outcome = None if errors and good else signal.outcome
    return replace(signal, outcome=outcome, problems=(*signal.problems, *problems))


def _step(claim: RoleClaim) -> RoleClaim:
    """A later step of the orchestrator does not take a plan back and is no plan."""
    return replace(claim, role=STEP) if claim.role == ORCHESTRATOR else claim


def _content(found: Found, text: Text) -> Found | Directive:
    """What the rules between texts compare: the answer or record found, or a directive's request."""
    if found.kind != "directive":
        return found
    told = {key: value for key in ("runId", "nonce", "role") if isinstance(value := found.payload.get(key), str)}
    return Directive(
        run_id=told.get("runId", ""),
        nonce=told.get("nonce"),
        role=told.get("role"),
        at=text.source.at,
        issue=text.source.issue,
    )


def paths_of(payload: Mapping[str, Json], key: str) -> Iterator[str]:
    """The paths in a list whose items are paths or hold one."""
    told = payload.get(key)
    for item in told if isinstance(told, list) else ():
        path = item.get("path") if isinstance(item, dict) else item
        if isinstance(path, str):
            yield path


def check_file(file: LocalFile, roles: Sequence[Role]) -> Checked:
    """Checks a local file: blocks of variables, recognised by their keys, or an answer or record."""
    if isinstance(file.text, Problem):
        return Checked(path=str(file.where), problems=(file.text,))
    read = read_json if file.name.endswith(".json") else read_yaml
    document = read(file.text)
    if isinstance(document, Fault):
        return Checked(path=str(file.where), problems=(problem_of(document, file.where),))
    if isinstance(document.value, dict) and set(document.value) & set(VARIABLES):
        faults = _variable_faults(document)
        return Checked(path=str(file.where), problems=tuple(problem_of(fault, file.where) for fault in faults))
    tail = LOCAL.replace("{name}", "answer")
    source = Source(id="lint", number=0, url=tail, place=Place.PULL_REQUEST, medium=Medium.FILE, at="")
    text = Text(source=source, where=Where(path=tail), body=file.text)
    answers = Answers(Options(), local=Codec.JSON if read is read_json else Codec.YAML)
    signals = answers.read(text, [replace(role, media=role.media | {Medium.FILE}) for role in roles]).signals
    if not signals:
        message = f"it is no answer, no record and none of {', '.join(VARIABLES)}"
        return Checked(path=str(file.where), problems=(problem("PG830", message, file.where),))
    return checked(str(file.where), signals, file)


def _variable_faults(document: Document) -> Iterator[Fault]:
    """What is wrong with blocks of variables, unknown blocks included.

    Inside a block agents may add keys.
    """
    plain = in_snake_case(document, (ACK,))
    if isinstance(plain, Fault):
        yield plain
        return
    for key in cast("dict[str, Json]", plain.value):
        if key not in VARIABLES:
            message = f"{key} is no block of variables ({', '.join(VARIABLES)})"
            yield Fault(code="PG924", message=message, position=plain.key_position((key,)), json_path=json_path((key,)))
            continue
        schema, part = f"{NAME}/{key}", plain.part((key,))
        misspelt = {fault.position: fault for fault in misspelt_keys(objects_of(schema, part.value), part)}
        for fault in validate(schema, part):
            known = replace(fault, code="PG701") if fault.code == "PG023" else fault
            yield misspelt.get(fault.position, known)
