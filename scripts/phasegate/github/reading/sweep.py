"""Sweeping: which open pull requests have changed since they were decided, at few points for each hundred of them."""

from __future__ import annotations

from calendar import timegm
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from time import strptime
from typing import Any

from phasegate.github.client.answers import GitHubError, MissingError, MovedError, RefusedError, as_documented
from phasegate.github.client.client import Client
from phasegate.github.reading import nodes
from phasegate.github.reading.conversation import check_runs
from phasegate.github.reading.queries import (
    ACTOR,
    ISSUE_EVENT_TYPES,
    ISSUE_EVENTS,
    LAST_COMMENT,
    PAGE,
    PULL_EVENT_TYPES,
    PULL_EVENTS,
    each_query,
)
from phasegate.model.frozen import dataclass
from phasegate.model.texts import Actor

JSON = dict[str, Any]
# Whether texts of an account hold nothing that the policy reads.
Chatter = Callable[[Iterable[str], Actor], bool]
# How many places are looked at in one question, and how many comments of each, in how many versions.
LOT, MOST_NEW, MOST_VERSIONS = 20, 20, 30
TIME = "%Y-%m-%dT%H:%M:%SZ"
MOST_OPEN = 50
HOUR = 3600.0
# Every pull request is decided once a day; from some hours before on, so that not all of them come at once.
DAILY, OVERDUE = 20 * HOUR, 23 * HOUR
SHARES = 6
# Two things of almost the same time may have come in another order than they are told.
MARGIN = 5.0

# One point for each hundred: of every pull request only the comment that was touched last is looked up.
SWEEP = """
query Sweep($owner: String!, $name: String!, $policy: String!, $after: String) {
  repository(owner: $owner, name: $name) {
    defaultBranchRef { name }
    policy: object(expression: $policy) { oid }
    pullRequests(first: 100, states: OPEN, orderBy: {field: UPDATED_AT, direction: DESC}, after: $after) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes { number updatedAt headRefOid LAST_COMMENT }
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


_TALK = "comments(first: 20, orderBy: {field: UPDATED_AT, direction: DESC}) { nodes { ...spoken } }"
_SPOKEN = """fragment spoken on IssueComment {
  updatedAt lastEditedAt body author { ...actor } userContentEdits(first: 30) { totalCount nodes { diff } }
}"""
_PLACES = {
    "pullRequest": f"""fragment of_pullRequest on PullRequest {{
  headRefOid lastEditedAt {_TALK} reviews(last: 50) {{ nodes {{ updatedAt }} }}
  timelineItems(last: 1, itemTypes: {PULL_EVENT_TYPES}) {{ ...pullEvents }}
}}{PULL_EVENTS}""",
    "issue": f"fragment of_issue on Issue {{ {_TALK} timelineItems(last: 1, itemTypes: {ISSUE_EVENT_TYPES}) "
    f"{{ ...issueEvents }} }}{ISSUE_EVENTS}",
}


def talk_query(places: Sequence[tuple[str, int]]) -> str:
    """The query for what was said last at some places, each a pullRequest or an issue by its number."""
    asked = (f"place{n}: {kind}(number: {number}) {{ ...of_{kind} }}" for n, (kind, number) in enumerate(places))
    used = [_PLACES[kind] for kind in dict.fromkeys(kind for kind, _ in places)]
    return "\n".join([each_query("Talk($owner: String!, $name: String!)", asked), *used, _SPOKEN, ACTOR])


class Due(str, Enum):
    """Why a pull request is to be decided."""

    NO_STATUS = "no status on its head yet"
    OTHER_STATUS = "its status is not the gate's own"
    UNDECIDED = "it could not be decided before"
    TOUCHED = "it was touched"
    COMMENT = "a comment changed"
    ISSUE = "a linked issue changed"
    CHECKS = "a check run changed"
    POLICY = "the policy changed"
    EXPIRY = "a word may have expired"
    DAILY = "once a day"


@dataclass(frozen=True, kw_only=True, slots=True)
class Open:
    """An open pull request at a glance: when it was last touched, and when its status was written, in seconds."""

    number: int
    head: str
    touched: float
    commented: float
    issues: tuple[int, ...] = ()
    state: str | None = None
    own: bool = False
    decided: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed:
    """What is to be decided, in this order, and how many there are in all. ``blind``: the policy's age is not known."""

    due: tuple[tuple[Open, Due], ...]
    total: int
    blind: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """What is swept: the repository, where its policy stands, the context, and whose check runs are read.

    ``expiring``: whether words may name a time up to which they count, so that a success may end by itself.
    """

    repository: str
    policy_path: str
    context: str
    apps: tuple[int | str, ...] = ()
    expiring: bool = False

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
        told = [(item, _why(client, place, item, issues, since or 0.0, now)) for item in seen]
        quiet = _quiet(client, place, told, is_chatter)
        told = [(item, None if item.number in quiet else why) for item, why in told]
    return Listed(due=_in_order(told, now), total=len(seen), blind=since is None)


