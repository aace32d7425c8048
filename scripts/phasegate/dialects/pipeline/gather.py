"""The files of a pull request together: each issue's folder, its signals, and what is wrong beside them."""

from __future__ import annotations

from collections.abc import Sequence

from phasegate.catalogue import problem
from phasegate.dialects.dialect import Gathered, Reading, Surroundings, Text
from phasegate.dialects.pipeline.choice import choose_folders, foreign_folders, relics
from phasegate.dialects.pipeline.declaration import ARTIFACTS, JUDGING, OTHERS
from phasegate.dialects.pipeline.folder import Broken, Context, Folder, folder_of
from phasegate.dialects.pipeline.reading import read_artifact, unknown_name
from phasegate.dialects.pipeline.rules import artifact_problems
from phasegate.dialects.pipeline.signals import earlier_signals, name_of, signals
from phasegate.dialects.pipeline.types import NAMES, Artifact, Complexity, Content, Stage
from phasegate.model.frozen import replace
from phasegate.model.problem import Problem, Severity, Where
from phasegate.model.signal import IssueFolder, Signal
from phasegate.model.snapshot import Snapshot
from phasegate.model.texts import Issue

LABEL = "complexity:"


def read_file(text: Text) -> Artifact[Content] | Broken | None:
    """What a file at the head is; nothing of one with another name, or of what it was before."""
    name = name_of(text)
    if not text.source.latest or name not in NAMES:
        return None
    if text.body is None:
        return Broken(name=name, problems=(text.missing,) if text.missing is not None else ())
    found = read_artifact(name, text.body, text.where)
    return found if isinstance(found, Artifact) else Broken(name=name, problems=found)


def gather(readings: Sequence[Reading], around: Surroundings) -> Gathered:
    """The evidence for each linked issue: in its folder, as far as the policy asks for it."""
    snapshot, issues = around.snapshot, around.issues
    if not issues and not around.without_issue:
        return Gathered()
    states = {reading.text.source.id: reading.content for reading in readings}
    chosen = tuple(
        _whole(snapshot, each)
        for each in choose_folders(snapshot, [issue.number for issue in issues], around.folder, states)
    )
    read = [(each, _read(readings, each, around)) for each in chosen if each.wrong is None]
    found: list[Signal] = []
    problems = [each.wrong for each in chosen if each.wrong is not None]
    for each, folder in read:
        others = [other for path, other in read if path is not each]
        told, beside = _told(readings, each, _apart(folder, others))
        found += told
        problems += beside
    found += _left_elsewhere(readings, snapshot, chosen)
    problems += foreign_folders(snapshot, chosen)
    return Gathered(signals=tuple(found), folders=chosen, problems=tuple(problems))


def _left_elsewhere(readings: Sequence[Reading], snapshot: Snapshot, chosen: tuple[IssueFolder, ...]) -> list[Signal]:
    """What files of other folders say, or said, against the work: no failure is forgotten."""
    found: list[Signal] = []
    for issue, files in relics(snapshot, chosen).items():
        kept = {file.path: not file.gone for file in files}
        for text in (reading.text for reading in readings if reading.text.source.id in kept):
            there = not text.source.latest or kept[text.source.id]
            if there and _is_told(text) and _is_ours(snapshot, text):
                past = Text(
                    source=replace(text.source, latest=False), where=text.where, body=text.body, missing=text.missing
                )
                found += earlier_signals(past, issue)
    return found


def _is_told(text: Text) -> bool:
    """Whether a version is looked at: of those before, what was read, and what may have judged."""
    return text.source.latest or text.body is not None or name_of(text) in JUDGING


def _is_ours(snapshot: Snapshot, text: Text) -> bool:
    """Whether a text came with this pull request, not with its base; where that is not known it did."""
    commit = text.source.commit
    known = next((content.excluded for content in snapshot.contents if content.commit == commit), None)
    return known is None or text.source.id in known


def _whole(snapshot: Snapshot, each: IssueFolder) -> IssueFolder:
    """The folder, if all that the pull request changes is known; else nobody can say whether the work is in scope."""
    if snapshot.files.complete or each.wrong is not None:
        return each
    message = "GitHub does not list all changed files, so the work cannot be compared with its plan and report"
    return replace(each, wrong=problem("PG235", message, Where(path=each.path)))


def _read(readings: Sequence[Reading], each: IssueFolder, around: Surroundings) -> Folder:
    snapshot, issues = around.snapshot, around.issues
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
        asked=around.asked(own),
    )
    files = (reading.content for reading in _inside(readings, each))
    parts = [part for part in files if isinstance(part, Artifact | Broken)]
    return folder_of(each.path.rpartition("/")[2], parts, Where(path=each.path), context)


def _inside(readings: Sequence[Reading], each: IssueFolder) -> list[Reading]:
    return [reading for reading in readings if reading.text.source.id.rpartition("/")[0] == each.path]


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


def _told(readings: Sequence[Reading], each: IssueFolder, folder: Folder) -> tuple[list[Signal], list[Problem]]:
    """The signals of a folder's files, and what is wrong where none of them stands."""
    wrong: dict[str, list[Problem]] = {}
    for item in artifact_problems(folder):
        wrong.setdefault(item.where.path or "", []).append(item)
    found: list[Signal] = []
    for text in (reading.text for reading in _inside(readings, each)):
        name, path = name_of(text), text.source.id
        if name in ARTIFACTS:
            if _is_told(text):
                found += _words(each, folder, text, wrong)
        elif name not in (*NAMES, *OTHERS) and text.source.latest:
            wrong.setdefault(path, []).append(unknown_name(name, text.where))
    used = {signal.where.path for signal in found if signal.source.latest}
    return found, [_lesser(item) for path, items in wrong.items() if path not in used for item in items]


def _lesser(item: Problem) -> Problem:
    """A problem of a file that counts for nothing, such as a copy, stops nobody."""
    return replace(item, severity=Severity.WARNING) if item.severity is Severity.ERROR else item


def _words(each: IssueFolder, folder: Folder, text: Text, wrong: dict[str, list[Problem]]) -> list[Signal]:
    if not text.source.latest:
        return list(earlier_signals(text, each.issue))
    artifact = next((item for item in folder.artifacts if item.name == name_of(text)), None)
    return list(signals(text, each.issue, artifact, tuple(wrong.get(text.source.id, ()))))
