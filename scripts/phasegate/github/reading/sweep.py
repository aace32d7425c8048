"""Sweeping: which open pull requests have changed since they were decided, at few points for each hundred of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import partial
from math import inf
from typing import Any

from phasegate.github.client.answers import GitHubError, MissingError, MovedError, TooLargeError, as_documented
from phasegate.github.client.client import Client
from phasegate.github.reading import nodes
from phasegate.github.reading.conversation import check_runs
from phasegate.github.reading.fingerprint import comments_at, hidden_at, known_since, places_of, words
from phasegate.github.reading.queries import (
    ACTOR,
    LAST_COMMENT,
    PAGE,
    PAGES,
    each_query,
)
from phasegate.github.reading.since import blobs_at, last_other, moves_of
from phasegate.github.reading.waves import Ask, in_pieces
from phasegate.github.reading.window import Window
from phasegate.github.record import is_seal, seconds
from phasegate.model.contexts import context_name
from phasegate.model.frozen import dataclass
from phasegate.model.texts import Actor

JSON = dict[str, Any]
# Whether texts of an account hold nothing that the policy reads.
Chatter = Callable[[Iterable[str], Actor], bool]
# How many pull requests are looked at in one question, and how many comments of each place.
LOT, MOST_NEW = 20, 16
# Between two looks at a list that lacks some: what was opened meanwhile stands on a page that was read already.
BETWEEN_LOOKS = (1.0, 2.0)
MOST_OPEN = 50
HOUR = 3600.0
# Every pull request is decided once a day; from some hours before on, so that not all of them come at once.
DAILY, OVERDUE = 20 * HOUR, 23 * HOUR
SHARES = 6
# Two things of almost the same time may have come in another order than they are told.
MARGIN = 5.0

# One point for each hundred: of every pull request only the comment that was touched last is looked up.
SWEEP = """
query Sweep($owner: String!, $name: String!, $policy: String!, $page: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    defaultBranchRef { name }
    policy: object(expression: $policy) { oid }
    pullRequests(first: $page, states: OPEN, orderBy: {field: UPDATED_AT, direction: DESC}, after: $after) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes { number createdAt updatedAt headRefOid baseRefName LAST_COMMENT }
    }
  }
}
""".replace("LAST_COMMENT", LAST_COMMENT)


def swept_query(pulls: Sequence[tuple[int, str]]) -> str:
    """The query for the statuses and linked issues of some pull requests, by number and head."""
    asked = (
        f'pull{n}: pullRequest(number: {number}) {{ ...linked }} head{n}: object(oid: "{head}") {{ ...decided }}'
        for n, (number, head) in enumerate(pulls)
    )
    query = each_query("Swept($owner: String!, $name: String!)", asked, "viewer { login databaseId }")
    return f"""{query}fragment linked on PullRequest {{
  closingIssuesReferences(first: 20) {{ nodes {{ number repository {{ nameWithOwner }} }} }}
}}
fragment decided on Commit {{ oid status {{ contexts {{ context state createdAt creator {{ ...actor }} }} }} }}
{ACTOR}"""


def issues_query(numbers: Iterable[int]) -> str:
    """The query for when some issues were last touched."""
    asked = (f"issue{index}: issue(number: {number}) {{ ...touched }}" for index, number in enumerate(numbers))
    query = each_query("SweptIssues($owner: String!, $name: String!)", asked)
    return f"{query}fragment touched on Issue {{ updatedAt {LAST_COMMENT} }}"


def talk_query(numbers: Iterable[int], window: Window) -> str:
    """The query for how some pull requests look, by number."""
    asked = (f"pull{index}: pullRequest(number: {number}) {{ ...looks }}" for index, number in enumerate(numbers))
    return each_query("Talk($owner: String!, $name: String!)", asked) + window.fragments()


class Due(str, Enum):
    """Why a pull request is to be decided."""

    NO_STATUS = "no status on its head yet"
    OTHER_STATUS = "its status is not the gate's own"
    UNDECIDED = "it could not be decided before"
    UNTOLD = "GitHub did not tell all of it"
    SHARED = "another open pull request has the same head"
    OPENED = "it was opened since"
    TOUCHED = "it was touched"
    COMMENT = "a comment changed"
    ISSUE = "a linked issue changed"
    CHECKS = "a check run changed"
    POLICY = "the policy changed"
    EXPIRY = "a word may have expired"
    RECORD = "its record is renewed"
    DAILY = "once a day"


@dataclass(frozen=True, kw_only=True, slots=True)
class Open:
    """An open pull request at a glance: when it was last touched, and when its status was written, in seconds.

    ``linked``: how many issues it closes, ``issues`` are those of this repository. ``checked``: when a status that the
    policy reads was last written, ``kept`` when its record was, if there is one. ``told``: whether all of it was told.
    """

    number: int
    head: str
    opened: float
    touched: float
    commented: float
    issues: tuple[int, ...] = ()
    linked: int = 0
    state: str | None = None
    own: bool = False
    decided: float = 0.0
    checked: float = 0.0
    kept: float = inf
    told: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """What is to be decided, in this order, and how many there are in all. ``blind``: the policy's age is not known."""

    due: tuple[tuple[Open, Due], ...]
    total: int
    blind: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """What is swept: the repository, where its policy stands, and whose check runs are read.

    ``base_in_context``: whether the statuses name the base branch. ``expiring``: whether words may name a time up to
    which they count, so that a success may end by itself. ``lasts``: for how many seconds a record is not written anew.
    """

    repository: str
    policy_path: str
    base_in_context: bool = False
    apps: tuple[int | str, ...] = ()
    expiring: bool = False
    lasts: float = inf

    @property
    def named(self) -> dict[str, str]:
        """The variables that every query has."""
        owner, _, name = self.repository.partition("/")
        return {"owner": owner, "name": name}


