"""The jkz verdict block: strict JSON, its schema, and the signal format's rules for its content."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from typing import Any, TypeVar, cast

from phasegate.catalogue import problem, problem_of
from phasegate.dialects.jkz.declaration import PREFIX
from phasegate.dialects.raw import named_by_key, objects, plain_readings
from phasegate.model.frozen import dataclass, late, replace
from phasegate.model.problem import Fault, Fix, Problem, Severity, Where, near
from phasegate.model.signal import Does, Finding, Kind, Outcome, Refutation, Role, RoleClaim, Signal
from phasegate.reading.document import Document, Json, JsonPath, excerpt, excerpt_of, json_path
from phasegate.reading.json import read_json
from phasegate.reading.keys import NOT_PASSED, Known, contradictions, deciding, folded, slip_of, taken_for
from phasegate.reading.markdown.page import Carrier, Page, Part, PartKind
from phasegate.reading.schema.registry import validate

SCHEMA = "jkz/verdict"
KEYS = ("verdict", "role", "commit", "issues", "must_fix", "false_positives")
LISTS, ISSUES = ("issues", "must_fix", "false_positives"), frozenset({"issues"})
OPTIONAL = ("role", "commit", "must_fix", "false_positives", "root_cause", "fix_hint")  # null there is absent
FINDING_KEYS = dict.fromkeys(("id", "severity", "summary", "location", "root_cause", "fix_hint"), False)
REVIEWS = (Outcome.PASS, Outcome.FAIL)
WORDS = frozenset(outcome.value for outcome in Outcome)
ALLOWED = {
    Does.CHALLENGES: REVIEWS,
    Does.CONFIRMS: REVIEWS,
    Does.CREATES: (Outcome.COMPLETE, Outcome.BLOCKED),
    Does.REPAIRS: (Outcome.FIXED, Outcome.PARTIAL, Outcome.BLOCKED),
}
BLOCKING, LESSER = ("CRITICAL", "HIGH"), ("MEDIUM", "LOW")
T = TypeVar("T")
KNOWN = {key: key in LISTS for key in KEYS}
ROOT_CAUSES = (
    "implementation_bug",
    "missing_validation",
    "security_vulnerability",
    "test_gap",
    "wrong_approach",
    "regression",
)
CONTRADICTING = {**NOT_PASSED, **deciding((lambda value: folded(str(value)).upper() in BLOCKING, "severity"))}
HISTORY = ("previous",)  # values below it are from earlier and decide nothing
MAX_WORDS = 15
MOST_FINDINGS = 100  # as many as the schema allows
MAX_PAYLOAD = 3200  # four times the 200 tokens of the signal format, at four characters to the token
FINDING_ID = late(r"[A-Z](?!0+\Z)[0-9]{1,4}", re.ASCII)  # J01 is an id of its own, not J1
# In an unreadable block any spelling of key and value counts: "role": "x", 'role': 'x', role=x
_QUOTE = "[\"'`\u201c\u201d\u2018\u2019\u00ab\u00bb]{0,3}"
_IS = rf"{_QUOTE}\s{{0,8}}[:=]>?[\s\[{{]{{0,8}}{_QUOTE}"
# In any heading that names a role, whatever stands around the name.
NAMING = late(r"jkz\\?:[ \t]?([a-z0-9-]{1,32})", re.ASCII | re.IGNORECASE)
MOST_HEADED, LONGEST_HEADING = 50, 100  # where a heading is looked for that is none
BEGUN_HEADING = late(r"[ \t]*#{1,6}[ \t]*jkz[: \t][ \t]*([a-z0-9-]{1,32})", re.ASCII | re.IGNORECASE)
SET_OFF = "#*_"
ROLE_KEY = "role"
_CAMEL = late(r"(?<=[a-z])(?=[A-Z])", re.ASCII)
RAW_ID = late(rf"(?:(?<![a-z])ids?|must[_ -]?fix){_IS}([a-z])[-_#]?[0-9]", re.ASCII | re.IGNORECASE)
RAW_DEMANDS = late(r"must[_ -]?fix[^\[\]{}]{0,16}\[([^\]]{0,2000})", re.ASCII | re.IGNORECASE)
RAW_DEMAND = late(r"(?<![a-z0-9])([a-z])[-_#]?[0-9]{1,4}(?![a-z0-9])", re.ASCII | re.IGNORECASE)
RAW_REFUTED = late(r"false[_ -]?positives[^\[\]{}]{0,16}\[[^\]]{0,2000}", re.ASCII | re.IGNORECASE)
ANY_ID = late(r"(?<![A-Za-z0-9])([A-Z])[-_# ]?[0-9]{1,5}(?![A-Za-z0-9])", re.ASCII)
LINE = late(r"(?P<path>[^:]+):(?P<line>[0-9]+)(?:[-:][0-9]+)?", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """A verdict block that is a JSON object, and the places of its values."""

    document: Document
    where: Where
    roles: tuple[Role, ...]

    @property
    def data(self) -> dict[str, Any]:
        """The object itself."""
        return cast("dict[str, Any]", self.document.value)

    def problem(self, code: str, message: str, path: JsonPath) -> Problem:
        """A problem at a value of the block."""
        return problem(code, message, self.where.at(self.document.position(path), json_path(path)))

    def at_key(self, path: JsonPath) -> Where:
        """Where the key of a value stands."""
        return self.where.at(self.document.key_position(path), json_path(path))


def _in_own_words(fault: Problem, said: Json, words: tuple[str, ...]) -> Problem:
    """The fault. For an unknown verdict it lists the words of the role's seat, without a guess."""
    if fault.where.json_path != json_path(("verdict",)) or not isinstance(said, str) or not words:
        return fault
    same = said.strip().upper()
    if same in words:
        return replace(fault, message=f'verdict is {excerpt(said)}; did you mean "{same}"?', hint=f'write "{same}"')
    message = f"verdict is {excerpt(said)}; expected {' or '.join(map(json.dumps, words))}"
    return replace(fault, message=message, hint="Write the one that you mean.", fix=None)


