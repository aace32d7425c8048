"""Whether a pull request still is as it was decided, in one question, before anything else of it is read.

Each status that the gate writes links to its run, and the link ends in a mark: a digest of all that counted when it was
decided. Where the same is there to be seen, there is nothing to decide. Chatter makes no difference: of comments only
those count that hold something for the gate in any version, and those of accounts that a seat waits for.
"""

from __future__ import annotations

import json
import re
from calendar import timegm
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import partial
from time import strptime
from typing import Any

from phasegate import VERSION
from phasegate.github.client.client import Client
from phasegate.github.reading import nodes
from phasegate.github.reading.look import check_tasks, scene, told_checks
from phasegate.github.reading.opening import Target, policy_told
from phasegate.github.reading.queries import ACTOR, ISSUE_EVENT_TYPES, MISPLACED, PULL_EVENT_TYPES
from phasegate.github.record import is_record, lasts
from phasegate.model.codec import text_digest, to_data
from phasegate.model.contexts import context_in, context_name, is_of
from phasegate.model.frozen import dataclass
from phasegate.model.plan import ReadingPlan
from phasegate.model.report import State, StatusLine
from phasegate.model.snapshot import CommitStatus, PolicyFile, Snapshot
from phasegate.model.texts import Actor, Comment, Edit, is_own

JSON = dict[str, Any]
TIME = "%Y-%m-%dT%H:%M:%SZ"
HOUR = 3600
# What no event tells, such as a permission that is gone, is noticed within a day; what expires, within an hour.
LASTS, EXPIRING_LASTS = 20 * HOUR, HOUR
# How often a status is written anew at most, because it was decided on what changed none; GitHub takes 1,000 in all.
WORN = 6 * HOUR
# GitHub's machines may tell of a comment later than of those that came after it, but not by so much.
DISORDER = HOUR
LENGTH, SHORT, MOST_AWAITED = 32, 8, 12
MARK = re.compile(rf"#seen-([0-9]{{1,11}})-([0-9a-f]{{{LENGTH}}})((?:-[0-9a-f]{{{SHORT}}})*)", re.ASCII)
# A success is confirmed anew by every run, and what could not be decided is tried again.
MAY_STAND = (State.PENDING.value, State.FAILURE.value)
Plans = Callable[[PolicyFile], ReadingPlan]

# So many comments, issues and versions that it takes one point.
STILL = (
    """
query Still($owner: String!, $name: String!, $number: Int!, $policy: String!) {
  viewer { login databaseId }
  repository(owner: $owner, name: $name) {
    nameWithOwner
    defaultBranchRef { name target { oid } }
    policy: object(expression: $policy) { __typename oid ... on Blob { text isTruncated isBinary byteSize } }
    MISPLACED
    pullRequests(first: 100, states: OPEN, orderBy: {field: UPDATED_AT, direction: DESC}) {
      nodes { number headRefOid }
    }
    pullRequest(number: $number) {
      number title state isDraft lastEditedAt baseRefName headRefName headRefOid
      headRepository { nameWithOwner }
      comments(first: 40, SORTED) { totalCount nodes { ...touched } }
      reviews(first: 100) { totalCount nodes { id updatedAt state } }
      timelineItems(last: 1, itemTypes: PULL_EVENT_TYPES) { nodes { ... on Node { id } } }
      closingIssuesReferences(first: 4) {
        nodes {
          id title state
          repository { nameWithOwner }
          labels(first: 100) { nodes { name } }
          issueType { name }
          comments(first: 20, SORTED) { totalCount nodes { ...touched } }
          timelineItems(last: 1, itemTypes: ISSUE_EVENT_TYPES) { nodes { ... on Node { id } } }
        }
      }
      commits(last: 1) { nodes { commit { oid status { contexts { ...written } } } } }
    }
  }
}
fragment touched on IssueComment {
  fullDatabaseId createdAt updatedAt lastEditedAt body includesCreatedEdit
  author { ...actor }
  userContentEdits(first: 40) { totalCount nodes { editedAt diff } }
}
fragment written on StatusContext { context state description targetUrl createdAt creator { ...actor } }
""".replace("PULL_EVENT_TYPES", PULL_EVENT_TYPES)
    .replace("ISSUE_EVENT_TYPES", ISSUE_EVENT_TYPES)
    .replace("MISPLACED", MISPLACED)
    .replace("SORTED", "orderBy: {field: UPDATED_AT, direction: DESC}")
    + ACTOR
)


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

    def __str__(self) -> str:
        """As it stands in a link."""
        return "-".join([f"#seen-{self.since}", self.digest, *sorted(self.awaited)])


