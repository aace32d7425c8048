"""The reading plan: what to fetch of a pull request under a policy, known before anything is fetched."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from enum import Enum
from functools import lru_cache
from typing import TypeAlias

from phasegate.model.frozen import dataclass, late
from phasegate.model.texts import Actor, Person

# What agents take orders from, as patterns; the policy's schema holds the same list.
INSTRUCTION_FILES = (
    "AGENTS.md", "AGENTS.override.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", ".cursorrules",
    ".windsurfrules", ".clinerules", ".agents/", ".claude/", ".codex/", ".cursor/", ".gemini/", ".windsurf/",
    ".roo/", ".roorules", ".kiro/", ".junie/", ".continue/", ".augment/", ".amazonq/", ".opencode/", ".qwen/",
    "QWEN.md", "./.mcp.json", ".github/agents/", ".github/hooks/", ".github/instructions/", ".github/prompts/",
    ".github/skills/", ".github/chatmodes/", ".github/copilot-instructions.md",
)  # fmt: skip

# From the folders below a root, the numbers of the linked issues and the changed paths to the folders worth reading.
ChooseFolders = Callable[[tuple[str, ...], tuple[int, ...], tuple[str, ...]], tuple[str, ...]]

# From the name of a folder and the numbers of the linked issues to whether it can hold evidence about them.
OwnFolder = Callable[[str, tuple[int, ...]], bool]

WRITING = ("write", "maintain", "admin")
REGULAR_MODES = ("100644", "100755", "100664")  # only old versions of git wrote the last one


_NO_NAME = ("", ".")  # .claude/, .mcp.json: below whatever root, what begins with a dot is no result


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """Files of one shape that a dialect reads: ``root/<folder>/<name>``, or ``root/<name>``.

    Only regular files in ``own`` folders are left out of the content that verdicts judge.
    """

    root: str
    folders: bool
    names: tuple[str, ...] = ()  # literal; where there are none, every name with the ending that begins with no dot
    ending: str = ""
    remembered: tuple[str, ...] = ()  # of these names earlier texts are rounds
    silent: tuple[str, ...] = ()  # beside the others or in the root; they say nothing and are not read
    choose: ChooseFolders | None = None  # which folders may be the pull request's
    own: OwnFolder | None = None  # which can be that of a linked issue

    def holds(self, path: str) -> bool:
        """True if a path is one of these files."""
        folder, _, name = path.rpartition("/")
        above, _, inside = folder.rpartition("/")
        if name in self.silent and self.root in (folder, above):
            return True
        if (above if self.folders else folder) != self.root:
            return False
        # where a dialect can tell its own folders, it is asked later
        if self.folders and (not inside or (self.own is None and inside[:1] in _NO_NAME)):
            return False
        if self.names:
            return name in self.names
        return name.endswith(self.ending) and name.removesuffix(self.ending)[:1] not in _NO_NAME

    def concerns(self, path: str, issues: tuple[int, ...]) -> bool:
        """True if a path is one of these files and may be about a linked issue."""
        folder = path.rpartition("/")[0]
        if not self.holds(path) or not self.folders or self.own is None or folder == self.root:
            return self.holds(path)
        return self.own(folder.rpartition("/")[2], issues)


@dataclass(frozen=True, kw_only=True, slots=True)
class ApprovalPlace:
    """Where humans approve by runs: the workflow's file and the protected environment."""

    workflow: str
    environment: str


# Letters of other alphabets that look like Latin ones.
LOOK_ALIKE = str.maketrans("авекмнорстухіјѕԁԛһӏгьαεικνορτυχı", "abekmhopctyxijsdqhlrbaeikvoptuxi")
_HIDDEN = ("Cf", "Mn")
_DASHES = late(r"[\u2010-\u2015\u2212]")
_TAG = late(r"</?[a-z][^<>]{0,400}>")
_NO_LETTERS = late(r"[\W_]+")


@lru_cache(maxsize=16)
def glance(text: str) -> str:
    """The letters and digits of a text that a reader sees."""
    from html import unescape  # noqa: PLC0415  (only who describes a format of several words needs it)

    return _NO_LETTERS.sub("", alike(unescape(_TAG.sub("", text.lower()))))


