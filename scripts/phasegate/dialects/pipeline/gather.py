"""The files of a pull request together: each issue's folder, its signals, and what is wrong beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from phasegate.catalogue import problem
from phasegate.dialects.dialect import Gathered, Reading, Surroundings, Text, objects
from phasegate.dialects.pipeline.declaration import (
    ARTIFACTS,
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
    choose_folders,
    folder_of,
    foreign_folders,
    relics,
)
from phasegate.dialects.pipeline.reading import PHASES, checks_of, read_artifact, unknown_name
from phasegate.dialects.pipeline.rules import artifact_problems, own_problems
from phasegate.dialects.pipeline.state import outcome, second_phase
from phasegate.dialects.pipeline.types import (
    NAMES,
    Artifact,
    Check,
    Complexity,
    Content,
    ReviewResult,
    Stage,
    TestResult,
    Verdict,
    WorkerResult,
)
from phasegate.model.codec import text_digest
from phasegate.model.frozen import replace
from phasegate.model.problem import Fault, Problem, Severity, Where
from phasegate.model.signal import Finding, IssueFolder, Kind, Outcome, RoleClaim, Signal, Subject
from phasegate.model.snapshot import Snapshot
from phasegate.model.texts import Issue
from phasegate.reading.document import folded
from phasegate.reading.json.reader import read_json

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
    readings = _within_bounds(readings) if snapshot.of_a_fork else readings
    states = {each.text.source.id: read_file(each.text) for each in readings if name_of(each.text) == STATE}
    chosen = tuple(
        _whole(snapshot, each)
        for each in choose_folders(snapshot, [issue.number for issue in issues], around.folder, states)
    )
    read = [(each, _read(readings, each, around)) for each in chosen if each.wrong is None]
    found: list[Signal] = []
    problems = [each.wrong for each in chosen if each.wrong is not None]
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


def _longest(readings: Sequence[Reading]) -> int:
    """Up to which length earlier results are taken apart; of very much of them only how each ended is told."""
    size = sum(len(reading.text.body or "") for reading in readings if not reading.text.source.latest)
    return LONG if size <= MOST_EARLIER else 0


def _left_elsewhere(
    readings: Sequence[Reading], snapshot: Snapshot, chosen: tuple[IssueFolder, ...], longest: int
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
        later_round=any(file.path == f"{each.path}/{WORKER}" and file.earlier for file in snapshot.branch_files),
    )
    files = (read_file(reading.text) for reading in _inside(readings, each))
    parts = [part for part in files if part is not None]
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


def _told(
    readings: Sequence[Reading], each: IssueFolder, folder: Folder, longest: int
) -> tuple[list[Signal], list[Problem]]:
    """The signals of a folder's files, and what is wrong where none of them stands."""
    wrong: dict[str, list[Problem]] = {}
    for item in artifact_problems(folder):
        wrong.setdefault(item.where.path or "", []).append(item)
    found: list[Signal] = []
    for text in (reading.text for reading in _inside(readings, each)):
        name, path = name_of(text), text.source.id
        if name in ARTIFACTS:
            if not text.source.latest:
                found += earlier_signals(text, each.issue, longest) if _is_told(text) else ()
            else:
                artifact = next((item for item in folder.artifacts if item.name == name), None)
                found += signals(text, each.issue, artifact, tuple(wrong.get(path, ())))
        elif name not in (*NAMES, *OTHERS) and text.source.latest:
            wrong.setdefault(path, []).append(unknown_name(name, text.where))
    used = {signal.where.path for signal in found if signal.source.latest}
    return found, [_lesser(item) for path, items in wrong.items() if path not in used for item in items]


def _lesser(item: Problem) -> Problem:
    """The problem as a warning, for a file that does not count, such as a copy."""
    return replace(item, severity=Severity.WARNING) if item.severity is Severity.ERROR else item


FAILED = "FAIL"
MOST_FINDINGS = 50
LONG = 32_768
MOST_EARLIER = 1_000_000  # characters of all earlier results together that are taken apart
MOST_OF_A_FORK = 1_000_000  # characters of all files of a fork
DECIDING = ("verdict", "blockers", *PHASES)
SECOND_RAN = re.compile(r'"phase_2"\s*:\s*(?!\s|null)', re.ASCII)


def name_of(text: Text) -> str:
    """The name of a file without its folder."""
    return text.source.id.rpartition("/")[2]


