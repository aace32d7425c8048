"""What a form says. In: the values read. Out: role, outcome, commit and findings, with every fault."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timezone
from itertools import islice

from phasegate.dialects.described.forms import (
    COMPARISONS,
    Address,
    Condition,
    FindingKeys,
    Form,
    Says,
    Test,
    Veto,
    rank_of,
    reaches,
)
from phasegate.dialects.described.places import Piece, folds_titled, veto_lines
from phasegate.dialects.described.values import BOOLEANS, Found, Held, Values, all_hold, holds_of, limit_of, value_at
from phasegate.model.frozen import dataclass
from phasegate.model.plan import holds_as_seen
from phasegate.model.problem import Fault, Position, Where
from phasegate.model.signal import GOOD, STOPPED, Asks, Cause, Finding, Outcome
from phasegate.reading.document import Json, excerpt, excerpt_of, json_path
from phasegate.reading.keys import contradictions, folded, taken_for
from phasegate.reading.markdown.page import Page
from phasegate.reading.patterns import Pattern

COMMIT = re.compile(r"[0-9a-fA-F]{7,40}", re.ASCII)
_TIME = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[Tt ](?P<hour>[0-9]{2}:[0-9]{2}(?::[0-9]{2})?)(?:\.[0-9]{1,9})?(?P<zone>[Zz]|[+-][0-9]{2}:[0-9]{2})?)?",
    re.ASCII,
)
_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)
ROLE = re.compile(r"[a-z][a-z0-9-]{0,31}", re.ASCII)
MOST_FINDINGS = 200
MOST_CAUSES = 5
LONGEST_SAID = 40
LONGEST_TEXT = 500


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """An outcome, its own word in the text, and the faults that keep it from being known."""

    outcome: Outcome | None = None
    word: str = ""
    faults: tuple[Fault, ...] = ()
    causes: tuple[Cause, ...] = ()


def said(form: Form, values: Values, page: Page, others: Callable[[str], bool], where: Where) -> Said:
    """The form's outcome after all vetoes. ``others`` recognises lines about other heads."""
    told = Said() if form.outcome is None else _told(form.outcome, values)
    if told.outcome not in GOOD:
        return told
    done = all_hold(form.done, values)
    if not done.holds:
        message = "it passes, but nothing in it shows that the work was done"
        undone = Fault(code="PG917", message=message, position=values.start)
        return Said(word=told.word, faults=(*told.faults, done.fault or undone))
    for veto in form.vetoes:
        taken = _vetoed(veto, values, page, others)
        if isinstance(taken, Fault):
            return Said(word=told.word, faults=(taken,))
        if taken:
            kind = "the line " if veto.line else "the fold " if veto.fold else ""
            named = f"{kind}{excerpt(veto.line or veto.marker or veto.fold or '')}"
            mark = Cause(key=named, says="there", where=where.at(values.start))
            found = tuple(islice(causes(veto.when, values, where), MOST_CAUSES)) or (mark,)
            faults = tuple(_taken_back(veto, cause) for cause in found)
            shown = () if veto.shown else found
            return Said(outcome=veto.outcome, word=veto.shown or told.word, faults=faults, causes=shown)
    return told


def causes(
    conditions: tuple[Condition, ...], values: Values, where: Where, asks: Asks | None = None
) -> Iterator[Cause]:
    """The values that meet some conditions; those of the first one come with the value that would not."""
    for condition in conditions:
        for found in values.at(condition.address):
            if condition.test is Test.PRESENT or holds_of(condition, found, values) is True:
                says = "not empty" if condition.test is Test.EMPTY and found.value else excerpt_of(found.value)
                place = where.at(found.piece.key_position(found.path), found.json_path)
                takes = _otherwise(condition, values) if condition is conditions[0] else ""
                of_item = any(isinstance(step, int) for step in found.path[-2:-1])
                key = json_path(found.path[-3 if of_item else -2 :])[2:]
                yield Cause(key=key, says=says, takes=takes, asks=asks, where=place)


def _otherwise(condition: Condition, values: Values) -> str:
    """The value for which a condition does not hold."""
    test, wanted = condition.test, condition.wanted
    if test in COMPARISONS:
        limit = limit_of(condition, values)
        return f"{COMPARISONS[test]} {limit}"
    if test is Test.PRESENT:
        return "left out"
    if test is Test.EMPTY:
        return "not empty" if wanted == (True,) else "empty"
    if len(wanted) == 1 and isinstance(wanted[0], bool):
        return excerpt_of(not wanted[0])
    return f"other than {' or '.join(map(excerpt_of, wanted))}"


