"""The GraphQL queries: one that reads a pull request almost whole, and the few that read what did not fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from phasegate.model.snapshot import MISPLACED_POLICIES

PAGE = 100

_ACTOR = """
fragment actor on Actor {
  __typename
  login
  ... on User { databaseId }
  ... on Bot { databaseId }
  ... on Mannequin { databaseId }
  ... on Organization { databaseId }
}
"""

_COMMENT = """
fragment comment on IssueComment {
  id fullDatabaseId url body createdAt lastEditedAt createdViaEmail isMinimized minimizedReason
  author { ...actor }
  editor { ...actor }
}
"""

_REVIEW = """
fragment review on PullRequestReview {
  id fullDatabaseId url body createdAt submittedAt lastEditedAt createdViaEmail isMinimized minimizedReason state
  author { ...actor }
  editor { ...actor }
  commit { oid }
}
"""

_ISSUE_EVENTS = """
fragment issueEvents on IssueTimelineItemsConnection {
  pageCount
  pageInfo { hasNextPage endCursor }
  nodes {
    __typename
    ... on LabeledEvent { createdAt actor { ...actor } label { name } }
    ... on UnlabeledEvent { createdAt actor { ...actor } label { name } }
    ... on IssueTypeAddedEvent { createdAt actor { ...actor } issueType { name } }
    ... on IssueTypeChangedEvent { createdAt actor { ...actor } issueType { name } prevIssueType { name } }
    ... on IssueTypeRemovedEvent { createdAt actor { ...actor } issueType { name } }
    ... on CommentDeletedEvent { createdAt actor { ...actor } deletedCommentAuthor { ...actor } }
    ... on ClosedEvent {
      createdAt
      closer { __typename ... on PullRequest { number mergedAt repository { nameWithOwner } } }
    }
  }
}
"""

_ISSUE_EVENT_TYPES = (
    "[LABELED_EVENT, UNLABELED_EVENT, ISSUE_TYPE_ADDED_EVENT, ISSUE_TYPE_CHANGED_EVENT, "
    "ISSUE_TYPE_REMOVED_EVENT, COMMENT_DELETED_EVENT, CLOSED_EVENT]"
)

_PULL_EVENTS = """
fragment pullEvents on PullRequestTimelineItemsConnection {
  pageCount
  pageInfo { hasNextPage endCursor }
  nodes {
    __typename
    ... on CommentDeletedEvent { createdAt actor { ...actor } deletedCommentAuthor { ...actor } }
    ... on BaseRefChangedEvent { createdAt actor { ...actor } currentRefName previousRefName }
    ... on AutomaticBaseChangeSucceededEvent { createdAt actor { ...actor } oldBase newBase }
    ... on BaseRefForcePushedEvent { createdAt actor { ...actor } beforeCommit { oid } afterCommit { oid } }
    ... on HeadRefForcePushedEvent { createdAt actor { ...actor } beforeCommit { oid } afterCommit { oid } }
    ... on BaseRefDeletedEvent { createdAt actor { ...actor } baseRefName }
    ... on ClosedEvent { createdAt actor { ...actor } }
    ... on ReopenedEvent { createdAt actor { ...actor } }
    ... on ReviewDismissedEvent { createdAt actor { ...actor } review { fullDatabaseId } }
    ... on ConnectedEvent { createdAt }
    ... on DisconnectedEvent { createdAt }
  }
}
"""

_PULL_EVENT_TYPES = (
    "[COMMENT_DELETED_EVENT, BASE_REF_CHANGED_EVENT, AUTOMATIC_BASE_CHANGE_SUCCEEDED_EVENT, "
    "BASE_REF_FORCE_PUSHED_EVENT, BASE_REF_DELETED_EVENT, HEAD_REF_FORCE_PUSHED_EVENT, CLOSED_EVENT, REOPENED_EVENT, "
    "REVIEW_DISMISSED_EVENT, CONNECTED_EVENT, DISCONNECTED_EVENT]"
)

_CONTEXTS = """
fragment contexts on StatusCheckRollupContextConnection {
  totalCount
  pageInfo { hasNextPage endCursor }
  nodes {
    __typename
    ... on StatusContext { context state description targetUrl createdAt creator { ...actor } }
    ... on CheckRun { name status conclusion detailsUrl completedAt checkSuite { app { databaseId } } }
  }
}
"""

_HEAD_COMMIT = """
fragment headCommit on Commit {
  id oid messageHeadline
  statusCheckRollup { contexts(first: 100) { ...contexts } }
  associatedPullRequests(first: 50) { totalCount nodes { number state url headRefOid baseRefName } }
}
"""

_MISPLACED = " ".join(
    f'misplaced{number}: object(expression: "HEAD:{path}") {{ __typename }}'
    for number, path in enumerate(MISPLACED_POLICIES)
)

PULL_REQUEST = (
    """
