"""Looking again: whether a pull request still is as it was read, in one question.

What it is compared by: how many comments each thread has and when one of them was last touched, every review, when
the timelines grew, heads, labels, links, the policy, and which pull requests are open. Where that differs, or where
something was touched so shortly before that a second change could not be told from it, everything is read anew: only
what carries a word, an event or a file makes a difference then.
"""

from __future__ import annotations

import json
import re
import threading
from calendar import timegm
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from time import strptime
from typing import Any

from phasegate.github.client.answers import GitHubError, MovedError, Task, TooLargeError
from phasegate.github.client.client import Client
from phasegate.github.reading import conversation, nodes
from phasegate.github.reading.conversation import app_of
from phasegate.github.reading.nodes import changed_file
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
from phasegate.model.snapshot import CheckRun

JSON = dict[str, Any]
Results = Mapping[Hashable, Any]
LOOK, CHECK_RUNS = "look", "check runs"
Question = tuple[str, str, Mapping[str, Any]]
# GitHub tells times in seconds, and its machines do not all have the same one.
SETTLING_SECONDS = 2.0
TIME = "%Y-%m-%dT%H:%M:%SZ"
# What the whole pull request is not compared by: lists of their own, counts and times that chatter changes, and what
# the gate itself changes. The base may move without changing what would merge.
LISTS = ("comments", "lastComment", "timelineItems")
PASSING = (*LISTS, "commits", "reviews", "closingIssuesReferences", "baseRefOid", "changedFiles")


_BEGIN = re.compile(r"query (\w+)\(([^)]*)\)\s*\{", re.ASCII)
_FIELD = re.compile(r"(?:(\w+)\s*:\s*)?(\w+)", re.ASCII)
_FRAGMENT = re.compile(r"^(?=fragment (\w+) on )", re.ASCII | re.MULTILINE)


def joined(queries: Sequence[str]) -> str:
    """One query for several: what each asks for and its variables are called ``q0_…``, ``q1_…``."""
    names, variables, bodies, fragments = "", [], "", dict[str, str]()
    for number, query in enumerate(queries):
        begin = _BEGIN.search(query)
        assert begin is not None, query  # noqa: S101  (our own queries; a test joins them)
        asked, rest = _prefixed(query[begin.end() :], f"q{number}_")
        names += begin[1]
        variables.append(_renamed(begin[2], f"q{number}_"))
        bodies += _renamed(asked, f"q{number}_")
        _, *parts = _FRAGMENT.split(rest)
        fragments |= dict(zip(parts[::2], parts[1::2], strict=True))
    return f"query {names}({', '.join(variables)}) {{{bodies}}}\n" + "\n".join(fragments.values())


def _renamed(text: str, prefix: str) -> str:
    return text.replace("$", f"${prefix}")


def _prefixed(text: str, prefix: str) -> tuple[str, str]:
    """What a query asks for, up to the brace that ends it, under other names; and what follows."""
    made, place, depth = "", 0, 0
    while depth or text[place] != "}":
        field = _FIELD.match(text, place) if depth == 0 else None
        if field is None:
            depth += (text[place] in "({") - (text[place] in ")}")
        piece = text[place] if field is None else f"{prefix}{field[1] or field[2]}: {field[2]}"
        made, place = made + piece, place + 1 if field is None else field.end()
    return made, text[place + 1 :]


class _NotedError(Exception):
    """A task has told its question."""


