"""Frozen values to data and back."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from phasegate.model.codec import compact, from_data, to_data
from phasegate.model.problem import Severity, Where
from phasegate.model.snapshot import Snapshot
from phasegate.model.texts import Actor, Comment, Edit
from tests.casebook.every import STORIES


@dataclass(frozen=True, kw_only=True)
class Box:
    """A value with a bit of everything."""

    name: str
    severity: Severity = Severity.NOTICE
    inner: Where | None = None
    many: tuple[Where, ...] = ()
    count: int | None = None


def test_to_data__writes_every_member() -> None:
    assert to_data(Box(name="a", many=(Where(path="b"),))) == {
        "name": "a",
        "severity": "notice",
        "inner": None,
        "many": [{"url": None, "path": "b", "line": None, "column": None, "json_path": None}],
        "count": None,
    }


def test_to_data__plain_data_stays_plain() -> None:
    assert to_data({"a": (1, Severity.ERROR), 2: None}) == {"a": [1, "error"], "2": None}


def test_compact__leaves_out_what_holds_its_default() -> None:
    assert compact(Box(name="a", severity=Severity.NOTICE, many=(Where(path="b"),), count=0)) == {
        "name": "a",
        "many": [{"path": "b"}],
        "count": 0,
    }


def test_compact__keeps_none_where_a_member_has_no_default() -> None:
    comment = Comment(id=1, url="u", author=None, created_at="t", text="")
    assert compact(comment) == {"id": 1, "url": "u", "author": None, "created_at": "t", "text": ""}


def test_from_data__makes_nested_values_enums_and_tuples() -> None:
    data = {"name": "a", "severity": "error", "inner": {"path": "b"}, "many": [{"line": 1}], "count": None}
    made = from_data(Box, data)
    assert made == Box(name="a", severity=Severity.ERROR, inner=Where(path="b"), many=(Where(line=1),))
    assert isinstance(made.many, tuple)
    assert from_data(Actor, {"login": "ana", "type": "User"}) == Actor(login="ana", type="User", id=None)
    assert from_data(Edit, {"at": "t", "editor": None, "text": None}) == Edit(at="t")
    told = {"at": "t", "editor": {"login": "ana", "id": None, "type": "User"}}
    assert from_data(Edit, told).editor == Actor(login="ana", type="User")


@pytest.mark.parametrize("name", ["feature-green", "two-issues", "edited-by-another", "review-carries-verdict"])
def test_codec__a_snapshot_survives_the_way_there_and_back(name: str) -> None:
    snapshot = from_data(Snapshot, json.loads(STORIES[name].snapshot_text()))
    for told in (to_data(snapshot), compact(snapshot), json.loads(json.dumps(compact(snapshot)))):
        assert from_data(Snapshot, told) == snapshot
