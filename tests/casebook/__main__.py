"""Prints the snapshot of a story: ``python3 -m tests.casebook feature-green``, from the root of the repository."""

from __future__ import annotations

import sys

from tests.casebook.every import STORIES


def main(names: list[str]) -> int:
    """Print the snapshot of the story that is named."""
    if len(names) != 1 or names[0] not in STORIES:
        sys.stderr.write(f"name one story: {', '.join(STORIES)}\n")
        return 2
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]  # a text stream
    sys.stdout.write(STORIES[names[0]].snapshot_text())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
