"""REST reads: lists and their pages, and what an answer tells."""

from __future__ import annotations

import pytest

from tests.casebook.world import PEOPLE, URL, World, commit
from tests.fakehub.client import serving
from tests.fakehub.state import GHOST

HEAD = commit("a")


def talkative(number: int) -> World:
    world = World()
    for index in range(number):
        world.say("ana", f"Comment {index}")
    return world


@pytest.mark.parametrize(
    ("number", "size", "pages"), [(0, 100, 1), (1, 100, 1), (100, 100, 1), (101, 100, 2), (7, 3, 3)]
)
def test_list__is_cut_into_pages(number: int, size: int, pages: int) -> None:
    with serving(talkative(number).snapshot()) as client:
        found = list(client.pages(f"issues/7/comments?per_page={size}"))
        assert [said["body"] for page in found for said in page] == [f"Comment {index}" for index in range(number)]
        assert len(found) == len(client.hub.requests) == pages


@pytest.mark.parametrize(
    ("asked", "given"), [("", 30), ("?per_page=1000", 100), ("?per_page=0", 30), ("?per_page=x", 30)]
)
def test_list__has_github_s_page_sizes(asked: str, given: int) -> None:
    with serving(talkative(120).snapshot()) as client:
        assert len(client.data(f"issues/7/comments{asked}")) == given


def test_list__can_be_made_to_come_in_small_pages() -> None:
    with serving(talkative(7).snapshot(), page_cap=2) as client:
        assert [len(page) for page in client.pages("issues/7/comments?per_page=100")] == [2, 2, 2, 1]


def test_list__links_to_its_other_pages() -> None:
    with serving(talkative(7).snapshot()) as client:
        links = {page: client.get(f"issues/7/comments?per_page=3&page={page}").links for page in (1, 2, 3, 9)}
        assert {page: set(found) for page, found in links.items()} == {
            1: {"next", "last"}, 2: {"prev", "next", "first", "last"}, 3: {"prev", "first"}, 9: {"prev", "first"},
        }  # fmt: skip
        assert links[1]["last"]["url"] == f"{client.hub.url}/repos/octo/shop/issues/7/comments?per_page=3&page=3"
        assert client.data("issues/7/comments?per_page=3&page=9") == []


def test_comment__tells_author_app_and_times() -> None:
    world = World()
    world.edit(world.say("ana", "First"), "Second", "ben")
    world.say("jkz-runner[bot]", "From an app", app_id=12345)
    world.say("ana", "From nobody", author=None)
    with serving(world.snapshot()) as client:
        edited, bot, ghost = client.data("issues/7/comments")
        assert (edited["body"], edited["user"]["login"], edited["user"]["id"]) == ("Second", "ana", 21)
        assert edited["updated_at"] > edited["created_at"]
        assert edited["performed_via_github_app"] is None
        assert (bot["user"]["login"], bot["user"]["type"]) == ("jkz-runner[bot]", "Bot")
        assert bot["performed_via_github_app"]["id"] == 12345
        assert (ghost["user"]["login"], ghost["user"]["id"]) == (GHOST["login"], GHOST["id"])


def test_review__tells_its_commit_and_no_edit() -> None:
    world = World()
    world.review("mona", "Good", "APPROVED")
    world.review("mona", "Gone", author=None)
    world.review("mona", "Not yet", "PENDING")
    with serving(world.snapshot()) as client:
        approved, gone, pending = client.data("pulls/7/reviews")
        assert (approved["state"], approved["commit_id"]) == ("APPROVED", HEAD)
        assert "updated_at" not in approved
        assert gone["user"] is None
        assert "submitted_at" not in pending


def test_pull__tells_counts_and_ends() -> None:
    world = talkative(3)
    world.push("b")
    with serving(world.snapshot()) as client:
        pull = client.data("pulls/7")
        assert (pull["comments"], pull["commits"], pull["changed_files"]) == (3, 2, 1)
        assert (pull["head"]["sha"], pull["base"]["ref"], pull["state"]) == (commit("b"), "main", "open")
        assert client.get("pulls/99").status_code == 404
        assert client.get("/repos/octo/nothing/pulls/7").status_code == 404


@pytest.mark.parametrize(
    ("state", "shown", "merged"), [("open", "open", False), ("closed", "closed", False), ("merged", "closed", True)]
)
def test_pull__has_two_states_and_a_time_of_merge(state: str, shown: str, *, merged: bool) -> None:
    snapshot = World().snapshot()
    snapshot["pull_request"]["state"] = state
    with serving(snapshot) as client:
        pull = client.data("pulls/7")
        assert (pull["state"], pull["merged"], pull["merged_at"] is not None) == (shown, merged, merged)


def test_pull__of_a_fork_that_is_gone_has_no_head_repository() -> None:
    snapshot = World().snapshot()
    snapshot["pull_request"]["head"]["repository"] = None
    with serving(snapshot) as client:
        assert client.data("pulls/7")["head"]["repo"] is None
        assert client.pull("headRepository { id }") == {"headRepository": None}


