"""The same snapshot gives the same report, byte for byte, in another process and on another interpreter."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.casebook.attacks.attack import Attack
from tests.casebook.chapters import chapters, path_of, sections_of

HERE = Path(__file__).resolve().parent
PROGRAM = HERE / "replay_all.py"
NO_PACKAGES = 77
SUPPORTED = range(10, 15)


def interpreters() -> dict[str, str]:
    """The other Pythons of this machine that Phase Gate runs on, by version."""
    found: dict[str, str] = {}
    for path in sorted(Path.home().glob(".pyenv/versions/*/bin/python3")):
        version = re.match(r"3\.([0-9]+)\.", path.parts[-3])
        if version and int(version[1]) in SUPPORTED:
            found.setdefault(f"3.{version[1]}", str(path))
    for minor in SUPPORTED:
        path_of = shutil.which(f"python3.{minor}")
        if path_of and "shims" not in path_of:
            found.setdefault(f"3.{minor}", path_of)
    return {version: path for version, path in found.items() if version != f"3.{sys.version_info.minor}"}


OTHERS = interpreters()


@cache
def replayed(python: str, seed: str) -> str:
    """What the program prints on this interpreter; skips the test where it has no packages."""
    environ = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(
        [python, "-S", str(PROGRAM)],
        env={**environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode == NO_PACKAGES:
        pytest.skip(f"{python} has no packages: {done.stdout.splitlines()[0]}")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_reports__are_the_same_whatever_the_hash_seed() -> None:
    assert replayed(sys.executable, "1") == replayed(sys.executable, "2")


def test_reports__are_the_ones_written_down() -> None:
    left = {
        f"{'attack' if isinstance(story, Attack) else 'story'}/{story.name}": text.rpartition("sha256:")[2].strip()
        for chapter, stories in chapters().items()
        for story, (_, text) in zip(stories, sections_of(path_of(chapter).read_text(encoding="utf-8")), strict=True)
    }
    now = dict(line.split()[:2] for line in replayed(sys.executable, "1").splitlines())
    assert now == left


@pytest.mark.parametrize("version", OTHERS or [pytest.param("none", marks=pytest.mark.skip("no other interpreter"))])
def test_reports__are_the_same_on_another_interpreter(version: str) -> None:
    assert replayed(OTHERS[version], "3") == replayed(sys.executable, "1")
