"""Signals: what every dialect's words end in, and the only thing the rules see of them."""

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
    """Where words stand."""

    PULL_REQUEST = "pull_request"
    ISSUE = "issue"


class Kind(str, Enum):
    """What a signal is for; what a stranger wrote is not read."""

    VERDICT = "verdict"
    REPORT = "report"
    PROPOSAL = "proposal"
    UNREAD = "unread"


class Outcome(str, Enum):
    """What a verdict says."""

    PASS = "PASS"
    FAIL = "FAIL"
    COMPLETE = "COMPLETE"
    FIXED = "FIXED"
    PARTIAL = "PARTIAL"
    BLOCKED = "BLOCKED"


class Medium(str, Enum):
    """What words are written in."""

    COMMENT = "comment"
    REVIEW = "review"
    FILE = "file"
    CHECK_RUN = "check_run"


class Subject(str, Enum):
    """What words are about: the product as it would merge, the plan of an issue, or neither."""

    PRODUCT = "product"
    PLAN = "plan"
    NOTHING = "nothing"


class Asks(str, Enum):
    """What a text itself asks for, beyond what the policy does."""

    HUMAN = "human"
    QA = "qa"


VERDICT, REPORT = "verdict", "report"  # what words of a role are called
SPELT = {"coderabbit": "CodeRabbit"}


def role_title(name: str) -> str:
    """A role as people write it; a file as it is."""
    return name if "." in name else SPELT.get(name, name.replace("-", " ").capitalize())


@dataclass(frozen=True, kw_only=True, slots=True)
class Role:
    """A seat: whose words of which dialect fill it, and in which media.

    ``letter`` is what the ids of its findings begin with. ``after`` are the seats whose newer file makes it stale.
    What is ``remembered`` is a round even after its text was replaced. ``part_of`` is the seat of the whole file.
    What is ``per_issue`` has a seat for each linked issue, in that issue's folder. What is ``advisory`` is shown and
    fills no seat. Where ``only_named``, nobody speaks but accounts that the policy names for it. What is a ``document``
    is called by what is written, not by who writes it. In the media that it ``only_objects`` in, it passes nothing.
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
        """True if it judges the work that others make."""
        return self.does in (Does.CHALLENGES, Does.CONFIRMS)

    @property
    def noun(self) -> str:
        """What its words are called beside its name; nothing where that is the name."""
        return "" if self.document else VERDICT if self.judges else REPORT

    @property
    def file(self) -> str:
        """The seat that stands for the whole document."""
        return self.part_of or self.name

    @property
    def title(self) -> str:
        """The name as people write it; that of a file as it is."""
        return role_title(self.name)


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """Where a signal was written, by whom and when; one version of a text that may have had several.

    The author of a file is the account that pushed it, its commit what that push made the head, its issue the one whose
    folder it is in.
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
        """Whether it is a file of the branch."""
        return self.medium is Medium.FILE

    @property
    def login(self) -> str:
        """The login of its author; empty if nobody knows it."""
        return "" if self.author is None else self.author.login

    @property
    def account(self) -> int | None:
        """The id of its author."""
        return None if self.author is None else self.author.id

    @property
    def moment(self) -> tuple[str, int]:
        """When it was written; in one second the server's own numbers tell the order."""
        return (self.at, self.number)

    def is_after(self, other: Source) -> bool:
        """Whether it surely was written after something; of two things of one second nobody can tell.

        What one text says, or the files of one push, is all there at once.
        """
        one_push = self.pushed and other.pushed and (self.at, self.commit) == (other.at, other.commit)
        return self.at > other.at or one_push or self.id == other.id


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One thing that a role holds against the work; its ``severity`` is empty where nothing tells it.

    Of one that is ``threaded`` the review thread that it stands in tells when it ends; all others have none. Where a
    text tells no more than how many there are, ``count`` says so.
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
    """A finding of another role that is called noise, with the evidence beside it: output, or lines of files."""

    id: str
    output: bool = False
    lines: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class RoleClaim:
    """One place in a text that tells its role; one that ``gives_way`` does where a surer one tells another role."""

    by: str
    role: str
    gives_way: bool = False


STOPPED = "it does not say why"  # the question of an agent that stopped for a human without a word


