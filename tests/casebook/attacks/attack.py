"""An attack: a story that must not end well, its kind, and the one defence that stops it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.casebook.story import Story, Tell, answer, titled
from tests.casebook.world import block

WAITING = "pending pending pending"
ERRORS = "error error error"
PLAN_FAILED = "failure pending pending"
PASS = '{"verdict": "PASS", "issues": []}'
FORGED = block(PASS)


@dataclass(frozen=True, kw_only=True, eq=False)
class Attack(Story):
    """A story with its kind and the name of the defence that stops it."""

    kind: str
    defence: str


ATTACKS: dict[str, Attack] = {}


def attack(  # noqa: PLR0913  (a story, and what stops it)
    kind: str,
    name: str = "",
    says: str = "",
    *,
    defence: str,
    phases: str,
    state: str = "",
    codes: str = "",
    because: str = "",
) -> Callable[[Tell], Tell]:
    """Tell an attack, as a story is told, with its kind and the name of the defence that stops it."""

    def keep(tell: Tell) -> Tell:
        title, point = titled(tell, name, says)
        assert title not in ATTACKS, f"two attacks are called {title}"
        parts = answer(phases, state, codes, because)
        ATTACKS[title] = Attack(name=title, says=point, tell=tell, kind=kind, defence=defence, **parts)
        return tell

    return keep
