"""All files of a pull request: each issue's folder, its signals, and further problems."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
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
    as_warning,
    checks,
    holds_against,
    outcome,
    read_artifact,
    second_phase,
    unknown_name,
)
from phasegate.dialects.pipeline.declaration import (
    ARTIFACTS,
    COPIES,
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
from phasegate.dialects.pipeline.folder import choose_folders, foreign_folders, relics
from phasegate.dialects.pipeline.rules import Context, Folder, another_issue, artifact_problems, folder_of, own_problems
from phasegate.dialects.raw import objects
from phasegate.model.codec import text_digest
from phasegate.model.frozen import replace
from phasegate.model.problem import Problem, Where
from phasegate.model.signal import STOPPED, Finding, IssueFolder, Kind, Outcome, RoleClaim, Signal, Subject
from phasegate.model.snapshot import Snapshot
from phasegate.reading.document import Json

LABEL = "complexity:"
FAILED = "FAIL"
MOST_FINDINGS = 50
MOST_ASKED = 500  # characters of a question, or of instructions
# Keys of a diagnosis with instructions for the worker, or for the planner if the plan is wrong.
INSTRUCTIONS = {"fix_target": "fix_instructions", "plan_defect": "plan_fix_instructions"}
LONG = 32_768
MOST_EARLIER = 4_000_000  # characters of all files and earlier results; of more the long ones are not read
MOST_OF_A_FORK = 1_000_000  # characters of all files of a fork
SECOND_RAN = re.compile(r'"phase_2"\s*:\s*(?!\s|null)', re.ASCII)


def name_of(text: Text) -> str:
    """The name of a file, without its folder."""
    return text.source.id.rpartition("/")[2]


def read_file(text: Text) -> Artifact | None:
    """The artifact in a file at the head; None for another name or an earlier version."""
    name = name_of(text)
    if not text.source.latest or name not in FILES:
        return None
    return read_artifact(name, text.missing if text.body is None else text.body, text.where)


def gather(readings: Sequence[Reading], around: Surroundings) -> Gathered:
    """The evidence for each linked issue, in its folder, as far as the policy asks for it."""
    snapshot, issues = around.snapshot, around.issues
    if not issues and not around.without_issue:
        return Gathered()
    texts = _within_bounds([reading.text for reading in readings], of_a_fork=snapshot.of_a_fork)
    part = cache(read_file)  # each is read once, and only where somebody asks
    states = {text.source.id: part(text) for text in texts if name_of(text) == STATE and text.source.latest}
    chosen: list[IssueFolder] = []
    read: list[tuple[IssueFolder, Folder]] = []
    for each in choose_folders(snapshot, [issue.number for issue in issues], around.folder, states):
        own = _whole(snapshot, each)
        if own.wrong is None:
            folder = _read(texts, own, around, part)
            state = folder.artifact(STATE)
            own = own if state is None else replace(own, wrong=next(another_issue(folder, state), None))
            read += [(own, folder)] if own.wrong is None else []
        chosen.append(own)
    problems = [each.wrong for each in chosen if each.wrong is not None]
    known = {each.path for each in chosen}
    apart = (state for path, state in states.items() if state is not None and path.rpartition("/")[0] not in known)
    problems += [item for state in apart if state.broken for item in state.problems]
    found: list[Signal] = []
    for own, folder in read:
        asked = (other for _, other in read if other is not folder and other.asks_for(Stage.IMPLEMENT))
        theirs = frozenset(file for other in asked for file in other.get(WORKER, "files_changed") or ())
        # nothing is compared before the work is done
        done = folder.artifact(WORKER) is not None or not folder.asks_for(Stage.IMPLEMENT)
        changed = folder.context.changed_files if done else None
        context = replace(folder.context, changed_files=changed, of_others=theirs)
        told, beside = _told(_inside(texts, own), own, replace(folder, context=context), snapshot)
        found += told
        problems += beside
    found += _left_elsewhere(texts, snapshot, chosen)
    problems += foreign_folders(snapshot, chosen)
    return Gathered(signals=tuple(found), folders=tuple(chosen), problems=tuple(problems))


def _within_bounds(texts: Sequence[Text], *, of_a_fork: bool) -> list[Text]:
    """The files. If there is too much, long files are read only where they count, and a fork's not at all."""
    size = sum(len(text.body or "") for text in texts)
    if size <= (MOST_OF_A_FORK if of_a_fork else MOST_EARLIER):
        return [*texts]
    found: list[Text] = []
    for text in texts:
        wrong = problem("PG230", f"{text.source.id} was not read: there is too much of what cannot count", text.where)
        unread = Text(source=text.source, where=text.where, body=None if of_a_fork else text.body, missing=wrong)
        found.append(unread if of_a_fork or len(text.body or "") > LONG else text)
    return found


