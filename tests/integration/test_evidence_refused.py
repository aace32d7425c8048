"""Evidence folders that somebody prepared: what is no file of the pipeline is refused, and a name is only a name."""

from __future__ import annotations

from typing import Any

import pytest

from phasegate.model.texts import BranchFile
from tests.fakehub import FakeHub
from tests.integration.evidence import FOLDER, artifacts_of, everything, fetched, files, rounds, told, with_artifacts

JSON = dict[str, Any]


REFUSED: list[JSON] = [
    {"path": f"{FOLDER}/debug-diagnosis.json", "mode": "120000", "text": "/etc/passwd"},
    {"path": f"{FOLDER}/git-result.json", "mode": "160000", "blob": "3" * 40},
    {"path": f"{FOLDER}/plan.json/deep.json", "text": "{}"},
    {"path": f"{FOLDER}/review-result.json", "size": 600_000},
    {"path": f"{FOLDER}/state.yaml", "size": 9},
    {"path": f"{FOLDER}/test-result.json", "size": 4 * 1024 * 1024 + 1},
    {"path": f"{FOLDER}/worker-result.json", "mode": "100755", "text": "{}"},
    {"path": f"{FOLDER}/notes.md", "text": "see plan"},
    {"path": f"{FOLDER}/more/plan.json", "text": "{}"},
]


def test_artifacts__that_are_no_files_of_the_pipeline_are_refused() -> None:
    found = files(told(with_artifacts(*REFUSED)))
    assert {path.rpartition("/")[2]: (file.mode, file.refused) for path, file in found.items()} == {
        "debug-diagnosis.json": ("120000", "this is a symbolic link"),
        "git-result.json": ("160000", "this is a submodule"),
        "more": ("040000", "this is a folder"),
        "notes.md": ("100644", "not a file with a known name"),
        "plan.json": ("040000", "this is a folder"),
        "review-result.json": ("100644", "GitHub tells only the beginning of its 600000 bytes"),
        "state.yaml": ("100644", "this is not a text file"),
        "test-result.json": ("100644", "the file has 4194305 bytes; at most 4194304 are read"),
        "worker-result.json": ("100755", None),
    }
    assert {path for path, file in found.items() if file.text is not None} == {f"{FOLDER}/worker-result.json"}
    assert all(file.pushed is not None for file in found.values())


def test_artifacts__that_were_refused_come_back_the_same() -> None:
    first = with_artifacts(*REFUSED)
    found = told(first)
    again = {**first, "branch_files": [_as_told(file) for file in found]}
    assert told(again) == found


def _as_told(file: BranchFile) -> JSON:
    names = ("path", "mode", "size", "blob", "text", "refused")
    return {name: getattr(file, name) for name in names if getattr(file, name) is not None}


@pytest.mark.parametrize(
    ("mode", "reason"),
    [("120000", "this is a symbolic link"), ("160000", "this is a submodule"), ("100644", "this is not a folder")],
)
@pytest.mark.parametrize("path", [".pipeline", FOLDER])
def test_artifacts__a_folder_that_is_none_is_not_followed(path: str, mode: str, reason: str) -> None:
    (found,) = told(with_artifacts({"path": path, "mode": mode, "text": "../elsewhere"}))
    assert (found.path, found.mode, found.refused, found.text) == (path, mode, reason, None)


@pytest.mark.parametrize(
    "name", ['"; }', "new\nline", "back\\slash", "$head", "ünïcödé ✓", "a:b", "{x}", "@", "^{tree}", "-12", " "]
)
def test_artifacts__a_hostile_name_is_only_a_name(name: str) -> None:
    path = f".pipeline/{name}/plan.json"
    with FakeHub(with_artifacts({"path": path, "text": "{}"})) as hub:
        (found,) = fetched(hub, everything).branch_files
        assert not any(name in request.text for request in hub.requests if len(name) > 2 and name != "$head")
    assert (found.path, found.text, found.refused) == (path, "{}", None)


@pytest.mark.parametrize("name", ["..", ".", "bad\ufffdname"])
def test_artifacts__what_no_folder_is_called_is_not_asked_for(name: str) -> None:
    with FakeHub(with_artifacts({"path": f".pipeline/{name}/plan.json", "text": "{}"})) as hub:
        (found,) = fetched(hub, everything).branch_files
        assert not any(f".pipeline/{name}" in str(request.body) for request in hub.requests)
    assert (found.path, found.mode, found.refused) == (f".pipeline/{name}", "040000", "no folder is called so")


def test_artifacts__of_touched_folders_are_read_and_others_are_not() -> None:
    plans = [
        {"path": f".pipeline/{name}/plan.json", "text": "{}"} for name in ("11", "12", "13", "new", "old", "other")
    ]
    moved = {"path": ".pipeline/new/plan.json", "status": "renamed", "previous_path": ".pipeline/old/plan.json"}
    entries = [{"path": "src/auth.py"}, {"path": ".pipeline/13/plan.json"}, moved]
    snapshot = with_artifacts(*plans, files={"complete": True, "entries": entries})
    found = [file.path.split("/")[1] for file in told(snapshot)]
    assert found == ["12", "13", "new", "old"]


def test_artifacts__of_no_more_than_twenty_folders_are_read() -> None:
    plans = [{"path": f".pipeline/{number}/plan.json", "text": "{}"} for number in range(11, 33)]
    with FakeHub(with_artifacts(*plans)) as hub:
        found = fetched(hub, everything).branch_files
    assert [file.path for file in found if file.refused] == [".pipeline/31", ".pipeline/32"]
    assert len(found) == 22


def test_artifacts__of_a_folder_that_was_removed_are_gone() -> None:
    history = rounds()
    history.push("clean", plan=None, test=None)
    snapshot = history.snapshot()
    with FakeHub(snapshot) as hub:
        found = fetched(hub).branch_files
    assert found == artifacts_of(snapshot)
    assert {file.blob for file in found} == {None}


def test_artifacts__of_a_folder_with_too_many_files_are_not_read() -> None:
    many = [{"path": f"{FOLDER}/{number}.txt", "text": ""} for number in range(1001)]
    (found,) = told(with_artifacts(*many))
    assert (found.path, found.mode, found.text) == (FOLDER, "040000", None)
    assert found.refused == "a folder of at most 1000 entries is read"
