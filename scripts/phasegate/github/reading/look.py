"""Looking again: whether a pull request still is as it was read, in one question.

What it is compared by: how many comments each thread has and when one of them was last touched, every review, when
the timelines grew, heads, labels, links, the policy, the checks, and which pull requests are open. Where that differs,
or where something was touched so shortly before that a second change could not be told from it, everything is read
anew: only what carries a word or carried one in between, an event or a file makes a difference then.
"""

from __future__ import annotations

import json
from calendar import timegm
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from time import strptime
from typing import Any

from phasegate.github.client.answers import MovedError, Task
from phasegate.github.client.client import Client
from phasegate.github.reading import conversation, nodes
from phasegate.github.reading.conversation import Thread, app_of, by_id, history_tasks, issue_events, pull_events
from phasegate.github.reading.nodes import HEAD_FORCED, changed_file
from phasegate.github.reading.opening import (
    Opening,
    Target,
    open_ones,
    opening_of,
    opening_tasks,
    siblings_of,
)
from phasegate.github.reading.queries import PAGE, look_query
from phasegate.model.codec import text_digest
from phasegate.model.frozen import dataclass, replace
from phasegate.model.plan import ReadingPlan
from phasegate.model.snapshot import MISPLACED_POLICIES, CheckRun

JSON = dict[str, Any]
Results = Mapping[Hashable, Any]
LOOK, CHECK_RUNS = "look", "check runs"
# GitHub tells times in seconds, and its machines do not all have the same one.
SETTLING_SECONDS = 2.0
TIME = "%Y-%m-%dT%H:%M:%SZ"
# What the whole pull request is not compared by: lists of their own, counts and times that chatter changes, and what
# the gate itself changes. The base may move without changing what would merge.
LISTS = ("comments", "lastComment", "timelineItems")
OF_BASE = ("baseRefOid", "changedFiles", "potentialMergeCommit")
PASSING = (*LISTS, *OF_BASE, "commits", "reviews", "closingIssuesReferences")


@dataclass(frozen=True, kw_only=True, slots=True)
class View:
    """What was read that a look compares, as GitHub sent it.

    ``beyond``: what each thread holds beyond its first page, ``events``: the timeline of the pull request, then those
    of its own issues. ``tied``: whether the policy takes more of the default branch than its own file.
    """

    opened: Opening
    listed: list[JSON]
    beyond: list[list[JSON]]
    events: list[list[JSON]]
    tied: bool = False

    @property
    def siblings(self) -> frozenset[int]:
        """The other open pull requests with the same head."""
        return frozenset(sibling.number for sibling in siblings_of(self.opened, self.listed))

    @property
    def comments(self) -> list[list[JSON]]:
        """The first comments of each thread."""
        return [place["comments"]["nodes"] for place in (self.opened.pull, *self.opened.own_issues)]

    @property
    def edited(self) -> dict[str, str]:
        """When each comment that is not as it was written was last touched, by node id."""
        first = {node["id"]: node["lastEditedAt"] for nodes in self.comments for node in nodes if node["lastEditedAt"]}
        late = (item for items in self.beyond for item in items if item.get("updated_at") != item.get("created_at"))
        return first | {item["node_id"]: item["updated_at"] for item in late}