@dataclass(frozen=True, kw_only=True, slots=True)
class Seen:
    """All that a decision is made from: what looks otherwise only if more than chatter came, and the comments."""

    around: object
    said: tuple[Comment, ...]
    states: Mapping[str, str]

    def mark(self, plan: ReadingPlan, since: int, awaited: frozenset[str]) -> Mark:
        """The mark of what was seen and decided; of comments it holds those that were touched since a time."""
        words = sorted(_words(self.said, since, partial(_counts, plan, awaited)))
        told = json.dumps([VERSION, self.around, sorted(self.states.items()), words, sorted(awaited)], sort_keys=True)
        return Mark(since=since, digest=text_digest(told).partition(":")[2][:LENGTH], awaited=awaited)


def mark_of(
    snapshot: Snapshot, looked: object, plan: ReadingPlan, lines: Iterable[StatusLine], awaited: Iterable[str]
) -> str:
    """The mark of a decision, nothing where that could not be told by one; ``looked``: how all but comments looked.

    What GitHub did not tell this time, it may tell the next.
    """
    logins = frozenset(map(_short, awaited))
    told = snapshot.ref_log.complete and snapshot.files.complete
    if not told or not _can_tell(plan) or len(logins) > MOST_AWAITED:
        return ""
    own = snapshot.own_issues
    said = (*snapshot.comments, *(each for issue in own for each in issue.comments))
    last = max((_seconds(_touched(each)) for each in said), default=0)
    around = [looked, sorted(each.number for each in snapshot.siblings), to_data(snapshot.checks)]
    states = {line.context.lower(): line.state.value for line in lines}
    return str(Seen(around=around, said=said, states=states).mark(plan, max(last - DISORDER, 0), logins))


def is_worn(standing: Iterable[CommitStatus], link: str, now: float) -> bool:
    """Whether none of our statuses has the mark of a link, and the last of them was written a while ago."""
    ours = [each for each in standing if _is_ours(each)]
    mark, marks = Mark.found_in(link), [Mark.found_in(each.url or "") for each in ours]
    return mark not in marks and now - max((_seconds(each.at) for each in ours), default=0) >= WORN


def _short(login: str) -> str:
    return text_digest(login.lower()).partition(":")[2][:SHORT]


def _can_tell(plan: ReadingPlan) -> bool:
    """Whether all that counts under a policy can be seen in one question."""
    return bool(plan.triggers) and not plan.schemas and plan.approvals is None


def _counts(plan: ReadingPlan, awaited: frozenset[str], texts: list[str], author: Actor) -> bool:
    """Whether a comment with these texts makes a difference.

    Of an account that the policy names it does where it holds something, or is awaited.
    """
    if plan.is_chatter(texts, author):
        return False
    by_name = author.login.lower() in plan.named and not plan.teams
    return not by_name or _short(author.login) in awaited or any(map(plan.carries, texts))


def _words(said: Iterable[Comment], since: int, counts: Callable[[list[str], Actor], bool]) -> Iterator[list[Any]]:
    """The comments that were touched since and make a difference, each with the texts that it had in that time."""
    for each in said:
        older = [edit for edit in each.history if _seconds(edit.at) < since]
        texts = [*(edit.text for edit in (*older[-1:], *each.history[len(older) :])), each.text]
        whole = each.edited_at is None or each.history_complete or bool(older)
        known = [text for text in texts if text is not None]
        told = whole and known == texts
        if _seconds(_touched(each)) >= since and (not told or each.author is None or counts(known, each.author)):
            yield [each.id, _touched(each), to_data(each.author), whole, texts]


def _touched(said: Comment) -> str:
    return said.edited_at or said.created_at


def _seconds(at: str) -> int:
    return timegm(strptime(at, TIME))


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


