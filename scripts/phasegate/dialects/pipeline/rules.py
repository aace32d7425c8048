"""The pipeline dialect: the files of an issue's folder in, what each says and everything that is wrong with them out.

``read_artifact`` and ``read_folder`` read; ``artifact_problems`` and ``stage_problems`` judge; ``outcome`` and
``second_phase`` say what the phases of the gate need to know.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeAlias, cast

from phasegate.dialects.dialect import Checked, LocalFile
from phasegate.dialects.pipeline.declaration import FOLDER, OTHERS
from phasegate.dialects.pipeline.folder import Context, Folder, read_folder
from phasegate.dialects.pipeline.plan import fact_problems, path_problems, plan_problems, scope_problems
from phasegate.dialects.pipeline.reading import MOST, read_artifact, unknown_name
from phasegate.dialects.pipeline.state import (
    gate_problems,
    order_problems,
    outcome,
    retry_problems,
    second_phase,
    signature_problems,
    stage_outcome,
    state_problems,
    tier_problems,
    undiagnosed,
)
from phasegate.dialects.pipeline.types import (
    ISSUE_ID,
    NAMES,
    STAGES,
    Artifact,
    Check,
    Classification,
    Complexity,
    Content,
    DebugDiagnosis,
    GitResult,
    Plan,
    ReviewResult,
    Stage,
    State,
    TestResult,
    Verdict,
    WorkerResult,
    WorkStatus,
)
from phasegate.model.frozen import replace
from phasegate.model.problem import Problem, Where
from phasegate.reading.document import excerpt, tells_of_some

__all__ = [
    "FOLDER",
    "ISSUE_ID",
    "NAMES",
    "OTHERS",
    "STAGES",
    "Artifact",
    "Complexity",
    "Content",
    "Context",
    "Folder",
    "Stage",
    "artifact_problems",
    "outcome",
    "own_problems",
    "read_artifact",
    "read_folder",
    "second_phase",
    "stage_outcome",
    "stage_problems",
    "unknown_name",
]

Rule: TypeAlias = Callable[[Folder], Iterator[Problem]]
_RULES: tuple[Rule, ...] = (scope_problems, fact_problems, tier_problems)


def own_problems(artifact: Artifact[Content]) -> tuple[Problem, ...]:
    """What is wrong in one file, whatever stands beside it."""
    return _in_order(_own(artifact, ()))


def artifact_problems(folder: Folder) -> tuple[Problem, ...]:
    """Everything that is wrong in a folder: in each file, and between them."""
    found = [*_inside(folder), *_between(folder, _RULES), *_of_state(folder)]
    return _in_order((*found, *_bounded(order_problems(folder)), *_bounded(undiagnosed(folder))))


def stage_problems(folder: Folder, stage: Stage) -> tuple[Problem, ...]:
    """What keeps a stage from being done. Its own FAIL does not: that is a word, given as it should be."""
    reached = folder.up_to(stage)
    context = folder.context if stage.rank >= Stage.IMPLEMENT.rank else replace(folder.context, changed_files=None)
    found = [*_inside(reached), *_between(replace(reached, context=context), _RULES), *_of_state(folder)]
    return _in_order((*found, *gate_problems(folder, stage)))


def _inside(folder: Folder) -> Iterator[Problem]:
    changed = (*(folder.worker.content.files_changed if folder.worker else ()), *(folder.context.changed_files or ()))
    for broken in folder.broken:
        yield from broken.problems
    for artifact in folder.artifacts:
        yield from _own(artifact, changed)


def _own(artifact: Artifact[Content], changed: tuple[str, ...]) -> Iterator[Problem]:
    yield from artifact.problems
    yield from _bounded(result_problems(artifact))
    yield from _bounded(signature_problems(artifact))
    if isinstance(artifact.content, Plan):
        yield from _bounded(plan_problems(cast("Artifact[Plan]", artifact), changed))
    if isinstance(artifact.content, State):
        yield from _bounded(retry_problems(cast("Artifact[State]", artifact)))


def _between(folder: Folder, rules: Iterable[Rule]) -> Iterator[Problem]:
    for rule in rules:
        yield from _bounded(rule(folder))


def _of_state(folder: Folder) -> Iterator[Problem]:
    if folder.state is not None:
        yield from _bounded(state_problems(folder, folder.state))


def _bounded(problems: Iterator[Problem]) -> Iterator[Problem]:
    """The first of very many; each costs a look through the text for its line."""
    kept = list(islice(problems, MOST))
    if len(kept) == MOST and next(problems, None) is not None:
        kept[-1] = replace(kept[-1], message=f"{kept[-1].message} (and more of this kind behind it)")
    yield from kept


def _in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """By file in the order of the stages, then by line and column."""
    return tuple(sorted(problems, key=_place))


def _place(problem: Problem) -> tuple[int, int, int]:
    where = problem.where
    name = (where.path or "").rpartition("/")[2]
    return (NAMES.index(name) if name in NAMES else len(NAMES), where.line or 0, where.column or 0)


ENDINGS = (".json", ".yaml", ".yml")


def check_file(file: LocalFile) -> Checked:
    """What is wrong in one artifact, whatever stands beside it."""
    read = read_folder("", [file], Where())
    broken = tuple(item for each in read.broken for item in each.problems)
    own = tuple(item for artifact in read.artifacts for item in own_problems(artifact))
    said = next((outcome(artifact) for artifact in read.artifacts), None)
    return Checked(path=str(file.where.path), outcome=said, problems=(*broken, *own))


def check_folder(folder: str, files: Sequence[LocalFile]) -> tuple[Checked, ...]:
    """What is wrong in the artifacts of an issue, and in what only looks like one."""
    read = read_folder(folder.rpartition("/")[2], files, Where(path=folder))
    strays = tuple(unknown_name(file.name, file.where) for file in files if _is_stray(file.name))
    problems: tuple[Problem, ...] = (*artifact_problems(read), *strays)
    outcomes = {str(item.where): outcome(item) for item in read.artifacts}
    broken = (str(item.problems[0].where.path) for item in read.broken)
    paths = dict.fromkeys((*outcomes, *broken, *(str(item.where.path) for item in problems)))
    return tuple(
        Checked(
            path=path,
            outcome=outcomes.get(path),
            problems=tuple(item for item in problems if item.where.path == path),
        )
        for path in paths
    )


def _is_stray(name: str) -> bool:
    return name.endswith(ENDINGS) and name not in (*NAMES, *OTHERS)


_SHOWN = 5
_PULL_REQUEST = re.compile(r"https?://[^/\s]+/[^/\s]+/[^/\s]+/pull/([1-9][0-9]{0,14})/?", re.ASCII)


def result_problems(artifact: Artifact[Content]) -> Iterator[Problem]:
    """What an artifact says that the rest of it contradicts."""
    content = artifact.content
    if isinstance(content, WorkerResult):
        yield from _worker(cast("Artifact[WorkerResult]", artifact))
    elif isinstance(content, TestResult):
        yield from _test(cast("Artifact[TestResult]", artifact))
    elif isinstance(content, ReviewResult):
        yield from _review(cast("Artifact[ReviewResult]", artifact))
    elif isinstance(content, DebugDiagnosis):
        yield from _debug(cast("Artifact[DebugDiagnosis]", artifact))
    elif isinstance(content, GitResult):
        yield from _git(cast("Artifact[GitResult]", artifact))


def _worker(worker: Artifact[WorkerResult]) -> Iterator[Problem]:
    content = worker.content
    yield from path_problems(worker, ("files_changed",), content.files_changed)
    if content.status is WorkStatus.COMPLETED and content.blockers:
        message = f"status is completed, but blockers lists {_counted(len(content.blockers))}"
        yield worker.problem("PG723", message, ("status",))
    if content.status is WorkStatus.BLOCKED and not content.blockers:
        yield worker.problem("PG724", "status is blocked, but blockers is empty", ("status",))


def _test(test: Artifact[TestResult]) -> Iterator[Problem]:
    content = test.content
    failed = [check for check in (*content.phase_1, *(content.phase_2 or ())) if check.result is Verdict.FAIL]
    if content.verdict is not Verdict.FAIL:
        for check in failed:
            message = f"{_named(check)} failed, but the verdict is {content.verdict.value}"
            yield test.problem("PG730", message, check.path)
    if content.verdict is Verdict.PASS and all(check.result is Verdict.SKIP for check in content.phase_1):
        ran = "every check of phase_1 was skipped" if content.phase_1 else "phase_1 is empty"
        yield test.problem("PG731", f"the verdict is PASS, but {ran}", ("verdict",))
    if content.verdict is Verdict.FAIL and not failed:
        yield test.problem("PG732", "the verdict is FAIL, but no check of phase_1 or phase_2 failed", ("verdict",))
    if content.verdict is Verdict.PASS and content.classification is not None:
        message = f"the verdict is PASS, but the classification is {content.classification.value}"
        yield test.problem("PG735", message, ("classification",))
    yield from _second_phase(test)
    yield from _left_to_fix(test)
    yield from _triage(test)


def _second_phase(test: Artifact[TestResult]) -> Iterator[Problem]:
    failed = [check for check in test.content.phase_1 if check.result is Verdict.FAIL]
    if failed and test.content.phase_2 is not None:
        names = ", ".join(_named(check) for check in failed[:_SHOWN])
        message = f"phase_2 is given although {names} failed; it runs only after phase_1 has passed"
        yield test.key_problem("PG733", message, ("phase_2",))


def _left_to_fix(test: Artifact[TestResult]) -> Iterator[Problem]:
    if test.content.verdict is Verdict.PASS and tells_of_some(test.content.fix_instruction):
        message = "the verdict is PASS, but fix_instruction tells the worker what to fix"
        yield test.problem("PG706", message, ("fix_instruction",))


def _triage(test: Artifact[TestResult]) -> Iterator[Problem]:
    content = test.content
    if not content.inline_triage:
        return
    if content.verdict is not Verdict.FAIL:
        message = f"inline_triage is true, but the verdict is {content.verdict.value}"
        yield test.problem("PG734", message, ("inline_triage",))
    elif content.classification is not Classification.FIX_TARGET:
        found = content.classification.value if content.classification else "missing"
        message = f"inline_triage is true, which goes with the classification fix_target; it is {found}"
        yield test.problem("PG734", message, ("inline_triage",))
    elif not (content.fix_instruction or "").strip():
        message = "inline_triage is true, but there is no fix_instruction for the worker"
        yield test.problem("PG734", message, ("inline_triage",))


def _review(review: Artifact[ReviewResult]) -> Iterator[Problem]:
    content = review.content
    if content.verdict is not Verdict.FAIL and content.blockers:
        message = f"the verdict is {content.verdict.value}, but blockers lists {_counted(len(content.blockers))}"
        yield review.problem("PG740", message, ("verdict",))
    if content.verdict is Verdict.FAIL and not content.blockers and not content.concerns:
        yield review.problem("PG741", "the verdict is FAIL, but blockers and concerns are empty", ("verdict",))
    if content.verdict is Verdict.PASS and content.concerns:
        message = f"the verdict is PASS, but concerns lists {_counted(len(content.concerns))}"
        yield review.problem("PG742", message, ("verdict",))


def _debug(debug: Artifact[DebugDiagnosis]) -> Iterator[Problem]:
    content = debug.content
    needs: dict[Classification, dict[str, object]] = {
        Classification.FIX_TARGET: {
            "fix_instructions": content.fix_instructions,
            "root_cause_file": content.root_cause_file,
            "root_cause_line": content.root_cause_line,
        },
        Classification.PLAN_DEFECT: {"plan_fix_instructions": content.plan_fix_instructions},
        Classification.ESCALATE: {},
    }
    for key, value in needs[content.classification].items():
        if not str(value or "").strip():
            message = f"the classification is {content.classification.value}, which needs {key}"
            yield debug.problem("PG750", message, ("classification",), hint=f"Write {key}.")
    if content.classification is Classification.ESCALATE and content.escalation_sub is None:
        message = "the classification is escalate, but there is no escalation_sub"
        yield debug.problem("PG751", message, ("classification",))


def _git(git: Artifact[GitResult]) -> Iterator[Problem]:
    content = git.content
    if content.pr_url is None:
        return
    match = _PULL_REQUEST.fullmatch(content.pr_url)
    if match is None:
        message = f"pr_url is {excerpt(content.pr_url)}, which is not the address of a pull request"
        yield git.problem("PG762", message, ("pr_url",))
    elif content.pr_number is not None and int(match[1]) != content.pr_number:
        message = f"pr_url leads to pull request {match[1]}, but pr_number is {content.pr_number}"
        yield git.problem("PG762", message, ("pr_url",))


def _named(check: Check) -> str:
    return f"{check.path[0]}.{excerpt(check.name)[1:-1]}"


def _counted(number: int) -> str:
    return f"{number} of them" if number > 1 else "one"
