"""``state.yaml`` against the files beside it, and the order of the stages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from phasegate.catalogue import problem
from phasegate.dialects.pipeline.artifact import ARTIFACT_OF, SAYING, STAGES, Artifact, Stage, outcome
from phasegate.dialects.pipeline.contradictions import criterion_id, tests_of
from phasegate.dialects.pipeline.declaration import DEBUG, PLAN, REVIEW, STATE, TEST
from phasegate.dialects.pipeline.folder import Folder
from phasegate.model.problem import Problem
from phasegate.model.signal import Outcome
from phasegate.reading.document import excerpt

_NUMBER = re.compile(r"(?:.*[^0-9])?0*([1-9][0-9]{0,14})", re.ASCII | re.DOTALL)


def state_problems(folder: Folder) -> Iterator[Problem]:
    """Where the planner's notes and the files do not agree."""
    state = folder.artifact(STATE)
    if state is None:
        return
    yield from another_issue(folder, state)
    for name, record in (state.get("stages") or {}).items():
        if name in list(Stage):
            yield from _record_problems(folder, state, Stage(name), record or {})
    yield from _ahead(folder, state)
    criteria = state.get("acceptance_criteria") or []
    plan = folder.artifact(PLAN)
    if plan is not None:
        yield from _criteria(state, criteria, plan)
    for index, criterion in enumerate(criteria):
        stage = {"implemented": Stage.IMPLEMENT, "verified": Stage.TEST}.get(criterion.get("status"))
        if stage is not None and not folder.is_broken(ARTIFACT_OF[stage]) and not passed(folder, stage):
            told = f"{excerpt(criterion['id'])} is {criterion['status']}"
            path = ("acceptance_criteria", index, "status")
            yield state.problem("PG782", f"{told}, but {ARTIFACT_OF[stage]} does not say so", path)


def another_issue(folder: Folder, state: Artifact) -> Iterator[Problem]:
    """That a state belongs to another folder, or to an issue that the pull request does not close."""
    issue, number = state.get("issue"), state.get("issue_number")
    names = {str(told) for told in (issue, number) if told is not None}
    match = _NUMBER.fullmatch(folder.id)
    if names and folder.id not in names and (match is None or int(match[1]) != number):
        told = " and ".join(excerpt(name) for name in sorted(names))
        message = f"state.yaml belongs to {told}, but stands in the folder of {excerpt(folder.id)}"
        yield state.problem("PG780", message, ("issue",) if issue is not None else ("issue_number",))
    issues = folder.context.issues
    if issues is not None and number is not None and number not in issues:
        linked = ", ".join(f"#{each}" for each in issues) or "none"
        message = f"issue_number is {number}, which is not linked to this pull request (linked: {linked})"
        yield state.problem("PG780", message, ("issue_number",))


def _record_problems(folder: Folder, state: Artifact, stage: Stage, record: dict[str, Any]) -> Iterator[Problem]:
    path, name, left = ("stages", stage.value), ARTIFACT_OF.get(stage), record.get("artifact_path")
    if name is None:
        return
    if left is not None and not f"/{left}".endswith(f"/{folder.id}/{name}"):
        message = f"artifact_path is {excerpt(left)}; the stage {stage.value} leaves …/{folder.id}/{name}"
        yield state.problem("PG782", message, (*path, "artifact_path"))
    elif left is not None and not folder.has(name):
        message = f"artifact_path names {name}, which is not in the folder"
        yield state.problem("PG782", message, (*path, "artifact_path"))
    artifact = folder.artifact(name)
    noted, said = str(record.get("result") or "").upper(), artifact and _as_noted(outcome(artifact))
    if noted and said and noted != said:
        message = f"stages.{stage.value}.result is {noted}, but {name} says {said}"
        yield state.problem("PG782", message, (*path, "result"))


def _as_noted(said: Outcome | None) -> str:
    """An outcome as a state notes it."""
    return "SKIP" if said is None else "PASS" if said in (Outcome.PASS, Outcome.COMPLETE) else "FAIL"


def _ahead(folder: Folder, state: Artifact) -> Iterator[Problem]:
    """Stages that are noted as done and are not, and work that is noted as stopped and is not."""
    current, key = state.get("current_stage"), "current_stage"
    done = [stage for stage in STAGES if current is not None and stage.rank < Stage(current).rank]
    if state.get("status") == "completed":
        done, key = list(STAGES), "status"
    if state.get("status") in ("failed", "paused") and all(passed(folder, stage) for stage in STAGES[1:4]):
        message = f"status is {state.get('status')}, but work, tests and review have passed"
        yield state.problem("PG782", message, ("status",))
    for stage in done:
        name = ARTIFACT_OF[stage]
        if folder.is_broken(name) or (stage is Stage.PLAN and not folder.needs_plan):
            continue
        if not passed(folder, stage):
            how = "has not passed" if folder.has(name) else "is not there"
            yield state.problem("PG782", f"{key} is {state.get(key)}, but {name} {how}", (key,))


