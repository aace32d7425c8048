"""The files of evidence folders: what a snapshot tells of each, from the push on that brought it until the next."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from tests.fakehub.answer import JSON

REGULAR, LINK, FOLDER = "100644", "120000", "040000"
# Of a longer file GitHub gives the beginning.
LONG = 512_000


@dataclass(frozen=True, kw_only=True)
class File:
    """A file at a commit."""

    mode: str
    blob: str
    data: bytes


def blob_of(data: bytes) -> str:
    """The id that git gives to a file's bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def artifacts_at(snapshot: JSON, commit: str) -> dict[str, File]:
    moves = snapshot["ref_log"]["moves"]
    heads = [move["after"] for move in moves]
    # what never was the head has everything that is not told to have come later
    position = heads.index(commit) if commit in heads else len(heads)
    found = {}
    for artifact in snapshot["branch_files"]:
        versions = [*artifact.get("earlier", []), artifact]
        begun = [each for each in versions if _begin(each, moves) <= position]
        if begun and not _is_away(begun[-1], versions, position - _begin(begun[-1], moves)):
            path, file = _file(artifact, _with_text(begun[-1], versions))
            found[path] = file
    return found


def ignore_file(snapshot: JSON) -> Iterator[tuple[str, File]]:
    rule = snapshot["branch_files_ignored"]
    if rule:
        data = ("# nothing\n" * (rule["line"] - 1) + rule["pattern"] + "\n").encode()
        yield rule["path"], File(mode=REGULAR, blob=blob_of(data), data=data)


def _begin(version: JSON, moves: list[JSON]) -> int:
    """The number of the movement that brought a version; before all where that is not told."""
    pushed = version.get("pushed") or {}
    named = [number for number, move in enumerate(moves) if move["after"] == pushed.get("commit")]
    exact = [number for number in named if moves[number]["at"] == pushed.get("at")]
    return next(iter([*exact, *named]), -1)


def _is_away(version: JSON, versions: list[JSON], since: int) -> bool:
    """Whether the file is not there: it is gone for good, or comes back the same, so that it was away meanwhile."""
    if version is versions[-1]:
        told = (version.get(key) for key in ("blob", "text", "refused"))
        return len(versions) > 1 and not any(value is not None for value in told)
    following = versions[versions.index(version) + 1]
    changed = "mode" in version and version["mode"] != following.get("mode", REGULAR)
    return since > 0 and version["blob"] == following.get("blob") and not changed


def _with_text(version: JSON, versions: list[JSON]) -> JSON:
    """A version with the text that another one tells of the same blob."""
    texts = (each["text"] for each in versions if each.get("text") is not None and _same_blob(each, version))
    return {**version, "text": next(texts, None)}


def _same_blob(one: JSON, other: JSON) -> bool:
    return one is other or (one.get("blob") is not None and one["blob"] == other.get("blob"))


def _file(artifact: JSON, version: JSON) -> tuple[str, File]:
    """A version of an artifact, with its path; a folder is one file in it."""
    mode: str = version.get("mode") or artifact.get("mode") or REGULAR
    data = _bytes(version)
    blob = version.get("blob") or blob_of(data)
    if mode == FOLDER:
        return f"{artifact['path']}/inside", File(mode=REGULAR, blob=blob_of(data), data=data)
    return artifact["path"], File(mode=mode, blob=blob, data=data)


def _bytes(version: JSON) -> bytes:
    """The bytes of a version; where there is no text, as many as its size says, and if few no UTF-8."""
    if version.get("text") is not None:
        return str(version["text"]).encode("utf-8", "surrogatepass")
    size = version.get("size") or 1
    filler = b"x" if size > LONG or version.get("mode") == LINK else b"\xff"
    return filler * size
