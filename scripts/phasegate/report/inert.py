"""Makes foreign text inert: for Markdown on GitHub, for one line of a log or status, and for JSON in a log.

The result mentions nobody, holds no HTML, is no command to the runner, and links only into the report's repository.
The character classes are written out, because Python's own differ between versions.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from phasegate.model.frozen import dataclass, late

if TYPE_CHECKING:
    from phasegate.model.report import Report

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
LONG_TICKS = late(f"`{{{MOST_TICKS + 1},}}")

OPENING, CLOSING = "\"'(", f".,;:)\"'!?…\N{EN DASH}\N{EM DASH}{BREAK}"
# What GitHub brings to life in a rendered text: mentions, references, commits, addresses, formulas, emoji codes.
ALIVE = late(r"[@#$]|:(?=//)|www\.|[0-9a-f]{7}|[a-z]-[0-9]|:[a-z0-9_+-]+:", re.IGNORECASE | re.ASCII)
# With a colon of ours behind it, this would be an emoji.
HALF_EMOJI = late(r":(?:100|1234|(?![0-9]+$)[a-z0-9_+-]+)$", re.IGNORECASE | re.ASCII)
MARKUP = late(r"[\\`*_\[\]<>&|~^]")
# What would begin a list, a heading, a rule or a table where it begins a line.
BLOCK = late(r"(?P<number>[0-9]{1,9}(?=[.)])|(?=[-+=:]))(?P<sign>.)")
TOKEN = late(r"\"@[a-z]+(?: [a-z]+){1,3}\"|/gate [a-z]+ [a-z0-9-]+(?=[.,;:)]*(?: |$))(?:: <reason>)?|#{1,6} \S+|\S+")

PULL_REQUEST = late(
    r"(?P<base>https?://[A-Za-z0-9.-]+(?::[0-9]{1,5})?/(?P<name>[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+))/pulls?/[0-9]+"
)
INSIDE = late(r"[A-Za-z0-9_./#-]+")
COMMIT = late(r"[0-9a-f]{40}")
PATH = late(r"[A-Za-z0-9._/-]+")
LOCATION = late(r"(?P<path>[A-Za-z0-9._/-]+):(?P<first>[1-9][0-9]{0,6})(?:-(?P<last>[1-9][0-9]{0,6}))?")
NO_STEP = ("", ".", "..")
SHORT = 7


def plain(text: str, limit: int = 200) -> str:
    """One line for a terminal or a status: no controls, invisible characters or runner commands."""
    return shorten(SPLIT_HASHES.sub("#" + BREAK, SPLIT_COLONS.sub(":" + BREAK, _line(text))), limit)


def block(text: str) -> str:
    """Several lines unchanged, without controls and invisible characters."""
    lines = SURROGATE.sub("\ufffd", TERMINAL_SEQUENCE.sub("", text)).replace("\r\n", "\n").expandtabs(4).split("\n")
    return "\n".join(SPACES.sub(lambda run: " " * len(run[0]), INVISIBLE.sub("", line)) for line in lines)


def code(text: str, limit: int = 200) -> str:
    """A Markdown code span that shows the text unchanged."""
    shown = LONG_TICKS.sub("`" * MOST_TICKS + ELLIPSIS, plain(text, limit)) or EMPTY
    edge = "`" * (1 + max((len(run) for run in TICKS.findall(shown)), default=0))
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{edge}{pad}{shown}{pad}{edge}"


def code_cell(text: str, limit: int = 200) -> str:
    """As `code`, for a table cell."""
    return code(_without_bars(text), limit)


def prose(text: str, limit: int = 500) -> str:
    """Escaped text for reading. It shows as it is; only what GitHub would bring to life becomes code."""
    line = plain(text, limit)
    shown = TOKEN.sub(lambda match: _token(match[0]), line) + (BREAK if HALF_EMOJI.search(line) else "")
    return BLOCK.sub(r"\g<number>\\\g<sign>", shown, count=1) if BLOCK.match(shown) else shown


def prose_cell(text: str, limit: int = 500) -> str:
    """As `prose`, for a table cell."""
    return prose(_without_bars(text), limit)


def safe_json(data: object, indent: int | None = 2) -> str:
    """JSON that may be printed to the runner's log, on one line without an indent; its meaning is unchanged."""
    text = json.dumps(data, indent=indent, ensure_ascii=True)
    return SPLIT_HASHES.sub(r"\\u0023", SPLIT_COLONS.sub(r"\\u003a", text))


def shorten(text: str, limit: int) -> str:
    """The text, cut between two words if it is too long."""
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


def _without_bars(text: str) -> str:
    return text.replace("|", "¦")


def _token(token: str) -> str:
    """A word or a command, escaped; as code if GitHub would make more of it."""
    if not (ALIVE.search(token) or token.startswith("/gate ")):
        return MARKUP.sub(r"\\\g<0>", token)
    core = token.lstrip(OPENING).rstrip(CLOSING)
    before, after = token.split(core, 1)
    return f"{before}{code(core, len(core))}{after}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Links:
    """What may be linked. Without a base nothing is."""

    base: str | None

    @staticmethod
    def of(report: Report) -> Links:
        """The links of a report, if its pull request's address belongs to its repository."""
        match = PULL_REQUEST.fullmatch(report.url)
        ours = match is not None and match["name"].lower() == report.repository.lower()
        return Links(base=match["base"] if match is not None and ours else None)

    def holds(self, url: str | None) -> bool:
        """True if an address is in the repository."""
        if self.base is None or url is None or not url.startswith(f"{self.base}/"):
            return False
        inside = url[len(self.base) + 1 :]
        return INSIDE.fullmatch(inside) is not None and ".." not in inside.split("#")[0].split("/")

    def to(self, url: str | None, text: str) -> str:
        """The Markdown text, linked if the address is in the repository."""
        return f"[{text}]({url})" if self.holds(url) else text

    def comment(self, url: str | None) -> str:
        """A reference to a comment or file for the end of a sentence; "" if it cannot be linked."""
        what = "file" if url is not None and url.startswith(f"{self.base}/blob/") else "comment"
        return f" ([{what}]({url}))" if self.holds(url) else ""

    def commit(self, commit: str) -> str:
        """A commit, shortened and linked."""
        url = f"{self.base}/commit/{commit}" if COMMIT.fullmatch(commit) else None
        return self.to(url, code(commit[:SHORT]))

    def file(self, path: str, commit: str) -> str | None:
        """The address of a file at a commit, or None unless its path is clean."""
        if self.base is None or not PATH.fullmatch(path) or not COMMIT.fullmatch(commit):
            return None
        return None if any(step in NO_STEP for step in path.split("/")) else f"{self.base}/blob/{commit}/{path}"

    def location(self, location: str, commit: str | None) -> str:
        """A finding's ``path:line``, linked at the judged commit if it is clean."""
        match = LOCATION.fullmatch(location)
        file = None if match is None or commit is None else self.file(match["path"], commit)
        if match is None or file is None:
            return prose(location)
        lines = f"L{match['first']}" + (f"-L{match['last']}" if match["last"] else "")
        return self.to(f"{file}#{lines}", prose(location))
