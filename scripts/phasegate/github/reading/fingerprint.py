"""The fingerprint: the state of a pull request, read in one question, and a digest of everything in it that counts.

It is compared before a success is written, when a comment may have changed nothing, and when a sweep finds a pull
request touched. Chatter makes no difference: of the comments touched since a time only those count that the policy
would read, each with its versions since then. Anything beyond the question changes the fingerprint.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from phasegate import VERSION
from phasegate.github.client.answers import MovedError, Task
from phasegate.github.client.client import Client
from phasegate.github.reading import conversation, nodes
from phasegate.github.reading.nodes import HEAD_FORCED, changed_file
from phasegate.github.reading.opening import Opening, Target
from phasegate.github.reading.queries import MOST_EDITS, PAGE, Window, look_query
from phasegate.github.reading.threads import Threads, states
from phasegate.github.reading.waves import Asked, Question, wave
from phasegate.github.record import seconds
from phasegate.model.codec import text_digest, to_data
from phasegate.model.frozen import dataclass, replace
from phasegate.model.plan import ReadingPlan
from phasegate.model.snapshot import MISPLACED_POLICIES, ChangedFile, CheckRun
from phasegate.model.texts import Actor, Comment, Edit

JSON = dict[str, Any]
Results = Mapping[Hashable, Any]
# True if a comment with these texts makes a difference.
Counts = Callable[[list[str], Actor], bool]
LOOK, CHECK_RUNS, THREADS = "look", "check runs", "threads"
# GitHub gives times in seconds, and its machines' clocks differ.
SETTLING_SECONDS = 2.0
# They may tell of a comment later than of those that came after it, but not by so much.
DISORDER = 3600


@dataclass(frozen=True, kw_only=True, slots=True)
class Looks:
    """A pull request's state as GitHub sent it, with its comments.

    ``events``: number and last one of the events of the pull request and of each of its issues. ``bodies``: true if
    texts are compared that may have changed within a second. ``threads``: the states of the review threads, if they
    count. ``sizes``: the maximum number of comments returned for each place; ``known``: since when every touched one
    was returned; ``last``: the number of comments at each place, and when the last one was touched.
    """

    repository: JSON
    commit: JSON
    plan: ReadingPlan
    events: list[list[object]]
    reviews: list[JSON]
    checks: tuple[CheckRun, ...]
    bodies: bool
    threads: list[object] | None
    sizes: Sequence[int]
    said: tuple[Comment, ...] = ()
    known: int = 0
    last: Sequence[tuple[int, str | None]] = ()

    @property
    def pull(self) -> JSON:
        """The pull request."""
        found: JSON = self.repository["pullRequest"]
        return found

    @property
    def statuses(self) -> list[str | None]:
        """The head's statuses that are named checks."""
        told = (self.commit.get("status") or {}).get("contexts", [])
        states = {each["context"].lower(): each["state"] for each in told}
        return [states.get(name.lower()) for name in self.plan.checks]

    @property
    def totals(self) -> list[int]:
        """The number of comments at each place."""
        return [place["comments"]["totalCount"] for place in places_of(self.repository)]

    @property
    def hidden(self) -> list[int]:
        """The number of comments at each place that GitHub counts but does not list."""
        return hidden_at(places_of(self.repository), self.sizes)

    @property
    def issues(self) -> int:
        """The number of linked issues."""
        found: int = self.pull["closingIssuesReferences"]["totalCount"]
        return found

    def with_checks(self, results: Results) -> Looks:
        """The same with the check runs read."""
        return replace(self, checks=told_checks(results))

    def scene(self, *beside: object) -> str:
        """The digest of everything except comments, with the last comment's time at each place."""
        return _digest([VERSION, [tell(self) for _, tell in AROUND], self.last, *beside])

    def fingerprint(self, since: int, counts: Counts, *beside: object) -> str | None:
        """The digest of everything that counts, with comments since a time; None if some were not returned."""
        if self.known > since:
            return None
        return _digest([VERSION, [tell(self) for _, tell in AROUND], sorted(words(self.said, since, counts)), *beside])