def look_around(client: Client, place: Place, is_chatter: Chatter) -> Listed:
    """Every open pull request that is to be decided: what changed first, the last touched before others.

    What was only touched by chatter has not changed.
    """
    with as_documented(f"the open pull requests of {place.repository}"):
        pages, repository = _pages(client, place)
        seen = [item for page in pages for item in _details(client, place, page)]
        issues = _issues(client, place, {number for item in seen for number in item.issues})
        since = _policy_since(client, place, repository)
        now = client.there(client.now())
        if now is None:
            raise GitHubError("GitHub did not tell the time")
        heads = Counter(item.head for item in seen)
        shared = frozenset(item.number for item in seen if heads[item.head] > 1)
        told = [(item, _why(client, place, item, shared, issues, since or 0.0, now)) for item in seen]
        quiet = _quiet(client, place, told, issues, is_chatter)
        told = [
            (item, _in_turn(place, item, now) if why is None or item.number in quiet else why) for item, why in told
        ]
    return Listed(due=_in_order(told, now), total=len(seen), blind=since is None)


def _pages(client: Client, place: Place) -> tuple[list[list[JSON]], JSON]:
    """The open pull requests, a hundred at a time, and the repository; all that GitHub counts."""
    found = total = 0
    for wait in (*BETWEEN_LOOKS, None):
        pages, repository = _listed(client, place)
        found, total = sum(map(len, pages)), repository["pullRequests"]["totalCount"]
        if found >= total:
            return pages, repository
        if wait is not None:
            client.pause(wait, "listing the open pull requests again")
    listed = f"{found} of {total} open pull requests of {place.repository} were listed"
    raise GitHubError(f"{listed}. The next sweep tries again")


def _listed(client: Client, place: Place) -> tuple[list[list[JSON]], JSON]:
    """The list of open pull requests, once."""
    pages: list[list[JSON]] = []
    found: set[int] = set()
    after: str | None = None
    sizes = list(PAGES)
    while len(found) <= MOST_OPEN * PAGE and len(pages) <= MOST_OPEN * PAGE // sizes[-1]:
        variables = {**place.named, "policy": f"HEAD:{place.policy_path}", "after": after, "page": sizes[0]}
        try:
            ask = client.divisible if len(sizes) > 1 else client.graphql
            repository = ask("Sweep", SWEEP, variables)["repository"]
        except TooLargeError:
            if len(sizes) == 1:
                raise
            sizes.pop(0)
            continue
        if repository is None:
            raise MissingError(f"{place.repository} is not a repository that this token can see")
        listed = repository["pullRequests"]
        # what is touched meanwhile moves to the front, and pushes another one onto the next page
        pages.append([node for node in listed["nodes"] if node["number"] not in found])
        found |= {node["number"] for node in listed["nodes"]}
        after = listed["pageInfo"]["endCursor"]
        if not listed["pageInfo"]["hasNextPage"]:
            return pages, repository
    raise GitHubError(f"{place.repository} has more than {MOST_OPEN * PAGE} open pull requests")


