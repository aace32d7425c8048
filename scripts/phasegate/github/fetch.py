"""Fetching: everything about one pull request, complete or an error, in few trips one after the other.

1. the pull request with its issues and first comments, the first page of comments and files by REST;
2. what that named: further pages, the log of the branch, permissions, histories of edited comments;
3. what those named: comments beyond the first hundred in detail, contents of older heads;
4. the histories of those, if there are any.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar
from urllib.parse import quote

from phasegate.github import connections, nodes
from phasegate.github.answers import GitHubError, Missing
from phasegate.github.client import Client
from phasegate.github.content import changed_file, compared_digest, content_digest, line_count
from phasegate.github.conversation import Listed, MovedError, Task, Thread, by_id, detail_tasks, history_tasks
from phasegate.github.moves import judged_heads, older_heads, ref_log
from phasegate.github.opening import (
    Opening,
    Target,
    issue_of,
    open_up,
    policy_of,
    pull_request_of,
    repository_of,
    siblings_of,
)
from phasegate.github.people import lookups
from phasegate.github.queries import PAGE
from phasegate.github.record import read_record
from phasegate.model.conversation import Actor, Comment, Person
from phasegate.model.snapshot import FORMAT, ChangedFiles, CommitStatus, Content, EvidenceFile, RefLog, Snapshot

TRIES = 3
MOST_FILES = 3000
MOST_EVIDENCE = 30
JSON = dict[str, Any]
Results = dict[Hashable, Any]
V = TypeVar("V")


@dataclass(frozen=True, kw_only=True, slots=True)
class Interest:
    """What makes a text worth a look: whether it may hold a signal, and which files it calls as evidence."""

    carries: Callable[[str], bool]
    evidence: Callable[[str], Iterable[str]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Fetched:
    """A snapshot, with what its first trip brought to compare with later."""

    snapshot: Snapshot
    opened: Opening

    def unchanged(self, client: Client) -> bool:
        """Whether the pull request still is what was judged."""
        return open_up(client, self.opened.target).fingerprint == self.opened.fingerprint


def fetch(client: Client, target: Target, now: Callable[[], str], interest: Interest) -> Fetched:
    """The snapshot of a pull request; a pull request that keeps changing is an error, not a mixture.

    Only authors, commits and files that somebody's words make interesting are looked up.
    """
    moved = ""
    for _ in range(TRIES):
        opened = open_up(client, target)
        try:
            return Fetched(snapshot=_Fetch(client, opened, interest).snapshot(now()), opened=opened)
        except MovedError as error:
            moved = str(error)
    raise GitHubError(f"#{target.number} changed {TRIES} times while it was read ({moved}); the next event tries again")


@dataclass(frozen=True, slots=True)
class _Fetch:
    """One attempt, after its first trip."""

    client: Client
    opened: Opening
    interest: Interest

    def snapshot(self, taken_at: str) -> Snapshot:
        threads = self.opened.threads()
        second = self.client.together(self._second_trip(threads))
        listed = [self._listed(thread, index, second) for index, thread in enumerate(threads)]
        third = self.client.together(self._third_trip(listed, second))
        told = by_id(_of("details", third))
        fourth = self.client.together(_keyed("history", history_tasks(self.client, told.values())))
        versions = by_id((*_of("history", second), *_of("history", fourth)))
        return self._assembled(taken_at, [item.assembled(told, versions) for item in listed], {**second, **third})

    def _second_trip(self, threads: list[Thread]) -> dict[Hashable, Task]:
        client, opened = self.client, self.opened
        first = [node for thread in threads for node in thread.first]
        tasks: dict[Hashable, Task] = {
            "log": partial(ref_log, client, pull_request_of(opened, [])),
            "events": partial(connections.pull_events, client, opened.pull),
            "contexts": partial(connections.contexts, client, opened.commit),
        }
        for index, thread in enumerate(threads):
            pages = thread.pages(client)
            tasks |= _keyed(("page", index), pages[1:] if index == 0 else pages)
        tasks |= _keyed("files", self._file_pages())
        tasks |= _keyed("issue", [partial(connections.issue_events, client, node) for node in opened.own_issues])
        tasks |= _keyed("history", history_tasks(client, first))
        tasks |= self._evidence(node["body"] for node in first)
        return tasks | self._people(nodes.actor(node["author"]) for node in first if self._worth_reading(node))

    def _listed(self, thread: Thread, index: int, second: Results) -> Listed:
        pages = _of(("page", index), second)
        return thread.listed([self.opened.comments, *pages] if index == 0 else pages)

    def _third_trip(self, listed: list[Listed], second: Results) -> dict[Hashable, Task]:
        late = [item for thread in listed for item in thread.late()]
        log: RefLog = second["log"]
        words = [
            *(_said(node) for thread in listed for node in thread.thread.first if self._worth_reading(node)),
            *(_said_by_rest(item) for item in late),
        ]
        opened_head = self.opened.pull["headRefOid"]
        heads = judged_heads(log, opened_head, words)
        return {
            **_keyed("details", detail_tasks(self.client, [item["node_id"] for item in late])),
            **{("content", head): partial(self._compared, head) for head in heads},
            **{("record", head): partial(self._statuses, head) for head in older_heads(log, opened_head)},
            **self._evidence(item["body"] or "" for item in late),
            **self._people(nodes.rest_actor(item["user"]) for item in late if self._worth_asking(item, second)),
        }

    def _worth_reading(self, node: JSON) -> bool:
        """Whether a comment carries a signal, or may have carried one before it was edited."""
        return node["lastEditedAt"] is not None or self.interest.carries(node["body"])

    def _worth_asking(self, item: JSON, known: Results) -> bool:
        """Whether the author of a comment that REST told of must be looked up."""
        if ("person", (item["user"] or {}).get("id")) in known:
            return False
        return item.get("updated_at") != item.get("created_at") or self.interest.carries(item["body"] or "")

    def _evidence(self, texts: Iterable[str]) -> dict[Hashable, Task]:
        paths = dict.fromkeys(path for text in texts for path in self.interest.evidence(text))
        return {("evidence", path): partial(self._evidence_file, path) for path in list(paths)[:MOST_EVIDENCE]}

    def _evidence_file(self, path: str) -> EvidenceFile:
        head = self.opened.pull["headRefOid"]
        answer = self.client.find(f"{self.opened.target.root}/contents/{quote(path)}", ref=head)
        return EvidenceFile(
            commit=head, path=path, lines=None if isinstance(answer, Missing) else line_count(answer.value)
        )

    def _people(self, accounts: Iterable[Actor | None]) -> dict[Hashable, Task]:
        found = lookups(self.client, self.opened.target.repository, accounts)
        return {("person", identity): lookup for identity, lookup in found.items()}

    def _file_pages(self) -> list[Task]:
        count = min(self.opened.pull["changedFiles"], MOST_FILES)
        path = f"{self.opened.target.root}/pulls/{self.opened.target.number}/files"
        pages = range(2, -(-count // PAGE) + 1)
        return [partial(self.client.get, path, per_page=PAGE, page=page) for page in pages]

    def _compared(self, head: str) -> Content:
        base = self.opened.pull["baseRefOid"]
        answer = self.client.find(f"{self.opened.target.root}/compare/{base}...{head}", per_page=PAGE)
        return Content(commit=head, digest=None if isinstance(answer, Missing) else compared_digest(answer.value))

    def _statuses(self, head: str) -> list[tuple[str, CommitStatus]]:
        """The statuses of an older head, for what is on record there."""
        answer = self.client.find(f"{self.opened.target.root}/commits/{head}/status", per_page=PAGE)
        found = [] if isinstance(answer, Missing) else answer.value["statuses"]
        return [(head, nodes.rest_status(status)) for status in found]

    def _files(self, results: Results) -> ChangedFiles:
        pages = [self.opened.files, *_of("files", results)]
        entries = [changed_file(entry) for page in pages if isinstance(page, list) for entry in page]
        expected = self.opened.pull["changedFiles"]
        if len({entry.path for entry in entries}) != min(expected, MOST_FILES):
            raise MovedError(f"{len(entries)} changed files read, {expected} expected")
        return ChangedFiles(complete=expected <= MOST_FILES, entries=tuple(entries))

    def _assembled(self, taken_at: str, words: list[tuple[Comment, ...]], results: Results) -> Snapshot:
        opened, files = self.opened, self._files(results)
        events = list(_of("issue", results))
        issues = [issue_of(node, events[index], words[index + 2]) for index, node in enumerate(opened.own_issues)]
        foreign = [issue_of(node, [], ()) for node in opened.issues if node not in opened.own_issues]
        people: Iterator[Person] = (found for found in _of("person", results) if found is not None)
        statuses = nodes.statuses(results["contexts"])
        older = [item for found in _of("record", results) for item in found]
        digest = content_digest(files.entries) if files.complete else None
        head = Content(commit=opened.pull["headRefOid"], digest=digest)
        return Snapshot(
            snapshot=FORMAT,
            taken_at=taken_at,
            repository=repository_of(opened),
            pull_request=pull_request_of(opened, results["events"]),
            policy=policy_of(opened),
            people=tuple(sorted(people, key=lambda person: person.id)),
            comments=words[0],
            reviews=words[1],
            deleted_comments=nodes.deleted_comments(results["events"]),
            issues=(*issues, *foreign),
            ref_log=results["log"],
            contents=(head, *sorted(_of("content", results), key=lambda content: content.commit)),
            files=files,
            checks=nodes.check_runs(results["contexts"]),
            statuses=statuses,
            siblings=siblings_of(opened),
            record=read_record((*((head.commit, item) for item in statuses), *older)),
            evidence_files=tuple(sorted(_of("evidence", results), key=lambda file: file.path)),
        )


def _keyed(name: Hashable, tasks: list[Task]) -> dict[Hashable, Task]:
    return {(name, number): task for number, task in enumerate(tasks)}


def _of(name: Hashable, results: Mapping[Hashable, V]) -> list[V]:
    """The results of tasks of one name, in the order in which they were given."""
    return [value for key, value in results.items() if isinstance(key, tuple) and key[0] == name]


def _said(node: JSON) -> tuple[str, list[str]]:
    times = (node["createdAt"], node.get("submittedAt"), node["lastEditedAt"])
    return node["body"], [at for at in times if at is not None]


def _said_by_rest(item: JSON) -> tuple[str, list[str]]:
    times = (item.get("created_at"), item.get("submitted_at"), item.get("updated_at"))
    return item["body"] or "", [at for at in times if at is not None]
