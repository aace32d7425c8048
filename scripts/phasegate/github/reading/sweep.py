"""Sweeping: which open pull requests have changed since they were decided, at few points for each hundred of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from functools import partial
from math import inf
from typing import Any

from phasegate.github.client.answers import GitHubError, MissingError, MovedError, as_documented
from phasegate.github.client.client import Client
from phasegate.github.reading import nodes
from phasegate.github.reading.conversation import check_runs
from phasegate.github.reading.fingerprint import comments_at, hidden_at, known_since, places_of, words
from phasegate.github.reading.moves import moves_of
from phasegate.github.reading.queries import ACTOR, LAST_COMMENT, PAGE, each_query
from phasegate.github.reading.since import blobs_at, last_other
from phasegate.github.reading.waves import Ask, in_pages, in_pieces
from phasegate.github.reading.window import Window
from phasegate.github.record import is_record, is_seal, seconds
from phasegate.model.contexts import context_in, context_name
from phasegate.model.frozen import dataclass
from phasegate.model.plan import ReadingPlan
from phasegate.model.texts import Actor, is_own

JSON = dict[str, Any]
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

    ``own``: whether the gate wrote its status, and nobody has written into a context of the gate since.

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

    def is_before(self, *times: float) -> bool:
        """True if it was decided before one of these times, or almost at it."""
        return any(at + MARGIN > self.decided for at in times)


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """What is to be decided, in this order, and how many there are in all. ``blind``: the policy's age is not known."""

    due: tuple[tuple[Open, Due], ...]
    total: int
    blind: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """What is swept: the repository, where its policy stands, and what that reads.

    ``base_in_context``: whether the statuses name the base branch. ``lasts``: for how many seconds a record is not
    written anew.
    """

    repository: str
    policy_path: str
    plan: ReadingPlan
    base_in_context: bool = False
    lasts: float = inf

    @property
    def named(self) -> dict[str, str]:
        """The variables that every query has."""
        owner, _, name = self.repository.partition("/")
        return {"owner": owner, "name": name}


@dataclass(frozen=True, kw_only=True, slots=True)
class Around:
    """What every open pull request is compared with, as it stands now.

    ``shared``: the heads of several. ``issues``: when each was touched, ``policy`` since when that is what it is.
    """

    client: Client
    place: Place
    shared: frozenset[str]
    issues: Mapping[int, float]
    policy: float
    now: float

    def stirred(self, item: Open) -> bool:
        """True if an issue of a pull request was touched since."""
        return item.is_before(*(self.issues[number] for number in item.issues))


# Why a pull request is to be decided: the first that holds. What takes requests stands last.
CHANGED: tuple[tuple[Due, Callable[[Open, Around], bool]], ...] = (
    (Due.NO_STATUS, lambda item, _: item.state is None),
    (Due.UNTOLD, lambda item, _: not item.told),
    (Due.SHARED, lambda item, around: item.state == "success" and item.head in around.shared),
    (Due.OPENED, lambda item, _: item.is_before(item.opened)),
    (Due.CHECKS, lambda item, _: item.is_before(item.checked)),
    (Due.OTHER_STATUS, lambda item, _: not item.own),
    (Due.UNDECIDED, lambda item, _: item.state == "error"),
    (Due.POLICY, lambda item, around: item.is_before(around.policy)),
    (Due.EXPIRY, lambda item, around: (
        around.place.plan.expiring and item.state == "success" and around.now - item.decided >= HOUR
    )),
    (Due.COMMENT, lambda item, _: item.is_before(item.commented)),
    (Due.TOUCHED, lambda item, _: item.is_before(item.touched)),
    (Due.ISSUE, lambda item, around: around.stirred(item)),
    (Due.CHECKS, lambda item, around: _checked_since(around, item)),
)  # fmt: skip
# Of these it may have been nothing but chatter.
TOUCHED = (Due.TOUCHED, Due.COMMENT, Due.ISSUE)
# Why one is to be decided of which nothing changed.
IN_TURN: tuple[tuple[Due, Callable[[Open, Around], bool]], ...] = (
    (Due.RECORD, lambda item, around: around.now - min(item.kept, item.decided) >= around.place.lasts),
    (Due.DAILY, lambda item, around: around.now - item.decided >= DAILY),
)


