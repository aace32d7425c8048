"""The list of files for in-session agents: paths in, ``<files_to_read>`` out; and such a text taken apart again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from phasegate.model.frozen import dataclass
from phasegate.model.problem import Fault, Position
from phasegate.reading.excerpt import excerpt
from phasegate.reading.markdown.carriers import Sheet

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
    lists = [(REQUIRED, list(required)), (OPTIONAL, list(optional))]
    lines = [line for name, paths in lists if paths for line in _lines(name, paths)]
    return "\n".join([f"<{ROOT}>", *lines, f"</{ROOT}>", ""])


def _lines(name: str, paths: list[str]) -> Iterator[str]:
    yield f"<{name}>"
    yield from (f"<{FILE}>{_escaped(path)}</{FILE}>" for path in paths)
    yield f"</{name}>"


def _escaped(path: str) -> str:
    return "".join(ESCAPES.get(character, character) for character in path)


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
        self.sheet = Sheet.of(text)
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
                self.fault("PG812", f"<{name}> stands there twice", offset)
                break
        if REQUIRED not in first:
            self.fault("PG812", f"<{REQUIRED}> is missing", 0)
        elif OPTIONAL in first and first[OPTIONAL] < first[REQUIRED]:
            self.fault("PG812", f"<{OPTIONAL}> stands before <{REQUIRED}>", first[OPTIONAL])
        elif not self.faults and not any(entry.required for entry in self.entries.values()):
            self.fault("PG812", f"<{REQUIRED}> holds no file", first[REQUIRED])


def read_list(text: str) -> Listed:
    """The paths of a list, and everything that is wrong with it, in the order of the text."""
    listed = _Reader(text).read()
    order = sorted(listed.faults, key=lambda fault: (fault.position.line, fault.position.column))
    return Listed(entries=listed.entries, faults=tuple(order))
