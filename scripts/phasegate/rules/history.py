"""History: a FAIL that somebody else edited, or that was deleted, blocks its phase until a human resumes it."""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.model.evidence import is_artifact
from phasegate.model.report import Need, NeedKind, NeedState
from phasegate.model.signal import Outcome
from phasegate.model.snapshot import RecordedVote
from phasegate.model.texts import DeletedComment
from phasegate.model.vote import Vote
from phasegate.rules.accounts import JUDGING
from phasegate.rules.assess import DISMISSED
from phasegate.rules.view import PhaseView


def history_needs(view: PhaseView) -> Iterator[Need]:
    """One need for each FAIL that was tampered with and not resumed since."""
    for vote in tampered_failures(view):
        source = vote.signal.source
        how = "dismissed" if source.tampered_by is None else f"edited by {source.tampered_by}"
        if not view.resumed_since(view.last_change(source.id)):
            yield _blocked(view, f"{view.title(vote.role or '')}'s FAIL was {how}")
    for seen in deleted_failures(view):
        event = _deletion(view, seen)
        who = event.actor.login if event is not None and event.actor is not None else "somebody"
        if not view.resumed_since(event.at if event is not None else seen.at):
            yield _blocked(view, f"{view.title(seen.role)}'s FAIL was deleted by {who}")
    unseen = unseen_need(view)
    if unseen is not None:
        yield unseen


def unseen_need(view: PhaseView) -> Need | None:
    """That no result of an older commit is out of sight, as far as a human has not looked at it."""
    unseen = view.facts.snapshot.branch_files_unseen
    roles = [view.facts.policy.role(name) for name in view.phase.judges if is_artifact(name)]
    judged = any(role.does in JUDGING for role in roles)
    if unseen is None or not judged or view.resumed_since(unseen):
        return None
    return _blocked(view, f"What the results said up to {unseen} cannot be read")


def _blocked(view: PhaseView, text: str) -> Need:
    todo = f"A human: find out why, then comment {view.resume_command} on {view.place}"
    return Need(kind=NeedKind.HISTORY, name=view.phase.name, state=NeedState.FAILED, text=text, todo=todo)


def tampered_failures(view: PhaseView) -> Iterator[Vote]:
    """The failing votes of required roles that somebody else edited or dismissed since."""
    for vote in view.votes:
        touched = _tampered(vote) or vote.signal.source.state == DISMISSED
        if vote.role in view.phase.roles and vote.failed and touched:
            yield vote


def deleted_failures(view: PhaseView) -> Iterator[RecordedVote]:
    """The failing votes on the gate's own record that can no longer be found, neither as text nor as history."""
    earliest = {(seen.source, seen.role): seen for seen in reversed(view.facts.snapshot.record.signals)}
    for seen in earliest.values():
        known = (seen.source, seen.role) in view.told
        if seen.role in view.phase.roles and seen.outcome == Outcome.FAIL.value and not known:
            yield seen


def failures_told(votes: tuple[Vote, ...]) -> frozenset[tuple[str, str | None]]:
    """Each FAIL that is still to be found, as text or as history; one that was tampered with is told as such."""
    return frozenset((vote.signal.source.id, vote.role) for vote in votes if vote.failed or _tampered(vote))


def _tampered(vote: Vote) -> bool:
    return vote.signal.source.tampered_by is not None


def _deletion(view: PhaseView, seen: RecordedVote) -> DeletedComment | None:
    """The trace of a deletion after a vote was written; the last one where there are several."""
    return max((event for event in view.deletions() if event.at >= seen.at), key=lambda event: event.at, default=None)
