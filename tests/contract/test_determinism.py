"""The same snapshot gives the same report, byte for byte, in another process and on another interpreter."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from phasegate.report.data import report_text
from phasegate.report.summary.page import summary
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


@pytest.fixture
def step(request: pytest.FixtureRequest) -> int:
    """Each process decides one story in so many; a search decides more, and CI runs the whole suite on every Python."""
    return 40 if request.config.getoption("--search") is None else 10


def replayed(python: str, seed: str, first: int, step: int) -> list[str]:
    """What the program prints on this interpreter; skips the test where it has no packages."""
    environ = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(
        [python, "-S", str(PROGRAM), str(first), str(step)],
        env={**environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode == NO_PACKAGES:
        pytest.skip(f"{python} has no packages: {done.stdout.splitlines()[0]}")
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def decided_here(first: int, step: int) -> list[str]:
    """The same lines, from this process."""
    told = sorted([*STORIES.items(), *ATTACKS.items()], key=lambda each: (each[0], type(each[1]).__name__))
    reports = [(name, report_of(story)) for name, story in told[first::step]]
    assert reports
    return [f"{name} {digest(report_text(report))} {digest(summary(report))}" for name, report in reports]


def digest(text: str) -> str:
    """The digest of a text, as the program prints it."""
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", ["1", "2"])
def test_reports__are_the_same_whatever_the_hash_seed(seed: str, step: int) -> None:
    assert replayed(sys.executable, seed, int(seed), step) == decided_here(int(seed), step)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("version", OTHERS or [pytest.param("none", marks=pytest.mark.skip("no other interpreter"))])
def test_reports__are_the_same_on_another_interpreter(version: str, step: int) -> None:
    first = 3 + list(OTHERS).index(version)
    assert replayed(OTHERS[version], "3", first, step) == decided_here(first, step)
