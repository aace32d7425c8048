"""GraphQL: what was said before an edit."""

from __future__ import annotations

from tests.casebook.world import PEOPLE, World
from tests.fakehub.answer import JSON
from tests.fakehub.client import Client, serving


def comments(client: Client, fields: str) -> list[JSON]:
    found: list[JSON] = client.pull(f"comments(first: 100) {{ nodes {{ {fields} }} }}")["comments"]["nodes"]
    return found


EDITS = (
    "userContentEdits(first: 10) { totalCount nodes { editedAt diff deletedAt editor { login } deletedBy { login } } }"
)


def test_edits__hold_whole_texts_the_newest_first() -> None:
    world = World()
    said = world.say("ana", "First")
    world.edit(said, "Second", "ben")
    world.edit(said, "Third", "ana")
    said["history"][1] |= {"deleted_at": world.tick(), "deleted_by": PEOPLE["mona"]}
    world.say("ana", "Never edited")
    with serving(world.snapshot()) as client:
        edited, untouched = comments(client, f"body lastEditedAt editor {{ login }} includesCreatedEdit {EDITS}")
        assert (edited["body"], edited["editor"]["login"], edited["includesCreatedEdit"]) == ("Third", "ana", True)
        edits = edited["userContentEdits"]
        assert edits["totalCount"] == 3
        assert [edit["diff"] for edit in edits["nodes"]] == ["Third", None, "First"]
        assert [edit["editor"]["login"] for edit in edits["nodes"]] == ["ana", "ben", "ana"]
        assert edits["nodes"][1]["deletedBy"]["login"] == "mona"
        assert edits["nodes"][0]["editedAt"] == edited["lastEditedAt"]
        assert (untouched["lastEditedAt"], untouched["editor"], untouched["includesCreatedEdit"]) == (None, None, False)
        assert untouched["userContentEdits"] == {"totalCount": 0, "nodes": []}


def test_edits__are_kept_a_hundred_at_most_with_the_first() -> None:
    world = World()
    said = world.say("ana", "0")
    for number in range(1, 121):
        world.edit(said, str(number), "ana")
    with serving(world.snapshot()) as client:
        found = comments(client, "userContentEdits(first: 100) { totalCount nodes { diff } }")[0]["userContentEdits"]
        assert found["totalCount"] == 100
        assert [edit["diff"] for edit in found["nodes"]] == [*(str(number) for number in range(120, 21, -1)), "0"]
