"""The first screen: every reason that there is has its words."""

from __future__ import annotations

from phasegate.model.report import Why, Withheld
from phasegate.report.summary.overview import WITHHELD
from phasegate.report.wording import _IN_SHORT

# What is told by a mark or by a name alone.
WORDLESS = {*(Why.PASSED, Why.VALID, Why.EARLIER_PHASE, Why.MISSING, Why.INSTRUCTIONS)}


def test_overview__every_withheld_success_has_a_headline() -> None:
    assert set(WITHHELD) == set(Withheld)


def test_overview__every_reason_has_a_word_or_needs_none() -> None:
    assert set(Why) - set(_IN_SHORT) == WORDLESS
