"""The smallest word of a described form: made from the description, and proven by reading it.

In: a format and a role. Out: a text with a finding, so that copying it passes nothing; "" if the description allows
none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from phasegate.dialects.described.forms import (
    EACH,
    EVERY,
    GIVEN,
    KEY,
    Address,
    At,
    Codec,
    Condition,
    FindingKeys,
    Form,
    Format,
    Part,
    Says,
    Test,
    outcomes,
)
from phasegate.dialects.described.reader import read_words
from phasegate.dialects.dialect import Text
from phasegate.model.problem import Severity, Where
from phasegate.model.signal import GOOD, Medium, Outcome, Place, Role, Source
from phasegate.reading.document import Json

COMMIT, FOLDER = "{commit}", "{folder}"  # filled in where the example is shown
_SHA = "0123456789abcdef0123456789abcdef01234567"
SAMPLE = {COMMIT: _SHA, FOLDER: "7", "{name}": _SHA}
SOME, WRONG, WHERE, LINE = "text", "What is wrong", "src/auth.py", 12
AGAINST = (Outcome.FAIL, Outcome.BLOCKED)
_TOKEN = re.compile(
    r"(?P<atom>\(\?P<(?P<name>\w+)>|\(\?:|\\.|\[(?:\\.|[^\]\\])+\]|.)"
    r"(?:(?P<maybe>\?)|\{(?P<least>[0-9]+)(?:,(?P<most>[0-9]+))?\})?",
    re.DOTALL,
)


def example(told: Format, role: Role, roles: Sequence[Role]) -> str:
    """A text by which a role objects, with the words for a pass; "" if its forms allow none."""
    forms = [form for form in told.forms if form.role.always in (None, role.name)]
    for outcome in AGAINST:
        for form in (each for each in forms if outcome in outcomes(each)):
            for found in (form.findings, ()):
                text = _Draft(form, role, outcome, found).text()
                if _is_read(told, form, role, roles, text):
                    instead = next(_instead(forms, outcome), "")
                    return f"{text}\n\nIf nothing has to be fixed: {instead}." if instead else text
    return ""


def _is_read(told: Format, form: Form, role: Role, roles: Sequence[Role], text: str) -> bool:
    """True if the format reads a text as a valid objection of the role."""
    path = form.template
    for sign, meant in SAMPLE.items():
        text, path = text.replace(sign, meant), path.replace(sign, meant)
    medium = next(medium for medium in Medium if medium in form.media)
    app, fields = (form.check.app_id if form.check else None), dict[str, str]()
    if medium is Medium.CHECK_RUN:
        fields = {"name": (form.check and form.check.name) or "", "status": "completed", "conclusion": "neutral"}
        fields |= {field: line for field, _, line in (each.partition(": ") for each in text.split("\n\n"))}
    source = Source(id=SOME, number=0, url="", place=Place.PULL_REQUEST, medium=medium, at="", app_id=app, commit=_SHA)
    read = Text(source=source, where=Where(path=path or None), body=fields.get("text", text), fields=fields)
    signals, _ = read_words(told, read, roles)
    wrong = any(item.severity is Severity.ERROR for each in signals for item in each.problems)
    return not wrong and any(each.roles == (role.name,) and each.outcome in AGAINST for each in signals)


class _Draft:
    """The values of a form's parts that an outcome needs."""

    def __init__(self, form: Form, role: Role, outcome: Outcome, findings: tuple[FindingKeys, ...]) -> None:
        self.form, self.role = form, role
        self.parts = {part.name: part for part in form.parts}
        self.values: dict[str, Json] = {}
        for part in form.parts:
            if part.schema is not None and not part.optional:
                self.values[part.name] = _filled(dict(part.schema.contents))
        for condition in form.when:
            self.meet(condition)
        for keys in findings:
            self.find(keys, form.floor)
        self.say(form.outcome or Says(), outcome)
        self.complete(form, role)

    def complete(self, form: Form, role: Role) -> None:
        """Adds the role, the commit, and values that must be present or agree."""
        if form.role.address is not None:
            named = form.role.values or {role.name: role.name}
            self.put(form.role.address, next((word for word, name in named.items() if name == role.name), role.name))
        for address in form.commit[:1]:
            self.put(address, COMMIT)
        for part in form.parts:
            if part.value is not None and not part.optional:
                self.put(part.value, self.payload(part))
        for alike in form.agree:
            for address in alike:
                self.put(address, FOLDER)

    def say(self, says: Says, outcome: Outcome) -> None:
        """Sets the value that gives an outcome, or the values that meet one of its rules."""
        words = [word for word, meant in (says.values or {}).items() if meant is outcome]
        if says.address is not None and words:
            self.put(says.address, words[0])
        elif says.address is not None and outcome in (says.true_is, says.false_is):
            self.put(says.address, says.true_is is outcome)
        for rule in [rule for rule in says.rules if rule.outcome is outcome][:1]:
            for condition in rule.when:
                self.meet(condition)

    def meet(self, condition: Condition) -> None:
        """Sets a value that meets a condition."""
        wanted, test = (condition.wanted or (0,))[0], condition.test
        number = int(wanted) if isinstance(wanted, (int, float)) else 0
        value: Json = wanted
        if test in (Test.ABOVE, Test.AT_LEAST):
            value = number + 1
        elif test in (Test.BELOW, Test.AT_MOST):
            value = number - 1
        elif test is Test.EMPTY:
            value = [] if wanted is True else [WRONG]
        elif test is Test.PRESENT:
            value = self.at(condition.address) or SOME
        self.put(condition.address, value)

    def find(self, keys: FindingKeys, floor: str) -> None:
        """Adds a finding, in its list or as a number."""
        told: dict[str | None, Json] = {keys.id: "1", keys.severity: keys.floor or floor or "high", keys.summary: WRONG}
        told |= {keys.location: WHERE if keys.line else f"{WHERE}:{LINE}", keys.line: LINE}
        item: Json = {key: value for key, value in told.items() if key}
        if keys.address is not None:
            self.put(keys.address, item or WRONG)
        if keys.count is not None:
            self.put(keys.count, 1)

    def put(self, address: Address, value: Json) -> None:
        """Sets a value at an address, with its parents; existing values stay."""
        name, steps = address.part, address.steps
        if name == EACH and self.form.each is not None:
            by_key = self.form.role.address is not None and self.form.role.address.part == KEY
            name, steps = self.form.each.part, (*self.form.each.steps, self.role.name if by_key else EVERY, *steps)
        if name not in self.parts or (name == address.part and name in GIVEN):
            return
        self.values[name] = _with(self.values.get(name), steps, value)
        part = self.parts[name]
        if part.value is not None:  # it is read out of another part
            self.put(part.value, self.payload(part))

    def at(self, address: Address) -> Json:
        """The value at an address, so far."""
        value = self.values.get(address.part)
        for step in address.steps:
            value = value.get(step) if isinstance(value, dict) else None
        return value

    def payload(self, part: Part) -> str:
        """The value of a part, as written."""
        value = self.values.get(part.name)
        groups = {key: str(each) for key, each in value.items()} if isinstance(value, dict) else {}
        if part.pattern is not None:
            return _Sample(part.pattern.text, groups).choice()[0] if groups or value is None else str(value)
        if part.codec is Codec.JSON_LINES and isinstance(value, list):
            return "\n".join(map(json.dumps, value))
        if part.codec is Codec.KEY_VALUE:
            return " ".join(each if key in part.leading else f"{key}={each}" for key, each in groups.items())
        if part.codec is Codec.YAML and isinstance(value, dict):
            return "\n".join(f"{key}: {json.dumps(each)}" for key, each in value.items())
        return str(SOME if value is None else value) if part.codec is Codec.TEXT else json.dumps(value)

    def text(self) -> str:
        """The whole text, each part in its place."""
        order = (At.FRONT_MATTER, At.FIRST_LINE, None, At.FENCE, At.MARKER, At.LAST_LINE)
        places = {place: number for number, place in enumerate(order)}
        parts = [part for part in self.form.parts if part.name in self.values or not part.optional]
        parts.sort(key=lambda part: places.get(part.at, places[None]))
        in_check = self.form.check is not None
        shown = ((f"{part.field.value}: " * in_check) + self.placed(part) for part in parts if part.value is None)
        lines = all(part.at in (At.LABEL, At.LINE) for part in parts)
        return ("\n" if lines and not in_check else "\n\n").join(shown)

    def placed(self, part: Part) -> str:
        """A part as it stands on a page."""
        said, value = self.payload(part), self.values.get(part.name)
        if part.at is At.MARKER:
            if part.followed_by:
                return f"<!-- {part.words} -->\n\n```{part.followed_by}\n{said}\n```"
            return f"<!-- {part.words}{' ' * (part.words[-1:] != ':')}{said} -->"
        if part.at is At.ROW:
            cells = {
                **dict.fromkeys(part.header, SOME),
                **dict(part.where),
                **(value if isinstance(value, dict) else {}),
            }
            rows = (cells, ["---"] * len(cells), map(str, cells.values()))
            return "\n".join(f"| {' | '.join(row)} |" for row in rows)
        return {
            At.FENCE: f"```{part.info}\n{said}\n```",
            At.FRONT_MATTER: f"---\n{said}\n---",
            At.HEADING: f"{'#' * (part.level or 2)} {said}",
            At.ITEM: f"- {said}",
            At.LABEL: f"**{part.words}:** {said}",
            At.SECTION: f"{(*part.titles, '')[0]} (1)\n\n- {said}",
            At.SAYS: (*(phrase for phrase, _ in part.says), "")[0],
        }.get(part.at, said)


