"""Filing proposals: each is one issue, however often and by however many runs at once it is asked for.

An issue is known by the first line of its body, if this very token wrote it. It is looked for among the issues with our
label, which are up to date at once, and among those that refer to the place where it was proposed, which they still do
when somebody takes the label away. Runs that file at the same moment look again and keep the lowest number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from phasegate.github.client.answers import GitHubError, as_documented
from phasegate.github.client.client import Client
from phasegate.model.drafts import Filed, IssueDraft
from phasegate.model.frozen import dataclass

LABEL = "phase-gate-proposal"
MOST_FILED = 20
MOST_PAGES = 10
JSON = dict[str, Any]

PROPOSALS = """
query Proposals(
  $owner: String!, $name: String!, $number: Int!, $label: String!, $since: DateTime!, $issues: String, $events: String
) {
  repository(owner: $owner, name: $name) {
    issues(
      first: 100, after: $issues, states: [OPEN, CLOSED], filterBy: {labels: [$label], since: $since},
      orderBy: {field: CREATED_AT, direction: ASC}
    ) {
      pageInfo { hasNextPage endCursor }
      nodes { ...filed }
    }
    place: issueOrPullRequest(number: $number) {
      ... on PullRequest {
        timelineItems(first: 100, after: $events, itemTypes: [CROSS_REFERENCED_EVENT]) {
          pageInfo { hasNextPage endCursor }
          nodes { ...reference }
        }
      }
      ... on Issue {
        timelineItems(first: 100, after: $events, itemTypes: [CROSS_REFERENCED_EVENT]) {
          pageInfo { hasNextPage endCursor }
          nodes { ...reference }
        }
      }
    }
  }
}
fragment reference on CrossReferencedEvent { source { __typename ... on Issue { ...filed } } }
fragment filed on Issue { id number url state body viewerDidAuthor }
"""

CLOSE = """
mutation CloseIssue($id: ID!) {
  closeIssue(input: {issueId: $id, stateReason: NOT_PLANNED}) { issue { state } }
}
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Issue:
    """An issue of ours in the tracker."""

    marker: str
    node: str
    number: int
    url: str
    open: bool


def file_proposals(client: Client, repository: str, proposals: Sequence[IssueDraft]) -> list[Filed]:
    """File what is not in the tracker yet, the oldest first; where each of them is now.

    Of very many new ones the next run files the rest.
    """
    if not proposals:
        return []
    known = _by_marker(_ours(client, repository, proposals))
    missing = [draft for draft in proposals if draft.marker not in known][:MOST_FILED]
    if missing:
        made = [_file(client, repository, draft) for draft in missing]
        known = _by_marker([*made, *_ours(client, repository, proposals)])
        for draft in missing:
            _close_twins(client, known[draft.marker])
    return list(_filed(proposals, known, {draft.marker for draft in missing}))


def _filed(proposals: Sequence[IssueDraft], known: Mapping[str, list[_Issue]], new: set[str]) -> Iterator[Filed]:
    for draft in proposals:
        if draft.marker in known:
            first = known[draft.marker][0]
            yield Filed(draft=draft, number=first.number, url=first.url, new=draft.marker in new)


def _by_marker(issues: Iterable[_Issue]) -> dict[str, list[_Issue]]:
    """The issues of each proposal, each once, the lowest number first."""
    found: dict[str, list[_Issue]] = {}
    for issue in sorted({issue.url: issue for issue in issues}.values(), key=lambda issue: issue.number):
        found.setdefault(issue.marker, []).append(issue)
    return found


def _ours(client: Client, repository: str, proposals: Sequence[IssueDraft]) -> list[_Issue]:
    """The issues of this token that may be among the proposals."""
    since: dict[int, str] = {}
    for draft in proposals:
        since[draft.place] = min(draft.at, since.get(draft.place, draft.at))
    return [issue for place, at in since.items() for issue in _referring(client, repository, place, at)]


def _referring(client: Client, repository: str, place: int, since: str) -> list[_Issue]:
    """Those with our label, and those that refer to a place."""
    owner, _, name = repository.partition("/")
    variables: JSON = {"owner": owner, "name": name, "number": place, "label": LABEL, "since": since}
    found: list[_Issue] = []
    for _ in range(MOST_PAGES):
        data = client.graphql("Proposals", PROPOSALS, variables)
        with as_documented("query Proposals"):
            issues, events = _connections(data["repository"])
            found += [_issue(node) for node in _nodes(issues, events) if node["viewerDidAuthor"]]
            if not (issues["pageInfo"]["hasNextPage"] or events["pageInfo"]["hasNextPage"]):
                return found
            variables |= {"issues": _end(issues, variables, "issues"), "events": _end(events, variables, "events")}
    raise GitHubError(f"query Proposals: more than {MOST_PAGES} pages of issues with the label {LABEL}")


def _connections(repository: JSON) -> tuple[JSON, JSON]:
    return repository["issues"], repository["place"]["timelineItems"]


def _nodes(issues: JSON, events: JSON) -> Iterator[JSON]:
    yield from issues["nodes"]
    for event in events["nodes"]:
        source = event.get("source") or {}
        if source.get("__typename") == "Issue":
            yield source


def _end(connection: JSON, variables: JSON, name: str) -> str | None:
    """Where to read on; behind the last page nothing follows."""
    end: str | None = connection["pageInfo"]["endCursor"] or variables.get(name)
    return end


def _issue(node: JSON) -> _Issue:
    return _Issue(
        marker=_first_line(node["body"]),
        node=node["id"],
        number=node["number"],
        url=node["url"],
        open=node["state"] == "OPEN",
    )


def _first_line(body: str | None) -> str:
    return (body or "").partition("\n")[0].rstrip("\r")


def _file(client: Client, repository: str, draft: IssueDraft) -> _Issue:
    body = {"title": draft.title, "body": draft.body, "labels": [LABEL]}
    written = client.post(f"/repos/{repository}/issues", body)
    with as_documented(f"POST /repos/{repository}/issues"):
        labels = [label["name"] if isinstance(label, dict) else label for label in written["labels"]]
        issue = _Issue(
            marker=draft.marker,
            node=written["node_id"],
            number=written["number"],
            url=written["html_url"],
            open=True,
        )
    if LABEL not in labels:
        message = f"#{issue.number} was filed without the label {LABEL}, by which the next run would find it"
        raise GitHubError(f"{message}. The token needs issues: write, and may not be one that only comments")
    return issue


def _close_twins(client: Client, issues: list[_Issue]) -> None:
    """Close what another run, or a repeated request, has filed beside the first."""
    for twin in issues[1:]:
        if twin.open:
            client.graphql("CloseIssue", CLOSE, {"id": twin.node})