def look_around(client: Client, place: Place) -> Listed:
    """Every open pull request that is to be decided: what changed first, the last touched before others.

    What was only touched by chatter has not changed.
    """
    with as_documented(f"the open pull requests of {place.repository}"):
        pages, repository = _pages(client, place)
        seen = [item for page in pages if page for item in _details(client, place, page)]
        issues = _issues(client, place, {number for item in seen for number in item.issues})
        since = _policy_since(client, place, repository)
        if (now := client.there(client.now())) is None:
            raise GitHubError("GitHub did not tell the time")
        shared = frozenset(head for head, count in Counter(item.head for item in seen).items() if count > 1)
        around = Around(client=client, place=place, shared=shared, issues=issues, policy=since or 0.0, now=now)
        changed = {item.number: _first(CHANGED, item, around) for item in seen}
        touched = [item for item in seen if changed[item.number] in TOUCHED]
        changed |= dict.fromkeys(_quiet(around, touched))
        told = [(item, changed[item.number] or _first(IN_TURN, item, around)) for item in seen]
    return Listed(due=_in_order(told, now), total=len(seen), blind=since is None)


def _first(reasons: Iterable[tuple[Due, Callable[[Open, Around], bool]]], item: Open, around: Around) -> Due | None:
    return next((due for due, holds in reasons if holds(item, around)), None)


def _pages(client: Client, place: Place) -> tuple[list[list[JSON]], JSON]:
    """The open pull requests, a hundred at a time, and the repository; all that GitHub counts."""
    found = total = 0
    for wait in (*BETWEEN_LOOKS, None):
        pages, repository = in_pages(client, partial(_listed, place))
        found, total = sum(map(len, pages)), repository["pullRequests"]["totalCount"]
        if found >= total:
            return pages, repository
        if wait is not None:
            client.pause(wait, "listing the open pull requests again")
    listed = f"{found} of {total} open pull requests of {place.repository} were listed"
    raise GitHubError(f"{listed}. The next sweep tries again")


