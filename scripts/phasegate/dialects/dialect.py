"""The seam: what a dialect declares about itself, and its inputs and outputs.

Declarations are light and always loaded. Readers are loaded when a text is read.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from phasegate.catalogue import problem
from phasegate.dialects.raw import OBJECTION, holds_word
from phasegate.model.frozen import dataclass, late, replace
from phasegate.model.plan import Evidence, holds_phrase
from phasegate.model.problem import Problem, Where
from phasegate.model.signal import GOOD, Cause, Finding, HowTo, IssueFolder, Kind, Medium, Outcome, Role, Signal, Source

if TYPE_CHECKING:
    from phasegate.model.snapshot import Snapshot
    from phasegate.model.texts import Comment, Edit, Issue
    from phasegate.reading.document import Json
    from phasegate.reading.markdown.page import Page

CONCLUDED = ("success", "neutral")  # conclusions of a check run that does not object
REQUESTED = "CHANGES_REQUESTED"


@dataclass(frozen=True, kw_only=True, slots=True)
class Added:
    """How to recognise what runtimes add to a text: lines named by the policy, and HTML comments without a marker.

    ``heads`` are the commits known to have been the pull request's head.
    """

    footers: tuple[str, ...] = ()
    markers: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()


class Text:
    """One version of a comment, a review, a file or a check run. The body is None if its text is unknown.

    ``fields`` are a check run's other texts: name, status, conclusion, title and summary. A dialect may mark the text
    as ``talk``: not a word, nor an attempt at one. ``of_heads`` tells that a reader asked for the heads.
    """

    __slots__ = ("_page", "added", "body", "commands", "fields", "missing", "of_heads", "source", "talk", "where")

    def __init__(  # noqa: PLR0913  (a text, and what stands around it)
        self,
        *,
        source: Source,
        where: Where,
        body: str | None,
        missing: Problem | None = None,
        fields: Mapping[str, str] | None = None,
        added: Added = Added(),  # noqa: B008  (it is frozen)
    ) -> None:
        self.source = source
        self.added = added
        self.where = where
        self.body = body
        self.missing = missing
        self.fields = fields or {}
        self.commands = False  # a text with commands is not an attempt at a word
        self.talk = False
        self.of_heads = False
        self._page: Page | None = None

    @property
    def page(self) -> Page:
        """The text as GitHub renders it, parsed once."""
        if self._page is None:
            from phasegate.reading.markdown.page import Page  # noqa: PLC0415  (loaded when a text is read)

            self._page = Page.of(self.body or "")
        return self._page

    @property
    def heads(self) -> tuple[str, ...]:
        """The commits that were the pull request's head. A reading that used them holds only for the same heads."""
        self.of_heads = True
        return self.added.heads

    @property
    def is_blank(self) -> bool:
        """True if nothing is written, as in a review that only answers in threads."""
        return self.body is not None and not self.body.strip()

    def marked(self, *, commands: bool) -> Text:
        """The text. If it holds ``commands``, it is not an attempt at a word."""
        self.commands = commands
        return self

    def forget_page(self) -> None:
        """Drops the parsed page, so that a long text with many edits does not keep them all."""
        self._page = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What a dialect read in one text: the signals, and the document for rules between documents."""

    text: Text
    signals: tuple[Signal, ...] = ()
    content: object = None


SAYS_PASS = late(r"(?<![A-Za-z0-9_-])PASS(?![A-Za-z0-9_-])", re.ASCII)


def as_carried(reading: Reading) -> Reading:
    """The reading; a pass is invalid if the review or check run around it says otherwise.

    A faulty signal without an objection keeps the note that it was meant as a pass (L5).
    """
    faulty = any(signal.problems and not signal.objects for signal in reading.signals)
    if faulty and SAYS_PASS.search(reading.text.page.unquoted):
        reading = replace(reading, signals=tuple(replace(signal, says_pass=True) for signal in reading.signals))
    against = parent_verdict(reading.text)
    return _without_passes(reading, "PG915", f"it passes, but {against}") if against else reading


def read_by(text: Text, dialect: Dialect, roles: Sequence[Role], known: Known | None) -> Reading:
    """A text read by a dialect. A known reading is reused unless the heads matter for it."""
    key = (dialect.name, text.source, text.body, text.missing, *text.fields.items())
    reading: Reading | None = None if known is None else known.get(key)
    if reading is not None:
        text.talk |= reading.text.talk
        return reading
    reading = dialect.read(text, roles)
    reading = reading if text.source.medium is Medium.FILE else as_carried(reading)
    if not text.source.latest:
        text.forget_page()
    if known is not None and not text.of_heads:
        known[key] = reading
    return reading


def parent_verdict(text: Text) -> str:
    """What the review or check run that holds the text says against the work, or ""."""
    if text.source.medium is Medium.CHECK_RUN and text.fields["conclusion"] not in CONCLUDED:
        return f"its check run ended as {text.fields['conclusion'] or 'nothing'}"
    return "its review requests changes" if text.source.state == REQUESTED else ""


def _without_passes(reading: Reading, code: str, message: str) -> Reading:
    """The reading, with every pass made invalid because its surroundings contradict it."""
    wrong = problem(code, message, reading.text.where)
    told = [(each, each.outcome in GOOD) for each in reading.signals]
    signals = [replace(each, outcome=None, problems=(*each.problems, wrong)) if good else each for each, good in told]
    return replace(reading, signals=tuple(signals))


def one_dialect(found: dict[str, list[Reading]]) -> dict[str, list[Reading]]:
    """Each dialect's reading of one text. If two dialects find words, none is a pass: one may have been carried in."""
    told: dict[int, set[str]] = defaultdict(set)  # words with a role, even if only their author tells which
    for name, signal in ((name, signal) for name, each in found.items() for one in each for signal in one.signals):
        verdict = signal.kind is Kind.VERDICT and not signal.shown
        if verdict or (signal.claims and signal.kind is not Kind.PROPOSAL):
            told[signal.source.version].add(name)
    several = {version for version, names in told.items() if len(names) > 1}
    names = " and ".join(sorted({name for version in several for name in told[version]}))
    message = f"it contains verdicts in {names}; write one dialect in a comment"

    def checked(one: Reading) -> Reading:
        return _without_passes(one, "PG916", message) if one.text.source.version in several else one

    return {name: list(map(checked, each)) for name, each in found.items()} if several else found


