"""Wildcards in paths: those of ignore files as git reads them, and the simpler ones by which a policy chooses files.

Also the templates of paths by which formats say where their files stand.

A pattern is followed through a path by all the places it may have reached at once, so that none takes long.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache, partial
from itertools import groupby
from typing import TYPE_CHECKING

from phasegate.model.frozen import dataclass, late
from phasegate.model.plan import INSTRUCTION_FILES, Evidence

if TYPE_CHECKING:
    from phasegate.model.texts import IgnoreRule

Places = frozenset[int]
Step = Callable[[str, Places], Places]
NOWHERE: Places = frozenset()
_CLASSES = {
    "alnum": r"[A-Za-z0-9]",
    "alpha": r"[A-Za-z]",
    "blank": r"[ \t]",
    "cntrl": r"[\x00-\x1f\x7f]",
    "digit": r"[0-9]",
    "graph": r"[!-~]",
    "lower": r"[a-z]",
    "print": r"[ -~]",
    "punct": r"[!-/:-@\[-`{-~]",
    "space": r"[ \t-\r]",
    "upper": r"[A-Z]",
    "xdigit": r"[A-Fa-f0-9]",
}
_WILD = late(r"[*?]")
_STARS = late(r"\*+")
_PLAIN = late(r"[^*?\[\\]*")
_SPECIAL = late(r"[\[\\]")
_ACROSS = "**"


@dataclass(frozen=True, kw_only=True, slots=True)
class Pattern:
    """A pattern, taken apart, and how many characters it needs at least."""

    steps: tuple[Step, ...]
    least: int

    def fits(self, path: str) -> bool:
        """Whether it is the pattern of this path, whole."""
        return len(path) in self._reached(path)

    def fits_around(self, path: str) -> bool:
        """Whether it is the pattern of this path, or of a folder that the path is in."""
        return any(path[at : at + 1] in {"", "/"} for at in self._reached(path))

    def fits_above(self, path: str) -> bool:
        """Whether it is the pattern of a folder that the path is in, and not of the path itself."""
        return any(path[at : at + 1] == "/" for at in self._reached(path))

    def _reached(self, path: str) -> Places:
        """Where the pattern may end in a path."""
        if len(path) < self.least:
            return NOWHERE
        places: Places = frozenset({0})
        for step in self.steps:
            places = step(path, places)
            if not places:
                break
        return places


def compiled(pattern: str) -> Pattern:
    """A pattern taken apart; one that git cannot read fits nothing."""
    parts = [part for part, again in groupby(_parts(pattern)) for part in _once(part, again)]
    return Pattern(steps=tuple(_steps(parts)), least=sum(part not in _STRETCHING for part in parts))


def _once(part: str | Step, again: Iterable[str | Step]) -> Iterable[str | Step]:
    """Parts that repeat; of those that stretch one is enough."""
    return (part,) if part in _STRETCHING else again


def _steps(parts: Iterable[str | Step]) -> Iterator[Step]:
    """The steps through a path: plain letters at once, and what may stand anywhere is looked for, not tried."""
    before: Step | None = None
    for piece in _joined(parts):
        if isinstance(piece, str):
            seeks = None if before is None else _SEEKING.get(before)
            if before is not None and seeks is None:
                yield before
            yield partial(seeks or _literal, piece)
            before = None
        elif before is _folders and piece is _within_a_name:
            before = _anything
        else:
            if before is not None:
                yield before
            before = piece
    if before is not None:
        yield before


def _joined(parts: Iterable[str | Step]) -> Iterator[str | Step]:
    for plain, some in groupby(parts, key=lambda part: isinstance(part, str)):
        if plain:
            yield "".join(part for part in some if isinstance(part, str))
        else:
            yield from some


def _parts(pattern: str) -> Iterator[str | Step]:
    """The letters and wildcards of a pattern."""
    plain = _PLAIN.match(pattern)
    position = plain.end() if plain else 0
    yield from pattern[:position]
    begin = position
    while position < len(pattern):
        here = pattern[position]
        part: str | Step
        if here == "*":
            part, position = _stars(pattern, position, begin)
        elif here == "[":
            part, position = _bracket(pattern, position)
        elif here == "\\":
            part, position = pattern[position + 1 : position + 2] or _nothing, position + 2
        else:
            part, position = (_within_a_folder if here == "?" else here), position + 1
        yield part


def _stars(pattern: str, begin: int, first: int) -> tuple[Step, int]:
    """One star or more: across folders only two that stand alone between slashes.

    ``first`` is where the plain text ends: git looks only behind it, so what begins there passes for standing alone.
    """
    match = _STARS.match(pattern, begin)
    end = match.end() if match else begin
    rest = pattern[end:]
    alone = (begin == first or pattern[begin - 1] == "/") and (not rest or rest.startswith(("/", "\\/")))
    if end - begin == 1 or not alone:
        return _within_a_name, end
    return (_folders, end + 1) if rest.startswith("/") else (_anything, end)


def _one(fits: Callable[[str], bool]) -> Step:
    """One character."""
    return lambda path, places: frozenset(at + 1 for at in places if at < len(path) and fits(path[at]))


def _literal(wanted: str, path: str, places: Places) -> Places:
    return frozenset(at + len(wanted) for at in places if path.startswith(wanted, at))


def _is(wanted: str) -> Callable[[str], bool]:
    return lambda found: found == wanted


_within_a_folder = _one(lambda found: found != "/")


def _nothing(path: str, places: Places) -> Places:
    del path, places
    return NOWHERE


def _within_a_name(path: str, places: Places) -> Places:
    reached = set(places)
    for at in range(min(places), len(path)):
        if at in reached and path[at] != "/":
            reached.add(at + 1)
    return frozenset(reached)


def _anything(path: str, places: Places) -> Places:
    return frozenset(range(min(places), len(path) + 1))


def _folders(path: str, places: Places) -> Places:
    """Any number of folders with their slashes, or none."""
    return places | {at + 1 for at in range(min(places), len(path)) if path[at] == "/"}


def _somewhere(wanted: str, path: str, places: Places) -> Places:
    """Letters behind anything."""
    return frozenset(at + len(wanted) for at in _found(wanted, path, min(places)))


def _below(wanted: str, path: str, places: Places) -> Places:
    """Letters behind any number of folders, or none."""
    below = _found(f"/{wanted}", path, min(places))
    return _literal(wanted, path, places) | {at + 1 + len(wanted) for at in below}


def _found(wanted: str, path: str, begin: int) -> Iterator[int]:
    """Every place where letters stand."""
    at = path.find(wanted, begin)
    while at >= 0:
        yield at
        at = path.find(wanted, at + 1)


_STRETCHING = (_within_a_name, _anything, _folders)
_SEEKING: dict[Step, Callable[[str, str, Places], Places]] = {_anything: _somewhere, _folders: _below}


def _bracket(pattern: str, begin: int) -> tuple[Step, int]:
    """One of several characters, or none of them."""
    at = begin + 1
    negated = pattern[at : at + 1] in ("!", "^")
    at += negated
    tests: list[Callable[[str], bool]] = []
    first = True
    while first or pattern[at : at + 1] != "]":
        found = _member(pattern, at)
        if found is None:
            return _nothing, len(pattern)
        test, at = found
        tests.append(test)
        first = False
    return _one(lambda found: found != "/" and any(test(found) for test in tests) != negated), at + 1


def _member(pattern: str, at: int) -> tuple[Callable[[str], bool], int] | None:
    """One member of a bracket, and where the next begins; none where the bracket does not end."""
    if pattern.startswith("[:", at):
        close = pattern.find("]", at + 2)
        if close < 0:
            return None
        if pattern[close - 1] == ":" and close - 1 >= at + 2:
            form = _CLASSES.get(pattern[at + 2 : close - 1])
            return None if form is None else (lambda found: re.fullmatch(form, found) is not None, close + 1)
    low, at = _character(pattern, at)
    if not low:
        return None
    if pattern[at : at + 1] == "-" and pattern[at + 1 : at + 2] not in ("", "]"):
        high, at = _character(pattern, at + 1)
        return (lambda found: low <= found <= high, at) if high else None
    return _is(low), at


def _character(pattern: str, at: int) -> tuple[str, int]:
    """A character of a bracket, which may be escaped; an empty text where the pattern ends."""
    if pattern[at : at + 1] == "\\":
        at += 1
    return pattern[at : at + 1], at + 1


def any_among(paths: Iterable[str], patterns: Iterable[str]) -> bool:
    """Whether one of the paths is matched by one of the patterns.

    A pattern without a slash matches at any depth, and a folder stands for all that is in it.
    """
    known = [_chosen(pattern) for pattern in patterns]
    return any(pattern.fits_around(path) for path in paths for pattern in known)


def is_covered(path: str, patterns: Iterable[str]) -> bool:
    """Whether a path surely is what one of the patterns means, where that asks for less.

    ``docs/**`` is what is below that folder, not something else of its name; ``*.md`` and ``notes.md`` are no folders.
    """
    return any(_covers(pattern, path) for pattern in patterns)


def _covers(pattern: str, path: str) -> bool:
    folder, _, last = pattern.rpartition("/")
    if last in {"", _ACROSS}:
        everything = not folder.strip("/*")
        return everything or _chosen(pattern).fits_above(path)
    of_a_file = _WILD.search(last) is not None or "." in last[1:]
    return _chosen(pattern).fits(path) if of_a_file else _chosen(pattern).fits_around(path)


@lru_cache(maxsize=256)
def _chosen(pattern: str) -> Pattern:
    """A pattern as people write it to choose files; brackets and backslashes are plain letters in it."""
    rooted = "/" in pattern.rstrip("/")
    names = [_name(name) for name in pattern.removeprefix("./").strip("/").split("/")]
    while len(names) > 1 and names[-1] == _ACROSS:
        names.pop()
    return compiled("/".join(names if rooted else [_ACROSS, *names]))


def _name(pattern: str) -> str:
    """One step of a path: two stars mean more than one only where they are all of it."""
    return pattern if pattern == _ACROSS else _SPECIAL.sub(r"\\\g<0>", _STARS.sub("*", pattern))


BYTE_ORDER_MARK = "\ufeff"
MOST_LINES = 2000
LONGEST_LINE = 200
_KEPT = late(r"\\.|[^ ]", re.DOTALL)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Line:
    """One pattern of an ignore file: with a slash in it it is about a whole path, else about any name."""

    number: int
    pattern: str
    negated: bool
    only_folders: bool
    anchored: bool
    wildcards: Pattern


def ignored_by(text: str, paths: Iterable[str]) -> IgnoreRule | None:
    """The line of the root's ignore file that keeps these files out, if it lets none of them in."""
    last = cache(partial(_last, _lines(text)))
    found = [_deciding(last, path) for path in paths]
    if not found or found[0] is None or None in found:
        return None
    # who only has patterns needs no snapshots
    from phasegate.model.snapshot import IGNORE_FILE  # noqa: PLC0415
    from phasegate.model.texts import IgnoreRule  # noqa: PLC0415

    return IgnoreRule(path=IGNORE_FILE, line=found[0].number, pattern=found[0].pattern)


def _lines(text: str) -> list[_Line]:
    """The patterns, the last first. Lines that nobody writes by hand are passed over, to stay quick."""
    every = enumerate(text.removeprefix(BYTE_ORDER_MARK).split("\n")[:MOST_LINES], start=1)
    told = ((number, _trimmed(line)) for number, line in every if line[:1] != "#" and len(line) <= LONGEST_LINE)
    return [_line(number, pattern) for number, pattern in told if pattern][::-1]


def _trimmed(line: str) -> str:
    """A line without its end, and without spaces there unless they are escaped."""
    line = line.removesuffix("\r")
    return line[: max((match.end() for match in _KEPT.finditer(line)), default=0)]


def _line(number: int, pattern: str) -> _Line:
    bare = pattern.removeprefix("!").removesuffix("/")
    return _Line(
        number=number,
        pattern=pattern,
        negated=pattern.startswith("!"),
        only_folders=pattern.endswith("/"),
        anchored="/" in bare,
        wildcards=compiled(bare.removeprefix("/")),
    )


def _deciding(last: Callable[[str], _Line | None], path: str) -> _Line | None:
    """The line that ignores a file, or a folder above it: what is in an ignored folder cannot be taken back."""
    folders = [path[: slash.end()] for slash in re.finditer("/", path)]
    found = (last(each) for each in (*folders, path))
    return next((line for line in found if line is not None and not line.negated), None)


def _last(lines: list[_Line], path: str) -> _Line | None:
    """The last line that fits a path; that of a folder ends with a slash."""
    whole = path.removesuffix("/")
    name = whole.rpartition("/")[2]
    about = (line for line in lines if whole != path or not line.only_folders)
    return next((line for line in about if line.wildcards.fits(whole if line.anchored else name)), None)


FOLDER, NAME = "{folder}", "{name}"
ENDINGS = (".json", ".jsonl", ".yml", ".yaml", ".md", ".txt")
# What agents and workflows take orders from beside the files that are known as instructions.
ORDERS = (
    *(".github/", ".git/", ".gitlab/", ".gitlab-ci.yml", ".circleci/", ".buildkite/", ".travis.yml"),
    *(".husky/", ".pre-commit-config.yaml", ".devcontainer/", ".vscode/", ".mcp.json"),
    *("copilot-instructions.md", "AGENT.md", "SKILL.md"),
)

_SEGMENT = late(r"[A-Za-z0-9._-]{1,100}", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class Variables:
    """What stands at the variable places of a path."""

    folder: str | None = None
    name: str | None = None


def read_path(template: str, *, evidence: bool) -> Evidence | str:
    """The shape of a path template, or why it is none that may be described."""
    *folders, last = template.split("/")
    variable = bool(folders) and folders[-1] == FOLDER
    root = folders[:-1] if variable else folders
    literal = last.removeprefix(NAME)
    if not all(_SEGMENT.fullmatch(part) and part not in (".", "..") for part in (*root, literal)):
        return "a path is a literal root, at most one {folder}, and {name} with a literal ending or a literal name"
    if not root and (variable or literal != last):
        return "a path with a variable part has a literal root"
    if not literal.endswith(ENDINGS):
        return f"a file that is read ends in one of {', '.join(ENDINGS)}"
    if not (root and root[0].startswith(".")) and not evidence:
        return "outside of dot-folders a file is read only with evidence: true"
    names = (literal,) if literal == last else ()
    shape = Evidence(
        root="/".join(root), folders=variable, names=names, ending="" if names else literal, remembered=names
    )
    orders = reached(shape, (*INSTRUCTION_FILES, *ORDERS))
    return shape if orders is None else f"it may cover {orders}, which agents or workflows take orders from"


def reached(shape: Evidence, patterns: Iterable[str]) -> str | None:
    """The first of some patterns that a file of this shape may have, compared without case."""
    return next((each for each in patterns if any_among(_likely(shape, each.lower()), (each.lower(),))), None)


def _likely(shape: Evidence, pattern: str) -> Iterator[str]:
    """The paths of a shape that come nearest to a pattern, in small letters."""
    steps = [_STARS.sub("x", step).replace("?", "x") for step in pattern.strip("/").split("/")]
    ending = shape.ending.lower()
    bare = ["x", *(step for step in steps if not step.startswith("."))]
    told = [f"x{ending}", *(step for step in bare if step.endswith(ending))]
    for folder in (step for step in bare if "." not in step) if shape.folders else [""]:
        for name in [each.lower() for each in shape.names] or told:
            yield "/".join(step for step in (shape.root.lower(), folder, name) if step)


def variables(shape: Evidence, path: str) -> Variables:
    """What stands at the variable places of a path that has this shape."""
    folder, _, name = path.rpartition("/")
    return Variables(
        folder=folder.rpartition("/")[2] if shape.folders else None,
        name=None if shape.names else name.removesuffix(shape.ending),
    )


def ends_like(shape: Evidence, path: str) -> bool:
    """Whether a local path ends as such files do, whatever stands before their root."""
    parts = path.replace("\\", "/").split("/")
    length = shape.root.count("/") + bool(shape.root) + shape.folders + 1
    return shape.holds("/".join(parts[-length:]))