def read_verdict(carrier: Carrier, base: Signal, roles: tuple[Role, ...], page: Page) -> Signal:
    """The verdict in a block in its proper place. ``base`` has what the comment around it says."""
    where, here = base.where, base.where.at(carrier.position)
    document = read_json(carrier.payload, first=carrier.position)
    if isinstance(document, Fault):
        verdict = replace(base, kind=Kind.VERDICT, where=here, problems=(problem_of(document, where),))
        return _unread_block(verdict, carrier, roles, page)
    if "null" in carrier.payload:
        document = Document(value=without_nulls(document.value), mark=document.mark, lines=document.lines)
    block = Block(document=document, where=where, roles=roles)
    base = replace(base, findings=tuple(_findings(block)))
    claims = (*base.claims, *_claims(block, base.claims))
    seats = {claim.role for claim in claims}
    words = tuple(dict.fromkeys(word.value for role in roles if role.name in seats for word in ALLOWED[role.does]))
    said = document.value.get("verdict") if isinstance(document.value, dict) else None
    faults = tuple(_in_own_words(problem_of(fault, where), said, words) for fault in validate(SCHEMA, document))
    if any(fault.severity is Severity.ERROR for fault in faults):
        told = isinstance(document.value, dict) and isinstance(document.value.get("verdict"), str)
        further = _content_problems(block, claims, len(carrier.payload)) if told else ()
        word = block.data["verdict"].strip().upper() if told else ""
        outcome = Outcome.FAIL if base.findings and word.startswith(Outcome.FAIL) else None
        says_pass, problems = word == Outcome.PASS, (*faults, *further)
        verdict = replace(base, claims=claims, outcome=outcome, says_pass=says_pass, problems=problems)
        verdict = replace(verdict, kind=Kind.VERDICT, where=here)
        return _unread_block(verdict, carrier, roles, page)
    data = block.data
    problems = (*faults, *_content_problems(block, claims, len(carrier.payload)))
    if not claims and any(item.severity is Severity.ERROR for item in problems):
        claims = tuple(dict.fromkeys(whose_block(carrier, roles, page, ())))
    return replace(
        base,
        kind=Kind.VERDICT,
        where=here,
        objects=objects(carrier.payload),
        claims=claims,
        outcome=Outcome(data["verdict"]),
        must_fix=tuple(data["must_fix"] or ()) if "must_fix" in data else None,
        false_positives=tuple(data.get("false_positives") or ()),
        commit=data.get("commit"),
        problems=problems,
    )


