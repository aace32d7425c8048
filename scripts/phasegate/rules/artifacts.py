"""What a phase needs of the evidence: each artifact of each issue, with how it stands and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.model.decision import Need, NeedKind, NeedState, Standing, Word
from phasegate.model.evidence import PHASE_2, EvidenceFolder, file_of
from phasegate.model.problem import Severity
from phasegate.model.signal import Kind, Outcome
from phasegate.rules.bench import Bench
from phasegate.rules.freshness import short

GOOD = (Outcome.PASS, Outcome.COMPLETE)


def artifact_needs(bench: Bench) -> Iterator[Need]:
    """One need for each artifact that must be there, and for each other one that is there and wrong."""
    for folder, names in bench.evidence:
        wrong = folder.wrong
        if wrong is not None and names:
            state = NeedState.FAILED if wrong.severity is Severity.ERROR else NeedState.WAITING
            yield Need(kind=NeedKind.ARTIFACT, name=folder.path, state=state, text=wrong.message, todo=wrong.hint)
            continue
        for name in names:
            yield artifact_need(bench, folder, name)
        for name in bench.phase.optional_artifacts:
            if name not in names:
                yield from _optional(bench, folder, name)


def artifact_need(bench: Bench, folder: EvidenceFolder, name: str) -> Need:
    """An artifact that must be there, be valid and fresh, and say PASS or completed."""
    word = bench.artifact(folder, name)
    ask = f"Let the pipeline push {file_of(name)} in {folder.path}"
    if word is None:
        return _need(name, NeedState.WAITING, _missing(bench, folder, name), ask)
    again = f"{ask} again, for {bench.subject}"
    if word.standing is Standing.IGNORED:
        reason = word.reason.removeprefix("does not count: ")
        return _need(name, NeedState.WAITING, f"{name} does not count: {reason}", ask, word)
    if word.signal.kind is Kind.VERDICT and not word.fresh:
        return _need(name, NeedState.WAITING, _stale(bench, name, word), again, word)
    if word.outcome is Outcome.FAIL:
        return _failed(bench, name, word, again)
    if word.standing is not Standing.VALID:
        return _need(name, NeedState.FAILED, f"{name} is invalid: {word.reason}", f"Mend {name}: {_hint(word)}", word)
    if word.outcome not in GOOD:
        said = "blocked" if word.outcome is Outcome.BLOCKED else "SKIP"
        return _need(name, NeedState.WAITING, f"{name} says {said}", again, word)
    text = f"{name} passed" if word.signal.kind is Kind.VERDICT else f"{name} is valid"
    return _need(name, NeedState.MET, text, "", word)


def _missing(bench: Bench, folder: EvidenceFolder, name: str) -> str:
    whole = bench.artifact(folder, file_of(name)) if name == PHASE_2 else None
    if whole is None:
        return f"Waiting for {name} in {folder.path}"
    return f"Waiting for phase_2 in {folder.path}/{file_of(name)}, of which nothing was run"


def _stale(bench: Bench, name: str, word: Word) -> str:
    older = next((item for item in word.problems if item.code == "PG306"), None)
    if older is not None:
        return f"{name} is stale: {older.message}"
    said = word.outcome.value if word.outcome else "SKIP"
    return f"{name} says {said} of {short(word.commit or '?')}, stale on {bench.subject}"


def _failed(bench: Bench, name: str, word: Word, again: str) -> Need:
    found = ", ".join(finding.summary for finding in word.signal.findings[:3])
    text = f"{name} says FAIL of {bench.subject}" + (f": {found}" if found else "")
    return _need(name, NeedState.FAILED, text, f"Author: fix {found or 'what it names'}. {again}", word)


def _optional(bench: Bench, folder: EvidenceFolder, name: str) -> Iterator[Need]:
    word = bench.artifact(folder, name)
    older = word is not None and any(item.code == "PG306" for item in word.problems)
    if word is not None and word.standing is Standing.INVALID and not older:
        text = f"{name} is invalid: {word.reason}"
        yield _need(name, NeedState.FAILED, text, f"Mend or remove {name}: {_hint(word)}", word)


def _hint(word: Word) -> str:
    return next((item.hint for item in word.problems if item.message == word.reason), "see its problems")


def _need(name: str, state: NeedState, text: str, todo: str, word: Word | None = None) -> Need:
    signal = None if word is None else word.id
    return Need(kind=NeedKind.ARTIFACT, name=name, state=state, text=text, todo=todo, signal=signal)
