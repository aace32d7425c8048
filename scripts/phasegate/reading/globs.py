"""Wildcards in paths (``*``, ``?``, ``**``), and the path templates of formats.

A pattern becomes a regular expression that is searched in ``/path/``. Text between two wildcards is matched at its
first occurrence and never searched again, so no path takes long.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import count, groupby
from typing import TYPE_CHECKING, TypeAlias

from phasegate.model.frozen import late
from phasegate.model.plan import INSTRUCTION_FILES, Evidence

if TYPE_CHECKING:
    from phasegate.model.texts import IgnoreRule

_STARS, _WILD = late(r"\*+"), late(r"[*?/]+")
_ACROSS = "**"
# The rest after a match and its slash: anything (the path or a folder above it), nothing, or something.
AROUND, WHOLE, BELOW = "", r"\Z", r"(?!\Z)"
Ended: TypeAlias = "tuple[str, str]"  # a pattern, and one of these


@lru_cache(maxsize=256)
def _compiled(patterns: tuple[Ended, ...]) -> re.Pattern[str]:
    """A regular expression for some patterns, on a path between slashes. One with a slash matches from the root."""
    numbers = count()
    found = [_regex(*each, numbers) for each in patterns] or ["(?!)"]
    return re.compile(f"/(?:{'|'.join(found)})", re.DOTALL)


def _regex(pattern: str, end: str, numbers: Iterator[int]) -> str:
    """A pattern after a first slash: runs of names with any folders between. Only the last run backtracks."""
    names = pattern.removeprefix("./").strip("/").split("/")
    grouped = groupby(names, key=_ACROSS.__eq__)
    runs = ["".join(f"{_name(name, numbers)}/" for name in some) for across, some in grouped if not across]
    first = [] if names[0] == _ACROSS else runs[:1]
    later = [f"(?:[^/]*/)*?{run}" for run in runs[len(first) :]]
    rooted = "(?<!..)" if "/" in pattern.rstrip("/") else ""
    return "".join((rooted, *first, *(_once(run, numbers) for run in later[:-1]), *later[-1:], end))


def _name(name: str, numbers: Iterator[int]) -> str:
    """One step of a path. Two stars inside it count as one."""
    first, *later = (
        "".join("[^/]" if sign == "?" else re.escape(sign) for sign in part) for part in _STARS.split(name)
    )
    once = (_once(f"[^/]*?{part}", numbers) for part in later[:-1])
    return "".join((first, *once, *(f"[^/]*{part}" for part in later[-1:])))


def _once(regex: str, numbers: Iterator[int]) -> str:
    """An atomic group, ``(?>…)``, which Python 3.10 lacks."""
    name = f"g{next(numbers)}"
    return f"(?=(?P<{name}>{regex}))(?P={name})"


def any_among(paths: Iterable[str], patterns: Iterable[str]) -> bool:
    """True if one of the patterns matches one of the paths.

    A pattern without a slash matches at any depth, and a folder stands for everything in it.
    """
    found = _compiled(tuple((pattern, AROUND) for pattern in patterns))
    return any(found.search(f"/{path}/") for path in paths)


def may_hold(path: str, patterns: Iterable[str]) -> bool:
    """True if one of the patterns matches a path or may match something below it."""
    told = tuple(patterns)
    names = [pattern.removeprefix("./").strip("/").split("/") for pattern in told]
    above = {"/".join((".", *each[:end])) for each in names for end in range(1, len(each))} - {f"./{_ACROSS}"}
    below = _compiled(tuple((pattern, WHOLE) for pattern in sorted(above))) if above else None
    return any_among((path,), told) or (below is not None and below.search(f"/{path}/") is not None)


def is_covered(path: str, patterns: Iterable[str]) -> bool:
    """True if one of the patterns surely means this path; for patterns that ask for less.

    ``docs/**`` is everything below that folder, not a file of that name. ``*.md`` and ``notes.md`` are not folders.
    """
    return _compiled(tuple(map(_covering, patterns))).search(f"/{path}/") is not None


def _covering(pattern: str) -> Ended:
    folder, _, last = pattern.rpartition("/")
    if last in {"", _ACROSS}:
        return (pattern, BELOW) if folder.strip("/*") else (_ACROSS, BELOW)
    of_a_file = "*" in last or "?" in last or "." in last[1:]
    return pattern, WHOLE if of_a_file else AROUND


# Limits for an ignore file; nobody writes longer lines or more stars by hand.
MOST_LINES, LONGEST_LINE, MOST_STARS = 2000, 200, 8


def ignored_by(text: str, paths: Iterable[str]) -> IgnoreRule | None:
    """The line of the root's ignore file that excludes all of these files, if any.

    Brackets and backslashes are plain letters here.
    """
    lines = enumerate(text.removeprefix("\ufeff").split("\n")[:MOST_LINES], start=1)
    told = [(number, line.removesuffix("\r").rstrip(" ")) for number, line in lines if len(line) <= LONGEST_LINE]
    rules = [each for each in told if each[1] and each[1][0] != "#" and each[1].count("*") <= MOST_STARS][::-1]
    found = [_deciding(rules, path) for path in paths]
    if not found or found[0] is None or None in found:
        return None
    # who only has patterns needs no snapshots
    from phasegate.model.snapshot import IGNORE_FILE  # noqa: PLC0415
    from phasegate.model.texts import IgnoreRule  # noqa: PLC0415

    return IgnoreRule(path=IGNORE_FILE, line=found[0][0], pattern=found[0][1])


def _deciding(rules: list[tuple[int, str]], path: str) -> tuple[int, str] | None:
    """The line that ignores a file or a folder above it. A file in an ignored folder cannot be re-included."""
    for each in (*(path[: slash.end()] for slash in re.finditer("/", path)), path):
        last = next((rule for rule in rules if _ignores(rule[1].removeprefix("!"), each)), None)
        if last is not None and not last[1].startswith("!"):
            return last
    return None


@lru_cache(maxsize=4 * MOST_LINES)
def _ignores(pattern: str, path: str) -> bool:
    """True if a pattern matches a path; a folder's path ends with a slash."""
    if pattern.endswith("/") and not path.endswith("/"):
        return False
    if any(part not in path for part in _WILD.split(pattern)):  # most lines of most files, without compiling them
        return False
    inside = f"{pattern.rstrip('/')}/*" if pattern.rstrip("/").endswith("/**") else pattern
    return _compiled(((inside, WHOLE),)).search(f"/{path.rstrip('/')}/") is not None


FOLDER, NAME = "{folder}", "{name}"
ENDINGS = (".json", ".jsonl", ".yml", ".yaml", ".md", ".txt")
# Files that agents and workflows take orders from, besides the known instructions.
ORDERS = (
    *(".github/", ".git/", ".gitlab/", ".gitlab-ci.yml", ".circleci/", ".buildkite/", ".travis.yml"),
    *(".husky/", ".pre-commit-config.yaml", ".devcontainer/", ".vscode/", ".mcp.json"),
    *("copilot-instructions.md", "AGENT.md", "SKILL.md"),
)

_SEGMENT = late(r"[A-Za-z0-9._-]{1,100}", re.ASCII)


def read_path(template: str, *, evidence: bool) -> Evidence | str:
    """The shape of a path template, or why it is not allowed."""
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
    """The first of some patterns that a file of this shape may match, ignoring case."""
    return next((each for each in patterns if any_among(_likely(shape, each.lower()), (each.lower(),))), None)


def _likely(shape: Evidence, pattern: str) -> Iterator[str]:
    """The paths of a shape that come nearest to a pattern, in lower case."""
    steps = [_STARS.sub("x", step).replace("?", "x") for step in pattern.strip("/").split("/")]
    ending = shape.ending.lower()
    bare = ["x", *(step for step in steps if not step.startswith("."))]
    told = [f"x{ending}", *(step for step in bare if step.endswith(ending))]
    for folder in (step for step in bare if "." not in step) if shape.folders else [""]:
        for name in [each.lower() for each in shape.names] or told:
            yield "/".join(step for step in (shape.root.lower(), folder, name) if step)


def variables(shape: Evidence, path: str) -> dict[str, str]:
    """The values at the variable places of a path of this shape."""
    folder, _, name = path.rpartition("/")
    found = {"folder": folder.rpartition("/")[2]} if shape.folders else {}
    return found if shape.names else {**found, "name": name.removesuffix(shape.ending)}


def local_end(shape: Evidence, path: str) -> str:
    """The end of a local path that matches such a file's path in a repository."""
    length = shape.root.count("/") + bool(shape.root) + shape.folders + 1
    return "/".join(path.replace("\\", "/").split("/")[-length:])


def ends_like(shape: Evidence, path: str) -> bool:
    """True if a local path ends like such a file's, whatever comes before."""
    return shape.holds(local_end(shape, path))
