"""Checking what an agent is given: a context pack or a list of files goes in, every fault with its line comes out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from phasegate.context.pack import BEGIN, END, LOOK_ALIKE, SECTIONS, Section
from phasegate.model.frozen import dataclass
from phasegate.model.problem import Fault, Position
from phasegate.reading.document import Lines, excerpt

HEADINGS = {section.heading: section for section in SECTIONS}
DELIMITERS = (BEGIN, END, *HEADINGS)
NAMES = re.compile(r"PR\s+DIFF|PLAN|CODEBASE|PRIOR\s+FEEDBACK", re.IGNORECASE)

Exists = Callable[[str], bool]


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """A section that was found, and how many bytes it has."""

    section: Section
    line: int
    size: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """What a text is, what is in it, and what is wrong with it."""

    form: str
    sections: tuple[Measured, ...] = ()
    files: tuple[Entry, ...] = ()
    faults: tuple[Fault, ...] = ()


def check(text: str, exists: Exists | None = None) -> Checked:
    """Check a pack or a list; ``exists`` tells whether a file is there, if that is to be checked."""
    lines = text.split("\n")
    if any(line.rstrip("\r") in DELIMITERS for line in lines):
        return check_pack(lines)
    if text.lstrip().startswith(f"<{ROOT}>"):
        return check_list(text, exists)
    return Checked(form="unknown", faults=(_fault("PG801", "neither a context pack nor a list of files", 1),))


def check_list(text: str, exists: Exists | None) -> Checked:
    """Check a list of files; those that are required must be there."""
    listed = read_list(text)
    missing = tuple(
        Fault(code="PG814", message=f"the required file {excerpt(entry.path)} does not exist", position=entry.position)
        for entry in listed.entries
        if exists is not None and entry.required and not exists(entry.path)
    )
    return Checked(form=ROOT, files=listed.entries, faults=(*listed.faults, *missing))


def check_pack(lines: list[str]) -> Checked:
    """Check a pack: its frame, its sections in their order, their budgets, and that nothing in them poses as more."""
    found = tuple(_delimiters(lines))
    sections = tuple(_measured(lines, found))
    faults = (
        *_frame(lines, found),
        *_order(found),
        *_posing(lines),
        *(
            _fault(
                "PG805",
                f"{item.section.name} has {item.size} bytes, {item.size - item.section.limit} more than its budget",
                item.line,
                f"Cut it to {item.section.limit} bytes ({item.section.budget} KB).",
            )
            for item in sections
            if item.size > item.section.limit
        ),
    )
    ordered = sorted(faults, key=lambda fault: fault.position.line)
    return Checked(form="context pack", sections=sections, faults=tuple(ordered))


def _delimiters(lines: list[str]) -> Iterator[tuple[int, str]]:
    """The delimiter lines with their numbers; a heading with another budget counts as that section's."""
    for number, line in enumerate(lines, start=1):
        bare = line.rstrip("\r")
        if bare in DELIMITERS:
            yield number, bare
        elif LOOK_ALIKE.fullmatch(bare) and (section := _named(bare)):
            yield number, section.heading


def _named(line: str) -> Section | None:
    match = NAMES.search(line)
    name = " ".join(match[0].upper().split()) if match else ""
    return next((section for section in SECTIONS if section.name == name), None)


def _frame(lines: list[str], found: tuple[tuple[int, str], ...]) -> Iterator[Fault]:
    """One beginning, one end, and nothing outside."""
    for mark, verb in ((BEGIN, "begin"), (END, "end")):
        numbers = [number for number, line in found if line == mark]
        if not numbers:
            yield _fault("PG802", f"the pack does not {verb} with {mark}", 1 if mark == BEGIN else len(lines))
        for number in numbers[1:]:
            yield _fault("PG802", f"{mark} stands there again (first in line {numbers[0]})", number)
    begin = next((number for number, line in found if line == BEGIN), 1)
    end = next((number for number, line in found if line == END), len(lines))
    first = next((number for number, line in found if line in HEADINGS), end)
    outside = [*range(1, begin), *range(begin + 1, first), *range(end + 1, len(lines) + 1)]
    known = {number for number, _ in found}
    stray = next((number for number in outside if lines[number - 1].strip() and number not in known), None)
    if stray is not None:
        yield _fault("PG802", f"{excerpt(lines[stray - 1])} stands outside every section", stray)