def _taken_back(veto: Veto, cause: Cause) -> Fault:
    shown = f" ({veto.shown})" if veto.shown else ""
    place = Position(line=cause.where.line or 1, column=cause.where.column or 1)
    message = f"its pass does not count, since {cause.key} is {cause.says}{shown}"
    hint = f"It counts with {cause.key} {cause.takes}." if cause.takes else ""
    return Fault(code="PG918", message=message, position=place, hint=hint, json_path=cause.where.json_path)


def _told(says: Says, values: Values) -> Said:
    if says.always is not None:
        piece = values.pieces.get(values.lead)
        shown = piece.value if piece is not None and isinstance(piece.value, str) else ""
        return Said(outcome=says.always, word="" if says.always in GOOD else shown[:LONGEST_SAID])
    for rule in says.rules:
        held = all_hold(rule.when, values)
        fault = held.fault or (values.absent(held.missing) if held.missing is not None else None)
        if fault is not None:
            return Said(faults=(fault,))
        if held.holds:
            return Said(outcome=rule.outcome, word=rule.shown)
    if says.address is None:
        message = "none of the format's rules for the outcome applies"
        return Said(faults=(Fault(code="PG914", message=message, position=values.start),))
    found, address = values.at(says.address), says.address.text
    if len(found) != 1:
        return Said(faults=(values.absent(says.address, len(found)),))
    (one,), known = found, says.values
    told = isinstance(one.value, bool)
    word = (one.text or "")[:LONGEST_SAID]
    if known is None:
        outcome, expected = (says.true_is if one.value else says.false_is) if told else None, "true or false"
    else:
        text = one.text if isinstance(one.value, (str, int)) and not told else None
        outcome, expected = None if text is None else known.get(text), f"one of {', '.join(known)}"
    if outcome is not None:
        return Said(outcome=outcome, word=word)
    return Said(word=word, faults=(one.fault("PG914", f"{address} is {excerpt_of(one.value)}; expected {expected}"),))


def _vetoed(veto: Veto, values: Values, page: Page, others: Callable[[str], bool]) -> bool | Fault:
    if veto.when:
        held: Held = all_hold(veto.when, values)
        if not held.holds or not (veto.line or veto.fold or veto.marker):
            return held.fault or held.holds
    if veto.line is not None:
        lines = veto_lines(page, veto.line)
    elif veto.fold is not None:
        lines = folds_titled(page, veto.fold)
    else:
        marker = veto.marker or ""
        lines = tuple(line for line in page.text.split("\n") if holds_as_seen(line, marker))
        lines = lines or ((page.text,) if holds_as_seen(page.text, marker) else ())
    return any(not (veto.names_commit and others(line)) for line in lines)


def names_another(commit: str | None, heads: tuple[str, ...], line: str) -> bool:
    """True if a line names another head of the pull request than the word does."""
    named = {head for found in COMMIT.findall(line) for head in heads if head.startswith(found.lower())}
    return commit is not None and bool(named) and not any(head.startswith(commit.lower()) for head in named)


def commit_of(form: Form, values: Values) -> tuple[str | None, Fault | None]:
    """The first commit that a form names, or its fault; None if the optional part is absent."""
    address = next((each for each in form.commit if values.at(each)), next(iter(form.commit), None))
    if address is None:
        return None, None
    found = values.one(address)
    if found is None:
        optional = any(part.name == address.part and part.optional for part in form.parts)
        return None, None if optional else values.absent(address, len(values.at(address)))
    text = found.value if isinstance(found.value, str) else ""
    if not COMMIT.fullmatch(text):
        message = f"{address.text} is {excerpt_of(found.value)}; expected 7 to 40 hexadecimal digits"
        return None, found.fault("PG913", message)
    return text.lower(), None


def expiry_of(form: Form, values: Values) -> tuple[str, Fault | None]:
    """The time until which a pass counts, as written in snapshots, or its fault; "" without one."""
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
    """A time, or the beginning of a day, in UTC; None if it is neither."""
    match = _TIME.fullmatch(text.strip())
    if match is None:
        return None
    zone = match["zone"] if match["zone"] and match["zone"] not in "Zz" else "+00:00"
    try:
        time = datetime.fromisoformat(f"{match['day']}T{match['hour'] or '00:00:00'}{zone}")
        return time.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError):
        return None