query PullRequest($owner: String!, $name: String!, $number: Int!, $policy: String!) {
  viewer { login databaseId }
  repository(owner: $owner, name: $name) {
    databaseId nameWithOwner url
    defaultBranchRef { name target { oid } }
    policy: object(expression: $policy) { __typename ... on Blob { text isTruncated isBinary byteSize } }
    MISPLACED
    pullRequest(number: $number) {
      id number url title body state isDraft createdAt lastEditedAt changedFiles
      author { ...actor }
      baseRefName baseRefOid headRefName headRefOid
      headRepository { nameWithOwner }
      comments(first: 100) { totalCount nodes { ...comment } }
      reviews(first: 100) { totalCount nodes { ...review } }
      timelineItems(first: 100, itemTypes: PULL_EVENT_TYPES) { ...pullEvents }
      closingIssuesReferences(first: 20) {
        totalCount
        nodes {
          id number url title state
          repository { nameWithOwner }
          author { ...actor }
          labels(first: 100) { totalCount nodes { name } }
          issueType { name }
          comments(first: 100) { totalCount nodes { ...comment } }
          timelineItems(first: 100, itemTypes: ISSUE_EVENT_TYPES) { ...issueEvents }
        }
      }
      commits(last: 1) { totalCount nodes { commit { ...headCommit } } }
    }
  }
}
""".replace("PULL_EVENT_TYPES", _PULL_EVENT_TYPES)
    .replace("ISSUE_EVENT_TYPES", _ISSUE_EVENT_TYPES)
    .replace("MISPLACED", _MISPLACED)
    + _ACTOR
    + _COMMENT
    + _REVIEW
    + _ISSUE_EVENTS
    + _PULL_EVENTS
    + _HEAD_COMMIT
    + _CONTEXTS
)

HEAD = """
query Head($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) { headRefOid } }
}
"""

HEAD_COMMIT = (
    """
query HeadCommit($owner: String!, $name: String!, $oid: GitObjectID!) {
  repository(owner: $owner, name: $name) { object(oid: $oid) { ...headCommit } }
}
"""
    + _ACTOR
    + _HEAD_COMMIT
    + _CONTEXTS
)


def statuses_query(heads: Iterable[str]) -> str:
    """The query for the contexts that have a status on some commits, each under a name of its own."""
    asked = "\n".join(f'    head{number}: object(oid: "{head}") {{ ...reported }}' for number, head in enumerate(heads))
    return f"""
query Statuses($owner: String!, $name: String!) {{
  repository(owner: $owner, name: $name) {{
{asked}
  }}
}}
fragment reported on Commit {{ oid status {{ contexts {{ context createdAt }} }} }}
"""


def modes_query(places: Sequence[tuple[str, Sequence[int]]]) -> str:
    """The query for the entries of commits at some paths, which are variables by their numbers."""
    numbers = sorted({number for _, asked in places for number in asked})
    variables = ", ".join(f"$path{number}: String!" for number in numbers)
    objects = "\n".join(
        f'    commit{index}: object(oid: "{commit}") {{ ... on Commit {{ '
        + " ".join(f"path{number}: file(path: $path{number}) {{ mode oid }}" for number in asked)
        + " } }"
        for index, (commit, asked) in enumerate(places)
    )
    return f"""
query Modes($owner: String!, $name: String!, {variables}) {{
  repository(owner: $owner, name: $name) {{
{objects}
  }}
}}
"""


DETAILS = (
    """
query Details($ids: [ID!]!) {
  nodes(ids: $ids) { __typename ...comment ...review }
}
"""
    + _ACTOR
    + _COMMENT
    + _REVIEW
)

HISTORY = (
    """
query History($ids: [ID!]!) {
  nodes(ids: $ids) {
    __typename
    ... on IssueComment { id includesCreatedEdit userContentEdits(first: 100) { ...edits } }
    ... on PullRequestReview { id includesCreatedEdit userContentEdits(first: 100) { ...edits } }
  }
}
fragment edits on UserContentEditConnection {
  totalCount
  nodes { editedAt diff deletedAt editor { ...actor } deletedBy { ...actor } }
}
"""
    + _ACTOR
)

MORE_ISSUE_EVENTS = (
    """