PLAIN = (
    "number",
    "title",
    "state",
    "isDraft",
    "lastEditedAt",
    "headRefName",
    "headRefOid",
    "headRepository",
    "baseRefName",
)
OF_ISSUE = ("id", "title", "state", "repository", "issueType")
# Everything except comments that can change the decision; chatter and a moving base do not.
AROUND: tuple[tuple[str, Callable[[Looks], object]], ...] = (
    ("repository", lambda v: v.repository["nameWithOwner"]),
    ("policy", lambda v: [
        v.repository["policy"] and v.repository["policy"]["oid"],
        ((v.repository.get("owner") or {}).get("shared") or {}).get("policy"),
        [v.repository[f"misplaced{number}"] for number in range(len(MISPLACED_POLICIES))],
        # schemas are read from there too
        v.repository["defaultBranchRef"] if v.plan.schemas else (v.repository["defaultBranchRef"] or {}).get("name"),
    ]),
    ("pull request", lambda v: [v.pull[name] for name in (*PLAIN, *(["body"] if v.bodies else []))]),
    ("events", lambda v: v.events),
    ("reviews", lambda v: [
        [each[name] for name in ("id", "updatedAt", "state", *(["body"] if v.bodies else []))] for each in v.reviews
    ]),
    ("every review", lambda v: v.pull["reviews"]["totalCount"]),
    ("issues", lambda v: [
        each and [*(each[name] for name in OF_ISSUE), sorted(label["name"] for label in each["labels"]["nodes"])]
        for each in v.pull["closingIssuesReferences"]["nodes"]
    ]),
    ("every issue", lambda v: v.pull["closingIssuesReferences"]["totalCount"]),
    ("siblings", lambda v: sorted(
        each["number"]
        for each in v.repository["pullRequests"]["nodes"]
        if each["headRefOid"] == v.pull["headRefOid"] and each["number"] != v.pull["number"]
    )),
    ("statuses", lambda v: v.statuses),
    ("check runs", lambda v: to_data(v.checks)),
    ("review threads", lambda v: v.threads),
)  # fmt: skip


def _digest(told: list[object]) -> str:
    return text_digest(json.dumps(told, sort_keys=True)).partition(":")[2]


def _last(places: Sequence[JSON], said: Iterable[Iterable[Comment]]) -> list[tuple[int, str | None]]:
    """The number of comments at each place, and the last known change among them."""
    times = (max(map(touched, each), default=None) for each in said)
    return [(place["comments"]["totalCount"], at) for place, at in zip(places, times, strict=True)]


def looks_read(
    opened: Opening, plan: ReadingPlan, events: Sequence[list[JSON]], late: list[JSON], runs: Results
) -> Looks:
    """The state as it was read, without comments. ``late`` are reviews beyond the first page.

    ``events``: the timeline of the pull request, then those of its own issues.
    """
    places = places_of(opened.repository)
    last = [each[-1]["id"] if each else None for each in events]
    return Looks(
        repository=opened.repository,
        commit=opened.commit,
        plan=plan,
        events=[[place["timelineItems"]["filteredCount"], each] for place, each in zip(places, last, strict=True)],
        reviews=[*opened.pull["reviews"]["nodes"], *late],
        checks=told_checks(runs),
        bodies=_is_fresh(opened, late),
        threads=runs[THREADS].states if THREADS in runs else None,
        sizes=[opened.page] * len(places),
    )


