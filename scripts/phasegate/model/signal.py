"""Signals: the normal form of every dialect's words, and all that the rules see of them."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from phasegate.model.codec import text_digest
from phasegate.model.frozen import dataclass
from phasegate.model.problem import Problem, Where
from phasegate.model.texts import Actor

OVERALL = "phase-gate"  # the context of the whole status; those of the phases are below it


class Does(str, Enum):
    """A role's part in a phase."""

    CREATES = "creates"
    CHALLENGES = "challenges"
    CONFIRMS = "confirms"
    REPAIRS = "repairs"


class Place(str, Enum):
    """Where a text stands."""

    PULL_REQUEST = "pull_request"
    ISSUE = "issue"


class Kind(str, Enum):
    """What a signal is for. A stranger's text is not read."""

    VERDICT = "verdict"
    REPORT = "report"
    PROPOSAL = "proposal"
    UNREAD = "unread"


class Outcome(str, Enum):
    """The outcome of a verdict."""

    PASS = "PASS"
    FAIL = "FAIL"
    COMPLETE = "COMPLETE"
    FIXED = "FIXED"
    PARTIAL = "PARTIAL"
    BLOCKED = "BLOCKED"


class Medium(str, Enum):
    """The kind of text that holds a word."""

    COMMENT = "comment"
    REVIEW = "review"
    FILE = "file"
    CHECK_RUN = "check_run"


class Subject(str, Enum):
    """What a word is about: the product as it would merge, an issue's plan, or neither."""

    PRODUCT = "product"
    PLAN = "plan"
    NOTHING = "nothing"


class Asks(str, Enum):
    """What a text asks for beyond the policy."""

    HUMAN = "human"
    QA = "qa"


VERDICT, REPORT = "verdict", "report"  # nouns for a role's words
SPELT = {"coderabbit": "CodeRabbit"}


def role_title(name: str) -> str:
    """A role's name as people write it. A file keeps its name."""
    return name if "." in name else SPELT.get(name, name.replace("-", " ").capitalize())


@dataclass(frozen=True, kw_only=True, slots=True)
class Role:
    """A seat: the dialect and media of its words.

    ``letter`` begins the ids of its findings. ``after`` are earlier seats whose newer file makes it stale. A
    ``remembered`` word is a round even after its text was replaced. ``part_of`` is the seat of the whole file.
    ``per_issue``: a seat for each linked issue, in that issue's folder. ``advisory``: shown, but fills no seat.
    ``only_named``: only accounts that the policy names for it may speak. A ``document`` is named after the text, not
    its author. In the media of ``only_objects`` it never passes.
    """

    name: str
    does: Does
    dialect: str
    media: frozenset[Medium]
    letter: str | None = None
    after: tuple[str, ...] = ()
    remembered: bool = True
    about: Subject = Subject.PRODUCT
    part_of: str | None = None
    per_issue: bool = False
    advisory: bool = False
    only_named: bool = False
    document: bool = False
    only_objects: frozenset[Medium] = frozenset()

    @property
    def judges(self) -> bool:
        """True if it judges the work of others."""
        return self.does in (Does.CHALLENGES, Does.CONFIRMS)

    @property
    def noun(self) -> str:
        """The noun for its words, beside its name; "" if the name says it."""
        return "" if self.document else VERDICT if self.judges else REPORT

    @property
    def file(self) -> str:
        """The seat that stands for the whole document."""
        return self.part_of or self.name

    @property
    def title(self) -> str:
        """The name as people write it. A file keeps its name."""
        return role_title(self.name)


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """Where a signal was written, by whom and when: one version of a text.

    A file's author is the account that pushed it, its commit the head after that push, its issue the one with its
    folder.
    """

    id: str
    number: int
    url: str
    place: Place
    medium: Medium = Medium.COMMENT
    issue: int | None = None
    author: Actor | None = None
    app_id: int | None = None
    at: str
    version: int = 1
    latest: bool = True
    tampered_by: str | None = None
    tampered_at: str = ""
    via_email: bool = False
    by_author: bool = True
    edited: bool = False
    history_complete: bool = True
    state: str | None = None
    commit: str | None = None
    dismissed_at: str | None = None
    dismissed_by: str | None = None
    dismissed_from: str | None = None

    @property
    def pushed(self) -> bool:
        """True for a file of the branch."""
        return self.medium is Medium.FILE

    @property
    def login(self) -> str:
        """The author's login, or "" if unknown."""
        return "" if self.author is None else self.author.login

    @property
    def account(self) -> int | None:
        """The author's id, or None."""
        return None if self.author is None else self.author.id

    @property
    def moment(self) -> tuple[str, int]:
        """When it was written. Within a second the server's numbers give the order."""
        return (self.at, self.number)

    def is_after(self, other: Source) -> bool:
        """True if it was surely written after something. Within a second nobody can tell.

        Everything in one text, or in the files of one push, comes at once.
        """
        one_push = self.pushed and other.pushed and (self.at, self.commit) == (other.at, other.commit)
        return self.at > other.at or one_push or self.id == other.id


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """A role's finding against the work. ``severity`` is empty if unknown.

    A ``threaded`` finding ends with its review thread; others have none. ``count`` is set if the text gives only a
    number of findings.
    """

    id: str
    severity: str
    summary: str
    location: str = ""
    root_cause: str | None = None
    fix_hint: str | None = None
    blocking: bool
    threaded: bool = False
    count: int = 1
    where: Where


