"""The GraphQL queries: one that reads a pull request almost whole, one that looks at it again, and a few more.

A line that ends in ``# if known`` is left out of questions to servers that do not know what it asks for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from phasegate.model.snapshot import MISPLACED_POLICIES

PAGE = 100
# Of a pull request that is too much for one question, less is asked for at once.
PAGES = (PAGE, 50, 25, 10)

ACTOR = """
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
  id fullDatabaseId url createdAt lastEditedAt createdViaEmail isMinimized minimizedReason
  author { ...actor }
  editor { ...actor }
}
"""

_REVIEW = """
fragment review on PullRequestReview {
  id fullDatabaseId url createdAt submittedAt updatedAt lastEditedAt createdViaEmail isMinimized minimizedReason state
  author { ...actor }
  editor { ...actor }
  commit { oid }
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

ISSUE_EVENT_TYPES = (
    "[LABELED_EVENT, UNLABELED_EVENT, COMMENT_DELETED_EVENT, CLOSED_EVENT\n"
    "            ISSUE_TYPE_ADDED_EVENT, ISSUE_TYPE_CHANGED_EVENT, ISSUE_TYPE_REMOVED_EVENT # if known\n"
    "          ]"
)

PULL_EVENTS = """
fragment linked on ReferencedSubject { __typename ... on Issue { number repository { nameWithOwner } } }
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
    ... on ConnectedEvent { createdAt actor { ...actor } source { ...linked } subject { ...linked } }
    ... on DisconnectedEvent { createdAt actor { ...actor } source { ...linked } subject { ...linked } }
  }
}
"""

PULL_EVENT_TYPES = (
    "[COMMENT_DELETED_EVENT, BASE_REF_CHANGED_EVENT, AUTOMATIC_BASE_CHANGE_SUCCEEDED_EVENT, "
    "BASE_REF_FORCE_PUSHED_EVENT, BASE_REF_DELETED_EVENT, HEAD_REF_FORCE_PUSHED_EVENT, CLOSED_EVENT, REOPENED_EVENT, "
    "REVIEW_DISMISSED_EVENT, CONNECTED_EVENT, DISCONNECTED_EVENT]"
)

_HEAD_COMMIT = """
fragment headCommit on Commit {
  oid messageHeadline
  status { contexts { context state description targetUrl createdAt creator { ...actor } } }
}
"""

# The most recently touched come first: whatever changed since they were listed is on the first page.
_OPEN = """
fragment open on PullRequestConnection {
  totalCount
  pageInfo { hasNextPage endCursor }
  nodes { number url headRefOid baseRefName }
}
"""
_OPEN_ONES = "pullRequests(first: 100, states: OPEN, orderBy: {field: UPDATED_AT, direction: DESC}AFTER) { ...open }"

POLICY_FILE = (
    "policy: object(expression: $policy) { __typename oid ... on Blob { text isTruncated isBinary byteSize } }"
)

LAST_COMMENT = (
    "lastComment: comments(first: 1, orderBy: {field: UPDATED_AT, direction: DESC}) "
    "{ totalCount nodes { id updatedAt } }"
)

MISPLACED = " ".join(
    f'misplaced{number}: object(expression: "HEAD:{path}") {{ __typename }}'
    for number, path in enumerate(MISPLACED_POLICIES)
)

PULL_REQUEST = (
    """
query PullRequest($owner: String!, $name: String!, $number: Int!, $policy: String!, $page: Int!) {
  viewer { login databaseId }
  repository(owner: $owner, name: $name) {
    databaseId nameWithOwner url
    defaultBranchRef { name target { oid } }
    POLICY_FILE
    MISPLACED
    own: issues(first: 1) { totalCount }
    OPEN_ONES
    pullRequest(number: $number) {
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
          id number url title state
          repository { nameWithOwner }
          author { ...actor }
          labels(first: 100) { totalCount nodes { name } }
          issueType { name }
          comments(first: $page) { totalCount nodes { ...comment body } }
              timelineItems(first: $page, itemTypes: ISSUE_EVENT_TYPES) { ...issueEvents }
        }
      }
      commits(last: 1) { totalCount nodes { commit { ...headCommit } } }
    }
  }
}
""".replace("PULL_EVENT_TYPES", PULL_EVENT_TYPES)
    .replace("ISSUE_EVENT_TYPES", ISSUE_EVENT_TYPES)
    .replace("POLICY_FILE", POLICY_FILE)
    .replace("MISPLACED", MISPLACED)
    .replace("OPEN_ONES", _OPEN_ONES.replace("AFTER", ""))
    + ACTOR
    + _COMMENT
    + _REVIEW
    + ISSUE_EVENTS
    + PULL_EVENTS
    + _HEAD_COMMIT
    + _OPEN
)

MORE_OPEN = (
    """
query MoreOpen($owner: String!, $name: String!, $after: String!) {
  repository(owner: $owner, name: $name) { OPEN_ONES }
}
""".replace("OPEN_ONES", _OPEN_ONES.replace("AFTER", ", after: $after"))
    + _OPEN
)


def each_query(title: str, asked: Iterable[str], beside: str = "") -> str:
    """A query for several things of a repository, each under a name of its own."""
    lines = "\n".join(f"    {each}" for each in asked)
    return f"query {title} {{ {beside}\n  repository(owner: $owner, name: $name) {{\n{lines}\n  }}\n}}\n"


POLICY = """
query Policy($owner: String!, $name: String!, $policy: String!) {
  repository(owner: $owner, name: $name) {
    defaultBranchRef { name target { oid } }
    POLICY_FILE
    MISPLACED
  }
}
""".replace("MISPLACED", MISPLACED).replace("POLICY_FILE", POLICY_FILE)

HEAD = """
query Head($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) { headRefOid baseRefName } }
}
"""

HEAD_COMMIT = (
    """
query HeadCommit($owner: String!, $name: String!, $oid: GitObjectID!) {
  repository(owner: $owner, name: $name) { object(oid: $oid) { ...headCommit } }
}
"""
    + ACTOR
    + _HEAD_COMMIT
)


def statuses_query(heads: Iterable[str]) -> str:
    """The query for the contexts that have a status on some commits, each under a name of its own."""
    asked = (f'head{number}: object(oid: "{head}") {{ ...reported }}' for number, head in enumerate(heads))
    query = each_query("Statuses($owner: String!, $name: String!)", asked)
    fields = "context state createdAt creator { ...actor }"
    return f"{query}fragment reported on Commit {{ oid status {{ contexts {{ {fields} }} }} }}\n{ACTOR}"


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


def details_query(lots: int) -> str:
    """The query for what REST does not tell of comments and reviews, in so many lots of ids."""
    variables = ", ".join(f"$ids{number}: [ID!]!" for number in range(lots))
    wanted = "...comment ...review ... on PullRequestReview { body }"
    asked = "\n".join(f"  lot{number}: nodes(ids: $ids{number}) {{ {wanted} }}" for number in range(lots))
    return f"query Details({variables}) {{\n{asked}\n}}" + ACTOR + _COMMENT + _REVIEW


HISTORY = (
    """
query History($ids: [ID!]!) {
  nodes(ids: $ids) {
    __typename
    ... on IssueComment { id includesCreatedEdit userContentEdits(first: 100) { ...edits } }
    ... on PullRequestReview { id includesCreatedEdit userContentEdits(first: 100) { ...edits } }
    ... on PullRequest { id includesCreatedEdit userContentEdits(first: 100) { ...edits } }
  }
}
fragment edits on UserContentEditConnection {
  totalCount
  nodes { editedAt diff deletedAt editor { ...actor } deletedBy { ...actor } }
}
"""
    + ACTOR
)

FORMER_ISSUE = (
    """
query FormerIssue($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    issue(number: $number) {
      id number url title state
      repository { nameWithOwner }
      author { ...actor }
      labels(first: 100) { totalCount nodes { name } }
      issueType { name }
      timelineItems(first: 100, itemTypes: TYPES) { ...issueEvents }
    }
  }
}
""".replace("TYPES", ISSUE_EVENT_TYPES)
    + ACTOR
    + ISSUE_EVENTS
)

MORE_ISSUE_EVENTS = (
    """
query MoreIssueEvents($id: ID!, $after: String!, $page: Int!) {
  node(id: $id) {
    ... on Issue { more: timelineItems(first: $page, after: $after, itemTypes: TYPES) { ...issueEvents } }
  }
}
""".replace("TYPES", ISSUE_EVENT_TYPES)
    + ACTOR
    + ISSUE_EVENTS
)

MORE_PULL_EVENTS = (
    """
query MorePullEvents($id: ID!, $after: String!, $page: Int!) {
  node(id: $id) {
    ... on PullRequest { more: timelineItems(first: $page, after: $after, itemTypes: TYPES) { ...pullEvents } }
  }
}
""".replace("TYPES", PULL_EVENT_TYPES)
    + ACTOR
    + PULL_EVENTS
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
        nodes { number state updatedAt headRefOid repository { nameWithOwner } }
      }
    }
  }
}
"""

# Those that are over are looked up among the last ones only: what an event is about was just touched.
HEADS = """
query Heads($owner: String!, $name: String!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequests(first: 100, states: OPEN, orderBy: {field: UPDATED_AT, direction: DESC}, after: $after) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes { number updatedAt headRefOid headRefName headRepository { nameWithOwner } }
    }
    over: pullRequests(first: 100, states: [CLOSED, MERGED], orderBy: {field: UPDATED_AT, direction: DESC}) {
      nodes { number updatedAt headRefOid }
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


# How a review thread stands; who resolved it decides, and GitHub does not tell when.
THREAD_STATES = "id isResolved isOutdated resolvedBy { login databaseId }"
