"""Repositories, pull requests and issues in GraphQL."""

from __future__ import annotations

import hashlib
from typing import Any

from graphql import GraphQLError

from tests.fakehub.answer import JSON, NotModelledError
from tests.fakehub.graph.connections import Arguments, World, connection, names_in
from tests.fakehub.graph.events import FOR_ISSUES, FOR_PULLS, issue_events, issue_type, label, pull_events, timeline
from tests.fakehub.graph.objects import git_object
from tests.fakehub.graph.people import actor, owner
from tests.fakehub.graph.words import comment as comment_of
from tests.fakehub.graph.words import review as review_of
from tests.fakehub.graph.words import thread as thread_of
from tests.fakehub.graph.words import words as words_of
from tests.fakehub.nodes import node_id
from tests.fakehub.state import number_of

FORBIDDEN = "forbidden"

DESCRIBED = ("author", "body", "editor", "includesCreatedEdit", "lastEditedAt", "userContentEdits")


def not_found(kind: str, name: str) -> GraphQLError:
    return GraphQLError(f"Could not resolve to {kind} with {name}.", extensions={"type": "NOT_FOUND"})


def repository(world: World, name: str) -> JSON:
    known = world.state.repositories().get(name.lower())
    if known is None:
        raise not_found("a Repository", f"the name '{name}'")
    full = known["name"]

    def one_pull(number: int) -> JSON:
        found = world.state.pull(full, number)
        if found is None:
            raise not_found("a PullRequest", f"the number of {number}")
        return pull(world, found)

    def one_issue(number: int) -> JSON:
        found = world.state.issue(full, number)
        if found is None:
            raise not_found("an Issue", f"the number of {number}")
        return issue(world, found)

    def ref(qualifiedName: str) -> JSON | None:  # noqa: N803 - GraphQL's name
        sha = world.git.resolve(qualifiedName, full)
        prefix, short = "refs/heads/", qualifiedName.removeprefix("refs/heads/")
        target = {"target": lambda: world.make("commit", full, sha), "repository": lambda: repository(world, full)}
        return {"id": node_id("Ref", full, short), "name": short, "prefix": prefix, **target} if sha else None

    return {
        "__typename": "Repository",
        "id": node_id("Repository", full),
        "databaseId": known.get("id") or number_of(full),
        "name": full.partition("/")[2],
        "nameWithOwner": full,
        "owner": lambda: {**owner(full), "repository": lambda name, **_: _of_owner(world, full, name)},
        "url": known["url"],
        "visibility": world.state.extras.visibility.upper(),
        "defaultBranchRef": lambda: ref(f"refs/heads/{known['default_branch']}"),
        "ref": ref,
        "object": lambda expression=None, oid=None: git_object(world, full, expression or oid or ""),
        "pullRequest": one_pull,
        "pullRequests": lambda **page: _pulls(world, full, page),
        "issue": one_issue,
        "issues": lambda **page: _own_issues(world, full, page),
    }


def _of_owner(world: World, full: str, name: str) -> JSON:
    """A repository of the owner: the one named .github, if it is there, holds the policy of all of them."""
    text = world.state.extras.shared_policy
    named = f"{full.partition('/')[0]}/{name}"
    if named.endswith("/.github") and text == FORBIDDEN:
        raise forbidden()
    if not named.endswith("/.github") or text is None:
        raise not_found("a Repository", f"the name '{named}'")
    oid = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
    blob = {
        "__typename": "Blob", "oid": oid, "text": text, "isTruncated": False, "isBinary": False, "byteSize": len(text),
    }  # fmt: skip
    return {
        "__typename": "Repository",
        "nameWithOwner": named,
        "defaultBranchRef": {"target": {"__typename": "Commit", "oid": oid}},
        "object": lambda expression=None, **_: blob if expression == "HEAD:phase-gate.yml" and text else None,
    }


def _own_issues(world: World, name: str, page: Arguments) -> JSON:
    if "issues: read" in world.state.extras.lacking:
        raise forbidden()
    if set(page) - {"first"}:
        message = f"issues with {', '.join(sorted(page))}"
        raise NotModelledError(message)
    found = [each for each in world.state.issues() if each["repository"].lower() == name.lower()]
    return connection(world, found, lambda each: issue(world, each), page)


