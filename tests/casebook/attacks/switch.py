"""Switches: how the gate is made to do without exactly one of its defences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module

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


def without(tables: str, *names: str) -> SwitchOff:
    """Take rows out of a table of the gate, or of several (``module.TABLE OTHER``)."""

    def switch_off(monkeypatch: pytest.MonkeyPatch) -> None:
        first, *more = tables.split()
        module = import_module(f"phasegate.{first.rpartition('.')[0]}")
        for table in (first.rpartition(".")[2], *more):
            rows = getattr(module, table)
            kept = tuple(row for row in rows if name_of(row) not in names)
            assert len(kept) == len(rows) - len({*names} & {*map(name_of, rows)}), f"{table} lacks one of {names}"
            monkeypatch.setattr(module, table, kept)

    return switch_off


def together(*switches: SwitchOff) -> SwitchOff:
    """Make the gate do without several things that say the same."""

    def switch_off(monkeypatch: pytest.MonkeyPatch) -> None:
        for switch in switches:
            switch(monkeypatch)

    return switch_off


def in_row(table: str, name: str, stand_in: object) -> SwitchOff:
    """Put a stand-in where a row of a table has its rule."""

    def switch_off(monkeypatch: pytest.MonkeyPatch) -> None:
        module = import_module(f"phasegate.{table.rpartition('.')[0]}")
        rows = getattr(module, table.rpartition(".")[2])
        assert name in map(name_of, rows)
        changed = tuple((name, stand_in) if name_of(row) == name else row for row in rows)
        monkeypatch.setattr(module, table.rpartition(".")[2], changed)

    return switch_off


def name_of(row: object) -> str:
    """What a row of a table is called."""
    return str(row[0]) if isinstance(row, tuple) else str(getattr(row, "name", ""))


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
