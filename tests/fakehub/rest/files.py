"""Files at a commit: contents, trees and blobs."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from urllib.parse import quote

from tests.fakehub.answer import JSON, Answer, RefusedError, error, not_found
from tests.fakehub.git import File
from tests.fakehub.rest.call import Call
from tests.fakehub.shapes import shape
from tests.fakehub.trees import FOLDER, LINK, SUBMODULE, Entry, all_entries, entries_of, tree_id

MOST_IN_FOLDER = 1000
LARGEST_IN_JSON = 1024 * 1024
LARGEST_BLOB = 100 * 1024 * 1024
MOST_IN_TREE = 100_000


def contents(call: Call) -> Answer:
    """A file, a link, a submodule, or what stands in a folder."""
    name = call.repository()["name"]
    ref = call.query.get("ref", "HEAD")
    sha = call.git.resolve(ref, name)
    if sha is None:
        raise RefusedError(error(404, f"No commit found for the ref {ref}"))
    files, path = call.git.tree(sha), call.params["path"].strip("/")
    if path in files:
        return _file(call, path, files[path], ref)
    entries = entries_of(files, path)
    if not entries and path:
        raise not_found()
    listed = [_listed(call, entry, ref) for entry in entries[:MOST_IN_FOLDER]]
    if "vnd.github.object" in call.accept:
        folder = Entry(name=path.rpartition("/")[2], path=path, mode=FOLDER, oid=tree_id(entries), size=0)
        data = _common(call, folder, ref, "content-tree") | {"type": "dir", "entries": listed}
        return Answer(data=data, media="application/vnd.github.object+json; charset=utf-8")
    return Answer(data=listed)


def _file(call: Call, path: str, file: File, ref: str) -> Answer:
    """A file: raw if asked for, else in JSON as far as it is not too large for that."""
    entry = Entry(name=path.rpartition("/")[2], path=path, mode=file.mode, oid=file.blob, size=len(file.data))
    if file.mode == SUBMODULE:
        data = _common(call, entry, ref, "content-submodule")
        return Answer(data=data | {"type": "submodule", "submodule_git_url": "https://github.com/octo/part"})
    if len(file.data) > LARGEST_BLOB:
        raise RefusedError(error(403, "This API returns blobs up to 100 MB in size."))
    if "raw" in call.accept:
        return Answer(raw=file.data, media="application/vnd.github.raw+json; charset=utf-8")
    if file.mode == LINK:
        data = _common(call, entry, ref, "content-symlink")
        return Answer(data=data | {"type": "symlink", "target": file.data.decode("utf-8", "replace")})
    small = len(file.data) <= LARGEST_IN_JSON
    content = base64.encodebytes(file.data).decode() if small else ""
    data = _common(call, entry, ref, "content-file")
    return Answer(data=data | {"type": "file", "encoding": "base64" if small else "none", "content": content})


def _common(call: Call, entry: Entry, ref: str, kind: str) -> JSON:
    url = f"{call.address('contents', entry.path)}?ref={quote(ref)}"
    git = call.address("git", "trees" if entry.mode == FOLDER else "blobs", entry.oid)
    page = f"https://github.com/{call.name}/blob/{quote(ref)}/{quote(entry.path)}"
    return shape(
        kind, name=entry.name, path=entry.path, sha=entry.oid, size=entry.size or 0, url=url, git_url=git,
        html_url=page, download_url=None, _links={"self": url, "git": git, "html": page},
    )  # fmt: skip


def _listed(call: Call, entry: Entry, ref: str) -> JSON:
    """An entry of a folder; a submodule passes for a file there, in this version of the API."""
    kind = {FOLDER: "dir", LINK: "symlink"}.get(entry.mode, "file")
    return _common(call, entry, ref, "content-tree") | {"type": kind}


def tree(call: Call) -> Answer:
    """A tree by the id of a commit or of a folder, or by a branch."""
    name, wanted = call.repository()["name"], call.params["tree_sha"]
    files, folder = _tree_of(call, wanted, call.git.resolve(wanted, name))
    entries = all_entries(files, folder) if call.query.get("recursive") else entries_of(files, folder)
    prefix = f"{folder}/" if folder else ""
    shown = [_in_tree(call, entry, prefix) for entry in entries[:MOST_IN_TREE]]
    data = {
        "sha": tree_id(entries_of(files, folder)), "url": call.address("git", "trees", wanted), "tree": shown,
        "truncated": len(entries) > MOST_IN_TREE,
    }  # fmt: skip
    return Answer(data=data)


def _tree_of(call: Call, wanted: str, commit: str | None) -> tuple[Mapping[str, File], str]:
    if commit is not None:
        return call.git.tree(commit), ""
    for each in call.git.commits:
        files = call.git.tree(each)
        if tree_id(entries_of(files)) == wanted:
            return files, ""
        for entry in all_entries(files):
            if entry.mode == FOLDER and entry.oid == wanted:
                return files, entry.path
    raise not_found()


def _in_tree(call: Call, entry: Entry, prefix: str) -> JSON:
    size = {} if entry.size is None else {"size": entry.size}
    path = entry.path.removeprefix(prefix)
    made = {"path": path, "mode": entry.mode, "type": entry.kind, "sha": entry.oid, **size}
    return made if entry.mode == SUBMODULE else {**made, "url": call.address("git", f"{entry.kind}s", entry.oid)}
