"""Every story of the case book."""

from __future__ import annotations

from importlib import import_module

from tests.casebook.story import STORIES

__all__ = ["CHAPTERS", "DEMOS", "FULL", "STORIES"]

NAMES = (
    *("phases", "issues", "plans", "verdicts", "roles", "trust", "edits", "humans", "freshness", "history"),
    *("forgotten", "overruling", "proposals", "policies", "pipeline", "pipeline_results", "pipeline_folders"),
    *("pipeline_mixed", "envelope", "thehood", "drift", "queue", "honest", "reviewers", "standing", "together"),
    *("described", "mixing", "lives", "walkthroughs", "ways", "answers"),
)
CHAPTERS = tuple(import_module(f"tests.casebook.{name}") for name in NAMES)

# What `demo --case` shows, by the story that it is.
DEMOS = {
    "feature": "feature-of-a-team",
    "plan-waiting": "plan-not-approved",
    "escalated": "escalated",
    "overruled": "overruled",
    "quick": "quick-route",
    "overridden": "overridden",
    "pipeline": "pipeline-beyond-the-plan",
    "envelope": "envelope-bug-with-risk",
    "thehood": "thehood-protected-file",
    "pipeline-green": "pipeline-green",
    "envelope-green": "envelope-green",
    "thehood-green": "thehood-green",
    "review-green": "review-six",
}

# The stories whose whole report is kept, one for each shape that a report can have.
FULL = (
    *("feature-green", "judge-failed", "stale", "escalated", "escalated-and-resumed", "doctor-unblocks"),
    *("builder-blocked", "sibling", "commit-named-before-it-was-there", "only-named-agents"),
    *("bug-without-qa", "bug-with-failing-qa", "quick-route", "no-linked-issue", "plan-edited-by-another"),
    *("overruled", "overridden", "override-forbidden", "resumed-by-agent"),
    *("approved-by-stranger", "approved-malformed", "proposal-on-empty-fail", "proposal-edited-by-another"),
    *("policy-not-yaml", "pipeline-green", "pipeline-invalid-plan", "pipeline-commit-asked-for"),
    *("pipeline-two-issues-one-name", "pipeline-worked-again", "pipeline-ignored", "mixed-green"),
    "three-dialects",
)
