"""Files of the branch that dialects read: folder by folder at the head, who pushed each, and what it was before.

Read only where the policy judges artifacts. The second trip lists folders and commits, the third reads the folders that
were chosen and what older heads held of them. The head's id pins its tree, so nothing of this is looked at again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import partial
from typing import Any

from phasegate.github.client.answers import MovedError
from phasegate.github.client.client import Client, Task
from phasegate.github.reading.folders import (
    TREE,
    Folder,
    Place,
    folder_at,
    no_folder,
    older_heads_held,
    refused_folder,
    text_of,
    whole_tree,
    with_history,
)
from phasegate.github.reading.moves import older_heads
from phasegate.github.reading.opening import Opening
from phasegate.github.reading.queries import EVIDENCE, PAGE
from phasegate.model.actors import Actor
from phasegate.model.frozen import dataclass
from phasegate.model.plan import Evidence, IgnoreReader
from phasegate.model.snapshot import IGNORE_FILE, RefLog
from phasegate.model.texts import BranchFile, IgnoreRule

JSON = dict[str, Any]
Results = Mapping[Hashable, Any]
MOST_COMMITS = 250
MOST_FOLDERS = 20
MOST_PUSHERS = 30
HEADS_AT_ONCE = 10
LISTING, COMMITS, FOLDERS, HEADS = "evidence listing", "evidence commits", "evidence folder", "evidence heads"


@dataclass(frozen=True, kw_only=True, slots=True)
class Listing:
    """What stands in the root of the evidence by its name, or why that cannot be told; and what keeps it out of git."""

    entries: Mapping[str, JSON]
    refused: BranchFile | None = None
    ignored: IgnoreRule | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class BranchFiles:
    """The reading of evidence folders; without a shape nothing is asked."""

    client: Client
    opened: Opening
    shape: Evidence | None
    ignored_by: IgnoreReader | None

    def listing(self) -> dict[Hashable, Task]:
        """The requests of the second trip."""
        if self.shape is None:
            return {}
        count = min(self.opened.pull["commits"]["totalCount"], MOST_COMMITS)
        path = f"{self.opened.target.root}/pulls/{self.opened.target.number}/commits"
        pages = range(1, -(-count // PAGE) + 1)
        tasks: dict[Hashable, Task] = {(LISTING, 0): self._listed}
        return tasks | {(COMMITS, page): partial(self.client.page, path, per_page=PAGE, page=page) for page in pages}

    def reading(self, second: Results) -> dict[Hashable, Task]:
        """The requests of the third trip: the chosen folders, and what older heads held of them."""
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
        if self.shape is None:
            return tuple(dict.fromkeys(judged))
        return tuple(dict.fromkeys((*judged, *older_heads(log, self._place.commit))))

    def named(self, second: Results) -> tuple[str, ...]:
        """The files that the chosen folders may hold."""
        folders = () if self.shape is None else self._chosen(second)[:MOST_FOLDERS]
        return tuple(f"{self._shape.root}/{folder}/{name}" for folder in folders for name in self._shape.names)

    def pushers(self, second: Results) -> Iterator[Actor]:
        """The latest accounts that pushed and were not looked up yet."""
        moves = second["log"].moves if self.shape is not None else ()
        actors = {move.actor.id: move.actor for move in reversed(moves) if move.actor is not None}
        yield from (actors[number] for number in list(actors)[:MOST_PUSHERS] if ("person", number) not in second)

    def artifacts(self, results: Results) -> tuple[BranchFile, ...]:
        """The files of the chosen folders, with those that are gone, by path."""
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
        return tuple(sorted((*files, *unread), key=lambda file: file.path))

    def unseen(self, results: Results) -> str | None:
        """When the branch last was at a commit whose evidence was not read, though it should have been."""
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
        if self.shape is None:
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
        return self.shape is None or bool(self.opened.pull["commits"]["totalCount"] <= MOST_COMMITS)

    @property
    def _place(self) -> Place:
        return Place(
            client=self.client,
            repository=self.opened.target.repository,
            commit=self.opened.pull["headRefOid"],
            shape=self._shape,
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
        pages = [self.opened.files, *(page for _, page in _told("files", results))]
        names = ((entry["filename"], entry.get("previous_filename")) for page in pages for entry in page)
        paths = tuple(path for each in names for path in each if path)
        return tuple(dict.fromkeys(self._choose(tuple(self._listing(results).entries), paths)))

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


def _told(name: str, results: Results) -> list[tuple[Any, Any]]:
    """The results of tasks of one name, with their keys."""
    return [(key, found) for key, found in results.items() if isinstance(key, tuple) and key[0] == name]
