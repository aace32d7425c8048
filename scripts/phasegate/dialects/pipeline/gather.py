"""The files of a pull request together: each issue's folder, its signals, and what is wrong beside them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from phasegate.catalogue import problem
from phasegate.dialects.dialect import Gathered, Reading, Surroundings, Text
from phasegate.dialects.pipeline.artifact import (
    PHASES,
    SAYING,
    TEXTS,
    Artifact,
    Complexity,
    Stage,
    checks,
    holds_against,
    outcome,
    read_artifact,
    second_phase,
    unknown_name,
)
from phasegate.dialects.pipeline.declaration import (
    ARTIFACTS,
    DEBUG,
    FILES,
    JUDGING,
    NAME,
    OTHERS,
    PHASE_2,
    REVIEW,
    STATE,
    TEST,
    WORKER,
)
from phasegate.dialects.pipeline.folder import (
    Broken,
    Context,
    Folder,
    Part,
    choose_folders,
    folder_of,
    foreign_folders,
    relics,
)
from phasegate.dialects.pipeline.rules import artifact_problems, own_problems
from phasegate.dialects.pipeline.state import another_issue
from phasegate.dialects.raw import objects
from phasegate.model.codec import text_digest
from phasegate.model.frozen import replace
from phasegate.model.problem import Problem, Severity, Where
from phasegate.model.signal import STOPPED, Finding, IssueFolder, Kind, Outcome, RoleClaim, Signal, Subject
from phasegate.model.snapshot import Snapshot
from phasegate.model.texts import Issue
from phasegate.reading.document import Document
from phasegate.reading.json import read_json

LABEL = "complexity:"


def read_file(text: Text) -> Part | None:
    """What a file at the head is; nothing of one with another name, or of what it was before."""
    name = name_of(text)
    if not text.source.latest or name not in FILES:
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
    readings = _within_bounds(readings) if snapshot.of_a_fork else readings
    parts: dict[str, Part | None] = {}

    def part(text: Text) -> Part | None:
        """What a file at the head is; each is read once, and only where somebody asks."""
        if text.source.latest and text.source.id not in parts:
            parts[text.source.id] = read_file(text)
        return parts[text.source.id] if text.source.latest else None

    states = {each.text.source.id: part(each.text) for each in readings if name_of(each.text) == STATE}
    chosen = tuple(
        _whole(snapshot, each)
        for each in choose_folders(snapshot, [issue.number for issue in issues], around.folder, states)
    )
    folders = {each.path: _read(readings, each, around, part) for each in chosen if each.wrong is None}
    chosen = tuple(_of_its_issue(each, folders.get(each.path)) for each in chosen)
    read = [(each, folders[each.path]) for each in chosen if each.wrong is None]
    found: list[Signal] = []
    problems = [each.wrong for each in chosen if each.wrong is not None]
    apart = (state for path, state in states.items() if path.rpartition("/")[0] not in {each.path for each in chosen})
    problems += [item for state in apart if isinstance(state, Broken) for item in state.problems]
    longest = _longest(readings)
    for each, folder in read:
        others = [other for path, other in read if path is not each]
        told, beside = _told(readings, each, _apart(folder, others), longest)
        found += told
        problems += beside
    found += _left_elsewhere(readings, snapshot, chosen, longest)
    problems += foreign_folders(snapshot, chosen)
    return Gathered(signals=tuple(found), folders=chosen, problems=tuple(problems))


def _within_bounds(readings: Sequence[Reading]) -> Sequence[Reading]:
    """The files of a fork, which cannot count: very much of them is not taken apart."""
    if sum(len(reading.text.body or "") for reading in readings) <= MOST_OF_A_FORK:
        return readings
    return [Reading(text=_unread_text(reading.text)) for reading in readings]


def _unread_text(text: Text) -> Text:
    message = f"{text.source.id} was not read: there is too much of what cannot count"
    return Text(source=text.source, where=text.where, body=None, missing=problem("PG230", message, text.where))


def _longest(readings: Sequence[Reading]) -> int | None:
    """Up to which length earlier results are read where there is very much; None where all of them are."""
    size = sum(len(reading.text.body or "") for reading in readings)
    return LONG if size > MOST_EARLIER else None


def _left_elsewhere(
    readings: Sequence[Reading], snapshot: Snapshot, chosen: tuple[IssueFolder, ...], longest: int | None
) -> list[Signal]:
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
                found += earlier_signals(past, issue, longest)
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
    """The folder, with a problem if not all changed files are known: then the scope cannot be checked."""
    if snapshot.files.complete or each.wrong is not None:
        return each
    message = "GitHub does not list all changed files, so the work cannot be compared with its plan and report"
    return replace(each, wrong=problem("PG235", message, Where(path=each.path)))


def _of_its_issue(each: IssueFolder, folder: Folder | None) -> IssueFolder:
    """The folder, with a problem if its state says that it is another issue's."""
    state = None if folder is None else folder.artifact(STATE)
    if folder is None or state is None:
        return each
    return replace(each, wrong=next(another_issue(folder, state), None))