@dataclass(frozen=True, kw_only=True, slots=True)
class Sight:
    """All that was judged, as it looked: at a glance, and whole.

    ``settled``: whether every later change must be later than all that the glance tells. ``late``: the reviews beyond
    the first page, in lots, and ``late_seen`` how they looked. ``apps`` are those whose check runs are looked at,
    ``checks`` is what they wrote, ``reported`` what stands in statuses that are checks. ``edited``: when comments were
    last touched. ``scene``: what only more than chatter changes. ``place`` is the commit whose statuses are looked at,
    where that is not the head.
    """

    target: Target
    head: str
    page: int
    carries: Callable[[str], bool]
    glance: object
    settled: bool
    whole: str
    siblings: frozenset[int]
    edited: Mapping[str, str]
    late: tuple[tuple[str, ...], ...]
    late_seen: object
    root: str
    tied: bool
    apps: tuple[int | str, ...] = ()
    checks: tuple[CheckRun, ...] = ()
    reported: Mapping[str, str | None]
    scene: object = None
    place: str | None = None

    @staticmethod
    def of(view: View, late: list[JSON], plan: ReadingPlan, runs: Results) -> Sight:
        """What was seen; ``late`` are the reviews beyond the first page in detail."""
        ids = [review["id"] for review in late]
        opened = view.opened
        return Sight(
            target=opened.target,
            head=opened.pull["headRefOid"],
            page=opened.page,
            carries=plan.carries,
            glance=_glance(opened.repository, tied=view.tied),
            settled=_settled(opened, late),
            whole=_whole(view, plan.carries),
            siblings=view.siblings,
            edited=view.edited,
            late=tuple(tuple(ids[start : start + PAGE]) for start in range(0, len(ids), PAGE)),
            late_seen=[_review_glance(review) for review in late],
            root=opened.target.root,
            tied=view.tied,
            apps=tuple(key[1] for key in runs if isinstance(key, tuple) and key[0] == CHECK_RUNS),
            checks=told_checks(runs),
            reported=_reported(opened.commit, plan.checks),
            scene=scene(opened.repository, opened.commit, plan, view.events),
        )

    def at(self, commit: str) -> Sight:
        """The same, to be looked at with the statuses of another commit."""
        return replace(self, place=commit)

    def tasks(self, client: Client, asker: conversation.Asker | None = None) -> dict[Hashable, Task]:
        """The one question that looks again, and one for each app whose check runs are read."""
        look = partial(looked_at, asker or client, self.target, self.page, self.head, self.place, self.late)
        return {LOOK: look, **check_tasks(client, self.root, self.head, self.apps)}

    def holds(self, client: Client, results: Results) -> bool:
        """Whether everything still is as it was judged."""
        told = results[LOOK]
        if told["repository"] is None or told["repository"]["pullRequest"] is None:
            return False
        late = [review for number in range(len(self.late)) for review in told[f"late{number}"]]
        if None in late or [_review_glance(review) for review in late] != self.late_seen:
            return False
        if not self._checks_hold(results):
            return False
        same = self.settled and _glance(told["repository"], tied=self.tied) == self.glance
        return (same and self._alone(told["repository"])) or self._read_anew(client)

    def _checks_hold(self, results: Results) -> bool:
        """Whether the checks, which are check runs or statuses of the head, still say the same."""
        head = results[LOOK]["repository"]["head"]
        return told_checks(results) == self.checks and _reported(head, self.reported) == self.reported

    def _alone(self, repository: JSON) -> bool:
        """Whether no other pull request has come to the same head: it would be among those that were touched last.

        A page that lacks some, or a whole list without this one, tells nothing.
        """
        own, listed = self.target.number, repository["pullRequests"]
        numbers = {node["number"] for node in listed["nodes"]}
        short = len(numbers) < min(listed["totalCount"], PAGE)
        absent = repository["pullRequest"]["state"] == "OPEN" and own not in numbers
        if short or (absent and not listed["pageInfo"]["hasNextPage"]):
            return False
        same = {node["number"] for node in listed["nodes"] if node["headRefOid"] == self.head}
        return same - {own} <= self.siblings

    def _read_anew(self, client: Client) -> bool:
        """Whether all that counts is the same though something was touched."""
        opened = opening_of(self.target, client.together(opening_tasks(client, self.target)))
        threads = opened.threads()
        tasks: dict[Hashable, Task] = {
            "open": partial(open_ones, client, opened),
            ("events", 0): partial(pull_events, client, opened.pull, opened.page),
        }
        for number, issue in enumerate(opened.own_issues, start=1):
            tasks["events", number] = partial(issue_events, client, issue, opened.page)
        for index, thread in enumerate(threads):
            tasks |= {(index, n): page for n, page in enumerate(thread.pages(client, first=thread.beyond))}
        found: dict[Hashable, Any] = client.together(tasks)
        view = View(
            opened=opened,
            listed=found["open"],
            beyond=[list(_items(found, index)) for index in range(len(threads))],
            events=[found["events", number] for number in range(len(opened.own_issues) + 1)],
            tied=self.tied,
        )
        same = view.siblings == self.siblings and _whole(view, self.carries) == self.whole
        return same and not self._spoke_in_passing(client, view.edited)

    def _spoke_in_passing(self, client: Client, edited: Mapping[str, str]) -> bool:
        """Whether a comment that says nothing has carried a word since it was read."""
        touched = [{"id": each, "lastEditedAt": at} for each, at in edited.items() if self.edited.get(each) != at]
        tasks = dict(enumerate(history_tasks(client, touched)))
        for identity, node in by_id(client.together(tasks).values()).items():
            since = self.edited.get(identity, "")
            texts = (edit["diff"] for edit in node["userContentEdits"]["nodes"] if edit["editedAt"] >= since)
            if any(text is None or self.carries(text) for text in texts):
                return True
        return False

    def statuses(self, results: Results) -> dict[str, tuple[str, str]]:
        """State and description of each context on the commit that was judged, by context in lower case."""
        judged = results[LOOK]["repository"]["judged"] or {}
        if judged.get("oid") != (self.place or self.head):
            raise MovedError("GitHub told of another commit than it was asked for")
        contexts = (judged["status"] or {}).get("contexts", [])
        return {each["context"].lower(): (each["state"].lower(), each["description"] or "") for each in contexts}


