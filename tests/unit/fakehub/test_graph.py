"""GraphQL: who spoke and what was said before an edit, lists, and ways from one thing to another."""

from __future__ import annotations

import pytest

from tests.casebook.world import PEOPLE, World, commit
from tests.fakehub.answer import JSON
from tests.fakehub.client import Client, serving

HEAD = commit("a")
ACTOR = "{ __typename login ... on User { databaseId } ... on Bot { databaseId } }"


def comments(client: Client, fields: str) -> list[JSON]:
    found: list[JSON] = client.pull(f"comments(first: 100) {{ nodes {{ {fields} }} }}")["comments"]["nodes"]
    return found


def test_actor__has_no_bot_in_its_login_and_may_be_gone() -> None:
    world = World()
    for who in ("ana", "jkz-runner[bot]"):
        world.say(who, "Hello")
    world.say("ana", "Gone", author=None)
    with serving(world.snapshot()) as client:
        assert [said["author"] for said in comments(client, f"author {ACTOR}")] == [
            {"__typename": "User", "login": "ana", "databaseId": 21},
            {"__typename": "Bot", "login": "jkz-runner", "databaseId": 987},
            None,
        ]


def test_comment__has_one_id_in_both_apis() -> None:
    world = World()
    world.say("ana", "Hello")
    with serving(world.snapshot()) as client:
        rest, graphql = client.data("issues/7/comments")[0], comments(client, "id fullDatabaseId url")[0]
        assert (rest["node_id"], str(rest["id"]), rest["html_url"]) == (
            graphql["id"], graphql["fullDatabaseId"], graphql["url"],
        )  # fmt: skip


EDITS = (
    "userContentEdits(first: 10) { totalCount nodes { editedAt diff deletedAt editor { login } deletedBy { login } } }"
)


def test_edits__hold_whole_texts_the_newest_first() -> None:
    world = World()
    said = world.say("ana", "First")
    world.edit(said, "Second", "ben")
    world.edit(said, "Third", "ana")
    said["history"][1] |= {"deleted_at": world.tick(), "deleted_by": PEOPLE["mona"]}
    world.say("ana", "Never edited")
    with serving(world.snapshot()) as client:
        edited, untouched = comments(client, f"body lastEditedAt editor {{ login }} includesCreatedEdit {EDITS}")
        assert (edited["body"], edited["editor"]["login"], edited["includesCreatedEdit"]) == ("Third", "ana", True)
        edits = edited["userContentEdits"]
        assert edits["totalCount"] == 3
        assert [edit["diff"] for edit in edits["nodes"]] == ["Third", None, "First"]
        assert [edit["editor"]["login"] for edit in edits["nodes"]] == ["ana", "ben", "ana"]
        assert edits["nodes"][1]["deletedBy"]["login"] == "mona"
        assert edits["nodes"][0]["editedAt"] == edited["lastEditedAt"]
        assert (untouched["lastEditedAt"], untouched["editor"], untouched["includesCreatedEdit"]) == (None, None, False)
        assert untouched["userContentEdits"] == {"totalCount": 0, "nodes": []}


def test_edits__are_kept_a_hundred_at_most_with_the_first() -> None:
    world = World()
    said = world.say("ana", "0")
    for number in range(1, 121):
        world.edit(said, str(number), "ana")
    with serving(world.snapshot()) as client:
        found = comments(client, "userContentEdits(first: 100) { totalCount nodes { diff } }")[0]["userContentEdits"]
        assert found["totalCount"] == 100
        assert [edit["diff"] for edit in found["nodes"]] == [*(str(number) for number in range(120, 21, -1)), "0"]


def test_comment__tells_how_it_came_and_whether_it_is_hidden() -> None:
    world = World()
    world.say("ana", "By mail", via_email=True)
    world.say("ana", "Hidden", minimized="outdated")
    with serving(world.snapshot()) as client:
        assert comments(client, "createdViaEmail isMinimized minimizedReason") == [
            {"createdViaEmail": True, "isMinimized": False, "minimizedReason": None},
            {"createdViaEmail": False, "isMinimized": True, "minimizedReason": "outdated"},
        ]


PAGE = """query($size: Int!, $after: String) { repository(owner: "octo", name: "shop") { pullRequest(number: 7) {
    comments(first: $size, after: $after) { totalCount pageInfo { hasNextPage endCursor } nodes { body } } } } }"""


