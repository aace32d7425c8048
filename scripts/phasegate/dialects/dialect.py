"""The seam: what a dialect declares of itself, and what goes in and out of it.

Declarations are light and always loaded; what reads is loaded when a text is read.
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

CONCLUDED = ("success", "neutral")  # how a check run ends that has looked at something
REQUESTED = "CHANGES_REQUESTED"


@dataclass(frozen=True, kw_only=True, slots=True)
class Added:
    """How to tell what runtimes add to a text: lines of the policy, HTML comments with no marker of any dialect.

    ``heads`` are the commits that were the pull request's head, as far as is known.
    """

    footers: tuple[str, ...] = ()
    markers: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()


class Text:
    """One version of a comment, a review, a file or a check run; no body where it is not known what it said.

    ``fields`` is what a check run says besides its text: its name, status, conclusion, title and summary. A dialect may
    know it for ``talk``: no word, and no try at one. ``of_heads`` tells that whoever read it asked for the heads.
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
        self.commands = False  # whether it holds commands, and so is no try at a word
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
        """The commits that were the pull request's head; what was read with them is not the same beside others."""
        self.of_heads = True
        return self.added.heads

    @property
    def is_blank(self) -> bool:
        """Whether nothing is written there, as in a review that only answers in threads."""
        return self.body is not None and not self.body.strip()

    def marked(self, *, commands: bool) -> Text:
        """The text, known to be no try at a word where it holds ``commands``."""
        self.commands = commands
        return self

    def put_away(self) -> None:
        """Forget the page: a long text that was often edited would keep them all."""
        self._page = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What a dialect made of one text: signals, and for the rules between documents what it read."""

    text: Text
    signals: tuple[Signal, ...] = ()
    content: object = None


SAYS_PASS = late(r"(?<![A-Za-z0-9_-])PASS(?![A-Za-z0-9_-])", re.ASCII)


def as_carried(reading: Reading) -> Reading:
    """What was read; a pass that the review or the check run around it speaks against contradicts itself.

    Of what is faulty and objects to nothing it is known whether it was to be a pass (L5).
    """
    faulty = any(signal.problems and not signal.objects for signal in reading.signals)
    if faulty and SAYS_PASS.search(reading.text.page.unquoted):
        reading = replace(reading, signals=tuple(replace(signal, says_pass=True) for signal in reading.signals))
    against = said_around(reading.text)
    return _without_passes(reading, "PG915", f"it passes, but {against}") if against else reading


def read_by(text: Text, dialect: Dialect, roles: Sequence[Role], known: Known | None) -> Reading:
    """What a text says in a dialect; from what is known, unless the heads beside it matter."""
    key = (dialect.name, text.source, text.body, text.missing, *text.fields.items())
    reading: Reading | None = None if known is None else known.get(key)
    if reading is not None:
        text.talk |= reading.text.talk
        return reading
    reading = dialect.read(text, roles)
    reading = reading if text.source.medium is Medium.FILE else as_carried(reading)
    if not text.source.latest:
        text.put_away()
    if known is not None and not text.of_heads:
        known[key] = reading
    return reading


def said_around(text: Text) -> str:
    """What the review or the check run that a text stands in says against the work itself, if it does."""
    if text.source.medium is Medium.CHECK_RUN and text.fields["conclusion"] not in CONCLUDED:
        return f"its check run ended as {text.fields['conclusion'] or 'nothing'}"
    return "its review requests changes" if text.source.state == REQUESTED else ""


def _without_passes(reading: Reading, code: str, message: str) -> Reading:
    """What was read, with every pass made invalid that something around it contradicts."""
    wrong = problem(code, message, reading.text.where)
    told = [(each, each.outcome in GOOD) for each in reading.signals]
    signals = [replace(each, outcome=None, problems=(*each.problems, wrong)) if good else each for each, good in told]
    return replace(reading, signals=tuple(signals))


def one_dialect(found: dict[str, list[Reading]]) -> dict[str, list[Reading]]:
    """What each dialect reads in one text: of words of two dialects one may have been carried in, so none is a pass."""
    told: dict[int, set[str]] = defaultdict(set)  # somebody's words, be it that only its author tells whose
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


Known: TypeAlias = "dict[object, Any]"  # what was read, by the text that it was read in
Foreseen: TypeAlias = "tuple[tuple[str, Cause], ...]"  # what the next pass of a role will ask for


@dataclass(frozen=True, kw_only=True, slots=True)
class Gathered:
    """What all texts of a dialect say together: signals, each issue's folder, and what is wrong beside them.

    ``foreseen`` is what the next pass of a role will ask for.
    """

    signals: tuple[Signal, ...] = ()
    folders: tuple[IssueFolder, ...] = ()
    problems: tuple[Problem, ...] = ()
    foreseen: Foreseen = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Surroundings:
    """What is known around the texts: the pull request, the issues that count, and which seats each of them asks for.

    ``folder`` is the form of an issue's folder, where the policy fixes one; ``without_issue`` if none need be linked;
    ``footers`` are lines that the policy knows runtimes to add, ``marks`` those of all its formats, ``phases`` what its
    phases are called. ``stranger`` tells of a source whether nothing that its author writes can count here, nor is
    answered, ``unheard`` whether it cannot count, ``speaks`` whether its author may speak for a role. ``known`` holds
    what was read of other cuts of the same snapshot by the same policy.
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
    """A file of a working tree; in place of its text what keeps it from being read."""

    name: str
    where: Where
    text: str | Problem


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """What was found in a local file: what it says, if it is a document that says something, and what is wrong."""

    path: str
    outcome: Outcome | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Deciding:
    """A key that decides, and the values by which it fails; without any, it fails if its list holds something.

    An empty ``key`` stands for any.
    """

    key: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Footprint:
    """What a dialect's words look like from afar, known from the policy alone, before anything is fetched.

    ``triggers``, in lower case: a text without any of them is not worth a look, unless it holds one of the ``phrases``:
    several words, at a glance. ``evidence``: the files that it reads, given the form of an issue's folder. ``cites``:
    the files that a text calls as proof. ``check_apps``: the apps whose check runs it reads, ``check_names`` how those
    are called that are always words. ``failing``: its words for a FAIL, for texts that are not taken apart.
    ``deciding``: the keys that fail the work in whatever block they stand. ``thread``: what the first comment of a
    review thread holds against the work, where the open threads of its accounts do. ``approves``: an approving review
    of its account is about the whole change, unless somebody asked for it. ``whole``: its words may be, too.
    ``handles``: by which its accounts are addressed, besides their logins.
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
        """Whether a text is worth a look."""
        lowered = text.lower()
        return any(trigger in lowered for trigger in self.triggers) or holds_phrase(text, self.phrases)

    def may_fail(self, text: str) -> bool:
        """Whether a text that is not taken apart may hold a FAIL."""
        lowered = text.lower()
        return OBJECTION in lowered or any(holds_word(lowered, word) for word in self.failing)


class Dialect:
    """A way in which agents report: what it declares, and what reads, which is loaded when a text is read.

    ``roles`` are those that it brings, a policy may add others; ``media`` those that a role of a policy may use in it.
    ``footprint`` is what is worth fetching, ``reader`` the module that reads.
    """

    name: str
    roles: tuple[Role, ...]
    media: frozenset[Medium]
    footprint: Footprint
    reader = ""

    def read(self, text: Text, roles: Sequence[Role]) -> Reading:
        """What one text says."""
        raise NotImplementedError

    def together(self, readings: Sequence[Reading], around: Surroundings) -> Gathered:
        """What all texts say, after the rules between documents; else each speaks for itself."""
        del around
        return Gathered(signals=tuple(signal for reading in readings for signal in reading.signals))

    def short_form(self, text: str) -> str:
        """The text in the short form that its author gives beside it, where there is one; else the text."""
        return text

    def owns(self, path: str) -> bool:
        """Whether a local file, by the end of its path, is one of its documents."""
        del path
        return False

    def check_file(self, file: LocalFile) -> Checked:
        """One local file, whatever stands beside it."""
        return Checked(path=file.name)

    def check_folder(self, folder: str, files: Sequence[LocalFile]) -> tuple[Checked, ...]:
        """The local files of one folder together, those that only look like its documents included."""
        del folder
        return tuple(self.check_file(file) for file in files if self.owns(file.where.path or file.name))

    def get_ready(self) -> None:
        """Load what reads."""
        import_module(self.reader or self.__module__)

    def nearest(self, text: Text, role: Role) -> str:
        """How a text that holds no word misses the form of a role's words: what is missing, and what is like it."""
        from phasegate.reading.document import nearest_miss  # noqa: PLC0415  (seldom needed)

        how = self.how_to(role)
        signs = (how.heading.rpartition("\n")[2], how.marker)
        return nearest_miss(text.body or "", [sign for sign in signs if sign])

    def how_to(self, role: Role) -> HowTo:
        """How the words of a role are written."""
        raise NotImplementedError


class Adjustable(Dialect):
    """A dialect of which a policy can set something, under ``dialects`` and its name.

    ``options`` is the name of the schema of what can be set.
    """

    options: str

    def adjusted(self, told: Mapping[str, Json]) -> Dialect | str:
        """The dialect with what was set, which the schema has accepted; or why that cannot be."""
        raise NotImplementedError


BOX = late(r"([ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)\[[ xX]\](?=[ \t])", re.ASCII)


def without_ticks(comment: Comment, added: Added, room: int) -> tuple[Comment, int]:
    """A comment without the edits that change nothing but boxes of task lists: whoever ticks them writes nothing.

    And how many characters were taken apart to know it; where that is more than ``room``, an edit is an edit.
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
    """The lines of two texts that differ, if they do in boxes alone, and no format reads them."""
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
    """A line with its box made empty; of one without a box, the line and that it has none."""
    match = BOX.match(line)
    return f"no box: {line}" if match is None else f"{match[1]}[ ]{line[match.end() :]}"


MOST_PROBLEMS = 50


def capped(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """At most so many problems of one text, and of every code at least one, since the policy weighs them by code."""
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
