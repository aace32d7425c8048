"""Merge queues: what a commit of the queue brings in, beside what the pull request's head does."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import partial
from typing import Any

from phasegate.github.client.answers import Task, as_documented
from phasegate.github.client.client import Client
from phasegate.github.reading import nodes
from phasegate.github.reading.conversation import mode_tasks
from phasegate.github.reading.nodes import LeavesOut, Modes, compared_files
from phasegate.model.frozen import replace
from phasegate.model.snapshot import REMOVED, ChangedFile, MergeGroup, Snapshot

JSON = dict[str, Any]
Brought = dict[str, tuple[str | None, str | None]]
GONE = (None, None)


def with_queue(client: Client, snapshot: Snapshot, group: MergeGroup | None, leaves_out: LeavesOut) -> Snapshot:
    """The snapshot with what the commit of the queue brings in, if it is about one."""
    if group is None:
        return snapshot
    root = f"/repos/{snapshot.repository.name}/compare"
    tasks: dict[Hashable, Task] = {
        "queued": partial(client.find, f"{root}/{group.base}...{group.head}", per_page=1),
        "beside": partial(client.find, f"{root}/{snapshot.pull_request.head.sha}...{group.base}", per_page=1),
    }
    with as_documented(f"the merge group {group.head}"):
        told = client.together(tasks)
        beside = compared_files(told["beside"]) or ()
        found = replace(
            group,
            differs=_differs(client, snapshot, group, _queued(told["queued"], group), leaves_out),
            beside=tuple(sorted({path for file in beside for path in (file.path, file.previous_path) if path})),
        )
    return replace(snapshot, merge_group=found)


def _queued(comparison: JSON | None, group: MergeGroup) -> tuple[ChangedFile, ...] | None:
    """The files of the commit, if it stands on its base, and both are those that were asked for."""
    if comparison is None or not stands_on_its_base(comparison, group):
        return None
    return compared_files(comparison)


def stands_on_its_base(comparison: JSON, group: MergeGroup) -> bool:
    """Whether the difference is that of the whole commit: what else is between the two would be merged unseen."""
    return bool(comparison["merge_base_commit"]["sha"] == comparison["base_commit"]["sha"] == group.base)


def _differs(
    client: Client,
    snapshot: Snapshot,
    group: MergeGroup,
    queued: tuple[ChangedFile, ...] | None,
    leaves_out: LeavesOut,
) -> tuple[str, ...] | None:
    """Where the two bring in something else, by blob and mode; none where not all of it is told."""
    judged, head = snapshot.files, snapshot.pull_request.head.sha
    if queued is None or not judged.complete:
        return None
    places = [
        *((head, file.path) for file in judged.entries if file.status != REMOVED),
        *((group.head, file.path) for file in queued if file.status != REMOVED),
    ]
    modes: Modes = {}
    for each in client.together(dict(enumerate(mode_tasks(client, snapshot.repository.name, places)))).values():
        modes = {**modes, **each}
    ours = nodes.with_modes(head, judged.entries, modes)
    theirs = nodes.with_modes(group.head, queued, modes)
    if ours is None or theirs is None:
        return None
    one, other = _brought(ours, leaves_out), _brought(theirs, leaves_out)
    return tuple(path for path in sorted({*one, *other}) if one.get(path) != other.get(path))


def _brought(files: Iterable[ChangedFile], leaves_out: LeavesOut) -> Brought:
    """Blob and mode of each path that is brought in, of one that is gone nothing; a rename is both."""
    listed = tuple(files)
    found: Brought = {file.previous_path: GONE for file in listed if file.previous_path is not None}
    found |= {file.path: GONE if file.status == REMOVED else (file.blob, file.mode) for file in listed}
    return {path: held for path, held in found.items() if held == GONE or not leaves_out(path, held[1])}
