"""Comments and reviews, complete: GraphQL tells who edited what, REST which app wrote it; together they must agree.

The first hundred come with the pull request itself. The rest is read by page numbers, side by side, and then looked up
by id, so that a thousand comments take no more trips one after the other than two hundred.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

from phasegate.github.client.answers import GitHubError, MovedError, Task
from phasegate.github.client.client import Client
from phasegate.github.reading import nodes
from phasegate.github.reading.nodes import comment, edits, number
from phasegate.github.reading.queries import (
    HISTORY,
    MORE_ISSUE_EVENTS,
    MORE_PULL_EVENTS,
    PAGE,
    details_query,
    modes_query,
)
from phasegate.github.reading.waves import Ask, Asked, Question, in_pieces
from phasegate.model.frozen import dataclass, replace
from phasegate.model.plan import ReadingPlan
from phasegate.model.texts import Actor, Comment, Person

JSON = dict[str, Any]
Carries = Callable[[str], bool]
MOST_CITED, MOST_CITATIONS = 30, 1000
USER, GHOST = "User", "ghost"


@dataclass(frozen=True, kw_only=True, slots=True)
class Thread:
    """One list of comments or reviews: where REST has it, and what GraphQL said of it first.

    ``with_apps``: REST tells more of each item than GraphQL, so every page is read, not only those beyond the first.
    """

    path: str
    total: int
    first: list[JSON]
    with_apps: bool

    @property
    def beyond(self) -> int:
        """The first page that REST must be asked for of what GraphQL has not told."""
        return 2 if len(self.first) >= PAGE else 1

    def pages(self, client: Client, first: int = 1) -> list[Task]:
        """A task for each page that REST must be asked for, from some page on."""
        if not self.with_apps and len(self.first) >= self.total:
            return []
        if self.total > MOST_PAGES * PAGE:
            raise GitHubError(f"{self.path}: GitHub counts {self.total}, and at most {MOST_PAGES * PAGE} are read")
        numbers = range(first if self.with_apps else max(self.beyond, first), -(-self.total // PAGE) + 1)
        return [partial(self._page, client, page) for page in numbers]

    def _page(self, client: Client, page: int) -> list[JSON]:
        return nodes.bare(client.page(self.path, per_page=PAGE, page=page))

    def listed(self, pages: Iterable[list[JSON]]) -> Listed:
        """The pages put together: every item once, and with those that GraphQL told all that it counts."""
        items = [item for page in pages for item in page]
        known = {node["id"] for node in self.first} | {item["node_id"] for item in items}
        if len({item["id"] for item in items}) != len(items) or len(known) < self.total:
            raise MovedError(f"{self.path}: {len(known)} read, {self.total} expected")
        return Listed(thread=self, items=items)


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """A thread with all that REST lists of it."""

    thread: Thread
    items: list[JSON]

    def beyond(self) -> list[JSON]:
        """What stands beyond the first page."""
        return self.items[PAGE * (self.thread.beyond - 1) :] if self.thread.with_apps else self.items

    def late(self) -> list[JSON]:
        """What GraphQL has not told of yet."""
        known = {node["id"] for node in self.thread.first}
        return [item for item in self.items if item["node_id"] not in known]

    def assembled(
        self, told: Mapping[str, JSON], versions: Mapping[str, JSON], carries: Carries
    ) -> tuple[Comment, ...]:
        """The thread as the snapshot holds it, the oldest first.

        One interface may hide what the other tells, such as words of accounts that are taken for spam. Where these
        carry anything, it cannot be told what they are worth.
        """
        hidden = [item for item in self.late() if item["node_id"] not in told]
        nodes = [*self.thread.first, *(_with_body(told, item) for item in self.late() if item not in hidden)]
        apps = {item["id"]: app_of(item) for item in self.items}
        untold = [node for node in nodes if self.thread.with_apps and number(node["fullDatabaseId"]) not in apps]
        if len(nodes) + len(hidden) < self.thread.total or any(
            carries(each["body"] or "") for each in (*hidden, *untold)
        ):
            raise MovedError(f"{self.thread.path}: the two lists differ")
        users = {item["id"]: item.get("user") for item in self.items}
        if any(_disagree(node, users.get(number(node["fullDatabaseId"]))) and carries(node["body"]) for node in nodes):
            raise MovedError(f"{self.thread.path}: the two lists tell of different authors")
        said = (comment(node, apps.get(number(node["fullDatabaseId"]))) for node in nodes)
        whole = (_with_history(item, versions.get(node["id"])) for item, node in zip(said, nodes, strict=True))
        return tuple(sorted(whole, key=lambda item: (item.created_at, item.id)))


def _disagree(node: JSON, user: JSON | None) -> bool:
    """Whether a comment is by a person, as REST tells it, and GraphQL tells of another account, or of none."""
    other = nodes.actor(user)
    if other is None or other.type != USER or other.login == GHOST:
        return False
    own = nodes.actor(node["author"])
    return own is None or (own.type, own.id, own.login.lower()) != (USER, other.id, other.login.lower())


def _with_body(told: Mapping[str, JSON], item: JSON) -> JSON:
    """What GraphQL told of an item, with the text of which REST has told already."""
    return {"body": item["body"] or "", **told[item["node_id"]]}


def app_of(item: JSON) -> int | None:
    """The app that a comment was written with, as REST tells it."""
    app = item.get("performed_via_github_app")
    return None if app is None else app["id"]


def _with_history(said: Comment, node: JSON | None) -> Comment:
    if node is None:
        if said.edited_at is not None:
            raise MovedError(f"{said.url}: its earlier texts were asked for and are not there")
        return said
    connection = node["userContentEdits"]
    history = edits(connection)
    complete = bool(node["includesCreatedEdit"]) and len(history) == connection["totalCount"]
    return replace(said, history=history, history_complete=complete)


def detail_tasks(client: Client, ids: list[str]) -> list[Task]:
    """What GraphQL tells of comments beyond the first page."""
    size = PAGE * LOTS
    return [partial(_details, client, ids[start : start + size]) for start in range(0, len(ids), size)]


def _details(client: Client, ids: list[str]) -> JSON:
    """What is told of some comments; nothing of those that are hidden."""
    return {"nodes": [node for found in in_pieces(client, ids, _detailed) for node in found]}


def _detailed(ask: Ask, ids: Sequence[str]) -> list[JSON]:
    lots = {f"ids{number}": lot for number, lot in enumerate(_batches(list(ids)))}
    told = ask("Details", details_query(len(lots)), lots)
    return [node for number in range(len(lots)) for node in told[f"lot{number}"] if node is not None]


def history_questions(nodes: Iterable[JSON]) -> list[Question]:
    """The versions of those comments that were edited; where they are too long for one answer, in several."""

    def asks(ids: Sequence[str]) -> Asked:
        return "History", HISTORY, {"ids": list(ids)}

    def tells(answer: JSON, _: Sequence[str]) -> JSON:
        return by_id([answer])

    edited = [node["id"] for node in nodes if node["lastEditedAt"] is not None]
    return [Question(items=batch, asks=asks, tells=tells) for batch in _batches(edited)]


def _batches(ids: list[str]) -> list[list[str]]:
    return [ids[start : start + PAGE] for start in range(0, len(ids), PAGE)]


def by_id(answers: Iterable[JSON]) -> dict[str, JSON]:
    """The nodes of several answers, by node id."""
    nodes = [node for answer in answers for node in answer["nodes"]]
    if any(node is None for node in nodes):
        raise MovedError("a comment was deleted meanwhile")
    return {node["id"]: node for node in nodes}


MOST_PAGES = 100
# An event that this token may not see.
HIDDEN: JSON = {"__typename": "Hidden", "id": None}
# Ids are asked for a hundred at a time, and so many times in one question.
LOTS = 3


def issue_events(client: Client, issue: JSON, page: int = PAGE) -> list[JSON]:
    """Every event of an issue's timeline that was asked for, so many at a time."""
    return _all(client, "MoreIssueEvents", MORE_ISSUE_EVENTS, issue, page)