def _read(
    readings: Sequence[Reading], each: IssueFolder, around: Surroundings, part: Callable[[Text], Part | None]
) -> Folder:
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
        later_round=any(file.path == f"{each.path}/{WORKER}" and file.earlier for file in snapshot.branch_files),
    )
    parts = [found for reading in _inside(readings, each) if (found := part(reading.text)) is not None]
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
    asked = [other for other in others if other.asks_for(Stage.IMPLEMENT)]
    theirs = frozenset(file for other in asked for file in other.get(WORKER, "files_changed") or ())
    done = folder.artifact(WORKER) is not None or not folder.asks_for(Stage.IMPLEMENT)
    changed = folder.context.changed_files if done else None
    return replace(folder, context=replace(folder.context, changed_files=changed, of_others=theirs))


def _told(
    readings: Sequence[Reading], each: IssueFolder, folder: Folder, longest: int | None
) -> tuple[list[Signal], list[Problem]]:
    """The signals of a folder's files, and what is wrong where none of them stands."""
    wrong: dict[str, list[Problem]] = {}
    for item in artifact_problems(folder):
        wrong.setdefault(item.where.path or "", []).append(item)
    found: list[Signal] = []
    escalated = _escalated(folder)
    for text in (reading.text for reading in _inside(readings, each)):
        name, path = name_of(text), text.source.id
        if name in ARTIFACTS:
            if not text.source.latest:
                found += earlier_signals(text, each.issue, longest) if _is_told(text) else ()
            else:
                told = signals(text, each.issue, folder.artifact(name), tuple(wrong.get(path, ())))
                failed = escalated and name in JUDGING
                found += [replace(signal, question=escalated) if failed else signal for signal in told]
        elif name not in (*FILES, *OTHERS) and text.source.latest:
            wrong.setdefault(path, []).append(unknown_name(name, text.where))
    used = {signal.where.path for signal in found if signal.source.latest}
    return found, [_lesser(item) for path, items in wrong.items() if path not in used for item in items]


def _escalated(folder: Folder) -> str:
    """Why the debugger hands a failure to a human; empty if it does not."""
    if folder.get(DEBUG, "classification") != "escalate":
        return ""
    kind, cause = (str(folder.get(DEBUG, key) or "") for key in ("escalation_sub", "root_cause"))
    return f"{DEBUG} escalates{f' ({kind})' if kind else ''}: {cause}"[:MOST_ASKED]


def _instructions(artifact: Artifact) -> str:
    """What a diagnosis tells the worker, or of a defect of the plan the planner, to do; empty for other files."""
    keys = {"fix_target": "fix_instructions", "plan_defect": "plan_fix_instructions"}
    key = keys.get(str(artifact.get("classification"))) if artifact.kind == DEBUG else None
    return str(artifact.get(key) or "")[:MOST_ASKED] if key else ""


def _lesser(item: Problem) -> Problem:
    """The problem as a warning, for a file that does not count, such as a copy."""
    return replace(item, severity=Severity.WARNING) if item.severity is Severity.ERROR else item


FAILED = "FAIL"
MOST_FINDINGS = 50
MOST_ASKED = 500  # letters of a question, or of instructions
LONG = 32_768
MOST_EARLIER = 4_000_000  # characters of all files and earlier results; of more the long ones are not read
MOST_OF_A_FORK = 1_000_000  # characters of all files of a fork
SECOND_RAN = re.compile(r'"phase_2"\s*:\s*(?!\s|null)', re.ASCII)


def name_of(text: Text) -> str:
    """The name of a file without its folder."""
    return text.source.id.rpartition("/")[2]


def earlier_signals(text: Text, issue: int | None, longest: int | None = None) -> Iterator[Signal]:
    """What an earlier text said, by itself; of one that cannot be read, or is too long, that it was there."""
    name, body = name_of(text), text.body
    if body is not None and (longest is None or len(body) <= longest):
        found = read_artifact(name, body, text.where)
        if isinstance(found, Artifact):
            yield from signals(text, issue, found, own_problems(found))
            return
    for part in JUDGING.get(name, ()):
        if part != PHASE_2 or body is None or SECOND_RAN.search(body):
            wrong = problem("PG230", f"{text.source.id} could not be read as it was before", text.where)
            yield replace(_part(text, issue, part), known=False, problems=(wrong,))