def role_of(form: Form, values: Values) -> str | None:
    """The role that a form names, or None if unknown."""
    if form.role.always is not None or form.role.address is None:
        return form.role.always
    found = values.one(form.role.address)
    if found is None or not isinstance(found.value, str):
        return None
    if form.role.values is not None:
        return form.role.values.get(found.value)
    return found.value if ROLE.fullmatch(found.value) else None


def foreign_role(form: Form, values: Values, speaking: tuple[str, ...]) -> Fault | None:
    """The fault of a role that the form cannot speak for."""
    found = None if form.role.address is None else values.one(form.role.address)
    if found is None or form.role.address is None or role_of(form, values) in speaking:
        return None
    known = ", ".join(form.role.values or speaking)
    return found.fault("PG914", f"{form.role.address.text} is {excerpt_of(found.value)}; expected one of {known}")


def disagreements(form: Form, values: Values) -> Iterator[Fault]:
    """Values that must agree and do not."""
    for group in form.agree:
        found = [(address, values.one(address)) for address in group]
        missing = next((address for address, one in found if one is None or one.text is None), None)
        if missing is not None:
            yield values.absent(missing)
            continue
        texts = {one.text for _, one in found if one is not None}
        last = found[-1][1]
        if len(texts) > 1 and last is not None:
            told = " and ".join(f"{address.text} is {excerpt_of(one.value)}" for address, one in found if one)
            yield last.fault("PG915", f"{told}; they must be the same")


def row_faults(form: Form, values: Values) -> Iterator[Fault]:
    """Contradictions in the document, by the rows of its form, each at a key."""
    piece = values.pieces.get(form.lead.name) if form.rows else None
    data = None if piece is None else value_at(piece.value, form.payload)
    if piece is None or not isinstance(data, dict):
        return
    for row in form.rows:
        for path, *words in row.hits(data):
            way = (*form.payload, *path)
            message, place = row.says.format(*words), piece.key_position(way)
            yield Fault(code=row.code, message=message, position=place, json_path=json_path(way))


def contradicting(form: Form, values: Values) -> Iterator[Fault]:
    """Deciding keys, at any depth, that the form does not read there and that fail the work."""
    own = () if values.member is None else values.member.path
    for part in (part for part in form.parts if part.name in values.pieces):
        name, piece, ruled = part.name, values.pieces[part.name], part.schema.ruled if part.schema else ()
        for way, value in contradictions(_as_meant(piece), form.deciding, form.history):
            known = way[:-1] in ((), own) and (way[-1] in ruled or taken_for(str(way[-1]), form.keys) is not None)
            of_another = way[: len(own) - 1] == own[:-1] and way[: len(own)] != own
            elsewhere = form.each is not None and form.each.part == name and of_another
            if not known and not elsewhere and not form.reads((name, *way)):
                told = f"{excerpt('.'.join(map(str, way)))} says {excerpt_of(value)}, but the verdict is a pass"
                hint = f"Say that it failed, or remove {json_path(way)}."
                yield replace(Found(value=value, piece=piece, path=way).fault("PG915", told), hint=hint)


def _as_meant(piece: Piece) -> Json:
    """The value of a part. Pairs and groups know only text, so booleans and numbers are converted."""
    if piece.documents or not isinstance(piece.value, dict):
        return piece.value
    texts = ((key, value) for key, value in piece.value.items() if isinstance(value, str))
    typed = {key: int(text) if _NUMBER.fullmatch(text) else BOOLEANS.get(text.lower(), text) for key, text in texts}
    return {**piece.value, **typed}


def asked(form: Form, values: Values, where: Where) -> dict[Asks, tuple[Cause, ...]]:
    """What the form asks for, and by which keys. If that is undecided, it asks."""
    found: dict[Asks, tuple[Cause, ...]] = {}
    for request in form.asks:
        held = all_hold(request.when, values)
        if held.holds or held.fault is not None:
            told = islice(causes(request.when, values, where, request.asks), MOST_CAUSES)
            found[request.asks] = (*found.get(request.asks, ()), *told)
    return found


def question(form: Form, values: Values) -> str:
    """What an agent asks that stopped for a human, or its word for stopping; "" if it did not stop."""
    for item in form.questions:
        if all_hold(item.when, values).holds:
            texts = (found.text or "" for address in item.texts for found in values.at(address))
            return next((text[:LONGEST_TEXT] for text in texts if text.strip()), "") or STOPPED
    return ""


def text_at(values: Values, address: Address | None) -> str:
    """The text of a run or note, cut to a length for display."""
    found = None if address is None else values.one(address)
    return ((found.text if found else None) or "")[:LONGEST_TEXT]


