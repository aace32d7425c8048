"""Review threads are read whole and only where they count, and a look sees each that was resolved or reopened."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from phasegate.cli.live import utc_now
from phasegate.gate import reading_plan
from phasegate.github.client.answers import GitHubError
from phasegate.github.reading.fetch import Fetched, fetch
from phasegate.github.reading.waves import wave
from phasegate.model.frozen import replace
from phasegate.model.plan import ReadingPlan
from phasegate.model.snapshot import PolicyFile, Snapshot
from tests.casebook.world import PEOPLE, World, commit
from tests.fakehub import FakeHub
from tests.integration.runs import TARGET, client_of, passing

JSON = dict[str, Any]
REVIEWER = {"login": "reviewer[bot]", "id": 777, "type": "Bot"}
NAMED = "version: 1\nagents: {accounts: [{login: 'reviewer[bot]', id: 777, roles: [judge]}]}\n"


def thread(number: int, **more: object) -> JSON:
    told = {"author": REVIEWER, "created_at": "2026-03-02T10:30:00Z", "text": "**P1** Expired tokens are accepted"}
    place = {"path": "src/auth.py", "commit": commit("a"), "line": 3}
    return {"id": number, "url": f"https://github.com/octo/shop/pull/7#discussion_r{number}", **told, **place, **more}


def world(*threads: JSON) -> World:
    made = passing()
    made.policy = NAMED
    made.changes["threads"] = list(threads)
    return made


def with_threads(file: PolicyFile) -> ReadingPlan:
    """The plan of a policy that names a reviewer whose threads count."""
    return replace(reading_plan(file), threads=True)


def fetched(hub: FakeHub, plan: Callable[[PolicyFile], ReadingPlan] = with_threads) -> Fetched:
    return fetch(client_of(hub), TARGET, utc_now, plan)


def read(*threads: JSON) -> Snapshot:
    with FakeHub(world(*threads).snapshot(), tree={}) as hub:
        return fetched(hub).snapshot


def test_threads__are_read_with_replies_and_who_resolved_them() -> None:
    reply = {"at": "2026-03-02T10:40:00Z", "author": PEOPLE["eve"], "text": "@reviewer resolve"}
    found = read(thread(1, resolved=True, resolved_by=REVIEWER, replies=[reply], outdated=True), thread(2)).threads
    assert [(each.id, each.resolved, each.path, each.commit) for each in found] == [
        (1, True, "src/auth.py", commit("a")),
        (2, False, "src/auth.py", commit("a")),
    ]
    assert found[0].resolved_by == found[0].author
    assert [(each.author and each.author.login, each.text) for each in found[0].replies] == [
        ("eve", "@reviewer resolve")
    ]
    assert found[0].outdated
    assert found[0].complete


def test_threads__more_replies_than_are_read_are_told() -> None:
    reply = {"at": "2026-03-02T10:40:00Z", "author": PEOPLE["eve"], "text": "No."}
    assert not read(thread(1, replies=[reply] * 60)).threads[0].complete


def test_threads__every_page_is_read() -> None:
    found = read(*(thread(number) for number in range(1, 251))).threads
    assert [each.id for each in found] == list(range(1, 251))


def test_threads__are_not_read_where_no_reviewer_needs_them() -> None:
    with FakeHub(world(thread(1)).snapshot(), tree={}) as hub:
        assert fetched(hub, reading_plan).snapshot.threads == ()


def test_threads__who_resolved_and_who_replied_are_looked_up() -> None:
    reply = {"at": "2026-03-02T10:40:00Z", "author": PEOPLE["ben"], "text": "Is it?"}
    told = read(thread(1, resolved=True, resolved_by=PEOPLE["eve"], replies=[reply]))
    known = {person.login: person.permission for person in told.people}
    assert (known["eve"], known["ben"]) == ("read", "write")


def test_threads__who_wrote_a_command_there_is_looked_up() -> None:
    replies = [
        {"at": "2026-03-02T10:40:00Z", "author": PEOPLE["ben"], "text": "Is it?"},
        {"at": "2026-03-02T10:41:00Z", "author": PEOPLE["eve"], "text": "/gate approve qa"},
    ]
    without, told = (read(thread(1, replies=replies[:number])).people for number in (1, 2))
    assert {person.login for person in told} - {person.login for person in without} == {"eve"}


def test_threads__cost_one_question_below_a_hundred() -> None:
    """And none more to tell whether the files of those that the reviewer resolved have changed: the look asks that."""
    counts = []
    for threads, plan in (((), reading_plan), ((thread(1, resolved=True, resolved_by=REVIEWER),) * 1, with_threads)):
        with FakeHub(world(*threads).snapshot(), tree={}) as hub:
            fetched(hub, plan)
            counts.append(len(hub.requests))
    assert counts[1] - counts[0] == 1


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    """A pull request with more threads than stand on a page."""
    with FakeHub(world(*(thread(number) for number in range(1, 151))).snapshot(), tree={}) as started:
        yield started


CHANGES: dict[str, Callable[[list[JSON]], object]] = {
    "resolved": lambda threads: threads[0].update(resolved=True, resolved_by=PEOPLE["mona"]),
    "resolved beyond the first page": lambda threads: threads[140].update(resolved=True, resolved_by=PEOPLE["mona"]),
    "resolved by another": lambda threads: threads[1].update(resolved_by=PEOPLE["eve"]),
    "reopened": lambda threads: threads[1].update(resolved=False, resolved_by=None),
    "added": lambda threads: threads.append(thread(151)),
    "deleted": list.pop,
}


@pytest.mark.parametrize("change", CHANGES)
def test_look__sees_every_change_of_a_thread(hub: FakeHub, change: str) -> None:
    threads = hub.snapshot["threads"]
    threads[1].update(resolved=True, resolved_by=PEOPLE["mona"])
    sight, client = fetched(hub).sight, client_of(hub)
    before = len(hub.requests)
    assert sight.holds(client, wave(client, sight.look.reads(client)))
    assert len(hub.requests) - before == 1
    CHANGES[change](threads)
    assert not sight.holds(client, wave(client, sight.look.reads(client)))


@pytest.mark.parametrize("kind", ["empty_page", "no_next_page", "link_loop", "item_missing", "duplicate_ids"])
def test_threads__a_list_that_lacks_some_is_an_error(hub: FakeHub, kind: str) -> None:
    hub.fail("POST /graphql*", kind=kind, times=None, connection="reviewThreads")
    with pytest.raises(GitHubError):
        fetched(hub)
