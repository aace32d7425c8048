"""Reviewers in a box: how each speaks, the account it is known by and what steers it, as data beside this module.

The name of a box comes in, its data goes out; nothing is read before somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import Any

from phasegate.model.frozen import dataclass
from phasegate.reading.document import Document
from phasegate.reading.yaml import read_yaml

FOLDER = Path(__file__).parent


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """A number that the policy may set, and its bounds."""

    default: int
    least: int
    most: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Box:
    """A reviewer that many teams have.

    ``known`` is its account (login, id, app id), empty where files speak for whoever pushes them. ``instructions`` are
    the files that it takes orders from. What is ``experimental`` is a guess, and says which.
    """

    name: str
    description: Mapping[str, Any]
    known: Mapping[str, Any] = field(default_factory=dict)
    instructions: tuple[str, ...] = ()
    experimental: str = ""
    settings: Mapping[str, Setting] = field(default_factory=dict)

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that it speaks for."""
        return tuple(self.description["roles"])

    def described(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """The description with the numbers of a policy, and its account's app, in their places."""
        defaults = {name: setting.default for name, setting in self.settings.items()}
        filled = _filled(self.description, {"app_id": self.known.get("app_id"), **defaults, **values})
        assert isinstance(filled, Mapping)  # noqa: S101  (a map stays one)
        return filled


@cache
def box_names() -> tuple[str, ...]:
    """The reviewers that there is a box for."""
    return tuple(sorted(file.stem for file in FOLDER.glob("*.yml")))


@cache
def box(name: str) -> Box:
    """A box by its name."""
    document = read_yaml((FOLDER / f"{name}.yml").read_text(encoding="utf-8"))
    assert isinstance(document, Document), document  # noqa: S101  (our own file; a test reads every box)
    data: Any = document.value
    return Box(
        name=name,
        description=data["format"],
        known=data["known"],
        instructions=tuple(data["instructions"]),
        experimental=data.get("experimental", ""),
        settings={key: Setting(**told) for key, told in data.get("settings", {}).items()},
    )


def _filled(told: object, values: Mapping[str, Any]) -> object:
    if isinstance(told, Mapping):
        if tuple(told) == ("setting",):
            return values[told["setting"]]
        return {key: _filled(inner, values) for key, inner in told.items()}
    return [_filled(inner, values) for inner in told] if isinstance(told, list) else told
