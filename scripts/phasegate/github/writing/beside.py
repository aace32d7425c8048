"""Written besides the statuses, and without any effect on them: a check run, the one comment, and issues.

A check run with annotations is put on the head commit. GitHub takes fifty annotations at a time, so only the request
with the last of them completes the check run: if a run dies on the way it leaves a check in progress, and no success.
Existing content is not repeated. Any app may use our name, so only a check run with our mark is taken for ours, and
one that we may not change is left alone.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from phasegate.github.client.answers import GitHubError, InvalidError, MissingError, RefusedError, as_documented
from phasegate.github.client.client import Client
from phasegate.github.reading.queries import PAGE, place
from phasegate.github.reading.waves import connections
from phasegate.github.writing.publish import Place
from phasegate.model.codec import text_digest
from phasegate.model.frozen import dataclass
from phasegate.model.plan import COMMENT_MARKER, Annotation, CheckDraft, Filed, IssueDraft

BATCH = 50
# The prefix of our check runs' external ids.
MARK = "phase-gate:"
# GitHub's machines learn of a write at different times.
LAG = (1.0, 2.0)
COMPLETED = "completed"
# For a check run that an earlier run of ours did not finish; it would be in progress for two weeks.
CANCELLED = {"status": COMPLETED, "conclusion": "cancelled"}
PERMISSION = (
    "Annotations in a check run need checks: write among the permissions of the job, and the token of a workflow or an "
    "app: a person's token cannot write check runs"
)
JSON = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Standing:
    """A check run on the commit. The conclusion is None while it is in progress."""

    number: int
    content: str | None
    count: int
    conclusion: str | None


@dataclasses.dataclass(frozen=True, slots=True)
class _Publication:
    """A check run being written to a commit."""

    client: Client
    place: Place
    draft: CheckDraft

    def publish(self) -> bool:
        standing = self._latest()
        if standing is None or (standing.content, standing.count) != (self._content, len(self.draft.annotations)):
            if standing is not None and standing.conclusion is None:
                self._changed(standing.number, CANCELLED)
            self._write_anew()
        elif standing.conclusion == self.draft.conclusion.value:
            return False
        elif self._changed(standing.number, {**self._output([]), **self._end}):
            self._expect(standing.number)
        else:
            self._write_anew()
        return True

    @property
    def _root(self) -> str:
        return f"/repos/{self.place.repository}/check-runs"

    @property
    def _content(self) -> str:
        """Everything a check run shows, apart from its conclusion, for comparison."""
        shown = [_body(item) for item in self.draft.annotations]
        return MARK + text_digest(json.dumps([self.draft.title, self.draft.summary, shown]))

    @property
    def _end(self) -> JSON:
        return {"status": COMPLETED, "conclusion": self.draft.conclusion.value, **self._link}

    @property
    def _link(self) -> JSON:
        return {} if self.place.url is None else {"details_url": self.place.url}

    def _output(self, batch: list[JSON]) -> JSON:
        marks = {"annotations": batch} if batch else {}
        return {"output": {"title": self.draft.title, "summary": self.draft.summary, **marks}}

    def _latest(self) -> _Standing | None:
        path = f"/repos/{self.place.repository}/commits/{self.place.commit}/check-runs"
        with as_documented(f"GET {path}"):
            found = self.client.get(path, check_name=self.draft.name, filter="latest", per_page=PAGE)["check_runs"]
            named = [_standing(item) for item in found if item["name"] == self.draft.name]
        ours = (run for run in named if (run.content or "").startswith(MARK))
        return max(ours, key=lambda run: run.number, default=None)

    def _changed(self, number: int, body: JSON) -> bool:
        """Changes an existing check run if we may. Another app can have copied our mark."""
        try:
            self.client.patch(f"{self._root}/{number}", body)
        except (RefusedError, MissingError, InvalidError):
            return False
        return True

    def _write_anew(self) -> None:
        """Writes a new check run, and another one if a repeated request has duplicated a batch."""
        if self._wrong(self._write()):
            self._expect(self._write())

    def _write(self) -> int:
        """Writes a new check run, batch by batch, and returns its number."""
        bodies = [_body(item) for item in self.draft.annotations]
        first, *more = [bodies[start : start + BATCH] for start in range(0, len(bodies), BATCH)] or [[]]
        begin = {"name": self.draft.name, "head_sha": self.place.commit, "external_id": self._content, **self._link}
        ends: list[JSON] = [*([{"status": "in_progress"}] * len(more)), self._end]
        made = self.client.post(self._root, {**begin, **self._output(first), **ends[0]})
        with as_documented(f"POST {self._root}"):
            number = int(made["id"])
        for batch, end in zip(more, ends[1:], strict=True):
            self.client.patch(f"{self._root}/{number}", {**self._output(batch), **end})
        return number

    def _expect(self, number: int) -> None:
        if wrong := self._wrong(number):
            raise GitHubError(wrong)

    def _wrong(self, number: int) -> str:
        """What is wrong with a check run just written, or ""."""
        expected, told = (self.draft.conclusion.value, len(self.draft.annotations)), ""
        for seconds in (*LAG, None):
            with as_documented(f"GET {self._root}/{number}"):
                found = _standing(self.client.get(f"{self._root}/{number}"))
            if (found.conclusion, found.count) == expected:
                return ""
            told = f"GitHub has {found.conclusion or 'no conclusion'} with {found.count}"
            if seconds is not None:
                self.client.pause(seconds, "reading the check run back")
        written = f"was written as {expected[0]} with {expected[1]} annotations"
        return f'the check run "{self.draft.name}" {written} but {told}'


def publish_check_run(client: Client, place: Place, draft: CheckDraft) -> bool:
    """Puts a check run on the commit. True if anything had to be written."""
    try:
        return _Publication(client, place, draft).publish()
    except RefusedError as error:
        raise GitHubError(f"{error}. {PERMISSION}") from error


def _standing(item: Mapping[str, Any]) -> _Standing:
    return _Standing(
        number=item["id"],
        content=item["external_id"],
        count=item["output"]["annotations_count"],
        conclusion=item["conclusion"] if item["status"] == COMPLETED else None,
    )


def _body(item: Annotation) -> JSON:
    columns = {} if item.column is None else {"start_column": item.column, "end_column": item.column}
    return {
        "path": item.path,
        "start_line": item.line,
        "end_line": item.line,
        **columns,
        "annotation_level": item.level.value,
        "title": item.title,
        "message": item.message,
        "raw_details": item.details,
    }


MOST_COMMENT_PAGES = 100

COMMENTS = """
query OwnComments($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      comments(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { id databaseId body viewerDidAuthor }
      }
    }
  }
}
"""
DELETE = """
mutation DeleteComment($id: ID!) {
  deleteIssueComment(input: {id: $id}) { clientMutationId }
}
"""


def keep_comment(client: Client, repository: str, number: int, body: str) -> str:
    """Keeps our comment at this text and returns what was done, in a word."""
    ours = _our_comments(client, repository, number)
    if not ours:
        client.post(f"/repos/{repository}/issues/{number}/comments", {"body": body})
        return "written"
    first, *twins = ours
    for twin in twins:
        client.graphql("DeleteComment", DELETE, {"id": twin["id"]})
    if _lines(first["body"]) == _lines(body):
        return "is there already"
    client.patch(f"/repos/{repository}/issues/comments/{first['databaseId']}", {"body": body})
    return "updated"


def _our_comments(client: Client, repository: str, number: int) -> list[JSON]:
    def listed(data: JSON) -> JSON:
        comments: JSON = data["repository"]["pullRequest"]["comments"]
        return comments

    query, variables = ("OwnComments", COMMENTS), {**place(repository), "number": number}
    with as_documented("query OwnComments"):
        pages = connections(client.graphql, query, variables, listed, MOST_COMMENT_PAGES)
        ours = [node for data in pages for node in listed(data)["nodes"] if node["viewerDidAuthor"]]
        return [node for node in ours if _lines(node["body"])[:1] == [COMMENT_MARKER]]


def _lines(body: str | None) -> list[str]:
    """The lines of a text, as GitHub may return it."""
    return (body or "").strip().splitlines()


LABEL = "phase-gate-proposal"
MOST_FILED = 20
MOST_PAGES = 10
OPEN = "OPEN"
FILED = ("id", "number", "url", "state", "body")

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


def file_proposals(client: Client, repository: str, proposals: Sequence[IssueDraft]) -> list[Filed]:
    """Files proposals that are not in the tracker yet, oldest first, and returns where each is.

    If there are very many, the next run files the rest.
    """
    if not proposals:
        return []
    known = _by_marker(_ours(client, repository, proposals))
    missing = [draft for draft in proposals if draft.marker not in known][:MOST_FILED]
    if missing:
        made = [_file(client, repository, draft) for draft in missing]
        known = _by_marker([*made, *_ours(client, repository, proposals)])
    for draft in missing:
        for twin in known[draft.marker][1:]:  # which another run, or a repeated request, has filed beside it
            if twin["state"] == OPEN:
                client.graphql("CloseIssue", CLOSE, {"id": twin["id"]})
    new = {draft.marker for draft in missing}
    first = [(draft, known[draft.marker][0]) for draft in proposals if draft.marker in known]
    return [Filed(draft=d, number=node["number"], url=node["url"], new=d.marker in new) for d, node in first]


def _by_marker(issues: Iterable[JSON]) -> dict[str, list[JSON]]:
    """The issues of each proposal by the marker in their first line, each once, lowest number first."""
    found: dict[str, list[JSON]] = {}
    for issue in sorted({issue["url"]: issue for issue in issues}.values(), key=lambda issue: int(issue["number"])):
        found.setdefault((issue["body"] or "").partition("\n")[0].rstrip("\r"), []).append(issue)
    return found


def _ours(client: Client, repository: str, proposals: Sequence[IssueDraft]) -> list[JSON]:
    """This token's issues that may be among the proposals."""
    since: dict[int, str] = {}
    for draft in proposals:
        since[draft.place] = min(draft.at, since.get(draft.place, draft.at))
    return [issue for number, at in since.items() for issue in _referring(client, repository, number, at)]


