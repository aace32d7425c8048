"""What a timeline costs: the state after each of a thousand events, worked out on the command line.

``python3 tests/benchmarks/timeline.py`` prints a table. Each state is a decision on the snapshot cut at its event; what
they take one by one, each in a run that knows of no other, is estimated from a few.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT)]

import bootstrap  # noqa: E402  (found by the line above)

sys.path.append(bootstrap.ensure(str(ROOT / "scripts" / "requirements.txt"), {}))

from phasegate.cli.files import snapshot_text  # noqa: E402
from phasegate.gate import judge_state  # noqa: E402
from phasegate.model.codec import from_data  # noqa: E402
from phasegate.model.past import as_of  # noqa: E402
from phasegate.model.snapshot import Snapshot  # noqa: E402
from tests.casebook.world import World  # noqa: E402

ROUNDS, SAMPLE = 332, 12
BOUND, CORES = 30, 2  # seconds, on so many


def snapshot() -> Snapshot:
    """A pull request of a thousand events: a push and two verdicts in each round."""
    world = World()
    world.planned()
    for number in range(ROUNDS):
        world.push(f"c{number}")
        world.judges("judge", "FAIL" if number % 3 else "PASS")
        world.judges("inspector")
    return from_data(Snapshot, world.snapshot())


def main() -> None:
    """Measure both, and print how they compare."""
    told = snapshot()
    times = sorted({said.created_at for said in told.comments})
    judge_state(told)
    began = time.process_time()
    for at in times[len(times) // SAMPLE // 2 :: len(times) // SAMPLE]:
        judge_state(as_of(told, at))
    alone = (time.process_time() - began) / SAMPLE * ROUNDS * 3
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "snapshot.json"
        path.write_text(snapshot_text(told), encoding="utf-8")
        command = [sys.executable, str(ROOT / "scripts"), "replay", str(path), "--html", f"{place}/timeline.html"]
        began = time.monotonic()
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
        clock = time.monotonic() - began
        page = (Path(place) / "timeline.html").read_text(encoding="utf-8")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = used.ru_utime + used.ru_stime
    missing = "was not worked out" in page
    sys.stdout.write(
        f"| {ROUNDS * 3} events, {os.cpu_count()} cores | seconds |\n|---|--:|\n"
        f"| each state by itself | {alone:.0f} |\n"
        f"| timeline, by the processor | {spent:.0f} |\n"
        f"| the same on {CORES} cores | {spent / CORES:.0f} (bound {BOUND}) |\n"
        f"| timeline, by the clock{' (not all of it)' if missing else ''} | {clock:.0f} |\n"
        f"| size of the page, KB | {len(page.encode()) // 1000} |\n"
    )


if __name__ == "__main__":
    main()
