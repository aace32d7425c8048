"""Comments and reviews, complete: GraphQL gives their edits, REST their apps, and the two must agree.

The first hundred come with the pull request. The rest is read by page number in parallel and then looked up by id, so
that a thousand comments take no more consecutive trips than two hundred.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from phasegate.github.client.answers import GitHubError, MovedError, Task
from phasegate.github.client.client import Client
from phasegate.github.reading.nodes import APP, actor, bare, comment, edits, number
from phasegate.github.reading.queries import (
    DETAILS,
    HISTORY,
    MORE_ISSUE_EVENTS,
    MORE_PULL_EVENTS,
    PAGE,
    place,
    places_query,
)
from phasegate.github.reading.waves import Asked, Question
from phasegate.model.frozen import dataclass, replace
from phasegate.model.plan import ReadingPlan
from phasegate.model.texts import Actor, Comment, Edit, Person

JSON = dict[str, Any]
T = TypeVar("T")
Carries = Callable[[str], bool]
# A path of a commit.
Place = tuple[str, str]
MOST_PAGES = 100
MOST_CITED, MOST_CITATIONS = 30, 1000
USER, GHOST = "User", "ghost"
ACTS = ("APPROVED", "CHANGES_REQUESTED")


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """A text before it is read completely."""

    author: Actor | None
    text: str
    commit: str  # of a review
    times: tuple[str | None, ...]  # written, submitted and edited
    changed: bool  # it may have said something else before
    acts: bool  # it is a review whose state alone counts

    @staticmethod
    def of(node: JSON) -> Said:
        """A text from GraphQL."""
        return Said(
            author=actor(node["author"]),
            text=node["body"],
            commit=(node.get("commit") or {}).get("oid", ""),
            times=(node["createdAt"], node.get("submittedAt"), node["lastEditedAt"]),
            changed=node["lastEditedAt"] is not None,
            acts=node.get("state") in ACTS,
        )

    @staticmethod
    def by_rest(item: JSON) -> Said:
        """A text from REST."""
        return Said(
            author=actor(item["user"]),
            text=item["body"] or "",
            commit=item.get("commit_id") or "",
            times=(item.get("created_at"), item.get("submitted_at"), item.get("updated_at")),
            changed=item.get("updated_at") != item.get("created_at"),
            acts=str(item.get("state", "")).upper() in ACTS,
        )

    @property
    def dated(self) -> tuple[str, list[str]]:
        """Its text with the commit, and its times."""
        return f"{self.text} {self.commit}", [at for at in self.times if at is not None]

    def may_carry(self, carries: Carries) -> bool:
        """True if it holds a signal, or may have held one before it was changed."""
        return self.changed or carries(self.text)


@dataclass(frozen=True, kw_only=True, slots=True)
class Thread:
    """A list of comments or reviews: its place in REST, and its first part from GraphQL."""

    path: str
    total: int
    first: list[JSON]
    with_apps: bool  # REST tells more of each item, so that every page is read, not only those beyond the first
    items: tuple[JSON, ...] = ()  # all that REST lists of it, once that is read

    def pages(self, client: Client, first: int = 1) -> list[Task]:
        """A task for each REST page needed, from some page on."""
        if not self.with_apps and len(self.first) >= self.total:
            return []
        if self.total > MOST_PAGES * PAGE:
            raise GitHubError(f"{self.path}: GitHub counts {self.total}, and at most {MOST_PAGES * PAGE} are read")
        begin = first if self.with_apps or len(self.first) < PAGE else max(2, first)
        return [partial(self._page, client, page) for page in range(begin, -(-self.total // PAGE) + 1)]

    def _page(self, client: Client, page: int) -> list[JSON]:
        return bare(client.page(self.path, per_page=PAGE, page=page))

    def listed(self, pages: Iterable[list[JSON]]) -> Thread:
        """The pages combined: every item once, and with GraphQL's items as many as GitHub counts."""
        items = tuple(item for page in pages for item in page)
        known = {node["id"] for node in self.first} | {item["node_id"] for item in items}
        if len({item["id"] for item in items}) != len(items) or len(known) < self.total:
            raise MovedError(f"{self.path}: {len(known)} read, {self.total} expected")
        return replace(self, items=items)

    def late(self) -> list[JSON]:
        """Items that GraphQL has not returned yet."""
        known = {node["id"] for node in self.first}
        return [item for item in self.items if item["node_id"] not in known]

    def assembled(
        self, told: Mapping[str, JSON], versions: Mapping[str, JSON], carries: Carries
    ) -> tuple[Comment, ...]:
        """The thread for the snapshot, oldest first.

        One interface may hide what the other shows, such as words of accounts taken for spam. If these hold a signal,
        their worth is unknown.
        """
        late, rest = self.late(), {item["id"]: item for item in self.items}
        hidden = [item for item in late if item["node_id"] not in told]
        shown = ({"body": item["body"] or "", **told[item["node_id"]]} for item in late if item["node_id"] in told)
        nodes = [(node, rest.get(number(node["fullDatabaseId"]))) for node in (*self.first, *shown)]
        untold = [node for node, item in nodes if self.with_apps and item is None]
        if len(nodes) + len(hidden) < self.total or any(carries(each["body"] or "") for each in (*hidden, *untold)):
            raise MovedError(f"{self.path}: the two lists differ")
        if any(item and _disagree(node, item.get("user")) and carries(node["body"]) for node, item in nodes):
            raise MovedError(f"{self.path}: the two lists tell of different authors")
        apps = ((node, (item or {}).get(APP)) for node, item in nodes)
        said = (_with_history(comment(node, app and app["id"]), versions.get(node["id"])) for node, app in apps)
        return tuple(sorted(said, key=lambda item: (item.created_at, item.id)))


