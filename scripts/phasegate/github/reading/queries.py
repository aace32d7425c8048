"""The GraphQL queries: one reads a pull request almost completely, one looks at it again, and a few others.

A line ending in ``# if known`` is left out for servers that do not know its fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from phasegate.model.frozen import dataclass
from phasegate.model.snapshot import MISPLACED_POLICIES, SHARED_POLICY

PAGE = 100
# Of a pull request that is too much for one question, less is asked for at once.
PAGES = (PAGE, 50, 25, 10)
PLACE = "$owner: String!, $name: String!"

ACTOR = """
fragment actor on Actor {
  __typename login
  ... on User { databaseId } ... on Bot { databaseId } ... on Mannequin { databaseId }
  ... on Organization { databaseId }
}
"""
ISSUE_EVENTS = """
fragment issueEvents on IssueTimelineItemsConnection {
  pageCount filteredCount updatedAt
  pageInfo { hasNextPage endCursor }
  nodes {
    __typename
    ... on Node { id }
    ... on LabeledEvent { createdAt actor { ...actor } label { name } }
    ... on UnlabeledEvent { createdAt actor { ...actor } label { name } }
    ... on IssueTypeAddedEvent { createdAt actor { ...actor } issueType { name } } # if known
    ... on IssueTypeChangedEvent { createdAt actor { ...actor } issueType { name } prevIssueType { name } } # if known
    ... on IssueTypeRemovedEvent { createdAt actor { ...actor } issueType { name } } # if known
    ... on CommentDeletedEvent { createdAt actor { ...actor } deletedCommentAuthor { ...actor } }
    ... on ClosedEvent {
      createdAt
      closer { __typename ... on PullRequest { number mergedAt repository { nameWithOwner } } }
    }
  }
}
"""
PULL_EVENTS = """
fragment pullEvents on PullRequestTimelineItemsConnection {
  pageCount filteredCount updatedAt
  pageInfo { hasNextPage endCursor }
  nodes {
    __typename
    ... on Node { id }
    ... on CommentDeletedEvent { createdAt actor { ...actor } deletedCommentAuthor { ...actor } }
    ... on BaseRefChangedEvent { createdAt actor { ...actor } currentRefName previousRefName }
    ... on AutomaticBaseChangeSucceededEvent { createdAt actor { ...actor } oldBase newBase }
    ... on BaseRefForcePushedEvent { createdAt actor { ...actor } beforeCommit { oid } afterCommit { oid } }
    ... on HeadRefForcePushedEvent { createdAt actor { ...actor } beforeCommit { oid } afterCommit { oid } }
    ... on BaseRefDeletedEvent { createdAt actor { ...actor } baseRefName }
    ... on ClosedEvent { createdAt actor { ...actor } }
    ... on ReopenedEvent { createdAt actor { ...actor } }
    ... on ReviewDismissedEvent { createdAt actor { ...actor } previousReviewState review { fullDatabaseId } }
    ... on ConnectedEvent { createdAt actor { ...actor } source { ...subject } subject { ...subject } }
    ... on DisconnectedEvent { createdAt actor { ...actor } source { ...subject } subject { ...subject } }
  }
}
"""
# Of the open pull requests the most recently touched come first: what changed since is on the first page.
_OTHERS = """
fragment subject on ReferencedSubject { __typename ... on Issue { number repository { nameWithOwner } } }
fragment comment on IssueComment {
  id fullDatabaseId url createdAt lastEditedAt createdViaEmail isMinimized minimizedReason
  author { ...actor }
  editor { ...actor }
}
fragment review on PullRequestReview {
  id fullDatabaseId url createdAt submittedAt updatedAt lastEditedAt createdViaEmail isMinimized minimizedReason state
  author { ...actor }
  editor { ...actor }
  commit { oid }
}
fragment issue on Issue {
  id number url title state
  repository { nameWithOwner }
  author { ...actor }
  labels(first: 100) { totalCount nodes { name } }
  issueType { name }
}
fragment written on Commit {
  oid status { contexts { context state description targetUrl createdAt creator { ...actor } } }
}
fragment open on PullRequestConnection {
  totalCount
  pageInfo { hasNextPage endCursor }
  nodes { number url headRefOid baseRefName }
}
fragment heads on PullRequestConnection { totalCount pageInfo { hasNextPage } nodes { number headRefOid } }
fragment edits on UserContentEditConnection {
  totalCount
  nodes { editedAt diff deletedAt editor { ...actor } deletedBy { ...actor } }
}
fragment policyFile on GitObject { __typename oid ... on Blob { text isTruncated isBinary byteSize } }
fragment listing on Tree { oid entries { name mode type oid } }
fragment file on Blob { oid byteSize isBinary isTruncated text }
fragment found on TreeEntry { name mode type oid object { ...file ...listing } }
"""
_FRAGMENT = re.compile(r"^(?=fragment (\w+) on )", re.ASCII | re.MULTILINE)
_SPREAD = re.compile(r"\.\.\.(\w+)", re.ASCII)
_EVENT = re.compile(r"^ +\.\.\. on (\w+Event) \{.*?(# if known)?$", re.ASCII | re.MULTILINE)


def fragments_of(text: str) -> dict[str, str]:
    """The fragments of a query by their names."""
    _, *parts = _FRAGMENT.split(text)
    return dict(zip(parts[::2], parts[1::2], strict=True))


FRAGMENTS = fragments_of(ACTOR + ISSUE_EVENTS + PULL_EVENTS + _OTHERS)


def whole(query: str) -> str:
    """A query with the fragments that it needs, directly or through others."""
    brought, used, waiting = fragments_of(query), dict[str, None](), [query]
    while waiting:
        spread = dict.fromkeys(_SPREAD.findall(waiting.pop()))
        new = [name for name in spread if name in FRAGMENTS and name not in brought and name not in used]
        used |= dict.fromkeys(new)
        waiting += [FRAGMENTS[name] for name in new]
    return query + "".join(FRAGMENTS[name] for name in used)


def each_query(title: str, asked: Iterable[str], beside: str = "") -> str:
    """A query for one or several things of a repository, each with an alias."""
    lines = "\n".join(f"    {each}" for each in asked)
    return whole(f"query {title} {{ {beside}\n  repository(owner: $owner, name: $name) {{\n{lines}\n  }}\n}}\n")


def place(repository: str) -> dict[str, Any]:
    """The variables that name a repository."""
    owner, _, name = repository.partition("/")
    return {"owner": owner, "name": name}


def _types_of(fragment: str) -> str:
    """The types of a fragment's events, as used in a query."""
    types = [(re.sub(r"(?<=.)([A-Z])", r"_\1", name).upper(), new) for name, new in _EVENT.findall(fragment)]
    new = ", ".join(name for name, new in types if new)
    return f"[{', '.join(name for name, new in types if not new)}" + (f"\n{new} # if known\n]" if new else "]")


