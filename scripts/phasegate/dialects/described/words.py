"""What a form says: the values that were read come in, role, outcome, commit and findings go out, with every fault."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timezone

from phasegate.dialects.described.declaration import FindingKeys, Form, Says, Veto
from phasegate.dialects.described.places import folds_titled, veto_lines
from phasegate.dialects.described.values import BOOLEANS, Found, Held, Values, all_hold
from phasegate.model.frozen import dataclass
from phasegate.model.plan import holds_as_seen
from phasegate.model.problem import Fault, Position, Where
from phasegate.model.signal import Asks, Finding, Outcome
from phasegate.reading.document import Json, excerpt, excerpt_of
from phasegate.reading.keys import NOT_PASSED, fails, folded, taken_for
from phasegate.reading.markdown.page import Page

COMMIT = re.compile(r"[0-9a-fA-F]{7,40}", re.ASCII)
_TIME = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[Tt ](?P<hour>[0-9]{2}:[0-9]{2}(?::[0-9]{2})?)(?:\.[0-9]{1,9})?(?P<zone>[Zz]|[+-][0-9]{2}:[0-9]{2})?)?",
    re.ASCII,
)
_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)
ROLE = re.compile(r"[a-z][a-z0-9-]{0,31}", re.ASCII)
MOST_FINDINGS = 200
LONGEST_SAID = 40
LONGEST_TEXT = 500
GOOD = (Outcome.PASS, Outcome.COMPLETE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """An outcome in the normal form and in the writer's own word, with what keeps it from being told."""

    outcome: Outcome | None = None
    word: str = ""
    faults: tuple[Fault, ...] = ()


def said(form: Form, values: Values, page: Page, commit: str | None) -> Said:
    """What the form says of the work, after all that takes a pass back."""
    told = Said() if form.outcome is None else _told(form.outcome, values, form.lead.name)
    if told.outcome not in GOOD:
        return told
    undone = _undone(form, values)
    if undone is not None:
        return Said(word=told.word, faults=(*told.faults, undone))
    for veto in form.vetoes:
        taken = _vetoed(veto, values, page, commit)
        if isinstance(taken, Fault):
            return Said(word=told.word, faults=(taken,))
        if taken:
            start = values.pieces[form.lead.name].start
            return Said(outcome=veto.outcome, word=veto.shown or told.word, faults=(_taken_back(veto, start),))
    return told


def _taken_back(veto: Veto, start: Position) -> Fault:
    named = excerpt(veto.line or veto.marker or veto.fold or "") if not veto.when else "what else it says"
    what = f"{named} ({veto.shown})" if veto.shown else named
    return Fault(code="PG918", message=f"its pass is vetoed by {what}", position=start)


def _told(says: Says, values: Values, lead: str) -> Said:
    if says.always is not None:
        piece = values.pieces.get(lead)
        shown = piece.value if piece is not None and isinstance(piece.value, str) else ""
        return Said(outcome=says.always, word="" if says.always in GOOD else shown[:LONGEST_SAID])
    if says.rules:
        return _by_rules(says, values, lead)
    if says.address is None:
        return Said()
    found = values.at(says.address)
    if len(found) != 1:
        return Said(faults=(_absent(says.address.text, len(found), values, lead),))
    return _by_value(says, found[0], says.address.text)


def _absent(address: str, count: int, values: Values, lead: str) -> Fault:
    piece = values.pieces.get(lead)
    position = piece.start if piece else Position(line=1, column=1)
    reason = f"{address} is missing" if count == 0 else f"{address} has {count} values, but only one may be there"
    return Fault(code="PG913", message=reason, position=position)


def _by_value(says: Says, found: Found, address: str) -> Said:
    word = (found.text or "")[:LONGEST_SAID]
    if says.values is None:
        if not isinstance(found.value, bool):
            message = f"{address} is {excerpt_of(found.value)}; expected true or false"
            return Said(word=word, faults=(found.fault("PG914", message),))
        return Said(outcome=says.true_is if found.value else says.false_is, word=word)
    text = found.text if isinstance(found.value, (str, int)) and not isinstance(found.value, bool) else None
    outcome = None if text is None else says.values.get(text)
    if outcome is None:
        known = ", ".join(says.values)
        message = f"{address} is {excerpt_of(found.value)}; expected one of {known}"
        return Said(word=word, faults=(found.fault("PG914", message),))
    return Said(outcome=outcome, word=word)