def _details(client: Client, place: Place, page: list[JSON]) -> Iterator[Open]:
    """The pull requests of a page with their statuses and linked issues."""
    if not page:
        return
    for node, pull, status in _told(client, place, page):
        linked = ((pull or {}).get("closingIssuesReferences") or {"nodes": []})["nodes"]
        here = (each for each in linked if each is not None)
        yield Open(
            number=node["number"],
            head=node["headRefOid"],
            told=pull is not None,
            opened=seconds(node["createdAt"]),
            touched=seconds(node["updatedAt"]),
            commented=max((seconds(each["updatedAt"]) for each in node["lastComment"]["nodes"]), default=0.0),
            issues=tuple(
                each["number"]
                for each in here
                if each["repository"]["nameWithOwner"].lower() == place.repository.lower()
            ),
            linked=len(linked),
            **status,
        )


def _told(client: Client, place: Place, page: list[JSON]) -> Iterator[tuple[JSON, JSON | None, dict[str, Any]]]:
    """Each pull request of a page with what is told of it and of its head, in as few questions as GitHub answers."""

    def ask_for(ask: Ask, some: Sequence[JSON]) -> list[tuple[JSON, JSON | None, dict[str, Any]]]:
        query = swept_query([(node["number"], node["headRefOid"]) for node in some])
        answer = ask("Swept", query, place.named)
        own, told = nodes.viewer(answer.get("viewer")), answer["repository"]
        return [
            (node, told[f"pull{index}"], _status(told[f"head{index}"] or {}, place, node["baseRefName"], own))
            for index, node in enumerate(some)
        ]

    for piece in in_pieces(client, page, ask_for):
        yield from piece


def _status(commit: JSON, place: Place, base: str, own: Actor | None) -> dict[str, Any]:
    """The overall status of a head: its state, when it was written, and whether by the gate itself.

    Beside it: when one of those was last written that the policy reads as checks, and when the record was.
    """
    contexts = (commit.get("status") or {}).get("contexts", [])
    named = {each.lower() for each in place.apps if isinstance(each, str)}
    times = (seconds(each["createdAt"]) for each in contexts if each["context"].lower() in named)
    found: dict[str, Any] = {"checked": max(times, default=0.0)}
    wanted = context_name(base=base if place.base_in_context else None).lower()
    for each in contexts:
        author, at = nodes.actor(each["creator"]), seconds(each["createdAt"])
        ours = own is not None and author is not None and author.id == own.id
        if is_seal(each["context"]) and ours:
            found["kept"] = at
        if each["context"].lower() == wanted:
            found |= {"state": each["state"].lower(), "decided": at, "own": ours}
    return found


def _issues(client: Client, place: Place, numbers: set[int]) -> dict[int, float]:
    """When each linked issue was last touched, or a comment on it was; of one that is not told that may be now."""

    def ask_for(ask: Ask, some: Sequence[int]) -> dict[int, JSON | None]:
        told = ask("SweptIssues", issues_query(some), place.named)["repository"]
        return {number: told[f"issue{index}"] for index, number in enumerate(some)}

    found: dict[int, JSON | None] = {}
    ordered = sorted(numbers)
    for start in range(0, len(ordered), PAGE):
        for piece in in_pieces(client, ordered[start : start + PAGE], ask_for):
            found |= piece
    return {number: inf if issue is None else _last(issue) for number, issue in found.items()}


def _last(issue: JSON) -> float:
    return max(map(seconds, (issue["updatedAt"], *(each["updatedAt"] for each in issue["lastComment"]["nodes"]))))


def _policy_since(client: Client, place: Place, repository: JSON) -> float | None:
    """Since when the policy is what it is, by the server's log of the default branch; none where that is not told.

    As far as the log is read the policy may have been another one before it.
    """
    branch = repository["defaultBranchRef"]
    if branch is None:
        return None
    moves = moves_of(client, place.repository, branch["name"])
    if moves is None:
        return None
    present = (repository["policy"] or {}).get("oid")
    if not moves:
        return 0.0
    files = blobs_at(client, place.repository, place.policy_path, [move["before"] for move in moves])
    return last_other(moves, lambda before: files[before] != present)


def _why(  # noqa: PLR0913, PLR0917  (all that may have changed)
    client: Client,
    place: Place,
    item: Open,
    shared: frozenset[int],
    issues: Mapping[int, float],
    policy: float,
    now: float,
) -> Due | None:
    """What changed, so that a pull request is to be decided."""
    if item.state is None:
        return Due.NO_STATUS
    reasons = (
        (Due.UNTOLD, not item.told),
        (Due.SHARED, item.state == "success" and item.number in shared),
        (Due.OPENED, _is_after(item.opened, item)),
        (Due.CHECKS, _is_after(item.checked, item)),
        (Due.OTHER_STATUS, not item.own),
        (Due.UNDECIDED, item.state == "error"),
        (Due.POLICY, _is_after(policy, item)),
        (Due.EXPIRY, place.expiring and item.state == "success" and now - item.decided >= HOUR),
        (Due.COMMENT, _is_after(item.commented, item)),
        (Due.TOUCHED, _is_after(item.touched, item)),
        (Due.ISSUE, any(_is_after(issues[number], item) for number in item.issues)),
    )
    found = next((due for due, holds in reasons if holds), None)
    if found is None and _checked_since(client, place, item):
        return Due.CHECKS
    return found


