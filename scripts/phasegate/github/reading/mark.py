"""The mark: the fingerprint of what was decided, at the end of the link of each status that the gate writes.

Where a later question finds the same, there is nothing to decide, and nothing else of the pull request is read. Of
comments only those count that hold something for the gate in any version, and those of accounts that a seat waits for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from phasegate.github.client.client import Client
from phasegate.github.reading import nodes
from phasegate.github.reading.fingerprint import Looks, Sight, check_tasks, looks_told, places_of
from phasegate.github.reading.opening import Target, policy_told
from phasegate.github.reading.window import Window, look_query
from phasegate.github.record import is_record, lasts, seconds
from phasegate.model.codec import text_digest
from phasegate.model.contexts import context_in, context_name, is_of
from phasegate.model.frozen import dataclass
from phasegate.model.plan import ReadingPlan
from phasegate.model.report import State, StatusLine
from phasegate.model.snapshot import CommitStatus, PolicyFile, Snapshot
from phasegate.model.texts import Actor, is_own

JSON = dict[str, Any]
HOUR = 3600
# What no event tells, such as a permission that is gone, is noticed within a day; what expires, within an hour.
LASTS, EXPIRING_LASTS = 20 * HOUR, HOUR
# How often a status is written anew at most, because it was decided on what changed none; GitHub takes 1,000 in all.
WORN = 6 * HOUR
LENGTH, SHORT, MOST_AWAITED = 32, 8, 12
MARK = re.compile(rf"#seen-([0-9]{{1,11}})-([0-9a-f]{{{LENGTH}}})((?:-[0-9a-f]{{{SHORT}}})*)", re.ASCII)
# A success is confirmed anew by every run, and what could not be decided is tried again.
MAY_STAND = (State.PENDING.value, State.FAILURE.value)
STILL = look_query("Still", Window(), threads=1, at_head=True)


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """What the link of a status ends in.

    ``since``: from when on comments are compared, in seconds. ``awaited``: the accounts of which any comment counts, by
    the beginning of a digest of their logins.
    """

    since: int
    digest: str
    awaited: frozenset[str]

    @staticmethod
    def found_in(link: str) -> Mark | None:
        """The mark at the end of a link."""
        match = MARK.search(link)
        if match is None:
            return None
        return Mark(since=int(match[1]), digest=match[2], awaited=frozenset(filter(None, match[3].split("-"))))

    @staticmethod
    def of(looks: Looks, states: Mapping[str, str], since: int, awaited: frozenset[str]) -> Mark:
        """The mark of how a pull request looks, and of what was decided about it; empty where that is not told."""
        counts = partial(_counts, looks.plan, awaited)
        told = looks.fingerprint(since, counts, sorted(map(list, states.items())), sorted(awaited))
        return Mark(since=since, digest=(told or "")[:LENGTH], awaited=awaited)

    def __str__(self) -> str:
        """As it stands in a link."""
        return "-".join([f"#seen-{self.since}", self.digest, *sorted(self.awaited)])


def mark_of(snapshot: Snapshot, sight: Sight, lines: Iterable[StatusLine], awaited: Iterable[str]) -> str:
    """The mark of a decision, nothing where that could not be told by one.

    What GitHub did not tell this time, it may tell the next.
    """
    logins = frozenset(map(_short, awaited))
    told = snapshot.ref_log.complete and snapshot.files.complete and not sight.looks.bodies
    if not told or not _can_tell(sight.looks.plan) or len(logins) > MOST_AWAITED:
        return ""
    return str(Mark.of(sight.looks, {line.context.lower(): line.state.value for line in lines}, sight.since, logins))


def is_worn(standing: Iterable[CommitStatus], link: str, now: float) -> bool:
    """True if none of our statuses has the mark of a link, and the last of them was written a while ago."""
    ours = [each for each in standing if _is_ours(each)]
    mark, marks = Mark.found_in(link), [Mark.found_in(each.url or "") for each in ours]
    return mark not in marks and now - max((seconds(each.at) for each in ours), default=0) >= WORN


def _short(login: str) -> str:
    return text_digest(login.lower()).partition(":")[2][:SHORT]


def _can_tell(plan: ReadingPlan) -> bool:
    """True if all that counts under a policy can be seen in one question."""
    return bool(plan.triggers) and not plan.schemas and plan.approvals is None


def _counts(plan: ReadingPlan, awaited: frozenset[str], texts: list[str], author: Actor) -> bool:
    """True if a comment with these texts makes a difference.

    Of an account that the policy names it does where it holds something, or is awaited.
    """
    if plan.is_chatter(texts, author):
        return False
    by_name = author.login.lower() in plan.named and not plan.teams
    return not by_name or _short(author.login) in awaited or any(map(plan.carries, texts))


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """What stands on a head for which nothing has changed: the overall state, what it says, and its run.

    ``phases``: the state of each phase.
    """

    number: int
    head: str
    state: str
    phases: Mapping[str, str]
    says: str
    url: str


def standing(
    client: Client, target: Target, plans: Callable[[PolicyFile], ReadingPlan], heard: tuple[int, str]
) -> Standing | None:
    """What stands on the head, if it was decided of what is there now; none where that is not so, or not told.

    ``heard``: the comment that the event tells of, and when it was touched. One of GitHub's machines that does not know
    of it yet may not know of others either.
    """
    answer = client.divisible("Still", STILL, target.named)
    repository = answer["repository"]
    pull, own = repository["pullRequest"], nodes.viewer(answer.get("viewer"))
    commits = [node["commit"] for node in pull["commits"]["nodes"]]
    whole = len(pull["reviews"]["nodes"]) == pull["reviews"]["totalCount"]
    whole = whole and None not in pull["closingIssuesReferences"]["nodes"]  # which may be one of this repository
    at_head = [each["oid"] for each in commits] == [pull["headRefOid"]]
    if pull["number"] != target.number or pull["state"] != "OPEN" or not at_head or not whole:
        return None
    written = [each for each in nodes.statuses((commits[0]["status"] or {}).get("contexts", [])) if _is_ours(each)]
    base = pull["baseRefName"] if target.base_in_context else None
    ours = [each for each in written if is_of(each.context, base)]
    if any(each.state == State.SUCCESS.value for each in written if each not in ours):
        return None  # in the name of another base: it is withdrawn
    overall = [each for each in ours if each.context.lower() == context_name(base=base).lower()]
    if [each.state in MAY_STAND for each in overall] != [True] or not all(is_own(each.creator, own) for each in ours):
        return None
    plan = plans(policy_told(repository, target.policy_path))
    if not _can_tell(plan) or not _is_up_to_date(repository, *heard):
        return None
    if not _holds(client, target, repository, plan, ours):
        return None
    return Standing(
        number=target.number,
        head=pull["headRefOid"],
        state=overall[0].state,
        phases={named.phase: each.state for each in ours if (named := context_in(each.context)) is not None},
        says=overall[0].description,
        url=MARK.sub("", overall[0].url or ""),
    )


def _is_ours(status: CommitStatus) -> bool:
    return context_in(status.context) is not None and not is_record(status.context)


def _holds(client: Client, target: Target, repository: JSON, plan: ReadingPlan, ours: list[CommitStatus]) -> bool:
    """True if one of our statuses was written for what is there now, and not too long ago."""
    now, longest = client.there(client.now()), EXPIRING_LASTS if plan.expiring else LASTS
    most = min(longest, lasts(target.retention_days))
    recent = (each.url or "" for each in ours if now is not None and now - seconds(each.at) < most)
    marks = [mark for mark in map(Mark.found_in, recent) if mark is not None]
    if not marks:
        return False
    commit = repository["pullRequest"]["commits"]["nodes"][0]["commit"]
    tasks = check_tasks(client, target.root, commit["oid"], plan.runs_of)
    looks = looks_told(Window(), repository, commit, plan, [], client.together(tasks) if tasks else {})
    states = {each.context.lower(): each.state for each in ours}
    return (
        looks is not None
        and not any(looks.hidden)
        and any(Mark.of(looks, states, each.since, each.awaited) == each for each in marks)
    )


def _is_up_to_date(repository: JSON, comment: int, touched: str) -> bool:
    """True if a comment is told, as it was touched or later."""
    told = [node for place in places_of(repository) for node in place["comments"]["nodes"]]
    return any(
        nodes.number(node["fullDatabaseId"]) == comment and seconds(node["updatedAt"]) >= seconds(touched)
        for node in told
    )