def _by_rules(says: Says, values: Values, lead: str) -> Said:
    for rule in says.rules:
        held = all_hold(rule.when, values)
        if held.fault is not None:
            return Said(faults=(held.fault,))
        if held.missing is not None:
            return Said(faults=(_absent(held.missing.text, 0, values, lead),))
        if held.holds:
            return Said(outcome=rule.outcome, word=rule.shown)
    message = "none of the format's rules for the outcome applies"
    return Said(faults=(Fault(code="PG914", message=message, position=values.pieces[lead].start),))


def _undone(form: Form, values: Values) -> Fault | None:
    """A pass without the sign that the work was done."""
    held = all_hold(form.done, values)
    if held.holds:
        return None
    if held.fault is not None:
        return held.fault
    message = "it passes, but nothing in it shows that the work was done"
    return Fault(code="PG917", message=message, position=values.pieces[form.lead.name].start)


def _vetoed(veto: Veto, values: Values, page: Page, commit: str | None) -> bool | Fault:
    if veto.when:
        held: Held = all_hold(veto.when, values)
        return held.fault or held.holds
    if veto.line is not None:
        lines = veto_lines(page, veto.line)
    elif veto.fold is not None:
        lines = folds_titled(page, veto.fold)
    else:
        marker = veto.marker or ""
        lines = tuple(line for line in page.text.split("\n") if holds_as_seen(line, marker))
        lines = lines or ((page.text,) if holds_as_seen(page.text, marker) else ())
    return any(not veto.names_commit or _names(line, commit) for line in lines)


def _names(line: str, commit: str | None) -> bool:
    """Whether a line is about a commit: unless it and the word name different ones, it may be."""
    named = COMMIT.findall(line)
    return commit is None or not named or any(_one_commit(found.lower(), commit) for found in named)


def _one_commit(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def commit_of(form: Form, values: Values) -> tuple[str | None, Fault | None]:
    """The commit that a form names, or what is wrong with it; of an optional part that is not there, none."""
    if form.commit is None:
        return None, None
    found = values.one(form.commit)
    if found is None:
        if _may_be_missing(form, form.commit.part):
            return None, None
        return None, _absent(form.commit.text, len(values.at(form.commit)), values, form.lead.name)
    text = found.value if isinstance(found.value, str) else ""
    if not COMMIT.fullmatch(text):
        message = f"{form.commit.text} is {excerpt_of(found.value)}; expected 7 to 40 hexadecimal digits"
        return None, found.fault("PG919", message)
    return text.lower(), None


def expiry_of(form: Form, values: Values) -> tuple[str, Fault | None]:
    """The time up to which a pass counts, as the snapshot writes times, or what is wrong with it; of none, nothing."""
    if form.expires is None:
        return "", None
    gap, found = values.gap(form.expires), values.at(form.expires)
    first = gap or next(iter(found), None)
    if first is None or first.value in (None, ""):
        return "", None
    text = first.value if gap is None and len(found) == 1 else None
    time = as_time(text) if isinstance(text, str) else None
    if time is None:
        message = f"{form.expires.text} is {excerpt_of(first.value)}; expected a time such as 2026-10-16T00:00:00Z"
        return "", first.fault("PG913", message)
    return time, None


def as_time(text: str) -> str | None:
    """A time, or the beginning of a day, in UTC; none if it is neither."""
    match = _TIME.fullmatch(text.strip())
    if match is None:
        return None
    zone = match["zone"] if match["zone"] and match["zone"] not in "Zz" else "+00:00"
    try:
        time = datetime.fromisoformat(f"{match['day']}T{match['hour'] or '00:00:00'}{zone}")
        return time.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError):
        return None


def _may_be_missing(form: Form, name: str) -> bool:
    return any(part.name == name and part.optional for part in form.parts)


def role_of(form: Form, values: Values) -> str | None:
    """The role that a form names; none where it cannot be told."""
    if form.role.always is not None or form.role.address is None:
        return form.role.always
    found = values.one(form.role.address)
    if found is None or not isinstance(found.value, str):
        return None
    if form.role.values is not None:
        return form.role.values.get(found.value)
    return found.value if ROLE.fullmatch(found.value) else None


def foreign_role(form: Form, values: Values, speaking: tuple[str, ...]) -> Fault | None:
    """The fault of a role that is there and is none that the form can speak for."""
    found = None if form.role.address is None else values.one(form.role.address)
    if found is None or form.role.address is None or role_of(form, values) in speaking:
        return None
    known = ", ".join(form.role.values or speaking)
    return found.fault("PG914", f"{form.role.address.text} is {excerpt_of(found.value)}; expected one of {known}")