@pytest.mark.parametrize(("number", "size", "cap", "pages"), [(0, 100, 100, 1), (250, 100, 100, 3), (7, 100, 3, 3)])
def test_connection__is_read_page_by_page(number: int, size: int, cap: int, pages: int) -> None:
    world = World()
    for index in range(number):
        world.say("ana", f"Comment {index}")
    with serving(world.snapshot(), page_cap=cap) as client:
        found, after, more = [], None, True
        while more:
            answer = client.graphql(PAGE, size=size, after=after)
            page = answer["data"]["repository"]["pullRequest"]["comments"]
            assert page["totalCount"] == number
            found += [node["body"] for node in page["nodes"]]
            more, after = page["pageInfo"]["hasNextPage"], page["pageInfo"]["endCursor"]
        assert found == [f"Comment {index}" for index in range(number)]
        assert len(client.hub.requests) == pages


def test_connection__can_be_read_from_its_end() -> None:
    world = World()
    for index in range(5):
        world.say("ana", f"Comment {index}")
    with serving(world.snapshot()) as client:
        last = client.pull("comments(last: 2) { pageInfo { hasPreviousPage startCursor } nodes { body } }")["comments"]
        assert [node["body"] for node in last["nodes"]] == ["Comment 3", "Comment 4"]
        start = last["pageInfo"]["startCursor"]
        before = client.pull(f'comments(last: 9, before: "{start}") {{ edges {{ node {{ body }} }} }}')["comments"]
        assert [edge["node"]["body"] for edge in before["edges"]] == ["Comment 0", "Comment 1", "Comment 2"]


def test_issue__is_reached_from_the_pull_request_and_back() -> None:
    world = World()
    issue = world.issues[0]
    at = world.tick()
    issue |= {
        "type": "Bug",
        "type_events": [{"name": "Task", "action": "removed", "at": at}, {"name": "Bug", "action": "added", "at": at}],
    }
    issue["closed_by"] = [{"number": 3, "merged_at": at, "repository": "octo/shop"}]
    issue["deleted_comments"] = [{"at": at, "actor": PEOPLE["mona"], "author": PEOPLE["jkz-runner[bot]"]}]
    world.label("bug")
    world.say("ana", "A plan", on=12)
    query = """closingIssuesReferences(first: 5) { nodes { number state repository { nameWithOwner } issueType { name }
        labels(first: 9) { nodes { name } } comments(first: 9) { nodes { body issue { number } } }
        timelineItems(first: 50, itemTypes: [LABELED_EVENT, ISSUE_TYPE_ADDED_EVENT, ISSUE_TYPE_CHANGED_EVENT,
            CLOSED_EVENT, COMMENT_DELETED_EVENT]) { totalCount nodes { __typename
            ... on LabeledEvent { label { name } actor { login } }
            ... on IssueTypeChangedEvent { prevIssueType { name } issueType { name } }
            ... on ClosedEvent { closer { ... on PullRequest { number merged mergedAt repository { nameWithOwner } } } }
            ... on CommentDeletedEvent { deletedCommentAuthor { login } } } }
        closedByPullRequestsReferences(first: 9, includeClosedPrs: true) { nodes { number state } } } }"""
    with serving(world.snapshot(), closing={12: [8]}) as client:
        found = client.pull(query)["closingIssuesReferences"]["nodes"][0]
        assert (found["number"], found["issueType"]["name"], found["labels"]["nodes"]) == (12, "Bug", [{"name": "bug"}])
        assert found["comments"]["nodes"] == [{"body": "A plan", "issue": {"number": 12}}]
        events = {event.pop("__typename"): event for event in found["timelineItems"]["nodes"]}
        assert events["LabeledEvent"] == {"label": {"name": "bug"}, "actor": {"login": "mona"}}
        assert events["IssueTypeChangedEvent"] == {"prevIssueType": {"name": "Task"}, "issueType": {"name": "Bug"}}
        closer = {"number": 3, "merged": True, "mergedAt": at, "repository": {"nameWithOwner": "octo/shop"}}
        assert events["ClosedEvent"] == {"closer": closer}
        assert events["CommentDeletedEvent"] == {"deletedCommentAuthor": {"login": "jkz-runner"}}
        states = {each["number"]: each["state"] for each in found["closedByPullRequestsReferences"]["nodes"]}
        assert states == {7: "OPEN", 8: "OPEN", 3: "MERGED"}
        closers = "issue(number: 12) { closedByPullRequestsReferences(first: 9) { nodes { number } } }"
        open_only = f'{{ repository(owner: "octo", name: "shop") {{ {closers} }} }}'
        nodes = client.graphql(open_only)["data"]["repository"]["issue"]["closedByPullRequestsReferences"]["nodes"]
        assert [each["number"] for each in nodes] == [7, 8]


