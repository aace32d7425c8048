"""The question that a fingerprint is made of: how a pull request looks, and what stands on its commits."""

from __future__ import annotations

from collections.abc import Sequence

from phasegate.github.reading.queries import (
    DEFAULT_BRANCH,
    ISSUE_EVENT_TYPES,
    MISPLACED,
    PLACE,
    POLICY_FILE,
    PULL_EVENT_TYPES,
    SORTED,
    THREAD_STATES,
    each_query,
    whole,
)
from phasegate.model.frozen import dataclass

MOST_ISSUES, MOST_EDITS = 20, 40
_LOOKS = """
fragment looks on PullRequest {
  number title BODY state isDraft lastEditedAt baseRefName baseRefOid headRefName headRefOid
  headRepository { nameWithOwner }
  comments(first: SAID, SORTED) { totalCount nodes { ...touched } }
  reviews(first: 100) { totalCount nodes { ...reviewed } }
  timelineItems(last: 1, itemTypes: PULL_EVENT_TYPES) { ...pullEvents }
  closingIssuesReferences(first: ISSUES) {
    totalCount
    nodes {
      id title state
      repository { nameWithOwner }
      labels(first: 100) { nodes { name } }
      issueType { name }
      comments(first: ON_EACH, SORTED) { totalCount nodes { ...touched } }
      timelineItems(last: 1, itemTypes: ISSUE_EVENT_TYPES) { ...issueEvents }
    }
  }
  LAST_COMMIT
}
fragment reviewed on PullRequestReview { id updatedAt state BODY }
fragment touched on IssueComment {
  fullDatabaseId createdAt updatedAt lastEditedAt body includesCreatedEdit
  author { ...actor }
  editor { ...actor }
  userContentEdits(first: EDITS) { totalCount nodes { editedAt diff } }
}
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """How much one question asks for, so that it takes one point: linked issues, and comments of each place."""

    said: int = 40
    issues: int = 4
    on_issue: int = 20

    @staticmethod
    def over(issues: int) -> Window:
        """The window in which so many linked issues are seen, and one more."""
        seen = min(max(issues + 1, Window().issues), MOST_ISSUES)
        return Window(issues=seen, on_issue=max(92 // seen - 3, 1))

    def sizes(self, places: Sequence[object]) -> list[int]:
        """How many comments of the pull request, and of each of its issues."""
        return [self.said, *([self.on_issue] * (len(places) - 1))]

    def looks(self, *, bodies: bool = False, commit: bool = False) -> str:
        """What is asked of a pull request, with texts that are not comments, and with its last commit."""
        told = {
            "BODY": "body" if bodies else "",
            "SAID": str(self.said),
            "ON_EACH": str(self.on_issue),
            "PULL_EVENT_TYPES": PULL_EVENT_TYPES,
            "ISSUE_EVENT_TYPES": ISSUE_EVENT_TYPES,
            "ISSUES": str(self.issues),
            "EDITS": str(MOST_EDITS),
            "LAST_COMMIT": "commits(last: 1) { nodes { commit { ...written } } }" if commit else "",
            "SORTED": SORTED,
        }
        text = _LOOKS
        for name, value in told.items():
            text = text.replace(name, value)
        return text


def swept_query(numbers: Sequence[int], window: Window, *, threads: bool) -> str:
    """The question for how some pull requests look, by number, with the statuses of their last commits."""
    states = f"threads0: reviewThreads(first: 100) {{ totalCount nodes {{ {THREAD_STATES} }} }}" if threads else ""
    asked = (f"pull{n}: pullRequest(number: {number}) {{ ...looks {states} }}" for n, number in enumerate(numbers))
    query = each_query(f"Swept({PLACE})", asked, "viewer { login databaseId }")
    return whole(query + window.looks(commit=True))


def look_query(  # noqa: PLR0913  (what is asked for)
    title: str, window: Window, *, late: int = 0, threads: int = 0, bodies: bool = False, at_head: bool = False
) -> str:
    """The question for one pull request; ``late``: how many lots of reviews there are beyond the first page.

    ``threads``: how many hundreds of review threads. ``at_head``: the statuses of the last commit are told; else those
    of the head that was judged, and of a place.
    """
    ends = ["", *(f", after: $threads{number}" for number in range(1, threads))][:threads]
    standing = (
        f"threads{number}: reviewThreads(first: 100{end}) {{ totalCount nodes {{ {THREAD_STATES} }} }}"
        for number, end in enumerate(ends)
    )
    judged = "head: object(oid: $head) { ...written } judged: object(oid: $place) { ...written }"
    variables = [PLACE, "$number: Int!", "$policy: String!"]
    variables += [] if at_head else ["$head: GitObjectID!", "$place: GitObjectID!"]
    variables += [f"$late{number}: [ID!]!" for number in range(late)]
    variables += [f"$threads{number}: String!" for number in range(1, threads)]
    asked = (
        "nameWithOwner",
        DEFAULT_BRANCH,
        POLICY_FILE,
        MISPLACED,
        f"pullRequests(first: 100, states: OPEN, {SORTED}) {{ ...heads }}",
        f"pullRequest(number: $number) {{ ...looks {' '.join(standing)} }}",
        "" if at_head else judged,
    )
    reviews = (f"late{number}: nodes(ids: $late{number}) {{ ...reviewed }}" for number in range(late))
    beside = f"viewer {{ login databaseId }} {' '.join(reviews)}"
    query = each_query(f"{title}({', '.join(variables)})", asked, beside)
    return whole(query + window.looks(bodies=bodies, commit=at_head))
