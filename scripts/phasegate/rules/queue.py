"""Merge queues: the commit of a queue passes as its pull request does, if it brings in exactly what was judged."""

from __future__ import annotations

from collections.abc import Callable

from phasegate.catalogue import problem
from phasegate.model.problem import Problem, Where
from phasegate.model.report import Queued, State, Withheld
from phasegate.model.snapshot import MergeGroup, Snapshot
from phasegate.policy.model import Policy


def queued_of(snapshot: Snapshot) -> Queued | None:
    """The commit of the queue that is decided, if one is."""
    group = snapshot.merge_group
    if group is None:
        return None
    return Queued(commit=group.head, base=group.base, branch=group.branch, differs=group.differs or ())


def _unjudged(policy: Policy, snapshot: Snapshot, group: MergeGroup) -> bool:
    """Whether it brings in what nobody judged; files that others changed too may be let pass."""
    passing = {path for path in group.beside if path in snapshot.files.paths and policy.may_overlap(path)}
    return not passing.issuperset(group.differs or ())


# 13: why the commit of a queue does not pass though its pull request does: the first row that holds.
QUEUE: tuple[tuple[str, Withheld, str, Callable[[Policy, Snapshot, MergeGroup], bool], str], ...] = (
    ("ref", Withheld.OTHER_QUEUE, "PG410", lambda _policy, snapshot, group:
     (group.number, group.branch) != (snapshot.pull_request.number, snapshot.pull_request.base.ref),
     "{group.ref} does not name #{pull.number} in the queue of {pull.base.ref}"),
    ("unknown", Withheld.QUEUED_UNKNOWN, "PG411", lambda _policy, _snapshot, group: group.differs is None,
     "GitHub does not tell all that {group.head:.7} brings in on {group.base:.7}"),
    ("unjudged", Withheld.QUEUED_OTHERWISE, "PG412", _unjudged,
     "{paths} in {group.head:.7} is not what was judged on {pull.head.sha:.7}"),
)  # fmt: skip


def decide_queued(
    policy: Policy, snapshot: Snapshot, state: State, withheld: Withheld | None
) -> tuple[State, Withheld | None]:
    """The state of the commit of the queue, by that of its pull request.

    What is awaited is a failure here: nobody decides the commit again, and the queue would wait until its time is up.
    """
    group = snapshot.merge_group
    if group is None or state is State.ERROR:
        return state, withheld
    if state is not State.SUCCESS:
        return State.FAILURE, withheld
    why = next((why for _, why, _, holds, _ in QUEUE if holds(policy, snapshot, group)), None)
    return State.SUCCESS if why is None else State.FAILURE, why


def queue_problems(snapshot: Snapshot, withheld: Withheld | None) -> tuple[Problem, ...]:
    """What is wrong with the commit of the queue, with a fix."""
    group = snapshot.merge_group
    if group is None:
        return ()
    where = Where(url=f"{snapshot.repository.url}/commit/{group.head}")
    told = {"group": group, "pull": snapshot.pull_request, "paths": ", ".join((group.differs or ())[:5])}
    return tuple(problem(code, says.format(**told), where) for _, why, code, _, says in QUEUE if why is withheld)