def _disagree(node: JSON, user: JSON | None) -> bool:
    """True if REST has a comment by a person, and GraphQL by another account or none."""
    other, own = actor(user), actor(node["author"])
    if other is None or other.type != USER or other.login == GHOST:
        return False
    return own is None or (own.type, own.id, own.login.lower()) != (USER, other.id, other.login.lower())


def _with_history(said: Comment, node: JSON | None) -> Comment:
    if node is None:
        if said.edited_at is not None:
            raise MovedError(f"{said.url}: its earlier texts were asked for and are not there")
        return said
    history, whole = edits_of(node)
    return replace(said, history=history, history_complete=whole)


def edits_of(node: JSON) -> tuple[tuple[Edit, ...], bool]:
    """The versions of an edited text, and whether they are complete."""
    connection = node["userContentEdits"]
    found = edits(connection)
    return found, bool(node["includesCreatedEdit"]) and len(found) == connection["totalCount"]


def detail_questions(ids: Sequence[str]) -> list[Question]:
    """GraphQL's details of comments beyond the first page, by node id; nothing about hidden ones."""

    def asks(some: Sequence[str]) -> Asked:
        return "Details", DETAILS, {"ids": list(some)}

    def tells(answer: JSON, _: Sequence[str]) -> dict[str, JSON]:
        return {node["id"]: node for node in answer["lot0"] if node is not None}

    return [Question(items=some, asks=asks, tells=tells) for some in _lots(ids, PAGE)]


def history_questions(nodes: Iterable[JSON]) -> list[Question]:
    """The versions of edited comments, in several questions if they are too long for one."""

    def asks(ids: Sequence[str]) -> Asked:
        return "History", HISTORY, {"ids": list(ids)}

    edited = [node["id"] for node in nodes if node["lastEditedAt"] is not None]
    return [Question(items=some, asks=asks, tells=lambda answer, _: by_id(answer)) for some in _lots(edited, PAGE)]


def _lots(items: Sequence[T], size: int) -> list[Sequence[T]]:
    return [items[start : start + size] for start in range(0, len(items), size)]


def by_id(answer: JSON) -> dict[str, JSON]:
    """The requested nodes, by id."""
    if None in answer["nodes"]:
        raise MovedError("a comment was deleted meanwhile")
    return {node["id"]: node for node in answer["nodes"]}


# An event invisible to this token.
HIDDEN: JSON = {"__typename": "Hidden", "id": None}
MORE_EVENTS = {"MoreIssueEvents": MORE_ISSUE_EVENTS, "MorePullEvents": MORE_PULL_EVENTS}


def contexts(commit: JSON) -> list[JSON]:
    """The latest status of each context on a commit. GitHub returns null if there is none."""
    if commit["status"] is None:
        return []
    found: list[JSON] = commit["status"]["contexts"]
    whole_page("PullRequest", {"nodes": found, "pageInfo": {"hasNextPage": not found}}, len(found))
    return found


def place_questions(
    title: str,
    wanted: str,
    repository: str,
    places: Sequence[Place],
    tell: Callable[[Place, JSON | None], Mapping[Place, Any]],
) -> list[Question]:
    """Fields of the entries at some paths of commits, a hundred per question."""

    def asks(some: Sequence[Place]) -> Asked:
        paths = {f"path{number}": path for number, (_, path) in enumerate(some)}
        query = places_query(title, wanted, [commit for commit, _ in some])
        return title, query, {**place(repository), **paths}

    def tells(answer: JSON, some: Sequence[Place]) -> dict[Place, Any]:
        told = (tell(each, answer["repository"][f"commit{number}"]) for number, each in enumerate(some))
        return {at: found for each in told for at, found in each.items()}

    return [Question(items=some, asks=asks, tells=tells) for some in _lots(places, PAGE)]


def mode_questions(repository: str, places: Sequence[Place]) -> list[Question]:
    """Modes and object ids at some paths of commits; None for a missing path."""

    def tell(at: Place, commit: JSON | None) -> Mapping[Place, Any]:
        file = (commit or {}).get("file")
        return {at: file and (f"{file['mode']:06o}", file["oid"])}

    return place_questions("Modes", "mode oid", repository, places, tell)


MOST_COUNTED = 1000


