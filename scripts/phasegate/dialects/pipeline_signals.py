"""A file of the pipeline in normal form: each version of it is a signal of its artifact, its source the push."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from phasegate.dialects.pipeline import own_problems
from phasegate.dialects.pipeline_names import DIALECT
from phasegate.dialects.pipeline_outcomes import outcome, second_phase
from phasegate.dialects.pipeline_reading import read_artifact
from phasegate.dialects.pipeline_types import Artifact, Content, ReviewResult, TestResult, Verdict, WorkerResult
from phasegate.model.artifacts import ArtifactFile, Push
from phasegate.model.digest import text_digest
from phasegate.model.evidence import PHASE_2, TEST_RESULT
from phasegate.model.frozen import dataclass
from phasegate.model.problem import Problem, Where
from phasegate.model.signal import Finding, Kind, Outcome, Place, RoleClaim, Signal, Source
from phasegate.model.snapshot import Snapshot

VERDICTS = ("worker-result.json", TEST_RESULT, PHASE_2, "review-result.json")
FAILED = "FAIL"


@dataclass(frozen=True, kw_only=True, slots=True)
class Version:
    """One text of a file: its push, its number, and whether it is the one that stands at the head."""

    file: ArtifactFile
    issue: int | None
    text: str | None
    pushed: Push | None
    number: int
    latest: bool

    @property
    def name(self) -> str:
        """The name of the file without its folder."""
        return self.file.path.rpartition("/")[2]


def versions(file: ArtifactFile, issue: int | None) -> Iterator[Version]:
    """Every text of a file that was read, the oldest first; the one at the head in any case."""
    for number, earlier in enumerate(file.earlier, start=1):
        if earlier.text is not None:
            yield Version(file=file, issue=issue, text=earlier.text, pushed=earlier.pushed, number=number, latest=False)
    if not file.gone:
        number = len(file.earlier) + 1
        yield Version(file=file, issue=issue, text=file.text, pushed=file.pushed, number=number, latest=True)


def earlier_signals(snapshot: Snapshot, version: Version) -> Iterator[Signal]:
    """What an earlier text said, by itself."""
    found = read_artifact(version.name, version.text or "", Where(path=version.file.path))
    artifact = found if isinstance(found, Artifact) else None
    problems = own_problems(found) if isinstance(found, Artifact) else found
    yield from signals(snapshot, version, artifact, problems)


def signals(
    snapshot: Snapshot, version: Version, artifact: Artifact[Content] | None, problems: tuple[Problem, ...]
) -> Iterator[Signal]:
    """The words of a text; of the tests, the second phase has one of its own if it ran."""
    content = None if artifact is None else artifact.content
    whole = Signal(
        dialect=DIALECT,
        kind=Kind.VERDICT if version.name in VERDICTS else Kind.REPORT,
        claims=(RoleClaim(by="the file's name", role=version.name),),
        outcome=None if artifact is None else outcome(artifact),
        findings=_findings(artifact),
        commit=content.commit if isinstance(content, WorkerResult | TestResult | ReviewResult) else None,
        digest=text_digest(version.text or ""),
        source=_source(snapshot, version),
        where=Where(path=version.file.path),
        problems=problems,
    )
    yield whole
    ran = second_phase(content) if isinstance(content, TestResult) else None
    if ran is not None:
        source = replace(whole.source, id=f"{version.file.path}{PHASE_2.removeprefix(TEST_RESULT)}")
        claims = (RoleClaim(by="the file's name", role=PHASE_2),)
        yield replace(whole, claims=claims, outcome=ran, source=source)


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


def _findings(artifact: Artifact[Content] | None) -> tuple[Finding, ...]:
    """What a failing result holds against the work: checks that failed, and what the reviewer found."""
    content = None if artifact is None or outcome(artifact) is not Outcome.FAIL else artifact.content
    if artifact is not None and isinstance(content, TestResult):
        checks = [check for check in (*content.phase_1, *(content.phase_2 or ())) if check.result is Verdict.FAIL]
        named = [(check.name, f"{check.path[0]}.{check.name} failed", "") for check in checks]
    elif artifact is not None and isinstance(content, ReviewResult):
        found = [("B", item) for item in content.blockers] + [("C", item) for item in content.concerns]
        named = [
            (f"{letter}{number}", item.text, f"{item.file or ''}{f':{item.line}' if item.line else ''}")
            for number, (letter, item) in enumerate(found, start=1)
        ]
    else:
        return ()
    return tuple(
        Finding(id=name, severity=FAILED, summary=text, location=place, blocking=True, where=artifact.where)
        for name, text, place in named
    )
