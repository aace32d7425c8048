"""PG410 to PG412: what may be wrong with a commit of a merge queue."""

from __future__ import annotations

from phasegate.catalogue import Entry
from phasegate.model.problem import Severity

ENTRIES: tuple[Entry, ...] = (
    Entry(
        code="PG410",
        title="The commit of the merge queue is not of this pull request",
        severity=Severity.ERROR,
        why="The ref of the queue tells which pull request a commit is for; another one's words say nothing about it.",
        fix="Put the pull request into the queue of its own base branch again.",
        bad="refs/heads/gh-readonly-queue/next/pr-7-… for #7, which goes into main",
        good="refs/heads/gh-readonly-queue/main/pr-7-…",
    ),
    Entry(
        code="PG411",
        title="What the merge queue would bring in is not known",
        severity=Severity.ERROR,
        why="GitHub lists at most 300 files of a comparison; what it does not list could be anything.",
        fix="Merge a pull request of so many files without the queue, or split it.",
        bad="300 files or more, or a commit that does not stand on the queue's base",
        good="a comparison that lists every file",
    ),
    Entry(
        code="PG412",
        title="The merge queue would bring in something that nobody judged",
        severity=Severity.ERROR,
        why="A file that the base branch or an entry before it changed too is merged anew: nobody judged those bytes.",
        fix="Update the branch, have it judged again, and put it into the queue again.",
        bad="#6 and #7 of the queue both change src/auth.py",
        good="the difference in the queue is that of the pull request, byte for byte",
    ),
)
