"""The exit codes of the command line, and the mistake that has one of its own."""

from __future__ import annotations

from typing import Final

PASSED: Final = 0
NOT_PASSED: Final = 1
USAGE: Final = 2
INTERNAL: Final = 3
GITHUB: Final = 4


class UsageError(Exception):
    """A mistake of the user: which input, and what is wrong with it."""
