"""Removals: words other than PASS that were edited, dismissed, deleted or pushed away (L10).

In: the desk of a phase. Out: removals, each told once, and whether something has ended it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from phasegate.model.ledger import Removal, Word
from phasegate.model.report import Why
from phasegate.model.signal import INVALID, RESUME, Medium, Outcome, Place, Source
from phasegate.model.snapshot import RecordedVote
from phasegate.model.texts import DeletedComment, Push, same_id
from phasegate.rules.accounts import DISMISSED

if TYPE_CHECKING:
    from phasegate.rules.desk import Desk


def removals(desk: Desk) -> Iterator[Removal]:
    """Every word of the phase other than PASS that is no longer there as it was given."""
    yield from _touched(desk)
    yield from _pushed_away(desk)
    yield from _deleted(desk)


def _objections(desk: Desk, *, pushed: bool) -> Iterator[Word]:
    """The phase's words other than PASS, in files or elsewhere."""
    words = (word for seat in dict.fromkeys(desk.counted) for word in desk.words.get(seat, ()))
    return (word for word in words if not word.good and word.source.pushed is pushed)


def _of(word: Word, taken: str, **told: object) -> Removal:
    """The removal of a word that can still be read. An invalid PASS is called invalid."""
    vote, source = word.vote, word.source
    said = INVALID if vote.signal.outcome is Outcome.PASS else vote.objection or vote.signal.said or INVALID
    return Removal(
        seat=word.seat,
        failed=word.failed,
        malformed=not word.is_vote or vote.why is not None,
        given=source.at,
        taken=(taken,),
        account=source.account,
        answers=(word.seat,),
        said=said if word.is_vote else Outcome.FAIL.value,
        signal=vote.id if word.is_vote else source.id,
        **told,  # type: ignore[arg-type]
    )


def _touched(desk: Desk) -> Iterator[Removal]:
    """Words that another account edited, that were dismissed, or that their author edited out."""
    for word in _objections(desk, pushed=False):
        source = word.source
        there = source.latest or any(w.stands and w.source.id == source.id for w in desk.words[word.seat])
        edited = source.tampered_by is not None and (word.failed or not there)
        dismissed = source.state == DISMISSED and not word.stands and (word.failed or source.latest)
        by_itself = not there and source.tampered_by is None
        if not (edited or dismissed or by_itself):
            continue
        at = [source.dismissed_at or desk.ledger.snapshot.taken_at] if dismissed else []
        at += [desk.ledger.changed.get(source.id, ""), source.tampered_at] if edited or not dismissed else []
        by = source.tampered_by if edited else source.dismissed_by if dismissed else source.login
        yield _of(
            word,
            max(at),
            by_itself=not edited and (by_itself or (source.dismissed_by or "") == source.login != ""),
            review=source.number if dismissed else None,
            how=Why.DISMISSED if dismissed and not edited else Why.EDITED,
            by=by or "",
        )


def _pushed_away(desk: Desk) -> Iterator[Removal]:
    """Words in files, each with the push that removed or replaced it."""

    def document(word: Word) -> tuple[str, str]:
        return word.vote.signal.where.path or "", desk.policy.role(word.seat).file

    files = {file.path: file for file in desk.ledger.snapshot.branch_files}
    words = (each for own in desk.words.values() for each in own if each.source.pushed)
    versions = {(*document(each), each.source.version): each.source for each in words}
    for word in _objections(desk, pushed=True):
        source, (path, name) = word.source, document(word)
        file = files.get(path)
        if source.latest or file is None or source.version > len(file.earlier):
            continue
        last = file.pushed or Push(at=source.at, commit=source.commit or "")
        push = [*(each.pushed for each in file.earlier), last][source.version]
        yield _of(
            word,
            push.at,
            by_itself=same_id(push.actor, source.author),
            newer=_is_newer(desk, versions.get((path, name, source.version + 1)), source),
            push=push.commit,
            how=Why.DELETED,
            by="" if push.actor is None else push.actor.login,
        )


def _is_newer(desk: Desk, after: Source | None, source: Source) -> bool:
    """True if the next version of a file was written after this word; a branch that was reset brings nothing newer."""
    later = after is not None and desk.timeline.arrived(after.commit or "") >= source.at
    return after is not None and (later or after.account == source.account)