def _part(text: Text, issue: int | None, part: str) -> Signal:
    """A signal of a file, or of a part of it, that says nothing yet."""
    inside = part.removeprefix(name_of(text))
    return Signal(
        dialect=NAME,
        kind=Kind.REPORT if ARTIFACTS[part].about is Subject.NOTHING else Kind.VERDICT,
        claims=(RoleClaim(by="the file's name", role=part),),
        digest=text_digest(text.body or ""),
        source=replace(text.source, id=f"{text.source.id}{inside}", issue=issue),
        where=text.where,
    )


def signals(
    text: Text, issue: int | None, artifact: Artifact | None, problems: tuple[Problem, ...]
) -> Iterator[Signal]:
    """The words of a text; of the tests, the second phase has one of its own if it ran."""
    name = name_of(text)
    anyway = () if artifact is not None or name != REVIEW else tuple(islice(_told_anyway(text), MOST_FINDINGS))
    said = "" if artifact is None or artifact.kind not in SAYING else artifact.get(SAYING[artifact.kind])
    whole = replace(
        _part(text, issue, name),
        outcome=outcome(artifact) if artifact is not None else Outcome.FAIL if anyway else None,
        said=said,
        findings=anyway if artifact is None else tuple(islice(_findings(artifact), MOST_FINDINGS)),
        commit=artifact.get("commit") if artifact is not None and artifact.kind in SAYING else None,
        question="" if artifact is None else _blockers(artifact),
        notes="" if artifact is None else _instructions(artifact),
        known=text.missing is None,
        objects=name != STATE and (objects(text.body or "") if artifact is None else holds_against(artifact)),
        problems=problems,
    )
    yield whole
    ran = second_phase(artifact) if artifact is not None and artifact.kind == TEST else None
    if artifact is not None and ran is not None:
        second = _part(text, issue, PHASE_2)
        yield replace(
            whole,
            claims=second.claims,
            outcome=ran,
            objects=ran is Outcome.FAIL,
            said=ran.value,
            source=second.source,
            findings=tuple(islice(_failed_checks(artifact, PHASES[1]), MOST_FINDINGS)),
        )


def _told_anyway(text: Text) -> Iterator[Finding]:
    """What a review found that fails and breaks its form elsewhere: it is to be fixed all the same."""
    document = read_json(text.body or "")
    if isinstance(document, Document):
        yield from _findings(Artifact(name=name_of(text), where=text.where, document=document))


def _blockers(artifact: Artifact) -> str:
    """What keeps a worker from going on, which is a human's to answer."""
    if artifact.kind != WORKER or artifact.get("status") == "completed":
        return ""
    items = (item if isinstance(item, dict) else {TEXTS[0]: item} for item in artifact.get("blockers"))
    texts = (next((item[key] for key in TEXTS if isinstance(item.get(key), str)), "") for item in items)
    told = "; ".join(filter(None, islice(texts, MOST_FINDINGS)))
    return (told or artifact.get("summary") or STOPPED)[:MOST_ASKED]


def _findings(artifact: Artifact) -> Iterator[Finding]:
    """What a failing result holds against the work: checks that failed, and what the reviewer found."""
    yield from _failed_checks(artifact, *PHASES)
    if artifact.kind == REVIEW and artifact.get("verdict") == "FAIL":
        lists = [(name[0].upper(), artifact.get(name)) for name in ("blockers", "concerns")]
        found = [(letter, item) for letter, items in lists if isinstance(items, list) for item in items]
        for number, (letter, told) in enumerate(found, start=1):
            item = told if isinstance(told, dict) else {TEXTS[0]: told}
            summary = next((item[key] for key in TEXTS if isinstance(item.get(key), str)), "")
            place = f"{item['file']}:{item['line']}" if "file" in item and "line" in item else ""
            yield _finding(f"{letter}{number}", summary, place, artifact.where)


def _failed_checks(artifact: Artifact, *phases: str) -> Iterator[Finding]:
    if artifact.kind == TEST and artifact.get("verdict") == "FAIL":
        for check in checks(artifact.data, *phases):
            if check.result == "FAIL":
                yield _finding(check.name, f"{check.path[0]}.{check.name} failed", "", artifact.where)


def _finding(name: str, summary: str, location: str, where: Where) -> Finding:
    return Finding(id=name, severity=FAILED, summary=summary, location=location, blocking=True, where=where)
