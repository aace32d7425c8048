"""GitHub's nodes and what the snapshot makes of them."""

from __future__ import annotations

from typing import Any

import pytest

from phasegate.github.client.answers import GitHubError
from phasegate.github.reading import nodes
from phasegate.model.texts import Actor, ClosingPullRequest, NameEvent

JSON = dict[str, Any]
ANA: JSON = {"__typename": "User", "login": "ana", "databaseId": 21}
ANA_ACTOR = Actor(login="ana", id=21, type="User")
AT = "2026-03-02T09:00:00Z"


def said(**changes: object) -> JSON:
    """A comment as GraphQL tells it."""
    return {
        "id": "IC_1", "fullDatabaseId": "101", "url": "https://github.com/octo/shop/pull/7#issuecomment-101",
        "body": "text", "createdAt": AT, "lastEditedAt": None, "createdViaEmail": False, "isMinimized": False,
        "minimizedReason": None, "author": ANA, "editor": None, **changes,
    }  # fmt: skip


@pytest.mark.parametrize(("node", "expected"), [
    (None, None),
    (ANA, ANA_ACTOR),
    ({"login": "ana", "id": 21, "type": "User", "site_admin": False}, ANA_ACTOR),  # as REST tells it
    ({"__typename": "Bot", "login": "helper", "databaseId": 5}, Actor(login="helper[bot]", id=5, type="Bot")),
    ({"__typename": "Bot", "login": "helper[bot]", "databaseId": 5}, Actor(login="helper[bot]", id=5, type="Bot")),
    ({"__typename": "Organization", "login": "octo", "databaseId": 9}, Actor(login="octo", id=9, type="Organization")),
    ({"__typename": "EnterpriseUserAccount", "login": "x"}, Actor(login="x", id=None, type="EnterpriseUserAccount")),
])  # fmt: skip
def test_actor__is_written_as_rest_writes_it(node: JSON | None, expected: Actor | None) -> None:
    assert nodes.actor(node) == expected


def test_comment__tells_everything_that_trust_needs() -> None:
    editor = {"__typename": "User", "login": "eve", "databaseId": 66}
    told = said(lastEditedAt=AT, editor=editor, createdViaEmail=True, isMinimized=True, minimizedReason="spam")
    comment = nodes.comment(told, 15368)
    assert (comment.id, comment.app_id, comment.author) == (101, 15368, ANA_ACTOR)
    assert (comment.edited_at, comment.editor) == (AT, Actor(login="eve", id=66, type="User"))
    assert (comment.via_email, comment.minimized) == (True, "spam")
    assert nodes.comment(said(isMinimized=True)).minimized == "hidden"
    assert nodes.comment(said()).minimized is None


def test_comment__a_review_counts_from_when_it_was_submitted() -> None:
    later = "2026-03-02T10:00:00Z"
    review = nodes.comment(said(submittedAt=later, state="APPROVED", commit={"oid": "a" * 40}))
    assert (review.created_at, review.state, review.commit) == (later, "APPROVED", "a" * 40)
    pending = nodes.comment(said(submittedAt=None, state="PENDING", commit=None))
    assert (pending.created_at, pending.commit) == (AT, None)


def test_number__an_id_that_is_left_out_is_an_error() -> None:
    assert nodes.number("12345678901234567890") == 12345678901234567890
    with pytest.raises(GitHubError, match="left out the id"):
        nodes.number(None)


def test_edits__are_ordered_and_keep_who_took_a_text_away() -> None:
    connection = {"nodes": [
        {"editedAt": "2026-03-02T10:00:00Z", "diff": "new", "deletedAt": None, "editor": ANA, "deletedBy": None},
        {"editedAt": AT, "diff": None, "deletedAt": AT, "editor": None, "deletedBy": ANA},
    ]}  # fmt: skip
    first, second = nodes.edits(connection)
    assert (first.at, first.text, first.deleted_at, first.deleted_by) == (AT, None, AT, ANA_ACTOR)
    assert (second.text, second.editor) == ("new", ANA_ACTOR)


