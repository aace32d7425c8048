"""Overruling: a challenger's FAIL whose every demand the phase's confirmer has refuted later, with evidence."""

from __future__ import annotations

from phasegate.model.decision import Standing, Word
from phasegate.model.signal import Does, Outcome, Refutation
from phasegate.rules.bench import Bench


def overruled_by(bench: Bench, failure: Word) -> Word | None:
    """The confirming word that takes a challenger's FAIL back; none if it still blocks."""
    policy = bench.scales.policy
    if failure.role is None or policy.role(failure.role).does is not Does.CHALLENGES or not failure.signal.must_fix:
        return None
    for role in bench.roles:
        if policy.role(role).does is Does.CONFIRMS:
            latest = bench.latest(role)
            if latest is not None and _refutes(bench, latest, failure):
                return latest
    return None


def _refutes(bench: Bench, confirming: Word, failure: Word) -> bool:
    if confirming.standing is not Standing.VALID or confirming.outcome is not Outcome.PASS or not confirming.fresh:
        return False
    if not _later(confirming, failure):
        return False
    proven = {item.id for item in confirming.signal.refutations if _proven(bench, item)}
    return set(failure.signal.must_fix or ()) <= proven & set(confirming.signal.false_positives)


def _later(confirming: Word, failure: Word) -> bool:
    return confirming.signal.source.moment > failure.signal.source.moment


def _proven(bench: Bench, refutation: Refutation) -> bool:
    """Whether there is output beside the id, or a line of a file that exists at the head."""
    if refutation.output:
        return True
    known = {
        file.path: file.lines or 0
        for file in bench.scales.snapshot.evidence_files
        if file.commit == bench.scales.timeline.head
    }
    return any(0 < line <= known.get(path, 0) for path, line in refutation.lines)
