"""Evidence folders: what GitHub does not tell is refused or read anew, and too long an answer is asked for in parts."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from phasegate.dialects.registry import built_in
from phasegate.github.client.answers import MovedError, TooLargeError
from phasegate.github.reading.files import BranchFiles
from phasegate.github.reading.folders import Folder, Held, entry_questions, file_at, folder_at, older_at
from phasegate.github.reading.opening import Opening, Target
from phasegate.github.reading.queries import places_query
from phasegate.github.reading.waves import Question, Reads
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
ROOT = {"name": ".pipeline", "mode": 0o040000, "type": "tree", "oid": "2" * 40}
FILE = {"name": "test-result.json", "mode": 0o100644, "type": "blob", "oid": OID}
TEXT = {"oid": OID, "byteSize": 2, "isBinary": False, "isTruncated": False, "text": "{}"}
FILE_ENTRY = {**FILE, "object": TEXT}


def branch(answers: Mapping[str, object], *, wanted: bool = True, total: int = 1) -> BranchFiles:
    """The reading of a pull request whose evidence is all chosen, or not wanted."""
    pull = {
        "number": 7, "headRefOid": HEAD, "commits": {"totalCount": total, "nodes": []},
        "closingIssuesReferences": {"nodes": []},
    }  # fmt: skip
    opened = Opening(
        target=Target(repository="octo/shop", number=7, policy_path="p.yml"),
        repository={"nameWithOwner": "octo/shop", "pullRequest": pull}, commit={}, comments=[], files=[],
    )  # fmt: skip
    shapes = (replace(SHAPE, choose=lambda names, *_: names),) if wanted else ()
    return BranchFiles.of(Canned(answers), opened, ReadingPlan(evidence=shapes))


def told(entry: JSON | None, *, head: bool = True) -> JSON:
    """The answer about what stands in the root, and that nothing is ignored."""
    commits = [{"file": entry} if head else None, {"file": None} if head else None]
    return {"Evidence": {"repository": {f"commit{number}": each for number, each in enumerate(commits)}}}


def read(found: BranchFiles) -> Results:
    """All results but the commits, of both trips."""
    log: Results = {"log": RefLog(source="none", complete=False)}
    listed = log | asked(found.listing(), found)
    return listed | asked(found.reading(listed), found)


def asked(reads: Reads, found: BranchFiles) -> Results:
    return {key: each.alone(found.client) for key, each in reads.items() if isinstance(each, Question)}


def test_evidence__that_is_not_wanted_asks_for_nothing() -> None:
    found = branch({}, wanted=False)
    log = RefLog(source="activity", moves=(RefMove(at="", after=OID, actor=Actor(login="ana", id=21, type="User")),))
    assert (found.listing(), found.reading({"log": log})) == ({}, {})
    assert (found.compared((OID,), log), list(found.pushers({"log": log}))) == ((OID,), [])
    assert (found.artifacts({}), found.ignored({}), found.commits({})) == ((), None, ())
    assert branch({}, wanted=False, total=251).commits_complete


def test_evidence__that_github_does_not_list_is_refused() -> None:
    found = branch(told({**ROOT, "object": {"entries": None}}))
    (refused,) = found.artifacts(read(found))
    assert (refused.path, refused.mode) == (".pipeline", "040000")
    assert refused.refused == "GitHub does not list it"


def test_evidence__a_head_that_is_gone_is_read_anew() -> None:
    for answers in (told(None, head=False), told({**ROOT, "object": None}), told({**ROOT, "object": {}})):
        with pytest.raises(MovedError):
            read(branch(answers))


@pytest.mark.parametrize("entry", [{**FILE_ENTRY, "mode": 0o120000}, {**ROOT, "object": {"entries": []}}])
def test_evidence__an_ignore_file_that_is_none_says_nothing(entry: JSON) -> None:
    answer = {"repository": {"commit0": {"file": None}, "commit1": {"file": {**entry, "name": ".gitignore"}}}}
    found = branch({"Evidence": answer})
    assert found.ignored(read(found)) is None


def test_evidence__the_latest_thirty_that_pushed_are_looked_up() -> None:
    actors = [Actor(login=f"u{number}", id=number, type="User") for number in range(40)]
    moves = tuple(RefMove(at=f"{n:02}", after=commit(str(n)), actor=actor) for n, actor in enumerate(actors))
    log = RefLog(source="activity", moves=(*moves, RefMove(at="99", after=HEAD)))
    known: Results = {"log": log, ("person", 39): None}
    assert [actor.id for actor in branch({}).pushers(known)] == list(range(38, 9, -1))


AT, INSIDE = (HEAD, ".pipeline/12"), (HEAD, ".pipeline/12/test-result.json")


def held(entries: object, blob: object = TEXT) -> Held:
    file = {**FILE, "object": blob}
    return {(HEAD, ".pipeline"): listed("12"), AT: {**ROOT, "object": {"entries": entries}}, INSIDE: file}


def listed(*names: str) -> JSON:
    entries = [{"name": name, "type": "tree", "mode": 0o40000, "oid": "1" * 40} for name in names]
    return {**ROOT, "object": {"entries": entries}}


@pytest.mark.parametrize("tree", [None, {}])
def test_folder__that_was_listed_and_is_not_there_is_read_anew(tree: JSON | None) -> None:
    with pytest.raises(MovedError, match=r"\.pipeline/12 is not there"):
        folder_at({AT: {**ROOT, "object": tree}}, *AT, SHAPE)


@pytest.mark.parametrize("blob", [None, {}, {**TEXT, "oid": "9" * 40}])
def test_folder__with_a_file_that_is_not_there_is_read_anew(blob: JSON | None) -> None:
    with pytest.raises(MovedError, match=r"test-result\.json is not there"):
        folder_at(held([FILE], blob), *AT, SHAPE)
    with pytest.raises(MovedError, match=r"test-result\.json is not there"):
        older_at(held([FILE], blob), HEAD, ".pipeline", SHAPE)


def test_folder__that_github_does_not_list_is_refused_and_an_empty_one_holds_nothing() -> None:
    found = folder_at(held(None), *AT, SHAPE)
    assert [file.refused for file in found.files] == ["a folder of at most 1000 entries is read"]
    assert found.held is None
    assert folder_at(held([]), *AT, SHAPE) == Folder(held={})


@pytest.mark.parametrize("entries", [[], [FILE, FILE]])
def test_folder__that_is_not_told_whole_is_read_anew(entries: list[JSON]) -> None:
    whole = {**ROOT, "object": {"oid": "3" * 40, "entries": entries}}
    with pytest.raises(MovedError, match="not all of its entries were listed"):
        folder_at({AT: whole}, *AT, SHAPE)


def test_older_head__holds_what_stands_in_the_folders_that_were_asked_for() -> None:
    found = older_at({**held([FILE]), (HEAD, ".pipeline"): listed("12", "13")}, HEAD, ".pipeline", SHAPE)
    assert found is not None
    assert [(path, version.oid, version.text) for path, version in found.files.items()] == [(INSIDE[1], OID, "{}")]
    assert list(found.folders) == ["12", "13"]


def test_older_head__that_is_gone_or_not_listed_is_left_out() -> None:
    unlisted = {**ROOT, "object": {"entries": None}}
    for told_of in ({}, held(None), {**held([FILE]), (HEAD, ".pipeline"): unlisted}):
        assert older_at(told_of, HEAD, ".pipeline", SHAPE) is None
    for root in (None, listed(), {**FILE, "object": TEXT}):
        found = older_at({(HEAD, ".pipeline"): root, AT: None}, HEAD, ".pipeline", SHAPE)
        assert found is not None
        assert (found.files, found.folders) == ({}, {})
    with pytest.raises(MovedError, match=r"\.pipeline/12 of .* was asked for and is not there"):
        older_at({(HEAD, ".pipeline"): listed("12"), AT: None}, HEAD, ".pipeline", SHAPE)


def test_query__names_every_path_by_a_variable() -> None:
    query = places_query("Evidence", "...found", [HEAD] * 10)
    assert [f"path{number}" for number in range(10)] == re.findall(r"\$(path\d+): String!", query)
    assert re.findall(r"file\(path: \$(path\d+)\)", query) == re.findall(r"\$(path\d+): String!", query)


ENTRY = {**FILE, "name": "1.yml", "object": TEXT}


class Narrow(Canned):
    """Answers about one path of one commit at a time; anything more is too large."""

    def graphql(self, name: str, query: str, variables: Mapping[str, Any]) -> JSON:
        """What stands at a path: nothing at those that end in ``none``."""
        del name
        if len([key for key in variables if key.startswith("path")]) > 1:
            raise TooLargeError("too much")
        if '"gone"' in query:
            return {"repository": {"commit0": None}}
        return {"repository": {"commit0": {"file": None if variables["path0"].endswith("none") else ENTRY}}}


def test_entries__too_long_an_answer_is_asked_for_in_parts() -> None:
    places = [(head, path) for head in (HEAD, "gone") for path in ("a/1.yml", "a/none", "a/2.yml")]
    (question,) = entry_questions("octo/shop", places)
    assert question.alone(Narrow({})) == {(HEAD, "a/1.yml"): ENTRY, (HEAD, "a/none"): None, (HEAD, "a/2.yml"): ENTRY}
    (question,) = entry_questions("octo/shop", places[:1])
    with pytest.raises(TooLargeError):
        question.alone(Canned({"Evidence": TooLargeError("one")}))


@pytest.mark.parametrize("blob", [None, {**TEXT, "oid": "9" * 40}])
def test_path__a_file_without_its_own_text_is_read_anew(blob: JSON | None) -> None:
    with pytest.raises(MovedError, match=r"a/1\.yml is not there"):
        file_at("a/1.yml", {**ENTRY, "object": blob})
    tree = {"mode": 0o040000, "type": "tree", "object": {"oid": OID, "entries": []}}
    found = file_at("a/1.yml", {**ENTRY, **tree})
    assert (found.path, found.refused) == ("a/1.yml", "this is a folder")