def _with(value: Json, steps: Sequence[str], inner: Json) -> Json:
    """A value with another one set at a path, with its parents."""
    if not steps:
        return inner
    if steps[0] == EVERY or steps[0].isdigit():
        return [_with(value[0] if isinstance(value, list) and value else None, steps[1:], inner)]
    around = value if isinstance(value, dict) else {}
    return {**around, steps[0]: _with(around.get(steps[0]), steps[1:], inner)}


def _filled(schema: dict[str, Json]) -> Json:
    if "const" in schema or schema.get("enum"):
        return schema["const"] if "const" in schema else schema["enum"][0]  # type: ignore[index]
    told, required = schema.get("type"), schema.get("required")
    kind = next((each for each in told if each != "null"), "null") if isinstance(told, list) else told
    if kind == "object" or isinstance(required, list):
        named = schema.get("properties")
        inside = named if isinstance(named, dict) else {}
        keys = [str(key) for key in required] if isinstance(required, list) else []
        return {key: _filled(found if isinstance(found := inside.get(key), dict) else {}) for key in keys}
    numbers = [schema.get("minimum"), schema.get("exclusiveMinimum")]
    least = max((int(each) + index for index, each in enumerate(numbers) if isinstance(each, (int, float))), default=0)
    plain: dict[object, Json] = {"array": [], "integer": least, "number": least, "boolean": False, "null": None}
    return plain.get(kind, SOME)


