"""A story: how a pull request came to be, and what the gate must say about it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from tests.casebook.world import JSON, World

Tell = Callable[[World], object]


@dataclass(frozen=True, kw_only=True, eq=False)
class Story:
    """One case: its name, its point, the telling, and the answer that a person wrote down beforehand."""

    name: str
    says: str
    tell: Tell
    state: str
    phases: dict[str, str]
    codes: frozenset[str]
    because: str

    def world(self) -> World:
        """The pull request at the end of the story."""
        world = World()
        self.tell(world)
        return world

    def snapshot_text(self) -> str:
        """The snapshot that a run would save of it."""
        return json.dumps(self.world().snapshot(), indent=1, ensure_ascii=False) + "\n"


STORIES: dict[str, Story] = {}
STATES = ("error", "failure", "pending", "success")  # the first of them that a phase has is that of the whole


def titled(tell: Callable[..., object], name: str, says: str) -> tuple[str, str]:
    """The name and the point of a story: the function's name and docstring, unless they are given."""
    return name or tell.__name__.rstrip("_").replace("_", "-"), says or " ".join((tell.__doc__ or "").split())


def answer(phases: str, state: str, codes: str, because: str) -> JSON:
    """The parts of an answer; the overall state is the worst of the phases' unless it is given."""
    states = dict(zip(("plan", "build", "qa"), phases.split(), strict=True))
    worst = min(states.values(), key=STATES.index)
    return {"phases": states, "state": state or worst, "codes": frozenset(codes.split()), "because": because}


def story(  # noqa: PLR0913  (the parts of an answer)
    name: str = "", says: str = "", *, phases: str, state: str = "", codes: str = "", because: str = ""
) -> Callable[[Tell], Tell]:
    """Tell a story; ``phases`` are the states of plan, build and qa, ``because`` a part of the overall line.

    Told by a function of its own, a story has the function's name and docstring.
    """

    def keep(tell: Tell) -> Tell:
        title, point = titled(tell, name, says)
        assert title not in STORIES, f"two stories are called {title}"
        STORIES[title] = Story(name=title, says=point, tell=tell, **answer(phases, state, codes, because))
        return tell

    return keep


GREEN = "success success success"
BUILD_FAILED = "success failure pending"
BUILD_WAITS = "success pending pending"
QA_FAILED = "success success failure"
QA_WAITS = "success success pending"