def _items(pages: Results, index: int) -> Iterator[JSON]:
    """What the pages of one thread hold."""
    for key, page in pages.items():
        if isinstance(key, tuple) and key[0] == index:
            yield from page


def scene(repository: JSON, commit: JSON, plan: ReadingPlan, happened: Iterable[list[JSON]]) -> object:
    """All but comments that a decision is made from, as far as chatter and a base that moves on leave it alone.

    ``happened``: the events of the pull request, and of each of its own issues, as far as the last of each is there.
    """
    pull = repository["pullRequest"]
    plain = ("title", "state", "isDraft", "lastEditedAt", "headRefName", "headRefOid", "headRepository", "baseRefName")
    return [
        repository["nameWithOwner"],
        (repository["policy"] or {}).get("oid"),
        _around_policy(repository, tied=False),
        [pull[name] for name in plain],
        [events[-1]["id"] if events else None for events in happened],
        [_review_glance(review) for review in pull["reviews"]["nodes"]],
        pull["reviews"]["totalCount"],
        [issue and _plain_issue(issue) for issue in pull["closingIssuesReferences"]["nodes"]],
        _reported(commit, plan.checks),
    ]


def _reported(commit: JSON | None, names: Iterable[str]) -> dict[str, str | None]:
    """What the statuses of some names on a commit say."""
    contexts = ((commit or {}).get("status") or {}).get("contexts", [])
    told = {each["context"].lower(): each["state"] for each in contexts}
    return {name: told.get(name.lower()) for name in names}


def _glance(repository: JSON, *, tied: bool) -> object:
    """What shows at a glance whether anything has changed."""
    pull = repository["pullRequest"]
    plain = ("title", "state", "isDraft", "lastEditedAt", "headRefName", "headRefOid", "headRepository")
    return (
        repository["nameWithOwner"],
        (repository["policy"] or {}).get("oid"),
        _around_policy(repository, tied=tied),
        [pull[name] for name in (*plain, "baseRefName", "baseRefOid")],
        _touched(pull),
        [_review_glance(review) for review in pull["reviews"]["nodes"]],
        pull["reviews"]["totalCount"],
        [_issue_glance(issue) for issue in pull["closingIssuesReferences"]["nodes"]],
    )


def _around_policy(repository: JSON, *, tied: bool) -> object:
    """The default branch, what stands in a wrong place of it, and its tip where schemas are read from there."""
    branch = repository["defaultBranchRef"] or {}
    misplaced = [repository[f"misplaced{number}"] for number in range(len(MISPLACED_POLICIES))]
    return branch.get("name"), misplaced, branch.get("target") if tied else None


def _review_glance(review: JSON) -> object:
    return review["id"], review["updatedAt"], review["state"]


def _issue_glance(issue: JSON | None) -> object:
    return issue and (_plain_issue(issue), _touched(issue))


def _plain_issue(issue: JSON) -> list[object]:
    labels = sorted(label["name"] for label in issue["labels"]["nodes"])
    return [*(issue[name] for name in ("id", "title", "state", "repository")), labels, issue.get("issueType")]


def _touched(place: JSON) -> object:
    """How many comments there are, which was touched last and when, and when the timeline grew."""
    newest, timeline = place["lastComment"], place["timelineItems"]
    last = [(node["id"], node["updatedAt"]) for node in newest["nodes"]]
    return newest["totalCount"], last, timeline["filteredCount"], timeline["updatedAt"]


def _settled(opened: Opening, late: Iterable[JSON]) -> bool:
    """Whether nothing was touched so shortly before it was read that a change of the same second may follow."""
    began = opened.repository["began"]
    places = [opened.pull, *opened.issues]
    newest_of = [place["lastComment"] for place in places]
    if any(bool(each["nodes"]) != bool(each["totalCount"]) for each in newest_of):
        return False  # what was touched last is not told
    times = [node["updatedAt"] for each in newest_of for node in each["nodes"]]
    times += [at for at in [opened.pull["lastEditedAt"]] if at is not None]
    times += [place["timelineItems"]["updatedAt"] for place in places]
    times += [review["updatedAt"] for review in (*opened.pull["reviews"]["nodes"], *late)]
    try:
        newest = max((timegm(strptime(at, TIME)) for at in times), default=0)
    except ValueError:
        return False
    return began is not None and newest + SETTLING_SECONDS < began


