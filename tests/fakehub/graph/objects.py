"""Commits, trees and blobs in GraphQL, and what was reported about a commit."""

from __future__ import annotations

from collections.abc import Mapping

from tests.fakehub.answer import JSON
from tests.fakehub.git import File
from tests.fakehub.graph.connections import World
from tests.fakehub.graph.people import actor
from tests.fakehub.nodes import node_id
from tests.fakehub.trees import FOLDER, SUBMODULE, Entry, entries_of, tree_id

# Of a longer file GitHub gives the beginning, and says so.
LONGEST_TEXT = 512_000


def commit(world: World, name: str, sha: str) -> JSON:
    """A commit; when it was pushed is no longer told, and its dates are its author's word."""
    pulls = [pull["pull_request"] for pull in world.git.pulls]
    titles = {pull["head"]["sha"]: pull.get("head_title", "") for pull in pulls}
    return {
        "__typename": "Commit",
        "id": node_id("Commit", name, sha),
        "oid": sha,
        "url": f"https://github.com/{name}/commit/{sha}",
        "message": titles.get(sha, ""),
        "messageHeadline": titles.get(sha, ""),
        "repository": lambda: world.make("repository", name),
        "file": lambda path: _entry_at(world, name, world.git.tree(sha), path),
        "status": lambda: _status_of(world, name, sha),
    }


def git_object(world: World, name: str, expression: str) -> JSON | None:
    """What git would make of an expression: a commit, or with a colon a folder or file at one."""
    ref, colon, path = expression.partition(":")
    sha = world.git.resolve(ref, name)
    if sha is None:
        return None
    if not colon:
        return commit(world, name, sha)
    files, path = world.git.tree(sha), path.strip("/")
    if path in files:
        return None if files[path].mode == SUBMODULE else blob(world, name, files[path])
    return folder(world, name, files, path) if not path or entries_of(files, path) else None


def folder(world: World, name: str, files: Mapping[str, File], path: str) -> JSON:
    entries = entries_of(files, path)
    return {
        "__typename": "Tree",
        "id": node_id("Tree", name, tree_id(entries)),
        "oid": tree_id(entries),
        "entries": lambda: [_entry(world, name, files, entry) for entry in entries],
    }


def blob(world: World, name: str, file: File) -> JSON:
    """A file; its text is null if it is binary, and only the beginning if it is long."""
    del world
    binary = b"\0" in file.data[:8000] or not _is_text(file.data)
    return {
        "__typename": "Blob",
        "id": node_id("Blob", name, file.blob),
        "oid": file.blob,
        "byteSize": len(file.data),
        "isBinary": binary,
        "isTruncated": not binary and len(file.data) > LONGEST_TEXT,
        "text": None if binary else file.data[:LONGEST_TEXT].decode("utf-8", "replace"),
    }


def _status_of(world: World, name: str, sha: str) -> JSON | None:
    found = {told["context"].lower(): told for told in world.state.statuses.get(sha, [])}
    contexts = [_status(told) for told in found.values()]
    return {"id": node_id("Status", name, sha), "state": "PENDING", "contexts": contexts} if contexts else None


def _status(told: JSON) -> JSON:
    return {
        "__typename": "StatusContext", "id": node_id("StatusContext", told["id"]), "context": told["context"],
        "state": told["state"].upper(), "description": told.get("description") or None, "targetUrl": told.get("url"),
        "createdAt": told["at"], "creator": actor(told.get("creator")),

    }  # fmt: skip


def _entry_at(world: World, name: str, files: Mapping[str, File], path: str) -> JSON | None:
    found = (entry for entry in entries_of(files, path.rpartition("/")[0]) if entry.path == path)
    return next((_entry(world, name, files, entry) for entry in found), None)


def _entry(world: World, name: str, files: Mapping[str, File], entry: Entry) -> JSON:
    def content() -> JSON | None:
        if entry.mode == FOLDER:
            return folder(world, name, files, entry.path)
        return None if entry.mode == SUBMODULE else blob(world, name, files[entry.path])

    return {
        "name": entry.name,
        "path": entry.path,
        "type": entry.kind,
        "mode": int(entry.mode, 8),
        "oid": entry.oid,
        "size": entry.size or 0,
        "extension": f".{entry.name.rpartition('.')[2]}" if "." in entry.name else "",
        "object": content,
    }


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
