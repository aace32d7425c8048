"""Folders: a flat list of files as git's trees, with the ids that git would give them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from tests.fakehub.git import File

FOLDER = "040000"
SUBMODULE = "160000"
LINK = "120000"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One name in a folder."""

    name: str
    path: str
    mode: str
    oid: str
    size: int | None

    @property
    def kind(self) -> str:
        return {FOLDER: "tree", SUBMODULE: "commit"}.get(self.mode, "blob")


def entries_of(files: Mapping[str, File], folder: str = "") -> list[Entry]:
    prefix = f"{folder}/" if folder else ""
    below = {path.removeprefix(prefix): path for path in files if path.startswith(prefix)}
    found: dict[str, Entry] = {}
    for rest, path in below.items():
        name, slash, _ = rest.partition("/")
        if slash:
            oid = tree_id(entries_of(files, prefix + name)) if name not in found else found[name].oid
            found[name] = Entry(name=name, path=prefix + name, mode=FOLDER, oid=oid, size=None)
        else:
            file = files[path]
            size = None if file.mode == SUBMODULE else len(file.data)
            found[name] = Entry(name=name, path=path, mode=file.mode, oid=file.blob, size=size)
    return sorted(found.values(), key=lambda entry: entry.name + ("/" if entry.mode == FOLDER else ""))


def all_entries(files: Mapping[str, File], folder: str = "") -> list[Entry]:
    """What stands in a folder and below, folders before what they hold."""
    found = []
    for entry in entries_of(files, folder):
        found.append(entry)
        if entry.mode == FOLDER:
            found += all_entries(files, entry.path)
    return found


def tree_id(entries: list[Entry]) -> str:
    """The id that git gives to a folder."""
    lines = (entry.mode.lstrip("0").encode() + b" " + entry.name.encode("utf-8", "surrogatepass") for entry in entries)
    data = b"".join(line + b"\0" + bytes.fromhex(entry.oid) for line, entry in zip(lines, entries, strict=True))
    return hashlib.sha1(b"tree %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def root_of(files: Mapping[str, File]) -> str:
    return tree_id(entries_of(files))
