"""Entries of evidence folders: a text, or a plain reason why there is none; never what a link leads to."""

from __future__ import annotations

from typing import Any

import pytest

from phasegate.cli.files import LARGEST as LARGEST_ON_DISK
from phasegate.dialects.pipeline.declaration import FILES
from phasegate.dialects.registry import built_in
from phasegate.github.reading.folders import (
    LARGEST,
    LINK_MODE,
    MOST_TREES,
    base_links,
    file_of,
    no_folder,
    same_blob,
    text_of,
)
from phasegate.model.plan import INSTRUCTION_FILES
from phasegate.model.texts import BranchFile
from tests.unit.github.canned import Canned

JSON = dict[str, Any]
OID = "1" * 40
FOLDER = ".pipeline/12"


def entry(name: str = "plan.json", mode: int = 0o100644) -> JSON:
    kind = {0o040000: "tree", 0o160000: "commit"}.get(mode, "blob")
    return {"name": name, "mode": mode, "type": kind, "oid": OID}


def blob(text: str | None = "{}", **changes: object) -> JSON:
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
    assert file_of(FOLDER, entry(mode=mode), blob("x" * LARGEST)).refused is None
    other = file_of(FOLDER, entry("notes.md", mode), None)
    assert (other.text, other.blob, other.refused) == (None, OID, "not a file with a known name")


@pytest.mark.parametrize(("mode", "reason", "kept"), [
    (0o120000, "this is a symbolic link", OID),
    (0o160000, "this is a submodule", None),
    (0o040000, "this is a folder", None),
    (0o100600, "this is not a regular file", OID),
])  # fmt: skip
def test_file__that_is_none_is_refused(mode: int, reason: str, kept: str | None) -> None:
    found = file_of(FOLDER, entry(mode=mode), blob("/etc/passwd"))
    assert (found.mode, found.text, found.refused, found.blob) == (f"{mode:06o}", None, reason, kept)
    assert text_of(entry(mode=mode), blob("/etc/passwd")) is None


@pytest.mark.parametrize(("told", "reason"), [
    (blob("{", byteSize=LARGEST + 1), f"the file has {LARGEST + 1} bytes; at most {LARGEST} are read"),
    (blob("{", byteSize=600_000, isTruncated=True), "GitHub tells only the beginning of its 600000 bytes"),
    (blob(None, byteSize=9, isBinary=True), "this is not a text file"),
    (blob("{}", isBinary=True), "this is not a text file"),
    (blob(None, byteSize=9, isBinary=None), "this is not a text file"),
    (blob("ü", byteSize=1), "this is not UTF-8"),
    (blob("{}", byteSize=5), "this is not UTF-8"),
])  # fmt: skip
def test_file__that_cannot_be_read_whole_is_refused(told: JSON, reason: str) -> None:
    found = file_of(FOLDER, entry(), told)
    assert (found.text, found.refused, found.size) == (None, reason, told["byteSize"])
    assert text_of(entry(), told) is None


def test_same_blob__is_none_where_git_calls_it_otherwise() -> None:
    assert same_blob(entry(), blob()) == blob()
    assert (text_of(entry(), blob("{}")), text_of(entry(), None)) == ("{}", None)
    for other in (None, {}, blob(oid="2" * 40)):
        assert same_blob(entry(), other) is None


@pytest.mark.parametrize(
    ("mode", "reason"),
    [(0o120000, "this is a symbolic link"), (0o160000, "this is a submodule"), (0o100644, "this is not a folder")],
)
def test_no_folder__says_what_is_there(mode: int, reason: str) -> None:
    found = no_folder(".pipeline", entry(".pipeline", mode))
    assert (found.path, found.mode, found.refused) == (".pipeline", f"{mode:06o}", reason)


TREES = "/repos/octo/shop/git/trees"
BASE = "b" * 40
ORDERS = tuple(pattern.casefold() for pattern in (*INSTRUCTION_FILES, "prompts/*/orders.md"))


