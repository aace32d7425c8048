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
    pipeline_folders,
    pipeline_mixed,
    pipeline_results,
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
    pipeline_results,
    pipeline_folders,
    pipeline_mixed,
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
