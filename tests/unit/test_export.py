"""The export of the case book: a row says what a person reads, and a comparison names what changed."""

from __future__ import annotations

import json
from pathlib import Path

from tests.casebook.decided import report_of
from tests.casebook.every import STORIES
from tests.casebook.export import compare, main, row


def test_row__tells_states_reasons_and_first_lines() -> None:
    told = row(report_of(STORIES["judge-failed"]))
    assert (told["state"], told["phases"]["build"]) == ("failure", "failure")
    assert told["reasons"]["build"] == ["inspector missing", "judge failed"]
    assert told["status"]
    assert told["headline"]
    assert told["next"]


def test_compare__names_the_story_and_what_changed() -> None:
    old = {"story/a": {"state": "success", "next": "x"}, "story/b": {"state": "success", "next": "x"}, "story/c": {}}
    new = {"story/a": {"state": "failure", "next": "x"}, "story/b": {"state": "success", "next": "y"}, "story/d": {}}
    assert list(compare(old, new, states=True)) == [
        'story/a\n  state: "success"\n       > "failure"',
        "story/c\n  is gone",
        "story/d\n  is new",
    ]
    names = [text.partition("\n")[0] for text in compare(old, new, states=False)]
    assert names == ["story/a", "story/b", "story/c", "story/d"]


def test_export__fails_where_something_changed(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text(json.dumps({"name": "story/a", "state": "success"}) + "\n", encoding="utf-8")
    new.write_text(json.dumps({"name": "story/a", "state": "pending"}) + "\n", encoding="utf-8")
    assert main(["--compare", str(old), str(old)]) == 0
    assert main(["--compare", str(old), str(new)]) == 1
