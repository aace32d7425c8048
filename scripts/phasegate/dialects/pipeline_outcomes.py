"""What an artifact says in the end, in the words that all dialects share."""

from __future__ import annotations

from collections.abc import Sequence

from phasegate.dialects.pipeline_folder import Folder
from phasegate.dialects.pipeline_names import ARTIFACT_OF
from phasegate.dialects.pipeline_types import (
    Artifact,
    Check,
    Content,
    DebugDiagnosis,
    ReviewResult,
    Stage,
    State,
    TestResult,
    Verdict,
    WorkerResult,
    WorkStatus,
)
from phasegate.model.signal import Outcome

_VERDICTS = {Verdict.PASS: Outcome.PASS, Verdict.FAIL: Outcome.FAIL}
_RESULTS = {Outcome.PASS: Verdict.PASS, Outcome.COMPLETE: Verdict.PASS}


def outcome(artifact: Artifact[Content]) -> Outcome | None:
    """What an artifact says, if it is valid: a plan and a delivery are complete by being there; a SKIP says nothing."""
    content = artifact.content
    if isinstance(content, WorkerResult):
        return Outcome.COMPLETE if content.status is WorkStatus.COMPLETED else Outcome.BLOCKED
    if isinstance(content, TestResult | ReviewResult):
        return _VERDICTS.get(content.verdict)
    return None if isinstance(content, DebugDiagnosis | State) else Outcome.COMPLETE


def second_phase(test: TestResult) -> Outcome | None:
    """What ``phase_2`` says, which is the pipeline's QA; nothing where none of it ran, or on what has not passed."""
    said = _checked(test.phase_2 or ())
    return None if said is Outcome.PASS and test.verdict is not Verdict.PASS else said


def _checked(checks: Sequence[Check]) -> Outcome | None:
    results = {check.result for check in checks}
    if Verdict.FAIL in results:
        return Outcome.FAIL
    return Outcome.PASS if Verdict.PASS in results else None


def stage_artifact(folder: Folder, stage: Stage) -> Artifact[Content] | None:
    """The artifact of a stage, where it is there and can be read."""
    return next((item for item in folder.artifacts if item.name == ARTIFACT_OF.get(stage)), None)


def stage_outcome(folder: Folder, stage: Stage) -> Outcome | None:
    """What the artifact of a stage says; nothing where it is missing or broken."""
    artifact = stage_artifact(folder, stage)
    return None if artifact is None else outcome(artifact)


def passed(folder: Folder, stage: Stage) -> bool:
    """Whether the artifact of a stage lets the next one begin."""
    return stage_outcome(folder, stage) in _RESULTS


def stage_result(folder: Folder, stage: Stage) -> Verdict | None:
    """The same as a state notes it; nothing where the artifact is missing or broken."""
    if stage_artifact(folder, stage) is None:
        return None
    said = stage_outcome(folder, stage)
    return Verdict.SKIP if said is None else _RESULTS.get(said, Verdict.FAIL)