def without_nulls(value: Json) -> Json:
    """The block without optional keys that are null. A null ``issues`` stays, and is a fault."""

    def kept(one: Json) -> Json:
        told = one.items() if isinstance(one, dict) else ()
        return {key: item for key, item in told if item is not None or key not in OPTIONAL} if told else one

    block = kept(value)
    issues = block.get("issues") if isinstance(block, dict) else None
    return (
        {**block, "issues": list(map(kept, issues))} if isinstance(block, dict) and isinstance(issues, list) else block
    )


def _claims(block: Block, headings: tuple[RoleClaim, ...]) -> Iterator[RoleClaim]:
    """The roles named by the block itself: its role key, and the letters of its own ids.

    Under the heading of a role with a letter, an id with another letter is a slip and not another role's word.
    """
    data = block.data if isinstance(block.document.value, dict) else {}
    role = data.get("role")
    if isinstance(role, str):
        yield RoleClaim(by="the role key", role=role.strip().lower().removeprefix(PREFIX))
    issues = data.get("issues")
    own = [item.get("id") for item in issues if isinstance(item, dict)] if isinstance(issues, list) else []
    letters = [name[0] for name in own if isinstance(name, str) and FINDING_ID.fullmatch(name)]
    lettered = {role.name for role in block.roles if role.letter}
    slips = any(claim.role in lettered for claim in headings)
    yield from (replace(claim, gives_way=slips) for claim in _by_letters(list(dict.fromkeys(letters)), block.roles))


def _unread_block(verdict: Signal, carrier: Carrier, roles: tuple[Role, ...], page: Page) -> Signal:
    """A block that cannot be read. The text around it also tells whether it objects."""
    told = tuple(RoleClaim(by=claim.by, role=claim.role) for claim in verdict.claims)
    claims = tuple(dict.fromkeys((*told, *whose_block(carrier, roles, page, told))))
    return replace(verdict, objects=objects(page.text), claims=claims)


def told_in_raw_text(text: str, roles: tuple[Role, ...]) -> Iterator[RoleClaim]:
    """Roles in the raw text of an unreadable block: by ids of findings and demands, or by a role key."""
    names = tuple(role.name for role in roles)
    for written in plain_readings(text):
        demands = (name for listed in RAW_DEMANDS.findall(written) for name in RAW_DEMAND.findall(listed))
        letters = (letter.upper() for letter in (*RAW_ID.findall(written), *demands))
        yield from _by_letters(list(dict.fromkeys(letters)), roles)
        for name in dict.fromkeys(named_by_key(ROLE_KEY, written, names)):
            yield RoleClaim(by="the role key", role=name)


def whose_block(
    carrier: Carrier, roles: tuple[Role, ...], page: Page, told: tuple[RoleClaim, ...]
) -> Iterator[RoleClaim]:
    """The roles of a faulty block, besides those in ``told``; it always belongs to somebody.

    Found by any heading that names a role, by its raw text, or else by anything it or the text around it names.
    """
    sure = {claim.role for claim in told}
    named = (name.lower() for heading in page.headings for name in NAMING.findall(heading.text))
    known = {role.name for role in roles} - sure
    headings = tuple(RoleClaim(by="a heading", role=name) for name in named if name in known)
    found = (*headings, *told_in_raw_text(carrier.payload, roles))
    if not found and not told:
        found = tuple(named_anywhere(carrier.payload, roles)) or tuple(named_around(page, roles))
    yield from found


