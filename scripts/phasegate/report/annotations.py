"""Annotations: problems and findings on lines of changed files, in a check run or as workflow commands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from phasegate.catalogue import by_code
from phasegate.model.frozen import replace
from phasegate.model.plan import Annotation, CheckDraft, Conclusion, Level
from phasegate.model.problem import Problem, Severity, Where
from phasegate.model.report import Disposition, Report, State
from phasegate.model.signal import OVERALL, Outcome
from phasegate.model.snapshot import REMOVED, Snapshot
from phasegate.report.inert import EMPTY, LOCATION, Links, code, plain
from phasegate.report.summary.overview import findings_of, required
from phasegate.report.summary.sections import GRAVEST_FIRST, fitted, left_out, position, problems
from phasegate.report.wording import counted

MOST_COMMANDS = 10  # of each kind; the runner shows no more per step

LEVELS = {Severity.ERROR: Level.FAILURE, Severity.WARNING: Level.WARNING, Severity.NOTICE: Level.NOTICE}
CONCLUSIONS = {
    State.SUCCESS: Conclusion.SUCCESS,
    State.FAILURE: Conclusion.FAILURE,
    State.ERROR: Conclusion.FAILURE,
    State.PENDING: Conclusion.ACTION_REQUIRED,
}
MOST_ANNOTATIONS = 500  # ten requests
# GitHub's limits are 255 characters for a title, 64 KB for each of the texts, 65535 characters for the summary.
TITLE, SENTENCE, SUMMARY_BYTES = 255, 4000, 64_000


def check_draft(report: Report, snapshot: Snapshot) -> CheckDraft:
    """The check run of a report: its gravest problems in files, and the total number."""
    found = sorted(
        _in_files(report, snapshot),
        key=lambda item: (GRAVEST_FIRST.index(item.severity), item.where.path or "", position(item), item.code),
    )
    return CheckDraft(
        conclusion=CONCLUSIONS[report.state],
        title=_counted(found),
        summary=_summary(report, found),
        annotations=tuple(_annotation(item) for item in found[:MOST_ANNOTATIONS]),
    )


def annotation_lines(report: Report, snapshot: Snapshot) -> Iterator[str]:
    """A workflow command for each problem in a file of the pull request."""
    found = _in_files(report, snapshot)
    for severity in GRAVEST_FIRST:
        for item in [item for item in found if item.severity is severity][:MOST_COMMANDS]:
            yield _command(item)


def _in_files(report: Report, snapshot: Snapshot) -> list[Problem]:
    """Problems of files at the head. The policy is left out: it was read from the default branch, with other lines."""
    changed = {file.path for file in snapshot.files.entries if file.status != REMOVED}
    paths = (changed | {file.path for file in snapshot.branch_files}) - {snapshot.policy.path}
    found = [item for item in report.problems if item.where.path in paths]
    return [*found, *(item for item in standing_findings(report) if item.where.path in changed)]


def standing_findings(report: Report) -> Iterator[Problem]:
    """Findings that stand against the present content, as problems at their lines."""
    for item in report.signals:
        if item.disposition is not Disposition.COUNTED or item.vote.outcome is not Outcome.FAIL or not item.vote.fresh:
            continue
        for finding in findings_of(item):
            place = LOCATION.fullmatch(finding.location)
            if place is not None:
                yield Problem(
                    code=f"{finding.id} {finding.severity}",
                    severity=Severity.ERROR if required(finding, item) else Severity.WARNING,
                    message=finding.summary,
                    where=Where(path=place["path"], line=int(place["first"])),
                    hint=finding.fix_hint or "",
                )


def _annotation(item: Problem) -> Annotation:
    where, listed = item.where, by_code().get(item.code)  # the id of a finding is no code
    message = [plain(item.message, SENTENCE) or EMPTY]  # GitHub refuses an empty one
    details = [plain(f"{item.severity.value} {item.code} at {where}", SENTENCE)]
    if item.hint:
        message.append(f"Fix: {plain(item.hint, SENTENCE)}")
    if where.json_path:
        details.append(f"JSON path: {plain(where.json_path, SENTENCE)}")
    return Annotation(
        path=where.path or "",
        line=max(where.line or 1, 1),
        column=where.column if where.line and where.column and where.column > 0 else None,
        level=LEVELS[item.severity],
        title=plain(f"{item.code} {listed.title.rstrip('.') if listed else ''}", TITLE),
        message="\n".join(message),
        details="\n".join(details),
    )


def _counted(found: Iterable[Problem]) -> str:
    paths = [item.where.path for item in found]
    if not paths:
        return "No problems in the files of this pull request"
    return f"{counted(len(paths), 'problem')} in {counted(len(set(paths)), 'file')}"


def _summary(report: Report, found: list[Problem]) -> str:
    """What the annotations mean, then the problems file by file while there is room."""
    parts = report.context.replace(OVERALL, f"{OVERALL}/…", 1)
    told = [f"{_counted(found)}. The statuses {code(report.context)} and {code(parts)} decide, not this check."]
    if len(found) > MOST_ANNOTATIONS:
        rest = len(found) - MOST_ANNOTATIONS
        told.append(f"The gravest {MOST_ANNOTATIONS} are marked on their lines, the other {rest} are not.")
    elsewhere = sum(item not in found for item in report.problems)
    if elsewhere:
        told.append(f"{counted(elsewhere, 'problem')} elsewhere, such as in comments: see the summary of the run.")
    section = problems(replace(report, problems=tuple(found)), Links.of(report))
    text, missing = fitted((section,), SUMMARY_BYTES)
    return "\n\n".join([" ".join(told), text + (left_out(missing) if missing else "")]).strip()


def _command(item: Problem) -> str:
    places = {"file": item.where.path, "line": item.where.line, "col": item.where.column, "title": item.code}
    properties = ",".join(
        f"{name}={_data(str(value)).replace(':', '%3A').replace(',', '%2C')}"
        for name, value in places.items()
        if value is not None
    )
    return f"::{item.severity.value} {properties}::{_data(f'{item.message}. {item.hint}')}"


def _data(text: str) -> str:
    return plain(text, 1000).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
