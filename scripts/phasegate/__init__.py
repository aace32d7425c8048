"""Phase Gate: reads a pull request as data, decides its phases, and says why."""

from __future__ import annotations

VERSION = "0.1.0"
OVERALL = "phase-gate"  # the status that stands for all phases
