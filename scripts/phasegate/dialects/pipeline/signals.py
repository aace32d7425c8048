"""A file of the pipeline in normal form: each version of it is a signal of its artifact, its source the push."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from phasegate.catalogue import problem
from phasegate.dialects.pipeline.checks import checks_of
from phasegate.dialects.pipeline.names import DIALECT
from phasegate.dialects.pipeline.reading import read_artifact
from phasegate.dialects.pipeline.rules import own_problems
from phasegate.dialects.pipeline.stages import outcome, second_phase
from phasegate.dialects.pipeline.types import Artifact, Content, ReviewResult, TestResult, Verdict, WorkerResult
from phasegate.model.digest import text_digest
from phasegate.model.evidence import JUDGING, PHASE_2, REVIEW, TEST, VERDICTS
from phasegate.model.frozen import dataclass
from phasegate.model.problem import Problem, Where
from phasegate.model.signal import Finding, Kind, Outcome, Place, RoleClaim, Signal, Source
from phasegate.model.snapshot import Snapshot
from phasegate.model.texts import BranchFile, Push

FAILED = "FAIL"
SECOND = "phase_2."
MOST_FINDINGS = 50
LONG = 32_768
SECOND_RAN = re.compile(r'"phase_2"\s*:\s*(?!\s|null)', re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class Version:
    """One text of a file: its push, its number, and whether it is the one that stands at the head."""

    file: BranchFile
    issue: int | None
    text: str | None
    pushed: Push | None
    number: int
    latest: bool

    @property
    def name(self) -> str:
        """The name of the file without its folder."""
        return self.file.path.rpartition("/")[2]


def versions(file: BranchFile, issue: int | None) -> Iterator[Version]:
    """Every text of a file that was read, the oldest first; the one at the head in any case."""
    judging = file.path.rpartition("/")[2] in JUDGING
    for number, earlier in enumerate(file.earlier, start=1):
        if earlier.text is not None or judging:
            yield Version(file=file, issue=issue, text=earlier.text, pushed=earlier.pushed, number=number, latest=False)
    if not file.gone:
        number = len(file.earlier) + 1
        yield Version(file=file, issue=issue, text=file.text, pushed=file.pushed, number=number, latest=True)


def earlier_signals(snapshot: Snapshot, version: Version) -> Iterator[Signal]:
    """What an earlier text said, by itself; of a long one only how it ended, of one that is none that it was there."""
    text, where = version.text, Where(path=version.file.path)
    found = None if text is None or len(text) > LONG else read_artifact(version.name, text, where)
    if isinstance(found, Artifact):
        yield from signals(snapshot, version, found, own_problems(found))
        return
    told = None if text is None or len(text) <= LONG else ended(text)
    for name in JUDGING.get(version.name, ()):
        if told is not None and told.get(name) is not None:
            said = told[name]
            yield replace(_part(snapshot, version, name), outcome=said, said=said.value if said else "")
        elif told is None and (name != PHASE_2 or text is None or SECOND_RAN.search(text)):
            yield _unread(snapshot, version, name)


def ended(text: str) -> dict[str, Outcome | None] | None:
    """How a long result ended, read quickly; none where it cannot be told."""
    try:
        data = json.loads(text, object_pairs_hook=_once)
        verdict = Verdict(data["verdict"])
        second = checks_of(data.get("phase_2"), ("phase_2",))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    said = {Verdict.PASS: Outcome.PASS, Verdict.FAIL: Outcome.FAIL}.get(verdict)
    failed = any(check.result is Verdict.FAIL for check in second)
    return {TEST: said, REVIEW: said, PHASE_2: Outcome.FAIL if failed else None}


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _part(snapshot: Snapshot, version: Version, name: str) -> Signal:
    """A signal of a file, or of a part of it, that says nothing yet."""
    bare = _bare(snapshot, version)
    source = replace(bare.source, id=f"{version.file.path}{name.removeprefix(version.name)}")
    return replace(bare, claims=(RoleClaim(by="the file's name", role=name),), source=source)


def _unread(snapshot: Snapshot, version: Version, name: str) -> Signal:
    """A text that could not be read: it may have said anything."""
    where = Where(path=version.file.path)
    wrong = problem("PG230", f"{version.file.path} could not be read as it was before", where)
    return replace(_part(snapshot, version, name), problems=(wrong,))


def _bare(snapshot: Snapshot, version: Version) -> Signal:
    return Signal(
        dialect=DIALECT,
        kind=Kind.VERDICT if version.name in VERDICTS else Kind.REPORT,
        claims=(RoleClaim(by="the file's name", role=version.name),),
        digest=text_digest(version.text or ""),
        source=_source(snapshot, version),
        where=Where(path=version.file.path),
    )


def signals(
    snapshot: Snapshot, version: Version, artifact: Artifact[Content] | None, problems: tuple[Problem, ...]
) -> Iterator[Signal]:
    """The words of a text; of the tests, the second phase has one of its own if it ran."""
    content = None if artifact is None else artifact.content
    whole = replace(
        _bare(snapshot, version),
        outcome=None if artifact is None else outcome(artifact),
        said=_said(content),
        findings=tuple(islice(_findings(content, Where(path=version.file.path)), MOST_FINDINGS)),
        commit=content.commit if isinstance(content, WorkerResult | TestResult | ReviewResult) else None,
        problems=problems,
    )
    yield whole
    ran = second_phase(content) if isinstance(content, TestResult) else None
    if ran is not None:
        source = replace(whole.source, id=f"{version.file.path}{PHASE_2.removeprefix(TEST)}")
        claims = (RoleClaim(by="the file's name", role=PHASE_2),)
        findings = tuple(finding for finding in whole.findings if finding.summary.startswith(SECOND))
        yield replace(whole, claims=claims, outcome=ran, said=ran.value, source=source, findings=findings)


def _source(snapshot: Snapshot, version: Version) -> Source:
    pushed, head = version.pushed, snapshot.pull_request.head.sha
    commit = head if pushed is None or version.latest else pushed.commit
    return Source(
        id=version.file.path,
        number=0,
        url=f"{snapshot.repository.url}/blob/{commit}/{version.file.path}",
        place=Place.PULL_REQUEST,
        issue=version.issue,
        author=None if pushed is None else pushed.actor,
        at=snapshot.pull_request.created_at if pushed is None else pushed.at,
        version=version.number,
        latest=version.latest,
        commit=None if pushed is None else pushed.commit,
        pushed=True,
    )


def _said(content: Content | None) -> str:
    """How a result ended, in its own word."""
    if isinstance(content, WorkerResult):
        return content.status.value
    return content.verdict.value if isinstance(content, TestResult | ReviewResult) else ""


def _findings(content: Content | None, where: Where) -> Iterator[Finding]:
    """What a failing result holds against the work: checks that failed, and what the reviewer found."""
    if isinstance(content, TestResult) and content.verdict is Verdict.FAIL:
        for check in (*content.phase_1, *(content.phase_2 or ())):
            if check.result is Verdict.FAIL:
                yield _finding(check.name, f"{check.path[0]}.{check.name} failed", "", where)
    if isinstance(content, ReviewResult) and content.verdict is Verdict.FAIL:
        found = [("B", item) for item in content.blockers] + [("C", item) for item in content.concerns]
        for number, (letter, item) in enumerate(found, start=1):
            place = f"{item.file or ''}{f':{item.line}' if item.line else ''}"
            yield _finding(f"{letter}{number}", item.text, place, where)


def _finding(name: str, summary: str, location: str, where: Where) -> Finding:
    return Finding(id=name, severity=FAILED, summary=summary, location=location, blocking=True, where=where)
