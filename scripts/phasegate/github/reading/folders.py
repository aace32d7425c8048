"""What stands at paths of commits: folders with their entries, files with their texts, and their history."""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

from phasegate.github.client.answers import MovedError
from phasegate.github.client.client import Client
from phasegate.github.reading.conversation import Place, place_questions
from phasegate.github.reading.moves import UNSEEN, history_of
from phasegate.github.reading.waves import Question
from phasegate.model.frozen import dataclass, replace
from phasegate.model.plan import REGULAR_MODES, Evidence
from phasegate.model.snapshot import InstructionLink, RefLog
from phasegate.model.texts import BranchFile
from phasegate.reading.globs import may_hold

JSON = dict[str, Any]
# The entries at some paths of commits, none where nothing is; of a commit that is gone there are no places.
Held = Mapping[Place, JSON | None]
MOST_ENTRIES = 1000
SHA1_DIGITS = 40
MOST_TREES = 20  # listed in search of links
MOST_LINKS, MOST_STEPS = 1000, 8  # at places of instructions, and from a link to the next one


def entry_questions(repository: str, places: Sequence[Place]) -> list[Question]:
    """Questions for the entries at some paths of commits, with files' texts and folders' contents."""
    return place_questions(
        "Evidence", "...found", repository, places, lambda at, commit: {at: commit.get("file")} if commit else {}
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Version:
    """A version at a path: its git id, its mode, and its text if read and needed."""

    oid: str | None = None
    mode: str | None = None
    text: str | None = None

    @property
    def held(self) -> str | None:
        """The identity of this version."""
        return self.oid if self.oid is None or self.mode == REGULAR_MODES[0] else f"{self.oid} {self.mode}"


NOTHING = Version()


@dataclass(frozen=True, kw_only=True, slots=True)
class Folder:
    """A folder at the head: its files, and the entry at each path; None if it could not be read as a folder."""

    files: tuple[BranchFile, ...] = ()
    held: Mapping[str, Version] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Older:
    """An older head's contents by path, and the git ids of all its folders."""

    commit: str
    files: Mapping[str, Version]
    folders: Mapping[str, str]


def folder_at(held: Held, commit: str, path: str, shape: Evidence) -> Folder:
    """A listed folder at the head."""
    entries = tree_at(held, commit, path).get("entries")
    if entries is None or len(entries) > MOST_ENTRIES:
        return Folder(files=(refused_folder(path, f"a folder of at most {MOST_ENTRIES} entries is read"),))
    found = [(entry, _file(held, commit, path, entry, shape.names)) for entry in entries]
    versions = {
        file.path: Version(
            oid=entry["oid"], mode=file.mode, text=file.text if entry["name"] in shape.remembered else None
        )
        for entry, file in found
    }
    return Folder(files=tuple(file for _, file in found), held=versions)


def _file(held: Held, commit: str, folder: str, entry: JSON, names: Collection[str]) -> BranchFile:
    """An entry with the answer for its name, if requested. A missing answer is an error."""
    path, asked = f"{folder}/{entry['name']}", entry["name"] in names
    blob = same_blob(entry, (held.get((commit, path)) or {}).get("object")) if asked else None
    if blob is None and asked and mode_of(entry) in REGULAR_MODES:
        raise MovedError(f"{path} is not there")
    return file_of(folder, entry, blob)


def tree_at(held: Held, commit: str, path: str) -> JSON:
    """The folder at a place with all its entries; empty if there is none."""
    entry = held.get((commit, path))
    if entry is None or entry["type"] != TREE:
        return {}
    tree: JSON = entry["object"] or {}
    if not tree:
        raise MovedError(f"{path} is not there")
    whole_tree(path, tree)
    return tree


def whole_tree(path: str, tree: JSON | None) -> None:
    """Refuses an incomplete folder: its git id is computed from all entries.

    A folder with a name that is not UTF-8 cannot be listed completely.
    """
    entries, oid = (tree or {}).get("entries"), (tree or {}).get("oid")
    if entries is None or oid is None or any("\ufffd" in entry["name"] for entry in entries):
        return
    ordered = sorted(entries, key=lambda entry: (entry["name"] + "/" * (entry["type"] == TREE)).encode())
    lines = (f"{entry['mode']:o} {entry['name']}\0".encode() + bytes.fromhex(entry["oid"]) for entry in ordered)
    data = b"".join(lines)
    made = hashlib.new("sha1" if len(oid) == SHA1_DIGITS else "sha256", b"tree %d\0" % len(data) + data)
    if made.hexdigest() != oid:
        raise MovedError(f"{path}: not all of its entries were listed")


def older_at(held: Held, commit: str, root: str, shape: Evidence) -> Older | None:
    """An older head's contents of the requested folders; None if unreadable."""
    if (commit, root) not in held:
        return None
    listed = tree_at(held, commit, root).get("entries", [])
    trees = {entry["name"]: entry["oid"] for entry in listed or () if entry["type"] == TREE}
    files: dict[str, Version] = {}
    for path in (each for each in (f"{root}/{name}" for name in trees) if (commit, each) in held):
        if (tree := tree_at(held, commit, path)) == {}:
            raise MovedError(f"{path} of {commit} was asked for and is not there")
        if (entries := tree["entries"]) is None:
            return None
        for entry in entries:
            file = _file(held, commit, path, entry, shape.remembered)
            files[file.path] = Version(oid=entry["oid"], mode=file.mode, text=file.text)
    return None if listed is None else Older(commit=commit, files=files, folders=trees)


def file_at(path: str, entry: JSON) -> BranchFile:
    """The entry at a path. A regular file must come with its text."""
    blob = same_blob(entry, entry["object"])
    if blob is None and mode_of(entry) in REGULAR_MODES:
        raise MovedError(f"{path} is not there")
    return replace(file_of("", entry, blob), path=path)


def with_history(log: RefLog, head: str, folders: Mapping[str, Folder], older: Iterable[Older]) -> list[BranchFile]:
    """The folders' files with pushers and earlier versions, and deleted files."""
    held: dict[str, Mapping[str, Version]] = {each.commit: each.files for each in older}
    now = {path: version for folder in folders.values() for path, version in (folder.held or {}).items()}
    before = dict.fromkeys(path for files in held.values() for path in files)
    gone = [path for path in before if path not in now]
    held[head] = now
    made = [file for folder in folders.values() for file in folder.files] + [BranchFile(path=path) for path in gone]
    return [_traced(log, held, file) if file.path in now or file.path in gone else file for file in made]


def _traced(log: RefLog, held: Mapping[str, Mapping[str, Version]], file: BranchFile) -> BranchFile:
    seen = [(held[move.after].get(file.path, NOTHING) if move.after in held else None) for move in log.moves]
    texts = {version.oid: version.text for version in seen if version and version.oid and version.text is not None}
    found = history_of(log, [UNSEEN if version is None else version.held for version in seen], texts)
    return replace(file, pushed=found.pushed, earlier=found.earlier)


LARGEST = 4 * 1024 * 1024

TREE = "tree"
FOLDER_MODE, LINK_MODE, SUBMODULE_MODE = "040000", "120000", "160000"
NO_FILES = {
    FOLDER_MODE: "this is a folder",
    LINK_MODE: "this is a symbolic link",
    SUBMODULE_MODE: "this is a submodule",
}
UNKNOWN = "not a file with a known name"


def mode_of(entry: JSON) -> str:
    """The mode of an entry in git's form."""
    return f"{entry['mode']:06o}"


def file_of(folder: str, entry: JSON, blob: JSON | None) -> BranchFile:
    """An entry of a folder with its text if readable. ``blob`` is GitHub's answer for a known name."""
    mode, size = mode_of(entry), 0 if blob is None else blob["byteSize"]
    reason = NO_FILES.get(mode, "this is not a regular file") if mode not in REGULAR_MODES else None
    reason = reason or (UNKNOWN if blob is None else _unreadable(blob))
    return BranchFile(
        path=f"{folder}/{entry['name']}",
        mode=mode,
        size=size,
        blob=None if mode in (FOLDER_MODE, SUBMODULE_MODE) else entry["oid"],
        text=None if reason or blob is None else blob["text"],
        refused=reason,
    )


def same_blob(entry: JSON, blob: JSON | None) -> JSON | None:
    """GitHub's answer for the file at an entry's path, if it is the same blob."""
    return blob if blob and entry["type"] != TREE and blob["oid"] == entry["oid"] else None


def text_of(entry: JSON, blob: JSON | None) -> str | None:
    """The text of an entry, if it may be read."""
    return file_of("", entry, same_blob(entry, blob)).text


def no_folder(path: str, entry: JSON) -> BranchFile:
    """Something else in place of a folder."""
    mode = mode_of(entry)
    blob = None if mode == SUBMODULE_MODE else entry["oid"]
    return BranchFile(path=path, mode=mode, blob=blob, refused=NO_FILES.get(mode, "this is not a folder"))


def refused_folder(path: str, reason: str) -> BranchFile:
    """A folder that is not read."""
    return BranchFile(path=path, mode=FOLDER_MODE, refused=reason)


def _unreadable(blob: JSON) -> str | None:
    size, text = blob["byteSize"], blob["text"]
    if size > LARGEST:
        return f"the file has {size} bytes; at most {LARGEST} are read"
    if blob["isTruncated"]:
        return f"GitHub tells only the beginning of its {size} bytes"
    if blob["isBinary"] or text is None:
        return "this is not a text file"
    # GitHub turns other encodings into UTF-8, and then it is no longer the text that was committed
    return None if len(text.encode("utf-8", "surrogatepass")) == size else "this is not UTF-8"


def base_links(
    client: Client, repository: str, commit: str, patterns: tuple[str, ...]
) -> tuple[InstructionLink, ...] | None:
    """The targets, step by step, of a commit's links at paths that match these lower-case patterns.

    None if unknown, because GitHub does not list the whole tree or a link's target.
    """
    if (links := _links_of(client, f"/repos/{repository}/git/trees", commit)) is None:
        return None
    ends = {path: path for path in sorted(links) if may_hold(path.casefold(), patterns)}
    if len(ends) > MOST_LINKS:
        return None
    found, texts = list[InstructionLink](), dict[Place, str | None]()
    for _ in range(MOST_STEPS):
        ways = {path: next((step for step in _steps(end) if step in links), "") for path, end in ends.items()}
        new = {(commit, way) for way in ways.values() if way} - set(texts)
        for question in place_questions("Links", "mode object { ...file }", repository, sorted(new), _link_text):
            texts |= question.alone(client)
        if None in texts.values():
            return None
        led = {path: _led(ends[path], way, texts[commit, way] or "") for path, way in ways.items() if way}
        ends = {path: end for path, end in led.items() if end != "." and not f"{end}/".startswith(("/", "../"))}
        found += [InstructionLink(path=path, target=end) for path, end in ends.items()]
    return tuple(found)


def _links_of(client: Client, root: str, commit: str) -> set[str] | None:
    """The paths of all links. What GitHub does not list at once is listed folder by folder, up to a limit."""
    found, waiting, asked = set[str](), {"": commit}, 0
    while waiting:
        asked += len(waiting)
        if asked > MOST_TREES:
            return None
        told = client.together({at: partial(client.find, f"{root}/{oid}", recursive=1) for at, oid in waiting.items()})
        cut = {at: waiting[at] for at, tree in told.items() if tree is None or tree["truncated"]}
        told |= client.together({at: partial(client.find, f"{root}/{oid}") for at, oid in cut.items()})
        if any(tree is None or tree["truncated"] for tree in told.values()):
            return None
        entries = [(at + each["path"], at in cut, each) for at, tree in told.items() for each in (tree or {})["tree"]]
        found |= {path for path, _, each in entries if each["mode"] == LINK_MODE}
        waiting = {f"{path}/": each["sha"] for path, again, each in entries if again and each["type"] == TREE}
    return found


def _link_text(at: Place, commit: JSON | None) -> dict[Place, str | None]:
    entry = (commit or {}).get("file")
    return {at: (entry and (entry["object"] or {}).get("text")) or None}


def _steps(path: str) -> Iterator[str]:
    """A path's parent folders from the root on, and the path."""
    return accumulate(path.split("/"), "{}/{}".format)


def _led(path: str, link: str, text: str) -> str:
    """A path with a link in it resolved."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(link), text) + path.removeprefix(link))
