"""Every version of every text, with who wrote it, when, and whether somebody else had a hand in it."""

from __future__ import annotations

import pytest

from phasegate.dialects.collect import written_texts
from phasegate.dialects.dialect import Text
from tests.casebook.world import JSON, PEOPLE, World
from tests.unit.rules.parties import taken


def versions(world: World) -> tuple[Text, ...]:
    """The versions of the only comment of a world."""
    (written,) = written_texts(taken(world))
    return tuple(written.versions())


def edited(*editors: str) -> tuple[World, JSON]:
    """A comment of ana's that was edited by these accounts."""
    world = World()
    said = world.say("ana", "one")
    for number, editor in enumerate(editors, start=2):
        world.edit(said, f"text {number}", editor)
    return world, said


def distrusted(world: World) -> bool:
    """Whether the comment counts as touched by somebody else, or as one whose past is not known."""
    source = versions(world)[-1].source
    return source.tampered_by is not None or not source.history_complete


def test_versions__an_untouched_comment_has_one() -> None:
    world = World()
    said = world.say("ana", "one")
    (version,) = versions(world)
    source = version.source
    assert (version.body, source.at, source.version, source.latest) == ("one", said["created_at"], 1, True)
    assert (source.tampered_by, source.edited, source.history_complete) == (None, False, True)


def test_versions__the_oldest_first_each_from_its_own_time() -> None:
    world, said = edited("ana", "ana")
    found = versions(world)
    assert [version.body for version in found] == ["one", "text 2", "text 3"]
    assert [version.source.at for version in found] == [edit["at"] for edit in said["history"]]
    assert [version.source.latest for version in found] == [False, False, True]
    assert not distrusted(world)


@pytest.mark.parametrize("editors", [("mona",), ("ana", "mona"), ("mona", "ana"), ("octo-dev",), ("helper[bot]",)])
def test_versions__any_edit_by_somebody_else_is_tampering(editors: tuple[str, ...]) -> None:
    world, _ = edited(*editors)
    assert versions(world)[-1].source.tampered_by in {"mona", "octo-dev", "helper[bot]"}


def test_versions__an_editor_who_is_gone_is_somebody_else() -> None:
    world, said = edited("ana")
    said["history"][-1]["editor"] = None
    assert distrusted(world)


def test_versions__an_editor_of_the_same_login_and_another_id_is_somebody_else() -> None:
    world, said = edited("ana")
    said["history"][-1]["editor"] = {"login": "ana", "id": 4711, "type": "User"}
    assert distrusted(world)


def test_versions__accounts_without_ids_are_not_the_same() -> None:
    world, said = edited("ana")
    nameless = {"login": "ana", "id": None, "type": "User"}
    said["author"] = nameless
    said["history"][-1]["editor"] = nameless
    assert distrusted(world)


@pytest.mark.parametrize("who", ["ana", "mona"])
def test_versions__a_revision_that_was_taken_away_leaves_a_gap(who: str) -> None:
    world, said = edited("ana")
    said["history"][0] |= {"text": None, "deleted_at": world.tick(), "deleted_by": PEOPLE[who]}
    assert distrusted(world)


@pytest.mark.parametrize("change", [
    {"history": []},
    {"history": [], "history_complete": False},
    {"history": [], "editor": PEOPLE["mona"]},
    {"history_complete": False},
])  # fmt: skip
def test_versions__an_edit_without_its_history_is_not_trusted(change: JSON) -> None:
    world, said = edited("ana")
    said |= change
    assert distrusted(world)


@pytest.mark.parametrize(
    "change", [{"editor": PEOPLE["mona"]}, {"edited_at": "2026-03-02T23:00:00Z"}], ids=["who", "when"]
)
def test_versions__a_history_that_does_not_end_in_the_last_edit_is_not_trusted(change: JSON) -> None:
    world, said = edited("ana")
    said["history"] = said["history"][:1]
    said |= change
    assert distrusted(world)


def test_versions__a_history_of_edits_counts_even_without_the_time_of_the_last() -> None:
    world, said = edited("mona")
    said |= {"edited_at": None, "editor": None}
    assert distrusted(world)


def test_versions__what_stands_there_now_is_the_comments_own_text() -> None:
    world, said = edited("ana")
    said["history"][-1]["text"] = None
    assert versions(world)[-1].body == "text 2"


def test_versions__of_reviews_and_of_the_repositorys_own_issues() -> None:
    world = World()
    world.say("ana", "on the pull request")
    world.review("ana", "a review")
    world.say("ana", "on the issue", on=12)
    world.issue(3, repository="eve/elsewhere")
    world.say("ana", "elsewhere", on=3)
    found = [version.source for each in written_texts(taken(world)) for version in each.versions()]
    assert [(source.place.value, source.issue) for source in found] == [
        ("pull_request", None),
        ("pull_request", None),
        ("issue", 12),
    ]
    assert found[1].commit is not None
    assert len({source.id for source in found}) == 3