class Joint:
    """Several questions asked as one, since each takes a point at least; what was not foreseen is asked alone.

    Where they are too much for one question, each is asked alone too.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._foreseen: list[Question] = []
        self._noting = False
        self._lock = threading.Lock()
        self._answers: list[JSON] | GitHubError | None = None

    def foresee(self, tasks: Iterable[Task]) -> None:
        """Begin tasks for the question that each begins with; none of them does anything before it."""
        self._noting = True
        for task in tasks:
            with suppress(_NotedError):
                task()
        self._noting = False

    def graphql(self, name: str, query: str, variables: Mapping[str, Any]) -> JSON:
        """The data of a query, whole."""
        return self._asked((name, query, variables), self._client.graphql)

    def divisible(self, name: str, query: str, variables: Mapping[str, Any]) -> JSON:
        """The data of a query that can be asked in smaller pieces."""
        return self._asked((name, query, variables), self._client.divisible)

    def _asked(self, question: Question, alone: conversation.Ask) -> JSON:
        if self._noting:
            self._foreseen.append(question)
            raise _NotedError
        if question not in self._foreseen or len(self._foreseen) == 1:
            return alone(*question)
        with self._lock:
            if self._answers is None:
                self._answers = self._all()
        if isinstance(self._answers, TooLargeError):
            return alone(*question)
        if isinstance(self._answers, GitHubError):
            raise self._answers
        return self._answers[self._foreseen.index(question)]

    def _all(self) -> list[JSON] | GitHubError:
        variables = {f"q{n}_{key}": each for n, (_, _, told) in enumerate(self._foreseen) for key, each in told.items()}
        query = joined([query for _, query, _ in self._foreseen])
        try:
            answer = self._client.divisible("".join(name for name, _, _ in self._foreseen), query, variables)
        except GitHubError as error:
            return error
        parts = [(key.partition("_"), value) for key, value in answer.items()]
        return [
            {name: value for (part, _, name), value in parts if part == f"q{number}"}
            for number in range(len(self._foreseen))
        ]


@dataclass(frozen=True, kw_only=True, slots=True)
class Sight:
    """All that was judged, as it looked: at a glance, and whole.

    ``settled``: whether every later change must be later than all that the glance tells. ``late``: the reviews beyond
    the first page, in lots. ``apps`` are those whose check runs are looked at, ``checks`` is what they wrote.
    ``place`` is the commit whose statuses are looked at, where that is not the head.
    """

    target: Target
    head: str
    page: int
    carries: Callable[[str], bool]
    glance: object
    settled: bool
    whole: str
    siblings: frozenset[int]
    late: tuple[tuple[str, ...], ...]
    root: str
    apps: tuple[int | str, ...] = ()
    checks: tuple[CheckRun, ...] = ()
    place: str | None = None

    @staticmethod
    def of(  # noqa: PLR0913, PLR0917  (what was seen, and who looks)
        opened: Opening,
        listed: list[JSON],
        threads: Iterable[list[JSON]],
        late: list[JSON],
        carries: Callable[[str], bool],
        runs: Results,
    ) -> Sight:
        """What was seen: ``threads`` are the items beyond the first page, ``late`` the reviews among them in detail."""
        ids = [review["id"] for review in late]
        seen = _glance(opened.repository, late)
        return Sight(
            target=opened.target,
            head=opened.pull["headRefOid"],
            page=opened.page,
            carries=carries,
            glance=seen,
            settled=_settled(opened, late),
            whole=_whole(opened, threads, carries),
            siblings=frozenset(sibling.number for sibling in siblings_of(opened, listed)),
            late=tuple(tuple(ids[start : start + PAGE]) for start in range(0, len(ids), PAGE)),
            root=opened.target.root,
            apps=tuple(key[1] for key in runs if isinstance(key, tuple) and key[0] == CHECK_RUNS),
            checks=told_checks(runs),
        )

    def at(self, commit: str) -> Sight:
        """The same, to be looked at with the statuses of another commit."""
        return replace(self, place=commit)

    def tasks(self, client: Client, asker: conversation.Asker | None = None) -> dict[Hashable, Task]:
        """The one question that looks again, and one for each app whose check runs are read."""
        look = partial(self._look, asker or client)
        return {LOOK: look, **check_tasks(client, self.root, self.head, self.apps)}

    def _look(self, client: conversation.Asker) -> JSON:
        owner, _, name = self.target.repository.partition("/")
        variables = {
            "owner": owner,
            "name": name,
            "number": self.target.number,
            "page": self.page,
            "head": self.place or self.head,
            "policy": f"HEAD:{self.target.policy_path}",
            **{f"late{number}": list(ids) for number, ids in enumerate(self.late)},
        }
        return client.graphql("Look", look_query(len(self.late)), variables)

    def holds(self, client: Client, results: Results) -> bool:
        """Whether everything still is as it was judged."""
        if told_checks(results) != self.checks:
            return False
        told = results[LOOK]
        late = [review for number in range(len(self.late)) for review in told[f"late{number}"]]
        if told["repository"] is None or told["repository"]["pullRequest"] is None or None in late:
            return False
        same = self.settled and _glance(told["repository"], late) == self.glance and self._alone(told["repository"])
        return same or self._read_anew(client)

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
        tasks: dict[Hashable, Task] = {"open": partial(open_ones, client, opened)}
        for index, thread in enumerate(threads):
            tasks |= {(index, n): page for n, page in enumerate(thread.pages(client, first=thread.beyond))}
        found: dict[Hashable, Any] = client.together(tasks)
        siblings = frozenset(sibling.number for sibling in siblings_of(opened, found.pop("open")))
        later = [list(_items(found, index)) for index in range(len(threads))]
        return siblings == self.siblings and _whole(opened, later, self.carries) == self.whole

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


def _glance(repository: JSON, late: Iterable[JSON]) -> object:
    """What shows at a glance whether anything has changed."""
    pull = repository["pullRequest"]
    plain = ("title", "state", "isDraft", "lastEditedAt", "headRefName", "headRefOid", "headRepository")
    return (
        repository["nameWithOwner"],
        (repository["defaultBranchRef"] or {}).get("name"),
        (repository["policy"] or {}).get("oid"),
        [pull[name] for name in (*plain, "baseRefName", "baseRefOid")],
        _touched(pull),
        [(review["id"], review["updatedAt"], review["state"]) for review in (*pull["reviews"]["nodes"], *late)],
        pull["reviews"]["totalCount"],
        [_issue_glance(issue) for issue in pull["closingIssuesReferences"]["nodes"]],
    )


def _issue_glance(issue: JSON | None) -> object:
    if issue is None:
        return None
    labels = sorted(label["name"] for label in issue["labels"]["nodes"])
    plain = [issue[name] for name in ("id", "title", "state", "repository")]
    return plain, labels, issue.get("issueType"), _touched(issue)


def _touched(place: JSON) -> object:
    """How many comments there are, which was touched last and when, and when the timeline grew."""
    newest, timeline = place["lastComment"], place["timelineItems"]
    last = [(node["id"], node["updatedAt"]) for node in newest["nodes"]]
    return newest["totalCount"], last, timeline["filteredCount"], timeline["updatedAt"]


def _settled(opened: Opening, late: Iterable[JSON]) -> bool:
    """Whether nothing was touched so shortly before it was read that a change of the same second may follow."""
    began = opened.repository["began"]
    places = [opened.pull, *opened.issues]
    times = [node["updatedAt"] for place in places for node in place["lastComment"]["nodes"]]
    times += [place["timelineItems"]["updatedAt"] for place in places]
    times += [review["updatedAt"] for review in (*opened.pull["reviews"]["nodes"], *late)]
    try:
        newest = max((timegm(strptime(at, TIME)) for at in times), default=0)
    except ValueError:
        return False
    return began is not None and newest + SETTLING_SECONDS < began


def _whole(opened: Opening, threads: Iterable[list[JSON]], carries: Callable[[str], bool]) -> str:
    """The digest of everything that a decision is made from; of comments, those that carry a word."""
    pull = opened.pull
    named = ("nameWithOwner", "databaseId", "url")
    first = [place["comments"]["nodes"] for place in (pull, *opened.own_issues)]
    seen = (
        [opened.repository[name] for name in named],
        (opened.repository["defaultBranchRef"] or {}).get("name"),
        opened.repository["policy"],
        {key: value for key, value in pull.items() if key not in PASSING},
        [_bare(review) for review in pull["reviews"]["nodes"]],
        pull["timelineItems"]["nodes"],
        [_issue(issue) for issue in opened.issues],
        [[_bare(node) for node in comments if carries(node["body"])] for comments in first],
        [list(_traces(items, carries)) for items in threads],
        [(each.path, each.status, each.previous_path, each.blob) for each in map(changed_file, opened.files)],
    )
    return text_digest(json.dumps(seen, sort_keys=True))


def _bare(node: JSON) -> JSON:
    """A comment or a review without the time at which anything about it was last touched."""
    return {key: value for key, value in node.items() if key != "updatedAt"}


def _issue(issue: JSON) -> object:
    return {key: value for key, value in issue.items() if key not in LISTS}, issue["timelineItems"]["nodes"]


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


def look_again(client: Client, sight: Sight, results: Results) -> None:
    """Refuse what no longer is as it was judged."""
    if not sight.holds(client, results):
        raise MovedError("it no longer is as it was read")
