"""A file of the pipeline in normal form: each version of it is a signal of its artifact, its source the push."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice

from phasegate.catalogue import problem
from phasegate.dialects.dialect import Text
from phasegate.dialects.pipeline.declaration import ARTIFACTS, JUDGING, NAME, PHASE_2, REVIEW, TEST
from phasegate.dialects.pipeline.reading import PHASES, checks_of, read_artifact
from phasegate.dialects.pipeline.rules import own_problems
from phasegate.dialects.pipeline.stages import outcome, second_phase
from phasegate.dialects.pipeline.types import (
    Artifact,
    Check,
    Content,
    ReviewResult,
    TestResult,
    Verdict,
    WorkerResult,
)
from phasegate.model.digest import text_digest
from phasegate.model.frozen import replace
from phasegate.model.problem import Problem, Where
from phasegate.model.signal import Finding, Kind, Outcome, RoleClaim, Signal, Subject

FAILED = "FAIL"
MOST_FINDINGS = 50
LONG = 32_768
SECOND_RAN = re.compile(r'"phase_2"\s*:\s*(?!\s|null)', re.ASCII)


def name_of(text: Text) -> str:
    """The name of a file without its folder."""
    return text.source.id.rpartition("/")[2]


def earlier_signals(text: Text, issue: int | None) -> Iterator[Signal]:
    """What an earlier text said, by itself; of a long one only how it ended, of one that is none that it was there."""
    name, body = name_of(text), text.body
    found = None if body is None or len(body) > LONG else read_artifact(name, body, text.where)
    if isinstance(found, Artifact):
        yield from signals(text, issue, found, own_problems(found))
        return
    told = None if body is None or len(body) <= LONG else ended(body)
    for part in JUDGING.get(name, ()):
        if told is not None and told.get(part) is not None:
            said = told[part]
            yield replace(_part(text, issue, part), outcome=said, said=said.value if said else "")
        elif told is None and (part != PHASE_2 or body is None or SECOND_RAN.search(body)):
            yield _unread(text, issue, part)


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
            said=ran.value,
            source=second.source,
            findings=tuple(islice(found, MOST_FINDINGS)),
        )


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
