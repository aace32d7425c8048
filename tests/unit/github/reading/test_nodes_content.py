"""What a commit would bring in: the same digest for the same content, however GitHub tells it; none in doubt."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from phasegate.dialects.registry import built_in, plan_of
from phasegate.github.reading.nodes import changed_file, compared_content, compared_files, content_digest, line_count
from phasegate.model.codec import NO_CONTENT
from phasegate.model.frozen import replace
from phasegate.model.snapshot import ChangedFile, Content

JSON = dict[str, Any]
PLAN = replace(plan_of([built_in("pipeline")]), issues=(12,))
LEAVES_OUT = PLAN.leaves_out
OWN = ".pipeline/12"
ONE, TWO = "1" * 40, "2" * 40


def entry(path: str, status: str = "modified", sha: str | None = ONE, previous: str | None = None) -> JSON:
    told: JSON = {"filename": path, "status": status, "sha": sha, "additions": 1, "deletions": 0, "patch": "@@"}
    return told if previous is None else {**told, "previous_filename": previous}


def content(*entries: JSON, modes: dict[str, str] | None = None) -> Content:
    """What a commit brings in, of which everything is a plain file but what is told otherwise."""
    told = {(ONE, each["filename"]): ((modes or {}).get(each["filename"], "100644"), each["sha"]) for each in entries}
    return compared_content(ONE, compared_files({"files": list(entries)}), told, PLAN)


def digest(*entries: JSON, **modes: str) -> str | None:
    return content(*entries, modes=modes).digest


def test_changed_file__knows_where_a_renamed_file_was() -> None:
    assert changed_file(entry("b", "renamed", previous="a")) == ChangedFile(
        path="b", status="renamed", previous_path="a", blob=ONE
    )
    assert changed_file(entry("b", "copied", previous="a")).previous_path is None
    assert changed_file(entry("a", "removed")).blob is None


SAME = [
    ("order", [entry("a"), entry("b")], [entry("b"), entry("a")]),
    ("added or modified", [entry("a", "added")], [entry("a", "modified")]),
    ("rename or delete and add", [entry("b", "renamed", previous="a")],
     [entry("a", "removed", TWO), entry("b", "added")]),
    ("copy or add", [entry("b", "copied", previous="a")], [entry("b", "added")]),
    ("evidence folder", [entry("a"), entry(".pipeline/12/plan.json")], [entry("a")]),
    ("evidence renamed", [entry("a"), entry(f"{OWN}/plan.json", "renamed", previous=".pipeline/issue-12/plan.json")],
     [entry("a")]),
    ("blob of what is gone", [entry("a", "removed", ONE)], [entry("a", "removed", TWO)]),
    ("renamed over a file that is there again", [entry("b", "renamed", previous="a"), entry("a", "added", TWO)],
     [entry("a", "modified", TWO), entry("b", "added")]),
    ("the same, told the other way round", [entry("a", "added", TWO), entry("b", "renamed", previous="a")],
     [entry("b", "added"), entry("a", "modified", TWO)]),
]  # fmt: skip
DIFFERENT = [
    ("blob", [entry("a")], [entry("a", sha=TWO)]),
    ("path", [entry("a")], [entry("b")]),
    ("gone or there", [entry("a")], [entry("a", "removed")]),
    ("moved or copied", [entry("b", "renamed", previous="a")], [entry("b", "added")]),
    ("one more", [entry("a"), entry("b")], [entry("a")]),
    ("out of the evidence folder", [entry("b", "renamed", previous=".pipeline/b")], []),
    ("out of an issue's folder", [entry("b", "renamed", previous=f"{OWN}/plan.json")], []),
    ("like the evidence folder", [entry(".pipelines/12/plan.json")], []),
    ("another name in an issue's folder", [entry(f"{OWN}/install.sh")], []),
    ("beside the folders of issues", [entry(".pipeline/plan.json")], []),
    ("below the folder of an issue", [entry(f"{OWN}/more/plan.json")], []),
    ("case", [entry("A")], [entry("a")]),
    ("odd names", [entry('a","b')], [entry("a"), entry("b")]),
]


@pytest.mark.parametrize(("one", "other"), [pair[1:] for pair in SAME], ids=[pair[0] for pair in SAME])
def test_digest__is_the_same_for_the_same_content(one: list[JSON], other: list[JSON]) -> None:
    assert digest(*one) == digest(*other) is not None


@pytest.mark.parametrize(("one", "other"), [pair[1:] for pair in DIFFERENT], ids=[pair[0] for pair in DIFFERENT])
def test_digest__differs_for_other_content(one: list[JSON], other: list[JSON]) -> None:
    assert digest(*one) != digest(*other)


def test_digest__is_none_where_a_blob_is_not_known() -> None:
    assert digest(entry("a"), entry("b", sha=None)) is None
    assert content_digest([ChangedFile(path="a")], LEAVES_OUT) is None


def test_digest__is_none_where_github_may_have_left_files_out() -> None:
    assert digest(*(entry(str(number)) for number in range(299))) is not None
    assert digest(*(entry(str(number)) for number in range(300))) is None
    for comparison in ({}, {"files": None}, None):
        assert compared_content(ONE, compared_files(comparison), {}, PLAN) == Content(commit=ONE)


def test_content__knows_which_evidence_a_commit_changes() -> None:
    found = content(entry("src/a.py"), entry(".pipeline/12/plan.json"))
    assert found.excluded == (".pipeline/12/plan.json",)


@pytest.mark.parametrize("mode", ["100755", "120000", "160000"])
def test_digest__differs_for_another_mode(mode: str) -> None:
    assert digest(entry("a")) != digest(entry("a"), a=mode) is not None


@pytest.mark.parametrize(("mode", "excluded"), [("100755", 1), ("120000", 0), ("160000", 0)])
def test_digest__leaves_out_regular_files_only(mode: str, excluded: int) -> None:
    path = f"{OWN}/plan.json"
    found = content(entry("a"), entry(path), modes={path: mode})
    assert (found.digest == digest(entry("a"))) == bool(excluded)
    assert found.excluded == (path,) * excluded


def test_digest__is_none_where_something_else_stands_there() -> None:
    files = compared_files({"files": [entry("a")]})
    for told in (None, ("100644", TWO)):
        assert compared_content(ONE, files, {(ONE, "a"): told}, PLAN).digest is None


def test_digest__of_a_mode_that_nobody_asked_for_is_another_one() -> None:
    assert compared_content(ONE, compared_files({"files": [entry("a")]}), {}, PLAN).digest != digest(entry("a"))


@pytest.mark.parametrize(
    ("text", "lines"), [(b"", 0), (b"one", 1), (b"one\n", 1), (b"one\ntwo", 2), (b"\n\n", 2), (b"\xff\n", 1)]
)
def test_line_count__of_a_file(text: bytes, lines: int) -> None:
    assert line_count({"type": "file", "encoding": "base64", "content": b64encode(text).decode()}) == lines


@pytest.mark.parametrize("told", [
    None,
    [],
    {},
    {"type": "symlink", "encoding": "base64", "content": ""},
    {"type": "submodule"},
    {"type": "file", "encoding": "none", "content": ""},
    {"type": "file", "encoding": "base64", "content": "a"},
])  # fmt: skip
def test_line_count__of_what_is_no_ordinary_file_is_none(told: object) -> None:
    assert line_count(told) is None


def test_content_digest__of_no_change_is_what_the_rules_know_it_by() -> None:
    assert content_digest([], LEAVES_OUT) == NO_CONTENT
