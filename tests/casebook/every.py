"""Every story of the case book."""

from __future__ import annotations

from tests.casebook import freshness, history, phases, policies, trust, verdicts
from tests.casebook.story import STORIES

__all__ = ["CHAPTERS", "STORIES"]

CHAPTERS = (phases, verdicts, trust, freshness, history, policies)
