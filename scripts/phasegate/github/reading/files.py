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
    HeadTree,
    Older,
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
from phasegate.model.plan import Evidence, ReadingPlan
from phasegate.model.snapshot import IGNORE_FILE, REMOVED, ChangedFile, MergeGroup, RefLog, Snapshot
from phasegate.model.texts import Actor, BranchFile, IgnoreRule
from phasegate.reading.globs import ignored_by

JSON = dict[str, Any]
Results = Mapping[Hashable, Any]
Tasks = dict[Hashable, Task]
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
class ChosenFolders:
    """The folders that a dialect chooses in the root of its evidence, by the issues that are linked."""

    place: HeadTree
    issues: tuple[int, ...]
    first: list[JSON]

    @property
    def _root(self) -> str:
        return self.place.shape.root

    def _choose(self, names: tuple[str, ...], changed: tuple[str, ...]) -> tuple[str, ...]:
        """The folders worth reading, of these and of those that are usual."""
        choose = self.place.shape.choose
        return names if choose is None else choose(names, self.issues, changed)

    def listed(self) -> Listing:
        """What stands in the root of the evidence; what is no folder is not followed."""
        head, root = self.place.commit, self._root
        folders = {"folder": f"{head}:{root}", "ignore": f"{head}:{IGNORE_FILE}"}
        told = self.place.asked("Evidence", EVIDENCE, {"head": head, **folders})
        if not told["head"]:
            raise MovedError(f"the head {head} is not there")
        if (listed := told["head"]["tree"]["entries"]) is None:
            return Listing(entries={}, refused=refused_folder(root, "GitHub does not list what is beside it"))
        beside = {entry["name"]: entry for entry in listed}
        found = Listing(entries={}, ignored=self._ignored(beside.get(IGNORE_FILE), told["ignore"]))
        if (entry := beside.get(root)) is None:
            return found
        if entry["type"] != TREE:
            return replace(found, refused=no_folder(root, entry))
        if not told["folder"]:
            raise MovedError(f"{root} is not there")
        whole_tree(root, told["folder"])
        if (entries := told["folder"]["entries"]) is None:
            return replace(found, refused=refused_folder(root, "GitHub does not list it"))
        return replace(found, entries={each["name"]: each for each in entries})

    def _ignored(self, entry: JSON | None, blob: JSON | None) -> IgnoreRule | None:
        """The line of the root's ignore file that keeps the files of an issue's folder out of every commit."""
        text = None if entry is None else text_of(entry, blob)
        names, folders = self.place.shape.names, self._choose((), ()) or ("0",)
        paths = [f"{self._root}/{folder}/{name}" for folder in folders for name in names]
        return None if text is None else ignored_by(text, paths)

    def chosen(self, results: Results) -> tuple[str, ...]:
        """The folders that may be this pull request's."""
        listing: Listing = results[LISTING, 0]
        return tuple(dict.fromkeys(self._choose(tuple(listing.entries), _changed(self.first, results))))

    def reading(self, second: Results) -> Tasks:
        """The requests for the chosen folders, and for what older heads held of them."""
        listing: Listing = second[LISTING, 0]
        if listing.refused is not None:
            return {}
        folders = {name: self._folder(name, listing) for name in self.chosen(second)[:MOST_FOLDERS]}
        readable = tuple(name for name, found in folders.items() if not isinstance(found, BranchFile))
        heads, lost = _older(second["log"], self.place), partial(self._lost, listing)
        chunks = [heads[start : start + HEADS_AT_ONCE] for start in range(0, len(heads), HEADS_AT_ONCE)]
        return {
            **{(FOLDERS, name): partial(_as_folder, found) for name, found in folders.items()},
            **{
                (HEADS, n): partial(older_heads_held, self.place, chunk, readable, lost)
                for n, chunk in enumerate(chunks)
            },
        }

    def _folder(self, name: str, listing: Listing) -> BranchFile | Callable[[], Folder]:
        """How to read a folder, or why it is none."""
        path, entry = f"{self._root}/{name}", listing.entries.get(name)
        if name in ("", ".", "..") or any(sign in name for sign in "/\0\ufffd"):
            return refused_folder(path, "no folder is called so")
        if entry is not None and entry["type"] != TREE:
            return no_folder(path, entry)
        return partial(Folder, held={}) if entry is None else partial(folder_at, self.place, path)

    def _lost(self, listing: Listing, folders: Mapping[str, str]) -> tuple[str, ...]:
        """Those of the folders at an older head, by git's ids, that are not at the head as they were."""
        now = {name: entry["oid"] for name, entry in listing.entries.items()}
        gone = tuple(name for name, oid in folders.items() if now.get(name) != oid)
        touched = tuple(f"{self._root}/{name}/{self.place.shape.names[0]}" for name in gone)
        return tuple(name for name in self._choose(gone, touched) if name in gone)

    def files(self, results: Results) -> Iterator[BranchFile]:
        """The files of the chosen folders, with those that are gone."""
        listing: Listing = results[LISTING, 0]
        if listing.refused is not None:
            yield listing.refused
            return
        folders: dict[str, Folder] = {key[1]: found for key, found in _told(FOLDERS, results)}
        older = [found for _, each in _told(HEADS, results) for found in each]
        yield from with_history(results["log"], self.place.commit, folders, older)
        for name in self.chosen(results)[MOST_FOLDERS:]:
            yield refused_folder(f"{self._root}/{name}", f"only {MOST_FOLDERS} folders are read")

    def unseen(self, results: Results) -> str | None:
        """When the branch last was at a commit whose folders were not read, though they should have been."""
        log: RefLog = results["log"]
        if not log.complete or results[LISTING, 0].refused is not None:
            return None
        seen = {
            self.place.commit,
            *(found.commit for _, each in _told(HEADS, results) for found in each if not found.cut),
        }
        if any(folder.held is None for _, folder in _told(FOLDERS, results)) or self.chosen(results)[MOST_FOLDERS:]:
            seen = set()
        return max((move.at for move in log.moves if move.after not in seen), default=None)


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangedPaths:
    """The files of all other shapes that the pull request changes."""

    place: HeadTree
    shapes: tuple[Evidence, ...]
    first: list[JSON]

    def reading(self, second: Results) -> Tasks:
        """The requests for the paths that the head changes."""
        return self._read(self._named(second), second["log"], "changed")

    def missed(self, results: Results) -> Tasks:
        """The requests for the paths that only older heads had changed."""
        return self._read(self._gone(results), results["log"], "gone")

    def _read(self, named: tuple[str, ...], log: RefLog, which: str) -> Tasks:
        if not (paths := named[:MOST_PATHS]):
            return {}
        heads = (self.place.commit, *_older(log, self.place))
        size = max(1, PATHS_AT_ONCE // len(paths))
        chunks = [heads[start : start + size] for start in range(0, len(heads), size)]
        return {(PATHS, which, n): partial(paths_held, self.place, chunk, paths) for n, chunk in enumerate(chunks)}

    def _named(self, results: Results) -> tuple[str, ...]:
        return tuple(path for path in dict.fromkeys(_changed(self.first, results)) if self._reads(path))

    def _gone(self, results: Results) -> tuple[str, ...]:
        """The paths that older heads changed, and the head does not."""
        older = (file.path for _, compared in _told("content", results) for file in compared.files or ())
        known = set(self._named(results))
        return tuple(path for path in dict.fromkeys(older) if path not in known and self._reads(path))

    def _reads(self, path: str) -> bool:
        return any(each.holds(path) and path.rpartition("/")[2] not in each.silent for each in self.shapes)

    def files(self, results: Results) -> Iterator[BranchFile]:
        """What stands at the changed paths; a version is the pull request's only where it differs from the base."""
        tips: dict[str, dict[str, BranchFile]] = {}
        for _, found in _told(PATHS, results):
            for commit, files in found:
                tips.setdefault(commit, {}).update(files)
        if not tips:
            return
        if (head := self.place.commit) not in tips:
            raise MovedError(f"the head {head} is not there")
        named = self._named(results)
        own: dict[str, tuple[str, ...]] = {**_known(results), head: named}
        kept = {
            commit: {path: file for path, file in files.items() if commit not in own or path in own[commit]}
            for commit, files in tips.items()
        }
        held = {
            commit: {path: Version(oid=file.blob, mode=file.mode, text=file.text) for path, file in files.items()}
            for commit, files in kept.items()
        }
        older = [Older(commit=commit, files=files, folders={}) for commit, files in held.items() if commit != head]
        now = {"": Folder(files=tuple(kept[head].values()), held=held[head])}
        yield from with_history(results["log"], head, now, older)
        yield from (BranchFile(path=path, refused=f"only {MOST_PATHS} files are read") for path in named[MOST_PATHS:])

    def unseen(self, results: Results) -> str | None:
        """Of what an older head changed nothing is known if it cannot be compared, read, or is too much."""
        log: RefLog = results["log"]
        if not log.complete:
            return None
        seen = {self.place.commit, *_known(results)}
        if max(len(self._named(results)), len(self._gone(results))) > MOST_PATHS:
            seen = set()
        for which in ("changed", "gone"):
            read = [{commit for commit, _ in found} for key, found in _told(PATHS, results) if key[1] == which]
            seen &= set().union(*read) if read else seen
        return max((move.at for move in log.moves if move.after not in seen), default=None)


@dataclass(frozen=True, kw_only=True, slots=True)
class BranchFiles:
    """The reading of evidence; without a shape nothing is asked."""

    client: Client
    opened: Opening
    folders: ChosenFolders | None
    paths: ChangedPaths | None

    @staticmethod
    def of(client: Client, opened: Opening, plan: ReadingPlan) -> BranchFiles:
        """What a plan asks for: the folders that a dialect chooses, and every other shape."""
        shape = next((each for each in plan.evidence if each.choose is not None), None)
        others = tuple(each for each in plan.evidence if each is not shape)
        numbers = tuple(issue["number"] for issue in opened.own_issues)
        at = partial(HeadTree, client=client, repository=opened.target.repository, commit=opened.pull["headRefOid"])
        folders = paths = None
        if shape is not None:
            folders = ChosenFolders(place=at(shape=shape), issues=numbers, first=opened.files)
        if others:
            paths = ChangedPaths(place=at(shape=others[0]), shapes=others, first=opened.files)
        return BranchFiles(client=client, opened=opened, folders=folders, paths=paths)

    @property
    def _asked(self) -> list[ChosenFolders | ChangedPaths]:
        return [each for each in (self.folders, self.paths) if each is not None]

    def listing(self) -> Tasks:
        """The requests of the second trip."""
        if not self._asked:
            return {}
        count = min(self.opened.pull["commits"]["totalCount"], MOST_COMMITS)
        path = f"{self.opened.target.root}/pulls/{self.opened.target.number}/commits"
        pages = range(1, -(-count // PAGE) + 1)
        tasks: Tasks = {} if self.folders is None else {(LISTING, 0): self.folders.listed}
        return tasks | {(COMMITS, page): partial(self.client.page, path, per_page=PAGE, page=page) for page in pages}

    def reading(self, second: Results) -> Tasks:
        """The requests of the third trip: the chosen folders, changed paths, and what older heads held of them."""
        return {key: task for each in self._asked for key, task in each.reading(second).items()}

    def missed(self, results: Results) -> Tasks:
        """The requests of one more trip: the paths that only older heads had changed."""
        return {} if self.paths is None else self.paths.missed(results)

    def compared(self, judged: tuple[str, ...], log: RefLog) -> tuple[str, ...]:
        """The older heads whose content must be known: those that were judged, and any may have brought a file."""
        older = older_heads(log, self.opened.pull["headRefOid"]) if self._asked else ()
        return tuple(dict.fromkeys((*judged, *older)))

    def named(self, second: Results) -> tuple[str, ...]:
        """The files that the chosen folders may hold."""
        if self.folders is None:
            return ()
        shape, chosen = self.folders.place.shape, self.folders.chosen(second)[:MOST_FOLDERS]
        return tuple(f"{shape.root}/{folder}/{name}" for folder in chosen for name in shape.names)

    def pushers(self, second: Results) -> Iterator[Actor]:
        """The latest accounts that pushed and were not looked up yet."""
        moves = second["log"].moves if self._asked else ()
        actors = {move.actor.id: move.actor for move in reversed(moves) if move.actor is not None}
        yield from (actors[number] for number in list(actors)[:MOST_PUSHERS] if ("person", number) not in second)

    def artifacts(self, results: Results) -> tuple[BranchFile, ...]:
        """The files of the chosen folders and the changed paths, with those that are gone, by path."""
        found: dict[str, BranchFile] = {}
        for file in (file for each in self._asked for file in each.files(results)):
            if file.path not in found or found[file.path].refused == UNKNOWN:
                found[file.path] = file
        return tuple(found[path] for path in sorted(found))

    def unseen(self, results: Results) -> str | None:
        """When the branch last was at a commit whose evidence was not read, though it should have been."""
        return max(filter(None, (each.unseen(results) for each in self._asked)), default=None)

    def ignored(self, results: Results) -> IgnoreRule | None:
        """The line of the ignore file that keeps evidence out of every commit."""
        found: IgnoreRule | None = None if self.folders is None else results[LISTING, 0].ignored
        return found

    def commits(self, results: Results) -> tuple[str, ...]:
        """The commits of the pull request, as many as GitHub counts and lists."""
        if not self._asked:
            return ()
        found = tuple(dict.fromkeys(item["sha"] for _, page in _told(COMMITS, results) for item in page))
        expected, head = self.opened.pull["commits"]["totalCount"], self.opened.pull["headRefOid"]
        if len(found) != min(expected, MOST_COMMITS) or (expected <= MOST_COMMITS and head not in found):
            raise MovedError(f"{len(found)} commits read, {expected} expected, with {head} among them")
        return found

    @property
    def commits_complete(self) -> bool:
        """True if GitHub lists every commit that it counts."""
        return not self._asked or bool(self.opened.pull["commits"]["totalCount"] <= MOST_COMMITS)


def _as_folder(found: BranchFile | Callable[[], Folder]) -> Folder:
    return Folder(files=(found,)) if isinstance(found, BranchFile) else found()


def _older(log: RefLog, place: HeadTree) -> tuple[str, ...]:
    """The older heads; where the log has gaps nobody can be named for a file, so there is no use in asking."""
    return older_heads(log, place.commit) if log.complete else ()


def _changed(first: list[JSON], results: Results) -> tuple[str, ...]:
    """The paths that the pull request changes, former names included."""
    pages = [first, *(page for _, page in _told("files", results))]
    names = ((entry["filename"], entry.get("previous_filename")) for page in pages for entry in page)
    return tuple(path for each in names for path in each if path)


def _known(results: Results) -> dict[str, tuple[str, ...]]:
    """The paths that older heads change, where GitHub told them completely."""
    compared = [found for _, found in _told("content", results) if found.files is not None]
    return {found.head: tuple(file.path for file in found.files) for found in compared}


def _told(name: str, results: Results) -> list[tuple[Any, Any]]:
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
        whole = told["queued"] is not None and stands_on_its_base(told["queued"], group)
        queued = compared_files(told["queued"]) if whole else None
        found = replace(
            group,
            differs=None if queued is None else _differs(client, snapshot, group, queued, leaves_out),
            beside=tuple(sorted({path for file in beside for path in (file.path, file.previous_path) if path})),
        )
    return replace(snapshot, merge_group=found)


def stands_on_its_base(comparison: JSON, group: MergeGroup) -> bool:
    """True if the difference is that of the whole commit: what else is between the two would be merged unseen."""
    return bool(comparison["merge_base_commit"]["sha"] == comparison["base_commit"]["sha"] == group.base)


def _differs(
    client: Client, snapshot: Snapshot, group: MergeGroup, queued: tuple[ChangedFile, ...], leaves_out: LeavesOut
) -> tuple[str, ...] | None:
    """Where the two bring in something else, by blob and mode; none where not all of it is told."""
    judged, head = snapshot.files, snapshot.pull_request.head.sha
    if not judged.complete:
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