def _pages(client: Client, place: Place) -> tuple[list[list[JSON]], JSON]:
    """The open pull requests, a hundred at a time, and the repository."""
    pages: list[list[JSON]] = []
    found: set[int] = set()
    after: str | None = None
    for _ in range(MOST_OPEN):
        variables = {**place.named, "policy": f"HEAD:{place.policy_path}", "after": after}
        repository = client.graphql("Sweep", SWEEP, variables)["repository"]
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
    query = swept_query([(node["number"], node["headRefOid"]) for node in page])
    answer = client.graphql("Swept", query, place.named)
    own = nodes.viewer(answer.get("viewer"))
    for index, node in enumerate(page):
        pull, commit = answer["repository"][f"pull{index}"] or {}, answer["repository"][f"head{index}"] or {}
        linked = (pull.get("closingIssuesReferences") or {"nodes": []})["nodes"]
        here = (each for each in linked if each is not None)
        yield Open(
            number=node["number"],
            head=node["headRefOid"],
            touched=_seconds(node["updatedAt"]),
            commented=max((_seconds(each["updatedAt"]) for each in node["lastComment"]["nodes"]), default=0.0),
            issues=tuple(
                each["number"]
                for each in here
                if each["repository"]["nameWithOwner"].lower() == place.repository.lower()
            ),
            **_status(commit, place.context, own),
        )


def _status(commit: JSON, context: str, own: Actor | None) -> dict[str, Any]:
    """The overall status of a head: its state, when it was written, and whether by the gate itself."""
    contexts = (commit.get("status") or {}).get("contexts", [])
    for each in contexts:
        if each["context"].lower() == context:
            author = nodes.actor(each["creator"])
            ours = own is None or (author is not None and author.id == own.id)
            return {"state": each["state"].lower(), "decided": _seconds(each["createdAt"]), "own": ours}
    return {}


def _issues(client: Client, place: Place, numbers: set[int]) -> dict[int, float]:
    """When each linked issue was last touched, or a comment on it was."""
    found: dict[int, float] = {}
    ordered = sorted(numbers)
    for start in range(0, len(ordered), PAGE):
        asked = ordered[start : start + PAGE]
        told = client.graphql("SweptIssues", issues_query(asked), place.named)["repository"]
        for index, number in enumerate(asked):
            issue = told[f"issue{index}"]
            times = [issue["updatedAt"], *(each["updatedAt"] for each in issue["lastComment"]["nodes"])]
            found[number] = max(map(_seconds, times))
    return found


def _policy_since(client: Client, place: Place, repository: JSON) -> float | None:
    """Since when the policy is what it is, by the server's log of the default branch; none where that is not told.

    As far as the log is read the policy may have been another one before it.
    """
    branch = repository["defaultBranchRef"]
    if branch is None:
        return None
    path, ref = f"/repos/{place.repository}/activity", f"refs/heads/{branch['name']}"
    try:
        moves = client.page(path, ref=ref, per_page=PAGE, direction="desc")
    except (MissingError, RefusedError):
        return None
    present = (repository["policy"] or {}).get("oid")
    before = list(dict.fromkeys(move["before"] for move in moves))
    if not before:
        return 0.0
    query = blobs_query(before)
    told = client.graphql("Blobs", query, {**place.named, "path": place.policy_path})["repository"]
    files = {commit: (told[f"commit{index}"] or {}).get("file") or {} for index, commit in enumerate(before)}
    for move in moves:
        if files[move["before"]].get("oid") != present:
            return _seconds(move["timestamp"])
    return _seconds(moves[-1]["timestamp"]) if len(moves) >= PAGE else 0.0


def blobs_query(commits: Iterable[str]) -> str:
    """The query for what stands at one path of some commits."""
    asked = (f'commit{index}: object(oid: "{commit}") {{ ...at }}' for index, commit in enumerate(commits))
    query = each_query("Blobs($owner: String!, $name: String!, $path: String!)", asked)
    return f"{query}fragment at on Commit {{ file(path: $path) {{ oid }} }}"


