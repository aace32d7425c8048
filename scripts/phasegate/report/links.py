"""Links into the repository of the report, and nowhere else: every URL is built or checked here."""

from __future__ import annotations

import re

from phasegate.model.frozen import dataclass
from phasegate.model.report import Report
from phasegate.report.inert import code
from phasegate.report.wording import short

PULL_REQUEST = re.compile(
    r"(?P<base>https?://[A-Za-z0-9.-]+(?::[0-9]{1,5})?/(?P<name>[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+))/pulls?/[0-9]+"
)
INSIDE = re.compile(r"[A-Za-z0-9_./#-]+")
COMMIT = re.compile(r"[0-9a-f]{40}")
PATH = re.compile(r"[A-Za-z0-9._/-]+")
LOCATION = re.compile(r"(?P<path>[A-Za-z0-9._/-]+):(?P<first>[1-9][0-9]{0,6})(?:-(?P<last>[1-9][0-9]{0,6}))?")
NO_STEP = ("", ".", "..")


@dataclass(frozen=True, kw_only=True, slots=True)
class Links:
    """What may be linked; without a base nothing is."""

    base: str | None

    @staticmethod
    def of(report: Report) -> Links:
        """The links of a report, if the address of its pull request is one of its repository."""
        match = PULL_REQUEST.fullmatch(report.url)
        ours = match is not None and match["name"].lower() == report.repository.lower()
        return Links(base=match["base"] if match is not None and ours else None)

    def holds(self, url: str | None) -> bool:
        """Whether an address lies in the repository."""
        if self.base is None or url is None or not url.startswith(f"{self.base}/"):
            return False
        inside = url[len(self.base) + 1 :]
        return INSIDE.fullmatch(inside) is not None and ".." not in inside.split("#")[0].split("/")

    def to(self, url: str | None, text: str) -> str:
        """The Markdown text, linked where the address lies in the repository."""
        return f"[{text}]({url})" if self.holds(url) else text

    def comment(self, url: str | None) -> str:
        """A reference to a comment or file, to stand after a sentence; empty where it cannot be linked."""
        what = "file" if url is not None and url.startswith(f"{self.base}/blob/") else "comment"
        return f" ([{what}]({url}))" if self.holds(url) else ""

    def commit(self, commit: str) -> str:
        """A commit, shortened and linked."""
        url = f"{self.base}/commit/{commit}" if COMMIT.fullmatch(commit) else None
        return self.to(url, code(short(commit)))

    def file(self, path: str, commit: str) -> str | None:
        """The address of a file at a commit, where its path is a clean one."""
        if self.base is None or not PATH.fullmatch(path) or not COMMIT.fullmatch(commit):
            return None
        return None if any(step in NO_STEP for step in path.split("/")) else f"{self.base}/blob/{commit}/{path}"

    def location(self, location: str, commit: str | None) -> str:
        """A ``path:line`` that a finding names, linked at the commit it judged where it is a clean one."""
        match = LOCATION.fullmatch(location)
        file = None if match is None or commit is None else self.file(match["path"], commit)
        if match is None or file is None:
            return code(location)
        lines = f"L{match['first']}" + (f"-L{match['last']}" if match["last"] else "")
        return self.to(f"{file}#{lines}", code(location))
