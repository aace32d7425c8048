"""Files at a commit through REST: comparisons, contents, trees and blobs, made up from what a snapshot tells."""

from __future__ import annotations

import base64

import pytest

from tests.casebook.world import World, commit
from tests.fakehub.answer import JSON
from tests.fakehub.client import Client, serving
from tests.fakehub.git import blob_of
from tests.fakehub.trees import Entry, tree_id

HEAD, BASE = commit("a"), commit("base")


def brings(client: Client, sha: str) -> dict[str, str]:
    files = client.data(f"compare/{BASE}...{sha}")["files"]
    return {file["filename"]: file["sha"] for file in files}


def test_compare__agrees_with_the_files_of_the_pull_request() -> None:
    entries = [
        {"path": "src/new.py", "status": "added", "blob": "1" * 40},
        {"path": "src/to.py", "status": "renamed", "previous_path": "src/from.py", "blob": "2" * 40},
        {"path": "src/old.py", "status": "removed"},
    ]
    with serving(World().snapshot() | {"files": {"entries": entries}}) as client:
        files = client.data("pulls/7/files")
        assert files == client.data(f"compare/{BASE}...{HEAD}")["files"]
        told = [(file["filename"], file["status"], file.get("previous_filename")) for file in files]
        assert told == [(entry["path"], entry["status"], entry.get("previous_path")) for entry in entries]
        paths = {entry["path"] for entry in client.data(f"git/trees/{HEAD}?recursive=1")["tree"]}
        assert paths == {"src", "src/new.py", "src/to.py"}


def test_compare__lists_at_most_300_files() -> None:
    world = World()
    world.push("large", content=None)
    world.push("b")
    entries = [{"path": f"src/{number:04}.py", "status": "added"} for number in range(301)]
    with serving(world.snapshot() | {"files": {"entries": entries}}) as client:
        assert len(brings(client, commit("b"))) == len(brings(client, commit("large"))) == 300
        assert client.data("pulls/7")["changed_files"] == 301
        assert sum(len(page) for page in client.pages("pulls/7/files?per_page=100")) == 301
        assert client.data(f"compare/{BASE}...{HEAD}?page=2")["files"] == []


def test_files__of_a_pull_request_end_at_3000() -> None:
    with serving(World().snapshot() | {"files": {"complete": False, "entries": []}}) as client:
        assert client.data("pulls/7")["changed_files"] > 3000
        assert sum(len(page) for page in client.pages("pulls/7/files?per_page=100")) == 3000


@pytest.mark.parametrize("head", [commit("nowhere"), "nowhere", "sessions...main"])
def test_compare__does_not_know_every_commit(head: str) -> None:
    with serving(World().snapshot()) as client:
        assert client.get(f"compare/main...{head}").status_code == 404


def test_compare__tells_how_two_commits_stand() -> None:
    world = World()
    world.push("b")
    world.push("c")
    world.moves[-1]["kind"] = "force_push"
    with serving(world.snapshot()) as client:
        seen = {}
        for ends in ("a...b", "b...a", "a...a", "b...c"):
            base, _, head = ends.partition("...")
            made = client.data(f"compare/{commit(base)}...{commit(head)}")
            seen[ends] = (made["status"], made["ahead_by"], made["merge_base_commit"]["sha"])
        assert seen == {
            "a...b": ("ahead", 1, commit("a")),
            "b...a": ("behind", 0, commit("a")),
            "a...a": ("identical", 0, commit("a")),
            "b...c": ("diverged", 1, BASE),
        }
        assert [each["sha"] for each in client.data("pulls/7/commits")] == [commit("c")]


def test_compare__takes_what_the_extras_tell() -> None:
    world = World()
    world.push("b")
    told = {"merge_base": commit("older base"), "files": [{"path": "x.txt", "status": "added", "text": "x\n"}]}
    with serving(world.snapshot(), commits={commit("a"): told}) as client:
        made = client.data(f"compare/{BASE}...{commit('a')}")
        assert made["merge_base_commit"]["sha"] == commit("older base")
        assert [(file["filename"], file["sha"]) for file in made["files"]] == [("x.txt", blob_of(b"x\n"))]