def _whole(snapshot: Snapshot, each: IssueFolder) -> IssueFolder:
    """The folder, with a problem if not all changed files are known: then the scope cannot be checked."""
    if snapshot.files.complete or each.wrong is not None:
        return each
    message = "GitHub does not list all changed files, so the work cannot be compared with its plan and report"
    return replace(each, wrong=problem("PG235", message, Where(path=each.path)))


def _read(
    texts: Sequence[Text], each: IssueFolder, around: Surroundings, part: Callable[[Text], Artifact | None]
) -> Folder:
    snapshot, pull = around.snapshot, around.snapshot.pull_request
    own = next((issue for issue in around.issues if issue.number == each.issue), None)
    labels = [] if own is None else [label.lower() for label in own.labels]
    heads = (move.after for move in snapshot.ref_log.moves)
    context = Context(
        changed_files=tuple(sorted(_changed(snapshot))),
        commits=tuple(dict.fromkeys((*snapshot.commits, *heads, pull.head.sha))) if snapshot.commits_complete else None,
        branch=pull.head.ref,
        number=pull.number,
        url=pull.url,
        issues=tuple(issue.number for issue in around.issues),
        complexity=next((item for item in reversed(Complexity) if f"{LABEL}{item.value}" in labels), None),
        asked=around.asked(own),
        later_round=any(file.path == f"{each.path}/{WORKER}" and file.earlier for file in snapshot.branch_files),
    )
    parts = [found for text in _inside(texts, each) if (found := part(text)) is not None]
    return folder_of(each.path.rpartition("/")[2], parts, Where(path=each.path), context)


def _inside(texts: Sequence[Text], each: IssueFolder) -> list[Text]:
    return [text for text in texts if text.source.id.rpartition("/")[0] == each.path]


def _changed(snapshot: Snapshot) -> set[str]:
    """The paths that the pull request changes, with both paths of a rename."""
    return {path for entry in snapshot.files.entries for path in (entry.path, entry.previous_path) if path}


def _told(
    texts: Sequence[Text], each: IssueFolder, folder: Folder, snapshot: Snapshot
) -> tuple[list[Signal], list[Problem]]:
    """The signals of a folder's files, and problems of files that are missing."""
    wrong: dict[str, list[Problem]] = {}
    for item in artifact_problems(folder):
        wrong.setdefault(item.where.path or "", []).append(item)
    escalated = ""  # why the debugger hands a failure to a human
    if folder.get(DEBUG, "classification") == "escalate":
        kind, cause = (str(folder.get(DEBUG, key) or "") for key in ("escalation_sub", "root_cause"))
        escalated = f"{DEBUG} escalates{f' ({kind})' if kind else ''}: {cause}"[:MOST_ASKED]
    parts = {part.name: part for part in folder.parts}
    found: list[Signal] = []
    for text in texts:
        name, path = name_of(text), text.source.id
        if name in ARTIFACTS and not text.source.latest:
            found += earlier_signals(text, each.issue)
        elif name in ARTIFACTS:
            told = signals(text, each.issue, parts[name], tuple(wrong.get(path, ())))
            failed = escalated and name in JUDGING
            found += [replace(signal, question=escalated) if failed else signal for signal in told]
        elif name in COPIES:
            found += objections(text, each.issue, snapshot)
        elif name not in (*FILES, *OTHERS) and text.source.latest:
            wrong.setdefault(path, []).append(unknown_name(name, text.where))
    used = {signal.where.path for signal in found if signal.source.latest}
    # a file that does not count, such as a copy, is only warned of
    return found, [as_warning(item) for path, items in wrong.items() if path not in used for item in items]


def _left_elsewhere(texts: Sequence[Text], snapshot: Snapshot, chosen: Sequence[IssueFolder]) -> Iterator[Signal]:
    """Objections in files of other folders, now or earlier: no failure is forgotten."""
    rivals = {path for each in chosen for path in each.rivals}
    for issue, kept in relics(snapshot, chosen).items():
        for text in (text for text in texts if text.source.id in kept):
            source = text.source
            # what came with the base is not the pull request's; where that is not known, it is
            contents = (content for content in snapshot.contents if content.commit == source.commit)
            excluded = next((content.excluded for content in contents), None)
            if (not source.latest or kept[source.id]) and (excluded is None or source.id in excluded):
                rival = source.id.rpartition("/")[0] in rivals  # which holds everything already
                standing = () if rival else tuple(objections(text, issue, snapshot))
                past = replace(source, latest=False)
                yield from standing or earlier_signals(
                    Text(source=past, where=text.where, body=text.body, missing=text.missing), issue
                )


