"""What an audit costs: 1,000 snapshots of 100 comments, against the sum of their evaluations shared by the cores.

``python3 tests/benchmarks/audit.py`` prints a table. An evaluation is all that one snapshot needs in a process that is
warm: reading, validating and judging it; it is measured by processor time, the audit by the clock and by the processor.
"""

from __future__ import annotations

import json
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

from phasegate.cli.audit import decide  # noqa: E402
from tests.casebook.world import World, verdict  # noqa: E402

SNAPSHOTS, COMMENTS, SAMPLE = 1_000, 100, 60
BOUND = 1.2


def snapshot(number: int) -> str:
    """A pull request of its own with so many comments, half of them verdicts."""
    world = World()
    world.planned()
    for each in range(COMMENTS):
        role = ("judge", "inspector", "sentinel", "lens")[each % 4]
        world.say("ana", verdict(role) if each % 2 else f"A remark {each} about the code of {number}.")
    told = world.snapshot()
    told["pull_request"]["number"] = number
    return json.dumps(told)


def main() -> None:
    """Measure both, and print how they compare."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as place:
        paths = [Path(place) / f"snapshot-{number}.json" for number in range(1, SNAPSHOTS + 1)]
        for number, path in enumerate(paths, 1):
            path.write_text(snapshot(number), encoding="utf-8")
        decide(paths[0], None)
        began = time.process_time()
        for path in paths[:SAMPLE]:
            decide(path, None)
        alone = (time.process_time() - began) / SAMPLE * SNAPSHOTS
        command = [sys.executable, str(ROOT / "scripts"), "audit", place, "--json", "--jobs", str(cores)]
        began = time.monotonic()
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
        clock = time.monotonic() - began
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = used.ru_utime + used.ru_stime
    shared = alone / cores
    sys.stdout.write(
        f"| {SNAPSHOTS} snapshots of {COMMENTS} comments, {cores} cores | seconds | ratio |\n|---|--:|--:|\n"
        f"| sum of evaluations / cores | {shared:.1f} | 1.00 |\n"
        f"| audit, by the clock | {clock:.1f} | {clock / shared:.2f} (bound {BOUND}) |\n"
        f"| audit, by the processor / cores | {spent / cores:.1f} | {spent / cores / shared:.2f} |\n"
        f"| most memory of one process, MB | {used.ru_maxrss / 1024:.0f} | |\n"
    )


if __name__ == "__main__":
    main()
