"""Entries of evidence folders as files of the snapshot: their text, or why it was not read. No link is followed."""

from __future__ import annotations

from typing import Any

from phasegate.model.evidence import FILES, JUDGING
from phasegate.model.texts import BranchFile

JSON = dict[str, Any]
NAMES = FILES
REMEMBERED = tuple(JUDGING)
LARGEST = 4 * 1024 * 1024

TREE = "tree"
FOLDER_MODE, LINK_MODE, SUBMODULE_MODE = "040000", "120000", "160000"
REGULAR_MODES = ("100644", "100755", "100664")
NO_FILES = {
    FOLDER_MODE: "this is a folder",
    LINK_MODE: "this is a symbolic link",
    SUBMODULE_MODE: "this is a submodule",
}
UNKNOWN = "not a file that the pipeline knows"


def mode_of(entry: JSON) -> str:
    """The mode of an entry as git writes it."""
    return f"{entry['mode']:06o}"


def file_of(folder: str, entry: JSON, blob: JSON | None) -> BranchFile:
    """An entry of a folder, with its text where it may be read; ``blob`` is what GitHub tells of a known name."""
    mode, size = mode_of(entry), 0 if blob is None else blob["byteSize"]
    reason = _no_file(mode) or (UNKNOWN if blob is None else _unreadable(blob))
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


def _no_file(mode: str) -> str | None:
    if mode in REGULAR_MODES:
        return None
    return NO_FILES.get(mode, "this is not a regular file")


def _unreadable(blob: JSON) -> str | None:
    """Why the text of a regular file is not taken."""
    size, text = blob["byteSize"], blob["text"]
    if size > LARGEST:
        return f"the file has {size} bytes; at most {LARGEST} are read"
    if blob["isTruncated"]:
        return f"GitHub tells only the beginning of its {size} bytes"
    if blob["isBinary"] or text is None:
        return "this is not a text file"
    # GitHub turns other encodings into UTF-8, and then it is no longer the text that was committed
    return None if len(text.encode("utf-8", "surrogatepass")) == size else "this is not UTF-8"
