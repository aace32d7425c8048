"""Groups: of some seats a number is enough; an objection of any member holds the phase, one that did not run does not.

In: the desk of a phase. Out: the needs of the members that count, and one for each group that lacks passes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from phasegate.model.report import Need, NeedKind, NeedState, Why
from phasegate.policy.model import Group
from phasegate.rules.ladder import Seat, need_of

if TYPE_CHECKING:
    from phasegate.rules.desk import Desk


def group_of(desk: Desk, seat: Seat) -> Group | None:
    """The group that a seat is a member of; on the quick route there are none."""
    groups = () if desk.evaluation.route.quick else desk.phase.groups
    return next((group for group in groups if seat.name in group.members), None)


def group_needs(desk: Desk) -> Iterator[Need]:
    """What the groups of a phase need: passes of enough members, and no objection of any."""
    for group in () if desk.evaluation.route.quick else desk.phase.groups:
        seats = [seat for seat in desk.required if seat.name in group.members]
        needs = [(seat, need_of(seat)) for seat in seats]
        passed = [need for _, need in needs if need.state is NeedState.MET]
        held = [need for seat, need in needs if need not in passed and not is_idle(seat)]
        yield from (*held, *passed)
        others = [need for _, need in needs if need not in passed and need not in held]
        if others or len(passed) < group.need:
            first = others[0].name if others else group.members[0]
            state = NeedState.WAITING if len(passed) < group.need else NeedState.MET
            told = {"findings": group.members, "count": len(passed), "limit": group.need}
            idle = tuple((seat.name, _said(seat)) for seat, need in needs if need in others)
            yield desk.need(NeedKind.SEAT, state, Why.GROUP, name=first, actor=first, idle=idle, **told)


def _said(seat: Seat) -> str:
    """What a member says that did not run, with the time that it gave."""
    vote = seat.last_vote
    return "" if vote is None or not vote.signal.idle else " ".join(filter(None, (vote.signal.said, vote.signal.notes)))


def is_idle(seat: Seat) -> bool:
    """Whether nothing holds a seat but that nobody has spoken there, or only said that a review did not run."""
    said = (word for word in seat.objections if word.vote is None or not word.vote.signal.idle)
    return not any(True for _ in said)
