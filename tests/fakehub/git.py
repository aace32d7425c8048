"""The repository's commits and files, made up from what a snapshot tells of them.

Commits whose content has the same digest in the snapshot bring in the same files here, others bring in others.
"""

from __future__ import annotations

import functools
import hashlib
import posixpath
from collections.abc import Iterator
from dataclasses import dataclass

from tests.fakehub.answer import JSON
from tests.fakehub.artifacts import LINK, REGULAR, File, artifacts_at, blob_of, ignore_file
from tests.fakehub.state import State

__all__ = ["REGULAR", "Change", "File", "Git", "blob_of"]

EVIDENCE_FOLDER = ".pipeline/"
MOST_FILES_OF_COMPARE = 300
MOST_FILES_OF_PULL = 3000
SHORTEST_PREFIX = 7


@dataclass(frozen=True, kw_only=True)
class Change:
    """What happened to one path."""

    path: str
    status: str
    blob: str
    previous_path: str | None = None


class Git:
    """Commits, trees and comparisons, for as long as the state stands still: one request."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.pulls = state.pulls()
        self._trees: dict[str, dict[str, File]] = {}

    def default_head(self) -> str:
        main = self.state.main
        told = main["policy"].get("commit")
        base = main["pull_request"]["base"]
        if told:
            return str(told)
        if base["ref"] == main["repository"]["default_branch"]:
            return str(base["sha"])
        return hashlib.sha1(b"default branch", usedforsecurity=False).hexdigest()

    @functools.cached_property
    def commits(self) -> dict[str, JSON]:
        found: dict[str, JSON] = {}
        for snapshot in self.pulls:
            for commit in filter(None, _commits_of(snapshot)):
                found.setdefault(commit, snapshot)
        told = self.state.extras.commits
        more = [self.default_head(), *told, *self.formers, *(each.get("merge_base") for each in told.values())]
        for commit in filter(None, more):
            found.setdefault(commit, self.state.main)
        return found

    @functools.cached_property
    def formers(self) -> dict[str, list[str]]:
        """The former bases that the present one contains, each with the heads that bring in the same."""
        changes = [change for snapshot in self.pulls for change in snapshot["pull_request"]["base_changes"]]
        return {former_base(change["before"]): change["keeps"] for change in changes if "keeps" in change}

    def resolve(self, name: str, repository: str | None = None) -> str | None:
        """The commit that a branch, a ref or the beginning of an id names."""
        main = self.state.main
        short = name.removeprefix("refs/").removeprefix("heads/")
        if short in ("HEAD", main["repository"]["default_branch"]):
            return self.default_head()
        for snapshot in self.pulls:
            pull = snapshot["pull_request"]
            here = (repository or self.state.name).lower()
            if short == f"pull/{pull['number']}/head":
                return str(pull["head"]["sha"])
            ends = ((pull["head"], pull["head"]["repository"] or ""), (pull["base"], snapshot["repository"]["name"]))
            for branch, home in ends:
                if short == branch["ref"] and here == home.lower():
                    return str(branch["sha"])
        if len(name) < SHORTEST_PREFIX:
            return None
        matches = [commit for commit in self.commits if commit.startswith(name.lower())]
        return matches[0] if len(matches) == 1 and matches[0] not in self.state.extras.gone else None

    def merge_base(self, base: str, head: str) -> str:
        if base == head or self._comes_before(base, head):
            return base
        if head in self.formers and self._is_base(base):
            return head
        if self._comes_before(head, base):
            return head
        return self._root(base) if self._is_base(head) else self._root(head)

    def chain(self, head: str) -> list[str]:
        """The commits from the merge base (left out) to a head, the oldest first: one for each push without force."""
        snapshot = self.commits[head]
        if self._is_base(head):
            return []
        made: list[str] = []
        for move in snapshot["ref_log"]["moves"]:
            if move.get("kind") == "force_push":
                made = []
            made.append(move["after"])
            if move["after"] == head:
                return list(dict.fromkeys(made))
        return [head]

    def commits_of(self, snapshot: JSON) -> list[str]:
        """The commits of a pull request: those that were told, else one for each push."""
        return list(snapshot["commits"]) or self.chain(snapshot["pull_request"]["head"]["sha"])

    def parent(self, commit: str) -> str:
        chain = self.chain(commit)
        return chain[-2] if len(chain) > 1 else self._root(commit)

    def changes(self, base: str, head: str) -> list[Change]:
        common = self.merge_base(base, head)
        if self._is_base(common):
            below = [] if head in self.formers.get(base, [head]) else [_BELOW]
            return [*self._told_changes(head), *below]
        before, after = self.tree(common), self.tree(head)
        found = []
        for path in sorted(set(before) | set(after)):
            old, new = before.get(path), after.get(path)
            if old != new:
                status = "modified" if old and new else "added" if new else "removed"
                found.append(Change(path=path, status=status, blob=(new or old or _EMPTY).blob))
        return found

    def tree(self, commit: str) -> dict[str, File]:
        if commit not in self._trees:
            self._trees[commit] = self._tree(commit)
        return self._trees[commit]

    def _tree(self, commit: str) -> dict[str, File]:
        snapshot = self.commits[commit]
        files = dict(_base_files(snapshot))
        for path, text in self.state.extras.tree.items():
            files[path] = File(mode=REGULAR, blob=blob_of(text.encode()), data=text.encode())
        if not self._is_base(commit):
            for change, file in self._files_of(commit):
                files.pop(change.previous_path or "", None)
                if change.status == "removed":
                    files.pop(change.path, None)
                else:
                    files[change.path] = file
            files |= artifacts_at(snapshot, commit)
        for evidence in snapshot["cited_files"]:
            if evidence["commit"] == commit and evidence.get("lines") is not None:
                data = b"line\n" * evidence["lines"]
                blob = files[evidence["path"]].blob if evidence["path"] in files else blob_of(data)
                files[evidence["path"]] = File(mode=REGULAR, blob=blob, data=data)
            elif evidence["commit"] == commit:
                files.pop(evidence["path"], None)
        return files

    def _told_changes(self, commit: str) -> list[Change]:
        group = self.commits[commit]["merge_group"]
        if group and commit == group["base"]:  # what the base branch changed meanwhile
            paths = group.get("beside", [])
            return [Change(path=path, status="modified", blob=blob_of(f"{path} beside".encode())) for path in paths]
        return [change for change, _ in self._files_of(commit)] if not self._is_base(commit) else []

    def _files_of(self, commit: str) -> Iterator[tuple[Change, File]]:
        for entry in self._entries(commit):
            text = entry.get("text")
            data = text if isinstance(text, bytes) else (text or f"{entry['path']} {entry.get('salt', '')}\n").encode()
            blob = entry.get("blob") or blob_of(data)
            change = Change(
                path=entry["path"], status=entry.get("status", "modified"), blob=blob,
                previous_path=entry.get("previous_path"),
            )  # fmt: skip
            yield change, File(mode=entry.get("mode") or REGULAR, blob=blob, data=data)

    def _entries(self, commit: str) -> list[JSON]:
        told = self.state.extras.commits.get(commit, {})
        if "files" in told:
            return list(told["files"])
        snapshot = self.commits[commit]
        group = snapshot["merge_group"]
        if group and commit == group["head"]:
            return _queued(self._entries(snapshot["pull_request"]["head"]["sha"]), group.get("differs"))
        entries, head = snapshot["files"]["entries"], snapshot["pull_request"]["head"]["sha"]
        if commit == head:
            held = artifacts_at(snapshot, commit) if snapshot["branch_files"] else {}
            entries = [_as_held(entry, held.get(entry["path"])) for entry in entries]
            return entries if snapshot["files"]["complete"] else _endless(entries)
        digests = {content["commit"]: content.get("digest") for content in snapshot["contents"]}
        paths = {content["commit"]: content.get("paths") for content in snapshot["contents"]}
        entries = [{"path": path} for path in paths.get(commit) or ()] or entries
        digest = digests.get(commit, commit)
        if digest is None:
            return _endless(entries)
        evidence = {file["path"] for file in snapshot["branch_files"]}
        product = list(entries) if digest == digests.get(head) else _altered(entries, digest, evidence)
        return _with_evidence(product, artifacts_at(snapshot, commit), evidence) if evidence else product

    def _root(self, commit: str) -> str:
        told = self.state.extras.commits.get(commit, {}).get("merge_base")
        group = self.commits.get(commit, self.state.main)["merge_group"]
        if group and commit == group["head"]:
            return str(told or group["base"])
        pull = self.commits.get(commit, self.state.main)["pull_request"]
        return str(told or pull["merge_base"] or pull["base"]["sha"])

    @functools.cached_property
    def _bases(self) -> set[str]:
        pulls = [snapshot["pull_request"] for snapshot in self.pulls]
        told = [commit.get("merge_base") for commit in self.state.extras.commits.values()]
        told += [pull["merge_base"] for pull in pulls] + [pull["base"]["sha"] for pull in pulls]
        told += [snapshot["merge_group"]["base"] for snapshot in self.pulls if snapshot["merge_group"]]
        return {str(commit) for commit in told if commit} | {self.default_head(), *self.formers}

    def _is_base(self, commit: str) -> bool:
        return commit in self._bases

    def _comes_before(self, early: str, late: str) -> bool:
        """Whether the later commit was pushed onto the earlier one."""
        return early in self.chain(late) if not self._is_base(early) else self._root(late) == early


_EMPTY = File(mode=REGULAR, blob=blob_of(b""), data=b"")
_BELOW = Change(path="below.txt", status="added", blob=blob_of(b"below"))


def former_base(name: str) -> str:
    """The commit at which a base branch was left that is contained in the present base."""
    return hashlib.sha1(f"former base {name}".encode(), usedforsecurity=False).hexdigest()


def _commits_of(snapshot: JSON) -> Iterator[str | None]:
    pull = snapshot["pull_request"]
    yield from (pull["head"]["sha"], pull["base"]["sha"], pull["merge_base"])
    for move in snapshot["ref_log"]["moves"]:
        yield from (move["after"], move.get("before"))
    for name in ("contents", "reviews", "cited_files", "dispatch_approvals"):
        yield from (entry.get("commit") for entry in snapshot[name])
    yield from snapshot["commits"]
    if snapshot["merge_group"]:
        yield from (snapshot["merge_group"]["head"], snapshot["merge_group"]["base"])


def _queued(entries: list[JSON], differs: list[str] | None) -> list[JSON]:
    """What a commit of a merge queue changes: what the head does, but for the paths at which it differs."""
    if differs is None:
        return _endless(entries)
    known = {entry["path"] for entry in entries}
    bare = [{key: entry[key] for key in entry if key not in ("blob", "text")} for entry in entries]
    merged = [
        {**other, "salt": "merged"} if entry["path"] in differs else entry
        for entry, other in zip(entries, bare, strict=True)
    ]
    return [*merged, *({"path": path, "salt": "merged"} for path in differs if path not in known)]


def _base_files(snapshot: JSON) -> Iterator[tuple[str, File]]:
    """The files of the base branch: the policy, and what the pull request changes as it was before."""
    for entry in snapshot["files"]["entries"]:
        if entry.get("status", "modified") != "added":
            path = entry.get("previous_path") or entry["path"]
            data = f"{path} before\n".encode()
            yield path, File(mode=REGULAR, blob=blob_of(data), data=data)
    for schema in snapshot["policy"].get("schemas", []):
        data = (schema.get("text") or "").encode()
        yield schema["path"], File(mode=REGULAR, blob=blob_of(data), data=data)
    if snapshot["policy"].get("text") is not None:
        data = snapshot["policy"]["text"].encode("utf-8", "surrogatepass")
        yield snapshot["policy"]["path"], File(mode=REGULAR, blob=blob_of(data), data=data)
    for path in snapshot["policy"].get("misplaced", ()):
        data = b"version: 1\n"
        yield path, File(mode=REGULAR, blob=blob_of(data), data=data)
    for link in snapshot["instruction_links"]:
        data = posixpath.relpath(link["target"], posixpath.dirname(link["path"]) or ".").encode()
        yield link["path"], File(mode=LINK, blob=blob_of(data), data=data)
    yield from ignore_file(snapshot)


def _altered(entries: list[JSON], digest: str, evidence: set[str]) -> list[JSON]:
    """The same paths with another content in one of them."""
    chosen = next(
        (entry for entry in entries if _is_product(entry) and entry["path"] not in evidence),
        {"path": "src/content.txt"},
    )
    rest = [entry for entry in entries if entry is not chosen]
    return [{key: chosen[key] for key in chosen if key not in ("blob", "text")} | {"salt": digest}, *rest]


def _with_evidence(entries: list[JSON], files: dict[str, File], told: set[str]) -> list[JSON]:
    """The changes of an older head: its own evidence in place of the present one."""
    brought = [{"path": path, "status": "added", "blob": file.blob} for path, file in files.items()]
    kept = (entry for entry in entries if not entry["path"].startswith(EVIDENCE_FOLDER) and entry["path"] not in told)
    return [*kept, *brought]


def _as_held(entry: JSON, file: File | None) -> JSON:
    return entry if file is None or entry.get("status") == "removed" else {**entry, "blob": file.blob}


def _is_product(entry: JSON) -> bool:
    return entry.get("status") != "removed" and not entry["path"].startswith(EVIDENCE_FOLDER)


def _endless(entries: list[JSON]) -> list[JSON]:
    return [*entries, *({"path": f"many/{number}.txt", "status": "added"} for number in range(MOST_FILES_OF_PULL + 1))]
