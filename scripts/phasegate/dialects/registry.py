"""The built-in dialects, listed only here, and what is worth fetching for some of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import cast

from phasegate.dialects.commands import COMMANDS, shows_command, tries
from phasegate.dialects.dialect import Dialect
from phasegate.model.frozen import replace
from phasegate.model.plan import INSTRUCTION_FILES, ReadingPlan
from phasegate.model.signal import Does, Subject

BUILT_IN = ("jkz", "pipeline", "envelope", "thehood")
DEFAULT_DIALECT = BUILT_IN[0]
DEFAULT_PHASES = ("plan", "build", "qa")  # of its profile, which is loaded later; a test compares them


@cache
def built_in(name: str) -> Dialect:
    """A built-in dialect, by its declaration."""
    return cast("Dialect", import_module(f"phasegate.dialects.{name}.declaration").DIALECT)


@cache
def every_dialect() -> tuple[Dialect, ...]:
    """All built-in dialects."""
    return tuple(built_in(name) for name in BUILT_IN)


def example() -> dict[str, str]:
    """The words used in the catalogue's examples: those of the default dialect's first judge."""
    dialect = built_in(DEFAULT_DIALECT)
    role = next(role for role in dialect.roles if role.does is Does.CHALLENGES and role.about is Subject.PRODUCT)
    how = dialect.how_to(role)
    return {"@MARKER@": how.marker, "@HEADING@": how.heading, "@ROLE@": role.name, "@PROFILE@": dialect.name}


def plan_of(dialects: Sequence[Dialect], folder: str | None = None, phases: Sequence[str] = ()) -> ReadingPlan:
    """What to fetch for these dialects and for human commands."""
    footprints = [dialect.footprint for dialect in dialects]
    return ReadingPlan(
        triggers=(COMMANDS, *(trigger for each in footprints for trigger in each.triggers)),
        phrases=tuple(dict.fromkeys(phrase for each in footprints for phrase in each.phrases)),
        tries=tries(tuple(phases)),
        shows_command=shows_command,
        cites=lambda text: [path for each in footprints for path in each.cites(text)],
        evidence=tuple(dict.fromkeys(item for each in footprints for item in each.evidence(folder))),
        check_apps=tuple(dict.fromkeys(app for each in footprints for app in each.check_apps)),
    )


def default_plan() -> ReadingPlan:
    """The same without a policy, known before the deciding modules are loaded."""
    steering = tuple(pattern.casefold() for pattern in INSTRUCTION_FILES)
    return replace(plan_of([built_in(DEFAULT_DIALECT)], phases=DEFAULT_PHASES), steering=steering)
