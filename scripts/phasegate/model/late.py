"""Patterns that are compiled when they are first used: most of them are for what a run does not meet."""

from __future__ import annotations

import re
from typing import cast

METHODS = ("fullmatch", "match", "search", "findall", "finditer", "split", "sub", "subn", "pattern", "flags")


class _Late:
    """Stands for a pattern until somebody asks something of it; from then on it costs no more than the pattern."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._told = (pattern, flags)

    def __getattr__(self, name: str) -> object:
        compiled = re.compile(*self._told)
        for method in METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def late(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """As ``re.compile``, but a wrong pattern is found out only when it is used."""
    return cast("re.Pattern[str]", _Late(pattern, flags))
