"""Sweeping: finds open pull requests that changed since their decision, by the mark in their statuses' links.

One question for many of them reads their scene: everything in a fingerprint except comments, and each place's last
comment. If that changed, the whole fingerprint is compared, so that chatter makes no difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from functools import partial
from math import inf
from typing import Any

from phasegate.github.client.answers import GitHubError, MissingError, MovedError, as_documented
from phasegate.github.client.client import Client
from phasegate.github.reading import nodes
from phasegate.github.reading.fingerprint import Looks, check_tasks, looks_told
from phasegate.github.reading.mark import EXPIRING_LASTS, Mark, Written
from phasegate.github.reading.queries import (
    DEFAULT_BRANCH,
    MISPLACED,
    PAGE,
    PLACE,
    POLICY_FILE,
    SORTED,
    Window,
    each_query,
    swept_query,
)
from phasegate.github.reading.queries import place as named
from phasegate.github.reading.waves import Ask, connections, in_pages, in_pieces
from phasegate.github.record import is_seal, seconds
from phasegate.model.frozen import dataclass, replace
from phasegate.model.plan import ReadingPlan
from phasegate.model.texts import Actor

JSON = dict[str, Any]
# Pull requests per question, for a brief and for a complete look.
LOT, CLOSE_LOT = 25, 10
FROM_AFAR = Window(said=1, on_issue=1)
# Between two looks at a list that lacks some: what was opened meanwhile stands on a page that was read already.
BETWEEN_LOOKS = (1.0, 2.0)
MOST_OPEN = 50
HOUR = 3600.0
# Every pull request is decided once a day; from some hours before on, so that not all of them come at once.
DAILY, OVERDUE = 20 * HOUR, 23 * HOUR
SHARES = 6

SWEEP = each_query(
    f"Sweep({PLACE}, $policy: String!, $page: Int!, $after: String)",
    (
        "nameWithOwner",
        DEFAULT_BRANCH,
        POLICY_FILE,
        MISPLACED,
        f"pullRequests(first: $page, states: OPEN, {SORTED}, after: $after) {{",
        "  totalCount pageInfo { hasNextPage endCursor } nodes { number updatedAt headRefOid }",
        "}",
    ),
)


class Due(str, Enum):
    """Why a pull request has to be decided."""

    NO_STATUS = "no status on its head yet"
    UNTOLD = "GitHub's answer was incomplete"
    OTHER_STATUS = "its status is not the gate's own"
    UNDECIDED = "it could not be decided before"
    EXPIRY = "a word may have expired"
    CHANGED = "it changed since it was decided"
    RECORD = "its record is renewed"
    DAILY = "once a day"


@dataclass(frozen=True, kw_only=True, slots=True)
class Open:
    """An open pull request in brief: when it was last touched and decided, in seconds, and its state.

    ``kept``: when its record was written, if any. ``looks``: None if the answer was incomplete.
    """

    number: int
    head: str
    touched: float
    written: Written
    looks: Looks | None
    kept: float = inf

    @property
    def decided(self) -> float:
        """When its overall status was written; 0 without one, so that it comes first."""
        return 0.0 if self.written.overall is None else seconds(self.written.overall.at)

    @property
    def state(self) -> str | None:
        """Its overall state, or None."""
        return None if self.written.overall is None else self.written.overall.state


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """What is swept: the repository, its policy's path, and the reading plan.

    ``base_in_context``: true if statuses name the base branch. ``lasts``: the number of seconds before a record is
    written again.
    """

    repository: str
    policy_path: str
    plan: ReadingPlan
    base_in_context: bool = False
    lasts: float = inf


# Why a pull request has to be decided without a closer look: the first row that holds.
AT_ONCE: tuple[tuple[Due, Callable[[Open, Place, float], bool]], ...] = (
    (Due.NO_STATUS, lambda item, _, __: item.state is None),
    (Due.UNTOLD, lambda item, _, __: item.looks is None),
    (Due.OTHER_STATUS, lambda item, _, __: not item.written.is_last),
    (Due.UNDECIDED, lambda item, _, __: item.state == "error"),
    (Due.EXPIRY, lambda item, place, now: (
        place.plan.expiring and item.state == "success" and now - item.decided >= EXPIRING_LASTS
    )),
)  # fmt: skip
# Why an unchanged one has to be decided.
IN_TURN: tuple[tuple[Due, Callable[[Open, Place, float], bool]], ...] = (
    (Due.RECORD, lambda item, place, now: now - min(item.kept, item.decided) >= place.lasts),
    (Due.DAILY, lambda item, _, now: now - item.decided >= DAILY),
)


def look_around(client: Client, place: Place) -> tuple[tuple[tuple[Open, Due], ...], int]:
    """Every open pull request to decide, in order, and the number of all open ones."""
    with as_documented(f"the open pull requests of {place.repository}"):
        listed, repository = _all_open(client, place)
        seen = _seen(client, place, repository, listed)
        if (now := client.there(client.now())) is None:
            raise GitHubError("GitHub's answer has no time")
        due = {item.number: next((why for why, holds in AT_ONCE if holds(item, place, now)), None) for item in seen}
        calm = _unchanged(client, place, repository, [item for item in seen if due[item.number] is None])
        due |= {number: Due.CHANGED for number, why in due.items() if why is None and number not in calm}
        in_turn = ((item, next((why for why, holds in IN_TURN if holds(item, place, now)), None)) for item in seen)
        told = [(item, due[item.number] or why) for item, why in in_turn]
    return _in_order(told, now), len(seen)


def _all_open(client: Client, place: Place) -> tuple[list[JSON], JSON]:
    """The open pull requests, as many as GitHub counts, and the repository with the first hundred."""
    found: list[JSON] = []
    total = 0
    for wait in (*BETWEEN_LOOKS, None):
        found, repository = in_pages(client, partial(_listed, place))
        total = repository["pullRequests"]["totalCount"]
        if len(found) >= total:
            first = {"totalCount": total, "nodes": found[:PAGE], "pageInfo": {"hasNextPage": len(found) > PAGE}}
            return found, {**repository, "pullRequests": first}
        if wait is not None:
            client.pause(wait, "listing the open pull requests again")
    listed = f"{len(found)} of {total} open pull requests of {place.repository} were listed"
    raise GitHubError(f"{listed}. The next sweep tries again")


def _listed(place: Place, ask: Ask, size: int) -> tuple[list[JSON], JSON]:
    def listed(answer: JSON) -> JSON:
        if answer["repository"] is None:
            raise MissingError(f"{place.repository} is not a repository that this token can see")
        pulls: JSON = answer["repository"]["pullRequests"]
        return pulls

    variables = {**named(place.repository), "policy": f"HEAD:{place.policy_path}", "page": size}
    answers = [*connections(ask, ("Sweep", SWEEP), variables, listed, MOST_OPEN * PAGE // size)]
    # what is touched meanwhile moves to the front, and pushes another one onto the next page
    found = {node["number"]: node for answer in reversed(answers) for node in listed(answer)["nodes"]}
    ordered = sorted(found.values(), key=lambda node: str(node["updatedAt"]), reverse=True)
    return ordered, answers[-1]["repository"]


def _seen(client: Client, place: Place, repository: JSON, listed: list[JSON]) -> list[Open]:
    """A brief look at each, in as few questions as possible."""
    asks = partial(_looks, place, repository, FROM_AFAR)
    lots = (listed[start : start + LOT] for start in range(0, len(listed), LOT))
    return [item for lot in lots for piece in in_pieces(client, lot, asks) for item in piece]


def _looks(place: Place, repository: JSON, window: Window, ask: Ask, some: Sequence[JSON]) -> list[Open]:
    query = swept_query([node["number"] for node in some], window, threads=place.plan.threads)
    answer = ask("Swept", query, named(place.repository))
    own, told = nodes.viewer(answer.get("viewer")), answer["repository"]
    return [_open(place, {**repository, "pullRequest": told[f"pull{n}"]}, window, node, own)
            for n, node in enumerate(some)]  # fmt: skip


def _open(place: Place, repository: JSON, window: Window, node: JSON, own: Actor | None) -> Open:
    pull = repository["pullRequest"]
    commits = [] if pull is None else [each["commit"] for each in pull["commits"]["nodes"]]
    whole = [each["oid"] for each in commits] == [node["headRefOid"]] == [(pull or {}).get("headRefOid")]
    statuses = nodes.statuses((commits[0]["status"] or {}).get("contexts", [])) if whole else ()
    base = pull["baseRefName"] if place.base_in_context and pull is not None else None
    return Open(
        number=node["number"],
        head=node["headRefOid"],
        touched=seconds(node["updatedAt"]),
        written=Written.among(statuses, base, own),
        looks=looks_told(window, repository, commits[0], place.plan, [], {}) if whole else None,
        kept=next((seconds(each.at) for each in statuses if is_seal(each.context)), inf),
    )


def _unchanged(client: Client, place: Place, repository: JSON, items: Sequence[Open]) -> set[int]:
    """Pull requests that match a mark in their statuses, by the brief or the complete look."""
    told = {item.number: _with_checks(client, place, item) for item in items}
    calm = {number for number, item in told.items() if item is not None and _is_as_marked(item, Mark.is_scene_of)}
    rest = [item for item in items if item.number not in calm and told[item.number] is not None and item.written.marks]
    for start in range(0, len(rest), CLOSE_LOT):
        lot = rest[start : start + CLOSE_LOT]
        asked = [{"number": each.number, "headRefOid": each.head, "updatedAt": "1970-01-01T00:00:00Z"} for each in lot]
        issues = max(each.looks.issues for each in lot if each.looks is not None)
        asks = partial(_looks, place, repository, Window.over(issues))
        close = [item for piece in in_pieces(client, asked, asks) for item in piece]
        checks = {number: item.looks.checks for number, item in told.items() if item and item.looks}
        calm |= {
            each.number
            for each in close
            if each.looks is not None
            and _is_as_marked(replace(each, looks=replace(each.looks, checks=checks[each.number])), Mark.is_of)
        }
    return calm


def _with_checks(client: Client, place: Place, item: Open) -> Open | None:
    """A pull request with the check runs that the policy reads; None if incomplete."""
    tasks = check_tasks(client, f"/repos/{place.repository}", item.head, place.plan.runs_of)
    if not tasks or item.looks is None:
        return item
    try:
        return replace(item, looks=item.looks.with_checks(client.together(tasks)))
    except MovedError:
        return None


def _is_as_marked(item: Open, fits: Callable[[Mark, Looks, Mapping[str, str]], bool]) -> bool:
    looks, states = item.looks, item.written.states
    if looks is None or any(looks.hidden):
        return False
    return any(fits(mark, looks, states) for mark in item.written.marks)


def _in_order(told: Iterable[tuple[Open, Due | None]], now: float) -> tuple[tuple[Open, Due], ...]:
    """Changed ones, last touched first; then ageing records, oldest first; then the daily ones.

    Of the daily ones the longest undecided come first, a share at a time.
    """
    listed = list(told)
    due = [(item, why) for item, why in listed if why is not None]
    changed = [each for each in due if each[1] not in (Due.DAILY, Due.RECORD)]
    aging = [each for each in due if each[1] is Due.RECORD]
    daily = sorted((each for each in due if each[1] is Due.DAILY), key=lambda each: each[0].decided)
    overdue = sum(now - item.decided >= OVERDUE for item, _ in daily)
    return (
        *sorted(changed, key=lambda each: -each[0].touched),
        *sorted(aging, key=lambda each: min(each[0].kept, each[0].decided)),
        *daily[: max(-(-len(listed) // SHARES), overdue)],
    )
