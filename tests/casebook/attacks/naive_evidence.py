"""What a gate without a defence would make of evidence: permissive stand-ins for one function each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from phasegate.dialects.pipeline.artifact import Artifact
from phasegate.model.ledger import Word
from phasegate.model.signal import IssueFolder, Outcome
from phasegate.model.snapshot import Snapshot
from phasegate.rules.ladder import Seat

_words = Seat.__dict__["words"].func


def first_folder(
    snapshot: Snapshot, issues: Sequence[int], template: str | None, states: Mapping[str, object]
) -> tuple[IssueFolder, ...]:
    """Whatever folder comes first."""
    del template, states
    path = next(file.path.rpartition("/")[0] for file in snapshot.branch_files)
    return tuple(IssueFolder(issue=issue, path=path) for issue in issues)


def new_names(snapshot: Snapshot) -> set[str]:
    """The paths that there are now."""
    return {entry.path for entry in snapshot.files.entries}


def no_failure(test: Artifact) -> Outcome | None:
    """No failure is a success."""
    return Outcome.PASS if test.get("phase_2") is not None else None


def last_seen(seat: Seat) -> tuple[Word, ...]:
    """A file's PASS stands, whether it is still there or not."""
    words: tuple[Word, ...] = _words(seat)
    passed = [word for word in words if word.source.pushed and word.vote.outcome is Outcome.PASS]
    return tuple(replace(word, stands=True, good=True) for word in passed[-1:]) or words