def with_files(*artifacts: JSON) -> JSON:
    snapshot = World().snapshot()
    snapshot["policy"]["text"] = "version: 1\n"
    return snapshot | {"branch_files": list(artifacts)}


def test_contents__are_read_in_json_and_raw() -> None:
    with serving(with_files()) as client:
        found = client.data("contents/.github/phase-gate.yml")
        assert base64.b64decode(found["content"]) == b"version: 1\n"
        assert (found["type"], found["encoding"], found["size"]) == ("file", "base64", 11)
        assert found["sha"] == blob_of(b"version: 1\n")
        raw = client.get(
            "contents/.github/phase-gate.yml?ref=main", headers={"Accept": "application/vnd.github.raw+json"}
        )
        assert raw.text == "version: 1\n"
        assert client.get("contents/.github/other.yml").status_code == 404
        assert client.get("contents/.github/phase-gate.yml?ref=nowhere").status_code == 404


def test_contents__of_a_folder_tell_links_and_hide_submodules() -> None:
    folder = ".pipeline/12"
    artifacts = [
        {"path": f"{folder}/plan.json", "text": "{}"},
        {"path": f"{folder}/link", "mode": "120000", "text": "../../secret"},
        {"path": f"{folder}/part", "mode": "160000", "blob": "3" * 40},
        {"path": f"{folder}/deep/er.json", "text": "[]"},
    ]
    with serving(with_files(*artifacts)) as client:
        listed = client.data(f"contents/{folder}?ref={HEAD}")
        assert {entry["name"]: entry["type"] for entry in listed} == {
            "plan.json": "file", "link": "symlink", "part": "file", "deep": "dir",
        }  # fmt: skip
        link, part = (client.data(f"contents/{folder}/{name}?ref={HEAD}") for name in ("link", "part"))
        assert (link["type"], link["target"]) == ("symlink", "../../secret")
        assert (part["type"], part["sha"]) == ("submodule", "3" * 40)
        media = "application/vnd.github.object+json"
        whole = client.get(f"contents/{folder}?ref={HEAD}", headers={"Accept": media}).json()
        assert (whole["type"], len(whole["entries"])) == ("dir", 4)


def test_contents__of_a_folder_end_at_1000_and_of_a_file_at_a_megabyte() -> None:
    many = [{"path": f".pipeline/{number:04}.json", "text": "{}"} for number in range(1001)]
    large = {"path": ".pipeline-large", "size": 1024 * 1024 + 1}
    with serving(with_files(large, *many)) as client:
        assert len(client.data(f"contents/.pipeline?ref={HEAD}")) == 1000
        assert len(client.data(f"git/trees/{HEAD}?recursive=1")["tree"]) > 1000
        found = client.data(f"contents/.pipeline-large?ref={HEAD}")
        assert (found["encoding"], found["content"], found["size"]) == ("none", "", 1024 * 1024 + 1)


def test_tree__is_found_by_commit_branch_and_own_id() -> None:
    with serving(with_files({"path": ".pipeline/12/plan.json", "text": "{}"})) as client:
        top = client.data(f"git/trees/{HEAD}")
        assert client.data("git/trees/sessions")["tree"] == top["tree"]
        assert client.data(f"git/trees/{top['sha']}")["tree"] == top["tree"]
        inner = next(entry for entry in top["tree"] if entry["path"] == ".pipeline")
        below = client.data(f"git/trees/{inner['sha']}?recursive=1")["tree"]
        assert [(entry["path"], entry["mode"], entry["type"]) for entry in below] == [
            ("12", "040000", "tree"),
            ("12/plan.json", "100644", "blob"),
        ]
        assert client.get("git/trees/" + "4" * 40).status_code == 404


def test_ids__are_those_that_git_gives() -> None:
    empty = Entry(name="empty.txt", path="empty.txt", mode="100644", oid=blob_of(b""), size=0)
    assert blob_of(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert tree_id([]) == "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    assert tree_id([empty]) == "7015cf066692cff6f1cc228eeb31632b73cef98a"
