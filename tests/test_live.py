"""Whole pull requests as GitHub would tell them: each story, read through the API, is answered as written down."""

from __future__ import annotations

import pytest

from phasegate.cli.files import parse_snapshot, snapshot_text
from phasegate.gate import judge
from phasegate.model.snapshot import Snapshot
from phasegate.report.data import report_text
from tests.casebook.every import STORIES
from tests.casebook.story import Story
from tests.fakehub import FakeHub
from tests.integration.runs import read

# What nobody can meet on GitHub, and why.
ONLY_SAVED = {
    "policy-not-as-saved": "the digest of a saved policy cannot be wrong in a snapshot that was just made",
    "approved-by-run-without-policy": "runs are read only where the policy names their workflow",
}
LIVE = {name: story for name, story in STORIES.items() if name not in ONLY_SAVED}


@pytest.mark.sampled(8)
@pytest.mark.parametrize("story", LIVE.values(), ids=LIVE)
def test_story__is_answered_alike_when_it_is_read_from_github(story: Story) -> None:
    with FakeHub(story.world().snapshot()) as hub:
        decision = read(hub)
    report = decision.report
    assert report.state.value == story.state
    assert {phase.name: phase.state.value for phase in report.phases} == story.phases
    assert {problem.code for problem in report.problems} == set(story.codes)
    saved = parse_snapshot(snapshot_text(decision.snapshot), "saved.json")
    assert isinstance(saved, Snapshot), saved
    assert report_text(judge(saved)) == report_text(report)


def test_stories__that_cannot_live_on_github_are_known() -> None:
    assert set(ONLY_SAVED) < set(STORIES)
