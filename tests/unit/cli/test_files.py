"""Reading and writing what a user names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from phasegate.cli import files
from phasegate.cli.files import parse_snapshot, read_policy, read_text, write_text
from phasegate.cli.terminal import UsageError
from phasegate.model.snapshot import Snapshot
from tests.casebook.world import World
from tests.unit.cli.shell import written


def test_read_text__is_the_bytes_as_utf8_with_their_line_ends(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_bytes("ä\r\nb\u2028\n".encode())
    assert read_text(file, "PATH") == "ä\r\nb\u2028\n"
    file.write_bytes(b"abc\xff")
    with pytest.raises(UsageError, match="not UTF-8 at byte 3"):
        read_text(file, "PATH")


@pytest.mark.parametrize("name", ["nowhere.md", "", "a\x00b", "x" * 5000])
def test_read_text__what_cannot_be_read_names_the_input(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"^PATH"):
        read_text(tmp_path / name, "PATH")


def test_read_text__a_huge_file_is_not_even_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.md"
    with file.open("wb") as opened:
        opened.truncate(files.MAX_BYTES + 1)
    monkeypatch.setattr(Path, "read_bytes", lambda _: pytest.fail("it was read"))
    with pytest.raises(UsageError, match="larger than"):
        read_text(file, "PATH")


@pytest.mark.parametrize("name", ["", "missing/a.json", "a\x00b"])
def test_write_text__a_place_that_cannot_be_written_names_the_input(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"^--report"):
        write_text(tmp_path / name, "x", "--report")


def test_parse_snapshot__says_everything_that_is_wrong_with_its_line() -> None:
    data = World().snapshot()
    data["people"][0]["permission"] = "root"
    data["pull_request"].pop("number")
    found = parse_snapshot(json.dumps(data, indent=1), "s.json")
    assert not isinstance(found, Snapshot)
    assert {item.code for item in found} == {"PG020", "PG022"}
    assert all(str(item.where).startswith("s.json:") for item in found)


@pytest.mark.parametrize(("key", "value"), [
    ("taken_at", "2026-03-02T10:00:00+00:00"),
    ("taken_at", "yesterday"),
    ("snapshot", 2),
    ("people", None),
    ("comments", {}),
    ("ref_log", {"source": "x", "moves": [{"at": "2026-03-02T10:00:00Z", "after": "HEAD"}]}),
    ("ref_log", {"source": "x", "moves": [{"at": "2026-03-02T10:00:00Z\n", "after": "0" * 40}]}),
])  # fmt: skip
def test_parse_snapshot__what_the_rules_rely_on_is_checked(key: str, value: object) -> None:
    assert not isinstance(parse_snapshot(json.dumps({**World().snapshot(), key: value}), "s.json"), Snapshot)


def test_read_policy__no_path_is_the_default_and_an_empty_file_is_not(tmp_path: Path) -> None:
    assert read_policy(None).source == "built-in profile jkz"
    file = written(tmp_path / "policy.yml", "version: 1\n")
    assert read_policy(file).source == str(file)
    with pytest.raises(UsageError, match="--policy"):
        read_policy(written(file))