class _Sample:
    """A text that matches a pattern, with these values for its groups."""

    def __init__(self, text: str, groups: dict[str, str]) -> None:
        self.tokens, self.groups = list(_TOKEN.finditer(text))[::-1], groups
        self.last: re.Match[str] | None = None

    def choice(self) -> tuple[str, bool]:
        """The first branch with a group that has a value, or else the first branch; and whether it has one."""
        branches = [("", False)]
        while self.tokens:
            self.last = token = self.tokens.pop()
            atom, (text, hit) = token["atom"], branches[-1]
            if atom == ")":
                break
            if atom == "|":
                branches.append(("", False))
            elif atom.startswith("("):
                inner, wanted = self.choice()
                if token["name"] in self.groups:
                    inner, wanted = self.groups[token["name"]], True
                left = self.last["maybe"] and not wanted
                branches[-1] = (text + ("" if left else inner), hit or wanted)
            else:
                branches[-1] = (text + _repeated(token), hit)
        return next((branch for branch in branches if branch[1]), branches[0])


def _repeated(token: re.Match[str]) -> str:
    """One sign of a pattern, as often as required; a class that takes any word gives a word."""
    atom, least = token["atom"], 0 if token["maybe"] else int(token["least"] or 1)
    if len(atom) == 1 and atom != ".":
        return atom * least
    fits = re.compile(atom, re.ASCII | re.DOTALL)
    sign = next((each for each in f"ta10-_ .:/#\n{atom}" if fits.fullmatch(each)), atom[-1:])
    word = least <= len(SOME) <= int(token["most"] or 0) and all(map(fits.fullmatch, SOME))
    return SOME if word and least else sign * least


def _instead(forms: Sequence[Form], outcome: Outcome) -> Iterator[str]:
    """What a pass says in place of the example's words."""
    for says in (form.outcome or Says() for form in forms):
        words = {meant: json.dumps(word, ensure_ascii=False) for word, meant in (says.values or {}).items()}
        good = next((words[meant] for meant in GOOD if meant in words), "")
        if good and outcome in words:
            yield f"{good} in place of {words[outcome]}"
        elif says.address is not None and (good or says.true_is in GOOD or says.false_is in GOOD):
            yield f"{says.address.text.rpartition('/')[2]} is {good or json.dumps(says.true_is in GOOD)}"
        for rule in says.rules:
            if rule.outcome in GOOD:
                yield " and ".join(map(_shown, rule.when))


def _shown(condition: Condition) -> str:
    key, wanted = condition.address.text.rpartition("/")[2], condition.wanted
    words = " or ".join(json.dumps(each, ensure_ascii=False) for each in wanted)
    if condition.test in (Test.EMPTY, Test.PRESENT):
        some = (condition.test is Test.EMPTY) != (wanted == (True,))
        return f"{key} is {'there' if some else 'empty'}"
    compared = "" if condition.test in (Test.EQUALS, Test.IN) else f"{condition.test.value.replace('_', ' ')} "
    return f"{key} is {compared}{words}"
