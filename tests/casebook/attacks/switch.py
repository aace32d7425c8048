"""Switches: how the gate is made to do without exactly one of its defences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

SwitchOff = Callable[[pytest.MonkeyPatch], None]


@dataclass(frozen=True, kw_only=True)
class Defence:
    """One defence, in a sentence, and the switch that turns it off."""

    name: str
    what: str
    switch_off: SwitchOff


def instead(target: str, stand_in: object) -> SwitchOff:
    """Put a stand-in where a function or a constant of the gate is looked up."""

    def switch_off(monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(f"phasegate.{target}", stand_in)

    return switch_off


def nothing(*_: object, **__: object) -> None:
    """No objection."""


def none_of_them(*_: object, **__: object) -> Iterator[object]:
    """No objections."""
    return iter(())


def always(*_: object, **__: object) -> bool:
    """Yes."""
    return True


def never(*_: object, **__: object) -> bool:
    """No."""
    return False