def counted(client: Client, path: str, name: str, **asked: str | int) -> tuple[list[JSON], int]:
    """A list that gives its length with each page, and that length. GitHub lists a limited number."""
    found, total = list[JSON](), 0
    for page in range(1, MOST_COUNTED // PAGE + 1):
        answer = client.get(path, **asked, per_page=PAGE, page=page)
        found, total = [*found, *answer[name]], answer["total_count"]
        if len(found) >= total or not answer[name]:
            break
    return found, total


def check_runs(client: Client, commit: str, whose: int | str, root: str) -> list[JSON]:
    """Every check run of an app or name on a commit, replaced ones included."""
    wanted = {"check_name" if isinstance(whose, str) else "app_id": whose}
    path = f"{root}/commits/{commit}/check-runs"
    found, total = counted(client, path, "check_runs", filter="all", **wanted)
    if total > MOST_COUNTED:
        told = f"{whose} has {total} check runs on {commit[:7]}"
        raise GitHubError(f"{told}; at most {MOST_COUNTED} are read")
    if len({run["id"] for run in found}) != total:
        raise MovedError(f"{path}: {len(found)} read, {total} expected")
    # GitHub may not know the filter
    return [run for run in found if whose in (run.get("name"), (run["app"] or {}).get("id"))]


def whole_page(name: str, page: JSON, read: int) -> None:
    """Refuses a page with fewer items than it counts, and a list that ends early.

    For a timeline GitHub counts the page, for other lists the total.
    """
    nodes, expected, total = page["nodes"], page.get("pageCount"), page.get("totalCount")
    more = page["pageInfo"]["hasNextPage"]
    if expected not in (None, len(nodes)) or (more and not nodes):
        raise MovedError(f"query {name}: a page with {len(nodes)} of {expected}")
    if not more and total not in (None, read):
        raise MovedError(f"query {name}: {read} read, {total} expected")


def every_event(client: Client, name: str, timeline: JSON, page: int = PAGE) -> list[JSON]:
    """Every requested event of an issue's or a pull request's timeline, page by page."""
    connection = timeline["timelineItems"]
    found = list(connection["nodes"])
    for _ in range(MOST_PAGES):
        whole_page(name, connection, len(found))
        if not connection["pageInfo"]["hasNextPage"]:
            return [node or HIDDEN for node in found]
        variables = {"id": timeline["id"], "after": connection["pageInfo"]["endCursor"], "page": page}
        node = client.graphql(name, MORE_EVENTS[name], variables)["node"]
        if node is None:
            raise MovedError(f"query {name}: it is gone")
        connection = node["more"]
        found.extend(connection["nodes"])
    raise GitHubError(f"query {name}: more than {MOST_PAGES} pages")


def speakers(threads: Iterable[Thread], carries: Carries) -> set[Actor | None]:
    """Accounts whose words may judge: their pushes must be known."""
    found: set[Actor | None] = set()
    for thread in threads:
        found |= {said.author for said in map(Said.of, thread.first) if said.may_carry(carries)}
        found |= {said.author for said in map(Said.by_rest, thread.late()) if carries(said.text)}
    return found


def said_of_heads(
    threads: Iterable[Thread], versions: Mapping[str, JSON], plan: ReadingPlan, known: Mapping[Hashable, Any]
) -> Iterator[tuple[str, list[str]]]:
    """Texts on the pull request that hold a word, each with the times at which it may have been about the head.

    Texts of people ``known`` to have no say are left out.
    """
    for thread in threads:
        for node in thread.first:
            said, history = Said.of(node), versions.get(node["id"])
            if not _is_stranger(said.author, plan, known):
                before = history["userContentEdits"]["nodes"] if history else []
                texts = [said.dated, *((edit["diff"] or "", [edit["editedAt"]]) for edit in before)]
                yield from (each for each in texts if plan.carries(each[0]))
        # what is beyond the first page and was edited may have carried one before
        late = (said for said in map(Said.by_rest, thread.late()) if said.may_carry(plan.carries))
        yield from (said.dated for said in late if not _is_stranger(said.author, plan, known))


def cited_paths(threads: Sequence[Thread], plan: ReadingPlan, known: Mapping[Hashable, Any]) -> tuple[str, ...]:
    """Files cited as proof: those of accounts that may speak first, strangers' not at all."""
    found = [said for each in threads for said in map(Said.of, each.first)]
    found += [said for each in threads for said in map(Said.by_rest, each.late())]
    heard = [said for said in found if not _is_stranger(said.author, plan, known)]
    heard.sort(key=lambda said: not plan.may_speak(said.author, known.get(("person", said.author and said.author.id))))
    paths = (path for said in heard for path in plan.cites(said.text))
    return tuple(dict.fromkeys(islice(paths, MOST_CITATIONS)))[:MOST_CITED]


def _is_stranger(account: Actor | None, plan: ReadingPlan, known: Mapping[Hashable, Any]) -> bool:
    person: Person | None = None if account is None else known.get(("person", account.id))
    told = person is not None and person.type == "User" and not plan.teams
    return told and not plan.may_speak(account, person)
