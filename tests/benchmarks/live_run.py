"""How long a whole run takes beside a plain script: ``python3 tests/benchmarks/live_run.py``.

All are started as programs, in turns, against the fake GitHub with a latency on every request: the scripts as scripts
are started, the gate as action.yml starts it. The fake does not check its own answers here, and makes none twice: it is
not what is measured. Prints the table that docs/performance.md shows.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
LATENCY = 0.05
TURN = 0.0005
PLACE = ("octo/shop", "7")
JSON = dict[str, Any]


class Remembering:
    """In place of the hub's own answers: what was asked before, of the same state, is not made again.

    GitHub's machines are not those that are measured.
    """

    def __init__(self) -> None:
        self.known: dict[str, Any] = {}
        with socket.socket() as free:  # answers hold addresses, so that they are good for one port only
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]

    def watch(self, hub: Any) -> None:  # noqa: ANN401 - the fake can be found only later
        """Answer for a hub."""
        right = hub._right

        def remembered(request: Any, query: Any = None) -> Any:  # noqa: ANN401 - as the hub has them
            key = json.dumps([len(hub.written), len(hub.snapshot["comments"]), request.target, request.body])
            if request.method != "GET" and request.path != "/graphql":
                return right(request, query)
            if key not in self.known:
                self.known[key] = right(request, query)
            return self.known[key]

        hub._right = remembered


@dataclass(frozen=True, kw_only=True)
class Program:
    """A program that is measured: its command line, surroundings, and what it may take beside the plain script.

    ``again``: it has run once already, and ``since`` then somebody said something, or nothing has changed.
    """

    command: list[str]
    environ: dict[str, str]
    make: Callable[[int], JSON]
    most: float | None = None
    again: bool = False
    since: str | None = None
    remembering: Remembering = field(default_factory=Remembering)


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run of a program."""

    seconds: float
    requests: int
    trips: int
    megabytes: float


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


def ready(comments: int) -> JSON:
    """A pull request that passes, with so many comments."""
    from tests.integration.runs import passing  # noqa: PLC0415 - can be found only now

    return passing(comments - 5).snapshot()


def almost(comments: int) -> JSON:
    """The same, one comment before."""
    return ready(comments - 1)


def refused(comments: int) -> JSON:
    """The same, until somebody failed it in the last comment."""
    from tests.integration.runs import passing  # noqa: PLC0415 - can be found only now

    world = passing(comments - 6)
    world.judges("judge", "FAIL", who="ben")
    return world.snapshot()


def failing() -> str:
    """What somebody who fails it says."""
    from tests.casebook.world import verdict  # noqa: PLC0415 - can be found only now

    return verdict("judge", "FAIL")


def programs(packages: str, folder: Path, comments: int) -> dict[str, Program]:
    """The programs that are compared; the plain script comes first."""
    event = folder / "event.json"
    event.write_text(json.dumps({"pull_request": {"number": 7}}), encoding="utf-8")
    gate = [sys.executable, "-I", "-S", str(ROOT / "scripts" / "__main__.py"), "action"]
    surroundings = {
        "GITHUB_REPOSITORY": PLACE[0],
        "GITHUB_EVENT_NAME": "pull_request_target",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "GITHUB_OUTPUT": str(folder / "output"),
        "RUNNER_TEMP": str(folder),
    }
    plain = [sys.executable, str(HERE / "plain_reader.py"), *PLACE]
    found = {"plain script": Program(command=plain, environ={"PYTHONPATH": packages}, make=ready)}
    if (node := shutil.which("node")) is not None:
        script = [node, str(HERE / "plain_reader.mjs"), *PLACE]
        found["plain script in node"] = Program(command=script, environ={}, make=ready)
    few = comments <= 100
    common: dict[str, Any] = {"command": gate, "environ": surroundings}
    return found | {
        "gate, nothing changed": Program(**common, make=ready, most=1.0, again=True),
        "gate, no success: somebody fails it": Program(
            **common, make=almost, most=1.2 if few else 1.0, again=True, since=failing()
        ),
        "gate, no success, and it never ran before": Program(**common, make=refused, most=1.2 if few else 1.0),
        "gate, a success": Program(**common, make=ready, most=1.6 if few else 1.0),
    }


