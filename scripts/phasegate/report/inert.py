"""Foreign text made inert: for Markdown on GitHub, for one line of a log or a status, and for JSON in a log.

Whatever comes in, what goes out mentions nobody, links nowhere, holds no HTML, and is no command to the runner.
The character classes are written out, since Python's own tables differ from version to version.
"""

from __future__ import annotations

import json
import re

from phasegate.model.late import late

ELLIPSIS = "…"
EMPTY = "(empty)"
# The runner looks for `::` at the start of a line and for `##[` anywhere in it.
BREAK = "\u200b"
SPLIT_COLONS = late(r":(?=:)")
SPLIT_HASHES = late(r"#(?=#\[)")

TERMINAL_SEQUENCE = late("(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]")
SURROGATE = late("[\ud800-\udfff]")
SPACES = late("[\t-\r\x1c-\x1f \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u2800\u3000]+")
INVISIBLE = late(
    "["
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"  # controls
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, joiners and fillers
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f"  # zero width, bidirectional
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"  # fillers, variations, byte order mark
    "\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # format signs of scripts
    "\U000e0000-\U000e0fff"  # tags
    "]+"
)

# GitHub's engine takes no run of more than 80 back-ticks for the edge of a code span.
TICKS = late("`+")
MOST_TICKS = 3

OPENING, CLOSING = "\"'(", ".,;:)\"'!?…\N{EN DASH}\N{EM DASH}"
# Seven letters from a to f could be a commit, which GitHub links.
PLAIN_WORD = late(r"(?![a-f]{7})[A-Za-z]{1,30}(?:['-][A-Za-z]{1,30})?")
PLAIN_NUMBER = late(r"[0-9]{1,4}")
TOKEN = late(r"/gate [a-z]+ [a-z0-9-]+(?=[.,;:)]*(?: |$))|\S+")


def plain(text: str, limit: int = 200) -> str:
    """One line for a terminal or a status: no controls, nothing invisible, no command to the runner."""
    return shorten(_without_commands(_line(text)), limit)


def code(text: str, limit: int = 200) -> str:
    """A Markdown code span that shows the text as it is."""
    shown = TICKS.sub(_fewer_ticks, plain(text, limit)) or EMPTY
    edge = "`" * (1 + max((len(run) for run in TICKS.findall(shown)), default=0))
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{edge}{pad}{shown}{pad}{edge}"


def code_cell(text: str, limit: int = 200) -> str:
    """As `code`, for a cell of a table."""
    return code(_without_bars(text), limit)


def prose(text: str, limit: int = 500) -> str:
    """A sentence of ours that may quote foreign text: plain words stay words, everything else becomes code."""
    return TOKEN.sub(lambda match: _token(match[0]), plain(text, limit))


def prose_cell(text: str, limit: int = 500) -> str:
    """As `prose`, for a cell of a table."""
    return prose(_without_bars(text), limit)


def safe_json(data: object) -> str:
    """JSON that may be printed to the runner's log; what it means is unchanged."""
    text = json.dumps(data, indent=2, ensure_ascii=True)
    return SPLIT_HASHES.sub(r"\\u0023", SPLIT_COLONS.sub(r"\\u003a", text))


def shorten(text: str, limit: int) -> str:
    """The text, cut between two words where it is longer than the limit."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    space = head.rfind(" ")
    if space >= limit // 2:
        head = head[:space]
    return head.rstrip(" ,;:(") + ELLIPSIS


def _line(text: str) -> str:
    whole = SURROGATE.sub("\ufffd", TERMINAL_SEQUENCE.sub("", text))
    return SPACES.sub(" ", INVISIBLE.sub("", whole)).strip(" ")


def _without_commands(text: str) -> str:
    return SPLIT_HASHES.sub("#" + BREAK, SPLIT_COLONS.sub(":" + BREAK, text))


def _without_bars(text: str) -> str:
    return text.replace("|", "¦")


def _fewer_ticks(run: re.Match[str]) -> str:
    return run[0] if len(run[0]) <= MOST_TICKS else "`" * MOST_TICKS + ELLIPSIS


def _token(token: str) -> str:
    core = token.lstrip(OPENING).rstrip(CLOSING)
    if not core:
        return token
    before, after = token.split(core, 1)
    if PLAIN_WORD.fullmatch(core):
        return token
    # "1." and "1)" could begin a list
    if PLAIN_NUMBER.fullmatch(core) and not after.startswith((".", ")")):
        return token
    return f"{before}{code(core, len(core))}{after}"
