"""PG4xx: linked issues, labels and the phases."""

from __future__ import annotations

from phasegate.catalogue.entry import Entry
from phasegate.model.problem import Severity

WARNING, NOTICE = Severity.WARNING, Severity.NOTICE

ENTRIES: tuple[Entry, ...] = (
    Entry(
        code="PG401",
        title="No issue is linked",
        severity=WARNING,
        why="The issue holds the plan, and its labels decide whether QA must run. "
        "Without one the strictest type counts.",
        fix="Write 'Closes #N' in the description of the pull request, or link the issue in its sidebar.",
        bad="a pull request whose description names no issue",
        good="Closes #12",
    ),
    Entry(
        code="PG402",
        title="A linked issue of another repository",
        severity=NOTICE,
        why="Others decide about its labels and comments, so it decides nothing here.",
        fix="Link an issue of this repository.",
        bad="Closes elsewhere/project#3",
        good="Closes #3",
    ),
    Entry(
        code="PG403",
        title="A label that arrived after QA had failed",
        severity=WARNING,
        why="Otherwise a failing QA could be answered with a label instead of a fix.",
        fix="Fix what QA found; the label counts again in the next pull request.",
        bad="QA fails, then the issue is labelled bug",
        good="the issue is labelled bug before the work begins",
    ),
    Entry(
        code="PG404",
        title="The linked issue was closed by another pull request",
        severity=WARNING,
        why="Its plan and its labels were for that work. Borrowed, they would let this one through unplanned.",
        fix="Open an issue for this work and link it, or reopen the issue and plan anew.",
        bad="Closes #12, which #5 has closed already",
        good="Closes #13, opened for this work",
    ),
    Entry(
        code="PG406",
        title="Another open pull request has the same head commit",
        severity=WARNING,
        why="A status belongs to a commit, not to a pull request: success here would be success there.",
        fix="Close one of the two, or push a commit of its own to this one.",
        bad="#7 and #8 from the same branch to two bases",
        good="one pull request for each branch",
    ),
)
