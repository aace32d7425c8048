"""Every attack."""

from __future__ import annotations

from tests.casebook.attacks import (
    acts,
    described,
    echoed,
    edited,
    envelopes,
    evidence,
    evidence_history,
    evidence_results,
    forged,
    honest,
    instructions,
    issues,
    labels,
    malformed,
    mixing,
    overruled,
    policy,
    queued,
    replayed,
    reviewers,
    rounds,
    thehood,
    timing,
    vanished,
    vanished_record,
)
from tests.casebook.attacks.attack import ATTACKS

__all__ = ["ATTACKS", "CHAPTERS"]

CHAPTERS = (
    *(forged, echoed, malformed, edited, replayed, evidence, evidence_history, evidence_results, envelopes),
    *(described, thehood),
    *(labels, issues, instructions, acts, rounds, overruled, policy, timing, honest, reviewers, mixing, vanished),
    vanished_record,
    queued,
)
