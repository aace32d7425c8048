"""Places in a repository."""

from __future__ import annotations

POLICY = ".github/phase-gate.yml"
IGNORE_FILE = ".gitignore"
