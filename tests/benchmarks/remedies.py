"""What the proven next action costs: whole evaluations of pull requests beside those that look for no remedy.

``python3 tests/benchmarks/remedies.py`` prints a table. The bound: finding all remedies takes at most twice the time of
one evaluation without them.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

if TYPE_CHECKING:
    from phasegate.model.snapshot import Snapshot

ROOT = Path(__file__).resolve().parents[2]
RUNS = 41
WARM = 3


def told(name: str) -> Snapshot:
    """The snapshot of a story."""
    from tests.casebook.decided import snapshot_of  # noqa: PLC0415  (after the path is set)
    from tests.casebook.every import STORIES  # noqa: PLC0415

    return snapshot_of(STORIES[name].world())


def long_lived(rounds: int) -> Snapshot:
    """A pull request that failed so often, with as many resumes, and now waits for everybody."""
    from tests.casebook.decided import snapshot_of  # noqa: PLC0415
    from tests.casebook.world import World  # noqa: PLC0415

    world = World()
    world.planned()
    for number in range(rounds):
        world.judges("judge", "FAIL")
        world.say("mona", "/gate resume build: go on")
        world.push(f"c{number}")
    return snapshot_of(world)


def spent(work: Callable[[], object]) -> float:
    """The processor's time for some work, in milliseconds."""
    begun = time.process_time()
    work()
    return (time.process_time() - begun) * 1000


def measured(snapshot: Snapshot) -> tuple[float, float, int]:
    """One evaluation without remedies, what the remedies add, and how many were found; in turns, and the medians."""
    from phasegate import gate  # noqa: PLC0415

    found = len(gate.judge(snapshot).tasks)
    alone: list[float] = []
    whole: list[float] = []
    for number in range(WARM + RUNS):
        with mock.patch("phasegate.gate.find_tasks", return_value=()):
            without = spent(lambda: gate.judge(snapshot))
        both = spent(lambda: gate.judge(snapshot))
        if number >= WARM:
            alone.append(without)
            whole.append(both)
    base = statistics.median(alone)
    return base, statistics.median(whole) - base, found


def main() -> None:
    """Print the table."""
    sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]
    names = ["feature-green", "judge-failed", "bot-unnamed", "no-linked-issue", "pipeline-no-folder", "pipeline-stale"]
    rows = {name: told(name) for name in names}
    rows |= {f"{rounds} failing rounds": long_lived(rounds) for rounds in (5, 40)}
    lines = ["| pull request | evaluation | remedies | tasks | ratio |", "|---|---|---|---|---|"]
    for name, snapshot in rows.items():
        alone, more, found = measured(snapshot)
        lines.append(f"| {name} | {alone:.1f} ms | {more:.1f} ms | {found} | {more / alone:.1f} |")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