def _in_turn(place: Place, item: Open, now: float) -> Due | None:
    """Whether a pull request that nothing changed of is to be decided all the same."""
    if now - min(item.kept, item.decided) >= place.lasts:
        return Due.RECORD
    return Due.DAILY if now - item.decided >= DAILY else None


def _checked_since(client: Client, place: Place, item: Open) -> bool:
    """Whether an app that the policy reads wrote into a check run since; it takes a request for each app."""
    root = f"/repos/{place.repository}"
    try:
        runs = [run for app in place.apps for run in check_runs(client, item.head, app, root)]
    except MovedError:
        return True
    times = (run["completed_at"] or run["started_at"] for run in runs)
    return any(_is_after(seconds(at), item) for at in times if at is not None)


def _quiet(
    client: Client,
    place: Place,
    told: Iterable[tuple[Open, Due | None]],
    issues: Mapping[int, float],
    is_chatter: Chatter,
) -> frozenset[int]:
    """Those that were touched, they or their issues, by nothing but chatter since they were decided."""
    touched = [item for item, why in told if why in (Due.TOUCHED, Due.COMMENT, Due.ISSUE)]
    stirred = [item for item in touched if any(_is_after(issues[number], item) for number in item.issues)]
    calm = [item for item in touched if item not in stirred]
    quiet: set[int] = set()
    for items, on_issue in ((calm, 1), (stirred, MOST_NEW)):
        linked = max((item.linked for item in items), default=0)
        looks = partial(_quiet_ones, place, Window(said=MOST_NEW, issues=linked or 1, on_issue=on_issue), is_chatter)
        for start in range(0, len(items), LOT):
            for piece in in_pieces(client, items[start : start + LOT], looks):
                quiet |= piece
    return frozenset(quiet)


def _quiet_ones(place: Place, window: Window, is_chatter: Chatter, ask: Ask, some: Sequence[Open]) -> set[int]:
    found = ask("Talk", talk_query([item.number for item in some], window), place.named)["repository"]
    looks = ((item, found[f"pull{index}"]) for index, item in enumerate(some))
    return {item.number for item, pull in looks if _only_chatter(pull, place, item, window, is_chatter)}


def _only_chatter(pull: JSON | None, place: Place, item: Open, window: Window, is_chatter: Chatter) -> bool:
    """Whether all that happened since is comments that hold nothing for the gate, in any version."""
    since = int(item.decided - MARGIN)
    if pull is None or pull["headRefOid"] != item.head or pull["closingIssuesReferences"]["totalCount"] > window.issues:
        return False
    places = places_of({"nameWithOwner": place.repository, "pullRequest": pull})
    events = (event for each in places for event in each["timelineItems"]["nodes"])
    reviews = pull["reviews"]["nodes"]
    times = [pull["lastEditedAt"], *(None if event is None else event["createdAt"] for event in events)]
    times += [review["updatedAt"] for review in reviews]
    cut = len(reviews) < pull["reviews"]["totalCount"] or any(hidden_at(places, window.sizes(places)))
    if cut or known_since(places, window) > since or any(seconds(at) >= since for at in times if at is not None):
        return False
    return not list(words(comments_at(places), since, lambda texts, author: not is_chatter(texts, author)))


def _is_after(at: float, item: Open) -> bool:
    return at + MARGIN > item.decided


def _in_order(told: Iterable[tuple[Open, Due | None]], now: float) -> tuple[tuple[Open, Due], ...]:
    """What changed, the last touched first; then records that age, the oldest first; then those of the day.

    Of these the longest undecided come first, a share at a time.
    """
    every = list(told)
    due = [(item, why) for item, why in every if why is not None]
    in_turn = (Due.DAILY, Due.RECORD)
    changed = sorted((each for each in due if each[1] not in in_turn), key=lambda each: -each[0].touched)
    aging = [each for each in due if each[1] is Due.RECORD]
    changed += sorted(aging, key=lambda each: min(each[0].kept, each[0].decided))
    daily = sorted((each for each in due if each[1] is Due.DAILY), key=lambda each: each[0].decided)
    overdue = [each for each in daily if now - each[0].decided >= OVERDUE]
    share = -(-len(every) // SHARES)
    return (*changed, *daily[: max(share, len(overdue))])
