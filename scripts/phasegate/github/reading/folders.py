"""The folders of issues: one at the head with its files, several at older heads, and the history that these make."""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from phasegate.github.client.answers import MovedError
from phasegate.github.client.client import Client
from phasegate.github.reading.moves import UNSEEN, history_of
from phasegate.github.reading.queries import ENTRY, STEERING, folder_query, heads_query, paths_query, place
from phasegate.github.reading.waves import Ask, in_pieces
from phasegate.model.frozen import dataclass, replace
from phasegate.model.plan import REGULAR_MODES, Evidence
from phasegate.model.snapshot import InstructionLink, RefLog
from phasegate.model.texts import BranchFile

JSON = dict[str, Any]
MOST_ENTRIES = 1000
SHA1_DIGITS = 40
MOST_GONE = 20
MOST_STEPS = 8  # from a link to the next one
Lost = Callable[[Mapping[str, str]], tuple[str, ...]]


@dataclass(frozen=True, kw_only=True, slots=True)
class HeadTree:
    """The repository with the head to be read, and which files of it."""

    client: Client
    repository: str
    commit: str
    shape: Evidence

    def asked(self, name: str, query: str, variables: Mapping[str, str], ask: Ask | None = None) -> JSON:
        """What GitHub tells of the repository."""
        owner, _, own = self.repository.partition("/")
        found: JSON = (ask or self.client.graphql)(name, query, {"owner": owner, "name": own, **variables})[
            "repository"
        ]
        return found


@dataclass(frozen=True, kw_only=True, slots=True)
class Version:
    """What stood at a path: git's id of it, its mode, and its text if it was read and is worth remembering."""

    oid: str | None = None
    mode: str | None = None
    text: str | None = None

    @property
    def held(self) -> str | None:
        """What tells it from another version."""
        return self.oid if self.oid is None or self.mode == REGULAR_MODES[0] else f"{self.oid} {self.mode}"


NOTHING = Version()


@dataclass(frozen=True, kw_only=True, slots=True)
class Folder:
    """A folder at the head: its files, and what stood at each path; none where it could not be read as a folder."""

    files: tuple[BranchFile, ...] = ()
    held: Mapping[str, Version] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Older:
    """What an older head held, by path; git's ids of all its folders; whether there was more than is read."""

    commit: str
    files: Mapping[str, Version]
    folders: Mapping[str, str]
    cut: bool = False


def folder_at(place: HeadTree, path: str) -> Folder:
    """A folder that was listed, at the head."""
    named = {f"file{number}": name for number, name in enumerate(place.shape.names)}
    files = {variable: f"{place.commit}:{path}/{name}" for variable, name in named.items()}
    told = place.asked(
        "IssueFolder", folder_query(len(place.shape.names)), {"folder": f"{place.commit}:{path}", **files}
    )
    if not told["folder"]:
        raise MovedError(f"{path} is not there")
    whole_tree(path, told["folder"])
    entries = told["folder"]["entries"]
    if entries is None or len(entries) > MOST_ENTRIES:
        return Folder(files=(refused_folder(path, f"a folder of at most {MOST_ENTRIES} entries is read"),))
    blobs = {name: told[variable] for variable, name in named.items()}
    found = [(entry, _file(path, entry, blobs)) for entry in entries]
    held = {
        file.path: Version(
            oid=entry["oid"], mode=file.mode, text=file.text if entry["name"] in place.shape.remembered else None
        )
        for entry, file in found
    }
    return Folder(files=tuple(file for _, file in found), held=held)


def _file(folder: str, entry: JSON, blobs: Mapping[str, JSON | None]) -> BranchFile:
    """An entry, with what is told of the files that were asked for; one that is not told is an error."""
    blob = same_blob(entry, blobs.get(entry["name"]))
    if blob is None and entry["name"] in blobs and mode_of(entry) in REGULAR_MODES:
        raise MovedError(f"{folder}/{entry['name']} is not there")
    return file_of(folder, entry, blob)


