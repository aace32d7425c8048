"""What the proven next action costs: whole evaluations of pull requests beside those that look for no remedy.

``python3 tests/benchmarks/remedies.py`` prints two tables. The bound: finding all remedies takes at most twice the time
of one evaluation without them. *First*: in a process that has evaluated nothing before and has loaded what reads the
policy's dialects, as every run of the action is. *Again*: in a process that has evaluated the same pull request before.
"""

from __future__ import annotations

import gc
import os
import statistics
import struct
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

if TYPE_CHECKING:
    from phasegate.model.snapshot import Snapshot

ROOT = Path(__file__).resolve().parents[2]
FIRST, AGAIN = 7, 41
EVERY_FIRST, EVERY_AGAIN = 3, 7
WARM = 3
BOUND = 2.0
ANSWER = struct.Struct("dd")
NAMES = {
    "feature-green": "green",
    "judge-failed": "the Judge failed it",
    "bot-unnamed": "an unnamed bot passed it",
    "no-linked-issue": "no linked issue",
    "way-bot-without-a-log": "a bot opened it, and nothing else is there",
    "pipeline-no-folder": "pipeline, nothing pushed yet",
    "pipeline-stale": "pipeline, everything stale",
}
Ratio = tuple[float, float]


def long_lived(rounds: int) -> Snapshot:
    """A pull request that failed so often, with as many resumes, and now waits for everybody."""
    from tests.casebook.decided import snapshot_of  # noqa: PLC0415  (after the path is set)
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


def judged(snapshot: Snapshot, *, remedies: bool) -> tuple[float, int]:
    """The time of one evaluation, with or without looking for remedies, and how many tasks were found."""
    from phasegate import gate  # noqa: PLC0415

    found: list[int] = []
    with mock.patch("phasegate.gate._tasks", gate._tasks if remedies else lambda *_: ()):
        return spent(lambda: found.append(len(gate.judge(snapshot).tasks))), found[0]


def in_a_new_process(snapshot: Snapshot, *, remedies: bool) -> tuple[float, int]:
    """The same in a copy of this process, which has evaluated nothing."""
    from phasegate import gate  # noqa: PLC0415

    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        gate.get_ready()
        gate.get_ready_for(snapshot.policy)
        os.write(writing, ANSWER.pack(*judged(snapshot, remedies=remedies)))
        os._exit(0)
    os.close(writing)
    milliseconds, found = ANSWER.unpack(os.read(reading, ANSWER.size))
    os.close(reading)
    os.waitpid(child, 0)
    return milliseconds, int(found)


def compared(measure: Callable[..., tuple[float, int]], snapshot: Snapshot, runs: int, warm: int = 0) -> Ratio:
    """One evaluation without remedies, and what the remedies add; in turns, and the medians."""
    pairs = [[measure(snapshot, remedies=remedies)[0] for remedies in (False, True)] for _ in range(warm + runs)]
    alone, whole = (statistics.median(each) for each in zip(*pairs[warm:], strict=True))
    return alone, max(whole - alone, 0.0)


def table(first: dict[str, Ratio], again: dict[str, Ratio], tasks: dict[str, int]) -> list[str]:
    """The figures of some pull requests in Markdown."""
    lines = ["| pull request | tasks | first: evaluation | remedies | ratio | again: evaluation | remedies | ratio |"]
    lines.append("|---" * 8 + "|")
    for name, found in first.items():
        told = [f"{one:.1f} ms | {more:.1f} ms | {more / one:.1f}" for one, more in (found, again[name])]
        lines.append(f"| {name} | {tasks[name]} | {told[0]} | {told[1]} |")
    return lines


def worst(first: dict[str, Ratio], again: dict[str, Ratio]) -> list[str]:
    """How many of the case book's pull requests with something to do are over the bound, and the worst of them."""
    lines = [f"| {len(first)} stories with tasks | over {BOUND:.0f} | largest ratio | its remedies |", "|---" * 4 + "|"]
    for name, found in (("first", first), ("again", again)):
        over = sum(more / one > BOUND for one, more in found.values())
        one, more = max(found.values(), key=lambda each: each[1] / each[0])
        lines.append(f"| {name} | {over} | {more / one:.1f} | {more:.1f} ms |")
    return lines


def main() -> None:
    """Print the tables."""
    sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]
    gc.set_threshold(100_000, 50, 50)  # as the entry does
    from tests.casebook.decided import snapshot_of  # noqa: PLC0415  (after the path is set)
    from tests.casebook.every import STORIES  # noqa: PLC0415

    stories = {name: snapshot_of(story.world()) for name, story in STORIES.items()}
    rows = {told: stories[name] for name, told in NAMES.items()}
    rows |= {f"{rounds} failing rounds": long_lived(rounds) for rounds in (5, 40)}
    # all that is measured in new processes comes before anything is evaluated in this one
    tasks = {name: in_a_new_process(each, remedies=True)[1] for name, each in (*rows.items(), *stories.items())}
    stuck = {name: each for name, each in stories.items() if tasks[name]}
    first = {name: compared(in_a_new_process, each, FIRST) for name, each in rows.items()}
    first_of_all = {name: compared(in_a_new_process, each, EVERY_FIRST) for name, each in stuck.items()}
    again = {name: compared(judged, each, AGAIN, WARM) for name, each in rows.items()}
    again_of_all = {name: compared(judged, each, EVERY_AGAIN, WARM) for name, each in stuck.items()}
    sys.stdout.write("\n".join([*table(first, again, tasks), "", *worst(first_of_all, again_of_all)]) + "\n")


if __name__ == "__main__":
    main()
