"""The parts of a pull request: everything read after the first trip, what each part needs, and its questions."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import cached_property, partial
from typing import Any
from urllib.parse import quote

from phasegate.github.client.answers import Task
from phasegate.github.client.client import Client
from phasegate.github.reading import conversation, moves, nodes, people
from phasegate.github.reading.conversation import Said, Thread, every_event, history_questions, mode_questions
from phasegate.github.reading.files import BranchFiles
from phasegate.github.reading.fingerprint import THREADS, Look, check_tasks, may_be_last
from phasegate.github.reading.folders import base_links
from phasegate.github.reading.moves import RecordFound
from phasegate.github.reading.nodes import actor, changed_file, happened
from phasegate.github.reading.opening import Opening, open_ones, pull_request_of
from phasegate.github.reading.people import Links
from phasegate.github.reading.queries import PAGE
from phasegate.github.reading.threads import NO_THREADS, Threads, read_threads
from phasegate.github.reading.waves import Part, Question, Reads
from phasegate.github.record import is_record
from phasegate.model.contexts import context_in
from phasegate.model.frozen import replace
from phasegate.model.plan import ReadingPlan
from phasegate.model.snapshot import REMOVED, BaseChange, ChangedFile, CitedFile, InstructionLink, RefLog
from phasegate.model.texts import Actor, DeletedComment
from phasegate.reading.globs import any_among

MOST_FILES = 3000
MOST_KEPT = 10  # older heads to compare with a former base
AGAIN = "again"
JSON = dict[str, Any]


class Reading:
    """The reading of a pull request after its first trip. ``results`` holds the answers by key."""

    def __init__(self, client: Client, opened: Opening, plan: ReadingPlan, files: BranchFiles) -> None:
        self.client, self.opened, self.plan, self.files = client, opened, plan, files
        self.threads = opened.threads()
        self.head: str = opened.pull["headRefOid"]
        self.first: list[JSON] = [node for thread in self.threads for node in thread.first]
        self.results: dict[Hashable, Any] = {}

    def named(self, name: Hashable) -> dict[Hashable, Any]:
        """The results of one name, by the rest of their keys, in the order of asking."""
        return {key[1]: found for key, found in self.results.items() if isinstance(key, tuple) and key[0] == name}

    def of(self, name: Hashable) -> list[Any]:
        """The results of one name."""
        return list(self.named(name).values())

    def merged(self, *names: Hashable) -> dict[Any, Any]:
        """The results of some names, merged by their inner keys."""
        return {key: told for name in names for found in self.of(name) for key, told in found.items()}

    @cached_property
    def listed(self) -> list[Thread]:
        """Each thread with all its items from REST."""
        pages = [self.of(("page", index)) for index in range(len(self.threads))]
        pages[0] = [self.opened.comments, *pages[0]]
        return [thread.listed(each) for thread, each in zip(self.threads, pages, strict=True)]

    @property
    def late(self) -> list[JSON]:
        """The comments beyond the first pages, from REST."""
        return [item for thread in self.listed for item in thread.late()]

    @property
    def details(self) -> dict[str, JSON]:
        """The details of these from GraphQL, by node id."""
        return self.merged("details")

    @property
    def late_reviews(self) -> list[JSON]:
        """The reviews among these."""
        reviews = {item["node_id"] for item in self.listed[1].late()}
        return [node for node in self.details.values() if node["id"] in reviews]

    @property
    def edited_late(self) -> list[JSON]:
        """The edited ones among these."""
        return [node for node in self.details.values() if node["lastEditedAt"] is not None]

    @property
    def versions(self) -> dict[str, JSON]:
        """The known versions of edited texts, by node id."""
        return self.merged("history", "late")

    @property
    def events(self) -> list[list[JSON]]:
        """The timeline of the pull request, then those of its own issues."""
        return [self.results["events"], *self.of("issue")]

    @property
    def links(self) -> Links:
        """When issues were linked and unlinked."""
        return Links.of(self.opened, self.results["events"], self.versions)

    @property
    def review_threads(self) -> Threads:
        """The review threads, if read."""
        found: Threads = self.results.get(THREADS, NO_THREADS)
        return found

    @property
    def deleted(self) -> list[DeletedComment]:
        """Deleted comments that the head's own statuses do not cover."""
        gone = (each for events in self.events for each in happened(events, nodes.DELETED_COMMENTS))
        return moves.uncovered(self.client, self.opened, gone)

    @property
    def file_lists(self) -> list[list[JSON]]:
        """The pages of the list of changed files."""
        return [self.opened.files, *self.of("files")]

    def miscounted(self) -> bool:
        """True if the number of changed files differs from GitHub's count, which lags behind after a push."""
        paths = {entry["filename"] for page in self.file_lists for entry in page}
        return len(paths) != min(int(self.opened.pull["changedFiles"]), MOST_FILES)

    def pages(self) -> Reads:
        """The pages of comments missing from the first trip."""
        pages = (thread.pages(self.client, 1 if index else 2) for index, thread in enumerate(self.threads))
        return {key: task for index, each in enumerate(pages) for key, task in _keyed(("page", index), each).items()}

    def file_pages(self) -> Reads:
        """The pages of changed files beyond the first."""
        count = min(self.opened.pull["changedFiles"], MOST_FILES)
        path = f"{self.opened.target.root}/pulls/{self.opened.target.number}/files"
        pages = range(2, -(-count // PAGE) + 1)
        return _keyed("files", [partial(self.client.page, path, per_page=PAGE, page=page) for page in pages])

    def steering(self) -> Reads:
        """Targets of the base's links at paths with instructions for agents, where that may matter.

        That is so if somebody judged or nobody has to, and no changed file is itself an instruction.
        """
        plan, told = self.plan, self.threads[:2]
        judged = plan.evidence or plan.runs_of or any(len(thread.first) < thread.total for thread in told)
        if not (judged or plan.exempts or self._heard(Said.of(node) for thread in told for node in thread.first)):
            return {}
        if not plan.steering or any_among((entry["filename"].casefold() for entry in self.opened.files), plan.steering):
            return {}
        return {("steering", 0): self._base_links}

    def _base_links(self) -> tuple[InstructionLink, ...] | None:
        """The same. A sweep reads it once for all pull requests towards one commit."""
        commit, kept = self.opened.pull["baseRefOid"], self.client.known.kept
        if (key := f"links of {commit}") not in kept:
            kept[key] = base_links(self.client, self.opened.target.repository, commit, self.plan.steering)
        found: tuple[InstructionLink, ...] | None = kept[key]
        return found

    def approvals(self) -> Reads:
        """Approvals by runs, if the policy names their workflow."""
        place, since = self.plan.approvals, self.opened.pull["createdAt"]
        if place is None:
            return {}
        return {("approvals", 0): partial(people.dispatch_approvals, self.client, self.opened.target, place, since)}

    def early_look(self) -> Reads:
        """The look, if the second trip is probably the last."""
        early = not self.plan.runs_of and not self.plan.threads and may_be_last(self.opened)
        return self._again([]) if early else {}

    def look(self, wave: Reads) -> Reads:
        """The look, with the last trip that reads comments; the second trip may have done it already."""
        return self._again(self.late_reviews) if wave else {}

    def _again(self, late: list[JSON]) -> Reads:
        reads = Look.of(self.opened, self.plan, late, self.results.get(THREADS)).reads(self.client)
        return {(AGAIN, key): each for key, each in reads.items()}

    def people(self, accounts: Iterable[Actor | None]) -> Reads:
        """Some accounts' permissions, as far as unknown."""
        found = people.lookups(self.client, self.opened.target.repository, accounts)
        known = self.results
        return {("person", who): lookup for who, lookup in found.items() if ("person", who) not in known}

    def _heard(self, said: Iterable[Said]) -> list[Actor | None]:
        """Authors whose texts may count: by their content, or by the state of a review that is a human's act."""
        plan = self.plan
        return [each.author for each in said if each.may_carry(plan.carries) or (plan.reviews and each.acts)]

    def first_people(self) -> Reads:
        """Everybody who spoke or acted, as known from the first trip."""
        return self.people((*self._heard(map(Said.of, self.first)), *people.acted(self.opened)))

    def late_people(self) -> Reads:
        """Everybody who spoke beyond the first pages, acted later, pushed, or approved by a run."""
        found = [
            *self._heard(map(Said.by_rest, self.late)),
            *self.files.pushers(self.results),
            *(each.approved_by for found in self.of("approvals") for each in found),
            *people.tidied(self.events[1:], self.events[0]),
            *(each.author for each in self.deleted),
            *self.review_threads.people(self.plan),
        ]
        return self.people(found)

    def judged(self) -> tuple[str, ...]:
        """Older heads whose contents matter, by the known texts."""
        log, plan = self.results["log"], self.plan
        taken = pull_request_of(self.opened, self.results["events"]).head_moves(log.moves)
        judged = moves.judged_heads(
            taken, self.head, conversation.said_of_heads(self.listed[:2], self.versions, plan, self.results)
        )
        spoke = conversation.speakers(self.listed, plan.carries) - {actor(self.opened.pull["author"])}
        accounts = frozenset(each.id for each in spoke if each is not None and each.id is not None) | plan.exempt
        return self.files.compared((*judged, *moves.pushed_heads(log, self.head, accounts)), log)

    def contents(self) -> Reads:
        """Questions for the contents of older heads. Modes matter only if there is something to compare."""
        older = tuple(head for head in self.judged() if ("content", head) not in self.results)
        listed = (changed_file(entry) for page in self.file_lists for entry in page)
        paths = [file.path for file in listed if file.status != REMOVED]
        few, asked = older and len(paths) < nodes.MOST_COMPARED, len(self.of("modes"))
        known = dict.fromkeys((*paths, *self.files.named(self.results))) if few else {}
        own = [(self.head, path) for path in paths] if few and not asked else []
        places = [*own, *((head, path) for head in older for path in known)]
        modes = mode_questions(self.opened.target.repository, places)
        return {
            **{("content", head): partial(self._compared, head, frozenset(known)) for head in older},
            **{("modes", number): each for number, each in enumerate(modes, start=asked)},
        }

    def _compared(self, head: str, known: frozenset[str]) -> nodes.Compared:
        """The files of an older head, and the modes of evidence not requested anyway."""
        files = self._files_of(head, self.opened.pull["baseRefOid"])
        paths = [file.path for file in files or () if file.status != REMOVED and file.path not in known]
        named = [(head, path) for path in paths if self.plan.reads(path)]
        questions = mode_questions(self.opened.target.repository, named)
        modes = {place: mode for question in questions for place, mode in question.alone(self.client).items()}
        return nodes.Compared(head=head, files=files, modes=modes)

    def _files_of(self, head: str, base: str) -> tuple[ChangedFile, ...] | None:
        """The files that a commit changes, by comparison, or None if GitHub may have left some out."""
        path, kept = f"{self.opened.target.root}/compare/{base}...{head}", self.client.known.kept
        if kept.get(path) is None:
            kept[path] = nodes.compared_files(self.client.find(path, per_page=1))
        found: tuple[ChangedFile, ...] | None = kept[path]
        return found

    def pinned(self) -> Reads:
        """A comparison of the head, if the list of changed files does not itself name the head.

        GitHub's machines learn of a push at different times, so the list may still be the previous head's.
        """
        pages = self.file_lists
        doubtful = not any(pages) or nodes.unpinned(pages, self.head) or self.miscounted()
        return {("pinned", 0): partial(self._files_of, self.head, self.opened.pull["baseRefOid"])} if doubtful else {}

    @property
    def base_changes(self) -> tuple[BaseChange, ...]:
        """Changes of the base, each with the heads whose content they leave alone."""
        changes = happened(self.results["events"], nodes.BASE_CHANGES)
        return tuple(replace(each, keeps=self.results.get(("keeps", each), ())) for each in changes)

    def kept(self) -> Reads:
        """For each change of the base after a word: judged heads whose content is the same for another base."""
        words = conversation.said_of_heads(self.listed[:2], self.versions, self.plan, self.results)
        times = [at for _, written in words for at in written]
        times += [move.at for move in self.results["log"].moves] if self.plan.evidence else []
        changes = (each for each in self.base_changes if any(at <= each.at for at in times))
        heads = (self.head, *self.judged()[-MOST_KEPT:])
        return {("keeps", each): partial(self._keeps, each, heads) for each in changes}

    def _keeps(self, change: BaseChange, heads: tuple[str, ...]) -> tuple[str, ...]:
        """Heads with the same content for the present base as for the former one, if that is in its history."""
        root, present = self.opened.target.root, self.opened.pull["baseRefOid"]
        since = self.opened.pull["createdAt"]
        former = moves.former_base(self.client, self.opened.target.repository, change, since)
        if former is None or not moves.contains(self.client, root, present, former):
            return ()
        pairs = [(head, base) for head in heads for base in (former, present)]
        told = self.client.together({pair: partial(self._files_of, *pair) for pair in pairs})
        return tuple(head for head in heads if moves.same_files(told[head, former], told[head, present]))

    def own_record(self) -> Reads:
        """Every status of the head, if it may hold the record or show when the gate first saw it."""
        told = conversation.contexts(self.opened.commit)
        here = [each["context"] for each in told if context_in(each["context"])]
        if not here or not (self.deleted or not self.results["log"].complete or any(map(is_record, here))):
            return {}
        repository = self.opened.target.repository
        return {("own record", 0): partial(moves.record_on, self.client, repository, self.head, here)}

    @property
    def _alone(self) -> bool:
        log: RefLog = self.results["log"]
        return log.complete and all(move.after == self.head for move in log.moves)

    def _past(self) -> moves.Past:
        log, events = self.results["log"], self.results["events"]
        return moves.past_heads(self.client, self.opened.pull, self.opened.target.repository, log, events)

    def statuses(self) -> Reads:
        """The statuses on the last older heads, if these are known without a request."""
        known = self.results["log"].complete and not self._alone
        heads = list(self._past().heads)[: moves.HEADS_AT_ONCE] if known else []
        return _keyed("statuses", [moves.status_question(self.opened.target.repository, heads)] if heads else [])

    def record(self) -> Reads:
        """The record on older heads."""
        return {} if self._alone else {("record", 0): self._older_record}

    def _older_record(self) -> RecordFound:
        told = self.merged("statuses")
        found = moves.last_record(self.client, self.opened.target, self._past(), self.opened.own_account, told)
        found = moves.with_first(self.client, self.opened, found, self.deleted)
        return replace(found, green=moves.left_green(self.client, self.opened, found.green, self.results["open"]))

    def cited(self) -> Reads:
        """The files that texts cite as proof."""
        paths = conversation.cited_paths(self.listed, self.plan, self.results)
        return {("cited", path): partial(self._cited_file, path) for path in paths}

    def _cited_file(self, path: str) -> CitedFile:
        answer = self.client.find_any(f"{self.opened.target.root}/contents/{quote(path)}", ref=self.head)
        return CitedFile(commit=self.head, path=path, lines=nodes.line_count(answer))


def _keyed(name: Hashable, reads: Iterable[Task | Question]) -> Reads:
    return {(name, number): each for number, each in enumerate(reads)}


EVENTS = ("events", "issue events")
# What is read, by what it needs; all that is ready is one trip. What is asked together with what comes later needs the
# log, too, which is always read. A new list is a row here, and in the fingerprint.
PARTS: tuple[Part[Reading], ...] = (
    ("log", (), lambda f, _: {"log": partial(moves.ref_log, f.client, pull_request_of(f.opened, []))}),
    ("events", (), lambda f, _: {
        "events": partial(every_event, f.client, "MorePullEvents", f.opened.pull, f.opened.page)
    }),
    ("issue events", (), lambda f, _: _keyed(
        "issue", [partial(every_event, f.client, "MoreIssueEvents", own, f.opened.page) for own in f.opened.own_issues]
    )),
    ("open", (), lambda f, _: {"open": partial(open_ones, f.client, f.opened)}),
    ("pages", (), lambda f, _: f.pages()),
    ("files", (), lambda f, _: f.file_pages()),
    ("description", (), lambda f, _: _keyed(
        "history", history_questions([*f.first, f.opened.pull] if f.opened.pull["lastEditedAt"] is not None else [])
    )),
    ("approvals", (), lambda f, _: f.approvals()),
    ("evidence listing", (), lambda f, _: f.files.listing()),
    ("steering", (), lambda f, _: f.steering()),
    ("checks", (), lambda f, _: check_tasks(f.client, f.opened.target.root, f.head, f.plan.runs_of)),
    ("teams", (), lambda f, _: people.team_lookups(f.client, f.plan.teams)),
    ("threads", (), lambda f, _: {THREADS: partial(read_threads, f.client, f.opened.target)} if f.plan.threads else {}),
    ("first people", (), lambda f, _: f.first_people()),
    ("early look", (), lambda f, _: f.early_look()),
    ("former issues", (*EVENTS, "description"), lambda f, _: f.links.former_tasks(f.client, f.opened)),
    ("details", ("pages",), lambda f, _: _keyed(
        "details", conversation.detail_questions([item["node_id"] for item in f.late])
    )),
    ("history", ("log", "pages", "description"), lambda f, _: _keyed(
        "history", [] if f.of("history") else history_questions(f.first)
    )),
    ("contents", ("log", "events", "pages", "files", "first people", "evidence listing"), lambda f, _: f.contents()),
    ("kept", ("contents",), lambda f, _: f.kept()),
    ("evidence", ("log", "files", "evidence listing"), lambda f, _: f.files.reading(f.results)),
    ("evidence lost", ("evidence",), lambda f, _: f.files.lost(f.results)),
    ("thread files", ("log", "threads"), lambda f, _: _keyed(
        "blobs", f.review_threads.questions(f.opened.target, f.plan, f.results["log"].moves)
    )),
    ("late people", ("log", *EVENTS, "pages", "approvals", "threads", "first people"), lambda f, _: f.late_people()),
    ("link people", ("former issues", "first people"), lambda f, _: f.people(f.links.changers(f.results))),
    ("pinned", ("files",), lambda f, _: f.pinned()),
    ("own record", ("log", *EVENTS), lambda f, _: f.own_record()),
    ("statuses", ("log", "events"), lambda f, _: f.statuses()),
    ("cited", ("pages", "first people"), lambda f, _: f.cited()),
    ("late history", ("details",), lambda f, _: _keyed("late", history_questions(f.edited_late))),
    ("late editors", ("details", "late people"), lambda f, _: f.people(
        actor(node["author"]) for node in f.edited_late
    )),
    ("record", ("statuses", "open"), lambda f, _: f.record()),
    ("contents before", ("history", "contents"), lambda f, _: f.contents()),
    ("evidence gone", ("contents before",), lambda f, _: f.files.missed(f.results)),
    ("look", ("log", "threads", "details"), lambda f, wave: f.look(wave)),
)  # fmt: skip