@dataclass(frozen=True, kw_only=True, slots=True)
class Refutation:
    """Another role's finding that is called noise, with evidence: output, or lines of files."""

    id: str
    output: bool = False
    lines: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class RoleClaim:
    """A place in a text that names its role. If it ``gives_way``, a surer claim of another role wins."""

    by: str
    role: str
    gives_way: bool = False


STOPPED = "it does not say why"  # the question of an agent that stopped for a human and gave no reason


@dataclass(frozen=True, kw_only=True, slots=True)
class Cause:
    """A key that takes a pass back or asks for more: its value, and the value that would not.

    ``asks`` is what it asks for; None if it keeps the word from passing.
    """

    key: str
    says: str
    takes: str = ""
    asks: Asks | None = None
    where: Where


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """The next step: who does what, and which message is sent to or expected from them."""

    to: str
    says: str
    answer: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Signal:
    """One word of an agent in normal form.

    ``outcome`` is None if unreadable; ``said`` is the agent's own word for it. ``must_fix`` is None if the dialect has
    no such list or the agent left it out. ``title`` and ``description`` belong to a proposal; for other signals
    ``title`` names the blocks beside them. ``run`` is the agent's own name for its run, ``notes`` a text to show with
    the word, ``digest`` that of the whole text. A text that is not ``known`` was there and may have said anything.
    Without a known role, ``may_be`` lists the possible ones. A faulty signal ``objects`` if it names a FAIL, a demand
    or a severe finding, and ``says_pass`` if its block or its text outside quotes does. One ``shown`` as an example
    counts only if its author speaks for the role anyway; a comment ``fenced`` as a whole has this role's heading. A
    pass counts until it ``expires``. A ``lasting`` word is taken back only by its own kind. With ``across``, blocking
    findings stand across contents: a pass of the ``whole`` change ends them, one of the newest push alone does not. An
    ``idle`` signal only says that a reviewer did not run. ``causes`` are keys that take a pass back or ask for more;
    ``question`` is one to a human.
    """

    dialect: str
    kind: Kind
    claims: tuple[RoleClaim, ...] = ()
    may_be: tuple[str, ...] = ()
    outcome: Outcome | None = None
    said: str = ""
    findings: tuple[Finding, ...] = ()
    must_fix: tuple[str, ...] | None = None
    false_positives: tuple[str, ...] = ()
    refutations: tuple[Refutation, ...] = ()
    commit: str | None = None
    title: str = ""
    description: str = ""
    run: str = ""
    notes: str = ""
    fenced: str = ""
    digest: str
    source: Source
    where: Where
    known: bool = True
    objects: bool = False
    says_pass: bool = False
    shown: bool = False
    asks: tuple[Asks, ...] = ()
    causes: tuple[Cause, ...] = ()
    question: str = ""
    expires: str = ""
    lasting: bool = False
    across: bool = False
    whole: bool = False
    idle: bool = False
    route: tuple[Step, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that the text claims, each once, in order."""
        return tuple(dict.fromkeys(claim.role for claim in self.claims))


@dataclass(frozen=True, kw_only=True, slots=True)
class IssueFolder:
    """The folder of an issue, or of a pull request without one: its present or expected path, and its problem.

    ``rivals`` are other folders that it may be. Before ``since`` it may have been another one.
    """

    issue: int | None
    path: str
    rivals: tuple[str, ...] = ()
    wrong: Problem | None = None
    since: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class HowTo:
    """How to write a role's words: carrier or file, heading, schema.

    With ``names_commit`` a file differs each time, because Git ignores a push of the same bytes. ``renew`` is the key
    to change if a file would come out the same. ``noun`` is what the words are called beside the role's name. A
    vendor's reviewer reviews when somebody comments ``request`` or requests a review from ``reviewer``, and the whole
    change when somebody comments ``whole``. The ``example`` is minimal and has a finding, so that copying it passes
    nothing.
    """

    medium: Medium
    heading: str = ""
    marker: str = ""
    path: str = ""
    schema: str = ""
    names_commit: bool = False
    renew: str = ""
    noun: str = VERDICT
    request: str = ""
    whole: str = ""
    reviewer: str = ""
    example: str = ""


APPROVE, RESUME, OVERRIDE, DISMISS, WITHDRAW = "approve", "resume", "override", "dismiss", "withdraw"


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """A human act, on a line of its own: ``/gate approve plan``. A stranger's is ``unread``.

    ``commit`` is the commit that it names. A misspelt one has the probable verb and phase, and the line as
    ``written``. It is ``loose`` if it does not begin like a command, ``guessed`` if the verb comes from another word,
    ``inline`` in a review thread. ``doubts`` are phases named on a line that begins like a command but is none: its
    author's earlier approvals of them no longer count.
    """

    verb: str
    phase: str
    commit: str | None = None
    reason: str = ""
    source: Source
    where: Where
    problems: tuple[Problem, ...] = ()
    unread: bool = False
    written: str = ""
    loose: bool = False
    doubts: tuple[str, ...] = ()
    guessed: bool = False
    inline: bool = False


ASKS = "asks-"  # prefix of a recorded request
INVALID = "invalid"  # the recorded outcome of an unreadable word
GOOD = (Outcome.PASS, Outcome.COMPLETE, Outcome.FIXED)


class Validity(str, Enum):
    """A vote's validity, before its commit is considered."""

    VALID = "valid"
    INVALID = "invalid"
    IGNORED = "ignored"
    EDITED_AWAY = "edited_away"


@dataclass(frozen=True, kw_only=True, slots=True)
class Unread:
    """One version of a text in which no dialect finds a word.

    ``name`` is a check run's name. If it ``commands``, it holds a command and is not an attempt at a word. ``miss``
    tells how it differs from a role's form.
    """

    source: Source
    blank: bool
    commands: bool = False
    name: str = ""
    miss: Callable[[Role], Problem]


@dataclass(frozen=True, kw_only=True, slots=True)
class Vote:
    """A signal for one role, assessed: may its author speak, is it sound, and which content does it judge.

    ``why`` is the problem that decided its validity. ``stale`` tells why it is about other content, if the commit
    alone does not tell.
    """

    signal: Signal
    role: str | None
    validity: Validity
    why: Problem | None = None
    outcome: Outcome | None = None
    commit: str | None = None
    content: str | None = None
    fresh: bool = False
    stale: Problem | None = None
    problems: tuple[Problem, ...] = ()

    @property
    def id(self) -> str:
        """Its name in the report: its place, version and kind."""
        version = "" if self.source.latest and self.source.version == 1 else f".{self.source.version}"
        return f"{self.source.id}{version}/{self.signal.kind.value}"

    @property
    def source(self) -> Source:
        """Where it was given, by whom and when."""
        return self.signal.source

    @property
    def heard(self) -> bool:
        """True unless it is ignored: it counts for or against the work, or is history."""
        return self.validity is not Validity.IGNORED

    @property
    def passes(self) -> bool:
        """True for a valid PASS of any commit."""
        return self.validity is Validity.VALID and self.outcome is Outcome.PASS

    @property
    def failed(self) -> bool:
        """True if its author failed the work, even if badly formed or edited by somebody else since."""
        unknown = not self.signal.known and self.source.pushed and not self.source.latest
        faulty = self.why is not None or self.outcome is None
        said = self.outcome is Outcome.FAIL or (faulty and self.signal.objects)
        return self.heard and (unknown or (said and self.source.by_author))

    @property
    def objection(self) -> str | None:
        """What is remembered of it after a removal: a FAIL, an unreadable word, or any other non-PASS."""
        if self.failed:
            return Outcome.FAIL.value
        spoken = self.heard and self.signal.kind is Kind.VERDICT
        if not spoken or (self.why is None and self.outcome in (*GOOD, None)):
            return None
        return INVALID if self.why is not None or self.outcome is None else self.outcome.value

    @property
    def place(self) -> str:
        """Its place as a word without spaces; for a file, a digest of its path and push."""
        if not self.source.pushed:
            return self.source.id
        told = text_digest(f"{self.signal.where.path} {self.source.commit}").partition(":")[2]
        return f"{self.source.medium.value}-{told[:12]}"

    @property
    def order(self) -> tuple[str, bool, int]:
        """The order of votes by time. Within a second a vote other than PASS counts as later."""
        return (self.source.at, not self.passes, self.source.number)


@dataclass(frozen=True, kw_only=True, slots=True)
class Act:
    """A human command, assessed."""

    command: Command
    counts: bool
    why: Problem | None = None
    content: str | None = None
    problems: tuple[Problem, ...] = ()

    @property
    def source(self) -> Source:
        """Where it was given, by whom and when."""
        return self.command.source

    @property
    def id(self) -> str:
        """Its name in the report: its place and verb."""
        return f"{self.source.id}/{self.command.verb or 'command'}"