def _pulls(world: World, name: str, page: Arguments) -> JSON:
    found = [each for each in world.git.pulls if each["repository"]["name"] == name]
    if states := names_in(page, "states"):
        found = [each for each in found if each["pull_request"]["state"].upper() in states]
    for argument, end in (("headRefName", "head"), ("baseRefName", "base")):
        if wanted := page.get(argument):
            found = [each for each in found if each["pull_request"][end]["ref"] == wanted]
    order = page.get("orderBy")
    if isinstance(order, dict):
        newest_first = order["direction"] == "DESC"
        found = sorted(found, key=lambda each: (_touched(each), each["pull_request"]["number"]), reverse=newest_first)
    return connection(world, found, lambda each: pull(world, each), page)


def _touched(snapshot: JSON) -> str:
    """When a pull request was last touched: by a new comment or a push, not by an edit."""
    told = snapshot["pull_request"].get("updated_at") or snapshot["taken_at"]
    said = [each["created_at"] for each in (*snapshot["comments"], *snapshot["reviews"])]
    return str(max([told, *said, *(move["at"] for move in snapshot["ref_log"]["moves"])]))


def pull(world: World, snapshot: JSON) -> JSON:
    told, name = snapshot["pull_request"], snapshot["repository"]["name"]
    head, base = told["head"], told["base"]
    tried = told.get("test_merge")
    return {
        "__typename": "PullRequest",
        "potentialMergeCommit": tried and {"__typename": "Commit", "id": node_id("Commit", name, tried), "oid": tried},
        "id": node_id("PullRequest", name, told["number"]),
        "databaseId": number_of(f"{name}#{told['number']}"),
        "fullDatabaseId": str(number_of(f"{name}#{told['number']}")),
        "number": told["number"],
        "url": told["url"],
        "title": told["title"],
        **_description(world, told),
        "createdAt": told["created_at"],
        "updatedAt": _touched(snapshot),
        "state": told["state"].upper(),
        "closed": told["state"] != "open",
        "merged": told["state"] == "merged",
        "mergedAt": told.get("merged_at", snapshot["taken_at"]) if told["state"] == "merged" else None,
        "isDraft": told["draft"],
        "baseRef": lambda: {"target": world.make("commit", name, base["sha"])},
        "baseRefName": base["ref"],
        "baseRefOid": base["sha"],
        "headRefName": head["ref"],
        "headRefOid": head["sha"],
        "headRepository": lambda: _head_repository(world, head["repository"]),
        "repository": lambda: repository(world, name),
        "changedFiles": lambda: _counted_files(world, base["sha"], head["sha"]),
        **_lists_of_pull(world, snapshot),
    }


def _counted_files(world: World, base: str, head: str) -> int:
    late = world.state.miscounted
    return len(world.git.changes(base, head)) if late is None else late


def _description(world: World, told: JSON) -> JSON:
    """The description with its versions: what its author linked and unlinked is told by its words."""
    by_words = [each for each in told["links"] if not each["name"] or each["actor"] == told["author"]]
    shown: dict[str, None] = {}
    versions: list[JSON] = [{"at": told["created_at"], "editor": told["author"], "text": told["body"]}]
    for each in by_words:
        if not each["name"]:  # the version before is gone
            versions[-1] |= {"deleted_at": each["at"], "deleted_by": told["author"]}
        shown = {name: None for name in (*shown, each["name"]) if name != each["name"] or each["action"] == "added"}
        text = "".join(f"Fixes {name}\n" for name in shown if name)
        if each["at"] == versions[-1]["at"]:
            versions.pop()
        versions.append({"at": each["at"], "editor": each["actor"], "text": text})
    edited = {"edited_at": versions[-1]["at"], "history": versions} if len(versions) > 1 else {}
    said = {"id": told["number"], "url": told["url"], "author": told["author"], "created_at": told["created_at"]}
    words = words_of(world, {**said, "text": versions[-1]["text"], "edited_at": told.get("edited_at"), **edited})
    return {key: words[key] for key in DESCRIBED}


def _lists_of_pull(world: World, snapshot: JSON) -> JSON:
    chain = world.git.commits_of(snapshot)

    def commits(**page: object) -> JSON:
        return connection(world, chain, lambda sha: _pull_commit(world, snapshot, sha), page)

    def closing_issues_references(**page: object) -> JSON:
        return connection(world, snapshot["issues"], lambda each: _linked(world, each), page)

    def reviews(**page: object) -> JSON:
        states = names_in(page, "states")
        said = [each for each in snapshot["reviews"] if not states or each.get("state", "COMMENTED") in states]
        return connection(world, said, lambda each: review(world, each, snapshot), page)

    def timeline_items(**page: object) -> JSON:
        words = [comment(world, each, snapshot) for each in snapshot["comments"]]
        words += [review(world, each, snapshot) for each in snapshot["reviews"]]
        words += [_pull_commit(world, snapshot, sha) for sha in chain]
        return timeline(world, pull_events(world, snapshot) + words, FOR_PULLS, page)

    return {
        "comments": lambda **page: _comments(world, snapshot, page),
        "reviews": reviews,
        "reviewThreads": lambda **page: connection(
            world, snapshot["threads"], lambda each: thread_of(world, each, snapshot), page
        ),
        "commits": commits,
        "closingIssuesReferences": closing_issues_references,
        "timelineItems": timeline_items,
    }


