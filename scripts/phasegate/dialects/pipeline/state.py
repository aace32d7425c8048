"""``state.yaml`` against the files beside it: the issue, the stages, the stage under way, the acceptance criteria."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from phasegate.catalogue import problem
from phasegate.dialects.pipeline.declaration import COPIES, DEBUG, GIT, PLAN
from phasegate.dialects.pipeline.folder import Folder
from phasegate.dialects.pipeline.types import (
    ARTIFACT_OF,
    STAGES,
    WRITER_OF,
    Artifact,
    Check,
    Complexity,
    Content,
    Criterion,
    DebugDiagnosis,
    Plan,
    Progress,
    ReviewResult,
    RunStatus,
    Signed,
    Stage,
    StageRecord,
    State,
    TestResult,
    Tier,
    Verdict,
    WorkerResult,
    WorkStatus,
    agent_names,
    kind_of,
    writer_and_tier,
)
from phasegate.model.frozen import replace
from phasegate.model.problem import Problem, Severity
from phasegate.model.signal import Outcome
from phasegate.reading.document import JsonPath, excerpt

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
        message = f"this is the folder of {excerpt(folder.id)}, but state.yaml belongs to {told}"
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
        differs = state.problem("PG782", message, (*path, "result"))
        yield replace(differs, severity=Severity.WARNING) if said is Verdict.PASS else differs  # a note that lags


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


MOST_RETRIES = 2
_TIERS = tuple(tier.value for tier in Tier)


def signature_problems(artifact: Artifact[Content]) -> Iterator[Problem]:
    """What an artifact says of its writer that cannot be."""
    content = artifact.content
    if content.produced_by is not None:
        kind = kind_of(artifact.name)
        yield from agent_problems(artifact, content.produced_by, kind.writer, ("produced_by",), content.tier_used)
    yield from _escalation_problems(artifact)
    yield from _copy_problems(artifact)


def agent_problems(
    artifact: Artifact[Content], agent: str, writer: str, path: JsonPath, tier: Tier | None = None
) -> Iterator[Problem]:
    """What is wrong with the name of an agent that should be this writer."""
    found = writer_and_tier(agent)
    if found is None or found[0] != writer or found[1] not in (None, *_TIERS):
        message = f"{path[-1]} is {excerpt(agent)}; expected {agent_names(writer)}"
        yield artifact.problem("PG770", message, path)
    elif found[1] and tier and found[1] != tier.value:
        message = f"{path[-1]} is {excerpt(agent)}, but tier_used is {tier.value}"
        yield artifact.problem("PG770", message, path)


def _escalation_problems(artifact: Artifact[Signed]) -> Iterator[Problem]:
    history = artifact.content.escalation_history or ()
    for index, step in enumerate(history):
        if step.to_tier.rank <= step.from_tier.rank:
            message = f"the work went from {step.from_tier.value} to {step.to_tier.value}, which is not a higher tier"
            yield artifact.problem("PG772", message, ("escalation_history", index, "to_tier"))
    for index, (one, other) in enumerate(pairwise(history), start=1):
        if other.from_tier is not one.to_tier:
            message = f"this step begins at {other.from_tier.value}, but the one before it ended at {one.to_tier.value}"
            yield artifact.problem("PG773", message, ("escalation_history", index, "from_tier"))
    used = artifact.content.tier_used
    if history and used and history[-1].to_tier is not used:
        message = f"the last escalation ended at {history[-1].to_tier.value}, but tier_used is {used.value}"
        yield artifact.problem("PG774", message, ("tier_used",))


def _copy_problems(artifact: Artifact[Content]) -> Iterator[Problem]:
    """A copy whose name says what its content does not."""
    if artifact.name not in COPIES:
        return
    wanted = artifact.name.removesuffix(".json").rpartition("-")[2]
    content = artifact.content
    key, told = ("verdict", content.verdict) if isinstance(content, TestResult) else ("tier_used", content.tier_used)
    if told is not None and told.value.lower() != wanted:
        message = f"the name says {wanted}, but {key} is {told.value}"
        yield artifact.problem("PG707", message, (key,))


def tier_problems(folder: Folder) -> Iterator[Problem]:
    """Agents of a tier that the issue's complexity does not allow, and a plan that a trivial issue does not need."""
    if folder.complexity is Complexity.COMPLEX:
        for artifact in folder.artifacts:
            for key, told in _fast_by(artifact.content) if artifact.name != GIT else ():
                yield artifact.problem("PG771", f"{key} is {told}, but the issue is complex", (key,))
    if folder.complexity is Complexity.TRIVIAL and folder.plan is not None:
        yield folder.plan.problem("PG775", "the issue is trivial, but it has a plan", ("complexity",))


def _fast_by(content: Content) -> Iterator[tuple[str, str]]:
    """What tells of an artifact that the fast tier wrote it: key and value."""
    if content.tier_used is Tier.FAST:
        yield "tier_used", Tier.FAST.value
    named = None if content.produced_by is None else writer_and_tier(content.produced_by)
    if named is not None and named[1] == Tier.FAST.value:
        yield "produced_by", excerpt(content.produced_by or "")


def retry_problems(state: Artifact[State]) -> Iterator[Problem]:
    """Stages that were tried more often than the pipeline does."""
    counts: Counter[tuple[str, str | None]] = Counter()
    for retry in state.content.retries:
        before = counts[retry.stage, retry.tier]
        counts[retry.stage, retry.tier] += retry.count
        if before <= MOST_RETRIES < before + retry.count:
            what = f"the stage {excerpt(retry.stage)}" if retry.stage else "a stage"
            tier = f" at the tier {excerpt(retry.tier)}" if retry.tier else ""
            message = f"{what} was tried again more than {MOST_RETRIES} times{tier}"
            yield state.problem("PG786", message, retry.path)


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
