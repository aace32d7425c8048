"""The past: what is cut from a snapshot is what a run at that time would have read, and it is decided alike."""

from __future__ import annotations

import json

import pytest

from phasegate.cli.files import parse_snapshot
from phasegate.gate import judge
from phasegate.model.past import as_of, doubts
from phasegate.model.snapshot import Snapshot
from tests.casebook.decided import snapshot_of
from tests.casebook.every import STORIES
from tests.casebook.story import Story
from tests.casebook.world import World, verdict

# At which somebody looked at a pull request before its end.
LOOKED = [(story, place) for story in STORIES.values() for place, _ in enumerate(story.world().looks)][::2]
# In these the policy, the list of changed files or that of check runs was another one then, of which no snapshot tells
# (`AS_NOW`).
UNTOLD = {
    *("life-documentation", "life-alone", "life-solo-pipeline", "way-back-to-exempt", "way-of-a-lone-maintainer"),
    *("answer-checks", "described-run-cancelled-with-a-finding"),
}


def read(text: str) -> Snapshot:
    """A snapshot from its text."""
    found = parse_snapshot(text, "look.json")
    assert isinstance(found, Snapshot), found
    return found


@pytest.mark.parametrize(("story", "place"), LOOKED, ids=[f"{story.name}-{place}" for story, place in LOOKED])
def test_past__is_decided_as_it_was_when_somebody_looked(story: Story, place: int) -> None:
    world = story.world()
    then = read(world.looks[place][1])
    final = snapshot_of(world)
    now, was = judge(as_of(final, then.taken_at)), judge(then)
    same = {phase.name: phase.state for phase in now.phases} == {phase.name: phase.state for phase in was.phases}
    assert same or story.name in UNTOLD or doubts(final, then.taken_at)


def test_past__is_seldom_in_doubt() -> None:
    unsure = [story.name for story, place in LOOKED if doubts(snapshot_of(story.world()), look_at(story, place))]
    assert len(unsure) < len(LOOKED) / 5


def look_at(story: Story, place: int) -> str:
    """When somebody looked."""
    return str(json.loads(story.world().looks[place][1])["taken_at"])


def busy() -> World:
    """A pull request to which much happens."""
    world = World()
    world.issue(13, "bug")
    fail = world.planned().label("chore").judges("judge", "FAIL")
    world.edit(fail, verdict("judge"), "ana").push("b", evidence={".pipeline/12/plan.json": "{}"})
    world.push("c", evidence={".pipeline/12/plan.json": '{"a": 1}'}).unlabel("chore")
    review = world.review("ben", "No.", state="CHANGES_REQUESTED")
    return world.dismiss(review, "mona").unlink(13).link(14).close().reopen().built()


def test_past__of_everything_is_there_as_it_was() -> None:
    """At every minute the cut has the texts, labels, links, head and files that a snapshot of that minute had."""
    final = snapshot_of(busy())
    labels, texts, heads, files, linked, states, reviews = [], [], [], [], [], [], []
    for minute in range(5, 60):  # it is open by then
        cut = as_of(final, f"2026-03-02T09:{minute:02}:00Z")
        issues = {issue.number: issue for issue in cut.issues}
        labels.append(issues[12].labels)
        texts.append(next((said.text for said in cut.comments if "jkz:judge" in said.text), ""))
        heads.append(cut.pull_request.head.sha)
        files.append(next((file.text for file in cut.branch_files), None))
        linked.append(tuple(sorted(issues)))
        states.append(cut.pull_request.state)
        reviews.append(next((review.state for review in cut.reviews), None))
    assert [list(dict.fromkeys(each)) for each in (labels, files, states, reviews)] == [
        [(), ("chore",)],
        [None, '{"a": 1}'],  # the earlier text of a plan is not kept
        ["open", "closed"],
        [None, "CHANGES_REQUESTED", "DISMISSED"],
    ]
    assert len(dict.fromkeys(heads)) == 3
    assert list(dict.fromkeys(linked)) == [(12, 13), (12,), (12, 14)]
    fails = [json.dumps("FAIL") in text for text in texts]
    assert fails.index(True) < len(fails) - fails[::-1].index(True) < len(fails)


def test_past__at_the_end_is_the_present() -> None:
    final = snapshot_of(busy())
    assert as_of(final, final.taken_at) == final


def test_past__a_lost_version_is_not_made_up() -> None:
    world = World()
    said = world.judges("judge")
    said |= {"edited_at": "2026-03-02T10:00:00Z", "editor": said["author"]}
    (then,) = as_of(snapshot_of(world), "2026-03-02T09:30:00Z").comments
    assert (then.text, then.history_complete, then.edited_at) == ("", False, None)
