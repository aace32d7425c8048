"""The names of the pipeline's files: which artifact each one is, at which stage it is left, and by whom."""

from __future__ import annotations

import re

from phasegate.dialects.pipeline.types import (
    Content,
    DebugDiagnosis,
    GitResult,
    Plan,
    ReviewResult,
    Stage,
    State,
    TestResult,
    Tier,
    WorkerResult,
)
from phasegate.model.evidence import COPIES, DEBUG, FILES, GIT, PLAN, REVIEW, STATE, TEST, WORKER
from phasegate.model.frozen import dataclass

DIALECT = "pipeline"
# Files of the pipeline that are nobody's word about the work.
OTHERS = ("pipeline-trace.json", "lessons.yaml")

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
        return f"{DIALECT}/{self.name.partition('.')[0]}"


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