def test_activity__is_read_by_cursor_the_newest_first() -> None:
    world = World()
    for name in "bcde":
        world.push(name)
    with serving(world.snapshot()) as client:
        found = list(client.pages("activity?ref=refs/heads/sessions&per_page=2"))
        assert [len(page) for page in found] == [2, 2, 1]
        moves = [move for page in found for move in page]
        assert [move["after"] for move in moves] == [commit(name) for name in "edcba"]
        assert moves[-1]["activity_type"] == "branch_creation"
        assert moves[-1]["before"] == "0" * 40
        assert client.data("activity?ref=refs/heads/other") == []
        assert client.get("activity?after=nonsense").status_code == 422


def test_activity__of_a_fork_is_the_fork_s() -> None:
    snapshot = World().snapshot()
    snapshot["pull_request"]["head"]["repository"] = "eve/shop"
    with serving(snapshot) as client:
        assert client.data("activity?ref=refs/heads/sessions") == []
        assert len(client.data("/repos/eve/shop/activity?ref=refs/heads/sessions")) == 1


@pytest.mark.parametrize(
    ("login", "permission", "role"),
    [("mona", "write", "maintain"), ("ANA", "write", "write"), ("eve", "read", "read"), ("octo-dev", "write", "write")],
)
def test_permission__is_told_in_both_ways(login: str, permission: str, role: str) -> None:
    with serving(World().snapshot()) as client:
        found = client.data(f"collaborators/{login}/permission")
        assert (found["permission"], found["role_name"]) == (permission, role)
        assert found["user"]["id"] == PEOPLE[login.lower()]["id"]


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


def test_siblings__share_a_commit() -> None:
    snapshot = World().snapshot() | {"siblings": [{"number": 8, "url": f"{URL}/pull/8", "base": "release"}]}
    with serving(snapshot) as client:
        assert client.data("pulls/8")["base"]["ref"] == "release"
        assert [pull["number"] for pull in client.data("pulls?head=octo:sessions&base=main")] == [7]
        assert client.data("pulls?state=closed") == []


def test_more__are_pull_requests_of_the_same_repository() -> None:
    other = World()
    other.say("ben", "Over here")
    snapshot = other.snapshot()
    snapshot["pull_request"] |= {"number": 9, "head": {"ref": "other", "sha": commit("z"), "repository": "octo/shop"}}
    with serving(World().snapshot(), more=[snapshot]) as client:
        assert [said["body"] for said in client.data("issues/9/comments")] == ["Over here"]
        assert client.data("issues/7/comments") == []
        assert client.data("compare/main...other")["total_commits"] == 1


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


@pytest.mark.parametrize(("readable", "status"), [(True, 200), (False, 403)])
def test_rules__name_context_and_app(status: int, *, readable: bool) -> None:
    required = [{"context": "phase-gate", "app_id": 15368}, {"context": "ci"}]
    snapshot = World().snapshot() | {"branch_rules": {"readable": readable, "required": required}}
    with serving(snapshot) as client:
        answer = client.get("rules/branches/main")
        assert answer.status_code == status
        if readable:
            checks = answer.json()[0]["parameters"]["required_status_checks"]
            assert checks == [{"context": "phase-gate", "integration_id": 15368}, {"context": "ci"}]
            assert client.data("rules/branches/other") == []


def test_team__tells_its_members_to_those_who_may_read_them() -> None:
    teams = [{"slug": "octo/core", "readable": True, "members": [21, 4711]}, {"slug": "octo/secret", "readable": False}]
    with serving(World().snapshot() | {"teams": teams}) as client:
        assert [member["login"] for member in client.data("/orgs/octo/teams/core/members")] == ["ana", "user-4711"]
        assert client.get("/orgs/octo/teams/secret/members").status_code == 403
        assert client.get("/orgs/octo/teams/none/members").status_code == 404


def test_run__tells_who_approved_it() -> None:
    told = {
        "run": 5, "url": f"{URL}/actions/runs/5", "workflow": ".github/workflows/gate.yml", "ref": "refs/heads/main",
    }  # fmt: skip
    told |= {"event": "workflow_dispatch", "at": "2026-03-02T10:00:00Z", "phase": "plan", "environment": "gate"}
    told |= {"approved_by": PEOPLE["mona"], "comment": "Fine", "commit": "a" * 40}
    with serving(World().snapshot() | {"dispatch_approvals": [told]}) as client:
        (run,) = client.data("actions/workflows/gate.yml/runs")["workflow_runs"]
        (approval,) = client.data("actions/runs/5/approvals")
        assert (run["path"], run["event"], run["head_branch"]) == (
            ".github/workflows/gate.yml", "workflow_dispatch", "main",
        )  # fmt: skip
        assert (approval["user"]["login"], approval["environments"][0]["name"], approval["comment"]) == (
            "mona", "gate", "Fine",
        )  # fmt: skip
        assert client.get("actions/runs/6/approvals").status_code == 404
