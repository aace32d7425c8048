"""Which folder is whose: by name, by state, by what the pull request changes."""

from __future__ import annotations

import pytest

from phasegate.dialects.collect import file_versions
from phasegate.dialects.pipeline.artifact import Artifact
from phasegate.dialects.pipeline.declaration import number_of, worth_reading
from phasegate.dialects.pipeline.folder import choose_folders, relics
from phasegate.dialects.pipeline.gather import read_file
from phasegate.model.snapshot import Snapshot
from tests.casebook.evidence import plan, results
from tests.casebook.world import World
from tests.unit.rules.parties import taken


@pytest.mark.parametrize(("name", "number"), [
    ("12", 12), ("012", 12), ("issue-12", 12), ("ISSUE_12", 12), ("issue12", 12), ("GH-12", 12), ("#12", 12),
    ("SPEC-X-012", None), ("12a", None), ("0", None), ("", None), ("١٢", None), ("12\n", None), ("issue-", None),
])  # fmt: skip
def test_number_of__only_what_is_named_after_an_issue(name: str, number: int | None) -> None:
    assert number_of(name) == number


def test_worth_reading__folders_of_the_issues_and_those_that_are_changed() -> None:
    names = ("11", "12", "issue-13", "spec", "other")
    changed = (".pipeline/11/plan.json", ".pipeline/spec/plan.json", ".pipeline/lessons.yaml", "src/12/x.py")
    assert worth_reading(None, names, (12, 13), changed) == ("11", "12", "issue-13", "spec")


def test_worth_reading__an_issue_without_a_folder_is_given_its_usual_one() -> None:
    assert worth_reading(None, ("issue-13",), (12, 13), ()) == ("issue-13", "12")


def test_worth_reading__with_a_template_its_folders_and_for_the_history_those_that_are_changed() -> None:
    changed = (".pipeline/spec/plan.json",)
    assert worth_reading("t-{number}", ("12", "t-12", "spec"), (12, 14), changed) == ("t-12", "t-14", "spec")


def pushed(*folders: str, issues: tuple[int, ...] = (), state: str | None = None) -> World:
    """A branch with plans in folders."""
    world = World()
    for issue in issues:
        world.issue(issue)
    evidence = {f".pipeline/{name}/plan.json": plan() for name in folders}
    if state is not None:
        evidence[f".pipeline/{folders[0]}/state.yaml"] = state
    world.push("b", evidence=evidence)
    return world


def read(snapshot: Snapshot) -> dict[str, Artifact | None]:
    """What is read in the files at the head, by path."""
    texts = (text for file in snapshot.branch_files for text in file_versions(snapshot, file))
    return {text.source.id: read_file(text) for text in texts if text.source.latest}


def chosen(world: World, *issues: int, template: str | None = None) -> list[tuple[str, str | None]]:
    """The paths that are chosen, each with the code of what is wrong with it."""
    snapshot = taken(world)
    found = choose_folders(snapshot, issues, template, read(snapshot))
    return [(folder.path, folder.wrong.code if folder.wrong else None) for folder in found]


@pytest.mark.parametrize("name", ["12", "issue-12", "spec"])
def test_choose_folders__the_one_there_is(name: str) -> None:
    assert chosen(pushed(name), 12) == [(f".pipeline/{name}", None)]


def test_choose_folders__by_state_where_the_name_tells_no_issue() -> None:
    assert chosen(pushed("spec", state="issue_number: 12\n"), 12) == [(".pipeline/spec", None)]
    assert chosen(pushed("11", state="issue_number: 12\n"), 12) == [(".pipeline/12", None)]


def test_choose_folders__what_holds_no_artifact_is_no_rival() -> None:
    world = pushed("12")
    world.push("c", evidence={".pipeline/notes/todo.txt": "later"})
    assert chosen(world, 12) == [(".pipeline/12", None)]


@pytest.mark.parametrize("names", [("12", "issue-12"), ("12", "012"), ("spec", "more"), ("12", "spec")])
def test_choose_folders__two_that_could_be_it_are_none(names: tuple[str, ...]) -> None:
    ((_, code),) = chosen(pushed(*names), 12)
    assert code == "PG708"


def test_choose_folders__of_another_issue_is_nobodys() -> None:
    assert chosen(pushed("11"), 12) == [(".pipeline/12", None)]
    assert chosen(pushed("spec", state="issue_number: 11\n"), 12) == [(".pipeline/12", None)]


def test_choose_folders__one_without_a_number_is_not_that_of_two_issues() -> None:
    assert [code for _, code in chosen(pushed("spec", issues=(13,)), 12, 13)] == ["PG708", "PG708"]
    assert chosen(pushed("spec", "13", issues=(13,)), 12, 13) == [(".pipeline/spec", None), (".pipeline/13", None)]


def test_choose_folders__without_an_issue_the_one_that_is_changed() -> None:
    assert chosen(pushed("spec")) == [(".pipeline/spec", None)]
    assert chosen(World()) == [(".pipeline", None)]
    assert chosen(pushed("None"), template="{number}") == []


def test_choose_folders__what_is_no_folder_says_so() -> None:
    world = pushed("12")
    link = {"path": ".pipeline/12", "mode": "120000", "blob": "0" * 40, "refused": "this is a symbolic link"}
    world.changes["branch_files"] = [link]
    assert chosen(world, 12) == [(".pipeline/12", "PG230")]
    (folder,) = choose_folders(taken(world), (12,), None, {})
    assert folder.wrong is not None
    assert folder.wrong.hint == "Commit a folder in its place."


def test_relics__are_what_stood_in_other_folders() -> None:
    world = World()
    old = {f".pipeline/{name}/test-result.json": results("FAIL") for name in ("issue-12", "spec", "11", "12")}
    world.push("b", evidence=old)
    world.push("c", evidence={**dict.fromkeys(old), ".pipeline/12/plan.json": plan()})
    snapshot = taken(world)
    found = relics(snapshot, choose_folders(snapshot, (12,), None, read(snapshot)))
    assert list(found[12]) == [
        ".pipeline/11/test-result.json",
        ".pipeline/issue-12/test-result.json",
        ".pipeline/spec/test-result.json",
    ]