def pull_events(client: Client, pull: JSON, page: int = PAGE) -> list[JSON]:
    """Every event of a pull request's timeline that was asked for, so many at a time."""
    return _all(client, "MorePullEvents", MORE_PULL_EVENTS, pull, page)


def contexts(commit: JSON) -> list[JSON]:
    """The latest status of each context on a commit; where there is none, GitHub tells nothing at all."""
    status = commit["status"]
    if status is None:
        return []
    found: list[JSON] = status["contexts"]
    whole_page("PullRequest", {"nodes": found, "pageInfo": {"hasNextPage": not found}}, len(found))
    return found


def mode_questions(repository: str, places: Sequence[tuple[str, str]]) -> list[Question]:
    """What tells modes and object ids at some paths of commits, a hundred of them in a question."""
    owner, _, name = repository.partition("/")

    def asks(some: Sequence[tuple[str, str]]) -> Asked:
        numbers, asked = _numbered(some)
        variables = {f"path{number}": path for path, number in numbers.items()}
        return "Modes", modes_query(list(asked.items())), {"owner": owner, "name": name, **variables}

    def tells(answer: JSON, some: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Any]:
        numbers, asked = _numbered(some)
        commits = {commit: answer["repository"][f"commit{index}"] or {} for index, commit in enumerate(asked)}
        entries = {(commit, path): commits[commit].get(f"path{numbers[path]}") for commit, path in some}
        return {place: entry and (f"{entry['mode']:06o}", entry["oid"]) for place, entry in entries.items()}

    starts = range(0, len(places), PAGE)
    return [Question(items=places[start : start + PAGE], asks=asks, tells=tells) for start in starts]


