"""Files of the branch as evidence: each speaks for the account that pushed its last change, and for that content.

Git's author names prove nothing, and a fork's contributor cannot write evidence.
"""

from __future__ import annotations

from dataclasses import dataclass

from phasegate.catalogue import problem
from phasegate.model.problem import Problem, Where
from phasegate.model.signal import Place, Source
from phasegate.model.snapshot import ArtifactFile, Snapshot
from phasegate.rules.freshness import short
from phasegate.rules.trust import may_speak, same_name
from phasegate.rules.weighing import Scales


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """What a file of the branch is worth: whether it counts, for which content, and what is wrong with it."""

    counts: bool
    fresh: bool
    content: str | None = None
    problems: tuple[Problem, ...] = ()


def weigh_file(scales: Scales, file: ArtifactFile, role: str) -> Evidence:
    """A file as the word of a role; stale when the product's content has changed since its push."""
    wrong = _unread(file) or _from_fork(scales.snapshot, file) or _pusher(scales, file, role)
    if wrong is not None or file.pushed is None:
        return Evidence(counts=False, fresh=False, problems=() if wrong is None else (wrong,))
    content = scales.timeline.content_at(file.pushed.commit, file.pushed.at)
    if content == scales.timeline.current:
        return Evidence(counts=True, fresh=True, content=content)
    message = f"it was pushed with {short(file.pushed.commit)}, and the product has changed since"
    return Evidence(counts=True, fresh=False, content=content, problems=(problem("PG303", message, _where(file)),))


def _where(file: ArtifactFile) -> Where:
    return Where(path=file.path)


def _unread(file: ArtifactFile) -> Problem | None:
    if file.refused is None and file.text is not None:
        return None
    return problem("PG230", f"it was not read: {file.refused or 'its text is not known'}", _where(file))


def _from_fork(snapshot: Snapshot, file: ArtifactFile) -> Problem | None:
    head = snapshot.pull_request.head.repository
    if head is not None and same_name(head, snapshot.repository.name):
        return None
    return problem("PG231", "the branch is of a fork, whose contributors cannot write evidence", _where(file))


def _pusher(scales: Scales, file: ArtifactFile, role: str) -> Problem | None:
    if file.pushed is None:
        return problem("PG232", "it cannot be told who pushed its last change", _where(file))
    source = Source(
        id=file.path,
        number=0,
        url=scales.snapshot.pull_request.url,
        place=Place.PULL_REQUEST,
        author=file.pushed.actor,
        at=file.pushed.at,
    )
    refusal = may_speak(scales.policy, scales.snapshot, source, role)
    return None if refusal is None else problem(refusal.code, f"does not count: {refusal.reason}", _where(file))