query MoreIssueEvents($id: ID!, $after: String!) {
  node(id: $id) { ... on Issue { more: timelineItems(first: 100, after: $after, itemTypes: TYPES) { ...issueEvents } } }
}
""".replace("TYPES", _ISSUE_EVENT_TYPES)
    + _ACTOR
    + _ISSUE_EVENTS
)

MORE_PULL_EVENTS = (
    """
query MorePullEvents($id: ID!, $after: String!) {
  node(id: $id) {
    ... on PullRequest { more: timelineItems(first: 100, after: $after, itemTypes: TYPES) { ...pullEvents } }
  }
}
""".replace("TYPES", _PULL_EVENT_TYPES)
    + _ACTOR
    + _PULL_EVENTS
)

MORE_CONTEXTS = (
    """
query MoreContexts($id: ID!, $after: String!) {
  node(id: $id) {
    ... on Commit { statusCheckRollup { more: contexts(first: 100, after: $after) { ...contexts } } }
  }
}
"""
    + _ACTOR
    + _CONTEXTS
)

PULL_COMMITS = """
query Commits($id: ID!, $before: String) {
  node(id: $id) {
    ... on PullRequest {
      commits(last: 100, before: $before) {
        totalCount
        pageInfo { hasPreviousPage startCursor }
        nodes { commit { oid } }
      }
    }
  }
}
"""

CLOSING_PULL_REQUESTS = """
query ClosingPullRequests($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    issue(number: $number) {
      closedByPullRequestsReferences(first: 100, includeClosedPrs: false, after: $after) {
        totalCount
        pageInfo { hasNextPage endCursor }
        nodes { number state updatedAt repository { nameWithOwner } }
      }
    }
  }
}
"""


_LISTING = """
fragment listing on Tree { oid entries { name mode type oid } }
"""

_FILE = """
fragment file on Blob { oid byteSize isBinary isTruncated text }
"""

EVIDENCE = (
    """
query Evidence($owner: String!, $name: String!, $head: GitObjectID!, $folder: String!, $ignore: String!) {
  repository(owner: $owner, name: $name) {
    head: object(oid: $head) { ... on Commit { tree { ...listing } } }
    folder: object(expression: $folder) { ...listing }
    ignore: object(expression: $ignore) { ...file }
  }
}
"""
    + _LISTING
    + _FILE
)


def folder_query(files: int) -> str:
    """The query for a folder, and for so many files in it."""
    names = [f"file{number}" for number in range(files)]
    return _query("IssueFolder", ["folder"], names, [])


def heads_query(heads: int, folders: int, files: int) -> str:
    """The query for what some commits held: whether each is there, its folders, and so many files in some of them."""
    commits = [f"head{head}" for head in range(heads)]
    trees = [f"{head}_{folder}" for head in commits for folder in range(folders)]
    texts = [f"{tree}_{file}" for tree in trees for file in range(files)]
    return _query("EvidenceHeads", [*(f"{head}_all" for head in commits), *trees], texts, commits)


def paths_query(heads: int, paths: int) -> str:
    """The query for what stood at some paths of some commits, whatever it was."""
    variables = [*(f"$head{n}: GitObjectID!" for n in range(heads)), *(f"$path{n}: String!" for n in range(paths))]
    files = " ".join(f"path{n}: file(path: $path{n}) {{ ...found }}" for n in range(paths))
    commits = "\n".join(f"    head{n}: object(oid: $head{n}) {{ ... on Commit {{ {files} }} }}" for n in range(heads))
    return f"""
query EvidencePaths($owner: String!, $name: String!, {", ".join(variables)}) {{
  repository(owner: $owner, name: $name) {{
{commits}
  }}
}}
fragment found on TreeEntry {{ name mode type oid object {{ ...file }} }}
{_FILE}"""


def texts_query(files: int) -> str:
    """The query for the texts of so many files."""
    return _query("Texts", [], [f"file{number}" for number in range(files)], [])


def _query(name: str, trees: Sequence[str], files: Sequence[str], commits: Sequence[str]) -> str:
    asked = [
        *((commit, "oid", "GitObjectID!", "__typename") for commit in commits),
        *((tree, "expression", "String!", "...listing") for tree in trees),
        *((file, "expression", "String!", "...file") for file in files),
    ]
    variables = ", ".join(f"${each}: {kind}" for each, _, kind, _ in asked)
    objects = "\n".join(f"    {each}: object({by}: ${each}) {{ {wanted} }}" for each, by, _, wanted in asked)
    return f"""
query {name}($owner: String!, $name: String!, {variables}) {{
  repository(owner: $owner, name: $name) {{
{objects}
  }}
}}
{_LISTING if trees else ""}{_FILE if files else ""}"""