def _order(found: tuple[tuple[int, str], ...]) -> Iterator[Fault]:
    """Every section once, in the order of their priority."""
    first: dict[str, int] = {}
    for number, line in found:
        if line in HEADINGS and line in first:
            message = f"{HEADINGS[line].name} stands there twice (first in line {first[line]})"
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
            message = f"{HEADINGS[heading].name} stands before {HEADINGS[before].name}"
            yield _fault("PG802", message, first[heading])


def _posing(lines: list[str]) -> Iterator[Fault]:
    """What looks like a delimiter and is none."""
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


def _measured(lines: list[str], found: tuple[tuple[int, str], ...]) -> Iterator[Measured]:
    ends = [number for number, _ in found[1:]] + [len(lines) + 1]
    for (number, line), end in zip(found, ends, strict=True):
        if line in HEADINGS:
            size = sum(len(each.encode("utf-8", "replace")) + 1 for each in lines[number : end - 1])
            yield Measured(section=HEADINGS[line], line=number, size=size)


def _fault(code: str, message: str, line: int, hint: str = "", *, column: int = 1) -> Fault:
    return Fault(code=code, message=message, position=Position(line=line, column=column), hint=hint)


ROOT, REQUIRED, OPTIONAL, FILE = "files_to_read", "required", "optional", "file"
INSIDE = {"": (ROOT,), ROOT: (REQUIRED, OPTIONAL), REQUIRED: (FILE,), OPTIONAL: (FILE,), FILE: ()}
LONGEST_PATH = 1024
MOST_FAULTS = 100
ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
ENTITIES = {**{value: key for key, value in ESCAPES.items()}, "&quot;": '"', "&apos;": "'"}
ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos);|&")
TOKEN = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z_]{1,40})>|<|[^<]+")
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
DRIVE = re.compile(r"[A-Za-z]:")


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """A path in the list, and where it stands."""

    path: str
    required: bool
    position: Position


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """A list that was read: its paths and what is wrong with it."""

    entries: tuple[Entry, ...]
    faults: tuple[Fault, ...]


def write_list(required: Iterable[str], optional: Iterable[str]) -> str:
    """The list as an agent gets it."""
    lines = [f"<{ROOT}>"]
    for name, paths in ((REQUIRED, list(required)), (OPTIONAL, list(optional))):
        if paths:
            escaped = ("".join(ESCAPES.get(each, each) for each in path) for path in paths)
            lines += [f"<{name}>", *(f"<{FILE}>{path}</{FILE}>" for path in escaped), f"</{name}>"]
    return "\n".join([*lines, f"</{ROOT}>", ""])


def unusable(path: str) -> str:
    """Why a path does not name a file of the repository; empty if it does."""
    if not path or path != path.strip():
        return "it is empty, or spaces stand around it"
    if len(path) > LONGEST_PATH:
        return f"it is longer than {LONGEST_PATH} characters"
    if UNPRINTABLE.search(path):
        return "it holds a character that does not show"
    if path.startswith(("/", "~")) or "\\" in path or DRIVE.match(path):
        return "it is not a path from the root of the repository, with / between its parts"
    if any(step in ("", ".", "..") for step in path.split("/")):
        return "it climbs, or has an empty part"
    return ""