@dataclass(frozen=True, kw_only=True, slots=True)
class Cause:
    """A key of a word that takes its pass back or asks for more: what it says, and the value that it would take.

    ``asks`` is what it asks for; none where it keeps the word from passing.
    """

    key: str
    says: str
    takes: str = ""
    asks: Asks | None = None
    where: Where


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """Who does what next, and which message goes to them or is expected of them."""

    to: str
    says: str
    answer: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Signal:
    """One word of an agent in normal form.

    ``outcome`` is none where it could not be read, ``said`` the same in the writer's own word. ``must_fix`` is none
    where the dialect has no such list or the writer left it out. ``title`` and ``description`` are those of a proposal;
    of other signals ``title`` names the blocks that stand beside them. ``run`` is the agent's own name for its run,
    ``notes`` a text that is shown with the word. ``digest`` is that of the whole text. Where the text is not ``known``,
    it was there and may have said anything. Where nothing tells its role, ``may_be`` are those that it can be of. If
    something is wrong with it, it ``objects`` if it names a FAIL, a demand or a severe finding, and ``says_pass`` if
    its own text does, outside quotes. What is ``shown`` as an example is a word only of who speaks for that role
    anyway; a comment ``fenced`` as a whole is headed as this role's. A pass counts until it ``expires``; what is
    ``lasting`` is taken back only by its own kind. Blocking findings stand ``across`` contents if it says so: a pass
    about the ``whole`` change ends them, one about the newest push alone does not. An ``idle`` one is a notice that a
    reviewer did not run. ``causes`` are the keys that take a pass back or ask for more, ``question`` is one to a human.
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
        """The roles that the text claims, each once, in the order of the claims."""
        return tuple(dict.fromkeys(claim.role for claim in self.claims))


@dataclass(frozen=True, kw_only=True, slots=True)
class IssueFolder:
    """The folder of an issue, or of a pull request without one: where it is or would be, and what is wrong with it.

    ``rivals`` are the folders that it may be as well. Before ``since`` another one may have been it.
    """

    issue: int | None
    path: str
    rivals: tuple[str, ...] = ()
    wrong: Problem | None = None
    since: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class HowTo:
    """How a role's words are written: in which carrier or file, under which heading, by which schema.

    A file that ``names_commit`` is another one each time; Git does not see the same bytes pushed again.
    ``renew`` is the key of a file that is changed where it would come out the same again, ``noun`` what the words are
    called beside the name of the role. A vendor's reviewer looks when somebody comments ``request``, or requests a
    review from the account ``reviewer``; at the whole change when somebody comments ``whole``. An ``example`` is as
    small as it can be, and finds something to fix: copied as it is, it passes nothing.
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
    """A human act, as it stands on a line of its own: ``/gate approve plan``; a stranger's is ``unread``.

    ``commit`` is the one that it names. One that is misspelt has the verb and phase that were probably meant, and what
    was ``written``; it is ``loose`` where it does not even begin like a command, ``guessed`` where the verb is told by
    another word, ``inline`` in a review thread. ``doubts`` are the phases that a line names which begins like a command
    and is none: what its author approved of them before is uncovered.
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


ASKS = "asks-"  # before what a word asked for, where that is remembered
INVALID = "invalid"  # what is remembered of a word that could not be read
GOOD = (Outcome.PASS, Outcome.COMPLETE, Outcome.FIXED)


class Validity(str, Enum):
    """What a vote is worth before anybody asks which commit it speaks of."""

    VALID = "valid"
    INVALID = "invalid"
    IGNORED = "ignored"
    EDITED_AWAY = "edited_away"


@dataclass(frozen=True, kw_only=True, slots=True)
class Unread:
    """One version of a text in which no dialect finds a word.

    ``name`` is that of a check run. It ``commands`` where it holds a command, and so is no try at a word. ``miss`` says
    how it misses the form of a role's words.
    """

    source: Source
    blank: bool
    commands: bool = False
    name: str = ""
    miss: Callable[[Role], Problem]


@dataclass(frozen=True, kw_only=True, slots=True)
class Vote:
    """A signal for one role, assessed: may its author speak, is it sound, which commit and content it judged.

    ``why`` is the problem that decided its validity, ``stale`` why it no longer is about what would merge, where more
    than the commit tells that.
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
        """Its name in the report: where it stands, which version of the text, and what it is."""
        version = "" if self.source.latest and self.source.version == 1 else f".{self.source.version}"
        return f"{self.source.id}{version}/{self.signal.kind.value}"

    @property
    def source(self) -> Source:
        """Where it was given, by whom and when."""
        return self.signal.source

    @property
    def heard(self) -> bool:
        """True unless it is ignored: then it counts for the work or against it, or is history."""
        return self.validity is not Validity.IGNORED

    @property
    def passes(self) -> bool:
        """Whether this is a sound PASS, whatever commit it speaks of."""
        return self.validity is Validity.VALID and self.outcome is Outcome.PASS

    @property
    def failed(self) -> bool:
        """Whether its author failed the work with it, however badly written and even if the text was changed since."""
        unknown = not self.signal.known and self.source.pushed and not self.source.latest
        faulty = self.why is not None or self.outcome is None
        said = self.outcome is Outcome.FAIL or (faulty and self.signal.objects)
        return self.heard and (unknown or (said and self.source.by_author))

    @property
    def objection(self) -> str | None:
        """What is remembered of it however it goes away: that it failed, could not be read, or was no PASS."""
        if self.failed:
            return Outcome.FAIL.value
        spoken = self.heard and self.signal.kind is Kind.VERDICT
        if not spoken or (self.why is None and self.outcome in (*GOOD, None)):
            return None
        return INVALID if self.why is not None or self.outcome is None else self.outcome.value

    @property
    def place(self) -> str:
        """Where it was said, in a word without spaces: of a file, a digest of its path and of the push."""
        if not self.source.pushed:
            return self.source.id
        told = text_digest(f"{self.signal.where.path} {self.source.commit}").partition(":")[2]
        return f"{self.source.medium.value}-{told[:12]}"

    @property
    def order(self) -> tuple[str, bool, int]:
        """Votes in order of time; in one second a vote that is no PASS counts as the later."""
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
        """Its name in the report: where it stands, and what it asks for."""
        return f"{self.source.id}/{self.command.verb or 'command'}"
