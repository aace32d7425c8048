"""Entries of evidence folders: a text, or a plain reason why there is none; never what a link leads to."""

from __future__ import annotations

from typing import Any

import pytest

from phasegate.cli.files import LARGEST as LARGEST_ON_DISK
from phasegate.dialects.pipeline.declaration import FILES
from phasegate.dialects.registry import built_in
from phasegate.github.reading.folders import LARGEST, file_of, no_folder, same_blob, text_of
from phasegate.model.texts import BranchFile

JSON = dict[str, Any]
OID = "1" * 40
FOLDER = ".pipeline/12"


def entry(name: str = "plan.json", mode: int = 0o100644) -> JSON:
    """An entry of a folder, as GraphQL tells it."""
    kind = {0o040000: "tree", 0o160000: "commit"}.get(mode, "blob")
    return {"name": name, "mode": mode, "type": kind, "oid": OID}


def blob(text: str | None = "{}", **changes: object) -> JSON:
    """A file, as GraphQL tells it."""
    size = len((text or "").encode("utf-8", "surrogatepass"))
    return {"oid": OID, "byteSize": size, "isBinary": False, "isTruncated": False, "text": text, **changes}


def test_names__are_those_of_the_dialect() -> None:
    shapes = built_in("pipeline").footprint.evidence(None)
    assert [shape.root for shape in shapes] == [".pipeline", ".pipeline/completed"]
    assert all(set(shape.names) == {*FILES} for shape in shapes)
    assert LARGEST == LARGEST_ON_DISK


@pytest.mark.parametrize("mode", [0o100644, 0o100755, 0o100664])
def test_file__that_is_regular_has_its_text(mode: int) -> None:
    found = file_of(FOLDER, entry(mode=mode), blob("ü\n"))
    assert found == BranchFile(path=f"{FOLDER}/plan.json", mode=f"{mode:o}", size=3, blob=OID, text="ü\n")


@pytest.mark.parametrize(
    ("mode", "reason", "kept"),
    [
        (0o120000, "this is a symbolic link", OID),
        (0o160000, "this is a submodule", None),
        (0o040000, "this is a folder", None),
        (0o100600, "this is not a regular file", OID),
    ],
)
def test_file__that_is_none_is_refused(mode: int, reason: str, kept: str | None) -> None:
    found = file_of(FOLDER, entry(mode=mode), blob("/etc/passwd"))
    assert (found.mode, found.text, found.refused, found.blob) == (f"{mode:06o}", None, reason, kept)
    assert text_of(entry(mode=mode), blob("/etc/passwd")) is None


def test_file__of_another_name_is_refused() -> None:
    found = file_of(FOLDER, entry("notes.md"), None)
    assert (found.text, found.blob, found.refused) == (None, OID, "not a file with a known name")


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        (blob("{", byteSize=LARGEST + 1), f"the file has {LARGEST + 1} bytes; at most {LARGEST} are read"),
        (blob("{", byteSize=600_000, isTruncated=True), "GitHub tells only the beginning of its 600000 bytes"),
        (blob(None, byteSize=9, isBinary=True), "this is not a text file"),
        (blob("{}", isBinary=True), "this is not a text file"),
        (blob(None, byteSize=9, isBinary=None), "this is not a text file"),
        (blob("ü", byteSize=1), "this is not UTF-8"),
        (blob("{}", byteSize=5), "this is not UTF-8"),
    ],
)
def test_file__that_cannot_be_read_whole_is_refused(told: JSON, reason: str) -> None:
    found = file_of(FOLDER, entry(), told)
    assert (found.text, found.refused, found.size) == (None, reason, told["byteSize"])
    assert text_of(entry(), told) is None


def test_file__of_the_largest_size_is_read() -> None:
    assert file_of(FOLDER, entry(), blob("x" * LARGEST)).refused is None


def test_same_blob__is_none_where_git_calls_it_otherwise() -> None:
    assert same_blob(entry(), blob()) == blob()
    for other in (None, {}, blob(oid="2" * 40)):
        assert same_blob(entry(), other) is None


def test_text__is_none_where_there_is_no_file() -> None:
    assert text_of(entry(), blob("{}")) == "{}"
    assert text_of(entry(), None) is None


@pytest.mark.parametrize(
    ("mode", "reason"),
    [(0o120000, "this is a symbolic link"), (0o160000, "this is a submodule"), (0o100644, "this is not a folder")],
)
def test_no_folder__says_what_is_there(mode: int, reason: str) -> None:
    found = no_folder(".pipeline", entry(".pipeline", mode))
    assert (found.path, found.mode, found.refused) == (".pipeline", f"{mode:06o}", reason)
