"""docs/stability.md: no key, value or code of the last release is gone or means something else."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from phasegate.catalogue import read_codes
from phasegate.reading.schema.registry import schema_names, schema_text

ROOT = Path(__file__).resolve().parents[2]
GIVEN = ("policy", "format")  # what people write; every other schema is of an answer or a document of others
PROMISED = ("policy", "format", "report", "next", "lint", "failure", "snapshot", "audit")
MILDER = ("error", "warning", "notice")
Node = Mapping[str, Any]


def broken(old: Node, new: Node, *, given: bool, path: str = "$") -> Iterator[str]:
    """What a schema no longer promises."""
    before, now = old.get("properties", {}), new.get("properties", {})
    yield from (f"{path}.{key} is gone" for key in before if key not in now)
    asked, told = set(new.get("required", ())), set(old.get("required", ()))
    yield from (f"{path}.{key} is required now" for key in sorted(asked - told) if given)
    yield from (f"{path}.{key} may be missing now" for key in sorted(told - asked) if not given and key in now)
    if old.get("type") != new.get("type") and "type" in old:
        yield f"{path} was {old['type']} and is {new.get('type')}"
    values = [value for value in old.get("enum", ()) if value not in new.get("enum", [value])]
    yield from (f"{path} no longer takes {json.dumps(value)}" for value in values)
    for key in before.keys() & now.keys():
        yield from broken(before[key], now[key], given=given, path=f"{path}.{key}")
    for name, part in old.get("$defs", {}).items():
        yield from broken(part, new.get("$defs", {}).get(name, {}), given=given, path=f"{path}#{name}")
    for key in ("items", "additionalProperties"):
        if isinstance(old.get(key), Mapping) and isinstance(new.get(key), Mapping):
            yield from broken(old[key], new[key], given=given, path=f"{path}[]")


def git(*words: str) -> str:
    """What git says here; empty where it cannot be asked."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, encoding="utf-8", check=False)  # noqa: S607
    return done.stdout if done.returncode == 0 else ""


@pytest.fixture(scope="module")
def release() -> str:
    """The tag of the last release."""
    tags = git("tag", "--list", "v[0-9]*", "--sort=-v:refname").split()
    if not tags:
        pytest.skip("nothing is released yet, or the tags were not fetched")
    return tags[0]


@pytest.mark.parametrize("name", [name for name in schema_names() if name in PROMISED])
def test_schema__keeps_what_the_last_release_promised(release: str, name: str) -> None:
    text = git("show", f"{release}:schemas/{name}.schema.json")
    if text:
        assert list(broken(json.loads(text), json.loads(schema_text(name)), given=name in GIVEN)) == []


def test_codes__of_the_last_release_are_there_and_no_harsher(release: str) -> None:
    paths = [path for path in git("ls-tree", "-r", "--name-only", release, "scripts").split() if "codes.y" in path]
    old = {code: each for path in paths for code, each in read_codes(git("show", f"{release}:{path}")).items()}
    files = (ROOT / "scripts" / "phasegate").rglob("codes.y*ml")
    new = {code: each for path in files for code, each in read_codes(path.read_text(encoding="utf-8")).items()}
    assert old.keys() <= new.keys()
    harsher = [
        code for code in old if MILDER.index(str(new[code]["severity"])) < MILDER.index(str(old[code]["severity"]))
    ]
    assert harsher == []


OLD = {"type": "object", "required": ["a"], "properties": {"a": {"enum": ["x", "y"]}, "b": {"type": "string"}}}


@pytest.mark.parametrize(("change", "given", "told"), [
    ({"properties": {**OLD["properties"], "c": {}}}, True, []),  # type: ignore[dict-item]
    ({"required": ["a", "b"]}, False, []),
    ({"required": ["a", "b"]}, True, ["$.b is required now"]),
    ({"required": []}, False, ["$.a may be missing now"]),
    ({"properties": {"a": {"enum": ["x", "y", "z"]}}}, True, ["$.b is gone"]),
    ({"properties": {"a": {"enum": ["x"]}, "b": {"type": "string"}}}, True, ['$.a no longer takes "y"']),
    ({"properties": {"a": {}, "b": {"type": "integer"}}}, False, ["$.b was string and is integer"]),
])  # fmt: skip
def test_broken__names_what_is_no_longer_promised(change: Node, given: bool, told: list[str]) -> None:  # noqa: FBT001
    assert list(broken(OLD, {**OLD, **change}, given=given)) == told
