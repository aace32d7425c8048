"""Clients that a command makes for itself wait on a clock on which nobody waits, as those of the tests do."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.integration.runs import Moving


@pytest.fixture(autouse=True)
def moving(monkeypatch: pytest.MonkeyPatch) -> Moving:
    """The clock of this test's commands; programs of their own have the machine's."""
    moving = Moving()
    clock = SimpleNamespace(monotonic=moving.monotonic, time=moving.epoch, sleep=moving.sleep)
    monkeypatch.setattr("phasegate.github.client.client.time", clock)
    return moving
