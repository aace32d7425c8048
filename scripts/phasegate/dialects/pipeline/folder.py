"""Which folder belongs to which issue: by its name, its state, the changes, and folders that are gone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from phasegate.catalogue import problem
from phasegate.dialects.collect import unread
from phasegate.dialects.pipeline.artifact import Artifact
from phasegate.dialects.pipeline.declaration import (
    COMPLETED,
    FILES,
    FOLDER,
    PLAN,
    STATE,
    folder_in,
    may_be_own,
    number_of,
    touched_in,
    usual_name,
)
from phasegate.model.frozen import replace
from phasegate.model.problem import Problem, Where
from phasegate.model.signal import IssueFolder
from phasegate.model.snapshot import Snapshot

NO_ISSUE = 0  # the issue of an unreadable state


def choose_folders(
    snapshot: Snapshot, issues: Sequence[int], template: str | None, states: Mapping[str, Artifact | None]
) -> tuple[IssueFolder, ...]:
    """The folder of each issue; if the pull request closes none, the folder that it changes.

    ``states`` are the readings of the files at the head, by path.
    """
    names = _names(snapshot)
    if template is not None:
        usual = [(issue, usual_name(issue, template)) for issue in issues]
        moved = (
            (issue, each, [name for name in names if name in (each, f"{COMPLETED}/{each}")]) for issue, each in usual
        )
        return tuple(_folder_of(snapshot, issue, found or [each]) for issue, each, found in moved)
    told: dict[str, int | None] = {}
    for name in (name for name in names if number_of(name) is None):
        state = states.get(f"{FOLDER}/{name}/{STATE}")  # one that cannot be read chooses no folder
        told[name] = None if state is None else NO_ISSUE if state.broken else state.get("issue_number")
    sure = {issue: [name for name in names if issue in (number_of(name), told.get(name))] for issue in issues}
    nobodys = [name for name in _brought(snapshot) if name in told and told[name] is None]
    lacking = [issue for issue in issues if not sure[issue]]
    if not issues:
        return (_folder_of(snapshot, None, nobodys),)
    if nobodys and len(lacking) > 1:
        whose = " and of ".join(f"#{each}" for each in lacking)
        torn = {issue: _ambiguous(issue, f"{FOLDER}/{issue}", nobodys, whose) for issue in lacking}
        return tuple(torn.get(issue) or _folder_of(snapshot, issue, sure[issue]) for issue in issues)
    heirs = lacking or issues
    return tuple(_folder_of(snapshot, issue, [*sure[issue], *(nobodys if issue in heirs else ())]) for issue in issues)


def _names(snapshot: Snapshot) -> list[str]:
    """The folders that are there. A completed one that the pull request does not change belongs to the base."""
    there = (folder_in(file.path) for file in snapshot.branch_files if not file.gone)
    brought = set(_brought(snapshot))
    return [name for name in dict.fromkeys(filter(None, there)) if "/" not in name or name in brought]


def _brought(snapshot: Snapshot) -> list[str]:
    """The folders with artifacts that the pull request changes."""
    changed = set(touched_in(entry.path for entry in snapshot.files.entries))
    there = (file.path for file in snapshot.branch_files if not file.gone and file.path.rpartition("/")[2] in FILES)
    return [name for name in dict.fromkeys(map(folder_in, there)) if name in changed]


def foreign_folders(snapshot: Snapshot, chosen: Sequence[IssueFolder]) -> tuple[Problem, ...]:
    """The folders that the pull request changes although they are another issue's."""
    own = {path for folder in chosen for path in (folder.path, *folder.rivals)}
    others = dict.fromkeys(touched_in(entry.path for entry in snapshot.files.entries))
    paths = (f"{FOLDER}/{name}" for name in others)
    message = "the pull request changes it, but it is not the folder of an issue that it closes"
    return tuple(problem("PG709", message, Where(path=path)) for path in paths if path not in own)


def relics(snapshot: Snapshot, chosen: Sequence[IssueFolder]) -> dict[int | None, dict[str, bool]]:
    """Files of other folders that the branch holds or held, by the issue they count for: no failure is forgotten.

    A folder with another name or issue does not leave a failure behind, nor does linking another issue. Files that the
    pull request does not change are the base's; only their earlier versions were its own. The value for each path
    tells whether the present version counts too.
    """
    paths = {folder.path for folder in chosen}
    found: dict[int | None, dict[str, bool]] = {folder.issue: {} for folder in chosen}
    first = next(iter(found), None)
    changed = {f"{FOLDER}/{name}" for name in _brought(snapshot)}
    for file in snapshot.branch_files:
        folder, number = file.path.rpartition("/")[0], number_of(folder_in(file.path))
        if found and folder not in paths and (file.earlier or folder in changed):
            found[number if number in found else first][file.path] = folder in changed and not file.gone
    return found


def _folder_of(snapshot: Snapshot, issue: int | None, found: Sequence[str]) -> IssueFolder:
    """The one folder of an issue, or where it would be and why it is missing."""
    path = f"{FOLDER}/{found[0] if found else issue}" if found or issue is not None else FOLDER
    if len(found) > 1:
        return _ambiguous(issue, path, found, f"#{issue}" if issue is not None else "this pull request")
    there = any(file.path.startswith(f"{path}/") and not file.gone for file in snapshot.branch_files)
    # what stands where the folder should, or the one that all folders are in
    file = next((file for file in snapshot.branch_files if file.path in (FOLDER, path) and not file.gone), None)
    wrong = None if file is None else replace(unread(file), hint="Commit a folder in its place.")
    rule = snapshot.branch_files_ignored
    if wrong is None and not there and rule is not None:
        line = f'{path} is missing, since line {rule.line} of {rule.path} ("{rule.pattern}")'
        where = Where(path=rule.path, line=rule.line, column=1)
        wrong = problem("PG233", f"{line} keeps it out of every commit", where)
    return IssueFolder(issue=issue, path=path, wrong=wrong, since=_since(snapshot, issue, path))


def _since(snapshot: Snapshot, issue: int | None, path: str) -> str:
    """When another folder with a plan last went away, or a state changed that may have chosen between several."""
    plans = [file for file in snapshot.branch_files if file.path.rpartition("/")[2] == PLAN]
    homes = {
        file.path.rpartition("/")[0]: file for file in plans if may_be_own(None, folder_in(file.path), [issue or 0])
    }
    told = [file for home, file in homes.items() if home != path and file.gone]
    unnumbered = [home for home in homes if number_of(home.removeprefix(f"{FOLDER}/")) is None]
    if len(unnumbered) > 1:
        told += [file for file in snapshot.branch_files if file.path in {f"{home}/{STATE}" for home in unnumbered}]
    return max((file.pushed.at for file in told if file.pushed is not None), default="")


def _ambiguous(issue: int | None, path: str, names: Sequence[str], whose: str) -> IssueFolder:
    rivals = tuple(f"{FOLDER}/{name}" for name in names)
    message = f"{' and '.join(rivals)} could{' each' if len(rivals) > 1 else ''} be the folder of {whose}"
    return IssueFolder(issue=issue, path=path, rivals=rivals, wrong=problem("PG708", message, Where(path=FOLDER)))