def objections(text: Text, issue: int | None, snapshot: Snapshot) -> Iterator[Signal]:
    """Objections in a file at the head with another name or in another folder; a pass there does not count.

    A file from before the pull request is not about it (L2). Its place does not answer its objection (L6).
    """
    name, body = COPIES.get(name_of(text), name_of(text)), text.body
    if name not in SAYING or body is None or text.missing is not None or not text.source.latest:
        return
    if text.source.at >= snapshot.pull_request.created_at:
        artifact = read_artifact(name, body, text.where)
        message = f"{name} does not belong here, but its objections count until it is changed"
        wrong = (*own_problems(artifact), problem("PG703", message, text.where))
        for signal in signals(text, issue, artifact, wrong):
            if signal.objects or signal.outcome in (Outcome.FAIL, Outcome.BLOCKED):
                yield signal


def earlier_signals(text: Text, issue: int | None) -> Iterator[Signal]:
    """The signals of an earlier text on its own. An unreadable judging file gives a word of unknown content."""
    name, body = name_of(text), text.body
    if body is not None and text.missing is None and name in ARTIFACTS:
        found = read_artifact(name, body, text.where)
        if not found.broken:
            yield from signals(text, issue, found, own_problems(found))
            return
    for part in JUDGING.get(name, ()):
        if part != PHASE_2 or body is None or SECOND_RAN.search(body):
            wrong = problem("PG230", f"{text.source.id} could not be read as it was before", text.where)
            yield replace(_part(text, issue, part), known=False, problems=(wrong,))


def _part(text: Text, issue: int | None, part: str) -> Signal:
    """An empty signal of a file, or of a part of it."""
    inside = PHASE_2.removeprefix(TEST) if part == PHASE_2 else ""
    return Signal(
        dialect=NAME,
        kind=Kind.REPORT if ARTIFACTS[part].about is Subject.NOTHING else Kind.VERDICT,
        claims=(RoleClaim(by="the file's name", role=part),),
        digest=text_digest(text.body or ""),
        source=replace(text.source, id=f"{text.source.id}{inside}", issue=issue),
        where=text.where,
    )


def signals(text: Text, issue: int | None, artifact: Artifact, problems: tuple[Problem, ...]) -> Iterator[Signal]:
    """The words of a text. The tests' second phase has its own word if it ran."""
    name = artifact.kind
    base = replace(_part(text, issue, name), known=text.body is not None, problems=problems)
    if artifact.broken:
        # what a review found that fails and breaks its form elsewhere is to be fixed all the same
        found = tuple(islice(_findings(artifact), MOST_FINDINGS)) if name == REVIEW else ()
        objecting = name != STATE and objects(text.body or "")
        yield replace(base, outcome=Outcome.FAIL if found else None, findings=found, objects=objecting)
        return
    instructions = INSTRUCTIONS.get(str(artifact.get("classification"))) if name == DEBUG else None
    whole = replace(
        base,
        outcome=outcome(artifact),
        said=artifact.get(SAYING[name]) if name in SAYING else "",
        findings=tuple(islice(_findings(artifact), MOST_FINDINGS)),
        commit=artifact.get("commit") if name in SAYING else None,
        question=_blockers(artifact),
        notes=str(artifact.get(instructions) or "")[:MOST_ASKED] if instructions else "",
        objects=holds_against(artifact),
    )
    yield whole
    ran = second_phase(artifact) if name == TEST else None
    if ran is not None:
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


def _blockers(artifact: Artifact) -> str:
    """What keeps a worker from going on, for a human to answer."""
    if artifact.kind != WORKER or artifact.get("status") == "completed":
        return ""
    told = "; ".join(filter(None, islice(map(_summary, artifact.get("blockers")), MOST_FINDINGS)))
    return (told or artifact.get("summary") or STOPPED)[:MOST_ASKED]


def _findings(artifact: Artifact) -> Iterator[Finding]:
    """The findings of a failing result: failed checks, and what the reviewer found."""
    yield from _failed_checks(artifact, *PHASES)
    if artifact.kind == REVIEW and artifact.get("verdict") == "FAIL":
        lists = [(name[0].upper(), artifact.get(name)) for name in ("blockers", "concerns")]
        found = [(letter, item) for letter, items in lists if isinstance(items, list) for item in items]
        for number, (letter, item) in enumerate(found, start=1):
            placed = isinstance(item, dict) and "file" in item and "line" in item
            place = f"{item['file']}:{item['line']}" if placed else ""
            yield _finding(f"{letter}{number}", _summary(item), place, artifact.where)


def _summary(item: Json) -> str:
    """The text of a blocker or concern, which may be an object."""
    told = [item.get(key) for key in TEXTS] if isinstance(item, dict) else [item]
    return next((text for text in told if isinstance(text, str)), "")


def _failed_checks(artifact: Artifact, *phases: str) -> Iterator[Finding]:
    if artifact.kind == TEST and artifact.get("verdict") == "FAIL":
        for check in checks(artifact.data, *phases):
            if check.result == "FAIL":
                yield _finding(check.name, f"{check.path[0]}.{check.name} failed", "", artifact.where)


def _finding(name: str, summary: str, location: str, where: Where) -> Finding:
    return Finding(id=name, severity=FAILED, summary=summary, location=location, blocking=True, where=where)
