"""How long a start takes, and what it loads: ``python3 tests/benchmarks/start.py``.

Whole programs in turns: main with its packages installed and compiled (warm) beside a release that was never started
(cold: no cache, no bytecode that Python wrote), and ``lint`` of one comment beside importing the libraries that read
and check it. Processor time tells what is loaded, the clock what is waited for. Prints tables of docs/performance.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
COMMENT = ROOT / "tests" / "examples" / "jkz" / "valid" / "judge-passes.md"
LATENCY = 0.05
COLD, LINT = 1.1, 1.3
LOOKS, SHOWN = 7, 1000
LOADED = re.compile(r"import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)")


@dataclass(frozen=True)
class Program:
    """What is measured: a command, what is done before each run, and what it is compared with."""

    name: str
    command: list[str]
    beside: str = ""
    most: float = 0.0
    before: Callable[[], object] = lambda: None


def prepare() -> str:
    """Make the packages of the tests importable; where those of the programs under test are."""
    sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]
    import bootstrap  # noqa: PLC0415 - can be found only now

    locks = (str(ROOT / name / "requirements.txt") for name in ("tests", "scripts"))
    tests, scripts = (bootstrap.ensure(lock, os.environ) for lock in locks)
    sys.path[:0] = [tests, scripts]
    return scripts


def make_release(place: Path) -> Path:
    """A release for this Python."""
    from tests.integration.releases import make_source, release  # noqa: PLC0415 - can be found only now

    done = release(make_source(place / "source"), place / "release")
    assert done.returncode == 0, done.stderr
    return place / "release"


def entry(tree: Path) -> list[str]:
    """How action.yml starts a tree."""
    return [sys.executable, "-I", "-S", str(tree / "scripts" / "__main__.py")]


def programs(packages: str, tree: Path, comment: Path) -> list[Program]:
    """The programs in the order of the table."""
    libraries = f"import sys; sys.path.insert(0, {packages!r}); import json, yaml, jsonschema"
    lint, live = ["lint", str(comment)], ["check", "--repo", "octo/shop", "--pr", "7"]
    places = [str(tree / "scripts"), str(tree / "scripts" / "packages")]
    plain = (
        f"import os, sys; sys.path[:0] = {places!r}; from phasegate.cli.main import main; main({lint!r}, os.environ)"
    )
    isolated = [sys.executable, "-I", "-S"]
    importing, linting = "importing the parser and the validator", "`lint` of one comment, main, warm"
    deciding = "live run that decides, main, warm"

    def clean() -> None:
        for folder in list(tree.rglob("__pycache__")):
            shutil.rmtree(folder)

    return [
        Program(importing, [*isolated, "-c", libraries]),
        Program(linting, [*entry(ROOT), *lint], importing, LINT),
        Program("`lint`, release, cold", [*entry(tree), *lint], linting, COLD, clean),
        Program("`lint`, the same sources with nothing compiled", [*isolated, "-B", "-c", plain], linting, 0, clean),
        Program(deciding, [*entry(ROOT), *live]),
        Program("live run, release, cold", [*entry(tree), *live], deciding, COLD, clean),
    ]


def run(program: Program, environ: dict[str, str]) -> tuple[float, float]:
    """Seconds on the clock and of the processor."""
    program.before()
    began = time.perf_counter()
    process = subprocess.Popen(program.command, env=environ, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - began
    assert process.returncode in (0, 1), program.name
    return seconds, used.ru_utime + used.ru_stime


def table(chosen: list[Program], found: dict[str, list[tuple[float, float]]]) -> tuple[str, bool]:
    """The figures in Markdown, and whether all are as they should be. Ratios are those of processor time."""
    lines = ["| program | on the clock | processor time | ratio | beside | at most |", "|---|---|---|---|---|---|"]
    median = {name: [statistics.median(part) for part in zip(*runs, strict=True)] for name, runs in found.items()}
    fine = True
    for program in chosen:
        clock, used = median[program.name]
        told = "| | |"
        if program.beside:
            ratio = used / median[program.beside][1]
            fine = fine and (not program.most or ratio <= program.most)
            told = f"{ratio:.2f} | {program.beside.split(',')[0]} | {program.most or ''} |"
        lines.append(f"| {program.name} | {clock * 1000:.0f} ms | {used * 1000:.0f} ms | {told}")
    return "\n".join(lines), fine


def loaded(program: Program, environ: dict[str, str], packages: Path) -> str:
    """What a run loads, by package, in Markdown: how many modules, and the milliseconds that they take themselves."""
    command = [program.command[0], "-X", "importtime", *program.command[1:]]
    fastest: dict[str, int] = {}
    for _ in range(LOOKS):
        told = subprocess.run(command, env=environ, capture_output=True, encoding="utf-8", check=False).stderr
        for microseconds, module in LOADED.findall(told):
            fastest[module] = min(int(microseconds), fastest.get(module, int(microseconds)))
    found: dict[str, list[int]] = defaultdict(list)
    for module, microseconds in fastest.items():
        first, _, rest = module.partition(".")
        ours = f"phasegate.{rest.partition('.')[0]}" if first == "phasegate" and rest else first
        known = first == "phasegate" or (packages / first).exists() or (packages / f"{first}.py").exists()
        found[ours if known else "Python's own"].append(microseconds)
    most = sorted(found.items(), key=lambda item: -sum(item[1]))
    cells = [f"{name} {len(times)}, {sum(times) / 1000:.0f} ms" for name, times in most if sum(times) >= SHOWN]
    return f"| {program.name} | {len(fastest)}, {sum(fastest.values()) / 1000:.0f} ms | {'; '.join(cells)} |"


def main(words: list[str]) -> int:
    """Measure in turns, and print the tables; 1 if a start takes longer than it should."""
    parser = argparse.ArgumentParser(prog="tests/benchmarks/start.py", description=__doc__)
    parser.add_argument("--repeat", type=int, default=15, help="how often each program is run")
    repeat = parser.parse_args(words).repeat
    packages = prepare()
    from tests.casebook.every import STORIES  # noqa: PLC0415 - can be found only now
    from tests.fakehub import FakeHub  # noqa: PLC0415 - "

    snapshot: dict[str, Any] = STORIES["feature-green"].world().snapshot()
    with tempfile.TemporaryDirectory() as place, FakeHub(snapshot, latency=LATENCY) as hub:
        environ = {**os.environ, "GITHUB_API_URL": hub.url, "GITHUB_TOKEN": hub.token}
        chosen = programs(packages, make_release(Path(place)), COMMENT)
        for program in chosen:
            run(program, environ)  # to have everything in memory
        found: dict[str, list[tuple[float, float]]] = {program.name: [] for program in chosen}
        for _ in range(repeat):
            for program in chosen:
                found[program.name].append(run(program, environ))
        told, fine = table(chosen, found)
        parts = [loaded(program, environ, Path(packages)) for program in (chosen[0], chosen[1], chosen[4])]
    system = f"Python {platform.python_version()}, {platform.system()}, {os.cpu_count()} processors"
    print(f"{repeat} runs each in turns, {LATENCY * 1000:.0f} ms per request; {system}\n\n{told}\n")  # noqa: T201
    print("| program | modules | of which |\n|---|---|---|")  # noqa: T201
    print("\n".join(parts))  # noqa: T201
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
