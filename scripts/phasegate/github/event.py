"""The pull requests that an event is about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from phasegate.github.client.answers import LATER, GitHubError, MovedError, as_documented
from phasegate.github.client.client import Client
from phasegate.github.reading.queries import CLOSING_PULL_REQUESTS, HEADS, place
from phasegate.github.reading.waves import connections
from phasegate.model.frozen import dataclass
from phasegate.model.snapshot import MergeGroup
from phasegate.model.texts import Actor

PULL_REQUEST_TARGET = "pull_request_target"
PULL_REQUEST_EVENTS = (PULL_REQUEST_TARGET, "pull_request", "pull_request_review", "pull_request_review_comment")
WORKFLOW_RUN = "workflow_run"
BRANCH_EVENTS = (WORKFLOW_RUN, "check_run")
MERGE_GROUP = "merge_group"
MOST_PAGES = 50
BETWEEN_TRIES = (1.0, 2.0)
JSON = Mapping[str, Any]
COMMIT = re.compile(r"[0-9a-f]{40,64}", re.ASCII)
# Where an issue, or its repository, is not there.
NO_MORE: JSON = {"nodes": [], "pageInfo": {"hasNextPage": False, "endCursor": None}}


class NoPullRequestError(Exception):
    """The event has no pull request: what to do about it."""


Heads = dict[int, str | None]


def concerned(client: Client, repository: str, event: str, payload: JSON) -> Heads:
    """The pull requests that an event is about, in the order of decision; possibly none.

    Those of an issue are open. Those of a run or a check run may be closed: then their success is withdrawn. Each
    comes with its head, or the merge group's commit, if known, so that a success can be withdrawn even if nothing more
    can be read.
    """
    head = event_head(event, payload)
    if event in PULL_REQUEST_EVENTS:
        return {_number(payload, "pull_request"): head}
    if event == "issue_comment" and _part(payload, "issue").get("pull_request"):
        return {_number(payload, "issue"): None}
    if event in ("issues", "issue_comment"):
        issue = _number(payload, "issue")
        with as_documented("query ClosingPullRequests"):
            asked = partial(_of_issue, client, repository, issue)
            return _in_the_end(client, asked, f"the pull requests that close #{issue}")
    if event == MERGE_GROUP:
        return {queued(payload)[0]: head}
    if event in BRANCH_EVENTS:
        told = Told.of(_part(payload, event))
        with as_documented("query Heads"):
            return _in_the_end(client, partial(_of_head, client, repository, told), "the pull requests of a commit")
    raise NoPullRequestError(
        f"the event {event or '(none)'} carries no pull request. Pass its number in the input pull-request, or run on "
        "pull_request_target, issue_comment, issues, merge_group, workflow_run or check_run"
    )


def queued(payload: JSON) -> tuple[int, MergeGroup]:
    """The pull request in a merge group's ref, and the group. Every part must be there and fit."""
    parts = _part(payload, "merge_group")
    base, head, below, ref = (parts.get(name) for name in ("base_ref", "head_sha", "base_sha", "head_ref"))
    lacking = [name for name in ("base_ref", "head_ref") if not isinstance(parts.get(name), str)]
    lacking += [name for name in ("head_sha", "base_sha") if not _is_commit(parts.get(name))]
    if lacking:
        raise NoPullRequestError(f"the event's payload has no usable merge_group.{lacking[0]}")
    group = MergeGroup(ref=str(ref), head=str(head), base=str(below), branch=str(base).removeprefix("refs/heads/"))
    if group.number is None:
        raise NoPullRequestError(
            f"the merge group's ref {group.ref[:200]} names no pull request of the queue of {group.branch[:100]}"
        )
    return group.number, group


def event_head(event: str, payload: JSON) -> str | None:
    """The event's head of the one pull request, or its merge group's commit, if given."""
    parts = _part(payload, "merge_group" if event == MERGE_GROUP else "pull_request")
    head = parts.get("head_sha") if event == MERGE_GROUP else _part(parts, "head").get("sha")
    known = event in (*PULL_REQUEST_EVENTS, MERGE_GROUP) and _is_commit(head)
    return str(head) if known else None


def _is_commit(told: object) -> bool:
    return isinstance(told, str) and COMMIT.fullmatch(told) is not None


@dataclass(frozen=True, kw_only=True, slots=True)
class Remark:
    """A comment in its event: every text added or removed, and its author.

    ``id`` and ``touched`` identify it and its last change, as far as known.
    """

    texts: tuple[str, ...]
    author: Actor
    app_id: int | None = None
    id: int | None = None
    touched: str | None = None


