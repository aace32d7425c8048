"""What must hold of a description as a whole: a form comes in, faults with code, words and place go out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from phasegate.dialects.described.forms import (
    CHECK,
    COMPARISONS,
    EACH,
    FINDINGS,
    GIVEN,
    GOOD,
    KEY,
    LINES,
    LISTS,
    PATH,
    REVIEW,
    SEVERITIES,
    Address,
    At,
    Codec,
    Condition,
    Field,
    Form,
    Over,
    Part,
    Says,
    Test,
    may_pass,
    rank_of,
)
from phasegate.model.signal import Kind, Medium
from phasegate.model.texts import ACTIONS_APP
from phasegate.reading.document import JsonPath, excerpt
from phasegate.reading.keys import means_failure

SHORTEST_SIGN = 4
RESERVED = (EACH, KEY, PATH, REVIEW, CHECK, FINDINGS, "carrier")
NOTHING = ("", "no", "none", "nothing", "zero")  # words for an empty list, or for 0
PAGES = (Medium.COMMENT, Medium.REVIEW, Medium.CHECK_RUN)
OPTIONS = {  # the keys of a part that only some places have
    "followed_by": (At.MARKER,),
    "holds": (At.FENCE, At.FRONT_MATTER),
    "or_fence": (At.FRONT_MATTER,),
    "stands": (At.MARKER, At.FENCE),
    "level": (At.HEADING,),
    "html": (At.LINE,),
    "first": (At.HEADING,),
    "folded": (At.LINE,),
    "until": (At.SECTION,),
    "items": (At.SECTION,),
}

Told: TypeAlias = "tuple[str, str, JsonPath]"
Data: TypeAlias = "Mapping[str, Any]"


def form_faults(form: Form, data: Data) -> Iterator[Told]:
    """All that is wrong with a form; ``data`` is what it was told in."""
    yield from _media_faults(form, data)
    for index, part in enumerate(form.parts):
        yield from _part_faults(form, part, data["read"][part.name], first=index == 0)
    for address, path in addresses(form):
        wrong = _lost(form, address)
        if wrong:
            yield "PG903", f"{address.text} leads nowhere: {wrong}", path
    yield from _condition_faults(data)
    yield from _outcome_faults(form, data)
    yield from _veto_faults(form, data)
    yield from _done_faults(form)
    if form.floor and rank_of(form.floor) is None:
        known = ", ".join(word for words in SEVERITIES for word in words)
        yield "PG907", f"floor is {excerpt(form.floor)}, which is no severity; severities are {known}", ("floor",)
    if not form.floor and (form.across or any(keys.count for keys in form.findings)):
        yield "PG907", "findings that are counted, or stand across contents, need a floor from which they block", ()


def misordered(forms: tuple[Form, ...]) -> Iterator[tuple[str, str]]:
    """Forms that stand behind one that may pass, and themselves never do: its pass would hide what they say."""
    passing = ""
    for form in forms:
        if may_pass(form):
            passing = passing or form.name
        elif passing:
            yield form.name, f"form {form.name}: it never passes, so it stands before {passing}, which may"


def _media_faults(form: Form, data: Data) -> Iterator[Told]:
    for medium, key in ((Medium.FILE, "path"), (Medium.CHECK_RUN, "check")):
        if (medium in form.media) != (key in data):
            place = key if key in data else "in"
            yield "PG907", f"{key} goes with in: [{medium.value}], and the other way round", (place,)
    if form.check is not None and form.check.app_id == ACTIONS_APP:
        yield "PG904", "check runs of GitHub Actions speak for any workflow, also of the branch", ("check", "app_id")
    if data.get("commit") == "carrier" and Medium.COMMENT in form.media:
        yield "PG907", "a comment has no commit of its own; leave commit out or name where it stands", ("commit",)


def _part_faults(form: Form, part: Part, told: Data, *, first: bool) -> Iterator[Told]:
    here: JsonPath = ("read", part.name)
    for key, places in OPTIONS.items():
        if key in told and part.at not in places:
            yield "PG907", f"{key} goes with {' or '.join(at.value for at in places)}", (*here, key)
    if part.name in RESERVED:
        yield "PG907", f"{part.name} is the name of what is given; call the part otherwise", here
    if first and (part.optional or part.at is At.VALUE or part.at in LISTS):
        message = "the first part tells whether the form is there: it is not optional, and no value, row or section"
        yield "PG907", message, here
    if part.field is not Field.TEXT and form.media != {Medium.CHECK_RUN}:
        yield "PG907", "only check runs have a title and a summary", (*here, "field")
    if "pattern" in told and "as" in told:
        yield "PG907", "as and pattern: only one of them", (*here, "as")
    yield from _codec_faults(part, here)
    if part.pattern is not None or "pattern" not in told:
        yield from _sign_faults(form, part, here, first=first)


def _codec_faults(part: Part, here: JsonPath) -> Iterator[Told]:
    """What goes with some ways of writing only."""
    if part.leading and part.codec is not Codec.KEY_VALUE:
        yield "PG907", "words goes with as: key=value", (*here, "words")
    if part.either_way and part.codec not in (Codec.JSON, Codec.YAML):
        yield "PG907", "spelling goes with as: json and as: yaml", (*here, "spelling")
    if part.own_spelling and not part.either_way:
        yield "PG907", "own_spelling goes with spelling: either", (*here, "own_spelling")
    if (part.schema or part.schema_file) and part.codec in (Codec.TEXT, Codec.PATTERN):
        yield "PG907", "a schema is for json, json-lines, yaml and key=value", here


def _sign_faults(form: Form, part: Part, here: JsonPath, *, first: bool) -> Iterator[Told]:
    """A part that nothing gives away could be hidden, or met where it is not meant."""
    on_pages = any(medium in PAGES for medium in form.media)
    if part.at in LINES and part.pattern is None:
        yield "PG907", f"a {part.at.value} is read by a pattern", here
    elif part.at in LINES and not all(len(sign) >= SHORTEST_SIGN for sign in part.signs or ("",)):
        message = f"the pattern of a {part.at.value} begins with at least {SHORTEST_SIGN} fixed characters"
        yield "PG901", message, (*here, "pattern")
    elif part.at is At.MARKER and len(part.words) < SHORTEST_SIGN:
        yield "PG907", f"a marker has at least {SHORTEST_SIGN} characters", here
    elif part.at is At.SAYS and may_pass(form):
        yield "PG905", "phrases anywhere in a text tell only a form that never passes", here
    elif part.at is At.FENCE and not part.words:
        message = "a fence is told apart by what it holds: name words that occur only there"
        yield "PG907", f"{message}, or write marker for an info string of your own", here
    elif first and on_pages and part.at is At.FRONT_MATTER and not part.words:
        yield "PG907", "front matter of a comment is told apart by what it holds", here
    elif first and on_pages and part.at is At.WHOLE and part.field is not Field.TITLE and not _told_by_state(form):
        message = "the whole text is read of files, of titles, and of reviews whose state never passes"
        yield "PG907", message, here


def _told_by_state(form: Form) -> bool:
    """Whether a form is told by the state of a review, whatever its text is, and never passes."""
    by_state = any(condition.address.part == REVIEW for condition in form.when)
    return form.media == frozenset({Medium.REVIEW}) and by_state and not may_pass(form)


def addresses(form: Form) -> Iterator[tuple[Address, JsonPath]]:
    """Every address of a form, and where it is told."""
    single: list[tuple[Address | None, JsonPath]] = [
        (form.each, ("each",)),
        (form.commit, ("commit",)),
        (form.run, ("run",)),
        (form.notes, ("notes",)),
        (form.expires, ("expires",)),
        (form.role.address, ("role", "of")),
        (form.outcome.address if form.outcome else None, ("outcome", "of")),
        *((part.source, ("read", part.name, "value")) for part in form.parts),
    ]
    yield from ((address, path) for address, path in single if address is not None)
    for index, asked in enumerate(form.questions):
        yield from ((address, ("questions", index)) for address in asked.texts)
    for index, keys in enumerate(form.findings):
        here: JsonPath = ("findings", index) if len(form.findings) > 1 else ("findings",)
        told = ((keys.address, "of"), (keys.count, "count"))
        yield from ((address, (*here, key)) for address, key in told if address is not None)
    for index, group in enumerate(form.agree):
        yield from ((address, ("agree", index)) for address in group)
    for condition, path in _conditions(form):
        yield condition.address, path
        yield from ((each, path) for each in (condition.other, condition.plus) if each is not None)


def _conditions(form: Form) -> Iterator[tuple[Condition, JsonPath]]:
    for key, conditions in (("when", form.when), ("done", form.done), ("whole", form.whole or ())):
        yield from ((condition, (key, index)) for index, condition in enumerate(conditions))
    for index, rule in enumerate(form.outcome.rules if form.outcome else ()):
        yield from ((condition, ("outcome", "first", index)) for condition in rule.when)
    for index, veto in enumerate(form.vetoes):
        yield from ((condition, ("vetoes", index)) for condition in veto.when)
    for index, request in enumerate(form.asks):
        yield from ((condition, ("asks", index)) for condition in request.when)
    for index, question in enumerate(form.questions):
        yield from ((condition, ("questions", index)) for condition in question.when)


def _lost(form: Form, address: Address) -> str:
    """Why an address leads nowhere; nothing if it may lead to a value."""
    if address.part == EACH:
        return "" if form.each is not None else "there is no each"
    if address.part == KEY:
        return "" if form.each is not None and not address.steps else "a key is that of a member of each"
    if address.part in GIVEN:
        known = GIVEN[address.part]
        return "" if len(address.steps) == 1 and address.steps[0] in known else f"it has {', '.join(known)}"
    part = next((part for part in form.parts if part.name == address.part), None)
    if part is None:
        return f"there is no part {address.part} (parts: {', '.join(part.name for part in form.parts)})"
    if part.at in LISTS:
        return ""
    if part.codec is Codec.TEXT:
        return "" if not address.steps else f"{part.name} is a plain text"
    if part.codec is Codec.PATTERN and part.pattern is not None:
        groups = part.pattern.groups
        fine = not address.steps or (len(address.steps) == 1 and address.steps[0] in groups)
        return "" if fine else f"the groups of {part.name} are {', '.join(groups) or 'none'}"
    return ""


def _condition_faults(data: Data) -> Iterator[Told]:
    """Conditions with no address, or with none or two tests; the schema only counts their keys."""
    for told, path in _told_conditions(data):
        tests = sum(test.value in told for test in Test)
        if sum(over.value in told for over in Over) != 1 or tests != 1:
            yield "PG907", "a condition is about one address (of, any_of or all_of) and has one test", path


def _told_conditions(data: Data) -> Iterator[tuple[Data, JsonPath]]:
    outcome = data.get("outcome")
    rules = outcome.get("first", ()) if isinstance(outcome, Mapping) else ()
    lists: list[tuple[Any, JsonPath]] = [(data.get("when", ()), ("when",)), (data.get("done", ()), ("done",))]
    lists.append((() if data.get("whole", True) is True else data["whole"], ("whole",)))
    lists += [(rule["when"], ("outcome", "first", index, "when")) for index, rule in enumerate(rules)]
    for key in ("vetoes", "asks", "questions"):
        lists += [(item.get("when", ()), (key, index, "when")) for index, item in enumerate(data.get(key, ()))]
    for told, path in lists:
        yield from ((item, (*path, index)) for index, item in enumerate(told))


def _outcome_faults(form: Form, data: Data) -> Iterator[Told]:
    says = form.outcome
    if says is None:
        if form.kind is Kind.VERDICT:
            yield "PG907", "outcome is missing: a verdict says something", ()
        return
    booleans = says.true_is is not None and says.false_is is not None
    half = (says.true_is is None) != (says.false_is is None)
    ways = [says.always is not None, says.values is not None, booleans, bool(data_rules(data))]
    named = says.values is not None or booleans
    if sum(ways) != 1 or half or (says.address is not None) != named:
        message = "an outcome is a word; of with map; of with true_is and false_is; or first, with or without otherwise"
        yield "PG907", message, ("outcome",)
    if booleans and says.true_is in GOOD and says.false_is in GOOD:
        yield "PG907", "it passes whether it says true or false; one of them is a fail", ("outcome",)
    for word, outcome in (says.values or {}).items():
        if outcome in GOOD and means_failure(word):
            message = f"{excerpt(word)} says that the work failed, and is mapped to a pass"
            yield "PG907", message, ("outcome", "map", word)


def data_rules(data: Data) -> tuple[Data, ...]:
    """The rules that tell an outcome, as they were told."""
    outcome = data.get("outcome")
    return tuple(outcome.get("first", ())) if isinstance(outcome, Mapping) else ()


def _veto_faults(form: Form, data: Data) -> Iterator[Told]:
    for index, veto in enumerate(form.vetoes):
        told = data["vetoes"][index]
        words = sum(key in told for key in ("line", "marker", "fold"))
        if words > 1 or not (words or veto.when):
            yield (
                "PG907",
                "a veto is one of line, marker and fold, or when, or one of them under when",
                ("vetoes", index),
            )
        if veto.names_commit and not words:
            yield "PG907", "names_commit goes with line or marker", ("vetoes", index)


def _done_faults(form: Form) -> Iterator[Told]:
    """A pass that nothing found, or nothing looked at, would give needs a sign that the work was done."""
    if form.done and not any(_shows_work(condition, form) for condition in form.done):
        message = "done is a positive sign, such as a count above 0 or a run that was completed"
        yield "PG905", message, ("done",)
    if form.outcome is None or form.done:
        return
    reason = _hollow(form, form.outcome)
    if reason:
        yield "PG905", f"{reason}; say with done how it is known that the work was done", ("outcome",)


def _hollow(form: Form, says: Says) -> str:
    """Why a pass may come of nothing; nothing if it cannot."""
    if says.always in GOOD and not form.lead.signs and not any(_shows_work(condition, form) for condition in form.when):
        return "it passes because it is there, whatever it holds"
    passing = [value for value, told in (says.values or {}).items() if told in GOOD]
    nothing = [value for value in passing if _is_none(value, form)]
    if nothing and says.address is not None:
        return f'it passes where {says.address.text} is "{nothing[0]}"'
    for rule in says.rules:
        if rule.outcome in GOOD and not rule.when:
            return "otherwise passes also where there is nothing to look at"
        if rule.outcome in GOOD and not any(_shows_work(condition, form) for condition in rule.when):
            return "it passes also where a number is 0 or a list is empty"
    return ""


def _shows_work(condition: Condition, form: Form) -> bool:
    """Whether a condition is positive, and not only because nothing is written as a word."""
    texts = condition.wanted if condition.test in (Test.EQUALS, Test.IN) else ()
    return is_positive(condition) and not any(_is_none(text, form) for text in texts if isinstance(text, str))


def _is_none(text: str, form: Form) -> bool:
    """Whether a text says that there is nothing: an empty one, 0, or a word for it."""
    plain = text.strip()
    number = int(plain) if plain.isdecimal() else form.numbers.get(plain)
    return number == 0 or plain.lower() in NOTHING


def is_positive(condition: Condition) -> bool:
    """Whether a condition holds only of something, and never of 0, an empty list or nothing at all."""
    test, wanted = condition.test, condition.wanted
    if test in COMPARISONS:
        least = wanted[0] if wanted and not isinstance(wanted[0], str) else None
        above = test is Test.ABOVE and least is not None and least >= 0
        return above or (test is Test.AT_LEAST and least is not None and least > 0)
    if test is Test.EMPTY:
        return wanted == (False,)
    if test is Test.PRESENT:
        return False
    return all(isinstance(value, bool) or bool(value) for value in wanted)
