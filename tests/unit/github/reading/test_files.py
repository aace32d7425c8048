"""Evidence folders: what GitHub does not tell is refused or read anew, and too long an answer is asked for in parts."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from phasegate.dialects.registry import built_in
from phasegate.github.client.answers import MovedError, TooLargeError
from phasegate.github.reading.files import LISTING, BranchFiles
from phasegate.github.reading.folders import Folder, HeadTree, folder_at, older_heads_held, paths_held
from phasegate.github.reading.opening import Opening, Target
from phasegate.github.reading.queries import folder_query, heads_query
from phasegate.model.plan import ReadingPlan
from phasegate.model.snapshot import RefLog, RefMove
from phasegate.model.texts import Actor
from tests.casebook.world import commit
from tests.unit.github.canned import Canned

JSON = dict[str, Any]
Results = dict[Hashable, Any]
HEAD = commit("head")
OID = "1" * 40
SHAPE = built_in("pipeline").footprint.evidence(None)[0]
TREE = {"name": ".pipeline", "mode": 0o040000, "type": "tree", "oid": "2" * 40}
FILE = {"name": "test-result.json", "mode": 0o100644, "type": "blob", "oid": OID}
TEXT = {"oid": OID, "byteSize": 2, "isBinary": False, "isTruncated": False, "text": "{}"}


def branch(answers: Mapping[str, object], *, wanted: bool = True, total: int = 1) -> BranchFiles:
    """The reading of a pull request whose evidence is all chosen, or not wanted."""
    pull = {
        "number": 7,
        "headRefOid": HEAD,
        "commits": {"totalCount": total, "nodes": []},
        "closingIssuesReferences": {"nodes": []},
    }
    opened = Opening(
        target=Target(repository="octo/shop", number=7, policy_path="p.yml"),
        repository={"nameWithOwner": "octo/shop", "pullRequest": pull},
        commit={},
        comments=[],
        files=[],
    )
    shapes = (replace(SHAPE, choose=lambda names, *_: names),) if wanted else ()
    return BranchFiles.of(Canned(answers), opened, ReadingPlan(evidence=shapes))


def listing(root: list[JSON] | None, folder: JSON | None) -> JSON:
    """The answer about what stands in the root and in the evidence folder."""
    head = {"tree": {"entries": root}}
    return {"Evidence": {"repository": {"head": head, "folder": folder, "ignore": None}}}


def read(found: BranchFiles) -> Results:
    """All results but the commits, of both trips."""
    results: Results = {
        "log": RefLog(source="none", complete=False),
        (LISTING, 0): found.listing()[LISTING, 0](),
    }
    return results | {key: task() for key, task in found.reading(results).items()}


def test_evidence__that_is_not_wanted_asks_for_nothing() -> None:
    found = branch({}, wanted=False)
    log = RefLog(source="activity", moves=(RefMove(at="", after=OID, actor=Actor(login="ana", id=21, type="User")),))
    assert (found.listing(), found.reading({"log": log})) == ({}, {})
    assert (found.compared((OID,), log), list(found.pushers({"log": log}))) == ((OID,), [])
    assert (found.artifacts({}), found.ignored({}), found.commits({})) == ((), None, ())
    assert branch({}, wanted=False, total=251).commits_complete


@pytest.mark.parametrize(
    ("root", "folder", "reason"),
    [
        (None, None, "GitHub does not list what is beside it"),
        ([TREE], {"entries": None}, "GitHub does not list it"),
    ],
)
def test_evidence__that_github_does_not_list_is_refused(
    root: list[JSON] | None, folder: JSON | None, reason: str
) -> None:
    found = branch(listing(root, folder))
    (refused,) = found.artifacts(read(found))
    assert (refused.path, refused.mode, refused.refused) == (".pipeline", "040000", reason)


def test_evidence__a_head_that_is_gone_is_read_anew() -> None:
    gone = {"Evidence": {"repository": {"head": None, "folder": None, "ignore": None}}}
    for answers in (gone, listing([TREE], None), listing([TREE], {})):
        with pytest.raises(MovedError):
            read(branch(answers))


def test_evidence__the_latest_thirty_that_pushed_are_looked_up() -> None:
    actors = [Actor(login=f"u{number}", id=number, type="User") for number in range(40)]
    moves = tuple(RefMove(at=f"{n:02}", after=commit(str(n)), actor=actor) for n, actor in enumerate(actors))
    log = RefLog(source="activity", moves=(*moves, RefMove(at="99", after=HEAD)))
    known: Results = {"log": log, ("person", 39): None}
    assert [actor.id for actor in branch({}).pushers(known)] == list(range(38, 9, -1))


def folder_answer(entries: object, **files: object) -> JSON:
    """The answer about a folder; files are null unless they are given by number."""
    none: JSON = {f"file{number}": None for number in range(10)}
    return {"IssueFolder": {"repository": {"folder": {"entries": entries}, **none, **files}}}


def place(answers: Mapping[str, object]) -> HeadTree:
    """The head of a repository that gives these answers."""
    return HeadTree(client=Canned(answers), repository="octo/shop", commit=HEAD, shape=SHAPE)


@pytest.mark.parametrize("told", [None, {}])
def test_folder__that_was_listed_and_is_not_there_is_read_anew(told: JSON | None) -> None:
    answers = {"IssueFolder": {"repository": {"folder": told, **{f"file{number}": None for number in range(10)}}}}
    with pytest.raises(MovedError, match=r"\.pipeline/12 is not there"):
        folder_at(place(answers), ".pipeline/12")


@pytest.mark.parametrize("blob", [None, {}, {**TEXT, "oid": "9" * 40}])
def test_folder__with_a_file_that_is_not_there_is_read_anew(blob: JSON | None) -> None:
    with pytest.raises(MovedError, match=r"test-result\.json is not there"):
        folder_at(place(folder_answer([FILE], file2=blob)), ".pipeline/12")


def test_folder__that_github_does_not_list_is_refused() -> None:
    found = folder_at(place(folder_answer(None)), ".pipeline/12")
    assert [file.refused for file in found.files] == ["a folder of at most 1000 entries is read"]
    assert found.held is None


def test_folder__that_is_empty_holds_nothing() -> None:
    assert folder_at(place(folder_answer([])), ".pipeline/12") == Folder(held={})


def heads_answer(variables: JSON) -> JSON:
    """Heads that hold one file each; of two the answer would be too large, one is gone, one is not listed."""
    heads = [key for key in variables if re.fullmatch(r"head\d+", key)]
    if len(heads) > 1:
        raise TooLargeError(str(len(heads)))
    head = variables["head0"]
    entries = None if head == commit("unlisted") else [FILE]
    there = None if head == commit("gone") else {"__typename": "Commit"}
    held = {"head0_0": {"entries": entries}, "head0_0_0": TEXT, "head0_0_1": None}
    return {"repository": {"head0": there, "head0_all": None, **held}}


def none_lost(folders: Mapping[str, str]) -> tuple[str, ...]:
    """No other folder is worth reading."""
    del folders
    return ()


def test_older_heads__are_asked_for_in_parts_and_left_out_where_they_cannot_be_read() -> None:
    heads = tuple(map(commit, ("one", "gone", "unlisted", "two")))
    found = older_heads_held(place({"EvidenceHeads": heads_answer}), heads, ("12",), none_lost)
    assert [each.commit for each in found] == [commit("one"), commit("two")]
    assert [(path, held.oid, held.text) for path, held in found[0].files.items()] == [
        (".pipeline/12/test-result.json", OID, "{}")
    ]


def test_older_heads__one_that_is_too_large_alone_is_an_error() -> None:
    with pytest.raises(TooLargeError):
        older_heads_held(place({"EvidenceHeads": TooLargeError("one")}), (HEAD,), ("12",), none_lost)


@pytest.mark.parametrize("there", [None, {}])
def test_older_heads__without_the_folder_hold_nothing(there: JSON | None) -> None:
    told: JSON = {"head0": {"__typename": "Commit"}, "head0_all": None}
    told |= {"head0_0": there, "head0_0_0": None, "head0_0_1": None}
    (found,) = older_heads_held(place({"EvidenceHeads": {"repository": told}}), (HEAD,), ("12",), none_lost)
    assert found.files == {}


@pytest.mark.parametrize("blob", [None, {**TEXT, "oid": "9" * 40}])
def test_older_heads__with_a_file_that_was_asked_for_and_is_not_told_are_read_anew(blob: JSON | None) -> None:
    told: JSON = {"head0": {"__typename": "Commit"}, "head0_all": None}
    told |= {"head0_0": {"entries": [FILE]}, "head0_0_0": blob, "head0_0_1": None}
    with pytest.raises(MovedError, match=r"test-result\.json is not there"):
        older_heads_held(place({"EvidenceHeads": {"repository": told}}), (HEAD,), ("12",), none_lost)


def test_older_heads__with_a_folder_that_is_listed_and_not_told_are_read_anew() -> None:
    listed = {"entries": [{"name": "12", "type": "tree", "mode": 0o40000, "oid": "1" * 40}]}
    told: JSON = {"head0": {"__typename": "Commit"}, "head0_all": listed}
    told |= {"head0_0": None, "head0_0_0": None, "head0_0_1": None}
    with pytest.raises(MovedError, match=r"\.pipeline/12 of .* was asked for and is not there"):
        older_heads_held(place({"EvidenceHeads": {"repository": told}}), (HEAD,), ("12",), none_lost)


@pytest.mark.parametrize("entries", [[], [FILE, FILE]])
def test_folder__that_is_not_told_whole_is_read_anew(entries: list[JSON]) -> None:
    whole = {"IssueFolder": {"repository": {"folder": {"oid": "3" * 40, "entries": entries}}}}
    with pytest.raises(MovedError, match="not all of its entries were told"):
        folder_at(place({**whole}), ".pipeline/12")


def test_queries__name_every_object_by_a_variable() -> None:
    for query in (folder_query(10), heads_query(10, 3, 2)):
        declared = set(re.findall(r"\$(\w+): (?:String|GitObjectID)!", query)) - {"owner", "name"}
        assert set(re.findall(r"(\w+): object\((?:oid|expression): \$(\w+)\)", query)) == {(n, n) for n in declared}
        assert query.count("object(") == len(declared)


ENTRY = {**FILE, "name": "1.yml", "object": TEXT}


class Narrow(Canned):
    """Answers about one path of one commit at a time; anything more is too large."""

    def graphql(self, name: str, query: str, variables: Mapping[str, Any]) -> JSON:
        """What stands at a path: nothing at those that end in ``none``."""
        del name, query
        heads = [key for key in variables if key.startswith("head")]
        paths = [key for key in variables if key.startswith("path")]
        if len(heads) > 1 or len(paths) > 1:
            raise TooLargeError("too much")
        if variables["head0"] == "gone":
            return {"repository": {"head0": None}}
        return {"repository": {"head0": {"path0": None if variables["path0"].endswith("none") else ENTRY}}}


def test_paths__too_long_an_answer_is_asked_for_in_parts() -> None:
    there = HeadTree(client=Narrow({}), repository="octo/shop", commit=HEAD, shape=SHAPE)
    found = dict(paths_held(there, (HEAD, "gone", OID), ("a/1.yml", "a/none", "a/2.yml")))
    assert {head: list(files) for head, files in found.items()} == {
        HEAD: ["a/1.yml", "a/2.yml"],
        OID: ["a/1.yml", "a/2.yml"],
    }
    assert found[HEAD]["a/2.yml"].text == "{}"


def test_paths__one_that_is_too_long_by_itself_is_an_error() -> None:
    with pytest.raises(TooLargeError):
        paths_held(place({"EvidencePaths": TooLargeError("one")}), (HEAD,), ("a/1.yml",))


@pytest.mark.parametrize("blob", [None, {**TEXT, "oid": "9" * 40}])
def test_paths__a_file_without_its_own_text_is_read_anew(blob: JSON | None) -> None:
    told = {"EvidencePaths": {"repository": {"head0": {"path0": {**ENTRY, "object": blob}}}}}
    with pytest.raises(MovedError, match=r"a/1\.yml is not there"):
        paths_held(place(told), (HEAD,), ("a/1.yml",))


def test_paths__what_is_no_file_is_refused() -> None:
    folder = {**ENTRY, "mode": 0o040000, "type": "tree", "object": {}}
    ((_, files),) = paths_held(
        place({"EvidencePaths": {"repository": {"head0": {"path0": folder}}}}), (HEAD,), ("a/1.yml",)
    )
    assert files["a/1.yml"].refused == "this is a folder"
