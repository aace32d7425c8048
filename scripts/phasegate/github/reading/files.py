"""Files of the branch that dialects read: what stands at the head, who pushed each, and what it was before.

Read only where the policy judges files. Where a dialect chooses folders, the second trip lists folders and commits, the
third reads the folders that were chosen and what older heads held of them. Of all other shapes the third trip reads the
paths that the pull request changes, at every head; what only an older head had changed takes a trip more. The head's
id pins its tree, so nothing of this is looked at again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from phasegate.github.client.answers import MovedError, Task, as_documented
from phasegate.github.client.client import Client
from phasegate.github.reading import nodes
from phasegate.github.reading.conversation import mode_questions
from phasegate.github.reading.folders import (
    TREE,
    UNKNOWN,
    Folder,
    Older,
    Place,
    Version,
    folder_at,
    no_folder,
    older_heads_held,
    paths_held,
    refused_folder,
    text_of,
    whole_tree,
    with_history,
)
from phasegate.github.reading.moves import older_heads
from phasegate.github.reading.nodes import LeavesOut, Modes, compared_files
from phasegate.github.reading.opening import Opening
from phasegate.github.reading.queries import EVIDENCE, PAGE
from phasegate.github.reading.waves import wave
from phasegate.model.frozen import dataclass, replace
from phasegate.model.plan import Evidence, IgnoreReader, ReadingPlan
from phasegate.model.snapshot import IGNORE_FILE, REMOVED, ChangedFile, MergeGroup, RefLog, Snapshot
from phasegate.model.texts import Actor, BranchFile, IgnoreRule

JSON = dict[str, Any]
Results = Mapping[Hashable, Any]
MOST_COMMITS = 250
MOST_FOLDERS = 20
MOST_PUSHERS = 30
HEADS_AT_ONCE = 10
MOST_PATHS = 30
PATHS_AT_ONCE = 100
PATHS = "evidence paths"
LISTING, COMMITS, FOLDERS, HEADS = "evidence listing", "evidence commits", "evidence folder", "evidence heads"


@dataclass(frozen=True, kw_only=True, slots=True)
class Listing:
    """What stands in the root of the evidence by its name, or why that cannot be told; and what keeps it out of git."""

    entries: Mapping[str, JSON]
    refused: BranchFile | None = None
    ignored: IgnoreRule | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class BranchFiles:
    """The reading of evidence; without a shape nothing is asked. ``others`` are those whose changed paths are read."""

    client: Client
    opened: Opening
    shape: Evidence | None
    ignored_by: IgnoreReader | None
    others: tuple[Evidence, ...] = ()

    @staticmethod
    def of(client: Client, opened: Opening, plan: ReadingPlan) -> BranchFiles:
        """What a plan asks for: the folders that a dialect chooses, and every other shape."""
        shape = next((each for each in plan.evidence if each.choose is not None), None)
        others = tuple(each for each in plan.evidence if each is not shape)
        return BranchFiles(client=client, opened=opened, shape=shape, ignored_by=plan.ignored_by, others=others)

    @property
    def _asked(self) -> bool:
        return self.shape is not None or bool(self.others)

    def listing(self) -> dict[Hashable, Task]:
        """The requests of the second trip."""
        if not self._asked:
            return {}
        count = min(self.opened.pull["commits"]["totalCount"], MOST_COMMITS)
        path = f"{self.opened.target.root}/pulls/{self.opened.target.number}/commits"
        pages = range(1, -(-count // PAGE) + 1)
        tasks: dict[Hashable, Task] = {} if self.shape is None else {(LISTING, 0): self._listed}
        return tasks | {(COMMITS, page): partial(self.client.page, path, per_page=PAGE, page=page) for page in pages}

    def reading(self, second: Results) -> dict[Hashable, Task]:
        """The requests of the third trip: the chosen folders, changed paths, and what older heads held of them."""
        return self._folders_read(second) | self._paths_read(self._named(second)[:MOST_PATHS], second["log"], "changed")

    def missed(self, results: Results) -> dict[Hashable, Task]:
        """The requests of one more trip: the paths that only older heads had changed."""
        return self._paths_read(self._gone(results)[:MOST_PATHS], results["log"], "gone")

    def _paths_read(self, paths: tuple[str, ...], log: RefLog, which: str) -> dict[Hashable, Task]:
        if not paths:
            return {}
        heads = (self._place.commit, *(older_heads(log, self._place.commit) if log.complete else ()))
        size = max(1, PATHS_AT_ONCE // len(paths))
        chunks = [heads[start : start + size] for start in range(0, len(heads), size)]
        return {(PATHS, which, n): partial(paths_held, self._place, chunk, paths) for n, chunk in enumerate(chunks)}

    def _named(self, results: Results) -> tuple[str, ...]:
        """The paths of the other shapes that the pull request changes."""
        return tuple(path for path in dict.fromkeys(self._changed(results)) if self._is_other(path))

    def _gone(self, results: Results) -> tuple[str, ...]:
        """The paths of the other shapes that older heads changed, and the head does not."""
        older = (file.path for _, compared in _told("content", results) for file in compared.files or ())
        known = set(self._named(results))
        return tuple(path for path in dict.fromkeys(older) if path not in known and self._is_other(path))

    def _is_other(self, path: str) -> bool:
        return any(each.holds(path) and path.rpartition("/")[2] not in each.silent for each in self.others)

    def _folders_read(self, second: Results) -> dict[Hashable, Task]:
        if self.shape is None or self._listing(second).refused is not None:
            return {}
        folders = {name: self._folder(name, second) for name in self._chosen(second)[:MOST_FOLDERS]}
        readable = tuple(name for name, found in folders.items() if not isinstance(found, BranchFile))
        log: RefLog = second["log"]
        # where the log has gaps nobody can be named for a file, so there is no use in asking
        heads = older_heads(log, self._place.commit) if log.complete else ()
        lost = partial(self._lost, second)
        chunks = [heads[start : start + HEADS_AT_ONCE] for start in range(0, len(heads), HEADS_AT_ONCE)]
        return {
            **{(FOLDERS, name): partial(_as_folder, found) for name, found in folders.items()},
            **{
                (HEADS, n): partial(older_heads_held, self._place, chunk, readable, lost)
                for n, chunk in enumerate(chunks)
            },
        }

    def compared(self, judged: tuple[str, ...], log: RefLog) -> tuple[str, ...]:
        """The older heads whose content must be known: those that were judged, and any may have brought a file."""
        if not self._asked:
            return tuple(dict.fromkeys(judged))
        return tuple(dict.fromkeys((*judged, *older_heads(log, self._place.commit))))

    def named(self, second: Results) -> tuple[str, ...]:
        """The files that the chosen folders may hold."""
        folders = () if self.shape is None else self._chosen(second)[:MOST_FOLDERS]
        return tuple(f"{self._shape.root}/{folder}/{name}" for folder in folders for name in self._shape.names)

    def pushers(self, second: Results) -> Iterator[Actor]:
        """The latest accounts that pushed and were not looked up yet."""
        moves = second["log"].moves if self._asked else ()
        actors = {move.actor.id: move.actor for move in reversed(moves) if move.actor is not None}
        yield from (actors[number] for number in list(actors)[:MOST_PUSHERS] if ("person", number) not in second)

    def artifacts(self, results: Results) -> tuple[BranchFile, ...]:
        """The files of the chosen folders and the changed paths, with those that are gone, by path."""
        found = {file.path: file for file in self._of_folders(results)}
        for file in self._of_paths(results):
            if file.path not in found or found[file.path].refused == UNKNOWN:
                found[file.path] = file
        return tuple(sorted(found.values(), key=lambda file: file.path))

    def _of_paths(self, results: Results) -> Iterator[BranchFile]:
        """What stands at the changed paths; a version is the pull request's only where it differs from the base."""
        tips: dict[str, dict[str, BranchFile]] = {}
        for _, found in _told(PATHS, results):
            for commit, files in found:
                tips.setdefault(commit, {}).update(files)
        if not tips:
            return
        if (head := self._place.commit) not in tips:
            raise MovedError(f"the head {head} is not there")
        named = self._named(results)
        own: dict[str, tuple[str, ...]] = {**_known(results), head: named}
        files = {
            commit: {path: file for path, file in held.items() if commit not in own or path in own[commit]}
            for commit, held in tips.items()
        }
        held = {
            commit: {path: Version(oid=file.blob, mode=file.mode, text=file.text) for path, file in each.items()}
            for commit, each in files.items()
        }
        older = [Older(commit=commit, files=each, folders={}) for commit, each in held.items() if commit != head]
        now = {"": Folder(files=tuple(files[head].values()), held=held[head])}
        yield from with_history(results["log"], head, now, older)
        yield from (BranchFile(path=path, refused=f"only {MOST_PATHS} files are read") for path in named[MOST_PATHS:])

    def _of_folders(self, results: Results) -> tuple[BranchFile, ...]:
        if self.shape is None:
            return ()
        if (refused := self._listing(results).refused) is not None:
            return (refused,)
        folders: dict[str, Folder] = {key[1]: found for key, found in _told(FOLDERS, results)}
        older = [found for _, each in _told(HEADS, results) for found in each]
        files = with_history(results["log"], self._place.commit, folders, older)
        beyond = self._chosen(results)[MOST_FOLDERS:]
        unread = (
            refused_folder(f"{self._shape.root}/{name}", f"only {MOST_FOLDERS} folders are read") for name in beyond
        )
        return (*files, *unread)

    def unseen(self, results: Results) -> str | None:
        """When the branch last was at a commit whose evidence was not read, though it should have been."""
        found = (self._unseen_folders(results), self._unseen_paths(results))
        return max((at for at in found if at is not None), default=None)

    def _unseen_paths(self, results: Results) -> str | None:
        """Of what an older head changed nothing is known if it cannot be compared, read, or is too much."""
        log: RefLog | None = results["log"] if self.others else None
        if log is None or not log.complete or not log.moves:
            return None
        if max(len(self._named(results)), len(self._gone(results))) > MOST_PATHS:
            return log.moves[-1].at
        tips = [{commit for commit, _ in found} for key, found in _told(PATHS, results) if key[1] == "changed"]
        lost = [{commit for commit, _ in found} for key, found in _told(PATHS, results) if key[1] == "gone"]
        seen = {self._place.commit, *_known(results)}
        for read in (tips, lost):
            seen &= set().union(*read) if read else seen
        return max((move.at for move in log.moves if move.after not in seen), default=None)

    def _unseen_folders(self, results: Results) -> str | None:
        log: RefLog | None = results["log"] if self.shape is not None else None
        if log is None or not log.complete or self._listing(results).refused is not None:
            return None
        folders: list[Folder] = [found for _, found in _told(FOLDERS, results)]
        if any(folder.held is None for folder in folders) or self._chosen(results)[MOST_FOLDERS:]:
            return log.moves[-1].at if log.moves else None
        older = [found for _, each in _told(HEADS, results) for found in each]
        seen = {self._place.commit, *(found.commit for found in older if not found.cut)}
        return max((move.at for move in log.moves if move.after not in seen), default=None)

    def ignored(self, results: Results) -> IgnoreRule | None:
        """The line of the ignore file that keeps evidence out of every commit."""
        return None if self.shape is None else self._listing(results).ignored

    def commits(self, results: Results) -> tuple[str, ...]:
        """The commits of the pull request, as many as GitHub counts and lists."""
        if not self._asked:
            return ()
        found = tuple(dict.fromkeys(item["sha"] for _, page in _told(COMMITS, results) for item in page))
        expected = self.opened.pull["commits"]["totalCount"]
        head = self.opened.pull["headRefOid"]
        if len(found) != min(expected, MOST_COMMITS) or (expected <= MOST_COMMITS and head not in found):
            raise MovedError(f"{len(found)} commits read, {expected} expected, with {head} among them")
        return found

    @property
    def commits_complete(self) -> bool:
        """Whether GitHub lists every commit that it counts."""
        return not self._asked or bool(self.opened.pull["commits"]["totalCount"] <= MOST_COMMITS)

    @property
    def _place(self) -> Place:
        return Place(
            client=self.client,
            repository=self.opened.target.repository,
            commit=self.opened.pull["headRefOid"],
            shape=self.shape or self.others[0],
        )

    @property
    def _shape(self) -> Evidence:
        assert self.shape is not None  # noqa: S101  (nothing is asked without one)
        return self.shape

    def _choose(self, names: tuple[str, ...], changed: tuple[str, ...]) -> tuple[str, ...]:
        """The folders worth reading, of these and of those that are usual."""
        choose = self._shape.choose
        return names if choose is None else choose(names, self._numbers, changed)

    def _listed(self) -> Listing:
        """What stands in the root of the evidence; what is no folder is not followed."""
        head = self._place.commit
        told = self._place.asked(
            "Evidence",
            EVIDENCE,
            {"head": head, "folder": f"{head}:{self._shape.root}", "ignore": f"{head}:{IGNORE_FILE}"},
        )
        if not told["head"]:
            raise MovedError(f"the head {head} is not there")
        root = told["head"]["tree"]["entries"]
        if root is None:
            return Listing(
                entries={}, refused=refused_folder(self._shape.root, "GitHub does not list what is beside it")
            )
        beside = {entry["name"]: entry for entry in root}
        ignored, entry = self._ignored(beside.get(IGNORE_FILE), told["ignore"]), beside.get(self._shape.root)
        if entry is None:
            return Listing(entries={}, ignored=ignored)
        if entry["type"] != TREE:
            return Listing(entries={}, refused=no_folder(self._shape.root, entry), ignored=ignored)
        if not told["folder"]:
            raise MovedError(f"{self._shape.root} is not there")
        whole_tree(self._shape.root, told["folder"])
        if (entries := told["folder"]["entries"]) is None:
            return Listing(
                entries={}, refused=refused_folder(self._shape.root, "GitHub does not list it"), ignored=ignored
            )
        return Listing(entries={each["name"]: each for each in entries}, ignored=ignored)

    def _ignored(self, entry: JSON | None, blob: JSON | None) -> IgnoreRule | None:
        """Whether the files of an issue's folder could be added at all, by the root's ignore file."""
        text = None if entry is None else text_of(entry, blob)
        usual = self._choose((), ())
        paths = [f"{self._shape.root}/{folder}/{name}" for folder in usual or ("0",) for name in self._shape.names]
        return None if text is None or self.ignored_by is None else self.ignored_by(text, paths)

    def _listing(self, results: Results) -> Listing:
        found: Listing = results[LISTING, 0]
        return found

    def _chosen(self, results: Results) -> tuple[str, ...]:
        if self.shape is None:
            return ()
        return tuple(dict.fromkeys(self._choose(tuple(self._listing(results).entries), self._changed(results))))

    def _changed(self, results: Results) -> tuple[str, ...]:
        """The paths that the pull request changes, former names included."""
        pages = [self.opened.files, *(page for _, page in _told("files", results))]
        names = ((entry["filename"], entry.get("previous_filename")) for page in pages for entry in page)
        return tuple(path for each in names for path in each if path)

    def _lost(self, second: Results, folders: Mapping[str, str]) -> tuple[str, ...]:
        """Those of the folders at an older head, by git's ids, that are not at the head as they were."""
        listed = {name: entry["oid"] for name, entry in self._listing(second).entries.items()}
        gone = tuple(name for name, oid in folders.items() if listed.get(name) != oid)
        touched = tuple(f"{self._shape.root}/{name}/{self._shape.names[0]}" for name in gone)
        wanted = () if self.shape is None else self._choose(gone, touched)
        return tuple(name for name in wanted if name in gone)

    @property
    def _numbers(self) -> tuple[int, ...]:
        return tuple(issue["number"] for issue in self.opened.own_issues)

    def _folder(self, name: str, second: Results) -> BranchFile | Callable[[], Folder]:
        """How to read a folder, or why it is none."""
        path, entry = f"{self._shape.root}/{name}", self._listing(second).entries.get(name)
        if name in ("", ".", "..") or any(sign in name for sign in "/\0\ufffd"):
            return refused_folder(path, "no folder is called so")
        if entry is not None and entry["type"] != TREE:
            return no_folder(path, entry)
        return partial(Folder, held={}) if entry is None else partial(folder_at, self._place, path)


def _as_folder(found: BranchFile | Callable[[], Folder]) -> Folder:
    return Folder(files=(found,)) if isinstance(found, BranchFile) else found()


def _known(results: Results) -> dict[str, tuple[str, ...]]:
    """The paths that older heads change, where GitHub told them completely."""
    compared = [found for _, found in _told("content", results) if found.files is not None]
    return {found.head: tuple(file.path for file in found.files) for found in compared}


def _told(name: str, results: Results) -> list[tuple[Any, Any]]:
    """The results of tasks of one name, with their keys."""
    return [(key, found) for key, found in results.items() if isinstance(key, tuple) and key[0] == name]


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
    for each in wave(client, dict(enumerate(mode_questions(snapshot.repository.name, places)))).values():
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