ISSUE_EVENT_TYPES, PULL_EVENT_TYPES = _types_of(ISSUE_EVENTS), _types_of(PULL_EVENTS)
POLICY_FILE = (
    "policy: object(expression: $policy) { ...policyFile } owner { ... on Organization { "
    'shared: repository(name: ".github") { nameWithOwner defaultBranchRef { target { oid } } '
    f'policy: object(expression: "HEAD:{SHARED_POLICY}") {{ ...policyFile }} }} }} }}'
)
MISPLACED = " ".join(
    f'misplaced{number}: object(expression: "HEAD:{path}") {{ __typename }}'
    for number, path in enumerate(MISPLACED_POLICIES)
)
DEFAULT_BRANCH = "defaultBranchRef { name target { oid } }"
SORTED = "orderBy: {field: UPDATED_AT, direction: DESC}"
# How a review thread stands; who resolved it decides, and GitHub does not tell when.
THREAD_STATES = "id isResolved isOutdated resolvedBy { login databaseId }"
_OPEN_ONES = f"pullRequests(first: 100, states: OPEN, {SORTED}%s) {{ ...open }}"

_PULL_REQUEST = """pullRequest(number: $number) {
      id number url title body state isDraft createdAt lastEditedAt changedFiles
      author { ...actor }
      baseRefName baseRefOid headRefName headRefOid
      potentialMergeCommit { oid }
      headRepository { nameWithOwner }
      comments(first: $page) { totalCount nodes { ...comment body } }
      reviews(first: $page) { totalCount nodes { ...review body } }
      timelineItems(first: $page, itemTypes: PULL_EVENT_TYPES) { ...pullEvents }
      closingIssuesReferences(first: 20) {
        totalCount
        nodes {
          ...issue
          comments(first: $page) { totalCount nodes { ...comment body } }
          timelineItems(first: $page, itemTypes: ISSUE_EVENT_TYPES) { ...issueEvents }
        }
      }
      commits(last: 1) { totalCount nodes { commit { messageHeadline ...written } } }
    }""".replace("PULL_EVENT_TYPES", PULL_EVENT_TYPES).replace("ISSUE_EVENT_TYPES", ISSUE_EVENT_TYPES)
