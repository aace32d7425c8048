"""Stories, decided: a story or a world goes in, its snapshot and the gate's report come out."""

from __future__ import annotations

import json
from functools import cache

from phasegate.cli.files import parse_snapshot
from phasegate.gate import judge
from phasegate.model.report import Report
from phasegate.model.snapshot import Snapshot
from tests.casebook.story import Story
from tests.casebook.world import World


def snapshot_of(world: World) -> Snapshot:
    """The snapshot of a world, which its schema accepts."""
    snapshot = parse_snapshot(json.dumps(world.snapshot()), "snapshot.json")
    assert isinstance(snapshot, Snapshot), snapshot
    return snapshot


@cache
def report_of(story: Story) -> Report:
    """What the gate says about a story; decided once, so nothing for tests that change the gate."""
    return judge(snapshot_of(story.world()))
