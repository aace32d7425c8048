"""Commits, trees and blobs in GraphQL, and what was reported about a commit."""

from __future__ import annotations

from collections.abc import Mapping

from tests.fakehub.answer import JSON
from tests.fakehub.git import File
from tests.fakehub.graph.connections import World, connection
from tests.fakehub.graph.people import actor, app
from tests.fakehub.nodes import node_id
from tests.fakehub.state import number_of
from tests.fakehub.trees import FOLDER, SUBMODULE, Entry, entries_of, tree_id

# Of a longer file GitHub gives the beginning, and says so.
LONGEST_TEXT = 512_000
ANY_DATE = "2020-01-01T00:00:00Z"


def commit(world: World, name: str, sha: str) -> JSON:
    """A commit; when it was pushed is no longer told, and its dates are its author's word."""

    def associated_pull_requests(**page: object) -> JSON:
        # of heads of forks the repository that they would change knows nothing
        found = [
            pull
            for pull in world.git.pulls
            if pull["repository"]["name"] == name == pull["pull_request"]["head"]["repository"]
            and sha in world.git.chain(pull["pull_request"]["head"]["sha"])
        ]
        return connection(world, found, lambda pull: world.make("pull", pull), page)

    def parents(**page: object) -> JSON:
        parent = world.git.parent(sha)
        return connection(world, [parent] if parent != sha else [], lambda each: commit(world, name, each), page)

    pulls = [pull["pull_request"] for pull in world.git.pulls]
    titles = {pull["head"]["sha"]: pull.get("head_title", "") for pull in pulls}
    return {
        "__typename": "Commit",
        "id": node_id("Commit", name, sha),
        "oid": sha,
        "abbreviatedOid": sha[:7],
        "url": f"https://github.com/{name}/commit/{sha}",
        "commitUrl": f"https://github.com/{name}/commit/{sha}",
        "message": titles.get(sha, ""),
        "messageHeadline": titles.get(sha, ""),
        "committedDate": ANY_DATE,
        "authoredDate": ANY_DATE,
        "pushedDate": None,
        "repository": lambda: world.make("repository", name),
        "tree": lambda: folder(world, name, world.git.tree(sha), ""),
        "file": lambda path: _entry_at(world, name, world.git.tree(sha), path),
        "parents": parents,
        "associatedPullRequests": associated_pull_requests,
        "status": lambda: _status_of(world, name, sha),
        "statusCheckRollup": lambda: rollup(world, name, sha),
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
        "abbreviatedOid": tree_id(entries)[:7],
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
        "abbreviatedOid": file.blob[:7],
        "byteSize": len(file.data),
        "isBinary": binary,
        "isTruncated": not binary and len(file.data) > LONGEST_TEXT,
        "text": None if binary else file.data[:LONGEST_TEXT].decode("utf-8", "replace"),
    }


def _status_of(world: World, name: str, sha: str) -> JSON | None:
    found = {told["context"].lower(): told for told in world.state.statuses.get(sha, [])}
    contexts = [_status(world, told) for told in found.values()]
    return {"id": node_id("Status", name, sha), "state": "PENDING", "contexts": contexts} if contexts else None


def rollup(world: World, name: str, sha: str) -> JSON | None:
    statuses = list({told["context"].lower(): told for told in world.state.statuses.get(sha, [])}.values())
    checks = list({(told["name"], told.get("app_id")): told for told in world.state.checks.get(sha, [])}.values())
    if not statuses and not checks:
        return None
    states = {told["state"] for told in statuses} | {told.get("conclusion") or "pending" for told in checks}
    good = {"success", "neutral", "skipped"}
    overall = "PENDING" if "pending" in states else "SUCCESS" if states <= good else "FAILURE"

    def contexts(**page: object) -> JSON:
        made = [_status(world, told) for told in statuses] + [_check(world, name, sha, told) for told in checks]
        counts = {"checkRunCount": len(checks), "statusContextCount": len(statuses)}
        return connection(world, made, lambda each: each, page) | counts

    return {"id": node_id("StatusCheckRollup", name, sha), "state": overall, "contexts": contexts}


def _status(world: World, told: JSON) -> JSON:
    return {
        "__typename": "StatusContext", "id": node_id("StatusContext", told["id"]), "context": told["context"],
        "state": told["state"].upper(), "description": told.get("description") or None, "targetUrl": told.get("url"),
        "createdAt": told["at"], "creator": actor(told.get("creator")),
        "isRequired": lambda **_: _is_required(world, told["context"]),
    }  # fmt: skip


def _check(world: World, name: str, sha: str, told: JSON) -> JSON:
    number = told.get("app_id")
    output = told.get("output", {})
    suite = number_of(f"{sha} {number}")
    url = told.get("url") or f"https://github.com/{name}/runs/{told['id']}"
    return {
        "__typename": "CheckRun",
        "id": node_id("CheckRun", told["id"]),
        "databaseId": told["id"],
        "name": told["name"],
        "status": told["status"].upper(),
        "conclusion": told["conclusion"].upper() if told.get("conclusion") else None,
        "startedAt": None,
        "completedAt": told.get("completed_at"),
        "externalId": told.get("external_id"),
        "detailsUrl": told.get("url"),
        "url": url,
        "permalink": url,
        "title": output.get("title"),
        "summary": output.get("summary"),
        "text": output.get("text"),
        "isRequired": lambda **_: _is_required(world, told["name"]),
        "checkSuite": {"id": node_id("CheckSuite", suite), "databaseId": suite, "app": app(number)},
    }


def _is_required(world: World, context: str) -> bool:
    rules = world.state.main["branch_rules"] or {}
    return any(each["context"] == context for each in rules.get("required", []))


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
        "isGenerated": False,
        "object": content,
    }


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
