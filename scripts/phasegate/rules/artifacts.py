"""What a phase needs of the evidence: each artifact of each issue, with how it stands and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.model.actors import Actor
from phasegate.model.evidence import IssueFolder, file_of
from phasegate.model.problem import Severity
from phasegate.model.report import Need, NeedKind, NeedState
from phasegate.model.signal import Does, Kind, Outcome
from phasegate.model.vote import Validity, Vote
from phasegate.rules.accounts import same_account
from phasegate.rules.binding import short
from phasegate.rules.view import PhaseView

GOOD = (Outcome.PASS, Outcome.COMPLETE)


def artifact_needs(view: PhaseView) -> Iterator[Need]:
    """One need for each artifact that must be there, and for each other one that is there and wrong."""
    for folder, names in view.evidence:
        wrong = folder.wrong
        if wrong is not None and names:
            state = NeedState.FAILED if wrong.severity is Severity.ERROR else NeedState.WAITING
            yield Need(kind=NeedKind.ARTIFACT, name=folder.path, state=state, text=wrong.message, todo=wrong.hint)
            continue
        for name in names:
            yield artifact_need(view, folder, name)
        for name in view.phase.optional_artifacts:
            if name not in names:
                yield from _optional(view, folder, name)


def artifact_need(view: PhaseView, folder: IssueFolder, name: str) -> Need:
    """An artifact that must be there, be valid and fresh, and say PASS or completed."""
    vote, title = view.artifact(folder, name), _title(view, folder, name)
    ask = f"Let the pipeline push {file_of(name)} in {folder.path}"
    if vote is None:
        return _need(name, NeedState.WAITING, _missing(view, folder, name), ask)
    again = f"{ask} again, for {view.subject}"
    if vote.validity is Validity.IGNORED:
        reason = vote.reason.removeprefix("does not count: ")
        return _need(name, NeedState.WAITING, f"{title} does not count: {reason}", ask, vote)
    if vote.stale or (vote.signal.kind is Kind.VERDICT and not vote.fresh):
        return _need(name, NeedState.WAITING, _stale(view, title, vote), again, vote)
    if vote.outcome is Outcome.FAIL:
        return _failed(view, name, title, vote, again)
    if vote.validity is not Validity.VALID:
        return _need(name, NeedState.FAILED, f"{title} is invalid: {vote.reason}", f"Mend {name}: {_hint(vote)}", vote)
    shared = _shared_account(view, folder, name, vote)
    if vote.outcome not in GOOD or shared:
        return _need(name, NeedState.WAITING, f"{title} {shared or f'says {vote.signal.said}'}", again, vote)
    return _need(name, NeedState.MET, f"{title} {_good(vote)}", "", vote)


def _title(view: PhaseView, folder: IssueFolder, name: str) -> str:
    """The artifact as people name it; with its folder where there are several."""
    return name if len(view.evidence) == 1 else f"{folder.path}/{name}"


def _good(vote: Vote) -> str:
    if vote.signal.kind is not Kind.VERDICT:
        return "is valid"
    return "passed" if vote.outcome is Outcome.PASS else f"says {vote.signal.said}"


def _missing(view: PhaseView, folder: IssueFolder, name: str) -> str:
    whole = view.artifact(folder, file_of(name)) if name != file_of(name) else None
    if whole is None:
        return f"Waiting for {name} in {folder.path}"
    part = name.removeprefix(f"{file_of(name)}#")
    why = "which is invalid" if whole.validity is Validity.INVALID else "of which nothing was run"
    return f"Waiting for {part} in {folder.path}/{file_of(name)}, {why}"


def _stale(view: PhaseView, title: str, vote: Vote) -> str:
    said = f"says {vote.signal.said} of" if vote.signal.said else "is of"
    commit = short(vote.commit or "?")
    content = vote.signal.kind is Kind.VERDICT and vote.content != view.content
    return f"{title} {said} {commit}, stale on {view.subject}" if content else f"{title} is stale: {vote.stale}"


def _failed(view: PhaseView, name: str, title: str, vote: Vote, again: str) -> Need:
    found = ", ".join(finding.summary for finding in vote.signal.findings[:3])
    text = f"{title} says FAIL of {view.subject}" + (f": {found}" if found else "")
    return _need(name, NeedState.FAILED, text, f"Author: fix {found or 'what it names'}. {again}", vote)


def _shared_account(view: PhaseView, folder: IssueFolder, name: str, vote: Vote) -> str:
    """With ``distinct_accounts``: that who judges in this file has pushed another part of the work too."""
    policy, author = view.facts.policy, vote.signal.source.author
    judges = policy.role(name).does in (Does.CHALLENGES, Does.CONFIRMS)
    if not policy.verdicts.distinct_accounts or not judges or author is None:
        return ""
    for other in (each for each in view.phase.evidence if file_of(each) != file_of(name)):
        theirs = view.artifact(folder, other)
        pusher = theirs.signal.source.author if theirs is not None else None
        if pusher is not None and same_account(author, pusher):
            return f"and {other} were pushed from one account, {author.login}"
    return ""


def pushers(view: PhaseView) -> Iterator[tuple[str, Actor]]:
    """Who pushed each artifact that the phase looks at."""
    for folder, _ in view.evidence:
        for name in view.phase.evidence:
            vote = view.artifact(folder, name)
            if vote is not None and vote.signal.source.author is not None:
                yield name, vote.signal.source.author


def _optional(view: PhaseView, folder: IssueFolder, name: str) -> Iterator[Need]:
    vote = view.artifact(folder, name)
    if vote is not None and vote.validity is Validity.INVALID and not vote.stale:
        text = f"{_title(view, folder, name)} is invalid: {vote.reason}"
        yield _need(name, NeedState.FAILED, text, f"Mend or remove {name}: {_hint(vote)}", vote)


def _hint(vote: Vote) -> str:
    return next((item.hint for item in vote.problems if item.message == vote.reason), "see its problems")


def _need(name: str, state: NeedState, text: str, todo: str, vote: Vote | None = None) -> Need:
    signal = None if vote is None else vote.id
    return Need(kind=NeedKind.ARTIFACT, name=name, state=state, text=text, todo=todo, signal=signal)