def looks_told(  # noqa: PLR0913, PLR0917  (what was asked, and the answer)
    window: Window, repository: JSON, commit: JSON, plan: ReadingPlan, late: list[JSON], runs: Results
) -> Looks | None:
    """The state by the answer to a question; None if it was incomplete."""
    pull, listed = repository["pullRequest"], repository["pullRequests"]
    numbers = {node["number"] for node in listed["nodes"]}
    absent = pull["state"] == "OPEN" and pull["number"] not in numbers and not listed["pageInfo"]["hasNextPage"]
    if absent or len(numbers) < min(listed["totalCount"], PAGE) or None in late:
        return None
    lots = [told for key, told in pull.items() if key.startswith(THREADS)] if plan.threads else []
    threads = [node for lot in lots for node in lot["nodes"]]
    if any(lot["totalCount"] != len(threads) for lot in lots):
        return None
    places = places_of(repository)
    events = [each["timelineItems"] for each in places]
    return Looks(
        repository=repository,
        commit=commit,
        plan=plan,
        events=[[each["filteredCount"], *(node and node["id"] for node in each["nodes"] or [None])] for each in events],
        reviews=list({node["id"]: node for node in (*pull["reviews"]["nodes"], *late)}.values()),
        checks=told_checks(runs),
        bodies="body" in pull,
        threads=states(threads) if plan.threads else None,
        sizes=window.sizes(places),
        said=comments_at(places),
        known=known_since(places, window),
        last=_last(places, [comments_at([place]) for place in places]),
    )


def places_of(repository: JSON) -> list[JSON]:
    """The pull request and its own issues, as far as visible to this token."""
    own, pull = repository["nameWithOwner"].lower(), repository["pullRequest"]
    linked = (issue for issue in pull["closingIssuesReferences"]["nodes"] if issue is not None)
    return [pull, *(each for each in linked if each["repository"]["nameWithOwner"].lower() == own)]


def known_since(places: Sequence[JSON], window: Window) -> int:
    """The time since which every touched comment was returned."""
    threads = zip((place["comments"] for place in places), window.sizes(places), strict=True)
    cut = (each["nodes"] for each, size in threads if each["totalCount"] > size)
    return max((seconds(told[-1]["updatedAt"]) + 1 for told in cut), default=0)


def comments_at(places: Iterable[JSON]) -> tuple[Comment, ...]:
    """The returned comments, with the fields to compare."""
    return tuple(_comment(node) for place in places for node in place["comments"]["nodes"])


def hidden_at(places: Iterable[JSON], sizes: Iterable[int]) -> list[int]:
    """The number of comments at each place that GitHub counts but did not return."""
    threads = (place["comments"] for place in places)
    return [min(each["totalCount"], size) - len(each["nodes"]) for each, size in zip(threads, sizes, strict=True)]


def _comment(node: JSON) -> Comment:
    edits = node["userContentEdits"] or {"totalCount": 0, "nodes": []}
    versions = [Edit(at=edit["editedAt"], text=edit["diff"]) for edit in reversed(edits["nodes"])]
    return Comment(
        id=nodes.number(node["fullDatabaseId"]),
        url="",
        author=nodes.actor(node["author"]),
        created_at=node["createdAt"],
        text=node["body"],
        edited_at=node["lastEditedAt"],
        editor=nodes.actor(node["editor"]),
        history=tuple(sorted(versions, key=lambda edit: edit.at)),
        history_complete=bool(node["includesCreatedEdit"]) and len(versions) == edits["totalCount"],
    )


def _is_fresh(opened: Opening, late: Iterable[JSON]) -> bool:
    """True if a review or the description was touched so recently that another change in that second may follow."""
    began = opened.repository["began"]
    times = [review["updatedAt"] for review in (*opened.pull["reviews"]["nodes"], *late)]
    newest = max(map(seconds, [*times, *filter(None, [opened.pull["lastEditedAt"]])]), default=0)
    return began is None or newest + SETTLING_SECONDS >= began


def words(said: Iterable[Comment], since: int, counts: Counts) -> Iterator[list[Any]]:
    """The comments touched since that make a difference, each with its versions since then."""
    for each in said:
        if seconds(touched(each)) < since:
            continue
        author = each.author
        older = [edit for edit in each.history if seconds(edit.at) < since]
        versions = [(edit.at, edit.text) for edit in (*older[-1:], *each.history[len(older) :])]
        told = [v for v in versions if v[1] is None or author is None or counts([v[1]], author)]
        present = each.text if author is None or counts([each.text], author) else None
        whole = each.edited_at is None or each.history_complete or bool(older)
        if told or present is not None or not whole:
            yield [each.id, present and touched(each), present, whole, told, to_data(author), to_data(each.editor)]


