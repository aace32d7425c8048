"""The schema of the report: reports of every shape keep to it, and it knows every reason that the code has."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from phasegate.model.report import Disposition, NeedKind, NoteKind, Party, Remedy, State, Why
from phasegate.reading.schema.registry import schema_text
from phasegate.report.data import report_data
from tests.casebook.attacks.every import ATTACKS
from tests.casebook.decided import report_of
from tests.casebook.every import FULL, STORIES
from tests.casebook.story import Story

SCHEMA = json.loads(schema_text("report"))
NEXT = json.loads(schema_text("next"))
BESIDE: Registry[Any] = Registry().with_resource(NEXT["$id"], Resource.from_contents(NEXT))
VALIDATOR = Draft202012Validator(SCHEMA, registry=BESIDE)
TOLD = [*STORIES.values(), *ATTACKS.values()]
SHAPES = {(story.state, frozenset(story.codes)): story for story in reversed(TOLD)}  # a report for each of its kind
EVERY = {story.name: story for story in (*(STORIES[name] for name in FULL), *SHAPES.values())}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("story", EVERY.values(), ids=EVERY)
def test_report__keeps_to_its_schema(story: Story) -> None:
    data = json.loads(json.dumps(report_data(report_of(story))))
    assert [error.message for error in VALIDATOR.iter_errors(data)] == []


@pytest.mark.parametrize(("place", "values"), [
    (("need", "why"), Why), (("need", "kind"), NeedKind), (("note", "kind"), NoteKind),
    (("signal", "disposition"), Disposition),
    (("phase", "state"), State),
])  # fmt: skip
def test_schema__lists_every_value(place: tuple[str, str], values: type[Why]) -> None:
    definition, key = place
    assert SCHEMA["$defs"][definition]["properties"][key]["enum"] == [value.value for value in values]


@pytest.mark.parametrize(("key", "values"), [("do", Remedy), ("actor", Party)])
def test_schema_of_next__lists_every_value(key: str, values: type[Remedy]) -> None:
    assert NEXT["$defs"]["task"]["properties"][key]["enum"] == [value.value for value in values]