Known: TypeAlias = "dict[object, Any]"  # earlier readings, by text
Foreseen: TypeAlias = "tuple[tuple[str, Cause], ...]"  # what the next pass of a role will ask for


@dataclass(frozen=True, kw_only=True, slots=True)
class Gathered:
    """All texts of a dialect together: signals, each issue's folder, and further problems.

    ``foreseen`` lists what the next pass of a role will ask for.
    """

    signals: tuple[Signal, ...] = ()
    folders: tuple[IssueFolder, ...] = ()
    problems: tuple[Problem, ...] = ()
    foreseen: Foreseen = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Surroundings:
    """What is known besides the texts: the pull request, the issues that count, and the seats each asks for.

    ``folder`` is the policy's form of an issue's folder, if any. ``without_issue``: no issue has to be linked.
    ``footers`` are lines that runtimes add, ``marks`` the marks of the policy's formats, ``phases`` the names of its
    phases. ``stranger``: nothing by the source's author can count or is answered. ``unheard``: it cannot count.
    ``speaks``: its author may speak for a role. ``known`` holds readings of the same snapshot with other cuts, by the
    same policy.
    """

    snapshot: Snapshot
    issues: tuple[Issue, ...]
    asked: Callable[[Issue | None], frozenset[str]]
    folder: str | None = None
    without_issue: bool = False
    footers: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    phases: tuple[str, ...] = ()
    known: Known | None = None
    stranger: Callable[[Source], bool] = lambda _: False
    unheard: Callable[[Source], bool] = lambda _: False
    speaks: Callable[[Source, str], bool] = lambda _source, _role: True


