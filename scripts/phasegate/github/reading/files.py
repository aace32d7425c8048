"""Branch files that dialects read: the present files, who pushed each, and their earlier versions.

Read only if the policy judges files. If a dialect chooses folders, the second trip lists folders and commits, and the
third reads the chosen folders and what older heads held of them. Deleted folders take one more trip. For all other
shapes the third trip reads the paths that the pull request changes, at every head; paths that only an older head
changed take one more trip. The head's id pins its tree, so nothing here is looked at again.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from phasegate.github.client.answers import MovedError, Task, as_documented
from phasegate.github.client.client import Client
from phasegate.github.reading import nodes
from phasegate.github.reading.conversation import Place, mode_questions
from phasegate.github.reading.folders import (
    TREE,
    UNKNOWN,
    Folder,
    Held,
    Older,
    Version,
    entry_questions,
    file_at,
    folder_at,
    no_folder,
    older_at,
    refused_folder,
    text_of,
    tree_at,
    with_history,
)
from phasegate.github.reading.moves import older_heads
from phasegate.github.reading.nodes import LeavesOut, Modes, compared_files
from phasegate.github.reading.opening import Opening
from phasegate.github.reading.queries import PAGE
from phasegate.github.reading.waves import Reads, wave
from phasegate.model.frozen import dataclass, replace
from phasegate.model.plan import Evidence, ReadingPlan
from phasegate.model.snapshot import IGNORE_FILE, REMOVED, ChangedFile, MergeGroup, RefLog, Snapshot
from phasegate.model.texts import Actor, BranchFile, IgnoreRule
from phasegate.reading.globs import ignored_by

JSON = dict[str, Any]
Results = Mapping[Hashable, Any]
MOST_COMMITS = 250
MOST_FOLDERS, MOST_GONE = 20, 20
MOST_PUSHERS = 30
MOST_PATHS = 30
ENTRIES, COMMITS = "evidence", "evidence commits"


@dataclass(frozen=True, kw_only=True, slots=True)
class ChosenFolders:
    """The folders that a dialect chooses below its evidence root, by the linked issues."""

    shape: Evidence
    head: str
    issues: tuple[int, ...]
    first: list[JSON]

    def _choose(self, names: tuple[str, ...], changed: tuple[str, ...]) -> tuple[str, ...]:
        """The folders worth reading, from these and the usual ones."""
        choose = self.shape.choose
        return names if choose is None else choose(names, self.issues, changed)

    def listing(self) -> list[Place]:
        """The second trip's places."""
        return [(self.head, self.shape.root), (self.head, IGNORE_FILE)]

    def _listed(self, held: Held) -> dict[str, JSON] | BranchFile:
        """The entries of the evidence root by name. Anything but a folder is not followed."""
        root = self.shape.root
        if (self.head, root) not in held:
            raise MovedError(f"the head {self.head} is not there")
        if (entry := held[self.head, root]) is not None and entry["type"] != TREE:
            return no_folder(root, entry)
        if (entries := tree_at(held, self.head, root).get("entries", [])) is None:
            return refused_folder(root, "GitHub does not list it")
        return {each["name"]: each for each in entries}

    def _entries(self, held: Held) -> dict[str, JSON]:
        listed = self._listed(held)
        return {} if isinstance(listed, BranchFile) else listed

    def ignored(self, held: Held) -> IgnoreRule | None:
        """The ignore file's line that excludes the files of an issue's folder."""
        entry = held.get((self.head, IGNORE_FILE))
        text = None if entry is None else text_of(entry, entry["object"])
        paths = [path for name in self._choose((), ()) or ("0",) for path in self._paths(name, self.shape.names)[1:]]
        return None if text is None else ignored_by(text, paths)

    def _paths(self, folder: str, names: Iterable[str]) -> list[str]:
        path = f"{self.shape.root}/{folder}"
        return [path, *(f"{path}/{name}" for name in names)]

    def chosen(self, results: Results) -> tuple[str, ...]:
        """The folders that may be this pull request's."""
        listed = tuple(self._entries(_held(results)))
        return tuple(dict.fromkeys(self._choose(listed, _changed(self.first, results))))

    def _folders(self, results: Results) -> dict[str, BranchFile | None]:
        """The chosen folders, each with why it is not a folder, if so."""
        listed = self._entries(_held(results))
        return {name: self._refused(name, listed.get(name)) for name in self.chosen(results)[:MOST_FOLDERS]}

    def _readable(self, results: Results) -> list[str]:
        return [name for name, refused in self._folders(results).items() if refused is None]

    def _refused(self, name: str, entry: JSON | None) -> BranchFile | None:
        path = f"{self.shape.root}/{name}"
        if name in ("", ".", "..") or any(sign in name for sign in "/\0\ufffd"):
            return refused_folder(path, "no folder is called so")
        return no_folder(path, entry) if entry is not None and entry["type"] != TREE else None

    def reading(self, results: Results) -> list[Place]:
        """The chosen folders, now and at older heads."""
        held, shape = _held(results), self.shape
        if isinstance(listed := self._listed(held), BranchFile):
            return []
        names = self._readable(results)
        now = [path for name in names if name in listed for path in self._paths(name, shape.names)]
        before = [shape.root, *(path for name in names for path in self._paths(name, shape.remembered))]
        older = ((head, path) for head in _older(results["log"], self.head) for path in before)
        return [*((self.head, path) for path in now), *older]

    def _earlier(self, results: Results) -> list[Older]:
        """The readable contents of older heads."""
        heads, held = _older(results["log"], self.head), _held(results)
        found = (older_at(held, head, self.shape.root, self.shape) for head in heads)
        return [each for each in found if each is not None]

    def _lost(self, older: Older, results: Results) -> tuple[str, ...]:
        """The folders of an older head that changed or vanished since, and are worth reading."""
        now = {name: entry["oid"] for name, entry in self._entries(_held(results)).items()}
        known = self._readable(results)
        gone = tuple(name for name, oid in older.folders.items() if name not in known and now.get(name) != oid)
        touched = tuple(self._paths(name, self.shape.names)[1] for name in gone)
        return tuple(name for name in self._choose(gone, touched) if name in gone)

    def lost(self, results: Results) -> list[Place]:
        """Older heads' contents of folders that are gone."""
        older = self._earlier(results)
        gone = list(dict.fromkeys(name for each in older for name in self._lost(each, results)))[:MOST_GONE]
        paths = [path for name in gone for path in self._paths(name, self.shape.remembered)]
        return [(each.commit, path) for each in older for path in paths]

    def _present(self, results: Results) -> dict[str, Folder]:
        held, found = _held(results), dict[str, Folder]()
        listed = self._entries(held)
        for name, refused in self._folders(results).items():
            if refused is not None:
                found[name] = Folder(files=(refused,))
            elif name not in listed:
                found[name] = Folder(held={})
            else:
                found[name] = folder_at(held, self.head, f"{self.shape.root}/{name}", self.shape)
        return found

    def files(self, results: Results) -> Iterator[BranchFile]:
        """The files of the chosen folders, with deleted ones."""
        if isinstance(listed := self._listed(_held(results)), BranchFile):
            yield listed
            return
        yield from with_history(results["log"], self.head, self._present(results), self._earlier(results))
        for name in self.chosen(results)[MOST_FOLDERS:]:
            yield refused_folder(f"{self.shape.root}/{name}", f"only {MOST_FOLDERS} folders are read")

    def unseen(self, results: Results) -> str | None:
        """When the branch was last at a commit whose folders should have been read and were not."""
        held, root = _held(results), self.shape.root
        if isinstance(self._listed(held), BranchFile):
            return None
        cut = any(folder.held is None for folder in self._present(results).values())
        whole = [
            each.commit
            for each in self._earlier(results)
            if all((each.commit, f"{root}/{name}") in held for name in self._lost(each, results))
        ]
        return _last_unseen(
            results["log"], set() if cut or self.chosen(results)[MOST_FOLDERS:] else {self.head, *whole}
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangedPaths:
    """Files of all other shapes that the pull request changes."""

    head: str
    shapes: tuple[Evidence, ...]
    first: list[JSON]

    def reading(self, results: Results) -> list[Place]:
        """The paths that the head changes."""
        return self._places(self._named(results), results)

    def missed(self, results: Results) -> list[Place]:
        """The paths that only older heads changed."""
        return self._places(self._gone(results), results)

    def _places(self, named: tuple[str, ...], results: Results) -> list[Place]:
        return [(head, path) for head in (self.head, *_older(results["log"], self.head)) for path in named[:MOST_PATHS]]

    def _named(self, results: Results) -> tuple[str, ...]:
        return tuple(path for path in dict.fromkeys(_changed(self.first, results)) if self._reads(path))

    def _gone(self, results: Results) -> tuple[str, ...]:
        """The paths that older heads changed and the head does not."""
        older = (file.path for _, compared in _told("content", results) for file in compared.files or ())
        known = set(self._named(results))
        return tuple(path for path in dict.fromkeys(older) if path not in known and self._reads(path))

    def _reads(self, path: str) -> bool:
        return any(each.holds(path) and path.rpartition("/")[2] not in each.silent for each in self.shapes)

    def _asked(self, results: Results) -> list[Place]:
        return [*self.reading(results), *self.missed(results)]

    def files(self, results: Results) -> Iterator[BranchFile]:
        """The files at the changed paths. A version belongs to the pull request only if it differs from the base."""
        held, named = _held(results), self._named(results)
        own: dict[str, tuple[str, ...]] = {**_known(results), self.head: named}
        tips: dict[str, dict[str, BranchFile]] = {}
        for commit, path in (each for each in self._asked(results) if each in held):
            entry, files = held[commit, path], tips.setdefault(commit, {})
            if entry is not None and path in own.get(commit, (path,)):
                files[path] = file_at(path, entry)
        if not tips:
            return
        if self.head not in tips:
            raise MovedError(f"the head {self.head} is not there")
        versions = {
            commit: {path: Version(oid=file.blob, mode=file.mode, text=file.text) for path, file in files.items()}
            for commit, files in tips.items()
        }
        older = [Older(commit=each, files=files, folders={}) for each, files in versions.items() if each != self.head]
        now = {"": Folder(files=tuple(tips[self.head].values()), held=versions[self.head])}
        yield from with_history(results["log"], self.head, now, older)
        yield from (BranchFile(path=path, refused=f"only {MOST_PATHS} files are read") for path in named[MOST_PATHS:])

    def unseen(self, results: Results) -> str | None:
        """When the branch was last at a head that could not be compared or read, or was too much."""
        log, held = results["log"], _held(results)
        lacking = {commit for commit, path in self._asked(results) if (commit, path) not in held}
        seen = {self.head, *_known(results)} - lacking
        if max(len(self._named(results)), len(self._gone(results))) > MOST_PATHS:
            seen = set()
        return _last_unseen(log, seen)


@dataclass(frozen=True, kw_only=True, slots=True)
class BranchFiles:
    """The reading of evidence. Without a shape nothing is asked."""

    client: Client
    opened: Opening
    folders: ChosenFolders | None
    paths: ChangedPaths | None

    @staticmethod
    def of(client: Client, opened: Opening, plan: ReadingPlan) -> BranchFiles:
        """The reading that a plan needs: the folders chosen by a dialect, and every other shape."""
        shape = next((each for each in plan.evidence if each.choose is not None), None)
        others = tuple(each for each in plan.evidence if each is not shape)
        numbers = tuple(issue["number"] for issue in opened.own_issues)
        head, folders, paths = opened.pull["headRefOid"], None, None
        if shape is not None:
            folders = ChosenFolders(shape=shape, head=head, issues=numbers, first=opened.files)
        if others:
            paths = ChangedPaths(head=head, shapes=others, first=opened.files)
        return BranchFiles(client=client, opened=opened, folders=folders, paths=paths)

    @property
    def _asked(self) -> list[ChosenFolders | ChangedPaths]:
        return [each for each in (self.folders, self.paths) if each is not None]

    def _entries(self, which: str, places: Iterable[Place]) -> Reads:
        questions = entry_questions(self.opened.target.repository, list(dict.fromkeys(places)))
        return {(ENTRIES, which, number): each for number, each in enumerate(questions)}

    def listing(self) -> Reads:
        """The second trip's questions."""
        if not self._asked:
            return {}
        count = min(self.opened.pull["commits"]["totalCount"], MOST_COMMITS)
        path = f"{self.opened.target.root}/pulls/{self.opened.target.number}/commits"
        pages = range(1, -(-count // PAGE) + 1)
        tasks: Reads = {(COMMITS, page): partial(self.client.page, path, per_page=PAGE, page=page) for page in pages}
        return {**tasks, **self._entries("listing", () if self.folders is None else self.folders.listing())}

    def reading(self, second: Results) -> Reads:
        """The third trip's questions: the chosen folders, changed paths, and their contents at older heads."""
        return self._entries("reading", (place for each in self._asked for place in each.reading(second)))

    def lost(self, results: Results) -> Reads:
        """A further trip's questions: folders that only older heads had."""
        return {} if self.folders is None else self._entries("lost", self.folders.lost(results))

    def missed(self, results: Results) -> Reads:
        """A further trip's questions: paths that only older heads changed."""
        return {} if self.paths is None else self._entries("missed", self.paths.missed(results))

    def compared(self, judged: tuple[str, ...], log: RefLog) -> tuple[str, ...]:
        """Older heads whose content must be known: judged ones, and any that may have brought a file."""
        older = older_heads(log, self.opened.pull["headRefOid"]) if self._asked else ()
        return tuple(dict.fromkeys((*judged, *older)))

    def named(self, second: Results) -> tuple[str, ...]:
        """The files that the chosen folders may hold."""
        if self.folders is None:
            return ()
        shape, chosen = self.folders.shape, self.folders.chosen(second)[:MOST_FOLDERS]
        return tuple(f"{shape.root}/{folder}/{name}" for folder in chosen for name in shape.names)

    def pushers(self, second: Results) -> Iterator[Actor]:
        """The latest accounts that pushed and are not looked up yet."""
        moves = second["log"].moves if self._asked else ()
        actors = {move.actor.id: move.actor for move in reversed(moves) if move.actor is not None}
        yield from (actors[number] for number in list(actors)[:MOST_PUSHERS] if ("person", number) not in second)

    def artifacts(self, results: Results) -> tuple[BranchFile, ...]:
        """The files of the chosen folders and changed paths, with deleted ones, by path."""
        found: dict[str, BranchFile] = {}
        for file in (file for each in self._asked for file in each.files(results)):
            if file.path not in found or found[file.path].refused == UNKNOWN:
                found[file.path] = file
        return tuple(found[path] for path in sorted(found))

    def unseen(self, results: Results) -> str | None:
        """When the branch was last at a commit whose evidence should have been read and was not."""
        return max(filter(None, (each.unseen(results) for each in self._asked)), default=None)

    def ignored(self, results: Results) -> IgnoreRule | None:
        """The ignore file's line that excludes evidence."""
        return None if self.folders is None else self.folders.ignored(_held(results))

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


def _held(results: Results) -> Held:
    return {place: entry for _, found in _told(ENTRIES, results) for place, entry in found.items()}


def _older(log: RefLog, head: str) -> tuple[str, ...]:
    """The older heads; empty if the log has gaps, because then nobody can be named for a file."""
    return older_heads(log, head) if log.complete else ()


def _last_unseen(log: RefLog, seen: Collection[str]) -> str | None:
    """When the branch was last at an unseen commit, by a log without gaps."""
    return max((move.at for move in log.moves if move.after not in seen), default=None) if log.complete else None


def _changed(first: list[JSON], results: Results) -> tuple[str, ...]:
    """The paths that the pull request changes, with former names."""
    pages = [first, *(page for _, page in _told("files", results))]
    names = ((entry["filename"], entry.get("previous_filename")) for page in pages for entry in page)
    return tuple(path for each in names for path in each if path)


def _known(results: Results) -> dict[str, tuple[str, ...]]:
    """The paths that older heads change, if GitHub lists them completely."""
    compared = [found for _, found in _told("content", results) if found.files is not None]
    return {found.head: tuple(file.path for file in found.files) for found in compared}


def _told(name: str, results: Results) -> list[tuple[Any, Any]]:
    return [(key, found) for key, found in results.items() if isinstance(key, tuple) and key[0] == name]


Brought = dict[str, tuple[str | None, str | None]]
GONE = (None, None)


def with_queue(client: Client, snapshot: Snapshot, group: MergeGroup | None, leaves_out: LeavesOut) -> Snapshot:
    """The snapshot with the content of the merge queue's commit, if it is about one."""
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
    """Where the two contents differ, by blob and mode; None if either is incomplete."""
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
    """Blob and mode of each path, None for a removed one; a rename is both."""
    listed = tuple(files)
    found: Brought = {file.previous_path: GONE for file in listed if file.previous_path is not None}
    found |= {file.path: GONE if file.status == REMOVED else (file.blob, file.mode) for file in listed}
    return {path: held for path, held in found.items() if held == GONE or not leaves_out(path, held[1])}