def tree(*names: str, folders: tuple[str, ...] = (), truncated: bool = False) -> JSON:
    entries = [{"path": name, "mode": LINK_MODE, "type": "blob", "sha": OID} for name in names]
    entries += [{"path": name, "mode": "040000", "type": "tree", "sha": f"tree-of-{name}"} for name in folders]
    return {"sha": BASE, "tree": entries, "truncated": truncated}


def with_links(links: dict[str, str | None], **trees: JSON) -> Canned:
    """A repository with links; of one without a text GitHub does not tell where it leads."""

    def texts(asked: JSON) -> JSON:
        paths = [asked[f"path{number}"] for number in range(len(asked) - 2)]
        files = ({"mode": 0o120000, "object": {"text": links[path]}} for path in paths)
        return {"repository": {f"commit{number}": {"file": file} for number, file in enumerate(files)}}

    found = {f"{TREES}/{name.replace('_', '-')}": each for name, each in trees.items()}
    return Canned({f"{TREES}/{BASE}": tree(*links), "Links": texts, **found})


def followed(client: Canned) -> list[tuple[str, str]] | None:
    found = base_links(client, "octo/shop", BASE, ORDERS)
    return None if found is None else [(link.path, link.target) for link in found]


@pytest.mark.parametrize(("links", "found"), [
    ({}, []),
    ({"CLAUDE.md": "docs/orders.md"}, ["docs/orders.md"]),
    ({"packages/x/CLAUDE.md": "../../docs/orders.md"}, ["docs/orders.md"]),
    ({"packages/x/claude.MD": "orders.md"}, ["packages/x/orders.md"]),
    ({"packages/x/.claude/skills/review.md": "/docs/orders.md"}, []),
    ({"packages/x/.claude": "../../tools"}, ["tools"]),
    ({".github": "meta"}, ["meta"]),
    ({"prompts/a/orders.md": "../b.md"}, ["prompts/b.md"]),
    ({"prompts/a": "b"}, ["prompts/b"]),
    ({"docs/latest.md": "orders.md", ".github/CODEOWNERS": "owners"}, []),
    ({"AGENTS.md": "step/a.md", "step": "docs"}, ["step/a.md", "docs/a.md"]),
    ({"AGENTS.md": "a.md", "a.md": "b.md", "b.md": "c.md"}, ["a.md", "b.md", "c.md"]),
    ({"AGENTS.md": "../../elsewhere.md", "CLAUDE.md": "."}, []),
    ({"AGENTS.md": None}, None),
    ({"AGENTS.md": "a.md", "a.md": "AGENTS.md"}, ["a.md", "AGENTS.md"] * 4),
])  # fmt: skip
def test_links__are_followed_from_where_agents_take_orders(
    links: dict[str, str | None], found: list[str] | None
) -> None:
    told = followed(with_links(links))
    assert (told if told is None else [end for _, end in told]) == found


def test_links__take_one_request_where_there_are_none() -> None:
    client = with_links({"docs/latest.md": "orders.md"})
    assert followed(client) == []
    assert client.asked == [(f"{TREES}/{BASE}", {"recursive": 1})]


def test_links__of_a_large_tree_are_found_folder_by_folder() -> None:
    links: dict[str, str | None] = {"packages/x/CLAUDE.md": "../../orders.md"}
    client = with_links(links, tree_of_docs=tree(), tree_of_packages=tree("x/CLAUDE.md"))
    client.answers[f"{TREES}/{BASE}"] = (tree("a", truncated=True), tree(folders=("docs", "packages")))
    assert followed(client) == [("packages/x/CLAUDE.md", "orders.md")]


@pytest.mark.parametrize("listed", [
    None,
    (tree(truncated=True), tree(truncated=True)),
    (tree(truncated=True), tree(folders=tuple(map(str, range(MOST_TREES))))),
])  # fmt: skip
def test_links__that_are_not_listed_are_not_known(listed: object) -> None:
    client = with_links({"CLAUDE.md": "docs/orders.md"})
    del client.answers[f"{TREES}/{BASE}"]
    if listed is not None:
        client.answers[f"{TREES}/{BASE}"] = listed
    assert followed(client) is None
