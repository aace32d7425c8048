"""The order of the stages: nothing without what comes before it, nothing on top of what has not passed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from phasegate.catalogue import problem
from phasegate.dialects.pipeline_folder import Folder
from phasegate.dialects.pipeline_names import ARTIFACT_OF, STAGES
from phasegate.dialects.pipeline_outcomes import passed, stage_artifact
from phasegate.dialects.pipeline_types import Artifact, ReviewResult, Stage, TestResult, Verdict
from phasegate.model.evidence import DEBUG
from phasegate.model.problem import Problem

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
