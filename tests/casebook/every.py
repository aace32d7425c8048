"""Every story of the case book."""

from __future__ import annotations

from tests.casebook import (
    edits,
    freshness,
    history,
    humans,
    issues,
    overruling,
    phases,
    pipeline,
    plans,
    policies,
    proposals,
    roles,
    trust,
    verdicts,
)
from tests.casebook.story import STORIES

__all__ = ["CHAPTERS", "DEMOS", "STORIES"]

CHAPTERS = (
    phases,
    issues,
    plans,
    verdicts,
    roles,
    trust,
    edits,
    humans,
    freshness,
    history,
    overruling,
    proposals,
    policies,
    pipeline,
)

# What `demo --case` shows, by the story that it is.
DEMOS = {
    "feature": "feature-green",
    "plan-waiting": "plan-not-approved",
    "escalated": "escalated",
    "overruled": "overruled",
    "quick": "quick-route",
    "overridden": "overridden",
    "pipeline": "pipeline-beyond-the-plan",
}