def _deleted(desk: Desk) -> Iterator[Removal]:
    """Words that the gate recorded and nobody can find any more."""
    here, gone, workers = desk.phase.where is Place.PULL_REQUEST, desk.ledger.gone, desk.phase.workers
    traces = [trace for _, trace in desk.ledger.deletions] if gone else []
    for seen in gone:
        medium, failed = seen.source.partition("-")[0], seen.outcome == Outcome.FAIL.value
        counted = seen.role in desk.counted
        blocked = seen.outcome == Outcome.BLOCKED.value and here and seen.role in workers
        if not (counted or blocked) or (medium == Medium.CHECK_RUN.value and failed):
            continue  # only its own app can change a check run, and nobody can delete it
        may = [each for each in traces if seen.account is None or each.author is None or each.author.id == seen.account]
        since = [each for each in may if each.at >= seen.at]
        own = list({each.source: each for each in gone if each.account in (None, seen.account)}.values())
        foreign = any(not (each.author and each.actor and each.actor.id == seen.account) for each in since)
        enough = len(since) >= sum(each.at >= seen.at for each in own) and len(may) >= len(own)
        taken, last = tuple(each.at for each in since), max(since, key=lambda each: each.at, default=None)
        by, how = "" if last is None or last.actor is None else last.actor.login, Why.DELETED
        touched = [vote for vote in desk.votes if vote.place == seen.source and vote.source.tampered_by]
        if touched:
            taken = (max(at for vote in touched for at in (vote.source.at, vote.source.tampered_at)),)
            by, how = touched[0].source.tampered_by or "", Why.EDITED
        sure = seen.account is not None and medium != Medium.FILE.value and not touched
        beside = (each.at for each in own if each.account == seen.account and each.role in (*desk.counted, *workers))
        yield Removal(
            seat=seen.role,
            failed=failed,
            given=_given(desk, seen),
            taken=taken,
            account=seen.account,
            by_itself=sure and enough and not foreign,
            answers=(seen.role,) if counted else workers,
            beside=tuple(beside) if here and sure else (),
            how=how,
            by=by,
            said=seen.outcome,
            signal=touched[0].id if touched else None,
        )


def _given(desk: Desk, seen: RecordedVote) -> str:
    """When a recorded word was given; for a file, not before its commit was pushed."""
    in_file = seen.source.startswith(f"{Medium.FILE.value}-")
    return max(seen.at, desk.timeline.arrived(desk.ledger.head_of(seen) or "") if in_file else "")


def forgotten(desk: Desk) -> DeletedComment | None:
    """A comment deleted since the opening, not covered by a record, that may have been a word of the phase.

    It belongs to the seats of its place that its account may speak for, or else to that account's other seats (L3). If
    its own account deleted it, that account's next valid word for the seat answers it.
    """
    policy, snapshot = desk.policy, desk.ledger.snapshot
    since, opened = snapshot.record.since, snapshot.pull_request.created_at
    commented = {  # the seats of each phase from which the work is judged in comments
        phase.name: [
            name
            for name in (*phase.seats, *phase.optional_seats)
            if policy.role(name).judges and Medium.COMMENT in policy.role(name).media
        ]
        for phase in policy.phases
    }
    for place, event in desk.ledger.deletions:
        if event.at < opened or (since is not None and since < event.at) or desk.resumed_since(event.at):
            continue
        who, account = desk.ledger.accounts.account(event.author), event.author and event.author.id
        there = [phase for phase in policy.phases if phase.enabled and phase.where is place[0]]
        others = any(who.may_have_spoken(name) for phase in there for name in commented[phase.name])
        for name in commented[desk.phase.name] if place == desk.place or not others else ():
            words = desk.words.get(name, ())
            heard = account is not None and any(word.source.account == account for word in words)
            again = any(each.at > event.at and each.account == account for each in desk.valid(name))
            if (heard or who.may_have_spoken(name)) and not (again and same_id(event.actor, event.author)):
                return event
    return None


def is_answered(desk: Desk, gone: Removal) -> bool:
    """True if the seat has spoken validly since; for a FAIL, the account that gave it (L10)."""
    taken = max(gone.taken, default=gone.given)
    since = gone.given if gone.by_itself or not (gone.failed or gone.push) else taken
    for source in desk.valid(*gone.answers):
        later = source.at > since or (gone.push and (source.at, source.commit) == (taken, gone.push))
        own = source.account == gone.account is not None and (gone.by_itself or bool(gone.push))
        if later and (own or not gone.failed):
            return True
    return False


def is_lifted(desk: Desk, gone: Removal) -> bool:
    """True if a human who may act dismissed the review (L11)."""
    review = next((each for each in desk.ledger.snapshot.reviews if each.id == gone.review), None)
    by = None if review is None or gone.how is not Why.DISMISSED else review.dismissed_by
    return by is not None and not desk.ledger.accounts.account(by).act_refusals


def is_resumed(desk: Desk, gone: Removal) -> bool:
    """True if a human resumed the phase after the word was surely gone.

    Later deletions are ignored if the same account gave as many words since that are gone too.
    """
    for at in (resume.source.at for resume in desk.given(RESUME)):
        later = sum(taken >= at for taken in gone.taken)
        before = later < len(gone.taken) or (not gone.taken and at > gone.given)
        if before and later <= sum(given > at for given in gone.beside):
            return True
    return False


# TAKEN AWAY: what ends a removal (L10); one row is enough.
ENDS: tuple[tuple[str, Callable[[Desk, Removal], bool]], ...] = (
    ("newer text", lambda _, gone: gone.newer),
    ("answered", is_answered),
    # whoever removed the own file is asked to speak anyway, because its required seat is empty
    ("awaited", lambda desk, gone:
     bool(gone.push) and gone.by_itself and not desk.valid(gone.seat) and gone.seat in desk.names),
    ("lifted", is_lifted),
    ("resumed", is_resumed),
)  # fmt: skip