class _Reader:
    """Goes through a text once; knows which elements are open and what was found."""

    def __init__(self, text: str) -> None:
        self.sheet = Lines.of(text)
        self.open: list[tuple[str, int]] = []
        self.seen: list[tuple[str, int]] = []
        self.path: list[str] = []
        self.entries: dict[str, Entry] = {}
        self.faults: list[Fault] = []

    @property
    def place(self) -> str:
        return self.open[-1][0] if self.open else ""

    def fault(self, code: str, message: str, offset: int, hint: str = "") -> None:
        self.faults.append(Fault(code=code, message=message, position=self.sheet.position(offset), hint=hint))

    def read(self) -> Listed:
        if all(self.takes(token) for token in TOKEN.finditer(self.sheet.text)):
            for name, offset in self.open:
                self.fault("PG811", f"<{name}> is not closed", offset)
            self.sections()
        return Listed(entries=tuple(self.entries.values()), faults=tuple(self.faults))

    def takes(self, token: re.Match[str]) -> bool:
        """Whether the text can be read on behind a token: not where elements do not fit, nor after very many faults."""
        if token["name"]:
            step = self.closes if token["close"] else self.opens
            return step(token["name"], token.start())
        self.words(token[0], token.start())
        return len(self.faults) < MOST_FAULTS

    def words(self, text: str, offset: int) -> None:
        if self.place == FILE:
            self.path.append(text)
            if text == "<":
                self.fault("PG811", "< stands for itself only as &lt;", offset)
        elif text.strip():
            shown = offset + len(text) - len(text.lstrip())
            self.fault("PG811", f"{excerpt(text.strip())} stands outside <{FILE}>", shown)

    def opens(self, name: str, offset: int) -> bool:
        if name not in INSIDE[self.place]:
            where = f"inside <{self.place}>" if self.place else "at the outermost level"
            self.fault("PG811", f"<{name}> may not stand {where}", offset)
            return False
        self.open.append((name, offset))
        self.path = []
        if name != FILE:
            self.seen.append((name, offset))
        return True

    def closes(self, name: str, offset: int) -> bool:
        if name != self.place:
            wanted = f"</{self.place}>" if self.place else "nothing"
            self.fault("PG811", f"</{name}> closes nothing here ({wanted} would)", offset)
            return False
        self.open.pop()
        if name == FILE:
            self.entry(offset)
        return len(self.faults) < MOST_FAULTS

    def entry(self, offset: int) -> None:
        raw = "".join(self.path)
        at = offset - len(raw)
        stray = next((match for match in ENTITY.finditer(raw) if match[0] == "&"), None)
        if stray is not None:
            self.fault("PG811", "& stands for itself only as &amp;", at + stray.start())
        path = ENTITY.sub(lambda match: ENTITIES.get(match[0], match[0]), raw)
        reason = unusable(path)
        if reason:
            self.fault("PG813", f"{excerpt(path)} names no file of the repository: {reason}", at)
        elif path in self.entries:
            self.fault("PG813", f"{excerpt(path)} is listed twice", at, "List each file once.")
        else:
            required = self.place == REQUIRED
            self.entries[path] = Entry(path=path, required=required, position=self.sheet.position(at))

    def sections(self) -> None:
        """Whether there is one list of required files with something in it, before that of optional ones."""
        first: dict[str, int] = {}
        for name, offset in self.seen:
            if first.setdefault(name, offset) != offset:
                self.fault("PG811", f"<{name}> stands there twice", offset)
                break
        if REQUIRED not in first:
            self.fault("PG811", f"<{REQUIRED}> is missing", 0)
        elif OPTIONAL in first and first[OPTIONAL] < first[REQUIRED]:
            self.fault("PG811", f"<{OPTIONAL}> stands before <{REQUIRED}>", first[OPTIONAL])
        elif not self.faults and not any(entry.required for entry in self.entries.values()):
            self.fault("PG811", f"<{REQUIRED}> holds no file", first[REQUIRED])


def read_list(text: str) -> Listed:
    """The paths of a list, and everything that is wrong with it, in the order of the text."""
    listed = _Reader(text).read()
    order = sorted(listed.faults, key=lambda fault: (fault.position.line, fault.position.column))
    return Listed(entries=listed.entries, faults=tuple(order))
