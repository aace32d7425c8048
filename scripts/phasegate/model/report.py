"""The report: what the rules decided, from one need up to the whole."""

from __future__ import annotations

from enum import Enum

from phasegate.model.frozen import dataclass
from phasegate.model.problem import Problem
from phasegate.model.signal import Place
from phasegate.model.vote import Act, Vote


class State(str, Enum):
    """The four states that GitHub gives a commit status; unknown is never ``success``."""

    SUCCESS = "success"
    FAILURE = "failure"
    PENDING = "pending"
    ERROR = "error"


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
class RoundVote:
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
    votes: tuple[RoundVote, ...]
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
    """A vote in the report: what was done with it and why."""

    id: str
    vote: Vote
    phase: str | None
    disposition: Disposition
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Provenance:
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
    provenance: Provenance


@dataclass(frozen=True, kw_only=True, slots=True)
class StatusLine:
    """A commit status as GitHub takes it."""

    context: str
    state: State
    description: str
