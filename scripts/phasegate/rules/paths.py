"""Patterns of paths: ``*`` in a folder, ``**`` across folders, ``?`` one character; a bare name matches anywhere."""

from __future__ import annotations

import re
from functools import cache


def matches_any(path: str, patterns: tuple[str, ...]) -> bool:
    """Whether a path is matched by one of the patterns."""
    return any(_compiled(pattern).fullmatch(path) for pattern in patterns)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    rooted = pattern if "/" in pattern else f"**/{pattern}"
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", rooted.lstrip("/"))
    return re.compile("".join(_WILD.get(part) or re.escape(part) for part in parts), re.DOTALL)


_WILD = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