def measure(program: Program, comments: int) -> Run:
    """One run of a program, which must succeed."""
    from tests.fakehub import FakeHub  # noqa: PLC0415 - can be found only now

    with FakeHub(program.make(comments), latency=LATENCY, port=program.remembering.port) as hub:
        hub._fidelity = Unchecked()  # type: ignore[assignment]
        program.remembering.watch(hub)
        known = {"GITHUB_API_URL": hub.url, "GITHUB_TOKEN": hub.token, "PHASE_GATE_TOKEN": hub.token}
        environ = {**os.environ, **known, **program.environ}
        if program.again:
            subprocess.run(program.command, env=environ, check=True, stdout=subprocess.DEVNULL)
        if program.since is not None:
            hub.add_comment({"login": "ben", "id": 22, "type": "User"}, program.since)
        before, began = len(hub.requests), time.perf_counter()
        process = subprocess.Popen(program.command, env=environ, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, program.command
        made = hub._ledger.requests[before:]
        from tests.fakehub.ledger import sequential_depth  # noqa: PLC0415 - can be found only now

        return Run(seconds=seconds, requests=len(made), trips=sequential_depth(made), megabytes=usage.ru_maxrss / 1024)


def table(chosen: dict[str, Program], found: dict[str, list[Run]]) -> str:
    """The figures in Markdown."""
    medians = {name: statistics.median(run.seconds for run in runs) for name, runs in found.items()}
    base = next(iter(medians.values()))
    lines = ["| program | median | fastest | requests | trips | ratio | aim |", "|---|---|---|---|---|---|---|"]
    for name, runs in found.items():
        best, trips = min(run.seconds for run in runs), min(run.trips for run in runs)
        aim = "" if chosen[name].most is None else f"{chosen[name].most:.1f}"
        lines.append(
            f"| {name} | {medians[name] * 1000:.0f} ms | {best * 1000:.0f} ms | {runs[0].requests} | {trips} "
            f"| {medians[name] / base:.2f} | {aim} |"
        )
    return "\n".join(lines)


def compare(packages: str, comments: int, repeat: int) -> bool:
    """Measure in turns, and print the table; whether every aim is met."""
    with tempfile.TemporaryDirectory() as folder:
        chosen = programs(packages, Path(folder), comments)
        for program in chosen.values():
            measure(program, comments)  # to have everything compiled and in memory
        found: dict[str, list[Run]] = {name: [] for name in chosen}
        for _ in range(repeat):
            for name, program in chosen.items():
                found[name].append(measure(program, comments))
    system = f"Python {platform.python_version()}, {platform.system()}, {os.cpu_count()} processors"
    print(f"{comments} comments, {LATENCY * 1000:.0f} ms per request, {repeat} runs each in turns; {system}\n")  # noqa: T201
    print(table(chosen, found) + "\n")  # noqa: T201
    base = statistics.median(run.seconds for run in next(iter(found.values())))
    ratios = {name: statistics.median(run.seconds for run in runs) / base for name, runs in found.items()}
    return all(chosen[name].most is None or ratio <= (chosen[name].most or 0.0) for name, ratio in ratios.items())


def main(words: list[str]) -> int:
    """Compare for several lengths of the conversation; 1 if the gate takes longer than it should."""
    parser = argparse.ArgumentParser(prog="tests/benchmarks/live_run.py", description=__doc__)
    parser.add_argument("--repeat", type=int, default=15, help="how often each program is run")
    parser.add_argument("--comments", type=int, nargs="*", default=[100, 1000], help="how long the conversations are")
    options = parser.parse_args(words)
    sys.setswitchinterval(TURN)
    packages = prepare()
    met = [compare(packages, comments, options.repeat) for comments in options.comments]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
