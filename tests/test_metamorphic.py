"""Metamorphic tests on a fixed sample: an objection never leaves a green story green, chatter changes nothing.

All combinations: ``python3 tests explore metamorphic``.
"""

from __future__ import annotations

import json

import pytest

from phasegate.cli.files import parse_snapshot
from phasegate.model.snapshot import Snapshot
from tests.casebook.every import STORIES
from tests.metamorphic import chatter
from tests.metamorphic.run import STUCK, UNFAIR, Outcome, run, sample, scenes, set_up
from tests.metamorphic.scene import quicken, scene_of
from tests.metamorphic.table import FATES, FORMS, PLACES, Combination

SAMPLE = 150
REMARKED = ("feature-green", "judge-failed", "stale", "envelope-green", "thehood-green", "coderabbit-clean")


def outcomes() -> tuple[Outcome, ...]:
    """What became of the sample."""
    with pytest.MonkeyPatch.context() as patch:
        quicken(patch)
        return tuple(outcome for each in sample(scenes(), SAMPLE) if (outcome := run(each)) is not None)


def test_objection__never_leaves_a_story_green_until_everybody_answered() -> None:
    """On a sample that has every form, place and fate."""
    told = outcomes()
    assert [each.combination.name for each in told if each.first == UNFAIR] == []
    assert [each.combination.name for each in told if each.then == STUCK] == []
    combinations = [each.combination for each in told]
    assert len(combinations) == SAMPLE
    assert {each.form for each in combinations} == set(FORMS)
    assert {each.place for each in combinations} == set(PLACES)
    assert {each.fate for each in combinations} == set(FATES)
    assert any((each.form, each.fate, each.place) == ("whole", "stays", "where it speaks") for each in combinations)


def test_worlds__are_snapshots_that_the_schema_accepts() -> None:
    for fate in FATES:
        told = Combination(story="feature-green", role="judge", form="whole", place="where it speaks", fate=fate)
        place = "other medium" if fate == "dismissed" else told.place
        found = set_up(Combination(story=told.story, role=told.role, form=told.form, place=place, fate=fate))
        assert found is not None
        scene = scene_of(told.story)
        assert scene is not None
        FATES[fate](found.put, scene.report)
        assert isinstance(parse_snapshot(json.dumps(found.put.world.snapshot()), "snapshot.json"), Snapshot)


@pytest.mark.parametrize("name", REMARKED)
def test_chatter__changes_no_state(name: str) -> None:
    told = list(chatter.remarks(name))
    assert len(chatter.REMARKS) == 17
    assert len(told) >= len(chatter.REMARKS)
    assert {each.name: changed for each in told if (changed := chatter.disturbed(each))} == {}
    assert name in STORIES