def _linked(world: World, told: JSON) -> JSON:
    """A linked issue; in place of one that the token may not see stands an error."""
    own = told["repository"].lower() == world.state.name.lower()
    if told["repository"] in world.state.extras.forbidden or (own and "issues: read" in world.state.extras.lacking):
        fault: Any = forbidden()
        made: JSON = fault
        return made
    return issue(world, told)


def forbidden() -> GraphQLError:
    return GraphQLError("Resource not accessible by integration", extensions={"type": "FORBIDDEN"})


def _head_repository(world: World, name: str | None) -> JSON | None:
    if name in world.state.extras.forbidden:
        raise forbidden()
    return repository(world, name) if name else None


def issue(world: World, told: JSON) -> JSON:
    def closers(**page: object) -> JSON:
        closed = page.get("includeClosedPrs")
        found = [each for each in world.state.closers_of(told) if closed or each["pull_request"]["state"] == "open"]
        return connection(world, found, lambda each: pull(world, each), page)

    def labels(**page: object) -> JSON:
        return connection(world, told["labels"], label, page)

    def timeline_items(**page: object) -> JSON:
        words = [comment(world, each, told) for each in told["comments"]]
        return timeline(world, issue_events(world, told) + words, FOR_ISSUES, page)

    closed = told["state"] == "closed"
    taken = world.state.main["taken_at"]
    return {
        "__typename": "Issue",
        "id": node_id("Issue", told["repository"], told["number"]),
        "databaseId": number_of(f"{told['repository']}#{told['number']}"),
        "number": told["number"],
        "url": told["url"],
        "title": told["title"],
        "body": told.get("body", ""),
        "author": actor(told["author"]),
        "createdAt": told.get("created_at", world.state.main["pull_request"]["created_at"]),
        "updatedAt": max([taken, *(each["created_at"] for each in told["comments"])]),
        "state": told["state"].upper(),
        "stateReason": lambda **_: "COMPLETED" if closed else None,
        "closed": closed,
        "repository": lambda: repository(world, told["repository"]),
        "issueType": issue_type(told["type"]),
        "labels": labels,
        "comments": lambda **page: _comments(world, told, page),
        "timelineItems": timeline_items,
        "closedByPullRequestsReferences": closers,
    }


def comment(world: World, said: JSON, place: JSON) -> JSON:
    if "pull_request" not in place:
        back = {"issue": lambda: issue(world, place), "pullRequest": None}
        return comment_of(world, said, back | {"repository": lambda: repository(world, place["repository"])})
    back = {
        "pullRequest": lambda: pull(world, place),
        "repository": lambda: repository(world, place["repository"]["name"]),
    }
    return comment_of(world, said, back)


def review(world: World, said: JSON, snapshot: JSON) -> JSON:
    name = snapshot["repository"]["name"]
    back = {"pullRequest": lambda: pull(world, snapshot), "repository": lambda: repository(world, name)}
    return review_of(world, said, back)


def _comments(world: World, place: JSON, page: Arguments) -> JSON:
    """The comments of an issue or a pull request, the oldest first unless asked otherwise."""
    order, found = page.get("orderBy"), place["comments"]
    if isinstance(order, dict):
        newest_first = order["direction"] == "DESC"
        found = sorted(found, key=lambda each: each.get("edited_at") or each["created_at"], reverse=newest_first)
    return connection(world, found, lambda each: comment(world, each, place), page)


def _pull_commit(world: World, snapshot: JSON, sha: str) -> JSON:
    """A commit of a pull request; when it came is not told."""
    told, name = snapshot["pull_request"], snapshot["repository"]["name"]
    return {
        "__typename": "PullRequestCommit", "id": node_id("PullRequestCommit", name, told["number"], sha),
        "url": f"{told['url']}/commits/{sha}", "commit": lambda: world.make("commit", name, sha),
        "pullRequest": lambda: pull(world, snapshot),
    }  # fmt: skip
