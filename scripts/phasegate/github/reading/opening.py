"""The first trip: the pull request with its issues and first comments, and the first pages from REST.

It loads little, so that the requests run while the rest is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from phasegate.github.client.answers import GitHubError, MissingError, MovedError, Pending, Task, as_documented
from phasegate.github.client.client import Client
from phasegate.github.reading import nodes, queries
from phasegate.github.reading.nodes import Form, happened
from phasegate.github.reading.queries import PAGE, place
from phasegate.github.reading.waves import in_pages
from phasegate.model.codec import text_digest
from phasegate.model.frozen import dataclass, replace
from phasegate.model.snapshot import (
    MISPLACED_POLICIES,
    SHARED_POLICY,
    Branch,
    MergeGroup,
    PolicyFile,
    PullRequest,
    Repository,
    SchemaFile,
    SharedPolicy,
    Sibling,
)
from phasegate.model.texts import Actor, Comment, Issue

if TYPE_CHECKING:
    from phasegate.github.reading.conversation import Thread
    from phasegate.model.plan import ReadingPlan

JSON = dict[str, Any]
EXTENDS = "extends"  # the key of a policy that extends its organisation's
Trip = Pending[Hashable, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """The pull request to read, its policy's path, and the merge queue's commit, if any."""

    repository: str
    number: int
    policy_path: str
    group: MergeGroup | None = None
    base_in_context: bool = False
    workflow: str | None = None  # the file whose run should have reported on the head, where this run can tell
    retention_days: int = 1  # how long GitHub keeps a status, at least

    @property
    def root(self) -> str:
        """The repository's path in REST."""
        return f"/repos/{self.repository}"

    @property
    def named(self) -> JSON:
        """The variables of a question for the pull request and the policy."""
        return {**place(self.repository), "number": self.number, "policy": f"HEAD:{self.policy_path}"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Opening:
    """GitHub's raw answers to the first trip."""

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
    def page(self) -> int:
        """The number of items requested of each list."""
        return int(self.repository["page"])

    @property
    def own_account(self) -> Actor | None:
        """The account that the gate writes with."""
        return nodes.viewer(self.repository.get("viewer"))

    @property
    def issues(self) -> list[JSON]:
        """The linked issues visible to this token."""
        return [issue for issue in self.pull["closingIssuesReferences"]["nodes"] if issue is not None]

    @property
    def own_issues(self) -> list[JSON]:
        """The linked issues of this repository. The others decide nothing, so nothing more is read of them."""
        own = self.repository["nameWithOwner"].lower()
        return [issue for issue in self.issues if issue["repository"]["nameWithOwner"].lower() == own]

    def threads(self) -> list[Thread]:
        """All conversations: on the pull request, in its reviews, on each issue."""
        own, *issues = (
            _thread(f"{self.target.root}/issues/{each['number']}/comments", each["comments"], with_apps=True)
            for each in (self.pull, *self.own_issues)
        )
        path = f"{self.target.root}/pulls/{self.pull['number']}/reviews"
        return [own, _thread(path, self.pull["reviews"], with_apps=False), *issues]


def _thread(path: str, words: JSON, *, with_apps: bool) -> Thread:
    from phasegate.github.reading.conversation import Thread  # noqa: PLC0415  (loaded while GitHub is asked)

    return Thread(path=path, total=words["totalCount"], first=words["nodes"], with_apps=with_apps)


def opening_tasks(client: Client, target: Target) -> dict[Hashable, Task]:
    """The requests of the first trip."""
    comments = f"{target.root}/issues/{target.number}/comments"
    return {
        "main": partial(_main, client, target),
        "comments": lambda: nodes.bare(client.page(comments, per_page=PAGE, page=1)),
        "files": partial(client.page, f"{target.root}/pulls/{target.number}/files", per_page=PAGE, page=1),
    }


def set_out(client: Client, target: Target) -> Trip:
    """Starts the first trip."""
    return client.begin(opening_tasks(client, target))


def opening_of(target: Target, answers: Mapping[Hashable, Any]) -> Opening:
    """The first trip's answers, if none was cut short."""
    repository, commit = answers["main"]
    told = {"comments": answers["comments"], "files": answers["files"]}
    opened = Opening(target=target, repository=repository, commit=commit, **told)
    _bounded(opened)
    return opened


def _main(client: Client, target: Target) -> tuple[JSON, JSON]:
    began = client.now()
    query, named = queries.PULL_REQUEST, target.named
    page, answer = in_pages(client, lambda ask, page: (page, ask("PullRequest", query, {**named, "page": page})))
    repository: JSON | None = answer["repository"]
    if repository is None or repository["pullRequest"] is None:
        raise MissingError(f"{target.repository}#{target.number} is not a pull request that this token can see")
    pull = repository["pullRequest"]
    if pull["number"] != target.number:
        raise GitHubError(f"GitHub answered with #{pull['number']} instead of #{target.number}")
    repository |= {"viewer": answer.get("viewer"), "page": page, "began": client.there(began)}
    # GitHub lists the commits of a pull request by date or by arrival, so that the last need not be the head
    head, last = pull["headRefOid"], [node["commit"] for node in pull["commits"]["nodes"]]
    if last and last[-1]["oid"] == head:
        return repository, last[-1]
    variables = {**place(target.repository), "oid": head}
    found = client.graphql("HeadCommit", queries.HEAD_COMMIT, variables)["repository"]["object"]
    if found is None:
        raise MissingError(f"the head {head} of {target.repository}#{target.number} is not there (yet)")
    return repository, found


MOST_OPEN = 50
NAMES = ("title", "state", "createdAt", "baseRefName", "baseRefOid", "headRefName", "headRefOid")


def open_ones(client: Client, opened: Opening) -> list[JSON]:
    """Every open pull request of the repository, this one included if open, last touched first.

    GitHub does not tell which pull requests a commit of a fork belongs to.
    """
    page: JSON = opened.repository["pullRequests"]
    found: dict[int, JSON] = {}
    for _ in range(MOST_OPEN):
        found |= {node["number"]: node for node in page["nodes"]}
        if not page["pageInfo"]["hasNextPage"]:
            break
        variables = {**place(opened.target.repository), "after": page["pageInfo"]["endCursor"]}
        page = client.graphql("MoreOpen", queries.MORE_OPEN, variables)["repository"]["pullRequests"]
    listed_whole(found, page["totalCount"], opened.pull)
    return list(found.values())


def listed_whole(found: Mapping[int, JSON], total: int, pull: JSON) -> None:
    """Refuses a list of open pull requests that is incomplete or lacks the judged one."""
    if len(found) < total:
        raise MovedError(f"{len(found)} of {total} open pull requests were listed")
    if pull["state"] == "OPEN" and pull["number"] not in found:
        raise MovedError(f"#{pull['number']} is not among the open pull requests that GitHub lists")


def tip_of(client: Client, target: Target) -> tuple[str, str] | None:
    """Head and base name of the pull request, from either interface."""
    variables = {**place(target.repository), "number": target.number}
    with suppress(GitHubError), as_documented(target.root):
        told = client.briefly().get(f"{target.root}/pulls/{target.number}")
        return str(told["head"]["sha"]), str(told["base"]["ref"])
    with suppress(GitHubError), as_documented(target.root):
        pull = client.graphql("Head", queries.HEAD, variables)["repository"]["pullRequest"]
        return str(pull["headRefOid"]), str(pull["baseRefName"])
    return None


def _bounded(opened: Opening) -> None:
    """Refuses answers that were cut short with no way to read on, and answers without the names needed later."""
    unnamed = [name for name in NAMES if not isinstance(opened.pull[name], str)]
    if unnamed:
        raise GitHubError(f"GitHub's answer for #{opened.target.number} lacks {unnamed[0]}")
    issues = opened.pull["closingIssuesReferences"]
    if issues["totalCount"] > len(issues["nodes"]):
        raise GitHubError(f"#{opened.target.number} closes {issues['totalCount']} issues; at most 20 are read")
    if len({issue["id"] for issue in opened.issues}) != len(opened.issues):
        raise GitHubError(f"#{opened.target.number}: GitHub lists a linked issue twice, and perhaps another one not")
    for issue in opened.issues:
        if issue["labels"]["totalCount"] > len({label["name"] for label in issue["labels"]["nodes"]}):
            raise GitHubError(f"#{issue['number']} has more than {PAGE} labels, or not all were listed")


REPOSITORY = Form(Repository, "url", name="nameWithOwner", default_branch="defaultBranchRef.name", id="databaseId")


def repository_of(opened: Opening) -> Repository:
    """The repository."""
    if opened.repository["defaultBranchRef"] is None:
        raise GitHubError(f"{opened.target.repository} has no default branch, so there is no place for a policy")
    return REPOSITORY(opened.repository)


def policy_alone(client: Client, repository: str, path: str) -> PolicyFile:
    """Only the policy file on the default branch."""
    variables = {**place(repository), "policy": f"HEAD:{path}"}
    found = client.graphql("Policy", queries.POLICY, variables)["repository"]
    with as_documented(f"the policy of {repository}"):
        return policy_told(found, path)


def policy_told(repository: JSON, path: str) -> PolicyFile:
    """The policy file in the answer to a question for the default branch."""
    blob, commit = repository["policy"], repository["defaultBranchRef"]["target"]["oid"]
    shared = _shared(repository) if blob is None or EXTENDS in (blob.get("text") or "") else None
    if blob is None:
        named = ((path, repository[f"misplaced{number}"]) for number, path in enumerate(MISPLACED_POLICIES))
        misplaced = tuple(path for path, found in named if found is not None and found["__typename"] == "Blob")
        return PolicyFile(path=path, commit=commit, misplaced=misplaced, shared=shared)
    text = _text_of(blob, path)
    return PolicyFile(path=path, text=text, digest=text_digest(text), commit=commit, shared=shared)


def _text_of(blob: JSON, path: str) -> str:
    text = blob.get("text")
    if blob["__typename"] != "Blob" or blob["isTruncated"] or blob["isBinary"] or text is None:
        raise GitHubError(f"the policy {path} is not a text file of ordinary size on the default branch")
    return str(text)


def _shared(repository: JSON) -> SharedPolicy | None:
    """The organisation's policy, if there is one and this token can read it."""
    held = (repository.get("owner") or {}).get("shared")
    if held is None or held["policy"] is None:
        return None
    name, commit = str(held["nameWithOwner"]), str(held["defaultBranchRef"]["target"]["oid"])
    text = _text_of(held["policy"], f"{name}/{SHARED_POLICY}")
    return SharedPolicy(repository=name, path=SHARED_POLICY, text=text, digest=text_digest(text), commit=commit)


MOST_SCHEMAS = 20


def with_plan(
    client: Client, repository: str, policy: PolicyFile, plans: Callable[[PolicyFile], ReadingPlan]
) -> tuple[PolicyFile, ReadingPlan]:
    """A policy with the schemas that it names, and its reading plan."""
    plan = plans(policy)
    if not plan.schemas:
        return policy, plan
    policy = _with_schemas(client, repository, policy, plan.schemas)
    return policy, replace(plans(policy), schemas=plan.schemas)


def _with_schemas(client: Client, repository: str, policy: PolicyFile, paths: tuple[str, ...]) -> PolicyFile:
    """The policy with the JSON Schemas that it names, from the same commit; the text is None for a missing one."""
    if len(paths) > MOST_SCHEMAS:
        raise GitHubError(f"the policy {policy.path} names {len(paths)} schema files; at most {MOST_SCHEMAS} are read")
    files = {f"file{number}": f"{policy.commit}:{path}" for number, path in enumerate(paths)}
    variables = {**place(repository), **files}
    told = client.graphql("Texts", queries.texts_query(len(paths)), variables)["repository"]
    blobs = zip(paths, (told[alias] or {} for alias in files), strict=True)
    found = ((path, blob.get("text") if not blob.get("isTruncated") else None) for path, blob in blobs)
    return replace(policy, schemas=tuple(SchemaFile(path=path, text=text) for path, text in found))


PULL_REQUEST = Form(
    PullRequest,
    "number url title author body",
    created_at="createdAt",
    draft="isDraft",
    test_merge="potentialMergeCommit?.oid",
)
HEAD = Form(Branch, "", ref="headRefName", sha="headRefOid", repository="headRepository?.nameWithOwner")
BASE = Form(Branch, "", ref="baseRefName", sha="baseRefOid")
ISSUE = Form(Issue, "number url title author", repository="repository.nameWithOwner", type="issueType?.name")
SIBLING = Form(Sibling, "number url", base="baseRefName")


def pull_request_of(opened: Opening, events: list[JSON]) -> PullRequest:
    """The pull request itself."""
    return PULL_REQUEST(
        opened.pull,
        base=BASE(opened.pull, repository=opened.repository["nameWithOwner"]),
        head=HEAD(opened.pull),
        state=opened.pull["state"].lower(),
        base_changes=happened(events, nodes.BASE_CHANGES),
        state_changes=happened(events, nodes.STATE_CHANGES),
        head_forced=nodes.head_forced(events),
        head_title=opened.commit["messageHeadline"],
    )


def issue_of(node: JSON, events: list[JSON], comments: tuple[Comment, ...]) -> Issue:
    """A linked issue with its comments."""
    return ISSUE(
        node,
        state=node["state"].lower(),
        labels=tuple(label["name"] for label in node["labels"]["nodes"]),
        label_events=happened(events, nodes.LABELS),
        type_events=happened(events, nodes.TYPES),
        comments=comments,
        deleted_comments=happened(events, nodes.DELETED_COMMENTS),
        closed_by=nodes.closed_by(events),
    )


def siblings_of(opened: Opening, listed: list[JSON]) -> tuple[Sibling, ...]:
    """Other open pull requests with the same head commit, in any repository."""
    own = opened.pull
    same = (each for each in listed if each["headRefOid"] == own["headRefOid"] and each["number"] != own["number"])
    return tuple(sorted(map(SIBLING, same), key=lambda sibling: sibling.number))
