"""Comments and reviews, complete: GraphQL tells who edited what, REST which app wrote it; together they must agree.

The first hundred come with the pull request itself. The rest is read by page numbers, side by side, and then looked up
by id, so that a thousand comments take no more trips one after the other than two hundred.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from phasegate.github.client.answers import GitHubError, MovedError, Task, TooLargeError
from phasegate.github.client.client import Client
from phasegate.github.reading import nodes
from phasegate.github.reading.nodes import Modes, comment, edits, number
from phasegate.github.reading.queries import (
    HISTORY,
    MORE_ISSUE_EVENTS,
    MORE_PULL_EVENTS,
    PAGE,
    PULL_COMMITS,
    details_query,
    modes_query,
    statuses_query,
)
from phasegate.github.record import is_full, is_record, read_record
from phasegate.model.frozen import dataclass, replace
from phasegate.model.signal import OVERALL
from phasegate.model.snapshot import CommitStatus, Record, RefLog
from phasegate.model.texts import Actor, Comment

if TYPE_CHECKING:
    from phasegate.github.reading.opening import Opening

JSON = dict[str, Any]
Carries = Callable[[str], bool]
T = TypeVar("T")
R = TypeVar("R")


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
        numbers = range(first if self.with_apps else max(self.beyond, first), -(-self.total // PAGE) + 1)
        return [partial(client.page, self.path, per_page=PAGE, page=page) for page in numbers]

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
        said = (comment(node, apps.get(number(node["fullDatabaseId"]))) for node in nodes)
        whole = (_with_history(item, versions.get(node["id"])) for item, node in zip(said, nodes, strict=True))
        return tuple(sorted(whole, key=lambda item: (item.created_at, item.id)))


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


class Ask(Protocol):
    """A query, as a client asks it."""

    def __call__(self, name: str, query: str, variables: Mapping[str, Any]) -> JSON:
        """Its data."""


def in_pieces(client: Client, items: Sequence[T], ask: Callable[[Ask, Sequence[T]], R]) -> list[R]:
    """The answers to a question about some items; what is too much for one question is asked in halves."""
    if len(items) == 1:
        return [ask(client.graphql, items)]
    try:
        return [ask(client.divisible, items)]
    except TooLargeError:
        middle = len(items) // 2
    return [*in_pieces(client, items[:middle], ask), *in_pieces(client, items[middle:], ask)]


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


def history_tasks(client: Client, nodes: Iterable[JSON]) -> list[Task]:
    """The versions of those comments that were edited."""
    edited = [node["id"] for node in nodes if node["lastEditedAt"] is not None]
    return [partial(_history, client, batch) for batch in _batches(edited)]


def _history(client: Client, ids: list[str]) -> JSON:
    """The versions of some comments; where they are too long for one answer, in several."""
    found = in_pieces(client, ids, lambda ask, some: ask("History", HISTORY, {"ids": list(some)})["nodes"])
    return {"nodes": [node for nodes in found for node in nodes]}


def _batches(ids: list[str]) -> list[list[str]]:
    return [ids[start : start + PAGE] for start in range(0, len(ids), PAGE)]


def by_id(answers: Iterable[JSON]) -> dict[str, JSON]:
    """The nodes of several answers, by node id."""
    nodes = [node for answer in answers for node in answer["nodes"]]
    if any(node is None for node in nodes):
        raise MovedError("a comment was deleted meanwhile")
    return {node["id"]: node for node in nodes}


MOST_PAGES = 100
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


HEADS_AT_ONCE = 100
MOST_HEADS = 2000
READ_AT_ONCE, MOST_READ = 3, 30
# The success on so many older heads is withdrawn in one run; there hardly ever is more than one.
MOST_LEFT = 20
Recorded = tuple[str, CommitStatus]


@dataclass(frozen=True, kw_only=True, slots=True)
class Past:
    """The commits that were the head before, the newest first, each with when it was left at the latest.

    ``lost``: when there last was one that cannot be named any more.
    """

    heads: Mapping[str, str]
    lost: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordFound:
    """What is on record on older heads, and when the branch last was at one that was not read and may hold more.

    ``green``: those of the heads that were looked at on which a success stands.
    """

    statuses: tuple[Recorded, ...] = ()
    unseen: str | None = None
    green: tuple[str, ...] = ()


def record_on(client: Client, repository: str, commit: str) -> list[Recorded]:
    """Every status of the record on a commit, whoever wrote it and whatever was written after it."""
    told = client.pages(f"/repos/{repository}/commits/{commit}/statuses", per_page=PAGE)
    return [(commit, nodes.rest_status(item)) for item in told if is_record(item["context"])]


def past_heads(client: Client, pull: JSON, repository: str, log: RefLog, events: list[JSON]) -> Past:
    """The heads before this one: by the log, and where it ends by the commits and the force pushes."""
    head: str = pull["headRefOid"]
    known: dict[str, str] = {}
    for move, later in reversed(list(pairwise(log.moves))):
        if move.after != head:
            known.setdefault(move.after, later.at)
    if log.complete:
        return Past(heads=known)
    pushes = [event for event in events if event["__typename"] == "HeadRefForcePushedEvent"]
    commits = _commits(client, pull["id"])
    last = max((str(event["createdAt"]) for event in pushes), default=str(pull["createdAt"]))
    found = [(commit, last) for commit in reversed(commits or [])]
    lost = [last] if commits is None else []
    for event in pushes:
        at = str(event["createdAt"])
        behind = _behind(client, f"/repos/{repository}/compare/{pull['baseRefOid']}", event["beforeCommit"])
        found += [(commit, at) for commit in behind or []]
        lost += [at] if behind is None else []
    heads = {commit: at for commit, at in {**dict(found), **known}.items() if commit != head}
    return Past(heads=heads, lost=max(lost, default=None))


def _commits(client: Client, identity: str) -> list[str] | None:
    """The commits of a pull request, the oldest first; none where GitHub does not tell all that it counts."""
    found: list[str] = []
    before = None
    for _ in range(MOST_PAGES):
        node = client.graphql("Commits", PULL_COMMITS, {"id": identity, "before": before})["node"]
        if node is None:
            raise MovedError("query Commits: it is gone")
        page = node["commits"]
        found = [*(each["commit"]["oid"] for each in page["nodes"]), *found]
        if not page["pageInfo"]["hasPreviousPage"]:
            return found if len(set(found)) == page["totalCount"] else None
        before = page["pageInfo"]["startCursor"]
    return None


def _behind(client: Client, path: str, commit: JSON | None) -> list[str] | None:
    """The commits that a force push took away; none where GitHub does not tell all of them."""
    if commit is None:
        return None
    told = client.find(f"{path}...{commit['oid']}", per_page=PAGE)
    if told is None or told["total_commits"] != len(told["commits"]):
        return None
    return [commit["oid"], *(each["sha"] for each in reversed(told["commits"]))]


def last_record(client: Client, repository: str, past: Past, own: Actor | None) -> RecordFound:
    """The record on the heads that it was last written on: each holds all that was on record before."""
    heads, unread = list(past.heads), [past.lost] if past.lost else []
    read: list[Recorded] = []
    green: list[str] = []
    for start in range(0, min(len(heads), MOST_HEADS), HEADS_AT_ONCE):
        chunk = heads[start : start + HEADS_AT_ONCE]
        told = _reported(client, repository, chunk)
        holding, gone = _holding(told), [head for head in chunk if not told[head]]
        green += [head for head in chunk if any(map(_is_success, _contexts(told[head])))]
        for few in _few(holding):
            found = client.together({commit: partial(record_on, client, repository, commit) for commit in few})
            if not all(found.values()):
                raise MovedError("a status of the record is told by one interface and not by the other")
            read += [each for statuses in found.values() for each in statuses]
            unread += [past.heads[commit] for commit, statuses in found.items() if is_full(statuses)]
            if read_record(read, own).signals:
                newer = chunk[: min(chunk.index(commit) for commit in few)]
                lost = [past.heads[commit] for commit in gone if commit in newer]
                unseen = max([*unread, *lost], default=None)
                return RecordFound(statuses=tuple(read), unseen=unseen, green=tuple(green))
        unread += [past.heads[commit] for commit in (*gone, *holding[MOST_READ:])]
    unread += [past.heads[commit] for commit in heads[MOST_HEADS:]]
    return RecordFound(statuses=tuple(read), unseen=max(unread, default=None), green=tuple(green))


def left_green(client: Client, opened: Opening, green: Iterable[str], listed: Iterable[JSON]) -> tuple[str, ...]:
    """Those of some older heads whose success nobody needs: no open pull request stands there, nor the base itself."""
    heads = {node["headRefOid"] for node in listed}
    root = f"{opened.target.root}/compare/{opened.pull['baseRefOid']}"
    left = [commit for commit in green if commit not in heads][:MOST_LEFT]
    told = client.together({commit: partial(client.find, f"{root}...{commit}", per_page=1) for commit in left})
    return tuple(commit for commit in left if (told[commit] or {}).get("ahead_by"))


def _few(commits: list[str]) -> Iterator[list[str]]:
    for start in range(0, min(len(commits), MOST_READ), READ_AT_ONCE):
        yield commits[start : start + READ_AT_ONCE]


def _reported(client: Client, repository: str, heads: list[str]) -> dict[str, JSON | None]:
    """What was reported on each of some commits; none of those that are gone."""
    owner, _, name = repository.partition("/")

    def reported(ask: Ask, some: Sequence[str]) -> JSON:
        answer = ask("Statuses", statuses_query(some), {"owner": owner, "name": name})["repository"]
        return {head: answer[f"head{number}"] for number, head in enumerate(some)}

    return {head: found for piece in in_pieces(client, heads, reported) for head, found in piece.items()}


def _contexts(commit: JSON | None) -> list[JSON]:
    found: list[JSON] = ((commit or {}).get("status") or {}).get("contexts", [])
    return found


def _is_success(status: JSON) -> bool:
    return (status["context"].lower(), status["state"]) == (OVERALL, "SUCCESS")


def _holding(told: Mapping[str, JSON | None]) -> list[str]:
    """Those of some commits that hold a record, the one that was written last first."""
    written: dict[str, str] = {}
    for head, found in told.items():
        times = [each["createdAt"] for each in _contexts(found) if is_record(each["context"])]
        if times:
            written[head] = max(times)
    return sorted(written, key=lambda head: written[head], reverse=True)


def mode_tasks(client: Client, repository: str, places: Sequence[tuple[str, str]]) -> list[Task]:
    """What tells modes and object ids at some paths of commits, a hundred of them in a question."""
    starts = range(0, len(places), PAGE)
    return [partial(_modes, client, repository, places[start : start + PAGE]) for start in starts]


def _modes(client: Client, repository: str, places: Sequence[tuple[str, str]]) -> Modes:
    owner, _, name = repository.partition("/")
    numbers = {path: number for number, path in enumerate(dict.fromkeys(path for _, path in places))}
    asked: dict[str, list[int]] = {}
    for commit, path in places:
        asked.setdefault(commit, []).append(numbers[path])
    variables = {f"path{number}": path for path, number in numbers.items()}
    query = modes_query(list(asked.items()))
    answer = client.graphql("Modes", query, {"owner": owner, "name": name, **variables})["repository"]
    commits = {commit: answer[f"commit{index}"] or {} for index, commit in enumerate(asked)}
    entries = {(commit, path): commits[commit].get(f"path{numbers[path]}") for commit, path in places}
    return {place: entry and (f"{entry['mode']:06o}", entry["oid"]) for place, entry in entries.items()}


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
            return [node for node in found if node is not None]
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


def whole_record(here: list[tuple[str, CommitStatus]], older: RecordFound, own: Actor | None) -> Record:
    """All that is on record, and whether that is all."""
    found = read_record((*here, *older.statuses), own)
    return replace(found, complete=older.unseen is None, unseen=older.unseen, full=is_full(here))
