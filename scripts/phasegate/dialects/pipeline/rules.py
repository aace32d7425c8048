"""The pipeline dialect: the files of an issue's folder in, what each says and everything that is wrong with them out.

``read_artifact`` and ``read_folder`` read; ``artifact_problems`` and ``stage_problems`` judge; ``outcome`` and
``second_phase`` say what the phases of the gate need to know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeAlias, cast

from phasegate.dialects.dialect import Checked, LocalFile
from phasegate.dialects.pipeline.declaration import FOLDER, OTHERS
from phasegate.dialects.pipeline.folder import Context, Folder, read_folder
from phasegate.dialects.pipeline.plan import fact_problems, plan_problems, scope_problems
from phasegate.dialects.pipeline.reading import read_artifact, unknown_name
from phasegate.dialects.pipeline.results import result_problems
from phasegate.dialects.pipeline.stages import (
    gate_problems,
    order_problems,
    outcome,
    second_phase,
    stage_outcome,
    undiagnosed,
)
from phasegate.dialects.pipeline.state import retry_problems, signature_problems, state_problems, tier_problems
from phasegate.dialects.pipeline.types import (
    ISSUE_ID,
    NAMES,
    STAGES,
    Artifact,
    Complexity,
    Content,
    Plan,
    Stage,
    State,
)
from phasegate.model.frozen import replace
from phasegate.model.problem import Problem, Where

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

MOST = 100  # of one rule; the rest is of the same kind

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
