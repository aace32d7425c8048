"""History: a FAIL that somebody else edited, or that was deleted, blocks its phase until a human resumes it."""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.model.conversation import DeletedComment
from phasegate.model.decision import Need, NeedKind, NeedState, Word
from phasegate.model.evidence import is_artifact
from phasegate.model.signal import Outcome
from phasegate.model.snapshot import SeenSignal
from phasegate.rules.bench import Bench
from phasegate.rules.trust import JUDGING
from phasegate.rules.weighing import DISMISSED


def history_needs(bench: Bench) -> Iterator[Need]:
    """One need for each FAIL that was tampered with and not resumed since."""
    for word in tampered_failures(bench):
        source = word.signal.source
        how = "dismissed" if source.tampered_by is None else f"edited by {source.tampered_by}"
        if not bench.resumed_since(bench.last_change(source.id)):
            yield _blocked(bench, f"{bench.title(word.role or '')}'s FAIL was {how}")
    for seen in deleted_failures(bench):
        event = _deletion(bench, seen)
        who = event.actor.login if event is not None and event.actor is not None else "somebody"
        if not bench.resumed_since(event.at if event is not None else seen.at):
            yield _blocked(bench, f"{bench.title(seen.role)}'s FAIL was deleted by {who}")
    unseen = unseen_need(bench)
    if unseen is not None:
        yield unseen


def unseen_need(bench: Bench) -> Need | None:
    """That no result of an older commit is out of sight, as far as a human has not looked at it."""
    unseen = bench.scales.snapshot.artifacts_unseen
    roles = [bench.scales.policy.role(name) for name in bench.phase.judges if is_artifact(name)]
    judged = any(role.does in JUDGING for role in roles)
    if unseen is None or not judged or bench.resumed_since(unseen):
        return None
    return _blocked(bench, f"What the results said up to {unseen} cannot be read")


def _blocked(bench: Bench, text: str) -> Need:
    todo = f"A human: find out why, then comment {bench.resume_command} on {bench.place}"
    return Need(kind=NeedKind.HISTORY, name=bench.phase.name, state=NeedState.FAILED, text=text, todo=todo)


def tampered_failures(bench: Bench) -> Iterator[Word]:
    """The failing words of required roles that somebody else edited or dismissed since."""
    for word in bench.words:
        touched = _tampered(word) or word.signal.source.state == DISMISSED
        if word.role in bench.phase.roles and word.failed and touched:
            yield word


def deleted_failures(bench: Bench) -> Iterator[SeenSignal]:
    """The failing words on the gate's own record that can no longer be found, neither as text nor as history."""
    earliest = {(seen.source, seen.role): seen for seen in reversed(bench.scales.snapshot.record.signals)}
    for seen in earliest.values():
        known = (seen.source, seen.role) in bench.told
        if seen.role in bench.phase.roles and seen.outcome == Outcome.FAIL.value and not known:
            yield seen


def failures_told(words: tuple[Word, ...]) -> frozenset[tuple[str, str | None]]:
    """Each FAIL that is still to be found, as text or as history; one that was tampered with is told as such."""
    return frozenset((word.signal.source.id, word.role) for word in words if word.failed or _tampered(word))


def _tampered(word: Word) -> bool:
    return word.signal.source.tampered_by is not None


def _deletion(bench: Bench, seen: SeenSignal) -> DeletedComment | None:
    """The trace of a deletion after a word was written; the last one where there are several."""
    return max((event for event in bench.deletions() if event.at >= seen.at), key=lambda event: event.at, default=None)
