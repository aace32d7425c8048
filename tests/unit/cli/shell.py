"""What the tests of the command line share: a command in this process, or the real entry in one of its own."""

from __future__ import annotations

import atexit
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from phasegate.cli.main import main
from phasegate.report.data import report_text
from tests.casebook.decided import report_of
from tests.casebook.every import STORIES

ROOT = Path(__file__).resolve().parents[3]
SAVED = Path(tempfile.mkdtemp(prefix="phase-gate-tests-"))
atexit.register(shutil.rmtree, SAVED, ignore_errors=True)
HOSTILE = "::error::x ##[error]y \x1b[31m\u202e\r\n::set-output name=a::b\n##[group]z"
COMMAND = re.compile(r"##\[|^\s*::", re.MULTILINE)


def saved(name: str) -> Path:
    path = SAVED / f"{name}.json"
    path.write_text(STORIES[name].snapshot_text(), encoding="utf-8")
    return path


def left_by(snapshot: Path) -> Path:
    """The report on a story as a run leaves it, by its saved snapshot."""
    path = SAVED / f"{snapshot.stem}-report.json"
    path.write_text(report_text(report_of(STORIES[snapshot.stem])), encoding="utf-8")
    return path


GREEN, FAILED, WAITING, BROKEN = map(saved, ("feature-green", "judge-failed", "stale", "policy-not-yaml"))


def written(path: Path, text: str = "") -> Path:
    """A file with this text, in a folder that is made for it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:  # noqa: ANN401  (JSON data has no narrower type)
        return json.loads(self.out)

    def is_a_mistake_of_the_user(self, *parts: str) -> bool:
        """Whether it says so: exit code 2, one line that names the input, no traceback, no command to the runner."""
        assert self.code == 2, self
        assert not self.out or self.data["error"]["kind"] == "usage", self
        assert "Traceback" not in self.err
        assert not COMMAND.search(self.err)
        assert len(self.err.splitlines()) == 1, self.err
        assert all(part in self.err for part in parts), self.err
        return True


class Shell:
    """Runs commands in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def __call__(self, *arguments: str | Path, given: str = "", environ: Mapping[str, str] | None = None) -> Done:
        """Run one command; a wrong use that argparse finds ends in its exit code."""
        self._monkeypatch.setattr(sys, "stdin", io.StringIO(given))
        try:
            code = main([str(argument) for argument in arguments], environ or {})
        except SystemExit as end:
            code = int(end.code or 0)
        shown = self._capsys.readouterr()
        return Done(code, shown.out, shown.err)

    def harmless(self, code: int, *arguments: str | Path, given: str = "") -> None:
        """Run a command for people and as JSON; nothing hostile reaches the runner or the terminal."""
        for more in ((), ("--json",)):
            done = self(*arguments, *more, given=given)
            assert done.code == code
            assert not COMMAND.search(done.out + done.err)
            assert not {"\x1b", "\u202e", "\r"} & set(done.out)


def start(*arguments: str | Path, given: bytes = b"", cwd: Path | None = None) -> Done:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts", *arguments],
        input=given,
        cwd=cwd,
        capture_output=True,
        env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
        check=False,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())