def named_anywhere(text: str, roles: tuple[Role, ...]) -> Iterator[RoleClaim]:
    """Roles whose names or letters a text holds in any way, except in what it refutes."""
    for written in plain_readings(text):
        yield from _by_letters(list(dict.fromkeys(ANY_ID.findall(RAW_REFUTED.sub("", written)))), roles)
        words = _CAMEL.sub(" ", written).lower()
        for role in roles:
            if re.search(rf"(?<![a-z]){re.escape(role.name)}(?![a-z])", words):
                yield RoleClaim(by="the block", role=role.name)


def named_around(page: Page, roles: tuple[Role, ...]) -> Iterator[RoleClaim]:
    """Roles that a comment names as a heading would, anywhere outside quotes."""
    known = {role.name for role in roles}
    for written in plain_readings(page.unquoted):
        named = dict.fromkeys(name.lower() for name in NAMING.findall(written))
        yield from (RoleClaim(by="the text around it", role=name) for name in named if name in known)
    yield from (RoleClaim(by="the text around it", role=name) for _, _, name in near_headings(page.unquoted, roles))


def near_headings(text: str, roles: tuple[Role, ...]) -> Iterator[tuple[int, str, str]]:
    """Lines that look like a role's heading, with number and role."""
    names = {f"{title}{role.name}": role.name for role in roles for title in ("jkz", "")}
    for number, line in enumerate(text.split("\n", MOST_HEADED)[:MOST_HEADED], 1):
        begun = BEGUN_HEADING.match(line[:LONGEST_HEADING])
        words = "".join(filter(str.isalnum, f"jkz{begun[1]}".lower() if begun else line[:LONGEST_HEADING].lower()))
        quoted = line.lstrip().startswith(">")
        if words in names and not quoted and ("jkz" in words or line.lstrip()[:1] in SET_OFF):
            yield number, line, names[words]


def _by_letters(letters: list[str], roles: tuple[Role, ...]) -> Iterator[RoleClaim]:
    for role in roles:
        if role.letter in letters:
            yield RoleClaim(by=f"the id prefix {role.letter}", role=role.name)


def _findings(block: Block) -> Iterator[Finding]:
    """The block's findings; if it breaks the schema, as many as can be read."""
    issues = block.data.get("issues") if isinstance(block.document.value, dict) else None
    for index, item in enumerate(issues[:MOST_FINDINGS] if isinstance(issues, list) else ()):
        own = item.items() if isinstance(item, dict) else ()
        told = {key: value for key, value in own if key in FINDING_KEYS and isinstance(value, str)}
        if told.get("id") or told.get("summary"):
            yield Finding(
                id=told.get("id", ""),
                severity=told.get("severity", ""),
                summary=told.get("summary", ""),
                location=told.get("location", ""),
                root_cause=told.get("root_cause"),
                fix_hint=told.get("fix_hint"),
                blocking=told.get("severity") in BLOCKING,
                where=block.where.at(block.document.position(("issues", index)), f"$.issues[{index}]"),
            )


def _content_problems(block: Block, claims: tuple[RoleClaim, ...], size: int) -> Iterator[Problem]:
    """The signal format's rules for the content, as far as the types are right. All faults at once."""
    names, verdict = {claim.role for claim in claims}, block.data["verdict"]
    for role in block.roles:
        if role.name in names and verdict in WORDS and verdict not in ALLOWED[role.does]:
            allowed = " or ".join(outcome.value for outcome in ALLOWED[role.does])
            yield block.problem("PG101", f"{role.title} says {allowed}, not {verdict}", ("verdict",))
    if verdict in REVIEWS:
        yield from _unknown_keys(block, block.data, KNOWN, ())
    for index, item in _listed(block, "issues", dict):
        yield from _finding_problems(block, item, ("issues", index))
    yield from _wrong_ids(block)
    if size > MAX_PAYLOAD:
        yield block.problem("PG104", f"the block has {size} characters (about 800 are expected)", ())


