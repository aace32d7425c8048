"""Filing proposals: once, however often it is asked for and by how many runs at once, and nothing but ours."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from phasegate.github.client.answers import GitHubError
from phasegate.github.client.client import Client, Clock, Server
from phasegate.github.writing.beside import CLOSE, LABEL, MOST_FILED, MOST_PAGES, PROPOSALS, file_proposals
from phasegate.model.plan import IssueDraft
from tests.casebook.world import World
from tests.fakehub import FakeHub

JSON = dict[str, Any]
PAGE = 100


class Tracker(Client):
    """A tracker in memory. References to a place are known as soon as ``settle`` was called, labels at once."""

    def __init__(self) -> None:
        self.issues: list[JSON] = []
        self.events: list[JSON] = []
        self.asked: list[str] = []
        self.after_post: list[Callable[[], object]] = []
        self.drops_labels = False

    def file(self, body: str, *, ours: bool = True, labels: tuple[str, ...] = (LABEL,)) -> JSON:
        number = 20 + len(self.issues)
        url = f"https://github.com/octo/shop/issues/{number}"
        made = {"id": f"I_{number}", "number": number, "url": url, "state": "OPEN", "body": body}
        self.issues.append(made | {"viewerDidAuthor": ours, "labels": list(labels)})
        return self.issues[-1]

    def settle(self) -> None:
        self.events = [{"source": {"__typename": "Issue", **issue}} for issue in self.issues]
        self.events.append({"source": {"__typename": "PullRequest"}})

    def graphql(self, name: str, query: str, variables: Mapping[str, Any]) -> JSON:
        assert query in (PROPOSALS, CLOSE)
        self.asked.append(name)
        if name == "CloseIssue":
            next(issue for issue in self.issues if issue["id"] == variables["id"])["state"] = "CLOSED"
            return {"closeIssue": {"issue": {"state": "CLOSED"}}}
        labelled = [issue for issue in self.issues if variables["label"] in issue["labels"]]
        return {"repository": {
            "issues": self._page(labelled, variables.get("issues")),
            "place": {"timelineItems": self._page(self.events, variables.get("events"))},
        }}  # fmt: skip

    def _page(self, items: list[JSON], after: str | None) -> JSON:
        start = int(after or 0)
        end = min(start + PAGE, len(items))
        return {
            "nodes": items[start:end],
            "pageInfo": {"hasNextPage": end < len(items), "endCursor": str(end) if end > start else None},
        }

    def post(self, path: str, body: Mapping[str, Any]) -> JSON:
        assert path == "/repos/octo/shop/issues"
        self.asked.append("POST")
        made = self.file(body["body"], labels=() if self.drops_labels else tuple(body["labels"]))
        made["title"] = body["title"]
        for happen in self.after_post:
            happen()
        names = [{"name": label} for label in made["labels"]]
        return {"node_id": made["id"], "number": made["number"], "html_url": made["url"], "labels": names}


def draft(name: str = "a", place: int = 7) -> IssueDraft:
    marker = f"<!-- phase-gate-proposal: {name} -->"
    return IssueDraft(
        marker=marker, title=f"Check {name}", body=f"{marker}\nBody.\n", place=place, at="2026-03-02T10:00:00Z"
    )


def numbers(tracker: Tracker, *drafts: IssueDraft) -> list[tuple[int, bool]]:
    """Where the drafts are after a run, and whether this run put them there."""
    return [(filed.number, filed.new) for filed in file_proposals(tracker, "octo/shop", drafts)]


def still_open(tracker: Tracker) -> list[int]:
    return [issue["number"] for issue in tracker.issues if issue["state"] == "OPEN"]


@pytest.fixture
def tracker() -> Tracker:
    return Tracker()


def test_file__once_and_then_never_again(tracker: Tracker) -> None:
    assert (file_proposals(tracker, "octo/shop", ()), tracker.asked) == ([], [])
    assert numbers(tracker, draft("a")) == [(20, True)]
    assert tracker.asked == ["Proposals", "POST", "Proposals"]
    assert numbers(tracker, draft("a")) == [(20, False)]
    assert tracker.asked[3:] == ["Proposals"]
    assert (tracker.issues[0]["title"], tracker.issues[0]["labels"]) == ("Check a", [LABEL])
    assert numbers(tracker, draft("a"), draft("b")) == [(20, False), (21, True)]


def test_file__is_found_again_though_closed_or_without_its_label(tracker: Tracker) -> None:
    numbers(tracker, draft())
    tracker.issues[0]["state"] = "CLOSED"
    assert numbers(tracker, draft()) == [(20, False)]
    assert still_open(tracker) == []
    tracker.issues[0]["labels"] = ["triaged"]
    tracker.settle()  # by what refers to the place
    assert numbers(tracker, draft()) == [(20, False)]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_file__the_marker_is_the_first_line_whatever_its_end(tracker: Tracker, ending: str) -> None:
    tracker.file(f"{draft().marker}{ending}Edited by a person.")
    assert numbers(tracker, draft()) == [(20, False)]


def test_file__a_strangers_issue_and_a_quote_of_our_marker_suppress_nothing(tracker: Tracker) -> None:
    tracker.file(draft().body, ours=False)
    tracker.file(f"{draft('other').marker}\n`{draft().marker}`\n{draft().marker}\n")
    tracker.settle()
    assert numbers(tracker, draft()) == [(22, True)]
    assert still_open(tracker) == [20, 21, 22]


@pytest.mark.parametrize("others", [1, 2])
def test_race__the_lowest_number_stays_whoever_looks_last(tracker: Tracker, others: int) -> None:

    def appear() -> None:
        if len(tracker.issues) == 1:
            for _ in range(others):
                tracker.file(draft().body)

    tracker.after_post.append(appear)
    assert numbers(tracker, draft()) == [(20, True)]
    assert still_open(tracker) == [20]


def test_race__one_that_came_second_closes_its_own(tracker: Tracker) -> None:
    first = tracker.file(draft().body, labels=())
    tracker.after_post.append(lambda: first.update(labels=[LABEL]))
    assert numbers(tracker, draft()) == [(20, True)]
    assert still_open(tracker) == [20]


def test_race__a_twin_that_somebody_opened_again_is_left_alone_later(tracker: Tracker) -> None:
    tracker.file(draft().body)
    tracker.file(draft().body)
    assert numbers(tracker, draft()) == [(20, False)]
    assert still_open(tracker) == [20, 21]


def test_file__without_the_label_it_stops_and_says_so(tracker: Tracker) -> None:
    tracker.drops_labels = True
    with pytest.raises(GitHubError, match="without the label phase-gate-proposal"):
        numbers(tracker, draft("a"), draft("b"))
    assert tracker.asked.count("POST") == 1


def test_file__very_many_are_filed_by_several_runs(tracker: Tracker) -> None:
    drafts = [draft(str(index)) for index in range(MOST_FILED + 5)]
    assert len(numbers(tracker, *drafts)) == MOST_FILED
    assert len(numbers(tracker, *drafts)) == MOST_FILED + 5
    assert len(tracker.issues) == MOST_FILED + 5


def test_file__each_place_is_looked_at_once_and_no_issue_is_its_own_twin(tracker: Tracker) -> None:
    tracker.after_post.append(tracker.settle)
    numbers(tracker, draft("a", 7), draft("b", 12), draft("c", 7))
    assert tracker.asked.count("Proposals") == 4
    assert still_open(tracker) == [20, 21, 22]
    assert "CloseIssue" not in tracker.asked


def test_list__is_read_to_its_end(tracker: Tracker) -> None:
    for index in range(250):
        tracker.file(f"<!-- phase-gate-proposal: other-{index} -->\n")
    tracker.file(draft().body)
    assert numbers(tracker, draft()) == [(270, False)]
    assert tracker.asked == ["Proposals"] * 3


def test_list__without_end_is_an_error_and_files_nothing(tracker: Tracker) -> None:
    for index in range(PAGE * MOST_PAGES + 1):
        tracker.file(f"<!-- phase-gate-proposal: other-{index} -->\n")
    with pytest.raises(GitHubError, match=f"more than {MOST_PAGES} pages"):
        numbers(tracker, draft())
    assert "POST" not in tracker.asked


@pytest.mark.parametrize("answer", [{}, {"repository": None}, {"repository": {"issues": {}, "place": None}}])
def test_list__an_undocumented_answer_is_githubs_failure(
    tracker: Tracker, answer: JSON, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tracker, "graphql", lambda *_: answer)
    with pytest.raises(GitHubError, match="not as it documents"):
        numbers(tracker, draft())


class Wired(Tracker):
    """A tracker that really posts to the fake hub, and lists what is there."""

    def __init__(self, hub: FakeHub) -> None:
        super().__init__()
        server = Server(rest=hub.url, graphql=hub.graphql_url, token=hub.token)
        self.hub = hub
        self.wire = Client(server, Clock(monotonic=time.monotonic, epoch=time.time, sleep=lambda _: None), 20.0)

    def post(self, path: str, body: Mapping[str, Any]) -> JSON:
        written = self.wire.post(path, body)
        self.issues = [
            {
                "id": f"I_{filed['number']}", "number": filed["number"], "url": filed["url"],
                "state": filed["state"].upper(), "body": filed["body"], "labels": filed["labels"],
                "viewerDidAuthor": True,
            }
            for filed in self.hub.state.filed_issues
        ]  # fmt: skip
        return written


def test_file__github_takes_what_is_posted() -> None:
    with FakeHub(World().snapshot()) as hub:
        tracker = Wired(hub)
        assert numbers(tracker, draft()) == [(13, True)]
        assert numbers(tracker, draft()) == [(13, False)]
        (filed,) = hub.state.filed_issues
    assert (filed["title"], filed["labels"], filed["body"]) == ("Check a", [LABEL], draft().body)


@pytest.mark.parametrize("kind", ["truncated", "reset"])
def test_file__a_request_that_was_taken_and_asked_again_leaves_one_open_issue(kind: str) -> None:
    with FakeHub(World().snapshot()) as hub:
        tracker = Wired(hub)
        hub.fail("POST /repos/octo/shop/issues", kind=kind)
        assert numbers(tracker, draft()) == [(13, True)]
        assert [filed["number"] for filed in hub.state.filed_issues] == [13, 14]
    assert still_open(tracker) == [13]


def test_file__a_token_that_may_not_is_told_what_it_needs() -> None:
    with FakeHub(World().snapshot()) as hub:
        hub.fail("POST /repos/octo/shop/issues", times=None, kind="status", status=403)
        with pytest.raises(GitHubError, match="issues"):
            numbers(Wired(hub), draft())