@dataclass(frozen=True, kw_only=True, slots=True)
class LocalFile:
    """A file of a working tree; if it cannot be read, why."""

    name: str
    where: Where
    text: str | Problem


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """The result of checking a local file: its message if it is a document that gives one, and its problems."""

    path: str
    outcome: Outcome | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Deciding:
    """A key that decides, and its failing values. Without values, it fails if its list is not empty.

    An empty ``key`` stands for any key.
    """

    key: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Footprint:
    """How to recognise the dialect's texts without parsing them, known from the policy alone.

    ``triggers`` (lower case): a text without one is skipped, unless it holds one of the ``phrases``. ``evidence``: the
    files that it reads, given the form of an issue's folder. ``cites``: files that a text cites as proof.
    ``check_apps``: the apps whose check runs it reads; ``check_names``: runs that are always words. ``failing``: its
    words for FAIL, for texts that are not parsed. ``deciding``: keys that fail the work in any block. ``thread``:
    reads the finding in a thread's first comment, if open threads of its accounts count. ``approves``: an unrequested
    approving review covers the whole change. ``whole``: its words may cover it, too. ``handles``: names by which its
    accounts are addressed, besides their logins.
    """

    triggers: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    evidence: Callable[[str | None], tuple[Evidence, ...]] = lambda _: ()
    cites: Callable[[str], Iterable[str]] = lambda _: ()
    check_apps: tuple[int, ...] = ()
    check_names: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()
    deciding: tuple[Deciding, ...] = ()
    thread: Callable[[str, Where], Finding] | None = None
    approves: bool = False
    whole: bool = False
    handles: tuple[str, ...] = ()

    def is_in(self, text: str) -> bool:
        """True if a text may hold a word of the dialect and must be read."""
        lowered = text.lower()
        return any(trigger in lowered for trigger in self.triggers) or holds_phrase(text, self.phrases)

    def may_fail(self, text: str) -> bool:
        """True if a text that is not parsed may hold a FAIL."""
        lowered = text.lower()
        return OBJECTION in lowered or any(holds_word(lowered, word) for word in self.failing)


class Dialect:
    """A format in which agents report: its declaration, and its reader, which is loaded when a text is read.

    ``roles`` are its own; a policy may add others, in the given ``media``. ``footprint`` tells what is worth fetching,
    ``reader`` names the module that reads.
    """

    name: str
    roles: tuple[Role, ...]
    media: frozenset[Medium]
    footprint: Footprint
    reader = ""

    def read(self, text: Text, roles: Sequence[Role]) -> Reading:
        """The reading of one text."""
        raise NotImplementedError

    def together(self, readings: Sequence[Reading], around: Surroundings) -> Gathered:
        """All texts after the rules between documents. By default each text speaks for itself."""
        del around
        return Gathered(signals=tuple(signal for reading in readings for signal in reading.signals))

    def short_form(self, text: str) -> str:
        """The text's own short form if it has one, or else the text."""
        return text

    def owns(self, path: str) -> bool:
        """True if a local file is one of its documents, by the end of its path."""
        del path
        return False

    def check_file(self, file: LocalFile) -> Checked:
        """Checks one local file on its own."""
        return Checked(path=file.name)

    def check_folder(self, folder: str, files: Sequence[LocalFile]) -> tuple[Checked, ...]:
        """Checks the local files of one folder together, with those that only look like its documents."""
        del folder
        return tuple(self.check_file(file) for file in files if self.owns(file.where.path or file.name))

    def get_ready(self) -> None:
        """Loads the reader."""
        import_module(self.reader or self.__module__)

    def nearest(self, text: Text, role: Role) -> str:
        """How a text without a word differs from the form of a role's words: what is missing, and what comes close."""
        from phasegate.reading.document import nearest_miss  # noqa: PLC0415  (seldom needed)

        how = self.how_to(role)
        signs = (how.heading.rpartition("\n")[2], how.marker)
        return nearest_miss(text.body or "", [sign for sign in signs if sign])

    def how_to(self, role: Role) -> HowTo:
        """How a role writes its words."""
        raise NotImplementedError


