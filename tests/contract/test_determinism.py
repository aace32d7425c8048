"""The same snapshot gives the same report, byte for byte, in another process and on another interpreter."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from phasegate.report.data import report_text
from tests.casebook.attacks.every import ATTACKS
from tests.casebook.decided import report_of
from tests.casebook.every import STORIES

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


def test_reports__are_those_of_this_process() -> None:
    told = {f"story/{name}": story for name, story in STORIES.items()}
    told |= {f"attack/{name}": story for name, story in ATTACKS.items()}
    here = {name: hashlib.sha256(report_text(report_of(story)).encode()).hexdigest() for name, story in told.items()}
    assert dict(line.split()[:2] for line in replayed(sys.executable, "1").splitlines()) == here


@pytest.mark.parametrize("version", OTHERS or [pytest.param("none", marks=pytest.mark.skip("no other interpreter"))])
def test_reports__are_the_same_on_another_interpreter(version: str) -> None:
    assert replayed(OTHERS[version], "3") == replayed(sys.executable, "1")