def _referring(client: Client, repository: str, number: int, since: str) -> list[JSON]:
    """Issues with our label, and issues that refer to a place."""
    variables: JSON = {**place(repository), "number": number, "label": LABEL, "since": since}
    found: list[JSON] = []
    for _ in range(MOST_PAGES):
        data = client.graphql("Proposals", PROPOSALS, variables)
        with as_documented("query Proposals"):
            issues, events = data["repository"]["issues"], data["repository"]["place"]["timelineItems"]
            sources = (event.get("source") or {} for event in events["nodes"])
            nodes = [*issues["nodes"], *(source for source in sources if source.get("__typename") == "Issue")]
            found += [{name: node[name] for name in FILED} for node in nodes if node["viewerDidAuthor"]]
            if not (issues["pageInfo"]["hasNextPage"] or events["pageInfo"]["hasNextPage"]):
                return found
            for which, told in (("issues", issues), ("events", events)):  # behind the last page nothing follows
                variables[which] = told["pageInfo"]["endCursor"] or variables.get(which)
    raise GitHubError(f"query Proposals: more than {MOST_PAGES} pages of issues with the label {LABEL}")


def _file(client: Client, repository: str, draft: IssueDraft) -> JSON:
    path, body = f"/repos/{repository}/issues", {"title": draft.title, "body": draft.body, "labels": [LABEL]}
    written = client.post(path, body)
    with as_documented(f"POST {path}"):
        labels = [label["name"] if isinstance(label, dict) else label for label in written["labels"]]
        issue = {"id": written["node_id"], "number": written["number"], "url": written["html_url"]}
    if LABEL not in labels:
        message = f"#{issue['number']} was filed without the label {LABEL}, by which the next run would find it"
        raise GitHubError(f"{message}. The token needs issues: write, and may not be one that only comments")
    return {**issue, "state": OPEN, "body": draft.marker}
