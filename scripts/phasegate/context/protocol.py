"""What agents are given to read, in two forms of plain text, each of them written and checked: pure.

A context pack: contents go in, the text with its four budgeted sections comes out. Budgets are hard caps in bytes;
under a smaller total the pack is cut from the bottom up, so that the diff is cut last. No content can begin or end a
section: what looks like a delimiter of the pack is rewritten. A list of files: what must be read, and what may be.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice

from phasegate.model.frozen import dataclass
from phasegate.model.problem import Fault, Position
from phasegate.model.report import NeedKind, NeedState, Report, SignalReport
from phasegate.model.signal import Place, Validity
from phasegate.model.snapshot import Snapshot
from phasegate.reading.document import Lines, excerpt

KB = 1024
BEGIN, END = "=== CONTEXT PACK ===", "=== END CONTEXT PACK ==="
# What a section that is cut to nothing still needs to say so.
NOTICE_ROOM = 64

# Everything that a reader could take for a delimiter, wherever in a line it stands.
_GAP, _SPACE = r"[^\S\n]{0,8}", r"[^\S\n]{1,8}"
_NAMES = rf"PR{_SPACE}DIFF|PLAN|CODEBASE|PRIOR{_SPACE}FEEDBACK"
LOOK_ALIKE = re.compile(
    rf"[=\u2550\uff1d]{{3}}{_GAP}(?:END{_SPACE})?CONTEXT{_SPACE}PACK{_GAP}[=\u2550\uff1d]{{3}}"
    rf"|[-\u2010-\u2015\u2212\uff0d]{{3}}{_GAP}({_NAMES}){_GAP}(?:\([^()\n]{{0,20}}\))?{_GAP}"
    r"[-\u2010-\u2015\u2212\uff0d]{3}",
    re.IGNORECASE,
)
HARMLESS = "~~~"
FINDING = ("id", "severity", "summary", "location", "root_cause", "fix_hint")  # what a verdict says of one, in order
_UNPRINTABLE = re.compile("\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_REPLACEMENT = "\ufffd"


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """A section of the pack: its content, its name and its budget in KB."""

    content: str
    name: str
    budget: int

    @property
    def heading(self) -> str:
        """The line that begins the section."""
        return f"--- {self.name} (max {self.budget}KB) ---"

    @property
    def limit(self) -> int:
        """The maximum number of bytes between its heading and the next delimiter."""
        return self.budget * KB


SECTIONS = (
    Section(content="diff", name="PR DIFF", budget=50),
    Section(content="plan", name="PLAN", budget=10),
    Section(content="codebase", name="CODEBASE", budget=20),
    Section(content="feedback", name="PRIOR FEEDBACK", budget=5),
)
HEADINGS = {section.heading: section for section in SECTIONS}
DELIMITERS = (BEGIN, END, *HEADINGS)


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """A section as it stands in the pack. ``whole`` is its full size in bytes, ``rewritten`` its changed delimiters."""

    section: Section
    text: str
    whole: int
    rewritten: int

    @property
    def size(self) -> int:
        """The number of bytes between its heading and the next delimiter."""
        return len(self.text.encode())

    @property
    def cut(self) -> bool:
        """True if something was left out."""
        return self.size != self.whole


@dataclass(frozen=True, kw_only=True, slots=True)
class Pack:
    """The whole pack."""

    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The pack as an agent gets it."""
        sections = "".join(f"{part.section.heading}\n{part.text}" for part in self.parts)
        return f"{BEGIN}\n{sections}{END}\n"


def build_pack(contents: Mapping[str, str], total: int | None = None) -> Pack:
    """The pack of some contents, within the budgets and an optional total number of bytes."""
    sound = [made_harmless(contents.get(section.content, "")) for section in SECTIONS]
    sizes = [len(text.encode()) for text, _ in sound]
    allowed = [min(size, section.limit) for size, section in zip(sizes, SECTIONS, strict=True)]
    frame = len(Pack(parts=()).text) + sum(len(section.heading) + 1 for section in SECTIONS)
    over = 0 if total is None else max(0, frame + sum(allowed) - total)
    for index in reversed(range(len(allowed))):  # what is too much for the total is taken from the last ones first
        taken = min(over, max(0, allowed[index] - NOTICE_ROOM))
        allowed[index] -= taken
        over -= taken
    parts = (
        Part(section=section, text=fitted(text, limit), whole=size, rewritten=rewritten)
        for section, (text, rewritten), limit, size in zip(SECTIONS, sound, allowed, sizes, strict=True)
    )
    return Pack(parts=tuple(parts))


def made_harmless(text: str) -> tuple[str, int]:
    """The text in whole lines with delimiters rewritten, and the number of delimiters."""
    printable = _UNPRINTABLE.sub(_REPLACEMENT, text)
    harmless, rewritten = LOOK_ALIKE.subn(lambda match: f"{HARMLESS}{match[0][3:-3]}{HARMLESS}", printable)
    ended = harmless if harmless.endswith("\n") or not harmless else f"{harmless}\n"
    return ended, rewritten