PULL_REQUEST = each_query(
    f"PullRequest({PLACE}, $number: Int!, $policy: String!, $page: Int!)",
    (
        "databaseId nameWithOwner url",
        DEFAULT_BRANCH,
        POLICY_FILE,
        MISPLACED,
        "own: issues(first: 1) { totalCount }",
        _OPEN_ONES % "",
        _PULL_REQUEST,
    ),
    "viewer { login databaseId }",
)
MORE_OPEN = each_query(f"MoreOpen({PLACE}, $after: String!)", [_OPEN_ONES % ", after: $after"])
POLICY = each_query(f"Policy({PLACE}, $policy: String!)", (DEFAULT_BRANCH, POLICY_FILE, MISPLACED))
HEAD = each_query(f"Head({PLACE}, $number: Int!)", ["pullRequest(number: $number) { headRefOid baseRefName }"])
HEAD_COMMIT = each_query(
    f"HeadCommit({PLACE}, $oid: GitObjectID!)", ["object(oid: $oid) { ... on Commit { messageHeadline ...written } }"]
)


def statuses_query(heads: Iterable[str]) -> str:
    """The query for contexts with a status on some commits, each with an alias."""
    asked = (f'head{number}: object(oid: "{head}") {{ ...written }}' for number, head in enumerate(heads))
    return each_query(f"Statuses({PLACE})", asked)


def places_query(title: str, wanted: str, commits: Sequence[str]) -> str:
    """The query for a path of each of some commits, with numbered variables for the paths."""
    files = (f"... on Commit {{ file(path: $path{number}) {{ {wanted} }} }}" for number in range(len(commits)))
    objects = (f'commit{n}: object(oid: "{commits[n]}") {{ {file} }}' for n, file in enumerate(files))
    variables = "".join(f", $path{number}: String!" for number in range(len(commits)))
    return each_query(f"{title}({PLACE}{variables})", objects)


# What REST does not tell of comments and reviews.
DETAILS = whole("""
query Details($ids: [ID!]!) {
  lot0: nodes(ids: $ids) { ...comment ...review ... on PullRequestReview { body } }
}
""")
HISTORY = whole("""
query History($ids: [ID!]!) {
  nodes(ids: $ids) {
    __typename
    ... on IssueComment { id includesCreatedEdit userContentEdits(first: 100) { ...edits } }
    ... on PullRequestReview { id includesCreatedEdit userContentEdits(first: 100) { ...edits } }
    ... on PullRequest { id includesCreatedEdit userContentEdits(first: 100) { ...edits } }
  }
}
""")
_EVENTS = f"timelineItems(first: 100, itemTypes: {ISSUE_EVENT_TYPES}) {{ ...issueEvents }}"
FORMER_ISSUE = each_query(f"FormerIssue({PLACE}, $number: Int!)", [f"issue(number: $number) {{ ...issue {_EVENTS} }}"])


