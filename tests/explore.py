"""Searches at random: ``python3 tests explore`` tries the properties of the checks with fresh seeds and more examples.

``--rounds 20`` searches longer. A round that fails prints its seed, and ``--seed N`` repeats it. The rest is pytest's.
``python3 tests explore metamorphic`` puts objections into all green stories of the case book, and
``python3 tests explore markdown`` compares what counts as visible text with GitHub's own engine.
"""

from __future__ import annotations

import argparse
import secrets
import subprocess
import sys

PROPERTIES = "hypothesis or seeds or sampled"  # the markers of tests that draw, or of which a sample runs elsewhere


def searched(seed: int, further: list[str]) -> bool:
    """Whether all properties hold with what is drawn from a seed."""
    drawn = ["--search", str(seed), "--hypothesis-seed", str(seed)]
    command = [sys.executable, "-S", "-m", "pytest", "-n", "2", "-q", "-m", PROPERTIES, *drawn, *further]
    sys.stdout.write(f"seed {seed}\n")
    sys.stdout.flush()
    return subprocess.run(command, check=False).returncode == 0


def main(arguments: list[str]) -> int:
    """Search, round after round, and say which seeds failed."""
    if arguments[:1] == ["metamorphic"]:
        from tests.metamorphic.__main__ import main as metamorphic  # noqa: PLC0415  (nothing that a search needs)

        return metamorphic(arguments[1:])
    if arguments[:1] == ["markdown"]:
        from tests.unit.reading.markdown.visible import main as markdown  # noqa: PLC0415  (nothing that a search needs)

        return markdown(arguments[1:])
    parser = argparse.ArgumentParser(prog="python3 tests explore", description="Search at random.")
    parser.add_argument("--seed", type=int, help="repeat the round with this seed")
    parser.add_argument("--rounds", type=int, default=3, help="how many seeds to try")
    asked, further = parser.parse_known_args(arguments)
    seeds = [asked.seed] if asked.seed is not None else [secrets.randbelow(1_000_000) for _ in range(asked.rounds)]
    failed = [seed for seed in seeds if not searched(seed, further)]
    for seed in failed:
        sys.stdout.write(f"seed {seed} fails; to repeat it: python3 tests explore --seed {seed}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