def whole_tree(path: str, tree: JSON | None) -> None:
    """Refuse a folder of which not all is told: git's id of it is made of its entries.

    One with a name that is not UTF-8 cannot be told so.
    """
    entries, oid = (tree or {}).get("entries"), (tree or {}).get("oid")
    if entries is None or oid is None or any("\ufffd" in entry["name"] for entry in entries):
        return
    ordered = sorted(entries, key=lambda entry: (entry["name"] + "/" * (entry["type"] == TREE)).encode())
    lines = (f"{entry['mode']:o} {entry['name']}\0".encode() + bytes.fromhex(entry["oid"]) for entry in ordered)
    data = b"".join(lines)
    made = hashlib.new("sha1" if len(oid) == SHA1_DIGITS else "sha256", b"tree %d\0" % len(data) + data)
    if made.hexdigest() != oid:
        raise MovedError(f"{path}: not all of its entries were told")


def older_heads_held(place: HeadTree, heads: tuple[str, ...], folders: tuple[str, ...], lost: Lost) -> list[Older]:
    """What some older heads held in some folders, and in those that are gone since; one that is unreadable is left out.

    ``lost`` tells which of a head's folders are not as they were and worth reading; that takes a second request.
    """
    found = _held_at(place, heads, folders)
    others = [{name: oid for name, oid in each.folders.items() if name not in folders} for each in found]
    gone = tuple(dict.fromkeys(name for each in others for name in lost(each)))
    if not gone:
        return found
    more = {each.commit: each for each in _held_at(place, heads, gone[:MOST_GONE])}
    return [
        replace(each, files={**each.files, **more[each.commit].files}, cut=len(gone) > MOST_GONE)
        for each in found
        if each.commit in more
    ]


def _held_at(place: HeadTree, heads: tuple[str, ...], folders: tuple[str, ...]) -> list[Older]:
    pieces = in_pieces(place.client, heads, lambda ask, some: list(_older(place, ask, some, folders)))
    return [each for piece in pieces for each in piece]


def _older(place: HeadTree, ask: Ask, heads: Sequence[str], folders: tuple[str, ...]) -> Iterator[Older]:
    root, remembered = place.shape.root, place.shape.remembered
    variables: dict[str, str] = {}
    for number, head in enumerate(heads):
        variables |= {f"head{number}": head, f"head{number}_all": f"{head}:{root}"}
        for index, folder in enumerate(folders):
            name, at = f"head{number}_{index}", f"{head}:{root}/{folder}"
            variables |= {name: at, **{f"{name}_{which}": f"{at}/{file}" for which, file in enumerate(remembered)}}
    told = place.asked("EvidenceHeads", heads_query(len(heads), len(folders), len(remembered)), variables, ask)
    for number, head in enumerate(heads):
        above = told[f"head{number}_all"] or {}
        whole_tree(root, above)
        listed = above.get("entries", [])
        trees = {entry["name"]: entry["oid"] for entry in listed or () if entry["type"] == TREE}
        names = {f"head{number}_{index}": folder for index, folder in enumerate(folders)}
        absent = [folder for name, folder in names.items() if not told[name] and folder in trees]
        if absent:
            raise MovedError(f"{root}/{absent[0]} of {head} was asked for and is not there")
        found = {f"{root}/{folder}": name for name, folder in names.items()}
        held = _held(place, told, found) if told[f"head{number}"] else None
        if held is not None and listed is not None:
            yield Older(commit=head, files=held, folders=trees)


def _held(place: HeadTree, told: JSON, folders: Mapping[str, str]) -> dict[str, Version] | None:
    """What stood in each folder, which has a name of its own in the answer; none where GitHub does not list one."""
    held: dict[str, Version] = {}
    for path, name in folders.items():
        # what is no folder, or not there, holds nothing
        whole_tree(path, told[name])
        entries = (told[name] or {}).get("entries", [])
        if entries is None:
            return None
        blobs = {file: told[f"{name}_{which}"] for which, file in enumerate(place.shape.remembered)}
        for entry in entries:
            file = _file(path, entry, blobs)
            held[file.path] = Version(oid=entry["oid"], mode=file.mode, text=file.text)
    return held


