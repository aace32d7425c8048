"""The folder of one issue: its files come in, its artifacts with all that is known around them go out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar, cast

from phasegate.dialects.dialect import LocalFile
from phasegate.dialects.pipeline.declaration import DEBUG, FILES, FOLDER, GIT, OTHERS, PLAN, REVIEW, STATE, TEST, WORKER
from phasegate.dialects.pipeline.reading import read_artifact
from phasegate.dialects.pipeline.types import (
    ARTIFACT_OF,
    KINDS,
    NAMES,
    Artifact,
    Complexity,
    Content,
    DebugDiagnosis,
    GitResult,
    Plan,
    ReviewResult,
    Stage,
    State,
    TestResult,
    WorkerResult,
)
from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Problem, Where

C = TypeVar("C")


@dataclass(frozen=True, kw_only=True, slots=True)
class Context:
    """What is known of the pull request or the working tree; none where it is not known.

    ``commits`` are full ids of all commits that are or were the pull request's. ``evidence`` are the folders whose
    files are no part of the work. ``asked`` are the artifacts that a policy asks for, where one asks for some only.
    ``of_others`` are files that the workers of other issues report.
    """

    changed_files: tuple[str, ...] | None = None
    commits: tuple[str, ...] | None = None
    branch: str | None = None
    number: int | None = None
    url: str | None = None
    issues: tuple[int, ...] | None = None
    complexity: Complexity | None = None
    evidence: tuple[str, ...] = (f"{FOLDER}/",)
    asked: frozenset[str] | None = None
    of_others: frozenset[str] = frozenset()

    def of_work(self, paths: Iterable[str]) -> list[str]:
        """The paths that are part of the work."""
        return [path for path in paths if not self._is_evidence(path)]

    def _is_evidence(self, path: str) -> bool:
        """Whether a path is a file of the pipeline by its folder and name; anything else there is product."""
        return path.startswith(self.evidence) and path.rpartition("/")[2] in (*FILES, *OTHERS)


@dataclass(frozen=True, kw_only=True, slots=True)
class Broken:
    """A file that is there and cannot be read."""

    name: str
    problems: tuple[Problem, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Folder:
    """The artifacts of one issue, and those of its files that cannot be read."""

    id: str
    where: Where
    artifacts: tuple[Artifact[Content], ...] = ()
    broken: tuple[Broken, ...] = ()
    context: Context = Context()

    @property
    def plan(self) -> Artifact[Plan] | None:
        """``plan.json``, where it is there and can be read; so for the others."""
        return self._artifact(PLAN, Plan)

    @property
    def worker(self) -> Artifact[WorkerResult] | None:
        """``worker-result.json``."""
        return self._artifact(WORKER, WorkerResult)

    @property
    def test(self) -> Artifact[TestResult] | None:
        """``test-result.json``."""
        return self._artifact(TEST, TestResult)

    @property
    def review(self) -> Artifact[ReviewResult] | None:
        """``review-result.json``."""
        return self._artifact(REVIEW, ReviewResult)

    @property
    def debug(self) -> Artifact[DebugDiagnosis] | None:
        """``debug-diagnosis.json``."""
        return self._artifact(DEBUG, DebugDiagnosis)

    @property
    def git(self) -> Artifact[GitResult] | None:
        """``git-result.json``."""
        return self._artifact(GIT, GitResult)

    @property
    def state(self) -> Artifact[State] | None:
        """``state.yaml``."""
        return self._artifact(STATE, State)

    @property
    def complexity(self) -> Complexity | None:
        """How hard the issue is: complex if anybody says so, else as the plan says, else as is known from outside."""
        told = (self.plan.content.complexity if self.plan else None, self.context.complexity)
        return Complexity.COMPLEX if Complexity.COMPLEX in told else told[0] or told[1]

    @property
    def needs_plan(self) -> bool:
        """Whether the issue has to have a plan."""
        return self.complexity is not Complexity.TRIVIAL

    def has(self, name: str) -> bool:
        """Whether a file is there, broken or not."""
        return any(item.name == name for item in self.artifacts) or self.is_broken(name)

    def is_broken(self, name: str) -> bool:
        """Whether a file is there and cannot be read, which is told of it and of nothing that follows from it."""
        return any(item.name == name for item in self.broken)

    def asks_for(self, stage: Stage) -> bool:
        """Whether the artifact of a stage has to be there before those of later stages."""
        asked = self.context.asked is None or ARTIFACT_OF[stage] in self.context.asked
        return asked and (stage is not Stage.PLAN or self.needs_plan)

    def file(self, name: str) -> Where:
        """Where a file of the folder is, or would be."""
        path = f"{self.where.path}/{name}" if self.where.path else name
        return Where(url=self.where.url, path=path)

    def up_to(self, stage: Stage) -> Folder:
        """The folder with the state and the artifacts of a stage and of those before it, without copies."""
        names = [STATE, *(kind.name for kind in KINDS.values() if kind.stage and kind.stage.rank <= stage.rank)]
        artifacts = tuple(item for item in self.artifacts if item.name in names)
        return replace(self, artifacts=artifacts, broken=tuple(item for item in self.broken if item.name in names))

    def _artifact(self, name: str, content: type[C]) -> Artifact[C] | None:
        found = next((item for item in self.artifacts if item.name == name), None)
        return cast("Artifact[C]", found) if found and isinstance(found.content, content) else None


def read_folder(name: str, files: Iterable[LocalFile], where: Where, context: Context | None = None) -> Folder:
    """The folder of an issue; files that the pipeline does not know take no part."""
    parts: list[Artifact[Content] | Broken] = []
    for file in (file for file in files if file.name in NAMES):
        found = (file.text,) if isinstance(file.text, Problem) else read_artifact(file.name, file.text, file.where)
        parts.append(found if isinstance(found, Artifact) else Broken(name=file.name, problems=found))
    return folder_of(name, parts, where, context or Context())


def folder_of(name: str, parts: Iterable[Artifact[Content] | Broken], where: Where, context: Context) -> Folder:
    """The folder of an issue from what was read in its files."""
    ordered = sorted(parts, key=lambda part: NAMES.index(part.name))
    return Folder(
        id=name,
        where=where,
        artifacts=tuple(part for part in ordered if isinstance(part, Artifact)),
        broken=tuple(part for part in ordered if isinstance(part, Broken)),
        context=context,
    )
