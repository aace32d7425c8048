"""The one comment: written once, updated in place, ours by author and marker, and never a word of any dialect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from phasegate.cli.live import _markers
from phasegate.dialects.commands import COMMANDS
from phasegate.dialects.registry import every_dialect
from phasegate.github.client.answers import GitHubError
from phasegate.github.client.client import Client
from phasegate.github.writing.beside import COMMENTS, DELETE, MOST_COMMENT_PAGES, keep_comment
from phasegate.model.plan import COMMENT_MARKER, ReadingPlan
from phasegate.report.summary.page import comment_text
from tests.casebook.decided import report_of, snapshot_of
from tests.casebook.every import FULL, STORIES

JSON = dict[str, Any]
PAGE = 100
BODY = f"{COMMENT_MARKER}\n## ✅ Ready to merge\n"


class Conversation(Client):
    """The comments of a pull request, in memory."""

    def __init__(self) -> None:
        self.comments: list[JSON] = []
        self.asked: list[str] = []

    def write(self, body: str, *, ours: bool = True) -> JSON:
        number = 100 + len(self.comments)
        self.comments.append({"id": f"IC_{number}", "databaseId": number, "body": body, "viewerDidAuthor": ours})
        return self.comments[-1]

    def graphql(self, name: str, query: str, variables: Mapping[str, Any]) -> JSON:
        self.asked.append(name)
        if name == "DeleteComment":
            assert query == DELETE
            self.comments = [each for each in self.comments if each["id"] != variables["id"]]
            return {"deleteIssueComment": {"clientMutationId": None}}
        assert query == COMMENTS
        start = int(variables.get("after") or 0)
        end = min(start + PAGE, len(self.comments))
        info = {"hasNextPage": end < len(self.comments), "endCursor": str(end)}
        comments = {"nodes": self.comments[start:end], "pageInfo": info}
        return {"repository": {"pullRequest": {"comments": comments}}}

    def post(self, path: str, body: Mapping[str, Any]) -> JSON:
        assert path == "/repos/octo/shop/issues/7/comments"
        self.asked.append("POST")
        return self.write(body["body"])

    def patch(self, path: str, body: Mapping[str, Any]) -> JSON:
        self.asked.append("PATCH")
        number = int(path.removeprefix("/repos/octo/shop/issues/comments/"))
        told = next(each for each in self.comments if each["databaseId"] == number)
        told["body"] = body["body"]
        return told


def keep(there: Conversation, body: str = BODY) -> str:
    return keep_comment(there, "octo/shop", 7, body)


def test_comment__is_written_once_and_then_updated_where_it_changed() -> None:
    there = Conversation()
    assert [keep(there), keep(there), keep(there, f"{BODY}more\n"), keep(there, f"{BODY}more")] == [
        "written", "is there already", "updated", "is there already",
    ]  # fmt: skip
    assert [each["body"] for each in there.comments] == [f"{BODY}more\n"]


def test_comment__line_ends_as_github_gives_them_back_change_nothing() -> None:
    there = Conversation()
    there.write(BODY.replace("\n", "\r\n"))
    assert keep(there) == "is there already"


@pytest.mark.parametrize(
    ("body", "ours"),
    [(BODY, False), (f"Look:\n{BODY}", True), (f"> {BODY}", True), ("", True), (COMMENT_MARKER.upper(), True)],
    ids=["another's with our marker", "marker below", "marker quoted", "empty", "another marker"],
)
def test_comment__what_is_not_ours_by_author_and_marker_is_left_alone(body: str, *, ours: bool) -> None:
    there = Conversation()
    other = dict(there.write(body, ours=ours))
    assert keep(there) == "written"
    assert there.comments[0] == other
    assert keep(there) == "is there already"


def test_comment__of_two_that_runs_wrote_at_once_the_first_stays() -> None:
    there = Conversation()
    first, twin, other = there.write("old\n" + BODY), there.write(BODY), there.write(BODY, ours=False)
    first["body"] = f"{COMMENT_MARKER}\nold"
    assert keep(there) == "updated"
    assert [each["id"] for each in there.comments] == [first["id"], other["id"]]
    assert twin not in there.comments


def test_comment__is_found_on_any_page_and_too_many_are_an_error() -> None:
    there = Conversation()
    for _ in range(250):
        there.write("said", ours=False)
    assert (keep(there), keep(there)) == ("written", "is there already")
    assert there.asked.count("OwnComments") == 6
    there.comments = there.comments * MOST_COMMENT_PAGES
    with pytest.raises(GitHubError, match="more than 100 pages"):
        keep(there)


@pytest.mark.parametrize("name", [*FULL, "proposal-hostile", "envelope-bug-with-risk", "drifted-heading"])
def test_comment__holds_no_marker_of_any_dialect(name: str) -> None:
    story = STORIES[name]
    report = report_of(story)
    markers = _markers(snapshot_of(story.world()).policy)
    text = comment_text(report, markers)
    assert {trigger for dialect in every_dialect() for trigger in dialect.footprint.triggers} <= set(markers)
    assert not ReadingPlan(triggers=markers).carries(text.removeprefix(COMMENT_MARKER))
    assert not any(line.lstrip(" >*-`").lower().startswith(COMMANDS) for line in text.splitlines())
    assert len(text) < 65_536
