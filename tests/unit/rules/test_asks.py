"""What a word itself asks for: a human, or QA, in whatever format it is written."""

from __future__ import annotations

import pytest

from phasegate.model.report import NeedKind, Why
from tests.casebook.world import World
from tests.unit.rules.parties import decided, edits

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


def told(*texts: str) -> World:
    """A pull request on which these reviews were posted."""
    world = World(policy=POLICY).label("bug")
    for text in texts:
        world.say("ana", text)
    return world


def states(world: World) -> list[str]:
    """The states of build and QA."""
    return [phase.state.value for phase in decided(world).phases if phase.name != "plan"]


ALL = said(unsure=True, risky=True)

STATES: dict[str, tuple[World, list[str]]] = {
    "nothing is asked for": (told(said()), ["success", "success"]),
    "a human is enough": (told(said(unsure=True)).says("mona", "/gate approve build"), ["success", "success"]),
    "the latest word is the one that asks": (told(ALL, said()), ["success", "success"]),
    "an edit takes nothing back": (told(ALL).then(edits, said()), ["pending", "pending"]),
    "a stranger may not ask": (told(said()).says("eve", ALL), ["success", "success"]),
    "nor may the author": (told(said()).says("octo-dev", ALL), ["success", "success"]),
}  # fmt: skip


@pytest.mark.parametrize(("world", "expected"), STATES.values(), ids=STATES)
def test_asks(world: World, expected: list[str]) -> None:
    assert states(world) == expected


def test_asks__a_human_is_waited_for() -> None:
    needs = [need for phase in decided(told(said(unsure=True))).phases for need in phase.needs]
    assert Why.MISSING in [need.why for need in needs if need.kind is NeedKind.HUMAN]


def test_asks__qa_is_required_whatever_the_label() -> None:
    world = told(said(risky=True))
    route = decided(world).route
    assert route is not None
    assert (route.qa_required, route.qa_asked_by) == (True, "our-reviewer")
    assert states(world) == ["success", "pending"]
