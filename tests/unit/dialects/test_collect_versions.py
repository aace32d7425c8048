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
    assert (found[-1].source.tampered_by, found[-1].source.history_complete) == (None, True)


NAMELESS = {"login": "ana", "id": None, "type": "User"}
OTHER = {"login": "ana", "id": 4711, "type": "User"}
AT = "2026-03-02T23:00:00Z"

# who edited it, what is told otherwise of the comment, of its first version and of its last
DISTRUSTED: dict[str, tuple[tuple[str, ...], JSON, JSON, JSON]] = {
    "by another": (("mona",), {}, {}, {}),
    "and again by another": (("ana", "mona"), {}, {}, {}),
    "and again by the author": (("mona", "ana"), {}, {}, {}),
    "by the author of the pull request": (("octo-dev",), {}, {}, {}),
    "by a bot": (("helper[bot]",), {}, {}, {}),
    "by an editor who is gone": (("ana",), {}, {}, {"editor": None}),
    "by the same login and another id": (("ana",), {}, {}, {"editor": OTHER}),
    "accounts without ids are not the same": (("ana",), {"author": NAMELESS}, {}, {"editor": NAMELESS}),
    "a revision that its author took away":
     (("ana",), {}, {"text": None, "deleted_at": AT, "deleted_by": PEOPLE["ana"]}, {}),
    "a revision that another took away":
     (("ana",), {}, {"text": None, "deleted_at": AT, "deleted_by": PEOPLE["mona"]}, {}),
    "without a history": (("ana",), {"history": []}, {}, {}),
    "with none that is whole": (("ana",), {"history": [], "history_complete": False}, {}, {}),
    "by another without a history": (("ana",), {"history": [], "editor": PEOPLE["mona"]}, {}, {}),
    "not the whole history": (("ana",), {"history_complete": False}, {}, {}),
    "without the time of the last edit": (("mona",), {"edited_at": None, "editor": None}, {}, {}),
}  # fmt: skip


@pytest.mark.parametrize(("editors", "told", "first", "last"), DISTRUSTED.values(), ids=DISTRUSTED)
def test_versions__are_not_trusted(editors: tuple[str, ...], told: JSON, first: JSON, last: JSON) -> None:
    world, said = edited(*editors)
    said["history"][0] |= first
    said["history"][-1] |= last
    said |= told
    source = versions(world)[-1].source
    assert source.tampered_by is not None or not source.history_complete
    assert set(editors) == {"ana"} or source.tampered_by in {"mona", "octo-dev", "helper[bot]"}


@pytest.mark.parametrize("change", [{"editor": PEOPLE["mona"]}, {"edited_at": AT}], ids=["who", "when"])
def test_versions__a_history_that_does_not_end_in_the_last_edit_is_not_trusted(change: JSON) -> None:
    world, said = edited("ana")
    said |= {"history": said["history"][:1], **change}
    source = versions(world)[-1].source
    assert source.tampered_by is not None or not source.history_complete


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
