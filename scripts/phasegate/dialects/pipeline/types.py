"""The artifacts of the pipeline as types: what the reader makes of one file, and all that the rules see of it."""

from __future__ import annotations

import re
from enum import Enum
from typing import Generic, TypeAlias, TypeVar

from phasegate.catalogue import problem
from phasegate.dialects.pipeline.declaration import COPIES, DEBUG, FILES, GIT, NAME, PLAN, REVIEW, STATE, TEST, WORKER
from phasegate.model.frozen import dataclass
from phasegate.model.problem import Problem, Where
from phasegate.reading.document import Document, JsonPath, json_path


class Stage(str, Enum):
    """The stages in their order."""

    TRIAGE = "triage"
    PLAN = "plan"
    IMPLEMENT = "implement"
    TEST = "test"
    REVIEW = "review"
    GIT = "git"

    @property
    def rank(self) -> int:
        """Its place in the order."""
        return list(Stage).index(self)


class Tier(str, Enum):
    """The tiers of agents, from the cheapest to the most able."""

    FAST = "fast"
    STANDARD = "standard"
    HIGH = "high"

    @property
    def rank(self) -> int:
        """Its place in the order."""
        return list(Tier).index(self)


class Complexity(str, Enum):
    """How hard an issue is."""

    TRIVIAL = "trivial"
    STANDARD = "standard"
    COMPLEX = "complex"


class WorkStatus(str, Enum):
    """How the worker ended."""

    COMPLETED = "completed"
    BLOCKED = "blocked"
    ESCALATE = "escalate"


class Verdict(str, Enum):
    """What a tester, a reviewer or a single check says."""

    PASS = "PASS"
    FAIL = "FAIL"
    SKIP = "SKIP"


class Classification(str, Enum):
    """Where a failure is to be fixed."""

    FIX_TARGET = "fix_target"
    PLAN_DEFECT = "plan_defect"
    ESCALATE = "escalate"


class RunStatus(str, Enum):
    """Whether the work on an issue goes on."""

    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"
    PAUSED = "paused"


class Progress(str, Enum):
    """How far an acceptance criterion is."""

    PENDING = "pending"
    IMPLEMENTED = "implemented"
    VERIFIED = "verified"


