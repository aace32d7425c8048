"""The evidence of a pull request: each linked issue's folder, the signals of its files, and what is wrong beside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from phasegate.catalogue import problem
from phasegate.dialects.pipeline.choice import choose_folders, foreign_folders, relics, unread
from phasegate.dialects.pipeline.folder import Context, File, Folder, read_folder
from phasegate.dialects.pipeline.names import NAMES, OTHERS
from phasegate.dialects.pipeline.reading import unknown_name
from phasegate.dialects.pipeline.rules import artifact_problems
from phasegate.dialects.pipeline.signals import Version, earlier_signals, signals, versions
from phasegate.dialects.pipeline.types import Complexity, Stage
from phasegate.model.evidence import ARTIFACTS, Gathered, IssueFolder
from phasegate.model.problem import Problem, Severity, Where
from phasegate.model.signal import Signal
from phasegate.model.snapshot import Snapshot
from phasegate.model.texts import BranchFile, Issue

LABEL = "complexity:"
Asked = Callable[[Issue | None], frozenset[str]]


def read_evidence(snapshot: Snapshot, issues: Sequence[Issue], template: str | None, asked: Asked) -> Gathered:
    """The evidence for each linked issue: in the folder that the template names, as far as the policy asks for it."""
    chosen = tuple(
        _whole(snapshot, each) for each in choose_folders(snapshot, [issue.number for issue in issues], template)
    )
    read = [(each, _read(snapshot, each, issues, asked)) for each in chosen if each.wrong is None]
    found: list[Signal] = []
    problems = [each.wrong for each in chosen if each.wrong is not None]
    for each, folder in read:
        others = [other for path, other in read if path is not each]
        told, beside = _told(snapshot, each, _apart(folder, others))
        found += told
        problems += beside
    for issue, files in relics(snapshot, chosen).items():
        for version in (version for file in files for version in versions(file, issue)):
            if _is_ours(snapshot, version):
                found += earlier_signals(snapshot, replace(version, latest=False))
    problems += foreign_folders(snapshot, chosen)
    return Gathered(signals=tuple(found), folders=chosen, problems=tuple(problems))


def _is_ours(snapshot: Snapshot, version: Version) -> bool:
    """Whether a text came with this pull request, not with its base; where that is not known it did."""
    commit = None if version.pushed is None else version.pushed.commit
    known = next((content.excluded for content in snapshot.contents if content.commit == commit), None)
    return known is None or version.file.path in known


def _whole(snapshot: Snapshot, each: IssueFolder) -> IssueFolder:
    """The folder, if all that the pull request changes is known; else nobody can say whether the work is in scope."""
    if snapshot.files.complete or each.wrong is not None:
        return each
    message = "GitHub does not list all changed files, so the work cannot be compared with its plan and report"
    return replace(each, wrong=problem("PG235", message, Where(path=each.path)))


def _read(snapshot: Snapshot, each: IssueFolder, issues: Sequence[Issue], asked: Asked) -> Folder:
    files = [_file(file) for file in _files(snapshot, each) if not file.gone]
    pull = snapshot.pull_request
    own = next((issue for issue in issues if issue.number == each.issue), None)
    heads = (move.after for move in snapshot.ref_log.moves)
    context = Context(
        changed_files=tuple(sorted(_changed(snapshot))),
        commits=tuple(dict.fromkeys((*snapshot.commits, *heads, pull.head.sha))) if snapshot.commits_complete else None,
        branch=pull.head.ref,
        number=pull.number,
        url=pull.url,
        issues=tuple(issue.number for issue in issues),
        complexity=None if own is None else _complexity(own),
        asked=asked(own),
    )
    return read_folder(each.path.rpartition("/")[2], files, Where(path=each.path), context)


def _changed(snapshot: Snapshot) -> set[str]:
    """What the pull request changes; a rename takes one path away and brings another."""
    return {path for entry in snapshot.files.entries for path in (entry.path, entry.previous_path) if path}


def _complexity(issue: Issue) -> Complexity | None:
    """How hard an issue is by its labels; the hardest that is told."""
    told = {label.lower().removeprefix(LABEL) for label in issue.labels if label.lower().startswith(LABEL)}
    return next((item for item in reversed(Complexity) if item.value in told), None)


def _apart(folder: Folder, others: Sequence[Folder]) -> Folder:
    """The folder knowing what other issues' workers report; nothing is compared before the work is done."""
    theirs = frozenset(file for other in others if other.asks_for(Stage.IMPLEMENT) for file in _reported(other))
    done = folder.worker is not None or not folder.asks_for(Stage.IMPLEMENT)
    changed = folder.context.changed_files if done else None
    return replace(folder, context=replace(folder.context, changed_files=changed, of_others=theirs))


def _reported(folder: Folder) -> tuple[str, ...]:
    return folder.worker.content.files_changed if folder.worker else ()


def _told(snapshot: Snapshot, each: IssueFolder, folder: Folder) -> tuple[list[Signal], list[Problem]]:
    """The signals of a folder's files, and what is wrong where none of them stands."""
    wrong: dict[str, list[Problem]] = {}
    for item in artifact_problems(folder):
        wrong.setdefault(item.where.path or "", []).append(item)
    found: list[Signal] = []
    for file in _files(snapshot, each):
        name = file.path.rpartition("/")[2]
        if name in ARTIFACTS:
            problems = tuple(wrong.pop(file.path, ()))
            for version in versions(file, each.issue):
                found += _words(snapshot, folder, version, problems)
        elif name not in (*NAMES, *OTHERS) and not file.gone:
            wrong.setdefault(file.path, []).append(unknown_name(name, Where(path=file.path)))
    return found, [_lesser(item) for items in wrong.values() for item in items]


def _lesser(item: Problem) -> Problem:
    """A problem of a file that counts for nothing, such as a copy, stops nobody."""
    return replace(item, severity=Severity.WARNING) if item.severity is Severity.ERROR else item


def _words(snapshot: Snapshot, folder: Folder, version: Version, problems: tuple[Problem, ...]) -> list[Signal]:
    if not version.latest:
        return list(earlier_signals(snapshot, version))
    artifact = next((item for item in folder.artifacts if item.name == version.name), None)
    return list(signals(snapshot, version, artifact, problems))


def _files(snapshot: Snapshot, each: IssueFolder) -> list[BranchFile]:
    return [file for file in snapshot.branch_files if file.path.rpartition("/")[0] == each.path]


def _file(file: BranchFile) -> File:
    name, where = file.path.rpartition("/")[2], Where(path=file.path)
    text = file.text if file.refused is None else None
    return File(name=name, where=where, text=unread(file, where) if text is None else text)
