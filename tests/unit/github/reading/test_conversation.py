"""Comments and reviews: every one once, with who edited it, and a mixture of two moments is never taken for one."""

from __future__ import annotations

from typing import Any

import pytest

from phasegate.github.client.answers import GitHubError, MovedError, TooLargeError
from phasegate.github.reading.conversation import Thread, by_id, detail_questions, history_questions
from phasegate.model.texts import Comment
from tests.unit.github.canned import Canned
from tests.unit.github.reading.test_nodes import AT, said

JSON = dict[str, Any]
PATH = "/repos/octo/shop/issues/7/comments"


def node(number: int, **changes: object) -> JSON:
    """A comment as GraphQL tells it."""
    return said(id=f"IC_{number}", fullDatabaseId=str(number), createdAt=f"2026-03-02T{number:06}", **changes)


def item(number: int, **changes: object) -> JSON:
    """A comment as REST tells it."""
    return {"id": number, "node_id": f"IC_{number}", "body": "text", "performed_via_github_app": None, **changes}


def carries(text: str) -> bool:
    return "PASS" in text


def thread(first: int, total: int, *, with_apps: bool = True, body: str = "text") -> Thread:
    """A thread of which GraphQL told the first comments."""
    told = [node(number, body=body) for number in range(first)]
    return Thread(path=PATH, total=total, first=told, with_apps=with_apps)


def assembled(votes: Thread, *pages: list[JSON], told: int = 0) -> tuple[Comment, ...]:
    """The thread as the snapshot holds it; ``told`` is up to which number GraphQL told more."""
    details = {f"IC_{number}": node(number) for number in range(told)}
    return votes.listed(pages).assembled(details, {}, carries)


@pytest.mark.parametrize(("total", "with_apps", "first", "numbers"), [
    (0, True, 1, []), (1, True, 1, [1]), (100, True, 1, [1]), (101, True, 1, [1, 2]),
    (1000, True, 2, list(range(2, 11))), (100, False, 1, []), (101, False, 1, [2]), (250, False, 2, [2, 3]),
    (100, True, 2, []),
])  # fmt: skip
def test_pages__graphql_did_not_tell(total: int, first: int, numbers: list[int], *, with_apps: bool) -> None:
    client = Canned({PATH: []})
    for task in thread(min(total, 100), total, with_apps=with_apps).pages(client, first):
        task()
    assert client.asked == [(PATH, {"per_page": 100, "page": number}) for number in numbers]


def test_pages__of_a_thread_that_is_counted_longer_than_any_are_not_asked_for() -> None:
    """A wrong count must not use up the budget of the repository."""
    for with_apps in (True, False):
        with pytest.raises(GitHubError, match="GitHub counts 10001, and at most 10000 are read"):
            thread(100, 10_001, with_apps=with_apps).pages(Canned({}))


def test_thread__is_put_together_in_order() -> None:
    votes = thread(2, 3)
    found = assembled(votes, [item(2), item(0), item(1, performed_via_github_app={"id": 5})], told=3)
    assert [(comment.id, comment.app_id) for comment in found] == [(0, None), (1, 5), (2, None)]


def test_thread__reviews_need_no_rest_for_the_first_hundred() -> None:
    assert [comment.id for comment in assembled(thread(3, 3, with_apps=False))] == [0, 1, 2]


@pytest.mark.parametrize(
    ("votes", "pages"),
    [
        (thread(2, 2, body="PASS"), [[item(0)]]),  # REST hides one that carries a word
        (thread(2, 2), [[item(0), item(1), item(2, body="PASS")]]),  # GraphQL does
        (thread(2, 2), [[item(0), item(0)]]),  # one twice
        (thread(1, 2), [[item(0), item(9, body="PASS")]]),  # one that GraphQL did not tell of
        (thread(100, 102), [[item(n) for n in range(100)], [item(99), item(100)]]),  # all moved on by one
        (thread(100, 102), [[item(n) for n in range(100)], [item(101)]]),  # all moved back by one
        (thread(100, 102), [[item(n) for n in range(100)], []]),  # an empty page
        (thread(2, 3, with_apps=False), []),  # a review that is counted but not told
        (thread(100, 102, with_apps=False), [[item(100)]]),
        (thread(100, 101, with_apps=False), [[item(99)]]),
    ],
)
def test_thread__a_mixture_of_two_moments_is_read_anew(votes: Thread, pages: list[list[JSON]]) -> None:
    with pytest.raises((MovedError, KeyError)):
        assembled(votes, *pages, told=102 if votes.total > 100 else 0)


