"""What the first trip brought, as the snapshot's types."""

from __future__ import annotations

from typing import Any

from phasegate.github.client.answers import GitHubError
from phasegate.github.reading import nodes
from phasegate.github.reading.opening import Opening
from phasegate.model.digest import text_digest
from phasegate.model.snapshot import Branch, PolicyFile, PullRequest, Repository, Sibling
from phasegate.model.texts import Comment, Issue

JSON = dict[str, Any]


def repository_of(opened: Opening) -> Repository:
    """The repository."""
    found = opened.repository
    branch = found["defaultBranchRef"]
    if branch is None:
        raise GitHubError(f"{opened.target.repository} has no default branch, so there is no place for a policy")
    return Repository(
        name=found["nameWithOwner"], url=found["url"], default_branch=branch["name"], id=found["databaseId"]
    )


def policy_of(opened: Opening) -> PolicyFile:
    """The policy file on the default branch."""
    path, commit = opened.target.policy_path, opened.repository["defaultBranchRef"]["target"]["oid"]
    blob = opened.repository["policy"]
    if blob is None:
        return PolicyFile(path=path, commit=commit)
    text = blob.get("text")
    if blob["__typename"] != "Blob" or blob["isTruncated"] or blob["isBinary"] or text is None:
        raise GitHubError(f"the policy {path} is not a text file of ordinary size on the default branch")
    return PolicyFile(path=path, text=text, digest=text_digest(text), commit=commit)


def pull_request_of(opened: Opening, events: list[JSON]) -> PullRequest:
    """The pull request itself."""
    pull = opened.pull
    head_repository = pull["headRepository"]
    return PullRequest(
        number=pull["number"],
        url=pull["url"],
        title=pull["title"],
        author=nodes.actor(pull["author"]),
        created_at=pull["createdAt"],
        base=Branch(ref=pull["baseRefName"], sha=pull["baseRefOid"], repository=opened.repository["nameWithOwner"]),
        head=Branch(
            ref=pull["headRefName"],
            sha=pull["headRefOid"],
            repository=None if head_repository is None else head_repository["nameWithOwner"],
        ),
        body=pull["body"],
        state=pull["state"].lower(),
        draft=pull["isDraft"],
        base_changes=nodes.base_changes(events),
    )


def issue_of(node: JSON, events: list[JSON], comments: tuple[Comment, ...]) -> Issue:
    """A linked issue with its comments."""
    return Issue(
        repository=node["repository"]["nameWithOwner"],
        number=node["number"],
        url=node["url"],
        title=node["title"],
        state=node["state"].lower(),
        author=nodes.actor(node["author"]),
        labels=tuple(label["name"] for label in node["labels"]["nodes"]),
        label_events=nodes.label_events(events),
        type=None if node["issueType"] is None else node["issueType"]["name"],
        type_events=nodes.type_events(events),
        comments=comments,
        deleted_comments=nodes.deleted_comments(events),
        closed_by=nodes.closed_by(events),
    )


def siblings_of(opened: Opening) -> tuple[Sibling, ...]:
    """The other open pull requests with the same head commit."""
    found = opened.commit["associatedPullRequests"]["nodes"]
    same = (node for node in found if node["headRefOid"] == opened.pull["headRefOid"] and node["state"] == "OPEN")
    return tuple(
        Sibling(number=node["number"], url=node["url"], base=node["baseRefName"])
        for node in same
        if node["url"] != opened.pull["url"]
    )