def _listed(place: Place, ask: Ask, size: int) -> tuple[list[list[JSON]], JSON]:
    pages: list[list[JSON]] = []
    found: set[int] = set()
    after: str | None = None
    for _ in range(MOST_OPEN * PAGE // size):
        variables = {**place.named, "policy": f"HEAD:{place.policy_path}", "after": after, "page": size}
        repository = ask("Sweep", SWEEP, variables)["repository"]
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


def _details(client: Client, place: Place, page: list[JSON]) -> list[Open]:
    """The pull requests of a page with their statuses and linked issues, in as few questions as GitHub answers."""

    def ask_for(ask: Ask, some: Sequence[JSON]) -> list[Open]:
        query = swept_query([(node["number"], node["headRefOid"]) for node in some])
        answer = ask("Swept", query, place.named)
        own, told = nodes.viewer(answer.get("viewer")), answer["repository"]
        return [_open(place, node, told[f"pull{n}"], told[f"head{n}"] or {}, own) for n, node in enumerate(some)]

    return [item for piece in in_pieces(client, page, ask_for) for item in piece]


def _open(place: Place, node: JSON, pull: JSON | None, head: JSON, own: Actor | None) -> Open:
    """A pull request by the list, by its issues, and by the statuses of its head."""
    linked = [] if pull is None else (pull["closingIssuesReferences"] or {"nodes": []})["nodes"]
    here = (each for each in linked if each and each["repository"]["nameWithOwner"].lower() == place.repository.lower())
    written = {each["context"].lower(): each for each in (head.get("status") or {}).get("contexts", [])}
    ours = {name for name, each in written.items() if is_own(nodes.actor(each["creator"]), own)}
    times = {name: float(seconds(each["createdAt"])) for name, each in written.items()}
    overall = context_name(base=node["baseRefName"] if place.base_in_context else None).lower()
    decided = times.get(overall, 0.0)
    foreign = (name for name in written if name not in ours and context_in(name) and not is_record(name))
    return Open(
        number=node["number"],
        head=node["headRefOid"],
        opened=seconds(node["createdAt"]),
        touched=seconds(node["updatedAt"]),
        commented=max((seconds(each["updatedAt"]) for each in node["lastComment"]["nodes"]), default=0.0),
        issues=tuple(each["number"] for each in here),
        linked=len(linked),
        state=written[overall]["state"].lower() if overall in written else None,
        own=overall in ours and not any(times[name] + MARGIN > decided for name in foreign),
        decided=decided,
        checked=max((times.get(each.lower(), 0.0) for each in place.plan.checks), default=0.0),
        kept=next((times[name] for name in ours if is_seal(name)), inf),
        told=pull is not None,
    )


def _issues(client: Client, place: Place, numbers: set[int]) -> dict[int, float]:
    """When each linked issue was last touched, or a comment on it was; of one that is not told that may be now."""

    def ask_for(ask: Ask, some: Sequence[int]) -> dict[int, float]:
        told = ask("SweptIssues", issues_query(some), place.named)["repository"]
        issues = [(number, told[f"issue{index}"]) for index, number in enumerate(some)]
        return {
            number: inf
            if each is None
            else max(seconds(at["updatedAt"]) for at in (each, *each["lastComment"]["nodes"]))
            for number, each in issues
        }

    ordered = sorted(numbers)
    lots = (ordered[start : start + PAGE] for start in range(0, len(ordered), PAGE))
    return {number: at for lot in lots for piece in in_pieces(client, lot, ask_for) for number, at in piece.items()}


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


def _checked_since(around: Around, item: Open) -> bool:
    """True if an app that the policy reads wrote into a check run since; it takes a request for each app."""
    root = f"/repos/{around.place.repository}"
    try:
        runs = [run for app in around.place.plan.runs_of for run in check_runs(around.client, item.head, app, root)]
    except MovedError:
        return True
    times = (run["completed_at"] or run["started_at"] for run in runs)
    return item.is_before(*(seconds(at) for at in times if at is not None))


def _quiet(around: Around, touched: Iterable[Open]) -> set[int]:
    """Those that were touched, they or their issues, by nothing but chatter since they were decided."""
    quiet: set[int] = set()
    calm, stirred = list[Open](), list[Open]()
    for item in touched:
        (stirred if around.stirred(item) else calm).append(item)
    for items, on_issue in ((calm, 1), (stirred, MOST_NEW)):
        linked = max((item.linked for item in items), default=0)
        window = Window(said=MOST_NEW, issues=linked or 1, on_issue=on_issue)
        looks = partial(_quiet_ones, around.place, window)
        for start in range(0, len(items), LOT):
            quiet = quiet.union(*in_pieces(around.client, items[start : start + LOT], looks))
    return quiet


def _quiet_ones(place: Place, window: Window, ask: Ask, some: Sequence[Open]) -> set[int]:
    found = ask("Talk", talk_query([item.number for item in some], window), place.named)["repository"]
    looks = ((item, found[f"pull{index}"]) for index, item in enumerate(some))
    return {item.number for item, pull in looks if _only_chatter(pull, place, item, window)}


def _only_chatter(pull: JSON | None, place: Place, item: Open, window: Window) -> bool:
    """True if all that happened since is comments that hold nothing for the gate, in any version."""
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
    return not list(words(comments_at(places), since, lambda texts, author: not place.plan.is_chatter(texts, author)))


def _in_order(told: list[tuple[Open, Due | None]], now: float) -> tuple[tuple[Open, Due], ...]:
    """What changed, the last touched first; then records that age, the oldest first; then those of the day.

    Of these the longest undecided come first, a share at a time.
    """
    due = [(item, why) for item, why in told if why is not None]
    changed = [each for each in due if each[1] not in (Due.DAILY, Due.RECORD)]
    aging = [each for each in due if each[1] is Due.RECORD]
    daily = sorted((each for each in due if each[1] is Due.DAILY), key=lambda each: each[0].decided)
    overdue = sum(now - item.decided >= OVERDUE for item, _ in daily)
    return (
        *sorted(changed, key=lambda each: -each[0].touched),
        *sorted(aging, key=lambda each: min(each[0].kept, each[0].decided)),
        *daily[: max(-(-len(told) // SHARES), overdue)],
    )
