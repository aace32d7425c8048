"""The folder of one issue: its files come in, its artifacts with all that is known around them go out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from phasegate.catalogue import problem
from phasegate.dialects.collect import unread
from phasegate.dialects.dialect import LocalFile
from phasegate.dialects.pipeline.artifact import ARTIFACT_OF, Artifact, Complexity, Stage, read_artifact
from phasegate.dialects.pipeline.declaration import COMPLETED, FILES, FOLDER, NUMBER, OTHERS, PLAN, STATE
from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Problem, Severity, Where
from phasegate.model.signal import IssueFolder
from phasegate.model.snapshot import Snapshot
from phasegate.model.texts import BranchFile


@dataclass(frozen=True, kw_only=True, slots=True)
class Context:
    """What is known of the pull request or the working tree; none where it is not known.

    ``commits`` are full ids of all commits that are or were the pull request's. ``evidence`` are the folders whose
    files are no part of the work. ``asked`` are the artifacts that a policy asks for, where one asks for some only.
    ``of_others`` are files that the workers of other issues report. In a ``later_round`` a worker may report only what
    that round changed.
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
    later_round: bool = False
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


Part: TypeAlias = "Artifact | Broken"


@dataclass(frozen=True, kw_only=True, slots=True)
class Folder:
    """The artifacts of one issue, and those of its files that cannot be read."""

    id: str
    where: Where
    artifacts: tuple[Artifact, ...] = ()
    broken: tuple[Broken, ...] = ()
    context: Context = Context()

    def artifact(self, name: str) -> Artifact | None:
        """A file of the folder, where it is there and can be read."""
        return next((item for item in self.artifacts if item.name == name), None)

    def get(self, name: str, *path: str) -> Any:  # noqa: ANN401  (its schema knows the type)
        """A value of one of its files, or None."""
        found = self.artifact(name)
        return None if found is None else found.get(*path)

    @property
    def complexity(self) -> Complexity | None:
        """How hard the issue is: complex if anybody says so, else as the plan says, else as is known from outside."""
        planned = self.get(PLAN, "complexity")
        told = (Complexity(planned) if planned else None, self.context.complexity)
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
        names = [STATE, *(name for each, name in ARTIFACT_OF.items() if each.rank <= stage.rank)]
        artifacts = tuple(item for item in self.artifacts if item.name in names)
        return replace(self, artifacts=artifacts, broken=tuple(item for item in self.broken if item.name in names))


def read_folder(name: str, files: Iterable[LocalFile], where: Where, context: Context | None = None) -> Folder:
    """The folder of an issue; files that the pipeline does not know take no part."""
    parts: list[Part] = []
    for file in (file for file in files if file.name in FILES):
        found = (file.text,) if isinstance(file.text, Problem) else read_artifact(file.name, file.text, file.where)
        parts.append(found if isinstance(found, Artifact) else Broken(name=file.name, problems=found))
    return folder_of(name, parts, where, context or Context())


def folder_of(name: str, parts: Iterable[Part], where: Where, context: Context) -> Folder:
    """The folder of an issue from what was read in its files."""
    ordered = [_noted(part) for part in sorted(parts, key=lambda part: FILES.index(part.name))]
    return Folder(
        id=name,
        where=where,
        artifacts=tuple(part for part in ordered if isinstance(part, Artifact)),
        broken=tuple(part for part in ordered if isinstance(part, Broken)),
        context=context,
    )


def _noted(part: Part) -> Part:
    """The planner's notes are optional and nothing is decided by them: what is wrong in them is a warning."""
    if part.name != STATE:
        return part
    grave = (item for item in part.problems if item.severity is Severity.ERROR)
    lesser = {item: replace(item, severity=Severity.WARNING) for item in grave}
    return replace(part, problems=tuple(lesser.get(item, item) for item in part.problems))


NO_ISSUE = 0
_BY_NAME = re.compile(r"(?:(?:issue|gh)[-_]?|#)?0*([1-9][0-9]{0,14})", re.ASCII | re.IGNORECASE)


def number_of(name: str) -> int | None:
    """The issue that a folder is named after: ``42``, ``issue-42``, ``GH-42``, also where it was moved to when done."""
    match = _BY_NAME.fullmatch(name.removeprefix(f"{COMPLETED}/"))
    return int(match[1]) if match else None