def _listed(block: Block, key: str, kind: type[T]) -> Iterator[tuple[int, T]]:
    """The members of a list that have the right type, each with its index."""
    listed = block.data.get(key)
    members = enumerate(listed[:MOST_FINDINGS] if isinstance(listed, list) else ())
    return ((index, item) for index, item in members if isinstance(item, kind))


def _unknown_keys(block: Block, item: dict[str, Any], known: Known, path: JsonPath) -> Iterator[Problem]:
    """Unknown keys: a slip of a known one, one that contradicts a pass, or merely unknown."""
    for key, value in item.items():
        way = (*path, key)
        if key in known:
            continue
        if (meant := near_key(key, value, known)) is not None:  # what a reader takes for ours, and a machine does not
            message, fix = f'unknown key {excerpt(key)} (did you mean "{meant}"?)', Fix(old=key, new=meant)
            yield problem("PG025", message, block.at_key(way), hint=f'Write "{meant}".', fix=fix)
            continue
        contrary = list(_contrary(block, value, way))
        yield from contrary
        if not contrary and not path:  # a finding may have keys of its own
            close = near(key, KEYS)
            told = f'did you mean "{close[0]}"?' if close else f"known keys: {', '.join(KEYS)}"
            guess = Fix(old=key, new=close[0]) if close else None
            yield problem("PG023", f'unknown key "{key[:40]}" ({told})', block.at_key(way), fix=guess)


def near_key(key: str, value: Json, known: Known) -> str | None:
    """The known key that this one is mistaken for. A wrong letter counts only if the value would matter there."""
    meant = slip_of(key, value, known)
    if meant is None or taken_for(key, frozenset(known), ISSUES) is not None:
        return meant
    return meant if any(True for _ in contradictions({meant: value}, CONTRADICTING)) else None


def _contrary(block: Block, value: Json, path: JsonPath) -> Iterator[Problem]:
    """Values under an unknown key that contradict a verdict without demands."""
    passes = block.data["verdict"] == Outcome.PASS
    known = KNOWN if len(path) == 1 else FINDING_KEYS
    if (not passes and block.data.get("must_fix") != []) or slip_of(str(path[-1]), value, known) is not None:
        return
    for below, said in contradictions({str(path[-1]): value}, CONTRADICTING, HISTORY):
        way = (*path[:-1], *below)
        told = f"{excerpt('.'.join(map(str, way)))} says {excerpt_of(said)}"
        but = "the verdict is PASS" if passes else "must_fix is empty"
        hint = f"Say FAIL and what must be fixed, or remove {json_path(way)}."
        yield problem("PG115", f"{told}, but {but}", block.at_key(way), hint=hint)


def _finding_problems(block: Block, item: dict[str, Any], path: JsonPath) -> Iterator[Problem]:
    yield from _unknown_keys(block, item, FINDING_KEYS, path)
    letters = {role.letter for role in block.roles if role.letter}
    told = {key: value for key, value in item.items() if isinstance(value, str)}
    name = told.get("id", f"issues[{path[-1]}]")
    if "id" in told and (not FINDING_ID.fullmatch(name) or name[0] not in letters):
        known = ", ".join(sorted(letters))
        yield block.problem("PG108", f'"{name}" is not an id such as J1 (letters: {known})', (*path, "id"))
    if told.get("severity") in LESSER:
        yield block.problem("PG105", f"{name} is {told['severity']}: it blocks nothing", (*path, "severity"))
    for key in ("summary", "fix_hint"):
        words = len(told.get(key, "").split())
        if words > MAX_WORDS:
            yield block.problem("PG104", f"{key} of {name} has {words} words (at most {MAX_WORDS})", (*path, key))
    cause = told.get("root_cause", ROOT_CAUSES[0])
    if cause not in ROOT_CAUSES:
        message = f'root_cause "{cause[:40]}" is none of {", ".join(ROOT_CAUSES)}'
        yield block.problem("PG106", message, (*path, "root_cause"))
    location = told.get("location", "")  # a path:line of the repository, or else the name of a section
    line = LINE.fullmatch(location)
    place = line["path"] if line else location
    outside = place.startswith(("/", "~", "\\")) or ".." in place.split("/") or "\n" in location
    if outside or (line and not int(line["line"][:9])):
        yield block.problem("PG107", f"location of {name} cannot be linked", (*path, "location"))
    if "fix_hint" not in item:
        yield block.problem("PG123", f"{name} has no fix_hint", path)