def test_timeline__of_a_pull_request_has_what_happens_to_those_only() -> None:
    world = World()
    said = world.review("mona", "Good", "DISMISSED")
    world.push("b")
    world.moves[-1]["kind"] = "force_push"
    snapshot = world.snapshot()
    snapshot["pull_request"]["base_changes"] = [{"at": world.tick(), "before": "next", "after": "main"}]
    snapshot["deleted_comments"] = [{"at": world.tick(), "actor": PEOPLE["eve"], "author": PEOPLE["ana"]}]
    dismissed = {said["id"]: {"at": world.tick(), "actor": PEOPLE["ana"], "previous": "APPROVED"}}
    with serving(snapshot, dismissals=dismissed) as client:
        kinds = "[HEAD_REF_FORCE_PUSHED_EVENT, COMMENT_DELETED_EVENT, BASE_REF_CHANGED_EVENT, REVIEW_DISMISSED_EVENT]"
        fields = """__typename
            ... on HeadRefForcePushedEvent { beforeCommit { oid } afterCommit { oid } actor { login } }
            ... on BaseRefChangedEvent { previousRefName currentRefName }
            ... on CommentDeletedEvent { actor { login } deletedCommentAuthor { login } }
            ... on ReviewDismissedEvent { previousReviewState review { fullDatabaseId } }"""
        items = client.pull(f"timelineItems(first: 9, itemTypes: {kinds}) {{ nodes {{ {fields} }} }}")["timelineItems"]
        assert items["nodes"] == [
            {"__typename": "HeadRefForcePushedEvent", "beforeCommit": {"oid": HEAD},
             "afterCommit": {"oid": commit("b")}, "actor": {"login": "octo-dev"}},
            {"__typename": "BaseRefChangedEvent", "previousRefName": "next", "currentRefName": "main"},
            {"__typename": "CommentDeletedEvent", "actor": {"login": "eve"}, "deletedCommentAuthor": {"login": "ana"}},
            {"__typename": "ReviewDismissedEvent", "previousReviewState": "APPROVED",
             "review": {"fullDatabaseId": str(said["id"])}},
        ]  # fmt: skip


def test_review__tells_state_and_commit() -> None:
    world = World()
    world.review("mona", "Good", "APPROVED")
    world.review("mona", "Not yet", "PENDING")
    with serving(world.snapshot()) as client:
        found = client.pull("reviews(first: 9) { nodes { state submittedAt commit { oid } } }")["reviews"]["nodes"]
        assert [(each["state"], each["submittedAt"] is None) for each in found] == [
            ("APPROVED", False),
            ("PENDING", True),
        ]
        assert found[0]["commit"] == {"oid": HEAD}


OBJECT = """query($what: String!) { repository(owner: "octo", name: "shop") { defaultBranchRef { name target { oid } }
    object(expression: $what) { __typename oid ... on Blob { text byteSize isBinary isTruncated }
    ... on Tree { entries { name type mode path size object { ... on Blob { text isBinary } } } } } } }"""


def test_object__is_a_file_a_folder_a_commit_or_nothing() -> None:
    snapshot = World().snapshot()
    snapshot["policy"]["text"] = "version: 1\n"
    snapshot["branch_files"] = [
        {"path": ".pipeline/12/plan.json", "text": "{}"},
        {"path": ".pipeline/12/link", "mode": "120000", "text": "x"},
        {"path": ".pipeline/12/binary", "size": 9},
        {"path": ".pipeline/12/long", "size": 600_000},
    ]
    with serving(snapshot) as client:

        def look(what: str) -> JSON:
            found: JSON = client.graphql(OBJECT, what=what)["data"]["repository"]["object"]
            return found

        policy = look("HEAD:.github/phase-gate.yml")
        assert (policy["text"], policy["byteSize"], policy["isBinary"]) == ("version: 1\n", 11, False)
        entries = {entry["name"]: entry for entry in look(f"{HEAD}:.pipeline/12")["entries"]}
        assert {name: entry["mode"] for name, entry in entries.items()} == {
            "binary": 0o100644, "link": 0o120000, "long": 0o100644, "plan.json": 0o100644,
        }  # fmt: skip
        assert entries["binary"]["object"] == {"text": None, "isBinary": True}
        long = look(f"{HEAD}:.pipeline/12/long")
        assert (long["isTruncated"], len(long["text"]), long["byteSize"]) == (True, 512_000, 600_000)
        assert look("sessions")["__typename"] == "Commit"
        assert look(f"{HEAD}:nothing") is None
        assert look("nowhere:nothing") is None