def _criteria(state: Artifact, criteria: list[dict[str, Any]], plan: Artifact) -> Iterator[Problem]:
    planned = {criterion_id(key): tests_of(mapped) for key, mapped in plan.get("acceptance_mapping").items()}
    for index, criterion in enumerate(criteria):
        path, name, tests = ("acceptance_criteria", index), criterion["id"], tests_of(criterion.get("test_mapped"))
        if name not in planned:
            message = f"the criterion {excerpt(name)} is not in the plan's acceptance_mapping"
            yield state.problem("PG782", message, (*path, "id"))
        elif tests and set(tests) != set(planned[name]):
            message = f"{excerpt(name)} is mapped to {_listed(tests)}, in {PLAN} to {_listed(planned[name])}"
            yield state.problem("PG782", message, (*path, "test_mapped"))
    noted = {criterion["id"] for criterion in criteria}
    for name in planned:
        if noted and name not in noted:
            message = f"the plan's criterion {excerpt(name)} is not among acceptance_criteria"
            yield state.key_problem("PG782", message, ("acceptance_criteria",))


def _listed(tests: tuple[str, ...]) -> str:
    return ", ".join(excerpt(test) for test in tests[:2]) or "no test"


def stage_outcome(folder: Folder, stage: Stage) -> Outcome | None:
    """What the artifact of a stage says; nothing where it is missing or broken."""
    artifact = folder.artifact(ARTIFACT_OF[stage]) if stage in ARTIFACT_OF else None
    return None if artifact is None else outcome(artifact)


def passed(folder: Folder, stage: Stage) -> bool:
    """True if the artifact of a stage lets the next one begin."""
    return stage_outcome(folder, stage) in (Outcome.PASS, Outcome.COMPLETE)


_TRIVIAL = "Let the stages run in order; if the issue is trivial, say so by its label or by --complexity trivial."


def order_problems(folder: Folder) -> Iterator[Problem]:
    """Artifacts that stand on others which are missing or have not passed."""
    missing: list[str] = []
    for stage in STAGES:
        name = ARTIFACT_OF[stage]
        if folder.has(name):
            if missing:
                are = f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
                artifact = folder.artifact(name)
                where = folder.file(name) if artifact is None else artifact.where.at(artifact.document.position(), "$")
                yield problem("PG790", f"{name} is there, but {are}", where, hint=_TRIVIAL if PLAN in missing else "")
            missing = []
        elif folder.asks_for(stage):
            missing.append(name)
    for earlier, later in pairwise(STAGES):
        if passed(folder, later):
            yield from _not_passed(folder, earlier, f"{ARTIFACT_OF[later]} stands on it")


def _not_passed(folder: Folder, stage: Stage, therefore: str) -> Iterator[Problem]:
    artifact = folder.artifact(ARTIFACT_OF[stage])
    if artifact is not None and artifact.kind in SAYING and not passed(folder, stage):
        yield artifact.problem("PG791", f"{artifact.name} has not passed, but {therefore}", (SAYING[artifact.kind],))


def undiagnosed(folder: Folder) -> Iterator[Problem]:
    """Failures that nobody has diagnosed, and whose fix the tester has not told either."""
    told = (TEST, REVIEW) if folder.has(DEBUG) else (TEST,) if folder.get(TEST, "inline_triage") else ()
    for artifact in (folder.artifact(name) for name in (TEST, REVIEW) if name not in told):
        if artifact is not None and artifact.get("verdict") == "FAIL":
            yield artifact.problem("PG752", f"{artifact.name} says FAIL, but there is no {DEBUG}", ("verdict",))


def gate_problems(folder: Folder, stage: Stage) -> Iterator[Problem]:
    """What keeps a stage from being done: artifacts that are missing, and earlier ones that have not passed."""
    for each in STAGES[: STAGES.index(stage) + 1]:
        name = ARTIFACT_OF[each]
        if each is not stage and folder.has(name):
            yield from _not_passed(folder, each, f"the stage {stage.value} comes after it")
        elif not folder.has(name) and folder.asks_for(each):
            message = f"the stage {stage.value} needs {name}, which is missing"
            yield problem("PG792", message, folder.file(name), hint=_TRIVIAL if name == PLAN else "")
