"""Our own YAML files are read quickly, and say the same to the strict reader, whichever parser PyYAML has."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from phasegate.reading.document import Document
from phasegate.reading.yaml import POLICY_LIMITS, read_own_yaml, read_yaml

SCRIPTS = Path(__file__).resolve().parents[4] / "scripts" / "phasegate"
FILES = sorted(SCRIPTS.rglob("*.yml"))


def test_files__are_found() -> None:
    assert {"jkz.yml", "formats.yml", "codex.yml"} <= {file.name for file in FILES}


@pytest.mark.parametrize("parser", ["libyaml", "pure"])
@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_read_own_yaml__says_what_the_strict_reader_says(
    file: Path, parser: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if parser == "pure":
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    elif not hasattr(yaml, "CSafeLoader"):
        pytest.skip("this PyYAML has no compiled parser")
    text = file.read_text(encoding="utf-8")
    strict = read_yaml(text, limits=POLICY_LIMITS)
    assert isinstance(strict, Document), strict
    assert read_own_yaml(text) == strict.value
