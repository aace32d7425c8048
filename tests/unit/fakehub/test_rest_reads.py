"""REST reads: lists and their pages, and what an answer tells."""

from __future__ import annotations

import pytest

from tests.casebook.world import URL, World, commit
from tests.fakehub.client import serving

HEAD = commit("a")


def talkative(number: int) -> World:
    world = World()
    for index in range(number):
        world.say("ana", f"Comment {index}")
    return world


@pytest.mark.parametrize(
    ("asked", "given"), [("", 30), ("?per_page=1000", 100), ("?per_page=0", 30), ("?per_page=x", 30)]
)
def test_list__has_github_s_page_sizes(asked: str, given: int) -> None:
    with serving(talkative(120).snapshot()) as client:
        assert len(client.data(f"issues/7/comments{asked}")) == given


def test_list__links_to_its_other_pages() -> None:
    with serving(talkative(7).snapshot()) as client:
        links = {page: client.get(f"issues/7/comments?per_page=3&page={page}").links for page in (1, 2, 3, 9)}
        assert {page: set(found) for page, found in links.items()} == {
            1: {"next", "last"}, 2: {"prev", "next", "first", "last"}, 3: {"prev", "first"}, 9: {"prev", "first"},
        }  # fmt: skip
        assert links[1]["last"]["url"] == f"{client.hub.url}/repos/octo/shop/issues/7/comments?per_page=3&page=3"
        assert client.data("issues/7/comments?per_page=3&page=9") == []


@pytest.mark.parametrize(
    ("state", "shown", "merged"), [("open", "open", False), ("closed", "closed", False), ("merged", "closed", True)]
)
def test_pull__has_two_states_and_a_time_of_merge(state: str, shown: str, *, merged: bool) -> None:
    snapshot = World().snapshot()
    snapshot["pull_request"]["state"] = state
    with serving(snapshot) as client:
        pull = client.data("pulls/7")
        assert (pull["state"], pull["merged"], pull["merged_at"] is not None) == (shown, merged, merged)


@pytest.mark.parametrize("login", ["nobody", "jkz-runner%5Bbot%5D"])
def test_permission__of_bots_and_strangers_is_not_told(login: str) -> None:
    world = World()
    world.say("jkz-runner[bot]", "Hello")
    with serving(world.snapshot()) as client:
        assert client.get(f"collaborators/{login}/permission").status_code == 404


@pytest.mark.parametrize(("visibility", "permission"), [("public", "read"), ("private", "none")])
def test_permission__of_someone_who_only_commented(visibility: str, permission: str) -> None:
    world = World()
    world.say("eve", "Hello", author={"login": "passer-by", "id": 5})
    with serving(world.snapshot(), visibility=visibility) as client:
        assert client.data("collaborators/passer-by/permission")["permission"] == permission


def test_activity__of_a_fork_is_the_fork_s() -> None:
    snapshot = World().snapshot()
    snapshot["pull_request"]["head"]["repository"] = "eve/shop"
    with serving(snapshot) as client:
        assert client.data("activity?ref=refs/heads/sessions") == []
        assert len(client.data("/repos/eve/shop/activity?ref=refs/heads/sessions")) == 1


def test_siblings__share_a_commit() -> None:
    snapshot = World().snapshot() | {"siblings": [{"number": 8, "url": f"{URL}/pull/8", "base": "release"}]}
    with serving(snapshot) as client:
        assert client.data("pulls/8")["base"]["ref"] == "release"
        assert [pull["number"] for pull in client.data("pulls?head=octo:sessions&base=main")] == [7]
        assert client.data("pulls?state=closed") == []


def test_issue__is_read() -> None:
    world = World()
    world.issues[0] |= {"type": "Bug", "type_events": [{"name": "Bug", "action": "added", "at": world.tick()}]}
    world.label("bug")
    world.say("ana", "A plan", on=12)
    with serving(world.snapshot()) as client:
        issue = client.data("issues/12")
        assert ([label["name"] for label in issue["labels"]], issue["type"]["name"], issue["comments"]) == (
            ["bug"], "Bug", 1,
        )  # fmt: skip
        assert client.data("issues/7")["pull_request"]["html_url"] == f"{URL}/pull/7"
