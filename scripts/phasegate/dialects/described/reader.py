"""Reads by description. In: one version of a text. Out: the words of a format; alternatives are told apart here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from enum import Enum

from phasegate.catalogue import by_code, problem, problem_of
from phasegate.dialects.described import words
from phasegate.dialects.described.forms import (
    CHECK,
    FINDINGS,
    LISTS,
    PATH,
    REVIEW,
    At,
    Field,
    Form,
    Format,
    Part,
    may_pass,
)
from phasegate.dialects.described.places import START, Piece, listed, locate
from phasegate.dialects.described.values import Values, all_hold, decode, holds, misspelt, near_keys, schema_faults
from phasegate.dialects.dialect import Text, capped
from phasegate.dialects.raw import holds_word, objects
from phasegate.model.codec import text_digest
from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Fault, Problem, Severity
from phasegate.model.signal import GOOD, Kind, Medium, Outcome, Role, RoleClaim, Signal
from phasegate.model.texts import ACTIONS_APP
from phasegate.reading.document import Document, Json, excerpt_of, nearest_miss
from phasegate.reading.globs import variables
from phasegate.reading.markdown.page import Hidden, Page, Passage

MOST_MEMBERS = 64
COMPLETED, IDLE = "completed", ("cancelled", "skipped")
ABSENT = ("PG913", "PG914")  # a missing value, which another fault may have reported already


class Match(Enum):
    """How a form fits a text."""

    SPOKEN = "spoken"
    BROKEN = "broken"
    NEAR = "near"


@dataclass(frozen=True, kw_only=True, slots=True)
class Fit:
    """A form found in a text, its signals, and the line of its first part."""

    form: Form
    match: Match
    signals: tuple[Signal, ...]
    line: int
    document: Document | None = None

    @property
    def passes(self) -> bool:
        """True if none of its signals objects."""
        return all(signal.outcome in GOOD for signal in self.signals)


def read_words(described_by: Format, text: Text, roles: Sequence[Role]) -> tuple[tuple[Signal, ...], Document | None]:
    """The words of a format in one text, and the document in their first part.

    If several forms match, they make one invalid word.
    """
    own = tuple(role for role in roles if role.dialect == described_by.name)
    base = Signal(
        dialect=described_by.name,
        kind=Kind.VERDICT,
        digest=text_digest("\n".join(_texts(text))),
        source=text.source,
        where=text.where,
    )
    forms = [form for form in described_by.forms if _concerns(form, text)]
    run = text.fields if text.source.medium is Medium.CHECK_RUN else {}
    if run and run.get("status") != COMPLETED:  # whatever an older one said, the work is being looked at again
        return _waiting(base, forms, own, run.get("status", "")), None
    fits = [fit for form in forms if (fit := _Reading(form, text, base, own).fit()) is not None]
    fails = any(signal.objects or signal.outcome is Outcome.FAIL for fit in fits for signal in fit.signals)
    if run.get("conclusion") in IDLE and not fails:  # it says nothing of the work, whatever its title
        return _waiting(base, forms, own, run["conclusion"]), None
    spoken = _told_apart(fits)
    if not spoken:
        return (), None
    hidden = spoken[0].passes and not all(fit.passes for fit in spoken)
    alone = len(spoken) == 1 or (described_by.ordered and not hidden)
    signals = spoken[0].signals if alone else (_several(spoken, base),)
    edited = not described_by.editable and text.source.edited and text.source.latest
    message = "it was edited, and the format does not count edited texts"
    wrong = (problem("PG920", message, text.where),) if edited else ()
    told = tuple(replace(signal, problems=capped((*signal.problems, *wrong))) for signal in signals)
    return told, spoken[0].document if alone else None


def _waiting(base: Signal, forms: Sequence[Form], own: Sequence[Role], said: str) -> tuple[Signal, ...]:
    """The words of a check run that has not looked at the work: one of each role that it may speak for."""
    waiting = {role: "the check run" for form in forms if form.role.address for role in _may_speak(form, own)}
    waiting |= {form.role.always: "the format" for form in forms if form.role.always is not None}
    blocked = replace(base, outcome=Outcome.BLOCKED, said=said[:40])
    return tuple(replace(blocked, claims=(RoleClaim(by=by, role=role),)) for role, by in waiting.items())


def _told_apart(fits: list[Fit]) -> list[Fit]:
    """The forms that are present. If one form reads a line, another that only comes near it is dropped."""
    read = {(fit.form.lead.field, fit.line) for fit in fits if fit.match is not Match.NEAR}
    return [fit for fit in fits if fit.match is not Match.NEAR or (fit.form.lead.field, fit.line) not in read]


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """A part found in a text: its form, its beginning and its value."""

    form: str
    name: str
    line: int
    column: int
    value: Json


def spans(described_by: Format, text: Text) -> Iterator[Span]:
    """The parts of a format found in a text, for authors of descriptions."""
    base = Signal(dialect="", kind=Kind.VERDICT, digest="", source=text.source, where=text.where)
    for form in described_by.forms:
        reading = _Reading(form, text, base, ())
        if not _concerns(form, text) or reading.fit() is None:
            continue
        for part in form.parts:
            if (piece := reading.pieces.get(part.name)) is not None:
                start = piece.start
                yield Span(form=form.name, name=part.name, line=start.line, column=start.column, value=piece.value)


def nearest(forms: Sequence[Form], text: Text) -> str:
    """How a text without a word misses the nearest of these forms, with the failing field."""
    here = [form for form in forms if _concerns(form, text)]
    if not here:
        media = sorted({medium.value.replace("_", " ") for form in forms for medium in form.media})
        return f"it stands in a {text.source.medium.value.replace('_', ' ')}, and the format in a {' or '.join(media)}"
    for form in [form for form in here if form.lead.signs] or here:  # the others are told by what is no text
        base = Signal(dialect="", kind=form.kind, digest="", source=text.source, where=text.where)
        if unmet := _Reading(form, text, base, ()).unmet():
            return unmet
    passing_first = sorted(here, key=lambda form: not may_pass(form))
    signs = dict.fromkeys(sign for form in passing_first for sign in form.lead.signs)
    return nearest_miss("\n".join(_texts(text)), tuple(signs))


def _texts(text: Text) -> tuple[str, ...]:
    return (text.body or "", *text.fields.values())


def _concerns(form: Form, text: Text) -> bool:
    source = text.source
    if source.medium not in form.media:
        return False
    if source.medium is Medium.FILE:
        return form.path is not None and form.path.holds(text.where.path or "")
    if source.medium is not Medium.CHECK_RUN:
        return True
    check, app = form.check, source.app_id
    named = check is not None and check.name in (None, text.fields.get("name"))
    return check is not None and named and app == check.app_id and app != ACTIONS_APP


def _may_speak(form: Form, own: Sequence[Role]) -> tuple[str, ...]:
    told = form.role.values
    return tuple(dict.fromkeys((role.name for role in own) if told is None else told.values()))


def _several(fits: Sequence[Fit], base: Signal) -> Signal:
    signals = [signal for fit in fits for signal in fit.signals]
    told = [dict.fromkeys(item for signal in fit.signals for item in signal.problems) for fit in fits]
    common = tuple(item for item in told[0] if all(item in each for each in told))  # whichever is meant
    problems = common or tuple(dict.fromkeys(item for each in told for item in each))
    if any(fit.match is Match.SPOKEN for fit in fits):
        names = " and ".join(fit.form.name for fit in fits)
        problems += (problem("PG916", f"it matches the forms {names} at once", base.where),)
    return replace(
        base,
        claims=tuple(dict.fromkeys(claim for each in signals for claim in each.claims)),
        may_be=tuple(dict.fromkeys(role for each in signals for role in each.may_be)),
        problems=problems,
        outcome=Outcome.FAIL if any(each.outcome is Outcome.FAIL for each in signals) else None,
        objects=any(each.objects for each in signals),
        lasting=any(each.lasting for each in signals),
        across=any(each.across for each in signals),
    )


class _Reading:
    """One form compared with one text."""

    def __init__(self, form: Form, text: Text, base: Signal, roles: tuple[Role, ...]) -> None:
        self.form = form
        self.text = text
        self.base = replace(base, kind=form.kind, lasting=form.lasting, across=form.across)
        self.speaking = _may_speak(form, roles)
        self.pieces: dict[str, Piece] = dict(_given(form, text))
        self.values = Values(pieces=self.pieces, lead=form.lead.name, numbers=form.numbers)
        self.faults: list[Fault] = []
        self.quoted = False
        self.inline = False
        self.raw: list[str] = []

    def fit(self) -> Fit | None:
        """How the form fits, or None if it is absent."""
        if self.text.missing is not None:
            return self._broken(Match.BROKEN, (self.text.missing,))
        lead = None if self.text.body is None else self._parts()
        if lead is None:
            return None
        if isinstance(lead, Hidden):
            return self._broken(Match.NEAR if lead.near else Match.BROKEN)
        meant = all_hold(self.form.when, self.values)
        if meant.holds:
            return self._spoken()
        unread = meant.missing is not None and meant.missing.part not in self.pieces
        if not unread and meant.fault is None and not misspelt(self.form.when, self.values):
            return None
        self.faults.extend(() if meant.fault is None else (meant.fault,))
        return self._broken(Match.BROKEN)

    def _parts(self) -> Piece | Hidden | None:
        """The first part. If it can be read, required other parts and the count of findings are read too."""
        lead = self._read(self.form.lead)
        if not isinstance(lead, Piece):
            return lead
        for part in self.form.parts[1:]:
            if self._read(part) is None and not part.optional:
                told = f"{part.name} ({part.at.value.replace('_', ' ')})"
                told = f"the line {part.words}:" if part.at is At.LABEL else told
                self.faults.append(Fault(code="PG912", message=f"{told} is missing", position=lead.start))
        found = list(words.findings(self.form, self.values, self.base.where))
        blocking, every = (sum(each.count for each in found if each.blocking or not only) for only in (True, False))
        self.pieces[FINDINGS] = Piece(value={"all": every, "blocking": blocking}, start=START)
        return lead

    def unmet(self) -> str:
        """The value that rules the form out although its first part is present, or ""."""
        for condition in self.form.when if isinstance(self._parts(), Piece) else ():
            if not holds(condition, self.values).holds:
                found = self.values.one(condition.address)
                told = "missing" if found is None else excerpt_of(found.value)
                return f"{condition.address.text} is {told}, and with that it is not the format's ({self.form.name})"
        return ""

    def _read(self, part: Part) -> Piece | Hidden | None:
        """A part as far as it can be read. Its faults are noted."""
        found: Piece | Passage | Hidden | None
        if part.value is not None:
            held = self.values.one(part.value)
            told = None if held is None or not isinstance(held.value, str) else held
            found = None if told is None else Passage(text=str(told.value), position=told.position)
        else:
            page = self.text.page if part.field is Field.TEXT else Page.of(self.text.fields.get(part.field.value, ""))
            found = (listed if part.at in LISTS else locate)(part, page)
        if isinstance(found, Hidden):
            self.faults.append(found.fault)
            self.quoted = self.quoted or found.quoted
            self.inline = self.inline or found.inline
            return found
        if found is None:
            return None
        if isinstance(found, Piece):
            self.pieces[part.name] = found
            return found
        self.raw.append(found.text)
        piece = decode(part, found)
        if not isinstance(piece, Piece):
            self.faults.extend(piece)
            return Hidden(fault=piece[0])
        self.faults.extend((*schema_faults(part, piece), *near_keys(piece, self.form.keys)))
        self.pieces[part.name] = piece
        return piece

    def _spoken(self) -> Fit:
        form, start = self.form, self.values.start
        members = (self.values,) if form.each is None else self.values.members(form.each)
        if not 0 < len(members) <= MOST_MEMBERS:
            told = "" if form.each is None else form.each.text
            message = f"{told} has {len(members)} members, and from 1 to {MOST_MEMBERS} are read"
            self.faults.append(Fault(code="PG922", message=message, position=start))
            return self._broken(Match.BROKEN)
        return self._fit(Match.SPOKEN, start.line, *_each_once([self._signal(each) for each in members]))

    def _signal(self, values: Values) -> Signal:
        form, where = self.form, self.base.where
        commit, wrong = words.commit_of(form, values)
        expires, untimely = words.expiry_of(form, values)
        held_against = tuple(words.findings(form, values, where))
        others = lambda line: words.names_another(commit, self.text.heads, line)  # noqa: E731
        titles = (self.text.fields.get(field.value, "") for field in (Field.TITLE, Field.SUMMARY))
        of_run = self.text.source.medium is Medium.CHECK_RUN  # vetoes stand in any of its texts
        page = Page.of("\n\n".join((*titles, self.text.body or ""))) if of_run else self.text.page
        told, asks = words.said(form, values, page, others, where), words.asked(form, values, where)
        passes = told.outcome in GOOD
        strange = words.foreign_role(form, values, self.speaking)
        broken = [fault for fault in self.faults if problem_of(fault, where).severity is Severity.ERROR]
        rows = () if broken else tuple(words.row_faults(form, values))
        told_anew = (each for each in told.faults if not (each.code in ABSENT and _is_within(each, self.faults)))
        found = [
            *self.faults,
            *told_anew,
            *filter(None, (wrong, untimely, strange)),
            *words.disagreements(form, values),
        ]
        if passes:
            found += words.untold_findings(form, values, held_against)
            found += [each for each in words.contradicting(form, values) if not _is_within(each, broken)]
        found += rows
        problems = tuple(problem_of(fault, where) for fault in found)
        settled = {fault.code for fault in rows if by_code()[fault.code].adjustable}  # the policy weighs these
        sound = not any(item.severity is Severity.ERROR and item.code not in settled for item in problems)
        return replace(
            self.base,
            claims=() if strange is not None else self._claims(values),
            may_be=self.speaking,
            outcome=told.outcome if sound or not passes else None,  # where something is wrong only a pass goes
            says_pass=passes,
            said=told.word,
            findings=held_against,
            commit=commit,
            objects=self._objects(),
            run=words.text_at(values, form.run),
            notes=words.text_at(values, form.notes),
            asks=tuple(asks),
            causes=(*told.causes, *(cause for each in asks.values() for cause in each)),
            question=words.question(form, values),
            expires=expires,
            idle=form.lead.at is At.SAYS and told.outcome is Outcome.BLOCKED and not form.across,
            across=form.across and not (told.outcome is Outcome.BLOCKED and may_pass(form)),  # it only waits
            whole=form.whole is not None and passes and all_hold(form.whole, values).holds,
            where=where.at(values.start),
            problems=problems,
        )

    def _claims(self, values: Values) -> tuple[RoleClaim, ...]:
        role = words.role_of(self.form, values)
        by = "the format" if self.form.role.address is None else self.form.role.address.text
        return () if role is None else (RoleClaim(by=by, role=role),)

    def _untold(self) -> tuple[tuple[RoleClaim, ...], tuple[str, ...]]:
        """The roles of an unreadable word: those named in its text, or else all it may belong to."""
        names = {**{name: name for name in self.speaking}, **(self.form.role.values or {})}
        body = "\n".join((*_texts(self.text), self.text.where.path or "")).lower()
        found = dict.fromkeys(role for word, role in names.items() if holds_word(body, word))
        return tuple(RoleClaim(by="the text", role=role) for role in found), () if found else self.speaking

    def _broken(self, match: Match, problems: tuple[Problem, ...] = ()) -> Fit:
        """An invalid word of the roles it may belong to; a quoted text claims none."""
        claims = () if self.quoted else self._claims(self.values)
        claims, may_be = (claims, ()) if claims or self.quoted else self._untold()
        objects = self._objects()
        signal = replace(
            self.base,
            claims=claims,
            may_be=may_be,
            shown=self.quoted or (self.inline and not objects),
            lasting=self.form.lasting and not self.quoted,
            across=self.form.across and not self.quoted,
            objects=objects,
            problems=(*problems, *(problem_of(fault, self.base.where) for fault in self.faults)),
        )
        return self._fit(match, self.faults[0].position.line if self.faults else START.line, signal)

    def _fit(self, match: Match, line: int, *signals: Signal) -> Fit:
        lead = self.pieces.get(self.form.lead.name)
        document = lead.documents[0] if lead is not None and lead.documents else None
        return Fit(form=self.form, match=match, signals=signals, line=line, document=document)

    def _objects(self) -> bool:
        """True if the parts found, or else the text, object to the work."""
        return objects("\n".join(self.raw or _texts(self.text)), self.form.failing)


def _is_within(fault: Fault, before: Sequence[Fault]) -> bool:
    """True if a fault concerns a value with another fault, or a part of that value."""
    paths = [other.json_path for other in before if other.json_path not in (None, "$")]
    within = any(f"{fault.json_path}.".startswith((f"{path}.", f"{path}[")) for path in paths)
    return within or fault.position in {other.position for other in before}


def _each_once(signals: Sequence[Signal]) -> Iterator[Signal]:
    """The words of one document. A role that speaks twice is invalid."""
    told = Counter(signal.roles for signal in signals if signal.roles)
    for signal in signals:
        count = told[signal.roles]
        if count <= 1:
            yield signal
            continue
        message = f"{count} members speak for {', '.join(signal.roles)}; only one may"
        outcome = None if signal.outcome in GOOD else signal.outcome
        wrong = problem("PG922", message, signal.where)
        yield replace(signal, outcome=outcome, problems=(*signal.problems, wrong))


def _given(form: Form, text: Text) -> Iterator[tuple[str, Piece]]:
    """Parts known without reading the text: places in the path, the review's state, the check run's title."""
    source = text.source
    if source.medium is Medium.FILE and form.path is not None:
        yield PATH, Piece(value={**variables(form.path, text.where.path or "")}, start=START)
    if source.medium is Medium.REVIEW:
        yield REVIEW, Piece(value={"state": source.state or ""}, start=START)
    if source.medium is Medium.CHECK_RUN:
        shown: dict[str, Json] = {key: text.fields.get(key, "") for key in ("name", "title", "conclusion")}
        yield CHECK, Piece(value=shown, start=START)
