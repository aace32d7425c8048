"""Looking again: every change of what was judged is seen with one question, and chatter is no change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from phasegate.cli.live import utc_now
from phasegate.gate import reading_plan
from phasegate.github.client.answers import GitHubError
from phasegate.github.reading.fetch import fetch
from phasegate.github.reading.fingerprint import Sight
from phasegate.github.reading.waves import wave
from tests.casebook.world import PEOPLE, URL, commit, verdict
from tests.fakehub import FakeHub
from tests.integration.runs import TARGET, client_of, edited, passing, run, word

JSON = dict[str, Any]
LATER = "2026-03-02T23:00:00Z"


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    world = passing(110)
    world.policy = "version: 1\n"
    world.review("ben", "Looks fine.")
    with FakeHub(world.snapshot(), tree={}) as started:
        yield started


def reports(hub: FakeHub, state: str) -> None:
    """The team's CI writes its status on the head, which is told in another case than the policy has it."""
    hub.add_status("Unit tests", state)


def seen(hub: FakeHub) -> Sight:
    return fetch(client_of(hub), TARGET, utc_now, reading_plan).sight


def holds(hub: FakeHub, sight: Sight) -> tuple[bool, int]:
    """Whether it still looks so, and how many requests it took to know."""
    before, client = len(hub.requests), client_of(hub)
    return sight.holds(client, wave(client, sight.look.reads(client))), len(hub.requests) - before


def test_look__the_same_takes_one_request(hub: FakeHub) -> None:
    assert holds(hub, seen(hub)) == (True, 1)


def test_look__what_the_gate_itself_writes_is_no_change(hub: FakeHub) -> None:
    sight = seen(hub)
    run(hub)
    assert holds(hub, sight) == (True, 1)


CHANGES: dict[str, Callable[[FakeHub], object]] = {
    "head": lambda hub: hub.move_head(commit("later")),
    "base": lambda hub: hub.snapshot["pull_request"]["base"].update(ref="next"),
    "closed": lambda hub: hub.snapshot["pull_request"].update(state="closed"),
    "draft": lambda hub: hub.snapshot["pull_request"].update(draft=True),
    "title": lambda hub: hub.snapshot["pull_request"].update(title="Another"),
    "comment": lambda hub: hub.add_comment(PEOPLE["ben"], verdict("judge", "FAIL")),
    "edited": lambda hub: edit(word(hub, "jkz:judge"), verdict("judge", "FAIL")),
    "edited to a word": lambda hub: edit(word(hub, "Remark 3:"), verdict("judge", "FAIL")),
    "edited on a later page": lambda hub: edit(word(hub, "jkz:lens"), verdict("lens", "FAIL")),
    "deleted": lambda hub: hub.snapshot["comments"].remove(word(hub, "jkz:judge")),
    "review": lambda hub: hub.snapshot["reviews"].append(
        {**hub.snapshot["reviews"][0], "id": 991, "url": f"{URL}/pull/7#pullrequestreview-991"}
    ),
    "review edited": lambda hub: edit(hub.snapshot["reviews"][0], "No."),
    "review dismissed": lambda hub: hub.snapshot["reviews"][0].update(state="DISMISSED", dismissed_at=LATER),
    "label": lambda hub: hub.snapshot["issues"][0]["labels"].append("bug"),
    "type": lambda hub: hub.snapshot["issues"][0].update(type="Bug"),
    "issue's comment": lambda hub: edit(hub.snapshot["issues"][0]["comments"][0], "Another plan\n\n## jkz:architect"),
    "issue closed": lambda hub: hub.snapshot["issues"][0].update(state="closed"),
    "link": lambda hub: hub.snapshot["issues"].append({**hub.snapshot["issues"][0], "number": 13, "comments": []}),
    "unlinked": lambda hub: hub.snapshot["issues"].clear(),
    "event": lambda hub: hub.snapshot["deleted_comments"].append({"at": LATER, "author": PEOPLE["ana"]}),
    "policy": lambda hub: hub.snapshot["policy"].update(text="version: 1\noverrides: false\n"),
    "misplaced policy": lambda hub: hub.state.extras.tree.update({".github/phase-gate.yaml": "version: 1\n"}),
    "edited there and back": lambda hub: edit(word(hub, "Remark 3:"), verdict("judge", "FAIL"), "nothing"),
    "edited there and back on a later page": lambda hub: edit(word(hub, "Remark 105:"), verdict("judge"), "nothing"),
    "sibling": lambda hub: hub.snapshot["siblings"].append({"number": 8, "url": f"{URL}/pull/8", "base": "release"}),
}


@pytest.mark.parametrize("change", CHANGES)
def test_look__every_change_of_what_was_judged_is_seen(hub: FakeHub, change: str) -> None:
    sight = seen(hub)
    CHANGES[change](hub)
    assert holds(hub, sight)[0] is False