def _wrong_ids(block: Block) -> Iterator[Problem]:
    """Ids used twice, demands for a missing or non-blocking finding, and refuted findings of its own."""
    severities: dict[str, object] = {}
    for index, item in _listed(block, "issues", dict):
        if isinstance(name := item.get("id"), str):
            if name in severities:
                yield block.problem("PG108", f"{name} is the id of two findings", ("issues", index, "id"))
            severities[name] = item.get("severity")
    if block.data["verdict"] == Outcome.FAIL.value and "must_fix" not in block.data:
        yield block.problem("PG111", "FAIL without must_fix does not say what must be fixed", ())
    has = f"has {', '.join(severities)}" if severities else "it is empty"
    for index, name in _listed(block, "must_fix", str):
        if name not in severities:
            message = f'must_fix names "{name}", which is not in issues[] ({has})'
            yield block.problem("PG112", message, ("must_fix", index))
        elif severities[name] in LESSER:
            message = f"must_fix names {name}, which is only {severities[name]}"
            yield block.problem("PG112", message, ("must_fix", index))
    for index, name in _listed(block, "false_positives", str):
        if name in severities:
            message = f"false_positives names {name}, which is a finding of this very verdict"
            yield block.problem("PG117", message, ("false_positives", index))


FINDING = late(r"(?<![A-Za-z0-9_])[A-Z][0-9]{1,4}(?![A-Za-z0-9_])", re.ASCII)
CITED = late(r"(?<![A-Za-z0-9._/-])((?:[A-Za-z0-9._-]{1,80}/){0,16}[A-Za-z0-9._-]{1,80}):([1-9][0-9]{0,6})", re.ASCII)
MOST_LINES = 200
OUTPUT = (PartKind.FENCE, PartKind.CODE)
FOREIGN = (PartKind.QUOTE, PartKind.ALERT, PartKind.HTML, PartKind.FOOTNOTE)


def refutations(page: Page, ids: tuple[str, ...]) -> tuple[Refutation, ...]:
    """The evidence for each refuted id, outside the dialect's own carriers."""
    outputs: set[str] = set()
    lines: dict[str, dict[tuple[str, int], None]] = defaultdict(dict)
    own = {carrier.first_line for carrier in page.carriers_with(PREFIX)}
    named: set[str] = set()
    for part in page.parts:
        if part.kind in FOREIGN or part.within or part.line in own or part.quotes:
            continue
        named = _named(part, named)
        if part.kind in OUTPUT or part.fenced:
            outputs |= named if part.has_output else set()
        else:
            places = dict.fromkeys(islice(named_lines(part.seen), MOST_LINES))
            for name in named.intersection(ids):
                lines[name] |= places if len(lines[name]) < MOST_LINES else {}
    return tuple(Refutation(id=name, output=name in outputs, lines=tuple(lines[name])) for name in ids)


def _named(part: Part, before: set[str]) -> set[str]:
    if part.kind in OUTPUT:
        return before
    found = set(FINDING.findall(part.seen))
    return found if found or part.kind is PartKind.HEADING else before


def named_lines(text: str) -> Iterator[tuple[str, int]]:
    """The path:line places in a text."""
    for path, line in (match.groups() for match in CITED.finditer(text)):
        if ".." not in path.split("/"):
            yield path, int(line)
