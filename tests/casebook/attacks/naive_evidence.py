"""What a gate without a defence would make of evidence: permissive stand-ins for one function each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from phasegate.dialects.pipeline.types import TestResult
from phasegate.model.evidence import IssueFolder
from phasegate.model.problem import Severity
from phasegate.model.signal import Outcome
from phasegate.model.snapshot import Snapshot
from phasegate.model.vote import Validity, Vote
from phasegate.rules.view import PhaseView


def first_folder(snapshot: Snapshot, issues: Sequence[int], template: str | None) -> tuple[IssueFolder, ...]:
    """Whatever folder comes first."""
    del template
    path = next(file.path.rpartition("/")[0] for file in snapshot.branch_files)
    return tuple(IssueFolder(issue=issue, path=path) for issue in issues)


def new_names(snapshot: Snapshot) -> set[str]:
    """The paths that there are now."""
    return {entry.path for entry in snapshot.files.entries}


def no_failure(test: TestResult) -> Outcome | None:
    """No failure is a success."""
    return Outcome.PASS if test.phase_2 is not None else None


def failed_soundly(vote: Vote) -> bool:
    """Only a FAIL without any fault."""
    errors = [item for item in vote.problems if item.severity is Severity.ERROR]
    return vote.outcome is Outcome.FAIL and vote.validity is not Validity.IGNORED and not errors


def last_seen(view: PhaseView, folder: IssueFolder, name: str) -> Vote | None:
    """The last PASS that a file ever said."""
    found = [vote for vote in view.votes if vote.role == name and vote.signal.source.issue == folder.issue]
    passed = [vote for vote in found if vote.outcome is Outcome.PASS]
    return replace(passed[-1], validity=Validity.VALID) if passed else None