def fitted(text: str, limit: int) -> str:
    """The text cut to a number of bytes, with a last line that says so. Short lines are kept whole.

    No character is cut in two.
    """
    whole = text.encode()
    if len(whole) <= limit:
        return text
    room = limit - len(_notice(len(whole), len(whole))) - 1
    head = whole[: max(room, 0)].decode(errors="ignore")
    lines = head[: head.rfind("\n") + 1]
    kept = lines if len(lines) * 2 >= len(head) else f"{head}\n"
    return kept + _notice(len(kept.encode()), len(whole))


def _notice(shown: int, whole: int) -> str:
    return f"[cut here: {shown} of {whole} bytes shown]\n"


# ---- checking a pack

Exists = Callable[[str], bool]


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """A section that was found, with its size in bytes."""

    section: Section
    line: int
    size: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A path in a list of files, and its place."""

    path: str
    required: bool
    position: Position


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """The kind of a text, its content, and what is wrong with it."""

    form: str
    sections: tuple[Measured, ...] = ()
    files: tuple[Entry, ...] = ()
    faults: tuple[Fault, ...] = ()


def check(text: str, exists: Exists | None = None) -> Checked:
    """Checks a pack or a list. ``exists`` tells whether a file is there, if that is checked."""
    lines = text.split("\n")
    if any(line.rstrip("\r") in DELIMITERS for line in lines):
        return check_pack(lines)
    if text.lstrip().startswith(f"<{ROOT}>"):
        return read_list(text, exists)
    return Checked(form="unknown", faults=(_fault("PG801", "neither a context pack nor a list of files", 1),))


def check_pack(lines: list[str]) -> Checked:
    """Checks a pack: its frame, the order of its sections, their budgets, and that nothing looks like a delimiter."""
    found: list[tuple[int, str]] = []  # the delimiters; a heading with another budget counts as that section's
    for number, line in enumerate(lines, start=1):
        bare = line.rstrip("\r")
        if bare in DELIMITERS:
            found.append((number, bare))
        elif LOOK_ALIKE.fullmatch(bare) and (section := _named(bare)):
            found.append((number, section.heading))
    sections: list[Measured] = []
    for (number, line), end in zip(found, [*(number for number, _ in found[1:]), len(lines) + 1], strict=True):
        if line in HEADINGS:
            size = sum(len(each.encode("utf-8", "replace")) + 1 for each in lines[number : end - 1])
            sections.append(Measured(section=HEADINGS[line], line=number, size=size))
    faults = [*_frame(lines, found), *_order(found), *_posing(lines)]
    for item in sections:
        limit = item.section.limit
        if item.size > limit:
            message = f"{item.section.name} has {item.size} bytes, {item.size - limit} more than its budget"
            faults.append(_fault("PG805", message, item.line, f"Cut it to {limit} bytes ({item.section.budget} KB)."))
    ordered = sorted(faults, key=lambda fault: fault.position.line)
    return Checked(form="context pack", sections=tuple(sections), faults=tuple(ordered))


def _named(line: str) -> Section | None:
    """The section named in a line that looks like a delimiter."""
    match = LOOK_ALIKE.search(line)
    name = " ".join(match[1].upper().split()) if match and match[1] else ""
    return next((section for section in SECTIONS if section.name == name), None)


def _frame(lines: list[str], found: list[tuple[int, str]]) -> Iterator[Fault]:
    """Faults of the frame: one beginning, one end, and nothing outside."""
    for mark, verb in ((BEGIN, "begin"), (END, "end")):
        numbers = [number for number, line in found if line == mark]
        if not numbers:
            yield _fault("PG802", f"the pack does not {verb} with {mark}", 1 if mark == BEGIN else len(lines))
        for number in numbers[1:]:
            yield _fault("PG802", f"{mark} appears again (first in line {numbers[0]})", number)
    begin = next((number for number, line in found if line == BEGIN), 1)
    end = next((number for number, line in found if line == END), len(lines))
    first = next((number for number, line in found if line in HEADINGS), end)
    outside = [*range(1, begin), *range(begin + 1, first), *range(end + 1, len(lines) + 1)]
    known = {number for number, _ in found}
    stray = next((number for number in outside if lines[number - 1].strip() and number not in known), None)
    if stray is not None:
        yield _fault("PG802", f"{excerpt(lines[stray - 1])} is outside every section", stray)


def _order(found: list[tuple[int, str]]) -> Iterator[Fault]:
    """Faults of the order: every section once, by priority."""
    first: dict[str, int] = {}
    for number, line in found:
        if line in HEADINGS and line in first:
            message = f"{HEADINGS[line].name} appears twice (first in line {first[line]})"
            hint = "Keep one; the other may come from a content that posed as a section."
            yield _fault("PG802", message, number, hint)
        elif line in HEADINGS:
            first[line] = number
    last = max((number for number, _ in found), default=1)
    for section in SECTIONS:
        if section.heading not in first:
            yield _fault("PG802", f"the section {section.name} is missing", last, f"Add the line {section.heading}.")
    wanted = [section.heading for section in SECTIONS if section.heading in first]
    for heading, before in zip(wanted[1:], wanted, strict=False):
        if first[heading] < first[before]:
            message = f"{HEADINGS[heading].name} comes before {HEADINGS[before].name}"
            yield _fault("PG802", message, first[heading])


def _posing(lines: list[str]) -> Iterator[Fault]:
    for number, line in enumerate(lines, start=1):
        match = LOOK_ALIKE.search(line)
        if match is None or line.rstrip("\r") in DELIMITERS:
            continue
        section = _named(line)
        if section and match[0] == line.rstrip("\r"):
            message = f"{excerpt(line)} is not the heading of {section.name}"
            yield _fault("PG804", message, number, f"Write {section.heading}, or break the line up if it is content.")
        else:
            message = f"{excerpt(match[0])} inside a line looks like a delimiter of the pack"
            yield _fault("PG804", message, number, column=match.start() + 1)


def _fault(code: str, message: str, line: int, hint: str = "", *, column: int = 1) -> Fault:
    return Fault(code=code, message=message, position=Position(line=line, column=column), hint=hint)


# ---- a list of files

ROOT, REQUIRED, OPTIONAL, FILE = "files_to_read", "required", "optional", "file"
INSIDE = {"": (ROOT,), ROOT: (REQUIRED, OPTIONAL), REQUIRED: (FILE,), OPTIONAL: (FILE,)}
LONGEST_PATH = 1024
MOST_FAULTS = 100
ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
ENTITIES = {**{value: key for key, value in ESCAPES.items()}, "&quot;": '"', "&apos;": "'"}
ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos);|&")
TOKEN = re.compile(
    rf"<{FILE}>(?P<path>[^<]*)(?P<end></{FILE}>)?|<(?P<close>/?)(?P<name>[A-Za-z_]{{1,40}})>|(?P<words><|[^<]+)"
)
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
DRIVE = re.compile(r"[A-Za-z]:")


def write_list(required: Iterable[str], optional: Iterable[str]) -> str:
    """The list as an agent gets it."""
    lines = [f"<{ROOT}>"]
    for name, paths in ((REQUIRED, list(required)), (OPTIONAL, list(optional))):
        if paths:
            escaped = ("".join(ESCAPES.get(each, each) for each in path) for path in paths)
            lines += [f"<{name}>", *(f"<{FILE}>{path}</{FILE}>" for path in escaped), f"</{name}>"]
    return "\n".join([*lines, f"</{ROOT}>", ""])


def unusable(path: str) -> str:
    """Why a path does not name a file of the repository, or ""."""
    if not path or path != path.strip():
        return "it is empty or surrounded by spaces"
    if len(path) > LONGEST_PATH:
        return f"it is longer than {LONGEST_PATH} characters"
    if UNPRINTABLE.search(path):
        return "it holds a character that does not show"
    if path.startswith(("/", "~")) or "\\" in path or DRIVE.match(path):
        return "it is not a path from the root of the repository, with / between its parts"
    if any(step in ("", ".", "..") for step in path.split("/")):
        return "it climbs, or has an empty part"
    return ""


Files = dict[str, tuple[bool, int]]  # the paths of a list: whether it is required, and where in the text it is
Told = tuple[str, str, int]  # a fault of a list: its code, its message and where in the text it is


def read_list(text: str, exists: Exists | None = None) -> Checked:
    """The paths of a list and everything wrong with it, in the order of the text."""
    sheet, files = Lines.of(text), Files()
    faults = [
        Fault(code=code, message=message, position=sheet.position(at))
        for code, message, at in sorted(islice(_list_faults(text, files), MOST_FAULTS), key=lambda told: told[2])
    ]
    entries = [Entry(path=path, required=needed, position=sheet.position(at)) for path, (needed, at) in files.items()]
    for entry in entries:
        if exists is not None and entry.required and not exists(entry.path):
            message = f"the required file {excerpt(entry.path)} does not exist"
            faults.append(Fault(code="PG814", message=message, position=entry.position))
    return Checked(form=ROOT, files=tuple(entries), faults=tuple(faults))


def _list_faults(text: str, files: Files) -> Iterator[Told]:
    """Faults of a list, up to the first element out of place. Notes the files that it names."""
    opened: list[tuple[str, int]] = []  # the elements around, each with its offset
    seen: list[tuple[str, int]] = []
    empty = True
    for token in TOKEN.finditer(text):
        place, name, at = opened[-1][0] if opened else "", token["name"] or FILE, token.start()
        if words := token["words"]:
            if words.strip():
                empty = False
                shown = at + len(words) - len(words.lstrip())
                yield "PG811", f"{excerpt(words.strip())} is outside <{FILE}>", shown
        elif token["close"] and name == place:
            opened.pop()
        elif token["close"]:
            wanted = f"</{place}>" if place else "nothing"
            yield "PG811", f"</{name}> closes nothing here ({wanted} would)", at
            return
        elif name not in INSIDE[place]:
            where = f"inside <{place}>" if place else "at the outermost level"
            yield "PG811", f"<{name}> may not appear {where}", at
            return
        elif token["name"]:
            opened.append((name, at))
            seen.append((name, at))
        elif token["end"]:
            empty = empty and place != REQUIRED
            yield from _file(token["path"], token.start("path"), files, required=place == REQUIRED)
        else:
            yield "PG811", f"<{FILE}> is not closed before this; write < as &lt;", token.end()
            return
    yield from (("PG811", f"<{name}> is not closed", at) for name, at in opened)
    yield from _parts(seen, empty=empty)


def _file(raw: str, at: int, files: Files, *, required: bool) -> Iterator[Told]:
    stray = next((match for match in ENTITY.finditer(raw) if match[0] == "&"), None)
    if stray is not None:
        yield "PG811", "write & as &amp;", at + stray.start()
    path = ENTITY.sub(lambda match: ENTITIES.get(match[0], match[0]), raw)
    reason = unusable(path)
    if reason:
        yield "PG813", f"{excerpt(path)} names no file of the repository: {reason}", at
    elif path in files:
        yield "PG813", f"{excerpt(path)} is listed twice", at
    else:
        files[path] = (required, at)


def _parts(seen: list[tuple[str, int]], *, empty: bool) -> Iterator[Told]:
    """The fault unless one non-empty list of required files comes before the list of optional ones."""
    first = dict(reversed(seen))
    twice = next(((name, at) for name, at in seen if first[name] != at), None)
    if twice is not None:
        yield "PG811", f"<{twice[0]}> appears twice", twice[1]
    if REQUIRED not in first:
        yield "PG811", f"<{REQUIRED}> is missing", 0
    elif OPTIONAL in first and first[OPTIONAL] < first[REQUIRED]:
        yield "PG811", f"<{OPTIONAL}> comes before <{REQUIRED}>", first[OPTIONAL]
    elif empty:
        yield "PG811", f"<{REQUIRED}> holds no file", first[REQUIRED]


# ---- what a pack takes from a decided pull request


def plan_of(report: Report, snapshot: Snapshot, compact: Callable[[str], str]) -> str:
    """The plan that counts, in its compact form if ``compact`` finds one in the comment; one for each issue."""
    by_id = {item.id: item for item in report.signals}
    needs = [need for phase in report.phases for need in phase.needs if need.kind is NeedKind.PLAN]
    texts: dict[str, str] = {}
    for need in needs:
        if need.signal and need.state is NeedState.MET:
            source = by_id[need.signal].vote.signal.source
            issues = (issue for issue in snapshot.own_issues if issue.number == source.issue)
            comments = (comment for issue in issues for comment in issue.comments)
            said = next((comment.text for comment in comments if comment.id == source.number), "")  # as it is now
            texts[need.name] = compact(said)
    if len(texts) == 1:
        return next(iter(texts.values()))
    return "\n".join(f"[plan of {name}]\n{text}" for name, text in texts.items())


def feedback_of(report: Report) -> str:
    """The compact code verdicts of the previous round, one per line; "" in the first round."""
    by_id = {item.id: item for item in report.signals}
    counted: list[SignalReport] = []
    for phase in report.phases:
        if phase.where is Place.PULL_REQUEST:
            now = next((index for index, item in enumerate(phase.rounds) if item.current), len(phase.rounds))
            earlier = [item for item in phase.rounds[:now] if item.votes]
            counted += [by_id[vote.signal] for item in earlier[-1:] for vote in item.votes if vote.signal in by_id]
    return "".join(f"{_compact(item)}\n" for item in counted if item.vote.validity is Validity.VALID)


def _compact(item: SignalReport) -> str:
    """A verdict in the signal format, on one line."""
    signal = item.vote.signal
    told = {
        "role": item.vote.role,
        "verdict": None if signal.outcome is None else signal.outcome.value,
        "commit": item.vote.commit,
        "issues": [
            {name: value for name in FINDING if (value := getattr(finding, name))} for finding in signal.findings
        ],
        "must_fix": list(signal.must_fix or ()),
        "false_positives": list(signal.false_positives),
    }
    kept = {key: value for key, value in told.items() if value or key == "issues"}
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))
