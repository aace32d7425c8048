"""``state.yaml`` against the files beside it: the issue, the stages, the stage under way, the acceptance criteria."""

from __future__ import annotations

import re
from collections.abc import Iterator

from phasegate.dialects.pipeline.folder import Folder
from phasegate.dialects.pipeline.names import ARTIFACT_OF, STAGES, WRITER_OF
from phasegate.dialects.pipeline.routing import agent_problems
from phasegate.dialects.pipeline.stages import passed, stage_result
from phasegate.dialects.pipeline.types import Artifact, Criterion, Plan, Progress, RunStatus, Stage, StageRecord, State
from phasegate.model.evidence import PLAN
from phasegate.model.problem import Problem
from phasegate.reading.excerpt import excerpt

_NUMBER = re.compile(r"(?:.*[^0-9])?0*([1-9][0-9]{0,14})", re.ASCII | re.DOTALL)


def state_problems(folder: Folder, state: Artifact[State]) -> Iterator[Problem]:
    """Where the planner's notes and the files do not agree."""
    yield from _another_issue(folder, state)
    for stage, record in state.content.stages:
        yield from _record_problems(folder, state, stage, record)
    yield from _ahead(folder, state)
    if folder.plan is not None:
        yield from _criteria(state, folder.plan)
    yield from _progress(folder, state)


def _another_issue(folder: Folder, state: Artifact[State]) -> Iterator[Problem]:
    content = state.content
    names = {str(told) for told in (content.issue, content.issue_number) if told is not None}
    match = _NUMBER.fullmatch(folder.id)
    number = int(match[1]) if match else None
    if names and folder.id not in names and (number is None or number != content.issue_number):
        told = " and ".join(excerpt(name) for name in sorted(names))
        message = f"this is the folder of {excerpt(folder.id)}, but the state is that of {told}"
        yield state.problem("PG780", message, ("issue",) if content.issue is not None else ("issue_number",))
    issues = folder.context.issues
    if issues is not None and content.issue_number is not None and content.issue_number not in issues:
        linked = ", ".join(f"#{issue}" for issue in issues) or "none"
        message = f"issue_number is {content.issue_number}, which is not linked to this pull request (linked: {linked})"
        yield state.problem("PG780", message, ("issue_number",))


def _record_problems(folder: Folder, state: Artifact[State], stage: Stage, record: StageRecord) -> Iterator[Problem]:
    path = ("stages", stage.value)
    if record.agent is not None:
        yield from agent_problems(state, record.agent, WRITER_OF[stage], (*path, "agent"))
    if stage not in ARTIFACT_OF:
        return
    name = ARTIFACT_OF[stage]
    if record.artifact_path is not None:
        wanted = f"{folder.id}/{name}"
        if not f"/{record.artifact_path}".endswith(f"/{wanted}"):
            message = f"artifact_path is {excerpt(record.artifact_path)}; the stage {stage.value} leaves …/{wanted}"
            yield state.problem("PG781", message, (*path, "artifact_path"))
        elif not folder.has(name):
            message = f"artifact_path names {name}, which is not in the folder"
            yield state.problem("PG781", message, (*path, "artifact_path"))
    said = stage_result(folder, stage)
    if record.result is not None and said is not None and record.result is not said:
        message = f"stages.{stage.value}.result is {record.result.value}, but {name} says {said.value}"
        yield state.problem("PG782", message, (*path, "result"))


def _ahead(folder: Folder, state: Artifact[State]) -> Iterator[Problem]:
    """Stages that are noted as done and are not."""
    current, key = state.content.current_stage, "current_stage"
    done = [stage for stage in STAGES if current is not None and stage.rank < current.rank]
    if state.content.status is RunStatus.COMPLETED:
        done, key = list(STAGES), "status"
    for stage in done:
        name = ARTIFACT_OF[stage]
        if folder.is_broken(name) or (stage is Stage.PLAN and not folder.needs_plan):
            continue
        if not passed(folder, stage):
            how = "has not passed" if folder.has(name) else "is not there"
            told = RunStatus.COMPLETED.value if key == "status" else current.value if current else ""
            yield state.problem("PG783", f"{key} is {told}, but {name} {how}", (key,))


def _criteria(state: Artifact[State], plan: Artifact[Plan]) -> Iterator[Problem]:
    planned = {criterion.id: criterion for criterion in plan.content.criteria}
    for criterion in state.content.criteria:
        mapped = planned.get(criterion.id)
        path = ("acceptance_criteria", int(criterion.key))
        if mapped is None:
            message = f"the criterion {excerpt(criterion.id)} is not in the plan's acceptance_mapping"
            yield state.problem("PG784", message, (*path, "id"))
        elif criterion.tests and set(criterion.tests) != set(mapped.tests):
            message = f"{excerpt(criterion.id)} is mapped to {_listed(criterion)}, in {PLAN} to {_listed(mapped)}"
            yield state.problem("PG784", message, (*path, "test_mapped"))
    noted = {criterion.id for criterion in state.content.criteria}
    for criterion in plan.content.criteria:
        if noted and criterion.id not in noted:
            message = f"the plan's criterion {excerpt(criterion.id)} is not among acceptance_criteria"
            yield state.key_problem("PG784", message, ("acceptance_criteria",))


def _listed(criterion: Criterion) -> str:
    return ", ".join(excerpt(test) for test in criterion.tests[:2]) or "no test"


def _progress(folder: Folder, state: Artifact[State]) -> Iterator[Problem]:
    needs = {Progress.IMPLEMENTED: Stage.IMPLEMENT, Progress.VERIFIED: Stage.TEST}
    for criterion in state.content.criteria:
        stage = needs.get(criterion.status) if criterion.status else None
        if stage is None or criterion.status is None or folder.is_broken(ARTIFACT_OF[stage]):
            continue
        if not passed(folder, stage):
            path = ("acceptance_criteria", int(criterion.key), "status")
            message = f"{excerpt(criterion.id)} is {criterion.status.value}, but {ARTIFACT_OF[stage]} does not say so"
            yield state.problem("PG785", message, path)
