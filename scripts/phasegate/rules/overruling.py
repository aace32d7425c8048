"""Overruling: a challenger's FAIL whose every demand the phase's confirmer has refuted later, with evidence."""

from __future__ import annotations

from phasegate.model.signal import Does, Outcome, Refutation
from phasegate.model.vote import Validity, Vote
from phasegate.rules.view import PhaseView


def overruled_by(view: PhaseView, failure: Vote) -> Vote | None:
    """The confirming vote that takes a challenger's FAIL back; none if it still blocks."""
    policy = view.facts.policy
    if failure.role is None or policy.role(failure.role).does is not Does.CHALLENGES or not failure.signal.must_fix:
        return None
    for role in view.roles:
        if policy.role(role).does is Does.CONFIRMS:
            latest = view.latest(role)
            if latest is not None and _refutes(view, latest, failure):
                return latest
    return None


def _refutes(view: PhaseView, confirming: Vote, failure: Vote) -> bool:
    if confirming.validity is not Validity.VALID or confirming.outcome is not Outcome.PASS or not confirming.fresh:
        return False
    if not _later(confirming, failure):
        return False
    proven = {item.id for item in confirming.signal.refutations if _proven(view, item)}
    return set(failure.signal.must_fix or ()) <= proven & set(confirming.signal.false_positives)


def _later(confirming: Vote, failure: Vote) -> bool:
    return confirming.signal.source.moment > failure.signal.source.moment


def _proven(view: PhaseView, refutation: Refutation) -> bool:
    """Whether there is output beside the id, or a line of a file that exists at the head."""
    if refutation.output:
        return True
    known = {
        file.path: file.lines or 0
        for file in view.facts.snapshot.cited_files
        if file.commit == view.facts.timeline.head
    }
    return any(0 < line <= known.get(path, 0) for path, line in refutation.lines)
