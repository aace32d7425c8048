"""Approvals: what a human's approval of a phase covers, and what uncovers it (L12, 4.10)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from phasegate.model.frozen import replace
from phasegate.model.ledger import About
from phasegate.model.report import Need, NeedKind, NeedState, Why
from phasegate.model.signal import APPROVE, Act, Asks, Outcome, Place
from phasegate.rules.acts import written
from phasegate.rules.desk import Desk
from phasegate.rules.explain import github_approval
from phasegate.rules.ladder import Seat, overruling

Row = tuple[str, Callable[[Desk, Act], bool]]  # one kind of event that uncovers an approval which is not after it
GUARDED = ("build", "qa")  # whose judges may take orders from what the pull request changes


def approval_need(desk: Desk) -> Iterator[Need]:
    """A human's approval, where the phase, a role, a renewed plan or a change of the judges' instructions asks for it.

    Who renewed a plan may prove to be an agent once the words on that plan count again.
    """
    if desk.phase.human_approval or desk.asks(Asks.HUMAN) or desk.issue in desk.ledger.renewed:
        need = _approval(desk, UNCOVERED, Why.MISSING)
        yield replace(need, causes=desk.causes(Asks.HUMAN)) if need.why is Why.MISSING else need
        return
    steered = _instructions(desk)
    if steered is not None:
        need, (files, head) = _approval(desk, BESIDE, Why.INSTRUCTIONS), steered
        yield need if need.state is NeedState.MET else replace(need, findings=files, judged=head)


def _approval(desk: Desk, rows: tuple[Row, ...], missing: Why) -> Need:
    """The approval that covers what is there; else why the one that is there does not."""
    least, state = desk.policy.humans.minimum_permission, NeedState.WAITING
    told: dict[str, object] = {"name": APPROVE, "other": desk.phase.name, "permission": least}
    uncovered = [
        (act, next((name for name, holds in rows if holds(desk, act)), "")) for act in desk.given(APPROVE)[::-1]
    ]
    covering = next((act for act, event in uncovered if not event), None)
    older = [(act, event) for act, event in uncovered if missing is Why.MISSING or _is_for_now(desk, act)]
    refused, why = desk.refused_act(APPROVE), missing
    if covering is not None:
        state, why, told["by"] = NeedState.MET, Why.PASSED, covering.source.login or "?"
    elif refused is not None:
        why, line = Why.REFUSED, written(refused.command)
        told |= {"by": refused.source.login, "signal": refused.id, "said": line, "problem": refused.why}
    elif older:
        act, event = older[0]
        why = Why.UNCOVERED
        told |= {"by": act.source.login or "?", "signal": act.id, "said": event}
    elif missing is Why.MISSING:
        told["also"] = tuple(filter(None, (github_approval(desk),)))
    return desk.need(NeedKind.HUMAN, state, why, **told)


# ---- L12


def is_unbound(desk: Desk) -> bool:
    """True if what is approved is bound to no content; a plan on an issue always is, to its text."""
    return desk.phase.where is not Place.ISSUE and bool(desk.required) and all(seat.unbound for seat in desk.required)


def _is_for_now(desk: Desk, act: Act) -> bool:
    return act.content is not None and act.content == desk.content


def _evidence(desk: Desk) -> Iterator[str]:
    """When evidence that a seat is read from was pushed, whether it counts or not, or its folder became another."""
    pushed = [(vote.role, each) for vote in desk.votes if (each := vote.source).pushed and each.latest]
    for seat in desk.seats:
        yield from (each.at for role, each in pushed if role == seat.name and seat.is_own(each))
        yield from () if seat.folder is None else (seat.folder.since,)


def _links(desk: Desk) -> Iterator[str]:
    """When a link changed which issues' folders the seats are read from."""
    relinked = desk.ledger.snapshot.pull_request.relinked_at
    if relinked is not None and any(seat.folder is not None and seat.unbound for seat in desk.seats):
        yield relinked


def _objections(desk: Desk) -> Iterator[str]:
    """When the present content was objected to by what no longer blocks by itself, or by a FAIL that is gone."""
    for seat in desk.seats:
        yield from (word.source.at for word in seat.ever_against if word not in seat.objections)
    for seen in desk.ledger.gone:
        failed = seen.outcome == Outcome.FAIL.value and seen.role in desk.counted
        if failed and desk.ledger.content_of(seen) in (None, desk.content):
            yield seen.at


def _overrulings(desk: Desk) -> Iterator[str]:
    lifted = (overruling(seat, word) for seat in desk.seats for word in seat.against)
    yield from (word.source.at for word in lifted if word is not None)


def _not_before(times: Callable[[Desk], Iterator[str]]) -> Callable[[Desk, Act], bool]:
    """Of two things of one second nobody knows the order."""
    return lambda desk, act: any(act.source.at <= at for at in times(desk))


OBJECTED: tuple[Row, ...] = (("objection", _not_before(_objections)), ("overruling", _not_before(_overrulings)))
UNCOVERED: tuple[Row, ...] = (
    ("deletion", lambda desk, act: desk.phase.where is Place.ISSUE and not _is_for_now(desk, act) and
     desk.ledger.plans.lost_since(desk.issue, act.source.at) is not None),
    ("content", lambda desk, act: not is_unbound(desk) and not _is_for_now(desk, act)),
    ("files", _not_before(_evidence)),
    ("link", _not_before(_links)),
    ("verdict", lambda desk, act:
     any(word and not act.source.is_after(word.source) for word in (each.first_pass for each in desk.seats))),
    *OBJECTED,
)  # fmt: skip
# Where the judges' instructions changed, in any order with the words that pass.
BESIDE: tuple[Row, ...] = (("content", lambda desk, act: not _is_for_now(desk, act)), *OBJECTED)


# ---- 4.10


def _instructions(desk: Desk) -> tuple[tuple[str, ...], str | None] | None:
    """What may have steered the judges of this phase: changed instructions, or another head while they spoke."""
    files, instructions = desk.ledger.snapshot.files, desk.policy.instructions
    if desk.phase.name not in GUARDED or not instructions.guard:
        return None
    found = instructions.among(files.paths, desk.ledger.snapshot.steering)
    head = next(filter(None, map(judged_at_another_head, desk.required)), None)
    return (found, head) if found or not files.complete or head is not None else None


def judged_at_another_head(seat: Seat) -> str | None:
    """The head with other content while the seat's pass was written: what steered it may be gone.

    Where the log of pushes cannot be read, the forced pushes right before and after tell what is known of it.
    """
    word, timeline = seat.last, seat.desk.timeline
    if word is None or word.vote is None or not (word.good and word.about is About.NOW) or word.source.pushed:
        return None
    at, commit = word.source.at, word.vote.commit
    if commit is None or timeline.arrivals.get(commit, "") > at:
        return None
    heads = [timeline.head_at(at), timeline.head_at(f"{at}~")]  # of one second either may have been there
    if not timeline.complete:
        forced = seat.desk.ledger.snapshot.pull_request.head_forced
        heads = [*[move.after for move in forced if move.at <= at][-1:], *[m.before for m in forced if m.at >= at][:1]]
    changed = (head for head in heads if head is not None and timeline.content_at(head, at) != seat.desk.content)
    return next(changed, None)