def standing(client: Client, target: Target, plans: Plans, heard: tuple[int, str]) -> Standing | None:
    """What stands on the head, if it was decided of what is there now; none where that is not so, or not told.

    ``heard``: the comment that the event tells of, and when it was touched. One of GitHub's machines that does not know
    of it yet may not know of others either.
    """
    owner, _, name = target.repository.partition("/")
    variables = {"owner": owner, "name": name, "number": target.number, "policy": f"HEAD:{target.policy_path}"}
    answer = client.divisible("Still", STILL, variables)
    repository = answer["repository"]
    pull = repository["pullRequest"]
    heads = [node["commit"]["oid"] for node in pull["commits"]["nodes"]]
    whole = len(pull["reviews"]["nodes"]) == pull["reviews"]["totalCount"]
    if pull["number"] != target.number or pull["state"] != "OPEN" or heads != [pull["headRefOid"]] or not whole:
        return None
    own = nodes.viewer(answer.get("viewer"))
    commit = pull["commits"]["nodes"][0]["commit"]
    written = [each for each in nodes.statuses((commit["status"] or {}).get("contexts", [])) if _is_ours(each)]
    base = pull["baseRefName"] if target.base_in_context else None
    ours = [each for each in written if is_of(each.context, base)]
    overall = [each for each in ours if each.context.lower() == context_name(base=base).lower()]
    if any(each.state == State.SUCCESS.value for each in written if each not in ours):
        return None  # in the name of another base: it is withdrawn
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
    """Whether one of our statuses was written for what is there now, and not too long ago."""
    now, longest = client.there(client.now()), EXPIRING_LASTS if plan.expiring else LASTS
    most = min(longest, lasts(target.retention_days))
    recent = (each.url or "" for each in ours if now is not None and now - _seconds(each.at) < most)
    marks = [mark for mark in map(Mark.found_in, recent) if mark is not None]
    said = _said(repository)
    if not marks or said is None:
        return False
    pull, runs = repository["pullRequest"], dict[Hashable, Any]()
    if plan.runs_of:
        runs = client.together(check_tasks(client, target.root, pull["headRefOid"], plan.runs_of))
    same = (each["number"] for each in repository["pullRequests"]["nodes"] if each["headRefOid"] == pull["headRefOid"])
    happened = [place["timelineItems"]["nodes"] for place in _places(repository) if place is not None]
    looked = scene(repository, pull["commits"]["nodes"][0]["commit"], plan, happened)
    around = [looked, sorted(each for each in same if each != target.number), to_data(told_checks(runs))]
    seen = Seen(around=around, said=said, states={each.context.lower(): each.state for each in ours})
    known = _known_since(repository)
    return any(known <= each.since and seen.mark(plan, each.since, each.awaited) == each for each in marks)


def _is_up_to_date(repository: JSON, comment: int, touched: str) -> bool:
    """Whether a comment is told, as it was touched or later."""
    told = [node for place in _places(repository) if place is not None for node in place["comments"]["nodes"]]
    return any(
        nodes.number(node["fullDatabaseId"]) == comment and _seconds(node["updatedAt"]) >= _seconds(touched)
        for node in told
    )


def _places(repository: JSON) -> list[JSON | None]:
    """The pull request and its own issues; what is hidden may be one."""
    own, pull = repository["nameWithOwner"].lower(), repository["pullRequest"]
    issues = pull["closingIssuesReferences"]["nodes"]
    return [pull, *(each for each in issues if each is None or each["repository"]["nameWithOwner"].lower() == own)]


def _said(repository: JSON) -> tuple[Comment, ...] | None:
    """The comments that were touched last; none where something is hidden."""
    places = _places(repository)
    if None in places:
        return None
    return tuple(_comment(node) for place in places if place is not None for node in place["comments"]["nodes"])


def _known_since(repository: JSON) -> int:
    """Since when every comment that was touched is told."""
    threads = [place["comments"] for place in _places(repository) if place is not None]
    cut = [each["nodes"] for each in threads if len(each["nodes"]) < each["totalCount"]]
    return max((_seconds(told[-1]["updatedAt"]) + 1 for told in cut), default=0)


def _comment(node: JSON) -> Comment:
    """A comment as far as it is compared."""
    edits = node["userContentEdits"] or {"totalCount": 0, "nodes": []}
    versions = [Edit(at=edit["editedAt"], text=edit["diff"]) for edit in reversed(edits["nodes"])]
    return Comment(
        id=nodes.number(node["fullDatabaseId"]),
        url="",
        author=nodes.actor(node["author"]),
        created_at=node["createdAt"],
        text=node["body"],
        edited_at=node["lastEditedAt"],
        history=tuple(sorted(versions, key=lambda edit: edit.at)),
        history_complete=bool(node["includesCreatedEdit"]) and len(versions) == edits["totalCount"],
    )