def earlier_signals(text: Text, issue: int | None, longest: int = LONG) -> Iterator[Signal]:
    """What an earlier text said, by itself; of a long one only how it ended, of one that is none that it was there."""
    name, body = name_of(text), text.body
    found = None if body is None or len(body) > longest else read_artifact(name, body, text.where)
    if isinstance(found, Artifact):
        yield from signals(text, issue, found, own_problems(found))
        return
    told = None if body is None or len(body) <= longest else ended(body)
    for part in JUDGING.get(name, ()):
        if told is not None and told.get(part) is not None:
            said = told[part]
            yield replace(_part(text, issue, part), outcome=said, said=said.value if said else "")
        elif told is None and (part != PHASE_2 or body is None or SECOND_RAN.search(body)):
            yield _unread(text, issue, part)


def ended(text: str) -> dict[str, Outcome | None] | None:
    """How a long result ended, without all that it breaks; none where it cannot be told, or contradicts itself."""
    document = read_json(text)
    data = None if isinstance(document, Fault) else document.value
    if not isinstance(data, dict):
        return None
    try:
        verdict = Verdict(data["verdict"])
        first = () if verdict is Verdict.FAIL else checks_of(data.get(PHASES[0]), PHASES[:1])
        second = checks_of(data.get(PHASES[1]), PHASES[1:])
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    failed = [any(check.result is Verdict.FAIL for check in checks) for checks in (first, second)]
    alike = any(key not in DECIDING and folded(key) in DECIDING for key in data)
    if verdict is not Verdict.FAIL and (any(failed) or data.get("blockers") or alike):
        return None
    said = {Verdict.PASS: Outcome.PASS, Verdict.FAIL: Outcome.FAIL}.get(verdict)
    return {TEST: said, REVIEW: said, PHASE_2: Outcome.FAIL if failed[1] else None}


def _unread(text: Text, issue: int | None, part: str) -> Signal:
    """A text that could not be read: it may have said anything."""
    wrong = problem("PG230", f"{text.source.id} could not be read as it was before", text.where)
    return replace(_part(text, issue, part), known=False, problems=(wrong,))


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
    text: Text, issue: int | None, artifact: Artifact[Content] | None, problems: tuple[Problem, ...]
) -> Iterator[Signal]:
    """The words of a text; of the tests, the second phase has one of its own if it ran."""
    content = None if artifact is None else artifact.content
    whole = replace(
        _part(text, issue, name_of(text)),
        outcome=None if artifact is None else outcome(artifact),
        said=_said(content),
        findings=tuple(islice(_findings(content, text.where), MOST_FINDINGS)),
        commit=content.commit if isinstance(content, WorkerResult | TestResult | ReviewResult) else None,
        known=text.missing is None,
        objects=objects(text.body or "") if content is None else _holds_against(content),
        problems=problems,
    )
    yield whole
    if not isinstance(content, TestResult):
        return
    ran = second_phase(content)
    if ran is not None:
        found = _failed_checks(content.phase_2 or (), PHASES[1], text.where) if content.verdict is Verdict.FAIL else ()
        second = _part(text, issue, PHASE_2)
        yield replace(
            whole,
            claims=second.claims,
            outcome=ran,
            objects=ran is Outcome.FAIL,
            said=ran.value,
            source=second.source,
            findings=tuple(islice(found, MOST_FINDINGS)),
        )


def _holds_against(content: Content) -> bool:
    """Whether a result that may call itself a PASS holds something against the work."""
    if isinstance(content, TestResult):
        return any(check.result is Verdict.FAIL for check in (*content.phase_1, *(content.phase_2 or ())))
    return isinstance(content, ReviewResult) and bool(content.blockers)


def _said(content: Content | None) -> str:
    """How a result ended, in its own word."""
    if isinstance(content, WorkerResult):
        return content.status.value
    return content.verdict.value if isinstance(content, TestResult | ReviewResult) else ""


def _findings(content: Content | None, where: Where) -> Iterator[Finding]:
    """What a failing result holds against the work: checks that failed, and what the reviewer found."""
    if isinstance(content, TestResult) and content.verdict is Verdict.FAIL:
        yield from _failed_checks(content.phase_1, PHASES[0], where)
        yield from _failed_checks(content.phase_2 or (), PHASES[1], where)
    if isinstance(content, ReviewResult) and content.verdict is Verdict.FAIL:
        found = [("B", item) for item in content.blockers] + [("C", item) for item in content.concerns]
        for number, (letter, item) in enumerate(found, start=1):
            place = f"{item.file or ''}{f':{item.line}' if item.line else ''}"
            yield _finding(f"{letter}{number}", item.text, place, where)


def _failed_checks(checks: tuple[Check, ...], phase: str, where: Where) -> Iterator[Finding]:
    for check in checks:
        if check.result is Verdict.FAIL:
            yield _finding(check.name, f"{phase}.{check.name} failed", "", where)


def _finding(name: str, summary: str, location: str, where: Where) -> Finding:
    return Finding(id=name, severity=FAILED, summary=summary, location=location, blocking=True, where=where)
