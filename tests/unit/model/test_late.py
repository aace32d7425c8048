"""Patterns that are compiled late: they do what compiled ones do, and none of those in the source is wrong."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from phasegate.model import frozen as late

SCRIPTS = Path(late.__file__).resolve().parents[2]
TAKES = re.compile(r"^from phasegate\.model\.frozen import .*\blate\b", re.MULTILINE)
USERS = sorted(path for path in SCRIPTS.rglob("*.py") if TAKES.search(path.read_text("utf-8")))


def test_late__does_what_a_compiled_pattern_does() -> None:
    made, real = late.late(r"(?P<word>[a-z]+)", re.IGNORECASE), re.compile(r"(?P<word>[a-z]+)", re.IGNORECASE)
    for _ in range(2):
        assert made.findall("Ab 1 cd") == real.findall("Ab 1 cd")
        assert made.sub("-", "Ab 1") == real.sub("-", "Ab 1")
        found = made.search("1 Ab")
        assert found
        assert found["word"] == "Ab"
    assert (made.pattern, made.flags, made.groupindex) == (real.pattern, real.flags, real.groupindex)


@pytest.mark.parametrize("path", USERS, ids=lambda path: path.stem)
def test_late__every_pattern_of_the_source_can_be_compiled(path: Path) -> None:
    module = importlib.import_module(".".join(path.relative_to(SCRIPTS).with_suffix("").parts))
    found = [value for value in vars(module).values() if isinstance(value, late._Late)]
    assert found
    for pattern in found:
        re.compile(*pattern._told)