@pytest.mark.parametrize(
    ("votes", "pages"),
    [
        (thread(2, 2), [[item(0)]]),  # REST hides one
        (thread(2, 2), [[item(0), item(1), item(2)]]),  # GraphQL does
        (thread(2, 2), [[item(0), item(9)]]),  # each hides another one
        (thread(2, 2), [[item(0), item(1), item(2, body=None)]]),
    ],
)
def test_thread__what_one_interface_hides_without_a_word_is_left_out(votes: Thread, pages: list[list[JSON]]) -> None:
    assert [comment.id for comment in assembled(votes, *pages)] == [0, 1]


def test_details__of_what_is_hidden_are_left_out() -> None:
    def told(asked: JSON) -> JSON:
        return {"lot0": [None if each == "IC_3" else {"id": each} for each in asked["ids"]]}

    (question,) = detail_questions([f"IC_{number}" for number in range(6)])
    assert list(question.alone(Canned({"Details": told}))) == ["IC_0", "IC_1", "IC_2", "IC_4", "IC_5"]


def test_listed__knows_what_graphql_has_not_told() -> None:
    listed = thread(100, 102).listed([[item(n) for n in range(100)], [item(100), item(101)]])
    assert [each["id"] for each in listed.late()] == [100, 101]
    reviews = thread(100, 102, with_apps=False).listed([[item(100), item(101)]])
    assert [each["id"] for each in reviews.late()] == [100, 101]
    few = thread(50, 60, with_apps=False).listed([[item(n) for n in range(60)]])
    assert [each["id"] for each in few.late()] == list(range(50, 60))


def versions(number: int, *texts: str, complete: bool = True, total: int | None = None) -> JSON:
    edits = [
        {"editedAt": f"2026-03-02T{n:06}", "diff": text, "deletedAt": None, "editor": None, "deletedBy": None}
        for n, text in enumerate(texts)
    ]
    connection = {"totalCount": len(texts) if total is None else total, "nodes": edits}
    return {"id": f"IC_{number}", "includesCreatedEdit": complete, "userContentEdits": connection}


@pytest.mark.parametrize(("history", "complete"), [
    (versions(0, "old", "new"), True),
    (versions(0, "old", "new", complete=False), False),
    (versions(0, "old", "new", total=120), False),
])  # fmt: skip
def test_thread__histories_say_whether_they_are_whole(history: JSON, *, complete: bool) -> None:
    votes = Thread(path=PATH, total=1, first=[node(0, lastEditedAt=AT)], with_apps=True)
    (comment,) = votes.listed([[item(0)]]).assembled({}, {"IC_0": history}, carries)
    assert [edit.text for edit in comment.history] == ["old", "new"]
    assert comment.history_complete is complete


def test_details_and_histories__are_asked_for_in_hundreds() -> None:
    client = Canned({"Details": {"lot0": []}, "History": {"nodes": []}})
    edited = [node(number, lastEditedAt=AT if number % 2 else None) for number in range(300)]
    for question in (*detail_questions([str(number) for number in range(350)]), *history_questions(edited)):
        question.alone(client)
    assert [(name, [len(ids) for ids in told.values()]) for name, told in client.asked] == [
        *[("Details", [100])] * 3, ("Details", [50]), ("History", [100]), ("History", [50]),
    ]  # fmt: skip


def test_histories__that_are_too_long_for_one_answer_are_asked_for_in_parts() -> None:
    client = Canned({"History": lambda told: {"nodes": [{"id": number} for number in told["ids"]]}}, largest=3)
    (question,) = history_questions([node(number, lastEditedAt=AT) for number in range(10)])
    assert list(question.alone(client)) == [f"IC_{number}" for number in range(10)]
    (question,) = history_questions([node(1, lastEditedAt=AT)])
    with pytest.raises(TooLargeError):
        question.alone(Canned({}, largest=0))


def test_by_id__what_was_deleted_meanwhile_is_noticed() -> None:
    assert by_id({"nodes": [{"id": "a"}]}) == {"a": {"id": "a"}}
    with pytest.raises(MovedError, match="deleted"):
        by_id({"nodes": [{"id": "a"}, None]})
