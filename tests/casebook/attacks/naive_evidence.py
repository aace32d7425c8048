"""What a gate without a defence would make of evidence: permissive stand-ins for one function each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from phasegate.dialects.pipeline_types import TestResult
from phasegate.model.decision import Standing, Word
from phasegate.model.evidence import EvidenceFolder
from phasegate.model.problem import Severity
from phasegate.model.signal import Outcome
from phasegate.model.snapshot import Snapshot
from phasegate.rules.bench import Bench


def first_folder(snapshot: Snapshot, issues: Sequence[int], template: str | None) -> tuple[EvidenceFolder, ...]:
    """Whatever folder comes first."""
    del template
    path = next(file.path.rpartition("/")[0] for file in snapshot.artifacts)
    return tuple(EvidenceFolder(issue=issue, path=path) for issue in issues)


def new_names(snapshot: Snapshot) -> set[str]:
    """The paths that there are now."""
    return {entry.path for entry in snapshot.files.entries}


def no_failure(test: TestResult) -> Outcome | None:
    """No failure is a success."""
    return Outcome.PASS if test.phase_2 is not None else None


def failed_soundly(word: Word) -> bool:
    """Only a FAIL without any fault."""
    errors = [item for item in word.problems if item.severity is Severity.ERROR]
    return word.outcome is Outcome.FAIL and word.standing is not Standing.IGNORED and not errors


def last_seen(bench: Bench, folder: EvidenceFolder, name: str) -> Word | None:
    """The last PASS that a file ever said."""
    found = [word for word in bench.words if word.role == name and word.signal.source.issue == folder.issue]
    passed = [word for word in found if word.outcome is Outcome.PASS]
    return replace(passed[-1], standing=Standing.VALID) if passed else None
