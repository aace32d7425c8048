"""What the tests of the command line are given."""

from __future__ import annotations

import pytest

from tests.unit.cli.shell import Shell


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A command line in this process."""
    return Shell(capsys, monkeypatch)