def _more(title: str, kind: str, types: str, fragment: str) -> str:
    events = f"more: timelineItems(first: $page, after: $after, itemTypes: {types}) {{ ...{fragment} }}"
    variables = "$id: ID!, $after: String!, $page: Int!"
    return whole(f"query {title}({variables}) {{\n  node(id: $id) {{ ... on {kind} {{ {events} }} }}\n}}\n")


MORE_ISSUE_EVENTS = _more("MoreIssueEvents", "Issue", ISSUE_EVENT_TYPES, "issueEvents")
MORE_PULL_EVENTS = _more("MorePullEvents", "PullRequest", PULL_EVENT_TYPES, "pullEvents")

PULL_COMMITS = """
query Commits($id: ID!, $before: String) {
  node(id: $id) { ... on PullRequest { commits(last: 100, before: $before) {
    totalCount
    pageInfo { hasPreviousPage startCursor }
    nodes { commit { oid } }
  } } }
}
"""
_CLOSING = """closedByPullRequestsReferences(first: 100, includeClosedPrs: false, after: $after) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes { number state updatedAt headRefOid repository { nameWithOwner } }
    }"""
CLOSING_PULL_REQUESTS = each_query(
    f"ClosingPullRequests({PLACE}, $number: Int!, $after: String)", [f"issue(number: $number) {{ {_CLOSING} }}"]
)
# Those that are over are looked up among the last ones only, of the branch if that is told: what an event is about was
# just touched, but many may be closed at once.
HEADS = each_query(
    f"Heads({PLACE}, $after: String, $branch: String)",
    (
        f"pullRequests(first: 100, states: OPEN, {SORTED}, after: $after) {{",
        "  totalCount pageInfo { hasNextPage endCursor }",
        "  nodes { number updatedAt headRefOid headRefName headRepository { nameWithOwner } }",
        "}",
        f"over: pullRequests(first: 100, states: [CLOSED, MERGED], headRefName: $branch, {SORTED}) {{",
        "  nodes { number updatedAt headRefOid }",
        "}",
    ),
)


def texts_query(files: int) -> str:
    """The query for the texts of this many files, each in a variable."""
    variables = "".join(f", $file{number}: String!" for number in range(files))
    objects = (f"file{number}: object(expression: $file{number}) {{ ...file }}" for number in range(files))
    return each_query(f"Texts({PLACE}{variables})", objects)


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
    """The size of one question that costs one point: linked issues, and comments per place."""

    said: int = 40
    issues: int = 4
    on_issue: int = 20

    @staticmethod
    def over(issues: int) -> Window:
        """The window for this many linked issues, and one more."""
        seen = min(max(issues + 1, Window().issues), MOST_ISSUES)
        return Window(issues=seen, on_issue=max(92 // seen - 3, 1))

    def sizes(self, places: Sequence[object]) -> list[int]:
        """The number of comments for the pull request, and for each of its issues."""
        return [self.said, *([self.on_issue] * (len(places) - 1))]

    def looks(self, *, bodies: bool = False, commit: bool = False) -> str:
        """The fields of a pull request, optionally with texts other than comments, and with its last commit."""
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
    """The question for the state of some pull requests, by number, with their last commits' statuses."""
    states = f"threads0: reviewThreads(first: 100) {{ totalCount nodes {{ {THREAD_STATES} }} }}" if threads else ""
    asked = (f"pull{n}: pullRequest(number: {number}) {{ ...looks {states} }}" for n, number in enumerate(numbers))
    query = each_query(f"Swept({PLACE})", asked, "viewer { login databaseId }")
    return whole(query + window.looks(commit=True))


def look_query(  # noqa: PLR0913  (what is asked for)
    title: str, window: Window, *, late: int = 0, threads: int = 0, bodies: bool = False, at_head: bool = False
) -> str:
    """The question for one pull request. ``late``: the number of lots of reviews beyond the first page.

    ``threads``: the number of hundreds of review threads. ``at_head``: read the last commit's statuses, instead of
    those of the judged head and of a place.
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
