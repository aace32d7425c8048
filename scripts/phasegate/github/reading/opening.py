"""The first trip: the pull request with its issues and first comments, and the first pages that REST has of it.

It loads little, so that it is under way before the rest is loaded.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from phasegate.github.client.answers import GitHubError, MissingError
from phasegate.github.client.client import Client
from phasegate.github.client.side_by_side import Pending, Task
from phasegate.github.reading.queries import HEAD_COMMIT, PAGE, PULL_REQUEST
from phasegate.model.frozen import dataclass

if TYPE_CHECKING:
    from phasegate.github.reading.conversation import Thread

JSON = dict[str, Any]
Trip = Pending[Hashable, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """Which pull request to read, and where its repository keeps the policy."""

    repository: str
    number: int
    policy_path: str

    @property
    def root(self) -> str:
        """The repository's place in REST."""
        return f"/repos/{self.repository}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Opening:
    """What the first trip brought, as GitHub sent it."""

    target: Target
    repository: JSON
    commit: JSON
    comments: list[JSON]
    files: list[JSON]

    @property
    def pull(self) -> JSON:
        """The pull request."""
        found: JSON = self.repository["pullRequest"]
        return found

    @property
    def issues(self) -> list[JSON]:
        """The linked issues that this token may see."""
        return [issue for issue in self.pull["closingIssuesReferences"]["nodes"] if issue is not None]

    @property
    def own_issues(self) -> list[JSON]:
        """Those of this repository: the others decide nothing, so nothing more is read of them."""
        own = self.repository["nameWithOwner"].lower()
        return [issue for issue in self.issues if issue["repository"]["nameWithOwner"].lower() == own]

    def threads(self) -> list[Thread]:
        """Everything that was said: on the pull request, in its reviews, on each issue."""
        root = self.target.root
        own = _thread(f"{root}/issues/{self.pull['number']}/comments", self.pull["comments"], with_apps=True)
        reviews = _thread(f"{root}/pulls/{self.pull['number']}/reviews", self.pull["reviews"], with_apps=False)
        issues = (
            _thread(f"{root}/issues/{issue['number']}/comments", issue["comments"], with_apps=True)
            for issue in self.own_issues
        )
        return [own, reviews, *issues]


def _thread(path: str, words: JSON, *, with_apps: bool) -> Thread:
    from phasegate.github.reading.conversation import Thread  # noqa: PLC0415  (loaded while GitHub is asked)

    return Thread(path=path, total=words["totalCount"], first=words["nodes"], with_apps=with_apps)


def opening_tasks(client: Client, target: Target) -> dict[Hashable, Task]:
    """The requests of the first trip."""
    return {
        "main": partial(_main, client, target),
        "comments": partial(client.page, f"{target.root}/issues/{target.number}/comments", per_page=PAGE, page=1),
        "files": partial(client.page, f"{target.root}/pulls/{target.number}/files", per_page=PAGE, page=1),
    }


def set_out(client: Client, target: Target) -> Trip:
    """Begin the first trip."""
    return client.begin(opening_tasks(client, target))


def opening_of(target: Target, answers: Mapping[Hashable, Any]) -> Opening:
    """What the first trip brought, if nothing of it was cut short."""
    repository, commit = answers["main"]
    opened = Opening(
        target=target, repository=repository, commit=commit, comments=answers["comments"], files=answers["files"]
    )
    _bounded(opened)
    return opened


def _main(client: Client, target: Target) -> tuple[JSON, JSON]:
    """The repository with its pull request, and the head commit."""
    owner, _, name = target.repository.partition("/")
    named = {"owner": owner, "name": name}
    variables = {**named, "number": target.number, "policy": f"HEAD:{target.policy_path}"}
    repository = client.graphql("PullRequest", PULL_REQUEST, variables)["repository"]
    if repository is None or repository["pullRequest"] is None:
        raise MissingError(f"{target.repository}#{target.number} is not a pull request that this token can see")
    head = repository["pullRequest"]["headRefOid"]
    # GitHub lists the commits of a pull request by date or by arrival, so that the last need not be the head
    last = [node["commit"] for node in repository["pullRequest"]["commits"]["nodes"]]
    if last and last[-1]["oid"] == head:
        return repository, last[-1]
    found = client.graphql("HeadCommit", HEAD_COMMIT, {**named, "oid": head})["repository"]["object"]
    if found is None:
        raise MissingError(f"the head {head} of {target.repository}#{target.number} is not there (yet)")
    return repository, found


def _bounded(opened: Opening) -> None:
    """Refuse what was cut short without a way to read on."""
    issues = opened.pull["closingIssuesReferences"]
    if issues["totalCount"] > len(issues["nodes"]):
        raise GitHubError(f"#{opened.target.number} closes {issues['totalCount']} issues; at most 20 are read")
    for issue in opened.issues:
        if issue["labels"]["totalCount"] > len(issue["labels"]["nodes"]):
            raise GitHubError(f"#{issue['number']} has more than {PAGE} labels")
    siblings = opened.commit["associatedPullRequests"]
    if siblings["totalCount"] > len(siblings["nodes"]):
        raise GitHubError(f"more than {len(siblings['nodes'])} pull requests hold the head commit")
