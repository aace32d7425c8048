"""Chance in tests: the same in every run, something else for every seed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import hypothesis
import pytest

from tests.chance import SEARCH, USUAL, examples, seeds

ROOT = Path(__file__).resolve().parents[2]
DRAWS = """
import pytest
from hypothesis import given, strategies as st

@given(st.lists(st.text() | st.integers(), max_size=3))
def test_drawn(value):
    print(ascii(value))

@pytest.mark.seeds(2)
def test_seed(seed):
    print("seed", seed)
"""


def drawn(folder: Path, hash_seed: int, *options: str) -> str:
    """What a property and a test with seeds draw in a process of its own, in a folder that has nothing but them."""
    (folder / "test_draws.py").write_text(DRAWS, encoding="utf-8")
    command = [sys.executable, "-S", "-m", "pytest", "-q", "-s", "-p", "no:xdist", "-p", "no:cacheprovider"]
    where = ["-p", "tests.conftest", "--rootdir", str(folder), str(folder)]
    environ = {"PYTHONPATH": ":".join([str(ROOT), *sys.path]), "PYTHONHASHSEED": str(hash_seed)}
    done = subprocess.run(
        [*command, *where, *options], cwd=folder, env=environ, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert {path.name for path in folder.iterdir()} <= {"test_draws.py", "__pycache__"}, "a database is left behind"
    return "\n".join(line for line in done.stdout.splitlines() if line.startswith(("[", "seed")))


def test_draws__are_the_same_in_every_run_and_others_for_every_seed(tmp_path: Path) -> None:
    usual = drawn(tmp_path, 1)
    assert len(usual.splitlines()) >= USUAL
    assert drawn(tmp_path, 2) == usual
    first = drawn(tmp_path, 1, "--search", "7", "--hypothesis-seed", "7")
    assert len(first.splitlines()) >= USUAL * SEARCH
    assert drawn(tmp_path, 2, "--search", "7", "--hypothesis-seed", "7") == first
    assert drawn(tmp_path, 1, "--search", "8", "--hypothesis-seed", "8") != first


def test_seeds__are_fresh_in_a_search() -> None:
    assert list(seeds(3, None)) == [0, 1, 2]
    assert list(seeds(3, 5)) == [15, 16, 17]


def test_profile__holds_for_this_run(request: pytest.FixtureRequest) -> None:
    searching = request.config.getoption("--search") is not None
    now = hypothesis.settings()
    assert (now.derandomize, now.database, now.deadline) == (not searching, None, None)
    assert examples(7).max_examples == 7 * (SEARCH if searching else 1)