Tip = tuple[str, dict[str, BranchFile]]


def paths_held(place: HeadTree, heads: tuple[str, ...], paths: tuple[str, ...]) -> list[Tip]:
    """What stood at some paths of some commits, by path; a commit that is gone is left out."""

    def of_heads(ask: Ask, some: Sequence[str]) -> list[Tip]:
        if len(some) > 1:
            return _tips(place, ask, some, paths)
        pieces = in_pieces(place.client, paths, lambda ask, few: dict(_tips(place, ask, some, few)))
        return [
            (head, {path: file for piece in pieces for path, file in piece[head].items()})
            for head in some
            if all(head in piece for piece in pieces)
        ]

    return [tip for piece in in_pieces(place.client, heads, of_heads) for tip in piece]


def _tips(place: HeadTree, ask: Ask, heads: Sequence[str], paths: Sequence[str]) -> list[Tip]:
    variables = {f"head{n}": head for n, head in enumerate(heads)} | {f"path{n}": path for n, path in enumerate(paths)}
    told = place.asked("EvidencePaths", paths_query(len(heads), len(paths)), variables, ask)
    there = [(head, found) for n, head in enumerate(heads) if (found := told[f"head{n}"])]
    return [
        (head, {path: _at_path(path, found[f"path{n}"]) for n, path in enumerate(paths) if found[f"path{n}"]})
        for head, found in there
    ]


def _at_path(path: str, entry: JSON) -> BranchFile:
    """The entry at a path; of a regular file its text must be told too."""
    blob = same_blob(entry, entry["object"])
    if blob is None and mode_of(entry) in REGULAR_MODES:
        raise MovedError(f"{path} is not there")
    return replace(file_of("", entry, blob), path=path)


def with_history(log: RefLog, head: str, folders: Mapping[str, Folder], older: Iterable[Older]) -> list[BranchFile]:
    """The files of the folders with who pushed them and what they were, and those that are gone."""
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
    """The mode of an entry as git writes it."""
    return f"{entry['mode']:06o}"


def file_of(folder: str, entry: JSON, blob: JSON | None) -> BranchFile:
    """An entry of a folder, with its text where it may be read; ``blob`` is what GitHub tells of a known name."""
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
    """What GitHub tells of the file at an entry's path, if it is that of the entry itself."""
    return blob if blob and blob["oid"] == entry["oid"] else None


def text_of(entry: JSON, blob: JSON | None) -> str | None:
    """The text of an entry, if it may be read."""
    return file_of("", entry, same_blob(entry, blob)).text


def no_folder(path: str, entry: JSON) -> BranchFile:
    """What stands where a folder should."""
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


def steering_links(pull: JSON) -> tuple[str, ...]:
    """The links of the base among the files and folders of its root that agents take orders from, and right below."""
    told = (pull["baseRef"] or {}).get("target") or {}
    entries = {path: told.get(f"steering{number}") or {} for number, path in enumerate(STEERING)}
    below = {
        f"{path}/{inner['name']}": inner
        for path, entry in entries.items()
        for inner in (entry.get("object") or {}).get("entries") or ()
        if path != STEERING[0]  # not all of .github is orders
    }
    return tuple(path for path, entry in {**entries, **below}.items() if entry and mode_of(entry) == LINK_MODE)


def link_targets(client: Client, repository: str, commit: str, path: str) -> tuple[InstructionLink, ...]:
    """What a link leads to, and where that is a link what it leads to, inside of the repository."""
    found, at = list[InstructionLink](), path
    while len(found) < MOST_STEPS:
        told = client.graphql("Entry", ENTRY, {**place(repository), "commit": commit, "path": at})["repository"]
        entry = (told["object"] or {}).get("file")
        if entry is None or mode_of(entry) != LINK_MODE:
            break
        at = posixpath.normpath(posixpath.join(posixpath.dirname(at), (entry["object"] or {}).get("text") or ""))
        if at.startswith(("/", "../")) or at in (".", ".."):
            break
        found.append(InstructionLink(path=path, target=at))
    return tuple(found)