def disagreements(form: Form, values: Values) -> Iterator[Fault]:
    """Things that must be the same and are not."""
    for group in form.agree:
        found = [(address, values.one(address)) for address in group]
        missing = [address.text for address, one in found if one is None or one.text is None]
        if missing:
            yield _absent(missing[0], 0, values, form.lead.name)
            continue
        texts = {one.text for _, one in found if one is not None}
        last = found[-1][1]
        if len(texts) > 1 and last is not None:
            told = " and ".join(f"{address.text} is {excerpt_of(one.value)}" for address, one in found if one)
            yield last.fault("PG915", f"{told}; they must be the same")


def contradictions(form: Form, values: Values) -> Iterator[Fault]:
    """Deciding keys that the form does not read and whose values fail the work."""
    parts = {part.name for part in form.parts}
    whole = [Found(value=piece.value, piece=piece) for name, piece in values.pieces.items() if name in parts]
    for holder in (*_documents(whole), *(() if values.member is None else (values.member,))):
        for key, value in holder.value.items() if isinstance(holder.value, dict) else ():
            read = key in form.keys or taken_for(key, form.keys) is not None
            if not read and fails(key, _as_meant(value, holder), NOT_PASSED):
                found = Found(value=value, piece=holder.piece, path=(*holder.path, key))
                yield found.fault("PG915", f"{excerpt(key)} says {excerpt_of(value)}, but the verdict is a pass")


def _documents(whole: Iterable[Found]) -> Iterator[Found]:
    """What was read of each part; of lines, each of them."""
    for found in whole:
        lines = found.value if found.piece.lines and isinstance(found.value, list) else None
        yield from (found,) if lines is None else (replace(found, value=one, path=(n,)) for n, one in enumerate(lines))


def _as_meant(value: Json, holder: Found) -> Json:
    """A value; in pairs and groups, which know only texts, the boolean or the number that it is."""
    if holder.piece.documents or not isinstance(value, str):
        return value
    return BOOLEANS[value.lower()] if value.lower() in BOOLEANS else int(value) if _NUMBER.fullmatch(value) else value


def asked(form: Form, values: Values) -> tuple[Asks, ...]:
    """What the form asks for; where that cannot be told, it does ask."""
    answers = ((request.asks, all_hold(request.when, values)) for request in form.asks)
    return tuple(dict.fromkeys(asks for asks, held in answers if held.holds or held.fault is not None))


def text_at(values: Values, form: Form, which: str) -> str:
    """The text of a run or a note, cut to a length that can be shown."""
    address = form.run if which == "run" else form.notes
    found = None if address is None else values.one(address)
    return ((found.text if found else None) or "")[:LONGEST_TEXT]


def findings(keys: FindingKeys | None, values: Values, where: Where) -> Iterator[Finding]:
    """What is held against the work."""
    if keys is None:
        return
    made = [_finding(keys, number, found, where) for number, found in enumerate(values.at(keys.address), start=1)]
    yield from sorted(made, key=lambda finding: not finding.blocking)[:MOST_FINDINGS]


def untold_findings(form: Form, values: Values) -> Iterator[Fault]:
    """Faults for findings of which it is unclear whether they block."""
    keys = form.findings
    if keys is None or not keys.blocking:
        return
    gap = values.gap(keys.address)
    if gap is not None:
        message = f"{keys.address.text} finds nothing in {excerpt_of(gap.value)}: it is unclear whether it blocks"
        yield gap.fault("PG913", message)
    for found in values.at(keys.address):
        item = found.value if isinstance(found.value, dict) else {}
        if not isinstance(item.get(keys.severity or ""), (str, int)):
            message = f"{keys.address.text} has a finding without {keys.severity}: it is unclear whether it blocks"
            yield found.fault("PG913", message)


def _finding(keys: FindingKeys, number: int, found: Found, where: Where) -> Finding:
    item = found.value if isinstance(found.value, dict) else {}
    plain = found.text if not isinstance(found.value, dict) else None
    severity = _text(item, keys.severity)
    location, line = _text(item, keys.location), _text(item, keys.line)
    return Finding(
        id=_text(item, keys.id) or str(number),
        severity=severity,
        summary=_text(item, keys.summary) or plain or "",
        location=f"{location}:{line}" if location and line else location,
        fix_hint=_text(item, keys.fix_hint) or None,
        blocking=any(folded(severity) == folded(each) for each in keys.blocking),
        where=where.at(found.position, found.json_path),
    )


def _text(item: dict[str, Json], key: str | None) -> str:
    value = item.get(key) if key else None
    return "" if value is None or isinstance(value, (bool, list, dict)) else str(value)[:LONGEST_TEXT]
