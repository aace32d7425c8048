"""The bench that all runs of a worker share."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from tests.act.bench import PhaseView, find_act, set_up


@pytest.fixture(scope="session")
def act() -> str:
    """The program act; where it cannot run, the reason why the tests are skipped."""
    if sys.platform != "linux":
        pytest.skip("act runs steps without Docker on Linux; selftest.yml runs the action on macOS and Windows")
    for program in ("bash", "git"):
        if shutil.which(program) is None:
            pytest.skip(f"act needs {program}, which is not installed")
    act = find_act()
    try:
        subprocess.run([act, "--version"], stdout=subprocess.DEVNULL, check=True)
    except (OSError, subprocess.CalledProcessError) as failure:
        pytest.skip(f"act cannot run on this machine: {failure}")
    return act


@pytest.fixture(scope="session")
def bench(act: str, tmp_path_factory: pytest.TempPathFactory) -> PhaseView:
    """A repository with the action in it."""
    return set_up(act, tmp_path_factory.mktemp("act"))