def findings(form: Form, values: Values, where: Where) -> Iterator[Finding]:
    """Objections to the work, blocking ones first."""
    made: list[Finding] = []
    for keys in form.findings:
        told, floor = () if keys.address is None else values.at(keys.address), keys.floor or form.floor
        read = [_finding(keys, floor, number, found, where) for number, found in enumerate(told, len(made) + 1)]
        made += [finding for finding in read if finding.blocking or not keys.quiet]
        if rest := _untold(keys, values, len(told)):
            about = f"{rest} {keys.about}{'' if rest == 1 else 's'}" if keys.about else ""
            blocks, name = _blocks(keys.level, floor, keys.advice), str(len(made) + 1)
            finding = Finding(id=name, severity=keys.level, summary=about, blocking=blocks, count=rest, where=where)
            made.append(replace(finding, threaded=keys.threads))
    yield from sorted(made, key=lambda finding: not finding.blocking)[:MOST_FINDINGS]


def _untold(keys: FindingKeys, values: Values, told: int) -> int:
    """The number of findings besides those read one by one; at least 1 if unknown."""
    if keys.count is None:
        return int(keys.address is None)
    found = values.at(keys.count)
    if not found:
        return 0
    number = values.number(found[0]) if len(found) == 1 else None
    return max(1, 1 - told) if number is None else max(0, int(number) - told)


def _blocks(severity: str, floor: str, advice: tuple[str, ...]) -> bool:
    """True if a severity blocks: at or above the floor, or unknown."""
    if not floor or any(folded(severity).strip("_") == folded(each) for each in advice):
        return False
    return rank_of(severity) is None or reaches(floor, severity)


def untold_findings(form: Form, values: Values, held: tuple[Finding, ...]) -> Iterator[Fault]:
    """Faults of a pass beside findings that may or may not block."""
    for address in (keys.address for keys in form.findings if keys.address is not None and form.floor):
        gap = values.gap(address)
        if gap is not None:
            message = f"{address.text} finds nothing in {excerpt_of(gap.value)}: it is unclear whether it blocks"
            yield gap.fault("PG913", message)
    for finding in held:
        if finding.blocking and not finding.threaded and rank_of(finding.severity) is None:
            told = f"the unknown severity {excerpt(finding.severity)}" if finding.severity else "no severity"
            message = f"finding {excerpt(finding.id)} has {told}: it is unclear whether it blocks"
            place = Position(line=finding.where.line or 1, column=finding.where.column or 1)
            yield Fault(code="PG913", message=message, position=place, json_path=finding.where.json_path)


def _finding(keys: FindingKeys, floor: str, number: int, found: Found, where: Where) -> Finding:
    item = found.value if isinstance(found.value, dict) else {}
    plain = found.text if not isinstance(found.value, dict) else None
    severity = _text(item, keys.severity) or keys.level
    location, line = _text(item, keys.location), _text(item, keys.line)
    about = keys.about if keys.location or not severity else f"{keys.about} ({severity})"
    return Finding(
        id=_text(item, keys.id) or str(number),
        severity=severity,
        summary=_text(item, keys.summary) or plain or about,
        location=f"{location}:{line}" if location and line else location,
        fix_hint=_text(item, keys.fix_hint) or None,
        blocking=_blocks(severity, floor, keys.advice),
        threaded=keys.threads,
        where=where.at(found.position, found.json_path),
    )


MOST_THREAD_LINES = 12


def thread_finding(patterns: tuple[Pattern, ...], floor: str, body: str, where: Where) -> Finding:
    """The finding in the first comment of a review thread. An unreadable severity blocks."""
    told: dict[str, str] = {}
    lines = [line.strip() for line in body.splitlines()[:MOST_THREAD_LINES] if line.strip()]
    for line in lines:
        for match in (match for each in patterns if (match := each.match(line))):
            told = {**{key: value for key, value in match.groupdict().items() if value}, **told}
    severity = told.get("severity", "")
    return Finding(
        id=told.get("id", ""),
        severity=severity,
        summary=(told.get("summary") or next(iter(lines), ""))[:LONGEST_TEXT],
        blocking=not floor or _blocks(severity, floor, ()),
        threaded=True,
        where=where,
    )


def _text(item: dict[str, Json], key: str | None) -> str:
    value = item.get(key) if key else None
    return "" if value is None or isinstance(value, (bool, list, dict)) else str(value)[:LONGEST_TEXT]