def worth_reading(
    template: str | None, names: Sequence[str], issues: Sequence[int], changed: Iterable[str]
) -> tuple[str, ...]:
    """The folders that may be the pull request's: named after an issue that it closes, or changed by it.

    An issue whose folder is not among the names is given its usual one, to see whether it is ignored, or was there.
    """
    usual = {issue: usual_name(issue, template) for issue in issues}
    touched = set(_touched(changed))
    if template is not None:
        return tuple(dict.fromkeys((*usual.values(), *(name for name in names if name in touched))))
    found = [name for name in names if number_of(name) in issues or name in touched]
    numbers = {number_of(name) for name in found}
    return (*found, *(name for issue, name in usual.items() if issue not in numbers))


def may_be_own(template: str | None, name: str, issues: Sequence[int]) -> bool:
    """Whether a folder can be that of one of some issues: by its number, or by a name that tells none."""
    if template is not None and name in [usual_name(issue, template) for issue in issues]:
        return True
    number = number_of(name)
    return number in issues if number is not None else not name.startswith(".")


def usual_name(issue: int, template: str | None) -> str:
    """The name of an issue's folder, where nothing else tells it."""
    return str(issue) if template is None else template.replace(NUMBER, str(issue))


def choose_folders(
    snapshot: Snapshot, issues: Sequence[int], template: str | None, states: Mapping[str, object]
) -> tuple[IssueFolder, ...]:
    """The folder of each issue; of a pull request that closes none, the one that it changes.

    ``states`` are what was read in the files at the head, by path.
    """
    names = _names(snapshot)
    if template is not None:
        usual = {issue: usual_name(issue, template) for issue in issues}
        moved = {
            issue: [name for name in names if name in (each, f"{COMPLETED}/{each}")] for issue, each in usual.items()
        }
        return tuple(_folder_of(snapshot, issue, moved[issue] or [usual[issue]]) for issue in issues)
    told = {name: _told(states, name) for name in names if number_of(name) is None}
    sure = {issue: [name for name in names if issue in (number_of(name), told.get(name))] for issue in issues}
    nobodys = [name for name in _brought(snapshot) if name in told and told[name] is None]
    lacking = [issue for issue in issues if not sure[issue]]
    if not issues:
        return (_folder_of(snapshot, None, nobodys),)
    if nobodys and len(lacking) > 1:
        return tuple(
            _torn(issue, nobodys, lacking) if issue in lacking else _folder_of(snapshot, issue, sure[issue])
            for issue in issues
        )
    heirs = lacking or issues
    return tuple(_folder_of(snapshot, issue, [*sure[issue], *(nobodys if issue in heirs else ())]) for issue in issues)


def _names(snapshot: Snapshot) -> list[str]:
    """The folders that are there; one of done work only where the pull request changes it, else it is the base's."""
    there = (_folder(file.path) for file in snapshot.branch_files if not file.gone)
    brought = set(_brought(snapshot))
    return [name for name in dict.fromkeys(filter(None, there)) if "/" not in name or name in brought]


def _brought(snapshot: Snapshot) -> list[str]:
    """The folders with artifacts that the pull request changes."""
    changed = set(_touched(entry.path for entry in snapshot.files.entries))
    there = (file.path for file in snapshot.branch_files if not file.gone and file.path.rpartition("/")[2] in FILES)
    return [name for name in dict.fromkeys(map(_folder, there)) if name in changed]


def foreign_folders(snapshot: Snapshot, chosen: Sequence[IssueFolder]) -> tuple[Problem, ...]:
    """The folders that the pull request changes although they are another issue's."""
    own = {path for folder in chosen for path in (folder.path, *folder.rivals)}
    others = dict.fromkeys(_touched(entry.path for entry in snapshot.files.entries))
    paths = (f"{FOLDER}/{name}" for name in others)
    message = "the pull request changes it, but it is not the folder of an issue that it closes"
    return tuple(problem("PG709", message, Where(path=path)) for path in paths if path not in own)


