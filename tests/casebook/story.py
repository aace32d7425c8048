"""A story: how a pull request came to be, and what the gate must say about it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from tests.casebook.world import World

Tell = Callable[[World], None]


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


def story(  # noqa: PLR0913  (the parts of an answer)
    name: str, says: str, *, state: str, phases: str, codes: str = "", because: str = ""
) -> Callable[[Tell], Tell]:
    """Tell a story; ``phases`` are the states of plan, build and qa, ``because`` a part of the overall line."""

    def keep(tell: Tell) -> Tell:
        assert name not in STORIES, f"two stories are called {name}"
        states = dict(zip(("plan", "build", "qa"), phases.split(), strict=True))
        STORIES[name] = Story(
            name=name, says=says, tell=tell, state=state, phases=states, codes=frozenset(codes.split()), because=because
        )
        return tell

    return keep


GREEN = "success success success"
BUILD_FAILED = "success failure pending"
BUILD_WAITS = "success pending pending"
QA_FAILED = "success success failure"
QA_WAITS = "success success pending"