def _whole(view: View, carries: Callable[[str], bool]) -> str:
    """The digest of everything that a decision is made from; of comments, those that carry a word."""
    opened, pull = view.opened, view.opened.pull
    named = ("nameWithOwner", "databaseId", "url")
    seen = (
        [opened.repository[name] for name in named],
        opened.repository["policy"],
        _around_policy(opened.repository, tied=view.tied),
        {key: value for key, value in pull.items() if key not in PASSING},
        [_bare(review) for review in pull["reviews"]["nodes"]],
        view.events,
        [_issue(issue) for issue in opened.issues],
        [[_bare(node) for node in comments if carries(node["body"])] for comments in view.comments],
        [list(_traces(items, carries)) for items in view.beyond],
        [(each.path, each.status, each.previous_path, each.blob) for each in map(changed_file, opened.files)],
        pull["baseRefOid"] if len(opened.files) >= PAGE else None,  # there may be more files than are compared
    )
    return text_digest(json.dumps(seen, sort_keys=True))


def _bare(node: JSON) -> JSON:
    """A comment or a review without the time at which anything about it was last touched."""
    return {key: value for key, value in node.items() if key != "updatedAt"}


def _issue(issue: JSON) -> JSON:
    return {key: value for key, value in issue.items() if key not in LISTS}


def _traces(items: Iterable[JSON], carries: Callable[[str], bool]) -> Iterator[object]:
    """What shows that an item beyond the first page was changed; reviews count whatever they say."""
    for item in items:
        if "state" in item or carries(item["body"] or ""):
            yield item["id"], item["body"], item.get("state"), app_of(item)


def check_tasks(client: Client, root: str, head: str, apps: Iterable[int | str]) -> dict[Hashable, Task]:
    """The requests for the check runs of some apps, or of some names, on the head."""
    return {(CHECK_RUNS, app): partial(conversation.check_runs, client, head, app, root) for app in apps}


def told_checks(results: Results) -> tuple[CheckRun, ...]:
    """What those apps wrote."""
    runs = (value for key, value in results.items() if isinstance(key, tuple) and key[0] == CHECK_RUNS)
    found = {run["id"]: nodes.told_check_run(run) for each in runs for run in each}
    return tuple(found[number] for number in sorted(found))


def looked_at(  # noqa: PLR0913, PLR0917  (what is looked at)
    client: conversation.Asker,
    target: Target,
    page: int,
    head: str,
    place: str | None = None,
    late: tuple[tuple[str, ...], ...] = (),
) -> JSON:
    """How a pull request looks now."""
    owner, _, name = target.repository.partition("/")
    variables = {
        "owner": owner,
        "name": name,
        "number": target.number,
        "page": page,
        "head": head,
        "place": place or head,
        "policy": f"HEAD:{target.policy_path}",
        **{f"late{number}": list(ids) for number, ids in enumerate(late)},
    }
    return client.graphql("Look", look_query(len(late)), variables)


def early_look(client: Client, opened: Opening, threads: Sequence[Thread]) -> dict[Hashable, Task]:
    """The look, to be asked beside the second trip where that most likely is the last one.

    That is so where there was one push, one page tells all, and nobody has edited anything.
    """
    pull = opened.pull
    forced = any(event["__typename"] == HEAD_FORCED for event in pull["timelineItems"]["nodes"])
    more = any(len(thread.first) < thread.total for thread in threads)
    written = (pull, *(node for thread in threads for node in thread.first))
    edited = any(node["lastEditedAt"] is not None for node in written)
    if forced or pull["commits"]["totalCount"] > 1 or more or edited:
        return {}
    return {LOOK: partial(looked_at, client, opened.target, opened.page, pull["headRefOid"])}


def look_again(client: Client, sight: Sight, results: Results) -> None:
    """Refuse what no longer is as it was judged."""
    if not sight.holds(client, results):
        raise MovedError("it no longer is as it was read")


def at_once(client: Client, sight: Sight) -> bool:
    """Look again as soon as everything is read."""
    look_again(client, sight, client.together(sight.tasks(client)))
    return True


def later(client: Client, sight: Sight) -> bool:
    """Leave the look to whoever goes on with it, unless there is something else to be read at the same time."""
    del client, sight
    return False