def touched(said: Comment) -> str:
    """When a comment was last written or edited."""
    return said.edited_at or said.created_at


def _since(places: Sequence[tuple[Comment, ...]], window: Window) -> int:
    """The time from which comments are compared, so that as many again fit into a question."""
    times = [sorted(seconds(touched(each)) for each in said) for said in places]
    last = max((each[-1] for each in times if each), default=0)
    edits = ([seconds(edit.at) for edit in each.history] for said in places for each in said if each.history)
    most = [max(size // 2, 1) for size in window.sizes(places)]
    full = [each[-size - 1] + 1 for each, size in zip(times, most, strict=True) if len(each) > size]
    full += [sorted(each)[-MOST_EDITS // 2] + 1 for each in edits if len(each) > MOST_EDITS // 2]
    return max(last - DISORDER, 0, *full)


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """The question whether a pull request is still as it was read. It is known before reading ends.

    ``late``: the reviews beyond the first page, in lots. ``threads``: the cursor of each hundred of review threads.
    ``place``: the commit whose statuses are read, if not the head. ``bodies``: true if texts are compared that may
    have changed within a second.
    """

    target: Target
    head: str
    window: Window
    plan: ReadingPlan
    late: tuple[tuple[str, ...], ...] = ()
    threads: tuple[str | None, ...] = ()
    bodies: bool = False
    place: str | None = None

    @staticmethod
    def of(opened: Opening, plan: ReadingPlan, late: list[JSON], threads: Threads | None) -> Look:
        """The question. ``late`` are the reviews beyond the first page in detail."""
        ids = [review["id"] for review in late]
        return Look(
            target=opened.target,
            head=opened.pull["headRefOid"],
            window=Window.over(opened.pull["closingIssuesReferences"]["totalCount"]),
            plan=plan,
            late=tuple(tuple(ids[start : start + PAGE]) for start in range(0, len(ids), PAGE)),
            threads=() if threads is None else (None, *threads.ends),
            bodies=_is_fresh(opened, late),
        )

    def reads(self, client: Client) -> dict[Hashable, Task | Question]:
        """The question, and one for each app whose check runs are read."""
        question = Question(items=(self.head,), asks=self._asks, tells=lambda answer, _: answer)
        return {LOOK: question, **check_tasks(client, self.target.root, self.head, self.plan.runs_of)}

    def _asks(self, _: Sequence[str]) -> Asked:
        variables = {
            **self.target.named,
            "head": self.head,
            "place": self.place or self.head,
            **{f"late{number}": list(ids) for number, ids in enumerate(self.late)},
            **{f"{THREADS}{number}": end for number, end in enumerate(self.threads) if end is not None},
        }
        late, threads = len(self.late), len(self.threads)
        query = look_query("Look", self.window, late=late, threads=threads, bodies=self.bodies)
        return "Look", query, variables

    def looks(self, results: Results) -> Looks | None:
        """The state by the answers; None if incomplete."""
        told = results[LOOK]
        if told["repository"] is None or told["repository"]["pullRequest"] is None:
            return None
        late = [review for number in range(len(self.late)) for review in told[f"late{number}"]]
        repository = told["repository"]
        return looks_told(self.window, repository, repository["head"] or {}, self.plan, late, results)


@dataclass(frozen=True, kw_only=True, slots=True)
class Sight:
    """The state as it was read, for a later comparison.

    ``files``: the first page of changed files. ``began``: when reading began, by GitHub's clock.
    """

    look: Look
    looks: Looks
    since: int
    began: float | None
    files: tuple[ChangedFile, ...]

    @staticmethod
    def of(look: Look, opened: Opening, looks: Looks, places: Sequence[tuple[Comment, ...]]) -> Sight:
        """The state that was read, with the comments of the pull request and of each of its issues."""
        return Sight(
            look=look,
            looks=replace(
                looks,
                said=tuple(each for said in places for each in said),
                last=_last(places_of(looks.repository), places),
            ),
            since=_since(places, look.window),
            began=opened.repository["began"],
            files=tuple(map(changed_file, opened.files)),
        )

    def at(self, commit: str) -> Sight:
        """The same, to be compared with the statuses of another commit."""
        return replace(self, look=replace(self.look, place=commit))

    def holds(self, client: Client, results: Results) -> bool:
        """True if everything that counts is still as it was judged."""
        carries, told = self.look.plan.carries, self.look.looks(results)
        if told is None or self.began is None or self.since + SETTLING_SECONDS >= self.began:
            return False
        mine, now = (
            each.fingerprint(self.since, lambda texts, _: any(map(carries, texts))) for each in (self.looks, told)
        )
        if mine != now:
            return False
        deleted = any(there < then for then, there in zip(self.looks.totals, told.totals, strict=True))
        hides = any(there > then for then, there in zip(self.looks.hidden, told.hidden, strict=True))
        return not deleted and not hides and self._brings_the_same(client, told.pull["baseRefOid"])

    def _brings_the_same(self, client: Client, base: str) -> bool:
        """True if the same files are changed although the base may have moved; there may be too many to compare."""
        if base == self.looks.pull["baseRefOid"]:
            return True
        path = f"{self.look.target.root}/pulls/{self.look.target.number}/files"
        found = () if len(self.files) >= PAGE else tuple(map(changed_file, client.page(path, per_page=PAGE, page=1)))
        return found == self.files

    def statuses(self, results: Results) -> dict[str, tuple[str, str]]:
        """State and description of each context on the judged commit, by context in lower case."""
        judged = results[LOOK]["repository"]["judged"] or {}
        if judged.get("oid") != (self.look.place or self.look.head):
            raise MovedError("GitHub answered for another commit than requested")
        contexts = (judged["status"] or {}).get("contexts", [])
        return {each["context"].lower(): (each["state"].lower(), each["description"] or "") for each in contexts}


def check_tasks(client: Client, root: str, head: str, apps: Iterable[int | str]) -> dict[Hashable, Task]:
    """Requests for some apps' or names' check runs on the head."""
    return {(CHECK_RUNS, app): partial(conversation.check_runs, client, head, app, root) for app in apps}


def told_checks(results: Results) -> tuple[CheckRun, ...]:
    """The check runs of those apps."""
    runs = (value for key, value in results.items() if isinstance(key, tuple) and key[0] == CHECK_RUNS)
    found = {run["id"]: nodes.told_check_run(run) for each in runs for run in each}
    return tuple(found[number] for number in sorted(found))


def may_be_last(opened: Opening) -> bool:
    """True if the second trip is probably the last, so that the look can be part of it.

    That is so with one push, a single page, and no edits.
    """
    pull, threads = opened.pull, opened.threads()
    forced = any(event["__typename"] == HEAD_FORCED for event in pull["timelineItems"]["nodes"])
    more = any(len(thread.first) < thread.total for thread in threads)
    written = (pull, *(node for thread in threads for node in thread.first))
    edited = any(node["lastEditedAt"] is not None for node in written)
    return not (forced or pull["commits"]["totalCount"] > 1 or more or edited)


def look_again(client: Client, sight: Sight, results: Results) -> None:
    """Raises if something is no longer as it was judged."""
    if not sight.holds(client, results):
        raise MovedError("it no longer is as it was read")


def at_once(client: Client, sight: Sight) -> bool:
    """Looks again as soon as everything is read."""
    look_again(client, sight, wave(client, sight.look.reads(client)))
    return True


def later(client: Client, sight: Sight) -> bool:
    """Leaves the look to the caller, unless something else is to be read at the same time."""
    del client, sight
    return False
