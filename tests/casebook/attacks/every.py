"""Every attack."""

from __future__ import annotations

from importlib import import_module

from tests.casebook.attacks.attack import ATTACKS as REGISTERED
from tests.casebook.attacks.attack import Attack

__all__ = ["ATTACKS"]

NAMES = (
    *("forged", "echoed", "malformed", "edited", "replayed", "evidence", "evidence_history", "evidence_results"),
    *("envelopes", "described", "thehood", "nested", "labels", "issues", "instructions", "acts", "rounds", "overruled"),
    *("policy", "timing", "honest", "reviewers", "mixing", "vanished", "vanished_record", "queued", "standing"),
)
CHAPTERS = tuple(import_module(f"tests.casebook.attacks.{name}") for name in NAMES)


def _place(attack: Attack) -> tuple[int, str]:
    """Where an attack stands: with its chapter, in the order of its telling; what is a story elsewhere, by its name."""
    module = getattr(attack.tell, "func", attack.tell).__module__
    return (_PLACES[module], "") if module in _PLACES else (len(_PLACES), attack.name)


# In the order of the chapters, whatever was imported first.
_PLACES = {module.__name__: place for place, module in enumerate(CHAPTERS)}
ATTACKS = dict(sorted(REGISTERED.items(), key=lambda item: _place(item[1])))
