"""Merge queues: whether a commit of the queue brings in what was judged; a pull request's state goes in."""

from __future__ import annotations

from phasegate.catalogue import problem
from phasegate.model.problem import Problem, Where
from phasegate.model.report import Queued, State, Withheld
from phasegate.model.snapshot import MergeGroup, Snapshot
from phasegate.policy.model import Policy

CODES = {
    Withheld.OTHER_QUEUE: "PG410",
    Withheld.QUEUED_UNKNOWN: "PG411",
    Withheld.QUEUED_OTHERWISE: "PG412",
}


def queued_of(snapshot: Snapshot) -> Queued | None:
    """The commit of the queue that is decided, if one is."""
    group = snapshot.merge_group
    if group is None:
        return None
    return Queued(commit=group.head, base=group.base, branch=group.branch, differs=group.differs or ())


def decide_queued(
    policy: Policy, snapshot: Snapshot, state: State, withheld: Withheld | None
) -> tuple[State, Withheld | None]:
    """The state of the commit of the queue, by that of its pull request.

    What is awaited is a failure here: nobody decides the commit again, and the queue would wait until its time is up.
    """
    group = snapshot.merge_group
    if group is None or state is State.ERROR:
        return state, withheld
    if not is_green(state):
        return State.FAILURE, withheld
    why = _refused(policy, snapshot, group)
    return (State.SUCCESS, None) if why is None else (State.FAILURE, why)


def is_green(state: State) -> bool:
    """Whether the pull request passes by what its words say now."""
    return state is State.SUCCESS


def _refused(policy: Policy, snapshot: Snapshot, group: MergeGroup) -> Withheld | None:
    """Why the commit does not pass though its pull request does."""
    if not names_it(snapshot, group):
        return Withheld.OTHER_QUEUE
    if not told_whole(group):
        return Withheld.QUEUED_UNKNOWN
    return Withheld.QUEUED_OTHERWISE if unjudged(policy, snapshot, group) else None


def names_it(snapshot: Snapshot, group: MergeGroup) -> bool:
    """Whether the ref names this pull request, in the queue of its own base branch."""
    pull = snapshot.pull_request
    return (group.number, group.branch) == (pull.number, pull.base.ref)


def told_whole(group: MergeGroup) -> bool:
    """Whether all that the commit brings in is known."""
    return group.differs is not None


def unjudged(policy: Policy, snapshot: Snapshot, group: MergeGroup) -> tuple[str, ...]:
    """The paths at which it brings in what nobody judged; files that others changed too may be let pass."""
    differs = group.differs or ()
    if not policy.merge_overlap:
        return differs
    entries = snapshot.files.entries
    own = {path for entry in entries for path in (entry.path, entry.previous_path)}
    return tuple(path for path in differs if path not in own or path not in group.beside)


def queue_problems(snapshot: Snapshot, withheld: Withheld | None) -> tuple[Problem, ...]:
    """What is wrong with the commit of the queue, with a fix."""
    group = snapshot.merge_group
    if group is None or withheld not in CODES:
        return ()
    where = Where(url=f"{snapshot.repository.url}/commit/{group.head}")
    pull = snapshot.pull_request
    if withheld is Withheld.OTHER_QUEUE:
        message = f"{group.ref} does not name #{pull.number} in the queue of {pull.base.ref}"
    elif withheld is Withheld.QUEUED_UNKNOWN:
        message = f"GitHub does not tell all that {group.head[:7]} brings in on {group.base[:7]}"
    else:
        paths = ", ".join((group.differs or ())[:5])
        message = f"{paths} in {group.head[:7]} is not what was judged on {pull.head.sha[:7]}"
    return (problem(CODES[withheld], message, where),)
