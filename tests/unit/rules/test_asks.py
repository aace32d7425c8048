"""What a word itself asks for: a human, or QA, in whatever format it is written."""

from __future__ import annotations

import pytest

from phasegate.gate import judge
from phasegate.model.report import NeedKind, Why
from tests.casebook.decided import snapshot_of
from tests.casebook.world import World

POLICY = """\
version: 1
issue: {quick_labels: []}
phases:
  plan: {enabled: false}
  qa: {human_approval: false}
  build: {dialect: our-review, creator: null, fixer: null, roles: [our-reviewer]}
formats:
  our-review:
    roles: {our-reviewer: {does: challenges}}
    in: [comment]
    read: {word: {marker: "our:review", as: json}}
    role: our-reviewer
    outcome: {of: word/verdict, map: {approve: pass, reject: fail}}
    asks:
      - {for: human, when: [{of: word/unsure, equals: true}]}
      - {for: qa, when: [{of: word/risky, equals: true}]}
"""


def said(**keys: bool) -> str:
    """An approving review with some more keys."""
    told = "".join(f', "{key}": {str(value).lower()}' for key, value in keys.items())
    return f'<!-- our:review {{"verdict": "approve"{told}}} -->'


def told(*texts: str, who: str = "ana") -> World:
    """A pull request on which these reviews were posted."""
    world = World(policy=POLICY)
    world.label("bug")
    for text in texts:
        world.say(who, text)
    return world


def states(world: World) -> list[str]:
    """The states of build and QA."""
    return [phase.state.value for phase in judge(snapshot_of(world)).phases if phase.name != "plan"]


def test_asks__nothing_is_asked_for() -> None:
    assert states(told(said())) == ["success", "success"]


def test_asks__a_human_is_waited_for_and_enough() -> None:
    world = told(said(unsure=True))
    needs = [need for phase in judge(snapshot_of(world)).phases for need in phase.needs]
    assert Why.MISSING in [need.why for need in needs if need.kind is NeedKind.HUMAN]
    world.say("mona", "/gate approve build")
    assert states(world) == ["success", "success"]


def test_asks__qa_is_required_whatever_the_label() -> None:
    world = told(said(risky=True))
    report = judge(snapshot_of(world))
    assert report.route is not None
    assert (report.route.qa_required, report.route.qa_asked_by) == (True, "our-reviewer")
    assert states(world) == ["success", "pending"]


def test_asks__the_latest_word_is_the_one_that_asks() -> None:
    assert states(told(said(unsure=True, risky=True), said())) == ["success", "success"]


def test_asks__an_edit_takes_nothing_back() -> None:
    world = told(said(unsure=True, risky=True))
    world.edit(world.comments[0], said(), "ana")
    assert states(world) == ["pending", "pending"]


@pytest.mark.parametrize("who", ["eve", "octo-dev"])
def test_asks__who_may_not_speak_may_not_ask(who: str) -> None:
    world = told(said())
    world.say(who, said(unsure=True, risky=True))
    assert states(world) == ["success", "success"]
