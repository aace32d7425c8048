"""Checks a description as a whole. In: a form. Out: faults with code, message and place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from phasegate.dialects.described.forms import (
    CHECK,
    COMPARISONS,
    EACH,
    FINDINGS,
    GIVEN,
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
    Part,
    Says,
    Test,
    may_pass,
    rank_of,
)
from phasegate.model.signal import GOOD, Kind, Medium
from phasegate.model.texts import ACTIONS_APP
from phasegate.reading.document import JsonPath, excerpt
from phasegate.reading.keys import means_failure

SHORTEST_SIGN = 4
RESERVED = (EACH, KEY, PATH, REVIEW, CHECK, FINDINGS, "carrier")
NOTHING = ("", "no", "none", "nothing", "zero")  # words for an empty list, or for 0
PAGES = (Medium.COMMENT, Medium.REVIEW, Medium.CHECK_RUN)
OPTIONS = {  # keys of a part that only some places have
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

Row: TypeAlias = "tuple[object, str, JsonPath]"  # true only for a fault, its message, its place
Data: TypeAlias = "Mapping[str, Any]"
Told: TypeAlias = "tuple[Address, JsonPath]"  # an address in a description, and its place


class Wrong(NamedTuple):
    """What is wrong with a description, and where."""

    code: str
    message: str
    path: JsonPath


def form_faults(form: Form, data: Data, addresses: Iterable[Told]) -> Iterator[Wrong]:
    """Everything wrong with a form. ``data`` is its description, ``addresses`` are its addresses with their places."""
    for medium, key in ((Medium.FILE, "path"), (Medium.CHECK_RUN, "check")):
        apart, place = (medium in form.media) != (key in data), key if key in data else "in"
        yield from _faults((apart, f"{key} goes with in: [{medium.value}], and the other way round", (place,)))
    adrift = data.get("commit") == "carrier" and Medium.COMMENT in form.media
    message = "a comment has no commit of its own; leave commit out or name where it stands"
    yield from _faults((adrift, message, ("commit",)))
    if form.check is not None and form.check.app_id == ACTIONS_APP:
        message = "check runs of GitHub Actions speak for any workflow, also of the branch"
        yield Wrong("PG904", message, ("check", "app_id"))
    for part in form.parts:
        told = data["read"][part.name]
        yield from _faults(*_part_rows(form, part, told))
        if part.pattern is not None or "pattern" not in told:
            yield from _sign_faults(form, part, ("read", part.name))
    for address, path in addresses:
        if address.text and (wrong := _lost(form, address)):
            yield Wrong("PG907", f"{address.text} leads nowhere: {wrong}", path)
    yield from _faults(*_outcome_rows(form, data))
    for index, veto in enumerate(form.vetoes):
        words, here = sum(key in data["vetoes"][index] for key in ("line", "marker", "fold")), ("vetoes", index)
        message = "a veto is one of line, marker and fold, or when, or one of them under when"
        adrift = (veto.names_commit and not words, "names_commit goes with line or marker", here)
        yield from _faults((words > 1 or not (words or veto.when), message, here), adrift)
    if form.done and not any(_shows_work(condition, form) for condition in form.done):
        yield Wrong("PG905", "done is a positive sign, such as a count above 0 or a run that was completed", ("done",))
    if not form.done and form.outcome is not None and (reason := _hollow(form, form.outcome)):
        yield Wrong("PG905", f"{reason}; say with done how it is known that the work was done", ("outcome",))
    known = ", ".join(word for words in SEVERITIES for word in words)
    unknown = form.floor and rank_of(form.floor) is None
    floorless = not form.floor and (form.across or any(keys.count for keys in form.findings))
    yield from _faults(
        (unknown, f"floor is {excerpt(form.floor)}, which is no severity; severities are {known}", ("floor",)),
        (floorless, "findings that are counted, or stand across contents, need a floor from which they block", ()),
    )


def _faults(*rows: Row) -> Iterator[Wrong]:
    return (Wrong("PG907", message, path) for wrong, message, path in rows if wrong)


def misordered(forms: tuple[Form, ...]) -> Iterator[tuple[str, str]]:
    """Forms that never pass but follow one that may pass: its pass would hide their words."""
    passing = ""
    for form in forms:
        if may_pass(form):
            passing = passing or form.name
        elif passing:
            yield form.name, f"form {form.name}: it never passes, so it stands before {passing}, which may"


def _part_rows(form: Form, part: Part, told: Data) -> Iterator[Row]:
    here: JsonPath = ("read", part.name)
    for key, places in OPTIONS.items():
        misplaced = key in told and part.at not in places
        yield misplaced, f"{key} goes with {' or '.join(at.value for at in places)}", (*here, key)
    yield part.name in RESERVED, f"{part.name} is the name of what is given; call the part otherwise", here
    message = "the first part tells whether the form is there: it is not optional, and no value, row or section"
    yield part is form.lead and (part.optional or part.at in (At.VALUE, *LISTS)), message, here
    elsewhere = part.field is not Field.TEXT and form.media != {Medium.CHECK_RUN}
    yield elsewhere, "only check runs have a title and a summary", (*here, "field")
    yield "pattern" in told and "as" in told, "as and pattern: only one of them", (*here, "as")
    words, spelled = part.leading and part.codec is not Codec.KEY_VALUE, part.codec in (Codec.JSON, Codec.YAML)
    yield words, "words goes with as: key=value", (*here, "words")
    yield part.spelling and not spelled, "spelling goes with as: json and as: yaml", (*here, "spelling")
    own = part.own_spelling and not part.spelling
    yield own, "own_spelling goes with spelling: either", (*here, "own_spelling")
    plain = (part.schema or part.schema_file) and part.codec in (Codec.TEXT, Codec.PATTERN)
    yield plain, "a schema is for json, json-lines, yaml and key=value", here


def _sign_faults(form: Form, part: Part, here: JsonPath) -> Iterator[Wrong]:
    """Faults of a part without a fixed sign: it could be hidden, or found where it is not meant."""
    on_pages = part is form.lead and any(medium in PAGES for medium in form.media)
    if part.at in LINES and part.pattern is None:
        yield Wrong("PG907", f"a {part.at.value} is read by a pattern", here)
    elif part.at in LINES and not all(len(sign) >= SHORTEST_SIGN for sign in part.signs or ("",)):
        message = f"the pattern of a {part.at.value} begins with at least {SHORTEST_SIGN} fixed characters"
        yield Wrong("PG901", message, (*here, "pattern"))
    elif part.at is At.MARKER and len(part.words) < SHORTEST_SIGN:
        yield Wrong("PG907", f"a marker has at least {SHORTEST_SIGN} characters", here)
    elif part.at is At.SAYS and may_pass(form):
        yield Wrong("PG905", "phrases anywhere in a text tell only a form that never passes", here)
    elif part.at is At.FENCE and not part.words:
        message = "a fence is told apart by what it holds: name words that occur only there"
        yield Wrong("PG907", f"{message}, or write marker for an info string of your own", here)
    elif on_pages and part.at is At.FRONT_MATTER and not part.words:
        yield Wrong("PG907", "front matter of a comment is told apart by what it holds", here)
    elif on_pages and part.at is At.WHOLE and part.field is not Field.TITLE and not _told_by_state(form):
        message = "the whole text is read of files, of titles, and of reviews whose state never passes"
        yield Wrong("PG907", message, here)


def _told_by_state(form: Form) -> bool:
    """True if a form depends only on the state of a review and never passes."""
    by_state = any(condition.address.part == REVIEW for condition in form.when)
    return form.media == frozenset({Medium.REVIEW}) and by_state and not may_pass(form)


def _lost(form: Form, address: Address) -> str:
    part = next((part for part in form.parts if part.name == address.part), None)
    if address.part == EACH:
        return "" if form.each is not None else "there is no each"
    if address.part == KEY:
        return "" if form.each is not None and not address.steps else "a key is that of a member of each"
    if address.part in GIVEN:
        known = GIVEN[address.part]
        return "" if len(address.steps) == 1 and address.steps[0] in known else f"it has {', '.join(known)}"
    if part is None:
        return f"there is no part {address.part} (parts: {', '.join(part.name for part in form.parts)})"
    if part.at in LISTS or not address.steps:
        return ""
    if part.codec is Codec.TEXT:
        return f"{part.name} is a plain text"
    groups = part.pattern.groups if part.codec is Codec.PATTERN and part.pattern is not None else None
    if groups is None or (address.steps[1:] == () and address.steps[0] in groups):
        return ""
    return f"the groups of {part.name} are {', '.join(groups) or 'none'}"


def _outcome_rows(form: Form, data: Data) -> Iterator[Row]:
    says = form.outcome
    if says is None:
        yield form.kind is Kind.VERDICT, "outcome is missing: a verdict says something", ()
        return
    booleans = says.true_is is not None and says.false_is is not None
    half = (says.true_is is None) != (says.false_is is None)
    rules = isinstance(data["outcome"], Mapping) and data["outcome"].get("first")
    ways = [says.always is not None, says.values is not None, booleans, bool(rules)]
    named = says.values is not None or booleans
    message = "an outcome is a word; of with map; of with true_is and false_is; or first, with or without otherwise"
    yield sum(ways) != 1 or half or (says.address is not None) != named, message, ("outcome",)
    always = booleans and says.true_is in GOOD and says.false_is in GOOD
    yield always, "it passes whether it says true or false; one of them is a fail", ("outcome",)
    for word, outcome in (says.values or {}).items():
        message = f"{excerpt(word)} says that the work failed, and is mapped to a pass"
        yield outcome in GOOD and means_failure(word), message, ("outcome", "map", word)


def _hollow(form: Form, says: Says) -> str:
    """Why a pass may come from an empty report, or ""."""
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
    """True if a condition holds only if something was done, not because "none" is written somewhere."""
    texts = condition.wanted if condition.test in (Test.EQUALS, Test.IN) else ()
    return _is_positive(condition) and not any(_is_none(text, form) for text in texts if isinstance(text, str))


def _is_none(text: str, form: Form) -> bool:
    """True if a text means nothing: an empty one, 0, or a word for it."""
    plain = text.strip()
    number = int(plain) if plain.isdecimal() else form.numbers.get(plain)
    return number == 0 or plain.lower() in NOTHING


def _is_positive(condition: Condition) -> bool:
    """True if a condition never holds for 0, an empty list or a missing value."""
    test, wanted = condition.test, condition.wanted
    if test in COMPARISONS:
        least = wanted[0] if wanted and not isinstance(wanted[0], str) else -1
        return (test is Test.ABOVE and least >= 0) or (test is Test.AT_LEAST and least > 0)
    if test is Test.EMPTY:
        return wanted == (False,)
    return test is not Test.PRESENT and all(isinstance(value, bool) or bool(value) for value in wanted)
