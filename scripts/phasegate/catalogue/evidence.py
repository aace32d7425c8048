"""PG230 to PG235, PG303 and PG306: files of the branch that are nobody's word here, or speak of something else."""

from __future__ import annotations

from phasegate.catalogue.entry import Entry
from phasegate.model.problem import Severity

ERROR, WARNING, NOTICE = Severity.ERROR, Severity.WARNING, Severity.NOTICE

ENTRIES: tuple[Entry, ...] = (
    Entry(
        code="PG230",
        title="A file of the evidence folder was not read",
        severity=ERROR,
        why="A symbolic link, a submodule, a binary or oversized file may be anything but what it says.",
        fix="Commit it as a plain text file of ordinary size.",
        bad=".pipeline/42/plan.json as a symbolic link",
        good=".pipeline/42/plan.json as a file",
    ),
    Entry(
        code="PG231",
        title="Evidence in the branch of a fork",
        severity=WARNING,
        why="Whoever owns the fork can push anything under any name.",
        fix="Let the pipeline push its artifacts to a branch of the repository itself.",
        bad="test-result.json pushed to a fork",
        good="test-result.json pushed by the pipeline's account to the repository",
    ),
    Entry(
        code="PG232",
        title="It cannot be told who pushed a file",
        severity=WARNING,
        why="A file speaks for the account that pushed it; the names in a commit can be written by anybody.",
        fix="Push the file again.",
        bad="an artifact from before the log of pushes begins",
        good="an artifact whose push is on the log",
    ),
    Entry(
        code="PG233",
        title="The evidence folder is ignored by Git",
        severity=WARNING,
        why="What Git ignores is in no commit, so no pull request can bring it; waiting for it would never end. Only "
        "the .gitignore in the repository's root is looked at.",
        fix="Remove the line from the ignore file, or let the pipeline add its files with git add --force.",
        bad=".gitignore: .pipeline/",
        good=".gitignore without .pipeline/",
    ),
    Entry(
        code="PG234",
        title="A file that this pull request does not bring",
        severity=WARNING,
        why="It is in the base branch too, so another pull request brought it, about other work.",
        fix="Run its stage again for this pull request; let a result that is the same to the byte name its commit.",
        bad="plan.json of an earlier pull request, unchanged",
        good="plan.json written for this pull request",
    ),
    Entry(
        code="PG235",
        title="Not all changed files are known",
        severity=WARNING,
        why="GitHub lists at most 3,000 of them; what is not listed could be anything.",
        fix="Split the pull request.",
        bad="a pull request with 3,001 changed files and a plan for 3,000",
        good="two pull requests",
    ),
    Entry(
        code="PG303",
        title="The evidence is older than the product",
        severity=NOTICE,
        why="A file in the branch speaks for the content at the time of its push.",
        fix="Let the agent run again and push its result.",
        bad="test-result.json, then a change of the code",
        good="the change of the code, then test-result.json",
    ),
    Entry(
        code="PG306",
        title="An artifact is older than one that it stands on",
        severity=WARNING,
        why="It was made from an earlier text of that artifact: tests of what the worker delivered before, a review of "
        "what was tested before.",
        fix="Run its stage again and push the result.",
        bad="test-result.json pushed, then worker-result.json pushed again",
        good="worker-result.json pushed, then or together with it test-result.json",
    ),
)