@pytest.mark.parametrize(
    "chatter",
    [
        lambda hub: hub.add_comment(PEOPLE["eve"], "I am still at it"),
        lambda hub: edit(word(hub, "Remark 3:"), "now at 40 %"),
        lambda hub: edit(word(hub, "Remark 105:"), "now at 50 %"),
        lambda hub: hub.snapshot["pull_request"]["base"].update(sha=commit("base, later")),
        lambda hub: edit(word(hub, "Remark 3:"), "at 60 %", "at 70 %"),
    ],
    ids=["said", "edited", "edited on a later page", "base moved", "edited twice"],
)
def test_look__chatter_is_no_change(hub: FakeHub, chatter: Callable[[FakeHub], object]) -> None:
    sight, base = seen(hub), hub.snapshot["pull_request"]["base"]["sha"]
    chatter(hub)
    moved = hub.snapshot["pull_request"]["base"]["sha"] != base  # then the changed files are compared
    assert holds(hub, sight) == (True, 2 if moved else 1)


def test_look__progress_comments_that_change_while_everything_is_read_keep_nobody_waiting(hub: FakeHub) -> None:
    texts = iter(range(1000))
    for number in range(1, 200):
        hub.at_request(number, lambda each: edit(_progress(each), f"at {next(texts)}", at=each.state.now()))
    hub.add_comment(PEOPLE["eve"], "progress: 0")
    assert run(hub).report.state.value == "success"


def _progress(hub: FakeHub) -> JSON:
    return next(each for each in hub.snapshot["comments"] if each["text"].startswith(("progress", "at ")))


def edit(said: JSON, *texts: str, at: str = LATER) -> None:
    edited(said, *texts, at=at)


def test_look__two_edits_of_one_second_are_told_apart(hub: FakeHub) -> None:
    """GitHub tells times in seconds: where the first edit is just made, the second one does not show at a glance."""
    edit(word(hub, "jkz:judge"), verdict("judge"))
    hub.date = 1772492400.0  # the very second
    sight = seen(hub)
    edit(word(hub, "jkz:judge"), verdict("judge", "FAIL"))
    assert holds(hub, sight)[0] is False


def test_look__a_status_that_is_a_check_is_seen_whatever_its_case(hub: FakeHub) -> None:
    hub.snapshot["policy"]["text"] = "version: 1\nphases: {build: {checks: [unit tests]}}\n"
    sights = []
    for state in ("success", "pending", "failure"):
        reports(hub, state)
        sights.append(seen(hub))
    assert [holds(hub, sight)[0] for sight in sights] == [False, False, True]


def test_look__a_description_edited_twice_in_a_second_is_read_anew(hub: FakeHub) -> None:
    hub.snapshot["pull_request"]["edited_at"] = LATER
    hub.date = 1772492400.0  # the very second
    sight = seen(hub)
    assert sight.look.bodies
    hub.snapshot["pull_request"]["body"] = "Fixes #13"
    assert holds(hub, sight)[0] is False


@pytest.mark.parametrize("kind", ["empty_page", "item_missing"])
def test_look__where_not_all_comments_are_told_it_does_not_hold(hub: FakeHub, kind: str) -> None:
    sight = seen(hub)
    hub.fail("POST /graphql", containing="query Look", kind=kind, connection="comments", times=None)
    with suppress(LookupError):  # which a run takes for an answer that is not as it is documented
        assert holds(hub, sight)[0] is False


def test_look__a_word_that_was_there_before_it_was_read_is_not_held_against_later_chatter(hub: FakeHub) -> None:
    said = word(hub, "Remark 3:")
    for at, text in (("2026-03-02T22:00:00Z", verdict("judge")), ("2026-03-02T22:00:05Z", "never mind")):
        edit(said, text, at=at)
    sight = seen(hub)
    edit(said, "at 40 %")
    assert holds(hub, sight)[0] is True


def test_look__reviews_beyond_the_first_page_are_looked_at_in_the_same_question(hub: FakeHub) -> None:
    first = hub.snapshot["reviews"][0]
    for number in range(130):
        url = f"{URL}/pull/7#pullrequestreview-{5000 + number}"
        hub.snapshot["reviews"].append({**first, "id": 5000 + number, "url": url})
    sight = seen(hub)
    assert holds(hub, sight) == (True, 1)
    edit(hub.snapshot["reviews"][120], "No.")
    assert holds(hub, sight)[0] is False


def test_siblings__among_very_many_open_pull_requests_are_found(hub: FakeHub) -> None:
    others = [{"number": 100 + n, "url": f"{URL}/pull/{100 + n}", "base": "main"} for n in range(230)]
    hub.snapshot["siblings"] = others
    found = fetch(client_of(hub), TARGET, utc_now, reading_plan).snapshot.siblings
    assert [sibling.number for sibling in found] == [each["number"] for each in others]


def test_siblings__a_list_without_this_pull_request_fails_closed(hub: FakeHub) -> None:
    hub.fail(
        "POST /graphql", containing="query PullRequest", kind="item_missing", connection="pullRequests", times=None
    )
    with pytest.raises(GitHubError, match="open pull requests"):
        fetch(client_of(hub), TARGET, utc_now, reading_plan)


def test_siblings__of_a_fork_are_found(hub: FakeHub) -> None:
    hub.snapshot["pull_request"]["head"]["repository"] = "eve/shop"
    hub.snapshot["siblings"] = [{"number": 8, "url": f"{URL}/pull/8", "base": "release"}]
    assert run(hub).report.siblings == (8,)
