"""What a phase needs of the evidence: each artifact of each issue, with how it stands and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.model.conversation import Actor
from phasegate.model.decision import Need, NeedKind, NeedState, Standing, Word
from phasegate.model.evidence import EvidenceFolder, file_of
from phasegate.model.problem import Severity
from phasegate.model.signal import Does, Kind, Outcome
from phasegate.rules.bench import Bench
from phasegate.rules.freshness import short
from phasegate.rules.trust import same_account

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
    word, title = bench.artifact(folder, name), _title(bench, folder, name)
    ask = f"Let the pipeline push {file_of(name)} in {folder.path}"
    if word is None:
        return _need(name, NeedState.WAITING, _missing(bench, folder, name), ask)
    again = f"{ask} again, for {bench.subject}"
    if word.standing is Standing.IGNORED:
        reason = word.reason.removeprefix("does not count: ")
        return _need(name, NeedState.WAITING, f"{title} does not count: {reason}", ask, word)
    if word.stale or (word.signal.kind is Kind.VERDICT and not word.fresh):
        return _need(name, NeedState.WAITING, _stale(bench, title, word), again, word)
    if word.outcome is Outcome.FAIL:
        return _failed(bench, name, title, word, again)
    if word.standing is not Standing.VALID:
        return _need(name, NeedState.FAILED, f"{title} is invalid: {word.reason}", f"Mend {name}: {_hint(word)}", word)
    shared = _shared_account(bench, folder, name, word)
    if word.outcome not in GOOD or shared:
        return _need(name, NeedState.WAITING, f"{title} {shared or f'says {word.signal.said}'}", again, word)
    return _need(name, NeedState.MET, f"{title} {_good(word)}", "", word)


def _title(bench: Bench, folder: EvidenceFolder, name: str) -> str:
    """The artifact as people name it; with its folder where there are several."""
    return name if len(bench.evidence) == 1 else f"{folder.path}/{name}"


def _good(word: Word) -> str:
    if word.signal.kind is not Kind.VERDICT:
        return "is valid"
    return "passed" if word.outcome is Outcome.PASS else f"says {word.signal.said}"


def _missing(bench: Bench, folder: EvidenceFolder, name: str) -> str:
    whole = bench.artifact(folder, file_of(name)) if name != file_of(name) else None
    if whole is None:
        return f"Waiting for {name} in {folder.path}"
    part = name.removeprefix(f"{file_of(name)}#")
    why = "which is invalid" if whole.standing is Standing.INVALID else "of which nothing was run"
    return f"Waiting for {part} in {folder.path}/{file_of(name)}, {why}"


def _stale(bench: Bench, title: str, word: Word) -> str:
    said = f"says {word.signal.said} of" if word.signal.said else "is of"
    commit = short(word.commit or "?")
    content = word.signal.kind is Kind.VERDICT and word.content != bench.content
    return f"{title} {said} {commit}, stale on {bench.subject}" if content else f"{title} is stale: {word.stale}"


def _failed(bench: Bench, name: str, title: str, word: Word, again: str) -> Need:
    found = ", ".join(finding.summary for finding in word.signal.findings[:3])
    text = f"{title} says FAIL of {bench.subject}" + (f": {found}" if found else "")
    return _need(name, NeedState.FAILED, text, f"Author: fix {found or 'what it names'}. {again}", word)


def _shared_account(bench: Bench, folder: EvidenceFolder, name: str, word: Word) -> str:
    """With ``distinct_accounts``: that who judges in this file has pushed another part of the work too."""
    policy, author = bench.scales.policy, word.signal.source.author
    judges = policy.role(name).does in (Does.CHALLENGES, Does.CONFIRMS)
    if not policy.verdicts.distinct_accounts or not judges or author is None:
        return ""
    for other in (each for each in bench.phase.evidence if file_of(each) != file_of(name)):
        theirs = bench.artifact(folder, other)
        pusher = theirs.signal.source.author if theirs is not None else None
        if pusher is not None and same_account(author, pusher):
            return f"and {other} were pushed from one account, {author.login}"
    return ""


def pushers(bench: Bench) -> Iterator[tuple[str, Actor]]:
    """Who pushed each artifact that the phase looks at."""
    for folder, _ in bench.evidence:
        for name in bench.phase.evidence:
            word = bench.artifact(folder, name)
            if word is not None and word.signal.source.author is not None:
                yield name, word.signal.source.author


def _optional(bench: Bench, folder: EvidenceFolder, name: str) -> Iterator[Need]:
    word = bench.artifact(folder, name)
    if word is not None and word.standing is Standing.INVALID and not word.stale:
        text = f"{_title(bench, folder, name)} is invalid: {word.reason}"
        yield _need(name, NeedState.FAILED, text, f"Mend or remove {name}: {_hint(word)}", word)


def _hint(word: Word) -> str:
    return next((item.hint for item in word.problems if item.message == word.reason), "see its problems")


def _need(name: str, state: NeedState, text: str, todo: str, word: Word | None = None) -> Need:
    signal = None if word is None else word.id
    return Need(kind=NeedKind.ARTIFACT, name=name, state=state, text=text, todo=todo, signal=signal)
