"""Phase Gate: reads a pull request as data, decides its phases, and says why."""

from __future__ import annotations

VERSION = "0.1.0"