def test_edits__of_one_second_keep_the_order_of_the_list_from_its_end() -> None:
    said = {"editedAt": AT, "deletedAt": None, "editor": ANA, "deletedBy": None}
    newest_first = [{**said, "diff": text} for text in ("third", "second", "first")]
    assert [edit.text for edit in nodes.edits({"nodes": newest_first})] == ["first", "second", "third"]


def test_events__are_told_apart() -> None:
    events: list[JSON] = [
        {"__typename": "LabeledEvent", "createdAt": AT, "actor": ANA, "label": {"name": "bug"}},
        {"__typename": "UnlabeledEvent", "createdAt": AT, "actor": None, "label": {"name": "bug"}},
        {"__typename": "CommentDeletedEvent", "createdAt": AT, "actor": ANA, "deletedCommentAuthor": None},
        {"__typename": "BaseRefChangedEvent", "createdAt": AT, "actor": ANA, "previousRefName": "main",
         "currentRefName": "next"},
    ]  # fmt: skip
    assert nodes.happened(events, nodes.LABELS) == (
        NameEvent(name="bug", action="added", at=AT, actor=ANA_ACTOR),
        NameEvent(name="bug", action="removed", at=AT, actor=None),
    )
    (deleted,) = nodes.happened(events, nodes.DELETED_COMMENTS)
    assert (deleted.at, deleted.actor, deleted.author) == (AT, ANA_ACTOR, None)
    (changed,) = nodes.happened(events, nodes.BASE_CHANGES)
    assert (changed.before, changed.after) == ("main", "next")


def test_type_events__a_change_is_one_gone_and_one_come() -> None:
    common = {"createdAt": AT, "actor": None}
    bug, task = {"name": "Bug"}, {"name": "Task"}
    events: list[JSON] = [
        {"__typename": "IssueTypeAddedEvent", **common, "issueType": bug},
        {"__typename": "IssueTypeChangedEvent", **common, "issueType": task, "prevIssueType": bug},
        {"__typename": "IssueTypeRemovedEvent", **common, "issueType": task},
        {"__typename": "IssueTypeRemovedEvent", **common, "issueType": None},
    ]
    told = [(event.name, event.action) for event in nodes.happened(events, nodes.TYPES)]
    assert told == [("Bug", "added"), ("Bug", "removed"), ("Task", "added"), ("Task", "removed"), ("", "removed")]


def test_closed_by__counts_merged_pull_requests_only() -> None:
    merged = {"__typename": "PullRequest", "number": 3, "mergedAt": AT, "repository": {"nameWithOwner": "octo/shop"}}
    closers = [merged, {**merged, "number": 4, "mergedAt": None}, {"__typename": "Commit"}, None]
    events = [{"__typename": "ClosedEvent", "createdAt": AT, "closer": closer} for closer in closers]
    assert nodes.closed_by(events) == (ClosingPullRequest(number=3, merged_at=AT, repository="octo/shop"),)


def test_statuses__what_is_only_expected_is_pending() -> None:
    told = {"context": "ci", "state": "EXPECTED", "description": None, "targetUrl": None, "createdAt": AT}
    (status,) = nodes.statuses([{**told, "creator": ANA}])
    assert (status.context, status.state, status.description, status.creator) == ("ci", "pending", "", ANA_ACTOR)


@pytest.mark.parametrize("lacking", ["url", "author", "isMinimized"])
def test_form__what_is_not_there_is_an_error_and_never_nothing(lacking: str) -> None:
    told = {name: value for name, value in said().items() if name != lacking}
    with pytest.raises(KeyError, match=lacking):
        nodes.comment(told)


def test_form__what_may_be_null_is_none_or_an_empty_text() -> None:
    forced = {"__typename": "BaseRefForcePushedEvent", "createdAt": AT, "actor": None, "beforeCommit": None}
    (change,) = nodes.happened([{**forced, "afterCommit": {"oid": "b" * 40}}], nodes.BASE_CHANGES)
    assert (change.before, change.after, change.actor) == ("", "b" * 40, None)
    closer = {"__typename": "PullRequest", "number": 3, "mergedAt": AT, "repository": None}
    with pytest.raises(TypeError):  # this one may not
        nodes.closed_by([{"__typename": "ClosedEvent", "closer": closer}])
