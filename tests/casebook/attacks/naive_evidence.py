"""What a gate without a defence would make of evidence: permissive stand-ins for one function each."""

from __future__ import annotations

from dataclasses import replace

from phasegate.dialects.pipeline_types import TestResult
from phasegate.model.decision import Standing, Word
from phasegate.model.evidence import FOLDER, EvidenceFolder
from phasegate.model.signal import Outcome
from phasegate.model.snapshot import Snapshot
from phasegate.rules.bench import Bench


def first_folder(snapshot: Snapshot, issue: int | None, only: str | None) -> list[str]:
    """Whatever folder comes first."""
    del issue, only
    names = [file.path.removeprefix(f"{FOLDER}/").partition("/")[0] for file in snapshot.artifacts]
    return names[:1]


def new_names(snapshot: Snapshot) -> set[str]:
    """The paths that there are now."""
    return {entry.path for entry in snapshot.files.entries}


def no_failure(test: TestResult) -> Outcome | None:
    """No failure is a success."""
    return Outcome.PASS if test.phase_2 is not None else None


def last_seen(bench: Bench, folder: EvidenceFolder, name: str) -> Word | None:
    """The last PASS that a file ever said."""
    found = [word for word in bench.words if word.role == name and word.signal.source.issue == folder.issue]
    passed = [word for word in found if word.outcome is Outcome.PASS]
    return replace(passed[-1], standing=Standing.VALID) if passed else None
