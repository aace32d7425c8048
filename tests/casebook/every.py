"""Every story of the case book."""

from __future__ import annotations

from tests.casebook import freshness, history, phases, policies, trust, verdicts
from tests.casebook.story import STORIES

__all__ = ["CHAPTERS", "DEMOS", "STORIES"]

CHAPTERS = (phases, verdicts, trust, freshness, history, policies)

# What `demo --case` shows, by the story that it is.
DEMOS = {
    "feature": "feature-green",
    "plan-waiting": "plan-not-approved",
    "escalated": "escalated",
    "overruled": "overruled",
    "quick": "quick-route",
    "overridden": "overridden",
}