def relics(snapshot: Snapshot, chosen: Sequence[IssueFolder]) -> dict[int | None, list[BranchFile]]:
    """The files of other folders that the branch holds or held, by the issue they are put to: no failure is forgotten.

    Neither a folder of another name or issue, nor an issue that is linked in place of another, leaves one behind.
    """
    paths = {folder.path for folder in chosen}
    found: dict[int | None, list[BranchFile]] = {folder.issue: [] for folder in chosen}
    first = next(iter(found), None)
    changed = {f"{FOLDER}/{name}" for name in _brought(snapshot)}
    for file in snapshot.branch_files:
        folder, number = file.path.rpartition("/")[0], number_of(_folder(file.path))
        if found and folder not in paths and (file.earlier or folder in changed):
            # what the pull request does not change is the base's; only what stood there before was its own
            kept = file if folder in changed else replace(file, blob=None, text=None, refused=None)
            found[number if number in found else first].append(kept)
    return found


def _folder_of(snapshot: Snapshot, issue: int | None, found: Sequence[str]) -> IssueFolder:
    """The one folder of an issue, or where it would be and why it is not there."""
    path = f"{FOLDER}/{found[0] if found else issue}" if found or issue is not None else FOLDER
    if len(found) > 1:
        return _ambiguous(issue, path, found, f"#{issue}" if issue is not None else "this pull request")
    there = any(file.path.startswith(f"{path}/") and not file.gone for file in snapshot.branch_files)
    wrong = _unreadable(snapshot, path) or (None if there else _ignored(snapshot, path))
    return IssueFolder(issue=issue, path=path, wrong=wrong, since=_since(snapshot, issue, path))


def _since(snapshot: Snapshot, issue: int | None, path: str) -> str:
    """When another folder with a plan went away last, or a state changed that may have chosen between several."""
    plans = [file for file in snapshot.branch_files if file.path.rpartition("/")[2] == PLAN]
    homes = {file.path.rpartition("/")[0]: file for file in plans if may_be_own(None, _folder(file.path), [issue or 0])}
    told = [file for home, file in homes.items() if home != path and file.gone]
    unnumbered = [home for home in homes if number_of(home.removeprefix(f"{FOLDER}/")) is None]
    if len(unnumbered) > 1:
        told += [file for file in snapshot.branch_files if file.path in {f"{home}/{STATE}" for home in unnumbered}]
    return max((file.pushed.at for file in told if file.pushed is not None), default="")


def _torn(issue: int, names: Sequence[str], issues: Sequence[int]) -> IssueFolder:
    """An issue that may have a folder with a name of its own, as may another one."""
    whose = " and of ".join(f"#{each}" for each in issues)
    return _ambiguous(issue, f"{FOLDER}/{issue}", names, whose)


def _ambiguous(issue: int | None, path: str, names: Sequence[str], whose: str) -> IssueFolder:
    rivals = tuple(f"{FOLDER}/{name}" for name in names)
    message = f"{' and '.join(rivals)} could{' each' if len(rivals) > 1 else ''} be the folder of {whose}"
    return IssueFolder(issue=issue, path=path, rivals=rivals, wrong=problem("PG708", message, Where(path=FOLDER)))


def _told(states: Mapping[str, object], name: str) -> int | None:
    """The number of the issue in a folder's state; a state that cannot be read chooses no folder."""
    state = states.get(f"{FOLDER}/{name}/{STATE}")
    return state.get("issue_number") if isinstance(state, Artifact) else None if state is None else NO_ISSUE


def _unreadable(snapshot: Snapshot, path: str) -> Problem | None:
    """Why the folder, or the one that all folders are in, is none."""
    file = next((file for file in snapshot.branch_files if file.path in (FOLDER, path) and not file.gone), None)
    return None if file is None else unread(file)


def _ignored(snapshot: Snapshot, path: str) -> Problem | None:
    rule = snapshot.branch_files_ignored
    if rule is None:
        return None
    message = (
        f'{path} is missing, since line {rule.line} of {rule.path} ("{rule.pattern}") keeps it out of every commit'
    )
    return problem("PG233", message, Where(path=rule.path, line=rule.line, column=1))


def _touched(paths: Iterable[str]) -> Iterable[str]:
    return (name for path in paths if (name := _folder(path)))


def _folder(path: str) -> str:
    """The name of the folder that a file is in; none if it is elsewhere."""
    root, _, rest = path.partition("/")
    name, _, inside = rest.partition("/")
    if root != FOLDER or not inside:
        return ""
    moved, _, below = inside.partition("/")
    return f"{COMPLETED}/{moved}" if name == COMPLETED and below else name
