"""Which pull requests an event is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phasegate.github.client.answers import GitHubError
from phasegate.github.client.client import Client
from phasegate.github.reading.queries import CLOSING_PULL_REQUESTS

PULL_REQUEST_EVENTS = ("pull_request_target", "pull_request", "pull_request_review", "pull_request_review_comment")
JSON = Mapping[str, Any]


class NoPullRequestError(Exception):
    """The event carries no pull request: what to do about it."""


def concerned(client: Client, repository: str, event: str, payload: JSON) -> tuple[int, ...]:
    """The numbers of the open pull requests that an event is about; none where an issue has none."""
    if event in PULL_REQUEST_EVENTS:
        return (_number(payload, "pull_request"),)
    if event == "issue_comment" and (payload.get("issue") or {}).get("pull_request"):
        return (_number(payload, "issue"),)
    if event in ("issues", "issue_comment"):
        return _closing(client, repository, _number(payload, "issue"))
    if event == "workflow_run":
        return _of_run(client, repository, payload.get("workflow_run") or {})
    raise NoPullRequestError(
        f"the event {event or '(none)'} carries no pull request. Pass its number in the input pull-request, or run on "
        "pull_request_target, issue_comment, issues or workflow_run"
    )


def _number(payload: JSON, key: str) -> int:
    number = (payload.get(key) or {}).get("number")
    if not isinstance(number, int):
        raise NoPullRequestError(f"the event's payload has no {key}.number")
    return number


def _closing(client: Client, repository: str, issue: int) -> tuple[int, ...]:
    owner, _, name = repository.partition("/")
    variables = {"owner": owner, "name": name, "number": issue}
    data = client.graphql("ClosingPullRequests", CLOSING_PULL_REQUESTS, variables)
    found = ((data["repository"] or {}).get("issue") or {}).get("closedByPullRequestsReferences")
    if found is None:
        return ()
    if found["totalCount"] > len(found["nodes"]):
        raise GitHubError(f"more than {len(found['nodes'])} pull requests close #{issue}")
    own = (node for node in found["nodes"] if node["repository"]["nameWithOwner"].lower() == repository.lower())
    return tuple(sorted(node["number"] for node in own if node["state"] == "OPEN"))


def _of_run(client: Client, repository: str, run: JSON) -> tuple[int, ...]:
    """The pull requests of a run's branch; what the payload lists is empty for forks, so the branch is looked up."""
    owner = ((run.get("head_repository") or {}).get("owner") or {}).get("login")
    branch = run.get("head_branch")
    if not owner or not branch:
        raise NoPullRequestError("the run that ended has no branch; pass the number in the input pull-request")
    found = client.pages(f"/repos/{repository}/pulls", head=f"{owner}:{branch}", state="open", per_page=100)
    return tuple(sorted(pull["number"] for pull in found))
