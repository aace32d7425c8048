"""The diff of a pull request: in GitHub's own form, or built file by file if it is too large for that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from phasegate.github.client.answers import (
    Answer,
    Attempt,
    Data,
    GitHubError,
    TooLargeError,
    Understood,
    as_documented,
    understand,
)
from phasegate.github.client.client import Client, Clock, Server, _Request, _there
from phasegate.github.reading.queries import PAGE
from phasegate.model.snapshot import REMOVED

DIFF = "application/vnd.github.diff"
OK, NOT_ACCEPTABLE = 200, 406
NOWHERE = "/dev/null"
JSON = dict[str, Any]


class DiffTooLargeError(GitHubError):
    """GitHub makes no diff of so many files or lines."""


class DiffReader(Client):
    """A client whose only answer is a diff."""

    def __init__(self, server: Server, clock: Clock, seconds: float) -> None:
        super().__init__(server, clock, seconds)
        self._session.headers["Accept"] = DIFF

    def diff(self, repository: str, number: int) -> str:
        """The diff as GitHub writes it."""
        path = f"/repos/{repository}/pulls/{number}"
        what = f"GET {path} as a diff"
        found = self._ask(_Request(method="GET", url=self._server.rest + path, what=what, meaning=understand_diff))
        return str(_there(found.value, what))


def understand_diff(answer: Answer, asked: Attempt) -> Understood:
    """The meaning of an answer that should be a diff."""
    if answer.status == NOT_ACCEPTABLE:
        raise DiffTooLargeError(f"{asked.what}: GitHub makes no diff of so many files or lines")
    if answer.status != OK:
        return understand(answer, asked)
    if "json" in (answer.header("content-type") or ""):
        raise GitHubError(f"{asked.what}: GitHub answered with JSON. Is this address really that of GitHub's API?")
    return Data(value=answer.body.decode("utf-8", "replace"))


def read_diff(reader: DiffReader, client: Client, repository: str, number: int, enough: int) -> str:
    """The diff of a pull request; if it is too large, its beginning of at least ``enough`` characters."""
    try:
        return reader.diff(repository, number)
    except (DiffTooLargeError, TooLargeError):
        return "".join(_by_files(client, f"/repos/{repository}/pulls/{number}/files", enough))


def _by_files(client: Client, path: str, enough: int) -> Iterator[str]:
    size, page = 0, 1
    while size < enough:
        entries = client.page(path, per_page=PAGE, page=page)
        with as_documented(f"GET {path}"):
            for entry in entries:
                text = _file_diff(entry)
                size += len(text)
                yield text
        if len(entries) < PAGE:
            return
        page += 1


def _file_diff(entry: JSON) -> str:
    """One file in git's form. GitHub omits the patch of a binary or very large file."""
    path, status = entry["filename"], entry["status"]
    before = entry.get("previous_filename") or path
    old = NOWHERE if status == "added" else f"a/{before}"
    new = NOWHERE if status == REMOVED else f"b/{path}"
    patch = entry.get("patch")
    shown = f"--- {old}\n+++ {new}\n{patch}\n" if patch else "(not shown by GitHub)\n"
    return f"diff --git a/{before} b/{path}\n{shown}"
