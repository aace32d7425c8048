"""What the tests of the command line are given."""

from __future__ import annotations

import pytest

from tests.unit.cli.shell import Shell


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(capsys, monkeypatch)


@pytest.fixture
def no_forgeries(monkeypatch: pytest.MonkeyPatch) -> None:
    """A doctor without its proof, which has tests of its own and takes most of the time."""
    monkeypatch.setattr("phasegate.cli.doctor.forged", lambda *_: ())