@dataclass(frozen=True, kw_only=True, slots=True)
class Escalation:
    """One step from a tier to another."""

    from_tier: Tier
    to_tier: Tier
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Signed:
    """What every artifact may say of its writer."""

    produced_by: str | None = None
    tier_used: Tier | None = None
    escalation_history: tuple[Escalation, ...] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One step of a plan."""

    order: int
    file: str | None = None
    depends_on: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Criterion:
    """An acceptance criterion as a file writes it, and the tests that prove it; ``key`` leads to it in the file."""

    id: str
    key: str | int
    tests: tuple[str, ...] = ()
    status: Progress | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan(Signed):
    """``plan.json``."""

    affected_files: tuple[str, ...]
    steps: tuple[Step, ...]
    criteria: tuple[Criterion, ...] = ()
    complexity: Complexity | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkerResult(Signed):
    """``worker-result.json``."""

    status: WorkStatus
    files_changed: tuple[str, ...]
    summary: str
    blockers: tuple[str, ...] = ()
    commit: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """One check of a phase; ``path`` leads to what says how it went."""

    name: str
    result: Verdict
    path: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class TestResult(Signed):
    """``test-result.json``; ``phase_2`` is none where it did not run."""

    verdict: Verdict
    phase_1: tuple[Check, ...] = ()
    phase_2: tuple[Check, ...] | None = None
    classification: Classification | None = None
    inline_triage: bool | None = None
    fix_instruction: str | None = None
    commit: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewFinding:
    """Something that the reviewer found, with its place where it names one."""

    text: str
    file: str | None = None
    line: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewResult(Signed):
    """``review-result.json``."""

    verdict: Verdict
    blockers: tuple[ReviewFinding, ...] = ()
    concerns: tuple[ReviewFinding, ...] = ()
    commit: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class DebugDiagnosis(Signed):
    """``debug-diagnosis.json``."""

    failure_source: str
    root_cause: str
    root_cause_file: str | None
    root_cause_line: str | int | None
    classification: Classification
    escalation_sub: str | None = None
    fix_instructions: str | None = None
    plan_fix_instructions: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class GitResult(Signed):
    """``git-result.json``."""

    branch: str
    commit_sha: str
    commit_message: str
    pr_number: int | None = None
    pr_url: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class StageRecord:
    """What the planner noted of one stage."""

    agent: str | None = None
    result: Verdict | None = None
    artifact_path: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Retry:
    """A stage that was tried again; ``path`` leads to the note of it, ``count`` is how often."""

    stage: str
    tier: str | None
    count: int
    path: JsonPath


@dataclass(frozen=True, kw_only=True, slots=True)
class State(Signed):
    """``state.yaml``."""

    issue: str | int | None = None
    issue_number: int | None = None
    status: RunStatus | None = None
    current_stage: Stage | None = None
    criteria: tuple[Criterion, ...] = ()
    stages: tuple[tuple[Stage, StageRecord], ...] = ()
    retries: tuple[Retry, ...] = ()


Content: TypeAlias = Plan | WorkerResult | TestResult | ReviewResult | DebugDiagnosis | GitResult | State
C_co = TypeVar("C_co", covariant=True)


@dataclass(frozen=True, kw_only=True, slots=True)
class Artifact(Generic[C_co]):
    """One file of a folder: what it says, and the means to point into it."""

    name: str
    where: Where
    document: Document
    content: C_co
    problems: tuple[Problem, ...] = ()

    def problem(self, code: str, message: str, path: JsonPath = (), *, hint: str = "") -> Problem:
        """A problem at a value of the file."""
        return problem(code, message, self.where.at(self.document.position(path), json_path(path)), hint=hint)

    def key_problem(self, code: str, message: str, path: JsonPath, *, hint: str = "") -> Problem:
        """A problem at a key of the file."""
        return problem(code, message, self.where.at(self.document.key_position(path), json_path(path)), hint=hint)


ISSUE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class Kind:
    """One kind of artifact; ``writer`` is the agent's name without prefix and tier."""

    name: str
    content: type[Content]
    stage: Stage | None
    writer: str

    @property
    def schema(self) -> str:
        """The name of its schema."""
        return f"{NAME}/{self.name.partition('.')[0]}"


KINDS = {
    kind.name: kind
    for kind in (
        Kind(name=PLAN, content=Plan, stage=Stage.PLAN, writer="subplanner"),
        Kind(name=WORKER, content=WorkerResult, stage=Stage.IMPLEMENT, writer="worker"),
        Kind(name=TEST, content=TestResult, stage=Stage.TEST, writer="tester"),
        Kind(name=REVIEW, content=ReviewResult, stage=Stage.REVIEW, writer="reviewer"),
        Kind(name=DEBUG, content=DebugDiagnosis, stage=None, writer="debugger"),
        Kind(name=GIT, content=GitResult, stage=Stage.GIT, writer="git"),
        Kind(name=STATE, content=State, stage=None, writer="planner"),
    )
}
NAMES = FILES
ARTIFACT_OF = {kind.stage: kind.name for kind in KINDS.values() if kind.stage is not None}
WRITER_OF = {
    Stage.TRIAGE: "planner",
    **{kind.stage: kind.writer for kind in KINDS.values() if kind.stage is not None},
}
# Every folder has these; the plan only where the issue is not trivial.
STAGES = tuple(ARTIFACT_OF)

_AGENT = re.compile(r"(?:jg-)?(?P<writer>[a-z]+)(?:-(?P<tier>[a-z]+))?", re.ASCII)


def kind_of(name: str) -> Kind:
    """The kind of a file with a known name."""
    return KINDS[COPIES.get(name, name)]


def writer_and_tier(agent: str) -> tuple[str, str | None] | None:
    """An agent's name taken apart: ``jg-worker-fast`` is the worker of the tier fast."""
    match = _AGENT.fullmatch(agent)
    return (match["writer"], match["tier"]) if match else None


def agent_names(writer: str) -> str:
    """How a writer may be called, for a message."""
    return f"jg-{writer}, or with its tier jg-{writer}-{Tier.FAST.value}"
