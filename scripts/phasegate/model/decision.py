"""Decisions: what the rules make of signals, from one weighed word up to the whole report."""

from __future__ import annotations

from enum import Enum

from phasegate.model.frozen import dataclass
from phasegate.model.problem import Problem, Severity
from phasegate.model.signal import Command, Outcome, Place, Signal

STILL_A_FAIL = ("PG301", "PG302", "PG304", "PG305")  # a FAIL of an unclear commit is still a FAIL


class State(str, Enum):
    """The four states that GitHub gives a commit status; unknown is never ``success``."""

    SUCCESS = "success"
    FAILURE = "failure"
    PENDING = "pending"
    ERROR = "error"


class Standing(str, Enum):
    """What a word is worth before anybody asks which commit it speaks of."""

    VALID = "valid"
    INVALID = "invalid"
    IGNORED = "ignored"
    EDITED_AWAY = "edited_away"


class Disposition(str, Enum):
    """What was done with a signal in the end."""

    COUNTED = "counted"
    STALE = "stale"
    SUPERSEDED = "superseded"
    OVERRULED = "overruled"
    INVALID = "invalid"
    IGNORED = "ignored"
    SHOWN = "shown"


class NeedState(str, Enum):
    """Whether something that a phase needs is there."""

    MET = "met"
    FAILED = "failed"
    WAITING = "waiting"


class NeedKind(str, Enum):
    """What a phase may need."""

    LINKED_ISSUE = "linked_issue"
    EARLIER_PHASE = "earlier_phase"
    PLAN = "plan"
    ROLE = "role"
    WORKER = "worker"
    ARTIFACT = "artifact"
    HUMAN = "human"
    HISTORY = "history"
    ATTEMPTS = "attempts"


@dataclass(frozen=True, kw_only=True, slots=True)
class Word:
    """A signal for one role, weighed: may its author speak, is it sound, which commit and content it judged.

    ``stale`` says why it no longer is about what would merge, where more than the commit tells that.
    """

    signal: Signal
    role: str | None
    standing: Standing
    reason: str = ""
    outcome: Outcome | None = None
    commit: str | None = None
    content: str | None = None
    fresh: bool = False
    stale: str = ""
    problems: tuple[Problem, ...] = ()

    @property
    def id(self) -> str:
        """Its name in the report: where it stands, which version of the text, and what it is."""
        source = self.signal.source
        version = "" if source.latest and source.version == 1 else f".{source.version}"
        return f"{source.id}{version}/{self.signal.kind.value}"

    @property
    def passes(self) -> bool:
        """Whether this is a sound PASS, whatever commit it speaks of."""
        return self.standing is Standing.VALID and self.outcome is Outcome.PASS

    @property
    def failed(self) -> bool:
        """Whether its author failed the work with it, even if the text was changed since or its commit is not clear."""
        if self.standing is Standing.IGNORED:
            return False
        if self.signal.source.pushed:  # however badly written; and of what was never read nobody knows better
            return self.outcome is Outcome.FAIL or (self.signal.unread and not self.signal.source.latest)
        errors = (item.code for item in self.problems if item.severity is Severity.ERROR)
        return self.outcome is Outcome.FAIL and all(code in STILL_A_FAIL for code in errors)

    @property
    def order(self) -> tuple[str, bool, int]:
        """Words in order of time; in one second a word that is no PASS counts as the later."""
        return (self.signal.source.at, not self.passes, self.signal.source.number)


@dataclass(frozen=True, kw_only=True, slots=True)
class Act:
    """A human command, weighed."""

    command: Command
    counts: bool
    reason: str = ""
    content: str | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class IssueRoute:
    """What one linked issue asks for."""

    number: int
    url: str
    type: str
    type_source: str
    qa_required: bool
    quick: bool
    spent_by: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Route:
    """Which way through the phases the linked issues ask for: the strictest of them."""

    issues: tuple[IssueRoute, ...]
    type: str
    type_source: str
    qa_required: bool
    quick: bool
    reason: str
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Need:
    """One thing that a phase needs, and how it stands."""

    kind: NeedKind
    name: str
    state: NeedState
    text: str
    todo: str = ""
    signal: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RoundWord:
    """What a role said about one content."""

    role: str
    outcome: str
    signal: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RoundFinding:
    """A finding of a failing round, and the label of the round that it was first raised in."""

    id: str
    role: str
    summary: str
    location: str
    first_in: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Round:
    """One content that was judged, and what was said about it; commits for code, issue numbers for plans.

    ``fixed`` are the findings of the failing round before that nobody raised again.
    """

    content: str
    label: str
    current: bool
    words: tuple[RoundWord, ...]
    findings: tuple[RoundFinding, ...] = ()
    fixed: tuple[RoundFinding, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class PhaseReport:
    """How a phase stands and why; a phase that was not judged says so in its note."""

    name: str
    context: str
    state: State
    where: Place
    note: str = ""
    needs: tuple[Need, ...] = ()
    rounds: tuple[Round, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class SignalReport:
    """A word in the report: what was done with it and why."""

    id: str
    word: Word
    phase: str | None
    disposition: Disposition
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """What the decision was made from, so that it can be made again."""

    snapshot_digest: str
    policy_digest: str
    policy_source: str
    version: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """The whole decision; a note where the phases alone do not explain the overall state."""

    repository: str
    pull_request: int
    url: str
    head: str
    state: State
    context: str
    note: str
    route: Route | None
    phases: tuple[PhaseReport, ...]
    signals: tuple[SignalReport, ...]
    acts: tuple[Act, ...]
    problems: tuple[Problem, ...]
    evidence: Evidence


@dataclass(frozen=True, kw_only=True, slots=True)
class StatusLine:
    """A commit status as GitHub takes it."""

    context: str
    state: State
    description: str
