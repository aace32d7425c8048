"""Runs every check of the project: ``python3 tests``. Some of them: ``python3 tests ruff mypy``, ``… pytest -k trust``.

``python3 tests explore`` searches at random, which no check does; ``python3 tests export FILE`` writes all decisions,
``python3 tests pages`` the pages of the docs that are made.

Complete on a fresh machine: it installs the locked tools and packages itself, once, outside the working tree.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from itertools import takewhile
from pathlib import Path

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
SCRIPTS = ROOT / "scripts"
OLDEST_PYTHON = (3, 10)
ASKED_FOR = ("explore", "export", "pages")  # steps that are no checks, and run only if named


def commands(tools: Path) -> dict[str, list[list[str]]]:
    """The steps by name, in the order they run, each with its command lines."""
    # -S: what else is installed on this machine takes no part
    python = [sys.executable, "-S", "-m"]
    schema = [*python, "check_jsonschema", "--builtin-schema"]
    workflows = [str(path) for path in sorted(ROOT.glob(".github/workflows/*.yml"))]
    actions = [str(path) for path in ROOT.glob("action.yml")]
    return {
        "ruff": [[*python, "ruff", "check"]],
        "format": [[*python, "ruff", "format", "--check"]],
        "mypy": [[*python, "mypy"]],
        "zizmor": [[executable("zizmor", tools), "--offline", "--persona=pedantic", "--no-progress", str(ROOT)]],
        "schemas": [
            [*schema, "vendor.github-workflows", *workflows],
            [*schema, "vendor.dependabot", str(ROOT / ".github" / "dependabot.yml")],
            *([*schema, "vendor.github-actions", action] for action in actions),
        ],
        "pytest": [[*python, "pytest", "-n", "2", "--dist", "worksteal"]],
        "explore": [[*python, "tests.explore"]],
        "export": [[*python, "tests.casebook.export"]],
        "pages": [[*python, "tests.pages"]],
    }


def executable(name: str, tools: Path) -> str:
    """Where pip put a program that belongs to no module."""
    return shutil.which(name, path=os.pathsep.join([str(tools / "bin"), str(tools / "Scripts")])) or name


def run(name: str, lines: list[list[str]], environ: dict[str, str]) -> tuple[str, bool, float]:
    """Run one step to its end: its name, whether it passed, and its seconds."""
    print(f"\n== {name}", flush=True)
    began = time.monotonic()
    codes = [subprocess.run(line, cwd=ROOT, env=environ, check=False).returncode for line in lines]
    return name, not any(codes), time.monotonic() - began


def main(arguments: list[str], environ: dict[str, str]) -> int:
    """Install what is missing, run the steps asked for, and say how each went."""
    sys.path.insert(0, str(SCRIPTS))
    import bootstrap

    try:
        packages = [bootstrap.ensure(str(lock / "requirements.txt"), environ) for lock in (TESTS, SCRIPTS)]
    except bootstrap.BootstrapError as failure:
        print(failure, file=sys.stderr)
        return 2
    steps = commands(Path(packages[0]))
    named = list(takewhile(steps.__contains__, arguments))
    further = arguments[len(named) :]
    if further and len(named) != 1:
        print(f"{' '.join(further)}: name one step to pass this on to ({', '.join(steps)})", file=sys.stderr)
        return 2
    ours = [str(SCRIPTS)] if set(named).intersection(ASKED_FOR) else []  # others find it by themselves
    environ = {**environ, "PYTHONPATH": os.pathsep.join([*packages, *ours])}
    named = named or [name for name in steps if name not in ASKED_FOR]
    results = [run(name, [[*line, *further] for line in steps[name]], environ) for name in named]
    print("\n== summary")
    for name, passed, seconds in results:
        print(f"{'passed' if passed else 'FAILED'}  {name:<8} {seconds:6.1f} s")
    return 0 if all(passed for _, passed, _ in results) else 1


if __name__ == "__main__":
    if sys.version_info < OLDEST_PYTHON:
        sys.exit("Phase Gate needs Python 3.10 or newer")
    sys.exit(main(sys.argv[1:], dict(os.environ)))