def remark(event: str, payload: JSON) -> Remark | None:
    """The comment of an event; None if the event lacks some of its texts, as for a deleted comment with edits."""
    told = _part(payload, "comment")
    user, body, action = _part(told, "user"), told.get("body"), payload.get("action")
    before = _part(_part(payload, "changes"), "body").get("from")
    edited = told.get("updated_at") != told.get("created_at")
    lost = (action == "edited" and before is None) or (action == "deleted" and edited)
    known = isinstance(user.get("login"), str) and isinstance(user.get("id"), int)
    if event != "issue_comment" or action not in ("created", "edited", "deleted") or lost or not known:
        return None
    if not isinstance(body, str):
        return None
    author = Actor(login=user["login"], id=user["id"], type=str(user.get("type", "User")))
    app = _part(told, "performed_via_github_app").get("id")
    number, touched = told.get("id"), told.get("updated_at")
    return Remark(
        texts=(body, *([before] if isinstance(before, str) else [])),
        author=author,
        app_id=app,
        id=number if isinstance(number, int) else None,
        touched=touched if isinstance(touched, str) else None,
    )


def _part(whole: JSON, key: str) -> JSON:
    """The object under a key; empty if missing."""
    found = whole.get(key)
    return found if isinstance(found, dict) else {}


def _number(payload: JSON, key: str) -> int:
    number = _part(payload, key).get("number")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise NoPullRequestError(f"the event's payload has no {key}.number")
    return number


def _in_the_end(client: Client, asked: Callable[[], Heads], what: str) -> Heads:
    """The answer to a question for a list, which is asked again if some items are missing."""
    for seconds in BETWEEN_TRIES:
        with suppress(MovedError):
            return asked()
        client.pause(seconds, f"waiting for {what}")
    try:
        return asked()
    except MovedError as error:
        raise GitHubError(f"{error}. {LATER}") from error


def _of_issue(client: Client, repository: str, issue: int) -> Heads:
    """The open pull requests of this repository that close an issue, including hidden ones in the count."""

    def listed(data: JSON) -> JSON:
        return ((data["repository"] or {}).get("issue") or {}).get("closedByPullRequestsReferences") or NO_MORE

    query = ("ClosingPullRequests", CLOSING_PULL_REQUESTS)
    pages = [
        *map(listed, connections(client.graphql, query, {**place(repository), "number": issue}, listed, MOST_PAGES))
    ]
    nodes = [node for page in pages for node in page["nodes"]]
    found = {(node["repository"]["nameWithOwner"].lower(), node["number"]): node for node in nodes if node is not None}
    if pages[-1] is not NO_MORE and len(found) + nodes.count(None) != pages[-1]["totalCount"]:
        lacking = f"{len(found)} of {pages[-1]['totalCount']}"
        raise MovedError(f"{lacking} pull requests that close #{issue} were listed")
    own = (node for (where, _), node in found.items() if where == repository.lower())
    return _newest_first(node for node in own if node["state"] == "OPEN")


def _newest_first(nodes: Iterable[JSON]) -> Heads:
    """Pull requests with their heads, the last touched first, because somebody is waiting there."""
    touched = ((node["updatedAt"], node["number"], node["headRefOid"]) for node in nodes)
    return {number: head for _, number, head in sorted(touched, reverse=True)}


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """What a run or check run tells of its branch. It does not name the pull requests of a fork.

    ``owner`` is the owner of the head's repository; None if that is gone or not given.
    """

    commit: str | None
    owner: str | None = None
    branch: str | None = None

    @staticmethod
    def of(parts: JSON) -> Told:
        """Reads a payload. A commit alone is enough, and so is a branch with its owner."""
        head, branch = parts.get("head_sha"), parts.get("head_branch")
        owner = _part(_part(parts, "head_repository"), "owner").get("login")
        commit = str(head) if _is_commit(head) else None
        if commit is None and not (isinstance(owner, str) and owner and isinstance(branch, str) and branch):
            raise NoPullRequestError(
                "the event tells neither a commit nor a branch; pass the number in the input pull-request"
            )
        return Told(
            commit=commit,
            owner=owner.lower() if isinstance(owner, str) and owner else None,
            branch=branch if isinstance(branch, str) and branch else None,
        )

    def means(self, node: JSON) -> bool:
        """True if an open pull request has this head, or this branch, whose head may have moved on."""
        name = (node["headRepository"] or {}).get("nameWithOwner", "")
        same = self.owner is not None and self.owner == name.partition("/")[0].lower()
        return node["headRefOid"] == self.commit or (same and node["headRefName"] == self.branch)


def _of_head(client: Client, repository: str, told: Told) -> Heads:
    """The pull requests of a commit or its branch, in any repository.

    A closed one counts only if no open one has the same commit: there the open one's status applies.
    """
    asked = {**place(repository), **({"branch": told.branch} if told.branch else {})}
    found, over, total = dict[int, JSON](), list[JSON](), 0
    for data in connections(client.graphql, ("Heads", HEADS), asked, _open_ones, MOST_PAGES):
        found |= {node["number"]: node for node in _open_ones(data)["nodes"]}
        over = over or [node for node in data["repository"]["over"]["nodes"] if node["headRefOid"] == told.commit]
        total = _open_ones(data)["totalCount"]
    if len(found) < total:
        raise MovedError(f"{len(found)} of {total} open pull requests were listed")
    taken = any(node["headRefOid"] == told.commit for node in found.values())
    return _newest_first([*filter(told.means, found.values()), *([] if taken else over)])


def _open_ones(data: JSON) -> JSON:
    listed: JSON = data["repository"]["pullRequests"]
    return listed