def alike(text: str) -> str:
    """A text in lower case, with look-alike letters unified and invisible signs removed."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKC", text).casefold().translate(LOOK_ALIKE)
    shown = "".join(sign for sign in plain if unicodedata.category(sign) not in _HIDDEN)
    return _DASHES.sub("-", shown)


def holds_phrase(text: str, phrases: tuple[str, ...]) -> bool:
    """True if a text holds one of some phrases, with any spaces and marks between the words."""
    seen = glance(text) if phrases else ""
    return any(phrase in seen for phrase in phrases)


def holds_as_seen(text: str, phrase: str) -> bool:
    """True if a reader finds a phrase in a text. For several words, anything between them is ignored."""
    letters = glance(phrase) if " " in phrase.strip() else ""
    return phrase.lower() in text.lower() or bool(letters and letters in glance(text))


@lru_cache(maxsize=64)
def _spelled_like(mark: str) -> re.Pattern[str]:
    """A pattern for an HTML comment or fence that begins like a mark: other case, spaces at its colon, another dash."""
    told = {":": r"[ \t]{0,3}:[ \t]{0,3}", "-": "[-_]", "_": "[-_]", " ": r"[ \t]{1,3}"}
    like = "".join(told.get(sign) or re.escape(sign) for sign in mark.strip())
    begun = r"(?:<!--\s{0,3}|^ {0,3}(?:```|~~~)[`~]{0,9}[ \t]{0,3})"
    return re.compile(f"{begun}{like}", re.IGNORECASE | re.MULTILINE)


def begins_like(mark: str, text: str) -> bool:
    """True if something in a text begins like a mark to a reader."""
    return _spelled_like(mark).search(alike(text)) is not None


# Tries at a command, each verb with the beginnings of lines in which it is one.
Tries: TypeAlias = "tuple[tuple[str, tuple[str, ...]], ...]"


def holds_try(lowered: str, tries: Tries) -> bool:
    """True if a lower-case text may hold an attempt at a command."""
    return any(verb in lowered and any(each in lowered for each in lines) for verb, lines in tries)


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadingPlan:
    """What to fetch and read."""

    triggers: tuple[str, ...] = ()  # a text without any of them or of the phrases carries nothing
    phrases: tuple[str, ...] = ()
    tries: Tries = ()  # attempts at a command, which deserve an answer
    shows_command: Callable[[str], bool] = lambda _: False  # true if a reader may see a command in a text
    cites: Callable[[str], Iterable[str]] = lambda _: ()  # the files that a text cites as proof
    evidence: tuple[Evidence, ...] = ()
    approvals: ApprovalPlace | None = None
    teams: tuple[str, ...] = ()
    check_apps: tuple[int, ...] = ()  # the apps whose check runs are read
    checks: tuple[str, ...] = ()  # names of other check runs that are read
    schemas: tuple[str, ...] = ()  # files of the default branch; as long as there are any, nothing else is known
    issues: tuple[int, ...] = ()  # linked issues
    named: frozenset[str] = frozenset()  # the accounts that the policy names, by login in lower case
    numbers: frozenset[int] = frozenset()  # the ids of those and of their apps
    expiring: bool = False  # words may expire
    reviews: bool = False  # a review is a human's act by its state alone
    threads: bool = False  # some reviewer's threads count
    exempt: frozenset[int] = frozenset()  # the ids of exempt authors
    exempts: bool = False  # some pull requests may be exempt
    steering: tuple[str, ...] = ()  # what agents take orders from, in small letters, where a change of it matters

    @property
    def runs_of(self) -> tuple[int | str, ...]:
        """Whose check runs are read: apps by id, and checks by name."""
        return (*self.check_apps, *self.checks)

    def carries(self, text: str) -> bool:
        """True if a text may hold a signal or a command. It is a quick check that never misses one."""
        lowered = text.lower()
        held = any(trigger in lowered for trigger in self.triggers) or holds_try(lowered, self.tries)
        return held or holds_phrase(text, self.phrases) or self.shows_command(text)

    def is_chatter(self, texts: Iterable[str], author: Actor, app_id: int | None = None) -> bool:
        """True if the texts hold nothing the policy reads, and their author is surely not named in it."""
        if not self.triggers or self.teams or any(map(self.carries, texts)):
            return False
        return not self.names(author) and app_id not in self.numbers

    def names(self, account: Actor) -> bool:
        """True if the policy may name an account. Team members are not known here."""
        return bool(self.teams) or account.login.lower() in self.named or account.id in self.numbers

    def may_speak(self, account: Actor | None, known: Person | None) -> bool:
        """True if an account's words may count. It is a quick check, to decide what to ask first."""
        named = account is not None and account.login.lower() in self.named
        return named or (known is not None and known.permission in WRITING)

    def reads(self, path: str) -> bool:
        """True if a path is named like evidence, of any issue."""
        return any(each.holds(path) for each in self.evidence)

    def leaves_out(self, path: str, mode: str | None) -> bool:
        """True if a path is evidence and not product: by name, in an issue's folder, and a regular file."""
        return mode in REGULAR_MODES and any(each.concerns(path, self.issues) for each in self.evidence)


# Where a check run and a status have one name GitHub asks for both, so this must be no context of ours.
CHECK_NAME = "Phase Gate annotations"
# The first line of the comment that we keep on a pull request; with its author it tells which one is ours.
COMMENT_MARKER = "<!-- phase-gate-summary -->"


class Level(str, Enum):
    """The weight of an annotation, in GitHub's words."""

    FAILURE = "failure"
    WARNING = "warning"
    NOTICE = "notice"


class Conclusion(str, Enum):
    """How our check run ends. ``neutral`` and ``skipped`` would pass a required check, so they are missing here."""

    SUCCESS = "success"
    FAILURE = "failure"
    ACTION_REQUIRED = "action_required"


@dataclass(frozen=True, kw_only=True, slots=True)
class Annotation:
    """A mark on a line of a file. GitHub takes columns only with a known line."""

    path: str
    line: int
    column: int | None
    level: Level
    title: str
    message: str
    details: str


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckDraft:
    """A check run to put on the head commit."""

    conclusion: Conclusion
    title: str
    summary: str
    annotations: tuple[Annotation, ...]
    name: str = CHECK_NAME


@dataclass(frozen=True, kw_only=True, slots=True)
class IssueDraft:
    """An issue to file."""

    marker: str  # the first line of its body, by which it is found
    title: str
    body: str
    place: int  # the pull request or issue on which it was proposed
    at: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Filed:
    """A proposal in the tracker. ``new`` if this run filed it."""

    draft: IssueDraft
    number: int
    url: str
    new: bool