def _why(  # noqa: PLR0913, PLR0917  (all that may have changed)
    client: Client, place: Place, item: Open, issues: Mapping[int, float], policy: float, now: float
) -> Due | None:
    """Why a pull request is to be decided, if it is."""
    if item.state is None:
        return Due.NO_STATUS
    reasons = (
        (Due.OTHER_STATUS, not item.own),
        (Due.UNDECIDED, item.state == "error"),
        (Due.POLICY, _is_after(policy, item)),
        (Due.DAILY, now - item.decided >= DAILY),
        (Due.EXPIRY, place.expiring and item.state == "success" and now - item.decided >= HOUR),
        (Due.COMMENT, _is_after(item.commented, item)),
        (Due.TOUCHED, _is_after(item.touched, item)),
        (Due.ISSUE, any(_is_after(issues[number], item) for number in item.issues)),
    )
    found = next((due for due, holds in reasons if holds), None)
    if found is None and _checked_since(client, place, item):
        return Due.CHECKS
    return found


def _checked_since(client: Client, place: Place, item: Open) -> bool:
    """Whether an app that the policy reads wrote into a check run since; it takes a request for each app."""
    root = f"/repos/{place.repository}"
    try:
        runs = [run for app in place.apps for run in check_runs(client, item.head, app, root)]
    except MovedError:
        return True
    times = (run["completed_at"] or run["started_at"] for run in runs)
    return any(_is_after(_seconds(at), item) for at in times if at is not None)


def _quiet(
    client: Client, place: Place, told: Iterable[tuple[Open, Due | None]], is_chatter: Chatter
) -> frozenset[int]:
    """Those that were touched, they or their issues, by nothing but chatter since they were decided."""
    touched = [item for item, why in told if why in (Due.TOUCHED, Due.COMMENT, Due.ISSUE)]
    places = [*(("pullRequest", item.number) for item in touched)]
    places += sorted({("issue", number) for item in touched for number in item.issues})
    talk: dict[tuple[str, int], JSON] = {}
    for start in range(0, len(places), LOT):
        asked = places[start : start + LOT]
        found = client.graphql("Talk", talk_query(asked), place.named)["repository"]
        talk |= {each: found[f"place{index}"] for index, each in enumerate(asked)}
    return frozenset(
        item.number
        for item in touched
        if all(
            _only_chatter(talk[each], item, is_chatter)
            for each in (("pullRequest", item.number), *(("issue", number) for number in item.issues))
        )
        and not _checked_since(client, place, item)
    )


def _only_chatter(told: JSON | None, item: Open, is_chatter: Chatter) -> bool:
    """Whether all that happened at a place since is comments that hold nothing for the gate, in any version."""
    if told is None or told.get("headRefOid", item.head) != item.head:
        return False
    events = [told.get("lastEditedAt"), *(event["createdAt"] for event in told["timelineItems"]["nodes"])]
    events += [review["updatedAt"] for review in told.get("reviews", {"nodes": []})["nodes"]]
    if any(_is_after(_seconds(at), item) for at in events if at is not None):
        return False
    new = [node for node in told["comments"]["nodes"] if _is_after(_seconds(node["updatedAt"]), item)]
    return len(new) < MOST_NEW and all(_is_one(node, is_chatter) for node in new)


def _is_one(node: JSON, is_chatter: Chatter) -> bool:
    """Whether a comment is chatter; of one that was edited, every version must be known and be chatter too."""
    edits, author = node["userContentEdits"] or {"totalCount": 0, "nodes": []}, nodes.actor(node["author"])
    texts = [node["body"], *(edit["diff"] for edit in edits["nodes"])]
    whole = edits["totalCount"] == len(edits["nodes"]) and (edits["nodes"] or node["lastEditedAt"] is None)
    return bool(whole) and author is not None and None not in texts and is_chatter(texts, author)


def _is_after(at: float, item: Open) -> bool:
    return at + MARGIN > item.decided


def _in_order(told: Iterable[tuple[Open, Due | None]], now: float) -> tuple[tuple[Open, Due], ...]:
    """What changed, the last touched first; then those of the day, the longest undecided first, a share at a time."""
    every = list(told)
    due = [(item, why) for item, why in every if why is not None]
    changed = sorted((each for each in due if each[1] is not Due.DAILY), key=lambda each: -each[0].touched)
    daily = sorted((each for each in due if each[1] is Due.DAILY), key=lambda each: each[0].decided)
    overdue = [each for each in daily if now - each[0].decided >= OVERDUE]
    share = -(-len(every) // SHARES)
    return (*changed, *daily[: max(share, len(overdue))])


def _seconds(at: str) -> float:
    return float(timegm(strptime(at, TIME)))
