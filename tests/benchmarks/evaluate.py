"""What evaluating costs: pull requests with 1,000 comments, each judged from its snapshot.

``python3 tests/benchmarks/evaluate.py`` prints a table. The kinds are measured in turns by processor time and compared
with the first one: as a run does it, once in a process of its own with all that it loads, and again and again in one.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT)]

import bootstrap  # noqa: E402  (found by the line above)

sys.path.append(bootstrap.ensure(str(ROOT / "scripts" / "requirements.txt"), {}))

from phasegate.gate import judge  # noqa: E402
from phasegate.model.snapshot import Snapshot  # noqa: E402
from tests.casebook.decided import snapshot_of  # noqa: E402
from tests.casebook.envelope import enveloped, message, works  # noqa: E402
from tests.casebook.world import World, verdict  # noqa: E402

COMMENTS, TURNS = 1_000, 7
CHAT = "A remark about the code, number {}.\n\nA second paragraph with `code` and [a link](https://example.com)."
REVIEW = "signal: pass_with_notes\ncritical_count: 0\nmoderate_count: 0\nminor_count: 1\nac_coverage:\n  AC{}: pass"


def jkz(words: int) -> World:
    """So many verdicts, each with a text of its own, among remarks."""
    world = World()
    world.planned()
    for number in range(COMMENTS - words):
        world.say("ana", CHAT.format(number))
    for number in range(words):
        role = ("judge", "inspector", "sentinel")[number % 3]
        world.say("ana", verdict(role).replace("{", "{" + " " * (number + 1), 1))
    return world


def envelopes(words: int) -> World:
    """So many reviews, each with an envelope of its own, among remarks."""
    world = World()
    enveloped(world)
    works(world)
    for number in range(COMMENTS - words):
        world.say("ana", CHAT.format(number))
    for number in range(words):
        world.say("ana", message("review_verdict", REVIEW.format(number)))
    return world


KINDS: dict[str, Callable[[], World]] = {
    "100 jkz verdicts": lambda: jkz(100),
    "100 envelopes": lambda: envelopes(100),
    "1,000 jkz verdicts": lambda: jkz(COMMENTS),
}


def seconds(snapshot: Snapshot) -> float:
    """The processor time of one evaluation."""
    began = time.process_time()
    judge(snapshot)
    return time.process_time() - began


def in_own_process(name: str) -> float:
    """The same as the first thing that a process evaluates."""
    done = subprocess.run([sys.executable, __file__, name], check=True, capture_output=True, text=True, timeout=300)
    return float(done.stdout)


def main() -> None:
    """Print the table, or the time of one kind alone."""
    if sys.argv[1:]:
        sys.stdout.write(f"{seconds(snapshot_of(KINDS[sys.argv[1]]()))}\n")
        return
    snapshots = {name: snapshot_of(make()) for name, make in KINDS.items()}
    best, first = dict.fromkeys(snapshots, float("inf")), dict.fromkeys(snapshots, float("inf"))
    for _ in range(TURNS):
        for name, snapshot in snapshots.items():
            best[name] = min(best[name], seconds(snapshot))
            first[name] = min(first[name], in_own_process(name))
    jkz_first, jkz_again = first[next(iter(first))], best[next(iter(best))]
    sys.stdout.write("| of 1,000 comments | first, ms | ratio | again, ms | ratio |\n|---|---|---|---|---|\n")
    for name in snapshots:
        told = f"{first[name] * 1000:.0f} | {first[name] / jkz_first:.2f}"
        sys.stdout.write(f"| {name} | {told} | {best[name] * 1000:.0f} | {best[name] / jkz_again:.2f} |\n")


if __name__ == "__main__":
    main()
