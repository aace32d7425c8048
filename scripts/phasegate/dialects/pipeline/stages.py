"""What an artifact says in the end, in the words that all dialects share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from phasegate.catalogue import problem
from phasegate.dialects.pipeline.declaration import DEBUG
from phasegate.dialects.pipeline.folder import Folder
from phasegate.dialects.pipeline.types import (
    ARTIFACT_OF,
    STAGES,
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
from phasegate.model.problem import Problem
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


_PLAN = ARTIFACT_OF[Stage.PLAN]
_TRIVIAL = "Let the stages run in order; if the issue is trivial, say so by its label or by --complexity trivial."
_SAYING = {Stage.IMPLEMENT: "status", Stage.TEST: "verdict", Stage.REVIEW: "verdict"}


def order_problems(folder: Folder) -> Iterator[Problem]:
    """Artifacts that stand on others which are missing or have not passed."""
    missing: list[str] = []
    for stage in STAGES:
        name = ARTIFACT_OF[stage]
        if folder.has(name):
            if missing:
                yield _without_earlier(folder, stage, missing)
            missing = []
        elif folder.asks_for(stage):
            missing.append(name)
    for earlier, later in pairwise(STAGES):
        if passed(folder, later):
            yield from _not_passed(folder, earlier, f"{ARTIFACT_OF[later]} stands on it")


def _without_earlier(folder: Folder, stage: Stage, missing: list[str]) -> Problem:
    name, artifact = ARTIFACT_OF[stage], stage_artifact(folder, stage)
    message = f"{name} is there, but {' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
    hint = _TRIVIAL if _PLAN in missing else ""
    if artifact is None:
        return problem("PG790", message, folder.file(name), hint=hint)
    return artifact.problem("PG790", message, hint=hint)


def _not_passed(folder: Folder, stage: Stage, therefore: str) -> Iterator[Problem]:
    artifact = stage_artifact(folder, stage)
    if artifact is not None and stage in _SAYING and not passed(folder, stage):
        yield artifact.problem("PG791", f"{artifact.name} has not passed, but {therefore}", (_SAYING[stage],))


def undiagnosed(folder: Folder) -> Iterator[Problem]:
    """Failures that nobody has diagnosed, and whose fix the tester has not told either."""
    if folder.has(DEBUG):
        return
    if folder.test and folder.test.content.verdict is Verdict.FAIL and not folder.test.content.inline_triage:
        yield _undiagnosed(folder.test)
    if folder.review and folder.review.content.verdict is Verdict.FAIL:
        yield _undiagnosed(folder.review)


def _undiagnosed(artifact: Artifact[TestResult] | Artifact[ReviewResult]) -> Problem:
    return artifact.problem("PG752", f"{artifact.name} says FAIL, but there is no {DEBUG}", ("verdict",))


def gate_problems(folder: Folder, stage: Stage) -> Iterator[Problem]:
    """What keeps a stage from being done: artifacts that are missing, and earlier ones that have not passed."""
    for each in STAGES[: STAGES.index(stage) + 1]:
        name = ARTIFACT_OF[each]
        if each is not stage and folder.has(name):
            yield from _not_passed(folder, each, f"the stage {stage.value} comes after it")
        elif not folder.has(name) and folder.asks_for(each):
            message = f"the stage {stage.value} needs {name}, which is missing"
            yield problem("PG792", message, folder.file(name), hint=_TRIVIAL if name == _PLAN else "")
