"""Which folder is whose: by its name, by its ``state.yaml``, or because the pull request changes it and no other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from phasegate.catalogue import problem
from phasegate.dialects.pipeline_names import STATE
from phasegate.dialects.pipeline_reading import read_artifact
from phasegate.dialects.pipeline_types import Artifact, State
from phasegate.model.artifacts import ArtifactFile
from phasegate.model.evidence import FOLDER, NUMBER, EvidenceFolder
from phasegate.model.problem import Problem, Where
from phasegate.model.snapshot import Snapshot

_BY_NAME = re.compile(r"(?:(?:issue|gh)[-_]?|#)?0*([1-9][0-9]{0,14})", re.ASCII | re.IGNORECASE)


def number_of(name: str) -> int | None:
    """The issue that a folder is named after: ``42``, ``issue-42``, ``GH-42``."""
    match = _BY_NAME.fullmatch(name)
    return int(match[1]) if match else None


def worth_reading(
    template: str | None, names: Sequence[str], issues: Sequence[int], changed: Iterable[str]
) -> tuple[str, ...]:
    """The folders that may be the pull request's: named after an issue that it closes, or changed by it."""
    if template is not None:
        wanted = [template.replace(NUMBER, str(issue)) for issue in issues]
        return tuple(name for name in names if name in wanted)
    touched = set(_touched(changed))
    return tuple(name for name in names if number_of(name) in issues or name in touched)


def choose_folders(snapshot: Snapshot, issues: Sequence[int], template: str | None) -> tuple[EvidenceFolder, ...]:
    """The folder of each issue; of a pull request that closes none, the one that it changes."""
    return tuple(_choose(snapshot, issue, template) for issue in issues or (None,))


def foreign_folders(snapshot: Snapshot, chosen: Sequence[EvidenceFolder]) -> tuple[Problem, ...]:
    """The folders that the pull request changes although they are another issue's."""
    own = {path for folder in chosen for path in (folder.path, *folder.rivals)}
    others = dict.fromkeys(_touched(entry.path for entry in snapshot.files.entries))
    paths = (f"{FOLDER}/{name}" for name in others)
    message = "the pull request changes it, but it is not the folder of an issue that it closes"
    return tuple(problem("PG709", message, Where(path=path)) for path in paths if path not in own)


def _choose(snapshot: Snapshot, issue: int | None, template: str | None) -> EvidenceFolder:
    usual = str(issue) if template is None or issue is None else template.replace(NUMBER, str(issue))
    found = _candidates(snapshot, issue, usual if template is not None else None)
    if len(found) == 1:
        return EvidenceFolder(issue=issue, path=f"{FOLDER}/{found[0]}", wrong=_unreadable(snapshot, found[0]))
    path = f"{FOLDER}/{usual}" if issue is not None else FOLDER
    if found:
        whose = f"#{issue}" if issue is not None else "this pull request"
        rivals = tuple(f"{FOLDER}/{name}" for name in found)
        message = f"{' and '.join(rivals)} could each be the folder of {whose}"
        wrong = problem("PG708", message, Where(path=FOLDER))
        return EvidenceFolder(issue=issue, path=path, rivals=rivals, wrong=wrong)
    return EvidenceFolder(issue=issue, path=path, wrong=_unreadable(snapshot, None) or _ignored(snapshot, path))


def _candidates(snapshot: Snapshot, issue: int | None, only: str | None) -> list[str]:
    """The folders that may be an issue's, the surest kind of sign first."""
    names = list(dict.fromkeys(name for file in snapshot.artifacts if (name := _folder(file.path))))
    if only is not None:
        return [name for name in names if name == only]
    told = {name: _told(snapshot, name) for name in names}
    if issue is not None:
        sure = [name for name in names if issue in (number_of(name), told[name])]
        if sure:
            return sure
    touched = set(_touched(entry.path for entry in snapshot.files.entries))
    return [name for name in names if name in touched and number_of(name) is None and told[name] is None]


def _told(snapshot: Snapshot, name: str) -> int | None:
    """The number of the issue in a folder's state."""
    path = f"{FOLDER}/{name}/{STATE}"
    text = next((file.text for file in snapshot.artifacts if file.path == path), None)
    state = None if text is None else read_artifact(STATE, text, Where(path=path))
    return state.content.issue_number if isinstance(state, Artifact) and isinstance(state.content, State) else None


def _unreadable(snapshot: Snapshot, name: str | None) -> Problem | None:
    """Why the folder, or the one that all folders are in, is none."""
    paths = (FOLDER,) if name is None else (FOLDER, f"{FOLDER}/{name}")
    file = next((file for file in snapshot.artifacts if file.path in paths), None)
    return None if file is None else unread(file, Where(path=file.path))


def unread(file: ArtifactFile, where: Where) -> Problem:
    """Why a file was not read."""
    return problem("PG230", f"{file.path} was not read: {file.refused or 'its text is not known'}", where)


def _ignored(snapshot: Snapshot, path: str) -> Problem | None:
    rule = snapshot.artifacts_ignored
    if rule is None:
        return None
    message = (
        f'{path} is missing, since line {rule.line} of {rule.path} ("{rule.pattern}") keeps it out of every commit'
    )
    return problem("PG233", message, Where(path=rule.path, line=rule.line, column=1))


def _touched(paths: Iterable[str]) -> Iterable[str]:
    return (name for path in paths if (name := _folder(path)))


def _folder(path: str) -> str:
    """The name of the folder that a path is, or is in; none if it is elsewhere."""
    root, _, rest = path.partition("/")
    return rest.partition("/")[0] if root == FOLDER else ""
