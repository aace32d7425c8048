"""Fetching: everything about one pull request, complete or an error, in few trips one after the other.

1. the pull request with its issues and first comments, the first page of comments and files by REST;
2. what that named: further pages, the log of the branch, permissions, edited comments, the list of evidence folders;
3. what those named: comments beyond the first hundred in detail, contents of older heads, evidence folders;
4. the histories of those, only where there are more than a hundred.

The last trip also looks, with one question, whether all still is as it was: if it is not, everything is read anew.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar
from urllib.parse import quote

from phasegate.github.client.answers import (
    LATER,
    CutShortError,
    GitHubError,
    MissingError,
    MovedError,
    Task,
    as_documented,
)
from phasegate.github.client.client import Client
from phasegate.github.reading import conversation, nodes
from phasegate.github.reading.conversation import (
    Asker,
    Joint,
    Listed,
    Thread,
    by_id,
    cited_paths,
    contexts,
    detail_tasks,
    history_tasks,
    may_carry,
    mode_tasks,
    said_of_heads,
    speakers,
    worth_reading,
)
from phasegate.github.reading.files import BranchFiles, with_queue
from phasegate.github.reading.look import LOOK, Sight, View, at_once, check_tasks, early_look, look_again, told_checks
from phasegate.github.reading.moves import (
    RecordFound,
    judged_heads,
    last_record,
    left_green,
    life_of,
    past_heads,
    pushed_heads,
    record_on,
    ref_log,
    uncovered,
    whole_record,
    with_first,
)
from phasegate.github.reading.nodes import (
    MOST_COMPARED,
    Compared,
    changed_file,
    compared_content,
    compared_files,
    line_count,
    unpinned,
)
from phasegate.github.reading.opening import (
    Opening,
    Target,
    Trip,
    issue_of,
    open_ones,
    opening_of,
    policy_of,
    pull_request_of,
    repository_of,
    set_out,
    siblings_of,
    with_schemas,
)
from phasegate.github.reading.people import (
    FORMER,
    Links,
    deleted_from,
    dispatch_approvals,
    lookups,
    team_lookups,
    tidied,
)
from phasegate.github.reading.queries import PAGE
from phasegate.github.record import Life, is_record
from phasegate.model.contexts import context_in
from phasegate.model.frozen import replace
from phasegate.model.plan import ReadingPlan
from phasegate.model.snapshot import (
    FORMAT,
    REMOVED,
    ChangedFile,
    ChangedFiles,
    CitedFile,
    Content,
    PolicyFile,
    Snapshot,
)
from phasegate.model.texts import Actor, Comment, DeletedComment, Person

TRIES = 3
# What moved may still be moving, or not all of GitHub's machines know of it yet.
BETWEEN_TRIES = (1.0, 2.0)
MOST_FILES = 3000
JSON = dict[str, Any]
Results = dict[Hashable, Any]
V = TypeVar("V")


@dataclass(frozen=True, kw_only=True, slots=True)
class Fetched:
    """A snapshot, what the pull request looked like, and whether it was seen to look so still after it was read.

    ``left``: the commits that are the head no more and still have a success, each with its context.
    ``plan``: by what it was read.
    """

    snapshot: Snapshot
    plan: ReadingPlan
    sight: Sight
    looked: bool
    life: Life
    left: tuple[tuple[str, str], ...] = ()


Looks = Callable[[Client, Sight], bool]


def fetch(  # noqa: PLR0913, PLR0917  (what to read, and what the caller lends)
    client: Client,
    target: Target,
    now: Callable[[], str],
    plan: Callable[[PolicyFile], ReadingPlan],
    trip: Trip | None = None,
    noticed: Callable[[str], object] = str,
    looks: Looks = at_once,
) -> Fetched:
    """The snapshot of a pull request; a pull request that keeps changing is an error, not a mixture.

    Only authors, commits and files that somebody's words make interesting are looked up. ``trip``: the first one, if
    it is under way already. ``noticed`` is told each head as soon as it is known. ``looks``: when to look again.
    """
    moved = ""
    for attempt in range(TRIES):
        if attempt:
            client.pause(BETWEEN_TRIES[attempt - 1], "waiting until the pull request stays as it is")
        with as_documented(f"{target.repository}#{target.number}"):
            begun = trip or set_out(client, target)
            trip = None
            try:
                opened = opening_of(target, begun.results())
            finally:
                if "main" in begun.so_far:
                    noticed(begun.so_far["main"][0]["pullRequest"]["headRefOid"])
            try:
                policy = policy_of(opened)
                wanted = plan(policy)
                if wanted.schemas:
                    policy = with_schemas(client, opened, policy, wanted.schemas)
                    wanted = plan(policy)
                wanted = replace(wanted, issues=tuple(issue["number"] for issue in opened.own_issues))
                files = BranchFiles.of(client, opened, wanted)
                return _Fetch(client, opened, wanted, files, policy).fetched(now(), looks)
            except (CutShortError, MissingError, MovedError) as error:
                moved = str(error)
    raise GitHubError(f"#{target.number} changed {TRIES} times while it was read ({moved}). {LATER}")


@dataclass(frozen=True, slots=True)
class _Fetch:
    """One attempt, after its first trip."""

    client: Client
    opened: Opening
    plan: ReadingPlan
    files: BranchFiles
    policy: PolicyFile

    def fetched(self, taken_at: str, looks: Looks) -> Fetched:
        threads = self.opened.threads()
        early = {} if self._check_runs() else early_look(self.client, self.opened, threads)
        second = self.client.together(self._second_trip(threads) | early)
        if former := self._links(second).former_tasks(self.client, self.opened):
            second |= self.client.together(former)
            second.pop(LOOK, None)
        listed = [self._listed(thread, index, second) for index, thread in enumerate(threads)]
        joint = Joint(self.client)
        third, fourth, sight = self._last_trips(joint, self._third_trip(joint, listed, second), listed, second)
        if looked := LOOK in fourth:
            look_again(self.client, sight, fourth)
        looked = looked or looks(self.client, sight)
        third |= self.client.together(self._judged_before(listed, second, third))
        told = by_id(_of("details", third))
        versions = by_id(found for trip in (second, third, fourth) for found in _of("history", trip))
        words = [item.assembled(told, versions, self.plan.carries) for item in listed]
        gone = self.client.together(missed) if (missed := self.files.missed(second, third)) else {}
        life = life_of(self.client, self.opened, taken_at)
        told_all = self._assembled(taken_at, words, {**fourth, **second, **third, **gone}, life)
        snapshot = with_queue(self.client, told_all, self.opened.target.group, self.plan.leaves_out)
        left = third.get(("record", 0), RecordFound()).green
        return Fetched(snapshot=snapshot, plan=self.plan, sight=sight, looked=looked, left=left, life=life)

    def _last_trips(
        self, joint: Joint, tasks: dict[Hashable, Task], listed: list[Listed], second: Results
    ) -> tuple[Results, Results, Sight]:
        """The third trip and the fourth, which are one where no comments are left to look up; and what was seen.

        Where nothing more is to be read, there is none, and the second one may have looked already.
        """
        view = View(
            opened=self.opened,
            listed=second["open"],
            beyond=[item.beyond() for item in listed],
            events=[second["events"], *_of("issue", second)],
            tied=bool(self.policy.schemas),
        )
        if not any(isinstance(key, tuple) and key[0] == "details" for key in tasks):
            sight = Sight.of(view, [], self.plan, second)
            if not tasks:
                return {}, {LOOK: second[LOOK]} if LOOK in second else {}, sight
            looks = sight.tasks(self.client, joint)
            joint.foresee(task for key, task in {**looks, **tasks}.items() if self._joins(key, second))
            results = self.client.together({**tasks, **looks})
            return results, results, sight
        joint.foresee(task for key, task in tasks.items() if self._joins(key, second))
        third = self.client.together(tasks)
        reviews = {item["node_id"] for item in listed[1].late()}
        late = [node for node in by_id(_of("details", third)).values() if node["id"] in reviews]
        sight = Sight.of(view, late, self.plan, second)
        told = by_id(_of("details", third)).values()
        edited = [node for node in told if node["lastEditedAt"] is not None]
        unknown = (nodes.actor(node["author"]) for node in edited)
        people = {key: task for key, task in self._people(unknown).items() if key not in third}
        history = _keyed("history", history_tasks(self.client, edited))
        tasks = {**history, **people}
        return third, self.client.together({**tasks, **sight.tasks(self.client)}) if tasks else {}, sight

    def _second_trip(self, threads: list[Thread]) -> dict[Hashable, Task]:
        client, opened = self.client, self.opened
        first = [node for thread in threads for node in thread.first]
        tasks: dict[Hashable, Task] = {
            "log": partial(ref_log, client, pull_request_of(opened, [])),
            "events": partial(conversation.pull_events, client, opened.pull, opened.page),
            "open": partial(open_ones, client, opened),
        }
        for index, thread in enumerate(threads):
            tasks |= _keyed(("page", index), thread.pages(client, first=2 if index == 0 else 1))
        tasks |= _keyed("files", self._file_pages())
        tasks |= _keyed(
            "issue", [partial(conversation.issue_events, client, node, opened.page) for node in opened.own_issues]
        )
        if opened.pull["lastEditedAt"] is not None:
            tasks |= _keyed("history", history_tasks(client, (*first, opened.pull)))
        tasks |= self._approvals() | self.files.listing() | self._check_runs()
        tasks |= {("team", slug): task for slug, task in team_lookups(client, self.plan.teams).items()}
        tasks |= self._people(deleted_from(node["timelineItems"]["nodes"] for node in opened.own_issues))
        return tasks | self._people(
            nodes.actor(node["author"]) for node in first if worth_reading(node, self.plan.carries)
        )

    def _check_runs(self) -> dict[Hashable, Task]:
        head = self.opened.pull["headRefOid"]
        return check_tasks(self.client, self.opened.target.root, head, self.plan.runs_of)

    def _listed(self, thread: Thread, index: int, second: Results) -> Listed:
        pages = _of(("page", index), second)
        return thread.listed([self.opened.comments, *pages] if index == 0 else pages)

    def _third_trip(self, joint: Joint, listed: list[Listed], second: Results) -> dict[Hashable, Task]:
        late = [item for thread in listed for item in thread.late()]
        heads = self._judged(listed, second, second)
        gone = (each for told in (second["events"], *_of("issue", second)) for each in nodes.deleted_comments(told))
        deleted = uncovered(self.client, self.opened, gone)
        tidy = self._people((*tidied(_of("issue", second), second["events"]), *(each.author for each in deleted)))
        first = [] if _of("history", second) else [node for thread in listed for node in thread.thread.first]
        return {
            **_keyed("details", detail_tasks(self.client, [item["node_id"] for item in late])),
            **_keyed("history", history_tasks(joint, first)),
            **self._contents_of(heads, second, joint),
            **self.files.reading(second),
            **self._people(self.files.pushers(second)),
            **self._people(who for who in self._links(second).changers(second) if ("person", who.id) not in second),
            **self._pinned(second),
            **self._records(second, joint, deleted),
            **{("cited", each): partial(self._cited_file, each) for each in cited_paths(listed, self.plan, second)},
            **self._people(nodes.rest_actor(item["user"]) for item in late if self._worth_asking(item, second)),
            **self._people(each.approved_by for found in _of("approvals", second) for each in found),
            **{key: task for key, task in tidy.items() if key not in second},
        }

    def _judged(self, listed: list[Listed], second: Results, told: Results) -> tuple[str, ...]:
        """The older heads whose contents matter, by the earlier texts that are told."""
        log, head = second["log"], self.opened.pull["headRefOid"]
        taken = pull_request_of(self.opened, second["events"]).head_moves(log.moves)
        carries, versions = self.plan.carries, by_id(_of("history", told))
        judged = judged_heads(taken, head, said_of_heads(listed[:2], versions, self.plan, second))
        spoke = speakers(listed, carries) - {nodes.actor(self.opened.pull["author"])}
        accounts = frozenset(each.id for each in spoke if each is not None and each.id is not None)
        return self.files.compared((*judged, *pushed_heads(log, head, accounts)), log)

    def _judged_before(self, listed: list[Listed], second: Results, third: Results) -> dict[Hashable, Task]:
        """What tells the contents of heads that only earlier texts, which came with the third trip, are about."""
        if not _of("history", third) or _of("history", second):
            return {}
        heads = (head for head in self._judged(listed, second, third) if ("content", head) not in third)
        tasks = self._contents_of(tuple(heads), second, self.client)
        return {(*key, "late") if isinstance(key, tuple) and key in third else key: task for key, task in tasks.items()}

    @staticmethod
    def _joins(key: Hashable, second: Results) -> bool:
        """Whether a task begins with a question that can be asked together with others."""
        name = key[0] if isinstance(key, tuple) else key
        return name in (LOOK, "history", "modes") or (name == "record" and second["log"].complete)

    def _links(self, second: Results) -> Links:
        """When issues were linked and unlinked."""
        return Links.of(self.opened, second["events"], by_id(_of("history", second)))

    def _records(self, second: Results, joint: Joint, deleted: list[DeletedComment]) -> dict[Hashable, Task]:
        """What reads the record, where the head or older ones may hold it, and when the gate first saw the head."""
        log, told, head = second["log"], contexts(self.opened.commit), self.opened.pull["headRefOid"]
        alone = log.complete and all(move.after == head for move in log.moves)
        here = [each["context"] for each in told if context_in(each["context"])]
        every = bool(here) and (not log.complete or bool(deleted) or any(map(is_record, here)))
        reading = partial(record_on, self.client, self.opened.target.repository, head, told)
        tasks: dict[Hashable, Task] = {("own record", 0): reading} if every else {}
        return tasks if alone else {**tasks, ("record", 0): partial(self._older_record, second, joint, deleted)}

    def _older_record(self, second: Results, joint: Joint, deleted: list[DeletedComment]) -> RecordFound:
        """What is on record on older heads."""
        target = self.opened.target
        past = past_heads(self.client, self.opened.pull, target.repository, second["log"], second["events"])
        found = last_record(self.client, joint, target, past, self.opened.own_account)
        found = with_first(self.client, self.opened, found, deleted)
        return replace(found, green=left_green(self.client, self.opened, found.green, second["open"]))

    def _worth_asking(self, item: JSON, known: Results) -> bool:
        """Whether the author of a comment that REST told of must be looked up."""
        return ("person", (item["user"] or {}).get("id")) not in known and may_carry(item, self.plan.carries)

    def _approvals(self) -> dict[Hashable, Task]:
        place = self.plan.approvals
        if place is None:
            return {}
        since = self.opened.pull["createdAt"]
        return {("approvals", 0): partial(dispatch_approvals, self.client, self.opened.target, place, since)}

    def _cited_file(self, path: str) -> CitedFile:
        head = self.opened.pull["headRefOid"]
        answer = self.client.find_any(f"{self.opened.target.root}/contents/{quote(path)}", ref=head)
        return CitedFile(commit=head, path=path, lines=line_count(answer))

    def _people(self, accounts: Iterable[Actor | None]) -> dict[Hashable, Task]:
        found = lookups(self.client, self.opened.target.repository, accounts)
        return {("person", identity): lookup for identity, lookup in found.items()}

    def _file_pages(self) -> list[Task]:
        count = min(self.opened.pull["changedFiles"], MOST_FILES)
        path = f"{self.opened.target.root}/pulls/{self.opened.target.number}/files"
        pages = range(2, -(-count // PAGE) + 1)
        return [partial(self.client.page, path, per_page=PAGE, page=page) for page in pages]

    def _contents_of(self, older: tuple[str, ...], second: Results, asker: Asker) -> dict[Hashable, Task]:
        """What tells the contents of older heads; modes matter only where there is something to compare with."""
        listed = (changed_file(entry) for page in _pages(self.opened, second) for entry in page)
        paths = [file.path for file in listed if file.status != REMOVED]
        if not older or len(paths) >= MOST_COMPARED:
            return {("content", head): partial(self._compared, head, frozenset()) for head in older}
        known = dict.fromkeys((*paths, *self.files.named(second)))
        places = [
            *((self.opened.pull["headRefOid"], path) for path in paths),
            *((head, path) for head in older for path in known),
        ]
        return {
            **{("content", head): partial(self._compared, head, frozenset(known)) for head in older},
            **_keyed("modes", mode_tasks(asker, self.opened.target.repository, places)),
        }

    def _compared(self, head: str, known: frozenset[str]) -> Compared:
        """The files of an older head, and the modes of evidence that is not among those asked for anyway."""
        target, files = self.opened.target, self._files_of(head)
        paths = [file.path for file in files or () if file.status != REMOVED and file.path not in known]
        named = [(head, path) for path in paths if self.plan.reads(path)]
        modes: dict[tuple[str, str], tuple[str, str] | None] = {}
        for task in mode_tasks(self.client, target.repository, named):
            modes |= task()
        return Compared(head=head, files=files, modes=modes)

    def _contents(self, files: ChangedFiles, results: Results) -> tuple[Content, ...]:
        """What the head and each older head that was compared would bring in."""
        compared: list[Compared] = sorted(_of("content", results), key=lambda each: each.head)
        modes: dict[tuple[str, str], tuple[str, str] | None] = {}
        for found in (*_of("modes", results), *(each.modes for each in compared)):
            modes |= found
        head = self.opened.pull["headRefOid"]
        present = compared_content(head, files.entries if files.complete else None, modes, self.plan)
        older = (compared_content(each.head, each.files, modes, self.plan) for each in compared)
        return (Content(commit=head, digest=present.digest), *older)

    def _pinned(self, second: Results) -> dict[Hashable, Task]:
        """A comparison of the head, where the list of changed files does not say itself that it is about it.

        GitHub's machines do not all know of a push at once: the list may still be that of the head before.
        """
        head, pages = self.opened.pull["headRefOid"], _pages(self.opened, second)
        doubtful = not any(pages) or unpinned(pages, head) or self._miscounted(pages)
        return {("pinned", 0): partial(self._files_of, head)} if doubtful else {}

    def _miscounted(self, pages: list[list[JSON]]) -> bool:
        """Whether there are not as many changed files as GitHub counts, which lags behind the list after a push."""
        paths = {entry["filename"] for page in pages for entry in page}
        return len(paths) != min(int(self.opened.pull["changedFiles"]), MOST_FILES)

    def _files_of(self, head: str) -> tuple[ChangedFile, ...] | None:
        """The files that a commit changes, by comparison; none where GitHub may have left some out."""
        path = f"{self.opened.target.root}/compare/{self.opened.pull['baseRefOid']}...{head}"
        found: tuple[ChangedFile, ...] | None = self.client.known.kept.get(path)
        if found is None:
            found = compared_files(self.client.find(path, per_page=1))
            self.client.known.kept[path] = found
        return found

    def _changed_files(self, results: Results) -> ChangedFiles:
        pages = _pages(self.opened, results)
        entries = [changed_file(entry) for page in pages for entry in page]
        expected = self.opened.pull["changedFiles"]
        told = list(_of("pinned", results))
        if self._miscounted(pages) and told in ([], [None]):
            raise MovedError(f"{len(entries)} changed files read, {expected} expected")
        complete = max(expected, len(entries)) <= MOST_FILES
        for pinned in told:
            complete = complete and pinned is not None
            if pinned is not None and set(pinned) != set(entries):
                raise MovedError("the changed files were those of another head")
        return ChangedFiles(complete=complete, entries=tuple(entries))

    def _assembled(self, taken_at: str, words: list[tuple[Comment, ...]], results: Results, life: Life) -> Snapshot:
        opened, files = self.opened, self._changed_files(results)
        events = list(_of("issue", results))
        issues = [issue_of(node, events[index], words[index + 2]) for index, node in enumerate(opened.own_issues)]
        foreign = [issue_of(node, [], ()) for node in opened.issues if node not in opened.own_issues]
        people: Iterator[Person] = (found for found in _of("person", results) if found is not None)
        statuses, head = nodes.statuses(contexts(opened.commit)), opened.pull["headRefOid"]
        here = results.get(("own record", 0), [(head, each) for each in statuses])
        older = results.get(("record", 0), RecordFound())
        return Snapshot(
            snapshot=FORMAT,
            taken_at=taken_at,
            repository=repository_of(opened),
            pull_request=self._links(results).told(pull_request_of(opened, results["events"])),
            policy=self.policy,
            people=tuple(sorted(people, key=lambda person: person.id)),
            teams=tuple(_of("team", results)),
            comments=words[0],
            reviews=nodes.with_dismissals(words[1], results["events"]),
            deleted_comments=nodes.deleted_comments(results["events"]),
            issues=(*issues, *foreign),
            former_issues=tuple(each for each in _of(FORMER, results) if each is not None),
            ref_log=results["log"],
            contents=self._contents(files, results),
            files=files,
            checks=told_checks(results),
            statuses=statuses,
            siblings=siblings_of(opened, results["open"]),
            own_account=opened.own_account,
            record=whole_record(here, older, opened.own_account, head, life),
            dispatch_approvals=tuple(each for found in _of("approvals", results) for each in found),
            cited_files=tuple(sorted(_of("cited", results), key=lambda file: file.path)),
            branch_files=self.files.artifacts(results),
            branch_files_ignored=self.files.ignored(results),
            branch_files_unseen=self.files.unseen(results),
            commits=self.files.commits(results),
            commits_complete=self.files.commits_complete,
            base_in_context=opened.target.base_in_context,
        )


def _pages(opened: Opening, results: Results) -> list[list[JSON]]:
    """The pages of the list of changed files."""
    return [opened.files, *_of("files", results)]


def _keyed(name: Hashable, tasks: list[Task]) -> dict[Hashable, Task]:
    return {(name, number): task for number, task in enumerate(tasks)}


def _of(name: Hashable, results: Mapping[Hashable, V]) -> list[V]:
    """The results of tasks of one name, in the order in which they were given."""
    return [value for key, value in results.items() if isinstance(key, tuple) and key[0] == name]
