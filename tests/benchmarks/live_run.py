"""How long a whole run takes beside a plain script that only reads: ``python3 tests/benchmarks/live_run.py``.

Both are started as programs, in turns, against the fake GitHub with a latency on every request: the script as scripts
are started, the gate as action.yml starts it. The fake does not check its own answers here, and lets no request wait
while it makes the answer to another. Prints the table that docs/performance.md shows.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
COMMENTS = 100
LATENCY = 0.05
TARGET = 1.2
TURN = 0.0005


class Unchecked:
    """In place of the hub's checks of its own answers, which would be measured as if GitHub were slow."""

    @staticmethod
    def faults(*_: object) -> list[str]:
        """None."""
        return []


def prepare() -> str:
    """Make the packages of the tests importable; where those of the programs under test are."""
    sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]
    import bootstrap  # noqa: PLC0415 - can be found only now

    tests, scripts = (
        bootstrap.ensure(str(ROOT / name / "requirements.txt"), os.environ) for name in ("tests", "scripts")
    )
    sys.path[:0] = [tests, scripts]
    return scripts


def pull_request(comments: int) -> dict[str, Any]:
    """A pull request that passes, with so many comments."""
    from tests.casebook.world import World  # noqa: PLC0415 - can be found only now

    world = World()
    world.planned()
    for number in range(comments - 5):
        world.say("eve", f"Remark {number}: I have read this part and have nothing to add.\n\nThanks for the work!")
    world.built()
    world.tested()
    return world.snapshot()


def programs(packages: str) -> dict[str, tuple[list[str], dict[str, str]]]:
    """The programs that are compared, each with its command line and surroundings."""
    place = ["--repo", "octo/shop", "--pr", "7"]
    plain = str(ROOT / "tests" / "benchmarks" / "plain_reader.py")
    gate = [sys.executable, "-I", "-S", str(ROOT / "scripts" / "__main__.py"), "check", *place]
    return {
        "plain script, reads only": ([sys.executable, plain, "octo/shop", "7", "12"], {"PYTHONPATH": packages}),
        "gate, reads and decides": (gate, {}),
        "gate, reads, decides and publishes": ([*gate, "--publish"], {}),
    }


def measure(command: list[str], environ: dict[str, str], snapshot: dict[str, Any]) -> tuple[float, int, int]:
    """Seconds, requests and trips of one run, which must pass."""
    from tests.fakehub import FakeHub  # noqa: PLC0415 - can be found only now

    with FakeHub(snapshot, latency=LATENCY) as hub:
        hub._fidelity = Unchecked()  # type: ignore[assignment]
        known = {"GITHUB_API_URL": hub.url, "GITHUB_TOKEN": hub.token}
        began = time.perf_counter()
        subprocess.run(command, env={**os.environ, **known, **environ}, check=True, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - began
        return seconds, len(hub.requests), hub.sequential_depth()


def table(found: dict[str, list[tuple[float, int, int]]]) -> str:
    """The figures in Markdown."""
    medians = {name: statistics.median(run[0] for run in runs) for name, runs in found.items()}
    base = next(iter(medians.values()))
    lines = [
        "| program | median of whole run | fastest | requests | trips one after the other | ratio |",
        "|---|---|---|---|---|---|",
    ]
    for name, runs in found.items():
        best, (_, requests, _) = min(runs)[0], runs[0]
        trips = min(run[2] for run in runs)
        lines.append(
            f"| {name} | {medians[name] * 1000:.0f} ms | {best * 1000:.0f} ms | {requests} | {trips} "
            f"| {medians[name] / base:.2f} |"
        )
    return "\n".join(lines)


def main(words: list[str]) -> int:
    """Measure in turns, and print the table; 1 if the gate takes longer than it should."""
    parser = argparse.ArgumentParser(prog="tests/benchmarks/live_run.py", description=__doc__)
    parser.add_argument("--repeat", type=int, default=15, help="how often each program is run")
    repeat = parser.parse_args(words).repeat
    sys.setswitchinterval(TURN)
    chosen, snapshot = programs(prepare()), pull_request(COMMENTS)
    for command, environ in chosen.values():
        measure(command, environ, snapshot)  # to have everything compiled and in memory
    found: dict[str, list[tuple[float, int, int]]] = {name: [] for name in chosen}
    for _ in range(repeat):
        for name, (command, environ) in chosen.items():
            found[name].append(measure(command, environ, snapshot))
    plain, *_, gate = (statistics.median(run[0] for run in runs) for runs in found.values())
    system = f"Python {platform.python_version()}, {platform.system()}, {os.cpu_count()} processors"
    print(f"{COMMENTS} comments, {LATENCY * 1000:.0f} ms per request, {repeat} runs each in turns; {system}\n")  # noqa: T201
    print(table(found))  # noqa: T201
    return 0 if gate <= TARGET * plain else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