def _numbered(places: Sequence[tuple[str, str]]) -> tuple[dict[str, int], dict[str, list[int]]]:
    """A number for each path, and by commit which of them are asked for."""
    numbers = {path: number for number, path in enumerate(dict.fromkeys(path for _, path in places))}
    asked: dict[str, list[int]] = {}
    for commit, path in places:
        asked.setdefault(commit, []).append(numbers[path])
    return numbers, asked


MOST_CHECK_RUNS = 1000


def check_runs(client: Client, commit: str, whose: int | str, root: str) -> list[JSON]:
    """Every check run of an app, or of a name, on a commit, those included that a later one took the place of."""
    wanted: dict[str, Any] = {"check_name": whose} if isinstance(whose, str) else {"app_id": whose}
    path, found, total = f"{root}/commits/{commit}/check-runs", list[JSON](), 1
    for page in range(1, MOST_CHECK_RUNS // PAGE + 1):
        answer = client.get(path, **wanted, filter="all", per_page=PAGE, page=page)
        found, total = [*found, *answer["check_runs"]], answer["total_count"]
        if len(found) >= total or not answer["check_runs"]:
            break
    if total > MOST_CHECK_RUNS:
        told = f"{whose} has {total} check runs on {commit[:7]}"
        raise GitHubError(f"{told}; at most {MOST_CHECK_RUNS} are read")
    if len({run["id"] for run in found}) != total:
        raise MovedError(f"{path}: {len(found)} read, {total} expected")
    # GitHub may not know the filter
    return [run for run in found if whose in (run.get("name"), (run["app"] or {}).get("id"))]


def whole_page(name: str, page: JSON, read: int) -> None:
    """Refuse a page that does not hold what it counts, and a list that ends before its count.

    Of a timeline GitHub counts what is on the page, of other lists all that there is.
    """
    nodes, counted = page["nodes"], page.get("pageCount")
    more = page["pageInfo"]["hasNextPage"]
    if counted not in (None, len(nodes)) or (more and not nodes):
        raise MovedError(f"query {name}: a page with {len(nodes)} of {counted}")
    total = page.get("totalCount")
    if not more and total not in (None, read):
        raise MovedError(f"query {name}: {read} read, {total} expected")


def _all(client: Client, name: str, query: str, place: JSON, page: int) -> list[JSON]:
    connection = place["timelineItems"]
    found = list(connection["nodes"])
    for _ in range(MOST_PAGES):
        whole_page(name, connection, len(found))
        if not connection["pageInfo"]["hasNextPage"]:
            return [node or HIDDEN for node in found]
        variables = {"id": place["id"], "after": connection["pageInfo"]["endCursor"], "page": page}
        node = client.graphql(name, query, variables)["node"]
        if node is None:
            raise MovedError(f"query {name}: it is gone")
        connection = node["more"]
        found.extend(connection["nodes"])
    raise GitHubError(f"query {name}: more than {MOST_PAGES} pages")


def said(node: JSON) -> tuple[str, list[str]]:
    """A text with the commit of a review, and when it was written."""
    times = (node["createdAt"], node.get("submittedAt"), node["lastEditedAt"])
    commit = (node.get("commit") or {}).get("oid", "")
    return f"{node['body']} {commit}", [at for at in times if at is not None]


def said_before(node: JSON | None) -> Iterator[tuple[str, list[str]]]:
    """The earlier texts of a comment that was edited."""
    for edit in [] if node is None else node["userContentEdits"]["nodes"]:
        yield edit["diff"] or "", [edit["editedAt"]]


def said_by_rest(item: JSON) -> tuple[str, list[str]]:
    """A text as REST tells it, with the commit of a review, and when it was written."""
    times = (item.get("created_at"), item.get("submitted_at"), item.get("updated_at"))
    return f"{item['body'] or ''} {item.get('commit_id') or ''}", [at for at in times if at is not None]


def worth_reading(node: JSON, carries: Carries) -> bool:
    """Whether a comment carries a signal, or may have carried one before it was edited."""
    return node["lastEditedAt"] is not None or carries(node["body"])


def may_carry(item: JSON, carries: Carries) -> bool:
    """Whether a comment that REST told of carries a signal, or may have before it was touched."""
    return item.get("updated_at") != item.get("created_at") or carries(item["body"] or "")


def speakers(listed: Iterable[Listed], carries: Carries) -> set[Actor | None]:
    """The accounts whose words may judge: what they pushed must be known."""
    found: set[Actor | None] = set()
    for thread in listed:
        found |= {nodes.actor(node["author"]) for node in thread.thread.first if worth_reading(node, carries)}
        found |= {nodes.actor(item["user"]) for item in thread.late() if carries(item["body"] or "")}
    return found


def said_of_heads(
    listed: Iterable[Listed], versions: Mapping[str, JSON], plan: ReadingPlan, known: Mapping[Hashable, Any]
) -> Iterator[tuple[str, list[str]]]:
    """Texts on the pull request that carry a word, each with the times at which it may have been about the head.

    Those of people of whom it is ``known`` that nothing they write can count are not worth a look.
    """
    for thread in listed:
        for node in thread.thread.first:
            if not _is_stranger(nodes.actor(node["author"]), plan, known):
                before = said_before(versions.get(node["id"]))
                yield from (each for each in (said(node), *before) if plan.carries(each[0]))
        # what is beyond the first page and was edited may have carried one before
        late = (item for item in thread.late() if may_carry(item, plan.carries))
        heard = (item for item in late if not _is_stranger(nodes.actor(item["user"]), plan, known))
        yield from map(said_by_rest, heard)


def cited_paths(listed: Sequence[Listed], plan: ReadingPlan, known: Mapping[Hashable, Any]) -> tuple[str, ...]:
    """The files that texts call as proof: those of accounts that may speak come first, and strangers' not at all."""
    found = [(nodes.actor(node["author"]), node["body"]) for each in listed for node in each.thread.first]
    found += [(nodes.actor(item["user"]), item["body"] or "") for each in listed for item in each.late()]
    heard = [said for said in found if not _is_stranger(said[0], plan, known)]
    heard.sort(key=lambda said: not plan.may_speak(said[0], known.get(("person", said[0] and said[0].id))))
    paths = (path for _, text in heard for path in plan.cites(text))
    return tuple(dict.fromkeys(islice(paths, MOST_CITATIONS)))[:MOST_CITED]


def _is_stranger(account: Actor | None, plan: ReadingPlan, known: Mapping[Hashable, Any]) -> bool:
    person: Person | None = None if account is None else known.get(("person", account.id))
    told = person is not None and person.type == "User" and not plan.teams
    return told and not plan.may_speak(account, person)