class Adjustable(Dialect):
    """A dialect with settings in the policy, under ``dialects`` and its name.

    ``options`` names the schema of the settings.
    """

    options: str

    def adjusted(self, told: Mapping[str, Json]) -> Dialect | str:
        """The dialect with these settings, which the schema has accepted; or why they are impossible."""
        raise NotImplementedError


BOX = late(r"([ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)\[[ xX]\](?=[ \t])", re.ASCII)


def drop_checkbox_edits(comment: Comment, added: Added, room: int) -> tuple[Comment, int]:
    """The comment without edits that only tick boxes of task lists, and the number of characters compared.

    Beyond ``room`` characters an edit is not compared and stays.
    """
    if len(comment.history) < 2:  # noqa: PLR2004  (no version before the last)
        return comment, 0
    from phasegate.reading.markdown.page import Page  # noqa: PLC0415  (loaded when a text is read)

    *before, last = comment.history
    kept: list[Edit] = []
    page, read = None, 0
    stood: str | None = None  # right before an edit: boxes may be ticked and unticked again
    for edit in (*before, replace(last, text=comment.text)):
        ticked = [] if not kept or edit.deleted_at is not None else ticks(stood, edit.text, added)
        if ticked and page is None and read + len(kept[-1].text or "") <= room:
            page, read = Page.of("\n".join(_lines(kept[-1].text or ""))), read + len(kept[-1].text or "")
        if not ticked or page is None or not page.are_items(ticked):
            kept.append(edit)
            page = None
        stood = edit.text
    if len(kept) == len(comment.history):
        return comment, read
    shown = replace(comment, text=kept[-1].text or "")
    if len(kept) == 1:
        return replace(shown, history=(), edited_at=None, editor=None), read
    return replace(shown, history=tuple(kept), edited_at=kept[-1].at, editor=kept[-1].editor), read


def ticks(before: str | None, after: str | None, added: Added) -> list[int]:
    """The lines that differ, if two texts differ only in boxes of task lists and no format reads these lines."""
    if before is None or after is None or before == after:
        return []
    old, new = _lines(before), _lines(after)
    changed = [number for number, pair in enumerate(zip(old, new, strict=False), start=1) if pair[0] != pair[1]]
    if len(old) != len(new) or any(_unticked(old[at - 1]) != _unticked(new[at - 1]) for at in changed):
        return []
    return [] if any(marker in old[at - 1].lower() for at in changed for marker in added.markers) else changed


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").strip("\n").rstrip().split("\n")


def _unticked(line: str) -> str:
    """The line with its box emptied, or a note that it has no box."""
    match = BOX.match(line)
    return f"no box: {line}" if match is None else f"{match[1]}[ ]{line[match.end() :]}"


MOST_PROBLEMS = 50


def capped(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """A limited number of problems of one text, at least one of each code because the policy weighs them by code."""
    if len(problems) <= MOST_PROBLEMS:
        return problems
    kept: list[Problem] = []
    last: dict[object, int] = {}
    more: Counter[int] = Counter()
    for item in problems:
        sort = (item.code, item.severity)
        if len(kept) < MOST_PROBLEMS or sort not in last:
            last[sort] = len(kept)
            kept.append(item)
        else:
            more[last[sort]] += 1
    for place, count in more.items():
        kept[place] = replace(kept[place], message=f"{kept[place].message} (and {count} more like it)")
    return tuple(kept)
